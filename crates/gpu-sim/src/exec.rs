//! The interpreter's state and its main loop: control flow. Instructions carry themselves out, with what the files
//! below offer.
//!
//! A block's lanes run in step. Where they part, each side runs alone until the post-dominator
//! of the branch, where they meet again; a stack of [`Frame`]s remembers who waits where. Sides
//! that wait for the same block run in reverse post-order and join when they are at one
//! block, so that lanes also meet where some of them returned early.
//!
//! All warps together are one [`Party`] of lanes, or each warp is one of its own; [`schedule`] has the latter.

mod access;
mod blocks;
mod bounds;
mod in_flight;
mod instruction;
mod lanes;
mod matrix;
mod mbarrier;
mod memory;
mod order;
pub(crate) mod origin;
mod poison;
mod products;
pub(crate) mod program;
mod proxy;
mod schedule;
mod spin;
mod tensor;
mod warp;

pub(crate) use access::{Access, AtomicPlace, BufferAccess, Field, Guard, Message, Thread};
use bounds::{Owner, Windows};
pub(crate) use in_flight::{Channel, Transfer};
pub(crate) use instruction::{Counted, Instruction, Move, Regs, Turn, Undefined};
pub(crate) use matrix::Parts;
pub(crate) use mbarrier::{MbarrierAddress, ORDER as MBARRIER_ORDER};
pub(crate) use memory::Place;
pub(crate) use poison::{Fate, Kind, Marks, whole_if_all};
pub(crate) use products::GROUP;
pub(crate) use tensor::TensorBox;
pub(crate) use warp::is_active;

use super::code::{BlockId, Edge, ParamTy, Terminator};
use super::error::{FaultKind, KernelError, ThreadPlace};
use super::launch::Launch;
use super::memory::{Buffer, Memory, STACK_LOG2, locate};
use super::report::{GlobalUse, OpUse, Report, Sample, SharedUse, by_line};
use gpu_race::{ExecutionPoint, History, OrderRules, Shadow, Timestamps};
use in_flight::InFlight;
use linear_layout::target::Wavefronts;
use mbarrier::Mbarriers;
use order::HappensBefore;
use poison::Poison;
use products::Products;
use program::{Content, Program};
use proxy::Proxies;
use schedule::{Party, Turns};
use spin::{Loops, Spin};
use std::collections::BTreeMap;

/// Lanes that continue at `block`, until they reach `until`.
#[derive(Debug)]
struct Frame {
    block: BlockId,
    until: Option<BlockId>,
    lanes: Vec<u32>,
    /// Instructions of `block` that are done.
    done: u32,
}

/// Why a party of lanes stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stop {
    /// All of its lanes have returned.
    Exit,
    /// It is at this block barrier.
    Barrier(u32),
    /// It is another one's turn.
    Turn,
    /// It waits at an instruction for what others do.
    Blocked,
    /// It does the same for ever, unless memory changes.
    Stuck,
    /// It has polled for long.
    Polls,
}

/// Counters of one memory instruction.
#[derive(Clone, Debug, Default)]
struct Counters {
    accesses: u64,
    wavefronts: Wavefronts,
    /// The first accesses that took more than they need.
    samples: Vec<Sample>,
}

/// How many accesses of an instruction are kept for advice.
const MOST_SAMPLES: usize = 4;

/// A kernel in the course of a launch.
pub(crate) struct Exec<'a> {
    program: &'a Program,
    pub(crate) launch: &'a Launch,
    pub(crate) memory: &'a mut Memory,
    /// The program's own global variables, addressed after the launch's buffers.
    pub(crate) symbols: Vec<Buffer>,
    block_size: [u32; 3],
    pub(crate) num_threads: u32,
    args: &'a [u64],
    regs: Vec<Box<[u64]>>,
    /// Active lanes in rising order.
    pub(crate) lanes: Vec<u32>,
    full: bool,
    stack: Vec<Frame>,
    exited: Vec<bool>,
    num_exited: usize,
    /// The buffer of each argument that is one.
    argument_buffers: Vec<Option<usize>>,
    windows: Windows,
    block: [u32; 3],
    block_linear: u32,
    /// The instruction in progress.
    op: u32,
    steps: u64,
    /// The last reading of a clock.
    clock: u64,
    /// As `steps`, but counted once for each warp: about what the run takes.
    warp_steps: u64,
    pub(crate) shared: Vec<SharedVar>,
    local: Vec<u8>,
    local_shadow: Vec<bool>,
    block_epoch: u32,
    /// The last epoch of any block.
    last_epoch: u32,
    shared_order: OrderRules,
    global_order: OrderRules,
    /// Numbers of the moments that records of accesses name.
    timestamps: Timestamps,
    /// The list of lanes of the last access, for the next one.
    spare_lanes: Vec<(u32, u64)>,
    pub(crate) warp_epochs: Vec<u32>,
    counters: Vec<Counters>,
    pub(crate) report: Report,
    /// Messages that are being put together.
    pub(crate) messages: Vec<Message>,
    /// Draws whose turn it is, where warps run one by one in an order of their own.
    turns: Option<Turns>,
    /// The warps that run one by one; else all run together. They are not here while one of them runs.
    parties: Option<Vec<Party>>,
    is_parted: bool,
    spin: Spin,
    loops: Loops,
    /// Changes of memory so far.
    writes: u64,
    /// The lanes of the warp that make the access in progress as one.
    joint_lanes: u64,
    /// The order that atomic accesses and fences make, where there are any.
    happens: Option<Box<HappensBefore>>,
    /// Undefined values of the block, once there are any.
    poison: Option<Box<Poison>>,
    /// Asynchronous copies of the block.
    in_flight: InFlight,
    /// Barriers in the block's shared memory.
    mbarriers: Mbarriers,
    /// Asynchronous matrix products of the block.
    products: Products,
    /// Generic writes and proxy fences, where something reads through the async proxy.
    proxies: Option<Box<Proxies>>,
    /// The record of an earlier block, cleared.
    idle_poison: Option<Box<Poison>>,
}

/// One shared variable's bytes.
pub(crate) struct SharedVar {
    pub(crate) bytes: Vec<u8>,
    shadow: Shadow,
    /// Through which allocation each byte was written last; empty where the variable has no allocations.
    owners: Vec<Owner>,
    history: History,
}

/// What registers hold before anything is written to them: a pattern that shows.
pub(crate) const GARBAGE: u64 = 0xdead_beef;

impl<'a> Exec<'a> {
    /// Returns the registers of a block that has not begun.
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
        for symbol in &program.shared {
            if let Some((var, _)) = symbol.part_of {
                let own = &mut shared[var];
                own.owners.resize(own.bytes.len(), 0);
                // Its bytes are those of the variable.
                shared.push(SharedVar {
                    bytes: Vec::new(),
                    shadow: Shadow::new(0),
                    owners: Vec::new(),
                    history: History::default(),
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
            });
        }
        let limit = launch.machine.shared_limit;
        if shared_bytes > limit {
            let text = format!(
                "the kernel needs {shared_bytes} bytes of shared memory, the limit is {limit}"
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
                    Content::Bytes(bytes) => bytes.clone(),
                    Content::ImplicitArguments => launch.implicit_arguments(block_size),
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
                let place = locate(bits, memory.buffers.len(), 0)?;
                (param.ty == ParamTy::Pointer).then_some(place.buffer)
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
            counters: vec![Counters::default(); program.ops.len()],
            report: Report {
                threads_per_block: num_threads,
                shared_bytes,
                ..Report::default()
            },
            messages: Vec::new(),
            turns: Turns::new(launch.schedule),
            parties: None,
            is_parted: false,
            spin: Spin::default(),
            loops: Loops::new(program),
            writes: 0,
            joint_lanes: 0,
            happens,
            poison: None,
            in_flight: InFlight::new(num_threads),
            mbarriers: Mbarriers::default(),
            products: Products::new(num_warps),
            proxies: program.uses_async_proxy.then(Box::default),
            idle_poison: None,
        })
    }

    /// Instructions so far, counted once for each warp that took part.
    pub(super) fn warp_steps(&self) -> u64 {
        self.warp_steps
    }

    /// Puts all threads of a block to the entry; blocks are numbered along x, then y, then z.
    fn begin_block(&mut self, number: u64) {
        self.block_linear = number as u32;
        self.block = self.block_index(self.block_linear);
        self.report.blocks += 1;
        self.last_epoch += 1;
        self.block_epoch = self.last_epoch;
        self.shared_order.first_epoch = self.block_epoch;
        self.timestamps.begin_block();
        self.exited.fill(false);
        self.num_exited = 0;
        self.local_shadow.fill(false);
        self.windows.begin_block(self.warp_epochs.len());
        self.shared.iter_mut().for_each(SharedVar::forget_owners);
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
        self.spin = Spin::default();
        if let Some(happens) = &mut self.happens {
            happens.threads = HappensBefore::start(self.num_threads);
            for shared in &mut self.shared {
                shared.history.clear();
            }
        }
        self.stack.clear();
        self.stack
            .push(Self::entry_frame((0..self.num_threads).collect()));
        self.parties = None;
        if self.turns.is_some() {
            self.part_warps();
        }
    }

    /// Runs the lanes of the stack until they have returned or must stop.
    fn run_party(&mut self) -> Result<Stop, KernelError> {
        loop {
            self.pick();
            let Some(frame) = self.stack.last_mut() else {
                return Ok(Stop::Exit);
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
                    return Ok(if is_stuck { Stop::Stuck } else { Stop::Polls });
                }
            }
            self.full = lanes.len() == self.num_threads as usize;
            self.lanes = lanes;
            if let Some(stop) = self.run_basic_block(block, until, done)? {
                return Ok(stop);
            }
        }
    }

    /// Brings the frame that is first in reverse post-order to the top and joins those beside it.
    fn pick(&mut self) {
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

    /// Runs one basic block after its first `done` instructions and moves the top frame along its terminator.
    fn run_basic_block(
        &mut self,
        id: BlockId,
        until: Option<BlockId>,
        done: u32,
    ) -> Result<Option<Stop>, KernelError> {
        let program = self.program;
        let block = &program.blocks[id.0 as usize];
        let start = block.start + done;
        self.steps += u64::from(block.end - start) + 1;
        for index in start..block.end {
            self.op = index;
            let op = &*program.ops[index as usize];
            if self.poison.is_some() {
                self.spread(op)?;
            }
            if program.has_waits && op.blocked(self, &self.lanes)?.is_some() {
                self.steps -= u64::from(block.end - index) + 1;
                if let Some(frame) = self.stack.last_mut() {
                    frame.lanes = std::mem::take(&mut self.lanes);
                    frame.done = index - block.start;
                }
                return Ok(Some(Stop::Blocked));
            }
            let stop = self.stops_at(op)?;
            if stop.is_none() {
                op.step(self)?;
                self.note_product_sources();
            }
            if let Some(stop) = stop.or_else(|| self.turn_ends(op)) {
                // A barrier is carried out when all are there; the rest comes with the next turn.
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
                "the warps of the launch took more than {} instructions",
                self.launch.step_limit
            );
            return Err(KernelError::new(FaultKind::StepLimit, text)
                .at(program.sites[block.site as usize].clone())
                .note("if the kernel is meant to run that long, raise the limit"));
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
                self.part(
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
                let mut ways = Vec::new();
                for (case, edge) in cases {
                    let values = &self.regs[value.0 as usize];
                    let (hit, miss) = rest
                        .iter()
                        .partition(|&&lane| values[lane as usize] == *case);
                    rest = miss;
                    ways.push((edge, hit));
                }
                ways.push((default, rest));
                self.part(block.reconverge, until, all, ways);
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
                    .by(self.place(self.lanes[0])));
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

    /// Sends the lanes of the top frame several ways.
    fn part(
        &mut self,
        meet: Option<BlockId>,
        until: Option<BlockId>,
        all: Vec<u32>,
        ways: Vec<(&Edge, Vec<u32>)>,
    ) {
        let mut taken: Vec<_> = ways
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
        // The frame itself waits at the meeting point, unless the one beneath already does.
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

    /// Fills the target's parameters, all at once as far as the lanes can tell.
    fn pass_args(&mut self, edge: &Edge, lanes: &[u32]) {
        self.spread_edge(edge, lanes);
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

    /// The place of a lane of the current block.
    fn place(&self, lane: u32) -> ThreadPlace {
        let per_warp = self.launch.machine.lanes_per_warp;
        ThreadPlace {
            block: self.block,
            warp: lane / per_warp,
            lane: lane % per_warp,
        }
    }

    /// An error of the current instruction in `lane`.
    #[cold]
    pub(crate) fn fault(&self, kind: FaultKind, lane: u32, message: String) -> KernelError {
        KernelError::new(kind, message)
            .at(self.program.site(self.op).clone())
            .by(self.place(lane))
    }

    /// The moment of an access by `lane`.
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

    /// The time: the number of instructions executed, or one more than the last reading.
    pub(crate) fn read_clock(&mut self) -> u64 {
        self.clock = self.steps.max(self.clock + 1);
        self.clock
    }

    /// All warps of the block must be here, each with all of its threads that have not returned. A warp that has returned as
    /// a whole will never be.
    ///
    /// # Source
    /// PTX ISA, "barrier": without a count of threads, all threads of the CTA take part, and they arrive by warps.
    pub(crate) fn barrier(&mut self) -> Result<(), KernelError> {
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
                true => ", which has returned",
                false => "",
            };
            let text = format!("barrier in divergent code: {here} of {all} threads reach it");
            return Err(self
                .fault(FaultKind::Divergence, self.lanes[0], text)
                .note(format!("missing is {}{has}", self.place(lane))));
        }
        self.last_epoch += 1;
        self.block_epoch = self.last_epoch;
        self.report.barriers += 1;
        if let Some(happens) = &mut self.happens {
            happens.meet(&self.lanes);
        }
        Ok(())
    }

    /// Notes that lanes of a warp meet at a barrier of the warp.
    pub(crate) fn meet_in_warp(&mut self, warp: u32, lanes: &[u32]) {
        self.warp_epochs[warp as usize] += 1;
        if let Some(happens) = &mut self.happens {
            happens.meet(lanes);
        }
    }

    /// On machines in lockstep, the order of instructions orders a wave's accesses.
    pub(crate) fn order_waves(&mut self) {
        if self.launch.machine.lockstep {
            self.warp_epochs.iter_mut().for_each(|epoch| *epoch += 1);
        }
    }

    /// What has been counted so far.
    pub(super) fn tally(self) -> Tally {
        Tally {
            report: Report {
                instructions: self.steps,
                ..self.report
            },
            warp_steps: self.warp_steps,
            counters: self.counters,
        }
    }
}

/// What some blocks of a launch have counted.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    report: Report,
    warp_steps: u64,
    counters: Vec<Counters>,
}

impl Tally {
    /// Instructions, counted once for each warp that took part.
    pub(super) fn warp_steps(&self) -> u64 {
        self.warp_steps
    }

    /// Adds what other blocks have counted.
    pub(super) fn add(&mut self, other: &Self) {
        self.report.add(&other.report);
        self.warp_steps += other.warp_steps;
        for (own, other) in self.counters.iter_mut().zip(&other.counters) {
            own.accesses += other.accesses;
            own.wavefronts += other.wavefronts;
            let rest = MOST_SAMPLES - own.samples.len();
            own.samples.extend(other.samples.iter().take(rest).cloned());
        }
    }

    /// The report of everything that ran.
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
                    is_shared: matches!(access, Counted::Shared(_)),
                    accesses: counters.accesses,
                    wavefronts: counters.wavefronts,
                    samples: &counters.samples,
                });
            }
            match access {
                Some(Counted::Shared(label)) => self.report.shared.push(SharedUse {
                    label,
                    site: program.site(index as u32).clone(),
                    accesses: counters.accesses,
                    wavefronts: counters.wavefronts.taken,
                    ideal: counters.wavefronts.ideal,
                }),
                Some(Counted::Global(label)) => {
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
