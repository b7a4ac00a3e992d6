//! The interface between the interpreter and instructions. The interpreter has no code for individual instructions.

use super::points_to::PointerFlow;
use super::{Exec, MarkKind, Marks, PoisonEffect};
use crate::code::Reg;
use crate::error::KernelError;
use linear_layout::target::Assembly;
use std::fmt;

/// An instruction of a decoded kernel, which executes in all active lanes.
pub(crate) trait Instruction: fmt::Debug + Send + Sync + 'static {
    /// Returns the registers that the instruction reads and the registers that it writes. No register may be in
    /// both lists.
    fn regs(&self) -> Regs;

    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError>;

    /// Returns the effect of undefined operands in one lane. By default, all results become undefined.
    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Results(lane.of_reads())
    }

    /// Returns the reason why the instruction must wait for other threads; `None` if it can execute now.
    fn blocked(&self, _exec: &Exec<'_>, _lanes: &[u32]) -> Result<Option<String>, KernelError> {
        Ok(None)
    }

    /// Returns the memory objects to which the results may point, for the points-to analysis.
    fn flow(&self) -> PointerFlow {
        PointerFlow::Unknown
    }

    /// Returns true if no active lane uses the constant operands of the instruction. For example, a load does not
    /// use its constant fallback value if all its lanes are active.
    fn ignores_constants(&self, _exec: &Exec<'_>) -> bool {
        false
    }

    /// Returns the source and result registers of a lane exchange, which moves bits between lanes unchanged.
    /// Returns empty lists for all other instructions.
    fn moved(&self) -> Regs {
        Regs::new([], [])
    }

    /// Returns true if the instruction only renames the bits of its operands, as a bitcast does. A back end emits
    /// no code for such an instruction, so its operands may be results that are still in flight.
    fn renames(&self) -> bool {
        false
    }

    /// Returns the registers of an asynchronous matrix product. `writes` contains the accumulators, which may be in
    /// flight; `reads` contains the operands that the hardware may read after the instruction. Returns empty lists
    /// for all other instructions.
    fn product(&self) -> Regs {
        Regs::new([], [])
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::None
    }

    fn barrier(&self) -> BarrierOperands {
        BarrierOperands::default()
    }

    /// Returns the label under which reports count the memory accesses of the instruction; `None` if the
    /// instruction does not access memory.
    fn access(&self, _words: Assembly) -> Option<AccessLabel> {
        None
    }
}

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WarpInteraction {
    /// The instruction only accesses registers.
    None,
    /// The instruction accesses memory or synchronises, so the order of warps matters.
    Visible,
    Collective,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BarrierOperands {
    /// Barrier id; `None` for barrier 0.
    pub(crate) id: Option<Reg>,
    /// Number of participating threads; `None` for all threads of the block.
    pub(crate) threads: Option<Reg>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum AccessLabel {
    /// Label of a shared-memory access. Reports count the wavefronts of each such instruction. In one wavefront,
    /// each bank transfers at most one word.
    Shared(String),
    /// Label of a global-memory access. Reports count the sectors of all accesses with the same label.
    Global(String),
}

/// An instruction that marks a register as undefined. No other instruction writes this register.
#[derive(Debug)]
pub(crate) struct MarkUndefined {
    pub(crate) reg: Reg,
    pub(crate) kind: MarkKind,
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
