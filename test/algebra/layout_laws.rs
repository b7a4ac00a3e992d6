//! The laws in the documentation of `layout`, against brute force over all points.

use std::collections::{BTreeMap, BTreeSet};

use linear_layout::layout::{
    AffineLayout, Coords, Dim, LinearLayout, RegisterPermutation, Surjectivity,
    ensure_not_larger_than, ensure_not_smaller_than,
};
use proptest::prelude::*;

use crate::testing::{
    INS, OUTS, between, bits_of, covered_pair, invertible, layout, shape, surjective, with_offset,
};

type Point = Vec<(Dim, u64)>;

fn points(l: &LinearLayout) -> Vec<Point> {
    let mut all: Vec<Point> = vec![vec![]];
    for (dim, size) in l.in_shape() {
        all = all
            .iter()
            .flat_map(|p| {
                (0..size).map(move |v| {
                    let mut p = p.clone();
                    p.push((dim, v));
                    p
                })
            })
            .collect();
    }
    all
}

/// Returns the image of a point, computed by definition: the XOR of the bases of all bits that are set in the
/// point.
fn by_definition(l: &LinearLayout, point: &Point) -> BTreeMap<&'static str, u64> {
    let mut out: BTreeMap<&str, u64> = l.out_dims().map(|d| (d.name(), 0)).collect();
    for &(dim, value) in point {
        for bit in (0..64).filter(|b| value >> b & 1 == 1) {
            for (d, c) in l.out_dims().zip(l.basis(dim, bit).iter()) {
                *out.get_mut(d.name()).unwrap() ^= c;
            }
        }
    }
    out
}

fn image(l: &LinearLayout, point: &Point) -> BTreeMap<&'static str, u64> {
    let out = l.apply(point).unwrap();
    l.out_dims().map(Dim::name).zip(out.iter()).collect()
}

fn as_point(l: &LinearLayout, coords: Coords) -> Point {
    l.out_dims().zip(coords.iter()).collect()
}

fn identity_on(dims: impl Iterator<Item = (Dim, u64)>) -> LinearLayout {
    dims.fold(LinearLayout::empty(), |l, (d, s)| {
        l.product(&LinearLayout::identity_1d(s, d, d).unwrap())
            .unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn apply_is_linear(l in layout(), x in any::<u64>(), y in any::<u64>()) {
        for p in points(&l) {
            prop_assert_eq!(image(&l, &p), by_definition(&l, &p));
        }
        prop_assert_eq!(l.apply_packed(x ^ y), l.apply_packed(x) ^ l.apply_packed(y));
    }

    #[test]
    fn range_is_pointwise(l in layout(), start in 0..5000u64, len in 0..300u64) {
        let one_by_one: Vec<u64> = (start..start + len).map(|x| l.apply_packed(x)).collect();
        prop_assert_eq!(l.apply_range(start..start + len).collect::<Vec<_>>(), one_by_one);
    }

    #[test]
    fn properties_by_brute_force(l in layout()) {
        let all = points(&l);
        let images: BTreeSet<_> = all.iter().map(|p| image(&l, p)).collect();
        prop_assert_eq!(l.is_injective(), images.len() == all.len());
        prop_assert_eq!(l.is_surjective(), images.len() == 1 << l.total_out_bits());
        prop_assert_eq!(l.is_invertible(), l.is_injective() && l.is_surjective());
        prop_assert_eq!(1 << l.rank(), images.len());
        for (d, size) in l.out_shape() {
            let reached = (0..size).take_while(|v| {
                let mut wanted: BTreeMap<_, _> = l.out_dims().map(|d| (d.name(), 0)).collect();
                wanted.insert(d.name(), *v);
                images.contains(&wanted)
            }).count() as u64;
            // If a subspace has all points below `reached`, it has them up to a power of two.
            prop_assert_eq!(l.contiguous_elems_along(d), reached);
        }
    }

    #[test]
    fn consecutive_by_brute_force(l in layout()) {
        let (Some(i), Some(o)) = (l.in_dims().next(), l.out_dims().next()) else {
            prop_assert_eq!(l.num_consecutive_in_out(), 1);
            return Ok(());
        };
        let fits = |size: u64| {
            points(&l).iter().all(|point| {
                let (value, found) = (point[0].1, image(&l, point));
                let alone = value < size && point[1..].iter().all(|(_, v)| *v == 0);
                let elsewhere = found.iter().any(|(name, v)| *name != o.name() && *v != 0);
                found[o.name()] % size == value % size && !(alone && (elsewhere || found[o.name()] != value))
            })
        };
        let most = (0..=l.in_bits(i).min(l.out_bits(o))).rev().map(|bits| 1 << bits).find(|size| fits(*size));
        prop_assert_eq!(Some(l.num_consecutive_in_out()), most);
    }

    #[test]
    fn free_bits_are_redundant(l in surjective()) {
        let free = l.free_variable_masks();
        let all: BTreeSet<_> = points(&l).iter().map(|p| image(&l, p)).collect();
        let kept: Vec<_> = points(&l).into_iter()
            .filter(|p| p.iter().all(|(d, v)| v & free.mask(*d) == 0)).collect();
        let images: BTreeSet<_> = kept.iter().map(|p| image(&l, p)).collect();
        prop_assert_eq!(images.len(), kept.len());
        prop_assert_eq!(images, all);
    }

    #[test]
    fn product_concatenates(a in layout(), b in layout()) {
        let p = a.product(&b).unwrap();
        for pa in points(&a) {
            for pb in points(&b).iter().take(8) {
                let joint: Point = p.in_dims().map(|d| {
                    let value = |l: &Point| l.iter().find(|(e, _)| *e == d).map_or(0, |(_, v)| *v);
                    (d, value(&pa) | value(pb) << a.in_bits(d))
                }).collect();
                let (ia, ib) = (image(&a, &pa), image(&b, pb));
                for (d, v) in p.out_dims().zip(p.apply(&joint).unwrap().iter()) {
                    let part = |m: &BTreeMap<&str, u64>| m.get(d.name()).copied().unwrap_or(0);
                    prop_assert_eq!(v, part(&ia) | part(&ib) << a.out_bits(d));
                }
            }
        }
        prop_assert_eq!(p.is_surjective(), a.is_surjective() && b.is_surjective());
        prop_assert_eq!(p.is_injective(), a.is_injective() && b.is_injective());
    }

    #[test]
    fn product_respects_dim_order(a in layout(), b in layout()) {
        let p = a.product(&b).unwrap();
        let common: Vec<_> = a.in_dims().filter(|d| b.has_in_dim(*d)).collect();
        let agree = b.in_dims().filter(|d| a.has_in_dim(*d)).eq(common.iter().copied());
        prop_assert!(p.in_dims().filter(|d| a.has_in_dim(*d)).eq(a.in_dims()) || !agree);
        prop_assert!(p.in_dims().filter(|d| b.has_in_dim(*d)).eq(b.in_dims()) || !agree);
    }

    #[test]
    fn product_has_identity(l in layout()) {
        prop_assert_eq!(&l.product(&LinearLayout::empty()).unwrap(), &l);
        prop_assert_eq!(&LinearLayout::empty().product(&l).unwrap(), &l);
    }

    #[test]
    fn product_by_an_identity_in_place(l in layout(), i in 0..4usize, o in 0..3usize, bits in 0..4u32) {
        let (input, output, size) = (INS[i], OUTS[o], 1 << bits);
        let mut found = l.clone();
        found.product_identity_assign(size, input, output).unwrap();
        let identity = LinearLayout::identity_1d(size, input, output).unwrap();
        prop_assert_eq!(found, l.product(&identity).unwrap());
    }

    #[test]
    fn product_is_associative(seed in prop::collection::vec((0..4usize, 0..3usize, 0..3u32), 3)) {
        // One order of dims for all three, as the law requires.
        let l: Vec<_> = seed.iter().map(|(i, o, b)| {
            LinearLayout::identity_1d(1 << b, INS[*i], OUTS[*o]).unwrap()
                .product(&LinearLayout::zeros_1d(2, INS[(i + 1) % 4], OUTS[(o + 1) % 3], 2).unwrap()).unwrap()
        }).collect();
        let sorted = |l: &LinearLayout| {
            let mut ins: Vec<_> = l.in_dims().collect();
            let mut outs: Vec<_> = l.out_dims().collect();
            ins.sort_by_key(|d| d.name());
            outs.sort_by_key(|d| d.name());
            l.transpose_ins(&ins).unwrap().transpose_outs(&outs).unwrap()
        };
        let left = l[0].product(&l[1]).unwrap().product(&l[2]).unwrap();
        let right = l[0].product(&l[1].product(&l[2]).unwrap()).unwrap();
        prop_assert_eq!(sorted(&left), sorted(&right));
    }

    #[test]
    fn remainder_times_tile(tile in layout(), rest in layout()) {
        let by_name = |l: &LinearLayout, like: &LinearLayout| {
            let ins: Vec<_> = like.in_dims().collect();
            let outs: Vec<_> = like.out_dims().collect();
            l.transpose_ins(&ins).unwrap().transpose_outs(&outs).unwrap()
        };
        let whole = tile.product(&rest).unwrap();
        let quotient = whole.divide_left(&tile).unwrap();
        prop_assert_eq!(by_name(&tile.product(&quotient).unwrap(), &whole), whole);
        let whole = rest.product(&tile).unwrap();
        let quotient = whole.divide_right(&tile).unwrap();
        prop_assert_eq!(by_name(&quotient.product(&tile).unwrap(), &whole), whole);
    }

    #[test]
    fn repetitions_are_the_whole_without_the_tile(tile in layout(), rest in layout()) {
        let whole = tile.product(&rest).unwrap();
        let repetitions = whole.repetitions_of(&tile).unwrap();
        for dim in whole.in_dims() {
            let tiled = tile.columns_of(dim).len();
            let (found, of) = (repetitions.columns_of(dim), whole.columns_of(dim));
            prop_assert!(found[..tiled].iter().all(|column| *column == 0));
            prop_assert_eq!(&found[tiled..], &of[tiled..]);
        }
        let by_hand = points(&whole).iter().all(|p| {
            let inside: Point = p.iter().map(|(d, v)| (*d, v % tile.in_size(*d).max(1))).collect();
            let (all, mut sum) = (image(&whole, p), image(&repetitions, p));
            for (dim, value) in image(&whole, &inside) {
                *sum.get_mut(dim).unwrap() ^= value;
            }
            all == sum
        });
        prop_assert!(by_hand);
    }

    #[test]
    fn division_is_sound(a in layout(), b in layout()) {
        for (quotient, left) in [(a.divide_left(&b), true), (a.divide_right(&b), false)] {
            if let Ok(q) = quotient {
                prop_assert!(q.in_dims().eq(a.in_dims()) && q.out_dims().eq(a.out_dims()));
                let back = if left { b.product(&q) } else { q.product(&b) }.unwrap();
                let ins: Vec<_> = a.in_dims().collect();
                let outs: Vec<_> = a.out_dims().collect();
                prop_assert_eq!(back.transpose_ins(&ins).unwrap().transpose_outs(&outs).unwrap(), a.clone());
            }
        }
    }

    #[test]
    fn compose_is_application((a, b) in (shape(&INS, 3), shape(&OUTS, 3), shape(&[Dim::ROW, Dim::COL], 4))
        .prop_flat_map(|(i, m, o)| {
            let reversed: Vec<_> = m.iter().rev().map(|(d, s)| (*d, s * 2)).collect();
            (between(i, m), between(reversed, o))
        })
    ) {
        let c = a.compose(&b).unwrap();
        for p in points(&a) {
            let middle = as_point(&a, a.apply(&p).unwrap());
            prop_assert_eq!(c.apply(&p).unwrap(), b.apply(&middle).unwrap());
        }
    }

    #[test]
    fn compose_is_associative((a, b, c) in (shape(&INS, 2), shape(&OUTS, 2), shape(&[Dim::ROW, Dim::COL], 2), shape(&[Dim::PARTITION], 4))
        .prop_flat_map(|(i, m, n, o)| (between(i, m.clone()), between(m, n.clone()), between(n, o)))
    ) {
        let left = a.compose(&b).unwrap().compose(&c).unwrap();
        prop_assert_eq!(left, a.compose(&b.compose(&c).unwrap()).unwrap());
    }

    #[test]
    fn inverse_composes_to_identity(l in invertible()) {
        let inverse = l.invert().unwrap();
        prop_assert_eq!(l.compose(&inverse).unwrap(), identity_on(l.in_shape()));
        prop_assert_eq!(inverse.compose(&l).unwrap(), identity_on(l.out_shape()));
    }

    #[test]
    fn pseudoinverse_is_right_inverse(l in surjective()) {
        let p = l.pseudoinvert().unwrap();
        prop_assert_eq!(p.compose(&l).unwrap(), identity_on(l.out_shape()));
        // All free variables are zero.
        let free = l.free_variable_masks().packed();
        prop_assert!(p.columns().iter().all(|c| c & free == 0));
    }

    #[test]
    fn inverse_composition_solves((a, b) in covered_pair()) {
        let x = a.invert_and_compose(&b).unwrap();
        prop_assert_eq!(x.compose(&b).unwrap(), a.clone());
        prop_assert!(x.in_dims().eq(a.in_dims()) && x.out_dims().eq(b.in_dims()));
        let local = a.invert_and_compose_block_local(&b).unwrap();
        prop_assert_eq!(local.compose(&b).unwrap(), a);
    }

    #[test]
    fn outside_the_image_is_an_error((a, b) in (shape(&INS, 2), shape(&INS, 2), shape(&OUTS, 2))
        .prop_flat_map(|(i, j, o)| (between(i, o.clone()), between(j, o)))
    ) {
        let reached: BTreeSet<_> = points(&b).iter().map(|p| image(&b, p)).collect();
        let solvable = points(&a).iter().all(|p| reached.contains(&image(&a, p)));
        prop_assert_eq!(a.invert_and_compose(&b).is_ok(), solvable);
    }

    #[test]
    fn minimal_conversion_keeps_what_it_drops((a, b) in covered_pair()) {
        let full = a.invert_and_compose_block_local(&b).unwrap();
        let minimal = b.minimal_conversion_to(&a).unwrap();
        let dropped: Vec<_> = full.in_dims().filter(|d| !minimal.has_in_dim(*d)).collect();
        prop_assert!(full.is_trivial_over(&dropped));
        prop_assert_eq!(full.quotient(&dropped).unwrap(), minimal);
    }

    /// If the memory of several blocks holds replicas of an element, each block uses the replica in its own memory.
    #[test]
    fn blocks_stay_at_home((a, b) in (0..3u32, 0..3u32).prop_flat_map(|(own, other)| {
        let block = |bits: u32| (Dim::BLOCK, 1u64 << bits);
        let outs = vec![(OUTS[0], 4), (OUTS[1], 2)];
        let a = between(vec![(Dim::REGISTER, 4), block(own), (Dim::LANE, 4)], outs.clone());
        let copies = between(vec![(Dim::PARTITION, 2), block(other)], outs.clone());
        let memory = copies.prop_map(move |copies| {
            let offsets = LinearLayout::from_columns(
                &[(Dim::OFFSET, 8)], &outs, &[1, 2, 4], Surjectivity::Required,
            );
            offsets.unwrap().concat_ins(&copies).unwrap()
        });
        (a, memory)
    })) {
        let local = a.invert_and_compose_block_local(&b).unwrap();
        prop_assert_eq!(local.compose(&b).unwrap(), a.clone());
        let home = |point: &Point| point.iter().find(|(d, _)| *d == Dim::BLOCK).unwrap().1;
        for bit in (0..b.in_bits(Dim::BLOCK)).filter(|bit| b.basis(Dim::BLOCK, *bit).iter().all(|c| c == 0)) {
            for point in points(&a) {
                let found = image(&local, &point)[Dim::BLOCK.name()];
                prop_assert_eq!(found >> bit & 1, home(&point) >> bit & 1);
            }
        }
    }

    #[test]
    fn quotient_is_the_rest(l in layout(), size in 0..3u32) {
        let id = LinearLayout::identity_1d(1 << size, Dim::PARTITION, Dim::PARTITION).unwrap();
        let p = l.product(&id).unwrap();
        prop_assert!(p.is_trivial_over(&[Dim::PARTITION]));
        prop_assert!(p.is_identity_on_out_dim(Dim::PARTITION));
        prop_assert_eq!(p.quotient(&[Dim::PARTITION]).unwrap(), l);
    }

    #[test]
    fn trivial_over_by_brute_force(l in (shape(&INS, 2), shape(&INS, 2)).prop_flat_map(|(i, o)| between(i, o)), d in 0..4usize) {
        let d = INS[d];
        let both = l.has_in_dim(d) && l.has_out_dim(d) && l.in_size(d) == l.out_size(d);
        let trivial = both && points(&l).iter().all(|p| {
            let own = p.iter().find(|(e, _)| *e == d).unwrap().1;
            let without: Point = p.iter().map(|(e, v)| (*e, if *e == d { 0 } else { *v })).collect();
            let (with, mut base) = (image(&l, p), image(&l, &without));
            let fixed = with[d.name()] == own;
            base.insert(d.name(), own);
            fixed && with == base
        });
        prop_assert_eq!(l.is_trivial_over(&[d]), trivial);
    }

    #[test]
    fn sublayout_picks_components(l in layout(), ins in any::<u8>(), outs in any::<u8>()) {
        let pick = |dims: Vec<Dim>, mask: u8| -> Vec<Dim> {
            dims.into_iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, d)| d).collect()
        };
        let ins = pick(l.in_dims().collect(), ins);
        let outs = pick(l.out_dims().collect(), outs);
        let s = l.sublayout(&ins, &outs).unwrap();
        prop_assert!(s.in_dims().eq(ins.iter().copied()) && s.out_dims().eq(outs.iter().copied()));
        let mut zero = true;
        for &d in &ins {
            for bit in 0..l.in_bits(d) {
                for &o in &outs {
                    prop_assert_eq!(s.basis_component(d, bit, o), l.basis_component(d, bit, o));
                    zero &= l.basis_component(d, bit, o) == 0;
                }
            }
        }
        prop_assert_eq!(l.sublayout_is_zero(&ins, &outs).unwrap(), zero);
    }

    #[test]
    fn reshape_keeps_packed_map(l in layout(), x in any::<u64>()) {
        let bits = |n: usize| [(Dim::ROW, 1u64 << (n / 2)), (Dim::COL, 1 << (n - n / 2))];
        let i = l.reshape_ins(&bits(l.total_in_bits())).unwrap();
        let o = i.reshape_outs(&bits(l.total_out_bits())).unwrap();
        prop_assert_eq!(o.apply_packed(x), l.apply_packed(x));
        let f = l.flatten_ins().unwrap().flatten_outs().unwrap();
        prop_assert_eq!(f.apply_packed(x), l.apply_packed(x));
        prop_assert_eq!(f.num_in_dims(), l.num_in_dims().min(1));
    }

    #[test]
    fn transpose_keeps_points(l in layout()) {
        let ins: Vec<_> = l.in_dims().rev().collect();
        let outs: Vec<_> = l.out_dims().rev().collect();
        let t = l.transpose_ins(&ins).unwrap().transpose_outs(&outs).unwrap();
        for p in points(&l) {
            prop_assert_eq!(image(&t, &p), image(&l, &p));
        }
        let order: Vec<usize> = (0..l.num_out_dims()).rev().collect();
        let twice = l.transpose_standard(&order).unwrap().transpose_standard(&order).unwrap();
        prop_assert_eq!(twice, l);
    }

    #[test]
    fn resize_by_definition(l in layout(), bits in 0..4u32, more in 0..2u32) {
        if let Some((d, size)) = l.in_shape().next() {
            let to = 1u64 << bits;
            let r = l.resize_in(d, to).unwrap();
            for p in points(&r) {
                let inside: Point = p.iter().map(|(e, v)| (*e, if *e == d { v % size } else { *v })).collect();
                prop_assert_eq!(image(&r, &p), image(&l, &inside));
            }
        }
        if let Some((d, size)) = l.out_shape().last() {
            let to = size >> bits.min(size.trailing_zeros());
            let r = l.resize_out(d, to).unwrap();
            for i in l.in_dims() {
                for bit in 0..l.in_bits(i) {
                    let c = l.basis_component(i, bit, d);
                    prop_assert_eq!(r.basis_component(i, bit, d), if c >= to { 0 } else { c });
                }
            }
            prop_assert!(l.resize_out(d, size << (more + 1)).is_err());
        }
        for d in l.in_dims() {
            let r = l.remove_zero_bases(d).unwrap();
            prop_assert!(r.columns_of(d).iter().all(|c| *c != 0));
            prop_assert_eq!(r.rank(), l.rank());
        }
    }

    #[test]
    fn concatenation_is_side_by_side((a, b) in (shape(&INS, 2), shape(&OUTS, 2)).prop_flat_map(|(i, o)| {
        let more: Vec<_> = vec![(Dim::OFFSET, 4)];
        (between(i, o.clone()), between(more, o))
    })) {
        let c = a.concat_ins(&b).unwrap();
        prop_assert_eq!(c.columns(), &[a.columns(), b.columns()].concat()[..]);
        let renamed: Vec<_> = a.out_dims().zip([Dim::ROW, Dim::COL, Dim::PARTITION]).collect();
        let other = a.rename_dims(&[], &renamed).unwrap();
        let both = a.concat_outs(&other).unwrap();
        for p in points(&a) {
            let twice = [a.apply(&p).unwrap().to_vec(), other.apply(&p).unwrap().to_vec()].concat();
            prop_assert_eq!(both.apply(&p).unwrap().to_vec(), twice);
        }
    }

    #[test]
    fn text_round_trip(l in layout()) {
        let text = l.to_string();
        prop_assert_eq!(text.parse::<LinearLayout>().unwrap(), l.clone());
        // Triton's texts are indented and joined in many ways; spacing is ignored.
        prop_assert_eq!(text.replace('\n', "  \n \n").parse::<LinearLayout>().unwrap(), l);
    }

    #[test]
    fn broken_text_is_an_error(l in layout(), at in any::<prop::sample::Index>(), c in any::<char>()) {
        let mut text: Vec<char> = l.to_string().chars().collect();
        let i = at.index(text.len());
        text[i] = c;
        let text: String = text.into_iter().collect();
        if let Err(e) = text.parse::<LinearLayout>() {
            prop_assert!(e.parse_offset().is_none_or(|o| o <= text.len()), "{}", e);
        }
    }

    #[test]
    fn equality_ignores_only_sizes(l in layout()) {
        let outs: Vec<_> = l.out_shape().map(|(d, s)| (d, s * 2)).collect();
        let larger = identity_on(outs.iter().copied());
        let same = l.compose(&larger).unwrap();
        prop_assert!(l.eq_ignoring_out_sizes(&same));
        prop_assert_eq!(l == same, l.num_out_dims() == 0);
        for d in l.in_dims() {
            prop_assert!(!l.eq_ignoring_out_sizes(&l.resize_in(d, l.in_size(d) * 2).unwrap()));
        }
    }

    #[test]
    fn fitting_gives_the_shape(l in surjective(), bits in prop::collection::vec(0..5u32, 2)) {
        let wanted: Vec<_> = l.out_dims().zip(bits.iter().map(|b| 1u64 << b)).collect();
        let small = ensure_not_larger_than(&l, &wanted, true).unwrap();
        prop_assert!(small.in_shape().eq(l.in_shape()));
        for (d, w) in &wanted {
            prop_assert_eq!(small.out_size(*d), l.out_size(*d).min(*w));
        }
        // A basis is preserved along the dims in which it is in range.
        for dim in l.in_dims() {
            for bit in 0..l.in_bits(dim) {
                let (from, to) = (l.basis(dim, bit), small.basis(dim, bit));
                for ((from, to), (_, w)) in from.iter().zip(to.iter()).zip(&wanted) {
                    prop_assert_eq!(to, if from < *w { from } else { 0 });
                }
            }
        }
        let large = ensure_not_smaller_than(&small, &wanted).unwrap();
        prop_assert!(large.out_shape().eq(wanted.iter().copied()));
    }

    #[test]
    fn affine_compose_is_application((a, b) in (shape(&INS, 2), shape(&OUTS, 2), shape(&[Dim::ROW, Dim::COL], 3))
        .prop_flat_map(|(i, m, o)| (between(i, m.clone()), between(m, o))), s in any::<u64>(), t in any::<u64>()
    ) {
        let (a, b) = (with_offset(a, s), with_offset(b, t));
        let c = a.compose(&b).unwrap();
        for p in points(a.linear()) {
            let middle = as_point(a.linear(), a.apply(&p).unwrap());
            prop_assert_eq!(c.apply(&p).unwrap(), b.apply(&middle).unwrap());
        }
    }

    #[test]
    fn affine_inverse_undoes(l in invertible(), s in any::<u64>()) {
        let a = with_offset(l.clone(), s);
        let identity = AffineLayout::from(identity_on(l.in_shape()));
        prop_assert_eq!(a.compose(&a.invert().unwrap()).unwrap(), identity);
        let right = AffineLayout::from(identity_on(l.out_shape()));
        prop_assert_eq!(a.pseudoinvert().unwrap().compose(&a).unwrap(), right);
    }

    #[test]
    fn affine_inverse_composition_solves((a, b) in covered_pair(), s in any::<u64>(), t in any::<u64>()) {
        let (a, b) = (with_offset(a, s), with_offset(b, t));
        prop_assert_eq!(a.invert_and_compose(&b).unwrap().compose(&b).unwrap(), a);
    }

    #[test]
    fn slices_and_flips_by_definition(l in layout(), bits in 0..3u32, block in 0..8u64) {
        let a = AffineLayout::from(l.clone());
        for (d, whole) in l.in_shape() {
            let size = (1 << bits).min(whole);
            let start = size * block % whole;
            let slice = a.slice_in(d, start, size).unwrap();
            let flip = a.flip_in(d).unwrap();
            for p in points(slice.linear()) {
                let moved: Point = p.iter().map(|(e, v)| (*e, if *e == d { v + start } else { *v })).collect();
                prop_assert_eq!(slice.apply(&p).unwrap(), l.apply(&moved).unwrap());
            }
            for p in points(&l) {
                let moved: Point = p.iter().map(|(e, v)| (*e, if *e == d { whole - 1 - v } else { *v })).collect();
                prop_assert_eq!(flip.apply(&p).unwrap(), l.apply(&moved).unwrap());
            }
        }
        for (i, (d, size)) in l.out_shape().enumerate() {
            prop_assert_eq!(a.flip_out(d).unwrap().flip_out(d).unwrap(), a.clone());
            let by = block % size;
            let moved = a.translate_out(d, by).unwrap();
            for p in points(&l) {
                let expected = l.apply(&p).unwrap().iter().enumerate().map(|(j, v)| if i == j { v ^ by } else { v });
                prop_assert!(moved.apply(&p).unwrap().iter().eq(expected));
            }
        }
    }

    #[test]
    fn affine_product_concatenates(a in layout(), b in layout(), s in any::<u64>(), t in any::<u64>()) {
        let (a, b) = (with_offset(a, s), with_offset(b, t));
        let p = a.product(&b).unwrap();
        for (d, v) in p.linear().out_dims().zip(p.offset().iter()) {
            let part = |l: &AffineLayout| l.linear().out_index(d).map_or(0, |i| l.offset().at(i));
            prop_assert_eq!(v, part(&a) | part(&b) << a.linear().out_bits(d));
        }
    }

    #[test]
    fn action_inverse_undoes(l in layout(), order in Just((0..3usize).collect::<Vec<_>>()).prop_shuffle()) {
        let l = l.product(&LinearLayout::zeros_1d(8, Dim::OFFSET, OUTS[0], 1).unwrap()).unwrap();
        let p = RegisterPermutation::new(&order, Dim::OFFSET, 3).unwrap();
        let back = p.inverse().unwrap();
        prop_assert_eq!(back.apply(&p.apply(&l).unwrap()).unwrap(), l);
        prop_assert!(p.left_compose(&back).unwrap().is_identity());
    }

    #[test]
    fn action_composes(l in (Just(vec![(Dim::REGISTER, 16)]), shape(&OUTS, 3)).prop_flat_map(|(i, o)| between(i, o)),
        p in prop::sample::subsequence(vec![0usize, 1, 2, 3], 0..=4).prop_shuffle(), q in any::<u64>()
    ) {
        let p = RegisterPermutation::new(&p, Dim::REGISTER, 4).unwrap();
        let n = p.out_bits();
        let q: Vec<usize> = (0..n).filter(|i| q >> i & 1 == 1).rev().collect();
        let q = RegisterPermutation::new(&q, Dim::REGISTER, n).unwrap();
        let joint = p.left_compose(&q).unwrap();
        prop_assert_eq!(joint.apply(&l).unwrap(), q.apply(&p.apply(&l).unwrap()).unwrap());
        // Acting on values is equivalent to acting on the layout of the slots.
        let values: Vec<u64> = (0..16).map(|r| l.apply_packed(r)).collect();
        let mut out = vec![0; 1 << n];
        p.apply_values(&values, &mut out).unwrap();
        let acted = p.apply(&l).unwrap();
        prop_assert!(out.iter().enumerate().all(|(r, v)| acted.apply_packed(r as u64) == *v));
        prop_assert!((0..1 << n).all(|r| values[p.source_of(r) as usize] == out[r as usize]));
    }

    #[test]
    fn dropped_copies_come_back(l in layout()) {
        for d in l.in_dims() {
            let unique = RegisterPermutation::removing_broadcast(&l, d).unwrap().apply(&l).unwrap();
            prop_assert!(unique.columns_of(d).iter().all(|c| *c != 0));
        }
        let l = l.sublayout(&l.in_dims().take(1).collect::<Vec<_>>(), &l.out_dims().collect::<Vec<_>>()).unwrap();
        if let Some((d, size)) = l.in_shape().next() {
            let free = l.free_variable_masks().mask(d);
            let unique: Vec<u64> = (0..size).filter(|r| r & free == 0).map(|r| l.apply_packed(r)).collect();
            let mut all = vec![0; size as usize];
            // Only zero bases make replicas of equal value; other dependent bases make sums.
            if l.columns().iter().enumerate().all(|(i, c)| free >> i & 1 == 0 || *c == 0) {
                l.broadcast_values(d, &unique, &mut all).unwrap();
                prop_assert!(all.iter().enumerate().all(|(r, v)| l.apply_packed(r as u64) == *v));
            }
        }
    }

    #[test]
    fn permutation_makes_divisible(l in layout(), order in Just((0..4usize).collect::<Vec<_>>()).prop_shuffle()) {
        let tile = LinearLayout::identity_1d(4, Dim::REGISTER, Dim::PARTITION).unwrap();
        let rest = LinearLayout::identity_1d(4, Dim::REGISTER, Dim::PARTITION).unwrap();
        let whole = tile.product(&rest).unwrap().product(&l.sublayout(
            &l.in_dims().filter(|d| *d != Dim::REGISTER).collect::<Vec<_>>(),
            &l.out_dims().collect::<Vec<_>>()).unwrap()).unwrap();
        let shuffled = RegisterPermutation::new(&order, Dim::REGISTER, 4).unwrap().apply(&whole).unwrap();
        let left = RegisterPermutation::for_division(&shuffled, &tile, true).unwrap().unwrap();
        prop_assert!(left.apply(&shuffled).unwrap().divide_left(&tile).is_ok());
        let right = RegisterPermutation::for_division(&shuffled, &tile, false).unwrap().unwrap();
        prop_assert!(right.apply(&shuffled).unwrap().divide_right(&tile).is_ok());
    }

    #[test]
    fn row_major_reshape(l in (Just(vec![(Dim::REGISTER, 16)]), Just(vec![(OUTS[0], 4), (OUTS[1], 8)])).prop_flat_map(|(i, o)| between(i, o))) {
        let r = l.reshape_standard(&[2, 4, 4]).unwrap();
        for p in points(&l) {
            let (a, b) = (l.apply(&p).unwrap(), r.apply(&p).unwrap());
            prop_assert_eq!(a.at(0) * 8 + a.at(1), b.at(0) * 16 + b.at(1) * 4 + b.at(2));
        }
        let flat = l.reshape_standard(&[32]).unwrap();
        prop_assert_eq!(flat.reshape_standard(&[4, 8]).unwrap(), l);
    }

    #[test]
    fn taken_apart_and_put_together(l in layout()) {
        let (ins, outs): (Vec<_>, Vec<_>) = (l.in_shape().collect(), l.out_shape().collect());
        let again = LinearLayout::from_columns(&ins, &outs, l.columns(), Surjectivity::NotRequired).unwrap();
        prop_assert_eq!(&again, &l);
        prop_assert_eq!(bits_of(&ins) as usize, l.total_in_bits());
        let lists: Vec<Vec<Vec<u64>>> = l.in_dims()
            .map(|d| (0..l.in_bits(d)).map(|b| l.basis(d, b).to_vec()).collect()).collect();
        let refs: Vec<Vec<&[u64]>> = lists.iter().map(|b| b.iter().map(Vec::as_slice).collect()).collect();
        let bases: Vec<_> = l.in_dims().zip(refs.iter().map(Vec::as_slice)).collect();
        let again = LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::NotRequired).unwrap();
        prop_assert_eq!(&again, &l);
        match LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::Required) {
            Ok(_) => prop_assert!(l.is_surjective()),
            Err(e) => prop_assert!(e.is_not_surjective() && !l.is_surjective()),
        }
    }
}
