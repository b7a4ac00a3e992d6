//! Why a conversion could not be planned.

use core::fmt;

use super::step::Strategy;
use crate::layout::{Dim, LayoutError};

/// No plan: the layouts do not fit each other or the target, or the request cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ElementWidth {
        bits: u32,
    },
    UnknownInDim {
        side: SideName,
        dim: Dim,
    },
    OutDims {
        src: Vec<(Dim, u64)>,
        dst: Vec<(Dim, u64)>,
    },
    Lanes {
        side: SideName,
        found: u64,
        expected: u32,
        target: &'static str,
    },
    Warps {
        src: u64,
        dst: u64,
    },
    TooManyThreads {
        threads: u64,
    },
    NotCovered {
        dim: Dim,
        bit: usize,
    },
    BlockMovement {
        dim: Dim,
        bit: usize,
    },
    Strategy {
        strategy: Strategy,
        moves: Vec<Dim>,
    },
    Scratch {
        needed: u64,
        limit: u32,
        target: &'static str,
    },
    Layout(LayoutError),
}

/// Which of the two layouts an error speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SideName {
    Source,
    Destination,
}

impl fmt::Display for SideName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Destination => "destination",
        })
    }
}

impl PlanError {
    /// Says whether the conversion is sound but something about it is not built yet.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        matches!(
            self.kind,
            Kind::BlockMovement { .. } | Kind::ElementWidth { .. }
        )
    }

    /// Says whether no plan fits the scratch limit.
    #[must_use]
    pub const fn is_scratch_limit(&self) -> bool {
        matches!(self.kind, Kind::Scratch { .. })
    }

    /// Says whether a prescribed strategy cannot carry out the conversion.
    #[must_use]
    pub const fn is_strategy(&self) -> bool {
        matches!(self.kind, Kind::Strategy { .. })
    }
}

impl From<Kind> for PlanError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl From<LayoutError> for PlanError {
    fn from(error: LayoutError) -> Self {
        Self {
            kind: Kind::Layout(error),
        }
    }
}

fn fmt_dims(f: &mut fmt::Formatter<'_>, dims: &[(Dim, u64)]) -> fmt::Result {
    f.write_str("(")?;
    for (i, (d, size)) in dims.iter().enumerate() {
        write!(f, "{}{} = {size}", if i == 0 { "" } else { ", " }, d.name())?;
    }
    f.write_str(")")
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::ElementWidth { bits } => write!(
                f,
                "elements of {bits} bits are not supported in a conversion: expected 1, 2, 4, 8, 16, 32 or 64"
            ),
            Kind::UnknownInDim { side, dim } => write!(
                f,
                "the {side} layout has the input dim `{}`: expected only `register`, `lane`, `warp`, `block`",
                dim.name()
            ),
            Kind::OutDims { src, dst } => {
                write!(f, "the layouts are of different tensors: source ")?;
                fmt_dims(f, src)?;
                write!(f, ", destination ")?;
                fmt_dims(f, dst)
            }
            Kind::Lanes {
                side,
                found,
                expected,
                target,
            } => write!(
                f,
                "the {side} layout has {found} lanes per warp: expected {expected} on {target}"
            ),
            Kind::Warps { src, dst } => {
                write!(
                    f,
                    "the source layout has {src} warps and the destination {dst}: expected the same"
                )
            }
            Kind::TooManyThreads { threads } => {
                write!(
                    f,
                    "the layouts have {threads} threads: expected at most 2048"
                )
            }
            Kind::NotCovered { dim, bit } => write!(
                f,
                "the destination needs an element that the source does not hold: no source register, lane or \
                 warp reaches what `{}` bit {bit} of the destination does",
                dim.name()
            ),
            Kind::BlockMovement { dim, bit } => write!(
                f,
                "a conversion between the blocks of a cluster is not supported yet: `{}` bit {bit} of the \
                 destination needs elements of another block",
                dim.name()
            ),
            Kind::Strategy { strategy, moves } => {
                write!(
                    f,
                    "the strategy `{strategy}` cannot carry out a conversion that moves data across "
                )?;
                for (i, d) in moves.iter().enumerate() {
                    write!(f, "{}`{}`", if i == 0 { "" } else { ", " }, d.name())?;
                }
                Ok(())
            }
            Kind::Scratch {
                needed,
                limit,
                target,
            } => write!(
                f,
                "the conversion needs {needed} bytes of shared memory on {target}: expected at most {limit}"
            ),
            Kind::Layout(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PlanError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            Kind::Layout(error) => Some(error),
            _ => None,
        }
    }
}
