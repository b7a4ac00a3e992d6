//! `tt.scan`: its plan, which the walk carries out as a program over tuples.

use super::allocate::Asked;
use super::gpu::Gpu;
use super::plans::wrong;
use super::state::{Lowering, Outcome};
use super::tuples::{self, Operands};
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::machine;
use crate::plan::scan::{Scan, plan_scan};
use crate::plan::tuples::TupleProgram;
use crate::sys::Diagnostic;
use crate::sys::build::Op;

/// What a scan does in shared memory: what the conversions in its plan do.
pub(crate) fn effects(asked: &mut Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let scan = tt::Scan::of(op).expect("the dispatch goes by kind");
    let axis = usize::try_from(scan.axis()).unwrap_or_default();
    let reverse = scan.reverse();
    tuples::effects(
        asked,
        op,
        [axis, usize::from(reverse)],
        |_, gpu, operands| plan(gpu, axis, reverse, operands),
    )
}

/// Plans a scan, and has the machine prove the plan.
fn plan(
    gpu: Gpu,
    axis: usize,
    reverse: bool,
    operands: &Operands,
) -> Result<TupleProgram, Diagnostic> {
    let scan = Scan {
        src: &operands.layout.unique,
        axis,
        reverse,
        widths: &operands.widths,
        combine: operands.combine,
        target: gpu.target,
    };
    let plan = plan_scan(&scan).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_scan(&plan, &scan).map_err(wrong)?;
    Ok(plan.into_program())
}

/// Lowers `tt.scan`.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    tuples::lower(l, op)
}
