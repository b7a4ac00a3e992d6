//! Geometry of panels and cells in a picture, the same for SVG and for the page.

use super::{Arrangement, Panel, Scene};
use crate::number::narrow;

/// Pixels that a character of the font takes, in tenths.
const CHARACTER_TENTHS: u32 = 66;
/// Font size in pixels.
pub(super) const FONT: u32 = 11;
/// Height of a row, and of a line of text.
pub(super) const ROW: u32 = 20;
/// Around a picture.
const MARGIN: u32 = 12;
/// Panels stand side by side as far as a window of usual size is wide.
const LINE: u32 = 960;
/// Between panels; arrows need more of it.
const GAP: u32 = 20;
const GAP_OF_LINKS: u32 = 96;

/// The position and size of one panel, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// Top left corner of the first cell.
    pub(super) x: u32,
    pub(super) y: u32,
    /// Width of a column; rows are [`ROW`] high.
    pub(super) cell: u32,
    /// Width of the labels of rows, left of the cells.
    pub(super) lead: u32,
    /// Lines of text above the cells: labels of columns, names of groups, the title.
    pub(super) lines_above: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Placed {
    /// Returns the size of a panel, at position 0.
    fn of(panel: &Panel) -> Self {
        let texts = panel.cells.iter().map(|cell| cell.text.as_str());
        let labels = panel.columns.iter().map(String::as_str);
        let mut cell = (widest(texts.chain(labels)) + 8).max(ROW);
        for (name, count) in &panel.groups {
            cell = cell.max((width_of(name) + 8).div_ceil(narrow((*count).max(1))));
        }
        let lead = widest(panel.rows.iter().map(String::as_str)) + 8;
        let is_titled = u32::from(!panel.title.is_empty());
        let lines_above = 1 + u32::from(!panel.groups.is_empty()) + is_titled;
        let (x, y) = (lead, ROW * lines_above);
        let (width, height) = (0, ROW * narrow::<u32>(panel.rows.len()));
        let placed = Self {
            x,
            y,
            cell,
            lead,
            lines_above,
            width,
            height,
        };
        placed.spaced(panel, cell, lead)
    }

    /// The same with columns and labels of rows so wide.
    fn spaced(self, panel: &Panel, cell: u32, lead: u32) -> Self {
        let width = cell * narrow::<u32>(panel.columns.len());
        Self {
            x: self.x - self.lead + lead,
            cell,
            lead,
            // A title may be wider than what it stands over.
            width: width.max(width_of(&panel.title).saturating_sub(lead)),
            ..self
        }
    }

    fn moved(self, x: u32, y: u32) -> Self {
        Self {
            x: self.x + x,
            y: self.y + y,
            ..self
        }
    }

    fn right(&self) -> u32 {
        self.x + self.width
    }

    fn bottom(&self) -> u32 {
        self.y + self.height
    }

    /// Middle of a cell, by row and column.
    pub(super) fn middle(&self, row: usize, column: usize) -> (u32, u32) {
        let x = self.x + self.cell * narrow::<u32>(column) + self.cell / 2;
        (x, self.y + ROW * narrow::<u32>(row) + ROW / 2)
    }
}

/// Positions and sizes of all parts of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    pub(super) panels: Vec<Placed>,
    /// Of the whole picture.
    pub(super) width: u32,
    pub(super) height: u32,
    /// Below the panels.
    pub(super) bottom: u32,
}

/// Pixels that a text takes.
pub(super) fn width_of(text: &str) -> u32 {
    (narrow::<u32>(text.chars().count()) * CHARACTER_TENTHS).div_ceil(10)
}

/// The widest of some texts.
fn widest<'t>(texts: impl Iterator<Item = &'t str>) -> u32 {
    texts.map(width_of).max().unwrap_or(0)
}

impl Geometry {
    /// Places the panels below `top` pixels.
    pub(super) fn of(scene: &Scene, top: u32) -> Self {
        let top = top + MARGIN;
        let panels = match (scene.arrangement, scene.panels.as_slice()) {
            (Arrangement::Product, [a, b, d]) => product([a, b, d], top),
            _ => lines(scene, top),
        };
        let right = panels.iter().map(Placed::right).max().unwrap_or(MARGIN);
        let bottom = panels.iter().map(Placed::bottom).max().unwrap_or(top);
        Self {
            panels,
            width: right + MARGIN,
            height: bottom + MARGIN,
            bottom,
        }
    }
}

/// Panels side by side and in lines; all in one where there are arrows.
fn lines(scene: &Scene, top: u32) -> Vec<Placed> {
    let (gap, line) = if scene.links.is_empty() {
        (GAP, LINE)
    } else {
        (GAP_OF_LINKS, u32::MAX)
    };
    let (mut x, mut y, mut bottom) = (MARGIN, top, top);
    let mut panels = Vec::new();
    for panel in &scene.panels {
        let size = Placed::of(panel);
        let mut placed = size.moved(x, y);
        if x > MARGIN && placed.right() > line {
            (x, y) = (MARGIN, bottom + gap);
            placed = size.moved(x, y);
        }
        bottom = bottom.max(placed.bottom());
        x = placed.right() + gap;
        panels.push(placed);
    }
    panels
}

/// A, and right of it D, below B.
fn product([a, b, d]: [&Panel; 3], top: u32) -> Vec<Placed> {
    let [left, above, sum] = [a, b, d].map(Placed::of);
    let (cell, lead) = (above.cell.max(sum.cell), above.lead.max(sum.lead));
    let x = MARGIN + left.right() + GAP;
    let above = above.spaced(b, cell, lead).moved(x, top);
    let sum = sum.spaced(d, cell, lead).moved(x, above.bottom() + GAP);
    // Panels of a product have the same lines above their cells.
    let left = left.moved(MARGIN, sum.y - left.y);
    vec![left, above, sum]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(count: usize, columns: usize) -> Scene {
        let panel = Panel {
            columns: vec!["0".to_owned(); columns],
            rows: vec!["0".to_owned(); 3],
            cells: vec![super::super::Cell::default(); 3 * columns],
            ..Panel::default()
        };
        Scene {
            panels: vec![panel; count],
            ..Scene::default()
        }
    }

    #[test]
    fn panels_stand_in_lines_and_apart() {
        for (count, columns) in [(1, 4), (9, 4), (30, 10), (3, 200)] {
            let geometry = Geometry::of(&scene(count, columns), 40);
            for (i, a) in geometry.panels.iter().enumerate() {
                assert!(a.x - a.lead >= MARGIN && a.x + a.width <= geometry.width);
                assert!(a.y + a.height <= geometry.height && a.y > 40);
                for b in &geometry.panels[..i] {
                    let is_right = b.x + b.width <= a.x - a.lead;
                    let is_below = b.y + b.height <= a.y - ROW * a.lines_above;
                    assert!(is_right || is_below, "{a:?} {b:?}");
                }
            }
        }
        let lines = |count, columns| {
            let geometry = Geometry::of(&scene(count, columns), 0);
            let mut starts: Vec<u32> = geometry.panels.iter().map(|p| p.y).collect();
            starts.dedup();
            starts.len()
        };
        assert_eq!([lines(2, 4), lines(2, 200), lines(30, 10)], [1, 2, 8]);
    }

    #[test]
    fn operands_of_a_product_are_aligned() {
        let panel = |rows: usize, columns: usize, text: &str| Panel {
            title: format!("a title that is wider than {columns} narrow columns"),
            columns: vec!["0".to_owned(); columns],
            rows: vec![rows.to_string(); rows],
            cells: vec![
                super::super::Cell {
                    text: text.to_owned(),
                    ..Default::default()
                };
                rows * columns
            ],
            ..Panel::default()
        };
        for [m, n, k] in [[16, 8, 4], [2, 2, 128], [128, 1, 1], [1, 64, 1]] {
            let scene = Scene {
                panels: vec![panel(m, k, "a"), panel(k, n, "T31:15"), panel(m, n, "T0:0")],
                arrangement: Arrangement::Product,
                ..Scene::default()
            };
            let geometry = Geometry::of(&scene, 40);
            let [a, b, d] = geometry.panels[..] else {
                panic!("three panels");
            };
            assert_eq!((b.x, b.cell), (d.x, d.cell));
            assert_eq!((a.y, a.height), (d.y, d.height));
            assert!(a.right() < d.x - d.lead && b.bottom() < d.y - ROW * d.lines_above);
            assert!(a.x - a.lead >= MARGIN && b.y - ROW * b.lines_above >= 40 + MARGIN);
            for placed in [a, b, d] {
                assert!(placed.right() < geometry.width && placed.bottom() < geometry.height);
            }
        }
    }
}
