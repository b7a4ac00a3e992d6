//! Accesses in flight: which asynchronous accesses may be under way before each operation, and which a wait observes.
//!
//! A forward data-flow analysis over the segments of a function. The state has a queue of groups for each channel,
//! youngest first, and the group that is open; a commit closes it, and a wait takes off all groups but the n youngest. At
//! a join queues are united group by group from the youngest on. No group is farther back than the largest n of any
//! wait, beyond which groups are one.
//!
//! ```text
//! copy A; commit; copy B; commit      [B] [A]
//! wait 1                              [B]         A has landed in the thread that waits
//! read A                              right, after a barrier
//! read B                              conflict: B is in flight
//! ```
//! A write in flight conflicts with all accesses to its bytes, a read in flight with writes to them. A conflict is
//! reported only where the bytes are certainly the same on some path: both are known, or both are those of one
//! value; or a read goes to a part of a buffer that is chosen at run time, while nothing has been written to any part of it.
//! Rotating buffers that are chosen otherwise are left to [`concrete`](super::concrete).
//!
//! A wait for one of several mbarriers, chosen at run time, observes the oldest phase of them; nothing is certain of the
//! others afterwards.

use super::alias::{Aliases, Reach};
use super::effects::{Act, Channel, Effects, OpNumber, Proxy, Start, Touched, ValueNumber};
use super::flow::Flow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An act of an operation, by its index.
pub(crate) type ActNumber = (OpNumber, usize);

/// The asynchronous accesses of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    starts: HashMap<ActNumber, (Start, Reach)>,
    /// The buffers that accesses in flight before each operation go to.
    before: HashMap<OpNumber, BTreeSet<OpNumber>>,
    /// The accesses that each wait of a thread observes, but those that all threads observe.
    observed: HashMap<ActNumber, BTreeSet<ActNumber>>,
    /// Accesses to bytes on which one is in flight: the operation that started it, and the other one.
    conflicts: BTreeSet<(OpNumber, OpNumber)>,
}

/// What is known of an access in flight: whether there is a path on which each holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Known {
    /// It is in flight for certain, if control comes along the path.
    is_certain: bool,
    /// The value that it goes to has not been defined again.
    is_current: bool,
    /// No write to its buffer has completed.
    is_first: bool,
}

type Group = BTreeMap<ActNumber, Known>;

fn join(group: &mut Group, other: &Group) {
    for (act, there) in other {
        let known = group.entry(*act).or_insert(*there);
        known.is_certain |= there.is_certain;
        known.is_current |= there.is_current;
        known.is_first |= there.is_first;
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Queue {
    open: Group,
    /// Youngest first.
    groups: Vec<Group>,
}

impl Queue {
    fn all(&mut self) -> impl Iterator<Item = (&ActNumber, &mut Known)> {
        self.groups
            .iter_mut()
            .chain([&mut self.open])
            .flat_map(|group| group.iter_mut())
    }

    fn commit(&mut self, longest: usize) {
        self.groups.insert(0, std::mem::take(&mut self.open));
        self.shorten(longest);
    }

    fn shorten(&mut self, longest: usize) {
        while self.groups.len() > longest {
            let oldest = self.groups.pop().unwrap_or_default();
            if let Some(last) = self.groups.last_mut() {
                join(last, &oldest);
            }
        }
    }

    fn join(&mut self, other: &Self) {
        join(&mut self.open, &other.open);
        let more = other.groups.len().max(self.groups.len());
        self.groups.resize_with(more, Group::new);
        for (group, there) in self.groups.iter_mut().zip(&other.groups) {
            join(group, there);
        }
    }
}

/// A channel; of mbarriers, the allocation that they lie in, where it is known.
type Key = (Channel, Option<OpNumber>);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    queues: BTreeMap<Key, Queue>,
    /// Buffers to which some write has completed.
    written: BTreeSet<OpNumber>,
}

impl State {
    fn join(&mut self, other: &Self) {
        for (key, queue) in &other.queues {
            self.queues.entry(*key).or_default().join(queue);
        }
        self.written.extend(&other.written);
    }

    fn all(&mut self) -> impl Iterator<Item = (&ActNumber, &mut Known)> {
        self.queues.values_mut().flat_map(Queue::all)
    }

    /// Values are defined: they stand for other bytes than before.
    fn define(&mut self, values: &[ValueNumber], starts: &HashMap<ActNumber, (Start, Reach)>) {
        for (act, known) in self.all() {
            if let Touched::Buffer(value) = starts[act].0.touched
                && values.contains(&value)
            {
                known.is_current = false;
            }
        }
    }

    fn write(&mut self, reach: &Reach, starts: &HashMap<ActNumber, (Start, Reach)>) {
        self.written.extend(reach.parts.keys());
        for (act, known) in self.all() {
            let there = &starts[act].1.parts;
            known.is_first &= !reach.parts.keys().any(|buffer| there.contains_key(buffer));
        }
    }
}

impl InFlight {
    /// Goes through a function until nothing changes.
    pub(crate) fn of(flow: &Flow, aliases: &Aliases) -> Self {
        let mut found = Self::default();
        let mut longest = 8;
        for event in flow.events() {
            for (i, act) in event.effects.acts.iter().enumerate() {
                match act {
                    Act::Start(start) => {
                        let reach = aliases.touched(event.op, &event.effects, start.touched);
                        found.starts.insert((event.op, i), (*start, reach));
                    }
                    Act::Observe { at_most, .. } => longest = longest.max(*at_most as usize + 1),
                    _ => {}
                }
            }
        }
        if found.starts.is_empty() {
            return found;
        }
        let order = flow.order();
        let mut entries: Vec<Option<State>> = vec![None; flow.segments.len()];
        entries[0] = Some(State::default());
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &number in &order {
                let Some(mut state) = entries[number].clone() else {
                    continue;
                };
                for event in &flow.segments[number].events {
                    found.event(event.op, &event.effects, aliases, &mut state, longest);
                }
                for edge in &flow.segments[number].edges {
                    let mut state = state.clone();
                    let defined: Vec<ValueNumber> = edge.passes.iter().map(|(_, to)| *to).collect();
                    state.define(&defined, &found.starts);
                    let entry = &mut entries[edge.to];
                    let before = entry.clone();
                    entry.get_or_insert_default().join(&state);
                    changed |= *entry != before;
                }
            }
        }
        found
    }

    fn event(
        &mut self,
        op: OpNumber,
        effects: &Effects,
        aliases: &Aliases,
        state: &mut State,
        longest: usize,
    ) {
        let made = effects.makes.iter().map(|makes| makes.value);
        let defined: Vec<ValueNumber> =
            made.chain(effects.views.iter().map(|v| v.result)).collect();
        state.define(&defined, &self.starts);
        let starts = &self.starts;
        let buffers = state.all().flat_map(|(act, _)| starts[act].1.parts.keys());
        self.before.entry(op).or_default().extend(buffers);
        for (i, act) in effects.acts.iter().enumerate() {
            match *act {
                Act::Read(touched) => {
                    let reach = aliases.touched(op, effects, touched);
                    self.access(op, (touched, &reach, false), state);
                }
                Act::Write(touched) => {
                    let reach = aliases.touched(op, effects, touched);
                    self.access(op, (touched, &reach, true), state);
                    state.write(&reach, &self.starts);
                }
                Act::Start(start) => {
                    let reach = self.starts[&(op, i)].1.clone();
                    self.access(op, (start.touched, &reach, start.is_write), state);
                    let is_known = |buffer| state.written.contains(buffer);
                    let known = Known {
                        is_certain: true,
                        is_current: true,
                        is_first: start.is_write && !reach.parts.keys().any(is_known),
                    };
                    let queue = state.queues.entry(key(start.channel, aliases)).or_default();
                    queue.open.insert((op, i), known);
                }
                Act::Commit(channel) => {
                    let queue = state.queues.entry(key(channel, aliases)).or_default();
                    // A group of nothing counts, a phase of nothing does not.
                    if !channel.is_observed_by_all() || !queue.open.is_empty() {
                        queue.commit(longest);
                    }
                }
                Act::Observe { channel, at_most } => {
                    let done = observe(channel, at_most as usize, aliases, state, longest);
                    for act in done.keys().filter(|act| self.starts[act].0.is_write) {
                        state.write(&self.starts[act].1, &self.starts);
                    }
                    if !channel.is_observed_by_all() {
                        self.observed
                            .entry((op, i))
                            .or_default()
                            .extend(done.keys());
                    }
                }
                Act::Barrier | Act::Sync(_) | Act::Fence => {}
            }
        }
    }

    /// Compares an access with those in flight.
    fn access(
        &mut self,
        op: OpNumber,
        (touched, reach, is_write): (Touched, &Reach, bool),
        state: &mut State,
    ) {
        for (act, known) in state.all() {
            let (start, there) = &self.starts[act];
            if !known.is_certain || !(is_write || start.is_write) || !there.overlaps(reach) {
                continue;
            }
            let is_exact = there.is_exact() && reach.is_exact();
            let is_same = known.is_current && start.touched == touched;
            let is_first = !is_write && known.is_first && !reach.is_exact();
            if is_exact || is_same || is_first {
                self.conflicts.insert((act.0, op));
            }
        }
    }

    /// Returns the accesses to bytes on which one is in flight: the operation that started it, and the other one.
    pub(crate) const fn conflicts(&self) -> &BTreeSet<(OpNumber, OpNumber)> {
        &self.conflicts
    }

    /// Returns the buffers that accesses in flight before an operation go to.
    pub(crate) fn before(&self, op: OpNumber) -> impl Iterator<Item = OpNumber> + '_ {
        self.before.get(&op).into_iter().flatten().copied()
    }

    /// Returns the accesses that are pending once a thread has observed their completion.
    pub(crate) fn observed(&self, act: ActNumber) -> impl Iterator<Item = &(Start, Reach)> + '_ {
        let acts = self.observed.get(&act).into_iter().flatten();
        acts.map(|act| &self.starts[act])
    }

    /// Returns true if an access goes through the async proxy.
    pub(crate) fn has_async_proxy(&self) -> bool {
        let mut starts = self.starts.values();
        starts.any(|(start, _)| start.proxy == Proxy::Async)
    }
}

fn key(channel: Channel, aliases: &Aliases) -> Key {
    match channel {
        Channel::Mbarrier(value) => {
            let allocation = aliases.get(value).parts.keys().next();
            (Channel::Mbarrier(0), allocation.copied())
        }
        Channel::Copies | Channel::BulkStores | Channel::Products => (channel, None),
    }
}

/// Takes off what a wait observes.
fn observe(
    channel: Channel,
    at_most: usize,
    aliases: &Aliases,
    state: &mut State,
    longest: usize,
) -> Group {
    let Some(queue) = state.queues.get_mut(&key(channel, aliases)) else {
        return Group::new();
    };
    let mut at_most = at_most;
    if let Channel::Mbarrier(value) = channel {
        // A phase includes all that was started for it.
        if !queue.open.is_empty() {
            queue.commit(longest);
        }
        if !aliases.is_whole(value) {
            at_most = queue.groups.len().saturating_sub(1);
        }
    }
    let done = queue.groups.split_off(at_most.min(queue.groups.len()));
    if channel.is_observed_by_all() {
        queue.all().for_each(|(_, known)| known.is_certain = false);
    }
    done.iter().fold(Group::new(), |mut all, group| {
        join(&mut all, group);
        all
    })
}
