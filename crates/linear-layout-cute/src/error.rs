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
            if .found.is_empty() { "the end of the text".to_owned() } else { format!("`{found}`") })]
    Parse {
        at: usize,
        expected: &'static str,
        found: String,
    },
    #[error(
        "the tensor at byte {at} is a coordinate tensor, with strides such as `_1@0`; expected integer strides"
    )]
    CoordinateTensor { at: usize },
    #[error(
        "the number at byte {at} is dynamic; expected a static number, such as `_8` or `Int<8>`"
    )]
    DynamicNumber { at: usize },
    #[error("mode {mode}: {error}")]
    InMode { mode: usize, error: CuteError },
    #[error("a tuple is empty; expected at least one item")]
    EmptyTuple,
    #[error("a nested tuple exceeds the limit of {limit} numbers and tuples")]
    TooManyNodes { limit: usize },
    #[error(
        "entry {mode} of the shape is {found} (entries are counted from 0); expected at least 1"
    )]
    ShapeNotPositive { mode: usize, found: i64 },
    #[error(
        "the shape {shape} and the stride {stride} have different structures; expected one stride for each \
         number of the shape, with the same nesting"
    )]
    NotCongruent { shape: String, stride: String },
    #[error(
        "{left} and {right} have different structures; expected the same number of entries, with the same \
         nesting"
    )]
    ProfilesDiffer { left: String, right: String },
    #[error("a size, a stride or an index does not fit in 64 bits; expected at most 2^63 - 1")]
    Overflow,
    #[error("mode {mode} does not exist; expected a mode less than {rank}, the rank of the layout")]
    NoSuchMode { mode: usize, rank: usize },
    #[error("{what} has {}; expected {}", items(*.found), items(*.expected))]
    RankDiffers {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("{what} has rank {found}; expected at most {most}, the rank of the {of}")]
    RankTooLarge {
        what: &'static str,
        found: usize,
        of: &'static str,
        most: usize,
    },
    #[error("the coordinate has no `_`, so that no mode is kept; expected at least one `_`")]
    NothingKept,
    #[error(
        "the tiler has `_` for a mode; expected a size or a layout, because this operation gathers the tiles \
         of all modes; `logical_divide` and `logical_product` support `_`"
    )]
    KeptInZip,
    #[error("inner mode {} steps by {step} in outer mode {}; expected a multiple of {}, the extent of the \
             outer mode; the nearest inner stride is {}",
            shown(.inner), shown(.outer), .outer.shape,
            nearest_multiple(*.step, .outer.shape).saturating_mul(.inner.stride / .step))]
    StrideNotDivisible { inner: Mode, outer: Mode, step: i64 },
    #[error("inner mode {} makes {steps} steps in outer mode {}, where {room} steps fit; expected a multiple \
             of {room}; the nearest inner shape is {}",
            shown(.inner), shown(.outer), nearest_multiple(*.steps, *.room).saturating_mul(.inner.shape / .steps))]
    ShapeNotDivisible {
        inner: Mode,
        outer: Mode,
        steps: i64,
        room: i64,
    },
    #[error(
        "the composition is not a layout, because inner modes carry into each other: coordinate {at} has inner \
         index {between}, which the outer layout maps to {expected}, but strides map coordinate {at} to {found}"
    )]
    NotAdditive {
        at: i64,
        between: i64,
        expected: i64,
        found: i64,
    },
    #[error(
        "the result must be checked element by element, but the layout has {size} elements; expected at most \
         {limit}"
    )]
    NotDecided { size: i64, limit: i64 },
    #[error("mode {} has a negative stride; expected 0 or more", shown(.mode))]
    NegativeStride { mode: Mode },
    #[error("mode {} overlaps the modes with smaller strides, which cover the indices below {reached}; the \
             nearest stride is {reached}", shown(.mode))]
    Overlap { mode: Mode, reached: i64 },
    #[error(
        "modes overlap: coordinate {at} has index {index}, but no layout maps {index} back to a coordinate \
         with index {index}"
    )]
    OverlapAt { at: i64, index: i64 },
    #[error("mode {} has stride {}; expected a multiple of {of}, the next smaller stride; the nearest multiple \
             is {}",
            shown(.mode), .mode.stride, nearest_multiple(.mode.stride, *.of))]
    StrideNotMultiple { mode: Mode, of: i64 },
    #[error(
        "the layout and the complement reach index {reached}, but the last index of the shape is {}; use the \
         integer {size} as the shape", .size - 1
    )]
    ComplementTooShort { reached: i64, size: i64 },
    #[error("the target size is {found}; expected at least 1")]
    CotargetNotPositive { found: i64 },
    #[error("the factor or element width is {found}; expected at least 1")]
    FactorNotPositive { found: i64 },
    #[error("the factor is {found}; expected a power of two")]
    FactorNotPowerOfTwo { found: i64 },
    #[error("mode {} cannot be recast by factor {factor}, because stride {} is neither a divisor nor a \
             multiple of {factor}; the nearest factor is {}",
            shown(.mode), .mode.stride, gcd(.mode.stride.abs(), *.factor))]
    NotCastable { mode: Mode, factor: i64 },
    #[error("modes overlap within a vector of {factor} elements; expected disjoint elements")]
    OverlapInVector { factor: i64 },
    #[error(
        "no mode has stride 1; expected one mode with stride 1, such as 1:1, for the parts of an element"
    )]
    NoUnitStride,
    #[error("mode {} {}; the parts of an element require exactly one mode with stride 1", shown(.mode),
            if .mode.stride < 0 { "has stride -1" } else { "is a second mode with stride 1" })]
    SecondUnitStride { mode: Mode },
    #[error(
        "mode {mode} of the block has {found} elements; expected a divisor of {target}, the size of mode \
         {mode} in the shape"
    )]
    BlockDoesNotDivide {
        mode: usize,
        found: i64,
        target: i64,
    },
    #[error(
        "entry {shape} of the shape is neither a divisor nor a multiple of {divisor}, the remaining divisor"
    )]
    ShapeDiv { shape: i64, divisor: i64 },
    #[error(
        "Sw<{bits},{base},{shift}> is not a swizzle; expected Sw<bits,base,shift> with 0 <= bits <= |shift|, \
         base >= 0 and bits + base + |shift| <= 63"
    )]
    SwizzleNumbers { bits: i64, base: i64, shift: i64 },
    #[error(
        "no swizzle reads the bits {read:#b} and changes the bits {changed:#b}; expected two contiguous masks \
         with the same number of bits"
    )]
    SwizzleMasks { read: i64, changed: i64 },
    #[error(
        "swizzle {inner} followed by swizzle {outer} is not a single swizzle; expected equal shifts"
    )]
    ShiftsDiffer { outer: String, inner: String },
    #[error(
        "swizzle {inner} followed by swizzle {outer} is not a single swizzle, because {outer} reads bits that \
         {inner} changes"
    )]
    SwizzlesChain { outer: String, inner: String },
    #[error(
        "the result is not a swizzled layout: coordinate {at} has index {expected}, but the only candidate \
         layout gives {found}"
    )]
    NotSwizzled { at: i64, expected: i64, found: i64 },
    #[error("the layout adds offset {offset} before the swizzle; expected offset 0")]
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

/// Returns a description of a tuple with `count` items. The count of a single number is 0.
fn items(count: usize) -> String {
    match count {
        0 => "a number".to_owned(),
        1 => "a tuple of 1 item".to_owned(),
        count => format!("a tuple of {count} items"),
    }
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
