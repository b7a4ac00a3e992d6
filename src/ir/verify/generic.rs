//! Where tensors laid out by `#ttg.generic_linear` may stand.

use super::{Verdict, one};
use crate::encoding::Encoding;
use crate::ir::{Layouts, TensorType};
use crate::sys::Complaint;
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, ValueLike};

/// Operations of `tt`, `ttg` and `ttng` that take them, sorted.
const TAKEN_BY: [&str; 32] = [
    "tt.addptr",
    "tt.approx_divf",
    "tt.assert",
    "tt.bitcast",
    "tt.broadcast",
    "tt.call",
    "tt.clampf",
    "tt.dot",
    "tt.dot_scaled",
    "tt.elementwise_inline_asm",
    "tt.expand_dims",
    "tt.extern_elementwise",
    "tt.fp_to_fp",
    "tt.func",
    "tt.int_to_ptr",
    "tt.join",
    "tt.load",
    "tt.make_range",
    "tt.mulhiui",
    "tt.precise_divf",
    "tt.precise_sqrt",
    "tt.ptr_to_int",
    "tt.reshape",
    "tt.return",
    "tt.splat",
    "tt.split",
    "tt.store",
    "tt.trans",
    "ttg.convert_layout",
    "ttg.fp4_to_fp",
    "ttg.local_load",
    "ttg.local_store",
];

fn is_generic(encoding: &Encoding) -> bool {
    match encoding {
        Encoding::GenericLinear(_) => true,
        Encoding::Slice(slice) => is_generic(slice.parent()),
        _ => false,
    }
}

/// Whether warps may be swizzled in the tensors of an operation.
pub(super) fn operands_and_results(op: OperationRef<'_, '_>) -> Verdict {
    let name = op.name();
    let name = name.as_string_ref().as_str().unwrap_or_default();
    if name.starts_with("amdg.") || TAKEN_BY.binary_search(&name).is_ok() {
        return Ok(());
    }
    let types = op
        .operands()
        .map(|v| v.r#type())
        .chain(op.results().map(|v| v.r#type()));
    for tensor in types.filter_map(TensorType::of) {
        let Some(encoding) = tensor.encoding else {
            continue;
        };
        let known = Layouts::of(op.context()).encoding(encoding);
        if known.is_ok_and(|known| is_generic(&known)) {
            return Err(one(Complaint::new(format!(
                "does not take a tensor whose warps are swizzled, but has `{}`",
                tensor.type_
            ))
            .note("convert it with `ttg.convert_layout`"))); // generic_linear_c1
        }
    }
    Ok(())
}
