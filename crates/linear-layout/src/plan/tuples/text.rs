//! A program as text.

use super::super::ValueId;
use super::{Condition, LaneSource, TupleProgram, TupleStep};
use core::fmt;

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mask, first } = self;
        if *first == 0 && mask.count_ones() == 1 {
            return write!(f, "thread & {mask}");
        }
        write!(f, "thread & {mask} != {first}")
    }
}

impl fmt::Display for LaneSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed { mask, bits } => write!(f, "{bits} in bits {mask}"),
            Self::Before { mask } => write!(f, "before in bits {mask}"),
            Self::After { mask } => write!(f, "after in bits {mask}"),
        }
    }
}

impl fmt::Display for TupleProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[ValueId]| {
            let names: Vec<String> = values.iter().map(ValueId::to_string).collect();
            names.join(", ")
        };
        let made = |first: &ValueId, count: usize| match count {
            1 => first.to_string(),
            _ => format!("{first}..{}", first.plus(count as u32 - 1)),
        };
        let (sources, results) = (self.num_sources, self.results.len());
        let (bytes, cost) = (self.scratch_bytes, self.cost);
        writeln!(
            f,
            "{sources} -> {results} registers, {bytes} bytes of shared memory, {cost}"
        )?;
        for step in &self.steps {
            match step {
                TupleStep::Combine { out, acc, other } => {
                    writeln!(f, "  {out} = combine {acc}, {other}")?;
                }
                TupleStep::Exchange {
                    first,
                    values,
                    lane_mask,
                } => writeln!(
                    f,
                    "  {} = exchange {} with lane ^ {lane_mask}",
                    made(first, values.len()),
                    list(values)
                )?,
                TupleStep::Fetch {
                    first,
                    values,
                    source,
                } => writeln!(
                    f,
                    "  {} = fetch {} of lane {source}",
                    made(first, values.len()),
                    list(values)
                )?,
                TupleStep::ReduceLanes { first, values, .. } => writeln!(
                    f,
                    "  {} = {} of all lanes combined",
                    made(first, values.len()),
                    list(values)
                )?,
                TupleStep::Select {
                    out,
                    condition,
                    if_set,
                    if_clear,
                } => writeln!(f, "  {out} = select {condition} ? {if_set} : {if_clear}")?,
                TupleStep::Convert {
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
