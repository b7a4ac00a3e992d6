//! Errors of layouts, with the mode or dim at fault.

use core::fmt;
use thiserror::Error;

/// One of the two lists of modes in a register layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModeList {
    /// The spatial list: the modes whose digits form the thread number.
    Spatial,
    /// The local list: the modes whose digits form the position in the registers of a thread.
    Local,
}

impl fmt::Display for ModeList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spatial => "spatial",
            Self::Local => "local",
        })
    }
}

/// The error for an invalid layout or text, or for an operation that has no result.
///
/// The text states the found and the expected value, and the nearest valid value.
/// ```
/// use linear_layout_tilus::RegisterLayout;
/// let e = RegisterLayout::new(&[4, 6], &[4, 4], &[0], &[1]).unwrap_err();
/// assert_eq!(
///     e.to_string(),
///     "mode 1 of extent 4 does not divide the remaining 6 of 6 of dim 1; expected a divisor of 6, such as 3"
/// );
/// assert_eq!((e.dim(), e.mode()), (Some(1), Some(1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct TilusError(Box<ErrorKind>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum ErrorKind {
    #[error("entry {at} of the {what} is 0; extents are 1 or more")]
    Zero { what: &'static str, at: usize },
    #[error("the {what} is larger than 2^62")]
    TooLarge { what: &'static str },
    #[error("mode {mode} of extent {extent} does not divide the remaining {left} of {of} of dim {dim}; expected \
             a divisor of {left}, such as {}", divisor_near(*.left, *.extent - 1))]
    ModeDoesNotDivide {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
        of: u64,
    },
    #[error(
        "the modes end inside dim {dim}: {left} of its extent {of} is not covered; add a mode of extent {left}"
    )]
    ModesMissing { dim: usize, left: u64, of: u64 },
    #[error(
        "mode {mode} of extent {extent} exceeds the last dim; drop it, or enlarge the last dim"
    )]
    ModesLeft { mode: usize, extent: u64 },
    #[error("{}", no_such_mode(*.list, *.found, *.modes))]
    NoSuchMode {
        list: ModeList,
        found: i64,
        modes: usize,
    },
    #[error("mode {mode} is used twice; each mode is either spatial or local, once")]
    ModeTwice { mode: usize },
    #[error(
        "mode {mode} of extent {extent} is neither spatial nor local: {extent} elements would share each position; add it \
         to one of the lists"
    )]
    ModeUnused { mode: usize, extent: u64 },
    #[error("found {found} {what} for {expected} {of}; expected one for each")]
    LengthsDiffer {
        what: &'static str,
        found: usize,
        of: &'static str,
        expected: usize,
    },
    #[error("dim {found} does not exist; expected less than the rank {rank}")]
    NoSuchDim { found: usize, rank: usize },
    #[error("dim {dim} is repeated")]
    DimTwice { dim: usize },
    #[error("dims {start}..{end} are out of range; expected a range within 0..{rank}")]
    RangeOfDims {
        start: usize,
        end: usize,
        rank: usize,
    },
    #[error("dim {dim} has extent {extent}; expected extent 1 to squeeze it: reduce it first")]
    NotExtentOne { dim: usize, extent: u64 },
    #[error("the new shape has {found} elements; expected {expected}")]
    SizesDiffer { found: u64, expected: u64 },
    #[error(
        "mode {mode} of extent {extent} crosses the end of new dim {dim}, {left} before it: neither \
         divides the other; expected a boundary at a multiple of {extent}; flattening first merges modes"
    )]
    Straddles {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
    },
    #[error("dim {dim} of extent {extent} cannot be reduced to {found}; expected 1 or {extent}")]
    NotBroadcast { dim: usize, extent: u64, found: u64 },
    #[error("the divisor has rank {found}; expected at most {rank}, the rank of the layout")]
    RankLarger { found: usize, rank: usize },
    #[error("dim {dim} of extent {extent} has no boundary of modes at {by}, the divisor's extent")]
    DimNotDivisible { dim: usize, extent: u64, by: u64 },
    #[error("the {list} modes, {size} in all, have no boundary at {by}, the divisor's {list} size")]
    ListNotDivisible { list: ModeList, size: u64, by: u64 },
    #[error(
        "mode {mode} of extent {extent} is cut at {by_dim} by the divisor's dim, but at {by_list} by its {list} \
         modes"
    )]
    CutsDiffer {
        list: ModeList,
        mode: usize,
        extent: u64,
        by_dim: u64,
        by_list: u64,
    },
    #[error("the {which} part of the layout is {found}, not the divisor")]
    PartDiffers { which: &'static str, found: String },
    #[error("the number of threads, {threads}, and of elements, {size}, must divide one another; the nearest number of threads is {}",
            divisor_near(*.size, *.threads))]
    ThreadsDoNotFit { threads: u64, size: u64 },
    #[error("{what} {found}{} is out of range; expected less than {size}", .at.map_or_else(String::new, |at| format!(" of dim {at}")))]
    OutOfRange {
        what: &'static str,
        at: Option<usize>,
        found: u64,
        size: u64,
    },
    #[error("a swizzle with base {base}, bits {bits} and shift {shift} reaches bit {}; offsets have 63",
            u64::from(*.base) + u64::from(*.bits) + u64::from(*.shift))]
    SwizzleTooLarge { base: u32, bits: u32, shift: u32 },
    #[error("an element has {bytes} bytes; expected 1, 2, 4, 8 or 16 for a swizzle")]
    ElementSize { bytes: u64 },
    #[error("a swizzled tile has {rows} rows of {row_bytes} bytes; expected multiples of 8 rows and 16 bytes, such as \
             {} rows of {} bytes", .rows.div_ceil(8) * 8, .row_bytes.div_ceil(16) * 16)]
    SwizzledTile { rows: u64, row_bytes: u64 },
    #[error("the element is before the first one of the sub-tensor")]
    BeforeFirst,
    #[error(
        "two consecutive swizzles are not one swizzle; expected at most one of the layouts to be swizzled"
    )]
    SwizzleTwice,
    #[error("the swizzle exceeds the tile of {size} elements; pad the tile to {}, a multiple of \
             {unit}", .size.div_ceil(*.unit) * .unit)]
    SwizzleNeedsTile { size: u64, unit: u64 },
    #[error("{rows} rows in tensor memory; expected 32, 64 or 128 in the second-to-last dim")]
    RowsOfTensorMemory { rows: u64 },
    #[error("the rows have column stride {stride}; expected 0, as rows are lanes")]
    RowStride { stride: u64 },
    #[error("expected {expected} at byte {at} of the layout text")]
    Parse { at: usize, expected: &'static str },
}

impl From<ErrorKind> for TilusError {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl TilusError {
    pub(super) fn parse(at: usize, expected: &'static str) -> Self {
        ErrorKind::Parse { at, expected }.into()
    }

    /// Returns the dim at fault, if any.
    #[must_use]
    pub fn dim(&self) -> Option<usize> {
        match *self.0 {
            ErrorKind::ModeDoesNotDivide { dim, .. }
            | ErrorKind::ModesMissing { dim, .. }
            | ErrorKind::DimTwice { dim }
            | ErrorKind::NotExtentOne { dim, .. }
            | ErrorKind::Straddles { dim, .. }
            | ErrorKind::NotBroadcast { dim, .. }
            | ErrorKind::DimNotDivisible { dim, .. }
            | ErrorKind::NoSuchDim { found: dim, .. } => Some(dim),
            ErrorKind::OutOfRange { at, .. } => at,
            _ => None,
        }
    }

    /// Returns the mode at fault, if any.
    #[must_use]
    pub fn mode(&self) -> Option<usize> {
        match *self.0 {
            ErrorKind::ModeDoesNotDivide { mode, .. }
            | ErrorKind::ModesLeft { mode, .. }
            | ErrorKind::ModeTwice { mode }
            | ErrorKind::ModeUnused { mode, .. }
            | ErrorKind::Straddles { mode, .. }
            | ErrorKind::CutsDiffer { mode, .. } => Some(mode),
            _ => None,
        }
    }

    /// Returns the byte offset of a syntax error, or `None` for other errors.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match *self.0 {
            ErrorKind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Returns true if a division failed because there is no quotient.
    #[must_use]
    pub fn is_not_divisible(&self) -> bool {
        matches!(
            *self.0,
            ErrorKind::RankLarger { .. }
                | ErrorKind::DimNotDivisible { .. }
                | ErrorKind::ListNotDivisible { .. }
                | ErrorKind::CutsDiffer { .. }
                | ErrorKind::PartDiffers { .. }
        )
    }
}

fn no_such_mode(list: ModeList, found: i64, modes: usize) -> String {
    if list == ModeList::Local && found < 0 {
        return format!(
            "local mode {found} is a replication; only spatial modes replicate: a thread has an element once"
        );
    }
    format!("{list} mode {found} does not exist: there are {modes} modes, counted from 0")
}

/// Returns the largest divisor of `n` that is at least 2, and at most `to` and 4096. Returns `n` if there is no
/// such divisor.
fn divisor_near(n: u64, to: u64) -> u64 {
    // Extents in messages are small: a longer search is not worthwhile.
    let limit = to.min(1 << 12);
    (2..=limit)
        .rev()
        .find(|d| n.is_multiple_of(*d))
        .unwrap_or(n)
}
