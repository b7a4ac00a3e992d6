//! Why there is no layout, or no answer.

use core::fmt;

use super::layout::Mode;
use super::tuple::{IntTuple, MAX_NODES};

/// Why a layout cannot be made, or an operation on it has no answer.
///
/// The kind is private; the text says what was found, what was expected, and where there is one the nearest value
/// that can. [`place`](Self::place) is the byte of a text at which reading went wrong.
///
/// ```
/// use linear_layout::cute::Layout;
/// let error = "(4,2):(1,x)".parse::<Layout>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a number at byte 9, found `x)`");
/// assert_eq!(error.place(), Some(9));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct CuteError(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parse {
        at: usize,
        expected: &'static str,
        found: String,
    },
    EmptyTuple,
    TooManyNodes,
    ShapeNotPositive {
        mode: usize,
        found: i64,
    },
    NotCongruent {
        shape: IntTuple,
        stride: IntTuple,
    },
    Overflow,
    NoSuchMode {
        mode: usize,
        rank: usize,
    },
    RankDiffers {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    ModesInside {
        what: &'static str,
        at: usize,
    },
    NothingKept,
    CoordNotWhole,
    SwizzleNumbers {
        bits: i64,
        base: i64,
        shift: i64,
    },
}

impl fmt::Display for CuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Parse {
                at,
                expected,
                found,
            } if found.is_empty() => write!(f, "expected {expected} at byte {at}, found the end"),
            Kind::Parse {
                at,
                expected,
                found,
            } => write!(f, "expected {expected} at byte {at}, found `{found}`"),
            Kind::EmptyTuple => f.write_str("a tuple is empty; expected at least one item"),
            Kind::TooManyNodes => write!(
                f,
                "more than {MAX_NODES} numbers and tuples in one nested tuple"
            ),
            Kind::ShapeNotPositive { mode, found } => write!(
                f,
                "number {mode} of the shape, counted from 0, is {found}; expected at least 1"
            ),
            Kind::NotCongruent { shape, stride } => write!(
                f,
                "the shape {shape} and the stride {stride} are nested differently; expected one stride for each \
                 number of the shape, in the same tuples"
            ),
            Kind::Overflow => f.write_str(
                "a size, a stride or an index does not fit in 64 bits; expected at most 2^63 - 1",
            ),
            Kind::NoSuchMode { mode, rank } => {
                write!(f, "there is no mode {mode}; expected less than {rank}")
            }
            Kind::RankDiffers {
                what,
                found,
                expected,
            } => write!(f, "{what} has {found} modes; expected {expected}"),
            Kind::ModesInside { what, at } => write!(
                f,
                "{what} has a tuple at mode {at}, where the shape has one number"
            ),
            Kind::NothingKept => {
                f.write_str("the coordinate has no `_`, so that no mode is kept; expected one")
            }
            Kind::SwizzleNumbers { bits, base, shift } => write!(
                f,
                "there is no swizzle Sw<{bits},{base},{shift}>; expected 0 <= bits <= |shift|, base >= 0, and \
                 bits + base + |shift| <= 63"
            ),
            Kind::CoordNotWhole => {
                f.write_str("the coordinate has a `_`; expected a number in each mode")
            }
        }
    }
}

impl fmt::Debug for CuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CuteError({self})")
    }
}

impl core::error::Error for CuteError {}

impl From<Kind> for CuteError {
    #[cold]
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl CuteError {
    /// Returns the byte of the text that was read at which it goes wrong, if the error is about a text.
    #[must_use]
    pub fn place(&self) -> Option<usize> {
        match *self.0 {
            Kind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// How an error names a mode.
pub(crate) struct Shown(pub(crate) Mode);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.shape, self.0.stride)
    }
}
