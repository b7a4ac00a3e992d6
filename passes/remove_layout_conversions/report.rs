//! What is said of conversions: remarks at their places, and a report as JSON.

use crate::analysis::assignment::{
    Asked, Assignment, EncodingId, Explanation, Kernel, Left, Went, Why,
};
use crate::ir::TensorType;
use crate::ir::ops::tt;
use crate::machine::kernel::json_string;
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::fmt::Write;

/// Cycles, of which a price counts sixteenths.
fn cycles(price: u64) -> String {
    match price % 16 {
        0 => format!("{}", price / 16),
        _ => format!("{:.2}", price as f64 / 16.0),
    }
}

/// What the whole function costs.
pub(super) fn of_function(assignment: &Assignment) -> String {
    let (before, after) = (assignment.before, assignment.price.min(assignment.before));
    let bound = if assignment.is_proved {
        "the least there is for what is computed again".to_owned()
    } else {
        let above = after.0.saturating_sub(assignment.bound) as f64;
        let percent = 100.0 * above / assignment.bound.max(1) as f64;
        format!("at most {percent:.1} % above the least")
    };
    format!(
        "costs {} cycles with {}, {bound}; it cost {} with {}",
        cycles(after.0),
        count(after.1),
        cycles(before.0),
        count(before.1)
    )
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
pub(super) fn of_left(kernel: &Kernel<'_>, left: &Left) -> String {
    let mut text = format!(
        "stays: it takes {} cycles from `{}` to `{}`",
        cycles(left.price),
        name(kernel, left.from),
        name(kernel, left.to)
    );
    if left.weight > 1 {
        let _ = write!(text, ", counted {} times", left.weight);
    }
    text += &match left.why {
        Why::Kept => "; what makes the value and what uses it keep their layouts".to_owned(),
        Why::Named => "; it moves nothing, but operations ask for both by name".to_owned(),
        Why::Dearer(price) => format!("; without it the kernel costs {} more", cycles(price)),
    };
    text
}

/// What became of a conversion.
pub(super) fn of_conversion(went: Went) -> &'static str {
    match went {
        Went::Stays(_) => "stays",
        Went::Merged(_) => "is removed: the value is converted to this layout once",
        Went::MadeAgain => "is removed: the value is computed again in this layout",
        Went::MadeSo => "is removed: the value is made in this layout",
        Went::UsedElse => "is removed: what used it works in another layout",
    }
}

/// One function's entry of the report.
pub(super) fn entry(
    function: Op<'_>,
    kernel: &Kernel<'_>,
    asked: Asked,
    assignment: &Assignment,
    explanation: &Explanation,
) -> String {
    let (before, after) = (assignment.before, assignment.price.min(assignment.before));
    let place = |op: Op<'_>| {
        let place = sys::place(op.location());
        place.map_or("null".to_owned(), |place| {
            let text = format!("{}:{}:{}", place.file, place.line, place.column);
            json_string(&text)
        })
    };
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
    let went = kernel.conversions.iter().zip(&explanation.went);
    let went = went.map(|(conversion, went)| {
        let (word, of) = match went {
            Went::Stays(at) => ("stays", Some(at)),
            Went::Merged(at) => ("merged", Some(at)),
            Went::MadeAgain => ("made_again", None),
            Went::MadeSo => ("made_so", None),
            Went::UsedElse => ("used_else", None),
        };
        let of = of.map_or("null".to_owned(), ToString::to_string);
        format!(
            "{{\"location\":{},\"from\":{},\"to\":{},\"went\":\"{word}\",\"left\":{of}}}",
            place(conversion.op),
            json_string(&name(kernel, conversion.from)),
            json_string(&name(kernel, conversion.to)),
        )
    });
    format!(
        "{{\"function\":{},\"target\":{},\"before\":{{\"cycles\":{},\"conversions\":{}}},\"after\":{{\"cycles\":{},\"conversions\":{}}},\"bound\":{},\"proved\":{},\"left\":[{}],\"conversions\":[{}]}}",
        json_string(tt::Func::of(function).map_or("", tt::Func::sym_name)),
        json_string(asked.target.name),
        cycles(before.0),
        before.1,
        cycles(after.0),
        after.1,
        cycles(assignment.bound),
        assignment.is_proved,
        left.collect::<Vec<_>>().join(","),
        went.collect::<Vec<_>>().join(",")
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
