//! Tensor types with an encoding.

use melior::ir::r#type::{IntegerType, RankedTensorType, TypeLike};
use melior::ir::{Attribute, ShapedTypeLike, Type};

/// A ranked tensor of static shape.
#[derive(Clone, Debug)]
pub struct TensorType<'c> {
    /// The type itself.
    pub type_: Type<'c>,
    /// Sizes of the dimensions, in elements.
    pub shape: Vec<u64>,
    /// The element type.
    pub element: Type<'c>,
    /// The encoding, where there is one.
    pub encoding: Option<Attribute<'c>>,
}

impl<'c> TensorType<'c> {
    /// The view of a type, or nothing where the type is no tensor of static shape.
    #[must_use]
    pub fn of(type_: Type<'c>) -> Option<Self> {
        // Asked first, because the error of the conversion prints the type.
        if !type_.is_ranked_tensor() {
            return None;
        }
        let tensor = RankedTensorType::try_from(type_).ok()?;
        if !tensor.has_static_shape() {
            return None;
        }
        let shape = (0..tensor.rank())
            .map(|i| static_size(&tensor, i))
            .collect();
        Some(Self {
            type_,
            shape,
            element: tensor.element(),
            encoding: tensor.encoding(),
        })
    }

    /// The number of elements.
    #[must_use]
    pub fn num_elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// The same tensor type with another encoding.
    #[must_use]
    pub fn with_encoding(&self, encoding: Attribute<'c>) -> Type<'c> {
        RankedTensorType::new(&self.shape, self.element, Some(encoding)).into()
    }
}

fn static_size(tensor: &RankedTensorType<'_>, i: usize) -> u64 {
    use melior::ir::r#type::DimSize;
    match tensor.dim_size(i) {
        Ok(DimSize::Static(size)) => size,
        _ => 0,
    }
}

/// Whether elements of a descriptor's blocks are those of a tensor: the same, signs aside.
///
/// A descriptor may say how the hardware is to take integers (`si8`), a tensor does not (`i8`).
#[must_use]
pub fn is_element_of_block(element: Type<'_>, block: Type<'_>) -> bool {
    element == block
        || match (IntegerType::try_from(element), IntegerType::try_from(block)) {
            (Ok(element), Ok(block)) => element.is_signless() && element.width() == block.width(),
            _ => false,
        }
}

/// The width of an element in bits: its own for numbers, 64 for pointers.
///
/// `i1` is 1 bit wide, `f8E4M3FN` 8, `!tt.ptr<f32>` and `!llvm.ptr` 64.
#[must_use]
pub fn element_bits(element: Type<'_>) -> Option<u32> {
    if let Ok(integer) = IntegerType::try_from(element) {
        return Some(integer.width());
    }
    let is_pointer = crate::sys::pointer(element).is_some() || crate::sys::is_llvm_pointer(element);
    if element.is_index() || is_pointer {
        return Some(64);
    }
    crate::sys::float_width(element)
}
