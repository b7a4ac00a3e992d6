//! Index arithmetic: emission of index programs, and tensor indices per register.

use super::emit::Emitter;
use super::gpu::Gpu;
use crate::ir::TensorLayout;
use crate::sys::build::Val;
use linear_layout::f2::apply_columns;
use linear_layout::layout::Dim;
use linear_layout::plan::program::{IndexOp, IndexProgram, Join};

pub(crate) fn emit_index<'c>(
    e: &mut Emitter<'c>,
    program: &IndexProgram,
    inputs: &[Val<'c>],
) -> Vec<Val<'c>> {
    let mut nodes: Vec<Val<'c>> = Vec::with_capacity(program.ops().len());
    for op in program.ops() {
        let value = match *op {
            IndexOp::Input { input, .. } => inputs[input as usize],
            IndexOp::Constant(value) => e.i32(narrow(value)),
            IndexOp::And { value, mask } => {
                let mask = e.i32(narrow(mask));
                e.and(nodes[value.index()], mask)
            }
            IndexOp::Shl { value, by } => e.shl(nodes[value.index()], by),
            IndexOp::Shr { value, by } => e.lshr(nodes[value.index()], by),
            IndexOp::Mul { value, by } => {
                let by = e.i32(narrow(by));
                e.mul(nodes[value.index()], by)
            }
            IndexOp::Or(a, b) => e.or_disjoint(nodes[a.index()], nodes[b.index()]),
            IndexOp::Xor(a, b) => e.xor(nodes[a.index()], nodes[b.index()]),
        };
        nodes.push(value);
    }
    program
        .outputs()
        .iter()
        .map(|node| nodes[node.index()])
        .collect()
}

/// Converts an element index to `u32`. The index fits, because tensors have at most 2^20 elements.
fn narrow(value: u64) -> u32 {
    u32::try_from(value).expect("an index of at most 2^20 elements")
}

/// Returns, for each register, the index of its element in the tensor as one `i32` per dimension.
///
/// If the GPU has no scalar warp index, the indices are computed from the thread index, not from the lane index and
/// the warp index. LLVM can then prove that the indices of a thread's registers differ by constants. It cannot
/// prove this if an index combines masked bits of the lane index with masked bits of the warp index.
pub(crate) fn element_indices<'c>(
    e: &mut Emitter<'c>,
    gpu: Gpu,
    layout: &TensorLayout,
) -> Vec<Vec<Val<'c>>> {
    let lane_bits = layout.unique.columns_of(Dim::LANE).len();
    debug_assert_eq!(lane_bits, gpu.target.lanes_log2() as usize);
    let (inputs, values): (&[&[Dim]], _) = if gpu.has_scalar_warp() {
        (
            &[&[Dim::LANE], &[Dim::WARP], &[Dim::BLOCK]],
            vec![gpu.lane(e), gpu.warp(e), gpu.cta_rank(e)],
        )
    } else {
        (
            &[&[Dim::LANE, Dim::WARP], &[Dim::BLOCK]],
            vec![gpu.thread_id(e), gpu.cta_rank(e)],
        )
    };
    let program = IndexProgram::from_layout(&layout.unique, inputs);
    let base = emit_index(e, &program, &values);
    (0..layout.num_registers())
        .map(|register| {
            let columns = layout.unique.columns_of(Dim::REGISTER);
            let constant = apply_columns(columns, register as u64);
            let constant = layout.unique.unpack(constant);
            base.iter()
                .enumerate()
                .map(|(dim, value)| {
                    let part = u32::try_from(constant.at(dim)).expect("an index below 2^20");
                    let part_value = e.i32(part);
                    match program.join(dim, u64::from(part)) {
                        Join::Nothing => *value,
                        Join::Add => e.or_disjoint(*value, part_value),
                        Join::Xor => e.xor(*value, part_value),
                    }
                })
                .collect()
        })
        .collect()
}
