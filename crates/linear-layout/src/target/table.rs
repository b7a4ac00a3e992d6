//! The table of targets: one row per GPU, from the vendors' manuals.

use super::{
    AccessCost, Assembly, BufferInstructions, CacheBits, Costs, Float8Family, Instructions,
    Processor, ScaledConversion, Target, Vendor,
};

/// Costs measured on `sm_90`, those of global memory by `tools/gpu/calibrate` with tiles in the L2 cache. All NVIDIA
/// targets use these costs, since corresponding units of their SMs have equal widths.
const NVIDIA_COSTS: Costs = Costs {
    select: 2,
    multiply_add: 1,
    shuffle: 4,
    lane_alu: 4,
    lane_reduction: 8,
    wavefront: 4,
    access: 1,
    barrier: 12,
    warp_sync: 4,
    round_trip: 24,
    shuffle_trip: 16,
    read: AccessCost { sector: 2, line: 3 },
    written: AccessCost { sector: 8, line: 4 },
};

/// Costs of CDNA, from its widths: not measured. A SIMD of 16 lanes takes four clocks for a wave of 64, and a CU has
/// four SIMDs.
const CDNA_COSTS: Costs = Costs {
    select: 4,
    multiply_add: 4,
    shuffle: 8,
    lane_alu: 4,
    lane_reduction: 0,
    wavefront: 4,
    access: 1,
    barrier: 16,
    warp_sync: 8,
    round_trip: 48,
    shuffle_trip: 0,
    read: AccessCost { sector: 2, line: 0 },
    written: AccessCost { sector: 4, line: 0 },
};

/// Costs of RDNA, from its widths: not measured. A SIMD takes one clock for a wave of 32, and a CU has two SIMDs.
const RDNA_COSTS: Costs = Costs {
    select: 2,
    multiply_add: 2,
    shuffle: 4,
    lane_alu: 2,
    lane_reduction: 0,
    wavefront: 4,
    access: 1,
    barrier: 16,
    warp_sync: 4,
    round_trip: 32,
    shuffle_trip: 0,
    read: AccessCost { sector: 2, line: 0 },
    written: AccessCost { sector: 4, line: 0 },
};

/// Word 3 of the buffer descriptor. Bits 12 to 14 are 7 and bits 15 to 18 are 4, which together select 32-bit floats.
const BUFFER_FLAGS: u32 = 7 << 12 | 4 << 15;

/// Word 3 of the buffer descriptor on RDNA, where bit 24 is a resource level and bits 28 and 29 are the out-of-range
/// rule.
const RDNA_BUFFER_FLAGS: u32 = BUFFER_FLAGS | 1 << 24 | 3 << 28;

const fn cache_bits([load_cg, store_cg, cs, cv, wt, atomic]: [u32; 6]) -> CacheBits {
    CacheBits {
        load_cg,
        store_cg,
        cs,
        cv,
        wt,
        atomic,
    }
}

/// Returns the resources of one SM of compute capability `arch`, e.g. 90 for compute capability 9.0. A block may
/// use `shared_kib` KiB of shared memory.
///
/// From `sm_80` on, an SM has 1 KiB more shared memory than a block may use, and reserves 1 KiB for each block.
const fn nvidia_processor(arch: u32, shared_kib: u32) -> Processor {
    let reserved_kib = if arch >= 80 { 1 } else { 0 };
    let (threads, blocks) = match arch {
        75 => (1024, 16),
        86 | 87 => (1536, 16),
        89 | 110 => (1536, 24),
        120..=129 => (1536, 24),
        _ => (2048, 32),
    };
    Processor {
        threads,
        blocks,
        shared_bytes: (shared_kib + reserved_kib) * 1024,
        reserved_bytes: reserved_kib * 1024,
        registers: 65_536,
        parts: 4,
        lane_registers: 255,
    }
}

const fn nvidia(name: &'static str, llvm_cpu: &'static str, arch: u32, shared_kib: u32) -> Target {
    Target {
        name,
        llvm_cpu,
        llvm_features: match arch {
            0..89 => "+ptx80",
            // The target needs PTX 9.0.
            110 => "",
            // For products of 8-bit floats, and for 256-bit accesses.
            _ => "+ptx88",
        },
        vendor: Vendor::Nvidia,
        llvm_triple: "nvptx64-nvidia-cuda",
        assembly: Assembly::Ptx,
        has_objects: false,
        lockstep: false,
        max_threads: 1024,
        max_ctas: if arch >= 90 { 16 } else { 1 },
        lanes: 32,
        warp_sizes: &[32],
        banks: 32,
        bank_bytes: 4,
        max_shared_bytes: shared_kib * 1024,
        processor: nvidia_processor(arch, shared_kib),
        max_global_vector_bits: if arch >= 100 { 256 } else { 128 },
        max_shared_vector_bits: 128,
        instructions: Instructions {
            load_matrix: arch >= 75,
            store_matrix: arch >= 90,
            signed_minimum: arch >= 90,
            move_matrix: arch >= 75,
            byte_matrices: arch >= 100 && arch != 107,
            permlane_swap: false,
            permlane_x16: false,
            dpp: false,
            dpp_xmask: false,
            read_transposed: false,
            load_transposed: false,
            clusters: arch >= 90,
            tensor_memory: arch >= 100 && arch < 120,
            warp_group_products: arch >= 90 && arch < 100,
            k_first_scales: arch == 107,
            vector_atomics: arch >= 90,
            lane_reductions: arch >= 80,
            float_lane_reductions: arch == 100 || arch == 103,
            async_copies: arch >= 80,
            tensor_copies: arch >= 90,
            grid_dependencies: arch >= 90,
            time_by_message: false,
            cache_policies: arch >= 80,
            packed_bf16: arch >= 90,
            bf16_conversions: arch >= 80,
            bf16_rounding_modes: arch >= 90,
            buffer_to_shared: false,
            wide_buffer_to_shared: false,
            async_to_shared: false,
            buffer: None,
            scaled_conversion: ScaledConversion::Any,
            float8: if arch >= 89 {
                Some(Float8Family::Ocp)
            } else {
                None
            },
        },
        costs: NVIDIA_COSTS,
        load_b128_lane_bits: None,
    }
}

const fn cdna(name: &'static str, llvm_cpu: &'static str, arch: u32) -> Target {
    let is_cdna4 = arch == 0x950;
    Target {
        name,
        llvm_cpu,
        llvm_features: "",
        vendor: Vendor::Amd,
        llvm_triple: "amdgcn-amd-amdhsa",
        assembly: Assembly::Gcn,
        has_objects: true,
        lockstep: true,
        max_threads: 1024,
        max_ctas: 1,
        lanes: 64,
        warp_sizes: &[64],
        banks: if is_cdna4 { 64 } else { 32 },
        bank_bytes: 4,
        max_shared_bytes: if is_cdna4 { 160 * 1024 } else { 64 * 1024 },
        // Four SIMDs of eight waves, each with 512 registers for each of 64 lanes, of which half are accumulation
        // registers.
        processor: Processor {
            threads: 2048,
            blocks: 32,
            shared_bytes: if is_cdna4 { 160 * 1024 } else { 64 * 1024 },
            reserved_bytes: 0,
            registers: 4 * 512 * 64,
            parts: 4,
            lane_registers: 512,
        },
        max_global_vector_bits: 128,
        max_shared_vector_bits: 128,
        instructions: Instructions {
            load_matrix: false,
            store_matrix: false,
            signed_minimum: false,
            move_matrix: false,
            byte_matrices: false,
            permlane_swap: is_cdna4,
            permlane_x16: false,
            dpp: true,
            dpp_xmask: false,
            read_transposed: is_cdna4,
            load_transposed: false,
            clusters: false,
            tensor_memory: false,
            warp_group_products: false,
            k_first_scales: false,
            vector_atomics: false,
            lane_reductions: false,
            float_lane_reductions: false,
            async_copies: false,
            tensor_copies: false,
            grid_dependencies: false,
            time_by_message: false,
            cache_policies: false,
            packed_bf16: false,
            bf16_conversions: false,
            bf16_rounding_modes: false,
            buffer_to_shared: arch == 0x942 || is_cdna4,
            wide_buffer_to_shared: is_cdna4,
            async_to_shared: false,
            buffer: Some(BufferInstructions {
                cache: match arch {
                    0x942 | 0x950 => cache_bits([3, 0, 3, 17, 17, 0]),
                    _ => cache_bits([0; 6]),
                },
                descriptor_flags: BUFFER_FLAGS,
            }),
            scaled_conversion: if is_cdna4 {
                ScaledConversion::Words
            } else {
                ScaledConversion::Any
            },
            float8: match arch {
                0x942 => Some(Float8Family::Fnuz),
                0x950 => Some(Float8Family::Ocp),
                _ => None,
            },
        },
        costs: CDNA_COSTS,
        load_b128_lane_bits: match arch {
            0x942 => Some(0b01_0011),
            0x950 => Some(0b01_1011),
            _ => None,
        },
    }
}

const fn rdna(name: &'static str, llvm_cpu: &'static str, arch: u32) -> Target {
    let is_gfx1250 = arch >> 4 == 0x125;
    Target {
        name,
        llvm_cpu,
        // With 16-bit registers, LLVM 22 crashes where a byte is stored and is a condition in another basic block.
        llvm_features: if arch >> 8 == 0x11 {
            "-real-true16"
        } else {
            ""
        },
        vendor: Vendor::Amd,
        llvm_triple: "amdgcn-amd-amdhsa",
        assembly: Assembly::Gcn,
        has_objects: true,
        lockstep: true,
        max_threads: 1024,
        max_ctas: 1,
        lanes: 32,
        warp_sizes: if is_gfx1250 { &[32] } else { &[32, 64] },
        banks: if is_gfx1250 { 64 } else { 32 },
        bank_bytes: 4,
        max_shared_bytes: if is_gfx1250 { 320 * 1024 } else { 64 * 1024 },
        // Two SIMDs of 16 waves, each with 1024 registers or more for each of 32 lanes; on gfx1250, a pair of
        // processors shares its memory.
        processor: Processor {
            threads: if is_gfx1250 { 2048 } else { 1024 },
            blocks: 32,
            shared_bytes: if is_gfx1250 { 320 * 1024 } else { 64 * 1024 },
            reserved_bytes: 0,
            registers: if is_gfx1250 { 4 } else { 2 } * 1024 * 32,
            parts: if is_gfx1250 { 4 } else { 2 },
            lane_registers: if is_gfx1250 { 1024 } else { 256 },
        },
        max_global_vector_bits: 128,
        max_shared_vector_bits: 128,
        instructions: Instructions {
            load_matrix: false,
            store_matrix: false,
            signed_minimum: false,
            move_matrix: false,
            byte_matrices: false,
            permlane_swap: is_gfx1250,
            permlane_x16: true,
            dpp: true,
            dpp_xmask: true,
            read_transposed: false,
            load_transposed: is_gfx1250,
            clusters: is_gfx1250,
            tensor_memory: false,
            warp_group_products: false,
            k_first_scales: false,
            vector_atomics: false,
            lane_reductions: false,
            float_lane_reductions: false,
            async_copies: false,
            tensor_copies: false,
            grid_dependencies: false,
            time_by_message: true,
            cache_policies: false,
            packed_bf16: false,
            bf16_conversions: false,
            bf16_rounding_modes: false,
            buffer_to_shared: false,
            wide_buffer_to_shared: false,
            async_to_shared: is_gfx1250,
            buffer: Some(BufferInstructions {
                cache: match arch {
                    0x1100..0x1200 => cache_bits([1, 0, 7, 7, 7, 0]),
                    0x1250.. => cache_bits([16, 16, 1, 27, 27, 16]),
                    _ => cache_bits([16, 16, 1, 27, 24, 16]),
                },
                descriptor_flags: RDNA_BUFFER_FLAGS,
            }),
            scaled_conversion: if is_gfx1250 {
                ScaledConversion::Eights
            } else {
                ScaledConversion::Any
            },
            float8: if arch >= 0x1200 {
                Some(Float8Family::Ocp)
            } else {
                None
            },
        },
        costs: RDNA_COSTS,
        load_b128_lane_bits: if is_gfx1250 {
            Some(0b1_1011)
        } else {
            Some(0b1_0011)
        },
    }
}

/// Every supported target: NVIDIA first, then AMD, each from old to new.
pub static TARGETS: &[Target] = &[
    nvidia("cuda:70", "sm_70", 70, 96),
    nvidia("cuda:72", "sm_72", 72, 96),
    nvidia("cuda:75", "sm_75", 75, 64),
    nvidia("cuda:80", "sm_80", 80, 163),
    nvidia("cuda:86", "sm_86", 86, 99),
    nvidia("cuda:87", "sm_87", 87, 163),
    nvidia("cuda:89", "sm_89", 89, 99),
    nvidia("cuda:90", "sm_90a", 90, 227),
    nvidia("cuda:100", "sm_100a", 100, 227),
    nvidia("cuda:101", "sm_101a", 101, 227),
    nvidia("cuda:103", "sm_103a", 103, 227),
    // LLVM 22 does not know sm_107; code for sm_100 runs on it.
    nvidia("cuda:107", "sm_100", 107, 227),
    nvidia("cuda:110", "sm_110a", 110, 227),
    nvidia("cuda:120", "sm_120a", 120, 99),
    nvidia("cuda:121", "sm_121a", 121, 99),
    cdna("hip:gfx90a", "gfx90a", 0x90a),
    cdna("hip:gfx942", "gfx942", 0x942),
    cdna("hip:gfx950", "gfx950", 0x950),
    rdna("hip:gfx1100", "gfx1100", 0x1100),
    rdna("hip:gfx1101", "gfx1101", 0x1101),
    rdna("hip:gfx1102", "gfx1102", 0x1102),
    rdna("hip:gfx1103", "gfx1103", 0x1103),
    rdna("hip:gfx1150", "gfx1150", 0x1150),
    rdna("hip:gfx1151", "gfx1151", 0x1151),
    rdna("hip:gfx1152", "gfx1152", 0x1152),
    rdna("hip:gfx1153", "gfx1153", 0x1153),
    rdna("hip:gfx1200", "gfx1200", 0x1200),
    rdna("hip:gfx1201", "gfx1201", 0x1201),
    rdna("hip:gfx1250", "gfx1250", 0x1250),
    rdna("hip:gfx1251", "gfx1251", 0x1251),
];
