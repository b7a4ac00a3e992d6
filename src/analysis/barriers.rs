//! Insertion of barriers and proxy fences.
//!
//! Two accesses to overlapping bytes conflict if at least one of them writes. This is a forward data-flow analysis over
//! segments: the state is what was read and written since the last barrier ([`Unordered`]), the join is union, the
//! iteration stops at the least fixed point. An operation whose accesses conflict with the state needs a barrier.
//!
//! ```text
//! write A; barrier; read A, write B; barrier; read B     A is written before the loop: one barrier there
//! write A; for { barrier?; read A }                      serves all iterations
//! ```
//! So a barrier is also tried before each loop, and kept there if it makes those inside redundant.
//!
//! - *Asynchronous accesses* conflict at their start as others do, and join the state where a wait observes them, in the
//!   threads that wait. A barrier in between does not order them; those that all threads observe never join it.
//! - *Scopes*: a barrier of a team orders, among the warps of that team, what these warps did; all else stays pending.
//!   An inserted barrier is one of the team that runs the operation; what other warps did it cannot order, which is a
//!   fault ([`Accesses::unordered`]).
//! - *Proxy fences* are the same problem: generic accesses are pending until a fence, and async accesses conflict with
//!   them. All threads of the block execute an inserted fence, after the barrier that orders the accesses.

use super::alias::{Aliases, Reach};
use super::effects::{Act, Effects, OpNumber, Proxy, Scope, Team};
use super::flow::Flow;
use super::in_flight::InFlight;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bytes of shared memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spans {
    /// Those of this function, from and to, in order and apart.
    own: Vec<(u32, u32)>,
    /// Whether bytes of other functions are among them.
    outside: bool,
}

impl Spans {
    /// Adds bytes.
    pub(crate) fn add(&mut self, (mut from, mut to): (u32, u32)) {
        if from >= to {
            return;
        }
        // Most often they are there already.
        if self.own.iter().any(|own| own.0 <= from && to <= own.1) {
            return;
        }
        self.own.retain(|own| {
            let touches = own.0 <= to && from <= own.1;
            if touches {
                from = from.min(own.0);
                to = to.max(own.1);
            }
            !touches
        });
        let at = self.own.partition_point(|own| own.0 < from);
        self.own.insert(at, (from, to));
    }

    fn is_empty(&self) -> bool {
        self.own.is_empty() && !self.outside
    }

    /// Adds the bytes of buffers that lie at some places.
    fn reach(&mut self, reach: &Reach, places: &Places) {
        self.outside |= reach.outside;
        for (buffer, (from, to)) in &reach.parts {
            let start = places.get(buffer).copied().unwrap_or_default();
            self.add((start.saturating_add(*from), start.saturating_add(*to)));
        }
    }

    fn join(&mut self, other: &Self) {
        self.outside |= other.outside;
        for span in &other.own {
            self.add(*span);
        }
    }

    /// Returns true if some bytes are in both.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let overlap = |a: &(u32, u32)| other.own.iter().any(|b| a.0 < b.1 && b.0 < a.1);
        (self.outside && other.outside) || self.own.iter().any(overlap)
    }

    /// Returns where each run of bytes ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        self.own.iter().map(|span| span.1)
    }
}

/// Bytes that were read and written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pending {
    reads: Spans,
    writes: Spans,
}

impl Pending {
    fn join(&mut self, other: &Self) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
    }

    fn reach(&mut self, is_write: bool, reach: &Reach, places: &Places) {
        let spans = if is_write {
            &mut self.writes
        } else {
            &mut self.reads
        };
        spans.reach(reach, places);
    }

    /// Returns true if one of two accesses to the same bytes writes.
    fn conflicts_with(&self, next: &Self) -> bool {
        self.writes.overlaps(&next.reads)
            || self.writes.overlaps(&next.writes)
            || self.reads.overlaps(&next.writes)
    }
}

/// The accesses since the last barrier: by the team that made them, and a smaller team whose barrier came since.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Unordered(BTreeMap<(Team, Option<Team>), Pending>);

impl Unordered {
    pub(crate) fn join(&mut self, other: &Self) {
        for (teams, pending) in &other.0 {
            self.0.entry(*teams).or_default().join(pending);
        }
    }

    fn add(&mut self, by: Team, pending: &Pending) {
        if !(pending.reads.is_empty() && pending.writes.is_empty()) {
            self.0.entry((by, None)).or_default().join(pending);
        }
    }

    /// A barrier of a team.
    pub(crate) fn order(&mut self, team: Team) {
        for ((by, ordered), pending) in std::mem::take(&mut self.0) {
            let is_among = team.contains(by);
            if is_among && team.contains(Team::BLOCK) {
                continue;
            }
            let ordered = match ordered {
                None if is_among => Some(team),
                Some(before) if is_among && team.contains(before) => Some(team),
                _ => ordered,
            };
            self.0.entry((by, ordered)).or_default().join(&pending);
        }
    }

    /// The teams whose accesses those of an operation conflict with.
    fn conflicts<'a>(&'a self, next: &'a Footprint) -> impl Iterator<Item = Team> + 'a {
        let others = self.0.iter().filter(|((_, ordered), pending)| {
            let is_ordered = ordered.is_some_and(|team| team.contains(next.team));
            !is_ordered && pending.conflicts_with(&next.before)
        });
        others.map(|((by, _), _)| *by)
    }

    /// Returns true if an operation needs a barrier of its team.
    pub(crate) fn conflicts_with(&self, next: &Footprint) -> bool {
        self.conflicts(next).any(|by| next.team.contains(by))
    }

    /// Returns where each run of bytes ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        let pending = self.0.values();
        pending.flat_map(|pending| pending.reads.ends().chain(pending.writes.ends()))
    }
}

/// Where each buffer and each scratch begins, by operation.
pub(crate) type Places = HashMap<OpNumber, u32>;

/// What is put between accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Barriers,
    Fences,
}

/// The accesses of one operation, in bytes, by the barriers (or fences) that it has itself.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    /// The warps that run it.
    team: Team,
    /// The accesses that begin before the first barrier of these warps.
    before: Pending,
    /// The accesses that complete before each barrier, with the team of the barrier; at last those after all.
    completes: Vec<(Pending, Option<Team>)>,
}

impl Footprint {
    /// Finds the bytes of an operation.
    pub(crate) fn of(
        (op, effects, team): (OpNumber, &Effects, Team),
        order: Order,
        (aliases, in_flight): (&Aliases, &InFlight),
        places: &Places,
    ) -> Self {
        let is_generic = order == Order::Fences;
        let (mut before, mut completes) = (Pending::default(), Vec::new());
        let (mut pending, mut is_first) = (Pending::default(), true);
        for (i, act) in effects.acts.iter().enumerate() {
            let (is_write, touched, begins, ends) = match *act {
                Act::Read(touched) => (false, touched, !is_generic, true),
                Act::Write(touched) => (true, touched, !is_generic, true),
                Act::Start(start) => {
                    let begins = !is_generic || start.proxy == Proxy::Async;
                    (start.is_write, start.touched, begins, false)
                }
                Act::Observe { .. } => {
                    for (start, reach) in in_flight.observed((op, i)) {
                        if !is_generic || start.proxy == Proxy::Generic {
                            pending.reach(start.is_write, reach, places);
                        }
                    }
                    continue;
                }
                Act::Commit(_) => continue,
                Act::Barrier | Act::Sync(_) | Act::Fence => {
                    let ordered = match (order, act.scope()) {
                        (Order::Barriers, Some(Scope::Cluster)) => Team::BLOCK,
                        (Order::Barriers, Some(Scope::Team(team))) => team,
                        _ => continue,
                    };
                    is_first &= !ordered.contains(team);
                    completes.push((std::mem::take(&mut pending), Some(ordered)));
                    continue;
                }
            };
            let reach = aliases.touched(op, effects, touched);
            if begins && is_first {
                before.reach(is_write, &reach, places);
            }
            if ends {
                pending.reach(is_write, &reach, places);
            }
        }
        completes.push((pending, None));
        Self {
            team,
            before,
            completes,
        }
    }

    /// Adds what is pending after it.
    pub(crate) fn leave(&self, unordered: &mut Unordered) {
        for (pending, barrier) in &self.completes {
            unordered.add(self.team, pending);
            if let Some(team) = barrier {
                unordered.order(*team);
            }
        }
    }
}

/// How often something runs inside so many loops: each is taken to have 16 rounds.
pub(crate) fn rounds(depth: u32) -> u64 {
    1 << (4 * depth.min(8))
}

/// The accesses of a function whose bytes are known.
pub(crate) struct Accesses<'f> {
    flow: &'f Flow,
    order: Vec<usize>,
    footprints: HashMap<OpNumber, Footprint>,
    depths: HashMap<OpNumber, u32>,
}

/// The operations that a barrier comes before, with the team that meets there.
pub(crate) type Barriers = BTreeMap<OpNumber, Team>;

impl<'f> Accesses<'f> {
    pub(crate) fn of(
        flow: &'f Flow,
        order_by: Order,
        facts: (&Aliases, &InFlight),
        places: &Places,
    ) -> Self {
        let order = flow.order();
        let mut footprints = HashMap::new();
        let mut depths = HashMap::new();
        for segment in order.iter().map(|i| &flow.segments[*i]) {
            for event in &segment.events {
                let ran = (event.op, &event.effects, segment.team);
                let footprint = Footprint::of(ran, order_by, facts, places);
                footprints.insert(event.op, footprint);
                depths.insert(event.op, segment.depth);
            }
        }
        Self {
            flow,
            order,
            footprints,
            depths,
        }
    }

    /// How much waiting barriers are.
    pub(crate) fn cost(&self, barriers: &Barriers) -> u64 {
        barriers.keys().map(|op| rounds(self.depths[op])).sum()
    }

    /// The barriers that are needed, none of which can be left out: of the `given` ones and of others.
    pub(crate) fn barriers(&self, given: Barriers) -> Barriers {
        let mut best = self.needed(Barriers::new());
        if !given.is_empty() {
            let with = self.needed(given);
            // Right before an access, behind its barrier, there is the least to wait for.
            if self.cost(&with) < self.cost(&best) {
                best = with;
            }
        }
        for each in &self.flow.loops {
            if !self.depths.contains_key(each) || best.contains_key(each) {
                continue;
            }
            let mut with = best.clone();
            with.insert(*each, self.footprints[each].team);
            let with = self.needed(with);
            if self.cost(&with) < self.cost(&best) {
                best = with;
            }
        }
        best
    }

    /// Returns the operations that conflict with accesses of other teams, which no barrier of their own can order.
    pub(crate) fn unordered(&self, barriers: &Barriers) -> BTreeSet<OpNumber> {
        let mut found = BTreeSet::new();
        self.first(barriers, &mut |op, state, next| {
            let is_outside = state.conflicts(next).any(|by| !next.team.contains(by));
            found.extend(is_outside.then_some(op));
            false
        });
        found
    }

    /// Adds barriers until nothing conflicts, and takes out those without which nothing does.
    fn needed(&self, mut barriers: Barriers) -> Barriers {
        let is_given = !barriers.is_empty();
        while let Some(op) = self.first_conflict(&barriers) {
            barriers.insert(op, self.footprints[&op].team);
        }
        // Without branches each was put as late as could be.
        if self.order.len() == 1 && !is_given {
            return barriers;
        }
        let mut candidates: Vec<OpNumber> = barriers.keys().copied().collect();
        let position: HashMap<OpNumber, usize> =
            self.flow.events().map(|e| e.op).zip(0..).collect();
        candidates.sort_by_key(|op| (std::cmp::Reverse(self.depths[op]), position[op]));
        for op in candidates {
            let team = barriers.remove(&op);
            if self.first_conflict(&barriers).is_some() {
                barriers.extend(team.map(|team| (op, team)));
            }
        }
        barriers
    }

    /// The first operation that conflicts with what is pending, given these barriers.
    fn first_conflict(&self, barriers: &Barriers) -> Option<OpNumber> {
        self.first(barriers, &mut |_, state, next| state.conflicts_with(next))
    }

    /// The first operation of which something holds, given what is pending before it.
    fn first(
        &self,
        barriers: &Barriers,
        holds: &mut dyn FnMut(OpNumber, &Unordered, &Footprint) -> bool,
    ) -> Option<OpNumber> {
        let mut entries: Vec<Option<Unordered>> = vec![None; self.flow.segments.len()];
        if let Some(first) = entries.first_mut() {
            *first = Some(Unordered::default());
        }
        loop {
            let mut changed = false;
            for &number in &self.order {
                let Some(mut pending) = entries[number].clone() else {
                    continue;
                };
                let segment = &self.flow.segments[number];
                for event in &segment.events {
                    let footprint = &self.footprints[&event.op];
                    if let Some(team) = barriers.get(&event.op) {
                        pending.order(*team);
                    }
                    if holds(event.op, &pending, footprint) {
                        return Some(event.op);
                    }
                    footprint.leave(&mut pending);
                }
                for edge in &segment.edges {
                    let entry = entries[edge.to].get_or_insert_with(|| {
                        changed = true;
                        Unordered::default()
                    });
                    let before = entry.clone();
                    entry.join(&pending);
                    changed |= *entry != before;
                }
            }
            if !changed {
                return None;
            }
        }
    }
}
