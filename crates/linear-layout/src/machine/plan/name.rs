//! Symbolic values of registers and memory during the execution of a plan.

use crate::number::narrow;

/// The symbolic value of a granule, in an execution that computes with symbolic values instead of numbers. A
/// granule consists of a few consecutive bytes of an element.
pub(crate) trait Name: Copy + PartialEq {
    /// The value of a register or memory cell that was never written.
    const NOTHING: Self;

    /// Returns the name of granule `granule` of an element. `self` is the name of granule 0 of this element.
    fn granule(self, granule: usize) -> Self;

    /// Returns the name of the combination of two elements, or `None` if the elements cannot be combined. Both
    /// names must be those of granule 0. The order of the elements matters.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// Returns the name of the number 0, which is an empty count or a zero element of a matrix operand (A or B).
    /// Returns `None` if there is no such name.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Returns true if `self` and `other` name elements of two operands, at the same position in both.
    fn corresponds_to(self, other: Self) -> bool;
}

/// The name of granule `g` of an element is the name of granule 0 plus `g`.
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

/// A symbolic element that records which elements were combined into it.
pub(crate) trait AbstractElement: Copy + PartialEq {
    const NOTHING: Self;

    #[must_use]
    fn combined_with(self, other: Self) -> Self;

    /// The element that represents the number 0 (an empty count, or a zero element of a matrix operand), or `None`
    /// if there is no such element.
    const ZERO: Option<Self> = None;
}

/// A row of A or a column of B in a tile of a matrix instruction.
///
/// `owner` is the index of the row or column in the tensor, or `None` if all elements are zero. `ks` identifies an
/// interned list. This list contains one index along k for each element of the row or column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) owner: Option<u32>,
    pub(crate) ks: u32,
}

/// The elements of a row of A or of a column of B, ordered along k.
#[derive(Debug)]
pub(crate) struct LineNames<'a, N> {
    /// 0 if this is a row of A, 1 if it is a column of B.
    pub(crate) factor: usize,
    pub(crate) elements: &'a [N],
    /// log2 of the number of elements that one symbolic value represents. These elements are adjacent along k.
    pub(crate) packed_log2: usize,
    /// The scales, and log2 of the number of elements along k that one scale applies to. `None` if there are no
    /// scales.
    pub(crate) scales: Option<(&'a [N], u8)>,
}

/// A tracker that records which products of symbolic elements each sum contains.
pub(crate) trait Products<N> {
    /// Returns the row of A or column of B that the elements form, or `None` if they are not all in one row or
    /// column.
    fn line(&mut self, names: &LineNames<'_, N>) -> Option<Line>;

    /// Adds the product of two lines to each sum that a register holds. `sums` contains the sums of all threads.
    ///
    /// `lines` contains the rows of A and the columns of B, tile by tile. `places` contains the position
    /// `[row, column]` of each sum in its tile, which has the sizes `[m, n]`. The product multiplies line `row` of
    /// A by line `column` of B. Returns `None` if these lines do not match, or if a sum already contains the
    /// product.
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

    /// Returns the element if this is its first granule and the element is part of the operand `operand`, and
    /// `None` otherwise.
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
