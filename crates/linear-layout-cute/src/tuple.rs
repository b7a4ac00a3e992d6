//! Nested tuples, stored as a profile (the nesting) and the leaves in order.

use core::fmt;

use super::error::{CuteError, ErrorKind};
use smallvec::SmallVec;

/// The maximum number of nodes of a nested tuple, where each leaf and each tuple is a node.
pub(crate) const MAX_NODES: usize = 1024;

/// The nesting of a tuple in pre-order. 0 is a leaf; `k > 0` is a tuple of the next `k` items. `(4,(2,3))` is
/// `[2, 0, 2, 0, 0]`.
pub(crate) type Nodes = SmallVec<[u16; 12]>;
pub(crate) type Leaves<T> = SmallVec<[T; 8]>;

/// A nested tuple of values, such as `4`, `(4, 2)` or `(4, (2, 3))`.
///
/// `4` is a leaf, and differs from the tuple `(4)`. A tuple has at least one item. Up to eight leaves need no
/// allocation.
///
/// ```
/// use linear_layout_cute::IntTuple;
/// let shape: IntTuple = "(4,(2,3))".parse()?;
/// assert_eq!((shape.rank(), shape.depth(), shape.leaves()), (2, 2, &[4, 2, 3][..]));
/// assert_eq!(shape.item(1).unwrap().to_string(), "(2,3)");
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tuple<T> {
    nodes: Nodes,
    leaves: Leaves<T>,
}

/// A nested tuple of integers: a shape, a stride, or a coordinate.
pub type IntTuple = Tuple<i64>;

/// A nested coordinate. An entry is a number, or `None` (printed as `_`), which keeps the corresponding mode in a
/// slice.
pub type Coord = Tuple<Option<i64>>;

#[derive(Debug)]
pub(crate) struct TupleRef<'a, T> {
    pub(crate) nodes: &'a [u16],
    pub(crate) leaves: &'a [T],
}

impl<T> Clone for TupleRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TupleRef<'_, T> {}

/// Iterator over the items of a tuple. The only item of a leaf is the leaf itself.
#[derive(Clone, Debug)]
pub(crate) struct Items<'a, T> {
    nodes: &'a [u16],
    leaves: &'a [T],
}

impl<'a, T> Iterator for Items<'a, T> {
    type Item = TupleRef<'a, T>;

    #[inline]
    fn next(&mut self) -> Option<TupleRef<'a, T>> {
        if self.nodes.is_empty() {
            return None;
        }
        let (nodes, leaves) = first_item(self.nodes);
        let (item, rest) = self.nodes.split_at(nodes);
        let (item_leaves, rest_leaves) = self.leaves.split_at(leaves);
        self.nodes = rest;
        self.leaves = rest_leaves;
        Some(TupleRef {
            nodes: item,
            leaves: item_leaves,
        })
    }
}

/// Returns (number of nodes, number of leaves) of the item that starts at `nodes[0]`.
#[inline]
fn first_item(nodes: &[u16]) -> (usize, usize) {
    let (mut open, mut at, mut leaves) = (1, 0, 0);
    while open > 0 {
        let items = usize::from(nodes[at]);
        open = open - 1 + items;
        leaves += usize::from(items == 0);
        at += 1;
    }
    (at, leaves)
}

impl<'a, T> TupleRef<'a, T> {
    #[inline]
    pub(crate) fn is_leaf(self) -> bool {
        self.nodes[0] == 0
    }

    #[inline]
    pub(crate) fn rank(self) -> usize {
        usize::from(self.nodes[0]).max(1)
    }

    #[inline]
    pub(crate) fn items(self) -> Items<'a, T> {
        let first = usize::from(!self.is_leaf());
        Items {
            nodes: &self.nodes[first..],
            leaves: self.leaves,
        }
    }

    pub(crate) fn depth(self) -> usize {
        if self.is_leaf() {
            0
        } else {
            1 + self.items().map(Self::depth).max().unwrap_or(0)
        }
    }
}

impl<T: Copy + Default> TupleRef<'_, T> {
    #[inline]
    pub(crate) fn to_owned(self) -> Tuple<T> {
        Tuple {
            nodes: Nodes::from(self.nodes),
            leaves: Leaves::from(self.leaves),
        }
    }
}

impl<T: Copy + Default> Tuple<T> {
    /// Returns a leaf with the value `value`.
    #[inline]
    #[must_use]
    pub fn leaf(value: T) -> Self {
        Self {
            nodes: Nodes::from(&[0][..]),
            leaves: Leaves::from(&[value][..]),
        }
    }

    /// Returns the tuple `(values[0], values[1], ...)`, without nesting.
    /// # Errors
    /// Returns an error if there are no values or too many values.
    pub fn flat(values: &[T]) -> Result<Self, CuteError> {
        let mut tuple = Self::begin(values.len())?;
        tuple.nodes = flat_nodes(values.len());
        tuple.leaves = Leaves::from(values);
        Ok(tuple)
    }

    /// Returns the tuple of the items: `4` and `(2,3)` form `(4,(2,3))`.
    /// # Errors
    /// Returns an error if there are no items, or if the result has too many leaves and tuples.
    pub fn of<'a>(items: impl IntoIterator<Item = &'a Self>) -> Result<Self, CuteError>
    where
        T: 'a,
    {
        let mut builder = Builder::new();
        for item in items {
            builder.push(item.as_ref())?;
        }
        builder.finish()
    }

    fn begin(rank: usize) -> Result<Self, CuteError> {
        if rank == 0 {
            return Err(ErrorKind::EmptyTuple.into());
        }
        if rank >= MAX_NODES {
            return Err(ErrorKind::TooManyNodes { limit: MAX_NODES }.into());
        }
        Ok(Self {
            nodes: Nodes::new(),
            leaves: Leaves::new(),
        })
    }

    /// Returns the tuple with the nesting `nodes` and the values `leaves`. There must be one value for each leaf in
    /// `nodes`.
    #[inline]
    pub(crate) fn from_parts(nodes: Nodes, leaves: Leaves<T>) -> Self {
        Self { nodes, leaves }
    }

    #[inline]
    pub(crate) fn with_nodes(nodes: &[u16], leaves: Leaves<T>) -> Self {
        Self {
            nodes: Nodes::from(nodes),
            leaves,
        }
    }

    /// Returns a tuple of `leaves` without nesting. A single value becomes a leaf.
    #[inline]
    pub(crate) fn flattened(leaves: Leaves<T>) -> Self {
        let nodes = match leaves.len() {
            1 => Nodes::from(&[0][..]),
            len => flat_nodes(len),
        };
        Self { nodes, leaves }
    }

    #[inline]
    pub(crate) fn as_ref(&self) -> TupleRef<'_, T> {
        TupleRef {
            nodes: &self.nodes,
            leaves: &self.leaves,
        }
    }

    /// Returns the leaves, from left to right.
    #[inline]
    #[must_use]
    pub fn leaves(&self) -> &[T] {
        &self.leaves
    }

    #[inline]
    pub(crate) fn nodes(&self) -> &[u16] {
        &self.nodes
    }

    /// Returns true for a leaf, false for a tuple.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.as_ref().is_leaf()
    }

    /// Returns the number of items: 1 for a leaf.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.as_ref().rank()
    }

    /// Returns the nesting depth: 0 for a leaf, 1 for a flat tuple.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.as_ref().depth()
    }

    /// Returns item `index`, or `None` if there is no such item. Item 0 of a leaf is the leaf itself.
    #[must_use]
    pub fn item(&self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    /// Returns the items from left to right. The only item of a leaf is the leaf itself.
    pub fn items(&self) -> impl Iterator<Item = Self> + '_ {
        self.as_ref().items().map(TupleRef::to_owned)
    }

    /// Returns true if both tuples are nested in the same way.
    #[must_use]
    pub fn is_congruent<U: Copy + Default>(&self, other: &Tuple<U>) -> bool {
        *self.nodes == *other.nodes
    }

    pub(crate) fn map<U: Copy + Default>(&self, f: impl FnMut(&T) -> U) -> Tuple<U> {
        Tuple {
            nodes: self.nodes.clone(),
            leaves: self.leaves.iter().map(f).collect(),
        }
    }
}

#[inline]
fn flat_nodes(len: usize) -> Nodes {
    let mut nodes = Nodes::new();
    nodes.push(u16::try_from(len).unwrap_or(u16::MAX));
    for _ in 0..len {
        nodes.push(0);
    }
    nodes
}

#[derive(Debug)]
pub(crate) struct Builder<T> {
    rank: u16,
    nodes: Nodes,
    leaves: Leaves<T>,
}

impl<T: Copy + Default> Builder<T> {
    #[inline]
    pub(crate) fn new() -> Self {
        let mut nodes = Nodes::new();
        nodes.push(0);
        Self {
            rank: 0,
            nodes,
            leaves: Leaves::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: TupleRef<'_, T>) -> Result<(), CuteError> {
        if self.nodes.len() + item.nodes.len() > MAX_NODES {
            return Err(ErrorKind::TooManyNodes { limit: MAX_NODES }.into());
        }
        self.rank += 1;
        self.nodes.extend_from_slice(item.nodes);
        self.leaves.extend_from_slice(item.leaves);
        Ok(())
    }

    #[inline]
    pub(crate) fn push_leaf(&mut self, leaf: T) -> Result<(), CuteError> {
        self.push(TupleRef {
            nodes: &[0],
            leaves: &[leaf],
        })
    }

    /// Appends the items of `tuple`. The only item of a leaf is the leaf itself.
    #[inline]
    pub(crate) fn push_items(&mut self, tuple: TupleRef<'_, T>) -> Result<(), CuteError> {
        tuple.items().try_for_each(|item| self.push(item))
    }

    #[inline]
    pub(crate) fn finish(mut self) -> Result<Tuple<T>, CuteError> {
        if self.rank == 0 {
            return Err(ErrorKind::EmptyTuple.into());
        }
        self.nodes[0] = self.rank;
        Ok(Tuple {
            nodes: self.nodes,
            leaves: self.leaves,
        })
    }
}

impl<T: Copy + Default> From<T> for Tuple<T> {
    fn from(value: T) -> Self {
        Self::leaf(value)
    }
}

impl<T: Copy> TupleRef<'_, T> {
    pub(crate) fn write(
        self,
        f: &mut fmt::Formatter<'_>,
        write: &impl Fn(&mut fmt::Formatter<'_>, T) -> fmt::Result,
    ) -> fmt::Result {
        if self.is_leaf() {
            return write(f, self.leaves[0]);
        }
        for (i, item) in self.items().enumerate() {
            f.write_str(if i == 0 { "(" } else { "," })?;
            item.write(f, write)?;
        }
        f.write_str(")")
    }
}

/// Prints a tuple such as `(4,(2,3))`. With `{:#}`, numbers are marked as static, as CuTe does: `(_4,(_2,_3))`.
impl fmt::Display for Tuple<i64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().write(f, &write_int)
    }
}

/// Prints a coordinate such as `(1,_)`.
impl fmt::Display for Tuple<Option<i64>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().write(f, &|f, leaf| match leaf {
            Some(value) => write_int(f, value),
            None => f.write_str("_"),
        })
    }
}

pub(crate) fn write_int(f: &mut fmt::Formatter<'_>, value: i64) -> fmt::Result {
    let mark = if f.alternate() { "_" } else { "" };
    write!(f, "{mark}{value}")
}

impl fmt::Debug for Tuple<i64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IntTuple({self})")
    }
}

impl fmt::Debug for Tuple<Option<i64>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Coord({self})")
    }
}
