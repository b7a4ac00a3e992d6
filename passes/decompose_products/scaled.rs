//! Decomposition of `tt.dot_scaled` into a product of scaled 16-bit elements, and of AMD's scaled conversions.
//!
//! A 4- or 8-bit element times a power of two is exact in bf16, except for overflow and underflow. With an f16 operand,
//! `tt.dot_scaled` is computed in f16; with f16 and bf16 operands, in f32. Scales are decoded from `e8m0` before the
//! broadcast, once per block of elements: byte 0 is 2^-127, 255 is NaN.

use super::DecompositionBuilder;
use crate::ir::ops::{ScaleDotElemType, amdg, tt};
use crate::ir::{TensorType, builders, check_scaled_elements, element_bits};
use crate::sys::build::Val;
use linear_layout::encoding::{Encoding, LinearEncoding, infer};
use melior::ir::{Type, TypeLike, ValueLike};

struct Factor<'c> {
    elements: Val<'c>,
    kind: ScaleDotElemType,
    /// Dimension along which a byte packs two neighbouring 4-bit elements.
    packed: usize,
    scale: Option<Val<'c>>,
    k: usize,
    is_left: bool,
}

/// Replaces a scaled product by a product of widened and scaled operands. Returns `None` if the operands have no
/// layouts or unexpected element types.
pub(super) fn decompose<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    dot: tt::DotScaled<'c, 'c>,
) -> Option<()> {
    check_scaled_elements(dot).ok()?;
    let rank = TensorType::of(dot.d().r#type())?.shape.len();
    let [last, before] = [rank.checked_sub(1)?, rank.checked_sub(2)?];
    let left = Factor {
        elements: dot.a(),
        kind: dot.a_elem_type(),
        packed: if dot.lhs_k_pack() { last } else { before },
        scale: dot.a_scale(),
        k: last,
        is_left: true,
    };
    let right = Factor {
        elements: dot.b(),
        kind: dot.b_elem_type(),
        packed: if dot.rhs_k_pack() { before } else { last },
        scale: dot.b_scale(),
        k: before,
        is_left: false,
    };
    let to = common_type(&left, &right, emitter);
    let is_exact = !dot.fast_math();
    let a = left.scaled(emitter, to, is_exact)?;
    let b = right.scaled(emitter, to, is_exact)?;
    let product = emitter.add(builders::tt::dot(a, b, dot.c()))?;
    emitter.replace(product);
    Some(())
}

/// Returns a float type that represents all elements of both operands: f32 for operands of the types f16 and bf16,
/// f16 if only f16 occurs among these two types, and bf16 otherwise. bf16 and f16 also represent the elements of
/// the 8-bit and 4-bit float types.
fn common_type<'c>(
    left: &Factor<'c>,
    right: &Factor<'c>,
    emitter: DecompositionBuilder<'_, 'c>,
) -> Type<'c> {
    use ScaleDotElemType::{Bf16, Fp16};
    let context = emitter.mlir();
    let kinds = [left.kind, right.kind];
    match (kinds.contains(&Fp16), kinds.contains(&Bf16)) {
        (true, true) => Type::float32(context),
        (true, false) => Type::float16(context),
        _ => Type::bfloat16(context),
    }
}

impl<'c> Factor<'c> {
    fn scaled(
        &self,
        emitter: DecompositionBuilder<'_, 'c>,
        to: Type<'c>,
        is_exact: bool,
    ) -> Option<Val<'c>> {
        let wide = self.widened(emitter, to)?;
        let scaled = match self.scale {
            Some(scale) => {
                let scale = match self.is_left {
                    true => scale,
                    false => transposed(emitter, scale)?,
                };
                multiplied(emitter, wide, (scale, self.k), is_exact)?
            }
            None => wide,
        };
        // A product requires `#ttg.dot_op` or `#ttg.linear` operands.
        let tensor = TensorType::of(scaled.r#type())?;
        let layout = emitter.context.layouts().tensor(&tensor).ok()?.full.clone();
        let encoding = Encoding::from(LinearEncoding::new(layout).ok()?);
        let type_ = emitter.tensor(tensor.shape, tensor.element, &encoding)?;
        emitter.add(builders::ttg::convert_layout(scaled, type_))
    }

    fn widened(&self, emitter: DecompositionBuilder<'_, 'c>, to: Type<'c>) -> Option<Val<'c>> {
        let tensor = TensorType::of(self.elements.r#type())?;
        if self.kind == ScaleDotElemType::E2m1 {
            let encoding = emitter.encoding(&tensor)?;
            let encoding = infer::fp4_to_fp(&encoding, tensor.shape, self.packed).ok()?;
            let mut shape = tensor.shape.to_vec();
            shape[self.packed] *= 2;
            let type_ = emitter.tensor(&shape, to, &encoding)?;
            let axis = i64::try_from(self.packed).ok()?;
            return emitter.add(builders::ttg::fp4_to_fp(self.elements, axis, type_));
        }
        let mut elements = self.elements;
        if tensor.element.is_integer() {
            let name = match self.kind {
                ScaleDotElemType::E4m3 => "f8E4M3FN",
                ScaleDotElemType::E5m2 => "f8E5M2",
                _ => return None,
            };
            let type_ = emitter.with_element(elements, Type::parse(emitter.mlir(), name)?)?;
            elements = emitter.add(builders::tt::bitcast(elements, type_))?;
        }
        emitter.convert_float(elements, to)
    }
}

pub(super) fn widen_fp4<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    op: amdg::ScaledUpcastFp4<'c, 'c>,
) -> Option<()> {
    let (axis, type_) = (op.axis(), op.output().r#type());
    let wide = emitter.add(builders::ttg::fp4_to_fp(op.input(), axis, type_))?;
    let at = usize::try_from(axis).ok()?;
    let scaled = multiplied(emitter, wide, (op.scale(), at), true)?;
    emitter.replace(scaled);
    Some(())
}

pub(super) fn widen_fp8<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    op: amdg::ScaledUpcastFp8<'c, 'c>,
) -> Option<()> {
    let element = TensorType::of(op.output().r#type())?.element;
    let wide = emitter.convert_float(op.input(), element)?;
    let scaled = multiplied(emitter, wide, (op.scale(), 0), true)?;
    emitter.replace(scaled);
    Some(())
}

/// Multiplies elements by their scales. Each product is rounded only once, to the type of the elements. Neighbours
/// along `axis` share a scale.
pub(super) fn multiplied<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    elements: Val<'c>,
    (scale, axis): (Val<'c>, usize),
    is_exact: bool,
) -> Option<Val<'c>> {
    let element = TensorType::of(elements.r#type())?.element;
    // A scale in f16 would overflow before the product does.
    let to = match element == Type::float16(emitter.mlir()) {
        true => Type::float32(emitter.mlir()),
        false => element,
    };
    let wide = emitter.convert_float(elements, to)?;
    let scale = spread(emitter, scale, (wide, axis), is_exact)?;
    let product = emitter.add(builders::arith::mulf(wide, scale))?;
    emitter.convert_float(product, element)
}

/// Repeats each scale along `axis`, so that each element of `elements` has a scale of its own.
fn spread<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    scale: Val<'c>,
    (elements, axis): (Val<'c>, usize),
    is_exact: bool,
) -> Option<Val<'c>> {
    let few = TensorType::of(scale.r#type())?;
    let whole = TensorType::of(elements.r#type())?;
    let to = whole.element;
    let factor = whole.shape[axis].checked_div(few.shape[axis])?;
    if factor == 1 {
        let type_ = few.with_encoding(whole.encoding?);
        let convert = builders::ttg::convert_layout(scale, type_);
        return widened_scale(emitter, emitter.add(convert)?, to, is_exact);
    }
    // The `factor` neighbours are a dimension of their own for the broadcast.
    let split = |size: u64| {
        let mut shape = few.shape.to_vec();
        shape.insert(axis + 1, size);
        shape
    };
    let encoding = emitter.encoding(&whole)?;
    let encoding = infer::reshape_source(&encoding, whole.shape, &split(factor)).ok()?;
    let slice = infer::expand_dims_source(&encoding, axis + 1).ok()?;
    let type_ = emitter.tensor(few.shape, few.element, &slice)?;
    let convert = builders::ttg::convert_layout(scale, type_);
    let scale = widened_scale(emitter, emitter.add(convert)?, to, is_exact)?;
    let of = |size| emitter.tensor(&split(size), to, &encoding);
    let axis = i64::try_from(axis + 1).ok()?;
    let scale = emitter.add(builders::tt::expand_dims(scale, axis, of(1)?))?;
    let scale = emitter.add(builders::tt::broadcast(scale, of(factor)?))?;
    emitter.add(builders::tt::reshape(scale, elements.r#type()))
}

/// Swaps the last two dimensions of a tensor. This is needed for the scales of B, because each row of the scales
/// holds the scales of a column of B.
fn transposed<'c>(emitter: DecompositionBuilder<'_, 'c>, value: Val<'c>) -> Option<Val<'c>> {
    let tensor = TensorType::of(value.r#type())?;
    let rank = tensor.shape.len();
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank.checked_sub(2)?, rank - 1);
    let encoding = emitter.encoding(&tensor)?;
    let encoding = infer::trans(&encoding, tensor.shape, &order).ok()?;
    let shape: Vec<u64> = order.iter().map(|dim| tensor.shape[*dim]).collect();
    let type_ = emitter.tensor(&shape, tensor.element, &encoding)?;
    let order: Vec<i32> = order.into_iter().flat_map(i32::try_from).collect();
    emitter.add(builders::tt::trans(value, &order, type_))
}

/// Converts scales to the type `to`, which is bf16 or f32. Float scales keep their values. A byte `b` is an
/// exponent and becomes 2^(b - 127). If `is_exact` is true, the byte 255 becomes NaN; otherwise, it becomes
/// infinity.
fn widened_scale<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    scale: Val<'c>,
    to: Type<'c>,
    is_exact: bool,
) -> Option<Val<'c>> {
    let tensor = TensorType::of(scale.r#type())?;
    if !tensor.element.is_integer() {
        return emitter.convert_float(scale, to);
    }
    // bf16 and f32 have the exponent width and the bias of `e8m0`.
    let bits = element_bits(to)?;
    let mantissa = if bits == 16 { 7 } else { 23 };
    let type_ = emitter.with_element(scale, emitter.integer_type(bits))?;
    let wide = emitter.add(builders::arith::extui(scale, type_))?;
    let shift = emitter.integer(type_, mantissa)?;
    let shifted = emitter.add(builders::arith::shli(wide, shift))?;
    // 2^-127 is subnormal.
    let least = emitter.integer(type_, 1 << (mantissa - 1))?;
    let mut number = emitter.add(builders::arith::maxui(shifted, least))?;
    if is_exact {
        let all = emitter.integer(type_, 0xff)?;
        let truth = emitter.with_element(scale, emitter.integer_type(1))?;
        let equal = builders::arith::CmpIPredicate::Eq;
        let is_nan = emitter.add(builders::arith::cmpi(equal, wide, all, truth))?;
        let nan = emitter.integer(type_, 0x1ff << (mantissa - 1))?;
        number = emitter.add(builders::arith::select(is_nan, nan, number))?;
    }
    let type_ = emitter.with_element(scale, to)?;
    emitter.add(builders::tt::bitcast(number, type_))
}
