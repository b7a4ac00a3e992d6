//! Shadow memory: compact access records for kernels that synchronise by barriers.
//!
//! Between two barriers, usually one thread writes a byte and one thread reads the byte. A granule therefore has one
//! word for its writers and one word for its readers. A word contains a thread and the index of a timestamp in
//! [`Timestamps`]. A second thread takes another half word. Records that do not fit into this form are full
//! [`ShadowCell`]s.
//!
//! ```text
//! writers  0 | thread 3, timestamp 17      readers  0 | threads 3 and 5, timestamp 18 | cell 2
//! ```

use super::timestamp::{AccessRelation, PackedAccess, ShadowAccess, Timestamps};
use super::{Conflict, NO_GROUP, NO_THREAD, ShadowCell, WriteVerdict};
use std::ops::Range;

/// log2 of the page size in bytes. A page is allocated at the first access to one of its bytes.
const PAGE_LOG2: usize = 10;
/// log2 of the largest granule size in bytes, which is the size of the largest vector that a lane loads or stores.
const LARGEST_GRANULE_LOG2: u32 = 4;

/// The access records of one memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Option<ShadowPage>>,
}

/// The packed access groups of a page, one group per granule. Each list is empty until it is first needed.
#[derive(Clone, Debug, Default)]
struct PackedGroups {
    entries: Vec<PackedAccess>,
    /// Second representative thread of each group; empty if no group has a second representative.
    seconds: Vec<u32>,
}

impl PackedGroups {
    fn get(&self, granule: usize) -> (PackedAccess, u32) {
        let entry = self.entries.get(granule).copied();
        (entry.unwrap_or(PackedAccess::NONE), self.second(granule))
    }

    #[inline]
    fn second(&self, granule: usize) -> u32 {
        self.seconds.get(granule).copied().unwrap_or(NO_THREAD)
    }

    #[inline]
    fn fit(&mut self, len: usize) {
        if self.entries.is_empty() {
            self.entries = vec![PackedAccess::NONE; len];
        }
    }

    fn set(&mut self, granule: usize, (entry, second): (PackedAccess, u32), len: usize) {
        if entry != PackedAccess::NONE {
            self.fit(len);
        }
        if let Some(old) = self.entries.get_mut(granule) {
            *old = entry;
        }
        if second != NO_THREAD && self.seconds.is_empty() {
            self.seconds = vec![NO_THREAD; len];
        }
        if let Some(old) = self.seconds.get_mut(granule) {
            *old = second;
        }
    }

    /// Replaces the group of each granule in `granules` with a group that contains only the access `entry`.
    #[inline]
    fn fill(&mut self, granules: Range<usize>, entry: PackedAccess) {
        if !self.seconds.is_empty() {
            self.seconds[granules.clone()].fill(NO_THREAD);
        }
        self.entries[granules].fill(entry);
    }

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

/// The records of a page, one per granule. All accesses to the page begin and end at granule boundaries; the granules
/// are as large as possible.
///
/// ```text
/// granules of 4 bytes:   ld.b32 at 8   one record is read
///                        st.b16 at 8   splits the page into granules of 2 bytes, which inherit the records
/// ```
#[derive(Clone, Debug)]
struct ShadowPage {
    granule_log2: u32,
    writers: PackedGroups,
    /// For each granule, the threads that have read it since its last write. If the record of a granule is a
    /// [`ShadowCell`] in `cells`, the entry of the granule contains the index of this cell instead.
    readers: PackedGroups,
    cells: Vec<ShadowCell>,
    /// Indices of unused entries of `cells`.
    spare: Vec<usize>,
}

/// The change that a write makes to the record of a granule. In both variants, the `u64` is the number of bytes
/// with a redundant store (see [`WriteVerdict::Redundant`]).
enum WriteUpdate {
    /// The write stores the value that the granule already has. The first field is the new group of writers, as
    /// (first representative, second representative thread); it includes the writing thread.
    Copy((PackedAccess, u32), u64),
    ShadowCell(ShadowCell, u64),
}

/// A set of bytes of a page, with one bit per byte.
type Bits = [u64; 1 << (PAGE_LOG2 - 6)];

impl ShadowPage {
    fn new(granule_log2: u32) -> Self {
        Self {
            granule_log2,
            writers: PackedGroups::default(),
            readers: PackedGroups::default(),
            cells: Vec::new(),
            spare: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        1 << (PAGE_LOG2 - self.granule_log2 as usize)
    }

    fn split(&mut self, granule_log2: u32) {
        if granule_log2 >= self.granule_log2 {
            return;
        }
        let copies = 1 << (self.granule_log2 - granule_log2);
        self.writers.split(copies);
        self.readers.split(copies);
        for (i, entry) in self.readers.entries.iter_mut().enumerate() {
            if let Some(cell) = entry.as_cell()
                && i % copies != 0
            {
                *entry = PackedAccess::cell(self.cells.len());
                self.cells.push(self.cells[cell]);
            }
        }
        self.granule_log2 = granule_log2;
    }

    /// Returns the index of the granule's [`ShadowCell`], or `None` if the record is packed.
    fn own_cell(&self, granule: usize) -> Option<usize> {
        self.readers.get(granule).0.as_cell()
    }

    fn cell(&self, granule: usize, timestamps: &Timestamps) -> ShadowCell {
        let group = |(entry, second): (PackedAccess, u32)| entry.group(second, timestamps);
        match self.own_cell(granule) {
            Some(cell) => self.cells[cell],
            None => ShadowCell {
                writers: group(self.writers.get(granule)),
                before: NO_GROUP,
                readers: group(self.readers.get(granule)),
            },
        }
    }

    /// Replaces the record of a granule with `cell`, which is packed if possible. `cell` already includes `access`.
    fn store(&mut self, granule: usize, mut cell: ShadowCell, access: &ShadowAccess<'_>) {
        for group in [&mut cell.before, &mut cell.readers] {
            if access.is_over(group) {
                *group = NO_GROUP;
            }
        }
        let own = self.own_cell(granule);
        let reader = self.readers.get(granule);
        let writer = match own {
            Some(_) => reader,
            None => self.writers.get(granule),
        };
        if cell.before == NO_GROUP
            && let Some(writer) = access.pack(&cell.writers, writer)
            && let Some(reader) = access.pack(&cell.readers, reader)
        {
            self.spare.extend(own);
            let len = self.len();
            self.writers.set(granule, writer, len);
            self.readers.set(granule, reader, len);
        } else {
            self.store_cell(granule, cell);
        }
    }

    fn store_cell(&mut self, granule: usize, cell: ShadowCell) {
        let index = self.own_cell(granule).or_else(|| self.spare.pop());
        let index = index.unwrap_or(self.cells.len());
        if index == self.cells.len() {
            self.cells.push(cell);
        } else {
            self.cells[index] = cell;
        }
        let len = self.len();
        self.writers
            .set(granule, (PackedAccess::NONE, NO_THREAD), len);
        self.readers
            .set(granule, (PackedAccess::cell(index), NO_THREAD), len);
    }

    /// Records a read. Returns false, and records nothing, if the read races or reads uninitialised bytes. The slow
    /// path then reports the finding.
    #[inline]
    fn read(&mut self, granule: usize, access: &ShadowAccess<'_>) -> bool {
        let reader = self.readers.entries[granule];
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
        let (writer, second) = self.writers.get(granule);
        match access.relation(writer, second) {
            AccessRelation::None if access.order.is_block_own => return false,
            AccessRelation::Concurrent => return false,
            _ => {}
        }
        let second = self.readers.second(granule);
        if access.is_in(reader, second) {
            return true;
        }
        match access.relation(reader, second) {
            AccessRelation::Concurrent => self.add_reader(granule, access),
            _ => self.readers.fill(granule..granule + 1, access.entry()),
        }
        true
    }

    /// Adds `access` to the readers of a granule. The access is concurrent with at least one of the earlier
    /// readers.
    fn add_reader(&mut self, granule: usize, access: &ShadowAccess<'_>) {
        let old = self.readers.get(granule);
        let mut group = old.0.group(old.1, access.timestamps);
        group.add(access.now, access.order);
        if let Some(reader) = access.pack(&group, old) {
            let len = self.len();
            self.readers.set(granule, reader, len);
        } else {
            let mut cell = self.cell(granule, access.timestamps);
            cell.readers = group;
            self.store_cell(granule, cell);
        }
    }

    /// Returns true if the readers of the granule are packed and are all ordered before `access`.
    #[inline]
    fn is_unread(&self, granule: usize, access: &ShadowAccess<'_>) -> bool {
        let (reader, second) = self.readers.get(granule);
        reader.as_cell().is_none() && access.relation(reader, second) != AccessRelation::Concurrent
    }

    /// Returns true if this write supersedes all earlier accesses to the granule, so that the new record needs to
    /// contain only this write. `is_same` returns true if the write leaves the value unchanged.
    #[inline]
    fn leaves_only_writer(
        &self,
        granule: usize,
        is_same: impl FnOnce() -> bool,
        access: &ShadowAccess<'_>,
    ) -> bool {
        let (writer, second) = self.writers.get(granule);
        let is_over = match access.relation(writer, second) {
            AccessRelation::None | AccessRelation::Over => true,
            AccessRelation::Before => is_same(),
            AccessRelation::Concurrent => false,
        };
        is_over && self.is_unread(granule, access)
    }

    /// Returns the change to the record of a granule when a write replaces the bytes `old` with the bytes `new`.
    /// Returns `None` if the slow path must handle the write.
    fn write(
        &self,
        granule: usize,
        old: &[u8],
        new: &[u8],
        access: &ShadowAccess<'_>,
    ) -> Option<WriteUpdate> {
        let is_same = old == new;
        let copied = old.len() as u64;
        if is_same && self.is_unread(granule, access) {
            let old = self.writers.get(granule);
            let mut group = old.0.group(old.1, access.timestamps);
            let is_redundant = group.unordered(access.now, access.order).is_some();
            if group.is_live(access.order) {
                group.add(access.now, access.order);
                if let Some(writer) = access.pack(&group, old) {
                    let redundant = if is_redundant { copied } else { 0 };
                    return Some(WriteUpdate::Copy(writer, redundant));
                }
            }
        }
        // The bytes of a partially changed granule need separate records.
        if !is_same && old.iter().zip(new).any(|(old, new)| old == new) {
            return None;
        }
        let mut cell = self.cell(granule, access.timestamps);
        match cell.write(is_same, access.now, access.order) {
            WriteVerdict::Clean => Some(WriteUpdate::ShadowCell(cell, 0)),
            WriteVerdict::Redundant => Some(WriteUpdate::ShadowCell(cell, copied)),
            WriteVerdict::Conflict(_) => None,
        }
    }

    /// Returns two sets: the bytes of the page that were written, and the bytes that were accessed.
    fn uses(&self) -> [Bits; 2] {
        let mut uses = [Bits::default(); 2];
        let bits = (1u64 << (1 << self.granule_log2)) - 1;
        for granule in 0..self.len() {
            let [is_written, is_touched] = self.use_of(granule);
            let at = granule << self.granule_log2;
            for (uses, holds) in uses.iter_mut().zip([is_written, is_touched]) {
                if holds {
                    uses[at / 64] |= bits << (at % 64);
                }
            }
        }
        uses
    }

    /// Returns the flags `[is_written, is_accessed]` of a granule.
    fn use_of(&self, granule: usize) -> [bool; 2] {
        let (writer, reader) = (self.writers.get(granule).0, self.readers.get(granule).0);
        if let Some(cell) = reader.as_cell() {
            let ShadowCell {
                writers, readers, ..
            } = self.cells[cell];
            let is_written = writers.first != NO_THREAD;
            return [is_written, is_written || readers.first != NO_THREAD];
        }
        let is_written = writer != PackedAccess::NONE;
        [is_written, is_written || reader != PackedAccess::NONE]
    }
}

impl Shadow {
    /// Creates empty records for a memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            pages: vec![None; bytes.div_ceil(1 << PAGE_LOG2)],
        }
    }

    /// Drops all records.
    pub fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| *page = None);
    }

    /// Returns the page that contains byte `at`, the offset of this byte in the page, and the number of bytes of
    /// `at..at + count` that lie in this page. Splits the granules of the page if they are too large for an access
    /// to these bytes.
    #[inline]
    fn page(&mut self, at: usize, count: usize) -> (&mut ShadowPage, usize, usize) {
        let from = at & ((1 << PAGE_LOG2) - 1);
        let here = count.min((1 << PAGE_LOG2) - from);
        let granule = (from | here).trailing_zeros().min(LARGEST_GRANULE_LOG2);
        let page = self.pages[at >> PAGE_LOG2].get_or_insert_with(|| ShadowPage::new(granule));
        if granule < page.granule_log2 {
            page.split(granule);
        }
        (page, from, here)
    }

    /// Records a read of the bytes `at..at + count`. Returns false if the caller must use [`Self::read`] instead.
    #[inline]
    pub fn read_fast(&mut self, at: usize, count: usize, access: &ShadowAccess<'_>) -> bool {
        let (page, from, here) = self.page(at, count);
        let len = page.len();
        page.readers.fit(len);
        let log2 = page.granule_log2;
        // The slow path may repeat reads that are already recorded, since recording a read is idempotent.
        here == count
            && (from >> log2..(from + here) >> log2).all(|granule| page.read(granule, access))
    }

    /// Records a read of the bytes `at..at + count`. Returns the offset of the first byte that was never written,
    /// or `None` if all bytes were written. Also returns the first conflict, or `None` if there is no conflict.
    pub fn read(
        &mut self,
        at: usize,
        count: usize,
        access: &ShadowAccess<'_>,
    ) -> (Option<usize>, Option<Conflict>) {
        let mut missing = None;
        let mut conflict = None;
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            let log2 = page.granule_log2;
            for (index, granule) in (from >> log2..(from + here) >> log2).enumerate() {
                let mut cell = page.cell(granule, access.timestamps);
                let (written, meets) = cell.read(access.now, access.order);
                page.store(granule, cell, access);
                if !written {
                    missing = missing.or(Some(at + done + (index << log2)));
                }
                conflict = conflict.or(meets);
            }
            done += here;
        }
        (missing, conflict)
    }

    /// Records a write at byte `at` that replaces the bytes `old` with the bytes `new`. Returns the number of bytes
    /// with a redundant store (see [`WriteVerdict::Redundant`]), or `None` if the caller must use [`Self::write`]
    /// instead.
    #[inline]
    pub fn write_fast(
        &mut self,
        at: usize,
        old: &[u8],
        new: &[u8],
        access: &ShadowAccess<'_>,
    ) -> Option<u64> {
        let (page, from, here) = self.page(at, new.len());
        if here < new.len() {
            return None;
        }
        let log2 = page.granule_log2;
        let (first, end) = (from >> log2, (from + here) >> log2);
        let is_simple = (first..end).enumerate().all(|(i, granule)| {
            let bytes = i << log2..(i + 1) << log2;
            page.leaves_only_writer(granule, || old[bytes.clone()] == new[bytes], access)
        });
        if is_simple {
            let len = page.len();
            page.writers.fit(len);
            page.writers.fill(first..end, access.entry());
            return Some(0);
        }
        let written = |page: &ShadowPage, granule: usize| {
            let bytes = (granule - first) << log2..(granule - first + 1) << log2;
            page.write(granule, &old[bytes.clone()], &new[bytes], access)
        };
        if end - first > 1 && (first..end).any(|granule| written(page, granule).is_none()) {
            return None;
        }
        let mut sum = 0;
        for granule in first..end {
            match written(page, granule)? {
                WriteUpdate::Copy(writer, redundant) => {
                    let len = page.len();
                    page.writers.set(granule, writer, len);
                    sum += redundant;
                }
                WriteUpdate::ShadowCell(cell, redundant) => {
                    page.store(granule, cell, access);
                    sum += redundant;
                }
            }
        }
        Some(sum)
    }

    /// Records a write of the bytes `at..at + count`, where `count` is at most 8. `old` and `new` are the
    /// little-endian values before and after the write. Returns the number of bytes with a redundant store (see
    /// [`WriteVerdict::Redundant`]), and the first conflict, or `None` if there is no conflict.
    pub fn write(
        &mut self,
        at: usize,
        count: usize,
        [old, new]: [u64; 2],
        access: &ShadowAccess<'_>,
    ) -> (u64, Option<Conflict>) {
        let (mut redundant, mut conflict) = (0, None);
        let mut done = 0;
        while done < count {
            let (page, from, here) = self.page(at + done, count - done);
            let changes = |bytes: usize, i: usize| {
                let bits = (old ^ new) >> (8 * (done + i * bytes));
                bits & (u64::MAX >> (64 - 8 * bytes))
            };
            let granules = |page: &ShadowPage| {
                let log2 = page.granule_log2;
                (from >> log2..(from + here) >> log2).enumerate()
            };
            let bytes = 1 << page.granule_log2;
            let is_mixed = |(i, granule): (usize, usize)| {
                let bits = changes(bytes, i);
                let is_kept = |byte: usize| bits >> (8 * byte) & 0xff == 0;
                let cell = page.cell(granule, access.timestamps);
                bits != 0 && (0..bytes).any(is_kept) && cell.writers.is_live(access.order)
            };
            if bytes > 1 && granules(page).any(is_mixed) {
                page.split(0);
            }
            let bytes = 1 << page.granule_log2;
            for (i, granule) in granules(page) {
                let mut cell = page.cell(granule, access.timestamps);
                match cell.write(changes(bytes, i) == 0, access.now, access.order) {
                    WriteVerdict::Clean => {}
                    WriteVerdict::Redundant => redundant += bytes as u64,
                    WriteVerdict::Conflict(other) => conflict = conflict.or(Some(other)),
                }
                page.store(granule, cell, access);
            }
            done += here;
        }
        (redundant, conflict)
    }

    /// Converts all packed records to full records, which do not refer to the table of timestamps. The table can
    /// then be cleared.
    pub fn unpack(&mut self, timestamps: &Timestamps) {
        for page in self.pages.iter_mut().flatten() {
            for granule in 0..page.len() {
                let is_used = page.use_of(granule)[1];
                if is_used && page.own_cell(granule).is_none() {
                    page.store_cell(granule, page.cell(granule, timestamps));
                }
            }
        }
    }

    /// Merges `other`, the records of a second memory that began as a copy of this memory. `ours` is the contents
    /// of this memory, and `theirs` is the contents of the second memory.
    ///
    /// Returns false if any byte was accessed in both memories and written in at least one of them. Otherwise
    /// copies each byte that was written in the second memory from `theirs` to `ours`. Merged records do not
    /// identify the accessing threads.
    pub fn merge(&mut self, other: &Self, ours: &mut [u8], theirs: &[u8]) -> bool {
        let any_thread = (PackedAccess::new(0, 0), NO_THREAD);
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
                    own.split(page.granule_log2);
                    for granule in 0..own.len() {
                        let their = (granule << own.granule_log2) >> page.granule_log2;
                        if let [is_written, true] = page.use_of(their)
                            && let [_, false] = own.use_of(granule)
                        {
                            let len = own.len();
                            own.readers.set(granule, any_thread, len);
                            if is_written {
                                own.writers.set(granule, any_thread, len);
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
