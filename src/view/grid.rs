//! A table of cells with labels, in columns of equal width.

use core::fmt;

/// How much of a layout is shown.
///
/// What lies outside is counted in a last line, so that a cut view cannot be taken for a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Rows of one grid; 64 by default.
    pub rows: u64,
    /// Columns of one grid; 32 by default, which two-digit cells fill a wide terminal with.
    pub columns: u64,
    /// Grids: of a tensor of rank 3 and more, or warps; 4 by default.
    pub grids: u64,
}

impl Window {
    /// Everything. Meant for layouts known to be small: a grid is built in memory before it is
    /// printed.
    pub const ALL: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        grids: u64::MAX,
    };
}

impl Default for Window {
    fn default() -> Self {
        Self {
            rows: 64,
            columns: 32,
            grids: 4,
        }
    }
}

/// One table, right-aligned.
pub(super) struct Grid {
    pub(super) column_labels: Vec<String>,
    /// Label and cells of each row.
    pub(super) rows: Vec<(String, Vec<String>)>,
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |text: &String| text.chars().count();
        let lead = self.rows.iter().map(|(l, _)| length(l)).max().unwrap_or(0);
        let mut widths: Vec<usize> = self.column_labels.iter().map(length).collect();
        for (_, cells) in &self.rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(length(cell));
            }
        }
        let line = |f: &mut fmt::Formatter<'_>, label: &str, colon: char, cells: &[String]| {
            write!(f, "{label:>lead$}{colon}")?;
            for (width, cell) in widths.iter().zip(cells) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)
        };
        line(f, "", ' ', &self.column_labels)?;
        for (label, cells) in &self.rows {
            line(f, label, ':', cells)?;
        }
        Ok(())
    }
}

/// Says what a window has left out, if anything.
pub(super) fn left_out(
    f: &mut fmt::Formatter<'_>,
    shown: u64,
    whole: u64,
    what: &str,
) -> fmt::Result {
    if shown < whole {
        writeln!(f, "... {} more {what}", whole - shown)?;
    }
    Ok(())
}
