//! Layouts of tensors in global memory.

use std::sync::Arc;

use super::Extents;
use super::TilusError;
use super::error::ErrorKind;
use super::multi_function::row_major_number;
use super::register_layout::{MAX_SIZE, check_count, check_extents, product};

/// A layout in global memory: maps each element of a tensor to an offset.
///
/// ```
/// # use linear_layout_tilus::GlobalLayout;
/// let tiles = GlobalLayout::row_major(&[2, 3])?.compose(&GlobalLayout::row_major(&[2, 2])?)?;
/// assert_eq!(tiles.offset_of(&[3, 2])?, 4 * (1 * 3 + 1) + (1 * 2 + 0));
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Units
/// Offsets count elements.
#[derive(Clone, Debug)]
pub struct GlobalLayout {
    shape: Extents,
    size: u64,
    map: Arc<Map>,
}

#[derive(Debug)]
enum Map {
    Strides(Extents),
    /// The composition of two layouts. A tile with the second layout replaces each element of the first layout.
    Tiles(GlobalLayout, GlobalLayout),
    /// The layout of a sub-tensor of a tensor with the layout `of`. The sub-tensor starts at the element `first`,
    /// and extends along the dims `dims`.
    Part {
        of: GlobalLayout,
        first: Extents,
        dims: Vec<usize>,
    },
}

impl GlobalLayout {
    /// Returns the layout with the stride `strides[i]` for dim `i`.
    ///
    /// ```
    /// # use linear_layout_tilus::GlobalLayout;
    /// assert_eq!(GlobalLayout::strided(&[3, 4], &[8, 2])?.offset_of(&[2, 3])?, 22);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if an extent is zero, if the number of strides differs from the number of dims, or if an offset
    /// would be too large.
    pub fn strided(shape: &[u64], strides: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        check_count("strides", strides.len(), "dim", shape.len())?;
        let reach = shape.iter().zip(strides).try_fold(0u64, |last, (e, s)| {
            last.checked_add((e - 1).checked_mul(*s)?)
        });
        if reach.is_none_or(|last| last >= MAX_SIZE) {
            return Err(ErrorKind::TooLarge {
                what: "largest offset",
            }
            .into());
        }
        Ok(Self {
            shape: shape.into(),
            size: shape.iter().product(),
            map: Arc::new(Map::Strides(strides.into())),
        })
    }

    /// Returns the compact layout with the last dim fastest.
    ///
    /// # Errors
    /// Returns an error if an extent is zero, or if the product of the extents is too large.
    pub fn row_major(shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        let strides = (0..shape.len()).map(|dim| shape[dim + 1..].iter().product());
        Self::strided(shape, &strides.collect::<Extents>())
    }

    /// Returns the compact layout with the first dim fastest.
    ///
    /// # Errors
    /// Returns an error if an extent is zero, or if the product of the extents is too large.
    pub fn column_major(shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        let strides = (0..shape.len()).map(|dim| shape[..dim].iter().product());
        Self::strided(shape, &strides.collect::<Extents>())
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the number of elements of the tensor.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the offset of an element.
    ///
    /// # Errors
    /// Returns an error if
    /// - the index has another rank or is out of bounds,
    /// - the offset is too large, or
    /// - the layout is that of a sub-tensor, and the element precedes the sub-tensor's first element in memory.
    pub fn offset_of(&self, index: &[u64]) -> Result<u64, TilusError> {
        row_major_number(index, &self.shape)?;
        self.offset(index)
    }

    fn offset(&self, index: &[u64]) -> Result<u64, TilusError> {
        let too_large = || {
            TilusError::from(ErrorKind::TooLarge {
                what: "largest offset",
            })
        };
        match &*self.map {
            Map::Strides(strides) => index
                .iter()
                .zip(strides.iter())
                .try_fold(0u64, |sum, (i, s)| sum.checked_add(i.checked_mul(*s)?))
                .ok_or_else(too_large),
            Map::Tiles(outer, inner) => {
                let tiles = index.iter().zip(inner.shape.iter());
                let (tile, inside): (Vec<u64>, Vec<u64>) =
                    tiles.map(|(i, extent)| (i / extent, i % extent)).unzip();
                outer
                    .offset(&tile)?
                    .checked_mul(inner.size)
                    .and_then(|offset| offset.checked_add(inner.offset(&inside).ok()?))
                    .ok_or_else(too_large)
            }
            Map::Part { of, first, dims } => {
                let mut whole: Extents = first.clone();
                for (dim, i) in dims.iter().zip(index) {
                    whole[*dim] = whole[*dim].checked_add(*i).ok_or_else(too_large)?;
                }
                of.offset(&whole)?
                    .checked_sub(of.offset(first)?)
                    .ok_or_else(|| ErrorKind::BeforeFirst.into())
            }
        }
    }

    /// Returns the composition of two layouts, in which a tile with the layout `inner` replaces each element of
    /// `self`.
    ///
    /// # Laws
    /// `self.compose(&inner)` maps `i * inner.shape + j` to the offset of `i` in `self` times the size of `inner`,
    /// plus the offset of `j` in `inner` (property `global_composition_is_tiles_of_tiles`).
    ///
    /// # Errors
    /// Returns an error if the ranks differ, or if the result is too large.
    pub fn compose(&self, inner: &Self) -> Result<Self, TilusError> {
        check_count(
            "dims in the tile",
            inner.shape.len(),
            "dim",
            self.shape.len(),
        )?;
        let mut shape = Extents::new();
        for (a, b) in self.shape.iter().zip(inner.shape.iter()) {
            shape.push(product([*a, *b], "shape")?);
        }
        Ok(Self {
            size: product([self.size, inner.size], "shape")?,
            shape,
            map: Arc::new(Map::Tiles(self.clone(), inner.clone())),
        })
    }

    /// Returns the layout of a sub-tensor. The sub-tensor starts at the element `first`, and has the extent
    /// `shape[i]` along dim `dims[i]`. Offsets are relative to the element `first`.
    /// ```
    /// # use linear_layout_tilus::GlobalLayout;
    /// let rows = GlobalLayout::row_major(&[6, 8])?.slice(&[1, 2], &[0], &[3])?;
    /// assert_eq!(rows.offset_of(&[2])?, 16);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if `first` has another rank, if the number of extents differs from the number of `dims`, if
    /// a dim is missing or repeated, or if the sub-tensor exceeds the shape.
    pub fn slice(&self, first: &[u64], dims: &[usize], shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        row_major_number(first, &self.shape)?;
        check_count("extents", shape.len(), "dim that is kept", dims.len())?;
        let rank = self.shape.len();
        for (i, (&dim, &extent)) in dims.iter().zip(shape).enumerate() {
            let Some(&size) = self.shape.get(dim) else {
                return Err(ErrorKind::NoSuchDim { found: dim, rank }.into());
            };
            if dims[..i].contains(&dim) {
                return Err(ErrorKind::DimTwice { dim }.into());
            }
            let last = first[dim] + extent - 1;
            if last >= size {
                return Err(ErrorKind::OutOfRange {
                    what: "last index",
                    at: Some(dim),
                    found: last,
                    size,
                }
                .into());
            }
        }
        Ok(Self {
            shape: shape.into(),
            size: shape.iter().product(),
            map: Arc::new(Map::Part {
                of: self.clone(),
                first: first.into(),
                dims: dims.to_vec(),
            }),
        })
    }
}
