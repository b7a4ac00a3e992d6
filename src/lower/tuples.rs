//! Programs over tuples, one register of each operand: what `tt.reduce` and `tt.scan` become.

use super::allocate::Asked;
use super::blocks::BlockGraph;
use super::gpu::{Gpu, LaneOperation, SingleOperation};
use super::plans::{Planned, layout_of};
use super::state::{Lowering, Outcome};
use super::steps::{self, Given, Region};
use crate::analysis::effects::Effects;
use crate::ir::{Layouts, TensorLayout, TensorType, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::sync::Arc;

/// What an operation combines, and by how many instructions.
pub(super) struct Operands {
    pub(super) layout: Arc<TensorLayout>,
    pub(super) widths: Vec<u32>,
    pub(super) combine: u32,
}

impl Operands {
    /// Reads operands of one layout, and the region that combines them.
    pub(super) fn of(layouts: &Layouts, op: Op<'_>) -> Result<Self, Diagnostic> {
        let operands: Vec<Val<'_>> = (0..op.operand_count())
            .map(|i| build::operand(op, i))
            .collect();
        let unlike = || Diagnostic::new("needs operands of one layout, which are tensors");
        let layout = layout_of(layouts, operands.first().ok_or_else(unlike)?.r#type())?;
        let widths = operands
            .iter()
            .map(|operand| {
                let tensor = TensorType::of(operand.r#type()).ok_or_else(unlike)?;
                element_bits(tensor.element).ok_or_else(|| {
                    Diagnostic::new(format!(
                        "has elements of unknown width in `{}`",
                        operand.r#type()
                    ))
                })
            })
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(Self {
            layout,
            widths,
            combine: instructions(op),
        })
    }
}

/// How many operations the region has, its end left out: about what a combination costs.
fn instructions(op: Op<'_>) -> u32 {
    let blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
    let operations = blocks.map(|block| {
        let count = build::operations(block).len();
        u32::try_from(count).unwrap_or(u32::MAX)
    });
    operations.sum::<u32>().saturating_sub(1).max(1)
}

/// What an operation does in shared memory: what the conversions in its program do. `options` are what the program
/// depends on beside the operation's types and region. `plan` gives it with the bytes of the plain way, within a limit.
pub(super) fn effects(
    asked: &mut Asked<'_>,
    op: Op<'_>,
    options: [usize; 3],
    plan: impl FnOnce(&Layouts, Gpu, &Operands, Option<u32>) -> Result<Planned, Diagnostic>,
) -> Result<Effects, Diagnostic> {
    let (layouts, gpu, limit) = (asked.layouts, asked.gpu, asked.scratch_limit);
    let operands = Operands::of(layouts, op)?;
    let kind = crate::ir::OpKind::of(op).map_or(0, |kind| kind as usize);
    let types = (0..op.operand_count()).map(|i| build::operand(op, i));
    let results = (0..op.result_count()).map(|i| build::result(op, i));
    let ids = types
        .chain(results)
        .map(|value| sys::type_id(value.r#type()));
    let key = [kind, operands.combine as usize, asked.limit_key()];
    let key = key.into_iter().chain(options).chain(ids).collect();
    let planned = asked
        .plans
        .plan(op, key, || plan(layouts, gpu, &operands, limit))?;
    Ok(planned.effects())
}

/// Carries out the program of an operation.
pub(super) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let Some((planned, offset)) = l.allocation.plan::<Planned>(op) else {
        // The program could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let sources: Vec<Val<'c>> = (0..op.operand_count())
        .flat_map(|i| l.operand(op, i).to_vec())
        .collect();
    let region = Region {
        graph: BlockGraph::of(op, 0),
        at_once: LaneOperation::of(op),
        packed: packed(op),
    };
    let given = Given {
        region: Some(&region),
        store: None,
        lane_order: None,
        ..Given::alike(&planned.program, &sources, offset)
    };
    let results = steps::emit(l, &planned.program, given)?;
    let count = results.len() / op.result_count();
    for (i, registers) in results.chunks(count).enumerate() {
        l.set(build::result(op, i), registers.to_vec());
    }
    Ok(())
}

/// The region of an operation, where one instruction combines two elements in a word.
pub(super) fn packed<'c>(op: Op<'c>) -> Option<SingleOperation<'c>> {
    SingleOperation::of(op).filter(SingleOperation::is_packed)
}
