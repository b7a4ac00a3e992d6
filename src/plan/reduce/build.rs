//! Planning a reduction: each way is built, the cheapest is taken.

use super::super::{Cost, PlanKind, PlanOptions, ValueId, plan_conversion};
use super::error::{Kind, ReduceError};
use super::state::{Coordinates, State};
use super::{Conversion, Planned, ReducePlan, ReduceStep, Reduction, Way};
use crate::layout::Dim;

/// A thread that gathers first holds at most so many tuples.
const MAX_GATHERED: usize = 64;

/// Plans a reduction along one axis.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::reduce::{Reduction, plan_reduction};
/// use linear_layout::target::Target;
/// // 64 elements in a row on 32 lanes, two each; every thread gets the sum.
/// let d = Dim::out(0);
/// let src = LinearLayout::identity_1d(2, Dim::REGISTER, d)?.product(&LinearLayout::identity_1d(32, Dim::LANE, d)?)?;
/// let target = Target::parse("cuda:90")?;
/// let reduction = Reduction { src: &src, axis: 0, dst: None, widths: &[32], combine: 1, target };
/// let plan = plan_reduction(&reduction)?;
/// // One combination in the thread, then an exchange and a combination for each of the five lane bits.
/// assert_eq!((plan.steps().len(), plan.results().len(), plan.scratch_bytes()), (11, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units
/// Widths in bits, powers of two up to 64.
/// # Errors
/// - `is_unsupported`: the axis lies in several blocks, or an odd element width;
/// - `is_scratch_limit`: no way fits into the GPU's shared memory;
/// - otherwise the layouts do not fit each other or the target.
pub fn plan_reduction(reduction: &Reduction<'_>) -> Planned {
    if let Some(bits) = reduction
        .widths
        .iter()
        .find(|bits| !bits.is_power_of_two() || **bits > 64)
    {
        return Err(Kind::Width { bits: *bits }.into());
    }
    let rank = reduction.src.num_out_dims();
    if reduction.axis >= rank {
        return Err(Kind::Axis {
            axis: reduction.axis,
            rank,
        }
        .into());
    }
    let mut plans: Vec<(Way, ReducePlan)> = Vec::new();
    let mut failed = None;
    for gathers_first in [false, true] {
        for halves in [true, false] {
            for across_lanes in [false, true] {
                let way = Way {
                    gathers_first,
                    halves,
                    across_lanes,
                };
                match Builder::new(reduction).and_then(|builder| builder.run(way)) {
                    Ok(Some(plan)) => plans.push((way, plan)),
                    Ok(None) => {}
                    Err(error) => failed = Some(error),
                }
            }
        }
    }
    // The first of equals stays: a way that needs less is tried first.
    plans.sort_by_key(|(_, plan)| plan.cost.total());
    let considered = plans.iter().map(|(way, plan)| (*way, plan.cost)).collect();
    match (plans.into_iter().next(), failed) {
        (Some((_, plan)), _) => Ok(ReducePlan { considered, ..plan }),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("a butterfly is always possible, or fails with a reason"),
    }
}

/// A plan under construction.
struct Builder<'a> {
    reduction: &'a Reduction<'a>,
    coordinates: Coordinates,
    state: State,
    /// The layout of the result, its columns as rows.
    wanted: [Vec<u64>; 3],
    steps: Vec<ReduceStep>,
    conversions: Vec<Conversion>,
    num_sources: u32,
    next: u32,
    scratch_bytes: u32,
    cost: Cost,
}

impl<'a> Builder<'a> {
    fn new(reduction: &'a Reduction<'a>) -> Result<Self, ReduceError> {
        let src = reduction.src;
        let blocks = src.in_size(Dim::BLOCK);
        if blocks > 1 {
            return Err(Kind::SeveralBlocks { blocks }.into());
        }
        let coordinates = Coordinates::of(src, reduction.axis);
        let mut state = State::of(src);
        for column in state
            .reg
            .iter_mut()
            .chain(&mut state.lane)
            .chain(&mut state.warp)
        {
            *column = coordinates.in_the_middle(*column);
        }
        let wanted = match reduction.dst {
            Some(dst) => {
                coordinates.check_rows(dst)?;
                let dst = State::of(dst);
                [dst.reg, dst.lane, dst.warp]
            }
            None => [
                Vec::new(),
                vec![0; state.lane.len()],
                vec![0; state.warp.len()],
            ],
        };
        let num_sources = state.values.len() as u32;
        Ok(Self {
            reduction,
            coordinates,
            state,
            wanted,
            steps: Vec::new(),
            conversions: Vec::new(),
            num_sources,
            next: num_sources,
            scratch_bytes: 0,
            cost: Cost::default(),
        })
    }

    /// Builds the plan that goes one way; nothing where that is the same as another way.
    fn run(mut self, way: Way) -> Result<Option<ReducePlan>, ReduceError> {
        if way.gathers_first {
            let axis_bits = self.coordinates.axis_bits();
            let most = self.wanted[0].len() + axis_bits;
            if way.halves || way.across_lanes || 1usize << most.min(20) > MAX_GATHERED {
                return Ok(None);
            }
            let left: Vec<u64> = (0..axis_bits).map(|i| self.coordinates.left(i)).collect();
            let [reg, lane, warp] = self.wanted.clone();
            self.convert([[left, reg].concat(), lane, warp])?;
            self.combine_registers();
            return self.finish();
        }
        if !self.state.is_simple(&self.coordinates) {
            let plain = self.plain_layout();
            self.convert(plain)?;
        }
        self.combine_registers();
        if !self.combine_lanes(way.halves) {
            return Ok(None);
        }
        let warps = self.state.axis_warps(&self.coordinates).len();
        if warps == 0 {
            if way.across_lanes {
                return Ok(None);
            }
            self.convert(self.wanted.clone())?;
            return self.finish();
        }
        self.renumber_warps();
        let left: Vec<u64> = (0..warps).map(|i| self.coordinates.left(i)).collect();
        let [reg, mut lane, warp] = self.wanted.clone();
        if way.across_lanes {
            let copies: Vec<usize> = (0..lane.len()).filter(|bit| lane[*bit] == 0).collect();
            if copies.len() < warps {
                return Ok(None);
            }
            for (bit, column) in copies.iter().zip(left) {
                lane[*bit] = column;
            }
            self.convert([reg, lane, warp])?;
            self.combine_lanes(false);
        } else {
            self.convert([[left, reg].concat(), lane, warp])?;
            // From the highest bit down, as lanes would.
            for bit in (0..warps).rev() {
                self.combine_register(bit);
            }
        }
        self.finish()
    }

    /// A layout with one coordinate bit for each bit of the position: the axis first, in registers.
    fn plain_layout(&self) -> [Vec<u64>; 3] {
        let (lanes, warps) = (self.state.lane.len(), self.state.warp.len());
        let (rows, bits) = (self.coordinates.row_bits(), self.coordinates.bits);
        let mut columns = (rows..bits).chain(0..rows).map(|bit| 1u64 << bit);
        let registers = (bits as usize).saturating_sub(lanes + warps);
        let mut take = |count: usize| -> Vec<u64> {
            (0..count).map(|_| columns.next().unwrap_or(0)).collect()
        };
        [take(registers), take(lanes), take(warps)]
    }

    /// What is left of the axis lies in warps: it gets the lowest numbers.
    fn renumber_warps(&mut self) {
        for (i, bit) in self
            .state
            .axis_warps(&self.coordinates)
            .into_iter()
            .enumerate()
        {
            self.state.warp[bit] = self.coordinates.left(i);
        }
    }

    fn new_values(&mut self, count: usize) -> ValueId {
        let first = ValueId(self.next);
        self.next += count as u32;
        first
    }

    fn combine(&mut self, acc: ValueId, other: ValueId) -> ValueId {
        let out = self.new_values(1);
        self.steps.push(ReduceStep::Combine { out, acc, other });
        self.cost.arithmetic +=
            self.reduction.combine * self.reduction.target.costs.select * self.warps();
        out
    }

    fn warps(&self) -> u32 {
        1 << self.state.warp.len()
    }

    /// Combines what differs in a register bit of the axis.
    fn combine_register(&mut self, bit: usize) {
        let pairs = self.state.split(bit);
        self.state.values = pairs
            .into_iter()
            .map(|(clear, set)| self.combine(clear, set))
            .collect();
    }

    /// Combines all register bits of the axis, lowest first.
    fn combine_registers(&mut self) {
        while let Some(bit) = self.state.axis_registers(&self.coordinates).first() {
            self.combine_register(*bit);
        }
    }

    /// Combines all lane bits of the axis, highest first; says whether it did so in the way asked for.
    fn combine_lanes(&mut self, halves: bool) -> bool {
        let mut halved = false;
        while let Some(bit) = self.state.axis_lanes(&self.coordinates).pop() {
            if halves && !self.state.reg.is_empty() {
                self.halve(bit);
                halved = true;
            } else {
                let values = self.state.values.clone();
                let received = self.exchange(&values, bit);
                self.state.values = values
                    .into_iter()
                    .zip(received)
                    .map(|(own, other)| self.combine(own, other))
                    .collect();
                self.state.lane[bit] = 0;
            }
        }
        halved == halves
    }

    /// Each of two lanes keeps half of the rows and gives the others away. A row that the result wants in this
    /// lane bit goes there; else the highest register bit, so that neighbours stay together.
    fn halve(&mut self, lane_bit: usize) {
        let wanted = self.wanted[1].get(lane_bit).copied().unwrap_or(0);
        let position = self.state.reg.iter().position(|column| *column == wanted);
        let register = position.unwrap_or(self.state.reg.len() - 1);
        let column = self.state.reg[register];
        let pairs = self.state.split(register);
        let (given, kept): (Vec<ValueId>, Vec<ValueId>) = pairs
            .iter()
            .map(|(clear, set)| {
                (
                    self.select(lane_bit, *clear, *set),
                    self.select(lane_bit, *set, *clear),
                )
            })
            .unzip();
        let received = self.exchange(&given, lane_bit);
        self.state.values = kept
            .into_iter()
            .zip(received)
            .map(|(own, other)| self.combine(own, other))
            .collect();
        self.state.lane[lane_bit] = column;
    }

    fn select(&mut self, lane_bit: usize, if_set: ValueId, if_clear: ValueId) -> ValueId {
        let out = self.new_values(1);
        self.steps.push(ReduceStep::Select {
            out,
            lane_bit: lane_bit as u32,
            if_set,
            if_clear,
        });
        let words: u32 = self
            .reduction
            .widths
            .iter()
            .map(|bits| words(*bits, 1))
            .sum();
        self.cost.arithmetic += words * self.reduction.target.costs.select * self.warps();
        out
    }

    fn exchange(&mut self, values: &[ValueId], lane_bit: usize) -> Vec<ValueId> {
        let first = self.new_values(values.len());
        let lane_mask = 1u32 << lane_bit;
        self.steps.push(ReduceStep::Exchange {
            first,
            values: values.to_vec(),
            lane_mask,
        });
        let (target, count) = (self.reduction.target, values.len() as u32);
        let widths = self.reduction.widths.iter();
        let total: u32 = widths.clone().map(|bits| words(*bits, count)).sum();
        // Narrow elements are brought together, and taken apart again.
        let narrow = widths.filter(|bits| **bits < 32 && count > 1).count() as u32;
        self.cost.arithmetic += narrow * count * target.costs.select * self.warps();
        if target.xor_shuffle(lane_mask).is_arithmetic() {
            self.cost.arithmetic += total * target.costs.lane_alu * self.warps();
        } else {
            self.cost.load_store += total * target.costs.shuffle * self.warps();
        }
        (0..count).map(|i| first.plus(i)).collect()
    }

    /// Brings the tuples into another layout.
    fn convert(&mut self, to: [Vec<u64>; 3]) -> Result<(), ReduceError> {
        let from = [&self.state.reg[..], &self.state.lane, &self.state.warp];
        if from == [&to[0][..], &to[1], &to[2]] {
            return Ok(());
        }
        let all = from.iter().flat_map(|list| list.iter());
        let top = all.map(|column| column >> self.coordinates.row_bits());
        let left = u64::BITS - top.fold(0, |all, bits| all | bits).leading_zeros();
        let from = self.coordinates.layout(from, left)?;
        let [reg, lane, warp] = &to;
        let layout = self.coordinates.layout([reg, lane, warp], left)?;
        let plans = self
            .reduction
            .widths
            .iter()
            .map(|bits| {
                let target = self.reduction.target;
                plan_conversion(&from, &layout, *bits, target, &PlanOptions::new())
            })
            .collect::<Result<Vec<_>, _>>()?;
        let is_rename = plans.iter().all(|plan| plan.kind() == PlanKind::Rename);
        let values = std::mem::take(&mut self.state.values);
        if is_rename
            && plans
                .windows(2)
                .all(|p| p[0].program().results() == p[1].program().results())
        {
            let results = plans
                .first()
                .map_or(&[][..], |plan| plan.program().results());
            self.state.values = results.iter().map(|v| values[v.index()]).collect();
        } else {
            let count = 1 << reg.iter().filter(|column| **column != 0).count();
            let first = self.new_values(count);
            self.state.values = (0..count as u32).map(|i| first.plus(i)).collect();
            let mut offsets = Vec::new();
            let mut waiting = 0;
            for plan in &plans {
                offsets.push(self.scratch_bytes);
                self.scratch_bytes = self
                    .scratch_bytes
                    .saturating_add(plan.program().scratch_bytes())
                    .next_multiple_of(SCRATCH_ALIGNMENT);
                self.cost.load_store += plan.program().cost().load_store;
                self.cost.arithmetic += plan.program().cost().arithmetic;
                // Operands wait together.
                waiting = waiting.max(plan.program().cost().waiting);
            }
            self.cost.waiting += waiting;
            self.steps.push(ReduceStep::Convert {
                first,
                values,
                conversion: self.conversions.len(),
            });
            self.conversions.push(Conversion {
                from,
                to: layout,
                plans,
                offsets,
            });
        }
        let [reg, lane, warp] = to;
        self.state.reg = reg;
        self.state.lane = lane;
        self.state.warp = warp;
        Ok(())
    }

    fn finish(self) -> Result<Option<ReducePlan>, ReduceError> {
        let (needed, target) = (self.scratch_bytes, self.reduction.target);
        if needed > target.max_shared_bytes {
            return Err(Kind::Scratch {
                needed,
                limit: target.max_shared_bytes,
                target: target.name,
            }
            .into());
        }
        Ok(Some(ReducePlan {
            num_sources: self.num_sources,
            num_values: self.next,
            steps: self.steps,
            conversions: self.conversions,
            results: self.state.values,
            scratch_bytes: needed,
            cost: self.cost,
            considered: Vec::new(),
        }))
    }
}

/// Scratch buffers begin at multiples of this.
const SCRATCH_ALIGNMENT: u32 = 128;

/// The words that so many elements travel in.
fn words(bits: u32, count: u32) -> u32 {
    (bits.max(8) * count).div_ceil(32)
}
