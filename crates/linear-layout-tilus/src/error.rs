//! What can be wrong with a layout of Tilus, with the mode or dim that is at fault.

use core::fmt;

/// Which of the two lists of modes.
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

/// Why a layout cannot be made, or an operation on it has no answer.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TilusError {
    kind: Box<Kind>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An extent is zero.
    Zero {
        what: &'static str,
        at: usize,
    },
    TooLarge {
        what: &'static str,
    },
    ModeDoesNotDivide {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
        of: u64,
    },
    ModesMissing {
        dim: usize,
        left: u64,
        of: u64,
    },
    ModesLeft {
        mode: usize,
        extent: u64,
    },
    NoSuchMode {
        list: ModeList,
        found: i64,
        modes: usize,
    },
    ModeTwice {
        mode: usize,
    },
    ModeUnused {
        mode: usize,
        extent: u64,
    },
    LengthsDiffer {
        what: &'static str,
        found: usize,
        of: &'static str,
        expected: usize,
    },
    NoSuchDim {
        found: usize,
        rank: usize,
    },
    DimTwice {
        dim: usize,
    },
    RangeOfDims {
        start: usize,
        end: usize,
        rank: usize,
    },
    NotExtentOne {
        dim: usize,
        extent: u64,
    },
    SizesDiffer {
        found: u64,
        expected: u64,
    },
    Straddles {
        mode: usize,
        extent: u64,
        dim: usize,
        left: u64,
    },
    NotBroadcast {
        dim: usize,
        extent: u64,
        found: u64,
    },
    RankLarger {
        found: usize,
        rank: usize,
    },
    DimNotDivisible {
        dim: usize,
        extent: u64,
        by: u64,
    },
    ListNotDivisible {
        list: ModeList,
        size: u64,
        by: u64,
    },
    CutsDiffer {
        list: ModeList,
        mode: usize,
        extent: u64,
        by_dim: u64,
        by_list: u64,
    },
    PartDiffers {
        which: &'static str,
        found: String,
    },
    ThreadsDoNotFit {
        threads: u64,
        size: u64,
    },
    OutOfRange {
        what: &'static str,
        at: Option<usize>,
        found: u64,
        size: u64,
    },
    SwizzleTooLarge {
        base: u32,
        bits: u32,
        shift: u32,
    },
    ElementSize {
        bytes: u64,
    },
    SwizzledTile {
        rows: u64,
        row_bytes: u64,
    },
    BeforeFirst,
    SwizzleTwice,
    SwizzleNeedsTile {
        size: u64,
        unit: u64,
    },
    RowsOfTensorMemory {
        rows: u64,
    },
    RowStride {
        stride: u64,
    },
    Parse {
        at: usize,
        expected: &'static str,
    },
}

impl From<Kind> for TilusError {
    fn from(kind: Kind) -> Self {
        Self {
            kind: Box::new(kind),
        }
    }
}

impl TilusError {
    pub(super) fn parse(at: usize, expected: &'static str) -> Self {
        Kind::Parse { at, expected }.into()
    }

    /// Returns the dim at fault, where it is one.
    #[must_use]
    pub fn dim(&self) -> Option<usize> {
        match *self.kind {
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
        match *self.kind {
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
        match *self.kind {
            Kind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Tells whether there is no quotient of two layouts.
    #[must_use]
    pub fn is_not_divisible(&self) -> bool {
        matches!(
            *self.kind,
            Kind::RankLarger { .. }
                | Kind::DimNotDivisible { .. }
                | Kind::ListNotDivisible { .. }
                | Kind::CutsDiffer { .. }
                | Kind::PartDiffers { .. }
        )
    }
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

impl fmt::Display for TilusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            Kind::Zero { what, at } => {
                write!(f, "entry {at} of the {what} is 0; extents are 1 or more")
            }
            Kind::TooLarge { what } => write!(f, "the {what} is larger than 2^62"),
            Kind::ModeDoesNotDivide {
                mode,
                extent,
                dim,
                left,
                of,
            } => write!(
                f,
                "mode {mode} of extent {extent} does not divide what is left of dim {dim}, {left} of \
                 {of}; a divisor of {left} does, such as {}",
                divisor_near(*left, *extent - 1)
            ),
            Kind::ModesMissing { dim, left, of } => write!(
                f,
                "the modes end inside dim {dim}: {left} of its extent {of} is left; another mode of \
                 extent {left} would fill it"
            ),
            Kind::ModesLeft { mode, extent } => write!(
                f,
                "mode {mode} of extent {extent} is left when all dims are filled; drop it, or enlarge \
                 the last dim"
            ),
            Kind::NoSuchMode {
                list: ModeList::Local,
                found,
                ..
            } if *found < 0 => write!(
                f,
                "local mode {found} is a replication; only spatial modes replicate: a thread has an \
                 element once"
            ),
            Kind::NoSuchMode { list, found, modes } => write!(
                f,
                "{list} mode {found} does not exist: there are {modes} modes, counted from 0"
            ),
            Kind::ModeTwice { mode } => write!(
                f,
                "mode {mode} is used twice; each mode is either spatial or local, once"
            ),
            Kind::ModeUnused { mode, extent } => write!(
                f,
                "mode {mode} of extent {extent} is neither spatial nor local: {extent} elements would \
                 share each place; add it to one of the lists"
            ),
            Kind::LengthsDiffer {
                what,
                found,
                of,
                expected,
            } => write!(f, "{found} {what} for {expected} {of}; one each is needed"),
            Kind::NoSuchDim { found, rank } => {
                write!(
                    f,
                    "dim {found} does not exist: the rank is {rank}, counted from 0"
                )
            }
            Kind::DimTwice { dim } => write!(f, "dim {dim} is named twice"),
            Kind::RangeOfDims { start, end, rank } => write!(
                f,
                "dims {start}..{end} are not a range of the {rank} dims; the widest is 0..{rank}"
            ),
            Kind::NotExtentOne { dim, extent } => write!(
                f,
                "dim {dim} has extent {extent}; only a dim of extent 1 can be squeezed: reduce it first"
            ),
            Kind::SizesDiffer { found, expected } => write!(
                f,
                "the new shape has {found} elements, the layout {expected}"
            ),
            Kind::Straddles {
                mode,
                extent,
                dim,
                left,
            } => write!(
                f,
                "mode {mode} of extent {extent} would straddle the end of new dim {dim}, of which {left} \
                 is left: neither divides the other; a new dim with a boundary at a multiple of {extent} \
                 can be had, or flatten first, which merges modes"
            ),
            Kind::NotBroadcast { dim, extent, found } => write!(
                f,
                "dim {dim} of extent {extent} cannot be reduced to {found}; only to 1 or {extent}"
            ),
            Kind::RankLarger { found, rank } => write!(
                f,
                "the divisor has rank {found}, the layout {rank}; a quotient needs a divisor of no \
                 larger rank"
            ),
            Kind::DimNotDivisible { dim, extent, by } => write!(
                f,
                "dim {dim} of extent {extent} has no boundary of modes at {by}, the divisor's extent \
                 there"
            ),
            Kind::ListNotDivisible { list, size, by } => write!(
                f,
                "the {list} modes, {size} in all, have no boundary at {by}, the divisor's {list} size"
            ),
            Kind::CutsDiffer {
                list,
                mode,
                extent,
                by_dim,
                by_list,
            } => write!(
                f,
                "of mode {mode} of extent {extent} the divisor would take {by_dim} by its dim and \
                 {by_list} by its place among the {list} modes"
            ),
            Kind::PartDiffers { which, found } => {
                write!(
                    f,
                    "the {which} part of the layout is {found}, not the divisor"
                )
            }
            Kind::ThreadsDoNotFit { threads, size } => write!(
                f,
                "{threads} threads and {size} elements: one must divide the other; {} threads would do",
                divisor_near(*size, *threads)
            ),
            Kind::OutOfRange {
                what,
                at,
                found,
                size,
            } => {
                write!(f, "{what} {found}")?;
                if let Some(at) = at {
                    write!(f, " of dim {at}")?;
                }
                write!(f, " is not below {size}")
            }
            Kind::SwizzleTooLarge { base, bits, shift } => write!(
                f,
                "a swizzle with base {base}, bits {bits} and shift {shift} reaches bit {}; offsets have \
                 63",
                u64::from(*base) + u64::from(*bits) + u64::from(*shift)
            ),
            Kind::ElementSize { bytes } => write!(
                f,
                "an element of {bytes} bytes; 1, 2, 4, 8 or 16 can be swizzled"
            ),
            Kind::SwizzledTile { rows, row_bytes } => write!(
                f,
                "a swizzled tile has a multiple of 8 rows of a multiple of 16 bytes, here {rows} rows of \
                 {row_bytes} bytes; {} rows of {} bytes would do",
                rows.div_ceil(8) * 8,
                row_bytes.div_ceil(16) * 16
            ),
            Kind::BeforeFirst => f.write_str(
                "the element lies before the first one of the part, from which offsets count",
            ),
            Kind::SwizzleTwice => f.write_str(
                "two swizzles, one after the other, are not one; only one of the layouts may have one",
            ),
            Kind::SwizzleNeedsTile { size, unit } => write!(
                f,
                "the swizzle would not stay inside the tile of {size} elements; pad the tile to {}, a \
                 multiple of {unit}",
                size.div_ceil(*unit) * unit
            ),
            Kind::RowsOfTensorMemory { rows } => write!(
                f,
                "{rows} rows in tensor memory; the last dim but one has 32, 64 or 128"
            ),
            Kind::RowStride { stride } => write!(
                f,
                "a column stride of {stride} for the rows; rows are lanes, and their column stride is 0"
            ),
            Kind::Parse { at, expected } => {
                write!(f, "expected {expected} at byte {at} of the layout text")
            }
        }
    }
}

impl core::error::Error for TilusError {}
