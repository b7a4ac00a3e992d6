//! Who touched each byte last: the record behind the data-race check.
//!
//! Two accesses of different threads to one byte, one of them a write, must be ordered: by a
//! block barrier between them, or inside a warp by a warp barrier. On a machine whose waves run
//! in lockstep (AMD) the order of instructions inside a wave is enough. Blocks are never ordered.

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

/// The record of one byte.
#[derive(Clone, Copy, Debug)]
struct Cell {
    writer: u32,
    write_op: u32,
    write_block: u32,
    write_warp: u32,
    reader: u32,
    /// Another reader than `reader`, of another warp where there is one.
    reader2: u32,
    read_op: u32,
    read_block: u32,
    read_warp: u32,
}

const UNTOUCHED: Cell = Cell {
    writer: NOBODY,
    write_op: 0,
    write_block: 0,
    write_warp: 0,
    reader: NOBODY,
    reader2: NOBODY,
    read_op: 0,
    read_block: 0,
    read_warp: 0,
};

impl Cell {
    fn is_written(&self, order: Order) -> bool {
        self.writer != NOBODY && self.write_block >= order.first_epoch
    }

    fn has_reader(&self, order: Order) -> bool {
        self.reader != NOBODY && self.read_block >= order.first_epoch
    }

    fn write_conflict(&self, now: Now, order: Order) -> Option<Conflict> {
        let clean = !self.is_written(order)
            || order.before(self.writer, self.write_block, self.write_warp, now);
        let conflict = Conflict {
            thread: self.writer,
            op: self.write_op,
            wrote: true,
        };
        (!clean).then_some(conflict)
    }

    fn read_conflict(&self, now: Now, order: Order) -> Option<Conflict> {
        if !self.has_reader(order) {
            return None;
        }
        let reader = [self.reader, self.reader2].into_iter().find(|&reader| {
            reader != NOBODY && !order.before(reader, self.read_block, self.read_warp, now)
        })?;
        Some(Conflict {
            thread: reader,
            op: self.read_op,
            wrote: false,
        })
    }

    fn note_read(&mut self, now: Now, order: Order) {
        if self.reader == now.thread
            && self.read_block == now.block_epoch
            && self.read_warp == now.warp_epoch
        {
            self.read_op = now.op;
            return;
        }
        let live = self.has_reader(order);
        let over =
            live && self.read_block < now.block_epoch && order.same_block(self.reader, now.thread);
        if !live || over {
            // All readers of this block are ordered before; one of another block stays.
            let foreign =
                live && self.reader2 != NOBODY && !order.same_block(self.reader2, now.thread);
            if !foreign {
                self.reader2 = NOBODY;
            }
            self.reader = now.thread;
            self.read_warp = now.warp_epoch;
        } else if !order.same_warp(self.reader, now.thread) {
            self.reader2 = now.thread;
        } else if self.read_warp < now.warp_epoch {
            // The warp's earlier readers are ordered before; another warp's stay.
            if self.reader2 != NOBODY && order.same_warp(self.reader2, now.thread) {
                self.reader2 = NOBODY;
            }
            self.reader = now.thread;
            self.read_warp = now.warp_epoch;
        } else if self.reader != now.thread && self.reader2 == NOBODY {
            self.reader2 = now.thread;
        }
        self.read_op = now.op;
        self.read_block = now.block_epoch;
    }

    fn note_write(&mut self, now: Now) {
        self.writer = now.thread;
        self.write_op = now.op;
        self.write_block = now.block_epoch;
        self.write_warp = now.warp_epoch;
    }
}

/// What a store found in the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// Nothing in the way.
    Clean,
    /// Another thread read the byte, unordered.
    Read(Conflict),
    /// Another thread wrote the byte, unordered; harmless if it wrote the same value.
    Written(Conflict),
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
                if !cell.is_written(order) {
                    missing = missing.or(Some(at + done + index));
                }
                conflict = conflict.or(cell.write_conflict(now, order));
                cell.note_read(now, order);
            }
            done += here;
        }
        (missing, conflict)
    }

    /// Notes a write of one byte.
    pub(super) fn write(&mut self, at: usize, now: Now, order: Order) -> Found {
        let cell = &mut self.cells(at)[0];
        let found = if let Some(conflict) = cell.read_conflict(now, order) {
            Found::Read(conflict)
        } else if let Some(conflict) = cell.write_conflict(now, order) {
            Found::Written(conflict)
        } else {
            Found::Clean
        };
        cell.note_write(now);
        found
    }

    /// Notes a write that orders itself (an atomic, or one from outside).
    pub(super) fn write_ordered(&mut self, at: usize, count: usize, now: Now) {
        for index in at..at + count {
            let cell = &mut self.cells(index)[0];
            cell.note_write(now);
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
                clean = shadow.write(3, now, ORDER) == Found::Clean;
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
}
