//! What one operation does to shared memory: what each family says of itself, and all that analyses ask.

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

/// What happens, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    Read(Touched),
    Write(Touched),
    /// Everybody in the block waits for everybody.
    Barrier,
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
    /// What other operations may meet: what comes before the first barrier, barriers, what comes after the last.
    pub(crate) acts: Vec<Act>,
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
                | Step::Mma { .. }
                | Step::Barrier(BarrierScope::Warp) => continue,
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

    /// What happens before the operation's first barrier.
    pub(crate) fn before_barrier(&self) -> &[Act] {
        let first = self.acts.iter().position(|act| *act == Act::Barrier);
        &self.acts[..first.unwrap_or(self.acts.len())]
    }

    /// What happens after the operation's last barrier, where it has one.
    pub(crate) fn after_barrier(&self) -> Option<&[Act]> {
        let last = self.acts.iter().rposition(|act| *act == Act::Barrier)?;
        Some(&self.acts[last + 1..])
    }
}
