//! Floats: `tt.precise_divf`, `tt.approx_divf`, `tt.precise_sqrt`, `tt.clampf`.
//!
//! Precise operations become MLIR's division and square root, rounded to nearest. The approximate quotient is an
//! instruction of the target.

use super::state::{Lowering, Outcome};
use super::{elementwise, math};
use crate::ir::ops::PropagateNan;
use crate::ir::{OpView, UpstreamKind};
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
