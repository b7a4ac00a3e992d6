//! Products of layouts: repetitions of a block.

use super::complement::free_positions;
use super::divide::{flat, tiled, zipped};
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::tiler::{Tiler, UntiledModes, by_tiler};
use super::tuple::{Builder, IntTuple};

impl Layout {
    /// Repeats the block `self`. In the result `(self, repetitions)`, the mode `repetitions` enumerates the blocks
    /// in the order of `tiler`. Blocks do not overlap.
    ///
    /// ```
    /// use linear_layout_cute::{Layout, Tiler};
    /// let block: Layout = "(2,2):(4,1)".parse()?;
    /// let product = block.logical_product(&Tiler::Layout("6:1".parse()?))?;
    /// assert_eq!(product.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// Mode 0 is `self`. Let `c` be the complement of `self`. Mode 1 is the [`composition`](Self::composition) of
    /// `c` and the tiler.
    /// # Errors
    /// Returns an error in the same cases as [`composition`](Self::composition), and if modes of `self` overlap.
    pub fn logical_product(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        by_tiler(self, tiler, UntiledModes::Kept, &Self::multiply_by_layout)
    }

    fn multiply_by_layout(&self, tiler: &Self) -> Result<Self, CuteError> {
        let cotarget = self.size().checked_mul(tiler.cosize());
        let cotarget = cotarget.ok_or(ErrorKind::Overflow)?;
        // The complement must have at least as many positions as the tiler. With uneven gaps, a complement of this
        // cosize may have fewer.
        let free = free_positions(self.leaves(), cotarget, tiler.cosize())?;
        Self::concat([self, &free.composition(tiler)?])
    }

    /// Returns [`logical_product`](Self::logical_product) with the blocks and the repetitions collected in two
    /// modes: `((blocks), (repetitions))`.
    /// # Errors
    /// Returns an error in the same cases as [`logical_product`](Self::logical_product), and if a tiler is
    /// [`Tiler::Keep`].
    pub fn zipped_product(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        zipped(&self.logical_product(tiler)?, tiler)
    }

    /// Returns [`zipped_product`](Self::zipped_product) with each repetition as a separate mode: `((blocks),
    /// repetition, ...)`.
    /// # Errors
    /// Returns an error in the same cases as [`zipped_product`](Self::zipped_product).
    pub fn tiled_product(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        tiled(&self.logical_product(tiler)?, tiler)
    }

    /// Returns [`zipped_product`](Self::zipped_product) with each block and each repetition as a separate mode:
    /// `(block, ..., repetition, ...)`.
    /// # Errors
    /// Returns an error in the same cases as [`zipped_product`](Self::zipped_product).
    pub fn flat_product(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        flat(&self.logical_product(tiler)?, tiler)
    }

    /// Multiplies `self` and `tiler` mode by mode. Each mode of the result is a pair `(block, repetition)`. The
    /// coordinate within the block is faster, so the elements of one block have consecutive coordinates along each
    /// mode.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let (block, tiler): (Layout, Layout) = ("(2,5):(5,1)".parse()?, "(3,4):(1,3)".parse()?);
    /// assert_eq!(block.blocked_product(&tiler)?.to_string(), "((2,3),(5,4)):((5,10),(1,30))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`logical_product`](Self::logical_product).
    pub fn blocked_product(&self, tiler: &Self) -> Result<Self, CuteError> {
        self.interleaved(tiler, |block, repetition| [block, repetition])
    }

    /// Multiplies `self` and `tiler` mode by mode. Each mode of the result is a pair `(repetition, block)`, so
    /// adjacent elements are in different blocks.
    /// # Errors
    /// Returns an error in the same cases as [`logical_product`](Self::logical_product).
    pub fn raked_product(&self, tiler: &Self) -> Result<Self, CuteError> {
        self.interleaved(tiler, |block, repetition| [repetition, block])
    }

    fn interleaved(
        &self,
        tiler: &Self,
        order: impl Fn(Self, Self) -> [Self; 2],
    ) -> Result<Self, CuteError> {
        let rank = self.rank().max(tiler.rank());
        let (mut block, mut tiler) = (self.append(rank)?, tiler.append(rank)?);
        if block.is_leaf() != tiler.is_leaf() {
            // A single mode corresponds to the only mode of the other layout.
            let leaf = if block.is_leaf() {
                &mut block
            } else {
                &mut tiler
            };
            *leaf = Self::concat([&*leaf])?;
        }
        let product = block.multiply_by_layout(&tiler)?;
        let (Some(blocks), Some(repetitions)) = (product.mode(0), product.mode(1)) else {
            return Err(ErrorKind::EmptyTuple.into());
        };
        if block.is_leaf() {
            return Self::concat(&order(blocks, repetitions));
        }
        let mut modes = Builder::new();
        for (block, repetition) in blocks.modes().zip(repetitions.modes()) {
            modes.push(Self::concat(&order(block, repetition))?.as_ref())?;
        }
        Self::checked(modes.finish()?)
    }

    /// Repeats the block `self` until it fills the shape `shape`. Repetitions along the mode with the lowest number
    /// in `order` are the fastest. Without `order`, mode 0 is the fastest.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let block: Layout = "(2,2):(2,1)".parse()?;
    /// let tiled = block.tile_to_shape(&"(4,6)".parse()?, Some(&"(1,0)".parse()?))?;
    /// assert_eq!(tiled.to_string(), "((2,2),(2,3)):((2,12),(1,4))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`logical_product`](Self::logical_product), and if the block has more
    /// modes than the shape or does not divide the shape.
    pub fn tile_to_shape(
        &self,
        shape: &IntTuple,
        order: Option<&IntTuple>,
    ) -> Result<Self, CuteError> {
        let rank = shape.rank();
        if self.rank() > rank {
            return Err(ErrorKind::RankTooLarge {
                what: "the block",
                found: self.rank(),
                of: "shape",
                most: rank,
            }
            .into());
        }
        let block = self.append(rank)?;
        let mut counts = Vec::new();
        for (i, (part, target)) in block.modes().zip(shape.items()).enumerate() {
            let (found, target) = (part.size(), target.product()?);
            if target < 1 || target % found != 0 {
                return Err(ErrorKind::BlockDoesNotDivide {
                    mode: i,
                    found,
                    target,
                }
                .into());
            }
            counts.push(target / found);
        }
        let counts = match shape.is_leaf() {
            true => IntTuple::leaf(counts[0]),
            false => IntTuple::flat(&counts)?,
        };
        let repetitions = match order {
            Some(order) => Self::ordered(&counts, order)?,
            None => Self::compact(&counts)?,
        };
        block.blocked_product(&repetitions)
    }
}
