//! The interface of instructions to the interpreter, which knows none by name.

use super::origin::Flow;
use super::{Exec, Fate, Kind, Marks};
use crate::code::Reg;
use crate::error::KernelError;
use linear_layout::target::Assembly;
use std::fmt;

/// An instruction of a decoded kernel: one operation, carried out in all active lanes.
pub(crate) trait Instruction: fmt::Debug + Send + Sync + 'static {
    /// Returns the registers; none of them is both written and read.
    fn regs(&self) -> Regs;

    /// Carries the instruction out in all active lanes.
    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError>;

    /// Returns the consequence of undefined values among the registers that one lane reads: by default, undefined results.
    fn poison(&self, lane: &Marks<'_>) -> Fate {
        Fate::Results(lane.of_reads())
    }

    /// Says what some lanes wait for that cannot carry the instruction out yet.
    fn blocked(&self, _exec: &Exec<'_>, _lanes: &[u32]) -> Result<Option<String>, KernelError> {
        Ok(None)
    }

    /// Where the results get the objects from that they point to.
    fn flow(&self) -> Flow {
        Flow::Unknown
    }

    /// Returns true if no active lane reads a register that nothing writes.
    fn ignores_constants(&self, _exec: &Exec<'_>) -> bool {
        false
    }

    /// Returns the registers between which an exchange between lanes copies bits, whatever they are.
    fn moved(&self) -> Regs {
        Regs::new([], [])
    }

    /// The registers of an asynchronous matrix product: `writes` are the sums that it goes on with, which may be in flight,
    /// `reads` those of its other operands that it reads late.
    fn product(&self) -> Regs {
        Regs::new([], [])
    }

    /// What the order of warps means to the instruction.
    fn turn(&self) -> Turn {
        Turn::Any
    }

    /// Returns what reports call an access to memory, and what they count of it.
    fn access(&self, _words: Assembly) -> Option<Counted> {
        None
    }
}

/// The registers of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Regs {
    pub(crate) writes: Vec<Reg>,
    pub(crate) reads: Vec<Reg>,
}

impl Regs {
    pub(crate) fn new(writes: impl Into<Vec<Reg>>, reads: impl Into<Vec<Reg>>) -> Self {
        Self {
            writes: writes.into(),
            reads: reads.into(),
        }
    }
}

/// What the order of warps means to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// Nothing: it works on registers.
    Any,
    /// Other warps can see when it happens.
    Matters,
    /// All warps of the block carry it out together.
    Together,
}

/// How an access to memory is called in reports, and what its count of wavefronts means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    /// Wavefronts of shared memory, for each instruction.
    Shared(String),
    /// Sectors of global memory, for all instructions of one name.
    Global(String),
}

/// Marks a register that nothing writes.
#[derive(Debug)]
pub(crate) struct Undefined {
    pub(crate) reg: Reg,
    pub(crate) kind: Kind,
    /// The error where the value matters.
    pub(crate) text: &'static str,
}

impl Instruction for Undefined {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError> {
        exec.mark_constant(self.reg, self.kind, self.text);
        Ok(())
    }
}

/// Copies a register.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for Move {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn flow(&self) -> Flow {
        Flow::From(vec![self.src])
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        Fate::Results(lane.mark(self.src))
    }

    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError> {
        exec.map1(self.dst, self.src, |a| a);
        Ok(())
    }
}
