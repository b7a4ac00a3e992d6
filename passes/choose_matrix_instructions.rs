//! `choose-matrix-instructions`: the instruction that carries out each product, and the layouts that it asks for.
//!
//! Each `tt.dot` in other layouts gets alternatives: the instructions of the target that multiply its types, by all
//! ways to spread warps over the result and to hold K, in Triton's encodings (`encodings`). What the product costs in
//! each is the cost of its plan, and of what does not fit into registers. [`assignment`] chooses among them with the
//! layouts of all other values, so that conversions of factors and results, loops, reductions of the result and
//! products of products count as `remove-layout-conversions` will find them. Only the products are rewritten, between
//! conversions.
//! # Source
//! Triton's `tritongpu-accelerate-matmul` and `tritonamdgpu-accelerate-matmul`, which take the spread of warps from
//! rules on shapes.

mod encodings;

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::respell::attribute;
use super::rewrite_layouts::{drop_dead, functions};
use super::table::{ChooseMatrixInstructionsOptions, RemoveLayoutConversionsOptions};
use crate::analysis::assignment::{
    self, Alternative, AssignmentOptions, Kernel, OpWithAlternatives, PriceCache, PricedProduct,
    Role,
};
use crate::ir::ops::{InputPrecision, tt};
use crate::ir::{Layouts, ProductTypes, TensorType, builders, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use encodings::{Encodings, Tensors, encodings};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::target::Number;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

impl Pass for ChooseMatrixInstructionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let weighed = RemoveLayoutConversionsOptions {
            target: self.target.clone(),
            memory: self.memory.clone(),
            ..Default::default()
        };
        let options = AssignmentOptions {
            barrier_latency: BARRIER_LATENCY,
            ..weighed.assignment_options(context)?
        };
        for function in functions(context.module()) {
            self.function(context, function, options);
        }
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Values)
    }
}

/// What a barrier costs a block that waits for its products, in quarters of a clock.
///
/// Conversions through shared memory take 26 to 96 clocks longer on an H200 where one block has a processor for itself
/// than where four share it.
const BARRIER_LATENCY: u32 = 4 * 64;

/// The ways to carry out a product.
struct Ways {
    /// In the layouts that it has.
    present: Arc<PricedProduct>,
    others: Vec<Way>,
}

/// A product in the layouts of an instruction.
struct Way {
    encodings: Encodings,
    product: Arc<PricedProduct>,
}

/// A product, and its ways, or the reason for which it has one only.
type Product<'c> = (tt::Dot<'c, 'c>, Arc<Result<Ways, String>>);

impl ChooseMatrixInstructionsOptions {
    fn function<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        options: AssignmentOptions,
    ) {
        drop_dead(context.rewriter(), function, &mut |_| ());
        let mut plans = PriceCache::default();
        let mut known: HashMap<Vec<usize>, Arc<Result<Ways, String>>> = HashMap::new();
        let mut products: Vec<Product<'c>> = Vec::new();
        for dot in build::in_order(function)
            .into_iter()
            .filter_map(tt::Dot::of)
        {
            let types = [dot.a(), dot.b(), dot.c()].map(|value| sys::type_id(value.r#type()));
            let widened = widened(dot);
            let others = [dot.input_precision() as usize, widened as usize];
            let ways = known.entry([&types[..], &others].concat());
            let ways = ways.or_insert_with(|| Arc::new(ways_of(dot, widened, options, &mut plans)));
            products.push((dot, Arc::clone(ways)));
        }
        let open = products.iter().map(|(dot, ways)| OpWithAlternatives {
            op: dot.op(),
            alternatives: alternatives(ways),
        });
        let open: Vec<OpWithAlternatives<'c>> = open.collect();
        let chosen = if open.iter().any(|open| !open.alternatives.is_empty()) {
            let mut kernel = assignment::read(function, options.loop_weight, context.get());
            choose(&mut kernel, options, &mut plans, (&open, &products))
        } else {
            vec![None; open.len()]
        };
        for ((dot, ways), chosen) in products.iter().zip(chosen) {
            if self.explain {
                context.remark(dot.op(), &explanation(ways, chosen));
            }
            if let (Ok(ways), Some(chosen)) = (&**ways, chosen) {
                rewrite(context, *dot, &ways.others[chosen].encodings);
            }
        }
    }
}

/// Chooses among the ways of all products of a function; none of a product's where it stays as it is.
fn choose<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
    (open, products): (&[OpWithAlternatives<'c>], &[Product<'c>]),
) -> Vec<Option<usize>> {
    let mut choose = |is_allowed: &dyn Fn(&Way) -> bool| {
        let is_allowed = |product: usize, way: usize| {
            let ways = products[product].1.as_ref().as_ref();
            ways.is_ok_and(|ways| is_allowed(&ways.others[way]))
        };
        assignment::choose(kernel, options, plans, open, is_allowed)
    };
    let ways = || products.iter().flat_map(|(_, ways)| ways.iter());
    let entangled = ways().filter(|ways| ways.others.len() > MOST_ALTERNATIVES);
    // Of one product, the spreads below are all that there is.
    let is_joint = ways().count() > 1 && entangled.count() < 2;
    let jointly = is_joint.then(|| choose(&|_| true));
    // Products of products share their rows with the same warps, and the graphs of one distribution of warps are
    // smaller.
    let spreads = ways().flat_map(|ways| ways.others.iter().map(|way| &way.encodings.warps));
    let spreads: BTreeSet<_> = spreads.collect();
    let alike = spreads
        .into_iter()
        .map(|spread| choose(&|way| way.encodings.warps == *spread));
    let mut found: Vec<_> = alike.chain(jointly).collect();
    let least = found.iter().map(|found| found.price).min().unwrap_or(0);
    let best = found
        .iter()
        .position(|found| found.price <= least + least / NOISE);
    best.map(|best| found.swap_remove(best).alternatives)
        .unwrap_or_default()
}

/// Prices that differ by less than this part are the same. Of those, the one with more warps along n is taken: on an
/// H100, products of 64 x 128 x 64 and 128 x 128 x 64 whose prices differ by 0.06 % take 0.78 and 0.81 of the time.
const NOISE: u64 = 512;

/// If two products have more alternatives than this, the graph of a function is too entangled to be solved exactly, and
/// takes a second to be solved at all.
const MOST_ALTERNATIVES: usize = 16;

fn alternatives(ways: &Result<Ways, String>) -> Vec<Alternative> {
    let others = ways.iter().flat_map(|ways| &ways.others);
    let alternatives = others.map(|way| {
        let Encodings { a, b, d, .. } = way.encodings.clone();
        Alternative {
            uses: vec![a, b, Arc::clone(&d)],
            defs: vec![d],
        }
    });
    alternatives.collect()
}

/// Says how a product is carried out, or why it is not changed.
fn explanation(ways: &Result<Ways, String>, chosen: Option<usize>) -> String {
    let cycles = |product: &PricedProduct| product.price.div_ceil(4);
    let Ways { present, others } = match ways {
        Ok(ways) => ways,
        Err(reason) => return format!("is unchanged: {reason}"),
    };
    if let Some(Way { encodings, product }) = chosen.map(|chosen| &others[chosen]) {
        return format!(
            "is multiplied by {} of {} in each warp, as `{}`: {} cycles per execution, {} before",
            product.plan.count(),
            product.plan.instruction(),
            encodings.d,
            cycles(product),
            cycles(present)
        );
    }
    match others.iter().min_by_key(|way| way.product.price) {
        None => "is unchanged: no instruction fits its tiles".to_owned(),
        Some(Way { product, .. }) => format!(
            "is unchanged: it costs {} cycles per execution; {} costs {}, plus conversions",
            cycles(present),
            product.plan.instruction(),
            cycles(product)
        ),
    }
}

/// Returns the ways to carry out a product.
///
/// # Errors
/// The reason for which there is no choice.
fn ways_of(
    dot: tt::Dot<'_, '_>,
    widened: u32,
    options: AssignmentOptions,
    plans: &mut PriceCache,
) -> Result<Ways, String> {
    let tensors = [dot.a(), dot.b(), dot.c()].map(|value| TensorType::of(value.r#type()));
    let [Some(a), Some(b), Some(d)] = tensors else {
        return Err("its operands have no layouts".to_owned());
    };
    let layouts = Layouts::of(dot.op().context());
    let present = [&a, &b, &d].map(|tensor| layouts.tensor(tensor));
    let ([Ok(own_a), Ok(own_b), Ok(own_d)], Ok(encoding)) = (present, layouts.of_tensor(&d)) else {
        return Err("its operands have no layouts".to_owned());
    };
    if matches!(
        *encoding,
        Encoding::NvidiaMma(_) | Encoding::AmdMfma(_) | Encoding::AmdWmma(_)
    ) {
        return Err(format!(
            "it already has the layout of an instruction, `{encoding}`"
        ));
    }
    let types = ProductTypes::of(dot).map_err(|said| said.message)?;
    let own = [&own_a.unique, &own_b.unique, &own_d.unique];
    let present = plans.product(&types, own, options);
    let present = present.map_err(|error| error.to_string())?;
    let target = options.target;
    let mut rows = target.matrix_instructions();
    rows.retain(|row| {
        !row.is_per_lane() && row.sum == types.sum && types.factors.contains(&row.factors)
    });
    if rows.is_empty() {
        return Err(format!(
            "`{}` has no instruction that multiplies `{}` by `{}` into `{}`{}",
            target.name,
            a.element,
            b.element,
            d.element,
            precision(dot, &types.factors)
        ));
    }
    let full = &own_d.full;
    let rank = d.shape.len();
    let shape = Tensors {
        rank,
        warps: u32::try_from(full.in_size(Dim::WARP)).map_err(|error| error.to_string())?,
        k_size: a.shape[rank - 1],
        widened,
    };
    let family = target.product_family();
    let all = rows.iter().flat_map(|row| {
        let all = encodings(row, family, shape).unwrap_or_default();
        all.into_iter().map(move |encodings| (row, encodings))
    });
    let mut known: HashSet<[LinearLayout; 3]> = HashSet::new();
    let mut others = Vec::new();
    for (row, encodings) in all {
        let spelled = [(&encodings.a, &a), (&encodings.b, &b), (&encodings.d, &d)];
        let unique = spelled.map(|(encoding, tensor)| {
            let full = encoding.to_surjective_layout(tensor.shape).ok()?;
            full.remove_zero_bases(Dim::REGISTER).ok()
        });
        let [Some(left), Some(right), Some(result)] = unique else {
            continue;
        };
        let mut threads = [Dim::LANE, Dim::WARP].into_iter();
        let is_of_threads = threads.all(|dim| result.in_bits(dim) == full.in_bits(dim));
        let linear = [left, right, result];
        if !is_of_threads || known.contains(&linear) {
            continue;
        }
        // The encoding names the instruction, which must be the best one in its layouts.
        if let Ok(product) = plans.product(&types, [&linear[0], &linear[1], &linear[2]], options)
            && [row.name.as_str(), &row.transposed().name].contains(&product.plan.instruction())
            && product.plan.is_converted() == [false; 3]
        {
            others.push(Way { encodings, product });
            known.insert(linear);
        }
    }
    Ok(Ways { present, others })
}

/// How many times wider the elements of a product's factors are than the narrowest that were loaded for them.
fn widened(dot: tt::Dot<'_, '_>) -> u32 {
    let bits = |value: Val<'_>| {
        let tensor = TensorType::of(value.r#type());
        tensor.and_then(|tensor| element_bits(tensor.element))
    };
    let own = bits(dot.a()).unwrap_or(32);
    let mut narrowest = own;
    let mut seen = HashSet::new();
    let mut queue = vec![dot.a(), dot.b()];
    while let Some(value) = queue.pop() {
        let Some(op) = sys::defining_operation(value).filter(|_| seen.insert(sys::value_id(value)))
        else {
            continue;
        };
        match Role::of(op) {
            Role::Conversion | Role::Elementwise | Role::View => queue.extend(build::operands(op)),
            Role::Access { .. } | Role::Buffer { .. } => {
                narrowest = narrowest.min(bits(value).unwrap_or(own).max(8));
            }
            _ => {}
        }
    }
    own / narrowest
}

/// How f32 is multiplied, where it matters.
fn precision(dot: tt::Dot<'_, '_>, factors: &[[Number; 2]]) -> &'static str {
    match (factors, dot.input_precision()) {
        ([[Number::F32, _]], InputPrecision::Ieee) => " with `inputPrecision = ieee`",
        ([[Number::F32, _]], _) => " with this `inputPrecision`",
        _ => "",
    }
}

/// Gives a product other layouts, between conversions.
fn rewrite<'c>(
    context: &PassContext<'c>,
    dot: tt::Dot<'c, 'c>,
    encodings: &Encodings,
) -> Option<()> {
    let (op, rewriter) = (dot.op(), context.rewriter());
    let spelled = |type_, encoding: &Encoding| {
        let tensor = TensorType::of(type_)?;
        Some(tensor.with_encoding(attribute(op, encoding)?))
    };
    let convert = |value, type_| builders::ttg::convert_layout(value, type_).before(rewriter, op);
    let before = dot.d().r#type();
    let type_ = spelled(before, &encodings.d)?;
    let operands = [
        convert(dot.a(), spelled(dot.a().r#type(), &encodings.a)?)?,
        convert(dot.b(), spelled(dot.b().r#type(), &encodings.b)?)?,
        convert(dot.c(), type_)?,
    ];
    let made = rewriter.copy_before(op, op);
    for (i, operand) in operands.into_iter().enumerate() {
        rewriter.set_operand(made, i, operand);
    }
    rewriter.set_result_type(made, 0, type_);
    let result = convert(build::only_result(made), before)?;
    rewriter.replace(op, &[result]);
    Some(())
}
