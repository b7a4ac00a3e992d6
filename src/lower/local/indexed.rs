//! Elements of a buffer at indices that are known at run time: `ttg.local_gather`, `ttg.local_scatter`.

use super::view::{View, narrow, padded};
use crate::ir::ops::ttg;
use crate::lower::index::emit_index;
use crate::lower::state::{Lowering, Outcome};
use crate::lower::types::bits_of;
use crate::lower::value::Buffer;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use linear_layout::plan::memory::IndexedPlan;
use melior::ir::{Type, ValueLike};

/// Reads one element for each index.
pub(crate) fn gather<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let gather = ttg::LocalGather::of(op).expect("the dispatch goes by kind");
    let axis = gather.axis();
    let (plan, buffer) = plan(l, gather.indices(), gather.src(), axis)?;
    let element = l.types_of(gather.result().r#type())?[0];
    let indices = bounded(l, gather.indices(), gather.src(), axis)?;
    let loaded = load_elements(l, &plan, buffer, &indices, element);
    l.set(gather.result(), loaded);
    Ok(())
}

/// Writes one element for each index. Where several have the same, any of them stays.
pub(crate) fn scatter<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let scatter = ttg::LocalScatter::of(op).expect("the dispatch goes by kind");
    let axis = scatter.axis();
    let (plan, buffer) = plan(l, scatter.indices(), scatter.dst(), axis)?;
    let indices = bounded(l, scatter.indices(), scatter.dst(), axis)?;
    let values = l.get(scatter.values());
    for (register, (index, value)) in indices.iter().zip(values.iter()).enumerate() {
        let address = address(l, &plan, buffer, register, *index);
        let bytes = bits_of(value.r#type()) / 8;
        l.e.store(*value, address, bytes);
    }
    Ok(())
}

/// The accesses of an operation's indices.
pub(super) fn plan<'c>(
    l: &Lowering<'c>,
    indices: Val<'c>,
    buffer: Val<'c>,
    axis: i64,
) -> Result<(IndexedPlan, Buffer<'c>), Diagnostic> {
    let layout = l.tensor_layout(indices)?;
    let view = View::of(l.layouts(), buffer.r#type())?;
    let axis = usize::try_from(axis).unwrap_or_default();
    let size = view.shape().get(axis).copied().unwrap_or(1);
    let plan = IndexedPlan::new(&layout.unique, axis, size, &view.place)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    Ok((plan, l.buffer(buffer)?))
}

/// The registers of indices into a buffer along a dimension.
pub(super) fn bounded<'c>(
    l: &mut Lowering<'c>,
    indices: Val<'c>,
    buffer: Val<'c>,
    axis: i64,
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let view = View::of(l.layouts(), buffer.r#type())?;
    let dimension = usize::try_from(axis).unwrap_or_default();
    let size = view.shape().get(dimension).copied().unwrap_or(1);
    let indices = l.get(indices);
    Ok(l.bounded_along(&indices, axis, size))
}

/// Loads one element for each index.
pub(crate) fn load_elements<'c>(
    l: &mut Lowering<'c>,
    plan: &IndexedPlan,
    buffer: Buffer<'c>,
    indices: &[Val<'c>],
    element: Type<'c>,
) -> Vec<Val<'c>> {
    let indices = indices.iter().enumerate();
    indices
        .map(|(register, index)| {
            let address = address(l, plan, buffer, register, *index);
            l.e.load(address, element, bits_of(element) / 8)
        })
        .collect()
}

/// An index as an `i32` of so many bits, whatever its type: beyond them it leads nowhere.
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

/// The address of the element that a register is of, at its index.
pub(super) fn address<'c>(
    l: &mut Lowering<'c>,
    plan: &IndexedPlan,
    buffer: Buffer<'c>,
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
    let offset = padded(&mut l.e, plan.place(), position);
    let i8 = l.e.types.i8;
    l.e.gep(buffer.base, i8, offset)
}
