//! The instruction interface; the interpreter knows no instruction by name.

use super::points_to::PointerFlow;
use super::{Exec, MarkKind, Marks, PoisonEffect};
use crate::code::Reg;
use crate::error::KernelError;
use linear_layout::target::Assembly;
use std::fmt;

/// An instruction of a decoded kernel: one operation, carried out in all active lanes.
pub(crate) trait Instruction: fmt::Debug + Send + Sync + 'static {
    /// Returns its registers; none is both read and written.
    fn regs(&self) -> Regs;

    /// Executes it in all active lanes.
    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError>;

    /// Returns the effect of undefined operands in one lane; by default, undefined results.
    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Results(lane.of_reads())
    }

    /// Returns the reason why it cannot execute yet, if it waits for other threads.
    fn blocked(&self, _exec: &Exec<'_>, _lanes: &[u32]) -> Result<Option<String>, KernelError> {
        Ok(None)
    }

    /// Returns the objects that its results may point to.
    fn flow(&self) -> PointerFlow {
        PointerFlow::Unknown
    }

    /// Returns true if no active lane reads a constant register.
    fn ignores_constants(&self, _exec: &Exec<'_>) -> bool {
        false
    }

    /// Returns the registers whose bits a lane exchange copies unchanged.
    fn moved(&self) -> Regs {
        Regs::new([], [])
    }

    /// Returns the registers of an asynchronous matrix product: `writes` are the accumulators, which may be in
    /// flight, `reads` the operands that are read late.
    fn product(&self) -> Regs {
        Regs::new([], [])
    }

    /// Returns its interaction with other warps.
    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::None
    }

    /// Returns its label in reports, if it accesses memory.
    fn access(&self, _words: Assembly) -> Option<AccessLabel> {
        None
    }
}

/// The registers that an instruction writes and reads.
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

/// The interaction of an instruction with other warps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WarpInteraction {
    /// Register-only.
    None,
    /// Visible to other warps.
    Visible,
    /// Executed by all warps of the block together.
    Collective,
}

/// The label of a memory access in reports, and the unit of its wavefront count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum AccessLabel {
    /// Wavefronts of shared memory, counted per instruction.
    Shared(String),
    /// Sectors of global memory, counted per label.
    Global(String),
}

/// Marks a register that is never written as undefined.
#[derive(Debug)]
pub(crate) struct MarkUndefined {
    pub(crate) reg: Reg,
    pub(crate) kind: MarkKind,
    /// Error message of a use.
    pub(crate) text: &'static str,
}

impl Instruction for MarkUndefined {
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

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.src])
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Results(lane.mark(self.src))
    }

    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError> {
        exec.map1(self.dst, self.src, |a| a);
        Ok(())
    }
}
