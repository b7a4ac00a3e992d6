//! `#ttg.blocked`: layouts that tile a tensor with equal boxes.

use crate::number::narrow;
use core::fmt;

use super::cga::{check_rank, first_seen, fmt_cga, permutation, powers_of_two, same_rank};
use super::error::RuleLabel;
use super::text::{Parser, require, unknown_key};
use super::tiling::{DISTRIBUTED, LANE, REGISTER, Tiling, WARP};
use super::{CgaLayout, Encoding, EncodingError, Ints};

const FAMILY: &str = "blocked";
const KEYS: &str = "`sizePerThread`, `threadsPerWarp`, `warpsPerCTA`, `order`, `CGALayout`";

/// A layout that tiles a tensor with nested boxes: a thread holds a box of elements, a warp holds a box of thread
/// boxes, and a CTA holds a box of warp boxes. If the tensor is larger than the box of the CTA, the box is
/// repeated.
///
/// For example, `sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order = [1, 0]` on a 4x4
/// tensor, where `T1` is thread 1 and each thread holds two boxes of two elements:
/// ```text
/// row 0:  T0 T0 T1 T1
/// row 1:  T2 T2 T3 T3
/// row 2:  T0 T0 T1 T1   (second register of each thread's second box)
/// row 3:  T2 T2 T3 T3
/// ```
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1, ...).
/// # Units
/// `size_per_thread` counts elements, `threads_per_warp` counts threads, and `warps_per_cta` counts warps. `order`
/// lists the dims, the fastest dim first.
/// # Source
/// Triton's `BlockedEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockedEncoding {
    size_per_thread: Ints,
    threads_per_warp: Ints,
    warps_per_cta: Ints,
    order: Ints,
    cga: CgaLayout,
}

impl BlockedEncoding {
    /// Returns the encoding whose nested boxes have the given sizes. `order` lists the dims, the fastest dim first.
    ///
    /// # Errors
    /// Returns an error if the lists differ in length, a number is not a power of two, `order` is not a
    /// permutation, or the rank is not 1 to 16.
    pub fn new(
        size_per_thread: &[u32],
        threads_per_warp: &[u32],
        warps_per_cta: &[u32],
        order: &[u32],
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        let (first, rank) = ("sizePerThread", size_per_thread);
        check_rank(first, rank.len())?;
        same_rank("threadsPerWarp", threads_per_warp, first, rank).of_rule("blocked_c1")?;
        same_rank("warpsPerCTA", warps_per_cta, first, rank).of_rule("blocked_c1")?;
        same_rank("order", order, first, rank).of_rule("blocked_c1")?;
        powers_of_two(first, size_per_thread).of_rule("blocked_c2")?;
        powers_of_two("threadsPerWarp", threads_per_warp).of_rule("blocked_c2")?;
        powers_of_two("warpsPerCTA", warps_per_cta).of_rule("blocked_c2")?;
        same_rank("CGALayout", &Ints::filled(0, cga.rank()), first, rank)
            .of_rule("cga_layout_c1")?;
        permutation("order", order).of_rule("blocked_c3")?;
        Ok(Self {
            size_per_thread: Ints::from_slice(size_per_thread)?,
            threads_per_warp: Ints::from_slice(threads_per_warp)?,
            warps_per_cta: Ints::from_slice(warps_per_cta)?,
            order: Ints::from_slice(order)?,
            cga,
        })
    }

    /// Returns the encoding whose threads and warps cover as many elements as possible of the part of the tensor
    /// that one CTA holds. `order` lists the dims to cover, the fastest dim first.
    ///
    /// For example, take a warp of 32 lanes, 4 warps, and one element per thread on a 16x8 tensor in order
    /// `[1, 0]`. Then 8 lanes fit along dim1, so the lanes form a box of 4x8, and all 4 warps are along dim0.
    /// ```
    /// # use linear_layout::encoding::{BlockedEncoding, CgaLayout};
    /// let b = BlockedEncoding::for_shape(&[16, 8], &[1, 1], &[1, 0], 4, 32, CgaLayout::single(2)?)?;
    /// assert_eq!(b.threads_per_warp(), [4, 8]);
    /// assert_eq!(b.warps_per_cta(), [4, 1]);
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`BlockedEncoding::new`].
    pub fn for_shape(
        shape: &[u64],
        size_per_thread: &[u32],
        order: &[u32],
        num_warps: u32,
        threads_per_warp: u32,
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        same_rank("order", order, "shape", shape)?;
        same_rank("sizePerThread", size_per_thread, "shape", shape)?;
        check_rank("order", order.len())?;
        permutation("order", order)?;
        powers_of_two("sizePerThread", size_per_thread)?;
        powers_of_two("num-warps", &[num_warps])?;
        powers_of_two("threads-per-warp", &[threads_per_warp])?;
        let rank = order.len();
        let shape = cga.shape_per_cta(shape);
        let (mut threads, mut warps) = (Ints::filled(1, rank), Ints::filled(1, rank));
        let (mut lanes_left, mut warps_left) = (u64::from(threads_per_warp), u64::from(num_warps));
        let (mut outer_lanes, mut outer_warps) = (1, 1);
        for dim in order[..rank - 1].iter().map(|d| *d as usize) {
            let wanted = (shape[dim] / u64::from(size_per_thread[dim])).max(1);
            let lanes = floor_power(wanted.min(lanes_left));
            let here = (wanted / lanes).max(1);
            let warp = floor_power(here.min(warps_left));
            threads[dim] = narrow(lanes);
            warps[dim] = narrow(warp);
            lanes_left /= lanes;
            warps_left /= warp;
            outer_lanes *= lanes;
            outer_warps *= warp;
        }
        let last = order[rank - 1] as usize;
        threads[last] = threads_per_warp / narrow::<u32>(outer_lanes);
        warps[last] = num_warps / narrow::<u32>(outer_warps);
        Self::new(size_per_thread, &threads, &warps, order, cga)
    }

    /// Returns the default encoding for a shape: one element per thread, and the last dim fastest. The CTAs are
    /// distributed over the slowest dim first, and then over the faster dims. If there are more CTAs than parts
    /// into which the shape can be split, the excess CTAs hold copies.
    ///
    /// # Errors
    /// Returns an error if `num_warps`, `threads_per_warp` or `num_ctas` is not a power of two, or the rank is not
    /// 1 to 16.
    pub fn default_for_shape(
        shape: &[u64],
        num_warps: u32,
        threads_per_warp: u32,
        num_ctas: u32,
    ) -> Result<Self, EncodingError> {
        let rank = check_rank("shape", shape.len())?;
        powers_of_two("num-ctas", &[num_ctas])?;
        let order = Ints::collect((0..narrow::<u32>(rank)).rev());
        let size_per_thread = Ints::filled(1, rank);
        let mut split = Ints::filled(1, rank);
        let mut left = u64::from(num_ctas);
        // Excess CTAs hold copies.
        for dim in order.iter().rev().map(|d| *d as usize) {
            let pieces = floor_power(shape[dim].max(1).min(left));
            split[dim] = narrow(pieces);
            left /= pieces;
        }
        let mut ctas = split;
        ctas[rank - 1] *= narrow::<u32>(left);
        let cga = CgaLayout::from_split(&ctas, &split, &order)?;
        Self::for_shape(
            shape,
            &size_per_thread,
            &order,
            num_warps,
            threads_per_warp,
            cga,
        )
    }

    /// Returns the number of elements of a thread's box along each dim.
    #[must_use]
    pub fn size_per_thread(&self) -> &[u32] {
        &self.size_per_thread
    }

    /// Returns the number of threads of a warp along each dim.
    #[must_use]
    pub fn threads_per_warp(&self) -> &[u32] {
        &self.threads_per_warp
    }

    /// Returns the number of warps of a CTA along each dim.
    #[must_use]
    pub fn warps_per_cta(&self) -> &[u32] {
        &self.warps_per_cta
    }

    /// Returns the order of the dims, the fastest dim first.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the parameter `CGALayout`, which splits the tensor over the CTAs of a cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    pub(crate) fn rank(&self) -> usize {
        self.order.len()
    }

    /// Returns the encoding with permuted dims: dim `i` of the result is dim `order[i]` of `self`.
    pub(crate) fn permute(&self, order: &[usize]) -> Self {
        let pick = |list: &Ints| Ints::collect(order.iter().map(|i| list[*i]));
        let moved =
            |dim: u32| narrow::<u32>(order.iter().position(|o| *o == dim as usize).unwrap_or(0));
        Self {
            size_per_thread: pick(&self.size_per_thread),
            threads_per_warp: pick(&self.threads_per_warp),
            warps_per_cta: pick(&self.warps_per_cta),
            order: Ints::collect(self.order.iter().map(|d| moved(*d))),
            cga: self.cga.permute(order),
        }
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &self.cga)?;
        let slots = [
            (REGISTER, &self.size_per_thread),
            (LANE, &self.threads_per_warp),
            (WARP, &self.warps_per_cta),
        ];
        for (slot, sizes) in slots {
            for dim in self.order.iter().map(|d| *d as usize) {
                tiling.lay(slot, u64::from(sizes[dim]), dim);
            }
        }
        tiling.fill(REGISTER, self.order.iter().map(|d| *d as usize));
        // Unlike in the encodings of matrix instructions, a box beyond the tensor adds no registers with copies.
        tiling.drop_zeros(REGISTER);
        tiling.lay_ctas(3, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut size, mut threads, mut warps, mut order, mut cga) = (None, None, None, None, None);
        p.dict(|p, key| {
            match key {
                "sizePerThread" => size = Some(p.numbers()?),
                "threadsPerWarp" => threads = Some(p.numbers()?),
                "warpsPerCTA" => warps = Some(p.numbers()?),
                "order" => order = Some(p.numbers()?),
                "CGALayout" => cga = Some(p.bases()?),
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        let size = require(size, FAMILY, "sizePerThread")?;
        let threads = require(threads, FAMILY, "threadsPerWarp")?;
        let warps = require(warps, FAMILY, "warpsPerCTA")?;
        let order = require(order, FAMILY, "order")?;
        check_rank("sizePerThread", size.len())?;
        let cga = CgaLayout::from_bases(size.len(), &cga.unwrap_or_default())?;
        Ok(Self::new(&size, &threads, &warps, &order, cga)?.into())
    }
}

fn floor_power(value: u64) -> u64 {
    1 << value.checked_ilog2().unwrap_or(0)
}

impl fmt::Display for BlockedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}",
            self.size_per_thread, self.threads_per_warp, self.warps_per_cta, self.order
        )?;
        fmt_cga(f, &self.cga)?;
        f.write_str("}>")
    }
}

/// Returns the order of the dims of a matrix or a batch of matrices, the fastest dim first. For rank 3, it is
/// `[2, 1, 0]` if `row_major` is true, and `[1, 2, 0]` otherwise.
pub(crate) fn matrix_order(rank: usize, row_major: bool) -> Ints {
    let mut order = first_seen([], (0..narrow::<u32>(rank)).rev());
    if !row_major && rank >= 2 {
        order.swap(0, 1);
    }
    order
}
