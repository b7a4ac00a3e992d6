//! The interpreter: the state of a thread block, and control flow. Instructions execute themselves, with the services
//! of the submodules.
//!
//! The lanes of a thread block run in lockstep. At a divergent branch, the lanes of each CFG edge run alone until the
//! immediate post-dominator of the branch, where they reconverge. Sets of lanes that still have to run form a stack of
//! [`Frame`]s. Frames with the same reconvergence point run in reverse post-order, and merge at a common basic block.
//! So lanes also reconverge if some of them returned early.
//!
//! All warps run together as one stack of frames, or separately as [`LaneGroup`]s (see [`schedule`]). They always run
//! separately in a kernel with barriers of some warps of a block (see [`named`]).

mod access;
mod blocks;
mod bounds;
pub(crate) mod cluster;
mod in_flight;
mod instruction;
mod lanes;
mod matrix;
mod mbarrier;
mod memory;
mod named;
mod order;
pub(crate) mod points_to;
mod poison;
mod products;
pub(crate) mod program;
mod proxy;
mod schedule;
mod spin;
mod tensor;
mod warp;

pub(crate) use access::{Access, AtomicOperand, BufferAccess, Field, Guard, Message, Thread};
use blocks::ParkedBlock;
use bounds::{Owner, Windows};
use cluster::{ClusterBarrier, ClusterLog};
pub(crate) use in_flight::{Channel, Transfer};
pub(crate) use instruction::{
    AccessLabel, BarrierOperands, Instruction, MarkUndefined, Move, Regs, WarpInteraction,
};
pub(crate) use matrix::Parts;
pub(crate) use mbarrier::{MbarrierAddress, ORDER as MBARRIER_ORDER};
pub(crate) use memory::MemoryLocation;
pub(crate) use poison::{MarkKind, Marks, PoisonEffect, whole_if_all};
pub(crate) use products::GROUP;
pub(crate) use tensor::TensorBox;
pub(crate) use warp::is_active;

use super::code::{BlockId, Edge, ParamTy, Terminator};
use super::error::{FaultKind, KernelError, ThreadId};
use super::launch::Launch;
use super::memory::{Buffer, Memory, STACK_LOG2, locate};
use super::report::{GlobalUse, OpUse, Report, Sample, SharedUse, by_line};
use gpu_race::{ExecutionPoint, History, OrderRules, Shadow, ThreadClock, Timestamps};
use in_flight::InFlight;
use linear_layout::target::Wavefronts;
use mbarrier::Mbarriers;
use order::HappensBefore;
use poison::Poison;
use products::Products;
use program::{InitialContent, Program};
use proxy::Proxies;
use schedule::{LaneGroup, ScheduleRng};
use spin::{Loops, SpinDetector};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Lanes that execute together. Execution continues at instruction `done` of `block` and stops at the
/// reconvergence block `until`.
#[derive(Debug)]
struct Frame {
    block: BlockId,
    until: Option<BlockId>,
    lanes: Vec<u32>,
    /// Number of executed instructions of `block`.
    done: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StopReason {
    Exit,
    /// The lanes are at the block barrier with this instruction index.
    Barrier(u32),
    Yield,
    /// The lanes are at an instruction that waits for other threads.
    Blocked,
    /// The lanes cannot make progress until memory changes.
    Stalled,
    Polling,
}

#[derive(Clone, Debug, Default)]
struct AccessCounters {
    accesses: u64,
    wavefronts: Wavefronts,
    /// The first few accesses that took more wavefronts (of shared memory) or more sectors (of global memory) than
    /// necessary.
    samples: Vec<Sample>,
}

const MAX_SAMPLES: usize = 4;

pub(crate) struct Exec<'a> {
    program: &'a Program,
    pub(crate) launch: &'a Launch,
    pub(crate) memory: &'a mut Memory,
    /// Global variables, whose addresses follow the addresses of the buffers.
    pub(crate) symbols: Vec<Buffer>,
    block_size: [u32; 3],
    pub(crate) num_threads: u32,
    args: &'a [u64],
    regs: Vec<Box<[u64]>>,
    /// The active lanes in ascending order.
    pub(crate) lanes: Vec<u32>,
    full: bool,
    stack: Vec<Frame>,
    exited: Vec<bool>,
    num_exited: usize,
    /// For each argument, the index of the buffer to which it points; `None` if the argument does not point to a
    /// buffer.
    argument_buffers: Vec<Option<usize>>,
    windows: Windows,
    block: [u32; 3],
    block_linear: u32,
    /// Index of the current instruction.
    op: u32,
    steps: u64,
    /// The value that the last reading of the simulated clock returned.
    clock: u64,
    /// Number of executed instructions, where each instruction counts once for each warp that executes it. The
    /// instruction limit applies to this number.
    warp_steps: u64,
    pub(crate) shared: Vec<SharedVar>,
    local: Vec<u8>,
    local_shadow: Vec<bool>,
    block_epoch: u32,
    last_epoch: u32,
    shared_order: OrderRules,
    global_order: OrderRules,
    timestamps: Timestamps,
    /// An empty list, kept to reuse its allocation.
    spare_lanes: Vec<(u32, u64)>,
    pub(crate) warp_epochs: Vec<u32>,
    counters: Vec<AccessCounters>,
    pub(crate) report: Report,
    pub(crate) messages: Vec<Message>,
    /// Random generator for the order of warps; `None` if the schedule is not random.
    schedule_rng: Option<ScheduleRng>,
    /// Lane groups that run one at a time. `None` while all lanes run together. Also `None` while `run_warps`
    /// executes, because it takes the list out of this field.
    lane_groups: Option<Vec<LaneGroup>>,
    warps_are_split: bool,
    has_ended_phase: bool,
    spin: SpinDetector,
    loops: Loops,
    writes: u64,
    /// Mask of the lanes that take part in the current joint access, in which several lanes of a warp access the
    /// same address; 0 if the access is not joint.
    joint_lanes: u64,
    /// Vector clocks of the threads; `None` if the kernel has no atomic accesses, mbarriers or named barriers.
    happens: Option<Box<HappensBefore>>,
    /// Marks of the undefined values in the running block; `None` if the block has no undefined values.
    poison: Option<Box<Poison>>,
    in_flight: InFlight,
    /// Vector clock of the copy that is being completed; `None` if no copy is being completed, or if no mbarrier
    /// awaits the copy.
    completed_copy: Option<ThreadClock>,
    mbarriers: Mbarriers,
    products: Products,
    /// State of the checks for proxy fences; `None` if the kernel does not use the async proxy.
    proxies: Option<Box<Proxies>>,
    parked: VecDeque<ParkedBlock>,
    cluster_barriers: HashMap<[u32; 3], ClusterBarrier>,
    /// For each thread, the number of cluster barriers at which it has arrived.
    cluster_arrivals: Vec<u32>,
    /// A cleared [`Poison`], kept to reuse its allocation.
    idle_poison: Option<Box<Poison>>,
}

pub(crate) struct SharedVar {
    pub(crate) bytes: Vec<u8>,
    shadow: Shadow,
    /// For each byte, the [`Owner`] that identifies the last write to the byte. The list is empty if the variable
    /// contains no allocations.
    owners: Vec<Owner>,
    history: History,
    /// Log of the accesses that the blocks of a cluster make to this variable; `None` if the kernel is not launched
    /// in clusters.
    cluster_log: Option<Box<ClusterLog>>,
}

/// The value of registers that were never written. It is easy to recognise in results.
pub(crate) const GARBAGE: u64 = 0xdead_beef;

impl<'a> Exec<'a> {
    fn registers(program: &Program, args: &[u64], num_threads: u32) -> Vec<Box<[u64]>> {
        let empty = vec![GARBAGE; num_threads as usize].into_boxed_slice();
        let mut regs = vec![empty; program.num_regs as usize];
        for &(reg, bits) in &program.constants {
            regs[reg.0 as usize].fill(bits);
        }
        for (param, &bits) in program.params.iter().zip(args) {
            regs[param.reg.0 as usize].fill(bits);
        }
        for &reg in &program.stack_addresses {
            let lanes = regs[reg.0 as usize].iter_mut().zip(0u64..);
            lanes.for_each(|(address, lane)| *address += lane << STACK_LOG2);
        }
        regs
    }

    pub(super) fn new(
        program: &'a Program,
        launch: &'a Launch,
        block_size: [u32; 3],
        args: &'a [u64],
        memory: &'a mut Memory,
    ) -> Result<Self, KernelError> {
        let num_threads: u32 = block_size.iter().product();
        let n = num_threads as usize;
        let regs = Self::registers(program, args, num_threads);
        let mut shared: Vec<SharedVar> = Vec::new();
        let mut shared_bytes = 0u32;
        let in_cluster = program.cluster() != [1; 3];
        for symbol in &program.shared {
            if let Some((var, _)) = symbol.part_of {
                let own = &mut shared[var];
                own.owners.resize(own.bytes.len(), 0);
                // The bytes of an allocation are stored in its variable.
                shared.push(SharedVar {
                    bytes: Vec::new(),
                    shadow: Shadow::new(0),
                    owners: Vec::new(),
                    history: History::default(),
                    cluster_log: None,
                });
                continue;
            }
            let bytes = symbol.bytes.unwrap_or(launch.dynamic_shared);
            shared_bytes = shared_bytes.saturating_add(bytes);
            let size = bytes.min(launch.machine.shared_limit) as usize;
            shared.push(SharedVar {
                bytes: vec![0; size],
                shadow: Shadow::new(size),
                owners: Vec::new(),
                history: History::default(),
                cluster_log: in_cluster.then(|| Box::new(ClusterLog::new(size))),
            });
        }
        let limit = launch.machine.shared_limit;
        if shared_bytes > limit {
            let text = format!(
                "the kernel requires {shared_bytes} bytes of shared memory, but the limit is {limit}"
            );
            return Err(KernelError::new(FaultKind::Launch, text));
        }
        for buffer in &mut memory.buffers {
            buffer.shadow.clear();
            buffer.history.clear();
        }
        let symbols = program.globals.iter();
        let symbols = symbols
            .map(|s| {
                let bytes = match &s.content {
                    InitialContent::Bytes(bytes) => bytes.clone(),
                    InitialContent::ImplicitArguments => launch.implicit_arguments(block_size),
                };
                Buffer::new(s.name.clone(), bytes, s.writable)
            })
            .collect();
        let order = OrderRules {
            threads_per_block: num_threads,
            lanes_per_warp: launch.machine.lanes_per_warp,
            first_epoch: 1,
            is_block_own: false,
        };
        let num_warps = num_threads.div_ceil(launch.machine.lanes_per_warp) as usize;
        let argument_buffers = args.iter().zip(&program.params);
        let argument_buffers = argument_buffers
            .map(|(&bits, param)| {
                let location = locate(bits, memory.buffers.len(), 0)?;
                (param.ty == ParamTy::Pointer).then_some(location.buffer)
            })
            .collect();
        let windows = Windows::new(program, &shared);
        let is_global = program.sees_other_blocks || program.orders_threads;
        let happens = program
            .has_atomics
            .then(|| Box::new(HappensBefore::new(num_threads, is_global)));
        let local = vec![0; n * program.local_bytes as usize];
        Ok(Self {
            program,
            launch,
            memory,
            symbols,
            block_size,
            num_threads,
            args,
            regs,
            lanes: Vec::new(),
            full: false,
            stack: Vec::new(),
            exited: vec![false; n],
            num_exited: 0,
            argument_buffers,
            windows,
            block: [0; 3],
            block_linear: 0,
            op: 0,
            steps: 0,
            clock: 0,
            warp_steps: 0,
            shared,
            local_shadow: vec![false; local.len()],
            local,
            block_epoch: 0,
            last_epoch: 0,
            shared_order: OrderRules {
                is_block_own: true,
                ..order
            },
            global_order: order,
            timestamps: Timestamps::default(),
            spare_lanes: Vec::new(),
            warp_epochs: vec![0; num_warps],
            counters: vec![AccessCounters::default(); program.ops.len()],
            report: Report {
                threads_per_block: num_threads,
                shared_bytes,
                ..Report::default()
            },
            messages: Vec::new(),
            schedule_rng: ScheduleRng::new(launch.schedule),
            lane_groups: None,
            warps_are_split: false,
            has_ended_phase: false,
            spin: SpinDetector::default(),
            loops: Loops::new(program),
            writes: 0,
            joint_lanes: 0,
            happens,
            poison: None,
            in_flight: InFlight::new(num_threads),
            completed_copy: None,
            mbarriers: Mbarriers::default(),
            products: Products::new(num_warps),
            proxies: program.uses_async_proxy.then(Box::default),
            parked: VecDeque::new(),
            cluster_barriers: HashMap::new(),
            cluster_arrivals: vec![0; n],
            idle_poison: None,
        })
    }

    pub(super) fn warp_steps(&self) -> u64 {
        self.warp_steps
    }

    /// Starts all threads of block `number` at the entry. Block numbers count along x first, then y, then z.
    fn begin_block(&mut self, number: u64) {
        self.block_linear = number as u32;
        self.block = self.block_index(self.block_linear);
        self.report.blocks += 1;
        self.last_epoch += 1;
        self.block_epoch = self.last_epoch;
        self.shared_order.first_epoch = self.block_epoch;
        self.timestamps.begin_block();
        self.exited.fill(false);
        self.cluster_arrivals.fill(0);
        self.num_exited = 0;
        self.local_shadow.fill(false);
        self.windows.begin_block(self.warp_epochs.len());
        for shared in &mut self.shared {
            shared.forget_owners();
            if let Some(log) = &mut shared.cluster_log {
                **log = ClusterLog::new(shared.bytes.len());
            }
        }
        if let Some(mut poison) = self.poison.take() {
            poison.clear();
            self.idle_poison = Some(poison);
        }
        self.in_flight.clear();
        self.mbarriers = Mbarriers::default();
        self.products = Products::new(self.warp_epochs.len());
        if let Some(proxies) = &mut self.proxies {
            proxies.clear();
        }
        self.spin = SpinDetector::default();
        if let Some(happens) = &mut self.happens {
            happens.threads = HappensBefore::start(self.num_threads);
            for shared in &mut self.shared {
                shared.history.clear();
            }
        }
        self.stack.clear();
        self.stack
            .push(Self::entry_frame((0..self.num_threads).collect()));
        self.lane_groups = None;
        if self.schedule_rng.is_some() || self.program.has_named_barriers {
            self.split_warps();
        }
    }

    fn run_lane_group(&mut self) -> Result<StopReason, KernelError> {
        loop {
            self.select_frame();
            let Some(frame) = self.stack.last_mut() else {
                return Ok(StopReason::Exit);
            };
            let (block, until, done) = (frame.block, frame.until, frame.done);
            if until == Some(block) {
                self.stack.pop();
                continue;
            }
            let mut lanes = std::mem::take(&mut frame.lanes);
            if self.num_exited > 0 {
                lanes.retain(|&lane| !self.exited[lane as usize]);
            }
            if lanes.is_empty() {
                self.stack.pop();
                continue;
            }
            if done == 0 {
                let is_stuck = self.is_stuck(block, &lanes);
                if is_stuck || self.has_polled() {
                    if let Some(frame) = self.stack.last_mut() {
                        frame.lanes = lanes;
                    }
                    return Ok(if is_stuck {
                        StopReason::Stalled
                    } else {
                        StopReason::Polling
                    });
                }
            }
            self.full = lanes.len() == self.num_threads as usize;
            self.lanes = lanes;
            if let Some(stop) = self.run_basic_block(block, until, done)? {
                return Ok(stop);
            }
        }
    }

    /// Sorts the frames at the top of the stack that have the same reconvergence block as the topmost frame.
    /// Afterwards, the frame whose basic block comes first in reverse post-order is at the top. Merges neighbouring
    /// frames that are at the same instruction.
    fn select_frame(&mut self) {
        let Some(top) = self.stack.last() else { return };
        let until = top.until;
        let siblings = self
            .stack
            .iter()
            .rev()
            .take_while(|frame| frame.until == until)
            .count();
        if siblings < 2 {
            return;
        }
        let order = |frame: &Frame| self.program.blocks[frame.block.0 as usize].order;
        let first = self.stack.len() - siblings;
        let mut group = self.stack.split_off(first);
        group.sort_by_key(|frame| std::cmp::Reverse(order(frame)));
        for frame in group {
            match self.stack[first..].last_mut() {
                Some(last) if last.block == frame.block && last.done == frame.done => {
                    last.lanes.extend(frame.lanes);
                    last.lanes.sort_unstable();
                }
                _ => self.stack.push(frame),
            }
        }
    }

    /// Runs the active lanes from instruction `done` of a basic block to the terminator (inclusive). Returns the
    /// reason if the lanes stop before the terminator, and `None` otherwise.
    fn run_basic_block(
        &mut self,
        id: BlockId,
        until: Option<BlockId>,
        done: u32,
    ) -> Result<Option<StopReason>, KernelError> {
        let program = self.program;
        let block = &program.blocks[id.0 as usize];
        let start = block.start + done;
        self.steps += u64::from(block.end - start) + 1;
        for index in start..block.end {
            self.op = index;
            let op = &*program.ops[index as usize];
            if self.poison.is_some() {
                self.propagate_marks(op)?;
            }
            if program.has_waits && op.blocked(self, &self.lanes)?.is_some() {
                self.steps -= u64::from(block.end - index) + 1;
                if let Some(frame) = self.stack.last_mut() {
                    frame.lanes = std::mem::take(&mut self.lanes);
                    frame.done = index - block.start;
                }
                return Ok(Some(StopReason::Blocked));
            }
            let stop = self.stops_at(op)?;
            if stop.is_none() {
                op.step(self)?;
                self.note_product_sources();
            }
            if let Some(stop) = stop.or_else(|| self.yields(op)) {
                // The barrier executes when all lane groups wait at it. The remaining instructions are counted when the
                // lanes resume.
                self.steps -= u64::from(block.end - index);
                if let Some(frame) = self.stack.last_mut() {
                    frame.lanes = std::mem::take(&mut self.lanes);
                    frame.done = index + 1 - block.start;
                }
                return Ok(Some(stop));
            }
        }
        let warps = self
            .lanes
            .len()
            .div_ceil(self.launch.machine.lanes_per_warp as usize);
        self.warp_steps += (u64::from(block.end - start) + 1) * warps as u64;
        if self.warp_steps > self.launch.step_limit {
            let text = format!(
                "the warps of the launch executed more than {} instructions",
                self.launch.step_limit
            );
            return Err(KernelError::new(FaultKind::StepLimit, text)
                .at(program.sites[block.site as usize].clone())
                .note("if the kernel is expected to run this long, raise the limit"));
        }
        match &block.terminator {
            Terminator::Branch(edge) => {
                let lanes = std::mem::take(&mut self.lanes);
                self.pass_args(edge, &lanes);
                self.continue_at(edge.target, lanes);
            }
            Terminator::CondBranch { cond, then, other } => {
                self.branches_on(*cond, 1, block.site)?;
                let lanes = std::mem::take(&mut self.lanes);
                let bits = &self.regs[cond.0 as usize];
                let (yes, no): (Vec<u32>, Vec<u32>) = lanes
                    .iter()
                    .partition(|&&lane| bits[lane as usize] & 1 == 1);
                self.diverge(
                    block.reconverge,
                    until,
                    lanes,
                    vec![(then, yes), (other, no)],
                );
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                self.branches_on(*value, 64, block.site)?;
                let mut rest = std::mem::take(&mut self.lanes);
                let all = rest.clone();
                let mut targets = Vec::new();
                for (case, edge) in cases {
                    let values = &self.regs[value.0 as usize];
                    let (hit, miss) = rest
                        .iter()
                        .partition(|&&lane| values[lane as usize] == *case);
                    rest = miss;
                    targets.push((edge, hit));
                }
                targets.push((default, rest));
                self.diverge(block.reconverge, until, all, targets);
            }
            Terminator::Return => {
                for &lane in &self.lanes {
                    self.exited[lane as usize] = true;
                }
                self.num_exited += self.lanes.len();
                self.stack.pop();
            }
            Terminator::Unreachable => {
                let error =
                    KernelError::new(FaultKind::Unreachable, "reached code marked unreachable");
                return Err(error
                    .at(program.sites[block.site as usize].clone())
                    .by(self.thread_id(self.lanes[0])));
            }
        }
        Ok(None)
    }

    fn continue_at(&mut self, target: BlockId, lanes: Vec<u32>) {
        if let Some(frame) = self.stack.last_mut() {
            frame.block = target;
            frame.lanes = lanes;
            frame.done = 0;
        }
    }

    fn diverge(
        &mut self,
        meet: Option<BlockId>,
        until: Option<BlockId>,
        all: Vec<u32>,
        targets: Vec<(&Edge, Vec<u32>)>,
    ) {
        let mut taken: Vec<_> = targets
            .into_iter()
            .filter(|(_, lanes)| !lanes.is_empty())
            .collect();
        for (edge, lanes) in &taken {
            self.pass_args(edge, lanes);
        }
        if taken.len() == 1
            && let Some((edge, lanes)) = taken.pop()
        {
            self.continue_at(edge.target, lanes);
            return;
        }
        // The top frame continues at the reconvergence point, unless the frame beneath it continues there.
        if meet.is_some() && meet != until {
            self.continue_at(meet.unwrap_or(BlockId(0)), all);
        } else {
            self.stack.pop();
        }
        for (edge, lanes) in taken.into_iter().rev() {
            if Some(edge.target) != meet {
                self.stack.push(Frame {
                    block: edge.target,
                    until: meet,
                    lanes,
                    done: 0,
                });
            }
        }
    }

    /// Assigns the arguments of a CFG edge to the parameters of its target block. The assignment is parallel: all
    /// arguments are read before the first parameter is written.
    fn pass_args(&mut self, edge: &Edge, lanes: &[u32]) {
        self.propagate_edge_marks(edge, lanes);
        self.pass_product_sources(edge, lanes);
        let program = self.program;
        let params = &program.blocks[edge.target.0 as usize].params;
        let overlap = edge.args.iter().any(|arg| params.contains(arg));
        let copy = |from: &[Vec<u64>], regs: &mut Vec<Box<[u64]>>| {
            for (index, (&param, &arg)) in params.iter().zip(&edge.args).enumerate() {
                if param == arg {
                    continue;
                }
                let mut dst = std::mem::take(&mut regs[param.0 as usize]);
                let src = from
                    .get(index)
                    .map_or(&regs[arg.0 as usize][..], |values| values);
                for &lane in lanes {
                    dst[lane as usize] = src[lane as usize];
                }
                regs[param.0 as usize] = dst;
            }
        };
        if overlap {
            let old: Vec<Vec<u64>> = edge
                .args
                .iter()
                .map(|arg| self.regs[arg.0 as usize].to_vec())
                .collect();
            copy(&old, &mut self.regs);
        } else {
            copy(&[], &mut self.regs);
        }
    }

    fn thread_id(&self, lane: u32) -> ThreadId {
        let per_warp = self.launch.machine.lanes_per_warp;
        ThreadId {
            block: self.block,
            warp: lane / per_warp,
            lane: lane % per_warp,
        }
    }

    #[cold]
    pub(crate) fn fault(&self, kind: FaultKind, lane: u32, message: String) -> KernelError {
        KernelError::new(kind, message)
            .at(self.program.site(self.op).clone())
            .by(self.thread_id(lane))
    }

    fn now(&self, lane: u32) -> ExecutionPoint {
        let block = self.block_linear * self.num_threads;
        let in_warp = lane & (self.launch.machine.lanes_per_warp - 1);
        ExecutionPoint {
            thread: block + lane,
            block,
            warp: block + lane - in_warp,
            op: self.op,
            block_epoch: self.block_epoch,
            warp_epoch: self.warp_epochs[(lane / self.launch.machine.lanes_per_warp) as usize],
            joint_lanes: self.joint_lanes,
        }
    }

    /// Returns the simulated time. This is the number of executed instructions, or 1 more than the previous reading
    /// if that is larger.
    pub(crate) fn read_clock(&mut self) -> u64 {
        self.clock = self.steps.max(self.clock + 1);
        self.clock
    }

    /// Executes a block barrier. If the kernel has named barriers and not all warps are active, only the active
    /// warps take part.
    ///
    /// In all other cases, returns an error unless all threads of the block are at this barrier. The only exception
    /// is a thread that has returned while another thread of its warp is at the barrier. If all threads of a warp
    /// have returned, the result is therefore an error.
    ///
    /// # Source
    /// PTX ISA, "barrier": without a thread count, all threads of the CTA take part, and threads arrive by warps.
    pub(crate) fn barrier(&mut self) -> Result<(), KernelError> {
        if self.program.has_named_barriers && self.executes_barrier_of_warps() {
            return Ok(());
        }
        let (here, all) = (self.lanes.len(), self.num_threads as usize);
        let per_warp = self.launch.machine.lanes_per_warp;
        let has_arrived = |lane: u32| {
            let first = lane / per_warp * per_warp;
            let at = self.lanes.partition_point(|other| *other < first);
            let next = self.lanes.get(at);
            self.exited[lane as usize] && next.is_some_and(|other| *other < first + per_warp)
        };
        let mut missing = (0..self.num_threads)
            .filter(|lane| self.lanes.binary_search(lane).is_err() && !has_arrived(*lane));
        if here < all
            && let Some(lane) = missing.next()
        {
            let has = match self.exited[lane as usize] {
                true => ": the thread has returned",
                false => "",
            };
            let text = format!(
                "barrier in divergent code: only {here} of {all} threads reach the barrier"
            );
            return Err(self
                .fault(FaultKind::Divergence, self.lanes[0], text)
                .note(format!(
                    "{} does not reach the barrier{has}",
                    self.thread_id(lane)
                )));
        }
        self.last_epoch += 1;
        self.block_epoch = self.last_epoch;
        self.report.barriers += 1;
        if let Some(happens) = &mut self.happens {
            happens.barrier(&self.lanes);
        }
        Ok(())
    }

    pub(crate) fn warp_barrier(&mut self, warp: u32, lanes: &[u32]) {
        self.warp_epochs[warp as usize] += 1;
        if let Some(happens) = &mut self.happens {
            happens.barrier(lanes);
        }
    }

    /// On targets with lockstep waves, starts a new epoch in all waves. Program order then orders the accesses of
    /// different lanes of a wave.
    pub(crate) fn order_waves(&mut self) {
        if self.launch.machine.lockstep {
            self.warp_epochs.iter_mut().for_each(|epoch| *epoch += 1);
        }
    }

    pub(super) fn counts(self) -> BlockCounts {
        BlockCounts {
            report: Report {
                instructions: self.steps,
                ..self.report
            },
            warp_steps: self.warp_steps,
            counters: self.counters,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct BlockCounts {
    report: Report,
    warp_steps: u64,
    counters: Vec<AccessCounters>,
}

impl BlockCounts {
    pub(super) fn warp_steps(&self) -> u64 {
        self.warp_steps
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.report.add(&other.report);
        self.warp_steps += other.warp_steps;
        for (own, other) in self.counters.iter_mut().zip(&other.counters) {
            own.accesses += other.accesses;
            own.wavefronts += other.wavefronts;
            let rest = MAX_SAMPLES - own.samples.len();
            own.samples.extend(other.samples.iter().take(rest).cloned());
        }
    }

    pub(super) fn report(mut self, program: &Program, launch: &Launch) -> Report {
        let mut global: BTreeMap<String, GlobalUse> = BTreeMap::new();
        let mut uses = Vec::new();
        for (index, counters) in self.counters.iter().enumerate() {
            if counters.accesses == 0 {
                continue;
            }
            let words = launch.machine.assembly;
            let access = program.ops[index].access(words);
            if let Some(access) = &access {
                uses.push(OpUse {
                    site: program.site(index as u32),
                    is_shared: matches!(access, AccessLabel::Shared(_)),
                    accesses: counters.accesses,
                    wavefronts: counters.wavefronts,
                    samples: &counters.samples,
                });
            }
            match access {
                Some(AccessLabel::Shared(label)) => self.report.shared.push(SharedUse {
                    label,
                    site: program.site(index as u32).clone(),
                    accesses: counters.accesses,
                    wavefronts: counters.wavefronts.taken,
                    ideal: counters.wavefronts.ideal,
                }),
                Some(AccessLabel::Global(label)) => {
                    let entry = global.entry(label).or_default();
                    entry.instructions += 1;
                    entry.accesses += counters.accesses;
                    entry.sectors += counters.wavefronts.taken;
                    entry.ideal_sectors += counters.wavefronts.ideal;
                }
                None => {}
            }
        }
        self.report.global = global;
        self.report.lines = by_line(&uses, launch.machine.banks());
        self.report
    }
}
