//! Values whose promises are broken, and where they do harm.
//!
//! A value whose flag does not hold is poison: computing with it gives more poison, and that is allowed, as where a
//! lane that is masked off computes an address that nobody uses. It is an error to store it, to branch on it, to
//! access memory through it, or to hand it to other lanes.

use super::Exec;
use crate::machine::kernel::code::{Edge, Reg};
use crate::machine::kernel::error::{FaultKind, KernelError, Site};
use crate::machine::kernel::ops::Instruction;
use std::collections::HashMap;

/// The poison of a block; made when the first promise is broken.
#[derive(Default)]
pub(crate) struct Poison {
    /// Per register and lane: the instruction whose promise was broken, plus one.
    marks: HashMap<Reg, Box<[u32]>>,
    /// What each such instruction found first.
    found: HashMap<u32, String>,
}

impl Poison {
    fn mark(&self, reg: Reg, lane: u32) -> u32 {
        self.marks.get(&reg).map_or(0, |marks| marks[lane as usize])
    }

    fn set(&mut self, reg: Reg, lane: u32, mark: u32, threads: u32) {
        if mark == 0 {
            if let Some(marks) = self.marks.get_mut(&reg) {
                marks[lane as usize] = 0;
            }
            return;
        }
        let fresh = || vec![0; threads as usize].into_boxed_slice();
        self.marks.entry(reg).or_insert_with(fresh)[lane as usize] = mark;
    }
}

/// The instruction whose promise was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark(u32);

/// What becomes of poison among the registers that an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is an error.
    Harm(Mark),
    /// The results are poison, or are not.
    Results(Option<Mark>),
    /// The lane takes no part: results stay what they are.
    Untouched,
}

/// What one lane reads, as far as poison matters.
pub(crate) struct Marks<'e> {
    exec: &'e Exec<'e>,
    poison: &'e Poison,
    lane: u32,
    reads: &'e [Reg],
}

impl Marks<'_> {
    /// The first poison among these registers.
    pub(crate) fn of(&self, regs: &[Reg]) -> Option<Mark> {
        let marks = regs.iter().map(|&reg| self.poison.mark(reg, self.lane));
        marks.filter(|mark| *mark != 0).map(Mark).next()
    }

    /// The first poison among all registers that the instruction reads.
    pub(crate) fn of_reads(&self) -> Option<Mark> {
        self.of(self.reads)
    }

    /// The fate of an instruction that other lanes or the memory see: poison does harm.
    pub(crate) fn harm(&self) -> Fate {
        self.of_reads().map_or(Fate::Results(None), Fate::Harm)
    }

    /// The value of a register.
    pub(crate) fn get(&self, reg: Reg) -> u64 {
        self.exec.get(reg, self.lane)
    }
}

impl Exec<'_> {
    /// Notes that `reg` broke its promise, and how.
    pub(crate) fn poison(&mut self, reg: Reg, lane: u32, text: String) {
        let (op, threads) = (self.op, self.num_threads);
        let poison = self.poison.get_or_insert_default();
        poison.set(reg, lane, op + 1, threads);
        poison.found.entry(op).or_insert(text);
    }

    /// Moves poison along with the values, and reports where it does harm; `op` is about to run.
    pub(super) fn spread(&mut self, op: &dyn Instruction) -> Result<(), KernelError> {
        let Some(mut poison) = self.poison.take() else {
            return Ok(());
        };
        let done = self.spread_op(&mut poison, op);
        self.poison = Some(poison);
        done
    }

    fn spread_op(&self, poison: &mut Poison, op: &dyn Instruction) -> Result<(), KernelError> {
        let regs = op.regs();
        for &lane in &self.lanes {
            let marks = Marks {
                exec: self,
                poison,
                lane,
                reads: &regs.reads,
            };
            match op.poison(&marks) {
                Fate::Harm(Mark(mark)) => {
                    return Err(self.poisoned(poison, mark, lane, self.program.site(self.op)));
                }
                Fate::Results(mark) => {
                    let mark = mark.map_or(0, |Mark(mark)| mark);
                    for &reg in &regs.writes {
                        poison.set(reg, lane, mark, self.num_threads);
                    }
                }
                Fate::Untouched => {}
            }
        }
        Ok(())
    }

    /// Reports a branch on poison; `site` is the terminator's.
    pub(super) fn branches_on(&self, reg: Reg, site: u32) -> Result<(), KernelError> {
        let Some(poison) = &self.poison else {
            return Ok(());
        };
        let bad = self.lanes.iter().find(|&&lane| poison.mark(reg, lane) != 0);
        match bad {
            Some(&lane) => {
                let site = &self.program.sites[site as usize];
                Err(self.poisoned(poison, poison.mark(reg, lane), lane, site))
            }
            None => Ok(()),
        }
    }

    /// Hands poison to a block's parameters.
    pub(super) fn spread_edge(&mut self, edge: &Edge, lanes: &[u32]) {
        let threads = self.num_threads;
        let Some(poison) = &mut self.poison else {
            return;
        };
        let params = &self.program.blocks[edge.target.0 as usize].params;
        for &lane in lanes {
            let marks: Vec<u32> = edge
                .args
                .iter()
                .map(|&arg| poison.mark(arg, lane))
                .collect();
            for (&param, mark) in params.iter().zip(marks) {
                poison.set(param, lane, mark, threads);
            }
        }
    }

    #[cold]
    fn poisoned(&self, poison: &Poison, mark: u32, lane: u32, user: &Site) -> KernelError {
        let origin = mark - 1;
        let text = poison.found.get(&origin).cloned().unwrap_or_default();
        KernelError::new(FaultKind::Poison, text)
            .at(self.program.site(origin).clone())
            .by(self.place(lane))
            .note(format!("the value is used by {user}"))
    }
}
