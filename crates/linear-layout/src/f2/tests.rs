//! Property tests against enumeration of all sums.

use proptest::prelude::*;
use std::collections::BTreeSet;

use super::*;

fn all_sums(vectors: &[u64]) -> BTreeSet<u64> {
    (0..1 << vectors.len())
        .map(|x| apply_columns(vectors, x))
        .collect()
}

fn vectors() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0..256u64, 0..10)
}

proptest! {
    #[test]
    fn application_is_the_sum_of_the_selected_columns(
        columns in prop::collection::vec(any::<u64>(), 0..64),
        x in any::<u64>(),
    ) {
        let selected = columns.iter().enumerate().filter(|(i, _)| x >> i & 1 == 1);
        let sum = selected.fold(0, |sum, (_, column)| sum ^ column);
        prop_assert_eq!(apply_columns(&columns, x), sum);
    }

    #[test]
    fn elimination_solves_and_finds_the_kernel(columns in vectors()) {
        let (mut echelon, mut kernel) = (Echelon::new(), Span::empty());
        for (i, &column) in columns.iter().enumerate() {
            let is_pivot = !all_sums(&columns[..i]).contains(&column);
            let vector = echelon.insert(i, column);
            prop_assert_eq!(vector.is_none(), is_pivot);
            prop_assert_eq!(echelon.pivot_columns() >> i & 1 == 1, is_pivot);
            if let Some(vector) = vector {
                prop_assert_eq!(apply_columns(&columns, vector), 0);
                prop_assert!(kernel.insert(vector));
            }
        }
        let sums = all_sums(&columns);
        prop_assert_eq!(sums.len(), 1 << echelon.rank());
        prop_assert_eq!(echelon.rank() + kernel.dimension(), columns.len());
        for y in 0..256 {
            let solution = echelon.solve(y);
            prop_assert_eq!(solution.is_some(), sums.contains(&y));
            prop_assert_eq!(echelon.contains(y), sums.contains(&y));
            if let Some(x) = solution {
                prop_assert_eq!(apply_columns(&columns, x), y);
                prop_assert_eq!(x & !echelon.pivot_columns(), 0);
            }
        }
    }

    #[test]
    fn span_has_exactly_the_sums(vs in vectors()) {
        let span = Span::of(&vs);
        let sums = all_sums(&vs);
        prop_assert_eq!(sums.len(), 1 << span.dimension());
        for v in 0..256 {
            prop_assert_eq!(span.contains(v), sums.contains(&v));
            prop_assert_eq!(span.reduce(v ^ vs.first().unwrap_or(&0)), span.reduce(v));
        }
        let mut reversed = vs;
        reversed.reverse();
        prop_assert_eq!(Span::of(&reversed), span);
    }
}

#[test]
fn selected_bits_move_to_the_lowest() {
    assert_eq!(compress(0b1010_1100, 0b1010_1010), 0b1110);
    assert_eq!(compress(5, u64::MAX), 5);
}

#[test]
fn shifts_by_64_leave_nothing() {
    assert_eq!(
        (low_mask(0), low_mask(3), low_mask(64)),
        (0, 0b111, u64::MAX)
    );
    assert_eq!((shl(1, 64), shr(1, 64), low_mask(65)), (0, 0, u64::MAX));
}

#[test]
fn an_index_of_64_counts_again_from_zero() {
    let mut echelon = Echelon::new();
    assert_eq!(echelon.insert(64, 0b01), None);
    assert_eq!(echelon.insert(65, 0b11), None);
    assert_eq!(echelon.pivot_columns(), 0b11);
    assert_eq!(echelon.insert(63, 0b10), Some(1 << 63 | 0b11));
    assert_eq!((echelon.solve(0b10), echelon.rank()), (Some(0b11), 2));
}

#[test]
fn bits_are_printed_in_columns() {
    let span = Span::of(&[0b1, 0b1000]);
    let text = format!("{span:?}");
    let mut vectors: Vec<&str> = text.trim_matches(['[', ']']).split(", ").collect();
    vectors.sort_unstable();
    assert_eq!(vectors, ["0001", "1000"]);
}
