//! What every operand and result is checked for: tensors and buffers against the module.

use super::{Verdict, convert::verdict, generic};
use crate::ir::layouts::{TypeFacts, Units};
use crate::ir::{Layouts, ModuleInfo, OpKind, TensorType};
use crate::sys::{self, Diagnostic, build};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};

/// More elements than this in one tensor is taken for a mistake, as in Triton.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Checks every tensor and buffer of an operation against the module.
///
/// Triton asks nothing of the tensors and buffers of `amdg`, and bounds the size of those of `tt`.
pub(super) fn operands_and_results(op: OperationRef<'_, '_>, kind: OpKind) -> Verdict {
    let dialect = kind.dialect();
    if dialect == "amdg" {
        return Ok(());
    }
    let mut diagnostics = Vec::new();
    let (mut module, mut generic) = (None, None);
    let layouts = Layouts::of(op.context());
    let single = op.result_count() == 1;
    let operands =
        (0..op.operand_count()).map(|i| (Place::Operand(i), build::operand(op, i).r#type()));
    let results = (0..op.result_count()).map(|i| {
        let place = if single {
            Place::Result
        } else {
            Place::ResultNumber(i)
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
            // Functions only pass buffers on.
            TypeFacts::Buffer(_) if dialect == "tt" => Ok(()),
            TypeFacts::Buffer(ctas) => buffer(op, ctas, type_, place),
        };
        diagnostics.extend(checked.err());
    }
    verdict(diagnostics)?;
    generic.map_or(Ok(()), |type_| generic::taken(kind, type_))
}

/// Where in an operation a tensor or buffer stands.
#[derive(Clone, Copy)]
enum Place {
    Operand(usize),
    Result,
    ResultNumber(usize),
}

impl std::fmt::Display for Place {
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
    place: Place,
    dialect: &str,
) -> Result<(), Diagnostic> {
    if dialect != "tt" {
        return Ok(());
    }
    let elements = elements.filter(|n| *n <= MAX_ELEMENTS).ok_or_else(|| {
        Diagnostic::new(format!(
            "has too many elements in {place}: `{type_}` has more than {MAX_ELEMENTS}"
        ))
    })?; // tt_c1
    if !elements.is_power_of_two() {
        return Err(Diagnostic::new(format!(
            "needs a power of two of elements in {place}, but `{type_}` has {elements}"
        ))
        .note("pad the tensor to the next power of two and mask the rest")); // tt_c2
    }
    Ok(())
}

fn layout(
    op: OperationRef<'_, '_>,
    units: Units,
    type_: Type<'_>,
    place: Place,
    module: &mut Option<ModuleInfo>,
) -> Result<(), Diagnostic> {
    if matches!(units, Units::Unsaid) {
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
            "threads per warp",
            "ttg.threads-per-warp",
            module.threads_per_warp,
        ),
        ("warps per CTA", "ttg.num-warps", module.num_warps),
        ("CTAs", "ttg.num-ctas", module.num_ctas),
    ];
    for (found, (what, attribute, expected)) in found.into_iter().zip(expected) {
        if found != expected {
            return Err(Diagnostic::new(format!(
                "has an invalid layout in {place}: it has {found} {what}, but the module says {expected}"
            ))
            .note(format!("the type is `{type_}`"))
            .note(format!("change the encoding, or the module's `\"{attribute}\"`"))); // ttg_c6, ttg_c7, ttg_c8
        }
    }
    Ok(())
}

fn not_laid_out(op: OperationRef<'_, '_>, type_: Type<'_>, place: Place) -> Result<(), Diagnostic> {
    let Some(tensor) = TensorType::of(type_) else {
        return Ok(());
    };
    Layouts::of(op.context())
        .tensor(&tensor)
        .map(drop)
        .map_err(|reason| {
            Diagnostic::new(format!("has an invalid layout in {place}: {reason}"))
                .note(format!("the type is `{type_}`")) // ttg_c5
        })
}

fn buffer(
    op: OperationRef<'_, '_>,
    ctas: Option<u64>,
    type_: Type<'_>,
    place: Place,
) -> Result<(), Diagnostic> {
    let Some(found) = ctas else {
        return Ok(());
    };
    let expected = ModuleInfo::num_ctas(op);
    if found != expected {
        return Err(Diagnostic::new(format!(
            "has an invalid layout in {place}: it has {found} CTAs, but the module says {expected}"
        ))
        .note(format!("the type is `{type_}`"))
        .note("change the encoding, or the module's `\"ttg.num-ctas\"`")); // ttg_c9
    }
    Ok(())
}

/// Checks where an attribute of `ttg` stands that is for a whole module.
///
/// # Errors
/// It stands elsewhere.
pub fn attribute(op: OperationRef<'_, '_>, name: &str) -> Verdict {
    let function = name == "ttg.num-warps";
    if !function && !matches!(name, "ttg.num-ctas" | "ttg.threads-per-warp" | "ttg.target") {
        return Ok(());
    }
    ensure!(
        sys::is_module(op) || (function && OpKind::TtFunc.is(op)),
        "has the attribute `\"{name}\"`, which stands on a module{} only",
        if function { " or a `tt.func`" } else { "" }
    ); // ttg_c4
    Ok(())
}
