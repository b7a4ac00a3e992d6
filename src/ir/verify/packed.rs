//! Rules of arithmetic on packed numbers.

use super::{Verdict, dimensions, integer, result};
use crate::encoding::infer;
use crate::ir::{Layouts, TensorType, element_name};
use crate::layout::Dim;
use crate::sys::Diagnostic;
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, ValueLike};

/// Element types by one letter each.
fn letter(element: &str) -> Option<char> {
    Some(match element {
        "f32" => 'f',
        "f16" => 'h',
        "bf16" => 'b',
        "f8E5M2" => '5',
        "f8E4M3FN" => '4',
        "i8" => '2',
        "f8E8M0FNU" => 'u',
        _ => return None,
    })
}

const OPERATIONS: [&str; 6] = ["add", "sub", "mul", "fma", "min", "max"];

/// What the hardware has: operations, letters of the result, letters of each operand; `=` is the
/// result's type, `!` the other 16-bit one.
const SIGNATURES: [(&[&str], &str, &[&str]); 13] = [
    (&["add", "sub", "mul"], "fhb", &["=", "="]),
    (&["fma"], "fhb", &["=", "=", "="]),
    (&["min", "max"], "hb", &["=", "="]),
    (&["add", "sub"], "f", &["hb", "f"]),
    (&["add", "sub"], "h", &["f", "f"]),
    (&["add", "sub"], "b", &["f", "f"]),
    (&["mul"], "h", &["f", "f"]),
    (&["mul"], "b", &["f", "f"]),
    (&["mul"], "hb", &["=", "!"]),
    (&["fma"], "f", &["hb", "f", "f"]),
    (&["add", "sub"], "54", &["542u", "="]),
    (&["mul"], "54", &["542u", "542u"]),
    (&["fma"], "54", &["542u", "542u", "="]),
];

fn matches(pattern: &str, found: char, result: char) -> bool {
    match pattern {
        "=" => found == result,
        "!" => found != result && "hb".contains(found),
        letters => letters.contains(found),
    }
}

pub(super) fn packed_arith(op: OperationRef<'_, '_>) -> Verdict {
    let Some(dst) = result(op, 0) else {
        return Ok(());
    };
    let srcs: Vec<TensorType<'_>> = op
        .operands()
        .filter_map(|v| TensorType::of(v.r#type()))
        .collect();
    let name = usize::try_from(integer(op, "op_kind"))
        .ok()
        .and_then(|i| OPERATIONS.get(i).copied())
        .unwrap_or_default();
    let expected = if name == "fma" { 3 } else { 2 };
    ensure!(
        srcs.len() == expected,
        "does `{name}`, which takes {expected} operands, but has {}",
        srcs.len()
    ); // packed_arith_c1
    ensure!(
        dst.encoding.is_some(),
        "needs a result with an encoding, but has `{}`",
        dst.type_
    ); // packed_arith_c2
    let kind = letter(&element_name(dst.element));
    let kinds: Option<Vec<char>> = srcs
        .iter()
        .map(|t| letter(&element_name(t.element)))
        .collect();
    let known = kind.zip(kinds.as_ref()).is_some_and(|(to, from)| {
        SIGNATURES.iter().any(|(names, results, operands)| {
            names.contains(&name)
                && results.contains(to)
                && operands.len() == from.len()
                && operands.iter().zip(from).all(|(p, c)| matches(p, *c, to))
        })
    });
    let list: Vec<String> = srcs.iter().map(|t| format!("`{}`", t.element)).collect();
    ensure!(
        known,
        "has no `{name}` of {} that makes `{}`",
        list.join(", "),
        dst.element
    ); // packed_arith_c3
    let Ok(layout) = Layouts::of(op.context()).tensor(&dst) else {
        return Ok(());
    };
    let lanes = if element_name(dst.element).starts_with("f8") {
        4
    } else {
        2
    };
    ensure!(
        layout.unique.in_size(Dim::REGISTER) % lanes == 0,
        "works on {lanes} elements at a time, but each thread has {} of `{}`",
        layout.unique.in_size(Dim::REGISTER),
        dst.type_
    ); // packed_arith_c4
    // All pairs of 4-bit numbers lie along one dimension.
    let mut axis = None;
    for src in srcs.iter().filter(|t| *element_name(t.element) == *"i8") {
        let halved: Vec<usize> = (0..dst.shape.len())
            .filter(|d| src.shape.get(*d) != Some(&dst.shape[*d]))
            .collect();
        let fits = src.shape.len() == dst.shape.len()
            && halved.len() == 1
            && 2 * src.shape[halved[0]] == dst.shape[halved[0]]
            && axis.is_none_or(|axis| axis == halved[0]);
        ensure!(
            fits,
            "needs pairs of 4-bit numbers along one dimension of {}, but has `{}`",
            dimensions(dst.shape),
            src.type_
        ); // packed_arith_c5
        axis = Some(halved[0]);
    }
    for (i, src) in srcs.iter().enumerate() {
        let Ok(from) = Layouts::of(op.context()).tensor(src) else {
            return Err(vec![Diagnostic::new(format!(
                "needs operand {i} with an encoding, but has `{}`",
                src.type_
            ))]); // packed_arith_c6
        };
        let inferred = match axis {
            Some(axis) if *element_name(src.element) == *"i8" => {
                infer::fp4_to_fp_source(&layout.encoding, dst.shape, axis).ok()
            }
            _ => {
                ensure!(
                    src.shape == dst.shape,
                    "needs operand {i} in the result's shape {}, but has `{}`",
                    dimensions(dst.shape),
                    src.type_
                ); // packed_arith_c7
                Some((*layout.encoding).clone())
            }
        };
        ensure!(
            inferred.is_some_and(|e| infer::equivalent(&e, &from.encoding, src.shape)),
            "needs operand {i} in the result's layout, but has `{}` and `{}`",
            src.type_,
            dst.type_
        ); // packed_arith_c8
    }
    Ok(())
}
