//! Proofs that a mutant is equivalent to the original kernel.
//!
//! The proofs are independent of the check that should find the mutant. A proof is either syntactic, or another run of
//! the kernel over the same launches, with a division by zero where the two would differ.

use super::mutate::{Mutant, MutationKind};
use super::text::GenericLine;
use gpu_sim::Schedule;

/// The way in which a mutant is proved equivalent to the original kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum EquivalenceProof {
    /// The mutation swaps the operands of a commutative operation.
    Commutative,
    /// The result of the changed operation is unused.
    Unused,
    /// The two swapped operands have the same value in every thread of every launch.
    SameOperands,
    /// The changed operation has the same result as the original one in every thread of every launch.
    SameValue,
    /// The mask is true in every thread that executes the access.
    AlwaysTrue,
    /// The values of masked-off lanes are never used: the output is the same if they are replaced by other values.
    NeverUsed,
    /// The changed operation has a different result only where the result is unused: if other values replace it
    /// there, the output is the same.
    UnusedWhereDifferent,
    /// All tested warp schedules give the same output, so no warps depend on the order that the removed or weakened
    /// barrier enforces.
    AnyOrder,
    /// Between the removed barrier and the next one, or the end of the kernel, no operation accesses shared memory.
    NothingToOrder,
}

impl EquivalenceProof {
    pub(crate) const ALL: [Self; 9] = [
        Self::Commutative,
        Self::Unused,
        Self::SameOperands,
        Self::SameValue,
        Self::AlwaysTrue,
        Self::NeverUsed,
        Self::UnusedWhereDifferent,
        Self::AnyOrder,
        Self::NothingToOrder,
    ];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Commutative => "operands of a commutative operation",
            Self::Unused => "the result is unused",
            Self::SameOperands => "the swapped operands are compared, and the same in every thread",
            Self::SameValue => {
                "the changed operation, run beside the old one, gives the same value in every thread"
            }
            Self::AlwaysTrue => "the mask is true wherever it is asked",
            Self::NeverUsed => {
                "what masked lanes keep is never used: two other values give the same output"
            }
            Self::UnusedWhereDifferent => {
                "where the changed operation gives another value, two further values give the same output"
            }
            Self::AnyOrder => {
                "warps that run one by one, in 24 random orders, give the same output"
            }
            Self::NothingToOrder => {
                "no shared memory is touched before the next barrier or the end"
            }
        }
    }
}

const COMMUTATIVE: [&str; 12] = [
    "llvm.add",
    "llvm.mul",
    "llvm.and",
    "llvm.or",
    "llvm.xor",
    "llvm.fadd",
    "llvm.fmul",
    "llvm.intr.smax",
    "llvm.intr.smin",
    "llvm.intr.umax",
    "llvm.intr.umin",
    "llvm.intr.maximum",
];

/// Number of random warp schedules with which a mutant is run.
const ORDERS: u64 = 24;

/// Returns a proof that the mutant is equivalent to the original kernel, if one is found. `same_output` runs a
/// kernel text under a schedule, and returns true if its output is the expected one.
pub(crate) fn reason(
    text: &str,
    mutant: &Mutant,
    same_output: &dyn Fn(&str, Schedule) -> bool,
) -> Option<EquivalenceProof> {
    let before = &mutant.before;
    // Values of masked lanes are compared like all others.
    let text = &text.replace(" {ttg.unset}", "");
    let same_lines =
        |lines: &[String]| same_output(&replace(text, mutant.at, lines), Schedule::Lockstep);
    if mutant.kind == MutationKind::OperandsSwapped {
        // Equality is symmetric: predicates 0 and 1.
        let equality = before.name == "llvm.icmp"
            && ["predicate = 0 ", "predicate = 1 "]
                .iter()
                .any(|p| before.middle.contains(p));
        if equality || COMMUTATIVE.contains(&&*before.name) {
            return Some(EquivalenceProof::Commutative);
        }
    }
    if is_dead(text, mutant) {
        return Some(EquivalenceProof::Unused);
    }
    if mutant.kind == MutationKind::BarrierRemoved && orders_nothing(text, mutant.at) {
        return Some(EquivalenceProof::NothingToOrder);
    }
    if matches!(
        mutant.kind,
        MutationKind::BarrierRemoved | MutationKind::BarrierWeakened
    ) {
        let changed = replace(text, mutant.at, &mutant.lines);
        let same = (0..ORDERS).all(|seed| same_output(&changed, Schedule::Warps(seed)));
        return same.then_some(EquivalenceProof::AnyOrder);
    }
    let flag = matches!(
        mutant.kind,
        MutationKind::DisjointFalse
            | MutationKind::NuwFalse
            | MutationKind::NswFalse
            | MutationKind::RangeFalse
            | MutationKind::InboundsFalse
    );
    if flag {
        return None;
    }
    if let Some(mut lines) = same_operands(mutant) {
        lines.push(before.print());
        if same_lines(&lines) {
            return Some(EquivalenceProof::SameOperands);
        }
    }
    if let Some(lines) = compare(mutant)
        && same_lines(&lines)
    {
        return Some(EquivalenceProof::SameValue);
    }
    let is_unused =
        |value| other_where_different(mutant, value).is_some_and(|lines| same_lines(&lines));
    if OTHER_VALUES.into_iter().all(is_unused) {
        return Some(EquivalenceProof::UnusedWhereDifferent);
    }
    if mutant.kind == MutationKind::MaskDropped {
        let mask = mask_of(before)?;
        let mut lines = trap(&mask, "i1");
        lines.push(before.print());
        if same_lines(&lines) {
            return Some(EquivalenceProof::AlwaysTrue);
        }
        let never = OTHER_VALUES
            .into_iter()
            .all(|other| other_fallback(before, other).is_some_and(|lines| same_lines(&lines)));
        if never {
            return Some(EquivalenceProof::NeverUsed);
        }
    }
    None
}

/// Two different values that are tried in turn in place of other values. If the output is the same with both, it
/// does not depend on the replaced values.
const OTHER_VALUES: [i64; 2] = [0x34, 0x43];

/// Replaces line `at` of a text by `lines`.
pub(crate) fn replace(text: &str, at: usize, lines: &[String]) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    for (index, line) in text.lines().enumerate() {
        if index == at {
            for line in lines {
                out += line;
                out.push('\n');
            }
        } else {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// Returns true if the result of the changed operation is unused and the operation has no side effects.
fn is_dead(text: &str, mutant: &Mutant) -> bool {
    let Some(result) = &mutant.before.result else {
        return false;
    };
    let effects = [
        "llvm.inline_asm",
        "llvm.load",
        "llvm.store",
        "llvm.call",
        "nvvm.shfl.sync",
    ];
    if effects.contains(&&*mutant.before.name) {
        return false;
    }
    let is_use = |line: &&str, name: &str| {
        line.match_indices(name).any(|(at, _)| {
            !line[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    };
    text.lines()
        .enumerate()
        .filter(|(at, _)| *at != mutant.at)
        .all(|(_, line)| !is_use(&line, result))
}

fn orders_nothing(text: &str, at: usize) -> bool {
    for line in text.lines().skip(at + 1) {
        if line.contains("ptr<3>") && (line.contains("llvm.load") || line.contains("llvm.store")) {
            return false;
        }
        if line.contains("llvm.br") || line.contains("llvm.cond_br") {
            return false;
        }
        if ["barrier", "llvm.return"]
            .iter()
            .any(|word| line.contains(word))
        {
            return true;
        }
    }
    false
}

/// Returns lines that compute both the original and the changed operation. Where their results are equal, that
/// result is used; where they differ, `value` is used instead.
fn other_where_different(mutant: &Mutant, value: i64) -> Option<Vec<String>> {
    let (before, after) = (&mutant.before, mutant.after.as_ref()?);
    let (result, type_) = (before.result.as_ref()?, before.result_type.as_str());
    let effects = ["llvm.inline_asm", "llvm.load", "llvm.cond_br"];
    if effects.contains(&&*before.name) || type_.contains("ptr") {
        return None;
    }
    let (cast, bits) = as_integer(type_)?;
    let named = |line: &GenericLine, name: &str| GenericLine {
        result: Some(name.to_owned()),
        ..line.clone()
    };
    let mut lines: Vec<String> = mutant.lines[..mutant.lines.len() - 1].to_vec();
    lines.push(named(before, "%old").print());
    lines.push(named(after, "%other").print());
    let (mut old, mut other) = ("%old", "%other");
    if !cast.is_empty() {
        lines.push(GenericLine::new("%old_bits", cast, &[old], type_, bits).print());
        lines.push(GenericLine::new("%new_bits", cast, &[other], type_, bits).print());
        (old, other) = ("%old_bits", "%new_bits");
    }
    let equal = GenericLine::new("%equal", "llvm.icmp", &[old, other], bits, "i1")
        .with_middle(" <{predicate = 0 : i64}>".to_owned());
    lines.push(equal.print());
    lines.push(GenericLine::constant("%stand_in", value, bits).print());
    let chosen = if cast.is_empty() { result } else { "%chosen" };
    let mut select = GenericLine::new(
        chosen,
        "llvm.select",
        &["%equal", old, "%stand_in"],
        bits,
        bits,
    );
    "i1".clone_into(&mut select.operand_types[0]);
    lines.push(select.print());
    if !cast.is_empty() {
        lines.push(GenericLine::new(result, cast, &[chosen], bits, type_).print());
    }
    Some(lines)
}

/// Returns the cast operation that converts a type to an integer of the same size, and the integer type. The cast
/// is empty if the type is already an integer.
fn as_integer(type_: &str) -> Option<(&'static str, &str)> {
    Some(match type_ {
        "f16" | "bf16" => ("llvm.bitcast", "i16"),
        "f32" | "vector<2xf16>" | "vector<4xi8>" | "vector<2xi16>" => ("llvm.bitcast", "i32"),
        "f64" | "vector<4xf16>" | "vector<2xf32>" | "vector<2xi32>" => ("llvm.bitcast", "i64"),
        "!llvm.ptr<3>" => ("llvm.ptrtoint", "i32"),
        "!llvm.ptr<1>" | "!llvm.ptr" => ("llvm.ptrtoint", "i64"),
        int if int.starts_with('i') => ("", int),
        _ => return None,
    })
}

/// Returns lines that compute both the original and the changed operation, and divide by zero where their results
/// differ.
fn compare(mutant: &Mutant) -> Option<Vec<String>> {
    let (before, after) = (&mutant.before, mutant.after.as_ref()?);
    let result = before.result.as_ref()?;
    let effects = ["llvm.inline_asm", "llvm.load", "llvm.cond_br"];
    if effects.contains(&&*before.name) {
        return None;
    }
    let mut other = after.clone();
    other.result = Some("%other".to_owned());
    let mut lines: Vec<String> = mutant.lines[..mutant.lines.len() - 1].to_vec();
    lines.push(before.print());
    lines.push(other.print());
    lines.extend(trap_if_different(result, "%other", &before.result_type)?);
    Some(lines)
}

/// Returns lines that divide by zero where the two swapped operands differ.
fn same_operands(mutant: &Mutant) -> Option<Vec<String>> {
    let (before, after) = (&mutant.before, mutant.after.as_ref()?);
    if mutant.kind != MutationKind::OperandsSwapped {
        return None;
    }
    let mut pairs = before.operands.iter().zip(&after.operands).enumerate();
    let (at, (old, new)) = pairs.find(|(_, (old, new))| old != new)?;
    trap_if_different(old, new, &before.operand_types[at])
}

fn trap_if_different(old: &str, new: &str, type_: &str) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let (cast, bits) = as_integer(type_)?;
    let (mut a, mut b) = (old.to_owned(), new.to_owned());
    if !cast.is_empty() {
        lines.push(GenericLine::new("%old_bits", cast, &[&a], type_, bits).print());
        lines.push(GenericLine::new("%new_bits", cast, &[&b], type_, bits).print());
        (a, b) = ("%old_bits".to_owned(), "%new_bits".to_owned());
    }
    let equal = GenericLine::new("%equal", "llvm.icmp", &[&a, &b], bits, "i1")
        .with_middle(" <{predicate = 0 : i64}>".to_owned());
    lines.push(equal.print());
    lines.extend(trap("%equal", "i1"));
    Some(lines)
}

/// Returns lines that divide by `bit`, which traps if it is 0.
fn trap(bit: &str, type_: &str) -> Vec<String> {
    vec![
        GenericLine::new("%trap_bit", "llvm.zext", &[bit], type_, "i32").print(),
        GenericLine::constant("%trap_one", 1, "i32").print(),
        GenericLine::new(
            "%trap",
            "llvm.udiv",
            &["%trap_one", "%trap_bit"],
            "i32",
            "i32",
        )
        .print(),
    ]
}

fn mask_of(line: &GenericLine) -> Option<String> {
    if line.name == "llvm.cond_br" {
        return line.operands.first().cloned();
    }
    let start = line.middle.find("@$")? + 2;
    let digits: String = line.middle[start..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let (_, constraints) = line.middle.split_once("constraints = \"")?;
    let outputs = constraints.split('"').next()?.matches('=').count();
    line.operands
        .get(digits.parse::<usize>().ok()?.checked_sub(outputs)?)
        .cloned()
}

/// Returns a masked load in which the masked-off lanes get `value` instead of the original fallback value.
fn other_fallback(line: &GenericLine, value: i64) -> Option<Vec<String>> {
    if line.name != "llvm.inline_asm" || !line.middle.contains("ld.global") {
        return None;
    }
    let mut changed = line.clone();
    let mut lines = Vec::new();
    for at in 2..line.operands.len() {
        let name = format!("%kept{at}");
        lines.push(GenericLine::constant(&name, value, &line.operand_types[at]).print());
        changed.operands[at] = name;
    }
    lines.push(changed.print());
    (changed.operands.len() > 2).then_some(lines)
}
