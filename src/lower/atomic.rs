//! Atomic accesses to global memory. Only the owner of an element accesses memory, not its replicas.
//!
//! A used result is broadcast from the owner to the replicas ([`broadcast`]). CTA barriers before a release and after
//! an acquire extend the memory order to all threads of the CTA.

use super::allocate::PlanContext;
use super::broadcast;
use super::buffer::{self, BufferOperands, GlobalBuffer};
use super::gpu::{AtomicAccess, AtomicAction, AtomicMemory, CachePolicy, Gpu, acquires, releases};
use super::memory::{AccessGroups, MASKED_BITS, from_memory, memory_element, owner, to_memory};
use super::plans::OpPlan;
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::value::Registers;
use crate::analysis::effects::{Act, Effects};
use crate::ir::ops::{MemSemantic, MemSyncScope, OpView, RMWOp};
use crate::ir::{OpKind, TensorLayout, element_name};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::{Type, TypeLike, ValueLike};

#[derive(Clone, Copy)]
struct AtomicOp<'c> {
    /// The address of each element. If `offsets` is `Some`, the base address to which the offsets are added.
    pointer: Val<'c>,
    offsets: Option<Val<'c>>,
    mask: Option<Val<'c>>,
    sem: MemSemantic,
    scope: MemSyncScope,
    action: Action<'c>,
    result: Option<Val<'c>>,
}

/// An atomic action. The operands are tensors or scalars.
#[derive(Clone, Copy)]
enum Action<'c> {
    Rmw(RMWOp, Val<'c>),
    CompareExchange([Val<'c>; 2]),
    Load,
    Store(Val<'c>),
}

impl<'c> AtomicOp<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        Some(match OpView::of(op)? {
            OpView::TtAtomicRMW(op) => Self {
                pointer: op.ptr(),
                offsets: None,
                mask: op.mask(),
                sem: op.sem(),
                scope: op.scope(),
                action: Action::Rmw(op.atomic_rmw_op(), op.val()),
                result: Some(op.result()),
            },
            OpView::TtAtomicCAS(op) => Self {
                pointer: op.ptr(),
                offsets: None,
                mask: None,
                sem: op.sem(),
                scope: op.scope(),
                action: Action::CompareExchange([op.cmp(), op.val()]),
                result: Some(op.result()),
            },
            OpView::TtAtomicLoad(op) => Self {
                pointer: op.ptr(),
                offsets: None,
                mask: op.mask(),
                sem: op.sem(),
                scope: op.scope(),
                action: Action::Load,
                result: Some(op.result()),
            },
            OpView::AmdgBufferAtomicRMW(op) => Self {
                pointer: op.ptr(),
                offsets: Some(op.offsets()),
                mask: op.mask(),
                sem: op.sem(),
                scope: op.scope(),
                action: Action::Rmw(op.atomic_rmw_op(), op.value()),
                result: Some(op.result()),
            },
            OpView::AmdgBufferAtomicCAS(op) => Self {
                pointer: op.ptr(),
                offsets: Some(op.offsets()),
                mask: None,
                sem: op.sem(),
                scope: op.scope(),
                action: Action::CompareExchange([op.cmp(), op.val()]),
                result: Some(op.result()),
            },
            OpView::TtAtomicStore(op) => Self {
                pointer: op.ptr(),
                offsets: None,
                mask: op.mask(),
                sem: op.sem(),
                scope: op.scope(),
                action: Action::Store(op.value()),
                result: None,
            },
            _ => return None,
        })
    }

    /// Returns the result, or `None` if it is unused or absent.
    fn used_result(&self) -> Option<Val<'c>> {
        self.result.filter(|result| !sys::is_unused(*result))
    }
}

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let atomic = AtomicOp::of(op).expect("the dispatch goes by kind");
    let mut effects = match atomic.used_result() {
        Some(result) => broadcast::plan(context, op, result.r#type())?.effects(context, op),
        None => Effects::default(),
    };
    if acquires(atomic.sem) && !effects.acts.contains(&Act::Barrier) {
        effects.acts.push(Act::Barrier);
    }
    if releases(atomic.sem) {
        effects.acts.insert(0, Act::Barrier);
    }
    Ok(effects)
}

enum ElementAddresses<'c> {
    Pointers(Registers<'c>),
    /// A buffer, whose elements are addressed by offsets. If there is no suitable buffer instruction, the lowering
    /// computes a pointer from each offset.
    Buffer {
        buffer: Box<GlobalBuffer<'c>>,
        has_instruction: bool,
    },
}

impl<'c> AtomicOp<'c> {
    fn accesses(
        &self,
        l: &mut Lowering<'c>,
        op: Op<'c>,
        element: Type<'c>,
        layout: Option<&TensorLayout>,
    ) -> Result<(AccessGroups<'c>, ElementAddresses<'c>), Diagnostic> {
        let rmw = match self.action {
            Action::Rmw(op, _) => Some(op),
            _ => None,
        };
        let widest = rmw.map_or(1, |op| l.gpu.atomic_elements(op, element));
        if let (Some(offsets), Some(layout)) = (self.offsets, layout) {
            let instructions = buffer::instructions(l, OpKind::TtAtomicRMW)?;
            let has_instruction = instructions.1.has_atomic(rmw, element);
            let operands = BufferOperands {
                base: self.pointer,
                offsets,
                mask: self.mask,
                widest: if has_instruction { 1 } else { widest },
            };
            let buffer = GlobalBuffer::new(l, op, &operands, element, layout, instructions);
            let accesses = buffer.accesses.clone();
            let addresses = ElementAddresses::Buffer {
                buffer: Box::new(buffer),
                has_instruction,
            };
            return Ok((accesses, addresses));
        }
        let pointers = ElementAddresses::Pointers(l.get(self.pointer));
        let Some(layout) = layout else {
            return Ok((AccessGroups::scalar(element), pointers));
        };
        let (pointer, bits) = (self.pointer, bits_of(element));
        let vector = l
            .widths()
            .vector(pointer, self.mask, bits, &layout.unique, MASKED_BITS)
            .at_most(widest);
        let accesses = AccessGroups::of(element, layout.num_registers(), &vector);
        Ok((accesses, pointers))
    }
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let atomic = AtomicOp::of(op).expect("the dispatch goes by kind");
    let (element, register_type) = memory_element(l, atomic.pointer)?;
    if let Action::Rmw(op, _) = atomic.action {
        check_rmw(l.gpu, op, element)?;
    }
    let layout = l.layout(atomic.offsets.unwrap_or(atomic.pointer).r#type())?;
    let layout = layout.as_deref();
    let (accesses, addresses) = atomic.accesses(l, op, element, layout)?;
    let masks = atomic.mask.map(|mask| l.get(mask));
    let operands: Vec<Registers<'c>> = match atomic.action {
        Action::Rmw(_, value) | Action::Store(value) => vec![l.get(value)],
        Action::CompareExchange(values) => values.map(|value| l.get(value)).to_vec(),
        Action::Load => Vec::new(),
    };
    if releases(atomic.sem) {
        l.gpu.block_barrier(&mut l.e);
    }
    let (is_owner, repeated) = owner(l, layout);
    let groups: Vec<&Vec<usize>> = accesses
        .groups
        .iter()
        .filter(|group| group[0] & repeated == 0)
        .collect();
    // A single access carries the order itself. Fences order several accesses and buffer instructions.
    let is_fenced = groups.len() > 1
        || matches!(
            addresses,
            ElementAddresses::Buffer {
                has_instruction: true,
                ..
            }
        );
    let sem = if is_fenced {
        MemSemantic::Relaxed
    } else {
        atomic.sem
    };
    if is_fenced && releases(atomic.sem) {
        l.gpu.fence(&mut l.e, MemSemantic::Release, atomic.scope);
    }
    let cache = CachePolicy::default();
    let is_used = atomic.used_result().is_some();
    let zero = l.e.zero(register_type);
    let num_registers = layout.map_or(1, TensorLayout::num_registers);
    let mut registers = vec![zero; num_registers];
    for group in groups {
        let first = group[0];
        let wholes: Vec<Val<'c>> = operands
            .iter()
            .map(|list| {
                let values = group.iter().map(|r| to_memory(l, list[*r], element));
                let values: Vec<Val<'c>> = values.collect();
                l.e.gather(&values)
            })
            .collect();
        let action = match (atomic.action, &wholes[..]) {
            (Action::Rmw(op, _), &[value]) => AtomicAction::Rmw(op, value),
            (Action::CompareExchange(_), &[expected, value]) => {
                AtomicAction::CompareExchange([expected, value])
            }
            (Action::Store(_), &[value]) => AtomicAction::Store(value),
            _ => AtomicAction::Load,
        };
        let pointer = match &addresses {
            ElementAddresses::Buffer {
                buffer,
                has_instruction: true,
            } => {
                let offset = buffer.offset(l, first, is_owner);
                let rmw = match action {
                    AtomicAction::Rmw(op, _) => Some(op),
                    _ => None,
                };
                let bits = buffer.instructions.cache.atomic | u32::from(is_used);
                let at = [buffer.resource, offset];
                let old = buffer.isa.atomic(&mut l.e, rmw, &wholes, at, bits);
                registers[first] = from_memory(l, old, register_type);
                continue;
            }
            ElementAddresses::Buffer { buffer, .. } => buffer.pointer(l, first),
            ElementAddresses::Pointers(pointers) => pointers[first],
        };
        let mask = match (masks.as_ref().map(|masks| masks[first]), is_owner) {
            (Some(mask), Some(owner)) => Some(l.e.and(mask, owner)),
            (mask, owner) => mask.or(owner),
        };
        let access = AtomicAccess {
            memory: AtomicMemory::Global,
            at: accesses.global(pointer, mask, &cache, false),
            sem,
            scope: atomic.scope,
            // An acquire fence synchronises through a read.
            is_used: is_used || is_fenced && acquires(atomic.sem),
        };
        let old = l.gpu.atomic(&mut l.e, &access, action);
        if let (true, Some(old)) = (is_used, old) {
            let values = l.e.scatter(old, accesses.width(), element);
            for (r, value) in group.iter().zip(values) {
                registers[*r] = from_memory(l, value, register_type);
            }
        }
    }
    if is_fenced && acquires(atomic.sem) {
        l.gpu.fence(&mut l.e, MemSemantic::Acquire, atomic.scope);
    }
    let plan = l.allocation.plan::<OpPlan>(op);
    let has_barrier = plan.is_some_and(|(plan, _)| plan.program.num_barriers() > 0);
    if let Some(result) = atomic.result {
        let registers = if is_used {
            broadcast::broadcast(l, op, registers)
        } else {
            registers.into()
        };
        l.set(result, registers);
    }
    if acquires(atomic.sem) && !has_barrier {
        l.gpu.block_barrier(&mut l.e);
    }
    Ok(())
}

/// Checks that `gpu` supports the operation `op` on `element`.
///
/// `max` and `min` follow `llvm.maxnum`: they ignore NaN, and treat -0 as less than or equal to 0.
pub(super) fn check_rmw(gpu: Gpu, op: RMWOp, element: Type<'_>) -> Outcome {
    let name = op.name();
    let is_float = !element.is_integer();
    match op {
        RMWOp::Xchg => Ok(()),
        RMWOp::Fadd if !is_float => Err(Diagnostic::new(format!(
            "`{name}` requires float elements, but got `{}`",
            element_name(element)
        ))
        .note(format!("use `{}` for integers", RMWOp::Add.name()))),
        RMWOp::Max | RMWOp::Min if is_float && gpu.has_float_min_max() => Ok(()),
        RMWOp::Max | RMWOp::Min | RMWOp::Umax | RMWOp::Umin if is_float => {
            Err(Diagnostic::new(format!(
                "`{name}` of `{}` elements is not supported on {}, expected integers",
                element_name(element),
                gpu.target.name
            ))
            .note(match op {
                RMWOp::Max | RMWOp::Umax => {
                    "bitcast to integers: use `max` for values of at least 0, and `umin` for negative values"
                }
                _ => "bitcast to integers: use `min` for values of at least 0, and `umax` for negative values",
            }))
        }
        _ if is_float && op != RMWOp::Fadd => Err(Diagnostic::new(format!(
            "`{name}` of `{}` elements is not supported, expected integers",
            element_name(element)
        ))
        .note(format!("use `{}` for sums of floats", RMWOp::Fadd.name()))),
        _ => Ok(()),
    }
}
