//! Element types of `tt.dot` and `tt.dot_scaled`.

use super::ops::{InputPrecision, ScaleDotElemType, tt, ttng};
use super::{TensorType, element_name};
use crate::sys::build::Val;
use crate::sys::{self, Diagnostic};
use linear_layout::plan::product::factor_types;
use linear_layout::target::{Number, ScaleNumber, Target};
use melior::ir::{Type, ValueLike};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ProductTypes {
    /// Candidate element types of A and B, preferred pair first.
    pub(crate) factors: Vec<[Number; 2]>,
    pub(crate) sum: Number,
}

impl ProductTypes {
    /// Returns the types of a product.
    ///
    /// # Errors
    /// Returns an error for an unsupported element type.
    pub(crate) fn of(dot: tt::Dot<'_, '_>) -> Result<Self, Diagnostic> {
        let types = [dot.a(), dot.b(), dot.c()].map(|value| value.r#type());
        let [left, right, sum] = types.map(number);
        let (left, right, sum) = (left?, right?, sum?);
        let allows_tf32 = matches!(dot.input_precision(), InputPrecision::Tf32);
        Ok(Self {
            factors: factor_types([left, right], allows_tf32),
            sum,
        })
    }
}

/// Checks that A and B of a scaled product have the element types named by the attributes.
///
/// # Errors
/// Returns an error for other element types, and for elements of 6 bits.
pub(crate) fn check_scaled_elements(dot: tt::DotScaled<'_, '_>) -> Result<(), Diagnostic> {
    for (value, kind) in [(dot.a(), dot.a_elem_type()), (dot.b(), dot.b_elem_type())] {
        let tensor = TensorType::of(value.r#type());
        let name = tensor
            .map(|tensor| element_name(tensor.element))
            .unwrap_or_default();
        let expected: &[&str] = match kind {
            ScaleDotElemType::E2m1 => &["i8"],
            ScaleDotElemType::E4m3 => &["i8", "f8E4M3FN"],
            ScaleDotElemType::E5m2 => &["i8", "f8E5M2"],
            ScaleDotElemType::Bf16 => &["bf16"],
            ScaleDotElemType::Fp16 => &["f16"],
            ScaleDotElemType::E2m3 | ScaleDotElemType::E3m2 => {
                return Err(Diagnostic::new(format!(
                    "cannot multiply elements of format `{}`: expected e2m1, e4m3, e5m2, bf16 or fp16",
                    kind.name()
                )));
            }
        };
        if !expected.contains(&&*name) {
            return Err(Diagnostic::new(format!(
                "operand has element type `{name}`; format `{}` requires `{}`",
                kind.name(),
                expected.join("` or `")
            )));
        }
    }
    Ok(())
}

/// The element types of a scaled product, the type of its scales, and the number of elements per scale. Together,
/// they select a matrix instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ScaledTypes {
    pub(crate) factors: [Number; 2],
    pub(crate) sum: Number,
    /// Logarithm to base 2 of the number of elements along K that share a scale.
    pub(crate) block_log2: u8,
    pub(crate) scale: ScaleNumber,
}

impl ScaledTypes {
    /// Returns the types of `dot`, or `None` if no target supports them.
    ///
    /// The following are not supported: elements of 6 or 16 bits, 4-bit pairs that are not packed along K,
    /// different types or block sizes of the scales of A and B, and block sizes that are not powers of two.
    fn of(dot: tt::DotScaled<'_, '_>) -> Option<Self> {
        let factor = |kind: ScaleDotElemType, is_along_k: bool| match kind {
            ScaleDotElemType::E4m3 => Some(Number::E4m3),
            ScaleDotElemType::E5m2 => Some(Number::E5m2),
            ScaleDotElemType::E2m1 => is_along_k.then_some(Number::E2m1),
            _ => None,
        };
        let left = factor(dot.a_elem_type(), dot.lhs_k_pack())?;
        let right = factor(dot.b_elem_type(), dot.rhs_k_pack())?;
        let last = |value: Val<'_>| TensorType::of(value.r#type())?.shape.last().copied();
        let k = last(dot.a())? << left.packed_log2();
        let mut blocks = Vec::new();
        for scale in [dot.a_scale(), dot.b_scale()].into_iter().flatten() {
            let tensor = TensorType::of(scale.r#type())?;
            let number = match &*element_name(tensor.element) {
                "i8" => ScaleNumber::E8m0,
                "f8E4M3FN" => ScaleNumber::E4m3,
                _ => return None,
            };
            let size = k.checked_div(last(scale)?)?;
            blocks.push((u8::try_from(size.checked_ilog2()?).ok()?, number));
        }
        // Without scales, any instruction fits, with scales of 1.
        let (block_log2, scale) = *blocks.first().unwrap_or(&(5, ScaleNumber::E8m0));
        let is_one = blocks.iter().all(|block| *block == (block_log2, scale));
        is_one.then_some(Self {
            factors: [left, right],
            sum: number(dot.c().r#type()).ok()?,
            block_log2,
            scale,
        })
    }

    /// Returns the types of a scaled product that the target supports.
    ///
    /// # Errors
    /// Returns an error if A or B does not have the named element type, or if the target has no such instruction.
    pub(crate) fn native(dot: tt::DotScaled<'_, '_>, target: &Target) -> Result<Self, Diagnostic> {
        check_scaled_elements(dot)?;
        let is_known = |types: &Self| {
            let mut rows = target.scaled_matrix_instructions().into_iter();
            rows.any(|row| {
                let scales = row.scales.as_ref();
                let scales = scales.map(|scales| (scales.block_log2, scales.number));
                (row.factors, row.sum) == (types.factors, types.sum)
                    && scales == Some((types.block_log2, types.scale))
            })
        };
        Self::of(dot).filter(is_known).ok_or_else(|| {
            let name = &target.name;
            Diagnostic::new(format!(
                "is not supported by any matrix instruction of `{name}`"
            ))
            .note("run `decompose-products`, which replaces the operation by a `tt.dot` of scaled operands")
        })
    }
}

/// Returns the element types of A, B and the sum in a warp-group product. A and B may be in shared memory.
///
/// # Errors
/// Returns an error for an unsupported element type.
pub(crate) fn group_product_types(
    dot: ttng::WarpGroupDot<'_, '_>,
) -> Result<([Number; 2], Number), Diagnostic> {
    let precision = dot.input_precision();
    let factor = |value: Val<'_>| {
        let type_ = value.r#type();
        let element = sys::buffer(type_).map(|buffer| buffer.element);
        let element = element.or_else(|| TensorType::of(type_).map(|tensor| tensor.element));
        let number = number_of(&element.map(element_name).unwrap_or_default())?;
        match number {
            Number::F32 if matches!(precision, InputPrecision::Tf32) => Ok(Number::Tf32),
            Number::F32 => Err(Diagnostic::new(format!(
                "`inputPrecision = {}` is not supported for warp-group products of f32, expected `tf32`",
                precision.name()
            ))
            .note("set `inputPrecision = tf32`, or use `tt.dot`")),
            other => Ok(other),
        }
    };
    Ok((
        [factor(dot.a())?, factor(dot.b())?],
        number(dot.c().r#type())?,
    ))
}

fn number(type_: Type<'_>) -> Result<Number, Diagnostic> {
    let tensor = TensorType::of(type_);
    let name = tensor.map(|tensor| element_name(tensor.element));
    number_of(&name.unwrap_or_default())
}

fn number_of(name: &str) -> Result<Number, Diagnostic> {
    let number = Number::of_ir_name(name).filter(|n| !matches!(n, Number::Tf32 | Number::E2m1));
    number.ok_or_else(|| {
        Diagnostic::new(format!(
            "element type `{name}` is not supported: expected f16, bf16, f32, f64, i8 or 8-bit floats, with an accumulator of f16, bf16, f32, f64 or i32"
        ))
    })
}
