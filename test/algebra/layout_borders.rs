//! Limits of sizes: a result or an error that names the dim, never an overflow.

use linear_layout::layout::{
    AffineLayout, Dim, LayoutError, LinearLayout, MAX_DIMS, RegisterPermutation, Surjectivity,
    ensure_not_larger_than, ensure_not_smaller_than, standard_out_dims,
};

const D0: Dim = Dim::out(0);
const D1: Dim = Dim::out(1);
const L: Dim = Dim::LANE;
const R: Dim = Dim::REGISTER;

fn id(bits: u32, i: Dim, o: Dim) -> LinearLayout {
    LinearLayout::identity_1d(1 << bits, i, o).unwrap()
}

#[track_caller]
fn check<T: std::fmt::Debug>(result: Result<T, LayoutError>, text: &str, dim: Option<Dim>) {
    let e = result.unwrap_err();
    assert_eq!(e.to_string(), text);
    assert_eq!(e.dim(), dim);
}

#[test]
fn no_dims_at_all() {
    let e = LinearLayout::empty();
    assert!(e.is_invertible() && e.is_surjective() && e.is_injective());
    assert_eq!(
        (e.rank(), e.num_consecutive_in_out(), e.total_in_bits()),
        (0, 1, 0)
    );
    assert_eq!(e.invert().unwrap(), e);
    assert_eq!(e.pseudoinvert().unwrap(), e);
    assert_eq!(e.compose(&e).unwrap(), e);
    assert_eq!(e.invert_and_compose(&e).unwrap(), e);
    assert_eq!(e.divide_left(&e).unwrap(), e);
    assert_eq!(e.quotient(&[]).unwrap(), e);
    assert_eq!(e.flatten_ins().unwrap().flatten_outs().unwrap(), e);
    assert_eq!(e.apply(&[]).unwrap().len(), 0);
    assert_eq!(e.apply_range(0..2).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(e.free_variable_masks().packed(), 0);
    assert_eq!(e.reshape_standard(&[]).unwrap(), e);
    assert_eq!(ensure_not_smaller_than(&e, &[]).unwrap(), e);
    assert_eq!(LinearLayout::identity_1d(0, L, D0).unwrap(), e);
    assert_eq!(LinearLayout::strided_1d(0, 3, L, D0).unwrap(), e);
    assert_eq!(LinearLayout::zeros_1d(0, L, D0, 3).unwrap(), e);
    assert_eq!("(empty layout)".parse::<LinearLayout>().unwrap(), e);
    let outs_only = LinearLayout::from_bases(&[], &[D0]).unwrap();
    assert_eq!(
        outs_only.to_string(),
        "\n(empty layout with out-dims [dim0 (size 1)])"
    );
    assert_eq!(
        outs_only.to_string().parse::<LinearLayout>().unwrap(),
        outs_only
    );
    let ins_only = LinearLayout::from_bases(&[(L, &[&[], &[]])], &[]).unwrap();
    assert_eq!(
        ins_only.to_string(),
        "\n - lane=1 -> ()\n   lane=2 -> ()\nwhere out dims are: []"
    );
    assert_eq!(
        ins_only.to_string().parse::<LinearLayout>().unwrap(),
        ins_only
    );
    assert_eq!(ins_only.free_variable_masks().mask(L), 0b11);
}

#[test]
fn coordinates_are_a_list() {
    let point = id(3, L, D0).product(&id(2, R, D1)).unwrap();
    let point = point.apply(&[(L, 5), (R, 2)]).unwrap();
    assert_eq!(format!("{point:?} {point}"), "[5, 2] (5, 2)");
}

#[test]
fn dims_of_size_one() {
    let one = LinearLayout::identity_1d(1, L, D0).unwrap();
    assert!(one.is_invertible());
    assert_eq!(
        one.invert().unwrap(),
        LinearLayout::identity_1d(1, D0, L).unwrap()
    );
    assert_eq!(
        one.squeeze_ins(L).unwrap().squeeze_outs(D0).unwrap(),
        LinearLayout::empty()
    );
    assert_eq!(one.apply(&[(L, 0)]).unwrap(), [0]);
    // Dims of size 1 after 64 bits.
    let full = id(32, R, D0).product(&id(32, L, D1)).unwrap();
    let more = full
        .product(&LinearLayout::identity_1d(1, Dim::WARP, Dim::out(2)).unwrap())
        .unwrap();
    let point = [(R, 7), (L, 9), (Dim::WARP, 0)];
    assert_eq!(more.apply(&point).unwrap(), [7, 9, 0]);
    assert_eq!(more.invert().unwrap().out_size(Dim::WARP), 1);
    let wrong = [(R, 7), (L, 9), (Dim::WARP, 1)];
    check(
        more.apply(&wrong),
        "`warp` = 1 is out of range; expected less than 1",
        Some(Dim::WARP),
    );
}

#[test]
fn two_to_the_31_elements() {
    let l = id(16, R, D1).product(&id(15, L, D0)).unwrap();
    assert_eq!(l.total_out_bits(), 31);
    assert!(l.is_invertible());
    let top = l.apply(&[(R, 0xffff), (L, 0x7fff)]).unwrap();
    assert_eq!(top, [0xffff, 0x7fff]);
    let flat = l.flatten_ins().unwrap().flatten_outs().unwrap();
    assert_eq!(flat.in_size(R), 1 << 31);
    assert_eq!(flat.apply(&[(R, (1 << 31) - 1)]).unwrap(), [(1 << 31) - 1]);
    assert_eq!(
        l.compose(&l.invert().unwrap()).unwrap().total_out_bits(),
        31
    );
}

#[test]
fn sixty_four_bits() {
    let l = id(32, R, D1).product(&id(32, L, D0)).unwrap();
    assert!(l.is_invertible());
    assert_eq!(l.apply_packed(u64::MAX), u64::MAX);
    assert_eq!(l.invert().unwrap().invert().unwrap(), l);
    assert_eq!(l.invert_and_compose(&l).unwrap().columns().len(), 64);
    assert_eq!(
        l.transpose_outs(&[D0, D1]).unwrap().apply_packed(1),
        1 << 32
    );
    assert_eq!(l.to_string().parse::<LinearLayout>().unwrap(), l);
    assert_eq!(l.apply_range(u64::MAX - 2..u64::MAX).count(), 2);
    assert_eq!(l.divide_left(&id(31, R, D1)).unwrap().in_bits(R), 1);
    assert_eq!(l.divide_right(&id(32, L, D0)).unwrap().in_bits(L), 0);
    assert!(
        AffineLayout::from(l.clone())
            .flip_in(L)
            .unwrap()
            .invert()
            .is_ok()
    );
    check(
        l.flatten_ins(),
        "in-dim `register` has 64 bits; expected at most 63",
        Some(R),
    );
    let wide = id(63, R, D0);
    assert_eq!(wide.out_size(D0), 1 << 63);
    assert_eq!(wide.apply(&[(R, (1 << 63) - 1)]).unwrap(), [(1 << 63) - 1]);
    assert_eq!(wide.to_string().parse::<LinearLayout>().unwrap(), wide);
}

#[test]
fn more_than_sixty_four_bits() {
    let l = id(40, R, D1);
    let text = "with in-dim `lane`, the in-dims have 80 bits in total; expected at most 64";
    check(l.product(&id(40, L, D0)), text, Some(L));
    check(
        id(40, R, D0).product(&id(40, R, D1)),
        "in-dim `register` has 80 bits; expected at most 63",
        Some(R),
    );
    check(
        LinearLayout::strided_1d(1 << 32, 1 << 32, R, D0),
        "out-dim `dim0` has 64 bits; expected at most 63",
        Some(D0),
    );
    check(
        l.resize_in(R, 1 << 63)
            .and_then(|l| l.product(&id(2, L, D0))),
        "with in-dim `lane`, the in-dims have 65 bits in total; expected at most 64",
        Some(L),
    );
    assert!(ensure_not_smaller_than(&l, &[(D1, 1 << 63)]).is_ok());
    let basis: &[u64] = &[1];
    let many = vec![basis; 65];
    assert!(
        LinearLayout::from_bases(&[(R, &many)], &[D0])
            .unwrap_err()
            .is_too_large()
    );
    assert!(
        LinearLayout::from_bases(&[(R, &[&[u64::MAX]])], &[D0])
            .unwrap_err()
            .is_too_large()
    );
    let mut text = String::new();
    for bit in 0..63 {
        text += &format!(
            "{}lane={} -> (0)\n",
            if bit == 0 { " - " } else { "   " },
            1u64 << bit
        );
    }
    let deep =
        format!("{text} - warp=1 -> (0)\n   warp=2 -> (0)\nwhere out dims are: [dim0 (size 1)]");
    assert!(deep.parse::<LinearLayout>().unwrap_err().is_too_large());
}

#[test]
fn many_dims() {
    for rank in 0..=MAX_DIMS {
        let shape = vec![4; rank];
        let order: Vec<usize> = (0..rank).rev().collect();
        let l = LinearLayout::identity_nd(Dim::OFFSET, &shape, &order).unwrap();
        assert_eq!(l.total_out_bits(), 2 * rank);
        assert!(l.is_invertible());
        let outs: Vec<_> = standard_out_dims(rank).collect();
        let t = l.transpose_outs(&outs).unwrap();
        assert_eq!(t.compose(&t.invert().unwrap()).unwrap().rank(), 2 * rank);
        assert_eq!(t.to_string().parse::<LinearLayout>().unwrap(), t);
        // A renamed dim makes another layout, for each dim.
        for dim in l.out_dims() {
            let renamed = l.to_string().replace(dim.name(), "elsewhere");
            assert_ne!(renamed.parse::<LinearLayout>().unwrap(), l, "{dim}");
        }
    }
    let shape = [2; MAX_DIMS + 1];
    let order: Vec<usize> = (0..=MAX_DIMS).collect();
    check(
        LinearLayout::identity_nd(R, &shape, &order),
        "the layout has too many out-dims; expected at most 16",
        None,
    );
    let full = LinearLayout::identity_nd(R, &shape[..MAX_DIMS], &order[..MAX_DIMS]).unwrap();
    check(
        full.product(&id(1, R, Dim::out(MAX_DIMS))),
        "the layout has too many out-dims; expected at most 16",
        None,
    );
}

#[test]
fn errors_name_what_is_wrong() {
    let l = id(2, R, D0).product(&id(3, L, D1)).unwrap();
    let none = Some(Dim::WARP);
    check(
        l.squeeze_ins(Dim::WARP),
        "the layout has no in-dim `warp`",
        none,
    );
    check(
        l.squeeze_outs(D0),
        "out-dim `dim0` has size 4; expected 1",
        Some(D0),
    );
    check(l.rename_in(R, L), "in-dim `lane` is named twice", Some(L));
    check(
        l.transpose_ins(&[R]),
        "in-dim `lane` is missing; expected all in-dims of the layout",
        Some(L),
    );
    check(
        l.transpose_ins(&[R, R]),
        "in-dim `register` is named twice",
        Some(R),
    );
    check(
        l.reshape_ins(&[(R, 8)]),
        "the new in-dims have 3 bits in total; expected 5",
        None,
    );
    check(
        l.resize_in(R, 3),
        "size 3 of in-dim `register` is not a power of two",
        Some(R),
    );
    check(
        l.resize_out(D0, 8),
        "cannot resize out-dim `dim0` from 4 to 8; expected at most 4",
        Some(D0),
    );
    check(
        l.apply(&[(R, 1)]),
        "in-dim `lane` is missing; expected all in-dims of the layout",
        Some(L),
    );
    check(
        l.apply(&[(R, 1), (R, 1)]),
        "in-dim `register` is named twice",
        Some(R),
    );
    check(
        l.apply(&[(R, 4), (L, 1)]),
        "`register` = 4 is out of range; expected less than 4",
        Some(R),
    );
    check(l.compose(&l), "the layout has no in-dim `dim0`", Some(D0));
    check(
        id(3, L, R).compose(&l.sublayout(&[R], &[D0]).unwrap()),
        "`register` has size 8; expected at most 4",
        Some(R),
    );
    check(
        l.concat_ins(&l),
        "in-dim `register` is named twice",
        Some(R),
    );
    check(
        l.concat_outs(&id(1, R, D1)),
        "in-dim `lane` is missing; expected all in-dims of the layout",
        Some(L),
    );
    check(
        LinearLayout::zeros_1d(4, L, D0, 4).unwrap().invert(),
        "layout is not invertible: it has 2 input bits, 2 output bits and rank 0; expected these to be equal",
        None,
    );
    let e = id(2, L, D0).invert_and_compose(&LinearLayout::strided_1d(2, 2, R, D0).unwrap());
    assert_eq!(e.as_ref().unwrap_err().basis(), Some((L, 0)));
    check(
        e,
        "basis 0 of in-dim `lane` is outside the image of the layout to be inverted",
        Some(L),
    );
    let e = l
        .divide_left(&LinearLayout::zeros_1d(2, R, D0, 2).unwrap())
        .unwrap_err();
    assert!(e.is_not_divisible());
    assert_eq!(
        e.to_string(),
        "layout is not divisible by the tile: basis 0 of in-dim `register` differs from the basis of the \
         tile, or overlaps the tile"
    );
    check(
        l.divide_left(&id(3, R, D0)),
        "layout is not divisible by the tile: in-dim `register` has 2 bits in the layout, but 3 bits in \
         the tile",
        Some(R),
    );
    check(
        LinearLayout::from_bases(&[(R, &[&[1, 2]])], &[D0]),
        "basis 0 of in-dim `register` has 2 components; expected 1, one for each out-dim",
        Some(R),
    );
    check(
        LinearLayout::from_bases_sized(&[(R, &[&[9]])], &[(D0, 8)], Surjectivity::NotRequired),
        "basis 0 of in-dim `register` maps to `dim0` = 9; expected less than 8, the size of `dim0`",
        Some(D0),
    );
    let columns = |columns: &[u64]| {
        LinearLayout::from_columns(&[(R, 4)], &[(D0, 4)], columns, Surjectivity::NotRequired)
    };
    check(
        columns(&[1]),
        "found 1 columns; expected 2, one for each input bit",
        None,
    );
    check(
        columns(&[1, 4]),
        "column 4 does not fit into the 2 output bits",
        None,
    );
    check(
        LinearLayout::from_bases(&[(R, &[&[1], &[4]])], &[D0]),
        "layout is not surjective: no input reaches dim0 = 2; the rank is 2, but the out-dims have 3 bits",
        Some(D0),
    );
    check(
        RegisterPermutation::new(&[0, 2], R, 2),
        "the action on `register` names basis 2; expected a basis index less than 2",
        Some(R),
    );
    check(
        RegisterPermutation::new(&[1, 1], R, 2),
        "the action on `register` names basis 1 twice",
        Some(R),
    );
    check(
        ensure_not_larger_than(&l, &[(D0, 4)], true),
        "out-dim `dim1` is missing; expected all out-dims of the layout",
        Some(D1),
    );
    check(
        AffineLayout::from(l.clone()).slice_in(L, 2, 4),
        "the slice starts at `lane` = 2; expected a multiple of 4, the size of the slice",
        Some(L),
    );
    check(
        AffineLayout::new(l, &[(D0, 4), (D1, 0)]),
        "`dim0` = 4 is out of range; expected less than 4",
        Some(D0),
    );
}

#[test]
fn text_errors_say_where() {
    for (text, message) in [
        (
            "",
            "expected `-` or `where out dims are:` at byte 0 of the layout text",
        ),
        (
            " - ",
            "expected the name of an in-dim at byte 3 of the layout text",
        ),
        (
            " - lane=1 -> (x",
            "expected a number below 2^64 at byte 14 of the layout text",
        ),
        (
            " - lane=1 -> (1)\n   lane=4 -> (2)",
            "expected `=` and twice the previous number at byte 24 of the layout text",
        ),
        (
            " - lane=1 -> (1)\n   warp=2 -> (2)",
            "expected the dim name of the previous basis at byte 20 of the layout text",
        ),
        (
            " - lane is a size 1 dimension\nwhere out dims are: [dim0 (size 1)] x",
            "expected the end of the text at byte 66 of the layout text",
        ),
        (
            " - lane=1 -> (99999999999999999999)",
            "expected a number below 2^64 at byte 14 of the layout text",
        ),
    ] {
        let error = text.parse::<LinearLayout>().unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
        let at = error.parse_offset().unwrap();
        assert!(message.contains(&format!("at byte {at} ")), "{message}");
        assert!(!error.is_too_large() && error.dim().is_none());
    }
    let dim = "x".repeat(300);
    let long = format!(" - {dim}=1 -> (1)\nwhere out dims are: [dim0 (size 2)]");
    assert!(long.parse::<LinearLayout>().unwrap_err().is_too_large());
}

/// The coordinates of a point are packed into words. Every dim of a point must be checked, even if it is not in the
/// first word.
#[test]
fn every_dim_of_a_point_is_checked() {
    let names = ["a", "b", "c", "d", "e", "f"].map(Dim::named);
    for rank in 1..=names.len() {
        let layout = names[..rank].iter().enumerate();
        let layout = layout.fold(LinearLayout::empty(), |all, (i, dim)| {
            all.product(&id(1, *dim, Dim::out(i))).unwrap()
        });
        let point: Vec<(Dim, u64)> = names[..rank].iter().map(|d| (*d, 0)).collect();
        assert_eq!(layout.apply(&point).unwrap(), vec![0; rank][..]);
        for i in 0..rank {
            let (mut other, mut large, mut fewer) = (point.clone(), point.clone(), point.clone());
            other[i].0 = Dim::named("g");
            assert!(layout.apply(&other).is_err());
            large[i].1 = 2;
            assert_eq!(layout.apply(&large).unwrap_err().dim(), Some(names[i]));
            fewer.remove(i);
            assert_eq!(layout.apply(&fewer).unwrap_err().dim(), Some(names[i]));
            large[i].1 = 1;
            assert_eq!(layout.apply(&large).unwrap().packed(), 1 << i);
        }
    }
}

/// The names of dims are stored four to a word. Renaming one dim must not change the names of the others.
#[test]
fn one_dim_gets_another_name() {
    let names: Vec<Dim> = (0..10).map(|i| Dim::named(&format!("n{i}"))).collect();
    for rank in 1..names.len() {
        let layout = names[..rank].iter().enumerate();
        let layout = layout.fold(LinearLayout::empty(), |all, (i, dim)| {
            all.product(&id(1, *dim, Dim::out(i))).unwrap()
        });
        for i in 0..rank {
            for to in [names[9], L, names[i]] {
                let mut expected = names[..rank].to_vec();
                expected[i] = to;
                let found = layout.rename_in(names[i], to).unwrap();
                assert!(found.in_dims().eq(expected), "{i} of {rank}: {found}");
                assert_eq!(found.columns(), layout.columns());
            }
        }
    }
}

#[test]
fn an_error_is_of_one_kind() {
    let kinds = |e: LayoutError| {
        [
            e.is_not_surjective(),
            e.is_not_divisible(),
            e.is_too_large(),
            e.parse_offset().is_some(),
        ]
    };
    let wide = id(2, L, D0);
    let gap = LinearLayout::from_bases_sized(&[], &[(D0, 2)], Surjectivity::Required);
    assert_eq!(kinds(gap.unwrap_err()), [true, false, false, false]);
    let division = id(1, L, D0).divide_left(&wide);
    assert_eq!(kinds(division.unwrap_err()), [false, true, false, false]);
    let many = LinearLayout::identity_1d(1 << 63, L, D0)
        .unwrap()
        .product(&wide);
    assert_eq!(kinds(many.unwrap_err()), [false, false, true, false]);
    let text = "x".parse::<LinearLayout>();
    assert_eq!(kinds(text.unwrap_err()), [false, false, false, true]);
    let other = wide.squeeze_ins(L).unwrap_err();
    assert_eq!(kinds(other), [false; 4]);
}

#[test]
fn a_range_says_how_many_it_has() {
    let mut range = id(3, L, D0).apply_range(2..7);
    assert_eq!(range.size_hint(), (5, Some(5)));
    assert_eq!(range.next(), Some(2));
    assert_eq!(range.size_hint(), (4, Some(4)));
}

#[test]
fn dims_have_one_name() {
    assert_eq!(Dim::named("dim07").out_index(), None);
    assert_eq!(Dim::named("dim40"), Dim::out(40));
    assert_eq!(Dim::out(40).name(), "dim40");
    assert_eq!(Dim::named("a new name"), Dim::named("a new name"));
    assert_ne!(Dim::named("a new name"), Dim::named("another"));
    assert_eq!(format!("{:?} {:>6}", Dim::named("a b"), L), "a b   lane");
}

/// Registers that hold adjacent elements in memory are accessed together. An access has at most 128 bits, and it
/// ends where the next element belongs to another lane.
#[test]
fn accesses_are_as_wide_as_registers_are_neighbours() {
    let store = |registers: &[&[u64]], lanes: &[&[u64]]| {
        let bases = [(Dim::REGISTER, registers), (Dim::LANE, lanes)];
        LinearLayout::from_bases(&bases, &[Dim::OFFSET]).unwrap()
    };
    let found = |layout: &LinearLayout, bits: u32, most: Option<u64>| {
        let (elements, order) = layout.largest_vectorisation(bits, most).unwrap();
        (elements, order.indices().collect::<Vec<_>>())
    };
    let run = store(&[&[1], &[2], &[4], &[8]], &[&[16]]);
    assert_eq!(found(&run, 8, None), (16, vec![0, 1, 2, 3]));
    assert_eq!(found(&run, 16, None), (8, vec![0, 1, 2, 3]));
    assert_eq!(found(&run, 32, None), (4, vec![0, 1, 2, 3]));
    assert_eq!(found(&run, 8, Some(2)), (2, vec![0, 1, 2, 3]));
    let pairs = store(&[&[1], &[4], &[8]], &[&[2], &[16]]);
    assert_eq!(found(&pairs, 16, None).0, 2);
    let scattered = store(&[&[8], &[1], &[2]], &[&[4]]);
    assert_eq!(found(&scattered, 32, None), (4, vec![1, 2, 0]));
    // Registers that keep their order have no adjacent first register.
    assert_eq!(found(&scattered, 32, Some(4)).0, 1);
}

/// A comparison that ignores the sizes of out-dims must compare the bases, not the packed columns. If the sizes of
/// two layouts differ, equal packed columns may represent different bases.
#[test]
fn sizes_of_out_dims_can_be_ignored() {
    let layout = |basis: &[u64], sizes: [u64; 2]| {
        let outs = [(D0, sizes[0]), (D1, sizes[1])];
        LinearLayout::from_bases_sized(&[(R, &[basis])], &outs, Surjectivity::NotRequired).unwrap()
    };
    let wide = layout(&[2, 0], [4, 2]);
    assert!(wide.eq_ignoring_out_sizes(&wide));
    assert!(wide.eq_ignoring_out_sizes(&layout(&[2, 0], [8, 8])));
    // Both columns are 0b10.
    let other = layout(&[0, 1], [2, 4]);
    assert_eq!(wide.columns(), other.columns());
    assert!(!wide.eq_ignoring_out_sizes(&other));
    assert!(!wide.eq_ignoring_out_sizes(&layout(&[1, 0], [4, 2])));
}

/// A repetition of a tile must not overlap the tile, because it would overwrite elements of the tile.
#[test]
fn repetitions_lie_outside_of_their_tile() {
    let tile = id(1, R, D0).product(&id(1, L, D0)).unwrap();
    let whole = |next: u64| {
        let columns = [1, next, 2];
        LinearLayout::from_columns(
            &[(R, 4), (L, 2)],
            &[(D0, 8)],
            &columns,
            Surjectivity::NotRequired,
        )
        .unwrap()
    };
    assert_eq!(whole(4).repetitions_of(&tile).unwrap().columns(), [0, 4, 0]);
    for inside in [1, 2, 5, 6, 7] {
        let error = whole(inside).repetitions_of(&tile).unwrap_err();
        assert_eq!(error.dim(), Some(R), "{error}");
    }
}
