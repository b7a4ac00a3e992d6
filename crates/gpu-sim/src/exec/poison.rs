//! Values that LLVM does not define, and the uses of them that are errors.
//!
//! A register may hold poison (a flag that does not hold, a shift too far), undefined bits (`llvm.mlir.undef`, a register
//! that nothing wrote), or the value of a lane that a masked load skipped. Each is a [`Mark`]: its kind, the instruction it
//! comes from, and which bits of the register it covers. Marks follow values through arithmetic, block arguments, stack and
//! shared memory and exchanges between lanes. It is an error to store one to global memory, to branch on it, to use it as an address
//! or as the operand of an atomic, to print it, and to assume it.
//!
//! Poison is a property of a whole value: `and` with zero stays poison. Undefined bits are tracked one by one: `and` with
//! zero defines them.
//!
//! Shared memory and exchanges carry marks like any value: a layout conversion moves undefined elements together with the
//! others, and a `select` behind it may choose a defined one.
//!
//! Blocks without a mark pay one comparison for each instruction.

use super::{Exec, Field, Guard, Instruction, Place, Regs};
use crate::bits::mask;
use crate::code::{Edge, Reg};
use crate::error::{FaultKind, KernelError, Site};
use crate::exec::program::Program;
use std::collections::HashMap;

/// Why a value is not defined. A later one gives way to an earlier one where both meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// LLVM's poison.
    Poison,
    /// Bits that hold anything.
    Undef,
    /// The value of a lane that a masked load without `other` skipped.
    Unset,
    /// The result of an asynchronous matrix product that its warp has not waited for, by number.
    InFlight(u32),
}

/// Bits of a register that are not defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    kind: Kind,
    /// The instruction that it comes from.
    origin: u32,
    /// Never 0; all 64 bits where it covers the whole value.
    bits: u64,
}

/// All bits of a register, whatever the width of its value.
pub(crate) const WHOLE: u64 = u64::MAX;

impl Mark {
    /// The same origin, for other bits; none where no bit is left.
    fn on(self, bits: u64) -> Option<Self> {
        (bits != 0).then_some(Self { bits, ..self })
    }

    /// Returns true for the result of a matrix product in flight.
    pub(crate) fn is_in_flight(self) -> bool {
        matches!(self.kind, Kind::InFlight(_))
    }

    /// Poison of a whole value, which no operation takes away.
    fn is_sticky(self) -> bool {
        self.kind == Kind::Poison && self.bits == WHOLE
    }
}

/// The marks of one register.
struct Column {
    /// How many lanes have one.
    marked: u32,
    lanes: Box<[Option<Mark>]>,
    /// Nothing writes the register.
    is_constant: bool,
}

/// A byte of memory that may hold undefined bits: 0 and an offset into the stack, or the number of a shared variable plus
/// one and an offset into it.
type Cell = (usize, usize);

/// The marks of a block; exists from the first one on.
pub(crate) struct Poison {
    columns: Vec<Option<Column>>,
    /// Registers that instructions write and that have a mark in some lane.
    live: u32,
    cells: HashMap<Cell, Mark>,
    /// The text that each origin gave first.
    found: HashMap<u32, String>,
    /// The registers of each instruction.
    regs: Box<[Regs]>,
    /// The instructions that read a marked register which nothing writes.
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

    /// Forgets the marks of a block.
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

    /// Returns true if an instruction has left a mark in the register.
    fn is_live(&self, reg: Reg) -> bool {
        let column = self.columns[reg.0 as usize].as_ref();
        column.is_some_and(|column| column.marked > 0 && !column.is_constant)
    }

    fn set(&mut self, reg: Reg, lane: u32, mark: Option<Mark>, threads: u32) {
        let column = &mut self.columns[reg.0 as usize];
        if mark.is_none() && column.is_none() {
            return;
        }
        let column = column.get_or_insert_with(|| Column {
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

    /// Takes the marks of results of products up to a number away.
    fn land(&mut self, lanes: &[u32], last: u32, threads: u32) {
        for number in 0..self.columns.len() {
            let reg = Reg(number as u32);
            if !self.is_live(reg) {
                continue;
            }
            for &lane in lanes {
                let mark = self.mark(reg, lane);
                if mark.is_some_and(
                    |mark| matches!(mark.kind, Kind::InFlight(number) if number <= last),
                ) {
                    self.set(reg, lane, None, threads);
                }
            }
        }
    }

    /// Notes that nothing writes a marked register.
    fn fix(&mut self, reg: Reg) {
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

/// The consequence of marks among the registers that one lane reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is an error.
    Harm(Mark),
    /// All results have this mark, or none.
    Results(Option<Mark>),
    /// The results have these marks, in their order.
    Each(Vec<Option<Mark>>),
    /// The lane takes no part: results stay what they are.
    Untouched,
}

/// The marks of the registers that one lane reads.
pub(crate) struct Marks<'e> {
    exec: &'e Exec<'e>,
    poison: &'e Poison,
    lane: u32,
    reads: &'e [Reg],
}

impl Marks<'_> {
    /// The mark of a register.
    pub(crate) fn mark(&self, reg: Reg) -> Option<Mark> {
        self.poison.mark(reg, self.lane)
    }

    /// The undefined bits of a register.
    pub(crate) fn bits(&self, reg: Reg) -> u64 {
        self.mark(reg).map_or(0, |mark| mark.bits)
    }

    /// The most severe mark among these registers, for a whole value.
    pub(crate) fn of(&self, regs: &[Reg]) -> Option<Mark> {
        self.part(regs, WHOLE)
    }

    /// The most severe mark among these registers, for some bits of a result.
    pub(crate) fn part(&self, regs: &[Reg], bits: u64) -> Option<Mark> {
        let marks = regs.iter().filter_map(|&reg| self.mark(reg));
        marks.min_by_key(|mark| mark.kind)?.on(bits)
    }

    /// The mark of a result of `width` bits of which `bits` are undefined; poison of a whole operand stays.
    pub(crate) fn bitwise(&self, regs: &[Reg], width: u32, bits: u64) -> Option<Mark> {
        let sticky = regs.iter().filter_map(|&reg| self.mark(reg));
        match sticky.into_iter().find(|mark| mark.is_sticky()) {
            Some(mark) => Some(mark),
            None => self.part(regs, whole_if_all(bits, width)),
        }
    }

    /// The most severe mark among all registers that the instruction reads.
    pub(crate) fn of_reads(&self) -> Option<Mark> {
        self.of(self.reads)
    }

    /// The fate of an instruction whose operands must all be defined.
    pub(crate) fn harm(&self) -> Fate {
        self.of_reads().map_or(Fate::Results(None), Fate::Harm)
    }

    /// The fate of an instruction that must know these registers and does nothing else with marks.
    pub(crate) fn harm_of(&self, regs: &[Reg]) -> Fate {
        self.of(regs).map_or(Fate::Results(None), Fate::Harm)
    }

    /// The fate of an instruction under a guard whose operands must all be defined.
    pub(crate) fn guarded(&self, guard: Option<Guard>) -> Fate {
        match guard.filter(|guard| self.mark(guard.reg).is_none()) {
            Some(_) if !self.exec.is_on(guard, self.lane) => Fate::Untouched,
            _ => self.harm(),
        }
    }

    /// The fate of an exchange between lanes: `moved` goes along, the other registers must be defined.
    pub(crate) fn exchanged(&self, moved: &[Reg]) -> Fate {
        let others = self.reads.iter().filter(|reg| !moved.contains(reg));
        let bad = others.filter_map(|reg| self.mark(*reg)).next();
        bad.map_or(Fate::Results(None), Fate::Harm)
    }

    /// The mark of a field whose store to global memory is an error.
    pub(crate) fn stored(&self, field: &Field) -> Option<Mark> {
        let mark = self.mark(field.reg)?;
        let width = 8 * u32::from(field.bytes);
        (mark.bits & mask(width) != 0).then_some(mark)
    }

    /// The value of a register.
    pub(crate) fn get(&self, reg: Reg) -> u64 {
        self.exec.get(reg, self.lane)
    }
}

/// The bits, or all of a register where they are all of a value.
pub(crate) fn whole_if_all(bits: u64, width: u32) -> u64 {
    if bits & mask(width) == mask(width) {
        WHOLE
    } else {
        bits & mask(width)
    }
}

impl Exec<'_> {
    /// Marks a register as poison, where it is not yet; `text` says why.
    pub(crate) fn poison(&mut self, reg: Reg, lane: u32, text: impl FnOnce() -> String) {
        let known = self.poison.as_ref().and_then(|p| p.mark(reg, lane));
        if known.is_none_or(|mark| !mark.is_sticky()) {
            self.mark(reg, lane, Kind::Poison, text);
        }
    }

    /// Marks registers that nothing writes, in all active lanes.
    pub(crate) fn mark_constant(&mut self, reg: Reg, kind: Kind, text: &str) {
        for at in 0..self.lanes.len() {
            self.mark(reg, self.lanes[at], kind, || text.to_owned());
        }
        if let Some(poison) = &mut self.poison {
            poison.fix(reg);
        }
    }

    /// Products up to a number are complete in some lanes.
    pub(super) fn land(&mut self, lanes: &[u32], last: u32) {
        let threads = self.num_threads;
        if let Some(poison) = &mut self.poison {
            poison.land(lanes, last, threads);
        }
    }

    pub(super) fn mark(&mut self, reg: Reg, lane: u32, kind: Kind, text: impl FnOnce() -> String) {
        let (origin, threads, program) = (self.op, self.num_threads, self.program);
        let idle = &mut self.idle_poison;
        let fresh = || idle.take().unwrap_or_else(|| Box::new(Poison::of(program)));
        let poison = self.poison.get_or_insert_with(fresh);
        let bits = WHOLE;
        let mark = Some(Mark { kind, origin, bits });
        poison.set(reg, lane, mark, threads);
        poison.found.entry(origin).or_insert_with(text);
    }

    /// Moves marks along with the values, and reports where they do harm; `op` is about to run.
    pub(super) fn spread(&mut self, op: &dyn Instruction) -> Result<(), KernelError> {
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
        let done = self.spread_op(&mut poison, op);
        self.poison = Some(poison);
        done
    }

    fn spread_op(&mut self, poison: &mut Poison, op: &dyn Instruction) -> Result<(), KernelError> {
        let regs = poison.regs[self.op as usize].clone();
        let moved = op.moved();
        let is_exchange = moved.reads.iter().any(|&reg| poison.is_marked(reg));
        let threads = self.num_threads;
        let mut results = Vec::new();
        let sums = op.product().writes;
        for &lane in &self.lanes {
            let sources = regs.reads.iter().filter(|reg| !sums.contains(reg));
            let mut marks = sources.filter_map(|&reg| poison.mark(reg, lane));
            if let Some(mark) = marks.find(|mark| mark.is_in_flight()) {
                return Err(self.poisoned(poison, mark, lane, self.program.site(self.op)));
            }
            let marks = Marks {
                exec: self,
                poison,
                lane,
                reads: &regs.reads,
            };
            match op.poison(&marks) {
                Fate::Harm(mark) => {
                    return Err(self.poisoned(poison, mark, lane, self.program.site(self.op)));
                }
                Fate::Results(mark) => results.extend(regs.writes.iter().map(|&r| (r, lane, mark))),
                Fate::Each(marks) => {
                    let pairs = regs.writes.iter().zip(marks);
                    results.extend(pairs.map(|(&reg, mark)| (reg, lane, mark)));
                }
                Fate::Untouched => {}
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

    /// Carries an exchange out on the undefined bits of the registers that it moves, in place of their values.
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

    /// Reports a branch on an undefined value of `bits` bits; `site` is the terminator's.
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

    /// Gives a block's parameters the marks of their values.
    pub(super) fn spread_edge(&mut self, edge: &Edge, lanes: &[u32]) {
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

    /// Returns true if an access to memory has to look at marks: bytes that hold some, or registers to be stored.
    pub(super) fn carries_marks(&self, stored: impl IntoIterator<Item = Reg>) -> bool {
        self.poison.as_ref().is_some_and(|poison| {
            let is_marked = |reg| poison.is_marked(reg);
            !poison.cells.is_empty() || stored.into_iter().any(is_marked)
        })
    }

    /// Takes the marks of `bytes` bytes of memory over into a register, from bit `shift` on.
    pub(super) fn load_marks(
        &mut self,
        lane: u32,
        (place, offset): (Place, u32),
        bytes: u32,
        (reg, shift): (Reg, u32),
    ) {
        let threads = self.num_threads;
        let Some(poison) = &mut self.poison else {
            return;
        };
        // Of a register that is loaded in parts, the parts below are done.
        let below = poison.mark(reg, lane).filter(|_| shift > 0);
        let mut mark = below.and_then(|mark| mark.on(mark.bits & mask(shift)));
        for index in 0..bytes {
            let found = cell(place, offset + index).and_then(|cell| poison.cells.get(&cell));
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

    /// Takes the marks of a register, from bit `shift` on, over into `bytes` bytes of memory.
    pub(super) fn store_marks(
        &mut self,
        lane: u32,
        (place, offset): (Place, u32),
        bytes: u32,
        (reg, shift): (Reg, u32),
    ) {
        let Some(poison) = &mut self.poison else {
            return;
        };
        let mark = poison.mark(reg, lane);
        for index in 0..bytes {
            let Some(cell) = cell(place, offset + index) else {
                return;
            };
            let byte = mark.and_then(|mark| mark.on(mark.bits >> (8 * index + shift) & 0xff));
            match byte {
                Some(mark) => poison.cells.insert(cell, mark),
                None => poison.cells.remove(&cell),
            };
        }
    }

    /// Reports undefined bits in memory that `lane` is about to use.
    pub(super) fn uses_memory(
        &self,
        lane: u32,
        place: Place,
        bytes: u32,
    ) -> Result<(), KernelError> {
        let Some(poison) = self.poison.as_ref().filter(|p| !p.cells.is_empty()) else {
            return Ok(());
        };
        let mut cells = (0..bytes).filter_map(|index| cell(place, index));
        match cells.find_map(|cell| poison.cells.get(&cell)) {
            Some(&mark) => Err(self.poisoned(poison, mark, lane, self.program.site(self.op))),
            None => Ok(()),
        }
    }

    #[cold]
    fn poisoned(&self, poison: &Poison, mark: Mark, lane: u32, user: &Site) -> KernelError {
        if mark.is_in_flight() {
            let text = "use of a register that a matrix product in flight still writes";
            let site = self.program.site(mark.origin);
            return KernelError::new(FaultKind::InFlight, text)
                .at(user.clone())
                .by(self.place(lane))
                .note(format!("the product is {site}"))
                .note("its warp has not waited for it: `wgmma.wait_group`");
        }
        let text = poison.found.get(&mark.origin).cloned().unwrap_or_default();
        KernelError::new(FaultKind::Poison, text)
            .at(self.program.site(mark.origin).clone())
            .by(self.place(lane))
            .note(format!("the value is used by {user}"))
    }
}

/// The byte at a place, where its bits may be undefined.
fn cell(place: Place, offset: u32) -> Option<Cell> {
    match place {
        Place::Global { .. } => None,
        Place::Shared { var, at, .. } => Some((var + 1, at + offset as usize)),
        Place::Local { at } => Some((0, at + offset as usize)),
    }
}
