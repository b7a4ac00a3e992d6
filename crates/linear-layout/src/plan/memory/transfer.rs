//! The register layout with which a block copies a tensor from one buffer to another.
//!
//! If different elements are adjacent in the two buffers, each thread holds a small tile, which it reads along one side
//! and writes along the other:
//! ```text
//! from: n is adjacent     registers: k0 k1, n0 n1     to: k is adjacent
//! 4 reads of 4 elements  ->  4 x 4 elements per thread  ->  4 writes of 4 elements
//! ```
//! The lanes of a phase move along coordinates that reach different banks in both buffers. The layout is a permutation of
//! coordinate bits, as `#ttg.linear` requires; a buffer without swizzle may then have conflicts.

use super::super::gf2::independent;
use super::BufferLayout;
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;
use crate::target::Target;

/// The number of coordinate bits up to which a layout is searched. No shared memory holds a larger tensor.
const MOST_BITS: usize = 18;

/// The coordinate bits of the registers and of the lanes of a phase, as masks of packed coordinates.
struct Tile {
    registers: u32,
    /// The lanes of the shorter of the two phases, and the further lanes of the longer one.
    lanes: [u32; 2],
    /// Wavefronts of both copies, and accesses per thread.
    cost: (u64, u64),
}

/// Returns a layout in which `2^warps_log2` warps of `2^lanes_log2` lanes read a tensor of shape `shape` from the buffer `from`,
/// and write it to the buffer `to`, in few wavefronts. Returns `None` if elements that are adjacent in one buffer are also
/// adjacent in the other, if a buffer is padded, if there are more threads than elements, or if the tensor has more than
/// `2^18` elements.
#[must_use]
pub fn plan_transfer(
    [from, to]: [&BufferLayout; 2],
    shape: &[u64],
    [lanes_log2, warps_log2]: [u32; 2],
    target: &Target,
) -> Option<LinearLayout> {
    if !from.paddings().is_empty() || !to.paddings().is_empty() {
        return None;
    }
    let bits = strides([from, to], shape)?;
    let num_registers = narrow::<u32>(bits.len()).checked_sub(lanes_log2 + warps_log2)?;
    let element = from.element_bytes();
    let most = u64::from(target.max_shared_vector_bits / 8);
    let adjacent = [0, 1].map(|buffer| {
        let starts = (0..).map(|i| element << i).take_while(|step| *step < most);
        let found = starts.map_while(|step| bits.iter().position(|bytes| bytes[buffer] == step));
        found.collect::<Vec<usize>>()
    });
    if adjacent[0].iter().any(|bit| adjacent[1].contains(bit)) {
        return None;
    }
    let search = Search {
        bits: &bits,
        element,
        wavefront: u64::from(target.wavefront_bytes()),
        bank: u64::from(target.bank_bytes),
        lanes_log2,
    };
    let mut best: Option<Tile> = None;
    for read in (0..=adjacent[0].len()).rev() {
        for write in (0..=adjacent[1].len()).rev() {
            if read + write <= num_registers as usize {
                let registers = [&adjacent[0][..read], &adjacent[1][..write]];
                search.improve(&mut best, registers);
            }
        }
    }
    let tile = best?;
    let chosen = |mask: u32| (0..bits.len()).filter(move |bit| mask >> bit & 1 == 1);
    let [first, further] = tile.lanes;
    let mut registers: Vec<usize> = chosen(tile.registers).collect();
    let mut lanes: Vec<usize> = chosen(first).chain(chosen(further)).collect();
    let mut rest: Vec<usize> = chosen(!(tile.registers | first | further)).collect();
    rest.sort_by_key(|bit| bits[*bit][0]);
    let warps = rest.split_off(rest.len() - warps_log2 as usize);
    registers.extend(rest.split_off(lanes_log2 as usize - lanes.len()));
    lanes.extend(rest);
    let columns = [registers, lanes, warps].concat().into_iter();
    let columns: Vec<u64> = columns.map(|bit| 1 << bit).collect();
    let ins = [
        (Dim::REGISTER, 1 << num_registers),
        (Dim::LANE, 1 << lanes_log2),
        (Dim::WARP, 1 << warps_log2),
        (Dim::BLOCK, 1),
    ];
    let outs: Vec<(Dim, u64)> = (0..).map(Dim::out).zip(shape.iter().copied()).collect();
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required).ok()
}

/// Returns the bytes by which each bit of the packed coordinates moves the positions in the two buffers. Returns `None` if the
/// tensor is too large.
fn strides(buffers: [&BufferLayout; 2], shape: &[u64]) -> Option<Vec<[u64; 2]>> {
    let [from, to] = [buffers[0].steps().ok()?, buffers[1].steps().ok()?];
    let mut bits = Vec::new();
    for (dim, size) in shape.iter().enumerate() {
        for bit in 0..size.ilog2() as usize {
            bits.push([*from.get(dim)?.get(bit)?, *to.get(dim)?.get(bit)?]);
        }
    }
    (bits.len() <= MOST_BITS).then_some(bits)
}

struct Search<'a> {
    /// See [`strides`].
    bits: &'a [[u64; 2]],
    /// Bytes of an element, of a wavefront and of a bank.
    element: u64,
    wavefront: u64,
    bank: u64,
    lanes_log2: u32,
}

impl Search<'_> {
    /// Replaces `best` by the best tile whose reads and writes access the bits `accessed`, if this tile costs less.
    fn improve(&self, best: &mut Option<Tile>, accessed: [&[usize]; 2]) {
        let registers = accessed
            .concat()
            .iter()
            .fold(0, |mask, bit| mask | 1 << bit);
        let banks = accessed.map(|bits| self.bank_bits(bits.len()));
        let phases = banks.map(|mask| mask.count_ones().min(self.lanes_log2));
        // A shorter phase consists of the first lanes of a longer one.
        let (short, long) = match phases[0] <= phases[1] {
            true => (0, 1),
            false => (1, 0),
        };
        let bound = self.cost(accessed, phases);
        let is_better =
            |best: &Option<Tile>, cost| best.as_ref().is_none_or(|best| cost < best.cost);
        if !is_better(best, bound) {
            return;
        }
        let free = !registers & ((1 << self.bits.len()) - 1);
        for first in subsets(free, phases[short]) {
            for further in subsets(free & !first, phases[long] - phases[short]) {
                let mut ranks = [0; 2];
                ranks[short] = self.rank(first, short, banks[short]);
                ranks[long] = self.rank(first | further, long, banks[long]);
                let cost = self.cost(accessed, ranks);
                if is_better(best, cost) {
                    *best = Some(Tile {
                        registers,
                        lanes: [first, further],
                        cost,
                    });
                    if cost == bound {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the bits of a position that select the banks of an access of `2^vector_log2` elements.
    fn bank_bits(&self, vector_log2: usize) -> u64 {
        let bytes = (self.element << vector_log2).max(self.bank);
        self.wavefront.saturating_sub(bytes)
    }

    /// Returns the number of different banks, as a power of two, that the lanes in the mask `lanes` reach in one buffer.
    fn rank(&self, lanes: u32, buffer: usize, banks: u64) -> u32 {
        let lanes = (0..self.bits.len()).filter(|bit| lanes >> bit & 1 == 1);
        let moved = lanes.map(|bit| self.bits[bit][buffer] & banks);
        narrow(independent(moved).len())
    }

    /// Returns the wavefronts of the reads and writes, and the number of accesses per thread. `ranks` are the numbers of
    /// lanes, as powers of two, that each access serves at once.
    fn cost(&self, accessed: [&[usize]; 2], ranks: [u32; 2]) -> (u64, u64) {
        let all = self.bits.len();
        let once = |i: usize| 1u64 << (all - accessed[i].len()).saturating_sub(ranks[i] as usize);
        let accesses = |i: usize| 1u64 << (all - accessed[i].len());
        (once(0) + once(1), accesses(0) + accesses(1))
    }
}

/// Returns the subsets of `set` with `size` elements, all as masks, in ascending order.
fn subsets(set: u32, size: u32) -> Vec<u32> {
    if size == 0 {
        return vec![0];
    }
    let highest_bits = (0..u32::BITS).filter(|bit| set >> bit & 1 == 1);
    let with_highest = highest_bits.flat_map(|bit| {
        let below = subsets(set & ((1 << bit) - 1), size - 1);
        below.into_iter().map(move |subset| subset | 1 << bit)
    });
    with_highest.collect()
}
