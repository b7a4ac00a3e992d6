//! Planning of a scan. The totals of the levels are computed from the bottom up, and the carries from the top down.

use super::super::program::Program;
use super::super::program::{LaneMap, Predicate};
use super::super::tuples::{
    Combiner, Coordinates, ScratchBudget, TupleBuilder, TupleError, TupleId, plan_within_budget,
    rank,
};
use super::baseline::baseline_scan;
use super::{Scan, ScanPlan, ScanStrategy};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;

/// Plans a scan along one axis.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::scan::{Scan, plan_scan};
/// use linear_layout::target::Target;
/// // 64 elements in a row on 32 lanes, two each.
/// let d = Dim::out(0);
/// let src = LinearLayout::identity_1d(2, Dim::REGISTER, d)?.product(&LinearLayout::identity_1d(32, Dim::LANE, d)?)?;
/// let target = Target::parse("cuda:90")?;
/// let scan = Scan { src: &src, axis: 0, reverse: false, widths: &[32], combine: 1, is_packed: false, target, scratch_limit: None };
/// let plan = plan_scan(&scan)?;
/// // One combination in the thread, then a fetch, a combination and a select for each of the five lane bits. One fetch
/// // of the carry, then a combination and a select for each of the two elements, since lane 0 has no carry.
/// assert_eq!((plan.program().steps().len(), plan.program().scratch_bytes()), (1 + 15 + 1 + 4, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units
/// Element widths are in bits. They must be powers of two up to 64.
/// # Errors
/// Returns an error in these cases:
/// - the axis is distributed over several CTAs, or an element width is not supported;
/// - no strategy fits into the shared memory of the GPU, or into `scratch_limit` bytes;
/// - the layout does not match the target.
pub fn plan_scan(scan: &Scan<'_>) -> Result<ScanPlan, TupleError> {
    let limit = scan.scratch_limit;
    let baseline = limit.map(|_| baseline_scan(scan).barriers);
    let rank = |program: &Program| rank(program, limit, baseline);
    plan_within_budget(
        limit,
        |budget| plan_within(scan, budget, &rank),
        |plan| rank(plan.program()),
    )
}

/// Plans all strategies with the scratch budget `budget`, and returns the plan whose program has the lowest `rank`.
fn plan_within(
    scan: &Scan<'_>,
    budget: ScratchBudget,
    rank: &dyn Fn(&Program) -> (usize, u32),
) -> Result<ScanPlan, TupleError> {
    let mut plans: Vec<(ScanStrategy, Program)> = Vec::new();
    let mut failed = None;
    for strategy in [ScanStrategy::Direct, ScanStrategy::Converted] {
        match ScanBuilder::new(scan, budget).and_then(|builder| builder.run(strategy)) {
            Ok(Some(program)) => plans.push((strategy, program)),
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
    }
    // The sort is stable: the first of equal plans wins.
    plans.sort_by_key(|(_, program)| rank(program));
    let considered = plans
        .iter()
        .map(|(strategy, program)| (*strategy, program.cost()));
    let considered = considered.collect();
    match (plans.into_iter().next(), failed) {
        (Some((_, program)), _) => Ok(ScanPlan {
            program,
            considered,
        }),
        (None, Some(error)) => Err(error),
        (None, None) => {
            unreachable!("a converted layout is simple, or making it fails with a reason")
        }
    }
}

/// The kind of layout bits in a level of a scan: register bits, lane bits or warp bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LevelKind {
    Register,
    Lane,
    Warp,
}

/// A level of a scan: consecutive bits of the axis that are all register bits, all lane bits or all warp bits.
#[derive(Clone, Debug)]
struct ScanLevel {
    kind: LevelKind,
    /// First axis bit of the level. The last axis bit of the level is `to - 1`.
    from: usize,
    to: usize,
    /// For each axis bit of the level, lowest bit first, the index of the lane bit or warp bit that corresponds to
    /// it. Unused in a level of register bits, because registers are renumbered during the scan.
    bits: Vec<usize>,
}

/// The columns of a layout. In each column, the low bits are the row coordinates, and the bits above are the axis bits.
#[derive(Clone, Debug)]
struct ScanColumns {
    reg: Vec<u64>,
    lane: Vec<u64>,
    warp: Vec<u64>,
}

/// A carry: the combination of elements that precede a value or a group of values in scan order.
#[derive(Clone, Copy, Debug)]
struct Carry {
    value: TupleId,
    /// Mask of thread bits. The carry is absent in the threads in which all of these bits have their first value in
    /// scan order: 0, or 1 in a reverse scan. If the mask is 0, the carry exists in every thread.
    absent_at_first_of: u32,
}

/// The result of scanning one level. The values of the lowest level are the elements. The values of a higher level
/// are the totals of the groups in the level below.
struct LevelResult {
    /// For each value, the inclusive scan of its group up to this value.
    inclusive: Vec<TupleId>,
    /// For each value, the exclusive scan of its group up to this value. It is `None` if the value is the first of
    /// its group in every thread.
    exclusive: Vec<Option<Carry>>,
    /// For each group, the combination of all of its values.
    totals: Vec<TupleId>,
    /// For each value of the level, the index of its group.
    group: Vec<usize>,
    /// Columns of the register bits outside the level. These bits number the groups in a thread.
    reg: Vec<u64>,
}

struct ScanBuilder<'a> {
    scan: &'a Scan<'a>,
    program: TupleBuilder<'a>,
    coordinates: Coordinates,
    columns: ScanColumns,
    levels: Vec<ScanLevel>,
}

impl<'a> ScanBuilder<'a> {
    fn new(scan: &'a Scan<'a>, budget: ScratchBudget) -> Result<Self, TupleError> {
        let combiner = Combiner {
            widths: scan.widths,
            combine: scan.combine,
            is_packed: scan.is_packed,
            target: scan.target,
            budget,
        };
        let program = TupleBuilder::new(combiner, scan.src, scan.axis)?;
        let coordinates = Coordinates::of(scan.src, scan.axis);
        let columns = |dim: Dim| -> Vec<u64> {
            let columns = scan.src.columns_of(dim).iter();
            columns.map(|c| coordinates.to_intermediate(*c)).collect()
        };
        let mut reg = columns(Dim::REGISTER);
        reg.retain(|column| *column != 0);
        let (lane, warp) = (columns(Dim::LANE), columns(Dim::WARP));
        Ok(Self {
            scan,
            program,
            coordinates,
            columns: ScanColumns { reg, lane, warp },
            levels: Vec::new(),
        })
    }

    /// Builds the program of a strategy. Returns `None` if the strategy does not apply, or if it yields the same
    /// program as another strategy.
    fn run(mut self, strategy: ScanStrategy) -> Result<Option<Program>, TupleError> {
        let sources = self.program.sources();
        match strategy {
            ScanStrategy::Direct => {
                let Some(levels) = self.find_levels() else {
                    return Ok(None);
                };
                self.levels = levels;
                let results = self.scan_elements(&sources)?;
                self.program.finish(&results).map(Some)
            }
            ScanStrategy::Converted => {
                let own = self.layout(&self.columns)?;
                let columns = self.converted_columns();
                let converted = self.layout(&columns)?;
                if converted == own {
                    return Ok(None);
                }
                let values = self.program.convert(&own, &converted, sources)?;
                self.columns = columns;
                self.levels = self.find_levels().expect("each column is one bit");
                let values = self.scan_elements(&values)?;
                let results = self.program.convert(&converted, &own, values)?;
                self.program.finish(&results).map(Some)
            }
        }
    }

    fn layout(&self, columns: &ScanColumns) -> Result<LinearLayout, TupleError> {
        let ScanColumns { reg, lane, warp } = columns;
        let remaining_axis = narrow(self.coordinates.axis_bits());
        self.coordinates.layout([reg, lane, warp], remaining_axis)
    }

    /// Returns the columns of the layout of [`ScanStrategy::Converted`]. The bits of the axis, followed by the bits
    /// of the rows, are assigned to register bits first, then to lane bits, then to warp bits.
    fn converted_columns(&self) -> ScanColumns {
        let (lanes, warps) = (self.columns.lane.len(), self.columns.warp.len());
        let [reg, lane, warp] = self.coordinates.axis_first(lanes, warps);
        ScanColumns { reg, lane, warp }
    }

    /// Returns the levels of the axis, lowest first. Returns `None` unless each axis bit is set in the column of
    /// exactly one layout bit, and this column has no other bit.
    fn find_levels(&self) -> Option<Vec<ScanLevel>> {
        let ScanColumns { reg, lane, warp } = &self.columns;
        let mut positions = vec![None; self.coordinates.axis_bits()];
        let all = [
            (LevelKind::Register, reg),
            (LevelKind::Lane, lane),
            (LevelKind::Warp, warp),
        ];
        for (kind, columns) in all {
            for (bit, column) in columns.iter().enumerate() {
                if !self.coordinates.is_axis(*column) {
                    continue;
                }
                let along = (0..positions.len())
                    .find(|i| self.coordinates.remaining_axis(*i) == *column)?;
                if positions[along].replace((kind, bit)).is_some() {
                    return None;
                }
            }
        }
        let mut levels: Vec<ScanLevel> = Vec::new();
        for (at, found) in positions.into_iter().enumerate() {
            let (kind, bit) = found?;
            match levels.last_mut() {
                Some(level) if level.kind == kind => {
                    level.to = at + 1;
                    level.bits.push(bit);
                }
                _ => levels.push(ScanLevel {
                    kind,
                    from: at,
                    to: at + 1,
                    bits: vec![bit],
                }),
            }
        }
        Some(levels)
    }

    /// Scans the elements within the groups of the lowest level, and then combines each result with the carry of
    /// its group. The carries are computed by scanning the higher levels.
    fn scan_elements(&mut self, values: &[TupleId]) -> Result<Vec<TupleId>, TupleError> {
        if self.levels.is_empty() {
            return Ok(values.to_vec());
        }
        let level = self.scan_level(0, &self.columns.reg.clone(), values)?;
        let carries = self.carries(1, &level.reg, &level.totals)?;
        let members = level.inclusive.iter().zip(&level.group);
        Ok(members
            .map(|(own, group)| match carries[*group] {
                None => *own,
                Some(carry) => {
                    let both = self.program.combine(carry.value, *own);
                    self.select_present(carry, both, *own)
                }
            })
            .collect())
    }

    /// Returns the carry of each group of the level below `level`. `totals` contains the total of each of these
    /// groups. Level `level` scans these totals as its values.
    fn carries(
        &mut self,
        level: usize,
        reg: &[u64],
        totals: &[TupleId],
    ) -> Result<Vec<Option<Carry>>, TupleError> {
        if level == self.levels.len() {
            return Ok(vec![None; totals.len()]);
        }
        let inner = self.scan_level(level, reg, totals)?;
        let carries = self.carries(level + 1, &inner.reg, &inner.totals)?;
        let members = inner.exclusive.into_iter().zip(&inner.group);
        Ok(members
            .map(|(own, group)| self.combine_carries(carries[*group], own))
            .collect())
    }

    /// Returns the combination of the carry `outer` of a group with the exclusive prefix `own` of a value in this
    /// group. If one of them is `None`, returns the other.
    fn combine_carries(&mut self, outer: Option<Carry>, own: Option<Carry>) -> Option<Carry> {
        let (Some(outer), Some(own)) = (outer, own) else {
            return outer.or(own);
        };
        let both = self.program.combine(outer.value, own.value);
        let both = self.select_present(outer, both, own.value);
        let value = self.select_present(own, both, outer.value);
        let absent_at_first_of = match (outer.absent_at_first_of, own.absent_at_first_of) {
            (0, _) | (_, 0) => 0,
            (a, b) => a | b,
        };
        Some(Carry {
            value,
            absent_at_first_of,
        })
    }

    /// Selects `present` in threads where the carry exists, and `absent` in all other threads.
    fn select_present(&mut self, carry: Carry, present: TupleId, absent: TupleId) -> TupleId {
        match carry.absent_at_first_of {
            0 => present,
            mask => {
                let condition = self.not_first(mask);
                self.program.select(condition, present, absent)
            }
        }
    }

    /// Returns the condition that a thread is not first in scan order: at least one bit in `mask` differs from its
    /// first value, which is 0, or 1 in a reverse scan.
    fn not_first(&self, mask: u32) -> Predicate {
        let first = if self.scan.reverse { mask } else { 0 };
        Predicate::Differs { mask, first }
    }

    fn scan_level(
        &mut self,
        level: usize,
        reg: &[u64],
        values: &[TupleId],
    ) -> Result<LevelResult, TupleError> {
        let level = self.levels[level].clone();
        match level.kind {
            LevelKind::Register => Ok(self.registers(&level, reg, values)),
            LevelKind::Lane => Ok(self.lanes(&level, reg, values)),
            LevelKind::Warp => self.warps(&level, reg, values),
        }
    }

    /// Scans registers sequentially in each thread.
    fn registers(&mut self, level: &ScanLevel, reg: &[u64], values: &[TupleId]) -> LevelResult {
        // Each bit of a register's number is a bit of the member's index in its group, or of the group's index.
        let mut rest = Vec::new();
        let positions: Vec<(bool, usize)> = reg
            .iter()
            .map(|column| {
                let along =
                    (level.from..level.to).find(|i| self.coordinates.remaining_axis(*i) == *column);
                if let Some(i) = along {
                    return (true, i - level.from);
                }
                rest.push(*column);
                (false, rest.len() - 1)
            })
            .collect();
        let size = 1usize << (level.to - level.from);
        let mut groups = vec![vec![0; size]; values.len() / size];
        let mut group_of = vec![0; values.len()];
        for (i, group) in group_of.iter_mut().enumerate() {
            let number = |member: bool| {
                let bits = positions.iter().enumerate();
                bits.filter(|(_, position)| position.0 == member)
                    .fold(0, |all, (bit, position)| all | (i >> bit & 1) << position.1)
            };
            *group = number(false);
            let rank = if self.scan.reverse {
                size - 1 - number(true)
            } else {
                number(true)
            };
            groups[*group][rank] = i;
        }
        let mut inclusive = values.to_vec();
        let mut exclusive = vec![None; values.len()];
        let mut totals = Vec::new();
        for members in &groups {
            for pair in members.windows(2) {
                let before = inclusive[pair[0]];
                inclusive[pair[1]] = self.program.combine(before, values[pair[1]]);
                exclusive[pair[1]] = Some(Carry {
                    value: before,
                    absent_at_first_of: 0,
                });
            }
            totals.extend(members.last().map(|last| inclusive[*last]));
        }
        LevelResult {
            inclusive,
            exclusive,
            totals,
            group: group_of,
            reg: rest,
        }
    }

    /// Scans lanes, one lane bit after the other. Each bit divides the lanes into two halves. The lanes of the half
    /// that is second in scan order read the prefix of the last lane of the first half, and combine it with their
    /// own values.
    fn lanes(&mut self, level: &ScanLevel, reg: &[u64], values: &[TupleId]) -> LevelResult {
        let reverse = self.scan.reverse;
        let mut inclusive = values.to_vec();
        let is_ascending = level.bits.is_sorted();
        let mut before: Option<Vec<TupleId>> = None;
        let mut done = 0u32;
        for bit in &level.bits {
            let bit = 1u32 << bit;
            let source = LaneMap::Fixed {
                mask: done | bit,
                bits: if reverse { bit } else { done },
            };
            let fetched = self.program.fetch(&inclusive, source);
            let beyond = self.not_first(bit);
            if !is_ascending {
                // Lane bits outside the axis: the prefix is combined too.
                before = Some(match before.take() {
                    None => fetched.clone(),
                    Some(own) => {
                        let not_first = self.not_first(done);
                        let pairs = fetched.iter().zip(own);
                        pairs
                            .map(|(fetched, own)| {
                                let both = self.program.combine(*fetched, own);
                                let all = self.program.select(not_first, both, *fetched);
                                self.program.select(beyond, all, own)
                            })
                            .collect()
                    }
                });
            }
            let pairs = fetched.into_iter().zip(&inclusive);
            inclusive = pairs
                .map(|(fetched, own)| {
                    let both = self.program.combine(fetched, *own);
                    self.program.select(beyond, both, *own)
                })
                .collect();
            done |= bit;
        }
        let before = before.unwrap_or_else(|| {
            let source = if reverse {
                LaneMap::After { mask: done }
            } else {
                LaneMap::Before { mask: done }
            };
            self.program.fetch(&inclusive, source)
        });
        let last = LaneMap::Fixed {
            mask: done,
            bits: if reverse { 0 } else { done },
        };
        LevelResult {
            totals: self.program.fetch(&inclusive, last),
            inclusive,
            exclusive: carries_of(before, done),
            group: (0..values.len()).collect(),
            reg: reg.to_vec(),
        }
    }

    /// Scans warps. Each thread loads the totals of all warps, scans them, and selects the prefix of its warp.
    fn warps(
        &mut self,
        level: &ScanLevel,
        reg: &[u64],
        values: &[TupleId],
    ) -> Result<LevelResult, TupleError> {
        let own: Vec<u64> = (level.from..level.to)
            .map(|i| self.coordinates.remaining_axis(i))
            .collect();
        let from = self.total_columns(level.from, reg);
        let mut to = self.total_columns(level.to, reg);
        // Axis bits are numbered from `from`.
        let remaining_axis = self.coordinates.axis_bits() - level.from;
        let shifted = |columns: &[u64]| -> Vec<u64> {
            let shift = |c: &u64| self.coordinates.without_low_axis(*c, level.from);
            columns.iter().map(shift).collect()
        };
        // Packed instructions combine two rows at once: the totals of both are adjacent.
        let rows_log2 = usize::from(self.scan.is_packed && to.reg.first().is_some_and(|c| *c != 0));
        let (adjacent, rest) = to.reg.split_at(rows_log2);
        to.reg = [adjacent, &own, rest].concat();
        let [from, to] = [&from, &to].map(|columns| {
            let lists = [&columns.reg, &columns.lane, &columns.warp].map(|list| shifted(list));
            let [reg, lane, warp] = &lists;
            self.coordinates
                .layout([reg, lane, warp], narrow(remaining_axis))
        });
        let all = self.program.convert(&from?, &to?, values.to_vec())?;
        let size = 1usize << (level.to - level.from);
        let lanes = self.columns.lane.len();
        let mut result = LevelResult {
            inclusive: Vec::new(),
            exclusive: Vec::new(),
            totals: Vec::new(),
            group: (0..values.len()).collect(),
            reg: reg.to_vec(),
        };
        let mut before = Vec::new();
        let order: Vec<usize> = if self.scan.reverse {
            (0..size).rev().collect()
        } else {
            (0..size).collect()
        };
        for totals in all.chunks(size << rows_log2) {
            let totals: Vec<&[TupleId]> = totals.chunks(1 << rows_log2).collect();
            let mut combined: Vec<Vec<TupleId>> = totals.iter().map(|rows| rows.to_vec()).collect();
            for pair in order.windows(2) {
                let rows = combined[pair[0]].clone().into_iter().zip(totals[pair[1]]);
                combined[pair[1]] = rows
                    .map(|(before, own)| self.program.combine(before, *own))
                    .collect();
            }
            // The first warp has no carry; its operand is arbitrary.
            let mut earlier = vec![combined[order[0]].clone(); size];
            for pair in order.windows(2) {
                earlier[pair[1]] = combined[pair[0]].clone();
            }
            result.totals.extend(&combined[order[size - 1]]);
            result
                .inclusive
                .extend(self.select_by_warp(level, lanes, combined));
            before.extend(self.select_by_warp(level, lanes, earlier));
        }
        let mask = level
            .bits
            .iter()
            .fold(0, |mask, bit| mask | 1 << (lanes + bit));
        result.exclusive = carries_of(before, mask);
        Ok(result)
    }

    /// Selects the values of the thread's own warp: `values[i]`, where `i` is the number that the warp bits of
    /// `level` form in this warp.
    fn select_by_warp(
        &mut self,
        level: &ScanLevel,
        lanes: usize,
        mut values: Vec<Vec<TupleId>>,
    ) -> Vec<TupleId> {
        for bit in &level.bits {
            let is_set = Predicate::is_set(lanes + bit);
            let halves = values.chunks(2);
            let chosen = halves.map(|pair| {
                let rows = pair[1].iter().zip(&pair[0]);
                rows.map(|(set, clear)| self.program.select(is_set, *set, *clear))
                    .collect()
            });
            values = chosen.collect();
        }
        values.swap_remove(0)
    }

    /// Returns the columns of the layout that holds the totals of groups. A group consists of the elements that
    /// differ only in axis bits below `from`. All threads that hold elements of a group hold replicas of the
    /// group's total.
    fn total_columns(&self, from: usize, reg: &[u64]) -> ScanColumns {
        let limit = self.coordinates.remaining_axis(from);
        let group_bits = |columns: &[u64]| -> Vec<u64> {
            let is_left = |c: u64| !self.coordinates.is_axis(c) || c >= limit;
            columns
                .iter()
                .map(|c| if is_left(*c) { *c } else { 0 })
                .collect()
        };
        ScanColumns {
            reg: reg.to_vec(),
            lane: group_bits(&self.columns.lane),
            warp: group_bits(&self.columns.warp),
        }
    }
}

/// Returns one carry for each value. The carries are absent in threads where all bits of `absent_at_first_of`
/// have their first value in scan order.
fn carries_of(values: Vec<TupleId>, absent_at_first_of: u32) -> Vec<Option<Carry>> {
    let carry = |value| Carry {
        value,
        absent_at_first_of,
    };
    values.into_iter().map(|value| Some(carry(value))).collect()
}
