//! The plans of a function's operations, proved; what repeats an operation on the same types shares its plan.

use crate::analysis::effects::{Choice, Effects};
use crate::ir::{Layouts, TensorLayout, TensorType};
use crate::sys::build::Op;
use crate::sys::{Diagnostic, operation_id};
use linear_layout::plan::program::Program;
use melior::ir::Type;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

/// The plans of a function's operations, whatever they are plans of.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    known: HashMap<(TypeId, Vec<usize>), Arc<dyn Any + Send + Sync>>,
    plans: HashMap<usize, Arc<dyn Any + Send + Sync>>,
}

impl Plans {
    /// Returns the plan of an operation, where one of this type could be made.
    pub(crate) fn get<P: Any + Send + Sync>(&self, op: Op<'_>) -> Option<Arc<P>> {
        let plan = Arc::clone(self.plans.get(&operation_id(op))?);
        plan.downcast().ok()
    }

    /// Returns the plan of an operation: the one that was made for an equal `key`, all that a plan depends on,
    /// or a new one.
    ///
    /// # Errors
    /// There is no plan.
    pub(crate) fn plan<P: Any + Send + Sync>(
        &mut self,
        op: Op<'_>,
        key: Vec<usize>,
        make: impl FnOnce() -> Result<P, Diagnostic>,
    ) -> Result<Arc<P>, Diagnostic> {
        let key = (TypeId::of::<P>(), key);
        let known = self.known.get(&key).cloned();
        let plan = match known.and_then(|known| known.downcast().ok()) {
            Some(known) => known,
            None => {
                let plan = Arc::new(make()?);
                self.known.insert(key, plan.clone());
                plan
            }
        };
        self.plans.insert(operation_id(op), plan.clone());
        Ok(plan)
    }
}

/// The program of an operation.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) program: Program,
    /// The bytes of shared memory that the plain way would take, where the operation can be planned anew with fewer.
    pub(crate) plain_bytes: Option<u32>,
}

impl Planned {
    /// Returns the effects of the operation.
    pub(crate) fn effects(&self) -> Effects {
        let effects = Effects::of_program(&self.program, None);
        match self.plain_bytes {
            Some(plain_bytes) => effects.with_choice(Choice {
                plain_bytes,
                barriers: self.program.num_barriers(),
            }),
            None => effects,
        }
    }
}

/// The layout of a type that must be a tensor's.
pub(crate) fn layout_of(
    layouts: &Layouts,
    type_: Type<'_>,
) -> Result<Arc<TensorLayout>, Diagnostic> {
    let tensor =
        TensorType::of(type_).ok_or_else(|| Diagnostic::new("not a tensor of static shape"))?;
    layouts
        .tensor(&tensor)
        .map_err(|reason| Diagnostic::new(reason.to_string()))
}

/// What is said where the machine finds a plan wrong. Nobody needs to trust one: it runs each for every lane.
pub(crate) fn wrong(fault: impl Display) -> Diagnostic {
    Diagnostic::new(format!(
        "internal error, please report it: the plan is wrong: {fault}"
    ))
}
