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

/// The registers of all threads and the shared memory, full of names.
pub(super) struct Machine<'a, N> {
    plan: &'a Program,
    target: &'a Target,
    threads: usize,
    lanes_log2: u32,
    /// Bytes of a granule, the unit that carries a name.
    granule: u32,
    granule_log2: u32,
    /// First granule of each value and how many; granules are rows of `threads` names.
    place: Vec<(u32, u32)>,
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

    /// Makes room for a value of `granules` names per thread; returns where its names start.
    fn define(&mut self, value: ValueId, granules: usize) -> usize {
        let start = self.names.len();
        self.place[value.index()] = (narrow(start), narrow(granules));
        self.names
            .resize(start + granules * self.threads, N::NOTHING);
        start
    }

    /// Where a value's names start, and how many granules it has.
    fn place(&self, step: usize, value: ValueId) -> Result<(usize, usize), PlanFault> {
        match self.place.get(value.index()) {
            Some(&(start, granules)) if granules > 0 => Ok((start as usize, granules as usize)),
            _ => Err(Kind::Undefined { step, value }.into()),
        }
    }

    /// Gives the sources their names: of the first granule of each value in each thread.
    pub(super) fn fill(&mut self, name: impl Fn(usize, usize) -> N) {
        for value in 0..self.plan.num_sources() {
            let id = ValueId(narrow(value));
            let granules = self.granules(id);
            let start = self.define(id, granules);
            for granule in 0..granules {
                let row = &mut self.names[start + granule * self.threads..][..self.threads];
                for (thread, found) in row.iter_mut().enumerate() {
                    *found = name(value, thread).granule(granule);
                }
            }
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
            let (start, granules) = self.place(step, value)?;
            if self.plan.is_word(value) {
                let what = "a result is not an element";
                return Err(Kind::Width { step, what }.into());
            }
            for granule in 0..granules {
                let row = &self.names[start + granule * self.threads..][..self.threads];
                let found = (0..).zip(row);
                let mut others = found
                    .filter(|(thread, found)| **found != name(result, *thread).granule(granule));
                if let Some((thread, found)) = others.next() {
                    return Err(wrong(result, thread, *found).into());
                }
            }
            self.report.elements_checked += self.threads as u64;
        }
        Ok(())
    }

    /// The names of the first granules of an element, in all threads.
    fn elements(&self, step: usize, value: ValueId) -> Result<&[N], PlanFault> {
        let (start, granules) = self.place(step, value)?;
        let row = |granule: usize| &self.names[start + granule * self.threads..][..self.threads];
        let are_whole = (1..granules).all(|granule| {
            let mut pairs = row(0).iter().zip(row(granule));
            pairs.all(|(first, name)| *name == first.granule(granule))
        });
        if self.plan.is_word(value) || !are_whole || row(0).contains(&N::NOTHING) {
            let what = "a combination of something that is no element";
            return Err(Kind::Width { step, what }.into());
        }
        Ok(row(0))
    }

    /// Defines an element by its names in all threads.
    fn define_element(&mut self, value: ValueId, names: &[N]) {
        let granules = self.granules(value);
        let start = self.define(value, granules);
        for granule in 0..granules {
            let row = &mut self.names[start + granule * self.threads..][..self.threads];
            for (found, name) in row.iter_mut().zip(names) {
                *found = name.granule(granule);
            }
        }
    }

    /// Where the granules of values lie, one after the other.
    fn rows(&self, step: usize, values: &[ValueId]) -> Result<Vec<usize>, PlanFault> {
        let mut rows = Vec::with_capacity(16);
        for value in values {
            let (start, granules) = self.place(step, *value)?;
            rows.extend((0..granules).map(|g| start + g * self.threads));
        }
        Ok(rows)
    }

    pub(super) fn step(&mut self, index: usize) -> Result<(), PlanFault> {
        let plan = self.plan;
        match plan.steps()[index] {
            Step::Pack { out, parts } => {
                let parts = plan.operands(parts);
                let mut rows = Vec::with_capacity(4);
                for &p in parts {
                    let (start, granules) = self.place(index, p)?;
                    rows.extend((0..granules).map(|g| start + g * self.threads));
                }
                let whole = self.granules(out);
                if rows.len() > whole {
                    return Err(Kind::Width {
                        step: index,
                        what: "more is packed than fits",
                    }
                    .into());
                }
                let start = self.define(out, whole);
                for (g, &row) in rows.iter().enumerate() {
                    self.names
                        .copy_within(row..row + self.threads, start + g * self.threads);
                }
            }
            Step::Unpack {
                first,
                count,
                value,
            } => {
                let (start, granules) = self.place(index, value)?;
                let each = self.granules(first);
                if count as usize * each > granules {
                    return Err(Kind::Width {
                        step: index,
                        what: "more is unpacked than there is",
                    }
                    .into());
                }
                for k in 0..count as usize {
                    let to = self.define(first.plus(narrow(k)), each);
                    let from = start + k * each * self.threads;
                    let all = from..from + each * self.threads;
                    self.names.copy_within(all, to);
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
                self.define_element(out, &vec![name; self.threads]);
            }
            Step::One { out, of } => {
                let names = self.elements(index, of)?.to_vec();
                self.define_element(out, &names);
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
                let (a, granules) = self.place(index, low)?;
                let (b, other) = self.place(index, high)?;
                if granules != other || granules * self.granule as usize != 4 {
                    return Err(Kind::Width {
                        step: index,
                        what: "a lane swap of something that is no word",
                    }
                    .into());
                }
                let new_low = self.define(first, granules);
                let new_high = self.define(first.plus(1), granules);
                let bit = 1usize << lane_bit;
                for g in 0..granules {
                    let row = g * self.threads;
                    for t in 0..self.threads {
                        let upper = t & bit != 0;
                        let (low, high) = if upper {
                            (self.names[b + row + (t ^ bit)], self.names[b + row + t])
                        } else {
                            (self.names[a + row + t], self.names[a + row + (t ^ bit)])
                        };
                        // The upper lanes of low and the lower lanes of high change places.
                        self.names[new_low + row + t] = low;
                        self.names[new_high + row + t] = high;
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
