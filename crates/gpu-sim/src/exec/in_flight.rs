//! Asynchronous copies and matrix products in flight, and the instructions that wait for them.
//!
//! A copy may read its source and write its destination at any time between its start and its completion. A copy
//! completes when its thread waits for the copy, or when any thread observes the mbarrier phase that the copy signals.
//! Until then, accesses to the destination and writes to the source are faults. [`Arrival`] decides when the
//! destination is written, which a correct kernel cannot observe.
//!
//! For race detection, a copy is two accesses of its thread: one at the start, ordered after earlier accesses, and one
//! at the completion, ordered before later accesses. If the copy signals an mbarrier, the second access belongs to an
//! additional thread that begins at the start of the copy. A thread that observes the phase is then not ordered after
//! later accesses of the copying thread.
//!
//! [`lines`] indexes copies by memory, [`finish`] completes them.
//!
//! # Source
//! PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" and "Proxies". For AMD, the ISA documents of
//! MI300 ("LDS DMA", VMCNT) and LLVM's `SIInsertWaitcnts`.

mod finish;
mod lines;

use self::lines::{Lines, overlap, region};
use super::mbarrier::Phase;
use super::{Exec, Field, MemoryLocation};
use crate::code::Reg;
use crate::data::{ElementTy, split_mix};
use crate::error::{FaultKind, KernelError};
use crate::launch::Arrival;
use gpu_race::ThreadClock;
use std::collections::VecDeque;

/// A mechanism by which threads wait for asynchronous copies or matrix products: groups of copies or products, a
/// hardware counter, or an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    /// Groups of `cp.async` copies.
    Group,
    /// Groups of `cp.async.bulk` copies, which access memory through the async proxy.
    Bulk,
    /// The counter VMCNT. On targets before gfx12, it counts the copies to LDS that a wave starts.
    Vector,
    /// The counter ASYNCCNT. On gfx1250, it counts the copies to LDS that a wave starts.
    Async,
    /// Groups of `wgmma` products, which read memory through the async proxy. The products of a warp are recorded
    /// at its first lane.
    Product,
    /// Copies through the async proxy that signal an mbarrier.
    Transaction,
}

impl Channel {
    const ALL: [Self; 6] = [
        Self::Group,
        Self::Bulk,
        Self::Vector,
        Self::Async,
        Self::Product,
        Self::Transaction,
    ];

    /// Returns true if the channel is a hardware counter that all lanes of a wave share (VMCNT or ASYNCCNT).
    const fn is_of_wave(self) -> bool {
        matches!(self, Self::Vector | Self::Async)
    }

    const fn wait(self) -> &'static str {
        match self {
            Self::Group => "cp.async.wait_group",
            Self::Bulk => "cp.async.bulk.wait_group",
            Self::Vector => "s_waitcnt vmcnt",
            Self::Async => "s_wait_asynccnt",
            Self::Product => "wgmma.wait_group",
            Self::Transaction => "mbarrier.try_wait",
        }
    }

    const fn is_of_async_proxy(self) -> bool {
        matches!(self, Self::Bulk | Self::Product | Self::Transaction)
    }

    /// Returns (long name, short name) of the asynchronous work, for messages.
    const fn work(self) -> (&'static str, &'static str) {
        match self {
            Self::Product => ("a matrix product", "product"),
            _ => ("an asynchronous copy", "copy"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) from: MemoryLocation,
    pub(crate) to: MemoryLocation,
    /// Number of bytes to read from the source. Every further byte `i` of the destination is set to
    /// `filler[i % filler.len()]`.
    pub(crate) read: u32,
    pub(crate) filler: &'static [u8],
    /// Number of bytes that are written to the destination; 0 for a matrix product, which only reads memory.
    pub(crate) size: u32,
    /// Register through which the simulator copies the bytes from the source to the destination.
    pub(crate) scratch: Reg,
    /// Mbarrier phase that the copy signals; `None` if the copy does not signal an mbarrier.
    pub(crate) awaited: Option<Phase>,
    /// Element type of a copy that adds to the destination; `None` if it overwrites the destination.
    pub(crate) adds: Option<ElementTy>,
}

impl Transfer {
    pub(crate) const fn new(
        (from, read): (MemoryLocation, u32),
        (to, size): (MemoryLocation, u32),
        scratch: Reg,
    ) -> Self {
        Self {
            from,
            to,
            read,
            filler: &[0],
            size,
            scratch,
            awaited: None,
            adds: None,
        }
    }
}

#[derive(Debug)]
struct CopyInFlight {
    transfer: Transfer,
    op: u32,
    lane: u32,
    channel: Channel,
    /// Index of the group that contains the copy, or [`OPEN`] before this group is committed. If a counter of the
    /// wave (VMCNT or ASYNCCNT) tracks the copy, this is the index of the copy instruction among all copy
    /// instructions of the wave.
    ticket: u32,
    data: Box<[u8]>,
    has_arrived: bool,
    /// True if the source has been read and may be overwritten.
    is_read: bool,
    /// Vector clock of a copy that signals an mbarrier; `None` for all other copies.
    clock: Option<ThreadClock>,
}

/// Ticket of a copy whose group is not committed yet.
const OPEN: u32 = u32::MAX;
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// One queue of copies in flight for each channel and lane. Each queue is in the order in which its copies
    /// started.
    queues: Vec<VecDeque<CopyInFlight>>,
    /// For each channel and lane, the number of committed groups. For the channels [`Channel::Vector`] and
    /// [`Channel::Async`], it is instead the number of copy instructions that the wave has executed, stored at the
    /// first lane of the wave.
    closed: Vec<u32>,
    written: Lines,
    read: Lines,
    count: usize,
    draws: u64,
}

impl InFlight {
    pub(super) fn new(threads: u32) -> Self {
        let size = Channel::ALL.len() * threads as usize;
        Self {
            queues: (0..size).map(|_| VecDeque::new()).collect(),
            closed: vec![0; size],
            ..Self::default()
        }
    }

    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.closed.fill(0);
        self.written.clear();
        self.read.clear();
        self.count = 0;
    }

    /// Checks quickly for copies in flight that conflict with an access. May return true without a conflict, but
    /// returns false only if there is none.
    #[inline]
    pub(super) fn may_conflict(&self, location: MemoryLocation, bytes: u32, writes: bool) -> bool {
        self.count > 0
            && (self.written.has(location, bytes) || writes && self.read.has(location, bytes))
    }

    /// Returns (copy, channel of the copy, flag) for a copy in flight that conflicts with an access. The flag is
    /// true if the access touches the destination of the copy, and false if it touches the source.
    fn find(
        &self,
        location: MemoryLocation,
        bytes: u32,
        writes: bool,
    ) -> Option<(&CopyInFlight, Channel, bool)> {
        let per_channel = self.queues.len() / Channel::ALL.len();
        let queues = self.queues.iter().enumerate();
        let mut copies = queues.flat_map(|(index, queue)| {
            let channel = Channel::ALL[index / per_channel];
            queue.iter().map(move |copy| (copy, channel))
        });
        copies.find_map(|(copy, channel)| {
            let Transfer {
                from,
                to,
                read,
                size,
                ..
            } = copy.transfer;
            let is_written = copy.transfer.adds.is_none() && overlap(location, bytes, to, size);
            let is_read = writes && !copy.is_read && overlap(location, bytes, from, read);
            (is_written || is_read).then_some((copy, channel, is_written))
        })
    }

    fn draw(&mut self, seed: u64) -> bool {
        self.draws += 1;
        split_mix(&mut (seed ^ self.draws)) >> 63 == 1
    }
}

impl Exec<'_> {
    fn queue(&self, channel: Channel, lane: u32) -> usize {
        channel as usize * self.num_threads as usize + lane as usize
    }

    /// Returns the lane at which the copies of `lane` are counted. This is the first lane of the wave if all lanes
    /// of the wave share the counter of `channel`, and `lane` itself otherwise.
    fn counting_lane(&self, channel: Channel, lane: u32) -> u32 {
        match channel.is_of_wave() {
            true => lane - lane % self.launch.machine.lanes_per_warp,
            false => lane,
        }
    }

    #[inline]
    pub(super) fn check_in_flight(
        &self,
        lane: u32,
        location: MemoryLocation,
        bytes: u32,
        writes: bool,
    ) -> Result<(), KernelError> {
        match self.in_flight.may_conflict(location, bytes, writes) {
            true => self.meets_copy(lane, location, bytes, writes),
            false => Ok(()),
        }
    }

    #[cold]
    fn meets_copy(
        &self,
        lane: u32,
        location: MemoryLocation,
        bytes: u32,
        writes: bool,
    ) -> Result<(), KernelError> {
        let Some((copy, channel, is_destination)) = self.in_flight.find(location, bytes, writes)
        else {
            return Ok(());
        };
        let verb = if writes { "store to" } else { "load from" };
        let at = region(location).map_or(0, |(_, at)| at);
        let does = if is_destination { "writes" } else { "reads" };
        let (work, name) = channel.work();
        let text = format!(
            "{verb} {}, which {work} in flight {does}",
            self.byte_name(location, at)
        );
        let copier = self.thread_id(copy.lane);
        let site = self.program.site(copy.op);
        Err(self
            .fault(FaultKind::InFlight, lane, text)
            .note(format!("the {name} is {site}"))
            .note(format!(
                "{copier} started the {name} and has not waited with `{}`",
                channel.wait()
            )))
    }

    pub(crate) fn start_copy(
        &mut self,
        channel: Channel,
        lane: u32,
        transfer: Transfer,
    ) -> Result<(), KernelError> {
        let Transfer { from, to, size, .. } = transfer;
        if channel.is_of_async_proxy() {
            self.check_proxy(lane, from, transfer.read, "read")?;
            self.check_proxy(lane, to, size, "write")?;
        }
        let filler = transfer.filler.iter().copied().cycle();
        let mut copy = CopyInFlight {
            transfer,
            op: self.op,
            lane,
            channel,
            ticket: OPEN,
            data: filler.take(size.max(transfer.read) as usize).collect(),
            has_arrived: false,
            is_read: false,
            clock: None,
        };
        self.read_source(&mut copy)?;
        let before: Vec<u8> = (0..size as usize)
            .map(|byte| self.value_at(to.behind(byte), 1) as u8)
            .collect();
        self.write_destination(&copy)?;
        copy.has_arrived = match self.launch.arrival {
            Arrival::Early => true,
            Arrival::Late => false,
            Arrival::Random(seed) => self.in_flight.draw(seed),
        };
        if !copy.has_arrived {
            for (byte, value) in before.into_iter().enumerate() {
                self.put(lane, to.behind(byte), 1, value.into());
            }
        }
        if channel.is_of_wave() {
            let counter = self.queue(channel, self.counting_lane(channel, lane));
            copy.ticket = self.in_flight.closed[counter];
        }
        if copy.transfer.adds.is_none() {
            self.in_flight.written.add(to, size);
        }
        self.in_flight.read.add(from, transfer.read);
        self.in_flight.count += 1;
        let queue = self.queue(channel, lane);
        self.in_flight.queues[queue].push_back(copy);
        Ok(())
    }

    /// Assigns a vector clock to each copy that the current instruction started for `lane`. Later accesses of
    /// `lane` are then concurrent with these copies.
    pub(super) fn fork_copies(&mut self, lane: u32) {
        let Some(clock) = self.fork(lane) else { return };
        let queue = self.queue(Channel::Transaction, lane);
        let copies = self.in_flight.queues[queue].iter_mut().rev();
        for copy in copies.take_while(|copy| copy.clock.is_none()) {
            copy.clock = Some(clock.clone());
        }
    }

    /// Makes `phase` wait for the `cp.async` copies of `lane` that are in flight. Copies for which a phase already
    /// waits are unchanged.
    pub(super) fn attach_copies(&mut self, lane: u32, phase: Phase) {
        let clock = self.fork(lane);
        let queue = self.queue(Channel::Group, lane);
        let copies = self.in_flight.queues[queue].iter_mut();
        for copy in copies.filter(|copy| copy.transfer.awaited.is_none()) {
            copy.transfer.awaited = Some(phase);
            copy.clock = clock.clone();
        }
    }

    /// Reads the source of a copy. Race detection attributes the read to the thread that started the copy.
    fn read_source(&mut self, copy: &mut CopyInFlight) -> Result<(), KernelError> {
        let Transfer {
            from,
            read,
            scratch,
            ..
        } = copy.transfer;
        self.check_defined_memory(copy.lane, from, read)?;
        for (start, part) in (0..)
            .step_by(4)
            .zip(copy.data[..read as usize].chunks_mut(4))
        {
            let field = Field {
                reg: scratch,
                offset: start,
                bytes: part.len() as u8,
            };
            self.read_location(copy.lane, from, &[field], None)?;
            let value = self.get(scratch, copy.lane).to_le_bytes();
            part.copy_from_slice(&value[..part.len()]);
        }
        Ok(())
    }

    /// Writes the destination of a copy. Race detection attributes the write to the thread that started the copy.
    fn write_destination(&mut self, copy: &CopyInFlight) -> Result<(), KernelError> {
        let Transfer {
            to, scratch, size, ..
        } = copy.transfer;
        let data = &copy.data[..size as usize];
        if let Some(ty) = copy.transfer.adds {
            return self.add_to_destination(copy.lane, to, ty, data);
        }
        for (start, part) in (0..).step_by(4).zip(data.chunks(4)) {
            let mut value = [0; 8];
            value[..part.len()].copy_from_slice(part);
            let (value, bytes) = (u64::from_le_bytes(value), part.len() as u8);
            self.write_value(copy.lane, to, start, bytes, value)?;
            self.store_marks(copy.lane, (to, start), bytes.into(), (scratch, 0));
        }
        if copy.channel.is_of_async_proxy() {
            self.forget_generic_writes(to, size);
        }
        Ok(())
    }

    /// Commits the open group of each active lane.
    pub(crate) fn close_group(&mut self, channel: Channel) {
        for index in 0..self.lanes.len() {
            let queue = self.queue(channel, self.lanes[index]);
            let ticket = self.in_flight.closed[queue];
            self.in_flight.closed[queue] += 1;
            let copies = self.in_flight.queues[queue].iter_mut().rev();
            copies
                .take_while(|copy| copy.ticket == OPEN)
                .for_each(|copy| copy.ticket = ticket);
        }
    }

    /// Increments the copy counter of each active wave.
    pub(crate) fn count_copy(&mut self, channel: Channel) {
        for (warp, _) in self.active_warps() {
            let counter = self.queue(channel, warp * self.launch.machine.lanes_per_warp);
            self.in_flight.closed[counter] += 1;
        }
    }

    /// Waits until each active lane has at most `most` groups in flight. If all lanes of a wave share the counter
    /// of `channel`, waits until each active wave has at most `most` copies in flight. If `only_reads` is true,
    /// waits only until the sources of the remaining copies are read.
    pub(crate) fn wait_for_copies(
        &mut self,
        channel: Channel,
        most: u32,
        only_reads: bool,
    ) -> Result<(), KernelError> {
        if self.in_flight.count == 0 {
            return Ok(());
        }
        let per_warp = self.launch.machine.lanes_per_warp;
        let lanes: Vec<u32> = match channel.is_of_wave() {
            false => self.lanes.clone(),
            true => self
                .active_warps()
                .into_iter()
                .flat_map(|(warp, _)| warp * per_warp..(warp + 1) * per_warp)
                .filter(|lane| *lane < self.num_threads)
                .collect(),
        };
        for lane in lanes {
            let counter = self.queue(channel, self.counting_lane(channel, lane));
            let end = self.in_flight.closed[counter].saturating_sub(most);
            let queue = self.queue(channel, lane);
            if only_reads {
                self.free_sources(queue, end)?;
                continue;
            }
            while self.in_flight.queues[queue]
                .front()
                .is_some_and(|copy| copy.ticket < end)
                && let Some(mut copy) = self.in_flight.queues[queue].pop_front()
            {
                // The thread that waits is the one that started the copy.
                copy.clock = None;
                self.complete(copy)?;
            }
        }
        Ok(())
    }
}
