//! Emission of conditionals, loops, switches and returns as basic blocks.
//!
//! A new block follows the current block, so the textual order follows control flow:
//!
//! ```text
//! fork: begin -> then -> join, and begin -> join or begin -> else -> join
//! loop: begin -> header -> body -> header, and header -> end
//! ```

use super::emitter::{Emitter, attributes_of};
use super::function::LOOP_ANNOTATION as OF_LOOP;
use crate::ir::UpstreamKind;
use crate::ir::builders::llvm;
use crate::sys::build::{Blk, Op, Val, block_arguments};
use melior::ir::{Attribute, Type, ValueLike};

/// An open conditional. The insertion point is in the `then` branch.
#[must_use]
pub(crate) struct Fork<'c> {
    condition: Val<'c>,
    begin: Blk<'c>,
    then: Blk<'c>,
}

/// An open conditional. The insertion point is in the `else` branch.
#[must_use]
pub(crate) struct ElseBranch<'c> {
    fork: Fork<'c>,
    /// The last block of the `then` branch, and the values that this branch yields.
    end: (Blk<'c>, Vec<Val<'c>>),
    else_: Blk<'c>,
}

/// An open loop. The insertion point is in the header.
#[must_use]
pub(crate) struct LoopHeader<'c> {
    header: Blk<'c>,
}

/// An open loop. The insertion point is in the body.
#[must_use]
pub(crate) struct LoopBody<'c> {
    header: Blk<'c>,
    /// Last block of the header, and the loop condition.
    test: (Blk<'c>, Val<'c>),
    body: Blk<'c>,
}

/// A switch under construction. Cases can be added until [`Emitter::end_switch`] completes it.
#[must_use]
pub(crate) struct Switch<'c> {
    begin: Blk<'c>,
    /// First block of each case, default case first.
    cases: Vec<Blk<'c>>,
    /// Last block of the most recently ended case.
    end: Blk<'c>,
    join: Blk<'c>,
}

impl<'c> Emitter<'c> {
    pub(crate) fn add_block(&self, before: Blk<'c>, arguments: &[Type<'c>]) -> Blk<'c> {
        let typed: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        self.rewriter.add_block(before, &typed)
    }

    pub(crate) fn next_block(&self, arguments: &[Type<'c>]) -> Blk<'c> {
        self.add_block(self.block, arguments)
    }

    /// Moves the insertion point to `block`, which the current block dominates. [`Self::leave_block`] moves it
    /// back.
    pub(crate) fn enter_block(&mut self, block: Blk<'c>) {
        let outer = std::mem::replace(&mut self.block, block);
        self.outer.push((outer, Vec::new()));
    }

    /// Moves the insertion point back to the block that was current before [`Self::enter_block`].
    pub(crate) fn leave_block(&mut self) {
        let (block, added) = self.outer.pop().expect("a block was entered");
        self.block = block;
        // Values of that block do not dominate the insertion point.
        for key in added {
            self.available.remove(&key);
        }
    }

    /// Permanently moves the insertion point to `block`. Values of the current block stay available.
    pub(crate) fn continue_in(&mut self, block: Blk<'c>) {
        self.block = block;
    }

    /// Opens a conditional, and moves the insertion point to its `then` branch.
    pub(crate) fn fork(&mut self, condition: Val<'c>) -> Fork<'c> {
        let begin = self.block;
        let then = self.next_block(&[]);
        self.enter_block(then);
        Fork {
            condition,
            begin,
            then,
        }
    }

    /// Ends the `then` branch with the results `values`, and enters the `else` block.
    pub(crate) fn begin_else(&mut self, fork: Fork<'c>, values: &[Val<'c>]) -> ElseBranch<'c> {
        let end = (self.block, values.to_vec());
        let else_ = self.next_block(&[]);
        self.leave_block();
        self.enter_block(else_);
        ElseBranch { fork, end, else_ }
    }

    /// Ends the `else` branch with the results `values`. Returns the joined results.
    pub(crate) fn join(&mut self, branch: ElseBranch<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let ElseBranch {
            fork,
            end: (end, yielded),
            else_,
        } = branch;
        let join = self.join_block(values);
        self.branch(join, values, None);
        self.leave_block();
        self.continue_in(end);
        self.branch(join, &yielded, None);
        self.continue_in(fork.begin);
        self.branch_if(fork.condition, (fork.then, &[]), (else_, &[]));
        self.continue_in(join);
        block_arguments(join)
    }

    /// Ends a conditional without an `else` branch. Returns the results, which are `values` if the condition was
    /// true and `fallback` otherwise.
    pub(crate) fn join_or(
        &mut self,
        Fork {
            condition, then, ..
        }: Fork<'c>,
        values: &[Val<'c>],
        fallback: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let join = self.join_block(values);
        self.branch(join, values, None);
        self.leave_block();
        self.branch_if(condition, (then, &[]), (join, fallback));
        self.continue_in(join);
        block_arguments(join)
    }

    fn join_block(&self, values: &[Val<'c>]) -> Blk<'c> {
        let types: Vec<Type<'c>> = values.iter().map(ValueLike::r#type).collect();
        self.next_block(&types)
    }

    /// Opens a loop, and moves the insertion point to its header. Returns the loop-carried values, which are
    /// `initial` in the first iteration.
    pub(crate) fn begin_loop(&mut self, initial: &[Val<'c>]) -> (LoopHeader<'c>, Vec<Val<'c>>) {
        let header = self.join_block(initial);
        self.branch(header, initial, None);
        self.continue_in(header);
        (LoopHeader { header }, block_arguments(header))
    }

    /// Ends the header and enters the body. If `condition` is false, the loop ends.
    pub(crate) fn begin_body(
        &mut self,
        LoopHeader { header }: LoopHeader<'c>,
        condition: Val<'c>,
    ) -> LoopBody<'c> {
        let test = (self.block, condition);
        let body = self.next_block(&[]);
        self.enter_block(body);
        LoopBody { header, test, body }
    }

    /// Ends the body with the loop-carried values `carried`, and continues after the loop.
    pub(crate) fn end_loop(
        &mut self,
        LoopBody {
            header,
            test: (test, condition),
            body,
        }: LoopBody<'c>,
        carried: &[Val<'c>],
        annotation: Option<Attribute<'c>>,
    ) {
        let end = self.next_block(&[]);
        self.branch(header, carried, annotation);
        self.leave_block();
        self.continue_in(test);
        self.branch_if(condition, (body, &[]), (end, &[]));
        self.continue_in(end);
    }

    pub(crate) fn switch(&mut self, types: &[Type<'c>]) -> Switch<'c> {
        Switch {
            begin: self.block,
            cases: Vec::new(),
            end: self.block,
            join: self.next_block(types),
        }
    }

    /// Begins the next case, and moves the insertion point into it. The first case is the default case.
    pub(crate) fn begin_case(&mut self, switch: &mut Switch<'c>) {
        let case = self.add_block(switch.end, &[]);
        switch.cases.push(case);
        self.enter_block(case);
    }

    pub(crate) fn end_case(&mut self, switch: &mut Switch<'c>, values: &[Val<'c>]) {
        switch.end = self.block;
        self.branch(switch.join, values, None);
        self.leave_block();
    }

    /// Ends the switch over `value`, and returns its results. `labels` are the values that select the cases after
    /// the default case.
    pub(crate) fn end_switch(
        &mut self,
        switch: Switch<'c>,
        value: Val<'c>,
        labels: &[i64],
    ) -> Vec<Val<'c>> {
        let Switch {
            begin, cases, join, ..
        } = switch;
        self.continue_in(begin);
        if labels.is_empty() {
            self.branch(cases[0], &[], None);
            self.continue_in(join);
            return block_arguments(join);
        }
        let type_ = value.r#type();
        let each: Vec<String> = labels.iter().map(i64::to_string).collect();
        let literals = self.parsed(&format!(
            "dense<[{}]> : vector<{}x{type_}>",
            each.join(", "),
            labels.len()
        ));
        let operands: Vec<&[Val<'c>]> = vec![&[]; labels.len()];
        let switch = llvm::switch(value, &[], &operands, cases[0], &cases[1..]);
        self.operation(switch.case_values(literals));
        self.continue_in(join);
        block_arguments(join)
    }

    /// Emits a `cf` branch in the LLVM dialect. `head` contains the condition or the switched value, and is empty
    /// for an unconditional branch. All attributes except segment sizes are kept.
    pub(crate) fn rebuild_branch(
        &mut self,
        op: Op<'c>,
        head: &[Val<'c>],
        targets: &[(Blk<'c>, Vec<Val<'c>>)],
    ) {
        const SEGMENTS: [&str; 2] = ["case_operand_segments", "operandSegmentSizes"];
        let mut kept = attributes_of(op);
        kept.retain(|(key, _)| !SEGMENTS.contains(key));
        for (key, _) in kept.iter_mut().filter(|(key, _)| *key == OF_LOOP) {
            *key = "loop_annotation";
        }
        let blocks: Vec<Blk<'c>> = targets.iter().map(|(block, _)| *block).collect();
        let passed: Vec<&[Val<'c>]> = targets.iter().map(|(_, values)| &**values).collect();
        match UpstreamKind::of(op) {
            Some(UpstreamKind::CfBranch) => {
                self.operation(llvm::br(passed[0], blocks[0]).with_attributes(&kept))
            }
            Some(UpstreamKind::CfSwitch) => {
                let (passed, more) = (passed[0], &passed[1..]);
                let switch = llvm::switch(head[0], passed, more, blocks[0], &blocks[1..]);
                self.operation(switch.with_attributes(&kept))
            }
            _ => {
                let branch = llvm::cond_br(head[0], passed[0], passed[1], blocks[0], blocks[1]);
                self.operation(branch.with_attributes(&kept))
            }
        };
    }

    pub(crate) fn branch(
        &mut self,
        target: Blk<'c>,
        values: &[Val<'c>],
        annotation: Option<Attribute<'c>>,
    ) {
        self.operation(llvm::br(values, target).loop_annotation(annotation));
    }

    pub(crate) fn branch_if(
        &mut self,
        condition: Val<'c>,
        (then, then_operands): (Blk<'c>, &[Val<'c>]),
        (else_, else_operands): (Blk<'c>, &[Val<'c>]),
    ) {
        self.operation(llvm::cond_br(
            condition,
            then_operands,
            else_operands,
            then,
            else_,
        ));
    }

    pub(crate) fn unrolled_by(&self, factor: i32) -> Attribute<'c> {
        self.parsed(&format!(
            "#llvm.loop_annotation<unroll = <count = {factor} : i32>>"
        ))
    }

    pub(crate) fn trap(&mut self) {
        self.operation(llvm::intr_trap());
    }

    pub(crate) fn return_(&mut self, result: Option<Val<'c>>) {
        self.operation(llvm::r#return(result));
    }
}
