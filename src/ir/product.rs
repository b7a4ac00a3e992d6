//! The element types of `tt.dot`.

use super::ops::{InputPrecision, tt};
use super::{TensorType, element_name};
use crate::sys::Diagnostic;
use linear_layout::plan::product::factor_types;
use linear_layout::target::Number;
use melior::ir::{Type, ValueLike};

/// The element types of a product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ProductTypes {
    /// What the elements of A and B may be multiplied as, the best first.
    pub(crate) factors: Vec<[Number; 2]>,
    pub(crate) sum: Number,
}

impl ProductTypes {
    /// Returns the types of a product.
    ///
    /// # Errors
    /// An element type is not supported.
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

/// What a tensor's elements are to a matrix instruction.
fn number(type_: Type<'_>) -> Result<Number, Diagnostic> {
    let tensor = TensorType::of(type_);
    let name = tensor.map(|tensor| element_name(tensor.element));
    let name = name.unwrap_or_default();
    let number = Number::of_ir_name(&name).filter(|number| *number != Number::Tf32);
    number.ok_or_else(|| {
        Diagnostic::new(format!(
            "multiplies elements of `{name}`: expected f16, bf16, f32, f64, i8 or 8-bit floats, with a sum of f16, \
             bf16, f32, f64 or i32"
        ))
    })
}
