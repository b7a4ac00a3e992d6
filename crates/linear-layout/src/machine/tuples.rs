//! Table of tensor elements per register and thread, for plans that combine elements.

use super::plan::{columns, span};
use crate::layout::LinearLayout;

/// Returns the element that each register holds, indexed by `[register][thread]`. Register bits with zero bases are
/// omitted.
pub(super) fn elements(layout: &LinearLayout) -> Vec<Vec<u64>> {
    let (registers, threads) = columns(layout);
    let threads = span(&threads);
    span(&registers)
        .into_iter()
        .map(|register| threads.iter().map(|thread| register ^ thread).collect())
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::layout::{Dim, LinearLayout, Surjectivity};

    /// Returns a layout of a tensor with `2^sizes[i]` elements along dimension `i`. `keys` determines a permutation
    /// of the bases. Bases without a coordinate bit are zero. If `mixed` is true, some bases are XORed into others.
    pub(in crate::machine) fn layout(
        sizes: &[u32],
        lanes: u32,
        warps: u32,
        keys: &[u32],
        mixed: bool,
    ) -> LinearLayout {
        let bits: u32 = sizes.iter().sum();
        let registers = bits.saturating_sub(lanes + warps) + keys[0] % 3;
        let places = (registers + lanes + warps) as usize;
        let mut columns: Vec<u64> = (0..places as u32)
            .map(|i| if i < bits { 1u64 << i } else { 0 })
            .collect();
        for i in (1..places).rev() {
            columns.swap(i, keys[i % keys.len()] as usize % (i + 1));
        }
        if mixed {
            for (i, key) in keys.iter().enumerate() {
                let (a, b) = (i % places, *key as usize % places);
                if a != b {
                    columns[a] ^= columns[b];
                }
            }
        }
        let outs: Vec<(Dim, u64)> = sizes
            .iter()
            .enumerate()
            .map(|(i, bits)| (Dim::out(i), 1 << bits))
            .collect();
        let ins = [
            (Dim::REGISTER, 1 << registers),
            (Dim::LANE, 1 << lanes),
            (Dim::WARP, 1 << warps),
            (Dim::BLOCK, 1),
        ];
        let layout = LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required);
        let layout = layout.expect("each coordinate bit has a position");
        layout.remove_zero_bases(Dim::REGISTER).expect("registers")
    }
}
