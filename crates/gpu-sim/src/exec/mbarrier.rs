//! Barriers in shared memory (`mbarrier`): their phases, and the threads that wait for these.
//!
//! A phase ends when so many arrivals as the barrier counts have come and as many bytes as they expect. A thread that waits for
//! a phase does not run until it has ended, so that a phase that cannot end is a deadlock and no endless loop. Arrivals
//! release and waits acquire: the race check takes a barrier for an atomic variable of 8 bytes.
//!
//! # Source
//! PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".

use super::{Exec, Place};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use gpu_race::{AccessKind, Scope, Sync};
use rustc_hash::FxHashMap;
use std::fmt;

/// Bytes of a barrier, and its alignment.
const BYTES: u32 = 8;
/// The most arrivals that a barrier counts.
const MOST_ARRIVALS: u32 = (1 << 20) - 1;

/// The order of an access to a barrier.
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
/// The order that accesses to barriers give, for [`has_atomic`](super::program::ProgramBuilder::has_atomic).
pub(crate) const ORDER: Sync = Sync {
    acquires: true,
    releases: true,
    scope: Scope::Block,
};

/// A barrier that has been initialised.
#[derive(Clone, Copy, Debug)]
struct Mbarrier {
    /// Arrivals of a phase.
    count: u32,
    /// Arrivals that the current phase lacks.
    pending: u32,
    /// Bytes that the current phase expects and that have not come; below 0 where more have come.
    bytes: i64,
    phase: u32,
}

impl fmt::Display for Mbarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            count,
            pending,
            bytes,
            phase,
        } = self;
        write!(
            f,
            "phase {phase}: {pending} of {count} arrivals pending, {bytes} bytes pending"
        )
    }
}

/// A phase of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    barrier: Key,
    number: u32,
}

impl Phase {
    /// Returns true for an earlier phase of the same barrier.
    pub(super) fn is_before(self, other: Self) -> bool {
        self.barrier == other.barrier && self.number < other.number
    }
}

/// A variable of shared memory, and a byte of it.
type Key = (usize, usize);

/// The barriers of a block.
#[derive(Debug, Default)]
pub(super) struct Mbarriers {
    live: FxHashMap<Key, Mbarrier>,
    /// The instructions that have invalidated others.
    ended: FxHashMap<Key, u32>,
}

/// The place of a barrier as an instruction says it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MbarrierAddress {
    pub(crate) space: Space,
    pub(crate) addr: Reg,
    pub(crate) offset: i64,
}

fn key(place: Place) -> Option<Key> {
    match place {
        Place::Shared { var, at, .. } => Some((var, at)),
        Place::Global { .. } | Place::Local { .. } => None,
    }
}

impl Exec<'_> {
    fn mbarrier_place(&self, lane: u32, of: MbarrierAddress) -> Result<Place, KernelError> {
        let address = self.get(of.addr, lane).wrapping_add_signed(of.offset);
        let place = self.resolve(lane, of.space, address, BYTES, BYTES, "barrier")?;
        self.check_origin(lane, of.addr, place, (of.space, BYTES, "barrier"))?;
        match place {
            Place::Shared { .. } => Ok(place),
            Place::Global { .. } | Place::Local { .. } => {
                let text = "a barrier that is not in shared memory".to_owned();
                Err(self.fault(FaultKind::Barrier, lane, text))
            }
        }
    }

    fn mbarrier_name(&self, place: Place) -> String {
        let at = key(place).map_or(0, |(_, at)| at);
        self.byte_name(place, at)
    }

    /// The barrier at a place; `what` needs one.
    fn mbarrier(&self, lane: u32, place: Place, what: &str) -> Result<Mbarrier, KernelError> {
        let key = key(place).unwrap_or_default();
        if let Some(barrier) = self.mbarriers.live.get(&key) {
            return Ok(*barrier);
        }
        let name = self.mbarrier_name(place);
        let text = format!("{what} a barrier at {name}, where none has been initialised");
        let error = self.fault(FaultKind::Barrier, lane, text);
        Err(match self.mbarriers.ended.get(&key) {
            Some(op) => error.note(format!("it was invalidated by {}", self.program.site(*op))),
            None => error.note(
                "`mbarrier.init` makes one; a barrier of the block lets the other warps see it",
            ),
        })
    }

    /// Notes an access to a barrier, in the order that it keeps.
    fn touch_mbarrier(&mut self, lane: u32, place: Place, sync: Sync) -> Result<(), KernelError> {
        self.check_in_flight(lane, place, BYTES, sync.releases)?;
        let bytes = (0, BYTES as usize);
        self.note_access(lane, place, bytes, AccessKind::AtomicRead(sync.scope), 0)?;
        if sync.releases {
            self.note_access(lane, place, bytes, AccessKind::AtomicWrite(sync.scope), 0)?;
        }
        self.synchronize(lane, place, sync, (true, sync.releases));
        Ok(())
    }

    /// A lane makes a barrier that counts so many arrivals.
    pub(crate) fn init_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        count: u32,
    ) -> Result<(), KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let key = key(place).unwrap_or_default();
        if !(1..=MOST_ARRIVALS).contains(&count) {
            let text = format!("a barrier of {count} arrivals; 1 to {MOST_ARRIVALS} are possible");
            return Err(self.fault(FaultKind::Barrier, lane, text));
        }
        if let Some(barrier) = self.mbarriers.live.get(&key) {
            let name = self.mbarrier_name(place);
            let text = format!("initialisation of the barrier at {name}, which is in use");
            let error = self.fault(FaultKind::Barrier, lane, text);
            return Err(error
                .note(format!("its state is {barrier}"))
                .note("`mbarrier.inval` ends its use"));
        }
        self.write_value(lane, place, 0, BYTES as u8, count.into())?;
        let barrier = Mbarrier {
            count,
            pending: count,
            bytes: 0,
            phase: 0,
        };
        self.mbarriers.live.insert(key, barrier);
        self.mbarriers.ended.remove(&key);
        self.notice_change(true);
        Ok(())
    }

    /// A lane ends the use of a barrier.
    pub(crate) fn invalidate_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<(), KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let barrier = self.mbarrier(lane, place, "invalidation of")?;
        if barrier.bytes != 0 {
            let name = self.mbarrier_name(place);
            let text = format!("invalidation of the barrier at {name}, which expects bytes");
            let error = self.fault(FaultKind::Barrier, lane, text);
            return Err(error.note(format!("its state is {barrier}")));
        }
        self.write_value(lane, place, 0, BYTES as u8, 0)?;
        let key = key(place).unwrap_or_default();
        self.mbarriers.live.remove(&key);
        self.mbarriers.ended.insert(key, self.op);
        self.notice_change(true);
        Ok(())
    }

    /// A lane arrives at a barrier so many times, and expects so many bytes more.
    pub(crate) fn arrive_at_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        count: u32,
        bytes: u32,
    ) -> Result<(), KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let barrier = self.mbarrier(lane, place, "arrival at")?;
        self.touch_mbarrier(lane, place, RELEASE)?;
        let Some(pending) = barrier.pending.checked_sub(count) else {
            let name = self.mbarrier_name(place);
            let text = format!(
                "arrival at the barrier at {name} above its count: {count} more in {barrier}"
            );
            return Err(self.fault(FaultKind::Barrier, lane, text));
        };
        let bytes = barrier.bytes + i64::from(bytes);
        let barrier = Mbarrier {
            pending,
            bytes,
            ..barrier
        };
        self.change_mbarrier(lane, place, barrier)
    }

    /// Gives a barrier another state, and ends its phase if nothing is pending.
    fn change_mbarrier(
        &mut self,
        lane: u32,
        place: Place,
        mut barrier: Mbarrier,
    ) -> Result<(), KernelError> {
        if barrier.pending == 0 && barrier.bytes < 0 {
            let name = self.mbarrier_name(place);
            let text = format!(
                "{} bytes more than expected come to the barrier at {name} in {barrier}",
                -barrier.bytes
            );
            let error = self.fault(FaultKind::Barrier, lane, text);
            return Err(error.note("`mbarrier.arrive.expect_tx` says how many bytes come"));
        }
        if barrier.pending == 0 && barrier.bytes == 0 {
            barrier.pending = barrier.count;
            barrier.phase += 1;
        }
        self.mbarriers
            .live
            .insert(key(place).unwrap_or_default(), barrier);
        self.notice_change(true);
        Ok(())
    }

    /// Says what a lane waits for that waits for the phase of a parity, if that has not ended.
    pub(crate) fn mbarrier_blocks(
        &self,
        lane: u32,
        of: MbarrierAddress,
        parity: u64,
    ) -> Result<Option<String>, KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let barrier = self.mbarrier(lane, place, "wait for")?;
        if parity > 1 {
            let text = format!("wait for a phase of parity {parity}, which is neither 0 nor 1");
            return Err(self.fault(FaultKind::Barrier, lane, text));
        }
        let is_current = u64::from(barrier.phase & 1) == parity;
        Ok(is_current.then(|| {
            let name = self.mbarrier_name(place);
            format!("the barrier at {name} is in {barrier}, it waits for parity {parity}")
        }))
    }

    /// The phase of a barrier that a copy of a lane counts for.
    pub(super) fn awaited_phase(
        &self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<Phase, KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let barrier = self.mbarrier(lane, place, "copy to")?;
        Ok(Phase {
            barrier: key(place).unwrap_or_default(),
            number: barrier.phase,
        })
    }

    /// A copy of a lane brings bytes that a barrier expects.
    pub(super) fn bring_bytes(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
        bytes: u32,
    ) -> Result<(), KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let mut barrier = self.mbarrier(lane, place, "copy to")?;
        let kind = AccessKind::AtomicWrite(Scope::Block);
        self.note_access(lane, place, (0, BYTES as usize), kind, 0)?;
        barrier.bytes -= i64::from(bytes);
        self.change_mbarrier(lane, place, barrier)
    }

    /// A lane sees that a phase of a barrier has ended.
    pub(crate) fn observe_mbarrier(
        &mut self,
        lane: u32,
        of: MbarrierAddress,
    ) -> Result<(), KernelError> {
        let place = self.mbarrier_place(lane, of)?;
        let current = self.awaited_phase(lane, of)?;
        for copier in self.complete_phases(current)? {
            self.synchronize(copier, place, RELEASE, (true, true));
        }
        self.touch_mbarrier(lane, place, ACQUIRE)
    }
}
