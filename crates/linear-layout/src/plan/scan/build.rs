//! Planning of a scan: level totals from the bottom up, carries from the top down.

use super::super::program::Program;
use super::super::program::{LaneMap, Predicate};
use super::super::tuples::{
    Combining, Coordinates, Room, TupleBuilder, TupleError, TupleId, plan_in_room, rank,
};
use super::baseline::baseline_scan;
use super::{Scan, ScanPlan, ScanWay};
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
/// // One combination in the thread; a fetch, a combination and a select for each of the five lane bits; the carry into
/// // the lane is fetched, and combined into both elements except in lane 0.
/// assert_eq!((plan.program().steps().len(), plan.program().scratch_bytes()), (1 + 15 + 1 + 4, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units
/// Widths in bits, powers of two up to 64.
/// # Errors
/// - the axis is distributed over several blocks, or an unsupported element width;
/// - no strategy fits the GPU's shared memory;
/// - otherwise the layout does not match the target.
pub fn plan_scan(scan: &Scan<'_>) -> Result<ScanPlan, TupleError> {
    let limit = scan.scratch_limit;
    let baseline = limit.map(|_| baseline_scan(scan).barriers);
    let rank = |program: &Program| rank(program, limit, baseline);
    plan_in_room(
        limit,
        |room| within(scan, room, &rank),
        |plan| rank(plan.program()),
    )
}

/// Returns the cheapest plan within a scratch budget.
fn within(
    scan: &Scan<'_>,
    room: Room,
    rank: &dyn Fn(&Program) -> (usize, u32),
) -> Result<ScanPlan, TupleError> {
    let mut plans: Vec<(ScanWay, Program)> = Vec::new();
    let mut failed = None;
    for way in [ScanWay::Direct, ScanWay::Converted] {
        match Builder::new(scan, room).and_then(|builder| builder.run(way)) {
            Ok(Some(program)) => plans.push((way, program)),
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
    }
    // The sort is stable: the first of equal plans wins.
    plans.sort_by_key(|(_, program)| rank(program));
    let considered = plans.iter().map(|(way, program)| (*way, program.cost()));
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

/// The location of an axis bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Register,
    Lane,
    Warp,
}

/// Consecutive bits of the axis in one kind of location.
#[derive(Clone, Debug)]
struct Part {
    place: Place,
    /// First bit of the axis, and the one after the last.
    from: usize,
    to: usize,
    /// Lane or warp bit of each, lowest of the axis first; empty for registers, whose numbers change.
    bits: Vec<usize>,
}

/// The columns of a layout, rows low, the axis above them.
#[derive(Clone, Debug)]
struct Columns {
    reg: Vec<u64>,
    lane: Vec<u64>,
    warp: Vec<u64>,
}

/// The combination of all elements before a group.
#[derive(Clone, Copy, Debug)]
struct Carry {
    value: TupleId,
    /// Bits of the thread number that are all first in groups without a carry; 0 if there always is one.
    absent_at_first_of: u32,
}

/// The results of a scan within a level.
struct Within {
    /// Inclusive prefix of each member.
    inclusive: Vec<TupleId>,
    /// Exclusive prefix of each member; `None` for the first of registers.
    exclusive: Vec<Option<Carry>>,
    /// Total of each group.
    totals: Vec<TupleId>,
    /// Group of each member.
    group: Vec<usize>,
    /// Register columns that tell groups apart.
    reg: Vec<u64>,
}

struct Builder<'a> {
    scan: &'a Scan<'a>,
    program: TupleBuilder<'a>,
    coordinates: Coordinates,
    columns: Columns,
    parts: Vec<Part>,
}

impl<'a> Builder<'a> {
    fn new(scan: &'a Scan<'a>, room: Room) -> Result<Self, TupleError> {
        let combining = Combining {
            widths: scan.widths,
            combine: scan.combine,
            is_packed: scan.is_packed,
            target: scan.target,
            room,
        };
        let program = TupleBuilder::new(combining, scan.src, scan.axis)?;
        let coordinates = Coordinates::of(scan.src, scan.axis);
        let columns = |dim: Dim| -> Vec<u64> {
            let columns = scan.src.columns_of(dim).iter();
            columns.map(|c| coordinates.in_the_middle(*c)).collect()
        };
        let mut reg = columns(Dim::REGISTER);
        reg.retain(|column| *column != 0);
        let (lane, warp) = (columns(Dim::LANE), columns(Dim::WARP));
        Ok(Self {
            scan,
            program,
            coordinates,
            columns: Columns { reg, lane, warp },
            parts: Vec::new(),
        })
    }

    /// Builds the program of a strategy, or returns `None` if it does not apply or is the same as another.
    fn run(mut self, way: ScanWay) -> Result<Option<Program>, TupleError> {
        let sources = self.program.sources();
        match way {
            ScanWay::Direct => {
                let Some(parts) = self.find_parts() else {
                    return Ok(None);
                };
                self.parts = parts;
                let results = self.elements(&sources)?;
                self.program.finish(&results).map(Some)
            }
            ScanWay::Converted => {
                let own = self.layout(&self.columns)?;
                let columns = self.plain_columns();
                let baseline = self.layout(&columns)?;
                if baseline == own {
                    return Ok(None);
                }
                let values = self.program.convert(&own, &baseline, sources)?;
                self.columns = columns;
                self.parts = self.find_parts().expect("each column is one bit");
                let values = self.elements(&values)?;
                let results = self.program.convert(&baseline, &own, values)?;
                self.program.finish(&results).map(Some)
            }
        }
    }

    fn layout(&self, columns: &Columns) -> Result<LinearLayout, TupleError> {
        let Columns { reg, lane, warp } = columns;
        let left = narrow(self.coordinates.axis_bits());
        self.coordinates.layout([reg, lane, warp], left)
    }

    /// Returns the layout with the axis in registers first, then lanes, then warps; then the rows.
    fn plain_columns(&self) -> Columns {
        let (lanes, warps) = (self.columns.lane.len(), self.columns.warp.len());
        let [reg, lane, warp] = self.coordinates.axis_first(lanes, warps);
        Columns { reg, lane, warp }
    }

    /// Returns the levels of the axis, lowest first, or `None` unless each bit of the position moves along one bit of the axis
    /// or within rows, and no two along the same.
    fn find_parts(&self) -> Option<Vec<Part>> {
        let Columns { reg, lane, warp } = &self.columns;
        let mut places = vec![None; self.coordinates.axis_bits()];
        let all = [
            (Place::Register, reg),
            (Place::Lane, lane),
            (Place::Warp, warp),
        ];
        for (place, columns) in all {
            for (bit, column) in columns.iter().enumerate() {
                if !self.coordinates.is_axis(*column) {
                    continue;
                }
                let along = (0..places.len()).find(|i| self.coordinates.left(*i) == *column)?;
                if places[along].replace((place, bit)).is_some() {
                    return None;
                }
            }
        }
        let mut parts: Vec<Part> = Vec::new();
        for (at, found) in places.into_iter().enumerate() {
            let (place, bit) = found?;
            match parts.last_mut() {
                Some(part) if part.place == place => {
                    part.to = at + 1;
                    part.bits.push(bit);
                }
                _ => parts.push(Part {
                    place,
                    from: at,
                    to: at + 1,
                    bits: vec![bit],
                }),
            }
        }
        Some(parts)
    }

    /// Scans the elements of each thread's registers and all levels above.
    fn elements(&mut self, values: &[TupleId]) -> Result<Vec<TupleId>, TupleError> {
        if self.parts.is_empty() {
            return Ok(values.to_vec());
        }
        let within = self.within(0, &self.columns.reg.clone(), values)?;
        let carries = self.carries(1, &within.reg, &within.totals)?;
        let members = within.inclusive.iter().zip(&within.group);
        Ok(members
            .map(|(own, group)| match carries[*group] {
                None => *own,
                Some(carry) => {
                    let both = self.program.combine(carry.value, *own);
                    self.where_present(carry, both, *own)
                }
            })
            .collect())
    }

    /// Returns the carry into each group, given the groups' totals.
    fn carries(
        &mut self,
        part: usize,
        reg: &[u64],
        totals: &[TupleId],
    ) -> Result<Vec<Option<Carry>>, TupleError> {
        if part == self.parts.len() {
            return Ok(vec![None; totals.len()]);
        }
        let within = self.within(part, reg, totals)?;
        let above = self.carries(part + 1, &within.reg, &within.totals)?;
        let members = within.exclusive.into_iter().zip(&within.group);
        Ok(members
            .map(|(own, group)| self.both(above[*group], own))
            .collect())
    }

    /// Combines the carry into the enclosing group with the prefix within it.
    fn both(&mut self, above: Option<Carry>, own: Option<Carry>) -> Option<Carry> {
        let (Some(above), Some(own)) = (above, own) else {
            return above.or(own);
        };
        let both = self.program.combine(above.value, own.value);
        let both = self.where_present(above, both, own.value);
        let value = self.where_present(own, both, above.value);
        let absent_at_first_of = match (above.absent_at_first_of, own.absent_at_first_of) {
            (0, _) | (_, 0) => 0,
            (a, b) => a | b,
        };
        Some(Carry {
            value,
            absent_at_first_of,
        })
    }

    /// Selects by whether a carry is present in this thread.
    fn where_present(&mut self, carry: Carry, present: TupleId, absent: TupleId) -> TupleId {
        match carry.absent_at_first_of {
            0 => present,
            mask => {
                let condition = self.not_first(mask);
                self.program.select(condition, present, absent)
            }
        }
    }

    /// Returns the predicate that these bits of the thread number are not those of the first position.
    fn not_first(&self, mask: u32) -> Predicate {
        let first = if self.scan.reverse { mask } else { 0 };
        Predicate::Differs { mask, first }
    }

    fn within(
        &mut self,
        part: usize,
        reg: &[u64],
        values: &[TupleId],
    ) -> Result<Within, TupleError> {
        let part = self.parts[part].clone();
        match part.place {
            Place::Register => Ok(self.registers(&part, reg, values)),
            Place::Lane => Ok(self.lanes(&part, reg, values)),
            Place::Warp => self.warps(&part, reg, values),
        }
    }

    /// Scans registers sequentially in each thread.
    fn registers(&mut self, part: &Part, reg: &[u64], values: &[TupleId]) -> Within {
        // Each bit of a register's number is a bit of the member's index in its group, or of the group's index.
        let mut rest = Vec::new();
        let places: Vec<(bool, usize)> = reg
            .iter()
            .map(|column| {
                let along = (part.from..part.to).find(|i| self.coordinates.left(*i) == *column);
                if let Some(i) = along {
                    return (true, i - part.from);
                }
                rest.push(*column);
                (false, rest.len() - 1)
            })
            .collect();
        let size = 1usize << (part.to - part.from);
        let mut groups = vec![vec![0; size]; values.len() / size];
        let mut group_of = vec![0; values.len()];
        for (i, group) in group_of.iter_mut().enumerate() {
            let number = |member: bool| {
                let bits = places.iter().enumerate();
                bits.filter(|(_, place)| place.0 == member)
                    .fold(0, |all, (bit, place)| all | (i >> bit & 1) << place.1)
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
        Within {
            inclusive,
            exclusive,
            totals,
            group: group_of,
            reg: rest,
        }
    }

    /// Scans lanes, one bit after the other: lanes with the bit set read the last lane with it clear.
    fn lanes(&mut self, part: &Part, reg: &[u64], values: &[TupleId]) -> Within {
        let reverse = self.scan.reverse;
        let mut inclusive = values.to_vec();
        let is_ascending = part.bits.is_sorted();
        let mut before: Option<Vec<TupleId>> = None;
        let mut done = 0u32;
        for bit in &part.bits {
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
        Within {
            totals: self.program.fetch(&inclusive, last),
            inclusive,
            exclusive: carries_of(before, done),
            group: (0..values.len()).collect(),
            reg: reg.to_vec(),
        }
    }

    /// Scans warps: each thread gets the totals of all warps, and selects the prefix of its own warp.
    fn warps(
        &mut self,
        part: &Part,
        reg: &[u64],
        values: &[TupleId],
    ) -> Result<Within, TupleError> {
        let own: Vec<u64> = (part.from..part.to)
            .map(|i| self.coordinates.left(i))
            .collect();
        let from = self.above(part.from, reg);
        let mut to = self.above(part.to, reg);
        // Axis bits are numbered from `from`.
        let left = self.coordinates.axis_bits() - part.from;
        let shifted = |columns: &[u64]| -> Vec<u64> {
            let shift = |c: &u64| self.coordinates.without_low_axis(*c, part.from);
            columns.iter().map(shift).collect()
        };
        to.reg = [own, to.reg].concat();
        let [from, to] = [&from, &to].map(|columns| {
            let lists = [&columns.reg, &columns.lane, &columns.warp].map(|list| shifted(list));
            let [reg, lane, warp] = &lists;
            self.coordinates.layout([reg, lane, warp], narrow(left))
        });
        let all = self.program.convert(&from?, &to?, values.to_vec())?;
        let size = 1usize << (part.to - part.from);
        let lanes = self.columns.lane.len();
        let mut within = Within {
            inclusive: Vec::new(),
            exclusive: Vec::new(),
            totals: Vec::new(),
            group: (0..values.len()).collect(),
            reg: reg.to_vec(),
        };
        let mut before = Vec::new();
        for totals in all.chunks(size) {
            let mut combined = totals.to_vec();
            let order: Vec<usize> = if self.scan.reverse {
                (0..size).rev().collect()
            } else {
                (0..size).collect()
            };
            for pair in order.windows(2) {
                combined[pair[1]] = self.program.combine(combined[pair[0]], totals[pair[1]]);
            }
            // The first warp has no carry; its operand is arbitrary.
            let mut earlier = vec![combined[order[0]]; size];
            for pair in order.windows(2) {
                earlier[pair[1]] = combined[pair[0]];
            }
            within
                .totals
                .extend(order.last().map(|last| combined[*last]));
            within.inclusive.push(self.by_warp(part, lanes, combined));
            before.push(self.by_warp(part, lanes, earlier));
        }
        let mask = part
            .bits
            .iter()
            .fold(0, |mask, bit| mask | 1 << (lanes + bit));
        within.exclusive = carries_of(before, mask);
        Ok(within)
    }

    /// Selects the value of this thread's warp from one for each position in the level.
    fn by_warp(&mut self, part: &Part, lanes: usize, mut values: Vec<TupleId>) -> TupleId {
        for bit in &part.bits {
            let is_set = Predicate::is_set(lanes + bit);
            let pairs = values.chunks(2);
            values = pairs
                .map(|pair| self.program.select(is_set, pair[1], pair[0]))
                .collect();
        }
        values[0]
    }

    /// Returns the layout of group totals up to a bit of the axis: every thread of a group has a replica.
    fn above(&self, from: usize, reg: &[u64]) -> Columns {
        let limit = self.coordinates.left(from);
        let left = |columns: &[u64]| -> Vec<u64> {
            let is_left = |c: u64| !self.coordinates.is_axis(c) || c >= limit;
            columns
                .iter()
                .map(|c| if is_left(*c) { *c } else { 0 })
                .collect()
        };
        Columns {
            reg: reg.to_vec(),
            lane: left(&self.columns.lane),
            warp: left(&self.columns.warp),
        }
    }
}

/// Makes carries that are absent where these bits of the thread number are all first.
fn carries_of(values: Vec<TupleId>, absent_at_first_of: u32) -> Vec<Option<Carry>> {
    let carry = |value| Carry {
        value,
        absent_at_first_of,
    };
    values.into_iter().map(|value| Some(carry(value))).collect()
}
