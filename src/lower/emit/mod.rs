//! IR builder with value numbering.
//!
//! A pure operation is reused if an equal operation dominates the insertion point. Index arithmetic therefore needs no
//! CSE pass. [`crate::ir::builders`] builds the operations.

mod attributes;
mod call;
mod constants;
mod control;
mod emitter;
mod float;
mod function;
mod integer;
mod memory;
mod parts;
#[cfg(test)]
pub(super) mod tests;
mod types;
mod upstream;

pub(crate) use crate::ir::builders::llvm::{FCmpPredicate, ICmpPredicate};
pub(crate) use crate::sys::build::block_arguments;
pub(crate) use control::Fork;
pub(crate) use emitter::{Emitter, NamedAttr, attributes_of};
pub(crate) use function::{
    ALIGN, ARGUMENTS, LOOP_ANNOTATION, NO_INLINE, declare_function, declare_shared_memory,
    declare_table, declare_text, escaped, is_lowered, is_of_output,
};
pub(crate) use memory::AccessFlags;
pub(crate) use types::pointer_type;
