//! Composition, inverses and pseudoinverses.

use super::side::{FieldMoves, LayoutSide};
use super::{LayoutError, LinearLayout, Role};
use crate::f2::{Echelon, apply_columns};

impl LinearLayout {
    /// Returns the composition `x -> outer(self(x))`.
    ///
    /// For example, registers map to reversed offsets, and offsets map to doubled elements:
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let (r, o, d) = (Dim::REGISTER, Dim::OFFSET, Dim::out(0));
    /// let reversed = LinearLayout::from_bases(&[(r, &[&[2], &[1]])], &[o])?;
    /// let doubled = LinearLayout::strided_1d(4, 2, o, d)?;
    /// assert_eq!(reversed.compose(&doubled)?.columns(), [4, 2]);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// in-dims of `self` -> out-dims of `outer`. The out-dims of `self` are the in-dims of `outer`, in any order.
    /// None of them is larger in `self` than in `outer`.
    /// # Laws
    /// Composition is associative (`compose_is_associative`). Every `x` maps to `outer(self(x))`
    /// (`compose_is_application`).
    /// # Errors
    /// Returns an error if the out-dims of `self` are not the in-dims of `outer`, or one of them is larger in
    /// `self`.
    pub fn compose(&self, outer: &Self) -> Result<Self, LayoutError> {
        let mut result = Self::zero(self.ins, outer.outs);
        let columns = outer.columns();
        if self.outs == outer.ins {
            for (to, &col) in result.cols.iter_mut().zip(self.columns()) {
                *to = apply_columns(columns, col);
            }
            return Ok(result);
        }
        let moves = moves_into(&self.outs, &outer.ins, Role::In)?;
        for (to, &col) in result.cols.iter_mut().zip(self.columns()) {
            *to = apply_columns(columns, moves.apply(col));
        }
        Ok(result)
    }

    /// Returns the inverse of a one-to-one layout.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let swizzle = LinearLayout::from_bases(&[(Dim::OFFSET, &[&[1], &[3]])], &[Dim::out(0)])?;
    /// let inverse = swizzle.invert()?; // 3 = 1 ^ 2, so 2 comes from offset 1 ^ 2 = 3
    /// assert_eq!(inverse.columns(), [1, 3]);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// out-dims of `self` -> in-dims of `self`.
    /// # Laws
    /// A layout composed with its inverse, in either order, is the identity (`inverse_composes_to_identity`).
    /// # Errors
    /// Returns an error if the layout is not invertible.
    pub fn invert(&self) -> Result<Self, LayoutError> {
        let mut echelon = Echelon::new();
        let square = self.ins.bits() == self.outs.bits();
        for (i, &col) in self.columns().iter().enumerate() {
            if echelon.insert(i, col).is_some() || !square {
                let (ins, outs) = (self.ins.bits(), self.outs.bits());
                return Err(LayoutError::not_invertible(ins, outs, self.rank()));
            }
        }
        if !square {
            return Err(LayoutError::not_invertible(0, self.outs.bits(), 0));
        }
        let mut result = Self::zero(self.outs, self.ins);
        for (i, to) in result.cols[..self.outs.bits()].iter_mut().enumerate() {
            *to = echelon.reduce(1 << i).1;
        }
        Ok(result)
    }

    /// Returns a right inverse of a surjective layout, which maps each output to one of the inputs that have this
    /// output.
    ///
    /// The chosen input is the one whose free bits are all zero (see
    /// [`free_variable_masks`](Self::free_variable_masks)). If an in-dim maps identically to the out-dim with the
    /// same name, and no other in-dim changes this out-dim, then the inverse maps this out-dim identically to the
    /// in-dim.
    /// # Shape
    /// out-dims of `self` -> in-dims of `self`.
    /// # Laws
    /// `l.pseudoinvert().compose(&l)` is the identity on the out-dims (`pseudoinverse_is_right_inverse`).
    /// # Errors
    /// Returns an error if the layout is not surjective.
    /// # Source
    /// Triton's `pseudoinvert`.
    pub fn pseudoinvert(&self) -> Result<Self, LayoutError> {
        let mut identity = Self::zero(self.outs, self.outs);
        for (i, col) in identity.cols[..self.outs.bits()].iter_mut().enumerate() {
            *col = 1 << i;
        }
        identity.invert_and_compose(self)
    }

    /// Returns a solution `x` of `x.compose(outer) == self`, which maps inputs of `self` to inputs of `outer`.
    ///
    /// For example, registers and offsets both map to elements, and the solution is the offset of each register:
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let d = [Dim::out(0), Dim::out(1)];
    /// let registers = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[0, 1], &[1, 0]])], &d)?;
    /// let column_major = LinearLayout::from_bases(&[(Dim::OFFSET, &[&[1, 0], &[0, 1]])], &d)?;
    /// let store = registers.invert_and_compose(&column_major)?;
    /// assert_eq!(store.apply(&[(Dim::REGISTER, 1)])?, [2]); // (0, 1) is at offset 2
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// If several inputs of `outer` have the same output, the choice among them is part of the contract:
    /// 1. An in-dim maps to itself if both layouts have the dim with equal bases and no other in-dim changes the same
    ///    output bits. So `warp` and `block` map to themselves if no data moves between warps or blocks.
    /// 2. For the other in-dims, all free variables are zero. The pivots are the first independent bases of `outer` in
    ///    dim order.
    /// # Shape
    /// in-dims of `self` -> in-dims of `outer`. Both layouts have the same out-dims, in any order. No out-dim is
    /// larger in `self` than in `outer`.
    /// # Laws
    /// `a.invert_and_compose(&b)?.compose(&b)? == a` (`inverse_composition_solves`).
    /// # Errors
    /// Returns an error if the sets of out-dims differ, an out-dim is larger in `self`, or a basis of `self` is
    /// outside the image of `outer`.
    /// # Source
    /// Triton's `invertAndCompose`.
    pub fn invert_and_compose(&self, outer: &Self) -> Result<Self, LayoutError> {
        let moves = moves_into(&self.outs, &outer.outs, Role::Out)?;
        let mut own = [0u64; 64];
        for (to, &col) in own.iter_mut().zip(self.columns()) {
            *to = moves.apply(col);
        }
        let shared = shared_bits(&self.ins, &own) | shared_bits(&outer.ins, &outer.cols);
        let mut result = Self::zero(self.ins, outer.ins);
        let mut echelon = Echelon::new();
        let mut fixed = 0u32;
        for i in 0..outer.ins.len() {
            let (at, bits) = (outer.ins.offset(i), outer.ins.log2(i));
            let columns = &outer.cols[at..at + bits];
            if let Some((j, from)) = self.ins.position(outer.ins.dim(i)).and_then(|j| {
                let from = self.ins.offset(j);
                let same = self.ins.log2(j) == bits && own[from..from + bits] == *columns;
                let alone = columns.iter().all(|c| c & shared == 0);
                (same && alone).then_some((j, from))
            }) {
                fixed |= 1 << j;
                for (bit, to) in result.cols[from..from + bits].iter_mut().enumerate() {
                    *to = 1 << (at + bit);
                }
                continue;
            }
            for (bit, &col) in columns.iter().enumerate() {
                echelon.insert(at + bit, col);
            }
        }
        for j in 0..self.ins.len() {
            if fixed >> j & 1 == 1 {
                continue;
            }
            let at = self.ins.offset(j);
            for bit in 0..self.ins.log2(j) {
                match echelon.solve(own[at + bit]) {
                    Some(x) => result.cols[at + bit] = x,
                    None => return Err(LayoutError::not_in_image(self.ins.dim(j), bit)),
                }
            }
        }
        Ok(result)
    }
}

/// Returns the mask of the output bits that depend on more than one in-dim.
#[inline]
fn shared_bits(ins: &LayoutSide, columns: &[u64]) -> u64 {
    let (mut once, mut twice) = (0, 0);
    for i in 0..ins.len() {
        let (at, bits) = (ins.offset(i), ins.log2(i));
        let touched = columns[at..at + bits].iter().fold(0, |acc, c| acc | c);
        twice |= once & touched;
        once |= touched;
    }
    twice
}

/// Returns the bit-field moves that convert a packed point of `from` to a packed point of `to`.
///
/// Returns an error if the sets of dims differ, or a dim is larger in `from` than in `to`.
#[inline]
fn moves_into(from: &LayoutSide, to: &LayoutSide, role: Role) -> Result<FieldMoves, LayoutError> {
    to.check_same_dims(role, from)?;
    for i in 0..from.len() {
        if let Some((_, bits)) = to.range(from.dim(i))
            && from.log2(i) > bits
        {
            return Err(LayoutError::size_too_large(
                from.dim(i),
                from.size(i),
                1 << bits,
            ));
        }
    }
    Ok(FieldMoves::between(from, to))
}
