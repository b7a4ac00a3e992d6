//! Minimal conversions between layouts, and vectorisation of memory accesses.

use super::{Dim, LayoutError, LinearLayout, RegisterPermutation, Role};

impl LinearLayout {
    /// Returns the map from each slot of `self` to a slot of `memory` that holds the same element. The slot in
    /// `memory` is in the same block where possible.
    ///
    /// This is [`invert_and_compose`](Self::invert_and_compose) with one additional rule. If the basis of a block
    /// bit is zero in `memory` (the data is replicated over this bit), the output has the same value in this bit as
    /// the input.
    /// # Shape
    /// in-dims of `self` -> in-dims of `memory`.
    /// # Errors
    /// Returns an error under the same conditions as [`invert_and_compose`](Self::invert_and_compose).
    /// # Source
    /// Triton's `invertAndComposeBlockLocal(memory, self)`.
    pub fn invert_and_compose_block_local(&self, memory: &Self) -> Result<Self, LayoutError> {
        let mut result = self.invert_and_compose(memory)?;
        let (Some((to, _)), Some((at, bits))) =
            (memory.ins.range(Dim::BLOCK), self.ins.range(Dim::BLOCK))
        else {
            return Ok(result);
        };
        for (bit, &col) in memory.columns_of(Dim::BLOCK).iter().enumerate() {
            if col != 0 {
                continue;
            }
            let own = 1u64 << (to + bit);
            for column in &mut result.cols[..self.ins.bits()] {
                *column &= !own;
            }
            if bit < bits {
                result.cols[at + bit] |= own;
            }
        }
        Ok(result)
    }

    /// Returns the conversion from `self` to `dst`. Trailing dims that the conversion does not change are omitted.
    ///
    /// The conversion maps each destination slot to its source slot. The in-dims of the result show how far the
    /// data moves:
    /// - none: no data moves;
    /// - only `register`: each thread renames its registers;
    /// - `lane`: data crosses the lanes of a warp;
    /// - `warp` or `block`: data crosses warps or blocks.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let d = Dim::out(0);
    /// let of = |r: &[&[u64]], l: &[&[u64]]| {
    ///     LinearLayout::from_bases(&[(Dim::REGISTER, r), (Dim::LANE, l)], &[d])
    /// };
    /// let src = of(&[&[1], &[2]], &[&[4], &[8]])?;
    /// let swapped = of(&[&[2], &[1]], &[&[4], &[8]])?;
    /// let cvt = src.minimal_conversion_to(&swapped)?;
    /// assert!(cvt.in_dims().eq([Dim::REGISTER]));
    /// assert!(src.minimal_conversion_to(&src)?.in_dims().eq([]));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// in-dims of `dst` -> in-dims of `self`, without the dropped dims. Starting with the last in-dim of `dst`,
    /// each common dim is dropped if the conversion maps it identically to itself. The first dim for which this is
    /// not true ends the process.
    /// # Errors
    /// Returns an error under the same conditions as [`invert_and_compose`](Self::invert_and_compose).
    /// # Source
    /// Triton's `minimalCvtLayout(self, dst)`.
    pub fn minimal_conversion_to(&self, dst: &Self) -> Result<Self, LayoutError> {
        let mut conversion = dst.invert_and_compose_block_local(self)?;
        for dim in dst.in_dims().rev() {
            if !conversion.has_out_dim(dim) {
                continue;
            }
            match conversion.quotient(&[dim]) {
                Some(rest) => conversion = rest,
                None => break,
            }
        }
        Ok(conversion)
    }

    /// Returns `(elems, permutation)`: the number of elements of the widest vector access that this layout from
    /// registers to offsets permits, and the permutation of registers that this access needs.
    ///
    /// After the permutation, `elems` consecutive registers have consecutive offsets. If `max_elems` is `None`, an
    /// access has at most 128 bits. Otherwise, an access has at most `max_elems` elements, and the permutation is
    /// the identity.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let cvt = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[4], &[1], &[2]])], &[Dim::OFFSET])?;
    /// let (elems, order) = cvt.largest_vectorisation(32, None)?;
    /// assert_eq!((elems, order.indices().collect::<Vec<_>>()), (4, vec![1, 2, 0]));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Units
    /// `elem_bits` is in bits, `max_elems` and the result are in elements.
    /// # Errors
    /// Returns an error if the layout does not have the in-dim `register` or the out-dim `offset`, or its first
    /// in-dim is not `register`.
    /// # Source
    /// Triton's `largestVectorisation`.
    pub fn largest_vectorisation(
        &self,
        elem_bits: u32,
        max_elems: Option<u64>,
    ) -> Result<(u64, RegisterPermutation), LayoutError> {
        if !self.has_in_dim(Dim::REGISTER) {
            return Err(LayoutError::no_such_dim(Role::In, Dim::REGISTER));
        }
        if !self.has_out_dim(Dim::OFFSET) {
            return Err(LayoutError::no_such_dim(Role::Out, Dim::OFFSET));
        }
        let widest = max_elems.unwrap_or(u64::from(128 / elem_bits.clamp(1, 128)));
        let mut elems = 1 << widest.max(1).ilog2();
        while elems > 1 {
            let tile = Self::identity_1d(elems, Dim::REGISTER, Dim::OFFSET)?;
            if let Some(order) = RegisterPermutation::for_division(self, &tile, true)? {
                let allowed = max_elems.is_none() || order.is_identity();
                if allowed && order.apply(self)?.divide_left(&tile).is_ok() {
                    return Ok((elems, order));
                }
            }
            elems /= 2;
        }
        Ok((
            1,
            RegisterPermutation::identity(Dim::REGISTER, self.in_bits(Dim::REGISTER))?,
        ))
    }
}
