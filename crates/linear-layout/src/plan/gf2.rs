//! Spans of bit vectors, on top of [`crate::f2`].

use crate::f2::Echelon;

/// Returns the product of a bit matrix and the vector `x`, which is the XOR of all `columns[i]` for which bit `i`
/// of `x` is 1. Bits of `x` that select no column are ignored.
pub(crate) fn apply_u32(columns: &[u32], x: u32) -> u32 {
    let (mut x, mut y) = (x, 0);
    while x != 0 {
        let bit = x.trailing_zeros() as usize;
        y ^= columns.get(bit).copied().unwrap_or(0);
        x &= x - 1;
    }
    y
}

/// Returns the product of a bit matrix and the vector `x`, which is the XOR of all `columns[i]` for which bit `i`
/// of `x` is 1.
pub(crate) fn apply(columns: &[u64], x: u64) -> u64 {
    let (mut x, mut y) = (x, 0);
    while x != 0 {
        y ^= columns[x.trailing_zeros() as usize];
        x &= x - 1;
    }
    y
}

/// Returns the echelon form of the matrix with the columns `columns`. Its method [`Echelon::solve`] expresses a
/// vector as a mask of indices into `columns`.
pub(crate) fn echelon<'a>(columns: impl IntoIterator<Item = &'a u64>) -> Echelon {
    let mut e = Echelon::new();
    for (i, &c) in columns.into_iter().enumerate() {
        e.insert(i, c);
    }
    e
}

/// Returns the base-2 logarithm of `x`, rounded down, or 0 if `x` is 0.
pub(crate) const fn log2_floor(x: u32) -> u32 {
    if x == 0 { 0 } else { x.ilog2() }
}

/// Returns a basis of the intersection of the spans of `a` and `b`. If both lists contain only unit vectors, the
/// basis consists of the vectors that are in both lists, in the order of `a`.
pub(crate) fn intersection(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut result = Vec::new();
    if a.iter().chain(b).all(|c| c.count_ones() <= 1) {
        for &c in a {
            if c != 0 && b.contains(&c) && !result.contains(&c) {
                result.push(c);
            }
        }
        return result;
    }
    let mut e = echelon(a);
    let from_a = crate::f2::low_mask(a.len());
    let mut found = Echelon::new();
    for (i, &c) in b.iter().enumerate() {
        if let Some(kernel) = e.insert(a.len() + i, c) {
            let common = apply(a, kernel & from_a);
            if common != 0 && found.insert(result.len(), common).is_none() {
                result.push(common);
            }
        }
    }
    result
}

/// Returns those columns that are linearly independent of all earlier columns, in the original order.
pub(crate) fn independent(columns: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut e = Echelon::new();
    let mut kept = Vec::new();
    for c in columns {
        if e.insert(kept.len(), c).is_none() {
            kept.push(c);
        }
    }
    kept
}

/// Returns those columns that are linearly independent of `base` and of all earlier columns, in the original order.
/// Together with a basis of the span of `base`, they form a basis of the span of `base` and `columns`.
pub(crate) fn extending(base: &[u64], columns: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut e = echelon(base);
    let mut kept = Vec::new();
    for c in columns {
        if e.insert(base.len() + kept.len(), c).is_none() {
            kept.push(c);
        }
    }
    kept
}

/// Returns unit vectors that, together with `base`, span all vectors of `bits` bits. The lowest bit comes first.
pub(crate) fn complement(base: &[u64], bits: u32) -> Vec<u64> {
    extending(base, (0..bits).map(|b| 1u64 << b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_meet() {
        assert_eq!(intersection(&[1, 4, 8], &[8, 2, 1]), [1, 8]);
        // The intersection of span{3, 4} and span{1, 2} contains only 3 (and 0).
        assert_eq!(intersection(&[3, 4], &[1, 2]), [3]);
        assert_eq!(intersection(&[3, 5], &[6]), [6]);
        assert!(intersection(&[3, 5], &[1]).is_empty());
    }

    #[test]
    fn complements_complete() {
        assert_eq!(complement(&[0b011], 3).len(), 2);
        assert_eq!(extending(&[1], [1, 3, 2, 4]), [3, 4]);
    }
}
