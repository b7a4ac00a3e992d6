//! Asynchronous units: the tensor memory accelerator, warp-group products, and mbarriers.

use crate::ir::ops::DescriptorReduceKind;
use crate::lower::emit::Emitter;
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;

/// An operation of one thread on an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierAction {
    /// Initialisation with the number of arrivals per phase.
    Init(u32),
    Invalidate,
    /// One arrival that adds to the bytes expected in the phase.
    Expect(u32),
    /// A number of arrivals.
    Arrive(u32),
}

/// The direction of a box copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxDirection<'c> {
    /// Global to shared memory; the mbarrier counts the bytes.
    Load { mbarrier: Val<'c> },
    /// Shared to global memory.
    Store,
    /// Reduction into global memory.
    Reduce(DescriptorReduceKind),
}

/// A box copy.
#[derive(Clone, Debug)]
pub(crate) struct BoxAccess<'c> {
    pub(crate) direction: BoxDirection<'c>,
    /// Generic address of the descriptor.
    pub(crate) descriptor: Val<'c>,
    /// Coordinates of the box in the tensor, the contiguous dimension first.
    pub(crate) coordinates: Vec<Val<'c>>,
    /// Address of the box in shared memory.
    pub(crate) shared: Val<'c>,
}

/// A field of a descriptor that is built on the GPU, by PTX's name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescriptorField<'c> {
    Constant(&'static str, i64),
    /// A 32-bit field, with its ordinal if there are several.
    Word(&'static str, Option<usize>, Val<'c>),
    /// A 64-bit field, with its ordinal if there are several.
    Long(&'static str, Option<usize>, Val<'c>),
}

/// Accumulation mode of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulation<'c> {
    /// The product replaces the accumulator.
    None,
    /// The product is added.
    Always,
    /// The product is added if this uniform condition holds.
    If(Val<'c>),
}

/// The left operand of a warp-group product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupFactor<'c> {
    /// The descriptor of a tile in shared memory.
    Tile(Val<'c>),
    /// Words in registers.
    Words([Val<'c>; 4]),
}

/// A warp-group product.
#[derive(Clone, Debug)]
pub(crate) struct GroupProduct<'c> {
    /// Name of the instruction.
    pub(crate) instruction: String,
    /// Words of the accumulator.
    pub(crate) sums: Vec<Val<'c>>,
    pub(crate) a: GroupFactor<'c>,
    /// Descriptor of a tile.
    pub(crate) b: Val<'c>,
    pub(crate) accumulation: Accumulation<'c>,
    pub(crate) is_integer: bool,
    /// Transposition of A, if it is in shared memory, and of B; for element types that support it.
    pub(crate) transposed: Option<(Option<bool>, bool)>,
}

/// Instructions for asynchronous units. `by` is true in the issuing thread.
pub(crate) trait UnitIsa {
    /// Returns a condition that holds in one thread of warp 0, always the same.
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c>;

    /// Emits an operation on an mbarrier.
    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    );

    /// Waits in all threads for the completion of an mbarrier's phase.
    fn wait<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, parity: Val<'c>);

    /// Issues a box copy.
    fn copy_box<'c>(&self, e: &mut Emitter<'c>, access: &BoxAccess<'c>, by: Val<'c>);

    /// Closes a group of copies to global memory.
    fn commit_boxes(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` groups of this thread are in flight, or still read shared memory.
    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool);

    /// Sets a field of a descriptor in shared memory.
    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>);

    /// Copies a descriptor from shared to global memory by one warp, with a release to the tensor-map proxy.
    fn publish_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>, shared: Val<'c>);

    /// Makes a descriptor in global memory visible to one warp's copies.
    fn acquire_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>);

    /// Returns copies of values that compilers cannot see through.
    fn opaque_copies<'c>(&self, e: &mut Emitter<'c>, values: &[Val<'c>]) -> Vec<Val<'c>>;

    /// Orders register accesses before the products that follow.
    fn fence_products(&self, e: &mut Emitter<'_>);

    /// Returns a copy of a word in a register of its own.
    fn copy_word<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c>;

    /// Issues a product; returns the accumulator registers, which are in flight.
    fn multiply<'c>(&self, e: &mut Emitter<'c>, product: &GroupProduct<'c>) -> Vec<Val<'c>>;

    /// Closes a group of products.
    fn commit_products(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` groups are in flight; returns the registers after the wait.
    fn wait_for_products<'c>(
        &self,
        e: &mut Emitter<'c>,
        most: u32,
        registers: &[Val<'c>],
    ) -> Vec<Val<'c>>;
}
