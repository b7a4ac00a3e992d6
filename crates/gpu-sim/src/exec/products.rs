//! Asynchronous matrix products (`wgmma`): result registers in flight, and fences before products.
//!
//! A product may write its results at any time until its warp waits for the product's group. The simulator computes the
//! results at once, and marks the result registers as [`MarkKind::InFlight`] until the wait. Operand registers must
//! have been written before the warp's last `wgmma.fence`. Accumulators of an earlier product need no fence.
//!
//! # Source
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", on `wgmma.fence`, `wgmma.commit_group` and
//! `wgmma.wait_group`.

use super::{Channel, Exec, MarkKind, MemoryLocation, Transfer};
use crate::code::{BasicBlock, Edge, Reg};
use crate::error::{FaultKind, KernelError};
use crate::exec::Instruction;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// Warps per warp group.
pub(crate) const GROUP: u32 = 4;

/// The registers whose values become operands of matrix products, and the instructions that write the
/// registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProductSources {
    regs: FxHashSet<Reg>,
    /// Maps each instruction to the registers in `regs` that it writes. Does not contain matrix products.
    written_by: FxHashMap<u32, Writes>,
}

/// The registers that an instruction writes. If the instruction only renames bits, `renamed` contains its source
/// registers.
#[derive(Clone, Debug)]
struct Writes {
    regs: Vec<Reg>,
    renamed: Option<Vec<Reg>>,
}

impl ProductSources {
    pub(super) fn of(blocks: &[BasicBlock], ops: &[Arc<dyn Instruction>]) -> Self {
        let mut regs = FxHashSet::default();
        for op in ops {
            let product = op.product();
            regs.extend(product.writes.into_iter().chain(product.reads));
        }
        let mut known = 0;
        while known < regs.len() {
            known = regs.len();
            for edge in blocks.iter().flat_map(|block| block.terminator.edges()) {
                let params = &blocks[edge.target.0 as usize].params;
                for (param, arg) in params.iter().zip(&edge.args) {
                    if regs.contains(param) {
                        regs.insert(*arg);
                    }
                }
            }
            for op in ops.iter().filter(|op| op.renames()) {
                let used = op.regs();
                if used.writes.iter().any(|reg| regs.contains(reg)) {
                    regs.extend(used.reads);
                }
            }
        }
        let mut written_by: FxHashMap<u32, Writes> = FxHashMap::default();
        for (op, index) in ops.iter().zip(0..) {
            let is_product = !op.product().reads.is_empty() || !op.product().writes.is_empty();
            if regs.is_empty() || is_product {
                continue;
            }
            let used = op.regs();
            let writes = used.writes.into_iter();
            let writes: Vec<Reg> = writes.filter(|reg| regs.contains(reg)).collect();
            if !writes.is_empty() {
                let renamed = op.renames().then_some(used.reads);
                let writes = Writes {
                    regs: writes,
                    renamed,
                };
                written_by.insert(index, writes);
            }
        }
        Self { regs, written_by }
    }
}

#[derive(Debug, Default)]
pub(super) struct Products {
    time: u64,
    /// For each warp, the value of the counter `time` at its last fence; 0 before the first fence. Each fence of
    /// any warp increments the counter.
    fences: Vec<u64>,
    /// The last write to each (register, warp), as (value of the counter `time`, instruction).
    written: FxHashMap<(Reg, u32), (u64, u32)>,
    /// For each warp, the matrix products in flight, as (product, group). The group is `None` until it is
    /// committed.
    in_flight: Vec<VecDeque<(u32, Option<u32>)>>,
    closed: Vec<u32>,
    /// For each warp, the number of started products and the instruction of the last product.
    started: Vec<(u32, u32)>,
    count: u32,
}

impl Products {
    pub(super) fn new(warps: usize) -> Self {
        Self {
            fences: vec![0; warps],
            in_flight: vec![VecDeque::new(); warps],
            closed: vec![0; warps],
            started: vec![(0, 0); warps],
            ..Self::default()
        }
    }
}

impl Exec<'_> {
    /// Returns the active warps with their lanes, or an error if a warp is only partly active.
    pub(crate) fn whole_warps(&self, what: &str) -> Result<Vec<(u32, Vec<u32>)>, KernelError> {
        let warps = self.active_warps();
        let all = self.launch.machine.lanes_per_warp;
        match warps.iter().find(|(_, lanes)| lanes.len() != all as usize) {
            None => Ok(warps),
            Some((_, lanes)) => {
                let text = format!(
                    "only {} of {all} lanes execute {what}; expected all",
                    lanes.len()
                );
                Err(self.fault(FaultKind::Divergence, lanes[0], text))
            }
        }
    }

    /// Returns an error if a warp group is only partly active. If warps run separately, only checks that the block
    /// contains the whole group.
    pub(crate) fn check_warp_groups(
        &self,
        what: &str,
        warps: &[(u32, Vec<u32>)],
    ) -> Result<(), KernelError> {
        let all = self.warp_epochs.len() as u32;
        for (warp, lanes) in warps {
            let mut group = warp / GROUP * GROUP..warp / GROUP * GROUP + GROUP;
            let is_here = |other: &u32| warps.iter().any(|(warp, _)| warp == other);
            let missing = match self.warps_are_split {
                true => group.find(|other| *other >= all),
                false => group.find(|other| !is_here(other)),
            };
            if let Some(missing) = missing {
                let text = format!(
                    "warp {missing} does not execute {what}; expected all {GROUP} warps of the warp group"
                );
                return Err(self.fault(FaultKind::Divergence, lanes[0], text));
            }
        }
        Ok(())
    }

    pub(crate) fn fence_products(&mut self) -> Result<(), KernelError> {
        for (warp, _) in self.whole_warps("`wgmma.fence`")? {
            self.products.time += 1;
            self.products.fences[warp as usize] = self.products.time;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn note_product_sources(&mut self) {
        let sources = &self.program.product_sources;
        if sources.regs.is_empty() {
            return;
        }
        let Some(written) = sources.written_by.get(&self.op) else {
            return;
        };
        let now = (self.products.time, self.op);
        for (warp, _) in self.active_warps() {
            // Bits that are only renamed keep the time of their write. Results of products have none.
            let time = match &written.renamed {
                None => Some(now),
                Some(sources) => {
                    let times = sources.iter();
                    let times = times.filter_map(|reg| self.products.written.get(&(*reg, warp)));
                    times.max().copied()
                }
            };
            for reg in &written.regs {
                match time {
                    Some(time) => self.products.written.insert((*reg, warp), time),
                    None => self.products.written.remove(&(*reg, warp)),
                };
            }
        }
    }

    pub(super) fn pass_product_sources(&mut self, edge: &Edge, lanes: &[u32]) {
        let sources = &self.program.product_sources.regs;
        if sources.is_empty() {
            return;
        }
        let params = &self.program.blocks[edge.target.0 as usize].params;
        let per_warp = self.launch.machine.lanes_per_warp;
        let mut warps: Vec<u32> = lanes.iter().map(|lane| lane / per_warp).collect();
        warps.dedup();
        for warp in warps {
            let pairs = params.iter().zip(&edge.args);
            let pairs = pairs.filter(|(param, _)| sources.contains(param));
            let times = pairs.map(|(param, arg)| {
                let time = self.products.written.get(&(*arg, warp));
                (*param, time.copied())
            });
            for (param, time) in times.collect::<Vec<_>>() {
                match time {
                    Some(time) => self.products.written.insert((param, warp), time),
                    None => self.products.written.remove(&(param, warp)),
                };
            }
        }
    }

    /// Returns an error if one of `regs` was written after the warp's last `wgmma.fence`, or if the warp has not
    /// executed a `wgmma.fence` yet.
    pub(crate) fn check_product_fence(
        &self,
        warp: u32,
        lane: u32,
        regs: &[Reg],
    ) -> Result<(), KernelError> {
        const AFTER: &str =
            "execute `wgmma.fence.sync.aligned` after the register writes and before the product";
        let fence = self.products.fences[warp as usize];
        if fence == 0 {
            let text =
                "the warp has not executed `wgmma.fence` before the matrix product".to_owned();
            return Err(self.fault(FaultKind::MissingFence, lane, text).note(AFTER));
        }
        let written = regs
            .iter()
            .filter_map(|reg| self.products.written.get(&(*reg, warp)));
        match written.copied().find(|(time, _)| *time >= fence) {
            None => Ok(()),
            Some((_, op)) => {
                let text =
                    "the matrix product reads a register that was written after the last `wgmma.fence`"
                        .to_owned();
                let site = self.program.site(op);
                Err(self
                    .fault(FaultKind::MissingFence, lane, text)
                    .note(format!("the register was written by {site}"))
                    .note(AFTER))
            }
        }
    }

    /// Starts the asynchronous reads of one matrix product by one warp. `reads` contains (location, number of
    /// bytes) for each part of memory that the product reads.
    pub(crate) fn start_product(
        &mut self,
        lane: u32,
        reads: Vec<(MemoryLocation, u32)>,
        scratch: Reg,
    ) -> Result<(), KernelError> {
        for (from, read) in reads {
            let transfer = Transfer::new((from, read), (from, 0), scratch);
            self.start_copy(Channel::Product, lane, transfer)?;
        }
        Ok(())
    }

    pub(crate) fn mark_product(&mut self, warp: u32, lanes: &[u32], results: &[Reg]) {
        let number = self.products.count;
        self.products.count += 1;
        self.products.in_flight[warp as usize].push_back((number, None));
        let (count, last) = &mut self.products.started[warp as usize];
        (*count, *last) = (*count + 1, self.op);
        for &lane in lanes {
            for &reg in results {
                let text = || "result of a matrix product in flight".to_owned();
                self.mark(reg, lane, MarkKind::InFlight(number), text);
            }
        }
    }

    /// Returns an error if the warps of a warp group have started different numbers of products. Called at the end of a
    /// block.
    pub(super) fn end_products(&mut self) -> Result<(), KernelError> {
        let groups = self.products.started.chunks(GROUP as usize);
        for (group, warps) in (0..).step_by(GROUP as usize).zip(groups) {
            let with = |warp: usize| (group + warp as u32, warps[warp]);
            let most = (0..warps.len())
                .map(with)
                .max_by_key(|(_, (count, _))| *count);
            let least = (0..warps.len())
                .map(with)
                .min_by_key(|(_, (count, _))| *count);
            let (Some((warp, (many, op))), Some((other, (few, _)))) = (most, least) else {
                continue;
            };
            if many != few {
                let text = format!(
                    "warp {warp} has executed {many} asynchronous matrix products, but warp {other} of the \
                     same warp group only {few}"
                );
                self.op = op;
                let lane = warp * self.launch.machine.lanes_per_warp;
                return Err(self.fault(FaultKind::Divergence, lane, text));
            }
        }
        Ok(())
    }

    pub(crate) fn close_products(&mut self) -> Result<(), KernelError> {
        for (warp, _) in self.whole_warps("`wgmma.commit_group`")? {
            let group = self.products.closed[warp as usize];
            self.products.closed[warp as usize] += 1;
            let all = self.products.in_flight[warp as usize].iter_mut();
            all.for_each(|(_, own)| *own = own.or(Some(group)));
        }
        self.close_group(Channel::Product);
        Ok(())
    }

    /// Waits until at most `most` groups of products are in flight in each active warp.
    pub(crate) fn wait_for_products(&mut self, most: u32) -> Result<(), KernelError> {
        let warps = self.whole_warps("`wgmma.wait_group`")?;
        self.wait_for_copies(Channel::Product, most, false)?;
        for (warp, lanes) in warps {
            let end = self.products.closed[warp as usize].saturating_sub(most);
            let queue = &mut self.products.in_flight[warp as usize];
            let mut last = None;
            while let Some(&(number, Some(group))) = queue.front()
                && group < end
            {
                last = Some(number);
                queue.pop_front();
            }
            if let Some(last) = last {
                self.clear_in_flight(&lanes, last);
            }
            self.warp_barrier(warp, &lanes);
        }
        Ok(())
    }
}
