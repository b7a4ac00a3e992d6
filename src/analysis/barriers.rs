//! Before which operations everybody must have arrived.
//!
//! Threads of a block meet in shared memory where one reads what another writes, or writes what another reads or
//! writes. Going through a function, what was read and written since the last barrier is *pending*; an operation
//! that meets it needs a barrier first. At the start of a piece all is pending that is at the end of any piece that
//! leads there, until nothing changes.
//!
//! ```text
//! write A; barrier; read A, write B; barrier; read B     A is written before the loop: one barrier there
//! write A; for { barrier?; read A }                      serves all rounds
//! ```
//! So a barrier is also tried before each loop, and kept there where those inside it then go.

use super::alias::Aliases;
use super::effects::{Act, Effects, OpNumber, Touched};
use super::flow::Flow;
use std::collections::{BTreeSet, HashMap};

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

    fn join(&mut self, other: &Self) {
        self.outside |= other.outside;
        for span in &other.own {
            self.add(*span);
        }
    }

    /// Says whether some bytes are in both.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let meet = |a: &(u32, u32)| other.own.iter().any(|b| a.0 < b.1 && b.0 < a.1);
        (self.outside && other.outside) || self.own.iter().any(meet)
    }

    /// Returns where each run of bytes ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        self.own.iter().map(|span| span.1)
    }
}

/// What was done since the last barrier.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) reads: Spans,
    pub(crate) writes: Spans,
}

impl Pending {
    pub(crate) fn join(&mut self, other: &Self) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
    }

    /// Says whether doing what `next` does must wait.
    pub(crate) fn meets(&self, next: &Self) -> bool {
        self.writes.meets(&next.reads)
            || self.writes.meets(&next.writes)
            || self.reads.meets(&next.writes)
    }
}

/// Where each buffer and each scratch begins, by operation.
pub(crate) type Places = HashMap<OpNumber, u32>;

/// What an operation does, in bytes: up to its first barrier, and after its last where it has one.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    pub(crate) before: Pending,
    pub(crate) after: Option<Pending>,
}

impl Footprint {
    /// Finds the bytes of an operation.
    pub(crate) fn of(op: OpNumber, effects: &Effects, aliases: &Aliases, places: &Places) -> Self {
        let bytes = |acts: &[Act]| {
            let mut pending = Pending::default();
            for act in acts {
                let (set, touched) = match act {
                    Act::Read(touched) => (&mut pending.reads, touched),
                    Act::Write(touched) => (&mut pending.writes, touched),
                    Act::Barrier => continue,
                };
                match touched {
                    Touched::Outside => set.outside = true,
                    Touched::Scratch => {
                        let start = places.get(&op).copied().unwrap_or_default();
                        let bytes = effects.scratch.map_or(0, |scratch| scratch.bytes);
                        set.add((start, start.saturating_add(bytes)));
                    }
                    Touched::Buffer(value) => {
                        let reach = aliases.get(*value);
                        set.outside |= reach.outside;
                        for (buffer, (from, to)) in &reach.parts {
                            let start = places.get(buffer).copied().unwrap_or_default();
                            set.add((start.saturating_add(*from), start.saturating_add(*to)));
                        }
                    }
                }
            }
            pending
        };
        Self {
            before: bytes(effects.before_barrier()),
            after: effects.after_barrier().map(bytes),
        }
    }

    /// What is pending after it.
    pub(crate) fn leave(&self, pending: &mut Pending) {
        match &self.after {
            Some(after) => *pending = after.clone(),
            None => pending.join(&self.before),
        }
    }
}

/// How often something runs inside so many loops: each is taken to have 16 rounds.
pub(crate) fn rounds(depth: u32) -> u64 {
    1 << (4 * depth.min(8))
}

/// A function whose bytes are known.
pub(crate) struct Accesses<'f> {
    flow: &'f Flow,
    order: Vec<usize>,
    footprints: HashMap<OpNumber, Footprint>,
    depths: HashMap<OpNumber, u32>,
}

/// The operations that a barrier comes before.
pub(crate) type Barriers = BTreeSet<OpNumber>;

impl<'f> Accesses<'f> {
    pub(crate) fn of(flow: &'f Flow, aliases: &Aliases, places: &Places) -> Self {
        let order = flow.order();
        let mut footprints = HashMap::new();
        let mut depths = HashMap::new();
        for piece in order.iter().map(|i| &flow.pieces[*i]) {
            for event in &piece.events {
                let footprint = Footprint::of(event.op, &event.effects, aliases, places);
                footprints.insert(event.op, footprint);
                depths.insert(event.op, piece.depth);
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
        barriers.iter().map(|op| rounds(self.depths[op])).sum()
    }

    /// The barriers that are needed, none of which can be left out.
    pub(crate) fn barriers(&self) -> Barriers {
        let mut best = self.needed(Barriers::new());
        for each in &self.flow.loops {
            if !self.depths.contains_key(each) || best.contains(each) {
                continue;
            }
            let mut with = best.clone();
            with.insert(*each);
            let with = self.needed(with);
            if self.cost(&with) < self.cost(&best) {
                best = with;
            }
        }
        best
    }

    /// Adds barriers until nothing meets, and takes out those without which nothing does.
    fn needed(&self, mut barriers: Barriers) -> Barriers {
        while let Some(op) = self.first_meeting(&barriers) {
            barriers.insert(op);
        }
        // Without branches each was put as late as could be.
        if self.order.len() == 1 {
            return barriers;
        }
        let mut candidates: Vec<OpNumber> = barriers.iter().copied().collect();
        let position: HashMap<OpNumber, usize> =
            self.flow.events().map(|e| e.op).zip(0..).collect();
        candidates.sort_by_key(|op| (std::cmp::Reverse(self.depths[op]), position[op]));
        for op in candidates {
            barriers.remove(&op);
            if self.first_meeting(&barriers).is_some() {
                barriers.insert(op);
            }
        }
        barriers
    }

    /// The first operation that meets what is pending, given these barriers.
    fn first_meeting(&self, barriers: &Barriers) -> Option<OpNumber> {
        let mut entries: Vec<Option<Pending>> = vec![None; self.flow.pieces.len()];
        if let Some(first) = entries.first_mut() {
            *first = Some(Pending::default());
        }
        loop {
            let mut changed = false;
            for &number in &self.order {
                let Some(mut pending) = entries[number].clone() else {
                    continue;
                };
                let piece = &self.flow.pieces[number];
                for event in &piece.events {
                    let footprint = &self.footprints[&event.op];
                    if barriers.contains(&event.op) {
                        pending = Pending::default();
                    } else if pending.meets(&footprint.before) {
                        return Some(event.op);
                    }
                    footprint.leave(&mut pending);
                }
                for way in &piece.ways {
                    let entry = entries[way.to].get_or_insert_with(|| {
                        changed = true;
                        Pending::default()
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
