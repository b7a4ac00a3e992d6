//! Who touched each byte last: the record behind the data-race check of plans and of kernels.
//!
//! Two accesses of different threads to one byte, one of them a write, must be ordered: by a
//! block barrier between them, or inside a warp by a warp barrier. On a machine whose waves run
//! in lockstep (AMD) the order of instructions inside a wave is enough. Blocks are never ordered.
//!
//! Copies of one value may be stored by several threads without order, since the byte is the same whoever is
//! last. They must be ordered against everything else: a reader that knows of one copy only meets the other
//! ones later, perhaps after the byte has been used again (`tools/docs/adr/0006-copies-wait-for-the-block.md`).

/// Bytes per lazily made page of records.
const PAGE_LOG2: usize = 10;
const NOBODY: u32 = u32::MAX;

/// The moment of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    /// Thread within the whole grid.
    pub(super) thread: u32,
    /// Index of the instruction.
    pub(super) op: u32,
    /// Number of block barriers so far, over all blocks.
    pub(super) block_epoch: u32,
    /// Number of orderings inside the thread's warp so far.
    pub(super) warp_epoch: u32,
}

/// How threads group into warps and blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) threads_per_block: u32,
    pub(super) lanes_per_warp: u32,
    /// Records of epochs before this one are void (shared memory of an earlier block).
    pub(super) first_epoch: u32,
}

impl Order {
    fn same_block(self, a: u32, b: u32) -> bool {
        a / self.threads_per_block == b / self.threads_per_block
    }

    fn same_warp(self, a: u32, b: u32) -> bool {
        self.same_block(a, b)
            && a % self.threads_per_block / self.lanes_per_warp
                == b % self.threads_per_block / self.lanes_per_warp
    }

    /// Whether an access by `thread` at the given epochs comes before `now` for sure.
    fn before(self, thread: u32, block_epoch: u32, warp_epoch: u32, now: Now) -> bool {
        if thread == now.thread {
            return true;
        }
        if !self.same_block(thread, now.thread) {
            return false;
        }
        block_epoch < now.block_epoch
            || (warp_epoch < now.warp_epoch && self.same_warp(thread, now.thread))
    }
}

/// The other side of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    pub(super) thread: u32,
    pub(super) op: u32,
    pub(super) wrote: bool,
}

/// Threads that touched a cell, as far as the check must know them.
///
/// Two of them stand for all: where several warps took part, the two are of different warps, so a thread of
/// any warp meets one that is not of its own.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u32,
    /// Another thread than `first`, of another warp where there is one.
    second: u32,
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
}

const NO_GROUP: Group = Group {
    first: NOBODY,
    second: NOBODY,
    op: 0,
    block_epoch: 0,
    warp_epoch: 0,
};

impl Group {
    fn only(now: Now) -> Self {
        Self {
            first: now.thread,
            second: NOBODY,
            op: now.op,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
        }
    }

    fn is_live(&self, order: Order) -> bool {
        self.first != NOBODY && self.block_epoch >= order.first_epoch
    }

    /// A thread of the group that is not ordered before `now`.
    fn unordered(&self, now: Now, order: Order) -> Option<(u32, u32)> {
        if !self.is_live(order) {
            return None;
        }
        let thread = [self.first, self.second].into_iter().find(|&thread| {
            thread != NOBODY && !order.before(thread, self.block_epoch, self.warp_epoch, now)
        })?;
        Some((thread, self.op))
    }

    fn add(&mut self, now: Now, order: Order) {
        if self.first == now.thread
            && self.block_epoch == now.block_epoch
            && self.warp_epoch == now.warp_epoch
        {
            self.op = now.op;
            return;
        }
        let live = self.is_live(order);
        let over =
            live && self.block_epoch < now.block_epoch && order.same_block(self.first, now.thread);
        if !live || over {
            // All threads of this block are ordered before; one of another block stays.
            let foreign =
                live && self.second != NOBODY && !order.same_block(self.second, now.thread);
            if !foreign {
                self.second = NOBODY;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
        } else if !order.same_warp(self.first, now.thread) {
            self.second = now.thread;
        } else if self.warp_epoch < now.warp_epoch {
            // The warp's earlier threads are ordered before; another warp's stay.
            if self.second != NOBODY && order.same_warp(self.second, now.thread) {
                self.second = NOBODY;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
        } else if self.first != now.thread && self.second == NOBODY {
            self.second = now.thread;
        }
        self.op = now.op;
        self.block_epoch = now.block_epoch;
    }
}

/// The record of one byte, or of one element's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Those who wrote the value that is there now.
    writers: Group,
    /// Those who wrote the value before it.
    before: Group,
    readers: Group,
}

pub(super) const UNTOUCHED: Cell = Cell {
    writers: NO_GROUP,
    before: NO_GROUP,
    readers: NO_GROUP,
};

impl Cell {
    /// Notes a read; says whether anybody wrote before, and the first conflict.
    pub(super) fn read(&mut self, now: Now, order: Order) -> (bool, Option<Conflict>) {
        let conflict = conflict(&self.writers, now, order, true);
        self.readers.add(now, order);
        (self.writers.is_live(order), conflict)
    }

    /// Notes a write; `same` says that the value is there already.
    pub(super) fn write(&mut self, same: bool, now: Now, order: Order) -> Found {
        let read = conflict(&self.readers, now, order, false);
        let written = conflict(&self.writers, now, order, true);
        let same = same && self.writers.is_live(order);
        // A copy can also land before what the first copy replaced.
        let replaced = same.then(|| conflict(&self.before, now, order, true));
        let found = match (read, written, replaced) {
            (Some(conflict), ..) | (None, _, Some(Some(conflict))) => Found::Conflict(conflict),
            (None, Some(_), Some(None)) => Found::Redundant,
            (None, Some(conflict), None) => Found::Conflict(conflict),
            (None, None, _) => Found::Clean,
        };
        if same {
            self.writers.add(now, order);
        } else {
            self.before = self.writers;
            self.writers = Group::only(now);
        }
        found
    }

    /// Notes a write that orders itself (an atomic, or one from outside).
    pub(super) fn write_ordered(&mut self, now: Now) {
        self.before = NO_GROUP;
        self.writers = Group::only(now);
    }
}

fn conflict(group: &Group, now: Now, order: Order, wrote: bool) -> Option<Conflict> {
    let (thread, op) = group.unordered(now, order)?;
    Some(Conflict { thread, op, wrote })
}

/// What a store found in the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// Nothing in the way.
    Clean,
    /// Another thread stored the same value, unordered, and nobody has read it.
    Redundant,
    /// Another thread's access, unordered.
    Conflict(Conflict),
}

/// The records of one piece of memory, made page by page when first touched.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    pages: Vec<Option<Box<[Cell]>>>,
}

impl Shadow {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            pages: vec![None; bytes.div_ceil(1 << PAGE_LOG2)],
        }
    }

    pub(super) fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| *page = None);
    }

    fn cells(&mut self, at: usize) -> &mut [Cell] {
        let page = self.pages[at >> PAGE_LOG2]
            .get_or_insert_with(|| vec![UNTOUCHED; 1 << PAGE_LOG2].into_boxed_slice());
        &mut page[at & ((1 << PAGE_LOG2) - 1)..]
    }

    /// Notes a read of `count` bytes; says the first byte nobody wrote and the first conflict.
    pub(super) fn read(
        &mut self,
        at: usize,
        count: usize,
        now: Now,
        order: Order,
    ) -> (Option<usize>, Option<Conflict>) {
        let mut missing = None;
        let mut conflict = None;
        let mut done = 0;
        while done < count {
            let cells = self.cells(at + done);
            let here = cells.len().min(count - done);
            for (index, cell) in cells[..here].iter_mut().enumerate() {
                let (written, meets) = cell.read(now, order);
                if !written {
                    missing = missing.or(Some(at + done + index));
                }
                conflict = conflict.or(meets);
            }
            done += here;
        }
        (missing, conflict)
    }

    /// Notes a write of one byte; `same` says that it holds this value already.
    pub(super) fn write(&mut self, at: usize, same: bool, now: Now, order: Order) -> Found {
        self.cells(at)[0].write(same, now, order)
    }

    /// Notes a write that orders itself (an atomic, or one from outside).
    pub(super) fn write_ordered(&mut self, at: usize, count: usize, now: Now) {
        for index in at..at + count {
            self.cells(index)[0].write_ordered(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: Order = Order {
        threads_per_block: 64,
        lanes_per_warp: 32,
        first_epoch: 1,
    };

    fn now(thread: u32, block_epoch: u32, warp_epoch: u32) -> Now {
        Now {
            thread,
            op: 0,
            block_epoch,
            warp_epoch,
        }
    }

    #[track_caller]
    fn check_write(steps: &[(char, Now)], expect_clean: bool) {
        let mut shadow = Shadow::new(16);
        let mut clean = true;
        for &(kind, now) in steps {
            if kind == 'w' {
                clean = shadow.write(3, false, now, ORDER) == Found::Clean;
            } else {
                clean = shadow.read(3, 1, now, ORDER).1.is_none();
            }
        }
        assert_eq!(clean, expect_clean);
    }

    #[test]
    fn order_comes_from_barriers_only() {
        check_write(&[('w', now(0, 1, 0)), ('r', now(0, 1, 0))], true);
        check_write(&[('w', now(0, 1, 0)), ('r', now(1, 1, 0))], false);
        check_write(&[('w', now(0, 1, 0)), ('r', now(1, 1, 1))], true);
        check_write(&[('w', now(0, 1, 0)), ('r', now(40, 1, 1))], false);
        check_write(&[('w', now(0, 1, 0)), ('r', now(40, 2, 1))], true);
        check_write(&[('w', now(0, 1, 0)), ('r', now(64, 2, 1))], false);
    }

    #[test]
    fn a_write_sees_every_reader() {
        let readers = [
            ('r', now(0, 1, 0)),
            ('r', now(1, 1, 0)),
            ('r', now(33, 1, 0)),
        ];
        for writer in [0, 1, 2, 33, 34] {
            let mut steps = readers.to_vec();
            steps.push(('w', now(writer, 1, 0)));
            check_write(&steps, false);
            // A warp barrier does not order the other warp's reads.
            steps.pop();
            steps.push(('w', now(writer, 1, 1)));
            check_write(&steps, false);
            steps.pop();
            steps.push(('w', now(writer, 2, 0)));
            check_write(&steps, true);
        }
        check_write(&[('r', now(0, 1, 0)), ('w', now(0, 1, 0))], true);
        check_write(
            &[
                ('r', now(0, 1, 0)),
                ('r', now(64, 2, 0)),
                ('w', now(64, 2, 0)),
            ],
            false,
        );
        let again = [
            ('r', now(0, 1, 0)),
            ('r', now(1, 1, 0)),
            ('r', now(0, 1, 1)),
        ];
        check_write(&[&again[..], &[('w', now(0, 1, 1))]].concat(), true);
        let other = [
            ('r', now(0, 1, 0)),
            ('r', now(40, 1, 0)),
            ('r', now(0, 1, 1)),
        ];
        check_write(&[&other[..], &[('w', now(0, 1, 1))]].concat(), false);
    }

    #[test]
    fn readers_before_a_barrier_are_forgotten() {
        let (before, after) = (('r', now(0, 1, 0)), ('r', now(40, 2, 0)));
        check_write(&[before, after, ('w', now(40, 2, 0))], true);
        check_write(&[before, after, ('w', now(0, 2, 0))], false);
        // The same within a warp: who read after its barrier is not ordered before its next write.
        let (before, after) = (('r', now(0, 1, 0)), ('r', now(1, 1, 1)));
        check_write(&[before, after, ('w', now(1, 1, 1))], true);
        check_write(&[before, after, ('w', now(2, 1, 1))], false);
    }

    #[test]
    fn copies_are_harmless_until_somebody_reads_or_replaces() {
        let write = |shadow: &mut Shadow, same, now| shadow.write(3, same, now, ORDER);
        let three = |shadow: &mut Shadow| {
            assert_eq!(write(shadow, false, now(0, 1, 0)), Found::Clean);
            assert_eq!(write(shadow, true, now(1, 1, 0)), Found::Redundant);
            assert_eq!(write(shadow, true, now(32, 1, 0)), Found::Redundant);
        };
        // Whoever comes next and is ordered after one copy only, meets the other.
        for (thread, block, warp, clean) in [(32, 1, 1, false), (0, 1, 1, false), (0, 2, 0, true)] {
            let mut shadow = Shadow::new(16);
            three(&mut shadow);
            let found = write(&mut shadow, false, now(thread, block, warp));
            assert_eq!(found == Found::Clean, clean, "{thread}");
            let mut shadow = Shadow::new(16);
            three(&mut shadow);
            let (_, conflict) = shadow.read(3, 1, now(thread, block, warp), ORDER);
            assert_eq!(conflict.is_none(), clean, "{thread}");
        }
        // A copy that comes after another warp has read the first one.
        let mut shadow = Shadow::new(16);
        write(&mut shadow, false, now(0, 1, 0));
        assert!(shadow.read(3, 1, now(1, 1, 1), ORDER).1.is_none());
        assert!(matches!(
            write(&mut shadow, true, now(32, 1, 0)),
            Found::Conflict(Conflict { thread: 1, .. })
        ));
        // A copy that may land before the value that the first one replaced.
        let mut shadow = Shadow::new(16);
        write(&mut shadow, false, now(0, 1, 0));
        assert_eq!(write(&mut shadow, false, now(0, 1, 1)), Found::Clean);
        assert!(matches!(
            write(&mut shadow, true, now(32, 1, 0)),
            Found::Conflict(Conflict { thread: 0, .. })
        ));
    }
}
