//! Why there is no layout, or no answer.

use core::fmt;

use super::layout::Mode;
use super::swizzle::Swizzle;
use super::tuple::{IntTuple, MAX_NODES};

/// Why a layout cannot be made, or an operation on it has no answer.
///
/// The kind is private; the text says what was found, what was expected, and where there is one the nearest value
/// that can. [`place`](Self::place) is the byte of a text at which reading went wrong.
///
/// ```
/// use linear_layout_cute::Layout;
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
    InMode {
        mode: usize,
        error: CuteError,
    },
    EmptyTuple,
    TooManyNodes,
    ShapeNotPositive {
        mode: usize,
        found: i64,
    },
    NotCongruent {
        shape: Box<IntTuple>,
        stride: Box<IntTuple>,
    },
    ProfilesDiffer {
        left: Box<IntTuple>,
        right: Box<IntTuple>,
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
    NothingKept,
    CoordNotWhole,
    KeptInZip,
    /// A mode of the inner layout steps unevenly over a mode of the outer one.
    StrideNotDivisible {
        inner: Mode,
        outer: Mode,
        step: i64,
    },
    /// A mode of the inner layout ends within a mode of the outer one.
    ShapeNotDivisible {
        inner: Mode,
        outer: Mode,
        steps: i64,
        room: i64,
    },
    NotAdditive {
        at: i64,
        between: i64,
        expected: i64,
        found: i64,
    },
    NotDecided {
        size: i64,
        limit: i64,
    },
    NegativeStride {
        mode: Mode,
    },
    Overlap {
        mode: Mode,
        reached: i64,
    },
    OverlapAt {
        at: i64,
        index: i64,
    },
    StrideNotMultiple {
        mode: Mode,
        of: i64,
    },
    ComplementTooShort {
        reached: i64,
        size: i64,
    },
    CotargetNotPositive {
        found: i64,
    },
    FactorNotPositive {
        found: i64,
    },
    FactorNotPowerOfTwo {
        found: i64,
    },
    NotCastable {
        mode: Mode,
        factor: i64,
    },
    OverlapInVector {
        factor: i64,
    },
    NoUnitStride,
    SecondUnitStride {
        mode: Mode,
    },
    BlockDoesNotDivide {
        mode: usize,
        found: i64,
        target: i64,
    },
    ShapeDiv {
        shape: i64,
        divisor: i64,
    },
    SwizzleNumbers {
        bits: i64,
        base: i64,
        shift: i64,
    },
    SwizzleMasks {
        source: i64,
        target: i64,
    },
    ShiftsDiffer {
        outer: Swizzle,
        inner: Swizzle,
    },
    SwizzlesChain {
        outer: Swizzle,
        inner: Swizzle,
    },
    NotSwizzled {
        at: i64,
        expected: i64,
        found: i64,
    },
    OffsetNotZero {
        offset: i64,
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
            Kind::InMode { mode, error } => write!(f, "mode {mode}: {error}"),
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
            Kind::ProfilesDiffer { left, right } => write!(
                f,
                "{left} and {right} are nested differently; expected numbers in the same tuples"
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
            } => write!(f, "{what} has a tuple of {found} where {expected} fit"),
            Kind::NothingKept => {
                f.write_str("the coordinate has no `_`, so that no mode is kept; expected one")
            }
            Kind::CoordNotWhole => {
                f.write_str("the coordinate has a `_`; expected a number in each mode")
            }
            Kind::KeptInZip => f.write_str(
                "the tiler keeps a mode with `_`, so that it has no tile; expected a size or a layout, or a \
                 division without gathering",
            ),
            Kind::StrideNotDivisible { inner, outer, step } => write!(
                f,
                "mode {} of the inner layout does not step evenly through mode {} of the outer one: its steps of \
                 {step} are no multiple of {}; the nearest stride is {}",
                Shown(*inner),
                Shown(*outer),
                outer.shape,
                nearest_multiple(*step, outer.shape).saturating_mul(inner.stride / step)
            ),
            Kind::ShapeNotDivisible {
                inner,
                outer,
                steps,
                room,
            } => write!(
                f,
                "mode {} of the inner layout ends within mode {} of the outer one: its {steps} steps are no \
                 multiple of the {room} that fit; the nearest shape is {}",
                Shown(*inner),
                Shown(*outer),
                nearest_multiple(*steps, *room).saturating_mul(inner.shape / steps)
            ),
            Kind::NotAdditive {
                at,
                between,
                expected,
                found,
            } => write!(
                f,
                "the composition is no layout: modes of the inner layout carry into each other in the outer one; \
                 element {at} is at {between}, which the outer layout takes to {expected}, where strides give {found}"
            ),
            Kind::NotDecided { size, limit } => write!(
                f,
                "modes carry into each other, and {size} elements are too many to compare; expected at most {limit}"
            ),
            Kind::NegativeStride { mode } => write!(
                f,
                "mode {} has a negative stride; expected 0 or more",
                Shown(*mode)
            ),
            Kind::Overlap { mode, reached } => write!(
                f,
                "mode {} overlaps those of smaller strides, which reach up to {reached}; the nearest stride is {reached}",
                Shown(*mode)
            ),
            Kind::OverlapAt { at, index } => write!(
                f,
                "modes overlap: no layout leads from the index {index} of element {at} back to one that has it"
            ),
            Kind::StrideNotMultiple { mode, of } => write!(
                f,
                "the stride of mode {} is no multiple of {of}, the next smaller stride; the nearest one is {}",
                Shown(*mode),
                nearest_multiple(mode.stride, *of)
            ),
            Kind::ComplementTooShort { reached, size } => write!(
                f,
                "counted from mode to mode the complement does not come out even: both reach {reached}, and the \
                 shape has {size} elements; expected the complement in a number"
            ),
            Kind::CotargetNotPositive { found } => {
                write!(f, "the size to be filled is {found}; expected at least 1")
            }
            Kind::FactorNotPositive { found } => {
                write!(f, "the factor is {found}; expected at least 1")
            }
            Kind::FactorNotPowerOfTwo { found } => {
                write!(f, "the factor is {found}; expected a power of two")
            }
            Kind::NotCastable { mode, factor } => write!(
                f,
                "{factor} elements of mode {} are not one: its stride neither divides {factor} nor is a multiple of \
                 it; a factor of {} would do",
                Shown(*mode),
                super::recast::gcd(mode.stride.abs(), *factor)
            ),
            Kind::OverlapInVector { factor } => write!(
                f,
                "modes overlap within {factor} elements, which are therefore not always the same ones together"
            ),
            Kind::SecondUnitStride { mode } => write!(
                f,
                "the parts of an element would also lie in mode {}; expected one mode of stride 1",
                Shown(*mode)
            ),
            Kind::NoUnitStride => f.write_str(
                "no mode has the stride 1, so that the parts of an element are in none; expected one, such as 1:1",
            ),
            Kind::BlockDoesNotDivide {
                mode,
                found,
                target,
            } => write!(
                f,
                "mode {mode} of the block has {found} elements, which do not divide the {target} of the shape"
            ),
            Kind::ShapeDiv { shape, divisor } => write!(
                f,
                "{shape} is not divided by {divisor}: neither is a multiple of the other"
            ),
            Kind::SwizzleNumbers { bits, base, shift } => write!(
                f,
                "there is no swizzle Sw<{bits},{base},{shift}>; expected 0 <= bits <= |shift|, base >= 0, and \
                 bits + base + |shift| <= 63"
            ),
            Kind::SwizzleMasks { source, target } => write!(
                f,
                "no swizzle reads the bits {source:#b} and changes {target:#b}; expected as many in one as in the \
                 other, each next to each other"
            ),
            Kind::ShiftsDiffer { outer, inner } => write!(
                f,
                "{inner} and then {outer} are not one swizzle; expected the same shift"
            ),
            Kind::SwizzlesChain { outer, inner } => write!(
                f,
                "{inner} and then {outer} are not one swizzle: the second reads bits that the first changes"
            ),
            Kind::NotSwizzled {
                at,
                expected,
                found,
            } => write!(
                f,
                "the answer is no swizzled layout: at {at} it must be {expected}, where the only one that could \
                 be has {found}"
            ),
            Kind::OffsetNotZero { offset } => write!(
                f,
                "the layout has an offset of {offset} before its swizzle; expected 0"
            ),
        }
    }
}

/// The multiple of `of`, at least that itself, that is nearest to a number.
fn nearest_multiple(number: i64, of: i64) -> i64 {
    let below = number / of * of;
    match number - below {
        rest if below > 0 && rest <= of - rest => below,
        _ => below.saturating_add(of),
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

    /// Returns the mode of the layout in which the error is, if it is about one: mode 1, and there mode 0, is `[1, 0]`.
    #[must_use]
    pub fn mode(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut error = self;
        while let Kind::InMode { mode, error: inner } = &*error.0 {
            path.push(*mode);
            error = inner;
        }
        path
    }

    /// Says in which mode this happened.
    #[cold]
    pub(crate) fn in_mode(self, mode: usize) -> Self {
        Kind::InMode { mode, error: self }.into()
    }
}

/// How an error names a mode.
struct Shown(Mode);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.shape, self.0.stride)
    }
}
