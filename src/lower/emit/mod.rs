//! Emitting operations, each pure one once.
//!
//! A pure operation with the same operands, attributes and type is emitted once per block and
//! seen by the blocks that it dominates, so shared index arithmetic needs no clean-up pass afterwards.
//!
//! The other files have methods for what is emitted in several places, by kind; what they emit comes from
//! [`crate::ir::builders`], as it does in [`super::gpu`].

mod attributes;
mod call;
mod constants;
mod control;
mod emitter;
mod fast;
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
pub(crate) use control::Fork;
pub(crate) use emitter::{Emitter, Named, attributes_of, block_arguments};
pub(crate) use function::{
    ALIGN, ARGUMENTS, LOOP_ANNOTATION, NO_INLINE, declare_function, declare_shared_memory,
    declare_table, declare_text, escaped, is_lowered, is_of_output,
};
pub(crate) use memory::Usage;
pub(crate) use types::pointer_type;
