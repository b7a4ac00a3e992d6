//! Concrete execution of asynchronous accesses: finds faults on paths whose integers are known.
//!
//! Programs with rotating buffers compute two things from loop-carried integers: which buffer an access uses, and for
//! which phase of an mbarrier a wait waits. This analysis executes the control flow and the integer operations of a
//! function, with every integer argument set to one of [`SAMPLES`], and applies effects to exact byte ranges:
//!
//! ```text
//! for i { wait 1; read A[stage]; copy A[next]; commit; (stage, next) = ... }
//! with 2 copies in flight: correct
//! with 3 copies in flight: wrong, A[stage] is still in flight when it is read
//! ```
//! Execution stops at a condition with an unknown value, such as a value loaded from memory, or after
//! [`MAX_ITERATIONS`] iterations. There are no false positives, provided that the function may be called with the
//! sample values. The rules are those of [`in_flight`](super::in_flight), and in addition:
//!
//! - The phase of an mbarrier completes with the last of its arrivals and bytes. A wait for a phase that cannot
//!   complete is a fault, and so are more bytes or arrivals than the phase expects.
//! - The result of an asynchronous product may be used by another product, or after a wait.
//! - An mbarrier is invalidated only after the copies of its last phase.
//! - Only bytes that have been written are read, unless an earlier write was masked.
//! - No access is in flight when a kernel returns.

use super::effects::{
    AccessTarget, Act, AsyncAccess, Channel, Effects, MbarrierUse, OpId, ValueId, ViewRange,
};
use super::flow::Flow;
use crate::ir::ops::arith::CmpIPredicate;
use crate::ir::ops::{arith, scf};
use crate::ir::{AnyKind, OpKind, UpstreamKind};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{block_id, operation_id, value_id};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Sample values of integer arguments. They are multiples of 16, as launchers guarantee to kernels.
const SAMPLES: [i64; 4] = [2048, 512, 128, 16];

/// Limit for the total number of loop iterations on a path.
const MAX_ITERATIONS: u32 = 40;

/// Limit for the number of operations on a path.
const MAX_OPERATIONS: u32 = 20_000;

/// A fault that occurs on an executed path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    /// An operation conflicts with an access in flight.
    InFlight { started: OpId, at: OpId },
    /// An operation uses the result of a product in flight.
    Result { started: OpId, at: OpId },
    /// An operation reads bytes that have not been written.
    Unwritten(OpId),
    /// An operation waits for a phase that never completes, because `arrivals` arrivals and `bytes` bytes are missing.
    Endless { at: OpId, arrivals: u32, bytes: i64 },
    /// A phase receives `bytes` more bytes than it expects.
    MoreBytes { at: OpId, bytes: i64 },
    /// A phase receives more arrivals than it expects.
    MoreArrivals(OpId),
    /// A kernel returns while an access to its shared memory is in flight.
    AtEnd { started: OpId, at: OpId },
}

impl Fault {
    /// Returns the operation at which to report the fault.
    pub(crate) const fn at(self) -> OpId {
        match self {
            Self::InFlight { at, .. }
            | Self::Result { at, .. }
            | Self::Unwritten(at)
            | Self::Endless { at, .. }
            | Self::MoreBytes { at, .. }
            | Self::AtEnd { at, .. }
            | Self::MoreArrivals(at) => at,
        }
    }
}

/// Executes the function with each of [`SAMPLES`]. Returns the faults of the first sample that has faults, or no faults
/// if no other sample has faults: a function may not support the sizes of a single sample.
pub(crate) fn faults(function: Op<'_>, flow: &Flow, is_kernel: bool) -> BTreeSet<Fault> {
    let events = flow.events().map(|event| (event.op, &event.effects));
    let effects: FxHashMap<OpId, &Effects> = events.collect();
    let mut acts = effects.values().flat_map(|effects| &effects.acts);
    let is_asynchronous = acts.any(|act| matches!(act, Act::Start(_)));
    let mut first = BTreeSet::new();
    if !is_asynchronous {
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
            iterations: 0,
            operations: 0,
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

/// A byte range of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bytes {
    allocation: OpId,
    from: u32,
    to: u32,
    /// True if the access covers the whole range, false if it covers an unknown part of the range.
    is_exact: bool,
}

impl Bytes {
    const fn overlaps(self, other: Self) -> bool {
        self.allocation == other.allocation && self.from < other.to && other.from < self.to
    }

    const fn contains(self, other: Self) -> bool {
        self.allocation == other.allocation && self.from <= other.from && other.to <= self.to
    }

    /// Returns true if an access of `self` and an access of `other` certainly touch a common byte.
    const fn certainly_overlaps(self, other: Self) -> bool {
        match (self.is_exact, other.is_exact) {
            (true, true) => self.overlaps(other),
            (true, false) => self.contains(other),
            (false, true) => other.contains(self),
            (false, false) => false,
        }
    }
}

/// An access in flight.
#[derive(Clone, Copy, Debug)]
struct Access {
    started: OpId,
    bytes: Bytes,
    is_write: bool,
}

/// The groups of accesses that are in flight on one channel, at one point of the executed path.
#[derive(Debug, Default)]
struct PathQueue {
    open: Vec<Access>,
    /// The sequence number and the accesses of each group, youngest group last.
    groups: Vec<(u32, Vec<Access>)>,
    /// Number of groups that have been closed, including groups that are no longer in flight.
    closed: u32,
}

#[derive(Debug)]
struct Mbarrier {
    count: u32,
    pending: u32,
    /// Number of bytes that the current phase still expects.
    bytes: i64,
    phase: u64,
    /// The copies that count towards the current phase.
    open: Vec<Access>,
    /// The copies of earlier phases whose completion no wait has observed.
    ended: Vec<Access>,
}

#[derive(Debug, Default)]
struct PathState {
    copies: PathQueue,
    bulk_stores: PathQueue,
    products: PathQueue,
    /// The mbarriers, keyed by the operation that allocates the buffer and by the first byte in the buffer.
    mbarriers: BTreeMap<(OpId, u32), Mbarrier>,
    written: Vec<Bytes>,
    /// True if bytes that are not in `written` may have been written by a masked access.
    is_masked: bool,
}

impl PathState {
    const fn queue(&mut self, channel: Channel) -> Option<&mut PathQueue> {
        match channel {
            Channel::Copies => Some(&mut self.copies),
            Channel::BulkStores => Some(&mut self.bulk_stores),
            Channel::Products => Some(&mut self.products),
            Channel::Mbarrier(_) => None,
        }
    }

    fn in_flight(&self) -> impl Iterator<Item = &Access> {
        let queues = [&self.copies, &self.bulk_stores, &self.products];
        let queued = queues.into_iter().flat_map(|queue| {
            let groups = queue.groups.iter().flat_map(|(_, group)| group);
            groups.chain(&queue.open)
        });
        let phases = self.mbarriers.values();
        queued.chain(phases.flat_map(|mbarrier| mbarrier.open.iter().chain(&mbarrier.ended)))
    }
}

/// The effect of the terminator of an executed block on control flow.
enum Terminator<'c> {
    Yield(Vec<Val<'c>>),
    Branch(Blk<'c>),
}

/// A value on the executed path, with the facts that are known about it.
#[derive(Clone, Copy, Debug, Default)]
struct PathValue {
    integer: Option<i64>,
    view: Option<Bytes>,
    /// The product and its group, if an asynchronous product computes the value.
    result: Option<(OpId, u32)>,
}

struct Path<'p> {
    effects: &'p FxHashMap<OpId, &'p Effects>,
    is_kernel: bool,
    sample: i64,
    faults: BTreeSet<Fault>,
    integers: FxHashMap<ValueId, i64>,
    views: FxHashMap<ValueId, Bytes>,
    results: FxHashMap<ValueId, (OpId, u32)>,
    state: PathState,
    iterations: u32,
    operations: u32,
}

fn arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count())
        .map(|i| build::argument(block, i))
        .collect()
}

/// Returns the bits of an integer type of at most 64 bits.
fn width(value: Val<'_>) -> Option<u32> {
    let type_ = value.r#type();
    if type_.is_index() {
        return Some(64);
    }
    let width = IntegerType::try_from(type_).ok()?.width();
    (1..=64).contains(&width).then_some(width)
}

/// Returns `number` modulo 2^`width`, as a signed number of `width` bits. For a width of 1, returns 0 or 1.
const fn wrapped(number: i64, width: u32) -> i64 {
    match width {
        1 => number & 1,
        _ => number << (64 - width) >> (64 - width),
    }
}

const fn unsigned(number: i64, width: u32) -> u64 {
    number.cast_unsigned() << (64 - width) >> (64 - width)
}

impl Path<'_> {
    /// Executes a function until its path ends or a value that control flow needs is unknown.
    fn function(&mut self, function: Op<'_>) {
        let blocks = build::blocks(function, 0);
        let Some(mut block) = blocks.first().copied() else {
            return;
        };
        for argument in arguments(block) {
            let is_number = width(argument).is_some_and(|width| width >= 32);
            self.set_integer(argument, is_number.then_some(self.sample));
        }
        while let Some(Terminator::Branch(next)) = self.block(block) {
            block = next;
        }
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

    /// Gives each value of `to` the facts of the value at the same position in `from`. All values of `from` are read
    /// first.
    fn pass(&mut self, from: &[Val<'_>], to: &[Val<'_>]) {
        let known: Vec<PathValue> = from.iter().map(|value| self.value(*value)).collect();
        for (value, known) in to.iter().zip(known) {
            self.set(*value, known);
        }
    }

    /// Executes a block. Returns the effect of its terminator, or `None` if execution stops inside the block.
    fn block<'c>(&mut self, block: Blk<'c>) -> Option<Terminator<'c>> {
        for op in build::operations(block) {
            use UpstreamKind as U;
            self.operations += 1;
            if self.operations > MAX_OPERATIONS {
                return None;
            }
            match AnyKind::of(op) {
                AnyKind::Upstream(U::ScfFor) => self.for_loop(op)?,
                AnyKind::Upstream(U::ScfIf) => self.conditional(op)?,
                AnyKind::Upstream(U::ScfYield) => {
                    return Some(Terminator::Yield(build::operands(op)));
                }
                AnyKind::Upstream(U::CfBranch | U::CfCondBranch) => return self.branch(op),
                AnyKind::Upstream(U::ScfWhile | U::ScfIndexSwitch | U::CfSwitch)
                | AnyKind::Own(OpKind::TtgMask | OpKind::TtCall) => return None,
                _ => self.operation(op)?,
            }
        }
        None
    }

    /// Executes an `scf.for` whose trip count is known.
    fn for_loop(&mut self, op: Op<'_>) -> Option<()> {
        let for_ = scf::For::of(op)?;
        let body = build::single_block(op, 0)?;
        let (mut counter, end) = (self.get(for_.lower_bound())?, self.get(for_.upper_bound())?);
        let step = self.get(for_.step()).filter(|step| *step > 0)?;
        let arguments = arguments(body);
        let (number, carried) = arguments.split_first()?;
        let results = build::results(op);
        self.pass(&for_.init_args(), carried);
        // The results of a loop without iterations.
        self.pass(&for_.init_args(), &results);
        while counter < end {
            self.iterations += 1;
            if self.iterations > MAX_ITERATIONS {
                return None;
            }
            self.set_integer(*number, Some(counter));
            let Terminator::Yield(values) = self.block(body)? else {
                return None;
            };
            self.pass(&values, &results);
            self.pass(&values, carried);
            counter = counter.checked_add(step)?;
        }
        Some(())
    }

    /// Executes an `scf.if` whose condition is known.
    fn conditional(&mut self, op: Op<'_>) -> Option<()> {
        let condition = self.get(*build::operands(op).first()?)?;
        let Some(block) = build::single_block(op, usize::from(condition == 0)) else {
            return Some(());
        };
        let Terminator::Yield(values) = self.block(block)? else {
            return None;
        };
        self.pass(&values, &build::results(op));
        Some(())
    }

    /// Executes a `cf.br`, or a `cf.cond_br` whose condition is known.
    fn branch<'c>(&mut self, op: Op<'c>) -> Option<Terminator<'c>> {
        let targets = build::successors(op);
        let operands = build::operands(op);
        let (target, from) = match targets[..] {
            [target] => (target, 0),
            [then, _] if self.get(operands[0])? != 0 => (then, 1),
            [then, other] => (other, 1 + then.argument_count()),
            _ => return None,
        };
        // Two edges to one block may pass different values.
        self.iterations += 1;
        if self.iterations > MAX_ITERATIONS
            || targets.len() == 2 && block_id(targets[0]) == block_id(targets[1])
        {
            return None;
        }
        self.pass(operands.get(from..)?, &arguments(target));
        Some(Terminator::Branch(target))
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
            [result] if width(result).is_some() => self.evaluate(op),
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
            let (started, at) = (access.started, number);
            self.faults.insert(Fault::AtEnd { started, at });
        }
        if let Some(effects) = effects {
            self.act(number, effects)?;
        }
        if is_product && !is_wait {
            let group = self.state.products.closed - 1;
            results.iter().for_each(|result| {
                self.results.insert(value_id(*result), (number, group));
            });
        }
        for (result, known) in results.iter().zip(passed) {
            let groups = &self.state.products.groups;
            let is_pending = |group| groups.iter().any(|(other, _)| *other == group);
            if let Some((started, group)) = known.result
                && is_pending(group)
            {
                self.results.insert(value_id(*result), (started, group));
            }
        }
        Some(())
    }

    /// Reports operands that are results of products in flight.
    fn check_results(&mut self, op: Op<'_>) {
        for operand in build::operands(op) {
            let Some((started, group)) = self.results.get(&value_id(operand)).copied() else {
                continue;
            };
            let groups = &self.state.products.groups;
            if groups.iter().any(|(other, _)| *other == group) {
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
                    if let Some(queue) = self.state.queue(channel) {
                        let group = std::mem::take(&mut queue.open);
                        queue.groups.push((queue.closed, group));
                        queue.closed += 1;
                    }
                }
                Act::Observe { channel, at_most } => {
                    if let Some(queue) = self.state.queue(channel) {
                        let done = queue.groups.len().saturating_sub(at_most as usize);
                        queue.groups.drain(..done);
                    }
                }
                Act::Barrier | Act::Sync(_) | Act::Fence => {}
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
            ViewRange::Indexed { index, bytes: size } if bytes.is_exact => {
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
        let certainly_overlaps = |access: &&Access| {
            (is_write || access.is_write) && access.bytes.certainly_overlaps(bytes)
        };
        if let Some(access) = self.state.in_flight().find(certainly_overlaps) {
            let started = access.started;
            self.faults.insert(Fault::InFlight { started, at: op });
        }
        if is_write {
            if !self.state.written.contains(&bytes) {
                self.state.written.push(bytes);
            }
        } else if !self.state.is_masked {
            let mut written = self.state.written.iter();
            if !written.any(|written| written.overlaps(bytes)) {
                self.faults.insert(Fault::Unwritten(op));
            }
        }
        let Some(start) = start else {
            return;
        };
        let access = Access {
            started: op,
            bytes,
            is_write,
        };
        match start.channel {
            Channel::Mbarrier(object) => {
                if let Some(mbarrier) = self.mbarrier(object) {
                    mbarrier.open.push(access);
                }
            }
            channel => self
                .state
                .queue(channel)
                .into_iter()
                .for_each(|q| q.open.push(access)),
        }
    }

    fn mbarrier(&mut self, object: ValueId) -> Option<&mut Mbarrier> {
        let bytes = self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        self.state
            .mbarriers
            .get_mut(&(bytes.allocation, bytes.from))
    }

    /// Applies an operation on an mbarrier. Returns `None`, which stops execution, if the mbarrier is unknown.
    fn use_mbarrier(&mut self, op: OpId, object: ValueId, how: MbarrierUse) -> Option<()> {
        let bytes = *self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        let key = (bytes.allocation, bytes.from);
        if let MbarrierUse::Init { count } = how {
            let mbarrier = Mbarrier {
                count,
                pending: count,
                bytes: 0,
                phase: 0,
                open: Vec::new(),
                ended: Vec::new(),
            };
            self.state.mbarriers.insert(key, mbarrier);
        }
        // The phase of an mbarrier that a caller initialised is unknown.
        let mbarrier = self.state.mbarriers.get_mut(&key)?;
        let arrivals = match how {
            MbarrierUse::Init { .. } => return Some(()),
            MbarrierUse::Invalidate => {
                let ended = self.state.mbarriers.remove(&key)?;
                // No later wait can observe these copies.
                let unobserved = ended.open.iter().chain(&ended.ended);
                let faults = unobserved.map(|access| Fault::InFlight {
                    started: access.started,
                    at: op,
                });
                self.faults.extend(faults);
                return Some(());
            }
            MbarrierUse::Expect { bytes } => {
                mbarrier.bytes += i64::from(bytes);
                1
            }
            MbarrierUse::Arrive { count } => count,
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
                mbarrier.ended.clear();
                return Some(());
            }
        };
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
            mbarrier.pending = mbarrier.count;
            mbarrier.phase += 1;
            mbarrier.ended.append(&mut mbarrier.open);
        }
        Some(())
    }

    /// Returns the integer that an operation computes, if its operands are known.
    fn evaluate(&self, op: Op<'_>) -> Option<i64> {
        use UpstreamKind as U;
        let AnyKind::Upstream(kind) = AnyKind::of(op) else {
            // The evaluated path is the path of program 0.
            return OpKind::TtGetProgramId.is(op).then_some(0);
        };
        if let Some(constant) = arith::Constant::of(op) {
            return build::integer_value(constant.value());
        }
        let operands = build::operands(op);
        if kind == U::ArithSelect {
            let condition = self.get(operands[0])?;
            return self.get(operands[if condition != 0 { 1 } else { 2 }]);
        }
        let bits = width(*operands.first()?)?;
        let a = self.get(operands[0])?;
        match kind {
            U::ArithExtSI if bits == 1 => return Some(-a),
            U::ArithExtSI | U::ArithTruncI | U::ArithIndexCast => return Some(a),
            U::ArithExtUI | U::ArithIndexCastUI => return i64::try_from(unsigned(a, bits)).ok(),
            _ => {}
        }
        let b = self.get(*operands.get(1)?)?;
        let (x, y) = (unsigned(a, bits), unsigned(b, bits));
        let from_unsigned = |number: Option<u64>| number.map(u64::cast_signed);
        let shift = u32::try_from(b).ok().filter(|by| *by < bits);
        match kind {
            U::ArithAddI => Some(a.wrapping_add(b)),
            U::ArithSubI => Some(a.wrapping_sub(b)),
            U::ArithMulI => Some(a.wrapping_mul(b)),
            U::ArithAndI => Some(a & b),
            U::ArithOrI => Some(a | b),
            U::ArithXOrI => Some(a ^ b),
            U::ArithMaxSI => Some(a.max(b)),
            U::ArithMinSI => Some(a.min(b)),
            U::ArithMaxUI => from_unsigned(Some(x.max(y))),
            U::ArithMinUI => from_unsigned(Some(x.min(y))),
            U::ArithDivSI => a.checked_div(b),
            U::ArithRemSI => a.checked_rem(b),
            U::ArithDivUI => from_unsigned(x.checked_div(y)),
            U::ArithRemUI => from_unsigned(x.checked_rem(y)),
            U::ArithShLI => Some(a << shift?),
            U::ArithShRSI => Some(a >> shift?),
            U::ArithShRUI => from_unsigned(Some(x >> shift?)),
            U::ArithCmpI => {
                use CmpIPredicate as P;
                let holds = match arith::CmpI::of(op)?.predicate() {
                    P::Eq => a == b,
                    P::Ne => a != b,
                    P::Slt => a < b,
                    P::Sle => a <= b,
                    P::Sgt => a > b,
                    P::Sge => a >= b,
                    P::Ult => x < y,
                    P::Ule => x <= y,
                    P::Ugt => x > y,
                    P::Uge => x >= y,
                };
                Some(i64::from(holds))
            }
            _ => None,
        }
    }
}
