//! `tt.histogram`, lowered to shared-memory atomics or to ballots.
//!
//! Elements out of range are not counted on any GPU.

use super::allocate::PlanContext;
use super::gpu::Gpu;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, ProgramInputs};
use super::types::bits_of;
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::histogram::{Histogram, HistogramPlan, plan_histogram};
use melior::ir::ValueLike;

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let histogram = tt::Histogram::of(op).expect("the dispatch goes by kind");
    let types = [histogram.src(), histogram.result()].map(|value| sys::type_id(value.r#type()));
    let key = vec![types[0], types[1], usize::from(histogram.mask().is_some())];
    let (layouts, gpu) = (context.layouts, context.gpu);
    let plan = context
        .plans
        .plan(op, key, || plan(layouts, gpu, histogram))?;
    Ok(context.effects_of(op, plan.program(), None))
}

fn plan(
    layouts: &Layouts,
    gpu: Gpu,
    histogram: tt::Histogram<'_, '_>,
) -> Result<HistogramPlan, Diagnostic> {
    let src = layout_of(layouts, histogram.src().r#type())?;
    let dst = layout_of(layouts, histogram.result().r#type())?;
    let bits = TensorType::of(histogram.src().r#type()).and_then(|t| element_bits(t.element));
    let has_others = bits.is_none_or(|bits| dst.unique.total_out_bits() < bits as usize);
    let histogram = Histogram {
        src: &src.unique,
        dst: &dst.unique,
        is_masked: has_others || histogram.mask().is_some(),
        target: gpu.target,
    };
    let plan = plan_histogram(&histogram).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_histogram(&plan, &histogram).map_err(wrong)?;
    Ok(plan)
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let histogram = tt::Histogram::of(op).expect("the dispatch goes by kind");
    let Some((plan, offset)) = l.allocation.plan::<HistogramPlan>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let values = l.get(histogram.src());
    let masks = histogram.mask().map(|mask| l.get(mask));
    let (mut sources, mut counted) = (Vec::new(), Vec::new());
    for register in plan.registers() {
        let mask = masks.as_ref().map(|masks| masks[*register]);
        let value = bounded(l, values[*register], mask, plan.bins_log2());
        let is_bin = is_below(l, value, plan.bins_log2());
        sources.push(as_index(l, value));
        counted.extend(both(l, mask, is_bin));
    }
    sources.extend(counted);
    let (i1, i32) = (l.e.types.i1, l.e.types.i32);
    let inputs = ProgramInputs::new(&sources, vec![i32, i1], offset);
    let counts = steps::emit(l, plan.program(), inputs)?;
    let element = l.types_of(histogram.result().r#type())?[0];
    let results: Vec<Val<'c>> = counts
        .into_iter()
        .map(|count| match bits_of(element) {
            ..32 => l.e.trunc(count, element),
            32 => count,
            _ => l.e.zext(count, element),
        })
        .collect();
    l.set(histogram.result(), results);
    Ok(())
}

/// Annotates `value` as an index below `2^bins_log2`, for the simulator's bounds check.
///
/// The check is skipped where `mask` is false.
fn bounded<'c>(
    l: &mut Lowering<'c>,
    value: Val<'c>,
    mask: Option<Val<'c>>,
    bins_log2: u32,
) -> Val<'c> {
    let bins = 1u64 << bins_log2;
    let bounded = l.bounded(value, bins, &format!("counts in {bins} bins"));
    match mask {
        Some(mask) => l.e.select(mask, bounded, value),
        None => bounded,
    }
}

/// Zero-extends or truncates to `i32`. The caller masks out values that do not fit.
fn as_index<'c>(l: &mut Lowering<'c>, value: Val<'c>) -> Val<'c> {
    let i32 = l.e.types.i32;
    match bits_of(value.r#type()) {
        ..32 => l.e.zext(value, i32),
        32 => value,
        _ => l.e.trunc(value, i32),
    }
}

/// Emits the test `value < 2^log2`. Returns `None` if every value of the type passes it.
fn is_below<'c>(l: &mut Lowering<'c>, value: Val<'c>, log2: u32) -> Option<Val<'c>> {
    if log2 >= bits_of(value.r#type()) {
        return None;
    }
    let above = l.e.lshr(value, log2);
    Some(l.e.is_zero(above))
}

/// Returns `a & b`. `None` means true.
fn both<'c>(l: &mut Lowering<'c>, a: Option<Val<'c>>, b: Option<Val<'c>>) -> Option<Val<'c>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(l.e.and(a, b)),
        (a, b) => a.or(b),
    }
}
