//! Propagation of undefined values: poison, undefined bits, and results in flight.
//!
//! A register may hold poison (from a violated flag or an oversized shift), undefined bits (from `llvm.mlir.undef` or
//! an unwritten register), or no value because a masked load skipped the lane. A [`Mark`] records the kind, the causing
//! instruction, and the undefined bits. Marks propagate through arithmetic, block arguments, stack and shared memory,
//! and lane exchanges. It is an error to store a marked value to global memory, to branch on it, to use it as an
//! address or as the operand of an atomic, to print it, or to assume it.
//!
//! Poison covers a whole value: `and` of poison with zero is poison. Undefined bits are tracked one by one: `and` with
//! zero makes them defined.
//!
//! Shared memory and lane exchanges propagate marks because a layout conversion moves undefined and defined elements
//! together, and a later `select` may choose a defined element.
//!
//! A block without marks costs one comparison per instruction.

use super::{Exec, Field, Guard, Instruction, MemoryLocation, Regs};
use crate::bits::mask;
use crate::code::{Edge, Reg};
use crate::error::{FaultKind, KernelError, Site};
use crate::exec::program::Program;
use std::collections::HashMap;

/// The kind of an undefined value. The kinds are ordered from the most severe to the least severe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum MarkKind {
    Poison,
    Undef,
    /// The undefined value of a lane that a masked load skips, if the load has no fallback value (the operand
    /// `other` of `tt.load`).
    Unset,
    /// The result of the asynchronous matrix product with this index.
    InFlight(u32),
}

/// The undefined bits of a register, and their cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    kind: MarkKind,
    /// The instruction that caused the mark.
    origin: u32,
    /// The undefined bits, at least one. All 64 bits are set if the whole value is undefined.
    bits: u64,
}

/// The mask of a whole register, regardless of the width of its value.
pub(crate) const WHOLE: u64 = u64::MAX;

impl Mark {
    /// Returns this mark with `bits` as its undefined bits; `None` if `bits` is 0.
    fn on(self, bits: u64) -> Option<Self> {
        (bits != 0).then_some(Self { bits, ..self })
    }

    pub(crate) fn is_in_flight(self) -> bool {
        matches!(self.kind, MarkKind::InFlight(_))
    }

    /// Returns true if the whole value is poison. A bitwise operation with such an operand has a poison result.
    fn is_sticky(self) -> bool {
        self.kind == MarkKind::Poison && self.bits == WHOLE
    }
}

struct RegisterMarks {
    marked: u32,
    lanes: Box<[Option<Mark>]>,
    /// True if no instruction writes the register.
    is_constant: bool,
}

/// (Memory, byte offset). Memory 0 is the stack; memory `i + 1` is shared variable `i`.
type ByteAddress = (usize, usize);

/// The marks of undefined bits in the registers and the memory of a thread block. The structure is allocated when
/// the first mark is set.
pub(crate) struct Poison {
    columns: Vec<Option<RegisterMarks>>,
    /// Number of marked registers that are not constant.
    live: u32,
    cells: HashMap<ByteAddress, Mark>,
    found: HashMap<u32, String>,
    regs: Box<[Regs]>,
    /// For each instruction, true if it reads a constant register with undefined bits.
    readers: Box<[bool]>,
}

impl Poison {
    fn of(program: &Program) -> Self {
        let regs: Box<[Regs]> = program.ops.iter().map(|op| op.regs()).collect();
        let mut columns = Vec::new();
        columns.resize_with(program.num_regs as usize, || None);
        Self {
            columns,
            live: 0,
            cells: HashMap::new(),
            found: HashMap::new(),
            readers: vec![false; regs.len()].into(),
            regs,
        }
    }

    pub(super) fn clear(&mut self) {
        self.columns.fill_with(|| None);
        self.live = 0;
        self.cells.clear();
        self.readers.fill(false);
    }

    fn mark(&self, reg: Reg, lane: u32) -> Option<Mark> {
        let column = self.columns[reg.0 as usize].as_ref()?;
        column.lanes[lane as usize]
    }

    fn is_marked(&self, reg: Reg) -> bool {
        let column = self.columns[reg.0 as usize].as_ref();
        column.is_some_and(|column| column.marked > 0)
    }

    /// Returns true if the register is marked and not constant.
    fn is_live(&self, reg: Reg) -> bool {
        let column = self.columns[reg.0 as usize].as_ref();
        column.is_some_and(|column| column.marked > 0 && !column.is_constant)
    }

    fn set(&mut self, reg: Reg, lane: u32, mark: Option<Mark>, threads: u32) {
        let column = &mut self.columns[reg.0 as usize];
        if mark.is_none() && column.is_none() {
            return;
        }
        let column = column.get_or_insert_with(|| RegisterMarks {
            marked: 0,
            lanes: vec![None; threads as usize].into(),
            is_constant: false,
        });
        let old = std::mem::replace(&mut column.lanes[lane as usize], mark);
        let before = column.marked;
        column.marked = before + u32::from(mark.is_some()) - u32::from(old.is_some());
        if !column.is_constant {
            self.live = self.live + u32::from(column.marked > 0) - u32::from(before > 0);
        }
    }

    /// Clears the marks that matrix products with an index up to `last` have set on registers of `lanes`.
    fn clear_in_flight(&mut self, lanes: &[u32], last: u32, threads: u32) {
        for number in 0..self.columns.len() {
            let reg = Reg(number as u32);
            if !self.is_live(reg) {
                continue;
            }
            for &lane in lanes {
                let mark = self.mark(reg, lane);
                if mark.is_some_and(
                    |mark| matches!(mark.kind, MarkKind::InFlight(number) if number <= last),
                ) {
                    self.set(reg, lane, None, threads);
                }
            }
        }
    }

    /// Records that no instruction writes the marked register `reg`.
    fn set_constant(&mut self, reg: Reg) {
        if let Some(column) = &mut self.columns[reg.0 as usize]
            && !column.is_constant
        {
            column.is_constant = true;
            self.live -= u32::from(column.marked > 0);
            for (reader, regs) in self.readers.iter_mut().zip(&self.regs) {
                *reader |= regs.reads.contains(&reg);
            }
        }
    }
}

/// The effect of undefined operands on the results in one lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PoisonEffect {
    /// The use of an operand with this mark is a fault.
    Error(Mark),
    /// All results get this mark; `None` if they are defined.
    Results(Option<Mark>),
    /// Each result gets its own mark, in the order of the results.
    Each(Vec<Option<Mark>>),
    /// The lane is inactive: results keep their values and marks.
    Untouched,
}

pub(crate) struct Marks<'e> {
    exec: &'e Exec<'e>,
    poison: &'e Poison,
    lane: u32,
    reads: &'e [Reg],
}

impl Marks<'_> {
    pub(crate) fn mark(&self, reg: Reg) -> Option<Mark> {
        self.poison.mark(reg, self.lane)
    }

    pub(crate) fn bits(&self, reg: Reg) -> u64 {
        self.mark(reg).map_or(0, |mark| mark.bits)
    }

    /// Finds the most severe mark of `regs`, and returns it with all bits set as undefined. Returns `None` if none
    /// of `regs` is marked.
    pub(crate) fn of(&self, regs: &[Reg]) -> Option<Mark> {
        self.part(regs, WHOLE)
    }

    /// Finds the most severe mark of `regs`, and returns it with `bits` as its undefined bits. Returns `None` if
    /// none of `regs` is marked, or if `bits` is 0.
    pub(crate) fn part(&self, regs: &[Reg], bits: u64) -> Option<Mark> {
        let marks = regs.iter().filter_map(|&reg| self.mark(reg));
        marks.min_by_key(|mark| mark.kind)?.on(bits)
    }

    /// Returns the mark of the result of a bitwise operation on `regs`. The result has `width` bits, and its
    /// undefined bits are `bits`. If the whole value of an operand is poison, the whole result is poison.
    pub(crate) fn bitwise(&self, regs: &[Reg], width: u32, bits: u64) -> Option<Mark> {
        let sticky = regs.iter().filter_map(|&reg| self.mark(reg));
        match sticky.into_iter().find(|mark| mark.is_sticky()) {
            Some(mark) => Some(mark),
            None => self.part(regs, whole_if_all(bits, width)),
        }
    }

    /// Finds the most severe mark of all operands, and returns it with all bits set as undefined. Returns `None` if
    /// no operand is marked.
    pub(crate) fn of_reads(&self) -> Option<Mark> {
        self.of(self.reads)
    }

    pub(crate) fn require_defined(&self) -> PoisonEffect {
        self.of_reads()
            .map_or(PoisonEffect::Results(None), PoisonEffect::Error)
    }

    pub(crate) fn require_defined_in(&self, regs: &[Reg]) -> PoisonEffect {
        self.of(regs)
            .map_or(PoisonEffect::Results(None), PoisonEffect::Error)
    }

    /// Returns the effect of undefined operands on a guarded instruction. If the guard is defined and false, the
    /// lane is untouched; otherwise any undefined operand is a fault.
    pub(crate) fn guarded(&self, guard: Option<Guard>) -> PoisonEffect {
        match guard.filter(|guard| self.mark(guard.reg).is_none()) {
            Some(_) if !self.exec.is_on(guard, self.lane) => PoisonEffect::Untouched,
            _ => self.require_defined(),
        }
    }

    /// Returns the effect of a lane exchange. Marks of the registers `moved` move with their values; all other operands
    /// must be defined.
    pub(crate) fn exchanged(&self, moved: &[Reg]) -> PoisonEffect {
        let others = self.reads.iter().filter(|reg| !moved.contains(reg));
        let bad = others.filter_map(|reg| self.mark(*reg)).next();
        bad.map_or(PoisonEffect::Results(None), PoisonEffect::Error)
    }

    /// Returns the mark of a field that is stored to global memory; `None` if the stored bits are defined.
    pub(crate) fn stored(&self, field: &Field) -> Option<Mark> {
        let mark = self.mark(field.reg)?;
        let width = 8 * u32::from(field.bytes);
        (mark.bits & mask(width) != 0).then_some(mark)
    }

    pub(crate) fn get(&self, reg: Reg) -> u64 {
        self.exec.get(reg, self.lane)
    }
}

/// Returns the lowest `width` bits of `bits`, or [`WHOLE`] if they are all set.
pub(crate) fn whole_if_all(bits: u64, width: u32) -> u64 {
    if bits & mask(width) == mask(width) {
        WHOLE
    } else {
        bits & mask(width)
    }
}

impl Exec<'_> {
    /// Marks a register as poison. Has no effect if the whole value is already poison. `text` returns the error
    /// message.
    pub(crate) fn poison(&mut self, reg: Reg, lane: u32, text: impl FnOnce() -> String) {
        let known = self.poison.as_ref().and_then(|p| p.mark(reg, lane));
        if known.is_none_or(|mark| !mark.is_sticky()) {
            self.mark(reg, lane, MarkKind::Poison, text);
        }
    }

    pub(crate) fn mark_constant(&mut self, reg: Reg, kind: MarkKind, text: &str) {
        for at in 0..self.lanes.len() {
            self.mark(reg, self.lanes[at], kind, || text.to_owned());
        }
        if let Some(poison) = &mut self.poison {
            poison.set_constant(reg);
        }
    }

    pub(super) fn clear_in_flight(&mut self, lanes: &[u32], last: u32) {
        let threads = self.num_threads;
        if let Some(poison) = &mut self.poison {
            poison.clear_in_flight(lanes, last, threads);
        }
    }

    pub(super) fn mark(
        &mut self,
        reg: Reg,
        lane: u32,
        kind: MarkKind,
        text: impl FnOnce() -> String,
    ) {
        let (origin, threads, program) = (self.op, self.num_threads, self.program);
        let idle = &mut self.idle_poison;
        let fresh = || idle.take().unwrap_or_else(|| Box::new(Poison::of(program)));
        let poison = self.poison.get_or_insert_with(fresh);
        let bits = WHOLE;
        let mark = Some(Mark { kind, origin, bits });
        poison.set(reg, lane, mark, threads);
        poison.found.entry(origin).or_insert_with(text);
    }

    /// Propagates marks through `op` before `op` executes. Returns an error if `op` uses an undefined value.
    pub(super) fn propagate_marks(&mut self, op: &dyn Instruction) -> Result<(), KernelError> {
        let Some(poison) = &self.poison else {
            return Ok(());
        };
        let is_reader = poison.readers[self.op as usize];
        let regs = &poison.regs[self.op as usize];
        let mut regs = regs.reads.iter().chain(&regs.writes);
        let is_concerned = poison.live > 0 && regs.any(|&reg| poison.is_live(reg))
            || is_reader && !op.ignores_constants(self);
        let Some(mut poison) = self.poison.take_if(|_| is_concerned) else {
            return Ok(());
        };
        let done = self.propagate_op_marks(&mut poison, op);
        self.poison = Some(poison);
        done
    }

    fn propagate_op_marks(
        &mut self,
        poison: &mut Poison,
        op: &dyn Instruction,
    ) -> Result<(), KernelError> {
        let regs = poison.regs[self.op as usize].clone();
        let moved = op.moved();
        let is_exchange = moved.reads.iter().any(|&reg| poison.is_marked(reg));
        let threads = self.num_threads;
        let mut results = Vec::new();
        let sums = op.product().writes;
        for &lane in &self.lanes {
            let sources = regs.reads.iter().filter(|reg| !sums.contains(reg));
            let mut marks = sources.filter_map(|&reg| poison.mark(reg, lane));
            if let Some(mark) = marks.find(|mark| mark.is_in_flight() && !op.renames()) {
                return Err(self.poisoned(poison, mark, lane, self.program.site(self.op)));
            }
            let marks = Marks {
                exec: self,
                poison,
                lane,
                reads: &regs.reads,
            };
            match op.poison(&marks) {
                PoisonEffect::Error(mark) => {
                    return Err(self.poisoned(poison, mark, lane, self.program.site(self.op)));
                }
                PoisonEffect::Results(mark) => {
                    results.extend(regs.writes.iter().map(|&r| (r, lane, mark)));
                }
                PoisonEffect::Each(marks) => {
                    let pairs = regs.writes.iter().zip(marks);
                    results.extend(pairs.map(|(&reg, mark)| (reg, lane, mark)));
                }
                PoisonEffect::Untouched => {}
            }
        }
        for (reg, lane, mark) in results {
            poison.set(reg, lane, mark, threads);
        }
        if is_exchange {
            self.exchange_marks(poison, op, &regs.writes, &moved)?;
        }
        Ok(())
    }

    /// Executes a lane exchange on the undefined bits of the moved registers, to obtain the marks of the results.
    fn exchange_marks(
        &mut self,
        poison: &mut Poison,
        op: &dyn Instruction,
        writes: &[Reg],
        moved: &Regs,
    ) -> Result<(), KernelError> {
        let any = moved.reads.iter().find_map(|&reg| {
            let column = poison.columns[reg.0 as usize].as_ref()?;
            column.lanes.iter().flatten().next().copied()
        });
        let Some(mark) = any else { return Ok(()) };
        let touched: Vec<Reg> = moved.reads.iter().chain(writes).copied().collect();
        let values: Vec<Box<[u64]>> = touched
            .iter()
            .map(|reg| self.regs[reg.0 as usize].clone())
            .collect();
        for &reg in &moved.reads {
            for lane in 0..self.num_threads {
                let bits = poison.mark(reg, lane).map_or(0, |mark| mark.bits);
                self.set(reg, lane, bits);
            }
        }
        let shuffles = self.report.shuffles;
        let done = op.step(self);
        self.report.shuffles = shuffles;
        for at in 0..self.lanes.len() {
            let lane = self.lanes[at];
            for &reg in &moved.writes {
                let bits = self.get(reg, lane);
                poison.set(reg, lane, mark.on(bits), self.num_threads);
            }
        }
        for (reg, values) in touched.into_iter().zip(values) {
            self.regs[reg.0 as usize] = values;
        }
        done
    }

    /// Returns an error if the lowest `bits` bits of the branch condition `reg` have an undefined bit. `site` is the
    /// branch.
    pub(super) fn branches_on(&self, reg: Reg, bits: u32, site: u32) -> Result<(), KernelError> {
        let Some(poison) = &self.poison else {
            return Ok(());
        };
        let found = self.lanes.iter().find_map(|&lane| {
            let mark = poison.mark(reg, lane)?;
            (mark.bits & mask(bits) != 0).then_some((lane, mark))
        });
        match found {
            Some((lane, mark)) => {
                let site = &self.program.sites[site as usize];
                Err(self.poisoned(poison, mark, lane, site))
            }
            None => Ok(()),
        }
    }

    pub(super) fn propagate_edge_marks(&mut self, edge: &Edge, lanes: &[u32]) {
        let threads = self.num_threads;
        let Some(poison) = &mut self.poison else {
            return;
        };
        let params = &self.program.blocks[edge.target.0 as usize].params;
        let pairs = params.iter().copied().zip(edge.args.iter().copied());
        let concerned: Vec<(Reg, Reg)> = pairs
            .filter(|&(param, arg)| poison.is_marked(param) || poison.is_marked(arg))
            .collect();
        for &lane in lanes {
            let marks = concerned.iter().map(|&(_, arg)| poison.mark(arg, lane));
            let marks: Vec<Option<Mark>> = marks.collect();
            for (&(param, _), mark) in concerned.iter().zip(marks) {
                poison.set(param, lane, mark, threads);
            }
        }
    }

    /// Returns true if an access that stores the registers `stored` may have to copy marks. This is the case if any
    /// byte in the memory of the block has a mark, or if one of these registers has a mark. For a load, `stored` is
    /// empty.
    pub(super) fn carries_marks(&self, stored: impl IntoIterator<Item = Reg>) -> bool {
        self.poison.as_ref().is_some_and(|poison| {
            let is_marked = |reg| poison.is_marked(reg);
            !poison.cells.is_empty() || stored.into_iter().any(is_marked)
        })
    }

    /// Copies the marks of `bytes` bytes of memory to a register. The lowest bit of the first byte corresponds to
    /// bit `shift` of the register.
    pub(super) fn load_marks(
        &mut self,
        lane: u32,
        (location, offset): (MemoryLocation, u32),
        bytes: u32,
        (reg, shift): (Reg, u32),
    ) {
        let threads = self.num_threads;
        let Some(poison) = &mut self.poison else {
            return;
        };
        // A register is loaded in parts, lowest first.
        let below = poison.mark(reg, lane).filter(|_| shift > 0);
        let mut mark = below.and_then(|mark| mark.on(mark.bits & mask(shift)));
        for index in 0..bytes {
            let found = cell(location, offset + index).and_then(|cell| poison.cells.get(&cell));
            if let Some(found) = found {
                let bits = found.bits << (8 * index + shift);
                let known = mark.unwrap_or(*found);
                let bits = bits | mark.map_or(0, |mark| mark.bits);
                mark = Mark {
                    kind: known.kind.min(found.kind),
                    ..known
                }
                .on(bits);
            }
        }
        let width = shift + 8 * bytes;
        let mark = mark.and_then(|mark| mark.on(whole_if_all(mark.bits, width)));
        poison.set(reg, lane, mark, threads);
    }

    /// Copies the marks of undefined bits from a register to the `bytes` bytes of memory in which it is stored. Bit
    /// `shift` of the register corresponds to the lowest bit of the first byte.
    pub(super) fn store_marks(
        &mut self,
        lane: u32,
        (location, offset): (MemoryLocation, u32),
        bytes: u32,
        (reg, shift): (Reg, u32),
    ) {
        let Some(poison) = &mut self.poison else {
            return;
        };
        let mark = poison.mark(reg, lane);
        for index in 0..bytes {
            let Some(cell) = cell(location, offset + index) else {
                return;
            };
            let byte = mark.and_then(|mark| mark.on(mark.bits >> (8 * index + shift) & 0xff));
            match byte {
                Some(mark) => poison.cells.insert(cell, mark),
                None => poison.cells.remove(&cell),
            };
        }
    }

    /// Returns an error if any of the `bytes` bytes at `location`, which `lane` uses, contains undefined bits.
    pub(super) fn check_defined_memory(
        &self,
        lane: u32,
        location: MemoryLocation,
        bytes: u32,
    ) -> Result<(), KernelError> {
        let Some(poison) = self.poison.as_ref().filter(|p| !p.cells.is_empty()) else {
            return Ok(());
        };
        let mut cells = (0..bytes).filter_map(|index| cell(location, index));
        match cells.find_map(|cell| poison.cells.get(&cell)) {
            Some(&mark) => Err(self.poisoned(poison, mark, lane, self.program.site(self.op))),
            None => Ok(()),
        }
    }

    #[cold]
    fn poisoned(&self, poison: &Poison, mark: Mark, lane: u32, user: &Site) -> KernelError {
        if mark.is_in_flight() {
            let text = "use of a register that a matrix product in flight writes";
            let site = self.program.site(mark.origin);
            return KernelError::new(FaultKind::InFlight, text)
                .at(user.clone())
                .by(self.thread_id(lane))
                .note(format!("the product is {site}"))
                .note("wait for the product with `wgmma.wait_group` first");
        }
        let text = poison.found.get(&mark.origin).cloned().unwrap_or_default();
        KernelError::new(FaultKind::Poison, text)
            .at(self.program.site(mark.origin).clone())
            .by(self.thread_id(lane))
            .note(format!("the value is used by {user}"))
    }
}

/// Returns the key of the byte at `location + offset`; `None` for global memory, which has no marks.
fn cell(location: MemoryLocation, offset: u32) -> Option<ByteAddress> {
    match location {
        MemoryLocation::Global { .. } => None,
        MemoryLocation::Shared { var, at, .. } => Some((var + 1, at + offset as usize)),
        MemoryLocation::Local { at } => Some((0, at + offset as usize)),
    }
}
