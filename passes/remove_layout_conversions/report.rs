//! What is said of conversions: remarks at their places, and a report as JSON.

use crate::analysis::assignment::{Asked, EncodingId, Explanation, Kernel, Left, Role, Went, Why};
use crate::ir::TensorType;
use crate::ir::ops::tt;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic};
use gpu_sim::json_string;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::fmt::Write;

/// Cycles, of which a price counts quarters.
fn cycles(price: u64) -> String {
    match price % 4 {
        0 => format!("{}", price / 4),
        _ => format!("{:.2}", price as f64 / 4.0),
    }
}

/// What a function costs: quarters of a cycle, and conversions.
#[derive(Clone, Copy)]
pub(super) struct Costs {
    pub(super) before: (u64, u32),
    pub(super) after: (u64, u32),
    /// No choice costs less, as long as what is computed again is computed so.
    pub(super) bound: u64,
    /// The bytes that operations are bound by, and what that costs.
    pub(super) budget: Option<(u32, u64)>,
}

impl Costs {
    fn is_proved(self) -> bool {
        self.bound >= self.after.0
    }
}

/// What the whole function costs.
pub(super) fn of_function(costs: Costs) -> String {
    let Costs {
        before,
        after,
        bound,
        budget,
    } = costs;
    let best = if costs.is_proved() {
        "the minimum for the values rematerialised".to_owned()
    } else {
        let above = after.0.saturating_sub(bound) as f64;
        let percent = 100.0 * above / bound.max(1) as f64;
        format!("at most {percent:.1} % above the minimum")
    };
    let mut text = format!(
        "costs {} cycles with {}, {best}; it cost {} with {}",
        cycles(after.0),
        count(after.1),
        cycles(before.0),
        count(before.1)
    );
    if let Some((bytes, more)) = budget {
        let _ = write!(
            text,
            "; of that, {} for `scratch-budget={bytes}`",
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

/// Why a conversion is left.
pub(super) fn of_left(kernel: &Kernel<'_>, op: Op<'_>, left: &Left) -> String {
    let mut text = format!(
        "stays: it takes {} cycles from `{}` to `{}`",
        cycles(left.price),
        name(kernel, left.from),
        name(kernel, left.to)
    );
    match loop_depth(op) {
        0 => {}
        depth => {
            let _ = write!(
                text,
                " per iteration of {}, counted {} times",
                match depth {
                    1 => "a loop".to_owned(),
                    _ => format!("the innermost of {depth} loops"),
                },
                left.weight
            );
        }
    }
    text += &match left.why {
        Why::Kept => "; producer and users keep their layouts".to_owned(),
        Why::Named => "; it moves no data, but operations require both spellings".to_owned(),
        Why::Dearer(price) => format!("; without it the kernel costs {} more", cycles(price)),
    };
    text
}

/// How many loops an operation is in.
fn loop_depth(op: Op<'_>) -> usize {
    let mut depth = 0;
    let mut around = build::parent(op);
    while let Some(outer) = around {
        depth += usize::from(Role::of(outer) == Role::Loop);
        around = build::parent(outer);
    }
    depth
}

/// The conversions that are left, for the report.
pub(super) fn left(kernel: &Kernel<'_>, explanation: &Explanation) -> String {
    let left = explanation.left.iter().map(|left| {
        let value = kernel.datums[left.datum].value;
        let tensor = TensorType::of(value.r#type());
        let type_ = tensor.map_or(String::new(), |tensor| {
            let sizes: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
            format!("{}x{}", sizes.join("x"), tensor.element)
        });
        let (why, more) = match left.why {
            Why::Kept => ("kept", "null".to_owned()),
            Why::Named => ("named", "null".to_owned()),
            Why::Dearer(price) => ("dearer", cycles(price)),
        };
        format!(
            "{{\"tensor\":{},\"from\":{},\"to\":{},\"cycles\":{},\"runs\":{},\"why\":\"{why}\",\"next_best\":{more}}}",
            json_string(&type_),
            json_string(&name(kernel, left.from)),
            json_string(&name(kernel, left.to)),
            cycles(left.price),
            left.weight,
        )
    });
    left.collect::<Vec<_>>().join(",")
}

/// What became of the conversions that stood in a function, for the report.
pub(super) fn conversions(kernel: &Kernel<'_>, explanation: &Explanation) -> String {
    let place = |op: Op<'_>| {
        let place = sys::file_location(op.location());
        place.map_or("null".to_owned(), |place| {
            let text = format!("{}:{}:{}", place.file, place.line, place.column);
            json_string(&text)
        })
    };
    let went = kernel.conversions.iter().zip(&explanation.went);
    let went = went.map(|(conversion, went)| {
        let word = match went {
            Went::Stays(_) => "stays",
            Went::Merged(_) => "merged",
            Went::MadeAgain => "made_again",
            Went::MadeSo => "made_so",
            Went::UsedElse => "used_else",
        };
        format!(
            "{{\"location\":{},\"from\":{},\"to\":{},\"went\":\"{word}\"}}",
            place(conversion.op),
            json_string(&name(kernel, conversion.from)),
            json_string(&name(kernel, conversion.to)),
        )
    });
    went.collect::<Vec<_>>().join(",")
}

/// One function's entry of the report.
pub(super) fn entry(
    (function, asked): (Op<'_>, Asked),
    costs: Costs,
    left: &str,
    conversions: &str,
) -> String {
    let budget = costs.budget.map_or("null".to_owned(), |(bytes, more)| {
        format!("{{\"bytes\":{bytes},\"cycles\":{}}}", cycles(more))
    });
    format!(
        "{{\"function\":{},\"target\":{},\"before\":{{\"cycles\":{},\"conversions\":{}}},\"after\":{{\"cycles\":{},\"conversions\":{}}},\"bound\":{},\"proved\":{},\"scratch_budget\":{budget},\"left\":[{left}],\"conversions\":[{conversions}]}}",
        json_string(&tt::Func::of(function).map_or(String::new(), |f| f.sym_name().to_string())),
        json_string(asked.target.name),
        cycles(costs.before.0),
        costs.before.1,
        cycles(costs.after.0),
        costs.after.1,
        cycles(costs.bound),
        costs.is_proved(),
    )
}

/// Writes the report of a module.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(file: &str, entries: &[String]) -> Result<(), Diagnostic> {
    let text = format!("[{}]\n", entries.join(",\n"));
    std::fs::write(file, text)
        .map_err(|reason| Diagnostic::new(format!("cannot write the report to `{file}`: {reason}")))
}
