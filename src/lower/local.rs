//! Buffers in shared memory: what they take, how they are stored to and loaded from.
//!
//! A lowered buffer is two values: the address of what was allocated, and the position of the view in it, in
//! bytes before padding. A view moves the position alone, so loops and branches carry buffers like registers.
//! [`MemoryPlan`] decides which registers go in one access.

pub(crate) mod atomic;
pub(crate) mod indexed;
mod view;
pub(crate) mod views;

use super::allocate::Asked;
use super::index::emit_index;
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::value::Buffer;
use super::words;
use crate::analysis::effects::{Act, Effects, Makes, Request, Touched};
use crate::ir::builders::llvm;
use crate::ir::ops::ttg;
use crate::ir::{Layouts, TensorLayout, TensorType, place_text};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::layout::Dim;
use linear_layout::plan::Cost;
use linear_layout::plan::memory::{Form, MemoryPlan};
use linear_layout::target::{Access, Target};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use view::{ALIGNMENT, View, narrow, padded};

// --- what allocation asks ---

/// The bytes that a buffer takes.
fn request(layouts: &Layouts, alloc: ttg::LocalAlloc<'_, '_>) -> Result<Request, Diagnostic> {
    let view = View::of(layouts, alloc.result().r#type())?;
    let asked = alloc.alignment().unwrap_or(1);
    let asked = u32::try_from(asked)
        .ok()
        .filter(|asked| asked.is_power_of_two())
        .ok_or_else(|| {
            Diagnostic::new(format!(
                "has an alignment of {asked}, expected a power of two"
            ))
        })?;
    let own = view
        .type_
        .encoding
        .and_then(|e| layouts.encoding(e).ok()?.alignment_bytes());
    Ok(Request {
        bytes: view.bytes,
        alignment: asked.max(own.unwrap_or(1)).max(ALIGNMENT),
    })
}

/// What an operation on buffers does in shared memory.
pub(crate) fn effects(asked: &Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let mut effects = Effects::default();
    if let Some(alloc) = ttg::LocalAlloc::of(op) {
        let value = sys::value_id(alloc.result());
        effects.makes = Some(Makes {
            value,
            request: request(asked.layouts, alloc)?,
        });
        let write = Act::Write(Touched::Buffer(value));
        effects.acts.extend(alloc.src().map(|_| write));
    } else if let Some(load) = ttg::LocalLoad::of(op) {
        let buffer = sys::value_id(load.src());
        effects.acts.push(Act::Read(Touched::Buffer(buffer)));
    } else if let Some(store) = ttg::LocalStore::of(op) {
        let buffer = sys::value_id(store.dst());
        effects.acts.push(Act::Write(Touched::Buffer(buffer)));
    } else if let Some(gather) = ttg::LocalGather::of(op) {
        let buffer = sys::value_id(gather.src());
        effects.acts.push(Act::Read(Touched::Buffer(buffer)));
    } else if let Some(scatter) = ttg::LocalScatter::of(op) {
        let buffer = sys::value_id(scatter.dst());
        effects.acts.push(Act::Write(Touched::Buffer(buffer)));
    } else {
        effects.views.extend(views::view(asked.layouts, op));
    }
    Ok(effects)
}

// --- emission ---

pub(crate) fn alloc<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let alloc = ttg::LocalAlloc::of(op).expect("the dispatch goes by kind");
    let Some(offset) = l.allocation.buffer(op) else {
        // It has no place, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let buffer = Buffer {
        base: l.shared_memory(offset),
        position: l.e.i32(0),
    };
    l.set_buffer(alloc.result(), buffer);
    match alloc.src() {
        Some(contents) => store_to(l, contents, alloc.result()),
        None => Ok(()),
    }
}

/// Ends the life of a buffer. Its bytes are free after its last use, so there is nothing to emit but for the simulator.
pub(crate) fn dealloc<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let dealloc = ttg::LocalDealloc::of(op).expect("the dispatch goes by kind");
    if let Some(user) = use_after(op, views::root(dealloc.src())) {
        let mut diagnostic = Diagnostic::new("uses a buffer after its `ttg.local_dealloc`");
        if let Some(place) = place_text(op.location()) {
            diagnostic = diagnostic.note(format!("the buffer is deallocated at {place}"));
        }
        l.emitted = Some(sys::emit_error(user, &diagnostic));
    }
    let buffer = l.buffer(dealloc.src())?;
    l.bounds.end(&mut l.e, buffer.base);
    Ok(())
}

/// The first operation that uses a buffer after an operation of the same block, in that block or in regions within.
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

pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let store = ttg::LocalStore::of(op).expect("the dispatch goes by kind");
    store_to(l, store.src(), store.dst())
}

fn plan<'c>(
    l: &Lowering<'c>,
    tensor: Val<'c>,
    buffer: Val<'c>,
    access: Access,
) -> Result<MemoryPlan, Diagnostic> {
    let layout = l.tensor_layout(tensor)?;
    plan_access(l.layouts(), l.gpu.target, &layout, buffer.r#type(), access)
}

/// How registers of a layout are stored to a buffer, or loaded from it.
fn plan_access(
    layouts: &Layouts,
    target: &Target,
    layout: &TensorLayout,
    buffer: Type<'_>,
    access: Access,
) -> Result<MemoryPlan, Diagnostic> {
    let view = View::of(layouts, buffer)?;
    view.place
        .view_mask(view.shape())
        .and_then(|mask| MemoryPlan::of_warps(&layout.unique, &view.place, mask, access, target))
        .map_err(|e| Diagnostic::new(e.to_string()))
}

/// What storing a tensor to a buffer, or loading it, costs all warps of a block; nothing where it cannot be planned.
#[must_use]
pub fn access_cost(
    layouts: &Layouts,
    target: &Target,
    tensor: &TensorType<'_>,
    buffer: Type<'_>,
    access: Access,
) -> Option<Cost> {
    let layout = layouts.tensor(tensor).ok()?;
    let plan = plan_access(layouts, target, &layout, buffer, access).ok()?;
    let warps = u32::try_from(layout.full.in_size(Dim::WARP)).ok()?;
    let accesses = u32::try_from(plan.accesses().len()).ok()?;
    Some(Cost {
        load_store: plan.wavefronts().0 * target.costs.wavefront * warps,
        arithmetic: accesses * target.costs.access * warps,
        waiting: 0,
    })
}

fn store_to<'c>(l: &mut Lowering<'c>, tensor: Val<'c>, buffer: Val<'c>) -> Outcome {
    let plan = plan(l, tensor, buffer, Access::Store)?;
    let buffer = l.buffer(buffer)?;
    let values = l.get(tensor);
    store_registers(l, &plan, buffer, &values);
    Ok(())
}

/// Stores registers as a plan says.
pub(super) fn store_registers<'c>(
    l: &mut Lowering<'c>,
    plan: &MemoryPlan,
    buffer: Buffer<'c>,
    values: &[Val<'c>],
) {
    for (i, access) in plan.accesses().iter().enumerate() {
        let registers = access.registers.iter();
        let elements: Vec<Val<'c>> = registers.map(|r| values[*r as usize]).collect();
        if let Form::Matrices(fragment) = plan.form() {
            let words = words::pack(&mut l.e, &elements);
            let address = address(l, plan, buffer, i);
            l.gpu.store_matrices(&mut l.e, address, &words, fragment);
            continue;
        }
        let value = pack(l, &elements);
        let address = address(l, plan, buffer, i);
        let alignment = alignment(plan, elements[0].r#type());
        l.e.store(value, address, alignment);
    }
}

pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let load = ttg::LocalLoad::of(op).expect("the dispatch goes by kind");
    let plan = plan(l, load.result(), load.src(), Access::Load)?;
    let buffer = l.buffer(load.src())?;
    let element = l.types_of(load.result().r#type())?[0];
    let registers = load_registers(l, &plan, buffer, element);
    l.set(load.result(), registers);
    Ok(())
}

/// Loads registers as a plan says.
pub(super) fn load_registers<'c>(
    l: &mut Lowering<'c>,
    plan: &MemoryPlan,
    buffer: Buffer<'c>,
    element: Type<'c>,
) -> Vec<Val<'c>> {
    let loaded: Vec<Vec<Val<'c>>> = (0..plan.accesses().len())
        .map(|i| {
            let address = address(l, plan, buffer, i);
            if let Form::Matrices(fragment) = plan.form() {
                let count = plan.vector() * bits_of(element) as usize / 32;
                let words = l.gpu.load_matrices(&mut l.e, address, count, fragment);
                return words::unpack(&mut l.e, &words, plan.vector(), element);
            }
            let alignment = alignment(plan, element);
            let whole = packed_type(l, plan.vector(), element);
            let value = l.e.load(address, whole, alignment);
            unpack(l, value, plan.vector(), element)
        })
        .collect();
    let held = plan.held().iter();
    held.map(|(access, slot)| loaded[*access as usize][*slot as usize])
        .collect()
}

/// The bytes of one access, of which its address is a multiple.
fn alignment(plan: &MemoryPlan, element: Type<'_>) -> u32 {
    plan.vector() as u32 * bits_of(element) / 8
}

/// The address that a thread gives for an access.
fn address<'c>(l: &mut Lowering<'c>, plan: &MemoryPlan, buffer: Buffer<'c>, i: usize) -> Val<'c> {
    let access = &plan.accesses()[i];
    let inputs = [l.gpu.lane(&mut l.e), l.gpu.warp(&mut l.e)];
    let thread = emit_index(&mut l.e, plan.thread(), &inputs)[0];
    let constant = l.e.i32(narrow(access.xor));
    let within = l.e.xor(thread, constant);
    let position = if plan.is_view_disjoint() {
        l.e.or_disjoint(within, buffer.position)
    } else {
        l.e.xor(within, buffer.position)
    };
    let offset = padded(&mut l.e, plan.place(), position);
    let i8 = l.e.types.i8;
    let pointer = l.e.gep(buffer.base, i8, offset);
    l.e.gep_bytes(pointer, narrow(access.add))
}

/// How `count` elements travel: as words where they are narrower, as integers where they are pointers.
fn packed_type<'c>(l: &Lowering<'c>, count: usize, element: Type<'c>) -> Type<'c> {
    let bits = bits_of(element);
    let (count, element) = if bits < 32 && count * bits as usize > 32 {
        (count * bits as usize / 32, l.e.types.i32)
    } else if sys::is_llvm_pointer(element) {
        (count, l.e.types.i64)
    } else {
        (count, element)
    };
    if count == 1 {
        element
    } else {
        l.e.vector_type(count, element)
    }
}

fn pack<'c>(l: &mut Lowering<'c>, elements: &[Val<'c>]) -> Val<'c> {
    let element = elements[0].r#type();
    let type_ = packed_type(l, elements.len(), element);
    if sys::is_llvm_pointer(element) {
        let i64 = l.e.types.i64;
        let numbers: Vec<Val<'c>> = elements
            .iter()
            .map(|value| l.e.pure(llvm::ptrtoint(*value, i64)))
            .collect();
        return l.e.gather(&numbers);
    }
    let vector = l.e.gather(elements);
    l.e.bitcast(vector, type_)
}

fn unpack<'c>(
    l: &mut Lowering<'c>,
    value: Val<'c>,
    count: usize,
    element: Type<'c>,
) -> Vec<Val<'c>> {
    if sys::is_llvm_pointer(element) {
        let i64 = l.e.types.i64;
        let numbers = l.e.scatter(value, count, i64);
        return numbers
            .into_iter()
            .map(|number| l.e.pure(llvm::inttoptr(number, element)))
            .collect();
    }
    let vector = if count == 1 {
        value
    } else {
        let type_ = l.e.vector_type(count, element);
        l.e.bitcast(value, type_)
    };
    l.e.scatter(vector, count, element)
}
