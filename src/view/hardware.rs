//! The hardware: for each slot, which element it holds.

use core::fmt;

use super::grid::{Grid, Window, left_out};
use crate::f2::shl;
use crate::layout::{Dim, LinearLayout};

/// How many offsets stand in one row.
const OFFSETS_ACROSS_LOG2: usize = 4;

/// The hardware as grids of elements: lanes down and registers across, one grid for each warp of each
/// CTA; for buffers, offsets in rows of 16; for tensor memory, rows down and columns across.
///
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// # use linear_layout::view::{HardwareGrid, Window};
/// let layout = LinearLayout::from_bases(
///     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[1, 0]]), (Dim::WARP, &[&[2, 0]])],
///     &[Dim::out(0), Dim::out(1)],
/// )?;
/// assert_eq!(HardwareGrid::new(&layout, Window::default()).to_string(), "\
/// lane down, register across; a cell is (dim0, dim1)
/// warp = 0
///          0       1
/// 0:  (0, 0)  (0, 1)
/// 1:  (1, 0)  (1, 1)
/// warp = 1
///          0       1
/// 0:  (2, 0)  (2, 1)
/// 1:  (3, 0)  (3, 1)
/// ");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HardwareGrid<'l> {
    layout: &'l LinearLayout,
    window: Window,
}

/// Some bits of one in-dim, next to each other.
#[derive(Clone, Copy)]
struct Axis {
    dim: Dim,
    /// The first of them within the dim.
    low: usize,
    bits: usize,
    /// Where the first of them stands in a packed input.
    at: usize,
}

impl Axis {
    fn size(self) -> u64 {
        shl(1, self.bits)
    }

    fn label(self, index: u64) -> u64 {
        shl(index, self.low)
    }

    fn packed(self, index: u64) -> u64 {
        shl(index, self.at)
    }
}

impl<'l> HardwareGrid<'l> {
    /// Shows as much of the hardware as the window holds.
    #[must_use]
    pub fn new(layout: &'l LinearLayout, window: Window) -> Self {
        Self { layout, window }
    }

    /// All in-dims, in order.
    fn axes(&self) -> Vec<Axis> {
        let mut at = 0;
        let mut axes = Vec::new();
        for dim in self.layout.in_dims() {
            let bits = self.layout.in_bits(dim);
            let low = 0;
            axes.push(Axis { dim, low, bits, at });
            at += bits;
        }
        axes
    }

    /// What goes down, what goes across, and what numbers the grids.
    fn split(&self) -> (Option<Axis>, Option<Axis>, Vec<Axis>) {
        let mut rest = self.axes();
        let mut take = |dim: Dim| {
            let i = rest.iter().position(|axis| axis.dim == dim)?;
            Some(rest.remove(i))
        };
        if let Some(offset) = take(Dim::OFFSET) {
            let across = offset.bits.min(OFFSETS_ACROSS_LOG2);
            let down = Axis {
                low: across,
                bits: offset.bits - across,
                at: offset.at + across,
                ..offset
            };
            let across = Axis {
                bits: across,
                ..offset
            };
            return (Some(down), Some(across), rest);
        }
        for (down, across) in [(Dim::LANE, Dim::REGISTER), (Dim::ROW, Dim::COL)] {
            let (down, across) = (take(down), take(across));
            if down.is_some() || across.is_some() {
                return (down, across, rest);
            }
        }
        let across = (!rest.is_empty()).then(|| rest.remove(0));
        let down = (!rest.is_empty()).then(|| rest.remove(0));
        (down, across, rest)
    }
}

impl fmt::Display for HardwareGrid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (down, across, others) = self.split();
        let outs: Vec<&str> = self.layout.out_dims().map(Dim::name).collect();
        let said = match (down, across) {
            (Some(down), Some(across)) if down.dim == across.dim => {
                format!("{} in rows of {}", down.dim, across.size())
            }
            (Some(down), Some(across)) => format!("{} down, {} across", down.dim, across.dim),
            (Some(down), None) => format!("{} down", down.dim),
            (None, Some(across)) => format!("{} across", across.dim),
            (None, None) => "one slot".to_owned(),
        };
        writeln!(f, "{said}; a cell is ({})", outs.join(", "))?;

        let size = |axis: Option<Axis>| axis.map_or(1, Axis::size);
        let label = |axis: Option<Axis>, i| axis.map_or(0, |a| a.label(i)).to_string();
        let packed = |axis: Option<Axis>, i| axis.map_or(0, |a| a.packed(i));
        let rows = size(down).min(self.window.rows);
        let columns = size(across).min(self.window.columns);
        let grids = others
            .iter()
            .fold(1u64, |n, axis| n.saturating_mul(axis.size()));
        let shown = grids.min(self.window.grids);
        for which in 0..shown {
            let (mut first, mut rest, mut title) = (0, which, Vec::new());
            // The fastest dim numbers the grids fastest, and the slowest is named first.
            for axis in &others {
                let index = rest % axis.size();
                rest /= axis.size();
                first |= axis.packed(index);
                if axis.bits > 0 {
                    title.insert(0, format!("{} = {index}", axis.dim));
                }
            }
            if !title.is_empty() {
                writeln!(f, "{}", title.join(", "))?;
            }
            let cell = |input| {
                self.layout
                    .unpack(self.layout.apply_packed(input))
                    .to_string()
            };
            let row = |i| {
                let start = first | packed(down, i);
                let cells = (0..columns).map(|j| cell(start | packed(across, j)));
                (label(down, i), cells.collect())
            };
            let grid = Grid {
                column_labels: (0..columns).map(|j| label(across, j)).collect(),
                rows: (0..rows).map(row).collect(),
            };
            write!(f, "{grid}")?;
        }
        left_out(f, rows, size(down), "rows")?;
        left_out(f, columns, size(across), "columns")?;
        left_out(f, shown, grids, "grids")
    }
}
