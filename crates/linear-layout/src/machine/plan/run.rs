//! The steps of a plan, carried out for all threads of a block: the registers and what each step does with them
//! ([`lanes`]: between registers and lanes; [`access`]: shared memory; [`combine`]: what makes new elements;
//! [`multiply`]: products of matrices).

mod access;
mod combine;
mod lanes;
mod multiply;

use super::fault::{Kind, PlanFault};
use super::memory::{CellFault, Memory};
use super::name::{Name, Products};
use super::report::PlanReport;
use crate::number::narrow;
use crate::plan::program::{Address, BarrierScope, Program, Space, Step, ValueId};
use crate::target::{Access, Target, Wavefronts};
use multiply::Multiplier;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Address base, constant where it matters, bytes and direction of an access.
type AccessShape = (u32, u32, u32, Access);

/// A number of each thread.
type Numbers = Rc<[u32]>;

/// A map, what it was given, and what it gave.
type Computed = (u32, Vec<Numbers>, Vec<Numbers>);

/// The names of a granule of a value in all threads: those that begin somewhere, or a further granule of the elements
/// whose first granule has those. Values share the names that they have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Row {
    start: u32,
    granule: u8,
}

impl Row {
    /// Returns the rows of elements whose first granules have names that begin somewhere.
    fn of_elements(start: usize, granules: usize) -> impl Iterator<Item = Self> {
        let start = narrow(start);
        (0..narrow(granules)).map(move |granule| Self { start, granule })
    }

    /// Returns the name of a thread.
    fn name<N: Name>(self, names: &[N], thread: usize) -> N {
        let name = names[self.start as usize + thread];
        match self.granule {
            0 => name,
            granule => name.granule(granule.into()),
        }
    }

    /// Returns where the names begin and end.
    fn names(self, threads: usize) -> core::ops::Range<usize> {
        self.start as usize..self.start as usize + threads
    }

    /// Returns true if these are the rows of one element.
    fn are_whole(rows: &[Self]) -> bool {
        let elements = Self::of_elements(rows[0].start as usize, rows.len());
        elements.eq(rows.iter().copied())
    }
}

/// The registers of all threads and the shared memory, full of names.
pub(super) struct Machine<'a, N> {
    plan: &'a Program,
    target: &'a Target,
    threads: usize,
    lanes_log2: u32,
    /// Bytes of a granule, the unit that carries a name.
    granule: u32,
    granule_log2: u32,
    /// The first row of each value and how many: a row for each granule.
    place: Vec<(u32, u32)>,
    rows: Vec<Row>,
    /// Names in all threads, of one row after the other. They never change.
    names: Vec<N>,
    /// Numbers that values are known to be, in each thread.
    numbers: FxHashMap<ValueId, Numbers>,
    /// What maps gave for numbers that they were given before.
    computed: Vec<Computed>,
    scratch: Memory<N>,
    /// The buffer that the program is given, and how many bytes it has.
    buffer: (Memory<N>, u32),
    bases: Vec<Vec<u32>>,
    /// Of programs that multiply matrices.
    multiplier: Option<Multiplier<'a, N>>,
    /// Wavefronts of the accesses seen so far.
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
        let memory = |bytes: u32| {
            let warps = threads >> plan.lanes_log2();
            Memory::new(plan, (bytes / granule) as usize, warps, force_ledger)
        };
        Self {
            plan,
            target,
            threads,
            lanes_log2: plan.lanes_log2(),
            granule,
            granule_log2: granule.trailing_zeros(),
            place: vec![(0, 0); plan.num_values()],
            rows: Vec::with_capacity(2 * plan.num_values()),
            names: Vec::with_capacity(plan.num_values() * threads),
            numbers: FxHashMap::default(),
            computed: Vec::new(),
            scratch: memory(plan.scratch_bytes()),
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

    /// What was counted so far.
    pub(super) fn report(&self) -> PlanReport {
        self.report
    }

    /// How many granules an element of the only operand has.
    pub(super) fn granules_of_elements(&self) -> usize {
        (self.plan.widths()[0].max(8) / 8 / self.granule) as usize
    }

    /// How many granules a value has.
    fn granules(&self, value: ValueId) -> usize {
        (self.plan.value_bytes(value) / self.granule) as usize
    }

    /// Says that sources are a number, by thread.
    pub(super) fn know(
        &mut self,
        values: impl Iterator<Item = usize>,
        number: impl Fn(usize) -> u32,
    ) {
        let numbers: Numbers = (0..self.threads).map(number).collect();
        let values = values.map(|value| (ValueId(narrow(value)), Rc::clone(&numbers)));
        self.numbers.extend(values);
    }

    /// Lets the program multiply matrices.
    pub(super) fn with_products(&mut self, products: &'a mut dyn Products<N>) {
        self.multiplier = Some(Multiplier::new(products));
    }

    /// Gives the program a buffer of so many bytes.
    pub(super) fn with_buffer(&mut self, bytes: u32) {
        let warps = self.threads >> self.lanes_log2;
        let memory = Memory::new(self.plan, (bytes / self.granule) as usize, warps, false);
        self.buffer = (memory, bytes);
    }

    /// The cells of an element of the first operand that lies at a byte of the buffer, with their names.
    fn element_cells(&self, byte: u32, name: N) -> impl Iterator<Item = (usize, N)> + use<N> {
        let first = (byte >> self.granule_log2) as usize;
        let granules = (self.plan.widths()[0].max(8) / 8 / self.granule) as usize;
        (0..granules).map(move |granule| (first + granule, name.granule(granule)))
    }

    /// Puts elements into the buffer before the program begins.
    pub(super) fn preset(
        &mut self,
        elements: impl Iterator<Item = (u32, N)>,
    ) -> Result<(), PlanFault> {
        for (byte, name) in elements {
            for (cell, name) in self.element_cells(byte, name) {
                let stored = self.buffer.0.store(cell, 0, 0, std::iter::once(name));
                stored.map_err(|_| Kind::Preset { byte })?;
            }
        }
        self.buffer.0.barrier(BarrierScope::Block);
        Ok(())
    }

    /// Finds a byte of the buffer that does not hold what it must: these elements, and nothing elsewhere.
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

    /// The number that a value is in each thread.
    fn numbers(&self, step: usize, value: ValueId) -> Result<&[u32], PlanFault> {
        let numbers = self.numbers.get(&value).map(|numbers| &**numbers);
        numbers.ok_or_else(|| Kind::Undefined { step, value }.into())
    }

    /// The memory of an address, and how many bytes it has.
    fn memory(&mut self, space: Space) -> (&mut Memory<N>, u32) {
        match space {
            Space::Scratch => (&mut self.scratch, self.plan.scratch_bytes()),
            Space::Buffer => (&mut self.buffer.0, self.buffer.1),
        }
    }

    fn space(&self, address: Address) -> Space {
        self.plan.address_bases()[address.base as usize].space
    }

    fn warps(&self) -> u64 {
        (self.threads >> self.lanes_log2) as u64
    }

    /// The name in a row of a thread.
    fn name(&self, row: Row, thread: usize) -> N {
        row.name(&self.names, thread)
    }

    /// Makes room for a value of `granules` names per thread; returns where its names start.
    fn define(&mut self, value: ValueId, granules: usize) -> usize {
        let start = self.names.len();
        let names = start..start + granules * self.threads;
        self.names.resize(names.end, N::NOTHING);
        let rows = names.step_by(self.threads).map(|start| Row {
            start: narrow(start),
            granule: 0,
        });
        self.define_rows(value, rows);
        start
    }

    /// Defines a value by its rows.
    fn define_rows(&mut self, value: ValueId, rows: impl Iterator<Item = Row>) {
        let first = self.rows.len();
        self.rows.extend(rows);
        let count = self.rows.len() - first;
        self.place[value.index()] = (narrow(first), narrow(count));
    }

    /// The rows of a value.
    fn place(&self, step: usize, value: ValueId) -> Result<&[Row], PlanFault> {
        match self.place.get(value.index()) {
            Some(&(first, granules)) if granules > 0 => {
                Ok(&self.rows[first as usize..][..granules as usize])
            }
            _ => Err(Kind::Undefined { step, value }.into()),
        }
    }

    /// Gives the sources their names: of the first granule of each value in each thread.
    pub(super) fn fill(&mut self, name: impl Fn(usize, usize) -> N) {
        for value in 0..self.plan.num_sources() {
            let names = (0..self.threads).map(|thread| name(value, thread));
            self.define_element(ValueId(narrow(value)), names);
        }
    }

    /// Compares the results with the names that they must have; `wrong` makes the fault of a result in a thread that
    /// has another name.
    pub(super) fn compare(
        &mut self,
        name: impl Fn(usize, usize) -> N,
        wrong: impl Fn(usize, usize, N) -> Kind,
    ) -> Result<(), PlanFault> {
        let step = self.plan.steps().len();
        for (result, &value) in self.plan.results().iter().enumerate() {
            let rows = self.place(step, value)?;
            if self.plan.is_word(value) {
                let what = "a result is not an element";
                return Err(Kind::Width { step, what }.into());
            }
            // The first granules say which elements whole ones are.
            let count = if Row::are_whole(rows) { 1 } else { rows.len() };
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

    /// Returns true if these rows hold all granules of elements, of one in each thread.
    fn are_elements(&self, rows: &[Row]) -> bool {
        let is_further = |(granule, row): (usize, &Row)| {
            (0..self.threads).all(|thread| {
                let first = self.name(rows[0], thread);
                self.name(*row, thread) == first.granule(granule)
            })
        };
        Row::are_whole(rows) || rows.iter().enumerate().skip(1).all(is_further)
    }

    /// The names of the first granules of an element, in all threads.
    fn elements(&self, step: usize, value: ValueId) -> Result<Vec<N>, PlanFault> {
        let rows = self.place(step, value)?;
        let names = (0..self.threads).map(|thread| self.name(rows[0], thread));
        let names: Vec<N> = names.collect();
        if self.plan.is_word(value) || !self.are_elements(rows) || names.contains(&N::NOTHING) {
            let what = "a combination of something that is no element";
            return Err(Kind::Width { step, what }.into());
        }
        Ok(names)
    }

    /// Defines an element by its names in all threads.
    fn define_element(&mut self, value: ValueId, names: impl IntoIterator<Item = N>) {
        let start = self.names.len();
        self.names
            .extend(names.into_iter().map(|name| name.granule(0)));
        self.define_rows(value, Row::of_elements(start, self.granules(value)));
    }

    /// The granules of values, one after the other.
    fn rows(&self, step: usize, values: &[ValueId]) -> Result<Vec<Row>, PlanFault> {
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
                    return Err(Kind::Width {
                        step: index,
                        what: "more is packed than fits",
                    }
                    .into());
                }
                if rows.len() < whole {
                    let nothing = self.names.len();
                    self.names.resize(nothing + self.threads, N::NOTHING);
                    let start = narrow(nothing);
                    rows.resize(whole, Row { start, granule: 0 });
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
                    return Err(Kind::Width {
                        step: index,
                        what: "more is unpacked than there is",
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
                let name = N::zero(plan.type_of(out).operand).ok_or(Kind::Tuple { step: index })?;
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
                    return Err(Kind::Width {
                        step: index,
                        what: "a lane swap of something that is no word",
                    }
                    .into());
                }
                let starts = [0, 1].map(|i| self.define(first.plus(i), low.len()));
                let bit = 1usize << lane_bit;
                for (g, (low, high)) in low.into_iter().zip(high).enumerate() {
                    for t in 0..self.threads {
                        // The upper lanes of low and the lower lanes of high change places.
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
                if scope == BarrierScope::Block {
                    self.report.block_barriers += 1;
                } else {
                    self.report.warp_barriers += 1;
                }
            }
        }
        Ok(())
    }

    /// Whether a mask holds in each thread.
    fn mask(&self, step: usize, mask: Option<ValueId>) -> Result<Vec<bool>, PlanFault> {
        match mask {
            None => Ok(vec![true; self.threads]),
            Some(mask) => Ok(self.numbers(step, mask)?.iter().map(|m| *m != 0).collect()),
        }
    }
}
