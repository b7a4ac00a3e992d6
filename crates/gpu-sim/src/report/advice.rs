//! Advice on inefficient accesses, found by applying candidate layouts to recorded addresses.
//!
//! A [`Sample`] holds the addresses of one access by one warp. For shared memory, each candidate (row padding or row
//! swizzle) is applied to all samples of a source line, and suggested only if no sample has bank conflicts then. For
//! global memory, the advice reports the distance between the addresses of consecutive lanes, which explains partly
//! used sectors.
//!
//! ```text
//! lanes 0 .. 31 store 4 bytes at 128 * lane      32 wavefronts: all lanes use bank 0
//! padding of 4 bytes after every 128             1 wavefront: lane n uses bank n
//! ```

use linear_layout::target::Banks;
use std::collections::BTreeMap;

/// The addresses of one access by one warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sample {
    /// Address that each lane accesses; `None` for inactive lanes.
    pub(crate) addresses: Vec<Option<u64>>,
    pub(crate) bytes: u32,
    /// Mask of lane-index bits. Lanes access the banks of shared memory in the same pass if their indices differ
    /// only in these bits.
    pub(crate) lane_bits: u32,
    pub(crate) is_shared: bool,
}

/// Maximum row size in bytes of a candidate layout. A candidate pads or permutes rows of this size or less.
const LARGEST_ROW: u64 = 1 << 13;

/// A change of a buffer's layout that may remove bank conflicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Candidate {
    /// Each row of `row` bytes is followed by `bytes` bytes of padding.
    Padding { row: u64, bytes: u64 },
    /// The groups of `vec` bytes in each row of `row` bytes are permuted. The index of a group in its row is XORed
    /// with `(row index / per_phase) % max_phase`.
    Swizzle {
        row: u64,
        vec: u64,
        per_phase: u64,
        max_phase: u64,
    },
}

impl Candidate {
    fn place(self, address: u64) -> u64 {
        match self {
            Self::Padding { row, bytes } => address + address / row * bytes,
            Self::Swizzle {
                row,
                vec,
                per_phase,
                max_phase,
            } => address ^ (address / row / per_phase % max_phase * vec),
        }
    }

    fn is_free(self, samples: &[&Sample], banks: Banks) -> bool {
        samples.iter().all(|sample| {
            let places = sample.addresses.iter();
            let places: Vec<_> = places.map(|at| at.map(|at| self.place(at))).collect();
            let found = banks.wavefronts(&places, sample.bytes, sample.lane_bits);
            found.taken == found.ideal
        })
    }

    fn text(self) -> String {
        match self {
            Self::Padding { row, bytes } => {
                format!("{bytes} bytes of padding after every {row} bytes")
            }
            Self::Swizzle {
                row,
                vec,
                per_phase,
                max_phase,
            } => format!(
                "swizzled rows of {row} bytes (vec = {vec} bytes, perPhase = {per_phase}, maxPhase = \
                 {max_phase})"
            ),
        }
    }
}

/// Returns the powers of two from `first`, a power of two, to `last` (inclusive).
fn powers(first: u64, last: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(first), |power| Some(2 * power)).take_while(move |p| *p <= last)
}

/// Returns advice on the shared-memory accesses of one source line; `None` if the samples have no bank conflicts.
pub(super) fn of_shared(samples: &[&Sample], banks: Banks) -> Option<String> {
    let (worst, taken) = samples
        .iter()
        .map(|sample| {
            let found = banks.wavefronts(&sample.addresses, sample.bytes, sample.lane_bits);
            (*sample, found.taken - found.ideal)
        })
        .max_by_key(|(_, excess)| *excess)?;
    if taken == 0 {
        return None;
    }
    let unit = samples.iter().map(|sample| u64::from(sample.bytes)).max()?;
    let unit = unit.next_power_of_two();
    let width = u64::from(banks.bytes);
    let swizzles = powers(2 * unit, LARGEST_ROW).flat_map(|row| {
        powers(unit, (row / 2).min(64)).flat_map(move |vec| {
            powers(1, 8).flat_map(move |per_phase| {
                powers(2, (row / vec).min(64)).map(move |max_phase| Candidate::Swizzle {
                    row,
                    vec,
                    per_phase,
                    max_phase,
                })
            })
        })
    });
    // Least padding first: small paddings after long rows.
    let mut paddings: Vec<(u64, u64)> = powers(unit.max(width), 128)
        .flat_map(|bytes| powers(2 * bytes, LARGEST_ROW).map(move |row| (row, bytes)))
        .collect();
    paddings.sort_by(|a, b| (a.1 * b.0).cmp(&(b.1 * a.0)).then(a.1.cmp(&b.1)));
    let paddings = paddings
        .into_iter()
        .map(|(row, bytes)| Candidate::Padding { row, bytes });
    let swizzle = swizzles
        .into_iter()
        .find(|candidate| candidate.is_free(samples, banks));
    let padding = paddings
        .into_iter()
        .find(|candidate| candidate.is_free(samples, banks));
    let found: Vec<String> = [swizzle, padding]
        .into_iter()
        .flatten()
        .map(Candidate::text)
        .collect();
    let stride = match stride(worst) {
        Some(bytes) if bytes.unsigned_abs().is_multiple_of(width) => {
            let steps = bytes.unsigned_abs() / width;
            let apart = steps % u64::from(banks.count);
            format!(
                "lanes are {bytes} bytes apart ({apart} banks modulo {}): ",
                banks.count
            )
        }
        Some(bytes) => format!("lanes are {bytes} bytes apart: "),
        None => String::new(),
    };
    Some(match found[..] {
        [] => format!(
            "{stride}no padding and no swizzle with rows of up to {LARGEST_ROW} bytes avoids bank conflicts"
        ),
        _ => format!(
            "{stride}to avoid bank conflicts, use {}",
            found.join(", or ")
        ),
    })
}

/// Returns advice on the global-memory accesses of one source line. Returns `None` if `samples` is empty, or if
/// most pairs of consecutive lanes in the first sample access the same address.
pub(super) fn of_global(samples: &[&Sample]) -> Option<String> {
    let sample = samples.first()?;
    let bytes = i64::from(sample.bytes);
    let Some(stride) = stride(sample) else {
        return Some(
            "lanes have no common stride, so they use only parts of the sectors".to_owned(),
        );
    };
    let text = match stride.abs() {
        0 => return None,
        apart if apart <= bytes => {
            let first = sample.addresses.iter().flatten().min()?;
            format!(
                "lanes are contiguous, but begin {} bytes after the start of a sector: align the first address to 32 bytes",
                first % 32
            )
        }
        apart if apart <= 16 && apart % bytes == 0 => format!(
            "lanes are {stride} bytes apart and access {bytes} bytes each: use sizePerThread = 1, or make contiguity \
             and divisibility large enough for accesses of {apart} bytes per lane"
        ),
        _ => format!(
            "lanes are {stride} bytes apart and access {bytes} bytes each: to coalesce them, put the dimension that is \
             contiguous in memory first in `order`, with sizePerThread of up to 16 bytes along this dimension"
        ),
    };
    Some(text)
}

/// Returns the most frequent difference between the address of a lane and the address of the preceding lane. Only
/// pairs of active lanes count. Returns `None` if there is no such pair, or if fewer than half of these pairs have
/// the most frequent difference.
fn stride(sample: &Sample) -> Option<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    let mut pairs = 0;
    for pair in sample.addresses.windows(2) {
        if let [Some(a), Some(b)] = *pair {
            *counts.entry(b.wrapping_sub(a).cast_signed()).or_default() += 1;
            pairs += 1;
        }
    }
    let (stride, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * count >= pairs).then_some(stride)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANKS: Banks = Banks {
        count: 32,
        bytes: 4,
    };

    fn sample(bytes: u32, at: impl Fn(u64) -> u64) -> Sample {
        Sample {
            addresses: (0..32).map(|lane| Some(at(lane))).collect(),
            bytes,
            lane_bits: BANKS.consecutive(bytes),
            is_shared: true,
        }
    }

    #[test]
    fn columns_of_a_matrix_are_swizzled_or_padded() {
        let column = sample(4, |lane| 128 * lane);
        assert_eq!(
            of_shared(&[&column], BANKS).as_deref(),
            Some(
                "lanes are 128 bytes apart (0 banks modulo 32): to avoid bank conflicts, use swizzled rows of 128 bytes \
                 (vec = 4 bytes, perPhase = 1, maxPhase = 32), or 4 bytes of padding after every 128 bytes"
            )
        );
        let wide = sample(16, |lane| 256 * lane);
        assert!(
            of_shared(&[&wide], BANKS)
                .unwrap()
                .contains("16 bytes of padding")
        );
        let row = sample(4, |lane| 4 * lane);
        assert_eq!(of_shared(&[&row], BANKS), None);
    }

    /// If the samples contain accesses to rows and accesses to columns, the advice names only layouts that avoid
    /// bank conflicts for both.
    #[test]
    fn one_layout_serves_all_samples() {
        let (row, column) = (sample(4, |lane| 4 * lane), sample(4, |lane| 256 * lane));
        let advice = of_shared(&[&row, &column], BANKS).unwrap();
        assert!(
            advice.contains("4 bytes of padding after every 256 bytes"),
            "{advice}"
        );
        let swizzle = Candidate::Swizzle {
            row: 128,
            vec: 4,
            per_phase: 2,
            max_phase: 32,
        };
        assert!(advice.contains(&swizzle.text()), "{advice}");
        assert!(swizzle.is_free(&[&row, &column], BANKS));
    }

    #[test]
    fn distances_of_lanes_explain_sectors() {
        let advice = |bytes, at: fn(u64) -> u64| of_global(&[&sample(bytes, at)]).unwrap();
        assert!(
            advice(4, |lane| 4096 * lane)
                .starts_with("lanes are 4096 bytes apart and access 4 bytes each: to coalesce")
        );
        assert!(advice(4, |lane| 16 * lane).contains("sizePerThread = 1"));
        assert!(advice(4, |lane| 4 + 4 * lane).contains("begin 4 bytes after"));
        assert!(advice(4, |lane| lane * lane * 64).contains("no common stride"));
    }
}
