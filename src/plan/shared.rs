//! Conversions through swizzled shared memory.
//!
//! # The idea
//! Shared memory is a vector space too: bit `i` of an element's offset is some combination of the tensor's
//! coordinates. A *swizzle* is a basis of the tensor, read as: offset bit `i` steps along basis vector `i`.
//!
//! ```text
//! offset bits   | vector | bank              | segment (row)                | repetitions |
//! must hold     | registers of both sides    | nothing that lanes served    | registers   |
//! vectors that  | (stores and loads vectorise) together have in common with | of both     |
//! ```
//! Two lanes of one phase meet in a bank exactly when their difference lies in span(vector, segment) but not in
//! span(vector), so no conflicts on either side means: the segment meets neither side's phase lanes. Two
//! subspaces of the same dimension always have a common complement: take what lies in neither, then the sums
//! `a ^ b` of vectors that only one side has. What remains after that is unavoidable.
//!
//! # Source
//! Triton's `GenericSwizzling.cpp` (`optimalSwizzlingLdSt`), stated on subspaces instead of sets of unit
//! vectors, with the phases of each target and the vector width of each side chosen by its wavefronts.

use super::PlanOptions;
use super::build::{Builder, wavefronts};
use super::error::{Kind, PlanError};
use super::gf2::{apply, apply_u32, complement, echelon, extending, independent, intersection};
use super::sides::{Side, Sides};
use super::step::{Address, BarrierScope, ConvertPlan, PlanKind, ValueId};
use crate::f2::Echelon;
use crate::target::{Access, Target};

/// A swizzle: which combination of tensor coordinates each offset bit steps along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swizzle {
    /// Basis vector of each offset bit, lowest first.
    pub(crate) basis: Vec<u64>,
    /// How many of the top bits number the repetitions.
    pub(crate) reps_log2: u32,
}

/// What can be chosen about a swizzle.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// The most bits of a vector that both sides share.
    max_vector_bits: u32,
    /// Which side's registers come first among the bank bits; that side can vectorise further.
    favour: Favour,
    reps_log2: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Favour {
    /// As the reference does.
    Auto,
    Source,
    Destination,
}

const fn log2_floor(x: u32) -> u32 {
    if x == 0 { 0 } else { x.ilog2() }
}

/// The lanes served together on one side, as columns.
fn phase_lanes(
    side: &Side,
    lanes_log2: u32,
    access: Access,
    bytes: u32,
    target: &Target,
) -> Vec<u64> {
    let bits = target.phase_lane_bits(access, bytes);
    side.lane(lanes_log2)
        .iter()
        .enumerate()
        .filter(|(i, c)| bits >> i & 1 == 1 && **c != 0)
        .map(|(_, c)| *c)
        .collect()
}

/// The vector that both sides share, at least one word long where that is possible.
///
/// Returns the basis and whether the source's registers filled a word.
fn shared_vector(
    sides: &Sides,
    container_bits: u32,
    max_bits: u32,
    favour: Favour,
) -> (Vec<u64>, bool) {
    let (src, dst) = (&sides.src, &sides.dst);
    let warps = |s: &Side| {
        s.warp(sides.lanes_log2)
            .iter()
            .copied()
            .filter(|&c| c != 0)
            .collect::<Vec<_>>()
    };
    let mut v = intersection(&src.reg, &dst.reg);
    v.truncate(log2_floor(max_bits / container_bits) as usize);
    let is_short = |v: &Vec<u64>| (container_bits << v.len()) < 32;
    if !is_short(&v) {
        return (v, false);
    }
    // Below a word, two lanes would share a bank: let registers of one side and warps of the other fill it.
    let (src_warps, dst_warps) = (warps(src), warps(dst));
    let rest = |reg: &[u64], v: &[u64]| extending(v, reg.iter().copied());
    let from_src = intersection(&rest(&src.reg, &v), &dst_warps);
    let from_dst = intersection(&rest(&dst.reg, &v), &src_warps);
    let src_fills = if from_src.len() == from_dst.len() {
        from_src.iter().min() <= from_dst.iter().min()
    } else {
        from_src.len() > from_dst.len()
    };
    let fills = if src_fills { from_src } else { from_dst };
    let filled = !fills.is_empty() && src_fills;
    for c in extending(&v, fills) {
        if is_short(&v) {
            v.push(c);
        }
    }
    let both = intersection(&src_warps, &dst_warps);
    let alternating = (0..src_warps.len().max(dst_warps.len()))
        .flat_map(|i| [src_warps.get(i), dst_warps.get(i)])
        .flatten()
        .copied();
    for c in extending(&v, both.into_iter().chain(alternating)) {
        if is_short(&v) {
            v.push(c);
        }
    }
    // What is left of a word comes from the registers of one side, then from anywhere.
    let (first, second) = match favour {
        Favour::Destination => (&dst.reg, &src.reg),
        _ => (&src.reg, &dst.reg),
    };
    let anything = (0..sides.bits).map(|b| 1u64 << b);
    for c in extending(&v, first.iter().chain(second).copied().chain(anything)) {
        if is_short(&v) {
            v.push(c);
        }
    }
    (v, filled)
}

/// Vectors outside both spans as far as possible: the segment.
///
/// First unit vectors outside both, then sums of one vector of each, then (conflicts on one side) the others.
fn common_complement(a: &[u64], b: &[u64], bits: u32, len: usize) -> Vec<u64> {
    let (a, b) = (
        independent(a.iter().copied()),
        independent(b.iter().copied()),
    );
    let mut both = a.clone();
    both.extend(extending(&a, b.iter().copied()));
    let mut segment = complement(&both, bits);
    segment.truncate(len);
    if segment.len() == len {
        return segment;
    }
    let common = intersection(&a, &b);
    let mut only_a = extending(&common, a.iter().copied());
    let mut only_b = extending(&common, b.iter().copied());
    if only_a.len() > only_b.len() {
        core::mem::swap(&mut only_a, &mut only_b);
    }
    only_a.sort_unstable();
    only_b.sort_unstable();
    let conflicts = len
        .saturating_sub(only_a.len() + segment.len())
        .min(only_a.len());
    segment.extend(
        only_a
            .iter()
            .zip(&only_b)
            .skip(conflicts)
            .map(|(x, y)| x ^ y),
    );
    // Bigger than the smaller side: the rest of the larger one conflicts on that side only.
    segment.extend(&only_b[only_a.len()..]);
    segment.extend(&only_a[..conflicts]);
    segment.extend(&only_b[..conflicts]);
    segment.truncate(len);
    segment
}

/// Chooses the offset bits.
fn swizzle(sides: &Sides, container_bits: u32, choice: Choice, target: &Target) -> Option<Swizzle> {
    let (src, dst, lanes) = (&sides.src, &sides.dst, sides.lanes_log2);
    let (vector, src_filled) =
        shared_vector(sides, container_bits, choice.max_vector_bits, choice.favour);
    let vector_bytes = (container_bits << vector.len()) / 8;
    let reps = {
        let common = intersection(&src.reg, &dst.reg);
        let mut reps = extending(&vector, common);
        if reps.len() < choice.reps_log2 as usize {
            return None;
        }
        // The last ones: consecutive registers stay together.
        reps.drain(..reps.len() - choice.reps_log2 as usize);
        reps
    };
    let total = sides.bits - choice.reps_log2;
    let bank_len =
        log2_floor(target.wavefront_bytes() * 8 / (container_bits << vector.len()).max(1));
    let bank_len = bank_len.min(total - vector.len() as u32);
    let segment_len = (total - bank_len) as usize - vector.len();
    let tile = |side: &Side, access| {
        let mut t = vector.clone();
        t.extend(&reps);
        t.extend(phase_lanes(side, lanes, access, vector_bytes, target));
        t
    };
    let (src_tile, dst_tile) = (tile(src, Access::Store), tile(dst, Access::Load));
    let segment = common_complement(&src_tile, &dst_tile, sides.bits, segment_len);
    let mut low = vector.clone();
    low.extend(&segment);
    low.extend(&reps);
    let low = independent(low);
    if low.len() < vector.len() + segment.len() + reps.len() {
        return None;
    }
    let mut bank = complement(&low, sides.bits);
    let in_regs = |side: &Side, c: u64| echelon(&side.reg).contains(c);
    let favour = match choice.favour {
        Favour::Auto if src_filled => Favour::Source,
        Favour::Auto => {
            let count = |side: &Side| bank.iter().filter(|c| in_regs(side, **c)).count();
            if count(src) > count(dst) {
                Favour::Source
            } else {
                Favour::Destination
            }
        }
        favour => favour,
    };
    let side = if favour == Favour::Source { src } else { dst };
    let (mut first, rest): (Vec<u64>, Vec<u64>) = bank.iter().partition(|c| in_regs(side, **c));
    first.extend(rest);
    bank = first;
    let mut basis = vector;
    basis.extend(bank);
    basis.extend(segment);
    basis.extend(reps);
    debug_assert_eq!(basis.len(), sides.bits as usize);
    Some(Swizzle {
        basis,
        reps_log2: choice.reps_log2,
    })
}

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
    // Time per element: wavefronts first, then the number of accesses.
    let (vector_log2, waves) = (0..=run)
        .map(|v| (v, wavefronts_at(&lane_bytes, v, bytes, access, target)))
        .min_by_key(|&(v, w)| {
            (
                (w * target.costs.wavefront + target.costs.access) << (run - v),
                run - v,
            )
        })?;
    let vector_mask = (1u64 << vector_log2) - 1;
    let mut basis: Vec<(u64, u64)> = Vec::new();
    let mut chosen = Echelon::new();
    let mut add = |basis: &mut Vec<(u64, u64)>, unit: u64| -> Option<()> {
        let mask = held.solve(unit)?;
        chosen.insert(basis.len(), unit);
        basis.push((unit, mask));
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

/// Wavefronts of an access of `2^v` elements.
fn wavefronts_at(lane_bytes: &[u32], v: u32, bytes: u32, access: Access, target: &Target) -> u32 {
    let size = bytes << v;
    wavefronts(lane_bytes, size, access, target).0
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
    let mut best: Option<(u32, Swizzle, Accesses, Accesses)> = None;
    let widest = target.max_shared_vector_bits;
    let choices = [
        (widest, Favour::Auto),
        (widest, Favour::Source),
        (widest, Favour::Destination),
        (widest / 2, Favour::Auto),
        (widest / 4, Favour::Auto),
    ];
    for (i, (max_vector_bits, favour)) in choices.into_iter().enumerate() {
        let choice = Choice {
            max_vector_bits: max_vector_bits.max(container_bits),
            favour,
            reps_log2,
        };
        let Some(swizzle) = swizzle(sides, container_bits, choice, target) else {
            continue;
        };
        if best.as_ref().is_some_and(|b| b.1 == swizzle) {
            continue;
        }
        let side = |s, access| accesses(s, sides, &swizzle, container_bits, access, target);
        let (Some(store), Some(load)) = (
            side(&sides.src, Access::Store),
            side(&sides.dst, Access::Load),
        ) else {
            continue;
        };
        let count = |a: &Accesses| 1u32 << (a.basis.len() as u32 - a.vector_log2);
        let time = |a: &Accesses| {
            count(a).saturating_mul(a.waves * target.costs.wavefront + target.costs.access)
        };
        let cost = time(&store).saturating_add(time(&load));
        if best.as_ref().is_none_or(|b| cost < b.0) {
            best = Some((cost, swizzle, store, load));
        }
        // The first choice is the reference's; where it reaches the floor, others can only tie.
        let floor = |a: &Accesses, access| {
            let bytes = (container_bits / 8) << a.vector_log2;
            a.waves == target.lanes >> target.phase_lane_bits(access, bytes).count_ones()
                && bytes >= 4
        };
        if i == 0
            && best
                .as_ref()
                .is_some_and(|b| floor(&b.2, Access::Store) && floor(&b.3, Access::Load))
        {
            break;
        }
    }
    let Some((_, swizzle, store, load)) = best else {
        return Err(Kind::Scratch {
            needed: smallest(sides, needed),
            limit,
            target: target.name,
        }
        .into());
    };
    Ok(emit(sides, elem_bits, &swizzle, &store, &load, target))
}

/// The least scratch that cutting into repetitions can reach.
fn smallest(sides: &Sides, needed: u64) -> u64 {
    needed >> intersection(&sides.src.reg, &sides.dst.reg).len().min(63)
}

fn emit(
    sides: &Sides,
    elem_bits: u32,
    swizzle: &Swizzle,
    store: &Accesses,
    load: &Accesses,
    target: &Target,
) -> ConvertPlan {
    let mut b = Builder::new(sides, elem_bits);
    let bytes = b.container_bits() / 8;
    let bits = swizzle.basis.len() as u32;
    let reps = swizzle.reps_log2;
    let base = |b: &mut Builder, a: &Accesses| {
        let columns: Vec<u32> = a.thread.iter().map(|&c| c as u32 * bytes).collect();
        let possible = columns.iter().fold(0, |x, c| x | c);
        (b.address_base(columns), possible)
    };
    let (store_base, store_bits) = base(&mut b, store);
    let (load_base, load_bits) = base(&mut b, load);
    let address = |base: u32, possible: u32, offset: u32| Address {
        base,
        xor: offset & possible,
        add: offset & !possible,
    };
    let split = |a: &Accesses| {
        let v = a.vector_log2 as usize;
        let top = a.basis.len() - reps as usize;
        (
            a.basis[..v].to_vec(),
            a.basis[v..top].to_vec(),
            a.basis[top..].to_vec(),
        )
    };
    let (store_vector, store_rest, store_reps) = split(store);
    let (_, load_rest, load_reps) = split(load);
    let rep_mask = ((1u64 << reps) - 1) << (bits - reps);
    // Warps that hold the same data write the same places: with several rounds, a late one would spoil the next.
    let duplicated = reps > 0 && {
        let warps = sides.src.warp(sides.lanes_log2);
        independent(warps.iter().copied()).len() < warps.len()
    };
    let scope = if sides.stays_in_warp() && !duplicated {
        BarrierScope::Warp
    } else {
        BarrierScope::Block
    };
    let mut loaded: Vec<ValueId> = Vec::new();
    let xor_of = |basis: &[(u64, u64)], x: usize| {
        basis
            .iter()
            .enumerate()
            .filter(|(i, _)| x >> i & 1 == 1)
            .fold((0, 0), |a, (_, c)| (a.0 ^ c.0, a.1 ^ c.1))
    };
    for rep in 0..1usize << reps {
        if rep > 0 {
            b.barrier(scope);
        }
        let (_, rep_registers) = xor_of(&store_reps, rep);
        for x in 0..1usize << store_rest.len() {
            let (offset, registers) = xor_of(&store_rest, x);
            let values: Vec<ValueId> = (0..1usize << store_vector.len())
                .map(|i| ValueId((registers ^ rep_registers ^ xor_of(&store_vector, i).1) as u32))
                .collect();
            b.store(
                address(store_base, store_bits, offset as u32 * bytes),
                &values,
            );
        }
        b.barrier(scope);
        for x in 0..1usize << load_rest.len() {
            let (offset, _) = xor_of(&load_rest, x);
            let count = 1 << load.vector_log2;
            let first = b.load(
                address(load_base, load_bits, offset as u32 * bytes),
                count,
                false,
            );
            loaded.extend((0..count).map(|i| first.plus(i)));
        }
    }
    // Value number of a destination register: its offset in the basis (vector, others, repetitions).
    let offsets = echelon(&swizzle.basis);
    let coordinates = echelon(load.basis.iter().map(|(o, _)| o));
    let columns: Vec<u64> = sides
        .dst
        .reg
        .iter()
        .map(|&c| {
            coordinates
                .solve(offsets.solve(c).unwrap_or(0))
                .unwrap_or(0)
        })
        .collect();
    let results = (0..1u64 << columns.len())
        .map(|r| loaded[apply(&columns, r) as usize])
        .collect();
    debug_assert!(load_reps.iter().all(|(o, _)| o & !rep_mask == 0));
    let scratch = bytes << (bits - reps);
    let mut plan = b.finish(PlanKind::Shared, results, scratch, target);
    plan.reason.store_bytes = bytes << store.vector_log2;
    plan.reason.load_bytes = bytes << load.vector_log2;
    plan.reason.repetitions = 1 << reps;
    let _ = apply_u32;
    plan
}
