use super::*;
use crate::Sync;
use crate::split_mix::Random;

const LANES: u32 = 2;
const PER_BLOCK: u32 = 6;
const THREADS: usize = 12;
/// Flag in a thread index. It is set if the access was made by the completion of an asynchronous copy and not by
/// the thread itself.
const COPY: u32 = 1 << 31;
const ORDER: OrderRules = OrderRules {
    threads_per_block: PER_BLOCK,
    lanes_per_warp: LANES,
    first_epoch: 1,
    is_block_own: false,
};

#[derive(Clone, Copy, Debug)]
enum Event {
    Access {
        thread: u32,
        at: usize,
        kind: AccessKind,
    },
    Atomic {
        thread: u32,
        at: usize,
        sync: Sync,
        reads: bool,
        writes: bool,
    },
    Fence {
        thread: u32,
        sync: Sync,
    },
    BlockBarrier {
        block: u32,
    },
    WarpBarrier {
        warp: u32,
    },
    /// A barrier of all warps of `block` except one. `except` is the index of that warp within the block.
    BarrierOfWarps {
        block: u32,
        except: u32,
    },
    Start {
        thread: u32,
    },
    /// Completes the copy with the index `copy`. The completed copy writes byte `at` and releases to the variable
    /// [`COMPLETED`].
    Complete {
        copy: usize,
        at: usize,
    },
    Move,
}

/// Offset of the variable that models the current phase of an mbarrier. When a thread arrives, it releases to this
/// variable. When the phase completes, the releases move to the variable at [`COMPLETED`], from which waiting
/// threads acquire.
const CURRENT: usize = 7;
const COMPLETED: usize = 6;

fn other_warps(block: u32, except: u32) -> Vec<u32> {
    let warps = PER_BLOCK / LANES;
    let own = block * warps..(block + 1) * warps;
    own.filter(|warp| warp % warps != except).collect()
}

struct Detector {
    clocks: Clocks,
    threads: Vec<ThreadClock>,
    history: History,
    block_epochs: [u32; 2],
    warp_epochs: [u32; 6],
    epoch: u32,
    copies: Vec<(u32, ThreadClock)>,
}

impl Detector {
    fn now(&self, thread: u32) -> ExecutionPoint {
        ExecutionPoint {
            thread,
            block: thread / PER_BLOCK * PER_BLOCK,
            warp: thread / LANES * LANES,
            op: 0,
            block_epoch: self.block_epochs[(thread / PER_BLOCK) as usize],
            warp_epoch: self.warp_epochs[(thread / LANES) as usize],
            joint_lanes: 0,
        }
    }

    fn access(&mut self, thread: u32, at: usize, kind: AccessKind) -> bool {
        let now = self.now(thread);
        let knowledge = &self.threads[thread as usize];
        let step = HistoryAccess::new(now, kind, ORDER, &self.clocks, knowledge);
        self.history.access(at, 1, 1, &step, &[]).race.is_some()
    }

    fn races(&mut self, event: Event) -> bool {
        match event {
            Event::Access { thread, at, kind } => return self.access(thread, at, kind),
            Event::Atomic {
                thread,
                at,
                sync,
                reads,
                writes,
            } => {
                let kind = match writes {
                    true => AccessKind::AtomicWrite(sync.scope),
                    false => AccessKind::AtomicRead(sync.scope),
                };
                if self.access(thread, at, kind) {
                    return true;
                }
                let now = self.now(thread);
                let knowledge = &mut self.threads[thread as usize];
                if reads {
                    self.clocks.read(knowledge, now, (0, at), sync);
                }
                if writes {
                    self.clocks.write(knowledge, now, (0, at), sync, reads);
                }
            }
            Event::Fence { thread, sync } => {
                let now = self.now(thread);
                self.clocks
                    .fence(&mut self.threads[thread as usize], now, sync);
            }
            Event::BlockBarrier { block } => {
                self.epoch += 1;
                self.block_epochs[block as usize] = self.epoch;
                let first = (block * PER_BLOCK) as usize;
                Clocks::barrier(&mut self.threads[first..first + PER_BLOCK as usize]);
            }
            Event::WarpBarrier { warp } => {
                self.warp_epochs[warp as usize] += 1;
                let first = (warp * LANES) as usize;
                Clocks::barrier(&mut self.threads[first..first + LANES as usize]);
            }
            Event::BarrierOfWarps { block, except } => {
                let mut epochs = Vec::new();
                let mut clocks = Vec::new();
                for warp in other_warps(block, except) {
                    self.warp_epochs[warp as usize] += 1;
                    epochs.push((warp * LANES, self.warp_epochs[warp as usize]));
                    let first = (warp * LANES) as usize;
                    clocks.extend_from_slice(&self.threads[first..first + LANES as usize]);
                }
                Clocks::barrier_of_warps(&mut clocks, &epochs);
                let mut clocks = clocks.into_iter();
                for warp in other_warps(block, except) {
                    let first = (warp * LANES) as usize;
                    for thread in &mut self.threads[first..first + LANES as usize] {
                        *thread = clocks.next().unwrap();
                    }
                }
            }
            Event::Start { thread } => {
                let now = self.now(thread);
                let clock = self.clocks.fork(&self.threads[thread as usize], now);
                self.copies.push((thread, clock));
            }
            Event::Complete { copy, at } => {
                let (thread, clock) = &self.copies[copy];
                let started_by = self.now(*thread);
                let now = ExecutionPoint {
                    thread: started_by.thread | COPY,
                    block: started_by.block | COPY,
                    warp: started_by.warp | COPY,
                    block_epoch: 0,
                    warp_epoch: 0,
                    ..started_by
                };
                let step = HistoryAccess::new(now, AccessKind::Write, ORDER, &self.clocks, clock);
                if self.history.access(at, 1, 1, &step, &[]).race.is_some() {
                    return true;
                }
                let variable = (0, COMPLETED);
                self.clocks
                    .complete(clock, now, started_by, variable, Scope::Block);
            }
            Event::Move => self.clocks.move_releases((0, CURRENT), (0, COMPLETED)),
        }
        false
    }
}

/// The head of a release sequence, as (index of the releasing event, scope, thread).
type Head = (usize, Scope, u32);

fn who(thread: u32) -> ThreadId {
    ThreadId {
        thread,
        warp: thread / LANES * LANES,
        block: thread / PER_BLOCK * PER_BLOCK,
    }
}

/// A reference implementation of the race detector, which stores the complete happens-before relation of all
/// events.
#[derive(Default)]
struct Reference {
    /// For each event, a set that contains the event itself and all events that happen before it.
    before: Vec<u128>,
    /// For each thread, the set of the events that happen before its next event.
    past: [u128; THREADS],
    fences: [Vec<Head>; THREADS],
    seen: [Vec<Head>; THREADS],
    heads: Vec<Vec<Head>>,
    accesses: Vec<(usize, u32, usize, AccessKind)>,
    /// For each copy, the thread that started it and the set of the events that happen before its completion.
    copies: Vec<(u32, u128)>,
    /// For each thread, the completion events of the copies that the thread started. The completions of the copies
    /// of one thread are ordered one after the other.
    completions: [u128; THREADS],
}

impl Reference {
    fn races(&mut self, event: Event) -> bool {
        let number = self.before.len();
        let bit = 1 << number;
        self.heads.resize(8, Vec::new());
        match event {
            Event::Access { thread, at, kind } => {
                self.before.push(self.past[thread as usize] | bit);
                self.past[thread as usize] |= bit;
                self.check_access(number, thread, at, kind)
            }
            Event::Atomic {
                thread,
                at,
                sync,
                reads,
                writes,
            } => {
                let own = thread as usize;
                let kind = match writes {
                    true => AccessKind::AtomicWrite(sync.scope),
                    false => AccessKind::AtomicRead(sync.scope),
                };
                // The access itself is checked before its acquire takes effect.
                self.before.push(self.past[own] | bit);
                if self.check_access(number, thread, at, kind) {
                    return true;
                }
                if reads {
                    for &head in &self.heads[at] {
                        let (event, scope, other) = head;
                        if sync.scope.is_mutual(who(thread), scope, who(other)) {
                            match sync.acquires {
                                true => self.past[own] |= self.before[event],
                                false => self.seen[own].push(head),
                            }
                        }
                    }
                }
                self.past[own] |= bit;
                self.before[number] = self.past[own];
                if writes {
                    if !reads && !self.heads[at].iter().all(|head| head.2 == thread) {
                        self.heads[at].clear();
                    }
                    if sync.releases {
                        self.heads[at].push((number, sync.scope, thread));
                    }
                    let fences = self.fences[own].iter();
                    let fences =
                        fences.map(|&(event, scope, _)| (event, scope.min(sync.scope), thread));
                    self.heads[at].extend(fences);
                }
                false
            }
            Event::Fence { thread, sync } => {
                let own = thread as usize;
                if sync.acquires {
                    for &(event, scope, other) in &self.seen[own] {
                        if sync.scope.is_mutual(who(thread), scope, who(other)) {
                            self.past[own] |= self.before[event];
                        }
                    }
                }
                self.past[own] |= bit;
                self.before.push(self.past[own]);
                if sync.releases {
                    self.fences[own].push((number, sync.scope, thread));
                }
                false
            }
            Event::BlockBarrier { block } => {
                let first = block * PER_BLOCK;
                self.barrier((first..first + PER_BLOCK).collect(), bit)
            }
            Event::WarpBarrier { warp } => {
                let first = warp * LANES;
                self.barrier((first..first + LANES).collect(), bit)
            }
            Event::BarrierOfWarps { block, except } => {
                let warps = other_warps(block, except).into_iter();
                let lanes = warps.flat_map(|warp| warp * LANES..(warp + 1) * LANES);
                self.barrier(lanes.collect(), bit)
            }
            Event::Start { thread } => {
                let past = &mut self.past[thread as usize];
                *past |= bit;
                self.before.push(*past);
                self.copies.push((thread, *past));
                false
            }
            Event::Complete { copy, at } => {
                let (thread, past) = self.copies[copy];
                let completions = &mut self.completions[thread as usize];
                self.before.push(past | *completions | bit);
                *completions |= bit;
                self.heads[COMPLETED].push((number, Scope::Block, thread));
                self.check_access(number, thread | COPY, at, AccessKind::Write)
            }
            Event::Move => {
                self.before.push(bit);
                let releases = std::mem::take(&mut self.heads[CURRENT]);
                self.heads[COMPLETED].extend(releases);
                false
            }
        }
    }

    fn barrier(&mut self, threads: Vec<u32>, bit: u128) -> bool {
        let past = |thread: &u32| self.past[*thread as usize];
        let all = threads.iter().map(past).fold(bit, |all, past| all | past);
        let fences = threads
            .iter()
            .map(|thread| &self.fences[*thread as usize][..]);
        let mut fences = fences.collect::<Vec<_>>().concat();
        fences.sort_unstable_by_key(|fence| fence.0);
        fences.dedup_by_key(|fence| fence.0);
        for thread in threads {
            self.past[thread as usize] = all;
            self.fences[thread as usize].clone_from(&fences);
        }
        self.before.push(all);
        false
    }

    fn check_access(&mut self, number: usize, thread: u32, at: usize, kind: AccessKind) -> bool {
        let races = self
            .accesses
            .iter()
            .any(|&(event, other, place, other_kind)| {
                let is_ordered = self.before[number] >> event & 1 == 1;
                let conflicts = kind.writes() || other_kind.writes();
                let is_allowed = match (kind.scope(), other_kind.scope()) {
                    (Some(a), Some(b)) => a.is_mutual(who(thread), b, who(other)),
                    _ => false,
                };
                place == at && thread != other && !is_ordered && conflicts && !is_allowed
            });
        self.accesses.push((number, thread, at, kind));
        races
    }
}

/// In random event sequences, the detector reports the first race at the same event as a reference implementation
/// that stores the complete happens-before relation.
#[test]
fn races_are_those_of_the_whole_happens_before_relation() {
    let mut random = Random(1);
    let mut draw = move |count: u64| random.below(count);
    let (mut clean, mut racy, mut late) = (0, 0, 0);
    for _ in 0..20_000 {
        let mut detector = Detector {
            clocks: Clocks::default(),
            threads: vec![ThreadClock::default(); THREADS],
            history: History::default(),
            block_epochs: [1, 2],
            warp_epochs: [0; 6],
            epoch: 2,
            copies: Vec::new(),
        };
        let mut reference = Reference::default();
        let mut events = Vec::new();
        let mut found = None;
        let length = 8 + draw(72);
        for number in 0..length {
            let thread = draw(THREADS as u64) as u32;
            let scope = [
                Scope::Block,
                Scope::Device,
                Scope::Device,
                Scope::Device,
                Scope::Warp,
            ][draw(5) as usize];
            let sync = Sync {
                acquires: draw(2) == 0,
                releases: draw(2) == 0,
                scope,
            };
            let copies = detector.copies.len() as u64;
            let event = match draw(18) {
                0 | 1 => Event::Access {
                    thread,
                    at: if draw(3) == 0 {
                        draw(4) as usize
                    } else {
                        thread as usize % 4
                    },
                    kind: [AccessKind::Read, AccessKind::Read, AccessKind::Write][draw(3) as usize],
                },
                2..=7 => {
                    let (reads, writes) =
                        [(true, false), (false, true), (true, true)][draw(3) as usize];
                    let sync = Sync {
                        scope: if draw(8) == 0 { scope } else { Scope::Device },
                        ..sync
                    };
                    Event::Atomic {
                        thread,
                        at: 4 + draw(2) as usize,
                        sync,
                        reads,
                        writes,
                    }
                }
                8 | 9 => Event::Fence { thread, sync },
                10 => Event::BlockBarrier {
                    block: draw(2) as u32,
                },
                11 => Event::WarpBarrier {
                    warp: draw(6) as u32,
                },
                12 | 13 => Event::BarrierOfWarps {
                    block: draw(2) as u32,
                    except: draw(3) as u32,
                },
                14 => Event::Start { thread },
                15 if copies > 0 => Event::Complete {
                    copy: draw(copies) as usize,
                    at: draw(4) as usize,
                },
                16 => Event::Move,
                _ => {
                    let writes = draw(2) == 0;
                    Event::Atomic {
                        thread,
                        at: if writes { CURRENT } else { COMPLETED },
                        sync: Sync {
                            acquires: !writes,
                            releases: writes,
                            scope: Scope::Block,
                        },
                        reads: true,
                        writes,
                    }
                }
            };
            events.push(event);
            let wanted = reference.races(event);
            assert_eq!(detector.races(event), wanted, "{events:#?}");
            if wanted {
                found = Some(number);
                break;
            }
        }
        match found {
            None => clean += 1,
            Some(number) => {
                racy += 1;
                late += u32::from(number > 20);
            }
        }
    }
    assert!(
        clean > 500 && racy > 5_000 && late > 500,
        "{clean} {racy} {late}"
    );
}

/// After a joint read by lanes 0 and 1, a store by one of these lanes or a joint store by both does not race. A
/// store by a thread of another warp races. A joint read that follows the store of a single lane races too.
#[test]
fn lanes_that_read_together_may_store_next() {
    let now = |thread: u32, joint_lanes: u64| ExecutionPoint {
        thread,
        block: 0,
        warp: thread / LANES * LANES,
        op: 0,
        block_epoch: 1,
        warp_epoch: 0,
        joint_lanes,
    };
    let (clocks, knowledge) = (Clocks::default(), ThreadClock::default());
    let step = |now, kind| HistoryAccess::new(now, kind, ORDER, &clocks, &knowledge);
    for (store, joint_lanes, races_with) in
        [(0, 0, false), (1, 0, false), (0, 3, false), (2, 0, true)]
    {
        let mut history = History::default();
        history.access(0, 4, 0, &step(now(0, 3), AccessKind::Read), &[]);
        let found = history.access(
            0,
            4,
            15,
            &step(now(store, joint_lanes), AccessKind::Write),
            &[],
        );
        assert_eq!(
            found.race.is_some(),
            races_with,
            "thread {store}, lanes {joint_lanes}"
        );
        if store < LANES && joint_lanes == 0 {
            let found = history.access(0, 4, 0, &step(now(0, 3), AccessKind::Read), &[]);
            assert!(found.race.is_some());
        }
    }
}
