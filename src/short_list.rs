//! A list whose first items need no allocation.

use core::fmt;
use core::ops::{Deref, DerefMut};

/// Up to `N` items in place; all of them on the heap when there are more.
#[derive(Clone)]
pub(crate) struct List<T, const N: usize> {
    len: usize,
    inline: [T; N],
    heap: Vec<T>,
}

impl<T: Copy + Default, const N: usize> List<T, N> {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            len: 0,
            inline: [T::default(); N],
            heap: Vec::new(),
        }
    }

    /// So many times this item.
    #[inline]
    pub(crate) fn filled(item: T, len: usize) -> Self {
        Self {
            len,
            inline: [item; N],
            heap: if len > N { vec![item; len] } else { Vec::new() },
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.len < N {
            self.inline[self.len] = item;
        } else {
            self.push_to_heap(item);
        }
        self.len += 1;
    }

    #[cold]
    fn push_to_heap(&mut self, item: T) {
        if self.len == N {
            self.heap.extend_from_slice(&self.inline);
        }
        self.heap.push(item);
    }

    #[inline]
    pub(crate) fn extend_from_slice(&mut self, items: &[T]) {
        let end = self.len + items.len();
        if end <= N {
            self.inline[self.len..end].copy_from_slice(items);
            self.len = end;
        } else {
            for &item in items {
                self.push(item);
            }
        }
    }
}

impl<T, const N: usize> Deref for List<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        if self.len <= N {
            &self.inline[..self.len]
        } else {
            &self.heap
        }
    }
}

impl<T, const N: usize> DerefMut for List<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        if self.len <= N {
            &mut self.inline[..self.len]
        } else {
            &mut self.heap
        }
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for List<T, N> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::new();
        list.extend(items);
        list
    }
}

impl<T: Copy + Default, const N: usize> From<&[T]> for List<T, N> {
    #[inline]
    fn from(items: &[T]) -> Self {
        let mut list = Self::new();
        list.extend_from_slice(items);
        list
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for List<T, N> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for List<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for List<T, N> {}

impl<T: core::hash::Hash, const N: usize> core::hash::Hash for List<T, N> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn items_move_to_the_heap() {
        let mut list: List<u8, 3> = List::new();
        for i in 0..7 {
            list.push(i);
            assert_eq!(*list, (0..=i).collect::<Vec<_>>()[..]);
        }
        list[0] = 9;
        list.extend_from_slice(&[7, 8]);
        list.extend_from_slice(&[]);
        assert_eq!(*list, [9, 1, 2, 3, 4, 5, 6, 7, 8]);
        let mut short: List<u8, 3> = List::from(&[1, 2][..]);
        short.extend_from_slice(&[3]);
        assert_eq!(short, (1..4).collect());
        short.extend_from_slice(&[4, 5]);
        assert_eq!(short, (1..6).collect());
        for len in [0, 3, 4] {
            let mut zeros = List::<u8, 3>::filled(0, len);
            zeros.push(7);
            assert_eq!(*zeros, [vec![0; len], vec![7]].concat());
        }
    }
}
