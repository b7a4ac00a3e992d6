//! Views: operations that rename registers and move no data.
//!
//! Each view is a linear map `f` on tensor coordinates. A result register with coordinates `x` takes the value of the
//! operand register that holds the element `f(x)`. The functions check that the two registers are in the same thread.

use linear_layout::f2::apply_columns;
use linear_layout::layout::{Dim, LinearLayout};

const HARDWARE: [Dim; 4] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];

/// Returns the layout of each half of a tensor that is split along its last dimension, which has size 2. Both halves
/// have the same layout.
///
/// # Errors
/// Returns an error if the two elements of a pair are not in registers of the same thread.
pub fn split_last(layout: &LinearLayout) -> Result<LinearLayout, String> {
    let rank = layout.num_out_dims();
    let last = Dim::out(rank - 1);
    let pair = 1u64 << (layout.total_out_bits() - 1);
    let outs: Vec<Dim> = (0..rank - 1).map(Dim::out).collect();
    for dim in HARDWARE {
        for bit in 0..layout.in_bits(dim) {
            let column = layout.column(dim, bit);
            if column & pair != 0 && (dim != Dim::REGISTER || column != pair) {
                return Err(format!(
                    "requires the last dimension within one thread, but {} bit {bit} moves along the last dimension",
                    dim.name()
                ));
            }
        }
    }
    let bit = (0..layout.in_bits(Dim::REGISTER))
        .find(|bit| layout.column(Dim::REGISTER, *bit) == pair)
        .ok_or_else(|| {
            format!(
                "requires a register basis along the last dimension `{}`",
                last.name()
            )
        })?;
    let registers: Vec<usize> = (0..layout.in_bits(Dim::REGISTER))
        .filter(|b| *b != bit)
        .collect();
    linear_layout::layout::RegisterPermutation::new(
        &registers,
        Dim::REGISTER,
        layout.in_bits(Dim::REGISTER),
    )
    .and_then(|keep| keep.apply(layout))
    .and_then(|kept| kept.sublayout(&HARDWARE, &outs))
    .map_err(|e| e.to_string())
}

/// Returns, for each register of the result, the operand register that holds the value of its element.
///
/// `f` is linear and maps packed coordinates of the result to packed coordinates of the operand.
///
/// # Errors
/// Returns an error if an element is in another thread, or in no thread.
pub fn register_sources(
    result: &LinearLayout,
    operand: &LinearLayout,
    f: impl Fn(u64) -> u64,
) -> Result<Vec<usize>, String> {
    for dim in &HARDWARE[1..] {
        for bit in 0..result.in_bits(*dim).max(operand.in_bits(*dim)) {
            if f(result.column(*dim, bit)) != operand.column(*dim, bit) {
                return Err(format!(
                    "would move data between threads: {} bit {bit} holds other elements in the operand than in the result",
                    dim.name()
                ));
            }
        }
    }
    // In lane 0 of warp 0.
    let at =
        |layout: &LinearLayout, r: usize| apply_columns(layout.columns_of(Dim::REGISTER), r as u64);
    let registers = 1usize << operand.in_bits(Dim::REGISTER);
    let held: std::collections::HashMap<u64, usize> =
        (0..registers).rev().map(|r| (at(operand, r), r)).collect();
    (0..1usize << result.in_bits(Dim::REGISTER))
        .map(|r| {
            held.get(&f(at(result, r)))
                .copied()
                .ok_or_else(|| format!("would move data between threads for register {r}"))
        })
        .collect()
}
