//! What a pass is given.

use super::inventory::Inventory;
use crate::analysis::axis::AxisFacts;
use crate::ir::{GpuError, Layouts, ModuleInfo};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic, Reported, Rewriter};
use linear_layout::encoding::spelling::nearest;
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use std::cell::RefCell;
use std::rc::Rc;

/// The module that a pass runs on, what is known of it, and what changes it.
pub(super) struct PassContext<'c> {
    module: Op<'c>,
    rewriter: Rewriter<'c>,
    analyses: Analyses<'c>,
}

/// What is computed of a whole module, and kept until the module changes.
pub(super) trait Analysis<'c>: Sized {
    /// Computes it.
    fn of(module: Op<'c>) -> Self;
    /// Where it is kept.
    fn slot<'s>(analyses: &'s Analyses<'c>) -> &'s Slot<Self>;
}

/// A place for each analysis.
#[derive(Default)]
pub(super) struct Analyses<'c> {
    inventory: Slot<Inventory<'c>>,
    axis: Slot<AxisFacts>,
}

/// An analysis, and how often the rewriter had changed the module when it was made.
pub(super) type Slot<A> = RefCell<Option<(u64, Rc<A>)>>;

impl<'c> Analysis<'c> for Inventory<'c> {
    fn of(module: Op<'c>) -> Self {
        Inventory::of(module)
    }

    fn slot<'s>(analyses: &'s Analyses<'c>) -> &'s Slot<Self> {
        &analyses.inventory
    }
}

impl<'c> Analysis<'c> for AxisFacts {
    fn of(_: Op<'c>) -> Self {
        Self::default()
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
        }
    }

    /// Returns the module.
    pub(super) fn module(&self) -> Op<'c> {
        self.module
    }

    /// Returns what changes the module.
    pub(super) fn rewriter(&self) -> Rewriter<'c> {
        self.rewriter
    }

    /// Returns an analysis of the module as it is now: the one that is there, where nothing has changed since.
    pub(super) fn get<A: Analysis<'c>>(&self) -> Rc<A> {
        let now = self.rewriter.changes();
        let slot = A::slot(&self.analyses);
        if let Some((then, known)) = &*slot.borrow()
            && *then == now
        {
            return Rc::clone(known);
        }
        let made = Rc::new(A::of(self.module));
        slot.replace(Some((now, Rc::clone(&made))));
        made
    }

    /// Returns what the encodings and tensors of the module mean.
    pub(super) fn layouts(&self) -> &'c Layouts {
        Layouts::of(self.module.context())
    }

    /// Returns the GPU that the module is for: the one that a user `asked` for, or else the one that it names.
    pub(super) fn gpu(&self, asked: Option<&str>) -> Result<&'static Target, GpuError> {
        ModuleInfo::gpu(self.module, asked)
    }

    /// Returns the GPU that the module names, or else the usual one whose warps have as many lanes.
    pub(super) fn usual_gpu(&self) -> &'static Target {
        self.gpu(None).unwrap_or_else(|_| {
            let info = ModuleInfo::around(self.module);
            Target::default_for_lanes(info.map_or(32, |info| info.threads_per_warp))
        })
    }

    /// Returns the GPU likewise, for a pass that has to know it.
    ///
    /// # Errors
    /// There is no target, or none of this name.
    pub(super) fn known_gpu(&self, asked: Option<&str>) -> Result<&'static Target, Reported> {
        self.gpu(asked).map_err(|error| self.fail(&error.into()))
    }

    /// Tells the user what is wrong with the module, or with what was asked of it.
    pub(super) fn fail(&self, said: &Diagnostic) -> Reported {
        sys::emit_error(self.module, said)
    }

    /// The same, with the nearest of some names to one that was given.
    pub(super) fn fail_with_nearest<'n>(
        &self,
        said: Diagnostic,
        given: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Reported {
        self.fail(&match nearest(given, names) {
            Some(near) => said.note(format!("did you mean `{near}`?")),
            None => said,
        })
    }

    /// Tells the user something about an operation, at its place.
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
