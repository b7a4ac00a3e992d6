//! Floats: `tt.precise_divf`, `tt.approx_divf`, `tt.precise_sqrt`, `tt.clampf`.
//!
//! Precise operations become MLIR's division and square root, rounded to nearest. The approximate quotient is an
//! instruction of the target.

use super::state::{Lowering, Outcome};
use super::{elementwise, math};
use crate::ir::ops::{PropagateNan, arith, tt};
use crate::ir::{OpView, UpstreamKind, float_constant};
use crate::sys;
use crate::sys::build::{Op, Val};
use melior::ir::ValueLike;

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    match OpView::of(op) {
        Some(OpView::TtPreciseDivF(_)) => elementwise::lower_as(l, op, UpstreamKind::ArithDivF),
        Some(OpView::TtPreciseSqrt(_)) => math::lower_as(l, op, UpstreamKind::MathSqrt),
        Some(OpView::TtApproxDivF(op)) => {
            let (a, b) = (l.get(op.x()), l.get(op.y()));
            let quotients: Vec<Val<'c>> = a
                .iter()
                .zip(b.iter())
                .map(|(a, b)| l.gpu.approximate_quotient(&mut l.e, *a, *b))
                .collect();
            l.set(op.result(), quotients);
            Ok(())
        }
        Some(OpView::TtClampF(view)) => {
            elementwise::check_formats(op, UpstreamKind::ArithMaxNumF)?;
            if is_symmetric(&view) {
                let [x, limit] = [view.x(), view.max()].map(|value| l.get(value));
                let propagates_nan = view.propagate_nan() == PropagateNan::All;
                let pairs = x.iter().zip(limit.iter());
                let clipped: Option<Vec<Val<'c>>> = pairs
                    .map(|(x, limit)| l.gpu.clip(&mut l.e, *x, *limit, propagates_nan))
                    .collect();
                if let Some(clipped) = clipped {
                    l.set(view.result(), clipped);
                    return Ok(());
                }
            }
            // The first pair of operations ignores NaN, the second pair propagates it.
            let (most, least) = match view.propagate_nan() {
                PropagateNan::None => (UpstreamKind::ArithMaxNumF, UpstreamKind::ArithMinNumF),
                PropagateNan::All => (UpstreamKind::ArithMaximumF, UpstreamKind::ArithMinimumF),
            };
            let [x, low, high] = [view.x(), view.min(), view.max()].map(|value| l.get(value));
            let bounded: Vec<Val<'c>> = (0..x.len())
                .map(|r| {
                    let type_ = x[r].r#type();
                    let above = l.e.upstream(most, &[x[r], low[r]], type_, &[]);
                    l.e.upstream(least, &[above, high[r]], type_, &[])
                })
                .collect();
            l.set(view.result(), bounded);
            Ok(())
        }
        _ => unreachable!("the dispatch goes by kind"),
    }
}

/// Returns true if the bounds of a `tt.clampf` are `-limit` and `limit`, as constants or as `0 - limit` and `limit`. These
/// are the bounds for which Triton uses one instruction, which differs from two in the sign of the result for a NaN.
fn is_symmetric(clamp: &tt::ClampF<'_, '_>) -> bool {
    let (low, high) = (clamp.min(), clamp.max());
    if let (Some(low), Some(high)) = (float_constant(low), float_constant(high)) {
        return low == -high && high >= 0.0;
    }
    sys::defining_operation(low)
        .and_then(arith::SubF::of)
        .is_some_and(|negated| negated.rhs() == high && float_constant(negated.lhs()) == Some(0.0))
}
