//! What can be wrong with a plan.

use core::fmt;

use crate::plan::ValueId;

/// What is wrong with a plan, at the first place where it shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanFault {
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Shape {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    Undefined {
        step: usize,
        value: ValueId,
    },
    Wrong {
        register: usize,
        lane: u32,
        warp: u32,
        found: Option<u32>,
        expected: u32,
    },
    Race {
        step: usize,
        thread: u32,
        byte: u32,
        reading: bool,
    },
    Uninitialised {
        step: usize,
        thread: u32,
        byte: u32,
    },
    OutOfBounds {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
        scratch: u32,
    },
    Misaligned {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
    },
    Width {
        step: usize,
        what: &'static str,
    },
    Lane {
        step: usize,
        lane: u32,
        lanes: u32,
    },
    /// Elements of different operands, or of none, that are combined.
    Tuple {
        step: usize,
    },
    /// Lanes that are no copies of each other.
    Lanes {
        step: usize,
    },
    Combined {
        result: usize,
        thread: usize,
    },
}

impl PlanFault {
    /// Says whether a destination register ended with the wrong element.
    #[must_use]
    pub const fn is_wrong_element(&self) -> bool {
        matches!(self.kind, Kind::Wrong { .. })
    }

    /// Says whether two threads met in shared memory without a barrier between them.
    #[must_use]
    pub const fn is_race(&self) -> bool {
        matches!(self.kind, Kind::Race { .. })
    }

    /// Says whether shared memory was read before it was written.
    #[must_use]
    pub const fn is_uninitialised(&self) -> bool {
        matches!(self.kind, Kind::Uninitialised { .. })
    }

    /// Says whether an access left the scratch buffer or was not aligned to its size.
    #[must_use]
    pub const fn is_bad_address(&self) -> bool {
        matches!(
            self.kind,
            Kind::OutOfBounds { .. } | Kind::Misaligned { .. }
        )
    }
}

impl From<Kind> for PlanFault {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for PlanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Shape {
                what,
                found,
                expected,
            } => {
                write!(
                    f,
                    "the plan is not for these layouts: it has {found} {what}, expected {expected}"
                )
            }
            Kind::Undefined { step, value } => {
                write!(f, "step {step} uses {value}, which no step defined before")
            }
            Kind::Wrong {
                register,
                lane,
                warp,
                found: Some(found),
                expected,
            } => write!(
                f,
                "register {register} of lane {lane}, warp {warp} ends with element {found}: expected {expected}"
            ),
            Kind::Wrong {
                register,
                lane,
                warp,
                found: None,
                expected,
            } => write!(
                f,
                "register {register} of lane {lane}, warp {warp} ends with nothing: expected element {expected}"
            ),
            Kind::Race {
                step,
                thread,
                byte,
                reading,
            } => write!(
                f,
                "race at step {step}: thread {thread} {} byte {byte} of shared memory without a barrier after \
                 another thread's access",
                if *reading { "reads" } else { "writes" }
            ),
            Kind::Uninitialised { step, thread, byte } => write!(
                f,
                "step {step}: thread {thread} reads byte {byte} of shared memory, which nobody wrote"
            ),
            Kind::OutOfBounds {
                step,
                thread,
                byte,
                bytes,
                scratch,
            } => write!(
                f,
                "step {step}: thread {thread} accesses {bytes} bytes at {byte} of a buffer of {scratch} bytes"
            ),
            Kind::Misaligned {
                step,
                thread,
                byte,
                bytes,
            } => write!(
                f,
                "step {step}: thread {thread} accesses {bytes} bytes at {byte}: expected a multiple of {bytes}"
            ),
            Kind::Width { step, what } => write!(f, "step {step}: {what}"),
            Kind::Lane { step, lane, lanes } => {
                write!(f, "step {step}: a lane reads from lane {lane} of {lanes}")
            }
            Kind::Tuple { step } => write!(
                f,
                "step {step} combines what does not stand for the same in all operands"
            ),
            Kind::Lanes { step } => write!(
                f,
                "step {step} takes for copies what lanes do not hold alike"
            ),
            Kind::Combined { result, thread } => write!(
                f,
                "result {result} of thread {thread} does not combine what it should, each element once and in order"
            ),
        }
    }
}

impl core::error::Error for PlanFault {}
