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
    /// A power of two, in bytes.
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

/// An index (i + `phase`) % `modulus` in iteration i of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rotation {
    /// The loop operation.
    pub(crate) rotated_by: OpId,
    pub(crate) modulus: u32,
    pub(crate) phase: u32,
}

impl Rotation {
    /// Returns the index relative to the next iteration: the phase becomes (`phase` - 1) modulo `modulus`.
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

/// A proxy of shared-memory accesses.
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
    /// Commit groups of copies to shared memory, per thread.
    Copies,
    /// Commit groups of TMA stores, per issuing thread.
    BulkStores,
    /// Commit groups of matrix products, per warp group.
    Products,
    /// The phases of the mbarriers to which the value refers.
    Mbarrier(ValueId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AsyncAccess {
    pub(crate) channel: Channel,
    pub(crate) is_write: bool,
    pub(crate) target: AccessTarget,
    pub(crate) proxy: Proxy,
}

/// A contiguous range of warps in the block, with a hardware barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Team {
    pub(crate) first_warp: u32,
    /// Exclusive.
    pub(crate) end_warp: u32,
    pub(crate) barrier: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierUse {
    /// `count` arrivals complete a phase.
    Init {
        count: u32,
    },
    Invalidate,
    /// Arrives once; the phase expects `bytes` more bytes.
    Expect {
        bytes: u32,
    },
    Arrive {
        count: u32,
    },
    /// Starts a copy to `to` that counts towards the expected bytes.
    Copy {
        to: ValueId,
    },
    /// Waits for the phase with the parity `parity`.
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
    /// Each warp by itself.
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
    /// In a [`Flow`](super::flow::Flow), a barrier of all threads of the block: [`Effects::in_team`] replaces the
    /// barriers of smaller teams.
    Barrier,
    Sync(SyncScope),
    /// A barrier that starts or ends staggered execution of the warps.
    Stagger(StaggerEdge),
    Start(AsyncAccess),
    /// Closes the group of accesses since the last commit on the channel.
    Commit(Channel),
    /// Waits for at most `at_most` groups in flight.
    Observe {
        channel: Channel,
        at_most: u32,
    },
    /// A proxy fence. Orders earlier generic accesses before later async accesses.
    Fence,
}

/// Costs of the current plan, for comparison with a baseline plan that needs less scratch memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScratchTradeoff {
    /// Scratch bytes of the baseline plan.
    pub(crate) baseline_bytes: u32,
    /// Barriers inside the current plan.
    pub(crate) barriers: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) allocation: Option<BufferAllocation>,
    /// Memory needed only during the operation.
    pub(crate) scratch: Option<Request>,
    pub(crate) tradeoff: Option<ScratchTradeoff>,
    pub(crate) views: Vec<BufferView>,
    /// Results that may alias buffers of other functions.
    pub(crate) external: Vec<ValueId>,
    /// Operands whose buffers must be live during the operation.
    pub(crate) uses: Vec<ValueId>,
    /// The function returns the values `uses`.
    pub(crate) is_return: bool,
    /// In program order. Repeated accesses between two barriers may be listed once.
    pub(crate) acts: Vec<Act>,
    /// Condition of the effects; `None` for unconditional effects.
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
    /// Returns true if a wait observes the accesses of all threads, not only those of the waiting thread.
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
    /// Returns the effects of a program on scratch memory and on the buffer `buffer`.
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

    /// Replaces barriers of the block with barriers of `team`.
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

    /// Returns the effects of an operation without accesses, whose results alias its operands.
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

    /// Returns the effects of an unknown operation: reads and writes of all operands.
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
