//! Cost model of programs.

use crate::number::narrow;
use core::fmt;

use super::wavefronts::AccessWavefronts;
use super::{Address, BarrierScope, Operands, Program, Step, ValueId};
use crate::target::Target;
use rustc_hash::FxHashSet;

/// The execution time of a program for one block, in quarters of a clock cycle of one SM (or CU).
///
/// The load-store unit and the arithmetic unit overlap, but not completely. A program takes the time of the busier
/// unit, plus an eighth of the time of the other unit, plus the waiting time.
///
/// ```
/// use linear_layout::plan::Cost;
/// // 64 shuffles and 48 * 4 selects of half a clock.
/// let ship = Cost { load_store: 64 * 4, arithmetic: 192 * 2, waiting: 0 };
/// assert_eq!(ship.total(), 384 + 256 / 8);
/// assert_eq!(ship.to_string(), "104 clk (load-store 64, arithmetic 96, waiting 0)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cost {
    /// Time of the load-store unit: wavefronts, shuffles and lane reductions.
    pub load_store: u32,
    /// Time of the arithmetic unit: all other instructions, including the issue of accesses and of matrix instructions.
    pub arithmetic: u32,
    /// Time lost at barriers, and the latency of round trips through shared memory and of dependent shuffles.
    pub waiting: u32,
}

impl Cost {
    /// Returns the total time. Costs are compared by their totals.
    #[must_use]
    pub const fn total(self) -> u32 {
        let (a, b) = (self.load_store, self.arithmetic);
        let (busy, other) = if a > b { (a, b) } else { (b, a) };
        busy.saturating_add(other / 8).saturating_add(self.waiting)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clk = |q: u32| q.div_ceil(4);
        write!(
            f,
            "{} clk (load-store {}, arithmetic {}, waiting {})",
            clk(self.total()),
            clk(self.load_store),
            clk(self.arithmetic),
            clk(self.waiting),
        )
    }
}

/// The number of warps per block for which [`Costs::shuffle_trip`](crate::target::Costs::shuffle_trip) was measured.
const FULL_LATENCY_WARPS: u32 = 4;

/// Returns the cost of a program on a target. `combination` is the cost of one application of the combiner of a reduction
/// or a scan.
pub(super) fn cost_of(program: &Program, combination: u32, target: &Target) -> Cost {
    let costs = &target.costs;
    let warps = 1u32 << program.warps_log2;
    let (mut load_store, mut arithmetic, mut waiting) = (0u32, 0u32, 0u32);
    let mut accesses = AccessWavefronts::new(program, target);
    let mut tested = FxHashSet::default();
    let (mut stored, mut xors) = (false, Vec::<(u32, u32)>::new());
    for step in &program.steps {
        let mut taken = narrow::<u32>(accesses.of_step(step).taken);
        match *step {
            Step::Pack { parts, .. } => arithmetic += costs.select * packing(program, parts, true),
            // Unpacking is charged to the consumer, as after a wide load.
            Step::Unpack { .. } => {}
            // A 64-bit element takes two registers.
            Step::Select { out, .. } => {
                arithmetic += costs.select * program.value_bytes(out).div_ceil(4);
            }
            // A bit is tested once for all selects that depend on it.
            Step::SelectBit {
                out, number, bit, ..
            } => {
                let words = program.value_bytes(out).div_ceil(4);
                let is_new = tested.insert((number, bit));
                arithmetic += costs.select * (words + u32::from(is_new));
            }
            Step::ShuffleXor { lane_mask, .. } => {
                if target.xor_shuffle(lane_mask).is_arithmetic() {
                    arithmetic += costs.lane_alu;
                } else {
                    load_store += costs.shuffle;
                }
            }
            // Measured on an H200: transposes have the throughput of shuffles, on the same unit.
            Step::ShuffleIndex { .. } | Step::TransposeMatrix { .. } => load_store += costs.shuffle,
            Step::ShuffleAt { .. } => load_store += costs.shuffle,
            Step::Compute { map, .. } => {
                // Unused bits of the index are cleared first, and the resulting number is combined with a constant.
                let ops = 2 + narrow::<u32>(program.index_maps[map as usize].num_ops());
                arithmetic += costs.select * ops;
            }
            Step::SwapLanes { .. } => arithmetic += costs.lane_alu,
            Step::Store {
                address, values, ..
            } => {
                arithmetic += costs.access + address_cost(&mut xors, address) * costs.select;
                arithmetic += costs.select * packing(program, values, false);
                stored = true;
            }
            Step::Load { address, .. } | Step::LoadMatrices { address, .. } => {
                arithmetic += costs.access + address_cost(&mut xors, address) * costs.select;
            }
            Step::StoreMatrices { address, .. } => {
                arithmetic += costs.access + address_cost(&mut xors, address) * costs.select;
                stored = true;
            }
            Step::Zero { .. } | Step::One { .. } => {}
            Step::AtomicAdd { address, mask, .. } => {
                let base = &program.address_bases[address.base as usize];
                // Atomic additions by several lanes to the same number are serialised.
                let numbers_log2 = base.number_bits.count_ones();
                let alike = match address.numbers.is_empty() {
                    true => 1,
                    false => target.lanes >> numbers_log2.min(31),
                };
                taken = taken.max(alike * target.lanes);
                arithmetic += costs.access + address_cost(&mut xors, address) * costs.select;
                arithmetic += costs.select * u32::from(mask.is_some());
            }
            Step::CountVotes { vote, .. } => {
                let vote = &program.votes[vote as usize];
                let (bins_log2, counts_log2) =
                    (narrow::<u32>(vote.bin_bits.len()), vote.counts_log2());
                // One vote per bit of the bin number, and one vote for the mask.
                let votes = (bins_log2 + 1) * costs.lane_alu;
                let words = target.lanes.div_ceil(32);
                let narrowing = bins_log2 - counts_log2 + (1 << counts_log2);
                let counting = 2 << counts_log2;
                arithmetic += votes + (narrowing + counting) * words * costs.select;
            }
            Step::Combine { .. } => arithmetic += combination,
            Step::ReduceLanes { out, .. } => {
                load_store += costs.lane_reduction;
                // Narrow elements are widened before, and narrowed after the reduction.
                if program.value_bytes(out) < 4 {
                    arithmetic += 2 * costs.select;
                }
            }
            Step::Mma { row, .. } => arithmetic += program.rows[row as usize].issue(target.lanes),
            Step::Barrier(BarrierScope::Warp) => waiting += costs.warp_sync,
            // A block of one warp does not wait.
            // A barrier of the cluster is charged as a block barrier: no other strategy moves data between blocks.
            Step::Barrier(BarrierScope::Block | BarrierScope::Cluster) => {
                waiting += if warps == 1 {
                    costs.warp_sync
                } else {
                    costs.barrier
                };
            }
        }
        load_store += taken * costs.wavefront / target.lanes;
    }
    if stored {
        waiting += costs.round_trip;
    }
    // The other blocks of an SM hide the latency of a block of few warps.
    let hiding = warps.min(FULL_LATENCY_WARPS);
    waiting += costs.shuffle_trip * longest_chain(program, target) * hiding / FULL_LATENCY_WARPS;
    Cost {
        load_store: load_store * warps,
        arithmetic: arithmetic * warps,
        waiting,
    }
}

/// Returns the number of shuffles in the longest chain of dependent shuffles.
fn longest_chain(program: &Program, target: &Target) -> u32 {
    let mut chains = vec![0u32; program.num_values()];
    let mut most = 0;
    for step in &program.steps {
        let before = |values: &[ValueId]| {
            let chains = values.iter().map(|v| chains[v.index()]);
            chains.max().unwrap_or(0)
        };
        let (first, count, chain) = match *step {
            Step::Pack { out, parts } => (out, 1, before(program.operands(parts))),
            Step::Unpack {
                first,
                count,
                value,
            } => (first, count, before(&[value])),
            Step::Select {
                out,
                if_set,
                if_clear,
                ..
            } => (out, 1, before(&[if_set, if_clear])),
            Step::ShuffleXor {
                out,
                value,
                lane_mask,
            } => {
                let waits = !target.xor_shuffle(lane_mask).is_arithmetic();
                (out, 1, before(&[value]) + u32::from(waits))
            }
            Step::ShuffleIndex { out, value, .. } | Step::TransposeMatrix { out, value } => {
                (out, 1, before(&[value]) + 1)
            }
            Step::Compute {
                first,
                count,
                inputs,
                ..
            } => (first, count, before(program.operands(inputs))),
            Step::SelectBit {
                out,
                number,
                if_set,
                if_clear,
                ..
            } => (out, 1, before(&[number, if_set, if_clear])),
            Step::One { out, of } => (out, 1, before(&[of])),
            Step::CountVotes {
                first,
                count,
                bin,
                acc,
                ..
            } => (
                first,
                count,
                before(&[bin]).max(before(program.operands(acc))),
            ),
            Step::ShuffleAt {
                out, value, lane, ..
            } => (out, 1, before(&[value, lane]) + 1),
            Step::SwapLanes {
                first, low, high, ..
            } => (first, 2, before(&[low, high])),
            Step::ReduceLanes { out, value, .. } => (out, 1, before(&[value]) + 1),
            Step::Combine {
                first, acc, other, ..
            } => {
                let both = [program.operands(acc), program.operands(other)];
                (first, acc.len, before(&both.concat()))
            }
            Step::Mma {
                first,
                acc,
                a,
                b,
                scales,
                ..
            } => {
                let lists = [acc, a, b].map(|list| before(program.operands(list)));
                let scales = scales.map(|s| s.map_or(0, |scales| before(&[scales.word])));
                let all = lists.into_iter().chain(scales);
                (first, acc.len, all.max().unwrap_or(0))
            }
            Step::Store { .. }
            | Step::StoreMatrices { .. }
            | Step::AtomicAdd { .. }
            | Step::Zero { .. }
            | Step::Load { .. }
            | Step::LoadMatrices { .. }
            | Step::Barrier(_) => continue,
        };
        chains[first.index()..][..count as usize].fill(chain);
        most = most.max(chain);
    }
    most
}

impl Program {
    /// Returns the number of words that each thread packs with byte permutes. If the elements of a word are values
    /// that form an aligned run of consecutive indices, they are assumed to share one hardware register, so the
    /// word is not counted.
    #[must_use]
    pub fn num_packed_words(&self) -> usize {
        let packs = self.steps.iter().filter(
            |step| matches!(step, Step::Pack { parts, .. } if packing(self, *parts, true) > 0),
        );
        packs.count()
    }
}

/// Returns the number of byte permutes that pack the narrow elements of `list` into words. If `one_word` is true,
/// all elements are packed into one word. If the elements of a word are values that form an aligned run of
/// consecutive indices, they are assumed to share one hardware register, so they need no permutes.
fn packing(program: &Program, list: Operands, one_word: bool) -> u32 {
    let values = program.operands(list);
    let container = program.element_bits(values[0]).max(8);
    if container >= 32 || program.is_word(values[0]) {
        return 0;
    }
    let per_word = if one_word {
        4
    } else {
        (32 / container) as usize
    };
    let is_run = |w: &[ValueId]| {
        w[0].index().is_multiple_of(w.len()) && w.windows(2).all(|p| p[1].0 == p[0].0 + 1)
    };
    values
        .chunks(per_word)
        .filter(|w| !is_run(w))
        .map(|w| narrow::<u32>(w.len()) - 1)
        .sum()
}

/// Returns the number of instructions that compute `address`. If `address.xor` is 0, or if an earlier address has
/// the same base and the same `xor`, the number is 0. Otherwise, the number is 1, and the function adds the pair
/// (base, `xor`) to `xors`, which contains the pairs of the earlier addresses.
fn address_cost(xors: &mut Vec<(u32, u32)>, address: Address) -> u32 {
    if address.xor == 0 || xors.contains(&(address.base, address.xor)) {
        return 0;
    }
    xors.push((address.base, address.xor));
    1
}
