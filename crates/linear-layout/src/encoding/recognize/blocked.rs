//! Candidates for blocked encodings, and for operands of matrix products without matrix instructions.

use super::{BasisStep, BasisSteps};
use crate::encoding::{BlockedEncoding, DotOperandEncoding, Encoding, Ints, MAX_RANK, cga};
use crate::number::narrow;

/// A rule for zero bases, which do not step along any dim. A candidate encoding must nevertheless assign each zero
/// basis to a dim, along which the number of lanes or warps is doubled. The rule selects this dim.
#[derive(Clone, Copy)]
enum ZeroBasisRule {
    /// The dim of the nearest nonzero basis before the zero basis, or else after it. If all bases are zero, the
    /// first dim of the order is selected.
    Before,
    /// The dim of the nearest nonzero basis after the zero basis, or else before it. If all bases are zero, the last
    /// dim of the order is selected.
    After,
    First,
    Last,
}

/// Returns the size of a box along each dim. Each nonzero basis of `list` doubles the size along the dim along
/// which it steps. A zero basis doubles the size along the dim that `rule` selects.
fn boxes(list: &[BasisStep], order: &[u32], rule: ZeroBasisRule) -> Ints {
    let mut boxes = Ints::filled(1, order.len());
    let at = |index: usize| order[index.min(order.len() - 1)] as usize;
    for (i, step) in list.iter().enumerate() {
        let before = || list[..i].iter().rev().flatten().next().map(|(d, _)| *d);
        let after = || list[i..].iter().flatten().next().map(|(d, _)| *d);
        let dim = match (step, rule) {
            (Some((dim, _)), _) => *dim,
            (None, ZeroBasisRule::Before) => before().or_else(after).unwrap_or(at(0)),
            (None, ZeroBasisRule::After) => after().or_else(before).unwrap_or(at(order.len())),
            (None, ZeroBasisRule::First) => at(0),
            (None, ZeroBasisRule::Last) => at(order.len()),
        };
        boxes[dim] = boxes[dim].saturating_mul(2);
    }
    boxes
}

/// Returns blocked encodings that may have the bases `s`. They differ in the order of the dims, in the number of
/// elements per thread along each dim, and in the dims to which zero bases are assigned.
pub(super) fn candidates(s: &BasisSteps, shape: &[u64]) -> Vec<Encoding> {
    let rank = s.rank;
    let mut found = Vec::new();
    let moves = s.register.iter().chain(&s.lane).chain(&s.warp).flatten();
    let first = cga::first_seen(
        moves.map(|(d, _)| narrow::<u32>(*d)),
        (0..narrow::<u32>(rank)).rev(),
    );
    let lanes = s.lane.iter().chain(&s.warp).chain(&s.register).flatten();
    let by_lane = cga::first_seen(
        lanes.map(|(d, _)| narrow::<u32>(*d)),
        (0..narrow::<u32>(rank)).rev(),
    );
    // Along each dim, the box of a thread ends at the lowest step of a lane or a warp.
    let share = s.cga.shape_per_cta(shape);
    let mut size = [0u32; MAX_RANK];
    for dim in 0..rank {
        let lowest = s
            .lane
            .iter()
            .chain(&s.warp)
            .flatten()
            .filter(|(d, _)| *d == dim)
            .map(|(_, b)| *b)
            .min();
        size[dim] = match lowest {
            Some(bit) => u32::from(bit),
            None => share[dim].trailing_zeros(),
        };
    }
    // Along a dim without lanes and warps, the box consists of the registers before the first repetition along any dim.
    let mut unit = size;
    let mut prefix = [0u32; MAX_RANK];
    for (dim, bit) in s.register.iter().flatten() {
        if u32::from(*bit) == prefix[*dim] && u32::from(*bit) < size[*dim] {
            prefix[*dim] += 1;
        } else {
            break;
        }
    }
    for dim in 0..rank {
        unit[dim] = unit[dim].min(prefix[dim]);
    }
    // A dim of size 1, whose bases are zero, may also come first.
    let still = |order: &Ints| {
        let moves = |d: &u32| shape[*d as usize] > 1;
        let (rest, still): (Vec<u32>, Vec<u32>) = order.iter().copied().partition(moves);
        Ints::collect(still.into_iter().chain(rest))
    };
    for order in [by_lane, first, still(&by_lane), still(&first)] {
        for size in [unit, size] {
            let size = Ints::collect(size[..rank].iter().map(|s| 1 << s));
            for rule in [
                ZeroBasisRule::Before,
                ZeroBasisRule::After,
                ZeroBasisRule::Last,
                ZeroBasisRule::First,
            ] {
                let threads = boxes(&s.lane, &order, rule);
                let warps = boxes(&s.warp, &order, rule);
                if let Ok(e) = BlockedEncoding::new(&size, &threads, &warps, &order, s.cga) {
                    let e = Encoding::from(e);
                    if !found.contains(&e) {
                        found.push(e);
                    }
                }
            }
        }
    }
    found
}

/// Returns encodings that may have the bases `s` and describe operands of a matrix product whose result is blocked.
/// In these operands, a thread holds all elements along K, and the threads that step along K in the result hold
/// copies.
pub(super) fn operands(s: &BasisSteps, shape: &[u64]) -> Vec<Encoding> {
    if !matches!(s.rank, 2 | 3) {
        return Vec::new();
    }
    let share = s.cga.shape_per_cta(shape);
    let mut found = Vec::new();
    for (op_idx, k) in [(0, s.rank - 1), (1, s.rank - 2)] {
        let summed = s.register.iter().flatten().filter(|(d, _)| *d == k).count();
        if narrow::<u32>(summed) != share[k].trailing_zeros() {
            continue;
        }
        for parent in candidates(&s.unfold_along(k), shape) {
            found.extend(DotOperandEncoding::new(op_idx, parent, 0).map(Encoding::from));
        }
    }
    found
}
