//! Planning of a histogram: all strategies are planned, and the cheapest plan is returned.

use super::super::memory::{BufferLayout, MemoryPlan};
use super::super::program::{
    BarrierScope, BinBit, Builder, IndexProgram, InlinedProgram, Predicate, Program, Threads,
    ValueId, Vote,
};
use super::super::{PlanOptions, plan_conversion};
use super::error::{HistogramError, HistogramErrorKind};
use super::{Histogram, HistogramPlan, HistogramStrategy};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;
use crate::target::Access;

/// log2 of the maximum number of bins that a lane owns. Each of these bins takes three operations per counted
/// element.
const MAX_COUNTS_LOG2: u32 = 5;

/// Width of a count in bits.
const COUNT_BITS: u32 = 32;

/// Plans a histogram.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::histogram::{Histogram, HistogramStrategy, plan_histogram};
/// use linear_layout::target::Target;
/// // 128 elements on a warp, in 2 bins that every lane needs: one vote.
/// let d = Dim::out(0);
/// let src = LinearLayout::identity_1d(4, Dim::REGISTER, d)?.product(&LinearLayout::identity_1d(32, Dim::LANE, d)?)?;
/// let dst = LinearLayout::identity_1d(2, Dim::REGISTER, d)?.product(&LinearLayout::zeros_1d(32, Dim::LANE, d, 1)?)?;
/// let target = Target::parse("cuda:90")?;
/// let plan = plan_histogram(&Histogram { src: &src, dst: &dst, is_masked: false, target })?;
/// assert_eq!(plan.strategy(), HistogramStrategy::Voting);
/// assert_eq!(plan.program().scratch_bytes(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error in these cases:
/// - a tensor is distributed over several CTAs;
/// - the result does not have exactly one dim, or shared memory does not suffice.
pub fn plan_histogram(histogram: &Histogram<'_>) -> Result<HistogramPlan, HistogramError> {
    let Histogram { src, dst, .. } = *histogram;
    let rank = dst.num_out_dims();
    if rank != 1 {
        return Err(HistogramErrorKind::Rank { rank }.into());
    }
    let blocks = src.in_size(Dim::BLOCK).max(dst.in_size(Dim::BLOCK));
    if blocks > 1 {
        return Err(HistogramErrorKind::SeveralBlocks { blocks }.into());
    }
    let free = src.free_variable_masks();
    let registers: Vec<usize> = (0..src.in_size(Dim::REGISTER))
        .filter(|register| register & free.mask(Dim::REGISTER) == 0)
        .filter_map(|register| usize::try_from(register).ok())
        .collect();
    let build = HistogramBuilder {
        histogram,
        bins_log2: narrow(dst.total_out_bits()),
        elements: narrow(registers.len()),
        warps: narrow(src.in_size(Dim::WARP)),
        copies: [Dim::LANE, Dim::WARP].map(|dim| narrow::<u32>(free.mask(dim))),
    };
    let mut ways = Vec::new();
    let mut failed = None;
    let bins = build.bins();
    match &bins {
        Ok(bins) => ways.push((HistogramStrategy::Adding, build.adding(bins))),
        Err(error) => failed = Some(error.clone()),
    }
    match build.voting(bins.as_ref().ok()) {
        Ok(Some(program)) => ways.push((HistogramStrategy::Voting, program)),
        Ok(None) => {}
        Err(error) => failed = Some(error),
    }
    ways.sort_by_key(|(_, program)| program.cost().total());
    let considered = ways.iter().map(|(_, program)| program.cost()).collect();
    match (ways.into_iter().next(), failed) {
        (Some((strategy, program)), _) => Ok(HistogramPlan {
            bins_log2: build.bins_log2,
            registers,
            strategy,
            program,
            considered,
        }),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("memory is a way, or fails with a reason"),
    }
}

/// The bins of a histogram in shared memory. They are contiguous, and each of them is a count of 4 bytes.
struct SharedBins {
    /// The stores that write 0 to all bins. All source registers of these stores are the same value, which is 0.
    clear: MemoryPlan,
    /// The loads that read the counts in the layout of the result.
    load: MemoryPlan,
    bytes: u32,
}

struct HistogramBuilder<'a> {
    histogram: &'a Histogram<'a>,
    bins_log2: u32,
    /// Number of registers per thread whose elements are counted.
    elements: u32,
    warps: u32,
    /// Masks of the free bits of the lane number and of the warp number. If one of these bits is set in the lane
    /// number or the warp number of a thread, the thread holds replicas, which are not counted.
    copies: [u32; 2],
}

impl HistogramBuilder<'_> {
    fn bins(&self) -> Result<SharedBins, HistogramError> {
        let Histogram {
            src, dst, target, ..
        } = *self.histogram;
        let outs: Vec<(Dim, u64)> = dst.out_shape().collect();
        let positions: Vec<u64> = (0..self.bins_log2).map(|bit| 1 << bit).collect();
        let offsets = [(Dim::OFFSET, 1 << self.bins_log2)];
        let all = Surjectivity::Required;
        let memory = LinearLayout::from_columns(&offsets, &outs, &positions, all)?;
        let buffer = BufferLayout::new(memory, &[], COUNT_BITS)?;
        let (needed, limit) = (buffer.size_bytes(1), target.max_shared_bytes);
        let bytes = u32::try_from(needed).ok().filter(|bytes| *bytes <= limit);
        let bytes = bytes.ok_or(HistogramErrorKind::Scratch {
            needed,
            limit,
            target: target.name,
        })?;
        let cleared = self.cleared(&outs, [Dim::LANE, Dim::WARP].map(|dim| src.in_bits(dim)))?;
        Ok(SharedBins {
            clear: MemoryPlan::new(&cleared, &buffer, 0, Access::Store, target)?,
            load: MemoryPlan::new(dst, &buffer, 0, Access::Load, target)?,
            bytes,
        })
    }

    /// Returns the layout of the stores that clear the bins. It maps each register of each thread to the bin that
    /// this register clears. Adjacent bins are cleared by the same thread, so that the stores are wide.
    fn cleared(
        &self,
        outs: &[(Dim, u64)],
        [lanes, warps]: [usize; 2],
    ) -> Result<LinearLayout, HistogramError> {
        let all = self.bins_log2 as usize;
        let registers = all.saturating_sub(lanes + warps);
        let vector = registers.min(2);
        let mut next = vector;
        let mut take = || {
            let column = if next < all { 1 << next } else { 0 };
            next += 1;
            column
        };
        let threads: Vec<u64> = (0..lanes + warps).map(|_| take()).collect();
        let own = (0..vector).map(|bit| 1 << bit);
        let own: Vec<u64> = own.chain((vector..registers).map(|_| take())).collect();
        let ins = [
            (Dim::REGISTER, 1 << registers),
            (Dim::LANE, 1 << lanes),
            (Dim::WARP, 1 << warps),
        ];
        let columns = [own, threads].concat();
        let surjective = Surjectivity::Required;
        Ok(LinearLayout::from_columns(
            &ins, outs, &columns, surjective,
        )?)
    }

    fn threads(&self) -> Threads {
        let src = self.histogram.src;
        Threads::of(src)
    }

    /// Creates a builder for the program. The sources of the program are the bin number of each element and, if the
    /// histogram is masked, the mask of each element. Returns the builder, and the pair (bin number, mask) of each
    /// element.
    fn builder(&self) -> (Builder, Vec<(ValueId, Option<ValueId>)>) {
        let masks = if self.histogram.is_masked {
            self.elements
        } else {
            0
        };
        let operands = [(self.elements, COUNT_BITS), (masks, COUNT_BITS)];
        let operands = &operands[..if masks > 0 { 2 } else { 1 }];
        let b = Builder::of_operands(operands, self.threads());
        let sources = b.sources();
        let (bins, masks) = sources.split_at(self.elements as usize);
        let masks = (0..bins.len()).map(|i| masks.get(i).copied());
        let elements = bins.iter().copied().zip(masks).collect();
        (b, elements)
    }

    /// Returns the index of a predicate that is true in a thread if its lane number has no bit in common with the
    /// mask `lanes`, and its warp number has no bit in common with the mask `warps`. Returns `None` if both masks
    /// are zero.
    fn clear(&self, b: &mut Builder, [lanes, warps]: [u32; 2]) -> Option<u32> {
        let mask = lanes | warps << self.threads().lanes_log2;
        (mask != 0).then(|| b.predicate(Predicate::Clear(mask)))
    }

    /// Builds the program in which each element atomically adds 1 to its bin in shared memory.
    fn adding(&self, bins: &SharedBins) -> Program {
        let (mut b, elements) = self.builder();
        let guard = self.clear(&mut b, self.copies);
        let threads = self.threads();
        let columns = vec![0; (threads.lanes_log2 + threads.warps_log2) as usize];
        let offsets: Vec<u64> = (0..self.bins_log2).map(|bit| 4 << bit).collect();
        let map = b.index_map(IndexProgram::new(&[0, 0, self.bins_log2], &[offsets]));
        let number_bits = ((1 << self.bins_log2) - 1) << 2;
        let results = self.in_bins(&mut b, bins, |b| {
            for (bin, mask) in elements {
                let number = b.compute(map, &[bin]);
                let at = (0, Some(number));
                let address = b.number_address(columns.clone(), at, number_bits);
                let one = b.one(bin);
                b.atomic_add(address, one, mask, guard);
            }
        });
        b.finish(results, bins.bytes, self.histogram.target)
    }

    /// Emits the stores that clear the bins, the code that `additions` emits, and the loads of the counts. Barriers
    /// separate these three parts. Returns the loaded counts.
    fn in_bins(
        &self,
        b: &mut Builder,
        bins: &SharedBins,
        additions: impl FnOnce(&mut Builder),
    ) -> Vec<ValueId> {
        let scope = if self.warps == 1 {
            BarrierScope::Warp
        } else {
            BarrierScope::Block
        };
        let zeros = vec![b.zero(ValueId(0)); bins.clear.locations().len()];
        b.store_registers(&bins.clear, &zeros, None, None);
        b.barrier(scope);
        additions(b);
        b.barrier(scope);
        b.load_registers(&bins.load, None)
    }

    /// Builds the program that counts elements with ballots. If a warp does not hold all elements, its counts are
    /// partial, and are added up in `bins` in shared memory. Returns `None` if a lane would own too many bins, or
    /// if `bins` is needed but not given.
    fn voting(&self, bins: Option<&SharedBins>) -> Result<Option<Program>, HistogramError> {
        let Histogram {
            src, dst, target, ..
        } = *self.histogram;
        let vote = Vote {
            bin_bits: self.bin_bits(),
            copies: self.copies[0],
        };
        let counts_log2 = vote.counts_log2();
        if counts_log2 > MAX_COUNTS_LOG2 {
            return Ok(None);
        }
        // If every warp has all elements, its counts are complete.
        let has_all = self.copies[1] + 1 == self.warps;
        let (mut b, elements) = self.builder();
        let number = b.vote(vote.clone());
        let mut counts = Vec::new();
        for (bin, mask) in elements {
            counts = b.count_votes(number, bin, mask, &counts);
        }
        if has_all {
            let layout = self.counts(&vote.bin_bits, counts_log2)?;
            let plan = plan_conversion(&layout, dst, COUNT_BITS, target, &PlanOptions::new())?;
            let program = plan.program();
            let part = InlinedProgram {
                program,
                operand: 0,
                sources: &counts,
                start: 0,
            };
            let results = b.inline(&[part]).concat();
            return Ok(Some(b.finish(results, program.scratch_bytes(), target)));
        }
        let Some(bins) = bins else { return Ok(None) };
        // The bins of each lane, in every warp.
        let mut columns = vec![0; src.in_bits(Dim::LANE) + src.in_bits(Dim::WARP)];
        for (bit, owner) in vote.bin_bits.iter().enumerate() {
            if let BinBit::Lane(lane) = owner {
                columns[*lane as usize] = 4 << bit;
            }
        }
        let idle = (target.lanes - 1) & !vote.lane_mask();
        let guard = self.clear(&mut b, [idle, self.copies[1]]);
        let results = self.in_bins(&mut b, bins, |b| {
            for (register, count) in (0..).zip(counts) {
                let at = (4 * vote.bin(register, 0), None);
                let address = b.number_address(columns.clone(), at, 0);
                b.atomic_add(address, count, None, guard);
            }
        });
        Ok(Some(b.finish(results, bins.bytes, target)))
    }

    /// Each bin is owned by one register of one lane. Returns, for each bit of a bin number, the bit of the owner's
    /// lane number or register number that always has the same value.
    ///
    /// If the result's layout maps a lane bit to exactly one bit of the bin number, these two bits are paired. All
    /// other lane bits are paired with the lowest remaining bits of the bin number.
    fn bin_bits(&self) -> Vec<BinBit> {
        let Histogram { src, dst, .. } = *self.histogram;
        let mut bin_bits = vec![None; self.bins_log2 as usize];
        let result_lanes = dst.columns_of(Dim::LANE);
        let mut lanes = Vec::new();
        for lane in 0..src.in_bits(Dim::LANE) {
            let bit = result_lanes
                .get(lane)
                .filter(|column| column.is_power_of_two());
            let bit = bit.and_then(|column| bin_bits.get_mut(column.trailing_zeros() as usize));
            match bit {
                Some(bit @ None) => *bit = Some(BinBit::Lane(narrow(lane))),
                _ => lanes.push(narrow(lane)),
            }
        }
        let mut lanes = lanes.into_iter();
        let mut registers = 0..;
        bin_bits
            .into_iter()
            .map(|bit| {
                bit.or_else(|| lanes.next().map(BinBit::Lane))
                    .unwrap_or_else(|| BinBit::Register(registers.next().unwrap_or_default()))
            })
            .collect()
    }

    /// Returns the layout of the counts after the ballots, if every warp holds all counts.
    fn counts(
        &self,
        bin_bits: &[BinBit],
        counts_log2: u32,
    ) -> Result<LinearLayout, HistogramError> {
        let Histogram { src, dst, .. } = *self.histogram;
        let lanes = src.in_bits(Dim::LANE);
        let mut columns = vec![0u64; counts_log2 as usize + lanes + src.in_bits(Dim::WARP)];
        for (i, bit) in bin_bits.iter().enumerate() {
            let at = match bit {
                BinBit::Register(bit) => *bit,
                BinBit::Lane(bit) => counts_log2 + bit,
            };
            columns[at as usize] = 1 << i;
        }
        let ins = [
            (Dim::REGISTER, 1 << counts_log2),
            (Dim::LANE, src.in_size(Dim::LANE)),
            (Dim::WARP, src.in_size(Dim::WARP)),
            (Dim::BLOCK, 1),
        ];
        let outs: Vec<(Dim, u64)> = dst.out_shape().collect();
        Ok(LinearLayout::from_columns(
            &ins,
            &outs,
            &columns,
            Surjectivity::Required,
        )?)
    }
}
