//! Planning of a reduction: all strategies are planned, and the cheapest plan is returned.

use super::super::program::Predicate;
use super::super::program::Program;
use super::super::tuples::{
    Combiner, Coordinates, LaneReduction, ScratchBudget, TupleBuilder, TupleError, TupleId,
    plan_within_budget, rank,
};
use super::baseline::baseline_reduction;
use super::state::State;
use super::{ReducePlan, ReduceStrategy, Reduction};

/// The strategies in which `gathers_first` and `rows_stay` are false. Each entry lists the fields `halves`,
/// `across_lanes`, `halves_again` and `at_once`.
const STRATEGIES: [[bool; 4]; 7] = [
    [true, false, false, false],
    [true, true, false, false],
    [true, true, true, false],
    [false, false, false, false],
    [false, true, false, false],
    [false, false, false, true],
    [false, true, false, true],
];

/// log2 of the smallest number of warps along the axis for which strategies with both `rows_stay` and
/// `across_lanes` are tried even without a scratch limit. In such a strategy, the results pass through shared
/// memory once more. With 4 warps, the barrier that this requires costs more than the loads that it saves.
const MANY_WARPS_LOG2: usize = 3;

/// Returns the strategies to try. The strategies whose field `rows_stay` is true come last. In the first of them,
/// lanes exchange halves of rows, and the partial results of warps are combined in registers; it is always
/// returned. In the remaining ones, the partial results of warps are combined across lanes; they are returned only
/// if the argument `rows_stay` is true. Strategies whose field `rows_stay` is true need less shared memory and,
/// with many warps, fewer loads.
fn strategies(rows_stay: bool) -> impl Iterator<Item = ReduceStrategy> {
    let from_flags = |[halves, across_lanes, halves_again, at_once]: [bool; 4]| ReduceStrategy {
        gathers_first: false,
        halves,
        across_lanes,
        rows_stay: false,
        halves_again,
        at_once,
    };
    let gathering = ReduceStrategy {
        gathers_first: true,
        ..from_flags([false; 4])
    };
    let staying = STRATEGIES
        .into_iter()
        .filter(move |strategy| rows_stay && strategy[1]);
    // Halving leaves few rows in each lane.
    let staying = [STRATEGIES[0]]
        .into_iter()
        .chain(staying)
        .map(move |strategy| ReduceStrategy {
            rows_stay: true,
            ..from_flags(strategy)
        });
    let strategies = STRATEGIES.into_iter().map(from_flags);
    strategies.chain([gathering]).chain(staying)
}

/// Maximum number of tuples per thread in a strategy with `gathers_first`, in which each thread holds the whole
/// axis. A tuple contains one element of each operand.
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
/// let reduction = Reduction { src: &src, axis: 0, dst: None, widths: &[32], combine: 1, at_once: None, is_packed: false, target, scratch_limit: None, can_halve: true };
/// let plan = plan_reduction(&reduction)?;
/// // One combination in the thread, then an exchange and a combination for each of the five lane bits.
/// let program = plan.program();
/// assert_eq!((program.steps().len(), program.results().len(), program.scratch_bytes()), (11, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units
/// Element widths are in bits. They must be powers of two up to 64.
/// # Errors
/// Returns an error in these cases:
/// - the axis is distributed over several CTAs, or an element width is not supported;
/// - no strategy fits into the shared memory of the GPU, or into `scratch_limit` bytes;
/// - the layouts do not match each other or the target.
pub fn plan_reduction(reduction: &Reduction<'_>) -> Result<ReducePlan, TupleError> {
    let limit = reduction.scratch_limit;
    let baseline = match limit {
        Some(_) => baseline_reduction(reduction)?.map(|baseline| baseline.barriers),
        None => None,
    };
    let rank = |program: &Program| rank(program, limit, baseline);
    plan_within_budget(
        limit,
        |budget| plan_within(reduction, budget, &rank),
        |plan| rank(plan.program()),
    )
}

/// Plans all strategies with the scratch budget `budget`, and returns the plan whose program has the lowest `rank`.
fn plan_within(
    reduction: &Reduction<'_>,
    budget: ScratchBudget,
    rank: &dyn Fn(&Program) -> (usize, u32),
) -> Result<ReducePlan, TupleError> {
    let mut plans: Vec<(ReduceStrategy, Program)> = Vec::new();
    let mut failed = None;
    let coordinates = Coordinates::of(reduction.src, reduction.axis);
    let source = State::to_intermediate(reduction.src, &coordinates, Vec::new());
    let has_many_warps = source.axis_warps(&coordinates).len() >= MANY_WARPS_LOG2;
    for strategy in strategies(budget.limit.is_some() || has_many_warps) {
        if strategy.at_once && reduction.at_once.is_none()
            || strategy.halves && !reduction.can_halve
        {
            continue;
        }
        match ReduceBuilder::new(reduction, budget).and_then(|builder| builder.run(strategy)) {
            Ok(Some(plan)) => plans.push((strategy, plan)),
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
    }
    // The sort is stable: of equal plans, the one that needs less is first.
    plans.sort_by_key(|(_, program)| rank(program));
    let considered = plans
        .iter()
        .map(|(strategy, program)| (*strategy, program.cost()));
    let considered = considered.collect();
    match (plans.into_iter().next(), failed) {
        (Some((_, program)), _) => Ok(ReducePlan {
            program,
            considered,
        }),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("a butterfly is always possible, or fails with a reason"),
    }
}

struct ReduceBuilder<'a> {
    program: TupleBuilder<'a>,
    coordinates: Coordinates,
    state: State,
    /// Columns of the result's layout: for register bits, lane bits and warp bits. Each column is a packed row
    /// coordinate.
    result_columns: [Vec<u64>; 3],
    at_once: Option<LaneReduction>,
    is_packed: bool,
}

impl<'a> ReduceBuilder<'a> {
    fn new(reduction: &'a Reduction<'a>, budget: ScratchBudget) -> Result<Self, TupleError> {
        let src = reduction.src;
        let combiner = Combiner {
            widths: reduction.widths,
            combine: reduction.combine,
            is_packed: reduction.is_packed,
            target: reduction.target,
            budget,
        };
        let program = TupleBuilder::new(combiner, src, reduction.axis)?;
        let coordinates = Coordinates::of(src, reduction.axis);
        let state = State::to_intermediate(src, &coordinates, program.sources());
        let result_columns = State::result_columns(reduction, &coordinates)?;
        Ok(Self {
            program,
            coordinates,
            state,
            result_columns,
            at_once: reduction.at_once,
            is_packed: reduction.is_packed,
        })
    }

    /// Builds the program of a strategy. Returns `None` if the strategy does not apply, or if another strategy
    /// yields the same program.
    fn run(mut self, strategy: ReduceStrategy) -> Result<Option<Program>, TupleError> {
        if strategy.gathers_first {
            let axis_bits = self.coordinates.axis_bits();
            let most = self.result_columns[0].len() + axis_bits;
            if 1usize << most.min(20) > MAX_GATHERED {
                return Ok(None);
            }
            let remaining_axis: Vec<u64> = (0..axis_bits)
                .map(|i| self.coordinates.remaining_axis(i))
                .collect();
            let [reg, lane, warp] = self.result_columns.clone();
            self.convert([[remaining_axis, reg].concat(), lane, warp])?;
            self.combine_registers();
            return self.program.finish(&self.state.values).map(Some);
        }
        if !self.state.is_simple(&self.coordinates) {
            let (lanes, warps) = (self.state.lane.len(), self.state.warp.len());
            let axis_first = self.coordinates.axis_first(lanes, warps);
            self.convert(axis_first)?;
        }
        self.combine_registers();
        let is_at_once = strategy.at_once && self.combine_all_lanes();
        if self.combine_lanes(strategy.halves) != strategy.halves {
            return Ok(None);
        }
        if !self.combine_warps(strategy, is_at_once)? {
            return Ok(None);
        }
        self.convert(self.result_columns.clone())?;
        self.program.finish(&self.state.values).map(Some)
    }

    /// Combines the partial results of warps. Returns false if the strategy does not apply, or if it yields the
    /// same program as another strategy.
    fn combine_warps(
        &mut self,
        strategy: ReduceStrategy,
        is_at_once: bool,
    ) -> Result<bool, TupleError> {
        let warps = self.state.axis_warps(&self.coordinates).len();
        if warps == 0 {
            return Ok(!strategy.across_lanes
                && !strategy.rows_stay
                && strategy.at_once == is_at_once);
        }
        self.renumber_warps();
        let remaining_axis: Vec<u64> = (0..warps)
            .map(|i| self.coordinates.remaining_axis(i))
            .collect();
        let [reg, mut lane, warp] = self.result_columns.clone();
        if strategy.across_lanes && strategy.rows_stay {
            return match self.state.with_warps_in_lanes(&self.coordinates) {
                Some(to) => self.combine_across(to, strategy, is_at_once),
                None => Ok(false),
            };
        }
        if strategy.across_lanes {
            let copies: Vec<usize> = (0..lane.len()).filter(|bit| lane[*bit] == 0).collect();
            if copies.len() < warps {
                return Ok(false);
            }
            for (bit, column) in copies.iter().zip(remaining_axis) {
                lane[*bit] = column;
            }
            return self.combine_across([reg, lane, warp], strategy, is_at_once);
        }
        if strategy.at_once != is_at_once {
            return Ok(false);
        }
        let to = if strategy.rows_stay {
            self.state.with_warps_in_registers(&self.coordinates)
        } else {
            [[remaining_axis, reg].concat(), lane, warp]
        };
        self.convert(to)?;
        // From the highest bit down, the order in which lanes combine.
        for bit in (0..warps).rev() {
            self.combine_register(bit);
        }
        Ok(true)
    }

    /// Renumbers the warp bits along the axis: the first of them gets the column of axis bit 0, the second the
    /// column of axis bit 1, etc.
    fn renumber_warps(&mut self) {
        for (i, bit) in self
            .state
            .axis_warps(&self.coordinates)
            .into_iter()
            .enumerate()
        {
            self.state.warp[bit] = self.coordinates.remaining_axis(i);
        }
    }

    /// Combines each pair of tuples whose registers differ only in register bit `bit`. This bit must be along the
    /// axis.
    fn combine_register(&mut self, bit: usize) {
        let pairs = self.state.split(bit);
        self.state.values = pairs
            .into_iter()
            .map(|(clear, set)| self.program.combine(clear, set))
            .collect();
    }

    /// Combines the tuples along all register bits that are along the axis, lowest bit first. If one instruction
    /// combines two elements of a word, register bit 0, which selects an element of a word, is combined last.
    fn combine_registers(&mut self) {
        while let [first, others @ ..] = &self.state.axis_registers(&self.coordinates)[..] {
            let is_in_word = self.is_packed && *first == 0;
            let next = others.first().filter(|_| is_in_word);
            self.combine_register(*next.unwrap_or(first));
        }
    }

    /// Combines the values of all lanes of a warp with one instruction, and returns true. Does nothing and returns
    /// false if no lane bit is along the axis, if another lane bit numbers rows, or if another lane bit numbers
    /// replicas and replicas would change the result.
    fn combine_all_lanes(&mut self) -> bool {
        let axis = self.state.axis_lanes(&self.coordinates);
        let others = (0..self.state.lane.len()).filter(|bit| !axis.contains(bit));
        let others: Vec<usize> = others.collect();
        let are_copies = others.iter().all(|bit| self.state.lane[*bit] == 0);
        let takes_copies = self.at_once.is_some_and(|known| known.is_idempotent);
        if axis.is_empty() || !are_copies || !(others.is_empty() || takes_copies) {
            return false;
        }
        let copies = others.iter().fold(0, |mask, bit| mask | 1 << bit);
        self.state.values = self.program.reduce_lanes(&self.state.values, copies);
        self.state.lane.fill(0);
        true
    }

    /// Combines the values along all lane bits that are along the axis, highest bit first. If `halves` is true,
    /// lanes that hold several rows exchange halves of their rows. Returns true if lanes exchanged halves for at
    /// least one lane bit.
    fn combine_lanes(&mut self, halves: bool) -> bool {
        let mut halved = false;
        while let Some(bit) = self.state.axis_lanes(&self.coordinates).pop() {
            if halves && !self.state.reg.is_empty() {
                self.halve(bit);
                halved = true;
            } else {
                let values = self.state.values.clone();
                let received = self.program.exchange(&values, bit);
                self.state.values = values
                    .into_iter()
                    .zip(received)
                    .map(|(own, other)| self.program.combine(own, other))
                    .collect();
                self.state.lane[bit] = 0;
            }
        }
        halved
    }

    /// Combines the values of each pair of lanes that differ in `lane_bit`. One register bit divides the rows of
    /// the lanes into two halves. Each lane sends one half to the other lane, and combines the half that it keeps
    /// with the half that it receives. If a register bit has the column that `lane_bit` has in the result's layout,
    /// this register bit is used. Otherwise, the highest register bit is used, so that adjacent rows stay in one
    /// lane.
    fn halve(&mut self, lane_bit: usize) {
        let result_columns = self.result_columns[1].get(lane_bit).copied().unwrap_or(0);
        let position = self
            .state
            .reg
            .iter()
            .position(|column| *column == result_columns);
        let register = position.unwrap_or(self.state.reg.len() - 1);
        let column = self.state.reg[register];
        let pairs = self.state.split(register);
        let is_set = Predicate::is_set(lane_bit);
        let (given, kept): (Vec<TupleId>, Vec<TupleId>) = pairs
            .iter()
            .map(|(clear, set)| {
                (
                    self.program.select(is_set, *clear, *set),
                    self.program.select(is_set, *set, *clear),
                )
            })
            .unzip();
        let received = self.program.exchange(&given, lane_bit);
        self.state.values = kept
            .into_iter()
            .zip(received)
            .map(|(own, other)| self.program.combine(own, other))
            .collect();
        self.state.lane[lane_bit] = column;
    }

    /// Converts the partial results of warps to the layout with the columns `to` (of register, lane and warp bits),
    /// and combines them across lanes. Returns false if the strategy does not apply, or if it yields the same
    /// program as another strategy.
    fn combine_across(
        &mut self,
        to: [Vec<u64>; 3],
        strategy: ReduceStrategy,
        is_at_once: bool,
    ) -> Result<bool, TupleError> {
        self.convert(to)?;
        let is_again = strategy.at_once && self.combine_all_lanes();
        if strategy.at_once && !is_at_once && !is_again {
            return Ok(false);
        }
        Ok(self.combine_lanes(strategy.halves_again) == strategy.halves_again)
    }

    /// Converts the tuples to the layout with the columns `to` (of register, lane and warp bits).
    fn convert(&mut self, to: [Vec<u64>; 3]) -> Result<(), TupleError> {
        let from = [&self.state.reg[..], &self.state.lane, &self.state.warp];
        if from == [&to[0][..], &to[1], &to[2]] {
            return Ok(());
        }
        let all = from.iter().flat_map(|list| list.iter());
        let top = all.map(|column| column >> self.coordinates.row_bits());
        let remaining_axis = u64::BITS - top.fold(0, |all, bits| all | bits).leading_zeros();
        let from = self.coordinates.layout(from, remaining_axis)?;
        let [reg, lane, warp] = &to;
        let layout = self.coordinates.layout([reg, lane, warp], remaining_axis)?;
        let values = std::mem::take(&mut self.state.values);
        self.state.values = self.program.convert(&from, &layout, values)?;
        let [reg, lane, warp] = to;
        self.state.reg = reg;
        self.state.lane = lane;
        self.state.warp = warp;
        Ok(())
    }
}
