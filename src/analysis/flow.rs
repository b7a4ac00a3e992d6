//! The control-flow graph of a function, reduced to operations that affect shared memory.
//!
//! ```text
//! a                      block 0: a, for          0 -> 1 (first iteration), 0 -> 2 (no iteration)
//! for { b }              block 1: b               1 -> 1 (next iteration),  1 -> 2
//! c                      block 2: c
//! ```
//! The regions of `ttg.warp_specialize` run concurrently. The graph has one path through each region:
//! ```text
//! warp_specialize        block 0: captures stored, barrier     0 -> 1, 0 -> 2
//!   default { a }        block 1: a (its warps)                1 -> 3
//!   partition { b }      block 2: b (its warps)                2 -> 3
//! c                      block 3: barrier, c
//! ```
//! An analysis of paths sees the accesses of each region in order, and different regions as alternatives. Rules across
//! regions use the [`Team`] of each block.
//!
//! A [`BasicBlock`] contains the operations with effects, and loop operations, since a barrier may be inserted in front
//! of a loop. An edge maps buffers to block arguments, loop-carried values and results. [`Flow::forward`] solves
//! forward data-flow problems.

use super::barriers::Barriers;
use super::effects::{Act, Buffers, Effects, OpId, Rotation, Team, ValueId};
use crate::ir::ops::{scf, ttg};
use crate::ir::partitions::{partitions_of, warps_of_regions};
use crate::ir::{AnyKind, OpKind, UpstreamKind};
use crate::sys::build::{self, Blk, Op, Val, block_arguments, terminator_operands};
use crate::sys::{self, Diagnostic, operation_id, value_id};
use gpu_sim::graph;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) op: OpId,
    pub(crate) effects: Effects,
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    /// The buffers that are passed along the edge. Each pair is a passed value, and the block argument or result
    /// that receives it.
    pub(crate) passes: Vec<(ValueId, ValueId)>,
    pub(crate) crossing: Option<LoopCrossing>,
}

/// The relation between a control-flow edge and a loop: the edge enters the loop, leads to its next iteration, or
/// leaves it. Each variant contains the loop operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopCrossing {
    Enter(OpId),
    Next(OpId),
    Exit(OpId),
}

impl Edge {
    /// Expresses `index` relative to the iteration in which the target block of the edge executes. Returns `None`
    /// if the edge leaves the loop in which the index changes.
    pub(crate) fn rotated(&self, index: Rotation) -> Option<Rotation> {
        match self.crossing {
            Some(LoopCrossing::Next(number)) if index.rotated_by == number => {
                Some(index.in_next_iteration())
            }
            Some(LoopCrossing::Exit(number)) if index.rotated_by == number => None,
            _ => Some(index),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BasicBlock {
    pub(crate) events: Vec<Event>,
    pub(crate) edges: Vec<Edge>,
    /// Number of enclosing loops.
    pub(crate) depth: u32,
    pub(crate) team: Team,
}

/// A control-flow graph. Block 0 is the entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<BasicBlock>,
    /// The loop operations. Outer loops precede inner loops. The block in front of a loop contains an [`Event`]
    /// whose operation is the loop operation.
    pub(crate) loops: Vec<OpId>,
}

pub(crate) trait ForwardAnalysis {
    type State: Clone + PartialEq;

    /// Applies the effects of an operation to `state`. May record results in the analysis.
    fn event(&mut self, event: &Event, state: &mut Self::State);

    /// Applies the effect of following an edge to the state.
    fn edge(&mut self, _edge: &Edge, _state: &mut Self::State) {}

    fn join(state: &mut Self::State, other: &Self::State);
}

impl Flow {
    /// Runs an analysis to its fixed point. The last visit of each reachable event sees the final state.
    pub(crate) fn forward<A: ForwardAnalysis>(&self, analysis: &mut A, entry: A::State) {
        let order = self.order();
        let mut entries: Vec<Option<A::State>> = vec![None; self.blocks.len()];
        if let Some(first) = entries.first_mut() {
            *first = Some(entry);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &number in &order {
                let Some(mut state) = entries[number].clone() else {
                    continue;
                };
                for event in &self.blocks[number].events {
                    analysis.event(event, &mut state);
                }
                for edge in &self.blocks[number].edges {
                    let mut state = state.clone();
                    analysis.edge(edge, &mut state);
                    let Some(entry) = &mut entries[edge.to] else {
                        entries[edge.to] = Some(state);
                        changed = true;
                        continue;
                    };
                    let before = entry.clone();
                    A::join(entry, &state);
                    changed |= *entry != before;
                }
            }
        }
    }

    /// Returns all proxy fences, each with the whole thread block as its team.
    pub(crate) fn fences(&self) -> Barriers {
        self.fences_in(|_| true)
    }

    /// Returns the proxy fences in the regions of `ttg.warp_specialize`. Such a fence may order accesses by warps
    /// that execute a different region. These accesses are not on the paths of the graph through the fence.
    pub(crate) fn fences_of_regions(&self) -> Barriers {
        self.fences_in(|team| team != Team::BLOCK)
    }

    fn fences_in(&self, is_in: impl Fn(Team) -> bool) -> Barriers {
        let order = self.order().into_iter().map(|number| &self.blocks[number]);
        let events = order.filter(|block| is_in(block.team));
        let events = events.flat_map(|block| &block.events);
        let fences = events.filter(|event| event.effects.acts.contains(&Act::Fence));
        fences.map(|event| (event.op, Team::BLOCK)).collect()
    }

    /// Returns the reachable blocks in reverse post-order.
    pub(crate) fn order(&self) -> Vec<usize> {
        let successors: Vec<Vec<usize>> = self
            .blocks
            .iter()
            .map(|block| block.edges.iter().map(|edge| edge.to).collect())
            .collect();
        if successors.is_empty() {
            return Vec::new();
        }
        graph::reverse_post_order(0, &successors)
    }

    /// Returns the events of reachable blocks, in reverse post-order.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        let order = self.order().into_iter();
        order.flat_map(|block| &self.blocks[block].events)
    }
}

/// A function that computes the effects of an operation on buffers.
pub(crate) type EffectsOf<'f, 'c> = dyn FnMut(Op<'c>, &Buffers) -> Result<Effects, Diagnostic> + 'f;

#[derive(Debug)]
pub(crate) struct FunctionFlow<'c> {
    pub(crate) flow: Flow,
    /// Function arguments that are buffers.
    pub(crate) arguments: Vec<ValueId>,
    pub(crate) ops: FxHashMap<OpId, Op<'c>>,
    /// Operations whose effects could not be computed, each with the error.
    pub(crate) errors: Vec<(Op<'c>, Diagnostic)>,
}

/// Builds the control-flow graph of a function. `effects` computes the effects of each operation on buffers.
pub(crate) fn of<'c>(function: Op<'c>, effects: &mut EffectsOf<'_, 'c>) -> FunctionFlow<'c> {
    of_values(function, |type_| sys::buffer(type_).is_some(), effects)
}

/// Builds the control-flow graph of a function as `of` does, but for async tokens instead of buffers.
pub(crate) fn of_tokens<'c>(function: Op<'c>, effects: &mut EffectsOf<'_, 'c>) -> FunctionFlow<'c> {
    of_values(function, sys::is_async_token, effects)
}

fn of_values<'c>(
    function: Op<'c>,
    is_buffer: fn(Type<'c>) -> bool,
    effects: &mut EffectsOf<'_, 'c>,
) -> FunctionFlow<'c> {
    let blocks = build::blocks(function, 0);
    let mut builder = FlowBuilder {
        result: FunctionFlow {
            flow: Flow::default(),
            arguments: Vec::new(),
            ops: FxHashMap::default(),
            errors: Vec::new(),
        },
        starts: HashMap::new(),
        types: FxHashMap::default(),
        is_buffer,
        effects,
    };
    for block in &blocks {
        let number = builder.new_block(Place::default());
        builder.starts.insert(sys::block_id(*block), number);
    }
    if let Some(entry) = blocks.first() {
        builder.result.arguments = builder.buffers(block_arguments(*entry).into_iter());
    }
    for (number, block) in blocks.into_iter().enumerate() {
        builder.block(block, number);
    }
    builder.result
}

struct FlowBuilder<'f, 'c> {
    result: FunctionFlow<'c>,
    /// The first basic block of each MLIR block, keyed by the id of the MLIR block.
    starts: HashMap<usize, usize>,
    types: FxHashMap<usize, bool>,
    is_buffer: fn(Type<'c>) -> bool,
    effects: &'f mut EffectsOf<'f, 'c>,
}

#[derive(Clone, Copy, Default)]
struct Place {
    depth: u32,
    team: Team,
}

impl Place {
    const fn in_loop(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl<'c> FlowBuilder<'_, 'c> {
    fn new_block(&mut self, place: Place) -> usize {
        self.result.flow.blocks.push(BasicBlock {
            depth: place.depth,
            team: place.team,
            ..BasicBlock::default()
        });
        self.result.flow.blocks.len() - 1
    }

    fn place(&self, block: usize) -> Place {
        let BasicBlock { depth, team, .. } = self.result.flow.blocks[block];
        Place { depth, team }
    }

    fn edge(&mut self, from: usize, to: usize, passes: &[(&[Val<'c>], &[Val<'c>])]) {
        let pairs = passes
            .iter()
            .flat_map(|(here, there)| here.iter().zip(*there));
        let passes = pairs
            .filter(|(here, _)| self.is_buffer(**here))
            .map(|(here, there)| (value_id(*here), value_id(*there)))
            .collect();
        let edge = Edge {
            to,
            passes,
            crossing: None,
        };
        self.result.flow.blocks[from].edges.push(edge);
    }

    /// Sets the field `crossing` of the edge of block `from` that was added last.
    fn set_crossing(&mut self, from: usize, crossing: LoopCrossing) {
        let edges = &mut self.result.flow.blocks[from].edges;
        edges.last_mut().expect("an edge was added").crossing = Some(crossing);
    }

    /// Adds the operations of `block`, starting in the basic block `current`. Returns the basic block that contains
    /// the end of `block`.
    fn block(&mut self, block: Blk<'c>, mut current: usize) -> usize {
        for op in build::operations(block) {
            use UpstreamKind as U;
            current = match AnyKind::of(op) {
                AnyKind::Upstream(U::ScfFor | U::ScfWhile) => self.loop_(op, current),
                AnyKind::Upstream(U::ScfIf | U::ScfIndexSwitch) | AnyKind::Own(OpKind::TtgMask) => {
                    self.conditional(op, current)
                }
                AnyKind::Upstream(U::CfBranch | U::CfCondBranch | U::CfSwitch) => {
                    self.branch(op, current);
                    current
                }
                AnyKind::Own(OpKind::TtgWarpSpecialize) => self.specialize(op, current),
                // The edges to the join have the operands.
                AnyKind::Own(OpKind::TtgWarpYield | OpKind::TtgWarpReturn) => current,
                _ => {
                    self.event(op, current);
                    current
                }
            };
        }
        current
    }

    /// Adds an `scf.for` or `scf.while`, and returns the basic block after it. An `scf.while` exits at the end of
    /// its condition region.
    fn loop_(&mut self, op: Op<'c>, current: usize) -> usize {
        let regions: Vec<Blk<'c>> = (0..op.region_count())
            .filter_map(|i| build::single_block(op, i))
            .collect();
        let Some(first) = regions.first().copied() else {
            return current;
        };
        let number = operation_id(op);
        self.result.flow.loops.push(number);
        self.result.flow.blocks[current].events.push(Event {
            op: number,
            effects: Effects::default(),
        });
        let place = self.place(current);
        let body = self.new_block(place.in_loop());
        let results = build::results(op);
        let carried = block_arguments(first);
        // The first argument of `scf.for` is the induction variable.
        let (operands, carried, is_for) = match (scf::For::of(op), scf::While::of(op)) {
            (Some(view), _) => (view.init_args(), carried.get(1..).unwrap_or_default(), true),
            (None, Some(view)) => (view.inits(), &carried[..], false),
            (None, None) => return current,
        };
        let operands = &operands[..];
        self.edge(current, body, &[(operands, carried)]);
        if is_for {
            self.set_crossing(current, LoopCrossing::Enter(number));
        }
        let end = self.block(first, body);
        let yielded = terminator_operands(first);
        if let Some(second) = regions.get(1).copied().filter(|_| !is_for) {
            // The condition comes first.
            let yielded = yielded.get(1..).unwrap_or_default();
            let again = self.new_block(place.in_loop());
            self.edge(end, again, &[(yielded, &block_arguments(second))]);
            let back = self.block(second, again);
            self.edge(back, body, &[(&terminator_operands(second), carried)]);
            let after = self.new_block(place);
            self.edge(end, after, &[(yielded, &results)]);
            return after;
        }
        let after = self.new_block(place);
        self.edge(current, after, &[(operands, &results)]);
        self.edge(end, body, &[(&yielded, carried)]);
        self.set_crossing(end, LoopCrossing::Next(number));
        self.edge(end, after, &[(&yielded, &results)]);
        self.set_crossing(end, LoopCrossing::Exit(number));
        after
    }

    /// Adds an `scf.if`, `scf.index_switch` or `ttg.mask`, of which at most one region executes. Returns the basic
    /// block after the operation.
    fn conditional(&mut self, op: Op<'c>, current: usize) -> usize {
        let place = self.place(current);
        let results = build::results(op);
        let mut ends = Vec::new();
        let mut is_skipped = OpKind::TtgMask.is(op);
        for i in 0..op.region_count() {
            let Some(block) = build::single_block(op, i) else {
                is_skipped = true;
                continue;
            };
            let start = self.new_block(place);
            self.edge(current, start, &[]);
            ends.push((self.block(block, start), block));
        }
        let after = self.new_block(place);
        for (end, block) in ends {
            self.edge(end, after, &[(&terminator_operands(block), &results)]);
        }
        if is_skipped {
            self.edge(current, after, &[]);
        }
        after
    }

    /// Adds a `ttg.warp_specialize` with one path per region, and returns the basic block in which the paths join.
    /// This block starts with a barrier of all warps, as the event of the `ttg.warp_specialize.partitions`
    /// operation.
    fn specialize(&mut self, op: Op<'c>, current: usize) -> usize {
        let specialize = ttg::WarpSpecialize::of(op);
        let held = specialize.and_then(|view| Some((view, partitions_of(view)?)));
        let Some((view, partitions)) = held else {
            return current;
        };
        let effects = self.effects(op);
        self.add(op, effects, current);
        let place = self.place(current);
        let after = self.new_block(place);
        let results = build::results(op);
        let captures = partitions.explicit_captures();
        let holder = partitions.op();
        let partition_blocks = (0..holder.region_count()).map(|i| build::blocks(holder, i));
        let regions = std::iter::once(build::blocks(op, 0)).chain(partition_blocks);
        for (warps, blocks) in warps_of_regions(view).into_iter().zip(regions) {
            let team = Team {
                first_warp: warps.first,
                end_warp: warps.end(),
                barrier: warps.barrier,
            };
            let starts: Vec<usize> = blocks
                .iter()
                .map(|_| self.new_block(Place { team, ..place }))
                .collect();
            for (block, start) in blocks.iter().zip(&starts) {
                self.starts.insert(sys::block_id(*block), *start);
            }
            if let (Some(first), Some(start)) = (blocks.first(), starts.first()) {
                self.edge(current, *start, &[(&captures, &block_arguments(*first))]);
            }
            for (block, start) in blocks.into_iter().zip(starts) {
                let end = self.block(block, start);
                let last = build::operations(block).pop();
                match last.map(AnyKind::of) {
                    Some(AnyKind::Own(OpKind::TtgWarpYield)) => {
                        self.edge(end, after, &[(&terminator_operands(block), &results)]);
                    }
                    Some(AnyKind::Own(OpKind::TtgWarpReturn)) => self.edge(end, after, &[]),
                    _ => {}
                }
            }
        }
        let mut uses = self.outer_buffers(op);
        uses.extend(self.buffers(captures.into_iter()));
        uses.push(operation_id(op));
        let join = Effects {
            uses,
            acts: vec![Act::Barrier],
            ..Effects::default()
        };
        self.add(holder, join, after);
        after
    }

    /// Returns the buffers that the default region of a `ttg.warp_specialize` uses but does not define.
    fn outer_buffers(&mut self, specialize: Op<'c>) -> Vec<ValueId> {
        let blocks = build::blocks(specialize, 0);
        let nested = blocks.iter().flat_map(|block| build::operations(*block));
        let ops: Vec<Op<'c>> = nested.flat_map(build::in_order).collect();
        let mut inside: HashSet<ValueId> = HashSet::new();
        let mut define = |values: Vec<Val<'c>>| inside.extend(values.into_iter().map(value_id));
        blocks
            .into_iter()
            .map(block_arguments)
            .for_each(&mut define);
        for op in &ops {
            define(build::results(*op));
            let nested = (0..op.region_count()).flat_map(|i| build::blocks(*op, i));
            nested.map(block_arguments).for_each(&mut define);
        }
        let used = ops.into_iter().flat_map(build::operands);
        let outer = used.filter(|value| !inside.contains(&value_id(*value)));
        let mut outer = self.buffers(outer);
        outer.sort_unstable();
        outer.dedup();
        outer
    }

    /// Adds a branch of the `cf` dialect. The last operands of `op` are passed to the arguments of the successor
    /// blocks.
    fn branch(&mut self, op: Op<'c>, current: usize) {
        let targets = build::successors(op);
        let carried: Vec<Vec<Val<'c>>> = targets
            .iter()
            .map(|block| block_arguments(*block))
            .collect();
        let operands = build::operands(op);
        let forwarded: usize = carried.iter().map(Vec::len).sum();
        let mut rest = &operands[operands.len().saturating_sub(forwarded)..];
        for (block, carried) in targets.iter().zip(&carried) {
            let (own, others) = rest.split_at(carried.len().min(rest.len()));
            rest = others;
            if let Some(to) = self.starts.get(&sys::block_id(*block)).copied() {
                self.edge(current, to, &[(own, carried)]);
            }
        }
    }

    fn is_buffer(&mut self, value: Val<'c>) -> bool {
        let type_ = value.r#type();
        let known = self.types.entry(sys::type_id(type_));
        *known.or_insert_with(|| (self.is_buffer)(type_))
    }

    fn buffers(&mut self, values: impl Iterator<Item = Val<'c>>) -> Vec<ValueId> {
        let buffers = values.filter(|value| self.is_buffer(*value));
        buffers.map(value_id).collect()
    }

    fn effects(&mut self, op: Op<'c>) -> Effects {
        let buffers = Buffers {
            operands: self.buffers(build::operands(op).into_iter()),
            results: self.buffers(build::results(op).into_iter()),
        };
        match (self.effects)(op, &buffers) {
            Ok(effects) => Effects {
                uses: buffers.operands,
                ..effects
            },
            Err(diagnostic) => {
                self.result.errors.push((op, diagnostic));
                Effects::default()
            }
        }
    }

    /// Adds an event for `op` to the basic block `current`. Does nothing if `effects` is empty.
    fn add(&mut self, op: Op<'c>, effects: Effects, current: usize) {
        if effects.is_empty() {
            return;
        }
        let number = operation_id(op);
        self.result.ops.insert(number, op);
        let block = &mut self.result.flow.blocks[current];
        let event = Event {
            op: number,
            effects: effects.in_team(block.team),
        };
        block.events.push(event);
    }

    fn event(&mut self, op: Op<'c>, current: usize) {
        let effects = self.effects(op);
        self.add(op, effects, current);
        for block in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
            self.check_region(block, op);
        }
    }

    /// Reports an error for each operation in `block` that uses shared memory. `block` is nested in a region of
    /// `around`. The threads may execute this region divergently.
    fn check_region(&mut self, block: Blk<'c>, around: Op<'c>) {
        for op in build::operations(block) {
            if self.effects(op).touches_memory() {
                let name = around.name();
                let name = name.as_string_ref().as_str().unwrap_or_default();
                let diagnostic = Diagnostic::new(format!(
                    "uses shared memory in a region of `{name}`, which may execute divergently"
                ))
                .note("move the operation out of the region, and apply it to whole tensors");
                self.result.errors.push((op, diagnostic));
            }
            for inner in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
                self.check_region(inner, around);
            }
        }
    }
}
