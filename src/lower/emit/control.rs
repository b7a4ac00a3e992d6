//! Control flow: regions, loops and branches of `scf`, the end of a function.

use super::emitter::{Emitter, Named, block_arguments};
use super::function::LOOP_ANNOTATION;
use crate::ir::UpstreamKind;
use crate::sys::build::{Blk, Op, Val};
use melior::ir::{Attribute, Region, Type};

impl<'c> Emitter<'c> {
    /// Begins a region with one block; what is emitted goes there until [`Self::close_region`].
    pub(crate) fn open_region(&mut self, arguments: &[Type<'c>]) -> (Region<'c>, Vec<Val<'c>>) {
        let region = Region::new();
        let block = self.add_block(&region, arguments);
        self.enter_block(block);
        (region, block_arguments(block))
    }

    /// Goes back to the block that was current before [`Self::open_region`].
    pub(crate) fn close_region(&mut self) {
        self.leave_block();
    }

    /// Adds a block to a region, with arguments of the given types.
    pub(crate) fn add_block(&self, region: &Region<'c>, arguments: &[Type<'c>]) -> Blk<'c> {
        let typed: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        self.rewriter.append_block(region, &typed)
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

    /// Goes on in another block; an annotation says what is known of the loop that this closes.
    pub(crate) fn branch(
        &mut self,
        target: Blk<'c>,
        values: &[Val<'c>],
        annotation: Option<Attribute<'c>>,
    ) {
        let annotation = annotation.map(|annotation| (LOOP_ANNOTATION, annotation));
        let attributes: Vec<Named<'c>> = annotation.into_iter().collect();
        self.jump(
            UpstreamKind::CfBranch.name(),
            values,
            &[target],
            &attributes,
        );
    }

    /// Goes on in the first block where the condition holds, else in the second, which take the same values.
    pub(crate) fn branch_if(
        &mut self,
        condition: Val<'c>,
        targets: [Blk<'c>; 2],
        values: &[Val<'c>],
    ) {
        let count = i32::try_from(values.len()).expect("far fewer registers");
        let segments = self.i32_array(&[1, count, count]);
        let operands = [&[condition], values, values].concat();
        let attributes = [("operandSegmentSizes", segments)];
        self.jump(
            UpstreamKind::CfCondBranch.name(),
            &operands,
            &targets,
            &attributes,
        );
    }

    /// Says of a loop what LLVM is told where it goes back.
    pub(crate) fn annotate_loop(&self, loop_: Op<'c>, annotation: Attribute<'c>) {
        self.rewriter
            .set_attribute(loop_, LOOP_ANNOTATION, annotation);
    }

    /// What is said of a loop of which so many rounds are to become one.
    pub(crate) fn unrolled_by(&self, rounds: i32) -> Attribute<'c> {
        self.parsed(&format!(
            "#llvm.loop_annotation<unroll = <count = {rounds} : i32>>"
        ))
    }

    /// A region of several blocks in the middle of another.
    pub(crate) fn execute_region(&mut self, results: &[Type<'c>], region: Region<'c>) -> Op<'c> {
        self.operation("scf.execute_region", &[], results, &[], vec![region])
    }

    /// Hands values on at the end of a region.
    pub(crate) fn scf_yield(&mut self, values: &[Val<'c>]) {
        self.statement("scf.yield", values, &[]);
    }

    /// Goes on with a loop where the condition holds.
    pub(crate) fn scf_condition(&mut self, condition: Val<'c>, values: &[Val<'c>]) {
        let operands = [&[condition], values].concat();
        self.statement("scf.condition", &operands, &[]);
    }

    /// One region or the other; one without results needs no other.
    pub(crate) fn scf_if(
        &mut self,
        condition: Val<'c>,
        results: &[Type<'c>],
        then: Region<'c>,
        otherwise: Option<Region<'c>>,
    ) -> Op<'c> {
        let regions = vec![then, otherwise.unwrap_or_default()];
        self.operation("scf.if", &[condition], results, &[], regions)
    }

    /// A loop that carries values from `before`, which ends with a condition, to `after` and back.
    pub(crate) fn scf_while(
        &mut self,
        initial: &[Val<'c>],
        results: &[Type<'c>],
        before: Region<'c>,
        after: Region<'c>,
    ) -> Op<'c> {
        self.operation("scf.while", initial, results, &[], vec![before, after])
    }

    /// Stops the kernel.
    pub(crate) fn trap(&mut self) {
        self.statement("llvm.intr.trap", &[], &[]);
    }

    /// Ends a function, with its result where it has one.
    pub(crate) fn return_(&mut self, result: Option<Val<'c>>) {
        let operands: Vec<Val<'c>> = result.into_iter().collect();
        self.statement("llvm.return", &operands, &[]);
    }
}
