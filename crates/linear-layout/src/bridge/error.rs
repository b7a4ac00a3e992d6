//! Why a layout of one system is none of another.

use core::fmt;

use crate::cute::CuteError;
use crate::layout::{Dim, LayoutError};
use crate::tilus::TilusError;

/// Why a layout of one system is none of another, or cannot be converted.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeError {
    kind: Box<Kind>,
}

/// What one bit of a coordinate adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bit {
    pub(super) mode: usize,
    pub(super) bit: u32,
    pub(super) value: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Layout(LayoutError),
    Cute(CuteError),
    Tilus(TilusError),
    TooLarge,
    NotPowerOfTwo {
        what: &'static str,
        at: usize,
        extent: u64,
    },
    NegativeStride {
        mode: usize,
        stride: i64,
    },
    Negative {
        value: i64,
    },
    Carry {
        first: Bit,
        second: Bit,
        offset: i64,
    },
    HasOffset {
        offset: i64,
    },
    NotOneSwizzle {
        first: usize,
        second: usize,
        values: (u64, u64),
        is_injective: bool,
    },
    RankNotTwo {
        found: usize,
    },
    RankDiffers {
        found: usize,
        expected: usize,
    },
    ValueRepeats {
        extent: i64,
    },
    ChainBreaks {
        expected: i64,
        found: Option<i64>,
    },
    ElementsDiffer {
        found: i64,
        expected: u64,
    },
    DimInsideMode {
        extent: i64,
        stride: i64,
        dim: usize,
        left: u64,
    },
    NoSuchPlace {
        dim: Dim,
    },
    NotUnit {
        dim: Dim,
        bit: usize,
    },
    RegisterRepeats {
        bit: usize,
    },
    ReachedTwice {
        dim: Dim,
        bit: usize,
        out: Dim,
        value: u64,
    },
    NotReached {
        out: Dim,
        value: u64,
    },
    SwizzleShift {
        shift: i32,
    },
    OffsetShared,
}

impl From<Kind> for BridgeError {
    fn from(kind: Kind) -> Self {
        Self {
            kind: Box::new(kind),
        }
    }
}

impl From<LayoutError> for BridgeError {
    fn from(e: LayoutError) -> Self {
        Kind::Layout(e).into()
    }
}

impl From<CuteError> for BridgeError {
    fn from(e: CuteError) -> Self {
        Kind::Cute(e).into()
    }
}

impl From<TilusError> for BridgeError {
    fn from(e: TilusError) -> Self {
        Kind::Tilus(e).into()
    }
}

impl BridgeError {
    /// Tells whether an extent that is not a power of two is the reason.
    #[must_use]
    pub fn is_not_power_of_two(&self) -> bool {
        matches!(*self.kind, Kind::NotPowerOfTwo { .. })
    }

    /// Tells whether a negative stride or index is the reason.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        matches!(
            *self.kind,
            Kind::NegativeStride { .. } | Kind::Negative { .. }
        )
    }

    /// Tells whether the reason is that bits are added with a carry where a linear map has an XOR.
    #[must_use]
    pub fn is_carry(&self) -> bool {
        matches!(*self.kind, Kind::Carry { .. })
    }

    /// Tells whether the map is affine, but not linear: it has a constant.
    #[must_use]
    pub fn is_offset(&self) -> bool {
        matches!(*self.kind, Kind::HasOffset { .. })
    }
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            Kind::Layout(e) => e.fmt(f),
            Kind::Cute(e) => e.fmt(f),
            Kind::Tilus(e) => e.fmt(f),
            Kind::TooLarge => f.write_str("an index of the layout does not fit in 62 bits"),
            Kind::NotPowerOfTwo { what, at, extent } => write!(
                f,
                "{what} {at} of extent {extent} is not a power of two; with {} the layout could be \
                 linear",
                extent.next_power_of_two()
            ),
            Kind::NegativeStride { mode, stride } => write!(
                f,
                "mode {mode} has the negative stride {stride}; with an offset that keeps all indices at \
                 0 or more it may be affine"
            ),
            Kind::Negative { value } => write!(f, "the layout reaches index {value}, below 0"),
            Kind::Carry {
                first,
                second,
                offset,
            } => {
                write!(
                    f,
                    "bit {} of mode {} adds {} and bit {} of mode {} adds {}",
                    first.bit, first.mode, first.value, second.bit, second.mode, second.value
                )?;
                let change = |bit: &Bit| offset ^ offset.wrapping_add(bit.value);
                let shared = (change(first) & change(second)).trailing_zeros();
                if *offset == 0 {
                    write!(
                        f,
                        ": both have bit {shared}, so that their sum carries and is not their XOR"
                    )
                } else {
                    write!(
                        f,
                        " to the offset {offset}: both change bit {shared}, so that a sum carries \
                         and is not an XOR"
                    )
                }
            }
            Kind::HasOffset { offset } => write!(
                f,
                "the first element is at {offset}, not 0; the layout is affine, not linear"
            ),
            Kind::NotOneSwizzle {
                first,
                second,
                values,
                is_injective,
            } => {
                write!(
                    f,
                    "bases {first} and {second}, {} and {}, share bits, and no one swizzle separates \
                     all bases",
                    values.0, values.1
                )?;
                f.write_str(if *is_injective {
                    "; a chain of swizzles would"
                } else {
                    "; nor does a chain of swizzles, as two places go to one"
                })
            }
            Kind::RankNotTwo { found } => write!(
                f,
                "a thread-value layout has two modes, threads and values; this has {found}"
            ),
            Kind::RankDiffers { found, expected } => {
                write!(
                    f,
                    "the layout has {found} modes, the tensor {expected} dims"
                )
            }
            Kind::ValueRepeats { extent } => write!(
                f,
                "{extent} values of a thread are one element: a mode of values has stride 0; a thread \
                 of Tilus holds an element once"
            ),
            Kind::ChainBreaks {
                expected,
                found: Some(found),
            } => write!(
                f,
                "no mode has stride {expected}, the next is {found}: elements between are held nowhere, \
                 or twice"
            ),
            Kind::ChainBreaks { expected, .. } => {
                write!(
                    f,
                    "no mode has stride {expected}: elements from there on are held nowhere"
                )
            }
            Kind::ElementsDiffer { found, expected } => {
                write!(
                    f,
                    "the layout holds {found} elements, the tensor has {expected}"
                )
            }
            Kind::DimInsideMode {
                extent,
                stride,
                dim,
                left,
            } => write!(
                f,
                "the mode {extent}:{stride} would straddle the end of dim {dim}, of which {left} is \
                 left: neither divides the other"
            ),
            Kind::NoSuchPlace { dim } => write!(
                f,
                "in-dim `{}` is no place of a register layout; those are `register`, `lane`, `warp` \
                 and `block`",
                dim.name()
            ),
            Kind::NotUnit { dim, bit } => write!(
                f,
                "basis {bit} of `{}` moves more than one bit of an index; a mode moves one",
                dim.name()
            ),
            Kind::RegisterRepeats { bit } => write!(
                f,
                "basis {bit} of `register` is zero: a thread holds elements twice, which Tilus has not"
            ),
            Kind::ReachedTwice {
                dim,
                bit,
                out,
                value,
            } => write!(
                f,
                "basis {bit} of `{}` reaches `{}` = {value}, which another one does: the places \
                 overlap",
                dim.name(),
                out.name()
            ),
            Kind::NotReached { out, value } => write!(
                f,
                "no basis reaches `{}` = {value}: the element is held nowhere",
                out.name()
            ),
            Kind::OffsetShared => {
                f.write_str("two elements have one offset; a buffer holds each in its own place")
            }
            Kind::SwizzleShift { shift } => write!(
                f,
                "a swizzle that shifts by {shift}; those of Tilus shift by 0 or more"
            ),
        }
    }
}

impl core::error::Error for BridgeError {}
