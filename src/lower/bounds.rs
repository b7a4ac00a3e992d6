//! Marks from which the simulator checks bounds: the extents of allocations in shared memory, and the bounds of
//! indices.
//!
//! A mark is an attribute of an identity `llvm.bitcast`, so it changes no instruction. The lowered module has a single
//! shared-memory variable; the marks tell the simulator where each allocation starts and ends.

use super::allocate::SharedMemory;
use super::emit::{Emitter, NamedAttr};
use super::types::bits_of;
use crate::ir::ops::ttg;
use crate::sys::build::{Op, Val};
use crate::sys::{self, operation_id};
use gpu_sim::marks;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::HashMap;

/// The operation being lowered, and the numbers assigned to marked allocations.
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

    /// Sets the operation that is lowered next; returns the enclosing one.
    pub(crate) fn enter(&mut self, op: Op<'c>) -> Option<Op<'c>> {
        self.op.replace(op)
    }

    /// Restores the enclosing operation.
    pub(crate) fn leave(&mut self, outer: Option<Op<'c>>) {
        self.op = outer;
    }

    /// Returns the offset in bytes of the current operation's allocation, and the marks to attach to its address, if
    /// marks are enabled.
    pub(crate) fn allocation(
        &mut self,
        e: &Emitter<'c>,
        memory: &SharedMemory,
    ) -> Option<(u32, Vec<NamedAttr<'c>>)> {
        let op = self.op.filter(|_| self.is_on)?;
        let (start, bytes) = memory.place(op)?;
        let next = i64::try_from(self.numbers.len()).ok()?;
        let number = *self.numbers.entry(operation_id(op)).or_insert(next);
        let key = if ttg::LocalAlloc::of(op).is_some() {
            marks::BUFFER
        } else {
            marks::SCRATCH
        };
        let marks = vec![
            (key, e.string(&operation_name(op))),
            (marks::NUMBER, e.i64_attr(number)),
            (marks::BYTES, e.i64_attr(bytes.into())),
        ];
        Some((start, marks))
    }

    /// Marks the end of an allocation's lifetime, if marks are enabled.
    pub(crate) fn end(&self, e: &mut Emitter<'c>, address: Val<'c>) {
        if self.is_on {
            let marks = [(marks::END, e.unit())];
            e.marked_here(address, &marks);
        }
    }

    /// Marks an index that must be below `bound`, unless the index is statically known to be. The simulator's message
    /// is the operation's name followed by `of`.
    pub(crate) fn index(
        &self,
        e: &mut Emitter<'c>,
        index: Val<'c>,
        bound: u64,
        of: &str,
    ) -> Val<'c> {
        let Some(op) = self.op.filter(|_| self.is_on) else {
            return index;
        };
        let values = 1u64.checked_shl(bits_of(index.r#type()));
        let is_always_below = values.is_some_and(|values| values <= bound);
        if is_always_below || e.known_constant(index).is_some_and(|index| index < bound) {
            return index;
        }
        let of = format!("`{}` {of}", operation_name(op));
        let marks = [
            (marks::INDEX_BOUND, e.i64_attr(bound.cast_signed())),
            (marks::INDEX_OF, e.string(&of)),
        ];
        e.marked(index, &marks)
    }
}

fn operation_name(op: Op<'_>) -> String {
    sys::text(op.name().as_string_ref()).to_owned()
}
