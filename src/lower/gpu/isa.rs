//! The interfaces to a GPU ([`Gpu`]) and to the instruction set of a vendor ([`Isa`]).

use super::access::{GlobalAccess, SharedCopy};
use super::atomic::{AtomicAccess, AtomicAction};
use super::lanes::LaneOperation;
use super::units::UnitIsa;
use crate::ir::UpstreamKind;
use crate::ir::builders::llvm;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::ir::partitions::{
    CTA_BARRIER, RegionWarps, initial_registers, region_around, warps_of_regions,
};
use crate::lower::declarations::Declarations;
use crate::lower::emit::{Emitter, NamedAttr};
use crate::lower::format::Rounding;
use crate::sys::Rewriter;
use crate::sys::build::{Blk, Op, Val};
use linear_layout::target::{BufferInstructions, Float8, Fragment, Target};
use melior::Context;
use melior::ir::{Attribute, OperationRef, Type};
use std::fmt;

/// The target GPU and the warps that execute the code.
#[derive(Clone, Copy)]
pub(crate) struct Gpu {
    pub(crate) target: &'static Target,
    /// Number of warps that execute the code. In a partition of `ttg.warp_specialize`, these are the partition's
    /// warps; elsewhere, the warps of the CTA that are in no partition.
    pub(crate) num_warps: u32,
    pub(crate) cta_warps: u32,
    pub(crate) num_ctas: u32,
    first_warp: u32,
    barrier: u32,
    isa: &'static dyn Isa,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} warps", self.target, self.num_warps)
    }
}

/// A step of programmatic dependent launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GridDependency {
    /// Waits until the prerequisite kernels are complete and their writes are visible.
    Wait,
    /// Allows dependent kernels to start.
    LaunchDependents,
}

/// The instruction set of a vendor. A default implementation that returns `None` means that the vendor has no such
/// instruction.
pub(super) trait Isa: Sync {
    fn kernel_attributes<'c>(
        &self,
        gpu: Gpu,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)>;

    /// Emits the index of the thread within the CTA. `range` is the attribute that states the range of this index.
    fn thread_id<'c>(&self, e: &mut Emitter<'c>, range: Attribute<'c>) -> Val<'c>;

    /// Marks an `i32` as equal in all lanes of a warp. The value is unchanged if the vendor's compiler does not use
    /// this property.
    fn uniform<'c>(&self, e: &mut Emitter<'c>, value: Val<'c>) -> Val<'c>;

    /// Returns true if [`Isa::uniform`] moves a warp index to a scalar register, where arithmetic on it needs no
    /// vector instructions. Tensor indices are then best computed from the lane index and the warp index, not from
    /// the thread index.
    fn has_scalar_warp(&self) -> bool;

    /// Returns true if the L1 cache and shared memory are parts of the same memory, so that the cache is smaller if
    /// a kernel uses more shared memory.
    fn has_l1_in_shared_memory(&self) -> bool;

    /// Emits the program index along `axis`, which is 0, 1 or 2. A program is a cluster if the kernel uses
    /// clusters, otherwise a CTA.
    fn program_id<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, axis: usize) -> Val<'c>;

    /// Emits the number of programs along `axis`, which is 0, 1 or 2. A program is a cluster if the kernel uses
    /// clusters, otherwise a CTA.
    fn num_programs<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, axis: usize) -> Val<'c>;

    /// Emits the rank of this CTA in its cluster. Returns `None` if the vendor has no clusters.
    fn cta_rank<'c>(&self, _: &mut Emitter<'c>) -> Option<Val<'c>> {
        None
    }

    /// Maps a pointer into the shared memory of this CTA to the same byte in the shared memory of the CTA that has
    /// the rank `_rank` in the cluster.
    fn address_in_cta<'c>(
        &self,
        _: &mut Emitter<'c>,
        _pointer: Val<'c>,
        _rank: Val<'c>,
    ) -> Option<Val<'c>> {
        None
    }

    /// Emits a barrier for all threads of the cluster. Orders their shared-memory accesses.
    fn cluster_barrier(&self, _: &mut Emitter<'_>) -> Option<()> {
        None
    }

    /// Returns the text of an operation that the module must contain for Triton's launcher. Returns `None` if the
    /// launcher needs no such operation.
    fn launch_declaration(&self) -> Option<&'static str> {
        None
    }

    fn grid_dependency(&self, _: &mut Emitter<'_>, _: GridDependency) -> Option<()> {
        None
    }

    /// Emits nanoseconds since an unspecified start, as an `i64`.
    fn nanoseconds<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c>;

    fn block_barrier(&self, e: &mut Emitter<'_>);

    fn has_named_barriers(&self) -> bool {
        false
    }

    fn named_barrier(&self, _: &mut Emitter<'_>, _barrier: u32, _threads: u32) {}

    /// Changes the number of registers per thread from `_from` to `_to`, for all threads of the warp group (four
    /// warps) that executes the code.
    fn set_registers(&self, _: &mut Emitter<'_>, _from: u32, _to: u32) {}

    /// Emits a CTA barrier that orders only shared-memory accesses. Copies and global accesses stay in flight.
    fn shared_barrier(&self, e: &mut Emitter<'_>) {
        self.block_barrier(e);
    }

    /// Returns true if the GPU allows some warps of a CTA to wait at one CTA barrier while the remaining warps wait
    /// at a different CTA barrier.
    fn can_stagger(&self) -> bool {
        false
    }

    /// Emits a CTA barrier in code that only some of the warps execute, while the remaining warps wait at another
    /// barrier. If `_is_of_shared` is true, the barrier orders only shared-memory accesses; otherwise it orders all
    /// accesses.
    fn staggering_barrier(&self, _: &mut Emitter<'_>, _is_of_shared: bool) {}

    /// Orders earlier generic-proxy accesses to shared memory before later async-proxy accesses. Emits nothing if
    /// the hardware has no async proxy.
    fn proxy_fence(&self, _: &mut Emitter<'_>) {}

    fn warp_barrier(&self, e: &mut Emitter<'_>);

    fn copy<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        copy: &SharedCopy<'_, 'c>,
    );

    /// Ends the current copy group of this thread.
    fn commit_copies(&self, _: &mut Emitter<'_>) {}

    /// Waits until at most `_most` copy groups of this thread are in flight.
    fn wait_for_copies(&self, _: &mut Emitter<'_>, _most: u32) {}

    /// Emits a wait for all copies of this warp and returns the wait operation. [`Self::set_count`] can later
    /// increase the number of copies that may stay in flight.
    fn wait_by_count<'c>(&self, _: Gpu, _: &mut Emitter<'c>) -> Option<Op<'c>> {
        None
    }

    /// Sets the number of copy instructions that may stay in flight after `_wait`. `None` sets the largest number
    /// that the instruction can encode.
    fn set_count<'c>(&self, _: Gpu, _: &mut Emitter<'c>, _wait: Op<'c>, _most: Option<u32>) {}

    /// Returns the `i32` that is held by the lane whose index is the own lane's index XOR `mask`.
    fn shuffle_xor<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c>;

    fn shuffle_index<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c>;

    /// Returns a mask with one bit per lane. Bit i is the value of the condition `holds` in lane i.
    fn ballot<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c>;

    fn reduce_lanes<'c>(
        &self,
        _: &mut Emitter<'c>,
        _operation: LaneOperation,
        _word: Val<'c>,
    ) -> Option<Val<'c>> {
        None
    }

    /// Exchanges words between pairs of lanes whose indices differ only in bit `_lane_bit`. The `_high` word of the
    /// lane whose bit is 0 is swapped with the `_low` word of the lane whose bit is 1. Returns `[low, high]` after
    /// the exchange.
    fn swap_lanes<'c>(
        &self,
        _: &mut Emitter<'c>,
        _low: Val<'c>,
        _high: Val<'c>,
        _lane_bit: u32,
    ) -> Option<[Val<'c>; 2]> {
        None
    }

    /// Transposes an 8x8 matrix of 16-bit elements. Each lane of the warp holds one 32-bit word of the matrix.
    fn transpose_matrix<'c>(&self, _: &mut Emitter<'c>, _word: Val<'c>) -> Option<Val<'c>> {
        None
    }

    /// Loads matrices of the form `_fragment` from shared memory. Each lane passes the address of one matrix row in
    /// `_pointer`, and gets `_count` 32-bit words of the matrices.
    fn load_matrices<'c>(
        &self,
        _: &mut Emitter<'c>,
        _pointer: Val<'c>,
        _count: usize,
        _fragment: Fragment,
    ) -> Option<Vec<Val<'c>>> {
        None
    }

    fn store_matrices<'c>(
        &self,
        _: &mut Emitter<'c>,
        _pointer: Val<'c>,
        _words: &[Val<'c>],
        _fragment: Fragment,
    ) -> Option<()> {
        None
    }

    /// Loads from global memory. If the mask is false, the result is `others`, or undefined if `others` is `None`.
    fn load<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        others: Option<&[Val<'c>]>,
    ) -> Val<'c>;

    /// Stores `whole`, which contains all data of the access, to global memory if the mask of the access is true.
    fn store<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        whole: Val<'c>,
    );

    fn atomic_elements(&self, gpu: Gpu, op: RMWOp, element: Type<'_>) -> usize;

    /// Emits an atomic access that is performed only if the mask is true. Returns the old value, or `None` for a
    /// store.
    fn atomic<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &AtomicAccess<'_, 'c>,
        action: AtomicAction<'c>,
    ) -> Option<Val<'c>>;

    fn has_float_min_max(&self) -> bool {
        false
    }

    fn fence(&self, e: &mut Emitter<'_>, sem: MemSemantic, scope: MemSyncScope);

    /// Prints `values` with a C `printf` format. Each value is a 32-bit or 64-bit integer, an f64 or a pointer.
    fn print<'c>(
        &self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        format: &[u8],
        values: &[Val<'c>],
    );

    fn fail(
        &self,
        e: &mut Emitter<'_>,
        declarations: &mut Declarations,
        message: &[u8],
        file: &str,
        line: u32,
    );

    /// Computes `exp2` of an f32 within 2 ulp.
    fn exp2<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c>;

    /// Computes the reciprocal square root of an f32 within 2 ulp.
    fn rsqrt<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c>;

    /// Emits an instruction that approximates the `math` function `_function`.
    ///
    /// Returns `None` if the vendor has no such instruction. Also returns `None` if LLVM selects the instruction
    /// anyway when the `math` function is lowered to LLVM's intrinsic.
    fn approximate<'c>(
        &self,
        _: &mut Emitter<'c>,
        _function: UpstreamKind,
        _x: Val<'c>,
        _flags: &[NamedAttr<'c>],
    ) -> Option<Val<'c>> {
        None
    }

    fn library_function(&self, name: &str, is_binary32: bool) -> String;

    /// Returns true if LLVM's `frem` is exact.
    fn has_exact_remainder(&self) -> bool {
        true
    }

    /// Divides `_a` by `_b`, both f32, with an error of at most 2 ulp. Returns `None` if LLVM already selects such
    /// an instruction for `fdiv`.
    fn quotient<'c>(&self, _: &mut Emitter<'c>, _a: Val<'c>, _b: Val<'c>) -> Option<Val<'c>> {
        None
    }

    /// Divides `a` by `b` as `tt.approx_divf` and fast library functions do: with an error of at most 2 ulp, if `b` is not
    /// very large.
    fn approximate_quotient<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        e.fdiv_approximate(a, b)
    }

    /// Bounds an f32 by `-_limit` and `_limit` with one instruction. Returns `None` if there is no such instruction.
    fn clip<'c>(
        &self,
        _: Gpu,
        _: &mut Emitter<'c>,
        _x: Val<'c>,
        _limit: Val<'c>,
        _propagates_nan: bool,
    ) -> Option<Val<'c>> {
        None
    }

    /// Computes the upper 64 bits of the 128-bit product of two 64-bit integers.
    fn upper_half<'c>(
        &self,
        _: &mut Emitter<'c>,
        _a: Val<'c>,
        _b: Val<'c>,
        _is_signed: bool,
    ) -> Option<Val<'c>> {
        None
    }

    /// Converts a float to a 16-bit or 32-bit float type with a rounding mode other than nearest-even. Returns
    /// `None` if the GPU has no instruction for the conversion.
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

    /// Converts floats to 8-bit codes. Rounds to nearest, and saturates. Returns `None` if the target has no
    /// instruction for the conversion.
    fn narrow_float8<'c>(
        &self,
        e: &mut Emitter<'c>,
        values: &[Val<'c>],
        to: Float8,
    ) -> Option<Vec<Val<'c>>>;

    fn widen_float8<'c>(
        &self,
        e: &mut Emitter<'c>,
        codes: &[Val<'c>],
        from: Float8,
        to: Type<'c>,
    ) -> Option<Vec<Val<'c>>>;

    /// Returns the instructions of the asynchronous units, or `None` if the vendor has no such units.
    fn units(&self) -> Option<&'static dyn UnitIsa> {
        None
    }

    fn buffers(&self) -> Option<&'static dyn BufferIsa> {
        None
    }
}

/// Instructions that access memory through a buffer descriptor. The descriptor is uniform, and each thread adds its
/// own byte offset.
pub(crate) trait BufferIsa {
    fn resource<'c>(&self, e: &mut Emitter<'c>, base: Val<'c>, bytes: i64, flags: u32) -> Val<'c>;

    fn load<'c>(
        &self,
        e: &mut Emitter<'c>,
        resource: Val<'c>,
        offset: Val<'c>,
        cache: u32,
        words: Type<'c>,
    ) -> Val<'c>;

    fn store<'c>(
        &self,
        e: &mut Emitter<'c>,
        words: Val<'c>,
        resource: Val<'c>,
        offset: Val<'c>,
        cache: u32,
    );

    /// Starts a copy from global to shared memory. `from` contains the buffer descriptor and the byte offset of the
    /// lane. `size` contains the number of bytes per lane and the cache bits of the instruction. The lanes write to
    /// consecutive addresses in lane order, beginning at `to`. A lane whose offset is out of range writes zeros.
    fn copy<'c>(&self, e: &mut Emitter<'c>, from: [Val<'c>; 2], to: Val<'c>, size: (u32, u32));

    /// Returns true if there is a buffer instruction for the atomic operation `op` or, if `op` is `None`, for
    /// compare-exchange.
    fn has_atomic(&self, op: Option<RMWOp>, element: Type<'_>) -> bool;

    /// Emits the atomic operation `op` with relaxed order, or a compare-exchange if `op` is `None`. Returns the old
    /// value. `place` is (descriptor, byte offset); `cache` contains the cache bits.
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
    pub(super) fn new(
        target: &'static Target,
        [num_warps, cta_warps]: [u32; 2],
        num_ctas: u32,
        isa: &'static dyn Isa,
    ) -> Self {
        Self {
            target,
            num_warps,
            cta_warps,
            num_ctas,
            first_warp: 0,
            barrier: 0,
            isa,
        }
    }

    pub(crate) const fn with_warps(self, warps: RegionWarps) -> Self {
        Self {
            num_warps: warps.count,
            first_warp: warps.first,
            barrier: warps.barrier,
            ..self
        }
    }

    /// Returns a copy of this GPU for the warps that execute `op`. These are the warps of the `ttg.warp_specialize`
    /// region that contains `op`, or the warps of the function if there is no such region. `self` must describe the
    /// warps of the function.
    pub(crate) fn around(self, op: OperationRef<'_, '_>) -> Self {
        if self.is_whole_cta() {
            return self;
        }
        match region_around(op) {
            Some((specialize, region)) => self.with_warps(warps_of_regions(specialize)[region]),
            None => self,
        }
    }

    pub(crate) fn threads(self) -> u32 {
        self.target.lanes * self.num_warps
    }

    pub(crate) fn cta_threads(self) -> u32 {
        self.target.lanes * self.cta_warps
    }

    pub(crate) const fn is_whole_cta(self) -> bool {
        self.num_warps == self.cta_warps
    }

    pub(crate) fn has_partitions(self) -> bool {
        self.isa.has_named_barriers()
    }

    /// Returns the number of registers per thread at kernel start. `None` if no warp changes its number of
    /// registers, or if the GPU has no instruction for such changes.
    pub(crate) fn initial_registers(self, kernel: Op<'_>) -> Option<u32> {
        // `setmaxnreg` exists since `sm_90`, as TMA.
        let has = !self.is_whole_cta() && self.target.instructions.tensor_copies;
        has.then(|| initial_registers(kernel, self.cta_threads()))?
    }

    pub(crate) fn kernel_attributes<'c>(
        self,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)> {
        self.isa.kernel_attributes(self, e, registers)
    }

    /// Emits the index of the thread among the threads that execute the code. The threads of a warp have
    /// consecutive indices.
    pub(crate) fn thread_id<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let first = self.target.lanes * self.first_warp;
        let range = e.range_below(first + self.threads());
        let thread = self.isa.thread_id(e, range);
        if first == 0 {
            return thread;
        }
        if first.is_multiple_of(self.threads()) && self.threads().is_power_of_two() {
            let mask = e.i32(self.threads() - 1);
            return e.and(thread, mask);
        }
        let first = e.i32(first);
        e.pure(llvm::sub(thread, first))
    }

    /// Returns the warp index in the CTA, as a uniform value.
    pub(crate) fn warp_of_cta<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let range = e.range_below(self.cta_threads());
        let thread = self.isa.thread_id(e, range);
        let warp = e.lshr(thread, self.target.lanes_log2());
        let first = e.i32(0);
        self.isa.shuffle_index(self, e, warp, first)
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

    pub(crate) fn has_scalar_warp(self) -> bool {
        self.isa.has_scalar_warp()
    }

    pub(crate) fn has_l1_in_shared_memory(self) -> bool {
        self.isa.has_l1_in_shared_memory()
    }

    pub(crate) fn program_id<'c>(self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        self.isa.program_id(self, e, axis)
    }

    pub(crate) fn num_programs<'c>(self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        self.isa.num_programs(self, e, axis)
    }

    pub(crate) fn cta_rank<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let rank = if self.num_ctas == 1 {
            None
        } else {
            self.isa.cta_rank(e)
        };
        rank.unwrap_or_else(|| e.i32(0))
    }

    pub(crate) fn address_in_cta<'c>(
        self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        rank: Val<'c>,
    ) -> Option<Val<'c>> {
        self.isa.address_in_cta(e, pointer, rank)
    }

    pub(crate) fn cluster_barrier(self, e: &mut Emitter<'_>) -> Option<()> {
        self.isa.cluster_barrier(e)
    }

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

    pub(crate) fn can_stagger(self) -> bool {
        self.isa.can_stagger()
    }

    pub(crate) fn staggering_barrier(self, e: &mut Emitter<'_>, is_of_shared: bool) {
        self.isa.staggering_barrier(e, is_of_shared);
    }

    pub(crate) fn grid_dependency(self, e: &mut Emitter<'_>, step: GridDependency) -> Option<()> {
        let has = self.target.instructions.grid_dependencies;
        has.then(|| self.isa.grid_dependency(e, step))?
    }

    pub(crate) fn nanoseconds<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        self.isa.nanoseconds(self, e)
    }

    pub(crate) fn units(self) -> Option<&'static dyn UnitIsa> {
        let has = self.target.instructions.tensor_copies;
        has.then(|| self.isa.units())?
    }

    /// Emits a barrier for the executing warps. Orders all memory accesses.
    pub(crate) fn block_barrier(self, e: &mut Emitter<'_>) {
        if self.is_whole_cta() {
            self.isa.block_barrier(e);
        } else if self.num_warps == 1 {
            self.isa.warp_barrier(e);
        } else {
            self.isa.named_barrier(e, self.barrier, self.threads());
        }
    }

    /// Emits a barrier for the warps that execute the code. If these are all warps of the CTA, the barrier orders
    /// only shared-memory accesses; otherwise it orders all accesses.
    pub(crate) fn shared_barrier(self, e: &mut Emitter<'_>) {
        if self.is_whole_cta() {
            self.isa.shared_barrier(e);
        } else {
            self.block_barrier(e);
        }
    }

    /// Emits a barrier for all warps of the CTA, including warp-specialised partitions.
    pub(crate) fn cta_barrier(self, e: &mut Emitter<'_>) {
        self.isa.named_barrier(e, CTA_BARRIER, self.cta_threads());
    }

    /// Changes the number of registers per thread from `from` to `to`, for all threads of the warp group (four
    /// warps) that executes the code. Emits nothing if `from` and `to` are equal.
    pub(crate) fn set_registers(self, e: &mut Emitter<'_>, from: u32, to: u32) {
        if from != to {
            self.isa.set_registers(e, from, to);
        }
    }

    pub(crate) fn proxy_fence(self, e: &mut Emitter<'_>) {
        self.isa.proxy_fence(e);
    }

    /// Returns true if the GPU has an instruction that copies `bytes` bytes per lane to shared memory, where each
    /// lane has its own destination address.
    pub(crate) fn copies(self, bytes: u32) -> bool {
        let instructions = self.target.instructions;
        let has = instructions.async_copies || instructions.async_to_shared;
        has && matches!(bytes, 4 | 8 | 16)
    }

    /// Returns true if the GPU has an instruction that copies `bytes` bytes per lane to consecutive shared-memory
    /// addresses, in lane order, where the warp has one destination address.
    pub(crate) fn copies_in_lane_order(self, bytes: u32) -> bool {
        let instructions = self.target.instructions;
        instructions.buffer_to_shared
            && (bytes == 4 || instructions.wide_buffer_to_shared && bytes == 16)
    }

    /// Returns true if a wait for copies counts the copy instructions in flight, and false if it counts copy
    /// groups.
    pub(crate) fn counts_copies(self) -> bool {
        let instructions = self.target.instructions;
        instructions.async_to_shared || instructions.buffer_to_shared
    }

    /// Returns true if the hardware counts copies in flight and global accesses in flight with a single counter. In
    /// this case, a barrier that waits for global accesses also waits for copies.
    pub(crate) fn counts_copies_with_loads(self) -> bool {
        self.target.instructions.buffer_to_shared
    }

    /// Starts an asynchronous copy from global to shared memory. [`Self::copies`] or [`Self::copies_in_lane_order`]
    /// must be true for the size of the copy.
    pub(crate) fn copy<'c>(
        self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        copy: &SharedCopy<'_, 'c>,
    ) {
        self.isa.copy(self, e, declarations, copy);
    }

    pub(crate) fn commit_copies(self, e: &mut Emitter<'_>) {
        if self.target.instructions.async_copies {
            self.isa.commit_copies(e);
        }
    }

    pub(crate) fn wait_for_copies(self, e: &mut Emitter<'_>, most: u32) {
        if self.target.instructions.async_copies {
            self.isa.wait_for_copies(e, most);
        }
    }

    /// Emits a wait for all copies of this warp and returns the wait operation. [`Self::counts_copies`] must be
    /// true.
    pub(crate) fn wait_by_count<'c>(self, e: &mut Emitter<'c>) -> Op<'c> {
        let wait = self.isa.wait_by_count(self, e);
        wait.expect("a GPU that counts copies waits for counts")
    }

    pub(crate) fn set_count<'c>(self, e: &mut Emitter<'c>, wait: Op<'c>, most: Option<u32>) {
        self.isa.set_count(self, e, wait, most);
    }

    /// Emits a barrier for the lanes of each warp. It orders the shared-memory accesses of these lanes.
    pub(crate) fn warp_barrier(self, e: &mut Emitter<'_>) {
        self.isa.warp_barrier(e);
    }

    pub(crate) fn shuffle_xor<'c>(self, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c> {
        self.isa.shuffle_xor(self, e, value, mask)
    }

    pub(crate) fn shuffle_index<'c>(
        self,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c> {
        self.isa.shuffle_index(self, e, value, source)
    }

    pub(crate) fn ballot<'c>(self, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c> {
        self.isa.ballot(self, e, holds)
    }

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

    pub(crate) fn transpose_matrix<'c>(self, e: &mut Emitter<'c>, word: Val<'c>) -> Val<'c> {
        let moved = self.isa.transpose_matrix(e, word);
        moved.expect("plans transpose matrices where the target has the instruction")
    }

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

    pub(crate) fn load<'c>(
        self,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        others: Option<&[Val<'c>]>,
    ) -> Val<'c> {
        self.isa.load(self, e, access, others)
    }

    pub(crate) fn store<'c>(
        self,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        whole: Val<'c>,
    ) {
        self.isa.store(self, e, access, whole);
    }

    pub(crate) fn atomic_elements(self, op: RMWOp, element: Type<'_>) -> usize {
        self.isa.atomic_elements(self, op, element)
    }

    pub(crate) fn atomic<'c>(
        self,
        e: &mut Emitter<'c>,
        access: &AtomicAccess<'_, 'c>,
        action: AtomicAction<'c>,
    ) -> Option<Val<'c>> {
        self.isa.atomic(self, e, access, action)
    }

    pub(crate) fn fence(self, e: &mut Emitter<'_>, sem: MemSemantic, scope: MemSyncScope) {
        self.isa.fence(e, sem, scope);
    }

    pub(crate) fn print<'c>(
        self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        format: &[u8],
        values: &[Val<'c>],
    ) {
        self.isa.print(e, declarations, format, values);
    }

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

    pub(crate) fn exp2<'c>(self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        self.isa.exp2(e, a)
    }

    pub(crate) fn rsqrt<'c>(self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        self.isa.rsqrt(e, a)
    }

    pub(crate) fn approximate<'c>(
        self,
        e: &mut Emitter<'c>,
        function: UpstreamKind,
        x: Val<'c>,
        flags: &[NamedAttr<'c>],
    ) -> Option<Val<'c>> {
        self.isa.approximate(e, function, x, flags)
    }

    pub(crate) fn library_function(self, name: &str, is_binary32: bool) -> String {
        self.isa.library_function(name, is_binary32)
    }

    pub(crate) fn has_exact_remainder(self) -> bool {
        self.isa.has_exact_remainder()
    }

    pub(crate) fn quotient<'c>(
        self,
        e: &mut Emitter<'c>,
        a: Val<'c>,
        b: Val<'c>,
    ) -> Option<Val<'c>> {
        self.isa.quotient(e, a, b)
    }

    pub(crate) fn approximate_quotient<'c>(
        self,
        e: &mut Emitter<'c>,
        a: Val<'c>,
        b: Val<'c>,
    ) -> Val<'c> {
        self.isa.approximate_quotient(e, a, b)
    }

    pub(crate) fn clip<'c>(
        self,
        e: &mut Emitter<'c>,
        x: Val<'c>,
        limit: Val<'c>,
        propagates_nan: bool,
    ) -> Option<Val<'c>> {
        self.isa.clip(self, e, x, limit, propagates_nan)
    }

    pub(crate) fn upper_half<'c>(
        self,
        e: &mut Emitter<'c>,
        a: Val<'c>,
        b: Val<'c>,
        is_signed: bool,
    ) -> Option<Val<'c>> {
        self.isa.upper_half(e, a, b, is_signed)
    }

    pub(crate) fn has_float_min_max(self) -> bool {
        self.isa.has_float_min_max()
    }

    pub(crate) fn round_float<'c>(
        self,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        to: Type<'c>,
        rounding: Rounding,
    ) -> Option<Val<'c>> {
        self.isa.round_float(self, e, value, to, rounding)
    }

    pub(crate) fn narrow_float8<'c>(
        self,
        e: &mut Emitter<'c>,
        values: &[Val<'c>],
        to: Float8,
    ) -> Option<Vec<Val<'c>>> {
        let has = self.target.instructions.float8 == Some(to.family);
        has.then(|| self.isa.narrow_float8(e, values, to))?
    }

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

    pub(crate) fn buffers(self) -> Option<(BufferInstructions, &'static dyn BufferIsa)> {
        self.target.instructions.buffer.zip(self.isa.buffers())
    }
}
