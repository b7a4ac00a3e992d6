//! Emitting operations, each pure one once.
//!
//! A pure operation with the same operands, attributes and type is emitted once per block and
//! seen by the blocks that it dominates, so shared index arithmetic needs no clean-up pass afterwards.
//!
//! The other files have a method for each operation in use, by kind: names of operations and attributes
//! are written there, and those of one maker's dialect in [`super::gpu`], and nowhere else.

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

pub(crate) use emitter::{Emitter, Named, attributes_of, block_arguments};
pub(crate) use float::FloatPredicate;
pub(crate) use function::{
    ALIGN, ARGUMENTS, LOOP_ANNOTATION, NO_INLINE, declare_function, declare_shared_memory,
    declare_table, declare_text, escaped, is_lowered, is_of_output,
};
pub(crate) use integer::IntPredicate;
pub(crate) use memory::{AtomicOperation, Ordering, Usage};
pub(crate) use types::pointer_type;
