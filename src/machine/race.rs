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
    /// The first thread of its block, and of its warp.
    pub(super) block: u32,
    pub(super) warp: u32,
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
    /// Whether a thread is of the block in which the access happens.
    fn same_block(self, thread: u32, now: Now) -> bool {
        thread.wrapping_sub(now.block) < self.threads_per_block
    }

    /// Whether a thread is of the warp in which the access happens; the last one of a block may have fewer lanes.
    fn same_warp(self, thread: u32, now: Now) -> bool {
        thread.wrapping_sub(now.warp) < self.lanes_per_warp && self.same_block(thread, now)
    }

    /// Whether an access by `thread` at the given epochs comes before `now` for sure.
    fn before(self, thread: u32, block_epoch: u32, warp_epoch: u32, now: Now) -> bool {
        thread == now.thread
            || (block_epoch < now.block_epoch && self.same_block(thread, now))
            || (warp_epoch < now.warp_epoch && self.same_warp(thread, now))
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
        let over = live && self.block_epoch < now.block_epoch && order.same_block(self.first, now);
        if !live || over {
            // All threads of this block are ordered before; one of another block stays.
            let foreign = live && self.second != NOBODY && !order.same_block(self.second, now);
            if !foreign {
                self.second = NOBODY;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
        } else if !order.same_warp(self.first, now) {
            self.second = now.thread;
        } else if self.warp_epoch < now.warp_epoch {
            // The warp's earlier threads are ordered before; another warp's stay.
            if self.second != NOBODY && order.same_warp(self.second, now) {
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
    pages: Vec<Option<Page>>,
}

/// The records of a page: one for each piece of so many bytes, which have only been accessed together.
///
/// ```text
/// pieces of 4 bytes:   ld.b32 at 8   one record is looked at
///                      st.b16 at 8   from here on each piece has 2 bytes, and what was known of the whole
/// ```
#[derive(Clone, Debug)]
struct Page {
    piece_log2: u32,
    cells: Box<[Cell]>,
}

/// Accesses have at most 8 bytes.
const LARGEST_PIECE_LOG2: u32 = 3;

impl Page {
    fn new(piece_log2: u32) -> Self {
        Self {
            piece_log2,
            cells: vec![UNTOUCHED; 1 << (PAGE_LOG2 - piece_log2 as usize)].into_boxed_slice(),
        }
    }

    /// Makes the pieces as small as an access asks for.
    fn split(&mut self, piece_log2: u32) {
        if piece_log2 < self.piece_log2 {
            let copies = 1 << (self.piece_log2 - piece_log2);
            let cells = self.cells.iter();
            self.cells = cells.flat_map(|cell| vec![*cell; copies]).collect();
            self.piece_log2 = piece_log2;
        }
    }

    /// The records of bytes of the page.
    fn cells(&mut self, from: usize, count: usize) -> &mut [Cell] {
        let log2 = self.piece_log2;
        &mut self.cells[from >> log2..(from + count) >> log2]
    }

    /// For each byte of the page a bit: who was written, and who was touched at all.
    fn uses(&self) -> [[u64; 1 << (PAGE_LOG2 - 6)]; 2] {
        let mut uses = [[0; 1 << (PAGE_LOG2 - 6)]; 2];
        let piece = 1 << self.piece_log2;
        for (i, cell) in self.cells.iter().enumerate() {
            let is_written = cell.writers.first != NOBODY;
            let is_touched = is_written || cell.readers.first != NOBODY;
            let bits = (1u64 << piece) - 1;
            let at = i << self.piece_log2;
            for (uses, holds) in uses.iter_mut().zip([is_written, is_touched]) {
                if holds {
                    uses[at / 64] |= bits << (at % 64);
                }
            }
        }
        uses
    }
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

    /// The page of an access that lies in one, its first byte there, and how many bytes it has there.
    fn page(&mut self, at: usize, count: usize) -> (&mut Page, usize, usize) {
        let from = at & ((1 << PAGE_LOG2) - 1);
        let here = count.min((1 << PAGE_LOG2) - from);
        let piece = (from | here).trailing_zeros().min(LARGEST_PIECE_LOG2);
        let page = self.pages[at >> PAGE_LOG2].get_or_insert_with(|| Page::new(piece));
        page.split(piece);
        (page, from, here)
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
            let (page, from, here) = self.page(at + done, count - done);
            let log2 = page.piece_log2;
            for (index, cell) in page.cells(from, here).iter_mut().enumerate() {
                let (written, meets) = cell.read(now, order);
                if !written {
                    missing = missing.or(Some(at + done + (index << log2)));
                }
                conflict = conflict.or(meets);
            }
            done += here;
        }
        (missing, conflict)
    }

    /// Notes a write of at most 8 bytes over others, least significant first; says how many were there already by
    /// another thread's unordered write, and the first conflict.
    pub(super) fn write(
        &mut self,
        at: usize,
        count: usize,
        [old, new]: [u64; 2],
        now: Now,
        order: Order,
    ) -> (u64, Option<Conflict>) {
        let (mut redundant, mut conflict) = (0, None);
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            let changes = |piece: usize, i: usize| {
                let bits = (old ^ new) >> (8 * (done + i * piece));
                bits & (u64::MAX >> (64 - 8 * piece))
            };
            let piece = 1 << page.piece_log2;
            // Where a piece keeps some of its bytes, each byte has a history of its own.
            let is_mixed = |(i, cell): (usize, &Cell)| {
                let bits = changes(piece, i);
                let is_kept = |byte: usize| bits >> (8 * byte) & 0xff == 0;
                bits != 0 && (0..piece).any(is_kept) && cell.writers.is_live(order)
            };
            if piece > 1 && page.cells(from, here).iter().enumerate().any(is_mixed) {
                page.split(0);
            }
            let piece = 1 << page.piece_log2;
            for (i, cell) in page.cells(from, here).iter_mut().enumerate() {
                match cell.write(changes(piece, i) == 0, now, order) {
                    Found::Clean => {}
                    Found::Redundant => redundant += piece as u64,
                    Found::Conflict(other) => conflict = conflict.or(Some(other)),
                }
            }
            done += here;
        }
        (redundant, conflict)
    }

    /// Notes a write that orders itself (an atomic, or one from outside).
    pub(super) fn write_ordered(&mut self, at: usize, count: usize, now: Now) {
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            for cell in page.cells(from, here) {
                cell.write_ordered(now);
            }
            done += here;
        }
    }

    /// Takes in what was noted of the same memory elsewhere, at the same time, from the bytes `theirs` there to
    /// `ours` here; says whether it can be told what memory holds: no byte that one side wrote was touched by the
    /// other.
    pub(super) fn merge(&mut self, other: &Self, ours: &mut [u8], theirs: &[u8]) -> bool {
        for (number, page) in other.pages.iter().enumerate() {
            let Some(page) = page else { continue };
            let [written, touched] = page.uses();
            let start = number << PAGE_LOG2;
            match &mut self.pages[number] {
                Some(own) => {
                    let [own_written, own_touched] = own.uses();
                    let meet = |a: &[u64], b: &[u64]| a.iter().zip(b).any(|(a, b)| a & b != 0);
                    if meet(&written, &own_touched) || meet(&touched, &own_written) {
                        return false;
                    }
                    // What both touched has only been read.
                    let piece = own.piece_log2.min(page.piece_log2);
                    let mut theirs = page.clone();
                    own.split(piece);
                    theirs.split(piece);
                    for (own, their) in own.cells.iter_mut().zip(&theirs.cells) {
                        if own.readers.first == NOBODY && own.writers.first == NOBODY {
                            *own = *their;
                        }
                    }
                }
                none => *none = Some(page.clone()),
            }
            for (word, bits) in written.iter().enumerate() {
                for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                    let at = start + 64 * word + bit;
                    ours[at] = theirs[at];
                }
            }
        }
        true
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
            block: thread & !63,
            warp: thread & !31,
            op: 0,
            block_epoch,
            warp_epoch,
        }
    }

    /// A byte over the same one, or another one.
    fn write(shadow: &mut Shadow, same: bool, now: Now) -> (u64, Option<Conflict>) {
        shadow.write(3, 1, [0, u64::from(!same)], now, ORDER)
    }

    #[track_caller]
    fn check_write(steps: &[(char, Now)], expect_clean: bool) {
        let mut shadow = Shadow::new(16);
        let mut clean = true;
        for &(kind, now) in steps {
            if kind == 'w' {
                clean = write(&mut shadow, false, now) == (0, None);
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
        let three = |shadow: &mut Shadow| {
            assert_eq!(write(shadow, false, now(0, 1, 0)), (0, None));
            assert_eq!(write(shadow, true, now(1, 1, 0)), (1, None));
            assert_eq!(write(shadow, true, now(32, 1, 0)), (1, None));
        };
        // Whoever comes next and is ordered after one copy only, meets the other.
        for (thread, block, warp, clean) in [(32, 1, 1, false), (0, 1, 1, false), (0, 2, 0, true)] {
            let mut shadow = Shadow::new(16);
            three(&mut shadow);
            let found = write(&mut shadow, false, now(thread, block, warp));
            assert_eq!(found == (0, None), clean, "{thread}");
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
            (_, Some(Conflict { thread: 1, .. }))
        ));
        // A copy that may land before the value that the first one replaced.
        let mut shadow = Shadow::new(16);
        write(&mut shadow, false, now(0, 1, 0));
        assert_eq!(write(&mut shadow, false, now(0, 1, 1)), (0, None));
        assert!(matches!(
            write(&mut shadow, true, now(32, 1, 0)),
            (_, Some(Conflict { thread: 0, .. }))
        ));
    }

    /// Random accesses of 1 to 8 bytes find the same in pieces as byte by byte.
    #[test]
    fn pieces_say_what_bytes_say() {
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let (mut pieces, mut bytes) = (Shadow::new(64), vec![UNTOUCHED; 64]);
            let mut memory = [0u8; 64];
            let mut epoch = 1;
            for _ in 0..60 {
                let count = 1 << draw(4);
                let aligned = draw(4) != 0;
                let at = draw(56) as usize & if aligned { !(count - 1) } else { usize::MAX };
                epoch += u32::from(draw(4) == 0);
                let now = now(draw(128) as u32, epoch, draw(2) as u32);
                if draw(2) == 0 {
                    let found = pieces.read(at, count, now, ORDER);
                    let mut wanted = (None, None);
                    for (i, cell) in bytes[at..at + count].iter_mut().enumerate() {
                        let (written, conflict) = cell.read(now, ORDER);
                        wanted.0 = wanted.0.or((!written).then_some(at + i));
                        wanted.1 = wanted.1.or(conflict);
                    }
                    assert_eq!(found, wanted);
                } else {
                    let new: Vec<u8> = (0..count).map(|_| draw(2) as u8).collect();
                    let word = |bytes: &[u8]| {
                        let bytes = bytes.iter().rev();
                        bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
                    };
                    let words = [word(&memory[at..at + count]), word(&new)];
                    let found = pieces.write(at, count, words, now, ORDER);
                    let mut wanted = (0, None);
                    for (i, cell) in bytes[at..at + count].iter_mut().enumerate() {
                        match cell.write(memory[at + i] == new[i], now, ORDER) {
                            Found::Clean => {}
                            Found::Redundant => wanted.0 += 1,
                            Found::Conflict(conflict) => wanted.1 = wanted.1.or(Some(conflict)),
                        }
                    }
                    assert_eq!(found, wanted);
                    memory[at..at + count].copy_from_slice(&new);
                }
            }
        }
    }

    #[test]
    fn what_ran_apart_is_merged_where_nobody_met() {
        let run = |bytes: &mut [u8], at: usize, thread: u32, value: u8| {
            let mut shadow = Shadow::new(4096);
            let new = [value; 4];
            let words = [0, u32::from_le_bytes(new).into()];
            shadow.write(at, 4, words, now(thread, 1, 0), ORDER);
            bytes[at..at + 4].copy_from_slice(&new);
            shadow.read(8, 2, now(thread, 1, 0), ORDER);
            shadow
        };
        let (mut ours, mut theirs) = (vec![0; 4096], vec![0; 4096]);
        let mut first = run(&mut ours, 16, 0, 1);
        let second = run(&mut theirs, 3000, 64, 2);
        assert!(first.merge(&second, &mut ours, &theirs));
        assert_eq!((ours[16], ours[3003], ours[3004]), (1, 2, 0));
        for at in [8, 16, 3000] {
            let mut theirs = vec![0; 4096];
            let third = run(&mut theirs, at, 128, 3);
            assert!(
                !first.clone().merge(&third, &mut ours.clone(), &theirs),
                "{at}"
            );
        }
    }
}
