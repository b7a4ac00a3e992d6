//! Completion of copies: by a wait, by an mbarrier phase, or at the end of the block.

use super::super::mbarrier::Phase;
use super::super::{Exec, MemoryLocation};
use super::{Channel, CopyInFlight, Transfer};
use crate::data::ElementTy;
use crate::error::{FaultKind, KernelError};
use gpu_race::{AccessKind, Scope, ThreadClock};
use std::collections::VecDeque;

impl Exec<'_> {
    pub(super) fn add_to_destination(
        &mut self,
        lane: u32,
        to: MemoryLocation,
        ty: ElementTy,
        data: &[u8],
    ) -> Result<(), KernelError> {
        let bytes = ty.bytes();
        let offsets = (0..).step_by(bytes);
        for (offset, part) in offsets.zip(data.chunks_exact(bytes)) {
            let location = to.behind(offset);
            let kind = AccessKind::AtomicWrite(Scope::Device);
            self.note_access(lane, location, (0, bytes), kind, 0)?;
            let old = self.value_at(location, bytes as u8);
            let added = crate::memory::read_le(part, 0, bytes as u8);
            let sum = match ty {
                ElementTy::Float(ty) => ty.from_f64(ty.to_f64(old) + ty.to_f64(added)),
                ElementTy::Int(_) | ElementTy::Float8(_) => old.wrapping_add(added),
            };
            self.put(lane, location, bytes as u8, sum);
            self.notice_change(sum != old);
        }
        Ok(())
    }

    pub(super) fn complete(&mut self, mut copy: CopyInFlight) -> Result<(), KernelError> {
        let Transfer {
            from,
            to,
            read,
            size,
            ..
        } = copy.transfer;
        let waits = std::mem::replace(&mut self.op, copy.op);
        self.completed_copy = copy.clock.take();
        self.in_flight.count -= 1;
        if copy.transfer.adds.is_none() {
            self.in_flight.written.remove(to, size);
        }
        if !copy.is_read {
            self.in_flight.read.remove(from, read);
            let early = copy.has_arrived.then(|| copy.data.clone());
            self.read_source(&mut copy)?;
            copy.data = early.unwrap_or(copy.data);
        }
        // Additions have already been performed.
        if copy.transfer.adds.is_none() || !copy.has_arrived {
            self.write_destination(&copy)?;
        }
        self.completed_copy = None;
        self.op = waits;
        Ok(())
    }

    /// Completes those copies in flight that signal the mbarrier of `current` in an earlier phase than `current`.
    /// Returns pairs (lane that started the copy, vector clock of the copy). Consecutive copies that share a vector
    /// clock give one pair, and copies without a vector clock give none.
    pub(in crate::exec) fn complete_phases(
        &mut self,
        current: Phase,
    ) -> Result<Vec<(u32, ThreadClock)>, KernelError> {
        let mut copiers: Vec<(u32, ThreadClock)> = Vec::new();
        if self.in_flight.count == 0 {
            return Ok(copiers);
        }
        let threads = self.num_threads as usize;
        let first_queues =
            [Channel::Transaction, Channel::Group].map(|channel| self.queue(channel, 0));
        for queue in first_queues
            .into_iter()
            .flat_map(|first| first..first + threads)
        {
            if self.in_flight.queues[queue].is_empty() {
                continue;
            }
            let copies = std::mem::take(&mut self.in_flight.queues[queue]);
            let is_over = |copy: &CopyInFlight| {
                let awaited = copy.transfer.awaited;
                awaited.is_some_and(|awaited| awaited.is_before(current))
            };
            let (over, rest): (VecDeque<CopyInFlight>, _) = copies.into_iter().partition(is_over);
            self.in_flight.queues[queue] = rest;
            for (lane, clock) in over
                .iter()
                .filter_map(|copy| Some((copy.lane, copy.clock.as_ref()?)))
            {
                let is_known = copiers
                    .last()
                    .is_some_and(|(_, last)| last.is_same_as(clock));
                if !is_known {
                    copiers.push((lane, clock.clone()));
                }
            }
            over.into_iter().try_for_each(|copy| self.complete(copy))?;
        }
        Ok(copiers)
    }

    /// Performs the pending source reads of all copies in `queue` with a ticket below `end`. After this call, the
    /// sources may be overwritten.
    pub(super) fn free_sources(&mut self, queue: usize, end: u32) -> Result<(), KernelError> {
        let mut copies = std::mem::take(&mut self.in_flight.queues[queue]);
        for copy in copies
            .iter_mut()
            .filter(|copy| copy.ticket < end && !copy.is_read)
        {
            let waits = std::mem::replace(&mut self.op, copy.op);
            self.in_flight
                .read
                .remove(copy.transfer.from, copy.transfer.read);
            self.read_source(copy)?;
            copy.is_read = true;
            self.op = waits;
        }
        self.in_flight.queues[queue] = copies;
        Ok(())
    }

    /// Completes the copies to global memory at the end of the block. Returns an error for a copy that may still access
    /// shared memory.
    pub(in crate::exec) fn end_copies(&mut self) -> Result<(), KernelError> {
        if self.in_flight.count == 0 {
            return Ok(());
        }
        for queue in 0..self.in_flight.queues.len() {
            while let Some(copy) = self.in_flight.queues[queue].pop_front() {
                match (copy.transfer.from, copy.transfer.to) {
                    (MemoryLocation::Shared { .. }, MemoryLocation::Global { .. })
                        if !copy.is_read =>
                    {
                        self.op = copy.op;
                        let text = "the block returns before an asynchronous copy has finished reading shared \
                            memory";
                        let error = self.fault(FaultKind::InFlight, copy.lane, text.to_owned());
                        return Err(error.note(format!(
                            "the thread that started the copy has not waited with `{}`",
                            Channel::Bulk.wait()
                        )));
                    }
                    (_, MemoryLocation::Global { .. }) => self.complete(copy)?,
                    _ if matches!(copy.channel, Channel::Transaction | Channel::Group) => {
                        self.op = copy.op;
                        let text = "the block returns before an asynchronous copy has finished writing shared \
                            memory";
                        let error = self.fault(FaultKind::InFlight, copy.lane, text.to_owned());
                        return Err(error.note(format!(
                            "no thread has waited for the copy with `{}`",
                            copy.channel.wait()
                        )));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
