//! Errors of conversions between the three systems.

use crate::cute::CuteError;
use crate::layout::{Dim, LayoutError};
use crate::tilus::TilusError;
use thiserror::Error;

/// An error of converting a layout of one system to another.
///
/// The kind is private; the text names the mode or basis at fault.
/// ```
/// use linear_layout::bridge::{BridgeError, linear_from_cute};
/// let e = linear_from_cute(&"(8,8):(9,1)".parse()?).unwrap_err();
/// assert_eq!(
///     e.to_string(),
///     "bit 0 of mode 0 adds 9 and bit 0 of mode 1 adds 1: both have bit 0, so that their sum carries \
///      and is not their XOR"
/// );
/// assert!(e.is_carry());
/// # Ok::<(), linear_layout::cute::CuteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct BridgeError(Box<Kind>);

/// What one bit of a coordinate adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bit {
    pub(super) mode: usize,
    pub(super) bit: u32,
    pub(super) value: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Kind {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Cute(#[from] CuteError),
    #[error(transparent)]
    Tilus(#[from] TilusError),
    #[error("an index of the layout does not fit in 62 bits")]
    TooLarge,
    #[error("{what} {at} of extent {extent} is not a power of two; with {} the layout could be linear",
            .extent.checked_next_power_of_two().unwrap_or(1 << 63))]
    NotPowerOfTwo {
        what: &'static str,
        at: usize,
        extent: u64,
    },
    #[error(
        "mode {mode} has the negative stride {stride}; with an offset that keeps all indices at 0 or more it may be \
         affine"
    )]
    NegativeStride { mode: usize, stride: i64 },
    #[error("the layout reaches index {value}, below 0")]
    Negative { value: i64 },
    #[error("bit {} of mode {} adds {} and bit {} of mode {} adds {}{}", .first.bit, .first.mode, .first.value,
            .second.bit, .second.mode, .second.value, carried(.first, .second, *.offset))]
    Carry {
        first: Bit,
        second: Bit,
        offset: i64,
    },
    #[error("the first element is at {offset}, not 0; the layout is affine, not linear")]
    HasOffset { offset: i64 },
    #[error("bases {first} and {second}, {} and {}, share bits, and no one swizzle separates all bases; {}",
            .values.0, .values.1,
            if *.is_injective { "a chain of swizzles would" } else { "nor does a chain of swizzles, as two places go to one" })]
    NotOneSwizzle {
        first: usize,
        second: usize,
        values: (u64, u64),
        is_injective: bool,
    },
    #[error("a thread-value layout has two modes, threads and values; this has {found}")]
    RankNotTwo { found: usize },
    #[error("the layout has {found} modes, the tensor {expected} dims")]
    RankDiffers { found: usize, expected: usize },
    #[error(
        "{extent} values of a thread are one element: a mode of values has stride 0; a thread of Tilus holds an \
         element once"
    )]
    ValueRepeats { extent: i64 },
    #[error("no mode has stride {expected}{}",
            .found.map_or(": elements from there on are held nowhere".into(),
                          |found| format!(", the next is {found}: elements between are held nowhere, or twice")))]
    ChainBreaks { expected: i64, found: Option<i64> },
    #[error("the layout holds {found} elements, the tensor has {expected}")]
    ElementsDiffer { found: i64, expected: u64 },
    #[error(
        "the mode {extent}:{stride} would straddle the end of dim {dim}, of which {left} is left: neither divides the \
         other"
    )]
    DimInsideMode {
        extent: i64,
        stride: i64,
        dim: usize,
        left: u64,
    },
    #[error("in-dim `{}` is no place of a register layout; those are `register`, `lane`, `warp` and `block`",
            .dim.name())]
    NoSuchPlace { dim: Dim },
    #[error("basis {bit} of `{}` moves more than one bit of an index; a mode moves one", .dim.name())]
    NotUnit { dim: Dim, bit: usize },
    #[error(
        "basis {bit} of `register` is zero: a thread holds elements twice, which Tilus has not"
    )]
    RegisterRepeats { bit: usize },
    #[error("basis {bit} of `{}` reaches `{}` = {value}, which another one does: the places overlap",
            .dim.name(), .out.name())]
    ReachedTwice {
        dim: Dim,
        bit: usize,
        out: Dim,
        value: u64,
    },
    #[error("no basis reaches `{}` = {value}: the element is held nowhere", .out.name())]
    NotReached { out: Dim, value: u64 },
    #[error("a swizzle that shifts by {shift}; those of Tilus shift by 0 or more")]
    SwizzleShift { shift: i32 },
    #[error("two elements have one offset; a buffer holds each in its own place")]
    OffsetShared,
}

impl<E: Into<Kind>> From<E> for BridgeError {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

impl BridgeError {
    /// Returns true if an extent that is not a power of two is the reason.
    #[must_use]
    pub fn is_not_power_of_two(&self) -> bool {
        matches!(*self.0, Kind::NotPowerOfTwo { .. })
    }

    /// Returns true if a negative stride or index is the reason.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        matches!(*self.0, Kind::NegativeStride { .. } | Kind::Negative { .. })
    }

    /// Returns true if the reason is that bits are added with a carry where a linear map has an XOR.
    #[must_use]
    pub fn is_carry(&self) -> bool {
        matches!(*self.0, Kind::Carry { .. })
    }
}

/// How two bits of an index carry into each other.
fn carried(first: &Bit, second: &Bit, offset: i64) -> String {
    let change = |bit: &Bit| offset ^ offset.wrapping_add(bit.value);
    let shared = (change(first) & change(second)).trailing_zeros();
    if offset == 0 {
        return format!(": both have bit {shared}, so that their sum carries and is not their XOR");
    }
    format!(
        " to the offset {offset}: both change bit {shared}, so that a sum carries and is not an XOR"
    )
}
