//! The hardware view, which shows the element of each slot.

use super::{Cell, Paint, Panel, Scene, Space, Window};
use crate::f2::shl;
use crate::layout::{Dim, LinearLayout};

const OFFSETS_ACROSS_LOG2: usize = 4;

/// Consecutive bits of one input dim that select a row, a column or a grid of a picture.
#[derive(Clone, Copy)]
struct Axis {
    dim: Dim,
    /// Position of the axis's lowest bit in the index along the dim.
    low: usize,
    bits: usize,
    /// Position of the axis's lowest bit in a packed input.
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

fn axes(layout: &LinearLayout) -> Vec<Axis> {
    let mut at = 0;
    let mut axes = Vec::new();
    for dim in layout.in_dims() {
        let bits = layout.in_bits(dim);
        let low = 0;
        axes.push(Axis { dim, low, bits, at });
        at += bits;
    }
    axes
}

/// Divides the input dims among the axes of a picture. Returns the axis along the rows, the axis along the columns,
/// and the remaining axes. Each index along the remaining axes has a grid of its own.
fn split(layout: &LinearLayout) -> (Option<Axis>, Option<Axis>, Vec<Axis>) {
    let mut rest = axes(layout);
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

impl Scene {
    /// Returns a picture of the hardware. Each cell is a slot, i.e. a register or a memory location, and shows the
    /// element that the slot holds.
    ///
    /// For registers, the picture has one grid per warp of each CTA; lanes are rows and registers are columns. For
    /// a buffer, each row has 16 offsets. For tensor memory, the rows and columns are those of the hardware.
    /// Elements with the same index along the first dim have the same colour.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// # use linear_layout::view::{Scene, Window};
    /// let layout = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[1, 0]]), (Dim::WARP, &[&[2, 0]])],
    ///     &[Dim::out(0), Dim::out(1)],
    /// )?;
    /// assert_eq!(Scene::hardware(&layout, Window::default()).to_string(), "\
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
    #[must_use]
    pub fn hardware(layout: &LinearLayout, window: Window) -> Self {
        let (down, across, others) = split(layout);
        let outs: Vec<&str> = layout.out_dims().map(Dim::name).collect();
        let said = match (down, across) {
            (Some(down), Some(across)) if down.dim == across.dim => {
                format!("{} in rows of {}", down.dim, across.size())
            }
            (Some(down), Some(across)) => format!("{} down, {} across", down.dim, across.dim),
            (Some(down), None) => format!("{} down", down.dim),
            (None, Some(across)) => format!("{} across", across.dim),
            (None, None) => "one slot".to_owned(),
        };
        let mut scene = Self {
            caption: format!("{said}; a cell is ({})", outs.join(", ")),
            slots: Space::of_ins(layout),
            elements: Space::of_outs(layout),
            ..Self::default()
        };

        let size = |axis: Option<Axis>| axis.map_or(1, Axis::size);
        let label = |axis: Option<Axis>, i| axis.map_or(0, |a| a.label(i)).to_string();
        let packed = |axis: Option<Axis>, i| axis.map_or(0, |a| a.packed(i));
        let rows = size(down).min(window.rows);
        let columns = size(across).min(window.columns);
        let grids = others
            .iter()
            .fold(1u64, |n, axis| n.saturating_mul(axis.size()));
        let shown = grids.min(window.grids);
        for which in 0..shown {
            let (mut first, mut rest, mut title) = (0, which, Vec::new());
            // Consecutive grids differ in the fastest dim, but titles begin with the slowest dim.
            for axis in &others {
                let index = rest % axis.size();
                rest /= axis.size();
                first |= axis.packed(index);
                if axis.bits > 0 {
                    title.insert(0, format!("{} = {index}", axis.dim));
                }
            }
            let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
            let cells =
                places.map(|(i, j)| slot(layout, first | packed(down, i) | packed(across, j)));
            scene.panels.push(Panel {
                title: title.join(", "),
                columns: (0..columns).map(|j| label(across, j)).collect(),
                rows: (0..rows).map(|i| label(down, i)).collect(),
                cells: cells.collect(),
                ..Panel::default()
            });
        }
        scene.left_out(rows, size(down), "rows");
        scene.left_out(columns, size(across), "columns");
        scene.left_out(shown, grids, "grids");
        scene
    }
}

/// Returns the cell of the slot that the packed input `input` selects. The text of the cell is the element that the
/// slot holds.
pub(super) fn slot(layout: &LinearLayout, input: u64) -> Cell {
    let output = layout.apply_packed(input);
    let element = layout.unpack(output);
    Cell {
        text: element.to_string(),
        paint: element.iter().next().map_or(Paint::Blank, Paint::hue),
        slots: vec![input],
        elements: vec![output],
        ..Cell::default()
    }
}
