//! Where tensors laid out by `#ttg.generic_linear` may stand.

use super::{Verdict, one};
use crate::sys::Complaint;
use melior::ir::Type;

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

/// Whether an operation takes a tensor of this type, whose warps are swizzled.
pub(super) fn taken(name: &str, type_: Type<'_>) -> Verdict {
    if TAKEN_BY.binary_search(&name).is_ok() {
        return Ok(());
    }
    Err(one(Complaint::new(format!(
        "does not take a tensor whose warps are swizzled, but has `{type_}`"
    ))
    .note("convert it with `ttg.convert_layout`"))) // generic_linear_c1
}
