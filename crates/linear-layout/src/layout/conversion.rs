//! Minimal conversions between layouts of a tensor, and vectorisation of accesses.

use super::{Dim, LayoutError, LinearLayout, RegisterPermutation, Role};

impl LinearLayout {
    /// Returns, for each slot of `self`, a slot of `memory` that holds the same element, in the same
    /// block if every block has a copy.
    ///
    /// This is [`invert_and_compose`](Self::invert_and_compose) with an additional rule. If a `block` basis of `memory`
    /// is zero, its data is replicated over blocks, and the block bit of the output is the block bit of the input.
    /// # Shape
    /// in-dims of `self` -> in-dims of `memory`.
    /// # Errors
    /// As [`invert_and_compose`](Self::invert_and_compose).
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

    /// Returns the conversion from `self` to `dst`, the source slot of each destination slot, without the
    /// dims over which it is trivial.
    ///
    /// An empty result means that no data moves; `register` alone, that a thread renames its registers; with `lane`,
    /// that data crosses lanes of a warp; with `warp` or `block`, that it crosses warps or blocks.
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
    /// The first in-dims of `dst` -> the same in-dims of `self`. Starting from the last dim, dims are dropped as long
    /// as the conversion is trivial over them.
    /// # Errors
    /// As [`invert_and_compose`](Self::invert_and_compose).
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

    /// Returns the widest access of a register-to-offset layout: the number of consecutive registers, in
    /// the order of the returned permutation, that are consecutive in memory, at most 128 bits together.
    ///
    /// `max_elems` lowers that limit and fixes the order of the registers.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let cvt = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[4], &[1], &[2]])], &[Dim::OFFSET])?;
    /// let (elems, order) = cvt.largest_vectorisation(32, None)?;
    /// assert_eq!((elems, order.indices().collect::<Vec<_>>()), (4, vec![1, 2, 0]));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Units
    /// `elem_bits` in bits; the result in elements.
    /// # Errors
    /// When the layout lacks `register` or `offset`, or a size is not a power of two.
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
