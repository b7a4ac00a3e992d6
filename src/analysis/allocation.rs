//! Where each buffer and each scratch lies in shared memory.
//!
//! Buffers that are needed at the same time lie apart; others may have the same bytes. Large ones are placed first,
//! each at the lowest bytes that are free (first fit). The scratch of an operation takes bytes that no buffer needs
//! at that time.
//!
//! How many bytes a function takes has a bound: what it would take if each operation went the plain way
//! ([`Choice::plain_bytes`](super::effects::Choice)) and all bytes were used again. What needs more than is free below the bound is planned
//! anew within that. What the bound leaves saves barriers: bytes that are used again cost one where nothing else makes
//! everybody wait, so scratch takes fresh bytes, and buffers keep bytes of their own, as far as there are any.

use super::alias::Aliases;
use super::barriers::{Accesses, Barriers, Footprint, Order, Places, Unordered, rounds};
use super::effects::{Effects, OpNumber, Request, ValueNumber};
use super::flow::{Event, Flow, Segment};
use super::in_flight::InFlight;
use super::liveness::Liveness;
use std::collections::{BTreeMap, BTreeSet};

/// Where shared memory is used, and what must wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    places: Places,
    sizes: BTreeMap<OpNumber, u32>,
    barriers: Barriers,
    fences: Barriers,
    bytes: u32,
}

/// Why buffers cannot be given bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conflict {
    /// An operation makes a buffer while the one that it made before is needed.
    StillNeeded(OpNumber),
    /// A function hands out a buffer of its own.
    Escapes(OpNumber),
    /// An operation accesses bytes on which an access is in flight that another operation started.
    InFlight { started: OpNumber, at: OpNumber },
    /// An operation accesses bytes that other warps access, and no barrier orders both.
    OtherWarps(OpNumber),
}

impl Allocation {
    /// Places all buffers and scratch memory of a function that is given the buffers `outside`. `room` says how many
    /// bytes may be taken where the plain way takes so many, and what is planned so many.
    ///
    /// # Errors
    /// Buffers that would need the same bytes twice, or longer than the function runs.
    pub(crate) fn of(
        flow: &mut Flow,
        outside: &[ValueNumber],
        room: &dyn Fn(u32, u32) -> u32,
        replan: &mut Replan<'_>,
    ) -> Result<Self, Vec<Conflict>> {
        if flow.events().next().is_none() {
            return Ok(Self::default());
        }
        let aliases = Aliases::of(flow, outside);
        let in_flight = InFlight::of(flow, &aliases);
        let liveness = Liveness::of(flow, &aliases, &in_flight);
        let facts = (&aliases, &in_flight);
        let problem = Problem {
            flow,
            facts,
            liveness: &liveness,
        };
        let conflicts = problem.conflicts();
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
        let mut found = Self::within(flow, facts, &liveness, room, replan);
        found.fences = flow.fences();
        if in_flight.has_async_proxy() {
            let fences = Accesses::of(flow, Order::Fences, facts, &found.places);
            found.fences = fences.barriers(found.fences);
        }
        let barriers = Accesses::of(flow, Order::Barriers, facts, &found.places);
        let unordered = barriers.unordered(&found.barriers);
        if unordered.is_empty() {
            return Ok(found);
        }
        Err(unordered.into_iter().map(Conflict::OtherWarps).collect())
    }

    /// Places everything, and plans anew what needs more bytes than there are.
    fn within(
        flow: &mut Flow,
        facts: (&Aliases, &InFlight),
        liveness: &Liveness,
        room: &dyn Fn(u32, u32) -> u32,
        replan: &mut Replan<'_>,
    ) -> Self {
        let problem = Problem {
            flow,
            facts,
            liveness,
        };
        let planned = |effects: &Effects| effects.scratch.map(|request| request.bytes);
        let plain = |effects: &Effects| match effects.choice {
            Some(choice) => Some(choice.plain_bytes),
            None => planned(effects),
        };
        let most = room(problem.end_with(plain), problem.end_with(planned));
        let crowded = problem.crowded(most);
        let spared = problem.above_plain(&crowded);
        limit(flow, &crowded, replan);
        let fast = Self::best(flow, facts, liveness, most);
        if spared.is_empty() || fast.barriers.is_empty() {
            return fast;
        }
        // Bytes that the plain way does not take may be what others wait for.
        let mut plain_flow = flow.clone();
        limit(&mut plain_flow, &spared, replan);
        let plain = Self::best(&plain_flow, facts, liveness, most);
        if waits(&plain_flow, &plain) < waits(flow, &fast) {
            *flow = plain_flow;
            return plain;
        }
        let before = spared
            .keys()
            .map(|op| (*op, crowded.get(op).copied().flatten()));
        limit(flow, &before.collect(), replan);
        fast
    }

    /// The better of two ways to place buffers: where others are not needed, or apart from all.
    fn best(flow: &Flow, facts: (&Aliases, &InFlight), liveness: &Liveness, most: u32) -> Self {
        let problem = Problem {
            flow,
            facts,
            liveness,
        };
        let (shared, cost) = problem.solve(true, most);
        let (own, cost_apart) = problem.solve(false, most);
        if own.bytes <= most && cost_apart < cost {
            own
        } else {
            shared
        }
    }

    /// Returns the bytes of shared memory that the function takes.
    pub(crate) const fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns where the buffer of an operation begins, or its scratch.
    pub(crate) fn place(&self, op: OpNumber) -> Option<u32> {
        self.places.get(&op).copied()
    }

    /// Returns how many bytes the buffer of an operation has, or its scratch.
    pub(crate) fn size(&self, op: OpNumber) -> Option<u32> {
        self.sizes.get(&op).copied()
    }

    /// Returns true if a barrier of the team that runs an operation comes before it.
    pub(crate) fn needs_barrier(&self, op: OpNumber) -> bool {
        self.barriers.contains_key(&op)
    }

    /// Returns true if a proxy fence comes before an operation, after its barrier, or in place of it where it is one.
    pub(crate) fn needs_fence(&self, op: OpNumber) -> bool {
        self.fences.contains_key(&op)
    }
}

/// The most bytes of scratch that operations may have which are planned anew; any, where none are given.
type Limits = BTreeMap<OpNumber, Option<u32>>;

/// What an operation does in so many bytes of scratch or a few more, where it can.
pub(crate) type Replan<'r> = dyn FnMut(OpNumber, Option<u32>) -> Option<Effects> + 'r;

/// Plans operations anew.
fn limit(flow: &mut Flow, limits: &Limits, replan: &mut Replan<'_>) {
    for event in flow
        .segments
        .iter_mut()
        .flat_map(|segment| &mut segment.events)
    {
        if let Some(limit) = limits.get(&event.op)
            && let Some(effects) = replan(event.op, *limit)
        {
            event.effects = effects;
        }
    }
}

/// How much waiting barriers are, with those inside operations that can be planned anew.
fn waits(flow: &Flow, allocation: &Allocation) -> u64 {
    let segments = flow
        .order()
        .into_iter()
        .map(|number| &flow.segments[number]);
    let waits = segments.flat_map(|segment| {
        segment.events.iter().map(|event| {
            let inside = event.effects.choice.map_or(0, |choice| choice.barriers);
            let before = usize::from(allocation.needs_barrier(event.op));
            (inside + before) as u64 * rounds(segment.depth)
        })
    });
    waits.sum()
}

struct Problem<'f> {
    flow: &'f Flow,
    facts: (&'f Aliases, &'f InFlight),
    liveness: &'f Liveness,
}

/// Bytes that are taken while something is placed, from and to.
type Taken = Vec<(u32, u32)>;

impl Problem<'_> {
    fn conflicts(&self) -> Vec<Conflict> {
        let mut found = Vec::new();
        for event in self.flow.events() {
            if event.effects.makes.is_some() && self.liveness.before(event.op).contains(&event.op) {
                found.push(Conflict::StillNeeded(event.op));
            }
            let is_own = |value: &ValueNumber| !self.facts.0.get(*value).parts.is_empty();
            if event.effects.is_end && event.effects.uses.iter().any(is_own) {
                found.push(Conflict::Escapes(event.op));
            }
        }
        let in_flight = self.facts.1.conflicts().iter();
        found.extend(in_flight.map(|(started, at)| Conflict::InFlight {
            started: *started,
            at: *at,
        }));
        found
    }

    /// Places everything, scratch memory up to `most` bytes where that saves barriers; returns what the barriers cost
    /// beside it.
    fn solve(&self, reuses: bool, most: u32) -> (Allocation, u64) {
        let buffers = self.buffers(reuses);
        let mut best: Option<(Allocation, u64)> = None;
        // What a loop's end leaves is known once it has been gone through.
        let mut entries = vec![None; self.flow.segments.len()];
        for _ in 0..2 {
            let places = self.scratch(&buffers, &mut entries, most);
            let accesses = Accesses::of(self.flow, Order::Barriers, self.facts, &places);
            let barriers = accesses.barriers(Barriers::new());
            let cost = accesses.cost(&barriers);
            let bytes = self.end(&places);
            let is_better = |known: &(Allocation, u64)| (cost, bytes) < (known.1, known.0.bytes);
            if best.as_ref().is_none_or(is_better) {
                let allocation = Allocation {
                    places,
                    sizes: self.sizes(),
                    barriers,
                    fences: Barriers::new(),
                    bytes,
                };
                best = Some((allocation, cost));
            }
        }
        best.unwrap_or_default()
    }

    /// The bytes that everything takes where each scratch has so many, and all are used again.
    fn end_with(&self, scratch_bytes: impl Fn(&Effects) -> Option<u32>) -> u32 {
        let buffers = self.buffers(true);
        let mut bound = self.end(&buffers);
        for event in self.flow.events() {
            if let Some(bytes) = scratch_bytes(&event.effects) {
                let request = Request::scratch(bytes);
                let start = first_free(&self.taken(event, &buffers), request);
                bound = bound.max(start.saturating_add(bytes));
            }
        }
        bound
    }

    /// The operations that can be planned anew and whose scratch has no place below `most`, with the most bytes that
    /// it may have.
    fn crowded(&self, most: u32) -> Limits {
        let buffers = self.buffers(true);
        let mut crowded = BTreeMap::new();
        for event in self.flow.events() {
            let (Some(request), Some(_)) = (event.effects.scratch, event.effects.choice) else {
                continue;
            };
            let mut taken = self.taken(event, &buffers);
            taken.sort_unstable();
            let (mut free, mut end) = (0, 0);
            for (from, to) in taken.into_iter().chain([(most, most)]) {
                let start = aligned(end, request.alignment);
                free = free.max(from.saturating_sub(start));
                end = end.max(to);
            }
            if request.bytes > free {
                crowded.insert(event.op, Some(free));
            }
        }
        crowded
    }

    /// The operations whose scratch has more bytes than the plain way takes, or may have, and these bytes.
    fn above_plain(&self, limits: &Limits) -> Limits {
        let above = self.flow.events().filter_map(|event| {
            let plain = event.effects.choice?.plain_bytes;
            let limit = limits.get(&event.op).copied().flatten();
            let bytes = event.effects.scratch?.bytes.min(limit.unwrap_or(u32::MAX));
            (bytes > plain).then_some((event.op, Some(plain)))
        });
        above.collect()
    }

    /// The bytes of the buffers that are needed while an operation runs.
    fn taken(&self, event: &Event, places: &Places) -> Taken {
        let needed = self.liveness.during(event.op);
        let makers = self.flow.events().filter(|e| needed.contains(&e.op));
        let spans = makers.filter_map(|e| {
            let start = *places.get(&e.op)?;
            Some((start, start.saturating_add(e.effects.makes?.request.bytes)))
        });
        spans.collect()
    }

    fn requests(&self) -> impl Iterator<Item = (&Event, Request)> {
        self.flow.events().filter_map(|event| {
            let made = event.effects.makes.map(|makes| makes.request);
            Some((event, made.or(event.effects.scratch)?))
        })
    }

    /// The bytes of each buffer and scratch.
    fn sizes(&self) -> BTreeMap<OpNumber, u32> {
        let requests = self.requests();
        requests
            .map(|(event, request)| (event.op, request.bytes))
            .collect()
    }

    /// The end of all that has been placed.
    fn end(&self, places: &Places) -> u32 {
        self.requests()
            .filter_map(|(event, request)| {
                Some(places.get(&event.op)?.saturating_add(request.bytes))
            })
            .max()
            .unwrap_or_default()
    }

    /// Places buffers, each apart from those that are needed while it is, or from all.
    fn buffers(&self, reuses: bool) -> Places {
        let mut buffers: Vec<(OpNumber, Request)> = self
            .flow
            .events()
            .filter_map(|event| Some((event.op, event.effects.makes?.request)))
            .collect();
        let sizes: BTreeMap<OpNumber, u32> = buffers.iter().map(|(op, r)| (*op, r.bytes)).collect();
        let mut apart: BTreeMap<OpNumber, BTreeSet<OpNumber>> = BTreeMap::new();
        for event in self.flow.events().filter(|_| reuses) {
            let together = self.liveness.during(event.op);
            for op in together {
                apart.entry(*op).or_default().extend(together);
            }
        }
        if reuses {
            // In order of the function among those of one size.
            buffers.sort_by_key(|(_, request)| std::cmp::Reverse(request.bytes));
        }
        let mut places = Places::new();
        for (op, request) in buffers {
            let taken: Taken = places
                .iter()
                .filter(|(other, _)| !reuses || apart[&op].contains(other))
                .map(|(other, start)| (*start, start.saturating_add(sizes[other])))
                .collect();
            let place = first_free(&taken, request);
            places.insert(op, place);
        }
        places
    }

    /// Places scratch memory, after the buffers, up to `most` bytes where nothing conflicts with it there; `entries` is
    /// what is pending where segments begin, as far as known.
    fn scratch(&self, buffers: &Places, entries: &mut [Option<Unordered>], most: u32) -> Places {
        let mut places = buffers.clone();
        let sizes = self.sizes();
        for number in self.flow.order() {
            let mut pending = entries[number].clone().unwrap_or_default();
            let segment = &self.flow.segments[number];
            for event in &segment.events {
                if let Some(request) = event.effects.scratch {
                    let needed = self.liveness.during(event.op).iter();
                    let taken: Taken = needed
                        .map(|op| (places[op], places[op].saturating_add(sizes[op])))
                        .collect();
                    let mut candidates: Vec<u32> = starts(&taken, request)
                        .chain(pending.ends())
                        .map(|at| aligned(at, request.alignment))
                        .filter(|at| is_free(&taken, *at, request.bytes))
                        .collect();
                    candidates.sort_unstable();
                    let fresh = candidates.iter().copied().find(|at| {
                        places.insert(event.op, *at);
                        let end = at.saturating_add(request.bytes);
                        end <= most
                            && !pending.conflicts_with(&self.footprint(segment, event, &places))
                    });
                    let place = fresh.or_else(|| candidates.first().copied());
                    places.insert(event.op, place.unwrap_or_default());
                }
                let footprint = self.footprint(segment, event, &places);
                if pending.conflicts_with(&footprint) {
                    pending.order(segment.team);
                }
                footprint.leave(&mut pending);
            }
            for edge in &segment.edges {
                let entry = entries[edge.to].get_or_insert_default();
                entry.join(&pending);
            }
        }
        places
    }

    fn footprint(&self, segment: &Segment, event: &Event, places: &Places) -> Footprint {
        let ran = (event.op, &event.effects, segment.team);
        Footprint::of(ran, Order::Barriers, self.facts, places)
    }
}

/// The starts that are worth trying: the lowest, and after each run of bytes that is taken.
fn starts(taken: &Taken, request: Request) -> impl Iterator<Item = u32> {
    let ends = taken.iter().map(|(_, to)| *to);
    std::iter::once(0)
        .chain(ends)
        .map(move |at| aligned(at, request.alignment))
}

fn is_free(taken: &Taken, at: u32, bytes: u32) -> bool {
    let end = at.saturating_add(bytes);
    taken.iter().all(|(from, to)| end <= *from || *to <= at)
}

/// The lowest start at which nothing that is taken is in the way.
fn first_free(taken: &Taken, request: Request) -> u32 {
    starts(taken, request)
        .filter(|at| is_free(taken, *at, request.bytes))
        .min()
        // What is too much for any GPU is reported for the function as a whole.
        .unwrap_or(u32::MAX)
}

/// The next multiple, or the largest number.
fn aligned(at: u32, alignment: u32) -> u32 {
    at.checked_next_multiple_of(alignment).unwrap_or(u32::MAX)
}
