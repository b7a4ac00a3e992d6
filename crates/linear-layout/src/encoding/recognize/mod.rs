//! From a linear layout back to the encoding that says the same in fewer words.
//!
//! Each family reads its parameters off the bases and proposes encodings; the first one whose layout is
//! the given one is the answer, so a wrong guess costs time but never correctness.

mod blocked;
mod matrix;
mod shared;
mod slice;

use super::linear::{cga_of, check_dims, single_step};
use super::tiling::{DISTRIBUTED, SHARED};
use super::{
    CgaLayout, Encoding, EncodingError, GenericLinearEncoding, LinearEncoding, MAX_RANK,
    SharedLinearEncoding,
};
use crate::layout::{Dim, LinearLayout};

/// The input dims of a partitioned buffer.
const PARTITIONED: [Dim; 3] = [Dim::OFFSET, Dim::BLOCK, Dim::PARTITION];

impl Encoding {
    /// Returns the encoding that best names this layout: its layout on the layout's shape is the same.
    ///
    /// Distributed layouts (register, lane, warp, block) are tried as blocked, as results and operands
    /// of products (matrix instructions of NVIDIA, MFMA and WMMA, or none), and as slices of those, and
    /// else written out as `linear`, or `generic_linear` where warps are swizzled. Shared ones (offset,
    /// block) are tried as `swizzled_shared`, `nvmma_shared` and `amd_rotating_shared`, and else written
    /// out; with a third input dim, partition, as `partitioned_shared`.
    ///
    /// What leaves no trace in the layout is chosen: padding is none, an instruction is the first of
    /// its family that holds elements this way, and a box beyond the tensor is as small as can be.
    /// ```
    /// # use linear_layout::encoding::Encoding;
    /// let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    /// let layout = mma.parse::<Encoding>()?.to_linear_layout(&[64, 64])?;
    /// assert_eq!(Encoding::recognize(&layout)?.to_string(), mma);
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    /// # Laws
    /// `recognize(l)?.to_linear_layout(shape of l)? == l` (test `recognized_encodings_spell_their_layout`).
    /// # Errors
    /// When the dims are neither those of a distributed nor of a shared layout, or when not even the
    /// written-out families can say it (it leaves out elements, or repeats some in shared memory).
    pub fn recognize(layout: &LinearLayout) -> Result<Self, EncodingError> {
        let mut shape = [1u64; MAX_RANK];
        let rank = layout.num_out_dims();
        if rank > MAX_RANK {
            check_dims("layout", layout, &DISTRIBUTED, "at most 16 output dims")?;
        }
        for (size, (_, out)) in shape.iter_mut().zip(layout.out_shape()) {
            *size = out;
        }
        let shape = &shape[..rank];
        let spells = |e: &Self| e.to_linear_layout(shape).is_ok_and(|l| l == *layout);
        if layout.in_dims().eq(SHARED) {
            check_dims(
                "layout",
                layout,
                &SHARED,
                "offset, block -> dim0, dim1, ...",
            )?;
            return match shared::candidates(layout, shape).find(spells) {
                Some(found) => Ok(found),
                None => Ok(SharedLinearEncoding::new(layout.clone(), 16)?.into()),
            };
        }
        if layout.in_dims().eq(PARTITIONED) {
            return shared::partitioned(layout).filter(spells).ok_or_else(|| {
                let reason = "the pieces must go round over the partitions along one dim";
                EncodingError::no_layout("partitioned_shared", reason)
            });
        }
        let expected = "register, lane, warp, block (or offset, block) -> dim0, dim1, ...";
        check_dims("layout", layout, &DISTRIBUTED, expected)?;
        if let Some(steps) = Steps::of(layout) {
            let found = blocked::candidates(&steps, shape)
                .into_iter()
                .chain(matrix::candidates(&steps))
                .chain(blocked::operands(&steps, shape))
                .find(spells);
            if let Some(found) = found {
                return Ok(found);
            }
        }
        if let Some(found) = slice::candidates(layout, shape).find(spells) {
            return Ok(found);
        }
        match LinearEncoding::new(layout.clone()) {
            Ok(linear) => Ok(linear.into()),
            Err(_) => Ok(GenericLinearEncoding::new(layout.clone())?.into()),
        }
    }
}

/// Where one basis moves: along which dim and by which bit; nothing for a zero basis.
type Step = Option<(usize, u8)>;

/// How a layout moves along the dims, input by input.
#[derive(Clone)]
struct Steps {
    rank: usize,
    register: Vec<Step>,
    lane: Vec<Step>,
    warp: Vec<Step>,
    cga: CgaLayout,
}

impl Steps {
    /// Nothing where a basis moves in several dims at once, or the CTAs are not above all else.
    fn of(layout: &LinearLayout) -> Option<Self> {
        let list = |ind| -> Option<Vec<_>> {
            (0..layout.in_bits(ind))
                .map(|b| single_step(layout.basis(ind, b)).ok())
                .collect()
        };
        Some(Self {
            rank: layout.num_out_dims(),
            register: list(Dim::REGISTER)?,
            lane: list(Dim::LANE)?,
            warp: list(Dim::WARP)?,
            cga: cga_of(layout).ok()?,
        })
    }

    /// Returns the same with the lanes and warps that repeat moving along `dim` instead, on from bit 0.
    fn unfolded_along(&self, dim: usize) -> Self {
        let mut next = 0;
        let mut unfold = |list: &[Step]| -> Vec<Step> {
            let moved = list.iter().map(|step| {
                step.or_else(|| {
                    next += 1;
                    Some((dim, next - 1))
                })
            });
            moved.collect()
        };
        let (lane, warp) = (unfold(&self.lane), unfold(&self.warp));
        Self {
            lane,
            warp,
            ..self.clone()
        }
    }
}
