//! Shared-memory effects of operations: the interface between the lowering of operations and the analyses.
//!
//! # Asynchrony
//! An access has a start and a completion. For [`Act::Read`] and [`Act::Write`] they coincide. An access of
//! [`Act::Start`] is *in flight* on a channel from its start until a thread observes its completion:
//!
//! | accesses | channel | group ends at | observed by |
//! |---|---|---|---|
//! | cp.async, LDS DMA, `async.to.lds` | `Copies` | commit, or each instruction | the thread that waits |
//! | TMA stores | `BulkStores` | commit | the thread that waits |
//! | wgmma, which reads its operands | `Products` | commit | the warps that wait |
//! | TMA loads | `Mbarrier` | the next phase | all threads that wait |
//!
//! Copies of threads may also be attached to a phase ([`Act::Attach`]).
//!
//! The groups of one channel complete in order: a wait for "at most n in flight" observes all groups except the n
//! youngest. After one thread has observed an access, other threads see the data only after a barrier. A wait for the
//! phase of an mbarrier needs no barrier.

use linear_layout::plan::program::{
    Address, BarrierScope, MemorySpace, Program, Step, scratch_alignment,
};

/// A value's identity, unique while the value exists.
pub(crate) type ValueId = usize;

/// An operation's identity, unique while the operation exists.
pub(crate) type OpId = usize;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) bytes: u32,
    /// Alignment in bytes, a power of two.
    pub(crate) alignment: u32,
}

/// An allocated buffer, live while any alias is live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferAllocation {
    pub(crate) value: ValueId,
    pub(crate) request: Request,
}

/// The bytes of a view, relative to the viewed buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ViewRange {
    All,
    Unknown,
    Bytes {
        from: u32,
        to: u32,
    },
    /// One of several consecutive buffers of `bytes` bytes each, selected at run time.
    Indexed {
        index: ValueId,
        bytes: u32,
        rotation: Option<Rotation>,
    },
}

/// The index of a slot that changes in each iteration of a loop. In iteration i, the index is (i + `phase`) %
/// `modulus`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rotation {
    /// The loop operation that changes the index. The iteration number i refers to this loop.
    pub(crate) rotated_by: OpId,
    pub(crate) modulus: u32,
    pub(crate) phase: u32,
}

impl Rotation {
    /// Returns the same index, expressed relative to the next iteration. Its phase is (`phase` - 1) modulo
    /// `modulus`.
    pub(crate) const fn in_next_iteration(self) -> Self {
        Self {
            phase: (self.phase + self.modulus - 1) % self.modulus,
            ..self
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferView {
    pub(crate) source: ValueId,
    pub(crate) result: ValueId,
    pub(crate) range: ViewRange,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessTarget {
    Scratch,
    Buffer(ValueId),
    /// Memory of a caller or callee.
    External,
}

/// The proxy through which an operation accesses shared memory.
///
/// A proxy fence must separate a generic access from a later async access. Between an async access and a later
/// generic access, a wait for the async access suffices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// A completion mechanism of asynchronous accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Channel {
    /// Commit groups of copies to shared memory. Each thread has its own groups.
    Copies,
    /// Commit groups of TMA stores. Each issuing thread has its own groups.
    BulkStores,
    /// Commit groups of matrix products. Each warp group has its own groups.
    Products,
    /// The phases of the mbarriers to which this value may refer.
    Mbarrier(ValueId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AsyncAccess {
    pub(crate) channel: Channel,
    pub(crate) is_write: bool,
    pub(crate) target: AccessTarget,
    pub(crate) proxy: Proxy,
}

/// A contiguous range of warps of the thread block that share a hardware barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Team {
    pub(crate) first_warp: u32,
    /// Index of the warp after the last one.
    pub(crate) end_warp: u32,
    pub(crate) barrier: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierUse {
    /// Initialises the mbarrier. Each phase completes after `count` arrivals.
    Init {
        count: u32,
    },
    Invalidate,
    /// Arrives once, and increases the number of bytes that the phase expects by `bytes`.
    Expect {
        bytes: u32,
    },
    Arrive {
        count: u32,
    },
    /// Each thread arrives when its copies in flight are complete. The arrivals of all threads together count as
    /// `count` arrivals at the mbarrier.
    ArriveAfterCopies {
        count: u32,
    },
    /// Starts a copy to the buffer `to`. The copied bytes count towards those that the phase expects.
    Copy {
        to: ValueId,
    },
    /// Waits until the phase with parity `parity` is complete.
    Wait {
        parity: ValueId,
    },
}

impl MbarrierUse {
    pub(crate) const fn waits(self) -> bool {
        matches!(self, Self::Wait { .. })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyncScope {
    /// Each warp is synchronised separately.
    Warp,
    Team(Team),
    Cluster,
}

/// The start or end of code in which some warps of the block run one barrier behind the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StaggerEdge {
    /// The late warps wait for the first barrier of the early warps.
    Begin,
    /// The early warps wait for the last barrier of the late warps.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    /// A synchronous read through the generic proxy.
    Read(AccessTarget),
    /// A synchronous write through the generic proxy.
    Write(AccessTarget),
    /// A barrier of all threads that execute the operation.
    ///
    /// In a [`Flow`](super::flow::Flow), this is always a barrier of all threads of the block, since
    /// [`Effects::in_team`] replaces the barriers of smaller teams.
    Barrier,
    Sync(SyncScope),
    /// A barrier that starts or ends staggered execution of the warps.
    Stagger(StaggerEdge),
    Start(AsyncAccess),
    /// Closes the commit group that consists of all accesses started on the channel since the last commit.
    Commit(Channel),
    /// Attaches the accesses in flight on [`Channel::Copies`] to the current phase of an mbarrier. A wait on either
    /// channel then observes these accesses.
    Attach(ValueId),
    /// Waits until at most `at_most` groups are in flight on the channel.
    Observe {
        channel: Channel,
        at_most: u32,
    },
    /// A proxy fence. Orders earlier generic accesses before later async accesses.
    Fence,
}

/// Data for the choice between the current plan of an operation and its baseline plan, which needs less scratch
/// memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScratchTradeoff {
    /// Number of scratch bytes that the baseline plan needs.
    pub(crate) baseline_bytes: u32,
    /// Number of barriers inside the current plan.
    pub(crate) barriers: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) allocation: Option<BufferAllocation>,
    /// Scratch memory that the operation needs only while it executes.
    pub(crate) scratch: Option<Request>,
    pub(crate) tradeoff: Option<ScratchTradeoff>,
    pub(crate) views: Vec<BufferView>,
    /// Results that may alias buffers of other functions.
    pub(crate) external: Vec<ValueId>,
    /// Values whose buffers must be live during the operation.
    pub(crate) uses: Vec<ValueId>,
    /// True if the operation returns the values in `uses` from the function.
    pub(crate) is_return: bool,
    /// Accesses and synchronisation, in program order. Repeated accesses between two barriers may be listed once.
    pub(crate) acts: Vec<Act>,
    /// The condition under which the effects occur, or `None` if they always occur.
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
    /// Returns true if a wait on this channel observes the accesses that any thread has started. Returns false if
    /// it observes only those that the waiting thread has started.
    pub(crate) const fn is_observed_by_all(self) -> bool {
        matches!(self, Self::Mbarrier(_))
    }
}

impl Team {
    pub(crate) const BLOCK: Self = Self {
        first_warp: 0,
        end_warp: u32::MAX,
        barrier: 0,
    };

    pub(crate) const fn is_disjoint(self, other: Self) -> bool {
        self.end_warp <= other.first_warp || other.end_warp <= self.first_warp
    }

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
    pub(crate) const fn scope(self) -> Option<SyncScope> {
        match self {
            Self::Barrier => Some(SyncScope::Team(Team::BLOCK)),
            Self::Sync(scope) => Some(scope),
            _ => None,
        }
    }
}

impl Effects {
    /// Returns the effects of a program on scratch memory and, if `buffer` is `Some`, on this buffer.
    pub(crate) fn of_program(program: &Program, buffer: Option<ValueId>) -> Self {
        let scratch_bytes = program.scratch_bytes();
        let target = |address: &Address| {
            let space = program.address_bases()[address.base as usize].space;
            match (space, buffer) {
                (MemorySpace::Buffer, Some(buffer)) => AccessTarget::Buffer(buffer),
                (MemorySpace::Buffer, None) | (MemorySpace::Scratch | MemorySpace::Cluster, _) => {
                    AccessTarget::Scratch
                }
            }
        };
        let mut acts: Vec<Act> = Vec::new();
        for step in program.steps() {
            let act = match step {
                Step::Store { address, .. } | Step::StoreMatrices { address, .. } => {
                    Act::Write(target(address))
                }
                // Atomic additions need no order among each other. For other accesses, an atomic addition is a write.
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
                Step::Barrier(BarrierScope::Cluster) => Act::Sync(SyncScope::Cluster),
            };
            let is_barrier =
                |act: &Act| matches!(act, Act::Barrier | Act::Sync(SyncScope::Cluster));
            let since = acts.iter().rposition(is_barrier).unwrap_or(0);
            if is_barrier(&act) || !acts[since..].contains(&act) {
                acts.push(act);
            }
        }
        Self {
            scratch: (scratch_bytes > 0).then(|| Request::scratch(scratch_bytes)),
            acts,
            ..Self::default()
        }
    }

    /// Replaces each barrier of the whole thread block with a barrier of `team`.
    pub(crate) fn in_team(mut self, team: Team) -> Self {
        if team != Team::BLOCK {
            for act in &mut self.acts {
                if *act == Act::Barrier {
                    *act = Act::Sync(SyncScope::Team(team));
                }
            }
        }
        self
    }

    pub(crate) fn with_tradeoff(self, tradeoff: ScratchTradeoff) -> Self {
        Self {
            tradeoff: Some(tradeoff),
            ..self
        }
    }

    /// Returns the effects of an operation that accesses no memory. Each result may alias all operands. If the
    /// operation has no buffer operands, each result may alias buffers of other functions.
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

    /// Returns the effects of an unknown operation. The operation may read and write all of its operands, and its
    /// results may alias them.
    pub(crate) fn unknown(buffers: &Buffers) -> Self {
        let mut effects = Self::forwarding(buffers);
        for buffer in &buffers.operands {
            let buffer = AccessTarget::Buffer(*buffer);
            effects.acts.extend([Act::Read(buffer), Act::Write(buffer)]);
        }
        effects
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.touches_memory()
            && self
                .tradeoff
                .is_none_or(|tradeoff| tradeoff.baseline_bytes == 0)
            && self.views.is_empty()
            && self.external.is_empty()
            && self.uses.is_empty()
    }

    pub(crate) fn touches_memory(&self) -> bool {
        self.allocation.is_some() || self.scratch.is_some() || !self.acts.is_empty()
    }
}
