//! The matrix view, which shows the input bits that contribute to each output bit.

use super::{Cell, Frame, Paint, Panel, Scene, Space};
use crate::f2::shl;
use crate::layout::LinearLayout;

impl Scene {
    /// Returns a picture of the matrix over GF(2), with a column for each input bit and a row for each output bit.
    /// Labels are the values of the bits, e.g. 4 for bit 2.
    ///
    /// For example, the third offset bit of a swizzle changes both the row and the column:
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// # use linear_layout::view::Scene;
    /// let layout = LinearLayout::from_bases(
    ///     &[(Dim::OFFSET, &[&[0, 1], &[0, 2], &[1, 2]])], &[Dim::out(0), Dim::out(1)])?;
    /// assert_eq!(format!("\n{}", Scene::matrix(&layout)), "
    ///         offset
    ///         1  2  4
    /// dim0=1  .  .  1
    /// dim1=1  1  .  .
    /// dim1=2  .  1  1
    /// ");
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn matrix(layout: &LinearLayout) -> Self {
        let outs: Vec<(String, u64)> = layout
            .out_dims()
            .flat_map(|d| (0..layout.out_bits(d)).map(move |b| format!("{d}={}", 1u64 << b)))
            .zip((0..).map(|row| shl(1, row)))
            .collect();
        let (mut groups, mut columns, mut hues) = (Vec::new(), Vec::new(), Vec::new());
        for dim in layout.in_dims() {
            let bits = layout.in_bits(dim);
            if bits > 0 {
                columns.extend((0..bits).map(|bit| (1u64 << bit).to_string()));
                hues.extend((0..bits).map(|_| Paint::hue(groups.len() as u64)));
                groups.push((dim.to_string(), bits));
            }
        }
        let mut cells = Vec::new();
        for (_, element) in &outs {
            for (input, column) in layout.columns().iter().enumerate() {
                let is_set = column & element != 0;
                cells.push(Cell {
                    text: if is_set { "1" } else { "." }.to_owned(),
                    paint: if is_set { hues[input] } else { Paint::Blank },
                    slots: vec![shl(1, input)],
                    elements: vec![*element],
                    ..Cell::default()
                });
            }
        }
        let panel = Panel {
            frame: Frame::Named,
            groups,
            columns,
            rows: outs.into_iter().map(|(label, _)| label).collect(),
            cells,
            ..Panel::default()
        };
        Self {
            panels: vec![panel],
            slots: Space::of_ins(layout),
            elements: Space::of_outs(layout),
            ..Self::default()
        }
    }
}
