//! Incremental Gaussian elimination over GF(2).

/// A row echelon form that grows column by column.
///
/// Each column either is independent of those before it (a *pivot* column) or is a sum of earlier
/// pivot columns (a *free* column). Because earlier columns win, the pivots are those of the reduced
/// row echelon form, and solutions written in pivot columns alone have all free variables zero.
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
    /// Reduced vector that owns pivot row `r`. Invariant: it has no bit in a pivot row older than `r`'s.
    vectors: [u64; 64],
    /// Mask of the inserted columns that XOR to `vectors[r]`.
    sources: [u64; 64],
    pivot_rows: u64,
    pivot_columns: u64,
}

impl Echelon {
    /// Returns the echelon form of the matrix without columns.
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

    /// Inserts a column. Returns `None` if it is independent of the earlier columns, else the kernel vector that it
    /// completes (it and the pivot columns that sum to it).
    ///
    /// Indices are taken modulo 64, and each is meant to be used once.
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

    /// Returns the remainder of `y` after subtracting pivot columns, and the mask of those columns.
    ///
    /// The remainder is zero exactly when `y` is in the span of the columns.
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

    /// Returns the columns that XOR to `y`, pivot columns only, or `None` outside the span.
    #[inline]
    #[must_use]
    pub fn solve(&self, y: u64) -> Option<u64> {
        let (rest, sources) = self.reduce(y);
        (rest == 0).then_some(sources)
    }

    /// Returns true if `y` is a sum of the columns.
    #[inline]
    #[must_use]
    pub fn contains(&self, y: u64) -> bool {
        self.reduce(y).0 == 0
    }

    /// Returns the number of independent columns.
    #[inline]
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.pivot_columns.count_ones() as usize
    }

    /// Returns the mask of the columns that were independent of those before them.
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
