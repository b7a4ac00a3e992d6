//! Minimal conversions between layouts of a tensor, and vectorisation of memory accesses.

use super::{Dim, LayoutError, LinearLayout, RegisterPermutation, Role};

impl LinearLayout {
    /// Returns the layout that maps each slot of `self` to a slot of `memory` with the same element. If every block has
    /// a copy of the element, the two slots are in the same block (hence *block local*).
    ///
    /// This is [`invert_and_compose`](Self::invert_and_compose) with an additional rule. A zero `block` basis of
    /// `memory` means that the data is replicated over that block bit; then the output has the same block bit as the
    /// input.
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

    /// Returns the conversion from `self` to `dst`, which maps each destination slot to its source slot, without the
    /// dims over which the conversion is trivial.
    ///
    /// The in-dims of the result tell how far data moves. If it has none, no data moves. If it has only `register`,
    /// each thread renames its registers. If it has `lane`, data crosses the lanes of a warp; if it has `warp` or
    /// `block`, data crosses warps or blocks.
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
    /// The result maps the first in-dims of `dst` to the same in-dims of `self`. Dims are dropped from the last one on,
    /// as long as the conversion is trivial over the dim.
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

    /// Returns the number of elements of the widest memory access for a register-to-offset layout, and a permutation of
    /// the registers. After the permutation, that many consecutive registers have consecutive offsets. The access has
    /// at most 128 bits if `max_elems` is `None`.
    ///
    /// `max_elems` replaces the limit of 128 bits by a limit in elements. The permutation is then the identity.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let cvt = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[4], &[1], &[2]])], &[Dim::OFFSET])?;
    /// let (elems, order) = cvt.largest_vectorisation(32, None)?;
    /// assert_eq!((elems, order.indices().collect::<Vec<_>>()), (4, vec![1, 2, 0]));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Units
    /// `elem_bits` is in bits, the result in elements.
    /// # Errors
    /// Returns an error if the layout does not have `register` or `offset`, or its first in-dim is not `register`.
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
