//! Layouts of other MLIR compilers against independent evaluators of their definitions, point by point.

use linear_layout::encoding::other::{
    CompilerLayout, NestedLayout, TiledDim, TiledLayout, XegpuLayout,
};
use linear_layout::layout::{Dim, LinearLayout};

use crate::split_mix::Random;
use crate::tilus_random::{count, index, number, one_of, shuffle, size};

fn elements(layout: &LinearLayout, register: u64, lane: u64, warp: u64) -> Vec<u64> {
    let slot = [
        (Dim::REGISTER, register),
        (Dim::LANE, lane),
        (Dim::WARP, warp),
        (Dim::BLOCK, 0),
    ];
    layout.apply(&slot).unwrap().to_vec()
}

/// Calls `check` for every combination of a register, a lane and a warp.
fn each_slot(layout: &LinearLayout, mut check: impl FnMut(u64, u64, u64)) {
    for warp in 0..layout.in_size(Dim::WARP) {
        for lane in 0..layout.in_size(Dim::LANE) {
            for register in 0..layout.in_size(Dim::REGISTER) {
                check(register, lane, warp);
            }
        }
    }
}

fn is_read_back(layout: &CompilerLayout) {
    assert_eq!(layout.to_string().parse().as_ref(), Ok(layout));
}

/// Splits a number into one digit per dim. `order` lists the dims, the fastest first; the digits are returned in
/// the order of the dims.
fn digits_in_order(number: u64, extents: &[u64], order: &[u64]) -> Vec<u64> {
    let (mut rest, mut digits) = (number, vec![0; extents.len()]);
    for dim in order {
        let dim = *dim as usize;
        digits[dim] = rest % extents[dim];
        rest /= extents[dim];
    }
    digits
}

#[test]
fn xegpu_layouts_distribute_tiles_cyclically() {
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 50);
        let rank = 1 + random.below(2) as usize;
        let some = |random: &mut Random| -> Vec<u64> {
            (0..rank).map(|_| one_of(random, &[1, 2, 4])).collect()
        };
        let times =
            |a: &[u64], b: &[u64]| -> Vec<u64> { a.iter().zip(b).map(|(a, b)| a * b).collect() };
        let (lanes, pieces) = (some(&mut random), some(&mut random));
        let inst = times(&times(&lanes, &pieces), &some(&mut random));
        let sg_data = times(&inst, &some(&mut random));
        let sg_layout = some(&mut random);
        // Sometimes less than one round of the subgroups.
        let shape: Vec<u64> = (0..rank)
            .map(|dim| match random.below(3) {
                0 => sg_data[dim],
                _ => sg_data[dim] * sg_layout[dim] * one_of(&mut random, &[1, 2]),
            })
            .collect();
        let mut order: Vec<u64> = (0..rank as u64).rev().collect();
        let given = (random.below(2) == 0).then(|| {
            shuffle(&mut random, &mut order);
            order.clone()
        });
        let layout = XegpuLayout::new(
            Some(sg_layout.clone()),
            Some(sg_data.clone()),
            Some(inst.clone()),
            Some(lanes.clone()),
            Some(pieces.clone()),
            given,
        )
        .unwrap();
        is_read_back(&CompilerLayout::Xegpu(layout.clone()));
        let linear = layout.to_linear_layout(&shape).unwrap();
        let count = |whole: &[u64], part: &[u64]| -> Vec<u64> {
            whole
                .iter()
                .zip(part)
                .map(|(a, b)| (a / b).max(1))
                .collect()
        };
        let of_lane = count(&inst, &lanes);
        let instructions = count(&sg_data, &inst);
        let turns = count(&shape, &times(&sg_data, &sg_layout));
        assert_eq!(
            linear.in_size(Dim::REGISTER),
            size(&of_lane) * size(&instructions) * size(&turns)
        );
        each_slot(&linear, |register, lane, warp| {
            let sg = digits_in_order(warp, &sg_layout, &order);
            let work_item = digits_in_order(lane, &lanes, &order);
            let inside = index(register % size(&of_lane), &of_lane);
            let rest = register / size(&of_lane);
            let instruction = index(rest % size(&instructions), &instructions);
            let turn = index(rest / size(&instructions), &turns);
            let expected: Vec<u64> = (0..rank)
                .map(|d| {
                    let tile = turn[d] * sg_layout[d] + sg[d];
                    let piece = inside[d] / pieces[d] * lanes[d] + work_item[d];
                    let at = tile * sg_data[d]
                        + instruction[d] * inst[d]
                        + piece * pieces[d]
                        + inside[d] % pieces[d];
                    at % shape[d]
                })
                .collect();
            assert_eq!(
                elements(&linear, register, lane, warp),
                expected,
                "{layout} {shape:?}"
            );
        });
    }
}

#[test]
fn nested_layouts_are_five_digits() {
    let mut found = [0; 2];
    for seed in 0..count() {
        let mut random = Random(seed << 8 | 51);
        let rank = 1 + random.below(2) as usize;
        let mut tile = || -> Vec<u64> {
            (0..rank)
                .map(|_| one_of(&mut random, &[1, 1, 2, 4]))
                .collect()
        };
        let tiles = [tile(), tile(), tile(), tile(), tile()];
        let strides = |random: &mut Random, tile: &[u64]| -> Vec<u64> {
            let mut order: Vec<usize> = (0..rank).collect();
            shuffle(random, &mut order);
            let (mut stride, mut strides) = (1, vec![0; rank]);
            for dim in order {
                // Sometimes two dims read the same bits.
                strides[dim] = if random.below(8) == 0 { 1 } else { stride };
                stride *= tile[dim];
            }
            for dim in 0..rank {
                if tile[dim] == 1 && random.below(2) == 0 {
                    strides[dim] = 0;
                }
            }
            strides
        };
        let subgroup_strides = strides(&mut random, &tiles[0]);
        let thread_strides = strides(&mut random, &tiles[3]);
        let layout = NestedLayout::new(
            tiles.clone(),
            subgroup_strides.clone(),
            thread_strides.clone(),
        )
        .unwrap();
        is_read_back(&CompilerLayout::Nested(layout.clone()));
        let shape = layout.shape().unwrap();
        let linear = layout.to_linear_layout(&shape);
        let [subgroup, batch, outer, thread, element] = tiles;
        let virtual_id = |id: u64, strides: &[u64], tile: &[u64]| -> Vec<u64> {
            strides
                .iter()
                .zip(tile)
                .map(|(stride, tile)| id.checked_div(*stride).unwrap_or(0) % tile)
                .collect()
        };
        let reach = |strides: &[u64], tile: &[u64]| -> u64 {
            strides
                .iter()
                .zip(tile)
                .map(|(s, t)| s * t)
                .max()
                .unwrap_or(1)
                .max(1)
        };
        let mut seen = std::collections::HashSet::new();
        let registers = [batch.clone(), outer.clone(), element.clone()].concat();
        let holder = |register: u64, lane: u64, warp: u64| -> Vec<u64> {
            let (sg, th) = (
                virtual_id(warp, &subgroup_strides, &subgroup),
                virtual_id(lane, &thread_strides, &thread),
            );
            let at = index(register, &registers);
            (0..rank)
                .map(|d| {
                    let (b, o, e) = (at[d], at[rank + d], at[2 * rank + d]);
                    (((sg[d] * batch[d] + b) * outer[d] + o) * thread[d] + th[d]) * element[d] + e
                })
                .collect()
        };
        let (lanes, warps) = (
            reach(&thread_strides, &thread),
            reach(&subgroup_strides, &subgroup),
        );
        for warp in 0..warps {
            for lane in 0..lanes {
                for register in 0..size(&registers) {
                    seen.insert(holder(register, lane, warp));
                }
            }
        }
        // If bits are read twice, some elements have no position.
        let is_whole = seen.len() as u64 == size(&shape);
        assert_eq!(linear.is_ok(), is_whole, "{layout} {linear:?}");
        found[usize::from(is_whole)] += 1;
        let Ok(linear) = linear else { continue };
        each_slot(&linear, |register, lane, warp| {
            assert_eq!(
                elements(&linear, register, lane, warp),
                holder(register, lane, warp),
                "{layout}"
            );
        });
    }
    assert!(found.iter().all(|n| *n > 10), "{found:?}");
}

/// Splits the coordinates `at` of an element by each tile of `tiles` in turn, computed by definition. Each tile
/// divides the last coordinates by its extents, and appends the remainders as new coordinates.
fn tiled(at: &[u64], tiles: &[Vec<u64>]) -> Vec<u64> {
    let mut at = at.to_vec();
    for tile in tiles {
        let kept = at.len() - tile.len();
        let inside: Vec<u64> = at[kept..].iter().zip(tile).map(|(i, t)| i % t).collect();
        for (i, t) in at[kept..].iter_mut().zip(tile) {
            *i /= t;
        }
        at.extend(inside);
    }
    at
}

#[test]
fn mosaic_layouts_are_tiles_of_tiles() {
    let wgmma = "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [1, 2]], warp_dims = [-8], \
                 lane_dims = [-4, -3], vector_dim = -1>";
    let rows = "#mosaic_gpu.TiledLayout<[[64], [16], [8], [1]], warp_dims = [-4], \
                lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>";
    let flat = "#mosaic_gpu.TiledLayout<[[512], [4]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], \
                lane_dims = [-2], vector_dim = -1>";
    for (text, shapes, vector) in [
        (wgmma, vec![vec![64, 8], vec![128, 128], vec![2, 64, 16]], 2),
        (rows, vec![vec![64], vec![4, 128]], 1),
        (flat, vec![], 4),
    ] {
        let parsed: Result<CompilerLayout, _> = text.parse();
        let Ok(layout) = parsed else {
            // 512 in groups of 4 are 128, and there are 32 lanes.
            let e = parsed.unwrap_err().to_string();
            assert_eq!(
                e,
                "the extents in `lane_dims` have the product 128; expected 32, including `Replicated` copies"
            );
            assert!(shapes.is_empty());
            continue;
        };
        is_read_back(&layout);
        for shape in shapes {
            let linear = layout.to_linear_layout(&shape).unwrap();
            let (warps, lanes) = (linear.in_size(Dim::WARP), linear.in_size(Dim::LANE));
            assert_eq!((warps, lanes), (4, 32));
            let tiles: Vec<Vec<u64>> = match text {
                _ if text == wgmma => vec![vec![64, 8], vec![16, 8], vec![8, 8], vec![1, 2]],
                _ => vec![vec![64], vec![16], vec![8], vec![1]],
            };
            let extents: Vec<u64> = {
                let last: Vec<u64> = shape.iter().map(|extent| extent - 1).collect();
                tiled(&last, &tiles).iter().map(|i| i + 1).collect()
            };
            let len = extents.len();
            let (warp_dims, lane_dims) = match text {
                _ if text == wgmma => (vec![len - 8], vec![len - 4, len - 3]),
                _ => (vec![len - 4], vec![len - 2]),
            };
            let part = |at: &[u64], dims: &[usize]| {
                let of = |list: &[u64]| dims.iter().map(|d| list[*d]).collect::<Vec<_>>();
                number(&of(at), &of(&extents))
            };
            let rest: Vec<usize> = (0..len - 1)
                .filter(|d| !warp_dims.contains(d) && !lane_dims.contains(d))
                .collect();
            for n in 0..size(&shape) {
                let at = index(n, &shape);
                let places = tiled(&at, &tiles);
                let register = part(&places, &rest) * vector + places[len - 1];
                let (warp, lane) = (part(&places, &warp_dims), part(&places, &lane_dims));
                let copies =
                    lanes / size(&lane_dims.iter().map(|d| extents[*d]).collect::<Vec<_>>());
                for copy in 0..copies {
                    let lane = lane * copies + copy;
                    assert_eq!(
                        elements(&linear, register, lane, warp),
                        at,
                        "{text} {shape:?}"
                    );
                }
            }
        }
    }
    // The first is the accumulator of `wgmma`, 64 rows by 8 columns, as in Triton's encoding.
    let triton: linear_layout::encoding::Encoding =
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, \
        warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>"
            .parse()
            .unwrap();
    let mosaic: CompilerLayout = wgmma.parse().unwrap();
    assert_eq!(
        mosaic.to_linear_layout(&[64, 8]).unwrap(),
        triton.to_linear_layout(&[64, 8]).unwrap()
    );
}

#[test]
fn errors_have_messages() {
    #[track_caller]
    fn fails(text: &str, shape: &[u64], expected: &str) {
        let parsed: Result<CompilerLayout, _> = text.parse();
        let message = match parsed {
            Ok(layout) => layout.to_linear_layout(shape).unwrap_err().to_string(),
            Err(e) => e.to_string(),
        };
        assert_eq!(message, expected);
    }
    fails(
        "#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1>",
        &[],
        "expected `,` or `]` at byte 53 of the layout text",
    );
    fails(
        "#xegpu.layout<lane_layout = [2, 8], lane_data = [1]>",
        &[],
        "lane_data has 1 dims, but the layout has 2",
    );
    fails(
        "#xegpu.layout<sg_data = [2, 8], lane_layout = [2, 8], lane_data = [1, 1]>",
        &[],
        "`sg_data` requires `sg_layout`",
    );
    fails(
        "#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1], order = [0, 0]>",
        &[],
        "`order` is [0, 0]; expected a permutation of the dims",
    );
    fails(
        "#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1]>",
        &[16, 4],
        "in dim 1, extent 4 is not a multiple of 8 (lane_layout times lane_data); the next multiple is 8",
    );
    fails(
        "#xegpu.layout<lane_layout = [2, 3], lane_data = [1, 1]>",
        &[16, 4],
        "dim 1 of lane_layout is 3; expected a power of two, the next is 4",
    );
    fails(
        "#iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], \
        thread_tile = [4], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>",
        &[],
        "in dim 0, subgroup_strides is 0 (no distribution), but the tile has extent 2; expected extent 1",
    );
    fails(
        "#iree_vector_ext.nested_layout<subgroup_tile = [1]>",
        &[],
        "`#iree_vector_ext.nested_layout` requires `batch_tile`",
    );
    fails(
        "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8]], warp_dims = [-9], lane_dims = [], vector_dim = -1>",
        &[],
        "dim -9 is not a dim of the tiles; expected -4 to -1",
    );
    fails(
        "#mosaic_gpu.TiledLayout<[[64, 8], [24, 8]], warp_dims = [-4], lane_dims = [], vector_dim = -1>",
        &[],
        "in dim 0, extent 64 is not a multiple of 24 (the tile); the next multiple is 72",
    );
    fails(
        "#ttg.blocked<{}>",
        &[],
        "expected `#xegpu.layout<`, `#iree_vector_ext.nested_layout<` or `#mosaic_gpu.TiledLayout<` at \
         byte 0 of the layout text",
    );
    assert!(TiledLayout::new(vec![vec![128]], vec![TiledDim::Replicated(4)], vec![], -1).is_err());
}

/// Checks worked examples from the documentation of `XeGPU` and of IREE.
#[test]
fn examples_of_the_documentations() {
    let linear = |text: &str, shape: &[u64]| {
        let layout: CompilerLayout = text.parse().unwrap();
        layout.to_linear_layout(shape).unwrap()
    };
    // [[0, 1, 2, .., 7], [8, 9, .., 15]], and with the first dim fastest [[0, 2, ..], [1, 3, ..]].
    let rows = linear(
        "#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1]>",
        &[2, 8],
    );
    let columns = linear(
        "#xegpu.layout<lane_layout = [2, 8], lane_data = [1, 1], order = [0, 1]>",
        &[2, 8],
    );
    for lane in 0..16 {
        assert_eq!(elements(&rows, 0, lane, 0), [lane / 8, lane % 8]);
        assert_eq!(elements(&columns, 0, lane, 0), [lane % 2, lane / 2]);
    }
    // Subgroups in the order 0, 4, 1, 5, 2, 6, 3, 7 over 4x2 elements.
    let subgroups = linear(
        "#iree_vector_ext.nested_layout<subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], \
         thread_tile = [1, 1], element_tile = [1, 1], subgroup_strides = [1, 4], thread_strides = [0, 0]>",
        &[4, 2],
    );
    for (n, warp) in [0, 4, 1, 5, 2, 6, 3, 7].into_iter().enumerate() {
        assert_eq!(elements(&subgroups, 0, 0, warp), index(n as u64, &[4, 2]));
    }
}
