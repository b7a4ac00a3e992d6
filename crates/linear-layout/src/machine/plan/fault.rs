//! Faults of plans.

use crate::plan::program::ValueId;
use thiserror::Error;

/// A fault of a plan, at the first place where it shows.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(transparent)]
pub struct PlanFault(#[from] Kind);

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum Kind {
    #[error("the plan is not for these layouts: it has {found} {what}, expected {expected}")]
    Shape {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("step {step} uses {value}, which no step defined before")]
    Undefined { step: usize, value: ValueId },
    #[error("register {register} of lane {lane}, warp {warp} ends with {}{expected}",
            .found.map_or("nothing: expected element ".into(), |found| format!("element {found}: expected ")))]
    Wrong {
        register: usize,
        lane: u32,
        warp: u32,
        found: Option<u32>,
        expected: u32,
    },
    #[error("race at step {step}: thread {thread} {} byte {byte} of shared memory without a barrier after another \
             thread's access", if *.reading { "reads" } else { "writes" })]
    Race {
        step: usize,
        thread: u32,
        byte: u32,
        reading: bool,
    },
    #[error("step {step}: thread {thread} reads byte {byte} of shared memory, which nobody wrote")]
    Uninitialised { step: usize, thread: u32, byte: u32 },
    #[error(
        "step {step}: thread {thread} accesses {bytes} bytes at {byte} of a buffer of {scratch} bytes"
    )]
    OutOfBounds {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
        scratch: u32,
    },
    #[error(
        "step {step}: thread {thread} accesses {bytes} bytes at {byte}: expected a multiple of {bytes}"
    )]
    Misaligned {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
    },
    #[error("step {step}: {what}")]
    Width { step: usize, what: &'static str },
    #[error("step {step}: a lane reads from lane {lane} of {lanes}")]
    Lane { step: usize, lane: u32, lanes: u32 },
    /// Elements of different operands, or of none, that are combined.
    #[error("step {step} combines what does not stand for the same in all operands")]
    Tuple { step: usize },
    #[error("step {step} adds up products of what does not belong together, or one twice")]
    Product { step: usize },
    #[error(
        "byte {byte} of the buffer does not hold its element, or holds one that nobody stores there"
    )]
    Stored { byte: u32 },
    #[error("two elements lie at byte {byte} of the buffer")]
    Preset { byte: u32 },
    /// Lanes that are no copies of each other.
    #[error("step {step} takes for copies what lanes do not hold alike")]
    Lanes { step: usize },
    #[error(
        "result {result} of thread {thread} does not combine what it should, each element once and in order"
    )]
    Combined { result: usize, thread: usize },
}

#[cfg(test)]
impl PlanFault {
    /// Says whether a destination register ended with the wrong element.
    pub(crate) const fn is_wrong_element(&self) -> bool {
        matches!(self.0, Kind::Wrong { .. })
    }

    /// Says whether two threads met in shared memory without a barrier between them.
    pub(crate) const fn is_race(&self) -> bool {
        matches!(self.0, Kind::Race { .. })
    }

    /// Says whether shared memory was read before it was written.
    pub(crate) const fn is_uninitialised(&self) -> bool {
        matches!(self.0, Kind::Uninitialised { .. })
    }

    /// Says whether an access left the scratch buffer or was not aligned to its size.
    pub(crate) const fn is_bad_address(&self) -> bool {
        matches!(self.0, Kind::OutOfBounds { .. } | Kind::Misaligned { .. })
    }
}
