//! Accesses to shared-memory buffers: their plans, and the costs of reads from slots that do not exist yet.

use crate::ir::descriptor::block_buffer;
use crate::ir::{Layouts, OpView, element_bits};
use crate::sys;
use crate::sys::build::{self, Op};
use linear_layout::encoding::{CgaLayout, Encoding, SwizzledSharedEncoding};
use linear_layout::layout::LinearLayout;
use linear_layout::plan::memory::{BufferLayout, MemoryPlan, plan_transfer};
use linear_layout::target::{Access, Target};
use melior::ir::{Type, TypeLike, ValueLike};

/// Width in bits of the widest access to shared memory, and so of the widest vector of a swizzle.
pub(crate) const WIDEST_BITS: u32 = 128;

/// Number of bytes that all banks of shared memory deliver at once.
const BANKS_BYTES: u64 = 128;

/// Number of accesses of the widest width that all banks serve at once.
const WIDEST_AT_ONCE: u64 = 8;

/// Returns the possible types of the shared-memory buffer that `op` accesses. For a descriptor operation, the only
/// candidate is the type of the buffer through which the descriptor's block passes between registers and global
/// memory. For any other operation, the candidates are the types of all operands and results.
pub(super) fn accessed_buffers(op: Op<'_>) -> Vec<Type<'_>> {
    let (descriptor, tensor) = match OpView::of(op) {
        Some(OpView::TtDescriptorLoad(op)) => (op.desc(), op.result()),
        Some(OpView::TtDescriptorStore(op)) => (op.desc(), op.src()),
        Some(OpView::TtDescriptorReduce(op)) => (op.desc(), op.src()),
        _ => {
            let values = build::operands(op).into_iter().chain(build::results(op));
            return values.map(|value| value.r#type()).collect();
        }
    };
    let buffer = block_buffer(descriptor.r#type(), tensor.r#type(), true);
    buffer.into_iter().collect()
}

/// Plans the load or store between a tensor with layout `layout` and a shared-memory buffer of type `buffer`.
/// Returns `None` if `buffer` is not a buffer type with a supported encoding, or if the access cannot be planned.
pub(crate) fn plan_buffer_access(
    layout: &LinearLayout,
    buffer: Type<'_>,
    access: Access,
    target: &Target,
) -> Option<MemoryPlan> {
    let (place, mask, _) = buffer_layout(buffer)?;
    MemoryPlan::of_warps(layout, &place, mask, access, target).ok()
}

/// Returns the register layout with which a block of `2^warps_log2` warps copies a tensor from a buffer to another one in which
/// other elements are adjacent. Returns `None` if no such layout is known.
pub(crate) fn plan_buffer_transfer(
    buffers: [Type<'_>; 2],
    warps_log2: u32,
    target: &Target,
) -> Option<LinearLayout> {
    let [(from, _, shape), (to, ..)] = [buffer_layout(buffers[0])?, buffer_layout(buffers[1])?];
    let threads = [target.lanes_log2(), warps_log2];
    plan_transfer([&from, &to], &shape, threads, target)
}

/// Returns the register layout to which a tensor of `2^warps_log2` warps is converted before it is written to the buffer `to`, if
/// elements that are adjacent in a thread are not adjacent in the buffer. `tensor` contains its encoding, and its element
/// width in bits. Returns `None` if no such layout is known.
pub(crate) fn plan_converted_write(
    (tensor, bits): (&Encoding, u32),
    to: Type<'_>,
    warps_log2: u32,
    target: &Target,
) -> Option<LinearLayout> {
    let (to, _, shape) = buffer_layout(to)?;
    // The scratch memory of a conversion has few conflicts, as a swizzled buffer of the tensor's order.
    let (order, cga) = (tensor.order(&shape).ok()?, tensor.cga_layout().ok()?);
    let swizzle = widest_swizzle(&shape, &order, bits)?;
    let (from, _) = swizzled(&shape, (&order, cga), bits, swizzle)?;
    let threads = [target.lanes_log2(), warps_log2];
    plan_transfer([&from, &to], &shape, threads, target)
}

/// Returns the layout of a buffer type, the mask of the bits that may be set in the position of a view, and the shape of the
/// view. Returns `None` if `buffer` is not a buffer type with a supported encoding.
fn buffer_layout(buffer: Type<'_>) -> Option<(BufferLayout, u64, Vec<u64>)> {
    let buffer = sys::buffer(buffer)?;
    let encoding = Layouts::of(buffer.element.context())
        .encoding(buffer.encoding?)
        .ok()?;
    if !encoding.is_shared() || buffer.alloc_shape.len() < encoding.rank() {
        return None;
    }
    let leading = buffer.shape.len().checked_sub(encoding.rank())?;
    let shapes = [&buffer.alloc_shape[leading..], &buffer.shape[leading..]];
    let bits = element_bits(buffer.element)?;
    let (place, mask) = placed(&encoding, shapes, bits)?;
    Some((place, mask, shapes[1].to_vec()))
}

/// Returns the cost, in quarters of a cycle, of reading a tensor in the layout `layout` from the slot of a prefetched load.
/// `load` contains the encoding, shape and element width in bits of the loaded tensor. Returns `None` if no such read can
/// be planned.
///
/// The encoding of the slot is unknown before `pipeline-loops`. The cost is that of the best of two encodings, which the
/// passes that choose the slot consider as well: one without swizzle, and one that moves vectors of the widest width.
/// Narrower vectors would split the copies that fill the slot.
pub(super) fn slot_read(
    layout: &LinearLayout,
    (load, shape, bits): (&Encoding, &[u64], u32),
    target: &Target,
) -> Option<u32> {
    let (order, cga) = (load.order(shape).ok()?, load.cga_layout().ok()?);
    let swizzles = [(1, 1, 1), widest_swizzle(shape, &order, bits)?];
    let costs = swizzles.into_iter().filter_map(|swizzle| {
        let (slot, mask) = swizzled(shape, (&order, cga), bits, swizzle)?;
        let plan = MemoryPlan::of_warps(layout, &slot, mask, Access::Load, target).ok()?;
        Some(plan.cost(target).total())
    });
    costs.min()
}

/// Returns the parameters (vector, elements per phase, phases) of the swizzle of a buffer that moves vectors of the widest
/// width. `order` lists the dims of `shape`, the contiguous one first, and `bits` is the element width.
pub(crate) fn widest_swizzle(shape: &[u64], order: &[u32], bits: u32) -> Option<(u32, u32, u32)> {
    let vector = (WIDEST_BITS / bits.max(1)).max(1);
    let row_bytes = shape[*order.first()? as usize] * u64::from(bits).div_ceil(8);
    let per_phase = (BANKS_BYTES / row_bytes).clamp(1, WIDEST_AT_ONCE);
    let vectors = row_bytes * 8 / u64::from(WIDEST_BITS);
    let phases = (WIDEST_AT_ONCE / per_phase).min(vectors).max(1);
    let [per_phase, phases] = [per_phase, phases].map(|n| u32::try_from(n).ok());
    Some((vector, per_phase?, phases?))
}

/// Returns the layout of a swizzled buffer of shape `shape`, and the mask of the bits that may be set in the position of a view.
/// `swizzle` has the parameters that [`widest_swizzle`] returns.
fn swizzled(
    shape: &[u64],
    (order, cga): (&[u32], CgaLayout),
    bits: u32,
    swizzle: (u32, u32, u32),
) -> Option<(BufferLayout, u64)> {
    let (vector, per_phase, phases) = swizzle;
    let encoding = SwizzledSharedEncoding::new(vector, per_phase, phases, order, cga).ok()?;
    placed(&encoding.into(), [shape, shape], bits)
}

/// Returns the layout of a buffer, and the mask of the bits that may be set in the position of a view. `shapes` are those of the
/// allocation and of the view, `bits` is the element width.
fn placed(encoding: &Encoding, shapes: [&[u64]; 2], bits: u32) -> Option<(BufferLayout, u64)> {
    let [allocation, view] = shapes;
    let place = encoding.to_surjective_layout(allocation).ok()?;
    let place = BufferLayout::new(place, encoding.interval_paddings(), bits).ok()?;
    let mask = place.view_mask(view).ok()?;
    Some((place, mask))
}
