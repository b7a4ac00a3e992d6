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
///     "bit 0 of mode 0 adds 9 and bit 0 of mode 1 adds 1; both change index bit 0, so the sum carries; \
///      expected addends that change disjoint bits"
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
    #[error("{what} {at} has extent {extent}; expected a power of two, such as {}", power_above(*.extent))]
    NotPowerOfTwo {
        what: &'static str,
        at: usize,
        extent: u64,
    },
    #[error("a warp has {lanes} lanes; expected a power of two, such as {}", power_above(*.lanes))]
    LanesNotPowerOfTwo { lanes: u64 },
    #[error(
        "mode {mode} has the negative stride {stride}; expected 0 or more, or an offset that makes all indices \
         non-negative"
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
    #[error(
        "the layout maps coordinate 0 to index {offset}; expected index 0, because linear and Tilus layouts \
         have no offset"
    )]
    HasOffset { offset: i64 },
    #[error("bases {first} and {second} are {} and {}, which share bits, and no single swizzle makes all bases \
             disjoint; {}",
            .values.0, .values.1,
            if *.is_injective { "a chain of swizzles does" }
            else { "the bases are linearly dependent, so no chain of swizzles does" })]
    NotOneSwizzle {
        first: usize,
        second: usize,
        values: (u64, u64),
        is_injective: bool,
    },
    #[error("the layout has {found} modes; expected 2, for threads and values")]
    RankNotTwo { found: usize },
    #[error(
        "the layout has {found} modes, but the tensor has {expected} dims; expected one mode for each dim"
    )]
    RankDiffers { found: usize, expected: usize },
    #[error(
        "a value mode with extent {extent} has stride 0; expected another stride, because Tilus requires \
         distinct elements in a thread"
    )]
    ValueRepeats { extent: i64 },
    #[error(
        "a mode has stride {found}; expected {expected}, the number of elements that the modes with smaller \
         strides cover"
    )]
    ChainBreaks { expected: i64, found: i64 },
    #[error("the layout holds {found} elements, but the tensor has {expected}")]
    ElementsDiffer { found: i64, expected: u64 },
    #[error(
        "mode {extent}:{stride} crosses the end of dim {dim}: a factor of {rest} of the mode and a factor of \
         {remaining} of the dim are not covered yet; expected one factor to divide the other"
    )]
    DimInsideMode {
        extent: i64,
        stride: i64,
        dim: usize,
        rest: u64,
        remaining: u64,
    },
    #[error("in-dim `{}` is not supported; expected only `register`, `lane`, `warp` and `block`", .dim.name())]
    UnexpectedDim { dim: Dim },
    #[error("out-dim `{}` is not supported; expected only `offset`", .dim.name())]
    UnexpectedOutDim { dim: Dim },
    #[error("basis {bit} of `{}` changes several bits of an element index; expected one bit, as Tilus \
             requires", .dim.name())]
    NotUnit { dim: Dim, bit: usize },
    #[error(
        "basis {bit} of `register` is zero, so that two registers hold the same element; Tilus requires \
         distinct elements in a thread"
    )]
    RegisterRepeats { bit: usize },
    #[error("basis {bit} of `{}` maps to `{}` = {value}, like another basis; expected distinct values",
            .dim.name(), .out.name())]
    ImageRepeats {
        dim: Dim,
        bit: usize,
        out: Dim,
        value: u64,
    },
    #[error("no basis maps to `{}` = {value}; expected one basis for each bit of an element \
             index", .out.name())]
    NoPreimage { out: Dim, value: u64 },
    #[error("the swizzle has shift {shift}; expected 0 or more, as Tilus requires")]
    SwizzleShift { shift: i32 },
    #[error("two elements have the same offset; expected distinct offsets")]
    OffsetShared,
    #[error(
        "one layout numbers elements in row-major order, the other in column-major order; expected the same \
         order, or a layout with a tensor shape"
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
        matches!(
            *self.0,
            BridgeErrorKind::NotPowerOfTwo { .. } | BridgeErrorKind::LanesNotPowerOfTwo { .. }
        )
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
    let start = match offset {
        0 => String::new(),
        offset => format!(" to the offset {offset}"),
    };
    format!(
        "{start}; both change index bit {shared}, so the sum carries; expected addends that change disjoint \
         bits"
    )
}

fn power_above(extent: u64) -> u64 {
    extent.checked_next_power_of_two().unwrap_or(1 << 63)
}
