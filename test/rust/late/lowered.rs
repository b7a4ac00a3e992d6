//! Mutations of a lowered kernel at one place: waits, fences, descriptors, stage indices.

use super::{ChangeKind, PipelineChange};
use crate::broken::text::GenericLine;
use std::collections::{BTreeSet, HashMap};

const WAIT_OF_PHASE: &str = "mbarrier.try_wait.parity";
const WAIT_OF_PRODUCTS: &str = "wgmma.wait_group.sync.aligned ";
const ARRIVE: &str = "mbarrier.arrive.shared::cta.b64 _, [$1]";
const INIT: &str = "mbarrier.init.shared::cta.b64 [$1], ";
const EXPECT: &str = "expect_tx.shared::cta.b64 _, [$1], ";
const PRODUCT: &str = "wgmma.mma_async";
const FIELD: &str = "tensormap.replace.tile.";

/// Position of the lowest bit of the leading-dimension offset in a matrix descriptor. `STRIDE` and `SWIZZLE` are
/// the positions of two other fields.
const LEADING: u32 = 16;
const STRIDE: u32 = 32;
const SWIZZLE: u32 = 62;

/// Constants and definitions of the values in a kernel text.
struct Values<'t> {
    lines: &'t [Option<GenericLine>],
    constants: HashMap<&'t str, i64>,
    /// For each value, the index of the line that defines it.
    defined: HashMap<&'t str, usize>,
    /// For each block argument, the label of its block and its position.
    arguments: HashMap<String, (String, usize)>,
}

impl<'t> Values<'t> {
    fn of(text: &str, lines: &'t [Option<GenericLine>]) -> Self {
        let mut values = Self {
            lines,
            constants: HashMap::new(),
            defined: HashMap::new(),
            arguments: HashMap::new(),
        };
        for (at, line) in lines.iter().enumerate() {
            let Some((line, result)) = line
                .as_ref()
                .and_then(|line| Some((line, line.result.as_ref()?)))
            else {
                continue;
            };
            values.defined.insert(result, at);
            let value = line
                .middle
                .split_once("value = ")
                .and_then(|(_, rest)| rest.split_once(" : i"));
            if line.name == "llvm.mlir.constant"
                && let Some(value) = value.and_then(|(value, _)| value.parse().ok())
            {
                values.constants.insert(result, value);
            }
        }
        for line in text
            .lines()
            .filter(|line| line.trim_start().starts_with('^'))
        {
            let Some((block, rest)) = line.trim().split_once('(') else {
                continue;
            };
            for (at, argument) in rest.split(", ").enumerate() {
                let name = argument.split(':').next().unwrap_or_default();
                values
                    .arguments
                    .insert(name.to_owned(), (block.to_owned(), at));
            }
        }
        values
    }

    /// Returns the constant operands from which an integer value is computed. Each operand is given by the index of
    /// the line in which it occurs, and its position among the operands of that line.
    fn sources(&self, value: &str) -> BTreeSet<(usize, usize)> {
        const INTEGERS: [&str; 5] = [
            "llvm.add",
            "llvm.icmp",
            "llvm.select",
            "llvm.xor",
            "llvm.bitcast",
        ];
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if !seen.insert(value.to_owned()) {
                continue;
            }
            let mut add = |at: usize, operand: usize| {
                let Some(name) = self.lines[at]
                    .as_ref()
                    .and_then(|line| line.operands.get(operand))
                else {
                    return;
                };
                match self.constants.contains_key(&**name) {
                    true => drop(found.insert((at, operand))),
                    false => work.push(name),
                }
            };
            if let Some(&at) = self.defined.get(value) {
                let line = self.lines[at].as_ref();
                if let Some(line) = line.filter(|line| INTEGERS.contains(&&*line.name)) {
                    (0..line.operands.len()).for_each(|operand| add(at, operand));
                }
            } else if let Some((block, position)) = self.arguments.get(value) {
                for (at, line) in self.lines.iter().enumerate() {
                    let to = format!("[{block}]");
                    if line
                        .as_ref()
                        .is_some_and(|line| line.name == "llvm.br" && line.middle.contains(&to))
                    {
                        add(at, *position);
                    }
                }
            }
        }
        found
    }
}

impl Values<'_> {
    /// Returns true if a line computes a buffer address from a stage index that depends on no constant in the text,
    /// such as the remainder of a counter. For such an index, no constant can be mutated, so the line that uses the
    /// index is mutated instead.
    fn is_computed_stage(&self, line: &GenericLine) -> bool {
        line.middle.contains("ll.index_bound")
            && !self.constants.contains_key(&*line.operands[0])
            && self.sources(&line.operands[0]).is_empty()
    }
}

/// Returns all changes of a lowered kernel that are tested, in the order of its lines.
pub(crate) fn changes(text: &str) -> Vec<PipelineChange> {
    let lines: Vec<Option<GenericLine>> = text.lines().map(GenericLine::parse).collect();
    let values = Values::of(text, &lines);
    let (mut stages, mut phases) = (BTreeSet::new(), BTreeSet::new());
    let mut factors = BTreeSet::new();
    let mut barriers = BTreeSet::new();
    for line in lines.iter().flatten() {
        if line.middle.contains("ll.index_bound") {
            stages.extend(values.sources(&line.operands[0]));
        } else if line.middle.contains(WAIT_OF_PHASE) {
            phases.extend(values.sources(&line.operands[1]));
        } else if line.middle.contains(PRODUCT) {
            let operands = line.operands.iter().zip(&line.operand_types);
            factors.extend(
                operands
                    .filter(|(_, ty)| *ty == "i64")
                    .map(|(name, _)| name.clone()),
            );
        } else if line.name == "nvvm.barrier" && line.operands.len() == 2 {
            barriers.extend(values.constants.get(&*line.operands[0]));
        }
    }
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(line) = line else {
            continue;
        };
        let mut add = |kind, lines: Vec<GenericLine>| {
            let lines = lines.iter().map(GenericLine::print).collect();
            all.push(PipelineChange { kind, at, lines });
        };
        waits(line, &mut add);
        mbarriers(line, &mut add);
        named_barriers(line, (&values, &barriers), &mut add);
        if values.is_computed_stage(line) {
            add(ChangeKind::Stage, with_next_stage(line));
        }
        fences(line, &mut add);
        descriptors(line, (&values, &factors), &mut add);
        for (operand, name) in line.operands.iter().enumerate() {
            let place = (at, operand);
            let value = values.constants.get(&**name);
            let (true, Some(value)) = (stages.contains(&place) || phases.contains(&place), value)
            else {
                continue;
            };
            if stages.contains(&place) {
                add(ChangeKind::Stage, with_constant(line, operand, value + 1));
                add(ChangeKind::Stage, with_constant(line, operand, value - 1));
            } else {
                add(ChangeKind::Phase, with_constant(line, operand, value ^ 1));
            }
        }
    }
    all
}

/// Returns the line with the buffer index incremented modulo the number of buffers, preceded by the operations that
/// compute this index.
fn with_next_stage(line: &GenericLine) -> Vec<GenericLine> {
    let (index, ty) = (&*line.operands[0], &*line.operand_types[0]);
    let bound = line.middle.split_once("ll.index_bound = ");
    let bound = bound.and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    vec![
        GenericLine::constant("%late_one", 1, ty),
        GenericLine::constant("%late_bound", bound.unwrap_or(1), ty),
        GenericLine::new("%late_sum", "llvm.add", &[index, "%late_one"], ty, ty),
        GenericLine::new("%late", "llvm.urem", &["%late_sum", "%late_bound"], ty, ty),
        line.with_operand(0, "%late"),
    ]
}

type AddChange<'a> = dyn FnMut(ChangeKind, Vec<GenericLine>) + 'a;

/// Returns the line with one operand replaced by a new constant, preceded by the constant.
fn with_constant(line: &GenericLine, operand: usize, value: i64) -> Vec<GenericLine> {
    let constant = GenericLine::constant("%late", value, &line.operand_types[operand]);
    vec![constant, line.with_operand(operand, "%late")]
}

/// Replaces the number that follows `before` by the result of `change`. Returns `None` if there is no such number.
fn with_number(
    line: &GenericLine,
    before: &str,
    change: impl Fn(i64) -> i64,
) -> Option<GenericLine> {
    let (start, rest) = line.middle.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = change(rest[..end].parse().ok()?);
    Some(line.with_middle(format!("{start}{before}{number}{}", &rest[end..])))
}

/// Returns the operations that compute operand 1 of the line `xor` `bits`, followed by the line with this result as
/// operand 1.
fn with_flipped_operand(line: &GenericLine, bits: i64) -> Vec<GenericLine> {
    let operands = [&*line.operands[1], "%late_bits"];
    let flip = GenericLine::new("%late", "llvm.xor", &operands, "i32", "i32");
    let bits = GenericLine::constant("%late_bits", bits, "i32");
    vec![bits, flip, line.with_operand(1, "%late")]
}

fn waits(line: &GenericLine, add: &mut AddChange<'_>) {
    let (name, text) = (&*line.name, &*line.middle);
    if text.contains(WAIT_OF_PHASE) {
        add(ChangeKind::WaitDropped, Vec::new());
        add(ChangeKind::Phase, with_flipped_operand(line, 1));
    } else if text.contains(WAIT_OF_PRODUCTS) {
        let number = text
            .split_once(WAIT_OF_PRODUCTS)
            .and_then(|(_, rest)| rest.split_once(';'));
        let whole = number.map(|(number, _)| format!("{WAIT_OF_PRODUCTS}{number};"));
        add(
            ChangeKind::WaitDropped,
            vec![line.with_middle(text.replace(&whole.unwrap_or_default(), ""))],
        );
        add(
            ChangeKind::WaitWeakened,
            with_number(line, WAIT_OF_PRODUCTS, |n| n + 1)
                .into_iter()
                .collect(),
        );
    } else if name == "nvvm.cp.async.wait.group" || name == "nvvm.cp.async.bulk.wait_group" {
        add(ChangeKind::WaitDropped, Vec::new());
        let key = if name.contains("bulk") {
            "group = "
        } else {
            "n = "
        };
        add(
            ChangeKind::WaitWeakened,
            with_number(line, key, |n| n + 1).into_iter().collect(),
        );
    } else if name.contains("commit.group") {
        add(ChangeKind::Commit, Vec::new());
    } else if name == "nvvm.barrier0" || name == "nvvm.barrier" {
        add(ChangeKind::Barrier, Vec::new());
        let all = GenericLine::constant("%late", -1, "i32");
        let mut sync = GenericLine::new("", "nvvm.bar.warp.sync", &["%late"], "i32", "()");
        sync.result = None;
        add(ChangeKind::Barrier, vec![all, sync]);
    }
    if text.contains(EXPECT) {
        let changes: [fn(i64) -> i64; 4] = [|n| n / 2, |n| n * 2, |n| n - 16, |n| n + 16];
        for change in changes {
            add(
                ChangeKind::Expect,
                with_number(line, EXPECT, change).into_iter().collect(),
            );
        }
    }
}

fn mbarriers(line: &GenericLine, add: &mut AddChange<'_>) {
    let text = &*line.middle;
    let mut add_number = |kind, before: &str, by: i64| {
        if let Some(line) = with_number(line, before, |n| n + by) {
            add(kind, vec![line]);
        }
    };
    if text.contains(INIT) {
        add_number(ChangeKind::InitCount, INIT, 1);
        add_number(ChangeKind::InitCount, INIT, -1);
        add(ChangeKind::InitCount, Vec::new());
    } else if text.contains(ARRIVE) {
        let count = format!("{ARRIVE}, ");
        add_number(ChangeKind::ArriveCount, &count, 1);
        add_number(ChangeKind::ArriveCount, &count, -1);
        add(ChangeKind::ArriveCount, vec![line.clone(), line.clone()]);
        add(ChangeKind::Arrive, Vec::new());
    } else if text.contains(EXPECT) {
        add(ChangeKind::Expect, Vec::new());
    }
    if text.contains(ARRIVE) || text.contains(EXPECT) {
        // The mbarrier beside it. Buffers of mbarriers are aligned to 16 bytes.
        add(ChangeKind::Stage, with_flipped_operand(line, 8));
    }
}

fn named_barriers(
    line: &GenericLine,
    (values, barriers): (&Values<'_>, &BTreeSet<i64>),
    add: &mut AddChange<'_>,
) {
    if line.name != "nvvm.barrier" || line.operands.len() != 2 {
        return;
    }
    let [id, threads] = [0, 1].map(|at| values.constants.get(&*line.operands[at]));
    if let Some(threads) = threads {
        add(
            ChangeKind::BarrierThreads,
            with_constant(line, 1, threads - 32),
        );
    }
    let next = barriers
        .iter()
        .find(|other| id.is_some_and(|id| *other > id));
    if let Some(other) = next.or(barriers.first()).filter(|other| Some(*other) != id) {
        add(ChangeKind::BarrierId, with_constant(line, 0, *other));
    }
}

fn fences(line: &GenericLine, add: &mut AddChange<'_>) {
    let is_fence = line.name.starts_with("nvvm.fence") || line.name == "nvvm.wgmma.fence.aligned";
    if is_fence || line.middle.contains("\"fence.proxy.") {
        add(ChangeKind::Fence, Vec::new());
    }
}

fn descriptors(
    line: &GenericLine,
    (values, factors): (&Values<'_>, &BTreeSet<String>),
    add: &mut AddChange<'_>,
) {
    let text = &*line.middle;
    let constant = |operand: usize| {
        values
            .constants
            .get(&**line.operands.get(operand)?)
            .copied()
    };
    let is_factor = line
        .result
        .as_ref()
        .is_some_and(|result| factors.contains(result));
    if line.name == "llvm.or" && line.result_type == "i64" {
        // The descriptor without the address.
        if let Some(word) = constant(1) {
            for bit in [LEADING, STRIDE, SWIZZLE] {
                add(
                    ChangeKind::Descriptor,
                    with_constant(line, 1, word ^ (1 << bit)),
                );
            }
        }
    } else if line.name == "llvm.add" && is_factor {
        if let Some(offset) = constant(1) {
            add(ChangeKind::Descriptor, with_constant(line, 1, offset + 1));
        }
    } else if text.contains(FIELD) {
        let is_text = ["rank", "elemtype", "swizzle_mode"]
            .iter()
            .any(|field| text.contains(field));
        if is_text {
            let before = ".b32 [$0], ";
            add(
                ChangeKind::Descriptor,
                with_number(line, before, |n| n + 1).into_iter().collect(),
            );
            add(
                ChangeKind::Descriptor,
                with_number(line, before, |n| n - 1).into_iter().collect(),
            );
        } else if let Some(value) = constant(1) {
            add(ChangeKind::Descriptor, with_constant(line, 1, value * 2));
        }
    }
    // The last immediates of 16-bit products: two signs, then a transposition flag for each factor.
    if text.contains(PRODUCT) && (text.contains("f16.f16") || text.contains("bf16.bf16")) {
        let Some((before, rest)) = text.split_once(";\\0A}") else {
            return;
        };
        // A factor in registers is not transposed.
        let count = if before.contains("}, {") { 1 } else { 2 };
        let flags: Vec<&str> = before.split(", ").collect();
        for flag in 1..=count {
            let (at, mut changed) = (flags.len() - flag, flags.clone());
            changed[at] = if flags[at] == "0" { "1" } else { "0" };
            let text = format!("{};\\0A}}{rest}", changed.join(", "));
            add(ChangeKind::Transpose, vec![line.with_middle(text)]);
        }
    }
}

/// Returns true if a line holds an operation that does not access memory, synchronise or branch.
fn is_quiet(line: &&Option<GenericLine>) -> bool {
    const TOUCHES: [&str; 10] = [
        "load", "store", "asm", "call", "br", "barrier", "matrix", "cp.async", "wgmma", "return",
    ];
    line.as_ref().is_some_and(|line| {
        !TOUCHES.iter().any(|word| line.name.contains(word))
            || line.middle.contains("asm_string = \"\"")
    })
}

/// Returns true if the barrier at line `at` orders only mbarrier operations of one thread. For this, the only
/// accesses to shared memory since the preceding barrier must be arrivals at mbarriers and initialisations of
/// mbarriers, all by the same thread. If mbarriers are initialised, no mbarrier may be used before the next
/// barrier.
fn orders_only_mbarriers(lines: &[Option<GenericLine>], at: usize) -> bool {
    let mut thread = None;
    let mut initialises = false;
    for line in lines[..at].iter().rev().filter(|line| !is_quiet(line)) {
        let Some(line) = line else {
            // The kernel starts, or control flow joins.
            return false;
        };
        let is_init = line.middle.contains(INIT);
        if is_init || line.middle.contains(ARRIVE) {
            initialises |= is_init;
            if *thread.get_or_insert(&line.operands[0]) != &line.operands[0] {
                return false;
            }
        } else if line.name == "nvvm.barrier" || initialises && line.name == "llvm.cond_br" {
            // The branch that starts the kernel's default warps.
            break;
        } else {
            return false;
        }
    }
    let mut after = lines[at + 1..].iter().flatten();
    let uses = |line: &GenericLine| {
        let text = &*line.middle;
        text.contains("mbarrier") && !text.contains(INIT) || text.contains("cp.async")
    };
    let next = after.find(|line| line.name == "nvvm.barrier" || uses(line));
    thread.is_some() && (!initialises || next.is_some_and(|line| !uses(line)))
}

/// An operation on an mbarrier in a lowered kernel.
struct MbarrierUse<'t> {
    /// Index of the line that contains the operation.
    at: usize,
    line: &'t GenericLine,
    /// The number of the buffer that contains the mbarrier, and the value that selects the mbarrier within this
    /// buffer. The value is `None` if the buffer is not indexed.
    mbarrier: (&'t str, Option<&'t str>),
}

impl<'t> MbarrierUse<'t> {
    /// Returns all operations on mbarriers, in the order of the lines.
    fn all(lines: &'t [Option<GenericLine>], values: &Values<'t>) -> Vec<Self> {
        let parsed = lines.iter().enumerate();
        let uses = parsed.filter_map(|(at, line)| {
            let line = line
                .as_ref()
                .filter(|line| line.name == "llvm.inline_asm")?;
            let text = &*line.middle;
            let operand = match text {
                _ if text.contains(WAIT_OF_PHASE) => 0,
                _ if text.contains("mbarrier::complete_tx") => 5,
                _ if text.contains("mbarrier.") => 1,
                _ => return None,
            };
            let mut index = None;
            let mut value = &*line.operands[operand];
            loop {
                let line = lines[*values.defined.get(value)?].as_ref()?;
                if let Some((_, number)) = line.middle.split_once("ll.number = ") {
                    let mbarrier = (number.split(' ').next()?, index);
                    return Some((at, mbarrier));
                }
                index = index.or(line.operands.get(1).map(|index| &**index));
                value = line.operands.first()?;
            }
        });
        let uses = uses.filter_map(|(at, mbarrier)| {
            let line = lines[at].as_ref()?;
            Some(Self { at, line, mbarrier })
        });
        uses.collect()
    }

    fn is(&self, text: &str) -> bool {
        self.line.middle.contains(text)
    }
}

/// Returns true if the first difference between the two kernels is in the initialisation of an mbarrier, and the
/// mbarriers in its buffer are only initialised and invalidated.
pub(crate) fn is_of_unused_mbarrier(before: &str, after: &str) -> bool {
    let lines: Vec<Option<GenericLine>> = before.lines().map(GenericLine::parse).collect();
    let values = Values::of(before, &lines);
    let uses = MbarrierUse::all(&lines, &values);
    let mut pairs = before.lines().zip(after.lines());
    let different = pairs.position(|(before, after)| before != after);
    let changed = uses
        .iter()
        .find(|one| Some(one.at) == different && one.is(INIT));
    changed.is_some_and(|changed| {
        let mut same = uses
            .iter()
            .filter(|one| one.mbarrier.0 == changed.mbarrier.0);
        same.all(|one| one.is(INIT) || one.is("mbarrier.inval"))
    })
}

/// Returns true if `after` lacks exactly one mbarrier wait of `before`, and an earlier wait orders the same
/// accesses as the missing one.
pub(crate) fn lacks_covered_wait(before: &str, after: &str) -> bool {
    let lines: Vec<Option<GenericLine>> = before.lines().map(GenericLine::parse).collect();
    let values = Values::of(before, &lines);
    let uses = MbarrierUse::all(&lines, &values);
    let other_lines: Vec<Option<GenericLine>> = after.lines().map(GenericLine::parse).collect();
    let other_values = Values::of(after, &other_lines);
    let others = MbarrierUse::all(&other_lines, &other_values);
    let waits: Vec<&MbarrierUse<'_>> = uses.iter().filter(|one| one.is(WAIT_OF_PHASE)).collect();
    let others = others.iter().filter(|one| one.is(WAIT_OF_PHASE));
    let numbers: Vec<&str> = others.map(|one| one.mbarrier.0).collect();
    let mut all = waits.iter().enumerate();
    let lacking = all.find(|(at, wait)| numbers.get(*at) != Some(&wait.mbarrier.0));
    waits.len() == numbers.len() + 1
        && lacking.is_some_and(|(_, wait)| is_covered(&lines, &uses, wait))
}

/// Returns true if `after` differs from `before` in that one arrival at an mbarrier is moved before a product, and
/// this move is not observable. The move is not observable if every wait for this mbarrier is covered, that is, an
/// earlier wait orders the same accesses.
pub(crate) fn moves_covered_arrival(before: &str, after: &str) -> bool {
    let lines: Vec<Option<GenericLine>> = before.lines().map(GenericLine::parse).collect();
    let values = Values::of(before, &lines);
    let uses = MbarrierUse::all(&lines, &values);
    let other_lines: Vec<Option<GenericLine>> = after.lines().map(GenericLine::parse).collect();
    let other_values = Values::of(after, &other_lines);
    let others = MbarrierUse::all(&other_lines, &other_values);
    // The number of the mbarrier of each arrival, and how many products precede it.
    let arrivals =
        |lines: &[Option<GenericLine>], uses: &[MbarrierUse<'_>]| -> Vec<(String, usize)> {
            let arrivals = uses.iter().filter(|one| one.is(ARRIVE));
            let all = arrivals.map(|one| {
                let earlier = lines[..one.at].iter().flatten();
                let products = earlier.filter(|line| line.middle.contains(PRODUCT));
                (one.mbarrier.0.to_owned(), products.count())
            });
            all.collect()
        };
    let (own, other) = (arrivals(&lines, &uses), arrivals(&other_lines, &others));
    let mut pairs = own.iter().zip(&other);
    let Some(((number, _), _)) = pairs.find(|(own, other)| own != other) else {
        return false;
    };
    let is_alone = pairs.all(|(own, other)| own == other);
    let mut waits = uses
        .iter()
        .filter(|one| one.is(WAIT_OF_PHASE) && one.mbarrier.0 == number);
    is_alone && waits.all(|wait| is_covered(&lines, &uses, wait))
}

/// Returns true if an earlier wait orders the same accesses as `wait`. The earlier wait must be for another
/// mbarrier, with the same parity. For each arrival at one of the two mbarriers, the same thread must also arrive
/// at the other mbarrier, and only barriers may lie between these two arrivals.
fn is_covered(
    lines: &[Option<GenericLine>],
    uses: &[MbarrierUse<'_>],
    wait: &MbarrierUse<'_>,
) -> bool {
    let is_straight = |from: usize, to: usize| {
        let mut between = lines[from..to].iter();
        between.all(|line| line.as_ref().is_some_and(|line| !line.name.ends_with("br")))
    };
    let is_like = |one: &MbarrierUse<'_>, operand: usize, other: &MbarrierUse<'_>| {
        one.mbarrier.1 == other.mbarrier.1
            && one.line.operands[operand] == other.line.operands[operand]
            && one.line.middle == other.line.middle
            && is_straight(one.at.min(other.at), one.at.max(other.at))
    };
    let is_adjacent = |one: &MbarrierUse<'_>, other: &MbarrierUse<'_>| {
        let mut between = lines[one.at.min(other.at) + 1..one.at.max(other.at)].iter();
        between.all(|line| {
            is_quiet(&line)
                || line
                    .as_ref()
                    .is_some_and(|line| line.name == "nvvm.barrier")
        })
    };
    let arrivals = |number: &str| -> Vec<&MbarrierUse<'_>> {
        let arrivals = uses.iter().filter(|one| one.is("mbarrier.arrive"));
        arrivals.filter(|one| one.mbarrier.0 == number).collect()
    };
    let own = arrivals(wait.mbarrier.0);
    let covers = |first: &MbarrierUse<'_>| {
        let others = arrivals(first.mbarrier.0);
        let has_pair = |own: &&MbarrierUse<'_>| {
            let mut others = others.iter();
            others.any(|other| is_like(other, 0, own) && is_adjacent(other, own))
        };
        first.mbarrier.0 != wait.mbarrier.0
            && is_like(first, 1, wait)
            && own.len() == others.len()
            && own.iter().all(has_pair)
    };
    let mut earlier = uses
        .iter()
        .filter(|one| one.is(WAIT_OF_PHASE) && one.at < wait.at);
    !own.is_empty() && earlier.any(covers)
}

/// Returns the rule that proves a change of a lowered kernel equivalent, that is, not observable on a correct
/// machine. Returns `None` if no rule applies.
pub(crate) fn reason(text: &str, change: &PipelineChange) -> Option<super::EquivalenceRule> {
    use super::EquivalenceRule;
    let lines: Vec<Option<GenericLine>> = text.lines().map(GenericLine::parse).collect();
    let line = lines[change.at].as_ref()?;
    if change.kind == ChangeKind::Descriptor && line.name == "llvm.or" {
        let word = |line: &GenericLine, at: usize| -> Option<i64> {
            let constant = lines
                .iter()
                .flatten()
                .find(|other| other.result.as_ref() == Some(&line.operands[at]))?;
            constant
                .middle
                .split_once("value = ")?
                .1
                .split_once(" : i")?
                .0
                .parse()
                .ok()
        };
        let changed = change
            .lines
            .first()
            .and_then(|line| GenericLine::parse(line))?;
        let changed: i64 = changed
            .middle
            .split_once("value = ")?
            .1
            .split_once(" : i")?
            .0
            .parse()
            .ok()?;
        let before = word(line, 1)?;
        // A swizzle of 32, 64 or 128 bytes; the leading offset is that from one to the next along the columns.
        let swizzle_bytes = [0, 128, 64, 32][(before >> SWIZZLE & 3) as usize];
        let products = lines
            .iter()
            .flatten()
            .filter(|line| line.middle.contains(PRODUCT));
        let columns = products.filter_map(|line| {
            let (_, shape) = line.middle.split_once("aligned.m64n")?;
            shape.split_once('k')?.0.parse::<i64>().ok()
        });
        let is_one = columns
            .max()
            .is_some_and(|columns| 2 * columns <= swizzle_bytes);
        if is_one && before ^ changed == 1 << LEADING {
            return Some(EquivalenceRule::UnusedField);
        }
    }
    if change.kind == ChangeKind::Stage && line.name == "llvm.br" {
        let changed: Vec<GenericLine> = change
            .lines
            .iter()
            .filter_map(|line| GenericLine::parse(line))
            .collect();
        let [constant, branch] = &changed[..] else {
            return None;
        };
        let value = constant
            .middle
            .split_once("value = ")?
            .1
            .split_once(" : i")?
            .0
            .parse()
            .ok()?;
        let position = branch
            .operands
            .iter()
            .position(|operand| operand == "%late")?;
        let block = line.middle.split_once('[')?.1.split_once(']')?.0;
        let mut heads = text.lines().map(str::trim);
        let head = heads.find(|line| {
            line.strip_prefix(block)
                .is_some_and(|rest| rest.starts_with('('))
        })?;
        let argument = head
            .split_once('(')?
            .1
            .split(", ")
            .nth(position)?
            .split(':')
            .next()?;
        if wraps_alike(&lines, argument, value) {
            return Some(EquivalenceRule::SameStage);
        }
    }
    let is_proxy_fence = |line: &GenericLine| line.middle.contains("\"fence.proxy.async");
    if change.kind == ChangeKind::Fence && is_proxy_fence(line) {
        const WRITES: [&str; 5] = [
            "llvm.store",
            "stmatrix",
            "cp.async",
            "llvm.br",
            "llvm.cond_br",
        ];
        let is_write = |line: &GenericLine| {
            WRITES.iter().any(|word| line.name.contains(word)) || line.middle.contains("\"st.")
        };
        let mut earlier = lines[..change.at].iter().rev().flatten();
        if earlier
            .find(|line| is_proxy_fence(line) || is_write(line))
            .is_some_and(is_proxy_fence)
        {
            return Some(EquivalenceRule::NothingWritten);
        }
    }
    let (before, after) = (&lines[..change.at], &lines[change.at + 1..]);
    let same = |other: Option<&Option<GenericLine>>| {
        let other = other.and_then(Option::as_ref);
        other.is_some_and(|other| other.name == line.name && other.middle == line.middle)
    };
    let next = after.iter().find(|line| !is_quiet(line));
    let previous = before.iter().rev().find(|line| !is_quiet(line));
    if change.kind == ChangeKind::Barrier && orders_only_mbarriers(&lines, change.at) {
        return Some(EquivalenceRule::OnlyMbarriers);
    }
    let is_removed = change.lines.is_empty()
        || matches!(change.kind, ChangeKind::WaitWeakened | ChangeKind::Barrier);
    if is_removed && (same(next) || same(previous)) {
        return Some(EquivalenceRule::Repeated);
    }
    None
}

/// Returns the lines of each block of a lowered kernel, keyed by the label of the block.
fn blocks(text: &str) -> HashMap<String, Vec<GenericLine>> {
    let mut blocks: HashMap<String, Vec<GenericLine>> = HashMap::new();
    let mut label = "entry".to_owned();
    for line in text.lines().map(str::trim) {
        if line.starts_with('^') {
            label = line.split(['(', ':']).next().unwrap_or_default().to_owned();
            // The entry block is printed with its arguments, and nothing branches to it.
            if label == "^bb0" {
                "entry".clone_into(&mut label);
            }
        } else if let Some(line) = GenericLine::parse(line) {
            blocks.entry(label.clone()).or_default().push(line);
        }
    }
    blocks
}

/// Follows the execution in which each loop runs `rounds` times. Returns its memory accesses and barriers in order,
/// each with the indices of the `cp.async` copies that are complete before it.
fn completions(
    blocks: &HashMap<String, Vec<GenericLine>>,
    rounds: usize,
) -> Vec<(String, Vec<usize>)> {
    const ACCESSES: [&str; 7] = [
        "load", "store", "matrix", "asm", "barrier", "sync", "return",
    ];
    let (mut points, mut visits) = (Vec::new(), HashMap::new());
    let (mut started, mut open, mut groups) = (0, Vec::new(), Vec::<Vec<usize>>::new());
    let mut complete = Vec::new();
    let mut label = "entry".to_owned();
    'blocks: while let Some(lines) = blocks.get(&label) {
        for line in lines {
            match &*line.name {
                "nvvm.cp.async.shared.global" => {
                    points.push((line.name.clone(), complete.clone()));
                    open.push(started);
                    started += 1;
                }
                "nvvm.cp.async.commit.group" => groups.push(std::mem::take(&mut open)),
                "nvvm.cp.async.wait.group" => {
                    let most = line
                        .middle
                        .split_once("n = ")
                        .and_then(|(_, rest)| rest.split_once(' '));
                    let most = most.and_then(|(most, _)| most.parse().ok()).unwrap_or(0);
                    let done = groups.len().saturating_sub(most);
                    complete.extend(groups.drain(..done).flatten());
                }
                "llvm.br" | "llvm.cond_br" => {
                    let targets = line
                        .middle
                        .split_once('[')
                        .and_then(|(_, rest)| rest.split_once(']'));
                    let targets: Vec<&str> =
                        targets.map_or("", |(all, _)| all).split(", ").collect();
                    let visit = visits.entry(label.clone()).or_insert(0);
                    *visit += 1;
                    let is_first = targets.len() == 1 || *visit <= rounds;
                    label = targets[usize::from(!is_first)].to_owned();
                    continue 'blocks;
                }
                name if ACCESSES.iter().any(|word| name.contains(word)) => {
                    points.push((name.to_owned(), complete.clone()));
                }
                _ => {}
            }
        }
        break;
    }
    points
}

/// Returns true if, before each access, the same `cp.async` copies are complete in both kernels. Paths with 0 to 8
/// rounds of each loop are compared.
pub(crate) fn has_same_completions(before: &str, after: &str) -> bool {
    let (before, after) = (blocks(before), blocks(after));
    let mut all = (0..=8).map(|rounds| (completions(&before, rounds), completions(&after, rounds)));
    all.all(|(before, after)| before.len() > 1 && before == after)
}

/// Returns true if the first addition to the stage index `argument` wraps it to 0 in two cases: with the initial
/// value `value`, and with the initial value `value - 1`. This addition must be the only use of the index, and its
/// result must be compared with the number of stages.
fn wraps_alike(lines: &[Option<GenericLine>], argument: &str, value: i64) -> bool {
    let all = || lines.iter().flatten();
    let number = |name: &str| {
        let constant = all().find(|line| line.result.as_deref() == Some(name))?;
        let (_, value) = constant.middle.split_once("value = ")?;
        value.split_once(" : i")?.0.parse::<i64>().ok()
    };
    let uses = |name: &str| -> Vec<&GenericLine> {
        all()
            .filter(|line| line.operands.iter().any(|operand| operand == name))
            .collect()
    };
    let [add] = uses(argument)[..] else {
        return false;
    };
    let (Some(by), Some(sum)) = (number(&add.operands[1]), add.result.as_deref()) else {
        return false;
    };
    let compared = uses(sum).into_iter().find(|line| line.name == "llvm.icmp");
    let count = compared.and_then(|line| number(&line.operands[1]));
    add.name == "llvm.add" && count.is_some_and(|count| value - 1 + by >= count)
}
