//! Control flow: what is branched around, loops, and the end of a function, in blocks of the function.
//!
//! A block is added behind the one that the emitter stands in, so that they stand in the order of control:
//!
//! ```text
//! fork: begin -> then -> join                   where there is something to do in the other case: begin -> otherwise -> join
//! loop: begin -> header -> body -> header, and header -> end, where the emitter goes on
//! ```

use super::emitter::{Emitter, attributes_of, block_arguments};
use super::function::LOOP_ANNOTATION as OF_LOOP;
use crate::ir::UpstreamKind;
use crate::ir::builders::llvm;
use crate::sys::build::{Blk, Op, Val};
use melior::ir::{Attribute, Type, ValueLike};

/// Control that has forked: the emitter stands where the condition holds.
#[must_use]
pub(crate) struct Fork<'c> {
    condition: Val<'c>,
    begin: Blk<'c>,
    then: Blk<'c>,
}

/// Control that has forked: the emitter stands where the condition does not hold.
#[must_use]
pub(crate) struct Otherwise<'c> {
    fork: Fork<'c>,
    /// Where the other way ends, and what it hands on.
    end: (Blk<'c>, Vec<Val<'c>>),
    otherwise: Blk<'c>,
}

/// A loop: the emitter stands in its header, which every round begins with.
#[must_use]
pub(crate) struct Header<'c> {
    header: Blk<'c>,
}

/// A loop: the emitter stands in its body.
#[must_use]
pub(crate) struct Body<'c> {
    header: Blk<'c>,
    /// Where the header ends, and whether another round begins there.
    test: (Blk<'c>, Val<'c>),
    body: Blk<'c>,
}

/// Control that goes one of several ways: the emitter stands in the last one begun.
#[must_use]
pub(crate) struct Switch<'c> {
    begin: Blk<'c>,
    ways: Vec<Blk<'c>>,
    /// Where the last way ends.
    end: Blk<'c>,
    join: Blk<'c>,
}

impl<'c> Emitter<'c> {
    /// Adds a block behind another, with arguments of the given types.
    pub(crate) fn add_block(&self, before: Blk<'c>, arguments: &[Type<'c>]) -> Blk<'c> {
        let typed: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        self.rewriter.add_block(before, &typed)
    }

    /// Adds a block behind the current one, with arguments of the given types.
    pub(crate) fn next_block(&self, arguments: &[Type<'c>]) -> Blk<'c> {
        self.add_block(self.block, arguments)
    }

    /// Goes on in a block that the current one dominates, until [`Self::leave_block`].
    pub(crate) fn enter_block(&mut self, block: Blk<'c>) {
        let outer = std::mem::replace(&mut self.block, block);
        self.outer.push((outer, Vec::new()));
    }

    /// Goes back to the block that was current before [`Self::enter_block`].
    pub(crate) fn leave_block(&mut self) {
        let (block, added) = self.outer.pop().expect("a block was entered");
        self.block = block;
        // What was made known there does not dominate what comes next.
        for key in added {
            self.known.remove(&key);
        }
    }

    /// Goes on in a block that control comes to from the current one, and from nowhere that the current one does not
    /// dominate: what is known stays known.
    pub(crate) fn go_on_in(&mut self, block: Blk<'c>) {
        self.block = block;
    }

    /// Forks: what comes next is done where the condition holds.
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

    /// Ends what is done where the condition holds, with the values that it hands on; what comes next is done
    /// where it does not.
    pub(crate) fn otherwise(&mut self, fork: Fork<'c>, values: &[Val<'c>]) -> Otherwise<'c> {
        let end = (self.block, values.to_vec());
        let otherwise = self.next_block(&[]);
        self.leave_block();
        self.enter_block(otherwise);
        Otherwise {
            fork,
            end,
            otherwise,
        }
    }

    /// Ends what is done where the condition does not hold; returns what was handed on, either way.
    pub(crate) fn join(&mut self, other: Otherwise<'c>, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let Otherwise {
            fork,
            end: (end, handed),
            otherwise,
        } = other;
        let join = self.join_block(values);
        self.branch(join, values, None);
        self.leave_block();
        self.go_on_in(end);
        self.branch(join, &handed, None);
        self.go_on_in(fork.begin);
        self.branch_if(fork.condition, (fork.then, &[]), (otherwise, &[]));
        self.go_on_in(join);
        block_arguments(join)
    }

    /// Ends what is done where the condition holds; where it does not, the fallback is handed on, which was there
    /// before. Returns what was handed on, either way.
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
        self.go_on_in(join);
        block_arguments(join)
    }

    fn join_block(&self, values: &[Val<'c>]) -> Blk<'c> {
        let types: Vec<Type<'c>> = values.iter().map(ValueLike::r#type).collect();
        self.next_block(&types)
    }

    /// Begins a loop: what comes next is done at the beginning of each round. Returns what a round is given, in the
    /// first one these values.
    pub(crate) fn begin_loop(&mut self, initial: &[Val<'c>]) -> (Header<'c>, Vec<Val<'c>>) {
        let header = self.join_block(initial);
        self.branch(header, initial, None);
        self.go_on_in(header);
        (Header { header }, block_arguments(header))
    }

    /// Leaves the loop where the condition does not hold; what comes next is done where it does.
    pub(crate) fn begin_body(
        &mut self,
        Header { header }: Header<'c>,
        goes_on: Val<'c>,
    ) -> Body<'c> {
        let test = (self.block, goes_on);
        let body = self.next_block(&[]);
        self.enter_block(body);
        Body { header, test, body }
    }

    /// Ends a round, with what the next one is given; an annotation says what is known of the loop. What comes next
    /// is done after the last round, where all that the header has made is known.
    pub(crate) fn end_loop(
        &mut self,
        Body {
            header,
            test: (test, goes_on),
            body,
        }: Body<'c>,
        carried: &[Val<'c>],
        annotation: Option<Attribute<'c>>,
    ) {
        let end = self.next_block(&[]);
        self.branch(header, carried, annotation);
        self.leave_block();
        self.go_on_in(test);
        self.branch_if(goes_on, (body, &[]), (end, &[]));
        self.go_on_in(end);
    }

    /// Goes one of several ways, each of which hands on values of these types.
    pub(crate) fn switch(&mut self, types: &[Type<'c>]) -> Switch<'c> {
        Switch {
            begin: self.block,
            ways: Vec::new(),
            end: self.block,
            join: self.next_block(types),
        }
    }

    /// Begins the next way, the first for all cases that are not named.
    pub(crate) fn begin_case(&mut self, switch: &mut Switch<'c>) {
        let way = self.add_block(switch.end, &[]);
        switch.ways.push(way);
        self.enter_block(way);
    }

    /// Ends a way, with the values that it hands on.
    pub(crate) fn end_case(&mut self, switch: &mut Switch<'c>, values: &[Val<'c>]) {
        switch.end = self.block;
        self.branch(switch.join, values, None);
        self.leave_block();
    }

    /// Chooses among the ways begun by an integer; returns what was handed on.
    pub(crate) fn end_switch(
        &mut self,
        switch: Switch<'c>,
        value: Val<'c>,
        cases: &[i64],
    ) -> Vec<Val<'c>> {
        let Switch {
            begin, ways, join, ..
        } = switch;
        self.go_on_in(begin);
        if cases.is_empty() {
            self.branch(ways[0], &[], None);
            self.go_on_in(join);
            return block_arguments(join);
        }
        let type_ = value.r#type();
        let each: Vec<String> = cases.iter().map(i64::to_string).collect();
        let literals = self.parsed(&format!(
            "dense<[{}]> : vector<{}x{type_}>",
            each.join(", "),
            cases.len()
        ));
        let nothing: Vec<&[Val<'c>]> = vec![&[]; cases.len()];
        let switch = llvm::switch(value, &[], &nothing, ways[0], &ways[1..]);
        self.operation(switch.case_values(literals));
        self.go_on_in(join);
        block_arguments(join)
    }

    /// Emits a branch like one of `cf` that is there, to other blocks, each with the operands that it takes: it keeps
    /// all its attributes but how the operands are shared out. The condition or the flag comes first.
    pub(crate) fn rebuild_branch(
        &mut self,
        op: Op<'c>,
        head: &[Val<'c>],
        targets: &[(Blk<'c>, Vec<Val<'c>>)],
    ) {
        const SHARES: [&str; 2] = ["case_operand_segments", "operandSegmentSizes"];
        let mut kept = attributes_of(op);
        kept.retain(|(key, _)| !SHARES.contains(key));
        for (key, _) in kept.iter_mut().filter(|(key, _)| *key == OF_LOOP) {
            *key = "loop_annotation";
        }
        let blocks: Vec<Blk<'c>> = targets.iter().map(|(block, _)| *block).collect();
        let passed: Vec<&[Val<'c>]> = targets.iter().map(|(_, values)| &**values).collect();
        match UpstreamKind::of(op) {
            Some(UpstreamKind::CfBranch) => {
                self.operation(llvm::br(passed[0], blocks[0]).saying(&kept))
            }
            Some(UpstreamKind::CfSwitch) => {
                let (passed, more) = (passed[0], &passed[1..]);
                let switch = llvm::switch(head[0], passed, more, blocks[0], &blocks[1..]);
                self.operation(switch.saying(&kept))
            }
            _ => {
                let branch = llvm::cond_br(head[0], passed[0], passed[1], blocks[0], blocks[1]);
                self.operation(branch.saying(&kept))
            }
        };
    }

    /// Goes on in another block; an annotation says what is known of the loop that this closes.
    pub(crate) fn branch(
        &mut self,
        target: Blk<'c>,
        values: &[Val<'c>],
        annotation: Option<Attribute<'c>>,
    ) {
        self.operation(llvm::br(values, target).loop_annotation(annotation));
    }

    /// Goes on in the first block where the condition holds, else in the second, with the values that each takes.
    pub(crate) fn branch_if(
        &mut self,
        condition: Val<'c>,
        (then, passed): (Blk<'c>, &[Val<'c>]),
        (otherwise, others): (Blk<'c>, &[Val<'c>]),
    ) {
        self.operation(llvm::cond_br(condition, passed, others, then, otherwise));
    }

    /// Says of a loop of which so many rounds are to become one.
    pub(crate) fn unrolled_by(&self, rounds: i32) -> Attribute<'c> {
        self.parsed(&format!(
            "#llvm.loop_annotation<unroll = <count = {rounds} : i32>>"
        ))
    }

    /// Stops the kernel.
    pub(crate) fn trap(&mut self) {
        self.operation(llvm::intr_trap());
    }

    /// Ends a function, with its result where it has one.
    pub(crate) fn return_(&mut self, result: Option<Val<'c>>) {
        self.operation(llvm::r#return(result));
    }
}
