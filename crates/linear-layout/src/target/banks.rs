//! Bank conflicts: wavefronts of a warp-wide shared-memory access.

use super::Target;
use crate::number::narrow;
use std::ops::{AddAssign, Div, Mul};

/// The numbers of wavefronts of a shared-memory access. In one wavefront each bank transfers at most one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wavefronts {
    /// Number of wavefronts that the access takes.
    pub taken: u64,
    /// Number of wavefronts without bank conflicts: one for each phase. A phase is a group of lanes that are served
    /// together.
    pub ideal: u64,
}

impl AddAssign for Wavefronts {
    fn add_assign(&mut self, other: Self) {
        self.taken += other.taken;
        self.ideal += other.ideal;
    }
}

impl Mul<u64> for Wavefronts {
    type Output = Self;

    fn mul(self, by: u64) -> Self {
        Self {
            taken: self.taken * by,
            ideal: self.ideal * by,
        }
    }
}

impl Div<u64> for Wavefronts {
    type Output = Self;

    fn div(self, by: u64) -> Self {
        Self {
            taken: self.taken / by,
            ideal: self.ideal / by,
        }
    }
}

/// Returns the mask of the lane bits in which the lanes of a phase of a load differ, on NVIDIA GPUs. `lane_bits` is
/// the mask that applies if all lanes have different addresses. `repeats(mask)` is true if each lane `i` has the
/// same address as lane `i ^ mask`. If `repeats(1)` or `repeats(2)` is true, a phase has twice as many lanes, and
/// the returned mask has one more bit.
pub fn paired(lane_bits: u32, repeats: impl Fn(u32) -> bool) -> u32 {
    match repeats(1) || repeats(2) {
        true => lane_bits << 1 | 1,
        false => lane_bits,
    }
}

/// Returns true if each lane `i` has the same address as lane `i ^ mask`. Pairs of lanes of which at least one is
/// inactive are ignored.
pub fn repeats(addresses: &[Option<u64>], mask: u32) -> bool {
    (0..addresses.len()).all(|lane| {
        let other = addresses.get(lane ^ mask as usize).copied().flatten();
        match (addresses[lane], other) {
            (Some(address), Some(other)) => address == other,
            _ => true,
        }
    })
}

/// The banks of a GPU's shared memory. Consecutive words are in consecutive banks.
///
/// # Units
/// Each of the `count` banks is `bytes` wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Banks {
    /// Number of banks.
    pub count: u32,
    /// Width of a bank in bytes.
    pub bytes: u32,
}

impl Banks {
    pub(crate) const fn of(target: &Target) -> Self {
        Self {
            count: target.banks,
            bytes: target.bank_bytes,
        }
    }

    /// Returns the mask of the lane bits that vary within a phase of an access of `bytes` bytes per lane, on targets
    /// where a phase consists of consecutive lanes. With 32 banks of 4 bytes, a phase has 32 lanes with up to 4 bytes,
    /// 16 lanes with 8 bytes, or 8 lanes with 16 bytes.
    pub fn consecutive(self, bytes: u32) -> u32 {
        // An access of 12 bytes occupies as many banks as one of 16.
        let per_lane = bytes.max(self.bytes).next_power_of_two();
        (self.count * self.bytes / per_lane).max(1) - 1
    }

    /// Counts the wavefronts of one access of one warp, with and without bank conflicts.
    ///
    /// Lanes that differ only in `lane_bits` form a phase. In each wavefront, a bank delivers one word to all lanes of
    /// the phase that access this word. For example, CDNA3 serves 16-byte loads of lanes 0 to 3 and 16 to 19 in one
    /// phase, so `lane_bits` is `0b010011`.
    ///
    /// | lanes 0 .. 31 read 4 bytes at | taken | ideal |
    /// |---|---|---|
    /// | `4 * lane` | 1 | 1 |
    /// | `8 * lane` | 2 | 1 |
    /// | `128 * lane` | 32 | 1 |
    /// | `0` | 1 | 1 |
    /// # Units
    /// `addresses` has one byte address for each lane, or `None` for an inactive lane. `bytes` is the width of the
    /// access per lane.
    pub fn wavefronts(self, addresses: &[Option<u64>], bytes: u32, lane_bits: u32) -> Wavefronts {
        let lane_bits = lane_bits as usize;
        let (width, count) = (u64::from(self.bytes), u64::from(self.count));
        // The distinct words, each with a link to the previous word of the same bank, plus one.
        let mut words: Vec<(u64, usize)> = Vec::new();
        // For each bank, its last word plus one, and the number of its words.
        let mut banks = vec![(0, 0u64); self.count as usize];
        let mut sum = Wavefronts::default();
        for first in (0..addresses.len()).filter(|lane| lane & lane_bits == 0) {
            words.clear();
            banks.fill((0, 0));
            let mut most = 0;
            let members = (first..addresses.len()).filter(|lane| lane & !lane_bits == first);
            for address in members.filter_map(|lane| addresses[lane]) {
                let end = quotient(address + u64::from(bytes) + width - 1, width);
                for word in quotient(address, width)..end {
                    if words.last().is_some_and(|last| last.0 == word) {
                        continue;
                    }
                    let (last, load) =
                        &mut banks[narrow::<usize>(word - quotient(word, count) * count)];
                    let mut at = *last;
                    while at != 0 && words[at - 1].0 != word {
                        at = words[at - 1].1;
                    }
                    if at == 0 {
                        words.push((word, *last));
                        *last = words.len();
                        *load += 1;
                        most = most.max(*load);
                    }
                }
            }
            if !words.is_empty() {
                sum += Wavefronts {
                    taken: most,
                    ideal: 1,
                };
            }
        }
        sum
    }
}

/// Returns the quotient of `value` and `by`, computed by a shift if `by` is a power of two.
fn quotient(value: u64, by: u64) -> u64 {
    match by.is_power_of_two() {
        true => value >> by.trailing_zeros(),
        false => value / by,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Access;
    use super::*;

    #[track_caller]
    fn check(lanes: usize, bytes: u32, banks: u32, at: impl Fn(u64) -> u64, expect: (u64, u64)) {
        let addresses: Vec<_> = (0..lanes as u64).map(|lane| Some(at(lane))).collect();
        let banks = Banks {
            count: banks,
            bytes: 4,
        };
        let found = banks.wavefronts(&addresses, bytes, banks.consecutive(bytes));
        assert_eq!((found.taken, found.ideal), expect);
    }

    #[test]
    fn groups_of_lanes_that_are_not_consecutive() {
        // Lanes 4 to 7 and 16 to 19 access the same banks: no conflict in separate phases.
        let at = |lane: u64| 16 * (lane & 3 | lane >> 2 & 4) + 128 * (lane >> 2);
        let addresses: Vec<_> = (0..64).map(|lane| Some(at(lane))).collect();
        let banks = Banks {
            count: 32,
            bytes: 4,
        };
        let taken = |lane_bits| banks.wavefronts(&addresses, 16, lane_bits).taken;
        assert_eq!([taken(0b01_0011), taken(banks.consecutive(16))], [8, 16]);
    }

    /// Compares the computed wavefronts with the cycles per access that `tools/gpu/wavefronts.cu` measured on an
    /// H100 with 32 warps per SM.
    #[test]
    fn wavefronts_are_those_of_an_h100() {
        type Pattern = fn(u64) -> u64;
        // The address of a lane in units of the width, and the wavefronts of loads and of stores of 16, 8 and 4 bytes.
        let measured: [(Pattern, [u64; 3], [u64; 3]); 24] = [
            (|_| 0, [2, 1, 1], [4, 2, 1]),
            (|l| l & 1, [2, 1, 1], [4, 2, 1]),
            (|l| l >> 4, [2, 1, 1], [4, 2, 1]),
            (|l| l >> 3, [2, 1, 1], [4, 2, 1]),
            (|l| l & 3, [4, 2, 1], [4, 2, 1]),
            (|l| l >> 2, [2, 1, 1], [4, 2, 1]),
            (|l| l & 7, [4, 2, 1], [4, 2, 1]),
            (|l| l >> 1, [2, 1, 1], [4, 2, 1]),
            (|l| l & 15, [4, 2, 1], [4, 2, 1]),
            (|l| l, [4, 2, 1], [4, 2, 1]),
            (|l| l >> 2 & 3, [2, 1, 1], [4, 2, 1]),
            (|l| l >> 1 & 7, [2, 1, 1], [4, 2, 1]),
            (|l| l & 1 | (l >> 4) << 1, [2, 1, 1], [4, 2, 1]),
            (|l| l & 1 | (l >> 3) << 1, [2, 1, 1], [4, 2, 1]),
            (|l| l & 3 | (l >> 3) << 2, [4, 2, 1], [4, 2, 1]),
            (|l| l & 7 | (l >> 4) << 3, [4, 2, 1], [4, 2, 1]),
            // Several rows of all banks.
            (|l| (l & 1) * 64, [4, 2, 2], [8, 4, 2]),
            (|l| (l >> 4) * 64, [2, 2, 2], [4, 2, 2]),
            (|l| (l >> 3) * 64, [4, 4, 4], [4, 4, 4]),
            (|l| (l >> 3 & 1) * 64, [4, 2, 2], [4, 4, 2]),
            (|l| (l >> 2) * 32, [8, 8, 8], [8, 8, 8]),
            (|l| (l & 7) + (l >> 4) * 64, [4, 2, 2], [4, 2, 2]),
            (|l| (l & 7) + (l >> 3) * 64, [4, 4, 4], [4, 4, 4]),
            (|l| (l & 3) + (l >> 4) * 64, [4, 2, 2], [4, 2, 2]),
        ];
        let target = Target::parse("cuda:90").unwrap();
        for (row, (at, loads, stores)) in measured.into_iter().enumerate() {
            for (access, expected) in [(Access::Load, loads), (Access::Store, stores)] {
                for (bytes, expected) in [16, 8, 4].into_iter().zip(expected) {
                    let address = |lane| Some(at(lane) * u64::from(bytes));
                    let addresses: Vec<_> = (0..32).map(address).collect();
                    let found = target.wavefronts(&addresses, bytes, access);
                    assert_eq!(
                        found.taken, expected,
                        "row {row}, {access:?} of {bytes} bytes"
                    );
                }
            }
        }
    }

    #[test]
    fn textbook_cases() {
        check(32, 4, 32, |l| 4 * l, (1, 1));
        check(32, 4, 32, |l| 8 * l, (2, 1));
        check(32, 4, 32, |l| 128 * l, (32, 1));
        check(32, 4, 32, |_| 0, (1, 1));
        check(32, 2, 32, |l| 2 * l, (1, 1));
        check(32, 16, 32, |l| 16 * l, (4, 4));
        check(32, 16, 32, |l| 128 * l, (32, 4));
        check(32, 8, 32, |l| 8 * l, (2, 2));
        check(64, 4, 32, |l| 4 * l, (2, 2));
        check(64, 4, 64, |l| 4 * l, (1, 1));
        check(64, 16, 32, |l| 16 * l, (8, 8));
        check(64, 12, 32, |l| 12 * l, (8, 8));
    }
}
