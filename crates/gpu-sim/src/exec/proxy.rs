//! Memory proxies: a proxy fence makes generic writes visible to the async proxy.
//!
//! The fence must lie between the write and the asynchronous access in the happens-before order. Either the writing
//! thread executes the fence before a barrier, or another thread executes the fence after the barrier.
//!
//! ```text
//! store; fence.proxy.async; barrier; copy          store; barrier; fence.proxy.async; copy
//! ```
//! Copies read tensor maps through the tensor-map proxy. After `tensormap.cp_fenceproxy` has written a tensor map, a
//! thread of the block must acquire the map before the first copy that uses it.
//!
//! # Source
//! PTX ISA, "Memory Consistency Model: Proxies", and the instructions `fence.proxy.async` and `fence.proxy.tensormap`
//! in "membar, fence".

use super::{Exec, MemoryLocation};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::tensor_map::MAP_BYTES;
use gpu_race::{ExecutionPoint, ThreadClock};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, Default)]
struct EventTime {
    lane: u32,
    op: u32,
    /// Value of a counter that each event increments. It determines the order of the events of one thread.
    time: u64,
    block_epoch: u32,
    warp_epoch: u32,
    /// Result of [`Clocks::time`](gpu_race::Clocks::time) at the event.
    clock: u32,
}

#[derive(Clone, Debug)]
struct FenceEvent {
    at: EventTime,
    known: Option<ThreadClock>,
}

#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// For each shared variable and each byte, the last write through the generic proxy.
    writes: Vec<Vec<Option<EventTime>>>,
    fences: Vec<FenceEvent>,
    /// For each tensor map that was written and not yet acquired, the instruction that wrote it. The key is
    /// (buffer, byte offset).
    maps: FxHashMap<(usize, usize), u32>,
    time: u64,
}

impl Proxies {
    pub(super) fn clear(&mut self) {
        self.writes.clear();
        self.fences.clear();
        self.maps.clear();
    }
}

impl Exec<'_> {
    fn event_time(&mut self, lane: u32) -> EventTime {
        let now = self.now(lane);
        let time = self.proxies.as_mut().map_or(0, |proxies| {
            proxies.time += 1;
            proxies.time
        });
        EventTime {
            lane,
            op: self.op,
            time,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
            clock: self.happens.as_ref().map_or(0, |happens| happens.time()),
        }
    }

    /// Returns true if `a` happens before `b`. `known` is the vector clock of `b`'s thread at `b`.
    fn is_before(&self, a: EventTime, b: EventTime, known: Option<&ThreadClock>) -> bool {
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

    pub(super) fn note_generic_write(&mut self, lane: u32, location: MemoryLocation, bytes: usize) {
        let MemoryLocation::Shared { var, at, .. } = location else {
            return;
        };
        let time = self.event_time(lane);
        let size = self.shared[var].bytes.len();
        let Some(proxies) = &mut self.proxies else {
            return;
        };
        if proxies.writes.len() <= var {
            proxies.writes.resize(var + 1, Vec::new());
        }
        let writes = &mut proxies.writes[var];
        writes.resize(size, None);
        writes[at..at + bytes].fill(Some(time));
    }

    pub(crate) fn proxy_fence(&mut self) {
        if self.proxies.is_none() {
            return;
        }
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            let fence = FenceEvent {
                at: self.event_time(lane),
                known: self.known(lane).cloned(),
            };
            if let Some(proxies) = &mut self.proxies {
                proxies.fences.push(fence);
            }
        }
    }

    /// Removes the records of writes through the generic proxy to the `bytes` bytes at `location`, because the
    /// async proxy now writes these bytes.
    pub(super) fn forget_generic_writes(&mut self, location: MemoryLocation, bytes: u32) {
        if let (Some(proxies), MemoryLocation::Shared { var, at, .. }) =
            (&mut self.proxies, location)
            && let Some(writes) = proxies.writes.get_mut(var)
            && let Some(writes) = writes.get_mut(at..at + bytes as usize)
        {
            writes.fill(None);
        }
    }

    /// If `acquires` is true, records that `lane` acquires a tensor map. Otherwise, records that `lane` writes the
    /// tensor map.
    pub(crate) fn tensor_map_proxy(
        &mut self,
        lane: u32,
        (addr, offset): (Reg, i64),
        acquires: bool,
    ) -> Result<(), KernelError> {
        let address = self.get(addr, lane).wrapping_add_signed(offset);
        let location = self.resolve(lane, Space::Generic, address, MAP_BYTES as u32, 64, "load")?;
        let op = self.op;
        if let (Some(proxies), MemoryLocation::Global { buffer, at }) =
            (&mut self.proxies, location)
        {
            match acquires {
                true => proxies.maps.remove(&(buffer, at)),
                false => proxies.maps.insert((buffer, at), op),
            };
        }
        Ok(())
    }

    pub(super) fn check_tensor_map(
        &self,
        lane: u32,
        location: MemoryLocation,
    ) -> Result<(), KernelError> {
        let (Some(proxies), MemoryLocation::Global { buffer, at }) = (&self.proxies, location)
        else {
            return Ok(());
        };
        let Some(op) = proxies.maps.get(&(buffer, at)) else {
            return Ok(());
        };
        let text = format!(
            "no `fence.proxy.tensormap::generic.acquire` between the write of the tensor map at {} and the \
             copy",
            self.byte_name(location, at)
        );
        let error = self.fault(FaultKind::MissingFence, lane, text);
        Err(error.note(format!(
            "the tensor map was written by {}",
            self.program.site(*op)
        )))
    }

    /// Returns an error if bytes that this access through the async proxy touches were written through the generic
    /// proxy, and no proxy fence lies between the write and this access.
    pub(super) fn check_proxy(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        bytes: u32,
        does: &str,
    ) -> Result<(), KernelError> {
        let now = self.event_time(lane);
        let (Some(proxies), MemoryLocation::Shared { var, window, at }) = (&self.proxies, location)
        else {
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
            let orders = |fence: &FenceEvent| {
                self.is_before(write, fence.at, fence.known.as_ref())
                    && self.is_before(fence.at, now, self.known(lane))
            };
            if !fences.any(orders) {
                let text = format!(
                    "no `fence.proxy.async` between the store to {} and the {does} through the async proxy",
                    self.shared_byte(window, byte)
                );
                let site = self.program.site(write.op);
                return Err(self
                    .fault(FaultKind::MissingFence, lane, text)
                    .note(format!("the store is {site}"))
                    .note(
                        "in the storing thread, execute the fence after the store and before the next barrier",
                    ));
            }
            last = Some(write.time);
        }
        Ok(())
    }
}
