//! Live tensors: 32-bit words of registers per thread that tensors occupy at each operation.
//!
//! Tensors that come from memory, products, reductions and conversions count, and so do computed floating-point tensors.
//! Address arithmetic and masks do not: a back end computes them in front of the access that uses them. Nor do constants
//! and broadcast scalars, whose elements share a register.

use super::assignment::Role;
use super::positions::Positions;
use super::pressure::words;
use crate::ir::{Layouts, TensorType};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};

/// The number of registers that hold live tensors at each operation of a function.
pub(crate) struct LiveTensors {
    positions: Positions,
    /// For each operation, the registers per thread, in 32-bit words, that hold the tensors live directly before
    /// it.
    words: Vec<u64>,
}

impl LiveTensors {
    pub(crate) fn of(function: Op<'_>, layouts: &Layouts) -> Self {
        let ops = build::in_order(function);
        let positions = Positions::of(&ops);
        let mut changes = vec![0_i64; ops.len() + 1];
        let mut add = |value: Val<'_>, start: usize, scope: Option<Op<'_>>| {
            let words = if counts(value) {
                words(layouts, value.r#type())
            } else {
                0
            };
            if words == 0 {
                return;
            }
            let uses = sys::uses(value).into_iter();
            let last = uses.map(|(user, _)| positions.last_live(user, scope)).max();
            if let Some(last) = last.filter(|last| *last > start) {
                let words = i64::try_from(words).unwrap_or(i64::MAX >> 32);
                changes[start + 1] += words;
                changes[last + 1] -= words;
            }
        };
        for (position, op) in ops.iter().enumerate() {
            for value in build::results(*op) {
                add(value, positions.end(*op), build::parent(*op));
            }
            for region in 0..op.region_count() {
                for block in build::blocks(*op, region) {
                    for value in build::block_arguments(block) {
                        add(value, position, Some(*op));
                    }
                }
            }
        }
        let mut live = 0;
        let words = changes.into_iter().take(ops.len()).map(|change| {
            live += change;
            live.unsigned_abs()
        });
        let words = words.collect();
        Self { positions, words }
    }

    /// Returns the maximum number of live 32-bit words per thread over all operations.
    pub(crate) fn most(&self) -> u64 {
        self.words.iter().copied().max().unwrap_or(0)
    }

    /// Returns the maximum number of live 32-bit words per thread directly before the operations from `first` to
    /// `end`, excluding `end`.
    pub(crate) fn peak(&self, first: Op<'_>, end: Op<'_>) -> u64 {
        let [first, end] = [first, end].map(|op| self.positions.start(op));
        self.words[first..end].iter().copied().max().unwrap_or(0)
    }
}

/// Returns true if a value is a tensor that is assumed to occupy registers. Pointers, constants, broadcast scalars,
/// integer block arguments, and integers that can be recomputed do not count.
fn counts(value: Val<'_>) -> bool {
    let Some(tensor) = TensorType::of(value.r#type()) else {
        return false;
    };
    let is_address = sys::pointer(tensor.element).is_some();
    let role = sys::defining_operation(value).map(Role::of);
    let is_shared = role == Some(Role::Source);
    let is_computed_once = role.is_some_and(|role| !role.is_repeatable());
    !is_address && !is_shared && (tensor.element.is_float() || is_computed_once)
}
