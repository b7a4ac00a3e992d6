//! Construction of programs: value numbering, simplification, dead-step elimination.

mod access;
mod inputs;

use crate::number::narrow;
pub(crate) use access::View;
use inputs::{each_input, outs, renumber, with_out};

use super::cost::cost_of;
use super::{
    Address, AddressBase, BarrierScope, Cost, IndexProgram, LaneMap, Operands, Predicate, Program,
    ScaleWord, Step, ValueId, ValueType, Vote,
};
use crate::layout::{Dim, LinearLayout};
use crate::target::{Product, Target};
use rustc_hash::FxHashMap;

const NO_STEP: u32 = u32::MAX;

/// A program under construction.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    steps: Vec<Step>,
    operands: Vec<ValueId>,
    predicates: Vec<Predicate>,
    lane_maps: Vec<LaneMap>,
    address_bases: Vec<AddressBase>,
    index_maps: Vec<IndexProgram>,
    votes: Vec<Vote>,
    rows: Vec<Product>,
    /// For each value, the index of the step that defines it, or `NO_STEP` for source values.
    defined_by: Vec<u32>,
    types: Vec<ValueType>,
    num_sources: u32,
    widths: Vec<u32>,
    lanes_log2: u32,
    warps_log2: u32,
    blocks_log2: u32,
    value_numbers: FxHashMap<Step, ValueId>,
    /// For each operand for which [`Self::zero`] was called, the value that holds the number 0.
    zeros: FxHashMap<u8, ValueId>,
    /// Cost of one application of the combiner of a reduction or a scan. It affects only the cost of the program.
    combination: u32,
}

/// The threads that execute a program: log2 of the numbers of lanes, warps and blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// Log2 of the number of lanes of a warp.
    pub(crate) lanes_log2: u32,
    /// Log2 of the number of warps of the block.
    pub(crate) warps_log2: u32,
    /// Log2 of the number of blocks of a cluster that exchange data with each other; 0 if no block depends on
    /// another block.
    pub(crate) blocks_log2: u32,
}

impl Threads {
    pub(crate) fn of(layout: &LinearLayout) -> Self {
        Self {
            lanes_log2: narrow(layout.in_bits(Dim::LANE)),
            warps_log2: narrow(layout.in_bits(Dim::WARP)),
            blocks_log2: 0,
        }
    }
}

/// A program to be inlined into an enclosing program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InlinedProgram<'p> {
    pub(crate) program: &'p Program,
    /// Index of an operand of the enclosing program. All values of the inlined program get the type of this
    /// operand.
    pub(crate) operand: u8,
    /// Values of the enclosing program that replace the source registers of the inlined program.
    pub(crate) sources: &'p [ValueId],
    /// Offset in bytes of the inlined program's scratch memory within the scratch memory of the enclosing program.
    pub(crate) start: u32,
}

impl Builder {
    /// Begins a program whose inputs are `1 << sources_log2` registers of each operand. All registers of an operand
    /// come before the registers of the next operand. `widths` lists the element width of each operand in bits.
    pub(crate) fn new(sources_log2: u32, widths: &[u32], threads: Threads) -> Self {
        let operands = widths.iter().map(|bits| (1u32 << sources_log2, *bits));
        Self::of_operands(&operands.collect::<Vec<_>>(), threads)
    }

    /// Begins a program whose inputs are the registers of the operands, one operand after the other. An entry of
    /// `operands` is (number of registers, element width in bits).
    pub(crate) fn of_operands(operands: &[(u32, u32)], threads: Threads) -> Self {
        let numbered = operands.iter().enumerate();
        let types: Vec<ValueType> = numbered
            .flat_map(|(operand, (count, _))| {
                let type_ = ValueType {
                    operand: narrow(operand),
                    is_word: false,
                };
                (0..*count).map(move |_| type_)
            })
            .collect();
        let num_sources = narrow(types.len());
        Self {
            types,
            steps: Vec::new(),
            operands: Vec::new(),
            predicates: Vec::new(),
            lane_maps: Vec::new(),
            address_bases: Vec::new(),
            index_maps: Vec::new(),
            votes: Vec::new(),
            rows: Vec::new(),
            defined_by: vec![NO_STEP; num_sources as usize],
            num_sources,
            widths: operands.iter().map(|(_, bits)| *bits).collect(),
            lanes_log2: threads.lanes_log2,
            warps_log2: threads.warps_log2,
            blocks_log2: threads.blocks_log2,
            value_numbers: FxHashMap::default(),
            zeros: FxHashMap::default(),
            combination: 0,
        }
    }

    /// Sets the cost of one application of the combiner of a reduction or a scan. It affects only the cost of the
    /// program.
    pub(crate) const fn set_combination_cost(&mut self, cost: u32) {
        self.combination = cost;
    }

    /// Returns the number of bits that an element of the first operand occupies in a word or in shared memory: its
    /// width, but at least 8.
    pub(crate) fn container_bits(&self) -> u32 {
        self.widths[0].max(8)
    }

    /// Returns the width in bits of the elements of the operand to which `value` belongs.
    pub(crate) fn element_bits(&self, value: ValueId) -> u32 {
        self.widths[usize::from(self.types[value.index()].operand)]
    }

    pub(crate) fn sources(&self) -> Vec<ValueId> {
        (0..self.num_sources).map(ValueId).collect()
    }

    fn define(&mut self, count: u32, type_: ValueType) -> ValueId {
        let first = ValueId(narrow(self.defined_by.len()));
        let step = narrow::<u32>(self.steps.len());
        self.defined_by.extend((0..count).map(|_| step));
        self.types.extend((0..count).map(|_| type_));
        first
    }

    fn definition(&self, v: ValueId) -> Option<Step> {
        match self.defined_by[v.index()] {
            NO_STEP => None,
            step => Some(self.steps[step as usize]),
        }
    }

    /// Adds a pure step that defines one value, which has the type of `like`. If an equal step was added before,
    /// returns the value of that step instead.
    fn pure(&mut self, step: Step, like: ValueId) -> ValueId {
        if let Some(&v) = self.value_numbers.get(&step) {
            return v;
        }
        let value = self.define(1, self.types[like.index()]);
        self.value_numbers.insert(step, value);
        self.steps.push(with_out(step, value));
        value
    }

    fn list(&mut self, values: &[ValueId]) -> Operands {
        let start = narrow(self.operands.len());
        self.operands.extend_from_slice(values);
        Operands {
            start,
            len: narrow(values.len()),
        }
    }

    pub(crate) fn predicate(&mut self, predicate: Predicate) -> u32 {
        intern(&mut self.predicates, predicate)
    }

    pub(crate) fn lane_map(&mut self, mut map: LaneMap) -> u32 {
        // Warp bits rarely affect a source lane. If they do not, the map depends only on the lane.
        if let LaneMap::Linear(columns) = &mut map
            && columns[self.lanes_log2 as usize..].iter().all(|&c| c == 0)
        {
            columns.truncate(self.lanes_log2 as usize);
        }
        intern(&mut self.lane_maps, map)
    }

    pub(crate) fn select(&mut self, predicate: u32, if_set: ValueId, if_clear: ValueId) -> ValueId {
        let (mut set, mut clear) = (if_set, if_clear);
        // The result of an inner select under the same predicate is known.
        while let Some(Step::Select {
            predicate: p,
            if_set,
            ..
        }) = self.definition(set)
            && p == predicate
        {
            set = if_set;
        }
        while let Some(Step::Select {
            predicate: p,
            if_clear,
            ..
        }) = self.definition(clear)
            && p == predicate
        {
            clear = if_clear;
        }
        if set == clear {
            return set;
        }
        let step = Step::Select {
            out: ValueId(0),
            predicate,
            if_set: set,
            if_clear: clear,
        };
        self.pure(step, set)
    }

    /// Returns the value that holds the number 0 for the operand to which `like` belongs. The first call for an
    /// operand adds a step that defines this value.
    pub(crate) fn zero(&mut self, like: ValueId) -> ValueId {
        let operand = self.types[like.index()].operand;
        if let Some(value_numbers) = self.zeros.get(&operand) {
            return *value_numbers;
        }
        let type_ = ValueType {
            operand,
            is_word: false,
        };
        let out = self.define(1, type_);
        self.zeros.insert(operand, out);
        self.steps.push(Step::Zero { out });
        out
    }

    /// Returns a value that holds the number 1 and belongs to the same operand as `of`. Adds a step that defines
    /// this value, unless an earlier call had the same `of`.
    pub(crate) fn one(&mut self, of: ValueId) -> ValueId {
        let step = Step::One {
            out: ValueId(0),
            of,
        };
        self.pure(step, of)
    }

    pub(crate) fn atomic_add(
        &mut self,
        address: Address,
        value: ValueId,
        mask: Option<ValueId>,
        guard: Option<u32>,
    ) {
        self.steps.push(Step::AtomicAdd {
            address,
            value,
            mask,
            guard,
        });
    }

    pub(crate) fn vote(&mut self, vote: Vote) -> u32 {
        intern(&mut self.votes, vote)
    }

    /// Adds a step in which each lane counts, for each bin that it owns, the elements of the warp that fall in this
    /// bin. Returns the counts. If `acc` is not empty, each count is added to the corresponding value of `acc`.
    /// `vote` is an index into the program's votes.
    pub(crate) fn count_votes(
        &mut self,
        vote: u32,
        bin: ValueId,
        mask: Option<ValueId>,
        acc: &[ValueId],
    ) -> Vec<ValueId> {
        let count = 1 << self.votes[vote as usize].counts_log2();
        let acc = self.list(acc);
        let first = self.define(count, self.types[bin.index()]);
        self.steps.push(Step::CountVotes {
            first,
            count,
            vote,
            bin,
            mask,
            acc,
        });
        (0..count).map(|i| first.plus(i)).collect()
    }

    /// Adds a step that selects `if_set` if bit `bit` of the run-time number `number` is set, and `if_clear`
    /// otherwise.
    pub(crate) fn select_bit(
        &mut self,
        (number, bit): (ValueId, u32),
        if_set: ValueId,
        if_clear: ValueId,
    ) -> ValueId {
        let step = Step::SelectBit {
            out: ValueId(0),
            number,
            bit,
            if_set,
            if_clear,
        };
        self.pure(step, if_set)
    }

    pub(crate) fn index_map(&mut self, map: IndexProgram) -> u32 {
        intern(&mut self.index_maps, map)
    }

    /// Adds a step that evaluates the index map with index `map` for the inputs (lane, warp, `inputs`). Returns the
    /// value of the map's first output. The values of the other outputs have the next indices.
    pub(crate) fn compute(&mut self, map: u32, inputs: &[ValueId]) -> ValueId {
        let count = narrow(self.index_maps[map as usize].outputs().len());
        let operand = inputs.first().map_or(0, |v| self.types[v.index()].operand);
        let type_ = ValueType {
            operand,
            is_word: true,
        };
        let inputs = self.list(inputs);
        let first = self.define(count, type_);
        self.steps.push(Step::Compute {
            first,
            count,
            map,
            inputs,
        });
        first
    }

    pub(crate) fn shuffle_at(&mut self, value: ValueId, lane: ValueId, lane_xor: u32) -> ValueId {
        let step = Step::ShuffleAt {
            out: ValueId(0),
            value,
            lane,
            lane_xor,
        };
        self.pure(step, value)
    }

    pub(crate) fn shuffle_xor(&mut self, value: ValueId, lane_mask: u32) -> ValueId {
        if lane_mask == 0 {
            return value;
        }
        let step = Step::ShuffleXor {
            out: ValueId(0),
            value,
            lane_mask,
        };
        self.pure(step, value)
    }

    pub(crate) fn shuffle_index(&mut self, value: ValueId, map: u32, lane_xor: u32) -> ValueId {
        let step = Step::ShuffleIndex {
            out: ValueId(0),
            value,
            map,
            lane_xor,
        };
        self.pure(step, value)
    }

    pub(crate) fn swap_lanes(
        &mut self,
        low: ValueId,
        high: ValueId,
        lane_bit: u32,
    ) -> (ValueId, ValueId) {
        let first = self.define(2, self.types[low.index()]);
        self.steps.push(Step::SwapLanes {
            first,
            low,
            high,
            lane_bit,
        });
        (first, first.plus(1))
    }

    pub(crate) fn pack(&mut self, parts: &[ValueId]) -> ValueId {
        let operand = self.types[parts[0].index()].operand;
        let type_ = ValueType {
            operand,
            is_word: self.element_bits(parts[0]) < 32,
        };
        let parts = self.list(parts);
        let out = self.define(1, type_);
        self.steps.push(Step::Pack { out, parts });
        out
    }

    pub(crate) fn unpack(&mut self, value: ValueId, count: u32) -> ValueId {
        let operand = self.types[value.index()].operand;
        let type_ = ValueType {
            operand,
            is_word: self.element_bits(value) == 64,
        };
        let first = self.define(count, type_);
        self.steps.push(Step::Unpack {
            first,
            count,
            value,
        });
        first
    }

    pub(crate) fn transpose(&mut self, value: ValueId) -> ValueId {
        let step = Step::TransposeMatrix {
            out: ValueId(0),
            value,
        };
        self.pure(step, value)
    }

    pub(crate) fn barrier(&mut self, scope: BarrierScope) {
        self.steps.push(Step::Barrier(scope));
    }

    /// Applies the combiner of a reduction or a scan to `acc` and `other`, and returns the combined elements. `acc`
    /// and `other` contain one element of each operand. If `is_packed` is true, they instead contain two adjacent
    /// elements of the only operand.
    pub(crate) fn combine(
        &mut self,
        acc: &[ValueId],
        other: &[ValueId],
        is_packed: bool,
    ) -> Vec<ValueId> {
        let types: Vec<ValueType> = acc.iter().map(|v| self.types[v.index()]).collect();
        let (acc, other) = (self.list(acc), self.list(other));
        let made = types.into_iter().map(|type_| self.define(1, type_));
        let made: Vec<ValueId> = made.collect();
        self.steps.push(Step::Combine {
            first: made[0],
            acc,
            other,
            is_packed,
        });
        made
    }

    /// Adds a step that multiplies `a` by `b` and adds the product to the accumulator `acc`. Returns the new
    /// accumulator. `row` is the index of the instruction in the program's table of matrix instructions.
    pub(crate) fn mma(
        &mut self,
        acc: &[ValueId],
        a: &[ValueId],
        b: &[ValueId],
        scales: [Option<ScaleWord>; 2],
        row: u32,
    ) -> Vec<ValueId> {
        let first = self.define(narrow(acc.len()), self.types[acc[0].index()]);
        let [acc, a, b] = [acc, a, b].map(|list| self.list(list));
        self.steps.push(Step::Mma {
            first,
            acc,
            a,
            b,
            scales,
            row,
        });
        (0..acc.len).map(|i| first.plus(i)).collect()
    }

    pub(crate) fn row(&mut self, row: Product) -> u32 {
        intern(&mut self.rows, row)
    }

    pub(crate) fn reduce_lanes(&mut self, value: ValueId, copies: u32) -> ValueId {
        let out = self.define(1, self.types[value.index()]);
        self.steps.push(Step::ReduceLanes { out, value, copies });
        out
    }

    /// Moves elements of one operand to other lanes: converts the elements to 32-bit words, moves each word with
    /// `send`, and converts the received words back to elements.
    pub(crate) fn through_words(
        &mut self,
        values: &[ValueId],
        mut send: impl FnMut(&mut Self, ValueId) -> ValueId,
    ) -> Vec<ValueId> {
        let Some(first) = values.first() else {
            return Vec::new();
        };
        let mut send = |b: &mut Self, words: Vec<ValueId>| -> Vec<ValueId> {
            words.into_iter().map(|word| send(b, word)).collect()
        };
        match self.element_bits(*first).max(8) {
            64 => {
                let words = values.iter().flat_map(|value| {
                    let low = self.unpack(*value, 2);
                    [low, low.plus(1)]
                });
                let words = words.collect();
                let sent = send(self, words);
                sent.chunks(2).map(|pair| self.pack(pair)).collect()
            }
            32 => send(self, values.to_vec()),
            bits => {
                let chunks = values.chunks((32 / bits) as usize);
                let words = chunks.clone().map(|chunk| self.pack(chunk)).collect();
                let sent = send(self, words);
                let both = sent.into_iter().zip(chunks);
                both.flat_map(|(word, chunk)| {
                    let first = self.unpack(word, narrow(chunk.len()));
                    (0..narrow::<u32>(chunk.len())).map(move |i| first.plus(i))
                })
                .collect()
            }
        }
    }

    /// Inlines independent programs, each with separate scratch memory. The block barriers of the programs are
    /// merged: barrier `i` of all programs becomes one barrier. Returns the results of each program.
    pub(crate) fn inline(&mut self, parts: &[InlinedProgram<'_>]) -> Vec<Vec<ValueId>> {
        let is_block_barrier = |step: &Step| matches!(step, Step::Barrier(BarrierScope::Block));
        let mut names: Vec<Vec<ValueId>> = parts
            .iter()
            .map(|part| {
                let mut names = part.sources.to_vec();
                names.resize(part.program.num_values(), ValueId(u32::MAX));
                names
            })
            .collect();
        let mut rounds: Vec<_> = parts
            .iter()
            .map(|part| part.program.steps.split(is_block_barrier))
            .collect();
        let barriers = parts.iter().map(|part| part.program.num_barriers());
        for round in 0..=barriers.max().unwrap_or(0) {
            if round > 0 {
                self.barrier(BarrierScope::Block);
            }
            for ((part, names), rounds) in parts.iter().zip(&mut names).zip(&mut rounds) {
                for step in rounds.next().unwrap_or_default() {
                    self.inline_step(part, step, names);
                }
            }
        }
        let results = parts.iter().zip(&names).map(|(part, names)| {
            let results = part.program.results.iter();
            results.map(|v| names[v.index()]).collect()
        });
        results.collect()
    }

    fn inline_step(&mut self, part: &InlinedProgram<'_>, step: &Step, names: &mut [ValueId]) {
        let program = part.program;
        let (first, count) = outs(step);
        let mut step = *step;
        match &mut step {
            Step::Select { predicate, .. } => {
                *predicate = self.predicate(program.predicates[*predicate as usize]);
            }
            Step::ShuffleIndex { map, .. } => {
                *map = self.lane_map(program.lane_maps[*map as usize].clone());
            }
            Step::Compute { map, .. } => {
                *map = self.index_map(program.index_maps[*map as usize].clone());
            }
            Step::CountVotes { vote, .. } => {
                *vote = self.vote(program.votes[*vote as usize].clone());
            }
            Step::Mma { row, .. } => {
                *row = intern(&mut self.rows, program.rows[*row as usize].clone());
            }
            Step::Store { guard: Some(_), .. } | Step::AtomicAdd { guard: Some(_), .. } => {
                unreachable!("conversions store in all threads")
            }
            Step::Store { address, .. }
            | Step::AtomicAdd { address, .. }
            | Step::Load { address, .. }
            | Step::StoreMatrices { address, .. }
            | Step::LoadMatrices { address, .. } => {
                let mut base = program.address_bases[address.base as usize].clone();
                base.start += part.start;
                address.base = intern(&mut self.address_bases, base);
            }
            _ => {}
        }
        for made in (0..count).map(|i| first.plus(i)) {
            let type_ = ValueType {
                operand: part.operand,
                ..program.type_of(made)
            };
            names[made.index()] = self.define(1, type_);
        }
        let step = renumber(step, names, &program.operands, &mut self.operands);
        self.steps.push(step);
    }

    /// Completes the program: eliminates dead steps, renumbers the values and computes the cost.
    pub(crate) fn finish(
        mut self,
        results: Vec<ValueId>,
        scratch_bytes: u32,
        target: &Target,
    ) -> Program {
        let mut results = results;
        self.sweep(&mut results);
        let mut program = Program {
            widths: self.widths,
            lanes_log2: self.lanes_log2,
            warps_log2: self.warps_log2,
            blocks_log2: self.blocks_log2,
            num_sources: self.num_sources,
            types: self.types,
            steps: self.steps,
            operands: self.operands,
            predicates: self.predicates,
            lane_maps: self.lane_maps,
            address_bases: self.address_bases,
            index_maps: self.index_maps,
            votes: self.votes,
            rows: self.rows,
            results,
            scratch_bytes,
            cost: Cost::default(),
        };
        program.cost = cost_of(&program, self.combination, target);
        program
    }

    fn sweep(&mut self, results: &mut [ValueId]) {
        let mut used = vec![false; self.defined_by.len()];
        for v in results.iter() {
            used[v.index()] = true;
        }
        let mut keep = vec![true; self.steps.len()];
        for (i, step) in self.steps.iter().enumerate().rev() {
            let (first, count) = outs(step);
            let needed = count == 0 || (0..count).any(|k| used[first.plus(k).index()]);
            keep[i] = needed;
            if needed {
                each_input(step, &self.operands, |v| used[v.index()] = true);
            }
        }
        if keep.iter().all(|&k| k) {
            return;
        }
        let mut renamed: Vec<ValueId> = (0..self.num_sources).map(ValueId).collect();
        renamed.resize(self.defined_by.len(), ValueId(u32::MAX));
        let mut next = self.num_sources;
        let mut types = self.types[..next as usize].to_vec();
        let mut kept = Vec::with_capacity(self.steps.len());
        let mut operands = Vec::with_capacity(self.operands.len());
        for (step, _) in self.steps.iter().zip(&keep).filter(|(_, k)| **k) {
            let (first, count) = outs(step);
            for k in 0..count {
                renamed[first.plus(k).index()] = ValueId(next + k);
                types.push(self.types[first.plus(k).index()]);
            }
            next += count;
            kept.push(renumber(*step, &renamed, &self.operands, &mut operands));
        }
        for v in results.iter_mut() {
            *v = renamed[v.index()];
        }
        self.steps = kept;
        self.types = types;
        self.operands = operands;
        self.defined_by.truncate(next as usize);
    }
}

fn intern<T: PartialEq>(table: &mut Vec<T>, item: T) -> u32 {
    let at = table.iter().position(|t| *t == item).unwrap_or_else(|| {
        table.push(item);
        table.len() - 1
    });
    narrow::<u32>(at)
}
