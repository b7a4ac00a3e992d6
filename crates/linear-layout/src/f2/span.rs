//! Subspaces of the 64-bit words.

use core::fmt;

use super::{Echelon, low_mask};

/// A subspace: all XOR sums of some vectors. Equal subspaces compare equal, however they were made.
///
/// ```
/// # use linear_layout::f2::Span;
/// let a = Span::of(&[0b011, 0b110]);
/// assert_eq!(a.dimension(), 2);
/// assert!(a.contains(0b101)); // 011 ^ 110
/// assert_eq!(a, Span::of(&[0b101, 0b011]));
/// assert_eq!(a.intersection(&Span::of(&[0b001, 0b100])), Span::of(&[0b101]));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Span {
    /// The vector whose lowest bit is `r`, or 0. No vector has a bit in another's lowest place, so
    /// the vectors are determined by the subspace.
    vectors: [u64; 64],
    pivots: u64,
}

impl Span {
    /// Returns the subspace of the zero vector alone.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            vectors: [0; 64],
            pivots: 0,
        }
    }

    /// Returns the subspace of all vectors of `bits` bits (64 at most).
    #[must_use]
    pub fn whole(bits: usize) -> Self {
        let mut result = Self::empty();
        for r in 0..bits.min(64) {
            result.vectors[r] = 1 << r;
        }
        result.pivots = low_mask(bits);
        result
    }

    /// Returns the subspace that these vectors span.
    #[must_use]
    pub fn of(vectors: &[u64]) -> Self {
        let mut result = Self::empty();
        for &v in vectors {
            result.insert(v);
        }
        result
    }

    /// Adds a vector to the spanning ones; answers whether the subspace grew.
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

    /// Returns the representative of `vector` modulo the subspace: the one without pivot bits.
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

    /// Tells whether the subspace has this vector.
    #[must_use]
    pub fn contains(&self, vector: u64) -> bool {
        self.reduce(vector) == 0
    }

    /// Tells whether every vector of `other` is in `self`.
    #[must_use]
    pub fn contains_span(&self, other: &Self) -> bool {
        other.vectors().all(|v| self.contains(v))
    }

    /// Returns the number of independent vectors.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.pivots.count_ones() as usize
    }

    /// Returns the vectors of the reduced basis, the one with the lowest pivot bit first.
    pub fn vectors(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.vectors.iter().copied().filter(|v| *v != 0)
    }

    /// Returns the smallest subspace that has both.
    #[must_use]
    pub fn sum(&self, other: &Self) -> Self {
        let mut result = self.clone();
        for v in other.vectors() {
            result.insert(v);
        }
        result
    }

    /// Returns the vectors that both have.
    ///
    /// # Laws
    /// `dim(a + b) + dim(a & b) == dim a + dim b` (property `dimension_formula`).
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        // Each vector of `self` carries itself along, each of `other` nothing. When a vector of
        // `other` cancels, what it carries is the sum of the vectors of `self` that it equals.
        let mut result = Self::empty();
        let mut vectors = [(0u64, 0u64); 64];
        let mut pivots = 0u64;
        let mut insert = |mut v: u64, mut carried: u64| {
            loop {
                let hit = v & pivots;
                if hit == 0 {
                    break;
                }
                let (w, c) = vectors[(hit.trailing_zeros() & 63) as usize];
                v ^= w;
                carried ^= c;
            }
            if v == 0 {
                return Some(carried);
            }
            let row = v.trailing_zeros() & 63;
            pivots |= 1 << row;
            vectors[row as usize] = (v, carried);
            None
        };
        for v in self.vectors() {
            insert(v, v);
        }
        for v in other.vectors() {
            if let Some(shared) = insert(v, 0) {
                result.insert(shared);
            }
        }
        result
    }

    /// Returns unit vectors that together with `self` make up all vectors of `bits` bits, sharing
    /// only zero with it.
    ///
    /// ```
    /// # use linear_layout::f2::Span;
    /// assert_eq!(Span::of(&[0b011]).complement(3), Span::of(&[0b001, 0b100]));
    /// ```
    /// # Laws
    /// Sum with `self` is the whole space, intersection is empty (property `complement_completes`).
    #[must_use]
    pub fn complement(&self, bits: usize) -> Self {
        self.complement_in(&Self::whole(bits))
    }

    /// Returns vectors of the basis of `whole` that together with `self` make up the sum of both.
    ///
    /// # Laws
    /// As [`complement`](Self::complement), inside the sum of both.
    #[must_use]
    pub fn complement_in(&self, whole: &Self) -> Self {
        let mut grown = self.clone();
        let mut result = Self::empty();
        for v in whole.vectors() {
            if grown.insert(v) {
                result.insert(v);
            }
        }
        result
    }

    /// Returns the vectors of `bits` bits that share an even number of bits with every vector of
    /// `self`: the equations that `self` meets.
    ///
    /// # Laws
    /// Dimensions add up to `bits`; twice is the identity (property `orthogonal_twice`).
    #[must_use]
    pub fn orthogonal(&self, bits: usize) -> Self {
        // A vector w is orthogonal iff every basis vector selects an even number of w's bits: the
        // kernel of the matrix whose rows are the basis vectors.
        let mut echelon = Echelon::new();
        let mut result = Self::empty();
        for bit in 0..bits.min(64) {
            let column = self
                .vectors()
                .enumerate()
                .fold(0, |col, (row, v)| col | (v >> bit & 1) << row);
            if let Some(relation) = echelon.insert(bit, column) {
                result.insert(relation);
            }
        }
        result
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
    /// Bits up to the highest one in use.
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
