//! Errors of conversions between layout systems.

use crate::cute::CuteError;
use crate::layout::{Dim, LayoutError};
use crate::tilus::TilusError;
use thiserror::Error;

/// An error in the conversion of a layout to another layout system. The message names the invalid mode or
/// basis.
/// ```
/// use linear_layout::bridge::{BridgeError, linear_from_cute};
/// let e = linear_from_cute(&"(8,8):(9,1)".parse()?).unwrap_err();
/// assert_eq!(
///     e.to_string(),
///     "bit 0 of mode 0 adds 9 and bit 0 of mode 1 adds 1: the addends share bit 0, so their sum carries \
///      and is not their XOR"
/// );
/// assert!(e.is_carry());
/// # Ok::<(), linear_layout::cute::CuteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct BridgeError(Box<BridgeErrorKind>);

/// A coordinate bit that adds `value` to the offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CoordinateBit {
    pub(super) mode: usize,
    pub(super) bit: u32,
    pub(super) value: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum BridgeErrorKind {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Cute(#[from] CuteError),
    #[error(transparent)]
    Tilus(#[from] TilusError),
    #[error("an index of the layout does not fit in 62 bits")]
    TooLarge,
    #[error("extent {extent} of {what} {at} is not a power of two; with extent {} the layout could be linear",
            .extent.checked_next_power_of_two().unwrap_or(1 << 63))]
    NotPowerOfTwo {
        what: &'static str,
        at: usize,
        extent: u64,
    },
    #[error(
        "mode {mode} has the negative stride {stride}; expected 0 or more, or an offset that keeps all indices at 0 or more"
    )]
    NegativeStride { mode: usize, stride: i64 },
    #[error("the layout has the negative index {value}; expected 0 or more")]
    Negative { value: i64 },
    #[error("bit {} of mode {} adds {} and bit {} of mode {} adds {}{}", .first.bit, .first.mode, .first.value,
            .second.bit, .second.mode, .second.value, carry_text(.first, .second, *.offset))]
    Carry {
        first: CoordinateBit,
        second: CoordinateBit,
        offset: i64,
    },
    #[error("the first element is at {offset}, not 0; the layout is affine, not linear")]
    HasOffset { offset: i64 },
    #[error("bases {first} and {second}, with values {} and {}, share bits, and no single swizzle separates all bases; {}",
            .values.0, .values.1,
            if *.is_injective { "a chain of swizzles would" } else { "a chain of swizzles would not, as the bases are linearly dependent" })]
    NotOneSwizzle {
        first: usize,
        second: usize,
        values: (u64, u64),
        is_injective: bool,
    },
    #[error("the layout has {found} modes; expected 2, for threads and values")]
    RankNotTwo { found: usize },
    #[error("the layout has {found} modes, but the tensor has {expected} dims")]
    RankDiffers { found: usize, expected: usize },
    #[error(
        "a mode of {extent} values has stride 0; expected distinct elements in a thread, as Tilus requires"
    )]
    ValueRepeats { extent: i64 },
    #[error("no mode has stride {expected}{}",
            .found.map_or("; expected strides that step through all elements".into(),
                          |found| format!(", and the next stride is {found}; expected strides that step through all elements without overlap")))]
    ChainBreaks { expected: i64, found: Option<i64> },
    #[error("the layout holds {found} elements, but the tensor has {expected}")]
    ElementsDiffer { found: i64, expected: u64 },
    #[error(
        "the mode {extent}:{stride} straddles the end of dim {dim}, of which {remaining} elements remain; expected {extent} \
         and {remaining} to divide one another"
    )]
    DimInsideMode {
        extent: i64,
        stride: i64,
        dim: usize,
        remaining: u64,
    },
    #[error("in-dim `{}` is not supported; expected `register`, `lane`, `warp`, `block` or, for memory, `offset`",
            .dim.name())]
    UnexpectedDim { dim: Dim },
    #[error("basis {bit} of `{}` changes more than one bit of an index; expected one", .dim.name())]
    NotUnit { dim: Dim, bit: usize },
    #[error(
        "basis {bit} of `register` is zero; expected distinct elements in a thread, as Tilus requires"
    )]
    RegisterRepeats { bit: usize },
    #[error("basis {bit} of `{}` maps to `{}` = {value}, as another basis does; expected distinct images",
            .dim.name(), .out.name())]
    ImageRepeats {
        dim: Dim,
        bit: usize,
        out: Dim,
        value: u64,
    },
    #[error("no basis maps to `{}` = {value}; expected one for each bit of an index", .out.name())]
    NoPreimage { out: Dim, value: u64 },
    #[error("the swizzle shifts by {shift}; expected 0 or more, as Tilus requires")]
    SwizzleShift { shift: i32 },
    #[error("two elements have the same offset; expected distinct offsets")]
    OffsetShared,
    #[error(
        "the layouts number elements in different orders; expected one order, or a layout with a tensor shape"
    )]
    OrdersDiffer,
}

impl<E: Into<BridgeErrorKind>> From<E> for BridgeError {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

impl BridgeError {
    /// Returns true if an extent is not a power of two.
    #[must_use]
    pub fn is_not_power_of_two(&self) -> bool {
        matches!(*self.0, BridgeErrorKind::NotPowerOfTwo { .. })
    }

    /// Returns true if a stride or an index is negative.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        matches!(
            *self.0,
            BridgeErrorKind::NegativeStride { .. } | BridgeErrorKind::Negative { .. }
        )
    }

    /// Returns true if a sum carries and therefore is not an XOR.
    #[must_use]
    pub fn is_carry(&self) -> bool {
        matches!(*self.0, BridgeErrorKind::Carry { .. })
    }
}

fn carry_text(first: &CoordinateBit, second: &CoordinateBit, offset: i64) -> String {
    let change = |bit: &CoordinateBit| offset ^ offset.wrapping_add(bit.value);
    let shared = (change(first) & change(second)).trailing_zeros();
    if offset == 0 {
        return format!(
            ": the addends share bit {shared}, so their sum carries and is not their XOR"
        );
    }
    format!(
        " to the offset {offset}: both change bit {shared}, so the sum carries and is not an XOR"
    )
}
