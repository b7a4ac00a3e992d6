//! Concrete execution of asynchronous accesses: faults on paths with known integers.
//!
//! In programs with rotating buffers, loop-carried integers select buffers and phases of mbarriers. This analysis
//! executes the control flow and the integer operations of a function, with all integer arguments set to one of
//! [`SAMPLES`], and applies effects to exact byte ranges:
//!
//! ```text
//! for i { wait 1; read A[stage]; copy A[next]; commit; (stage, next) = ... }
//! with 2 copies in flight: correct
//! with 3 copies in flight: wrong, A[stage] is still in flight when it is read
//! ```
//! Execution stops at an unknown condition, such as a loaded value, or after [`MAX_ITERATIONS`] iterations. There are
//! no false positives if the function may be called with the sample values. The rules are those of
//! [`in_flight`](super::in_flight), and in addition:
//!
//! - The phase of an mbarrier completes with its last arrival and byte. Waiting for a phase that cannot complete is a
//!   fault, and so are more bytes or arrivals than the phase expects.
//! - The result of an asynchronous product is used by another product or after a wait.
//! - An mbarrier is invalidated only after the copies of its last phase.
//! - Reads need earlier writes of the same bytes, unless an earlier write was masked.
//! - No access is in flight when a kernel returns.
//!
//! # Regions of `ttg.warp_specialize`
//! The regions run cooperatively: in turns, each team executes one operation, unless the operation waits for an
//! incomplete phase. If all teams wait, each wait is a fault. Execution stops at the first fault, or if any team stops.
//! A team (the warps of one region) is one party, since barrier insertion orders accesses within a team.
//!
//! Only mbarriers order accesses of different teams. Each team has a [`TeamClock`] of the accesses ordered before the
//! team's next operation:
//!
//! | operation | effect on clocks |
//! |---|---|
//! | arrive, expect | the phase receives the clock of the team |
//! | copy that completes on an mbarrier | the phase receives the clock at the start of the copy |
//! | wait for an mbarrier | the team receives the clocks of all completed phases, and all their copies |
//! | wait for groups | the accesses of the groups become accesses of the team at the wait |
//!
//! Conflicting accesses of two teams are a fault if the clocks do not order them, in either order of execution. If the
//! first access has started but not completed before the second one, the fault is an access in flight. There are no
//! false positives: every executed order is possible, and joining the clocks of all completed phases only hides faults.
//! Proxy fences between teams are not checked.
//!
//! A wait specifies only the parity of a phase. If the next phase may complete before the wait, the wait may block for
//! one more phase. A phase is therefore a fault if it completes unordered with waits for the preceding phase.
//!
//! Reading order: `memory` (the state of shared memory), `clocks`, `integers`, this file.

use super::effects::{
    AccessTarget, Act, AsyncAccess, Channel, Effects, MbarrierUse, OpId, Team, ValueId, ViewRange,
};
use super::flow::Flow;
use crate::ir::ops::{scf, ttg};
use crate::ir::partitions::{partitions_of, warps_of_regions};
use crate::ir::{AnyKind, OpKind, UpstreamKind};
use crate::sys::build::{self, Blk, Op, Val, block_arguments};
use crate::sys::{block_id, operation_id, value_id};
use clocks::{Moment, Party, TeamClock};
pub(crate) use integers::{evaluate, width, wrapped};
use melior::ir::BlockLike;
use melior::ir::operation::OperationLike;
use memory::{Access, Bytes, Mbarrier, PathState, WarpQueues};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

mod clocks;
mod integers;
mod memory;
#[cfg(test)]
mod tests;

/// Values of the integer arguments. Each execution uses one of them for all arguments. All are multiples of 16,
/// since launchers guarantee this divisibility.
const SAMPLES: [i64; 4] = [2048, 512, 128, 16];

/// Maximum number of loop iterations per team in one execution of the function.
const MAX_ITERATIONS: u32 = 40;

/// Maximum number of operations that a team executes in one execution of the function.
const MAX_OPERATIONS: u32 = 20_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    /// The operations `first` and `at` have conflicting accesses, which different warps perform. Nothing orders the
    /// two accesses.
    OtherWarps { first: OpId, at: OpId },
    /// `at` conflicts with the asynchronous access that `started` started, which is still in flight.
    InFlight { started: OpId, at: OpId },
    /// `at` uses the result of the asynchronous matrix product `started`, which is still in flight.
    Result { started: OpId, at: OpId },
    /// The operation reads bytes that have not been written.
    Unwritten(OpId),
    /// `at` waits for an mbarrier phase that never completes, because `arrivals` arrivals and `bytes` bytes are
    /// missing.
    Endless { at: OpId, arrivals: u32, bytes: i64 },
    /// `at` waits for an mbarrier phase, and `next` completes the phase after it. Nothing orders the wait before
    /// this completion, so the wait may miss the end of its phase.
    Overtaken { at: OpId, next: OpId },
    /// The operation uses an uninitialised mbarrier.
    NoMbarrier(OpId),
    /// At operation `at`, an mbarrier phase has received `bytes` more bytes than expected.
    MoreBytes { at: OpId, bytes: i64 },
    /// At this operation, an mbarrier phase receives more arrivals than expected.
    MoreArrivals(OpId),
    /// The kernel returns at `at` while the shared-memory access that `started` started is still in flight.
    AtEnd { started: OpId, at: OpId },
}

impl Fault {
    pub(crate) const fn at(self) -> OpId {
        match self {
            Self::OtherWarps { at, .. }
            | Self::InFlight { at, .. }
            | Self::Result { at, .. }
            | Self::Unwritten(at)
            | Self::NoMbarrier(at)
            | Self::Overtaken { at, .. }
            | Self::Endless { at, .. }
            | Self::MoreBytes { at, .. }
            | Self::AtEnd { at, .. }
            | Self::MoreArrivals(at) => at,
        }
    }
}

/// Executes the function once with each value in [`SAMPLES`]. Returns the faults of the first faulty execution,
/// provided that a second execution is faulty too.
///
/// A single faulty execution is ignored, since the function may not support the sampled size. A function is not
/// executed and has no faults if it has neither asynchronous accesses nor regions that only some of the warps
/// execute.
pub(crate) fn faults(function: Op<'_>, flow: &Flow, is_kernel: bool) -> BTreeSet<Fault> {
    let events = flow.events().map(|event| (event.op, &event.effects));
    let effects: FxHashMap<OpId, &Effects> = events.collect();
    let mut acts = effects.values().flat_map(|effects| &effects.acts);
    let is_asynchronous = acts.any(|act| matches!(act, Act::Start(_)));
    let has_teams = flow.blocks.iter().any(|block| block.team != Team::BLOCK);
    let mut first = BTreeSet::new();
    if !is_asynchronous && !has_teams {
        return first;
    }
    for sample in SAMPLES {
        let mut path = Path {
            effects: &effects,
            is_kernel,
            sample,
            faults: BTreeSet::new(),
            integers: FxHashMap::default(),
            views: FxHashMap::default(),
            results: FxHashMap::default(),
            state: PathState::default(),
            teams: Vec::new(),
            current: 0,
        };
        path.function(function);
        match (first.is_empty(), path.faults.is_empty()) {
            (_, true) => {}
            (true, false) => first = path.faults,
            (false, false) => return first,
        }
    }
    BTreeSet::new()
}

#[derive(Clone, Copy, Debug, Default)]
struct PathValue {
    integer: Option<i64>,
    view: Option<Bytes>,
    /// The asynchronous product that computes the value, and the number of the product's commit group.
    result: Option<(OpId, u32)>,
}

struct Frame<'c> {
    ops: Vec<Op<'c>>,
    next: usize,
    around: Around<'c>,
}

#[derive(Clone, Copy)]
enum Around<'c> {
    /// The body of a function, or a region of `ttg.warp_specialize`. Either may have several blocks.
    Region,
    Conditional(Op<'c>),
    For {
        op: Op<'c>,
        counter: i64,
        end: i64,
        step: i64,
    },
}

impl<'c> Frame<'c> {
    fn new(block: Blk<'c>, around: Around<'c>) -> Self {
        Self {
            ops: build::operations(block),
            next: 0,
            around,
        }
    }
}

#[derive(Default)]
struct TeamPath<'c> {
    /// The blocks that the team is executing, outermost block first.
    frames: Vec<Frame<'c>>,
    first_warp: u32,
    clock: TeamClock,
    iterations: u32,
    operations: u32,
    is_done: bool,
}

enum Turn {
    Executed,
    /// The next operation cannot execute yet, since it waits for other teams.
    Blocked,
}

struct Path<'p, 'c> {
    effects: &'p FxHashMap<OpId, &'p Effects>,
    is_kernel: bool,
    sample: i64,
    faults: BTreeSet<Fault>,
    integers: FxHashMap<ValueId, i64>,
    views: FxHashMap<ValueId, Bytes>,
    results: FxHashMap<ValueId, (OpId, u32)>,
    state: PathState,
    /// The first team executes the function and the default regions. Each other team executes one partition.
    teams: Vec<TeamPath<'c>>,
    current: usize,
}

impl<'c> Path<'_, 'c> {
    /// Executes a function until it ends or control flow depends on an unknown value.
    fn function(&mut self, function: Op<'c>) {
        let Some(entry) = build::blocks(function, 0).first().copied() else {
            return;
        };
        for argument in block_arguments(entry) {
            let is_number = width(argument).is_some_and(|width| width >= 32);
            self.set_integer(argument, is_number.then_some(self.sample));
        }
        self.teams.push(TeamPath {
            frames: vec![Frame::new(entry, Around::Region)],
            ..TeamPath::default()
        });
        self.team_clock().tick(Party::Team(0));
        while self.round().is_some() {}
    }

    /// Executes the next operation of each team that is not blocked. Returns `None` if the execution has to end. If
    /// all teams are blocked, also reports the waits that never end.
    fn round(&mut self) -> Option<()> {
        let mut is_deadlock = true;
        for team in 0..self.teams.len() {
            // The turn of the first team may end other teams.
            if self.teams.get(team).is_none_or(|team| team.is_done) {
                continue;
            }
            self.current = team;
            is_deadlock &= matches!(self.turn()?, Turn::Blocked);
            if self.is_concurrent() && !self.faults.is_empty() {
                return None;
            }
        }
        if !is_deadlock {
            return Some(());
        }
        let ops = self.teams.iter().filter_map(|team| {
            let frame = team.frames.last()?;
            frame.ops.get(frame.next)
        });
        let waits = ops.filter_map(|op| {
            let at = operation_id(*op);
            let (arrivals, bytes) = self.missing(at)?;
            Some(Fault::Endless {
                at,
                arrivals,
                bytes,
            })
        });
        let waits: Vec<Fault> = waits.collect();
        self.faults.extend(waits);
        None
    }

    const fn is_concurrent(&self) -> bool {
        self.teams.len() > 1
    }

    fn team(&mut self) -> &mut TeamPath<'c> {
        &mut self.teams[self.current]
    }

    fn team_clock(&mut self) -> &mut TeamClock {
        &mut self.team().clock
    }

    fn queues(&mut self) -> &mut WarpQueues {
        let first_warp = self.team().first_warp;
        self.state.queues(first_warp)
    }

    fn now(&self) -> Moment {
        let party = Party::Team(self.current);
        self.teams[self.current].clock.moment(party)
    }

    fn get(&self, value: Val<'_>) -> Option<i64> {
        self.integers.get(&value_id(value)).copied()
    }

    fn set_integer(&mut self, value: Val<'_>, number: Option<i64>) {
        match number.zip(width(value)) {
            Some((number, width)) => {
                self.integers
                    .insert(value_id(value), wrapped(number, width));
            }
            None => {
                self.integers.remove(&value_id(value));
            }
        }
    }

    fn value(&self, value: Val<'_>) -> PathValue {
        let value = value_id(value);
        PathValue {
            integer: self.integers.get(&value).copied(),
            view: self.views.get(&value).copied(),
            result: self.results.get(&value).copied(),
        }
    }

    fn set(&mut self, value: Val<'_>, known: PathValue) {
        self.set_integer(value, known.integer);
        let value = value_id(value);
        match known.view {
            Some(view) => self.views.insert(value, view),
            None => self.views.remove(&value),
        };
        match known.result {
            Some(result) => self.results.insert(value, result),
            None => self.results.remove(&value),
        };
    }

    /// Copies everything known about `from[i]` to `to[i]`, for each `i`. All of `from` is read first, since `to`
    /// may contain the same values.
    fn pass(&mut self, from: &[Val<'_>], to: &[Val<'_>]) {
        let known: Vec<PathValue> = from.iter().map(|value| self.value(*value)).collect();
        for (value, known) in to.iter().zip(known) {
            self.set(*value, known);
        }
    }

    /// Executes the current team's next operation, unless the operation is blocked. Returns `None` if the execution
    /// has to end.
    fn turn(&mut self) -> Option<Turn> {
        use UpstreamKind as U;
        let frame = self.team().frames.last()?;
        let op = *frame.ops.get(frame.next)?;
        if self.is_concurrent() && self.is_blocked(op) {
            return Some(Turn::Blocked);
        }
        let team = self.team();
        team.frames.last_mut()?.next += 1;
        team.operations += 1;
        if team.operations > MAX_OPERATIONS {
            return None;
        }
        match AnyKind::of(op) {
            AnyKind::Upstream(U::ScfFor) => self.for_loop(op)?,
            AnyKind::Upstream(U::ScfIf) => self.conditional(op)?,
            AnyKind::Upstream(U::ScfYield) => self.yield_(&build::operands(op))?,
            AnyKind::Upstream(U::CfBranch | U::CfCondBranch) => self.branch(op)?,
            AnyKind::Own(OpKind::TtgWarpSpecialize) => self.fork(op)?,
            AnyKind::Own(OpKind::TtgWarpYield) => self.join(op)?,
            AnyKind::Own(OpKind::TtgWarpReturn) => self.team().is_done = true,
            AnyKind::Upstream(U::ScfWhile | U::ScfIndexSwitch | U::CfSwitch)
            | AnyKind::Own(OpKind::TtgMask | OpKind::TtCall) => return None,
            _ => self.operation(op)?,
        }
        Some(Turn::Executed)
    }

    fn is_blocked(&self, op: Op<'_>) -> bool {
        if OpKind::TtgWarpYield.is(op) {
            return !self.teams[1..].iter().all(|team| team.is_done);
        }
        self.missing(operation_id(op)).is_some()
    }

    /// Returns the numbers of arrivals and bytes that are still missing in the mbarrier phase for which `op` waits.
    /// Returns `None` if `op` can continue, or if the phase is unknown.
    fn missing(&self, op: OpId) -> Option<(u32, i64)> {
        let effects = self.effects.get(&op)?;
        let Some((object, MbarrierUse::Wait { parity })) = effects.mbarrier else {
            return None;
        };
        if let Some(predicate) = effects.predicate
            && *self.integers.get(&predicate)? == 0
        {
            return None;
        }
        let mbarrier = self.mbarrier(object)?;
        let parity = self.integers.get(&parity)?;
        let is_pending = mbarrier.phase & 1 == parity.unsigned_abs() & 1;
        is_pending.then_some((mbarrier.pending, mbarrier.bytes))
    }

    /// Starts an `scf.for` whose bounds and positive step are known. In all other cases, returns `None`, and the
    /// execution has to end.
    fn for_loop(&mut self, op: Op<'c>) -> Option<()> {
        let for_ = scf::For::of(op)?;
        let body = build::single_block(op, 0)?;
        let (counter, end) = (self.get(for_.lower_bound())?, self.get(for_.upper_bound())?);
        let step = self.get(for_.step()).filter(|step| *step > 0)?;
        self.pass(&for_.init_args(), block_arguments(body).get(1..)?);
        // The results of a loop without iterations.
        self.pass(&for_.init_args(), &build::results(op));
        let around = Around::For {
            op,
            counter,
            end,
            step,
        };
        self.team().frames.push(Frame::new(body, around));
        self.iterate()
    }

    /// Starts the next iteration of the innermost `scf.for`, or leaves the loop if all iterations are complete.
    /// Returns `None` if the execution has to end.
    fn iterate(&mut self) -> Option<()> {
        let team = self.team();
        let frame = team.frames.last_mut()?;
        let Around::For {
            op, counter, end, ..
        } = frame.around
        else {
            return None;
        };
        if counter >= end {
            team.frames.pop();
            return Some(());
        }
        frame.next = 0;
        team.iterations += 1;
        if team.iterations > MAX_ITERATIONS {
            return None;
        }
        let number = build::argument(build::single_block(op, 0)?, 0);
        self.set_integer(number, Some(counter));
        Some(())
    }

    /// Starts an `scf.if`. Returns `None` if the condition is unknown, and the execution has to end.
    fn conditional(&mut self, op: Op<'c>) -> Option<()> {
        let condition = self.get(*build::operands(op).first()?)?;
        if let Some(block) = build::single_block(op, usize::from(condition == 0)) {
            let frame = Frame::new(block, Around::Conditional(op));
            self.team().frames.push(frame);
        }
        Some(())
    }

    /// Ends the innermost block, which yields `values`. A loop starts its next iteration or ends. Returns `None` if
    /// the execution has to end.
    fn yield_(&mut self, values: &[Val<'c>]) -> Option<()> {
        match self.team().frames.last()?.around {
            Around::Region => None,
            Around::Conditional(op) => {
                self.pass(values, &build::results(op));
                self.team().frames.pop();
                Some(())
            }
            Around::For { op, .. } => {
                self.pass(values, &build::results(op));
                let body = build::single_block(op, 0)?;
                self.pass(values, block_arguments(body).get(1..)?);
                if let Around::For { counter, step, .. } =
                    &mut self.team().frames.last_mut()?.around
                {
                    *counter = counter.checked_add(*step)?;
                }
                self.iterate()
            }
        }
    }

    /// Executes a `cf.br`, or a `cf.cond_br` whose condition is known. In all other cases, returns `None`, and the
    /// execution has to end.
    fn branch(&mut self, op: Op<'c>) -> Option<()> {
        let targets = build::successors(op);
        let operands = build::operands(op);
        let (target, from) = match targets[..] {
            [target] => (target, 0),
            [then, _] if self.get(operands[0])? != 0 => (then, 1),
            [then, other] => (other, 1 + then.argument_count()),
            _ => return None,
        };
        // Two edges to one block may pass different values.
        self.team().iterations += 1;
        if self.team().iterations > MAX_ITERATIONS
            || targets.len() == 2 && block_id(targets[0]) == block_id(targets[1])
        {
            return None;
        }
        self.pass(operands.get(from..)?, &block_arguments(target));
        let frame = self.team().frames.last_mut()?;
        if !matches!(frame.around, Around::Region) {
            return None;
        }
        *frame = Frame::new(target, Around::Region);
        Some(())
    }

    /// Starts all regions of a `ttg.warp_specialize`. The current team executes the default region, and a new team
    /// executes each partition. Returns `None` if the execution has to end.
    fn fork(&mut self, op: Op<'c>) -> Option<()> {
        if self.is_concurrent() {
            return None;
        }
        let view = ttg::WarpSpecialize::of(op)?;
        self.operation(op)?;
        let partitions = partitions_of(view)?;
        let captures = partitions.explicit_captures();
        self.state.synchronise();
        let clock = self.teams[0].clock.clone();
        self.team_clock().tick(Party::Team(0));
        let default = *build::blocks(op, 0).first()?;
        let frame = Frame::new(default, Around::Region);
        self.team().frames.push(frame);
        let holder = partitions.op();
        let ranges = warps_of_regions(view).into_iter().skip(1);
        for (region, range) in (0..holder.region_count()).zip(ranges) {
            let entry = *build::blocks(holder, region).first()?;
            self.pass(&captures, &block_arguments(entry));
            let mut clock = clock.clone();
            clock.tick(Party::Team(self.teams.len()));
            self.teams.push(TeamPath {
                frames: vec![Frame::new(entry, Around::Region)],
                first_warp: range.first,
                clock,
                ..TeamPath::default()
            });
        }
        Some(())
    }

    /// Ends a `ttg.warp_specialize`, all of whose partitions have ended. Reports each read of bytes that no earlier
    /// access has written.
    fn join(&mut self, end: Op<'c>) -> Option<()> {
        let op = build::parent(end)?;
        let unwritten = std::mem::take(&mut self.state.unwritten).into_iter();
        self.faults
            .extend(unwritten.map(|read| Fault::Unwritten(read.op)));
        self.state.synchronise();
        self.teams.truncate(1);
        self.team().frames.pop();
        self.pass(&build::operands(end), &build::results(op));
        Some(())
    }

    fn operation(&mut self, op: Op<'_>) -> Option<()> {
        let number = operation_id(op);
        let results = build::results(op);
        let effects = self.effects.get(&number).copied();
        let starts_product = |act: &Act| *act == Act::Commit(Channel::Products);
        let waits = |act: &Act| {
            matches!(
                act,
                Act::Observe {
                    channel: Channel::Products,
                    ..
                }
            )
        };
        let acts = effects.map_or(&[][..], |effects| &effects.acts);
        let (is_product, is_wait) = (acts.iter().any(starts_product), acts.iter().any(waits));
        if !is_product && !is_wait {
            self.check_results(op);
        }
        let passed: Vec<PathValue> = match is_wait && !is_product {
            true => build::operands(op)
                .into_iter()
                .map(|v| self.value(v))
                .collect(),
            false => Vec::new(),
        };
        let integer = match results[..] {
            [result] if width(result).is_some() => evaluate(op, |value| self.get(value)),
            _ => None,
        };
        for result in &results {
            self.set(*result, PathValue::default());
        }
        if let [result] = results[..] {
            self.set_integer(result, integer);
        }
        if OpKind::TtReturn.is(op)
            && self.is_kernel
            && let Some(access) = self.state.in_flight().next()
        {
            let (started, at) = (access.op, number);
            self.faults.insert(Fault::AtEnd { started, at });
        }
        if let Some(effects) = effects {
            self.act(number, effects)?;
        }
        if is_product && !is_wait {
            let group = self.queues().products.closed - 1;
            results.iter().for_each(|result| {
                self.results.insert(value_id(*result), (number, group));
            });
        }
        for (result, known) in results.iter().zip(passed) {
            if let Some((started, group)) = known.result
                && self.queues().products.has_group(group)
            {
                self.results.insert(value_id(*result), (started, group));
            }
        }
        Some(())
    }

    /// Reports each operand of `op` that is the result of an asynchronous product still in flight.
    fn check_results(&mut self, op: Op<'_>) {
        for operand in build::operands(op) {
            let Some((started, group)) = self.results.get(&value_id(operand)).copied() else {
                continue;
            };
            if self.queues().products.has_group(group) {
                let at = operation_id(op);
                self.faults.insert(Fault::Result { started, at });
            }
        }
    }

    fn act(&mut self, op: OpId, effects: &Effects) -> Option<()> {
        if let Some(predicate) = effects.predicate
            && *self.integers.get(&predicate)? == 0
        {
            self.state.is_masked = true;
            return Some(());
        }
        if let Some(allocation) = effects.allocation {
            let bytes = Bytes {
                allocation: op,
                from: 0,
                to: allocation.request.bytes,
                is_exact: true,
            };
            self.state
                .written
                .retain(|written| written.allocation != op);
            self.state
                .complete
                .retain(|access| access.bytes.allocation != op);
            self.views.insert(allocation.value, bytes);
        }
        for view in &effects.views {
            if let Some(bytes) = self.views.get(&view.source).copied() {
                let range = self.view(bytes, view.range);
                self.views.insert(view.result, range);
            }
        }
        for act in &effects.acts {
            match *act {
                Act::Read(target) => self.access(op, target, false, None),
                Act::Write(target) => self.access(op, target, true, None),
                Act::Start(start) => self.access(op, start.target, start.is_write, Some(start)),
                Act::Commit(channel) => {
                    if let Some(queue) = self.queues().queue(channel) {
                        queue.commit();
                    }
                }
                Act::Attach(mbarrier) => self.attach_copies(mbarrier),
                Act::Observe { channel, at_most } => self.observe(channel, at_most),
                Act::Barrier | Act::Sync(_) | Act::Stagger(_) | Act::Fence => {}
            }
        }
        match effects.mbarrier {
            Some((object, how)) => self.use_mbarrier(op, object, how),
            None => Some(()),
        }
    }

    fn view(&self, bytes: Bytes, range: ViewRange) -> Bytes {
        let (from, to) = match range {
            ViewRange::All => return bytes,
            ViewRange::Bytes { from, to } if bytes.is_exact => (from, to),
            ViewRange::Indexed {
                index, bytes: size, ..
            } if bytes.is_exact => {
                let index = self.integers.get(&index);
                match index.and_then(|index| u32::try_from(*index).ok()) {
                    Some(index) => (
                        index.saturating_mul(size),
                        index.saturating_add(1).saturating_mul(size),
                    ),
                    None => {
                        return Bytes {
                            is_exact: false,
                            ..bytes
                        };
                    }
                }
            }
            _ => {
                return Bytes {
                    is_exact: false,
                    ..bytes
                };
            }
        };
        let at = |offset: u32| bytes.from.saturating_add(offset).min(bytes.to);
        Bytes {
            from: at(from),
            to: at(to),
            ..bytes
        }
    }

    /// Adds the copies in flight to the accesses that complete with the current phase of an mbarrier.
    fn attach_copies(&mut self, mbarrier: ValueId) {
        let copies = self.queues().queue(Channel::Copies).into_iter();
        let accesses: Vec<Access> = copies.flat_map(|queue| queue.all().copied()).collect();
        if let Some(mbarrier) = self.mbarrier_mut(mbarrier) {
            mbarrier.open.extend(accesses);
        }
    }

    fn observe(&mut self, channel: Channel, at_most: u32) {
        let is_concurrent = self.is_concurrent();
        let end = Some(self.now());
        let Some(queue) = self.queues().queue(channel) else {
            return;
        };
        let done = queue.groups.len().saturating_sub(at_most as usize);
        let done: Vec<_> = queue.groups.drain(..done).collect();
        let done = done.into_iter().flat_map(|(_, group)| group);
        let done = done.map(|access| Access { end, ..access }).collect();
        self.state.observe(done, is_concurrent);
    }

    fn access(
        &mut self,
        op: OpId,
        target: AccessTarget,
        is_write: bool,
        start: Option<AsyncAccess>,
    ) {
        let bytes = match target {
            AccessTarget::Buffer(value) => self.views.get(&value).copied(),
            AccessTarget::Scratch => return,
            AccessTarget::External => None,
        };
        let Some(bytes) = bytes else {
            self.state.is_masked |= is_write;
            return;
        };
        let now = self.now();
        let access = Access {
            op,
            bytes,
            is_write,
            start: now,
            end: start.is_none().then_some(now),
        };
        self.check_access(access);
        if is_write {
            if !self.state.written.contains(&bytes) {
                self.state.written.push(bytes);
            }
        } else if !self.state.is_masked {
            let mut written = self.state.written.iter();
            if !written.any(|written| written.overlaps(bytes)) {
                if self.is_concurrent() {
                    self.state.unwritten.push(access);
                } else {
                    self.faults.insert(Fault::Unwritten(op));
                }
            }
        }
        let Some(start) = start else {
            if self.is_concurrent() {
                self.state.record(access);
            }
            return;
        };
        match start.channel {
            Channel::Mbarrier(object) => {
                if let Some(mbarrier) = self.mbarrier_mut(object) {
                    mbarrier.open.push(access);
                }
            }
            channel => {
                let queue = self.queues().queue(channel);
                queue.into_iter().for_each(|queue| queue.open.push(access));
            }
        }
    }

    /// Reports the conflicts of `access` with earlier accesses that are not ordered before it.
    fn check_access(&mut self, access: Access) {
        let at = access.op;
        let clock = &self.teams[self.current].clock;
        let fault = |first: &Access| match clock.is_after(first.start) {
            true => Fault::InFlight {
                started: first.op,
                at,
            },
            false => Fault::OtherWarps {
                first: first.op,
                at,
            },
        };
        let mut in_flight = self
            .state
            .in_flight()
            .filter(|first| first.conflicts_with(&access));
        if !self.is_concurrent() {
            self.faults.extend(in_flight.next().map(fault));
            return;
        }
        self.faults.extend(in_flight.map(fault));
        let complete = self.state.complete.iter();
        let unordered =
            complete.filter(|first| first.conflicts_with(&access) && !first.is_complete(clock));
        self.faults.extend(unordered.map(fault));
        if !access.is_write {
            return;
        }
        // This write should have preceded the read.
        let reads = self.state.unwritten.iter();
        let reads = reads.filter(|read| read.conflicts_with(&access));
        self.faults
            .extend(reads.map(|read| match read.is_complete(clock) {
                true => Fault::Unwritten(read.op),
                false => Fault::OtherWarps {
                    first: at,
                    at: read.op,
                },
            }));
    }

    fn mbarrier(&self, object: ValueId) -> Option<&Mbarrier> {
        let bytes = self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        let key = (bytes.allocation, bytes.from);
        self.state.mbarriers.get(&key)
    }

    fn mbarrier_mut(&mut self, object: ValueId) -> Option<&mut Mbarrier> {
        let bytes = self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        let key = (bytes.allocation, bytes.from);
        self.state.mbarriers.get_mut(&key)
    }

    /// Applies an mbarrier operation. Returns `None` if the execution has to end, because the mbarrier is unknown
    /// or is used incorrectly.
    fn use_mbarrier(&mut self, op: OpId, object: ValueId, how: MbarrierUse) -> Option<()> {
        let bytes = *self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        let key = (bytes.allocation, bytes.from);
        if let MbarrierUse::Init { count } = how {
            self.state.init(key, count);
        }
        let is_concurrent = self.is_concurrent();
        let clock = &mut self.teams[self.current].clock;
        let Some(mbarrier) = self.state.mbarriers.get_mut(&key) else {
            self.faults.insert(Fault::NoMbarrier(op));
            return None;
        };
        let arrivals = match how {
            MbarrierUse::Init { .. } => return Some(()),
            MbarrierUse::Invalidate => {
                let ended = self.state.mbarriers.remove(&key)?;
                // No later wait can observe these copies.
                let unobserved = ended.open.iter().chain(&ended.ended);
                let faults = unobserved.map(|access| Fault::InFlight {
                    started: access.op,
                    at: op,
                });
                self.faults.extend(faults);
                return Some(());
            }
            MbarrierUse::Expect { bytes } => {
                mbarrier.bytes += i64::from(bytes);
                1
            }
            MbarrierUse::Arrive { count } | MbarrierUse::ArriveAfterCopies { count } => count,
            MbarrierUse::Copy { to } => {
                let copied = self.views.get(&to).filter(|bytes| bytes.is_exact)?;
                mbarrier.bytes -= i64::from(copied.to - copied.from);
                0
            }
            MbarrierUse::Wait { parity } => {
                let parity = self.integers.get(&parity)?;
                if mbarrier.phase & 1 == parity.unsigned_abs() & 1 {
                    let (arrivals, bytes) = (mbarrier.pending, mbarrier.bytes);
                    self.faults.insert(Fault::Endless {
                        at: op,
                        arrivals,
                        bytes,
                    });
                    return None;
                }
                clock.join(&mbarrier.released);
                clock.add(Moment {
                    party: mbarrier.party,
                    time: mbarrier.phase,
                });
                let observed = std::mem::take(&mut mbarrier.ended);
                if is_concurrent {
                    let now = clock.moment(Party::Team(self.current));
                    mbarrier.waits.push((op, now));
                }
                self.state.observe(observed, is_concurrent);
                return Some(());
            }
        };
        mbarrier.arrived.join(clock);
        clock.tick(Party::Team(self.current));
        let Some(pending) = mbarrier.pending.checked_sub(arrivals) else {
            self.faults.insert(Fault::MoreArrivals(op));
            return None;
        };
        mbarrier.pending = pending;
        if pending == 0 && mbarrier.bytes < 0 {
            let bytes = -mbarrier.bytes;
            self.faults.insert(Fault::MoreBytes { at: op, bytes });
            return None;
        }
        if pending == 0 && mbarrier.bytes == 0 {
            let overtaken = mbarrier.complete().into_iter();
            // Accesses that are not ordered are a better explanation.
            if self.faults.is_empty() {
                let overtaken = overtaken.map(|at| Fault::Overtaken { at, next: op });
                self.faults.extend(overtaken);
            }
        }
        Some(())
    }
}
