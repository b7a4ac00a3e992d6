//! Candidates for results and operands of matrix instructions.

use super::{BasisStep, BasisSteps};
use crate::encoding::linear::layout_from_bases;
use crate::encoding::{
    AmdMfmaEncoding, AmdWmmaEncoding, DotOperandEncoding, Encoding, Ints, MAX_RANK,
    NvidiaMmaEncoding,
};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;

pub(super) fn candidates(s: &BasisSteps) -> Vec<Encoding> {
    if !matches!(s.rank, 2 | 3) || s.warp.len() > 6 {
        return Vec::new();
    }
    let warps = warp_splits(s);
    match s.lane.len() {
        5 => {
            let mut found = with_operands(s, nvidia(s, &warps));
            found.extend(wmma_results(s));
            found.extend(wmma_operands(s));
            found
        }
        6 => with_operands(s, mfma(s, &warps)),
        _ => Vec::new(),
    }
}

/// Returns the candidates for `warpsPerCTA`. Each zero warp basis is tried along every dim. The candidates in which
/// all zero bases are assigned to the same dim come first.
fn warp_splits(s: &BasisSteps) -> Vec<Ints> {
    let mut seen = Ints::filled(1, s.rank);
    for (dim, _) in s.warp.iter().flatten() {
        seen[*dim] <<= 1;
    }
    let copies = s.warp.iter().filter(|w| w.is_none()).count();
    let mut splits = vec![seen];
    for _ in 0..copies {
        let mut more = Vec::new();
        for split in &splits {
            for dim in 0..s.rank {
                let mut split = *split;
                split[dim] <<= 1;
                if !more.contains(&split) {
                    more.push(split);
                }
            }
        }
        splits = more;
    }
    let dims_grown = |split: &Ints| {
        split
            .iter()
            .zip(seen.iter())
            .filter(|(a, b)| a != b)
            .count()
    };
    splits.sort_by_key(dims_grown);
    splits
}

fn nvidia(s: &BasisSteps, warps: &[Ints]) -> Vec<Encoding> {
    let mut found = Vec::new();
    for warps in warps {
        for instr in [[16, 8], [16, 16], [8, 8]] {
            let instr = Ints::collect((2..s.rank).map(|_| 1).chain(instr));
            found.extend(NvidiaMmaEncoding::new(2, 0, warps, s.cga, &instr).map(Encoding::from));
        }
        if s.rank == 2 {
            for size in [256, 128, 64, 32, 16, 8] {
                let mma = NvidiaMmaEncoding::new(3, 0, warps, s.cga, &[16, size, 16]);
                found.extend(mma.map(Encoding::from));
            }
        }
    }
    found
}

fn mfma(s: &BasisSteps, warps: &[Ints]) -> Vec<Encoding> {
    let mut found: Vec<Encoding> = Vec::new();
    for warps in warps {
        for (instr, width) in [
            ([32, 32, 8], 32),
            ([16, 16, 16], 32),
            ([64, 4, 4], 32),
            ([4, 64, 4], 32),
            ([16, 16, 4], 64),
            ([32, 32, 8], 64),
            ([64, 4, 4], 64),
            ([4, 64, 4], 64),
        ] {
            for tiles in tiles_per_warp(s, [instr[0], instr[1]]) {
                for transposed in [false, true] {
                    let mfma =
                        AmdMfmaEncoding::new(3, warps, &instr, transposed, s.cga, &tiles, width);
                    found.extend(mfma.map(Encoding::from));
                }
            }
        }
    }
    found
}

/// Returns the candidates for `tilesPerWarp`. The first candidate has one tile per warp. In the second candidate,
/// the tiles of a warp extend along each dim up to the lowest step of a warp basis.
///
/// A warp may also have tiles outside the tensor, whose register bases are zero. Therefore, each further candidate
/// multiplies the numbers of tiles of the second one by powers of two. At most four zero register bases are used.
fn tiles_per_warp(s: &BasisSteps, instr: [u32; 2]) -> Vec<Ints> {
    let mut tiles = Ints::filled(1, s.rank);
    for (dim, size) in (s.rank - 2..).zip(instr) {
        let along = s.warp.iter().flatten().filter(|(d, _)| *d == dim);
        if let Some(first) = along.map(|(_, bit)| *bit).min() {
            // The encoding stores the number of tiles in 32 bits.
            tiles[dim] = u32::try_from((1u64 << first) / u64::from(size)).map_or(1, |n| n.max(1));
        }
    }
    let copies = s
        .register
        .iter()
        .filter(|step| step.is_none())
        .count()
        .min(4);
    let mut found = vec![Ints::filled(1, s.rank)];
    for (rows, columns) in (0..=copies).flat_map(|r| (0..=copies - r).map(move |c| (r, c))) {
        let mut more = tiles;
        more[s.rank - 2] <<= rows;
        more[s.rank - 1] <<= columns;
        if !found.contains(&more) {
            found.push(more);
        }
    }
    found
}

/// Returns the encodings in `results`. Each of them is followed by candidates for the operands of the same matrix
/// product.
fn with_operands(s: &BasisSteps, results: Vec<Encoding>) -> Vec<Encoding> {
    let mut found = Vec::new();
    for result in results {
        let wgmma = matches!(&result, Encoding::NvidiaMma(e) if e.is_hopper());
        let mut operands = Vec::new();
        for (op_idx, k) in [(0, s.rank - 1), (1, s.rank - 2)] {
            for width in widths(s, k) {
                if !(wgmma && op_idx == 1) {
                    operands.extend(
                        DotOperandEncoding::new(op_idx, result.clone(), width).map(Encoding::from),
                    );
                }
            }
        }
        found.push(result);
        found.extend(operands);
    }
    found
}

/// Returns the candidates for `kWidth`, the largest first. The largest is 2 to the number of leading register bases
/// that step along the summed dim `k`, but at most 32.
fn widths(s: &BasisSteps, k: usize) -> impl Iterator<Item = u32> {
    let along_k = |step: &&BasisStep| step.is_some_and(|(d, _)| d == k);
    let run = s.register.iter().take_while(along_k).count().min(5);
    (0..=run).rev().map(|bits| 1 << bits)
}

/// Number of rows, and of columns, of a WMMA tile. A tile with 32 rows has the same layout as two such tiles.
const WMMA_TILE: u32 = 16;

/// Returns the candidates for WMMA results. Version 2 and version 3 have the same result layout, so version 3
/// is not tried. K does not change the layout of a result, so only 16 is tried.
fn wmma_results(s: &BasisSteps) -> Vec<Encoding> {
    let mut tile = [0; MAX_RANK];
    tile[s.rank - 2..s.rank].fill(narrow(WMMA_TILE.ilog2()));
    // The registers of a lane hold half of the rows of a tile. The last lane bit selects the half.
    let own = 3;
    let mut found = Vec::new();
    for version in [1, 2] {
        for transposed in [false, true] {
            found.extend(cta_layouts(s, own, &tile, &s.warp).filter_map(|cta| {
                let instr = [WMMA_TILE; 3];
                let e = AmdWmmaEncoding::new(version, cta, transposed, s.cga, &instr);
                Some(e.ok()?.into())
            }));
        }
    }
    found
}

fn wmma_operands(s: &BasisSteps) -> Vec<Encoding> {
    let mut found = Vec::new();
    for (op_idx, k, other) in [(0, s.rank - 1, s.rank - 2), (1, s.rank - 2, s.rank - 1)] {
        // Warps along the summed dim of the result hold copies of the operand.
        let warps = BasisSteps {
            lane: Vec::new(),
            ..s.clone()
        };
        let warps = warps.unfold_along(k).warp;
        let mut tile = [0; MAX_RANK];
        tile[other] = narrow(WMMA_TILE.ilog2());
        for (version, length) in [
            (1, 16),
            (2, 16),
            (2, 32),
            (3, 4),
            (3, 32),
            (3, 64),
            (3, 128),
        ] {
            let instr = [WMMA_TILE, WMMA_TILE, length];
            // The last lane bit selects a copy in version 1, and steps along the summed dim in the other versions.
            let widths: Vec<u32> = match (version, s.lane[4]) {
                (1, None) => widths(s, k).collect(),
                (2.., Some((dim, bit))) if dim == k => vec![1 << bit.min(31)],
                _ => continue,
            };
            for width in widths {
                let own = (length / 2).max(width).ilog2() as usize;
                found.extend(cta_layouts(s, own, &tile, &warps).filter_map(|cta| {
                    let parent = AmdWmmaEncoding::new(version, cta, false, s.cga, &instr).ok()?;
                    let operand = DotOperandEncoding::new(op_idx, Encoding::from(parent), width);
                    Some(operand.ok()?.into())
                }));
            }
        }
    }
    found
}

/// Returns the candidates for `ctaLayout`.
///
/// The first `own` register bits step inside one tile, and the later register bits step from tile to tile.
/// Candidate `n` contains the first `n` of these later bits. Candidate 0 comes first.
fn cta_layouts(
    s: &BasisSteps,
    own: usize,
    tile: &[u8; MAX_RANK],
    warps: &[BasisStep],
) -> impl Iterator<Item = LinearLayout> {
    let above = |step: &BasisStep| -> Option<Ints> {
        let mut basis = Ints::filled(0, s.rank);
        if let Some((dim, bit)) = step {
            basis[*dim] = 1 << bit.checked_sub(tile[*dim])?.min(30);
        }
        Some(basis)
    };
    let registers = s.register.get(own..).map(|rest| {
        let whole = rest.iter().map_while(above);
        whole.collect::<Vec<_>>()
    });
    let warps: Option<Vec<Ints>> = warps.iter().map(above).collect();
    let rank = s.rank;
    registers
        .zip(warps)
        .into_iter()
        .flat_map(move |(registers, warps)| {
            (0..=registers.len()).filter_map(move |count| {
                let bases = [registers[..count].to_vec(), warps.clone()];
                layout_from_bases("ctaLayout", &[Dim::REGISTER, Dim::WARP], &bases, rank).ok()
            })
        })
}
