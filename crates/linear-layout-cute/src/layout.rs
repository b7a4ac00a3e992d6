//! CuTe layouts: a nested shape, with one stride per number.

use core::fmt;

use super::error::{CuteError, ErrorKind};
use super::mode::Mode;
use super::tuple::{IntTuple, Leaves, MAX_NODES, Tuple, TupleRef};

/// A function from coordinates to integers, given by a nested shape and one stride per number of the shape.
///
/// For example, `(4,2):(2,1)` has the coordinates (0..4, 0..2), and maps the coordinate (i, j) to 2 i + j:
/// ```text
///        j = 0  1
/// i = 0      0  1
///     1      2  3
///     2      4  5
///     3      6  7
/// ```
/// An integer is a coordinate, too, with the first mode fastest: 5 is (1, 1).
/// ```
/// use linear_layout_cute::Layout;
/// let layout: Layout = "(4,2):(2,1)".parse()?;
/// assert_eq!(layout.at(5)?, 3);
/// assert_eq!((layout.rank(), layout.size(), layout.cosize()), (2, 8, 8));
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
/// # Shape
/// The numbers of a shape are positive, and need not be powers of two. Strides are any integers. The size, the cosize
/// and all indices fit in an `i64`.
/// # Laws
/// Shape and stride are nested in the same way: they have the same *profile*.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    modes: Tuple<Mode>,
}

pub(crate) type LayoutRef<'a> = TupleRef<'a, Mode>;

impl Layout {
    /// Returns the layout `shape:stride`.
    ///
    /// ```
    /// use linear_layout_cute::{IntTuple, Layout};
    /// let layout = Layout::new(&IntTuple::flat(&[4, 2])?, &IntTuple::flat(&[2, 1])?)?;
    /// assert_eq!(layout.to_string(), "(4,2):(2,1)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if shape and stride are nested differently, if a number of the shape is less than 1, or if the
    /// size or an index does not fit in an `i64`.
    pub fn new(shape: &IntTuple, stride: &IntTuple) -> Result<Self, CuteError> {
        if !shape.is_congruent(stride) {
            return Err(ErrorKind::NotCongruent {
                shape: shape.to_string(),
                stride: stride.to_string(),
            }
            .into());
        }
        let modes = shape.leaves().iter().zip(stride.leaves());
        let modes = modes.map(|(&shape, &stride)| Mode { shape, stride });
        Self::checked(Tuple::with_nodes(shape.nodes(), modes.collect()))
    }

    /// Returns the layout `shape:stride`, which has one mode and no nesting.
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn scalar(shape: i64, stride: i64) -> Result<Self, CuteError> {
        Self::checked(Tuple::leaf(Mode { shape, stride }))
    }

    /// Returns the layout with the modes `modes`, which are not nested.
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new), and if there is no mode.
    pub fn flat(modes: &[Mode]) -> Result<Self, CuteError> {
        Self::checked(Tuple::flat(modes)?)
    }

    /// Nests the layouts as the modes of one layout: `(4,2):(2,1)` and `3:8` form `((4,2),3):((2,1),8)`.
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new), and if there are no layouts.
    pub fn concat<'a>(layouts: impl IntoIterator<Item = &'a Self>) -> Result<Self, CuteError> {
        Self::checked(Tuple::of(layouts.into_iter().map(|layout| &layout.modes))?)
    }

    /// Returns the compact layout with the first mode fastest: `(4,(2,3))` has the strides `(1,(4,8))`. As in C++, a
    /// mode of shape 1 has stride 0.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout = Layout::compact(&"(4,1,3)".parse()?)?;
    /// assert_eq!(layout.to_string(), "(4,1,3):(1,0,4)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn compact(shape: &IntTuple) -> Result<Self, CuteError> {
        let mut next = 1_i64;
        let mut modes = Leaves::new();
        for &shape in shape.leaves() {
            let stride = if shape == 1 { 0 } else { next };
            modes.push(Mode { shape, stride });
            next = next.checked_mul(shape).ok_or(ErrorKind::Overflow)?;
        }
        Self::checked(Tuple::with_nodes(shape.nodes(), modes))
    }

    #[inline]
    pub(crate) fn checked(modes: Tuple<Mode>) -> Result<Self, CuteError> {
        if modes.nodes().len() > MAX_NODES {
            return Err(ErrorKind::TooManyNodes { limit: MAX_NODES }.into());
        }
        check_numbers(modes.leaves())?;
        Ok(Self { modes })
    }

    /// Returns the layout with the modes `modes`. The modes are not checked.
    #[inline]
    pub(crate) fn trusted(modes: Tuple<Mode>) -> Self {
        Self { modes }
    }

    /// Returns the layout with the modes `modes`, which are not nested. If `modes` is empty, returns `1:0`. The
    /// modes are not checked.
    #[inline]
    pub(crate) fn of_modes(mut modes: Leaves<Mode>) -> Self {
        if modes.is_empty() {
            modes.push(Mode::new(1, 0));
        }
        Self::trusted(Tuple::flattened(modes))
    }

    #[inline]
    pub(crate) fn into_tuple(self) -> Tuple<Mode> {
        self.modes
    }

    #[inline]
    pub(crate) fn part(part: LayoutRef<'_>) -> Self {
        Self {
            modes: part.to_owned(),
        }
    }

    #[inline]
    pub(crate) fn as_ref(&self) -> LayoutRef<'_> {
        self.modes.as_ref()
    }

    #[inline]
    pub(crate) fn tuple(&self) -> &Tuple<Mode> {
        &self.modes
    }

    /// Returns the layout `1:0`: one element, at index 0.
    #[must_use]
    pub fn unit() -> Self {
        Self {
            modes: Tuple::leaf(Mode::new(1, 0)),
        }
    }

    /// Returns all leaves, from left to right.
    #[inline]
    #[must_use]
    pub fn leaves(&self) -> &[Mode] {
        self.modes.leaves()
    }

    /// Returns the shape.
    #[must_use]
    pub fn shape(&self) -> IntTuple {
        self.modes.map(|mode| mode.shape)
    }

    /// Returns the stride, nested like the shape.
    #[must_use]
    pub fn stride(&self) -> IntTuple {
        self.modes.map(|mode| mode.stride)
    }

    /// Returns the number of modes: 1 for a leaf.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.modes.rank()
    }

    /// Returns the nesting depth: 0 for `4:1`, 1 for `(4,2):(1,4)`.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.modes.depth()
    }

    /// Returns true for a single mode that is not a tuple.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.modes.is_leaf()
    }

    /// Returns the number of coordinates: the product of all numbers of the shape.
    #[must_use]
    pub fn size(&self) -> i64 {
        self.leaves().iter().map(|mode| mode.shape).product()
    }

    /// Returns 1 plus the sum of (shape - 1) * |stride| over all leaves. If no stride is negative, this is 1 plus
    /// the largest index.
    #[must_use]
    pub fn cosize(&self) -> i64 {
        let reach = |mode: &Mode| (mode.shape - 1) * mode.stride.abs();
        1 + self.leaves().iter().map(reach).sum::<i64>()
    }

    /// Returns mode `index`, or `None` if there is no such mode. Mode 0 of a leaf is the leaf itself.
    #[must_use]
    pub fn mode(&self, index: usize) -> Option<Self> {
        self.as_ref().items().nth(index).map(Self::part)
    }

    /// Returns the modes from left to right. The only mode of a leaf is the leaf itself.
    pub fn modes(&self) -> impl Iterator<Item = Self> + '_ {
        self.as_ref().items().map(Self::part)
    }

    /// Returns the index of an integer coordinate.
    ///
    /// Outside of 0..[`size`](Self::size), the last mode is treated as unbounded: `(4,2):(2,1)` has the index 2 at 8,
    /// and the index 5 = 3 * 2 - 1 at -1.
    /// # Errors
    /// Returns an error if the index does not fit in an `i64`, which is possible only outside of 0..size.
    #[inline]
    pub fn at(&self, coordinate: i64) -> Result<i64, CuteError> {
        at_of(self.leaves(), coordinate)
    }
}

/// Returns the index of an integer coordinate in the layout with the modes `modes`. The last mode is treated as
/// unbounded.
#[inline]
pub(crate) fn at_of(modes: &[Mode], coordinate: i64) -> Result<i64, CuteError> {
    let mut rest = coordinate;
    let mut index = 0_i64;
    if let [modes @ .., last] = modes {
        for mode in modes {
            index += rest.rem_euclid(mode.shape) * mode.stride;
            rest = rest.div_euclid(mode.shape);
        }
        let step = rest.checked_mul(last.stride).ok_or(ErrorKind::Overflow)?;
        index = index.checked_add(step).ok_or(ErrorKind::Overflow)?;
    }
    Ok(index)
}

/// Checks that the numbers of a shape are positive, and that the size and the cosize fit in an `i64`.
#[inline]
fn check_numbers(modes: &[Mode]) -> Result<(), CuteError> {
    let (mut size, mut cosize) = (1_i64, 1_i64);
    for (i, mode) in modes.iter().enumerate() {
        if mode.shape < 1 {
            return Err(ErrorKind::ShapeNotPositive {
                mode: i,
                found: mode.shape,
            }
            .into());
        }
        let reach = mode
            .stride
            .checked_abs()
            .and_then(|stride| (mode.shape - 1).checked_mul(stride))
            .and_then(|reach| cosize.checked_add(reach));
        match (size.checked_mul(mode.shape), reach) {
            (Some(product), Some(reach)) => (size, cosize) = (product, reach),
            _ => return Err(ErrorKind::Overflow.into()),
        }
    }
    Ok(())
}

/// Prints a layout such as `(4,(2,3)):(1,(4,8))`. With `{:#}`, numbers are marked as static:
/// `(_4,(_2,_3)):(_1,(_4,_8))`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modes = self.as_ref();
        modes.write(f, &|f, mode| super::tuple::write_int(f, mode.shape))?;
        f.write_str(":")?;
        modes.write(f, &|f, mode| super::tuple::write_int(f, mode.stride))
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layout({self})")
    }
}
