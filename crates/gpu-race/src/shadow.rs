//! The records of one piece of memory, small where little has happened.
//!
//! Most bytes are written by one thread and read by one thread between two barriers. Of such a piece of memory a word
//! each says who that was: the thread, and the number of the moment, which [`Moments`] keeps for all records together.
//! Half a word more names another thread that did the same. Where more has happened there is a whole [`Cell`].
//!
//! ```text
//! writers  0 | thread 3, moment 17      readers  0 | threads 3 and 5, moment 18 | the cell with number 2
//! ```

use super::moment::{Access, Entry, Moments, Past};
use super::{Cell, Conflict, Found, NO_GROUP, NOBODY};
use std::ops::Range;

/// Bytes per lazily made page of records.
const PAGE_LOG2: usize = 10;
/// The largest vector that a lane loads or stores.
const LARGEST_PIECE_LOG2: u32 = 4;

/// The records of one piece of memory, made page by page when first touched.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Option<Page>>,
}

/// Of each piece of a page a group in words; empty where there are no groups yet.
#[derive(Clone, Debug, Default)]
struct List {
    entries: Vec<Entry>,
    /// The groups' second threads; empty where no group has one.
    seconds: Vec<u32>,
}

impl List {
    fn get(&self, piece: usize) -> (Entry, u32) {
        let entry = self.entries.get(piece).copied();
        (entry.unwrap_or(Entry::NOBODY), self.second(piece))
    }

    #[inline]
    fn second(&self, piece: usize) -> u32 {
        self.seconds.get(piece).copied().unwrap_or(NOBODY)
    }

    /// Makes room for as many pieces.
    #[inline]
    fn fit(&mut self, len: usize) {
        if self.entries.is_empty() {
            self.entries = vec![Entry::NOBODY; len];
        }
    }

    fn set(&mut self, piece: usize, (entry, second): (Entry, u32), len: usize) {
        if entry != Entry::NOBODY {
            self.fit(len);
        }
        if let Some(old) = self.entries.get_mut(piece) {
            *old = entry;
        }
        if second != NOBODY && self.seconds.is_empty() {
            self.seconds = vec![NOBODY; len];
        }
        if let Some(old) = self.seconds.get_mut(piece) {
            *old = second;
        }
    }

    /// Makes one thread the group of each of some pieces.
    #[inline]
    fn fill(&mut self, pieces: Range<usize>, entry: Entry) {
        if !self.seconds.is_empty() {
            self.seconds[pieces.clone()].fill(NOBODY);
        }
        self.entries[pieces].fill(entry);
    }

    /// Makes as many pieces of each.
    fn split(&mut self, copies: usize) {
        let entries = self.entries.iter();
        self.entries = entries
            .flat_map(|entry| std::iter::repeat_n(*entry, copies))
            .collect();
        let seconds = self.seconds.iter();
        self.seconds = seconds
            .flat_map(|second| std::iter::repeat_n(*second, copies))
            .collect();
    }
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
    /// Who wrote each piece.
    writers: List,
    /// Who read each piece since, or which cell says more of it.
    readers: List,
    cells: Vec<Cell>,
    /// Cells that no piece has.
    spare: Vec<usize>,
}

/// A record after a write, and how many bytes were there already by another thread's unordered write.
enum Written {
    /// The same value again, by one more writer.
    Copy((Entry, u32), u64),
    Cell(Cell, u64),
}

/// For each byte of a page a bit.
type Bits = [u64; 1 << (PAGE_LOG2 - 6)];

impl Page {
    fn new(piece_log2: u32) -> Self {
        Self {
            piece_log2,
            writers: List::default(),
            readers: List::default(),
            cells: Vec::new(),
            spare: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        1 << (PAGE_LOG2 - self.piece_log2 as usize)
    }

    /// Makes the pieces as small as an access asks for.
    fn split(&mut self, piece_log2: u32) {
        if piece_log2 >= self.piece_log2 {
            return;
        }
        let copies = 1 << (self.piece_log2 - piece_log2);
        self.writers.split(copies);
        self.readers.split(copies);
        for (i, entry) in self.readers.entries.iter_mut().enumerate() {
            if let Some(cell) = entry.as_cell()
                && i % copies != 0
            {
                *entry = Entry::cell(self.cells.len());
                self.cells.push(self.cells[cell]);
            }
        }
        self.piece_log2 = piece_log2;
    }

    /// The number of the cell that says what is known of a piece, where words do not.
    fn own_cell(&self, piece: usize) -> Option<usize> {
        self.readers.get(piece).0.as_cell()
    }

    /// Everything that is known of a piece.
    fn cell(&self, piece: usize, moments: &Moments) -> Cell {
        let group = |(entry, second): (Entry, u32)| entry.group(second, moments);
        match self.own_cell(piece) {
            Some(cell) => self.cells[cell],
            None => Cell {
                writers: group(self.writers.get(piece)),
                before: NO_GROUP,
                readers: group(self.readers.get(piece)),
            },
        }
    }

    /// Puts down what is known of a piece after an access, as short as it can be told.
    fn keep(&mut self, piece: usize, mut cell: Cell, access: &Access<'_>) {
        for group in [&mut cell.before, &mut cell.readers] {
            if access.is_over(group) {
                *group = NO_GROUP;
            }
        }
        let own = self.own_cell(piece);
        let reader = self.readers.get(piece);
        let writer = match own {
            Some(_) => reader,
            None => self.writers.get(piece),
        };
        if cell.before == NO_GROUP
            && let Some(writer) = access.shorten(&cell.writers, writer)
            && let Some(reader) = access.shorten(&cell.readers, reader)
        {
            self.spare.extend(own);
            let len = self.len();
            self.writers.set(piece, writer, len);
            self.readers.set(piece, reader, len);
        } else {
            self.keep_cell(piece, cell);
        }
    }

    fn keep_cell(&mut self, piece: usize, cell: Cell) {
        let index = self.own_cell(piece).or_else(|| self.spare.pop());
        let index = index.unwrap_or(self.cells.len());
        if index == self.cells.len() {
            self.cells.push(cell);
        } else {
            self.cells[index] = cell;
        }
        let len = self.len();
        self.writers.set(piece, (Entry::NOBODY, NOBODY), len);
        self.readers.set(piece, (Entry::cell(index), NOBODY), len);
    }

    /// Notes a read of a piece, unless something is wrong with it.
    #[inline]
    fn read(&mut self, piece: usize, access: &Access<'_>) -> bool {
        let reader = self.readers.entries[piece];
        if let Some(cell) = reader.as_cell() {
            let cell = &mut self.cells[cell];
            let is_good = match cell.writers.is_live(access.order) {
                true => cell.writers.unordered(access.now, access.order).is_none(),
                false => !access.order.is_block_own,
            };
            if is_good {
                cell.readers.add(access.now, access.order);
            }
            return is_good;
        }
        let (writer, second) = self.writers.get(piece);
        match access.past(writer, second) {
            Past::None if access.order.is_block_own => return false,
            Past::Beside => return false,
            _ => {}
        }
        let second = self.readers.second(piece);
        if access.is_in(reader, second) {
            return true;
        }
        match access.past(reader, second) {
            Past::Beside => self.join_readers(piece, access),
            _ => self.readers.fill(piece..piece + 1, access.entry()),
        }
        true
    }

    /// Notes a read beside others.
    fn join_readers(&mut self, piece: usize, access: &Access<'_>) {
        let old = self.readers.get(piece);
        let mut group = old.0.group(old.1, access.moments);
        group.add(access.now, access.order);
        if let Some(reader) = access.shorten(&group, old) {
            let len = self.len();
            self.readers.set(piece, reader, len);
        } else {
            let mut cell = self.cell(piece, access.moments);
            cell.readers = group;
            self.keep_cell(piece, cell);
        }
    }

    /// Whether a write of a piece meets no reader.
    #[inline]
    fn is_unread(&self, piece: usize, access: &Access<'_>) -> bool {
        let (reader, second) = self.readers.get(piece);
        reader.as_cell().is_none() && access.past(reader, second) != Past::Beside
    }

    /// Whether a write of a piece leaves nothing behind but its own thread.
    #[inline]
    fn gives_way(&self, piece: usize, is_same: impl FnOnce() -> bool, access: &Access<'_>) -> bool {
        let (writer, second) = self.writers.get(piece);
        let is_over = match access.past(writer, second) {
            Past::None | Past::Over => true,
            Past::Before => is_same(),
            Past::Beside => false,
        };
        is_over && self.is_unread(piece, access)
    }

    /// What a write of some bytes of a piece makes of its record; nothing where the write is to be looked at closely.
    fn write(&self, piece: usize, old: &[u8], new: &[u8], access: &Access<'_>) -> Option<Written> {
        let is_same = old == new;
        let copied = old.len() as u64;
        if is_same && self.is_unread(piece, access) {
            let old = self.writers.get(piece);
            let mut group = old.0.group(old.1, access.moments);
            let is_redundant = group.unordered(access.now, access.order).is_some();
            if group.is_live(access.order) {
                group.add(access.now, access.order);
                if let Some(writer) = access.shorten(&group, old) {
                    let redundant = if is_redundant { copied } else { 0 };
                    return Some(Written::Copy(writer, redundant));
                }
            }
        }
        // Where a piece keeps some of its bytes, each byte has a history of its own.
        if !is_same && old.iter().zip(new).any(|(old, new)| old == new) {
            return None;
        }
        let mut cell = self.cell(piece, access.moments);
        match cell.write(is_same, access.now, access.order) {
            Found::Clean => Some(Written::Cell(cell, 0)),
            Found::Redundant => Some(Written::Cell(cell, copied)),
            Found::Conflict(_) => None,
        }
    }

    /// The bytes that were written, and those that were touched at all.
    fn uses(&self) -> [Bits; 2] {
        let mut uses = [Bits::default(); 2];
        let bits = (1u64 << (1 << self.piece_log2)) - 1;
        for piece in 0..self.len() {
            let [is_written, is_touched] = self.use_of(piece);
            let at = piece << self.piece_log2;
            for (uses, holds) in uses.iter_mut().zip([is_written, is_touched]) {
                if holds {
                    uses[at / 64] |= bits << (at % 64);
                }
            }
        }
        uses
    }

    /// Whether a piece was written, and whether it was touched at all.
    fn use_of(&self, piece: usize) -> [bool; 2] {
        let (writer, reader) = (self.writers.get(piece).0, self.readers.get(piece).0);
        if let Some(cell) = reader.as_cell() {
            let Cell {
                writers, readers, ..
            } = self.cells[cell];
            let is_written = writers.first != NOBODY;
            return [is_written, is_written || readers.first != NOBODY];
        }
        let is_written = writer != Entry::NOBODY;
        [is_written, is_written || reader != Entry::NOBODY]
    }
}

impl Shadow {
    /// Returns the record of memory of this size, untouched.
    pub fn new(bytes: usize) -> Self {
        Self {
            pages: vec![None; bytes.div_ceil(1 << PAGE_LOG2)],
        }
    }

    /// Forgets all accesses.
    pub fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| *page = None);
    }

    /// The page of an access that lies in one, its first byte there, and how many bytes it has there.
    #[inline]
    fn page(&mut self, at: usize, count: usize) -> (&mut Page, usize, usize) {
        let from = at & ((1 << PAGE_LOG2) - 1);
        let here = count.min((1 << PAGE_LOG2) - from);
        let piece = (from | here).trailing_zeros().min(LARGEST_PIECE_LOG2);
        let page = self.pages[at >> PAGE_LOG2].get_or_insert_with(|| Page::new(piece));
        if piece < page.piece_log2 {
            page.split(piece);
        }
        (page, from, here)
    }

    /// Notes a read of bytes in one page, or says that [`Self::read`] has something to say to it.
    #[inline]
    pub fn read_at_once(&mut self, at: usize, count: usize, access: &Access<'_>) -> bool {
        let (page, from, here) = self.page(at, count);
        let len = page.len();
        page.readers.fit(len);
        let log2 = page.piece_log2;
        // Reading twice is reading once.
        here == count && (from >> log2..(from + here) >> log2).all(|piece| page.read(piece, access))
    }

    /// Notes a read of `count` bytes; says the first byte nobody wrote and the first conflict.
    pub fn read(
        &mut self,
        at: usize,
        count: usize,
        access: &Access<'_>,
    ) -> (Option<usize>, Option<Conflict>) {
        let mut missing = None;
        let mut conflict = None;
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            let log2 = page.piece_log2;
            for (index, piece) in (from >> log2..(from + here) >> log2).enumerate() {
                let mut cell = page.cell(piece, access.moments);
                let (written, meets) = cell.read(access.now, access.order);
                page.keep(piece, cell, access);
                if !written {
                    missing = missing.or(Some(at + done + (index << log2)));
                }
                conflict = conflict.or(meets);
            }
            done += here;
        }
        (missing, conflict)
    }

    /// Notes a write of `new` over `old` bytes in one page; says how many were there already by another thread's
    /// unordered write, or that [`Self::write`] has something to say to it.
    #[inline]
    pub fn write_at_once(
        &mut self,
        at: usize,
        old: &[u8],
        new: &[u8],
        access: &Access<'_>,
    ) -> Option<u64> {
        let (page, from, here) = self.page(at, new.len());
        if here < new.len() {
            return None;
        }
        let log2 = page.piece_log2;
        let (first, end) = (from >> log2, (from + here) >> log2);
        let is_plain = (first..end).enumerate().all(|(i, piece)| {
            let bytes = i << log2..(i + 1) << log2;
            page.gives_way(piece, || old[bytes.clone()] == new[bytes], access)
        });
        if is_plain {
            let len = page.len();
            page.writers.fit(len);
            page.writers.fill(first..end, access.entry());
            return Some(0);
        }
        let written = |page: &Page, piece: usize| {
            let bytes = (piece - first) << log2..(piece - first + 1) << log2;
            page.write(piece, &old[bytes.clone()], &new[bytes], access)
        };
        if end - first > 1 && (first..end).any(|piece| written(page, piece).is_none()) {
            return None;
        }
        let mut sum = 0;
        for piece in first..end {
            match written(page, piece)? {
                Written::Copy(writer, redundant) => {
                    let len = page.len();
                    page.writers.set(piece, writer, len);
                    sum += redundant;
                }
                Written::Cell(cell, redundant) => {
                    page.keep(piece, cell, access);
                    sum += redundant;
                }
            }
        }
        Some(sum)
    }

    /// Notes a write of at most 8 bytes over others, least significant first; says how many were there already by
    /// another thread's unordered write, and the first conflict.
    pub fn write(
        &mut self,
        at: usize,
        count: usize,
        [old, new]: [u64; 2],
        access: &Access<'_>,
    ) -> (u64, Option<Conflict>) {
        let (mut redundant, mut conflict) = (0, None);
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            let changes = |bytes: usize, i: usize| {
                let bits = (old ^ new) >> (8 * (done + i * bytes));
                bits & (u64::MAX >> (64 - 8 * bytes))
            };
            let pieces = |page: &Page| {
                let log2 = page.piece_log2;
                (from >> log2..(from + here) >> log2).enumerate()
            };
            let bytes = 1 << page.piece_log2;
            let is_mixed = |(i, piece): (usize, usize)| {
                let bits = changes(bytes, i);
                let is_kept = |byte: usize| bits >> (8 * byte) & 0xff == 0;
                let cell = page.cell(piece, access.moments);
                bits != 0 && (0..bytes).any(is_kept) && cell.writers.is_live(access.order)
            };
            if bytes > 1 && pieces(page).any(is_mixed) {
                page.split(0);
            }
            let bytes = 1 << page.piece_log2;
            for (i, piece) in pieces(page) {
                let mut cell = page.cell(piece, access.moments);
                match cell.write(changes(bytes, i) == 0, access.now, access.order) {
                    Found::Clean => {}
                    Found::Redundant => redundant += bytes as u64,
                    Found::Conflict(other) => conflict = conflict.or(Some(other)),
                }
                page.keep(piece, cell, access);
            }
            done += here;
        }
        (redundant, conflict)
    }

    /// Makes do without the numbers of moments.
    pub fn settle(&mut self, moments: &Moments) {
        for page in self.pages.iter_mut().flatten() {
            for piece in 0..page.len() {
                let is_used = page.use_of(piece)[1];
                if is_used && page.own_cell(piece).is_none() {
                    page.keep_cell(piece, page.cell(piece, moments));
                }
            }
        }
    }

    /// Takes in what was noted of the same memory elsewhere, at the same time, from the bytes `theirs` there to
    /// `ours` here; says whether it can be told what memory holds: no byte that one side wrote was touched by the
    /// other. Afterwards the records say of what was touched elsewhere only that it was.
    pub fn merge(&mut self, other: &Self, ours: &mut [u8], theirs: &[u8]) -> bool {
        let somebody = (Entry::new(0, 0), NOBODY);
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
                    own.split(page.piece_log2);
                    for piece in 0..own.len() {
                        let their = (piece << own.piece_log2) >> page.piece_log2;
                        if let [is_written, true] = page.use_of(their)
                            && let [_, false] = own.use_of(piece)
                        {
                            let len = own.len();
                            own.readers.set(piece, somebody, len);
                            if is_written {
                                own.writers.set(piece, somebody, len);
                            }
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
mod tests;
