//! Runs a plan on element names and compares every destination register with its layout.
//!
//! The source registers of every thread start with the *names* of their elements (packed tensor coordinates);
//! the steps move names about; at the end each destination register must hold the name that the destination
//! layout says. A name is carried per granule: a whole element up to 32 bits, each half of a 64-bit one, so a
//! word made of four bytes is four names, and a byte permute that tears an element is found.
//!
//! ```
//! use linear_layout::layout::{Dim, LinearLayout};
//! use linear_layout::machine::check_plan;
//! use linear_layout::plan::{PlanOptions, Strategy, plan_conversion};
//! use linear_layout::target::Target;
//! let d = Dim::out(0);
//! let pair = LinearLayout::identity_1d(2, Dim::REGISTER, d)?;
//! let lanes = LinearLayout::identity_1d(32, Dim::LANE, d)?;
//! let (src, dst) = (pair.product(&lanes)?, lanes.product(&pair)?);
//! let target = Target::parse("cuda:90")?;
//! let options = PlanOptions::new().with_strategy(Strategy::Shared);
//! let plan = plan_conversion(&src, &dst, 32, target, &options)?;
//! let report = check_plan(&plan, &src, &dst, target)?;
//! assert_eq!((report.elements_checked, report.conflicts()), (64, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What counts as a race
//! Threads of a warp are ordered only by barriers, those of different warps only by block barriers. Reading what
//! another thread wrote, or overwriting what another thread read or wrote, without such a barrier in between is a
//! fault, unless the same name is written again (copies of one element may be stored by every thread that has it).

use core::fmt;

use super::plan_memory::{CellFault, Memory, NOTHING};
use crate::layout::{Dim, LinearLayout};
use crate::plan::{Address, BarrierScope, ConvertPlan, Step, ValueId};
use crate::target::{Access, Target};

/// What a run of a plan counted, for the whole block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct PlanReport {
    /// Destination registers compared, over all threads.
    pub elements_checked: u64,
    /// Warp-wide stores to shared memory.
    pub stores: u64,
    /// Warp-wide loads from shared memory.
    pub loads: u64,
    /// Wavefronts of all stores.
    pub store_wavefronts: u64,
    /// Wavefronts of all loads.
    pub load_wavefronts: u64,
    /// Wavefronts of stores beyond one per phase: bank conflicts.
    pub store_conflicts: u64,
    /// Wavefronts of loads beyond one per phase: bank conflicts.
    pub load_conflicts: u64,
    /// Warp-wide lane exchanges.
    pub shuffles: u64,
    /// Warp-wide selects and byte permutes.
    pub selects: u64,
    /// Barriers of the block that each warp passes.
    pub block_barriers: u64,
    /// Barriers within a warp that each warp passes.
    pub warp_barriers: u64,
}

impl PlanReport {
    /// Extra wavefronts of stores and loads together.
    #[must_use]
    pub const fn conflicts(&self) -> u64 {
        self.store_conflicts + self.load_conflicts
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} elements right; {} shuffles, {} selects, {} stores in {} wavefronts ({} conflicts), {} loads in \
             {} wavefronts ({} conflicts), {} block and {} warp barriers",
            self.elements_checked,
            self.shuffles,
            self.selects,
            self.stores,
            self.store_wavefronts,
            self.store_conflicts,
            self.loads,
            self.load_wavefronts,
            self.load_conflicts,
            self.block_barriers,
            self.warp_barriers,
        )
    }
}

/// What is wrong with a plan, at the first place where it shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanFault {
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Shape {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    Undefined {
        step: usize,
        value: ValueId,
    },
    Wrong {
        register: usize,
        lane: u32,
        warp: u32,
        found: Option<u32>,
        expected: u32,
    },
    Race {
        step: usize,
        thread: u32,
        byte: u32,
        reading: bool,
    },
    Uninitialised {
        step: usize,
        thread: u32,
        byte: u32,
    },
    OutOfBounds {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
        scratch: u32,
    },
    Misaligned {
        step: usize,
        thread: u32,
        byte: u32,
        bytes: u32,
    },
    Width {
        step: usize,
        what: &'static str,
    },
    Torn {
        step: usize,
        selector: u16,
    },
    Lane {
        step: usize,
        lane: u32,
        lanes: u32,
    },
}

impl PlanFault {
    /// Says whether a destination register ended with the wrong element.
    #[must_use]
    pub const fn is_wrong_element(&self) -> bool {
        matches!(self.kind, Kind::Wrong { .. })
    }

    /// Says whether two threads met in shared memory without a barrier between them.
    #[must_use]
    pub const fn is_race(&self) -> bool {
        matches!(self.kind, Kind::Race { .. })
    }

    /// Says whether shared memory was read before it was written.
    #[must_use]
    pub const fn is_uninitialised(&self) -> bool {
        matches!(self.kind, Kind::Uninitialised { .. })
    }

    /// Says whether an access left the scratch buffer or was not aligned to its size.
    #[must_use]
    pub const fn is_bad_address(&self) -> bool {
        matches!(
            self.kind,
            Kind::OutOfBounds { .. } | Kind::Misaligned { .. }
        )
    }
}

impl From<Kind> for PlanFault {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for PlanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Shape {
                what,
                found,
                expected,
            } => {
                write!(
                    f,
                    "the plan is not for these layouts: it has {found} {what}, expected {expected}"
                )
            }
            Kind::Undefined { step, value } => {
                write!(f, "step {step} uses {value}, which no step defined before")
            }
            Kind::Wrong {
                register,
                lane,
                warp,
                found: Some(found),
                expected,
            } => write!(
                f,
                "register {register} of lane {lane}, warp {warp} ends with element {found}: expected {expected}"
            ),
            Kind::Wrong {
                register,
                lane,
                warp,
                found: None,
                expected,
            } => write!(
                f,
                "register {register} of lane {lane}, warp {warp} ends with nothing: expected element {expected}"
            ),
            Kind::Race {
                step,
                thread,
                byte,
                reading,
            } => write!(
                f,
                "race at step {step}: thread {thread} {} byte {byte} of shared memory without a barrier after \
                 another thread's access",
                if *reading { "reads" } else { "writes" }
            ),
            Kind::Uninitialised { step, thread, byte } => write!(
                f,
                "step {step}: thread {thread} reads byte {byte} of shared memory, which nobody wrote"
            ),
            Kind::OutOfBounds {
                step,
                thread,
                byte,
                bytes,
                scratch,
            } => write!(
                f,
                "step {step}: thread {thread} accesses {bytes} bytes at {byte} of a buffer of {scratch} bytes"
            ),
            Kind::Misaligned {
                step,
                thread,
                byte,
                bytes,
            } => write!(
                f,
                "step {step}: thread {thread} accesses {bytes} bytes at {byte}: expected a multiple of {bytes}"
            ),
            Kind::Width { step, what } => write!(f, "step {step}: {what}"),
            Kind::Torn { step, selector } => {
                write!(
                    f,
                    "step {step}: the selector {selector:#06x} takes part of an element"
                )
            }
            Kind::Lane { step, lane, lanes } => {
                write!(f, "step {step}: a lane reads from lane {lane} of {lanes}")
            }
        }
    }
}

impl core::error::Error for PlanFault {}

/// The columns of a layout in one block: non-zero registers, then lanes and warps.
fn columns(layout: &LinearLayout) -> (Vec<u64>, Vec<u64>) {
    let of = |dim: Dim| {
        (0..if layout.has_in_dim(dim) {
            layout.in_bits(dim)
        } else {
            0
        })
            .map(move |b| layout.column(dim, b))
    };
    (
        of(Dim::REGISTER).filter(|&c| c != 0).collect(),
        of(Dim::LANE).chain(of(Dim::WARP)).collect(),
    )
}

/// All sums of columns, by index.
fn span(columns: &[u64]) -> Vec<u64> {
    let mut sums = vec![0];
    for &c in columns {
        for i in 0..sums.len() {
            sums.push(sums[i] ^ c);
        }
    }
    sums
}

struct Machine<'a> {
    plan: &'a ConvertPlan,
    target: &'a Target,
    threads: usize,
    lanes_log2: u32,
    /// Bytes of a granule, the unit that carries a name.
    granule: u32,
    granule_log2: u32,
    /// Granules per element.
    per_element: usize,
    /// First granule of each value and how many; granules are rows of `threads` names.
    place: Vec<(u32, u32)>,
    names: Vec<u32>,
    memory: Memory,
    bases: Vec<Vec<u32>>,
    waves: Vec<((u32, u32, Access), (u64, u64))>,
    report: PlanReport,
}

/// Runs the plan for every thread and checks each destination register.
///
/// # Shape
/// `plan` as made by [`crate::plan::plan_conversion`] from `src` and `dst` for `target`.
/// # Errors
/// The first fault: a wrong element, a race, a bad address, a malformed step.
pub fn check_plan(
    plan: &ConvertPlan,
    src: &LinearLayout,
    dst: &LinearLayout,
    target: &Target,
) -> Result<PlanReport, PlanFault> {
    check(plan, src, dst, target, false)
}

fn check(
    plan: &ConvertPlan,
    src: &LinearLayout,
    dst: &LinearLayout,
    target: &Target,
    force_ledger: bool,
) -> Result<PlanReport, PlanFault> {
    let order: Vec<Dim> = src.out_dims().collect();
    let transposed = if dst.out_dims().eq(order.iter().copied()) {
        None
    } else {
        dst.transpose_outs(&order).ok()
    };
    let dst = transposed.as_ref().unwrap_or(dst);
    let (src_registers, src_threads) = columns(src);
    let (dst_registers, dst_threads) = columns(dst);
    let expect = |what, found: usize, expected: usize| {
        if found == expected {
            Ok(())
        } else {
            Err(PlanFault::from(Kind::Shape {
                what,
                found,
                expected,
            }))
        }
    };
    expect(
        "source registers",
        plan.num_sources(),
        1 << src_registers.len(),
    )?;
    expect(
        "destination registers",
        plan.results().len(),
        1 << dst_registers.len(),
    )?;
    expect(
        "bits of the thread number",
        (plan.lanes_log2() + plan.warps_log2()) as usize,
        src_threads.len(),
    )?;
    expect(
        "bits of the thread number",
        src_threads.len(),
        dst_threads.len(),
    )?;

    let mut machine = Machine::new(plan, target, 1 << src_threads.len(), force_ledger);
    machine.fill(&span(&src_registers), &span(&src_threads));
    for index in 0..plan.steps().len() {
        machine.step(index)?;
    }
    machine.compare(&span(&dst_registers), &span(&dst_threads))?;
    Ok(machine.report)
}

impl<'a> Machine<'a> {
    fn new(plan: &'a ConvertPlan, target: &'a Target, threads: usize, force_ledger: bool) -> Self {
        let container = plan.container_bits();
        // 64-bit elements that are never split carry one name.
        let splits = plan
            .steps()
            .iter()
            .any(|s| matches!(s, Step::Unpack { .. } | Step::Load { words: true, .. }));
        let granule = if splits { container.min(32) } else { container } / 8;
        let per_element = (container / 8 / granule) as usize;
        let thread_numbers = || 0..threads as u32;
        Self {
            plan,
            target,
            threads,
            lanes_log2: plan.lanes_log2(),
            granule,
            granule_log2: granule.trailing_zeros(),
            per_element,
            place: vec![(0, 0); plan.num_values()],
            names: Vec::with_capacity(plan.num_values() * per_element * threads),
            memory: Memory::new(
                plan,
                (plan.scratch_bytes() / granule) as usize,
                threads >> plan.lanes_log2(),
                force_ledger,
            ),
            bases: plan
                .address_bases()
                .iter()
                .map(|b| thread_numbers().map(|t| b.apply(t)).collect())
                .collect(),
            waves: Vec::new(),
            report: PlanReport::default(),
        }
    }

    fn warps(&self) -> u64 {
        (self.threads >> self.lanes_log2) as u64
    }

    /// Makes room for a value of `granules` names per thread; returns where its names start.
    fn define(&mut self, value: ValueId, granules: usize) -> usize {
        let start = self.names.len();
        self.place[value.index()] = (start as u32, granules as u32);
        self.names.resize(start + granules * self.threads, NOTHING);
        start
    }

    /// Where a value's names start, and how many granules it has.
    fn place(&self, step: usize, value: ValueId) -> Result<(usize, usize), PlanFault> {
        match self.place.get(value.index()) {
            Some(&(start, granules)) if granules > 0 => Ok((start as usize, granules as usize)),
            _ => Err(Kind::Undefined { step, value }.into()),
        }
    }

    fn fill(&mut self, registers: &[u64], threads: &[u64]) {
        let per_element = self.per_element as u32;
        for (r, register) in registers.iter().enumerate() {
            let start = self.define(ValueId(r as u32), self.per_element);
            for g in 0..self.per_element {
                let row = &mut self.names[start + g * self.threads..][..self.threads];
                for (name, thread) in row.iter_mut().zip(threads) {
                    *name = (register ^ thread) as u32 * per_element + g as u32;
                }
            }
        }
    }

    fn compare(&mut self, registers: &[u64], threads: &[u64]) -> Result<(), PlanFault> {
        let per_element = self.per_element as u32;
        for (r, (register, &value)) in registers.iter().zip(self.plan.results()).enumerate() {
            let (start, granules) = self.place(self.plan.steps().len(), value)?;
            if granules != self.per_element
                || self.plan.is_word(value) && self.plan.elem_bits() < 32
            {
                return Err(Kind::Width {
                    step: self.plan.steps().len(),
                    what: "a result is not an element",
                }
                .into());
            }
            for g in 0..granules {
                let row = &self.names[start + g * self.threads..][..self.threads];
                let wrong = row.iter().zip(threads).position(|(name, thread)| {
                    *name != (register ^ thread) as u32 * per_element + g as u32
                });
                if let Some(t) = wrong {
                    let found = (row[t] != NOTHING).then(|| row[t] / per_element);
                    return Err(Kind::Wrong {
                        register: r,
                        lane: t as u32 & ((1 << self.lanes_log2) - 1),
                        warp: t as u32 >> self.lanes_log2,
                        found,
                        expected: (register ^ threads[t]) as u32,
                    }
                    .into());
                }
            }
            self.report.elements_checked += self.threads as u64;
        }
        Ok(())
    }

    fn step(&mut self, index: usize) -> Result<(), PlanFault> {
        let plan = self.plan;
        match plan.steps()[index] {
            Step::Pack { out, parts } => {
                let parts = plan.operands(parts);
                let mut rows = Vec::with_capacity(4);
                for &p in parts {
                    let (start, granules) = self.place(index, p)?;
                    rows.extend((0..granules).map(|g| start + g * self.threads));
                }
                let whole = if plan.elem_bits() == 64 {
                    self.per_element
                } else {
                    (4 / self.granule) as usize
                };
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
                if count as usize > granules {
                    return Err(Kind::Width {
                        step: index,
                        what: "more is unpacked than there is",
                    }
                    .into());
                }
                for k in 0..count as usize {
                    let to = self.define(first.plus(k as u32), 1);
                    let from = start + k * self.threads;
                    self.names.copy_within(from..from + self.threads, to);
                }
            }
            Step::Select {
                out,
                predicate,
                if_set,
                if_clear,
            } => {
                let predicate = plan.predicates()[predicate as usize];
                let (set, granules) = self.place(index, if_set)?;
                let (clear, other) = self.place(index, if_clear)?;
                if granules != other {
                    return Err(Kind::Width {
                        step: index,
                        what: "a select of two widths",
                    }
                    .into());
                }
                let start = self.define(out, granules);
                let (old, new) = self.names.split_at_mut(start);
                for g in 0..granules {
                    let row = g * self.threads;
                    let (a, b) = (
                        &old[set + row..][..self.threads],
                        &old[clear + row..][..self.threads],
                    );
                    for (t, name) in new[row..][..self.threads].iter_mut().enumerate() {
                        *name = if predicate.holds(t as u32) {
                            a[t]
                        } else {
                            b[t]
                        };
                    }
                }
                self.report.selects += self.warps();
            }
            Step::Permute {
                out,
                low,
                high,
                selector,
            } => {
                self.permute(index, out, (low, high), |_| selector)?;
            }
            Step::PermuteBy {
                out,
                low,
                high,
                predicate,
                if_set,
                if_clear,
            } => {
                let predicate = plan.predicates()[predicate as usize];
                self.permute(index, out, (low, high), |t| {
                    if predicate.holds(t) { if_set } else { if_clear }
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
                self.shuffle(index, out, value, |_, thread| map.apply(thread) ^ lane_xor)?;
            }
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
            Step::Store { address, values } => self.store(index, address, plan.operands(values))?,
            Step::Load {
                address,
                first,
                count,
                words,
            } => self.load(index, address, first, count, words)?,
            Step::Barrier(scope) => {
                self.memory.barrier(scope);
                if scope == BarrierScope::Block {
                    self.report.block_barriers += 1;
                } else {
                    self.report.warp_barriers += 1;
                }
            }
        }
        Ok(())
    }

    fn permute(
        &mut self,
        index: usize,
        out: ValueId,
        (low, high): (ValueId, ValueId),
        selector: impl Fn(u32) -> u16,
    ) -> Result<(), PlanFault> {
        let (a, granules) = self.place(index, low)?;
        let (b, other) = self.place(index, high)?;
        if granules * self.granule as usize != 4 || granules != other {
            return Err(Kind::Width {
                step: index,
                what: "a byte permute of something that is no word",
            }
            .into());
        }
        let start = self.define(out, granules);
        let bytes = self.granule as usize;
        for t in 0..self.threads {
            let selector = selector(t as u32);
            for g in 0..granules {
                let nibble = |byte: usize| usize::from(selector >> (4 * byte) & 7);
                let from = nibble(g * bytes);
                let whole = from.is_multiple_of(bytes)
                    && (0..bytes).all(|i| nibble(g * bytes + i) == from + i);
                if !whole {
                    return Err(Kind::Torn {
                        step: index,
                        selector,
                    }
                    .into());
                }
                let from = from / bytes;
                let row = if from < granules {
                    a + from * self.threads
                } else {
                    b + (from - granules) * self.threads
                };
                self.names[start + g * self.threads + t] = self.names[row + t];
            }
        }
        self.report.selects += self.warps();
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

    /// Checks the addresses of one access, for all threads.
    fn check_addresses(&self, step: usize, address: Address, bytes: u32) -> Result<(), PlanFault> {
        let scratch = self.plan.scratch_bytes();
        let byte = |base: u32| (base ^ address.xor).wrapping_add(address.add);
        let (mut all, mut most) = (0, 0);
        for &base in &self.bases[address.base as usize] {
            all |= byte(base);
            most = most.max(byte(base));
        }
        let fits = u64::from(most) + u64::from(bytes) <= u64::from(scratch);
        if fits && all & (bytes - 1) == 0 {
            return Ok(());
        }
        for (&base, thread) in self.bases[address.base as usize].iter().zip(0..) {
            let byte = byte(base);
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
        Ok(())
    }

    fn store(
        &mut self,
        step: usize,
        address: Address,
        values: &[ValueId],
    ) -> Result<(), PlanFault> {
        let mut rows = Vec::with_capacity(16);
        for &v in values {
            let (start, granules) = self.place(step, v)?;
            rows.extend((0..granules).map(|g| start + g * self.threads));
        }
        let bytes = rows.len() as u32 * self.granule;
        if !bytes.is_power_of_two() {
            return Err(Kind::Width {
                step,
                what: "an access that is no power of two of bytes",
            }
            .into());
        }
        self.check_addresses(step, address, bytes)?;
        let names = &self.names;
        for (t, &base) in self.bases[address.base as usize].iter().enumerate() {
            let first = (((base ^ address.xor) + address.add) >> self.granule_log2) as usize;
            let thread = t as u32;
            let row = rows.iter().map(|&r| names[r + t]);
            if let Err((cell, _)) = self
                .memory
                .store(first, thread, thread >> self.lanes_log2, row)
            {
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
        let (waves, phases) = self.wavefronts(address.base, bytes, Access::Store);
        let warps = self.warps();
        self.report.stores += warps;
        self.report.store_wavefronts += waves * warps;
        self.report.store_conflicts += (waves - phases) * warps;
        Ok(())
    }

    fn load(
        &mut self,
        step: usize,
        address: Address,
        first: ValueId,
        count: u32,
        words: bool,
    ) -> Result<(), PlanFault> {
        let granules = if words && self.plan.elem_bits() < 32 {
            (4 / self.granule) as usize
        } else if words {
            1
        } else {
            self.per_element
        };
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
        self.check_addresses(step, address, bytes)?;
        for (t, &base) in self.bases[address.base as usize].iter().enumerate() {
            let at = (((base ^ address.xor) + address.add) >> self.granule_log2) as usize;
            let thread = t as u32;
            for i in 0..total {
                match self.memory.load(at + i, thread, thread >> self.lanes_log2) {
                    Ok(name) => self.names[start + i * self.threads + t] = name,
                    Err(fault) => {
                        let byte = ((at + i) as u32) << self.granule_log2;
                        return Err(match fault {
                            CellFault::Race => Kind::Race {
                                step,
                                thread,
                                byte,
                                reading: true,
                            },
                            CellFault::Uninitialised => Kind::Uninitialised { step, thread, byte },
                        }
                        .into());
                    }
                }
            }
        }
        let (waves, phases) = self.wavefronts(address.base, bytes, Access::Load);
        let warps = self.warps();
        self.report.loads += warps;
        self.report.load_wavefronts += waves * warps;
        self.report.load_conflicts += (waves - phases) * warps;
        Ok(())
    }

    /// Wavefronts of one access by one warp, and its phases, counted bank by bank.
    ///
    /// A constant added by exclusive or to all addresses of a warp permutes the banks and changes no meeting, so
    /// the first warp without constants speaks for all accesses with this base.
    fn wavefronts(&mut self, base: u32, bytes: u32, access: Access) -> (u64, u64) {
        if let Some((_, known)) = self.waves.iter().find(|w| w.0 == (base, bytes, access)) {
            return *known;
        }
        let target = self.target;
        let phase_bits = target.phase_lane_bits(access, bytes);
        let (mut waves, mut phases) = (0, 0);
        for phase in (0..target.lanes).filter(|l| l & phase_bits == 0) {
            phases += 1;
            // The words touched, each once, by bank.
            let mut words: Vec<u32> = Vec::with_capacity(64);
            for lane in (0..target.lanes).filter(|l| l & !phase_bits == phase) {
                let byte = self.bases[base as usize][lane as usize];
                let first = byte / target.bank_bytes;
                words.extend(first..=(byte + bytes - 1) / target.bank_bytes);
            }
            words.sort_unstable();
            words.dedup();
            let mut per_bank = vec![0u64; target.banks as usize];
            for w in words {
                per_bank[(w % target.banks) as usize] += 1;
            }
            waves += per_bank.into_iter().max().unwrap_or(0);
        }
        self.waves.push(((base, bytes, access), (waves, phases)));
        (waves, phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PlanOptions, Strategy, plan_conversion};

    /// 32 x 32 elements on `1 << warps` warps: rows along lanes against columns along lanes.
    fn transposition(warps: usize) -> (LinearLayout, LinearLayout) {
        let out = Dim::out(0);
        let build = |lane: [u64; 5], rest: [u64; 5]| {
            let (warp, register) = rest.split_at(warps);
            let columns = |list: &[u64]| list.iter().map(|c| [*c]).collect::<Vec<_>>();
            let all = [columns(register), columns(&lane), columns(warp)];
            let refs: Vec<Vec<&[u64]>> = all
                .iter()
                .map(|l| l.iter().map(|c| &c[..]).collect())
                .collect();
            LinearLayout::from_bases(
                &[
                    (Dim::REGISTER, &refs[0][..]),
                    (Dim::LANE, &refs[1][..]),
                    (Dim::WARP, &refs[2][..]),
                ],
                &[out],
            )
            .unwrap()
        };
        let (low, high) = ([1, 2, 4, 8, 16], [32, 64, 128, 256, 512]);
        (build(low, high), build(high, low))
    }

    fn plan(
        warps: usize,
        bits: u32,
        strategy: Strategy,
    ) -> (ConvertPlan, LinearLayout, LinearLayout, &'static Target) {
        let target = Target::parse("cuda:90").unwrap();
        let (src, dst) = transposition(warps);
        let options = PlanOptions::new().with_strategy(strategy);
        let plan = plan_conversion(&src, &dst, bits, target, &options).unwrap();
        (plan, src, dst, target)
    }

    /// Both ways of watching memory give this verdict.
    #[track_caller]
    fn verdict(
        plan: &ConvertPlan,
        src: &LinearLayout,
        dst: &LinearLayout,
        target: &Target,
    ) -> Result<PlanReport, PlanFault> {
        let quick = check(plan, src, dst, target, false);
        let slow = check(plan, src, dst, target, true);
        assert_eq!(quick, slow, "{plan}");
        quick
    }

    #[test]
    fn counts_are_right() {
        let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
        let report = verdict(&plan, &src, &dst, target).unwrap();
        assert_eq!(report.elements_checked, 1024);
        assert_eq!((report.store_wavefronts, report.load_wavefronts), (32, 32));
        assert_eq!((report.conflicts(), report.block_barriers), (0, 1));
    }

    #[test]
    fn a_missing_barrier_is_a_race() {
        for (warps, bits) in [(0, 32), (2, 32), (2, 64), (1, 8)] {
            let (plan, src, dst, target) = plan(warps, bits, Strategy::Shared);
            verdict(&plan, &src, &dst, target).unwrap();
            let broken = plan.edited(|steps| steps.retain(|s| !matches!(s, Step::Barrier(_))));
            let fault = check_plan(&broken, &src, &dst, target).unwrap_err();
            assert!(fault.is_race(), "{fault}");
            assert!(fault.to_string().contains("reads byte"), "{fault}");
        }
        let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
        let weak = plan.edited(|steps| {
            for s in steps {
                if let Step::Barrier(scope) = s {
                    *scope = BarrierScope::Warp;
                }
            }
        });
        let fault = verdict(&weak, &src, &dst, target).unwrap_err();
        assert!(fault.is_race(), "{fault}");
    }

    #[test]
    fn a_missing_store_is_found() {
        let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
        let broken = plan.edited(|steps| {
            let at = steps
                .iter()
                .position(|s| matches!(s, Step::Store { .. }))
                .unwrap();
            steps.remove(at);
        });
        let fault = verdict(&broken, &src, &dst, target).unwrap_err();
        assert!(fault.is_uninitialised(), "{fault}");
    }

    #[test]
    fn a_wrong_address_is_found() {
        let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
        let edit = |change: fn(&mut Address)| {
            plan.edited(|steps| {
                if let Some(Step::Load { address, .. }) =
                    steps.iter_mut().find(|s| matches!(s, Step::Load { .. }))
                {
                    change(address);
                }
            })
        };
        let fault = verdict(&edit(|a| a.add += 1 << 20), &src, &dst, target).unwrap_err();
        assert!(fault.is_bad_address(), "{fault}");
        let fault = verdict(&edit(|a| a.xor ^= 1), &src, &dst, target).unwrap_err();
        assert!(
            fault.is_bad_address() && fault.to_string().contains("expected a multiple"),
            "{fault}"
        );
        let fault = verdict(&edit(|a| a.xor ^= 16), &src, &dst, target).unwrap_err();
        assert!(fault.is_wrong_element(), "{fault}");
        assert!(fault.to_string().contains("ends with element"), "{fault}");
    }

    #[test]
    fn every_shuffle_step_matters() {
        for bits in [8, 16, 32, 64] {
            let (plan, src, dst, target) = plan(0, bits, Strategy::Shuffle);
            verdict(&plan, &src, &dst, target).unwrap();
            let mut tried = 0;
            for at in 0..plan.steps().len() {
                let broken = plan.edited(|steps| match &mut steps[at] {
                    Step::ShuffleXor { lane_mask, .. } => *lane_mask ^= 1,
                    Step::Select {
                        if_set, if_clear, ..
                    } => core::mem::swap(if_set, if_clear),
                    _ => {}
                });
                if broken != plan {
                    tried += 1;
                    let fault = verdict(&broken, &src, &dst, target).unwrap_err();
                    assert!(fault.is_wrong_element(), "{fault}");
                }
            }
            assert!(tried > 40, "{plan}");
        }
    }

    #[test]
    fn another_layout_is_another_plan() {
        let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
        let fault = verdict(&plan, &src, &src, target).unwrap_err();
        assert!(fault.is_wrong_element(), "{fault}");
        let (small, _) = transposition(1);
        let fault = verdict(&plan, &small, &dst, target).unwrap_err();
        assert!(
            fault
                .to_string()
                .starts_with("the plan is not for these layouts: it has 8 source registers"),
            "{fault}"
        );
    }

    #[test]
    fn steps_out_of_order_are_found() {
        let (plan, src, dst, target) = plan(0, 32, Strategy::Shuffle);
        let broken = plan.edited(|steps| steps.reverse());
        let fault = verdict(&broken, &src, &dst, target).unwrap_err();
        assert!(
            fault.to_string().contains("which no step defined before"),
            "{fault}"
        );
    }
}
