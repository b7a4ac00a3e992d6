//! Loop annotations. MLIR's conversion of loops to branches sets the discardable attribute `llvm.loop_annotation`,
//! while the translation to LLVM IR reads the property `loop_annotation`.

use crate::sys;
use crate::sys::build;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, RegionLike};

const BESIDE: &str = "llvm.loop_annotation";
const WITHIN: &str = "loop_annotation";

/// Replaces the attribute `llvm.loop_annotation` of each branch by the property `loop_annotation`.
pub(super) fn annotate(module: &mut Module<'_>) {
    sys::rewrite(module, |rewriter, module| {
        let mut rest = vec![module];
        while let Some(op) = rest.pop() {
            for region in op.regions() {
                let mut next = region.first_block();
                while let Some(block) = next {
                    rest.extend(build::operations(block));
                    next = block.next_in_region();
                }
            }
            let name = op.name();
            let is_branch = matches!(
                name.as_string_ref().as_str(),
                Ok("llvm.br" | "llvm.cond_br")
            );
            if let Some(annotation) = op.attribute(BESIDE).ok().filter(|_| is_branch) {
                rewriter.set_attribute(op, WITHIN, annotation);
                rewriter.remove_attribute(op, BESIDE);
            }
        }
    });
}
