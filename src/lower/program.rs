//! Program and warp indices, CTA barriers, and programmatic dependent launch.

use super::gpu::GridDependency;
use super::state::{Lowering, Outcome};
use crate::analysis::effects::{Act, Effects};
use crate::ir::ops::{tt, ttg};
use crate::sys::Diagnostic;
use crate::sys::build::Op;

pub(crate) fn get_program_id<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::GetProgramId::of(op).expect("the dispatch goes by kind");
    let id = l.gpu.program_id(&mut l.e, view.axis() as usize);
    l.set(view.result(), [id]);
    Ok(())
}

pub(crate) fn get_num_programs<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::GetNumPrograms::of(op).expect("the dispatch goes by kind");
    let count = l.gpu.num_programs(&mut l.e, view.axis() as usize);
    l.set(view.result(), [count]);
    Ok(())
}

pub(crate) fn warp_id<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = ttg::WarpId::of(op).expect("the dispatch goes by kind");
    let warp = l.gpu.warp(&mut l.e);
    l.set(view.result(), [warp]);
    Ok(())
}

pub(crate) fn barrier_effects() -> Effects {
    Effects {
        acts: vec![Act::Barrier],
        ..Effects::default()
    }
}

const LOCAL: i64 = 1;

/// Lowers `ttg.barrier`.
///
/// If the operation names only the shared address space, the barrier orders only shared memory; otherwise it orders
/// all memory.
pub(crate) fn barrier<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let barrier = ttg::Barrier::of(op).expect("the dispatch goes by kind");
    if barrier.addr_space() == LOCAL {
        l.shared_barrier();
    } else {
        l.gpu.block_barrier(&mut l.e);
    }
    Ok(())
}

/// Lowers `rocdl.s.barrier` to a barrier that also orders shared memory, as the analyses assume.
pub(crate) fn wave_barrier<'c>(l: &mut Lowering<'c>, _: Op<'c>) -> Outcome {
    l.shared_barrier();
    Ok(())
}

pub(crate) fn grid_dependency_wait<'c>(l: &mut Lowering<'c>, _: Op<'c>) -> Outcome {
    grid_dependency(l, GridDependency::Wait)
}

pub(crate) fn launch_dependents<'c>(l: &mut Lowering<'c>, _: Op<'c>) -> Outcome {
    grid_dependency(l, GridDependency::LaunchDependents)
}

fn grid_dependency(l: &mut Lowering<'_>, step: GridDependency) -> Outcome {
    let name = l.gpu.target.name;
    l.gpu.grid_dependency(&mut l.e, step).ok_or_else(|| {
        Diagnostic::new(format!(
            "is not supported on {name}: programmatic dependent launch requires `cuda:90` or later"
        ))
        .note("remove the operation, and launch without programmatic dependencies")
    })
}
