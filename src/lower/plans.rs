//! Cache of verified plans. Operations with equal keys share one plan.

use super::allocate::PlanContext;
use crate::analysis::effects::{Effects, ScratchTradeoff};
use crate::ir::{Layouts, TensorLayout, TensorType};
use crate::sys::build::Op;
use crate::sys::{Diagnostic, operation_id};
use linear_layout::plan::program::Program;
use melior::ir::Type;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

/// Cached plans of a function. The plan type depends on the family of operations.
#[derive(Debug, Default)]
pub(crate) struct PlanCache {
    by_key: HashMap<(TypeId, u32, Vec<usize>), Arc<dyn Any + Send + Sync>>,
    by_op: HashMap<usize, Arc<dyn Any + Send + Sync>>,
    pub(crate) num_warps: u32,
}

impl PlanCache {
    /// Returns the plan of `op`. `None` if `op` has no plan, or if its plan is not of type `P`.
    pub(crate) fn get<P: Any + Send + Sync>(&self, op: Op<'_>) -> Option<Arc<P>> {
        let plan = Arc::clone(self.by_op.get(&operation_id(op))?);
        plan.downcast().ok()
    }

    /// Returns the plan for `key` and stores it as the plan of `op`. Calls `make` only if the cache contains no
    /// plan for the key, so equal keys must imply equal plans.
    ///
    /// # Errors
    /// Returns the error of `make`.
    pub(crate) fn plan<P: Any + Send + Sync>(
        &mut self,
        op: Op<'_>,
        key: Vec<usize>,
        make: impl FnOnce() -> Result<P, Diagnostic>,
    ) -> Result<Arc<P>, Diagnostic> {
        let key = (TypeId::of::<P>(), self.num_warps, key);
        let cached = self.by_key.get(&key).cloned();
        let plan = match cached.and_then(|cached| cached.downcast().ok()) {
            Some(cached) => cached,
            None => {
                let plan = Arc::new(make()?);
                self.by_key.insert(key, plan.clone());
                plan
            }
        };
        self.by_op.insert(operation_id(op), plan.clone());
        Ok(plan)
    }
}

/// The plan of an operation: the program that executes the operation, and the number of scratch bytes that a
/// baseline plan would need instead. A baseline plan needs less scratch memory. The baseline plans of all
/// operations determine the baseline allocation of the function.
#[derive(Debug)]
pub(crate) struct OpPlan {
    pub(crate) program: Program,
    /// Number of scratch bytes that the baseline plan needs. `None` if the operation cannot be planned again with
    /// less scratch memory.
    pub(crate) baseline_bytes: Option<u32>,
}

impl OpPlan {
    pub(crate) fn effects(&self, context: &mut PlanContext<'_>, op: Op<'_>) -> Effects {
        let effects = context.effects_of(op, &self.program, None);
        match self.baseline_bytes {
            Some(baseline_bytes) => effects.with_tradeoff(ScratchTradeoff {
                baseline_bytes,
                barriers: self.program.num_barriers(),
            }),
            None => effects,
        }
    }
}

/// Returns the layout of a tensor type. Fails if `type_` is not a tensor type.
pub(crate) fn layout_of(
    layouts: &Layouts,
    type_: Type<'_>,
) -> Result<Arc<TensorLayout>, Diagnostic> {
    let tensor = TensorType::of(type_).ok_or_else(|| {
        Diagnostic::new(format!(
            "requires a tensor of static shape, but got `{type_}`"
        ))
    })?;
    layouts
        .tensor(&tensor)
        .map_err(|reason| Diagnostic::new(reason.to_string()))
}

/// Returns a diagnostic for a plan that failed verification. It describes `fault` as an internal error.
pub(crate) fn wrong(fault: impl Display) -> Diagnostic {
    Diagnostic::new(format!(
        "internal error, please report it: the plan is wrong: {fault}"
    ))
}
