//! Putting the program of a product together.

use super::candidates;
use super::coordinates::{At, K};
use super::error::{Kind, ProductError};
use super::matching::{Elements, Match, Renaming};
use super::{MatrixProduct, ProductPlan};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::program::{Builder, Inlined, Predicate, Threads, ValueId};
use crate::plan::{ConvertPlan, PlanOptions, plan_conversion};
use crate::target::{Number, Product};
use rustc_hash::FxHashMap;

/// Plans a product of matrices.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::product::{MatrixProduct, plan_product};
/// use linear_layout::target::{Number, Target};
/// let [row, column] = [0, 1].map(Dim::out);
/// let of = |bases: &[(Dim, &[&[u64]])]| LinearLayout::from_bases(bases, &[row, column]);
/// // A warp holds 16 x 8 sums and factors as `mma.sync` takes them.
/// let d = of(&[
///     (Dim::REGISTER, &[&[0, 1], &[8, 0]]),
///     (Dim::LANE, &[&[0, 2], &[0, 4], &[1, 0], &[2, 0], &[4, 0]]),
/// ])?;
/// let a = of(&[
///     (Dim::REGISTER, &[&[0, 1], &[8, 0], &[0, 8]]),
///     (Dim::LANE, &[&[0, 2], &[0, 4], &[1, 0], &[2, 0], &[4, 0]]),
/// ])?;
/// let b = of(&[
///     (Dim::REGISTER, &[&[1, 0], &[8, 0]]),
///     (Dim::LANE, &[&[2, 0], &[4, 0], &[0, 1], &[0, 2], &[0, 4]]),
/// ])?;
/// let plan = plan_product(&MatrixProduct {
///     d: &d, a: &a, b: &b,
///     factors: &[[Number::F16; 2]],
///     sum: Number::F32,
///     target: Target::parse("cuda:80")?,
/// })?;
/// assert_eq!((plan.instruction(), plan.count()), ("mma.m16n8k16.f32.f16", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - tensors over several blocks, or types that nothing multiplies;
/// - otherwise the layouts do not fit each other or the target.
pub fn plan_product(product: &MatrixProduct<'_>) -> Result<ProductPlan, ProductError> {
    let sizes = check(product)?;
    let layouts = [product.a, product.b, product.d];
    let elements = [0, 1, 2].map(|operand| Elements::of(layouts[operand], operand));
    let rows = instructions(product)?;
    let [a, b, d] = &elements;
    let as_they_are = rows.iter().filter_map(|row| {
        let found = Match::of(row, [a, b, d], sizes[K]).ok()?;
        Some((row, found))
    });
    let cost = |(row, found): &(&Product, Match)| {
        let issues = found.issues.len() as u64;
        // Of two that take as long, the one that multiplies nothing twice, then the one that is issued less often.
        let size: u64 = row.sizes().iter().product();
        let time = issues * u64::from(row.issue(product.target.lanes));
        (time, issues * size, issues)
    };
    let (of_lane, of_warp): (Vec<_>, Vec<_>) = as_they_are.partition(|(row, _)| row.is_of_lane());
    // A lane may have to pack what it multiplies, which only the whole program tells.
    let best_of_warp = of_warp.into_iter().min_by_key(cost);
    let plans = best_of_warp.into_iter().chain(of_lane);
    let plans = plans.map(|(row, found)| build(product, row, &found, &NONE));
    if let Some(plan) = plans.min_by_key(|plan| plan.program.cost().total()) {
        return Ok(plan);
    }
    let mut best: Option<ProductPlan> = None;
    for row in &rows {
        if let Some(plan) = converted(product, row, &elements, sizes)?
            && best
                .as_ref()
                .is_none_or(|best| plan.program.cost().total() < best.program.cost().total())
        {
            best = Some(plan);
        }
    }
    best.ok_or_else(|| unreachable!("each lane multiplies what it is given"))
}

/// The instructions that multiply elements of these types, the best types first, and a multiplication in each lane.
pub(super) fn instructions(product: &MatrixProduct<'_>) -> Result<Vec<Product>, ProductError> {
    let own = product.factors.first().ok_or(Kind::Numbers { bits: 0 })?;
    for factor in own {
        if !product.sum.holds(*factor) {
            let usual = match factor {
                Number::F64 => Number::F64,
                factor if factor.is_integer() => Number::I32,
                _ => Number::F32,
            };
            return Err(Kind::Sum {
                factor: *factor,
                sum: product.sum,
                expected: usual,
            }
            .into());
        }
    }
    let mut rows: Vec<Product> = product.target.products();
    rows.retain(|row| row.sum == product.sum && product.factors.contains(&row.factors));
    // What comes first in the list is better, then what is faster.
    rows.sort_by_key(|row| product.factors.iter().position(|f| *f == row.factors));
    rows.push(Product::of_lane(*own, product.sum));
    Ok(rows)
}

/// Returns the number of matrices, and the sizes of m, n and k.
pub(super) fn check(product: &MatrixProduct<'_>) -> Result<At, ProductError> {
    let layouts = [product.a, product.b, product.d];
    let blocks = layouts
        .iter()
        .map(|layout| layout.in_size(Dim::BLOCK))
        .max();
    if let Some(blocks) = blocks.filter(|blocks| *blocks > 1) {
        return Err(Kind::SeveralBlocks { blocks }.into());
    }
    for (operand, layout) in ["A", "B", "D"].into_iter().zip(layouts) {
        let (lanes, warps) = (layout.in_size(Dim::LANE), layout.in_size(Dim::WARP));
        let expected = (
            u64::from(product.target.lanes),
            product.d.in_size(Dim::WARP),
        );
        if (lanes, warps) != expected {
            return Err(Kind::Threads {
                operand,
                found: (lanes, warps),
                expected,
            }
            .into());
        }
    }
    let [a, b, d] = layouts
        .map(|layout| -> Vec<u64> { layout.out_dims().map(|dim| layout.out_size(dim)).collect() });
    let rank = d.len();
    let is_product = (2..=3).contains(&rank) && a.len() == rank && b.len() == rank && {
        let (rows, columns) = (rank - 2, rank - 1);
        let has_one_k = a[columns] == b[rows];
        let is_result = (a[rows], b[columns]) == (d[rows], d[columns]);
        has_one_k && is_result && a[..rows] == b[..rows] && a[..rows] == d[..rows]
    };
    if !is_product {
        return Err(Kind::Shapes { a, b, d }.into());
    }
    let matrices = if rank == 3 { d[0] } else { 1 };
    Ok([matrices, d[rank - 2], d[rank - 1], a[rank - 1]])
}

/// The cheapest product by an instruction for which some of the operands are converted.
fn converted(
    product: &MatrixProduct<'_>,
    row: &Product,
    elements: &[Elements; 3],
    sizes: At,
) -> Result<Option<ProductPlan>, ProductError> {
    let mut best: Option<ProductPlan> = None;
    // Of A, B and D, which stay as they are.
    const KEPT: [[bool; 3]; 6] = [
        [true, false, true],
        [false, true, true],
        [false, false, true],
        [true, true, false],
        [true, false, false],
        [false, false, false],
    ];
    for kept in KEPT {
        // A lane multiplies whatever the layout of the sum is.
        if row.is_of_lane() && !kept[2] {
            continue;
        }
        let Some(layouts) = layouts_for(product, row, elements, kept, sizes) else {
            continue;
        };
        let now = [0, 1, 2].map(|operand| match &layouts[operand] {
            Some(layout) => Elements::of(layout, operand),
            None => elements[operand].clone(),
        });
        let Ok(found) = Match::of(row, now.each_ref(), sizes[K]) else {
            continue;
        };
        let given = [product.a, product.b, product.d];
        let mut plans: [Option<ConvertPlan>; 4] = [None, None, None, None];
        for (operand, layout) in layouts.iter().enumerate() {
            let Some(layout) = layout else { continue };
            let plan = |from, to| {
                let bits = width(product, operand);
                plan_conversion(from, to, bits, product.target, &PlanOptions::new())
            };
            plans[operand] = Some(plan(given[operand], layout)?);
            if operand == 2 {
                plans[3] = Some(plan(layout, given[operand])?);
            }
        }
        let plan = build(product, row, &found, &plans);
        let cost = plan.program.cost().total();
        let is_better = |best: &ProductPlan| cost < best.program.cost().total();
        if best.as_ref().is_none_or(is_better) {
            best = Some(plan);
        }
    }
    Ok(best)
}

/// Layouts of the operands that are not kept, as an instruction takes them; nothing where it takes none.
fn layouts_for(
    product: &MatrixProduct<'_>,
    row: &Product,
    elements: &[Elements; 3],
    kept: [bool; 3],
    sizes: At,
) -> Option<[Option<LinearLayout>; 3]> {
    let given = [0, 1, 2].map(|operand| kept[operand].then_some(&elements[operand]));
    let renaming = Renaming::of(row, given, sizes).ok()?;
    let mut layouts = [None, None, None];
    let sum;
    let mut of_sum = &elements[2];
    if !kept[2] {
        let layout = candidates::sum(row, &renaming, [given[0], given[1]], product.d).ok()?;
        sum = Elements::of(&layout, 2);
        of_sum = &sum;
        layouts[2] = Some(layout);
    }
    for (operand, like) in [product.a, product.b].into_iter().enumerate() {
        if !kept[operand] {
            // The sum may have no place for all of the tile.
            let layout =
                candidates::factor(row, &renaming, operand, of_sum, like, sizes[K]).ok()?;
            layouts[operand] = Some(layout);
        }
    }
    Some(layouts)
}

/// The width of an element of A, B or D.
fn width(product: &MatrixProduct<'_>, operand: usize) -> u32 {
    let factors = product.factors[0].map(Number::bits);
    [factors[0], factors[1], product.sum.bits()][operand]
}

/// No conversion of A, of B, of D, or of the result.
const NONE: [Option<ConvertPlan>; 4] = [None, None, None, None];

fn build(
    product: &MatrixProduct<'_>,
    row: &Product,
    found: &Match,
    conversions: &[Option<ConvertPlan>; 4],
) -> ProductPlan {
    let count = |layout: &LinearLayout| narrow::<u32>(layout.in_size(Dim::REGISTER));
    let layouts = [product.d, product.a, product.b];
    let operands: Vec<(u32, u32)> = (layouts.into_iter().zip([2, 0, 1]))
        .map(|(layout, operand)| (count(layout), width(product, operand)))
        .collect();
    let threads = Threads::of(product.d);
    let mut b = Builder::of_operands(&operands, threads);
    let sources = b.sources();
    let (sums, factors) = sources.split_at(operands[0].0 as usize);
    let (left, right) = factors.split_at(operands[1].0 as usize);
    // A, B and D, as they are multiplied.
    let given = [left, right, sums];
    let mut now = given.map(<[ValueId]>::to_vec);
    let mut scratch = 0;
    let mut parts = Vec::new();
    for (operand, plan) in conversions[..3].iter().enumerate() {
        if let Some(plan) = plan {
            let program = plan.program();
            parts.push((operand, program, scratch));
            // Where the next one begins, its widest access is aligned.
            scratch += program.scratch_bytes().next_multiple_of(16);
        }
    }
    let inlined: Vec<Inlined<'_>> = (parts.iter())
        .map(|(operand, program, start)| Inlined {
            program,
            operand: narrow((1 + *operand) % 3),
            sources: given[*operand],
            start: *start,
        })
        .collect();
    for ((operand, ..), results) in parts.iter().zip(b.inline(&inlined)) {
        now[*operand] = results;
    }
    let [left, right, sums] = now;
    let factors = [left, right];
    let mut tiles = TilesOf {
        row,
        number: 0,
        found,
        factors: &factors,
        known: FxHashMap::default(),
    };
    tiles.number = b.row(row.clone());
    // What each tile of the sum has added up, and where its elements go.
    let mut accumulators: FxHashMap<usize, Vec<ValueId>> = FxHashMap::default();
    let mut order: Vec<&[usize]> = Vec::new();
    for issue in &found.issues {
        let [left, right, sum] = &issue.registers;
        let left = tiles.words(&mut b, 0, left);
        let right = tiles.words(&mut b, 1, right);
        let before = accumulators.remove(&sum[0]).unwrap_or_else(|| {
            order.push(sum);
            let values: Vec<ValueId> = sum.iter().map(|r| sums[*r]).collect();
            packed(&mut b, row, &values)
        });
        let after = b.mma(&before, &left, &right, tiles.number);
        accumulators.insert(sum[0], after);
    }
    let mut results = sums.to_vec();
    for registers in order {
        let values = unpacked(&mut b, &accumulators[&registers[0]], registers.len());
        for (register, value) in registers.iter().zip(values) {
            results[*register] = value;
        }
    }
    if let Some(plan) = &conversions[3] {
        let program = plan.program();
        // In memory of its own: what the others read there may not have been read yet.
        let part = Inlined {
            program,
            operand: 0,
            sources: &results,
            start: scratch,
        };
        results = b.inline(&[part]).remove(0);
        scratch += program.scratch_bytes();
    }
    ProductPlan {
        program: b.finish(results, scratch, product.target),
        instruction: row.name.clone(),
        conversions: conversions.each_ref().map(|plan| {
            let plan = plan.as_ref()?;
            Some((plan.kind(), plan.program().cost()))
        }),
        renaming: found.renaming.clone(),
        count: found.issues.len(),
    }
}

/// Elements in the registers of an instruction: narrow ones side by side in words.
fn packed(b: &mut Builder, row: &Product, values: &[ValueId]) -> Vec<ValueId> {
    let bits = b.element_bits(values[0]);
    if row.intrinsic.is_none() || bits >= 32 || values.len() == 1 {
        return values.to_vec();
    }
    let words = values.chunks((32 / bits) as usize);
    words.map(|parts| b.pack(parts)).collect()
}

fn unpacked(b: &mut Builder, words: &[ValueId], count: usize) -> Vec<ValueId> {
    if words.len() == count {
        return words.to_vec();
    }
    let each = narrow(count / words.len());
    let elements = words.iter().flat_map(|word| {
        let first = b.unpack(*word, each);
        (0..each).map(move |i| first.plus(i))
    });
    elements.collect()
}

/// The tiles of the factors, each put together once.
struct TilesOf<'a> {
    row: &'a Product,
    number: u32,
    found: &'a Match,
    factors: &'a [Vec<ValueId>; 2],
    /// By factor and first register.
    known: FxHashMap<(usize, usize), Vec<ValueId>>,
}

impl TilesOf<'_> {
    fn words(&mut self, b: &mut Builder, factor: usize, registers: &[usize]) -> Vec<ValueId> {
        let key = (factor, registers[0]);
        if let Some(words) = self.known.get(&key) {
            return words.clone();
        }
        let mut values: Vec<ValueId> = registers
            .iter()
            .map(|register| self.factors[factor][*register])
            .collect();
        if factor == 0 {
            self.clear_what_is_twice(b, &mut values);
        }
        let words = packed(b, self.row, &values);
        self.known.insert(key, words.clone());
        words
    }

    fn clear_what_is_twice(&self, b: &mut Builder, values: &mut [ValueId]) {
        for (value, is_twice) in values.iter_mut().zip(&self.found.zero_elements) {
            if *is_twice {
                *value = b.zero(*value);
            } else if self.found.zero_lanes != 0 {
                let zero = b.zero(*value);
                let predicate = b.predicate(Predicate::Clear(self.found.zero_lanes));
                *value = b.select(predicate, *value, zero);
            }
        }
    }
}
