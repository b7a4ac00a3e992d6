//! Execution of combining steps: regions, reductions over lanes, counts.

use super::{FaultKind, Machine, Name, PlanFault};
use crate::number::narrow;
use crate::plan::program::ValueId;
use rustc_hash::FxHashMap;

impl<N: Name> Machine<'_, N> {
    /// Combines each element in `acc` with the element at the same index in `other`. If `is_packed` is false, each
    /// list contains one element of each operand, and these elements must be at the same position of their
    /// operands. If `is_packed` is true, each list contains elements of the only operand, and their positions are
    /// not compared.
    pub(super) fn combine(
        &mut self,
        step: usize,
        first: ValueId,
        [acc, other]: [&[ValueId]; 2],
        is_packed: bool,
    ) -> Result<(), PlanFault> {
        let mut combined_rows = Vec::with_capacity(acc.len());
        for list in [acc, other] {
            let of_first = self.elements(step, list[0])?;
            for value in list[1..].iter().filter(|_| !is_packed) {
                let mut pairs = of_first.iter().zip(self.elements(step, *value)?);
                if !pairs.all(|(a, b)| a.corresponds_to(b)) {
                    return Err(FaultKind::Tuple { step }.into());
                }
            }
        }
        for (acc, other) in acc.iter().zip(other) {
            let (acc, other) = (self.elements(step, *acc)?, self.elements(step, *other)?);
            let pairs = acc.into_iter().zip(other);
            let combined: Option<Vec<N>> = pairs.map(|(a, b)| a.combined_with(b)).collect();
            combined_rows.push(combined.ok_or(FaultKind::Tuple { step })?);
        }
        for (i, names) in (0..).zip(combined_rows) {
            self.define_element(first.plus(i), names);
        }
        Ok(())
    }

    /// Combines the elements that the lanes of each warp hold. Replicas of an element are combined only once.
    ///
    /// Lanes whose numbers differ only in the bits of `copies` must hold replicas of the same element.
    pub(super) fn reduce_lanes(
        &mut self,
        step: usize,
        [out, value]: [ValueId; 2],
        copies: u32,
    ) -> Result<(), PlanFault> {
        let mut names = self.elements(step, value)?;
        for warp in names.chunks_mut(1 << self.lanes_log2) {
            let mut all: Option<N> = None;
            for lane in 0..warp.len() {
                let once = lane & !copies as usize;
                if warp[lane] != warp[once] {
                    return Err(FaultKind::Lanes { step }.into());
                }
                if lane == once {
                    all = match all {
                        None => Some(warp[lane]),
                        Some(all) => all.combined_with(warp[lane]),
                    };
                }
            }
            warp.fill(all.ok_or(FaultKind::Tuple { step })?);
        }
        self.define_element(out, names);
        Ok(())
    }

    /// Computes a histogram of the elements of each warp with ballots. Each lane owns some bins, and counts the
    /// elements that fall in them.
    pub(super) fn count_votes(
        &mut self,
        step: usize,
        (first, count): (ValueId, u32),
        vote: u32,
        (bin, mask): (ValueId, Option<ValueId>),
        acc: &[ValueId],
    ) -> Result<(), PlanFault> {
        let vote = &self.plan.votes()[vote as usize];
        let zero = N::zero(0).ok_or(FaultKind::Tuple { step })?;
        let (names, bins) = (self.elements(step, bin)?, self.numbers(step, bin)?);
        let mask = self.mask(step, mask)?;
        let is_counted = acc.is_empty() || acc.len() == count as usize;
        if !is_counted || count != 1 << vote.counts_log2() {
            let what = "a vote step and its vote differ in the number of counts";
            return Err(FaultKind::Width { step, what }.into());
        }
        let mut sums: Vec<Vec<N>> = match acc.is_empty() {
            true => vec![vec![zero; self.threads]; count as usize],
            false => acc
                .iter()
                .map(|value| self.elements(step, *value))
                .collect::<Result<_, PlanFault>>()?,
        };
        let lanes = 1 << self.lanes_log2;
        for warp in (0..self.threads).step_by(lanes) {
            let mut found: FxHashMap<u32, N> = FxHashMap::default();
            for lane in (0..lanes).filter(|lane| narrow::<u32>(*lane) & vote.copies == 0) {
                let thread = warp + lane;
                // Votes read only the bits of a number that bins have.
                let bin = bins[thread] & ((1 << vote.bin_bits.len()) - 1);
                if mask[thread] {
                    let sum = found.entry(bin).or_insert(zero);
                    *sum = sum
                        .combined_with(names[thread])
                        .ok_or(FaultKind::Tuple { step })?;
                }
            }
            for (register, sums) in (0..).zip(&mut sums) {
                for lane in 0..lanes {
                    if let Some(added) = found.get(&vote.bin(register, narrow(lane))) {
                        let sum = &mut sums[warp + lane];
                        *sum = sum.combined_with(*added).ok_or(FaultKind::Tuple { step })?;
                    }
                }
            }
        }
        for (i, sums) in (0..).zip(sums) {
            self.define_element(first.plus(i), sums);
        }
        Ok(())
    }
}
