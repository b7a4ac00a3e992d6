//! Mutation testing of asynchronous accesses, in the simulator and in the lowering.
//!
//! Kernels that Triton pipelined are broken at one place at a time: in lowered form ([`lowered`]), as by a wrong
//! lowering, and in TTGIR ([`ttgir`]), as by a wrong pipeline pass. A change is found *statically* if the lowering
//! refuses the kernel; else by the *simulator* if it reports an error or a buffer differs from the unbroken kernel's,
//! whose result `pipelined` compares with plain Rust. It is *equivalent* by a rule ([`EquivalenceRule`]), and *missed*
//! otherwise. The test runs a sample; `LL_SCORES=1 cargo test --test rust late_kernels` runs everything and writes the
//! end of `tools/docs/broken-kernels.md`.

#![expect(
    clippy::print_stdout,
    reason = "missed mutants are printed for inspection"
)]

mod lowered;
mod ttgir;

use crate::broken::{equal::replace, table_file};
use crate::files::{read, root};
use crate::kernels::UNTOUCHED;
use crate::simulated::generic_form_by;
use gpu_sim::{
    Arg, Arrival, BufferId, Decoded, ElementTy, Fill, FloatTy, Launch, Memory, Schedule, Swizzle,
    TensorElement, TensorMap, decode_generic, initial_bytes,
};
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ChangeKind {
    WaitDropped,
    WaitWeakened,
    Commit,
    Fence,
    Phase,
    Expect,
    Stage,
    Descriptor,
    Transpose,
    Barrier,
    BarrierThreads,
    BarrierId,
    Arrive,
    ArriveCount,
    ArriveEarly,
    InitCount,
}

impl ChangeKind {
    const ALL: [Self; 16] = [
        Self::WaitDropped,
        Self::WaitWeakened,
        Self::Commit,
        Self::Fence,
        Self::Phase,
        Self::Expect,
        Self::Stage,
        Self::Descriptor,
        Self::Transpose,
        Self::Barrier,
        Self::BarrierThreads,
        Self::BarrierId,
        Self::Arrive,
        Self::ArriveCount,
        Self::ArriveEarly,
        Self::InitCount,
    ];

    const fn title(self) -> &'static str {
        match self {
            Self::WaitDropped => "wait dropped",
            Self::WaitWeakened => "wait with one too many pending",
            Self::Commit => "commit dropped",
            Self::Fence => "fence dropped",
            Self::Phase => "phase of an mbarrier flipped, or kept",
            Self::Expect => "expected bytes changed or dropped",
            Self::Stage => "stage index off by one",
            Self::Descriptor => "field of a descriptor changed",
            Self::Transpose => "flag for a transposed factor flipped",
            Self::Barrier => "barrier dropped, or weakened to one of the warp",
            Self::BarrierThreads => "named barrier of one warp fewer",
            Self::BarrierId => "named barrier with the id of another one",
            Self::Arrive => "arrival at an mbarrier dropped",
            Self::ArriveCount => "count of an arrival changed, or the arrival doubled",
            Self::ArriveEarly => "arrival moved before an access that it follows",
            Self::InitCount => "count of an mbarrier changed, or its initialisation dropped",
        }
    }
}

/// A change of a kernel, in which `lines` replace line `at`.
#[derive(Clone, Debug)]
struct PipelineChange {
    kind: ChangeKind,
    at: usize,
    lines: Vec<String>,
}

/// The rule that proves a changed kernel equivalent to the original one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum EquivalenceRule {
    /// The changed kernel is lowered to the same code.
    SameCode,
    /// An instruction before or after the removed or weakened one has the same effect. No instruction that lies
    /// between these two instructions accesses memory.
    Repeated,
    /// The changed field of the descriptor has no effect.
    UnusedField,
    /// The same asynchronous copies are complete before each access, for any number of iterations of the loop.
    SameCompletions,
    /// The first update of the stage index sets it to 0 in both kernels.
    SameStage,
    /// Between the removed fence and the preceding fence, nothing is written to shared memory through the generic
    /// proxy.
    NothingWritten,
    /// The lowering inserts the fence that the changed kernel lacks.
    Repaired,
    /// The mbarrier is never used except for initialisation and invalidation.
    UnusedMbarrier,
    /// An earlier wait for another mbarrier orders the same accesses, because the same thread arrives at both
    /// mbarriers.
    CoveredWait,
    /// Since the preceding barrier, only one thread has accessed shared memory. It has arrived at mbarriers, or
    /// initialised mbarriers that are not used before the next barrier.
    OnlyMbarriers,
    /// The removed or weakened barrier orders no dependent warps: all tested warp schedules give the same output.
    AnyOrder,
}

impl EquivalenceRule {
    const ALL: [Self; 11] = [
        Self::SameCode,
        Self::Repeated,
        Self::UnusedField,
        Self::SameCompletions,
        Self::SameStage,
        Self::NothingWritten,
        Self::Repaired,
        Self::UnusedMbarrier,
        Self::CoveredWait,
        Self::OnlyMbarriers,
        Self::AnyOrder,
    ];

    const fn title(self) -> &'static str {
        match self {
            Self::SameCode => {
                "lowered to the same kernel, as fences are put in where they are missing"
            }
            Self::Repeated => {
                "the instruction before or after is the same, and none between them touches memory"
            }
            Self::UnusedField => {
                "the leading offset of a descriptor, where a row of the tile is not longer than the swizzle"
            }
            Self::SameCompletions => {
                "the same copies are complete before each access, for 0 to 8 rounds of the loop"
            }
            Self::SameStage => {
                "the index is past the last stage in its first round, and becomes 0, either way"
            }
            Self::NothingWritten => {
                "nothing is written to shared memory between the fence and the one before it"
            }
            Self::Repaired => "a fence of TTGIR, which the lowering puts in where one is needed",
            Self::UnusedMbarrier => "the mbarrier is only initialised and invalidated",
            Self::CoveredWait => {
                "each wait follows one with the same parity, for another mbarrier at which the same thread arrives after the same accesses"
            }
            Self::OnlyMbarriers => {
                "since the barrier before, one thread only arrives at mbarriers, or initialises some for after the next barrier"
            }
            Self::AnyOrder => {
                "warps that run one by one, in 24 random orders, with early and with late copies, give the same output"
            }
        }
    }
}

const F16: ElementTy = ElementTy::Float(FloatTy::F16);
const F32: ElementTy = ElementTy::Float(FloatTy::F32);

/// An argument of a kernel: a buffer or a number.
#[derive(Clone, Copy)]
enum ArgumentSpec {
    /// A buffer of random elements: element type and number of elements.
    Input(ElementTy, usize),
    Output(ElementTy, usize),
    /// A TMA descriptor: the index of its buffer in `behind`, the rows and columns of the matrix, and those of a
    /// tile.
    Descriptor(usize, [u32; 2], [u32; 2]),
    Scratch(usize),
    Int(i128),
    Float(f64),
}

struct PipelineCase {
    file: &'static str,
    /// The kernel's arguments.
    args: &'static [ArgumentSpec],
    /// Buffers that the kernel accesses only through descriptors.
    behind: &'static [ArgumentSpec],
    /// The sample contains every `step`-th change.
    step: usize,
}

use ArgumentSpec::{Descriptor, Float, Input, Int, Output, Scratch};

/// Number of rows of the matrix products, which is less than one tile of 64 rows. `N` is the number of columns,
/// which form one tile. `K` is the inner size; the last of its five tiles of 32 is half full. In the TMA kernels,
/// the inner size is `MANY`, which has eight tiles, so that each of three mbarriers passes through several phases.
const M: usize = 48;
const N: usize = 32;
const K: usize = 144;
const MANY: usize = 240;

/// Inner size of matrix products with six tiles, so that each of three stages is used twice.
const SIX_TILES: usize = 176;

/// Number of tiles in the kernels in which one group of warps passes buffers to another group of warps. With this
/// number, each mbarrier is used in both phases.
const TILES: usize = 5;

const PRODUCT: &[ArgumentSpec] = &[
    Input(F16, M * K),
    Input(F16, K * N),
    Output(F16, M * N),
    Int(M as i128),
    Int(N as i128),
    Int(K as i128),
    Int(K as i128),
    Int(N as i128),
    Int(N as i128),
];

const WEIGHTS: &[ArgumentSpec] = &[
    Input(F16, M * K),
    Input(ElementTy::Int(8), K * N),
    Input(F16, N),
    Output(F32, M * N),
    Int(M as i128),
    Int(N as i128),
    Int(K as i128),
    Int(K as i128),
    Int(N as i128),
    Int(N as i128),
];

const ATTENTION: &[ArgumentSpec] = &[
    Input(F16, 64 * 32),
    Input(F16, 160 * 32),
    Input(F16, 160 * 32),
    Output(F16, 64 * 32),
    Int(160),
    Float(0.125),
];

const BY_DESCRIPTORS: &[ArgumentSpec] = &[
    Descriptor(0, [M as u32, MANY as u32], [64, 32]),
    Int(0),
    Int(0),
    Int(0),
    Int(0),
    Descriptor(1, [MANY as u32, N as u32], [32, 32]),
    Int(0),
    Int(0),
    Int(0),
    Int(0),
    Descriptor(2, [M as u32, N as u32], [64, 32]),
    Int(0),
    Int(0),
    Int(0),
    Int(0),
    Int(MANY as i128),
];

/// Returns the arguments of a matrix product that creates its TMA descriptors in scratch memory. The scratch memory
/// has room for `descriptors` descriptors.
const fn with_descriptors([m, n, k]: [usize; 3], descriptors: usize) -> [ArgumentSpec; 8] {
    [
        Input(F16, m * k),
        Input(F16, k * n),
        Output(F16, m * n),
        Int(m as i128),
        Int(n as i128),
        Int(k as i128),
        Scratch(descriptors * 128),
        Int(0),
    ]
}

const DEVICE: &[ArgumentSpec] = &with_descriptors([M, N, MANY], 3);

const fn case(file: &'static str, args: &'static [ArgumentSpec]) -> PipelineCase {
    PipelineCase {
        file,
        args,
        behind: &[],
        step: 9,
    }
}

const HAND_OVER: &[ArgumentSpec] = &[
    Input(F32, TILES * 256),
    Output(F32, TILES * 256),
    Int(TILES as i128),
];

const ROUNDS: &[ArgumentSpec] = &[
    Input(F32, TILES * 256),
    Input(F32, TILES * 256),
    Output(F32, (TILES + 4) * 256),
    Int(TILES as i128),
];

const SPECIALIZED: &[ArgumentSpec] = &with_descriptors([M, N, K], 3);

/// Arguments of a product with `2 * M` rows. Two partitions multiply; with this number of rows, both have rows
/// within the matrix.
const SPECIALIZED_BY_TRITON: &[ArgumentSpec] = &with_descriptors([2 * M, N, SIX_TILES], 3 * 3);

const CASES: [PipelineCase; 12] = [
    case("pipelined/sm_80/matmul", PRODUCT),
    case("pipelined/sm_80/matmul_int8_weights", WEIGHTS),
    case("pipelined/sm_80/attention", ATTENTION),
    case("pipelined/sm_90/matmul", PRODUCT),
    case("pipelined/sm_90/matmul_int8_weights", WEIGHTS),
    case("pipelined/sm_90/attention", ATTENTION),
    PipelineCase {
        behind: &[
            Input(F16, M * MANY),
            Input(F16, MANY * N),
            Output(F16, M * N),
        ],
        ..case("pipelined/sm_90/matmul_tma", BY_DESCRIPTORS)
    },
    case("pipelined/sm_90/matmul_tma_device", DEVICE),
    case("specialized/hand_over", HAND_OVER),
    case("specialized/rounds", ROUNDS),
    case("specialized/matmul", SPECIALIZED),
    PipelineCase {
        step: 67,
        ..case("specialized/matmul_triton", SPECIALIZED_BY_TRITON)
    },
];

/// Parts of the lowering's error messages about incorrect asynchronous accesses.
const REFUSALS: [&str; 10] = [
    "accesses shared memory that is in use by the asynchronous",
    "uses the result of the asynchronous product",
    "reads shared memory that no preceding operation has written",
    "waits for a phase that never completes",
    "bytes more than expected",
    "arrives at an mbarrier more often than the current phase expects",
    "returns while the asynchronous",
    "in other warps, without synchronisation between the accesses",
    "may complete the next phase before the wait",
    "uses an mbarrier that is not initialised",
];

/// A simulated machine: the arrival time of asynchronous copies, and the schedule of the warps.
type Machine = (Arrival, Schedule);

const MACHINES: [Machine; 4] = [
    (Arrival::Late, Schedule::Lockstep),
    (Arrival::Early, Schedule::Lockstep),
    (Arrival::Random(1), Schedule::Warps(1)),
    (Arrival::Random(2), Schedule::Warps(2)),
];

fn add(memory: &mut Memory, given: ArgumentSpec, seed: u64) -> Option<BufferId> {
    let bytes = match given {
        Input(ty, count) => initial_bytes(&Fill::Random, ty, count, seed),
        Output(ty, count) => initial_bytes(&Fill::Full(UNTOUCHED), ty, count, 0),
        Scratch(bytes) => vec![0; bytes],
        Descriptor(..) | Int(_) | Float(_) => return None,
    };
    Some(memory.add("buffer", bytes))
}

/// Runs one thread block. Returns the final contents of all buffers except scratch memory, and the number of
/// executed instructions, summed over the warps.
fn launch(
    decoded: &Decoded,
    case: &PipelineCase,
    (arrival, schedule): Machine,
    limit: u64,
) -> Result<(Vec<Vec<u8>>, u64), String> {
    let mut memory = Memory::default();
    let seeds = 1..;
    let behind = seeds
        .zip(case.behind)
        .filter_map(|(seed, given)| add(&mut memory, *given, seed));
    let behind: Vec<BufferId> = behind.collect();
    let (mut buffers, mut args) = (behind.clone(), Vec::new());
    for (seed, given) in (1..).zip(case.args) {
        args.push(match *given {
            Int(number) => Arg::Int(number),
            Float(number) => Arg::Float(number),
            Descriptor(of, [rows, columns], [tile_rows, tile_columns]) => {
                let map = TensorMap {
                    address: memory.address(behind[of]),
                    element: TensorElement::F16,
                    dims: vec![columns, rows],
                    strides: vec![u64::from(2 * columns)],
                    block: vec![tile_columns, tile_rows],
                    swizzle: Swizzle::Bytes64,
                    fills_nan: false,
                    pixels: None,
                };
                Arg::Buffer(memory.add("descriptor", map.encode().to_vec()))
            }
            Input(..) | Output(..) | Scratch(_) => {
                let buffer = add(&mut memory, *given, seed).unwrap();
                // The contents of scratch memory are not a result.
                if !matches!(given, Scratch(_)) {
                    buffers.push(buffer);
                }
                Arg::Buffer(buffer)
            }
        });
    }
    let report = Launch::new(decoded.machine)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .step_limit(limit)
        .arrival(arrival)
        .schedule(schedule)
        .args(args)
        .run(&decoded.program, &mut memory)
        .map_err(|error| error.to_string())?;
    let bytes = buffers.iter().map(|&buffer| memory.bytes(buffer).to_vec());
    let warps = u64::from(report.threads_per_block.div_ceil(32));
    Ok((bytes.collect(), report.instructions * warps))
}

/// A kernel in TTGIR and lowered form, with its expected output.
struct PipelineBench {
    case: &'static PipelineCase,
    ttgir: String,
    lowered: String,
    expected: Vec<Vec<u8>>,
    limit: u64,
}

fn lower(case: &PipelineCase, ttgir: &str) -> Result<String, String> {
    generic_form_by(ttgir.as_bytes(), case.file, None)
}

/// Returns the text of a lowered kernel with its locations removed.
fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("#loc"));
    let without = lines.map(|line| line.split(" loc(").next().unwrap_or(line));
    without.collect::<Vec<_>>().join("\n")
}

impl PipelineBench {
    fn new(case: &'static PipelineCase) -> Self {
        let ttgir = read(root().join(format!("test/kernels/{}.ttgir", case.file)));
        let lowered = lower(case, &ttgir).unwrap_or_else(|e| panic!("{}: {e}", case.file));
        let decoded =
            decode_generic(&lowered, None).unwrap_or_else(|e| panic!("{}: {e}", case.file));
        let (expected, steps) = launch(&decoded, case, MACHINES[0], u64::MAX)
            .unwrap_or_else(|e| panic!("{}: {e}", case.file));
        Self {
            case,
            ttgir,
            lowered,
            expected,
            limit: 4 * steps + 1000,
        }
    }

    /// Runs a lowered kernel on a machine. Returns the error, or "another result" if its output is not the expected
    /// one; `None` if the output is right.
    fn problem(&self, decoded: &Decoded, machine: Machine) -> Option<String> {
        match launch(decoded, self.case, machine, self.limit) {
            Ok((buffers, _)) => (buffers != self.expected).then(|| "another result".to_owned()),
            Err(error) => Some(error),
        }
    }

    /// Returns true if a lowered kernel fails, or has wrong output, on at least one machine.
    fn found(&self, text: &str) -> bool {
        let decoded = decode_generic(text, None);
        let decoded = decoded.unwrap_or_else(|e| panic!("{}: {e}", self.case.file));
        MACHINES
            .iter()
            .any(|machine| self.problem(&decoded, *machine).is_some())
    }

    fn judge(&self, work: &ChangeInput) -> ChangeVerdict {
        let (change, lowered) = match work {
            ChangeInput::Lowered(change) => {
                let text = replace(&self.lowered, change.at, &change.lines);
                (change, text)
            }
            ChangeInput::Ttgir(change, text) => match lower(self.case, text) {
                Err(message) => {
                    let is_known = REFUSALS.iter().any(|refusal| message.contains(refusal));
                    assert!(is_known, "{}: {change:?}: {message}", self.case.file);
                    return ChangeVerdict::Refused;
                }
                Ok(lowered) => (change, lowered),
            },
        };
        if self.found(&lowered) {
            return ChangeVerdict::Found;
        }
        let is_ttgir = matches!(work, ChangeInput::Ttgir(..));
        self.reason(change, &lowered, is_ttgir)
            .map_or(ChangeVerdict::Missed, ChangeVerdict::Equivalent)
    }

    /// Returns the rule that proves a change equivalent. This function is called only for changes that no check has
    /// detected. Returns `None` if no rule applies.
    fn reason(
        &self,
        change: &PipelineChange,
        lowered: &str,
        is_ttgir: bool,
    ) -> Option<EquivalenceRule> {
        if code(lowered) == code(&self.lowered) {
            return Some(EquivalenceRule::SameCode);
        }
        let is_group = matches!(
            change.kind,
            ChangeKind::WaitDropped | ChangeKind::WaitWeakened | ChangeKind::Commit
        );
        let has_groups = self.lowered.contains("nvvm.cp.async.commit.group");
        if is_group && has_groups && lowered::has_same_completions(&self.lowered, lowered) {
            return Some(EquivalenceRule::SameCompletions);
        }
        let texts = [code(&self.lowered), code(lowered)];
        let [before, after] = [&*texts[0], &*texts[1]];
        if change.kind == ChangeKind::InitCount && lowered::is_of_unused_mbarrier(before, after) {
            return Some(EquivalenceRule::UnusedMbarrier);
        }
        if change.kind == ChangeKind::WaitDropped && lowered::lacks_covered_wait(before, after) {
            return Some(EquivalenceRule::CoveredWait);
        }
        if change.kind == ChangeKind::ArriveEarly && lowered::moves_covered_arrival(before, after) {
            return Some(EquivalenceRule::CoveredWait);
        }
        if is_ttgir {
            return match change.kind {
                ChangeKind::Fence => Some(EquivalenceRule::Repaired),
                _ => ttgir::wraps_alike(&self.ttgir, change).then_some(EquivalenceRule::SameStage),
            };
        }
        let by_text = lowered::reason(&self.lowered, change);
        let in_any_order = || {
            let decoded = decode_generic(lowered, None).ok()?;
            let seeds = (0..24).map(Schedule::Warps);
            let mut machines =
                seeds.flat_map(|schedule| [(Arrival::Early, schedule), (Arrival::Late, schedule)]);
            let is_same = machines.all(|machine| self.problem(&decoded, machine).is_none());
            is_same.then_some(EquivalenceRule::AnyOrder)
        };
        match change.kind {
            ChangeKind::Barrier | ChangeKind::BarrierId => by_text.or_else(in_any_order),
            _ => by_text,
        }
    }

    fn work(&self) -> Vec<ChangeInput> {
        let lowered = lowered::changes(&self.lowered)
            .into_iter()
            .map(ChangeInput::Lowered);
        let ttgir = ttgir::changes(&self.ttgir).into_iter();
        let ttgir = ttgir.map(|(change, text)| ChangeInput::Ttgir(change, text));
        lowered.chain(ttgir).collect()
    }
}

/// A change to test, made either in the lowered kernel or in its TTGIR.
enum ChangeInput {
    Lowered(PipelineChange),
    /// A change of the TTGIR, and the whole text after the change.
    Ttgir(PipelineChange, String),
}

impl ChangeInput {
    const fn change(&self) -> &PipelineChange {
        match self {
            Self::Lowered(change) | Self::Ttgir(change, _) => change,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChangeVerdict {
    /// The simulator reports an error or a wrong result.
    Found,
    /// The lowering rejects the changed kernel.
    Refused,
    Equivalent(EquivalenceRule),
    Missed,
}

#[derive(Clone, Copy, Default)]
struct ChangeScore {
    found: usize,
    refused: usize,
    equivalent: usize,
    missed: usize,
}

/// Returns a percentage, rounded down to one decimal place.
fn percent(some: usize, all: usize) -> f64 {
    (1000.0 * some as f64 / all.max(1) as f64).floor() / 10.0
}

impl ChangeScore {
    fn add(&mut self, verdict: ChangeVerdict) {
        match verdict {
            ChangeVerdict::Found => self.found += 1,
            ChangeVerdict::Refused => self.refused += 1,
            ChangeVerdict::Equivalent(_) => self.equivalent += 1,
            ChangeVerdict::Missed => self.missed += 1,
        }
    }

    /// Of the mutants that lower and are not equivalent, returns the percentage that the simulator finds.
    fn simulated(self) -> f64 {
        percent(self.found, self.found + self.missed)
    }

    /// Of the mutants that are not equivalent, returns the percentage that the lowering rejects.
    fn refused(self) -> f64 {
        percent(self.refused, self.refused + self.found + self.missed)
    }
}

/// Scores of all changes, grouped by kind of change and by kernel, separately for lowered kernels and TTGIR.
#[derive(Default)]
struct ChangeScores {
    kinds: BTreeMap<(bool, ChangeKind), ChangeScore>,
    kernels: BTreeMap<(&'static str, bool), ChangeScore>,
    reasons: BTreeMap<EquivalenceRule, usize>,
    lowered: ChangeScore,
    ttgir: ChangeScore,
    missed: Vec<String>,
}

impl ChangeScores {
    fn add(&mut self, bench: &PipelineBench, work: &ChangeInput, verdict: ChangeVerdict) {
        let change = work.change();
        let (is_ttgir, text, total) = match work {
            ChangeInput::Lowered(_) => (false, &bench.lowered, &mut self.lowered),
            ChangeInput::Ttgir(..) => (true, &bench.ttgir, &mut self.ttgir),
        };
        total.add(verdict);
        self.kernels
            .entry((bench.case.file, is_ttgir))
            .or_default()
            .add(verdict);
        self.kinds
            .entry((is_ttgir, change.kind))
            .or_default()
            .add(verdict);
        match verdict {
            ChangeVerdict::Equivalent(reason) => *self.reasons.entry(reason).or_default() += 1,
            ChangeVerdict::Missed => {}
            // Mutants of TTGIR that only the simulator finds are printed, too.
            ChangeVerdict::Found if is_ttgir => {}
            ChangeVerdict::Found | ChangeVerdict::Refused => return,
        }
        let before = text.lines().nth(change.at).unwrap_or_default();
        let cut = |line: &str| line.trim().chars().take(300).collect::<String>();
        let lines: Vec<String> = change.lines.iter().map(|line| cut(line)).collect();
        self.missed.push(format!(
            "{verdict:?}: {}{}, line {}, {}:\n  {}\n  {}",
            bench.case.file,
            if is_ttgir { ".ttgir" } else { ", lowered" },
            change.at + 1,
            change.kind.title(),
            cut(before),
            lines.join("; "),
        ));
    }

    fn table(&self) -> String {
        let mut text = format!(
            "{HEAD}\nKernels that Triton pipelined (`test/kernels/pipelined`), with copies by threads and by TMA and products of\n\
             warp groups, and kernels with warp specialisation (`test/kernels/specialized`), changed at one place at a time.\n\
             A change of TTGIR is refused if the lowering reports it, and runs otherwise; a change of what is lowered always\n\
             runs, with copies that arrive early, late and at random. Written by `make scores`; `test/rust/late` has the\n\
             changes and the rules.\n"
        );
        for (is_ttgir, title, total) in [
            (true, "change of TTGIR", self.ttgir),
            (false, "change of what is lowered", self.lowered),
        ] {
            let _ = write!(text, "\n| {title} | changes | equivalent |");
            text += if is_ttgir { " refused |" } else { "" };
            text += " found by running | missed |\n|---|--:|--:|--:|--:|";
            text += if is_ttgir { "--:|\n" } else { "\n" };
            let mut row = |title: &str, score: ChangeScore| {
                let ChangeScore {
                    found,
                    refused,
                    equivalent,
                    missed,
                } = score;
                let all = found + refused + equivalent + missed;
                let _ = write!(text, "| {title} | {all} | {equivalent} |");
                if is_ttgir {
                    let _ = write!(text, " {refused} |");
                }
                let _ = writeln!(text, " {found} | {missed} |");
            };
            for kind in ChangeKind::ALL {
                if let Some(score) = self.kinds.get(&(is_ttgir, kind)) {
                    row(kind.title(), *score);
                }
            }
            row("**all**", total);
        }
        let all = self.all();
        let _ = write!(
            text,
            "\nOf the changes of TTGIR that matter the lowering refuses {:.1} %. Of all changes that run and matter the\n\
             simulator finds {:.1} %.\n\n| why it is equivalent | changes |\n|---|--:|\n",
            self.ttgir.refused(),
            all.simulated(),
        );
        for reason in EquivalenceRule::ALL {
            if let Some(count) = self.reasons.get(&reason) {
                let _ = writeln!(text, "| {} | {count} |", reason.title());
            }
        }
        text += "\n| kernel | changes | equivalent | refused | found by running | missed |\n|---|--:|--:|--:|--:|--:|\n";
        for ((file, is_ttgir), score) in &self.kernels {
            let ChangeScore {
                found,
                refused,
                equivalent,
                missed,
            } = score;
            let form = if *is_ttgir { "" } else { ", lowered" };
            let all = found + refused + equivalent + missed;
            let _ = writeln!(
                text,
                "| `{file}`{form} | {all} | {equivalent} | {refused} | {found} | {missed} |"
            );
        }
        text
    }

    fn all(&self) -> ChangeScore {
        ChangeScore {
            found: self.lowered.found + self.ttgir.found,
            refused: self.lowered.refused + self.ttgir.refused,
            equivalent: self.lowered.equivalent + self.ttgir.equivalent,
            missed: self.lowered.missed + self.ttgir.missed,
        }
    }
}

/// Heading of the section about asynchronous kernels in the document with the mutation scores.
pub(crate) const HEAD: &str = "# Asynchronous kernels, broken";

/// Judges all changes if `is_all` is true, and a sample of them otherwise. The work is distributed over all CPU
/// cores.
fn scores(benches: &[PipelineBench], is_all: bool) -> ChangeScores {
    let works = benches.iter().flat_map(|bench| {
        let (first, step) = if is_all { (0, 1) } else { (3, bench.case.step) };
        let sample = bench.work().into_iter().skip(first).step_by(step);
        sample.map(move |work| (bench, work))
    });
    let work: Vec<(&PipelineBench, ChangeInput)> = works.collect();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let judge = |part: usize| -> Vec<(usize, ChangeVerdict)> {
        let own = work.iter().enumerate().skip(part).step_by(threads);
        own.map(|(at, (bench, work))| (at, bench.judge(work)))
            .collect()
    };
    let verdicts: BTreeMap<usize, ChangeVerdict> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|part| scope.spawn(move || judge(part)))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap())
            .collect()
    });
    let mut scores = ChangeScores::default();
    for ((bench, work), verdict) in work.iter().zip(verdicts.into_values()) {
        scores.add(bench, work, verdict);
    }
    scores
}

#[test]
fn late_kernels_are_found() {
    let benches: Vec<PipelineBench> = CASES.iter().map(PipelineBench::new).collect();
    let is_all = std::env::var_os("LL_SCORES").is_some();
    let scores = scores(&benches, is_all);
    if is_all {
        println!("{}\n{}", scores.missed.join("\n"), scores.table());
        let text = read(table_file());
        let own = text.find(HEAD).unwrap_or(text.len());
        std::fs::write(
            table_file(),
            format!("{}\n\n{}", text[..own].trim_end(), scores.table()),
        )
        .unwrap();
    }
    let (all, missed) = (scores.all(), scores.missed.join("\n"));
    assert!(
        all.found + all.refused > if is_all { 1000 } else { 80 },
        "{}",
        scores.table()
    );
    assert!(all.simulated() >= 98.0, "{}{missed}", scores.table());
    assert!(scores.ttgir.refused() >= 80.0, "{}{missed}", scores.table());
}

#[test]
fn unbroken_kernels_are_clean_whenever_copies_arrive() {
    let check = |case: &'static PipelineCase| {
        let bench = PipelineBench::new(case);
        let decoded = decode_generic(&bench.lowered, None).unwrap();
        let seeds = if case.step > 9 { 2 } else { 20 };
        let random = (1..=seeds).map(|seed| (Arrival::Random(seed), Schedule::Warps(seed)));
        for machine in MACHINES.into_iter().chain(random) {
            let problem = bench.problem(&decoded, machine);
            assert_eq!(problem, None, "{}, {machine:?}", case.file);
        }
    };
    std::thread::scope(|scope| {
        for first in 0..2 {
            scope.spawn(move || CASES.iter().skip(first).step_by(2).for_each(check));
        }
    });
}

/// Checks that the committed table has a row for each kind of change.
#[test]
fn the_table_of_scores_has_all_kinds_of_late_changes() {
    let text = read(table_file());
    let own = text.find(HEAD).map(|at| &text[at..]).unwrap_or_default();
    for kind in ChangeKind::ALL {
        let row = format!("| {} | ", kind.title());
        assert!(
            own.contains(&row),
            "`make scores` was not run: no row {row}"
        );
    }
}

/// Checks that the lowering diagnoses each kind of change of a kernel with TMA copies, with one of the messages
/// that are expected for this kind.
#[test]
fn the_lowering_explains_its_refusals() {
    let expected = [
        (ChangeKind::WaitDropped, vec![0, 1, 6]),
        (ChangeKind::Phase, vec![3]),
        (ChangeKind::Expect, vec![3, 4]),
    ];
    let case = &CASES[6];
    let ttgir = read(root().join(format!("test/kernels/{}.ttgir", case.file)));
    for (kind, refusals) in expected {
        let changes = ttgir::changes(&ttgir).into_iter();
        let positions = changes
            .filter(|(change, _)| change.kind == kind)
            .map(|(change, text)| {
                let message = lower(case, &text).expect_err("it is wrong");
                let known = REFUSALS
                    .iter()
                    .position(|refusal| message.contains(refusal));
                known.unwrap_or_else(|| panic!("{change:?}: {message}"))
            });
        let found: std::collections::BTreeSet<usize> = positions.collect();
        assert!(found.iter().eq(&refusals), "{kind:?}: {found:?}");
    }
}
