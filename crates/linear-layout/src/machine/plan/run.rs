//! The steps of a plan, carried out for all threads of a block.

use super::fault::{Kind, PlanFault};
use super::memory::{CellFault, Memory};
use super::name::Name;
use super::report::PlanReport;
use crate::layout::{Dim, LayoutError};
use crate::machine::matrix::{WORD_BYTES, cell, holder, size};
use crate::plan::{Address, BarrierScope, Program, Space, Step, ValueId};
use crate::target::{Access, Banks, Fragment, Target, Wavefronts};
use rustc_hash::FxHashMap;

/// Address base, constant where it matters, bytes and direction of an access.
type AccessShape = (u32, u32, u32, Access);

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
    numbers: FxHashMap<ValueId, Vec<u32>>,
    scratch: Memory<N>,
    /// The buffer that the program is given, and how many bytes it has.
    buffer: (Memory<N>, u32),
    bases: Vec<Vec<u32>>,
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
        let thread_numbers = || 0..threads as u32;
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
            scratch: memory(plan.scratch_bytes()),
            buffer: (memory(0), 0),
            bases: plan
                .address_bases()
                .iter()
                .map(|b| thread_numbers().map(|t| b.apply(t)).collect())
                .collect(),
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

    /// Says that a source is a number, by thread.
    pub(super) fn know(&mut self, value: ValueId, number: impl Fn(usize) -> u32) {
        let numbers = (0..self.threads).map(number).collect();
        self.numbers.insert(value, numbers);
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
        wrong.map(|(_, cell)| (cell as u32) << self.granule_log2)
    }

    /// The number that a value is in each thread.
    fn numbers(&self, step: usize, value: ValueId) -> Result<&[u32], PlanFault> {
        let numbers = self.numbers.get(&value).map(Vec::as_slice);
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
        self.place[value.index()] = (start as u32, granules as u32);
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
            let id = ValueId(value as u32);
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

    /// Combines elements in all threads: one of each operand, which must stand for the same, or two of one.
    fn combine(
        &mut self,
        step: usize,
        first: ValueId,
        [acc, other]: [&[ValueId]; 2],
        is_packed: bool,
    ) -> Result<(), PlanFault> {
        let mut made = Vec::with_capacity(acc.len());
        for list in [acc, other] {
            let of_first = self.elements(step, list[0])?;
            for value in list[1..].iter().filter(|_| !is_packed) {
                let mut pairs = of_first.iter().zip(self.elements(step, *value)?);
                if !pairs.all(|(a, b)| a.is_beside(*b)) {
                    return Err(Kind::Tuple { step }.into());
                }
            }
        }
        for (acc, other) in acc.iter().zip(other) {
            let (acc, other) = (self.elements(step, *acc)?, self.elements(step, *other)?);
            let pairs = acc.iter().zip(other);
            let combined: Option<Vec<N>> = pairs.map(|(a, b)| a.combined_with(*b)).collect();
            made.push(combined.ok_or(Kind::Tuple { step })?);
        }
        for (i, names) in (0..).zip(made) {
            self.define_element(first.plus(i), &names);
        }
        Ok(())
    }

    /// Combines an element over the lanes of each warp; those that differ in `copies` alone must stand for the same.
    fn reduce_lanes(
        &mut self,
        step: usize,
        [out, value]: [ValueId; 2],
        copies: u32,
    ) -> Result<(), PlanFault> {
        let mut names = self.elements(step, value)?.to_vec();
        for warp in names.chunks_mut(1 << self.lanes_log2) {
            let mut all: Option<N> = None;
            for lane in 0..warp.len() {
                let once = lane & !copies as usize;
                if warp[lane] != warp[once] {
                    return Err(Kind::Lanes { step }.into());
                }
                if lane == once {
                    all = match all {
                        None => Some(warp[lane]),
                        Some(all) => all.combined_with(warp[lane]),
                    };
                }
            }
            warp.fill(all.ok_or(Kind::Tuple { step })?);
        }
        self.define_element(out, &names);
        Ok(())
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

    /// Multiplies matrices in each warp; `lists` are the registers of A, B and D.
    fn multiply(
        &mut self,
        step: usize,
        first: ValueId,
        lists: [&[ValueId]; 3],
        row: u32,
    ) -> Result<(), PlanFault> {
        let plan = self.plan;
        let row = &plan.rows()[row as usize];
        let malformed = |what| PlanFault::from(Kind::Width { step, what });
        let [m, n, k] = row.sizes().map(|size| size as usize);
        let lanes = 1usize << self.lanes_log2;
        // Of each operand: the granules of an element, where they lie, and the coordinates by register and lane.
        let mut held = Vec::with_capacity(3);
        for (operand, list) in lists.into_iter().enumerate() {
            let each = (plan.element_bits(list[0]).max(8) / 8 / self.granule) as usize;
            let rows = self.rows(step, list)?;
            let layout = &row.operands()[operand];
            let registers = layout.in_size(Dim::REGISTER) as usize;
            if rows.len() != registers * each || layout.in_size(Dim::LANE) as usize != lanes {
                return Err(malformed("an instruction has other registers or lanes"));
            }
            let places = (0..registers).flat_map(|r| (0..lanes).map(move |lane| (r, lane)));
            let coordinates: Vec<_> = places
                .map(|(r, lane)| Ok((r, lane, row.coordinates(operand, r as u64, lane as u64)?)))
                .collect::<Result<_, LayoutError>>()
                .map_err(|_| malformed("an instruction's operand has other dims"))?;
            held.push((each, rows, coordinates));
        }
        let columns = [k, n, n];
        let made: Vec<usize> = {
            let values = (0..lists[2].len() as u32).map(|i| first.plus(i));
            let made = values.flat_map(|value| {
                let granules = self.granules(value);
                let start = self.define(value, granules);
                (0..granules).map(move |g| (start, g))
            });
            let made: Vec<(usize, usize)> = made.collect();
            made.into_iter()
                .map(|(start, g)| start + g * self.threads)
                .collect()
        };
        for warp in (0..self.threads).step_by(lanes) {
            let mut tiles = Vec::with_capacity(3);
            for ((each, rows, coordinates), size) in held.iter().zip([m * k, k * n, m * n]) {
                let columns = columns[tiles.len()];
                let mut tile = vec![N::NOTHING; size];
                for (register, lane, [i, j]) in coordinates {
                    let granule = |g: usize| self.names[rows[register * each + g] + warp + lane];
                    let name = granule(0);
                    if name == N::NOTHING || (1..*each).any(|g| granule(g) != name.granule(g)) {
                        return Err(malformed("a product of something that is no element"));
                    }
                    let known = &mut tile[i * columns + j];
                    if *known != N::NOTHING && *known != name {
                        return Err(Kind::Lanes { step }.into());
                    }
                    *known = name;
                }
                tiles.push(tile);
            }
            let mut sums = std::mem::take(&mut tiles[2]);
            for (at, sum) in sums.iter_mut().enumerate() {
                let (i, j) = (at / n, at % n);
                for k_at in 0..k {
                    let (a, b) = (tiles[0][i * k + k_at], tiles[1][k_at * n + j]);
                    *sum = sum.plus_product(a, b).ok_or(Kind::Product { step })?;
                }
            }
            let (each, _, coordinates) = &held[2];
            for (register, lane, [i, j]) in coordinates {
                for g in 0..*each {
                    self.names[made[register * each + g] + warp + lane] =
                        sums[i * n + j].granule(g);
                }
            }
        }
        Ok(())
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
                    let to = self.define(first.plus(k as u32), each);
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
                let holds = |t: usize| predicate.holds(t as u32);
                self.select(index, out, [if_set, if_clear], holds)?;
            }
            Step::Zero { out } => {
                let name = N::zero().ok_or(Kind::Tuple { step: index })?;
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
                row,
            } => self.multiply(
                index,
                first,
                [a, b, acc].map(|list| plan.operands(list)),
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

    fn select(
        &mut self,
        step: usize,
        out: ValueId,
        [if_set, if_clear]: [ValueId; 2],
        is_set: impl Fn(usize) -> bool,
    ) -> Result<(), PlanFault> {
        let (set, granules) = self.place(step, if_set)?;
        let (clear, other) = self.place(step, if_clear)?;
        if granules != other {
            let what = "a select of two widths";
            return Err(Kind::Width { step, what }.into());
        }
        let start = self.define(out, granules);
        let (old, new) = self.names.split_at_mut(start);
        for row in (0..granules).map(|g| g * self.threads) {
            for (t, name) in new[row..][..self.threads].iter_mut().enumerate() {
                *name = old[row + t + if is_set(t) { set } else { clear }];
            }
        }
        self.report.selects += self.warps();
        Ok(())
    }

    /// Computes the outputs of a map of lane, warp and numbers.
    fn compute(
        &mut self,
        step: usize,
        (first, count): (ValueId, u32),
        map: u32,
        inputs: &[ValueId],
    ) -> Result<(), PlanFault> {
        let map = &self.plan.index_maps()[map as usize];
        if map.outputs().len() != count as usize {
            let what = "other outputs than the map has";
            return Err(Kind::Width { step, what }.into());
        }
        let inputs: Vec<&[u32]> = inputs
            .iter()
            .map(|value| self.numbers(step, *value))
            .collect::<Result<_, _>>()?;
        let mut made = vec![vec![0; self.threads]; count as usize];
        for thread in 0..self.threads {
            let lane = thread & ((1 << self.lanes_log2) - 1);
            let place = [lane as u64, (thread >> self.lanes_log2) as u64];
            let known = inputs.iter().map(|numbers| u64::from(numbers[thread]));
            let all: Vec<u64> = place.into_iter().chain(known).collect();
            for (row, number) in made.iter_mut().zip(map.evaluate(&all)) {
                row[thread] = number as u32;
            }
        }
        for (i, row) in (0..).zip(made) {
            self.numbers.insert(first.plus(i), row);
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

    fn atomic_add(
        &mut self,
        step: usize,
        address: Address,
        value: ValueId,
        (mask, guard): (Option<ValueId>, Option<u32>),
    ) -> Result<(), PlanFault> {
        let guard = guard.map(|guard| self.plan.predicates()[guard as usize]);
        let bytes = self.plan.value_bytes(value);
        let found = self.addresses(step, address, bytes)?;
        let (mask, names) = (self.mask(step, mask)?, self.elements(step, value)?.to_vec());
        let granule_log2 = self.granule_log2;
        if bytes != self.granule {
            let what = "an addition of something that is no number";
            return Err(Kind::Width { step, what }.into());
        }
        let memory = self.memory(self.space(address)).0;
        for (t, &byte) in found.iter().enumerate() {
            let thread = t as u32;
            if !mask[t] || guard.is_some_and(|guard| !guard.holds(thread)) {
                continue;
            }
            let added = memory.add((byte >> granule_log2) as usize, thread, names[t]);
            added.map_err(|fault| match fault {
                CellFault::Race => Kind::Race {
                    step,
                    thread,
                    byte,
                    reading: false,
                },
                CellFault::Uninitialised => Kind::Uninitialised { step, thread, byte },
            })?;
        }
        Ok(())
    }

    /// Counts the elements of each warp by the bins that lanes own.
    fn count_votes(
        &mut self,
        step: usize,
        (first, count): (ValueId, u32),
        vote: u32,
        (bin, mask): (ValueId, Option<ValueId>),
        acc: &[ValueId],
    ) -> Result<(), PlanFault> {
        let vote = &self.plan.votes()[vote as usize];
        let zero = N::zero().ok_or(Kind::Tuple { step })?;
        let (names, bins) = (self.elements(step, bin)?, self.numbers(step, bin)?);
        let mask = self.mask(step, mask)?;
        let is_counted = acc.is_empty() || acc.len() == count as usize;
        if !is_counted || count != 1 << vote.counts_log2() {
            let what = "other counts than the lanes of a vote have";
            return Err(Kind::Width { step, what }.into());
        }
        let mut sums: Vec<Vec<N>> = match acc.is_empty() {
            true => vec![vec![zero; self.threads]; count as usize],
            false => acc
                .iter()
                .map(|value| Ok(self.elements(step, *value)?.to_vec()))
                .collect::<Result<_, PlanFault>>()?,
        };
        let lanes = 1 << self.lanes_log2;
        for warp in (0..self.threads).step_by(lanes) {
            let mut found: FxHashMap<u32, N> = FxHashMap::default();
            for lane in (0..lanes).filter(|lane| *lane as u32 & vote.copies == 0) {
                let thread = warp + lane;
                // Votes see no more bits of a number than bins have.
                let bin = bins[thread] & ((1 << vote.places.len()) - 1);
                if mask[thread] {
                    let sum = found.entry(bin).or_insert(zero);
                    *sum = sum
                        .combined_with(names[thread])
                        .ok_or(Kind::Tuple { step })?;
                }
            }
            for (register, sums) in (0..).zip(&mut sums) {
                for lane in 0..lanes {
                    if let Some(added) = found.get(&vote.bin(register, lane as u32)) {
                        let sum = &mut sums[warp + lane];
                        *sum = sum.combined_with(*added).ok_or(Kind::Tuple { step })?;
                    }
                }
            }
        }
        for (i, sums) in (0..).zip(sums) {
            self.define_element(first.plus(i), &sums);
        }
        Ok(())
    }

    /// Lane `l` gets what it would hold, were the matrix transposed.
    fn transpose(&mut self, index: usize, out: ValueId, value: ValueId) -> Result<(), PlanFault> {
        let (from, granules) = self.place(index, value)?;
        if granules * self.granule as usize != WORD_BYTES as usize || self.granule > 2 {
            return Err(Kind::Width {
                step: index,
                what: "a transposed matrix of something that is no word of 16-bit elements",
            }
            .into());
        }
        let start = self.define(out, granules);
        let (old, new) = self.names.split_at_mut(start);
        for t in 0..self.threads {
            let first = t & !31;
            for g in 0..granules {
                let byte = g as u32 * self.granule;
                let (row, column) = cell((t - first) as u32, byte, Fragment::Transposed);
                let (lane, byte) = holder(row, column);
                let held = (byte / self.granule) as usize;
                new[g * self.threads + t] = old[from + held * self.threads + first + lane as usize];
            }
        }
        self.report.shuffles += self.warps();
        Ok(())
    }

    fn shuffle(
        &mut self,
        index: usize,
        out: ValueId,
        value: ValueId,
        source: impl Fn(u32, u32) -> u32,
    ) -> Result<(), PlanFault> {
        let (from, granules) = self.place(index, value)?;
        if granules * self.granule as usize != 4 {
            return Err(Kind::Width {
                step: index,
                what: "a shuffle of something that is no word",
            }
            .into());
        }
        let start = self.define(out, granules);
        let lanes = 1u32 << self.lanes_log2;
        let (old, new) = self.names.split_at_mut(start);
        for t in 0..self.threads as u32 {
            let lane = source(t & (lanes - 1), t);
            if lane >= lanes {
                return Err(Kind::Lane {
                    step: index,
                    lane,
                    lanes,
                }
                .into());
            }
            let other = ((t & !(lanes - 1)) | lane) as usize;
            for g in 0..granules {
                let row = g * self.threads;
                new[row + t as usize] = old[from + row + other];
            }
        }
        self.report.shuffles += self.warps();
        Ok(())
    }

    /// The address of one access in each thread, where all of them are in the memory and aligned.
    fn addresses(
        &mut self,
        step: usize,
        address: Address,
        bytes: u32,
    ) -> Result<Vec<u32>, PlanFault> {
        let plan = self.plan;
        let base = &plan.address_bases()[address.base as usize];
        let mut found = self.bases[address.base as usize].clone();
        for offset in &mut found {
            *offset ^= address.xor;
        }
        for number in plan.operands(address.numbers) {
            for (offset, number) in found.iter_mut().zip(self.numbers(step, *number)?) {
                if number & !base.number_bits != 0 {
                    let what = "a number has bits that its address does not expect";
                    return Err(Kind::Width { step, what }.into());
                }
                *offset ^= number;
            }
        }
        let constant = address.add.wrapping_add(base.start);
        let (mut all, mut most) = (0, 0);
        for byte in &mut found {
            *byte = base.padded(*byte).wrapping_add(constant);
            all |= *byte;
            most = most.max(*byte);
        }
        let scratch = self.memory(base.space).1;
        let fits = u64::from(most) + u64::from(bytes) <= u64::from(scratch);
        if fits && all & (bytes - 1) == 0 {
            return Ok(found);
        }
        for (&byte, thread) in found.iter().zip(0..) {
            if byte.checked_add(bytes).is_none_or(|end| end > scratch) {
                return Err(Kind::OutOfBounds {
                    step,
                    thread,
                    byte,
                    bytes,
                    scratch,
                }
                .into());
            }
            if byte & (bytes - 1) != 0 {
                return Err(Kind::Misaligned {
                    step,
                    thread,
                    byte,
                    bytes,
                }
                .into());
            }
        }
        Ok(found)
    }

    fn store(
        &mut self,
        step: usize,
        address: Address,
        values: &[ValueId],
        guard: Option<u32>,
    ) -> Result<(), PlanFault> {
        let guard = guard.map(|guard| self.plan.predicates()[guard as usize]);
        let rows = self.rows(step, values)?;
        let bytes = rows.len() as u32 * self.granule;
        if !bytes.is_power_of_two() {
            return Err(Kind::Width {
                step,
                what: "an access that is no power of two of bytes",
            }
            .into());
        }
        let found = self.addresses(step, address, bytes)?;
        let (lanes_log2, granule_log2) = (self.lanes_log2, self.granule_log2);
        let names = std::mem::take(&mut self.names);
        let memory = self.memory(self.space(address)).0;
        for (t, &byte) in found.iter().enumerate() {
            let (first, thread) = ((byte >> granule_log2) as usize, t as u32);
            if guard.is_some_and(|guard| !guard.holds(thread)) {
                continue;
            }
            let row = rows.iter().map(|&r| names[r + t]);
            if let Err((cell, _)) = memory.store(first, thread, thread >> lanes_log2, row) {
                let byte = (cell as u32) << granule_log2;
                return Err(Kind::Race {
                    step,
                    thread,
                    byte,
                    reading: false,
                }
                .into());
            }
        }
        self.names = names;
        let waves = self.wavefronts(address, &found, bytes, Access::Store);
        let warps = self.warps();
        self.report.stores += warps;
        self.report.store_wavefronts += waves.taken * warps;
        self.report.store_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    fn load(
        &mut self,
        step: usize,
        address: Address,
        first: ValueId,
        count: u32,
    ) -> Result<(), PlanFault> {
        let granules = self.granules(first);
        let start = self.names.len();
        for k in 0..count {
            self.define(first.plus(k), granules);
        }
        let total = granules * count as usize;
        let bytes = total as u32 * self.granule;
        if !bytes.is_power_of_two() {
            return Err(Kind::Width {
                step,
                what: "an access that is no power of two of bytes",
            }
            .into());
        }
        let found = self.addresses(step, address, bytes)?;
        let space = self.space(address);
        for (t, &byte) in found.iter().enumerate() {
            let at = (byte >> self.granule_log2) as usize;
            for (i, cell) in (at..at + total).enumerate() {
                let name = self.load_cell(step, space, t as u32, cell)?;
                self.names[start + i * self.threads + t] = name;
            }
        }
        let waves = self.wavefronts(address, &found, bytes, Access::Load);
        let warps = self.warps();
        self.report.loads += warps;
        self.report.load_wavefronts += waves.taken * warps;
        self.report.load_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    /// The cells of each granule of the matrices of all threads: word after word, thread after thread.
    ///
    /// # Errors
    /// Rows that lie outside of the memory or not at multiples of their length, other lanes or more rows than the
    /// instruction has, granules that are wider than what keeps together.
    fn matrix_cells(
        &mut self,
        step: usize,
        address: Address,
        count: u32,
        fragment: Fragment,
    ) -> Result<Vec<usize>, PlanFault> {
        let size = size(fragment);
        let lanes = 1 << self.lanes_log2;
        let whole = (WORD_BYTES * count).is_multiple_of(size.lane_bytes);
        let matrices = WORD_BYTES * count / size.lane_bytes;
        let fits = whole && matrices.is_power_of_two() && matrices * size.rows <= lanes;
        if !fits || self.granule > size.unit_bytes || size.lanes != lanes {
            let what = "matrices of other lanes or words than the instruction has";
            return Err(Kind::Width { step, what }.into());
        }
        let found = self.addresses(step, address, size.row_bytes)?;
        let granules = WORD_BYTES * count / self.granule;
        let mut cells = Vec::with_capacity(self.threads * granules as usize);
        for byte in (0..granules).map(|granule| granule * self.granule) {
            let (matrix, byte) = (byte / size.lane_bytes, byte % size.lane_bytes);
            for thread in 0..self.threads as u32 {
                let lane = thread & (lanes - 1);
                let (row, column) = cell(lane, byte, fragment);
                let byte = found[(thread - lane + size.rows * matrix + row) as usize] + column;
                cells.push((byte >> self.granule_log2) as usize);
            }
        }
        Ok(cells)
    }

    fn store_matrices(
        &mut self,
        step: usize,
        address: Address,
        values: &[ValueId],
        fragment: Fragment,
    ) -> Result<(), PlanFault> {
        let cells = self.matrix_cells(step, address, values.len() as u32, fragment)?;
        let mut rows = Vec::with_capacity(16);
        for &v in values {
            let (start, granules) = self.place(step, v)?;
            if granules * self.granule as usize != WORD_BYTES as usize {
                let what = "a matrix of something that is no word";
                return Err(Kind::Width { step, what }.into());
            }
            rows.extend((0..granules).map(|g| start + g * self.threads));
        }
        for (row, cells) in rows.iter().zip(cells.chunks(self.threads)) {
            for (t, &at) in cells.iter().enumerate() {
                let (thread, name) = (t as u32, self.names[row + t]);
                let warp = thread >> self.lanes_log2;
                let memory = self.memory(self.space(address)).0;
                let stored = memory.store(at, thread, warp, std::iter::once(name));
                if let Err((cell, _)) = stored {
                    let byte = (cell as u32) << self.granule_log2;
                    return Err(Kind::Race {
                        step,
                        thread,
                        byte,
                        reading: false,
                    }
                    .into());
                }
            }
        }
        let waves =
            self.matrix_wavefronts((address.base, Access::Store), values.len() as u32, fragment);
        let warps = self.warps();
        self.report.stores += warps;
        self.report.store_wavefronts += waves.taken * warps;
        self.report.store_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    fn load_matrices(
        &mut self,
        step: usize,
        address: Address,
        (first, count): (ValueId, u32),
        fragment: Fragment,
    ) -> Result<(), PlanFault> {
        let cells = self.matrix_cells(step, address, count, fragment)?;
        let (start, space) = (self.names.len(), self.space(address));
        for k in 0..count {
            self.define(first.plus(k), (WORD_BYTES / self.granule) as usize);
        }
        for (i, cells) in cells.chunks(self.threads).enumerate() {
            for (t, &cell) in cells.iter().enumerate() {
                let name = self.load_cell(step, space, t as u32, cell)?;
                self.names[start + i * self.threads + t] = name;
            }
        }
        let waves = self.matrix_wavefronts((address.base, Access::Load), count, fragment);
        let warps = self.warps();
        self.report.loads += warps;
        self.report.load_wavefronts += waves.taken * warps;
        self.report.load_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    /// What a thread reads in a cell.
    fn load_cell(
        &mut self,
        step: usize,
        space: Space,
        thread: u32,
        cell: usize,
    ) -> Result<N, PlanFault> {
        let warp = thread >> self.lanes_log2;
        let byte = (cell as u32) << self.granule_log2;
        let loaded = self.memory(space).0.load(cell, thread, warp);
        loaded.map_err(|fault| {
            let kind = match fault {
                CellFault::Race => Kind::Race {
                    step,
                    thread,
                    byte,
                    reading: true,
                },
                CellFault::Uninitialised => Kind::Uninitialised { step, thread, byte },
            };
            kind.into()
        })
    }

    /// Wavefronts of the rows of so many matrices, by one warp.
    fn matrix_wavefronts(
        &self,
        (base, access): (u32, Access),
        count: u32,
        fragment: Fragment,
    ) -> Wavefronts {
        let size = size(fragment);
        let rows = size.rows * (WORD_BYTES * count / size.lane_bytes);
        let lanes = self.bases[base as usize].iter().take(rows as usize);
        let addresses: Vec<_> = lanes.map(|&byte| Some(byte.into())).collect();
        let banks = Banks::of(self.target);
        let lane_bits = self.target.phase_lane_bits(access, size.row_bytes);
        banks.wavefronts(&addresses, size.row_bytes, lane_bits)
    }

    /// Wavefronts of one access by one warp, counted bank by bank.
    ///
    /// A constant added by exclusive or to all addresses of a warp permutes the banks and changes no meeting, so
    /// the first access of the first warp speaks for all accesses with this base, unless there are gaps.
    fn wavefronts(
        &mut self,
        address: Address,
        found: &[u32],
        bytes: u32,
        access: Access,
    ) -> Wavefronts {
        let base = &self.plan.address_bases()[address.base as usize];
        let constant = if base.gaps.is_empty() { 0 } else { address.xor };
        let shape = (address.base, constant, bytes, access);
        if let Some((_, known)) = self.waves.iter().find(|w| w.0 == shape) {
            return *known;
        }
        let target = self.target;
        let lanes = found.iter().take(target.lanes as usize);
        let addresses: Vec<_> = lanes.map(|&byte| Some(byte.into())).collect();
        let lane_bits = target.phase_lane_bits(access, bytes);
        let counted = Banks::of(target).wavefronts(&addresses, bytes, lane_bits);
        self.waves.push((shape, counted));
        counted
    }
}
