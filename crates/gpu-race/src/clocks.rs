//! Happens-before between threads by atomic accesses and fences: sparse vector clocks.
//!
//! A [`Clock`] is a set of accesses: those of a block before one of its barriers, those of a warp before one of its
//! barriers, and those of a thread before one of its releases. A thread's clock grows at an acquire, by what the release
//! that it observes has covered, and at a barrier, by the clocks of all that meet there. Accesses that barriers of the own
//! block or warp order are in no clock: [`super::Now`] has the epochs for these.
//!
//! ```text
//! block 0   store x; barrier; atom.release flag      the clock of `flag`: block 0 up to its barrier
//! block 1   atom.acquire flag; barrier; load x       the clock of each thread: the same
//! ```
//! The rules are those of the PTX memory model ("Release and Acquire Patterns", "Synchronizes-with"), and of LLVM's:
//! a relaxed write behind a fence releases what is before the fence, a relaxed read before a fence acquires there, and
//! read-modify-writes continue the release sequence of what they read. Scopes must include each other's threads.
//! In one point this is more permissive: a barrier of the block passes on what a thread's fence has covered, so the fence
//! may stand in all threads before the barrier, and the write behind it in one.

use super::Now;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The threads that an atomic access or a fence synchronizes with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// The thread itself.
    Thread,
    /// Its warp.
    Warp,
    /// Its thread block.
    Block,
    /// Its cluster of thread blocks.
    Cluster,
    /// All threads of the GPU.
    Device,
    /// All threads of all GPUs and of the host.
    System,
}

impl Scope {
    /// Returns true if the scope of one thread's operation includes the other thread.
    fn includes(self, a: Who, b: Who) -> bool {
        match self {
            Self::Thread => a.thread == b.thread,
            Self::Warp => a.warp == b.warp,
            // Launches have no clusters: a block is a cluster of its own.
            Self::Block | Self::Cluster => a.block == b.block,
            Self::Device | Self::System => true,
        }
    }

    /// Returns true if two operations with these scopes are morally strong: each includes the other's thread.
    pub(crate) fn meets(self, who: Who, other: Self, other_who: Who) -> bool {
        self.includes(who, other_who) && other.includes(other_who, who)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Thread => "thread",
            Self::Warp => "warp",
            Self::Block => "block",
            Self::Cluster => "cluster",
            Self::Device => "gpu",
            Self::System => "sys",
        })
    }
}

/// A thread, with the first threads of its warp and of its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Who {
    pub(crate) thread: u32,
    pub(crate) warp: u32,
    pub(crate) block: u32,
}

impl From<Now> for Who {
    fn from(now: Now) -> Self {
        Self {
            thread: now.thread,
            warp: now.warp,
            block: now.block,
        }
    }
}

/// A set of accesses, downwards closed; empty lists stand for nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock {
    /// Of a block by its first thread: accesses of block epochs below this one.
    blocks: Vec<(u32, u32)>,
    /// Of a warp by its first thread: accesses of warp epochs below this one.
    warps: Vec<(u32, u32)>,
    /// Of a thread: accesses at times below this one.
    threads: Vec<(u32, u32)>,
}

fn bound(list: &[(u32, u32)], key: u32) -> u32 {
    let found = list.binary_search_by_key(&key, |entry| entry.0);
    found.map_or(0, |index| list[index].1)
}

fn raise(list: &mut Vec<(u32, u32)>, key: u32, to: u32) {
    match list.binary_search_by_key(&key, |entry| entry.0) {
        Ok(index) => list[index].1 = list[index].1.max(to),
        Err(index) => list.insert(index, (key, to)),
    }
}

/// Returns true if all bounds of `b` are at most those of `a`.
fn contains(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    b.len() <= a.len() && b.iter().all(|&(key, to)| bound(a, key) >= to)
}

fn union(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) if x.0 == y.0 => {
                out.push((x.0, x.1.max(y.1)));
                (i, j) = (i + 1, j + 1);
            }
            (Some(&x), y) if y.is_none_or(|y| x.0 < y.0) => {
                out.push(x);
                i += 1;
            }
            (_, Some(&y)) => {
                out.push(y);
                j += 1;
            }
            _ => return out,
        }
    }
}

impl Clock {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.warps.is_empty() && self.threads.is_empty()
    }

    pub(crate) fn block(&self, block: u32) -> u32 {
        bound(&self.blocks, block)
    }

    pub(crate) fn warp(&self, warp: u32) -> u32 {
        bound(&self.warps, warp)
    }

    pub(crate) fn thread(&self, thread: u32) -> u32 {
        bound(&self.threads, thread)
    }

    fn contains(&self, other: &Self) -> bool {
        contains(&self.blocks, &other.blocks)
            && contains(&self.warps, &other.warps)
            && contains(&self.threads, &other.threads)
    }
}

/// Adds a clock to another one, without a copy where one of them has it all.
fn join(clock: &mut Arc<Clock>, other: &Arc<Clock>) {
    if Arc::ptr_eq(clock, other) || clock.contains(other) {
        return;
    }
    if other.contains(clock) {
        *clock = Arc::clone(other);
        return;
    }
    *clock = Arc::new(Clock {
        blocks: union(&clock.blocks, &other.blocks),
        warps: union(&clock.warps, &other.warps),
        threads: union(&clock.threads, &other.threads),
    });
}

/// What an observer of a write acquires.
#[derive(Clone, Debug)]
struct Release {
    who: Who,
    scope: Scope,
    /// No other thread has added to it.
    is_sole: bool,
    clock: Arc<Clock>,
}

/// Adds a release to others, with those that it can be acquired together with.
fn push(list: &mut Vec<Release>, new: Release) {
    let is_like = |old: &Release| {
        old.scope == new.scope
            && match new.scope {
                Scope::Thread => old.who == new.who,
                Scope::Warp => old.who.warp == new.who.warp,
                Scope::Block | Scope::Cluster => old.who.block == new.who.block,
                Scope::Device | Scope::System => true,
            }
    };
    match list.iter().position(is_like) {
        Some(index) => {
            let old = &mut list[index];
            join(&mut old.clock, &new.clock);
            old.is_sole &= new.is_sole && old.who == new.who;
            old.who = new.who;
        }
        None => list.push(new),
    }
}

/// The vector clock of one thread, with its pending releases and acquires.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// The accesses that happen before what it does next, beside those that epochs order.
    pub(crate) known: Arc<Clock>,
    /// What its fences have covered: its next atomic writes release it.
    fences: Vec<Release>,
    /// What it has observed by relaxed reads: its next fence acquires it.
    seen: Vec<Release>,
}

impl Knowledge {
    /// Returns true if two threads know the same, as far as it can be told at once.
    pub fn is_shared(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// Returns true if an access is ordered before what the thread does next: one that was made at the moment `then`, when
    /// [`Clocks::time`] was `time`. Epochs that the thread shares are not considered.
    pub fn covers(&self, then: Now, time: u32) -> bool {
        let known = &self.known;
        then.block_epoch < known.block(then.block)
            || then.warp_epoch < known.warp(then.warp)
            || time < known.thread(then.thread)
    }
}

/// The order and the scope of an atomic access or of a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sync {
    /// True if what others released is visible afterwards.
    pub acquires: bool,
    /// True if what came before is visible to those who acquire.
    pub releases: bool,
    /// The threads it holds for.
    pub scope: Scope,
}

impl Sync {
    /// Returns an access that orders nothing.
    pub const fn relaxed(scope: Scope) -> Self {
        Self {
            acquires: false,
            releases: false,
            scope,
        }
    }
}

/// The first byte of an atomic variable: memory, and byte.
pub type Location = (u64, usize);

/// The releases of a launch.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// Releases so far: an access is covered by its thread's later releases only.
    pub(crate) time: u32,
    locations: HashMap<Location, Vec<Release>>,
}

impl Clocks {
    /// Returns the number of releases so far, which dates an access for [`Knowledge::covers`].
    pub fn time(&self) -> u32 {
        self.time
    }

    /// What a release by a thread covers now.
    fn covered(&mut self, thread: &Knowledge, now: Now) -> Arc<Clock> {
        let mut clock = (*thread.known).clone();
        raise(&mut clock.blocks, now.block, now.block_epoch);
        if now.warp_epoch > 0 {
            raise(&mut clock.warps, now.warp, now.warp_epoch);
        }
        self.time += 1;
        raise(&mut clock.threads, now.thread, self.time);
        Arc::new(clock)
    }

    /// Notes a fence.
    pub fn fence(&mut self, thread: &mut Knowledge, now: Now, sync: Sync) {
        if sync.acquires {
            let Knowledge { known, seen, .. } = thread;
            seen.retain(|release| {
                let meets = sync.scope.meets(now.into(), release.scope, release.who);
                if meets {
                    join(known, &release.clock);
                }
                !meets
            });
        }
        if sync.releases {
            let clock = self.covered(thread, now);
            thread.fences.retain(|fence| fence.scope > sync.scope);
            thread.fences.push(Release {
                who: now.into(),
                scope: sync.scope,
                is_sole: true,
                clock,
            });
        }
    }

    /// Notes an atomic read.
    pub fn read(&self, thread: &mut Knowledge, now: Now, at: Location, sync: Sync) {
        let who = now.into();
        for release in self.locations.get(&at).into_iter().flatten() {
            if !sync.scope.meets(who, release.scope, release.who) {
                continue;
            }
            if sync.acquires {
                join(&mut thread.known, &release.clock);
            } else {
                push(&mut thread.seen, release.clone());
            }
        }
    }

    /// Notes an atomic write; one that also reads continues the release sequence.
    pub fn write(
        &mut self,
        thread: &Knowledge,
        now: Now,
        at: Location,
        sync: Sync,
        also_reads: bool,
    ) {
        let mut own: Vec<Release> = match sync.releases {
            true => vec![Release {
                who: now.into(),
                scope: sync.scope,
                is_sole: true,
                clock: self.covered(thread, now),
            }],
            false => Vec::new(),
        };
        // What a fence has covered reaches no further than the write.
        own.extend(thread.fences.iter().map(|fence| Release {
            who: now.into(),
            scope: fence.scope.min(sync.scope),
            is_sole: true,
            clock: Arc::clone(&fence.clock),
        }));
        if own.is_empty() && !self.locations.contains_key(&at) {
            return;
        }
        let list = self.locations.entry(at).or_default();
        if !also_reads {
            // A thread's own release is continued by its later writes.
            let is_own = |release: &Release| release.is_sole && release.who.thread == now.thread;
            if !list.iter().all(is_own) {
                list.clear();
            }
        }
        own.into_iter().for_each(|release| push(list, release));
    }

    /// Notes that threads meet at a barrier: each learns what the others know, and what their fences have covered.
    pub fn meet(threads: &mut [Knowledge]) {
        let Some((first, rest)) = threads.split_first_mut() else {
            return;
        };
        let is_same = |thread: &Knowledge| Arc::ptr_eq(&thread.known, &first.known);
        let fences = |thread: &Knowledge| !thread.fences.is_empty();
        if rest.iter().all(is_same) && !fences(first) && !rest.iter().any(fences) {
            return;
        }
        for thread in &*rest {
            join(&mut first.known, &thread.known);
            thread
                .fences
                .iter()
                .for_each(|fence| push(&mut first.fences, fence.clone()));
        }
        for thread in rest {
            thread.known = Arc::clone(&first.known);
            thread.fences.clone_from(&first.fences);
        }
    }

    /// Forgets the releases of a memory, which is made anew.
    pub fn forget(&mut self, memory: impl Fn(u64) -> bool) {
        self.locations.retain(|(of, _), _| !memory(*of));
    }
}
