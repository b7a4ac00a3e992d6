//! Layouts of tensors in the tensor memory of Blackwell GPUs.

use super::Extents;
use super::TilusError;
use super::error::ErrorKind;
use super::register_layout::{check_count, check_extents, product};

/// A layout in tensor memory: maps each element of a tensor to a lane and a column.
///
/// The second-to-last dim is the row, which determines the lane. All other dims determine the column by their column
/// strides.
/// ```
/// # use linear_layout_tilus::TensorMemoryLayout;
/// let l = TensorMemoryLayout::row_major(&[2, 128, 64])?;
/// assert_eq!(l.location_of(&[1, 5, 7])?, (5, 64 + 7));
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Units
/// Columns and column strides are in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemoryLayout {
    shape: Extents,
    column_strides: Extents,
    lane_offset: u64,
}

impl TensorMemoryLayout {
    /// Returns the layout with the column stride `column_strides[i]` for dim `i`, and with row 0 in lane
    /// `lane_offset`.
    ///
    /// # Errors
    /// Returns an error if
    /// - there are fewer than two dims, an extent is zero, or the number of strides differs from the number of
    ///   dims,
    /// - the number of rows is not 32, 64 or 128, or the column stride of the row dim is not 0, or
    /// - a column or the lane is too large.
    pub fn new(
        shape: &[u64],
        column_strides: &[u64],
        lane_offset: u64,
    ) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        check_count("column strides", column_strides.len(), "dim", shape.len())?;
        let (&[.., rows, _], &[.., stride, _]) = (shape, column_strides) else {
            let found = shape.len();
            return Err(ErrorKind::TileRank { found }.into());
        };
        if !matches!(rows, 32 | 64 | 128) {
            return Err(ErrorKind::RowsOfTensorMemory { rows }.into());
        }
        if stride != 0 {
            return Err(ErrorKind::RowStride { stride }.into());
        }
        for (extent, stride) in shape.iter().zip(column_strides) {
            product([*extent, (*stride).max(1)], "largest column")?;
        }
        product([lane_offset.max(1)], "lane offset")?;
        Ok(Self {
            shape: shape.into(),
            column_strides: column_strides.into(),
            lane_offset,
        })
    }

    /// Returns the compact layout with the last dim fastest, and row 0 in lane 0.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn row_major(shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        let rows = shape.len().checked_sub(2);
        let mut strides = Extents::from_elem(0, shape.len());
        let mut stride = 1;
        for dim in (0..shape.len()).rev().filter(|dim| Some(*dim) != rows) {
            strides[dim] = stride;
            stride *= shape[dim];
        }
        Self::new(shape, &strides, 0)
    }

    /// Returns the layout of a sub-tensor: dim `i` is dim `dims[i]` of `self`, with extent `shape[i]`. Row 0 is
    /// `lane_offset` lanes after row 0 of `self`.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new), and if a dim does not exist.
    pub fn slice(
        &self,
        lane_offset: u64,
        dims: &[usize],
        shape: &[u64],
    ) -> Result<Self, TilusError> {
        let rank = self.shape.len();
        let mut strides = Extents::new();
        for &found in dims {
            let stride = self.column_strides.get(found);
            strides.push(
                *stride.ok_or_else(|| TilusError::from(ErrorKind::NoSuchDim { found, rank }))?,
            );
        }
        let lane = self.lane_offset.saturating_add(lane_offset);
        Self::new(shape, &strides, lane)
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the column stride of each dim.
    #[must_use]
    pub fn column_strides(&self) -> &[u64] {
        &self.column_strides
    }

    /// Returns the lane of row 0.
    #[must_use]
    pub const fn lane_offset(&self) -> u64 {
        self.lane_offset
    }

    /// Returns the lane and the column of an element.
    ///
    /// # Errors
    /// Returns an error if the index has another rank or is out of bounds.
    pub fn location_of(&self, index: &[u64]) -> Result<(u64, u64), TilusError> {
        super::multi_function::row_major_number(index, &self.shape)?;
        let row = index[index.len() - 2];
        let column = index.iter().zip(self.column_strides.iter());
        Ok((
            self.lane_offset + row,
            column.map(|(i, stride)| i * stride).sum(),
        ))
    }
}
