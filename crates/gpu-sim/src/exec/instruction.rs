//! The interface through which the interpreter uses instructions. The interpreter has no code that is specific to a
//! single instruction.

use super::points_to::PointerFlow;
use super::{Exec, MarkKind, Marks, PoisonEffect};
use crate::code::Reg;
use crate::error::KernelError;
use linear_layout::target::Assembly;
use std::fmt;

/// An instruction of a decoded kernel. It performs one operation in all active lanes.
pub(crate) trait Instruction: fmt::Debug + Send + Sync + 'static {
    /// Returns the registers that the instruction reads and writes. No register may be both read and written.
    fn regs(&self) -> Regs;

    /// Executes the instruction in all active lanes.
    fn step(&self, exec: &mut Exec<'_>) -> Result<(), KernelError>;

    /// Returns the effect of undefined operands in one lane. By default, all results become undefined.
    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Results(lane.of_reads())
    }

    /// Returns the reason why the instruction must wait for other threads, or `None` if it can execute now.
    fn blocked(&self, _exec: &Exec<'_>, _lanes: &[u32]) -> Result<Option<String>, KernelError> {
        Ok(None)
    }

    /// Returns the flow of addresses from the operands to the results, for the points-to analysis.
    fn flow(&self) -> PointerFlow {
        PointerFlow::Unknown
    }

    /// Returns true if every operand that an active lane uses is written by an instruction. A load whose lanes are all
    /// active, for example, does not use its constant fallback value.
    fn ignores_constants(&self, _exec: &Exec<'_>) -> bool {
        false
    }

    /// Returns the source and result registers of a lane exchange, which moves bits between lanes unchanged. For all
    /// other instructions, both lists are empty.
    fn moved(&self) -> Regs {
        Regs::new([], [])
    }

    /// Returns true if the instruction only gives other names to bits of a lane, as a bitcast does. A back end emits
    /// nothing for it, so that its operands may be in flight.
    fn renames(&self) -> bool {
        false
    }

    /// Returns the registers of an asynchronous matrix product. `writes` are the accumulators, which may be in flight,
    /// and `reads` are the operands, which the hardware may read after the instruction.
    fn product(&self) -> Regs {
        Regs::new([], [])
    }

    /// Returns the interaction of the instruction with other warps.
    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::None
    }

    /// Returns the operands of a collective instruction.
    fn barrier(&self) -> BarrierOperands {
        BarrierOperands::default()
    }

    /// Returns the label of the instruction's memory access in reports, or `None` if it does not access memory.
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
    /// The instruction only accesses registers.
    None,
    /// The instruction has an effect that other warps can observe.
    Visible,
    /// The warps that take part in a barrier execute the instruction together.
    Collective,
}

/// The operands of a barrier of the block or of some of its warps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BarrierOperands {
    /// Register that holds the id of the barrier; `None` for barrier 0.
    pub(crate) id: Option<Reg>,
    /// Register that holds the number of threads that take part; `None` if all threads of the block take part.
    pub(crate) threads: Option<Reg>,
}

/// The label of a memory access in reports. The variant determines the unit in which the access is counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum AccessLabel {
    /// An access to shared memory, which is counted in wavefronts per instruction.
    Shared(String),
    /// An access to global memory, which is counted in sectors per label.
    Global(String),
}

/// Marks the value of a register as undefined. No instruction writes this register.
#[derive(Debug)]
pub(crate) struct MarkUndefined {
    pub(crate) reg: Reg,
    pub(crate) kind: MarkKind,
    /// The error message for uses of the register.
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
