//! Flags that promise something of a value (`nuw`, `disjoint`, `range`, ...), and what becomes of broken promises.
//!
//! A value whose flag does not hold is poison: computing with it gives more poison, and that is allowed, as where a
//! lane that is masked off computes an address that nobody uses. It is an error to store it, to branch on it, to
//! access memory through it, or to hand it to other lanes.

use super::Exec;
use crate::machine::kernel::error::{FaultKind, KernelError};
use crate::machine::kernel::eval::{mask, signed};
use crate::machine::kernel::memory::{self, SHARED_SYMBOL_LOG2, SHARED_WINDOW};
use crate::machine::kernel::op::{Claim, Edge, IntOp, Op, Reg, Space};
use std::collections::HashMap;

/// The poison of a block; made when the first promise is broken.
#[derive(Default)]
pub(super) struct Poison {
    /// Per register and lane: the instruction whose promise was broken, plus one.
    marks: HashMap<Reg, Box<[u32]>>,
    /// What each such instruction found first.
    found: HashMap<u32, String>,
}

impl Poison {
    fn mark(&self, reg: Reg, lane: u32) -> u32 {
        self.marks.get(&reg).map_or(0, |marks| marks[lane as usize])
    }

    fn set(&mut self, reg: Reg, lane: u32, mark: u32, threads: u32) {
        if mark == 0 {
            if let Some(marks) = self.marks.get_mut(&reg) {
                marks[lane as usize] = 0;
            }
            return;
        }
        let fresh = || vec![0; threads as usize].into_boxed_slice();
        self.marks.entry(reg).or_insert_with(fresh)[lane as usize] = mark;
    }
}

impl Exec<'_> {
    /// Checks a promise in all active lanes.
    pub(super) fn claim(&mut self, claim: &Claim, value: Reg, a: Reg, b: Reg) {
        for at in 0..self.lanes.len() {
            let lane = self.lanes[at];
            let (v, a, b) = (self.get(value, lane), self.get(a, lane), self.get(b, lane));
            let broken = match *claim {
                Claim::Inside(space) => self.leaves(space, a, v),
                _ => broken(claim, v, a, b),
            };
            let Some(text) = broken else {
                continue;
            };
            let (op, threads) = (self.op, self.num_threads);
            let poison = self.poison.get_or_insert_default();
            poison.set(value, lane, op + 1, threads);
            poison.found.entry(op).or_insert(text);
        }
    }

    /// Whether a step from `base` to `address` leaves the object that it begins in.
    fn leaves(&self, space: Space, base: u64, address: u64) -> Option<String> {
        if base == address {
            return None;
        }
        let object = |address: u64| -> Option<(usize, i64, usize)> {
            let shared =
                space == Space::Shared || (space == Space::Generic && address & SHARED_WINDOW != 0);
            if shared {
                let offset = address & 0xffff_ffff;
                let var = (offset >> SHARED_SYMBOL_LOG2) as usize;
                let at = (offset & ((1 << SHARED_SYMBOL_LOG2) - 1)) as i64;
                return Some((var, at, self.shared.get(var)?.bytes.len()));
            }
            let place = memory::locate(address, self.memory.buffers.len(), self.symbols.len())?;
            Some((
                place.buffer,
                place.offset,
                self.buffer(place.buffer).bytes.len(),
            ))
        };
        let inside = |found: (usize, i64, usize)| {
            usize::try_from(found.1).is_ok_and(|offset| offset <= found.2)
        };
        if matches!(space, Space::Local) {
            return None;
        }
        let holds = match (object(base), object(address)) {
            (Some(from), Some(to)) => from.0 == to.0 && inside(from) && inside(to),
            _ => false,
        };
        (!holds).then(|| {
            format!("`inbounds` does not hold: from {base:#x} to {address:#x} leaves the buffer")
        })
    }

    /// Moves poison along with the values, and reports where it does harm; `op` is about to run.
    pub(super) fn spread(&mut self, op: &Op) -> Result<(), KernelError> {
        let Some(mut poison) = self.poison.take() else {
            return Ok(());
        };
        let done = self.spread_op(&mut poison, op);
        self.poison = Some(poison);
        done
    }

    fn spread_op(&self, poison: &mut Poison, op: &Op) -> Result<(), KernelError> {
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        op.for_each_reg(|reg, write| if write { &mut writes } else { &mut reads }.push(reg));
        for &lane in &self.lanes {
            let first = |regs: &[Reg]| {
                regs.iter()
                    .map(|&reg| poison.mark(reg, lane))
                    .find(|mark| *mark != 0)
            };
            let (harm, mark) = match op {
                Op::Claim { .. } => continue,
                Op::Load(access) | Op::Store(access) => {
                    let guard = access.guard;
                    let off = guard.is_some_and(|g| (self.get(g.reg, lane) & 1 == 1) == g.negated);
                    let condition = guard.and_then(|g| first(&[g.reg]));
                    if off && condition.is_none() {
                        continue;
                    }
                    (condition.or_else(|| first(&reads)), None)
                }
                Op::Int {
                    op: IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem,
                    b,
                    ..
                } => (first(&[*b]), first(&reads)),
                Op::BufferLoad(_)
                | Op::BufferStore(_)
                | Op::Atomic { .. }
                | Op::CompareExchange { .. }
                | Op::BarrierReduce { .. }
                | Op::WarpBarrier { .. }
                | Op::Shuffle { .. }
                | Op::Vote { .. }
                | Op::Reduce { .. }
                | Op::Elect { .. }
                | Op::Wave { .. }
                | Op::WaveSwap { .. }
                | Op::LoadMatrix { .. }
                | Op::StoreMatrix { .. } => (first(&reads), None),
                Op::Select { cond, a, b, .. } => {
                    let chosen = if self.get(*cond, lane) & 1 == 1 { a } else { b };
                    (None, first(&[*cond, *chosen]))
                }
                _ => (None, first(&reads)),
            };
            if let Some(mark) = harm {
                return Err(self.poisoned(poison, mark, lane, self.program.site(self.op)));
            }
            for &reg in &writes {
                poison.set(reg, lane, mark.unwrap_or(0), self.num_threads);
            }
        }
        Ok(())
    }

    /// Reports a branch on poison; `site` is the terminator's.
    pub(super) fn branches_on(&self, reg: Reg, site: u32) -> Result<(), KernelError> {
        let Some(poison) = &self.poison else {
            return Ok(());
        };
        let bad = self.lanes.iter().find(|&&lane| poison.mark(reg, lane) != 0);
        match bad {
            Some(&lane) => {
                let site = &self.program.sites[site as usize];
                Err(self.poisoned(poison, poison.mark(reg, lane), lane, site))
            }
            None => Ok(()),
        }
    }

    /// Hands poison to a block's parameters.
    pub(super) fn spread_edge(&mut self, edge: &Edge, lanes: &[u32]) {
        let threads = self.num_threads;
        let Some(poison) = &mut self.poison else {
            return;
        };
        let params = &self.program.blocks[edge.target.0 as usize].params;
        for &lane in lanes {
            let marks: Vec<u32> = edge
                .args
                .iter()
                .map(|&arg| poison.mark(arg, lane))
                .collect();
            for (&param, mark) in params.iter().zip(marks) {
                poison.set(param, lane, mark, threads);
            }
        }
    }

    #[cold]
    fn poisoned(
        &self,
        poison: &Poison,
        mark: u32,
        lane: u32,
        user: &crate::machine::kernel::error::Site,
    ) -> KernelError {
        let origin = mark - 1;
        let text = poison.found.get(&origin).cloned().unwrap_or_default();
        KernelError::new(FaultKind::Poison, text)
            .at(self.program.site(origin).clone())
            .by(self.place(lane))
            .note(format!("the value is used by {user}"))
    }
}

/// What is wrong, if the promise is broken.
fn broken(claim: &Claim, value: u64, a: u64, b: u64) -> Option<String> {
    match *claim {
        Claim::Disjoint => {
            (a & b != 0).then(|| format!("`or disjoint` of overlapping bits: {a:#x} and {b:#x}"))
        }
        Claim::NoSignedWrap(op, bits) => {
            let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
            let exact = match op {
                IntOp::Add => x + y,
                IntOp::Sub => x - y,
                IntOp::Mul => x * y,
                _ if b >= u64::from(bits) => return None,
                _ => x << b,
            };
            (exact != i128::from(signed(value, bits)))
                .then(|| format!("`nsw` does not hold: {exact} does not fit i{bits}"))
        }
        Claim::NoUnsignedWrap(op, bits) => {
            let (x, y) = (i128::from(a), i128::from(b));
            let exact = match op {
                IntOp::Add => x + y,
                IntOp::Sub => x - y,
                // The product of two 64-bit numbers may need the sign's bit too.
                IntOp::Mul => i128::try_from(u128::from(a) * u128::from(b)).unwrap_or(i128::MAX),
                _ if b >= u64::from(bits) => return None,
                _ => x << b,
            };
            (exact != i128::from(value))
                .then(|| format!("`nuw` does not hold: {exact} does not fit {bits} bits"))
        }
        Claim::Exact(op, bits) => {
            let rest = match op {
                IntOp::LShr | IntOp::AShr if b >= u64::from(bits) => return None,
                IntOp::LShr | IntOp::AShr => a & mask(b as u32),
                IntOp::UDiv => a.checked_rem(b)?,
                _ => signed(a, bits).checked_rem(signed(b, bits))? as u64,
            };
            (rest != 0).then(|| format!("`exact` does not hold: {a:#x} by {b} leaves a remainder"))
        }
        Claim::NonNegative(bits) => (signed(a, bits) < 0)
            .then(|| format!("`nneg` does not hold: {} is negative", signed(a, bits))),
        Claim::FitsUnsigned(bits) => (a & !mask(bits) != 0)
            .then(|| format!("`nuw` does not hold: {a:#x} does not fit {bits} bits")),
        Claim::FitsSigned { from, to } => (signed(a, from) != signed(a, to)).then(|| {
            format!(
                "`nsw` does not hold: {} does not fit i{to}",
                signed(a, from)
            )
        }),
        Claim::Range { bits, low, high } => {
            let m = mask(bits);
            let inside = value.wrapping_sub(low) & m < high.wrapping_sub(low) & m;
            (!inside).then(|| {
                let (v, low, high) = (signed(value, bits), signed(low, bits), signed(high, bits));
                format!("`range` does not hold: {v} is not in {low} to {high}")
            })
        }
        Claim::NotBelow => {
            (value < a).then(|| format!("`nuw` does not hold: {value:#x} lies below {a:#x}"))
        }
        Claim::Inside(_) => None,
    }
}
