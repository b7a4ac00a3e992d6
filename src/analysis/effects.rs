//! The effects of an operation on shared memory: what each family states of its operations, and all that analyses read.
//!
//! # Asynchrony
//! An access has a start and a completion. Those of [`Act::Read`] and [`Act::Write`] are one point; an access of
//! [`Act::Start`] is *in flight* on a channel from its start until a thread observes its completion:
//!
//! | accesses | channel | group ends at | observed by |
//! |---|---|---|---|
//! | cp.async, LDS DMA, `async.to.lds` | `Copies` | commit, or each instruction | the thread that waits |
//! | TMA stores | `BulkStores` | commit | the thread that waits |
//! | wgmma, which reads its operands | `Products` | commit | the warps that wait |
//! | TMA loads | `Mbarrier` | the next phase | all threads that wait |
//!
//! Groups of one channel complete in order, so that a wait for "at most n in flight" observes all but the n youngest.
//! What a thread observed of its own accesses others may use after a barrier; a phase of an mbarrier needs none.

use linear_layout::plan::program::{
    Address, BarrierScope, Program, Space, Step, scratch_alignment,
};

/// A value of the function, by the number that it is known by while it lives.
pub(crate) type ValueNumber = usize;

/// An operation, by the number that it is known by while it lives.
pub(crate) type OpNumber = usize;

/// Bytes that are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) bytes: u32,
    /// What its start is a multiple of: a power of two.
    pub(crate) alignment: u32,
}

/// A buffer that an operation makes. It lives as long as a value stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Makes {
    pub(crate) value: ValueNumber,
    pub(crate) request: Request,
}

/// What part of a buffer a view shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// All of it.
    All,
    /// Some of it, nobody knows what.
    Some,
    /// These bytes of it.
    Bytes { from: u32, to: u32 },
    /// One of a row of buffers of so many bytes, chosen at run time.
    Row { index: ValueNumber, bytes: u32 },
}

/// A value that stands for what another one does, or for a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    pub(crate) of: ValueNumber,
    pub(crate) result: ValueNumber,
    pub(crate) part: Part,
}

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Touched {
    /// The operation's own scratch.
    Scratch,
    /// What a value stands for.
    Buffer(ValueNumber),
    /// Bytes of other functions: of those that this one calls, and of those that call it.
    Outside,
}

/// The path on which an access reaches shared memory. An access through the async proxy after one through the generic
/// proxy needs a proxy fence between them; a completion that was observed orders the other direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// Where the completion of accesses is observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Channel {
    /// Groups of copies to shared memory, of each thread.
    Copies,
    /// Groups of copies out of shared memory by the TMA unit, of one thread.
    BulkStores,
    /// Groups of matrix products, of each warp group.
    Products,
    /// The phases of the mbarriers that a value stands for.
    Mbarrier(ValueNumber),
}

/// The start of an access that completes later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Start {
    pub(crate) channel: Channel,
    pub(crate) is_write: bool,
    pub(crate) touched: Touched,
    pub(crate) proxy: Proxy,
}

/// A contiguous range of warps of the block, with the hardware barrier at which they meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Team {
    pub(crate) first_warp: u32,
    /// One past the last warp.
    pub(crate) end_warp: u32,
    pub(crate) barrier: u32,
}

/// How an operation changes an mbarrier, or waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MbarrierUse {
    /// Its life begins; a phase has so many arrivals.
    Init {
        count: u32,
    },
    Invalidate,
    /// An arrival, with so many bytes that the phase expects.
    Expect {
        bytes: u32,
    },
    /// So many arrivals.
    Arrive {
        count: u32,
    },
    /// The bytes that the operation copies to a buffer count for the phase.
    Copy {
        to: ValueNumber,
    },
    /// A wait until the phase of a parity has ended.
    Wait {
        parity: ValueNumber,
    },
}

/// The threads that a barrier orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Those of each warp.
    Warp,
    Team(Team),
    /// Those of all blocks of the cluster.
    Cluster,
}

/// The acts of an operation, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    /// A read through the generic proxy that completes within the operation.
    Read(Touched),
    /// A write through the generic proxy that completes within the operation.
    Write(Touched),
    /// A barrier of the block.
    Barrier,
    /// A barrier of other threads than those of the block.
    Sync(Scope),
    /// An access goes on after the operation.
    Start(Start),
    /// What was started on a channel since the last commit becomes a group.
    Commit(Channel),
    /// A wait until at most so many groups of a channel are in flight.
    Observe { channel: Channel, at_most: u32 },
    /// A proxy fence: generic accesses before it come before async accesses after it.
    Fence,
}

/// An operation that can be planned anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    /// How many bytes of scratch the plain way would take.
    pub(crate) plain_bytes: u32,
    /// How many barriers there are inside as it is planned.
    pub(crate) barriers: usize,
}

/// What an operation does to shared memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) makes: Option<Makes>,
    /// Bytes for the time of the operation.
    pub(crate) scratch: Option<Request>,
    /// What is known of an operation that can be planned anew within a limit of bytes.
    pub(crate) choice: Option<Choice>,
    pub(crate) views: Vec<View>,
    /// Results that may be buffers of other functions.
    pub(crate) outside: Vec<ValueNumber>,
    /// Values whose buffers must be there.
    pub(crate) uses: Vec<ValueNumber>,
    /// Whether what it uses leaves the function.
    pub(crate) is_end: bool,
    /// The acts that other operations may conflict with: those before the first barrier, barriers, those after the last.
    pub(crate) acts: Vec<Act>,
    /// The condition under which it acts.
    pub(crate) predicate: Option<ValueNumber>,
    /// The mbarrier that it uses, and how.
    pub(crate) mbarrier: Option<(ValueNumber, MbarrierUse)>,
}

/// The buffers that an operation takes and gives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) operands: Vec<ValueNumber>,
    pub(crate) results: Vec<ValueNumber>,
}

impl Request {
    /// So many bytes of scratch memory.
    pub(crate) const fn scratch(bytes: u32) -> Self {
        Self {
            bytes,
            alignment: scratch_alignment(bytes),
        }
    }
}

impl Channel {
    /// Returns true if every thread that waits observes the accesses of all threads.
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
    pub(crate) const fn scope(self) -> Option<Scope> {
        match self {
            Self::Barrier => Some(Scope::Team(Team::BLOCK)),
            Self::Sync(scope) => Some(scope),
            _ => None,
        }
    }
}

impl Effects {
    /// The effects of a program in its scratch memory, and in the buffer that a value stands for.
    pub(crate) fn of_program(program: &Program, buffer: Option<ValueNumber>) -> Self {
        let scratch_bytes = program.scratch_bytes();
        let touched = |address: &Address| {
            let space = program.address_bases()[address.base as usize].space;
            match (space, buffer) {
                (Space::Buffer, Some(buffer)) => Touched::Buffer(buffer),
                (Space::Buffer, None) | (Space::Scratch, _) => Touched::Scratch,
            }
        };
        let mut acts: Vec<Act> = Vec::new();
        for step in program.steps() {
            let act = match step {
                Step::Store { address, .. } | Step::StoreMatrices { address, .. } => {
                    Act::Write(touched(address))
                }
                // Additions that race with each other are in order: what is pending is a write.
                Step::AtomicAdd { address, .. } => Act::Write(touched(address)),
                Step::Load { address, .. } | Step::LoadMatrices { address, .. } => {
                    Act::Read(touched(address))
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
                Step::Barrier(BarrierScope::Warp) => Act::Sync(Scope::Warp),
            };
            // Between two barriers it matters what happens, not how often.
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

    /// The same for an operation that can be planned anew.
    pub(crate) fn with_choice(self, choice: Choice) -> Self {
        Self {
            choice: Some(choice),
            ..self
        }
    }

    /// The effects of an operation that hands on the buffers that it takes, and does nothing to them.
    pub(crate) fn passing(buffers: &Buffers) -> Self {
        let mut effects = Self::default();
        for result in &buffers.results {
            if buffers.operands.is_empty() {
                effects.outside.push(*result);
            }
            effects.views.extend(buffers.operands.iter().map(|of| View {
                of: *of,
                result: *result,
                part: Part::Some,
            }));
        }
        effects
    }

    /// The effects of an operation of which no family says more: it may do anything to the buffers that it takes.
    pub(crate) fn anything(buffers: &Buffers) -> Self {
        let mut effects = Self::passing(buffers);
        for buffer in &buffers.operands {
            let buffer = Touched::Buffer(*buffer);
            effects.acts.extend([Act::Read(buffer), Act::Write(buffer)]);
        }
        effects
    }

    /// Says whether nothing is said.
    pub(crate) fn is_none(&self) -> bool {
        !self.touches_memory()
            && self.choice.is_none_or(|choice| choice.plain_bytes == 0)
            && self.views.is_empty()
            && self.outside.is_empty()
            && self.uses.is_empty()
    }

    /// Says whether it reads or writes shared memory, takes some, or waits.
    pub(crate) fn touches_memory(&self) -> bool {
        self.makes.is_some() || self.scratch.is_some() || !self.acts.is_empty()
    }
}
