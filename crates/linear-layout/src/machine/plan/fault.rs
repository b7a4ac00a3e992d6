//! Faults that the execution of a plan detects.

use crate::plan::program::ValueId;
use thiserror::Error;

/// The first fault that was detected in the execution of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(transparent)]
pub struct PlanFault(#[from] FaultKind);

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum FaultKind {
    #[error("the plan is not for these layouts: it has {found} {what}, expected {expected}")]
    Shape {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("step {step} uses {value} before its definition")]
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
    #[error("race at step {step}: thread {thread} {} byte {byte} of shared memory without a barrier after a \
             conflicting access", if *.reading { "reads" } else { "writes" })]
    Race {
        step: usize,
        thread: u32,
        byte: u32,
        reading: bool,
    },
    #[error("step {step}: thread {thread} reads byte {byte} of shared memory before it is written")]
    Uninitialised { step: usize, thread: u32, byte: u32 },
    #[error(
        "step {step}: thread {thread} accesses {bytes} bytes at byte {byte} of a buffer of {scratch} bytes"
    )]
    OutOfBounds {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
        scratch: u32,
    },
    #[error(
        "step {step}: thread {thread} accesses the memory of block {rank} of a cluster of {blocks} blocks"
    )]
    Rank {
        step: usize,
        thread: u32,
        rank: u32,
        blocks: u32,
    },
    #[error(
        "step {step}: thread {thread} accesses {bytes} bytes at byte {byte}: expected a multiple of {bytes}"
    )]
    Misaligned {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
    },
    #[error("step {step}: {what}")]
    Width { step: usize, what: &'static str },
    #[error("step {step} reads from lane {lane}, but a warp has {lanes} lanes")]
    Lane { step: usize, lane: u32, lanes: u32 },
    #[error("step {step} combines elements that do not correspond in all operands")]
    Tuple { step: usize },
    #[error("step {step} adds products of mismatched elements, or one product twice")]
    Product { step: usize },
    #[error("byte {byte} of the buffer holds a wrong element")]
    Stored { byte: u32 },
    #[error("two elements lie at byte {byte} of the buffer")]
    Overlap { byte: u32 },
    #[error("step {step}: replicas in several lanes hold different elements")]
    Lanes { step: usize },
    #[error("result {result} of thread {thread} does not combine its elements once and in order")]
    Combined { result: usize, thread: usize },
}

#[cfg(test)]
impl PlanFault {
    pub(crate) const fn is_wrong_element(&self) -> bool {
        matches!(self.0, FaultKind::Wrong { .. })
    }

    pub(crate) const fn is_race(&self) -> bool {
        matches!(self.0, FaultKind::Race { .. })
    }

    pub(crate) const fn is_uninitialised(&self) -> bool {
        matches!(self.0, FaultKind::Uninitialised { .. })
    }

    /// Returns true if an access is out of bounds or misaligned, or a block rank is outside the cluster.
    pub(crate) const fn is_bad_address(&self) -> bool {
        matches!(
            self.0,
            FaultKind::OutOfBounds { .. } | FaultKind::Misaligned { .. } | FaultKind::Rank { .. }
        )
    }
}
