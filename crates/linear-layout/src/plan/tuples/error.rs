//! Why elements could not be combined.

use core::fmt;

use super::super::PlanError;
use crate::layout::{Dim, LayoutError};

/// No plan: the layouts do not fit each other or the target, or there is not enough shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TupleError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Kind {
    Width {
        bits: u32,
    },
    /// The source has no such dim.
    Axis {
        axis: usize,
        rank: usize,
    },
    /// The axis, or the rows, lie in several CTAs.
    SeveralBlocks {
        blocks: u64,
    },
    /// The result is not over the dims that stay.
    Rows {
        expected: Vec<u64>,
        found: Vec<(Dim, u64)>,
    },
    Scratch {
        needed: u32,
        limit: u32,
        target: &'static str,
    },
    Conversion(PlanError),
    Layout(LayoutError),
}

impl TupleError {
    /// Says whether what is asked for is sound but something about it is not built yet.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        match &self.kind {
            Kind::Width { .. } | Kind::SeveralBlocks { .. } => true,
            Kind::Conversion(error) => error.is_unsupported(),
            Kind::Axis { .. } | Kind::Rows { .. } | Kind::Scratch { .. } | Kind::Layout(_) => false,
        }
    }

    /// Says whether no way fits into shared memory.
    #[must_use]
    pub const fn is_scratch_limit(&self) -> bool {
        match &self.kind {
            Kind::Scratch { .. } => true,
            Kind::Conversion(error) => error.is_scratch_limit(),
            _ => false,
        }
    }
}

impl From<Kind> for TupleError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl From<PlanError> for TupleError {
    fn from(error: PlanError) -> Self {
        Kind::Conversion(error).into()
    }
}

impl From<LayoutError> for TupleError {
    fn from(error: LayoutError) -> Self {
        Kind::Layout(error).into()
    }
}

impl fmt::Display for TupleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Width { bits } => write!(
                f,
                "elements of {bits} bits cannot be combined: expected a power of two up to 64"
            ),
            Kind::Axis { axis, rank } => {
                write!(f, "axis {axis} is not one of the {rank} dimensions")
            }
            Kind::SeveralBlocks { blocks } => write!(
                f,
                "combining elements of a tensor over {blocks} CTAs is not supported yet: expected 1"
            ),
            Kind::Rows { expected, found } => {
                let found: Vec<u64> = found.iter().map(|(_, size)| *size).collect();
                write!(
                    f,
                    "the result has shape {found:?}, but without the axis the source has {expected:?}"
                )
            }
            Kind::Scratch {
                needed,
                limit,
                target,
            } => write!(
                f,
                "needs {needed} bytes of shared memory, but {target} has {limit} per CTA"
            ),
            Kind::Conversion(error) => error.fmt(f),
            Kind::Layout(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TupleError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            Kind::Conversion(error) => Some(error),
            Kind::Layout(error) => Some(error),
            _ => None,
        }
    }
}
