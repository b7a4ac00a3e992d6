//! Planning of a warp-group product.

use super::buffer::{DescribedBuffer, SharedOperand, dims_of, divide};
use super::coordinates::{A, B, D};
use super::error::{WarpGroupError, WarpGroupErrorKind};
use super::fragment::{
    AccumulatorTiles, RegisterOperand, WarpGroupFragment, packed, unpacked, widest_log2,
};
use super::{
    FactorBuffer, IssuedFactor, LeftFactor, WarpGroupIssue, WarpGroupOperands, WarpGroupPlan,
};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::target::{Number, Target};

/// log2 of the size of a `wgmma` instruction along m, which is always 64.
const M_LOG2: u32 = 6;
/// Size of a `wgmma` instruction along k in bytes. For example, it is the size of 16 elements of 16 bits.
const DEPTH_BYTES: u32 = 32;

/// Plans a matrix product that warp groups compute with `wgmma` instructions.
///
/// ```
/// use linear_layout::encoding::Encoding;
/// use linear_layout::plan::memory::BufferLayout;
/// use linear_layout::plan::warp_group::{
///     FactorBuffer, LeftFactor, WarpGroupOperands, plan_warp_group_product,
/// };
/// use linear_layout::target::{Number, Target};
/// let d: Encoding = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], \
///     instrShape = [16, 64, 16]}>".parse()?;
/// let buffer: Encoding = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, \
///     elementBitWidth = 16}>".parse()?;
/// let place = BufferLayout::new(buffer.to_surjective_layout(&[64, 64])?, &[], 16)?;
/// let factor = FactorBuffer { layout: &place, view_mask: 0 };
/// let plan = plan_warp_group_product(&WarpGroupOperands {
///     d: &d.to_surjective_layout(&[64, 64])?,
///     a: LeftFactor::Buffer(factor),
///     b: factor,
///     k: 64,
///     factors: [Number::F16; 2],
///     sum: Number::F32,
///     target: Target::parse("cuda:90")?,
/// })?;
/// assert_eq!(plan.instruction(), "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16");
/// assert_eq!(plan.issues().len(), 4);
/// // A is contiguous along k. B is contiguous along n, so the instruction transposes it.
/// assert_eq!(plan.descriptor(0).map(|a| (a.word(), a.is_k_major)), Some((0x4000_0040_0000_0000, true)));
/// assert_eq!(plan.descriptor(1).map(|b| (b.word(), b.is_k_major)), Some((0x4000_0040_0000_0000, false)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error in these cases:
/// - the target does not have `wgmma`, or `wgmma` does not support the types;
/// - a tensor is smaller than a tile, has a shape that does not match the product, or is distributed over several CTAs;
/// - the register layout of D, or of A in registers, differs from the instruction's fragment;
/// - a buffer is padded, or does not have a canonical form;
/// - a view of a buffer may begin within a swizzle pattern, or its offset may share bits with an element's offset.
pub fn plan_warp_group_product(
    operands: &WarpGroupOperands<'_>,
) -> Result<WarpGroupPlan, WarpGroupError> {
    plan(operands).map_err(WarpGroupError)
}

fn plan(operands: &WarpGroupOperands<'_>) -> Result<WarpGroupPlan, WarpGroupErrorKind> {
    let sizes_log2 = check(operands)?;
    let [m_log2, n_log2, k_log2] = sizes_log2;
    let depth_log2 = depth_log2(operands.factors[0]);
    let a = match operands.a {
        LeftFactor::Registers(layout) => {
            let word_log2 = depth_log2 - 3;
            let held = RegisterOperand::of(layout, &WarpGroupFragment::factor(word_log2))?;
            LeftSource::Registers(Box::new(held))
        }
        LeftFactor::Buffer(buffer) => {
            let factor = factor(A, buffer, [m_log2, k_log2]);
            LeftSource::Buffer(divide(factor, [M_LOG2, depth_log2])?)
        }
    };
    let widest = widest_log2(operands.d, n_log2);
    // If the fragment is too small, this reports the missing register.
    RegisterOperand::of(operands.d, &WarpGroupFragment::sum(widest))?;
    let b = factor(B, operands.b, [n_log2, k_log2]);
    let mut first_error = None;
    for tile_log2 in (3..=widest).rev() {
        match divide(b, [tile_log2, depth_log2]) {
            Ok(b) => {
                let d = RegisterOperand::of(operands.d, &WarpGroupFragment::sum(tile_log2))?;
                let tile_log2 = [M_LOG2, tile_log2, depth_log2];
                return assemble(operands, (&a, &b, &d), tile_log2);
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(WarpGroupErrorKind::Small {
        axis: "n",
        found: 1 << n_log2,
        expected: 8,
    }))
}

/// Operand A as the instruction reads it: from registers, or from a buffer through a descriptor.
enum LeftSource<'a> {
    Registers(Box<RegisterOperand<'a>>),
    Buffer(DescribedBuffer),
}

fn assemble(
    operands: &WarpGroupOperands<'_>,
    (a, b, d): (&LeftSource<'_>, &DescribedBuffer, &RegisterOperand<'_>),
    tile_log2: [u32; 3],
) -> Result<WarpGroupPlan, WarpGroupErrorKind> {
    let sizes = tile_log2.map(|log2| 1 << log2);
    let [m, n, depth] = sizes;
    let tiles = d.tiles([m, n])?;
    if let LeftSource::Registers(held) = a {
        check_groups(held.layout(), &tiles)?;
    }
    let registers = |registers: Vec<u64>| registers.into_iter().map(narrow::<u32>);
    let mut issues = Vec::new();
    for first in &tiles.firsts {
        let accumulators: Vec<u32> = registers(d.registers(*first)?).collect();
        for k in (0..operands.k).step_by(narrow(depth)) {
            let [m, n] = *first;
            let a = match a {
                LeftSource::Registers(held) => {
                    let held: Vec<u32> = registers(held.registers([m, k])?).collect();
                    let of_word = held.len() / 4;
                    let word = |i: usize| held[i * of_word..][..of_word].to_vec();
                    IssuedFactor::Words([word(0), word(1), word(2), word(3)])
                }
                LeftSource::Buffer(buffer) => IssuedFactor::Position(buffer.position(m, k)),
            };
            issues.push(WarpGroupIssue {
                accumulators: accumulators.clone(),
                a,
                b: b.position(n, k),
                is_first_k: k == 0,
            });
        }
    }
    let groups = |buffer: &DescribedBuffer, dim: usize| -> Vec<u64> {
        let groups = tiles.groups.iter();
        groups.map(|at| buffer.position(at[dim], 0)).collect()
    };
    let (descriptor, of_a) = match a {
        LeftSource::Registers(..) => (None, Vec::new()),
        LeftSource::Buffer(buffer) => (Some(buffer.descriptor), groups(buffer, 0)),
    };
    Ok(WarpGroupPlan {
        sizes,
        factors: operands.factors,
        sum: operands.sum,
        descriptors: [descriptor, Some(b.descriptor)],
        group_positions: [of_a, groups(b, 1)],
        issues,
    })
}

/// Checks that each warp group holds, in registers, the rows of A that have the same indices as its rows of D.
fn check_groups(a: &LinearLayout, tiles: &AccumulatorTiles) -> Result<(), WarpGroupErrorKind> {
    for (number, group) in (2..).zip(&tiles.groups) {
        let (found, expected) = (a.column(Dim::WARP, number), [group[0], 0]);
        if found != packed(a, expected) {
            return Err(WarpGroupErrorKind::Thread {
                operand: A,
                dim: Dim::WARP,
                number,
                found: unpacked(a, found),
                expected,
            });
        }
    }
    Ok(())
}

fn factor(operand: usize, buffer: FactorBuffer<'_>, sizes_log2: [u32; 2]) -> SharedOperand<'_> {
    SharedOperand {
        operand,
        layout: buffer.layout,
        view_mask: buffer.view_mask,
        sizes_log2,
    }
}

/// Returns log2 of the size of a `wgmma` instruction along k, as a number of elements of type `number`.
const fn depth_log2(number: Number) -> u32 {
    (8 * DEPTH_BYTES / number.bits()).trailing_zeros()
}

/// Checks the types, the sizes and the number of threads of the operands. Returns log2 of the product's m, n and k.
fn check(operands: &WarpGroupOperands<'_>) -> Result<[u32; 3], WarpGroupErrorKind> {
    let target = operands.target;
    if !target.instructions.warp_group_products {
        return Err(WarpGroupErrorKind::Target {
            target: target.name,
            expected: Target::names_with(|instructions| instructions.warp_group_products),
        });
    }
    let (factors, sum) = (operands.factors, operands.sum);
    if !is_multiplied(factors, sum) {
        return Err(WarpGroupErrorKind::Types { factors, sum });
    }
    check_threads(D, operands.d, operands.d)?;
    let shape = shape_of(operands.d);
    let [m, n] = pair(&shape).ok_or_else(|| WarpGroupErrorKind::Shape {
        operand: D,
        found: shape.clone(),
        expected: [64, 8],
    })?;
    let k = operands.k;
    let depth = 1 << depth_log2(factors[0]);
    for (axis, found, expected) in [("m", m, 64), ("n", n, 8), ("k", k, depth)] {
        if found < expected || !found.is_power_of_two() {
            return Err(WarpGroupErrorKind::Small {
                axis,
                found,
                expected,
            });
        }
    }
    match operands.a {
        LeftFactor::Registers(layout) => {
            check_threads(A, layout, operands.d)?;
            let found = shape_of(layout);
            if pair(&found) != Some([m, k]) {
                return Err(WarpGroupErrorKind::Shape {
                    operand: A,
                    found,
                    expected: [m, k],
                });
            }
        }
        LeftFactor::Buffer(buffer) => check_buffer(A, buffer, factors[0], [m, k])?,
    }
    check_buffer(B, operands.b, factors[1], [n, k])?;
    Ok([m, n, k].map(u64::trailing_zeros))
}

/// Returns true if `wgmma` multiplies operands of these types into a sum of this type.
fn is_multiplied(factors: [Number; 2], sum: Number) -> bool {
    use Number as N;
    let of_bytes = |number| matches!(number, N::E4m3 | N::E5m2);
    match factors {
        [N::F16, N::F16] => matches!(sum, N::F16 | N::F32),
        [N::Bf16, N::Bf16] | [N::Tf32, N::Tf32] => sum == N::F32,
        [N::I8, N::I8] => sum == N::I32,
        [a, b] => of_bytes(a) && of_bytes(b) && matches!(sum, N::F16 | N::F32),
    }
}

/// Checks the number of lanes, warps and CTAs of an operand in registers.
fn check_threads(
    operand: usize,
    layout: &LinearLayout,
    d: &LinearLayout,
) -> Result<(), WarpGroupErrorKind> {
    let blocks = layout.in_size(Dim::BLOCK);
    if blocks > 1 {
        return Err(WarpGroupErrorKind::SeveralBlocks { blocks });
    }
    let found = (layout.in_size(Dim::LANE), layout.in_size(Dim::WARP));
    let warps = d.in_size(Dim::WARP);
    let (is_right, expected) = if operand == D {
        (warps >= 4, "4 or more".to_owned())
    } else {
        (found.1 == warps, warps.to_string())
    };
    if found.0 == 32 && is_right {
        return Ok(());
    }
    Err(WarpGroupErrorKind::Threads {
        operand,
        found,
        expected: (32, expected),
    })
}

/// Checks the element width of a buffer, and that the buffer is large enough. `sizes` is the operand's size
/// along m (for A) or n (for B), and along k.
fn check_buffer(
    operand: usize,
    buffer: FactorBuffer<'_>,
    number: Number,
    sizes: [u64; 2],
) -> Result<(), WarpGroupErrorKind> {
    let layout = buffer.layout;
    let found = 8 * layout.element_bytes();
    if found != u64::from(number.bits()) {
        return Err(WarpGroupErrorKind::Width {
            operand,
            found,
            expected: number.bits(),
            number,
        });
    }
    let dims = dims_of(operand);
    let mut expected = [0; 2];
    for (dim, size) in dims.into_iter().zip(sizes) {
        expected[dim] = size;
    }
    let found = shape_of(layout.layout());
    match pair(&found) {
        Some(own) if own[0] >= expected[0] && own[1] >= expected[1] => Ok(()),
        _ => Err(WarpGroupErrorKind::Buffer {
            operand,
            found,
            expected,
        }),
    }
}

fn shape_of(layout: &LinearLayout) -> Vec<u64> {
    layout.out_shape().map(|(_, size)| size).collect()
}

fn pair(shape: &[u64]) -> Option<[u64; 2]> {
    shape.try_into().ok()
}
