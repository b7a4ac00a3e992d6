//! How a reduction is carried out: which elements each thread combines, and with whom it exchanges what.
//!
//! [`plan_reduction`] sees the layout of a tensor, the axis that goes, and the layout that the result is to have.
//! Its answer, a [`ReducePlan`], is a straight-line program over *tuples*, one element of each operand, since the
//! operands of a reduction are combined together. What combining means, only the lowering knows.
//!
//! The elements of a row lie along the axis in registers, lanes and warps of the layout, and go in this order:
//!
//! ```text
//! registers   each thread combines its own:                      r0 + r1, r2 + r3, then both
//! lanes       lanes exchange at one lane bit after the other:    v + (v of lane ^ 16), then ^ 8, ...
//! warps       what is left of each warp goes through shared memory to whoever needs it, who combines it
//! ```
//!
//! # Halving
//! Where a thread has several rows, two lanes that exchange both hold all of them, and both would compute the
//! same sums. Instead each keeps one half of the rows and gives the other half away:
//!
//! ```text
//! lane 0: a0 b0     gives b0, keeps a0    a0 + a1
//! lane 1: a1 b1     gives a1, keeps b1    b1 + b0
//! ```
//!
//! R rows over 32 lanes take R - 1 exchanges so (and one for each lane bit after the rows are used up) instead of
//! 5 R, and leave the result distributed over lanes; what the result's layout asks for beyond that is a
//! conversion like any other. From the highest lane bit down both ways combine in the same order, so floats
//! come out bit for bit the same.
//!
//! Every way is planned, with its conversions, and the cheapest by the target's model wins. The machine runs a plan
//! on the sets of elements that values stand for ([`crate::machine::check_reduction`]).
//!
//! Missing on purpose: an axis that lies in several blocks of a cluster.

mod build;
mod error;
mod state;

use super::{ConvertPlan, Cost, ValueId};
use crate::layout::LinearLayout;
use crate::target::Target;
use core::fmt;

pub use build::plan_reduction;
pub use error::ReduceError;

/// What is to be reduced.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    /// Where the operands' elements are: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// Which of the output dims goes.
    pub axis: usize,
    /// Where the results are to be, over the other dims in order; nothing for a scalar, which every thread has.
    pub dst: Option<&'a LinearLayout>,
    /// The width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// How many instructions combine two tuples.
    pub combine: u32,
    /// The GPU.
    pub target: &'a Target,
}

/// One operation of a plan, executed by all threads of the block, on tuples.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReduceStep {
    /// Combines two tuples.
    Combine {
        /// The tuple made.
        out: ValueId,
        /// What the combination takes first: of one thread, what it has combined so far.
        acc: ValueId,
        /// What it takes second.
        other: ValueId,
    },
    /// Tuples of lane `lane ^ lane_mask` of the same warp; defines as many as it is given.
    Exchange {
        /// The first tuple received.
        first: ValueId,
        /// The tuples that each lane offers.
        values: Vec<ValueId>,
        /// The lane bits flipped.
        lane_mask: u32,
    },
    /// One of two tuples, by a bit of the lane.
    Select {
        /// The tuple made.
        out: ValueId,
        /// Which bit of the lane.
        lane_bit: u32,
        /// The tuple where it is set.
        if_set: ValueId,
        /// The tuple where it is clear.
        if_clear: ValueId,
    },
    /// Brings tuples into another layout, each operand by a plan of its own.
    Convert {
        /// The first tuple made, of the unique registers of the new layout.
        first: ValueId,
        /// The unique registers of the old layout.
        values: Vec<ValueId>,
        /// Which of [`ReducePlan::conversions`].
        conversion: usize,
    },
}

/// A change of layout in the middle of a reduction.
///
/// # Shape
/// Both layouts: (register, lane, warp, block) -> the dims that stay, then what is left of the axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// The layout before.
    pub from: LinearLayout,
    /// The layout after.
    pub to: LinearLayout,
    /// How each operand goes.
    pub plans: Vec<ConvertPlan>,
    /// Where each operand's scratch memory begins in that of the reduction, in bytes.
    pub offsets: Vec<u32>,
}

/// How a reduction is carried out.
///
/// # Shape
/// `num_sources()` tuples in (unique source registers), `results().len()` out (unique result registers, or one
/// scalar), for every thread of the block.
/// # Laws
/// Each result is the combination of all elements of its row, each once: `check_reduction`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReducePlan {
    num_sources: u32,
    num_values: u32,
    steps: Vec<ReduceStep>,
    conversions: Vec<Conversion>,
    results: Vec<ValueId>,
    scratch_bytes: u32,
    cost: Cost,
    considered: Vec<(Way, Cost)>,
}

/// How the rows of a thread, and what is left of the axis, are dealt with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Way {
    /// Whether the source is first brought into the layout of the result, with the axis in registers.
    pub gathers_first: bool,
    /// Whether lanes give half of their rows away.
    pub halves: bool,
    /// Whether what each warp leaves is combined by lanes, not by one thread.
    pub across_lanes: bool,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.gathers_first {
            return f.write_str("gather, then combine in registers");
        }
        f.write_str(if self.halves { "halving" } else { "butterfly" })?;
        f.write_str(if self.across_lanes {
            ", warps in lanes"
        } else {
            ""
        })
    }
}

impl ReducePlan {
    /// Returns how many source tuples there are: values `0..num_sources`.
    #[must_use]
    pub const fn num_sources(&self) -> usize {
        self.num_sources as usize
    }

    /// Returns how many values there are in all, for a table indexed by [`ValueId::index`].
    #[must_use]
    pub const fn num_values(&self) -> usize {
        self.num_values as usize
    }

    /// Returns the steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[ReduceStep] {
        &self.steps
    }

    /// Returns the changes of layout that steps refer to.
    #[must_use]
    pub fn conversions(&self) -> &[Conversion] {
        &self.conversions
    }

    /// Returns the value of each unique result register, in register order.
    #[must_use]
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// Returns the bytes of shared memory needed; 0 where none is used.
    ///
    /// As for [`scratch_bytes`](super::Program::scratch_bytes) of a program: the bytes must be free when the plan starts, and the last step
    /// may read them.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u32 {
        self.scratch_bytes
    }

    /// Returns what the plan costs by the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Returns each way that was planned with its cost, cheapest first; the first is this plan's.
    #[must_use]
    pub fn considered(&self) -> &[(Way, Cost)] {
        &self.considered
    }
}

impl fmt::Display for ReducePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sources, results) = (self.num_sources, self.results.len());
        let (bytes, cost) = (self.scratch_bytes, self.cost);
        let way = self.considered.first().map(|(way, _)| way.to_string());
        writeln!(
            f,
            "{}: {sources} -> {results} registers, {bytes} bytes of shared memory, {cost}",
            way.unwrap_or_default()
        )?;
        for (way, cost) in self.considered.iter().skip(1) {
            writeln!(f, "  instead of {way}: {cost}")?;
        }
        let list = |values: &[ValueId]| {
            let names: Vec<String> = values.iter().map(ValueId::to_string).collect();
            names.join(", ")
        };
        let made = |first: &ValueId, count: usize| match count {
            1 => first.to_string(),
            _ => format!("{first}..{}", first.plus(count as u32 - 1)),
        };
        for step in &self.steps {
            match step {
                ReduceStep::Combine { out, acc, other } => {
                    writeln!(f, "  {out} = combine {acc}, {other}")?;
                }
                ReduceStep::Exchange {
                    first,
                    values,
                    lane_mask,
                } => writeln!(
                    f,
                    "  {} = exchange {} with lane ^ {lane_mask}",
                    made(first, values.len()),
                    list(values)
                )?,
                ReduceStep::Select {
                    out,
                    lane_bit,
                    if_set,
                    if_clear,
                } => writeln!(
                    f,
                    "  {out} = select lane & {} ? {if_set} : {if_clear}",
                    1u32 << lane_bit
                )?,
                ReduceStep::Convert {
                    first,
                    values,
                    conversion,
                } => {
                    let conversion = &self.conversions[*conversion];
                    let plan = conversion.plans.first();
                    writeln!(
                        f,
                        "  {} = convert {} by {}",
                        made(first, plan.map_or(1, |p| p.program().results().len())),
                        list(values),
                        plan.map(|p| p.kind().to_string()).unwrap_or_default()
                    )?;
                }
            }
        }
        writeln!(f, "  results {}", list(&self.results))
    }
}

#[cfg(test)]
impl ReducePlan {
    /// The plan with its steps changed, to see that the machine notices.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<ReduceStep>)) -> Self {
        let mut plan = self.clone();
        edit(&mut plan.steps);
        plan
    }
}

/// The result of planning, or why there is none.
type Planned = Result<ReducePlan, ReduceError>;
