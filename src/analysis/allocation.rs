//! Shared-memory allocation: offsets of buffers and of scratch memory.
//!
//! Buffers with overlapping live ranges get disjoint bytes; other buffers may share bytes. Larger buffers are placed
//! first, each at the lowest free offset (first fit). Scratch memory avoids all buffers that are live during the
//! operation. Regions of `ttg.warp_specialize` run concurrently, so their memory is disjoint.
//!
//! The total size of a function is bounded: by default, by the size with all baseline plans
//! ([`baseline_bytes`](super::effects::ScratchTradeoff)) and full reuse of dead bytes. Operations whose scratch memory
//! exceeds the bound are replanned with less.
//!
//! Free bytes below the bound save barriers, since reused bytes may need a barrier between two uses. Scratch memory
//! prefers unused bytes, and buffers get disjoint bytes if there is room.

use super::alias::Aliases;
use super::barriers::{
    BarrierAnalysis, Barriers, Offsets, OpAccesses, PendingAccesses, SyncKind, execution_count,
};
use super::effects::{Effects, OpId, Request, Team, ValueId};
use super::flow::{BasicBlock, Event, Flow};
use super::in_flight::InFlight;
use super::liveness::Liveness;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The shared-memory offsets of a function's buffers and scratch memory, with the required barriers and fences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    offsets: Offsets,
    sizes: BTreeMap<OpId, u32>,
    barriers: Barriers,
    fences: Barriers,
    bytes: u32,
}

/// A use of shared memory for which there is no valid allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AllocationError {
    /// This operation allocates a buffer in a loop, and the buffer of the previous iteration is still live.
    StillLive(OpId),
    /// This operation returns a buffer that the function itself has allocated.
    Escapes(OpId),
    /// The operation `at` conflicts with an asynchronous access that `started` has begun and that is still in
    /// flight.
    InFlight { started: OpId, at: OpId },
    /// This operation conflicts with an access by other warps, and no barrier separates the operation from that
    /// access.
    OtherWarps(OpId),
}

impl Allocation {
    /// Allocates all buffers and scratch memory of a function. `arguments` are the function arguments that are
    /// buffers.
    ///
    /// `room` returns the maximum total size. Its argument is the total size that is needed if each operation that
    /// has a baseline plan uses this plan, which needs less scratch memory than the current plan. If the scratch
    /// memory of an operation is too large, `replan` replans the operation.
    /// # Errors
    /// Returns all uses of shared memory for which there is no valid allocation.
    pub(crate) fn of(
        flow: &mut Flow,
        arguments: &[ValueId],
        room: &dyn Fn(u32) -> u32,
        replan: &mut Replan<'_>,
    ) -> Result<Self, Vec<AllocationError>> {
        if flow.events().next().is_none() {
            return Ok(Self::default());
        }
        let aliases = Aliases::of(flow, arguments);
        let in_flight = InFlight::of(flow, &aliases);
        let liveness = Liveness::of(flow, &aliases, &in_flight);
        let facts = (&aliases, &in_flight);
        let problem = AllocationProblem::of(flow, facts, &liveness);
        let errors = problem.errors();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut found = Self::within(flow, facts, &liveness, room, replan);
        found.fences = flow.fences();
        if in_flight.has_async_proxy() {
            let fences = BarrierAnalysis::of(flow, SyncKind::Fences, facts, &found.offsets);
            found.fences = fences.barriers(found.fences);
        }
        let barriers = BarrierAnalysis::of(flow, SyncKind::Barriers, facts, &found.offsets);
        let unordered = barriers.unordered(&found.barriers);
        if unordered.is_empty() {
            return Ok(found);
        }
        Err(unordered
            .into_iter()
            .map(AllocationError::OtherWarps)
            .collect())
    }

    /// Allocates within the size limit that `room` returns. Operations whose scratch memory does not fit are
    /// replanned.
    fn within(
        flow: &mut Flow,
        facts: (&Aliases, &InFlight),
        liveness: &Liveness,
        room: &dyn Fn(u32) -> u32,
        replan: &mut Replan<'_>,
    ) -> Self {
        let problem = AllocationProblem::of(flow, facts, liveness);
        let baseline = |effects: &Effects| match effects.tradeoff {
            Some(tradeoff) => Some(tradeoff.baseline_bytes),
            None => planned_bytes(effects),
        };
        let max_bytes = room(problem.end_with(baseline));
        let oversized = problem.oversized(max_bytes);
        let above_baseline = problem.above_baseline(&oversized);
        replan_all(flow, &oversized, replan);
        let fast = Self::best(flow, facts, liveness, max_bytes);
        if above_baseline.is_empty() || fast.barriers.is_empty() {
            return fast;
        }
        // Scratch beyond the baseline may reuse bytes that cost other operations a barrier.
        let mut baseline_flow = flow.clone();
        replan_all(&mut baseline_flow, &above_baseline, replan);
        let baseline = Self::best(&baseline_flow, facts, liveness, max_bytes);
        if barrier_cost(&baseline_flow, &baseline) < barrier_cost(flow, &fast) {
            *flow = baseline_flow;
            return baseline;
        }
        let before = above_baseline
            .keys()
            .map(|op| (*op, oversized.get(op).copied().flatten()));
        replan_all(flow, &before.collect(), replan);
        fast
    }

    /// Solves the allocation twice: with buffers that may share bytes, and with disjoint buffers. Returns the
    /// disjoint allocation if it fits in `max_bytes` and has a lower barrier cost. Otherwise, returns the
    /// allocation with shared bytes.
    fn best(
        flow: &Flow,
        facts: (&Aliases, &InFlight),
        liveness: &Liveness,
        max_bytes: u32,
    ) -> Self {
        let problem = AllocationProblem::of(flow, facts, liveness);
        let (shared, cost) = problem.solve(true, max_bytes);
        let (disjoint, disjoint_cost) = problem.solve(false, max_bytes);
        if disjoint.bytes <= max_bytes && disjoint_cost < cost {
            disjoint
        } else {
            shared
        }
    }

    pub(crate) const fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns the byte offset of the buffer or scratch memory of `op`, or `None` if `op` has neither.
    pub(crate) fn offset(&self, op: OpId) -> Option<u32> {
        self.offsets.get(&op).copied()
    }

    /// Returns the size in bytes of the buffer or scratch memory of `op`, or `None` if `op` has neither.
    pub(crate) fn size(&self, op: OpId) -> Option<u32> {
        self.sizes.get(&op).copied()
    }

    /// Returns true if the warps that execute `op` need a barrier in front of it.
    pub(crate) fn needs_barrier(&self, op: OpId) -> bool {
        self.barriers.contains_key(&op)
    }

    /// Returns true if a proxy fence is needed in front of `op`, after the barrier.
    ///
    /// If `op` is itself a fence, returns true if this fence is not redundant.
    pub(crate) fn needs_fence(&self, op: OpId) -> bool {
        self.fences.contains_key(&op)
    }
}

/// The limit for the scratch memory of each operation that is to be replanned, in bytes. `None` means that there is
/// no limit.
type ScratchLimits = BTreeMap<OpId, Option<u32>>;

/// A function that replans an operation. Its second argument is a limit for the scratch memory in bytes, or `None`
/// if there is no limit. The new plan may slightly exceed the limit.
///
/// Returns the new effects, or `None` if there is no plan.
pub(crate) type Replan<'r> = dyn FnMut(OpId, Option<u32>) -> Option<Effects> + 'r;

fn replan_all(flow: &mut Flow, limits: &ScratchLimits, replan: &mut Replan<'_>) {
    for block in &mut flow.blocks {
        for event in &mut block.events {
            if let Some(limit) = limits.get(&event.op)
                && let Some(effects) = replan(event.op, *limit)
            {
                event.effects = effects.in_team(block.team);
            }
        }
    }
}

fn planned_bytes(effects: &Effects) -> Option<u32> {
    effects.scratch.map(|request| request.bytes)
}

/// Returns the estimated number of executed barriers, including the barriers inside operations that can be
/// replanned.
fn barrier_cost(flow: &Flow, allocation: &Allocation) -> u64 {
    let blocks = flow.order().into_iter().map(|number| &flow.blocks[number]);
    let waits = blocks.flat_map(|block| {
        block.events.iter().map(|event| {
            let inside = event
                .effects
                .tradeoff
                .map_or(0, |tradeoff| tradeoff.barriers);
            let before = usize::from(allocation.needs_barrier(event.op));
            (inside + before) as u64 * execution_count(block.depth)
        })
    });
    waits.sum()
}

struct AllocationProblem<'f> {
    flow: &'f Flow,
    facts: (&'f Aliases, &'f InFlight),
    liveness: &'f Liveness,
    concurrent: Concurrent,
}

/// For each region of `ttg.warp_specialize`, the operations with a buffer or scratch memory that may run
/// concurrently with the region. Concurrent operations get disjoint memory.
#[derive(Default)]
struct Concurrent {
    teams: HashMap<OpId, Team>,
    others: BTreeMap<Team, Others>,
}

/// The operations with a buffer or scratch memory that may run concurrently with a [`Team`] of warps.
#[derive(Default)]
struct Others {
    ops: BTreeSet<OpId>,
    has_scratch: bool,
}

impl Concurrent {
    fn of(flow: &Flow) -> Self {
        let mut concurrent = Self::default();
        let regions = || flow.blocks.iter().filter(|block| block.team != Team::BLOCK);
        for block in regions() {
            let ops = block.events.iter().map(|event| (event.op, block.team));
            concurrent.teams.extend(ops);
            concurrent.others.entry(block.team).or_default();
        }
        for (team, others) in &mut concurrent.others {
            let apart = regions().filter(|block| block.team.is_disjoint(*team));
            for Event { op, effects } in apart.flat_map(|block| &block.events) {
                others.has_scratch |= effects.scratch.is_some();
                if effects.allocation.is_some() || effects.scratch.is_some() {
                    others.ops.insert(*op);
                }
            }
        }
        concurrent
    }

    fn others(&self, op: OpId) -> Option<&Others> {
        self.others.get(self.teams.get(&op)?)
    }

    fn with(&self, op: OpId) -> impl Iterator<Item = &OpId> {
        self.others(op).into_iter().flat_map(|others| &others.ops)
    }

    /// Returns true if an operation that may run concurrently with `op` needs scratch memory.
    fn has_scratch(&self, op: OpId) -> bool {
        self.others(op).is_some_and(|others| others.has_scratch)
    }
}

/// Half-open ranges of used bytes.
type ByteSpans = Vec<(u32, u32)>;

impl<'f> AllocationProblem<'f> {
    fn of(flow: &'f Flow, facts: (&'f Aliases, &'f InFlight), liveness: &'f Liveness) -> Self {
        Self {
            flow,
            facts,
            liveness,
            concurrent: Concurrent::of(flow),
        }
    }

    fn errors(&self) -> Vec<AllocationError> {
        let mut found = Vec::new();
        for event in self.flow.events() {
            if event.effects.allocation.is_some()
                && self.liveness.before(event.op).contains(&event.op)
            {
                found.push(AllocationError::StillLive(event.op));
            }
            let is_own = |value: &ValueId| !self.facts.0.get(*value).buffers.is_empty();
            if event.effects.is_return && event.effects.uses.iter().any(is_own) {
                found.push(AllocationError::Escapes(event.op));
            }
        }
        let in_flight = self.facts.1.conflicts().iter();
        found.extend(in_flight.map(|(started, at)| AllocationError::InFlight {
            started: *started,
            at: *at,
        }));
        found
    }

    /// Places all buffers and scratch memory. If `reuses` is true, buffers with disjoint live ranges share bytes.
    /// Scratch memory may use bytes up to `max_bytes` to save barriers. Returns the allocation and its barrier
    /// cost.
    fn solve(&self, reuses: bool, max_bytes: u32) -> (Allocation, u64) {
        let buffers = self.buffers(reuses);
        let mut best: Option<(Allocation, u64)> = None;
        // The second round knows the accesses pending at the ends of loops.
        let mut entries = vec![None; self.flow.blocks.len()];
        for _ in 0..2 {
            let offsets = self.scratch(&buffers, &mut entries, max_bytes);
            let accesses = BarrierAnalysis::of(self.flow, SyncKind::Barriers, self.facts, &offsets);
            let barriers = accesses.barriers(Barriers::new());
            let cost = accesses.cost(&barriers);
            let bytes = self.end(&offsets);
            let is_better = |known: &(Allocation, u64)| (cost, bytes) < (known.1, known.0.bytes);
            if best.as_ref().is_none_or(is_better) {
                let allocation = Allocation {
                    offsets,
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

    /// Returns the total size that the buffers and the scratch memory of all operations need if bytes are reused
    /// whenever they are not live. `scratch_bytes` returns the scratch size of an operation, given its effects.
    fn end_with(&self, scratch_bytes: impl Fn(&Effects) -> Option<u32>) -> u32 {
        let mut offsets = self.buffers(true);
        let mut bound = self.end(&offsets);
        let mut sizes = self.sizes();
        for event in self.flow.events() {
            if let Some(bytes) = scratch_bytes(&event.effects) {
                let request = Request::scratch(bytes);
                let start = first_free(&self.taken(event, &offsets, &sizes), request);
                bound = bound.max(start.saturating_add(bytes));
                offsets.insert(event.op, start);
                sizes.insert(event.op, bytes);
            }
        }
        bound
    }

    /// Returns the operations whose scratch memory does not fit and that can be replanned. Each operation is mapped
    /// to a limit for its new scratch size: the size of the largest range that is free during the operation.
    ///
    /// The limit is reduced to the scratch size of the baseline plan if the total size exceeds `max_bytes` and
    /// other warps may need scratch memory at the same time.
    fn oversized(&self, max_bytes: u32) -> ScratchLimits {
        let buffers = self.buffers(true);
        let sizes = self.sizes();
        let is_full = self.end_with(planned_bytes) > max_bytes;
        let mut oversized = BTreeMap::new();
        for event in self.flow.events() {
            let (Some(request), Some(tradeoff)) = (event.effects.scratch, event.effects.tradeoff)
            else {
                continue;
            };
            let mut taken = self.taken(event, &buffers, &sizes);
            taken.sort_unstable();
            let (mut free, mut end) = (0, 0);
            for (from, to) in taken.into_iter().chain([(max_bytes, max_bytes)]) {
                let start = aligned(end, request.alignment);
                free = free.max(from.saturating_sub(start));
                end = end.max(to);
            }
            if is_full && self.concurrent.has_scratch(event.op) {
                free = free.min(tradeoff.baseline_bytes);
            }
            if request.bytes > free {
                oversized.insert(event.op, Some(free));
            }
        }
        oversized
    }

    /// Returns the operations whose scratch memory is larger than that of their baseline plan. Before the
    /// comparison, the scratch size of each operation in `limits` is reduced to its limit. Each returned operation
    /// is mapped to the scratch size of its baseline plan.
    fn above_baseline(&self, limits: &ScratchLimits) -> ScratchLimits {
        let above = self.flow.events().filter_map(|event| {
            let baseline = event.effects.tradeoff?.baseline_bytes;
            let limit = limits.get(&event.op).copied().flatten();
            let bytes = event.effects.scratch?.bytes.min(limit.unwrap_or(u32::MAX));
            (bytes > baseline).then_some((event.op, Some(baseline)))
        });
        above.collect()
    }

    /// Returns the byte ranges that are taken during `event`: the ranges of the live buffers, and the memory of
    /// concurrent operations that already has an offset.
    fn taken(&self, event: &Event, offsets: &Offsets, sizes: &BTreeMap<OpId, u32>) -> ByteSpans {
        let needed = self.liveness.during(event.op).iter();
        let needed = needed.chain(self.concurrent.with(event.op));
        let spans = needed.filter_map(|op| {
            let start = *offsets.get(op)?;
            Some((start, start.saturating_add(sizes[op])))
        });
        spans.collect()
    }

    fn requests(&self) -> impl Iterator<Item = (&Event, Request)> {
        self.flow.events().filter_map(|event| {
            let made = event
                .effects
                .allocation
                .map(|allocation| allocation.request);
            Some((event, made.or(event.effects.scratch)?))
        })
    }

    fn sizes(&self) -> BTreeMap<OpId, u32> {
        let requests = self.requests();
        requests
            .map(|(event, request)| (event.op, request.bytes))
            .collect()
    }

    fn end(&self, offsets: &Offsets) -> u32 {
        self.requests()
            .filter_map(|(event, request)| {
                Some(offsets.get(&event.op)?.saturating_add(request.bytes))
            })
            .max()
            .unwrap_or_default()
    }

    /// Places the buffers. If `reuses` is true, only buffers with overlapping live ranges get disjoint bytes.
    /// Otherwise, all buffers do.
    fn buffers(&self, reuses: bool) -> Offsets {
        let mut buffers: Vec<(OpId, Request)> = self
            .flow
            .events()
            .filter_map(|event| Some((event.op, event.effects.allocation?.request)))
            .collect();
        let sizes: BTreeMap<OpId, u32> = buffers.iter().map(|(op, r)| (*op, r.bytes)).collect();
        let mut interfering: BTreeMap<OpId, BTreeSet<OpId>> = BTreeMap::new();
        for event in self.flow.events().filter(|_| reuses) {
            let live = self.liveness.during(event.op);
            for op in live {
                interfering.entry(*op).or_default().extend(live);
            }
            let concurrent = self.concurrent.with(event.op);
            interfering.entry(event.op).or_default().extend(concurrent);
        }
        if reuses {
            // Stable: buffers of one size stay in program order.
            buffers.sort_by_key(|(_, request)| std::cmp::Reverse(request.bytes));
        }
        let mut offsets = Offsets::new();
        for (op, request) in buffers {
            let taken: ByteSpans = offsets
                .iter()
                .filter(|(other, _)| !reuses || interfering[&op].contains(other))
                .map(|(other, start)| (*start, start.saturating_add(sizes[other])))
                .collect();
            let offset = first_free(&taken, request);
            offsets.insert(op, offset);
        }
        offsets
    }

    /// Returns the offsets of all buffers and scratch memory: a copy of `buffers`, to which the offsets of scratch
    /// memory are added.
    ///
    /// Prefers offsets below `max_bytes` at which the scratch memory does not conflict with pending accesses.
    /// `entries` contains the pending accesses at the start of each block. The function adds to it the accesses
    /// that are pending at the end of each predecessor.
    fn scratch(
        &self,
        buffers: &Offsets,
        entries: &mut [Option<PendingAccesses>],
        max_bytes: u32,
    ) -> Offsets {
        let mut offsets = buffers.clone();
        let sizes = self.sizes();
        for number in self.flow.order() {
            let mut pending = entries[number].clone().unwrap_or_default();
            let block = &self.flow.blocks[number];
            for event in &block.events {
                if let Some(request) = event.effects.scratch {
                    let taken = self.taken(event, &offsets, &sizes);
                    let mut candidates: Vec<u32> = candidate_offsets(&taken, request)
                        .chain(pending.ends())
                        .map(|at| aligned(at, request.alignment))
                        .filter(|at| is_free(&taken, *at, request.bytes))
                        .collect();
                    candidates.sort_unstable();
                    // Scratch memory of other warps may need the bytes that are free now.
                    let is_alone = !self.concurrent.has_scratch(event.op);
                    let mut preferred = candidates.iter().copied().filter(|_| is_alone);
                    let fresh = preferred.find(|at| {
                        offsets.insert(event.op, *at);
                        let end = at.saturating_add(request.bytes);
                        end <= max_bytes
                            && !pending.conflicts_with(&self.accesses(block, event, &offsets))
                    });
                    let offset = fresh.or_else(|| candidates.first().copied());
                    offsets.insert(event.op, offset.unwrap_or_default());
                }
                let accesses = self.accesses(block, event, &offsets);
                if pending.conflicts_with(&accesses) {
                    pending.order(block.team);
                }
                accesses.apply(&mut pending);
            }
            for edge in &block.edges {
                let entry = entries[edge.to].get_or_insert_default();
                entry.join(&pending.across(edge));
            }
        }
        offsets
    }

    fn accesses(&self, block: &BasicBlock, event: &Event, offsets: &Offsets) -> OpAccesses {
        let ran = (event.op, &event.effects, block.team);
        OpAccesses::of(ran, SyncKind::Barriers, self.facts, offsets)
    }
}

/// Returns the candidate offsets: 0 and the end of each taken range, rounded up to the alignment.
fn candidate_offsets(taken: &ByteSpans, request: Request) -> impl Iterator<Item = u32> {
    let ends = taken.iter().map(|(_, to)| *to);
    std::iter::once(0)
        .chain(ends)
        .map(move |at| aligned(at, request.alignment))
}

fn is_free(taken: &ByteSpans, at: u32, bytes: u32) -> bool {
    let end = at.saturating_add(bytes);
    taken.iter().all(|(from, to)| end <= *from || *to <= at)
}

/// Returns the lowest offset at which the requested bytes are free, or `u32::MAX` if there is no such offset.
fn first_free(taken: &ByteSpans, request: Request) -> u32 {
    candidate_offsets(taken, request)
        .filter(|at| is_free(taken, *at, request.bytes))
        .min()
        // An allocation too large for any GPU is reported for the whole function.
        .unwrap_or(u32::MAX)
}

/// Rounds up to a multiple of `alignment`, or returns `u32::MAX` on overflow.
fn aligned(at: u32, alignment: u32) -> u32 {
    at.checked_next_multiple_of(alignment).unwrap_or(u32::MAX)
}
