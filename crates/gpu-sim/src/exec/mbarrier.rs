//! Mbarriers: phases of barriers in shared memory, and the threads that wait for them.
//!
//! A phase completes when all expected arrivals have been made and all expected bytes have been copied. A waiting
//! thread does not run until then, so a phase that cannot complete is reported as a deadlock.
//!
//! Arrivals release and waits acquire. For race detection, an mbarrier is two atomic variables: arrivals release to the
//! variable of the current phase, and waits acquire from the variable of completed phases. Releases move from the first
//! variable to the second when the phase completes. A wait thus does not acquire arrivals of a later, incomplete phase.
//!
//! A wait names only the parity of its phase. If the next phase completes before the wait, the wait blocks until one
//! more phase completes. Therefore each wait must happen before the next phase completes, and this check does not
//! depend on the schedule.
//!
//! # Source
//! PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".

use super::{Exec, MemoryLocation};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use gpu_race::{AccessKind, ExecutionPoint, Scope, Sync};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Size and alignment of an mbarrier in bytes.
const BYTES: u32 = 8;
/// Byte offset, within an mbarrier, of the atomic variable that records the releases of the current phase.
const CURRENT: usize = 4;
const MAX_ARRIVALS: u32 = (1 << 20) - 1;

const RELEASE: Sync = Sync {
    acquires: false,
    releases: true,
    scope: Scope::Block,
};
const ACQUIRE: Sync = Sync {
    acquires: true,
    releases: false,
    scope: Scope::Block,
};
/// The memory order that mbarrier instructions declare to
/// [`has_atomic`](super::program::ProgramBuilder::has_atomic).
pub(crate) const ORDER: Sync = Sync {
    acquires: true,
    releases: true,
    scope: Scope::Block,
};

#[derive(Clone, Copy, Debug)]
struct MbarrierState {
    /// Expected arrivals per phase.
    count: u32,
    pending: u32,
    /// Pending bytes of the current phase. Negative if more bytes were copied than are expected so far.
    bytes: i64,
    phase: u32,
}

impl fmt::Display for MbarrierState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            count,
            pending,
            bytes,
            phase,
        } = self;
        write!(
            f,
            "phase {phase} with {pending} of {count} arrivals and {bytes} bytes pending"
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    barrier: Key,
    number: u32,
}

impl Phase {
    pub(super) fn is_before(self, other: Self) -> bool {
        self.barrier == other.barrier && self.number < other.number
    }
}

/// A completed wait for the phase that precedes the current phase.
#[derive(Clone, Copy, Debug)]
struct PhaseWait {
    lane: u32,
    op: u32,
    point: ExecutionPoint,
    /// Number of releases in the launch before the wait.
    time: u32,
}

/// Identifies an mbarrier: (index of the shared variable, byte offset).
type Key = (usize, usize);

#[derive(Debug, Default)]
pub(super) struct Mbarriers {
    live: FxHashMap<Key, MbarrierState>,
    /// For each invalidated mbarrier, the index of the instruction that invalidated it.
    ended: FxHashMap<Key, u32>,
    /// For each mbarrier, the waits for the phase that precedes the current phase.
    waits: FxHashMap<Key, Vec<PhaseWait>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MbarrierAddress {
    pub(crate) space: Space,
    pub(crate) addr: Reg,
    pub(crate) offset: i64,
}

fn key(location: MemoryLocation) -> Option<Key> {
    match location {
        MemoryLocation::Shared { var, at, .. } => Some((var, at)),
        MemoryLocation::Global { .. } | MemoryLocation::Local { .. } => None,
    }
}

impl Exec<'_> {
    fn mbarrier_location(
        &self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<MemoryLocation, KernelError> {
        let address = self.get(of.addr, lane).wrapping_add_signed(of.offset);
        let location = self.resolve(lane, of.space, address, BYTES, BYTES, "mbarrier access")?;
        self.check_origin(
            lane,
            of.addr,
            location,
            (of.space, BYTES, "mbarrier access"),
        )?;
        match location {
            MemoryLocation::Shared { .. } => Ok(location),
            MemoryLocation::Global { .. } | MemoryLocation::Local { .. } => {
                let text = "the mbarrier is not in shared memory".to_owned();
                Err(self.fault(FaultKind::Barrier, lane, text))
            }
        }
    }

    fn mbarrier_name(&self, location: MemoryLocation) -> String {
        let at = key(location).map_or(0, |(_, at)| at);
        self.byte_name(location, at)
    }

    /// Returns the mbarrier at `location`, or an error if there is none. `what` names the operation in the error.
    fn mbarrier(
        &self,
        lane: u32,
        location: MemoryLocation,
        what: &str,
    ) -> Result<MbarrierState, KernelError> {
        let key = key(location).unwrap_or_default();
        if let Some(barrier) = self.mbarriers.live.get(&key) {
            return Ok(*barrier);
        }
        let name = self.mbarrier_name(location);
        let text = format!("{what} an uninitialised mbarrier at {name}");
        let error = self.fault(FaultKind::Barrier, lane, text);
        Err(match self.mbarriers.ended.get(&key) {
            Some(op) => error.note(format!(
                "the mbarrier was invalidated by {}",
                self.program.site(*op)
            )),
            None => error
                .note("initialise the mbarrier with `mbarrier.init`, then synchronise the block"),
        })
    }

    fn touch_mbarrier(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        sync: Sync,
    ) -> Result<(), KernelError> {
        self.check_in_flight(lane, location, BYTES, sync.releases)?;
        let bytes = (0, BYTES as usize);
        self.note_access(lane, location, bytes, AccessKind::AtomicRead(sync.scope), 0)?;
        if sync.releases {
            self.note_access(
                lane,
                location,
                bytes,
                AccessKind::AtomicWrite(sync.scope),
                0,
            )?;
        }
        let variable = match sync.releases {
            true => location.behind(CURRENT),
            false => location,
        };
        self.synchronize(lane, variable, sync, (true, sync.releases));
        Ok(())
    }

    pub(crate) fn init_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        count: u32,
    ) -> Result<(), KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let key = key(location).unwrap_or_default();
        if !(1..=MAX_ARRIVALS).contains(&count) {
            let text =
                format!("mbarrier has an arrival count of {count}, expected 1 to {MAX_ARRIVALS}");
            return Err(self.fault(FaultKind::Barrier, lane, text));
        }
        if let Some(barrier) = self.mbarriers.live.get(&key) {
            let name = self.mbarrier_name(location);
            let text =
                format!("initialisation of the mbarrier at {name}, which is already initialised");
            let error = self.fault(FaultKind::Barrier, lane, text);
            return Err(error
                .note(format!("the mbarrier is in {barrier}"))
                .note("invalidate the mbarrier with `mbarrier.inval` first"));
        }
        self.write_value(lane, location, 0, BYTES as u8, count.into())?;
        let barrier = MbarrierState {
            count,
            pending: count,
            bytes: 0,
            phase: 0,
        };
        self.mbarriers.live.insert(key, barrier);
        self.mbarriers.ended.remove(&key);
        self.mbarriers.waits.remove(&key);
        self.notice_change(true);
        Ok(())
    }

    pub(crate) fn invalidate_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<(), KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let barrier = self.mbarrier(lane, location, "invalidation of")?;
        if barrier.bytes != 0 {
            let name = self.mbarrier_name(location);
            let text = format!(
                "invalidation of the mbarrier at {name}, which has {} bytes pending; expected 0 bytes",
                barrier.bytes
            );
            let error = self.fault(FaultKind::Barrier, lane, text);
            return Err(error.note(format!("the mbarrier is in {barrier}")));
        }
        self.write_value(lane, location, 0, BYTES as u8, 0)?;
        let key = key(location).unwrap_or_default();
        self.mbarriers.live.remove(&key);
        self.mbarriers.ended.insert(key, self.op);
        self.notice_change(true);
        Ok(())
    }

    /// Adds `bytes` to the expected bytes of an mbarrier, and then performs `count` arrivals at it.
    pub(crate) fn arrive_at_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        count: u32,
        bytes: u32,
    ) -> Result<(), KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let barrier = self.mbarrier(lane, location, "arrival at")?;
        self.touch_mbarrier(lane, location, RELEASE)?;
        let Some(pending) = barrier.pending.checked_sub(count) else {
            let name = self.mbarrier_name(location);
            let text = format!(
                "arrival with count {count} exceeds the pending arrivals of the mbarrier at {name}, which is \
                 in {barrier}"
            );
            return Err(self.fault(FaultKind::Barrier, lane, text));
        };
        let bytes = barrier.bytes + i64::from(bytes);
        let barrier = MbarrierState {
            pending,
            bytes,
            ..barrier
        };
        self.change_mbarrier(lane, location, barrier)
    }

    /// Attaches the `cp.async` copies of `lane` that are in flight to the current phase, and arrives.
    ///
    /// The copies complete only at a wait for the phase, so the arrival itself can be immediate. If `is_expected`
    /// is true, the arrival count of the mbarrier includes this arrival. If it is false, the phase expects one more
    /// arrival, which happens at once, so the number of pending arrivals does not change.
    pub(crate) fn arrive_after_copies(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        is_expected: bool,
    ) -> Result<(), KernelError> {
        let phase = self.awaited_phase(lane, of)?;
        self.attach_copies(lane, phase);
        self.arrive_at_mbarrier(lane, of, u32::from(is_expected), 0)
    }

    /// Stores `barrier` as the new state of the mbarrier at `location`. If no arrivals and no bytes are pending in
    /// this state, completes the phase.
    fn change_mbarrier(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        mut barrier: MbarrierState,
    ) -> Result<(), KernelError> {
        if barrier.pending == 0 && barrier.bytes < 0 {
            let name = self.mbarrier_name(location);
            let text = format!(
                "the mbarrier at {name} receives {} bytes more than expected in phase {}",
                -barrier.bytes, barrier.phase
            );
            let error = self.fault(FaultKind::Barrier, lane, text);
            return Err(error.note("announce the bytes with `mbarrier.arrive.expect_tx`"));
        }
        if barrier.pending == 0 && barrier.bytes == 0 {
            self.check_overtaken(lane, location, barrier.phase)?;
            barrier.pending = barrier.count;
            barrier.phase += 1;
            self.has_ended_phase = true;
            self.move_releases(location.behind(CURRENT), location);
        }
        self.mbarriers
            .live
            .insert(key(location).unwrap_or_default(), barrier);
        self.notice_change(true);
        Ok(())
    }

    /// Returns an error unless every wait for the phase before `phase` happens before `lane` completes `phase`. If
    /// several lanes of a warp execute the same wait instruction, the wait of only one of these lanes must happen
    /// before the completion, because the lanes of a warp leave the wait together.
    fn check_overtaken(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        phase: u32,
    ) -> Result<(), KernelError> {
        let waits = self
            .mbarriers
            .waits
            .remove(&key(location).unwrap_or_default());
        let variable = location.behind(CURRENT);
        let Some(clock) = waits
            .as_ref()
            .and_then(|_| self.releases(lane, variable, ACQUIRE))
        else {
            return Ok(());
        };
        let epoch = self.now(lane).block_epoch;
        let waits = waits.unwrap_or_default();
        let is_before = |wait: &PhaseWait| {
            wait.point.block_epoch < epoch || clock.covers(wait.point, wait.time)
        };
        let warp = |wait: &PhaseWait| (wait.op, wait.lane / self.launch.machine.lanes_per_warp);
        let ordered: FxHashSet<_> = waits.iter().filter(|w| is_before(w)).map(warp).collect();
        let Some(wait) = waits.iter().find(|wait| !ordered.contains(&warp(wait))) else {
            return Ok(());
        };
        let name = self.mbarrier_name(location);
        let text = format!(
            "phase {phase} of the mbarrier at {name} may complete before a wait for the preceding phase"
        );
        let error = self.fault(FaultKind::Barrier, lane, text);
        Err(error
            .note(format!(
                "{} waits at {}",
                self.thread_id(wait.lane),
                self.program.site(wait.op)
            ))
            .note("order the arrivals of the phase after the wait"))
    }

    /// Returns the reason why a wait for the phase with the parity `parity` blocks; `None` if this phase has
    /// completed.
    pub(crate) fn mbarrier_blocks(
        &self,
        lane: u32,
        of: MbarrierAddress,
        parity: u64,
    ) -> Result<Option<String>, KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let barrier = self.mbarrier(lane, location, "wait for")?;
        if parity > 1 {
            let text = format!("wait for a phase with parity {parity}, expected 0 or 1");
            return Err(self.fault(FaultKind::Barrier, lane, text));
        }
        let is_current = u64::from(barrier.phase & 1) == parity;
        Ok(is_current.then(|| {
            let name = self.mbarrier_name(location);
            format!(
                "the mbarrier at {name} is in {barrier}; the wait ends when a phase with parity {parity} \
                 completes"
            )
        }))
    }

    /// Returns the current phase of an mbarrier. A copy that starts now signals this phase.
    pub(super) fn awaited_phase(
        &self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<Phase, KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let barrier = self.mbarrier(lane, location, "copy that signals")?;
        Ok(Phase {
            barrier: key(location).unwrap_or_default(),
            number: barrier.phase,
        })
    }

    /// Subtracts the size of a copy, `bytes`, from the pending bytes of the mbarrier.
    pub(super) fn complete_bytes(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        bytes: u32,
    ) -> Result<(), KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let mut barrier = self.mbarrier(lane, location, "copy that signals")?;
        let kind = AccessKind::AtomicWrite(Scope::Block);
        self.note_access(lane, location, (0, BYTES as usize), kind, 0)?;
        barrier.bytes -= i64::from(bytes);
        self.change_mbarrier(lane, location, barrier)
    }

    /// Records that `lane` observes the completed phases of an mbarrier. Completes the copies that these phases
    /// await, and acquires the releases of the phases.
    pub(crate) fn observe_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<(), KernelError> {
        let location = self.mbarrier_location(lane, of)?;
        let current = self.awaited_phase(lane, of)?;
        for (copier, clock) in self.complete_phases(current)? {
            self.release_copy(copier, &clock, location, RELEASE.scope);
        }
        self.touch_mbarrier(lane, location, ACQUIRE)?;
        if let Some(happens) = &self.happens {
            let wait = PhaseWait {
                lane,
                op: self.op,
                point: self.now(lane),
                time: happens.time(),
            };
            let waits = self.mbarriers.waits.entry(current.barrier).or_default();
            waits.push(wait);
        }
        Ok(())
    }
}
