//! Access histories: exact race detection for kernels that synchronise by atomics.
//!
//! [`super::Shadow`] keeps two representative threads per access group, which is exact if only barriers order threads.
//! An atomic access may order one thread of a group but not another thread. Therefore each granule has a list of all
//! its accesses. A new access removes an older one if any later access that races with the older access also races with
//! the new access.

use super::clocks::{Clock, Clocks, Scope, ThreadClock, ThreadId};
use super::{Conflict, ExecutionPoint, OrderRules};

/// log2 of the page size in bytes. A page is allocated at the first access to one of its bytes.
const PAGE_LOG2: usize = 10;
/// log2 of the largest granule size in bytes, which is the size of the largest vector that a lane loads or stores.
const LARGEST_GRANULE_LOG2: u32 = 4;
/// Maximum number of access records per granule. If a granule is full, a new record replaces the oldest dispensable
/// record. A record is dispensable if it is not a plain store, or if a later store has replaced its value. If no
/// record is dispensable, the new record replaces the oldest one. Dropping a record can hide a race, but never
/// causes a false report.
const MAX_RECORDS: usize = 32;

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// A non-atomic load.
    Read,
    /// A non-atomic store.
    Write,
    /// An atomic load.
    AtomicRead(Scope),
    /// An atomic store or a read-modify-write.
    AtomicWrite(Scope),
}

impl AccessKind {
    /// Returns true for stores and read-modify-writes.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite(_))
    }

    /// Returns the scope of an atomic access; `None` for a non-atomic access.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::AtomicRead(scope) | Self::AtomicWrite(scope) => Some(scope),
            Self::Read | Self::Write => None,
        }
    }
}

/// The record of an access that one or more lanes of a warp made at one point of execution.
#[derive(Clone, Copy, Debug)]
struct AccessRecord {
    lanes: u64,
    /// Index of the first thread of the warp.
    warp: u32,
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
    time: u32,
    kind: AccessKind,
    /// True if a later store has replaced the value that this store wrote. The record is then compared only with
    /// stores that write the new value once more.
    is_replaced: bool,
    is_joint: bool,
}

/// An access that is to be checked against a [`History`], together with the clock of the accessing thread.
#[derive(Clone, Copy, Debug)]
pub struct HistoryAccess<'c> {
    now: ExecutionPoint,
    kind: AccessKind,
    time: u32,
    known: &'c Clock,
    order: OrderRules,
}

impl<'c> HistoryAccess<'c> {
    /// Creates an access at the point `now`. `thread` is the clock of the accessing thread.
    pub fn new(
        now: ExecutionPoint,
        kind: AccessKind,
        order: OrderRules,
        clocks: &Clocks,
        thread: &'c ThreadClock,
    ) -> Self {
        Self {
            now,
            kind,
            time: clocks.time,
            known: &thread.known,
            order,
        }
    }

    fn lanes(&self) -> u64 {
        self.now.joint_lanes | 1 << (self.now.thread - self.now.warp)
    }

    /// Returns a thread whose access in `record` is not ordered before this access, or `None` if there is no such
    /// thread.
    fn unordered(&self, record: &AccessRecord) -> Option<u32> {
        let now = self.now;
        let mut lanes = record.lanes;
        if record.warp == now.warp {
            let own = self.lanes();
            if record.warp_epoch < now.warp_epoch || (record.is_joint && own & !lanes == 0) {
                return None;
            }
            // A lane that acts alone is ordered after the joint access in which it took part.
            if own.is_power_of_two() {
                lanes &= !own;
            }
        }
        let size = self.order.threads_per_block;
        let block = record.warp / size * size;
        if block == now.block && record.block_epoch < now.block_epoch {
            return None;
        }
        let known = self.known;
        if !known.is_empty() {
            if record.block_epoch < known.block(block)
                || record.warp_epoch < known.warp(record.warp)
            {
                return None;
            }
            let mut rest = lanes;
            while rest != 0 {
                let thread = record.warp + rest.trailing_zeros();
                if record.time < known.thread(thread) {
                    lanes &= !(1 << (thread - record.warp));
                }
                rest &= rest - 1;
            }
        }
        (lanes != 0).then(|| record.warp + lanes.trailing_zeros())
    }

    /// Returns true if the scope of this access does not include `thread`, or if the scope of the access of
    /// `thread` in `record` does not include the thread of this access. `scope` is the scope of the access in
    /// `record`. If this access is not atomic, it is treated as if it had this scope too.
    fn is_out_of_scope(&self, scope: Scope, thread: u32, record: &AccessRecord) -> bool {
        let size = self.order.threads_per_block;
        let other = ThreadId {
            thread,
            warp: record.warp,
            block: record.warp / size * size,
        };
        let own = self.kind.scope().unwrap_or(scope);
        !own.is_mutual(self.now.into(), scope, other)
    }

    /// Returns true if this access races with the access of `thread` in `record`. The two accesses must be
    /// unordered. The caller must exempt stores of equal values, which do not race.
    fn races_with(&self, thread: u32, record: &AccessRecord) -> bool {
        if !self.kind.writes() && !record.kind.writes() {
            return false;
        }
        match record.kind.scope().filter(|_| self.kind.scope().is_some()) {
            Some(scope) => self.is_out_of_scope(scope, thread, record),
            None => true,
        }
    }

    /// Returns true if every later access that races with `record` also races with this access, so that `record` is
    /// no longer necessary. `record` must be ordered before this access.
    fn supersedes(&self, record: &AccessRecord) -> bool {
        match (self.kind, record.kind) {
            (AccessKind::Write, _)
            | (AccessKind::Read, AccessKind::Read | AccessKind::AtomicRead(_)) => true,
            (AccessKind::AtomicRead(own), AccessKind::AtomicRead(scope))
            | (
                AccessKind::AtomicWrite(own),
                AccessKind::AtomicRead(scope) | AccessKind::AtomicWrite(scope),
            ) => {
                // The threads that a scope includes depend on the warp.
                own <= scope && record.warp == self.now.warp
            }
            _ => false,
        }
    }

    fn record(&self) -> AccessRecord {
        AccessRecord {
            lanes: self.lanes(),
            warp: self.now.warp,
            op: self.now.op,
            block_epoch: self.now.block_epoch,
            warp_epoch: self.now.warp_epoch,
            time: self.time,
            kind: self.kind,
            is_replaced: false,
            is_joint: self.now.joint_lanes != 0,
        }
    }
}

/// The earlier one of two accesses that race. The later one is the access being checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The thread and the instruction of the earlier access.
    pub conflict: Conflict,
    /// The kind of the earlier access.
    pub kind: AccessKind,
}

/// The result of checking one access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Offset, from the start of the memory, of the first byte of this access that no earlier access has written;
    /// `None` if there is no such byte. It is set both for a read and for a write.
    pub missing: Option<usize>,
    /// Number of bytes to which this access stores a value that an unordered store of another thread had already
    /// stored.
    pub redundant: u64,
    /// The first race that the check has found, if any.
    pub race: Option<Race>,
}

type Granule = Vec<AccessRecord>;

#[derive(Clone, Debug)]
struct HistoryPage {
    granule_log2: u32,
    granules: Vec<Granule>,
}

impl HistoryPage {
    fn new(granule_log2: u32) -> Self {
        Self {
            granule_log2,
            granules: vec![Granule::new(); 1 << (PAGE_LOG2 - granule_log2 as usize)],
        }
    }

    fn split(&mut self, granule_log2: u32) {
        if granule_log2 < self.granule_log2 {
            let copies = 1 << (self.granule_log2 - granule_log2);
            let old = std::mem::take(&mut self.granules).into_iter();
            self.granules = old
                .flat_map(|granule| std::iter::repeat_n(granule, copies))
                .collect();
            self.granule_log2 = granule_log2;
        }
    }
}

/// Checks the access `step` against the records of `granule`. Returns the first race, if there is one, and a flag.
/// The flag is true if `step` stores the same value as an earlier store of another thread that is not ordered
/// before `step`. `is_same` is true if `step` leaves the stored value unchanged.
fn find_races(granule: &Granule, is_same: bool, step: &HistoryAccess<'_>) -> (Option<Race>, bool) {
    let mut race = None;
    let mut is_copy = false;
    let found = |thread: u32, record: &AccessRecord| Race {
        conflict: Conflict {
            thread,
            op: record.op,
            wrote: record.kind.writes(),
        },
        kind: record.kind,
    };
    for record in granule.iter().filter(|record| !record.is_replaced) {
        let Some(thread) = step.unordered(record) else {
            continue;
        };
        if is_same && (step.kind, record.kind) == (AccessKind::Write, AccessKind::Write) {
            is_copy = true;
        } else if step.races_with(thread, record) {
            race = race.or(Some(found(thread, record)));
        }
    }
    if is_copy && race.is_none() {
        // A repeated store must also be ordered after the stores of the previous value.
        let mut replaced = granule.iter().filter(|record| record.is_replaced);
        race = replaced.find_map(|record| Some(found(step.unordered(record)?, record)));
    }
    (race, is_copy)
}

fn add(granule: &mut Granule, is_same: bool, step: &HistoryAccess<'_>) {
    let is_new = step.kind.writes() && !is_same;
    granule.retain_mut(|record| {
        if record.is_replaced {
            return !is_new;
        }
        if step.kind == AccessKind::Write && is_new && record.kind.writes() {
            record.is_replaced = true;
            return true;
        }
        is_same_moment(record, step) || !step.supersedes(record) || step.unordered(record).is_some()
    });
    if let Some(record) = granule
        .iter_mut()
        .find(|record| !record.is_replaced && is_same_moment(record, step))
    {
        record.lanes |= step.lanes();
        return;
    }
    if granule.len() >= MAX_RECORDS {
        let is_dispensable =
            |record: &AccessRecord| record.is_replaced || record.kind != AccessKind::Write;
        granule.remove(granule.iter().position(is_dispensable).unwrap_or(0));
    }
    granule.push(step.record());
}

fn is_same_moment(record: &AccessRecord, step: &HistoryAccess<'_>) -> bool {
    record.warp == step.now.warp
        && record.op == step.now.op
        && record.kind == step.kind
        && record.block_epoch == step.now.block_epoch
        && record.warp_epoch == step.now.warp_epoch
        && record.time == step.time
        && !record.is_joint
        && step.now.joint_lanes == 0
}

/// The access histories of one memory.
#[derive(Clone, Debug, Default)]
pub struct History {
    pages: Vec<Option<Box<HistoryPage>>>,
}

impl History {
    /// Drops all records.
    pub fn clear(&mut self) {
        self.pages.clear();
    }

    /// Checks the access `step` to the bytes `at..at + count`, and records it. If `step` is a write, bit `i` of
    /// `changes` is set if the write changes the byte at `at + i`. If several lanes of a warp make the access
    /// together (a joint access), `others` contains the accesses of those lanes whose clocks differ from the clock
    /// of `step`.
    pub fn access(
        &mut self,
        at: usize,
        count: usize,
        changes: u64,
        step: &HistoryAccess<'_>,
        others: &[HistoryAccess<'_>],
    ) -> Findings {
        let mut findings = Findings::default();
        let mut done = 0;
        while done < count {
            let number = (at + done) >> PAGE_LOG2;
            let from = (at + done) & ((1 << PAGE_LOG2) - 1);
            let here = (count - done).min((1 << PAGE_LOG2) - from);
            let log2 = (from | here).trailing_zeros().min(LARGEST_GRANULE_LOG2);
            if number >= self.pages.len() {
                self.pages.resize(number + 1, None);
            }
            let page = self.pages[number].get_or_insert_with(|| Box::new(HistoryPage::new(log2)));
            page.split(log2);
            let is_partial = |bits: u64, bytes: usize| bits != 0 && bits != (1 << bytes) - 1;
            let bits = |byte: usize, bytes: usize| changes >> byte & ((1 << bytes) - 1);
            let bytes = 1 << page.granule_log2;
            if step.kind == AccessKind::Write
                && (done..done + here)
                    .step_by(bytes)
                    .any(|byte| is_partial(bits(byte, bytes), bytes))
            {
                // The bytes of a partially changed granule need separate histories.
                page.split(0);
            }
            let bytes = 1 << page.granule_log2;
            for byte in (0..here).step_by(bytes) {
                let granule = &mut page.granules[(from + byte) >> page.granule_log2];
                let is_same = step.kind == AccessKind::Write && bits(done + byte, bytes) == 0;
                if findings.missing.is_none() && !granule.iter().any(|record| record.kind.writes())
                {
                    findings.missing = Some(at + done + byte);
                }
                let (race, is_copy) = find_races(granule, is_same, step);
                findings.race = findings.race.or(race);
                for other in others {
                    findings.race = findings.race.or(find_races(granule, is_same, other).0);
                }
                findings.redundant += if is_copy { bytes as u64 } else { 0 };
                add(granule, is_same, step);
            }
            done += here;
        }
        findings
    }
}

#[cfg(test)]
mod tests;
