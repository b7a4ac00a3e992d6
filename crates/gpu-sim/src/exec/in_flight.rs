//! Asynchronous copies, and reads of matrix products: those in flight, and who has waited for them.
//!
//! A copy has a start and a completion. From its start on it may read its source and write its destination at any
//! moment; it is complete when the thread that started it has waited for it. Until then every access to the
//! destination, and every write to the source, is an error, by whichever thread. The values arrive when
//! [`Arrival`] says so, which a correct kernel cannot tell.
//!
//! For the race check a copy is an access of its thread twice: at its start, so that it is ordered behind earlier
//! accesses, and at its completion, so that later ones are ordered behind it.
//!
//! [`lines`] finds copies by memory, [`finish`] completes them.
//!
//! # Source
//! PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" and "Proxies"; for AMD the ISA documents of
//! MI300 ("LDS DMA", VMCNT) and LLVM's `SIInsertWaitcnts`.

mod finish;
mod lines;

use self::lines::{Lines, overlap, region};
use super::mbarrier::Phase;
use super::{Exec, Field, Place};
use crate::code::Reg;
use crate::data::{ElementTy, split_mix};
use crate::error::{FaultKind, KernelError};
use crate::launch::Arrival;
use std::collections::VecDeque;

/// The counter by which a thread waits for its copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    /// Groups of `cp.async`.
    Group,
    /// Groups of `cp.async.bulk`, which access memory through the async proxy.
    Bulk,
    /// A wave's VMCNT: copies to LDS before gfx12.
    Vector,
    /// A wave's ASYNCCNT: copies to LDS of gfx1250.
    Async,
    /// Groups of `wgmma`, which read memory through the async proxy; a warp's are those of its first lane.
    Product,
    /// Copies whose bytes a barrier in memory expects, through the async proxy.
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

    /// Returns true if all lanes of a wave share one counter, which counts instructions.
    const fn is_of_wave(self) -> bool {
        matches!(self, Self::Vector | Self::Async)
    }

    /// The instruction that waits.
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

    /// Returns true if memory is accessed through the async proxy.
    const fn is_of_async_proxy(self) -> bool {
        matches!(self, Self::Bulk | Self::Product | Self::Transaction)
    }

    /// The words of messages for an instruction of the channel, long and short.
    const fn work(self) -> (&'static str, &'static str) {
        match self {
            Self::Product => ("a matrix product", "product"),
            _ => ("an asynchronous copy", "copy"),
        }
    }
}

/// The bytes that a copy of one lane moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) from: Place,
    pub(crate) to: Place,
    /// Bytes that are read; the rest of the destination becomes 0.
    pub(crate) read: u32,
    /// Bytes that are written; none where a matrix product reads.
    pub(crate) size: u32,
    /// A register that holds nothing else.
    pub(crate) scratch: Reg,
    /// The barrier and the phase of it that the bytes count for.
    pub(crate) awaited: Option<Phase>,
    /// The type of the elements that are added to the destination, instead of stored.
    pub(crate) adds: Option<ElementTy>,
}

impl Transfer {
    /// A transfer of so many bytes of a source to so many of a destination.
    pub(crate) const fn new(
        (from, read): (Place, u32),
        (to, size): (Place, u32),
        scratch: Reg,
    ) -> Self {
        Self {
            from,
            to,
            read,
            size,
            scratch,
            awaited: None,
            adds: None,
        }
    }
}

/// A copy in flight.
#[derive(Debug)]
struct Copy {
    transfer: Transfer,
    /// The instruction that started it.
    op: u32,
    lane: u32,
    channel: Channel,
    /// The number of its group, or of its instruction in its wave.
    ticket: u32,
    data: Box<[u8]>,
    has_arrived: bool,
    /// The source has been read for good.
    is_read: bool,
}

/// The ticket of copies whose group is not closed.
const OPEN: u32 = u32::MAX;
/// The copies of a block that are in flight.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// For each channel and lane the copies, in the order in which they were started.
    queues: Vec<VecDeque<Copy>>,
    /// For each channel and lane the number of closed groups; the first lane of a wave counts its instructions.
    closed: Vec<u32>,
    written: Lines,
    read: Lines,
    count: usize,
    /// Draws when copies arrive.
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

    /// Forgets the copies of a block.
    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.closed.fill(0);
        self.written.clear();
        self.read.clear();
        self.count = 0;
    }

    /// Returns true if a copy may forbid an access. Quick, and sometimes true where none does.
    #[inline]
    pub(super) fn may_meet(&self, place: Place, bytes: u32, writes: bool) -> bool {
        self.count > 0 && (self.written.has(place, bytes) || writes && self.read.has(place, bytes))
    }

    /// A copy that forbids an access, its channel, and whether it is its destination that is accessed.
    fn find(&self, place: Place, bytes: u32, writes: bool) -> Option<(&Copy, Channel, bool)> {
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
            let is_written = copy.transfer.adds.is_none() && overlap(place, bytes, to, size);
            let is_read = writes && !copy.is_read && overlap(place, bytes, from, read);
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

    /// The lane whose counter counts for a lane.
    fn counting_lane(&self, channel: Channel, lane: u32) -> u32 {
        match channel.is_of_wave() {
            true => lane - lane % self.launch.machine.lanes_per_warp,
            false => lane,
        }
    }

    /// Checks that no copy in flight forbids an access.
    #[inline]
    pub(super) fn check_in_flight(
        &self,
        lane: u32,
        place: Place,
        bytes: u32,
        writes: bool,
    ) -> Result<(), KernelError> {
        match self.in_flight.may_meet(place, bytes, writes) {
            true => self.meets_copy(lane, place, bytes, writes),
            false => Ok(()),
        }
    }

    #[cold]
    fn meets_copy(
        &self,
        lane: u32,
        place: Place,
        bytes: u32,
        writes: bool,
    ) -> Result<(), KernelError> {
        let Some((copy, channel, is_destination)) = self.in_flight.find(place, bytes, writes)
        else {
            return Ok(());
        };
        let verb = if writes { "store to" } else { "load of" };
        let at = region(place).map_or(0, |(_, at)| at);
        let does = if is_destination { "writes" } else { "reads" };
        let (work, name) = channel.work();
        let text = format!(
            "{verb} {}, which {work} in flight still {does}",
            self.byte_name(place, at)
        );
        let copier = self.place(copy.lane);
        let site = self.program.site(copy.op);
        Err(self
            .fault(FaultKind::InFlight, lane, text)
            .note(format!("the {name} is {site}"))
            .note(format!(
                "{copier} started it and has not waited for it: `{}`",
                channel.wait()
            )))
    }

    /// Starts a copy of a lane.
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
        let mut copy = Copy {
            transfer,
            op: self.op,
            lane,
            channel,
            ticket: OPEN,
            data: vec![0; size.max(transfer.read) as usize].into(),
            has_arrived: false,
            is_read: false,
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

    /// Reads a copy's source as its thread.
    fn read_source(&mut self, copy: &mut Copy) -> Result<(), KernelError> {
        let Transfer {
            from,
            read,
            scratch,
            ..
        } = copy.transfer;
        self.uses_memory(copy.lane, from, read)?;
        for (start, part) in (0..)
            .step_by(4)
            .zip(copy.data[..read as usize].chunks_mut(4))
        {
            let field = Field {
                reg: scratch,
                offset: start,
                bytes: part.len() as u8,
            };
            self.read_place(copy.lane, from, &[field], None)?;
            let value = self.get(scratch, copy.lane).to_le_bytes();
            part.copy_from_slice(&value[..part.len()]);
        }
        Ok(())
    }

    /// Writes a copy's destination as its thread.
    fn write_destination(&mut self, copy: &Copy) -> Result<(), KernelError> {
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

    /// Closes the groups of the active lanes.
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

    /// Counts a copy instruction of the active waves.
    pub(crate) fn count_copy(&mut self, channel: Channel) {
        for (warp, _) in self.active_warps() {
            let counter = self.queue(channel, warp * self.launch.machine.lanes_per_warp);
            self.in_flight.closed[counter] += 1;
        }
    }

    /// The active lanes wait until at most `most` of their groups are in flight; lanes of a wave wait together where
    /// the wave counts instructions. With `only_reads` the sources alone are free afterwards.
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
                && let Some(copy) = self.in_flight.queues[queue].pop_front()
            {
                self.complete(copy)?;
            }
        }
        Ok(())
    }
}
