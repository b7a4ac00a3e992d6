//! Mutations of a lowered kernel at one place, as a wrong compiler might produce them.

use super::text::GenericLine;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum MutationKind {
    BarrierRemoved,
    BarrierWeakened,
    OffsetChanged,
    MaskDropped,
    MaskInverted,
    LaneChanged,
    OperandsSwapped,
    DisjointFalse,
    NuwFalse,
    NswFalse,
    RangeFalse,
    InboundsFalse,
}

impl MutationKind {
    pub(crate) const ALL: [Self; 12] = [
        Self::BarrierRemoved,
        Self::BarrierWeakened,
        Self::OffsetChanged,
        Self::MaskDropped,
        Self::MaskInverted,
        Self::LaneChanged,
        Self::OperandsSwapped,
        Self::DisjointFalse,
        Self::NuwFalse,
        Self::NswFalse,
        Self::RangeFalse,
        Self::InboundsFalse,
    ];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::BarrierRemoved => "barrier removed",
            Self::BarrierWeakened => "barrier of the block weakened to one of the warp",
            Self::OffsetChanged => "constant operand (offset, stride, shift, lane) changed",
            Self::MaskDropped => "mask dropped",
            Self::MaskInverted => "mask inverted",
            Self::LaneChanged => "exchange between lanes of another kind",
            Self::OperandsSwapped => "operands swapped",
            Self::DisjointFalse => "`or disjoint` made false, same value",
            Self::NuwFalse => "`nuw` made false, same value",
            Self::NswFalse => "`nsw` made false, same value",
            Self::RangeFalse => "`range` made false, same value",
            Self::InboundsFalse => "`inbounds` made false, same value",
        }
    }
}

/// A mutant of a kernel, in which `lines` replace line `at`.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) kind: MutationKind,
    pub(crate) at: usize,
    pub(crate) lines: Vec<String>,
    pub(crate) before: GenericLine,
    /// The operation that replaces the original one. `None` if the mutation removes the operation.
    pub(crate) after: Option<GenericLine>,
}

/// Returns all mutants of a kernel, in the order of its lines.
pub(crate) fn mutants(text: &str) -> Vec<Mutant> {
    let mut constants = HashMap::new();
    let mut all = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(line) = GenericLine::parse(line) else {
            continue;
        };
        if line.name == "llvm.mlir.constant" {
            if let (Some(result), Some(value)) = (&line.result, integer(&line)) {
                constants.insert(result.clone(), value);
            }
            continue;
        }
        let mut add = |kind, extra: Vec<GenericLine>, after: Option<GenericLine>| {
            let lines = extra.iter().chain(&after).map(GenericLine::print).collect();
            let before = line.clone();
            all.push(Mutant {
                kind,
                at,
                lines,
                before,
                after,
            });
        };
        barriers(&line, &mut add);
        offsets(&line, &constants, &mut add);
        masks(&line, &mut add);
        lanes(&line, &mut add);
        swaps(&line, &mut add);
        flags(&line, &mut add);
    }
    all
}

type AddMutant<'a> = dyn FnMut(MutationKind, Vec<GenericLine>, Option<GenericLine>) + 'a;

fn integer(line: &GenericLine) -> Option<i64> {
    let (_, rest) = line.middle.split_once("value = ")?;
    rest.split_once(" : i")?.0.parse().ok()
}

fn barriers(line: &GenericLine, add: &mut AddMutant<'_>) {
    let block = ["nvvm.barrier0", "nvvm.barrier", "rocdl.barrier"].contains(&&*line.name);
    if !block && line.name != "nvvm.bar.warp.sync" {
        return;
    }
    add(MutationKind::BarrierRemoved, Vec::new(), None);
    if block && line.name.starts_with("nvvm") {
        let all = GenericLine::constant("%all_lanes", -1, "i32");
        let mut sync = GenericLine::new("", "nvvm.bar.warp.sync", &["%all_lanes"], "i32", "()");
        sync.result = None;
        add(MutationKind::BarrierWeakened, vec![all], Some(sync));
    }
}

/// Adds mutants in which a constant is changed that is an integer operand or an index of `llvm.getelementptr`.
/// Other operations may use the same constant, so a mutated operand gets a new constant.
fn offsets(line: &GenericLine, constants: &HashMap<String, i64>, add: &mut AddMutant<'_>) {
    for (at, operand) in line.operands.iter().enumerate() {
        let Some(&value) = constants.get(operand) else {
            continue;
        };
        let Some(type_) = line.operand_types.get(at).filter(|t| t.starts_with('i')) else {
            continue;
        };
        let mut others = vec![value.wrapping_add(1), value ^ 4];
        if type_ == "i1" {
            others = vec![value ^ 1];
        }
        for other in others {
            let constant = GenericLine::constant("%changed", other, type_);
            add(
                MutationKind::OffsetChanged,
                vec![constant],
                Some(line.with_operand(at, "%changed")),
            );
        }
    }
    if line.name == "llvm.getelementptr"
        && let Some((head, tail)) = line.middle.split_once("rawConstantIndices = array<i32: ")
        && let Some((index, tail)) = tail.split_once('>')
        && let Ok(index) = index.parse::<i32>()
        && index != i32::MIN
    {
        for other in [index + 1, index ^ 64] {
            let middle = format!("{head}rawConstantIndices = array<i32: {other}>{tail}");
            add(
                MutationKind::OffsetChanged,
                Vec::new(),
                Some(line.with_middle(middle)),
            );
        }
    }
}

fn masks(line: &GenericLine, add: &mut AddMutant<'_>) {
    if line.name == "llvm.inline_asm"
        && let Some(start) = line.middle.find("@$")
    {
        let end = start + line.middle[start..].find(' ').unwrap_or(0) + 1;
        let without = format!("{}{}", &line.middle[..start], &line.middle[end..]);
        let inverted = line.middle.replacen("@$", "@!$", 1);
        add(
            MutationKind::MaskDropped,
            Vec::new(),
            Some(line.with_middle(without)),
        );
        add(
            MutationKind::MaskInverted,
            Vec::new(),
            Some(line.with_middle(inverted)),
        );
    }
    // Branches around an access; those of loops have more operands.
    if line.name == "llvm.cond_br" && line.operands.len() == 1 {
        let always = GenericLine::constant("%always", -1, "i1");
        add(
            MutationKind::MaskDropped,
            vec![always],
            Some(line.with_operand(0, "%always")),
        );
        if let Some((_, rest)) = line.middle.split_once('[')
            && let Some((ways, rest)) = rest.split_once(']')
            && let Some((yes, no)) = ways.split_once(", ")
        {
            let middle = format!("[{no}, {yes}]{rest}");
            add(
                MutationKind::MaskInverted,
                Vec::new(),
                Some(line.with_middle(middle)),
            );
        }
    }
}

fn lanes(line: &GenericLine, add: &mut AddMutant<'_>) {
    let mut replace = |from: &str, to: &str| {
        if line.middle.contains(from) {
            let middle = line.middle.replacen(from, to, 1);
            add(
                MutationKind::LaneChanged,
                Vec::new(),
                Some(line.with_middle(middle)),
            );
        }
    };
    match &*line.name {
        "nvvm.shfl.sync" => {
            replace("shfl_kind bfly", "shfl_kind idx");
            replace("shfl_kind idx", "shfl_kind bfly");
            replace("shfl_kind bfly", "shfl_kind down");
        }
        "rocdl.update.dpp" => {
            let found = line.middle.split_once("dppCtrl = ");
            let number = found.and_then(|(_, rest)| rest.split_once(' '));
            if let Some((number, _)) = number
                && let Ok(control) = number.parse::<u32>()
            {
                let from = format!("dppCtrl = {control} ");
                replace(&from, &format!("dppCtrl = {} ", control ^ 1));
            }
        }
        _ => {}
    }
}

fn swaps(line: &GenericLine, add: &mut AddMutant<'_>) {
    let first = usize::from(line.name == "llvm.select");
    let last = line.operands.len().saturating_sub(1);
    for at in first..last {
        let same_type = line.operand_types.get(at) == line.operand_types.get(at + 1);
        if same_type && line.operands[at] != line.operands[at + 1] {
            let mut swapped = line.clone();
            swapped.operands.swap(at, at + 1);
            add(MutationKind::OperandsSwapped, Vec::new(), Some(swapped));
        }
    }
}

/// Adds mutants that compute the same value but violate a flag of an operation (`nuw`, `nsw`, `disjoint`, ...).
fn flags(line: &GenericLine, add: &mut AddMutant<'_>) {
    let (Some(result), type_) = (&line.result, &*line.result_type) else {
        return;
    };
    if line.name == "llvm.or" && line.middle.contains("isDisjoint") {
        let all = GenericLine::new(
            "%all_bits",
            "llvm.or",
            &[&line.operands[0], &line.operands[1]],
            type_,
            type_,
        );
        add(
            MutationKind::DisjointFalse,
            vec![all],
            Some(line.with_operand(0, "%all_bits")),
        );
    }
    if line.name == "llvm.add" && matches!(type_, "i32" | "i64") {
        let [a, b] = [&*line.operands[0], &*line.operands[1]];
        let int = |result: &str, name: &str, operands: &[&str], flags: u32| {
            GenericLine::new(result, name, operands, type_, type_)
                .with_middle(format!(" <{{overflowFlags = {flags} : i32}}>"))
        };
        // a - (0 - b): below zero unless b is 0.
        let zero = GenericLine::constant("%zero", 0, type_);
        let negative = int("%negative", "llvm.sub", &["%zero", b], 0);
        let difference = int(result, "llvm.sub", &[a, "%negative"], 2);
        add(
            MutationKind::NuwFalse,
            vec![zero, negative],
            Some(difference),
        );
        // (a + most) + (b - most): both negative unless a is 0.
        let most = if type_ == "i32" {
            i64::from(i32::MAX)
        } else {
            i64::MAX
        };
        let most = GenericLine::constant("%most", most, type_);
        let low = int("%low", "llvm.add", &[a, "%most"], 0);
        let high = int("%high", "llvm.sub", &[b, "%most"], 0);
        let sum = int(result, "llvm.add", &["%low", "%high"], 1);
        add(MutationKind::NswFalse, vec![most, low, high], Some(sum));
    }
    if let Some((head, tail)) = line.middle.split_once("constant_range<i32, 0, ")
        && let Some((high, tail)) = tail.split_once('>')
        && let Ok(high) = high.parse::<u32>()
    {
        let middle = format!("{head}constant_range<i32, 0, {}>{tail}", high / 2);
        add(
            MutationKind::RangeFalse,
            Vec::new(),
            Some(line.with_middle(middle)),
        );
    }
    if line.name == "llvm.getelementptr" {
        let pointer = &*line.operand_types[0];
        let step = |result: &str, from: &str, bytes: i32, flags: u32| {
            GenericLine::new(result, "llvm.getelementptr", &[from], pointer, pointer).with_middle(format!(
                " <{{elem_type = i8, noWrapFlags = {flags} : i32, rawConstantIndices = array<i32: {bytes}>}}>"
            ))
        };
        let far = step("%far", &line.operands[0], 1 << 30, 0);
        let near = step("%near", "%far", -(1 << 30), 3);
        add(
            MutationKind::InboundsFalse,
            vec![far, near],
            Some(line.with_operand(0, "%near")),
        );
    }
}
