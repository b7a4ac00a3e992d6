//! Layouts over the standard tensor dims `dim0, dim1, ...`.

use super::side::{FieldMoves, LayoutSide, MAX_DIMS};
use super::{Dim, LayoutError, LinearLayout, Role};
use crate::f2::low_mask;

/// Returns the dims `dim0, dim1, ..., dim<rank-1>`.
///
/// ```
/// # use linear_layout::layout::{Dim, standard_out_dims};
/// assert!(standard_out_dims(2).eq([Dim::out(0), Dim::out(1)]));
/// ```
pub fn standard_out_dims(
    rank: usize,
) -> impl DoubleEndedIterator<Item = Dim> + ExactSizeIterator + Clone {
    (0..rank).map(Dim::out)
}

struct StandardShape {
    dims: [(Dim, u64); MAX_DIMS],
    len: usize,
}

impl StandardShape {
    fn new(shape: &[u64]) -> Result<Self, LayoutError> {
        if shape.len() > MAX_DIMS {
            return Err(LayoutError::too_many_dims(Role::Out, MAX_DIMS));
        }
        let mut dims = [(Dim::REGISTER, 1); MAX_DIMS];
        for (i, (to, &size)) in dims.iter_mut().zip(shape).enumerate() {
            *to = (Dim::out(i), size);
        }
        Ok(Self {
            dims,
            len: shape.len(),
        })
    }

    fn as_slice(&self) -> &[(Dim, u64)] {
        &self.dims[..self.len]
    }
}

impl LinearLayout {
    /// Returns the layout that maps the indices of `input` to the elements of a tensor one by one. Tensor dim
    /// `order[0]` is the fastest.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let row_major = LinearLayout::identity_nd(Dim::OFFSET, &[2, 4], &[1, 0])?;
    /// assert_eq!(row_major.apply(&[(Dim::OFFSET, 6)])?, [2, 1]); // dim1 = 6 % 4, dim0 = 6 / 4
    /// assert!(row_major.out_dims().eq([Dim::out(1), Dim::out(0)]));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// `input -> dim<order[0]>, dim<order[1]>, ...`.
    /// # Errors
    /// Returns an error if `order` is not a permutation of `0..shape.len()`, or a size is not a power of two.
    /// # Source
    /// Triton's `identityStandardND`.
    pub fn identity_nd(input: Dim, shape: &[u64], order: &[usize]) -> Result<Self, LayoutError> {
        if order.len() != shape.len() {
            return Err(LayoutError::order_length(order.len(), shape.len()));
        }
        let mut result = Self::empty();
        for &dim in order {
            let Some(&size) = shape.get(dim) else {
                return Err(LayoutError::dim_index(dim, shape.len()));
            };
            result.outs.push_size(Role::Out, Dim::out(dim), size)?;
        }
        if !shape.is_empty() {
            let bits = result.outs.bits();
            result.ins.push(Role::In, input, bits)?;
            result.cols.reserve(bits);
            for (i, col) in result.cols[..bits].iter_mut().enumerate() {
                *col = 1 << i;
            }
        }
        Ok(result)
    }

    /// Returns the layout that has the dims and sizes of `self`, but only zero bases.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        Self::zero(self.ins, self.outs)
    }

    /// Returns the layout of the tensor after a row-major reshape to `shape`.
    ///
    /// # Shape
    /// The out-dims become `dim0, dim1, ...` with the sizes of `shape`. The in-dims are unchanged.
    /// # Errors
    /// Returns an error if a size is not a power of two, or `shape` has another number of elements than the tensor.
    /// # Source
    /// Triton's `reshapeLayout`.
    pub fn reshape_standard(&self, shape: &[u64]) -> Result<Self, LayoutError> {
        // Row-major: the last dim is the fastest, while the packing has the first dim fastest.
        let mut reversed = [Dim::REGISTER; MAX_DIMS];
        for (to, dim) in reversed.iter_mut().zip(self.out_dims().rev()) {
            *to = dim;
        }
        let mut new = StandardShape::new(shape)?;
        new.dims[..shape.len()].reverse();
        let reshaped = self
            .transpose_outs(&reversed[..self.num_out_dims()])?
            .reshape_outs(new.as_slice())?;
        let mut order = [Dim::REGISTER; MAX_DIMS];
        for (to, dim) in order.iter_mut().zip(standard_out_dims(shape.len())) {
            *to = dim;
        }
        reshaped.transpose_outs(&order[..shape.len()])
    }

    /// Returns the layout of the transposed tensor.
    ///
    /// The `i`-th out-dim keeps its name, but gets the size and the basis components of the out-dim at position
    /// `order[i]`.
    ///
    /// # Errors
    /// Returns an error if `order` is not a permutation of the out-dim positions.
    /// # Source
    /// Triton's `transposeLinearLayout`.
    pub fn transpose_standard(&self, order: &[usize]) -> Result<Self, LayoutError> {
        let rank = self.outs.len();
        if order.len() != rank {
            return Err(LayoutError::order_length(order.len(), rank));
        }
        let mut old_names = LayoutSide::EMPTY;
        let mut outs = LayoutSide::EMPTY;
        for (i, &from) in order.iter().enumerate() {
            if from >= rank {
                return Err(LayoutError::dim_index(from, rank));
            }
            old_names.push(Role::Out, self.outs.dim(from), self.outs.log2(from))?;
            outs.push(Role::Out, self.outs.dim(i), self.outs.log2(from))?;
        }
        let moves = FieldMoves::between(&self.outs, &old_names);
        let mut result = Self::zero(self.ins, outs);
        for (to, &col) in result.cols.iter_mut().zip(self.columns()) {
            *to = moves.apply(col);
        }
        Ok(result)
    }

    /// Removes the tensor dim with the number `dim`. Tensor dims with higher numbers are renumbered.
    ///
    /// # Errors
    /// Returns an error if there is no out-dim `dim<dim>`, or an out-dim is not a tensor dim.
    /// # Source
    /// Triton's `removeStandardDim`.
    pub fn remove_standard_dim(&self, dim: usize) -> Result<Self, LayoutError> {
        let mut kept = LayoutSide::EMPTY;
        let mut renamed = LayoutSide::EMPTY;
        let mut found = false;
        for i in 0..self.outs.len() {
            let name = self.outs.dim(i);
            let index = name
                .out_index()
                .ok_or_else(|| LayoutError::order_differs(Role::Out, name, Dim::out(i)))?;
            if index == dim {
                found = true;
                continue;
            }
            kept.push(Role::Out, name, self.outs.log2(i))?;
            let index = if index > dim { index - 1 } else { index };
            renamed.push(Role::Out, Dim::out(index), self.outs.log2(i))?;
        }
        if !found {
            return Err(LayoutError::dim_index(dim, self.outs.len()));
        }
        let moves = FieldMoves::between(&self.outs, &kept);
        let mut result = Self::zero(self.ins, renamed);
        for (to, &col) in result.cols.iter_mut().zip(self.columns()) {
            *to = moves.apply(col);
        }
        Ok(result)
    }

    /// Renames in-dims and out-dims as the pairs `(from, to)` in `ins` and `outs` state. All pairs are applied
    /// simultaneously, so two names can be exchanged.
    ///
    /// # Errors
    /// Returns an error if a dim to rename does not exist, or two dims would get the same name.
    pub fn rename_dims(
        &self,
        ins: &[(Dim, Dim)],
        outs: &[(Dim, Dim)],
    ) -> Result<Self, LayoutError> {
        Ok(Self {
            ins: rename_side(&self.ins, ins, Role::In)?,
            outs: rename_side(&self.outs, outs, Role::Out)?,
            ..self.clone()
        })
    }

    /// Returns a copy of `self` in which the bases that step inside a tile are zero. The layout `tile` describes
    /// one tile. In the result, each slot maps to the first element of its tile.
    ///
    /// Unlike [`divide_left`](Self::divide_left), this function keeps the size of every dim. A basis that steps to
    /// another tile may use any output bit that no basis of `tile` uses, even if this bit is lower than the bits
    /// that `tile` uses.
    /// # Errors
    /// Returns an error in these cases:
    /// - `self` lacks a dim of `tile`, or a dim is larger in `tile` than in `self`.
    /// - The first bases of `self` in a dim are not the bases of `tile`.
    /// - One of the other bases of `self` has an output bit that a basis of `tile` uses.
    /// # Source
    /// Triton's `getReps`.
    pub fn repetitions_of(&self, tile: &Self) -> Result<Self, LayoutError> {
        for dim in tile.out_dims() {
            if !self.has_out_dim(dim) {
                return Err(LayoutError::no_such_dim(Role::Out, dim));
            }
            if tile.out_bits(dim) > self.out_bits(dim) {
                let (found, max) = (tile.out_size(dim), self.out_size(dim));
                return Err(LayoutError::size_too_large(dim, found, max));
            }
        }
        for dim in tile.in_dims() {
            let (tile_bits, bits) = (tile.in_bits(dim), self.in_bits(dim));
            if !self.has_in_dim(dim) {
                return Err(LayoutError::no_such_dim(Role::In, dim));
            }
            if tile_bits > bits {
                return Err(LayoutError::tile_larger(Role::In, dim, tile_bits, bits));
            }
        }
        let moves = FieldMoves::between(&tile.outs, &self.outs);
        let used = moves.apply(tile.columns().iter().fold(0, |mask, col| mask | col));
        let mut result = self.clone();
        for i in 0..self.ins.len() {
            let (dim, at) = (self.ins.dim(i), self.ins.offset(i));
            let tile_columns = tile.columns_of(dim);
            for (bit, &col) in self.columns_of(dim).iter().enumerate() {
                match tile_columns.get(bit) {
                    Some(&t) if moves.apply(t) == col => result.cols[at + bit] = 0,
                    None if col & used == 0 => {}
                    _ => return Err(LayoutError::tile_basis(dim, bit)),
                }
            }
        }
        Ok(result)
    }

    /// Returns the packed outputs of the packed inputs in `inputs`, in the same order. Each output is computed from
    /// the previous output by a single XOR.
    ///
    /// Input bits that are in no in-dim are ignored.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::from_bases(&[(Dim::OFFSET, &[&[1], &[3]])], &[Dim::out(0)])?;
    /// assert!(l.apply_range(0..4).eq([0, 1, 3, 2]));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    pub fn apply_range(
        &self,
        inputs: core::ops::Range<u64>,
    ) -> impl Iterator<Item = u64> + Clone + use<> {
        // Going from x to x + 1 flips the low bits up to the lowest zero of x. The image changes by the XOR of the
        // columns of the flipped bits.
        let mut steps = [0; 64];
        let mut sum = 0;
        for (i, step) in steps.iter_mut().enumerate() {
            sum ^= self.columns().get(i).copied().unwrap_or(0);
            *step = sum;
        }
        let mut image = self.apply_packed(inputs.start & low_mask(self.ins.bits()));
        inputs.map(move |x| {
            let output = image;
            image ^= steps[(x.trailing_ones() & 63) as usize];
            output
        })
    }
}

fn rename_side(
    side: &LayoutSide,
    names: &[(Dim, Dim)],
    role: Role,
) -> Result<LayoutSide, LayoutError> {
    if let Some(&(from, _)) = names
        .iter()
        .find(|(from, _)| side.position(*from).is_none())
    {
        return Err(LayoutError::no_such_dim(role, from));
    }
    let mut result = LayoutSide::EMPTY;
    for i in 0..side.len() {
        let dim = side.dim(i);
        let to = names
            .iter()
            .find(|(from, _)| *from == dim)
            .map_or(dim, |(_, to)| *to);
        result.push(role, to, side.log2(i))?;
    }
    Ok(result)
}
