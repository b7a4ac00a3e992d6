//! The records of one piece of memory, small where little has happened.
//!
//! Most bytes are written by one thread and read by one thread between two barriers. Of such a piece of memory a word
//! each says who that was: the thread, and the number of the moment, which [`Moments`] keeps for all records together.
//! Where more has happened there is a whole [`Cell`].
//!
//! ```text
//! writers  0 | thread 3, moment 17      readers  0 | thread 3, moment 18 | the cell with number 2
//! ```

use super::moment::{Access, Entry, Moments, Past};
use super::{Cell, Conflict, Found, NO_GROUP, NOBODY};

/// Bytes per lazily made page of records.
const PAGE_LOG2: usize = 10;
/// The largest vector that a lane loads or stores.
const LARGEST_PIECE_LOG2: u32 = 4;

/// The records of one piece of memory, made page by page when first touched.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Shadow {
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
    /// Who wrote each piece; empty where nobody wrote in the page.
    writers: Vec<Entry>,
    /// Who read each piece since, or which cell says more of it; empty where nobody read in the page.
    readers: Vec<Entry>,
    cells: Vec<Cell>,
    /// Cells that no piece has.
    spare: Vec<usize>,
}

/// For each byte of a page a bit.
type Bits = [u64; 1 << (PAGE_LOG2 - 6)];

impl Page {
    fn new(piece_log2: u32) -> Self {
        Self {
            piece_log2,
            writers: Vec::new(),
            readers: Vec::new(),
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
        for list in [&mut self.writers, &mut self.readers] {
            let entries = list.iter();
            *list = entries
                .flat_map(|entry| std::iter::repeat_n(*entry, copies))
                .collect();
        }
        for (i, entry) in self.readers.iter_mut().enumerate() {
            if let Some(cell) = entry.as_cell()
                && i % copies != 0
            {
                *entry = Entry::cell(self.cells.len());
                self.cells.push(self.cells[cell]);
            }
        }
        self.piece_log2 = piece_log2;
    }

    fn writer(&self, piece: usize) -> Entry {
        self.writers.get(piece).copied().unwrap_or(Entry::NOBODY)
    }

    fn reader(&self, piece: usize) -> Entry {
        self.readers.get(piece).copied().unwrap_or(Entry::NOBODY)
    }

    fn set_writer(&mut self, piece: usize, entry: Entry) {
        if self.writers.is_empty() {
            if entry == Entry::NOBODY {
                return;
            }
            self.writers = vec![Entry::NOBODY; self.len()];
        }
        self.writers[piece] = entry;
    }

    fn set_reader(&mut self, piece: usize, entry: Entry) {
        if self.readers.is_empty() {
            if entry == Entry::NOBODY {
                return;
            }
            self.readers = vec![Entry::NOBODY; self.len()];
        }
        self.readers[piece] = entry;
    }

    /// Everything that is known of a piece.
    fn cell(&self, piece: usize, moments: &Moments) -> Cell {
        let reader = self.reader(piece);
        match reader.as_cell() {
            Some(cell) => self.cells[cell],
            None => Cell {
                writers: self.writer(piece).group(moments),
                before: NO_GROUP,
                readers: reader.group(moments),
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
        let (writer, reader) = (self.writer(piece), self.reader(piece));
        let own = reader.as_cell();
        if cell.before == NO_GROUP
            && let Some(short_writer) =
                access.shorten(&cell.writers, if own.is_some() { reader } else { writer })
            && let Some(short_reader) = access.shorten(&cell.readers, reader)
        {
            self.spare.extend(own);
            self.set_writer(piece, short_writer);
            self.set_reader(piece, short_reader);
        } else {
            self.keep_cell(piece, cell);
        }
    }

    fn keep_cell(&mut self, piece: usize, cell: Cell) {
        let index = self.reader(piece).as_cell().or_else(|| self.spare.pop());
        let index = index.unwrap_or(self.cells.len());
        if index == self.cells.len() {
            self.cells.push(cell);
        } else {
            self.cells[index] = cell;
        }
        self.set_writer(piece, Entry::NOBODY);
        self.set_reader(piece, Entry::cell(index));
    }

    /// Notes a read of a piece, unless something is wrong with it.
    #[inline]
    fn read(&mut self, piece: usize, access: &Access<'_>) -> bool {
        let reader = self.readers[piece];
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
        match access.past(self.writer(piece)) {
            Past::None if access.order.is_block_own => return false,
            Past::Beside => return false,
            _ => {}
        }
        if access.past(reader) == Past::Beside {
            let mut cell = self.cell(piece, access.moments);
            cell.readers.add(access.now, access.order);
            self.keep_cell(piece, cell);
        } else {
            self.readers[piece] = access.entry();
        }
        true
    }

    /// Whether a write of a piece leaves nothing behind but its own thread.
    #[inline]
    fn gives_way(&self, piece: usize, is_same: impl FnOnce() -> bool, access: &Access<'_>) -> bool {
        let reader = self.reader(piece);
        if reader.as_cell().is_some() || access.past(reader) == Past::Beside {
            return false;
        }
        match access.past(self.writer(piece)) {
            Past::None | Past::Over => true,
            Past::Before => is_same(),
            Past::Beside => false,
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
        let (writer, reader) = (self.writer(piece), self.reader(piece));
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
    pub(in crate::machine) fn new(bytes: usize) -> Self {
        Self {
            pages: vec![None; bytes.div_ceil(1 << PAGE_LOG2)],
        }
    }

    pub(in crate::machine) fn clear(&mut self) {
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
    pub(in crate::machine) fn read_at_once(
        &mut self,
        at: usize,
        count: usize,
        access: &Access<'_>,
    ) -> bool {
        let (page, from, here) = self.page(at, count);
        if page.readers.is_empty() {
            page.readers = vec![Entry::NOBODY; page.len()];
        }
        let log2 = page.piece_log2;
        // Reading twice is reading once.
        here == count && (from >> log2..(from + here) >> log2).all(|piece| page.read(piece, access))
    }

    /// Notes a read of `count` bytes; says the first byte nobody wrote and the first conflict.
    pub(in crate::machine) fn read(
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
    pub(in crate::machine) fn write_at_once(
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
            if page.writers.is_empty() {
                page.writers = vec![Entry::NOBODY; page.len()];
            }
            page.writers[first..end].fill(access.entry());
            return Some(0);
        }
        // Where a piece keeps some of its bytes, each byte has a history of its own.
        let is_same = old == new;
        if end - first > 1 || !(is_same || old.iter().zip(new).all(|(old, new)| old != new)) {
            return None;
        }
        let mut cell = page.cell(first, access.moments);
        let redundant = match cell.write(is_same, access.now, access.order) {
            Found::Clean => 0,
            Found::Redundant => here as u64,
            Found::Conflict(_) => return None,
        };
        page.keep(first, cell, access);
        Some(redundant)
    }

    /// Notes a write of at most 8 bytes over others, least significant first; says how many were there already by
    /// another thread's unordered write, and the first conflict.
    pub(in crate::machine) fn write(
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

    /// Notes a write that orders itself (an atomic, or one from outside).
    pub(in crate::machine) fn write_ordered(
        &mut self,
        at: usize,
        count: usize,
        access: &Access<'_>,
    ) {
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            let log2 = page.piece_log2;
            for piece in from >> log2..(from + here) >> log2 {
                let mut cell = page.cell(piece, access.moments);
                cell.write_ordered(access.now);
                page.keep(piece, cell, access);
            }
            done += here;
        }
    }

    /// Makes do without the numbers of moments.
    pub(in crate::machine) fn settle(&mut self, moments: &Moments) {
        for page in self.pages.iter_mut().flatten() {
            for piece in 0..page.len() {
                let is_used = page.use_of(piece)[1];
                if is_used && page.reader(piece).as_cell().is_none() {
                    page.keep_cell(piece, page.cell(piece, moments));
                }
            }
        }
    }

    /// Takes in what was noted of the same memory elsewhere, at the same time, from the bytes `theirs` there to
    /// `ours` here; says whether it can be told what memory holds: no byte that one side wrote was touched by the
    /// other. Afterwards the records say of what was touched elsewhere only that it was.
    pub(in crate::machine) fn merge(
        &mut self,
        other: &Self,
        ours: &mut [u8],
        theirs: &[u8],
    ) -> bool {
        let somebody = Entry::new(0, 0);
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
                            own.set_reader(piece, somebody);
                            if is_written {
                                own.set_writer(piece, somebody);
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
