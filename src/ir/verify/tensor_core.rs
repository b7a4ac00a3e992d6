//! Rules of Blackwell's matrix products with accumulators in tensor memory.

use super::barrier;
use super::common::{Verdict, broken, buffer, encoding_of, ensure, on_blackwell};
use super::product::shapes;
use crate::ir::ops::{ScaleDotElemType, ttng};
use crate::ir::{ModuleInfo, OpKind, element_bits, element_name};
use crate::sys::build::Val;
use crate::sys::{self, BufferType};
use linear_layout::encoding::{Encoding, ScalesBlockOrder, TensorMemoryEncoding};
use linear_layout::layout::{Dim, LinearLayout};
use melior::ir::OperationRef;
use std::sync::Arc;

struct ProductBuffer<'c> {
    buffer: BufferType<'c>,
    encoding: Arc<Encoding>,
}

fn part<'c>(value: Val<'c>) -> Option<ProductBuffer<'c>> {
    let buffer = buffer(value)?;
    let encoding = encoding_of(&buffer)?;
    Some(ProductBuffer { buffer, encoding })
}

impl ProductBuffer<'_> {
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

/// Returns the kind of the tensor-core instruction for an element type, and the possible accumulator types. For
/// example, `f32` has the kind `tf32` and the accumulator type `f32`.
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
            return Err(vec![broken!(
                tc_gen5_mma_c3,
                "requires elements of `f32`, `f16`, `bf16`, `i8` or a float of at most 8 bits, but got `{element}`"
            )]);
        };
        kinds.push(kind);
    }
    ensure!(
        tc_gen5_mma_c4 | tc_gen5_mma_scaled_c4,
        kinds[0].0 == kinds[1].0,
        "`{a}` needs an instruction of kind `{}`, and `{b}` an instruction of kind `{}`; expected operands of \
         the same kind",
        kinds[0].0,
        kinds[1].0
    );
    // Types of one kind may have different accumulators.
    let common: Vec<&str> = (kinds[0].1.iter().copied())
        .filter(|sum| kinds[1].1.contains(sum))
        .collect();
    ensure!(
        tc_gen5_mma_c5 | tc_gen5_mma_scaled_c5,
        common.contains(&d),
        "products of `{a}` and `{b}` require an accumulator of `{}`, but got `{d}`",
        common.join("` or `")
    );
    Ok(())
}

fn predicates(barriers: &[Val<'_>], predicates: &[Val<'_>]) -> Verdict {
    ensure!(
        tc_gen5_mma_c21 | tc_gen5_mma_scaled_c12,
        barriers.len() == predicates.len(),
        "requires one predicate per barrier, but got {} barriers and {} predicates",
        barriers.len(),
        predicates.len()
    );
    Ok(())
}

fn barriers(op: OperationRef<'_, '_>, barriers: &[Val<'_>], is_async: bool) -> Verdict {
    ensure!(
        tc_gen5_mma_c1 | tc_gen5_mma_scaled_c1,
        barriers.is_empty() || is_async,
        "has a completion barrier, but not `is_async`; expected both or neither"
    );
    barrier::completion(op, barriers)
}

pub(super) fn mma(op: ttng::TCGen5MMA<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    predicates(&op.barriers(), &op.barrier_preds())?;
    let (Some(a), Some(b), Some(d)) = (part(op.a()), part(op.b()), part(op.d())) else {
        return Ok(());
    };
    if let Some(diagnostic) = shapes(&a.buffer.shape, &b.buffer.shape, &d.buffer.shape) {
        return Err(vec![diagnostic]);
    }
    not_interleaved(&a, &d)?;
    barriers(op.op(), &op.barriers(), op.is_async())?;
    elements(
        &element_name(a.buffer.element),
        &element_name(b.buffer.element),
        &element_name(d.buffer.element),
    )?;
    ensure!(
        tc_gen5_mma_c6,
        d.buffer.shape.len() == 2,
        "requires operands of rank 2, but got rank {}",
        d.buffer.shape.len()
    );
    ensure!(
        tc_gen5_mma_c7,
        a.is_shared_operand() || a.tensor_memory().is_some(),
        "encoding of `a` is `{}`; expected `#ttg.nvmma_shared`, `#ttg.shared_linear` or \
         `#ttng.tensor_memory_encoding`",
        a.encoding
    );
    ensure!(
        tc_gen5_mma_c8,
        b.is_shared_operand(),
        "encoding of `b` is `{}`; expected `#ttg.nvmma_shared` or `#ttg.shared_linear`",
        b.encoding
    );
    let Some(accumulator) = d.tensor_memory() else {
        return Err(vec![broken!(
            tc_gen5_mma_c9,
            "encoding of `d` is `{}`; expected `#ttng.tensor_memory_encoding`",
            d.encoding
        )]);
    };
    ensure!(
        tc_gen5_mma_c10,
        !accumulator.is_fp4_padded(),
        "encoding of `d` is `{}`; expected `fp4Padded = false`",
        d.encoding
    );
    if let Some(left) = a.tensor_memory() {
        ensure!(
            tc_gen5_mma_c11,
            left.col_stride() == 1,
            "`a` in tensor memory has `colStride = {}`; expected 1",
            left.col_stride()
        );
        ensure!(
            tc_gen5_mma_c12,
            !left.is_fp4_padded(),
            "`a` is `fp4Padded`, which only `{}` supports",
            OpKind::TtngTCGen5MMAScaled.name()
        );
    }
    let stride = 32 / element_bits(d.buffer.element).unwrap_or(32).clamp(1, 32);
    ensure!(
        tc_gen5_mma_c13,
        accumulator.col_stride() == stride,
        "accumulator has `colStride = {}`; expected {stride}, so that each 32-bit column holds one `{}`",
        accumulator.col_stride(),
        d.buffer.element
    );
    let per_cta = accumulator.cga_layout().shape_per_cta(&d.buffer.shape);
    let columns = u64::from(accumulator.block_n()).min(per_cta[1]);
    ensure!(
        tc_gen5_mma_c14,
        columns <= 256,
        "requires a `blockN` of at most 256, but got {columns}"
    );
    ctas(op.two_ctas(), &a, &b, &d, accumulator)
}

fn ctas(
    two: bool,
    a: &ProductBuffer<'_>,
    b: &ProductBuffer<'_>,
    d: &ProductBuffer<'_>,
    accumulator: &TensorMemoryEncoding,
) -> Verdict {
    let (Ok(left), Ok(right)) = (a.encoding.cga_layout(), b.encoding.cga_layout()) else {
        return Ok(());
    };
    for (what, cga, along) in [("a", &left, 1), ("b", &right, 0)] {
        let split = cga.split_num()[along];
        ensure!(
            tc_gen5_mma_c15,
            split == 1,
            "`{what}` is split over {split} CTAs along K; expected the whole K dimension in each CTA"
        );
    }
    if two {
        let first = right.bases().next();
        ensure!(
            tc_gen5_mma_c16,
            first.as_deref() == Some(&[0, 1][..]),
            "`two_ctas` requires [0, 1] as the first basis in the `CGALayout` of `b`, but got {}",
            first.map_or_else(|| "no basis".to_owned(), |basis| format!("{basis:?}"))
        );
        let columns = d.buffer.shape[1] / u64::from(accumulator.cga_layout().split_num()[1].max(1));
        ensure!(
            tc_gen5_mma_c17,
            columns <= 256,
            "`two_ctas` requires at most 256 columns of `d` per CTA, but got {columns}"
        );
    }
    let flags = [Some(accumulator), a.tensor_memory()];
    for (what, encoding) in ["d", "a"].iter().zip(flags) {
        ensure!(
            tc_gen5_mma_c18,
            encoding.is_none_or(|e| e.is_two_ctas() == two),
            "encoding of `{what}` has `twoCTAs = {}`; expected {two}, because the product is {} `two_ctas`",
            !two,
            if two { "with" } else { "without" }
        );
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
            tc_gen5_mma_c19,
            found == [rows, columns],
            "CTA basis {bit} of `d` is ({}, {}); expected ({rows}, {columns}), from the rows of `a` and the \
             columns of `b`",
            found[0],
            found[1]
        );
    }
    Ok(())
}

/// Checks that at most one of `a` and `d` has interleaved blocks of 64 rows.
fn not_interleaved(a: &ProductBuffer<'_>, d: &ProductBuffer<'_>) -> Verdict {
    let interleaved = |part: &ProductBuffer<'_>| {
        part.tensor_memory().is_some_and(|e| e.block_m() == 64)
            && part
                .layout()
                .is_some_and(|layout| layout.column(Dim::ROW, 4) != 0)
    };
    ensure!(
        tc_gen5_mma_c20,
        !interleaved(a) || !interleaved(d),
        "`a` and `d` both have interleaved blocks (`blockM = 64`); expected interleaved blocks in at most \
         one operand"
    );
    Ok(())
}

fn scaled_element(format: ScaleDotElemType) -> &'static str {
    use ScaleDotElemType as E;
    match format {
        E::E4m3 => "f8E4M3FN",
        E::E5m2 => "f8E5M2",
        E::E2m3 => "f6E2M3FN",
        E::E3m2 => "f6E3M2FN",
        E::E2m1 => "f4E2M1FN",
        E::Bf16 => "bf16",
        E::Fp16 => "f16",
    }
}

fn is_f8(format: ScaleDotElemType) -> bool {
    matches!(format, ScaleDotElemType::E4m3 | ScaleDotElemType::E5m2)
}

pub(super) fn mma_scaled(op: ttng::TCGen5MMAScaled<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    predicates(&op.barriers(), &op.barrier_preds())?;
    let (Some(a), Some(b), Some(d)) = (part(op.a()), part(op.b()), part(op.d())) else {
        return Ok(());
    };
    let (a_format, b_format) = (op.a_type(), op.b_type());
    let transposed = |part: &ProductBuffer<'_>| match &*part.encoding {
        Encoding::NvmmaShared(e) => e.is_transposed(),
        _ => false,
    };
    let (mut left, mut right) = (a.buffer.shape.clone(), b.buffer.shape.clone());
    let ranks = (left.len(), right.len());
    if a_format == ScaleDotElemType::E2m1 && ranks.0 >= 2 {
        left[if transposed(&a) {
            ranks.0 - 2
        } else {
            ranks.0 - 1
        }] *= 2;
    }
    // Rows of an untransposed `b` run along K.
    let b_across = matches!(&*b.encoding, Encoding::NvmmaShared(_)) && !transposed(&b);
    if b_format == ScaleDotElemType::E2m1 && ranks.1 >= 2 {
        right[if b_across { ranks.1 - 1 } else { ranks.1 - 2 }] *= 2;
    }
    if let Some(diagnostic) = shapes(&left, &right, &d.buffer.shape) {
        return Err(vec![diagnostic]);
    }
    not_interleaved(&a, &d)?;
    barriers(op.op(), &op.barriers(), op.is_async())?;
    let element = |part: &ProductBuffer<'_>, format| {
        if sys::float_width(part.buffer.element).is_some() {
            element_name(part.buffer.element)
        } else {
            scaled_element(format).into()
        }
    };
    elements(
        &element(&a, a_format),
        &element(&b, b_format),
        &element_name(d.buffer.element),
    )?;
    let Some(accumulator) = d.tensor_memory() else {
        return Err(vec![broken!(
            tc_gen5_mma_scaled_c6,
            "encoding of `d` is `{}`; expected `#ttng.tensor_memory_encoding`",
            d.encoding
        )]);
    };
    ensure!(
        tc_gen5_mma_scaled_c7,
        !accumulator.is_fp4_padded(),
        "encoding of `d` is `{}`; expected `fp4Padded = false`",
        d.encoding
    );
    ensure!(
        tc_gen5_mma_scaled_c8,
        accumulator.block_m() == 128,
        "requires `blockM = 128` for `d`, but got {}",
        accumulator.block_m()
    );
    if let Some(encoding) = a.tensor_memory() {
        left_in_tensor_memory(&a, encoding, a_format, b_format)?;
    }
    for (scale, is_of_a) in [(op.a_scale(), true), (op.b_scale(), false)] {
        if let Some(scale) = part(scale) {
            scale_order(op, &scale, is_of_a)?;
        }
    }
    Ok(())
}

fn left_in_tensor_memory(
    a: &ProductBuffer<'_>,
    encoding: &TensorMemoryEncoding,
    a_format: ScaleDotElemType,
    b_format: ScaleDotElemType,
) -> Verdict {
    let element = element_name(a.buffer.element);
    if a_format == ScaleDotElemType::E2m1 {
        ensure!(
            tc_gen5_mma_scaled_c9,
            *element == *"i8",
            "`a` has element type `{element}`; expected `i8`, because each byte holds two 4-bit elements"
        );
        ensure!(
            tc_gen5_mma_scaled_c10,
            encoding.is_fp4_padded() == is_f8(b_format),
            "`a` in tensor memory has `fp4Padded = {}`; expected {}, because `b` has {}",
            encoding.is_fp4_padded(),
            is_f8(b_format),
            if is_f8(b_format) {
                "8-bit elements"
            } else {
                "no 8-bit elements"
            }
        );
        return Ok(());
    }
    ensure!(
        tc_gen5_mma_scaled_c11,
        matches!(&*element, "f8E4M3FN" | "f8E5M2") && is_f8(a_format),
        "`a` in tensor memory has element type `{element}` and format `{}`; expected an 8-bit float with \
         format `e4m3` or `e5m2`, or `i8` with `e2m1`",
        a_format.name()
    );
    Ok(())
}

/// Checks the order in which the blocks of a scale operand are stored in tensor memory.
fn scale_order(
    op: ttng::TCGen5MMAScaled<'_, '_>,
    scale: &ProductBuffer<'_>,
    is_of_a: bool,
) -> Verdict {
    if scale.encoding.is_shared() {
        return Ok(());
    }
    let Ok(cga) = scale.encoding.cga_layout() else {
        return Ok(());
    };
    let shape = cga.shape_per_cta(&scale.buffer.shape[scale.buffer.shape.len() - 2..]);
    let several = shape[0] > 128 && shape[1] > 4;
    // Some targets read scales of 4-bit operands mixed with 8-bit ones along K first.
    let along_k = is_of_a
        && ModuleInfo::known_gpu(op.op()).is_some_and(|gpu| gpu.instructions.k_first_scales)
        && op.a_type() == ScaleDotElemType::E2m1
        && op.b_type() == ScaleDotElemType::E2m1
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
        tc_gen5_mma_scaled_c3,
        is_right,
        "encoding of `{}` is `{}`; expected `#ttng.tensor_memory_scales_encoding<blockRepOrder = {}>`",
        if is_of_a { "a_scale" } else { "b_scale" },
        scale.encoding,
        if along_k { "kThenMn" } else { "mnThenK" }
    );
    Ok(())
}
