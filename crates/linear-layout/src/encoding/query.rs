//! Properties of encodings that compilers query, such as orders, sizes per thread, and alignments.

use super::cga::first_seen;
use super::error::EncodingErrorKind;
use super::linear::order_of;
use super::{CgaLayout, blocked::matrix_order};
use super::{
    DotOperandEncoding, Encoding, EncodingError, Ints, List, MAX_RANK, SwizzledSharedEncoding,
};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;

impl Encoding {
    /// Returns the order of the dims, the fastest dim first. This is the order in which the elements follow each
    /// other in the registers of a thread, in the offsets of a shared-memory buffer, or in the columns of tensor
    /// memory.
    ///
    /// # Errors
    /// Returns an error if the encoding has no layout on `shape`.
    pub fn order(&self, shape: &[u64]) -> Result<Ints, EncodingError> {
        Ok(match self {
            Self::SwizzledShared(e) => e.swizzle.order,
            Self::AmdRotatingShared(e) => e.swizzle.order,
            Self::PaddedShared(e) => e.order(),
            Self::SharedLinear(e) => e.order(),
            Self::NvmmaShared(e) => matrix_order(e.rank(), !e.is_transposed()),
            Self::PartitionedShared(e) => e.partition_layout().order(shape)?,
            Self::TensorMemory(_) | Self::TensorMemoryScales(_) => {
                order_of(&self.to_linear_layout(shape)?, Dim::COL)
            }
            Self::Cute(_) if self.is_shared() => {
                order_of(&self.to_linear_layout(shape)?, Dim::OFFSET)
            }
            _ => order_of(&self.to_linear_layout(shape)?, Dim::REGISTER),
        })
    }

    /// Returns the order of the dims along which lanes are distributed, the fastest dim first.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn thread_order(&self, shape: &[u64]) -> Result<Ints, EncodingError> {
        self.order_along(shape, Dim::LANE)
    }

    /// Returns the order of the dims along which warps are distributed, the fastest dim first.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn warp_order(&self, shape: &[u64]) -> Result<Ints, EncodingError> {
        self.order_along(shape, Dim::WARP)
    }

    fn order_along(&self, shape: &[u64], ind: Dim) -> Result<Ints, EncodingError> {
        let layout = self.distributed(shape)?;
        let own = order_of(&layout, Dim::REGISTER);
        let moves = (0..layout.in_bits(ind))
            .filter_map(|bit| layout.basis(ind, bit).iter().position(|v| v != 0))
            .map(|d| narrow::<u32>(d));
        Ok(first_seen(moves, own.iter().copied()))
    }

    fn distributed(&self, shape: &[u64]) -> Result<LinearLayout, EncodingError> {
        if self.is_distributed() {
            return self.to_linear_layout(shape);
        }
        Err(EncodingError::new(EncodingErrorKind::WrongFamily {
            what: "encoding",
            found: self.family(),
            expected: "a distributed encoding",
        }))
    }

    /// Returns, for each dim, the number of elements that are adjacent along this dim and held by consecutive
    /// registers of a thread.
    ///
    /// ```
    /// # use linear_layout::encoding::Encoding;
    /// let mma: Encoding =
    ///     "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>".parse()?;
    /// assert_eq!(*mma.contig_per_thread(&[64, 64])?, [1, 2]);
    /// assert_eq!(*mma.elems_per_thread(&[64, 64])?, [4, 8]);
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn contig_per_thread(&self, shape: &[u64]) -> Result<Ints, EncodingError> {
        let layout = self.distributed(shape)?;
        let mut contig = Ints::filled(1, shape.len());
        let mut bit = 0;
        for dim in order_of(&layout, Dim::REGISTER).iter().map(|d| *d as usize) {
            let is_contiguous = |bit: usize, size: u32| {
                bit < layout.in_bits(Dim::REGISTER)
                    && layout
                        .basis(Dim::REGISTER, bit)
                        .iter()
                        .enumerate()
                        .all(|(d, v)| v == if d == dim { u64::from(size) } else { 0 })
            };
            while is_contiguous(bit, contig[dim]) {
                contig[dim] = contig[dim].saturating_mul(2);
                bit += 1;
            }
        }
        Ok(contig)
    }

    /// Returns the number of registers of a thread along each dim. Registers that repeat elements of other
    /// registers are counted, too.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn elems_per_thread(&self, shape: &[u64]) -> Result<List<u64, MAX_RANK>, EncodingError> {
        Ok(sizes_along(&self.distributed(shape)?, Dim::REGISTER, true))
    }

    /// Returns the number of registers of a thread. Registers that repeat elements of other registers are counted,
    /// too.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn total_elems_per_thread(&self, shape: &[u64]) -> Result<u64, EncodingError> {
        Ok(self.distributed(shape)?.in_size(Dim::REGISTER))
    }

    /// Returns the number of different elements that one thread holds.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn unique_elems_per_thread(&self, shape: &[u64]) -> Result<u64, EncodingError> {
        let layout = self.distributed(shape)?;
        let moving = layout
            .columns_of(Dim::REGISTER)
            .iter()
            .filter(|c| **c != 0)
            .count();
        Ok(1 << moving)
    }

    /// Returns, for each dim, the number of lanes of a warp that hold distinct elements along this dim.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn threads_per_warp(&self, shape: &[u64]) -> Result<List<u64, MAX_RANK>, EncodingError> {
        Ok(sizes_along(&self.distributed(shape)?, Dim::LANE, false))
    }

    /// Returns, for each dim, the number of warps of a CTA that hold distinct elements along this dim.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn warps_per_cta(&self, shape: &[u64]) -> Result<List<u64, MAX_RANK>, EncodingError> {
        Ok(sizes_along(&self.distributed(shape)?, Dim::WARP, false))
    }

    /// Returns the number of lanes in a warp.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed. Also returns an error if the encoding has no layout on
    /// the shape from which the number is computed. This shape is the tile of a CuTe encoding, and one element for
    /// any other encoding.
    pub fn num_lanes(&self) -> Result<u64, EncodingError> {
        self.hardware_size(Dim::LANE)
    }

    /// Returns the number of warps in a CTA.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed. Also returns an error if the encoding has no layout on
    /// the shape from which the number is computed. This shape is the tile of a CuTe encoding, and one element for
    /// any other encoding.
    pub fn num_warps(&self) -> Result<u64, EncodingError> {
        self.hardware_size(Dim::WARP)
    }

    /// Returns the number of CTAs in a cluster.
    ///
    /// # Errors
    /// Returns an error if the `block` bases of an explicit layout do not split the tensor into contiguous parts.
    pub fn num_ctas(&self) -> Result<u64, EncodingError> {
        Ok(match self {
            Self::Linear(e) => e.layout().in_size(Dim::BLOCK),
            Self::GenericLinear(e) => e.layout().in_size(Dim::BLOCK),
            Self::SharedLinear(e) => e.layout().in_size(Dim::BLOCK),
            Self::PaddedShared(e) => e.linear_component().in_size(Dim::BLOCK),
            _ => u64::from(self.cga_layout()?.num_ctas()),
        })
    }

    /// Returns the size of the input dim `ind`, which must be a dim whose size does not depend on the shape of the
    /// tensor, e.g. `lane` or `warp`.
    fn hardware_size(&self, ind: Dim) -> Result<u64, EncodingError> {
        if let Self::Cute(e) = self
            && let Some(tile) = e.tile()
        {
            return Ok(self.distributed(tile)?.in_size(ind));
        }
        let shape = [1; MAX_RANK];
        Ok(self.distributed(&shape[..self.rank()])?.in_size(ind))
    }

    /// Returns the shape of the part of a tensor that one CTA holds.
    ///
    /// # Errors
    /// Returns an error if the `block` bases of an explicit layout do not split the tensor into contiguous parts.
    pub fn shape_per_cta(&self, shape: &[u64]) -> Result<List<u64, MAX_RANK>, EncodingError> {
        Ok(self.cga_layout()?.shape_per_cta(shape))
    }

    /// Returns the preferred order of the dims for memory accesses, the fastest dim first.
    ///
    /// If a thread holds only one element along the fastest dim of the lanes, this is the order of the lanes.
    /// Otherwise, it is the order of the registers.
    ///
    /// # Errors
    /// Returns an error if the encoding is not distributed or has no layout on `shape`.
    pub fn order_for_memory(&self, shape: &[u64]) -> Result<Ints, EncodingError> {
        let (order, threads) = (self.order(shape)?, self.thread_order(shape)?);
        let along_lanes = threads.first().map_or(0, |d| *d as usize);
        if order != threads && self.elems_per_thread(shape)?.get(along_lanes) == Some(&1) {
            return Ok(threads);
        }
        Ok(order)
    }

    /// Returns the required alignment of the shared-memory buffer in bytes, or `None` if the encoding is not
    /// shared.
    #[must_use]
    pub fn alignment_bytes(&self) -> Option<u32> {
        match self {
            Self::NvmmaShared(e) => Some(e.alignment_bytes()),
            Self::SharedLinear(e) => Some(e.alignment_bytes()),
            Self::PartitionedShared(e) => e.partition_layout().alignment_bytes(),
            _ => self.is_shared().then_some(16),
        }
    }

    /// Returns the `(interval, padding)` pairs of a padded buffer, or of the parts of a partitioned buffer. Both
    /// numbers count elements. The slice is empty for other encodings.
    #[must_use]
    pub fn interval_paddings(&self) -> &[(u32, u32)] {
        match self {
            Self::PaddedShared(e) => e.interval_paddings(),
            Self::PartitionedShared(e) => e.partition_layout().interval_paddings(),
            _ => &[],
        }
    }
}

/// Returns, for each output dim, the number of values of `ind` that are distributed along it. Each nonzero basis of
/// `ind` doubles the result for the dim along which it steps.
///
/// If `copies` is true, a zero basis doubles the result for the dim along which the preceding nonzero basis steps,
/// or for dim 0 if there is none. If `copies` is false, zero bases are ignored.
fn sizes_along(layout: &LinearLayout, ind: Dim, copies: bool) -> List<u64, MAX_RANK> {
    let mut sizes = List::filled(1, layout.num_out_dims());
    let mut dim = 0;
    for bit in 0..layout.in_bits(ind) {
        match layout.basis(ind, bit).iter().position(|v| v != 0) {
            Some(d) => dim = d,
            None if copies => {}
            None => continue,
        }
        sizes[dim] *= 2;
    }
    sizes
}

/// Number of bits in a row of shared memory. A row consists of one 32-bit word from each of the 32 banks.
const BANK_ROW_BITS: u64 = 1024;

impl SwizzledSharedEncoding {
    /// Returns the encoding of a shared-memory buffer from which the matrix operand `operand` is read without bank
    /// conflicts.
    ///
    /// `shape` is the shape of the operand, `order` lists the dims of the buffer, the fastest dim first, and
    /// `element_bits` is the width of an element. `transposed` means that the buffer contains the transposed
    /// operand.
    /// ```
    /// # use linear_layout::encoding::{CgaLayout, Encoding, SwizzledSharedEncoding};
    /// let a: Encoding = "#ttg.dot_op<{opIdx = 0, kWidth = 2, parent = #ttg.nvidia_mma<{versionMajor = 2, \
    ///     versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>}>".parse()?;
    /// let Encoding::DotOperand(a) = a else { unreachable!() };
    /// let s = SwizzledSharedEncoding::for_dot_operand(&a, &[64, 64], &[1, 0], CgaLayout::single(2)?, 16, false)?;
    /// assert_eq!((s.vec(), s.per_phase(), s.max_phase()), (8, 1, 8));
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    /// # Errors
    /// Returns an error if `shape`, `order` and `cga` do not have the same rank, `order` is not a permutation, or
    /// `element_bits` is 0.
    /// # Source
    /// Triton's `SwizzledSharedEncodingAttr::get` and `composeSharedLayoutForOperand`.
    pub fn for_dot_operand(
        operand: &DotOperandEncoding,
        shape: &[u64],
        order: &[u32],
        cga: CgaLayout,
        element_bits: u32,
        transposed: bool,
    ) -> Result<Self, EncodingError> {
        let plain = Self::new(1, 1, 1, order, cga)?;
        super::cga::same_rank("shape", shape, "order", order)?;
        if element_bits == 0 {
            return Err(EncodingError::bad_value("element bits", 0, "1 or more"));
        }
        let bits = u64::from(element_bits);
        let inner = order[0] as usize;
        let op = operand.op_idx();
        let k_width = u64::from(operand.k_width());
        let made = |vec: u64, per_phase: u64, max_phase: u64| {
            let small = |v: u64| u32::try_from(v).unwrap_or(u32::MAX);
            Self::new(small(vec), small(per_phase), small(max_phase), order, cga)
        };
        match operand.parent() {
            Encoding::NvidiaMma(_) => {
                let k_dim = order.len().saturating_sub(if op == 0 { 1 } else { 2 });
                let size = cga.shape_per_cta(shape)[inner].max(1);
                let per_phase = (BANK_ROW_BITS / bits.saturating_mul(size)).max(1);
                let (mut vec, mut rows) = (4 * k_width, 8);
                if transposed != (inner != k_dim) {
                    (vec, rows) = (rows, vec);
                }
                let vectors = BANK_ROW_BITS / (vec * bits).max(1);
                let max_phase = (rows.min(vectors).max(1) / per_phase).max(1);
                made(vec, per_phase, max_phase)
            }
            Encoding::AmdMfma(mfma) => {
                let k_contiguous = inner == usize::from((op == 0) != transposed);
                // gfx950 transposes during a load, so both orders of the dims need the swizzle.
                let gfx950 = mfma.version() == 4;
                let transposes = gfx950 && matches!(element_bits, 8 | 16);
                if !k_contiguous && !transposes {
                    return Ok(plain);
                }
                let banks = if gfx950 { 64 } else { 32 };
                let size = shape[inner].max(1);
                let per_phase = (banks * 32 / bits / size).max(1);
                let max_phase = match mfma.instr_shape()[0] {
                    4 => 4,
                    _ => (16 / per_phase).min(size / k_width.max(1)).max(1),
                };
                made(k_width, per_phase, max_phase)
            }
            Encoding::AmdWmma(wmma) => {
                if inner != usize::from(op == 0) {
                    return Ok(plain);
                }
                let vec = ((k_width * bits).min(128) / bits).max(1);
                let size = shape[inner].max(1);
                let per_phase = (32 * 32 / bits / size).max(1);
                let rows = u64::from(wmma.instr_shape()[0]);
                made(vec, per_phase, (rows / per_phase).min(size / vec).max(1))
            }
            _ => Ok(plain),
        }
    }
}
