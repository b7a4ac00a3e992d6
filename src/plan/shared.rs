//! Conversions through swizzled shared memory: stores, a barrier, loads.
//!
//! [`swizzle`](super::swizzle) says where each element lies; this module turns that into accesses. Both sides become
//! linear maps from the hardware position to an offset: the thread's part is computed once at run time, the
//! register's part is a constant of each access.

use super::build::{Builder, wavefronts};
use super::error::{Kind, PlanError};
use super::gf2::{apply, echelon, independent, intersection};
use super::sides::{Side, Sides};
use super::step::{Address, ConvertPlan, PlanKind, ValueId};
use super::swizzle::{Choice, Favour, Swizzle, log2_floor, swizzle};
use super::{Cost, PlanOptions};
use crate::f2::Echelon;
use crate::target::{Access, Target};

/// How one side goes through memory: its registers as a basis of offsets, and the accesses this takes.
#[derive(Clone, Debug)]
struct Accesses {
    /// Offsets (in elements) of thread bits.
    thread: Vec<u64>,
    /// Elements of one access, log2.
    vector_log2: u32,
    /// Offset and register mask of each basis vector: vector bits, then the others, then repetitions.
    basis: Vec<(u64, u64)>,
    /// Wavefronts of one access.
    waves: u32,
}

/// Expresses a side in offsets, with the widest accesses that cause no extra wavefronts.
///
/// Answers `None` when a repetition bit is not the register's alone.
fn accesses(
    side: &Side,
    sides: &Sides,
    swizzle: &Swizzle,
    container_bits: u32,
    access: Access,
    target: &Target,
) -> Option<Accesses> {
    let e = echelon(&swizzle.basis);
    let offset = |c: u64| e.solve(c);
    let thread: Vec<u64> = side
        .thread
        .iter()
        .map(|&c| offset(c))
        .collect::<Option<_>>()?;
    let registers: Vec<u64> = side.reg.iter().map(|&c| offset(c)).collect::<Option<_>>()?;
    let bits = swizzle.basis.len() as u32;
    let rep_mask = ((1u64 << swizzle.reps_log2) - 1) << (bits - swizzle.reps_log2);
    if thread.iter().any(|c| c & rep_mask != 0) {
        return None;
    }
    let held = echelon(&registers);
    let bytes = container_bits / 8;
    let widest = log2_floor(target.max_shared_vector_bits / container_bits);
    // Bits below the vector must be the registers' alone, or the access is not aligned.
    let run = (0..widest.min(bits - swizzle.reps_log2))
        .take_while(|&v| held.contains(1 << v) && thread.iter().all(|c| c >> v & 1 == 0))
        .count() as u32;
    let lane_bytes: Vec<u32> = thread[..sides.lanes_log2 as usize]
        .iter()
        .map(|&c| c as u32 * bytes)
        .collect();
    // Fewest wavefronts per element, then without conflicts, then fewest accesses.
    let (vector_log2, (waves, _)) = (0..=run)
        .map(|v| (v, wavefronts(&lane_bytes, bytes << v, access, target)))
        .min_by_key(|&(v, (w, phases))| (w << (run - v), w > phases, run - v))?;
    let vector_mask = (1u64 << vector_log2) - 1;
    let mut basis: Vec<(u64, u64)> = Vec::new();
    let add = |basis: &mut Vec<(u64, u64)>, unit: u64| -> Option<()> {
        basis.push((unit, held.solve(unit)?));
        Some(())
    };
    for v in 0..vector_log2 {
        add(&mut basis, 1 << v)?;
    }
    let mut reps = Vec::new();
    for r in bits - swizzle.reps_log2..bits {
        add(&mut reps, 1 << r)?;
    }
    // The others, in register order, reduced so that they have no vector and no repetition bits.
    let mut others = Echelon::new();
    for &c in &registers {
        let unit = c & !vector_mask & !rep_mask;
        if unit != 0 && others.insert(basis.len(), unit).is_none() {
            basis.push((unit, held.solve(unit)?));
        }
    }
    basis.extend(reps);
    Some(Accesses {
        thread,
        vector_log2,
        basis,
        waves,
    })
}

/// One way through shared memory.
#[derive(Clone, Debug)]
pub(super) struct Route {
    swizzle: Swizzle,
    store: Accesses,
    load: Accesses,
    bytes: u32,
}

impl Accesses {
    /// How many accesses each thread makes.
    fn count(&self) -> u32 {
        1 << (self.basis.len() as u32 - self.vector_log2)
    }

    /// Load-store and arithmetic time of all accesses of one warp.
    fn time(&self, target: &Target) -> (u32, u32) {
        let costs = &target.costs;
        let possible = self.thread.iter().fold(0, |a, c| a | c);
        let constants = self.basis[self.vector_log2 as usize..]
            .iter()
            .map(|(o, _)| o & possible);
        // Each constant that overlaps the thread's bits is joined once.
        let joins = (1u32 << independent(constants).len()) - 1;
        (
            self.count() * self.waves * costs.wavefront,
            self.count() * costs.access + joins * costs.select,
        )
    }

    /// Says whether every wavefront is full, as far as the phases of the target allow.
    fn is_at_floor(&self, bytes: u32, access: Access, target: &Target) -> bool {
        let bytes = bytes << self.vector_log2;
        let phases = target.lanes >> target.phase_lane_bits(access, bytes).count_ones();
        self.waves == phases && bytes >= target.bank_bytes
    }

    /// Offset and register mask of a combination of basis vectors from `start` on.
    fn at(&self, start: usize, x: usize) -> (u32, u64) {
        let chosen = self.basis[start..]
            .iter()
            .enumerate()
            .filter(|(i, _)| x >> i & 1 == 1);
        let (offset, mask) = chosen.fold((0, 0), |a, (_, c)| (a.0 ^ c.0, a.1 ^ c.1));
        (offset as u32, mask)
    }
}

impl Route {
    /// The cheapest of a few swizzles, or `None` where so many repetitions are not possible.
    pub(super) fn best(
        sides: &Sides,
        container_bits: u32,
        reps_log2: u32,
        target: &Target,
    ) -> Option<Self> {
        let bytes = container_bits / 8;
        let widest = target.max_shared_vector_bits;
        let choices = [
            (widest, Favour::Auto),
            (widest, Favour::Source),
            (widest, Favour::Destination),
            (widest / 2, Favour::Auto),
            (widest / 4, Favour::Auto),
        ];
        let mut best: Option<(u32, Self)> = None;
        for (max_vector_bits, favour) in choices {
            let max_vector_bits = max_vector_bits.max(container_bits);
            let choice = Choice {
                max_vector_bits,
                favour,
                reps_log2,
            };
            let Some(swizzle) = swizzle(sides, container_bits, choice, target) else {
                continue;
            };
            if best.as_ref().is_some_and(|b| b.1.swizzle == swizzle) {
                continue;
            }
            let side = |s, access| accesses(s, sides, &swizzle, container_bits, access, target);
            let Some(store) = side(&sides.src, Access::Store) else {
                continue;
            };
            let Some(load) = side(&sides.dst, Access::Load) else {
                continue;
            };
            let route = Self {
                swizzle,
                store,
                load,
                bytes,
            };
            let (load_store, arithmetic) = route.time(target);
            let cost = Cost {
                load_store,
                arithmetic,
                waiting: 0,
            }
            .total();
            // Where both sides are as wide and as fast as can be, nothing else is better.
            let done = best.is_none()
                && max_vector_bits == container_bits << route.store.vector_log2
                && route.store.vector_log2 == route.load.vector_log2
                && route.store.is_at_floor(bytes, Access::Store, target)
                && route.load.is_at_floor(bytes, Access::Load, target);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, route));
            }
            if done {
                break;
            }
        }
        best.map(|b| b.1)
    }

    /// Bytes of shared memory of one repetition.
    pub(super) fn scratch_bytes(&self) -> u32 {
        self.bytes << (self.swizzle.basis.len() as u32 - self.swizzle.reps_log2)
    }

    /// Load-store and arithmetic time of one warp, all repetitions.
    pub(super) fn time(&self, target: &Target) -> (u32, u32) {
        let (a, b) = (self.store.time(target), self.load.time(target));
        (a.0 + b.0, a.1 + b.1)
    }

    fn address(&self, b: &mut Builder, side: &Accesses, offset: u32, buffer: u32) -> Address {
        let columns: Vec<u32> = side.thread.iter().map(|&c| c as u32 * self.bytes).collect();
        let possible = columns.iter().fold(0, |x, c| x | c);
        let offset = offset * self.bytes;
        Address {
            base: b.address_base(columns),
            xor: offset & possible,
            add: (offset & !possible) + buffer,
        }
    }

    /// Stores one repetition; `source` gives the value of a source register.
    pub(super) fn store(
        &self,
        b: &mut Builder,
        rep: usize,
        buffer: u32,
        source: impl Fn(u64) -> ValueId,
    ) {
        let a = &self.store;
        let v = a.vector_log2 as usize;
        let reps = a.basis.len() - self.swizzle.reps_log2 as usize;
        let (_, rep_mask) = a.at(reps, rep);
        let base = self.address(b, a, 0, buffer);
        let possible = b.possible_bits(base.base);
        let mut values = Vec::with_capacity(1 << v);
        for x in 0..1usize << (reps - v) {
            let (offset, mask) = a.at(v, x);
            values.clear();
            values.extend((0..1usize << v).map(|i| source(mask ^ rep_mask ^ a.at(0, i).1)));
            let offset = offset * self.bytes;
            let address = Address {
                xor: offset & possible,
                add: (offset & !possible) + buffer,
                ..base
            };
            b.store(address, &values);
        }
    }

    /// Loads one repetition; the values come in the order of [`Route::place`].
    pub(super) fn load(&self, b: &mut Builder, buffer: u32, loaded: &mut Vec<ValueId>) {
        let a = &self.load;
        let v = a.vector_log2 as usize;
        let reps = a.basis.len() - self.swizzle.reps_log2 as usize;
        let base = self.address(b, a, 0, buffer);
        let possible = b.possible_bits(base.base);
        for x in 0..1usize << (reps - v) {
            let offset = a.at(v, x).0 * self.bytes;
            let address = Address {
                xor: offset & possible,
                add: (offset & !possible) + buffer,
                ..base
            };
            let first = b.load(address, 1 << v, false);
            loaded.extend((0..1 << v).map(|i| first.plus(i)));
        }
    }

    /// For each destination register bit: its part in the number of a loaded value, over all repetitions.
    pub(super) fn place(&self, side: &Side) -> Vec<u64> {
        let offsets = echelon(&self.swizzle.basis);
        let coordinates = echelon(self.load.basis.iter().map(|(o, _)| o));
        let number = |c: u64| coordinates.solve(offsets.solve(c)?);
        side.reg.iter().map(|&c| number(c).unwrap_or(0)).collect()
    }

    /// Notes the widths in the plan's reason.
    pub(super) fn explain(&self, plan: &mut ConvertPlan) {
        plan.reason.store_bytes = self.bytes << self.store.vector_log2;
        plan.reason.load_bytes = self.bytes << self.load.vector_log2;
        plan.reason.repetitions = 1 << self.swizzle.reps_log2;
    }
}

/// The best plan through shared memory.
///
/// # Errors
/// The scratch buffer would be larger than the limit, however it is cut.
pub(super) fn plan_shared(
    sides: &Sides,
    elem_bits: u32,
    options: &PlanOptions,
    target: &Target,
) -> Result<ConvertPlan, PlanError> {
    let container_bits = elem_bits.max(8);
    let limit = options
        .scratch_limit
        .unwrap_or(u32::MAX)
        .min(target.max_shared_bytes);
    let needed = (u64::from(container_bits) / 8) << sides.bits;
    let reps_log2 = (0..sides.bits)
        .find(|r| needed >> r <= u64::from(limit))
        .unwrap_or(sides.bits);
    let Some(route) = Route::best(sides, container_bits, reps_log2, target) else {
        // The least that cutting into repetitions can reach.
        let common = intersection(&sides.src.reg, &sides.dst.reg).len() as u32;
        let needed = if reps_log2 > common {
            needed >> common
        } else {
            needed
        };
        return Err(Kind::Scratch {
            needed,
            limit,
            target: target.name,
        }
        .into());
    };
    let mut b = Builder::new(sides, elem_bits);
    let scope = sides.barrier_scope();
    let mut loaded: Vec<ValueId> = Vec::new();
    for rep in 0..1usize << reps_log2 {
        if rep > 0 {
            b.barrier(scope);
        }
        route.store(&mut b, rep, 0, |register| ValueId(register as u32));
        b.barrier(scope);
        route.load(&mut b, 0, &mut loaded);
    }
    let columns = route.place(&sides.dst);
    let results = (0..1u64 << columns.len())
        .map(|r| loaded[apply(&columns, r) as usize])
        .collect();
    let mut plan = b.finish(PlanKind::Shared, results, route.scratch_bytes(), target);
    route.explain(&mut plan);
    Ok(plan)
}
