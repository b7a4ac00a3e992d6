//! Explanation of the chosen layouts: remarks, and a JSON report.

use crate::analysis::assignment::{
    AssignmentOptions, ConversionOutcome, ConversionReport, EncodingId, KeptReason, Kernel,
    RemainingConversion, Role,
};
use crate::ir::TensorType;
use crate::ir::ops::tt;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic};
use gpu_sim::json_string;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::fmt::Write;

/// Formats a price as a number of cycles. The price is in quarters of a cycle.
fn cycles(price: u64) -> String {
    match price % 4 {
        0 => format!("{}", price / 4),
        _ => format!("{:.2}", price as f64 / 4.0),
    }
}

pub(super) fn of_kept(before: u64, after: u64, min_gain: i64) -> String {
    format!(
        "layouts kept: the best other layouts cost {} cycles instead of {}, \
         a saving below `min-gain={min_gain}` percent",
        cycles(after),
        cycles(before),
    )
}

/// Costs of a function before and after a pass. `before` and `after` are pairs: a price in quarters of a cycle, and
/// a number of conversions.
#[derive(Clone, Copy)]
pub(super) struct Costs {
    pub(super) before: (u64, u32),
    pub(super) after: (u64, u32),
    /// Lower bound for the price in quarters of a cycle. It applies to all assignments that have the same
    /// rematerialisations and at most as many conversions.
    pub(super) bound: u64,
    /// The scratch budget in bytes, and the amount by which the budget increases the price, in quarters of a cycle.
    /// `None` if there is no budget.
    pub(super) budget: Option<(u32, u64)>,
}

impl Costs {
    fn is_optimal(self) -> bool {
        self.bound >= self.after.0
    }
}

pub(super) fn of_function(costs: Costs) -> String {
    let Costs {
        before,
        after,
        bound,
        budget,
    } = costs;
    let best = if costs.is_optimal() {
        "the minimum for the chosen rematerialisations".to_owned()
    } else {
        let above = after.0.saturating_sub(bound) as f64;
        let percent = 100.0 * above / bound.max(1) as f64;
        format!("at most {percent:.1} % above the minimum")
    };
    let mut text = format!(
        "function costs {} cycles with {}, {best}; before the pass {} cycles with {}",
        cycles(after.0),
        count(after.1),
        cycles(before.0),
        count(before.1)
    );
    if let Some((bytes, more)) = budget {
        let _ = write!(
            text,
            "; {} cycles are due to `scratch-budget={bytes}`",
            cycles(more)
        );
    }
    text
}

fn count(conversions: u32) -> String {
    match conversions {
        1 => "1 conversion".to_owned(),
        n => format!("{n} conversions"),
    }
}

fn name(kernel: &Kernel<'_>, encoding: EncodingId) -> String {
    kernel.catalogue.get(encoding).to_string()
}

pub(super) fn of_remaining(
    kernel: &Kernel<'_>,
    op: Op<'_>,
    conversion: &RemainingConversion,
) -> String {
    let what = match conversion.is_slot_read {
        true => "conversion becomes a read of the buffer that `pipeline-loops` prefetches",
        false => "conversion kept",
    };
    let mut text = format!(
        "{what}: {} cycles from `{}` to `{}`",
        cycles(conversion.price),
        name(kernel, conversion.from),
        name(kernel, conversion.to)
    );
    match loop_depth(op) {
        0 => {}
        depth => {
            let _ = write!(
                text,
                " per iteration of {}, counted for {} iterations",
                match depth {
                    1 => "a loop".to_owned(),
                    _ => format!("the innermost of {depth} loops"),
                },
                conversion.weight
            );
        }
    }
    text += &match conversion.reason {
        KeptReason::Pinned => "; the layouts of the producer and of the users are fixed".to_owned(),
        KeptReason::Respelled => {
            "; no data moves, but operations require both encodings".to_owned()
        }
        KeptReason::Cost(price) => format!(
            "; without the conversion the function would cost {} cycles more",
            cycles(price)
        ),
    };
    text
}

fn loop_depth(op: Op<'_>) -> usize {
    let loops = build::ancestors(op).filter(|outer| Role::of(*outer) == Role::Loop);
    loops.count()
}

/// Returns the conversions that remain, as JSON objects separated by commas.
pub(super) fn remaining(kernel: &Kernel<'_>, report: &ConversionReport) -> String {
    let remaining = report.remaining.iter().map(|conversion| {
        let value = kernel.datums[conversion.datum].value;
        let tensor = TensorType::of(value.r#type());
        let type_ = tensor.map_or(String::new(), |tensor| {
            let sizes: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
            format!("{}x{}", sizes.join("x"), tensor.element)
        });
        let (reason, more) = match conversion.reason {
            KeptReason::Pinned => ("pinned", "null".to_owned()),
            KeptReason::Respelled => ("respelled", "null".to_owned()),
            KeptReason::Cost(price) => ("cost", cycles(price)),
        };
        format!(
            "{{\"tensor\":{},\"from\":{},\"to\":{},\"cycles\":{},\"runs\":{},\"reason\":\"{reason}\",\"next_best\":{more}}}",
            json_string(&type_),
            json_string(&name(kernel, conversion.from)),
            json_string(&name(kernel, conversion.to)),
            cycles(conversion.price),
            conversion.weight,
        )
    });
    remaining.collect::<Vec<_>>().join(",")
}

/// Returns the original conversions and their outcomes as JSON.
pub(super) fn conversions(kernel: &Kernel<'_>, report: &ConversionReport) -> String {
    let place = |op: Op<'_>| {
        let place = sys::file_location(op.location());
        place.map_or("null".to_owned(), |place| {
            let text = format!("{}:{}:{}", place.file, place.line, place.column);
            json_string(&text)
        })
    };
    let outcomes = kernel.conversions.iter().zip(&report.outcomes);
    let outcomes = outcomes.map(|(conversion, outcome)| {
        let word = match outcome {
            ConversionOutcome::Kept(_) => "kept",
            ConversionOutcome::Merged(_) => "merged",
            ConversionOutcome::Rematerialised => "rematerialised",
            ConversionOutcome::ProducerChanged => "producer_changed",
            ConversionOutcome::UserChanged => "user_changed",
        };
        format!(
            "{{\"location\":{},\"from\":{},\"to\":{},\"outcome\":\"{word}\"}}",
            place(conversion.op),
            json_string(&name(kernel, conversion.from)),
            json_string(&name(kernel, conversion.to)),
        )
    });
    outcomes.collect::<Vec<_>>().join(",")
}

pub(super) fn kept_entry(
    (function, options): (Op<'_>, AssignmentOptions),
    (before, best): ((u64, u32), (u64, u32)),
) -> String {
    format!(
        "{{\"function\":{},\"target\":{},\"before\":{},\"after\":{},\"kept\":true,\"best\":{}}}",
        name_of(function),
        json_string(options.target.name),
        cost(before),
        cost(before),
        cost(best),
    )
}

fn cost((price, conversions): (u64, u32)) -> String {
    format!(
        "{{\"cycles\":{},\"conversions\":{conversions}}}",
        cycles(price)
    )
}

fn name_of(function: Op<'_>) -> String {
    json_string(&tt::Func::of(function).map_or(String::new(), |f| f.sym_name().to_string()))
}

pub(super) fn entry(
    (function, options): (Op<'_>, AssignmentOptions),
    costs: Costs,
    remaining: &str,
    conversions: &str,
) -> String {
    let budget = costs.budget.map_or("null".to_owned(), |(bytes, more)| {
        format!("{{\"bytes\":{bytes},\"cycles\":{}}}", cycles(more))
    });
    format!(
        "{{\"function\":{},\"target\":{},\"before\":{},\"after\":{},\"bound\":{},\"optimal\":{},\"scratch_budget\":{budget},\"remaining\":[{remaining}],\"conversions\":[{conversions}]}}",
        name_of(function),
        json_string(options.target.name),
        cost(costs.before),
        cost(costs.after),
        cycles(costs.bound),
        costs.is_optimal(),
    )
}

/// Writes the report of a module.
///
/// # Errors
/// Fails if the file cannot be written.
pub(super) fn write(file: &str, entries: &[String]) -> Result<(), Diagnostic> {
    let text = format!("[{}]\n", entries.join(",\n"));
    std::fs::write(file, text)
        .map_err(|reason| Diagnostic::new(format!("cannot write the report to `{file}`: {reason}")))
}
