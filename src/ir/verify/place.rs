//! What every operand and result is checked for: tensors and buffers against the module.

use super::{Verdict, convert::verdict};
use crate::encoding::Encoding;
use crate::ir::{Layouts, ModuleInfo, TensorType};
use crate::layout::Dim;
use crate::sys::{self, Complaint};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};

/// More elements than this in one tensor is taken for a mistake, as in Triton.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Checks every tensor and buffer of an operation against the module.
///
/// Triton asks nothing of the tensors and buffers of `amdg`, and bounds the size of those of `tt`.
pub(super) fn operands_and_results(op: OperationRef<'_, '_>, name: &str) -> Verdict {
    let dialect = name.split('.').next().unwrap_or_default();
    if dialect == "amdg" {
        return Ok(());
    }
    let mut complaints = Vec::new();
    let mut module = None;
    let operands = op
        .operands()
        .enumerate()
        .map(|(i, v)| (Place::Operand(i), v.r#type()));
    let single = op.result_count() == 1;
    let results = op.results().enumerate().map(|(i, v)| {
        (
            if single {
                Place::Result
            } else {
                Place::ResultNumber(i)
            },
            v.r#type(),
        )
    });
    for (place, type_) in operands.chain(results) {
        let checked = if let Some(tensor) = TensorType::of(type_) {
            size(&tensor, place, dialect).and_then(|()| layout(op, &tensor, place, &mut module))
        } else {
            buffer(op, type_, place)
        };
        complaints.extend(checked.err());
    }
    verdict(complaints)
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

fn size(tensor: &TensorType<'_>, place: Place, dialect: &str) -> Result<(), Complaint> {
    if dialect != "tt" {
        return Ok(());
    }
    let elements = tensor
        .shape
        .iter()
        .try_fold(1u64, |product, size| product.checked_mul(*size))
        .filter(|n| *n <= MAX_ELEMENTS)
        .ok_or_else(|| {
            Complaint::new(format!(
                "has too many elements in {place}: `{}` has more than {MAX_ELEMENTS}",
                tensor.type_
            ))
        })?; // tt_c1
    if !elements.is_power_of_two() {
        return Err(Complaint::new(format!(
            "needs a power of two of elements in {place}, but `{}` has {elements}",
            tensor.type_
        ))
        .note("pad the tensor to the next power of two and mask the rest")); // tt_c2
    }
    Ok(())
}

fn layout(
    op: OperationRef<'_, '_>,
    tensor: &TensorType<'_>,
    place: Place,
    module: &mut Option<ModuleInfo>,
) -> Result<(), Complaint> {
    if tensor.encoding.is_none() {
        return Ok(());
    }
    if module.is_none() {
        *module = Some(ModuleInfo::around(op)?);
    }
    let Some(module) = module else { return Ok(()) };
    let layout = Layouts::of(op.context()).tensor(tensor).map_err(|reason| {
        Complaint::new(format!("has an invalid layout in {place}: {reason}"))
            .note(format!("the type is `{}`", tensor.type_)) // ttg_c5
    })?;
    let of_dim = [
        (
            Dim::LANE,
            "threads per warp",
            "ttg.threads-per-warp",
            module.threads_per_warp,
        ),
        (
            Dim::WARP,
            "warps per CTA",
            "ttg.num-warps",
            module.num_warps,
        ),
        (Dim::BLOCK, "CTAs", "ttg.num-ctas", module.num_ctas),
    ];
    for (dim, what, attribute, expected) in of_dim {
        let found = layout.full.in_size(dim);
        if found != expected {
            return Err(Complaint::new(format!(
                "has an invalid layout in {place}: it has {found} {what}, but the module says {expected}"
            ))
            .note(format!("the type is `{}`", tensor.type_))
            .note(format!("change the encoding, or the module's `\"{attribute}\"`"))); // ttg_c6, ttg_c7, ttg_c8
        }
    }
    Ok(())
}

fn buffer(op: OperationRef<'_, '_>, type_: Type<'_>, place: Place) -> Result<(), Complaint> {
    let Some(buffer) = sys::buffer(type_).filter(|b| b.memory_space.is_some()) else {
        return Ok(());
    };
    let encoding = buffer
        .encoding
        .and_then(|e| Layouts::of(op.context()).encoding(e).ok());
    let expected = ModuleInfo::num_ctas(op);
    let Some(found) = encoding.as_deref().and_then(ctas) else {
        return Ok(());
    };
    if found != expected {
        return Err(Complaint::new(format!(
            "has an invalid layout in {place}: it has {found} CTAs, but the module says {expected}"
        ))
        .note(format!("the type is `{type_}`"))
        .note("change the encoding, or the module's `\"ttg.num-ctas\"`")); // ttg_c9
    }
    Ok(())
}

fn ctas(encoding: &Encoding) -> Option<u64> {
    encoding
        .cga_layout()
        .ok()
        .map(|cga| u64::from(cga.num_ctas()))
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
    let at = op.name();
    let at = at.as_string_ref().as_str().unwrap_or_default();
    ensure!(
        at == "builtin.module" || (function && at == "tt.func"),
        "has the attribute `\"{name}\"`, which stands on a module{} only",
        if function { " or a `tt.func`" } else { "" }
    ); // ttg_c4
    Ok(())
}
