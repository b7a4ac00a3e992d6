//! The bits: which input bit enters which output bit.

use core::fmt;

use crate::layout::LinearLayout;

/// The matrix over GF(2), a column for each input bit and a row for each output bit, both labelled
/// with what the bit is worth in its dim.
///
/// A swizzle of two rows of four: the row bit enters the column as well.
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// # use linear_layout::view::MatrixView;
/// let layout = LinearLayout::from_bases(
///     &[(Dim::OFFSET, &[&[0, 1], &[0, 2], &[1, 2]])], &[Dim::out(0), Dim::out(1)])?;
/// assert_eq!(format!("\n{}", MatrixView::new(&layout)), "
///         offset
///         1  2  4
/// dim0=1  .  .  1
/// dim1=1  1  .  .
/// dim1=2  .  1  1
/// ");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatrixView<'l> {
    layout: &'l LinearLayout,
}

impl<'l> MatrixView<'l> {
    /// Shows the whole matrix; it has 64 rows and 64 columns at most.
    #[must_use]
    pub fn new(layout: &'l LinearLayout) -> Self {
        Self { layout }
    }

    /// Returns the rows: 1 where the input bit of the column enters the output bit of the row.
    pub fn rows(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..self.layout.total_out_bits()).map(|row| {
            let columns = self.layout.columns().iter();
            columns.map(|column| (column >> row & 1) as u8).collect()
        })
    }
}

impl fmt::Display for MatrixView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<String> = self
            .layout
            .out_dims()
            .flat_map(|d| (0..self.layout.out_bits(d)).map(move |b| format!("{d}={}", 1u64 << b)))
            .collect();
        let lead = labels.iter().map(String::len).max().unwrap_or(0);
        let (mut names, mut worths) = (" ".repeat(lead), " ".repeat(lead));
        let mut widths = Vec::new();
        for dim in self.layout.in_dims() {
            let bits = self.layout.in_bits(dim);
            if bits == 0 {
                continue;
            }
            names += &format!("  {dim}");
            for bit in 0..bits {
                let worth = (1u64 << bit).to_string();
                // A name longer than its columns pushes the last of them out.
                let missing = names.len().saturating_sub(worths.len() + 2 + worth.len());
                let pad = if bit + 1 == bits { missing } else { 0 };
                widths.push(2 + worth.len() + pad);
                worths += &format!("{worth:>width$}", width = 2 + worth.len() + pad);
            }
            names += &" ".repeat(worths.len().saturating_sub(names.len()));
        }
        writeln!(f, "{}", names.trim_end())?;
        writeln!(f, "{}", worths.trim_end())?;
        for (label, row) in labels.iter().zip(self.rows()) {
            write!(f, "{label:<lead$}")?;
            for (width, bit) in widths.iter().zip(row) {
                write!(f, "{:>width$}", if bit == 1 { '1' } else { '.' })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
