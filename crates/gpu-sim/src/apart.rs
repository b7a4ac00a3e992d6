//! Blocks on several cores: each core runs blocks that follow each other on a copy of memory, and the copies are put
//! together where no block has touched what a block of another core wrote.
//!
//! ```text
//! core 0: blocks 0 to 99      memory as it was ─► writes bytes   0 to 399 ─┐
//! core 1: blocks 100 to 199   memory as it was ─► writes bytes 400 to 799 ─┴► memory afterwards
//! ```
//! Blocks are not ordered, so a kernel without races between blocks gives the same bytes, the same report and the same
//! prints as if they ran one after the other. Where it cannot be told that it has none, or where anything goes wrong, all
//! blocks run again in order, which says exactly what goes wrong first.

use super::error::KernelError;
use super::exec::program::Program;
use super::exec::{Exec, Tally};
use super::launch::{Launch, Schedule};
use super::memory::Memory;
use super::report::Report;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Instructions of warps that are left, below which one core has done them before others have begun.
const WORTHWHILE: u64 = if cfg!(test) { 1 } else { 1 << 20 };

/// Called now and then with how many blocks have run.
pub(super) type Watch<'w> = &'w dyn Fn(u64);

/// A program with its arguments and threads.
#[derive(Clone, Copy)]
pub(super) struct Run<'r> {
    pub(super) program: &'r Program,
    pub(super) launch: &'r Launch,
    pub(super) block: [u32; 3],
    pub(super) args: &'r [u64],
}

impl<'r> Run<'r> {
    fn num_blocks(self) -> u64 {
        self.launch.grid.iter().map(|n| u64::from(*n)).product()
    }

    fn begin(self, memory: &'r mut Memory) -> Result<Exec<'r>, KernelError> {
        Exec::new(self.program, self.launch, self.block, self.args, memory)
    }

    /// Runs all blocks in order.
    pub(super) fn in_order(
        self,
        memory: &'r mut Memory,
        watch: Watch<'_>,
    ) -> Result<Report, KernelError> {
        let mut exec = self.begin(memory)?;
        exec.run_blocks(self.num_blocks(), watch)?;
        let tally = exec.tally();
        Ok(tally.report(self.program, self.launch))
    }

    /// Whether blocks may run apart at all: what they do must not depend on what others are doing meanwhile.
    pub(super) fn may_part(self) -> bool {
        self.launch.threads > 1
            && self.num_blocks() >= 4
            && self.launch.schedule == Schedule::Lockstep
            && self.launch.check_global_races
            && !self.program.sees_other_blocks
            && !(self.program.has_atomics && self.program.orders_threads)
            && !self.program.globals.iter().any(|symbol| symbol.writable)
    }

    /// Runs all blocks, on several cores where that pays; `None` where they must run in order from the start, whatever
    /// memory holds now.
    pub(super) fn apart(self, memory: &mut Memory, watch: Watch<'_>) -> Option<Report> {
        let before = memory.clone();
        let total = self.num_blocks();
        let done = AtomicU64::new(0);
        let is_over = AtomicBool::new(false);
        let (mut tally, others) = {
            let mut exec = self.begin(memory).ok()?;
            exec.run_block(0).ok()?;
            // What the first one took is about what each takes.
            if exec.warp_steps().saturating_mul(total - 1) < WORTHWHILE {
                for number in 1..total {
                    exec.run_block(number).ok()?;
                    watch(number + 1);
                }
                return Some(exec.tally().report(self.program, self.launch));
            }
            let cores = u64::from(self.launch.threads).min(total - 1);
            let share =
                |core: u64| 1 + (total - 1) * core / cores..1 + (total - 1) * (core + 1) / cores;
            let others: Vec<(Memory, Option<Tally>)> = thread::scope(|scope| {
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
            (exec.tally(), others)
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

    /// Runs some blocks on memory of their own.
    fn blocks(
        self,
        numbers: Range<u64>,
        memory: &mut Memory,
        done: &AtomicU64,
        is_over: &AtomicBool,
    ) -> Option<Tally> {
        let mut exec = Exec::new(self.program, self.launch, self.block, self.args, memory).ok()?;
        for number in numbers {
            if is_over.load(Ordering::Relaxed) || exec.run_block(number).is_err() {
                is_over.store(true, Ordering::Relaxed);
                return None;
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
        Some(exec.tally())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arg, Launch, Memory, Report, decode_generic};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Runs 37 blocks of 64 threads; `%i` is a thread's number in the grid, `%t` and `%b` in its block and of it.
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
        // All blocks change what the others read.
        let race = check(r#""llvm.store"(%b, %q) : (i32, !llvm.ptr<1>) -> ()"#);
        assert!(race.expect_err("it is a race").contains("data race"));
        // Copies of one value, which are counted.
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
        // The blocks from 30 on store behind the end.
        let far = r#"%seven = "llvm.mlir.constant"() <{value = 79 : i32}> : () -> i32
    %j = "llvm.mul"(%b, %seven) : (i32, i32) -> i32
    %r = "llvm.getelementptr"(%out, %j) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    "llvm.store"(%j, %r) : (i32, !llvm.ptr<1>) -> ()"#;
        let error = check(far).expect_err("it stores too far");
        assert!(error.contains("of block (30, 0, 0)"), "{error}");
    }
}
