//! Shared-memory memdescs: allocation, stores and loads.
//!
//! A lowered memdesc is the address of the allocation plus the byte offset of the view, before padding. Views change
//! only the byte offset, so loops carry memdescs like registers. [`plan_access`] groups registers into accesses.

pub(crate) mod atomic;
pub(crate) mod indexed;
mod rotation;
mod view;
pub(crate) mod views;

use super::allocate::PlanContext;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, ProgramInputs};
use super::value::SharedBuffer;
use crate::analysis::effects::{BufferAllocation, Effects, Request};
use crate::ir::ops::ttg;
use crate::ir::{Layouts, location_text};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::memory::{BufferAccess, plan_access};
use linear_layout::plan::program::Program;
use linear_layout::target::{Access, Target};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use view::ALIGNMENT;
pub(super) use view::MemdescLayout;

// --- effects ---

fn request(layouts: &Layouts, alloc: ttg::LocalAlloc<'_, '_>) -> Result<Request, Diagnostic> {
    let view = MemdescLayout::of(layouts, alloc.result().r#type())?;
    let requested = alloc.alignment().unwrap_or(1);
    let requested = u32::try_from(requested)
        .ok()
        .filter(|requested| requested.is_power_of_two())
        .ok_or_else(|| {
            Diagnostic::new(format!(
                "requires a power of two as `alignment`, but got {requested}"
            ))
        })?;
    let own = view
        .type_
        .encoding
        .and_then(|e| layouts.encoding(e).ok()?.alignment_bytes());
    Ok(Request {
        bytes: view.bytes,
        alignment: requested.max(own.unwrap_or(1)).max(ALIGNMENT),
    })
}

/// Checks that a buffer is aligned to at least `expected` bytes. Tensor copies and warp-group products require this
/// alignment, because they swizzle shared-memory addresses.
///
/// # Errors
/// Fails if the alignment may be smaller.
pub(super) fn check_alignment(
    layouts: &Layouts,
    buffer: Val<'_>,
    expected: u64,
) -> Result<(), Diagnostic> {
    let root = views::root(buffer);
    let alloc = sys::defining_operation(root).and_then(ttg::LocalAlloc::of);
    let found = match alloc {
        Some(alloc) => request(layouts, alloc)?.alignment,
        // Other memdescs are aligned according to their type.
        None => MemdescLayout::of(layouts, root.r#type())?
            .type_
            .encoding
            .and_then(|e| layouts.encoding(e).ok()?.alignment_bytes())
            .unwrap_or(ALIGNMENT),
    };
    if u64::from(found) >= expected {
        return Ok(());
    }
    Err(Diagnostic::new(format!(
        "requires a buffer aligned to {expected} bytes, but `{}` is aligned to {found}",
        root.r#type()
    ))
    .note(format!(
        "set `alignment = {expected} : i32` on the `ttg.local_alloc` of the buffer"
    )))
}

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let made = match ttg::LocalAlloc::of(op) {
        Some(alloc) => Some(BufferAllocation {
            value: sys::value_id(alloc.result()),
            request: request(context.layouts, alloc)?,
        }),
        None => None,
    };
    let Some(access) = BufferOp::of(op) else {
        let views = views::view(context.layouts, op).into_iter().collect();
        return Ok(Effects {
            allocation: made,
            views,
            ..Effects::default()
        });
    };
    let (layouts, target) = (context.layouts, context.gpu.target);
    let plan = context
        .plans
        .plan(op, access.key(), || access.plan(layouts, target))?;
    Ok(Effects {
        allocation: made,
        ..context.effects_of(op, &plan.0, Some(sys::value_id(access.buffer)))
    })
}

#[derive(Debug)]
struct AccessProgram(Program);

struct BufferOp<'c> {
    tensor: Val<'c>,
    buffer: Val<'c>,
    /// Index tensor of a gather or scatter, and the buffer axis that it indexes. `None` for other accesses.
    indices: Option<(Val<'c>, i64)>,
    access: Access,
}

impl<'c> BufferOp<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let (tensor, buffer, indices, access) = if let Some(alloc) = ttg::LocalAlloc::of(op) {
            (alloc.src()?, alloc.result(), None, Access::Store)
        } else if let Some(store) = ttg::LocalStore::of(op) {
            (store.src(), store.dst(), None, Access::Store)
        } else if let Some(load) = ttg::LocalLoad::of(op) {
            (load.result(), load.src(), None, Access::Load)
        } else if let Some(gather) = ttg::LocalGather::of(op) {
            let indices = Some((gather.indices(), gather.axis()));
            (gather.result(), gather.src(), indices, Access::Load)
        } else {
            let scatter = ttg::LocalScatter::of(op)?;
            let indices = Some((scatter.indices(), scatter.axis()));
            (scatter.values(), scatter.dst(), indices, Access::Store)
        };
        Some(Self {
            tensor,
            buffer,
            indices,
            access,
        })
    }

    fn key(&self) -> Vec<usize> {
        let types = [self.tensor, self.buffer].map(|value| sys::type_id(value.r#type()));
        let axis = self.indices.map_or(0, |(_, axis)| {
            1 + usize::try_from(axis).expect("an axis is not negative")
        });
        vec![
            types[0],
            types[1],
            axis,
            usize::from(self.access == Access::Store),
        ]
    }

    fn plan(&self, layouts: &Layouts, target: &Target) -> Result<AccessProgram, Diagnostic> {
        // The result of a gather has the layout of its indices.
        let tensor = self.indices.map_or(self.tensor, |(indices, _)| indices);
        let layout = layout_of(layouts, tensor.r#type())?;
        let view = MemdescLayout::of(layouts, self.buffer.r#type())?;
        let indexed = self.indices.map(|(_, axis)| {
            let axis = usize::try_from(axis).unwrap_or_default();
            (axis, view.shape().get(axis).copied().unwrap_or(1))
        });
        let access = BufferAccess {
            registers: &layout.unique,
            buffer: &view.place,
            view_mask: view.view_mask()?,
            indexed,
            access: self.access,
            neighbours: None,
            target,
        };
        Ok(AccessProgram(verified_access(&access)?))
    }
}

pub(super) fn verified_access(access: &BufferAccess<'_>) -> Result<Program, Diagnostic> {
    let program = plan_access(access).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_access(&program, access).map_err(wrong)?;
    Ok(program)
}

// --- emission ---

pub(crate) fn alloc<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let alloc = ttg::LocalAlloc::of(op).expect("the dispatch goes by kind");
    let Some(offset) = l.allocation.buffer(op) else {
        // Allocation failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let buffer = SharedBuffer {
        base: l.shared_memory(offset),
        position: l.e.i32(0),
    };
    l.set_buffer(alloc.result(), buffer);
    match alloc.src() {
        Some(_) => access(l, op),
        None => Ok(()),
    }
}

/// Lowers `ttg.local_dealloc`: marks the end of the buffer's lifetime for the simulator.
///
/// Reports an error if a later operation uses the buffer. The allocation of shared memory considers only the uses
/// of the buffer and ignores this operation.
pub(crate) fn dealloc<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let dealloc = ttg::LocalDealloc::of(op).expect("the dispatch goes by kind");
    if let Some(user) = use_after(op, views::root(dealloc.src())) {
        let mut diagnostic = Diagnostic::new("uses a buffer after its `ttg.local_dealloc`");
        if let Some(place) = location_text(op.location()) {
            diagnostic = diagnostic.note(format!("the buffer is deallocated at {place}"));
        }
        l.emitted = Some(sys::emit_error(user, &diagnostic));
    }
    let buffer = l.buffer(dealloc.src())?;
    l.bounds.end(&mut l.e, buffer.base);
    Ok(())
}

/// Returns the first operation after `op` that uses the buffer `root`, in the same block or in a nested region.
fn use_after<'c>(op: Op<'c>, root: Val<'c>) -> Option<Op<'c>> {
    let later = std::iter::successors(build::next(op), |op| build::next(*op));
    let mut pending: Vec<Op<'c>> = later.collect();
    pending.reverse();
    while let Some(op) = pending.pop() {
        let operands = (0..op.operand_count()).map(|i| build::operand(op, i));
        if operands.map(views::root).any(|operand| operand == root) {
            return Some(op);
        }
        for region in (0..op.region_count()).rev() {
            for block in build::blocks(op, region).into_iter().rev() {
                pending.extend(build::operations(block).into_iter().rev());
            }
        }
    }
    None
}

pub(crate) fn access<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let access = BufferOp::of(op).expect("the dispatch goes by kind");
    let Some((plan, _)) = l.allocation.plan::<AccessProgram>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let buffer = l.buffer(access.buffer)?;
    let mut sources = match access.access {
        Access::Store => l.get(access.tensor).to_vec(),
        Access::Load => Vec::new(),
    };
    sources.push(buffer.position);
    if let Some((indices, axis)) = access.indices {
        let (size, bits) = indexed::size(l, access.buffer, axis)?;
        let indices = l.get(indices);
        for index in l.bounded_along(&indices, axis, size) {
            sources.push(indexed::index(l, index, bits));
        }
    }
    let (element, i32) = (l.types_of(access.tensor.r#type())?[0], l.e.types.i32);
    let inputs = ProgramInputs {
        buffer: Some(buffer.base),
        ..ProgramInputs::new(&sources, vec![element, i32, i32], 0)
    };
    let loaded = steps::emit(l, &plan.0, inputs)?;
    if access.access == Access::Load {
        l.set(access.tensor, loaded);
    }
    Ok(())
}
