//! Vector clocks: the happens-before order of atomic accesses, fences and barriers.
//!
//! A [`Clock`] is a set of accesses, given by upper bounds: a block epoch per block, a warp epoch per warp, and a
//! release time per thread. Bounds of zero are not stored, so a clock is small if few threads synchronise. An acquire
//! joins the clock of the observed release into the clock of the thread. A barrier joins the clocks of its threads.
//! Clocks omit the order from barriers of the thread's own block or warp, which follows from the epochs in
//! [`super::ExecutionPoint`].
//!
//! ```text
//! block 0   store x; barrier; atom.release flag      the clock of `flag`: block 0 up to its barrier
//! block 1   atom.acquire flag; barrier; load x       the clock of each thread: the same
//! ```
//! The rules are from the PTX memory model ("Release and Acquire Patterns", "Synchronizes-with") and from LLVM's memory
//! model:
//! - A relaxed write after a fence releases the accesses before the fence.
//! - A fence acquires the releases that earlier relaxed reads of its thread observed.
//! - A read-modify-write continues the release sequence of the write that it reads.
//! - Two operations synchronise only if each scope includes the thread of the other operation.
//!
//! One rule is more permissive than the memory models: a block barrier forwards the releases of fences to all threads
//! of the block. So all threads may execute the fence before the barrier, and one thread the write after the barrier.

use super::ExecutionPoint;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The scope of an atomic access or a fence: the threads with which the operation can synchronise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// Only the thread itself.
    Thread,
    /// The threads of the same warp.
    Warp,
    /// The threads of the same thread block.
    Block,
    /// The threads of the same cluster of thread blocks.
    Cluster,
    /// All threads of the GPU.
    Device,
    /// All threads of all GPUs and of the host.
    System,
}

impl Scope {
    fn includes(self, a: ThreadId, b: ThreadId) -> bool {
        match self {
            Self::Thread => a.thread == b.thread,
            Self::Warp => a.warp == b.warp,
            // Clusters are not modelled: each block is a cluster of its own.
            Self::Block | Self::Cluster => a.block == b.block,
            Self::Device | Self::System => true,
        }
    }

    /// Returns true if the scope of each of two operations includes the thread of the other operation ("morally
    /// strong" in PTX). Thread `who` performs the operation with the scope `self`, and thread `other_who` performs
    /// the operation with the scope `other`.
    pub(crate) fn is_mutual(self, who: ThreadId, other: Self, other_who: ThreadId) -> bool {
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

/// Identifies a thread of the grid. `thread` is the index of the thread within the grid. `warp` is the index of the
/// first thread of its warp, and `block` is the index of the first thread of its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ThreadId {
    pub(crate) thread: u32,
    pub(crate) warp: u32,
    pub(crate) block: u32,
}

impl From<ExecutionPoint> for ThreadId {
    fn from(now: ExecutionPoint) -> Self {
        Self {
            thread: now.thread,
            warp: now.warp,
            block: now.block,
        }
    }
}

/// The set of accesses that happen before a point of execution, stored as exclusive upper bounds. An access is in
/// the set if at least one of these conditions holds:
/// - its block epoch is below the bound of its block
/// - its warp epoch is below the bound of its warp
/// - its time is below the bound of its thread
///
/// The time of an access is the number of releases before it ([`Clocks::time`]). A bound that is not stored is 0.
/// Each list is sorted by thread index, the first entry of each pair.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock {
    /// One pair per block: (first thread of the block, exclusive bound on the block epochs).
    blocks: Vec<(u32, u32)>,
    /// One pair per warp: (first thread of the warp, exclusive bound on the warp epochs).
    warps: Vec<(u32, u32)>,
    /// One pair per thread: (thread, exclusive bound on the times of its accesses).
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

/// Sets `clock` to the element-wise maximum of `clock` and `other`. Allocates a new clock only if neither of the
/// two clocks contains the other one.
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

/// A release that an atomic write, a fence or the completion of an asynchronous operation has made. The accesses in
/// `clock` happen before all accesses that follow a matching acquire.
#[derive(Clone, Debug)]
struct Release {
    who: ThreadId,
    scope: Scope,
    /// True if the thread `who` performed this release and every release that was merged into it. False if another
    /// thread performed one of them, or if one of them is the completion of an asynchronous operation.
    is_sole: bool,
    clock: Arc<Clock>,
}

/// Adds `new` to `list`. If `list` contains a release of the same scope whose scope includes the same threads,
/// merges `new` into this release instead. Releases of cluster scope are merged only if they are from the same
/// block.
fn add_release(list: &mut Vec<Release>, new: Release) {
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

/// The vector clock of one thread. It also holds the releases that the thread's fences have made and the releases
/// that its relaxed reads have observed.
#[derive(Clone, Debug, Default)]
pub struct ThreadClock {
    /// The accesses that happen before the thread's next access. An access is omitted if its order follows only
    /// from barriers of the thread's own block or warp, because the epochs of an [`ExecutionPoint`] encode that
    /// order.
    pub(crate) known: Arc<Clock>,
    /// Releases that fences of this thread have made, or that this thread received at a barrier. The thread's later
    /// atomic writes publish these releases.
    fences: Vec<Release>,
    /// Releases that relaxed reads of this thread have observed. The next acquire fence of the thread acquires
    /// them.
    seen: Vec<Release>,
}

impl ThreadClock {
    /// Returns true if `self` and `other` share one clock object. Takes constant time. If the result is false, the
    /// two clocks may still be equal.
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// Returns true if the access at the point `then` happens before the thread's next access. `time` is the value
    /// that [`Clocks::time`] returned when the access at `then` was made. Does not consider the order that barriers
    /// of the thread's own block or warp establish.
    pub fn covers(&self, then: ExecutionPoint, time: u32) -> bool {
        let known = &self.known;
        then.block_epoch < known.block(then.block)
            || then.warp_epoch < known.warp(then.warp)
            || time < known.thread(then.thread)
    }
}

/// The memory order and the scope of an atomic access or a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sync {
    /// True for an acquire: accesses before the observed release happen before the thread's later accesses.
    pub acquires: bool,
    /// True for a release: the thread's earlier accesses happen before accesses after a matching acquire.
    pub releases: bool,
    /// The threads with which the operation can synchronise.
    pub scope: Scope,
}

impl Sync {
    /// Returns the memory order of a relaxed operation with the scope `scope`. A relaxed operation does not order
    /// other accesses.
    pub const fn relaxed(scope: Scope) -> Self {
        Self {
            acquires: false,
            releases: false,
            scope,
        }
    }
}

/// The address of an atomic variable, as (index of the memory, byte offset).
pub type AtomicAddress = (u64, usize);

/// The synchronisation state of a launch: for each atomic variable, the releases that an acquire can observe.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// Number of releases in the launch so far.
    pub(crate) time: u32,
    locations: HashMap<AtomicAddress, Vec<Release>>,
}

impl Clocks {
    /// Returns the number of releases in the launch so far. [`ThreadClock::covers`] takes this number as the time
    /// of an access.
    pub fn time(&self) -> u32 {
        self.time
    }

    /// Returns the clock of a new release at the point `now`, and increments the number of releases. The clock
    /// contains all accesses that `thread` has made or acquired before `now`.
    fn covered(&mut self, thread: &ThreadClock, now: ExecutionPoint) -> Arc<Clock> {
        let mut clock = (*thread.known).clone();
        if now.block_epoch > 0 {
            raise(&mut clock.blocks, now.block, now.block_epoch);
        }
        if now.warp_epoch > 0 {
            raise(&mut clock.warps, now.warp, now.warp_epoch);
        }
        self.time += 1;
        raise(&mut clock.threads, now.thread, self.time);
        Arc::new(clock)
    }

    /// Records that `thread` executes a fence with the memory order `sync` at the point `now`.
    pub fn fence(&mut self, thread: &mut ThreadClock, now: ExecutionPoint, sync: Sync) {
        if sync.acquires {
            let ThreadClock { known, seen, .. } = thread;
            seen.retain(|release| {
                let is_observed = sync.scope.is_mutual(now.into(), release.scope, release.who);
                if is_observed {
                    join(known, &release.clock);
                }
                !is_observed
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

    /// Records that `thread` reads the atomic variable `at` with the memory order `sync` at the point `now`.
    pub fn read(
        &self,
        thread: &mut ThreadClock,
        now: ExecutionPoint,
        at: AtomicAddress,
        sync: Sync,
    ) {
        let who = now.into();
        for release in self.locations.get(&at).into_iter().flatten() {
            if !sync.scope.is_mutual(who, release.scope, release.who) {
                continue;
            }
            if sync.acquires {
                join(&mut thread.known, &release.clock);
            } else {
                add_release(&mut thread.seen, release.clone());
            }
        }
    }

    /// Records an atomic write of the variable `at` by `thread`. If `also_reads` is true, the write is part of a
    /// read-modify-write, which continues the release sequence of the variable.
    pub fn write(
        &mut self,
        thread: &ThreadClock,
        now: ExecutionPoint,
        at: AtomicAddress,
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
        // The scope of a fence is limited by the scope of the write that publishes the fence.
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
        own.into_iter()
            .for_each(|release| add_release(list, release));
    }

    /// Returns the clock of an asynchronous operation that `thread` starts at `now`. The thread's accesses before `now`
    /// happen before the operation completes.
    pub fn fork(&mut self, thread: &ThreadClock, now: ExecutionPoint) -> ThreadClock {
        ThreadClock {
            known: self.covered(thread, now),
            ..ThreadClock::default()
        }
    }

    /// Records that an asynchronous operation has completed. The completion is a release of the operation's
    /// accesses, which an acquire of the atomic variable `at` can observe.
    ///
    /// `operation` is the clock of the operation, and `now` is the point of execution of its accesses. `started_by`
    /// identifies the thread that started the operation, by any of its points of execution.
    pub fn complete(
        &mut self,
        operation: &ThreadClock,
        now: ExecutionPoint,
        started_by: ExecutionPoint,
        at: AtomicAddress,
        scope: Scope,
    ) {
        let release = Release {
            who: started_by.into(),
            scope,
            is_sole: false,
            clock: self.covered(operation, now),
        };
        add_release(self.locations.entry(at).or_default(), release);
    }

    /// Moves the releases of the variable `from` to the variable `to`. The existing releases of `to` remain.
    pub fn move_releases(&mut self, from: AtomicAddress, to: AtomicAddress) {
        let Some(releases) = self.locations.remove(&from) else {
            return;
        };
        let list = self.locations.entry(to).or_default();
        releases
            .into_iter()
            .for_each(|release| add_release(list, release));
    }

    /// Records a barrier of `threads`. Afterwards, the clock of each thread is the union of all their clocks, and
    /// each thread has the fence releases of all of them.
    pub fn barrier(threads: &mut [ThreadClock]) {
        let Some((first, rest)) = threads.split_first_mut() else {
            return;
        };
        let is_same = |thread: &ThreadClock| Arc::ptr_eq(&thread.known, &first.known);
        let fences = |thread: &ThreadClock| !thread.fences.is_empty();
        if rest.iter().all(is_same) && !fences(first) && !rest.iter().any(fences) {
            return;
        }
        for thread in &*rest {
            join(&mut first.known, &thread.known);
            thread
                .fences
                .iter()
                .for_each(|fence| add_release(&mut first.fences, fence.clone()));
        }
        for thread in rest {
            thread.known = Arc::clone(&first.known);
            thread.fences.clone_from(&first.fences);
        }
    }

    /// Records a barrier of some warps of a block, and joins the clocks and fence releases of their threads as
    /// [`Self::barrier`] does. `warps` contains a pair (first thread of the warp, epoch that begins with the
    /// barrier) for each warp. All accesses of the warp in earlier epochs happen before the barrier.
    pub fn barrier_of_warps(threads: &mut [ThreadClock], warps: &[(u32, u32)]) {
        Self::barrier(threads);
        let Some((first, rest)) = threads.split_first_mut() else {
            return;
        };
        let mut clock = (*first.known).clone();
        for &(warp, epoch) in warps {
            raise(&mut clock.warps, warp, epoch);
        }
        first.known = Arc::new(clock);
        for thread in rest {
            thread.known = Arc::clone(&first.known);
        }
    }

    /// Drops the releases of all atomic variables that are in a memory for which `memory(index)` returns true. This
    /// is necessary when a memory is reallocated.
    pub fn forget(&mut self, memory: impl Fn(u64) -> bool) {
        self.locations.retain(|(of, _), _| !memory(*of));
    }
}
