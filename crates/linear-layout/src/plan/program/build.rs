//! Putting a program together: new values, shared predicates, simplification, removal of what nobody uses.

use super::cost::cost_of;
use super::{
    Address, AddressBase, BarrierScope, Cost, LaneMap, Operands, Predicate, Program, Step, ValueId,
};
use crate::target::{Fragment, Target};
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
    /// Which step defines a value; `NO_STEP` for sources.
    defined_by: Vec<u32>,
    num_sources: u32,
    elem_bits: u32,
    lanes_log2: u32,
    warps_log2: u32,
    known: FxHashMap<Step, ValueId>,
}

/// How many threads run a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// Log2 of the lanes of a warp.
    pub(crate) lanes_log2: u32,
    /// Log2 of the warps of the block.
    pub(crate) warps_log2: u32,
}

impl Builder {
    /// Begins a program on `1 << sources_log2` registers of each thread.
    pub(crate) fn new(sources_log2: u32, elem_bits: u32, threads: Threads) -> Self {
        let num_sources = 1u32 << sources_log2;
        Self {
            steps: Vec::new(),
            operands: Vec::new(),
            predicates: Vec::new(),
            lane_maps: Vec::new(),
            address_bases: Vec::new(),
            defined_by: vec![NO_STEP; num_sources as usize],
            num_sources,
            elem_bits,
            lanes_log2: threads.lanes_log2,
            warps_log2: threads.warps_log2,
            known: FxHashMap::default(),
        }
    }

    /// The width of an element in words and in shared memory.
    pub(crate) fn container_bits(&self) -> u32 {
        self.elem_bits.max(8)
    }

    pub(crate) fn sources(&self) -> Vec<ValueId> {
        (0..self.num_sources).map(ValueId).collect()
    }

    fn define(&mut self, count: u32) -> ValueId {
        let first = ValueId(self.defined_by.len() as u32);
        let step = self.steps.len() as u32;
        self.defined_by.extend((0..count).map(|_| step));
        first
    }

    fn definition(&self, v: ValueId) -> Option<Step> {
        match self.defined_by[v.index()] {
            NO_STEP => None,
            step => Some(self.steps[step as usize]),
        }
    }

    /// Adds a step that defines one value, or finds the same step made before. `step` has `out` 0.
    fn pure(&mut self, step: Step) -> ValueId {
        if let Some(&v) = self.known.get(&step) {
            return v;
        }
        let value = self.define(1);
        self.known.insert(step, value);
        self.steps.push(with_out(step, value));
        value
    }

    fn list(&mut self, values: &[ValueId]) -> Operands {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(values);
        Operands {
            start,
            len: values.len() as u32,
        }
    }

    pub(crate) fn predicate(&mut self, thread_mask: u32) -> u32 {
        intern(&mut self.predicates, Predicate { thread_mask })
    }

    pub(crate) fn lane_map(&mut self, mut columns: Vec<u32>) -> u32 {
        // Warps rarely matter to a lane's source; without them the map is of the lane alone.
        if columns[self.lanes_log2 as usize..].iter().all(|&c| c == 0) {
            columns.truncate(self.lanes_log2 as usize);
        }
        intern(&mut self.lane_maps, LaneMap { columns })
    }

    pub(crate) fn address_base(&mut self, columns: Vec<u32>) -> u32 {
        intern(&mut self.address_bases, AddressBase { columns })
    }

    /// Every bit that some thread may have set in an address base.
    pub(crate) fn possible_bits(&self, base: u32) -> u32 {
        self.address_bases[base as usize].possible_bits()
    }

    pub(crate) fn select(&mut self, predicate: u32, if_set: ValueId, if_clear: ValueId) -> ValueId {
        let (mut set, mut clear) = (if_set, if_clear);
        // A select under the same condition has already decided.
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
        self.pure(Step::Select {
            out: ValueId(0),
            predicate,
            if_set: set,
            if_clear: clear,
        })
    }

    pub(crate) fn shuffle_xor(&mut self, value: ValueId, lane_mask: u32) -> ValueId {
        if lane_mask == 0 {
            return value;
        }
        self.pure(Step::ShuffleXor {
            out: ValueId(0),
            value,
            lane_mask,
        })
    }

    pub(crate) fn shuffle_index(&mut self, value: ValueId, map: u32, lane_xor: u32) -> ValueId {
        self.pure(Step::ShuffleIndex {
            out: ValueId(0),
            value,
            map,
            lane_xor,
        })
    }

    pub(crate) fn swap_lanes(
        &mut self,
        low: ValueId,
        high: ValueId,
        lane_bit: u32,
    ) -> (ValueId, ValueId) {
        let first = self.define(2);
        self.steps.push(Step::SwapLanes {
            first,
            low,
            high,
            lane_bit,
        });
        (first, first.plus(1))
    }

    pub(crate) fn pack(&mut self, parts: &[ValueId]) -> ValueId {
        let parts = self.list(parts);
        let out = self.define(1);
        self.steps.push(Step::Pack { out, parts });
        out
    }

    pub(crate) fn unpack(&mut self, value: ValueId, count: u32) -> ValueId {
        let first = self.define(count);
        self.steps.push(Step::Unpack {
            first,
            count,
            value,
        });
        first
    }

    pub(crate) fn store(&mut self, address: Address, values: &[ValueId]) {
        let values = self.list(values);
        self.steps.push(Step::Store { address, values });
    }

    pub(crate) fn load(&mut self, address: Address, count: u32, words: bool) -> ValueId {
        let first = self.define(count);
        self.steps.push(Step::Load {
            address,
            first,
            count,
            words,
        });
        first
    }

    pub(crate) fn store_matrices(
        &mut self,
        address: Address,
        values: &[ValueId],
        fragment: Fragment,
    ) {
        let values = self.list(values);
        self.steps.push(Step::StoreMatrices {
            address,
            values,
            fragment,
        });
    }

    pub(crate) fn load_matrices(
        &mut self,
        address: Address,
        count: u32,
        fragment: Fragment,
    ) -> ValueId {
        let first = self.define(count);
        self.steps.push(Step::LoadMatrices {
            address,
            first,
            count,
            fragment,
        });
        first
    }

    pub(crate) fn transpose(&mut self, value: ValueId) -> ValueId {
        self.pure(Step::TransposeMatrix {
            out: ValueId(0),
            value,
        })
    }

    pub(crate) fn barrier(&mut self, scope: BarrierScope) {
        self.steps.push(Step::Barrier(scope));
    }

    /// Removes what no result needs, numbers the values anew and adds up the cost.
    pub(crate) fn finish(
        mut self,
        results: Vec<ValueId>,
        scratch_bytes: u32,
        target: &Target,
    ) -> Program {
        let mut results = results;
        self.sweep(&mut results);
        let words = self.words();
        let mut program = Program {
            elem_bits: self.elem_bits,
            lanes_log2: self.lanes_log2,
            warps_log2: self.warps_log2,
            num_sources: self.num_sources,
            words,
            steps: self.steps,
            operands: self.operands,
            predicates: self.predicates,
            lane_maps: self.lane_maps,
            address_bases: self.address_bases,
            results,
            scratch_bytes,
            cost: Cost::default(),
        };
        program.cost = cost_of(&program, target);
        program
    }

    /// Which values are words.
    fn words(&self) -> Vec<bool> {
        let mut words = vec![false; self.defined_by.len()];
        for step in &self.steps {
            let (first, count) = outs(step);
            let word = match *step {
                Step::Pack { .. } | Step::LoadMatrices { .. } => self.elem_bits < 32,
                Step::Unpack { .. } => self.elem_bits == 64,
                Step::Select { if_set: v, .. }
                | Step::ShuffleXor { value: v, .. }
                | Step::ShuffleIndex { value: v, .. }
                | Step::TransposeMatrix { value: v, .. }
                | Step::SwapLanes { low: v, .. } => words[v.index()],
                Step::Load { words, .. } => words,
                Step::Store { .. } | Step::StoreMatrices { .. } | Step::Barrier(_) => continue,
            };
            words[first.index()..first.index() + count as usize].fill(word);
        }
        words
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
        let mut kept = Vec::with_capacity(self.steps.len());
        let mut operands = Vec::with_capacity(self.operands.len());
        for (step, _) in self.steps.iter().zip(&keep).filter(|(_, k)| **k) {
            let (first, count) = outs(step);
            for k in 0..count {
                renamed[first.plus(k).index()] = ValueId(next + k);
            }
            next += count;
            kept.push(renumber(*step, &renamed, &self.operands, &mut operands));
        }
        for v in results.iter_mut() {
            *v = renamed[v.index()];
        }
        self.steps = kept;
        self.operands = operands;
        self.defined_by.truncate(next as usize);
    }
}

fn intern<T: PartialEq>(table: &mut Vec<T>, item: T) -> u32 {
    let at = table.iter().position(|t| *t == item).unwrap_or_else(|| {
        table.push(item);
        table.len() - 1
    });
    at as u32
}

fn with_out(step: Step, value: ValueId) -> Step {
    let mut step = step;
    match &mut step {
        Step::Pack { out, .. }
        | Step::Select { out, .. }
        | Step::ShuffleXor { out, .. }
        | Step::ShuffleIndex { out, .. }
        | Step::TransposeMatrix { out, .. } => *out = value,
        Step::Unpack { first, .. }
        | Step::SwapLanes { first, .. }
        | Step::Load { first, .. }
        | Step::LoadMatrices { first, .. } => *first = value,
        Step::Store { .. } | Step::StoreMatrices { .. } | Step::Barrier(_) => {}
    }
    step
}

/// The values a step defines: the first and how many.
pub(crate) fn outs(step: &Step) -> (ValueId, u32) {
    match *step {
        Step::Pack { out, .. }
        | Step::Select { out, .. }
        | Step::ShuffleXor { out, .. }
        | Step::ShuffleIndex { out, .. }
        | Step::TransposeMatrix { out, .. } => (out, 1),
        Step::Unpack { first, count, .. }
        | Step::Load { first, count, .. }
        | Step::LoadMatrices { first, count, .. } => (first, count),
        Step::SwapLanes { first, .. } => (first, 2),
        Step::Store { .. } | Step::StoreMatrices { .. } | Step::Barrier(_) => (ValueId(0), 0),
    }
}

fn each_input(step: &Step, pool: &[ValueId], mut f: impl FnMut(ValueId)) {
    let mut list = |l: Operands| {
        pool[l.start as usize..(l.start + l.len) as usize]
            .iter()
            .for_each(|v| f(*v));
    };
    match *step {
        Step::Pack { parts: l, .. }
        | Step::Store { values: l, .. }
        | Step::StoreMatrices { values: l, .. } => list(l),
        _ => single_inputs(&mut step.clone())
            .into_iter()
            .flatten()
            .for_each(|v| f(*v)),
    }
}

/// The values that a step names one by one, not as a list.
fn single_inputs(step: &mut Step) -> [Option<&mut ValueId>; 2] {
    match step {
        Step::Unpack { value, .. }
        | Step::ShuffleXor { value, .. }
        | Step::ShuffleIndex { value, .. }
        | Step::TransposeMatrix { value, .. } => [Some(value), None],
        Step::Select {
            if_set: a,
            if_clear: b,
            ..
        }
        | Step::SwapLanes {
            low: a, high: b, ..
        } => [Some(a), Some(b)],
        Step::Pack { .. }
        | Step::Store { .. }
        | Step::StoreMatrices { .. }
        | Step::Load { .. }
        | Step::LoadMatrices { .. }
        | Step::Barrier(_) => [None, None],
    }
}

fn renumber(
    step: Step,
    renamed: &[ValueId],
    pool: &[ValueId],
    operands: &mut Vec<ValueId>,
) -> Step {
    let (first, count) = outs(&step);
    let mut step = if count > 0 {
        with_out(step, renamed[first.index()])
    } else {
        step
    };
    if let Step::Pack { parts: list, .. }
    | Step::Store { values: list, .. }
    | Step::StoreMatrices { values: list, .. } = &mut step
    {
        let start = operands.len() as u32;
        let old = &pool[list.start as usize..(list.start + list.len) as usize];
        operands.extend(old.iter().map(|v| renamed[v.index()]));
        list.start = start;
    }
    for value in single_inputs(&mut step).into_iter().flatten() {
        *value = renamed[value.index()];
    }
    step
}
