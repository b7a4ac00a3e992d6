//! `choose-matrix-instructions`: selects matrix instructions and layouts for all products.
//!
//! Products for which `wgmma` is legal become warp-group products first (`warp_groups`). For the others, candidates are
//! the target's instructions for the operand types, in Triton's encodings (`encodings`), with all distributions of
//! warps over the result and several values of `kWidth`. Costs include the plan and spilled registers. [`assignment`]
//! chooses the candidates jointly with the layouts of all values, as later in
//! `remove-layout-conversions`. The pass rewrites only the products and converts their operands and results.
//!
//! # Source
//! Triton's `tritongpu-accelerate-matmul` and `tritonamdgpu-accelerate-matmul`, which distribute warps by rules on
//! shapes.

mod encodings;
mod warp_groups;

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
use crate::analysis::axis::Indices;
use crate::analysis::effects::OpId;
use crate::analysis::pressure::resident_blocks;
use crate::ir::ops::tt;
use crate::ir::{Layouts, ProductTypes, TensorType, builders, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use encodings::{Encodings, ProductTensors, encodings};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::target::Number;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use warp_groups::use_warp_groups;

impl Pass for ChooseMatrixInstructionsOptions {
    fn indices(&self) -> Indices {
        Indices::of_option(self.triton_indices)
    }

    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let defaults = RemoveLayoutConversionsOptions {
            target: self.target.clone(),
            memory: self.memory.clone(),
            ..Default::default()
        };
        let options = defaults.assignment_options(context)?;
        for function in functions(context.module()) {
            let barrier_latency = match resident_blocks(function, options.target) {
                0 | 1 => ALONE_BARRIER_LATENCY,
                _ => BARRIER_LATENCY,
            };
            let options = AssignmentOptions {
                barrier_latency,
                ..options
            };
            self.function(context, function, options);
        }
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Values)
    }
}

/// Assumed latency of a barrier, in quarters of a cycle, for a kernel of which several blocks are resident per SM.
/// While one block waits for its matrix products, another block can run.
///
/// On an H200, conversions through shared memory take 26 to 96 cycles longer with one block per SM than with four.
const BARRIER_LATENCY: u32 = 4 * 64;

/// Assumed latency of a barrier, in quarters of a cycle, for a kernel of which only one block is resident per SM.
/// No other block can then run during the latency.
///
/// The value is based on measurements such as this one: attention of 128 x 64 x 128 with 8 warps and `mma.sync` on
/// an H100. With two warps along n, the softmax needs barriers: the causal kernel takes 1.04 times as long as
/// Triton's, and the kernel without causal mask 1.15 times as long. With one warp along n, the factors are 0.93 and
/// 1.00.
const ALONE_BARRIER_LATENCY: u32 = 4 * 256;

struct Candidates {
    /// Plan and price of the product in its original layouts.
    present: Arc<PricedProduct>,
    others: Vec<Candidate>,
}

struct Candidate {
    encodings: Encodings,
    product: Arc<PricedProduct>,
}

/// A product with its candidates, or with the reason why it has none.
type Product<'c> = (tt::Dot<'c, 'c>, Arc<Result<Candidates, String>>);

impl ChooseMatrixInstructionsOptions {
    /// Replaces each product by a warp-group product if the warp-group product is legal. Returns a map from each
    /// remaining product to the reason why it is not replaced. If the target has no warp-group products, returns an
    /// empty map and replaces nothing.
    fn use_warp_groups<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        options: AssignmentOptions,
    ) -> HashMap<OpId, String> {
        if !options.target.instructions.warp_group_products {
            return HashMap::new();
        }
        let reasons = use_warp_groups(context, function, options.target, |op, text| {
            if self.explain {
                context.remark(op, text);
            }
        });
        // Operands of the replaced products.
        drop_dead(context.rewriter(), function, &mut |_| ());
        reasons
    }

    fn function<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        options: AssignmentOptions,
    ) {
        drop_dead(context.rewriter(), function, &mut |_| ());
        let no_warp_group = self.use_warp_groups(context, function, options);
        let mut plans = PriceCache::of(options);
        let mut known: HashMap<Vec<usize>, Arc<Result<Candidates, String>>> = HashMap::new();
        let mut products: Vec<Product<'c>> = Vec::new();
        for dot in build::in_order(function)
            .into_iter()
            .filter_map(tt::Dot::of)
        {
            let types = [dot.a(), dot.b(), dot.c()].map(|value| sys::type_id(value.r#type()));
            let widened = widened(dot);
            let others = [dot.input_precision() as usize, widened as usize];
            let candidates = known.entry([&types[..], &others].concat());
            let candidates = candidates
                .or_insert_with(|| Arc::new(candidates_of(dot, widened, options, &mut plans)));
            products.push((dot, Arc::clone(candidates)));
        }
        let open = products.iter().map(|(dot, candidates)| OpWithAlternatives {
            op: dot.op(),
            alternatives: alternatives(candidates),
        });
        let open: Vec<OpWithAlternatives<'c>> = open.collect();
        let chosen = if open.iter().any(|open| !open.alternatives.is_empty()) {
            let mut kernel = assignment::read(function, options.loop_weight, context.get());
            choose(&mut kernel, options, &mut plans, (&open, &products))
        } else {
            vec![None; open.len()]
        };
        for ((dot, candidates), chosen) in products.iter().zip(chosen) {
            if self.explain {
                let mut text = explanation(candidates, chosen);
                if let Some(reason) = no_warp_group.get(&sys::operation_id(dot.op())) {
                    text = format!("{text}; no warp-group product: {reason}");
                }
                context.remark(dot.op(), &text);
            }
            if let (Ok(candidates), Some(chosen)) = (&**candidates, chosen) {
                rewrite(context, *dot, &candidates.others[chosen].encodings);
            }
        }
    }
}

/// Returns true if the result already has the layout of a matrix instruction.
fn is_of_instruction(result: &Encoding) -> bool {
    matches!(
        result,
        Encoding::NvidiaMma(_) | Encoding::AmdMfma(_) | Encoding::AmdWmma(_)
    )
}

/// Chooses a candidate for each product, and returns its index in `Candidates::others`. `None` means that the
/// product keeps its original layouts.
fn choose<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
    (open, products): (&[OpWithAlternatives<'c>], &[Product<'c>]),
) -> Vec<Option<usize>> {
    let mut choose = |is_allowed: &dyn Fn(&Candidate) -> bool| {
        let is_allowed = |product: usize, candidate: usize| {
            let candidates = products[product].1.as_ref().as_ref();
            candidates.is_ok_and(|candidates| is_allowed(&candidates.others[candidate]))
        };
        assignment::choose(kernel, options, plans, open, is_allowed)
    };
    let candidates = || {
        products
            .iter()
            .flat_map(|(_, candidates)| candidates.iter())
    };
    let entangled = candidates().filter(|candidates| candidates.others.len() > MAX_ALTERNATIVES);
    // For one product the distributions below are exhaustive.
    let is_joint = candidates().count() > 1 && entangled.count() < 2;
    let jointly = is_joint.then(|| choose(&|_| true));
    // Chained products share one distribution of warps, and the graph for one distribution is smaller.
    let distributions = candidates().flat_map(|candidates| {
        candidates
            .others
            .iter()
            .map(|candidate| &candidate.encodings.warps)
    });
    let distributions: BTreeSet<_> = distributions.collect();
    let separately = distributions
        .into_iter()
        .map(|distribution| choose(&|candidate| candidate.encodings.warps == *distribution));
    let mut found: Vec<_> = separately.chain(jointly).collect();
    let least = found.iter().map(|found| found.price).min().unwrap_or(0);
    let best = found
        .iter()
        .position(|found| found.price <= least + least / NOISE);
    best.map(|best| found.swap_remove(best).alternatives)
        .unwrap_or_default()
}

/// Reciprocal of the relative price difference that is ignored. Among the assignments whose prices exceed the
/// lowest price by at most 1/512, the pass chooses the one that distributes the most warps along n.
///
/// For products of 64 x 128 x 64 and 128 x 128 x 64 on an H100, the assignment with more warps along n takes 0.78
/// and 0.81 of the time of the assignment with fewer, although the prices differ by only 0.06 %.
const NOISE: u64 = 512;

/// Limit on the candidates per product for a joint assignment, in which products may choose different distributions
/// of warps. If at least two products have more than this number of candidates, there is no joint assignment: the
/// treewidth of its graph would be too large for an exact solution.
const MAX_ALTERNATIVES: usize = 16;

fn alternatives(candidates: &Result<Candidates, String>) -> Vec<Alternative> {
    let others = candidates.iter().flat_map(|candidates| &candidates.others);
    let alternatives = others.map(|candidate| {
        let Encodings { a, b, d, .. } = candidate.encodings.clone();
        Alternative {
            uses: vec![a, b, Arc::clone(&d)],
            defs: vec![d],
        }
    });
    alternatives.collect()
}

fn explanation(candidates: &Result<Candidates, String>, chosen: Option<usize>) -> String {
    let cycles = |product: &PricedProduct| product.price.div_ceil(4);
    let Candidates { present, others } = match candidates {
        Ok(candidates) => candidates,
        Err(reason) => return format!("product unchanged: {reason}"),
    };
    if let Some(Candidate { encodings, product }) = chosen.map(|chosen| &others[chosen]) {
        return format!(
            "product uses {} ({} per warp), with the result in `{}`: {} cycles per execution, {} cycles before",
            product.plan.instruction(),
            product.plan.count(),
            encodings.d,
            cycles(product),
            cycles(present)
        );
    }
    match others
        .iter()
        .min_by_key(|candidate| candidate.product.price)
    {
        None => {
            "product unchanged: no matrix instruction fits the tiles of the operands".to_owned()
        }
        Some(Candidate { product, .. }) => format!(
            "product unchanged: {} cycles per execution; {} would take {} cycles plus layout conversions, \
             which does not reduce the cost of the function",
            cycles(present),
            product.plan.instruction(),
            cycles(product)
        ),
    }
}

/// Returns the candidates of a product, each with its plan and price.
///
/// # Errors
/// Returns the reason why the product has no candidates.
fn candidates_of(
    dot: tt::Dot<'_, '_>,
    widened: u32,
    options: AssignmentOptions,
    plans: &mut PriceCache,
) -> Result<Candidates, String> {
    let tensors = [dot.a(), dot.b(), dot.c()].map(|value| TensorType::of(value.r#type()));
    let [Some(a), Some(b), Some(d)] = tensors else {
        return Err("the operands have no layouts".to_owned());
    };
    let layouts = Layouts::of(dot.op().context());
    let present = [&a, &b, &d].map(|tensor| layouts.tensor(tensor));
    let ([Ok(own_a), Ok(own_b), Ok(own_d)], Ok(encoding)) = (present, layouts.of_tensor(&d)) else {
        return Err("the operands have no layouts".to_owned());
    };
    if is_of_instruction(&encoding) {
        return Err(format!(
            "the result already has the layout of a matrix instruction, `{encoding}`"
        ));
    }
    let types = ProductTypes::of(dot).map_err(|error| error.message)?;
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
            "`{}` has no matrix instruction that multiplies `{}` by `{}` into `{}`{}",
            target.name,
            a.element,
            b.element,
            d.element,
            precision(dot, &types.factors)
        ));
    }
    let full = &own_d.full;
    let rank = d.shape.len();
    let shape = ProductTensors {
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
            others.push(Candidate { encodings, product });
            known.insert(linear);
        }
    }
    Ok(Candidates { present, others })
}

/// Returns the ratio of two widths of the operands' elements: the width in the product, divided by the width in
/// memory. For example, the ratio is 2 if the product multiplies f16 and an operand is loaded as i8.
///
/// If the operands are loaded with several widths, the narrowest one is used.
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

/// Returns the part of a message that names the input precision of a product, such as " with
/// `inputPrecision = ieee`". Returns an empty text if the product does not multiply f32 elements.
fn precision(dot: tt::Dot<'_, '_>, factors: &[[Number; 2]]) -> String {
    match factors {
        [[Number::F32, _]] => {
            format!(" with `inputPrecision = {}`", dot.input_precision().name())
        }
        _ => String::new(),
    }
}

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
