//! Comparison of layouts of different systems.

use core::fmt;

use super::bits::{coalesced, tuple_of};
use super::{BridgeError, ElementOrder, thread_value_from_tilus};
use crate::cute::{Layout, Mode};
use crate::layout::{Dim, LinearLayout};
use crate::tilus::RegisterLayout;

/// A layout that says which element of a tensor each value of each thread is, of any of the systems.
#[derive(Clone, Debug)]
pub enum Distributed {
    /// From `register`, `lane`, `warp` and `block` to `dim0`, `dim1`, ...
    Linear(LinearLayout),
    /// `((threads), (values))` to the number of the element in this order.
    ThreadValue(Layout, ElementOrder),
    /// A register layout of Tilus.
    Register(RegisterLayout),
}

/// The first difference between two layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// They are of tensors of other shapes.
    Shapes {
        /// That of the first.
        first: Vec<u64>,
        /// That of the second.
        second: Vec<u64>,
    },
    /// They have another number of threads, or of values for each.
    Sizes {
        /// Threads and values of the first.
        first: (u64, u64),
        /// Threads and values of the second.
        second: (u64, u64),
    },
    /// At this thread and value they have elements of these row-major numbers.
    At {
        /// The number of the thread.
        thread: u64,
        /// The number of the value.
        value: u64,
        /// The number of the first layout's element, which may be negative in CuTe.
        first: i64,
        /// The number of the second layout's.
        second: i64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shapes { first, second } => write!(
                f,
                "the first is of a tensor of shape {first:?}, the second of {second:?}"
            ),
            Self::Sizes { first, second } => write!(
                f,
                "the first has {} threads with {} values each, the second {} with {}",
                first.0, first.1, second.0, second.1
            ),
            Self::At {
                thread,
                value,
                first,
                second,
            } => write!(
                f,
                "value {value} of thread {thread} is element {first} in the first and {second} in the \
                 second"
            ),
        }
    }
}

/// A layout as the sum of what each digit of the thread and of the value gives: by adding, or by XOR.
enum Sums {
    /// Modes, coalesced.
    Added {
        threads: Vec<Mode>,
        values: Vec<Mode>,
    },
    Xored {
        threads: Vec<u64>,
        values: Vec<u64>,
    },
}

impl Distributed {
    /// The shape of the tensor; a thread-value layout has none.
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

    /// The numbers of elements, in this order, as sums.
    fn sums(&self, order: ElementOrder) -> Result<Sums, BridgeError> {
        let added = |layout: &Layout| match (layout.mode(0), layout.mode(1)) {
            (Some(threads), Some(values)) if layout.rank() == 2 => {
                let modes = |layout: Layout| coalesced(layout.leaves().iter().copied());
                Ok(Sums::Added {
                    threads: modes(threads),
                    values: modes(values),
                })
            }
            _ => Err(BridgeError::from(super::error::Kind::RankNotTwo {
                found: layout.rank(),
            })),
        };
        match self {
            Self::Linear(layout) => {
                let thread_dims = [Dim::LANE, Dim::WARP, Dim::BLOCK];
                for dim in layout.in_dims() {
                    if dim != Dim::REGISTER && !thread_dims.contains(&dim) {
                        return Err(super::error::Kind::NoSuchPlace { dim }.into());
                    }
                }
                // Packed so that the fastest dim is lowest.
                let mut outs = dims_in_order(layout);
                if order == ElementOrder::RowMajor {
                    outs.reverse();
                }
                let packed = layout.transpose_outs(&outs)?;
                let threads = thread_dims.iter().flat_map(|dim| packed.columns_of(*dim));
                Ok(Sums::Xored {
                    threads: threads.copied().collect(),
                    values: packed.columns_of(Dim::REGISTER).to_vec(),
                })
            }
            Self::ThreadValue(layout, _) => added(layout),
            Self::Register(layout) => added(&thread_value_from_tilus(layout, order)?),
        }
    }

    /// Tells where the other layout first differs; `None` where both give every value of every thread
    /// the same element.
    ///
    /// ```
    /// # use linear_layout::bridge::{Distributed, ElementOrder, linear_from_tilus};
    /// # use linear_layout::tilus::{RegisterLayout, spatial};
    /// let tilus = spatial(&[4, 8])?;
    /// let linear = Distributed::Linear(linear_from_tilus(&tilus, 32)?);
    /// let cute = Distributed::ThreadValue("((8,4),(1)):((4,1),(0))".parse()?, ElementOrder::ColumnMajor);
    /// assert_eq!(Distributed::Register(tilus).difference(&linear)?, None);
    /// assert_eq!(linear.difference(&cute)?, None);
    /// let other = Distributed::Register("spatial(4, 8).local(1, 1)".parse::<RegisterLayout>()?.permute(&[1, 0])?);
    /// assert_eq!(other.difference(&cute)?.unwrap().to_string(),
    ///     "value 0 of thread 1 is element 1 in the first and 4 in the second");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// Elements are compared by their numbers: in the order of the thread-value layout if there is one,
    /// else in row-major order.
    /// # Errors
    /// When a layout is none of threads and values, or two thread-value layouts number elements in
    /// different orders.
    pub fn difference(&self, other: &Self) -> Result<Option<Difference>, BridgeError> {
        if let (Some(first), Some(second)) = (self.shape(), other.shape())
            && first != second
        {
            return Ok(Some(Difference::Shapes { first, second }));
        }
        let order = match (self, other) {
            (Self::ThreadValue(_, order), _) | (_, Self::ThreadValue(_, order)) => *order,
            _ => ElementOrder::RowMajor,
        };
        let (first, second) = (self.sums(order)?, other.sums(order)?);
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

/// The out-dims in order of their numbers, if they have some.
fn dims_in_order(layout: &LinearLayout) -> Vec<Dim> {
    let mut outs: Vec<Dim> = layout.out_dims().collect();
    if outs.iter().all(|dim| dim.out_index().is_some()) {
        outs.sort_by_key(|dim| dim.out_index());
    }
    outs
}

/// Looks where two layouts that are known to differ do.
fn first_difference(first: &Sums, second: &Sums, threads: u64, values: u64) -> Option<Difference> {
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

impl Sums {
    fn sizes(&self) -> (u64, u64) {
        match self {
            Self::Added { threads, values } => {
                let size = |modes: &[Mode]| modes.iter().map(|m| m.shape.unsigned_abs()).product();
                (size(threads), size(values))
            }
            Self::Xored { threads, values } => (1 << threads.len(), 1 << values.len()),
        }
    }

    fn at(&self, thread: u64, value: u64) -> i64 {
        match self {
            Self::Added { threads, values } => {
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
            Self::Xored { threads, values } => {
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

    /// Returns true if both, of the same sizes, are the same everywhere.
    fn is_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Added { threads, values },
                Self::Added {
                    threads: other_threads,
                    values: other_values,
                },
            ) => threads == other_threads && values == other_values,
            (
                Self::Xored { threads, values },
                Self::Xored {
                    threads: other_threads,
                    values: other_values,
                },
            ) => threads == other_threads && values == other_values,
            (Self::Added { threads, values }, Self::Xored { .. }) => {
                // A sum is an XOR only if it is one of the whole, threads and values together.
                let both = tuple_of(&[threads.as_slice(), values.as_slice()].concat());
                let bases = both.and_then(|both| super::cute_bases(&both));
                matches!((bases, other), (Ok(bases), Self::Xored { threads, values })
                    if bases == [threads.as_slice(), values.as_slice()].concat())
            }
            (Self::Xored { .. }, Self::Added { .. }) => other.is_equal(self),
        }
    }
}
