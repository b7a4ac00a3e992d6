//! The walk over a function's blocks in dominator-tree order, definitions before uses.

use super::blocks::BlockGraph;
use super::state::Lowering;
use crate::sys::build::{self, Blk, Op};
use crate::sys::{self, Diagnostic};
use melior::ir::operation::OperationLike;

/// A step of the walk: enter the block with an index, or leave the current block.
enum Visit {
    Enter(usize),
    Leave,
}

impl<'c> Lowering<'c> {
    /// Lowers the blocks of a region. The code of the first block is appended to `entry`.
    ///
    /// The arguments of the first block must already have values. New blocks are inserted after `entry`.
    pub(crate) fn blocks(&mut self, graph: &BlockGraph<'c>, entry: Blk<'c>) {
        let Some((first, others)) = graph.order().split_first() else {
            return;
        };
        self.targets
            .insert(sys::block_id(graph.block(*first)), entry);
        let mut last = entry;
        for number in others {
            let old = graph.block(*number);
            let new = self.add_block(last, old);
            last = new;
            self.targets.insert(sys::block_id(old), new);
        }
        let dominated = graph.dominated();
        self.block(graph.block(*first));
        let below = |number: usize| dominated[number].iter().rev().map(|n| Visit::Enter(*n));
        let mut stack: Vec<Visit> = below(*first).collect();
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Leave => self.e.leave_block(),
                Visit::Enter(number) => {
                    let old = graph.block(number);
                    self.enter(self.targets[&sys::block_id(old)], old);
                    self.block(old);
                    stack.push(Visit::Leave);
                    stack.extend(below(number));
                }
            }
        }
    }

    pub(crate) fn block(&mut self, block: Blk<'c>) {
        for op in build::operations(block) {
            self.operation(op);
        }
    }

    /// Emits the barrier and the fence that an operation needs, and lowers the operation.
    ///
    /// After an error, the results become placeholders. An operation that is inlined several times reports its
    /// error once.
    pub(crate) fn operation(&mut self, op: Op<'c>) {
        self.e.location = op.location();
        if self.allocation.needs_barrier(op) {
            self.shared_barrier();
        }
        if self.allocation.needs_fence(op) {
            self.gpu.proxy_fence(&mut self.e);
        }
        self.lower_unordered(op);
    }

    /// Lowers an operation, but does not emit the barrier and the fence that it may need.
    pub(crate) fn lower_unordered(&mut self, op: Op<'c>) {
        let outer = self.bounds.enter(op);
        let outcome = (self.lower)(self, op);
        self.bounds.leave(outer);
        if let Err(diagnostic) = outcome {
            self.report(op, &diagnostic);
            self.set_placeholders(op);
        }
    }

    /// Reports an error of an operation, unless an error of this operation was already reported.
    pub(crate) fn report(&mut self, op: Op<'c>, diagnostic: &Diagnostic) {
        if self.refused.insert(sys::operation_id(op)) {
            self.emitted = Some(sys::emit_error(op, diagnostic));
        }
    }
}
