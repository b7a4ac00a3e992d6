//! `#ttg.padded_shared`: a shared-memory layout with padding.

use crate::number::narrow;
use core::fmt;
use std::sync::Arc;

use super::cga::{check_rank, permutation, same_rank};
use super::error::{EncodingErrorKind, RuleLabel};
use super::linear::{
    cga_of, check_dims, exact, fmt_bases, layout_from_bases, numbers, order_of, single_step,
    surjective,
};
use super::text::{Parser, RawBases, require, unknown_key};
use super::tiling::{OFFSET, SHARED, Tiling, shape_log2};
use super::{CgaLayout, Encoding, EncodingError, Ints, List, MAX_RANK};
use crate::f2::Echelon;
use crate::layout::{Dim, LinearLayout};

const FAMILY: &str = "padded_shared";
const KEYS: &str = "`offset` and `block`, or `order` and `shape`";
/// Maximum number of `(interval, padding)` pairs: one for each power of two in 32 bits.
const MAX_PAIRS: usize = 32;

/// A shared-memory layout in which padding follows every interval of elements. It has a list of
/// `(interval, padding)` pairs.
///
/// For example, the pair (4, 2), which is written as `[4:+2]`, puts two unused elements after every four elements.
/// Element 4 then has offset 6, and element 8 has offset 12:
/// ```text
/// 0 1 2 3 . . 4 5 6 7 . . 8 9 ...
/// ```
/// The linear component maps positions to elements. The offset of position `i` is the sum of `i` and, for each
/// pair, `(i / interval) * padding`.
/// # Shape
/// The linear component maps (offset, block) -> (dim0, dim1, ...), and determines the shape of the tensor.
/// # Units
/// Intervals and paddings count elements.
/// # Source
/// Triton's `PaddedSharedEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaddedSharedEncoding {
    pairs: Arc<[(u32, u32)]>,
    linear: Arc<LinearLayout>,
}

impl PaddedSharedEncoding {
    /// Returns the encoding that maps positions to elements by `linear`, and adds `padding` unused elements after
    /// every `interval` positions, for each `(interval, padding)` pair.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - There is no pair.
    /// - An interval or a padding is not a power of two.
    /// - Two pairs have the same interval.
    /// - `linear` does not map (offset, block) -> (dim0, dim1, ...).
    /// - A basis of `linear` is neither zero nor a power of two along one dim.
    /// - The offset bases of `linear` are not linearly independent.
    /// - `linear` is not surjective.
    pub fn new(pairs: &[(u32, u32)], linear: LinearLayout) -> Result<Self, EncodingError> {
        if pairs.is_empty() {
            return Err(EncodingError::new(EncodingErrorKind::NoPairs).of_rule("padded_shared_c1"));
        }
        for (i, (interval, padding)) in pairs.iter().enumerate() {
            for (what, value) in [("interval", *interval), ("padding", *padding)] {
                if !value.is_power_of_two() {
                    let (index, value) = (Some(i), u64::from(value));
                    return Err(EncodingError::new(EncodingErrorKind::NotPowerOfTwo {
                        what,
                        index,
                        value,
                    })
                    .of_rule("padded_shared_c2"));
                }
            }
            if pairs[..i].iter().any(|(other, _)| other == interval) {
                let (what, value) = ("interval", u64::from(*interval));
                return Err(
                    EncodingError::new(EncodingErrorKind::Duplicate { what, value })
                        .of_rule("padded_shared_c3"),
                );
            }
        }
        check_dims(FAMILY, &linear, &SHARED, "offset, block -> dim0, dim1, ...")
            .of_rule("padded_shared_c4")?;
        let mut span = Echelon::new();
        for (index, column) in linear.columns_of(Dim::OFFSET).iter().enumerate() {
            if span.insert(index, *column).is_some() {
                return Err(EncodingError::new(EncodingErrorKind::NotInjective {
                    what: "offset",
                    basis: numbers(linear.basis(Dim::OFFSET, index)),
                    advice: "drop the basis",
                })
                .of_rule("padded_shared_c6"));
            }
        }
        for dim in SHARED {
            for index in 0..linear.in_bits(dim) {
                let coords = linear.basis(dim, index);
                if single_step(coords).is_err() {
                    let (what, basis) = (dim.name(), numbers(coords));
                    return Err(EncodingError::new(EncodingErrorKind::NotSinglePower {
                        what,
                        basis,
                    })
                    .of_rule("padded_shared_c7"));
                }
            }
        }
        surjective(FAMILY, &linear).of_rule("padded_shared_c8")?;
        Ok(Self {
            pairs: pairs.into(),
            linear: Arc::new(linear),
        })
    }

    /// Returns the encoding that stores a tensor of this shape in the order `order`, which lists the dims, the
    /// fastest dim first. The buffer has no gaps except for the padding.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`PaddedSharedEncoding::new`], and if `order` is not a permutation of
    /// the dims of `shape`, or a size is not a power of two.
    pub fn with_order(
        pairs: &[(u32, u32)],
        order: &[u32],
        shape: &[u64],
        cga: &CgaLayout,
    ) -> Result<Self, EncodingError> {
        check_rank("order", order.len())?;
        same_rank("shape", shape, "order", order).of_rule("padded_shared_c9")?;
        permutation("order", order).of_rule("padded_shared_c9")?;
        let mut tiling = Tiling::new(FAMILY, &SHARED, shape, cga)?;
        tiling.fill(OFFSET, order.iter().map(|d| *d as usize));
        tiling.lay_ctas(1, cga);
        Self::new(pairs, tiling.into_layout()?)
    }

    /// Returns the `(interval, padding)` pairs.
    #[must_use]
    pub fn interval_paddings(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Returns the linear component of the encoding, which maps positions to elements. A position is an offset
    /// without the padding before it.
    #[must_use]
    pub fn linear_component(&self) -> &LinearLayout {
        &self.linear
    }

    /// Returns the offset of the element at position `position`, which is the position plus the size of all padding
    /// before it.
    ///
    /// ```
    /// # use linear_layout::encoding::{CgaLayout, PaddedSharedEncoding};
    /// let padded = PaddedSharedEncoding::with_order(&[(4, 2)], &[0], &[16], &CgaLayout::single(1)?)?;
    /// assert_eq!([0, 3, 4, 8].map(|i| padded.padded_offset(i)), [0, 3, 6, 12]);
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    #[must_use]
    pub fn padded_offset(&self, position: u64) -> u64 {
        self.pairs
            .iter()
            .fold(position, |offset, (interval, padding)| {
                let gaps = position >> interval.trailing_zeros();
                offset.saturating_add(gaps.saturating_mul(u64::from(*padding)))
            })
    }

    pub(crate) fn rank(&self) -> usize {
        self.linear.num_out_dims()
    }

    pub(crate) fn order(&self) -> Ints {
        order_of(&self.linear, Dim::OFFSET)
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        cga_of(&self.linear)
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        exact(FAMILY, "padded_shared_c10", &self.linear, shape)
    }

    /// Returns the layout of one part of a partitioned tensor. `piece` is the shape of the part. If `piece` is
    /// smaller than the shape of the linear component, offset bits that step outside the part are omitted, as in
    /// Triton.
    pub(crate) fn piece_tiling(&self, piece: &[u64]) -> Result<Tiling, EncodingError> {
        let fits = piece.len() == self.rank()
            && self
                .linear
                .out_shape()
                .zip(piece)
                .all(|((_, most), size)| *size <= most);
        if !fits || self.linear.in_bits(Dim::BLOCK) != 0 {
            return self.tiling(piece);
        }
        let bits = shape_log2(FAMILY, self.rank(), piece)?;
        let mut tiling = Tiling::bare(&SHARED, self.rank());
        tiling.set_bits(&bits[..self.rank()]);
        for index in 0..self.linear.in_bits(Dim::OFFSET) {
            let basis = self.linear.basis(Dim::OFFSET, index);
            let step = basis.iter().enumerate().find(|(_, value)| *value != 0);
            if let Some((dim, value)) = step.filter(|(dim, value)| *value < piece[*dim]) {
                tiling.push_bit(OFFSET, dim, narrow(value.trailing_zeros()));
            }
        }
        Ok(tiling)
    }

    /// Returns the order and the shape if the short text form `order = ..., shape = ...` describes this encoding.
    /// Returns `None` if the text must list the bases instead.
    fn short_form(&self) -> Option<(Ints, List<u64, MAX_RANK>)> {
        if self.linear.in_bits(Dim::BLOCK) != 0 {
            return None;
        }
        let order = self.order();
        let shape = List::collect(self.linear.out_shape().map(|(_, size)| size));
        let cga = CgaLayout::single(self.rank()).ok()?;
        let plain = Self::with_order(&self.pairs, &order, &shape, &cga).ok()?;
        (plain.linear == self.linear).then_some((order, shape))
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        p.expect(b'<', "`<`")?;
        let pairs: List<_, MAX_PAIRS> = p.interval_pads()?;
        let (mut offset, mut block): (Option<RawBases>, Option<RawBases>) = (None, None);
        let (mut order, mut shape): (Option<Ints>, Option<Ints>) = (None, None);
        p.fields(b'{', b'}', |p, key| {
            match key {
                "offset" => offset = Some(p.bases()?),
                "block" => block = Some(p.bases()?),
                "order" => order = Some(p.numbers()?),
                "shape" => shape = Some(p.numbers()?),
                _ => return unknown_key(FAMILY, key, KEYS).of_rule("padded_shared_c4"),
            }
            Ok(())
        })?;
        p.expect(b'>', "`>`")?;
        if offset.is_some() || block.is_some() {
            if order.is_some() || shape.is_some() {
                let key = if order.is_some() { "order" } else { "shape" };
                return unknown_key(FAMILY, key, KEYS).of_rule("padded_shared_c4");
            }
            let bases = [
                require(offset, FAMILY, "offset").of_rule("padded_shared_c4")?,
                require(block, FAMILY, "block").of_rule("padded_shared_c4")?,
            ];
            let linear =
                layout_from_bases(FAMILY, &SHARED, &bases, 0).of_rules(|kind| match kind {
                    EncodingErrorKind::BasisLength { .. } => Some("padded_shared_c5"),
                    EncodingErrorKind::NotSurjective { .. } => Some("padded_shared_c8"),
                    _ => None,
                })?;
            return Ok(Self::new(&pairs, linear)?.into());
        }
        let order = require(order, FAMILY, "order").of_rule("padded_shared_c4")?;
        let shape = require(shape, FAMILY, "shape").of_rule("padded_shared_c4")?;
        let shape: List<u64, MAX_RANK> = List::collect(shape.iter().map(|s| u64::from(*s)));
        check_rank("order", order.len())?;
        let cga = CgaLayout::single(order.len())?;
        Ok(Self::with_order(&pairs, &order, &shape, &cga)?.into())
    }
}

impl fmt::Display for PaddedSharedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#ttg.padded_shared<[")?;
        for (i, (interval, padding)) in self.pairs.iter().enumerate() {
            write!(f, "{}{interval}:+{padding}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str("] {")?;
        match self.short_form() {
            Some((order, shape)) => write!(f, "order = {order}, shape = {shape}")?,
            None => fmt_bases(f, &self.linear, |_| false)?,
        }
        f.write_str("}>")
    }
}
