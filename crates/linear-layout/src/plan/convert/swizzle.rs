//! Swizzles: placement of elements in scratch memory without bank conflicts.
//!
//! # Method
//! Offsets in shared memory form a vector space, as tensor coordinates do: each bit of an element's offset is a linear
//! combination of coordinate bits. A *swizzle* is a basis of the tensor's coordinates: setting offset bit `i` moves
//! along basis vector `i`.
//!
//! ```text
//! offset bits   | vector | bank              | segment (row)                | repetitions |
//! must hold     | registers of both sides    | nothing that lanes served    | registers   |
//! vectors that  | (stores and loads vectorise) together have in common with | of both     |
//! ```
//! Two lanes of one phase conflict in a bank if and only if the difference of their coordinates lies in span(vector,
//! segment) but not in span(vector). So a segment that is linearly independent of the phase lanes of both sides avoids
//! conflicts on both. Two subspaces of the same dimension always have a common complement. It consists of vectors that
//! are in neither subspace, and of sums `a ^ b` of a vector only in the first and a vector only in the second. Any
//! remaining conflicts are unavoidable.
//!
//! # Source
//! Triton's `GenericSwizzling.cpp` (`optimalSwizzlingLdSt`), stated on subspaces instead of sets of unit
//! vectors, with the phases of each target and the vector width of each side chosen by its wavefronts.

use super::sides::{SideColumns, Sides};
use crate::number::narrow;
use crate::plan::gf2::{complement, echelon, extending, independent, intersection, log2_floor};
use crate::plan::memory::AccessForm;
use crate::plan::program::phase_lane_bits;
use crate::target::{Access, BitSource, Fragment, Target};

/// A placement of elements in scratch memory. It is a linear map from the offset of an element in a buffer to the
/// element's coordinates. The coordinates are the XOR of `basis[i]` for all bits `i` that are set in the offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScratchSwizzle {
    /// For each offset bit, its basis vector. The lowest bit comes first.
    pub(super) basis: Vec<u64>,
    /// log2 of the number of repetitions. The highest `reps_log2` offset bits are the number of the repetition.
    pub(super) reps_log2: u32,
}

/// The parameters of a swizzle.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwizzleOptions {
    /// Maximum width in bits of the vectors that are contiguous in both the stores and the loads.
    pub(super) max_vector_bits: u32,
    /// Side whose registers are assigned to the lowest offset bits that select a bank, so that its accesses are
    /// wider.
    pub(super) favour: Favour,
    pub(super) reps_log2: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Favour {
    /// The source is favoured if the vectors that both sides have in common are shorter than a word, and some
    /// registers of the source fill the word. Otherwise, the favoured side is the one with more registers among the
    /// offset bits that select a bank, and the destination in case of a tie. As in Triton, the access width is not
    /// guaranteed.
    Auto,
    /// The source is favoured. Its stores are as wide as its registers allow without bank conflicts.
    Source,
    /// The destination is favoured. Its loads are as wide as its registers allow without bank conflicts.
    Destination,
    /// One side (the stores or the loads) uses matrix instructions with this fragment, so its lanes form matrix
    /// rows.
    Rows(Access, Fragment),
}

/// The columns of one side of a conversion, divided for matrix instructions. `within` contains the columns that
/// select the bytes within a matrix row, lowest first. `apart` contains the columns that select the row.
struct Rows {
    within: Vec<u64>,
    apart: Vec<u64>,
}

impl Rows {
    /// Returns the division of the columns of `side` for a fragment, or `None` if the registers and lanes of this
    /// side do not fill whole rows.
    fn of(
        side: &SideColumns,
        lanes_log2: u32,
        container_bits: u32,
        fragment: Fragment,
    ) -> Option<Self> {
        let deal = fragment.layout();
        let lanes = side.lane(lanes_log2);
        let elements = log2_floor(8 * deal.unit_bytes / container_bits) as usize;
        let (unit, more) = side.reg.split_at_checked(elements)?;
        let mut more = more.iter();
        let mut column = |by: &BitSource| match by {
            BitSource::Lane(lane) => Some(lanes[*lane]),
            BitSource::Unit => more.next().copied(),
        };
        let apart: Vec<u64> = deal.rows.iter().map(&mut column).collect::<Option<_>>()?;
        let units: Vec<u64> = deal.within.iter().map(column).collect::<Option<_>>()?;
        let within = [unit, &units].concat();
        let is_whole = independent(within.iter().copied()).len() == within.len();
        is_whole.then_some(Self { within, apart })
    }
}

/// Returns the nonzero columns of those lane bits that distinguish the lanes of one phase. The lanes of a phase are
/// served together.
fn phase_lanes(
    side: &SideColumns,
    lanes_log2: u32,
    access: Access,
    bytes: u32,
    target: &Target,
) -> Vec<u64> {
    let lanes = side.lane(lanes_log2);
    let bits = phase_lane_bits(lanes, bytes, access, target);
    lanes
        .iter()
        .enumerate()
        .filter(|(i, c)| bits >> i & 1 == 1 && **c != 0)
        .map(|(_, c)| *c)
        .collect()
}

/// Returns the columns of the vector that is contiguous for both sides, and whether registers of the source were
/// added to fill a word. The vector is at least one word long if possible.
fn shared_vector(
    sides: &Sides,
    container_bits: u32,
    max_bits: u32,
    favour: Favour,
) -> (Vec<u64>, bool) {
    let (src, dst) = (&sides.src, &sides.dst);
    let warps = |s: &SideColumns| {
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
    // Below a word, two lanes would share a bank: registers of one side and warps of the other fill the word.
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
    // The rest of a word comes from the registers of one side, then from any vectors.
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

/// Returns `len` basis vectors for the segment bits, which are the offset bits above the bits that select a bank.
/// If possible, they are independent of the span of `a` and of the span of `b`.
///
/// The vectors are chosen in this order:
/// - Unit vectors outside both spans.
/// - Sums of a vector that is only in the span of `a` and a vector that is only in the span of `b`. Each of
///   the two lists of vectors is sorted by the key that `order` returns, before vectors at the same index
///   are paired. The first argument of `order` is true for vectors of `a`.
/// - Vectors of a single span, because they cause bank conflicts on the side of this span.
fn common_complement(
    a: &[u64],
    b: &[u64],
    bits: u32,
    len: usize,
    order: impl Fn(bool, u64) -> u32,
) -> Vec<u64> {
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
    only_a.sort_by_key(|&c| (order(true, c), c));
    only_b.sort_by_key(|&c| (order(false, c), c));
    if only_a.len() > only_b.len() {
        core::mem::swap(&mut only_a, &mut only_b);
    }
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
    // Beyond the smaller side, the rest of the larger one conflicts on that side only.
    segment.extend(&only_b[only_a.len()..]);
    segment.extend(&only_a[..conflicts]);
    segment.extend(&only_b[..conflicts]);
    segment.truncate(len);
    segment
}

/// Returns log2 of the number of passes (repetitions) in which Triton's implementation of the conversion reuses its
/// scratch buffer.
///
/// The segment bits are the offset bits above the bits that select a bank. A segment bit is part of the index of
/// the pass if both sides have a register bit with the same basis vector. The swizzle has either the widest
/// vectors, or matrix rows on one side if the other side can also access these rows. The result is the maximum over
/// all these swizzles.
pub(super) fn baseline_passes_log2(sides: &Sides, container_bits: u32, target: &Target) -> u32 {
    let max_vector_bits = target.max_shared_vector_bits;
    let rounds = |vector: usize, favour: Favour| {
        let choice = SwizzleOptions {
            max_vector_bits,
            favour,
            reps_log2: 0,
        };
        let swizzle = swizzle(sides, container_bits, choice, target)?;
        let below = vector + bank_bits(vector, container_bits, sides.bits, target) as usize;
        let is_in_both = |c: &&u64| sides.src.reg.contains(c) && sides.dst.reg.contains(c);
        let held = swizzle.basis[below..].iter().filter(is_in_both).count();
        Some(narrow::<u32>(held))
    };
    let (vector, _) = shared_vector(sides, container_bits, max_vector_bits, Favour::Auto);
    let vectors = rounds(vector.len(), Favour::Auto);
    let matrices = [Access::Store, Access::Load]
        .into_iter()
        .flat_map(|access| {
            let forms = AccessForm::matrices(container_bits / 8, access, target);
            forms.filter_map(move |form| {
                let (side, other, others) = match access {
                    Access::Store => (&sides.src, &sides.dst, Access::Load),
                    Access::Load => (&sides.dst, &sides.src, Access::Store),
                };
                let rows = |side: &SideColumns, form| {
                    Rows::of(side, sides.lanes_log2, container_bits, form)
                };
                let within = rows(side, form)?.within;
                let rounds = rounds(within.len(), Favour::Rows(access, form))?;
                if within.iter().all(|c| other.reg.contains(c)) {
                    return Some(rounds);
                }
                // Four matrices at once on both sides are four registers of one pass.
                let mut forms = AccessForm::matrices(container_bits / 8, others, target);
                forms
                    .any(|form| rows(other, form).is_some_and(|rows| rows.within == within))
                    .then(|| rounds.saturating_sub(2))
            })
        });
    vectors.into_iter().chain(matrices).max().unwrap_or(0)
}

/// Returns the number of offset bits that select a bank. They come after the lowest `vector` offset bits, which
/// select an element within a vector.
///
/// `total` is the total number of offset bits.
fn bank_bits(vector: usize, container_bits: u32, total: u32, target: &Target) -> u32 {
    let vectors = target.wavefront_bytes() * 8 / (container_bits << vector).max(1);
    log2_floor(vectors).min(total - narrow::<u32>(vector))
}

/// Returns a swizzle with a basis vector for each offset bit, or `None` if the options cannot be satisfied.
pub(super) fn swizzle(
    sides: &Sides,
    container_bits: u32,
    choice: SwizzleOptions,
    target: &Target,
) -> Option<ScratchSwizzle> {
    let (src, dst, lanes) = (&sides.src, &sides.dst, sides.lanes_log2);
    let rows = |access: Access, fragment: Fragment| {
        let side = if access == Access::Store { src } else { dst };
        Rows::of(side, lanes, container_bits, fragment)
    };
    let (vector, src_filled) = match choice.favour {
        Favour::Rows(access, form) => (rows(access, form)?.within, false),
        favour => shared_vector(sides, container_bits, choice.max_vector_bits, favour),
    };
    let reps = {
        let common = intersection(&src.reg, &dst.reg);
        let mut reps = extending(&vector, common);
        if reps.len() < choice.reps_log2 as usize {
            return None;
        }
        // The last ones, so that consecutive registers stay together.
        reps.drain(..reps.len() - choice.reps_log2 as usize);
        reps
    };
    let total = sides.bits - choice.reps_log2;
    let bank_len = bank_bits(vector.len(), container_bits, total, target);
    let segment_len = (total - bank_len) as usize - vector.len();
    // One side may have longer vectors, by registers that the other side does not have there.
    let most = log2_floor(target.max_shared_vector_bits / container_bits) as usize;
    let more = |side: &SideColumns| {
        let mut taken = vector.clone();
        taken.extend(&reps);
        let mut more = extending(&taken, side.reg.iter().copied());
        more.truncate(most.saturating_sub(vector.len()).min(bank_len as usize));
        more
    };
    let (src_more, dst_more) = match choice.favour {
        Favour::Auto | Favour::Rows(..) => (Vec::new(), Vec::new()),
        Favour::Source => (more(src), Vec::new()),
        Favour::Destination => (Vec::new(), more(dst)),
    };
    let in_regs = |side: &SideColumns, c: u64| echelon(&side.reg).contains(c);
    let tile = |side: &SideColumns, access, more: &[u64]| {
        let mut t = vector.clone();
        t.extend(more);
        let bytes = (container_bits << t.len()) / 8;
        t.extend(&reps);
        if !matches!(choice.favour, Favour::Rows(..)) {
            t.extend(phase_lanes(side, lanes, access, bytes, target));
            return t;
        }
        // The other side may have matrix rows there too, or accesses as wide as its registers allow.
        let forms = AccessForm::matrices(container_bits / 8, access, target);
        let fitting = forms
            .filter_map(|form| rows(access, form))
            .find(|rows| rows.within == vector);
        match fitting {
            Some(rows) => t.extend(rows.apart),
            None => {
                let own = vector.iter().take_while(|c| in_regs(side, **c)).count();
                let bytes = (container_bits << own) / 8;
                t.extend(phase_lanes(side, lanes, access, bytes, target));
            }
        }
        t
    };
    let src_tile = tile(src, Access::Store, &src_more);
    let dst_tile = tile(dst, Access::Load, &dst_more);
    // A sum with a vector bit moves its partner across that bit: the partner must be a register of that side, or threads
    // would break up the vector.
    let order = |of_src: bool, c: u64| {
        let (own, others, threads) = if of_src {
            (&src_more, &dst_more, &dst.thread)
        } else {
            (&dst_more, &src_more, &src.thread)
        };
        u32::from(if others.is_empty() {
            !own.contains(&c)
        } else {
            threads.contains(&c)
        })
    };
    let segment = common_complement(&src_tile, &dst_tile, sides.bits, segment_len, order);
    let mut fixed = vector.clone();
    fixed.extend(
        src_more
            .iter()
            .chain(&dst_more)
            .chain(&segment)
            .chain(&reps),
    );
    if independent(fixed.iter().copied()).len() < fixed.len() {
        return None;
    }
    let rest = complement(&fixed, sides.bits);
    let favour_source = match choice.favour {
        Favour::Source | Favour::Rows(Access::Store, _) => true,
        Favour::Destination | Favour::Rows(Access::Load, _) => false,
        Favour::Auto => {
            let count = |side: &SideColumns| rest.iter().filter(|c| in_regs(side, **c)).count();
            src_filled || count(src) > count(dst)
        }
    };
    let side = if favour_source { src } else { dst };
    let (first, last): (Vec<u64>, Vec<u64>) = rest.iter().partition(|c| in_regs(side, **c));
    let mut bank = src_more;
    bank.extend(dst_more);
    bank.extend(first);
    bank.extend(last);
    let mut basis = vector;
    basis.extend(bank);
    basis.extend(segment);
    basis.extend(reps);
    debug_assert_eq!(basis.len(), sides.bits as usize);
    Some(ScratchSwizzle {
        basis,
        reps_log2: choice.reps_log2,
    })
}
