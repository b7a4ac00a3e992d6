//! Direct product, division and concatenation of layouts.

use super::side::{FieldMoves, LayoutSide, log2_of};
use super::{Dim, LayoutError, LinearLayout, Role};
use crate::f2::{low_mask, shl};

impl LinearLayout {
    /// Returns the direct product of `self` and `outer`, which is `operator*` in Triton.
    ///
    /// In a common dim, `self` determines the low bits, and `outer` the high bits. For example, two lanes with two
    /// registers each form a row of four elements:
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let d = Dim::out(0);
    /// let registers = LinearLayout::identity_1d(2, Dim::REGISTER, d)?;
    /// let lanes = LinearLayout::identity_1d(2, Dim::LANE, d)?;
    /// let row = registers.product(&lanes)?;
    /// assert_eq!(row.apply(&[(Dim::REGISTER, 1), (Dim::LANE, 1)])?, [3]); // 1 + 2 * 1
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// The result has the dims of both layouts, and the sizes of a common dim are multiplied. The dim order of the
    /// result agrees with the orders of both layouts. If these orders contradict each other, let `a` be the next
    /// dim of `self`, and `b` the next dim of `outer`. `b` comes first if its index in `self` is smaller than the
    /// index of `a` in `outer`. Otherwise, `a` comes first.
    /// # Laws
    /// The product is associative (`product_is_associative`), but not commutative. The identity is `empty()`
    /// (`product_has_identity`). The product is surjective (injective) if and only if both layouts are surjective
    /// (injective).
    /// # Errors
    /// Returns an error if the inputs or the outputs of the result exceed 64 bits or [`MAX_DIMS`](super::MAX_DIMS)
    /// dims.
    #[inline]
    pub fn product(&self, outer: &Self) -> Result<Self, LayoutError> {
        let mut result = self.clone();
        match result.product_assign(outer) {
            Ok(()) => Ok(result),
            Err(e) => Err(e),
        }
    }

    /// Replaces `self` by its direct product with `outer`, which is `operator*=` in Triton.
    ///
    /// # Errors
    /// Returns an error under the same conditions as [`product`](Self::product), and leaves `self` unchanged.
    #[inline]
    pub fn product_assign(&mut self, outer: &Self) -> Result<(), LayoutError> {
        if outer.ins.len() == 1 && outer.outs.len() == 1 {
            let (input, in_bits) = (outer.ins.dim(0), outer.ins.bits());
            let (output, out_bits) = (outer.outs.dim(0), outer.outs.bits());
            return self.append(input, in_bits, output, out_bits, |bit| outer.cols[bit]);
        }
        self.product_assign_any(outer)
    }

    /// Replaces `self` by its direct product with the identity map of `size` values from in-dim `input` to out-dim
    /// `output`.
    ///
    /// Tiles are usually built with this function. A `size` of 0 leaves `self` unchanged. In this example, a row is
    /// formed by two registers, then four lanes, then two more registers:
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let mut row = LinearLayout::empty();
    /// for (size, dim) in [(2, Dim::REGISTER), (4, Dim::LANE), (2, Dim::REGISTER)] {
    ///     row.product_identity_assign(size, dim, Dim::out(0))?;
    /// }
    /// assert_eq!(row.columns(), [1, 8, 2, 4]); // register 1 and 2, then lane 1 and 2
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Errors
    /// Returns an error, and leaves `self` unchanged, if the size is not a power of two or a limit is exceeded.
    #[inline]
    pub fn product_identity_assign(
        &mut self,
        size: u64,
        input: Dim,
        output: Dim,
    ) -> Result<(), LayoutError> {
        if size == 0 {
            return Ok(());
        }
        let bits = log2_of(Role::In, input, size)?;
        self.append(input, bits, output, bits, |bit| 1 << (bit & 63))
    }

    /// Replaces `self` by its direct product with a layout from in-dim `input` to out-dim `output`. Basis `i` of
    /// this layout is `column(i)`.
    #[inline]
    fn append(
        &mut self,
        input: Dim,
        in_bits: usize,
        output: Dim,
        out_bits: usize,
        column: impl Fn(usize) -> u64,
    ) -> Result<(), LayoutError> {
        let old_bits = self.ins.bits();
        let (ins, position) = self.ins.extend(Role::In, input, in_bits)?;
        let (outs, low) = self.outs.extend(Role::Out, output, out_bits)?;
        self.cols.reserve(old_bits + in_bits);
        let cols = &mut self.cols[..old_bits + in_bits];
        // Outputs above the new bits move up.
        if self.outs.bits() > low && out_bits > 0 {
            let kept = low_mask(low);
            for col in &mut cols[..old_bits] {
                *col = *col & kept | shl(*col & !kept, out_bits);
            }
        }
        // Columns of later in-dims move up, from the top down so that none is overwritten.
        for i in (position..old_bits).rev() {
            cols[i + in_bits] = cols[i];
        }
        for (bit, to) in cols[position..position + in_bits].iter_mut().enumerate() {
            *to = shl(column(bit), low);
        }
        (self.ins, self.outs) = (ins, outs);
        Ok(())
    }

    fn product_assign_any(&mut self, outer: &Self) -> Result<(), LayoutError> {
        let (ins, in_positions) = self.ins.merge(&outer.ins, Role::In)?;
        let (outs, out_positions) = self.outs.merge(&outer.outs, Role::Out)?;
        self.cols.reserve(ins.bits());
        let mut outer_moves = FieldMoves::NONE;
        for (j, &position) in out_positions[..outer.outs.len()].iter().enumerate() {
            let (position, bits) = (usize::from(position), outer.outs.log2(j));
            // The bits of `outer` are the high bits of the merged dim.
            let to = outs.offset(position) + outs.log2(position) - bits;
            outer_moves.add(outer.outs.offset(j), bits, to);
        }
        if !self.outs.is_prefix_of(&outs) {
            let moves = FieldMoves::between(&self.outs, &outs);
            for col in &mut self.cols[..self.ins.bits()] {
                *col = moves.apply(*col);
            }
        }
        if !self.ins.is_prefix_of(&ins) {
            self.spread_columns(&ins);
        }
        for (j, &position) in in_positions[..outer.ins.len()].iter().enumerate() {
            let (position, bits) = (usize::from(position), outer.ins.log2(j));
            let to = ins.offset(position) + ins.log2(position) - bits;
            let from = outer.ins.offset(j);
            for bit in 0..bits {
                self.cols[to + bit] = outer_moves.apply(outer.cols[from + bit]);
            }
        }
        (self.ins, self.outs) = (ins, outs);
        Ok(())
    }

    /// Moves the columns of each in-dim to the position that this in-dim has in `ins`.
    ///
    /// If an in-dim has more bits in `ins` than in `self`, the caller must fill the new columns.
    #[inline]
    fn spread_columns(&mut self, ins: &LayoutSide) {
        if ins.starts_with(&self.ins) {
            // Columns only move up, so from the top down none is overwritten.
            for i in (1..self.ins.len()).rev() {
                let (from, to) = (self.ins.offset(i), ins.offset(i));
                if from == to {
                    break;
                }
                for bit in (0..self.ins.log2(i)).rev() {
                    self.cols[to + bit] = self.cols[from + bit];
                }
            }
        } else {
            let old = self.cols.clone();
            for i in 0..self.ins.len() {
                let Some((to, _)) = ins.range(self.ins.dim(i)) else {
                    continue;
                };
                let (from, bits) = (self.ins.offset(i), self.ins.log2(i));
                self.cols[to..to + bits].copy_from_slice(&old[from..from + bits]);
            }
        }
    }

    /// Divides `self` by `tile` on the left: returns the layout `rest` for which `tile.product(&rest) == self`.
    ///
    /// `rest` lacks the low bits that `tile` covers in each dim. For example, the identity on 8 lanes divided by
    /// the identity on 2 lanes is the identity on 4 lanes:
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let id = |n| LinearLayout::identity_1d(n, Dim::LANE, Dim::out(0));
    /// assert_eq!(id(8)?.divide_left(&id(2)?)?, id(4)?);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// `rest` has all dims of `self` in the same order, with each size divided by the size in `tile`. A dim of size
    /// 1 may remain.
    /// # Laws
    /// The equation holds for every `Ok(rest)`, up to dim order (`remainder_times_tile`).
    /// # Errors
    /// Returns an error if `tile` has a dim that `self` lacks. Returns an
    /// [`is_not_divisible`](LayoutError::is_not_divisible) error in these cases:
    /// - A dim is larger in `tile` than in `self`.
    /// - One of the low input bits that `tile` covers has a different basis in `self` than in `tile`.
    /// - The basis of a higher input bit contains an output bit that `tile` covers.
    /// # Source
    /// Linear Layouts paper, left division; Triton's `divideLeft`.
    pub fn divide_left(&self, tile: &Self) -> Result<Self, LayoutError> {
        self.divide(tile, true)
    }

    /// Divides `self` by `tile` on the right: returns the layout `rest` for which `rest.product(tile) == self`.
    ///
    /// `rest` lacks the high bits that `tile` covers in each dim.
    ///
    /// # Shape
    /// Same as in [`divide_left`](Self::divide_left).
    /// # Laws
    /// The equation holds for every `Ok(rest)`, up to dim order (`remainder_times_tile`).
    /// # Errors
    /// Returns an error under the same conditions as [`divide_left`](Self::divide_left).
    /// # Source
    /// Triton's `divideRight`.
    pub fn divide_right(&self, tile: &Self) -> Result<Self, LayoutError> {
        self.divide(tile, false)
    }

    fn divide(&self, tile: &Self, left: bool) -> Result<Self, LayoutError> {
        for dim in tile.in_dims() {
            if !self.has_in_dim(dim) {
                return Err(LayoutError::no_such_dim(Role::In, dim));
            }
        }
        for dim in tile.out_dims() {
            if !self.has_out_dim(dim) {
                return Err(LayoutError::no_such_dim(Role::Out, dim));
            }
        }
        let (mut ins, mut outs) = (self.ins, self.outs);
        for (role, side, own, tiled) in [
            (Role::In, &mut ins, &self.ins, &tile.ins),
            (Role::Out, &mut outs, &self.outs, &tile.outs),
        ] {
            for i in 0..own.len() {
                let dim = own.dim(i);
                let tile_bits = tiled.range(dim).map_or(0, |r| r.1);
                let Some(rest) = own.log2(i).checked_sub(tile_bits) else {
                    return Err(LayoutError::tile_larger(role, dim, tile_bits, own.log2(i)));
                };
                side.set_log2(role, i, rest)?;
            }
        }
        // The bits of the tile and of the rest in a packed output of `self`.
        let (mut tile_moves, mut rest_moves, mut rest_mask) =
            (FieldMoves::NONE, FieldMoves::NONE, 0);
        for i in 0..self.outs.len() {
            let (tile_from, tile_bits) = tile.outs.range(self.outs.dim(i)).unwrap_or((0, 0));
            let rest_bits = outs.log2(i);
            let (at, tile_at, rest_at) = if left {
                (self.outs.offset(i), 0, tile_bits)
            } else {
                (self.outs.offset(i), rest_bits, 0)
            };
            tile_moves.add(tile_from, tile_bits, at + tile_at);
            rest_moves.add(at + rest_at, rest_bits, outs.offset(i));
            rest_mask |= shl(low_mask(rest_bits), at + rest_at);
        }
        let mut result = Self::zero(ins, outs);
        let mut to = 0;
        for i in 0..self.ins.len() {
            let dim = self.ins.dim(i);
            let columns = self.columns_of(dim);
            let tile_columns = tile.columns_of(dim);
            let rest_bits = columns.len() - tile_columns.len();
            let (tile_from, rest_from) = if left {
                (0, tile_columns.len())
            } else {
                (rest_bits, 0)
            };
            for (bit, &col) in tile_columns.iter().enumerate() {
                if columns[tile_from + bit] != tile_moves.apply(col) {
                    return Err(LayoutError::tile_basis(dim, tile_from + bit));
                }
            }
            for (bit, &col) in columns[rest_from..rest_from + rest_bits].iter().enumerate() {
                if col & !rest_mask != 0 {
                    return Err(LayoutError::tile_basis(dim, rest_from + bit));
                }
                result.cols[to] = rest_moves.apply(col);
                to += 1;
            }
        }
        Ok(result)
    }

    /// Returns the layout whose in-dims are those of `self`, followed by those of `other`.
    ///
    /// # Shape
    /// Both layouts must have equal out-dims (names, order and sizes), and must have no common in-dim.
    /// # Errors
    /// Returns an error if the out-dims or their sizes differ, an in-dim is in both layouts, or a limit is
    /// exceeded.
    pub fn concat_ins(&self, other: &Self) -> Result<Self, LayoutError> {
        self.outs.check_same_dims(Role::Out, &other.outs)?;
        for i in 0..self.outs.len() {
            let dim = self.outs.dim(i);
            let (found, expected) = (other.out_size(dim), self.outs.size(i));
            if found != expected {
                return Err(LayoutError::sizes_differ(Role::Out, dim, found, expected));
            }
        }
        if let Some(i) = (0..self.outs.len()).find(|&i| self.outs.dim(i) != other.outs.dim(i)) {
            return Err(LayoutError::order_differs(
                Role::Out,
                other.outs.dim(i),
                self.outs.dim(i),
            ));
        }
        let mut result = self.clone();
        let at = self.ins.bits();
        for i in 0..other.ins.len() {
            result
                .ins
                .push(Role::In, other.ins.dim(i), other.ins.log2(i))?;
        }
        result.cols.reserve(result.ins.bits());
        result.cols[at..at + other.ins.bits()].copy_from_slice(other.columns());
        Ok(result)
    }

    /// Returns the layout whose out-dims are those of `self`, followed by those of `other`.
    ///
    /// # Shape
    /// Both layouts must have equal in-dims (names, order and sizes), and must have no common out-dim.
    /// # Errors
    /// Returns an error if the in-dims or their sizes differ, an out-dim is in both layouts, or a limit is
    /// exceeded.
    pub fn concat_outs(&self, other: &Self) -> Result<Self, LayoutError> {
        self.ins.check_same_dims(Role::In, &other.ins)?;
        for i in 0..self.ins.len() {
            let dim = self.ins.dim(i);
            let (found, expected) = (other.in_size(dim), self.ins.size(i));
            if found != expected {
                return Err(LayoutError::sizes_differ(Role::In, dim, found, expected));
            }
        }
        if let Some(i) = (0..self.ins.len()).find(|&i| self.ins.dim(i) != other.ins.dim(i)) {
            return Err(LayoutError::order_differs(
                Role::In,
                other.ins.dim(i),
                self.ins.dim(i),
            ));
        }
        let mut result = self.clone();
        for i in 0..other.outs.len() {
            result
                .outs
                .push(Role::Out, other.outs.dim(i), other.outs.log2(i))?;
        }
        for (col, &high) in result.cols.iter_mut().zip(other.columns()) {
            *col |= shl(high, self.outs.bits());
        }
        Ok(result)
    }
}
