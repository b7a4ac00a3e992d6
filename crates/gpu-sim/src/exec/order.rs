//! Atomic accesses and fences: the order that they make between threads, and races in kernels that have them.
//!
//! A kernel without atomic accesses is left to the records of [`Shadow`](gpu_race::Shadow), where only
//! barriers order threads. Else each thread has a clock here, and each byte a history.

use super::{Exec, Guard, Place};
use crate::error::{FaultKind, KernelError};
use gpu_race::{
    AccessKind, AtomicAddress, Clocks, Findings, History, HistoryAccess, Race, Scope, Sync,
    ThreadClock,
};

/// Blocks' shared variables are told apart from buffers by this bit of a location.
const SHARED: u64 = 1 << 63;

/// What threads know of each other's accesses.
pub(super) struct HappensBefore {
    clocks: Clocks,
    /// Of each thread of the block that runs.
    pub(super) threads: Vec<ThreadClock>,
    /// Global memory has histories, too: atomic accesses go there, or order accesses to it.
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

    /// The clock of the threads of a block that begins.
    pub(super) fn start(num_threads: u32) -> Vec<ThreadClock> {
        let first = ThreadClock::default();
        vec![first; num_threads as usize]
    }

    /// The time of the clocks.
    pub(super) fn time(&self) -> u32 {
        self.clocks.time()
    }

    /// Forgets what was synchronized through the shared memory of a block.
    pub(super) fn forget_block(&mut self, block: u32) {
        self.clocks
            .forget(|memory| memory & SHARED != 0 && (memory & !SHARED) >> 32 == u64::from(block));
    }

    /// Notes that threads meet at a barrier.
    pub(super) fn meet(&mut self, lanes: &[u32]) {
        if lanes.len() == self.threads.len() {
            return Clocks::barrier(&mut self.threads);
        }
        let take = |lane: &u32| std::mem::take(&mut self.threads[*lane as usize]);
        let mut some: Vec<ThreadClock> = lanes.iter().map(take).collect();
        Clocks::barrier(&mut some);
        for (lane, clock) in lanes.iter().zip(some) {
            self.threads[*lane as usize] = clock;
        }
    }
}

impl Exec<'_> {
    /// Returns true if races in this memory are found by histories.
    pub(super) fn is_exact(&self, place: Place) -> bool {
        match (&self.happens, place) {
            (None, _) | (_, Place::Local { .. }) => false,
            (Some(happens), Place::Global { .. }) => happens.is_of_global,
            (Some(_), Place::Shared { .. }) => true,
        }
    }

    fn atomic_address(&self, place: Place) -> Option<AtomicAddress> {
        match place {
            Place::Global { buffer, at } => Some((buffer as u64, at)),
            Place::Shared { var, at, .. } => {
                let block = u64::from(self.block_linear) << 32;
                Some((SHARED | block | var as u64, at))
            }
            Place::Local { .. } => None,
        }
    }

    /// Notes an access of a lane to `count` bytes, `offset` behind a place; `changes` has a bit for each byte that a write
    /// changes. Says how many bytes were there already by another thread's unordered write.
    pub(super) fn note_access(
        &mut self,
        lane: u32,
        place: Place,
        (offset, count): (usize, usize),
        kind: AccessKind,
        changes: u64,
    ) -> Result<u64, KernelError> {
        let now = self.now(lane);
        let Some(happens) = &self.happens else {
            return Ok(0);
        };
        let clocks = (&happens.clocks, &happens.threads[lane as usize]);
        let own = self.memory.buffers.len();
        let (at, history, order): (usize, &mut History, _) = match place {
            Place::Global { buffer, at } => {
                let memory = match buffer.checked_sub(own) {
                    None => &mut self.memory.buffers[buffer],
                    Some(symbol) => &mut self.symbols[symbol],
                };
                if !self.launch.check_global_races || !memory.writable {
                    return Ok(0);
                }
                (at + offset, &mut memory.history, self.global_order)
            }
            Place::Shared { var, at, .. } => {
                let shared = &mut self.shared[var];
                (at + offset, &mut shared.history, self.shared_order)
            }
            Place::Local { .. } => return Ok(0),
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
        if let (Some(byte), Place::Shared { window, .. }) = (missing, place)
            && !kind.writes()
        {
            let byte = self.shared_byte(window, byte);
            let text = format!("read of uninitialised shared memory: {byte}");
            return Err(self.fault(FaultKind::Uninitialised, lane, text));
        }
        match race {
            None => Ok(redundant),
            Some(race) => {
                let place = self.byte_name(place, at);
                Err(self.race_error(lane, kind, &place, race))
            }
        }
    }

    /// The error for an access that meets another one without order, or beyond an atomic access's scope.
    #[cold]
    fn race_error(&self, lane: u32, kind: AccessKind, place: &str, race: Race) -> KernelError {
        let lane = self.beside(lane, race.conflict.thread);
        let other_lane = race.conflict.thread % self.num_threads;
        let other_block = race.conflict.thread / self.num_threads;
        let mut other = self.place(other_lane);
        other.block = self.block_index(other_block);
        let is_foreign = other_block != self.block_linear;
        let verb = if kind.writes() { "store" } else { "load" };
        let did = match race.kind.writes() {
            true => "stored",
            false => "loaded",
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
                    "atomic {verb} of {place} with scope `{own}`, which {other} {did} atomically with scope `{scope}`: both need scope `{needed}` at least"
                );
                self.fault(FaultKind::Race, lane, text)
            }
            (own, scope) => {
                let what = if own.is_some() { "atomic " } else { "" };
                let how = if scope.is_some() { " atomically" } else { "" };
                let lacks = match is_foreign {
                    true => "no release and acquire between",
                    false => "no barrier between",
                };
                let text = format!(
                    "data race: {what}{verb} of {place}, which {other} {did}{how} with {lacks}"
                );
                let error = self.fault(FaultKind::Race, lane, text);
                match (own, scope) {
                    (None, None) => error,
                    _ => error
                        .note("an access that is not atomic must be ordered against atomic ones"),
                }
            }
        };
        error.note(format!("the other access is {site}"))
    }

    /// The lane that a race is told of: another one of those that act together, where the first one has met itself.
    pub(super) fn beside(&self, lane: u32, thread: u32) -> u32 {
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

    /// Notes what an atomic access of a lane synchronizes.
    pub(super) fn synchronize(
        &mut self,
        lane: u32,
        place: Place,
        sync: Sync,
        (reads, writes): (bool, bool),
    ) {
        let now = self.now(lane);
        let (Some(at), Some(happens)) = (self.atomic_address(place), &mut self.happens) else {
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

    /// Carries out a fence in all active lanes.
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
        self.spread_acquired(sync);
    }

    /// Where the order of instructions orders a wave's accesses, what one lane acquires orders those of all.
    pub(super) fn spread_acquired(&mut self, sync: Sync) {
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
                happens.meet(&lanes);
            }
        }
    }
}
