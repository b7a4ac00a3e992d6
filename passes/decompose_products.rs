//! `decompose-products`: products that no instruction carries out, by products that one does.
//!
//! `scaled` turns `tt.dot_scaled` into a product of 16-bit floats, and `amdg.scaled_upcast_*` into a multiplication; `split` turns a product of f32 with
//! `inputPrecision = tf32x3`, `bf16x3` or `bf16x6` into products of narrower parts.
//! `convert-layouts-to-llvm` begins with it, so that the plan of a product has one element type per operand.
//! # Source
//! Triton's `DecomposeScaledBlocked` and `tritongpu-F32DotTC`, whose order of sums is kept.

mod scaled;
mod split;

use super::Pass;
use super::context::PassContext;
use super::respell::in_order;
use super::table::DecomposeProductsOptions;
use crate::ir::ops::{amdg, tt};
use crate::ir::{TensorType, builders};
use crate::lower::product;
use crate::sys::build::{self, Op, Val};
use crate::sys::{FollowUp, Reported, Rewriter};
use linear_layout::target::Target;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Type, ValueLike};

impl Pass for DecomposeProductsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = match &self.target {
            Some(asked) => context.known_gpu(Some(asked), "", "cannot decompose products")?,
            None => context.usual_gpu(),
        };
        decompose(context, context.module(), target);
        Ok(Vec::new())
    }
}

/// Decomposes all products of a module that the target has no instruction for.
pub(super) fn decompose<'c>(context: &PassContext<'c>, module: Op<'c>, target: &Target) {
    let rewriter = context.rewriter();
    rewriter.each(in_order(module), |op| {
        let emitter = Emitter {
            rewriter,
            place: op,
        };
        if let Some(dot) = tt::DotScaled::of(op) {
            if !product::is_native(dot, target) {
                let _ = scaled::decompose(context, emitter, dot);
            }
        } else if let Some(dot) = tt::Dot::of(op) {
            let _ = split::decompose(emitter, dot, target);
        } else if let Some(widening) = amdg::ScaledUpcastFp4::of(op) {
            let _ = scaled::widen_fp4(context, emitter, widening);
        } else if let Some(widening) = amdg::ScaledUpcastFp8::of(op) {
            let _ = scaled::widen_fp8(context, emitter, widening);
        }
    });
}

/// Adds operations on tensors in front of a product.
#[derive(Clone, Copy)]
struct Emitter<'c> {
    rewriter: Rewriter<'c>,
    place: Op<'c>,
}

impl<'c> Emitter<'c> {
    /// Adds an operation, and returns its result.
    fn add<O>(self, building: builders::Building<'_, 'c, O>) -> Option<Val<'c>> {
        building.before(self.rewriter, self.place)
    }

    /// Returns the type of a tensor with other elements.
    fn with_element(self, value: Val<'c>, element: Type<'c>) -> Option<Type<'c>> {
        let tensor = TensorType::of(value.r#type())?;
        Some(RankedTensorType::new(tensor.shape, element, tensor.encoding).into())
    }

    /// Adds a constant whose every element is one number.
    fn constant(self, type_: Type<'c>, number: Attribute<'c>) -> Option<Val<'c>> {
        self.add(builders::arith::constant(
            build::splat(type_, number),
            type_,
        ))
    }

    /// Adds a constant tensor of integers.
    fn integer(self, type_: Type<'c>, number: i64) -> Option<Val<'c>> {
        let element = TensorType::of(type_)?.element;
        self.constant(type_, IntegerAttribute::new(element, number).into())
    }

    /// Adds a constant tensor of zeros, of a floating-point type.
    fn zero(self, type_: Type<'c>) -> Option<Val<'c>> {
        let element = TensorType::of(type_)?.element;
        let context = build::context(self.place);
        self.constant(type_, FloatAttribute::new(context, element, 0.0).into())
    }

    /// Returns the integer type of this width.
    fn integer_type(self, bits: u32) -> Type<'c> {
        IntegerType::new(build::context(self.place), bits).into()
    }

    fn convert_float(self, value: Val<'c>, element: Type<'c>) -> Option<Val<'c>> {
        let tensor = TensorType::of(value.r#type())?;
        if tensor.element == element {
            return Some(value);
        }
        let type_ = self.with_element(value, element)?;
        let is_narrower =
            crate::ir::element_bits(element) < crate::ir::element_bits(tensor.element);
        let building = builders::tt::fp_to_fp(value, type_);
        self.add(building.rounding(is_narrower.then_some(builders::tt::RoundingMode::Rtne)))
    }
}
