//! Memory order of atomic accesses and fences, and race detection in kernels that use them.
//!
//! Kernels in which only barriers order threads use [`Shadow`](gpu_race::Shadow). All other kernels have a vector clock
//! per thread and an access history per byte.

use super::{Exec, Guard, MemoryLocation};
use crate::error::{FaultKind, KernelError};
use gpu_race::{
    AccessKind, AtomicAddress, Clocks, ExecutionPoint, Findings, History, HistoryAccess, Race,
    Scope, Sync, ThreadClock,
};

const SHARED: u64 = 1 << 63;

/// Flag in the thread, warp and block indices of the access that a copy makes when it completes. The flag is set
/// only if an mbarrier awaits the copy. It distinguishes this access from the accesses of the thread that started
/// the copy.
const COPY: u32 = 1 << 31;

/// Returns the execution point of the access that a copy makes when it completes. `now` is any execution point of
/// the thread that started the copy. The result has the instruction of `now`.
fn completion_point(now: ExecutionPoint) -> ExecutionPoint {
    ExecutionPoint {
        thread: now.thread | COPY,
        block: now.block | COPY,
        warp: now.warp | COPY,
        block_epoch: 0,
        warp_epoch: 0,
        joint_lanes: 0,
        ..now
    }
}

pub(super) struct HappensBefore {
    clocks: Clocks,
    pub(super) threads: Vec<ThreadClock>,
    /// True if global memory has access histories. Shared memory always has access histories.
    is_of_global: bool,
}

impl HappensBefore {
    pub(super) fn new(num_threads: u32, is_of_global: bool) -> Self {
        Self {
            clocks: Clocks::default(),
            threads: Self::start(num_threads),
            is_of_global,
        }
    }

    pub(super) fn start(num_threads: u32) -> Vec<ThreadClock> {
        let first = ThreadClock::default();
        vec![first; num_threads as usize]
    }

    pub(super) fn time(&self) -> u32 {
        self.clocks.time()
    }

    pub(super) fn forget_block(&mut self, block: u32) {
        self.clocks
            .forget(|memory| memory & SHARED != 0 && (memory & !SHARED) >> 32 == u64::from(block));
    }

    /// Records a barrier of the threads `lanes`, which joins their vector clocks.
    pub(super) fn barrier(&mut self, lanes: &[u32]) {
        if lanes.len() == self.threads.len() {
            return Clocks::barrier(&mut self.threads);
        }
        self.with_clocks(lanes, Clocks::barrier);
    }

    /// Records a barrier of some warps, which joins the vector clocks of the threads `lanes`. `warps` contains a
    /// pair (first thread of the warp in the grid, epoch that begins with the barrier) for each warp.
    pub(super) fn barrier_of_warps(&mut self, lanes: &[u32], warps: &[(u32, u32)]) {
        self.with_clocks(lanes, |threads| Clocks::barrier_of_warps(threads, warps));
    }

    fn with_clocks(&mut self, lanes: &[u32], join: impl FnOnce(&mut [ThreadClock])) {
        let take = |lane: &u32| std::mem::take(&mut self.threads[*lane as usize]);
        let mut some: Vec<ThreadClock> = lanes.iter().map(take).collect();
        join(&mut some);
        for (lane, clock) in lanes.iter().zip(some) {
            self.threads[*lane as usize] = clock;
        }
    }
}

impl Exec<'_> {
    /// Returns true if access histories, and not shadow memory, detect the races at `location`.
    pub(super) fn has_history(&self, location: MemoryLocation) -> bool {
        match (&self.happens, location) {
            (None, _) | (_, MemoryLocation::Local { .. }) => false,
            (Some(happens), MemoryLocation::Global { .. }) => happens.is_of_global,
            (Some(_), MemoryLocation::Shared { .. }) => true,
        }
    }

    fn atomic_address(&self, location: MemoryLocation) -> Option<AtomicAddress> {
        match location {
            MemoryLocation::Global { buffer, at } => Some((buffer as u64, at)),
            MemoryLocation::Shared { var, at, .. } => {
                let block = u64::from(self.block_linear) << 32;
                Some((SHARED | block | var as u64, at))
            }
            MemoryLocation::Local { .. } => None,
        }
    }

    /// Checks and records an access to the `count` bytes that begin `offset` bytes after `location`. Bit `i` of
    /// `changes` is set if a write changes byte `i` of the access. Returns the number of bytes to which an
    /// unordered store of another thread had already stored the same value.
    pub(super) fn note_access(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        (offset, count): (usize, usize),
        kind: AccessKind,
        changes: u64,
    ) -> Result<u64, KernelError> {
        let now = self.now(lane);
        let Some(happens) = &self.happens else {
            return Ok(0);
        };
        let (now, thread) = match &self.completed_copy {
            Some(copy) => (completion_point(now), copy),
            None => (now, &happens.threads[lane as usize]),
        };
        let clocks = (&happens.clocks, thread);
        let own = self.memory.buffers.len();
        let (at, history, order): (usize, &mut History, _) = match location {
            MemoryLocation::Global { buffer, at } => {
                let memory = match buffer.checked_sub(own) {
                    None => &mut self.memory.buffers[buffer],
                    Some(symbol) => &mut self.symbols[symbol],
                };
                if !self.launch.check_global_races || !memory.writable {
                    return Ok(0);
                }
                (at + offset, &mut memory.history, self.global_order)
            }
            MemoryLocation::Shared { var, at, .. } => {
                let shared = &mut self.shared[var];
                (at + offset, &mut shared.history, self.shared_order)
            }
            MemoryLocation::Local { .. } => return Ok(0),
        };
        let step = HistoryAccess::new(now, kind, order, clocks.0, clocks.1);
        let first = lane / self.launch.machine.lanes_per_warp * self.launch.machine.lanes_per_warp;
        let others = (0..u64::BITS)
            .filter(|bit| now.joint_lanes >> bit & 1 == 1)
            .map(|bit| &happens.threads[(first + bit) as usize])
            .filter(|thread| !thread.is_same_as(clocks.1))
            .map(|thread| HistoryAccess::new(now, kind, order, clocks.0, thread));
        let others: Vec<HistoryAccess<'_>> = match now.joint_lanes {
            0 => Vec::new(),
            _ => others.collect(),
        };
        let Findings {
            missing,
            redundant,
            race,
        } = history.access(at, count, changes, &step, &others);
        if let (Some(byte), MemoryLocation::Shared { window, .. }) = (missing, location)
            && !kind.writes()
        {
            let byte = self.shared_byte(window, byte);
            let text = format!("read of uninitialised shared memory: {byte}");
            return Err(self.fault(FaultKind::Uninitialised, lane, text));
        }
        match race {
            None => Ok(redundant),
            Some(race) => {
                let location = self.byte_name(location, at);
                Err(self.race_error(lane, kind, &location, race))
            }
        }
    }

    /// Returns the error for a data race, or for two atomic accesses whose scopes are too narrow.
    #[cold]
    fn race_error(&self, lane: u32, kind: AccessKind, location: &str, race: Race) -> KernelError {
        let thread = race.conflict.thread & !COPY;
        let lane = self.reported_lane(lane, thread);
        let other_lane = thread % self.num_threads;
        let other_block = thread / self.num_threads;
        let mut other = self.thread_id(other_lane);
        other.block = self.block_index(other_block);
        let is_foreign = other_block != self.block_linear;
        let verb = if kind.writes() {
            "store to"
        } else {
            "load from"
        };
        let did = match race.kind.writes() {
            true => "store",
            false => "load",
        };
        let site = self.program.site(race.conflict.op);
        let error = match (kind.scope(), race.kind.scope()) {
            (Some(own), Some(scope)) => {
                let needed = match is_foreign {
                    true => Scope::Device,
                    false if other.warp == lane / self.launch.machine.lanes_per_warp => Scope::Warp,
                    false => Scope::Block,
                };
                let text = format!(
                    "atomic {verb} {location} has scope `{own}`, and the atomic {did} by {other} has scope \
                     `{scope}`; expected at least scope `{needed}` for both"
                );
                self.fault(FaultKind::Race, lane, text)
            }
            (own, scope) => {
                let what = if own.is_some() { "atomic " } else { "" };
                let how = if scope.is_some() { "atomic " } else { "" };
                let lacks = match is_foreign {
                    true => "no release and acquire",
                    false => "no barrier",
                };
                let text = format!(
                    "data race: {lacks} between the {what}{verb} {location} and the {how}{did} by {other}"
                );
                let error = self.fault(FaultKind::Race, lane, text);
                match (own, scope) {
                    (None, None) => error,
                    _ => error.note("an atomic access alone does not order a non-atomic access"),
                }
            }
        };
        error.note(format!("the other access is {site}"))
    }

    /// Returns the lane to report for a race between an access of `lane` and an access of `thread`. If a joint
    /// access races with itself, `thread` is the thread of `lane`, and the result is another lane of the access.
    /// Otherwise the result is `lane`.
    pub(super) fn reported_lane(&self, lane: u32, thread: u32) -> u32 {
        let per_warp = self.launch.machine.lanes_per_warp;
        if thread != self.now(lane).thread {
            return lane;
        }
        let others = self.joint_lanes & !(1 << (lane % per_warp));
        match others {
            0 => lane,
            others => lane / per_warp * per_warp + others.trailing_zeros(),
        }
    }

    pub(super) fn synchronize(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        sync: Sync,
        (reads, writes): (bool, bool),
    ) {
        let now = self.now(lane);
        let (Some(at), Some(happens)) = (self.atomic_address(location), &mut self.happens) else {
            return;
        };
        let thread = &mut happens.threads[lane as usize];
        if reads {
            happens.clocks.read(thread, now, at, sync);
        }
        if writes {
            happens.clocks.write(thread, now, at, sync, reads);
        }
    }

    /// Returns a new clock that contains only what `lane` would acquire if it read the atomic variable at
    /// `location` with the memory order `sync`. Returns `None` if the kernel has no vector clocks, or if `location`
    /// is in local memory.
    pub(super) fn releases(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        sync: Sync,
    ) -> Option<ThreadClock> {
        let now = self.now(lane);
        let at = self.atomic_address(location)?;
        let mut clock = ThreadClock::default();
        self.happens
            .as_mut()?
            .clocks
            .read(&mut clock, now, at, sync);
        Some(clock)
    }

    pub(super) fn fork(&mut self, lane: u32) -> Option<ThreadClock> {
        let now = self.now(lane);
        let happens = self.happens.as_mut()?;
        Some(happens.clocks.fork(&happens.threads[lane as usize], now))
    }

    /// Records that a copy, which `lane` started, has completed. The completion releases the accesses of the copy
    /// to the atomic variable at `location`.
    pub(super) fn release_copy(
        &mut self,
        lane: u32,
        copy: &ThreadClock,
        location: MemoryLocation,
        scope: Scope,
    ) {
        let now = self.now(lane);
        if let (Some(at), Some(happens)) = (self.atomic_address(location), &mut self.happens) {
            let point = completion_point(now);
            happens.clocks.complete(copy, point, now, at, scope);
        }
    }

    pub(super) fn move_releases(&mut self, from: MemoryLocation, to: MemoryLocation) {
        if let (Some(from), Some(to)) = (self.atomic_address(from), self.atomic_address(to))
            && let Some(happens) = &mut self.happens
        {
            happens.clocks.move_releases(from, to);
        }
    }

    pub(crate) fn fence(&mut self, sync: Sync, guard: Option<Guard>) {
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            if !self.is_on(guard, lane) {
                continue;
            }
            let now = self.now(lane);
            if let Some(happens) = &mut self.happens {
                let thread = &mut happens.threads[lane as usize];
                happens.clocks.fence(thread, now, sync);
            }
        }
        self.broadcast_acquire(sync);
    }

    /// On targets with lockstep waves, extends an acquire of one lane to all lanes of its wave.
    pub(super) fn broadcast_acquire(&mut self, sync: Sync) {
        if !self.launch.machine.lockstep || !sync.acquires || self.happens.is_none() {
            return;
        }
        for (warp, _) in self.active_warps() {
            let first = warp * self.launch.machine.lanes_per_warp;
            let end = self
                .num_threads
                .min(first + self.launch.machine.lanes_per_warp);
            let lanes: Vec<u32> = (first..end).collect();
            if let Some(happens) = &mut self.happens {
                happens.barrier(&lanes);
            }
        }
    }
}
