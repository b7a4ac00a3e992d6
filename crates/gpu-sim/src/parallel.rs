//! Parallel simulation: ranges of thread blocks run on several host cores.
//!
//! Each core runs consecutive thread blocks on its own copy of memory. Two copies can be merged if no block accessed a
//! byte that a block on another core wrote.
//!
//! ```text
//! core 0: blocks 0 to 99      memory as it was ─► writes bytes   0 to 399 ─┐
//! core 1: blocks 100 to 199   memory as it was ─► writes bytes 400 to 799 ─┴► memory afterwards
//! ```
//! Without races between blocks, a parallel run gives the same bytes, report and output as a sequential run. If the
//! merge fails or a block faults, all blocks run again sequentially, which reports the first fault exactly.

use super::error::KernelError;
use super::exec::program::Program;
use super::exec::{BlockCounts, Exec};
use super::launch::{Launch, Schedule};
use super::memory::Memory;
use super::report::Report;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Minimum cost of a parallel run, in warp instructions. The cost is the expected number of warp instructions of
/// all thread blocks except the first. If it is lower than this minimum, all thread blocks run on a single host
/// thread.
const MIN_PARALLEL_STEPS: u64 = if cfg!(test) { 1 } else { 1 << 20 };

pub(super) type ProgressFn<'w> = &'w dyn Fn(u64);

#[derive(Clone, Copy)]
pub(super) struct GridRun<'r> {
    pub(super) program: &'r Program,
    pub(super) launch: &'r Launch,
    pub(super) block: [u32; 3],
    pub(super) args: &'r [u64],
}

impl<'r> GridRun<'r> {
    fn num_blocks(self) -> u64 {
        self.launch.grid.iter().map(|n| u64::from(*n)).product()
    }

    fn begin(self, memory: &'r mut Memory) -> Result<Exec<'r>, KernelError> {
        Exec::new(self.program, self.launch, self.block, self.args, memory)
    }

    pub(super) fn in_order(
        self,
        memory: &'r mut Memory,
        watch: ProgressFn<'_>,
    ) -> Result<Report, KernelError> {
        let mut exec = self.begin(memory)?;
        exec.run_blocks(self.num_blocks(), watch)?;
        let tally = exec.counts();
        Ok(tally.report(self.program, self.launch))
    }

    /// Returns true if the thread blocks may run on several host threads. This requires at least four thread
    /// blocks, a launch whose options allow it, and a program in which no thread block can observe another one that
    /// runs at the same time.
    pub(super) fn may_run_in_parallel(self) -> bool {
        self.launch.threads > 1
            && self.num_blocks() >= 4
            && self.launch.schedule == Schedule::Lockstep
            && self.launch.check_global_races
            && self.program.cluster() == [1; 3]
            && !self.program.sees_other_blocks
            && !(self.program.has_atomics && self.program.orders_threads)
            && !self.program.globals.iter().any(|symbol| symbol.writable)
    }

    /// Runs all thread blocks. If the estimated cost of the thread blocks is high enough, they run on several host
    /// threads. Returns `None` if a thread block fails, if thread blocks on different host threads access the same
    /// bytes, or if the run exceeds the step limit. The caller must then restore memory and run all thread blocks
    /// sequentially.
    pub(super) fn in_parallel(self, memory: &mut Memory, watch: ProgressFn<'_>) -> Option<Report> {
        let before = memory.clone();
        let total = self.num_blocks();
        let done = AtomicU64::new(0);
        let is_over = AtomicBool::new(false);
        let (mut tally, others) = {
            let mut exec = self.begin(memory).ok()?;
            exec.run_block(0).ok()?;
            // The cost of the first block estimates the cost of the other blocks.
            if exec.warp_steps().saturating_mul(total - 1) < MIN_PARALLEL_STEPS {
                for number in 1..total {
                    exec.run_block(number).ok()?;
                    watch(number + 1);
                }
                return Some(exec.counts().report(self.program, self.launch));
            }
            let cores = u64::from(self.launch.threads).min(total - 1);
            let share =
                |core: u64| 1 + (total - 1) * core / cores..1 + (total - 1) * (core + 1) / cores;
            let others: Vec<(Memory, Option<BlockCounts>)> = thread::scope(|scope| {
                let workers: Vec<_> = (1..cores)
                    .map(|core| {
                        let mut own = before.clone();
                        let (done, is_over) = (&done, &is_over);
                        scope.spawn(move || {
                            let tally = self.blocks(share(core), &mut own, done, is_over);
                            (own, tally)
                        })
                    })
                    .collect();
                for number in share(0) {
                    if is_over.load(Ordering::Relaxed) || exec.run_block(number).is_err() {
                        is_over.store(true, Ordering::Relaxed);
                        break;
                    }
                    watch(number + 1 + done.load(Ordering::Relaxed));
                }
                workers
                    .into_iter()
                    .filter_map(|worker| worker.join().ok())
                    .collect()
            });
            if others.len() as u64 + 1 != cores {
                return None;
            }
            (exec.counts(), others)
        };
        for (theirs, found) in others {
            tally.add(&found?);
            if !memory.merge(&theirs) {
                return None;
            }
        }
        let is_right =
            !is_over.load(Ordering::Relaxed) && tally.warp_steps() <= self.launch.step_limit;
        is_right.then(|| tally.report(self.program, self.launch))
    }

    /// Runs the thread blocks whose indices are in `numbers` on one host thread. `memory` is the copy of memory
    /// that this host thread uses. Returns `None` if one of these thread blocks fails, or if the flag `is_over`
    /// reports that a thread block on another host thread has failed.
    fn blocks(
        self,
        numbers: Range<u64>,
        memory: &mut Memory,
        done: &AtomicU64,
        is_over: &AtomicBool,
    ) -> Option<BlockCounts> {
        let mut exec = Exec::new(self.program, self.launch, self.block, self.args, memory).ok()?;
        for number in numbers {
            if is_over.load(Ordering::Relaxed) || exec.run_block(number).is_err() {
                is_over.store(true, Ordering::Relaxed);
                return None;
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
        Some(exec.counts())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arg, Launch, Memory, Report, decode_generic};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Runs `operations` in a grid of 37 blocks of 64 threads, simulated on `threads` host threads. `%i` is the
    /// index of the thread in the grid, `%t` is its index in the block, and `%b` is the block index.
    fn run(threads: u32, operations: &str) -> Result<(Vec<u8>, Report), String> {
        let text = format!(
            r#""builtin.module"() ({{
  "llvm.func"() <{{sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>):
    %t = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %b = "nvvm.read.ptx.sreg.ctaid.x"() : () -> i32
    %n = "llvm.mlir.constant"() <{{value = 64 : i32}}> : () -> i32
    %first = "llvm.mul"(%b, %n) : (i32, i32) -> i32
    %i = "llvm.add"(%first, %t) : (i32, i32) -> i32
    %p = "llvm.getelementptr"(%out, %i) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    %q = "llvm.getelementptr"(%in, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    %x = "llvm.load"(%q) : (!llvm.ptr<1>) -> i32
    {operations}
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: 64>}} : () -> ()
}}) : () -> ()"#
        );
        let decoded = decode_generic(&text, None).expect("it is a kernel");
        let mut memory = Memory::default();
        let out = memory.add("out", vec![0; 37 * 64 * 4]);
        let input = memory.add("in", (0..=255).collect());
        let blocks = AtomicU64::new(0);
        let report = Launch::new(decoded.machine)
            .grid([37, 1, 1])
            .threads(threads)
            .args([Arg::Buffer(out), Arg::Buffer(input)])
            .run_watched(&decoded.program, &mut memory, &|done| {
                blocks.fetch_max(done, Ordering::Relaxed);
            })
            .map_err(|error| error.to_string())?;
        assert!((1..=37).contains(&blocks.load(Ordering::Relaxed)));
        let both = [memory.bytes(out), memory.bytes(input)].concat();
        Ok((both, report))
    }

    #[track_caller]
    fn check(operations: &str) -> Result<(Vec<u8>, Report), String> {
        let alone = run(1, operations);
        for threads in [2, 5, 64] {
            assert_eq!(run(threads, operations), alone, "{threads} cores");
        }
        alone
    }

    #[test]
    fn blocks_on_several_cores_say_what_they_say_in_order() {
        let add = r#"%y = "llvm.add"(%x, %b) : (i32, i32) -> i32
    "llvm.store"(%y, %p) : (i32, !llvm.ptr<1>) -> ()"#;
        let (bytes, report) = check(add).expect("it runs");
        assert_eq!(report.blocks, 37);
        // The last thread of the last block: 0xfffefdfc and 36.
        assert_eq!(bytes[37 * 256 - 4..37 * 256], [0x20, 0xfe, 0xfe, 0xff]);
    }

    #[test]
    fn blocks_that_meet_run_in_order() {
        // Each block writes words that other blocks read.
        let race = check(r#""llvm.store"(%b, %q) : (i32, !llvm.ptr<1>) -> ()"#);
        assert!(race.expect_err("it is a race").contains("data race"));
        // Stores of equal values are allowed and counted.
        let copies = check(r#""llvm.store"(%n, %out) : (i32, !llvm.ptr<1>) -> ()"#);
        assert_eq!(
            copies.expect("it runs").1.redundant_bytes,
            4 * (37 * 64 - 1)
        );
        let count = r#"%old = "llvm.atomicrmw"(%out, %n) <{bin_op = 1 : i64, ordering = 2 : i64}> : (!llvm.ptr<1>, i32) -> i32"#;
        let (bytes, _) = check(count).expect("it runs");
        assert_eq!(bytes[..4], (37 * 64 * 64u32).to_le_bytes());
    }

    #[test]
    fn the_first_mistake_is_the_one_in_order() {
        // The blocks from 30 on store past the end.
        let far = r#"%seven = "llvm.mlir.constant"() <{value = 79 : i32}> : () -> i32
    %j = "llvm.mul"(%b, %seven) : (i32, i32) -> i32
    %r = "llvm.getelementptr"(%out, %j) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    "llvm.store"(%j, %r) : (i32, !llvm.ptr<1>) -> ()"#;
        let error = check(far).expect_err("it stores too far");
        assert!(error.contains("in block (30, 0, 0)"), "{error}");
    }
}
