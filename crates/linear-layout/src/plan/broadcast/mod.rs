//! Broadcasts of an owner's result to the replicas of its element.
//!
//! An operation that must execute once, such as an atomic access, is executed by one of the threads that hold an element:
//! the one whose free bits are all zero ([`LinearLayout::free_variable_masks`]), its *owner*. The other holders, the
//! replicas, receive the owner's result.
//!
//! ```text
//! 4 elements on 8 lanes, lane bit 2 free      lanes 0 1 2 3 own an element, lanes 4 5 6 7 hold replicas
//! within a warp       lane l reads from lane l & 3
//! across warps        owners store, a barrier, all threads load
//! ```
//!
//! # Within a warp
//! A broadcast within a warp is a conversion between two layouts with an additional dimension, which numbers the
//! replicas. In the source layout, the coordinate of each replica along that dimension is its number. In the
//! destination layout, the coordinate is 0 for all replicas.
//!
//! # Laws
//! If the program is run on the names of the elements, of which initially only owners hold one, then at the end every
//! register of every thread holds the name of its element ([`crate::machine::check_broadcast`]).

use super::convert::{PlanError, PlanOptions, Strategy, plan_conversion};
use super::memory::{BufferLayout, MemoryError, MemoryPlan};
use super::program::{BarrierScope, Builder, Predicate, Program, Threads};
use crate::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use crate::number::narrow;
use crate::target::{Access, Target};
use thiserror::Error;

/// Plans a broadcast of elements to all their replicas.
///
/// `layout` maps (register, lane, warp) to dims, and has no zero register bases. The owner of an element is the
/// replica whose free bits are all zero. The sources of the program are all registers of the layout, but the
/// program uses only the values that owners hold.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::broadcast::plan_broadcast;
/// use linear_layout::target::Target;
/// let d = Dim::out(0);
/// let lanes = |size| LinearLayout::identity_1d(size, Dim::LANE, d);
/// let copies = |size, dim| LinearLayout::zeros_1d(size, dim, d, 1);
/// let target = Target::parse("cuda:90")?;
/// let unique = lanes(32)?.product(&LinearLayout::identity_1d(4, Dim::WARP, d)?)?;
/// assert!(plan_broadcast(&unique, 32, target)?.is_identity());
/// let in_lanes = lanes(16)?.product(&copies(2, Dim::LANE)?)?.product(&copies(1, Dim::WARP)?)?;
/// assert_eq!(plan_broadcast(&in_lanes, 32, target)?.scratch_bytes(), 0);
/// let in_warps = lanes(32)?.product(&copies(4, Dim::WARP)?)?;
/// assert_eq!(plan_broadcast(&in_warps, 32, target)?.scratch_bytes(), 128);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units
/// `bits` is the width of an element: 8, 16, 32 or 64.
/// # Errors
/// Returns an error if the element width is not one of these, the elements are distributed over several CTAs, or
/// the layout does not match the target.
pub fn plan_broadcast(
    layout: &LinearLayout,
    bits: u32,
    target: &Target,
) -> Result<Program, BroadcastError> {
    let free = layout.free_variable_masks();
    let is_alone = free.iter().all(|(_, mask)| mask == 0);
    if !is_alone && free.mask(Dim::WARP) == 0 {
        let (from, to) = number_replicas(layout)?;
        let options = PlanOptions::new().with_strategy(Strategy::Shuffle);
        match plan_conversion(&from, &to, bits, target, &options) {
            Ok(plan) => return Ok(plan.into_program()),
            // An owner's register that depends on the lane requires shared memory.
            Err(error) if error.is_strategy() => {}
            Err(error) => return Err(BroadcastErrorKind::Conversion(error).into()),
        }
    }
    let threads = Threads::of(layout);
    let b = Builder::new(narrow(layout.in_bits(Dim::REGISTER)), &[bits], threads);
    if is_alone {
        let sources = b.sources();
        return Ok(b.finish(sources, 0, target));
    }
    through_memory(b, layout, bits, target)
}

/// Returns the layout of a scalar, of which each thread of `warps` warps holds a replica.
///
/// # Errors
/// Returns an error if the number of threads exceeds the limit of a layout.
pub fn scalar_layout(warps: u32, target: &Target) -> Result<LinearLayout, LayoutError> {
    let ins = [
        (Dim::LANE, u64::from(target.lanes)),
        (Dim::WARP, u64::from(warps)),
    ];
    let columns = vec![0; (target.lanes_log2() + warps.ilog2()) as usize];
    let outs = [(Dim::out(0), 1)];
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)
}

/// Builds the program of a broadcast through shared memory. The owners store their elements, and after a barrier,
/// all threads load theirs.
fn through_memory(
    mut b: Builder,
    layout: &LinearLayout,
    bits: u32,
    target: &Target,
) -> Result<Program, BroadcastError> {
    let free = layout.free_variable_masks();
    let own = free.mask(Dim::REGISTER);
    let outs: Vec<_> = layout.out_shape().collect();
    let mut stored = Vec::new();
    // Elements are in the order of their owners: registers first, so that accesses are wide, then lanes.
    let mut positions = Vec::new();
    for (dim, mask) in free.iter() {
        for (bit, column) in layout.columns_of(dim).iter().enumerate() {
            let is_free = mask >> bit & 1 == 1;
            if !is_free {
                positions.push(*column);
            }
            if !is_free || dim != Dim::REGISTER {
                stored.push(*column);
            }
        }
    }
    let offsets = [(Dim::OFFSET, 1 << positions.len())];
    let all = Surjectivity::Required;
    let memory = LinearLayout::from_columns(&offsets, &outs, &positions, all)?;
    let buffer = BufferLayout::new(memory, &[], bits)?;
    let ins: Vec<_> = layout
        .in_shape()
        .map(|(dim, size)| match dim {
            Dim::REGISTER => (dim, size >> own.count_ones()),
            _ => (dim, size),
        })
        .collect();
    let held = LinearLayout::from_columns(&ins, &outs, &stored, all)?;
    let store = MemoryPlan::new(&held, &buffer, 0, Access::Store, target)?;
    let load = MemoryPlan::new(layout, &buffer, 0, Access::Load, target)?;
    let owned = (0u64..)
        .zip(b.sources())
        .filter(|(register, _)| register & own == 0);
    let owned: Vec<_> = owned.map(|(_, value)| value).collect();
    let copies = free.mask(Dim::LANE) | free.mask(Dim::WARP) << layout.in_bits(Dim::LANE);
    let guard = (copies != 0).then(|| b.predicate(Predicate::Clear(narrow(copies))));
    b.store_registers(&store, &owned, guard, None);
    b.barrier(BarrierScope::Block);
    let results = b.load_registers(&load, None);
    let bytes = u32::try_from(buffer.size_bytes(1)).unwrap_or(u32::MAX);
    Ok(b.finish(results, bytes, target))
}

/// Returns two layouts such that a conversion from the first to the second is a broadcast. Both have one more
/// dimension than `layout`.
///
/// In the first layout, the coordinate of a replica along the new dimension is the number of the replica. In the
/// second layout, this coordinate is 0.
fn number_replicas(layout: &LinearLayout) -> Result<(LinearLayout, LinearLayout), LayoutError> {
    let free = layout.free_variable_masks();
    let ins: Vec<_> = layout.in_shape().collect();
    let mut outs: Vec<_> = layout.out_shape().collect();
    let mut copies = layout.total_out_bits();
    let mut columns = Vec::new();
    for (dim, mask) in free.iter() {
        for (bit, column) in layout.columns_of(dim).iter().enumerate() {
            let is_free = mask >> bit & 1 == 1;
            columns.push(column | u64::from(is_free) << copies);
            copies += usize::from(is_free);
        }
    }
    outs.push((
        Dim::out(outs.len()),
        1 << (copies - layout.total_out_bits()),
    ));
    let all = Surjectivity::NotRequired;
    Ok((
        LinearLayout::from_columns(&ins, &outs, &columns, all)?,
        LinearLayout::from_columns(&ins, &outs, layout.columns(), all)?,
    ))
}

/// The error of [`plan_broadcast`]: the element width is not supported, or the layout does not match the target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct BroadcastError(BroadcastErrorKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a value cannot be broadcast to the threads that hold replicas: {0}")]
enum BroadcastErrorKind {
    Layout(#[from] LayoutError),
    Memory(#[from] MemoryError),
    Conversion(#[source] PlanError),
}

impl<E: Into<BroadcastErrorKind>> From<E> for BroadcastError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
