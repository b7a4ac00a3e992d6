//! The blocks of a function: how control goes between them, and the walk that lowers them.
//!
//! A block is lowered after those that dominate it, so that each value has its registers before it is used.
//! Blocks that control does not reach are left out.

use super::emit::block_arguments;
use super::function::{Lowering, Outcome};
use crate::graph;
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::operation::OperationLike;
use melior::ir::{Region, Type, ValueLike};
use std::collections::HashMap;

/// The blocks of a region, by number, the entry first.
pub(crate) struct BlockGraph<'c> {
    blocks: Vec<Blk<'c>>,
    /// For each block, where it may go.
    successors: Vec<Vec<usize>>,
    /// The blocks that are reached, each before its successors except along back edges.
    order: Vec<usize>,
}

impl<'c> BlockGraph<'c> {
    /// Reads a region of an operation; one without blocks has none to lower.
    pub(crate) fn of(op: Op<'c>, region: usize) -> Self {
        let blocks = build::blocks(op, region);
        let numbers: HashMap<usize, usize> = blocks
            .iter()
            .enumerate()
            .map(|(i, block)| (sys::block_id(*block), i))
            .collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| {
                let end = build::operations(*block).pop();
                let targets = end.map(build::successors).unwrap_or_default();
                let number = |target: &Blk<'c>| numbers.get(&sys::block_id(*target)).copied();
                targets.iter().filter_map(number).collect()
            })
            .collect();
        let order = if blocks.is_empty() {
            Vec::new()
        } else {
            graph::reverse_post_order(0, &successors)
        };
        Self {
            blocks,
            successors,
            order,
        }
    }

    /// Returns the numbers of the blocks that are reached, in the order of control.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns a block by its number.
    pub(crate) fn block(&self, number: usize) -> Blk<'c> {
        self.blocks[number]
    }

    /// Returns the block that control begins in, where there is one.
    pub(crate) fn entry(&self) -> Option<Blk<'c>> {
        self.blocks.first().copied()
    }
}

/// What the walk down the tree of dominators does next.
enum Visit {
    Enter(usize),
    Leave,
}

impl<'c> Lowering<'c> {
    /// Lowers the blocks of a region into a new one, whose `entry` block the emitter stands in and whose
    /// arguments have their registers.
    pub(crate) fn blocks(&mut self, graph: &BlockGraph<'c>, region: &Region<'c>, entry: Blk<'c>) {
        let Some((first, others)) = graph.order.split_first() else {
            return;
        };
        self.targets
            .insert(sys::block_id(graph.block(*first)), entry);
        for number in others {
            let old = graph.block(*number);
            let arguments = block_arguments(old);
            let (types, counts) = self.flat_types(arguments.iter().map(ValueLike::r#type));
            let new = self.e.add_block(region, &types);
            self.distribute(arguments.into_iter(), &counts, &block_arguments(new));
            self.targets.insert(sys::block_id(old), new);
        }
        let dominators = graph::immediate_dominators(*first, &graph.successors);
        let mut dominated = vec![Vec::new(); graph.blocks.len()];
        for number in others {
            let above = dominators[*number].expect("a block that is reached has a dominator");
            dominated[above].push(*number);
        }
        self.block(graph.block(*first));
        let below = |number: usize| dominated[number].iter().rev().map(|n| Visit::Enter(*n));
        let mut stack: Vec<Visit> = below(*first).collect();
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Leave => self.e.leave_block(),
                Visit::Enter(number) => {
                    let old = graph.block(number);
                    self.e.enter_block(self.targets[&sys::block_id(old)]);
                    self.block(old);
                    stack.push(Visit::Leave);
                    stack.extend(below(number));
                }
            }
        }
    }

    /// The registers' types of several values, end to end, and how many each has: none where a value
    /// cannot be lowered.
    pub(crate) fn flat_types(
        &self,
        types: impl Iterator<Item = Type<'c>>,
    ) -> (Vec<Type<'c>>, Vec<usize>) {
        let mut flat = Vec::new();
        let mut counts = Vec::new();
        for type_ in types {
            let registers = self.placeholder_types(type_);
            counts.push(registers.len());
            flat.extend(registers);
        }
        (flat, counts)
    }

    /// Gives each value its share of a flat list.
    pub(crate) fn distribute(
        &mut self,
        values: impl Iterator<Item = Val<'c>>,
        counts: &[usize],
        flat: &[Val<'c>],
    ) {
        let mut rest = flat;
        for (value, count) in values.zip(counts) {
            let (own, others) = rest.split_at(*count);
            self.set(value, own.to_vec());
            rest = others;
        }
    }

    /// The registers of all operands of an operation, end to end.
    pub(crate) fn operands(&self, op: Op<'c>) -> Vec<Val<'c>> {
        self.flat((0..op.operand_count()).map(|i| build::operand(op, i)))
    }

    /// The registers of several values, end to end.
    pub(crate) fn flat(&self, values: impl IntoIterator<Item = Val<'c>>) -> Vec<Val<'c>> {
        let registers = |value| self.get(value).to_vec();
        values.into_iter().flat_map(registers).collect()
    }
}

/// A branch of `cf`: the same one, to the new blocks, with one operand per register.
pub(crate) fn branch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let targets = build::successors(op);
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .map(|i| build::operand(op, i))
        .collect();
    // What a block takes must be made of numbers and pointers.
    for value in &operands {
        if l.get(*value).is_empty() {
            l.types_of(value.r#type())?;
        }
    }
    let passed: usize = targets.iter().map(|t| block_arguments(*t).len()).sum();
    // The condition or the flag comes first, then what each block takes.
    let (head, mut rest) = operands.split_at(operands.len() - passed);
    let mut flat = l.flat(head.iter().copied());
    let mut shares = Vec::new();
    let mut new = Vec::new();
    for target in &targets {
        let (own, others) = rest.split_at(block_arguments(*target).len());
        rest = others;
        let registers = l.flat(own.iter().copied());
        shares.push(count(registers.len())?);
        flat.extend(registers);
        new.push(l.targets[&sys::block_id(*target)]);
    }
    let head = vec![1; head.len()];
    let mut named = Vec::new();
    // A switch has the operands of its cases in one segment, and says beside it which case takes how many.
    let segments = if op.has_attribute(CASE_SEGMENTS) {
        named.push((CASE_SEGMENTS, l.e.i32_array(&shares[1..])));
        [&head[..], &[shares[0], shares[1..].iter().sum()]].concat()
    } else {
        [head, shares].concat()
    };
    named.push((SEGMENTS, l.e.i32_array(&segments)));
    l.e.rebuild_branch(op, &flat, &new, &named);
    Ok(())
}

/// How many operands each group of an operation has.
const SEGMENTS: &str = "operandSegmentSizes";
/// How many operands each case of a `cf.switch` has.
const CASE_SEGMENTS: &str = "case_operand_segments";

fn count(registers: usize) -> Result<i32, Diagnostic> {
    i32::try_from(registers)
        .map_err(|_| Diagnostic::new(format!("hands on {registers} registers, more than 2^31")))
}
