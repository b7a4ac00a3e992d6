//! Layouts as Tilus prints them, and grids of who holds what.

use core::fmt::{self, Display, Write};

use super::register_layout::product;
use super::short::Extents;
use super::{MultiFunction, RegisterLayout, SharedLayout, Swizzle, TensorMemoryLayout};

/// A list in brackets.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, item) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        f.write_char(']')
    }
}

impl Display for RegisterLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "RegisterLayout(shape={}, mode_shape={}, spatial_modes={}, local_modes={})",
            List(self.shape()),
            List(self.mode_shape()),
            List(self.spatial_modes()),
            List(self.local_modes())
        )
    }
}

impl Display for MultiFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "multi_function(shape={}, mode_shape={}, modes={})",
            List(self.shape()),
            List(self.mode_shape()),
            List(self.modes())
        )
    }
}

impl Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Swizzle(base={}, bits={}, shift={})",
            self.base(),
            self.bits(),
            self.shift()
        )
    }
}

impl Display for SharedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SharedLayout(shape={}, mode_shape={}, mode_strides={}, swizzle=",
            List(self.shape()),
            List(self.mode_shape()),
            List(self.mode_strides())
        )?;
        match self.swizzle() {
            Some(swizzle) => write!(f, "{swizzle})"),
            None => f.write_str("None)"),
        }
    }
}

impl Display for TensorMemoryLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "TMemoryLayout(shape={}, column_strides={}, lane_offset={})",
            List(self.shape()),
            List(self.column_strides()),
            self.lane_offset()
        )
    }
}

/// A table of texts with lines around every cell; numbers are set to the right.
fn table(rows: &[Vec<String>], is_number: bool) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let rule = |left: &str, middle: &str, right: &str| {
        let bars: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        format!("{left}{}{right}", bars.join(middle))
    };
    let lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let cells = cells.map(|(cell, &width)| match is_number {
                true => format!(" {cell:>width$} "),
                false => format!(" {cell:<width$} "),
            });
            format!("│{}│", cells.collect::<Vec<_>>().join("│"))
        })
        .collect();
    let between = format!("\n{}\n", rule("├", "┼", "┤"));
    format!(
        "{}\n{}\n{}",
        rule("┌", "┬", "┐"),
        lines.join(&between),
        rule("└", "┴", "┘")
    )
}

impl RegisterLayout {
    /// Returns the layout's text and below it a grid of its elements, each as `thread: place` or
    /// `[thread, ...]: place`, as Tilus prints them.
    ///
    /// A tensor of three dims is a grid for each index of the first one; of more than three, dims of
    /// extent 1 are left out and then the first dims taken together.
    /// ```
    /// # use linear_layout::tilus::spatial;
    /// assert_eq!(spatial(&[3, 2])?.reduce(&[0], false)?.grid(), "\
    /// RegisterLayout(shape=[2], mode_shape=[2], spatial_modes=[-3, 0], local_modes=[])
    /// ┌──────────────┬──────────────┐
    /// │ [0, 2, 4]: 0 │ [1, 3, 5]: 0 │
    /// └──────────────┴──────────────┘");
    /// # Ok::<(), linear_layout::tilus::TilusError>(())
    /// ```
    #[must_use]
    pub fn grid(&self) -> String {
        let mut shape: Extents = match self.rank() {
            0..=3 => self.shape().into(),
            _ => self.shape().iter().copied().filter(|e| *e > 1).collect(),
        };
        let missing = 3usize.saturating_sub(shape.len());
        let beyond = shape.len().saturating_sub(3);
        // The whole tensor has a size, and so have some of its dims.
        let first = product(shape.iter().take(beyond + 1).copied(), "shape").unwrap_or(1);
        shape = core::iter::repeat_n(1, missing)
            .chain((missing < 3).then_some(first))
            .chain(shape.iter().skip(beyond + 1).copied())
            .collect();
        // Dims of extent 1 and boundaries of dims that are gone have no part in what a mode is.
        let flat = Self {
            shape,
            ..self.clone()
        };
        let mut text = self.to_string();
        for batch in 0..flat.shape[0] {
            let rows: Vec<Vec<String>> = (0..flat.shape[1])
                .map(|row| {
                    let cells = 0..flat.shape[2];
                    cells
                        .map(|column| flat.cell(&[batch, row, column]))
                        .collect()
                })
                .collect();
            text.push('\n');
            text.push_str(&table(&rows, false));
        }
        text
    }

    fn cell(&self, index: &[u64]) -> String {
        let (Ok(threads), Ok(place)) = (self.threads_of(index), self.local_of(index)) else {
            // Indices below the shape have both.
            return String::new();
        };
        let threads: Vec<u64> = threads.collect();
        match threads.as_slice() {
            [thread] => format!("{thread}: {place}"),
            threads => format!("{}: {place}", List(threads)),
        }
    }
}

impl SharedLayout {
    /// Returns the layout's text and below it a grid of offsets, as Tilus prints them; `None` for a
    /// tensor that is not of two dims.
    #[must_use]
    pub fn grid(&self) -> Option<String> {
        let &[rows, columns] = self.shape() else {
            return None;
        };
        let cell = |row, column| {
            self.offset_of(&[row, column])
                .map_or_else(|_| String::new(), |offset| offset.to_string())
        };
        let rows: Vec<Vec<String>> = (0..rows)
            .map(|row| (0..columns).map(|column| cell(row, column)).collect())
            .collect();
        Some(format!("{self}\n{}", table(&rows, true)))
    }
}
