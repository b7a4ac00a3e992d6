//! Conversions between layout systems, on random layouts against brute force.
//!
//! `LL_TILUS=100000 cargo test -p linear-layout --test algebra bridge_laws` sets the number of cases.

use std::collections::{HashMap, HashSet};

use linear_layout::bridge::{
    DistributedLayout, ElementOrder, affine_from_cute, cute_bases, cute_from_affine,
    cute_from_bases, cute_from_linear, cute_from_shared, linear_from_composed, linear_from_cute,
    linear_from_shared, linear_from_thread_value, linear_from_tilus, memory_from_cute,
    memory_from_shared, register_bases, shared_from_cute, shared_from_linear,
    thread_value_from_tilus, tilus_from_linear, tilus_from_thread_value,
};
use linear_layout::cute::{ComposedLayout, Layout, Mode, Swizzle};
use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use linear_layout::tilus::{RegisterLayout, SharedLayout};

use crate::split_mix::Random;
use crate::tilus_random::{Attributes, all_layouts, count, index, number, one_of};

fn table(layout: &Layout) -> Vec<i64> {
    (0..layout.size()).map(|i| layout.at(i).unwrap()).collect()
}

fn composed_table(layout: &ComposedLayout) -> Vec<i64> {
    (0..layout.layout.size())
        .map(|i| layout.at(i).unwrap())
        .collect()
}

/// Returns true if a table contains the values of an affine map over GF(2). This is checked by the definition
/// `f(x ^ y) = f(x) ^ f(y) ^ f(0)`.
fn is_affine(table: &[i64]) -> bool {
    let all = 0..table.len();
    table.len().is_power_of_two()
        && table.iter().all(|value| *value >= 0)
        && all.clone().all(|x| {
            // It suffices to split off the lowest bit.
            let low = x & x.wrapping_neg();
            table[x] == table[x ^ low] ^ table[low] ^ table[0]
        })
}

fn random_modes(random: &mut Random, strides: &[i64]) -> Vec<Mode> {
    let mut modes = Vec::new();
    for _ in 0..=random.below(3) {
        let shape = one_of(random, &[1, 2, 2, 2, 4, 4, 8, 3, 6]);
        modes.push(Mode::new(shape, one_of(random, strides)));
    }
    modes
}

const STRIDES: [i64; 20] = [
    0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 8, 8, 16, 16, 32, 6, 9, 64, -1, -2,
];

#[test]
fn a_number_of_lanes_beyond_all_powers_of_two_is_an_error() {
    let error = linear_from_tilus(&RegisterLayout::unit(), u64::MAX).unwrap_err();
    assert!(error.is_not_power_of_two(), "{error}");
    assert!(
        error.to_string().contains("such as 9223372036854775808"),
        "{error}"
    );
}

#[test]
fn sums_are_xors_exactly_where_no_two_bits_meet() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 33);
        let layout = Layout::flat(&random_modes(&mut random, &STRIDES)).unwrap();
        let values = table(&layout);
        let expected = is_affine(&values) && values[0] == 0;
        let found = cute_bases(&layout);
        assert_eq!(found.is_ok(), expected, "{layout}: {found:?}");
        counts[usize::from(expected)] += 1;
        let Ok(bases) = found else { continue };
        let basis = |bit: usize| values[1 << bit] as u64;
        assert_eq!(bases, (0..bases.len()).map(basis).collect::<Vec<_>>());
        let linear = linear_from_cute(&layout).unwrap();
        for (i, value) in values.iter().enumerate() {
            assert_eq!(linear.apply_packed(i as u64), *value as u64);
        }
        assert_eq!(
            linear
                .in_shape()
                .map(|(_, size)| size as i64)
                .collect::<Vec<_>>(),
            layout.modes().map(|mode| mode.size()).collect::<Vec<_>>()
        );
        let back = cute_from_linear(&linear).unwrap();
        assert!(back.swizzle.is_identity() && back.offset == 0, "{back}");
        assert_eq!(table(&back.layout), values);
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

fn random_swizzle(random: &mut Random) -> Swizzle {
    let bits = random.below(3) as i64;
    let shift = bits + random.below(3) as i64;
    let shift = if random.below(3) == 0 { -shift } else { shift };
    Swizzle::new(bits, random.below(3) as i64, shift).unwrap()
}

#[test]
fn offsets_and_swizzles_are_affine_exactly_where_nothing_carries() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 34);
        let layout = Layout::flat(&random_modes(&mut random, &STRIDES)).unwrap();
        let offset = one_of(&mut random, &[0, 0, 1, 3, 7, 12, 15, 33, 64, 96, 128]);
        let composed = ComposedLayout::new(random_swizzle(&mut random), offset, layout);
        let inner = table(&composed.layout);
        // A negative index has no bits to swizzle.
        let expected =
            inner.iter().all(|value| value + offset >= 0) && is_affine(&composed_table(&composed));
        let found = affine_from_cute(&composed);
        assert_eq!(found.is_ok(), expected, "{composed}: {found:?}");
        let linear = linear_from_composed(&composed);
        let starts_at_zero = composed.at(0).unwrap() == 0;
        assert_eq!(linear.is_ok(), expected && starts_at_zero, "{composed}");
        counts[usize::from(expected)] += 1;
        let Ok(affine) = found else { continue };
        let values = composed_table(&composed);
        for (i, value) in values.iter().enumerate() {
            assert_eq!(affine.apply_packed(i as u64), *value as u64, "{composed}");
        }
        let back = cute_from_affine(&affine).unwrap();
        assert_eq!(composed_table(&back), values, "{composed} {back}");
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

/// Returns random bases of one of three kinds: arbitrary numbers, arbitrary powers of two, or different powers of
/// two to which a random swizzle is applied.
fn random_bases(random: &mut Random) -> Vec<u64> {
    let len = 1 + random.below(5);
    match random.below(3) {
        0 => (0..len).map(|_| random.below(32)).collect(),
        1 => (0..len).map(|_| 1 << random.below(6)).collect(),
        _ => {
            let swizzle = random_swizzle(random);
            let mut bits: Vec<u64> = (0..6).map(|bit| 1 << bit).collect();
            crate::tilus_random::shuffle(random, &mut bits);
            bits.truncate(len as usize);
            bits.iter()
                .map(|bit| swizzle.apply(*bit as i64) as u64)
                .collect()
        }
    }
}

#[test]
fn one_swizzle_is_found_exactly_where_one_will_do() {
    let mut counts = [0; 3];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 35);
        let bases = random_bases(&mut random);
        let is_apart = |values: &[u64]| {
            values.iter().map(|v| v.count_ones()).sum::<u32>()
                == values.iter().fold(0, |all, v| all | v).count_ones()
        };
        // Swizzles wider than the bases are included, so that none is missed.
        let mut some = is_apart(&bases);
        'all: for bits in 1..=4 {
            for base in 0..=8 - 2 * bits {
                for shift in bits..=8 - bits - base {
                    for shift in [shift, -shift] {
                        let swizzle = Swizzle::new(bits, base, shift).unwrap();
                        let apply = |v: &u64| swizzle.apply(*v as i64) as u64;
                        some |= is_apart(&bases.iter().map(apply).collect::<Vec<_>>());
                        if some {
                            break 'all;
                        }
                    }
                }
            }
        }
        let found = cute_from_bases(&bases);
        assert_eq!(found.is_ok(), some, "{bases:?} {found:?}");
        let Ok(found) = found else {
            counts[2] += 1;
            continue;
        };
        assert_eq!(found.swizzle.is_identity(), is_apart(&bases), "{bases:?}");
        counts[usize::from(!found.swizzle.is_identity())] += 1;
        for (x, value) in composed_table(&found).into_iter().enumerate() {
            let set = bases
                .iter()
                .enumerate()
                .filter(|(bit, _)| x >> bit & 1 == 1);
            assert_eq!(value as u64, set.fold(0, |y, (_, basis)| y ^ basis));
        }
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

fn element(at: &[u64], shape: &[u64], order: ElementOrder) -> i64 {
    match order {
        ElementOrder::RowMajor => number(at, shape) as i64,
        ElementOrder::ColumnMajor => {
            let reversed = |list: &[u64]| list.iter().rev().copied().collect::<Vec<_>>();
            number(&reversed(at), &reversed(shape)) as i64
        }
    }
}

#[test]
fn thread_value_layouts_agree_with_tilus() {
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 36);
        let layout = Attributes::random(&mut random, 4, 48).layout();
        for order in [ElementOrder::RowMajor, ElementOrder::ColumnMajor] {
            let cute = thread_value_from_tilus(&layout, order).unwrap();
            let threads = layout.spatial_size();
            assert_eq!(cute.mode(0).unwrap().size() as u64, threads);
            for place in 0..layout.local_size() {
                for thread in 0..threads {
                    let at = layout.index_of(thread, place).unwrap();
                    assert_eq!(
                        cute.at((place * threads + thread) as i64).unwrap(),
                        element(&at, layout.shape(), order),
                        "{layout} {cute}"
                    );
                }
            }
            let back = tilus_from_thread_value(&cute, layout.shape(), order).unwrap();
            assert_eq!(back, layout, "{cute}");
        }
    }
}

#[test]
fn a_thread_value_layout_is_one_of_tilus_exactly_where_some_layout_is_it() {
    let shapes: [&[u64]; 5] = [&[8], &[2, 3], &[4, 2], &[6], &[2, 2]];
    // The tables of all Tilus layouts of each shape, by number of threads.
    let tables: Vec<HashMap<(i64, Vec<i64>), RegisterLayout>> = shapes
        .iter()
        .map(|shape| {
            let all = all_layouts(shape, &[1, 2, 3, 4]);
            all.into_iter()
                .map(|layout| {
                    let cute = thread_value_from_tilus(&layout, ElementOrder::RowMajor).unwrap();
                    ((cute.mode(0).unwrap().size(), table(&cute)), layout)
                })
                .collect()
        })
        .collect();
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 37);
        let which = random.below(shapes.len() as u64) as usize;
        let strides = [0, 1, 1, 2, 2, 3, 4, 4, 6];
        let part = |random: &mut Random| {
            let len = random.below(3) as usize;
            let mut modes = random_modes(random, &strides);
            modes.truncate(len);
            match modes.is_empty() {
                true => Layout::flat(&[Mode::new(1, 0)]).unwrap(),
                false => Layout::flat(&modes).unwrap(),
            }
        };
        let threads = part(&mut random);
        // The tables have at most one replication of up to four threads.
        let zeros = threads
            .leaves()
            .iter()
            .filter(|mode| mode.stride == 0 && mode.shape > 1);
        let zeros: Vec<i64> = zeros.map(|mode| mode.shape).collect();
        if zeros.len() > 1 || zeros.iter().any(|times| *times > 4) {
            continue;
        }
        let cute = Layout::concat(&[threads.clone(), part(&mut random)]).unwrap();
        let found = tilus_from_thread_value(&cute, shapes[which], ElementOrder::RowMajor);
        let expected = tables[which].get(&(threads.size(), table(&cute)));
        assert_eq!(
            found.as_ref().ok(),
            expected,
            "{cute} {:?} {found:?}",
            shapes[which]
        );
        counts[usize::from(expected.is_some())] += 1;
    }
    assert!(counts.iter().all(|n| *n > 20), "{counts:?}");
}

#[test]
fn linear_layouts_agree_with_tilus() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 38);
        let layout = Attributes::random(&mut random, 3, 64).layout();
        let lanes = one_of(&mut random, &[4, 32]);
        let is_power = |extent: u64| extent.is_power_of_two();
        let expected = layout.mode_shape().iter().copied().all(is_power)
            && layout.spatial_shape().all(is_power);
        let found = linear_from_tilus(&layout, lanes);
        assert_eq!(found.is_ok(), expected, "{layout} {found:?}");
        assert_eq!(
            register_bases(&layout, ElementOrder::RowMajor).is_ok(),
            expected
        );
        counts[usize::from(expected)] += 1;
        let Ok(linear) = found else { continue };
        for thread in 0..layout.spatial_size() {
            for place in 0..layout.local_size() {
                let slot = [
                    (Dim::REGISTER, place),
                    (Dim::LANE, thread % lanes),
                    (Dim::WARP, thread / lanes),
                    (Dim::BLOCK, 0),
                ];
                let at = linear.apply(&slot).unwrap().to_vec();
                assert_eq!(at, layout.index_of(thread, place).unwrap(), "{layout}");
            }
        }
        assert_eq!(tilus_from_linear(&linear).unwrap(), layout);
        let tilus = DistributedLayout::Register(layout);
        assert_eq!(
            tilus
                .difference(&DistributedLayout::Linear(linear))
                .unwrap(),
            None
        );
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

fn random_linear(random: &mut Random) -> LinearLayout {
    let bits = |random: &mut Random| random.below(3) as u32;
    let (register, lane, warp) = (bits(random), bits(random), bits(random) / 2);
    let (rows, columns) = (bits(random), bits(random));
    let width = rows + columns;
    // Mostly distinct unit vectors, which random columns seldom are.
    let mut units: Vec<u64> = (0..width).map(|bit| 1 << bit).collect();
    crate::tilus_random::shuffle(random, &mut units);
    let columns_of: Vec<u64> = (0..register + lane + warp)
        .map(|bit| match random.below(12) {
            0 => random.below(1 << width),
            _ => units.pop().filter(|_| bit < 6).unwrap_or(0),
        })
        .collect();
    LinearLayout::from_columns(
        &[
            (Dim::REGISTER, 1 << register),
            (Dim::LANE, 1 << lane),
            (Dim::WARP, 1 << warp),
        ],
        &[(Dim::out(0), 1 << rows), (Dim::out(1), 1 << columns)],
        &columns_of,
        Surjectivity::NotRequired,
    )
    .unwrap()
}

#[test]
fn a_linear_layout_is_one_of_tilus_exactly_where_each_bit_moves_once() {
    // By definition: some Tilus layout has the same elements in all positions. Every element has a position, and those
    // of a thread are distinct; these are the maps of bits that Tilus can express.
    let mut counts = [0; 2];
    let mut all: HashMap<Vec<u64>, HashSet<Vec<Vec<u64>>>> = HashMap::new();
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 39);
        let linear = random_linear(&mut random);
        let threads = linear.in_size(Dim::LANE) * linear.in_size(Dim::WARP);
        let places = linear.in_size(Dim::REGISTER);
        let held: Vec<Vec<u64>> = (0..threads)
            .map(|thread| {
                let packed = |place| linear.apply_packed(thread * places + place);
                (0..places).map(packed).collect()
            })
            .collect();
        let shape: Vec<u64> = linear.out_shape().map(|(_, size)| size).collect();
        let maps = all.entry(shape.clone()).or_insert_with(|| {
            let pairs = all_layouts(&shape, &[1, 2, 4, 8]);
            let map = |layout: &RegisterLayout| {
                (0..layout.spatial_size())
                    .map(|thread| {
                        (0..layout.local_size())
                            .map(|place| {
                                let at = layout.index_of(thread, place).unwrap();
                                at[0] + at[1] * shape[0]
                            })
                            .collect()
                    })
                    .collect()
            };
            pairs.iter().map(map).collect()
        });
        let found = tilus_from_linear(&linear);
        // Two replications separated by a mode are not in the list.
        if found
            .as_ref()
            .is_ok_and(|l| l.spatial_modes().iter().filter(|e| **e < 0).count() > 1)
        {
            continue;
        }
        assert_eq!(found.is_ok(), maps.contains(&held), "{linear}{found:?}");
        counts[usize::from(found.is_ok())] += 1;
        let Ok(found) = found else { continue };
        for (thread, elements) in held.iter().enumerate() {
            for (place, element) in elements.iter().enumerate() {
                let at = found.index_of(thread as u64, place as u64).unwrap();
                assert_eq!(at[0] + at[1] * shape[0], *element);
            }
        }
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

#[test]
fn shared_layouts_agree_with_cute_and_linear_ones() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 40);
        let rank = 1 + random.below(2) as usize;
        let shape: Vec<u64> = (0..rank)
            .map(|_| one_of(&mut random, &[1, 2, 4, 8, 16, 3, 6]))
            .collect();
        let mut strides = vec![1; rank];
        if rank == 2 {
            let pad = one_of(&mut random, &[0, 0, 0, 1]);
            strides = match random.below(2) {
                0 => vec![shape[1] + pad, 1],
                _ => vec![1, shape[0] + pad],
            };
        }
        let swizzle = (random.below(2) == 0).then(|| {
            let bits = random.below(3) as u32;
            linear_layout::tilus::Swizzle::new(random.below(2) as u32, bits, bits).unwrap()
        });
        let layout = SharedLayout::new(&shape, &shape, &strides, swizzle).unwrap();
        let cute = cute_from_shared(&layout).unwrap();
        let offset = |n: u64| layout.offset_of(&index(n, &shape)).unwrap();
        for n in 0..layout.size() {
            let column_major = element(&index(n, &shape), &shape, ElementOrder::ColumnMajor);
            assert_eq!(
                cute.at(column_major).unwrap() as u64,
                offset(n),
                "{layout} {cute}"
            );
        }
        assert_eq!(shared_from_cute(&cute, &shape).unwrap(), layout);
        let linear = linear_from_shared(&layout);
        let by_column: Vec<i64> = composed_table(&cute);
        assert_eq!(linear.is_ok(), is_affine(&by_column), "{layout} {linear:?}");
        counts[usize::from(linear.is_ok())] += 1;
        let Ok(linear) = linear else { continue };
        for (n, value) in by_column.iter().enumerate() {
            assert_eq!(linear.apply_packed(n as u64), *value as u64);
        }
        let back = shared_from_linear(&linear).unwrap();
        let of_back: Vec<u64> = (0..back.size())
            .map(|n| back.offset_of(&index(n, &shape)).unwrap())
            .collect();
        assert_eq!(of_back, (0..layout.size()).map(offset).collect::<Vec<_>>());
        if let Ok(memory) = memory_from_shared(&layout) {
            for n in 0..layout.size() {
                let at = memory.apply(&[(Dim::OFFSET, offset(n))]).unwrap();
                assert_eq!(at.to_vec(), index(n, &shape));
            }
        }
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

/// Returns a random CuTe layout with `num_modes` top-level modes. Half of the layouts are swizzled.
fn random_composed(random: &mut Random, num_modes: u64) -> ComposedLayout {
    let mut dims = Vec::new();
    for _ in 0..num_modes {
        let sizes = [1, 2, 2, 2, 4, 4, 8, 3];
        let mut modes = Vec::new();
        for _ in 0..=random.below(2) {
            let strides = [0, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 64, 3];
            modes.push(Mode::new(one_of(random, &sizes), one_of(random, &strides)));
        }
        dims.push(Layout::flat(&modes).unwrap());
    }
    let swizzle = match random.below(2) {
        0 => Swizzle::IDENTITY,
        _ => random_swizzle(random),
    };
    ComposedLayout::new(swizzle, 0, Layout::concat(&dims).unwrap())
}

#[test]
fn threads_and_values_are_linear_exactly_where_they_reach_each_element() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 51);
        let layout = random_composed(&mut random, 2);
        let table = composed_table(&layout);
        let reached: HashSet<i64> = table.iter().copied().collect();
        let size = (*table.iter().max().unwrap() as u64 + 1).next_power_of_two();
        let rows = 1 << random.below(u64::from(size.trailing_zeros()) + 1);
        let shape = [rows, size / rows];
        let found = linear_from_thread_value(&layout, &shape, 4);
        let is_one = is_affine(&table) && reached.len() as u64 == size;
        assert_eq!(found.is_ok(), is_one, "{layout} on {shape:?}: {found:?}");
        counts[usize::from(is_one)] += 1;
        assert!(linear_from_thread_value(&layout, &[size, 2], 4).is_err());
        let Ok(linear) = found else { continue };
        let threads = layout.layout.mode(0).unwrap().size().unsigned_abs();
        for (at, element) in table.iter().enumerate() {
            let (thread, value) = (at as u64 % threads, at as u64 / threads);
            let place = [
                (Dim::REGISTER, value),
                (Dim::LANE, thread % 4),
                (Dim::WARP, thread / 4),
                (Dim::BLOCK, 0),
            ];
            let index: Vec<u64> = linear.apply(&place).unwrap().iter().collect();
            assert_eq!(index[0] + index[1] * rows, *element as u64, "{layout}");
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn thread_value_layouts_of_tilus_are_what_its_linear_layouts_are() {
    let mut compared = 0;
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 52);
        let tilus = Attributes::random(&mut random, 3, 64).layout();
        let linear = linear_from_tilus(&tilus, 8);
        let cute = thread_value_from_tilus(&tilus, ElementOrder::ColumnMajor).unwrap();
        let shape = tilus.shape();
        let found = linear_from_thread_value(&cute.into(), shape, 8);
        compared += usize::from(linear.is_ok());
        assert_eq!(found.ok(), linear.ok(), "{tilus}");
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn memory_is_linear_exactly_where_each_offset_has_one_element_and_gaps_are_bits() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 53);
        let num_modes = 1 + random.below(2);
        let layout = random_composed(&mut random, num_modes);
        let table = composed_table(&layout);
        let reached: HashSet<i64> = table.iter().copied().collect();
        let used = table.iter().fold(0, |used, offset| used | offset);
        // The image is every number without bits outside of the used ones.
        let is_one = is_affine(&table)
            && reached.len() == table.len()
            && reached.len() == 1 << used.count_ones();
        let found = memory_from_cute(&layout);
        assert_eq!(found.is_ok(), is_one, "{layout}: {found:?}");
        counts[usize::from(is_one)] += 1;
        let Ok(memory) = found else { continue };
        let rows = layout.layout.mode(0).unwrap().size().unsigned_abs();
        for (at, offset) in table.iter().enumerate() {
            let place = [(Dim::OFFSET, *offset as u64)];
            let index: Vec<u64> = memory.apply(&place).unwrap().iter().collect();
            let number = index[0] + index.get(1).map_or(0, |column| column * rows);
            assert_eq!(number, at as u64, "{layout}");
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn layouts_of_different_systems_are_equal_exactly_where_their_places_are() {
    let mut counts = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 41);
        let order = one_of(
            &mut random,
            &[ElementOrder::RowMajor, ElementOrder::ColumnMajor],
        );
        let linear = random_linear(&mut random);
        let tilus = match tilus_from_linear(&linear) {
            Ok(tilus) if random.below(2) == 0 => tilus,
            _ => Attributes::random(&mut random, 2, 8).layout(),
        };
        let cute = match cute_from_linear(&linear) {
            // Threads and values of the linear layout as they are, or those of the other.
            Ok(composed) if composed.swizzle.is_identity() && random.below(2) == 0 => {
                let modes: Vec<Layout> = composed.layout.modes().collect();
                let threads = [modes[1].leaves(), modes[2].leaves()].concat();
                let values = modes[0].leaves().to_vec();
                let parts = [
                    Layout::flat(&threads).unwrap(),
                    Layout::flat(&values).unwrap(),
                ];
                (Layout::concat(&parts).unwrap(), ElementOrder::ColumnMajor)
            }
            _ => (thread_value_from_tilus(&tilus, order).unwrap(), order),
        };
        // The element of every value of every thread, by definition.
        let of_linear = |order| -> Vec<Vec<i64>> {
            let places = linear.in_size(Dim::REGISTER);
            let threads = linear.in_size(Dim::LANE) * linear.in_size(Dim::WARP);
            let shape: Vec<u64> = linear.out_shape().map(|(_, size)| size).collect();
            let held = |thread: u64| {
                let at = |place| {
                    linear
                        .unpack(linear.apply_packed(thread * places + place))
                        .to_vec()
                };
                (0..places)
                    .map(|place| element(&at(place), &shape, order))
                    .collect()
            };
            (0..threads).map(held).collect()
        };
        let of_tilus = |order| -> Vec<Vec<i64>> {
            let held = |thread| {
                let at = |place| tilus.index_of(thread, place).unwrap();
                let places = 0..tilus.local_size();
                places
                    .map(|place| element(&at(place), tilus.shape(), order))
                    .collect()
            };
            (0..tilus.spatial_size()).map(held).collect()
        };
        let of_cute: Vec<Vec<i64>> = {
            let (threads, values) = (cute.0.mode(0).unwrap(), cute.0.mode(1).unwrap());
            let held = |t| {
                let at = |v| threads.at(t).unwrap() + values.at(v).unwrap();
                (0..values.size()).map(at).collect()
            };
            (0..threads.size()).map(held).collect()
        };
        let linear_shape: Vec<u64> = linear.out_shape().map(|(_, size)| size).collect();
        let (a, b, c) = (
            DistributedLayout::Linear(linear.clone()),
            DistributedLayout::Register(tilus.clone()),
            DistributedLayout::ThreadValue(cute.0.clone(), cute.1),
        );
        let row = ElementOrder::RowMajor;
        for (x, y, expected) in [
            (
                &a,
                &b,
                linear_shape == tilus.shape() && of_linear(row) == of_tilus(row),
            ),
            (&a, &c, of_linear(cute.1) == of_cute),
            (&b, &c, of_tilus(cute.1) == of_cute),
        ] {
            let found = x.difference(y).unwrap();
            assert_eq!(found.is_none(), expected, "{x:?} {y:?} {found:?}");
            assert_eq!(y.difference(x).unwrap().is_none(), expected);
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}
