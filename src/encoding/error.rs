//! What can be wrong with an encoding, its text, or the shape it is laid over.

use core::fmt;
use std::error::Error;

use super::Ints;
use crate::layout::LayoutError;

/// The reason why an encoding, its text, or its layout on a shape does not exist.
///
/// ```
/// use linear_layout::encoding::Encoding;
/// let text = "#ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
/// let err = text.parse::<Encoding>().unwrap_err();
/// assert_eq!(err.to_string(), "`sizePerThread[0]` is 3, expected a power of two; the nearest ones are 2 and 4");
/// assert!(err.is_invalid_encoding());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EncodingError(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // Text.
    Syntax {
        at: usize,
        expected: &'static str,
        found: String,
    },
    UnknownFamily {
        name: String,
    },
    UnknownAlias {
        name: String,
    },
    DuplicateAlias {
        name: String,
    },
    UnknownKey {
        family: &'static str,
        key: String,
        valid: &'static str,
    },
    DuplicateKey {
        key: String,
    },
    MissingKey {
        family: &'static str,
        key: &'static str,
    },
    NumberTooLarge {
        at: usize,
    },
    Negative {
        at: usize,
        value: i64,
    },
    TooDeep {
        limit: usize,
    },
    TooMany {
        limit: usize,
    },
    TrailingText {
        at: usize,
        found: String,
    },
    // Fields.
    RankMismatch {
        what: &'static str,
        found: usize,
        than: &'static str,
        expected: usize,
    },
    RankUnsupported {
        what: &'static str,
        found: usize,
        expected: &'static str,
    },
    NotPowerOfTwo {
        what: &'static str,
        index: Option<usize>,
        value: u64,
    },
    NotPermutation {
        what: &'static str,
        order: Ints,
    },
    BadValue {
        what: &'static str,
        value: u64,
        expected: &'static str,
    },
    BadInstruction {
        family: &'static str,
        shape: Ints,
        expected: &'static str,
    },
    Duplicate {
        what: &'static str,
        value: u64,
    },
    WrongFamily {
        what: &'static str,
        found: &'static str,
        expected: &'static str,
    },
    BasisLength {
        what: &'static str,
        index: usize,
        found: usize,
        expected: usize,
    },
    NotOneDim {
        what: &'static str,
        index: usize,
    },
    NotSinglePower {
        what: &'static str,
        index: usize,
    },
    NotSurjective {
        what: &'static str,
        dim: usize,
    },
    NotInjective {
        what: &'static str,
        index: usize,
    },
    NotOutermost {
        index: usize,
    },
    WrongDims {
        what: &'static str,
        expected: &'static str,
    },
    // An encoding on a shape.
    ShapeRank {
        family: &'static str,
        found: usize,
        expected: usize,
    },
    ShapeSize {
        dim: usize,
        size: u64,
    },
    ShapeTooLarge {
        bits: u32,
    },
    TooManyBits {
        what: &'static str,
        limit: usize,
    },
    TooSmall {
        family: &'static str,
        dim: &'static str,
        found: u64,
        expected: u64,
    },
    FixedShape {
        family: &'static str,
        dim: usize,
        found: u64,
        expected: u64,
    },
    NoLayout {
        family: &'static str,
        reason: &'static str,
    },
    // Inference.
    CannotInfer {
        op: &'static str,
        reason: &'static str,
    },
    Axis {
        op: &'static str,
        axis: usize,
        rank: usize,
    },
    ElementCount {
        op: &'static str,
        src: u64,
        dst: u64,
    },
    Layout(LayoutError),
}

impl EncodingError {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Box::new(kind))
    }

    /// Returns whether the text cannot be read at all.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(
            *self.0,
            Kind::Syntax { .. }
                | Kind::UnknownFamily { .. }
                | Kind::UnknownAlias { .. }
                | Kind::DuplicateAlias { .. }
                | Kind::UnknownKey { .. }
                | Kind::DuplicateKey { .. }
                | Kind::MissingKey { .. }
                | Kind::NumberTooLarge { .. }
                | Kind::Negative { .. }
                | Kind::TooDeep { .. }
                | Kind::TooMany { .. }
                | Kind::TrailingText { .. }
        )
    }

    /// Returns whether the encoding itself breaks a rule, whatever the shape.
    #[must_use]
    pub fn is_invalid_encoding(&self) -> bool {
        !self.is_syntax() && !self.is_invalid_shape() && !self.is_inference()
    }

    /// Returns whether the encoding is sound but has no layout on the given shape.
    #[must_use]
    pub fn is_invalid_shape(&self) -> bool {
        matches!(
            *self.0,
            Kind::ShapeRank { .. }
                | Kind::ShapeSize { .. }
                | Kind::ShapeTooLarge { .. }
                | Kind::TooManyBits { .. }
                | Kind::TooSmall { .. }
                | Kind::FixedShape { .. }
                | Kind::NoLayout { .. }
        )
    }

    /// Returns whether no encoding could be inferred through an operation.
    #[must_use]
    pub fn is_inference(&self) -> bool {
        matches!(
            *self.0,
            Kind::CannotInfer { .. } | Kind::Axis { .. } | Kind::ElementCount { .. }
        )
    }

    /// Returns the byte offset in the text where reading stopped, for errors of the text.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match *self.0 {
            Kind::Syntax { at, .. }
            | Kind::NumberTooLarge { at }
            | Kind::Negative { at, .. }
            | Kind::TrailingText { at, .. } => Some(at),
            _ => None,
        }
    }
}

impl From<LayoutError> for EncodingError {
    #[cold]
    fn from(e: LayoutError) -> Self {
        Self::new(Kind::Layout(e))
    }
}

impl fmt::Debug for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodingError({:?})", self.0)
    }
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Syntax {
                at,
                expected,
                found,
            } => {
                write!(f, "expected {expected} at byte {at}, found {found}")
            }
            Kind::UnknownFamily { name } => write!(
                f,
                "unknown encoding `{name}`; the known ones are `#ttg.blocked`, `slice`, `linear`, \
                 `generic_linear`, `dot_op`, `nvidia_mma`, `amd_mfma`, `amd_wmma`, `swizzled_shared`, \
                 `amd_rotating_shared`, `padded_shared`, `partitioned_shared`, `nvmma_shared`, \
                 `shared_linear`, and `#ttng.tensor_memory_encoding`, `tensor_memory_scales_encoding`"
            ),
            Kind::UnknownAlias { name } => {
                write!(
                    f,
                    "alias `#{name}` is not defined; define it with `#{name} = ...` first"
                )
            }
            Kind::DuplicateAlias { name } => write!(f, "alias `#{name}` is defined twice"),
            Kind::UnknownKey { family, key, valid } => {
                write!(
                    f,
                    "unexpected key `{key}` in `{family}`; the keys are {valid}"
                )
            }
            Kind::DuplicateKey { key } => write!(f, "key `{key}` is given twice"),
            Kind::MissingKey { family, key } => write!(f, "`{family}` needs the key `{key}`"),
            Kind::NumberTooLarge { at } => {
                write!(f, "number at byte {at} does not fit into 32 bits")
            }
            Kind::Negative { at, value } => {
                write!(f, "number at byte {at} is {value}, expected zero or more")
            }
            Kind::TooDeep { limit } => {
                write!(f, "encodings are nested more than {limit} deep")
            }
            Kind::TooMany { limit } => {
                write!(f, "list is too long: expected at most {limit} items")
            }
            Kind::TrailingText { at, found } => {
                write!(
                    f,
                    "expected the end of the text at byte {at}, found {found}"
                )
            }
            Kind::RankMismatch {
                what,
                found,
                than,
                expected,
            } => {
                write!(
                    f,
                    "`{what}` has rank {found}, expected {expected} as `{than}` has"
                )
            }
            Kind::RankUnsupported {
                what,
                found,
                expected,
            } => {
                write!(f, "`{what}` has rank {found}, expected {expected}")
            }
            Kind::NotPowerOfTwo { what, index, value } => {
                match index {
                    Some(i) => write!(f, "`{what}[{i}]` is {value}, expected a power of two")?,
                    None => write!(f, "`{what}` is {value}, expected a power of two")?,
                }
                nearest_powers(f, *value)
            }
            Kind::NotPermutation { what, order } => write!(
                f,
                "`{what}` is {order}, expected a permutation of 0..{}",
                order.len().saturating_sub(1)
            ),
            Kind::BadValue {
                what,
                value,
                expected,
            } => {
                write!(f, "`{what}` is {value}, expected {expected}")
            }
            Kind::BadInstruction {
                family,
                shape,
                expected,
            } => {
                write!(
                    f,
                    "instruction shape {shape} does not exist for `{family}`; expected {expected}"
                )
            }
            Kind::Duplicate { what, value } => {
                write!(f, "`{what}` has {value} twice; the values must differ")
            }
            Kind::WrongFamily {
                what,
                found,
                expected,
            } => {
                write!(f, "`{what}` is a `{found}`, expected {expected}")
            }
            Kind::BasisLength {
                what,
                index,
                found,
                expected,
            } => {
                write!(
                    f,
                    "basis {index} of `{what}` has {found} components, expected {expected}"
                )
            }
            Kind::NotSinglePower { what, index } => write!(
                f,
                "basis {index} of `{what}` is not a single power of two; \
                 expected zero, or one power of two in one dim (use `#ttg.generic_linear` for more)"
            ),
            Kind::NotOneDim { what, index } => write!(
                f,
                "basis {index} of `{what}` moves in several dims, or by no power of two; \
                 only `warp` may do that"
            ),
            Kind::NotSurjective { what, dim } => write!(
                f,
                "layout `{what}` is not surjective: some coordinates of dim{dim} are never reached"
            ),
            Kind::NotInjective { what, index } => write!(
                f,
                "layout `{what}` is not injective: basis {index} is a sum of the ones before it; \
                 make it zero to mark a broadcast, or drop it"
            ),
            Kind::NotOutermost { index } => write!(
                f,
                "basis {index} of `block` is not above the part of one CTA, so there is no CGA layout"
            ),
            Kind::WrongDims { what, expected } => {
                write!(
                    f,
                    "layout of `{what}` has the wrong dims, expected {expected}"
                )
            }
            Kind::ShapeRank {
                family,
                found,
                expected,
            } => {
                write!(
                    f,
                    "shape has rank {found}, but the `{family}` encoding has rank {expected}"
                )
            }
            Kind::ShapeSize { dim, size } => {
                write!(
                    f,
                    "shape has {size} elements along dim{dim}, expected a power of two"
                )?;
                nearest_powers(f, *size)
            }
            Kind::ShapeTooLarge { bits } => write!(
                f,
                "shape has 2^{bits} elements, expected at most 2^62 and 2^31 along one dim"
            ),
            Kind::TooManyBits { what, limit } => {
                write!(f, "layout of `{what}` needs more than {limit} input bits")
            }
            Kind::TooSmall {
                family,
                dim,
                found,
                expected,
            } => write!(
                f,
                "shape of one CTA has {found} elements along {dim}, but the tile of `{family}` has {expected}"
            ),
            Kind::FixedShape {
                family,
                dim,
                found,
                expected,
            } => write!(
                f,
                "shape has {found} elements along dim{dim}, but this `{family}` encoding is fixed to {expected}"
            ),
            Kind::NoLayout { family, reason } => {
                write!(f, "`{family}` has no linear layout here: {reason}")
            }
            Kind::CannotInfer { op, reason } => {
                write!(f, "cannot infer an encoding through `{op}`: {reason}")
            }
            Kind::Axis { op, axis, rank } => {
                write!(
                    f,
                    "`{op}` has axis {axis}, expected less than the rank {rank}"
                )
            }
            Kind::ElementCount { op, src, dst } => {
                write!(
                    f,
                    "`{op}` turns {src} elements into {dst}; the counts must be equal"
                )
            }
            Kind::Layout(e) => write!(f, "{e}"),
        }
    }
}

fn nearest_powers(f: &mut fmt::Formatter<'_>, value: u64) -> fmt::Result {
    match value.checked_next_power_of_two() {
        Some(_) if value == 0 => f.write_str("; the nearest one is 1"),
        Some(above) => write!(f, "; the nearest ones are {} and {above}", above / 2),
        None => Ok(()),
    }
}

impl Error for EncodingError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &*self.0 {
            Kind::Layout(e) => Some(e),
            _ => None,
        }
    }
}
