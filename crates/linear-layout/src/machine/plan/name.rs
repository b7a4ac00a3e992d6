//! Symbolic values of registers and memory during the execution of a plan.

use crate::number::narrow;

/// A symbolic value: identifies an element and its granule.
pub(crate) trait Name: Copy + PartialEq {
    /// The value of a register or cell that was never written.
    const NOTHING: Self;

    /// Returns the name of granule `granule`. `self` is granule 0.
    fn granule(self, granule: usize) -> Self;

    /// Returns `None` if such elements cannot be combined. Both names are first granules. The order matters.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// The number 0: an empty count, or an element of A or B whose products add nothing.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Returns true for the same position in different operands.
    fn corresponds_to(self, other: Self) -> bool;
}

/// Number of the element times granules per element, plus number of the granule.
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

/// A symbolic element that records the elements combined into it.
pub(crate) trait AbstractElement: Copy + PartialEq {
    const NOTHING: Self;

    #[must_use]
    fn combined_with(self, other: Self) -> Self;

    /// The number 0: an empty count, or an element of A or B whose products add nothing.
    const ZERO: Option<Self> = None;
}

/// A row of A or column of B in a tile. `owner` is its index in the tensor (`None` if all elements are zero), `ks` the
/// number of the interned list of k.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) owner: Option<u32>,
    pub(crate) ks: u32,
}

/// A row of A or column of B, in the tile's order of k.
#[derive(Debug)]
pub(crate) struct LineNames<'a, N> {
    /// 0 for a row of A, 1 for a column of B.
    pub(crate) factor: usize,
    pub(crate) elements: &'a [N],
    /// log2 of the number of consecutive k per name.
    pub(crate) packed_log2: usize,
    /// The scales, and log2 of the number of k per scale.
    pub(crate) scales: Option<(&'a [N], u8)>,
}

/// A tracker of matrix products over symbolic elements.
pub(crate) trait Products<N> {
    /// Returns `None` if the elements do not belong to one row of A or column of B.
    fn line(&mut self, names: &LineNames<'_, N>) -> Option<Line>;

    /// Adds a product to each sum of one register. `places` are positions `[row, column]` in a tile with `sizes` m x n.
    /// The line of A is in the row, the line of B in the column. Returns `None` if the lines do not match, or if a
    /// product is repeated.
    fn add(
        &mut self,
        sums: &mut [N],
        places: &[[usize; 2]],
        lines: [&[Line]; 2],
        sizes: [usize; 2],
    ) -> Option<()>;
}

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

    /// Returns `None` for other granules than the first, and for other operands.
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
