//! Asynchronous units: the tensor memory accelerator (TMA), warp-group products (`wgmma`) and mbarriers.

use crate::ir::ops::DescriptorReduceKind;
use crate::lower::emit::Emitter;
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;

/// An mbarrier operation of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierAction {
    /// Number of arrivals per phase.
    Init(u32),
    Invalidate,
    /// Arrives once. The phase expects this number of additional bytes.
    Expect(u32),
    /// Number of arrivals.
    Arrive(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxDirection<'c> {
    /// Global to shared memory. The mbarrier counts the copied bytes.
    Load { mbarrier: Val<'c> },
    /// Shared to global memory.
    Store,
    /// Shared to global memory, combined with the previous contents.
    Reduce(DescriptorReduceKind),
}

#[derive(Clone, Debug)]
pub(crate) struct BoxAccess<'c> {
    pub(crate) direction: BoxDirection<'c>,
    pub(crate) descriptor: Val<'c>,
    /// Coordinates in the tensor, contiguous dimension first.
    pub(crate) coordinates: Vec<Val<'c>>,
    pub(crate) shared: Val<'c>,
}

/// A field of a tensor descriptor built on the GPU, with PTX names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescriptorField<'c> {
    Constant(&'static str, i64),
    /// A 32-bit field: name, index among fields of this name, value.
    Word(&'static str, Option<usize>, Val<'c>),
    /// A 64-bit field: name, index among fields of this name, value.
    Long(&'static str, Option<usize>, Val<'c>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulation<'c> {
    /// Overwrites the accumulator.
    None,
    /// Adds to the accumulator.
    Always,
    /// Adds to the accumulator under a uniform condition, otherwise overwrites.
    If(Val<'c>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupFactor<'c> {
    Tile(Val<'c>),
    /// This thread's part of the tile, as 32-bit words.
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
    /// Transposition flags of A and B. `None` for element types that cannot be transposed.
    ///
    /// The flag of A is `None` if A is in registers.
    pub(crate) transposed: Option<(Option<bool>, bool)>,
}

/// Instructions for asynchronous units. A parameter `by` selects the issuing thread.
pub(crate) trait UnitIsa {
    /// Returns a condition that is true in one fixed thread of warp 0.
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c>;

    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    );

    /// Waits in all threads for the end of the phase with parity `parity`.
    fn wait<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, parity: Val<'c>);

    fn copy_box<'c>(&self, e: &mut Emitter<'c>, access: &BoxAccess<'c>, by: Val<'c>);

    fn commit_boxes(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` copy groups of this thread are in flight.
    ///
    /// With `only_reads`, a copy counts as complete as soon as shared memory has been read.
    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool);

    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>);

    /// Copies a descriptor to global memory and releases it to the tensor-map proxy. One warp executes this operation.
    fn publish_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>, shared: Val<'c>);

    /// Makes a global descriptor visible to later copies of one warp.
    fn acquire_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>);

    /// Returns copies that the compiler cannot trace to `values`.
    fn opaque_copies<'c>(&self, e: &mut Emitter<'c>, values: &[Val<'c>]) -> Vec<Val<'c>>;

    /// Orders earlier register accesses before products that are issued later.
    fn fence_products(&self, e: &mut Emitter<'_>);

    /// Copies a word to a new register.
    fn copy_word<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c>;

    /// Issues a product. The returned accumulator must not be read before a wait.
    fn multiply<'c>(&self, e: &mut Emitter<'c>, product: &GroupProduct<'c>) -> Vec<Val<'c>>;

    fn commit_products(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` product groups are in flight. Returns `registers` as results of the wait.
    fn wait_for_products<'c>(
        &self,
        e: &mut Emitter<'c>,
        most: u32,
        registers: &[Val<'c>],
    ) -> Vec<Val<'c>>;
}
