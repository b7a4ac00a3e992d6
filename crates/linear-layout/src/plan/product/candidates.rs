//! Candidate layouts for conversions: layouts of A and B for a given layout of D, and layouts of D for given layouts of
//! A and B.

use super::coordinates::{Axes, K, M, N, Point};
use super::matching::{Elements, Renaming};
use crate::f2::Span;
use crate::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use crate::target::{Product, ScaleBit, ScaleOperand};

/// Returns a layout of A (operand 0) or B (1) that matches the instruction if D has the layout `sum`. The output
/// dims are those of the layout `like`.
///
/// The register bits of the returned layout are, from low to high:
/// - the tile bits that the instruction holds in registers;
/// - the remaining bits of k;
/// - the remaining bits that D holds in registers: those of m (for A) or n (for B), and those of the matrix
///   index.
pub(super) fn factor(
    row: &Product,
    renaming: &Renaming,
    operand: usize,
    sum: &Elements,
    (like, axes): (&LinearLayout, Axes),
    k_size: u64,
) -> Result<LinearLayout, LayoutError> {
    let own = if operand == 0 { M } else { N };
    let of_sum = |at: &Point| part_of_sum(*at, own);
    let bits = &row.operands[operand];
    let tile = |bits: &[_]| -> Vec<Point> { bits.iter().map(|bit| renaming.image(*bit)).collect() };
    let (lanes, mut warps): (Vec<Point>, Vec<Point>) = match row.is_per_lane() {
        true => (sum.lanes.iter().map(of_sum).collect(), Vec::new()),
        false => (tile(&bits.lanes), Vec::new()),
    };
    warps.extend(sum.warps.iter().map(of_sum));
    let mut registers: Vec<Point> = Vec::new();
    let packed = |at: &Point| pack(like, axes, at);
    // Along k, an instruction adds up its lanes; along m and n, a thread needs all elements in its own registers.
    let mut held = Span::empty();
    for at in tile(&bits.lanes).iter().filter(|at| at[K] != 0) {
        held.insert(packed(at));
    }
    let rest = along_k(k_size).chain(sum.registers.iter().map(of_sum));
    for at in tile(&bits.registers).into_iter().chain(rest) {
        if held.insert(packed(&at)) {
            registers.push(at);
        }
    }
    layout(like, axes, &[registers, lanes, warps])
}

/// Returns the coordinates `at`, in which all coordinates that D does not share with A or B are replaced by 0. The
/// coordinates that stay are the matrix index and the coordinate with index `own`, which is m for A and n for B.
pub(super) fn part_of_sum(at: Point, own: usize) -> Point {
    let mut kept = [0; 4];
    kept[0] = at[0];
    kept[own] = at[own];
    kept
}

/// Returns the coordinates (matrix, m, n, k) = (0, 0, 0, k) for each power of two k that is less than `k_size`.
fn along_k(k_size: u64) -> impl Iterator<Item = Point> {
    let bits = (0..).map(|i| 1u64 << i).take_while(move |k| *k < k_size);
    bits.map(|k| {
        let mut at = [0; 4];
        at[K] = k;
        at
    })
}

/// Returns a layout of the scales of A (0) or B (1) that matches the instruction if D has the layout `sum`.
///
/// The register bits of the layout correspond, from low to high, to the tile bits that select a byte of a scale
/// word, to the remaining bits of k, and to the remaining bits of m (for A) or n (for B) and of the matrix index.
pub(super) fn scales(
    bits: &ScaleOperand,
    renaming: &Renaming,
    factor: usize,
    sum: &Elements,
    (like, axes): (&LinearLayout, Axes),
    k_size: u64,
) -> Result<LinearLayout, LayoutError> {
    let own = if factor == 0 { M } else { N };
    let tile = |bits: &[ScaleBit]| -> Vec<Point> {
        let images = bits.iter().map(|bit| match bit {
            ScaleBit::Of(bit) => renaming.image(*bit),
            ScaleBit::Selected(_) | ScaleBit::Clear => [0; 4],
        });
        images.collect()
    };
    let lanes = tile(&bits.lanes);
    let warps = sum.warps.iter().map(|at| part_of_sum(*at, own)).collect();
    let mut held = Span::empty();
    for at in &lanes {
        held.insert(pack(like, axes, at));
    }
    let of_sum = sum.registers.iter().map(|at| part_of_sum(*at, own));
    let all = tile(&bits.bytes)
        .into_iter()
        .chain(along_k(k_size))
        .chain(of_sum);
    let registers = all.filter(|at| held.insert(pack(like, axes, at))).collect();
    layout(like, axes, &[registers, lanes, warps])
}

/// Returns a layout of D that matches the instruction and those layouts of A and B that are given.
///
/// If A is given, each warp bit of D gets the matrix index and the m that the same warp bit has in A. If B is
/// given, each warp bit of D gets the matrix index and the n that the same warp bit has in B. If all coordinates of
/// a warp bit are 0 after these rules, it gets the first unused coordinate bit of the following list:
/// - the bits of m, if A is not given;
/// - the bits of n, if B is not given;
/// - the bits of the matrix index, if neither A nor B is given.
///
/// Register bits get all coordinate bits that remain.
pub(super) fn sum(
    row: &Product,
    renaming: &Renaming,
    factors: [Option<&Elements>; 2],
    (like, axes): (&LinearLayout, Axes),
) -> Result<LinearLayout, LayoutError> {
    let bits = &row.operands[2];
    let tile = |bits: &[_]| -> Vec<Point> { bits.iter().map(|bit| renaming.image(*bit)).collect() };
    let (mut registers, lanes) = (tile(&bits.registers), tile(&bits.lanes));
    let mut held = Span::empty();
    registers.retain(|at| held.insert(pack(like, axes, at)));
    for at in &lanes {
        held.insert(pack(like, axes, at));
    }
    // Rows before columns, the matrix last.
    let mut units: Vec<Point> = Vec::new();
    let rank = like.num_out_dims();
    let dims = like.out_dims().collect::<Vec<_>>();
    for (dim, at) in [(rank - 2, M), (rank - 1, N), (0, 0)] {
        if at == 0 && rank == 2 {
            continue;
        }
        units.extend((0..like.out_bits(dims[dim])).map(|bit| {
            let mut unit = [0; 4];
            unit[at] = 1 << bit;
            unit
        }));
    }
    let mut warps = Vec::new();
    for bit in 0..like.in_bits(Dim::WARP) {
        let mut at = [0; 4];
        for (factor, own) in factors.iter().zip([M, N]) {
            if let Some(factor) = factor {
                at[0] = factor.warps[bit][0];
                at[own] = factor.warps[bit][own];
            }
        }
        if at == [0; 4] {
            // Only along dims that no given factor has.
            let is_free = |unit: &&Point| {
                let own = if unit[M] == 0 { 1 } else { 0 };
                let is_alone = unit[0] != 0 && factors.iter().all(Option::is_none);
                (is_alone || unit[0] == 0 && factors[own].is_none())
                    && !held.contains(pack(like, axes, unit))
            };
            at = units.iter().find(is_free).copied().unwrap_or_default();
        }
        held.insert(pack(like, axes, &at));
        warps.push(at);
    }
    registers.extend(units.iter().filter(|at| held.insert(pack(like, axes, at))));
    layout(like, axes, &[registers, lanes, warps])
}

/// Returns the layout whose register, lane and warp columns are `parts`, and whose output dims are those of `like`.
fn layout(
    like: &LinearLayout,
    axes: Axes,
    parts: &[Vec<Point>; 3],
) -> Result<LinearLayout, LayoutError> {
    let [registers, lanes, warps] = parts;
    let ins = [
        (Dim::REGISTER, 1 << registers.len()),
        (Dim::LANE, 1 << lanes.len()),
        (Dim::WARP, 1 << warps.len()),
    ];
    let columns = parts.iter().flatten().map(|at| pack(like, axes, at));
    let columns: Vec<u64> = columns.collect();
    let outs: Vec<(Dim, u64)> = like.out_dims().map(|d| (d, like.out_size(d))).collect();
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)
}

/// Packs the coordinates `at` into a column of a layout that has the output dims of `like`.
fn pack(like: &LinearLayout, axes: Axes, at: &Point) -> u64 {
    let rank = like.num_out_dims();
    let mut values = vec![0; rank];
    if rank == 3 {
        values[0] = at[0];
    }
    for (dim, value) in axes.dims.into_iter().zip(&mut values[rank - 2..]) {
        *value = at[dim] >> if dim == K { axes.k_log2 } else { 0 };
    }
    let mut column = 0;
    let mut shift = 0;
    for (dim, value) in like.out_dims().zip(values) {
        column |= value << shift;
        shift += like.out_bits(dim);
    }
    column
}
