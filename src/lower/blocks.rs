//! The control-flow graph of a region.

use crate::sys;
use crate::sys::build::{self, Blk, Op};
use gpu_sim::graph;
use std::collections::HashMap;

/// The basic blocks and control-flow edges of a region. Block 0 is the entry.
pub(crate) struct BlockGraph<'c> {
    blocks: Vec<Blk<'c>>,
    successors: Vec<Vec<usize>>,
    order: Vec<usize>,
}

impl<'c> BlockGraph<'c> {
    /// Builds the graph of region number `region`, which may be empty.
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

    /// Returns the reachable blocks in reverse post-order.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn block(&self, number: usize) -> Blk<'c> {
        self.blocks[number]
    }

    /// Returns, for each block, the blocks that it immediately dominates.
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

    /// Returns the entry block, or `None` if the region is empty.
    pub(crate) fn entry(&self) -> Option<Blk<'c>> {
        self.blocks.first().copied()
    }
}
