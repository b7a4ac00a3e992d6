//! Candidates for swizzled and partitioned shared encodings.

use crate::encoding::cga::first_seen;
use crate::encoding::linear::{cga_of, single_step};
use crate::encoding::{
    AmdRotatingSharedEncoding, CgaLayout, Encoding, Ints, NvmmaSharedEncoding,
    PartitionedSharedEncoding, SwizzledSharedEncoding,
};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;

/// Returns the `swizzled_shared`, `amd_rotating_shared` and `nvmma_shared` encodings that may have the layout
/// `layout`.
pub(super) fn candidates<'a>(
    layout: &'a LinearLayout,
    shape: &'a [u64],
) -> impl Iterator<Item = Encoding> + 'a {
    let rank = shape.len();
    let mut found: Vec<Encoding> = Vec::new();
    if let Ok(cga) = cga_of(layout) {
        let moves = (0..layout.in_bits(Dim::OFFSET)).filter_map(|bit| {
            // The basis of a swizzled row also steps along the columns.
            let basis = layout.basis(Dim::OFFSET, bit);
            let dims: Vec<u32> = (0..narrow::<u32>(rank))
                .filter(|d| basis.at(*d as usize) != 0)
                .collect();
            (!dims.is_empty()).then_some(dims)
        });
        let mut order = Ints::new();
        for dims in moves {
            let fresh: Vec<u32> = dims.into_iter().filter(|d| !order.contains(d)).collect();
            for dim in fresh {
                let _ = order.push(dim);
            }
        }
        let order = first_seen(order.iter().copied(), (0..narrow::<u32>(rank)).rev());
        found.extend(swizzles(layout, &order, cga));
        if matches!(rank, 2..) && layout.in_bits(Dim::OFFSET) >= 6 {
            for transposed in [false, true] {
                for swizzle in [128, 64, 32, 0] {
                    for width in [16, 8, 32, 64] {
                        let e = NvmmaSharedEncoding::new(swizzle, transposed, width, false, cga);
                        found.extend(e.map(Encoding::from));
                    }
                }
                // Half of the offsets of padded 4-bit data are copies.
                let padded = NvmmaSharedEncoding::new(128, transposed, 8, true, cga);
                found.extend(padded.map(Encoding::from));
            }
        }
    }
    found.into_iter()
}

/// Returns the swizzled encodings with the order `order` that may have the layout `layout`. The swizzle parameters
/// are computed from the offset bases that step along both of the first two dims of `order`.
fn swizzles(layout: &LinearLayout, order: &[u32], cga: CgaLayout) -> Vec<Encoding> {
    let mut found = Vec::new();
    let mut push = |vec: u64, per: u64, max: u64| {
        let [vec, per, max] = [vec, per, max].map(|v| u32::try_from(v).unwrap_or(1));
        found.extend(SwizzledSharedEncoding::new(vec, per, max, order, cga).map(Encoding::from));
        let rotating = AmdRotatingSharedEncoding::new(vec, per, max, order, cga);
        found.extend(rotating.map(Encoding::from));
    };
    let (Some(col), Some(row)) = (order.first(), order.get(1)) else {
        push(1, 1, 1);
        return found;
    };
    let shifted: Vec<(u64, u64)> = (0..layout.in_bits(Dim::OFFSET))
        .map(|bit| layout.basis(Dim::OFFSET, bit))
        .filter(|b| b.at(*row as usize) != 0 && b.at(*col as usize) != 0)
        .map(|b| (b.at(*row as usize), b.at(*col as usize)))
        .collect();
    match (shifted.first(), shifted.last()) {
        (Some(first), Some(last)) => {
            // The last basis of a swizzle is the highest bit of its phase. A rotation has these bases with fewer
            // phases.
            let phases = last.0.saturating_mul(2) / first.0;
            push(first.1, first.0, phases);
            let fewer = (1..phases.checked_ilog2().unwrap_or(0))
                .rev()
                .map(|bits| 1 << bits);
            for phases in fewer.chain([2, 4].map(|more| phases.saturating_mul(more))) {
                push(first.1, first.0, phases);
            }
        }
        _ => push(1, 1, 1),
    }
    found
}

/// Returns the only candidate for a partitioned encoding that has the layout `layout`, or `None` if the layout is
/// not partitioned.
pub(super) fn partitioned_candidate(layout: &LinearLayout) -> Option<Encoding> {
    let steps = (0..layout.in_bits(Dim::PARTITION))
        .map(|bit| single_step(layout.basis(Dim::PARTITION, bit)).ok()?)
        .collect::<Option<Vec<_>>>()?;
    let (dim, inner) = *steps.first()?;
    let partitions = steps.len();
    let rounds = layout.out_bits(Dim::out(dim)) - usize::from(inner) - partitions;
    let offsets = layout.in_bits(Dim::OFFSET).checked_sub(rounds)?;
    // The layout of a part has no bits of `dim` from `inner` on. No other basis may use these bits.
    let mut outs: Vec<(Dim, u64)> = layout.out_shape().collect();
    outs[dim].1 = 1 << inner;
    let ins = [
        (Dim::OFFSET, 1 << offsets),
        (Dim::BLOCK, layout.in_size(Dim::BLOCK)),
    ];
    let any = Surjectivity::NotRequired;
    let mut columns = Vec::new();
    for (ind, size) in ins {
        for bit in 0..size.ilog2() as usize {
            let basis = layout.basis(ind, bit);
            if basis.at(dim) >> inner != 0 {
                return None;
            }
            let packed = outs.iter().enumerate().rev();
            columns.push(packed.fold(0, |packed, (d, (_, size))| packed * size + basis.at(d)));
        }
    }
    let piece = LinearLayout::from_columns(&ins, &outs, &columns, any).ok()?;
    let piece = Encoding::recognize(&piece).ok()?;
    let (partitions, rounds) = (1 << partitions, 1 << rounds);
    let whole = PartitionedSharedEncoding::new(partitions, rounds, narrow(dim), piece).ok()?;
    Some(whole.into())
}
