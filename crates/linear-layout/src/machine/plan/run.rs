//! Execution of plan steps for all threads: the machine state and the dispatch. The steps are in [`lanes`] (registers
//! and shuffles), [`access`] (shared memory), [`combine`] (combinations) and [`multiply`] (matrix products).

mod access;
mod combine;
mod lanes;
mod multiply;

use super::fault::{FaultKind, PlanFault};
use super::memory::{CellFault, Memory};
use super::name::{Name, Products};
use super::report::PlanReport;
use crate::number::narrow;
use crate::plan::program::{Address, BarrierScope, MemorySpace, Program, Step, ValueId};
use crate::target::{Access, Target, Wavefronts};
use multiply::Multiplier;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The properties `(base, offset, bytes, direction)` of an access that determine its bank conflicts. `offset` is 0
/// if it does not affect the conflicts.
type AccessShape = (u32, u32, u32, Access);

type Numbers = Rc<[u32]>;

/// A known evaluation `(index map, inputs, outputs)` of an index map.
type MapEvaluation = (u32, Vec<Numbers>, Vec<Numbers>);

/// The symbolic values (see [`Name`]) that one granule of a register has, one per thread.
///
/// The symbolic value in thread `t` is derived from the stored value with index `start + t`, which is the symbolic
/// value of granule 0 of an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct NameRow {
    start: u32,
    granule: u8,
}

impl NameRow {
    /// Returns one row for each granule of an element. `start` is the index of the first stored symbolic value of
    /// the element.
    fn of_elements(start: usize, granules: usize) -> impl Iterator<Item = Self> {
        let start = narrow(start);
        (0..narrow(granules)).map(move |granule| Self { start, granule })
    }

    fn name<N: Name>(self, names: &[N], thread: usize) -> N {
        let name = names[self.start as usize + thread];
        match self.granule {
            0 => name,
            granule => name.granule(granule.into()),
        }
    }

    fn names(self, threads: usize) -> core::ops::Range<usize> {
        self.start as usize..self.start as usize + threads
    }

    /// Returns true if `rows` are the rows of all granules of one value, in order.
    fn are_whole(rows: &[Self]) -> bool {
        let elements = Self::of_elements(rows[0].start as usize, rows.len());
        elements.eq(rows.iter().copied())
    }
}

pub(super) struct Machine<'a, N> {
    plan: &'a Program,
    target: &'a Target,
    threads: usize,
    /// log2 of the number of threads per block.
    block_log2: u32,
    lanes_log2: u32,
    /// Size in bytes of a granule, the unit in which values are tracked.
    granule: u32,
    granule_log2: u32,
    /// For each value, the index of its first row in `rows` and the number of its rows. A value has one row per
    /// granule.
    place: Vec<(u32, u32)>,
    rows: Vec<NameRow>,
    /// The stored symbolic values (see [`Name`]). A stored row contains one symbolic value per thread. Several
    /// register values may share a stored row.
    names: Vec<N>,
    /// The numbers that are known for some values. Such a value has one number per thread.
    numbers: FxHashMap<ValueId, Numbers>,
    computed: Vec<MapEvaluation>,
    scratch: Memory<N>,
    /// The cells of the buffer, and its size in bytes.
    buffer: (Memory<N>, u32),
    bases: Vec<Vec<u32>>,
    /// The state of the matrix products, or `None` if the program has no matrix products.
    multiplier: Option<Multiplier<'a, N>>,
    waves: Vec<(AccessShape, Wavefronts)>,
    report: PlanReport,
}

impl<'a, N: Name> Machine<'a, N> {
    pub(super) fn new(
        plan: &'a Program,
        target: &'a Target,
        threads: usize,
        force_ledger: bool,
    ) -> Self {
        // 64-bit elements that are never split carry one name.
        let splits = plan
            .steps()
            .iter()
            .any(|s| matches!(s, Step::Unpack { .. } | Step::Load { words: true, .. }));
        let most = if splits { 32 } else { 64 };
        let containers = plan.widths().iter().map(|bits| (*bits).clamp(8, most));
        let granule = containers.min().unwrap_or(8) / 8;
        let thread_numbers = || 0..narrow::<u32>(threads);
        let blocks = 1 << plan.blocks_log2();
        let memory = |bytes: u32| {
            let warps = threads >> plan.lanes_log2();
            Memory::new(plan, (bytes / granule) as usize, warps, force_ledger)
        };
        Self {
            plan,
            target,
            threads,
            block_log2: plan.lanes_log2() + plan.warps_log2(),
            lanes_log2: plan.lanes_log2(),
            granule,
            granule_log2: granule.trailing_zeros(),
            place: vec![(0, 0); plan.num_values()],
            rows: Vec::with_capacity(2 * plan.num_values()),
            names: Vec::with_capacity(plan.num_values() * threads),
            numbers: FxHashMap::default(),
            computed: Vec::new(),
            scratch: memory(plan.scratch_bytes() * blocks),
            buffer: (memory(0), 0),
            bases: plan
                .address_bases()
                .iter()
                .map(|b| thread_numbers().map(|t| b.apply(t)).collect())
                .collect(),
            multiplier: None,
            waves: Vec::new(),
            report: PlanReport::default(),
        }
    }

    pub(super) fn report(&self) -> PlanReport {
        self.report
    }

    /// Returns the number of granules in an element of the first operand.
    pub(super) fn granules_of_elements(&self) -> usize {
        (self.plan.widths()[0].max(8) / 8 / self.granule) as usize
    }

    fn granules(&self, value: ValueId) -> usize {
        (self.plan.value_bytes(value) / self.granule) as usize
    }

    /// Records that each value in `values` holds the number `number(thread)` in each thread.
    pub(super) fn set_numbers(
        &mut self,
        values: impl Iterator<Item = usize>,
        number: impl Fn(usize) -> u32,
    ) {
        let numbers: Numbers = (0..self.threads).map(number).collect();
        let values = values.map(|value| (ValueId(narrow(value)), Rc::clone(&numbers)));
        self.numbers.extend(values);
    }

    pub(super) fn with_products(&mut self, products: &'a mut dyn Products<N>) {
        self.multiplier = Some(Multiplier::new(products));
    }

    pub(super) fn with_buffer(&mut self, bytes: u32) {
        let warps = self.threads >> self.lanes_log2;
        let memory = Memory::new(self.plan, (bytes / self.granule) as usize, warps, false);
        self.buffer = (memory, bytes);
    }

    /// Returns the buffer cells that an element of the first operand occupies, each with the symbolic value that it
    /// must hold. The element is stored at byte `byte`, and `name` is the symbolic value of its first granule.
    fn element_cells(&self, byte: u32, name: N) -> impl Iterator<Item = (usize, N)> + use<N> {
        let first = (byte >> self.granule_log2) as usize;
        let granules = (self.plan.widths()[0].max(8) / 8 / self.granule) as usize;
        (0..granules).map(move |granule| (first + granule, name.granule(granule)))
    }

    /// Stores `elements` to the buffer. Each element is a pair (byte offset, name). Overlapping elements are a
    /// fault.
    pub(super) fn fill_buffer(
        &mut self,
        elements: impl Iterator<Item = (u32, N)>,
    ) -> Result<(), PlanFault> {
        for (byte, name) in elements {
            for (cell, name) in self.element_cells(byte, name) {
                let stored = self.buffer.0.store(cell, 0, 0, std::iter::once(name));
                stored.map_err(|_| FaultKind::Overlap { byte })?;
            }
        }
        self.buffer.0.barrier(BarrierScope::Block);
        Ok(())
    }

    /// Returns the offset of the first buffer byte whose content is not the expected one, or `None` if there is no
    /// such byte. `elements` are the expected contents. All other bytes must be unwritten.
    pub(super) fn wrong_byte(&self, elements: impl Iterator<Item = (u32, N)>) -> Option<u32> {
        let count = self.buffer.1 / self.granule;
        let mut expected = vec![N::NOTHING; count as usize];
        for (byte, name) in elements {
            for (cell, name) in self.element_cells(byte, name) {
                expected[cell] = name;
            }
        }
        let wrong = expected.iter().zip(0..).find(|(name, cell)| {
            let found = self.buffer.0.peek(*cell);
            found != Some(**name)
        });
        wrong.map(|(_, cell)| narrow::<u32>(cell) << self.granule_log2)
    }

    fn numbers(&self, step: usize, value: ValueId) -> Result<&[u32], PlanFault> {
        let numbers = self.numbers.get(&value).map(|numbers| &**numbers);
        numbers.ok_or_else(|| FaultKind::Undefined { step, value }.into())
    }

    fn memory(&mut self, space: MemorySpace) -> (&mut Memory<N>, u32) {
        match space {
            MemorySpace::Scratch | MemorySpace::Cluster => {
                (&mut self.scratch, self.plan.scratch_bytes())
            }
            MemorySpace::Buffer => (&mut self.buffer.0, self.buffer.1),
        }
    }

    fn space(&self, address: Address) -> MemorySpace {
        self.plan.address_bases()[address.base as usize].space
    }

    fn warps(&self) -> u64 {
        (self.threads >> self.lanes_log2) as u64
    }

    fn name(&self, row: NameRow, thread: usize) -> N {
        row.name(&self.names, thread)
    }

    /// Adds `granules` rows of symbolic values for `value`, one row per granule. All of them are unwritten at
    /// first. Returns the index of the first added symbolic value.
    fn define(&mut self, value: ValueId, granules: usize) -> usize {
        let start = self.names.len();
        let names = start..start + granules * self.threads;
        self.names.resize(names.end, N::NOTHING);
        let rows = names.step_by(self.threads).map(|start| NameRow {
            start: narrow(start),
            granule: 0,
        });
        self.define_rows(value, rows);
        start
    }

    fn define_rows(&mut self, value: ValueId, rows: impl Iterator<Item = NameRow>) {
        let first = self.rows.len();
        self.rows.extend(rows);
        let count = self.rows.len() - first;
        self.place[value.index()] = (narrow(first), narrow(count));
    }

    fn place(&self, step: usize, value: ValueId) -> Result<&[NameRow], PlanFault> {
        match self.place.get(value.index()) {
            Some(&(first, granules)) if granules > 0 => {
                Ok(&self.rows[first as usize..][..granules as usize])
            }
            _ => Err(FaultKind::Undefined { step, value }.into()),
        }
    }

    /// Defines all source registers. `name` maps (source, thread) to the symbolic value of the first granule that
    /// the source holds in this thread.
    pub(super) fn fill(&mut self, name: impl Fn(usize, usize) -> N) {
        for value in 0..self.plan.num_sources() {
            let names = (0..self.threads).map(|thread| name(value, thread));
            self.define_element(ValueId(narrow(value)), names);
        }
    }

    /// Compares all results with the expected elements. `name` maps (result, thread) to the expected symbolic value
    /// of the first granule. `wrong` returns the fault to report if another symbolic value is found.
    pub(super) fn compare(
        &mut self,
        name: impl Fn(usize, usize) -> N,
        wrong: impl Fn(usize, usize, N) -> FaultKind,
    ) -> Result<(), PlanFault> {
        let step = self.plan.steps().len();
        for (result, &value) in self.plan.results().iter().enumerate() {
            let rows = self.place(step, value)?;
            if self.plan.is_word(value) {
                let what = "a result is a packed word: expected an element";
                return Err(FaultKind::Width { step, what }.into());
            }
            // For whole elements, comparing the first granules suffices.
            let count = if NameRow::are_whole(rows) {
                1
            } else {
                rows.len()
            };
            for (granule, row) in rows.iter().enumerate().take(count) {
                let found = (0..self.threads).map(|thread| (thread, self.name(*row, thread)));
                let mut others = found
                    .filter(|(thread, found)| *found != name(result, *thread).granule(granule));
                if let Some((thread, found)) = others.next() {
                    return Err(wrong(result, thread, found).into());
                }
            }
            self.report.elements_checked += self.threads as u64;
        }
        Ok(())
    }

    /// Returns true if `rows` hold all granules of one element, in every thread.
    fn are_elements(&self, rows: &[NameRow]) -> bool {
        let is_further = |(granule, row): (usize, &NameRow)| {
            (0..self.threads).all(|thread| {
                let first = self.name(rows[0], thread);
                self.name(*row, thread) == first.granule(granule)
            })
        };
        NameRow::are_whole(rows) || rows.iter().enumerate().skip(1).all(is_further)
    }

    /// Returns the name that the first granule of the element `value` has in each thread. Returns a fault if
    /// `value` is not a whole element, e.g. because it is a word (see `Program::is_word`), or if it is undefined in
    /// a thread.
    fn elements(&self, step: usize, value: ValueId) -> Result<Vec<N>, PlanFault> {
        let rows = self.place(step, value)?;
        let names = (0..self.threads).map(|thread| self.name(rows[0], thread));
        let names: Vec<N> = names.collect();
        if self.plan.is_word(value) || !self.are_elements(rows) || names.contains(&N::NOTHING) {
            let what = "an operand is a packed word or is undefined: expected an element";
            return Err(FaultKind::Width { step, what }.into());
        }
        Ok(names)
    }

    fn define_element(&mut self, value: ValueId, names: impl IntoIterator<Item = N>) {
        let start = self.names.len();
        self.names
            .extend(names.into_iter().map(|name| name.granule(0)));
        self.define_rows(value, NameRow::of_elements(start, self.granules(value)));
    }

    fn rows(&self, step: usize, values: &[ValueId]) -> Result<Vec<NameRow>, PlanFault> {
        let mut rows = Vec::with_capacity(16);
        for value in values {
            rows.extend(self.place(step, *value)?);
        }
        Ok(rows)
    }

    pub(super) fn step(&mut self, index: usize) -> Result<(), PlanFault> {
        let plan = self.plan;
        match plan.steps()[index] {
            Step::Pack { out, parts } => {
                let mut rows = self.rows(index, plan.operands(parts))?;
                let whole = self.granules(out);
                if rows.len() > whole {
                    return Err(FaultKind::Width {
                        step: index,
                        what: "the packed elements do not fit in a register",
                    }
                    .into());
                }
                if rows.len() < whole {
                    let nothing = self.names.len();
                    self.names.resize(nothing + self.threads, N::NOTHING);
                    let start = narrow(nothing);
                    rows.resize(whole, NameRow { start, granule: 0 });
                }
                self.define_rows(out, rows.into_iter());
            }
            Step::Unpack {
                first,
                count,
                value,
            } => {
                let rows = self.rows(index, &[value])?;
                let each = self.granules(first);
                if count as usize * each > rows.len() {
                    return Err(FaultKind::Width {
                        step: index,
                        what: "the register holds fewer elements than the step unpacks",
                    }
                    .into());
                }
                for (k, rows) in (0..count).zip(rows.chunks(each)) {
                    self.define_rows(first.plus(k), rows.iter().copied());
                }
            }
            Step::Select {
                out,
                predicate,
                if_set,
                if_clear,
            } => {
                let predicate = plan.predicates()[predicate as usize];
                let holds = |t: usize| predicate.holds(narrow(t));
                self.select(index, out, [if_set, if_clear], holds)?;
            }
            Step::Zero { out } => {
                let name =
                    N::zero(plan.type_of(out).operand).ok_or(FaultKind::Tuple { step: index })?;
                self.define_element(out, vec![name; self.threads]);
            }
            Step::One { out, of } => {
                let names = self.elements(index, of)?;
                self.define_element(out, names);
            }
            Step::AtomicAdd {
                address,
                value,
                mask,
                guard,
            } => self.atomic_add(index, address, value, (mask, guard))?,
            Step::CountVotes {
                first,
                count,
                vote,
                bin,
                mask,
                acc,
            } => {
                let acc = plan.operands(acc);
                self.count_votes(index, (first, count), vote, (bin, mask), acc)?;
            }
            Step::SelectBit {
                out,
                number,
                bit,
                if_set,
                if_clear,
            } => {
                let numbers = self.numbers(index, number)?.to_vec();
                let is_set = |t: usize| numbers[t] >> bit & 1 == 1;
                self.select(index, out, [if_set, if_clear], is_set)?;
            }
            Step::Compute {
                first,
                count,
                map,
                inputs,
            } => self.compute(index, (first, count), map, plan.operands(inputs))?,
            Step::ShuffleAt {
                out,
                value,
                lane,
                lane_xor,
            } => {
                let lanes = self.numbers(index, lane)?.to_vec();
                self.shuffle(index, out, value, |_, thread| {
                    lanes[thread as usize] ^ lane_xor
                })?;
            }
            Step::ShuffleXor {
                out,
                value,
                lane_mask,
            } => {
                self.shuffle(index, out, value, |lane, _| lane ^ lane_mask)?;
            }
            Step::ShuffleIndex {
                out,
                value,
                map,
                lane_xor,
            } => {
                let map = &plan.lane_maps()[map as usize];
                let lanes_log2 = self.lanes_log2;
                self.shuffle(index, out, value, |_, thread| {
                    map.apply(thread, lanes_log2) ^ lane_xor
                })?;
            }
            Step::TransposeMatrix { out, value } => self.transpose(index, out, value)?,
            Step::SwapLanes {
                first,
                low,
                high,
                lane_bit,
            } => {
                let (low, high) = (self.rows(index, &[low])?, self.rows(index, &[high])?);
                if low.len() != high.len() || low.len() * self.granule as usize != 4 {
                    return Err(FaultKind::Width {
                        step: index,
                        what: "an operand of a lane swap is not a 32-bit word",
                    }
                    .into());
                }
                let starts = [0, 1].map(|i| self.define(first.plus(i), low.len()));
                let bit = 1usize << lane_bit;
                for (g, (low, high)) in low.into_iter().zip(high).enumerate() {
                    for t in 0..self.threads {
                        // Exchanges the upper lanes of `low` with the lower lanes of `high`.
                        let names = match t & bit != 0 {
                            true => [self.name(high, t ^ bit), self.name(high, t)],
                            false => [self.name(low, t), self.name(low, t ^ bit)],
                        };
                        for (start, name) in starts.into_iter().zip(names) {
                            self.names[start + g * self.threads + t] = name;
                        }
                    }
                }
                self.report.shuffles += self.warps();
            }
            Step::Store {
                address,
                values,
                guard,
            } => self.store(index, address, plan.operands(values), guard)?,
            Step::Load {
                address,
                first,
                count,
                ..
            } => self.load(index, address, first, count)?,
            Step::StoreMatrices {
                address,
                values,
                fragment,
            } => self.store_matrices(index, address, plan.operands(values), fragment)?,
            Step::LoadMatrices {
                address,
                first,
                count,
                fragment,
            } => self.load_matrices(index, address, (first, count), fragment)?,
            Step::Combine {
                first,
                acc,
                other,
                is_packed,
            } => {
                let both = [plan.operands(acc), plan.operands(other)];
                self.combine(index, first, both, is_packed)?;
            }
            Step::ReduceLanes { out, value, copies } => {
                self.reduce_lanes(index, [out, value], copies)?;
                self.report.shuffles += self.warps();
            }
            Step::Mma {
                first,
                acc,
                a,
                b,
                scales,
                row,
            } => self.multiply(
                index,
                first,
                [a, b, acc].map(|list| plan.operands(list)),
                scales,
                row,
            )?,
            Step::Barrier(scope) => {
                self.scratch.barrier(scope);
                self.buffer.0.barrier(scope);
                match scope {
                    BarrierScope::Warp => self.report.warp_barriers += 1,
                    BarrierScope::Block | BarrierScope::Cluster => self.report.block_barriers += 1,
                }
            }
        }
        Ok(())
    }

    fn mask(&self, step: usize, mask: Option<ValueId>) -> Result<Vec<bool>, PlanFault> {
        match mask {
            None => Ok(vec![true; self.threads]),
            Some(mask) => Ok(self.numbers(step, mask)?.iter().map(|m| *m != 0).collect()),
        }
    }
}
