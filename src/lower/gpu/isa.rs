//! What is asked of a GPU, and what its maker's instruction set answers.

use super::access::{GlobalAccess, SharedCopy};
use super::atomic::{AtomicAccess, AtomicAction};
use super::lanes::LaneOperation;
use super::units::UnitIsa;
use crate::ir::UpstreamKind;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::declarations::Declarations;
use crate::lower::emit::{Emitter, Named};
use crate::lower::format::Rounding;
use crate::sys::Rewriter;
use crate::sys::build::{Blk, Op, Val};
use linear_layout::target::{BufferInstructions, Float8, Fragment, Target};
use melior::Context;
use melior::ir::{Attribute, Type};
use std::fmt;

/// Emits the operations of one GPU.
#[derive(Clone, Copy)]
pub(crate) struct Gpu {
    pub(crate) target: &'static Target,
    pub(crate) num_warps: u32,
    isa: &'static dyn Isa,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} warps", self.target, self.num_warps)
    }
}

/// What a kernel says to the order of kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GridDependency {
    /// Waits for the kernels before it that it depends on, and sees what they wrote.
    Wait,
    /// Lets those after it start.
    LaunchDependents,
}

/// What a maker's GPUs do each in its own way.
///
/// A method that answers nothing by default is for what only some have, or what others do by operations
/// that all have.
pub(super) trait Isa: Sync {
    /// The attributes that make a function a kernel, whose threads use at most so many `registers`.
    fn kernel_attributes<'c>(
        &self,
        gpu: Gpu,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)>;

    /// The index of the thread in its block, in a range.
    fn thread_id<'c>(&self, e: &mut Emitter<'c>, range: Attribute<'c>) -> Val<'c>;

    /// An `i32` that is the same in all lanes of a warp, where the compiler can use that.
    fn uniform<'c>(&self, e: &mut Emitter<'c>, value: Val<'c>) -> Val<'c>;

    /// The index of the block along an axis, 0 to 2.
    fn program_id<'c>(&self, e: &mut Emitter<'c>, axis: usize) -> Val<'c>;

    /// The number of blocks along an axis, 0 to 2.
    fn num_programs<'c>(&self, e: &mut Emitter<'c>, axis: usize) -> Val<'c>;

    /// An operation of the module that tells Triton's launcher what it must know, as text.
    fn launch_declaration(&self) -> Option<&'static str> {
        None
    }

    /// Takes part in the order of kernels, where those of one stream may overlap.
    fn grid_dependency(&self, _: &mut Emitter<'_>, _: GridDependency) -> Option<()> {
        None
    }

    /// The time in nanoseconds, from any start, as an `i64`.
    fn nanoseconds<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c>;

    fn block_barrier(&self, e: &mut Emitter<'_>);

    /// A barrier that orders shared memory alone and lets copies and accesses to global memory go on.
    fn shared_barrier(&self, e: &mut Emitter<'_>) {
        self.block_barrier(e);
    }

    /// Orders the generic accesses of a thread to shared memory before async ones; without a proxy for the latter,
    /// nothing is needed.
    fn proxy_fence(&self, _: &mut Emitter<'_>) {}

    fn warp_barrier(&self, e: &mut Emitter<'_>);

    /// Starts a copy from global to shared memory.
    fn copy<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        copy: &SharedCopy<'_, 'c>,
    );

    /// Closes a group of copies.
    fn commit_copies(&self, _: &mut Emitter<'_>) {}

    /// Waits until at most so many groups of this thread are under way.
    fn wait_for_copies(&self, _: &mut Emitter<'_>, _most: u32) {}

    /// Waits until all copies of this warp have arrived; [`Self::set_count`] lets some go on.
    fn wait_by_count<'c>(&self, _: Gpu, _: &mut Emitter<'c>) -> Option<Op<'c>> {
        None
    }

    /// Sets how many instructions may be in flight after a wait, or as many as there are.
    fn set_count<'c>(&self, _: Gpu, _: &mut Emitter<'c>, _wait: Op<'c>, _most: Option<u32>) {}

    /// An `i32` from lane `lane ^ mask`.
    fn shuffle_xor<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c>;

    /// An `i32` from another lane of the warp.
    fn shuffle_index<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c>;

    /// The lanes of the warp in which a condition holds, lane 0 lowest: as many bits as there are lanes.
    fn ballot<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c>;

    /// A word combined over all lanes of the warp by one instruction.
    fn reduce_lanes<'c>(
        &self,
        _: &mut Emitter<'c>,
        _operation: LaneOperation,
        _word: Val<'c>,
    ) -> Option<Val<'c>> {
        None
    }

    /// Exchanges `low` in lanes with the bit set and `high` in lanes with it clear.
    fn swap_lanes<'c>(
        &self,
        _: &mut Emitter<'c>,
        _low: Val<'c>,
        _high: Val<'c>,
        _lane_bit: u32,
    ) -> Option<[Val<'c>; 2]> {
        None
    }

    /// Exchanges rows and columns of a matrix of 8 rows of 8 elements of 16 bits, of which a lane has a word.
    fn transpose_matrix<'c>(&self, _: &mut Emitter<'c>, _word: Val<'c>) -> Option<Val<'c>> {
        None
    }

    /// Reads matrices from shared memory, of which a lane gets `count` words.
    fn load_matrices<'c>(
        &self,
        _: &mut Emitter<'c>,
        _pointer: Val<'c>,
        _count: usize,
        _fragment: Fragment,
    ) -> Option<Vec<Val<'c>>> {
        None
    }

    /// Writes matrices to shared memory, of which a lane has these words.
    fn store_matrices<'c>(
        &self,
        _: &mut Emitter<'c>,
        _pointer: Val<'c>,
        _words: &[Val<'c>],
        _fragment: Fragment,
    ) -> Option<()> {
        None
    }

    /// Reads global memory; where the mask is false, `others`, or 0.
    fn load<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        others: Option<&[Val<'c>]>,
    ) -> Val<'c>;

    /// Writes global memory where the mask is true.
    fn store<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        whole: Val<'c>,
    );

    /// How many elements side by side one atomic access changes at most.
    fn atomic_elements(&self, gpu: Gpu, op: RMWOp, element: Type<'_>) -> usize;

    /// Accesses memory atomically where the mask is true; returns what was there, and nothing of a store.
    fn atomic<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &AtomicAccess<'_, 'c>,
        action: AtomicAction<'c>,
    ) -> Option<Val<'c>>;

    /// Whether `max` and `min` of an atomic access are those of floats where the element is one.
    fn has_float_extremes(&self) -> bool {
        false
    }

    /// Orders accesses to memory among the threads of a scope.
    fn fence(&self, e: &mut Emitter<'_>, sem: MemSemantic, scope: MemSyncScope);

    /// Prints a line by a format of C: numbers of 32 and 64 bits, f64 and pointers.
    fn print<'c>(
        &self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        format: &[u8],
        values: &[Val<'c>],
    );

    /// Stops the kernel and says why.
    fn fail(
        &self,
        e: &mut Emitter<'_>,
        declarations: &mut Declarations,
        message: &[u8],
        file: &str,
        line: u32,
    );

    /// 2 to the power of an f32, within 2 ulp.
    fn exp2<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c>;

    /// One over the square root of an f32, within 2 ulp.
    fn rsqrt<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c>;

    /// A function of `math` by instructions of the GPU, with the user's flags, where LLVM does not make them
    /// of the operation itself.
    fn approximate<'c>(
        &self,
        _: &mut Emitter<'c>,
        _function: UpstreamKind,
        _x: Val<'c>,
        _flags: &[Named<'c>],
    ) -> Option<Val<'c>> {
        None
    }

    /// Returns the name of the function `name` of f32 or f64 in the vendor's library.
    fn library_function(&self, name: &str, is_binary32: bool) -> String;

    /// Whether LLVM's remainder of two f32 or f64 is exact.
    fn has_exact_remainder(&self) -> bool {
        true
    }

    /// A quotient of two f32 within 2 ulp, where there is an instruction for all of them that LLVM does not make of the
    /// operation itself.
    fn quotient<'c>(&self, _: &mut Emitter<'c>, _a: Val<'c>, _b: Val<'c>) -> Option<Val<'c>> {
        None
    }

    /// The upper 64 bits of a product of 64-bit integers, where there is an instruction.
    fn upper_half<'c>(
        &self,
        _: &mut Emitter<'c>,
        _a: Val<'c>,
        _b: Val<'c>,
        _is_signed: bool,
    ) -> Option<Val<'c>> {
        None
    }

    /// A float in a narrower format of 16 or 32 bits, where an instruction has the rounding mode, which is not the
    /// nearest even number.
    fn round_float<'c>(
        &self,
        _: Gpu,
        _: &mut Emitter<'c>,
        _value: Val<'c>,
        _to: Type<'c>,
        _rounding: Rounding,
    ) -> Option<Val<'c>> {
        None
    }

    /// Floats of one type to the nearest codes of a format that the GPU's instructions know, if they take the type.
    fn narrow_float8<'c>(
        &self,
        e: &mut Emitter<'c>,
        values: &[Val<'c>],
        to: Float8,
    ) -> Option<Vec<Val<'c>>>;

    /// Codes of a format that the GPU's instructions know to floats of a type, if they make it.
    fn widen_float8<'c>(
        &self,
        e: &mut Emitter<'c>,
        codes: &[Val<'c>],
        from: Float8,
        to: Type<'c>,
    ) -> Option<Vec<Val<'c>>>;

    /// How units beside the threads are asked, where there are any.
    fn units(&self) -> Option<&'static dyn UnitIsa> {
        None
    }

    /// How buffer instructions are emitted, where there are any.
    fn buffers(&self) -> Option<&'static dyn BufferIsa> {
        None
    }
}

/// Buffer instructions: a base for all threads in a descriptor, an offset in bytes for each.
pub(crate) trait BufferIsa {
    /// The descriptor of so many bytes from `base` on.
    fn resource<'c>(&self, e: &mut Emitter<'c>, base: Val<'c>, bytes: i64, flags: u32) -> Val<'c>;

    /// Reads words.
    fn load<'c>(
        &self,
        e: &mut Emitter<'c>,
        resource: Val<'c>,
        offset: Val<'c>,
        cache: u32,
        words: Type<'c>,
    ) -> Val<'c>;

    /// Writes words.
    fn store<'c>(
        &self,
        e: &mut Emitter<'c>,
        words: Val<'c>,
        resource: Val<'c>,
        offset: Val<'c>,
        cache: u32,
    );

    /// Starts a copy of so many bytes to shared memory, of zeros where the offset is out of range, for a warp whose lanes
    /// are in order from an address on. `from` is the descriptor and the offset, `how` the bytes of each lane and how
    /// they are cached.
    fn copy<'c>(&self, e: &mut Emitter<'c>, from: [Val<'c>; 2], to: Val<'c>, how: (u32, u32));

    /// Whether there is an instruction that changes, or compares where no operation is given.
    fn has_atomic(&self, op: Option<RMWOp>, element: Type<'_>) -> bool;

    /// Changes an element atomically by a value, or by the second where there is the first; in no order. Returns
    /// what was there. `place` is the descriptor and the offset.
    fn atomic<'c>(
        &self,
        e: &mut Emitter<'c>,
        op: Option<RMWOp>,
        values: &[Val<'c>],
        place: [Val<'c>; 2],
        cache: u32,
    ) -> Val<'c>;
}

impl Gpu {
    pub(super) fn new(target: &'static Target, num_warps: u32, isa: &'static dyn Isa) -> Self {
        Self {
            target,
            num_warps,
            isa,
        }
    }

    pub(crate) fn threads(self) -> u32 {
        self.target.lanes * self.num_warps
    }

    /// The attributes that make a function a kernel of this GPU, whose threads use at most so many
    /// `registers`.
    pub(crate) fn kernel_attributes<'c>(
        self,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)> {
        self.isa.kernel_attributes(self, e, registers)
    }

    /// The index of the thread in its block, warps one after another.
    pub(crate) fn thread_id<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let range = e.range_below(self.threads());
        self.isa.thread_id(e, range)
    }

    pub(crate) fn lane<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let thread = self.thread_id(e);
        let mask = e.i32(self.target.lanes - 1);
        e.and(thread, mask)
    }

    pub(crate) fn warp<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        if self.num_warps == 1 {
            return e.i32(0);
        }
        let thread = self.thread_id(e);
        let warp = e.lshr(thread, self.target.lanes_log2());
        self.isa.uniform(e, warp)
    }

    /// The index of the block along an axis, 0 to 2.
    pub(crate) fn program_id<'c>(self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        self.isa.program_id(e, axis)
    }

    /// The number of blocks along an axis, 0 to 2.
    pub(crate) fn num_programs<'c>(self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        self.isa.num_programs(e, axis)
    }

    /// Declares in a module what Triton's launcher must know of it.
    pub(crate) fn declare_launch<'c>(
        self,
        rewriter: Rewriter<'c>,
        context: &'c Context,
        body: Blk<'c>,
    ) {
        if let Some(text) = self.isa.launch_declaration() {
            rewriter.prepend_parsed(context, body, text);
        }
    }

    /// Takes part in the order of kernels, where those of one stream may overlap.
    pub(crate) fn grid_dependency(self, e: &mut Emitter<'_>, step: GridDependency) -> Option<()> {
        let has = self.target.instructions.grid_dependencies;
        has.then(|| self.isa.grid_dependency(e, step))?
    }

    /// The time in nanoseconds, from any start, as an `i64`.
    pub(crate) fn nanoseconds<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        self.isa.nanoseconds(self, e)
    }

    /// How units beside the threads are asked, where the GPU has any.
    pub(crate) fn units(self) -> Option<&'static dyn UnitIsa> {
        let has = self.target.instructions.tensor_copies;
        has.then(|| self.isa.units())?
    }

    /// All threads of the block wait; shared memory is in order across it.
    pub(crate) fn block_barrier(self, e: &mut Emitter<'_>) {
        self.isa.block_barrier(e);
    }

    /// All threads of the block wait; shared memory is in order across it, and nothing else.
    pub(crate) fn shared_barrier(self, e: &mut Emitter<'_>) {
        self.isa.shared_barrier(e);
    }

    /// Orders the generic accesses of a thread to shared memory before async ones.
    pub(crate) fn proxy_fence(self, e: &mut Emitter<'_>) {
        self.isa.proxy_fence(e);
    }

    /// Returns true if an instruction copies so many bytes from global to shared memory, each lane to its own address.
    pub(crate) fn copies(self, bytes: u32) -> bool {
        let instructions = self.target.instructions;
        let has = instructions.async_copies || instructions.async_to_shared;
        has && matches!(bytes, 4 | 8 | 16)
    }

    /// Returns true if an instruction copies so many bytes for each lane from global to shared memory, those of a warp one
    /// after another from one address on.
    pub(crate) fn copies_in_lane_order(self, bytes: u32) -> bool {
        let instructions = self.target.instructions;
        instructions.buffer_to_shared
            && (bytes == 4 || instructions.wide_buffer_to_shared && bytes == 16)
    }

    /// Returns true if waits count instructions of copies, not groups.
    pub(crate) fn counts_copies(self) -> bool {
        let instructions = self.target.instructions;
        instructions.async_to_shared || instructions.buffer_to_shared
    }

    /// Returns true if copies are counted together with accesses to global memory, so that ordering these in a barrier
    /// waits for copies.
    pub(crate) fn counts_copies_with_loads(self) -> bool {
        self.target.instructions.buffer_to_shared
    }

    /// Starts a copy that [`Self::copies`] or [`Self::copies_in_lane_order`] knows.
    pub(crate) fn copy<'c>(
        self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        copy: &SharedCopy<'_, 'c>,
    ) {
        self.isa.copy(self, e, declarations, copy);
    }

    /// Closes a group of copies; where there are no copies there are no groups.
    pub(crate) fn commit_copies(self, e: &mut Emitter<'_>) {
        if self.target.instructions.async_copies {
            self.isa.commit_copies(e);
        }
    }

    /// Waits until at most so many groups of this thread are under way.
    pub(crate) fn wait_for_copies(self, e: &mut Emitter<'_>, most: u32) {
        if self.target.instructions.async_copies {
            self.isa.wait_for_copies(e, most);
        }
    }

    /// Waits until all copies of this warp have arrived, where [`Self::counts_copies`].
    pub(crate) fn wait_by_count<'c>(self, e: &mut Emitter<'c>) -> Op<'c> {
        let wait = self.isa.wait_by_count(self, e);
        wait.expect("a GPU that counts copies waits for counts")
    }

    /// Sets how many instructions may be in flight after a wait, or as many as there are.
    pub(crate) fn set_count<'c>(self, e: &mut Emitter<'c>, wait: Op<'c>, most: Option<u32>) {
        self.isa.set_count(self, e, wait, most);
    }

    /// The lanes of a warp wait; shared memory is in order among them.
    pub(crate) fn warp_barrier(self, e: &mut Emitter<'_>) {
        self.isa.warp_barrier(e);
    }

    /// An `i32` from lane `lane ^ mask`.
    pub(crate) fn shuffle_xor<'c>(self, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c> {
        self.isa.shuffle_xor(self, e, value, mask)
    }

    /// An `i32` from another lane of the warp.
    pub(crate) fn shuffle_index<'c>(
        self,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c> {
        self.isa.shuffle_index(self, e, value, source)
    }

    /// The lanes of the warp in which a condition holds, lane 0 lowest: as many bits as there are lanes.
    pub(crate) fn ballot<'c>(self, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c> {
        self.isa.ballot(self, e, holds)
    }

    /// A word combined over all lanes of the warp by one instruction.
    pub(crate) fn reduce_lanes<'c>(
        self,
        e: &mut Emitter<'c>,
        operation: LaneOperation,
        word: Val<'c>,
    ) -> Val<'c> {
        self.isa
            .reduce_lanes(e, operation, word)
            .expect("plans reduce lanes at once where the target has the instruction")
    }

    /// Exchanges `low` in lanes with the bit set and `high` in lanes with it clear, by one instruction.
    pub(crate) fn swap_lanes<'c>(
        self,
        e: &mut Emitter<'c>,
        low: Val<'c>,
        high: Val<'c>,
        lane_bit: u32,
    ) -> [Val<'c>; 2] {
        self.isa
            .swap_lanes(e, low, high, lane_bit)
            .expect("plans swap lanes where the target has the instruction")
    }

    /// Exchanges rows and columns of a matrix of which a lane has a word.
    pub(crate) fn transpose_matrix<'c>(self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c> {
        let moved = self.isa.transpose_matrix(e, word);
        moved.expect("plans transpose matrices where the target has the instruction")
    }

    /// Reads matrices from shared memory: a lane gives the address of a row, and gets `count` words.
    pub(crate) fn load_matrices<'c>(
        self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        count: usize,
        fragment: Fragment,
    ) -> Vec<Val<'c>> {
        let loaded = self.isa.load_matrices(e, pointer, count, fragment);
        loaded.expect("plans load matrices where the target has the instruction")
    }

    /// Writes matrices to shared memory: a lane gives the address of a row, and has these words.
    pub(crate) fn store_matrices<'c>(
        self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        words: &[Val<'c>],
        fragment: Fragment,
    ) {
        let stored = self.isa.store_matrices(e, pointer, words, fragment);
        stored.expect("plans store matrices where the target has the instruction");
    }

    /// Reads global memory, one element or a vector; where the mask is false, `others`, or 0.
    pub(crate) fn load<'c>(
        self,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        others: Option<&[Val<'c>]>,
    ) -> Val<'c> {
        self.isa.load(self, e, access, others)
    }

    /// Writes global memory, one element or a vector, where the mask is true.
    pub(crate) fn store<'c>(
        self,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        whole: Val<'c>,
    ) {
        self.isa.store(self, e, access, whole);
    }

    /// How many elements side by side one atomic access changes at most.
    pub(crate) fn atomic_elements(self, op: RMWOp, element: Type<'_>) -> usize {
        self.isa.atomic_elements(self, op, element)
    }

    /// Accesses memory atomically where the mask is true; returns what was there, and nothing of a store.
    pub(crate) fn atomic<'c>(
        self,
        e: &mut Emitter<'c>,
        access: &AtomicAccess<'_, 'c>,
        action: AtomicAction<'c>,
    ) -> Option<Val<'c>> {
        self.isa.atomic(self, e, access, action)
    }

    /// Orders accesses to memory among the threads of a scope.
    pub(crate) fn fence(self, e: &mut Emitter<'_>, sem: MemSemantic, scope: MemSyncScope) {
        self.isa.fence(e, sem, scope);
    }

    /// Prints a line by a format of C: numbers of 32 and 64 bits, f64 and pointers.
    pub(crate) fn print<'c>(
        self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        format: &[u8],
        values: &[Val<'c>],
    ) {
        self.isa.print(e, declarations, format, values);
    }

    /// Stops the kernel and says why.
    pub(crate) fn fail(
        self,
        e: &mut Emitter<'_>,
        declarations: &mut Declarations,
        message: &[u8],
        file: &str,
        line: u32,
    ) {
        self.isa.fail(e, declarations, message, file, line);
    }

    /// 2 to the power of an f32, within 2 ulp.
    pub(crate) fn exp2<'c>(self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        self.isa.exp2(e, a)
    }

    /// One over the square root of an f32, within 2 ulp.
    pub(crate) fn rsqrt<'c>(self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        self.isa.rsqrt(e, a)
    }

    /// A function of `math` by instructions of the GPU, where LLVM does not make them of the operation itself.
    pub(crate) fn approximate<'c>(
        self,
        e: &mut Emitter<'c>,
        function: UpstreamKind,
        x: Val<'c>,
        flags: &[Named<'c>],
    ) -> Option<Val<'c>> {
        self.isa.approximate(e, function, x, flags)
    }

    /// What the maker's library calls the function `name` of f64.
    pub(crate) fn library_function(self, name: &str, is_binary32: bool) -> String {
        self.isa.library_function(name, is_binary32)
    }

    /// Whether LLVM's remainder of two f32 or f64 is exact.
    pub(crate) fn has_exact_remainder(self) -> bool {
        self.isa.has_exact_remainder()
    }

    /// A quotient of two f32 within 2 ulp, where LLVM does not make it of the operation itself.
    pub(crate) fn quotient<'c>(
        self,
        e: &mut Emitter<'c>,
        a: Val<'c>,
        b: Val<'c>,
    ) -> Option<Val<'c>> {
        self.isa.quotient(e, a, b)
    }

    /// The upper 64 bits of a product of 64-bit integers, where there is an instruction.
    pub(crate) fn upper_half<'c>(
        self,
        e: &mut Emitter<'c>,
        a: Val<'c>,
        b: Val<'c>,
        is_signed: bool,
    ) -> Option<Val<'c>> {
        self.isa.upper_half(e, a, b, is_signed)
    }

    /// Whether `max` and `min` of an atomic access are those of floats where the element is one.
    pub(crate) fn has_float_extremes(self) -> bool {
        self.isa.has_float_extremes()
    }

    /// A float in a narrower format, where an instruction has the rounding mode.
    pub(crate) fn round_float<'c>(
        self,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        to: Type<'c>,
        rounding: Rounding,
    ) -> Option<Val<'c>> {
        self.isa.round_float(self, e, value, to, rounding)
    }

    /// Floats of one type to the nearest codes of a format, the largest for what is too large, where the GPU has
    /// instructions that take the type.
    pub(crate) fn narrow_float8<'c>(
        self,
        e: &mut Emitter<'c>,
        values: &[Val<'c>],
        to: Float8,
    ) -> Option<Vec<Val<'c>>> {
        let has = self.target.instructions.float8 == Some(to.family);
        has.then(|| self.isa.narrow_float8(e, values, to))?
    }

    /// Codes of a format to floats of a type, where the GPU has instructions that make it.
    pub(crate) fn widen_float8<'c>(
        self,
        e: &mut Emitter<'c>,
        codes: &[Val<'c>],
        from: Float8,
        to: Type<'c>,
    ) -> Option<Vec<Val<'c>>> {
        let has = self.target.instructions.float8 == Some(from.family);
        has.then(|| self.isa.widen_float8(e, codes, from, to))?
    }

    /// What buffer instructions are told and how they are emitted, where the GPU has them.
    pub(crate) fn buffers(self) -> Option<(BufferInstructions, &'static dyn BufferIsa)> {
        self.target.instructions.buffer.zip(self.isa.buffers())
    }
}
