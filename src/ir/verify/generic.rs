//! Where tensors laid out by `#ttg.generic_linear` may stand.

use super::{Verdict, one};
use crate::ir::Layouts;
use crate::ir::layouts::Occupant;
use crate::sys::{Complaint, build};
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

/// Whether warps may be swizzled in the tensors of an operation.
pub(super) fn operands_and_results(op: OperationRef<'_, '_>, name: &str) -> Verdict {
    let layouts = Layouts::of(op.context());
    let operands = (0..op.operand_count()).map(|i| build::operand(op, i));
    let results = (0..op.result_count()).map(|i| build::result(op, i));
    let generic = operands.chain(results).map(|v| v.r#type()).find(|type_| {
        matches!(
            layouts.occupant(*type_),
            Occupant::Tensor {
                is_generic: true,
                ..
            }
        )
    });
    let Some(type_) = generic else {
        return Ok(());
    };
    if name.starts_with("amdg.") || TAKEN_BY.binary_search(&name).is_ok() {
        return Ok(());
    }
    Err(one(Complaint::new(format!(
        "does not take a tensor whose warps are swizzled, but has `{type_}`"
    ))
    .note("convert it with `ttg.convert_layout`"))) // generic_linear_c1
}
