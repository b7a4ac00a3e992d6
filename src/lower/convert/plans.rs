//! The plan of each conversion of a function, proved.

use crate::ir::ops::ttg;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::lower::gpu::Gpu;
use crate::machine;
use crate::plan::{ConvertPlan, PlanOptions, Strategy, plan_conversion};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic, operation_id};
use melior::ir::ValueLike;
use std::collections::HashMap;
use std::sync::Arc;

/// Operand type, result type and whether data must stay in its warp: a kernel repeats conversions.
type Key = (usize, usize, bool);

/// The plans of a function's conversions.
#[derive(Debug, Default)]
pub(crate) struct Conversions {
    known: HashMap<Key, Arc<ConvertPlan>>,
    plans: HashMap<usize, Arc<ConvertPlan>>,
}

impl Conversions {
    /// Returns the plan of a conversion, where one could be made.
    pub(crate) fn get(&self, op: Op<'_>) -> Option<Arc<ConvertPlan>> {
        self.plans.get(&operation_id(op)).cloned()
    }

    /// Plans a conversion, and proves the plan.
    ///
    /// # Errors
    /// There is no plan.
    pub(crate) fn plan(
        &mut self,
        op: Op<'_>,
        layouts: &Layouts,
        gpu: Gpu,
    ) -> Result<Arc<ConvertPlan>, Diagnostic> {
        let conversion = ttg::ConvertLayout::of(op).expect("the dispatch goes by kind");
        let (from, to) = (conversion.src().r#type(), conversion.result().r#type());
        let forced = conversion.force_warp_shuffle();
        let key = (sys::type_id(from), sys::type_id(to), forced);
        let plan = match self.known.get(&key) {
            Some(known) => Arc::clone(known),
            None => {
                let layout = |type_| {
                    let tensor = TensorType::of(type_)
                        .ok_or_else(|| Diagnostic::new("not a tensor of static shape"))?;
                    layouts
                        .tensor(&tensor)
                        .map_err(|reason| Diagnostic::new(reason.to_string()))
                };
                let (src, dst) = (layout(from)?, layout(to)?);
                let bits = TensorType::of(from)
                    .and_then(|tensor| element_bits(tensor.element))
                    .ok_or_else(|| {
                        Diagnostic::new(format!("has elements of unknown width in `{from}`"))
                    })?;
                let mut options = PlanOptions::new();
                if forced {
                    // convert_layout_c1: the plan fails if data leaves its warp.
                    options = options.with_strategy(Strategy::Shuffle);
                }
                let plan = plan_conversion(&src.full, &dst.full, bits, gpu.target, &options)
                    .map_err(|e| Diagnostic::new(e.to_string()))?;
                // Nobody needs to trust the plan: the machine model runs it for every lane.
                machine::check_plan(plan.program(), &src.full, &dst.full, gpu.target).map_err(
                    |fault| {
                        Diagnostic::new(format!(
                            "internal error, please report it: the plan is wrong: {fault}"
                        ))
                    },
                )?;
                let plan = Arc::new(plan);
                self.known.insert(key, Arc::clone(&plan));
                plan
            }
        };
        self.plans.insert(operation_id(op), Arc::clone(&plan));
        Ok(plan)
    }
}
