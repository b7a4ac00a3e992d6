//! Units that work beside the threads of a block: the tensor memory accelerator, the products of warp groups, and the
//! mbarriers that say when a copy has arrived.

use crate::ir::ops::DescriptorReduceKind;
use crate::lower::emit::Emitter;
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;

/// What an mbarrier is asked by one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierAction {
    /// Begins its life, with so many arrivals in each phase.
    Init(u32),
    /// Ends it.
    Invalidate,
    /// Arrives once, and lets the phase wait for so many bytes.
    Expect(u32),
    /// Arrives so many times.
    Arrive(u32),
}

/// The direction of a copy of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxDirection<'c> {
    /// To shared memory; an mbarrier learns of the bytes.
    Load { mbarrier: Val<'c> },
    /// To global memory.
    Store,
    /// To global memory, combined with what is there.
    Reduce(DescriptorReduceKind),
}

/// One copy of a box.
#[derive(Clone, Debug)]
pub(crate) struct BoxAccess<'c> {
    pub(crate) direction: BoxDirection<'c>,
    /// The address of the descriptor, in any space.
    pub(crate) descriptor: Val<'c>,
    /// Where the box begins in the tensor, the contiguous dimension first.
    pub(crate) coordinates: Vec<Val<'c>>,
    /// The address of the box in shared memory.
    pub(crate) shared: Val<'c>,
}

/// A field of a descriptor that is made on the GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescriptorField<'c> {
    /// A field whose value is known, by PTX's name.
    Known(&'static str, i64),
    /// A 32-bit field, or one of several.
    Word(&'static str, Option<usize>, Val<'c>),
    /// A 64-bit field, or one of several.
    Long(&'static str, Option<usize>, Val<'c>),
}

/// Whether a product is added to what its registers hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulation<'c> {
    /// It replaces what they hold.
    None,
    /// It is added.
    Always,
    /// It is added where this is true, in all threads alike.
    If(Val<'c>),
}

/// The left factor of a product of a warp group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupFactor<'c> {
    /// The descriptor of a tile in shared memory.
    Tile(Val<'c>),
    /// Words in registers.
    Words([Val<'c>; 4]),
}

/// One product of a warp group.
#[derive(Clone, Debug)]
pub(crate) struct GroupProduct<'c> {
    /// The name of the instruction.
    pub(crate) instruction: String,
    /// The words of the sum.
    pub(crate) sums: Vec<Val<'c>>,
    pub(crate) a: GroupFactor<'c>,
    /// The descriptor of a tile.
    pub(crate) b: Val<'c>,
    pub(crate) accumulation: Accumulation<'c>,
    pub(crate) is_integer: bool,
    /// Of elements that may be transposed, whether A, if it is in shared memory, and B are.
    pub(crate) transposed: Option<(Option<bool>, bool)>,
}

/// Instructions for the units of a GPU. `by` is true in the thread that gives the order.
pub(crate) trait UnitIsa {
    /// Returns a condition that holds in one thread of the block, always the same, which is in warp 0.
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c>;

    /// Asks an mbarrier.
    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    );

    /// Waits in all threads until an mbarrier has left the phase of this parity.
    fn wait<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, parity: Val<'c>);

    /// Starts to copy a box.
    fn copy_box<'c>(&self, e: &mut Emitter<'c>, access: &BoxAccess<'c>, by: Val<'c>);

    /// Closes a group of copies to global memory.
    fn commit_boxes(&self, e: &mut Emitter<'_>);

    /// Waits until at most so many groups of this thread are under way, or still read shared memory.
    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool);

    /// Sets a field of a descriptor in shared memory.
    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>);

    /// Copies a descriptor from shared to global memory by one warp, and releases it to the accelerator.
    fn publish_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>, shared: Val<'c>);

    /// Lets one warp's copies see a descriptor that was written to global memory.
    fn acquire_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>);

    /// Returns registers that hold these values, which no compiler knows.
    fn settled<'c>(&self, e: &mut Emitter<'c>, values: &[Val<'c>]) -> Vec<Val<'c>>;

    /// Orders what registers hold before the products that follow.
    fn fence_products(&self, e: &mut Emitter<'_>);

    /// Returns a word that later changes of its register do not touch.
    fn kept_word<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c>;

    /// Starts a product; returns the registers that its sum arrives in.
    fn multiply<'c>(&self, e: &mut Emitter<'c>, product: &GroupProduct<'c>) -> Vec<Val<'c>>;

    /// Closes a group of products.
    fn commit_products(&self, e: &mut Emitter<'_>);

    /// Waits until at most so many groups are under way; returns the registers as they are then.
    fn wait_for_products<'c>(
        &self,
        e: &mut Emitter<'c>,
        most: u32,
        registers: &[Val<'c>],
    ) -> Vec<Val<'c>>;
}
