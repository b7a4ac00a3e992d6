//! Descriptive names of encodings, such as `blocked_1x4_t8x4_w4x1`.

use super::{
    AmdWmmaEncoding, CgaLayout, DotOperandEncoding, Encoding, NvidiaMmaEncoding,
    PaddedSharedEncoding, TensorMemoryEncoding,
};
use crate::cute::ComposedLayout;
use crate::layout::{Dim, LinearLayout};

impl Encoding {
    /// Returns a descriptive name: the family, the sizes, and the parameters that differ from the default.
    ///
    /// Equal encodings have equal names. `t` precedes the number of threads of a warp along each dim, `w` the
    /// number of warps of a CTA, and `c` the number of CTAs of a cluster. `o01` is the order of the dims, which is
    /// stated only if it is not row-major.
    ///
    /// If an encoding consists of explicit bases, its name contains `as_` followed by the name of an encoding of
    /// another family with the same layout. If there is no such encoding, or only a slice, the name contains the
    /// shape instead.
    ///
    /// | name | encoding |
    /// |---|---|
    /// | `blocked_1x4_t8x4_w4x1` | 1x4 elements per thread, 8x4 threads, 4x1 warps |
    /// | `blocked_4x1_t1x32_w4x1_o01` | 4x1 elements per thread, 1x32 threads, 4x1 warps, dim 0 is the fastest |
    /// | `slice_d1_of_blocked_...` | a blocked encoding without dim 1 |
    /// | `mma_v2_16x8_w2x2`, `mfma_v3_32x32x8_t_w4x1` | results of matrix instructions; `t` means transposed |
    /// | `dot0_k2_of_mma_v2_...` | operand 0 of a product, `kWidth` 2 |
    /// | `linear_as_blocked_...`, `linear_16x64` | explicit bases: of a blocked layout, of any other layout |
    /// | `shared_swz_8_2_4` | `vec`, `perPhase`, `maxPhase` |
    /// | `shared_nvmma_128_b16`, `shared_nvmma_128_b16_t` | bytes of the swizzle, bits of an element, transposed |
    /// | `tmem_128x64` | blocks of 128x64 elements in tensor memory |
    /// | `cute_16x8`, `shared_cute_8x64` | threads and values on a tile; sizes of the modes of a buffer |
    /// | `tilus_16x8_t64` | the shape; the number of lanes if it is not 32 |
    /// ```
    /// # use linear_layout::encoding::Encoding;
    /// let text = "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [4, 1], \
    ///             threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>}>";
    /// let slice: Encoding = text.parse()?;
    /// assert_eq!(slice.pretty_name(), "slice_d0_of_blocked_4x1_t8x4_w1x4_o01");
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    #[must_use]
    pub fn pretty_name(&self) -> String {
        match self {
            Self::Blocked(e) => {
                let [size, threads, warps] =
                    [e.size_per_thread(), e.threads_per_warp(), e.warps_per_cta()].map(sizes);
                let order = order(e.order());
                format!(
                    "blocked_{size}_t{threads}_w{warps}{order}{}",
                    ctas(e.cga_layout())
                )
            }
            Self::Slice(e) => format!("slice_d{}_of_{}", e.dim(), e.parent().pretty_name()),
            Self::Linear(e) => format!("linear_{}", explicit_name(e.layout())),
            Self::GenericLinear(e) => format!("generic_linear_{}", explicit_name(e.layout())),
            Self::DotOperand(e) => dot_operand(e),
            Self::NvidiaMma(e) => nvidia_mma(e),
            Self::AmdMfma(e) => {
                let transposed = if e.is_transposed() { "_t" } else { "" };
                let tiles = match e.tiles_per_warp() {
                    tiles if tiles.iter().all(|n| *n == 1) => String::new(),
                    tiles => format!("_tiles{}", sizes(tiles)),
                };
                let width = match e.element_width_bits() {
                    32 => String::new(),
                    bits => format!("_b{bits}"),
                };
                format!(
                    "mfma_v{}_{}{transposed}_w{}{tiles}{width}{}",
                    e.version(),
                    sizes(e.instr_shape()),
                    sizes(e.warps_per_cta()),
                    ctas(e.cga_layout())
                )
            }
            Self::AmdWmma(e) => amd_wmma(e),
            Self::SwizzledShared(e) => format!(
                "shared_swz_{}_{}_{}{}{}",
                e.vec(),
                e.per_phase(),
                e.max_phase(),
                memory_order(e.order()),
                ctas(e.cga_layout())
            ),
            Self::AmdRotatingShared(e) => format!(
                "shared_rot_{}_{}_{}{}{}",
                e.vec(),
                e.per_phase(),
                e.max_phase(),
                memory_order(e.order()),
                ctas(e.cga_layout())
            ),
            Self::PaddedShared(e) => padded_shared(e),
            Self::PartitionedShared(e) => format!(
                "shared_part{}x{}_d{}_of_{}",
                e.num_partitions(),
                e.num_groups(),
                e.partition_dim(),
                e.partition_layout().pretty_name()
            ),
            Self::NvmmaShared(e) => {
                let rank = match e.rank() {
                    2 => String::new(),
                    rank => format!("_{rank}d"),
                };
                format!(
                    "shared_nvmma_{}_b{}{}{}{rank}{}",
                    e.swizzle_bytes(),
                    e.element_width_bits(),
                    if e.is_transposed() { "_t" } else { "" },
                    if e.is_fp4_padded() { "_fp4" } else { "" },
                    ctas(e.cga_layout())
                )
            }
            Self::SharedLinear(e) => {
                let alignment = match e.alignment_bytes() {
                    16 => String::new(),
                    bytes => format!("_a{bytes}"),
                };
                format!("shared_linear_{}{alignment}", explicit_name(e.layout()))
            }
            Self::Cute(e) => match e.tile() {
                Some(tile) => format!("cute_{}{}", sizes64(tile), lanes(e.threads_per_warp())),
                None => format!("shared_cute_{}", cute_shape(e.layout())),
            },
            Self::Tilus(e) => {
                let shape = sizes64(e.layout().shape());
                format!("tilus_{shape}{}", lanes(e.threads_per_warp()))
            }
            Self::TensorMemory(e) => tensor_memory(e),
            Self::TensorMemoryScales(e) => format!("tmem_scales{}", ctas(e.cga_layout())),
        }
    }
}

fn sizes(list: &[u32]) -> String {
    let list: Vec<String> = list.iter().map(u32::to_string).collect();
    list.join("x")
}

fn sizes64(list: &[u64]) -> String {
    let list: Vec<String> = list.iter().map(u64::to_string).collect();
    list.join("x")
}

fn cute_shape(layout: &ComposedLayout) -> String {
    let sizes: Vec<u64> = layout
        .layout
        .modes()
        .map(|mode| mode.size().unsigned_abs())
        .collect();
    sizes64(&sizes)
}

/// Returns `_t64` for 64 lanes, and nothing for 32 lanes.
fn lanes(threads_per_warp: u32) -> String {
    match threads_per_warp {
        32 => String::new(),
        lanes => format!("_t{lanes}"),
    }
}

/// Returns `_o01` for the order `[0, 1]`, and nothing for a row-major order.
fn order(order: &[u32]) -> String {
    let is_row_major = order
        .iter()
        .rev()
        .enumerate()
        .all(|(i, d)| i == *d as usize);
    if is_row_major {
        return String::new();
    }
    // The rank is at most 16, so one hexadecimal digit is enough for a dim.
    let digits: String = order.iter().map(|dim| format!("{dim:x}")).collect();
    format!("_o{digits}")
}

/// Returns the part of a buffer's name that describes the order `dims`: `_o01` for the order `[0, 1]`, and nothing
/// for a row-major order. If the rank is not 2, the rank comes first, e.g. `_3d_o012`, or `_3d` for a row-major
/// order.
fn memory_order(dims: &[u32]) -> String {
    match dims.len() {
        2 => order(dims),
        rank => format!("_{rank}d{}", order(dims)),
    }
}

/// Returns `_c2x1` if two CTAs split dim 0, `_copies2` if two CTAs hold copies of the same data, and nothing for
/// one CTA.
fn ctas(cga: &CgaLayout) -> String {
    let split = cga.split_num();
    let num_pieces: u32 = split.iter().product();
    let mut text = String::new();
    if num_pieces > 1 {
        text += &format!("_c{}", sizes(&split));
    }
    if cga.num_ctas() > num_pieces {
        text += &format!("_copies{}", cga.num_ctas() / num_pieces);
    }
    text
}

/// Returns `as_` followed by the name of an encoding of another family with the same layout. If there is no such
/// encoding, or only a slice, returns the shape instead.
fn explicit_name(layout: &LinearLayout) -> String {
    match Encoding::recognize(layout) {
        // The name of a slice is not used, because the layout does not determine its parent.
        Ok(Encoding::Slice(_) | Encoding::Linear(_) | Encoding::GenericLinear(_))
        | Ok(Encoding::SharedLinear(_))
        | Err(_) => shape(layout),
        Ok(known) => {
            let name = known.pretty_name();
            format!("as_{}", name.strip_prefix("shared_").unwrap_or(&name))
        }
    }
}

fn shape(layout: &LinearLayout) -> String {
    let list: Vec<String> = layout.out_shape().map(|(_, n)| n.to_string()).collect();
    list.join("x")
}

fn dot_operand(e: &DotOperandEncoding) -> String {
    let width = match e.k_width() {
        0 => String::new(),
        width => format!("_k{width}"),
    };
    format!("dot{}{width}_of_{}", e.op_idx(), e.parent().pretty_name())
}

fn nvidia_mma(e: &NvidiaMmaEncoding) -> String {
    let minor = match e.version_minor() {
        0 => String::new(),
        minor => format!("m{minor}"),
    };
    format!(
        "mma_v{}{minor}_{}_w{}{}",
        e.version_major(),
        sizes(e.instr_shape()),
        sizes(e.warps_per_cta()),
        ctas(e.cga_layout())
    )
}

fn amd_wmma(e: &AmdWmmaEncoding) -> String {
    // Number of tiles of a warp, or of warps, along each dim.
    let layout = e.cta_layout();
    let reach = |dim: Dim| -> Vec<u32> {
        let mut reach = vec![1u32; layout.num_out_dims()];
        for bit in 0..layout.in_bits(dim) {
            let basis = layout.basis(dim, bit);
            for (size, step) in reach.iter_mut().zip(basis.iter()) {
                *size <<= u32::from(step != 0);
            }
        }
        reach
    };
    let tiles = match reach(Dim::REGISTER) {
        tiles if tiles.iter().all(|n| *n == 1) => String::new(),
        tiles => format!("_tiles{}", sizes(&tiles)),
    };
    format!(
        "wmma_v{}_{}{}_w{}{tiles}{}",
        e.version(),
        sizes(e.instr_shape()),
        if e.is_transposed() { "_t" } else { "" },
        sizes(&reach(Dim::WARP)),
        ctas(e.cga_layout())
    )
}

/// Returns e.g. `shared_pad_32p4_128p8_16x32` for padding of 4 elements after every 32, and of 8 after every 128.
fn padded_shared(e: &PaddedSharedEncoding) -> String {
    let gaps: String = e
        .interval_paddings()
        .iter()
        .map(|(interval, padding)| format!("_{interval}p{padding}"))
        .collect();
    let of = shape(e.linear_component());
    format!("shared_pad{gaps}_{of}{}", order(&e.order()))
}

fn tensor_memory(e: &TensorMemoryEncoding) -> String {
    let stride = match e.col_stride() {
        1 => String::new(),
        stride => format!("_stride{stride}"),
    };
    format!(
        "tmem_{}x{}{stride}{}{}{}",
        e.block_m(),
        e.block_n(),
        if e.is_fp4_padded() { "_fp4" } else { "" },
        if e.is_two_ctas() { "_2cta" } else { "" },
        ctas(e.cga_layout())
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Aliases, Encoding};

    #[track_caller]
    fn check(text: &str, name: &str) {
        let aliases = Aliases::parse(
            "#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
             #m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
        )
        .expect("the aliases are valid");
        let encoding = Encoding::parse(text, &aliases).expect(text);
        assert_eq!(encoding.pretty_name(), name);
    }

    #[test]
    fn registers() {
        check("#b", "blocked_1x4_t8x4_w4x1");
        check(
            "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
            "blocked_4_t32_w4",
        );
        check(
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [0, 1], CGALayout = [[0, 1]]}>",
            "blocked_1x4_t8x4_w4x1_o01_c1x2",
        );
        check(
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>",
            "blocked_1x4_t8x4_w4x1_copies2",
        );
        check(
            "#ttg.slice<{dim = 1, parent = #b}>",
            "slice_d1_of_blocked_1x4_t8x4_w4x1",
        );
        check(
            "#ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 2}>",
            "dot1_k2_of_mma_v2_16x8_w2x2",
        );
        check(
            "#ttg.dot_op<{opIdx = 0, parent = #b}>",
            "dot0_of_blocked_1x4_t8x4_w4x1",
        );
        check(
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>",
            "mma_v3_16x128x16_w4x1",
        );
        check(
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = false, tilesPerWarp = [2, 1], elementBitWidth = 64}>",
            "mfma_v3_16x16x4_w2x2_tiles2x1_b64",
        );
        check(
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>",
            "mfma_v3_32x32x8_t_w4x1",
        );
        check(
            "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [[0, 1]], warp = [[1, 0], [2, 0]]}, instrShape = [16, 16, 32]}>",
            "wmma_v2_16x16x32_t_w4x1_tiles1x2",
        );
    }

    #[test]
    fn bases_are_named_by_what_they_are() {
        check(
            "#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>",
            "linear_as_blocked_1x4_t8x4_w4x1",
        );
        check(
            "#ttg.linear<{register = [[1, 0]], lane = [[0, 4], [0, 1], [0, 2]], warp = [], block = []}>",
            "linear_2x8",
        );
        check(
            "#ttg.generic_linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 1], [16, 0]], block = []}>",
            "generic_linear_32x8",
        );
    }

    #[test]
    fn memory() {
        check(
            "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
            "shared_swz_8_2_4",
        );
        check(
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>",
            "shared_swz_1_1_1_1d",
        );
        check(
            "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>",
            "shared_rot_4_1_16_o01",
        );
        check(
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = [[0, 1]]}>",
            "shared_nvmma_128_b8_t_fp4_c1x2",
        );
        check(
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, rank = 3}>",
            "shared_nvmma_32_b16_3d",
        );
        check(
            "#ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>",
            "shared_pad_32p4_128p8_16x32",
        );
        check(
            "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]], block = [[2, 0]]}, alignment = 32>",
            "shared_linear_as_swz_1_1_1_c2x1_a32",
        );
        check(
            "#ttg.shared_linear<{offset = [[1, 0], [0, 1], [2, 0]]}, alignment = 16>",
            "shared_linear_4x2",
        );
        check(
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
            "tmem_128x64",
        );
        check(
            "#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 2>",
            "tmem_64x32_stride2",
        );
        check("#ttng.tensor_memory_scales_encoding<>", "tmem_scales");
    }

    #[test]
    fn other_systems() {
        check(
            "#tilus.register<\"local(2, 1).spatial(8, 4).local(1, 2)\">",
            "tilus_16x8",
        );
        check(
            "#tilus.register<\"spatial(64)\", threadsPerWarp = 64>",
            "tilus_64_t64",
        );
        check(
            "#cute.layout<\"Sw<3,3,3> o 0 o (8,64):(64,1)\">",
            "shared_cute_8x64",
        );
        check(
            "#cute.layout<\"((4,8),(2,2)):((32,1),(16,8))\", tile = [16, 8]>",
            "cute_16x8",
        );
    }
}
