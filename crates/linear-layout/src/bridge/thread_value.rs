//! Conversion between thread-value layouts of CuTe, register layouts of Tilus and linear layouts.

use super::bits::{coalesce, distributed_ins, linear_from_composed, tuple_of};
use super::error::{BridgeError, BridgeErrorKind};
use crate::cute::{ComposedLayout, Layout, Mode};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::tilus::RegisterLayout;

/// The numbering order of tensor elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementOrder {
    /// The last dim is the fastest, as in Tilus.
    RowMajor,
    /// The first dim is the fastest, as in CuTe.
    ColumnMajor,
}

impl ElementOrder {
    pub(super) fn dims(self, rank: usize) -> Vec<usize> {
        match self {
            Self::RowMajor => (0..rank).rev().collect(),
            Self::ColumnMajor => (0..rank).collect(),
        }
    }
}

/// Returns for each mode the distance between the element indices of two elements that differ by 1 in the mode's
/// digit.
pub(super) fn weights(
    layout: &RegisterLayout,
    order: ElementOrder,
) -> Result<Vec<i64>, BridgeError> {
    let groups: Vec<_> = layout.mode_groups().collect();
    let mut weights = vec![0; layout.mode_shape().len()];
    let mut weight = 1u64;
    for dim in order.dims(layout.rank()) {
        for mode in groups[dim].clone().rev() {
            weights[mode] = i64::try_from(weight).map_err(|_| BridgeErrorKind::TooLarge)?;
            // The product of all extents is at most 2^62.
            weight *= layout.mode_shape()[mode];
        }
    }
    Ok(weights)
}

/// Returns the equivalent CuTe layout `((threads), (values))`, which maps a thread and a value to the element index.
///
/// Every register layout has an equivalent CuTe layout: the same modes in reverse order, with stride 0 for
/// replications.
/// ```
/// # use linear_layout::bridge::{ElementOrder, thread_value_from_tilus};
/// # use linear_layout::tilus::local;
/// let mma = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
/// assert_eq!(thread_value_from_tilus(&mma, ElementOrder::RowMajor)?.to_string(),
///     "((4,8),(2,2)):((2,8),(1,64))");
/// assert_eq!(thread_value_from_tilus(&mma, ElementOrder::ColumnMajor)?.to_string(),
///     "((4,8),(2,2)):((32,1),(16,8))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Laws
/// `(t, v)` maps to the index of the element `index_of(t, v)` (property `thread_value_layouts_agree_with_tilus`).
///
/// # Errors
/// Returns an error if the sizes exceed the limits of CuTe layouts.
pub fn thread_value_from_tilus(
    layout: &RegisterLayout,
    order: ElementOrder,
) -> Result<Layout, BridgeError> {
    let weights = weights(layout, order)?;
    let extent = |extent: u64| {
        i64::try_from(extent).map_err(|_| BridgeError::from(BridgeErrorKind::TooLarge))
    };
    let mut threads = Vec::new();
    for &entry in layout.spatial_modes().iter().rev() {
        threads.push(match usize::try_from(entry) {
            Ok(mode) => Mode::new(extent(layout.mode_shape()[mode])?, weights[mode]),
            Err(_) => Mode::new(extent(entry.unsigned_abs())?, 0),
        });
    }
    let mut values = Vec::new();
    for &mode in layout.local_modes().iter().rev() {
        values.push(Mode::new(extent(layout.mode_shape()[mode])?, weights[mode]));
    }
    Ok(Layout::concat(&[tuple_of(&threads)?, tuple_of(&values)?])?)
}

/// Converts a thread-value layout of a tensor of shape `shape` to a linear layout for warps of `lanes` lanes.
/// The thread-value layout numbers the elements in column-major order.
///
/// ```
/// # use linear_layout::bridge::{linear_from_thread_value, linear_from_tilus};
/// # use linear_layout::tilus::local;
/// let cute = "((4,8),(2,2)):((32,1),(16,8))".parse()?;
/// let tilus = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
/// assert_eq!(linear_from_thread_value(&cute, &[16, 8], 32)?, linear_from_tilus(&tilus, 32)?);
/// assert_eq!(linear_from_thread_value(&cute, &[8, 8], 32).unwrap_err().to_string(),
///     "the layout holds 128 elements, but the tensor has 64");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Shape
/// (`register`: values, `lane`: at most `lanes`, `warp`: other threads, `block`: 1) -> (`dim0`, `dim1`, ...:
/// the shape).
///
/// # Errors
/// Returns an error if the layout does not have two modes, is not a [linear map](linear_from_composed), or does
/// not reach all elements of the tensor, or if `lanes` is not a power of two.
pub fn linear_from_thread_value(
    layout: &ComposedLayout,
    shape: &[u64],
    lanes: u64,
) -> Result<LinearLayout, BridgeError> {
    if layout.layout.rank() != 2 {
        return Err(BridgeErrorKind::RankNotTwo {
            found: layout.layout.rank(),
        }
        .into());
    }
    let numbers = linear_from_composed(layout)?;
    let size = shape
        .iter()
        .try_fold(1u64, |size, extent| size.checked_mul(*extent))
        .ok_or(BridgeErrorKind::TooLarge)?;
    let size_of_image = numbers.out_size(Dim::OFFSET);
    if size_of_image != size {
        return Err(BridgeErrorKind::ElementsDiffer {
            found: i64::try_from(size_of_image).map_err(|_| BridgeErrorKind::TooLarge)?,
            expected: size,
        }
        .into());
    }
    let (threads, values) = (Dim::out(0), Dim::out(1));
    let ins = distributed_ins(numbers.in_size(values), numbers.in_size(threads), lanes)?;
    let outs: Vec<(Dim, u64)> = shape
        .iter()
        .enumerate()
        .map(|(dim, extent)| (Dim::out(dim), *extent))
        .collect();
    // An index in column-major order is a packed column: the first out-dim is in the low bits.
    let columns = [numbers.columns_of(values), numbers.columns_of(threads)].concat();
    Ok(LinearLayout::from_columns(
        &ins,
        &outs,
        &columns,
        Surjectivity::Required,
    )?)
}

/// A thread mode or a value mode of a thread-value layout. Modes are ordered by stride first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StridedMode {
    stride: i64,
    extent: i64,
    is_thread: bool,
    index: usize,
}

/// Returns the register layout of a tensor of shape `shape` that is equivalent to a thread-value layout of CuTe.
///
/// The register layout exists if and only if
/// - the modes, sorted by stride, enumerate the elements without gap or overlap,
/// - each boundary between dims is a boundary between modes or divides the extent of a mode, and
/// - only thread modes have stride 0.
///
/// ```
/// # use linear_layout::bridge::{ElementOrder, tilus_from_thread_value};
/// let tv = "((4,8),(2,2)):((2,8),(1,64))".parse()?;
/// assert_eq!(tilus_from_thread_value(&tv, &[16, 8], ElementOrder::RowMajor)?,
///     "local(2, 1).spatial(8, 4).local(1, 2)".parse()?);
/// let tv = "((4,8),(2,2)):((2,8),(0,64))".parse()?;
/// assert_eq!(tilus_from_thread_value(&tv, &[16, 8], ElementOrder::RowMajor).unwrap_err().to_string(),
///     "a value mode with extent 2 has stride 0; expected another stride, because Tilus requires distinct \
///      elements in a thread");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error that names the violated condition. Also returns an error if the layout does not have two modes, or
/// the shape has an extent of zero.
pub fn tilus_from_thread_value(
    layout: &Layout,
    shape: &[u64],
    order: ElementOrder,
) -> Result<RegisterLayout, BridgeError> {
    let (2, Some(threads), Some(values)) = (layout.rank(), layout.mode(0), layout.mode(1)) else {
        return Err(BridgeErrorKind::RankNotTwo {
            found: layout.rank(),
        }
        .into());
    };
    let threads = coalesce(threads.leaves().iter().copied());
    let values = coalesce(values.leaves().iter().copied());
    if let Some(repeated) = values.iter().find(|mode| mode.stride == 0) {
        return Err(BridgeErrorKind::ValueRepeats {
            extent: repeated.shape,
        }
        .into());
    }
    let mut chain: Vec<StridedMode> = [(true, &threads), (false, &values)]
        .into_iter()
        .flat_map(|(is_thread, modes)| {
            modes
                .iter()
                .enumerate()
                .map(move |(index, mode)| StridedMode {
                    stride: mode.stride,
                    extent: mode.shape,
                    is_thread,
                    index,
                })
        })
        .filter(|digit| digit.stride != 0)
        .collect();
    chain.sort_unstable();
    let mut next = 1i64;
    for digit in &chain {
        if digit.stride != next {
            return Err(BridgeErrorKind::ChainBreaks {
                expected: next,
                found: digit.stride,
            }
            .into());
        }
        next = next
            .checked_mul(digit.extent)
            .ok_or(BridgeErrorKind::TooLarge)?;
    }
    let size = shape
        .iter()
        .try_fold(1u64, |size, extent| size.checked_mul(*extent))
        .ok_or(BridgeErrorKind::TooLarge)?;
    if u64::try_from(next) != Ok(size) {
        return Err(BridgeErrorKind::ElementsDiffer {
            found: next,
            expected: size,
        }
        .into());
    }
    // Split modes at the bounds of dims, the fastest first.
    let mut parts: Vec<(usize, u64, StridedMode)> = Vec::new();
    let mut dims = order.dims(shape.len()).into_iter();
    let (mut dim, mut remaining) = (0, 1);
    for digit in chain {
        let mut rest = digit.extent.unsigned_abs();
        while rest > 1 {
            while remaining == 1 {
                // The products agree, so a dim remains while a mode does.
                let Some(next) = dims.next() else { break };
                (dim, remaining) = (next, shape[next]);
            }
            let part = if remaining.is_multiple_of(rest) {
                rest
            } else if rest.is_multiple_of(remaining) {
                remaining
            } else {
                return Err(BridgeErrorKind::DimInsideMode {
                    extent: digit.extent,
                    stride: digit.stride,
                    dim,
                    rest,
                    remaining,
                }
                .into());
            };
            parts.push((dim, part, digit));
            rest /= part;
            remaining /= part;
        }
    }
    // Modes go by dim, the slowest first; a stable sort keeps the order inside a dim.
    let mut modes: Vec<usize> = (0..parts.len()).rev().collect();
    modes.sort_by_key(|part| parts[*part].0);
    let mode_shape: Vec<u64> = modes.iter().map(|part| parts[*part].1).collect();
    let mut number = vec![0; parts.len()];
    for (mode, part) in modes.iter().enumerate() {
        number[*part] = i64::try_from(mode).map_err(|_| BridgeErrorKind::TooLarge)?;
    }
    // Within a mode of CuTe the slow parts come first, regardless of their dims.
    let list = |is_thread: bool, of: &[Mode]| -> Vec<i64> {
        let mut list = Vec::new();
        for (index, mode) in of.iter().enumerate().rev() {
            if mode.stride == 0 {
                list.push(-mode.shape);
            }
            let of_mode = |part: &usize| {
                let digit = parts[*part].2;
                digit.is_thread == is_thread && digit.index == index
            };
            let parts = (0..parts.len()).rev().filter(of_mode);
            list.extend(parts.map(|part| number[part]));
        }
        list
    };
    Ok(RegisterLayout::new(
        shape,
        &mode_shape,
        &list(true, &threads),
        &list(false, &values),
    )?)
}
