//! Conversions inside a warp, by exchanging words between lanes.
//!
//! # Method
//! The element of destination register `r'` and lane `l'` comes from source register `r = a r' + b l'` of lane `l = c
//! r' + d l'`. Here `a`, `b`, `c` and `d` are bit matrices, and a sum is an exclusive or. One shuffle moves one
//! register of every source lane. So a shuffle alone cannot implement a nonzero `b` (the source register depends on the
//! reading lane) or a singular `d`. Three stages can:
//!
//! ```text
//! offer    V[k] in lane s   = source[B k + F s]          selects, rank(F) per value
//! shuffle  U[k] in lane l'  = V[k] of lane c k + D l'     one exchange, none where c k + D l' = l'
//! take     result[r'] in l' = U[r' + E l']               selects, rank(E) per value
//! ```
//! Comparing the coefficients gives `D = d + c E`, `B = a + F c`, and `F D = b + a E`. `E` is chosen with the smallest
//! rank that makes `D` invertible, and such that `D` is the identity if possible; `E` determines the other matrices. If
//! one register bit is exchanged with one lane bit, `E` and `F` have rank 1, and half of the `k` need no shuffle. A
//! select between results of selects with the same condition makes those selects redundant, so the exchange costs 1.5
//! selects and 0.5 shuffles per register ("ship"). Exchanging m bits at once costs 2m selects and 1 - 2^-m shuffles
//! ("swap"). Exchanging them one after the other costs 1.5m selects and 0.5m shuffles.
//!
//! `E = 0` with a singular `D` suffices if all lanes that read from a given lane need the same register. This
//! broadcasts values of a few lanes to all lanes, with one shuffle per register and no select.
//!
//! Elements narrower than 32 bits are packed into words along register bits that stay in their lane. Elements of 64
//! bits are split into two words.
//!
//! # Source
//! Linear Layouts paper, warp shuffles; Triton's `getWarpLayoutConvertDecomposition`, which handles permutations
//! of bits. The form above covers any linear layout, broadcast lanes included.

use super::local::{factor, flip_where};
use super::shared::Route;
use super::sides::Sides;
use super::{ConvertPlan, PlanKind};
use crate::f2::Echelon;
use crate::number::narrow;
use crate::plan::gf2::{apply, echelon, extending};
use crate::plan::program::{BarrierScope, Builder, Cost, LaneMap, Predicate, Program, ValueId};
use crate::target::Target;

/// The matrices of the three stages of an exchange: offer, shuffle and take.
///
/// A matrix is a list of columns, and each column is a bit mask.
#[derive(Clone, Debug)]
struct Stages {
    /// Matrix `c`. Column `i` is XORed into the number of the source lane if bit `i` of the destination register's
    /// number is set.
    pub(super) lane_of_register: Vec<u64>,
    /// Matrix `B`. Column `i` is XORed into the number of the register that the source lane offers if bit `i` of
    /// the destination register's number is set.
    pub(super) register_of_register: Vec<u64>,
    /// Matrix `D`. Column `i` is XORed into the number of the source lane if bit `i` of the reading thread's number
    /// is set.
    pub(super) lane_of_thread: Vec<u64>,
    /// Matrix `E` of the `take` stage, as a sum of rank-1 matrices. A pair `(flips, mask)` flips the bits `flips`
    /// of the destination register's number in each thread `t` for which `t & mask` has odd parity.
    pub(super) take: Vec<(u64, u32)>,
    /// Matrix `F` of the `offer` stage, as a sum of rank-1 matrices. A pair `(flips, mask)` flips the bits `flips`
    /// of the source register's number in each thread `t` for which `t & mask` has odd parity.
    pub(super) offer: Vec<(u64, u32)>,
}

impl Stages {
    /// Returns true if the matrix `D` is the identity. In this case, a lane reads from another lane only if the
    /// matrix `c` selects one for the destination register.
    pub(super) fn is_lane_identity(&self, lanes_log2: u32) -> bool {
        let lanes = lanes_log2 as usize;
        self.lane_of_thread
            .iter()
            .enumerate()
            .all(|(t, &c)| c == if t < lanes { 1 << t } else { 0 })
    }
}

/// Selects the matrix `E` of the `take` stage. This matrix determines which of the received values a lane takes for
/// a destination register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakeMatrix {
    /// The matrix `E` of smallest rank that makes the matrix `D` invertible. In each shuffle, different lanes then
    /// read from different lanes.
    Restoring,
    /// The matrix `E` is zero, so lanes do not select among received values. Several lanes may read from the same
    /// lane, e.g. if a few lanes broadcast their values.
    None,
}

/// The source position of each destination register and thread, as a linear map. For each bit of the register
/// number and of the thread number, it contains the value that is XORed into the source position if this bit is
/// set. The low bits of a source position are the number of the source register, and the high bits are the number
/// of the source lane.
struct Sources {
    registers: Vec<u64>,
    threads: Vec<u64>,
}

/// Returns the map from destination registers and threads to source positions.
///
/// If there are several solutions, elements stay in their lane where possible. Returns `None` if a warp needs an
/// element of another warp.
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
    // Replicas in other lanes leave a choice: take the one that keeps the lane map invertible.
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

/// Computes the matrices of the three stages (offer, shuffle, take). Returns `None` if data moves between warps, or
/// if a matrix `E` of the kind that `takes` selects does not suffice.
fn stages(sides: &Sides, takes: TakeMatrix) -> Option<Stages> {
    let lanes = sides.lanes_log2 as usize;
    let regs = sides.src.reg.len();
    let low = crate::f2::low_mask(regs);
    let q = sources(sides)?;
    let a: Vec<u64> = q.registers.iter().map(|q| q & low).collect();
    let c: Vec<u64> = q.registers.iter().map(|q| q >> regs).collect();
    let b: Vec<u64> = q.threads.iter().map(|q| q & low).collect();
    let mut d: Vec<u64> = q.threads.iter().map(|q| q >> regs).collect();

    // E: one register flip for each lane bit in the kernel of the lane map.
    let mut image = Echelon::new();
    let lost: Vec<usize> = (0..lanes)
        .filter(|&t| image.insert(t, d[t]).is_some())
        .collect();
    let flips = echelon(&c);
    let mut take: Vec<(u64, u32)> = Vec::new();
    let restored = match takes {
        TakeMatrix::Restoring => &lost[..],
        TakeMatrix::None => &[],
    };
    for &t in restored {
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

    // F D = b + a E, column by column; lanes outside the image of D have no reader.
    let mut wanted = b;
    for &(e, mask) in &take {
        wanted[mask.trailing_zeros() as usize] ^= apply(&a, e);
    }
    let mut read = Echelon::new();
    for (t, &column) in d.iter().enumerate().take(lanes) {
        if let Some(kernel) = read.insert(t, column)
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

/// A basis of the vector space of destination register numbers, which are regarded as bit vectors. In this basis,
/// the coordinates of a register consist of three parts: the bits that select an element within a word, the bits
/// that are exchanged with lane bits, and all other bits.
struct RegisterCoordinates {
    /// Basis vectors that select the element within a word, lowest bit first.
    pub(super) word: Vec<u64>,
    /// Basis vectors that select the word. The `flips` of the pairs in `Stages::take` come first, followed by all
    /// other vectors.
    pub(super) between: Vec<u64>,
    /// Number of vectors at the end of `between` that no exchange affects. Along these vectors, elements stay in
    /// their lane, and the source register does not depend on the lane.
    free: usize,
    /// For each destination register bit, its coordinates in this basis. The lowest bits of the coordinates select
    /// the element within a word.
    columns: Vec<u64>,
}

impl RegisterCoordinates {
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
        // Exchanged lanes are told apart by the flips alone if possible.
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
        let (mut rest, stay): (Vec<u64>, Vec<u64>) = between
            .split_off(m)
            .into_iter()
            .partition(|&k| apply(&stages.lane_of_register, k) != 0);
        let free = stay.len();
        between.append(&mut rest);
        between.extend(stay);
        let basis = echelon(word.iter().chain(&between));
        let columns = (0..count)
            .map(|j| basis.solve(1 << j).unwrap_or(0))
            .collect();
        Self {
            word,
            between,
            free,
            columns,
        }
    }
}

/// A cache of the words that lanes offer. Each word is packed from source registers at its first use.
struct SourceWords<'a> {
    stages: &'a Stages,
    word: &'a [u64],
    plane: u32,
    /// The words that have been emitted, indexed by level and source register. Level 0 contains the packed words.
    /// Level `j` contains the words after the selects for the first `j` entries of `Stages::offer`.
    known: Vec<Vec<Option<ValueId>>>,
    split: &'a mut Vec<Option<ValueId>>,
}

impl SourceWords<'_> {
    fn at(&mut self, b: &mut Builder, level: usize, x: u64) -> ValueId {
        if let Some(v) = self.known[level][narrow::<usize>(x)] {
            return v;
        }
        let v = if level == 0 {
            self.packed(b, x)
        } else {
            let (flip, mask) = self.stages.offer[level - 1];
            let set = self.at(b, level - 1, x ^ flip);
            let clear = self.at(b, level - 1, x);
            let predicate = b.predicate(Predicate::Parity(mask));
            b.select(predicate, set, clear)
        };
        self.known[level][narrow::<usize>(x)] = Some(v);
        v
    }

    fn packed(&mut self, b: &mut Builder, x: u64) -> ValueId {
        match b.container_bits() {
            64 => {
                let first = *self.split[narrow::<usize>(x)]
                    .get_or_insert_with(|| b.unpack(ValueId(narrow(x)), 2));
                first.plus(self.plane)
            }
            32 => ValueId(narrow(x)),
            _ => {
                let parts: Vec<ValueId> = (0..1u64 << self.word.len())
                    .map(|w| {
                        let k = apply(self.word, w);
                        ValueId(narrow(x ^ apply(&self.stages.register_of_register, k)))
                    })
                    .collect();
                b.pack(&parts)
            }
        }
    }
}

/// The way in which several register bits are exchanged with lane bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeForm {
    /// All bits are exchanged at once, with the fewest shuffles.
    Swap,
    /// The bits are exchanged one after the other, with the fewest selects.
    Chain,
}

/// Returns true if the bits can be exchanged one after the other ([`ExchangeForm::Chain`]).
fn can_chain(stages: &Stages, coordinates: &RegisterCoordinates, sides: &Sides) -> bool {
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

/// The times for which one warp occupies the load-store unit and the arithmetic unit, in quarters of a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitTimes {
    pub(super) load_store: u32,
    pub(super) arithmetic: u32,
}

impl UnitTimes {
    fn total(self, warps_log2: u32) -> u32 {
        let one = Cost {
            load_store: self.load_store,
            arithmetic: self.arithmetic,
            waiting: 0,
        };
        one.total().saturating_mul(1 << warps_log2)
    }
}

/// The division of a mixed plan: which groups of registers move through shared memory, and which move by shuffles.
#[derive(Clone, Debug)]
struct Mix {
    /// log2 of the number of register groups.
    group_bits: usize,
    /// Number of groups that move through shared memory.
    shared: u32,
    /// The route by which one group moves through shared memory.
    route: Route,
    /// Entry `i` is XORed into the number of a source register if bit `i` of this register's index in its group is
    /// set.
    src_masks: Vec<u64>,
    /// Entry `i` is XORed into an index in the list of loaded values if bit `i` of a destination register's index
    /// in its group is set.
    loaded_index: Vec<u64>,
}

/// The analysis of a conversion within warps. Programs of several forms can be emitted from it.
pub(super) struct Exchange<'a> {
    sides: &'a Sides,
    elem_bits: u32,
    target: &'a Target,
    stages: Stages,
    coordinates: RegisterCoordinates,
    can_chain: bool,
}

impl<'a> Exchange<'a> {
    /// Analyses a conversion. Returns `None` if data moves between warps, or if a matrix `E` of the kind that
    /// `takes` selects does not suffice.
    pub(super) fn new(
        sides: &'a Sides,
        elem_bits: u32,
        target: &'a Target,
        takes: TakeMatrix,
    ) -> Option<Self> {
        let stages = stages(sides, takes)?;
        let coordinates = RegisterCoordinates::new(&stages, elem_bits.max(8));
        let can_chain = can_chain(&stages, &coordinates, sides);
        Some(Self {
            sides,
            elem_bits,
            target,
            stages,
            coordinates,
            can_chain,
        })
    }

    /// Returns true if the matrix `E` is not zero, which means that lanes select among the values that they
    /// receive.
    pub(super) fn has_takes(&self) -> bool {
        !self.stages.take.is_empty()
    }

    /// Returns the number of 32-bit words per thread.
    fn words(&self) -> u32 {
        self.elem_bits.div_ceil(32) << self.coordinates.between.len()
    }

    /// Returns the lane bit that exchange `i` swaps with a register bit. Returns `None` if exchange `i` does not
    /// swap a register bit with a single lane bit, or if the target has no instruction for this swap.
    fn lane_swap(&self, i: usize) -> Option<u32> {
        let (e, mask) = self.stages.take[i];
        let flips = narrow::<u32>(apply(&self.stages.lane_of_register, e));
        let bit = mask.trailing_zeros();
        let single = flips == mask && mask.count_ones() == 1 && bit < self.sides.lanes_log2;
        (single && self.target.has_lane_swap(bit)).then_some(bit)
    }

    /// Returns the unit times, for one warp, of the program that [`Self::emit`] emits in the form `form`. They are
    /// exact for the cheaper of the two forms, and an estimate for the other one.
    pub(super) fn estimate(&self, form: ExchangeForm) -> UnitTimes {
        let costs = &self.target.costs;
        let words = self.words();
        let m = narrow::<u32>(self.stages.take.len());
        let mut load = UnitTimes {
            load_store: 0,
            arithmetic: 0,
        };
        let shuffles = |mask: Option<u32>, count: u32, load: &mut UnitTimes| {
            if mask.is_some_and(|mask| self.target.xor_shuffle(mask).is_arithmetic()) {
                load.arithmetic += count * costs.lane_alu;
            } else {
                load.load_store += count * costs.shuffle;
            }
        };
        match form {
            ExchangeForm::Chain => {
                for i in 0..m as usize {
                    if self.lane_swap(i).is_some() {
                        load.arithmetic += words / 2 * costs.lane_alu;
                        continue;
                    }
                    let flips =
                        narrow::<u32>(apply(&self.stages.lane_of_register, self.stages.take[i].0));
                    load.arithmetic += words * 3 / 2 * costs.select;
                    shuffles(Some(flips), words / 2, &mut load);
                }
            }
            ExchangeForm::Swap => {
                load.arithmetic +=
                    words * (m + narrow::<u32>(self.stages.offer.len())) * costs.select;
                let moved = narrow::<u32>(echelon(&self.stages.lane_of_register).rank());
                let stay = if self.stages.is_lane_identity(self.sides.lanes_log2) {
                    words >> moved
                } else {
                    0
                };
                shuffles(None, words - stay, &mut load);
            }
        }
        // Neighbours need no packing; others take a byte permute each.
        let word = &self.coordinates.word;
        let runs = word
            .iter()
            .enumerate()
            .all(|(i, &w)| apply(&self.stages.register_of_register, w) == 1 << i);
        if !runs {
            load.arithmetic += words * ((1 << word.len()) - 1) * costs.select;
        }
        load
    }

    /// Returns the forms in which this conversion can be emitted.
    pub(super) fn forms(&self) -> &'static [ExchangeForm] {
        if self.can_chain {
            &[ExchangeForm::Chain, ExchangeForm::Swap]
        } else {
            &[ExchangeForm::Swap]
        }
    }

    /// Returns the cheaper form of the exchange, and the estimated unit times that one warp needs for it.
    pub(super) fn best_form(&self) -> (ExchangeForm, UnitTimes) {
        let forms = self
            .forms()
            .iter()
            .map(|form| (*form, self.estimate(*form)));
        forms
            .min_by_key(|(_, load)| load.total(0))
            .expect("there is always a form")
    }

    pub(super) fn emit(&self, form: ExchangeForm) -> Option<Program> {
        let mut b = self.sides.builder(self.elem_bits);
        let all: Vec<usize> = (0..1 << self.coordinates.between.len()).collect();
        let values = self.elements(&mut b, form, &all);
        let results = (0..1u64 << self.coordinates.columns.len())
            .map(|r| values[narrow::<usize>(apply(&self.coordinates.columns, r))])
            .collect::<Option<Vec<_>>>()?;
        Some(b.finish(results, 0, self.target))
    }

    /// Returns the cheaper of two plans, which use either only shuffles, or shuffles and shared memory. Returns
    /// `None` if the cost certainly exceeds `budget`.
    ///
    /// The estimates of both plans are compared first. The mixed plan is emitted only if its estimate is lower, and
    /// returned only if its actual cost is also lower.
    pub(super) fn plan(
        &self,
        budget: Option<u32>,
        mixed_limit: Option<u32>,
    ) -> Option<ConvertPlan> {
        let (form, load) = self.best_form();
        let total = load.total(self.sides.warps_log2);
        // Estimates may be slightly high: leave room.
        let most = budget.map_or(u32::MAX, |b| b.saturating_add(b / 4));
        let alone = total.min(budget.unwrap_or(u32::MAX));
        if let Some(limit) = mixed_limit
            && let Some(mix) = self.best_mix(load, limit, alone)
        {
            let mixed = self.emit_mixed(form, &mix);
            // Packing of bytes for stores is not in the estimate.
            if mixed.program().cost().total() < alone {
                return Some(mixed);
            }
        }
        if total > most {
            return None;
        }
        let mut plan = ConvertPlan::new(PlanKind::Shuffle, self.emit(form)?);
        plan.reason.exchanged_bits = narrow(self.stages.take.len());
        Some(plan)
    }

    /// Chooses the number of registers that go through shared memory, such that the load-store unit and the
    /// arithmetic unit are both busy. Returns `None` if no mix fits `limit` and costs less than `budget`.
    ///
    /// The register bits that no exchange affects divide the registers into independent groups. If a fraction `x`
    /// of the groups goes through shared memory, the load-store unit is busy for the time `x S + (1 - x) L`, and
    /// the arithmetic unit for `(1 - x) A`. `S` is the load-store time if all groups go through shared memory. `L`
    /// and `A` are the load-store time and the arithmetic time if all groups are shuffled.
    fn best_mix(&self, load: UnitTimes, limit: u32, budget: u32) -> Option<Mix> {
        let between = &self.coordinates.between;
        let costs = &self.target.costs;
        let wait = match self.sides.barrier_scope() {
            BarrierScope::Warp => costs.warp_sync,
            BarrierScope::Block | BarrierScope::Cluster => costs.barrier,
        };
        let mut best: Option<(u32, Mix)> = None;
        for group_bits in 1..=self.coordinates.free.min(3) {
            let kept = &between[..between.len() - group_bits];
            let dst_masks: Vec<u64> = self.coordinates.word.iter().chain(kept).copied().collect();
            let src_masks: Vec<u64> = dst_masks
                .iter()
                .map(|&k| apply(&self.stages.register_of_register, k))
                .collect();
            // The offers must stay among the registers of one group.
            let inside = echelon(&src_masks);
            if !self.stages.offer.iter().all(|o| inside.contains(o.0)) {
                break;
            }
            let part = self.sides.restricted(&src_masks, &dst_masks);
            let Some(route) = Route::best(&part, self.elem_bits.max(8), 0, self.target) else {
                break;
            };
            let through = route.time(self.target);
            let groups = 1u32 << group_bits;
            for shared in (1..groups).step_by(2) {
                if u64::from(route.scratch_bytes()) * u64::from(shared) > u64::from(limit) {
                    continue;
                }
                let rest = |x: u32| {
                    let part = u64::from(x) * u64::from(groups - shared);
                    narrow::<u32>(part >> group_bits)
                };
                let both = UnitTimes {
                    load_store: rest(load.load_store) + through.0 * shared,
                    arithmetic: rest(load.arithmetic) + through.1 * shared,
                };
                let total = both.total(self.sides.warps_log2) + costs.round_trip + wait;
                if total < budget && best.as_ref().is_none_or(|b| total < b.0) {
                    let loaded_index = route.loaded_index(&part.dst);
                    let mix = Mix {
                        group_bits,
                        shared,
                        route: route.clone(),
                        src_masks: src_masks.clone(),
                        loaded_index,
                    };
                    best = Some((total, mix));
                }
            }
        }
        best.map(|b| b.1)
    }

    fn emit_mixed(&self, form: ExchangeForm, mix: &Mix) -> ConvertPlan {
        let Mix {
            group_bits,
            shared,
            route,
            src_masks,
            loaded_index,
        } = mix;
        let shared = *shared;
        let between = &self.coordinates.between;
        let kept_bits = between.len() - group_bits;
        let word_bits = self.coordinates.word.len();
        let from = |k: u64| apply(&self.stages.register_of_register, k);
        let group = |g: u32| apply(&between[kept_bits..], u64::from(g));
        let size = route.scratch_bytes();
        let mut b = self.sides.builder(self.elem_bits);
        for g in 0..shared {
            let base = from(group(g));
            route.store(&mut b, 0, g * size, |x| {
                ValueId(narrow(base ^ apply(src_masks, x)))
            });
        }
        b.barrier(self.sides.barrier_scope());
        let mut loaded = Vec::new();
        for g in 0..shared {
            route.load(&mut b, g * size, &mut loaded);
        }
        let by_shuffles: Vec<usize> = (0..1usize << between.len())
            .filter(|x| narrow::<u32>(x >> kept_bits) >= shared)
            .collect();
        let mut values = self.elements(&mut b, form, &by_shuffles);
        // Values are indexed by their coordinates: word bits, kept bits, group bits.
        let per_group = 1usize << (word_bits + kept_bits);
        let loads_per_group = loaded.len() / shared as usize;
        for g in 0..shared as usize {
            for x in 0..per_group {
                let at = narrow::<usize>(apply(loaded_index, x as u64));
                values[g * per_group + x] = Some(loaded[g * loads_per_group + at]);
            }
        }
        let results = (0..1u64 << self.coordinates.columns.len())
            .filter_map(|r| values[narrow::<usize>(apply(&self.coordinates.columns, r))])
            .collect();
        let program = b.finish(results, size * shared, self.target);
        let mut plan = ConvertPlan::new(PlanKind::Mixed, program);
        route.explain(&mut plan);
        plan.reason.exchanged_bits = narrow(self.stages.take.len());
        plan
    }

    /// Emits the exchange for the words in `wanted`, and unpacks the results.
    ///
    /// `wanted` contains the coordinates of words in the basis `between`. If it contains a word, it must also
    /// contain all words with which this word is exchanged. The returned elements are indexed by their coordinates.
    fn elements(
        &self,
        b: &mut Builder,
        form: ExchangeForm,
        wanted: &[usize],
    ) -> Vec<Option<ValueId>> {
        let container = b.container_bits();
        let mut split = vec![None; b.sources().len()];
        let count = 1usize << self.coordinates.between.len();
        let files: Vec<Vec<Option<ValueId>>> = (0..container.div_ceil(32))
            .map(|plane| match form {
                ExchangeForm::Chain => self.chain(b, plane, &mut split, wanted),
                ExchangeForm::Swap => self.swap(b, plane, &mut split, wanted),
            })
            .collect();
        let word_bits = self.coordinates.word.len();
        let mut elements = vec![None; count << word_bits];
        for &x in wanted {
            let Some(low) = files[0][x] else { continue };
            let first = match container {
                64 => match files[1][x] {
                    Some(high) => b.pack(&[low, high]),
                    None => continue,
                },
                32 => low,
                _ => b.unpack(low, 1 << word_bits),
            };
            for i in 0..1usize << word_bits {
                elements[x << word_bits | i] = Some(first.plus(narrow(i)));
            }
        }
        elements
    }

    fn swap(
        &self,
        b: &mut Builder,
        plane: u32,
        split: &mut Vec<Option<ValueId>>,
        wanted: &[usize],
    ) -> Vec<Option<ValueId>> {
        let stages = &self.stages;
        let levels = stages.offer.len();
        let known = vec![vec![None; split.len()]; levels + 1];
        let mut words = SourceWords {
            stages,
            word: &self.coordinates.word,
            plane,
            known,
            split,
        };
        let lane_identity = stages.is_lane_identity(self.sides.lanes_log2);
        let map = if lane_identity {
            0
        } else {
            let columns = stages.lane_of_thread.iter().map(|&c| narrow::<u32>(c));
            b.lane_map(LaneMap::Linear(columns.collect()))
        };
        let mut file = vec![None; 1 << self.coordinates.between.len()];
        for &x in wanted {
            let k = apply(&self.coordinates.between, x as u64);
            let offered = words.at(b, levels, apply(&stages.register_of_register, k));
            let flips = narrow(apply(&stages.lane_of_register, k));
            file[x] = Some(if lane_identity {
                b.shuffle_xor(offered, flips)
            } else {
                b.shuffle_index(offered, map, flips)
            });
        }
        for (i, &(_, mask)) in stages.take.iter().enumerate() {
            file = flip_where(b, &file, 1 << i, mask);
        }
        file
    }

    fn chain(
        &self,
        b: &mut Builder,
        plane: u32,
        split: &mut Vec<Option<ValueId>>,
        wanted: &[usize],
    ) -> Vec<Option<ValueId>> {
        let stages = &self.stages;
        let known = vec![vec![None; split.len()]; 1];
        let mut words = SourceWords {
            stages,
            word: &self.coordinates.word,
            plane,
            known,
            split,
        };
        let mut file = vec![None; 1 << self.coordinates.between.len()];
        for &x in wanted {
            let k = apply(&self.coordinates.between, x as u64);
            file[x] = Some(words.at(b, 0, apply(&stages.register_of_register, k)));
        }
        for (i, &(e, mask)) in stages.take.iter().enumerate() {
            if let Some(bit) = self.lane_swap(i) {
                for x in (0..file.len()).filter(|x| x >> i & 1 == 0) {
                    if let (Some(low), Some(high)) = (file[x], file[x | 1 << i]) {
                        let (low, high) = b.swap_lanes(low, high, bit);
                        file[x] = Some(low);
                        file[x | 1 << i] = Some(high);
                    }
                }
                continue;
            }
            let flips = narrow(apply(&stages.lane_of_register, e));
            file = flip_where(b, &file, 1 << i, mask);
            for x in (0..file.len()).filter(|x| x >> i & 1 == 1) {
                file[x] = file[x].map(|v| b.shuffle_xor(v, flips));
            }
            file = flip_where(b, &file, 1 << i, mask);
        }
        file
    }
}
