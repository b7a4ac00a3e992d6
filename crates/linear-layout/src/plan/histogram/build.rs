//! Planning a histogram: all ways, of which the cheapest is taken.

use super::super::memory::{MemoryPlan, Place};
use super::super::{Cost, PlanOptions, plan_conversion};
use super::error::{HistogramError, Kind};
use super::{BinBit, Bins, Copies, Histogram, HistogramPlan, HistogramWay, Voting, VotingEnd};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::target::Access;

/// Lanes that add to any bins meet in the same bank: about so many wavefronts for each addition.
const RANDOM_WAVES: u32 = 3;

/// A lane owns at most so many bins, log2: each takes three operations for each element.
const MAX_COUNTS_LOG2: u32 = 5;

/// Counts have so many bits.
const COUNT_BITS: u32 = 32;

/// Plans a histogram.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::histogram::{Histogram, HistogramWay, plan_histogram};
/// use linear_layout::target::Target;
/// // 128 elements on a warp, in 2 bins that every lane asks for: one vote tells.
/// let d = Dim::out(0);
/// let src = LinearLayout::identity_1d(4, Dim::REGISTER, d)?.product(&LinearLayout::identity_1d(32, Dim::LANE, d)?)?;
/// let dst = LinearLayout::identity_1d(2, Dim::REGISTER, d)?.product(&LinearLayout::zeros_1d(32, Dim::LANE, d, 1)?)?;
/// let target = Target::parse("cuda:90")?;
/// let plan = plan_histogram(&Histogram { src: &src, dst: &dst, target })?;
/// assert!(matches!(plan.way(), HistogramWay::Voting(_)));
/// assert_eq!(plan.scratch_bytes(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - `is_unsupported`: tensors in several blocks;
/// - otherwise the result has not one dim, or there is not enough shared memory.
pub fn plan_histogram(histogram: &Histogram<'_>) -> Result<HistogramPlan, HistogramError> {
    let Histogram { src, dst, .. } = *histogram;
    let rank = dst.num_out_dims();
    if rank != 1 {
        return Err(Kind::Rank { rank }.into());
    }
    let blocks = src.in_size(Dim::BLOCK).max(dst.in_size(Dim::BLOCK));
    if blocks > 1 {
        return Err(Kind::SeveralBlocks { blocks }.into());
    }
    let free = src.free_variable_masks();
    let registers: Vec<usize> = (0..src.in_size(Dim::REGISTER))
        .filter(|register| register & free.mask(Dim::REGISTER) == 0)
        .filter_map(|register| usize::try_from(register).ok())
        .collect();
    let copies = Copies {
        lanes: free.mask(Dim::LANE) as u32,
        warps: free.mask(Dim::WARP) as u32,
    };
    let build = Build {
        histogram,
        bins_log2: dst.total_out_bits() as u32,
        elements: registers.len() as u32,
        warps: src.in_size(Dim::WARP) as u32,
        has_all: copies.warps + 1 == src.in_size(Dim::WARP) as u32,
    };
    let mut ways = Vec::new();
    let mut failed = None;
    let bins = build.bins();
    match &bins {
        Ok(bins) => {
            let cost = build.cost_of_adding(bins);
            ways.push((HistogramWay::Adding(Box::new(bins.clone())), cost));
        }
        Err(error) => failed = Some(error.clone()),
    }
    match build.voting(bins.as_ref().ok()) {
        Ok(Some((voting, cost))) => ways.push((HistogramWay::Voting(Box::new(voting)), cost)),
        Ok(None) => {}
        Err(error) => failed = Some(error),
    }
    ways.sort_by_key(|(_, cost)| cost.total());
    let considered = ways.iter().map(|(_, cost)| *cost).collect();
    match (ways.into_iter().next(), failed) {
        (Some((way, cost)), _) => Ok(HistogramPlan {
            bins_log2: build.bins_log2,
            registers,
            copies,
            way,
            cost,
            considered,
        }),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("memory is a way, or fails with a reason"),
    }
}

/// A plan under construction.
struct Build<'a> {
    histogram: &'a Histogram<'a>,
    bins_log2: u32,
    /// Registers of each thread that are counted.
    elements: u32,
    warps: u32,
    /// Whether every warp has all elements.
    has_all: bool,
}

impl Build<'_> {
    /// Bins in shared memory.
    fn bins(&self) -> Result<Bins, HistogramError> {
        let Histogram { src, dst, target } = *self.histogram;
        let outs: Vec<(Dim, u64)> = dst.out_shape().collect();
        let positions: Vec<u64> = (0..self.bins_log2).map(|bit| 1 << bit).collect();
        let offsets = [(Dim::OFFSET, 1 << self.bins_log2)];
        let all = Surjectivity::Required;
        let memory = LinearLayout::from_columns(&offsets, &outs, &positions, all)?;
        let place = Place::new(memory, &[], COUNT_BITS)?;
        let (needed, limit) = (place.size_bytes(1), target.max_shared_bytes);
        if needed > u64::from(limit) {
            return Err(Kind::Scratch {
                needed,
                limit,
                target: target.name,
            }
            .into());
        }
        let cleared = self.cleared(&outs, [Dim::LANE, Dim::WARP].map(|dim| src.in_bits(dim)))?;
        Ok(Bins {
            clear: MemoryPlan::new(&cleared, &place, 0, Access::Store, target)?,
            load: MemoryPlan::new(dst, &place, 0, Access::Load, target)?,
            is_one_warp: self.warps == 1,
        })
    }

    /// Which thread clears which bin: neighbours in registers where there are enough, for wide accesses.
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

    /// Each element adds to its bin.
    fn cost_of_adding(&self, bins: &Bins) -> Cost {
        let costs = &self.histogram.target.costs;
        // Lanes that add to the same bin do so one after another.
        let waves = RANDOM_WAVES.max(self.histogram.target.lanes >> self.bins_log2.min(31));
        let additions = Cost {
            load_store: self.elements * waves * costs.wavefront * self.warps,
            // An index, its address, and whether it is a bin.
            arithmetic: self.elements * (costs.access + 3 * costs.select) * self.warps,
            waiting: 0,
        };
        added(additions, self.cost_of_bins(bins))
    }

    /// What clearing, waiting and loading cost.
    fn cost_of_bins(&self, bins: &Bins) -> Cost {
        let costs = &self.histogram.target.costs;
        let waits = if bins.is_one_warp {
            costs.warp_sync
        } else {
            costs.barrier
        };
        let accesses = bins.clear.accesses().len() + bins.load.accesses().len();
        let wavefronts = bins.clear.wavefronts().0 + bins.load.wavefronts().0;
        Cost {
            load_store: wavefronts * costs.wavefront * self.warps,
            arithmetic: accesses as u32 * costs.access * self.warps,
            waiting: costs.round_trip + 2 * waits,
        }
    }

    /// Lanes vote. Counts that are not whole are added up in bins.
    fn voting(&self, bins: Option<&Bins>) -> Result<Option<(Voting, Cost)>, HistogramError> {
        let Histogram { dst, target, .. } = *self.histogram;
        let places = self.places();
        let counts_log2 = counts_log2(&places);
        if counts_log2 > MAX_COUNTS_LOG2 {
            return Ok(None);
        }
        let costs = &target.costs;
        // A vote for each bit, and one on what is counted at all.
        let votes = (self.bins_log2 + 1) * costs.lane_alu;
        let words = target.lanes.div_ceil(32);
        let narrowing = self.bins_log2 - counts_log2 + (1 << counts_log2);
        let counting = 2 << counts_log2;
        let arithmetic = votes + (narrowing + counting) * words * costs.select;
        let voted = Cost {
            load_store: 0,
            arithmetic: self.elements * arithmetic * self.warps,
            waiting: 0,
        };
        let (end, rest) = if self.has_all {
            let counts = Box::new(self.counts(&places, counts_log2)?);
            let options = PlanOptions::new();
            let plan = Box::new(plan_conversion(&counts, dst, COUNT_BITS, target, &options)?);
            let cost = plan.program().cost();
            (VotingEnd::Convert { counts, plan }, cost)
        } else if let Some(bins) = bins {
            let additions = Cost {
                load_store: (costs.wavefront << counts_log2) * self.warps,
                arithmetic: (costs.access << counts_log2) * self.warps,
                waiting: 0,
            };
            let cost = added(additions, self.cost_of_bins(bins));
            (VotingEnd::Add(Box::new(bins.clone())), cost)
        } else {
            return Ok(None);
        };
        Ok(Some((Voting { places, end }, added(voted, rest))))
    }

    /// Which lanes own which bins: as the result asks for them, where that is one bit for a bit.
    fn places(&self) -> Vec<BinBit> {
        let Histogram { src, dst, .. } = *self.histogram;
        let mut places = vec![None; self.bins_log2 as usize];
        let asked = dst.columns_of(Dim::LANE);
        let mut lanes = Vec::new();
        for lane in 0..src.in_bits(Dim::LANE) {
            let bit = asked.get(lane).filter(|column| column.is_power_of_two());
            let place = bit.and_then(|column| places.get_mut(column.trailing_zeros() as usize));
            match place {
                Some(place @ None) => *place = Some(BinBit::Lane(lane as u32)),
                _ => lanes.push(lane as u32),
            }
        }
        let mut lanes = lanes.into_iter();
        let mut registers = 0..;
        places
            .into_iter()
            .map(|place| {
                place
                    .or_else(|| lanes.next().map(BinBit::Lane))
                    .unwrap_or_else(|| BinBit::Register(registers.next().unwrap_or_default()))
            })
            .collect()
    }

    /// The layout of the counts: every warp has all.
    fn counts(&self, places: &[BinBit], counts_log2: u32) -> Result<LinearLayout, HistogramError> {
        let Histogram { src, dst, .. } = *self.histogram;
        let lanes = src.in_bits(Dim::LANE);
        let mut columns = vec![0u64; counts_log2 as usize + lanes + src.in_bits(Dim::WARP)];
        for (i, place) in places.iter().enumerate() {
            let at = match place {
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

/// How many bits of a bin's number are told apart by counts of a lane.
pub(super) fn counts_log2(places: &[BinBit]) -> u32 {
    let of_register = |bit: &&BinBit| matches!(bit, BinBit::Register(_));
    places.iter().filter(of_register).count() as u32
}

fn added(a: Cost, b: Cost) -> Cost {
    Cost {
        load_store: a.load_store + b.load_store,
        arithmetic: a.arithmetic + b.arithmetic,
        waiting: a.waiting + b.waiting,
    }
}
