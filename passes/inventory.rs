//! The types and operations that a module uses.

use crate::ir::{Layouts, TensorType};
use crate::sys;
use crate::sys::build::{self, Op};
use linear_layout::encoding::Encoding;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockLike, RegionLike, Type, TypeLike, ValueLike};
use std::collections::HashMap;

/// The distinct tensor and buffer types of a module, and all its operations.
pub(super) struct Inventory<'c> {
    pub(super) tensors: Vec<TensorType<'c>>,
    pub(super) buffers: Vec<LaidOutBuffer<'c>>,
    pub(super) operations: Vec<Op<'c>>,
}

pub(super) struct LaidOutBuffer<'c> {
    pub(super) type_: Type<'c>,
    pub(super) encoding: Attribute<'c>,
    /// Shape of the buffer's allocation, without the leading multi-buffer dimensions.
    pub(super) shape: Vec<u64>,
}

impl<'c> LaidOutBuffer<'c> {
    fn of(type_: Type<'c>, layouts: &Layouts) -> Option<Self> {
        let buffer = sys::buffer(type_).filter(|buffer| buffer.memory_space.is_some())?;
        let encoding = buffer.encoding?;
        let spelled = layouts.encoding(encoding).ok().filter(|e| e.is_shared())?;
        let leading = buffer.alloc_shape.len().checked_sub(spelled.rank())?;
        Some(Self {
            type_,
            encoding,
            shape: buffer.alloc_shape[leading..].to_vec(),
        })
    }

    pub(super) fn with_encoding(&self, layouts: &Layouts, new: &Encoding) -> Option<Type<'c>> {
        let old = layouts.text_of_attribute(self.encoding);
        let text = layouts.text_of_type(self.type_);
        let context = sys::context_of(self.type_.context());
        Type::parse(context, &text.replace(&*old, &new.to_string()))
    }
}

impl<'c> Inventory<'c> {
    pub(super) fn of(root: Op<'c>) -> Self {
        let mut types: HashMap<usize, Type<'c>> = HashMap::new();
        let mut order = Vec::new();
        let mut operations = Vec::new();
        let mut stack = vec![root];
        while let Some(op) = stack.pop() {
            operations.push(op);
            let mut add = |type_: Type<'c>| {
                if types.insert(sys::type_id(type_), type_).is_none() {
                    order.push(type_);
                }
            };
            for i in 0..op.result_count() {
                add(build::result(op, i).r#type());
            }
            for region in op.regions() {
                let mut next = region.first_block();
                while let Some(block) = next {
                    for i in 0..block.argument_count() {
                        add(build::argument(block, i).r#type());
                    }
                    stack.extend(build::operations(block));
                    next = block.next_in_region();
                }
            }
        }
        let layouts = Layouts::of(root.context());
        let of_buffer = |type_: &Type<'c>| LaidOutBuffer::of(*type_, layouts);
        let buffers = order.iter().filter_map(of_buffer).collect();
        let tensors = order
            .into_iter()
            .filter_map(TensorType::of)
            .filter(|tensor| tensor.encoding.is_some())
            .collect();
        Self {
            tensors,
            buffers,
            operations,
        }
    }
}
