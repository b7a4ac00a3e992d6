//! The split of a tensor over the CTAs of a cluster.

use crate::number::narrow;
use core::fmt;

use super::error::{EncodingErrorKind, RuleLabel};
use super::{EncodingError, Ints, List, MAX_RANK};

/// log2 of the maximum number of CTAs in a cluster.
const MAX_CTA_BITS: usize = 16;

/// The basis of one bit of the CTA number, in units of parts. A part is the piece of the tensor that one CTA holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct CtaBit {
    /// The step of this bit as (dim, log2 of the length), where the length counts parts. `None` if CTAs that differ
    /// in this bit hold copies of the same part.
    pub(crate) step: Option<(u8, u8)>,
}

/// The split of a tensor over the CTAs of a cluster (a CGA), written `CGALayout = [[1, 0]]` in IR.
///
/// The tensor is split into equal parts, and the bits of the CTA number with nonzero bases select the part that the
/// CTA holds. CTAs that differ only in a bit with a zero basis hold copies of the same part. For example, `[[1, 0],
/// [0, 0]]` describes four CTAs: CTA 0 holds the first half of the rows, CTA 1 holds the second half, CTA 2 holds a
/// copy of the first half, and CTA 3 holds a copy of the second half.
/// # Shape
/// (block 2^n) -> (dim0, dim1, ...), in units of the part of a tensor that one CTA holds.
/// # Source
/// Triton's `CGAEncodingAttr`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CgaLayout {
    rank: u8,
    bits: List<CtaBit, MAX_CTA_BITS>,
}

impl CgaLayout {
    /// Returns the layout of a cluster with one CTA, the default for an encoding without `CGALayout`.
    ///
    /// # Errors
    /// Returns an error if the rank is 0 or above [`MAX_RANK`](super::MAX_RANK).
    pub fn single(rank: usize) -> Result<Self, EncodingError> {
        check_rank("CGALayout", rank)?;
        Ok(Self {
            rank: narrow(rank),
            bits: List::new(),
        })
    }

    /// Returns the `CGALayout` in which bit `i` of the CTA number has the basis `bases[i]`.
    ///
    /// # Errors
    /// Returns an error if the rank is not 1 to 16, there are more than 16 bases, a basis does not have one component
    /// for each dim, or a basis has two nonzero components or a component that is not a power of two. The steps along
    /// each dim must be 1, 2, 4, ..., each exactly once.
    pub fn from_bases<B: AsRef<[u32]>>(rank: usize, bases: &[B]) -> Result<Self, EncodingError> {
        let what = "CGALayout";
        check_rank(what, rank)?;
        if bases.len() > MAX_CTA_BITS {
            return Err(EncodingError::new(EncodingErrorKind::TooManyBases {
                what,
                found: bases.len(),
                limit: MAX_CTA_BITS,
            })
            .of_rule("cga_layout_c5"));
        }
        let mut bits = List::new();
        let mut seen = [0u64; MAX_RANK];
        for basis in bases {
            let basis = basis.as_ref();
            let numbers = Ints::collect(basis.iter().copied().take(MAX_RANK));
            if basis.len() != rank {
                return Err(EncodingError::new(EncodingErrorKind::BasisLength {
                    what,
                    basis: numbers,
                    expected: rank,
                })
                .of_rule("cga_layout_c1"));
            }
            let mut step = None;
            for (dim, value) in basis.iter().enumerate().filter(|(_, v)| **v != 0) {
                if step.is_some() || !value.is_power_of_two() {
                    return Err(EncodingError::new(EncodingErrorKind::NotSinglePower {
                        what,
                        basis: numbers,
                    })
                    .of_rule("cga_layout_c2"));
                }
                let bit = value.trailing_zeros();
                if seen[dim] >> bit & 1 != 0 {
                    return Err(EncodingError::new(EncodingErrorKind::NotInjective {
                        what,
                        basis: numbers,
                        advice: "write zeros for CTAs that hold copies, or drop the basis",
                    })
                    .of_rule("cga_layout_c3"));
                }
                seen[dim] |= 1 << bit;
                step = Some((narrow(dim), narrow(bit)));
            }
            bits.push(CtaBit { step })?;
        }
        for (dim, seen) in seen.iter().enumerate() {
            if seen & (seen + 1) != 0 {
                let mut missed = Ints::filled(0, rank);
                missed[dim] = 1 << seen.trailing_ones();
                return Err(
                    EncodingError::new(EncodingErrorKind::NotSurjective { what, missed })
                        .of_rule("cga_layout_c4"),
                );
            }
        }
        Ok(Self {
            rank: narrow(rank),
            bits,
        })
    }

    /// Converts the legacy parameters `CTAsPerCGA`, `CTASplitNum` and `CTAOrder`. Along dim `d`, the tensor is
    /// split into `split[d]` parts, and `ctas[d] / split[d]` CTAs hold copies of each part. `order` lists the dims,
    /// the fastest dim first.
    ///
    /// Returns an error if the lists differ in length, `order` is not a permutation, a number is not a power of
    /// two, or `split[d]` is greater than `ctas[d]`.
    pub(crate) fn from_split(
        ctas: &[u32],
        split: &[u32],
        order: &[u32],
    ) -> Result<Self, EncodingError> {
        let rank = check_rank("CTAOrder", order.len())?;
        same_rank("CTAsPerCGA", ctas, "CTAOrder", order)?;
        same_rank("CTASplitNum", split, "CTAOrder", order)?;
        powers_of_two("CTAsPerCGA", ctas)?;
        powers_of_two("CTASplitNum", split)?;
        permutation("CTAOrder", order)?;
        let mut bits = List::new();
        for dim in order.iter().map(|d| *d as usize) {
            if split[dim] > ctas[dim] {
                return Err(EncodingError::bad_value(
                    "CTASplitNum",
                    split[dim],
                    format!("at most {}, the number of CTAs along dim{dim}", ctas[dim]),
                ));
            }
            for bit in 0..split[dim].trailing_zeros() {
                bits.push(CtaBit {
                    step: Some((narrow(dim), narrow(bit))),
                })?;
            }
            for _ in split[dim].trailing_zeros()..ctas[dim].trailing_zeros() {
                bits.push(CtaBit { step: None })?;
            }
        }
        Ok(Self {
            rank: narrow(rank),
            bits,
        })
    }

    /// Returns the number of tensor dims.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank as usize
    }

    /// Returns the number of CTAs in the cluster.
    #[must_use]
    pub fn num_ctas(&self) -> u32 {
        1 << self.bits.len()
    }

    pub(crate) fn is_single(&self) -> bool {
        self.bits.is_empty()
    }

    pub(crate) fn bits(&self) -> &[CtaBit] {
        &self.bits
    }

    pub(crate) fn split_log2(&self) -> [u8; MAX_RANK] {
        let mut log2 = [0u8; MAX_RANK];
        for (dim, _) in self.bits.iter().filter_map(|b| b.step) {
            log2[dim as usize] += 1;
        }
        log2
    }

    /// Returns the number of parts along each dim.
    #[must_use]
    pub fn split_num(&self) -> Ints {
        Ints::collect(self.split_log2()[..self.rank()].iter().map(|b| 1 << b))
    }

    /// Returns the number of CTAs along each dim, including CTAs that hold copies. Each bit of the CTA number
    /// doubles the number along one dim. For a bit with a nonzero basis, this is the dim of the basis. For a bit
    /// with a zero basis, it is the dim of the preceding nonzero basis, or dim0 if there is none.
    pub(crate) fn ctas_per_cga(&self) -> Ints {
        let mut ctas = Ints::filled(1, self.rank());
        let mut dim = 0;
        for bit in self.bits.iter() {
            dim = bit.step.map_or(dim, |(d, _)| d as usize);
            ctas[dim] *= 2;
        }
        ctas
    }

    /// Returns the shape of the part of a tensor that one CTA holds: `shape / min(shape, parts)` along each dim. If
    /// the tensor has more or fewer dims than the layout, their last dims correspond to each other.
    #[must_use]
    pub fn shape_per_cta(&self, shape: &[u64]) -> List<u64, MAX_RANK> {
        let split = self.split_num();
        // If the ranks differ, the last dims correspond to each other, as for pipelined buffers.
        let skip = shape.len().saturating_sub(split.len());
        let cut = split.len().saturating_sub(shape.len());
        List::collect(
            shape
                .iter()
                .enumerate()
                .map(|(i, size)| match i.checked_sub(skip) {
                    Some(j) => size / u64::from(split[j + cut]).min((*size).max(1)),
                    None => *size,
                }),
        )
    }

    /// Returns the basis of each bit of the CTA number.
    pub fn bases(&self) -> impl Iterator<Item = Ints> + '_ {
        self.bits.iter().map(|bit| {
            let mut basis = Ints::filled(0, self.rank());
            if let Some((dim, bit)) = bit.step {
                basis[dim as usize] = 1 << bit;
            }
            basis
        })
    }

    /// Returns the layout with permuted dims: dim `i` of the result is dim `order[i]` of `self`.
    pub(crate) fn permute(&self, order: &[usize]) -> Self {
        self.map_dims(order.len(), |dim| order.iter().position(|o| *o == dim))
    }

    /// Returns the layout without the dim `gone`. CTAs that differ only along `gone` then hold copies.
    pub(crate) fn without_dim(&self, gone: usize) -> Self {
        self.map_dims(self.rank().saturating_sub(1), |dim| match dim {
            _ if dim == gone => None,
            _ => Some(dim - usize::from(dim > gone)),
        })
    }

    /// Returns the layout without a split along `dim`. CTAs that differ only along `dim` then hold copies.
    pub(crate) fn broadcast_along(&self, dim: usize) -> Self {
        self.map_dims(self.rank(), |d| (d != dim).then_some(d))
    }

    /// Returns the layout with additional dims at the end, along which the tensor is not split.
    pub(crate) fn with_rank(&self, rank: usize) -> Self {
        Self {
            rank: narrow(rank),
            bits: self.bits,
        }
    }

    fn map_dims(&self, rank: usize, to: impl Fn(usize) -> Option<usize>) -> Self {
        let bits = List::collect(self.bits.iter().map(|bit| {
            CtaBit {
                step: bit
                    .step
                    .and_then(|(d, b)| to(d as usize).map(|d| (narrow(d), b))),
            }
        }));
        Self {
            rank: narrow(rank),
            bits,
        }
    }
}

impl fmt::Debug for CgaLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints the bases, e.g. `[[1, 0], [0, 0]]`.
impl fmt::Display for CgaLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, basis) in self.bases().enumerate() {
            write!(f, "{}{basis}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str("]")
    }
}

/// Prints `, CGALayout = [..]`, or nothing for one CTA.
pub(crate) fn fmt_cga(f: &mut fmt::Formatter<'_>, cga: &CgaLayout) -> fmt::Result {
    if cga.is_single() {
        Ok(())
    } else {
        write!(f, ", CGALayout = {cga}")
    }
}

/// Returns the dims in `seen`, followed by those in `rest`. If a dim occurs several times, only its first
/// occurrence is kept.
pub(crate) fn first_seen(
    seen: impl IntoIterator<Item = u32>,
    rest: impl IntoIterator<Item = u32>,
) -> Ints {
    let mut order = Ints::new();
    for dim in seen.into_iter().chain(rest) {
        if !order.contains(&dim) && order.push(dim).is_err() {
            break;
        }
    }
    order
}

pub(crate) fn check_rank(what: &'static str, rank: usize) -> Result<usize, EncodingError> {
    if (1..=MAX_RANK).contains(&rank) {
        Ok(rank)
    } else {
        const { assert!(MAX_RANK == 16) };
        Err(EncodingError::new(EncodingErrorKind::RankUnsupported {
            what,
            found: rank,
            expected: "1 to 16",
        })
        .of_rule("encoding_c1"))
    }
}

pub(crate) fn explicit_rank(rank: Option<u32>) -> Result<Option<usize>, EncodingError> {
    match rank {
        Some(rank) if !(1..=MAX_RANK).contains(&(rank as usize)) => {
            Err(EncodingError::bad_value("rank", rank, "1 to 16").of_rule("encoding_c1"))
        }
        rank => Ok(rank.map(|r| r as usize)),
    }
}

pub(crate) fn same_rank<T, U>(
    what: &'static str,
    list: &[T],
    than: &'static str,
    other: &[U],
) -> Result<(), EncodingError> {
    if list.len() == other.len() {
        return Ok(());
    }
    let (found, expected) = (list.len(), other.len());
    Err(EncodingError::new(EncodingErrorKind::RankMismatch {
        what,
        found,
        than,
        expected,
    }))
}

pub(crate) fn powers_of_two(what: &'static str, list: &[u32]) -> Result<(), EncodingError> {
    match list.iter().position(|v| !v.is_power_of_two()) {
        None => Ok(()),
        Some(i) => Err(EncodingError::new(EncodingErrorKind::NotPowerOfTwo {
            what,
            index: Some(i),
            value: u64::from(list[i]),
        })),
    }
}

pub(crate) fn permutation(what: &'static str, order: &[u32]) -> Result<(), EncodingError> {
    let mut seen = 0u64;
    for dim in order {
        if *dim as usize >= order.len() || seen >> dim & 1 != 0 {
            let order = Ints::collect(order.iter().copied());
            return Err(EncodingError::new(EncodingErrorKind::NotPermutation {
                what,
                order,
            }));
        }
        seen |= 1 << dim;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_of_fewer_pieces_than_ctas_makes_copies() {
        let cga = CgaLayout::from_split(&[2, 2], &[2, 1], &[0, 1]).unwrap();
        assert_eq!(cga.to_string(), "[[1, 0], [0, 0]]");
    }

    #[test]
    fn copies_count_for_the_dim_before_them() {
        let cga = CgaLayout::from_bases(2, &[[0, 1], [0, 0], [1, 0]]).unwrap();
        assert_eq!(&*cga.ctas_per_cga(), &[2, 4]);
        assert_eq!(&*cga.split_num(), &[2, 2]);
        assert_eq!(&*cga.shape_per_cta(&[1, 64]), &[1, 32]);
        assert_eq!(&*cga.shape_per_cta(&[3, 8, 64]), &[3, 4, 32]);
    }

    #[test]
    fn a_gap_or_a_repeated_basis_is_named() {
        let gap = CgaLayout::from_bases(2, &[[2, 0]]).unwrap_err();
        assert_eq!(
            gap.to_string(),
            "the bases of `CGALayout` do not reach element [1, 0]; add the basis [1, 0], or \
             replace a larger basis by it"
        );
        let twice = CgaLayout::from_bases(2, &[[1, 0], [1, 0]]).unwrap_err();
        assert_eq!(
            twice.to_string(),
            "basis [1, 0] of `CGALayout` depends linearly on earlier bases, expected a linearly independent \
             basis; write zeros for CTAs that hold copies, or drop the basis"
        );
    }
}
