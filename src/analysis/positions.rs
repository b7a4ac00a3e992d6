//! Positions of operations in program order, for live ranges.

use super::effects::OpId;
use super::pressure::is_loop;
use crate::sys::build::{self, Op};
use crate::sys::operation_id;
use rustc_hash::FxHashMap;

/// The position of each operation of a function in program order. An operation precedes those in its regions.
pub(crate) struct Positions {
    positions: FxHashMap<OpId, usize>,
    /// For each operation, the position of the last operation in its regions, or its own.
    ends: Vec<usize>,
}

impl Positions {
    /// Numbers `ops`, the operations of a function in program order.
    pub(crate) fn of(ops: &[Op<'_>]) -> Self {
        let number = |(position, op): (usize, &Op<'_>)| (operation_id(*op), position);
        let positions: FxHashMap<OpId, usize> = ops.iter().enumerate().map(number).collect();
        let mut ends: Vec<usize> = (0..ops.len()).collect();
        for (position, op) in ops.iter().enumerate().rev() {
            let parent = build::parent(*op);
            if let Some(parent) = parent.and_then(|parent| positions.get(&operation_id(parent))) {
                ends[*parent] = ends[*parent].max(ends[position]);
            }
        }
        Self { positions, ends }
    }

    /// Returns the position of an operation.
    ///
    /// # Panics
    /// Panics if the operation is not in the function.
    pub(crate) fn start(&self, op: Op<'_>) -> usize {
        self.positions[&operation_id(op)]
    }

    /// Returns the position of the last operation in the regions of `op`, or of `op` if it has none.
    ///
    /// # Panics
    /// Panics if the operation is not in the function.
    pub(crate) fn end(&self, op: Op<'_>) -> usize {
        self.ends[self.start(op)]
    }

    /// Returns the last position at which a value is live because `user` uses it. `scope` is the operation whose region
    /// defines the value.
    ///
    /// If a loop contains `user` but not the definition of the value, the value stays live up to the end of the loop.
    pub(crate) fn last_live(&self, user: Op<'_>, scope: Option<Op<'_>>) -> usize {
        let mut last = self.start(user);
        for op in build::ancestors(user).take_while(|op| Some(*op) != scope) {
            if let Some(position) = self
                .positions
                .get(&operation_id(op))
                .filter(|_| is_loop(op))
            {
                last = last.max(self.ends[*position]);
            }
        }
        last
    }
}
