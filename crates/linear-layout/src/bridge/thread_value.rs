//! Register layouts of Tilus as thread-value layouts of CuTe, and back.

use super::bits::{coalesced, inputs, linear_from_composed, tuple_of};
use super::error::{BridgeError, Kind};
use crate::cute::{ComposedLayout, Layout, Mode};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::tilus::RegisterLayout;

/// In which order the elements of a tensor are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementOrder {
    /// The last dim is the fastest, as in Tilus and in a tensor of a framework.
    RowMajor,
    /// The first dim is the fastest, as in a coordinate of CuTe.
    ColumnMajor,
}

impl ElementOrder {
    /// The dims, the fastest first.
    pub(super) fn dims(self, rank: usize) -> Vec<usize> {
        match self {
            Self::RowMajor => (0..rank).rev().collect(),
            Self::ColumnMajor => (0..rank).collect(),
        }
    }
}

/// What a step along each mode of a register layout adds to the number of the element.
pub(super) fn weights(
    layout: &RegisterLayout,
    order: ElementOrder,
) -> Result<Vec<i64>, BridgeError> {
    let groups: Vec<_> = layout.mode_groups().collect();
    let mut weights = vec![0; layout.mode_shape().len()];
    let mut weight = 1u64;
    for dim in order.dims(layout.rank()) {
        for mode in groups[dim].clone().rev() {
            weights[mode] = i64::try_from(weight).map_err(|_| Kind::TooLarge)?;
            // The product of all extents is at most 2^62.
            weight *= layout.mode_shape()[mode];
        }
    }
    Ok(weights)
}

/// Returns a register layout as `((threads), (values))`, which takes a thread and one of its values to
/// the number of the element.
///
/// There is one for every register layout: each mode is a mode there, in the other order, and a
/// replication is one of stride 0.
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
/// The number that `(t, v)` goes to is that of the element `index_of(t, v)` (property
/// `thread_value_layouts_agree_with_tilus`).
///
/// # Errors
/// When a layout of CuTe cannot be as large.
pub fn thread_value_from_tilus(
    layout: &RegisterLayout,
    order: ElementOrder,
) -> Result<Layout, BridgeError> {
    let weights = weights(layout, order)?;
    let extent = |extent: u64| i64::try_from(extent).map_err(|_| BridgeError::from(Kind::TooLarge));
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

/// Returns a thread-value layout of a tensor of this shape, whose elements are numbered in column-major order, as
/// a linear layout whose warps have this many lanes.
///
/// ```
/// # use linear_layout::bridge::{linear_from_thread_value, linear_from_tilus};
/// # use linear_layout::tilus::local;
/// let cute = "((4,8),(2,2)):((32,1),(16,8))".parse()?;
/// let tilus = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
/// assert_eq!(linear_from_thread_value(&cute, &[16, 8], 32)?, linear_from_tilus(&tilus, 32)?);
/// assert_eq!(linear_from_thread_value(&cute, &[8, 8], 32).unwrap_err().to_string(),
///     "the layout holds 128 elements, the tensor has 64");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Shape
/// (`register`: values, `lane`: at most `lanes`, `warp`: other threads, `block`: 1) -> (`dim0`, `dim1`, ...: the
/// shape).
///
/// # Errors
/// When the layout has not two modes, is no [linear map](linear_from_composed), or reaches other elements than the
/// tensor has; when the number of lanes is not a power of two.
pub fn linear_from_thread_value(
    layout: &ComposedLayout,
    shape: &[u64],
    lanes: u64,
) -> Result<LinearLayout, BridgeError> {
    if layout.layout.rank() != 2 {
        return Err(Kind::RankNotTwo {
            found: layout.layout.rank(),
        }
        .into());
    }
    let numbers = linear_from_composed(layout)?;
    // A swizzle keeps the digits within the same power of two or not: what counts is what is reached.
    let size = shape
        .iter()
        .try_fold(1u64, |size, extent| size.checked_mul(*extent))
        .ok_or(Kind::TooLarge)?;
    let reached = numbers.out_size(Dim::OFFSET);
    if reached != size {
        return Err(Kind::ElementsDiffer {
            found: i64::try_from(reached).map_err(|_| Kind::TooLarge)?,
            expected: size,
        }
        .into());
    }
    let (threads, values) = (Dim::out(0), Dim::out(1));
    let ins = inputs(numbers.in_size(values), numbers.in_size(threads), lanes)?;
    let outs: Vec<(Dim, u64)> = shape
        .iter()
        .enumerate()
        .map(|(dim, extent)| (Dim::out(dim), *extent))
        .collect();
    // A number in column-major order is a column as it is: the first out-dim is in the low bits.
    let columns = [numbers.columns_of(values), numbers.columns_of(threads)].concat();
    Ok(LinearLayout::from_columns(
        &ins,
        &outs,
        &columns,
        Surjectivity::Required,
    )?)
}

/// A digit of the number of an element, in the list of threads or in that of values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Digit {
    stride: i64,
    extent: i64,
    is_thread: bool,
    place: usize,
}

/// Returns a thread-value layout of CuTe as a register layout of a tensor of this shape.
///
/// It is one exactly if the modes, sorted by stride, step through the elements without gap or overlap,
/// the dims of the tensor begin and end at divisors of modes, and what has stride 0 are threads.
/// ```
/// # use linear_layout::bridge::{ElementOrder, tilus_from_thread_value};
/// let tv = "((4,8),(2,2)):((2,8),(1,64))".parse()?;
/// assert_eq!(tilus_from_thread_value(&tv, &[16, 8], ElementOrder::RowMajor)?,
///     "local(2, 1).spatial(8, 4).local(1, 2)".parse()?);
/// let tv = "((4,8),(2,2)):((2,8),(0,64))".parse()?;
/// assert_eq!(tilus_from_thread_value(&tv, &[16, 8], ElementOrder::RowMajor).unwrap_err().to_string(),
///     "2 values of a thread are one element: a mode of values has stride 0; a thread of Tilus holds \
///      an element once");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// When it is none, and why not; when the layout has not two modes, or the shape has an extent of zero.
pub fn tilus_from_thread_value(
    layout: &Layout,
    shape: &[u64],
    order: ElementOrder,
) -> Result<RegisterLayout, BridgeError> {
    let (2, Some(threads), Some(values)) = (layout.rank(), layout.mode(0), layout.mode(1)) else {
        return Err(Kind::RankNotTwo {
            found: layout.rank(),
        }
        .into());
    };
    let threads = coalesced(threads.leaves().iter().copied());
    let values = coalesced(values.leaves().iter().copied());
    if let Some(repeated) = values.iter().find(|mode| mode.stride == 0) {
        return Err(Kind::ValueRepeats {
            extent: repeated.shape,
        }
        .into());
    }
    let mut chain: Vec<Digit> = [(true, &threads), (false, &values)]
        .into_iter()
        .flat_map(|(is_thread, modes)| {
            modes.iter().enumerate().map(move |(place, mode)| Digit {
                stride: mode.stride,
                extent: mode.shape,
                is_thread,
                place,
            })
        })
        .filter(|digit| digit.stride != 0)
        .collect();
    chain.sort_unstable();
    let mut next = 1i64;
    for digit in &chain {
        if digit.stride != next {
            return Err(Kind::ChainBreaks {
                expected: next,
                found: Some(digit.stride),
            }
            .into());
        }
        next = next.checked_mul(digit.extent).ok_or(Kind::TooLarge)?;
    }
    let size = shape
        .iter()
        .try_fold(1u64, |size, extent| size.checked_mul(*extent))
        .ok_or(Kind::TooLarge)?;
    if u64::try_from(next) != Ok(size) {
        return Err(Kind::ElementsDiffer {
            found: next,
            expected: size,
        }
        .into());
    }
    // Each mode in parts, each inside one dim, the fastest first.
    let mut parts: Vec<(usize, u64, Digit)> = Vec::new();
    let mut dims = order.dims(shape.len()).into_iter();
    let (mut dim, mut left) = (0, 1);
    for digit in chain {
        let mut rest = digit.extent.unsigned_abs();
        while rest > 1 {
            while left == 1 {
                // The products agree, so that a dim is left while a mode is.
                let Some(next) = dims.next() else { break };
                (dim, left) = (next, shape[next]);
            }
            let part = if left.is_multiple_of(rest) {
                rest
            } else if rest.is_multiple_of(left) {
                left
            } else {
                return Err(Kind::DimInsideMode {
                    extent: digit.extent,
                    stride: digit.stride,
                    dim,
                    left,
                }
                .into());
            };
            parts.push((dim, part, digit));
            rest /= part;
            left /= part;
        }
    }
    // Modes go by dim, the slowest first; a stable sort keeps the order inside a dim.
    let mut modes: Vec<usize> = (0..parts.len()).rev().collect();
    modes.sort_by_key(|part| parts[*part].0);
    let mode_shape: Vec<u64> = modes.iter().map(|part| parts[*part].1).collect();
    let mut number = vec![0; parts.len()];
    for (mode, part) in modes.iter().enumerate() {
        number[*part] = i64::try_from(mode).map_err(|_| Kind::TooLarge)?;
    }
    // Inside one mode of CuTe the slow parts come first, whatever dims they are of.
    let list = |is_thread: bool, of: &[Mode]| -> Vec<i64> {
        let mut list = Vec::new();
        for (place, mode) in of.iter().enumerate().rev() {
            if mode.stride == 0 {
                list.push(-mode.shape);
            }
            let of_mode = |part: &usize| {
                let digit = parts[*part].2;
                digit.is_thread == is_thread && digit.place == place
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
