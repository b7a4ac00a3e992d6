//! Asynchronous units: the tensor memory accelerator (TMA), warp-group products (`wgmma`) and mbarriers.

use crate::ir::ops::DescriptorReduceKind;
use crate::lower::emit::Emitter;
use crate::lower::gpu::access::SecondCache;
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;

/// An operation that one thread performs on an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierAction {
    /// Initialises the mbarrier, with this number of arrivals per phase.
    Init(u32),
    Invalidate,
    /// Arrives once, and adds this number of bytes to those that the current phase waits for.
    Expect(u32),
    /// Arrives this number of times.
    Arrive(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxDirection<'c> {
    /// Copies from global to shared memory. The mbarrier counts the copied bytes.
    Load { mbarrier: Val<'c> },
    /// Copies from shared to global memory.
    Store,
    /// Combines the elements in shared memory with the previous contents of global memory, and writes the results
    /// to global memory.
    Reduce(DescriptorReduceKind),
}

#[derive(Clone, Debug)]
pub(crate) struct BoxAccess<'c> {
    pub(crate) direction: BoxDirection<'c>,
    pub(crate) descriptor: Val<'c>,
    /// Coordinates of the box in the tensor. The first coordinate is for the contiguous dimension.
    pub(crate) coordinates: Vec<Val<'c>>,
    /// The 16-bit offsets that are added to the spatial coordinates of each pixel in im2col mode, innermost dimension
    /// first. Empty if the box is a tile.
    pub(crate) pixel_offsets: Vec<Val<'c>>,
    pub(crate) shared: Val<'c>,
    /// L2 eviction priorities of the accesses to global memory; `None` for the default.
    pub(crate) second: Option<SecondCache>,
}

/// A field of a tensor descriptor that is built on the GPU. The string in each variant is the name of the field in
/// PTX.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescriptorField<'c> {
    Constant(&'static str, i64),
    /// A 32-bit field: its name, its index if there are several fields with this name, and its value.
    Word(&'static str, Option<usize>, Val<'c>),
    /// A 64-bit field: its name, its index if there are several fields with this name, and its value.
    Long(&'static str, Option<usize>, Val<'c>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulation<'c> {
    /// The product overwrites the accumulator.
    None,
    /// The product is added to the accumulator.
    Always,
    /// If this uniform condition is true, the product is added to the accumulator; otherwise it overwrites the
    /// accumulator.
    If(Val<'c>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupFactor<'c> {
    Tile(Val<'c>),
    /// The factor is in registers. Contains this thread's part of the factor's tile, as 32-bit words.
    Words([Val<'c>; 4]),
}

#[derive(Clone, Debug)]
pub(crate) struct GroupProduct<'c> {
    pub(crate) instruction: String,
    pub(crate) sums: Vec<Val<'c>>,
    pub(crate) a: GroupFactor<'c>,
    pub(crate) b: Val<'c>,
    pub(crate) accumulation: Accumulation<'c>,
    pub(crate) is_integer: bool,
    /// Two flags: true if A is transposed, and true if B is transposed. `None` if the element type cannot be
    /// transposed.
    ///
    /// The flag of A is `None` if A is in registers.
    pub(crate) transposed: Option<(Option<bool>, bool)>,
}

/// Emits the instructions of the asynchronous units: mbarriers, tensor copies and warp-group products. A parameter
/// `by` is a condition that is true only in the threads that issue the instruction.
pub(crate) trait UnitIsa {
    /// Returns a condition that is true in one fixed thread of each of the first `warps` warps.
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, warps: u32) -> Val<'c>;

    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    );

    /// Makes each thread arrive at the mbarrier `object` when the thread's copies in flight are complete. If
    /// `is_expected` is true, the arrival count of the mbarrier already includes these arrivals. Otherwise, the
    /// current phase expects them in addition to the arrival count.
    fn arrive_after_copies<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, is_expected: bool);

    /// Makes each executing thread wait until the phase with parity `parity` of the mbarrier `object` is complete.
    fn wait<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, parity: Val<'c>);

    fn copy_box<'c>(&self, e: &mut Emitter<'c>, access: &BoxAccess<'c>, by: Val<'c>);

    fn commit_boxes(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` committed groups of box copies of this thread are in flight.
    ///
    /// If `only_reads` is true, a copy counts as complete as soon as its source in shared memory has been read.
    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool);

    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>);

    /// Copies a tensor descriptor from shared to global memory, and releases the global copy so that the tensor-map
    /// proxy sees it. One warp executes this operation.
    fn publish_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>, shared: Val<'c>);

    /// Makes a tensor descriptor in global memory visible to later copies of the executing warp.
    fn acquire_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>);

    /// Returns copies of `values` that the compiler cannot recognize as equal to `values`.
    fn opaque_copies<'c>(&self, e: &mut Emitter<'c>, values: &[Val<'c>]) -> Vec<Val<'c>>;

    /// Orders accesses to registers before warp-group products that are issued later.
    fn fence_products(&self, e: &mut Emitter<'_>);

    /// Copies a word to a new register.
    fn copy_word<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c>;

    /// Issues an asynchronous product and returns the registers of its accumulator. They must not be read before
    /// [`Self::wait_for_products`].
    fn multiply<'c>(&self, e: &mut Emitter<'c>, product: &GroupProduct<'c>) -> Vec<Val<'c>>;

    fn commit_products(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` groups of products are in flight. Passes `registers` through the wait and returns
    /// them as results of the wait, so that uses of these results cannot move before it.
    fn wait_for_products<'c>(
        &self,
        e: &mut Emitter<'c>,
        most: u32,
        registers: &[Val<'c>],
    ) -> Vec<Val<'c>>;
}
