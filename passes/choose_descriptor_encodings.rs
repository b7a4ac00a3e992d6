//! `choose-descriptor-encodings`: the layout in shared memory of the blocks that tensor descriptors describe.
//!
//! Host and kernel must agree on it, so it follows from the shape and the element type of a block alone
//! ([`NvmmaSharedEncoding::of_block`]). Buffers of products have the same encoding, except for operands that are
//! transposed in shared memory.

use super::Pass;
use super::block_copies::copies_blocks;
use super::context::PassContext;
use super::table::ChooseDescriptorEncodingsOptions;
use crate::ir::descriptor::with_block_encoding;
use crate::sys::build;
use crate::sys::{self, FollowUp, Reported};
#[cfg(doc)]
use linear_layout::encoding::NvmmaSharedEncoding;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;

impl Pass for ChooseDescriptorEncodingsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        let module = context.module();
        if !copies_blocks(target, module) {
            return Ok(Vec::new());
        }
        let mut types: FxHashMap<usize, (Type<'_>, Type<'_>)> = FxHashMap::default();
        for op in build::in_order(module) {
            let blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
            let arguments = blocks.flat_map(build::block_arguments);
            for value in build::results(op).into_iter().chain(arguments) {
                let old = value.r#type();
                let new = with_block_encoding(old);
                types.extend(new.map(|new| (sys::type_id(old), (old, new))));
            }
        }
        let types: Vec<(Type<'_>, Type<'_>)> = types.into_values().collect();
        if !types.is_empty() {
            context.rewriter().replace_parts(module, &[], &types);
        }
        Ok(Vec::new())
    }
}
