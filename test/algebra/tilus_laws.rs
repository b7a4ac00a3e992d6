//! The laws in the documentation of Tilus layouts, on random layouts against brute force.
//!
//! `LL_TILUS=100000 cargo test -p linear-layout --test algebra tilus_laws` sets the number of cases.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use linear_layout::tilus::{
    GlobalLayout, MultiFunction, RegisterLayout, SharedLayout, Swizzle, auto_local_spatial,
    replicated,
};

use crate::split_mix::Random;
use crate::tilus_random::{
    Attributes, Table, all_layouts, count, index, number, one_of, shape_and_modes, shuffle, size,
    table_of,
};

/// Runs a check on random cases. The number of cases can be configured.
fn each(salt: u64, check: impl Fn(&mut Random)) {
    for seed in 0..count() {
        check(&mut Random(seed << 8 | salt));
    }
}

#[test]
fn index_maps_are_those_of_the_definition() {
    each(1, |random| {
        let given = Attributes::random(random, 4, 64);
        let (layout, table) = (given.layout(), given.table());
        assert_eq!(table_of(&layout), table, "{given:?}");
        assert_eq!(table_of(&layout.merged()), table, "{given:?}");
        assert_eq!(table_of(&layout.canonical()), table, "{given:?}");
        let (threads, places) = (layout.spatial_size(), layout.local_size());
        let mut held = 0;
        for (i, (holders, place)) in table.iter().enumerate() {
            let at = index(i as u64, layout.shape());
            for &thread in holders {
                assert_eq!(layout.index_of(thread, *place).unwrap(), at, "{given:?}");
                assert!(layout.holds(thread, &at).unwrap(), "{given:?}");
                held += 1;
            }
            let thread = random.below(threads);
            assert_eq!(
                layout.holds(thread, &at).unwrap(),
                holders.contains(&thread)
            );
        }
        assert_eq!(held, threads * places, "{given:?}");
        assert!(layout.index_of(threads, 0).is_err() && layout.index_of(0, places).is_err());
        assert!(layout.local_of(layout.shape()).is_err() || layout.rank() == 0);
    });
}

#[test]
fn equality_is_that_of_the_maps() {
    let state = RandomState::new();
    each(2, |random| {
        let given = Attributes::random(random, 3, 24);
        let other = given.respelled(random);
        let (a, b) = (given.layout(), other.layout());
        assert_eq!(given.table(), other.table());
        assert_eq!(a, b, "{given:?} {other:?}");
        assert_eq!(state.hash_one(&a), state.hash_one(&b));
        assert!(a.canonical().has_same_text(&b.canonical()));
        let third = Attributes::random(random, 2, 8);
        let c = third.layout();
        let is_equal = a.shape() == c.shape() && given.table() == third.table();
        assert_eq!(a == c, is_equal, "{given:?} {third:?}");
    });
    // All layouts of some shapes; equality classes and maps correspond.
    for shape in [&[8][..], &[12], &[4, 2], &[2, 6], &[3, 4]] {
        let all = all_layouts(shape, &[1, 2, 3, 4]);
        let maps: HashSet<Table> = all.iter().map(table_of).collect();
        assert_eq!(maps.len(), all.len(), "{shape:?}");
    }
}

#[test]
fn composition_is_a_monoid() {
    each(3, |random| {
        let (a, b) = (
            Attributes::random(random, 3, 12),
            Attributes::random(random, 3, 12),
        );
        let (outer, inner) = (a.layout(), b.layout());
        let both = outer.compose(&inner).unwrap();
        // Ranks agree after padding with leading dims of extent 1.
        let rank = outer.rank().max(inner.rank());
        let padded = |shape: &[u64]| [vec![1; rank - shape.len()], shape.to_vec()].concat();
        let (outer_shape, inner_shape) = (padded(&a.shape), padded(&b.shape));
        let (outer_table, inner_table) = (a.table(), b.table());
        for (i, (threads, place)) in table_of(&both).into_iter().enumerate() {
            let at = index(i as u64, both.shape());
            let tile: Vec<u64> = at.iter().zip(&inner_shape).map(|(i, e)| i / e).collect();
            let inside: Vec<u64> = at.iter().zip(&inner_shape).map(|(i, e)| i % e).collect();
            let (t, p) = &outer_table[number(&tile, &outer_shape) as usize];
            let (u, q) = &inner_table[number(&inside, &inner_shape) as usize];
            let spatial = inner.spatial_size();
            let expected: Vec<u64> = t
                .iter()
                .flat_map(|t| u.iter().map(move |u| t * spatial + u))
                .collect();
            assert_eq!(threads, expected, "{a:?} {b:?}");
            assert_eq!(place, p * inner.local_size() + q);
        }
        let third = Attributes::random(random, 2, 4).layout();
        assert_eq!(
            both.compose(&third).unwrap(),
            outer.compose(&inner.compose(&third).unwrap()).unwrap()
        );
        assert_eq!(outer.compose(&RegisterLayout::unit()).unwrap(), outer);
        assert_eq!(RegisterLayout::unit().compose(&outer).unwrap(), outer);
        let pairs = outer.concat(&inner).unwrap();
        for (i, (threads, place)) in table_of(&pairs).into_iter().enumerate() {
            let (t, p) = &outer_table[i / inner_table.len()];
            let (u, q) = &inner_table[i % inner_table.len()];
            let spatial = inner.spatial_size();
            let expected: Vec<u64> = t
                .iter()
                .flat_map(|t| u.iter().map(move |u| t * spatial + u))
                .collect();
            assert_eq!((threads, place), (expected, p * inner.local_size() + q));
        }
    });
}

#[test]
fn a_quotient_is_found_where_there_is_one() {
    each(4, |random| {
        let a = Attributes::random(random, 3, 24).layout();
        let b = Attributes::random(random, 3, 24).layout();
        let both = a.compose(&b).unwrap();
        let x = both.divide(&b).unwrap_or_else(|e| panic!("{a} {b}: {e}"));
        assert_eq!(x.compose(&b).unwrap(), both);
        let y = both
            .left_divide(&a)
            .unwrap_or_else(|e| panic!("{a} {b}: {e}"));
        assert_eq!(a.compose(&y).unwrap(), both);
        // Unrelated layouts seldom have a quotient.
        if let Ok(x) = a.divide(&b) {
            assert_eq!(x.compose(&b).unwrap(), a);
        }
        if let Ok(x) = a.left_divide(&b) {
            assert_eq!(b.compose(&x).unwrap(), a);
        }
    });
}

/// Divides all layouts of small shapes by all layouts of smaller shapes. There must be a quotient if and only if
/// some layout multiplied by the divisor is the dividend.
#[test]
fn there_is_a_quotient_exactly_where_some_layout_is_one() {
    let mut counts = [[0; 2]; 2];
    for (whole, part) in [
        (&[8][..], &[2][..]),
        (&[8], &[4]),
        (&[12], &[2]),
        (&[12], &[3]),
        (&[12], &[6]),
        (&[4, 2], &[2, 1]),
        (&[4, 2], &[2, 2]),
        (&[2, 6], &[3]),
        (&[4], &[1]),
    ] {
        let rank = whole.len();
        let missing = rank - part.len();
        let rest: Vec<u64> = (0..rank)
            .map(|dim| whole[dim] / dim.checked_sub(missing).map_or(1, |d| part[d]))
            .collect();
        let quotients = all_layouts(&rest, &[1, 2, 3, 4]);
        let wholes = all_layouts(whole, &[1, 2, 4]);
        for divisor in all_layouts(part, &[1, 2, 3]) {
            for (side, counts) in counts.iter_mut().enumerate() {
                let products: HashSet<RegisterLayout> = quotients
                    .iter()
                    .map(|x| match side {
                        0 => x.compose(&divisor).unwrap(),
                        _ => divisor.compose(x).unwrap(),
                    })
                    .collect();
                for whole in &wholes {
                    let found = match side {
                        0 => whole.divide(&divisor),
                        _ => whole.left_divide(&divisor),
                    };
                    let is_there = products.contains(whole);
                    assert_eq!(found.is_ok(), is_there, "{whole} by {divisor}: {found:?}");
                    counts[usize::from(is_there)] += 1;
                }
            }
        }
    }
    assert!(counts.iter().flatten().all(|n| *n > 100), "{counts:?}");
}

#[test]
fn shapes_change_and_places_stay() {
    each(5, |random| {
        let given = Attributes::random(random, 4, 48);
        let (layout, table) = (given.layout(), given.table());
        let rank = layout.rank();
        // Permuted dims.
        let mut dims: Vec<usize> = (0..rank).collect();
        shuffle(random, &mut dims);
        let permuted = layout.permute(&dims).unwrap();
        for (i, entry) in table_of(&permuted).into_iter().enumerate() {
            let moved = index(i as u64, permuted.shape());
            let mut at = vec![0; rank];
            for (to, from) in dims.iter().enumerate() {
                at[*from] = moved[to];
            }
            assert_eq!(entry, table[number(&at, &given.shape) as usize]);
        }
        // Inserted and removed dims of extent 1.
        let at = random.below(rank as u64 + 1) as usize;
        let more = layout.unsqueeze(&[at]).unwrap();
        assert_eq!((more.shape()[at], table_of(&more)), (1, table.clone()));
        assert!(more.squeeze(&[at]).unwrap().has_same_text(&layout));
        let ones: Vec<usize> = (0..rank).filter(|dim| given.shape[*dim] == 1).collect();
        assert_eq!(table_of(&layout.squeeze(&ones).unwrap()), table);
        // Several dims merged.
        let (start, end) = (random.below(rank as u64 + 1), random.below(rank as u64 + 1));
        let (start, end) = (start.min(end) as usize, start.max(end) as usize);
        let flat = layout.flatten(start..end).unwrap();
        assert_eq!(
            (flat.rank(), table_of(&flat)),
            (rank - (end - start) + 1, table.clone())
        );
        assert_eq!(layout.flatten(..).unwrap().shape(), [layout.size()]);
    });
}

#[test]
fn reshape_keeps_the_order() {
    let mut splits = HashMap::new();
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 6);
        let given = Attributes::random(&mut random, 3, 64);
        // The factors of all extents in order, regrouped.
        let mut shape = Vec::new();
        let mut extent = 1;
        let mut factors = given.mode_shape.clone();
        if random.below(4) == 0 {
            shuffle(&mut random, &mut factors);
        }
        for factor in factors {
            extent *= factor;
            if random.below(2) == 0 {
                shape.push(extent);
                extent = 1;
            }
        }
        shape.push(extent);
        let reshaped = given.layout().reshape(&shape);
        *splits.entry(reshaped.is_ok()).or_insert(0) += 1;
        if let Ok(reshaped) = reshaped {
            assert_eq!(reshaped.shape(), shape);
            assert_eq!(table_of(&reshaped), given.table(), "{given:?} {shape:?}");
        }
    }
    assert!(splits[&true] > splits[&false] * 2, "{splits:?}");
}

#[test]
fn reduction_joins_the_threads_of_what_is_reduced() {
    each(7, |random| {
        let given = Attributes::random(random, 4, 48);
        let (layout, table) = (given.layout(), given.table());
        let dims: Vec<usize> = (0..layout.rank())
            .filter(|_| random.below(2) == 0)
            .collect();
        let kept: Vec<usize> = (0..layout.rank())
            .filter(|dim| !dims.contains(dim))
            .collect();
        let reduced = layout.reduce(&dims, false).unwrap();
        assert_eq!(
            reduced.shape(),
            kept.iter().map(|d| given.shape[*d]).collect::<Vec<_>>()
        );
        let mut holders: Vec<HashSet<u64>> = vec![HashSet::new(); reduced.size() as usize];
        let mut first_places = vec![0; reduced.size() as usize];
        for (i, (threads, place)) in table.iter().enumerate() {
            let at = index(i as u64, &given.shape);
            let of: Vec<u64> = kept.iter().map(|dim| at[*dim]).collect();
            let of = number(&of, reduced.shape()) as usize;
            holders[of].extend(threads);
            if dims.iter().all(|dim| at[*dim] == 0) {
                first_places[of] = *place;
            }
        }
        // The remaining positions keep their order, without gaps.
        let mut sorted = first_places.clone();
        sorted.sort_unstable();
        sorted.dedup();
        for (i, (threads, place)) in table_of(&reduced).into_iter().enumerate() {
            let mut expected: Vec<u64> = holders[i].iter().copied().collect();
            expected.sort_unstable();
            assert_eq!(threads, expected, "{given:?} {dims:?}");
            assert_eq!(
                sorted[place as usize], first_places[i],
                "{given:?} {dims:?}"
            );
        }
        let keeping = layout.reduce(&dims, true).unwrap();
        assert_eq!(table_of(&keeping), table_of(&reduced));
        let leading = kept.first().copied().unwrap_or(layout.rank());
        assert_eq!(
            layout
                .reduce_to(&keeping.shape()[leading..])
                .unwrap()
                .flatten(..)
                .unwrap(),
            reduced.flatten(..).unwrap()
        );
    });
}

#[test]
fn texts_are_read_back() {
    each(8, |random| {
        let layout = Attributes::random(random, 4, 64).layout();
        let text = layout.to_string();
        let back: RegisterLayout = text.parse().unwrap();
        assert!(back.has_same_text(&layout), "{text}");
        // A truncated or mutated text is an error with a byte offset, or another layout.
        let mut bytes = text.into_bytes();
        let at = random.below(bytes.len() as u64) as usize;
        if random.below(2) == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] = one_of(random, b"[](),= 0-9a");
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Err(e) = text.parse::<RegisterLayout>() {
            assert!(
                e.parse_offset().is_none_or(|at| at <= text.len()),
                "{text}: {e}"
            );
        }
        let shared = random_shared(random, 3);
        assert_eq!(shared.to_string().parse(), Ok(shared));
    });
}

#[test]
fn threads_come_first_and_then_places() {
    each(9, |random| {
        let (shape, _) = shape_and_modes(random, 3, 64);
        let threads = 1 + random.below(32);
        let size = size(&shape);
        let found = auto_local_spatial(threads, &shape);
        let fits = size.is_multiple_of(threads) || threads.is_multiple_of(size);
        assert_eq!(found.is_ok(), fits, "{threads} {shape:?}");
        if let Ok(layout) = found {
            assert_eq!(
                (layout.spatial_size(), layout.shape()),
                (threads, &shape[..])
            );
            assert_eq!(layout.replications(), threads.div_ceil(size).max(1));
        }
        let all = replicated(&shape, threads).unwrap();
        assert_eq!((all.replications(), all.local_size()), (threads, size));
    });
}

fn random_function(random: &mut Random, shape: Option<Vec<u64>>, most: u64) -> MultiFunction {
    let (own, mode_shape) = shape_and_modes(random, 2, most);
    let (shape, mode_shape) = match shape {
        Some(shape) => (shape.clone(), shape),
        None => (own, mode_shape),
    };
    let mut modes: Vec<i64> = (0..mode_shape.len() as i64).collect();
    if random.below(2) == 0 {
        shuffle(random, &mut modes);
    }
    modes.retain(|_| random.below(4) > 0);
    if random.below(2) == 0 {
        let at = random.below(modes.len() as u64 + 1) as usize;
        modes.insert(at, -one_of(random, &[1, 2, 3, 4]));
    }
    MultiFunction::new(&shape, &mode_shape, &modes).unwrap()
}

fn images(f: &MultiFunction) -> Vec<Vec<u64>> {
    (0..f.size())
        .map(|n| f.image_of(&index(n, f.shape())).unwrap())
        .collect()
}

#[test]
fn covering_is_inclusion_everywhere() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 10);
        let f = random_function(&mut random, None, 12);
        let g = match random.below(3) {
            // The same with some digits free: it covers.
            0 => {
                let mode_shape = f.mode_shape().to_vec();
                let free = |entry: i64, random: &mut Random| match usize::try_from(entry) {
                    Ok(mode) if random.below(2) == 0 => -(mode_shape[mode] as i64),
                    _ => entry,
                };
                let modes: Vec<i64> = f.modes().iter().map(|e| free(*e, &mut random)).collect();
                MultiFunction::new(f.shape(), &mode_shape, &modes).unwrap()
            }
            _ => random_function(&mut random, Some(f.shape().to_vec()), 12),
        };
        for (a, b) in [(&f, &g), (&g, &f)] {
            let (of_a, of_b) = (images(a), images(b));
            let expected = of_a
                .iter()
                .zip(&of_b)
                .all(|(a, b)| b.iter().all(|value| a.contains(value)));
            assert_eq!(a.covers(b), expected, "{a} {b}");
            if expected {
                yes += 1;
            } else {
                no += 1;
            }
            assert_eq!(a == b, of_a == of_b, "{a} {b}"); // multi_functions_are_equal_as_maps
        }
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}

#[test]
fn multi_functions_are_those_of_the_definition() {
    each(11, |random| {
        let given = Attributes::random(random, 3, 24);
        let f = given.layout().threads_function();
        let threads: Vec<Vec<u64>> = given.table().into_iter().map(|(t, _)| t).collect();
        assert_eq!(images(&f), threads);
        let dims: Vec<usize> = (0..given.shape.len())
            .filter(|_| random.below(2) == 0)
            .collect();
        if let Ok(collapsed) = f.collapse(&dims) {
            for (n, values) in images(&collapsed).iter().enumerate() {
                let mut at = index(n as u64, f.shape());
                let own = values.clone();
                for dim in &dims {
                    at[*dim] = 0;
                }
                assert_eq!(own, collapsed.image_of(&at).unwrap());
            }
        }
        let after = random_function(random, Some(vec![f.image_size()]), 1);
        let both = f.then(&after).unwrap();
        let of_after = images(&after);
        for (n, values) in images(&both).into_iter().enumerate() {
            let mut expected: Vec<u64> = threads[n]
                .iter()
                .flat_map(|value| of_after[*value as usize].clone())
                .collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(values, expected, "{f} {after}");
        }
    });
}

fn random_shared(random: &mut Random, rank: u64) -> SharedLayout {
    let (shape, mode_shape) = shape_and_modes(random, rank, 48);
    let mut order: Vec<usize> = (0..mode_shape.len()).collect();
    if random.below(2) == 0 {
        shuffle(random, &mut order);
    }
    let mut strides = vec![0; mode_shape.len()];
    let mut next = 1;
    for &mode in order.iter().rev() {
        strides[mode] = match random.below(12) {
            0 => random.below(9),
            _ => next,
        };
        next *= mode_shape[mode];
    }
    let bits = |random: &mut Random, end| random.below(end) as u32;
    let swizzle = (random.below(3) == 0).then(|| {
        let (base, count, shift) = (bits(random, 3), bits(random, 3), bits(random, 4));
        Swizzle::new(base, count, shift).unwrap()
    });
    SharedLayout::spelled(&shape, &mode_shape, &strides, swizzle).unwrap()
}

fn offsets(layout: &SharedLayout) -> Vec<u64> {
    (0..layout.size())
        .map(|n| layout.offset_of(&index(n, layout.shape())).unwrap())
        .collect()
}

#[test]
fn shared_layouts_are_equal_as_maps() {
    each(12, |random| {
        let layout = random_shared(random, 3);
        let of_layout = offsets(&layout);
        for (n, offset) in of_layout.iter().enumerate() {
            let digits = index(n as u64, layout.mode_shape());
            let sum: u64 = digits
                .iter()
                .zip(layout.mode_strides())
                .map(|(d, s)| d * s)
                .sum();
            let expected = match layout.swizzle() {
                Some(s) => {
                    let mask = ((1u64 << s.bits()) - 1) << (s.base() + s.shift());
                    sum ^ (sum & mask) >> s.shift()
                }
                None => sum,
            };
            assert_eq!(*offset, expected, "{layout}");
        }
        assert_eq!(offsets(&layout.merged()), of_layout);
        let other = random_shared(random, 2);
        if layout.shape() == other.shape()
            && layout.swizzle().is_none()
            && other.swizzle().is_none()
        {
            assert_eq!(
                layout == other,
                of_layout == offsets(&other),
                "{layout} {other}"
            );
        }
        let rank = layout.shape().len();
        let mut dims: Vec<usize> = (0..rank).collect();
        shuffle(random, &mut dims);
        dims.truncate(random.below(rank as u64 + 1) as usize);
        let slice = layout.slice(&dims).unwrap();
        for (n, offset) in offsets(&slice).into_iter().enumerate() {
            let mut at = vec![0; rank];
            for (dim, i) in dims.iter().zip(index(n as u64, slice.shape())) {
                at[*dim] = i;
            }
            assert_eq!(offset, layout.offset_of(&at).unwrap(), "{layout} {dims:?}");
        }
        let extent = 1 + random.below(3);
        let row = layout.prepend_dim(extent).unwrap();
        if layout.swizzle().is_none() {
            let step = |n: u64| layout.span() * n;
            let expected: Vec<u64> = (0..extent)
                .flat_map(|n| of_layout.iter().map(move |o| o + step(n)))
                .collect();
            assert_eq!(offsets(&row), expected);
        }
        let mut shape = layout.mode_shape().to_vec();
        if random.below(3) == 0 {
            shuffle(random, &mut shape);
        }
        if let Ok(reshaped) = layout.reshape(&shape) {
            assert_eq!(offsets(&reshaped), of_layout, "{layout} {shape:?}");
        }
    });
}

#[test]
fn shared_composition_is_tiles_of_tiles() {
    let mut composed = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 13);
        let (outer, inner) = (random_shared(&mut random, 2), random_shared(&mut random, 2));
        let rank = outer.shape().len().max(inner.shape().len());
        let pad = |l: &SharedLayout| {
            let new: Vec<usize> = (0..rank - l.shape().len()).collect();
            l.unsqueeze(&new).unwrap()
        };
        let (outer, inner) = (pad(&outer), pad(&inner));
        let both = outer.compose(&inner);
        let is_swizzled = outer.swizzle().is_some() || inner.swizzle().is_some();
        assert!(both.is_ok() || is_swizzled, "{outer} {inner}");
        let Ok(both) = both else { continue };
        composed[usize::from(is_swizzled)] += 1;
        for (n, offset) in offsets(&both).into_iter().enumerate() {
            let at = index(n as u64, both.shape());
            let tile: Vec<u64> = at.iter().zip(inner.shape()).map(|(i, e)| i / e).collect();
            let inside: Vec<u64> = at.iter().zip(inner.shape()).map(|(i, e)| i % e).collect();
            let expected =
                outer.offset_of(&tile).unwrap() * inner.span() + inner.offset_of(&inside).unwrap();
            assert_eq!(offset, expected, "{outer} {inner}");
        }
    }
    assert!(composed.iter().all(|n| *n > 100), "{composed:?}");
}

#[test]
fn global_composition_is_tiles_of_tiles() {
    each(14, |random| {
        let shape = |random: &mut Random| [1 + random.below(4), 1 + random.below(4)];
        let (a, b) = (shape(random), shape(random));
        let strides = [random.below(9), random.below(9)];
        let (outer, inner) = (
            GlobalLayout::strided(&a, &strides).unwrap(),
            GlobalLayout::column_major(&b).unwrap(),
        );
        let both = outer.compose(&inner).unwrap();
        for n in 0..both.size() {
            let at = index(n, both.shape());
            let (tile, inside) = ([at[0] / b[0], at[1] / b[1]], [at[0] % b[0], at[1] % b[1]]);
            let expected = (tile[0] * strides[0] + tile[1] * strides[1]) * inner.size()
                + inside[0]
                + inside[1] * b[0];
            assert_eq!(both.offset_of(&at).unwrap(), expected);
        }
        let first = [random.below(both.shape()[0]), random.below(both.shape()[1])];
        let length = 1 + random.below(both.shape()[1] - first[1]);
        let part = both.slice(&first, &[1], &[length]).unwrap();
        let origin = both.offset_of(&first).unwrap();
        for i in 0..length {
            let whole = both.offset_of(&[first[0], first[1] + i]).unwrap();
            assert_eq!(part.offset_of(&[i]).ok(), whole.checked_sub(origin));
        }
        assert!(
            both.slice(&first, &[1], &[both.shape()[1] - first[1] + 1])
                .is_err()
        );
    });
}
