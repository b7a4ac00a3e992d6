//! The worked examples of articles on linear layouts, with the numbers that they print.
//!
//! "Basic idea" and "LL examples" are the two parts of the series *Linear Layout in Triton*; "CuTe inverse layout" is
//! an article on CuTe. If an article contradicts itself, the test names the statement that holds, and asserts that one.

use linear_layout::cute::{CuteError, Layout, Mode};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LayoutError, LinearLayout};

const REGISTER: Dim = Dim::REGISTER;
const LANE: Dim = Dim::LANE;
const WARP: Dim = Dim::WARP;
const OFFSET: Dim = Dim::OFFSET;
const DIM0: Dim = Dim::out(0);
const DIM1: Dim = Dim::out(1);

type LayoutResult = Result<(), LayoutError>;

fn identity(size: u64, input: Dim, output: Dim) -> LinearLayout {
    LinearLayout::identity_1d(size, input, output).unwrap()
}

fn encoded(text: &str, shape: &[u64]) -> LinearLayout {
    let encoding: Encoding = text.parse().unwrap();
    encoding.to_linear_layout(shape).unwrap()
}

/// Returns the blocked layout of 64x16 elements that the article "LL examples" uses throughout.
fn blocked() -> LinearLayout {
    encoded(
        "#ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>",
        &[64, 16],
    )
}

fn shared(vec: u32, per_phase: u32, max_phase: u32, shape: &[u64]) -> LinearLayout {
    encoded(
        &format!(
            "#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, order = [1, 0]}}>"
        ),
        shape,
    )
}

#[track_caller]
fn prints(layout: &LinearLayout, expected: &str) {
    assert_eq!(layout.to_string(), expected);
}

/// Article "Basic idea", sections 1.2, 1.3 and 3.2: four bases determine the whole table of the swizzle
/// `(t, w ^ t)`.
#[test]
fn basic_idea_the_swizzled_table() -> LayoutResult {
    let (thread, warp) = (Dim::named("thread"), WARP);
    let swizzled = LinearLayout::from_bases(
        &[(thread, &[&[1, 1], &[2, 2]]), (warp, &[&[0, 1], &[0, 2]])],
        &[DIM0, DIM1],
    )?;
    let table = [
        [(0, 0), (0, 1), (0, 2), (0, 3)],
        [(1, 1), (1, 0), (1, 3), (1, 2)],
        [(2, 2), (2, 3), (2, 0), (2, 1)],
        [(3, 3), (3, 2), (3, 1), (3, 0)],
    ];
    for (t, row) in (0..).zip(table) {
        for (w, (x, y)) in (0..).zip(row) {
            let found = swizzled.apply(&[(thread, t), (warp, w)])?;
            assert_eq!(found, [x, y], "L({t}, {w})");
            assert_eq!((x, y), (t, w ^ t));
        }
    }
    // Section 3.3: `apply({{thread, 3}, {warp, 2}})` is (3, 1).
    assert_eq!(swizzled.apply(&[(thread, 3), (warp, 2)])?, [3, 1]);
    Ok(())
}

/// Article "Basic idea", sections 2.3 and 2.4: a matrix is multiplied by a vector over GF(2), with the columns
/// written as bits and as integers.
#[test]
fn basic_idea_matrix_times_vector() -> LayoutResult {
    let (x, y) = (Dim::named("x"), Dim::named("y"));
    // Columns 0001, 0010, 1110, 1100 and the input 0110.
    let columns: [&[u64]; 4] = [&[0b0001], &[0b0010], &[0b1110], &[0b1100]];
    let matrix = LinearLayout::from_bases_sized(
        &[(x, &columns)],
        &[(y, 16)],
        linear_layout::layout::Surjectivity::NotRequired,
    )?;
    assert_eq!(matrix.apply(&[(x, 0b0110)])?, [0b1100]);
    let rows: Vec<Vec<u64>> = (0..4)
        .map(|row| matrix.columns().iter().map(|c| c >> row & 1).collect())
        .collect();
    assert_eq!(
        rows,
        [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    );
    Ok(())
}

/// Article "Basic idea", section 3.1: the identity on eight elements.
#[test]
fn basic_idea_identity() -> LayoutResult {
    let l = identity(8, LANE, DIM0);
    assert_eq!(l.columns(), [0b001, 0b010, 0b100]);
    assert_eq!(l.apply(&[(LANE, 0b011)])?, [0b011]);
    Ok(())
}

/// Article "LL examples", section 1.1.1: from a blocked encoding to its bases.
///
/// The second assertion of the article, that register 1 of thread 0 is at 1 along the first axis, contradicts the
/// bases printed above it: register 1 is the next element along the second axis, which is the fast one
/// (`order = [1, 0]`).
#[test]
fn ll_examples_blocked_encoding() -> LayoutResult {
    let ll = blocked();
    prints(&ll, BLOCKED);
    let at = |register| ll.apply(&[(REGISTER, register), (LANE, 0), (WARP, 0), (Dim::BLOCK, 0)]);
    assert_eq!(at(0)?.at(0), 0);
    assert_eq!(at(1)?, [0, 1]);
    Ok(())
}

const BLOCKED: &str = "
 - register=1 -> (0, 1)
   register=2 -> (1, 0)
   register=4 -> (2, 0)
 - lane=1 -> (0, 2)
   lane=2 -> (0, 4)
   lane=4 -> (4, 0)
   lane=8 -> (8, 0)
   lane=16 -> (16, 0)
 - warp=1 -> (0, 8)
   warp=2 -> (32, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 64), dim1 (size 16)]";

/// Article "LL examples", section 1.1.2: layouts of shared memory, without a swizzle and with one.
#[test]
fn ll_examples_swizzled_shared() {
    prints(
        &shared(2, 1, 1, &[64, 16]),
        "
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (0, 8)
   offset=16 -> (1, 0)
   offset=32 -> (2, 0)
   offset=64 -> (4, 0)
   offset=128 -> (8, 0)
   offset=256 -> (16, 0)
   offset=512 -> (32, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 64), dim1 (size 16)]",
    );
    prints(
        &shared(8, 2, 4, &[64, 16]),
        "
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (0, 8)
   offset=16 -> (1, 0)
   offset=32 -> (2, 8)
   offset=64 -> (4, 0)
   offset=128 -> (8, 0)
   offset=256 -> (16, 0)
   offset=512 -> (32, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 64), dim1 (size 16)]",
    );
}

/// Article "LL examples", section 1.3: the in-dims of the blocked layout are flattened and transposed.
#[test]
fn ll_examples_flatten_and_transpose() -> LayoutResult {
    let ll = blocked();
    prints(
        &ll.flatten_ins()?,
        "
 - register=1 -> (0, 1)
   register=2 -> (1, 0)
   register=4 -> (2, 0)
   register=8 -> (0, 2)
   register=16 -> (0, 4)
   register=32 -> (4, 0)
   register=64 -> (8, 0)
   register=128 -> (16, 0)
   register=256 -> (0, 8)
   register=512 -> (32, 0)
where out dims are: [dim0 (size 64), dim1 (size 16)]",
    );
    prints(
        &ll.transpose_ins(&[LANE, REGISTER, WARP, Dim::BLOCK])?,
        "
 - lane=1 -> (0, 2)
   lane=2 -> (0, 4)
   lane=4 -> (4, 0)
   lane=8 -> (8, 0)
   lane=16 -> (16, 0)
 - register=1 -> (0, 1)
   register=2 -> (1, 0)
   register=4 -> (2, 0)
 - warp=1 -> (0, 8)
   warp=2 -> (32, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 64), dim1 (size 16)]",
    );
    Ok(())
}

/// Returns the layout of 64 elements in one dim over four registers, eight lanes and two warps. The registers are
/// fastest, the warps slowest.
fn line() -> Result<LinearLayout, LayoutError> {
    identity(4, REGISTER, DIM0)
        .product(&identity(8, LANE, DIM0))?
        .product(&identity(2, WARP, DIM0))
}

/// Article "LL examples", section 1.3, example workflow: products, flattening and transposition, and the reshape
/// from an older edition of the article.
#[test]
fn ll_examples_reshape_workflow() -> LayoutResult {
    let ll = line()?;
    prints(
        &ll,
        "
 - register=1 -> (1)
   register=2 -> (2)
 - lane=1 -> (4)
   lane=2 -> (8)
   lane=4 -> (16)
 - warp=1 -> (32)
where out dims are: [dim0 (size 64)]",
    );
    let flat = ll.flatten_ins()?;
    prints(
        &flat,
        "
 - register=1 -> (1)
   register=2 -> (2)
   register=4 -> (4)
   register=8 -> (8)
   register=16 -> (16)
   register=32 -> (32)
where out dims are: [dim0 (size 64)]",
    );
    prints(
        &ll.transpose_ins(&[LANE, WARP, REGISTER])?,
        "
 - lane=1 -> (4)
   lane=2 -> (8)
   lane=4 -> (16)
 - warp=1 -> (32)
 - register=1 -> (1)
   register=2 -> (2)
where out dims are: [dim0 (size 64)]",
    );
    let thread = Dim::named("thread");
    let reshaped = flat.reshape_ins(&[(thread, 32), (Dim::BLOCK, 2)])?;
    assert!(reshaped.in_shape().eq([(thread, 32), (Dim::BLOCK, 2)]));
    assert_eq!(reshaped.basis(Dim::BLOCK, 0), [32]);
    let warp_first = ll.transpose_ins(&[WARP, LANE, REGISTER])?.flatten_ins()?;
    assert_eq!(warp_first.columns(), [32, 4, 8, 16, 1, 2]);
    Ok(())
}

/// Article "LL examples", section 2, arithmetic view: disjoint bit fields are added.
///
/// The product with an identity of the registers already gives `lane + 4 * register`, because a product places the
/// bits of the right operand above those of the left operand. If the right operand has a stride of 4, as in the
/// article, the register bits are shifted twice.
#[test]
fn ll_examples_arithmetic_view() -> LayoutResult {
    let lanes = identity(4, LANE, DIM0);
    let adjacent = lanes.product(&identity(8, REGISTER, DIM0))?;
    let strided = lanes.product(&LinearLayout::strided_1d(8, 4, REGISTER, DIM0)?)?;
    for lane in 0..4 {
        for register in 0..8 {
            let point = [(LANE, lane), (REGISTER, register)];
            assert_eq!(adjacent.apply(&point)?, [lane + 4 * register]);
            assert_eq!(strided.apply(&point)?, [lane + 4 * (4 * register)]);
        }
    }
    Ok(())
}

/// Article "LL examples", section 2.1: 32 elements are distributed over four lanes.
#[test]
fn ll_examples_simple_distribution() -> LayoutResult {
    let layout = identity(4, LANE, DIM0).product(&identity(8, REGISTER, DIM0))?;
    let at = |register, lane| layout.apply(&[(REGISTER, register), (LANE, lane)]);
    assert_eq!(at(0, 0)?, [0]);
    assert_eq!(at(1, 0)?, [4]);
    assert_eq!(at(0, 1)?, [1]);
    assert_eq!(at(2, 3)?, [11]);
    let lanes = [
        [0, 4, 8, 12, 16, 20, 24, 28],
        [1, 5, 9, 13, 17, 21, 25, 29],
        [2, 6, 10, 14, 18, 22, 26, 30],
        [3, 7, 11, 15, 19, 23, 27, 31],
    ];
    for (lane, elements) in (0..).zip(lanes) {
        for (register, element) in (0..).zip(elements) {
            assert_eq!(at(register, lane)?, [element]);
        }
    }
    Ok(())
}

/// Article "LL examples", section 2.2: the accumulator tile of a 16x8 matrix instruction is computed from its
/// factors.
///
/// The Python mapper in the article computes a different layout (it interleaves the row halves and walks the
/// columns in steps of four). The factors agree with the encoding, and with NVIDIA's figure.
#[test]
fn ll_examples_mma_tile() -> LayoutResult {
    let (m, n, k_width) = (16, 8, 2);
    let factors = [
        identity(k_width, REGISTER, DIM1),
        identity(4, LANE, DIM1),
        identity(8, LANE, DIM0),
        identity(m / 8, REGISTER, DIM0),
        identity(n / (k_width * 4), REGISTER, DIM1),
    ];
    let mut tile = LinearLayout::empty();
    for factor in &factors {
        tile = tile.product(factor)?;
    }
    let tile = tile.transpose_outs(&[DIM0, DIM1])?;
    let mma = encoded(
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>",
        &[16, 8],
    );
    assert_eq!(tile, mma.sublayout(&[REGISTER, LANE], &[DIM0, DIM1])?);
    // In the figure c0 and c1 are adjacent in a row, c2 is eight rows below c0.
    let at = |register, lane| tile.apply(&[(REGISTER, register), (LANE, lane)]);
    assert_eq!(at(1, 0)?, [0, 1]);
    assert_eq!(at(2, 0)?, [8, 0]);
    assert_eq!(at(3, 31)?, [15, 7]);
    // The mapper puts register 1 of lane 0 at column (1 % 2) * 4 + 0.
    assert_ne!(at(1, 0)?, [0, 4]);
    Ok(())
}

/// Article "LL examples", sections 3.1.1 and 3.1.2: the constructors for the identity and for a layout that maps
/// everything to zero.
#[test]
fn ll_examples_identity_and_zeros() -> LayoutResult {
    let l = identity(8, LANE, DIM0);
    assert_eq!(l.columns(), [1, 2, 4]);
    assert_eq!(l.apply(&[(LANE, 5)])?, [5]);
    let l = LinearLayout::zeros_1d(8, LANE, DIM1, 1)?;
    assert_eq!(l.columns(), [0, 0, 0]);
    assert_eq!(l.apply(&[(LANE, 5)])?, [0]);
    Ok(())
}

/// Article "LL examples", section 3.2: a swizzle is created from its bases.
#[test]
fn ll_examples_swizzle_from_bases() -> LayoutResult {
    let bases: [&[u64]; 8] = [
        &[0, 1],
        &[0, 2],
        &[0, 4],
        &[0, 8],
        &[1, 0],
        &[2, 0],
        &[4, 4],
        &[8, 8],
    ];
    let swizzle = LinearLayout::from_bases(&[(OFFSET, &bases)], &[DIM0, DIM1])?;
    let at = |offset| swizzle.apply(&[(OFFSET, offset)]);
    assert_eq!(at(1)?, [0, 1]);
    assert_eq!(at(2)?, [0, 2]);
    assert_eq!(at(16)?, [1, 0]);
    assert_eq!(at(32)?, [2, 0]);
    assert_eq!(at(64)?, [4, 4]);
    assert_eq!(at(17)?, [1, 1]);
    Ok(())
}

/// Article "LL examples", section 3.3: three products.
///
/// Example 1 of the article states that register is the minor dim. In a product, however, the dim of the left
/// operand is minor, which is lane. Example 2 states that lane 2 and register 3 are combined to 1 by XOR, because
/// both operands have the same out-dim. A product concatenates the bits instead, as the article itself does in
/// section 2.1: 2 + 4 * 3 = 14.
#[test]
fn ll_examples_products() -> LayoutResult {
    let point = |lane, register| [(LANE, lane), (REGISTER, register)];
    let first = identity(4, LANE, DIM1).product(&identity(8, REGISTER, DIM0))?;
    assert!(first.in_dims().eq([LANE, REGISTER]));
    assert!(first.out_dims().eq([DIM1, DIM0]));
    assert_eq!(first.apply(&point(2, 3))?, [2, 3]);

    let second = identity(4, LANE, DIM0).product(&identity(8, REGISTER, DIM0))?;
    assert_eq!(second.apply(&point(2, 3))?, [14]);

    let third = LinearLayout::zeros_1d(4, LANE, DIM1, 1)?.product(&identity(8, REGISTER, DIM0))?;
    for lane in 0..4 {
        assert_eq!(third.apply(&point(lane, 5))?, [0, 5]);
    }
    Ok(())
}

/// Article "LL examples", section 3.4: a map from registers to offsets is composed with a map from offsets to
/// elements.
#[test]
fn ll_examples_compose() -> LayoutResult {
    let to_offsets = identity(256, REGISTER, OFFSET).product(&LinearLayout::zeros_1d(
        1,
        REGISTER,
        Dim::BLOCK,
        1,
    )?)?;
    prints(
        &to_offsets,
        "
 - register=1 -> (1, 0)
   register=2 -> (2, 0)
   register=4 -> (4, 0)
   register=8 -> (8, 0)
   register=16 -> (16, 0)
   register=32 -> (32, 0)
   register=64 -> (64, 0)
   register=128 -> (128, 0)
where out dims are: [offset (size 256), block (size 1)]",
    );
    let swizzled = shared(4, 2, 2, &[32, 32]);
    prints(
        &swizzled,
        "
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (0, 8)
   offset=16 -> (0, 16)
   offset=32 -> (1, 0)
   offset=64 -> (2, 4)
   offset=128 -> (4, 0)
   offset=256 -> (8, 0)
   offset=512 -> (16, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 32), dim1 (size 32)]",
    );
    prints(
        &to_offsets.compose(&swizzled)?,
        "
 - register=1 -> (0, 1)
   register=2 -> (0, 2)
   register=4 -> (0, 4)
   register=8 -> (0, 8)
   register=16 -> (0, 16)
   register=32 -> (1, 0)
   register=64 -> (2, 4)
   register=128 -> (4, 0)
where out dims are: [dim0 (size 32), dim1 (size 32)]",
    );
    Ok(())
}

/// Article "LL examples", section 3.5: the memory offset of each register.
///
/// The article puts element (2, 3) into register 0 of lane 0. No linear layout can do so, because it maps zero to
/// zero. In the blocked layout of the article, the element is in register 5 of lane 1 (bases (2, 0), (0, 1) and (0,
/// 2)), and rows of 16 put it at offset 35.
#[test]
fn ll_examples_invert_and_compose() -> LayoutResult {
    let registers = blocked();
    let memory = shared(2, 1, 1, &[64, 16]);
    let slot = [(REGISTER, 5), (LANE, 1), (WARP, 0), (Dim::BLOCK, 0)];
    assert_eq!(registers.apply(&slot)?, [2, 3]);
    assert_eq!(memory.apply(&[(OFFSET, 35), (Dim::BLOCK, 0)])?, [2, 3]);
    let store = registers.invert_and_compose(&memory)?;
    assert_eq!(store.apply(&slot)?, [35, 0]);
    assert_eq!(store.compose(&memory)?, registers);
    Ok(())
}

/// Article "CuTe inverse layout", example: the layout `(8, 16, 4):(64, 1, 16)` has the inverse
/// `(16, 4, 8):(8, 128, 1)`, which coalesces to `(64, 8):(8, 1)`.
///
/// A mode of size `2^n` and stride `d` corresponds to `n` bits with the bases `d, 2d, ...`.
#[test]
fn cute_inverse_layout() -> LayoutResult {
    let (index, offset) = (Dim::named("index"), OFFSET);
    let of_modes = |modes: &[(u64, u64)], from: Dim, to: Dim| {
        let columns: Vec<u64> = modes
            .iter()
            .flat_map(|(size, stride)| (0..size.ilog2()).map(move |bit| stride << bit))
            .collect();
        let size = 1 << columns.len();
        let surjective = linear_layout::layout::Surjectivity::Required;
        LinearLayout::from_columns(&[(from, size)], &[(to, size)], &columns, surjective)
    };
    let layout = of_modes(&[(8, 64), (16, 1), (4, 16)], index, offset)?;
    let by_hand = of_modes(&[(16, 8), (4, 128), (8, 1)], offset, index)?;
    let coalesced = of_modes(&[(64, 8), (8, 1)], offset, index)?;
    assert_eq!(layout.invert()?, by_hand);
    assert_eq!(layout.invert()?, coalesced);
    Ok(())
}

/// Article "CuTe inverse layout", output of its program: the printed shapes and strides are static numbers such as
/// `_8`.
#[test]
fn cute_inverse_layout_as_the_program_prints_it() -> Result<(), CuteError> {
    let layout: Layout = "(_8,_16,_4):(_64,_1,_16)".parse()?;
    let manual: Layout = "(_16,_4,_8):(_8,_128,_1)".parse()?;
    let computed = layout.right_inverse();
    let printed = [
        (&layout, "(_8,_16,_4):(_64,_1,_16)"),
        (&manual, "(_16,_4,_8):(_8,_128,_1)"),
        (&manual.coalesce(), "(_64,_8):(_8,_1)"),
        (&computed, "(_64,_8):(_8,_1)"),
        (&computed.coalesce(), "(_64,_8):(_8,_1)"),
    ];
    for (layout, text) in printed {
        assert_eq!(format!("{layout:#}"), text);
    }
    // f(g(x)) = x for all x below the size, and g(f(x)) = x.
    assert_eq!(layout.size(), 512);
    for x in 0..512 {
        assert_eq!(computed.at(layout.at(x)?)?, x);
        assert_eq!(layout.at(manual.at(x)?)?, x);
    }
    assert_eq!(layout.left_inverse()?, computed);
    Ok(())
}

/// Article "CuTe inverse layout", formula: the modes of a compact layout are sorted by `order`. The shapes of the
/// inverse are the shapes in this order. The stride of each mode of the inverse is the product of the shapes that
/// precede the same mode in the original layout.
#[test]
fn cute_inverse_layout_by_the_formula() -> Result<(), CuteError> {
    let shapes = [8, 16, 4, 3];
    let mut orders = vec![Vec::new()];
    for _ in shapes {
        let longer = orders.iter().flat_map(|order: &Vec<usize>| {
            let rest = (0..shapes.len()).filter(|i| !order.contains(i));
            rest.map(|i| [order.as_slice(), &[i]].concat())
                .collect::<Vec<_>>()
        });
        orders = longer.collect();
    }
    assert_eq!(orders.len(), 24);
    for order in orders {
        let mut modes = shapes.map(|shape| Mode::new(shape, 0));
        let mut stride = 1;
        for &i in &order {
            modes[i].stride = stride;
            stride *= shapes[i];
        }
        let inverse: Vec<Mode> = order
            .iter()
            .map(|&i| Mode::new(shapes[i], shapes[..i].iter().product()))
            .collect();
        let layout = Layout::flat(&modes)?;
        assert_eq!(layout.right_inverse(), Layout::flat(&inverse)?.coalesce());
        assert_eq!(layout.left_inverse()?, layout.right_inverse());
    }
    Ok(())
}
