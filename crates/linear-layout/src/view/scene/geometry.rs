//! Where panels and cells stand in a picture: one answer for SVG and for the page.

use super::{Panel, Scene};
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

/// Where one panel stands, in pixels.
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
    /// Middle of a cell, by row and column.
    pub(super) fn middle(&self, row: usize, column: usize) -> (u32, u32) {
        let x = self.x + self.cell * narrow::<u32>(column) + self.cell / 2;
        (x, self.y + ROW * narrow::<u32>(row) + ROW / 2)
    }
}

/// Where everything stands.
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
    /// Places the panels below `top` pixels, side by side and in lines; all in one where there are arrows.
    pub(super) fn of(scene: &Scene, top: u32) -> Self {
        let (gap, line) = if scene.links.is_empty() {
            (GAP, LINE)
        } else {
            (GAP_OF_LINKS, u32::MAX)
        };
        let (mut x, mut y) = (MARGIN, top + MARGIN);
        let (mut right, mut bottom) = (MARGIN, top + MARGIN);
        let mut panels = Vec::new();
        for panel in &scene.panels {
            let mut placed = Self::panel(panel, x, y);
            if x > MARGIN && placed.x + placed.width > line {
                (x, y) = (MARGIN, bottom + gap);
                placed = Self::panel(panel, x, y);
            }
            right = right.max(placed.x + placed.width);
            bottom = bottom.max(placed.y + placed.height);
            x = placed.x + placed.width + gap;
            panels.push(placed);
        }
        Self {
            panels,
            width: right + MARGIN,
            height: bottom + MARGIN,
            bottom,
        }
    }

    fn panel(panel: &Panel, x: u32, y: u32) -> Placed {
        let texts = panel.cells.iter().map(|cell| cell.text.as_str());
        let labels = panel.columns.iter().map(String::as_str);
        let mut cell = (widest(texts.chain(labels)) + 8).max(ROW);
        for (name, count) in &panel.groups {
            cell = cell.max((width_of(name) + 8).div_ceil(narrow((*count).max(1))));
        }
        let lead = widest(panel.rows.iter().map(String::as_str)) + 8;
        let is_titled = u32::from(!panel.title.is_empty());
        let lines_above = 1 + u32::from(!panel.groups.is_empty()) + is_titled;
        let width = cell * narrow::<u32>(panel.columns.len());
        Placed {
            x: x + lead,
            y: y + ROW * lines_above,
            cell,
            lead,
            lines_above,
            // A title may be wider than what it stands over.
            width: width.max(width_of(&panel.title).saturating_sub(lead)),
            height: ROW * narrow::<u32>(panel.rows.len()),
        }
    }
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
}
