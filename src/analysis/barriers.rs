//! Barrier and proxy-fence insertion for shared memory.
//!
//! A forward data-flow analysis over basic blocks. Accesses to overlapping bytes conflict if at least one writes. The
//! state is the bytes accessed since the last barrier ([`PendingAccesses`]), and the join is union. An operation that
//! conflicts with the state gets a barrier.
//!
//! ```text
//! write A; barrier; read A, write B; barrier; read B
//! write A; for { barrier?; read A }     A is written before the loop: one barrier there serves all iterations
//! ```
//! A barrier is therefore also tried in front of each loop, and kept if it makes barriers inside the loop redundant.
//!
//! - *Asynchronous accesses* conflict when they start. A wait that observes their completion adds them to the state as
//!   accesses of the waiting threads; an earlier barrier does not order them. Accesses observed by all threads are
//!   never added.
//! - *Scopes*: a barrier of a team orders only accesses of that team's warps; other accesses stay pending. An inserted
//!   barrier belongs to the team of the operation, and conflicts with other warps are errors
//!   ([`BarrierAnalysis::unordered`]).
//! - *Rotating buffers*: accesses to different known slots do not conflict. At the end of an iteration, slots are
//!   renumbered for the next iteration.
//! - *Staggered warps* run one barrier behind the others ([`StaggerEdge`]). Accesses of different warps then need two
//!   barriers.
//! - *Proxy fences* work in the same way: generic accesses are pending until a fence, and conflict with async accesses.
//!   An inserted fence follows the barrier, and orders the accesses of all threads. Fences in a region of
//!   `ttg.warp_specialize` are always kept, since they may order accesses of other warps.
//! - *Waits for an mbarrier* conflict with a later operation that may complete a phase: one thread executes the
//!   operation for all, and a late warp would miss its phase. In a region of `ttg.warp_specialize`, the operation may
//!   make other regions arrive at any mbarrier.

use super::alias::{Aliases, PointsTo};
use super::effects::{Act, Channel, Effects, OpId, Proxy, Rotation, StaggerEdge, SyncScope, Team};
use super::flow::{Edge, Event, Flow};
use super::in_flight::InFlight;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ByteRanges {
    /// Half-open byte ranges at known addresses, sorted and disjoint.
    own: Vec<(u32, u32)>,
    /// Accessed slots of multi-buffered allocations. Their bytes are not part of `own`.
    slots: BTreeSet<SlotBytes>,
    /// True if memory of a caller or callee may be accessed.
    external: bool,
}

/// One slot of a multi-buffered allocation. `rotation` describes the index of the slot in the current iteration of
/// a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SlotBytes {
    /// The half-open byte range that contains all slots of the allocation.
    all: (u32, u32),
    /// Bytes per slot.
    bytes: u32,
    rotation: Rotation,
}

impl SlotBytes {
    /// Returns true if `self` and `other` are different slots of the same allocation.
    fn differs_from(self, other: Self) -> bool {
        let phase = other.rotation.phase;
        let rotation = Rotation {
            phase,
            ..self.rotation
        };
        self != other && Self { rotation, ..self } == other
    }
}

impl ByteRanges {
    pub(crate) fn add(&mut self, (mut from, mut to): (u32, u32)) {
        if from >= to {
            return;
        }
        // The common case near the fixed point.
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
        self.own.is_empty() && self.slots.is_empty() && !self.external
    }

    fn add_all(&mut self, accessed: &PointsTo, offsets: &Offsets) {
        self.external |= accessed.external;
        for (buffer, (from, to)) in &accessed.buffers {
            let start = offsets.get(buffer).copied().unwrap_or_default();
            if let Some(slot) = accessed.slot.filter(|slot| slot.buffer == *buffer) {
                self.slots.insert(SlotBytes {
                    all: (start, start.saturating_add(slot.all_bytes)),
                    bytes: slot.bytes,
                    rotation: slot.rotation,
                });
                continue;
            }
            self.add((start.saturating_add(*from), start.saturating_add(*to)));
        }
    }

    /// Expresses the slot indices relative to the iteration that `edge` leads to. If `edge` leaves the loop that
    /// changes a slot's index, the slot becomes unknown and is replaced by the bytes of all slots of its
    /// allocation.
    fn cross(&mut self, edge: &Edge) {
        for slot in std::mem::take(&mut self.slots) {
            match edge.rotated(slot.rotation) {
                Some(rotation) => {
                    self.slots.insert(SlotBytes { rotation, ..slot });
                }
                None => self.add(slot.all),
            }
        }
    }

    fn join(&mut self, other: &Self) {
        self.external |= other.external;
        for range in &other.own {
            self.add(*range);
        }
        self.slots.extend(&other.slots);
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let overlap = |(a, slot): (_, Option<SlotBytes>)| {
            other.pieces().any(|(b, there)| {
                let (a, b): ((u32, u32), (u32, u32)) = (a, b);
                let is_other = slot.zip(there).is_some_and(|(a, b)| a.differs_from(b));
                a.0 < b.1 && b.0 < a.1 && !is_other
            })
        };
        (self.external && other.external) || self.pieces().any(overlap)
    }

    /// Returns the accessed byte ranges. A range at a known address has no slot (`None`). A slot is returned
    /// together with the range of all slots of its allocation.
    fn pieces(&self) -> impl Iterator<Item = ((u32, u32), Option<SlotBytes>)> + '_ {
        let slots = self.slots.iter().map(|slot| (slot.all, Some(*slot)));
        self.own.iter().map(|range| (*range, None)).chain(slots)
    }

    /// Returns the exclusive end of each accessed byte range.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        self.pieces().map(|(range, _)| range.1)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct AccessedBytes {
    reads: ByteRanges,
    writes: ByteRanges,
    /// Mbarriers on which the threads wait.
    waits: ByteRanges,
    /// Mbarriers whose phase may complete.
    arrivals: ByteRanges,
}

impl AccessedBytes {
    fn join(&mut self, other: &Self) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
        self.waits.join(&other.waits);
    }

    fn cross(&mut self, edge: &Edge) {
        for ranges in [&mut self.reads, &mut self.writes, &mut self.waits] {
            ranges.cross(edge);
        }
    }

    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.waits.is_empty()
    }

    fn add(&mut self, is_write: bool, accessed: &PointsTo, offsets: &Offsets) {
        let ranges = if is_write {
            &mut self.writes
        } else {
            &mut self.reads
        };
        ranges.add_all(accessed, offsets);
    }

    /// Returns true if an access in `self` and a later access in `next` conflict: a read after a write, a write
    /// after a write, or a write after a read.
    fn conflicts_with(&self, next: &Self) -> bool {
        self.writes.overlaps(&next.reads)
            || self.writes.overlaps(&next.writes)
            || self.reads.overlaps(&next.writes)
    }
}

/// The team that performed a pending access, and the order that later barriers have established for this access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct AccessOrder {
    by: Team,
    /// A team that has executed a barrier after the access, and that contains the accessing team but not the whole
    /// thread block. `None` if there is no such team.
    ordered: Option<Team>,
    /// True if two more barriers of the whole thread block are necessary to order the access. False if one such
    /// barrier suffices.
    is_staggered: bool,
}

/// Accesses that barriers of the whole thread block have not ordered yet. One such barrier orders an access. If the
/// warps were staggered at the access, that is, some warps ran one barrier behind the others, two such barriers are
/// necessary.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PendingAccesses {
    bytes: BTreeMap<AccessOrder, AccessedBytes>,
    are_warps_staggered: bool,
}

impl PendingAccesses {
    pub(crate) fn join(&mut self, other: &Self) {
        for (order, pending) in &other.bytes {
            self.bytes.entry(*order).or_default().join(pending);
        }
        self.are_warps_staggered |= other.are_warps_staggered;
    }

    fn add(&mut self, by: Team, pending: &AccessedBytes) {
        let order = AccessOrder {
            by,
            ordered: None,
            is_staggered: self.are_warps_staggered,
        };
        if !pending.is_empty() {
            self.bytes.entry(order).or_default().join(pending);
        }
    }

    /// Returns the pending accesses after control flow has followed `edge`.
    pub(crate) fn across(&self, edge: &Edge) -> Cow<'_, Self> {
        if edge.crossing.is_none() {
            return Cow::Borrowed(self);
        }
        let mut across = self.clone();
        for pending in across.bytes.values_mut() {
            pending.cross(edge);
        }
        Cow::Owned(across)
    }

    fn stagger(&mut self, edge: StaggerEdge) {
        self.are_warps_staggered = edge == StaggerEdge::Begin;
        // At the end, the early warps catch up with the last barrier of the late warps.
        if edge == StaggerEdge::End {
            self.order(Team::BLOCK);
        }
    }

    /// Applies a barrier that `team` executes. Afterwards, earlier accesses by warps of the team can conflict only
    /// with accesses by warps outside the team.
    ///
    /// Exception: an access that staggered warps performed is not ordered by the first barrier of the whole thread
    /// block after the access, but by the second one.
    pub(crate) fn order(&mut self, team: Team) {
        for (mut order, pending) in std::mem::take(&mut self.bytes) {
            let is_among = team.contains(order.by);
            if is_among && team.contains(Team::BLOCK) {
                if !order.is_staggered {
                    continue;
                }
                order.is_staggered = false;
            } else {
                order.ordered = match order.ordered {
                    None if is_among => Some(team),
                    Some(before) if is_among && team.contains(before) => Some(team),
                    ordered => ordered,
                };
            }
            self.bytes.entry(order).or_default().join(&pending);
        }
    }

    /// Returns the teams with pending accesses that conflict with `next`.
    fn conflicts<'a>(&'a self, next: &'a OpAccesses) -> impl Iterator<Item = Team> + 'a {
        let others = self.bytes.iter().filter(|(order, pending)| {
            let is_ordered = order.ordered.is_some_and(|team| team.contains(next.team));
            let is_overtaken =
                next.team.contains(order.by) && pending.waits.overlaps(&next.before.arrivals);
            !is_ordered && (pending.conflicts_with(&next.before) || is_overtaken)
        });
        others.map(|(order, _)| order.by)
    }

    /// Returns true if `next` conflicts with a pending access that warps of `next.team` performed. A barrier of
    /// this team can order the two accesses.
    pub(crate) fn conflicts_with(&self, next: &OpAccesses) -> bool {
        self.conflicts(next).any(|by| next.team.contains(by))
    }

    /// Returns the exclusive ends of the pending byte ranges.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        let pending = self.bytes.values();
        pending.flat_map(|pending| pending.reads.ends().chain(pending.writes.ends()))
    }
}

/// Byte offset of the buffer or scratch memory that each operation allocates.
pub(crate) type Offsets = HashMap<OpId, u32>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyncKind {
    Barriers,
    Fences,
}

#[derive(Clone, Copy, Debug)]
enum InnerBarrier {
    Of(Team),
    Stagger(StaggerEdge),
}

/// The accesses of an operation. For `SyncKind::Barriers`, they are split at the barriers inside the operation.
#[derive(Clone, Debug)]
pub(crate) struct OpAccesses {
    team: Team,
    /// Accesses that start before the first inner barrier of the team.
    before: AccessedBytes,
    /// The accesses that complete before each inner barrier and after the previous one, paired with this inner
    /// barrier. The last entry contains the accesses that complete after all inner barriers, paired with `None`.
    completed: Vec<(AccessedBytes, Option<InnerBarrier>)>,
}

impl OpAccesses {
    pub(crate) fn of(
        (op, effects, team): (OpId, &Effects, Team),
        kind: SyncKind,
        (aliases, in_flight): (&Aliases, &InFlight),
        offsets: &Offsets,
    ) -> Self {
        let is_fence = kind == SyncKind::Fences;
        let (mut before, mut completed) = (AccessedBytes::default(), Vec::new());
        let (mut pending, mut is_first) = (AccessedBytes::default(), true);
        // A fence also orders accesses of other warps, given a barrier before the fence.
        let team = if is_fence { Team::BLOCK } else { team };
        for (i, act) in effects.acts.iter().enumerate() {
            let (is_write, target, starts, completes) = match *act {
                Act::Read(target) => (false, target, !is_fence, true),
                Act::Write(target) => (true, target, !is_fence, true),
                Act::Start(access) => {
                    let starts = !is_fence || access.proxy == Proxy::Async;
                    (access.is_write, access.target, starts, false)
                }
                Act::Observe { .. } => {
                    for (access, accessed) in in_flight.observed((op, i)) {
                        if !is_fence || access.proxy == Proxy::Generic {
                            pending.add(access.is_write, &accessed, offsets);
                        }
                    }
                    continue;
                }
                Act::Commit(_) | Act::Attach(_) => continue,
                Act::Barrier | Act::Sync(_) | Act::Fence => {
                    let ordered = match (kind, act.scope()) {
                        (SyncKind::Barriers, Some(SyncScope::Cluster)) => Team::BLOCK,
                        (SyncKind::Barriers, Some(SyncScope::Team(team))) => team,
                        _ => continue,
                    };
                    is_first &= !ordered.contains(team);
                    let barrier = InnerBarrier::Of(ordered);
                    completed.push((std::mem::take(&mut pending), Some(barrier)));
                    continue;
                }
                Act::Stagger(edge) => {
                    if !is_fence {
                        let barrier = InnerBarrier::Stagger(edge);
                        completed.push((std::mem::take(&mut pending), Some(barrier)));
                    }
                    continue;
                }
            };
            let accessed = aliases.accessed(op, effects, target);
            if !is_fence && let (Act::Read(_), Some((_, use_))) = (act, effects.mbarrier) {
                let mut objects = ByteRanges::default();
                objects.add_all(&accessed, offsets);
                objects.external |= team != Team::BLOCK;
                if use_.waits() {
                    pending.waits = objects;
                } else if is_first {
                    before.arrivals = objects;
                }
            }
            if starts && is_first {
                before.add(is_write, &accessed, offsets);
            }
            if completes {
                pending.add(is_write, &accessed, offsets);
            }
        }
        completed.push((pending, None));
        Self {
            team,
            before,
            completed,
        }
    }

    /// Applies the accesses and inner barriers of the operation to `state`.
    pub(crate) fn apply(&self, state: &mut PendingAccesses) {
        for (bytes, barrier) in &self.completed {
            state.add(self.team, bytes);
            match barrier {
                Some(InnerBarrier::Of(team)) => state.order(*team),
                Some(InnerBarrier::Stagger(edge)) => state.stagger(*edge),
                None => {}
            }
        }
    }
}

/// Returns the estimated execution count of an operation inside `depth` loops. Each loop is assumed to execute 16
/// iterations.
pub(crate) fn execution_count(depth: u32) -> u64 {
    1 << (4 * depth.min(8))
}

/// Computes the barriers or fences that a function needs. The buffers of the function must have memory offsets.
pub(crate) struct BarrierAnalysis<'f> {
    flow: &'f Flow,
    order: Vec<usize>,
    accesses: HashMap<OpId, OpAccesses>,
    depths: HashMap<OpId, u32>,
    /// Proxy fences in the regions of `ttg.warp_specialize`, which are never removed. Empty in an analysis of
    /// barriers.
    kept: Barriers,
}

/// The operations that need a barrier directly before them, each with the team that executes the barrier.
pub(crate) type Barriers = BTreeMap<OpId, Team>;

impl<'f> BarrierAnalysis<'f> {
    pub(crate) fn of(
        flow: &'f Flow,
        kind: SyncKind,
        facts: (&Aliases, &InFlight),
        offsets: &Offsets,
    ) -> Self {
        let order = flow.order();
        let mut accesses = HashMap::new();
        let mut depths = HashMap::new();
        for block in order.iter().map(|i| &flow.blocks[*i]) {
            for event in &block.events {
                let op = (event.op, &event.effects, block.team);
                accesses.insert(event.op, OpAccesses::of(op, kind, facts, offsets));
                depths.insert(event.op, block.depth);
            }
        }
        Self {
            flow,
            order,
            accesses,
            depths,
            kept: match kind {
                SyncKind::Barriers => Barriers::new(),
                SyncKind::Fences => flow.fences_of_regions(),
            },
        }
    }

    /// Returns the estimated number of executed barriers.
    pub(crate) fn cost(&self, barriers: &Barriers) -> u64 {
        let counts = barriers.keys().map(|op| execution_count(self.depths[op]));
        counts.sum()
    }

    /// Returns barriers that order all conflicting accesses, without redundant barriers. Barriers from `existing`
    /// are used only if they lower the cost.
    pub(crate) fn barriers(&self, existing: Barriers) -> Barriers {
        let mut best = self.completed(Barriers::new());
        if !existing.is_empty() {
            let with = self.completed(existing);
            // At equal cost, new barriers are preferred: they stand directly before the access, where the wait is
            // shortest.
            if self.cost(&with) < self.cost(&best) {
                best = with;
            }
        }
        for loop_op in &self.flow.loops {
            if !self.depths.contains_key(loop_op) || best.contains_key(loop_op) {
                continue;
            }
            let mut with = best.clone();
            with.insert(*loop_op, self.accesses[loop_op].team);
            let with = self.completed(with);
            if self.cost(&with) < self.cost(&best) {
                best = with;
            }
        }
        self.before_copies(self.before_reads(best))
    }

    /// Moves each barrier that is between consecutive reads in front of the first read, unless this requires a further
    /// barrier that is executed as often.
    ///
    /// The assembler moves a read down to the use of its result, but not across a barrier. The results of all reads in
    /// front of the barrier are therefore live at once. Attention by two warps spilled 560 bytes per thread with a
    /// barrier between the reads of queries and keys, and spills 256 bytes with the barrier in front of both.
    fn before_reads(&self, mut barriers: Barriers) -> Barriers {
        let is_read = |effects: &Effects| {
            let mut acts = effects.acts.iter();
            acts.all(|act| matches!(act, Act::Read(_))) && effects.mbarrier.is_none()
        };
        for (op, start) in self.runs(is_read) {
            let Some(team) = barriers.get(&op) else {
                continue;
            };
            let mut with = barriers.clone();
            with.insert(start, *team);
            with.remove(&op);
            let with = self.completed(with);
            let most = self.cost(&barriers) + execution_count(self.depths[&op]);
            if with.contains_key(&start) && self.cost(&with) < most {
                barriers = with;
            }
        }
        barriers
    }

    /// Moves each barrier that is between consecutive copies in front of the first copy, so that the copies start
    /// together. All accesses stay ordered, because an asynchronous copy is not a pending access until a wait
    /// observes its completion. A barrier between copies made wgmma attention 2 % slower on an H100.
    fn before_copies(&self, mut barriers: Barriers) -> Barriers {
        let is_copy = |act: &Act| match act {
            Act::Start(access) => access.channel == Channel::Copies,
            Act::Commit(channel) => *channel == Channel::Copies,
            _ => false,
        };
        for (op, start) in self.runs(|effects| effects.acts.iter().all(is_copy)) {
            if let Some(team) = barriers.remove(&op) {
                barriers.insert(start, team);
            }
        }
        barriers
    }

    /// Returns the operations in runs of consecutive operations for whose effects `is_in_run` is true, each after the
    /// first one together with the first one of its run. Operations without effects do not end a run, fences that are
    /// always kept do.
    fn runs(&self, is_in_run: impl Fn(&Effects) -> bool) -> Vec<(OpId, OpId)> {
        let mut found = Vec::new();
        for block in &self.flow.blocks {
            let mut first = None;
            for Event { op, effects } in &block.events {
                if effects.acts.is_empty() {
                    continue;
                }
                if !is_in_run(effects) || self.kept.contains_key(op) {
                    first = None;
                } else if let Some(start) = first {
                    found.push((*op, start));
                } else {
                    first = Some(*op);
                }
            }
        }
        found
    }

    /// Returns the operations that conflict with an earlier access despite `barriers`. A single barrier of the
    /// operation's team cannot order the two accesses, because another team performed the earlier access, or
    /// because the warps are staggered.
    pub(crate) fn unordered(&self, barriers: &Barriers) -> BTreeSet<OpId> {
        let mut found = BTreeSet::new();
        self.find(barriers, &mut |op, state, next| {
            let is_unordered = state.conflicts(next).next().is_some();
            found.extend(is_unordered.then_some(op));
            false
        });
        found
    }

    /// Adds barriers until no accesses conflict. Then removes redundant barriers, starting in the innermost loops.
    fn completed(&self, mut barriers: Barriers) -> Barriers {
        barriers.extend(&self.kept);
        let has_candidates = !barriers.is_empty();
        while let Some(op) = self.first_conflict(&barriers) {
            barriers.insert(op, self.accesses[&op].team);
        }
        // In straight-line code, each barrier is inserted as late as possible: none is redundant.
        if self.order.len() == 1 && !has_candidates {
            return barriers;
        }
        let candidates = barriers.keys().copied();
        let mut candidates: Vec<OpId> = candidates
            .filter(|op| !self.kept.contains_key(op))
            .collect();
        let position: HashMap<OpId, usize> = self.flow.events().map(|e| e.op).zip(0..).collect();
        candidates.sort_by_key(|op| (std::cmp::Reverse(self.depths[op]), position[op]));
        for op in candidates {
            let team = barriers.remove(&op);
            if self.first_conflict(&barriers).is_some() {
                barriers.extend(team.map(|team| (op, team)));
            }
        }
        barriers
    }

    fn first_conflict(&self, barriers: &Barriers) -> Option<OpId> {
        // If one barrier does not suffice, a second one in the same place would not be the program's intention.
        self.find(barriers, &mut |op, state, next| {
            state.conflicts_with(next) && !barriers.contains_key(&op)
        })
    }

    /// Runs the analysis until `holds` returns true for an operation, and returns this operation. Returns `None` if
    /// the analysis reaches the fixed point first.
    fn find(
        &self,
        barriers: &Barriers,
        holds: &mut dyn FnMut(OpId, &PendingAccesses, &OpAccesses) -> bool,
    ) -> Option<OpId> {
        let mut entries: Vec<Option<PendingAccesses>> = vec![None; self.flow.blocks.len()];
        if let Some(first) = entries.first_mut() {
            *first = Some(PendingAccesses::default());
        }
        loop {
            let mut changed = false;
            for &number in &self.order {
                let Some(mut pending) = entries[number].clone() else {
                    continue;
                };
                let block = &self.flow.blocks[number];
                for event in &block.events {
                    let accesses = &self.accesses[&event.op];
                    if let Some(team) = barriers.get(&event.op) {
                        pending.order(*team);
                    }
                    if holds(event.op, &pending, accesses) {
                        return Some(event.op);
                    }
                    accesses.apply(&mut pending);
                }
                for edge in &block.edges {
                    let entry = entries[edge.to].get_or_insert_with(|| {
                        changed = true;
                        PendingAccesses::default()
                    });
                    let before = entry.clone();
                    entry.join(&pending.across(edge));
                    changed |= *entry != before;
                }
            }
            if !changed {
                return None;
            }
        }
    }
}
