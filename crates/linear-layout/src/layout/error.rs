//! Errors of layouts, with the dim or basis at fault.

use core::fmt;
use thiserror::Error;

use super::Dim;

/// The role of a dimension in a layout: input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// An input dimension: `register`, `lane`, `offset`, ...
    In,
    /// An output dimension: `dim0`, `dim1`, ...
    Out,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::In => "in-dim",
            Self::Out => "out-dim",
        })
    }
}

/// An error in the construction of a layout or in an operation on a layout.
///
/// The message states the value that was found and the value that was expected. [`dim`](Self::dim) and
/// [`basis`](Self::basis) return the dim or basis that caused the error.
///
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let e = LinearLayout::identity_1d(12, Dim::LANE, Dim::out(0)).unwrap_err();
/// assert_eq!(e.to_string(), "size 12 of in-dim `lane` is not a power of two");
/// assert_eq!(e.dim(), Some(Dim::LANE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct LayoutError {
    kind: LayoutErrorKind,
}

macro_rules! kinds {
    ($($(#[$text:meta])* $name:ident => $kind:ident { $($field:ident: $ty:ty),* };)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
        enum LayoutErrorKind {
            $($(#[$text])* $kind { $($field: $ty),* },)*
        }

        impl LayoutError {
            $(
                #[cold]
                pub(super) const fn $name($($field: $ty),*) -> Self {
                    Self { kind: LayoutErrorKind::$kind { $($field),* } }
                }
            )*
        }
    };
}

kinds! {
    #[error("size {size} of {role} `{dim}` is not a power of two")]
    size_not_power_of_two => SizeNotPowerOfTwo { role: Role, dim: Dim, size: u64 };
    #[error("the layout has too many {role}s; expected at most {max}")]
    too_many_dims => TooManyDims { role: Role, max: usize };
    #[error("with {role} `{dim}`, the {role}s have {bits} bits in total; expected at most 64")]
    too_many_bits => TooManyBits { role: Role, dim: Dim, bits: usize };
    #[error("{role} `{dim}` has {bits} bits; expected at most 63")]
    dim_too_large => DimTooLarge { role: Role, dim: Dim, bits: usize };
    #[error("{role} `{dim}` is named twice")]
    duplicate_dim => DuplicateDim { role: Role, dim: Dim };
    #[error("basis {bit} of in-dim `{dim}` has {found} components; expected {expected}, one for \
             each out-dim")]
    basis_length => BasisLength { dim: Dim, bit: usize, found: usize, expected: usize };
    #[error("basis {bit} of in-dim `{dim}` maps to `{out}` = {value}; expected less than {size}, \
             the size of `{out}`")]
    basis_too_large => BasisTooLarge { dim: Dim, bit: usize, out: Dim, value: u64, size: u64 };
    #[error("layout is not surjective: no input reaches {missed} = {value}; the rank is {rank}, but the \
             out-dims have {bits} bits")]
    not_surjective => NotSurjective { rank: usize, bits: usize, missed: Dim, value: u64 };
    #[error("layout is not invertible: it has {in_bits} input bits, {out_bits} output bits and rank {rank}; \
             expected these to be equal")]
    not_invertible => NotInvertible { in_bits: usize, out_bits: usize, rank: usize };
    #[error("the layout has no {role} `{dim}`")]
    no_such_dim => NoSuchDim { role: Role, dim: Dim };
    #[error("{role} `{dim}` is missing; expected all {role}s of the layout")]
    dim_missing => DimMissing { role: Role, dim: Dim };
    #[error("{role} `{dim}` has size {found}; expected {expected}")]
    sizes_differ => SizesDiffer { role: Role, dim: Dim, found: u64, expected: u64 };
    #[error("found {role} `{found}`; expected {role} `{expected}`")]
    order_differs => OrderDiffers { role: Role, found: Dim, expected: Dim };
    #[error("`{dim}` has size {found}; expected at most {max}")]
    size_too_large => SizeTooLarge { dim: Dim, found: u64, max: u64 };
    #[error("the new {role}s have {found_bits} bits in total; expected {expected_bits}")]
    totals_differ => TotalsDiffer { role: Role, found_bits: usize, expected_bits: usize };
    #[error("found {found} columns; expected {expected}, one for each input bit")]
    column_count => ColumnCount { found: usize, expected: usize };
    #[error("column {column} does not fit into the {out_bits} output bits")]
    column_too_large => ColumnTooLarge { column: u64, out_bits: usize };
    #[error("basis {bit} of in-dim `{dim}` is outside the image of the layout to be inverted")]
    not_in_image => NotInImage { dim: Dim, bit: usize };
    #[error("{role} `{dim}` has size {size}; expected 1")]
    not_size_one => NotSizeOne { role: Role, dim: Dim, size: u64 };
    #[error("`{dim}` = {value} is out of range; expected less than {size}")]
    point_too_large => PointTooLarge { dim: Dim, value: u64, size: u64 };
    #[error("layout is not divisible by the tile: {role} `{dim}` has {bits} bits in the layout, but \
             {tile_bits} bits in the tile")]
    tile_larger => TileLarger { role: Role, dim: Dim, tile_bits: usize, bits: usize };
    #[error("layout is not divisible by the tile: basis {bit} of in-dim `{dim}` differs from the basis of the \
             tile, or overlaps the tile")]
    tile_basis => TileBasis { dim: Dim, bit: usize };
    #[error("cannot resize out-dim `{dim}` from {size} to {to}; expected at most {size}")]
    not_resizable => NotResizable { dim: Dim, size: u64, to: u64 };
    #[error("the action on `{dim}` names basis {index}; expected a basis index less than {size}")]
    action_index => ActionIndex { dim: Dim, index: usize, size: usize };
    #[error("the action on `{dim}` names basis {index} twice")]
    action_repeats => ActionRepeats { dim: Dim, index: usize };
    #[error("the action on `{dim}` expects {expected} bases; found {found}")]
    action_size => ActionSize { dim: Dim, found: usize, expected: usize };
    #[error("found {found} values along `{dim}`; expected {expected}")]
    value_count => ValueCount { dim: Dim, found: usize, expected: usize };
    #[error("the order names {found} dims; expected {expected}")]
    order_length => OrderLength { found: usize, expected: usize };
    #[error("dim {index} does not exist; expected less than {rank}, the rank")]
    dim_index => DimIndex { index: usize, rank: usize };
    #[error("the layout has {found} out-dims; expected {expected}")]
    out_dim_count => OutDimCount { found: usize, expected: usize };
    #[error("a dim name of {bytes} bytes is too long; expected at most {max}")]
    name_too_long => NameTooLong { bytes: usize, max: usize };
    #[error("more than {max} different dim names are in use")]
    too_many_names => TooManyNames { max: usize };
    #[error("expected {expected} at byte {at} of the layout text")]
    parse => Parse { at: usize, expected: &'static str };
    #[error("the slice starts at `{dim}` = {start}; expected a multiple of {size}, the size of the slice")]
    misaligned => Misaligned { dim: Dim, start: u64, size: u64 };
    #[error("the offset is outside the image of the layout to be inverted")]
    offset_not_in_image => OffsetNotInImage {};
    #[error("the layout has no {role}; expected at least one")]
    at_least_one_dim => AtLeastOneDim { role: Role };
}

impl fmt::Debug for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LayoutError({self})")
    }
}

impl LayoutError {
    /// Returns the dim that caused the error, or `None` if no single dim did.
    #[must_use]
    pub fn dim(&self) -> Option<Dim> {
        match self.kind {
            LayoutErrorKind::SizeNotPowerOfTwo { dim, .. }
            | LayoutErrorKind::TooManyBits { dim, .. }
            | LayoutErrorKind::DimTooLarge { dim, .. }
            | LayoutErrorKind::DuplicateDim { dim, .. }
            | LayoutErrorKind::BasisLength { dim, .. }
            | LayoutErrorKind::NoSuchDim { dim, .. }
            | LayoutErrorKind::DimMissing { dim, .. }
            | LayoutErrorKind::SizesDiffer { dim, .. }
            | LayoutErrorKind::SizeTooLarge { dim, .. }
            | LayoutErrorKind::NotInImage { dim, .. }
            | LayoutErrorKind::NotSizeOne { dim, .. }
            | LayoutErrorKind::PointTooLarge { dim, .. }
            | LayoutErrorKind::TileLarger { dim, .. }
            | LayoutErrorKind::TileBasis { dim, .. }
            | LayoutErrorKind::NotResizable { dim, .. }
            | LayoutErrorKind::ActionIndex { dim, .. }
            | LayoutErrorKind::ActionRepeats { dim, .. }
            | LayoutErrorKind::ActionSize { dim, .. }
            | LayoutErrorKind::Misaligned { dim, .. }
            | LayoutErrorKind::ValueCount { dim, .. } => Some(dim),
            LayoutErrorKind::BasisTooLarge { out, .. } => Some(out),
            LayoutErrorKind::OrderDiffers { found, .. } => Some(found),
            LayoutErrorKind::NotSurjective { missed, .. } => Some(missed),
            _ => None,
        }
    }

    /// Returns the basis that caused the error as `(in-dim, bit)`, or `None` if no single basis did.
    #[must_use]
    pub fn basis(&self) -> Option<(Dim, usize)> {
        match self.kind {
            LayoutErrorKind::BasisLength { dim, bit, .. }
            | LayoutErrorKind::BasisTooLarge { dim, bit, .. }
            | LayoutErrorKind::NotInImage { dim, bit }
            | LayoutErrorKind::TileBasis { dim, bit } => Some((dim, bit)),
            _ => None,
        }
    }

    /// Returns true if the error says that a layout is not surjective although surjectivity is required.
    #[must_use]
    pub fn is_not_surjective(&self) -> bool {
        matches!(self.kind, LayoutErrorKind::NotSurjective { .. })
    }

    /// Returns true if the error says that a tile does not divide a layout.
    #[must_use]
    pub fn is_not_divisible(&self) -> bool {
        matches!(
            self.kind,
            LayoutErrorKind::TileLarger { .. } | LayoutErrorKind::TileBasis { .. }
        )
    }

    /// Returns true if the error says that a limit of this crate is exceeded.
    ///
    /// The limits are 64 input bits, 64 output bits, 63 bits in one dim, [`MAX_DIMS`](super::MAX_DIMS) in-dims and
    /// as many out-dims, and limits on the number and the length of dim names.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(
            self.kind,
            LayoutErrorKind::TooManyDims { .. }
                | LayoutErrorKind::TooManyBits { .. }
                | LayoutErrorKind::DimTooLarge { .. }
                | LayoutErrorKind::NameTooLong { .. }
                | LayoutErrorKind::TooManyNames { .. }
        )
    }

    /// Returns the byte offset at which the syntax error occurred in a layout text, or `None` for any other error.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match self.kind {
            LayoutErrorKind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LayoutError;

    // Provoking this error would use up the names of the other tests: interned names are never freed.
    #[test]
    fn names_run_out() {
        let e = LayoutError::too_many_names(32_760);
        let text = "more than 32760 different dim names are in use";
        assert_eq!(e.to_string(), text);
        assert!(e.is_too_large());
    }
}
