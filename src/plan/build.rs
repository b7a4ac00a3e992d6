//! Putting a plan together: new values, shared predicates, simplification, removal of what nobody uses.

use std::collections::HashMap;

use super::cost::Cost;
use super::sides::Sides;
use super::step::{
    Address, AddressBase, BarrierScope, ConvertPlan, LaneMap, Operands, PlanKind, Predicate,
    Reason, Step, ValueId,
};
use crate::target::{Access, Target};

const NO_STEP: u32 = u32::MAX;

/// A plan under construction.
#[derive(Clone, Debug)]
pub(super) struct Builder {
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
    known: HashMap<Step, ValueId, std::hash::BuildHasherDefault<Mixer>>,
}

/// A fast hash for small keys of integers (multiply and rotate), since plans are on the compile path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mixer(u64);

impl std::hash::Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }

    fn write_u8(&mut self, x: u8) {
        self.write_u64(u64::from(x));
    }

    fn write_u16(&mut self, x: u16) {
        self.write_u64(u64::from(x));
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn write_isize(&mut self, x: isize) {
        self.write_u64(x.cast_unsigned() as u64);
    }
}

impl Builder {
    pub(super) fn new(sides: &Sides, elem_bits: u32) -> Self {
        let num_sources = 1u32 << sides.src.reg.len();
        Self {
            steps: Vec::new(),
            operands: Vec::new(),
            predicates: Vec::new(),
            lane_maps: Vec::new(),
            address_bases: Vec::new(),
            defined_by: vec![NO_STEP; num_sources as usize],
            num_sources,
            elem_bits,
            lanes_log2: sides.lanes_log2,
            warps_log2: sides.warps_log2,
            known: HashMap::default(),
        }
    }

    /// The width of an element in words and in shared memory.
    pub(super) fn container_bits(&self) -> u32 {
        self.elem_bits.max(8)
    }

    pub(super) fn sources(&self) -> Vec<ValueId> {
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

    pub(super) fn predicate(&mut self, thread_mask: u32) -> u32 {
        intern(&mut self.predicates, Predicate { thread_mask })
    }

    pub(super) fn lane_map(&mut self, mut columns: Vec<u32>) -> u32 {
        // Warps rarely matter to a lane's source; without them the map is of the lane alone.
        if columns[self.lanes_log2 as usize..].iter().all(|&c| c == 0) {
            columns.truncate(self.lanes_log2 as usize);
        }
        intern(&mut self.lane_maps, LaneMap { columns })
    }

    pub(super) fn address_base(&mut self, columns: Vec<u32>) -> u32 {
        intern(&mut self.address_bases, AddressBase { columns })
    }

    /// Every bit that some thread may have set in an address base.
    pub(super) fn possible_bits(&self, base: u32) -> u32 {
        self.address_bases[base as usize].possible_bits()
    }

    pub(super) fn select(&mut self, predicate: u32, if_set: ValueId, if_clear: ValueId) -> ValueId {
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

    pub(super) fn shuffle_xor(&mut self, value: ValueId, lane_mask: u32) -> ValueId {
        if lane_mask == 0 {
            return value;
        }
        self.pure(Step::ShuffleXor {
            out: ValueId(0),
            value,
            lane_mask,
        })
    }

    pub(super) fn shuffle_index(&mut self, value: ValueId, map: u32, lane_xor: u32) -> ValueId {
        self.pure(Step::ShuffleIndex {
            out: ValueId(0),
            value,
            map,
            lane_xor,
        })
    }

    pub(super) fn swap_lanes(
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

    pub(super) fn pack(&mut self, parts: &[ValueId]) -> ValueId {
        let parts = self.list(parts);
        let out = self.define(1);
        self.steps.push(Step::Pack { out, parts });
        out
    }

    pub(super) fn unpack(&mut self, value: ValueId, count: u32) -> ValueId {
        let first = self.define(count);
        self.steps.push(Step::Unpack {
            first,
            count,
            value,
        });
        first
    }

    pub(super) fn store(&mut self, address: Address, values: &[ValueId]) {
        let values = self.list(values);
        self.steps.push(Step::Store { address, values });
    }

    pub(super) fn load(&mut self, address: Address, count: u32, words: bool) -> ValueId {
        let first = self.define(count);
        self.steps.push(Step::Load {
            address,
            first,
            count,
            words,
        });
        first
    }

    pub(super) fn barrier(&mut self, scope: BarrierScope) {
        self.steps.push(Step::Barrier(scope));
    }

    /// Removes what no result needs, numbers the values anew and adds up the cost.
    pub(super) fn finish(
        mut self,
        kind: PlanKind,
        results: Vec<ValueId>,
        scratch_bytes: u32,
        target: &Target,
    ) -> ConvertPlan {
        let mut results = results;
        self.sweep(&mut results);
        let words = self.words();
        let mut plan = ConvertPlan {
            kind,
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
            reason: Reason::default(),
        };
        plan.cost = cost_of(&plan, target);
        plan
    }

    /// Which values are words.
    fn words(&self) -> Vec<bool> {
        let mut words = vec![false; self.defined_by.len()];
        for step in &self.steps {
            let (first, count) = outs(step);
            let word = match *step {
                Step::Pack { .. } => self.elem_bits < 32,
                Step::Unpack { .. } => self.elem_bits == 64,
                Step::Select { if_set: v, .. }
                | Step::ShuffleXor { value: v, .. }
                | Step::ShuffleIndex { value: v, .. }
                | Step::SwapLanes { low: v, .. } => words[v.index()],
                Step::Load { words, .. } => words,
                Step::Store { .. } | Step::Barrier(_) => continue,
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
        | Step::ShuffleIndex { out, .. } => *out = value,
        Step::Unpack { first, .. } | Step::SwapLanes { first, .. } | Step::Load { first, .. } => {
            *first = value;
        }
        Step::Store { .. } | Step::Barrier(_) => {}
    }
    step
}

/// The values a step defines: the first and how many.
pub(super) fn outs(step: &Step) -> (ValueId, u32) {
    match *step {
        Step::Pack { out, .. }
        | Step::Select { out, .. }
        | Step::ShuffleXor { out, .. }
        | Step::ShuffleIndex { out, .. } => (out, 1),
        Step::Unpack { first, count, .. } | Step::Load { first, count, .. } => (first, count),
        Step::SwapLanes { first, .. } => (first, 2),
        Step::Store { .. } | Step::Barrier(_) => (ValueId(0), 0),
    }
}

fn each_input(step: &Step, pool: &[ValueId], mut f: impl FnMut(ValueId)) {
    let mut list = |l: Operands| {
        pool[l.start as usize..(l.start + l.len) as usize]
            .iter()
            .for_each(|v| f(*v));
    };
    match *step {
        Step::Pack { parts: l, .. } | Step::Store { values: l, .. } => list(l),
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
        | Step::ShuffleIndex { value, .. } => [Some(value), None],
        Step::Select {
            if_set: a,
            if_clear: b,
            ..
        }
        | Step::SwapLanes {
            low: a, high: b, ..
        } => [Some(a), Some(b)],
        Step::Pack { .. } | Step::Store { .. } | Step::Load { .. } | Step::Barrier(_) => {
            [None, None]
        }
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
    if let Step::Pack { parts: list, .. } | Step::Store { values: list, .. } = &mut step {
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

/// Wavefronts of one access by a whole warp, and the phases it takes at best.
///
/// Lanes of one phase that touch the same bank at different rows wait for each other. Everything is linear, so
/// the number of rows is the same for each bank touched: 2^(dim of the words touched - dim of the banks).
pub(crate) fn wavefronts(
    lane_columns: &[u32],
    bytes: u32,
    access: Access,
    target: &Target,
) -> (u32, u32) {
    let word = target.bank_bytes;
    let phase_bits = target.phase_lane_bits(access, bytes);
    let phases = target.lanes >> phase_bits.count_ones();
    let banks_mask = u64::from(target.banks - 1);
    let mut words = crate::f2::Echelon::new();
    let mut banks = crate::f2::Echelon::new();
    let mut n = 0;
    let mut add = |w: u32| {
        let w = u64::from(w / word);
        words.insert(n, w);
        banks.insert(n, w & banks_mask);
        n += 1;
    };
    let mut b = word;
    while b < bytes {
        add(b);
        b *= 2;
    }
    for (i, &c) in lane_columns.iter().enumerate() {
        if phase_bits >> i & 1 == 1 {
            add(c);
        }
    }
    (phases << (words.rank() - banks.rank()), phases)
}

/// What the steps of a plan cost on a target.
pub(super) fn cost_of(plan: &ConvertPlan, target: &Target) -> Cost {
    let costs = &target.costs;
    let warps = 1u32 << plan.warps_log2;
    let lanes = plan.lanes_log2 as usize;
    let (mut load_store, mut arithmetic, mut waiting) = (0u32, 0u32, 0u32);
    let mut wave_memo: Vec<(u32, u32, Access, u32)> = Vec::new();
    let mut waves = |base: u32, bytes: u32, access: Access| {
        if let Some(m) = wave_memo
            .iter()
            .find(|m| (m.0, m.1, m.2) == (base, bytes, access))
        {
            return m.3;
        }
        let columns = &plan.address_bases[base as usize].columns;
        let (w, _) = wavefronts(&columns[..lanes.min(columns.len())], bytes, access, target);
        wave_memo.push((base, bytes, access, w));
        w
    };
    let container = plan.container_bits() / 8;
    let (mut stored, mut xors) = (false, Vec::<(u32, u32)>::new());
    for step in &plan.steps {
        match *step {
            Step::Pack { parts, .. } => arithmetic += costs.select * packing(plan, parts, true),
            // Taking a word apart is the consumer's business, as it is after a wide load.
            Step::Unpack { .. } => {}
            // 64-bit elements are two registers.
            Step::Select { out, .. } => {
                arithmetic += costs.select * plan.value_bytes(out).div_ceil(4);
            }
            Step::ShuffleXor { lane_mask, .. } => {
                if target.xor_shuffle(lane_mask).is_arithmetic() {
                    arithmetic += costs.lane_alu;
                } else {
                    load_store += costs.shuffle;
                }
            }
            Step::ShuffleIndex { .. } => load_store += costs.shuffle,
            Step::SwapLanes { .. } => arithmetic += costs.lane_alu,
            Step::Store { address, values } => {
                let bytes = values.len * plan.value_bytes(plan.operands[values.start as usize]);
                load_store += waves(address.base, bytes, Access::Store) * costs.wavefront;
                arithmetic += costs.access + address_cost(&mut xors, address) * costs.select;
                arithmetic += costs.select * packing(plan, values, false);
                stored = true;
            }
            Step::Load {
                address,
                count,
                words,
                ..
            } => {
                let bytes = count * if words { 4 } else { container };
                load_store += waves(address.base, bytes, Access::Load) * costs.wavefront;
                arithmetic += costs.access + address_cost(&mut xors, address) * costs.select;
            }
            Step::Barrier(BarrierScope::Warp) => waiting += costs.warp_sync,
            // A block of one warp has nobody to wait for.
            Step::Barrier(BarrierScope::Block) => {
                waiting += if warps == 1 {
                    costs.warp_sync
                } else {
                    costs.barrier
                };
            }
        }
    }
    if stored {
        waiting += costs.round_trip;
    }
    Cost {
        load_store: load_store * warps,
        arithmetic: arithmetic * warps,
        waiting,
    }
}

/// Byte permutes to bring narrow elements together: none for neighbours, which their producers keep in one register.
fn packing(plan: &ConvertPlan, list: Operands, one_word: bool) -> u32 {
    let container = plan.container_bits();
    let values = plan.operands(list);
    if container >= 32 || plan.is_word(values[0]) {
        return 0;
    }
    let per_word = if one_word {
        4
    } else {
        (32 / container) as usize
    };
    let is_run = |w: &[ValueId]| {
        w[0].index().is_multiple_of(w.len()) && w.windows(2).all(|p| p[1].0 == p[0].0 + 1)
    };
    values
        .chunks(per_word)
        .filter(|w| !is_run(w))
        .map(|w| w.len() as u32 - 1)
        .sum()
}

/// Each distinct exclusive-or constant of a base is computed once.
fn address_cost(xors: &mut Vec<(u32, u32)>, address: Address) -> u32 {
    if address.xor == 0 || xors.contains(&(address.base, address.xor)) {
        return 0;
    }
    xors.push((address.base, address.xor));
    1
}
