//! Faults of asynchronous accesses on concrete paths through a function.
//!
//! Which of the rotating buffers an access goes to, and which phase of an mbarrier a wait means, follow from integers that
//! a loop carries. This analysis runs the control flow and the integers of a function, given that each integer argument
//! is one of [`SAMPLES`], and applies effects to bytes that are known exactly:
//!
//! ```text
//! for i { wait 1; read A[stage]; copy A[next]; commit; (stage, next) = ... }       2 copies in flight, wait 1: right
//!                                                                                3 copies in flight, wait 1: A[stage] is
//! ```
//! A path is left where a condition is unknown, as one of a value from memory is, or after [`MOST_ROUNDS`] iterations. So
//! each fault is one of the function, if it may be called with that sample. The rules are those of
//! [`in_flight`](super::in_flight); beyond them
//!
//! - the phase of an mbarrier ends with the last of its arrivals and of its bytes; a wait for one that cannot end, and
//!   bytes or arrivals beyond those that it expects, are faults;
//! - the result of an asynchronous product may be used by another product, and by others after a wait only;
//! - an mbarrier ends after the copies of its last phase;
//! - bytes that are read have been written, unless an access before was masked;
//! - no access is in flight where a kernel returns.

use super::effects::{
    Act, Channel, Effects, MbarrierUse, OpNumber, Part, Start, Touched, ValueNumber,
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

/// The integers that all arguments are taken to be: multiples of 16, as kernels are promised.
const SAMPLES: [i64; 4] = [2048, 512, 128, 16];

/// Iterations of all loops of a path.
const MOST_ROUNDS: u32 = 40;

/// Operations of a path.
const MOST_OPERATIONS: u32 = 20_000;

/// What is wrong on a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    /// An operation accesses bytes on which an access is in flight that another operation started.
    InFlight { started: OpNumber, at: OpNumber },
    /// An operation uses the result of a product in flight.
    Result { started: OpNumber, at: OpNumber },
    /// An operation reads bytes that have not been written.
    Unwritten(OpNumber),
    /// A wait for a phase that does not end: so many arrivals and bytes are missing.
    Endless {
        at: OpNumber,
        arrivals: u32,
        bytes: i64,
    },
    /// More bytes come to a phase than it expects.
    MoreBytes { at: OpNumber, bytes: i64 },
    /// More arrivals come to a phase than it counts.
    MoreArrivals(OpNumber),
    /// A kernel returns while an access to its shared memory is in flight.
    AtEnd { started: OpNumber, at: OpNumber },
}

impl Fault {
    /// Returns the operation that is at fault.
    pub(crate) const fn at(self) -> OpNumber {
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

/// Finds faults on the paths of samples: those of the first that has any, if another has, too. A kernel may be made for
/// sizes that one sample is not.
///
/// The end of a function that `is_kernel` is that of its shared memory.
pub(crate) fn faults(function: Op<'_>, flow: &Flow, is_kernel: bool) -> BTreeSet<Fault> {
    let events = flow.events().map(|event| (event.op, &event.effects));
    let effects: FxHashMap<OpNumber, &Effects> = events.collect();
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
            state: State::default(),
            rounds: 0,
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

/// Bytes of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bytes {
    allocation: OpNumber,
    from: u32,
    to: u32,
    /// It is all of these bytes, not some.
    is_exact: bool,
}

impl Bytes {
    const fn overlaps(self, other: Self) -> bool {
        self.allocation == other.allocation && self.from < other.to && other.from < self.to
    }

    const fn contains(self, other: Self) -> bool {
        self.allocation == other.allocation && self.from <= other.from && other.to <= self.to
    }

    /// Returns true if some byte is certainly in both.
    const fn meets(self, other: Self) -> bool {
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
    started: OpNumber,
    bytes: Bytes,
    is_write: bool,
}

/// The groups of a channel.
#[derive(Debug, Default)]
struct Queue {
    open: Vec<Access>,
    /// Youngest last; with the number of each.
    groups: Vec<(u32, Vec<Access>)>,
    /// Groups that were closed.
    closed: u32,
}

#[derive(Debug)]
struct Mbarrier {
    count: u32,
    pending: u32,
    /// Bytes that the phase expects and that have not come.
    bytes: i64,
    phase: u64,
    /// The copies of the phase.
    open: Vec<Access>,
    /// The copies of earlier phases that nothing has observed.
    ended: Vec<Access>,
}

#[derive(Debug, Default)]
struct State {
    copies: Queue,
    bulk_stores: Queue,
    products: Queue,
    /// By allocation and first byte.
    mbarriers: BTreeMap<(OpNumber, u32), Mbarrier>,
    written: Vec<Bytes>,
    /// Bytes may have been written that are not among these.
    is_masked: bool,
}

impl State {
    const fn queue(&mut self, channel: Channel) -> Option<&mut Queue> {
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

/// How a block ends.
enum End<'c> {
    /// With operands for whatever comes next.
    Yields(Vec<Val<'c>>),
    /// With a branch to another block.
    Goes(Blk<'c>),
}

/// What a value is on the path.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    integer: Option<i64>,
    view: Option<Bytes>,
    /// The product whose result it is, and the group of the product.
    result: Option<(OpNumber, u32)>,
}

struct Path<'p> {
    effects: &'p FxHashMap<OpNumber, &'p Effects>,
    is_kernel: bool,
    sample: i64,
    faults: BTreeSet<Fault>,
    integers: FxHashMap<ValueNumber, i64>,
    views: FxHashMap<ValueNumber, Bytes>,
    results: FxHashMap<ValueNumber, (OpNumber, u32)>,
    state: State,
    rounds: u32,
    operations: u32,
}

fn arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count())
        .map(|i| build::argument(block, i))
        .collect()
}

/// The bits of an integer, if a value is one.
fn width(value: Val<'_>) -> Option<u32> {
    let type_ = value.r#type();
    if type_.is_index() {
        return Some(64);
    }
    let width = IntegerType::try_from(type_).ok()?.width();
    (1..=64).contains(&width).then_some(width)
}

/// A number as one of so many bits: 0 or 1 of one bit, else signed.
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
    /// Runs the path as far as it is known.
    fn function(&mut self, function: Op<'_>) {
        let blocks = build::blocks(function, 0);
        let Some(mut block) = blocks.first().copied() else {
            return;
        };
        for argument in arguments(block) {
            let is_number = width(argument).is_some_and(|width| width >= 32);
            self.set_integer(argument, is_number.then_some(self.sample));
        }
        while let Some(End::Goes(next)) = self.block(block) {
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

    fn known(&self, value: Val<'_>) -> Known {
        let value = value_id(value);
        Known {
            integer: self.integers.get(&value).copied(),
            view: self.views.get(&value).copied(),
            result: self.results.get(&value).copied(),
        }
    }

    fn set(&mut self, value: Val<'_>, known: Known) {
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

    /// Values become others, all at once.
    fn pass(&mut self, from: &[Val<'_>], to: &[Val<'_>]) {
        let known: Vec<Known> = from.iter().map(|value| self.known(*value)).collect();
        for (value, known) in to.iter().zip(known) {
            self.set(*value, known);
        }
    }

    /// Runs a block; nothing where the path is left.
    fn block<'c>(&mut self, block: Blk<'c>) -> Option<End<'c>> {
        for op in build::operations(block) {
            use UpstreamKind as U;
            self.operations += 1;
            if self.operations > MOST_OPERATIONS {
                return None;
            }
            match AnyKind::of(op) {
                AnyKind::Upstream(U::ScfFor) => self.counted(op)?,
                AnyKind::Upstream(U::ScfIf) => self.chosen(op)?,
                AnyKind::Upstream(U::ScfYield) => return Some(End::Yields(build::operands(op))),
                AnyKind::Upstream(U::CfBranch | U::CfCondBranch) => return self.branch(op),
                AnyKind::Upstream(U::ScfWhile | U::ScfIndexSwitch | U::CfSwitch)
                | AnyKind::Own(OpKind::TtgMask | OpKind::TtCall) => return None,
                _ => self.operation(op)?,
            }
        }
        None
    }

    /// `scf.for`, whose trip count must be known.
    fn counted(&mut self, op: Op<'_>) -> Option<()> {
        let for_ = scf::For::of(op)?;
        let body = build::single_block(op, 0)?;
        let (mut counter, end) = (self.get(for_.lower_bound())?, self.get(for_.upper_bound())?);
        let step = self.get(for_.step()).filter(|step| *step > 0)?;
        let arguments = arguments(body);
        let (number, carried) = arguments.split_first()?;
        let results = build::results(op);
        self.pass(&for_.init_args(), carried);
        // Of what the body has not yielded yet the results are the initial values.
        self.pass(&for_.init_args(), &results);
        while counter < end {
            self.rounds += 1;
            if self.rounds > MOST_ROUNDS {
                return None;
            }
            self.set_integer(*number, Some(counter));
            let End::Yields(values) = self.block(body)? else {
                return None;
            };
            self.pass(&values, &results);
            self.pass(&values, carried);
            counter = counter.checked_add(step)?;
        }
        Some(())
    }

    /// `scf.if`, whose condition must be known.
    fn chosen(&mut self, op: Op<'_>) -> Option<()> {
        let condition = self.get(*build::operands(op).first()?)?;
        let Some(block) = build::single_block(op, usize::from(condition == 0)) else {
            return Some(());
        };
        let End::Yields(values) = self.block(block)? else {
            return None;
        };
        self.pass(&values, &build::results(op));
        Some(())
    }

    /// `cf.br`, and `cf.cond_br` whose condition is known.
    fn branch<'c>(&mut self, op: Op<'c>) -> Option<End<'c>> {
        let targets = build::successors(op);
        let operands = build::operands(op);
        let (target, from) = match targets[..] {
            [target] => (target, 0),
            [then, _] if self.get(operands[0])? != 0 => (then, 1),
            [then, other] => (other, 1 + then.argument_count()),
            _ => return None,
        };
        // Two edges to one block may pass other values.
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS
            || targets.len() == 2 && block_id(targets[0]) == block_id(targets[1])
        {
            return None;
        }
        self.pass(operands.get(from..)?, &arguments(target));
        Some(End::Goes(target))
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
        let passed: Vec<Known> = match is_wait && !is_product {
            true => build::operands(op)
                .into_iter()
                .map(|v| self.known(v))
                .collect(),
            false => Vec::new(),
        };
        let integer = match results[..] {
            [result] if width(result).is_some() => self.evaluate(op),
            _ => None,
        };
        for result in &results {
            self.set(*result, Known::default());
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

    /// Results of products in flight must not be used.
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

    fn act(&mut self, op: OpNumber, effects: &Effects) -> Option<()> {
        if let Some(predicate) = effects.predicate
            && *self.integers.get(&predicate)? == 0
        {
            self.state.is_masked = true;
            return Some(());
        }
        if let Some(makes) = effects.makes {
            let bytes = Bytes {
                allocation: op,
                from: 0,
                to: makes.request.bytes,
                is_exact: true,
            };
            self.state
                .written
                .retain(|written| written.allocation != op);
            self.views.insert(makes.value, bytes);
        }
        for view in &effects.views {
            if let Some(bytes) = self.views.get(&view.of).copied() {
                let part = self.part(bytes, view.part);
                self.views.insert(view.result, part);
            }
        }
        for act in &effects.acts {
            match *act {
                Act::Read(touched) => self.access(op, touched, false, None),
                Act::Write(touched) => self.access(op, touched, true, None),
                Act::Start(start) => self.access(op, start.touched, start.is_write, Some(start)),
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

    fn part(&self, bytes: Bytes, part: Part) -> Bytes {
        let (from, to) = match part {
            Part::All => return bytes,
            Part::Bytes { from, to } if bytes.is_exact => (from, to),
            Part::Row { index, bytes: size } if bytes.is_exact => {
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

    fn access(&mut self, op: OpNumber, touched: Touched, is_write: bool, start: Option<Start>) {
        let bytes = match touched {
            Touched::Buffer(value) => self.views.get(&value).copied(),
            Touched::Scratch => return,
            Touched::Outside => None,
        };
        let Some(bytes) = bytes else {
            self.state.is_masked |= is_write;
            return;
        };
        let meets = |access: &&Access| (is_write || access.is_write) && access.bytes.meets(bytes);
        if let Some(access) = self.state.in_flight().find(meets) {
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

    fn mbarrier(&mut self, object: ValueNumber) -> Option<&mut Mbarrier> {
        let bytes = self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        self.state
            .mbarriers
            .get_mut(&(bytes.allocation, bytes.from))
    }

    /// An operation uses an mbarrier; the path is left where it is not known which.
    fn use_mbarrier(&mut self, op: OpNumber, object: ValueNumber, how: MbarrierUse) -> Option<()> {
        let place = *self.views.get(&object).filter(|bytes| bytes.is_exact)?;
        let key = (place.allocation, place.from);
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
        // One that a caller has initialised is in a phase that is not known.
        let mbarrier = self.state.mbarriers.get_mut(&key)?;
        let arrivals = match how {
            MbarrierUse::Init { .. } => return Some(()),
            MbarrierUse::Invalidate => {
                let ended = self.state.mbarriers.remove(&key)?;
                // Without it, nothing can wait for the copies that no wait has observed.
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

    /// The integer that an operation computes, if its operands are known.
    fn evaluate(&self, op: Op<'_>) -> Option<i64> {
        use UpstreamKind as U;
        let AnyKind::Upstream(kind) = AnyKind::of(op) else {
            // Any program will do: the first.
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
