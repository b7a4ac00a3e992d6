//! Marks by which the simulator checks bounds: where allocations in shared memory begin and end, and what indices
//! are below.
//!
//! A mark is an attribute of a `llvm.bitcast` from a type to itself, so it changes no instruction. All of shared memory
//! is one variable in the lowered module; with the marks the simulator knows each allocation of it.

use super::emit::Named;
use super::state::Lowering;
use super::types::bits_of;
use crate::ir::ops::ttg;
use crate::machine::kernel::marks;
use crate::sys::build::{Op, Val};
use crate::sys::{self, operation_id};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::HashMap;

/// The operation that is being lowered, and the numbers of allocations that have been marked.
pub(crate) struct Bounds<'c> {
    is_on: bool,
    op: Option<Op<'c>>,
    numbers: HashMap<usize, i64>,
}

impl<'c> Bounds<'c> {
    pub(crate) fn new(is_on: bool) -> Self {
        Self {
            is_on,
            op: None,
            numbers: HashMap::new(),
        }
    }

    /// Notes that an operation is lowered next; returns the operation around it.
    pub(crate) fn enter(&mut self, op: Op<'c>) -> Option<Op<'c>> {
        self.op.replace(op)
    }

    /// Returns to the operation around.
    pub(crate) fn leave(&mut self, around: Option<Op<'c>>) {
        self.op = around;
    }
}

impl<'c> Lowering<'c> {
    /// The start of the allocation of the operation that is being lowered, in bytes, and its marks, where allocations
    /// are marked.
    pub(crate) fn own_allocation(&mut self) -> Option<(u32, Vec<Named<'c>>)> {
        let op = self.bounds.op.filter(|_| self.bounds.is_on)?;
        let (start, bytes) = self.allocation.place(op)?;
        let next = self.bounds.numbers.len() as i64;
        let numbers = &mut self.bounds.numbers;
        let number = *numbers.entry(operation_id(op)).or_insert(next);
        let is_buffer = ttg::LocalAlloc::of(op).is_some();
        let key = if is_buffer {
            marks::BUFFER
        } else {
            marks::SCRATCH
        };
        let name = self.e.string(&operation_name(op));
        let (number, bytes) = (self.e.i64_attr(number), self.e.i64_attr(bytes.into()));
        let marks = vec![(key, name), (marks::NUMBER, number), (marks::BYTES, bytes)];
        Some((start, marks))
    }

    /// Says that the allocation that an address points to is not used any more, where allocations are marked.
    pub(crate) fn end_allocation(&mut self, address: Val<'c>) {
        if self.bounds.is_on {
            let marks = [(marks::END, self.e.unit())];
            self.e.marked_here(address, &marks);
        }
    }

    /// An index that must be below a bound; `of` says of what, after the operation's name.
    pub(crate) fn bounded(&mut self, index: Val<'c>, bound: u64, of: &str) -> Val<'c> {
        let Some(op) = self.bounds.op.filter(|_| self.bounds.is_on) else {
            return index;
        };
        let is_always_below = bound.checked_shr(bits_of(index.r#type())) != Some(0)
            && bits_of(index.r#type()) < u64::BITS;
        let known = self.e.known_constant(index);
        if is_always_below || known.is_some_and(|index| index < bound) {
            return index;
        }
        let of = format!("`{}` {of}", operation_name(op));
        let of = self.e.string(&of);
        let bound = self.e.i64_attr(bound.cast_signed());
        let marks = [(marks::INDEX_BOUND, bound), (marks::INDEX_OF, of)];
        self.e.marked(index, &marks)
    }

    /// Indices along a dimension of so many elements.
    pub(crate) fn bounded_along(
        &mut self,
        indices: &[Val<'c>],
        axis: i64,
        size: u64,
    ) -> Vec<Val<'c>> {
        let of = format!("along dimension {axis} of {size} elements");
        indices
            .iter()
            .map(|index| self.bounded(*index, size, &of))
            .collect()
    }
}

fn operation_name(op: Op<'_>) -> String {
    sys::text(op.name().as_string_ref()).to_owned()
}
