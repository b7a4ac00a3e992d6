//! The context of a pass: module, rewriter and cached analyses.

use super::inventory::Inventory;
use crate::analysis::axis::{AxisFacts, Indices};
use crate::ir::{GpuError, Layouts, ModuleInfo};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic, Reported, Rewriter};
use linear_layout::encoding::spelling::nearest;
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) struct PassContext<'c> {
    module: Op<'c>,
    rewriter: Rewriter<'c>,
    analyses: Analyses<'c>,
    indices: Indices,
}

/// An analysis of the module. The pass context caches the result until the module changes.
pub(super) trait Analysis<'c>: Sized {
    fn of(context: &PassContext<'c>) -> Self;
    fn slot<'s>(analyses: &'s Analyses<'c>) -> &'s Slot<Self>;
}

#[derive(Default)]
pub(super) struct Analyses<'c> {
    inventory: Slot<Inventory<'c>>,
    axis: Slot<AxisFacts>,
}

/// The cached result of an analysis, and the rewriter's change count when the analysis ran. `None` before the first
/// analysis.
pub(super) type Slot<A> = RefCell<Option<(u64, Rc<A>)>>;

impl<'c> Analysis<'c> for Inventory<'c> {
    fn of(context: &PassContext<'c>) -> Self {
        Inventory::of(context.module)
    }

    fn slot<'s>(analyses: &'s Analyses<'c>) -> &'s Slot<Self> {
        &analyses.inventory
    }
}

impl<'c> Analysis<'c> for AxisFacts {
    fn of(context: &PassContext<'c>) -> Self {
        Self::with(context.indices)
    }

    fn slot<'s>(analyses: &'s Analyses<'c>) -> &'s Slot<Self> {
        &analyses.axis
    }
}

impl<'c> PassContext<'c> {
    pub(super) fn of(rewriter: Rewriter<'c>, module: Op<'c>) -> Self {
        Self {
            module,
            rewriter,
            analyses: Analyses::default(),
            indices: Indices::Any,
        }
    }

    pub(super) fn assuming(mut self, indices: Indices) -> Self {
        self.indices = indices;
        self
    }

    pub(super) fn module(&self) -> Op<'c> {
        self.module
    }

    pub(super) fn rewriter(&self) -> Rewriter<'c> {
        self.rewriter
    }

    pub(super) fn get<A: Analysis<'c>>(&self) -> Rc<A> {
        let now = self.rewriter.changes();
        let slot = A::slot(&self.analyses);
        if let Some((then, known)) = &*slot.borrow()
            && *then == now
        {
            return Rc::clone(known);
        }
        let computed = Rc::new(A::of(self));
        slot.replace(Some((now, Rc::clone(&computed))));
        computed
    }

    pub(super) fn layouts(&self) -> &'c Layouts {
        Layouts::of(self.module.context())
    }

    /// Returns the GPU with the name `requested`. If that is `None`, returns the GPU that the module declares.
    pub(super) fn gpu(&self, requested: Option<&str>) -> Result<&'static Target, GpuError> {
        ModuleInfo::gpu(self.module, requested)
    }

    /// Returns the GPU that the module declares. If the module declares none, returns the default GPU for its
    /// number of lanes per warp.
    pub(super) fn default_gpu(&self) -> &'static Target {
        self.gpu(None).unwrap_or_else(|_| {
            let info = ModuleInfo::around(self.module);
            Target::default_for_lanes(info.map_or(32, |info| info.threads_per_warp))
        })
    }

    /// Returns the GPU with the name `requested`. If that is `None`, returns the GPU that the module declares.
    /// Errors are reported as diagnostics.
    ///
    /// # Errors
    /// Reports a missing or unknown target on the module.
    pub(super) fn known_gpu(&self, requested: Option<&str>) -> Result<&'static Target, Reported> {
        self.gpu(requested)
            .map_err(|error| self.fail(&error.into()))
    }

    pub(super) fn fail(&self, error: &Diagnostic) -> Reported {
        sys::emit_error(self.module, error)
    }

    /// Emits `error` on the module. If a name in `names` is similar to `given`, a note suggests the most similar
    /// one.
    pub(super) fn fail_with_nearest<'n>(
        &self,
        error: Diagnostic,
        given: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Reported {
        self.fail(&match nearest(given, names) {
            Some(near) => error.note(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    pub(super) fn remark(&self, op: Op<'c>, text: &str) {
        sys::emit_remark(op, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::Context;
    use melior::dialect::DialectRegistry;
    use melior::ir::{Attribute, Module};

    #[test]
    fn an_analysis_is_kept_until_something_changes() {
        let registry = DialectRegistry::new();
        melior::utility::register_all_dialects(&registry);
        crate::register_dialects(&registry);
        let mlir = Context::new();
        mlir.append_dialect_registry(&registry);
        mlir.load_all_available_dialects();
        let text = "func.func @f(%x: i32) {\n%a = arith.addi %x, %x : i32\nreturn\n}";
        let mut module = Module::parse(&mlir, text).expect("the test is valid");
        sys::rewrite(&mut module, |rewriter, module| {
            let context = PassContext::of(rewriter, module);
            let first = context.get::<Inventory<'_>>();
            assert_eq!(first.operations.len(), 4);
            assert!(Rc::ptr_eq(&first, &context.get()));
            let mut all = first.operations.iter();
            let add = all.find(|op| crate::ir::UpstreamKind::ArithAddI.is(**op));
            rewriter.erase(*add.expect("it is there"));
            let second = context.get::<Inventory<'_>>();
            assert_eq!(second.operations.len(), 3);
            rewriter.set_attribute(module, "my.mark", Attribute::unit(&mlir));
            assert!(!Rc::ptr_eq(&second, &context.get()));
        });
    }
}
