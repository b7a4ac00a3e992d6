//! Why a layout of another compiler cannot be read, or is no linear one.

use core::fmt;

use crate::layout::LayoutError;

/// Why a layout of another compiler cannot be read, or is no linear one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerLayoutError {
    kind: Box<Kind>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parse {
        at: usize,
        expected: &'static str,
    },
    FieldTwice {
        field: &'static str,
    },
    Missing {
        field: &'static str,
        needed_by: &'static str,
    },
    RankDiffers {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    RankTooSmall {
        found: usize,
        least: usize,
    },
    Zero {
        field: &'static str,
        at: usize,
    },
    NotPowerOfTwo {
        what: &'static str,
        dim: usize,
        value: u64,
    },
    NotDivisible {
        what: &'static str,
        dim: usize,
        extent: u64,
        by: u64,
    },
    NotPermutation {
        order: Vec<u64>,
    },
    NotDistributed {
        what: &'static str,
        dim: usize,
        tile: u64,
    },
    NoSuchTiledDim {
        found: i64,
        rank: usize,
    },
    TiledDimTwice {
        found: i64,
    },
    Count {
        what: &'static str,
        found: u64,
        expected: u64,
    },
    TooLarge,
    Layout(LayoutError),
}

impl From<Kind> for CompilerLayoutError {
    fn from(kind: Kind) -> Self {
        Self {
            kind: Box::new(kind),
        }
    }
}

impl From<LayoutError> for CompilerLayoutError {
    fn from(e: LayoutError) -> Self {
        Kind::Layout(e).into()
    }
}

impl CompilerLayoutError {
    /// Returns the byte of the text where reading stopped, for an error of reading a text.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match *self.kind {
            Kind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }
}

impl fmt::Display for CompilerLayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            Kind::Parse { at, expected } => {
                write!(f, "expected {expected} at byte {at} of the layout text")
            }
            Kind::FieldTwice { field } => write!(f, "`{field}` is given twice"),
            Kind::Missing { field, needed_by } => {
                write!(f, "`{field}` is missing; `{needed_by}` needs it")
            }
            Kind::RankDiffers {
                what,
                found,
                expected,
            } => write!(f, "{what} has {found} dims, the layout {expected}"),
            Kind::RankTooSmall { found, least } => write!(
                f,
                "the tensor has {found} dims; the first tile needs {least} or more"
            ),
            Kind::Zero { field, at } => write!(f, "entry {at} of `{field}` is 0; 1 is the least"),
            Kind::NotPowerOfTwo { what, dim, value } => write!(
                f,
                "extent {value} of dim {dim} of {what} is not a power of two; {} is the next",
                value.next_power_of_two()
            ),
            Kind::NotDivisible {
                what,
                dim,
                extent,
                by,
            } => write!(
                f,
                "extent {extent} of dim {dim} is no multiple of {what}, {by}; {} is the next",
                extent.div_ceil(*by).saturating_mul(*by)
            ),
            Kind::NotPermutation { order } => {
                write!(f, "`order` is {order:?}; it names each dim once, from 0")
            }
            Kind::NotDistributed { what, dim, tile } => write!(
                f,
                "{what} {dim} is 0, so that dim {dim} is not distributed, but its tile is {tile}; 1 is meant"
            ),
            Kind::NoSuchTiledDim { found, rank } => write!(
                f,
                "dim {found} is none that the tiles made; those are -{rank} to -1"
            ),
            Kind::TiledDimTwice { found } => {
                write!(f, "dim {found} is dealt out twice")
            }
            Kind::Count {
                what,
                found,
                expected,
            } => write!(
                f,
                "{what} make {found}; a warpgroup has {expected}, and `Replicated` fills up"
            ),
            Kind::TooLarge => f.write_str("a number passes 2^62"),
            Kind::Layout(e) => e.fmt(f),
        }
    }
}

impl core::error::Error for CompilerLayoutError {}
