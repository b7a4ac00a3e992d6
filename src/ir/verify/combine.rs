//! Rules of operations whose region combines or maps elements.

use super::convert::verdict;
use super::{Verdict, axes, dimensions, integer, one};
use crate::encoding::infer;
use crate::ir::{Layouts, OpKind, TensorType};
use crate::sys::{Diagnostic, build};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, OperationRef, RegionLike, Type, ValueLike};

fn types<'c>(op: OperationRef<'c, '_>) -> (Vec<TensorType<'c>>, Vec<Type<'c>>) {
    // Types live as long as the context, unlike the values they are read from.
    let op = build::of_context(op);
    let operands = (0..op.operand_count())
        .filter_map(|i| TensorType::of(build::operand(op, i).r#type()))
        .collect();
    let results = (0..op.result_count())
        .map(|i| build::result(op, i).r#type())
        .collect();
    (operands, results)
}

/// What `tt.reduce` and `tt.scan` ask of their operands; gives the axis.
fn operands(
    op: OperationRef<'_, '_>,
    srcs: &[TensorType<'_>],
    results: &[Type<'_>],
) -> Result<usize, Vec<Diagnostic>> {
    let Some(first) = srcs.first() else {
        return Err(one(Diagnostic::new("needs at least one operand"))); // reduce_c1, scan_c1
    };
    if srcs.len() != results.len() {
        return Err(one(Diagnostic::new(format!(
            "needs as many results as operands, but has {} and {}",
            results.len(),
            srcs.len()
        )))); // reduce_c2, scan_c2
    }
    let axis = integer(op, "axis");
    usize::try_from(axis)
        .ok()
        .filter(|axis| *axis < first.shape.len())
        .ok_or_else(|| {
            one(Diagnostic::new(format!(
                "has axis {axis}, but the operands have rank {}",
                axes(first.shape.len())
            )))
        }) // reduce_c3
}

/// The region takes elements of these types and gives those.
fn region(
    op: OperationRef<'_, '_>,
    takes: &[Type<'_>],
    gives: &[Type<'_>],
    terminator: OpKind,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let Some(block) = op.regions().next().and_then(|r| r.first_block()) else {
        return diagnostics;
    };
    let arguments: Vec<Type<'_>> = (0..block.argument_count())
        .filter_map(|i| block.argument(i).ok().map(|v| v.r#type()))
        .collect();
    if arguments != takes {
        diagnostics.push(Diagnostic::new(format!(
            "has a region that takes ({}), but is to take ({})",
            list(&arguments),
            list(takes)
        ))); // reduce_c6
    }
    let Some(end) = block.terminator() else {
        return diagnostics;
    };
    if !terminator.is(end) {
        let name = end.name();
        diagnostics.push(Diagnostic::new(format!(
            "has a region that ends in `{}`, expected `{}`",
            name.as_string_ref().as_str().unwrap_or_default(),
            terminator.name()
        ))); // reduce_c7
        return diagnostics;
    }
    let returned: Vec<Type<'_>> = end.operands().map(|v| v.r#type()).collect();
    if returned != gives {
        diagnostics.push(Diagnostic::new(format!(
            "has a region that gives ({}), but is to give ({})",
            list(&returned),
            list(gives)
        ))); // reduce_c7
    }
    diagnostics
}

fn list(types: &[Type<'_>]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn elements<'c>(tensors: &[TensorType<'c>]) -> Vec<Type<'c>> {
    tensors.iter().map(|t| t.element).collect()
}

pub(super) fn reduce(op: OperationRef<'_, '_>) -> Verdict {
    let (srcs, results) = types(op);
    let axis = operands(op, &srcs, &results)?;
    let mut diagnostics = Vec::new();
    for (src, found) in srcs.iter().zip(&results) {
        diagnostics.extend(reduced(op, src, *found, axis));
    }
    let scalars = elements(&srcs);
    let twice = [scalars.as_slice(), &scalars].concat();
    diagnostics.extend(region(op, &twice, &scalars, OpKind::TtReduceReturn));
    verdict(diagnostics)
}

fn reduced(
    op: OperationRef<'_, '_>,
    src: &TensorType<'_>,
    found: Type<'_>,
    axis: usize,
) -> Option<Diagnostic> {
    if src.shape.len() == 1 {
        return (found != src.element).then(|| {
            Diagnostic::new(format!(
                "makes one `{}`, but the result is `{found}`",
                src.element
            ))
        }); // reduce_c4
    }
    let mut shape = src.shape.to_vec();
    shape.remove(axis);
    let dst = TensorType::of(found).filter(|dst| dst.shape == shape && dst.element == src.element);
    let Some(dst) = dst else {
        return Some(Diagnostic::new(format!(
            "makes a tensor of {} elements `{}`, but the result is `{found}`",
            dimensions(&shape),
            src.element
        ))); // reduce_c4
    };
    let cache = Layouts::of(op.context());
    let encoding = |attribute| cache.encoding(attribute).ok();
    match (
        src.encoding.and_then(encoding),
        dst.encoding.and_then(encoding),
    ) {
        (None, None) => None,
        (Some(from), Some(to)) => {
            let expected = infer::reduce(&from, axis).ok()?;
            (!infer::equivalent(&expected, &to, &shape)).then(|| {
                Diagnostic::new(format!(
                    "needs a result whose encoding is the operand's slice along dimension {axis}, but it is `{to}`"
                ))
                .note(format!("expected `{expected}`"))
            }) // reduce_c5
        }
        _ => Some(Diagnostic::new(
            "needs an encoding on operands and results, or on none",
        )), // reduce_c5
    }
}

pub(super) fn scan(op: OperationRef<'_, '_>) -> Verdict {
    let (srcs, results) = types(op);
    operands(op, &srcs, &results)?;
    let mut diagnostics = Vec::new();
    for (src, found) in srcs.iter().zip(&results) {
        if src.type_ != *found {
            diagnostics.push(Diagnostic::new(format!(
                "makes `{}`, but the result is `{found}`",
                src.type_
            ))); // scan_c4
        }
    }
    let scalars = elements(&srcs);
    let twice = [scalars.as_slice(), &scalars].concat();
    diagnostics.extend(region(op, &twice, &scalars, OpKind::TtScanReturn));
    verdict(diagnostics)
}

pub(super) fn map_elementwise(op: OperationRef<'_, '_>) -> Verdict {
    let (srcs, results) = types(op);
    if srcs.is_empty() {
        return Err(one(Diagnostic::new("needs at least one operand"))); // map_elementwise_c1
    }
    let pack = integer(op, "pack");
    let Some(pack) = usize::try_from(pack).ok().filter(|p| p.is_power_of_two()) else {
        return Err(one(Diagnostic::new(format!(
            "needs a power of two as `pack`, but has {pack}"
        )))); // map_elementwise_c2
    };
    let repeat = |types: Vec<Type<'_>>| -> Vec<String> {
        types
            .iter()
            .flat_map(|t| vec![t.to_string(); pack])
            .collect()
    };
    let takes = repeat(elements(&srcs));
    let gives = repeat(
        results
            .iter()
            .map(|t| super::convert::element(*t))
            .collect(),
    );
    let mut diagnostics = Vec::new();
    let Some(body) = op.regions().next().and_then(|r| r.first_block()) else {
        return Ok(());
    };
    let arguments: Vec<String> = (0..body.argument_count())
        .filter_map(|i| body.argument(i).ok().map(|v| v.r#type().to_string()))
        .collect();
    if arguments != takes {
        diagnostics.push(Diagnostic::new(format!(
            "has a region that takes ({}), but is to take ({})",
            arguments.join(", "),
            takes.join(", ")
        ))); // map_elementwise_c3
    }
    let mut next = Some(body);
    while let Some(block) = next {
        let mut inner = block.first_operation();
        while let Some(op) = inner {
            rule!(
                diagnostics,
                !OpKind::TtStore.is(op),
                "runs a region on numbers, which cannot store, but it holds a `tt.store`"
            ); // map_elementwise_c5
            inner = op.next_in_block();
        }
        if let Some(end) = block.terminator() {
            let returned: Vec<String> = end.operands().map(|v| v.r#type().to_string()).collect();
            if OpKind::TtMapElementwiseReturn.is(end) && returned != gives {
                diagnostics.push(Diagnostic::new(format!(
                    "has a region that gives ({}), but is to give ({})",
                    returned.join(", "),
                    gives.join(", ")
                ))); // map_elementwise_c4
            }
        }
        next = block.next_in_region();
    }
    verdict(diagnostics)
}

/// Each thread runs the assembly on its elements, so it is known which those are.
pub(super) fn assembly(op: OperationRef<'_, '_>) -> Verdict {
    let (srcs, results) = types(op);
    let dsts: Vec<TensorType<'_>> = results.into_iter().filter_map(TensorType::of).collect();
    for tensor in srcs.iter().chain(&dsts) {
        ensure!(
            tensor.encoding.is_some(),
            "runs on the elements of each thread, so it needs tensors with an encoding, but has `{}`",
            tensor.type_
        ); // inline_asm_c1
    }
    Ok(())
}

pub(super) fn inline_asm(op: OperationRef<'_, '_>) -> Verdict {
    // Triton takes a negative number for a large one.
    let packed = u64::from(integer(op, "packed_element") as u32);
    let (srcs, _) = types(op);
    ensure!(op.result_count() > 0, "needs at least one result"); // elementwise_inline_asm_c2
    if let Some(first) = srcs.first() {
        ensure!(
            packed > 0 && first.num_elements() % packed == 0,
            "takes {packed} elements at a time, but `{}` has {}",
            first.type_,
            first.num_elements()
        ); // elementwise_inline_asm_c1
    }
    Ok(())
}
