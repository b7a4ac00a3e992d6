//! The accesses of each byte that a later one can race with, exactly, for kernels whose threads synchronize by atomics.
//!
//! [`super::Shadow`] sums up what barriers can order: two threads stand for all. Where an atomic access orders one
//! thread of a group and not the other, and where accesses are atomic themselves, each access counts. So a piece
//! of memory keeps a list of them, of which an access removes those that it makes superfluous: whatever is
//! not ordered behind one of these is not ordered behind it either.

use super::clocks::{Clock, Clocks, Knowledge, Scope, Who};
use super::{Conflict, Now, Order};

/// Bytes per page, made when first touched.
const PAGE_LOG2: usize = 10;
/// The largest vector that a lane loads or stores.
const LARGEST_PIECE_LOG2: u32 = 4;
/// Accesses that are kept of a piece. Beyond it the oldest reads and atomic accesses are forgotten, which may miss a
/// race and never invents one.
const MOST: usize = 32;

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic load.
    AtomicRead(Scope),
    /// An atomic store, or a read-modify-write.
    AtomicWrite(Scope),
}

impl Kind {
    /// Returns whether the access changes memory.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite(_))
    }

    /// Returns the scope of an atomic access.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::AtomicRead(scope) | Self::AtomicWrite(scope) => Some(scope),
            Self::Read | Self::Write => None,
        }
    }
}

/// Lanes of one warp that made an access at one moment.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lanes: u64,
    /// The first thread of the warp.
    warp: u32,
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
    time: u32,
    kind: Kind,
    /// Another value has been written since: only a copy of that value can meet this one.
    is_replaced: bool,
    /// The lanes made the access as one.
    is_together: bool,
}

/// An access in progress, and what is ordered before it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'c> {
    now: Now,
    kind: Kind,
    time: u32,
    known: &'c Clock,
    order: Order,
}

impl<'c> Step<'c> {
    /// Returns the access of `kind` that a thread makes `now`, knowing what `thread` knows.
    pub fn new(now: Now, kind: Kind, order: Order, clocks: &Clocks, thread: &'c Knowledge) -> Self {
        Self {
            now,
            kind,
            time: clocks.time,
            known: &thread.known,
            order,
        }
    }

    /// The lanes that make the access.
    fn lanes(&self) -> u64 {
        self.now.together | 1 << (self.now.thread - self.now.warp)
    }

    /// A thread of an entry that is not ordered before this access.
    fn unordered(&self, entry: &Entry) -> Option<u32> {
        let now = self.now;
        let mut lanes = entry.lanes;
        if entry.warp == now.warp {
            let own = self.lanes();
            if entry.warp_epoch < now.warp_epoch || (entry.is_together && own & !lanes == 0) {
                return None;
            }
            // Of lanes that act together, one alone is ordered behind what it has done itself.
            if own.is_power_of_two() {
                lanes &= !own;
            }
        }
        let size = self.order.threads_per_block;
        let block = entry.warp / size * size;
        if block == now.block && entry.block_epoch < now.block_epoch {
            return None;
        }
        let known = self.known;
        if !known.is_empty() {
            if entry.block_epoch < known.block(block) || entry.warp_epoch < known.warp(entry.warp) {
                return None;
            }
            let mut rest = lanes;
            while rest != 0 {
                let thread = entry.warp + rest.trailing_zeros();
                if entry.time < known.thread(thread) {
                    lanes &= !(1 << (thread - entry.warp));
                }
                rest &= rest - 1;
            }
        }
        (lanes != 0).then(|| entry.warp + lanes.trailing_zeros())
    }

    /// Returns true if the scopes of an atomic access and of this one leave out each other's threads.
    fn is_out_of_scope(&self, scope: Scope, thread: u32, entry: &Entry) -> bool {
        let size = self.order.threads_per_block;
        let other = Who {
            thread,
            warp: entry.warp,
            block: entry.warp / size * size,
        };
        let own = self.kind.scope().unwrap_or(scope);
        !own.meets(self.now.into(), scope, other)
    }

    /// Returns true if two accesses without order are a race; copies of one value are none of these.
    fn clashes(&self, thread: u32, entry: &Entry) -> bool {
        if !self.kind.writes() && !entry.kind.writes() {
            return false;
        }
        match entry.kind.scope().filter(|_| self.kind.scope().is_some()) {
            Some(scope) => self.is_out_of_scope(scope, thread, entry),
            None => true,
        }
    }

    /// Returns true if whatever clashes with an entry that is ordered before this access clashes with it as well.
    fn replaces(&self, entry: &Entry) -> bool {
        match (self.kind, entry.kind) {
            (Kind::Write, _) | (Kind::Read, Kind::Read | Kind::AtomicRead(_)) => true,
            (Kind::AtomicRead(own), Kind::AtomicRead(scope))
            | (Kind::AtomicWrite(own), Kind::AtomicRead(scope) | Kind::AtomicWrite(scope)) => {
                // Which scopes meet depends on the warp.
                own <= scope && entry.warp == self.now.warp
            }
            _ => false,
        }
    }

    fn entry(&self) -> Entry {
        Entry {
            lanes: self.lanes(),
            warp: self.now.warp,
            op: self.now.op,
            block_epoch: self.now.block_epoch,
            warp_epoch: self.now.warp_epoch,
            time: self.time,
            kind: self.kind,
            is_replaced: false,
            is_together: self.now.together != 0,
        }
    }
}

/// The other side of a race, and how it accessed memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clash {
    /// The other access.
    pub conflict: Conflict,
    /// Its kind.
    pub kind: Kind,
}

/// The findings about an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// The first byte that was never written.
    pub missing: Option<usize>,
    /// Bytes that another thread stored with the same value, unordered.
    pub redundant: u64,
    /// The first race.
    pub clash: Option<Clash>,
}

/// The accesses of one piece.
type Piece = Vec<Entry>;

#[derive(Clone, Debug)]
struct Page {
    piece_log2: u32,
    pieces: Vec<Piece>,
}

impl Page {
    fn new(piece_log2: u32) -> Self {
        Self {
            piece_log2,
            pieces: vec![Piece::new(); 1 << (PAGE_LOG2 - piece_log2 as usize)],
        }
    }

    fn split(&mut self, piece_log2: u32) {
        if piece_log2 < self.piece_log2 {
            let copies = 1 << (self.piece_log2 - piece_log2);
            let old = std::mem::take(&mut self.pieces).into_iter();
            self.pieces = old
                .flat_map(|piece| std::iter::repeat_n(piece, copies))
                .collect();
            self.piece_log2 = piece_log2;
        }
    }
}

/// The first clash, and whether copies of the same value were stored without order.
fn judge(piece: &Piece, is_same: bool, step: &Step<'_>) -> (Option<Clash>, bool) {
    let mut clash = None;
    let mut is_copy = false;
    let found = |thread: u32, entry: &Entry| Clash {
        conflict: Conflict {
            thread,
            op: entry.op,
            wrote: entry.kind.writes(),
        },
        kind: entry.kind,
    };
    for entry in piece.iter().filter(|entry| !entry.is_replaced) {
        let Some(thread) = step.unordered(entry) else {
            continue;
        };
        if is_same && (step.kind, entry.kind) == (Kind::Write, Kind::Write) {
            is_copy = true;
        } else if step.clashes(thread, entry) {
            clash = clash.or(Some(found(thread, entry)));
        }
    }
    if is_copy && clash.is_none() {
        // A copy can also land before what the first copy replaced.
        let mut replaced = piece.iter().filter(|entry| entry.is_replaced);
        clash = replaced.find_map(|entry| Some(found(step.unordered(entry)?, entry)));
    }
    (clash, is_copy)
}

fn add(piece: &mut Piece, is_same: bool, step: &Step<'_>) {
    let is_new = step.kind.writes() && !is_same;
    piece.retain_mut(|entry| {
        if entry.is_replaced {
            return !is_new;
        }
        if step.kind == Kind::Write && is_new && entry.kind.writes() {
            entry.is_replaced = true;
            return true;
        }
        same_moment(entry, step) || !step.replaces(entry) || step.unordered(entry).is_some()
    });
    if let Some(entry) = piece
        .iter_mut()
        .find(|entry| !entry.is_replaced && same_moment(entry, step))
    {
        entry.lanes |= step.lanes();
        return;
    }
    if piece.len() >= MOST {
        let dispensable = |entry: &Entry| entry.is_replaced || entry.kind != Kind::Write;
        piece.remove(piece.iter().position(dispensable).unwrap_or(0));
    }
    piece.push(step.entry());
}

fn same_moment(entry: &Entry, step: &Step<'_>) -> bool {
    entry.warp == step.now.warp
        && entry.op == step.now.op
        && entry.kind == step.kind
        && entry.block_epoch == step.now.block_epoch
        && entry.warp_epoch == step.now.warp_epoch
        && entry.time == step.time
        && !entry.is_together
        && step.now.together == 0
}

/// The accesses of one piece of memory.
#[derive(Clone, Debug, Default)]
pub struct History {
    pages: Vec<Option<Box<Page>>>,
}

impl History {
    /// Forgets all accesses.
    pub fn clear(&mut self) {
        self.pages.clear();
    }

    /// Notes an access; `changes` says of each byte whether a write changes it. `others` is the same access as lanes see
    /// it that make it together with the first one and do not know the same.
    pub fn access(
        &mut self,
        at: usize,
        count: usize,
        changes: u64,
        step: &Step<'_>,
        others: &[Step<'_>],
    ) -> Findings {
        let mut findings = Findings::default();
        let mut done = 0;
        while done < count {
            let number = (at + done) >> PAGE_LOG2;
            let from = (at + done) & ((1 << PAGE_LOG2) - 1);
            let here = (count - done).min((1 << PAGE_LOG2) - from);
            let log2 = (from | here).trailing_zeros().min(LARGEST_PIECE_LOG2);
            if number >= self.pages.len() {
                self.pages.resize(number + 1, None);
            }
            let page = self.pages[number].get_or_insert_with(|| Box::new(Page::new(log2)));
            page.split(log2);
            let is_partial = |bits: u64, bytes: usize| bits != 0 && bits != (1 << bytes) - 1;
            let bits = |byte: usize, bytes: usize| changes >> byte & ((1 << bytes) - 1);
            let bytes = 1 << page.piece_log2;
            if step.kind == Kind::Write
                && (done..done + here)
                    .step_by(bytes)
                    .any(|byte| is_partial(bits(byte, bytes), bytes))
            {
                // Where a piece keeps some of its bytes, each byte has a history of its own.
                page.split(0);
            }
            let bytes = 1 << page.piece_log2;
            for byte in (0..here).step_by(bytes) {
                let piece = &mut page.pieces[(from + byte) >> page.piece_log2];
                let is_same = step.kind == Kind::Write && bits(done + byte, bytes) == 0;
                if findings.missing.is_none() && !piece.iter().any(|entry| entry.kind.writes()) {
                    findings.missing = Some(at + done + byte);
                }
                let (clash, is_copy) = judge(piece, is_same, step);
                findings.clash = findings.clash.or(clash);
                for other in others {
                    findings.clash = findings.clash.or(judge(piece, is_same, other).0);
                }
                findings.redundant += if is_copy { bytes as u64 } else { 0 };
                add(piece, is_same, step);
            }
            done += here;
        }
        findings
    }
}

#[cfg(test)]
mod tests;
