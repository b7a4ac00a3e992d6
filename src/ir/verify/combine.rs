//! Rules of operations with a combining or mapping region.

use super::common::{
    Verdict, axes, axis_within, broken, dimensions, element, ensure, list, rule, types, unsigned,
    verdict,
};
use crate::ir::ops::{tt, ttg};
use crate::ir::{Layouts, OpKind, TensorType};
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use linear_layout::encoding::infer;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, RegionLike, RegionRef, Type, ValueLike};

fn tensors<'c>(values: &[Val<'c>]) -> Vec<TensorType<'c>> {
    types(values)
        .into_iter()
        .filter_map(TensorType::of)
        .collect()
}

/// Checks the operands of `tt.reduce` or `tt.scan`, and returns the axis.
fn operands(
    srcs: &[TensorType<'_>],
    results: &[Type<'_>],
    axis: i64,
) -> Result<usize, Vec<Diagnostic>> {
    let Some(first) = srcs.first() else {
        return Err(vec![broken!(
            reduce_c1 | scan_c1,
            "requires at least one operand"
        )]);
    };
    ensure!(
        reduce_c2 | scan_c2,
        srcs.len() == results.len(),
        "has {} results for {} operands; expected as many results as operands",
        results.len(),
        srcs.len()
    );
    axis_within(axis, first.shape.len()).ok_or_else(|| {
        vec![broken!(
            reduce_c3,
            "axis {axis} is out of bounds for operands of rank {}",
            axes(first.shape.len())
        )]
    })
}

/// Checks that the arguments of a region have the types `takes`. The region must end with a terminator of kind
/// `terminator`, whose operands have the types `gives`.
fn region(
    region: RegionRef<'_, '_>,
    takes: &[Type<'_>],
    gives: &[Type<'_>],
    terminator: OpKind,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let Some(block) = region.first_block() else {
        return diagnostics;
    };
    let arguments: Vec<Type<'_>> = (0..block.argument_count())
        .filter_map(|i| block.argument(i).ok().map(|v| v.r#type()))
        .collect();
    rule!(
        diagnostics,
        reduce_c6,
        arguments == takes,
        "region arguments are ({}), expected ({})",
        list(&arguments),
        list(takes)
    );
    let Some(end) = block.terminator() else {
        return diagnostics;
    };
    if !terminator.is(end) {
        let name = end.name();
        diagnostics.push(broken!(
            reduce_c7,
            "region terminator is `{}`, expected `{}`",
            name.as_string_ref().as_str().unwrap_or_default(),
            terminator.name()
        ));
        return diagnostics;
    }
    let returned: Vec<Type<'_>> = end.operands().map(|v| v.r#type()).collect();
    rule!(
        diagnostics,
        reduce_c7,
        returned == gives,
        "region yields ({}), expected ({})",
        list(&returned),
        list(gives)
    );
    diagnostics
}

fn elements<'c>(tensors: &[TensorType<'c>]) -> Vec<Type<'c>> {
    tensors.iter().map(|t| t.element).collect()
}

pub(super) fn reduce(op: tt::Reduce<'_, '_>) -> Verdict {
    let (srcs, results) = (tensors(&op.srcs()), types(&op.result()));
    let axis = operands(&srcs, &results, op.axis())?;
    let mut diagnostics = Vec::new();
    for (src, found) in srcs.iter().zip(&results) {
        diagnostics.extend(reduced(op, src, *found, axis));
    }
    let scalars = elements(&srcs);
    let twice = [scalars.as_slice(), &scalars].concat();
    diagnostics.extend(region(
        op.combine_op(),
        &twice,
        &scalars,
        OpKind::TtReduceReturn,
    ));
    verdict(diagnostics)
}

fn reduced(
    op: tt::Reduce<'_, '_>,
    src: &TensorType<'_>,
    found: Type<'_>,
    axis: usize,
) -> Option<Diagnostic> {
    if src.shape.len() == 1 {
        return (found != src.element).then(|| {
            broken!(
                reduce_c4,
                "expected a result of type `{}`, but got `{found}`",
                src.element
            )
        });
    }
    let mut shape = src.shape.to_vec();
    shape.remove(axis);
    let dst = TensorType::of(found).filter(|dst| dst.shape == shape && dst.element == src.element);
    let Some(dst) = dst else {
        return Some(broken!(
            reduce_c4,
            "expected a result tensor of shape {} and element type `{}`, but got `{found}`",
            dimensions(&shape),
            src.element
        ));
    };
    let cache = Layouts::of(op.op().context());
    let encoding = |tensor: &TensorType<'_>| cache.of_tensor(tensor).ok();
    match (encoding(src), encoding(&dst)) {
        (None, None) => None,
        (Some(from), Some(to)) => {
            let expected = infer::reduce(&from, axis).ok()?;
            (!infer::equivalent(&expected, &to, &shape)).then(|| {
                broken!(
                    reduce_c5,
                    "result encoding `{to}` is not the slice of the operand's encoding along dimension {axis}"
                )
                .note(format!("expected `{expected}`"))
            })
        }
        _ => Some(broken!(
            reduce_c5,
            "only the {} has an encoding; expected an encoding on both operand and result, or on neither",
            if src.encoding.is_some() {
                "operand"
            } else {
                "result"
            }
        )),
    }
}

pub(super) fn scan(op: tt::Scan<'_, '_>) -> Verdict {
    let (srcs, results) = (tensors(&op.srcs()), types(&op.result()));
    operands(&srcs, &results, op.axis())?;
    let mut diagnostics = Vec::new();
    for (src, found) in srcs.iter().zip(&results) {
        rule!(
            diagnostics,
            scan_c4,
            src.type_ == *found,
            "expected a result of type `{}`, but got `{found}`",
            src.type_
        );
    }
    let scalars = elements(&srcs);
    let twice = [scalars.as_slice(), &scalars].concat();
    diagnostics.extend(region(
        op.combine_op(),
        &twice,
        &scalars,
        OpKind::TtScanReturn,
    ));
    verdict(diagnostics)
}

pub(super) fn map_elementwise(op: tt::MapElementwise<'_, '_>) -> Verdict {
    let (srcs, results) = (tensors(&op.srcs()), types(&op.result()));
    ensure!(
        map_elementwise_c1,
        !srcs.is_empty(),
        "requires at least one operand"
    );
    let pack = op.pack();
    let Some(pack) = usize::try_from(pack).ok().filter(|p| p.is_power_of_two()) else {
        return Err(vec![broken!(
            map_elementwise_c2,
            "requires a power of two as `pack`, but got {pack}"
        )]);
    };
    let repeat = |types: Vec<Type<'_>>| -> Vec<String> {
        types
            .iter()
            .flat_map(|t| vec![t.to_string(); pack])
            .collect()
    };
    let takes = repeat(elements(&srcs));
    let gives = repeat(results.iter().map(|t| element(*t)).collect());
    let mut diagnostics = Vec::new();
    let Some(body) = op.scalar_op().first_block() else {
        return Ok(());
    };
    let arguments: Vec<String> = (0..body.argument_count())
        .filter_map(|i| body.argument(i).ok().map(|v| v.r#type().to_string()))
        .collect();
    rule!(
        diagnostics,
        map_elementwise_c3,
        arguments == takes,
        "region arguments are ({}), expected ({})",
        arguments.join(", "),
        takes.join(", ")
    );
    let mut next = Some(body);
    while let Some(block) = next {
        let mut inner = block.first_operation();
        while let Some(op) = inner {
            rule!(
                diagnostics,
                map_elementwise_c5,
                !OpKind::TtStore.is(op),
                "region must not write to memory, but contains a `{}`",
                OpKind::TtStore.name()
            );
            inner = op.next_in_block();
        }
        if let Some(end) = block.terminator() {
            let returned: Vec<String> = end.operands().map(|v| v.r#type().to_string()).collect();
            rule!(
                diagnostics,
                map_elementwise_c4,
                !OpKind::TtMapElementwiseReturn.is(end) || returned == gives,
                "region yields ({}), expected ({})",
                returned.join(", "),
                gives.join(", ")
            );
        }
        next = block.next_in_region();
    }
    verdict(diagnostics)
}

/// Checks that the tensors have encodings, since each thread executes the assembly on its own elements.
pub(super) fn assembly(op: ttg::InlineAsm<'_, '_>) -> Verdict {
    let values = [op.args(), op.result()].concat();
    for tensor in tensors(&values) {
        ensure!(
            inline_asm_c1,
            tensor.encoding.is_some(),
            "requires tensors with an encoding, but got `{}`",
            tensor.type_
        );
    }
    Ok(())
}

pub(super) fn inline_asm(op: tt::ElementwiseInlineAsm<'_, '_>) -> Verdict {
    let packed = unsigned(op.packed_element());
    ensure!(
        elementwise_inline_asm_c2,
        !op.result().is_empty(),
        "requires at least one result"
    );
    if let Some(first) = tensors(&op.args()).first() {
        ensure!(
            elementwise_inline_asm_c1,
            packed > 0 && first.num_elements() % packed == 0,
            "`packed_element` is {packed}; expected a divisor of {}, the number of elements in `{}`",
            first.num_elements(),
            first.type_
        );
    }
    Ok(())
}
