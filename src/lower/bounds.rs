//! Marks for the simulator's bounds checks: extents of shared-memory allocations, and bounds of indices.
//!
//! A mark is an attribute of an identity `llvm.bitcast` and adds no instruction. Marks are necessary because the
//! lowered module has a single shared-memory variable.

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

pub(crate) struct Bounds<'c> {
    is_on: bool,
    op: Option<Op<'c>>,
    numbers: HashMap<usize, i64>,
    /// True while code is lowered that marks allocations which other warps have already marked. The simulator
    /// begins no new lifetime at such a mark.
    pub(crate) is_again: bool,
}

impl<'c> Bounds<'c> {
    pub(crate) fn new(is_on: bool) -> Self {
        Self {
            is_on,
            op: None,
            numbers: HashMap::new(),
            is_again: false,
        }
    }

    /// Sets the operation being lowered. Returns the previous one, for [`Self::leave`].
    pub(crate) fn enter(&mut self, op: Op<'c>) -> Option<Op<'c>> {
        self.op.replace(op)
    }

    /// Restores the operation that [`Self::enter`] returned.
    pub(crate) fn leave(&mut self, outer: Option<Op<'c>>) {
        self.op = outer;
    }

    /// Returns the byte offset of the current operation's allocation, and the attributes that describe the
    /// allocation to the simulator.
    ///
    /// Returns `None` if the operation has no allocation, or if the attributes are disabled.
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
        let again = self.is_again.then(|| (marks::AGAIN, e.unit()));
        let marks = [
            (key, e.string(&operation_name(op))),
            (marks::NUMBER, e.i64_attr(number)),
            (marks::BYTES, e.i64_attr(bytes.into())),
        ];
        Some((start, marks.into_iter().chain(again).collect()))
    }

    pub(crate) fn end(&self, e: &mut Emitter<'c>, address: Val<'c>) {
        if self.is_on {
            let marks = [(marks::END, e.unit())];
            e.marked_here(address, &marks);
        }
    }

    /// Attaches `bound` to `index` for the simulator's bounds check, unless `index` is statically below `bound`.
    ///
    /// `of` is the end of the simulator's message, for example `selects one of 4 buffers`.
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
