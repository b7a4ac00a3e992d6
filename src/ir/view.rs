//! Views: operations that rename registers without moving data.
//!
//! Most views are linear maps `f` on tensor coordinates: the result register for `x` takes the value of the operand
//! register for `f(x)`. The functions check that both registers are in the same thread.

use linear_layout::f2::apply_columns;
use linear_layout::layout::{Dim, LinearLayout};
use std::collections::HashMap;

const HARDWARE: [Dim; 4] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];

/// Returns the layout of each half of a tensor that is split along its last dimension, which has size 2. Both
/// halves have the same layout.
///
/// # Errors
/// Returns an error if the elements of a pair are in different threads.
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
                    "{} bit {bit} steps along the last dimension; expected a register bit that steps only \
                     along the last dimension",
                    dim.name()
                ));
            }
        }
    }
    let bit = (0..layout.in_bits(Dim::REGISTER))
        .find(|bit| layout.column(Dim::REGISTER, *bit) == pair)
        .ok_or_else(|| {
            format!(
                "no register bit steps along the last dimension, `{}`",
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

/// Returns, for each result register, the operand register that holds its element.
///
/// `f` maps the coordinates of an element in the result to the coordinates of the same element in the operand. All
/// coordinates of an element are packed into one integer, and `f` is linear over its bits.
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
                    "would move data between threads: {} bit {bit} selects different elements in operand and \
                     result",
                    dim.name()
                ));
            }
        }
    }
    let registers = 1usize << operand.in_bits(Dim::REGISTER);
    let held: HashMap<u64, usize> = (0..registers)
        .rev()
        .map(|r| (in_register(operand, r), r))
        .collect();
    (0..1usize << result.in_bits(Dim::REGISTER))
        .map(|r| {
            held.get(&f(in_register(result, r)))
                .copied()
                .ok_or_else(|| {
                    format!(
                        "would move data between threads: no operand register of the same thread holds the \
                         element of result register {r}"
                    )
                })
        })
        .collect()
}

/// An element of one of several operands, given by the operand index and the coordinates.
pub type PartElement = (usize, Vec<u64>);

/// Returns, for each result register, the index of the operand and the operand register that hold its element. All
/// operands have the layout `operand`.
///
/// `source` maps result coordinates to the operand element. Since `source` need not be linear, every thread is
/// checked.
///
/// # Errors
/// Returns an error if an element is in another thread, or in no thread.
pub fn part_sources(
    result: &LinearLayout,
    operand: &LinearLayout,
    source: impl Fn(&[u64]) -> PartElement,
) -> Result<Vec<(usize, usize)>, String> {
    let held: HashMap<Vec<u64>, usize> = (0..1usize << operand.in_bits(Dim::REGISTER))
        .rev()
        .map(|r| (operand.unpack(in_register(operand, r)).to_vec(), r))
        .collect();
    let mut sources = Vec::new();
    for register in 0..1usize << result.in_bits(Dim::REGISTER) {
        let (part, element) = source(&result.unpack(in_register(result, register)).to_vec());
        let moves = || {
            format!(
                "would move data between threads: no operand register of the same thread holds the element of \
                 result register {register}"
            )
        };
        let from = *held.get(&element).ok_or_else(moves)?;
        // Lanes, warps and CTAs combine linearly with registers, but `source` may carry between bits.
        for thread in threads(result, operand) {
            let (to, at) = (
                in_register(result, register) ^ thread.0,
                in_register(operand, from) ^ thread.1,
            );
            if source(&result.unpack(to).to_vec()) != (part, operand.unpack(at).to_vec()) {
                return Err(moves());
            }
        }
        sources.push((part, from));
    }
    Ok(sources)
}

/// Yields two elements for each thread, given by their packed coordinates. The first is the element that register 0
/// of the thread holds in layout `result`. The second is the element that register 0 holds in layout `operand`.
fn threads<'a>(
    result: &'a LinearLayout,
    operand: &'a LinearLayout,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let (in_result, in_operand): (Vec<u64>, Vec<u64>) = HARDWARE[1..]
        .iter()
        .flat_map(|dim| {
            let bits = result.in_bits(*dim).max(operand.in_bits(*dim));
            (0..bits).map(move |bit| (result.column(*dim, bit), operand.column(*dim, bit)))
        })
        .unzip();
    (0..1u64 << in_result.len()).map(move |thread| {
        (
            apply_columns(&in_result, thread),
            apply_columns(&in_operand, thread),
        )
    })
}

/// Returns the packed coordinates of the element that a register holds in thread 0.
fn in_register(layout: &LinearLayout, register: usize) -> u64 {
    apply_columns(layout.columns_of(Dim::REGISTER), register as u64)
}
