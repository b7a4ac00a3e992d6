//! Asynchronous copies from global to shared memory (`ttg.async_copy_global_to_local`), and the waits.
//!
//! A copy is planned like a store to shared memory, with a copy instruction per store. Contiguity in both memories
//! limits the width. Elements too narrow for copy instructions, and GPUs without such instructions, get synchronous
//! loads and stores; a correct program cannot observe the difference.
//!
//! | destination addresses | supported copies | unit of waits |
//! |---|---|---|
//! | one per thread ([`Gpu::copies`]) | all | groups, or instructions |
//! | one per warp ([`Gpu::copies_in_lane_order`]) | copies with a [`LaneOrder`] that mask to 0 | instructions |
//!
//! Where waits count instructions ([`Gpu::counts_copies`]), the count per copy is known only after the lowering of the
//! function. [`set_counts`] then relaxes each wait.
//!
//! [`Gpu::copies`]: super::gpu::Gpu::copies
//! [`Gpu::copies_in_lane_order`]: super::gpu::Gpu::copies_in_lane_order
//! [`Gpu::counts_copies`]: super::gpu::Gpu::counts_copies

use super::buffer::{self, GlobalBuffer};
use super::gpu::{CachePolicy, GlobalAccess, SharedCopy};
use super::local::{MemdescLayout, verified_access};
use super::memory::{cache_policy, memory_element, owner, to_memory};
use super::state::{Lowering, Outcome};
use super::steps::{self, Destination, ProgramInputs, StoreHook};
use super::types::{bits_of, bits_of_several};
use super::value::Registers;
use crate::analysis::effects::OpId;
use crate::ir::ops::{amdg, ttg};
use crate::ir::{Layouts, OpKind, TensorLayout};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic, operation_id};
use linear_layout::access::VectorAccess;
use linear_layout::layout::LinearLayout;
use linear_layout::plan::memory::{BufferAccess, plan_access};
use linear_layout::plan::program::{LaneOrder, Program, Step};
use linear_layout::target::{Access, Target};
use melior::ir::{Type, ValueLike};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

#[derive(Debug)]
struct CopyProgram {
    program: Program,
    /// The lane order in which each warp stores to contiguous bytes. Copy instructions that take one address per
    /// warp require it. `None` if copy instructions of this size take one address per thread, or if there is no
    /// such lane order.
    lane_order: Option<LaneOrder>,
}

/// The copies and waits of a function. They are recorded only for GPUs on which a wait counts copy instructions.
#[derive(Debug, Default)]
pub(crate) struct CountedCopies<'c> {
    /// For each copy operation, the number of instructions that every warp issues. The number is 0 if some warps
    /// may issue none.
    issued: HashMap<OpId, u32>,
    waits: Vec<(OpId, Op<'c>)>,
}

/// Maximum number of bits that a copy instruction copies per thread.
const COPIED_BITS: u32 = 128;

pub(crate) fn copy<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let copy = ttg::AsyncCopyGlobalToLocal::of(op).expect("the dispatch goes by kind");
    let (pointer, mask) = (copy.src(), copy.mask());
    let (element, _) = memory_element(l, pointer)?;
    let layout = l.tensor_layout(pointer)?;
    let promised = u64::try_from(copy.contiguity()).unwrap_or(1);
    let vector = l.widths().hinted_vector(
        pointer,
        mask,
        promised,
        bits_of(element),
        &layout.unique,
        COPIED_BITS,
    );
    let elements = Elements {
        source: Source::Pointers(l.get(pointer)),
        masks: mask.map(|mask| l.get(mask)),
        others: copy.other().map(|other| l.get(other)),
        element,
        cache: cache_policy(copy.cache_policy()),
        is_volatile: copy.is_volatile(),
    };
    let ends = [pointer, copy.result()];
    elements.copy_all(l, op, ends, (&layout, &vector))?;
    l.set(copy.token(), []);
    Ok(())
}

pub(crate) fn copy_from_buffer<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = buffer::instructions(l, OpKind::TtgAsyncCopyGlobalToLocal)?;
    let copy = amdg::BufferLoadToLocal::of(op).expect("the dispatch goes by kind");
    let (base, offsets, mask) = (copy.ptr(), copy.offsets(), copy.mask());
    let (element, _) = memory_element(l, base)?;
    let layout = l.tensor_layout(offsets)?;
    let bits = bits_of(element);
    let vector = l
        .widths()
        .buffer_vector(op, base, offsets, mask, bits, &layout.unique);
    let operands = buffer::BufferOperands {
        base,
        offsets,
        mask,
        widest: usize::MAX,
    };
    let buffer = GlobalBuffer::new(l, op, &operands, element, &layout, instructions);
    let elements = Elements {
        masks: buffer.masks.clone(),
        source: Source::Buffer {
            cache_bits: buffer.cache_bits(copy.cache_policy(), false),
            buffer,
        },
        others: copy.other().map(|other| l.get(other)),
        element,
        cache: CachePolicy::default(),
        is_volatile: false,
    };
    let ends = [offsets, copy.dest()];
    elements.copy_all(l, op, ends, (&layout, &vector))?;
    l.set(copy.token(), []);
    Ok(())
}

/// Plans and verifies the stores of a copy. `ends` contains the source, which is a tensor of pointers or offsets,
/// and the destination, which is a buffer.
fn program<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    ends: [Val<'c>; 2],
    vector: &VectorAccess,
    registers: &LinearLayout,
) -> Result<std::sync::Arc<CopyProgram>, Diagnostic> {
    let mut key = ends.map(|value| sys::type_id(value.r#type())).to_vec();
    key.extend(vector.register_bits().iter().map(|bit| usize::from(*bit)));
    let (layouts, gpu) = (l.layouts, l.gpu);
    l.allocation.plan_late(op, key, || {
        let view = MemdescLayout::of(layouts, ends[1].r#type())?;
        let program = verified_access(&access(&view, registers, vector, gpu.target)?)?;
        let bytes = stored_bytes(&program, view.place.element_bytes());
        let bytes = bytes.filter(|bytes| gpu.copies_in_lane_order(*bytes));
        Ok(CopyProgram {
            lane_order: bytes.and_then(|bytes| program.lane_order(bytes)),
            program,
        })
    })
}

fn access<'a>(
    view: &'a MemdescLayout<'_>,
    registers: &'a LinearLayout,
    vector: &'a VectorAccess,
    target: &'a Target,
) -> Result<BufferAccess<'a>, Diagnostic> {
    Ok(BufferAccess {
        registers,
        buffer: &view.place,
        view_mask: view.view_mask()?,
        indexed: None,
        access: Access::Store,
        neighbours: Some(vector.register_bits()),
        target,
    })
}

/// Returns the number of bytes per thread that each instruction copies from a tensor of addresses to a buffer.
/// `vector` is the widest access to global memory. Returns `None` if the copy cannot be planned.
pub(crate) fn copied_bytes(
    layouts: &Layouts,
    registers: &LinearLayout,
    buffer: Type<'_>,
    vector: &VectorAccess,
    target: &Target,
) -> Option<u32> {
    let view = MemdescLayout::of(layouts, buffer).ok()?;
    let access = access(&view, registers, vector, target).ok()?;
    stored_bytes(&plan_access(&access).ok()?, view.place.element_bytes())
}

/// Returns the number of bytes per thread that the first store writes. All stores of a program have this size.
/// Returns `None` if the first step is not a store.
fn stored_bytes(program: &Program, element_bytes: u64) -> Option<u32> {
    let Step::Store { values, .. } = program.steps().first()? else {
        return None;
    };
    let elements = u32::try_from(program.operands(*values).len()).ok()?;
    Some(elements * u32::try_from(element_bytes).ok()?)
}

enum Source<'c> {
    Pointers(Registers<'c>),
    Buffer {
        buffer: GlobalBuffer<'c>,
        cache_bits: u32,
    },
}

struct Elements<'c> {
    source: Source<'c>,
    masks: Option<Registers<'c>>,
    /// Values that are stored for elements whose mask is false, or `None` if zeros are stored for them.
    others: Option<Registers<'c>>,
    element: Type<'c>,
    cache: CachePolicy,
    is_volatile: bool,
}

struct Stores<'c> {
    /// Mask of the register-index bits that only select between replicas of an element.
    repeated: usize,
    /// True if the lanes of a warp store to consecutive addresses in lane order. A copy instruction that takes one
    /// address per warp can then be used.
    is_in_lane_order: bool,
    issued: Cell<u32>,
    /// The stores of `other`, see [`store_others`].
    others: RefCell<Vec<OtherStore<'c>>>,
}

/// A store of `others` to contiguous elements, for a false `mask`.
struct OtherStore<'c> {
    mask: Val<'c>,
    others: Vec<Val<'c>>,
    to: Val<'c>,
    bytes: u32,
}

/// Emits the stores of `other` of a copy operation after all its copies. Between a store to shared memory and a copy,
/// `ptxas` would emit three dummy loads. Threads whose masks are all true skip the stores.
fn store_others<'c>(l: &mut Lowering<'c>, stores: &[OtherStore<'c>]) {
    let masks = stores.iter().map(|store| store.mask);
    let Some(all) = masks.reduce(|a, b| l.e.and(a, b)) else {
        return;
    };
    let is_any_false = l.e.is_zero(all);
    let any = l.e.fork(is_any_false);
    let wholes: Vec<Val<'c>> = stores.iter().map(|s| l.e.gather(&s.others)).collect();
    for (store, whole) in stores.iter().zip(wholes) {
        let is_false = l.e.is_zero(store.mask);
        let fork = l.e.fork(is_false);
        l.e.store(whole, store.to, store.bytes);
        l.e.join_or(fork, &[], &[]);
    }
    l.e.join_or(any, &[], &[]);
}

impl<'c> Elements<'c> {
    fn copy_all(
        &self,
        l: &mut Lowering<'c>,
        op: Op<'c>,
        ends: [Val<'c>; 2],
        (layout, vector): (&TensorLayout, &VectorAccess),
    ) -> Outcome {
        let plan = program(l, op, ends, vector, &layout.unique)?;
        let buffer = l.buffer(ends[1])?;
        // Only the owner of an element copies.
        let (owner, repeated) = owner(l, Some(layout));
        let fork = owner.map(|owner| l.e.fork(owner));
        let lane_order = plan.lane_order.as_ref();
        let lane_order = lane_order.filter(|_| !self.has_nonzero(l, layout.num_registers()));
        let stores = Stores {
            repeated,
            is_in_lane_order: lane_order.is_some(),
            issued: Cell::new(0),
            others: RefCell::default(),
        };
        // The stored values are placeholders: the hook gets register numbers.
        let mut sources = vec![buffer.position; layout.num_registers()];
        sources.push(buffer.position);
        let i32 = l.e.types.i32;
        let inputs = ProgramInputs {
            buffer: Some(buffer.base),
            stores: Some(StoreHook {
                emit: &|l, to, registers| self.copy(l, &stores, to, registers),
                lane_order,
            }),
            ..ProgramInputs::new(&sources, vec![self.element, i32], 0)
        };
        steps::emit(l, &plan.program, inputs)?;
        store_others(l, &stores.others.take());
        // Warps without owners issue nothing, so the count is not exact.
        let is_certain = fork.is_none();
        let issued = stores.issued.get() * u32::from(is_certain);
        l.counted.issued.insert(operation_id(op), issued);
        if let Some(fork) = fork {
            l.e.join_or(fork, &[], &[]);
        }
        Ok(())
    }

    /// Copies the elements of `registers` to shared memory. The elements are contiguous in memory, and `registers`
    /// are in the order of their addresses.
    fn copy(
        &self,
        l: &mut Lowering<'c>,
        stores: &Stores<'c>,
        to: Destination<'c>,
        registers: &[usize],
    ) {
        let first = registers[0];
        if first & stores.repeated != 0 {
            return;
        }
        let bytes = bits_of_several(bits_of(self.element), registers.len()) / 8;
        let mask = self.masks.as_ref().map(|masks| masks[first]);
        if !(stores.is_in_lane_order || l.gpu.copies(bytes)) {
            self.load_and_store(l, to.pointer, registers);
            return;
        }
        let others = mask.and_then(|mask| Some((mask, self.nonzero(l, registers)?)));
        let Some((mask, others)) = others else {
            self.start(l, to, registers, mask);
            stores.issued.set(stores.issued.get() + 1);
            return;
        };
        let fork = l.e.fork(mask);
        self.start(l, to, registers, None);
        l.e.join_or(fork, &[], &[]);
        stores.others.borrow_mut().push(OtherStore {
            mask,
            others,
            to: to.pointer,
            bytes,
        });
    }

    /// Issues a copy instruction. If the mask is false, the instruction stores zeros.
    fn start(
        &self,
        l: &mut Lowering<'c>,
        to: Destination<'c>,
        registers: &[usize],
        mask: Option<Val<'c>>,
    ) {
        let first = registers[0];
        let bytes = bits_of_several(bits_of(self.element), registers.len()) / 8;
        match &self.source {
            Source::Pointers(pointers) => {
                let copied = SharedCopy {
                    from: pointers[first],
                    to: to.pointer,
                    bytes,
                    mask,
                    source_lane: to.source_lane,
                    cache: &self.cache,
                };
                l.gpu
                    .copy(&mut l.e, &mut l.declarations.borrow_mut(), &copied);
            }
            Source::Buffer { buffer, cache_bits } => {
                // Out-of-range offsets load zeros.
                let mut offset = buffer.offset(l, first, None);
                if let Some(lane) = to.source_lane {
                    offset = l.gpu.shuffle_index(&mut l.e, offset, lane);
                }
                let from = [buffer.resource, offset];
                let isa = buffer.isa;
                isa.copy(&mut l.e, from, to.pointer, (bytes, *cache_bits));
            }
        }
    }

    fn has_nonzero(&self, l: &mut Lowering<'c>, num_registers: usize) -> bool {
        let all: Vec<usize> = (0..num_registers).collect();
        self.masks.is_some() && self.nonzero(l, &all).is_some()
    }

    /// Returns the values that are stored for masked-off elements in `registers`, or `None` if all of them are 0.
    fn nonzero(&self, l: &mut Lowering<'c>, registers: &[usize]) -> Option<Vec<Val<'c>>> {
        let others = self.others.as_ref()?;
        let others = registers.iter().map(|r| others[*r]);
        let others: Vec<Val<'c>> = others.map(|v| to_memory(l, v, self.element)).collect();
        let zero = l.e.zero(self.element);
        others.iter().any(|other| *other != zero).then_some(others)
    }

    fn load_and_store(&self, l: &mut Lowering<'c>, to: Val<'c>, registers: &[usize]) {
        let first = registers[0];
        let bytes = bits_of_several(bits_of(self.element), registers.len()) / 8;
        let mask = self.masks.as_ref().map(|masks| masks[first]);
        let others = self.nonzero(l, registers);
        let whole = match &self.source {
            Source::Pointers(pointers) => {
                let zeros = || vec![l.e.zero(self.element); registers.len()];
                let others = others.unwrap_or_else(zeros);
                let access = GlobalAccess {
                    pointer: pointers[first],
                    offset_bytes: 0,
                    mask,
                    cache: &self.cache,
                    is_volatile: self.is_volatile,
                    element: self.element,
                    element_bits: bits_of(self.element),
                    width: registers.len(),
                    alignment_bytes: bytes,
                };
                l.gpu.load(&mut l.e, &access, Some(&others))
            }
            Source::Buffer { buffer, cache_bits } => {
                let (i32, element) = (l.e.types.i32, self.element);
                let words = match bytes {
                    ..=4 => l.e.int_type(8 * bytes),
                    _ => l.e.vector_type(bytes as usize / 4, i32),
                };
                let offset = buffer.offset(l, first, None);
                let isa = buffer.isa;
                let loaded = isa.load(&mut l.e, buffer.resource, offset, *cache_bits, words);
                match (mask, others) {
                    (Some(mask), Some(others)) => {
                        let type_ = match registers.len() {
                            1 => element,
                            count => l.e.vector_type(count, element),
                        };
                        let loaded = l.e.bitcast(loaded, type_);
                        let others = l.e.gather(&others);
                        l.e.select(mask, loaded, others)
                    }
                    _ => loaded,
                }
            }
        };
        l.e.store(whole, to, bytes);
    }
}

pub(crate) fn commit<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let commit = ttg::AsyncCommitGroup::of(op).expect("the dispatch goes by kind");
    l.gpu.commit_copies(&mut l.e);
    l.set(commit.async_token(), []);
    Ok(())
}

pub(crate) fn wait<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let wait = ttg::AsyncWait::of(op).expect("the dispatch goes by kind");
    // A negative count waits for all groups.
    wait_for(l, op, wait.num().try_into().unwrap_or(0));
    l.set(wait.ret_token(), []);
    Ok(())
}

/// Lowers `amdg.async_wait` to a wait for all copies. The operand is ignored, since it counts the instructions
/// that Triton's lowering emits.
pub(crate) fn wait_for_all<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let wait = amdg::AsyncWait::of(op).expect("the dispatch goes by kind");
    l.gpu.commit_copies(&mut l.e);
    wait_for(l, op, 0);
    l.set(wait.ret_token(), []);
    Ok(())
}

fn wait_for<'c>(l: &mut Lowering<'c>, op: Op<'c>, most_groups: u32) {
    if l.gpu.counts_copies() {
        // `set_counts` sets the count.
        let emitted = l.gpu.wait_by_count(&mut l.e);
        l.counted.waits.push((operation_id(op), emitted));
    } else {
        l.gpu.wait_for_copies(&mut l.e, most_groups);
    }
    if l.allocation.ends_with_barrier(op) {
        l.shared_barrier();
    }
}

/// Sets the number of copy instructions that may stay in flight after each wait. Only the instructions of groups
/// that certainly stay in flight are counted.
pub(crate) fn set_counts(l: &mut Lowering<'_>, is_kernel: bool) {
    if l.counted.waits.is_empty() {
        return;
    }
    let CountedCopies { issued, waits } = std::mem::take(&mut l.counted);
    let counts = l.allocation.counted_waits(&issued, is_kernel);
    for (op, wait) in waits {
        let most = counts.get(&op).copied().unwrap_or(Some(0));
        l.gpu.set_count(&mut l.e, wait, most);
    }
}
