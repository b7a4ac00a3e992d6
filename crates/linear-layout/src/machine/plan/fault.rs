//! Faults that the execution of a plan detects.

use crate::plan::program::ValueId;
use thiserror::Error;

/// The first fault that was detected in the execution of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(transparent)]
pub struct PlanFault(#[from] FaultKind);

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum FaultKind {
    #[error("the plan does not match the layouts: found {found} {what}, expected {expected}")]
    Shape {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("step {step} uses {value} before the step that defines {value}")]
    Undefined { step: usize, value: ValueId },
    #[error("in lane {lane} of warp {warp}, register {register} holds {} after the last step: expected element \
             {expected}",
            .found.map_or_else(|| "no element".to_owned(), |found| format!("element {found}")))]
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
    #[error(
        "step {step}: thread {thread} reads byte {byte} of shared memory, which no thread has written yet"
    )]
    Uninitialised { step: usize, thread: u32, byte: u32 },
    #[error(
        "step {step}: thread {thread} accesses {bytes} bytes at byte {byte}, but the buffer has {scratch} bytes"
    )]
    OutOfBounds {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
        scratch: u32,
    },
    #[error(
        "step {step}: thread {thread} accesses the shared memory of CTA {rank}, but the cluster has {blocks} \
         CTAs"
    )]
    Rank {
        step: usize,
        thread: u32,
        rank: u32,
        blocks: u32,
    },
    #[error(
        "step {step}: thread {thread} accesses {bytes} bytes at byte {byte}: expected a multiple of {bytes} as \
         byte offset"
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
    #[error(
        "step {step} combines elements that do not belong together: expected elements at the same position of \
         each operand"
    )]
    Tuple { step: usize },
    #[error(
        "step {step} adds a product of elements that do not match, or adds the same product twice"
    )]
    Product { step: usize },
    #[error("after the last step, byte {byte} of the buffer does not hold the expected element")]
    Stored { byte: u32 },
    #[error("two elements lie at byte {byte} of the buffer: expected disjoint elements")]
    Overlap { byte: u32 },
    #[error("step {step}: lanes that must hold replicas hold different elements")]
    Lanes { step: usize },
    #[error(
        "in thread {thread}, result {result} does not combine each expected element exactly once and in order"
    )]
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
