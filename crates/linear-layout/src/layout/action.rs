//! Selection and permutation of the bases of one in-dim, most often `register`.

use crate::number::narrow;
use core::fmt;

use super::{Dim, LayoutError, LinearLayout, Role};
use crate::f2::apply_columns;

/// A selection and reordering of the bases of one in-dim, which is most often `register`. Triton calls it
/// `ColumnAction`.
///
/// New basis `i` is old basis `action[i]`. An action with fewer entries than the dim has bases drops the other
/// bases. If the dim is `register` and has two bits, the action `[1, 0]` exchanges registers 1 and 2:
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout, RegisterPermutation};
/// let swap = RegisterPermutation::new(&[1, 0], Dim::REGISTER, 2)?;
/// let mut out = ['-'; 4];
/// swap.apply_values(&['a', 'b', 'c', 'd'], &mut out)?;
/// assert_eq!(out, ['a', 'c', 'b', 'd']);
/// assert_eq!(swap.to_string(), "ColumnAction([1, 0], register, 2)");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Laws
/// `p.inverse()?.apply(&p.apply(&l)?)? == l` for a permutation (`action_inverse_undoes`);
/// `p.left_compose(&q)?.apply(l) == q.apply(p.apply(l))` (`action_composes`).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterPermutation {
    action: [u8; 64],
    len: u8,
    dim: Dim,
    in_bits: u8,
}

impl RegisterPermutation {
    /// Returns the action on the in-dim `dim`, which has the size `2^in_bits`. New basis `i` is old basis
    /// `action[i]`.
    ///
    /// # Errors
    /// Returns an error if an index is not below `in_bits` or is used twice, or `in_bits` exceeds 63.
    pub fn new(action: &[usize], dim: Dim, in_bits: usize) -> Result<Self, LayoutError> {
        if in_bits > 63 {
            return Err(LayoutError::dim_too_large(Role::In, dim, in_bits));
        }
        let mut result = Self {
            action: [0; 64],
            len: 0,
            dim,
            in_bits: narrow(in_bits),
        };
        let mut used = 0u64;
        for &index in action {
            if index >= in_bits {
                return Err(LayoutError::action_index(dim, index, in_bits));
            }
            if used >> index & 1 == 1 {
                return Err(LayoutError::action_repeats(dim, index));
            }
            used |= 1 << index;
            result.push(index);
        }
        Ok(result)
    }

    /// Returns the identity action on the in-dim `dim`, which has the size `2^in_bits`.
    ///
    /// # Errors
    /// Returns an error if `in_bits` exceeds 63.
    pub fn identity(dim: Dim, in_bits: usize) -> Result<Self, LayoutError> {
        let mut result = Self::new(&[], dim, in_bits)?;
        for i in 0..in_bits {
            result.push(i);
        }
        Ok(result)
    }

    /// Appends old basis `index` to the kept bases. `index` must be below `in_bits`, and must not have been
    /// appended before.
    pub(super) fn push(&mut self, index: usize) {
        self.action[usize::from(self.len) & 63] = narrow(index);
        self.len += 1;
    }

    /// Returns the indices that the kept bases had before the action, in their new order.
    pub fn indices(
        &self,
    ) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone + '_ {
        self.action[..usize::from(self.len)]
            .iter()
            .map(|i| usize::from(*i))
    }

    /// Returns the in-dim whose bases the action selects and reorders.
    #[must_use]
    pub const fn dim(&self) -> Dim {
        self.dim
    }

    /// Returns log2 of the size of the dim before the action.
    #[must_use]
    pub const fn in_bits(&self) -> usize {
        self.in_bits as usize
    }

    /// Returns log2 of the size of the dim after the action.
    #[must_use]
    pub const fn out_bits(&self) -> usize {
        self.len as usize
    }

    /// Returns true if the action keeps all bases in their original order.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.len == self.in_bits && self.indices().enumerate().all(|(i, index)| i == index)
    }

    const fn is_permutation(&self) -> bool {
        self.len == self.in_bits
    }

    /// Selects and reorders the bases of the dim in `layout`.
    ///
    /// # Errors
    /// Returns an error if `layout` does not have the dim, or the size of the dim is not `2^in_bits`.
    pub fn apply(&self, layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let Some(i) = layout.ins.position(self.dim) else {
            return Err(LayoutError::no_such_dim(Role::In, self.dim));
        };
        let (at, bits) = (layout.ins.offset(i), layout.ins.log2(i));
        if bits != self.in_bits() {
            return Err(LayoutError::action_size(self.dim, bits, self.in_bits()));
        }
        let mut ins = layout.ins;
        ins.set_log2(Role::In, i, self.out_bits())?;
        let mut result = LinearLayout::zero(ins, layout.outs);
        result.cols[..at].copy_from_slice(&layout.cols[..at]);
        for (to, index) in self.indices().enumerate() {
            result.cols[at + to] = layout.cols[at + index];
        }
        let rest = &layout.columns()[at + bits..];
        result.cols[at + self.out_bits()..][..rest.len()].copy_from_slice(rest);
        Ok(result)
    }

    /// Returns the index that the value with the index `slot` had before the action. For example, if the action
    /// exchanges registers 1 and 2, `source_of(1)` is 2.
    #[must_use]
    pub fn source_of(&self, slot: u64) -> u64 {
        let mut columns = [0u64; 64];
        for (column, index) in columns.iter_mut().zip(self.indices()) {
            *column = 1 << index;
        }
        apply_columns(&columns[..self.out_bits()], slot)
    }

    /// Applies the action to `values`, which holds the value of each slot, and writes the result to `out`:
    /// `out[i] = values[source_of(i)]`.
    ///
    /// # Errors
    /// Returns an error if the length of `values` is not `2^in_bits`, or the length of `out` is not `2^out_bits`.
    pub fn apply_values<T: Clone>(&self, values: &[T], out: &mut [T]) -> Result<(), LayoutError> {
        for (found, bits) in [(values.len(), self.in_bits()), (out.len(), self.out_bits())] {
            let expected = 1u64 << bits;
            if found as u64 != expected {
                return Err(LayoutError::value_count(self.dim, found, narrow(expected)));
            }
        }
        for (slot, to) in out.iter_mut().enumerate() {
            *to = values[narrow::<usize>(self.source_of(slot as u64))].clone();
        }
        Ok(())
    }

    /// Returns the inverse action.
    ///
    /// # Errors
    /// Returns an error if this action drops a basis.
    pub fn inverse(&self) -> Result<Self, LayoutError> {
        if !self.is_permutation() {
            return Err(LayoutError::action_size(
                self.dim,
                self.out_bits(),
                self.in_bits(),
            ));
        }
        let mut result = *self;
        for (i, index) in self.indices().enumerate() {
            result.action[index] = narrow(i);
        }
        Ok(result)
    }

    /// Returns the action that first applies `self`, and then applies `other` to the result.
    ///
    /// # Errors
    /// Returns an error if the actions have different dims, or `other.in_bits()` is not `self.out_bits()`.
    pub fn left_compose(&self, other: &Self) -> Result<Self, LayoutError> {
        if self.dim != other.dim {
            return Err(LayoutError::order_differs(Role::In, other.dim, self.dim));
        }
        if other.in_bits() != self.out_bits() {
            return Err(LayoutError::action_size(
                self.dim,
                self.out_bits(),
                other.in_bits(),
            ));
        }
        let mut result = Self {
            action: [0; 64],
            len: 0,
            ..*self
        };
        for index in other.indices() {
            result.push(usize::from(self.action[index]));
        }
        Ok(result)
    }
}

impl fmt::Display for RegisterPermutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ColumnAction([")?;
        for (i, index) in self.indices().enumerate() {
            write!(f, "{}{index}", if i == 0 { "" } else { ", " })?;
        }
        write!(f, "], {}, {})", self.dim, self.in_bits)
    }
}

impl fmt::Debug for RegisterPermutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
