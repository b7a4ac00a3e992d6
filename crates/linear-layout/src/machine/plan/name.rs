//! Symbolic values of registers and memory during the execution of a plan.

use crate::number::narrow;

/// The symbolic value of a granule: the smallest part of an element that a plan moves separately.
pub(crate) trait Name: Copy + PartialEq {
    /// A register or cell that was never written.
    const NOTHING: Self;

    /// Returns the name of a granule, given the name of the element's first granule.
    fn granule(self, granule: usize) -> Self;

    /// Returns the combination of two elements of one operand, this one first, given the names of their first granules;
    /// `None` if elements are not combined.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// Returns the name of the number 0 as an element of an operand: an empty count, or a factor whose products add
    /// nothing.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Returns true if two elements of different operands correspond.
    fn corresponds_to(self, other: Self) -> bool;
}

/// The number of an element times the granules per element.
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

    fn corresponds_to(self, _: Self) -> bool {
        false
    }
}

/// An abstract element: everything that has been combined into an element.
pub(crate) trait AbstractElement: Copy + PartialEq {
    /// An element that was never written.
    const NOTHING: Self;

    /// Returns the combination of two elements, in this order.
    #[must_use]
    fn combined_with(self, other: Self) -> Self;

    /// The number 0: an empty count, or a factor whose products add nothing.
    const ZERO: Option<Self> = None;
}

/// A row of A's tile or a column of B's: its row or column of the tensor (`None` if all elements are zero) and the
/// index of its list of k.
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
    /// log2 of the values of k per name.
    pub(crate) packed_log2: usize,
    /// The scales of the line, if any, and log2 of the values of k per scale.
    pub(crate) scales: Option<(&'a [N], u8)>,
}

/// A tracker of matrix products over symbolic elements.
pub(crate) trait Products<N> {
    /// Returns the line of these elements; `None` if they do not belong to one line.
    fn line(&mut self, names: &LineNames<'_, N>) -> Option<Line>;

    /// Adds products to the sums of one register, which are at the same positions of each tile of m x n: to each sum,
    /// the product of its row and column. Returns `None` if row or column do not match, or a product was added before.
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
pub(crate) struct Granule<C> {
    pub(crate) cell: C,
    pub(crate) operand: u8,
    granule: u8,
}

impl<C> Granule<C> {
    pub(crate) const fn of(cell: C, operand: u8) -> Self {
        Self {
            cell,
            operand,
            granule: 0,
        }
    }

    /// Returns the cell if this is the first granule of an element of this operand.
    pub(crate) fn element_of(self, operand: u8) -> Option<C> {
        ((self.operand, self.granule) == (operand, 0)).then_some(self.cell)
    }
}

impl<C: AbstractElement> Name for Granule<C> {
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

    fn corresponds_to(self, other: Self) -> bool {
        self.cell == other.cell
    }
}
