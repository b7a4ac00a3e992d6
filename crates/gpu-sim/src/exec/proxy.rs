//! Proxies: what threads write through the generic proxy, the async proxy sees behind a proxy fence only.
//!
//! A fence may be executed by the thread that wrote, before a barrier, or by one that comes after the barrier: it must
//! lie on the way from the write to the asynchronous access.
//!
//! ```text
//! store; fence.proxy.async; barrier; copy          store; barrier; fence.proxy.async; copy
//! ```
//! A tensor map that `tensormap.cp_fenceproxy` has written is read by copies through a proxy of its own: some thread of
//! the block acquires its address before the first of them.
//!
//! # Source
//! PTX ISA, "Memory Consistency Model: Proxies" and "membar, fence: fence.proxy.async", "fence.proxy.tensormap".

use super::{Exec, Place};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::tensor_map::MAP_BYTES;
use gpu_race::{ExecutionPoint, ThreadClock};
use rustc_hash::FxHashMap;

/// A moment in a thread of the block.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    lane: u32,
    /// The instruction.
    op: u32,
    /// Ordered with other moments of the same thread.
    time: u64,
    block_epoch: u32,
    warp_epoch: u32,
    /// The time of the clocks that atomic accesses keep.
    clock: u32,
}

/// A proxy fence, and what its thread knew of others.
#[derive(Clone, Debug)]
struct Fence {
    at: Moment,
    known: Option<ThreadClock>,
}

/// The generic writes to shared memory, and the proxy fences, of a block.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// For each shared variable and byte the last write.
    writes: Vec<Vec<Option<Moment>>>,
    fences: Vec<Fence>,
    /// The tensor maps in global memory that were written and not acquired since, with the instruction.
    maps: FxHashMap<(usize, usize), u32>,
    time: u64,
}

impl Proxies {
    /// Forgets a block.
    pub(super) fn clear(&mut self) {
        self.writes.clear();
        self.fences.clear();
        self.maps.clear();
    }
}

impl Exec<'_> {
    fn proxy_moment(&mut self, lane: u32) -> Moment {
        let now = self.now(lane);
        let time = self.proxies.as_mut().map_or(0, |proxies| {
            proxies.time += 1;
            proxies.time
        });
        Moment {
            lane,
            op: self.op,
            time,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
            clock: self.happens.as_ref().map_or(0, |happens| happens.time()),
        }
    }

    /// Returns true if a moment certainly comes before another one, whose thread knew this of others.
    fn is_before(&self, a: Moment, b: Moment, known: Option<&ThreadClock>) -> bool {
        let per_warp = self.launch.machine.lanes_per_warp;
        if a.lane == b.lane {
            return a.time < b.time;
        }
        let then = ExecutionPoint {
            op: a.op,
            block_epoch: a.block_epoch,
            warp_epoch: a.warp_epoch,
            ..self.now(a.lane)
        };
        a.block_epoch < b.block_epoch
            || a.lane / per_warp == b.lane / per_warp && a.warp_epoch < b.warp_epoch
            || known.is_some_and(|known| known.covers(then, a.clock))
    }

    fn known(&self, lane: u32) -> Option<&ThreadClock> {
        let happens = self.happens.as_ref()?;
        happens.threads.get(lane as usize)
    }

    /// Notes a write through the generic proxy.
    pub(super) fn note_generic_write(&mut self, lane: u32, place: Place, bytes: usize) {
        let Place::Shared { var, at, .. } = place else {
            return;
        };
        let moment = self.proxy_moment(lane);
        let size = self.shared[var].bytes.len();
        let Some(proxies) = &mut self.proxies else {
            return;
        };
        if proxies.writes.len() <= var {
            proxies.writes.resize(var + 1, Vec::new());
        }
        let writes = &mut proxies.writes[var];
        writes.resize(size, None);
        writes[at..at + bytes].fill(Some(moment));
    }

    /// The active lanes execute a fence between the generic and the async proxy.
    pub(crate) fn proxy_fence(&mut self) {
        if self.proxies.is_none() {
            return;
        }
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            let fence = Fence {
                at: self.proxy_moment(lane),
                known: self.known(lane).cloned(),
            };
            if let Some(proxies) = &mut self.proxies {
                proxies.fences.push(fence);
            }
        }
    }

    /// Notes that bytes were written through the async proxy.
    pub(super) fn forget_generic_writes(&mut self, place: Place, bytes: u32) {
        if let (Some(proxies), Place::Shared { var, at, .. }) = (&mut self.proxies, place)
            && let Some(writes) = proxies.writes.get_mut(var)
            && let Some(writes) = writes.get_mut(at..at + bytes as usize)
        {
            writes.fill(None);
        }
    }

    /// A lane has written a tensor map, or acquires one.
    pub(crate) fn tensor_map_proxy(
        &mut self,
        lane: u32,
        (addr, offset): (Reg, i64),
        acquires: bool,
    ) -> Result<(), KernelError> {
        let address = self.get(addr, lane).wrapping_add_signed(offset);
        let place = self.resolve(lane, Space::Generic, address, MAP_BYTES as u32, 64, "load")?;
        let op = self.op;
        if let (Some(proxies), Place::Global { buffer, at }) = (&mut self.proxies, place) {
            match acquires {
                true => proxies.maps.remove(&(buffer, at)),
                false => proxies.maps.insert((buffer, at), op),
            };
        }
        Ok(())
    }

    /// Checks that a tensor map may be read by a copy.
    pub(super) fn check_tensor_map(&self, lane: u32, place: Place) -> Result<(), KernelError> {
        let (Some(proxies), Place::Global { buffer, at }) = (&self.proxies, place) else {
            return Ok(());
        };
        let Some(op) = proxies.maps.get(&(buffer, at)) else {
            return Ok(());
        };
        let text = format!(
            "copy by the tensor map at {}, with no `fence.proxy.tensormap::generic.acquire` after it was written",
            self.byte_name(place, at)
        );
        let error = self.fault(FaultKind::MissingFence, lane, text);
        Err(error.note(format!("it was written by {}", self.program.site(*op))))
    }

    /// Checks that bytes of shared memory may be accessed through the async proxy.
    pub(super) fn check_proxy(
        &mut self,
        lane: u32,
        place: Place,
        bytes: u32,
        does: &str,
    ) -> Result<(), KernelError> {
        let now = self.proxy_moment(lane);
        let (Some(proxies), Place::Shared { var, window, at }) = (&self.proxies, place) else {
            return Ok(());
        };
        let Some(writes) = proxies.writes.get(var) else {
            return Ok(());
        };
        let mut last = None;
        for byte in at..at + bytes as usize {
            let Some(write) = writes.get(byte).copied().flatten() else {
                continue;
            };
            if last == Some(write.time) {
                continue;
            }
            let mut fences = proxies.fences.iter().rev();
            let orders = |fence: &Fence| {
                self.is_before(write, fence.at, fence.known.as_ref())
                    && self.is_before(fence.at, now, self.known(lane))
            };
            if !fences.any(orders) {
                let text = format!(
                    "{does} of {} through the async proxy, with no `fence.proxy.async` after it was written",
                    self.shared_byte(window, byte)
                );
                let site = self.program.site(write.op);
                return Err(self
                    .fault(FaultKind::MissingFence, lane, text)
                    .note(format!("it was written by {site}"))
                    .note(
                        "the writers execute the fence before the barrier, or the reader after it",
                    ));
            }
            last = Some(write.time);
        }
        Ok(())
    }
}
