//! Rules of Blackwell's matrix products, whose accumulators lie in tensor memory.

use super::buffer::encoding_of;
use super::product::shapes;
use super::{Verdict, barrier, integer, operand_type, segment};
use crate::encoding::{Encoding, ScalesBlockOrder, TensorMemoryEncoding};
use crate::ir::{ModuleInfo, element_bits, element_name};
use crate::layout::{Dim, LinearLayout};
use crate::sys::{self, Buffer, Diagnostic};
use crate::target::Target;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use std::sync::Arc;

/// A buffer that takes part in a product, with its encoding.
struct Part<'c> {
    buffer: Buffer<'c>,
    encoding: Arc<Encoding>,
}

fn part<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<Part<'c>> {
    let buffer = operand_type(op, i).and_then(sys::buffer)?;
    let encoding = encoding_of(op, &buffer)?;
    Some(Part { buffer, encoding })
}

impl Part<'_> {
    fn layout(&self) -> Option<LinearLayout> {
        let leading = self.buffer.alloc_shape.len() - self.encoding.rank();
        self.encoding
            .to_linear_layout(&self.buffer.alloc_shape[leading..])
            .ok()
    }

    fn tensor_memory(&self) -> Option<&TensorMemoryEncoding> {
        match &*self.encoding {
            Encoding::TensorMemory(e) => Some(e),
            _ => None,
        }
    }

    fn is_shared_operand(&self) -> bool {
        matches!(
            &*self.encoding,
            Encoding::NvmmaShared(_) | Encoding::SharedLinear(_)
        )
    }
}

/// The GPU has tensor memory, as far as the module says which one it is.
pub(super) fn on_blackwell(op: OperationRef<'_, '_>) -> Verdict {
    // A target that names no GPU says nothing about one.
    let Some(target) = ModuleInfo::known_gpu(op) else {
        return Ok(());
    };
    ensure!(
        target.instructions.tensor_memory,
        "needs tensor memory, which {} have, but the module is for `{target}`",
        Target::names_with(|instructions| instructions.tensor_memory)
    ); // tensor_memory_c1
    Ok(())
}

/// What the tensor cores take together, and what they can add it up in.
fn kind(element: &str) -> Option<(&'static str, &'static [&'static str])> {
    Some(match element {
        "f32" => ("tf32", &["f32"]),
        "f16" => ("f16", &["f16", "f32"]),
        "bf16" => ("f16", &["f32"]),
        "i8" => ("i8", &["i32"]),
        _ if ["f8E", "f6E", "f4E"]
            .iter()
            .any(|start| element.starts_with(start)) =>
        {
            ("f8f6f4", &["f16", "f32"])
        }
        _ => return None,
    })
}

fn elements(a: &str, b: &str, d: &str) -> Verdict {
    let mut kinds = Vec::new();
    for element in [a, b] {
        let Some(kind) = kind(element) else {
            return Err(vec![Diagnostic::new(format!(
                "multiplies `f32`, `f16`, `bf16`, `i8` and floats of 8 bits or less, but has `{element}`"
            ))]); // tc_gen5_mma_c3
        };
        kinds.push(kind);
    }
    ensure!(
        kinds[0].0 == kinds[1].0,
        "needs operands of one kind, but `{a}` is of kind `{}` and `{b}` of `{}`",
        kinds[0].0,
        kinds[1].0
    ); // tc_gen5_mma_c4, tc_gen5_mma_scaled_c4
    ensure!(
        kinds.iter().all(|(_, sums)| sums.contains(&d)),
        "adds products of `{a}` and `{b}` up in `{}`, but the accumulator has `{d}`",
        kinds[0].1.join("` or `")
    ); // tc_gen5_mma_c5, tc_gen5_mma_scaled_c5
    Ok(())
}

/// Barriers belong to products that run beside the program.
fn barriers(op: OperationRef<'_, '_>, group: usize) -> Verdict {
    let barriers = segment(op, group);
    ensure!(
        barriers.is_empty() || op.has_attribute("is_async"),
        "has a barrier, but is not `is_async`"
    ); // tc_gen5_mma_c1, tc_gen5_mma_scaled_c1
    barrier::completion(op, barriers)
}

pub(super) fn mma(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let (Some(a), Some(b), Some(d)) = (part(op, 0), part(op, 1), part(op, 2)) else {
        return Ok(());
    };
    if let Some(diagnostic) = shapes(&a.buffer.shape, &b.buffer.shape, &d.buffer.shape) {
        return Err(vec![diagnostic]); // tc_gen5_mma_c2
    }
    not_interleaved(&a, &d)?;
    barriers(op, 6)?;
    elements(
        &element_name(a.buffer.element),
        &element_name(b.buffer.element),
        &element_name(d.buffer.element),
    )?;
    ensure!(
        d.buffer.shape.len() == 2,
        "multiplies matrices of rank 2, but has rank {}",
        d.buffer.shape.len()
    ); // tc_gen5_mma_c6
    ensure!(
        a.is_shared_operand() || a.tensor_memory().is_some(),
        "needs `a` as `#ttg.nvmma_shared` or in tensor memory, but its encoding is `{}`",
        a.encoding
    ); // tc_gen5_mma_c7
    ensure!(
        b.is_shared_operand(),
        "needs `b` as `#ttg.nvmma_shared`, but its encoding is `{}`",
        b.encoding
    ); // tc_gen5_mma_c8
    let Some(accumulator) = d.tensor_memory() else {
        return Err(vec![Diagnostic::new(format!(
            "needs `d` in tensor memory, but its encoding is `{}`",
            d.encoding
        ))]); // tc_gen5_mma_c9
    };
    ensure!(
        !accumulator.is_fp4_padded(),
        "needs an accumulator that is not `fp4Padded`, but its encoding is `{}`",
        d.encoding
    ); // tc_gen5_mma_c10
    if let Some(left) = a.tensor_memory() {
        ensure!(
            left.col_stride() == 1,
            "needs `a` in tensor memory with `colStride = 1`, but has {}",
            left.col_stride()
        ); // tc_gen5_mma_c11
        ensure!(
            !left.is_fp4_padded(),
            "needs `a` that is not `fp4Padded`, which only `ttng.tc_gen5_mma_scaled` takes"
        ); // tc_gen5_mma_c12
    }
    let stride = 32 / element_bits(d.buffer.element).unwrap_or(32).clamp(1, 32);
    ensure!(
        accumulator.col_stride() == stride,
        "needs an accumulator with an element of `{}` in each column, `colStride = {stride}`, but has {}",
        d.buffer.element,
        accumulator.col_stride()
    ); // tc_gen5_mma_c13
    let per_cta = accumulator.cga_layout().shape_per_cta(&d.buffer.shape);
    let columns = u64::from(accumulator.block_n()).min(per_cta[1]);
    ensure!(
        columns <= 256,
        "makes at most 256 columns at once, but `blockN` is {columns}"
    ); // tc_gen5_mma_c14
    ctas(op, &a, &b, &d, accumulator)
}

/// How the operands are split over the CTAs of the cluster.
fn ctas(
    op: OperationRef<'_, '_>,
    a: &Part<'_>,
    b: &Part<'_>,
    d: &Part<'_>,
    accumulator: &TensorMemoryEncoding,
) -> Verdict {
    let (Ok(left), Ok(right)) = (a.encoding.cga_layout(), b.encoding.cga_layout()) else {
        return Ok(());
    };
    for (what, cga, along) in [("a", &left, 1), ("b", &right, 0)] {
        let split = cga.split_num()[along];
        ensure!(
            split == 1,
            "needs `{what}` whole along K in each CTA, but it is split over {split}"
        ); // tc_gen5_mma_c15
    }
    let two = op.has_attribute("two_ctas");
    if two {
        let first = right.bases().next();
        ensure!(
            first.as_deref() == Some(&[0, 1][..]),
            "is done by pairs of CTAs, which share the columns of `b`: its `CGALayout` must start with [0, 1]"
        ); // tc_gen5_mma_c16
        let columns = d.buffer.shape[1] / u64::from(accumulator.cga_layout().split_num()[1].max(1));
        ensure!(
            columns <= 256,
            "is done by pairs of CTAs in one instruction, which makes at most 256 columns, but there are {columns}"
        ); // tc_gen5_mma_c17
    }
    let flags = [Some(accumulator), a.tensor_memory()];
    for (what, encoding) in ["d", "a"].iter().zip(flags) {
        ensure!(
            encoding.is_none_or(|e| e.is_two_ctas() == two),
            "is done by {}, so `{what}` needs `twoCTAs = {two}`",
            if two { "pairs of CTAs" } else { "single CTAs" }
        ); // tc_gen5_mma_c18
    }
    let (Some(la), Some(lb), Some(ld)) = (a.layout(), b.layout(), d.layout()) else {
        return Ok(());
    };
    for bit in 0..ld.in_bits(Dim::BLOCK) {
        let rows = la.basis_component(Dim::BLOCK, bit, Dim::out(0));
        let columns = if two && bit == 0 {
            0
        } else {
            lb.basis_component(Dim::BLOCK, bit, Dim::out(1))
        };
        let found = [0, 1].map(|out| ld.basis_component(Dim::BLOCK, bit, Dim::out(out)));
        ensure!(
            found == [rows, columns],
            "needs an accumulator that is split over CTAs as `a` and `b` are: bit {bit} of the CTA is ({rows}, {columns}) in them, but ({}, {}) in `d`",
            found[0],
            found[1]
        ); // tc_gen5_mma_c19
    }
    Ok(())
}

/// Two blocks of 64 rows side by side can be read or written, not both at once.
fn not_interleaved(a: &Part<'_>, d: &Part<'_>) -> Verdict {
    let interleaved = |part: &Part<'_>| {
        part.tensor_memory().is_some_and(|e| e.block_m() == 64)
            && part
                .layout()
                .is_some_and(|layout| layout.column(Dim::ROW, 4) != 0)
    };
    ensure!(
        !interleaved(a) || !interleaved(d),
        "has `a` and `d` with `blockM = 64` in interleaved blocks, of which one can be"
    ); // tc_gen5_mma_c20
    Ok(())
}

/// Element types of scaled operands, by their number in the enum; see `TT_ScaleDotElemType`.
const SCALED: [&str; 7] = [
    "f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "bf16", "f16",
];
const E2M1: i64 = 4;

fn is_f8(format: i64) -> bool {
    format == 0 || format == 1
}

pub(super) fn mma_scaled(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let (Some(a), Some(b), Some(d)) = (part(op, 0), part(op, 1), part(op, 2)) else {
        return Ok(());
    };
    let (a_format, b_format) = (integer(op, "a_type"), integer(op, "b_type"));
    let transposed = |part: &Part<'_>| match &*part.encoding {
        Encoding::NvmmaShared(e) => e.is_transposed(),
        _ => false,
    };
    let (mut left, mut right) = (a.buffer.shape.clone(), b.buffer.shape.clone());
    let ranks = (left.len(), right.len());
    if a_format == E2M1 && ranks.0 >= 2 {
        left[if transposed(&a) {
            ranks.0 - 2
        } else {
            ranks.0 - 1
        }] *= 2;
    }
    // Rows of `b` run along K where it is not transposed.
    let b_across = matches!(&*b.encoding, Encoding::NvmmaShared(_)) && !transposed(&b);
    if b_format == E2M1 && ranks.1 >= 2 {
        right[if b_across { ranks.1 - 1 } else { ranks.1 - 2 }] *= 2;
    }
    if let Some(diagnostic) = shapes(&left, &right, &d.buffer.shape) {
        return Err(vec![diagnostic]); // tc_gen5_mma_scaled_c2
    }
    not_interleaved(&a, &d)?;
    barriers(op, 8)?;
    let element = |part: &Part<'_>, format: i64| {
        if sys::float_width(part.buffer.element).is_some() {
            return element_name(part.buffer.element);
        }
        usize::try_from(format)
            .ok()
            .and_then(|i| SCALED.get(i))
            .map_or_else(|| "".into(), |name| (*name).into())
    };
    elements(
        &element(&a, a_format),
        &element(&b, b_format),
        &element_name(d.buffer.element),
    )?;
    let Some(accumulator) = d.tensor_memory() else {
        return Err(vec![Diagnostic::new(format!(
            "needs `d` in tensor memory, but its encoding is `{}`",
            d.encoding
        ))]); // tc_gen5_mma_scaled_c6
    };
    ensure!(
        !accumulator.is_fp4_padded(),
        "needs an accumulator that is not `fp4Padded`, but its encoding is `{}`",
        d.encoding
    ); // tc_gen5_mma_scaled_c7
    ensure!(
        accumulator.block_m() == 128,
        "makes blocks of 128 rows, but `blockM` is {}",
        accumulator.block_m()
    ); // tc_gen5_mma_scaled_c8
    if let Some(encoding) = a.tensor_memory() {
        left_in_tensor_memory(&a, encoding, a_format, b_format)?;
    }
    for (i, what) in [(segment(op, 4), "a_scale"), (segment(op, 5), "b_scale")] {
        if let Some(scale) = i.start.checked_add(0).and_then(|i| part(op, i)) {
            scale_order(op, &scale, what, (a_format, b_format))?;
        }
    }
    Ok(())
}

fn left_in_tensor_memory(
    a: &Part<'_>,
    encoding: &TensorMemoryEncoding,
    a_format: i64,
    b_format: i64,
) -> Verdict {
    let element = element_name(a.buffer.element);
    if a_format == E2M1 {
        ensure!(
            *element == *"i8",
            "needs 4-bit elements of `a` in pairs, as `i8`, but has `{element}`"
        ); // tc_gen5_mma_scaled_c9
        ensure!(
            encoding.is_fp4_padded() == is_f8(b_format),
            "needs `a` in tensor memory with `fp4Padded = {}`, as 4-bit elements that meet {}",
            is_f8(b_format),
            if is_f8(b_format) {
                "8-bit ones"
            } else {
                "no 8-bit ones"
            }
        ); // tc_gen5_mma_scaled_c10
        return Ok(());
    }
    ensure!(
        matches!(&*element, "f8E4M3FN" | "f8E5M2") && is_f8(a_format),
        "needs `a` in tensor memory as 8-bit floats or pairs of 4-bit ones, but has `{element}`"
    ); // tc_gen5_mma_scaled_c11
    Ok(())
}

/// Blocks of scales follow each other as the hardware reads them.
fn scale_order(
    op: OperationRef<'_, '_>,
    scale: &Part<'_>,
    what: &str,
    (a_format, b_format): (i64, i64),
) -> Verdict {
    if scale.encoding.is_shared() {
        return Ok(());
    }
    let Ok(cga) = scale.encoding.cga_layout() else {
        return Ok(());
    };
    let shape = cga.shape_per_cta(&scale.buffer.shape[scale.buffer.shape.len() - 2..]);
    let several = shape[0] > 128 && shape[1] > 4;
    // Some GPUs read scales of 8-bit floats of `a` of 4-bit elements along K first.
    let along_k = what == "a_scale"
        && ModuleInfo::known_gpu(op).is_some_and(|gpu| gpu.instructions.k_first_scales)
        && a_format == E2M1
        && b_format == E2M1
        && *element_name(scale.buffer.element) == *"f8E4M3FN";
    let expected = if along_k {
        ScalesBlockOrder::KThenMn
    } else {
        ScalesBlockOrder::MnThenK
    };
    let found = match &*scale.encoding {
        Encoding::TensorMemoryScales(e) => Some(e.block_order()),
        _ => None,
    };
    let is_right = match found {
        None => !several,
        Some(ScalesBlockOrder::MnThenK) if !several => true,
        Some(found) => found == expected,
    };
    ensure!(
        is_right,
        "needs `{what}` as `#ttng.tensor_memory_scales_encoding<blockRepOrder = {}>`, but its encoding is `{}`",
        if along_k { "kThenMn" } else { "mnThenK" },
        scale.encoding
    ); // tc_gen5_mma_scaled_c3
    Ok(())
}
