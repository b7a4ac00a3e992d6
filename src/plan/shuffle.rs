//! Conversions inside a warp, by exchanging words between lanes.
//!
//! # The idea
//! Let the destination slot (register `r'`, lane `l'`) take its element from the source slot
//! `r = a r' + b l'`, `l = c r' + d l'` (bit matrices; a sum is an exclusive or). One shuffle moves one register
//! of every source lane, so neither `b` (the register depends on the reading lane) nor a singular `d` fits
//! directly. Three stages do:
//!
//! ```text
//! offer    V[k] in lane s   = source[B k + F s]          selects, rank(F) per value
//! shuffle  U[k] in lane l'  = V[k] of lane c k + D l'     one exchange, none where c k + D l' = l'
//! take     result[r'] in l' = U[r' + E l']               selects, rank(E) per value
//! ```
//! Comparing the coefficients gives `D = d + c E`, `B = a + F c`, and `F D = b + a E`. `E` is chosen of the
//! smallest rank that makes `D` invertible, the identity where it can be; the rest follows. For one register bit
//! exchanged with one lane bit, `E` and `F` have rank 1 and half of the `k` need no shuffle. A select whose arm
//! is a select under the same condition loses the inner one, so this costs 1.5 selects and 0.5 shuffles per
//! register ("ship"); m exchanged bits at once cost 2m selects and 1 - 2^-m shuffles ("swap"), one after the
//! other 1.5m selects and 0.5m shuffles.
//!
//! Elements below 32 bits travel packed, along register bits that stay in their lane; 64-bit ones as two words.
//!
//! # Source
//! Linear Layouts paper, warp shuffles; Triton's `getWarpLayoutConvertDecomposition`, which handles permutations
//! of bits. The form above needs no permutation: any linear layout goes, broadcast lanes included.

use super::build::Builder;
use super::gf2::{apply, echelon, extending};
use super::local::{factor, flip_where};
use super::sides::Sides;
use super::step::{ConvertPlan, PlanKind, ValueId};
use crate::f2::Echelon;
use crate::target::Target;

/// The three stages as matrices, columns as masks.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    /// `c`: lane flips per destination register bit.
    pub(super) lane_of_register: Vec<u64>,
    /// `B`: source register per destination register bit.
    pub(super) register_of_register: Vec<u64>,
    /// `D`: source lane per thread bit of the reader.
    pub(super) lane_of_thread: Vec<u64>,
    /// `E` as rank-1 parts: (register flip, thread mask).
    pub(super) take: Vec<(u64, u32)>,
    /// `F` as rank-1 parts: (source register flip, thread mask).
    pub(super) offer: Vec<(u64, u32)>,
}

impl Stages {
    /// Says whether every lane reads from its own number, up to the flips of `c`.
    pub(super) fn is_lane_identity(&self, lanes_log2: u32) -> bool {
        let lanes = lanes_log2 as usize;
        self.lane_of_thread
            .iter()
            .enumerate()
            .all(|(t, &c)| c == if t < lanes { 1 << t } else { 0 })
    }
}

/// Where each destination bit reads from: source registers in the low bits, then source lanes.
struct Sources {
    registers: Vec<u64>,
    threads: Vec<u64>,
}

/// Solves for the source of each destination bit, moving as little as possible.
fn sources(sides: &Sides) -> Option<Sources> {
    let (src, dst, lanes) = (&sides.src, &sides.dst, sides.lanes_log2);
    let by_reg = echelon(&src.reg);
    let regs = src.reg.len();
    let mut held = by_reg.clone();
    let mut kernel = Vec::new();
    for (i, &c) in src.lane(lanes).iter().enumerate() {
        kernel.extend(held.insert(regs + i, c));
    }
    let registers: Vec<u64> = dst
        .reg
        .iter()
        .map(|&c| held.solve(c))
        .collect::<Option<_>>()?;
    let mut threads = Vec::with_capacity(dst.thread.len());
    let mut stays = Vec::new();
    for (t, (&s, &d)) in src.thread.iter().zip(&dst.thread).enumerate() {
        let own = if t < lanes as usize {
            1u64 << (regs + t)
        } else {
            0
        };
        match by_reg.solve(s ^ d) {
            Some(registers) => {
                stays.push(t);
                threads.push(registers ^ own);
            }
            None if own != 0 => threads.push(held.solve(d)?),
            None => threads.push(held.solve(s ^ d)?),
        }
    }
    // Copies of the data in other lanes are a choice: take it where it keeps the lanes' map invertible.
    let mut seen = Echelon::new();
    for &t in stays.iter().filter(|t| **t < lanes as usize) {
        seen.insert(t, threads[t] >> regs);
    }
    for t in (0..lanes as usize).filter(|t| !stays.contains(t)) {
        if seen.insert(t, threads[t] >> regs).is_none() {
            continue;
        }
        let own = 1u64 << (regs + t);
        let mut choices: Vec<u64> = kernel.iter().map(|n| threads[t] ^ n).collect();
        choices.sort_by_key(|q| (q & own == 0, q.count_ones()));
        if let Some(&q) = choices.iter().find(|q| !seen.contains(**q >> regs)) {
            threads[t] = q;
            seen.insert(t, q >> regs);
        }
    }
    Some(Sources { registers, threads })
}

/// Finds the three stages, or `None` where the conversion leaves the warp.
pub(super) fn stages(sides: &Sides) -> Option<Stages> {
    let lanes = sides.lanes_log2 as usize;
    let regs = sides.src.reg.len();
    let low = crate::f2::low_mask(regs);
    let q = sources(sides)?;
    let a: Vec<u64> = q.registers.iter().map(|q| q & low).collect();
    let c: Vec<u64> = q.registers.iter().map(|q| q >> regs).collect();
    let b: Vec<u64> = q.threads.iter().map(|q| q & low).collect();
    let mut d: Vec<u64> = q.threads.iter().map(|q| q >> regs).collect();

    // E: one register flip for each lane bit that the lanes' own map loses.
    let mut image = Echelon::new();
    let lost: Vec<usize> = (0..lanes)
        .filter(|&t| image.insert(t, d[t]).is_some())
        .collect();
    let flips = echelon(&c);
    let mut take: Vec<(u64, u32)> = Vec::new();
    for &t in &lost {
        let wanted = (1u64 << t) ^ d[t];
        let exact = (0..c.len())
            .find(|&j| c[j] == wanted)
            .map(|j| 1u64 << j)
            .or_else(|| flips.solve(wanted));
        let any = (0..c.len()).map(|j| 1u64 << j);
        let fits = |e: &u64| *e != 0 && !image.contains(d[t] ^ apply(&c, *e));
        if let Some(e) = exact.into_iter().chain(any).find(|e| fits(e)) {
            d[t] ^= apply(&c, e);
            image.insert(t, d[t]);
            take.push((e, 1 << t));
        }
    }

    // F D = b + a E, column by column; lanes outside the image of D offer to nobody.
    let mut wanted = b;
    for &(e, mask) in &take {
        wanted[mask.trailing_zeros() as usize] ^= apply(&a, e);
    }
    let mut read = Echelon::new();
    for t in 0..lanes {
        if let Some(kernel) = read.insert(t, d[t])
            && apply(&wanted, kernel) != 0
        {
            return None;
        }
    }
    for l in 0..lanes {
        read.insert(lanes + l, 1 << l);
    }
    let offered = |lane: u64| {
        read.solve(lane)
            .map(|x| apply(&wanted, x & crate::f2::low_mask(lanes)))
    };
    let mut f: Vec<u64> = (0..lanes).map(|l| offered(1 << l)).collect::<Option<_>>()?;
    for w in lanes..wanted.len() {
        let through_lane = apply(&f[..lanes], d[w]);
        f.push(wanted[w] ^ through_lane);
    }
    let register_of_register = (0..a.len())
        .map(|j| a[j] ^ apply(&f[..lanes], c[j]))
        .collect();
    Some(Stages {
        lane_of_register: c,
        register_of_register,
        lane_of_thread: d,
        take,
        offer: factor(&f),
    })
}

/// Coordinates of the destination registers: bits inside a word, exchanged bits, the others.
pub(super) struct Coordinates {
    /// Register vectors inside a word, lowest byte address bit first.
    pub(super) word: Vec<u64>,
    /// Register vectors between words: first the flips of `E`, then the others.
    pub(super) between: Vec<u64>,
    /// For each destination register bit: its coordinates (word bits low).
    columns: Vec<u64>,
}

impl Coordinates {
    pub(super) fn new(stages: &Stages, container_bits: u32) -> Self {
        let count = stages.register_of_register.len();
        let most = (32 / container_bits.min(32)).ilog2() as usize;
        let exchanged: Vec<u64> = stages.take.iter().map(|t| t.0).collect();
        // Inside a word: bits that stay in the lane and that neither E nor F flips.
        let mut fixed = exchanged.clone();
        let offered: Vec<u64> = stages.offer.iter().map(|o| o.0).collect();
        let mut from = echelon(&offered);
        let mut word = Vec::new();
        for j in 0..count {
            let unit = 1u64 << j;
            if word.len() == most {
                break;
            }
            let source = stages.register_of_register[j];
            if stages.lane_of_register[j] == 0
                && source != 0
                && !from.contains(source)
                && !extending(&fixed, [unit]).is_empty()
            {
                from.insert(offered.len() + word.len(), source);
                fixed.push(unit);
                word.push(unit);
            }
        }
        let mut between = exchanged;
        let mut taken = word.clone();
        taken.extend(&between);
        between.extend(extending(&taken, (0..count).map(|j| 1u64 << j)));
        // Exchanged lanes are told apart by the flips alone where that is possible.
        let m = stages.take.len();
        let moved: Vec<u64> = between[..m]
            .iter()
            .map(|&e| apply(&stages.lane_of_register, e))
            .collect();
        let moved = echelon(&moved);
        for i in m..between.len() {
            if let Some(x) = moved.solve(apply(&stages.lane_of_register, between[i])) {
                let fix = apply(&between[..m], x);
                between[i] ^= fix;
            }
        }
        let basis = echelon(word.iter().chain(&between));
        let columns = (0..count)
            .map(|j| basis.solve(1 << j).unwrap_or(0))
            .collect();
        Self {
            word,
            between,
            columns,
        }
    }
}

/// Words of the source, packed on demand.
struct Words<'a> {
    stages: &'a Stages,
    word: &'a [u64],
    plane: u32,
    /// Level 0: words; level `j`: after `j` offers. Indexed by source register.
    known: Vec<Vec<Option<ValueId>>>,
    split: &'a mut Vec<Option<ValueId>>,
}

impl Words<'_> {
    fn at(&mut self, b: &mut Builder, level: usize, x: u64) -> ValueId {
        if let Some(v) = self.known[level][x as usize] {
            return v;
        }
        let v = if level == 0 {
            self.packed(b, x)
        } else {
            let (flip, mask) = self.stages.offer[level - 1];
            let set = self.at(b, level - 1, x ^ flip);
            let clear = self.at(b, level - 1, x);
            let predicate = b.predicate(mask);
            b.select(predicate, set, clear)
        };
        self.known[level][x as usize] = Some(v);
        v
    }

    fn packed(&mut self, b: &mut Builder, x: u64) -> ValueId {
        match b.container_bits() {
            64 => {
                let first =
                    *self.split[x as usize].get_or_insert_with(|| b.unpack(ValueId(x as u32), 2));
                first.plus(self.plane)
            }
            32 => ValueId(x as u32),
            _ => {
                let parts: Vec<ValueId> = (0..1u64 << self.word.len())
                    .map(|w| {
                        let k = apply(self.word, w);
                        ValueId((x ^ apply(&self.stages.register_of_register, k)) as u32)
                    })
                    .collect();
                b.pack(&parts)
            }
        }
    }
}

/// How exchanged bits are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// All at once: fewest shuffles.
    Swap,
    /// One after the other: fewest selects.
    Chain,
}

/// Says whether the exchanges can be done one after the other.
fn can_chain(stages: &Stages, coordinates: &Coordinates, sides: &Sides) -> bool {
    let m = stages.take.len();
    let c = &stages.lane_of_register;
    if m == 0 || !stages.is_lane_identity(sides.lanes_log2) {
        return false;
    }
    let independent = stages.take.iter().enumerate().all(|(i, &(_, mask))| {
        stages.take.iter().enumerate().all(|(j, &(e, _))| {
            let parity = (u64::from(mask) & apply(c, e)).count_ones() & 1;
            parity == u32::from(i == j)
        })
    });
    let others_stay = coordinates.between[m..]
        .iter()
        .chain(&coordinates.word)
        .all(|&k| apply(c, k) == 0);
    // The offers must undo the takes: F = B E.
    let threads = sides.src.thread.len();
    let same = (0..threads).all(|t| {
        let part = |parts: &[(u64, u32)]| {
            parts
                .iter()
                .filter(|p| p.1 >> t & 1 == 1)
                .fold(0, |a, p| a ^ p.0)
        };
        part(&stages.offer) == apply(&stages.register_of_register, part(&stages.take))
    });
    independent && others_stay && same
}

/// Every plan by shuffles worth weighing.
pub(super) fn plan_shuffles(sides: &Sides, elem_bits: u32, target: &Target) -> Vec<ConvertPlan> {
    let Some(stages) = stages(sides) else {
        return Vec::new();
    };
    let coordinates = Coordinates::new(&stages, elem_bits.max(8));
    let mut plans = Vec::new();
    if can_chain(&stages, &coordinates, sides) {
        plans.push(emit(
            sides,
            &stages,
            &coordinates,
            Form::Chain,
            elem_bits,
            target,
        ));
    }
    if plans.is_empty() || stages.take.len() > 1 {
        plans.push(emit(
            sides,
            &stages,
            &coordinates,
            Form::Swap,
            elem_bits,
            target,
        ));
    }
    plans
}

fn emit(
    sides: &Sides,
    stages: &Stages,
    coordinates: &Coordinates,
    form: Form,
    elem_bits: u32,
    target: &Target,
) -> ConvertPlan {
    let mut b = Builder::new(sides, elem_bits);
    let container = b.container_bits();
    let planes = container.div_ceil(32);
    let mut split = vec![None; b.sources().len()];
    let mut files = Vec::new();
    for plane in 0..planes {
        let file = match form {
            Form::Chain => chain(
                &mut b,
                sides,
                stages,
                coordinates,
                plane,
                &mut split,
                target,
            ),
            Form::Swap => swap(&mut b, sides, stages, coordinates, plane, &mut split),
        };
        files.push(file);
    }
    let word_bits = coordinates.word.len();
    let mut unpacked: Vec<Option<ValueId>> = vec![None; files[0].len()];
    let results = (0..1u64 << coordinates.columns.len())
        .map(|r| {
            let at = apply(&coordinates.columns, r);
            let (inner, index) = (
                at & crate::f2::low_mask(word_bits),
                (at >> word_bits) as usize,
            );
            let whole = |b: &mut Builder| match container {
                64 => b.pack(&[files[0][index], files[1][index]]),
                32 => files[0][index],
                _ => b.unpack(files[0][index], 1 << word_bits),
            };
            let first = match unpacked[index] {
                Some(v) => v,
                None => *unpacked[index].insert(whole(&mut b)),
            };
            first.plus(inner as u32)
        })
        .collect();
    let mut plan = b.finish(PlanKind::Shuffle, results, 0, target);
    plan.reason.exchanged_bits = stages.take.len() as u32;
    plan
}

fn swap(
    b: &mut Builder,
    sides: &Sides,
    stages: &Stages,
    coordinates: &Coordinates,
    plane: u32,
    split: &mut Vec<Option<ValueId>>,
) -> Vec<ValueId> {
    let registers = split.len();
    let levels = stages.offer.len();
    let mut words = Words {
        stages,
        word: &coordinates.word,
        plane,
        known: vec![vec![None; registers]; levels + 1],
        split,
    };
    let lane_identity = stages.is_lane_identity(sides.lanes_log2);
    let map = if lane_identity {
        0
    } else {
        b.lane_map(stages.lane_of_thread.iter().map(|&c| c as u32).collect())
    };
    let mut file: Vec<ValueId> = (0..1u64 << coordinates.between.len())
        .map(|x| {
            let k = apply(&coordinates.between, x);
            let offered = words.at(b, levels, apply(&stages.register_of_register, k));
            let flips = apply(&stages.lane_of_register, k) as u32;
            if lane_identity {
                b.shuffle_xor(offered, flips)
            } else {
                b.shuffle_index(offered, map, flips)
            }
        })
        .collect();
    for (i, &(_, mask)) in stages.take.iter().enumerate() {
        file = flip_where(b, &file, 1 << i, mask);
    }
    file
}

fn chain(
    b: &mut Builder,
    sides: &Sides,
    stages: &Stages,
    coordinates: &Coordinates,
    plane: u32,
    split: &mut Vec<Option<ValueId>>,
    target: &Target,
) -> Vec<ValueId> {
    let registers = split.len();
    let mut words = Words {
        stages,
        word: &coordinates.word,
        plane,
        known: vec![vec![None; registers]; 1],
        split,
    };
    let mut file: Vec<ValueId> = (0..1u64 << coordinates.between.len())
        .map(|x| {
            let k = apply(&coordinates.between, x);
            words.at(b, 0, apply(&stages.register_of_register, k))
        })
        .collect();
    for (i, &(e, mask)) in stages.take.iter().enumerate() {
        let lane_mask = apply(&stages.lane_of_register, e) as u32;
        let bit = mask.trailing_zeros();
        if lane_mask == mask
            && mask.count_ones() == 1
            && bit < sides.lanes_log2
            && target.has_lane_swap(bit)
        {
            for x in (0..file.len()).filter(|x| x >> i & 1 == 0) {
                let (low, high) = b.swap_lanes(file[x], file[x | 1 << i], bit);
                file[x] = low;
                file[x | 1 << i] = high;
            }
            continue;
        }
        file = flip_where(b, &file, 1 << i, mask);
        for x in (0..file.len()).filter(|x| x >> i & 1 == 1) {
            file[x] = b.shuffle_xor(file[x], lane_mask);
        }
        file = flip_where(b, &file, 1 << i, mask);
    }
    file
}
