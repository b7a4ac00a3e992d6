//! Tests on kernels built by hand, each for one family of instructions or one kind of check.

use super::code::{BlockId, Edge, Reg, Space, Terminator};
use super::exec::program::ProgramBuilder;
use super::exec::{Access, AtomicOperand, BufferAccess, Field, Guard};
use super::ops::address::Scale;
use super::ops::atomic::{Atomic, Combine};
use super::ops::barrier::{Barrier, WarpBarrier};
use super::ops::buffer::{BufferLoad, BufferStore};
use super::ops::compare::{self, IntCompare};
use super::ops::convert::Repack;
use super::ops::integer::{self, Divide, Int, IntBinaryOp};
use super::ops::matrix::{LoadMatrix, StoreMatrix};
use super::ops::memory::{Load, Store};
use super::ops::shuffle::{BFLY, Reduce, Shuffle, Vote, vote};
use super::ops::thread::{Special, SpecialValue};
use super::ops::wave::{Bpermute, MaskCount, WaveSwap};
use super::*;
use gpu_race::{Scope, Sync};
use linear_layout::target::Fragment;

struct Bench {
    b: ProgramBuilder,
    memory: Memory,
    args: Vec<Arg>,
    buffers: Vec<BufferId>,
}

fn field(reg: Reg, bytes: u8) -> Field {
    Field {
        reg,
        offset: 0,
        bytes,
    }
}

impl Bench {
    fn new() -> Self {
        let mut b = ProgramBuilder::new("test");
        let entry = b.block();
        b.switch_to(entry);
        Self {
            b,
            memory: Memory::default(),
            args: Vec::new(),
            buffers: Vec::new(),
        }
    }

    /// Adds a buffer of 32-bit words as a kernel parameter.
    fn buffer(&mut self, words: &[u32]) -> Reg {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let name = format!("buffer{}", self.buffers.len());
        let buffer = self.memory.add(name, bytes);
        self.buffers.push(buffer);
        self.args.push(Arg::Buffer(buffer));
        self.b.param(ParamTy::Pointer)
    }

    fn special(&mut self, value: SpecialValue) -> Reg {
        let dst = self.b.reg();
        self.b.push(Special { dst, value });
        dst
    }

    fn thread(&mut self) -> Reg {
        self.special(|t| t.number)
    }

    fn int(&mut self, op: &'static IntBinaryOp, a: Reg, b: Reg) -> Reg {
        let dst = self.b.reg();
        self.b.push(Int {
            op,
            bits: 32,
            dst,
            a,
            b,
        });
        dst
    }

    fn int_with(&mut self, op: &'static IntBinaryOp, a: Reg, b: u64) -> Reg {
        let b = self.b.constant(b);
        self.int(op, a, b)
    }

    fn less(&mut self, a: Reg, b: u64) -> Reg {
        let (dst, b) = (self.b.reg(), self.b.constant(b));
        self.b.push(IntCompare {
            pred: &compare::ULT,
            bits: 32,
            dst,
            a,
            b,
        });
        dst
    }

    fn at(&mut self, base: Reg, index: Reg) -> Reg {
        let dst = self.b.reg();
        self.b.push(Scale {
            bits: 64,
            dst,
            base,
            index,
            index_bits: 32,
            scale: 4,
        });
        dst
    }

    fn access(&self, space: Space, addr: Reg, reg: Reg) -> Access {
        let fields = Box::new([field(reg, 4)]);
        Access {
            space,
            addr,
            offset: 0,
            fields,
            size: 4,
            align: 4,
            guard: None,
            sync: None,
        }
    }

    fn load(&mut self, space: Space, addr: Reg) -> Reg {
        let dst = self.b.reg();
        let access = self.access(space, addr, dst);
        self.b.push(Load(access));
        dst
    }

    fn store(&mut self, space: Space, addr: Reg, value: Reg) {
        let access = self.access(space, addr, value);
        self.b.push(Store(access));
    }

    /// Stores `value` to the word of `out` at the thread's index.
    fn put(&mut self, out: Reg, value: Reg) {
        let thread = self.thread();
        let addr = self.at(out, thread);
        self.store(Space::Global, addr, value);
    }

    fn edge(&self, target: BlockId, args: &[Reg]) -> Edge {
        Edge {
            target,
            args: args.into(),
        }
    }

    fn run(self, machine: Machine, threads: u32) -> Result<(Vec<u32>, Report), KernelError> {
        self.run_grid(machine, threads, [1, 1, 1])
    }

    fn run_grid(
        mut self,
        machine: Machine,
        threads: u32,
        grid: [u32; 3],
    ) -> Result<(Vec<u32>, Report), KernelError> {
        self.b.terminate(Terminator::Return);
        let program = self.b.finish()?;
        let launch = Launch::new(machine)
            .block([threads, 1, 1])
            .grid(grid)
            .args(self.args);
        let report = launch.run(&program, &mut self.memory)?;
        let bytes = self.memory.bytes(self.buffers[0]);
        let words = bytes
            .chunks_exact(4)
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        Ok((words.collect(), report))
    }
}

#[track_caller]
fn check_fault(bench: Bench, machine: Machine, threads: u32, kind: FaultKind, message: &str) {
    let error = bench.run(machine, threads).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn lanes_part_and_meet_again() {
    // Odd lanes add 100, even lanes add 200, then all lanes add 1. The results pass through block parameters.
    let mut t = Bench::new();
    let out = t.buffer(&[0; 32]);
    let thread = t.thread();
    let odd = t.int_with(&integer::AND, thread, 1);
    let [yes, no, end] = [t.b.block(), t.b.block(), t.b.block()];
    let sum = t.b.block_param(end);
    let (then, other) = (t.edge(yes, &[]), t.edge(no, &[]));
    t.b.terminate(Terminator::CondBranch {
        cond: odd,
        then,
        other,
    });
    for (block, amount) in [(yes, 100), (no, 200)] {
        t.b.switch_to(block);
        let value = t.int_with(&integer::ADD, thread, amount);
        let edge = t.edge(end, &[value]);
        t.b.terminate(Terminator::Branch(edge));
    }
    t.b.switch_to(end);
    t.b.push(Barrier { releases: false });
    let value = t.int_with(&integer::ADD, sum, 1);
    t.put(out, value);
    let (words, _) = t.run(Machine::nvidia(), 32).unwrap();
    assert_eq!(words[4], 205);
    assert_eq!(words[5], 106);
}

#[test]
fn loops_run_as_long_as_each_lane_needs() {
    // out[t] = 0 + 1 + ... + t-1, by a loop with a divergent trip count.
    let mut t = Bench::new();
    let out = t.buffer(&[0; 64]);
    let thread = t.thread();
    let zero = t.b.constant(0);
    let [head, body, end] = [t.b.block(), t.b.block(), t.b.block()];
    let [i, sum] = [t.b.block_param(head), t.b.block_param(head)];
    let edge = t.edge(head, &[zero, zero]);
    t.b.terminate(Terminator::Branch(edge));
    t.b.switch_to(head);
    let more = t.b.reg();
    t.b.push(IntCompare {
        pred: &compare::SLT,
        bits: 32,
        dst: more,
        a: i,
        b: thread,
    });
    let (then, other) = (t.edge(body, &[]), t.edge(end, &[]));
    t.b.terminate(Terminator::CondBranch {
        cond: more,
        then,
        other,
    });
    t.b.switch_to(body);
    let next_sum = t.int(&integer::ADD, sum, i);
    let next = t.int_with(&integer::ADD, i, 1);
    let edge = t.edge(head, &[next, next_sum]);
    t.b.terminate(Terminator::Branch(edge));
    t.b.switch_to(end);
    t.put(out, sum);
    let (words, _) = t.run(Machine::nvidia(), 64).unwrap();
    let expect: Vec<u32> = (0..64).map(|n: u32| n * n.saturating_sub(1) / 2).collect();
    assert_eq!(words, expect);
}

#[test]
fn block_parameters_swap_at_once() {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 32]);
    let thread = t.thread();
    let (one, two, zero) = (t.b.constant(1), t.b.constant(2), t.b.constant(0));
    let [head, end] = [t.b.block(), t.b.block()];
    let [a, b, n] = [
        t.b.block_param(head),
        t.b.block_param(head),
        t.b.block_param(head),
    ];
    let edge = t.edge(head, &[one, two, zero]);
    t.b.terminate(Terminator::Branch(edge));
    t.b.switch_to(head);
    let next = t.int_with(&integer::ADD, n, 1);
    let more = t.less(next, 4);
    let (then, other) = (t.edge(head, &[b, a, next]), t.edge(end, &[]));
    t.b.terminate(Terminator::CondBranch {
        cond: more,
        then,
        other,
    });
    t.b.switch_to(end);
    let shifted = t.int_with(&integer::MUL, a, 10);
    let both = t.int(&integer::ADD, shifted, b);
    let _ = thread;
    t.put(out, both);
    let (words, _) = t.run(Machine::nvidia(), 32).unwrap();
    assert_eq!(words[7], 21);
}

#[test]
fn a_switch_sends_each_lane_its_way_and_returned_lanes_stay_away() {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 32]);
    let thread = t.thread();
    let kind = t.int_with(&integer::AND, thread, 3);
    let [a, b, gone, end] = [t.b.block(), t.b.block(), t.b.block(), t.b.block()];
    let value = t.b.block_param(end);
    let cases = [(0, a), (1, b), (2, gone)].map(|(v, block)| (v, t.edge(block, &[])));
    let default = t.edge(end, &[kind]);
    t.b.terminate(Terminator::Switch {
        value: kind,
        cases: Box::new(cases),
        default,
    });
    for (block, amount) in [(a, 10), (b, 20)] {
        t.b.switch_to(block);
        let amount = t.b.constant(amount);
        let edge = t.edge(end, &[amount]);
        t.b.terminate(Terminator::Branch(edge));
    }
    t.b.switch_to(gone);
    t.b.terminate(Terminator::Return);
    t.b.switch_to(end);
    t.b.push(Barrier { releases: false });
    t.put(out, value);
    let (words, _) = t.run(Machine::nvidia(), 32).unwrap();
    assert_eq!(words[..8], [10, 20, 0, 3, 10, 20, 0, 3]);
}

/// Returns a kernel in which each thread writes its index to its own word of shared memory and then reads the word
/// at its index XOR `distance`. Between the write and the read, the kernel has the synchronisation that `sync`
/// emits, if any.
fn exchange(distance: u64, sync: Option<fn(&mut Bench)>) -> Bench {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 64]);
    let base = t.b.shared_symbol("smem", Some(256));
    let base = t.b.constant(base.into());
    let thread = t.thread();
    let mine = t.b.reg();
    t.b.push(Scale {
        bits: 32,
        dst: mine,
        base,
        index: thread,
        index_bits: 32,
        scale: 4,
    });
    t.store(Space::Shared, mine, thread);
    if let Some(sync) = sync {
        sync(&mut t);
    }
    let other = t.int_with(&integer::XOR, thread, distance);
    let theirs = t.b.reg();
    t.b.push(Scale {
        bits: 32,
        dst: theirs,
        base,
        index: other,
        index_bits: 32,
        scale: 4,
    });
    let value = t.load(Space::Shared, theirs);
    t.put(out, value);
    t
}

#[test]
fn a_barrier_orders_shared_memory() {
    let (words, report) = exchange(33, Some(|t| t.b.push(Barrier { releases: false })))
        .run(Machine::nvidia(), 64)
        .unwrap();
    assert_eq!(words[..3], [33, 32, 35]);
    assert_eq!(report.barriers, 1);
    assert_eq!(report.bank_conflicts(), 0);
    assert_eq!(report.shared.len(), 2);
    assert_eq!(report.shared[0].label, "st.shared b32");
    assert_eq!(report.shared[0].accesses, 2);
}

#[test]
fn without_a_barrier_it_is_a_race() {
    check_fault(
        exchange(1, None),
        Machine::nvidia(),
        64,
        FaultKind::Race,
        "data race: no barrier between the load from byte 4 of `smem` and the store by lane 1 of warp 0",
    );
    let warp_barrier = |t: &mut Bench| {
        let mask = t.b.constant(0xffff_ffff);
        t.b.push(WarpBarrier { mask });
    };
    assert!(
        exchange(1, Some(warp_barrier))
            .run(Machine::nvidia(), 64)
            .is_ok()
    );
    let crossing = exchange(33, Some(warp_barrier));
    check_fault(crossing, Machine::nvidia(), 64, FaultKind::Race, "warp 1");
    // Waves of 64 lanes run in lockstep; two waves do not.
    assert!(exchange(33, None).run(Machine::amd(64), 64).is_ok());
    check_fault(
        exchange(33, None),
        Machine::amd(32),
        64,
        FaultKind::Race,
        "warp 1",
    );
}

#[test]
fn stores_of_one_value_are_counted_and_of_two_are_a_race() {
    let build = |same: bool| {
        let mut t = Bench::new();
        let out = t.buffer(&[0; 4]);
        let thread = t.thread();
        let value = if same { t.b.constant(7) } else { thread };
        t.store(Space::Global, out, value);
        t
    };
    let (words, report) = build(true).run(Machine::nvidia(), 32).unwrap();
    assert_eq!((words[0], report.redundant_bytes), (7, 31 * 4));
    check_fault(
        build(false),
        Machine::nvidia(),
        32,
        FaultKind::Race,
        "data race: no barrier between the store to byte",
    );
    // Blocks are never ordered.
    let mut t = Bench::new();
    let out = t.buffer(&[0; 4]);
    let block = t.special(|t| t.block[0]);
    t.store(Space::Global, out, block);
    let error = t.run_grid(Machine::nvidia(), 1, [2, 1, 1]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("and the store by lane 0 of warp 0 in block (0, 0, 0)"),
        "{error}"
    );
}

#[test]
fn bad_accesses_are_named() {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 16]);
    t.b.at(Site {
        text: "llvm.store %1, %2".into(),
        location: "k.mlir:3:4".into(),
        calls: std::sync::Arc::new([]),
    });
    let thread = t.thread();
    t.put(out, thread);
    let error = t.run(Machine::nvidia(), 32).unwrap_err();
    assert_eq!(
        error.to_string(),
        "out-of-bounds global store of 4 bytes: byte 64 of `buffer0`, which has 64 bytes\n  \
         in `llvm.store %1, %2` at k.mlir:3:4\n  by lane 16 of warp 0 in block (0, 0, 0)"
    );

    let mut t = Bench::new();
    let out = t.buffer(&[0; 16]);
    let minus = t.b.constant(0xffff_ffff);
    let before = t.at(out, minus);
    t.load(Space::Global, before);
    check_fault(
        t,
        Machine::nvidia(),
        1,
        FaultKind::OutOfBounds,
        "byte -4 of `buffer0`",
    );

    let mut t = Bench::new();
    let out = t.buffer(&[0; 16]);
    let two = t.b.constant(2);
    let odd = t.b.reg();
    t.b.push(Int {
        op: &integer::ADD,
        bits: 64,
        dst: odd,
        a: out,
        b: two,
    });
    t.load(Space::Global, odd);
    check_fault(
        t,
        Machine::nvidia(),
        1,
        FaultKind::Misaligned,
        "is not a multiple of 4",
    );

    let mut t = Bench::new();
    t.buffer(&[0; 1]);
    let base = t.b.shared_symbol("smem", None);
    let base = t.b.constant(base.into());
    t.load(Space::Shared, base);
    check_fault(
        t,
        Machine::nvidia(),
        1,
        FaultKind::OutOfBounds,
        "`smem`, which has 0 bytes",
    );

    let mut t = Bench::new();
    t.buffer(&[0; 1]);
    let base = t.b.shared_symbol("smem", Some(4));
    let base = t.b.constant(base.into());
    t.load(Space::Shared, base);
    check_fault(
        t,
        Machine::nvidia(),
        1,
        FaultKind::Uninitialised,
        "byte 0 of `smem`",
    );

    let mut t = Bench::new();
    t.buffer(&[0; 1]);
    let nowhere = t.b.constant(8);
    t.load(Space::Global, nowhere);
    check_fault(
        t,
        Machine::nvidia(),
        1,
        FaultKind::OutOfBounds,
        "0x8 is outside of all buffers",
    );
}

#[test]
fn shared_memory_is_fresh_in_each_block() {
    let mut t = Bench::new();
    t.buffer(&[0; 1]);
    let base = t.b.shared_symbol("smem", Some(4));
    let base = t.b.constant(base.into());
    let block = t.special(|t| t.block[0]);
    let [write, read] = [t.b.block(), t.b.block()];
    let first = t.less(block, 1);
    let (then, other) = (t.edge(write, &[]), t.edge(read, &[]));
    t.b.terminate(Terminator::CondBranch {
        cond: first,
        then,
        other,
    });
    t.b.switch_to(write);
    t.store(Space::Shared, base, block);
    let edge = t.edge(read, &[]);
    t.b.terminate(Terminator::Branch(edge));
    t.b.switch_to(read);
    t.load(Space::Shared, base);
    let error = t.run_grid(Machine::nvidia(), 1, [2, 1, 1]).unwrap_err();
    assert_eq!(error.kind(), FaultKind::Uninitialised);
    assert_eq!(error.thread().unwrap().block, [1, 0, 0]);
}

#[test]
fn bank_conflicts_are_counted_per_access() {
    let build = |stride: i64| {
        let mut t = Bench::new();
        t.buffer(&[0; 1]);
        let base = t.b.shared_symbol("smem", Some(4096));
        let base = t.b.constant(base.into());
        let thread = t.thread();
        let addr = t.b.reg();
        t.b.push(Scale {
            bits: 32,
            dst: addr,
            base,
            index: thread,
            index_bits: 32,
            scale: stride,
        });
        t.store(Space::Shared, addr, thread);
        t.run(Machine::nvidia(), 32).unwrap().1.bank_conflicts()
    };
    assert_eq!([4, 8, 16, 128, 132].map(build), [0, 1, 3, 31, 0]);
}

#[test]
fn vector_accesses_are_counted_by_width() {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 128]);
    let thread = t.thread();
    let addr = t.b.reg();
    t.b.push(Scale {
        bits: 64,
        dst: addr,
        base: out,
        index: thread,
        index_bits: 32,
        scale: 16,
    });
    let regs = [thread; 4];
    let fields: Vec<Field> = regs
        .iter()
        .zip(0..)
        .map(|(&reg, i)| Field {
            reg,
            offset: 4 * i,
            bytes: 4,
        })
        .collect();
    let guard = Some(Guard {
        reg: t.less(thread, 8),
        negated: false,
    });
    let fields = fields.into_boxed_slice();
    let access = Access {
        space: Space::Global,
        addr,
        offset: 0,
        fields,
        size: 16,
        align: 16,
        guard,
        sync: None,
    };
    t.b.push(Store(access));
    let (words, report) = t.run(Machine::nvidia(), 32).unwrap();
    assert_eq!(words[28..36], [7, 7, 7, 7, 0, 0, 0, 0]);
    let used = report.global["st.global v4.b32"];
    assert_eq!((used.instructions, used.accesses, used.sectors), (1, 1, 4));
}

#[test]
fn barriers_and_shuffles_in_divergent_code_are_errors() {
    let build = |op: fn(&mut Bench)| {
        let mut t = Bench::new();
        t.buffer(&[0; 32]);
        let thread = t.thread();
        let cond = t.less(thread, 5);
        let [inner, end] = [t.b.block(), t.b.block()];
        let (then, other) = (t.edge(inner, &[]), t.edge(end, &[]));
        t.b.terminate(Terminator::CondBranch { cond, then, other });
        t.b.switch_to(inner);
        op(&mut t);
        let edge = t.edge(end, &[]);
        t.b.terminate(Terminator::Branch(edge));
        t.b.switch_to(end);
        t
    };
    let barrier = build(|t| t.b.push(Barrier { releases: false }));
    check_fault(
        barrier,
        Machine::nvidia(),
        32,
        FaultKind::Divergence,
        "5 of 32 threads reach the barrier",
    );
    let shuffle = |t: &mut Bench| {
        let [mask, offset, clamp] = [0xffff_ffff, 1, 0x1f].map(|bits| t.b.constant(bits));
        let (src, dst) = (t.b.constant(1), t.b.reg());
        t.b.push(Shuffle {
            kind: &BFLY,
            dst,
            valid: None,
            mask,
            src,
            offset,
            clamp,
        });
    };
    check_fault(
        build(shuffle),
        Machine::nvidia(),
        32,
        FaultKind::Divergence,
        "lane 5 of the member mask",
    );
    // Both lanes of an exchange must take part; a divergent lane is reported.
    let mut t = Bench::new();
    t.buffer(&[0; 32]);
    let [mask, offset, clamp] = [0x3f, 1, 0x1f].map(|bits| t.b.constant(bits));
    let (src, dst) = (t.b.constant(1), t.b.reg());
    t.b.push(Shuffle {
        kind: &BFLY,
        dst,
        valid: None,
        mask,
        src,
        offset,
        clamp,
    });
    check_fault(
        t,
        Machine::nvidia(),
        32,
        FaultKind::Divergence,
        "which is not in the member mask 0x0000003f",
    );
}

#[test]
fn shuffles_votes_and_wave_operations_move_values() {
    let run = |machine: Machine, op: &dyn Fn(&mut Bench, Reg, Reg)| {
        let mut t = Bench::new();
        let out = t.buffer(&[0; 64]);
        let (src, dst) = (t.thread(), t.b.reg());
        op(&mut t, src, dst);
        t.put(out, dst);
        t.run(machine, 64).unwrap().0
    };
    let nvidia = Machine::nvidia();
    let bfly = run(nvidia, &|t, src, dst| {
        let [mask, offset, clamp] = [0xffff_ffff, 5, 0x1f].map(|bits| t.b.constant(bits));
        t.b.push(Shuffle {
            kind: &BFLY,
            dst,
            valid: None,
            mask,
            src,
            offset,
            clamp,
        });
    });
    assert_eq!(bfly[33], 36);
    let ballot = run(nvidia, &|t, src, dst| {
        let mask = Some(t.b.constant(0xffff_ffff));
        t.b.push(Vote {
            answer: vote("ballot").unwrap(),
            dst,
            mask,
            src,
        });
    });
    assert_eq!(ballot[3], 0xaaaa_aaaa);
    for (kind, of_none, of_some, of_all) in [("any", 0, 1, 1), ("all", 0, 0, 1), ("uni", 1, 0, 1)] {
        let vote = |set: u64, kept: u64| {
            run(nvidia, &|t, src, dst| {
                let kept = t.int_with(&integer::AND, src, kept);
                let src = t.int_with(&integer::OR, kept, set);
                let mask = Some(t.b.constant(0xffff_ffff));
                t.b.push(Vote {
                    answer: vote(kind).unwrap(),
                    dst,
                    mask,
                    src,
                });
            })[3]
        };
        assert_eq!(
            (vote(0, 0), vote(0, 1), vote(1, 0)),
            (of_none, of_some, of_all)
        );
    }
    let sum = run(nvidia, &|t, src, dst| {
        let mask = t.b.constant(0xffff_ffff);
        t.b.push(Reduce {
            op: Combine::Bits(integer::ADD.eval),
            dst,
            mask,
            src,
        });
    });
    assert_eq!((sum[3], sum[40]), (496, 496 + 32 * 32));
    let amd = Machine::amd(64);
    let pull = run(amd, &|t, src, dst| {
        let index = t.int_with(&integer::XOR, src, 63);
        let index = t.int_with(&integer::SHL, index, 2);
        t.b.push(Bpermute { dst, index, src });
    });
    assert_eq!(pull[3], 60);
    let swap = run(amd, &|t, src, dst| {
        let b = t.int_with(&integer::ADD, src, 100);
        let second = t.b.reg();
        t.b.push(WaveSwap {
            rows: 32,
            dst: [dst, second],
            a: src,
            b,
        });
    });
    assert_eq!((swap[5], swap[37]), (5, 105));
    let count = run(amd, &|t, src, dst| {
        let (mask, base) = (t.b.constant(0xffff_ffff), t.b.constant(0));
        let _ = src;
        t.b.push(MaskCount {
            high: false,
            dst,
            mask,
            base,
        });
    });
    assert_eq!((count[5], count[40]), (5, 32));
}

#[test]
fn repacking_keeps_bits_in_order() {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 32]);
    let parts = [0x1111, 0x2222, 0x3333, 0x4444].map(|bits| t.b.constant(bits));
    let dst = t.b.regs(2);
    let (high, dst) = (dst[1], dst.into_boxed_slice());
    t.b.push(Repack {
        dst,
        dst_bits: 32,
        src: Box::new(parts),
        src_bits: 16,
    });
    t.put(out, high);
    assert_eq!(t.run(Machine::nvidia(), 32).unwrap().0[0], 0x4444_3333);
}

#[test]
fn buffer_descriptors_drop_what_lies_outside() {
    let mut t = Bench::new();
    let out = t.buffer(&[9; 8]);
    let thread = t.thread();
    let [zero, records] = [t.b.constant(0), t.b.constant(16)];
    let offset = t.int_with(&integer::SHL, thread, 2);
    let access = |reg| BufferAccess {
        rsrc: [out, zero, records, zero],
        offset,
        soffset: zero,
        fields: Box::new([field(reg, 4)]),
        size: 4,
    };
    t.b.push(BufferStore(access(thread)));
    let value = t.b.reg();
    t.b.push(BufferLoad(access(value)));
    let (words, report) = t.run(Machine::amd(64), 64).unwrap();
    assert_eq!(words, [0, 1, 2, 3, 9, 9, 9, 9]);
    assert!(report.global.contains_key("buffer_store_dword"));
}

#[test]
fn atomics_add_up() {
    let mut t = Bench::new();
    let out = t.buffer(&[0; 1]);
    let (dst, value) = (t.b.reg(), t.thread());
    t.b.push(Atomic {
        combine: Combine::Bits(integer::ADD.eval),
        float: None,
        dst,
        place: AtomicOperand {
            space: Space::Global,
            addr: out,
            offset: 0,
            bits: 32,
            guard: None,
            sync: Sync::relaxed(Scope::Device),
        },
        value,
    });
    assert_eq!(
        t.run_grid(Machine::nvidia(), 64, [2, 1, 1]).unwrap().0[0],
        2 * 2016
    );
}

#[test]
fn matrix_loads_give_each_lane_its_pair() {
    // A matrix stored word by word or by `stmatrix` is loaded the same.
    let fragment = |transposed: bool| match transposed {
        true => Fragment::Transposed,
        false => Fragment::Plain,
    };
    let build = |stored: Option<bool>, transposed: bool| {
        let mut t = Bench::new();
        let out = t.buffer(&[0; 32]);
        let base = t.b.shared_symbol("smem", Some(128));
        let base = t.b.constant(base.into());
        let thread = t.thread();
        // Element (r, c) holds 8 r + c. Each lane writes two elements.
        let low = t.int_with(&integer::SHL, thread, 1);
        let high = t.int_with(&integer::ADD, low, 1);
        let high = t.int_with(&integer::SHL, high, 16);
        let pair = t.int(&integer::OR, low, high);
        let addr = t.b.reg();
        t.b.push(Scale {
            bits: 32,
            dst: addr,
            base,
            index: thread,
            index_bits: 32,
            scale: 4,
        });
        let row = t.int_with(&integer::AND, thread, 7);
        let from = t.b.reg();
        t.b.push(Scale {
            bits: 32,
            dst: from,
            base,
            index: row,
            index_bits: 32,
            scale: 16,
        });
        match stored {
            None => t.store(Space::Shared, addr, pair),
            Some(transposed) => t.b.push(StoreMatrix {
                src: Box::new([pair]),
                addr: from,
                fragment: fragment(transposed),
            }),
        }
        t.b.push(Barrier { releases: false });
        let dst = t.b.reg();
        t.b.push(LoadMatrix {
            dst: Box::new([dst]),
            bytes: 4,
            addr: from,
            fragment: fragment(transposed),
        });
        t.put(out, dst);
        t.run(Machine::nvidia(), 32).unwrap().0
    };
    assert_eq!(build(None, false)[5], (8 + 2) | ((8 + 3) << 16));
    assert_eq!(build(None, true)[5], (16 + 1) | ((24 + 1) << 16));
    for transposed in [false, true] {
        assert_eq!(build(Some(false), transposed), build(None, transposed));
        // Transposing twice is the identity.
        assert_eq!(build(Some(transposed), transposed), build(None, false));
    }
}

#[test]
fn divisions_and_endless_loops_stop() {
    let mut t = Bench::new();
    t.buffer(&[0; 1]);
    let thread = t.thread();
    let (nine, dst) = (t.b.constant(9), t.b.reg());
    t.b.push(Divide {
        op: &integer::UDIV,
        bits: 32,
        dst,
        a: nine,
        b: thread,
    });
    check_fault(t, Machine::nvidia(), 4, FaultKind::Division, "9 by zero");

    let mut t = Bench::new();
    t.buffer(&[0; 1]);
    let spin = t.b.block();
    let edge = t.edge(spin, &[]);
    t.b.terminate(Terminator::Branch(edge.clone()));
    t.b.switch_to(spin);
    t.b.terminate(Terminator::Branch(edge));
    let program = t.b.finish().unwrap();
    let launch = Launch::new(Machine::nvidia())
        .block([1, 1, 1])
        .args(t.args)
        .step_limit(1000);
    let error = launch.run(&program, &mut t.memory).unwrap_err();
    assert_eq!(error.kind(), FaultKind::StepLimit);
}

#[test]
fn a_barrier_is_a_step_like_any_other() {
    let least = |barriers: usize| {
        let runs = |limit: &u64| {
            let mut t = Bench::new();
            (0..barriers).for_each(|_| t.b.push(Barrier { releases: false }));
            t.b.terminate(Terminator::Return);
            let program = t.b.finish().unwrap();
            let launch = Launch::new(Machine::nvidia()).block([64, 1, 1]);
            let launch = launch.step_limit(*limit);
            launch.run(&program, &mut t.memory).is_ok()
        };
        (0..1000).find(runs).unwrap()
    };
    let steps: Vec<u64> = (0..8).map(least).collect();
    let more: Vec<u64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(more, [more[0]; 7], "{steps:?}");
}

#[test]
fn a_launch_must_fit_the_kernel() {
    let mut t = Bench::new();
    t.b.param(ParamTy::Int(8));
    t.b.terminate(Terminator::Return);
    let program = t.b.finish().unwrap();
    let check = |launch: Launch, expect: &str| {
        let error = launch.run(&program, &mut Memory::default()).unwrap_err();
        assert_eq!(error.kind(), FaultKind::Launch);
        assert_eq!(error.message(), expect);
    };
    let launch = || Launch::new(Machine::nvidia()).block([32, 1, 1]);
    check(launch(), "`test` requires 1 arguments, but got 0");
    check(
        launch().args([Arg::Int(256)]),
        "argument 0: 256 does not fit i8: expected -128 to 255",
    );
    check(
        launch().args([Arg::Float(1.0)]),
        "argument 0: the kernel requires i8, but got a float",
    );
    check(
        Launch::new(Machine::nvidia()).args([Arg::Int(1)]),
        "the kernel does not specify a block size",
    );
    check(
        Launch::new(Machine::nvidia())
            .block([2048, 1, 1])
            .args([Arg::Int(-1)]),
        "block of [2048, 1, 1] threads; expected 1 to 1024 threads",
    );
}
