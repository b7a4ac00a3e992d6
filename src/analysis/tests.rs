//! Functions by hand: segments, edges and effects, without MLIR.

use super::alias::Aliases;
use super::allocation::{Allocation, Conflict};
use super::counted::counted_waits;
use super::effects::{
    Act, Channel, Choice, Effects, Makes, Part, Proxy, Request, Scope, Start, Team, Touched, View,
};
use super::flow::{Edge, Event, Flow, Segment};
use std::collections::{BTreeMap, HashMap};

/// Bytes of shared memory: what is small is up to an eighth.
const MAX: u32 = 1 << 16;

fn event(op: usize, effects: Effects) -> Event {
    Event { op, effects }
}

/// Operation `op` makes the buffer that value `op` stands for.
fn make(op: usize, bytes: u32) -> Event {
    let request = Request {
        bytes,
        alignment: 16,
    };
    let makes = Some(Makes { value: op, request });
    event(
        op,
        Effects {
            makes,
            ..Effects::default()
        },
    )
}

fn act(op: usize, value: usize, act: fn(Touched) -> Act) -> Event {
    event(
        op,
        Effects {
            uses: vec![value],
            acts: vec![act(Touched::Buffer(value))],
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

fn view(op: usize, of: usize, part: Part) -> Event {
    let view = View {
        of,
        result: op,
        part,
    };
    event(
        op,
        Effects {
            uses: vec![of],
            views: vec![view],
            ..Effects::default()
        },
    )
}

/// An eighth of the memory costs nothing, and beyond that what is left of a segment.
fn room(_: u32, bytes: u32) -> u32 {
    bytes.max(MAX / 8).next_multiple_of(4096)
}

/// A conversion: everybody writes, waits, reads.
fn convert(op: usize, bytes: u32) -> Event {
    let request = Request {
        bytes,
        alignment: 128,
    };
    let acts = vec![
        Act::Write(Touched::Scratch),
        Act::Barrier,
        Act::Read(Touched::Scratch),
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
    }
}

fn segment(depth: u32, events: Vec<Event>, edges: Vec<Edge>) -> Segment {
    Segment {
        events,
        edges,
        depth,
        ..Segment::default()
    }
}

fn straight(events: Vec<Event>) -> Flow {
    Flow {
        segments: vec![segment(0, events, Vec::new())],
        loops: Vec::new(),
    }
}

/// `before; for { body }; after`, where operation 0 is the loop; `carried` are pairs of what is handed on and what
/// it becomes in the next round.
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
        segments: vec![
            segment(0, before, vec![edge(1, entry), edge(2, &[])]),
            segment(1, body, vec![edge(1, carried), edge(2, &[])]),
            segment(0, after, Vec::new()),
        ],
        loops: vec![0],
    }
}

/// What is made of a function none of whose operations can be planned anew.
fn allocate(flow: &Flow, outside: &[usize]) -> Result<Allocation, Vec<Conflict>> {
    Allocation::of(&mut flow.clone(), outside, &room, &mut |_, _| None)
}

/// The operations before which barriers come, the bytes, and where buffers and scratch lie.
#[track_caller]
fn check(flow: &Flow, barriers: &[usize], bytes: u32, places: &[(usize, u32)]) {
    let found = allocate(flow, &[]).unwrap();
    let before: Vec<usize> = flow.events().map(|e| e.op).collect();
    let before: Vec<usize> = before
        .into_iter()
        .filter(|op| found.needs_barrier(*op))
        .collect();
    assert_eq!(before, barriers, "barriers");
    let at: BTreeMap<usize, u32> = places
        .iter()
        .filter_map(|(op, _)| Some((*op, found.place(*op)?)))
        .collect();
    assert_eq!(at, places.iter().copied().collect(), "places");
    assert_eq!(found.bytes(), bytes, "bytes");
}

#[test]
fn barriers_come_where_threads_meet() {
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
fn parts_of_a_buffer_that_lie_apart_do_not_meet() {
    let part = |from| Part::Bytes {
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
    // One that may be either meets both.
    let flow = straight(vec![
        make(1, 128),
        view(2, 1, part(0)),
        view(3, 1, Part::Some),
        write(4, 2),
        write(5, 3),
    ]);
    check(&flow, &[5], 128, &[]);
    // Of a part that begins nobody knows where, a part is anywhere.
    let flow = straight(vec![
        make(1, 256),
        view(2, 1, part(192)),
        view(3, 1, Part::Some),
        view(4, 3, part(0)),
        write(5, 2),
        write(6, 4),
    ]);
    check(&flow, &[6], 256, &[]);
}

#[test]
fn bytes_are_used_again() {
    // Three quarters of the memory, twice: the second waits for the readers of the first.
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
    // Small ones have bytes of their own, which saves a barrier.
    let flow = straight(vec![
        make(1, 64),
        write(2, 1),
        read(3, 1),
        make(4, 64),
        write(5, 4),
        read(6, 4),
    ]);
    check(&flow, &[3, 6], 128, &[(1, 0), (4, 64)]);
    // Where both are needed at the same time, they lie apart.
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
fn large_buffers_lie_first() {
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
    let places = [(1, 20_000), (2, 0), (6, 20_000)];
    check(&events(6400), &[5, 7], 29_600, &places);
    // A few bytes are not worth a barrier.
    let places = [(1, 0), (2, 64), (6, 20_064)];
    check(&events(64), &[5], 29_664, &places);
}

#[test]
fn scratch_lies_where_no_buffer_is_needed() {
    let flow = straight(vec![
        make(1, 18_000),
        write(2, 1),
        read(3, 1),
        convert(4, 512),
    ]);
    check(&flow, &[3], 18_048 + 512, &[(1, 0), (4, 18_048)]);
    // The second of two takes fresh bytes, the third those of the first: nobody waits but inside.
    let flow = straight(vec![convert(1, 512), convert(2, 512), convert(3, 512)]);
    check(&flow, &[], 1024, &[(1, 0), (2, 512), (3, 0)]);
    // Alone in a loop it meets itself.
    let flow = looped(Vec::new(), vec![convert(1, 512)], Vec::new(), &[], &[]);
    check(&flow, &[1], 512, &[(1, 0)]);
    let both = vec![convert(1, 512), convert(2, 512)];
    let flow = looped(Vec::new(), both, Vec::new(), &[], &[]);
    check(&flow, &[], 1024, &[(1, 0), (2, 512)]);
}

#[test]
fn what_needs_more_than_the_bound_is_planned_anew() {
    let plain = |op, bytes, plain_bytes| {
        let mut event = convert(op, bytes);
        event.effects.choice = Some(Choice {
            plain_bytes,
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
                Some(plain(op, free?, free?).effects)
            };
            let found = Allocation::of(&mut flow, &[], &|plain, _| plain, &mut replan).unwrap();
            assert_eq!(asked, planned, "planned anew");
            assert_eq!(found.bytes(), bytes, "bytes");
            let waits: Vec<usize> = flow.events().map(|event| event.op).collect();
            let waits: Vec<usize> = waits
                .into_iter()
                .filter(|op| found.needs_barrier(*op))
                .collect();
            assert_eq!(waits, barriers, "barriers");
        };
    // Alone it gets what the plain way takes.
    check(&[plain(1, 1024, 256)], &[(1, Some(256))], 256, &[]);
    // The largest of them is what others may have, too.
    let both = [plain(1, 1024, 256), plain(2, 1024, 1024)];
    // That the first takes less is tried, and saves no barrier.
    check(&both, &[(1, Some(256)), (1, None)], 1024, &[2]);
    // Two that could be apart if each took less.
    let four = [plain(1, 1024, 512), plain(2, 1024, 512), plain(3, 8, 1024)];
    check(&four, &[(1, Some(512)), (2, Some(512))], 1024, &[]);
    // What needs less than that leaves bytes of its own to the next.
    check(&[plain(1, 512, 1024), plain(2, 512, 512)], &[], 1024, &[]);
    // Beside a buffer there is the rest.
    let beside = [make(1, 4096), write(2, 1), plain(3, 1024, 512), read(4, 1)];
    check(&beside, &[(3, Some(512))], 4096 + 512, &[]);
}

#[test]
fn a_barrier_before_a_loop_serves_all_rounds() {
    let before = vec![make(1, 64), write(2, 1)];
    let flow = looped(before, vec![read(3, 1)], Vec::new(), &[], &[]);
    check(&flow, &[0], 64, &[]);
    // Written in each round, it waits in each.
    let before = vec![make(1, 64), write(2, 1)];
    let body = vec![read(3, 1), write(4, 1)];
    let flow = looped(before, body, Vec::new(), &[], &[]);
    check(&flow, &[3, 4], 64, &[]);
}

#[test]
fn branches_that_meet_again() {
    // Written on one side, read after both.
    let flow = Flow {
        segments: vec![
            segment(0, vec![make(1, 64)], vec![edge(1, &[]), edge(2, &[])]),
            segment(0, vec![write(2, 1)], vec![edge(3, &[])]),
            segment(0, vec![read(3, 1)], vec![edge(3, &[])]),
            segment(0, vec![read(4, 1)], Vec::new()),
        ],
        loops: Vec::new(),
    };
    check(&flow, &[4], 64, &[]);
}

#[test]
fn buffers_that_loops_carry() {
    // Made in each round, read in the next before another is made.
    let body = |last: Vec<Event>| {
        let mut body = vec![read(3, 10), make(4, 64), write(5, 4)];
        body.extend(last);
        body
    };
    let before = || vec![make(1, 64), write(2, 1)];
    let (entry, carried) = ([(1, 10)], [(4, 10)]);
    let flow = looped(before(), body(Vec::new()), Vec::new(), &entry, &carried);
    assert!(allocate(&flow, &[]).is_ok());
    // Read after another was made: both are needed, and have the same bytes.
    let flow = looped(
        before(),
        body(vec![read(6, 10)]),
        Vec::new(),
        &entry,
        &carried,
    );
    let conflicts = allocate(&flow, &[]).unwrap_err();
    assert_eq!(conflicts, [Conflict::StillNeeded(4)]);
}

#[test]
fn buffers_of_other_functions() {
    let flow = straight(vec![
        make(1, 64),
        write(2, 20),
        write(3, 1),
        read(4, 21),
        read(5, 1),
    ]);
    let found = allocate(&flow, &[20, 21]).unwrap();
    // Two of them may be the same; none is ours.
    let waits: Vec<usize> = (1..6).filter(|op| found.needs_barrier(*op)).collect();
    assert_eq!(waits, [4]);
    let mut end = view(2, 1, Part::All);
    end.effects.is_end = true;
    let flow = straight(vec![make(1, 64), end]);
    let conflicts = allocate(&flow, &[]).unwrap_err();
    assert_eq!(conflicts, [Conflict::Escapes(2)]);
}

#[test]
fn views_that_creep_end() {
    // A view of itself, moved on in each round.
    let part = Part::Bytes { from: 1, to: 4000 };
    let body = vec![view(3, 10, part)];
    let flow = looped(
        vec![make(1, 4000)],
        body,
        Vec::new(),
        &[(1, 10)],
        &[(3, 10)],
    );
    let aliases = Aliases::of(&flow, &[]);
    assert_eq!(aliases.get(10).parts[&1], (0, 4000));
}

/// An operation that uses a value and acts.
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
    Act::Start(Start {
        channel,
        is_write,
        touched: Touched::Buffer(value),
        proxy,
    })
}

/// A copy of its own group, as cp.async.
fn copy(op: usize, value: usize) -> Event {
    let start = start(Channel::Copies, true, value, Proxy::Generic);
    acts(op, value, [start, Act::Commit(Channel::Copies)])
}

/// A copy that an mbarrier learns of, as of the TMA unit.
fn tma(op: usize, value: usize, mbarrier: usize) -> Event {
    let channel = Channel::Mbarrier(mbarrier);
    let start = start(channel, true, value, Proxy::Async);
    acts(op, value, [Act::Commit(channel), start])
}

/// A product that reads a buffer, as wgmma.
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

/// The pairs of an operation that starts an access, and one that conflicts with it while it is in flight.
#[track_caller]
fn check_in_flight(flow: &Flow, pairs: &[(usize, usize)]) {
    let found = allocate(flow, &[]).err().unwrap_or_default();
    let expected = pairs
        .iter()
        .map(|&(started, at)| Conflict::InFlight { started, at });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

/// Two buffers, of which one is read while the other is copied to; each turn of the loop does both.
fn double_buffered(body: Vec<Event>) -> Flow {
    let part = |from| Part::Bytes {
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
    // Before each read what the others copied, before each copy what they read.
    check(&double_buffered(body([1, 1])), &[11, 12, 14, 15], 128, &[]);
    // One group more is left in flight.
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
    // The wait is forgotten: nothing is ever observed.
    let forgotten = vec![read(11, 2), copy(12, 2), read(14, 3), copy(15, 3)];
    check_in_flight(&double_buffered(forgotten), &late);
    // The other buffer is overwritten, whose copy is in flight.
    let early = vec![groups(10, 1), read(11, 2), write(12, 3), groups(13, 0)];
    check_in_flight(&double_buffered(early), &[(5, 12)]);
}

#[test]
fn copies_in_rotating_buffers() {
    // Which part is read and which one is copied to is known at run time only.
    let flow = |count| {
        looped(
            vec![
                make(1, 256),
                view(2, 1, Part::Some),
                copy(3, 2),
                view(4, 1, Part::Some),
                copy(5, 4),
            ],
            vec![
                wait(10, Channel::Copies, count),
                view(11, 1, Part::Some),
                read(12, 11),
                view(13, 1, Part::Some),
                copy(14, 13),
            ],
            vec![wait(30, Channel::Copies, 0)],
            &[],
            &[],
        )
    };
    check(&flow(1), &[12, 14], 256, &[]);
    // Nothing has landed in the first turn.
    check_in_flight(&flow(2), &[(3, 12), (5, 12)]);
}

#[test]
fn mbarriers_are_observed_by_all() {
    let phase = |op| wait(op, Channel::Mbarrier(2), 0);
    let flow = |body| looped(vec![make(1, 64), make(2, 8)], body, Vec::new(), &[], &[]);
    // The next copy waits for all readers; the readers wait for nothing but the phase.
    let body = vec![tma(10, 1, 2), phase(11), read(12, 1)];
    check(&flow(body), &[10], 72, &[]);
    check_in_flight(
        &flow(vec![tma(10, 1, 2), read(12, 1), phase(13)]),
        &[(10, 12)],
    );
    // The phase of another mbarrier says nothing of it.
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
    // Other warps may still read.
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
    let of = |team, events, edges| Segment {
        team,
        ..segment(0, events, edges)
    };
    let first = |scope, reader| Flow {
        segments: vec![
            segment(0, vec![make(1, 64)], vec![edge(1, &[])]),
            of(
                team(0, 4),
                vec![write(2, 1), acts(3, 1, [Act::Sync(scope)])],
                vec![edge(2, &[])],
            ),
            of(reader, vec![read(4, 1)], Vec::new()),
        ],
        loops: Vec::new(),
    };
    let own = Scope::Team(team(0, 4));
    check(&first(own, team(0, 4)), &[], 64, &[]);
    // The whole block can meet after it.
    check(&first(own, Team::BLOCK), &[4], 64, &[]);
    // What other warps wait for they must wait for together.
    let outside = allocate(&first(own, team(4, 8)), &[]).unwrap_err();
    assert_eq!(outside, [Conflict::OtherWarps(4)]);
    check(&first(Scope::Cluster, team(4, 8)), &[], 64, &[]);
    // Warps that each wait for themselves have not waited for each other.
    check(&first(Scope::Warp, team(0, 4)), &[4], 64, &[]);
}

#[test]
fn fences_come_between_generic_and_async_accesses() {
    #[track_caller]
    fn check(flow: &Flow, expected: &[usize]) {
        let found = allocate(flow, &[]).unwrap();
        let ops = flow.events().map(|event| event.op);
        let fences: Vec<usize> = ops.filter(|op| found.needs_fence(*op)).collect();
        assert_eq!(fences, expected);
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
    // A second one has nothing to order.
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
    // A copy by threads writes where its completion is observed.
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
    // A read, before it is overwritten by the TMA unit; what that writes needs none to be multiplied.
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
    // Written before the loop, or in each turn.
    let body = vec![product(4, 1), done()];
    let flow = looped(vec![make(1, 64), write(2, 1)], body, Vec::new(), &[], &[]);
    check(&flow, &[0]);
    let body = vec![write(2, 1), product(4, 1), done()];
    check(&looped(vec![make(1, 64)], body, Vec::new(), &[], &[]), &[4]);
}

/// The waits of a function whose copies 4 and 5 issue 2 instructions each, and 12 and 15 issue 3.
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
    // The youngest group is one of 2 instructions in the first round, and of 3 later.
    let body = vec![groups(10, 1), copy(12, 2), groups(13, 1), copy(15, 3)];
    let flow = double_buffered(body);
    check_counted(&flow, true, &[(10, Some(2)), (13, Some(3)), (30, Some(0))]);
    // Of copies that belong to no group all instructions may be in flight.
    let open = start(Channel::Copies, true, 3, Proxy::Generic);
    let flow = straight(vec![
        make(1, 128),
        copy(4, 1),
        acts(5, 1, [open]),
        groups(6, 0),
    ]);
    check_counted(&flow, true, &[(6, Some(2))]);
    // A kernel begins without copies; a function may be called while some are in flight.
    let flow = straight(vec![make(1, 128), copy(4, 1), groups(6, 1), groups(7, 2)]);
    check_counted(&flow, true, &[(6, None), (7, None)]);
    check_counted(&flow, false, &[(6, Some(2)), (7, None)]);
    // What a call leaves is not known.
    let outside = [Act::Read(Touched::Outside), Act::Write(Touched::Outside)];
    let call = acts(8, 1, outside);
    let flow = straight(vec![
        make(1, 128),
        copy(4, 1),
        call,
        copy(5, 1),
        groups(9, 2),
    ]);
    check_counted(&flow, true, &[(9, Some(2))]);
}
