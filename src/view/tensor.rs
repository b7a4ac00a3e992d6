//! The tensor: for each element, who holds it.

use core::fmt;

use super::grid::{Grid, Window, left_out};
use super::holders::{Holders, InPoint};
use crate::f2::shl;
use crate::layout::LinearLayout;

/// How many holders of one element are named before they are counted.
const NAMED_HOLDERS: usize = 4;

/// The tensor as a grid, its last two out-dims down and across, one grid for each index before them.
///
/// Cells read as in [`InPoint`]; more holders of one element are separated by `|`, an element that
/// nobody holds is `-`.
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// # use linear_layout::view::{TensorGrid, Window};
/// let swizzled = LinearLayout::from_bases(
///     &[(Dim::OFFSET, &[&[0, 1], &[1, 1]])], &[Dim::out(0), Dim::out(1)])?;
/// assert_eq!(TensorGrid::new(&swizzled, Window::default()).to_string(), "\
/// 2 x 2: dim0 down, dim1 across; a cell is <offset>
///     0  1
/// 0:  0  1
/// 1:  3  2
/// ");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TensorGrid<'l> {
    layout: &'l LinearLayout,
    window: Window,
    holders: Holders,
}

impl<'l> TensorGrid<'l> {
    /// Shows as much of the tensor as the window holds.
    #[must_use]
    pub fn new(layout: &'l LinearLayout, window: Window) -> Self {
        Self {
            layout,
            window,
            holders: Holders::new(layout),
        }
    }

    fn cell(&self, output: u64) -> String {
        let mut text = String::new();
        for input in self.holders.of(output).take(NAMED_HOLDERS) {
            if !text.is_empty() {
                text.push('|');
            }
            text += &InPoint::new(self.layout, input).to_string();
        }
        if text.is_empty() {
            return "-".to_owned();
        }
        match self.holders.copies() {
            Some(copies) if copies <= NAMED_HOLDERS as u64 => text,
            Some(copies) => format!("{text}|+{}", copies - NAMED_HOLDERS as u64),
            None => format!("{text}|+.."),
        }
    }

    fn grid(&self, first: u64, rows: Step, columns: Step) -> Grid {
        let row = |i: u64| {
            let start = first | rows.at(i);
            let cells = (0..columns.shown).map(|j| self.cell(start | columns.at(j)));
            (i.to_string(), cells.collect())
        };
        Grid {
            column_labels: (0..columns.shown).map(|j| j.to_string()).collect(),
            rows: (0..rows.shown).map(row).collect(),
        }
    }
}

/// How to go along one out-dim.
#[derive(Clone, Copy)]
struct Step {
    /// Where the dim starts in a packed output.
    shift: usize,
    size: u64,
    shown: u64,
}

impl Step {
    /// What stands in for a dim that the tensor does not have.
    const ONE: Self = Self {
        shift: 0,
        size: 1,
        shown: 1,
    };

    fn cut(self, most: u64) -> Self {
        let shown = self.size.min(most);
        Self { shown, ..self }
    }

    fn at(self, index: u64) -> u64 {
        shl(index, self.shift)
    }
}

impl fmt::Display for TensorGrid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shift = 0;
        let mut dims = Vec::new();
        for (dim, size) in self.layout.out_shape() {
            let shown = size;
            dims.push((dim, Step { shift, size, shown }));
            shift += size.trailing_zeros() as usize;
        }
        let sizes: Vec<String> = dims.iter().map(|(_, s)| s.size.to_string()).collect();
        let across = dims.pop();
        let down = dims.pop();
        match (down, across) {
            (Some((down, _)), Some((across, _))) => {
                write!(f, "{}: {down} down, {across} across", sizes.join(" x "))?;
            }
            (_, Some((across, _))) => write!(f, "{}: {across} across", sizes.join(" x "))?,
            (_, None) => f.write_str("one element")?,
        }
        writeln!(f, "; a cell is {}", InPoint::legend(self.layout))?;
        let rows = down.map_or(Step::ONE, |(_, step)| step.cut(self.window.rows));
        let columns = across.map_or(Step::ONE, |(_, step)| step.cut(self.window.columns));
        let grids = dims
            .iter()
            .fold(1u64, |n, (_, step)| n.saturating_mul(step.size));
        let shown = grids.min(self.window.grids);
        for which in 0..shown {
            let (mut first, mut rest, mut title) = (0, which, Vec::new());
            for (dim, step) in dims.iter().rev() {
                let index = rest % step.size;
                rest /= step.size;
                first |= step.at(index);
                title.push(format!("{dim} = {index}"));
            }
            title.reverse();
            if !title.is_empty() {
                writeln!(f, "{}", title.join(", "))?;
            }
            write!(f, "{}", self.grid(first, rows, columns))?;
        }
        left_out(f, rows.shown, rows.size, "rows")?;
        left_out(f, columns.shown, columns.size, "columns")?;
        left_out(f, shown, grids, "grids")
    }
}
