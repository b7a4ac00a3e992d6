//! The names that values and memory hold while a plan is run.

use crate::number::narrow;

/// The name of a granule: of a part of an element, as large as the smallest that a plan moves alone.
pub(crate) trait Name: Copy + PartialEq {
    /// The name of a register or a cell that was never written.
    const NOTHING: Self;

    /// Returns the name of a granule of the element whose first granule has this name.
    fn granule(self, granule: usize) -> Self;

    /// Returns the combination of two elements of one operand, by the names of their first granules; this one comes
    /// earlier. Nothing where elements are not combined.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// The name of the number 0 as an element of an operand: it counts no element, and its products add nothing.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Whether two elements of different operands stand for the same.
    fn is_beside(self, other: Self) -> bool;
}

/// An element's number, times the granules of an element.
impl Name for u32 {
    const NOTHING: Self = Self::MAX;

    fn granule(self, granule: usize) -> Self {
        match self {
            Self::MAX => self,
            first => first + narrow::<u32>(granule),
        }
    }

    fn combined_with(self, _: Self) -> Option<Self> {
        None
    }

    fn is_beside(self, _: Self) -> bool {
        false
    }
}

/// What an element stands for that others have been combined into.
pub(crate) trait Cell: Copy + PartialEq {
    /// No element was written.
    const NOTHING: Self;

    /// Returns what the combination of two elements stands for, in this order.
    #[must_use]
    fn combined_with(self, other: Self) -> Self;

    /// What the number 0 stands for: a count of no element, a factor of products that add nothing.
    const ZERO: Option<Self> = None;
}

/// A row of A's tile or a column of B's: the row or column of the tensor that its elements are of, unless all of them
/// are zero, and the number of its list of k.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) owner: Option<u32>,
    pub(crate) ks: u32,
}

/// The elements of a line in the order of the tile's k, and its scales.
#[derive(Debug)]
pub(crate) struct LineNames<'a, N> {
    /// 0 for a row of A, 1 for a column of B.
    pub(crate) factor: usize,
    pub(crate) elements: &'a [N],
    /// log2 of the values of k that a name stands for.
    pub(crate) packed_log2: usize,
    /// The scales of a line that has some, and log2 of the values of k that each is for.
    pub(crate) scales: Option<(&'a [N], u8)>,
}

/// Products of matrices whose elements have such names.
pub(crate) trait Products<N> {
    /// Returns the line of these names. Nothing where they do not belong together.
    fn line(&mut self, names: &LineNames<'_, N>) -> Option<Line>;

    /// Adds products to the sums of one register, which are at the same places of each tile of m x n: to each, those of
    /// its row's elements with its column's. Nothing where they do not belong together, or one was added before.
    fn add(
        &mut self,
        sums: &mut [N],
        places: &[[usize; 2]],
        lines: [&[Line]; 2],
        sizes: [usize; 2],
    ) -> Option<()>;
}

/// A granule of an element of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part<C> {
    pub(crate) cell: C,
    pub(crate) operand: u8,
    granule: u8,
}

impl<C> Part<C> {
    /// The first granule of an element of an operand.
    pub(crate) const fn of(cell: C, operand: u8) -> Self {
        Self {
            cell,
            operand,
            granule: 0,
        }
    }

    /// Returns the cell of the first granule of an element of this operand.
    pub(crate) fn element_of(self, operand: u8) -> Option<C> {
        ((self.operand, self.granule) == (operand, 0)).then_some(self.cell)
    }
}

impl<C: Cell> Name for Part<C> {
    const NOTHING: Self = Self::of(C::NOTHING, 0);

    fn granule(self, granule: usize) -> Self {
        Self {
            granule: narrow(granule),
            ..self
        }
    }

    fn combined_with(self, other: Self) -> Option<Self> {
        let are_elements = (self.granule, other.granule) == (0, 0);
        let is_one = are_elements && self.operand == other.operand;
        is_one.then(|| Self::of(self.cell.combined_with(other.cell), self.operand))
    }

    fn zero(operand: u8) -> Option<Self> {
        C::ZERO.map(|cell| Self::of(cell, operand))
    }

    fn is_beside(self, other: Self) -> bool {
        self.cell == other.cell
    }
}
