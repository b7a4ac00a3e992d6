//! GPU targets as data: lanes, banks, phases, instructions, costs.
//!
//! A [`Target`] holds the properties of a GPU that layouts depend on, and no policy. The planner and the plan checker
//! read the same tables.
//!
//! ```
//! use linear_layout::target::{Access, Target};
//! let h100 = Target::parse("cuda:90")?;
//! assert_eq!((h100.lanes, h100.banks, h100.max_shared_bytes), (32, 32, 232_448));
//! // A 16-byte load of a whole warp is 512 bytes: four phases of eight lanes (lane bits 0, 1, 2).
//! assert_eq!(h100.phase_lane_bits(Access::Load, 16), 0b00111);
//! // CDNA3 serves lanes 0..4 and 16..20 together: lane bits 0, 1 and 4.
//! assert_eq!(Target::parse("hip:gfx942")?.phase_lane_bits(Access::Load, 16), 0b010011);
//! # Ok::<(), linear_layout::target::TargetError>(())
//! ```
//!
//! Each difference between GPUs is a column of the table, documented with its source. Only the tables (`table`,
//! `product`) and `names` compare names and version numbers. Structs are non-exhaustive, because the table may get more
//! columns. Enums that a back end matches on are exhaustive, so that the compiler finds all affected code.
//!
//! Reading order: [`Target`], [`XorShuffle`], [`BufferInstructions`], [`Costs`], [`Product`].

use core::fmt;

mod banks;
mod float8;
mod fragment;
mod names;
mod number;
mod product;
mod table;

pub use banks::{Banks, Wavefronts, paired, repeats};
pub use float8::{FLOAT8, Float8, Float8Family};
pub(crate) use fragment::BitSource;
pub use fragment::{Fragment, FragmentLayout};
pub use names::TargetError;
pub use product::{
    Argument, BlockScales, Calls, Number, Product, ProductFamily, Scalar, ScaleBit, ScaleNumber,
    ScaleOperand, TileBit, TileOperand,
};
pub use table::TARGETS;

/// The vendor of a GPU. It determines which intrinsics a lowering emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vendor {
    /// NVIDIA. Kernels are lowered to NVVM intrinsics, and target names begin with `cuda:`.
    Nvidia,
    /// AMD. Kernels are lowered to ROCDL intrinsics, and target names begin with `hip:`.
    Amd,
}

/// The assembly language that LLVM emits and that inline assembly uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assembly {
    /// NVIDIA's PTX, a virtual instruction set that `ptxas` or the driver assembles.
    Ptx,
    /// AMD's assembly, in the syntax of AMD's ISA manuals.
    Gcn,
}

impl Assembly {
    /// Returns LLVM's command-line options (name, value) for settings that function attributes cannot express.
    ///
    /// - `slp-schedule-budget` limits the scan of the SLP vectoriser in a basic block. LLVM's default is 100000. In an
    ///   unrolled kernel whose 6500 operations form one block, the scan took 0.7 s of 0.75 s compile time. With the
    ///   limit, the kernel has 2904 instructions instead of 2900.
    /// - `nvptx-short-ptr` makes shared-memory addresses 32 bits wide, so that they take one register instead of two.
    #[must_use]
    pub const fn llvm_options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Ptx => &[("slp-schedule-budget", "1000"), ("nvptx-short-ptr", "true")],
            Self::Gcn => &[],
        }
    }
}

/// The direction of a shared-memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A copy from shared memory to registers.
    Load,
    /// A copy from registers to shared memory.
    Store,
}

/// The optional instructions of a target. A flag is set if the target has the instruction. The costs of
/// instructions are in [`Costs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Instructions {
    /// True if the target has `ldmatrix`, which loads 8x8 blocks of 16-bit elements from shared memory (`sm_75` and
    /// later).
    pub load_matrix: bool,
    /// True if the target has `stmatrix`, which stores 8x8 blocks of 16-bit elements to shared memory (`sm_90` and
    /// later).
    pub store_matrix: bool,
    /// True if the target has `movmatrix`, which transposes an 8x8 block within a warp (`sm_75` and later).
    pub move_matrix: bool,
    /// True if the target has `ldmatrix.m16n16.trans.b8` and `stmatrix.m16n8.trans.b8`, which transpose matrices of
    /// bytes.
    ///
    /// They exist on `sm_100` and later, except `sm_107`.
    pub byte_matrices: bool,
    /// True if the target has `v_permlane16_swap` (for lane bit 4) and `v_permlane32_swap` (for lane bit 5), which
    /// exchange half of a register with half of a second register (gfx950 and gfx1250). The lanes in which the lane
    /// bit is set provide the half of the first register. The lanes in which the lane bit is clear provide the half
    /// of the second register.
    ///
    /// The effect is that lane bit 4 or 5 swaps places with the bit that distinguishes the two registers.
    pub permlane_swap: bool,
    /// True if the target has `v_permlanex16`, which moves data between lanes `i` and `i ^ 16` (gfx10 and later).
    pub permlane_x16: bool,
    /// True if the target has DPP (data-parallel primitives), which exchange data within rows of 16 lanes
    /// (`quad_perm`, `row_mirror`, `row_ror`).
    pub dpp: bool,
    /// True if the target has `row_xmask`, a DPP operation that moves data between lanes `i` and `i ^ mask` for any
    /// mask below 16 (gfx10 and later).
    pub dpp_xmask: bool,
    /// True if the target has `ds_read_b64_tr_b16` and its variants, which transpose a matrix while they read it
    /// from shared memory (CDNA 4).
    pub read_transposed: bool,
    /// True if the target has `ds_load_tr16_b128` and its variants, which transpose a matrix while they read it
    /// from shared memory (gfx1250).
    pub load_transposed: bool,
    /// True if the target has thread block clusters with multicast loads and copies (`sm_90` and later, gfx1250).
    pub clusters: bool,
    /// True if the target has tensor memory, and matrix products that use it (compute capability 10 and 11).
    pub tensor_memory: bool,
    /// True if the target has `wgmma`, which computes the matrix product of a warp group with operands in registers
    /// or shared memory (compute capability 9).
    pub warp_group_products: bool,
    /// True if the blocks of A's scales in tensor memory are ordered along K first, and then along M (`sm_107`).
    ///
    /// This order applies to products of two 4-bit operands with E4M3 scales.
    pub k_first_scales: bool,
    /// True if a minimum of absolute values with the product of the signs bounds an f32 by `-c` and `c`
    /// (`min.xorsign.abs`; Triton uses it on `sm_90` and later).
    pub signed_minimum: bool,
    /// True if the target has atomic additions of bf16 and of vectors of adjacent floats (`sm_90` and later; PTX
    /// ISA, `atom`, `red`).
    pub vector_atomics: bool,
    /// True if the target has `redux.sync` on 32-bit integers, which reduces (sum, minimum, maximum, bitwise) over
    /// all lanes of a warp (`sm_80` and later).
    pub lane_reductions: bool,
    /// True if the target has `redux.sync` on f32, which computes the minimum or maximum over all lanes of a warp
    /// (`sm_100` and `sm_103`).
    pub float_lane_reductions: bool,
    /// True if the target has `cp.async`, which copies asynchronously from global to shared memory (`sm_80` and
    /// later).
    pub async_copies: bool,
    /// True if the target has TMA copies and the mbarriers that track them (`sm_90` and later).
    pub tensor_copies: bool,
    /// True if the target has `griddepcontrol`, which implements programmatic dependent launch (`sm_90` and later).
    pub grid_dependencies: bool,
    /// True if the target reads the clock with `s_sendmsg_rtn`, a message that returns a value (gfx11 and later).
    /// Earlier GPUs use `s_memrealtime`.
    pub time_by_message: bool,
    /// True if the target has L2 cache policies that apply to single accesses (`createpolicy`; `sm_80` and later).
    pub cache_policies: bool,
    /// True if the target has `add`, `mul`, `min` and `max` of two bf16 in a word (`.bf16x2`; `sm_90` and later).
    pub packed_bf16: bool,
    /// True if the target has `cvt` from f32 to bf16 that rounds to nearest or towards zero (`sm_80` and later).
    pub bf16_conversions: bool,
    /// True if the target has `cvt` from f32 and f64 to bf16 in every rounding mode (`sm_90` and later).
    pub bf16_rounding_modes: bool,
    /// True if the target has buffer loads to shared memory (gfx942 and gfx950).
    pub buffer_to_shared: bool,
    /// True if the target has buffer loads of 12 and 16 bytes per lane to shared memory (gfx950).
    pub wide_buffer_to_shared: bool,
    /// True if the target has `global_load_async_to_lds`, which copies asynchronously to shared memory and has a
    /// separate wait counter (gfx1250).
    pub async_to_shared: bool,
    /// The encoding constants of buffer instructions, or `None` on NVIDIA GPUs, which do not have such
    /// instructions.
    pub buffer: Option<BufferInstructions>,
    /// The kind of instructions that convert narrow numbers and multiply them by scales.
    pub scaled_conversion: ScaledConversion,
    /// The family of 8-bit float formats that the target's conversion instructions support, or `None` if the target
    /// has no such instructions. The instructions round to nearest.
    ///
    /// The family is OCP on `sm_89` and later, gfx950 and gfx12, and FNUZ on gfx942.
    pub float8: Option<Float8Family>,
}

/// Encoding constants for buffer instructions: cache control bits and descriptor flags.
///
/// # Source
/// The ISA manuals of CDNA 3, RDNA 3 and RDNA 4 ("Memory buffer instructions"), and LLVM's AMDGPU usage guide
/// for the resource descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BufferInstructions {
    /// Cache control bits for each cache modifier.
    pub cache: CacheBits,
    /// Word 3 of the resource descriptor. It selects the data format and the out-of-range rule.
    pub descriptor_flags: u32,
}

/// Cache control bits of a buffer instruction for the cache modifiers `cg`, `cs`, `cv` and `wt` of Triton, and for
/// atomic accesses. For all other cache modifiers, the cache control bits are 0.
///
/// On CDNA 3, `sc0` is 1, `nt` is 2 and `sc1` is 16. On RDNA 3, `glc` is 1, `slc` is 2 and `dlc` is 4. On RDNA 4,
/// bits 0 to 2 are a temporal hint, and the bits from 3 on are a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CacheBits {
    /// Bits of a load with the modifier `cg`, e.g. 3 (`sc0`, `nt`) on CDNA 3.
    pub(crate) load_cg: u32,
    /// Bits of a store with the modifier `cg`, e.g. 16 (device scope) on RDNA 4.
    pub(crate) store_cg: u32,
    /// Bits of an access with the modifier `cs`, e.g. 3 (`sc0`, `nt`) on CDNA 3.
    pub(crate) cs: u32,
    /// Bits of an access with the modifier `cv`, e.g. 17 (`sc0`, `sc1`) on CDNA 3.
    pub(crate) cv: u32,
    /// Bits of an access with the modifier `wt`, e.g. 24 (system scope) on RDNA 4.
    pub(crate) wt: u32,
    /// Cache control bits of an atomic access at device scope. An access that returns the old value additionally
    /// requires `sc0`.
    pub atomic: u32,
}

impl CacheBits {
    /// Returns the cache control bits of a store or a load with the cache modifier `modifier`, spelled as in the IR.
    ///
    /// ```
    /// use linear_layout::target::Target;
    /// let buffer = Target::parse("hip:gfx942")?.instructions.buffer.unwrap();
    /// assert_eq!((buffer.cache.of("cg", false), buffer.cache.of("cg", true)), (3, 0));
    /// assert_eq!(buffer.cache.of("none", false), 0);
    /// # Ok::<(), linear_layout::target::TargetError>(())
    /// ```
    #[must_use]
    pub fn of(&self, modifier: &str, is_store: bool) -> u32 {
        match (modifier, is_store) {
            ("cg", false) => self.load_cg,
            ("cg", true) => self.store_cg,
            ("cs", _) => self.cs,
            ("cv", _) => self.cv,
            ("wt", _) => self.wt,
            _ => 0,
        }
    }
}

/// The instructions that widen 4-bit and 8-bit numbers and multiply them by a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ScaledConversion {
    /// The target has no instructions that both convert and scale. Conversions and multiplications use general
    /// instructions, for which any number of elements is possible.
    #[default]
    Any,
    /// gfx950: an instruction converts one 32-bit word of four 8-bit or eight 4-bit numbers.
    Words,
    /// gfx1250: an instruction converts eight numbers, with 8-bit scales.
    Eights,
}

/// The cost of each warp-wide operation, in quarters of a clock of one SM (or CU).
///
/// The load-store unit and the arithmetic unit run mostly in parallel, so the busier unit dominates the cost of a
/// plan. On `sm_90`, the conversion benchmarks measured a cost of 2 for a select, and of 4 for a shuffle or for a
/// wavefront of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Costs {
    /// Cost of a select, a byte permutation or another operation of the arithmetic unit.
    pub select: u32,
    /// Cost of an addition, multiplication or multiply-add of 32-bit floating-point numbers.
    pub multiply_add: u32,
    /// Cost of a shuffle through the load-store unit (from any lane to any lane).
    pub shuffle: u32,
    /// Cost of a lane exchange that stays in the arithmetic unit (DPP, `v_permlane*`).
    pub lane_alu: u32,
    /// Cost of an instruction that reduces one word over all lanes; unused if the target has no such instruction.
    pub lane_reduction: u32,
    /// Cost of one wavefront of shared memory, which reads or writes up to `banks * 4` bytes.
    pub wavefront: u32,
    /// Fixed cost of an access in addition to the cost of its wavefronts: issue and address computation.
    pub access: u32,
    /// Cost of a barrier of the whole block, including the wait for the slowest warp.
    pub barrier: u32,
    /// Cost of a warp barrier.
    pub warp_sync: u32,
    /// Latency of a store to shared memory followed by a load, without the part that other warps hide.
    ///
    /// The value assumes a partly filled SM.
    pub round_trip: u32,
    /// Latency of a shuffle that depends on another shuffle, without the part that other warps hide. It is 0 if it
    /// was not measured.
    ///
    /// The value assumes a partly filled SM.
    pub shuffle_trip: u32,
    /// Cost of a load from global memory.
    pub read: AccessCost,
    /// Cost of a store to global memory.
    pub written: AccessCost,
}

/// The cost of an access to global memory by a warp, in quarters of a clock, without its issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AccessCost {
    /// Cost of each sector of 32 bytes that the access touches.
    pub sector: u32,
    /// Cost of each cache line of 128 bytes that the access touches.
    pub line: u32,
}

/// The cheapest instruction with which a target moves data between lanes `i` and `i ^ mask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum XorShuffle {
    /// NVIDIA `shfl.sync.bfly` with the mask.
    Bfly,
    /// AMD DPP `quad_perm`: masks 1, 2, 3.
    DppQuadPerm,
    /// AMD DPP `row_half_mirror`: mask 7.
    DppRowHalfMirror,
    /// AMD DPP `row_mirror`: mask 15.
    DppRowMirror,
    /// AMD DPP `row_ror:8`: mask 8.
    DppRowRor8,
    /// AMD DPP `row_xmask`: any mask below 16 (gfx10 and later).
    DppRowXmask,
    /// AMD `v_permlanex16` with the identity selection: mask 16 (gfx10 and later).
    PermlaneX16,
    /// AMD `ds_swizzle_b32` in bit-mask mode: masks below 32, through the load-store unit.
    DsSwizzle,
    /// AMD `ds_bpermute_b32`: any mask, through the load-store unit.
    DsBpermute,
}

impl XorShuffle {
    /// Returns true if the arithmetic unit executes the instruction, and false if the load-store unit does.
    pub(crate) const fn is_arithmetic(self) -> bool {
        !matches!(self, Self::Bfly | Self::DsSwizzle | Self::DsBpermute)
    }
}

/// The resources of one processor (SM or CU), shared by its resident blocks.
///
/// Sources: CUDA programming guide, "Compute capabilities"; AMD's ISA and tuning manuals for the waves of a CU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Processor {
    /// Maximum number of resident threads.
    pub(crate) threads: u32,
    /// Maximum number of resident blocks.
    pub(crate) blocks: u32,
    pub(crate) shared_bytes: u32,
    /// Number of bytes of shared memory that the processor reserves for each block, in addition to the memory of
    /// the block itself.
    pub(crate) reserved_bytes: u32,
    /// Number of 32-bit registers of the processor. The registers of different lanes are counted separately.
    pub(crate) registers: u32,
    /// Number of parts with equal shares of these registers: the sub-partitions of an SM, the SIMDs of a CU. The registers
    /// of a warp are in one part.
    pub(crate) parts: u32,
    /// Maximum number of 32-bit registers per lane.
    pub(crate) lane_registers: u32,
}

/// The properties of one GPU.
///
/// | field | H100 (`cuda:90`) | MI300 (`hip:gfx942`) |
/// |---|---|---|
/// | lanes | 32 | 64 |
/// | banks | 32 | 32 |
/// | max_shared_bytes | 232448 | 65536 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Target {
    /// The name in the module attribute `ttg.target`, e.g. `cuda:90` or `hip:gfx942`.
    pub name: &'static str,
    /// The processor name for LLVM, e.g. `sm_90a` or `gfx942`.
    pub llvm_cpu: &'static str,
    /// LLVM features to enable or disable, in LLVM's syntax. Empty if the features of `llvm_cpu` are sufficient.
    ///
    /// - `+ptx80` (CUDA 12.0) up to `sm_87`.
    /// - `+ptx88` from `sm_89` on, for products of 8-bit floats and 256-bit accesses; not on `sm_110`, which needs
    ///   PTX 9.0.
    /// - `-real-true16` on gfx11, which avoids a crash of LLVM 22.
    pub llvm_features: &'static str,
    /// The vendor of the GPU.
    pub vendor: Vendor,
    /// LLVM's target triple.
    pub llvm_triple: &'static str,
    /// The assembly language that LLVM emits and that inline assembly uses.
    pub assembly: Assembly,
    /// True if LLVM writes object files that a linker turns into loadable code objects.
    pub has_objects: bool,
    /// True if the lanes of a warp run in lockstep, so that program order also orders accesses of different lanes.
    ///
    /// The lanes of AMD's waves run in lockstep (ISA manuals, "Wavefront"). NVIDIA schedules each thread separately
    /// since `sm_70` (CUDA programming guide, "Independent thread scheduling").
    pub lockstep: bool,
    /// Maximum number of threads per block.
    ///
    /// It is 1024 on all targets (CUDA programming guide, "Compute capabilities"; LLVM's AMDGPU usage guide,
    /// `amdgpu-flat-work-group-size`).
    pub max_threads: u32,
    /// Maximum number of CTAs in a cluster that can access each other's shared memory. It is 1 if the target has no
    /// such access.
    ///
    /// Clusters of more than 8 CTAs are not portable (CUDA programming guide, "Thread Block Clusters"); Triton's
    /// launcher allows 16.
    pub max_ctas: u32,
    /// Default number of lanes per warp (wave): 32 or 64. See `warp_sizes` for the numbers that a kernel may
    /// select.
    pub lanes: u32,
    /// The possible numbers of lanes per warp. A kernel selects one of them.
    ///
    /// Waves have 32 or 64 lanes on RDNA (LLVM's AMDGPU usage guide, `wavefrontsize64`), but only 32 on gfx1250.
    pub warp_sizes: &'static [u32],
    /// Number of banks of shared memory, each `bank_bytes` wide.
    pub banks: u32,
    /// Width of one bank in bytes.
    pub bank_bytes: u32,
    /// Maximum number of bytes of shared memory per block.
    pub max_shared_bytes: u32,
    /// The resources that resident blocks share.
    pub(crate) processor: Processor,
    /// Maximum number of bits per lane that one access to global memory moves.
    ///
    /// It is 256 from `sm_100` on (PTX ISA 8.8, `ld`), but only for accesses without a mask, cache modifier or
    /// memory ordering. On all other targets it is 128.
    pub max_global_vector_bits: u32,
    /// Maximum number of bits per lane that one shared-memory access moves.
    pub max_shared_vector_bits: u32,
    /// The optional instructions.
    pub instructions: Instructions,
    /// The costs of warp-wide operations.
    pub costs: Costs,
    /// Mask of the lane bits that vary within one phase of a 16-byte load. `None` if the lanes of a phase are
    /// consecutive.
    load_b128_lane_bits: Option<u32>,
}

/// Granularity in bytes with which shared memory is assumed to be allocated. It is an upper bound of the
/// granularities of all targets.
const SHARED_GRANULE_BYTES: u32 = 128;

/// Granularity of register allocation: the hardware rounds up the number of registers of a thread to a multiple of
/// this number.
const REGISTER_GRANULE: u32 = 8;

impl Target {
    /// Returns the largest size in bytes of shared memory per block for which as many blocks are resident as with
    /// `bytes` bytes per block. The result is at least `bytes`.
    ///
    /// Each block has `threads` threads with `registers` 32-bit registers each.
    /// ```
    /// use linear_layout::target::Target;
    /// let h100 = Target::parse("cuda:90")?;
    /// // 16 blocks of 128 threads have 14 KiB each, of which one is reserved.
    /// assert_eq!(h100.shared_bytes_at_same_occupancy(16, 128, 32), 13_568);
    /// // 7 blocks with 29 600 bytes each run at the same time, and so do 7 with 32 256.
    /// assert_eq!(h100.shared_bytes_at_same_occupancy(29_600, 128, 32), 32_256);
    /// // There are registers for 4 blocks.
    /// assert_eq!(h100.shared_bytes_at_same_occupancy(16, 128, 110), 57_344);
    /// # Ok::<(), linear_layout::target::TargetError>(())
    /// ```
    #[must_use]
    pub fn shared_bytes_at_same_occupancy(&self, bytes: u32, threads: u32, registers: u32) -> u32 {
        let Processor {
            shared_bytes,
            reserved_bytes,
            ..
        } = self.processor;
        let together = self.resident_blocks(threads, bytes, registers).max(1);
        let each = shared_bytes / together - reserved_bytes;
        (each / SHARED_GRANULE_BYTES * SHARED_GRANULE_BYTES)
            .min(self.max_shared_bytes)
            .max(bytes)
    }

    /// Returns the number of resident blocks on one processor (SM or CU), for blocks with `threads` threads,
    /// `shared_bytes` bytes of shared memory and `registers` 32-bit registers per thread. Returns 0 if the processor
    /// cannot run such a block.
    ///
    /// ```
    /// use linear_layout::target::Target;
    /// let h100 = Target::parse("cuda:90")?;
    /// // 16 blocks have 2048 threads; with 110 registers per thread, there are registers for 4 blocks.
    /// assert_eq!([0, 96, 110].map(|registers| h100.resident_blocks(128, 0, registers)), [16, 5, 4]);
    /// # Ok::<(), linear_layout::target::TargetError>(())
    /// ```
    #[must_use]
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32, registers: u32) -> u32 {
        let all = self.processor;
        let warps = threads.max(1).div_ceil(self.lanes);
        let taken = shared_bytes.saturating_add(all.reserved_bytes).max(1);
        let granules = registers.div_ceil(REGISTER_GRANULE).max(1);
        let warps_per_part = all.registers / all.parts / self.lanes / REGISTER_GRANULE / granules;
        (all.threads / self.lanes / warps)
            .min(all.blocks)
            .min(all.shared_bytes / taken)
            .min(warps_per_part * all.parts / warps)
    }

    /// Returns the maximum number of 32-bit registers that each thread of a block of `threads` threads may use.
    ///
    /// ```
    /// use linear_layout::target::Target;
    /// let h100 = Target::parse("cuda:90")?;
    /// assert_eq!([128, 512].map(|threads| h100.registers_per_thread(threads)), [255, 128]);
    /// # Ok::<(), linear_layout::target::TargetError>(())
    /// ```
    #[must_use]
    pub fn registers_per_thread(&self, threads: u32) -> u32 {
        let share = self.processor.registers / threads.max(1);
        share.min(self.processor.lane_registers)
    }

    /// Returns the default GPU for a module without `ttg.target`: `hip:gfx942` for more than 32 lanes per warp, else
    /// `cuda:90`.
    ///
    /// # Panics
    /// Does not panic: [`Self::parse`] knows both names.
    #[must_use]
    pub fn default_for_lanes(lanes: u64) -> &'static Self {
        let name = if lanes > 32 { "hip:gfx942" } else { "cuda:90" };
        Self::parse(name).expect("it is in the table")
    }

    /// Returns the names of the targets whose instructions satisfy `has`, in backticks and separated by commas.
    #[must_use]
    pub fn names_with(has: impl Fn(&Instructions) -> bool) -> String {
        let all = TARGETS.iter().filter(|target| has(&target.instructions));
        let names: Vec<String> = all.map(|target| format!("`{}`", target.name)).collect();
        names.join(", ")
    }

    /// Returns log2 of the number of lanes per warp.
    #[must_use]
    pub const fn lanes_log2(&self) -> u32 {
        self.lanes.trailing_zeros()
    }

    /// Returns the maximum number of bytes that one wavefront transfers.
    pub(crate) const fn wavefront_bytes(&self) -> u32 {
        self.banks * self.bank_bytes
    }

    /// Returns the mask of the lane bits that vary within a phase of an access of `bytes` bytes per lane.
    ///
    /// Lanes that agree in all *other* bits form a phase, and only lanes of one phase can conflict. For example, a
    /// 4-byte access of 32 lanes is one phase (`0b11111`). A 16-byte access has four phases of eight lanes, which are
    /// consecutive on most targets (`0b00111`).
    ///
    /// # Units
    /// `bytes` is a power of two up to 16.
    /// # Source
    /// Triton's `getSharedLdStTiles` for the 16-byte loads of CDNA3, CDNA4 and RDNA.
    #[must_use]
    pub const fn phase_lane_bits(&self, access: Access, bytes: u32) -> u32 {
        if let (Access::Load, Some(bits)) = (access, self.load_b128_lane_bits)
            && bytes == 16
        {
            return bits;
        }
        let per_lane = if bytes < self.bank_bytes {
            self.bank_bytes
        } else {
            bytes
        };
        let lanes = self.wavefront_bytes() / per_lane;
        let lanes = if lanes > self.lanes {
            self.lanes
        } else {
            lanes
        };
        lanes - 1
    }

    /// Returns the mask of the lane bits that vary within a phase, as [`Self::phase_lane_bits`] does, but for an
    /// access whose lanes may have equal addresses. `repeats(mask)` is true if each lane `i` has the address of
    /// lane `i ^ mask`.
    ///
    /// On NVIDIA GPUs, a phase of a load has twice as many lanes if `repeats(1)` or `repeats(2)` is true. For
    /// example, a load of 16 bytes per lane takes four wavefronts, but two if all lanes have the same address.
    /// # Source
    /// Measured on an H100 by `tools/gpu/wavefronts.cu`.
    pub fn phase_lane_bits_with(
        &self,
        access: Access,
        bytes: u32,
        repeats: impl Fn(u32) -> bool,
    ) -> u32 {
        let bits = self.phase_lane_bits(access, bytes);
        match (self.vendor, access) {
            (Vendor::Nvidia, Access::Load) => paired(bits, repeats) & (self.lanes - 1),
            _ => bits,
        }
    }

    /// Returns the numbers of wavefronts of one access of a warp, with and without bank conflicts.
    ///
    /// # Units
    /// `addresses` has one byte address for each lane, or `None` for an inactive lane. `bytes` is the width of the
    /// access per lane.
    pub fn wavefronts(&self, addresses: &[Option<u64>], bytes: u32, access: Access) -> Wavefronts {
        let repeats = |mask| repeats(addresses, mask);
        let lane_bits = self.phase_lane_bits_with(access, bytes, repeats);
        Banks::of(self).wavefronts(addresses, bytes, lane_bits)
    }

    /// Returns the instruction that moves a word from lane `i ^ mask` to lane `i`.
    ///
    /// # Panics
    /// Does not panic; a mask of 0 is accepted.
    #[must_use]
    pub const fn xor_shuffle(&self, mask: u32) -> XorShuffle {
        if matches!(self.vendor, Vendor::Nvidia) {
            return XorShuffle::Bfly;
        }
        match mask {
            1..=3 => XorShuffle::DppQuadPerm,
            7 => XorShuffle::DppRowHalfMirror,
            15 => XorShuffle::DppRowMirror,
            8 if !self.instructions.dpp_xmask => XorShuffle::DppRowRor8,
            0..=15 if self.instructions.dpp_xmask => XorShuffle::DppRowXmask,
            16 if self.instructions.permlane_x16 => XorShuffle::PermlaneX16,
            0..=31 => XorShuffle::DsSwizzle,
            _ => XorShuffle::DsBpermute,
        }
    }

    /// Returns true if one instruction exchanges lane bit `bit` with a register bit. In each pair of lanes that
    /// differ only in this bit, register 0 of the lane in which the bit is set swaps its contents with register 1
    /// of the lane in which the bit is clear.
    #[must_use]
    pub const fn has_lane_swap(&self, bit: u32) -> bool {
        self.instructions.permlane_swap && (bit == 4 || (bit == 5 && self.lanes == 64))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_blocks_share_the_processor() {
        let h100 = Target::parse("cuda:90").unwrap();
        // Warps of 32 threads; 64 warps, 32 blocks, 228 KiB of which each block reserves one, 65536 registers.
        assert_eq!(h100.resident_blocks(1, 0, 0), 32);
        assert_eq!(h100.resident_blocks(100, 0, 0), 16);
        assert_eq!(h100.resident_blocks(1024, 0, 32), 2);
        assert_eq!(h100.resident_blocks(1024, 0, 33), 1);
        assert_eq!(h100.resident_blocks(128, 113 * 1024, 0), 2);
        // Each of the four parts has registers for three warps, and some left.
        assert_eq!(h100.resident_blocks(32, 0, 139), 12);
        let gfx942 = Target::parse("hip:gfx942").unwrap();
        assert_eq!(gfx942.resident_blocks(256, 0, 128), 4);
        // A block that no processor can run.
        for (threads, bytes, registers) in [
            (4096, 0, 0),
            (128, u32::MAX, 0),
            (128, 0, u32::MAX),
            (u32::MAX, 0, 1),
        ] {
            assert_eq!(h100.resident_blocks(threads, bytes, registers), 0);
        }
    }

    /// On RDNA 4, bits 0 to 2 of the cache control bits are a temporal hint. The scope is 16 for the device and 24
    /// for the system.
    #[test]
    fn cache_modifiers_have_bits_of_their_own() {
        let buffer = Target::parse("hip:gfx1201").unwrap().instructions.buffer;
        let cache = buffer.unwrap().cache;
        let of = |modifier| [false, true].map(|is_store| cache.of(modifier, is_store));
        assert_eq!(of("cg"), [16, 16]);
        assert_eq!(of("cs"), [1, 1]);
        assert_eq!(of("cv"), [27, 27]);
        assert_eq!(of("wt"), [24, 24]);
        assert_eq!(of("ca"), [0, 0]);
    }

    #[test]
    fn columns_follow_the_instruction_set() {
        for t in TARGETS {
            let amd = t.vendor == Vendor::Amd;
            assert_eq!(t.instructions.buffer.is_some(), amd, "{t}");
            assert_eq!(t.lockstep, amd, "{t}");
        }
        let older: Vec<&str> = TARGETS
            .iter()
            .filter(|t| t.llvm_features.starts_with("+ptx8"))
            .map(|t| t.name)
            .collect();
        assert_eq!((older[0], older[older.len() - 1]), ("cuda:70", "cuda:121"));
        for name in ["sm_89", "sm_90"] {
            assert_eq!(Target::parse(name).unwrap().llvm_features, "+ptx88");
        }
    }

    #[test]
    fn phases_fill_a_wavefront() {
        for t in TARGETS {
            assert!(t.lanes == 32 || t.lanes == 64);
            for access in [Access::Load, Access::Store] {
                for bytes in [1, 2, 4, 8, 16] {
                    let bits = t.phase_lane_bits(access, bytes);
                    assert!(bits < t.lanes, "{t} {access:?} {bytes}");
                    let lanes = 1 << bits.count_ones();
                    assert!(
                        lanes * bytes.max(4) <= t.wavefront_bytes(),
                        "{t} {access:?} {bytes}"
                    );
                }
            }
        }
    }

    #[test]
    fn instructions_are_those_of_the_manuals() {
        let names = |has: fn(&Instructions) -> bool| Target::names_with(has);
        assert_eq!(
            names(|i| i.tensor_memory),
            "`cuda:100`, `cuda:101`, `cuda:103`, `cuda:107`, `cuda:110`"
        );
        assert_eq!(names(|i| i.warp_group_products), "`cuda:90`");
        assert_eq!(names(|i| i.k_first_scales), "`cuda:107`");
        let policies = names(|i| i.cache_policies);
        assert!(policies.starts_with("`cuda:80`, "), "{policies}");
        assert!(policies.ends_with(", `cuda:121`"), "{policies}");
        let with_bits =
            |wt: u32| Target::names_with(|i| i.buffer.is_some_and(|b| b.cache.wt == wt));
        assert_eq!(with_bits(0), "`hip:gfx90a`");
        assert_eq!(with_bits(17), "`hip:gfx942`, `hip:gfx950`");
        assert_eq!(with_bits(27), "`hip:gfx1250`, `hip:gfx1251`");
        assert_eq!(with_bits(24), "`hip:gfx1200`, `hip:gfx1201`");
        assert_eq!(names(|i| i.buffer_to_shared), "`hip:gfx942`, `hip:gfx950`");
        let eights = names(|i| i.scaled_conversion == ScaledConversion::Eights);
        assert_eq!(eights, "`hip:gfx1250`, `hip:gfx1251`");
        assert_eq!(
            names(|i| i.float8 == Some(Float8Family::Fnuz)),
            "`hip:gfx942`"
        );
        let ocp = names(|i| i.float8 == Some(Float8Family::Ocp));
        assert!(ocp.starts_with("`cuda:89`, `cuda:90`, "), "{ocp}");
        let amd = "`hip:gfx950`, `hip:gfx1200`, `hip:gfx1201`, `hip:gfx1250`, `hip:gfx1251`";
        assert!(ocp.ends_with(&format!("`cuda:121`, {amd}")), "{ocp}");
    }

    #[test]
    fn exchanges_name_an_instruction() {
        let nv = Target::parse("cuda:80").unwrap();
        let amd = Target::parse("hip:gfx942").unwrap();
        let rdna = Target::parse("hip:gfx1100").unwrap();
        assert_eq!(nv.xor_shuffle(5), XorShuffle::Bfly);
        let got = [1, 4, 7, 8, 15, 16, 32].map(|m| amd.xor_shuffle(m));
        use XorShuffle::*;
        assert_eq!(
            got,
            [
                DppQuadPerm,
                DsSwizzle,
                DppRowHalfMirror,
                DppRowRor8,
                DppRowMirror,
                DsSwizzle,
                DsBpermute
            ]
        );
        assert_eq!(
            [4, 8, 16].map(|m| rdna.xor_shuffle(m)),
            [DppRowXmask, DppRowXmask, PermlaneX16]
        );
        let swaps = |name| {
            let target = Target::parse(name).unwrap();
            [3, 4, 5, 6].map(|bit| target.has_lane_swap(bit))
        };
        assert_eq!(swaps("hip:gfx950"), [false, true, true, false]);
        // A warp of 32 lanes has no lane bit 5.
        assert_eq!(swaps("hip:gfx1250"), [false, true, false, false]);
        assert_eq!(swaps("hip:gfx942"), [false; 4]);
    }
}
