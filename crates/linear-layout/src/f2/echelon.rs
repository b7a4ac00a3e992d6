//! Incremental Gaussian elimination over GF(2).

/// A row echelon form that grows column by column.
///
/// An inserted column is a *pivot* column if it is independent of the earlier columns, and a *free* column otherwise.
/// Solutions use only pivot columns: all free variables are zero.
///
/// ```
/// # use linear_layout::f2::Echelon;
/// let mut e = Echelon::new();
/// assert!(e.insert(0, 0b01).is_none()); // independent
/// assert!(e.insert(1, 0b11).is_none());
/// assert_eq!(e.insert(2, 0b10), Some(0b111)); // column 2 = column 0 ^ column 1: a kernel vector
/// assert_eq!(e.solve(0b10), Some(0b011)); // columns 0 and 1, the free column 2 unused
/// assert_eq!(e.solve(0b100), None); // outside the image
/// ```
///
/// # Laws
/// For every `x = solve(y)`: the columns selected by `x` XOR to `y`, and `x & !pivot_columns() == 0`.
#[derive(Clone, Debug)]
pub struct Echelon {
    /// `vectors[r]` is the reduced vector with pivot row `r`, or 0 if there is none. It has no bit in the pivot
    /// rows of vectors that were inserted earlier.
    vectors: [u64; 64],
    /// `sources[r]` is the mask of the inserted columns whose XOR is `vectors[r]`.
    sources: [u64; 64],
    pivot_rows: u64,
    pivot_columns: u64,
}

impl Echelon {
    /// Returns the echelon form of a matrix without columns.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            vectors: [0; 64],
            sources: [0; 64],
            pivot_rows: 0,
            pivot_columns: 0,
        }
    }

    /// Inserts `column` under the number `index`. Returns `None` if `column` is a pivot column, and a kernel vector
    /// if `column` is a free column.
    ///
    /// The kernel vector is a mask of column numbers. It selects `index` and the pivot columns whose XOR is
    /// `column`. `index` is taken modulo 64 and must be new.
    #[inline]
    pub fn insert(&mut self, index: usize, column: u64) -> Option<u64> {
        let own = 1u64 << (index & 63);
        let (rest, sources) = self.reduce(column);
        let sources = sources ^ own;
        if rest == 0 {
            return Some(sources);
        }
        let row = (rest.trailing_zeros() & 63) as usize;
        self.vectors[row] = rest;
        self.sources[row] = sources;
        self.pivot_rows |= 1 << row;
        self.pivot_columns |= own;
        None
    }

    /// Returns `(rest, mask)`. `rest` is the remainder of `y` modulo the span of the columns, and `mask` selects
    /// the pivot columns whose XOR is `y ^ rest`.
    ///
    /// `rest` is zero if and only if `y` is in the span of the columns.
    #[inline]
    #[must_use]
    pub fn reduce(&self, y: u64) -> (u64, u64) {
        let (mut y, mut sources) = (y, 0);
        loop {
            let hit = y & self.pivot_rows;
            if hit == 0 {
                return (y, sources);
            }
            let row = (hit.trailing_zeros() & 63) as usize;
            y ^= self.vectors[row];
            sources ^= self.sources[row];
        }
    }

    /// Returns the mask of the pivot columns whose XOR is `y`, or `None` if `y` is not in the span of the columns.
    #[inline]
    #[must_use]
    pub fn solve(&self, y: u64) -> Option<u64> {
        let (rest, sources) = self.reduce(y);
        (rest == 0).then_some(sources)
    }

    /// Returns true if `y` is in the span of the columns.
    #[inline]
    #[must_use]
    pub fn contains(&self, y: u64) -> bool {
        self.reduce(y).0 == 0
    }

    /// Returns the rank: the number of pivot columns.
    #[inline]
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.pivot_columns.count_ones() as usize
    }

    /// Returns the mask of the pivot columns.
    #[inline]
    #[must_use]
    pub const fn pivot_columns(&self) -> u64 {
        self.pivot_columns
    }
}

impl Default for Echelon {
    fn default() -> Self {
        Self::new()
    }
}
