//! Shared-memory effects of operations: the interface between the families that lower them and the analyses.
//!
//! # Asynchrony
//! An access has a start and a completion. Those of [`Act::Read`] and [`Act::Write`] coincide; an access of
//! [`Act::Start`] is *in flight* on a channel from its start until a thread observes its completion:
//!
//! | accesses | channel | group ends at | observed by |
//! |---|---|---|---|
//! | cp.async, LDS DMA, `async.to.lds` | `Copies` | commit, or each instruction | the thread that waits |
//! | TMA stores | `BulkStores` | commit | the thread that waits |
//! | wgmma, which reads its operands | `Products` | commit | the warps that wait |
//! | TMA loads | `Mbarrier` | the next phase | all threads that wait |
//!
//! Groups of one channel complete in order, so a wait for "at most n in flight" observes all but the n youngest. Accesses
//! that one thread observed are visible to the others after a barrier; a phase of an mbarrier needs none.

use linear_layout::plan::program::{
    Address, BarrierScope, MemorySpace, Program, Step, scratch_alignment,
};

/// The identity of a value of the function, unique while the value exists.
pub(crate) type ValueId = usize;

/// The identity of an operation, unique while the operation exists.
pub(crate) type OpId = usize;

/// Size and alignment of a buffer or of scratch memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) bytes: u32,
    /// A power of two.
    pub(crate) alignment: u32,
}

/// A buffer allocated by an operation; live while any alias of it is live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferAllocation {
    pub(crate) value: ValueId,
    pub(crate) request: Request,
}

/// The bytes of a buffer that a view covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ViewRange {
    All,
    /// Any bytes of the buffer.
    Unknown,
    Bytes {
        from: u32,
        to: u32,
    },
    /// One of consecutive buffers of `bytes` bytes each, chosen at run time.
    Indexed {
        index: ValueId,
        bytes: u32,
    },
}

/// A value that aliases another one, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferView {
    pub(crate) source: ValueId,
    pub(crate) result: ValueId,
    pub(crate) range: ViewRange,
}

/// The memory that an access refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessTarget {
    /// The operation's own scratch memory.
    Scratch,
    /// The buffer that a value refers to.
    Buffer(ValueId),
    /// Memory of callers and callees.
    External,
}

/// The path on which an access reaches shared memory.
///
/// A generic access followed by an async one needs a proxy fence between them; an observed completion orders the other
/// direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// The mechanism by which the completion of accesses is observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Channel {
    /// Groups of copies to shared memory, of each thread.
    Copies,
    /// Groups of copies out of shared memory by the TMA unit, of one thread.
    BulkStores,
    /// Groups of matrix products, of each warp group.
    Products,
    /// The phases of the mbarriers that a value refers to.
    Mbarrier(ValueId),
}

/// An access that completes after the operation that starts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AsyncAccess {
    pub(crate) channel: Channel,
    pub(crate) is_write: bool,
    pub(crate) target: AccessTarget,
    pub(crate) proxy: Proxy,
}

/// A contiguous range of warps of the block, with the hardware barrier that synchronises them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Team {
    pub(crate) first_warp: u32,
    /// One past the last warp.
    pub(crate) end_warp: u32,
    pub(crate) barrier: u32,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierUse {
    /// Initialisation for `count` arrivals per phase.
    Init {
        count: u32,
    },
    Invalidate,
    /// One arrival that makes the phase expect `bytes` more bytes.
    Expect {
        bytes: u32,
    },
    Arrive {
        count: u32,
    },
    /// A copy to a buffer whose bytes the phase counts.
    Copy {
        to: ValueId,
    },
    /// A wait for the end of the phase with this parity.
    Wait {
        parity: ValueId,
    },
}

/// The threads that a barrier orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyncScope {
    /// Each warp on its own.
    Warp,
    Team(Team),
    Cluster,
}

/// One access or synchronisation of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    /// A read through the generic proxy that completes within the operation.
    Read(AccessTarget),
    /// A write through the generic proxy that completes within the operation.
    Write(AccessTarget),
    /// A barrier of the block.
    Barrier,
    /// A barrier of other threads than those of the block.
    Sync(SyncScope),
    Start(AsyncAccess),
    /// The accesses started on a channel since the last commit become a group.
    Commit(Channel),
    /// A wait until at most `at_most` groups of a channel are in flight.
    Observe {
        channel: Channel,
        at_most: u32,
    },
    /// A proxy fence: orders generic accesses before it with async accesses after it.
    Fence,
}

/// The trade-off of an operation that can be replanned with less scratch memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScratchTradeoff {
    /// Bytes of scratch memory that the baseline plan takes.
    pub(crate) baseline_bytes: u32,
    /// Number of barriers inside the current plan.
    pub(crate) barriers: usize,
}

/// The effects of an operation on shared memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) allocation: Option<BufferAllocation>,
    /// Memory that is needed only while the operation runs.
    pub(crate) scratch: Option<Request>,
    pub(crate) tradeoff: Option<ScratchTradeoff>,
    pub(crate) views: Vec<BufferView>,
    /// Results that may be buffers of other functions.
    pub(crate) external: Vec<ValueId>,
    /// Operands whose buffers must be live.
    pub(crate) uses: Vec<ValueId>,
    /// True if the used values leave the function.
    pub(crate) is_return: bool,
    /// Accesses and synchronisation in program order; repetitions between two barriers may be left out.
    pub(crate) acts: Vec<Act>,
    /// The condition under which the operation has these effects.
    pub(crate) predicate: Option<ValueId>,
    pub(crate) mbarrier: Option<(ValueId, MbarrierUse)>,
}

/// The operands and results of an operation that are buffers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) operands: Vec<ValueId>,
    pub(crate) results: Vec<ValueId>,
}

impl Request {
    pub(crate) const fn scratch(bytes: u32) -> Self {
        Self {
            bytes,
            alignment: scratch_alignment(bytes),
        }
    }
}

impl Channel {
    /// Returns true if every waiting thread observes the accesses of all threads.
    pub(crate) const fn is_observed_by_all(self) -> bool {
        matches!(self, Self::Mbarrier(_))
    }
}

impl Team {
    /// All warps of the block.
    pub(crate) const BLOCK: Self = Self {
        first_warp: 0,
        end_warp: u32::MAX,
        barrier: 0,
    };

    /// Returns true if all warps of `other` are warps of `self`.
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.first_warp <= other.first_warp && other.end_warp <= self.end_warp
    }
}

impl Default for Team {
    fn default() -> Self {
        Self::BLOCK
    }
}

impl Act {
    /// Returns the scope of a barrier.
    pub(crate) const fn scope(self) -> Option<SyncScope> {
        match self {
            Self::Barrier => Some(SyncScope::Team(Team::BLOCK)),
            Self::Sync(scope) => Some(scope),
            _ => None,
        }
    }
}

impl Effects {
    /// Returns the effects of a program on its scratch memory and on the buffer that a value refers to.
    pub(crate) fn of_program(program: &Program, buffer: Option<ValueId>) -> Self {
        let scratch_bytes = program.scratch_bytes();
        let target = |address: &Address| {
            let space = program.address_bases()[address.base as usize].space;
            match (space, buffer) {
                (MemorySpace::Buffer, Some(buffer)) => AccessTarget::Buffer(buffer),
                (MemorySpace::Buffer, None) | (MemorySpace::Scratch, _) => AccessTarget::Scratch,
            }
        };
        let mut acts: Vec<Act> = Vec::new();
        for step in program.steps() {
            let act = match step {
                Step::Store { address, .. } | Step::StoreMatrices { address, .. } => {
                    Act::Write(target(address))
                }
                // Atomic additions need no order among themselves; to other accesses they are writes.
                Step::AtomicAdd { address, .. } => Act::Write(target(address)),
                Step::Load { address, .. } | Step::LoadMatrices { address, .. } => {
                    Act::Read(target(address))
                }
                Step::Barrier(BarrierScope::Block) => Act::Barrier,
                Step::Pack { .. }
                | Step::Unpack { .. }
                | Step::Select { .. }
                | Step::SelectBit { .. }
                | Step::Zero { .. }
                | Step::One { .. }
                | Step::CountVotes { .. }
                | Step::Compute { .. }
                | Step::ShuffleAt { .. }
                | Step::ShuffleXor { .. }
                | Step::ShuffleIndex { .. }
                | Step::SwapLanes { .. }
                | Step::TransposeMatrix { .. }
                | Step::Combine { .. }
                | Step::ReduceLanes { .. }
                | Step::Mma { .. } => continue,
                Step::Barrier(BarrierScope::Warp) => Act::Sync(SyncScope::Warp),
            };
            let since = acts.iter().rposition(|a| *a == Act::Barrier).unwrap_or(0);
            if !acts[since..].contains(&act) {
                acts.push(act);
            }
        }
        Self {
            scratch: (scratch_bytes > 0).then(|| Request::scratch(scratch_bytes)),
            acts,
            ..Self::default()
        }
    }

    pub(crate) fn with_tradeoff(self, tradeoff: ScratchTradeoff) -> Self {
        Self {
            tradeoff: Some(tradeoff),
            ..self
        }
    }

    /// Returns the effects of an operation whose results alias its operands and that accesses no memory.
    pub(crate) fn forwarding(buffers: &Buffers) -> Self {
        let mut effects = Self::default();
        for result in &buffers.results {
            if buffers.operands.is_empty() {
                effects.external.push(*result);
            }
            let views = buffers.operands.iter().map(|source| BufferView {
                source: *source,
                result: *result,
                range: ViewRange::Unknown,
            });
            effects.views.extend(views);
        }
        effects
    }

    /// Returns the effects of an unknown operation, which may read and write all its operands.
    pub(crate) fn unknown(buffers: &Buffers) -> Self {
        let mut effects = Self::forwarding(buffers);
        for buffer in &buffers.operands {
            let buffer = AccessTarget::Buffer(*buffer);
            effects.acts.extend([Act::Read(buffer), Act::Write(buffer)]);
        }
        effects
    }

    /// Returns true if no analysis needs to know of the operation.
    pub(crate) fn is_empty(&self) -> bool {
        !self.touches_memory()
            && self
                .tradeoff
                .is_none_or(|tradeoff| tradeoff.baseline_bytes == 0)
            && self.views.is_empty()
            && self.external.is_empty()
            && self.uses.is_empty()
    }

    /// Returns true if the operation allocates, accesses or synchronises shared memory.
    pub(crate) fn touches_memory(&self) -> bool {
        self.allocation.is_some() || self.scratch.is_some() || !self.acts.is_empty()
    }
}
