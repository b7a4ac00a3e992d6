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
///     "mode 1 has extent 4, which does not divide 6, the factor of dim 1 (extent 6) that is not covered yet; \
///      use a divisor such as 3"
/// );
/// assert_eq!((e.dim(), e.mode()), (Some(1), Some(1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct TilusError(Box<ErrorKind>);

/// The description of the number of threads in errors.
const THREADS: &str = "number of threads";

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum ErrorKind {
    #[error("{} is 0; expected at least 1",
            if *.what == THREADS { format!("the {what}") } else { format!("entry {at} of the {what}") })]
    Zero { what: &'static str, at: usize },
    #[error("the {what} is too large; expected at most 2^62")]
    TooLarge { what: &'static str },
    #[error("mode {mode} has extent {extent}, which does not divide {left}, the factor of dim {dim} (extent \
             {of}) that is not covered yet; use a divisor such as {}", divisor_near(*.left, *.extent - 1))]
    ModeDoesNotDivide {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
        of: u64,
    },
    #[error("dim {dim} has extent {of}, but the modes cover only a factor of {}; add a mode of extent \
             {left}", of / left)]
    ModesMissing { dim: usize, left: u64, of: u64 },
    #[error("mode {mode} has extent {extent}{}",
            if *.extent == 1 { "; expected at least 2" }
            else { ", but the modes before cover all dims; drop the mode, or enlarge the last dim" })]
    ModesLeft { mode: usize, extent: u64 },
    #[error("{}", no_such_mode(*.list, *.found, *.modes))]
    NoSuchMode {
        list: ModeList,
        found: i64,
        modes: usize,
    },
    #[error("mode {mode} is listed twice; expected each mode once, as a spatial or a local mode")]
    ModeTwice { mode: usize },
    #[error(
        "mode {mode} of extent {extent} is neither spatial nor local, so that {extent} elements share each \
         register; add the mode to the spatial or the local modes"
    )]
    ModeUnused { mode: usize, extent: u64 },
    #[error("the number of {what} is {found}; expected {expected}, one for each {of}")]
    LengthsDiffer {
        what: &'static str,
        found: usize,
        of: &'static str,
        expected: usize,
    },
    #[error("the shape of a tile has rank {found}; expected at least 2, for rows and columns")]
    TileRank { found: usize },
    #[error("the reduced shape has rank {found}; expected at most {rank}, the rank of the layout")]
    ReducedRank { found: usize, rank: usize },
    #[error("dim {found} does not exist; expected a dim less than the rank, {rank}")]
    NoSuchDim { found: usize, rank: usize },
    #[error("dim {dim} is listed twice; expected each dim once")]
    DimTwice { dim: usize },
    #[error("dims {start}..{end} are out of range; expected a range within 0..{rank}")]
    RangeOfDims {
        start: usize,
        end: usize,
        rank: usize,
    },
    #[error(
        "dim {dim} has extent {extent}; expected extent 1 in a dim that is squeezed; reduce the dim first"
    )]
    NotExtentOne { dim: usize, extent: u64 },
    #[error("the new shape has {found} elements; expected {expected}")]
    SizesDiffer { found: u64, expected: u64 },
    #[error(
        "mode {mode} (extent {extent}) crosses the end of new dim {dim}: a factor of {rest} of the mode and a \
         factor of {left} of the dim are not covered yet; expected one factor to divide the other; flatten \
         first to merge modes"
    )]
    Straddles {
        mode: usize,
        extent: u64,
        rest: u64,
        dim: usize,
        left: u64,
    },
    #[error("dim {dim} of extent {extent} cannot be reduced to {found}; expected 1 or {extent}")]
    NotBroadcast { dim: usize, extent: u64, found: u64 },
    #[error("the divisor has rank {found}; expected at most {rank}, the rank of the layout")]
    RankLarger { found: usize, rank: usize },
    #[error(
        "the modes of dim {dim} (extent {extent}) cannot be split at {by}, the extent of the divisor in this \
         dim"
    )]
    DimNotDivisible { dim: usize, extent: u64, by: u64 },
    #[error(
        "the {list} modes (total size {size}) cannot be split at {by}, the {list} size of the divisor"
    )]
    ListNotDivisible { list: ModeList, size: u64, by: u64 },
    #[error(
        "the shape of the divisor splits mode {mode} (extent {extent}) at {by_dim}, but the {list} modes of \
         the divisor split mode {mode} at {by_list}; expected the same split"
    )]
    CutsDiffer {
        list: ModeList,
        mode: usize,
        extent: u64,
        by_dim: u64,
        by_list: u64,
    },
    #[error("the {which} part of the layout is {found}; expected a part equal to the divisor")]
    PartDiffers { which: &'static str, found: String },
    #[error("{threads} threads do not fit {size} elements; expected a divisor or a multiple of {size}, such as \
             {} threads",
            divisor_near(*.size, *.threads))]
    ThreadsDoNotFit { threads: u64, size: u64 },
    #[error("{what} {found}{} is out of range; expected less than {size}", .at.map_or_else(String::new, |at| format!(" of dim {at}")))]
    OutOfRange {
        what: &'static str,
        at: Option<usize>,
        found: u64,
        size: u64,
    },
    #[error("a swizzle with base {base}, bits {bits} and shift {shift} has the sum {}; expected base + bits + \
             shift of at most 63",
            u64::from(*.base) + u64::from(*.bits) + u64::from(*.shift))]
    SwizzleTooLarge { base: u32, bits: u32, shift: u32 },
    #[error("an element has {bytes} bytes; expected 1, 2, 4, 8 or 16 for a swizzle")]
    ElementSize { bytes: u64 },
    #[error("a swizzled tile has {rows} rows of {row_bytes} bytes; expected multiples of 8 rows and 16 bytes, such as \
             {} rows of {} bytes", .rows.div_ceil(8) * 8, .row_bytes.div_ceil(16) * 16)]
    SwizzledTile { rows: u64, row_bytes: u64 },
    #[error("the offset of the element is less than the first offset of the sub-tensor")]
    BeforeFirst,
    #[error(
        "both layouts are swizzled, and two swizzles do not combine into one; expected at most one swizzled \
         layout"
    )]
    SwizzleTwice,
    #[error("a tile of {size} elements does not fit the swizzle; pad the tile to {} elements, a multiple of \
             {unit}",
            .size.div_ceil(*.unit) * .unit)]
    SwizzleNeedsTile { size: u64, unit: u64 },
    #[error("the second-to-last dim has {rows} rows; expected 32, 64 or 128 rows in tensor memory")]
    RowsOfTensorMemory { rows: u64 },
    #[error(
        "the row dim has column stride {stride}; expected 0, because each row is a lane of tensor memory"
    )]
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
            "local mode {found} is a replication; expected a mode index, because only spatial modes can be \
             replications"
        );
    }
    format!(
        "{list} mode {found} does not exist; expected a mode less than {modes}, the number of modes"
    )
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
