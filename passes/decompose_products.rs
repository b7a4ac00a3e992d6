//! `decompose-products`: replaces products without an instruction on the target by supported products.
//!
//! `scaled` turns `tt.dot_scaled` into a product of 16-bit floats, and `amdg.scaled_upcast_*` into a multiplication.
//! `downcast` turns `amdg.scaled_downcast_*` into a multiplication and a rounding. `packed` turns
//! `amdg.local_load_packed_transposed` into a load of bytes with exchanged halves. `pairs` separates neighbouring
//! elements. `split` turns an f32 product with `inputPrecision = tf32x3`, `bf16x3` or `bf16x6` into products of
//! narrower parts. `convert-layouts-to-llvm` runs this pass first, so each operand of a planned product has one element
//! type.
//!
//! # Source
//! Triton's `DecomposeScaledBlocked` and `tritongpu-F32DotTC`, with the same order of summation.

mod downcast;
mod packed;
mod pairs;
mod scaled;
mod split;

use super::Pass;
use super::context::PassContext;
use super::respell::attribute;
use super::table::DecomposeProductsOptions;
use crate::ir::ops::RoundingMode;
use crate::ir::{OpView as V, TensorType, builders, element_bits};
use crate::lower::product;
use crate::sys::build::{self, Op, Val};
use crate::sys::{FollowUp, Reported};
use linear_layout::encoding::Encoding;
use linear_layout::target::Target;
use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Type, ValueLike};
use std::sync::Arc;

impl Pass for DecomposeProductsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = match &self.target {
            Some(name) => context.known_gpu(Some(name))?,
            None => context.default_gpu(),
        };
        decompose(context, context.module(), target);
        Ok(Vec::new())
    }
}

pub(super) fn decompose<'c>(context: &PassContext<'c>, module: Op<'c>, target: &Target) {
    context.rewriter().each(build::in_order(module), |op| {
        let emitter = DecompositionBuilder { context, place: op };
        // The lowering reports products that cannot be decomposed.
        let _ = match V::of(op) {
            Some(V::TtDotScaled(dot)) if product::is_native(dot, target) => None,
            Some(V::TtDotScaled(dot)) => scaled::decompose(emitter, dot),
            Some(V::TtDot(dot)) => split::decompose(emitter, dot, target),
            Some(V::AmdgScaledUpcastFp4(upcast)) => scaled::widen_fp4(emitter, upcast),
            Some(V::AmdgScaledUpcastFp8(upcast)) => scaled::widen_fp8(emitter, upcast),
            Some(V::AmdgScaledDowncastFp4(op)) => downcast::narrow_fp4(emitter, op),
            Some(V::AmdgScaledDowncastFp8(op)) => downcast::narrow_fp8(emitter, op),
            Some(V::AmdgLocalLoadPackedTransposed(load)) => packed::decompose(emitter, load),
            _ => None,
        };
    });
}

/// A builder that inserts operations in front of the operation that is decomposed.
#[derive(Clone, Copy)]
struct DecompositionBuilder<'p, 'c> {
    context: &'p PassContext<'c>,
    place: Op<'c>,
}

impl<'c> DecompositionBuilder<'_, 'c> {
    fn add<O>(self, building: builders::Building<'_, 'c, O>) -> Option<Val<'c>> {
        building.before(self.context.rewriter(), self.place)
    }

    fn replace(self, value: Val<'c>) {
        self.context.rewriter().replace(self.place, &[value]);
    }

    fn mlir(self) -> &'c Context {
        build::context(self.place)
    }

    fn encoding(self, tensor: &TensorType<'c>) -> Option<Arc<Encoding>> {
        self.context.layouts().of_tensor(tensor).ok()
    }

    fn tensor(self, shape: &[u64], element: Type<'c>, encoding: &Encoding) -> Option<Type<'c>> {
        let encoding = attribute(self.place, encoding)?;
        Some(RankedTensorType::new(shape, element, Some(encoding)).into())
    }

    fn with_element(self, value: Val<'c>, element: Type<'c>) -> Option<Type<'c>> {
        let tensor = TensorType::of(value.r#type())?;
        Some(RankedTensorType::new(tensor.shape, element, tensor.encoding).into())
    }

    fn constant(self, type_: Type<'c>, number: Attribute<'c>) -> Option<Val<'c>> {
        self.add(builders::arith::constant(
            build::splat(type_, number),
            type_,
        ))
    }

    fn integer(self, type_: Type<'c>, number: i64) -> Option<Val<'c>> {
        let element = TensorType::of(type_)?.element;
        self.constant(type_, IntegerAttribute::new(element, number).into())
    }

    fn zero(self, type_: Type<'c>) -> Option<Val<'c>> {
        let element = TensorType::of(type_)?.element;
        self.constant(type_, FloatAttribute::new(self.mlir(), element, 0.0).into())
    }

    fn integer_type(self, bits: u32) -> Type<'c> {
        IntegerType::new(self.mlir(), bits).into()
    }

    /// Converts the elements of `value` to the float type `element`. A conversion to a narrower type rounds to
    /// nearest, with ties to even.
    fn convert_float(self, value: Val<'c>, element: Type<'c>) -> Option<Val<'c>> {
        let tensor = TensorType::of(value.r#type())?;
        if tensor.element == element {
            return Some(value);
        }
        let type_ = self.with_element(value, element)?;
        let is_narrower = element_bits(element) < element_bits(tensor.element);
        let building = builders::tt::fp_to_fp(value, type_);
        self.add(building.rounding(is_narrower.then_some(RoundingMode::Rtne)))
    }
}
