//! Blocked encodings, and the operands of products without matrix instructions.

use super::{Step, Steps};
use crate::encoding::{BlockedEncoding, DotOperandEncoding, Encoding, Ints, MAX_RANK, cga};
use crate::number::narrow;

/// The dim that a basis which moves nowhere is counted for.
#[derive(Clone, Copy)]
enum Home {
    /// That of the basis before it; the box reaches beyond the tensor there.
    Before,
    /// That of the basis after it.
    After,
    First,
    Last,
}

/// Returns how far the bases reach along each dim, those that move nowhere included.
fn boxes(list: &[Step], order: &[u32], home: Home) -> Ints {
    let mut boxes = Ints::filled(1, order.len());
    let at = |place: usize| order[place.min(order.len() - 1)] as usize;
    for (i, step) in list.iter().enumerate() {
        let before = || list[..i].iter().rev().flatten().next().map(|(d, _)| *d);
        let after = || list[i..].iter().flatten().next().map(|(d, _)| *d);
        let dim = match (step, home) {
            (Some((dim, _)), _) => *dim,
            (None, Home::Before) => before().or_else(after).unwrap_or(at(0)),
            (None, Home::After) => after().or_else(before).unwrap_or(at(order.len())),
            (None, Home::First) => at(0),
            (None, Home::Last) => at(order.len()),
        };
        boxes[dim] = boxes[dim].saturating_mul(2);
    }
    boxes
}

/// Blocked encodings: the order is that in which the inputs first move along the dims.
pub(super) fn candidates(s: &Steps, shape: &[u64]) -> Vec<Encoding> {
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
    // A thread's box ends where the lanes begin; where no lane moves, where the warps begin.
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
    // Along a dim without lanes and warps, only the registers before the others' repetitions are the box.
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
    // A dim that nothing moves along may also come first, with what repeats in front.
    let still = |order: &Ints| {
        let moves = |d: &u32| shape[*d as usize] > 1;
        let (rest, still): (Vec<u32>, Vec<u32>) = order.iter().copied().partition(moves);
        Ints::collect(still.into_iter().chain(rest))
    };
    for order in [by_lane, first, still(&by_lane), still(&first)] {
        for size in [unit, size] {
            let size = Ints::collect(size[..rank].iter().map(|s| 1 << s));
            for home in [Home::Before, Home::After, Home::Last, Home::First] {
                let threads = boxes(&s.lane, &order, home);
                let warps = boxes(&s.warp, &order, home);
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

/// Operands of products without matrix instructions: a thread holds all of the summed dim, and what
/// differs in the result along it is repeated.
pub(super) fn operands(s: &Steps, shape: &[u64]) -> Vec<Encoding> {
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
        for parent in candidates(&s.unfolded_along(k), shape) {
            found.extend(DotOperandEncoding::new(op_idx, parent, 0).map(Encoding::from));
        }
    }
    found
}
