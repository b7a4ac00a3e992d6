//! Hand-written functions: basic blocks, edges and effects, without MLIR.

use super::alias::Aliases;
use super::allocation::{Allocation, AllocationError};
use super::counted::counted_waits;
use super::effects::{
    AccessTarget, Act, AsyncAccess, BufferAllocation, BufferView, Channel, Effects, MbarrierUse,
    Proxy, Request, Rotation, ScratchTradeoff, StaggerEdge, SyncScope, Team, ViewRange,
};
use super::flow::{BasicBlock, Edge, Event, Flow, LoopCrossing};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Size of the shared memory in bytes.
const MAX: u32 = 1 << 16;

fn event(op: usize, effects: Effects) -> Event {
    Event { op, effects }
}

/// Returns an operation that allocates a buffer. The buffer has the value id `op`.
fn make(op: usize, bytes: u32) -> Event {
    let request = Request {
        bytes,
        alignment: 16,
    };
    let allocation = Some(BufferAllocation { value: op, request });
    event(
        op,
        Effects {
            allocation,
            ..Effects::default()
        },
    )
}

fn act(op: usize, value: usize, act: fn(AccessTarget) -> Act) -> Event {
    event(
        op,
        Effects {
            uses: vec![value],
            acts: vec![act(AccessTarget::Buffer(value))],
            ..Effects::default()
        },
    )
}

fn read(op: usize, value: usize) -> Event {
    act(op, value, Act::Read)
}

fn write(op: usize, value: usize) -> Event {
    act(op, value, Act::Write)
}

fn view(op: usize, source: usize, range: ViewRange) -> Event {
    let view = BufferView {
        source,
        result: op,
        range,
    };
    event(
        op,
        Effects {
            uses: vec![source],
            views: vec![view],
            ..Effects::default()
        },
    )
}

/// Returns the limit, in bytes, for the shared memory of a function that needs at least `bytes` bytes.
fn room(bytes: u32) -> u32 {
    bytes.max(MAX / 8).next_multiple_of(4096)
}

/// Returns a conversion: a write, a barrier and a read in scratch memory.
fn convert(op: usize, bytes: u32) -> Event {
    let request = Request {
        bytes,
        alignment: 128,
    };
    let acts = vec![
        Act::Write(AccessTarget::Scratch),
        Act::Barrier,
        Act::Read(AccessTarget::Scratch),
    ];
    event(
        op,
        Effects {
            scratch: Some(request),
            acts,
            ..Effects::default()
        },
    )
}

fn edge(to: usize, passes: &[(usize, usize)]) -> Edge {
    Edge {
        to,
        passes: passes.to_vec(),
        crossing: None,
    }
}

fn block(depth: u32, events: Vec<Event>, edges: Vec<Edge>) -> BasicBlock {
    BasicBlock {
        events,
        edges,
        depth,
        ..BasicBlock::default()
    }
}

fn straight(events: Vec<Event>) -> Flow {
    Flow {
        blocks: vec![block(0, events, Vec::new())],
        loops: Vec::new(),
    }
}

/// Returns `before; for { body }; after`, where operation 0 is the loop. Each pair in `carried` is a yielded value,
/// and the block argument that receives it in the next iteration.
fn looped(
    before: Vec<Event>,
    body: Vec<Event>,
    after: Vec<Event>,
    entry: &[(usize, usize)],
    carried: &[(usize, usize)],
) -> Flow {
    let mut before = before;
    before.push(event(0, Effects::default()));
    Flow {
        blocks: vec![
            block(0, before, vec![edge(1, entry), edge(2, &[])]),
            block(1, body, vec![edge(1, carried), edge(2, &[])]),
            block(0, after, Vec::new()),
        ],
        loops: vec![0],
    }
}

fn allocate(flow: &Flow, outside: &[usize]) -> Result<Allocation, Vec<AllocationError>> {
    Allocation::of(&mut flow.clone(), outside, &room, &mut |_, _| None)
}

/// Returns the operations for which `holds` is true, in program order.
#[track_caller]
fn ops_where(flow: &Flow, holds: fn(&Allocation, usize) -> bool) -> Vec<usize> {
    let found = allocate(flow, &[]).unwrap();
    let ops = flow.events().map(|event| event.op);
    ops.filter(|op| holds(&found, *op)).collect()
}

#[track_caller]
fn check(flow: &Flow, barriers: &[usize], bytes: u32, offsets: &[(usize, u32)]) {
    let found = allocate(flow, &[]).unwrap();
    let before: Vec<usize> = flow.events().map(|e| e.op).collect();
    let before: Vec<usize> = before
        .into_iter()
        .filter(|op| found.needs_barrier(*op))
        .collect();
    assert_eq!(before, barriers, "barriers");
    let at: BTreeMap<usize, u32> = offsets
        .iter()
        .filter_map(|(op, _)| Some((*op, found.offset(*op)?)))
        .collect();
    assert_eq!(at, offsets.iter().copied().collect(), "offsets");
    assert_eq!(found.bytes(), bytes, "bytes");
}

#[test]
fn conflicting_accesses_get_barriers() {
    let flow = straight(vec![
        make(1, 64),
        write(2, 1),
        read(3, 1),
        read(4, 1),
        write(5, 1),
        write(6, 1),
    ]);
    // Read after write, write after read, write after write.
    check(&flow, &[3, 5, 6], 64, &[(1, 0)]);
}

#[test]
fn disjoint_parts_of_a_buffer_do_not_conflict() {
    let part = |from| ViewRange::Bytes {
        from,
        to: from + 64,
    };
    let flow = straight(vec![
        make(1, 128),
        view(2, 1, part(0)),
        view(3, 1, part(64)),
        write(4, 2),
        write(5, 3),
        read(6, 2),
        read(7, 3),
    ]);
    check(&flow, &[6], 128, &[]);
    // A view of unknown bytes conflicts with accesses to both buffers.
    let flow = straight(vec![
        make(1, 128),
        view(2, 1, part(0)),
        view(3, 1, ViewRange::Unknown),
        write(4, 2),
        write(5, 3),
    ]);
    check(&flow, &[5], 128, &[]);
    // A part of a view with an unknown offset may be anywhere.
    let flow = straight(vec![
        make(1, 256),
        view(2, 1, part(192)),
        view(3, 1, ViewRange::Unknown),
        view(4, 3, part(0)),
        write(5, 2),
        write(6, 4),
    ]);
    check(&flow, &[6], 256, &[]);
}

#[test]
fn dead_bytes_are_reused() {
    // Three quarters of the memory, twice: the second buffer waits for readers of the first.
    let large = MAX / 4 * 3;
    let flow = straight(vec![
        make(1, large),
        write(2, 1),
        read(3, 1),
        make(4, large),
        write(5, 4),
        read(6, 4),
    ]);
    check(&flow, &[3, 5, 6], large, &[(1, 0), (4, 0)]);
    // Small buffers are disjoint, which saves a barrier.
    let flow = straight(vec![
        make(1, 64),
        write(2, 1),
        read(3, 1),
        make(4, 64),
        write(5, 4),
        read(6, 4),
    ]);
    check(&flow, &[3, 6], 128, &[(1, 0), (4, 64)]);
    // Buffers that are live at the same time are disjoint.
    let flow = straight(vec![
        make(1, large / 2),
        make(2, large / 2),
        write(3, 1),
        write(4, 2),
        read(5, 1),
        read(6, 2),
    ]);
    check(&flow, &[5], large, &[(1, 0), (2, large / 2)]);
}

#[test]
fn large_buffers_are_placed_first() {
    let events = |bytes| {
        straight(vec![
            make(1, bytes),
            make(2, 20_000),
            write(3, 1),
            write(4, 2),
            read(5, 1),
            make(6, 9600),
            write(7, 6),
            read(8, 2),
        ])
    };
    let offsets = [(1, 20_000), (2, 0), (6, 20_000)];
    check(&events(6400), &[5, 7], 29_600, &offsets);
    // Reusing a few bytes is not worth a barrier.
    let offsets = [(1, 0), (2, 64), (6, 20_064)];
    check(&events(64), &[5], 29_664, &offsets);
}

#[test]
fn scratch_takes_bytes_of_no_live_buffer() {
    let flow = straight(vec![
        make(1, 18_000),
        write(2, 1),
        read(3, 1),
        convert(4, 512),
    ]);
    check(&flow, &[3], 18_048 + 512, &[(1, 0), (4, 18_048)]);
    // The second conversion takes unused bytes, and the third conversion reuses the bytes of the first: no barrier is
    // needed.
    let flow = straight(vec![convert(1, 512), convert(2, 512), convert(3, 512)]);
    check(&flow, &[], 1024, &[(1, 0), (2, 512), (3, 0)]);
    // A single conversion in a loop conflicts with its previous iteration.
    let flow = looped(Vec::new(), vec![convert(1, 512)], Vec::new(), &[], &[]);
    check(&flow, &[1], 512, &[(1, 0)]);
    let both = vec![convert(1, 512), convert(2, 512)];
    let flow = looped(Vec::new(), both, Vec::new(), &[], &[]);
    check(&flow, &[], 1024, &[(1, 0), (2, 512)]);
}

#[test]
fn scratch_above_the_bound_is_replanned() {
    let plan = |op, bytes, baseline_bytes| {
        let mut event = convert(op, bytes);
        event.effects.tradeoff = Some(ScratchTradeoff {
            baseline_bytes,
            barriers: 1,
        });
        event
    };
    let check =
        |events: &[Event], planned: &[(usize, Option<u32>)], bytes: u32, barriers: &[usize]| {
            let mut flow = straight(events.to_vec());
            let mut asked = Vec::new();
            let mut replan = |op, free| {
                let free: Option<u32> = free;
                asked.push((op, free));
                Some(plan(op, free?, free?).effects)
            };
            let found = Allocation::of(&mut flow, &[], &|baseline| baseline, &mut replan).unwrap();
            assert_eq!(asked, planned, "replanned");
            assert_eq!(found.bytes(), bytes, "bytes");
            let waits: Vec<usize> = flow.events().map(|event| event.op).collect();
            let waits: Vec<usize> = waits
                .into_iter()
                .filter(|op| found.needs_barrier(*op))
                .collect();
            assert_eq!(waits, barriers, "barriers");
        };
    // A conversion without other conversions gets the bytes of its baseline plan.
    check(&[plan(1, 1024, 256)], &[(1, Some(256))], 256, &[]);
    // The bound is the size of the largest baseline plan.
    let both = [plan(1, 1024, 256), plan(2, 1024, 1024)];
    // Less scratch for the first is tried, and saves no barrier.
    check(&both, &[(1, Some(256)), (1, None)], 1024, &[2]);
    // Two plans get disjoint bytes if each takes less scratch memory.
    let four = [plan(1, 1024, 512), plan(2, 1024, 512), plan(3, 8, 1024)];
    check(&four, &[(1, Some(512)), (2, Some(512))], 1024, &[]);
    // A plan below its baseline leaves unused bytes to the next.
    check(&[plan(1, 512, 1024), plan(2, 512, 512)], &[], 1024, &[]);
    // A live buffer leaves the rest.
    let beside = [make(1, 4096), write(2, 1), plan(3, 1024, 512), read(4, 1)];
    check(&beside, &[(3, Some(512))], 4096 + 512, &[]);
}

#[test]
fn a_barrier_before_a_loop_serves_all_iterations() {
    let before = vec![make(1, 64), write(2, 1)];
    let flow = looped(before, vec![read(3, 1)], Vec::new(), &[], &[]);
    check(&flow, &[0], 64, &[]);
    // A buffer that is written in each iteration needs barriers in each iteration.
    let before = vec![make(1, 64), write(2, 1)];
    let body = vec![read(3, 1), write(4, 1)];
    let flow = looped(before, body, Vec::new(), &[], &[]);
    check(&flow, &[3, 4], 64, &[]);
}

#[test]
fn pending_accesses_are_joined() {
    // Written in one branch, read after the join.
    let flow = Flow {
        blocks: vec![
            block(0, vec![make(1, 64)], vec![edge(1, &[]), edge(2, &[])]),
            block(0, vec![write(2, 1)], vec![edge(3, &[])]),
            block(0, vec![read(3, 1)], vec![edge(3, &[])]),
            block(0, vec![read(4, 1)], Vec::new()),
        ],
        loops: Vec::new(),
    };
    check(&flow, &[4], 64, &[]);
}

#[test]
fn loop_carried_buffers() {
    // The buffer is allocated in each iteration, and read in the next iteration before the next allocation.
    let body = |last: Vec<Event>| {
        let mut body = vec![read(3, 10), make(4, 64), write(5, 4)];
        body.extend(last);
        body
    };
    let before = || vec![make(1, 64), write(2, 1)];
    let (entry, carried) = ([(1, 10)], [(4, 10)]);
    let flow = looped(before(), body(Vec::new()), Vec::new(), &entry, &carried);
    assert!(allocate(&flow, &[]).is_ok());
    // The read follows the next allocation: both buffers are live, and have the same bytes.
    let flow = looped(
        before(),
        body(vec![read(6, 10)]),
        Vec::new(),
        &entry,
        &carried,
    );
    let conflicts = allocate(&flow, &[]).unwrap_err();
    assert_eq!(conflicts, [AllocationError::StillLive(4)]);
}

#[test]
fn external_buffers() {
    let flow = straight(vec![
        make(1, 64),
        write(2, 20),
        write(3, 1),
        read(4, 21),
        read(5, 1),
    ]);
    let found = allocate(&flow, &[20, 21]).unwrap();
    // External buffers may alias each other, but no buffer of this function.
    let waits: Vec<usize> = (1..6).filter(|op| found.needs_barrier(*op)).collect();
    assert_eq!(waits, [4]);
    let mut end = view(2, 1, ViewRange::All);
    end.effects.is_return = true;
    let flow = straight(vec![make(1, 64), end]);
    let conflicts = allocate(&flow, &[]).unwrap_err();
    assert_eq!(conflicts, [AllocationError::Escapes(2)]);
}

#[test]
fn growing_views_are_widened() {
    // The value is a view of itself, at a new offset in each iteration.
    let part = ViewRange::Bytes { from: 1, to: 4000 };
    let body = vec![view(3, 10, part)];
    let flow = looped(
        vec![make(1, 4000)],
        body,
        Vec::new(),
        &[(1, 10)],
        &[(3, 10)],
    );
    let aliases = Aliases::of(&flow, &[]);
    assert_eq!(aliases.get(10).buffers[&1], (0, 4000));
}

fn acts<const N: usize>(op: usize, value: usize, acts: [Act; N]) -> Event {
    event(
        op,
        Effects {
            uses: vec![value],
            acts: acts.to_vec(),
            ..Effects::default()
        },
    )
}

fn start(channel: Channel, is_write: bool, value: usize, proxy: Proxy) -> Act {
    Act::Start(AsyncAccess {
        channel,
        is_write,
        target: AccessTarget::Buffer(value),
        proxy,
    })
}

/// Returns a copy that is a commit group of its own, like cp.async with a commit.
fn copy(op: usize, value: usize) -> Event {
    let start = start(Channel::Copies, true, value, Proxy::Generic);
    acts(op, value, [start, Act::Commit(Channel::Copies)])
}

/// Returns a copy that completes on an mbarrier, like a TMA load.
fn tma(op: usize, value: usize, mbarrier: usize) -> Event {
    let channel = Channel::Mbarrier(mbarrier);
    let start = start(channel, true, value, Proxy::Async);
    acts(op, value, [Act::Commit(channel), start])
}

/// Returns a matrix product that reads a buffer, like wgmma.
fn product(op: usize, value: usize) -> Event {
    let start = start(Channel::Products, false, value, Proxy::Async);
    acts(op, value, [start, Act::Commit(Channel::Products)])
}

fn wait(op: usize, channel: Channel, at_most: u32) -> Event {
    let value = match channel {
        Channel::Mbarrier(value) => vec![value],
        _ => Vec::new(),
    };
    let mut event = acts(op, 0, [Act::Observe { channel, at_most }]);
    event.effects.uses = value;
    event
}

fn on_mbarrier(op: usize, value: usize, use_: MbarrierUse) -> Event {
    let mut event = read(op, value);
    event.effects.mbarrier = Some((value, use_));
    event
}

/// Checks that `pairs` are exactly the conflicts that are found in `flow`. For each pair `(start, other)`,
/// operation `other` conflicts with the access that `start` has in flight.
#[track_caller]
fn check_in_flight(flow: &Flow, pairs: &[(usize, usize)]) {
    let found = allocate(flow, &[]).err().unwrap_or_default();
    let expected = pairs
        .iter()
        .map(|&(started, at)| AllocationError::InFlight { started, at });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

/// Returns a loop around `body` that uses two buffers. Before the loop, a copy to each buffer is started.
fn double_buffered(body: Vec<Event>) -> Flow {
    let part = |from| ViewRange::Bytes {
        from,
        to: from + 64,
    };
    let before = vec![
        make(1, 128),
        view(2, 1, part(0)),
        view(3, 1, part(64)),
        copy(4, 2),
        copy(5, 3),
    ];
    looped(before, body, vec![wait(30, Channel::Copies, 0)], &[], &[])
}

#[test]
fn copies_in_two_buffers() {
    let groups = |op, n| wait(op, Channel::Copies, n);
    let body = |n: [u32; 2]| {
        vec![
            groups(10, n[0]),
            read(11, 2),
            copy(12, 2),
            groups(13, n[1]),
            read(14, 3),
            copy(15, 3),
        ]
    };
    // Each read waits for the copies of other threads, and each copy waits for the reads of other threads.
    check(&double_buffered(body([1, 1])), &[11, 12, 14, 15], 128, &[]);
    // One group too many stays in flight.
    let late = [
        (4, 11),
        (4, 12),
        (5, 14),
        (5, 15),
        (12, 11),
        (12, 12),
        (15, 14),
        (15, 15),
    ];
    check_in_flight(&double_buffered(body([2, 2])), &late);
    // Without waits nothing is observed.
    let forgotten = vec![read(11, 2), copy(12, 2), read(14, 3), copy(15, 3)];
    check_in_flight(&double_buffered(forgotten), &late);
    // The write conflicts with the copy in flight to the other buffer.
    let early = vec![groups(10, 1), read(11, 2), write(12, 3), groups(13, 0)];
    check_in_flight(&double_buffered(early), &[(5, 12)]);
}

#[test]
fn barriers_come_before_consecutive_reads() {
    let groups = |op| wait(op, Channel::Copies, 0);
    // Buffer 1 is written before the loop, and buffer 8 by a copy in each iteration.
    let flow = |last| {
        let before = vec![make(1, 64), write(2, 1), make(8, 64), copy(3, 8)];
        let body = vec![groups(10), read(11, 1), read(12, 8), copy(13, 8)];
        looped(before, body, last, &[], &[])
    };
    // The barrier for buffer 8 stands in front of both reads.
    check(&flow(Vec::new()), &[11, 13], 128, &[]);
    // The write after the loop then needs a barrier of its own, which is executed once.
    check(&flow(vec![write(30, 1)]), &[11, 13, 30], 128, &[]);
}

#[test]
fn copies_in_rotating_buffers() {
    // The parts to read and to copy to are chosen at run time.
    let flow = |count| {
        looped(
            vec![
                make(1, 256),
                view(2, 1, ViewRange::Unknown),
                copy(3, 2),
                view(4, 1, ViewRange::Unknown),
                copy(5, 4),
            ],
            vec![
                wait(10, Channel::Copies, count),
                view(11, 1, ViewRange::Unknown),
                read(12, 11),
                view(13, 1, ViewRange::Unknown),
                copy(14, 13),
            ],
            vec![wait(30, Channel::Copies, 0)],
            &[],
            &[],
        )
    };
    check(&flow(1), &[12, 14], 256, &[]);
    // No copy has completed in the first iteration.
    check_in_flight(&flow(2), &[(3, 12), (5, 12)]);
}

#[test]
fn mbarriers_are_observed_by_all() {
    let phase = |op| wait(op, Channel::Mbarrier(2), 0);
    let flow = |body| looped(vec![make(1, 64), make(2, 8)], body, Vec::new(), &[], &[]);
    // The next copy needs a barrier after the reads; the reads need the phase only.
    let body = vec![tma(10, 1, 2), phase(11), read(12, 1)];
    check(&flow(body), &[10], 72, &[]);
    check_in_flight(
        &flow(vec![tma(10, 1, 2), read(12, 1), phase(13)]),
        &[(10, 12)],
    );
    // The phase of another mbarrier does not observe the copy.
    let other = wait(11, Channel::Mbarrier(3), 0);
    let flow = straight(vec![
        make(1, 64),
        make(2, 8),
        make(3, 8),
        tma(10, 1, 2),
        other,
        read(12, 1),
    ]);
    check_in_flight(&flow, &[(10, 12)]);
}

#[test]
fn products_protect_what_they_read() {
    let flow = |pendings: u32| {
        straight(vec![
            make(1, 64),
            make(2, 64),
            product(3, 1),
            product(4, 2),
            read(5, 1),
            wait(6, Channel::Products, pendings),
            write(7, 1),
            wait(8, Channel::Products, 0),
        ])
    };
    // The products of other warps may still read.
    check(&flow(1), &[7], 128, &[]);
    check_in_flight(&flow(2), &[(3, 7)]);
}

#[test]
fn buffers_live_until_accesses_to_them_are_observed() {
    let large = MAX / 4 * 3;
    let flow = |waits: [Option<Event>; 2]| {
        let [before, after] = waits;
        let mut events = vec![make(1, large), copy(2, 1)];
        events.extend(before);
        events.extend([make(3, large), write(4, 3)]);
        events.extend(after);
        straight(events)
    };
    let groups = || Some(wait(9, Channel::Copies, 0));
    check(&flow([groups(), None]), &[4], large, &[(1, 0), (3, 0)]);
    check(
        &flow([None, groups()]),
        &[],
        2 * large,
        &[(1, 0), (3, large)],
    );
}

#[test]
fn a_barrier_orders_the_warps_of_its_scope() {
    let team = |first_warp, end_warp| Team {
        first_warp,
        end_warp,
        barrier: 1,
    };
    let first = |scope, reader| Flow {
        blocks: vec![
            block(0, vec![make(1, 64)], vec![edge(1, &[])]),
            of_team(
                team(0, 4),
                vec![write(2, 1), acts(3, 1, [Act::Sync(scope)])],
                vec![edge(2, &[])],
            ),
            of_team(reader, vec![read(4, 1)], Vec::new()),
        ],
        loops: Vec::new(),
    };
    let own = SyncScope::Team(team(0, 4));
    check(&first(own, team(0, 4)), &[], 64, &[]);
    // A read by the whole block can have a barrier of the block.
    check(&first(own, Team::BLOCK), &[4], 64, &[]);
    // No barrier of the reading warps orders the write of the other warps.
    let outside = allocate(&first(own, team(4, 8)), &[]).unwrap_err();
    assert_eq!(outside, [AllocationError::OtherWarps(4)]);
    check(&first(SyncScope::Cluster, team(4, 8)), &[], 64, &[]);
    // A barrier of a single warp does not order accesses of different warps.
    check(&first(SyncScope::Warp, team(0, 4)), &[4], 64, &[]);
}

#[test]
fn staggered_warps_need_two_barriers() {
    let begin = acts(20, 1, [Act::Stagger(StaggerEdge::Begin)]);
    let end = acts(21, 1, [Act::Stagger(StaggerEdge::End)]);
    let barrier = |op| acts(op, 1, [Act::Barrier]);
    let straight = |events: Vec<Event>| straight([vec![make(1, 64)], events].concat());
    let (begin, end) = (|| begin.clone(), || end.clone());
    let two = vec![
        begin(),
        write(2, 1),
        barrier(10),
        barrier(11),
        read(3, 1),
        end(),
    ];
    check(&straight(two), &[], 64, &[]);
    let one = vec![begin(), write(2, 1), barrier(10), read(3, 1), end()];
    check(&straight(one), &[3], 64, &[]);
    let none = straight(vec![begin(), write(2, 1), read(3, 1), end()]);
    assert_eq!(
        allocate(&none, &[]).unwrap_err(),
        [AllocationError::OtherWarps(3)]
    );
    // One barrier suffices for accesses before, and the second edge is like one for accesses between.
    check(
        &straight(vec![write(2, 1), begin(), barrier(10), read(3, 1), end()]),
        &[],
        64,
        &[],
    );
    check(
        &straight(vec![write(2, 1), begin(), read(3, 1), end()]),
        &[3],
        64,
        &[],
    );
    check(
        &straight(vec![begin(), write(2, 1), barrier(10), end(), read(3, 1)]),
        &[],
        64,
        &[],
    );
    check(
        &straight(vec![begin(), write(2, 1), end(), read(3, 1)]),
        &[3],
        64,
        &[],
    );
}

/// Returns a view of one of three slots of 64 bytes: slot (i + `phase`) % 3 of buffer 1 in iteration i of loop 0.
fn slot(op: usize, phase: u32) -> Event {
    let rotation = Rotation {
        rotated_by: 0,
        modulus: 3,
        phase,
    };
    let range = ViewRange::Indexed {
        index: 90,
        bytes: 64,
        rotation: Some(rotation),
    };
    view(op, 1, range)
}

/// Returns a loop that accesses a buffer with three slots. Each iteration first reads a loop-carried slot, and then
/// writes slot (i + `written`) % 3. The buffer is value 1. The first two iterations read values 2 and 3, which are
/// the first two slots. Each later iteration reads the slot written two iterations before. If `is_ordered` is true,
/// each iteration starts with a barrier.
fn rotating(written: u32, is_ordered: bool) -> Flow {
    let fixed = |op, from| {
        view(
            op,
            1,
            ViewRange::Bytes {
                from,
                to: from + 64,
            },
        )
    };
    let mut body = vec![read(10, 4), slot(6, written), write(11, 6)];
    if is_ordered {
        body.insert(0, acts(12, 1, [Act::Barrier]));
    }
    // Value 4 is value 5 of the iteration before, and value 5 is the slot that it has written.
    let mut flow = looped(
        vec![make(1, 192), fixed(2, 0), fixed(3, 64)],
        body,
        Vec::new(),
        &[(2, 4), (3, 5)],
        &[(5, 4), (6, 5)],
    );
    flow.blocks[1].edges[0].crossing = Some(LoopCrossing::Next(0));
    flow.blocks[1].edges[1].crossing = Some(LoopCrossing::Exit(0));
    flow
}

#[test]
fn slots_of_a_rotating_buffer_are_distinct() {
    // Slots i % 3 and (i + 2) % 3: the slot that is written has been read in the iteration before.
    check(&rotating(2, true), &[], 192, &[]);
    assert_eq!(
        ops_where(&rotating(2, false), Allocation::needs_barrier).len(),
        1
    );
    // Slot (i + 1) % 3 contradicts the slots before the loop, so that the slot that is read is unknown.
    check(&rotating(1, true), &[11], 192, &[]);
    // Behind the loop, any slot may have been written.
    let mut after = rotating(2, true);
    after.blocks[2].events.push(read(20, 2));
    check(&after, &[20], 192, &[]);
}

#[test]
fn copies_in_flight_keep_their_slot() {
    // A copy to slot 1 before the loop, and one to slot (i + 2) % 3 in each iteration, behind a barrier and a wait.
    let in_loop = |written| {
        let before = vec![
            make(1, 192),
            view(2, 1, ViewRange::Bytes { from: 64, to: 128 }),
            copy(10, 2),
        ];
        let body = vec![
            acts(14, 1, [Act::Barrier]),
            wait(11, Channel::Copies, 0),
            slot(6, written),
            copy(12, 6),
        ];
        let mut flow = looped(before, body, vec![wait(13, Channel::Copies, 0)], &[], &[]);
        flow.blocks[0].edges[0].crossing = Some(LoopCrossing::Enter(0));
        flow.blocks[1].edges[0].crossing = Some(LoopCrossing::Next(0));
        flow.blocks[1].edges[1].crossing = Some(LoopCrossing::Exit(0));
        flow
    };
    check(&in_loop(2), &[], 192, &[]);
    // Slot (i + 1) % 3 is the one before the loop in the first iteration.
    check(&in_loop(1), &[12], 192, &[]);
    // The edges without their meaning.
    let mut unknown = in_loop(2);
    unknown.blocks[0].edges[0].crossing = None;
    check(&unknown, &[12], 192, &[]);
}

#[test]
fn waits_in_regions_convey_completions() {
    let phase = |op, mbarrier| wait(op, Channel::Mbarrier(mbarrier), 0);
    let before = || vec![make(1, 64), make(2, 8), make(3, 8)];
    let flow =
        |default, partition, after| specialized(before(), default, partition, after, &[1, 2, 3]);
    // A single buffer: the producer waits for mbarrier 3, and the consumer for mbarrier 2.
    let produce = |op| vec![phase(op, 3), tma(op + 1, 1, 2)];
    let consumer = || vec![phase(10, 2), read(11, 1)];
    let twice = [produce(20), produce(22)].concat();
    let end = vec![write(30, 1)];
    check_in_flight(&flow(consumer(), twice, end.clone()), &[]);
    // Without a wait between the copies.
    let twice = vec![phase(20, 3), tma(21, 1, 2), tma(23, 1, 2)];
    check_in_flight(&flow(consumer(), twice, end.clone()), &[(21, 23)]);
    // A wait for the mbarrier of other copies also conveys the completion.
    let twice = vec![tma(20, 1, 2), phase(21, 3), write(22, 1)];
    check_in_flight(&flow(Vec::new(), twice, end.clone()), &[]);
    // The completion of products is observed only by the warps that have started them.
    let products = vec![phase(10, 2), product(11, 1), phase(12, 2), write(13, 1)];
    check_in_flight(&flow(products, produce(20), Vec::new()), &[(11, 13)]);
    let products = vec![phase(10, 2), product(11, 1)];
    let late = vec![write(30, 1), wait(31, Channel::Products, 0)];
    check_in_flight(&flow(products, produce(20), late), &[(11, 30)]);
    // A wait of the partition does not observe the groups of other warps.
    let mut flow = flow(
        vec![wait(10, Channel::Copies, 0), write(11, 1)],
        Vec::new(),
        Vec::new(),
    );
    flow.blocks[0].events.insert(3, copy(4, 1));
    check_in_flight(&flow, &[]);
    flow.blocks.swap(1, 2);
    flow.blocks[1].team = flow.blocks[2].team;
    flow.blocks[2].team = Team {
        first_warp: 4,
        end_warp: 8,
        barrier: 2,
    };
    check_in_flight(&flow, &[(4, 11)]);
}

fn of_team(team: Team, events: Vec<Event>, edges: Vec<Edge>) -> BasicBlock {
    BasicBlock {
        team,
        ..block(0, events, edges)
    }
}

/// Returns `before; warp_specialize default { default } partition { partition }; after`. Operation 100 is the
/// `ttg.warp_specialize`, and 101 the join. Each region has 4 warps. The values `used` are live until the join.
fn specialized(
    before: Vec<Event>,
    default: Vec<Event>,
    partition: Vec<Event>,
    after: Vec<Event>,
    used: &[usize],
) -> Flow {
    let team = |first_warp, barrier| Team {
        first_warp,
        end_warp: first_warp + 4,
        barrier,
    };
    let inside = |team, events: Vec<Event>| {
        let in_team = |event: Event| Event {
            effects: event.effects.in_team(team),
            ..event
        };
        let events = events.into_iter().map(in_team).collect();
        of_team(team, events, vec![edge(3, &[])])
    };
    let mut fork = make(100, 16);
    let captures = AccessTarget::Buffer(100);
    fork.effects.acts = vec![Act::Write(captures), Act::Barrier];
    let mut join = acts(101, 100, [Act::Barrier]);
    join.effects.uses.extend(used);
    Flow {
        blocks: vec![
            block(
                0,
                before.into_iter().chain([fork]).collect(),
                vec![edge(1, &[]), edge(2, &[])],
            ),
            inside(team(0, 0), default),
            inside(team(4, 2), partition),
            block(0, std::iter::once(join).chain(after).collect(), Vec::new()),
        ],
        loops: Vec::new(),
    }
}

#[test]
fn regions_of_different_warps_have_disjoint_memory() {
    let temporary = |op| vec![make(op, 4096), write(op + 1, op), read(op + 2, op)];
    // The captures are live in both regions.
    let flow = specialized(Vec::new(), temporary(1), temporary(4), Vec::new(), &[]);
    let offsets = [(1, 0), (4, 4096), (100, 8192)];
    check(&flow, &[3, 6], 8192 + 16, &offsets);
    // The buffer of the partition is disjoint from the scratch memory of the default region, and scratch memory is
    // disjoint from scratch memory.
    let flow = specialized(
        Vec::new(),
        vec![convert(7, 512)],
        temporary(4),
        Vec::new(),
        &[],
    );
    check(&flow, &[6], 4096 + 128 + 512, &[(4, 0), (7, 4224)]);
    let two = |op| vec![convert(op, 512), convert(op + 1, 512)];
    let flow = specialized(Vec::new(), two(1), two(3), Vec::new(), &[]);
    let offsets = [(1, 128), (2, 128), (3, 640), (4, 640)];
    check(&flow, &[2, 4], 640 + 512, &offsets);
    // The regions of one team run one after the other.
    let mut flow = specialized(Vec::new(), temporary(1), temporary(4), temporary(7), &[]);
    flow.blocks[2].team = flow.blocks[1].team;
    assert_eq!(allocate(&flow, &[]).unwrap().offset(100), Some(4096));
}

#[test]
fn captured_buffers_are_live_in_all_regions() {
    let large = MAX / 2;
    let temporary = vec![make(4, large), write(5, 4), read(6, 4)];
    let flow = |used: &[usize]| {
        let before = vec![make(1, large), write(2, 1), read(3, 1)];
        let default = vec![read(7, 1)];
        specialized(before, default, temporary.clone(), Vec::new(), used)
    };
    // The partition may run while the default region reads the buffer.
    check(&flow(&[1]), &[3, 6], 2 * large + 16, &[(1, 0), (4, large)]);
    // The barriers at the fork and at the join order the accesses.
    let flow = specialized(
        vec![make(1, 64), write(2, 1)],
        vec![read(7, 1)],
        vec![read(8, 1)],
        vec![write(9, 1)],
        &[1],
    );
    check(&flow, &[], 64 + 16, &[]);
}

#[test]
fn all_warps_wait_before_the_mbarrier_can_complete_its_next_phase() {
    #[track_caller]
    fn check(flow: &Flow, expected: &[usize]) {
        assert_eq!(ops_where(flow, Allocation::needs_barrier), expected);
    }
    let wait = |op, value| on_mbarrier(op, value, MbarrierUse::Wait { parity: 0 });
    let expect = |op, value| on_mbarrier(op, value, MbarrierUse::Expect { bytes: 64 });
    let arrive = |op, value| on_mbarrier(op, value, MbarrierUse::Arrive { count: 1 });
    let two = || vec![make(1, 8), make(2, 8)];
    let with = |events: Vec<Event>| straight(two().into_iter().chain(events).collect());
    check(&with(vec![wait(3, 1), expect(4, 1)]), &[4]);
    check(&with(vec![expect(3, 1), wait(4, 1)]), &[]);
    // No other warps arrive, so the first mbarrier stays in its phase.
    check(&with(vec![wait(3, 1), expect(4, 2), wait(5, 2)]), &[]);
    let body = vec![wait(3, 1), expect(4, 1)];
    check(&looped(two(), body, Vec::new(), &[], &[]), &[4]);
    // The other region may arrive at the first mbarrier because of an operation on the second.
    let default = vec![arrive(6, 1), wait(7, 2)];
    let partition = vec![wait(3, 1), expect(4, 2), arrive(5, 2)];
    check(
        &specialized(two(), default, partition, Vec::new(), &[1, 2]),
        &[4],
    );
}

#[test]
fn scratch_of_regions_is_replanned() {
    let plan = |op, bytes| {
        let mut event = convert(op, bytes);
        event.effects.tradeoff = Some(ScratchTradeoff {
            baseline_bytes: 256,
            barriers: 1,
        });
        event
    };
    let mut flow = specialized(
        Vec::new(),
        vec![plan(1, 1024)],
        vec![plan(2, 1024)],
        Vec::new(),
        &[],
    );
    let mut asked = Vec::new();
    let mut replan = |op, limit: Option<u32>| {
        asked.push((op, limit));
        Some(plan(op, limit?).effects)
    };
    let found = Allocation::of(&mut flow, &[], &|baseline| baseline, &mut replan).unwrap();
    assert_eq!(asked, [(1, Some(256)), (2, Some(256))]);
    assert_eq!(found.bytes(), 128 + 256 + 256);
    let partition = &flow.blocks[2].events[0].effects;
    assert!(!partition.acts.contains(&Act::Barrier));
}

#[test]
fn fences_come_between_generic_and_async_accesses() {
    #[track_caller]
    fn check(flow: &Flow, expected: &[usize]) {
        assert_eq!(ops_where(flow, Allocation::needs_fence), expected);
    }
    let done = || wait(9, Channel::Products, 0);
    let fence = || acts(3, 1, [Act::Fence]);
    check(
        &straight(vec![make(1, 64), write(2, 1), product(4, 1), done()]),
        &[4],
    );
    check(
        &straight(vec![
            make(1, 64),
            write(2, 1),
            fence(),
            product(4, 1),
            done(),
        ]),
        &[4],
    );
    // A second fence has nothing to order.
    check(
        &straight(vec![
            make(1, 64),
            write(2, 1),
            fence(),
            product(4, 1),
            acts(8, 1, [Act::Fence]),
            product(10, 1),
            done(),
        ]),
        &[4],
    );
    // A copy by threads writes when its completion is observed.
    let groups = || wait(5, Channel::Copies, 0);
    let late = vec![
        make(1, 64),
        copy(2, 1),
        fence(),
        groups(),
        product(4, 1),
        done(),
    ];
    check(&straight(late), &[4]);
    // A generic read before a TMA write needs a fence; an asynchronous product after the TMA write needs none.
    let phase = wait(6, Channel::Mbarrier(7), 0);
    let both = [
        make(1, 64),
        make(7, 8),
        read(2, 1),
        tma(5, 1, 7),
        phase,
        product(8, 1),
        done(),
    ];
    check(&straight(both.to_vec()), &[5]);
    // The bytes are written before the loop, or in each iteration.
    let body = vec![product(4, 1), done()];
    let flow = looped(vec![make(1, 64), write(2, 1)], body, Vec::new(), &[], &[]);
    check(&flow, &[0]);
    let body = vec![write(2, 1), product(4, 1), done()];
    check(&looped(vec![make(1, 64)], body, Vec::new(), &[], &[]), &[4]);
}

#[test]
fn fences_of_regions_are_kept() {
    let fence = |op| acts(op, 1, [Act::Fence]);
    let done = |op| wait(op, Channel::Products, 0);
    let check = |flow: &Flow, expected: &[usize]| {
        let found = allocate(flow, &[]).unwrap();
        let ops = flow.events().map(|event| event.op);
        let fences: BTreeSet<usize> = ops.filter(|op| found.needs_fence(*op)).collect();
        assert_eq!(fences, expected.iter().copied().collect());
    };
    let before = vec![make(1, 64), write(2, 1)];
    // The fence before the join may be needed by the other region; the one after the join has nothing to order.
    let flow = specialized(
        before.clone(),
        vec![fence(10)],
        vec![product(20, 1), done(21)],
        vec![fence(30)],
        &[1],
    );
    check(&flow, &[10, 20]);
    // A kept fence makes another one redundant.
    let products = vec![fence(20), product(21, 1), done(22)];
    let flow = specialized(before, Vec::new(), products, Vec::new(), &[1]);
    check(&flow, &[20]);
}

#[test]
fn buffers_of_regions_are_dead_after_the_join() {
    // The buffers and a `ttg.warp_specialize` in a loop. The producer observes none of its copies.
    let producer = vec![make(20, 64), tma(21, 20, 2), tma(22, 1, 2)];
    let consumer = vec![wait(10, Channel::Mbarrier(2), 0), read(11, 1)];
    let before = vec![make(1, 64), make(2, 8)];
    let mut flow = specialized(before, consumer, producer, Vec::new(), &[1, 2]);
    flow.blocks[3].edges.push(edge(0, &[]));
    assert!(allocate(&flow, &[]).is_ok());
}

/// Checks that `expected` contains the result of [`counted_waits`] for each wait in a function. Operations 4 and 5
/// are copies that issue 2 instructions each. Operations 12 and 15 are copies that issue 3 instructions each.
#[track_caller]
fn check_counted(flow: &Flow, is_kernel: bool, expected: &[(usize, Option<u32>)]) {
    let issued = HashMap::from([(4, 2), (5, 2), (12, 3), (15, 3)]);
    let found: BTreeMap<usize, Option<u32>> = counted_waits(flow, &issued, is_kernel)
        .into_iter()
        .collect();
    assert_eq!(found, expected.iter().copied().collect());
}

#[test]
fn waits_count_what_certainly_was_issued() {
    let groups = |op, n| wait(op, Channel::Copies, n);
    // The youngest group has 2 instructions in the first iteration, and 3 later.
    let body = vec![groups(10, 1), copy(12, 2), groups(13, 1), copy(15, 3)];
    let flow = double_buffered(body);
    check_counted(&flow, true, &[(10, Some(2)), (13, Some(3)), (30, Some(0))]);
    // All instructions of the open group may be in flight.
    let open = start(Channel::Copies, true, 3, Proxy::Generic);
    let flow = straight(vec![
        make(1, 128),
        copy(4, 1),
        acts(5, 1, [open]),
        groups(6, 0),
    ]);
    check_counted(&flow, true, &[(6, Some(2))]);
    // At the entry of a kernel, no copy is in flight; at the entry of another function, copies may be in flight.
    let flow = straight(vec![make(1, 128), copy(4, 1), groups(6, 1), groups(7, 2)]);
    check_counted(&flow, true, &[(6, None), (7, None)]);
    check_counted(&flow, false, &[(6, Some(2)), (7, None)]);
    // The groups after a call are unknown.
    let outside = [
        Act::Read(AccessTarget::External),
        Act::Write(AccessTarget::External),
    ];
    let call = acts(8, 1, outside);
    let flow = straight(vec![
        make(1, 128),
        copy(4, 1),
        call,
        copy(5, 1),
        groups(9, 2),
    ]);
    check_counted(&flow, true, &[(9, Some(2))]);
    // A partition has its own groups.
    let flow = specialized(
        vec![make(1, 128), copy(4, 1)],
        vec![groups(10, 0)],
        vec![groups(11, 1), copy(12, 1), groups(13, 1)],
        vec![groups(14, 1)],
        &[1],
    );
    let partition = [(11, Some(0)), (13, Some(3))];
    let expected = [&[(10, Some(0)), (14, None)][..], &partition].concat();
    check_counted(&flow, true, &expected);
}
