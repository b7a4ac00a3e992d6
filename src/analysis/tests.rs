//! Functions by hand: segments, edges and effects, without MLIR.

use super::alias::Aliases;
use super::allocation::{Allocation, Conflict};
use super::effects::{
    Act, Channel, Choice, Effects, Makes, Part, Proxy, Request, Scope, Start, Team, Touched, View,
};
use super::flow::{Edge, Event, Flow, Segment};
use std::collections::BTreeMap;

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

fn acts(op: usize, value: usize, acts: &[Act]) -> Event {
    event(
        op,
        Effects {
            uses: vec![value],
            acts: acts.to_vec(),
            ..Effects::default()
        },
    )
}

/// Operation `op` starts an access to the buffer of a value, which is a group of its own on the channel.
fn start(op: usize, value: usize, channel: Channel) -> Event {
    let (is_write, proxy) = match channel {
        Channel::Copies => (true, Proxy::Generic),
        Channel::Mbarrier(_) => (true, Proxy::Async),
        Channel::BulkStores | Channel::Products => (false, Proxy::Async),
    };
    let start = Start {
        channel,
        is_write,
        touched: Touched::Buffer(value),
        proxy,
    };
    acts(op, value, &[Act::Start(start), Act::Commit(channel)])
}

/// Waits until at most so many groups are in flight.
fn wait(op: usize, channel: Channel, at_most: u32) -> Event {
    event(
        op,
        Effects {
            acts: vec![Act::Observe { channel, at_most }],
            ..Effects::default()
        },
    )
}

fn in_flight(flow: &Flow) -> Vec<(usize, usize)> {
    let conflicts = allocate(flow, &[]).err().unwrap_or_default();
    let pair = |conflict: &Conflict| match conflict {
        Conflict::InFlight { started, at } => (*started, *at),
        other => panic!("{other:?}"),
    };
    conflicts.iter().map(pair).collect()
}

const COPIES: Channel = Channel::Copies;
const PRODUCTS: Channel = Channel::Products;

/// What a thread's wait observes, others may use after a barrier; before the wait nobody may.
#[test]
fn a_copy_is_read_after_its_wait_and_a_barrier() {
    let right = straight(vec![
        make(1, 64),
        start(2, 1, COPIES),
        wait(3, COPIES, 0),
        read(4, 1),
    ]);
    assert!(allocate(&right, &[]).unwrap().needs_barrier(4));
    let forgotten = straight(vec![make(1, 64), start(2, 1, COPIES), read(4, 1)]);
    assert_eq!(in_flight(&forgotten), [(2, 4)]);
    let overwritten = straight(vec![
        make(1, 64),
        start(2, 1, COPIES),
        write(3, 1),
        wait(4, COPIES, 0),
    ]);
    assert_eq!(in_flight(&overwritten), [(2, 3)]);
}

/// A wait for all but the youngest group has the older ones.
#[test]
fn a_wait_counts_groups() {
    let two = |at_most, value| {
        straight(vec![
            make(1, 64),
            make(2, 64),
            start(3, 1, COPIES),
            start(4, 2, COPIES),
            wait(5, COPIES, at_most),
            read(6, value),
            wait(7, COPIES, 0),
            read(8, 1),
            read(9, 2),
        ])
    };
    assert_eq!(in_flight(&two(1, 1)), []);
    assert_eq!(in_flight(&two(1, 2)), [(4, 6)]);
    assert_eq!(in_flight(&two(2, 1)), [(3, 6)]);
}

/// In a loop, a copy for the next iteration comes after the reads of this one, and is waited for in the next.
#[test]
fn copies_of_the_next_iteration_wait_for_reads() {
    let pipeline = |at_most| {
        looped(
            vec![make(1, 64), start(2, 1, COPIES)],
            vec![wait(3, COPIES, at_most), read(4, 1), start(5, 1, COPIES)],
            vec![wait(6, COPIES, 0)],
            &[],
            &[],
        )
    };
    let right = allocate(&pipeline(0), &[]).unwrap();
    assert!(right.needs_barrier(4) && right.needs_barrier(5));
    assert_eq!(in_flight(&pipeline(1)), [(2, 4), (2, 5), (5, 4), (5, 5)]);
}

/// The phase of an mbarrier is observed by all threads: no barrier follows it.
#[test]
fn a_phase_needs_no_barrier() {
    let loads = |waits: bool| {
        let channel = Channel::Mbarrier(2);
        let mut events = vec![make(1, 64), make(2, 8), start(3, 1, channel)];
        events.extend(waits.then(|| wait(4, channel, 0)));
        events.push(read(5, 1));
        straight(events)
    };
    let right = allocate(&loads(true), &[]).unwrap();
    assert!(!right.needs_barrier(5));
    assert_eq!(in_flight(&loads(false)), [(3, 5)]);
}

/// A product reads its operands until its wait: nobody may write them before.
#[test]
fn operands_of_a_product_stay_until_its_wait() {
    let product = |waits: bool| {
        let mut events = vec![make(1, 64), write(2, 1), start(3, 1, PRODUCTS)];
        events.push(read(4, 1));
        events.extend(waits.then(|| wait(5, PRODUCTS, 0)));
        events.push(write(6, 1));
        straight(events)
    };
    assert!(allocate(&product(true), &[]).unwrap().needs_barrier(6));
    assert_eq!(in_flight(&product(false)), [(3, 6)]);
}

/// The bytes of a buffer are no other's while an access to it is in flight.
#[test]
fn a_buffer_lives_until_its_copy_has_landed() {
    let with = |waits_first: bool| {
        let mut events = vec![make(1, 20_000), start(2, 1, COPIES)];
        events.extend(waits_first.then(|| wait(3, COPIES, 0)));
        events.extend([make(4, 20_000), write(5, 4), read(6, 4)]);
        events.extend((!waits_first).then(|| wait(3, COPIES, 0)));
        let allocation = allocate(&straight(events), &[]).unwrap();
        allocation.place(1) == allocation.place(4)
    };
    assert!(with(true) && !with(false));
}

/// A generic write and an async read of the same bytes have a proxy fence between them.
#[test]
fn a_fence_orders_the_proxies() {
    let written = |fence: bool| {
        let mut events = vec![make(1, 64), write(2, 1)];
        events.extend(fence.then(|| acts(3, 1, &[Act::Barrier, Act::Fence])));
        events.extend([start(4, 1, PRODUCTS), wait(5, PRODUCTS, 0)]);
        allocate(&straight(events), &[]).unwrap()
    };
    let (without, with) = (written(false), written(true));
    assert!(without.needs_barrier(4) && without.needs_fence(4));
    assert!(!with.needs_barrier(4) && !with.needs_fence(4));
}

/// A barrier of some warps orders nothing for the others.
#[test]
fn a_barrier_of_a_team_serves_the_team() {
    let team = |first_warp, barrier| Team {
        first_warp,
        end_warp: first_warp + 4,
        barrier,
    };
    let sync = |scope| acts(3, 1, &[Act::Sync(scope)]);
    let with = |reader: Team, scope| {
        let of_team = |team, events, edges| Segment {
            team,
            ..segment(0, events, edges)
        };
        Flow {
            segments: vec![
                segment(0, vec![make(1, 64)], vec![edge(1, &[])]),
                of_team(
                    team(0, 1),
                    vec![write(2, 1), sync(scope)],
                    vec![edge(2, &[])],
                ),
                of_team(reader, vec![read(4, 1)], Vec::new()),
            ],
            loops: Vec::new(),
        }
    };
    let (own, other) = (team(0, 1), team(4, 2));
    let scope = Scope::Team(own);
    assert!(!allocate(&with(own, scope), &[]).unwrap().needs_barrier(4));
    assert!(
        allocate(&with(own, Scope::Warp), &[])
            .unwrap()
            .needs_barrier(4)
    );
    let Err(conflicts) = allocate(&with(other, scope), &[]) else {
        panic!("other warps were not waited for")
    };
    assert!(matches!(conflicts[..], [Conflict::OtherWarps(4)]));
    assert!(allocate(&with(other, Scope::Team(Team::BLOCK)), &[]).is_ok());
    assert!(allocate(&with(other, Scope::Cluster), &[]).is_ok());
}
