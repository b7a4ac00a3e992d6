//! Accesses at dynamic indices: `ttg.local_gather`, `ttg.local_scatter`.

use super::view::{MemdescLayout, narrow, padded};
use crate::lower::index::emit_index;
use crate::lower::state::Lowering;
use crate::lower::types::bits_of;
use crate::lower::value::SharedBuffer;
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use linear_layout::plan::memory::IndexedPlan;
use melior::ir::ValueLike;

pub(super) fn plan<'c>(
    l: &Lowering<'c>,
    indices: Val<'c>,
    buffer: Val<'c>,
    axis: i64,
) -> Result<(IndexedPlan, SharedBuffer<'c>), Diagnostic> {
    let layout = l.tensor_layout(indices)?;
    let view = MemdescLayout::of(l.layouts(), buffer.r#type())?;
    let axis = usize::try_from(axis).unwrap_or_default();
    let size = view.shape().get(axis).copied().unwrap_or(1);
    let plan = IndexedPlan::new(&layout.unique, axis, size, &view.place)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    Ok((plan, l.buffer(buffer)?))
}

/// Returns the registers of `indices`, annotated with the bound that the simulator checks: the size of `buffer`
/// along `axis`.
pub(super) fn bounded<'c>(
    l: &mut Lowering<'c>,
    indices: Val<'c>,
    buffer: Val<'c>,
    axis: i64,
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let view = MemdescLayout::of(l.layouts(), buffer.r#type())?;
    let dimension = usize::try_from(axis).unwrap_or_default();
    let size = view.shape().get(dimension).copied().unwrap_or(1);
    let indices = l.get(indices);
    Ok(l.bounded_along(&indices, axis, size))
}

/// Returns the size of `buffer` along `axis`, and the base-2 logarithm of this size.
pub(super) fn size(l: &Lowering<'_>, buffer: Val<'_>, axis: i64) -> Result<(u64, u32), Diagnostic> {
    let view = MemdescLayout::of(l.layouts(), buffer.r#type())?;
    let axis = usize::try_from(axis).unwrap_or_default();
    let size = view.shape().get(axis).copied().unwrap_or(1);
    Ok((size, size.trailing_zeros()))
}

/// Converts an index to `i32` and keeps its lowest `bits` bits.
pub(crate) fn index<'c>(l: &mut Lowering<'c>, value: Val<'c>, bits: u32) -> Val<'c> {
    let i32 = l.e.types.i32;
    let value = match bits_of(value.r#type()) {
        ..32 => l.e.zext(value, i32),
        32 => value,
        _ => l.e.trunc(value, i32),
    };
    let mask = l.e.i32((1 << bits) - 1);
    l.e.and(value, mask)
}

pub(super) fn address<'c>(
    l: &mut Lowering<'c>,
    plan: &IndexedPlan,
    buffer: SharedBuffer<'c>,
    register: usize,
    value: Val<'c>,
) -> Val<'c> {
    let inputs = [l.gpu.lane(&mut l.e), l.gpu.warp(&mut l.e)];
    let thread = emit_index(&mut l.e, plan.thread(), &inputs)[0];
    let index = index(l, value, plan.index_bits());
    let along = emit_index(&mut l.e, plan.index(), &[index])[0];
    let constant = l.e.i32(narrow(plan.registers()[register]));
    let row = l.e.xor(thread, constant);
    let row = l.e.xor(row, buffer.position);
    let position = l.e.xor(row, along);
    let offset = padded(&mut l.e, plan.buffer(), position);
    let i8 = l.e.types.i8;
    l.e.gep(buffer.base, i8, offset)
}
