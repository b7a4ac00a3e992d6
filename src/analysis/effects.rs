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
//! The groups of one channel complete in order, so a wait for "at most n in flight" observes all groups except the n
//! youngest. If one thread has observed an access, other threads see the data only after a barrier. After a wait for
//! a phase of an mbarrier, no barrier is needed.

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
    /// Alignment in bytes; a power of two.
    pub(crate) alignment: u32,
}

/// A buffer allocated by an operation; live while any alias of it is live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferAllocation {
    pub(crate) value: ValueId,
    pub(crate) request: Request,
}

/// The bytes to which a view refers, as a part of the bytes to which its operand refers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ViewRange {
    All,
    /// An unknown part of the buffer.
    Unknown,
    Bytes {
        from: u32,
        to: u32,
    },
    /// One of several consecutive buffers of `bytes` bytes each. The index of the buffer is known only at run time.
    Indexed {
        index: ValueId,
        bytes: u32,
        rotation: Option<Rotation>,
    },
}

/// The values of an index that counts the iterations of a loop modulo a number: (i + `phase`) % `modulus` in iteration i.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rotation {
    /// The operation of the loop.
    pub(crate) rotated_by: OpId,
    pub(crate) modulus: u32,
    /// Less than `modulus`.
    pub(crate) phase: u32,
}

impl Rotation {
    /// Returns the same index, described from the next iteration.
    pub(crate) const fn seen_from_next(self) -> Self {
        Self {
            phase: (self.phase + self.modulus - 1) % self.modulus,
            ..self
        }
    }
}

/// A value that refers to the buffer of another value, or to a part of this buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferView {
    pub(crate) source: ValueId,
    pub(crate) result: ValueId,
    pub(crate) range: ViewRange,
}

/// The memory to which an access refers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessTarget {
    /// The operation's scratch memory.
    Scratch,
    /// The buffer to which a value refers.
    Buffer(ValueId),
    /// Memory of a caller or callee.
    External,
}

/// The proxy through which an access reaches shared memory.
///
/// If an async access follows a generic access, a proxy fence is needed between them. If a generic access follows an
/// async access, the observed completion of the async access is sufficient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// The mechanism by which the completion of accesses is observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Channel {
    /// Each thread's groups of copies to shared memory.
    Copies,
    /// The issuing thread's groups of TMA copies out of shared memory.
    BulkStores,
    /// Each warp group's groups of matrix products.
    Products,
    /// The phases of the mbarriers to which a value refers.
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

/// A contiguous range of warps of the block, and the hardware barrier that synchronises them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Team {
    pub(crate) first_warp: u32,
    /// The number of the last warp plus one.
    pub(crate) end_warp: u32,
    pub(crate) barrier: u32,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierUse {
    /// Initialises the mbarrier for `count` arrivals per phase.
    Init {
        count: u32,
    },
    Invalidate,
    /// Arrives once, and makes the phase expect `bytes` more bytes.
    Expect {
        bytes: u32,
    },
    Arrive {
        count: u32,
    },
    /// Starts a copy to the buffer `to`. The copied bytes count towards the bytes that the phase expects.
    Copy {
        to: ValueId,
    },
    /// Waits until the phase whose parity is the value `parity` has completed.
    Wait {
        parity: ValueId,
    },
}

impl MbarrierUse {
    /// Returns true if the operation waits for a phase. The other operations that leave the mbarrier valid may complete a
    /// phase.
    pub(crate) const fn waits(self) -> bool {
        matches!(self, Self::Wait { .. })
    }
}

/// The threads that a barrier synchronises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyncScope {
    /// The threads of each warp, independently of other warps.
    Warp,
    Team(Team),
    Cluster,
}

/// An end of the code in which some warps of the block run one barrier behind the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StaggerEdge {
    /// The late warps wait for the first barrier of the early warps.
    Begin,
    /// The early warps wait for the last barrier of the late warps.
    End,
}

/// One access or synchronisation step of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    /// Reads through the generic proxy; completes within the operation.
    Read(AccessTarget),
    /// Writes through the generic proxy; completes within the operation.
    Write(AccessTarget),
    /// A barrier of all threads that execute the operation. In a [`Flow`](super::flow::Flow), a barrier of all threads of
    /// the block: [`Effects::in_team`] replaces the barriers of other teams.
    Barrier,
    /// A barrier of the threads in the given scope.
    Sync(SyncScope),
    /// A barrier of some warps of the block, which staggers the warps or ends that.
    Stagger(StaggerEdge),
    Start(AsyncAccess),
    /// Closes the group of the accesses that have been started on the channel since the last commit.
    Commit(Channel),
    /// Waits until at most `at_most` groups of the channel are in flight.
    Observe {
        channel: Channel,
        at_most: u32,
    },
    /// A proxy fence: orders generic accesses before it and async accesses after it.
    Fence,
}

/// Properties of an operation that can be replanned with less scratch memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScratchTradeoff {
    /// Number of scratch bytes that the baseline plan needs.
    pub(crate) baseline_bytes: u32,
    /// Number of barriers inside the current plan.
    pub(crate) barriers: usize,
}

/// The effects of an operation on shared memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) allocation: Option<BufferAllocation>,
    /// Memory that is needed only during the operation.
    pub(crate) scratch: Option<Request>,
    pub(crate) tradeoff: Option<ScratchTradeoff>,
    pub(crate) views: Vec<BufferView>,
    /// Results that may refer to buffers of other functions.
    pub(crate) external: Vec<ValueId>,
    /// Operands whose buffers must be live during the operation.
    pub(crate) uses: Vec<ValueId>,
    /// True if the function returns the values in `uses`.
    pub(crate) is_return: bool,
    /// Accesses and synchronisation in program order. Equal accesses between two barriers may be listed once.
    pub(crate) acts: Vec<Act>,
    /// The condition under which the operation has these effects; `None` if it always has them.
    pub(crate) predicate: Option<ValueId>,
    pub(crate) mbarrier: Option<(ValueId, MbarrierUse)>,
}

/// The operands that are buffers, and the results that are buffers, of one operation.
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
    /// Returns true if each waiting thread observes the accesses of all threads, not only its own accesses.
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

    /// Returns true if no warp belongs to both teams. Such teams run at the same time.
    pub(crate) const fn is_disjoint(self, other: Self) -> bool {
        self.end_warp <= other.first_warp || other.end_warp <= self.first_warp
    }

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
    /// Returns the effects of a program on its scratch memory, and on the buffer to which the value `buffer` refers.
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

    /// Returns the effects of the operation if `team` executes it: a barrier of the block is a barrier of the team.
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

    /// Returns the effects of an operation that accesses no memory, and whose results alias its operands.
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

    /// Returns the effects of an unknown operation. It may read and write the buffers of all its operands.
    pub(crate) fn unknown(buffers: &Buffers) -> Self {
        let mut effects = Self::forwarding(buffers);
        for buffer in &buffers.operands {
            let buffer = AccessTarget::Buffer(*buffer);
            effects.acts.extend([Act::Read(buffer), Act::Write(buffer)]);
        }
        effects
    }

    /// Returns true if the operation is irrelevant for all analyses of shared memory.
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
