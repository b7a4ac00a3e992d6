//! Validation of launch parameters, and runs over all thread blocks.

use super::bits::mask;
use super::code::ParamTy;
use super::data::integer_range;
use super::error::{FaultKind, KernelError};
use super::exec::program::Program;
use super::launch::{Arg, Launch};
use super::memory::Memory;
use super::parallel::GridRun;
use super::report::Report;

/// Maximum number of threads in a grid. Access records use 32-bit thread indices.
const MAX_THREADS: u128 = 1 << 31;

impl Launch {
    /// Runs `program` on all thread blocks of the grid.
    /// # Errors
    /// Returns a `Launch` error if the launch does not match the kernel, for example in the arguments, the block
    /// size, the clusters or the shared memory. Returns a `StepLimit` error if the grid cannot finish within the
    /// instruction limit. Otherwise, returns the first fault of the kernel, if there is one.
    pub fn run(&self, program: &Program, memory: &mut Memory) -> Result<Report, KernelError> {
        self.run_watched(program, memory, &|_| {})
    }

    /// Runs `program` like [`Self::run`], and regularly calls `watch` with the number of finished thread blocks.
    /// # Errors
    /// Returns the errors of [`Self::run`].
    pub fn run_watched(
        &self,
        program: &Program,
        memory: &mut Memory,
        watch: &dyn Fn(u64),
    ) -> Result<Report, KernelError> {
        let args = self.check_args(program, memory)?;
        let block = self.check_block(program)?;
        self.check_clusters(program)?;
        self.check_grid(block)?;
        let run = GridRun {
            program,
            launch: self,
            block,
            args: &args,
        };
        if !run.may_run_in_parallel() {
            return run.in_order(memory, watch);
        }
        let before = memory.clone();
        if let Some(report) = run.in_parallel(memory, watch) {
            return Ok(report);
        }
        *memory = before;
        run.in_order(memory, watch)
    }

    fn check_block(&self, program: &Program) -> Result<[u32; 3], KernelError> {
        let launch = |text: String| KernelError::new(FaultKind::Launch, text);
        let block = match (self.block, program.block_size()) {
            (None, None) => {
                return Err(launch("the kernel does not specify a block size".into())
                    .note("specify the block size in the launch"));
            }
            (Some(block), Some(required)) if block != required => {
                return Err(launch(format!(
                    "the kernel requires blocks of {required:?} threads, but the launch has {block:?}"
                )));
            }
            (block, required) => block.or(required).unwrap_or([1; 3]),
        };
        let threads = block.iter().try_fold(1u32, |n, &axis| n.checked_mul(axis));
        match threads {
            Some(1..=1024) => Ok(block),
            _ => Err(launch(format!(
                "block of {block:?} threads; expected 1 to 1024 threads"
            ))),
        }
    }

    fn check_clusters(&self, program: &Program) -> Result<(), KernelError> {
        let cluster = program.cluster();
        let is_whole = (0..3).all(|axis| self.grid[axis].is_multiple_of(cluster[axis]));
        if is_whole {
            return Ok(());
        }
        let text = format!(
            "the grid has {:?} blocks, expected multiples of the cluster size, {cluster:?} blocks",
            self.grid
        );
        Err(KernelError::new(FaultKind::Launch, text).note("the grid counts blocks, not clusters"))
    }

    /// Checks that the instruction limit allows at least one instruction per warp of the grid, and that thread
    /// indices fit in 32 bits.
    fn check_grid(&self, block: [u32; 3]) -> Result<(), KernelError> {
        let blocks: u128 = self.grid.iter().map(|n| u128::from(*n)).product();
        let threads: u32 = block.iter().product();
        let warps = blocks * u128::from(threads.div_ceil(self.machine.lanes_per_warp));
        if warps > self.step_limit.into() {
            let text = format!(
                "a grid of {blocks} blocks executes at least {warps} instructions, but the limit is {}",
                self.step_limit
            );
            let error = KernelError::new(FaultKind::StepLimit, text);
            return Err(error.note("if the grid is meant to be that large, raise the limit"));
        }
        if blocks * u128::from(threads) > MAX_THREADS {
            let text = format!(
                "a grid of {blocks} blocks of {threads} threads exceeds the limit of {MAX_THREADS} threads"
            );
            return Err(KernelError::new(FaultKind::Launch, text));
        }
        Ok(())
    }

    fn check_args(&self, program: &Program, memory: &Memory) -> Result<Vec<u64>, KernelError> {
        let launch = |text: String| KernelError::new(FaultKind::Launch, text);
        let params = program.params();
        if params.len() != self.args.len() {
            let wanted: Vec<String> = params.iter().map(|param| param.ty.to_string()).collect();
            let error = launch(format!(
                "`{}` requires {} arguments, but got {}",
                program.name(),
                params.len(),
                self.args.len()
            ));
            return Err(error.note(format!("the parameters are: {}", wanted.join(", "))));
        }
        let mut bits = Vec::new();
        for (index, (param, arg)) in params.iter().zip(&self.args).enumerate() {
            bits.push(match (param.ty, *arg) {
                (ParamTy::Pointer, Arg::Buffer(buffer)) => memory.address(buffer),
                (ParamTy::Pointer, Arg::Within(buffer, offset)) => memory.address(buffer) + offset,
                (ParamTy::Pointer, Arg::Int(0)) => 0,
                (ParamTy::Int(width), Arg::Int(value)) => {
                    let range = integer_range(width);
                    if !range.contains(&value) {
                        let (low, high) = (range.start(), range.end());
                        return Err(launch(format!(
                            "argument {index}: {value} does not fit i{width}: expected {low} to {high}"
                        )));
                    }
                    value as u64 & mask(width)
                }
                (ParamTy::Float(ty), Arg::Float(value)) => ty.from_f64(value),
                (ty, arg) => {
                    let has = match arg {
                        Arg::Buffer(_) | Arg::Within(..) => "a buffer",
                        Arg::Int(_) => "an integer",
                        Arg::Float(_) => "a float",
                    };
                    return Err(launch(format!(
                        "argument {index}: the kernel requires {ty}, but got {has}"
                    )));
                }
            });
        }
        Ok(bits)
    }
}
