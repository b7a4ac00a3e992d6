//! What a pass is given.

use crate::ir::{Layouts, ModuleInfo, NoGpu};
use crate::target::Target;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;

/// The module that a pass runs on, and what is known of it.
pub(super) struct PassContext<'c, 'a> {
    module: OperationRef<'c, 'a>,
}

impl<'c, 'a> PassContext<'c, 'a> {
    pub(super) fn of(module: OperationRef<'c, 'a>) -> Self {
        Self { module }
    }

    /// The module.
    pub(super) fn module(&self) -> OperationRef<'c, 'a> {
        self.module
    }

    /// What the encodings and tensors of the module mean.
    pub(super) fn layouts(&self) -> &'c Layouts {
        Layouts::of(self.module.context())
    }

    /// The GPU that the module is for: the one that a user `asked` for, or else the one that it names.
    pub(super) fn gpu(&self, asked: Option<&str>) -> Result<&'static Target, NoGpu> {
        ModuleInfo::gpu(self.module, asked)
    }
}
