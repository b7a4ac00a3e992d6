//! Conversions without data movement between threads: registers are renamed, and selects are used if the source
//! register depends on the thread.

use super::sides::{SideColumns, Sides};
use super::{ConvertPlan, PlanKind};
use crate::f2::Echelon;
use crate::number::narrow;
use crate::plan::gf2::{apply, echelon};
use crate::plan::program::{Builder, Predicate, ValueId};
use crate::target::Target;

/// Decomposes a bit matrix into a sum (exclusive or) of as few rank-1 matrices as possible.
///
/// A pair (vector, mask) represents a rank-1 matrix: the columns in the mask equal the vector, and all other
/// columns are 0. For example, the columns `[5, 0, 5, 1]` are the sum of `(5, 0b0101)` and `(1, 0b1000)`.
pub(super) fn factor(columns: &[u64]) -> Vec<(u64, u32)> {
    let mut e = Echelon::new();
    let mut parts: Vec<(u64, u32)> = Vec::new();
    for (i, &c) in columns.iter().enumerate() {
        let sum = match e.solve(c) {
            Some(sum) => sum,
            None => {
                e.insert(parts.len(), c);
                parts.push((c, 0));
                1 << (parts.len() - 1)
            }
        };
        for (k, part) in parts.iter_mut().enumerate() {
            if sum >> k & 1 == 1 {
                part.1 |= 1 << i;
            }
        }
    }
    parts
}

/// In each thread `t` for which `t & mask` has odd parity, swaps the values at the indices `x` and `x ^ flip` of
/// `file`, for all `x`. All other threads keep their values.
///
/// The swap takes one select per index. Entry `x` of the result is `None` if `file[x]` or `file[x ^ flip]` is
/// `None`.
pub(super) fn flip_where(
    builder: &mut Builder,
    file: &[Option<ValueId>],
    flip: u64,
    mask: u32,
) -> Vec<Option<ValueId>> {
    let predicate = builder.predicate(Predicate::Parity(mask));
    (0..file.len())
        .map(|x| Some(builder.select(predicate, file[x ^ narrow::<usize>(flip)]?, file[x]?)))
        .collect()
}

/// A map from each destination register to the source register that holds its value, if no data moves between
/// threads.
///
/// The source register may depend on the thread.
pub(super) struct LocalMap {
    /// Column `i` is XORed into the number of the source register if bit `i` of the destination register's number
    /// is set.
    by_register: Vec<u64>,
    /// The effect of the thread number on the number of the source register. A pair `(flips, mask)` flips the
    /// register bits `flips` in each thread `t` for which `t & mask` has odd parity.
    by_thread: Vec<(u64, u32)>,
}

impl LocalMap {
    /// Returns the map, or `None` if a thread needs an element that it does not hold.
    pub(super) fn of(src: &SideColumns, dst: &SideColumns) -> Option<Self> {
        let held = echelon(&src.reg);
        let both = src.thread.iter().zip(&dst.thread);
        let by_thread: Option<Vec<u64>> = both.map(|(s, d)| held.solve(s ^ d)).collect();
        let by_register: Option<Vec<u64>> = dst.reg.iter().map(|&c| held.solve(c)).collect();
        Some(Self {
            by_register: by_register?,
            by_thread: factor(&by_thread?),
        })
    }

    /// Emits the necessary selects, and returns the value of each destination register.
    pub(super) fn emit(&self, b: &mut Builder, sources: &[ValueId]) -> Vec<ValueId> {
        let mut file: Vec<Option<ValueId>> = sources.iter().copied().map(Some).collect();
        for &(flip, mask) in &self.by_thread {
            file = flip_where(b, &file, flip, mask);
        }
        (0..1u64 << self.by_register.len())
            .filter_map(|r| file[narrow::<usize>(apply(&self.by_register, r))])
            .collect()
    }
}

/// Returns the plan in which no data moves between threads, or `None` if the conversion requires data to move.
pub(super) fn plan_local(sides: &Sides, elem_bits: u32, target: &Target) -> Option<ConvertPlan> {
    let local = LocalMap::of(&sides.src, &sides.dst)?;
    let mut builder = sides.builder(elem_bits);
    let sources = builder.sources();
    let results = local.emit(&mut builder, &sources);
    let kind = if local.by_thread.is_empty() {
        PlanKind::Rename
    } else {
        PlanKind::Select
    };
    Some(ConvertPlan::new(kind, builder.finish(results, 0, target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_add_up() {
        for columns in [&[5u64, 0, 5, 1][..], &[3, 1, 2], &[0, 0], &[]] {
            let parts = factor(columns);
            for (i, &c) in columns.iter().enumerate() {
                let sum = parts
                    .iter()
                    .filter(|p| p.1 >> i & 1 == 1)
                    .fold(0, |a, p| a ^ p.0);
                assert_eq!(sum, c);
            }
        }
        assert_eq!(factor(&[5, 0, 5, 1]).len(), 2);
    }
}
