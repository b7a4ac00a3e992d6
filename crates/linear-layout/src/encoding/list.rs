//! Lists of fixed capacity for the parameters of encodings, which have one number for each dim.

use crate::number::narrow;
use core::{fmt, hash, ops};

use super::EncodingError;
use super::error::EncodingErrorKind;

/// Maximum number of dims of a tensor that has an encoding.
pub const MAX_RANK: usize = crate::layout::MAX_DIMS;

/// A list of at most `N` items that is stored inline, without a heap allocation. It dereferences to a slice.
#[derive(Clone, Copy)]
pub struct List<T, const N: usize> {
    len: u8,
    items: [T; N],
}

/// A list of one 32-bit number for each dim of a tensor.
pub type Ints = List<u32, MAX_RANK>;

impl<T: Copy + Default, const N: usize> List<T, N> {
    pub(crate) fn new() -> Self {
        Self {
            len: 0,
            items: [T::default(); N],
        }
    }

    pub(crate) fn from_slice(items: &[T]) -> Result<Self, EncodingError> {
        let mut list = Self::new();
        for item in items {
            list.push(*item)?;
        }
        Ok(list)
    }

    /// Returns `min(len, N)` copies of `item`.
    #[must_use]
    pub(crate) fn filled(item: T, len: usize) -> Self {
        let mut list = Self::new();
        list.len = narrow(len.min(N));
        list.items[..len.min(N)].fill(item);
        list
    }

    pub(crate) fn collect(items: impl IntoIterator<Item = T>) -> Self {
        let mut list = Self::new();
        for (slot, item) in list.items.iter_mut().zip(items) {
            *slot = item;
            list.len += 1;
        }
        list
    }

    pub(crate) fn push(&mut self, item: T) -> Result<(), EncodingError> {
        match self.items.get_mut(self.len as usize) {
            Some(slot) => {
                *slot = item;
                self.len += 1;
                Ok(())
            }
            None => Err(EncodingError::new(EncodingErrorKind::TooMany {
                key: String::new(),
                limit: N,
            })),
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> ops::Deref for List<T, N> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.items[..self.len as usize]
    }
}

impl<T, const N: usize> ops::DerefMut for List<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len as usize]
    }
}

impl<T: PartialEq, const N: usize> PartialEq for List<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for List<T, N> {}

impl<T: hash::Hash, const N: usize> hash::Hash for List<T, N> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Prints the list in the syntax of encodings, such as `[1, 4]`.
impl<T: fmt::Display, const N: usize> fmt::Display for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, item) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        f.write_str("]")
    }
}

impl<T, const N: usize> AsRef<[T]> for List<T, N> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::List;
    use std::hash::{BuildHasher, RandomState};

    #[test]
    fn a_list_hashes_as_its_items() {
        let state = RandomState::new();
        let of = |items: &[u8]| List::<u8, 4>::from_slice(items).unwrap();
        for items in [&[][..], &[1], &[1, 2], &[2, 1], &[1, 2, 0]] {
            assert_eq!(state.hash_one(of(items)), state.hash_one(items));
        }
    }
}
