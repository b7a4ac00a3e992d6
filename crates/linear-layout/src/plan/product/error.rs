//! Why a product could not be planned.

use super::super::PlanError;
use crate::layout::LayoutError;
use thiserror::Error;

/// No plan: the layouts do not fit each other or the target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct ProductError(Kind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Kind {
    #[error(
        "a product of {a:?} and {b:?} to {d:?}: expected m x k, k x n and m x n, perhaps several"
    )]
    Shapes {
        a: Vec<u64>,
        b: Vec<u64>,
        d: Vec<u64>,
    },
    #[error("{operand} lies in {} lanes of {} warps: expected {} of {}, as the target and D have", .found.0, .found.1, .expected.0, .expected.1)]
    Threads {
        operand: &'static str,
        found: (u64, u64),
        expected: (u64, u64),
    },
    #[error("a product of tensors over {blocks} CTAs is not supported yet: expected 1")]
    SeveralBlocks { blocks: u64 },
    #[error("elements of {bits} bits are multiplied as nothing known")]
    Numbers { bits: u32 },
    #[error("an operand cannot be converted: {0}")]
    Conversion(#[from] PlanError),
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<Kind>> From<E> for ProductError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}

impl ProductError {
    /// Returns true if the product is sound but something about it is not built yet.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        matches!(self.0, Kind::SeveralBlocks { .. } | Kind::Numbers { .. })
    }
}
