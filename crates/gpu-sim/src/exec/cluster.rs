//! Clusters: the cluster barrier, and loads from the shared memory of other blocks of the cluster.
//!
//! A block at the barrier is parked until the other blocks of its cluster have arrived. A load reads the shared memory
//! of the parked block. Only a cluster barrier orders a load after a store of another block.
//!
//! Not modelled: stores to other blocks, and threads that return without arriving, for which PTX does not wait.

use super::memory::MemoryLocation;
use super::{Exec, SharedVar};
use crate::code::Space;
use crate::error::{FaultKind, KernelError};
use crate::exec::Access;
use crate::memory;

/// Index of the lowest bit that encodes the block rank in an address of another block's shared memory. The bits
/// below it are the address within the shared memory of that block.
pub(crate) const RANK_SHIFT: u32 = 32;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterBarrier {
    phase: u32,
    arrived: u32,
    /// Block epoch that began when the last phase of the cluster barrier completed.
    epoch: u32,
}

/// The accesses to a shared variable that are relevant for its cluster. For each byte, the log contains the last
/// store by the variable's own block and the last load by another block. An access is encoded as a number: 0 for no
/// access, 1 for an access before the first cluster barrier, 2 for an access between the first and the second
/// cluster barrier, and so on.
#[derive(Clone, Debug)]
pub(super) struct ClusterLog {
    /// Number of phases of the cluster barrier that the variable's block has completed.
    phase: u32,
    stored: Vec<u32>,
    /// For each byte, the last load by another block, encoded as [`ClusterLog`] describes.
    loaded: Vec<u32>,
}

impl ClusterLog {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            phase: 0,
            stored: vec![0; bytes],
            loaded: vec![0; bytes],
        }
    }
}

impl SharedVar {
    /// Records a store to the bytes `at..at + count`, if the kernel is launched in clusters.
    pub(super) fn log_store(&mut self, at: usize, count: usize) {
        if let Some(log) = &mut self.cluster_log {
            log.stored[at..at + count].fill(log.phase + 1);
        }
    }

    /// Returns true if another block has loaded one of the bytes `at..at + count` since the last cluster barrier.
    pub(super) fn is_loaded_remotely(&self, at: usize, count: usize) -> bool {
        self.cluster_log.as_ref().is_some_and(|log| {
            let mut phases = log.loaded[at..at + count].iter();
            phases.any(|phase| *phase > log.phase)
        })
    }
}

impl Exec<'_> {
    fn cluster_threads(&self) -> u32 {
        self.num_threads * self.program.cluster().iter().product::<u32>()
    }

    fn cluster_index(&self) -> [u32; 3] {
        let cluster = self.program.cluster();
        [0, 1, 2].map(|axis| self.block[axis] / cluster[axis])
    }

    fn cluster_barrier(&self) -> ClusterBarrier {
        let barrier = self.cluster_barriers.get(&self.cluster_index());
        barrier.copied().unwrap_or_default()
    }

    pub(crate) fn arrive_at_cluster_barrier(&mut self) -> Result<(), KernelError> {
        let total = self.cluster_threads();
        let mut barrier = self.cluster_barrier();
        for at in 0..self.lanes.len() {
            let lane = self.lanes[at];
            let arrivals = &mut self.cluster_arrivals[lane as usize];
            if *arrivals > barrier.phase {
                let text =
                    "a thread arrives twice at the cluster barrier without a wait in between";
                return Err(self.fault(FaultKind::Divergence, lane, text.to_owned()));
            }
            *arrivals += 1;
            barrier.arrived += 1;
        }
        if barrier.arrived == total {
            self.last_epoch += 1;
            barrier = ClusterBarrier {
                phase: barrier.phase + 1,
                arrived: 0,
                epoch: self.last_epoch,
            };
        }
        self.cluster_barriers.insert(self.cluster_index(), barrier);
        self.notice_change(true);
        Ok(())
    }

    /// Returns the reason why the threads `lanes` must wait at the cluster barrier; `None` if they can continue.
    pub(crate) fn cluster_barrier_blocks(&self, lanes: &[u32]) -> Option<String> {
        let barrier = self.cluster_barrier();
        let waits = |lane: &u32| self.cluster_arrivals[*lane as usize] > barrier.phase;
        lanes.iter().any(waits).then(|| {
            let total = self.cluster_threads();
            format!(
                "{} of {total} threads of the cluster have arrived",
                barrier.arrived
            )
        })
    }

    /// Completes a wait of the active lanes at the cluster barrier. The cluster barrier orders accesses as a block
    /// barrier does.
    pub(crate) fn leave_cluster_barrier(&mut self) {
        let barrier = self.cluster_barrier();
        if self.block_epoch < barrier.epoch {
            self.block_epoch = barrier.epoch;
            self.report.barriers += 1;
            let logs = self.shared.iter_mut();
            for log in logs.filter_map(|shared| shared.cluster_log.as_mut()) {
                log.phase = barrier.phase;
            }
        }
    }

    /// Returns the linear index of the block that has the rank `rank` in the cluster of the running block. Returns
    /// `None` if the cluster has no such rank.
    fn block_of_rank(&self, rank: u32) -> Option<u32> {
        let cluster = self.program.cluster();
        if rank >= cluster.iter().product() {
            return None;
        }
        let within = [
            rank % cluster[0],
            rank / cluster[0] % cluster[1],
            rank / cluster[0] / cluster[1],
        ];
        let index = self.cluster_index();
        let [x, y, z] = [0, 1, 2].map(|axis| index[axis] * cluster[axis] + within[axis]);
        let [width, height, _] = self.launch.grid;
        Some(x + width * (y + height * z))
    }

    pub(super) fn load_from_cluster(&mut self, access: &Access) -> Result<(), KernelError> {
        for at in 0..self.lanes.len() {
            let lane = self.lanes[at];
            if self.is_on(access.guard, lane) {
                self.load_remote(lane, access)?;
            }
        }
        Ok(())
    }

    fn load_remote(&mut self, lane: u32, access: &Access) -> Result<(), KernelError> {
        let (size, align) = (access.size, access.align);
        let address = self
            .get(access.addr, lane)
            .wrapping_add(access.offset as u64);
        let rank = (address >> RANK_SHIFT) as u32;
        let Some(block) = self.block_of_rank(rank) else {
            let blocks: u32 = self.program.cluster().iter().product();
            let text = format!(
                "load from block {rank} of the cluster, expected 0 to {}",
                blocks - 1
            );
            return Err(self.fault(FaultKind::OutOfBounds, lane, text));
        };
        let own = address & 0xffff_ffff;
        let location = self.resolve(lane, Space::Shared, own, size, align, "load")?;
        if block == self.block_linear {
            return self.read_location(lane, location, &access.fields, None);
        }
        let MemoryLocation::Shared { var, window, at } = location else {
            unreachable!("the address is one of shared memory")
        };
        let phase = self.cluster_barrier().phase;
        for field in &access.fields {
            let (first, count) = (at + field.offset as usize, usize::from(field.bytes));
            let mut parked = self.parked.iter_mut();
            let peer = parked.find(|peer| peer.block_linear == block);
            let shared = peer.map(|peer| &mut peer.shared[var]);
            let Some((shared, log)) = shared.and_then(|shared| {
                let log = shared.cluster_log.as_mut()?;
                Some((&shared.bytes, log))
            }) else {
                let text = format!(
                    "load from block {rank} of the cluster, which has not started or has returned"
                );
                let error = self.fault(FaultKind::OutOfBounds, lane, text);
                return Err(
                    error.note("execute a cluster barrier before the load and after the load")
                );
            };
            let stored = &log.stored[first..first + count];
            let is_missing = stored.contains(&0);
            let is_race = stored.iter().any(|stored| *stored > phase);
            log.loaded[first..first + count].fill(phase + 1);
            let value = memory::read_le(shared, first, field.bytes);
            if is_missing || is_race {
                let byte = self.shared_byte(window, first);
                let byte = format!("{byte} in block {rank} of the cluster");
                let (kind, text) = match is_missing {
                    true => (
                        FaultKind::Uninitialised,
                        format!("read of uninitialised shared memory: {byte}"),
                    ),
                    false => (
                        FaultKind::Race,
                        format!(
                            "data race: no cluster barrier between the store to {byte} and the load"
                        ),
                    ),
                };
                return Err(self.fault(kind, lane, text));
            }
            self.set(field.reg, lane, value);
        }
        Ok(())
    }
}
