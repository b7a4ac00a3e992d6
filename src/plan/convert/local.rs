//! Conversions in which no data leaves its thread: renames, and selects where the register depends on the thread.

use super::sides::Sides;
use super::{ConvertPlan, PlanKind};
use crate::f2::Echelon;
use crate::plan::gf2::{apply, echelon};
use crate::plan::program::{Builder, ValueId};
use crate::target::Target;

/// Writes a matrix (by columns) as a sum of as few rank-1 ones as possible: pairs (vector, mask of columns).
///
/// Columns 5, 0, 5, 1 are (5 on columns 0 and 2) + (1 on column 3).
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

/// Moves value `x ^ flip` to place `x` in the threads where `mask` is odd; one select per place. Places without a
/// value stay empty.
pub(super) fn flip_where(
    builder: &mut Builder,
    file: &[Option<ValueId>],
    flip: u64,
    mask: u32,
) -> Vec<Option<ValueId>> {
    let predicate = builder.predicate(mask);
    (0..file.len())
        .map(|x| Some(builder.select(predicate, file[x ^ flip as usize]?, file[x]?)))
        .collect()
}

/// The plan without movement between threads, if there is one.
pub(super) fn plan_local(sides: &Sides, elem_bits: u32, target: &Target) -> Option<ConvertPlan> {
    let (src, dst) = (&sides.src, &sides.dst);
    let held = echelon(&src.reg);
    let by_thread: Option<Vec<u64>> = src
        .thread
        .iter()
        .zip(&dst.thread)
        .map(|(s, d)| held.solve(s ^ d))
        .collect();
    let by_register: Option<Vec<u64>> = dst.reg.iter().map(|&c| held.solve(c)).collect();
    let (by_thread, by_register) = (by_thread?, by_register?);
    let mut builder = sides.builder(elem_bits);
    let mut file: Vec<Option<ValueId>> = builder.sources().into_iter().map(Some).collect();
    let parts = factor(&by_thread);
    for &(flip, mask) in &parts {
        file = flip_where(&mut builder, &file, flip, mask);
    }
    let results = (0..1u64 << dst.reg.len())
        .map(|r| file[apply(&by_register, r) as usize])
        .collect::<Option<Vec<_>>>()?;
    let kind = if parts.is_empty() {
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
