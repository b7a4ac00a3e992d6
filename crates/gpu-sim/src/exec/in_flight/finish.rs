//! The completion of copies: by a wait, by a phase of a barrier, at the end of a block.

use super::super::mbarrier::Phase;
use super::super::{Exec, Place};
use super::{Channel, Copy, Transfer};
use crate::data::ElementTy;
use crate::error::{FaultKind, KernelError};
use gpu_race::{AccessKind, Scope};
use std::collections::VecDeque;

impl Exec<'_> {
    /// Adds elements to a copy's destination, one after the other, atomically.
    pub(super) fn add_to_destination(
        &mut self,
        lane: u32,
        to: Place,
        ty: ElementTy,
        data: &[u8],
    ) -> Result<(), KernelError> {
        let bytes = ty.bytes();
        let offsets = (0..).step_by(bytes);
        for (offset, part) in offsets.zip(data.chunks_exact(bytes)) {
            let place = to.behind(offset);
            let kind = AccessKind::AtomicWrite(Scope::Device);
            self.note_access(lane, place, (0, bytes), kind, 0)?;
            let old = self.value_at(place, bytes as u8);
            let added = crate::memory::read_le(part, 0, bytes as u8);
            let sum = match ty {
                ElementTy::Float(ty) => ty.from_f64(ty.to_f64(old) + ty.to_f64(added)),
                ElementTy::Int(_) | ElementTy::Float8(_) => old.wrapping_add(added),
            };
            self.put(lane, place, bytes as u8, sum);
            self.notice_change(sum != old);
        }
        Ok(())
    }

    /// A copy is complete.
    pub(super) fn complete(&mut self, mut copy: Copy) -> Result<(), KernelError> {
        let Transfer {
            from,
            to,
            read,
            size,
            ..
        } = copy.transfer;
        let waits = std::mem::replace(&mut self.op, copy.op);
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
        // What has been added is there.
        if copy.transfer.adds.is_none() || !copy.has_arrived {
            self.write_destination(&copy)?;
        }
        self.op = waits;
        Ok(())
    }

    /// A lane has seen that the phases of a barrier before this one have ended: what they expected has come. Returns the lanes
    /// that had copied it.
    pub(in crate::exec) fn complete_phases(
        &mut self,
        current: Phase,
    ) -> Result<Vec<u32>, KernelError> {
        let mut copiers = Vec::new();
        if self.in_flight.count == 0 {
            return Ok(copiers);
        }
        for lane in 0..self.num_threads {
            let queue = self.queue(Channel::Transaction, lane);
            let copies = std::mem::take(&mut self.in_flight.queues[queue]);
            let is_over = |copy: &Copy| {
                let awaited = copy.transfer.awaited;
                awaited.is_some_and(|awaited| awaited.is_before(current))
            };
            let (over, rest): (VecDeque<Copy>, _) = copies.into_iter().partition(is_over);
            self.in_flight.queues[queue] = rest;
            if !over.is_empty() {
                copiers.push(lane);
            }
            over.into_iter().try_for_each(|copy| self.complete(copy))?;
        }
        Ok(copiers)
    }

    /// The copies of a queue before a ticket have read their sources.
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

    /// The block is over: what goes to global memory arrives, if its source outlived the copy.
    pub(in crate::exec) fn end_copies(&mut self) -> Result<(), KernelError> {
        if self.in_flight.count == 0 {
            return Ok(());
        }
        for queue in 0..self.in_flight.queues.len() {
            while let Some(copy) = self.in_flight.queues[queue].pop_front() {
                match (copy.transfer.from, copy.transfer.to) {
                    (Place::Shared { .. }, Place::Global { .. }) if !copy.is_read => {
                        self.op = copy.op;
                        let text = "the block returns while an asynchronous copy still reads its shared memory";
                        let error = self.fault(FaultKind::InFlight, copy.lane, text.to_owned());
                        return Err(error.note(format!(
                            "its thread has not waited for it: `{}`",
                            Channel::Bulk.wait()
                        )));
                    }
                    (_, Place::Global { .. }) => self.complete(copy)?,
                    _ if matches!(copy.channel, Channel::Transaction | Channel::Group) => {
                        self.op = copy.op;
                        let text = "the block returns while an asynchronous copy still writes its shared memory";
                        let error = self.fault(FaultKind::InFlight, copy.lane, text.to_owned());
                        return Err(error.note(format!(
                            "no thread has waited for it: `{}`",
                            copy.channel.wait()
                        )));
                    }
                    // The block has returned: its shared memory is gone.
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
