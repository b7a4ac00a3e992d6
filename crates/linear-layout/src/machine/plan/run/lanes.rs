//! Execution of data movement between registers and lanes, and of index arithmetic.

use super::{FaultKind, Machine, MapEvaluation, Name, Numbers, PlanFault};
use crate::machine::matrix::{WORD_BYTES, cell, holder};
use crate::number::narrow;
use crate::plan::program::ValueId;
use crate::target::Fragment;
use std::rc::Rc;

impl<N: Name> Machine<'_, N> {
    pub(super) fn select(
        &mut self,
        step: usize,
        out: ValueId,
        [if_set, if_clear]: [ValueId; 2],
        is_set: impl Fn(usize) -> bool,
    ) -> Result<(), PlanFault> {
        let (set, clear) = (self.rows(step, &[if_set])?, self.rows(step, &[if_clear])?);
        if set.len() != clear.len() {
            let what = "the operands of a select have different widths";
            return Err(FaultKind::Width { step, what }.into());
        }
        let start = self.define(out, set.len());
        for (g, (set, clear)) in set.into_iter().zip(clear).enumerate() {
            for t in 0..self.threads {
                let name = self.name(if is_set(t) { set } else { clear }, t);
                self.names[start + g * self.threads + t] = name;
            }
        }
        self.report.selects += self.warps();
        Ok(())
    }

    pub(super) fn shuffle(
        &mut self,
        index: usize,
        out: ValueId,
        value: ValueId,
        source: impl Fn(u32, u32) -> u32,
    ) -> Result<(), PlanFault> {
        let rows = self.rows(index, &[value])?;
        if rows.len() * self.granule as usize != 4 {
            return Err(FaultKind::Width {
                step: index,
                what: "the operand of a shuffle is not a 32-bit word",
            }
            .into());
        }
        let start = self.define(out, rows.len());
        let lanes = 1u32 << self.lanes_log2;
        for t in 0..narrow::<u32>(self.threads) {
            let lane = source(t & (lanes - 1), t);
            if lane >= lanes {
                return Err(FaultKind::Lane {
                    step: index,
                    lane,
                    lanes,
                }
                .into());
            }
            let other = ((t & !(lanes - 1)) | lane) as usize;
            for (g, row) in rows.iter().enumerate() {
                self.names[start + g * self.threads + t as usize] = self.name(*row, other);
            }
        }
        self.report.shuffles += self.warps();
        Ok(())
    }

    /// Transposes a 16-bit matrix fragment that is distributed over a warp (`movmatrix`).
    pub(super) fn transpose(
        &mut self,
        index: usize,
        out: ValueId,
        value: ValueId,
    ) -> Result<(), PlanFault> {
        let rows = self.rows(index, &[value])?;
        if rows.len() * self.granule as usize != WORD_BYTES as usize || self.granule > 2 {
            return Err(FaultKind::Width {
                step: index,
                what: "the operand of a matrix transposition is not a word of 16-bit elements",
            }
            .into());
        }
        let start = self.define(out, rows.len());
        for t in 0..self.threads {
            let first = t & !31;
            for g in 0..rows.len() {
                let byte = narrow::<u32>(g) * self.granule;
                let (row, column) = cell(narrow(t - first), byte, Fragment::Transposed);
                let (lane, byte) = holder(row, column);
                let held = rows[(byte / self.granule) as usize];
                self.names[start + g * self.threads + t] = self.name(held, first + lane as usize);
            }
        }
        self.report.shuffles += self.warps();
        Ok(())
    }

    /// Evaluates the index map with the number `map` in each thread. The inputs of the map are the lane, the warp
    /// and the numbers in `inputs`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number known at run time has 32 bits"
    )]
    fn outputs(&self, map: u32, inputs: &[Numbers]) -> Vec<Numbers> {
        let map = &self.plan.index_maps()[map as usize];
        let mut outputs = vec![vec![0; self.threads]; map.outputs().len()];
        for thread in 0..self.threads {
            let lane = thread & ((1 << self.lanes_log2) - 1);
            let place = [lane as u64, (thread >> self.lanes_log2) as u64];
            let known = inputs.iter().map(|numbers| u64::from(numbers[thread]));
            let all: Vec<u64> = place.into_iter().chain(known).collect();
            for (row, number) in outputs.iter_mut().zip(map.evaluate(&all)) {
                row[thread] = number as u32;
            }
        }
        outputs.into_iter().map(Rc::from).collect()
    }

    pub(super) fn compute(
        &mut self,
        step: usize,
        (first, count): (ValueId, u32),
        map: u32,
        inputs: &[ValueId],
    ) -> Result<(), PlanFault> {
        let inputs = inputs
            .iter()
            .map(|value| self.numbers.get(value).cloned().ok_or((step, *value)))
            .collect::<Result<Vec<Numbers>, _>>()
            .map_err(|(step, value)| FaultKind::Undefined { step, value })?;
        let is_known = |known: &&MapEvaluation| {
            let mut pairs = known.1.iter().zip(&inputs);
            known.0 == map && pairs.all(|(a, b)| Rc::ptr_eq(a, b))
        };
        let outputs = match self.computed.iter().find(is_known) {
            Some(known) => known.2.clone(),
            None => {
                let outputs = self.outputs(map, &inputs);
                self.computed.push((map, inputs, outputs.clone()));
                outputs
            }
        };
        if outputs.len() != count as usize {
            let what = "an index step and its map differ in the number of outputs";
            return Err(FaultKind::Width { step, what }.into());
        }
        let outputs = (0..).zip(outputs);
        let outputs = outputs.map(|(i, numbers)| (first.plus(i), numbers));
        self.numbers.extend(outputs);
        Ok(())
    }
}
