//! The room against a naive implementation: matrices as lists of lists of bools.

use proptest::prelude::*;

use super::*;

type Naive = Vec<Vec<bool>>; // rows of entries

fn naive(m: &BitMatrix) -> Naive {
    (0..m.num_rows())
        .map(|r| m.columns().iter().map(|c| c >> r & 1 == 1).collect())
        .collect()
}

fn naive_product(a: &Naive, b: &Naive, cols: usize) -> Naive {
    a.iter()
        .map(|row| {
            (0..cols)
                .map(|c| {
                    row.iter()
                        .zip(b)
                        .fold(false, |acc, (x, y)| acc ^ (*x & y[c]))
                })
                .collect()
        })
        .collect()
}

fn naive_rref(m: &Naive, cols: usize) -> (Naive, Vec<usize>) {
    let mut m = m.clone();
    let (mut at, mut pivots) = (0, Vec::new());
    for c in 0..cols {
        let Some(p) = (at..m.len()).find(|r| m[*r][c]) else {
            continue;
        };
        m.swap(at, p);
        let pivot = m[at].clone();
        for (r, row) in m.iter_mut().enumerate() {
            if r != at && row[c] {
                row.iter_mut().zip(&pivot).for_each(|(x, y)| *x ^= y);
            }
        }
        pivots.push(c);
        at += 1;
    }
    (m, pivots)
}

fn all_sums(vectors: &[u64]) -> std::collections::BTreeSet<u64> {
    (0..1u32 << vectors.len())
        .map(|s| {
            vectors
                .iter()
                .enumerate()
                .fold(0, |acc, (i, v)| if s >> i & 1 == 1 { acc ^ v } else { acc })
        })
        .collect()
}

/// Matrices of any shape; sparse, dense and low-rank ones.
fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = BitMatrix> {
    let column = prop_oneof![
        Just(0u64),
        (0..64u32).prop_map(|b| 1u64 << b),
        any::<u64>(),
        0..4u64,
    ];
    prop::collection::vec(column, cols).prop_map(move |columns| {
        let columns: Vec<u64> = columns.iter().map(|c| c & low_mask(rows)).collect();
        BitMatrix::from_columns(rows, &columns).unwrap()
    })
}

fn any_matrix() -> impl Strategy<Value = BitMatrix> {
    (0..=64usize, 0..=64usize).prop_flat_map(|(r, c)| matrix(r, c))
}

fn vectors() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0..256u64, 0..6)
}

proptest! {
    #[test]
    fn product_is_application(
        (a, b, x) in (0..=64usize, 0..=64usize, 0..=64usize)
            .prop_flat_map(|(i, j, k)| (matrix(i, j), matrix(j, k), any::<u64>()))
    ) {
        let p = a.product(&b).unwrap();
        prop_assert_eq!(naive(&p), naive_product(&naive(&a), &naive(&b), b.num_columns()));
        prop_assert_eq!(p.apply(x), a.apply(b.apply(x)));
    }

    #[test]
    fn transpose_is_an_involution(a in any_matrix()) {
        let t = a.transpose();
        for r in 0..a.num_rows() {
            prop_assert_eq!(t.columns()[r], a.row(r));
        }
        prop_assert_eq!(t.transpose(), a);
    }

    #[test]
    fn row_rank_is_column_rank(a in any_matrix()) {
        prop_assert_eq!(a.rank(), a.transpose().rank());
        prop_assert_eq!(a.rank(), naive_rref(&naive(&a), a.num_columns()).1.len());
    }

    #[test]
    fn rref_is_reduced(a in any_matrix()) {
        let r = a.rref();
        let (expected, pivots) = naive_rref(&naive(&a), a.num_columns());
        prop_assert_eq!(naive(&r.matrix), expected);
        prop_assert_eq!(r.pivot_columns, pivots.iter().fold(0, |m, c| m | 1u64 << c));
    }

    #[test]
    fn inverse_undoes(a in (0..=8usize).prop_flat_map(|n| matrix(n, n))) {
        let id = BitMatrix::identity(a.num_rows()).unwrap();
        match a.inverse() {
            Ok(inverse) => {
                prop_assert_eq!(a.product(&inverse).unwrap(), id.clone());
                prop_assert_eq!(inverse.product(&a).unwrap(), id);
            }
            Err(e) => {
                prop_assert!(e.is_singular() && !e.is_not_in_image());
                prop_assert!(a.rank() < a.num_rows());
            }
        }
    }

    #[test]
    fn solution_solves(
        (a, b) in (0..=10usize, 0..=10usize, 0..=5usize)
            .prop_flat_map(|(r, c, k)| (matrix(r, c), matrix(r, k)))
    ) {
        match a.solve(&b) {
            Ok(x) => {
                prop_assert_eq!(a.product(&x).unwrap(), b);
                let free = !a.rref().pivot_columns;
                prop_assert!(x.columns().iter().all(|c| c & free == 0));
            }
            Err(e) => {
                prop_assert!(e.is_not_in_image() && !e.is_singular());
                let image = all_sums(a.columns());
                prop_assert!(b.columns().iter().any(|c| !image.contains(c)));
            }
        }
    }

    #[test]
    fn rank_nullity(a in any_matrix()) {
        let kernel = a.kernel();
        prop_assert_eq!(a.rank() + kernel.dimension(), a.num_columns());
        prop_assert_eq!(a.image().dimension(), a.rank());
        prop_assert!(kernel.vectors().all(|v| a.apply(v) == 0));
    }

    #[test]
    fn span_has_exactly_the_sums(vs in vectors()) {
        let span = Span::of(&vs);
        let sums = all_sums(&vs);
        prop_assert_eq!(sums.len(), 1 << span.dimension());
        for v in 0..256 {
            prop_assert_eq!(span.contains(v), sums.contains(&v));
        }
        let mut reversed = vs;
        reversed.reverse();
        prop_assert_eq!(Span::of(&reversed), span);
    }

    #[test]
    fn dimension_formula(a in vectors(), b in vectors()) {
        let (sa, sb) = (Span::of(&a), Span::of(&b));
        let (sum, both) = (sa.sum(&sb), sa.intersection(&sb));
        prop_assert_eq!(sum.dimension() + both.dimension(), sa.dimension() + sb.dimension());
        let (na, nb) = (all_sums(&a), all_sums(&b));
        for v in 0..256 {
            prop_assert_eq!(both.contains(v), na.contains(&v) && nb.contains(&v));
        }
        prop_assert_eq!(sa.contains_span(&sb), nb.is_subset(&na));
        prop_assert!(sum.contains_span(&sb) && sb.contains_span(&both));
    }

    #[test]
    fn complement_completes(a in vectors(), whole in vectors()) {
        let a = Span::of(&a);
        let c = a.complement(8);
        prop_assert_eq!(a.sum(&c), Span::whole(8));
        prop_assert_eq!(a.intersection(&c), Span::empty());
        let whole = Span::of(&whole);
        let c = a.complement_in(&whole);
        prop_assert_eq!(a.sum(&c), a.sum(&whole));
        prop_assert_eq!(a.intersection(&c), Span::empty());
        prop_assert!(whole.contains_span(&c));
    }

    #[test]
    fn orthogonal_twice(a in vectors()) {
        let span = Span::of(&a);
        let o = span.orthogonal(8);
        prop_assert_eq!(o.dimension() + span.dimension(), 8);
        prop_assert!(o.vectors().all(|w| a.iter().all(|v| (v & w).count_ones() % 2 == 0)));
        prop_assert_eq!(o.orthogonal(8), span);
    }

    #[test]
    fn stacking_keeps_entries(
        (a, b, c) in (0..=32usize, 0..=32usize, 0..=32usize)
            .prop_flat_map(|(r, s, k)| (matrix(r, k), matrix(r, s), matrix(s, k)))
    ) {
        let beside = naive(&a.beside(&b).unwrap());
        for (row, (x, y)) in beside.iter().zip(naive(&a).iter().zip(naive(&b))) {
            prop_assert_eq!(row, &[x.clone(), y].concat());
        }
        prop_assert_eq!(naive(&a.above(&c).unwrap()), [naive(&a), naive(&c)].concat());
    }
}

#[test]
fn border_sizes_are_answers_or_errors() {
    assert_eq!(
        BitMatrix::zero(65, 1).unwrap_err().to_string(),
        "a matrix of 65x1 is too large; at most 64x64 is supported"
    );
    assert_eq!(
        BitMatrix::from_columns(2, &[0, 4]).unwrap_err().to_string(),
        "column 1 has bits beyond the 2 rows"
    );
    let (a, b) = (
        BitMatrix::zero(2, 3).unwrap(),
        BitMatrix::zero(2, 3).unwrap(),
    );
    assert_eq!(
        a.product(&b).unwrap_err().to_string(),
        "shapes 2x3 and 2x3 do not fit"
    );
    assert_eq!(
        a.inverse().unwrap_err().to_string(),
        "a 2x3 matrix of rank 0 has no inverse"
    );
    let right = BitMatrix::from_columns(2, &[0, 1]).unwrap();
    assert_eq!(
        a.solve(&right).unwrap_err().to_string(),
        "column 1 of the right-hand side is outside the image"
    );
    let full = BitMatrix::identity(64).unwrap();
    assert_eq!(full.inverse().unwrap(), full);
    assert_eq!(full.rref().pivot_columns, u64::MAX);
    assert_eq!(full.kernel(), Span::empty());
    assert_eq!(full.image(), Span::whole(64));
    assert!(full.beside(&full).is_err() && full.above(&full).is_err());
    let none = BitMatrix::zero(0, 0).unwrap();
    assert_eq!((none.rank(), none.inverse().unwrap()), (0, none.clone()));
    assert_eq!(Span::whole(64).complement(64), Span::empty());
    assert_eq!(Span::whole(70).orthogonal(70), Span::empty());
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

/// Vectors of a span are as wide as its widest; a matrix is printed row by row.
#[test]
fn bits_are_printed_in_columns() {
    let span = Span::of(&[0b1, 0b1000]);
    let text = format!("{span:?}");
    let mut vectors: Vec<&str> = text.trim_matches(['[', ']']).split(", ").collect();
    vectors.sort_unstable();
    assert_eq!(vectors, ["0001", "1000"]);
    let matrix = BitMatrix::from_columns(2, &[0b01, 0b10, 0b11]).unwrap();
    assert_eq!(matrix.to_string(), "1 0 1\n0 1 1\n");
}
