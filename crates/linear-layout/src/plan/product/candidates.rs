//! Layouts of factors that an instruction takes, for a sum that lies as it does.

use super::matching::{At, COORDINATES, Elements, K, M, N, Renaming};
use crate::f2::Span;
use crate::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use crate::target::Product;

/// Returns the layout of a factor, operand 0 or 1, that an instruction multiplies into a sum.
///
/// Registers of the tile come first, then those along k, then those along the sum's own dim. `like` gives the dims.
pub(super) fn factor(
    row: &Product,
    renaming: &Renaming,
    operand: usize,
    sum: &Elements,
    like: &LinearLayout,
    k_size: u64,
) -> Result<LinearLayout, LayoutError> {
    let own = if operand == 0 { M } else { N };
    let of_sum = |at: &At| {
        let mut kept = [0; 4];
        kept[0] = at[0];
        kept[own] = at[own];
        kept
    };
    let bits = &row.operands[operand];
    let tile = |bits: &[_]| -> Vec<At> { bits.iter().map(|bit| renaming.image(*bit)).collect() };
    let (lanes, mut warps): (Vec<At>, Vec<At>) = match row.is_of_lane() {
        true => (sum.lanes.iter().map(of_sum).collect(), Vec::new()),
        false => (tile(&bits.lanes), Vec::new()),
    };
    warps.extend(sum.warps.iter().map(of_sum));
    let mut registers: Vec<At> = Vec::new();
    let packed = |at: &At| pack(like, operand, at);
    // Along k, an instruction adds up what its lanes hold; along m and n, a thread needs all in its own registers.
    let mut held = Span::empty();
    for at in tile(&bits.lanes).iter().filter(|at| at[K] != 0) {
        held.insert(packed(at));
    }
    let along_k = (0..).map(|i| 1u64 << i).take_while(|k| *k < k_size);
    let along_k = along_k.map(|k| {
        let mut at = [0; 4];
        at[K] = k;
        at
    });
    let rest = along_k.chain(sum.registers.iter().map(of_sum));
    for at in tile(&bits.registers).into_iter().chain(rest) {
        if held.insert(packed(&at)) {
            registers.push(at);
        }
    }
    let ins = [
        (Dim::REGISTER, 1 << registers.len()),
        (Dim::LANE, 1 << lanes.len()),
        (Dim::WARP, 1 << warps.len()),
    ];
    let columns: Vec<u64> = [registers, lanes, warps]
        .iter()
        .flatten()
        .map(packed)
        .collect();
    let outs: Vec<(Dim, u64)> = like.out_dims().map(|d| (d, like.out_size(d))).collect();
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)
}

/// Coordinates as a column of the operand's layout.
fn pack(like: &LinearLayout, operand: usize, at: &At) -> u64 {
    let rank = like.num_out_dims();
    let mut values = vec![0; rank];
    if rank == 3 {
        values[0] = at[0];
    }
    for (dim, value) in COORDINATES[operand]
        .into_iter()
        .zip(&mut values[rank - 2..])
    {
        *value = at[dim];
    }
    let mut column = 0;
    let mut shift = 0;
    for (dim, value) in like.out_dims().zip(values) {
        column |= value << shift;
        shift += like.out_bits(dim);
    }
    column
}
