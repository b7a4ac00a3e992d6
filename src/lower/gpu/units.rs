//! Asynchronous units: the tensor memory accelerator, warp-group products, and mbarriers.

use crate::ir::ops::DescriptorReduceKind;
use crate::lower::emit::Emitter;
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;

/// An operation of one thread on an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierAction {
    /// Initialises the mbarrier for the given number of arrivals per phase.
    Init(u32),
    Invalidate,
    /// Arrives once, and adds the given number to the number of bytes expected in the phase.
    Expect(u32),
    /// Arrives the given number of times.
    Arrive(u32),
}

/// The direction of a box copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxDirection<'c> {
    /// Copies from global to shared memory. The mbarrier counts the copied bytes.
    Load { mbarrier: Val<'c> },
    /// Copies from shared to global memory.
    Store,
    /// Combines the box in shared memory with the box in global memory, and stores the result in global memory.
    Reduce(DescriptorReduceKind),
}

/// A copy of a box of a tensor by the tensor memory accelerator.
#[derive(Clone, Debug)]
pub(crate) struct BoxAccess<'c> {
    pub(crate) direction: BoxDirection<'c>,
    /// Generic address of the descriptor.
    pub(crate) descriptor: Val<'c>,
    /// Coordinates of the box in the tensor. The contiguous dimension comes first.
    pub(crate) coordinates: Vec<Val<'c>>,
    /// Address of the box in shared memory.
    pub(crate) shared: Val<'c>,
}

/// A field of a tensor descriptor that is built on the GPU. The fields are named as in PTX.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescriptorField<'c> {
    Constant(&'static str, i64),
    /// A 32-bit field: its name, its index if there are several fields of this name, and its value.
    Word(&'static str, Option<usize>, Val<'c>),
    /// A 64-bit field: its name, its index if there are several fields of this name, and its value.
    Long(&'static str, Option<usize>, Val<'c>),
}

/// Accumulation mode of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulation<'c> {
    /// The product replaces the accumulator.
    None,
    /// The product is added to the accumulator.
    Always,
    /// The product is added to the accumulator if this uniform condition is true; otherwise it replaces the
    /// accumulator.
    If(Val<'c>),
}

/// Operand A, the left factor, of a warp-group product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupFactor<'c> {
    /// The descriptor of A's tile in shared memory.
    Tile(Val<'c>),
    /// This thread's part of A's tile, as four 32-bit words in registers.
    Words([Val<'c>; 4]),
}

/// The operands of a warp-group product.
#[derive(Clone, Debug)]
pub(crate) struct GroupProduct<'c> {
    /// Name of the PTX instruction.
    pub(crate) instruction: String,
    /// Registers of the accumulator.
    pub(crate) sums: Vec<Val<'c>>,
    pub(crate) a: GroupFactor<'c>,
    /// The descriptor of operand B's tile in shared memory.
    pub(crate) b: Val<'c>,
    pub(crate) accumulation: Accumulation<'c>,
    pub(crate) is_integer: bool,
    /// Transposition flags, for element types that support transposition: the flag of A if A is in shared memory, and
    /// the flag of B.
    pub(crate) transposed: Option<(Option<bool>, bool)>,
}

/// Instructions for asynchronous units. In methods with a parameter `by`, only the thread in which `by` is true issues
/// the operation.
pub(crate) trait UnitIsa {
    /// Returns a condition that is true in exactly one thread of the CTA: the elected thread, a fixed thread of warp 0.
    fn elected<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c>;

    /// Emits the operation `action` on the mbarrier at the address `object`.
    fn mbarrier<'c>(
        &self,
        e: &mut Emitter<'c>,
        object: Val<'c>,
        action: MbarrierAction,
        by: Val<'c>,
    );

    /// Waits, in all threads, until the mbarrier has completed the phase with the parity `parity`.
    fn wait<'c>(&self, e: &mut Emitter<'c>, object: Val<'c>, parity: Val<'c>);

    fn copy_box<'c>(&self, e: &mut Emitter<'c>, access: &BoxAccess<'c>, by: Val<'c>);

    /// Ends the current group of box copies to global memory.
    fn commit_boxes(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` groups of box copies of this thread are in flight. If `only_reads` is true, a copy
    /// counts as complete once it has read shared memory.
    fn wait_for_boxes(&self, e: &mut Emitter<'_>, most: u32, only_reads: bool);

    /// Sets a field of a descriptor in shared memory.
    fn set_field<'c>(&self, e: &mut Emitter<'c>, descriptor: Val<'c>, field: DescriptorField<'c>);

    /// Copies a descriptor from shared to global memory, and releases the descriptor to the tensor-map proxy. One warp
    /// executes this operation.
    fn publish_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>, shared: Val<'c>);

    /// Makes a descriptor in global memory visible to later copies of one warp.
    fn acquire_descriptor<'c>(&self, e: &mut Emitter<'c>, global: Val<'c>);

    /// Returns copies of `values` that the compiler cannot trace to the original values.
    fn opaque_copies<'c>(&self, e: &mut Emitter<'c>, values: &[Val<'c>]) -> Vec<Val<'c>>;

    /// Orders earlier accesses to registers before later products.
    fn fence_products(&self, e: &mut Emitter<'_>);

    /// Copies a word to a register that has no other use.
    fn copy_word<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c>;

    /// Issues a product. Returns the accumulator registers, which must not be read before a wait.
    fn multiply<'c>(&self, e: &mut Emitter<'c>, product: &GroupProduct<'c>) -> Vec<Val<'c>>;

    /// Ends the current group of products.
    fn commit_products(&self, e: &mut Emitter<'_>);

    /// Waits until at most `most` groups of products are in flight. Returns `registers` as results of the wait.
    fn wait_for_products<'c>(
        &self,
        e: &mut Emitter<'c>,
        most: u32,
        registers: &[Val<'c>],
    ) -> Vec<Val<'c>>;
}
