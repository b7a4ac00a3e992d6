//! Comparison of all instructions with the operands of a product: each instruction matches without conversions, or has
//! a mismatch.

use super::MatrixProduct;
use super::build::{check, instructions};
use super::coordinates::{Axes, K};
use super::error::ProductError;
use super::matching::{Elements, Match};
use super::mismatch::Mismatch;
use crate::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use crate::target::{Product, TileBit};

/// The number and the cost of the issues of one instruction that together compute a whole product. An issue is one
/// execution of the instruction. No operand is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issues {
    /// Number of times that each warp issues the instruction.
    pub count: usize,
    /// Cost of all issues of one warp, in quarters of a clock cycle.
    pub cost: u64,
}

/// The outcome of matching one instruction with a product: the issues that the product takes, or the first mismatch
/// between the instruction and the operands.
pub type Attempt = Result<Issues, Mismatch>;

/// Matches each instruction that supports the product's element types with the operands' layouts, and returns the
/// outcome for each instruction. If the product has no scales, the multiply-add in each lane is the last
/// instruction. No operand is converted.
///
/// ```
/// use linear_layout::encoding::Encoding;
/// use linear_layout::plan::product::{MatrixProduct, match_instructions};
/// use linear_layout::target::{Number, Target};
/// let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
/// let operand = |index, width| format!("#ttg.dot_op<{{opIdx = {index}, parent = {mma}, kWidth = {width}}}>");
/// let on = |text: &str, shape: &[u64]| text.parse::<Encoding>()?.to_linear_layout(shape);
/// let found = match_instructions(&MatrixProduct {
///     d: &on(mma, &[16, 8])?,
///     a: &on(&operand(0, 2), &[16, 16])?,
///     b: &on(&operand(1, 4), &[16, 8])?,
///     scales: None,
///     factors: &[[Number::F16; 2]],
///     sum: Number::F32,
///     target: Target::parse("cuda:80")?,
/// })?;
/// let (row, outcome) = &found[0];
/// assert_eq!(row.name, "mma.m16n8k16.f32.f16");
/// assert_eq!(
///     outcome.unwrap_err().to_string(),
///     "in B, the first element of lane 1 is (k, n) = (4, 0), expected (2, 0), which is k = 2 in the \
///      instruction tile"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns the errors of [`plan_product`](super::plan_product).
pub fn match_instructions(
    product: &MatrixProduct<'_>,
) -> Result<Vec<(Product, Attempt)>, ProductError> {
    let sizes = check(product)?;
    let layouts = [product.a, product.b, product.d];
    let [a, b, d] =
        [0, 1, 2].map(|operand| Elements::of(layouts[operand], Axes::of(product, operand)));
    let tried = instructions(product)?.into_iter().map(|row| {
        let found = Match::of(&row, [&a, &b, &d], sizes[K]);
        let outcome = found.map(|found| {
            let count = found.issues.len();
            let each = row.issue(product.target.lanes);
            Issues {
                count,
                cost: count as u64 * u64::from(each),
            }
        });
        (row, outcome)
    });
    Ok(tried.collect())
}

/// Returns the layout of operand A (0), B (1) or D (2) of an instruction. The layout maps (register, lane) to
/// `(m, k)`, `(k, n)` or `(m, n)`.
///
/// ```
/// use linear_layout::layout::Dim;
/// use linear_layout::plan::product::operand_layout;
/// use linear_layout::target::Target;
/// let rows = Target::parse("cuda:80")?.products();
/// let row = rows.iter().find(|row| row.name == "mma.m16n8k16.f32.f16").unwrap();
/// let b = operand_layout(row, 1)?;
/// assert_eq!(b.basis(Dim::REGISTER, 0), [1, 0]);
/// assert_eq!(b.out_shape().collect::<Vec<_>>(), [(Dim::named("k"), 16), (Dim::named("n"), 8)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error if some element of the operand's tile is in no register of any lane.
pub fn operand_layout(row: &Product, operand: usize) -> Result<LinearLayout, LayoutError> {
    let [m, n, k] = row.sizes();
    let sizes = [("m", m), ("n", n), ("k", k)];
    let [down, across] = [[0, 2], [2, 1], [0, 1]][operand];
    let outs = [down, across].map(|dim| (Dim::named(sizes[dim].0), sizes[dim].1));
    let shift = outs[0].1.trailing_zeros();
    let column = |bit: &TileBit| {
        let (dim, bit) = match bit {
            TileBit::M(bit) => (0, bit),
            TileBit::N(bit) => (1, bit),
            TileBit::K(bit) => (2, bit),
            TileBit::Copy => return 0,
        };
        let low = if dim == down { 0 } else { shift };
        1u64 << (u32::from(*bit) + low)
    };
    let held = &row.operands[operand];
    let columns = held.registers.iter().chain(&held.lanes).map(column);
    let ins = [
        (Dim::REGISTER, 1 << held.registers.len()),
        (Dim::LANE, 1 << held.lanes.len()),
    ];
    let columns: Vec<u64> = columns.collect();
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;
    use crate::plan::product::plan_product;
    use crate::target::{Number, Target};

    const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>";
    const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>";

    fn operand(index: u32, parent: &str) -> String {
        let width = if parent == MMA { ", kWidth = 2" } else { "" };
        format!("#ttg.dot_op<{{opIdx = {index}, parent = {parent}{width}}}>")
    }

    fn layout(text: &str, shape: [u64; 2]) -> LinearLayout {
        let encoding: Encoding = text.parse().unwrap();
        let layout = encoding.to_linear_layout(&shape).unwrap();
        layout.remove_zero_bases(Dim::REGISTER).unwrap()
    }

    /// Applies `change` to the columns of the layouts of A (index 0), B (1) and D (2), and returns the outcome of
    /// matching the instruction `name` with the changed layouts. A is 32 x 32; B and D are 32 x 16.
    fn outcome(
        name: &str,
        parent: &str,
        change: impl Fn(usize, &mut Vec<u64>),
    ) -> Result<Issues, Mismatch> {
        let texts = [operand(0, parent), operand(1, parent), parent.to_owned()];
        let shapes = [[32, 32], [32, 16], [32, 16]];
        let changed = [0, 1, 2].map(|i| {
            let layout = layout(&texts[i], shapes[i]);
            let (ins, outs): (Vec<_>, Vec<_>) =
                (layout.in_shape().collect(), layout.out_shape().collect());
            let mut columns = layout.columns().to_vec();
            change(i, &mut columns);
            LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::NotRequired).unwrap()
        });
        let [a, b, d] = &changed;
        let product = MatrixProduct {
            d,
            a,
            b,
            scales: None,
            factors: &[[Number::F16; 2]],
            sum: Number::F32,
            target: Target::parse("cuda:80").unwrap(),
        };
        let found = match_instructions(&product).unwrap();
        let is_there = found.iter().any(|(_, outcome)| outcome.is_ok());
        let plan = plan_product(&product).unwrap();
        assert_eq!(is_there, plan.is_converted() == [false; 3]);
        let found = found.into_iter().find(|(row, _)| row.name == name);
        found.unwrap().1
    }

    #[test]
    fn each_reason_is_the_first_contradiction() {
        const DEEP: &str = "mma.m16n8k16.f32.f16";
        let refused =
            |name: &str, parent: &str, changed: usize, change: fn(&mut Vec<u64>), said: &str| {
                let found = outcome(name, parent, |operand, columns| {
                    if operand == changed {
                        change(columns);
                    }
                });
                assert_eq!(found.unwrap_err().to_string(), said);
            };
        // Columns have 5 bits for the row. Registers are k 1, m 8, k 8, k 16 of A and k 1, k 8, k 16, n 8 of B; then come
        // 5 lanes and a warp.
        let (m8, k16, n8) = (8, 16 << 5, 8 << 5);
        assert_eq!(
            outcome(DEEP, MMA, |_, _| {}),
            Ok(Issues { count: 4, cost: 32 })
        );
        let layouts = [layout(&operand(0, MMA), [32, 32]), layout(MMA, [32, 16])];
        let [a, d] = layouts.map(|layout| layout.columns_of(Dim::REGISTER).to_vec());
        assert_eq!(
            (a, d),
            (vec![1 << 5, m8, 8 << 5, k16], vec![1 << 5, m8, n8])
        );
        refused(
            DEEP,
            BLOCKED,
            2,
            |_| {},
            "in D, the first element of lane 4 is (m, n) = (0, 8), expected n = 0, because lanes 0 and 4 of \
             the instruction differ only in m",
        );
        refused(
            DEEP,
            MMA,
            1,
            |columns| columns.swap(0, 4),
            "in B, the first element of lane 1 is (k, n) = (1, 0), expected (2, 0), which is k = 2 in the \
             instruction tile",
        );
        refused(
            DEEP,
            MMA,
            0,
            |columns| columns.swap(1, 9),
            "in A, the first element of warp 1 is (m, k) = (8, 0), expected (16, 0), as warp 1 of D has m = 16",
        );
        refused(
            "fma",
            BLOCKED,
            1,
            |columns| columns.swap(0, 6),
            "in B, the first element of lane 1 is (k, n) = (0, 1), expected (0, 2), as lane 1 of D has n = 2",
        );
        refused(
            DEEP,
            MMA,
            2,
            |columns| columns[0] ^= 8 << 5,
            "in D, no register basis vector is (m, n) = (0, 1), which the instruction requires for n = 1 of \
             the tile",
        );
        refused(
            DEEP,
            MMA,
            0,
            |columns| columns[1] ^= 8 << 5,
            "in A, no register starts a tile at (m, k) = (8, 0), which D requires in the same thread",
        );
        refused(
            DEEP,
            MMA,
            0,
            |columns| columns[3] ^= 8,
            "for one element of D, the lanes sum 16 products, expected one product for each of 32 values of k",
        );
    }
}
