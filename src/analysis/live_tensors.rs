//! Live tensors: 32-bit words of registers per thread that tensors occupy at each operation.
//!
//! Tensors that come from memory, products, reductions and conversions count, and so do floating-point tensors. Address
//! arithmetic and masks do not: a back end computes them in front of the access that uses them.

use super::assignment::Role;
use super::effects::OpId;
use super::pressure::{is_loop, words};
use crate::ir::{Layouts, TensorType};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, operation_id};
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use rustc_hash::FxHashMap;

/// The number of registers that hold live tensors at each operation of a function.
pub(crate) struct LiveTensors {
    positions: FxHashMap<OpId, usize>,
    /// For each operation, the registers per thread, in 32-bit words, that hold the tensors live directly before
    /// it.
    words: Vec<u64>,
}

impl LiveTensors {
    pub(crate) fn of(function: Op<'_>, layouts: &Layouts) -> Self {
        let ops = build::in_order(function);
        let number = |(position, op): (usize, &Op<'_>)| (operation_id(*op), position);
        let positions: FxHashMap<OpId, usize> = ops.iter().enumerate().map(number).collect();
        // The position of the last operation in the regions of each operation.
        let mut ends: Vec<usize> = (0..ops.len()).collect();
        for (position, op) in ops.iter().enumerate().rev() {
            let parent = build::parent(*op);
            if let Some(parent) = parent.and_then(|parent| positions.get(&operation_id(parent))) {
                ends[*parent] = ends[*parent].max(ends[position]);
            }
        }
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
            let last = uses
                .map(|(user, _)| last_position(user, scope, &positions, &ends))
                .max();
            if let Some(last) = last.filter(|last| *last > start) {
                let words = i64::try_from(words).unwrap_or(i64::MAX >> 32);
                changes[start + 1] += words;
                changes[last + 1] -= words;
            }
        };
        for (position, op) in ops.iter().enumerate() {
            for value in build::results(*op) {
                add(value, ends[position], build::parent(*op));
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
        let [first, end] = [first, end].map(|op| self.positions[&operation_id(op)]);
        self.words[first..end].iter().copied().max().unwrap_or(0)
    }
}

/// Returns the last position at which a value is live because `user` uses it. `scope` is the operation whose region
/// defines the value.
///
/// If a loop contains `user` but not the definition of the value, the value stays live up to the end of the loop.
fn last_position(
    user: Op<'_>,
    scope: Option<Op<'_>>,
    positions: &FxHashMap<OpId, usize>,
    ends: &[usize],
) -> usize {
    let mut last = positions[&operation_id(user)];
    for op in build::ancestors(user).take_while(|op| Some(*op) != scope) {
        if let Some(position) = positions.get(&operation_id(op)).filter(|_| is_loop(op)) {
            last = last.max(ends[*position]);
        }
    }
    last
}

/// Returns true if a value is a tensor that is assumed to occupy registers. Pointers, integer block arguments, and
/// integers that can be recomputed do not count.
fn counts(value: Val<'_>) -> bool {
    let Some(tensor) = TensorType::of(value.r#type()) else {
        return false;
    };
    let is_address = sys::pointer(tensor.element).is_some();
    let role = sys::defining_operation(value).map(Role::of);
    !is_address && (tensor.element.is_float() || !role.is_none_or(is_recomputed))
}

const fn is_recomputed(role: Role) -> bool {
    matches!(role, Role::Source | Role::Elementwise | Role::View)
}
