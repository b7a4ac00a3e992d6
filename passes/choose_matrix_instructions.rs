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
use super::respell::{attribute, in_order};
use super::rewrite_layouts::{drop_dead, functions};
use super::table::{ChooseMatrixInstructionsOptions, RemoveLayoutConversionsOptions};
use crate::analysis::assignment::{self, Alternative, Asked, Open, Plans, PricedProduct, Role};
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
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Pass for ChooseMatrixInstructionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let weighed = RemoveLayoutConversionsOptions {
            target: self.target.clone(),
            memory: self.memory.clone(),
            ..Default::default()
        };
        let asked = Asked {
            barrier_latency: BARRIER_LATENCY,
            ..weighed.asked(context)?
        };
        for function in functions(context.module()) {
            self.function(context, function, asked);
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

/// A product in its present layouts, or in others.
struct Way {
    /// None for the present layouts.
    encodings: Option<Encodings>,
    product: Arc<PricedProduct>,
}

/// The ways to carry out a product; the present one is first.
type Ways = Vec<Way>;

impl ChooseMatrixInstructionsOptions {
    fn function<'c>(&self, context: &PassContext<'c>, function: Op<'c>, asked: Asked) {
        drop_dead(context.rewriter(), function, &mut |_| ());
        let mut plans = Plans::default();
        let mut known: HashMap<Vec<usize>, Result<Arc<Ways>, String>> = HashMap::new();
        let mut products = Vec::new();
        for dot in in_order(function).into_iter().filter_map(tt::Dot::of) {
            let types = [dot.a(), dot.b(), dot.c()].map(|value| sys::type_id(value.r#type()));
            let widened = widened(dot);
            let key = [
                &types[..],
                &[dot.input_precision() as usize, widened as usize],
            ]
            .concat();
            let ways = known.entry(key);
            let ways =
                ways.or_insert_with(|| ways_of(dot, widened, asked, &mut plans).map(Arc::new));
            match ways {
                Ok(ways) => products.push((dot, Arc::clone(ways))),
                Err(reason) => {
                    self.explain(context, dot.op(), || format!("stays as it is: {reason}"));
                }
            }
        }
        if products.is_empty() {
            return;
        }
        let open: Vec<Open<'c>> = products
            .iter()
            .map(|(dot, ways)| open(*dot, ways))
            .collect();
        let mut kernel = assignment::read(function, asked.loop_weight, context.get());
        let chosen = assignment::choose(&mut kernel, asked, &mut plans, &open);
        for ((dot, ways), chosen) in products.iter().zip(chosen) {
            let (present, others) = ways.split_first().expect("it is laid out");
            match chosen.map(|at| &others[at]) {
                None => self.explain(context, dot.op(), || stays(present, others)),
                Some(way) => {
                    self.explain(context, dot.op(), || changes(present, way));
                    if let Some(encodings) = &way.encodings {
                        rewrite(context, *dot, encodings);
                    }
                }
            }
        }
    }

    fn explain<'c>(&self, context: &PassContext<'c>, op: Op<'c>, said: impl FnOnce() -> String) {
        if self.explain {
            context.remark(op, &said());
        }
    }
}

/// Returns the ways to carry out a product.
///
/// # Errors
/// The reason for which there is no choice.
fn ways_of(
    dot: tt::Dot<'_, '_>,
    widened: u32,
    asked: Asked,
    plans: &mut Plans,
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
            "it is laid out for an instruction, as `{encoding}`"
        ));
    }
    let types = ProductTypes::of(dot).map_err(|said| said.message)?;
    let own = [&own_a.unique, &own_b.unique, &own_d.unique];
    let product = plans.product(&types, own, asked);
    let mut ways = vec![Way {
        encodings: None,
        product: product.map_err(|error| error.to_string())?,
    }];
    let target = asked.target;
    let mut rows = target.matrix_instructions();
    rows.retain(|row| row.sum == types.sum && types.factors.contains(&row.factors));
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
        if let Ok(product) = plans.product(&types, [&linear[0], &linear[1], &linear[2]], asked)
            && [row.name.as_str(), &row.transposed().name].contains(&product.plan.instruction())
            && product.plan.is_converted() == [false; 3]
        {
            let encodings = Some(encodings);
            ways.push(Way { encodings, product });
            known.insert(linear);
        }
    }
    Ok(ways)
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

fn open<'c>(dot: tt::Dot<'c, 'c>, ways: &Ways) -> Open<'c> {
    let encodings = ways.iter().filter_map(|way| way.encodings.clone());
    let alternatives = encodings.map(|Encodings { a, b, d }| Alternative {
        uses: vec![a, b, Arc::clone(&d)],
        defs: vec![d],
    });
    Open {
        op: dot.op(),
        alternatives: alternatives.collect(),
    }
}

/// Says why a product is not changed.
fn stays(present: &Way, others: &[Way]) -> String {
    match others.iter().min_by_key(|way| way.product.price) {
        None => "stays as it is: no instruction takes its tiles".to_owned(),
        Some(best) => format!(
            "stays as it is: it costs {} cycles per execution; {} costs {}, plus conversions",
            cycles(present),
            best.product.plan.instruction(),
            cycles(best)
        ),
    }
}

/// Says how a product is carried out from now on.
fn changes(present: &Way, way: &Way) -> String {
    let encoding = way.encodings.as_ref().map(|encodings| &encodings.d);
    let plan = &way.product.plan;
    format!(
        "is multiplied by {} of {} in each warp{}: {} cycles per execution, {} before",
        plan.count(),
        plan.instruction(),
        encoding.map_or_else(String::new, |encoding| format!(", as `{encoding}`")),
        cycles(way),
        cycles(present)
    )
}

fn cycles(way: &Way) -> u64 {
    way.product.price.div_ceil(4)
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
