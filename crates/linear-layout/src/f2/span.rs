//! Subspaces of GF(2)^64.

use core::fmt;

/// A subspace of GF(2)^64. Two equal subspaces compare equal, even if they were constructed from different vectors.
///
/// ```
/// # use linear_layout::f2::Span;
/// let a = Span::of(&[0b011, 0b110]);
/// assert_eq!(a.dimension(), 2);
/// assert!(a.contains(0b101)); // 011 ^ 110
/// assert_eq!(a, Span::of(&[0b101, 0b011]));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Span {
    /// `vectors[r]` is the basis vector whose lowest bit is `r`, or 0 if there is none. The basis is fully reduced,
    /// and therefore unique.
    vectors: [u64; 64],
    pivots: u64,
}

impl Span {
    /// Returns the subspace with only the zero vector.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            vectors: [0; 64],
            pivots: 0,
        }
    }

    /// Returns the subspace spanned by `vectors`.
    #[must_use]
    pub fn of(vectors: &[u64]) -> Self {
        let mut result = Self::empty();
        for &v in vectors {
            result.insert(v);
        }
        result
    }

    /// Adds a vector to the spanning set. Returns true if the subspace grew.
    pub fn insert(&mut self, vector: u64) -> bool {
        let rest = self.reduce(vector);
        if rest == 0 {
            return false;
        }
        let row = (rest.trailing_zeros() & 63) as usize;
        for v in &mut self.vectors {
            if *v >> row & 1 == 1 {
                *v ^= rest;
            }
        }
        self.vectors[row] = rest;
        self.pivots |= 1 << row;
        true
    }

    /// Returns the remainder of `vector` modulo the subspace. The remainder differs from `vector` by an element of
    /// the subspace, and has no pivot bits. These two conditions determine it uniquely. The pivot bits are the
    /// lowest set bits of the vectors in the reduced basis.
    #[must_use]
    pub fn reduce(&self, vector: u64) -> u64 {
        let mut hits = vector & self.pivots;
        let mut rest = vector;
        while hits != 0 {
            rest ^= self.vectors[(hits.trailing_zeros() & 63) as usize];
            hits &= hits - 1;
        }
        rest
    }

    /// Returns true if `vector` is in the subspace.
    #[must_use]
    pub fn contains(&self, vector: u64) -> bool {
        self.reduce(vector) == 0
    }

    /// Returns the dimension of the subspace.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.pivots.count_ones() as usize
    }

    /// Returns the reduced basis, in ascending order of pivot bits.
    pub fn vectors(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.vectors.iter().copied().filter(|v| *v != 0)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.vectors().map(|v| Bits(v, self.width())))
            .finish()
    }
}

impl Span {
    fn width(&self) -> usize {
        let all = self.vectors().fold(0, |acc, v| acc | v);
        (64 - all.leading_zeros()) as usize
    }
}

struct Bits(u64, usize);

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:01$b}", self.0, self.1)
    }
}
