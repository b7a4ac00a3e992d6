//! Coordinates: conversion between integers and nested tuples, and slices.

use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::tuple::{Builder, Coord, IntTuple, TupleRef};

impl Layout {
    /// Returns the index of a coordinate. The coordinate is a number, or a tuple that is at most as deeply nested
    /// as the shape.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,(2,3)):(6,(3,1))".parse()?;
    /// assert_eq!(layout.apply(&"(2,(1,2))".parse()?)?, 17);
    /// assert_eq!(layout.apply(&"(2,5)".parse()?)?, 17);
    /// assert_eq!(layout.apply(&22.into())?, 17);
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the coordinate has a tuple where the shape has a number or a tuple of another rank, or
    /// if the index does not fit in an `i64`.
    pub fn apply(&self, coordinate: &IntTuple) -> Result<i64, CuteError> {
        fn go(part: TupleRef<'_, Mode>, coordinate: TupleRef<'_, i64>) -> Result<i64, CuteError> {
            if coordinate.is_leaf() {
                return super::layout::at_of(part.leaves, coordinate.leaves[0]);
            }
            fits(part.is_leaf(), part.rank(), coordinate.rank())?;
            let mut index = 0_i64;
            for (part, coordinate) in part.items().zip(coordinate.items()) {
                index = index
                    .checked_add(go(part, coordinate)?)
                    .ok_or(ErrorKind::Overflow)?;
            }
            Ok(index)
        }
        go(self.as_ref(), coordinate.as_ref())
    }

    /// Converts an integer coordinate to a tuple that is nested like the shape: 5 is (1, 1) in the shape (4,2).
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,(2,3)):(6,(3,1))".parse()?;
    /// assert_eq!(layout.coordinate_of(22).to_string(), "(2,(1,2))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    #[must_use]
    pub fn coordinate_of(&self, number: i64) -> IntTuple {
        self.shape().coordinate_of(number)
    }
}

fn fits(is_leaf: bool, rank: usize, found: usize) -> Result<(), CuteError> {
    if is_leaf || rank != found {
        let what = "the coordinate";
        let expected = if is_leaf { 0 } else { rank };
        return Err(ErrorKind::RankDiffers {
            what,
            found,
            expected,
        }
        .into());
    }
    Ok(())
}

impl IntTuple {
    /// Converts an integer coordinate to a tuple that is nested like this shape (CuTe's `idx2crd`), with the first mode
    /// fastest. Integers outside of 0..size wrap around.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// let shape: IntTuple = "(4,(2,3))".parse()?;
    /// assert_eq!(shape.coordinate_of(22).to_string(), "(2,(1,2))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    #[must_use]
    pub fn coordinate_of(&self, number: i64) -> Self {
        let mut rest = number;
        self.map(|&shape| {
            // Sizes below 1 are treated as 1; the coordinate is 0.
            let shape = shape.max(1);
            let here = rest.rem_euclid(shape);
            rest = rest.div_euclid(shape);
            here
        })
    }

    /// Converts a coordinate to the equivalent integer coordinate in this shape, with the first mode fastest
    /// (CuTe's `crd2idx` with compact strides).
    /// # Errors
    /// Returns an error if the coordinate does not match the shape, or if the size of the shape or the result does
    /// not fit in an `i64`.
    pub fn number_of(&self, coordinate: &Self) -> Result<i64, CuteError> {
        Layout::new(self, &self.prefix_product()?)?.apply(coordinate)
    }

    /// Converts a coordinate to the equivalent coordinate that is nested like this shape (CuTe's `crd2crd`). If
    /// both the shape and the coordinate are integers, the coordinate is unchanged.
    ///
    /// ```
    /// use linear_layout_cute::IntTuple;
    /// let shape: IntTuple = "(4,(2,3))".parse()?;
    /// assert_eq!(shape.congruent_coordinate(&"(2,5)".parse()?)?.to_string(), "(2,(1,2))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the coordinate has a tuple where the shape has a number or a tuple of another rank.
    pub fn congruent_coordinate(&self, coordinate: &Self) -> Result<Self, CuteError> {
        fn go(
            shape: TupleRef<'_, i64>,
            coordinate: TupleRef<'_, i64>,
        ) -> Result<IntTuple, CuteError> {
            if coordinate.is_leaf() {
                return Ok(match shape.is_leaf() {
                    true => coordinate.to_owned(),
                    false => shape.to_owned().coordinate_of(coordinate.leaves[0]),
                });
            }
            fits(shape.is_leaf(), shape.rank(), coordinate.rank())?;
            let mut found = Builder::new();
            for (shape, coordinate) in shape.items().zip(coordinate.items()) {
                found.push(go(shape, coordinate)?.as_ref())?;
            }
            found.finish()
        }
        go(self.as_ref(), coordinate.as_ref())
    }
}

/// A slice of a layout: the layout of the modes for which the coordinate has `_`, and the offset that the other,
/// fixed modes contribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The layout of the modes for which the coordinate has `_`, as one tuple.
    pub layout: Layout,
    /// The index of the first element of the slice, whose coordinate has 0 in place of each `_`.
    pub offset: i64,
}

impl Layout {
    /// Returns the slice of the layout at a coordinate (CuTe's `slice_and_offset`). It consists of the layout of
    /// the modes for which the coordinate has `_`, and the index of the slice's first element.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,(2,3)):(1,(4,8))".parse()?;
    /// let slice = layout.slice(&"(_,(1,_))".parse()?)?;
    /// assert_eq!((slice.layout.to_string().as_str(), slice.offset), ("(4,3):(1,8)", 4));
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `self.apply(c) == slice.offset + slice.layout.apply(k)`, where c is the coordinate in which the numbers of k
    /// replace the entries `_`.
    /// # Errors
    /// Returns an error if the coordinate keeps no mode, or does not match the shape.
    pub fn slice(&self, coordinate: &Coord) -> Result<Slice, CuteError> {
        let mut parts = Parts {
            kept: Builder::new(),
            fixed: Builder::new(),
            numbers: Builder::new(),
        };
        parts.split(self.as_ref(), coordinate.as_ref())?;
        if !coordinate.leaves().contains(&None) {
            return Err(ErrorKind::NothingKept.into());
        }
        let layout = Self::checked(parts.kept.finish()?)?;
        let offset = match coordinate.leaves().iter().all(Option::is_none) {
            true => 0,
            false => Self::checked(parts.fixed.finish()?)?.apply(&parts.numbers.finish()?)?,
        };
        Ok(Slice { layout, offset })
    }

    /// Returns the layout of the modes for which the coordinate has a number (CuTe's `dice`). These are the modes
    /// that [`slice`](Self::slice) fixes.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,(2,3)):(1,(4,8))".parse()?;
    /// assert_eq!(layout.dice(&"(0,(_,0))".parse()?)?.to_string(), "(4,3):(1,8)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the coordinate has no number, or does not match the shape.
    pub fn dice(&self, coordinate: &Coord) -> Result<Self, CuteError> {
        let flipped = coordinate.map(|leaf| match leaf {
            Some(_) => None,
            None => Some(0),
        });
        Ok(self.slice(&flipped)?.layout)
    }
}

struct Parts {
    kept: Builder<Mode>,
    fixed: Builder<Mode>,
    numbers: Builder<i64>,
}

impl Parts {
    fn split(
        &mut self,
        part: TupleRef<'_, Mode>,
        coordinate: TupleRef<'_, Option<i64>>,
    ) -> Result<(), CuteError> {
        if coordinate.is_leaf() {
            return match coordinate.leaves[0] {
                None => self.kept.push(part),
                Some(number) => {
                    self.fixed.push(part)?;
                    self.numbers.push_leaf(number)
                }
            };
        }
        fits(part.is_leaf(), part.rank(), coordinate.rank())?;
        let mut items = part.items().zip(coordinate.items());
        items.try_for_each(|(part, coordinate)| self.split(part, coordinate))
    }
}
