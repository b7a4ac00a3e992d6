//! Conversion between shared-memory layouts of Tilus and CuTe, which map indices to offsets, and linear layouts.

use super::bits::{linear_from_composed, tuple_of};
use super::error::{BridgeError, BridgeErrorKind};
use crate::cute::{ComposedLayout, Layout, Mode, Swizzle as CuteSwizzle};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::tilus::{SharedLayout, Swizzle};

/// Returns the CuTe layout that is equivalent to a shared layout of Tilus, with one mode for each dim.
///
/// Every shared layout has an equivalent CuTe layout. CuTe lists the fastest mode first, so the modes of a dim are
/// reversed.
/// ```
/// # use linear_layout::bridge::cute_from_shared;
/// # use linear_layout::tilus::SharedLayout;
/// let l = SharedLayout::row_major_swizzled(&[8, 64], 2)?;
/// assert_eq!(cute_from_shared(&l)?.to_string(), "Sw<3,3,3> o 0 o ((8),(64)):((64),(1))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error if the sizes or the swizzle exceed the limits of CuTe layouts.
pub fn cute_from_shared(layout: &SharedLayout) -> Result<ComposedLayout, BridgeError> {
    let merged = layout.merged();
    let mut modes = merged.mode_shape().iter().zip(merged.mode_strides());
    let mut dims = Vec::new();
    for &extent in merged.shape() {
        let mut of_dim = Vec::new();
        let mut remaining = extent;
        while remaining > 1 {
            // Modes fill the dims one after the other.
            let Some((&extent, &stride)) = modes.next() else {
                break;
            };
            let number =
                |n: u64| i64::try_from(n).map_err(|_| BridgeError::from(BridgeErrorKind::TooLarge));
            of_dim.push(Mode::new(number(extent)?, number(stride)?));
            remaining /= extent;
        }
        of_dim.reverse();
        dims.push(tuple_of(&of_dim)?);
    }
    let whole = match dims.is_empty() {
        true => Layout::unit(),
        false => Layout::concat(&dims)?,
    };
    let swizzle = match merged.swizzle() {
        None => CuteSwizzle::IDENTITY,
        Some(swizzle) => CuteSwizzle::new(
            swizzle.bits().into(),
            swizzle.base().into(),
            swizzle.shift().into(),
        )?,
    };
    Ok(ComposedLayout::new(swizzle, 0, whole))
}

/// Converts a CuTe layout to a shared layout of a tensor of shape `shape`. The CuTe layout must have one mode
/// for each dim.
///
/// The shared layout exists if and only if the modes match the dims and the CuTe layout has no offset, no
/// negative stride and no swizzle with a negative shift.
/// # Errors
/// Returns an error that names the violated condition.
pub fn shared_from_cute(
    layout: &ComposedLayout,
    shape: &[u64],
) -> Result<SharedLayout, BridgeError> {
    if layout.offset != 0 {
        return Err(BridgeErrorKind::HasOffset {
            offset: layout.swizzle.apply(layout.offset),
        }
        .into());
    }
    if layout.layout.rank() != shape.len() {
        return Err(BridgeErrorKind::RankDiffers {
            found: layout.layout.rank(),
            expected: shape.len(),
        }
        .into());
    }
    let (mut mode_shape, mut mode_strides) = (Vec::new(), Vec::new());
    let mut at = 0;
    for dim in layout.layout.modes() {
        for (i, mode) in dim.leaves().iter().enumerate().rev() {
            let stride =
                u64::try_from(mode.stride).map_err(|_| BridgeErrorKind::NegativeStride {
                    mode: at + i,
                    stride: mode.stride,
                })?;
            mode_shape.push(mode.shape.unsigned_abs());
            mode_strides.push(stride);
        }
        at += dim.leaves().len();
    }
    let swizzle = match layout.swizzle {
        swizzle if swizzle.is_identity() => None,
        swizzle => {
            let shift = swizzle.shift();
            let up = u32::try_from(shift).map_err(|_| BridgeErrorKind::SwizzleShift { shift })?;
            Some(Swizzle::new(swizzle.base(), swizzle.bits(), up)?)
        }
    };
    Ok(SharedLayout::new(
        shape,
        &mode_shape,
        &mode_strides,
        swizzle,
    )?)
}

/// Converts a shared layout of Tilus to a linear map from the dims to the offset.
///
/// # Shape
/// (`dim0`, `dim1`, ...: the shape) -> (`offset`: the least power of two above all offsets).
///
/// # Errors
/// Returns an error if an extent is not a power of two, a sum of strides carries, or the tensor has too many
/// dims.
pub fn linear_from_shared(layout: &SharedLayout) -> Result<LinearLayout, BridgeError> {
    linear_from_composed(&cute_from_shared(layout)?)
}

/// Converts a shared layout of Tilus to a linear map from the offset to the dims. Triton's shared encodings
/// also map offsets to dims.
///
/// ```
/// # use linear_layout::bridge::memory_from_shared;
/// # use linear_layout::encoding::Encoding;
/// # use linear_layout::tilus::SharedLayout;
/// let encoding: Encoding = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>".parse()?;
/// let tilus = SharedLayout::row_major_swizzled(&[8, 64], 2)?;
/// let offsets = encoding.to_linear_layout(&[8, 64])?.squeeze_ins(linear_layout::layout::Dim::BLOCK)?;
/// assert_eq!(memory_from_shared(&tilus)?, offsets);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error under the same conditions as [`linear_from_shared`] or [`memory_from_cute`].
pub fn memory_from_shared(layout: &SharedLayout) -> Result<LinearLayout, BridgeError> {
    memory_from_cute(&cute_from_shared(layout)?)
}

/// Converts a CuTe layout with one mode for each dim to a linear map from the offset to the dims.
///
/// An offset bit that is zero for all elements has a zero basis, e.g. if the pitch is larger than a row.
/// ```
/// # use linear_layout::bridge::memory_from_cute;
/// # use linear_layout::layout::Dim;
/// let memory = memory_from_cute(&"(2,4):(4,1)".parse()?)?;
/// assert_eq!(memory.apply(&[(Dim::OFFSET, 6)])?, [1, 2]);
/// // Rows of four in a pitch of eight: offset 4 is a gap.
/// let memory = memory_from_cute(&"(2,4):(8,1)".parse()?)?;
/// assert_eq!(memory.columns(), [0b10, 0b100, 0, 0b1]);
/// assert_eq!(memory_from_cute(&"4:3".parse()?).unwrap_err().to_string(),
///     "bit 0 of mode 0 adds 3 and bit 1 of mode 0 adds 6; both change index bit 1, so the sum carries; \
///      expected addends that change disjoint bits");
/// assert_eq!(memory_from_cute(&"(2,4):(0,1)".parse()?).unwrap_err().to_string(),
///     "two elements have the same offset; expected distinct offsets");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error if
/// - the layout is not a [linear map](linear_from_composed),
/// - two elements have the same offset, or
/// - an offset has no element, although each set bit of the offset is also set in the offset of some element.
pub fn memory_from_cute(layout: &ComposedLayout) -> Result<LinearLayout, BridgeError> {
    let offsets = linear_from_composed(layout)?;
    if !offsets.is_injective() {
        return Err(BridgeErrorKind::OffsetShared.into());
    }
    let used = offsets
        .columns()
        .iter()
        .fold(0, |used, column| used | column);
    let dims: Vec<(Dim, u64)> = offsets.in_shape().collect();
    if used.count_ones() as usize != offsets.total_in_bits() {
        let outs: Vec<(Dim, u64)> = offsets.out_shape().collect();
        let required = Surjectivity::Required;
        // The error names an offset without an element.
        LinearLayout::from_columns(&dims, &outs, offsets.columns(), required)?;
    }
    // Bits that no element sets are gaps; without them the map is one to one.
    let bits: Vec<u32> = (0..u64::BITS).filter(|bit| used >> bit & 1 == 1).collect();
    let dense = |column: &u64| {
        let digits = bits.iter().enumerate();
        digits.fold(0, |sum, (i, bit)| sum | (column >> bit & 1) << i)
    };
    let columns: Vec<u64> = offsets.columns().iter().map(dense).collect();
    let outs = [(Dim::OFFSET, 1 << bits.len())];
    let packed = LinearLayout::from_columns(&dims, &outs, &columns, Surjectivity::Required)?;
    let packed = packed.invert()?;
    let mut elements = packed.columns().iter().copied();
    let columns: Vec<u64> = (0..offsets.out_bits(Dim::OFFSET))
        .map(|bit| match used >> bit & 1 {
            1 => elements.next().unwrap_or(0),
            _ => 0,
        })
        .collect();
    let ins = [(Dim::OFFSET, offsets.out_size(Dim::OFFSET))];
    Ok(LinearLayout::from_columns(
        &ins,
        &dims,
        &columns,
        Surjectivity::Required,
    )?)
}

/// Converts a linear map from the dims to `offset` to a shared layout of Tilus.
///
/// # Errors
/// Returns an error if the map has an out-dim that is not `offset`, or needs more than one swizzle.
pub fn shared_from_linear(layout: &LinearLayout) -> Result<SharedLayout, BridgeError> {
    if let Some(dim) = layout.out_dims().find(|dim| *dim != Dim::OFFSET) {
        return Err(BridgeErrorKind::UnexpectedOutDim { dim }.into());
    }
    let shape: Vec<u64> = layout.in_shape().map(|(_, size)| size).collect();
    shared_from_cute(&super::cute_from_linear(layout)?, &shape)
}
