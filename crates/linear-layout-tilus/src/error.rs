//! Errors of Tilus' layouts, with the mode or dim that is at fault.

use core::fmt;
use thiserror::Error;

/// One of the two lists of modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModeList {
    /// Modes that choose the thread.
    Spatial,
    /// Modes that choose the place in a thread's registers.
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

/// An error of making a layout or of an operation on it.
///
/// The kind is private; the text says what was found, what was expected and what comes nearest.
/// ```
/// use linear_layout_tilus::RegisterLayout;
/// let e = RegisterLayout::new(&[4, 6], &[4, 4], &[0], &[1]).unwrap_err();
/// assert_eq!(
///     e.to_string(),
///     "mode 1 of extent 4 does not divide what is left of dim 1, 6 of 6; a divisor of 6 does, such as 3"
/// );
/// assert_eq!((e.dim(), e.mode()), (Some(1), Some(1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct TilusError(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Kind {
    /// An extent is zero.
    #[error("entry {at} of the {what} is 0; extents are 1 or more")]
    Zero { what: &'static str, at: usize },
    #[error("the {what} is larger than 2^62")]
    TooLarge { what: &'static str },
    #[error("mode {mode} of extent {extent} does not divide what is left of dim {dim}, {left} of {of}; a divisor \
             of {left} does, such as {}", divisor_near(*.left, *.extent - 1))]
    ModeDoesNotDivide {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
        of: u64,
    },
    #[error(
        "the modes end inside dim {dim}: {left} of its extent {of} is left; another mode of extent {left} would fill it"
    )]
    ModesMissing { dim: usize, left: u64, of: u64 },
    #[error(
        "mode {mode} of extent {extent} is left when all dims are filled; drop it, or enlarge the last dim"
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
        "mode {mode} of extent {extent} is neither spatial nor local: {extent} elements would share each place; add it \
         to one of the lists"
    )]
    ModeUnused { mode: usize, extent: u64 },
    #[error("{found} {what} for {expected} {of}; one each is needed")]
    LengthsDiffer {
        what: &'static str,
        found: usize,
        of: &'static str,
        expected: usize,
    },
    #[error("dim {found} does not exist: the rank is {rank}, counted from 0")]
    NoSuchDim { found: usize, rank: usize },
    #[error("dim {dim} is named twice")]
    DimTwice { dim: usize },
    #[error("dims {start}..{end} are not a range of the {rank} dims; the widest is 0..{rank}")]
    RangeOfDims {
        start: usize,
        end: usize,
        rank: usize,
    },
    #[error(
        "dim {dim} has extent {extent}; only a dim of extent 1 can be squeezed: reduce it first"
    )]
    NotExtentOne { dim: usize, extent: u64 },
    #[error("the new shape has {found} elements, the layout {expected}")]
    SizesDiffer { found: u64, expected: u64 },
    #[error(
        "mode {mode} of extent {extent} would straddle the end of new dim {dim}, of which {left} is left: neither \
         divides the other; a new dim with a boundary at a multiple of {extent} can be had, or flatten first, which \
         merges modes"
    )]
    Straddles {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
    },
    #[error("dim {dim} of extent {extent} cannot be reduced to {found}; only to 1 or {extent}")]
    NotBroadcast { dim: usize, extent: u64, found: u64 },
    #[error(
        "the divisor has rank {found}, the layout {rank}; a quotient needs a divisor of no larger rank"
    )]
    RankLarger { found: usize, rank: usize },
    #[error(
        "dim {dim} of extent {extent} has no boundary of modes at {by}, the divisor's extent there"
    )]
    DimNotDivisible { dim: usize, extent: u64, by: u64 },
    #[error("the {list} modes, {size} in all, have no boundary at {by}, the divisor's {list} size")]
    ListNotDivisible { list: ModeList, size: u64, by: u64 },
    #[error(
        "of mode {mode} of extent {extent} the divisor would take {by_dim} by its dim and {by_list} by its place among \
         the {list} modes"
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
    #[error("{threads} threads and {size} elements: one must divide the other; {} threads would do",
            divisor_near(*.size, *.threads))]
    ThreadsDoNotFit { threads: u64, size: u64 },
    #[error("{what} {found}{} is not below {size}", .at.map_or_else(String::new, |at| format!(" of dim {at}")))]
    OutOfRange {
        what: &'static str,
        at: Option<usize>,
        found: u64,
        size: u64,
    },
    #[error("a swizzle with base {base}, bits {bits} and shift {shift} reaches bit {}; offsets have 63",
            u64::from(*.base) + u64::from(*.bits) + u64::from(*.shift))]
    SwizzleTooLarge { base: u32, bits: u32, shift: u32 },
    #[error("an element of {bytes} bytes; 1, 2, 4, 8 or 16 can be swizzled")]
    ElementSize { bytes: u64 },
    #[error("a swizzled tile has a multiple of 8 rows of a multiple of 16 bytes, here {rows} rows of {row_bytes} \
             bytes; {} rows of {} bytes would do", .rows.div_ceil(8) * 8, .row_bytes.div_ceil(16) * 16)]
    SwizzledTile { rows: u64, row_bytes: u64 },
    #[error("the element lies before the first one of the part, from which offsets count")]
    BeforeFirst,
    #[error("two swizzles, one after the other, are not one; only one of the layouts may have one")]
    SwizzleTwice,
    #[error("the swizzle would not stay inside the tile of {size} elements; pad the tile to {}, a multiple of \
             {unit}", .size.div_ceil(*.unit) * .unit)]
    SwizzleNeedsTile { size: u64, unit: u64 },
    #[error("{rows} rows in tensor memory; the last dim but one has 32, 64 or 128")]
    RowsOfTensorMemory { rows: u64 },
    #[error(
        "a column stride of {stride} for the rows; rows are lanes, and their column stride is 0"
    )]
    RowStride { stride: u64 },
    #[error("expected {expected} at byte {at} of the layout text")]
    Parse { at: usize, expected: &'static str },
}

impl From<Kind> for TilusError {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl TilusError {
    pub(super) fn parse(at: usize, expected: &'static str) -> Self {
        Kind::Parse { at, expected }.into()
    }

    /// Returns the dim at fault, where it is one.
    #[must_use]
    pub fn dim(&self) -> Option<usize> {
        match *self.0 {
            Kind::ModeDoesNotDivide { dim, .. }
            | Kind::ModesMissing { dim, .. }
            | Kind::DimTwice { dim }
            | Kind::NotExtentOne { dim, .. }
            | Kind::Straddles { dim, .. }
            | Kind::NotBroadcast { dim, .. }
            | Kind::DimNotDivisible { dim, .. }
            | Kind::NoSuchDim { found: dim, .. } => Some(dim),
            Kind::OutOfRange { at, .. } => at,
            _ => None,
        }
    }

    /// Returns the mode at fault, where it is one.
    #[must_use]
    pub fn mode(&self) -> Option<usize> {
        match *self.0 {
            Kind::ModeDoesNotDivide { mode, .. }
            | Kind::ModesLeft { mode, .. }
            | Kind::ModeTwice { mode }
            | Kind::ModeUnused { mode, .. }
            | Kind::Straddles { mode, .. }
            | Kind::CutsDiffer { mode, .. } => Some(mode),
            _ => None,
        }
    }

    /// Returns the byte of the text where reading stopped, for an error of reading a text.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match *self.0 {
            Kind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Tells whether there is no quotient of two layouts.
    #[must_use]
    pub fn is_not_divisible(&self) -> bool {
        matches!(
            *self.0,
            Kind::RankLarger { .. }
                | Kind::DimNotDivisible { .. }
                | Kind::ListNotDivisible { .. }
                | Kind::CutsDiffer { .. }
                | Kind::PartDiffers { .. }
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

/// A divisor of `n` that is near `to`: the largest one not above it, and not one if there is another.
fn divisor_near(n: u64, to: u64) -> u64 {
    // Numbers in messages are extents; beyond this the text is not worth a search.
    let limit = to.min(1 << 12);
    (2..=limit)
        .rev()
        .find(|d| n.is_multiple_of(*d))
        .unwrap_or(n)
}
