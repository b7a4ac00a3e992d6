//! The control-flow graph of a function: segments without branches, and the edges between them.
//!
//! ```text
//! a                      segment 0: a, for          0 -> 1 (first round), 0 -> 2 (no round)
//! for { b }              segment 1: b               1 -> 1 (next round),  1 -> 2
//! c                      segment 2: c
//! ```
//! A segment has only what matters to shared memory, and the loops, before which a barrier may stand. An edge has the
//! buffers that become others along it: block operands, loop-carried values, results of branches.

use super::barriers::Barriers;
use super::effects::{Act, Buffers, Effects, OpNumber, Team, ValueNumber};
use crate::ir::ops::scf;
use crate::ir::{AnyKind, OpKind, UpstreamKind};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Diagnostic, operation_id, value_id};
use gpu_sim::graph;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// An operation and what it does.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) op: OpNumber,
    pub(crate) effects: Effects,
}

/// An edge from one segment to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    /// Buffers that become others: here, there.
    pub(crate) passes: Vec<(ValueNumber, ValueNumber)>,
}

/// Operations that run one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    pub(crate) events: Vec<Event>,
    pub(crate) edges: Vec<Edge>,
    /// How many loops are around it.
    pub(crate) depth: u32,
    /// The warps that run it.
    pub(crate) team: Team,
}

/// A function's operations, by the order in which they run. It begins with segment 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) segments: Vec<Segment>,
    /// The loops, outer ones first: each stands as an event in the segment before it.
    pub(crate) loops: Vec<OpNumber>,
}

impl Flow {
    /// Returns the operations that are proxy fences, which all threads execute.
    pub(crate) fn fences(&self) -> Barriers {
        let is_fence = |event: &&Event| event.effects.acts.contains(&Act::Fence);
        let fences = self.events().filter(is_fence);
        fences.map(|event| (event.op, Team::BLOCK)).collect()
    }

    /// Returns the segments that are reached, each before those that follow it except along loops.
    pub(crate) fn order(&self) -> Vec<usize> {
        let successors: Vec<Vec<usize>> = self
            .segments
            .iter()
            .map(|segment| segment.edges.iter().map(|edge| edge.to).collect())
            .collect();
        if successors.is_empty() {
            return Vec::new();
        }
        graph::reverse_post_order(0, &successors)
    }

    /// Returns all events of the segments that are reached, in order.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        let order = self.order().into_iter();
        order.flat_map(|segment| &self.segments[segment].events)
    }
}

/// What families say of operations.
pub(crate) type EffectsOf<'f, 'c> = dyn FnMut(Op<'c>, &Buffers) -> Result<Effects, Diagnostic> + 'f;

/// A function, read.
#[derive(Debug)]
pub(crate) struct Function<'c> {
    pub(crate) flow: Flow,
    /// The buffers that it is given.
    pub(crate) given: Vec<ValueNumber>,
    /// The operations of events.
    pub(crate) ops: FxHashMap<OpNumber, Op<'c>>,
    /// What cannot be said of an operation.
    pub(crate) wrong: Vec<(Op<'c>, Diagnostic)>,
}

/// Reads the flow of a function's body.
pub(crate) fn of<'c>(function: Op<'c>, effects: &mut EffectsOf<'_, 'c>) -> Function<'c> {
    of_values(function, |type_| sys::buffer(type_).is_some(), effects)
}

/// Reads the flow of a function's body with tokens of copies in place of buffers.
pub(crate) fn of_tokens<'c>(function: Op<'c>, effects: &mut EffectsOf<'_, 'c>) -> Function<'c> {
    of_values(function, sys::is_async_token, effects)
}

/// Reads the flow of values of some types, of which effects and edges speak as buffers.
fn of_values<'c>(
    function: Op<'c>,
    is_buffer: fn(Type<'c>) -> bool,
    effects: &mut EffectsOf<'_, 'c>,
) -> Function<'c> {
    let blocks = build::blocks(function, 0);
    let mut reader = Reader {
        read: Function {
            flow: Flow::default(),
            given: Vec::new(),
            ops: FxHashMap::default(),
            wrong: Vec::new(),
        },
        starts: HashMap::new(),
        types: FxHashMap::default(),
        is_buffer,
        effects,
    };
    for block in &blocks {
        let segment = reader.segment(0);
        reader.starts.insert(sys::block_id(*block), segment);
    }
    if let Some(entry) = blocks.first() {
        reader.read.given = reader.buffers(arguments(*entry).into_iter());
    }
    for (segment, block) in blocks.into_iter().enumerate() {
        reader.block(block, segment);
    }
    reader.read
}

struct Reader<'f, 'c> {
    read: Function<'c>,
    /// The segments that blocks of the function begin with.
    starts: HashMap<usize, usize>,
    /// Which types are those of buffers: a function has few types, and many values.
    types: FxHashMap<usize, bool>,
    is_buffer: fn(Type<'c>) -> bool,
    effects: &'f mut EffectsOf<'f, 'c>,
}

fn operands<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    (0..op.operand_count())
        .map(|i| build::operand(op, i))
        .collect()
}

fn results<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    (0..op.result_count())
        .map(|i| build::result(op, i))
        .collect()
}

fn arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count())
        .map(|i| build::argument(block, i))
        .collect()
}

/// What the end of a block hands on; nothing where the block has no end yet.
fn handed_on<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    let end = build::operations(block).pop();
    end.map(operands).unwrap_or_default()
}

impl<'c> Reader<'_, 'c> {
    fn segment(&mut self, depth: u32) -> usize {
        self.read.flow.segments.push(Segment {
            depth,
            ..Segment::default()
        });
        self.read.flow.segments.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, passes: &[(&[Val<'c>], &[Val<'c>])]) {
        let pairs = passes
            .iter()
            .flat_map(|(here, there)| here.iter().zip(*there));
        let passes = pairs
            .filter(|(here, _)| self.is_buffer(**here))
            .map(|(here, there)| (value_id(*here), value_id(*there)))
            .collect();
        self.read.flow.segments[from]
            .edges
            .push(Edge { to, passes });
    }

    /// Reads a block that begins with a segment; returns the segment that it ends with.
    fn block(&mut self, block: Blk<'c>, mut segment: usize) -> usize {
        for op in build::operations(block) {
            use UpstreamKind as U;
            segment = match AnyKind::of(op) {
                AnyKind::Upstream(U::ScfFor | U::ScfWhile) => self.looped(op, segment),
                AnyKind::Upstream(U::ScfIf | U::ScfIndexSwitch) | AnyKind::Own(OpKind::TtgMask) => {
                    self.branched(op, segment)
                }
                AnyKind::Upstream(U::CfBranch | U::CfCondBranch | U::CfSwitch) => {
                    self.left(op, segment);
                    segment
                }
                _ => {
                    self.event(op, segment);
                    segment
                }
            };
        }
        segment
    }

    /// `scf.for` and `scf.while`: the second may end between its two regions.
    fn looped(&mut self, op: Op<'c>, segment: usize) -> usize {
        let regions: Vec<Blk<'c>> = (0..op.region_count())
            .filter_map(|i| build::single_block(op, i))
            .collect();
        let Some(first) = regions.first().copied() else {
            return segment;
        };
        let number = operation_id(op);
        self.read.flow.loops.push(number);
        self.read.flow.segments[segment].events.push(Event {
            op: number,
            effects: Effects::default(),
        });
        let depth = self.read.flow.segments[segment].depth;
        let body = self.segment(depth + 1);
        let results = results(op);
        let taken = arguments(first);
        // The first argument of the body of `scf.for` is its counter.
        let (operands, taken, is_for) = match (scf::For::of(op), scf::While::of(op)) {
            (Some(view), _) => (view.init_args(), taken.get(1..).unwrap_or_default(), true),
            (None, Some(view)) => (view.inits(), &taken[..], false),
            (None, None) => return segment,
        };
        let operands = &operands[..];
        self.edge(segment, body, &[(operands, taken)]);
        let end = self.block(first, body);
        let handed = handed_on(first);
        if let Some(second) = regions.get(1).copied().filter(|_| !is_for) {
            // The condition comes first.
            let handed = handed.get(1..).unwrap_or_default();
            let again = self.segment(depth + 1);
            self.edge(end, again, &[(handed, &arguments(second))]);
            let back = self.block(second, again);
            self.edge(back, body, &[(&handed_on(second), taken)]);
            let after = self.segment(depth);
            self.edge(end, after, &[(handed, &results)]);
            return after;
        }
        let after = self.segment(depth);
        self.edge(segment, after, &[(operands, &results)]);
        self.edge(end, body, &[(&handed, taken)]);
        self.edge(end, after, &[(&handed, &results)]);
        after
    }

    /// `scf.if` and `scf.index_switch`: one of the regions, or none where the second of an `if` is left out;
    /// `ttg.mask`: its region or none.
    fn branched(&mut self, op: Op<'c>, segment: usize) -> usize {
        let depth = self.read.flow.segments[segment].depth;
        let results = results(op);
        let mut ends = Vec::new();
        let mut is_skipped = OpKind::TtgMask.is(op);
        for i in 0..op.region_count() {
            let Some(block) = build::single_block(op, i) else {
                is_skipped = true;
                continue;
            };
            let start = self.segment(depth);
            self.edge(segment, start, &[]);
            ends.push((self.block(block, start), block));
        }
        let after = self.segment(depth);
        for (end, block) in ends {
            self.edge(end, after, &[(&handed_on(block), &results)]);
        }
        if is_skipped {
            self.edge(segment, after, &[]);
        }
        after
    }

    /// A branch of `cf`: what the blocks take comes last among its operands.
    fn left(&mut self, op: Op<'c>, segment: usize) {
        let targets = build::successors(op);
        let taken: Vec<Vec<Val<'c>>> = targets.iter().map(|block| arguments(*block)).collect();
        let operands = operands(op);
        let passed: usize = taken.iter().map(Vec::len).sum();
        let mut rest = &operands[operands.len().saturating_sub(passed)..];
        for (block, taken) in targets.iter().zip(&taken) {
            let (own, others) = rest.split_at(taken.len().min(rest.len()));
            rest = others;
            if let Some(to) = self.starts.get(&sys::block_id(*block)).copied() {
                self.edge(segment, to, &[(own, taken)]);
            }
        }
    }

    fn is_buffer(&mut self, value: Val<'c>) -> bool {
        let type_ = value.r#type();
        let known = self.types.entry(sys::type_id(type_));
        *known.or_insert_with(|| (self.is_buffer)(type_))
    }

    fn buffers(&mut self, values: impl Iterator<Item = Val<'c>>) -> Vec<ValueNumber> {
        let buffers = values.filter(|value| self.is_buffer(*value));
        buffers.map(value_id).collect()
    }

    fn effects(&mut self, op: Op<'c>) -> Effects {
        let buffers = Buffers {
            operands: self.buffers((0..op.operand_count()).map(|i| build::operand(op, i))),
            results: self.buffers((0..op.result_count()).map(|i| build::result(op, i))),
        };
        match (self.effects)(op, &buffers) {
            Ok(effects) => Effects {
                uses: buffers.operands,
                ..effects
            },
            Err(diagnostic) => {
                self.read.wrong.push((op, diagnostic));
                Effects::default()
            }
        }
    }

    fn event(&mut self, op: Op<'c>, segment: usize) {
        let effects = self.effects(op);
        if !effects.is_none() {
            let number = operation_id(op);
            self.read.ops.insert(number, op);
            let event = Event {
                op: number,
                effects,
            };
            self.read.flow.segments[segment].events.push(event);
        }
        for block in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
            self.unordered(block, op);
        }
    }

    /// Nothing below an operation whose regions run nobody knows when may touch shared memory.
    fn unordered(&mut self, block: Blk<'c>, around: Op<'c>) {
        for op in build::operations(block) {
            if self.effects(op).touches_memory() {
                let name = around.name();
                let name = name.as_string_ref().as_str().unwrap_or_default();
                let diagnostic = Diagnostic::new(format!(
                    "uses shared memory in a region of `{name}`, which may execute divergently"
                ))
                .note("move it before or after the region, on whole tensors");
                self.read.wrong.push((op, diagnostic));
            }
            for inner in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
                self.unordered(inner, around);
            }
        }
    }
}
