//! Lists that are kept inline while they are short.

use core::fmt;
use core::ops::{Deref, DerefMut};

/// A list of which the first `N` elements need no allocation; reads as a slice.
#[derive(Clone)]
pub(super) struct Short<T, const N: usize>(Store<T, N>);

#[derive(Clone)]
enum Store<T, const N: usize> {
    Inline { len: u8, items: [T; N] },
    Heap(Vec<T>),
}

impl<T: Copy + Default, const N: usize> Short<T, N> {
    #[inline]
    pub(super) fn new() -> Self {
        Self(Store::Inline {
            len: 0,
            items: [T::default(); N],
        })
    }

    /// `len` times this element.
    #[inline]
    pub(super) fn filled(item: T, len: usize) -> Self {
        if len <= N {
            // At most `N`, which is far below 256 for every list here.
            let len = len as u8;
            Self(Store::Inline {
                len,
                items: [item; N],
            })
        } else {
            Self(Store::Heap(vec![item; len]))
        }
    }

    #[inline]
    pub(super) fn push(&mut self, item: T) {
        match &mut self.0 {
            Store::Inline { len, items } => {
                let at = usize::from(*len);
                if at < N {
                    items[at] = item;
                    *len += 1;
                } else {
                    let mut list = Vec::with_capacity(2 * N);
                    list.extend_from_slice(items);
                    list.push(item);
                    self.0 = Store::Heap(list);
                }
            }
            Store::Heap(list) => list.push(item),
        }
    }
}

impl<T, const N: usize> Deref for Short<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Store::Inline { len, items } => &items[..usize::from(*len)],
            Store::Heap(list) => list,
        }
    }
}

impl<T, const N: usize> DerefMut for Short<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Store::Inline { len, items } => &mut items[..usize::from(*len)],
            Store::Heap(list) => list,
        }
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for Short<T, N> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::new();
        list.extend(items);
        list
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for Short<T, N> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let mut more = items.into_iter();
        if let Store::Inline { len, items } = &mut self.0 {
            let mut at = usize::from(*len);
            while at < N {
                let Some(item) = more.next() else { break };
                items[at] = item;
                at += 1;
            }
            *len = at as u8;
            if at < N {
                return;
            }
        }
        for item in more {
            self.push(item);
        }
    }
}

impl<T: Copy + Default, const N: usize> From<&[T]> for Short<T, N> {
    #[inline]
    fn from(items: &[T]) -> Self {
        if items.len() > N {
            return Self(Store::Heap(items.to_vec()));
        }
        let mut list = Self::filled(T::default(), items.len());
        list.copy_from_slice(items);
        list
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Short<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Short<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.deref() == other.deref()
    }
}

impl<T: Eq, const N: usize> Eq for Short<T, N> {}

/// Extents of dims: most tensors have at most four.
pub(super) type Extents = Short<u64, 4>;
/// Extents of modes, and lists of modes.
pub(super) type Modes<T> = Short<T, 8>;
