//! Comparison of distributed layouts of different layout systems.

use core::fmt;

use super::bits::{coalesce, tuple_of};
use super::error::BridgeErrorKind;
use super::{BridgeError, ElementOrder, thread_value_from_tilus};
use crate::cute::{Layout, Mode};
use crate::layout::{Dim, LinearLayout};
use crate::tilus::RegisterLayout;

/// A distributed layout of any layout system: a map from a thread and a value to a tensor element.
#[derive(Clone, Debug)]
pub enum DistributedLayout {
    /// A linear layout from `register`, `lane`, `warp` and `block` to `dim0`, `dim1`, ...
    Linear(LinearLayout),
    /// A CuTe layout from `((threads), (values))` to the element index. The second field is the numbering order of
    /// the elements.
    ThreadValue(Layout, ElementOrder),
    /// A register layout of Tilus.
    Register(RegisterLayout),
}

/// The first difference between two layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The tensors have different shapes.
    Shapes {
        /// Shape of the first tensor.
        first: Vec<u64>,
        /// Shape of the second tensor.
        second: Vec<u64>,
    },
    /// The layouts have different numbers of threads, or different numbers of values per thread.
    Sizes {
        /// The pair (threads, values per thread) in the first layout.
        first: (u64, u64),
        /// The pair (threads, values per thread) in the second layout.
        second: (u64, u64),
    },
    /// The layouts map the same value of the same thread to different elements.
    At {
        /// Index of the thread.
        thread: u64,
        /// Index of the value within the thread.
        value: u64,
        /// Element index in the first layout. It can be negative for a CuTe layout.
        first: i64,
        /// Element index in the second layout.
        second: i64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shapes { first, second } => write!(
                f,
                "the first layout has tensor shape {first:?}, the second has {second:?}"
            ),
            Self::Sizes { first, second } => write!(
                f,
                "(threads, values per thread) is ({}, {}) in the first layout, but ({}, {}) in the second",
                first.0, first.1, second.0, second.1
            ),
            Self::At {
                thread,
                value,
                first,
                second,
            } => write!(
                f,
                "value {value} in thread {thread} is element {first} in the first layout, but element {second} \
                 in the second"
            ),
        }
    }
}

/// A map `(thread, value) -> element index`. It is either a sum over modes or an XOR over bits.
enum ElementIndexMap {
    Additive {
        threads: Vec<Mode>,
        values: Vec<Mode>,
    },
    Xor {
        threads: Vec<u64>,
        values: Vec<u64>,
    },
}

impl DistributedLayout {
    fn shape(&self) -> Option<Vec<u64>> {
        match self {
            Self::Linear(layout) => Some(
                dims_in_order(layout)
                    .into_iter()
                    .map(|dim| layout.out_size(dim))
                    .collect(),
            ),
            Self::ThreadValue(..) => None,
            Self::Register(layout) => Some(layout.shape().to_vec()),
        }
    }

    fn element_map(&self, order: ElementOrder) -> Result<ElementIndexMap, BridgeError> {
        let added = |layout: &Layout| match (layout.mode(0), layout.mode(1)) {
            (Some(threads), Some(values)) if layout.rank() == 2 => {
                let modes = |layout: Layout| coalesce(layout.leaves().iter().copied());
                Ok(ElementIndexMap::Additive {
                    threads: modes(threads),
                    values: modes(values),
                })
            }
            _ => Err(BridgeError::from(
                super::error::BridgeErrorKind::RankNotTwo {
                    found: layout.rank(),
                },
            )),
        };
        match self {
            Self::Linear(layout) => {
                let thread_dims = [Dim::LANE, Dim::WARP, Dim::BLOCK];
                for dim in layout.in_dims() {
                    if dim != Dim::REGISTER && !thread_dims.contains(&dim) {
                        return Err(super::error::BridgeErrorKind::UnexpectedDim { dim }.into());
                    }
                }
                // Packed so that the fastest dim is lowest.
                let mut outs = dims_in_order(layout);
                if order == ElementOrder::RowMajor {
                    outs.reverse();
                }
                let packed = layout.transpose_outs(&outs)?;
                let threads = thread_dims.iter().flat_map(|dim| packed.columns_of(*dim));
                Ok(ElementIndexMap::Xor {
                    threads: threads.copied().collect(),
                    values: packed.columns_of(Dim::REGISTER).to_vec(),
                })
            }
            Self::ThreadValue(layout, _) => added(layout),
            Self::Register(layout) => added(&thread_value_from_tilus(layout, order)?),
        }
    }

    /// Returns the first difference from `other`, or `None` if both layouts map every value of every thread to the
    /// same element.
    ///
    /// ```
    /// # use linear_layout::bridge::{DistributedLayout, ElementOrder, linear_from_tilus};
    /// # use linear_layout::tilus::{RegisterLayout, spatial};
    /// let tilus = spatial(&[4, 8])?;
    /// let linear = DistributedLayout::Linear(linear_from_tilus(&tilus, 32)?);
    /// let cute = DistributedLayout::ThreadValue("((8,4),(1)):((4,1),(0))".parse()?, ElementOrder::ColumnMajor);
    /// assert_eq!(DistributedLayout::Register(tilus).difference(&linear)?, None);
    /// assert_eq!(linear.difference(&cute)?, None);
    /// let other = DistributedLayout::Register("spatial(4, 8).local(1, 1)".parse::<RegisterLayout>()?.permute(&[1, 0])?);
    /// assert_eq!(other.difference(&cute)?.unwrap().to_string(),
    ///     "value 0 in thread 1 is element 1 in the first layout, but element 4 in the second");
    /// let row_major = DistributedLayout::ThreadValue("((8,4),(1)):((4,1),(0))".parse()?, ElementOrder::RowMajor);
    /// assert!(row_major.difference(&cute).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// Elements are compared by index. If one of the layouts is a thread-value layout, both number the elements in
    /// its order, and otherwise in row-major order.
    /// # Errors
    /// Returns an error if a layout does not map threads and values to elements, or if two thread-value layouts
    /// number the elements in different orders. In the second case, equal indices can mean different elements,
    /// depending on the shape.
    pub fn difference(&self, other: &Self) -> Result<Option<Difference>, BridgeError> {
        if let (Some(first), Some(second)) = (self.shape(), other.shape())
            && first != second
        {
            return Ok(Some(Difference::Shapes { first, second }));
        }
        let order = match (self, other) {
            (Self::ThreadValue(_, first), Self::ThreadValue(_, second)) if first != second => {
                return Err(BridgeErrorKind::OrdersDiffer.into());
            }
            (Self::ThreadValue(_, order), _) | (_, Self::ThreadValue(_, order)) => *order,
            _ => ElementOrder::RowMajor,
        };
        let (first, second) = (self.element_map(order)?, other.element_map(order)?);
        let sizes = (first.sizes(), second.sizes());
        if sizes.0 != sizes.1 {
            return Ok(Some(Difference::Sizes {
                first: sizes.0,
                second: sizes.1,
            }));
        }
        if first.is_equal(&second) {
            return Ok(None);
        }
        let (threads, values) = sizes.0;
        Ok(first_difference(&first, &second, threads, values))
    }
}

/// Returns the out-dims of `layout`. If every out-dim is a tensor dim `dim<i>`, they are sorted by `i`. Otherwise
/// they keep the order of the layout.
fn dims_in_order(layout: &LinearLayout) -> Vec<Dim> {
    let mut outs: Vec<Dim> = layout.out_dims().collect();
    if outs.iter().all(|dim| dim.out_index().is_some()) {
        outs.sort_by_key(|dim| dim.out_index());
    }
    outs
}

fn first_difference(
    first: &ElementIndexMap,
    second: &ElementIndexMap,
    threads: u64,
    values: u64,
) -> Option<Difference> {
    (0..threads).find_map(|thread| {
        (0..values).find_map(|value| {
            let (a, b) = (first.at(thread, value), second.at(thread, value));
            (a != b).then_some(Difference::At {
                thread,
                value,
                first: a,
                second: b,
            })
        })
    })
}

impl ElementIndexMap {
    fn sizes(&self) -> (u64, u64) {
        match self {
            Self::Additive { threads, values } => {
                let size = |modes: &[Mode]| modes.iter().map(|m| m.shape.unsigned_abs()).product();
                (size(threads), size(values))
            }
            Self::Xor { threads, values } => (1 << threads.len(), 1 << values.len()),
        }
    }

    fn at(&self, thread: u64, value: u64) -> i64 {
        match self {
            Self::Additive { threads, values } => {
                let at = |modes: &[Mode], i: u64| {
                    let mut rest = i64::try_from(i).unwrap_or(i64::MAX);
                    modes.iter().fold(0i64, |sum, mode| {
                        let digit = rest % mode.shape;
                        rest /= mode.shape;
                        sum.saturating_add(digit.saturating_mul(mode.stride))
                    })
                };
                at(threads, thread).saturating_add(at(values, value))
            }
            Self::Xor { threads, values } => {
                let xor = |columns: &[u64], x: u64| {
                    columns
                        .iter()
                        .enumerate()
                        .filter(|(bit, _)| x >> bit & 1 == 1)
                        .fold(0, |y, (_, column)| y ^ column)
                };
                i64::try_from(xor(threads, thread) ^ xor(values, value)).unwrap_or(i64::MAX)
            }
        }
    }

    fn is_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Additive { threads, values },
                Self::Additive {
                    threads: other_threads,
                    values: other_values,
                },
            ) => threads == other_threads && values == other_values,
            (
                Self::Xor { threads, values },
                Self::Xor {
                    threads: other_threads,
                    values: other_values,
                },
            ) => threads == other_threads && values == other_values,
            (Self::Additive { threads, values }, Self::Xor { .. }) => {
                // The bits of threads and values must be disjoint from each other too.
                let both = tuple_of(&[threads.as_slice(), values.as_slice()].concat());
                let bases = both.and_then(|both| super::cute_bases(&both));
                matches!((bases, other), (Ok(bases), Self::Xor { threads, values })
                    if bases == [threads.as_slice(), values.as_slice()].concat())
            }
            (Self::Xor { .. }, Self::Additive { .. }) => other.is_equal(self),
        }
    }
}
