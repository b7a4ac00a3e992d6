//! Accesses in a word each: the thread, and the number of the moment, kept once for all records of a launch.

use super::{Group, NO_GROUP, NOBODY, Now, Order};

/// Moments that are kept before records have to do without their numbers.
const MOST_MOMENTS: usize = if cfg!(test) { 1 << 4 } else { 1 << 22 };

/// What the accesses of one instruction have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Moment {
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
    together: u64,
}

/// The moments of a launch, by number.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    list: Vec<Moment>,
    /// The last number of each instruction.
    latest: Vec<u32>,
    /// Those of the block that runs.
    bounds: Bounds,
}

/// The first moments of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The first number of the block, and the first since its last barrier.
    block: u32,
    section: u32,
    block_epoch: u32,
}

impl Moments {
    /// Returns whether [`Shadow::settle`](crate::Shadow::settle) of all records and [`Self::clear`] must come first.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MOST_MOMENTS
    }

    /// Forgets all moments.
    pub fn clear(&mut self) {
        self.list.clear();
        self.latest.clear();
        (self.bounds.block, self.bounds.section) = (0, 0);
    }

    /// The number of the next new moment.
    fn next(&self) -> u32 {
        u32::try_from(self.list.len()).expect("moments are cleared when they are full")
    }

    /// Says that the moments from here on are of another block.
    pub fn begin_block(&mut self) {
        self.bounds.block = self.next();
    }

    /// Exchanges the bounds of the block that runs for those of another one.
    pub fn swap_block(&mut self, bounds: &mut Bounds) {
        std::mem::swap(&mut self.bounds, bounds);
    }

    /// Returns the number of a moment.
    pub fn number(&mut self, now: Now) -> u32 {
        let moment = Moment {
            op: now.op,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
            together: now.together,
        };
        if now.block_epoch > self.bounds.block_epoch {
            self.bounds.block_epoch = now.block_epoch;
            self.bounds.section = self.next();
        }
        let op = now.op as usize;
        if op >= self.latest.len() {
            self.latest.resize(op + 1, u32::MAX);
        }
        let latest = self.latest[op];
        if self.list.get(latest as usize) == Some(&moment) {
            return latest;
        }
        let number = self.next();
        self.list.push(moment);
        self.latest[op] = number;
        number
    }
}

/// One access of one thread, and what it is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Access<'m> {
    /// Its moment.
    pub now: Now,
    /// The number of its moment.
    pub number: u32,
    /// The grouping of threads.
    pub order: Order,
    /// The moments that numbers name.
    pub moments: &'m Moments,
}

/// A thread and a moment in a word, or nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry(u64);

impl Entry {
    pub(crate) const NOBODY: Self = Self(0);

    pub(crate) fn new(thread: u32, number: u32) -> Self {
        Self((u64::from(thread) + 1) << 32 | u64::from(number))
    }

    /// Stands for the cell with this number.
    pub(crate) fn cell(index: usize) -> Self {
        Self(u64::from(u32::MAX) << 32 | index as u64)
    }

    /// Returns the number of the cell that it stands for.
    pub(crate) fn as_cell(self) -> Option<usize> {
        (self.0 >> 32 == u64::from(u32::MAX)).then_some(self.number() as usize)
    }

    pub(crate) fn thread(self) -> u32 {
        ((self.0 >> 32) as u32).wrapping_sub(1)
    }

    /// The number of the moment, or of the cell.
    #[expect(clippy::cast_possible_truncation, reason = "the low half of the word")]
    fn number(self) -> u32 {
        self.0 as u32
    }

    /// The group of this thread and perhaps another one.
    pub(crate) fn group(self, second: u32, moments: &Moments) -> Group {
        if self == Self::NOBODY {
            return NO_GROUP;
        }
        let moment = moments.list[self.number() as usize];
        Group {
            first: self.thread(),
            second,
            op: moment.op,
            block_epoch: moment.block_epoch,
            warp_epoch: moment.warp_epoch,
            together: moment.together,
        }
    }
}

/// The relation of an earlier access to the one in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Past {
    /// There was none, as far as this block can tell.
    None,
    /// It comes before, and no other thread of this memory will ever meet it.
    Over,
    /// It comes before. Where there were two, both do, and nothing but this access is left of the group.
    Before,
    /// Nothing orders it.
    Beside,
}

impl Access<'_> {
    #[inline]
    pub(crate) fn entry(&self) -> Entry {
        Entry::new(self.now.thread, self.number)
    }

    /// Classifies the accesses of a thread, and perhaps of a second one, relative to this access.
    #[inline]
    pub(crate) fn past(&self, entry: Entry, second: u32) -> Past {
        if entry == Entry::NOBODY {
            return Past::None;
        }
        let (order, now, moments) = (self.order, self.now, self.moments);
        let number = entry.number();
        if order.is_block_own && number < moments.bounds.section {
            // What comes before a barrier needs no closer look.
            let is_old = number < moments.bounds.block;
            return if is_old { Past::None } else { Past::Over };
        }
        let moment = moments.list[number as usize];
        let is_before = |thread| {
            order.before(thread, moment.block_epoch, moment.warp_epoch, now)
                || order.is_together(thread, moment.together, now)
        };
        if !is_before(entry.thread()) || (second != NOBODY && !is_before(second)) {
            Past::Beside
        } else {
            Past::Before
        }
    }

    /// Returns whether a group of these two stays the same if this access is added to it.
    #[inline]
    pub(crate) fn is_in(&self, entry: Entry, second: u32) -> bool {
        entry.number() == self.number
            && second != NOBODY
            && self.order.same_warp(entry.thread(), self.now)
    }

    /// Whether nobody can meet the group any more.
    pub(crate) fn is_over(&self, group: &Group) -> bool {
        !group.is_live(self.order)
            || (self.order.is_block_own && group.block_epoch < self.now.block_epoch)
    }

    /// The words for a group, where its moment has a number; `old` are those that it had before the access.
    pub(crate) fn shorten(&self, group: &Group, old: (Entry, u32)) -> Option<(Entry, u32)> {
        let now = self.now;
        let own = (now.op, now.block_epoch, now.warp_epoch, now.together);
        if group.first == NOBODY {
            Some((Entry::NOBODY, NOBODY))
        } else if (
            group.op,
            group.block_epoch,
            group.warp_epoch,
            group.together,
        ) == own
        {
            Some((Entry::new(group.first, self.number), group.second))
        } else {
            let is_old = old.0.as_cell().is_none() && old.0.group(old.1, self.moments) == *group;
            is_old.then_some(old)
        }
    }
}
