//! Rules of packed arithmetic.

use super::common::{Verdict, broken, dimensions, ensure, layout, tensor};
use crate::ir::ops::{PackedArithOpKind as Kind, ttng};
use crate::ir::{TensorType, element_name};
use linear_layout::encoding::infer;
use linear_layout::layout::Dim;

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

/// Supported types of packed operations: operation kinds, possible result types, and the possible types of each
/// operand.
///
/// Each letter is a type, as defined by the function `letter`. `=` is the result type; `!` is f16 for a bf16
/// result, and bf16 for an f16 result.
const SIGNATURES: [(&[Kind], &str, &[&str]); 13] = [
    (&[Kind::Add, Kind::Sub, Kind::Mul], "fhb", &["=", "="]),
    (&[Kind::Fma], "fhb", &["=", "=", "="]),
    (&[Kind::Min, Kind::Max], "hb", &["=", "="]),
    (&[Kind::Add, Kind::Sub], "f", &["hb", "f"]),
    (&[Kind::Add, Kind::Sub], "h", &["f", "f"]),
    (&[Kind::Add, Kind::Sub], "b", &["f", "f"]),
    (&[Kind::Mul], "h", &["f", "f"]),
    (&[Kind::Mul], "b", &["f", "f"]),
    (&[Kind::Mul], "hb", &["=", "!"]),
    (&[Kind::Fma], "f", &["hb", "f", "f"]),
    (&[Kind::Add, Kind::Sub], "54", &["542u", "="]),
    (&[Kind::Mul], "54", &["542u", "542u"]),
    (&[Kind::Fma], "54", &["542u", "542u", "="]),
];

fn matches(pattern: &str, found: char, result: char) -> bool {
    match pattern {
        "=" => found == result,
        "!" => found != result && "hb".contains(found),
        letters => letters.contains(found),
    }
}

pub(super) fn packed_arith(op: ttng::PackedArith<'_, '_>) -> Verdict {
    let Some(dst) = tensor(op.result()) else {
        return Ok(());
    };
    let srcs: Vec<TensorType<'_>> = op.srcs().into_iter().filter_map(tensor).collect();
    let name = op.op_kind().name();
    let expected = if op.op_kind() == Kind::Fma { 3 } else { 2 };
    ensure!(
        packed_arith_c1,
        srcs.len() == expected,
        "`{name}` requires {expected} operands, but got {}",
        srcs.len()
    );
    ensure!(
        packed_arith_c2,
        dst.encoding.is_some(),
        "requires a result with an encoding, but got `{}`",
        dst.type_
    );
    let kind = letter(&element_name(dst.element));
    let kinds: Option<Vec<char>> = srcs
        .iter()
        .map(|t| letter(&element_name(t.element)))
        .collect();
    let known = kind.zip(kinds.as_ref()).is_some_and(|(to, from)| {
        SIGNATURES.iter().any(|(kinds, results, operands)| {
            kinds.contains(&op.op_kind())
                && results.contains(to)
                && operands.len() == from.len()
                && operands.iter().zip(from).all(|(p, c)| matches(p, *c, to))
        })
    });
    let list: Vec<String> = srcs.iter().map(|t| format!("`{}`", t.element)).collect();
    ensure!(
        packed_arith_c3,
        known,
        "`{name}` does not support operands of types {} with a result of type `{}`",
        list.join(", "),
        dst.element
    );
    let Some(to) = layout(&dst) else {
        return Ok(());
    };
    let lanes = if element_name(dst.element).starts_with("f8") {
        4
    } else {
        2
    };
    ensure!(
        packed_arith_c4,
        to.unique.in_size(Dim::REGISTER) % lanes == 0,
        "requires a multiple of {lanes} elements per thread, but got {} in `{}`",
        to.unique.in_size(Dim::REGISTER),
        dst.type_
    );
    // All pairs of 4-bit numbers are along one dimension.
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
            packed_arith_c5,
            fits,
            "operand of packed 4-bit pairs is `{}`; expected the result shape {} with one dimension halved \
             (the same dimension for all operands)",
            src.type_,
            dimensions(dst.shape)
        );
        axis = Some(halved[0]);
    }
    for (i, src) in srcs.iter().enumerate() {
        let Some(from) = layout(src) else {
            return Err(vec![broken!(
                packed_arith_c6,
                "operand {i} has type `{}`; expected an encoding",
                src.type_
            )]);
        };
        let inferred = match axis {
            Some(axis) if *element_name(src.element) == *"i8" => {
                infer::fp4_to_fp_source(&to.encoding, dst.shape, axis).ok()
            }
            _ => {
                ensure!(
                    packed_arith_c7,
                    src.shape == dst.shape,
                    "operand {i} has type `{}`; expected shape {}, the shape of the result",
                    src.type_,
                    dimensions(dst.shape)
                );
                Some((*to.encoding).clone())
            }
        };
        ensure!(
            packed_arith_c8,
            inferred.is_some_and(|e| infer::equivalent(&e, &from.encoding, src.shape)),
            "operand {i} has type `{}`, but the result has type `{}`; expected matching layouts",
            src.type_,
            dst.type_
        );
    }
    Ok(())
}
