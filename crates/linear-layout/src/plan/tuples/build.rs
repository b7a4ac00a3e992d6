//! Putting a program together: steps, conversions, removal of what nobody uses.

use super::super::program::scratch_alignment;
use super::super::{ConvertPlan, PlanKind, PlanOptions, ValueId, plan_conversion};
use super::cost::cost_of;
use super::error::{Kind, TupleError};
use super::room::Room;
use super::{Condition, Conversion, LaneSource, TupleProgram, TupleStep, Turns};
use crate::layout::{Dim, LinearLayout};
use crate::target::Target;
use core::cmp::Reverse;

/// What combines, and where.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Combining<'a> {
    /// The width in bits of each operand's elements.
    pub(in crate::plan) widths: &'a [u32],
    /// How many instructions combine two tuples.
    pub(in crate::plan) combine: u32,
    pub(in crate::plan) target: &'a Target,
    pub(in crate::plan) room: Room,
}

/// A program under construction.
pub(in crate::plan) struct TupleBuilder<'a> {
    combining: Combining<'a>,
    warps_log2: u32,
    steps: Vec<TupleStep>,
    conversions: Vec<Conversion>,
    num_sources: u32,
    next: u32,
}

impl<'a> TupleBuilder<'a> {
    /// Begins a program on the unique registers of a layout.
    ///
    /// # Errors
    /// The widths, the axis or the layout are none that a program can be made for.
    pub(in crate::plan) fn new(
        combining: Combining<'a>,
        src: &LinearLayout,
        axis: usize,
    ) -> Result<Self, TupleError> {
        if let Some(bits) = combining
            .widths
            .iter()
            .find(|bits| !bits.is_power_of_two() || **bits > 64)
        {
            return Err(Kind::Width { bits: *bits }.into());
        }
        let rank = src.num_out_dims();
        if axis >= rank {
            return Err(Kind::Axis { axis, rank }.into());
        }
        let blocks = src.in_size(Dim::BLOCK);
        if blocks > 1 {
            return Err(Kind::SeveralBlocks { blocks }.into());
        }
        let columns = src.columns_of(Dim::REGISTER);
        let registers = columns.iter().filter(|column| **column != 0).count();
        let num_sources = 1 << registers;
        Ok(Self {
            combining,
            warps_log2: src.columns_of(Dim::WARP).len() as u32,
            steps: Vec::new(),
            conversions: Vec::new(),
            num_sources,
            next: num_sources,
        })
    }

    /// The source tuples.
    pub(in crate::plan) fn sources(&self) -> Vec<ValueId> {
        (0..self.num_sources).map(ValueId).collect()
    }

    fn new_values(&mut self, count: usize) -> ValueId {
        let first = ValueId(self.next);
        self.next += count as u32;
        first
    }

    pub(in crate::plan) fn combine(&mut self, acc: ValueId, other: ValueId) -> ValueId {
        let out = self.new_values(1);
        self.steps.push(TupleStep::Combine { out, acc, other });
        out
    }

    /// One of two tuples; that which both are needs no step.
    pub(in crate::plan) fn select(
        &mut self,
        condition: Condition,
        if_set: ValueId,
        if_clear: ValueId,
    ) -> ValueId {
        if if_set == if_clear {
            return if_set;
        }
        let out = self.new_values(1);
        self.steps.push(TupleStep::Select {
            out,
            condition,
            if_set,
            if_clear,
        });
        out
    }

    pub(in crate::plan) fn exchange(
        &mut self,
        values: &[ValueId],
        lane_bit: usize,
    ) -> Vec<ValueId> {
        let first = self.new_values(values.len());
        self.steps.push(TupleStep::Exchange {
            first,
            values: values.to_vec(),
            lane_mask: 1 << lane_bit,
        });
        run_of(first, values.len())
    }

    /// Combines tuples over all lanes; those that differ in `copies` alone hold the same.
    pub(in crate::plan) fn reduce_lanes(
        &mut self,
        values: &[ValueId],
        copies: u32,
    ) -> Vec<ValueId> {
        let first = self.new_values(values.len());
        self.steps.push(TupleStep::ReduceLanes {
            first,
            values: values.to_vec(),
            copies,
        });
        run_of(first, values.len())
    }

    pub(in crate::plan) fn fetch(
        &mut self,
        values: &[ValueId],
        source: LaneSource,
    ) -> Vec<ValueId> {
        let first = self.new_values(values.len());
        self.steps.push(TupleStep::Fetch {
            first,
            values: values.to_vec(),
            source,
        });
        run_of(first, values.len())
    }

    /// What is asked of the conversion of an operand: its part of the bytes that there are.
    fn options(&self, bits: u32) -> PlanOptions {
        let Room { turns, limit } = self.combining.room;
        let all: u64 = self
            .combining
            .widths
            .iter()
            .map(|b| u64::from(*b.max(&8)))
            .sum();
        let part = |limit: u32| match turns {
            Turns::Conversions => (u64::from(limit) * u64::from(bits.max(8)) / all.max(1)) as u32,
            Turns::None | Turns::Operands => limit,
        };
        PlanOptions {
            scratch_limit: limit.map(part),
            ..PlanOptions::new()
        }
    }

    /// Brings tuples into another layout; where that is no more than giving registers other numbers, without a
    /// step.
    pub(in crate::plan) fn convert(
        &mut self,
        from: LinearLayout,
        to: LinearLayout,
        values: Vec<ValueId>,
    ) -> Result<Vec<ValueId>, TupleError> {
        if from == to {
            return Ok(values);
        }
        let target = self.combining.target;
        let plans = self
            .combining
            .widths
            .iter()
            .map(|bits| plan_conversion(&from, &to, *bits, target, &self.options(*bits)))
            .collect::<Result<Vec<_>, _>>()?;
        let is_rename = plans.iter().all(|plan| plan.kind() == PlanKind::Rename);
        if is_rename
            && plans
                .windows(2)
                .all(|p| p[0].program().results() == p[1].program().results())
        {
            let results = plans
                .first()
                .map_or(&[][..], |plan| plan.program().results());
            return Ok(results.iter().map(|v| values[v.index()]).collect());
        }
        let columns = to.columns_of(Dim::REGISTER);
        let count = 1 << columns.iter().filter(|column| **column != 0).count();
        let first = self.new_values(count);
        self.steps.push(TupleStep::Convert {
            first,
            values,
            conversion: self.conversions.len(),
        });
        self.conversions.push(Conversion {
            from,
            to,
            plans,
            offsets: Vec::new(),
        });
        Ok(run_of(first, count))
    }

    /// Ends the program.
    ///
    /// # Errors
    /// It needs more shared memory than there is.
    pub(in crate::plan) fn finish(
        mut self,
        results: &[ValueId],
    ) -> Result<TupleProgram, TupleError> {
        let results = self.remove_unused(results);
        let mut needed = 0u32;
        let Room { turns, limit } = self.combining.room;
        for conversion in &mut self.conversions {
            let bytes = |plan: &ConvertPlan| plan.program().scratch_bytes();
            conversion.offsets = vec![0; conversion.plans.len()];
            // The largest first: then nothing is lost between them.
            let mut order: Vec<usize> = (0..conversion.plans.len()).collect();
            order.sort_by_key(|i| Reverse(bytes(&conversion.plans[*i])));
            let mut end = if turns == Turns::None { needed } else { 0 };
            for i in order {
                let bytes = bytes(&conversion.plans[i]);
                let start = match turns {
                    Turns::Operands => Some(0),
                    _ => end.checked_next_multiple_of(scratch_alignment(bytes)),
                };
                if bytes > 0 {
                    let start = start.unwrap_or(u32::MAX);
                    conversion.offsets[i] = start;
                    end = start.saturating_add(bytes);
                    needed = needed.max(end);
                }
            }
        }
        let target = self.combining.target;
        let limit = limit.unwrap_or(u32::MAX).min(target.max_shared_bytes);
        if needed > limit {
            return Err(Kind::Scratch {
                needed,
                limit,
                target: target.name,
            }
            .into());
        }
        let cost = cost_of(
            &self.steps,
            &self.conversions,
            self.combining,
            self.warps_log2,
        );
        Ok(TupleProgram {
            num_sources: self.num_sources,
            num_values: self.next,
            steps: self.steps,
            conversions: self.conversions,
            results,
            scratch_bytes: needed,
            turns,
            cost,
        })
    }

    /// Takes out steps, and what lanes give each other, that no result depends on; numbers values and conversions
    /// anew.
    fn remove_unused(&mut self, results: &[ValueId]) -> Vec<ValueId> {
        let mut is_used = vec![false; self.next as usize];
        for result in results {
            is_used[result.index()] = true;
        }
        for step in self.steps.iter_mut().rev() {
            let first = first_of(step);
            match step {
                TupleStep::Combine {
                    acc: a, other: b, ..
                }
                | TupleStep::Select {
                    if_set: a,
                    if_clear: b,
                    ..
                } => {
                    if is_used[first.index()] {
                        is_used[a.index()] = true;
                        is_used[b.index()] = true;
                    }
                }
                TupleStep::Exchange { values, .. }
                | TupleStep::ReduceLanes { values, .. }
                | TupleStep::Fetch { values, .. } => {
                    for (i, value) in (0..).zip(values) {
                        is_used[value.index()] |= is_used[first.plus(i).index()];
                    }
                }
                TupleStep::Convert {
                    values, conversion, ..
                } => {
                    let count = num_results(&self.conversions[*conversion]);
                    if run_of(first, count).iter().any(|v| is_used[v.index()]) {
                        values.iter().for_each(|v| is_used[v.index()] = true);
                    }
                }
            }
        }
        let mut numbers: Vec<ValueId> = self.sources();
        numbers.resize(self.next as usize, ValueId(0));
        let mut next = self.num_sources;
        let mut conversions = Vec::new();
        let old = std::mem::take(&mut self.conversions);
        let steps = std::mem::take(&mut self.steps);
        self.steps = steps
            .into_iter()
            .filter_map(|mut step| {
                let from = first_of(&step);
                let count = match &mut step {
                    TupleStep::Combine {
                        acc: a, other: b, ..
                    }
                    | TupleStep::Select {
                        if_set: a,
                        if_clear: b,
                        ..
                    } => {
                        *a = numbers[a.index()];
                        *b = numbers[b.index()];
                        1
                    }
                    TupleStep::Exchange { values, .. }
                    | TupleStep::ReduceLanes { values, .. }
                    | TupleStep::Fetch { values, .. }
                    | TupleStep::Convert { values, .. } => {
                        values.iter_mut().for_each(|v| *v = numbers[v.index()]);
                        values.len()
                    }
                };
                let mut made = run_of(from, count);
                match &mut step {
                    TupleStep::Exchange { values, .. }
                    | TupleStep::ReduceLanes { values, .. }
                    | TupleStep::Fetch { values, .. } => {
                        let mut is_taken = made.iter().map(|v| is_used[v.index()]);
                        values.retain(|_| is_taken.next().unwrap_or_default());
                        made.retain(|v| is_used[v.index()]);
                    }
                    TupleStep::Convert { conversion, .. } => {
                        made = run_of(from, num_results(&old[*conversion]));
                        if made.iter().any(|v| is_used[v.index()]) {
                            conversions.push(old[*conversion].clone());
                            *conversion = conversions.len() - 1;
                        } else {
                            made.clear();
                        }
                    }
                    _ => made.retain(|v| is_used[v.index()]),
                }
                if made.is_empty() {
                    return None;
                }
                set_first(&mut step, ValueId(next));
                for value in made {
                    numbers[value.index()] = ValueId(next);
                    next += 1;
                }
                Some(step)
            })
            .collect();
        self.conversions = conversions;
        self.next = next;
        results.iter().map(|v| numbers[v.index()]).collect()
    }
}

/// So many values, one after another.
fn run_of(first: ValueId, count: usize) -> Vec<ValueId> {
    (0..count as u32).map(|i| first.plus(i)).collect()
}

fn num_results(conversion: &Conversion) -> usize {
    let columns = conversion.to.columns_of(Dim::REGISTER);
    1 << columns.iter().filter(|column| **column != 0).count()
}

/// The first value that a step makes.
fn first_of(step: &TupleStep) -> ValueId {
    match step {
        TupleStep::Combine { out: first, .. }
        | TupleStep::Select { out: first, .. }
        | TupleStep::Exchange { first, .. }
        | TupleStep::ReduceLanes { first, .. }
        | TupleStep::Fetch { first, .. }
        | TupleStep::Convert { first, .. } => *first,
    }
}

fn set_first(step: &mut TupleStep, value: ValueId) {
    match step {
        TupleStep::Combine { out: first, .. }
        | TupleStep::Select { out: first, .. }
        | TupleStep::Exchange { first, .. }
        | TupleStep::ReduceLanes { first, .. }
        | TupleStep::Fetch { first, .. }
        | TupleStep::Convert { first, .. } => *first = value,
    }
}
