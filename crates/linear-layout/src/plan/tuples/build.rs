//! Construction of programs on tuples: steps, conversions, dead-step elimination.

use super::super::program::{
    BarrierScope, Builder, InlinedProgram, LaneMap, Predicate, Threads, ValueId, scratch_alignment,
};
use super::super::{ConvertPlan, PlanKind, PlanOptions, plan_conversion};
use super::ScratchReuse;
use super::error::{TupleError, TupleErrorKind};
use super::scratch::ScratchBudget;
use super::step::{Combiner, Conversion, TupleId, TupleStep};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::program::Program;
use core::cmp::Reverse;
use rustc_hash::FxHashMap;

/// A program on tuples under construction, as a list of recorded steps. A tuple contains one element of each
/// operand of a reduction or a scan.
pub(in crate::plan) struct TupleBuilder<'a> {
    combiner: Combiner<'a>,
    threads: Threads,
    steps: Vec<TupleStep>,
    conversions: Vec<Conversion>,
    num_sources: u32,
    next: u32,
}

impl<'a> TupleBuilder<'a> {
    /// Begins a program whose inputs are the registers of the layout `src`, without registers that replicate other
    /// registers of the same thread.
    ///
    /// # Errors
    /// Returns an error if an element width, the axis or the layout is not supported.
    pub(in crate::plan) fn new(
        combiner: Combiner<'a>,
        src: &LinearLayout,
        axis: usize,
    ) -> Result<Self, TupleError> {
        if let Some(bits) = combiner
            .widths
            .iter()
            .find(|bits| !bits.is_power_of_two() || **bits > 64)
        {
            return Err(TupleErrorKind::Width { bits: *bits }.into());
        }
        let rank = src.num_out_dims();
        if axis >= rank {
            return Err(TupleErrorKind::Axis { axis, rank }.into());
        }
        let blocks = src.in_size(Dim::BLOCK);
        if blocks > 1 {
            return Err(TupleErrorKind::SeveralBlocks { blocks }.into());
        }
        let columns = src.columns_of(Dim::REGISTER);
        let registers = columns.iter().filter(|column| **column != 0).count();
        let num_sources = 1 << registers;
        Ok(Self {
            combiner,
            threads: Threads::of(src),
            steps: Vec::new(),
            conversions: Vec::new(),
            num_sources,
            next: num_sources,
        })
    }

    pub(in crate::plan) fn sources(&self) -> Vec<TupleId> {
        (0..self.num_sources).map(TupleId).collect()
    }

    fn new_values(&mut self, count: usize) -> TupleId {
        let first = TupleId(self.next);
        self.next += narrow::<u32>(count);
        first
    }

    pub(in crate::plan) fn combine(&mut self, acc: TupleId, other: TupleId) -> TupleId {
        let out = self.new_values(1);
        self.steps.push(TupleStep::Combine { out, acc, other });
        out
    }

    /// Adds a step that selects `if_set` in threads for which `condition` is true, and `if_clear` in all other
    /// threads. If both are the same tuple, returns it without adding a step.
    pub(in crate::plan) fn select(
        &mut self,
        condition: Predicate,
        if_set: TupleId,
        if_clear: TupleId,
    ) -> TupleId {
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
        values: &[TupleId],
        lane_bit: usize,
    ) -> Vec<TupleId> {
        let first = self.new_values(values.len());
        self.steps.push(TupleStep::Exchange {
            first,
            values: values.to_vec(),
            lane_mask: 1 << lane_bit,
        });
        consecutive(first, values.len())
    }

    /// Adds a step that combines each tuple over all lanes of a warp. Lanes whose numbers differ only in the bits
    /// of the mask `copies` hold replicas.
    pub(in crate::plan) fn reduce_lanes(
        &mut self,
        values: &[TupleId],
        copies: u32,
    ) -> Vec<TupleId> {
        let first = self.new_values(values.len());
        self.steps.push(TupleStep::ReduceLanes {
            first,
            values: values.to_vec(),
            copies,
        });
        consecutive(first, values.len())
    }

    pub(in crate::plan) fn fetch(&mut self, values: &[TupleId], source: LaneMap) -> Vec<TupleId> {
        let first = self.new_values(values.len());
        self.steps.push(TupleStep::Fetch {
            first,
            values: values.to_vec(),
            source,
        });
        consecutive(first, values.len())
    }

    /// Returns the options for the conversion of one operand with elements of `bits` bits, including its scratch limit.
    fn options(&self, bits: u32) -> PlanOptions {
        let ScratchBudget { reuse, limit } = self.combiner.budget;
        let all: u64 = self
            .combiner
            .widths
            .iter()
            .map(|b| u64::from(*b.max(&8)))
            .sum();
        let part = |limit: u32| match reuse {
            ScratchReuse::Conversions => {
                narrow::<u32>(u64::from(limit) * u64::from(bits.max(8)) / all.max(1))
            }
            ScratchReuse::None | ScratchReuse::Operands => limit,
        };
        PlanOptions {
            scratch_limit: limit.map(part),
            ..PlanOptions::new()
        }
    }

    /// Adds a step that converts tuples to another layout. Adds no step if the conversion only renumbers registers.
    pub(in crate::plan) fn convert(
        &mut self,
        from: &LinearLayout,
        to: &LinearLayout,
        values: Vec<TupleId>,
    ) -> Result<Vec<TupleId>, TupleError> {
        if from == to {
            return Ok(values);
        }
        let target = self.combiner.target;
        let plans = self
            .combiner
            .widths
            .iter()
            .map(|bits| plan_conversion(from, to, *bits, target, &self.options(*bits)))
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
            results: count,
            plans,
            offsets: Vec::new(),
        });
        Ok(consecutive(first, count))
    }

    /// Completes the program.
    ///
    /// # Errors
    /// Returns an error if the program needs more shared memory than the scratch budget allows.
    pub(in crate::plan) fn finish(mut self, results: &[TupleId]) -> Result<Program, TupleError> {
        let results = self.remove_unused(results);
        let mut needed = 0u32;
        let ScratchBudget { reuse, limit } = self.combiner.budget;
        for conversion in &mut self.conversions {
            let bytes = |plan: &ConvertPlan| plan.program().scratch_bytes();
            conversion.offsets = vec![0; conversion.plans.len()];
            // Largest first, so that no padding is needed in between.
            let mut order: Vec<usize> = (0..conversion.plans.len()).collect();
            order.sort_by_key(|i| Reverse(bytes(&conversion.plans[*i])));
            let mut end = if reuse == ScratchReuse::None {
                needed
            } else {
                0
            };
            for i in order {
                let bytes = bytes(&conversion.plans[i]);
                let start = match reuse {
                    ScratchReuse::Operands => Some(0),
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
        let target = self.combiner.target;
        let limit = limit.unwrap_or(u32::MAX).min(target.max_shared_bytes);
        if needed > limit {
            return Err(TupleErrorKind::Scratch {
                needed,
                limit,
                target: target.name,
            }
            .into());
        }
        Ok(self.program(&results, needed))
    }

    /// Emits the recorded steps as a program.
    fn program(&self, results: &[TupleId], scratch_bytes: u32) -> Program {
        let widths = self.combiner.widths;
        let mut b = Builder::new(self.num_sources.ilog2(), widths, self.threads);
        b.set_combination_cost(self.combiner.combine);
        let sources = b.sources();
        let lists = sources.chunks(self.num_sources as usize);
        let lists: Vec<Vec<ValueId>> = lists.map(<[_]>::to_vec).collect();
        let mut emitter = TupleEmitter {
            b,
            tuples: vec![Vec::new(); self.next as usize],
            words: FxHashMap::default(),
            operands: widths.len(),
            is_packed: self.combiner.is_packed && widths.len() == 1,
            conversions: &self.conversions,
            reuse: self.combiner.budget.reuse,
            scratch_is_used: false,
        };
        emitter.set_lists(TupleId(0), &lists);
        let mut steps = &self.steps[..];
        while let Some(step) = steps.first() {
            let emitted = emitter.emit_words(steps);
            if emitted == 0 {
                emitter.emit_step(step);
            }
            steps = &steps[emitted.max(1)..];
        }
        let results = (0..widths.len()).flat_map(|operand| emitter.list(results, operand));
        let results = results.collect();
        let target = self.combiner.target;
        emitter.b.finish(results, scratch_bytes, target)
    }

    /// Removes each step whose results do not contribute to any result of the program. From exchanges, fetches and
    /// lane reductions, also removes each single result that does not contribute. Renumbers the remaining tuples
    /// and conversions. Returns the renumbered `results`.
    fn remove_unused(&mut self, results: &[TupleId]) -> Vec<TupleId> {
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
                    let count = self.conversions[*conversion].results;
                    if consecutive(first, count).iter().any(|v| is_used[v.index()]) {
                        values.iter().for_each(|v| is_used[v.index()] = true);
                    }
                }
            }
        }
        let mut numbers: Vec<TupleId> = self.sources();
        numbers.resize(self.next as usize, TupleId(0));
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
                let mut made = consecutive(from, count);
                match &mut step {
                    TupleStep::Exchange { values, .. }
                    | TupleStep::ReduceLanes { values, .. }
                    | TupleStep::Fetch { values, .. } => {
                        let mut is_taken = made.iter().map(|v| is_used[v.index()]);
                        values.retain(|_| is_taken.next().unwrap_or_default());
                        made.retain(|v| is_used[v.index()]);
                    }
                    TupleStep::Convert { conversion, .. } => {
                        made = consecutive(from, old[*conversion].results);
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
                set_first(&mut step, TupleId(next));
                for value in made {
                    numbers[value.index()] = TupleId(next);
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

/// An emitter, which turns recorded steps on tuples into a program on values.
struct TupleEmitter<'b> {
    b: Builder,
    /// `tuples[t][k]` is the element of operand `k` in tuple `t`.
    tuples: Vec<Vec<ValueId>>,
    /// For each word that contains the elements of two tuples: the tuple of the lower half, mapped to the tuple of
    /// the upper half.
    words: FxHashMap<TupleId, TupleId>,
    operands: usize,
    is_packed: bool,
    conversions: &'b [Conversion],
    reuse: ScratchReuse,
    /// True if an earlier conversion used scratch memory. A conversion that reuses this memory needs a barrier
    /// first.
    scratch_is_used: bool,
}

impl TupleEmitter<'_> {
    /// Returns the element of operand `operand` in each of the tuples.
    fn list(&self, tuples: &[TupleId], operand: usize) -> Vec<ValueId> {
        let of = |tuple: &TupleId| self.tuples[tuple.index()][operand];
        tuples.iter().map(of).collect()
    }

    /// Defines the consecutive tuples `first`, `first + 1`, etc. by their elements: `lists[k][i]` is the element of
    /// operand `k` in tuple `first + i`.
    fn set_lists(&mut self, first: TupleId, lists: &[Vec<ValueId>]) {
        let count = lists.first().map_or(0, Vec::len);
        if self.is_packed {
            let firsts = (0..narrow::<u32>(count) / 2).map(|i| first.plus(2 * i));
            self.words.extend(firsts.map(|low| (low, low.plus(1))));
        }
        for i in 0..count {
            let tuple = lists.iter().map(|list| list[i]).collect();
            self.tuples[first.index() + i] = tuple;
        }
    }

    /// Tries to emit a select, or a combination with the selects that follow it, together with the same steps on the other
    /// elements of the same words. Returns the number of emitted steps; 0 if the elements do not share words.
    fn emit_words(&mut self, steps: &[TupleStep]) -> usize {
        let is_select = |step: &&TupleStep| matches!(step, TupleStep::Select { .. });
        let count = match steps[0] {
            TupleStep::Combine { .. } => 1 + steps[1..].iter().take_while(is_select).count(),
            _ => 1,
        };
        if !self.is_packed || steps.len() < 2 * count {
            return 0;
        }
        let (low, high) = (&steps[..count], &steps[count..2 * count]);
        let mut made = FxHashMap::default();
        for (low, high) in low.iter().zip(high) {
            let is_word = |(low, high): (TupleId, TupleId)| {
                let known = [&self.words, &made];
                known.iter().any(|of| of.get(&low) == Some(&high))
            };
            match [low, high].map(element_wise) {
                [Some((how, low)), Some((how_high, high))]
                    if how == how_high && low.into_iter().zip(high).all(is_word) => {}
                _ => return 0,
            }
            made.insert(first_of(low), first_of(high));
        }
        self.words.extend(made);
        for step in low {
            if let Some((condition, operands)) = element_wise(step) {
                let [first, second] = operands.map(|low| self.word(low));
                let both = match condition {
                    None => self.b.combine(&first, &second, true),
                    Some(condition) => {
                        let predicate = self.b.predicate(condition);
                        let clear = self.b.pack(&second);
                        let select = |b: &mut Builder, set| b.select(predicate, set, clear);
                        self.b.through_words(&first, select)
                    }
                };
                self.set_word(first_of(step), &both);
            }
        }
        2 * count
    }

    /// Returns the elements of a word, of which `low` is the lower half.
    fn word(&self, low: TupleId) -> Vec<ValueId> {
        self.list(&[low, self.words[&low]], 0)
    }

    /// Defines the tuples of a word, of which `low` is the lower half.
    fn set_word(&mut self, low: TupleId, elements: &[ValueId]) {
        for (tuple, value) in [low, self.words[&low]].into_iter().zip(elements) {
            self.tuples[tuple.index()] = vec![*value];
        }
    }

    fn emit_step(&mut self, step: &TupleStep) {
        match step {
            TupleStep::Combine { out, acc, other } => {
                let (acc, other) = (&self.tuples[acc.index()], &self.tuples[other.index()]);
                self.tuples[out.index()] = self.b.combine(acc, other, false);
            }
            TupleStep::Exchange {
                first,
                values,
                lane_mask,
            } => self.send(*first, values, |b, word| b.shuffle_xor(word, *lane_mask)),
            TupleStep::Fetch {
                first,
                values,
                source,
            } => {
                let map = self.b.lane_map(source.clone());
                self.send(*first, values, |b, word| b.shuffle_index(word, map, 0));
            }
            TupleStep::ReduceLanes {
                first,
                values,
                copies,
            } => {
                let lists = (0..self.operands).map(|operand| {
                    let list = self.list(values, operand).into_iter();
                    list.map(|value| self.b.reduce_lanes(value, *copies))
                        .collect()
                });
                let lists: Vec<_> = lists.collect();
                self.set_lists(*first, &lists);
            }
            TupleStep::Select {
                out,
                condition,
                if_set,
                if_clear,
            } => {
                let predicate = self.b.predicate(*condition);
                let (set, clear) = (&self.tuples[if_set.index()], &self.tuples[if_clear.index()]);
                let pairs = set.iter().zip(clear);
                let chosen = pairs.map(|(set, clear)| self.b.select(predicate, *set, *clear));
                self.tuples[out.index()] = chosen.collect();
            }
            TupleStep::Convert {
                first,
                values,
                conversion,
            } => {
                let lists = self.convert(&self.conversions[*conversion], values);
                self.set_lists(*first, &lists);
            }
        }
    }

    /// Packs `values` into words, moves each word to another lane with `send`, and defines the unpacked results as
    /// tuples `first`, `first + 1`, etc.
    fn send(
        &mut self,
        first: TupleId,
        values: &[TupleId],
        mut send: impl FnMut(&mut Builder, ValueId) -> ValueId,
    ) {
        let lists = (0..self.operands).map(|operand| {
            let list = self.list(values, operand);
            self.b.through_words(&list, &mut send)
        });
        let lists: Vec<_> = lists.collect();
        self.set_lists(first, &lists);
    }

    /// Emits `conversion` for the tuples `values`, and returns the converted elements of each operand. A barrier is
    /// emitted before scratch bytes are reused.
    fn convert(&mut self, conversion: &Conversion, values: &[TupleId]) -> Vec<Vec<ValueId>> {
        let sources: Vec<_> = (0..self.operands).map(|k| self.list(values, k)).collect();
        let parts = conversion
            .plans
            .iter()
            .zip(&conversion.offsets)
            .zip(&sources);
        let parts: Vec<InlinedProgram<'_>> = (0..)
            .zip(parts)
            .map(|(operand, ((plan, start), sources))| InlinedProgram {
                program: plan.program(),
                operand,
                sources,
                start: *start,
            })
            .collect();
        let mut all = Vec::new();
        let at_once = match self.reuse {
            ScratchReuse::Operands => 1,
            ScratchReuse::None | ScratchReuse::Conversions => parts.len().max(1),
        };
        for parts in parts.chunks(at_once) {
            let uses_scratch = parts.iter().any(|part| part.program.scratch_bytes() > 0);
            let takes_turns = self.reuse != ScratchReuse::None && uses_scratch;
            if takes_turns && std::mem::replace(&mut self.scratch_is_used, true) {
                self.b.barrier(BarrierScope::Block);
            }
            all.extend(self.b.inline(parts));
        }
        all
    }
}

fn consecutive(first: TupleId, count: usize) -> Vec<TupleId> {
    (0..narrow::<u32>(count)).map(|i| first.plus(i)).collect()
}

/// Returns the operands of a combination or a select, and the condition of a select.
fn element_wise(step: &TupleStep) -> Option<(Option<Predicate>, [TupleId; 2])> {
    match step {
        TupleStep::Combine { acc, other, .. } => Some((None, [*acc, *other])),
        TupleStep::Select {
            condition,
            if_set,
            if_clear,
            ..
        } => Some((Some(*condition), [*if_set, *if_clear])),
        _ => None,
    }
}

fn first_of(step: &TupleStep) -> TupleId {
    match step {
        TupleStep::Combine { out: first, .. }
        | TupleStep::Select { out: first, .. }
        | TupleStep::Exchange { first, .. }
        | TupleStep::ReduceLanes { first, .. }
        | TupleStep::Fetch { first, .. }
        | TupleStep::Convert { first, .. } => *first,
    }
}

fn set_first(step: &mut TupleStep, value: TupleId) {
    match step {
        TupleStep::Combine { out: first, .. }
        | TupleStep::Select { out: first, .. }
        | TupleStep::Exchange { first, .. }
        | TupleStep::ReduceLanes { first, .. }
        | TupleStep::Fetch { first, .. }
        | TupleStep::Convert { first, .. } => *first = value,
    }
}
