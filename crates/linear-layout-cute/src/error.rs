//! Errors of invalid layouts and of operations on layouts.

use core::fmt;
use thiserror::Error;

use super::mode::{Mode, gcd};

/// The error for an invalid layout or text, or for an operation that has no result.
///
/// The text states the found and the expected value, and the nearest valid value if there is one.
/// [`place`](Self::place) is the byte offset of a syntax error.
///
/// ```
/// use linear_layout_cute::Layout;
/// let error = "(4,2):(1,x)".parse::<Layout>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a number at byte 9, found `x)`");
/// assert_eq!(error.place(), Some(9));
/// ```
#[derive(Clone, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct CuteError(Box<ErrorKind>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ErrorKind {
    #[error("expected {expected} at byte {at}, found {}",
            if .found.is_empty() { "the end".to_owned() } else { format!("`{found}`") })]
    Parse {
        at: usize,
        expected: &'static str,
        found: String,
    },
    #[error(
        "the tensor at byte {at} is one of coordinates, whose strides are coordinates too (`_1@0`), expected indices"
    )]
    CoordinateTensor { at: usize },
    #[error(
        "the number at byte {at} is known at run time only, expected one such as `_8` or `Int<8>`"
    )]
    DynamicNumber { at: usize },
    #[error("mode {mode}: {error}")]
    InMode { mode: usize, error: CuteError },
    #[error("a tuple is empty; expected at least one item")]
    EmptyTuple,
    #[error("more than {limit} numbers and tuples in one nested tuple")]
    TooManyNodes { limit: usize },
    #[error("number {mode} of the shape, counted from 0, is {found}; expected at least 1")]
    ShapeNotPositive { mode: usize, found: i64 },
    #[error(
        "the shape {shape} and the stride {stride} are nested differently; expected one stride for each number of the \
         shape, in the same tuples"
    )]
    NotCongruent { shape: String, stride: String },
    #[error("{left} and {right} are nested differently; expected numbers in the same tuples")]
    ProfilesDiffer { left: String, right: String },
    #[error("a size, a stride or an index does not fit in 64 bits; expected at most 2^63 - 1")]
    Overflow,
    #[error("mode {mode} does not exist; expected less than {rank}")]
    NoSuchMode { mode: usize, rank: usize },
    #[error("{what} has a tuple of {found} items; expected {expected}")]
    RankDiffers {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("the coordinate has no `_`, so it keeps no mode; expected at least one `_`")]
    NothingKept,
    #[error(
        "the tiler keeps a mode with `_`, so that it has no tile; expected a size or a layout, or a division without \
         gathering"
    )]
    KeptInZip,
    #[error("mode {} of the inner layout is not divisible by mode {} of the outer one: its step \
             {step} is not a multiple of {}; the nearest stride is {}",
            shown(.inner), shown(.outer), .outer.shape,
            nearest_multiple(*.step, .outer.shape).saturating_mul(.inner.stride / .step))]
    StrideNotDivisible { inner: Mode, outer: Mode, step: i64 },
    #[error("mode {} of the inner layout ends within mode {} of the outer one: its {steps} steps are not a multiple \
             of the {room} that fit; the nearest shape is {}",
            shown(.inner), shown(.outer), nearest_multiple(*.steps, *.room).saturating_mul(.inner.shape / .steps))]
    ShapeNotDivisible {
        inner: Mode,
        outer: Mode,
        steps: i64,
        room: i64,
    },
    #[error(
        "the composition is not a layout: modes of the inner layout carry into each other in the outer one; element {at} \
         is at {between}, which the outer layout maps to {expected}, but strides give {found}"
    )]
    NotAdditive {
        at: i64,
        between: i64,
        expected: i64,
        found: i64,
    },
    #[error(
        "modes carry into each other, and {size} elements are too many to compare; expected at most {limit}"
    )]
    NotDecided { size: i64, limit: i64 },
    #[error("mode {} has a negative stride; expected 0 or more", shown(.mode))]
    NegativeStride { mode: Mode },
    #[error("mode {} overlaps those of smaller strides, which reach up to {reached}; the nearest stride is \
             {reached}", shown(.mode))]
    Overlap { mode: Mode, reached: i64 },
    #[error(
        "modes overlap: no layout maps index {index} of element {at} back to an element with that index"
    )]
    OverlapAt { at: i64, index: i64 },
    #[error("the stride of mode {} is not a multiple of {of}, the next smaller stride; the nearest one is {}",
            shown(.mode), nearest_multiple(.mode.stride, *.of))]
    StrideNotMultiple { mode: Mode, of: i64 },
    #[error(
        "the remainder is not divisible mode by mode: layout and complement reach {reached}, the shape has \
         {size} elements; expected the complement in an integer"
    )]
    ComplementTooShort { reached: i64, size: i64 },
    #[error("the size to be filled is {found}; expected at least 1")]
    CotargetNotPositive { found: i64 },
    #[error("the factor is {found}; expected at least 1")]
    FactorNotPositive { found: i64 },
    #[error("the factor is {found}; expected a power of two")]
    FactorNotPowerOfTwo { found: i64 },
    #[error("{factor} elements of mode {} do not form one: its stride neither divides {factor} nor is a multiple of \
             it; the nearest factor is {}", shown(.mode), gcd(.mode.stride.abs(), *.factor))]
    NotCastable { mode: Mode, factor: i64 },
    #[error("modes overlap within {factor} elements; expected disjoint vectors")]
    OverlapInVector { factor: i64 },
    #[error("no mode has stride 1 to hold the parts of an element; expected one, such as 1:1")]
    NoUnitStride,
    #[error("mode {} also has stride 1; expected one mode to hold the parts of an element", shown(.mode))]
    SecondUnitStride { mode: Mode },
    #[error(
        "mode {mode} of the block has {found} elements, which do not divide the {target} of the shape"
    )]
    BlockDoesNotDivide {
        mode: usize,
        found: i64,
        target: i64,
    },
    #[error("{shape} and {divisor} do not divide one another")]
    ShapeDiv { shape: i64, divisor: i64 },
    #[error(
        "there is no swizzle Sw<{bits},{base},{shift}>; expected 0 <= bits <= |shift|, base >= 0, and bits + base + \
         |shift| <= 63"
    )]
    SwizzleNumbers { bits: i64, base: i64, shift: i64 },
    #[error(
        "no swizzle reads the bits {read:#b} and changes {changed:#b}; expected equally many in both masks, each \
         contiguous"
    )]
    SwizzleMasks { read: i64, changed: i64 },
    #[error("{inner} followed by {outer} is not one swizzle; expected equal shifts")]
    ShiftsDiffer { outer: String, inner: String },
    #[error(
        "{inner} followed by {outer} is not one swizzle: the second reads bits that the first changes"
    )]
    SwizzlesChain { outer: String, inner: String },
    #[error(
        "the result is not a swizzled layout: element {at} must be at {expected}, the only candidate has it at {found}"
    )]
    NotSwizzled { at: i64, expected: i64, found: i64 },
    #[error("the layout has an offset of {offset} before its swizzle; expected 0")]
    OffsetNotZero { offset: i64 },
}

impl From<ErrorKind> for CuteError {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

fn shown(mode: &Mode) -> String {
    format!("{}:{}", mode.shape, mode.stride)
}

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

impl CuteError {
    /// Returns the byte offset of a syntax error, or `None` for other errors.
    #[must_use]
    pub fn place(&self) -> Option<usize> {
        match *self.0 {
            ErrorKind::Parse { at, .. }
            | ErrorKind::CoordinateTensor { at }
            | ErrorKind::DynamicNumber { at } => Some(at),
            _ => None,
        }
    }

    /// Returns the path to the mode that causes the error, outermost mode first: `[1, 0]` for mode 0 of mode 1. The
    /// path is empty if no mode causes the error.
    #[must_use]
    pub fn mode(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut error = self;
        while let ErrorKind::InMode { mode, error: inner } = &*error.0 {
            path.push(*mode);
            error = inner;
        }
        path
    }

    /// Prepends `mode` to the path of the error.
    #[cold]
    pub(crate) fn in_mode(self, mode: usize) -> Self {
        ErrorKind::InMode { mode, error: self }.into()
    }
}
