//! Rules of matrix products.

use super::common::{
    Verdict, broken, buffer, convert_note, dimensions, ensure, rule, tensor, unsigned, verdict,
};
use crate::ir::ops::{InputPrecision, ScaleDotElemType, tt, ttng};
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits, element_name};
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use linear_layout::encoding::{CgaLayout, DotOperandEncoding, Encoding};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Attribute, Type};

/// Checks that the shapes are M x K, K x N and M x N, with equal leading dimensions.
pub(super) fn shapes(a: &[u64], b: &[u64], d: &[u64]) -> Option<Diagnostic> {
    let fits = (2..=3).contains(&a.len()) && a.len() == b.len() && a.len() == d.len() && {
        let rank = a.len();
        a[..rank - 2] == b[..rank - 2]
            && a[..rank - 2] == d[..rank - 2]
            && a[rank - 1] == b[rank - 2]
            && a[rank - 2] == d[rank - 2]
            && b[rank - 1] == d[rank - 1]
    };
    (!fits).then(|| {
        broken!(
            dot_c2 | dot_scaled_c3 | warp_group_dot_c1 | tc_gen5_mma_c2 | tc_gen5_mma_scaled_c2,
            "requires shapes M x K, K x N and M x N, but got {}, {} and {}",
            dimensions(a),
            dimensions(b),
            dimensions(d)
        )
    })
}

/// Returns the unpacked shapes M x K and K x N of a scaled product. If an operand stores two 4-bit elements in each
/// byte, both elements are counted.
fn unpacked(op: tt::DotScaled<'_, '_>, a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let rank = a.len();
    let [last, before] = [rank - 1, rank - 2];
    if op.a_elem_type() == ScaleDotElemType::E2m1 {
        a[if op.lhs_k_pack() { last } else { before }] *= 2;
    }
    if op.b_elem_type() == ScaleDotElemType::E2m1 {
        b[if op.rhs_k_pack() { before } else { last }] *= 2;
    }
    (a, b)
}

pub(super) fn dot_scaled(op: tt::DotScaled<'_, '_>) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (tensor(op.a()), tensor(op.b()), tensor(op.d())) else {
        return Ok(());
    };
    let rank = a.shape.len();
    ensure!(
        dot_scaled_c1,
        rank == 2 || rank == 3,
        "requires operands of rank 2, or 3 with a batch dimension, but got `{}`",
        a.type_
    );
    ensure!(
        dot_scaled_c2,
        b.shape.len() == rank && d.shape.len() == rank,
        "requires operands and a result of the same rank, but got ranks {rank}, {} and {}",
        b.shape.len(),
        d.shape.len()
    );
    let (left, right) = unpacked(op, a.shape, b.shape);
    if let Some(diagnostic) = shapes(&left, &right, d.shape) {
        return Err(vec![diagnostic]);
    }
    let k = left[rank - 1];
    let scales = [op.a_scale(), op.b_scale()].map(|scale| scale.and_then(tensor));
    let sizes = [("a", d.shape[rank - 2]), ("b", d.shape[rank - 1])];
    let mut factors = Vec::new();
    for (scale, (what, size)) in scales.iter().zip(sizes) {
        let Some(scale) = scale else { continue };
        let along_k = scale.shape.last().copied().unwrap_or(0);
        let factor = k.checked_div(along_k).unwrap_or(0);
        ensure!(
            dot_scaled_c4,
            (factor == 16 || factor == 32) && scale.shape.get(rank - 1) == Some(&along_k),
            "requires one scale per 16 or 32 elements along K, but `{what}` has {along_k} scales for {k} elements: `{}`",
            scale.type_
        );
        ensure!(
            dot_scaled_c5,
            scale.shape[rank - 2] == size,
            "scales of `{what}` have type `{}`; expected {size} rows",
            scale.type_
        );
        factors.push(factor);
    }
    ensure!(
        dot_scaled_c6,
        factors.windows(2).all(|pair| pair[0] == pair[1]),
        "requires the same number of elements per scale in `a` and `b`, but got {} and {}",
        factors[0],
        factors[1]
    );
    scaled_on_wmma(op, &d, &scales)
}

pub(super) fn warp_group_dot_wait(op: ttng::WarpGroupDotWait<'_, '_>) -> Verdict {
    ensure!(
        warp_group_dot_wait_c1,
        !op.inputs().is_empty(),
        "requires at least one operand"
    );
    Ok(())
}

pub(super) fn dot(op: tt::Dot<'_, '_>) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (tensor(op.a()), tensor(op.b()), tensor(op.d())) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        dot_c1,
        element_bits(a.element) == element_bits(b.element),
        "requires operands of the same element width, but got `{}` and `{}`",
        a.element,
        b.element
    );
    diagnostics.extend(shapes(a.shape, b.shape, d.shape));
    let (Some(left), Some(right)) = (a.encoding, b.encoding) else {
        rule!(
            diagnostics,
            dot_c3,
            a.encoding.is_some() == b.encoding.is_some(),
            "only operand {} has an encoding; expected an encoding on both operands, or on neither",
            u8::from(a.encoding.is_none())
        );
        return verdict(diagnostics);
    };
    let Some(accumulator) = d.encoding else {
        diagnostics.push(broken!(
            dot_c4,
            "operands have encodings, but the accumulator has type `{}`; expected an encoding on the \
             accumulator",
            d.type_
        ));
        return verdict(diagnostics);
    };
    let cache = Layouts::of(op.op().context());
    let (Ok(left), Ok(right), Ok(accumulator)) = (
        cache.encoding(left),
        cache.encoding(right),
        cache.encoding(accumulator),
    ) else {
        return verdict(diagnostics);
    };
    // A linear layout has no operand index, since it places each element.
    if let (Encoding::Linear(_), Encoding::Linear(_)) = (&*left, &*right) {
        return verdict(diagnostics);
    }
    let (Encoding::DotOperand(left), Encoding::DotOperand(right)) = (&*left, &*right) else {
        diagnostics.push(
            broken!(
                dot_c8,
                "operands have types `{}` and `{}`; expected the encoding `#ttg.dot_op` on both, or \
                 `#ttg.linear` on both",
                a.type_,
                b.type_
            )
            .note(convert_note("the operands")),
        );
        return verdict(diagnostics);
    };
    let wmma = match &*accumulator {
        Encoding::AmdWmma(e) => Some(e),
        _ => None,
    };
    if let Some(wmma) = wmma {
        diagnostics.extend(ctas_own_parts(&accumulator, wmma.cga_layout()));
        for operand in [left, right] {
            diagnostics.extend(split_as(operand, wmma.cga_layout()));
        }
    }
    for (operand, index) in [(left, 0), (right, 1)] {
        rule!(
            diagnostics,
            dot_c9,
            operand.op_idx() == index,
            "requires `opIdx = {index}` in the encoding of operand {index}, but got {}",
            operand.op_idx()
        );
        let fits = match (operand.parent(), wmma) {
            (Encoding::AmdWmma(parent), Some(wmma)) => parent.is_same_in_cta(wmma),
            (parent, _) => parent == &*accumulator,
        };
        if !fits {
            diagnostics.push(
                broken!(
                    dot_c10,
                    "encoding of operand {index} has parent `{}`; expected the encoding of the result",
                    operand.parent()
                )
                .note(format!("the result's encoding is `{accumulator}`")),
            );
        }
    }
    rule!(
        diagnostics,
        dot_c5,
        left.k_width() == right.k_width(),
        "requires the same `kWidth` for both operands, but got {} and {}",
        left.k_width(),
        right.k_width()
    );
    if let Encoding::NvidiaMma(mma) = &*accumulator {
        if mma.is_ampere() {
            diagnostics.extend(on_ampere(op, &a, &b));
        }
        let (k, least) = (a.shape.last().copied(), 4 * u64::from(left.k_width()));
        rule!(
            diagnostics,
            dot_c7,
            k.is_none_or(|k| k >= least),
            "requires at least {least} elements along K (4 times `kWidth`), but `{}` has {}",
            a.type_,
            k.unwrap_or(0)
        );
    }
    verdict(diagnostics)
}

/// Checks that the CTAs of an AMD cluster compute distinct parts of the result.
fn ctas_own_parts(result: &Encoding, cga: &CgaLayout) -> Option<Diagnostic> {
    let copies = cga.bases().any(|b| b.iter().all(|v| *v == 0));
    copies.then(|| {
        broken!(
            dot_c11 | dot_scaled_c7,
            "result encoding `{result}` replicates elements across CTAs; expected distinct elements in each CTA"
        )
    })
}

/// Checks that operand A or B is split over CTAs like the result. Each CTA must hold the rows of A or the columns
/// of B that are necessary for its part of the result.
fn split_as(operand: &DotOperandEncoding, result: &CgaLayout) -> Option<Diagnostic> {
    let found = operand.cga_layout().ok()?;
    let index = operand.op_idx() as usize;
    let along_k = result.rank() - 1 - index;
    let expected: Vec<_> = result
        .bases()
        .map(|mut basis| {
            basis[along_k] = 0;
            basis
        })
        .collect();
    (!found.bases().eq(expected.iter().cloned())).then(|| {
        broken!(
            dot_c12 | dot_scaled_c8,
            "operand {index} has CTA bases {:?}; expected {expected:?}: those of the result, but 0 along K",
            found.bases().collect::<Vec<_>>()
        )
    })
}

/// Checks how operands and scales are distributed over CTAs, for AMD's instructions.
fn scaled_on_wmma(
    op: tt::DotScaled<'_, '_>,
    result: &TensorType<'_>,
    scales: &[Option<TensorType<'_>>; 2],
) -> Verdict {
    let cache = Layouts::of(op.op().context());
    let known = |tensor: &TensorType<'_>| cache.encoding(tensor.encoding?).ok();
    let Some(accumulator) = known(result) else {
        return Ok(());
    };
    let Encoding::AmdWmma(wmma) = &*accumulator else {
        return Ok(());
    };
    let cga = wmma.cga_layout();
    let mut diagnostics: Vec<Diagnostic> = ctas_own_parts(&accumulator, cga).into_iter().collect();
    for (index, (operand, scale)) in [op.a(), op.b()].into_iter().zip(scales).enumerate() {
        let operand = tensor(operand).as_ref().and_then(known);
        if let Some(Encoding::DotOperand(operand)) = operand.as_deref() {
            diagnostics.extend(split_as(operand, cga));
        }
        let Some((scale, encoding)) = scale.as_ref().and_then(|s| Some((s, known(s)?))) else {
            continue;
        };
        // Scales of `b` are transposed.
        let rank = cga.rank();
        let expected: Vec<u32> = cga.bases().map(|b| b[rank - 2 + index]).collect();
        let found = encoding.cga_layout().ok();
        let fits = found.is_some_and(|found| {
            found.bases().count() == expected.len()
                && (found.bases().zip(&expected))
                    .all(|(b, row)| b[rank - 2] == *row && b[rank - 1] == 0)
        });
        rule!(
            diagnostics,
            dot_scaled_c9,
            fits,
            "scales of operand {index} have type `{}`; expected CTA bases with row components {expected:?} \
             and column components 0",
            scale.type_
        );
    }
    verdict(diagnostics)
}

fn on_ampere(op: tt::Dot<'_, '_>, a: &TensorType<'_>, b: &TensorType<'_>) -> Option<Diagnostic> {
    let is_known = |tensor: &TensorType<'_>| {
        !tensor.element.is_integer() || element_bits(tensor.element) == Some(8)
    };
    if !is_known(a) || !is_known(b) {
        return Some(broken!(
            dot_c6,
            "requires float or `i8` elements for `mma`, but got `{}` and `{}`",
            a.element,
            b.element
        ));
    }
    let is_f32 = a.element.is_f32() && b.element.is_f32();
    (is_f32 && op.input_precision() != InputPrecision::Tf32).then(|| {
        broken!(
            dot_c6,
            "`mma` on `f32` requires `inputPrecision = tf32`, but got `{}`",
            op.input_precision().name()
        )
        .note("set `inputPrecision = tf32`, or use a `#ttg.blocked` encoding for the result")
    })
}

/// Returns the shape, the element type and the encoding of operand A or B, which is a tensor or a buffer.
fn factor<'c>(value: Val<'c>) -> Option<(Vec<u64>, Type<'c>, Option<Attribute<'c>>)> {
    tensor(value)
        .map(|t| (t.shape.to_vec(), t.element, t.encoding))
        .or_else(|| buffer(value).map(|b| (b.shape, b.element, b.encoding)))
}

pub(super) fn warp_group_dot(op: ttng::WarpGroupDot<'_, '_>) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (factor(op.a()), factor(op.b()), tensor(op.d())) else {
        return Ok(());
    };
    let cache = Layouts::of(op.op().context());
    let known = |encoding: Option<Attribute<'_>>| encoding.and_then(|e| cache.encoding(e).ok());
    if let Some(diagnostic) = shapes(&a.0, &b.0, d.shape) {
        return Err(vec![diagnostic]);
    }
    let accumulator = known(d.encoding);
    let Some(Encoding::NvidiaMma(mma)) = accumulator
        .as_deref()
        .filter(|e| matches!(e, Encoding::NvidiaMma(m) if m.version_major() == 3))
    else {
        return Err(vec![broken!(
            warp_group_dot_c2,
            "result type is `{}`; expected the encoding `#ttg.nvidia_mma` with `versionMajor = 3`",
            d.type_
        )]);
    };
    let (left, right) = (known(a.2), known(b.2));
    let is_shared =
        |e: &Encoding| matches!(e, Encoding::NvmmaShared(_) | Encoding::SharedLinear(_));
    let in_registers = match left.as_deref() {
        Some(Encoding::DotOperand(e)) => Some(e),
        _ => None,
    };
    ensure!(
        warp_group_dot_c3,
        in_registers.is_some_and(|e| e.op_idx() == 0) || left.as_deref().is_some_and(is_shared),
        "encoding of `a` is `{}`; expected `#ttg.dot_op` with `opIdx = 0`, `#ttg.nvmma_shared` or \
         `#ttg.shared_linear`",
        a.2.map_or_else(|| "none".to_owned(), |e| e.to_string())
    );
    ensure!(
        warp_group_dot_c4,
        right.as_deref().is_some_and(is_shared),
        "encoding of `b` is `{}`; expected `#ttg.nvmma_shared` or `#ttg.shared_linear`",
        b.2.map_or_else(|| "none".to_owned(), |e| e.to_string())
    );
    let warps = ModuleInfo::num_warps(op.op()).unwrap_or(4);
    ensure!(
        warp_group_dot_c5,
        warps.is_multiple_of(4),
        "requires a multiple of four warps, but got {warps}"
    );
    let shape = mma.cga_layout().shape_per_cta(d.shape);
    ensure!(
        warp_group_dot_c7,
        shape[0] % 64 == 0,
        "requires a multiple of 64 rows per CTA, but the result has {}",
        shape[0]
    );
    ensure!(
        warp_group_dot_c8,
        shape[1] % 8 == 0,
        "requires a multiple of 8 columns per CTA, but the result has {}",
        shape[1]
    );
    for element in [a.1, b.1] {
        let is_known = matches!(
            &*element_name(element),
            "f16"
                | "bf16"
                | "f32"
                | "f64"
                | "i8"
                | "f8E4M3FN"
                | "f8E5M2"
                | "f8E4M3FNUZ"
                | "f8E5M2FNUZ"
        );
        ensure!(
            warp_group_dot_c9,
            is_known,
            "requires elements of `f16`, `bf16`, `f32`, `f64`, `i8` or an 8-bit float, but got `{element}`"
        );
    }
    let is_f8 = matches!(&*element_name(a.1), "f8E4M3FN" | "f8E5M2");
    let in_a_row = unsigned(op.max_num_imprecise_acc());
    ensure!(
        warp_group_dot_c10,
        !is_f8 || *element_name(d.element) != *"f32" || in_a_row >= 32,
        "products of `{}` require `maxNumImpreciseAcc` of at least 32, but got {}",
        a.1,
        in_a_row
    );
    if let Some(operand) = in_registers {
        let k_width = 32 / element_bits(a.1).unwrap_or(32).max(1);
        ensure!(
            warp_group_dot_c6,
            operand.k_width() == k_width,
            "`a` in registers has `kWidth = {}`; expected {k_width}, the number of `{}` elements in 32 bits",
            operand.k_width(),
            a.1
        );
    }
    Ok(())
}
