//! Scheduling of thread blocks: a block runs to its end, unless it waits for another block.
//!
//! ```text
//! block 0   ld.acquire flag = 0, again and again ─► parked          resumed when memory has changed ─► end
//! block 1                                             st.release flag ─► end
//! ```
//! A block is parked when all its warps wait at barriers or in loops that exit only after a memory change, and resumes
//! after a memory change. A block that polls memory for long yields to other blocks. If all blocks wait, the kernel is
//! in a deadlock.

use super::bounds::Windows;
use super::cluster::ClusterLog;
use super::in_flight::InFlight;
use super::mbarrier::Mbarriers;
use super::order::HappensBefore;
use super::poison::Poison;
use super::products::Products;
use super::proxy::Proxies;
use super::schedule::{LaneGroup, PauseReason};
use super::spin::{SpinDetector, waiting_lanes};
use super::{Exec, Frame, Message, SharedVar, StopReason};
use crate::code::BlockId;
use crate::error::{FaultKind, KernelError};
use gpu_race::{History, Shadow, ThreadClock, TimestampBounds};

/// Maximum number of waiting lane groups that an error message lists.
const MAX_SHOWN: usize = 16;

/// A suspended thread block. [`Exec`] holds the same state for the running block.
pub(super) struct ParkedBlock {
    regs: Vec<Box<[u64]>>,
    stack: Vec<Frame>,
    lane_groups: Option<Vec<LaneGroup>>,
    spin: SpinDetector,
    exited: Vec<bool>,
    num_exited: usize,
    cluster_arrivals: Vec<u32>,
    block: [u32; 3],
    pub(super) block_linear: u32,
    pub(super) shared: Vec<SharedVar>,
    windows: Windows,
    local: Vec<u8>,
    local_shadow: Vec<bool>,
    block_epoch: u32,
    first_epoch: u32,
    bounds: TimestampBounds,
    warp_epochs: Vec<u32>,
    threads: Vec<ThreadClock>,
    messages: Vec<Message>,
    poison: Option<Box<Poison>>,
    in_flight: InFlight,
    mbarriers: Mbarriers,
    products: Products,
    proxies: Option<Box<Proxies>>,
    /// Value of the memory-change counter when the block stalled; `None` if the block is not stalled. The block
    /// resumes when the counter has increased.
    stalled_at_write_count: Option<u64>,
}

struct WaitingWarps {
    first: u32,
    last: u32,
    op: u32,
    what: String,
}

impl Exec<'_> {
    /// Runs the thread blocks `0..total`. After each block that finishes, calls `watch` with the number of blocks
    /// finished so far.
    pub(crate) fn run_blocks(
        &mut self,
        total: u64,
        watch: &dyn Fn(u64),
    ) -> Result<(), KernelError> {
        let (mut next, mut done) = (0, 0);
        while done < total {
            let writes = self.writes;
            let is_awake =
                |block: &ParkedBlock| block.stalled_at_write_count.is_some_and(|at| at != writes);
            let chosen = self.parked.iter().position(is_awake);
            let polls = || {
                let mut parked = self.parked.iter();
                parked.position(|block| block.stalled_at_write_count.is_none())
            };
            if let Some(index) = chosen.or_else(|| if next < total { None } else { polls() }) {
                if let Some(mut block) = self.parked.remove(index) {
                    self.swap_block(&mut block);
                }
            } else if next < total {
                self.begin_block(next);
                next += 1;
            } else {
                return Err(self.deadlock());
            }
            let mut pause = self.resume()?;
            while pause == PauseReason::Polling && next == total && self.parked.is_empty() {
                pause = self.resume()?;
            }
            if pause == PauseReason::Finished {
                self.end_block()?;
                done += 1;
                watch(done);
                continue;
            }
            if pause == PauseReason::Deadlock {
                self.parked.clear();
                return Err(self.deadlock());
            }
            let mut block = self.new_block();
            self.swap_block(&mut block);
            block.stalled_at_write_count = (pause == PauseReason::Stalled).then_some(self.writes);
            self.parked.push_back(block);
        }
        Ok(())
    }

    /// Runs block `number` to its end. Returns a deadlock error if the block waits for another block.
    pub(crate) fn run_block(&mut self, number: u64) -> Result<(), KernelError> {
        self.begin_block(number);
        loop {
            match self.resume()? {
                PauseReason::Polling => {}
                PauseReason::Finished => {
                    self.end_block()?;
                    return Ok(());
                }
                PauseReason::Stalled | PauseReason::Deadlock => return Err(self.deadlock()),
            }
        }
    }

    fn end_block(&mut self) -> Result<(), KernelError> {
        self.end_copies()?;
        self.end_products()?;
        let block = self.block_linear;
        if let Some(happens) = &mut self.happens {
            happens.forget_block(block);
        }
        Ok(())
    }

    fn resume(&mut self) -> Result<PauseReason, KernelError> {
        loop {
            if self.lane_groups.is_some() {
                if let Some(pause) = self.run_warps()? {
                    return Ok(pause);
                }
                continue;
            }
            let stop = self.run_lane_group()?;
            let pause = match stop {
                StopReason::Exit => return Ok(PauseReason::Finished),
                StopReason::Stalled => PauseReason::Stalled,
                StopReason::Polling => PauseReason::Polling,
                StopReason::Barrier(_) | StopReason::Yield => continue,
                StopReason::Blocked => {
                    self.split_warps();
                    continue;
                }
            };
            let running = self.stack.last().map_or(0, |frame| frame.lanes.len());
            if running + self.num_exited == self.num_threads as usize {
                return Ok(pause);
            }
            // Other lanes can still make progress: from here on warps run one by one.
            self.split_warps();
        }
    }

    fn new_block(&self) -> ParkedBlock {
        let n = self.num_threads as usize;
        let regs = Self::registers(self.program, self.args, self.num_threads);
        let shared = self.shared.iter();
        let shared = shared.map(|shared| SharedVar {
            bytes: vec![0; shared.bytes.len()],
            shadow: Shadow::new(shared.bytes.len()),
            owners: vec![0; shared.owners.len()],
            history: History::default(),
            cluster_log: shared
                .cluster_log
                .as_ref()
                .map(|_| Box::new(ClusterLog::new(shared.bytes.len()))),
        });
        ParkedBlock {
            regs,
            stack: Vec::new(),
            lane_groups: None,
            spin: SpinDetector::default(),
            exited: vec![false; n],
            num_exited: 0,
            cluster_arrivals: vec![0; n],
            block: [0; 3],
            block_linear: 0,
            shared: shared.collect(),
            windows: self.windows.clone(),
            local: vec![0; self.local.len()],
            local_shadow: vec![false; self.local_shadow.len()],
            block_epoch: self.last_epoch,
            first_epoch: 0,
            bounds: TimestampBounds::default(),
            warp_epochs: vec![0; self.warp_epochs.len()],
            threads: match &self.happens {
                Some(_) => HappensBefore::start(self.num_threads),
                None => Vec::new(),
            },
            messages: Vec::new(),
            poison: None,
            in_flight: InFlight::new(self.num_threads),
            mbarriers: Mbarriers::default(),
            products: Products::new(self.warp_epochs.len()),
            proxies: self.program.uses_async_proxy.then(Box::default),
            stalled_at_write_count: None,
        }
    }

    fn swap_block(&mut self, other: &mut ParkedBlock) {
        use std::mem::swap;
        swap(&mut self.regs, &mut other.regs);
        swap(&mut self.stack, &mut other.stack);
        swap(&mut self.lane_groups, &mut other.lane_groups);
        swap(&mut self.spin, &mut other.spin);
        swap(&mut self.exited, &mut other.exited);
        swap(&mut self.num_exited, &mut other.num_exited);
        swap(&mut self.cluster_arrivals, &mut other.cluster_arrivals);
        swap(&mut self.block, &mut other.block);
        swap(&mut self.block_linear, &mut other.block_linear);
        swap(&mut self.shared, &mut other.shared);
        swap(&mut self.windows, &mut other.windows);
        swap(&mut self.local, &mut other.local);
        swap(&mut self.local_shadow, &mut other.local_shadow);
        swap(&mut self.block_epoch, &mut other.block_epoch);
        swap(&mut self.shared_order.first_epoch, &mut other.first_epoch);
        self.timestamps.swap_block(&mut other.bounds);
        swap(&mut self.warp_epochs, &mut other.warp_epochs);
        if let Some(happens) = &mut self.happens {
            swap(&mut happens.threads, &mut other.threads);
        }
        swap(&mut self.messages, &mut other.messages);
        swap(&mut self.poison, &mut other.poison);
        swap(&mut self.in_flight, &mut other.in_flight);
        swap(&mut self.mbarriers, &mut other.mbarriers);
        swap(&mut self.products, &mut other.products);
        swap(&mut self.proxies, &mut other.proxies);
    }

    pub(super) fn block_index(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.grid;
        [number % x, number / x % y, number / x / y]
    }

    #[cold]
    fn deadlock(&mut self) -> KernelError {
        let mut waits = Vec::new();
        let parked = std::mem::take(&mut self.parked);
        if parked.is_empty() {
            self.describe_waits(&mut waits);
        }
        for mut block in parked {
            self.swap_block(&mut block);
            self.describe_waits(&mut waits);
            self.swap_block(&mut block);
        }
        let text = "deadlock: no warp can make progress, whatever the schedule";
        let mut error = KernelError::new(FaultKind::Deadlock, text);
        if let Some((op, _)) = waits.first() {
            error = error.at(self.program.site(*op).clone());
        }
        let more = waits.len().saturating_sub(MAX_SHOWN);
        for (_, text) in waits.into_iter().take(MAX_SHOWN) {
            error = error.note(text);
        }
        match more {
            0 => error,
            more => error.note(format!("{more} more groups of warps wait")),
        }
    }

    /// Adds an entry (instruction, description of the warps) to `waits` for each instruction at which lane groups
    /// of the running block wait.
    fn describe_waits(&self, waits: &mut Vec<(u32, String)>) {
        let [x, y, z] = self.block;
        let mut all: Vec<WaitingWarps> = Vec::new();
        let mut add = |wait: Option<WaitingWarps>| {
            let Some(wait) = wait else { return };
            match all.last_mut() {
                Some(last)
                    if (last.op, &last.what) == (wait.op, &wait.what)
                        && wait.first <= last.last + 1 =>
                {
                    last.last = last.last.max(wait.last);
                }
                _ => all.push(wait),
            }
        };
        match &self.lane_groups {
            None => add(self.describe_wait(&self.stack, None, &self.spin)),
            Some(lane_groups) => lane_groups.iter().for_each(|lane_group| {
                let LaneGroup { stack, spin, .. } = lane_group;
                let arrival = lane_group.arrival;
                let arrival = arrival.map(|arrival| self.describe_arrival(lane_groups, arrival));
                let barrier = lane_group.waits_at.map(|op| (op, arrival));
                add(self.describe_wait(stack, barrier, spin));
            }),
        }
        for wait in all {
            let who = match (wait.first, wait.last) {
                (a, b) if a == b => format!("warp {a} of block ({x}, {y}, {z}) waits"),
                (a, b) => format!("warps {a} to {b} of block ({x}, {y}, {z}) wait"),
            };
            waits.push((wait.op, format!("{who} {}", wait.what)));
        }
    }

    /// Describes the instruction at which the lanes of `stack` wait. If they wait at a barrier, `barrier` is
    /// (instruction of the barrier, description of the barrier's state).
    fn describe_wait(
        &self,
        stack: &[Frame],
        barrier: Option<(u32, Option<String>)>,
        spin: &SpinDetector,
    ) -> Option<WaitingWarps> {
        let per_warp = self.launch.machine.lanes_per_warp;
        let mut lanes = waiting_lanes(stack);
        lanes.retain(|lane| !self.exited[*lane as usize]);
        let frame = stack.last()?;
        let (first, last) = (lanes.first()?, lanes.last()?);
        let start = self.program.blocks[frame.block.0 as usize].start;
        let next = start + frame.done;
        let blocked = self.program.ops.get(next as usize);
        let blocked = blocked.and_then(|op| op.blocked(self, &frame.lanes).ok().flatten());
        let blocked = blocked.filter(|_| barrier.is_none());
        let at = blocked.as_ref().map(|_| next);
        let of_barrier = barrier.as_ref().map(|(op, _)| *op);
        let op = of_barrier.or(at).or(spin.waits_at()).unwrap_or(start);
        let site = self.program.site(op);
        let what = match (barrier, blocked) {
            (Some((_, Some(state))), _) => format!("at the barrier {site}: {state}"),
            (Some((_, None)), _) => format!("at the barrier {site}"),
            (None, Some(state)) => format!("at {site}: {state}"),
            (None, None) => format!("in a loop until {site} returns another value"),
        };
        Some(WaitingWarps {
            first: first / per_warp,
            last: last / per_warp,
            op,
            what,
        })
    }

    pub(super) fn entry_frame(lanes: Vec<u32>) -> Frame {
        Frame {
            block: BlockId(0),
            until: None,
            lanes,
            done: 0,
        }
    }
}
