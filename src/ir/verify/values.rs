//! Rules for all operands and results: tensors and buffers must fit the module attributes.

use super::common::{Verdict, broken, ensure, verdict};
use super::generic;
use crate::ir::discardable::{NUM_CTAS, NUM_WARPS, TARGET, THREADS_PER_WARP};
use crate::ir::layouts::{TypeFacts, Units};
use crate::ir::rules::labels;
use crate::ir::{Layouts, ModuleInfo, OpKind, TensorType};
use crate::sys::{self, Diagnostic, build};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};

/// Maximum number of elements of a tensor, as in Triton.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Checks that the tensors and buffers of an operation match the numbers of lanes, warps and CTAs of the module.
///
/// As in Triton, `amdg` operations are not checked, and only tensors of `tt` operations have a size limit.
pub(super) fn operands_and_results(op: OperationRef<'_, '_>, kind: OpKind) -> Verdict {
    let dialect = kind.dialect();
    if dialect == "amdg" {
        return Ok(());
    }
    let mut diagnostics = Vec::new();
    let (mut module, mut generic) = (None, None);
    let layouts = Layouts::of(op.context());
    let single = op.result_count() == 1;
    let operands = (0..op.operand_count())
        .map(|i| (ValuePosition::Operand(i), build::operand(op, i).r#type()));
    let results = (0..op.result_count()).map(|i| {
        let place = if single {
            ValuePosition::Result
        } else {
            ValuePosition::ResultNumber(i)
        };
        (place, build::result(op, i).r#type())
    });
    for (place, type_) in operands.chain(results) {
        let checked = match layouts.type_facts(type_) {
            TypeFacts::Other => Ok(()),
            TypeFacts::Tensor {
                elements,
                units,
                is_generic,
            } => {
                generic = generic.or(is_generic.then_some(type_));
                size(elements, type_, place, dialect)
                    .and_then(|()| layout(op, units, type_, place, &mut module))
            }
            // Functions only forward buffers.
            TypeFacts::Buffer(_) if dialect == "tt" => Ok(()),
            TypeFacts::Buffer(ctas) => buffer(op, ctas, type_, place),
        };
        diagnostics.extend(checked.err());
    }
    verdict(diagnostics)?;
    generic.map_or(Ok(()), |type_| generic::check_support(kind, type_))
}

/// The operand or result that a message refers to: `operand 1`, `the result` or `result 0`.
#[derive(Clone, Copy)]
enum ValuePosition {
    Operand(usize),
    Result,
    ResultNumber(usize),
}

impl std::fmt::Display for ValuePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Operand(i) => write!(f, "operand {i}"),
            Self::Result => f.write_str("the result"),
            Self::ResultNumber(i) => write!(f, "result {i}"),
        }
    }
}

fn size(
    elements: Option<u64>,
    type_: Type<'_>,
    place: ValuePosition,
    dialect: &str,
) -> Result<(), Diagnostic> {
    if dialect != "tt" {
        return Ok(());
    }
    let elements = elements.filter(|n| *n <= MAX_ELEMENTS).ok_or_else(|| {
        broken!(
            tt_c1,
            "{place} has type `{type_}`; expected at most {MAX_ELEMENTS} elements"
        )
    })?;
    if !elements.is_power_of_two() {
        return Err(broken!(
            tt_c2,
            "{place} has type `{type_}` with {elements} elements; expected a power of two"
        )
        .note("pad the tensor to the next power of two and mask the rest"));
    }
    Ok(())
}

fn layout(
    op: OperationRef<'_, '_>,
    units: Units,
    type_: Type<'_>,
    place: ValuePosition,
    module: &mut Option<ModuleInfo>,
) -> Result<(), Diagnostic> {
    if matches!(units, Units::None | Units::Open) {
        return Ok(());
    }
    let module = match *module {
        Some(known) => known,
        None => *module.insert(ModuleInfo::around(op)?),
    };
    let Units::Of(found) = units else {
        return not_laid_out(op, type_, place);
    };
    let expected = [
        (
            labels::ttg_c6,
            "threads per warp",
            THREADS_PER_WARP,
            module.threads_per_warp,
        ),
        (labels::ttg_c7, "warps per CTA", NUM_WARPS, module.num_warps),
        (labels::ttg_c8, "CTAs", NUM_CTAS, module.num_ctas),
    ];
    for (found, (label, what, attribute, expected)) in found.into_iter().zip(expected) {
        if found != expected {
            return Err(Diagnostic::new(format!(
                "has an invalid layout in {place}: the layout has {found} {what}, but the module has {expected}"
            ))
            .of_rules([label])
            .note(format!("the type is `{type_}`"))
            .note(format!("change the encoding, or the module's `\"{attribute}\"`")));
        }
    }
    Ok(())
}

fn not_laid_out(
    op: OperationRef<'_, '_>,
    type_: Type<'_>,
    place: ValuePosition,
) -> Result<(), Diagnostic> {
    let Some(tensor) = TensorType::of(type_) else {
        return Ok(());
    };
    Layouts::of(op.context())
        .tensor(&tensor)
        .map(drop)
        .map_err(|reason| {
            // The encoding's own rule is more specific.
            Diagnostic::new(format!("has an invalid layout in {place}: {reason}"))
                .of_rules([reason.rule().unwrap_or(labels::ttg_c5)])
                .note(format!("the type is `{type_}`"))
        })
}

fn buffer(
    op: OperationRef<'_, '_>,
    ctas: Option<u64>,
    type_: Type<'_>,
    place: ValuePosition,
) -> Result<(), Diagnostic> {
    let Some(found) = ctas else {
        return Ok(());
    };
    let expected = ModuleInfo::num_ctas(op);
    if found != expected {
        return Err(broken!(
            ttg_c9,
            "has an invalid layout in {place}: the layout has {found} CTAs, but the module has {expected}"
        )
        .note(format!("the type is `{type_}`"))
        .note(format!(
            "change the encoding, or the module's `\"{NUM_CTAS}\"`"
        )));
    }
    Ok(())
}

/// Checks that a module attribute of `ttg` is on a module; `ttg.num-warps` may also be on a `tt.func`.
///
/// # Errors
/// Returns an error for other operations.
pub fn attribute(op: OperationRef<'_, '_>, name: &str) -> Verdict {
    let function = name == NUM_WARPS;
    if !function && ![NUM_CTAS, THREADS_PER_WARP, TARGET].contains(&name) {
        return Ok(());
    }
    ensure!(
        ttg_c4,
        sys::is_module(op) || (function && OpKind::TtFunc.is(op)),
        "has the attribute `\"{name}\"`, which is allowed only on a module{}",
        if function {
            format!(" or a `{}`", OpKind::TtFunc.name())
        } else {
            String::new()
        }
    );
    Ok(())
}
