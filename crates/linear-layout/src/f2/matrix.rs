//! Matrices of up to 64x64 bits.

use core::fmt;

use super::{Echelon, Span, apply_columns, low_mask, shl};

/// A matrix over GF(2) with at most 64 rows and 64 columns, one word per column, kept inline.
///
/// Bit `r` of column `c` is the entry in row `r` and column `c`:
/// ```
/// # use linear_layout::f2::BitMatrix;
/// let a = BitMatrix::from_columns(2, &[0b01, 0b10, 0b11])?;
/// assert_eq!(a.to_string(), "1 0 1\n0 1 1\n");
/// assert_eq!(a.apply(0b101), 0b10); // column 0 ^ column 2
/// # Ok::<(), linear_layout::f2::MatrixError>(())
/// ```
#[derive(Clone)]
pub struct BitMatrix {
    rows: u8,
    cols: u8,
    /// Columns from `cols` on, and rows from `rows` on, are zero.
    columns: [u64; 64],
}

/// An error of making a matrix or of an operation on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatrixError {
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    TooLarge {
        rows: usize,
        cols: usize,
    },
    ColumnTooWide {
        column: usize,
        rows: usize,
    },
    ShapesDiffer {
        left: (usize, usize),
        right: (usize, usize),
    },
    Singular {
        rank: usize,
        rows: usize,
        cols: usize,
    },
    NotInImage {
        column: usize,
    },
}

impl fmt::Display for MatrixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::TooLarge { rows, cols } => {
                write!(
                    f,
                    "a matrix of {rows}x{cols} is too large; at most 64x64 is supported"
                )
            }
            Kind::ColumnTooWide { column, rows } => {
                write!(f, "column {column} has bits beyond the {rows} rows")
            }
            Kind::ShapesDiffer { left, right } => {
                write!(
                    f,
                    "shapes {}x{} and {}x{} do not fit",
                    left.0, left.1, right.0, right.1
                )
            }
            Kind::Singular { rank, rows, cols } => {
                write!(f, "a {rows}x{cols} matrix of rank {rank} has no inverse")
            }
            Kind::NotInImage { column } => {
                write!(
                    f,
                    "column {column} of the right-hand side is outside the image"
                )
            }
        }
    }
}

impl fmt::Debug for MatrixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatrixError({self})")
    }
}

impl core::error::Error for MatrixError {}

impl MatrixError {
    const fn new(kind: Kind) -> Self {
        Self { kind }
    }

    /// Tells whether a matrix was to be inverted that has no inverse.
    #[must_use]
    pub const fn is_singular(&self) -> bool {
        matches!(self.kind, Kind::Singular { .. })
    }

    /// Tells whether a system of equations has no solution.
    #[must_use]
    pub const fn is_not_in_image(&self) -> bool {
        matches!(self.kind, Kind::NotInImage { .. })
    }
}

/// A matrix in reduced row echelon form.
///
/// See [`BitMatrix::rref`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rref {
    /// The reduced matrix.
    pub matrix: BitMatrix,
    /// Mask of the columns that hold a pivot; the others are the free variables.
    pub pivot_columns: u64,
}

impl BitMatrix {
    /// Returns the zero matrix.
    ///
    /// # Errors
    /// When there are more than 64 rows or columns.
    #[expect(clippy::cast_possible_truncation, reason = "checked to be at most 64")]
    pub const fn zero(rows: usize, cols: usize) -> Result<Self, MatrixError> {
        if rows > 64 || cols > 64 {
            return Err(MatrixError::new(Kind::TooLarge { rows, cols }));
        }
        Ok(Self {
            rows: rows as u8,
            cols: cols as u8,
            columns: [0; 64],
        })
    }

    /// Returns the identity matrix.
    ///
    /// # Errors
    /// When `n` exceeds 64.
    pub const fn identity(n: usize) -> Result<Self, MatrixError> {
        let mut result = match Self::zero(n, n) {
            Ok(zero) => zero,
            Err(e) => return Err(e),
        };
        let mut i = 0;
        while i < n {
            result.columns[i] = 1 << i;
            i += 1;
        }
        Ok(result)
    }

    /// Returns the matrix with these columns, bit `r` of each in row `r`.
    ///
    /// # Errors
    /// When there are more than 64 rows or columns, or a column has bits beyond the rows.
    pub fn from_columns(rows: usize, columns: &[u64]) -> Result<Self, MatrixError> {
        let mut result = Self::zero(rows, columns.len())?;
        for (c, (to, &column)) in result.columns.iter_mut().zip(columns).enumerate() {
            if column & !low_mask(rows) != 0 {
                return Err(MatrixError::new(Kind::ColumnTooWide { column: c, rows }));
            }
            *to = column;
        }
        Ok(result)
    }

    /// The matrix with these columns, already checked: zero from `cols` on, no bits beyond `rows`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a checked matrix has at most 64 rows and columns"
    )]
    pub(crate) const fn from_inline(rows: usize, cols: usize, columns: [u64; 64]) -> Self {
        Self {
            rows: rows as u8,
            cols: cols as u8,
            columns,
        }
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn num_rows(&self) -> usize {
        self.rows as usize
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn num_columns(&self) -> usize {
        self.cols as usize
    }

    /// Returns the columns, bit `r` of each in row `r`.
    #[must_use]
    pub fn columns(&self) -> &[u64] {
        &self.columns[..self.num_columns().min(64)]
    }

    /// Returns one row, bit `c` in column `c`; 0 beyond the last row.
    #[must_use]
    pub fn row(&self, r: usize) -> u64 {
        if r >= self.num_rows() {
            return 0;
        }
        self.columns()
            .iter()
            .enumerate()
            .fold(0, |row, (c, col)| row | (col >> r & 1) << c)
    }

    /// Returns the image of the vector `x`: the XOR of the columns that it selects.
    #[inline]
    #[must_use]
    pub fn apply(&self, x: u64) -> u64 {
        apply_columns(self.columns(), x)
    }

    /// Returns the matrix product `self * other`: `other` is applied first.
    ///
    /// # Laws
    /// `(a * b)(x) == a(b(x))` (property `product_is_application`).
    /// # Errors
    /// When `other` has not as many rows as `self` columns.
    pub fn product(&self, other: &Self) -> Result<Self, MatrixError> {
        if self.cols != other.rows {
            return Err(self.shapes_differ(other));
        }
        let mut result = Self {
            rows: self.rows,
            cols: other.cols,
            columns: [0; 64],
        };
        for (to, &column) in result.columns.iter_mut().zip(other.columns()) {
            *to = self.apply(column);
        }
        Ok(result)
    }

    /// Returns the sum (XOR) of two matrices.
    ///
    /// # Errors
    /// When the shapes differ.
    pub fn sum(&self, other: &Self) -> Result<Self, MatrixError> {
        if (self.rows, self.cols) != (other.rows, other.cols) {
            return Err(self.shapes_differ(other));
        }
        let mut result = self.clone();
        for (to, &column) in result.columns.iter_mut().zip(other.columns()) {
            *to ^= column;
        }
        Ok(result)
    }

    /// Returns the columns of `self` followed by those of `other`.
    ///
    /// # Errors
    /// When the numbers of rows differ, or there would be more than 64 columns.
    pub fn beside(&self, other: &Self) -> Result<Self, MatrixError> {
        if self.rows != other.rows {
            return Err(self.shapes_differ(other));
        }
        let cols = self.num_columns() + other.num_columns();
        let mut result = Self::zero(self.num_rows(), cols)?;
        result.columns[..self.num_columns()].copy_from_slice(self.columns());
        result.columns[self.num_columns()..cols].copy_from_slice(other.columns());
        Ok(result)
    }

    /// Returns the rows of `self` followed by those of `other`.
    ///
    /// # Errors
    /// When the numbers of columns differ, or there would be more than 64 rows.
    pub fn above(&self, other: &Self) -> Result<Self, MatrixError> {
        if self.cols != other.cols {
            return Err(self.shapes_differ(other));
        }
        let mut result = Self::zero(self.num_rows() + other.num_rows(), self.num_columns())?;
        for ((to, &high), &low) in result
            .columns
            .iter_mut()
            .zip(other.columns())
            .zip(self.columns())
        {
            *to = low | shl(high, self.num_rows());
        }
        Ok(result)
    }

    /// Returns the matrix with rows and columns exchanged.
    ///
    /// # Laws
    /// Its own inverse (property `transpose_is_an_involution`).
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut m = self.columns;
        // Exchange the off-diagonal halves of ever smaller blocks: 32, 16, ... 1 bits wide.
        let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffff_u64);
        while width != 0 {
            let mut k = 0;
            while k < 64 {
                let high = (m[k] >> width ^ m[k + width]) & mask;
                m[k] ^= high << width;
                m[k + width] ^= high;
                k = (k + width + 1) & !width;
            }
            width /= 2;
            mask ^= mask << width;
        }
        Self {
            rows: self.cols,
            cols: self.rows,
            columns: m,
        }
    }

    /// Returns the elimination of the columns in order.
    #[must_use]
    pub fn echelon(&self) -> Echelon {
        let mut echelon = Echelon::new();
        for (c, &column) in self.columns().iter().enumerate() {
            echelon.insert(c, column);
        }
        echelon
    }

    /// Returns the number of independent columns.
    ///
    /// # Laws
    /// Equal to the rank of the transpose (property `row_rank_is_column_rank`).
    #[must_use]
    pub fn rank(&self) -> usize {
        self.echelon().rank()
    }

    /// Returns the reduced row echelon form and its pivot columns.
    ///
    /// ```
    /// # use linear_layout::f2::BitMatrix;
    /// let a = BitMatrix::from_columns(2, &[0b11, 0b11, 0b10])?;
    /// let rref = a.rref();
    /// assert_eq!(rref.matrix.to_string(), "1 1 0\n0 0 1\n");
    /// assert_eq!(rref.pivot_columns, 0b101);
    /// # Ok::<(), linear_layout::f2::MatrixError>(())
    /// ```
    /// # Laws
    /// Same row space as `self`; each pivot column is a unit vector (property `rref_is_reduced`).
    #[must_use]
    pub fn rref(&self) -> Rref {
        // Row i of the form says how each column is made of the i-th pivot column, and that is
        // what solving for the column in pivot columns answers.
        let echelon = self.echelon();
        let pivot_columns = echelon.pivot_columns();
        let mut matrix = Self {
            rows: self.rows,
            cols: self.cols,
            columns: [0; 64],
        };
        for (to, &column) in matrix.columns.iter_mut().zip(self.columns()) {
            let mut used = echelon.reduce(column).1;
            while used != 0 {
                let below = low_mask(used.trailing_zeros() as usize);
                *to |= 1 << (pivot_columns & below).count_ones();
                used &= used - 1;
            }
        }
        Rref {
            matrix,
            pivot_columns,
        }
    }

    /// Returns the inverse.
    ///
    /// # Laws
    /// `a * a.inverse()?` and `a.inverse()? * a` are the identity (property `inverse_undoes`).
    /// # Errors
    /// When the matrix is not square or not of full rank ([`is_singular`](MatrixError::is_singular)).
    pub fn inverse(&self) -> Result<Self, MatrixError> {
        let echelon = self.echelon();
        if self.rows != self.cols || echelon.rank() != self.num_rows() {
            let (rows, cols) = (self.num_rows(), self.num_columns());
            return Err(MatrixError::new(Kind::Singular {
                rank: echelon.rank(),
                rows,
                cols,
            }));
        }
        let mut result = Self {
            rows: self.cols,
            cols: self.rows,
            columns: [0; 64],
        };
        for (r, to) in result.columns[..self.num_rows()].iter_mut().enumerate() {
            *to = echelon.reduce(1 << r).1;
        }
        Ok(result)
    }

    /// Returns `x` with `self * x == right`, all free variables zero.
    ///
    /// ```
    /// # use linear_layout::f2::BitMatrix;
    /// let a = BitMatrix::from_columns(2, &[0b01, 0b01, 0b10])?; // column 1 repeats column 0
    /// let x = a.solve(&BitMatrix::from_columns(2, &[0b11])?)?;
    /// assert_eq!(x.columns(), [0b101]); // columns 0 and 2; column 1 is free and stays unused
    /// # Ok::<(), linear_layout::f2::MatrixError>(())
    /// ```
    /// # Laws
    /// The solution solves, and has no bit in a free column (property `solution_solves`).
    /// # Errors
    /// When the numbers of rows differ, or a column of `right` is outside the image.
    pub fn solve(&self, right: &Self) -> Result<Self, MatrixError> {
        if self.rows != right.rows {
            return Err(self.shapes_differ(right));
        }
        let echelon = self.echelon();
        let mut result = Self {
            rows: self.cols,
            cols: right.cols,
            columns: [0; 64],
        };
        for (c, (to, &column)) in result.columns.iter_mut().zip(right.columns()).enumerate() {
            match echelon.solve(column) {
                Some(x) => *to = x,
                None => return Err(MatrixError::new(Kind::NotInImage { column: c })),
            }
        }
        Ok(result)
    }

    /// Returns the span of the columns: every vector that [`apply`](Self::apply) can give.
    #[must_use]
    pub fn image(&self) -> Span {
        Span::of(self.columns())
    }

    /// Returns the vectors that are mapped to zero.
    ///
    /// # Laws
    /// Rank and kernel dimension add up to the number of columns (property `rank_nullity`).
    #[must_use]
    pub fn kernel(&self) -> Span {
        let mut echelon = Echelon::new();
        let mut kernel = Span::empty();
        for (c, &column) in self.columns().iter().enumerate() {
            if let Some(relation) = echelon.insert(c, column) {
                kernel.insert(relation);
            }
        }
        kernel
    }

    fn shapes_differ(&self, other: &Self) -> MatrixError {
        let shape = |m: &Self| (m.num_rows(), m.num_columns());
        MatrixError::new(Kind::ShapesDiffer {
            left: shape(self),
            right: shape(other),
        })
    }
}

impl PartialEq for BitMatrix {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.cols) == (other.rows, other.cols) && self.columns() == other.columns()
    }
}

impl Eq for BitMatrix {}

/// Prints rows of `0` and `1`, one line each, the first row on top.
impl fmt::Display for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for r in 0..self.num_rows() {
            for (c, column) in self.columns().iter().enumerate() {
                write!(f, "{}{}", if c == 0 { "" } else { " " }, column >> r & 1)?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BitMatrix {}x{}\n{self}", self.rows, self.cols)
    }
}
