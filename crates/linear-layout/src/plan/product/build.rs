//! Planning of a product: selects the instruction, plans the conversions, and builds the program.

use super::candidates;
use super::coordinates::{Axes, K, Point};
use super::error::{ProductError, ProductErrorKind};
use super::matching::{Elements, Match, Renaming};
use super::scales::{self, ScaleSource};
use super::{FactorScales, MatrixProduct, ProductPlan};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::program::{Builder, InlinedProgram, Predicate, ScaleWord, Threads, ValueId};
use crate::plan::{ConvertPlan, PlanOptions, plan_conversion};
use crate::target::{BlockScales, Number, Product};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Plans the matrix product `D = A B + D` for operands with given layouts, and returns the cheapest plan that was
/// found.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::product::{MatrixProduct, plan_product};
/// use linear_layout::target::{Number, Target};
/// let [row, column] = [0, 1].map(Dim::out);
/// let of = |bases: &[(Dim, &[&[u64]])]| LinearLayout::from_bases(bases, &[row, column]);
/// // A warp holds 16 x 8 sums and factors in the fragments of `mma.sync`.
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
///     scales: None,
///     factors: &[[Number::F16; 2]],
///     sum: Number::F32,
///     target: Target::parse("cuda:80")?,
/// })?;
/// assert_eq!((plan.instruction(), plan.count()), ("mma.m16n8k16.f32.f16", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error in these cases:
/// - a tensor is distributed over several CTAs;
/// - the shapes, or the numbers of lanes and warps, of the operands do not match each other or the target;
/// - the type of D cannot hold the products exactly, or no instruction supports the element types;
/// - the product has scales, and no instruction with scales matches the operands, even if they are converted;
/// - a conversion of an operand fails.
pub fn plan_product(product: &MatrixProduct<'_>) -> Result<ProductPlan, ProductError> {
    let sizes = check(product)?;
    let layouts = [product.a, product.b, product.d];
    let elements =
        [0, 1, 2].map(|operand| Elements::of(layouts[operand], Axes::of(product, operand)));
    let rows = instructions(product)?;
    let [a, b, d] = &elements;
    let mut unconverted = Vec::new();
    for row in &rows {
        if let Ok(found) = Match::of(row, [a, b, d], sizes[K])
            && let Some(scales) = scales::sources(product, row, &found, d, sizes[K])?
        {
            unconverted.push((row, found, scales));
        }
    }
    let cost = |(row, found, _): &InstructionMatch<'_>| {
        let issues = found.issues.len() as u64;
        // Ties go to the instruction without redundant products, then to the larger one.
        let size: u64 = row.sizes().iter().product();
        let time = issues * u64::from(row.issue(product.target.lanes));
        (time, issues * size, issues)
    };
    let is_per_lane = |(row, ..): &InstructionMatch<'_>| row.is_per_lane();
    let (of_lane, of_warp): (Vec<_>, Vec<_>) = unconverted.into_iter().partition(is_per_lane);
    // Packing in lanes is visible only in the whole program.
    let best_of_warp = of_warp.into_iter().min_by_key(cost);
    let plans = best_of_warp.into_iter().chain(of_lane);
    let plans = plans.map(|tried| build(product, &tried, &NONE));
    if let Some(plan) = plans.min_by_key(|plan| plan.program.cost().total()) {
        return Ok(plan);
    }
    let mut best: Option<ProductPlan> = None;
    let mut conversions = Conversions::default();
    for row in &rows {
        if let Some(plan) = converted(product, row, &elements, sizes, &mut conversions)?
            && best
                .as_ref()
                .is_none_or(|best| plan.program.cost().total() < best.program.cost().total())
        {
            best = Some(plan);
        }
    }
    // Unscaled products always match the multiplication in each lane.
    best.ok_or_else(|| {
        let [_, m, n, k] = sizes;
        let warps = product.d.in_size(Dim::WARP);
        ProductErrorKind::NoTile { m, n, k, warps }.into()
    })
}

/// An instruction, its match with the product, and the scales of A and of B. The scales of an operand are `None` if
/// it has no scales.
type InstructionMatch<'r> = (&'r Product, Match, [Option<ScaleSource>; 2]);

/// Returns the matrix instructions that support the product's element types. They are sorted by the position of
/// their types in `product.factors`, which lists the preferred types first. If the product has no scales, the last
/// entry is the multiply-add that each lane executes by itself.
pub(super) fn instructions(product: &MatrixProduct<'_>) -> Result<Vec<Product>, ProductError> {
    let own = product
        .factors
        .first()
        .ok_or(ProductErrorKind::Numbers { bits: 0 })?;
    for factor in own {
        if !product.sum.holds(*factor) {
            let usual = match factor {
                Number::F64 => Number::F64,
                factor if factor.is_integer() => Number::I32,
                _ => Number::F32,
            };
            return Err(ProductErrorKind::Sum {
                factor: *factor,
                sum: product.sum,
                expected: usual,
            }
            .into());
        }
    }
    if let Some(scales) = &product.scales {
        return with_scales(product, scales, *own);
    }
    if let Some(factor) = own.iter().find(|factor| factor.packed_log2() > 0) {
        let bits = factor.bits();
        return Err(ProductErrorKind::Numbers { bits }.into());
    }
    let mut rows: Vec<Product> = product.target.products();
    rows.retain(|row| row.sum == product.sum && product.factors.contains(&row.factors));
    // Earlier types in the list are better, then faster instructions.
    rows.sort_by_key(|row| product.factors.iter().position(|f| *f == row.factors));
    rows.push(Product::per_lane(*own, product.sum));
    Ok(rows)
}

/// Returns the instructions that support the element types `factors`, and the scale type and the block size of
/// `scales`. Returns an error if the target has no such instruction.
fn with_scales(
    product: &MatrixProduct<'_>,
    scales: &FactorScales<'_>,
    factors: [Number; 2],
) -> Result<Vec<Product>, ProductError> {
    let mut rows = product.target.scaled_products();
    rows.retain(|row| {
        let takes = |held: &BlockScales| {
            (held.block_log2, held.number) == (scales.block_log2, scales.number)
        };
        (row.factors, row.sum) == (factors, product.sum) && row.scales.as_ref().is_some_and(takes)
    });
    if rows.is_empty() {
        return Err(ProductErrorKind::NoScales {
            target: product.target.name,
            factors,
            sum: product.sum,
            block: 1 << scales.block_log2,
        }
        .into());
    }
    Ok(rows)
}

/// Checks that the operands have matching shapes and the expected numbers of lanes and warps, and that each operand
/// is held by one CTA. Returns (number of matrices, m, n, k).
pub(super) fn check(product: &MatrixProduct<'_>) -> Result<Point, ProductError> {
    let layouts = [product.a, product.b, product.d];
    let blocks = layouts
        .iter()
        .map(|layout| layout.in_size(Dim::BLOCK))
        .max();
    if let Some(blocks) = blocks.filter(|blocks| *blocks > 1) {
        return Err(ProductErrorKind::SeveralBlocks { blocks }.into());
    }
    let scales = product.scales.map_or([None; 2], |scales| scales.layouts);
    let names = ["A", "B", "D", "the scales of A", "the scales of B"];
    let all = layouts.map(Some).into_iter().chain(scales);
    for (operand, layout) in names.into_iter().zip(all) {
        let Some(layout) = layout else { continue };
        let (lanes, warps) = (layout.in_size(Dim::LANE), layout.in_size(Dim::WARP));
        let expected = (
            u64::from(product.target.lanes),
            product.d.in_size(Dim::WARP),
        );
        if (lanes, warps) != expected {
            return Err(ProductErrorKind::Threads {
                operand,
                found: (lanes, warps),
                expected,
            }
            .into());
        }
    }
    let shape = |layout: &LinearLayout| -> Vec<u64> {
        layout.out_dims().map(|dim| layout.out_size(dim)).collect()
    };
    let [mut a, mut b, d] = layouts.map(shape);
    let rank = d.len();
    // A byte with two elements counts as two.
    if let (Some(k), Some(b_k)) = (a.last_mut(), b.len().checked_sub(2)) {
        *k <<= product.packed_log2(0);
        b[b_k] <<= product.packed_log2(1);
    }
    let is_product = (2..=3).contains(&rank) && a.len() == rank && b.len() == rank && {
        let (rows, columns) = (rank - 2, rank - 1);
        let has_one_k = a[columns] == b[rows];
        let is_result = (a[rows], b[columns]) == (d[rows], d[columns]);
        has_one_k && is_result && a[..rows] == b[..rows] && a[..rows] == d[..rows]
    };
    if !is_product {
        return Err(ProductErrorKind::Shapes { a, b, d }.into());
    }
    let block_log2 = product.scales.map_or(0, |scales| scales.block_log2);
    for (factor, layout) in scales.into_iter().enumerate() {
        let Some(layout) = layout else { continue };
        let mut expected = d.clone();
        expected[rank - 2] = d[rank - 2 + factor];
        expected[rank - 1] = a[rank - 1] >> block_log2;
        let found = shape(layout);
        if found != expected || expected[rank - 1] << block_log2 != a[rank - 1] {
            return Err(ProductErrorKind::Scales {
                operand: ["A", "B"][factor],
                found,
                expected,
                block: 1 << block_log2,
            }
            .into());
        }
    }
    let matrices = if rank == 3 { d[0] } else { 1 };
    Ok([matrices, d[rank - 2], d[rank - 1], a[rank - 1]])
}

/// Returns the cheapest plan that uses the instruction `row` and converts at least one of A, B and D, so that the
/// layouts of the operands match the instruction. Returns `None` if there is no such plan.
fn converted(
    product: &MatrixProduct<'_>,
    row: &Product,
    elements: &[Elements; 3],
    sizes: Point,
    conversions: &mut Conversions,
) -> Result<Option<ProductPlan>, ProductError> {
    let mut best: Option<ProductPlan> = None;
    // Unconverted operands among A, B and D.
    const KEPT: [[bool; 3]; 6] = [
        [true, false, true],
        [false, true, true],
        [false, false, true],
        [true, true, false],
        [true, false, false],
        [false, false, false],
    ];
    for kept in KEPT {
        // A multiplication in each lane takes any layout of the sum.
        if row.is_per_lane() && !kept[2] {
            continue;
        }
        let Some(layouts) = layouts_for(product, row, elements, kept, sizes) else {
            continue;
        };
        let now = [0, 1, 2].map(|operand| match &layouts[operand] {
            Some(layout) => Elements::of(layout, Axes::of(product, operand)),
            None => elements[operand].clone(),
        });
        let Ok(found) = Match::of(row, now.each_ref(), sizes[K]) else {
            continue;
        };
        let Some(scales) = scales::sources(product, row, &found, &now[2], sizes[K])? else {
            continue;
        };
        let mut plans = NONE;
        for (operand, layout) in layouts.iter().enumerate() {
            let Some(layout) = layout else { continue };
            plans[operand] = Some(conversions.plan(product, operand, layout, false)?);
            if operand == 2 {
                plans[3] = Some(conversions.plan(product, operand, layout, true)?);
            }
        }
        let plan = build(product, &(row, found, scales), &plans);
        let cost = plan.program.cost().total();
        let is_better = |best: &ProductPlan| cost < best.program.cost().total();
        if best.as_ref().is_none_or(is_better) {
            best = Some(plan);
        }
    }
    Ok(best)
}

/// A cache of planned conversions between the given layout of an operand and a layout that an instruction requires.
/// Each conversion is planned only once.
#[derive(Default)]
struct Conversions {
    planned: Vec<(usize, bool, LinearLayout, Rc<ConvertPlan>)>,
}

impl Conversions {
    /// Returns the plan that converts an operand from its original layout to `layout`. If `is_back` is true, the
    /// plan converts in the opposite direction.
    fn plan(
        &mut self,
        product: &MatrixProduct<'_>,
        operand: usize,
        layout: &LinearLayout,
        is_back: bool,
    ) -> Result<Rc<ConvertPlan>, ProductError> {
        let mut planned = self.planned.iter();
        let planned = planned
            .find(|planned| (planned.0, planned.1, &planned.2) == (operand, is_back, layout));
        if let Some((.., plan)) = planned {
            return Ok(Rc::clone(plan));
        }
        let given = [product.a, product.b, product.d][operand];
        let (from, to) = if is_back {
            (layout, given)
        } else {
            (given, layout)
        };
        let bits = width(product, operand);
        let plan = plan_conversion(from, to, bits, product.target, &PlanOptions::new())?;
        let plan = Rc::new(plan);
        let made = (operand, is_back, layout.clone(), Rc::clone(&plan));
        self.planned.push(made);
        Ok(plan)
    }
}

/// Returns a new layout for each operand (A, B, D) whose entry of `kept` is false. The new layouts are chosen such
/// that the instruction matches them together with the kept layouts. The entry of a kept operand is `None`. The
/// whole result is `None` if no such layouts are found.
fn layouts_for(
    product: &MatrixProduct<'_>,
    row: &Product,
    elements: &[Elements; 3],
    kept: [bool; 3],
    sizes: Point,
) -> Option<[Option<LinearLayout>; 3]> {
    let given = [0, 1, 2].map(|operand| kept[operand].then_some(&elements[operand]));
    let renaming = Renaming::of(row, given, sizes).ok()?;
    let mut layouts = [None, None, None];
    let sum;
    let mut of_sum = &elements[2];
    if !kept[2] {
        let axes = Axes::of(product, 2);
        let factors = [given[0], given[1]];
        let layout = candidates::sum(row, &renaming, factors, (product.d, axes)).ok()?;
        sum = Elements::of(&layout, axes);
        of_sum = &sum;
        layouts[2] = Some(layout);
    }
    for (operand, like) in [product.a, product.b].into_iter().enumerate() {
        if !kept[operand] {
            // The sum may lack bits of the tile.
            let like = (like, Axes::of(product, operand));
            let layout =
                candidates::factor(row, &renaming, operand, of_sum, like, sizes[K]).ok()?;
            layouts[operand] = Some(layout);
        }
    }
    Some(layouts)
}

/// Returns the width in bits of an element of A (0), B (1) or D (2), or of a scale of A (3) or B (4). If a byte
/// holds two elements, the width is 8.
fn width(product: &MatrixProduct<'_>, operand: usize) -> u32 {
    let factors = product.factors[0].map(|number| number.bits() << number.packed_log2());
    [factors[0], factors[1], product.sum.bits(), 8, 8][operand]
}

/// The conversion plans of a product in which neither A, B, D nor the result is converted.
const NONE: [Option<Rc<ConvertPlan>>; 4] = [None, None, None, None];

fn build(
    product: &MatrixProduct<'_>,
    (row, found, scales): &InstructionMatch<'_>,
    conversions: &[Option<Rc<ConvertPlan>>; 4],
) -> ProductPlan {
    let count = |layout: Option<&LinearLayout>| {
        layout.map_or(0, |layout| narrow::<u32>(layout.in_size(Dim::REGISTER)))
    };
    let layouts = [product.d, product.a, product.b].map(Some).into_iter();
    let layouts = layouts.chain(product.scales.iter().flat_map(|scales| scales.layouts));
    let operands: Vec<(u32, u32)> = (layouts.zip([2, 0, 1, 3, 4]))
        .map(|(layout, operand)| (count(layout), width(product, operand)))
        .collect();
    let threads = Threads::of(product.d);
    let mut b = Builder::of_operands(&operands, threads);
    let sources = b.sources();
    let (sums, factors) = sources.split_at(operands[0].0 as usize);
    let (left, right) = factors.split_at(operands[1].0 as usize);
    let (right, scales_given) = right.split_at(operands[2].0 as usize);
    let scales_of_a = operands.get(3).map_or(0, |(count, _)| *count as usize);
    let (scales_a, scales_b) = scales_given.split_at(scales_of_a);
    // A, B and D, and the scales of A and B, after conversion.
    let given = [left, right, sums, scales_a, scales_b];
    let mut now = given.map(<[ValueId]>::to_vec);
    let mut scratch = 0;
    let mut parts = Vec::new();
    let of_scales = scales
        .each_ref()
        .map(|source| source.as_ref()?.conversion.as_ref());
    let before = conversions[..3]
        .iter()
        .map(Option::as_deref)
        .chain(of_scales);
    for (operand, plan) in before.enumerate() {
        if let Some(plan) = plan {
            let program = plan.program();
            parts.push((operand, program, scratch));
            // The widest access of the next conversion is aligned.
            scratch += program.scratch_bytes().next_multiple_of(16);
        }
    }
    let inlined: Vec<InlinedProgram<'_>> = (parts.iter())
        .map(|(operand, program, start)| InlinedProgram {
            program,
            operand: [1, 2, 0, 3, 4][*operand],
            sources: given[*operand],
            start: *start,
        })
        .collect();
    for ((operand, ..), results) in parts.iter().zip(b.inline(&inlined)) {
        now[*operand] = results;
    }
    let [left, right, sums, scales_a, scales_b] = now;
    let factors = [left, right];
    let mut tiles = FactorTiles {
        row,
        number: 0,
        found,
        factors: &factors,
        planned: FxHashMap::default(),
    };
    tiles.number = b.row((*row).clone());
    let registers = [scales_a, scales_b];
    let mut words: FxHashMap<(usize, usize), ValueId> = FxHashMap::default();
    // Accumulators of each tile of the sum, and the registers of their elements.
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
        let mut of_issue = [None, None];
        for (factor, source) in scales.iter().enumerate() {
            let Some(source) = source else { continue };
            let (word, selector) = source
                .words
                .at(issue.at)
                .expect("each issue has its scales");
            let value = *words.entry((factor, word)).or_insert_with(|| {
                let bytes = source.words.words[word].iter();
                let bytes: Vec<ValueId> = bytes.map(|r| registers[factor][*r]).collect();
                b.pack(&bytes)
            });
            of_issue[factor] = Some(ScaleWord {
                word: value,
                selector,
            });
        }
        let after = b.mma(&before, &left, &right, of_issue, tiles.number);
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
        // In separate scratch memory: other threads may still read that of the conversions before.
        let part = InlinedProgram {
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
        scale_conversions: of_scales.map(|plan| {
            let plan = plan?;
            Some((plan.kind(), plan.program().cost()))
        }),
        renaming: found.renaming.bits(),
        count: found.issues.len(),
    }
}

/// Packs elements into 32-bit words, one word per register that the instruction reads. Elements are not packed if
/// each one fills a register, if there is only one, or if the instruction is a multiply-add in each lane.
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

/// A cache that holds the packed words of each tile of A and B. A tile is packed when it is used for the first
/// time.
struct FactorTiles<'a> {
    row: &'a Product,
    number: u32,
    found: &'a Match,
    factors: &'a [Vec<ValueId>; 2],
    /// Map from (operand, first register of a tile) to the packed words of this tile.
    planned: FxHashMap<(usize, usize), Vec<ValueId>>,
}

impl FactorTiles<'_> {
    fn words(&mut self, b: &mut Builder, factor: usize, registers: &[usize]) -> Vec<ValueId> {
        let key = (factor, registers[0]);
        if let Some(words) = self.planned.get(&key) {
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
        self.planned.insert(key, words.clone());
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
