//! Recognition of the encoding that has a given linear layout.
//!
//! Each family derives candidates from the bases of the layout. The first candidate with the same layout is returned,
//! so wrong candidates only cost time.

mod blocked;
mod matrix;
mod shared;
mod slice;

use super::error::EncodingErrorKind;
use super::linear::{cga_of, check_dims, single_step};
use super::tiling::{DISTRIBUTED, SHARED};
use super::{
    CgaLayout, Encoding, EncodingError, GenericLinearEncoding, LinearEncoding, MAX_RANK,
    SharedLinearEncoding,
};
use crate::layout::{Dim, LinearLayout};

const PARTITIONED: [Dim; 3] = [Dim::OFFSET, Dim::BLOCK, Dim::PARTITION];

impl Encoding {
    /// Returns the most specific encoding whose linear layout is `layout`. The shape of the tensor is the output
    /// shape of `layout`.
    ///
    /// - For a distributed layout (register, lane, warp, block), the candidates are `blocked`, results and
    ///   operands of matrix products, and slices of these encodings. The fallback is `linear`, or
    ///   `generic_linear` if `linear` does not accept the bases.
    /// - For a shared layout (offset, block), the candidates are `swizzled_shared`, `nvmma_shared` and
    ///   `amd_rotating_shared`. The fallback is `shared_linear`.
    /// - For a shared layout (offset, block, partition), the only candidate is `partitioned_shared`.
    ///
    /// Parameters that the layout does not determine get defaults. A buffer has no padding. A matrix product uses
    /// the first instruction of its family whose fragments have this layout. A blocked encoding has the smallest
    /// possible box.
    ///
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
    /// Returns an error if the input dims are neither distributed nor shared, or if no explicit encoding accepts
    /// the bases, e.g. because the layout is not surjective.
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
            return shared::partitioned_candidate(layout)
                .filter(spells)
                .ok_or_else(|| {
                    let reason = "a layout with partitions is not a `partitioned_shared` encoding, expected \
                                  pieces along one dim that alternate between the partitions";
                    EncodingError::new(EncodingErrorKind::Quoted {
                        at: 0,
                        is_syntax: false,
                        key: None,
                        reason: reason.to_owned(),
                    })
                });
        }
        let expected = "register, lane, warp, block (or offset, block) -> dim0, dim1, ...";
        check_dims("layout", layout, &DISTRIBUTED, expected)?;
        if let Some(steps) = BasisSteps::of(layout) {
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

/// `(dim, bit)` for a basis that steps by `2^bit` along `dim`, or `None` for a zero basis.
type BasisStep = Option<(usize, u8)>;

/// The bases of a distributed layout. Each basis is zero or a power of two along one dim.
#[derive(Clone)]
struct BasisSteps {
    rank: usize,
    register: Vec<BasisStep>,
    lane: Vec<BasisStep>,
    warp: Vec<BasisStep>,
    cga: CgaLayout,
}

impl BasisSteps {
    /// Returns the bases of `layout`. Returns `None` if a basis is neither zero nor a power of two along one dim,
    /// or the CTAs do not split the tensor into contiguous parts.
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

    /// Returns a copy of these bases in which the zero bases of lanes and warps are replaced by steps of 1, 2, 4,
    /// ... along output dim `dim`.
    fn unfold_along(&self, dim: usize) -> Self {
        let mut next = 0;
        let mut unfold = |list: &[BasisStep]| -> Vec<BasisStep> {
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
