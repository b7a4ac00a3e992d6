//! The blocks of a region: how control goes between them.
//!
//! Blocks that control does not reach are left out.

use crate::sys;
use crate::sys::build::{self, Blk, Op};
use gpu_sim::graph;
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

    /// Returns the blocks that each one dominates next to itself, by number.
    pub(crate) fn dominated(&self) -> Vec<Vec<usize>> {
        let mut dominated = vec![Vec::new(); self.blocks.len()];
        let Some((first, others)) = self.order.split_first() else {
            return dominated;
        };
        let dominators = graph::immediate_dominators(*first, &self.successors);
        for number in others {
            let above = dominators[*number].expect("a block that is reached has a dominator");
            dominated[above].push(*number);
        }
        dominated
    }

    /// Returns the block that control begins in, where there is one.
    pub(crate) fn entry(&self) -> Option<Blk<'c>> {
        self.blocks.first().copied()
    }
}
