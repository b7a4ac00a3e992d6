//! What can be wrong with a layout, with the dim or basis that is at fault.

use core::fmt;

use super::Dim;

/// Which side of a layout a dimension is on.
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

/// Why a layout cannot be made or an operation on it has no answer.
///
/// The kind is private; the text says what was found and what was expected, and the getters say
/// which dim ([`dim`](Self::dim)) or basis ([`basis`](Self::basis)) is at fault.
///
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let e = LinearLayout::identity_1d(12, Dim::LANE, Dim::out(0)).unwrap_err();
/// assert_eq!(e.to_string(), "size 12 of in-dim `lane` is not a power of two");
/// assert_eq!(e.dim(), Some(Dim::LANE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LayoutError {
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    SizeNotPowerOfTwo {
        role: Role,
        dim: Dim,
        size: u64,
    },
    TooManyDims {
        role: Role,
        max: usize,
    },
    TooManyBits {
        role: Role,
        dim: Dim,
        bits: usize,
    },
    DimTooLarge {
        role: Role,
        dim: Dim,
        bits: usize,
    },
    DuplicateDim {
        role: Role,
        dim: Dim,
    },
    BasisLength {
        dim: Dim,
        bit: usize,
        found: usize,
        expected: usize,
    },
    BasisTooLarge {
        dim: Dim,
        bit: usize,
        out: Dim,
        value: u64,
        size: u64,
    },
    NotSurjective {
        rank: usize,
        bits: usize,
        missed: Dim,
        value: u64,
    },
    NotInvertible {
        in_bits: usize,
        out_bits: usize,
        rank: usize,
    },
    NoSuchDim {
        role: Role,
        dim: Dim,
    },
    DimMissing {
        role: Role,
        dim: Dim,
    },
    SizesDiffer {
        role: Role,
        dim: Dim,
        found: u64,
        expected: u64,
    },
    OrderDiffers {
        role: Role,
        found: Dim,
        expected: Dim,
    },
    SizeTooLarge {
        dim: Dim,
        found: u64,
        max: u64,
    },
    TotalsDiffer {
        role: Role,
        found_bits: usize,
        expected_bits: usize,
    },
    NotInImage {
        dim: Dim,
        bit: usize,
    },
    NotSizeOne {
        role: Role,
        dim: Dim,
        size: u64,
    },
    PointTooLarge {
        dim: Dim,
        value: u64,
        size: u64,
    },
    TileLarger {
        role: Role,
        dim: Dim,
        tile_bits: usize,
        bits: usize,
    },
    TileBasis {
        dim: Dim,
        bit: usize,
    },
    NotResizable {
        dim: Dim,
        size: u64,
        to: u64,
    },
    ActionIndex {
        dim: Dim,
        index: usize,
        size: usize,
    },
    ActionRepeats {
        dim: Dim,
        index: usize,
    },
    ActionSize {
        dim: Dim,
        found: usize,
        expected: usize,
    },
    ValueCount {
        dim: Dim,
        found: usize,
        expected: usize,
    },
    OrderLength {
        found: usize,
        expected: usize,
    },
    DimIndex {
        index: usize,
        rank: usize,
    },
    OutDimCount {
        found: usize,
        expected: usize,
    },
    NameTooLong {
        bytes: usize,
        max: usize,
    },
    TooManyNames {
        max: usize,
    },
    Parse {
        at: usize,
        expected: &'static str,
    },
    Misaligned {
        dim: Dim,
        start: u64,
        size: u64,
    },
    OffsetNotInImage,
    AtLeastOneDim {
        role: Role,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::SizeNotPowerOfTwo { role, dim, size } => {
                write!(f, "size {size} of {role} `{dim}` is not a power of two")
            }
            Kind::TooManyDims { role, max } => write!(f, "more than {max} {role}s"),
            Kind::TooManyBits { role, dim, bits } => {
                write!(
                    f,
                    "{role} `{dim}` brings the {role}s to {bits} bits; at most 64 are supported"
                )
            }
            Kind::DimTooLarge { role, dim, bits } => {
                write!(
                    f,
                    "{role} `{dim}` has {bits} bits; at most 63 are supported in one dim"
                )
            }
            Kind::DuplicateDim { role, dim } => write!(f, "{role} `{dim}` is named twice"),
            Kind::BasisLength {
                dim,
                bit,
                found,
                expected,
            } => write!(
                f,
                "basis {bit} of in-dim `{dim}` has {found} components; expected {expected}, one for each out-dim"
            ),
            Kind::BasisTooLarge {
                dim,
                bit,
                out,
                value,
                size,
            } => write!(
                f,
                "basis {bit} of in-dim `{dim}` has {value} in out-dim `{out}`; expected < {size}"
            ),
            Kind::NotSurjective {
                rank,
                bits,
                missed,
                value,
            } => write!(
                f,
                "layout is not surjective: its rank is {rank}, its out-dims have {bits} bits; \
                 no input reaches {missed} = {value}"
            ),
            Kind::NotInvertible {
                in_bits,
                out_bits,
                rank,
            } => write!(
                f,
                "layout is not invertible: {in_bits} in bits, {out_bits} out bits, rank {rank}; \
                 all three must be equal"
            ),
            Kind::NoSuchDim { role, dim } => write!(f, "there is no {role} `{dim}`"),
            Kind::DimMissing { role, dim } => write!(f, "{role} `{dim}` is not given"),
            Kind::SizesDiffer {
                role,
                dim,
                found,
                expected,
            } => {
                write!(f, "{role} `{dim}` has size {found}; expected {expected}")
            }
            Kind::OrderDiffers {
                role,
                found,
                expected,
            } => {
                write!(f, "{role} `{found}` stands where `{expected}` is expected")
            }
            Kind::SizeTooLarge { dim, found, max } => {
                write!(f, "`{dim}` has size {found}; expected at most {max}")
            }
            Kind::TotalsDiffer {
                role,
                found_bits,
                expected_bits,
            } => write!(
                f,
                "the new {role}s have {found_bits} bits together; expected {expected_bits}"
            ),
            Kind::NotInImage { dim, bit } => write!(
                f,
                "basis {bit} of in-dim `{dim}` is outside the image of the layout to be inverted"
            ),
            Kind::NotSizeOne { role, dim, size } => {
                write!(f, "{role} `{dim}` has size {size}; expected 1")
            }
            Kind::PointTooLarge { dim, value, size } => {
                write!(f, "`{dim}` = {value} is outside the dim; expected < {size}")
            }
            Kind::TileLarger {
                role,
                dim,
                tile_bits,
                bits,
            } => write!(
                f,
                "layout is not divisible: {role} `{dim}` has {bits} bits and the tile {tile_bits}"
            ),
            Kind::TileBasis { dim, bit } => write!(
                f,
                "layout is not divisible: basis {bit} of in-dim `{dim}` does not fit the tile"
            ),
            Kind::NotResizable { dim, size, to } => {
                write!(
                    f,
                    "out-dim `{dim}` of size {size} cannot grow to {to}; it can only shrink"
                )
            }
            Kind::ActionIndex { dim, index, size } => {
                write!(
                    f,
                    "the action on `{dim}` names basis {index}; expected < {size}"
                )
            }
            Kind::ActionRepeats { dim, index } => {
                write!(f, "the action on `{dim}` names basis {index} twice")
            }
            Kind::ActionSize {
                dim,
                found,
                expected,
            } => {
                write!(
                    f,
                    "the action on `{dim}` is for {expected} bases; found {found}"
                )
            }
            Kind::ValueCount {
                dim,
                found,
                expected,
            } => {
                write!(f, "found {found} values along `{dim}`; expected {expected}")
            }
            Kind::OrderLength { found, expected } => {
                write!(f, "the order names {found} dims; expected {expected}")
            }
            Kind::DimIndex { index, rank } => {
                write!(f, "there is no dim number {index}; expected < {rank}")
            }
            Kind::OutDimCount { found, expected } => {
                write!(f, "the layout has {found} out-dims; expected {expected}")
            }
            Kind::NameTooLong { bytes, max } => {
                write!(
                    f,
                    "a dim name of {bytes} bytes is too long; expected at most {max}"
                )
            }
            Kind::TooManyNames { max } => {
                write!(f, "more than {max} different dim names are in use")
            }
            Kind::Parse { at, expected } => {
                write!(f, "expected {expected} at byte {at} of the layout text")
            }
            Kind::Misaligned { dim, start, size } => {
                write!(
                    f,
                    "`{dim}` = {start} is not a multiple of the size {size} of the slice"
                )
            }
            Kind::OffsetNotInImage => {
                f.write_str("the offset is outside the image of the layout to be inverted")
            }
            Kind::AtLeastOneDim { role } => {
                write!(f, "the layout has no {role}; expected at least one")
            }
        }
    }
}

impl fmt::Debug for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LayoutError({self})")
    }
}

impl core::error::Error for LayoutError {}

impl LayoutError {
    /// Returns the dim at fault, if the error is about one.
    #[must_use]
    pub fn dim(&self) -> Option<Dim> {
        match self.kind {
            Kind::SizeNotPowerOfTwo { dim, .. }
            | Kind::TooManyBits { dim, .. }
            | Kind::DimTooLarge { dim, .. }
            | Kind::DuplicateDim { dim, .. }
            | Kind::BasisLength { dim, .. }
            | Kind::NoSuchDim { dim, .. }
            | Kind::DimMissing { dim, .. }
            | Kind::SizesDiffer { dim, .. }
            | Kind::SizeTooLarge { dim, .. }
            | Kind::NotInImage { dim, .. }
            | Kind::NotSizeOne { dim, .. }
            | Kind::PointTooLarge { dim, .. }
            | Kind::TileLarger { dim, .. }
            | Kind::TileBasis { dim, .. }
            | Kind::NotResizable { dim, .. }
            | Kind::ActionIndex { dim, .. }
            | Kind::ActionRepeats { dim, .. }
            | Kind::ActionSize { dim, .. }
            | Kind::Misaligned { dim, .. }
            | Kind::ValueCount { dim, .. } => Some(dim),
            Kind::BasisTooLarge { out, .. } => Some(out),
            Kind::OrderDiffers { found, .. } => Some(found),
            Kind::NotSurjective { missed, .. } => Some(missed),
            Kind::TooManyDims { .. }
            | Kind::NotInvertible { .. }
            | Kind::TotalsDiffer { .. }
            | Kind::OrderLength { .. }
            | Kind::DimIndex { .. }
            | Kind::OutDimCount { .. }
            | Kind::NameTooLong { .. }
            | Kind::TooManyNames { .. }
            | Kind::Parse { .. }
            | Kind::OffsetNotInImage
            | Kind::AtLeastOneDim { .. } => None,
        }
    }

    /// Returns the basis at fault as in-dim and bit, if the error is about one.
    #[must_use]
    pub fn basis(&self) -> Option<(Dim, usize)> {
        match self.kind {
            Kind::BasisLength { dim, bit, .. }
            | Kind::BasisTooLarge { dim, bit, .. }
            | Kind::NotInImage { dim, bit }
            | Kind::TileBasis { dim, bit } => Some((dim, bit)),
            _ => None,
        }
    }

    /// Tells whether a layout was required to reach every output and does not.
    #[must_use]
    pub fn is_not_surjective(&self) -> bool {
        matches!(self.kind, Kind::NotSurjective { .. })
    }

    /// Tells whether a division has no remainder-free answer.
    #[must_use]
    pub fn is_not_divisible(&self) -> bool {
        matches!(self.kind, Kind::TileLarger { .. } | Kind::TileBasis { .. })
    }

    /// Tells whether a limit of this crate is hit: 64 bits and [`MAX_DIMS`](super::MAX_DIMS) dims a
    /// side, 63 bits in one dim, or the number and length of names.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(
            self.kind,
            Kind::TooManyDims { .. }
                | Kind::TooManyBits { .. }
                | Kind::DimTooLarge { .. }
                | Kind::NameTooLong { .. }
                | Kind::TooManyNames { .. }
        )
    }

    /// Returns the byte offset at which layout text stopped making sense.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match self.kind {
            Kind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// One constructor for each kind, so that the kinds stay private to this file.
macro_rules! constructors {
    ($($name:ident => $kind:ident { $($field:ident: $ty:ty),* };)*) => {
        impl LayoutError {
            $(
                #[cold]
                pub(super) const fn $name($($field: $ty),*) -> Self {
                    Self { kind: Kind::$kind { $($field),* } }
                }
            )*
        }
    };
}

constructors! {
    size_not_power_of_two => SizeNotPowerOfTwo { role: Role, dim: Dim, size: u64 };
    too_many_dims => TooManyDims { role: Role, max: usize };
    too_many_bits => TooManyBits { role: Role, dim: Dim, bits: usize };
    dim_too_large => DimTooLarge { role: Role, dim: Dim, bits: usize };
    duplicate_dim => DuplicateDim { role: Role, dim: Dim };
    basis_length => BasisLength { dim: Dim, bit: usize, found: usize, expected: usize };
    basis_too_large => BasisTooLarge { dim: Dim, bit: usize, out: Dim, value: u64, size: u64 };
    not_surjective => NotSurjective { rank: usize, bits: usize, missed: Dim, value: u64 };
    not_invertible => NotInvertible { in_bits: usize, out_bits: usize, rank: usize };
    no_such_dim => NoSuchDim { role: Role, dim: Dim };
    dim_missing => DimMissing { role: Role, dim: Dim };
    sizes_differ => SizesDiffer { role: Role, dim: Dim, found: u64, expected: u64 };
    order_differs => OrderDiffers { role: Role, found: Dim, expected: Dim };
    size_too_large => SizeTooLarge { dim: Dim, found: u64, max: u64 };
    totals_differ => TotalsDiffer { role: Role, found_bits: usize, expected_bits: usize };
    not_in_image => NotInImage { dim: Dim, bit: usize };
    not_size_one => NotSizeOne { role: Role, dim: Dim, size: u64 };
    point_too_large => PointTooLarge { dim: Dim, value: u64, size: u64 };
    tile_larger => TileLarger { role: Role, dim: Dim, tile_bits: usize, bits: usize };
    tile_basis => TileBasis { dim: Dim, bit: usize };
    not_resizable => NotResizable { dim: Dim, size: u64, to: u64 };
    action_index => ActionIndex { dim: Dim, index: usize, size: usize };
    action_repeats => ActionRepeats { dim: Dim, index: usize };
    action_size => ActionSize { dim: Dim, found: usize, expected: usize };
    value_count => ValueCount { dim: Dim, found: usize, expected: usize };
    order_length => OrderLength { found: usize, expected: usize };
    dim_index => DimIndex { index: usize, rank: usize };
    out_dim_count => OutDimCount { found: usize, expected: usize };
    name_too_long => NameTooLong { bytes: usize, max: usize };
    too_many_names => TooManyNames { max: usize };
    parse => Parse { at: usize, expected: &'static str };
    misaligned => Misaligned { dim: Dim, start: u64, size: u64 };
    offset_not_in_image => OffsetNotInImage {};
    at_least_one_dim => AtLeastOneDim { role: Role };
}

#[cfg(test)]
mod tests {
    use super::LayoutError;

    // Names are interned for good: provoking this would starve the other tests of names.
    #[test]
    fn names_run_out() {
        let e = LayoutError::too_many_names(32_760);
        let text = "more than 32760 different dim names are in use";
        assert_eq!(e.to_string(), text);
        assert!(e.is_too_large());
    }
}
