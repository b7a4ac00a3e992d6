//! Rules of open layouts, which passes infer later.

use super::common::{Verdict, broken, ensure, tensor, verdict};
use crate::ir::TensorType;
use crate::ir::infer::{self, Dependence};
use crate::ir::ops::gluon;
use crate::sys::{self, OpenLayout, build};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, ValueLike};

/// Returns the kind of open layout that a tensor has, or `None` if its layout is not open. A later pass infers open
/// layouts.
fn open(tensor: &TensorType<'_>) -> Option<OpenLayout> {
    tensor.encoding.and_then(sys::open_layout)
}

/// Checks that operands and results whose layouts depend on each other have the same open layout, if any.
pub(super) fn same_open_layout(op: OperationRef<'_, '_>) -> Verdict {
    let results: Vec<TensorType<'_>> = op
        .results()
        .filter_map(|value| TensorType::of(value.r#type()))
        .collect();
    let mut diagnostics = Vec::new();
    for (i, operand) in build::operands(op).into_iter().enumerate() {
        let Some(src) = tensor(operand).filter(|src| src.encoding.is_some()) else {
            continue;
        };
        let differs = |dst: &&TensorType<'_>| dst.encoding.is_some() && open(dst) != open(&src);
        // Fast path: most layouts are concrete.
        let Some(dst) = results.iter().find(differs) else {
            continue;
        };
        if infer::dependence(op, i).is_some_and(|how| how != Dependence::Usual) {
            diagnostics.push(broken!(
                gluon_c1,
                "requires the same unresolved layout for operand {i} and the result, but got `{}` and `{}`",
                src.type_,
                dst.type_
            ));
        }
    }
    verdict(diagnostics)
}

pub(super) fn set_auto_layout(op: gluon::SetAutoLayout<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        set_auto_layout_c1,
        open(&src) == Some(OpenLayout::Auto),
        "operand type is `{}`; expected the encoding `#gluon.auto_encoding`",
        src.type_
    );
    ensure!(
        set_auto_layout_c2,
        dst.encoding.is_some() && open(&dst) != Some(OpenLayout::Auto),
        "result type is `{}`; expected an encoding other than `#gluon.auto_encoding`",
        dst.type_
    );
    Ok(())
}
