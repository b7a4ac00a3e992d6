//! Geometry of panels, labels and arrows, for both SVG and HTML.
//!
//! A wide panel is thinned in an SVG ([`Detail::Thinned`]): its cells shrink, and only the first cell of each tile has
//! a label. An HTML page places all labels ([`Detail::Full`]), and thins them while it is zoomed out. All lengths are
//! in pixels.

use super::{Arrangement, Panel, Scene};
use crate::number::narrow;

const CHARACTER_TENTHS: u32 = 66;
pub(super) const FONT: u32 = 11;
/// Height of a row whose labels have one line. This is also the height of a line of text.
pub(super) const ROW: u32 = 20;
/// Height of a row whose labels have two lines.
pub(super) const ROW_OF_TWO: u32 = 30;
/// Height of a label. If each row has a label and the row height is smaller than this, labels of adjacent rows
/// overlap.
pub(super) const LABEL: u32 = 13;
/// Minimum width and height of a cell, in pixels.
const SMALLEST: u32 = 3;
pub(super) const MARGIN: u32 = 12;
/// Maximum width of a line of panels, in pixels.
const LINE: u32 = 960;
/// Maximum width of a picture, in pixels. If [`Detail::Thinned`] is selected and this limit is exceeded, cells
/// shrink. The limit applies to each single panel, to the total width of panels that must be side by side, and to a
/// matrix product. For panels that must be side by side, it also limits the height.
const LIMIT: u32 = 1400;
const GAP: u32 = 20;
/// Distance between panels that arrows connect.
const GAP_OF_LINKS: u32 = 96;

/// The labels for which a picture reserves space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Each cell, each row and each column has a label.
    Full,
    /// Like `Full`, except in pictures or panels that exceed the maximum width. Their panels are divided into
    /// tiles, and only the first cell of each tile has a label.
    Thinned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PanelGeometry {
    /// Left edge of the first cell. The field `y` holds the upper edge of this cell.
    pub(super) x: u32,
    pub(super) y: u32,
    /// Width of a column.
    pub(super) cell: u32,
    /// Height of a row.
    pub(super) row: u32,
    /// Numbers of rows and columns of a tile. Only the first cell of each tile has a label. `[1, 1]` means that
    /// every cell has a label.
    pub(super) tile: [usize; 2],
    /// Every `column_step`-th column has a label.
    pub(super) column_step: usize,
    /// Width that is reserved for the row labels, to the left of the cells.
    pub(super) lead: u32,
    /// Number of lines of text above the cells: column labels, group names, and the title.
    pub(super) lines_above: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl PanelGeometry {
    /// Returns the geometry of a panel at the origin, with a label in every cell.
    fn of(panel: &Panel) -> Self {
        let labels = || panel.cells.iter().map(|cell| panel.label(&cell.text));
        let lines = labels().flatten().flatten();
        let columns = panel.columns.iter().map(String::as_str);
        let row = if labels().any(|[_, second]| second.is_some()) {
            ROW_OF_TWO
        } else {
            ROW
        };
        let mut cell = (widest(lines.chain(columns)) + 8).max(row);
        for (name, count) in &panel.groups {
            cell = cell.max((width_of(name) + 8).div_ceil(narrow((*count).max(1))));
        }
        let lead = widest(panel.rows.iter().map(String::as_str)) + 8;
        let is_titled = u32::from(!panel.title.is_empty());
        let lines_above = 1 + u32::from(!panel.groups.is_empty()) + is_titled;
        let placed = Self {
            x: lead,
            y: ROW * lines_above,
            cell,
            row,
            tile: [1, 1],
            column_step: 1,
            lead,
            lines_above,
            width: 0,
            height: 0,
        };
        placed.sized(panel, cell, row, lead)
    }

    /// Returns this geometry with column width `cell`, row height `row` and a width of `lead` for the row labels.
    /// Updates the total width and height accordingly.
    fn sized(self, panel: &Panel, cell: u32, row: u32, lead: u32) -> Self {
        // Labels of the last tiles may extend beyond the last cells.
        let extent = |count: usize, step: usize, size: u32, label: u32| {
            let last = (count.max(1) - 1) / step * step;
            (size * narrow::<u32>(count)).max(size * narrow::<u32>(last) + label)
        };
        let [down, across] = self.tile;
        let [label, line] = if self.is_thinned() {
            [label_width(panel), LABEL]
        } else {
            [0; 2]
        };
        let width = extent(panel.columns.len(), across, cell, label);
        Self {
            x: self.x - self.lead + lead,
            cell,
            row,
            lead,
            // A title may be wider than the cells below it.
            width: width.max(width_of(&panel.title).saturating_sub(lead)),
            height: extent(panel.rows.len(), down, row, line),
            ..self
        }
    }

    /// Returns this geometry with smaller cells, so that the panel fits into `width` and `height` if the minimum
    /// cell size permits. Rows have at least the height `smallest_row`. Only the first cell of each tile has a
    /// label.
    fn thinned(self, panel: &Panel, [width, height]: [u32; 2], smallest_row: u32) -> Self {
        let cell = fit(width.saturating_sub(self.lead), panel.columns.len());
        let cell = cell.clamp(SMALLEST, self.cell);
        let row = fit(height, panel.rows.len()).max(cell);
        let row = row.clamp(smallest_row, ROW);
        let steps = |needed: u32, size: u32| {
            let steps: usize = narrow(needed.div_ceil(size));
            steps.next_power_of_two()
        };
        let columns = widest(panel.columns.iter().map(String::as_str)) + 6;
        let across = steps(label_width(panel), cell);
        let thinned = Self {
            tile: [steps(LABEL, row), across],
            column_step: steps(columns, cell).max(across),
            ..self
        };
        thinned.sized(panel, cell, row, self.lead)
    }

    fn moved(self, x: u32, y: u32) -> Self {
        Self {
            x: self.x + x,
            y: self.y + y,
            ..self
        }
    }

    pub(super) fn right(&self) -> u32 {
        self.x + self.width
    }

    fn bottom(&self) -> u32 {
        self.y + self.height
    }

    pub(super) fn is_thinned(&self) -> bool {
        self.tile != [1, 1]
    }

    /// Returns the left edge and the upper edge of a cell.
    pub(super) fn corner(&self, row: usize, column: usize) -> (u32, u32) {
        let x = self.x + self.cell * narrow::<u32>(column);
        (x, self.y + self.row * narrow::<u32>(row))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    pub(super) panels: Vec<PanelGeometry>,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Lower edge of the lowest panel.
    pub(super) bottom: u32,
}

pub(super) fn width_of(text: &str) -> u32 {
    (narrow::<u32>(text.chars().count()) * CHARACTER_TENTHS).div_ceil(10)
}

fn widest<'t>(texts: impl Iterator<Item = &'t str>) -> u32 {
    texts.map(width_of).max().unwrap_or(0)
}

/// Returns the width that a tile needs to contain the widest cell label of the panel.
fn label_width(panel: &Panel) -> u32 {
    widest(panel.cells.iter().map(|cell| cell.text.as_str())) + 6
}

/// Breaks a text into lines of at most `width` pixels, at spaces if possible.
pub(super) fn wrapped(text: &str, width: u32) -> Vec<String> {
    let most: usize = narrow((width * 10 / CHARACTER_TENTHS).max(1));
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let length = |text: &str| text.chars().count();
        match lines.last_mut() {
            Some(line) if length(line) + 1 + length(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => {
                let letters: Vec<char> = word.chars().collect();
                lines.extend(letters.chunks(most).map(|part| part.iter().collect()));
            }
        }
    }
    lines
}

impl Geometry {
    /// Computes the geometry of a scene. The upper edge of the panels is at `top`.
    pub(super) fn of(scene: &Scene, top: u32, detail: Detail) -> Self {
        let panels = match (scene.arrangement, scene.panels.as_slice()) {
            (Arrangement::Product, [a, b, d]) => product([a, b, d], top, detail),
            (Arrangement::Pair, _) => pair(scene, top, detail),
            _ if !scene.links.is_empty() => pair(scene, top, detail),
            _ => lines(scene, top, detail),
        };
        let right = panels
            .iter()
            .map(PanelGeometry::right)
            .max()
            .unwrap_or(MARGIN);
        let bottom = panels
            .iter()
            .map(PanelGeometry::bottom)
            .max()
            .unwrap_or(top);
        Self {
            panels,
            width: right + MARGIN,
            height: bottom + MARGIN,
            bottom,
        }
    }

    pub(super) fn moved_down(self, by: u32) -> Self {
        let panels = self.panels.into_iter();
        Self {
            panels: panels.map(|panel| panel.moved(0, by)).collect(),
            height: self.height + by,
            bottom: self.bottom + by,
            ..self
        }
    }
}

/// Returns the size of a cell if `count` cells fill `room` pixels.
fn fit(room: u32, count: usize) -> u32 {
    room / narrow::<u32>(count.max(1))
}

/// Places panels side by side, in several lines if necessary.
fn lines(scene: &Scene, top: u32, detail: Detail) -> Vec<PanelGeometry> {
    let (mut x, mut y, mut bottom) = (MARGIN, top, top);
    let mut panels = Vec::new();
    for panel in &scene.panels {
        let mut size = PanelGeometry::of(panel);
        if detail == Detail::Thinned && size.right() > LIMIT {
            size = size.thinned(panel, [LINE; 2], SMALLEST);
        }
        let mut placed = size.moved(x, y);
        if x > MARGIN && placed.right() > LINE {
            (x, y) = (MARGIN, bottom + GAP);
            placed = size.moved(x, y);
        }
        bottom = bottom.max(placed.bottom());
        x = placed.right() + GAP;
        panels.push(placed);
    }
    panels
}

/// Places panels side by side in one line.
fn pair(scene: &Scene, top: u32, detail: Detail) -> Vec<PanelGeometry> {
    let (gap, smallest_row) = if scene.links.is_empty() {
        (GAP, SMALLEST)
    } else {
        // Arrows run between rows, so the labels of a row must leave space for them.
        (GAP_OF_LINKS, LABEL)
    };
    let sizes: Vec<PanelGeometry> = scene.panels.iter().map(PanelGeometry::of).collect();
    let count = narrow::<u32>(sizes.len().max(1));
    let gaps = gap * (count - 1);
    let width = sizes.iter().map(PanelGeometry::right).sum::<u32>() + gaps;
    let height = sizes.iter().map(PanelGeometry::bottom).max().unwrap_or(0);
    let is_thinned = detail == Detail::Thinned;
    let mut x = MARGIN;
    let panels = scene.panels.iter().zip(sizes).map(|(panel, size)| {
        let size = if is_thinned && width > LIMIT {
            let room = (LINE - gaps.min(LINE / 2)) / count;
            size.thinned(panel, [room, LINE], smallest_row)
        } else if is_thinned && height > LIMIT && size.row == ROW {
            size.sized(panel, size.cell, LABEL, size.lead)
        } else {
            size
        };
        let placed = size.moved(x, top);
        x = placed.right() + gap;
        placed
    });
    panels.collect()
}

/// Places the panels of a matrix product: D is to the right of A and below B.
fn product([a, b, d]: [&Panel; 3], top: u32, detail: Detail) -> Vec<PanelGeometry> {
    let [mut left, mut above, mut sum] = [a, b, d].map(PanelGeometry::of);
    let whole = left.right() + GAP + above.right().max(sum.right());
    let row = left.row.max(sum.row);
    let (mut cell, lead) = (above.cell.max(sum.cell), above.lead.max(sum.lead));
    left = left.sized(a, left.cell, row, left.lead);
    sum = sum.sized(d, cell, row, sum.lead);
    if detail == Detail::Thinned && whole > LIMIT {
        // Equal cells keep D aligned with A and B.
        let columns = a.columns.len() + d.columns.len();
        let rows = b.rows.len() + d.rows.len();
        let room = LINE - GAP - left.lead - lead;
        cell = fit(room, columns).clamp(SMALLEST, cell);
        let height = fit(LINE, rows).max(cell);
        let part = |placed: PanelGeometry, panel: &Panel| {
            let room = |size: u32, count: usize| size * narrow::<u32>(count);
            let room = [
                room(cell, panel.columns.len()) + placed.lead,
                room(height, panel.rows.len()),
            ];
            placed.thinned(panel, room, SMALLEST)
        };
        [left, above, sum] = [part(left, a), part(above, b), part(sum, d)];
    }
    let x = MARGIN + left.right() + GAP;
    let above = above.sized(b, cell, above.row, lead).moved(x, top);
    let sum = sum
        .sized(d, cell, sum.row, lead)
        .moved(x, above.bottom() + GAP);
    // All panels of a product have the same number of lines above their cells.
    let left = left.moved(MARGIN, sum.y - left.y);
    vec![left, above, sum]
}

/// An arrow between two cells. It consists of straight lines through four points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrow {
    pub(super) points: [(f64, f64); 4],
    /// Index of the arrow's colour. Arrows to the same row have the same colour.
    pub(super) colour: usize,
}

/// Computes the arrow of each link. The arrow first runs below the row of the cell where the link starts, then
/// along a vertical track between the panels, and finally above the row of the cell where the link ends. Links that
/// end at the same row share a track. The lower the end row, the further left is its track, so that arrows do not
/// overlap.
pub(super) fn arrows(scene: &Scene, panels: &[PanelGeometry]) -> Vec<Arrow> {
    let corner = |(panel, cell): (usize, usize), below: usize| {
        let columns = scene.panels[panel].columns.len().max(1);
        let placed = &panels[panel];
        let (x, y) = placed.corner(cell / columns + below, cell % columns);
        (f64::from(x) + f64::from(placed.cell) / 2.0, f64::from(y))
    };
    let ends = scene.links.iter();
    let ends: Vec<_> = ends
        .map(|link| (corner(link.from, 1), corner(link.to, 0)))
        .collect();
    let mut rows: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
    rows.sort_by(|a, b| b.total_cmp(a));
    rows.dedup();
    let count = f64::from(narrow::<u32>(rows.len() + 1));
    let links = scene.links.iter().zip(ends);
    let arrows = links.map(|(link, ((x, y), (to_x, to_y)))| {
        let [from, to] = [&panels[link.from.0], &panels[link.to.0]];
        let colour = rows.iter().position(|row| *row == to_y).unwrap_or(0);
        let track = f64::from(narrow::<u32>(colour));
        // Parallel arrows are shifted if the labels leave enough space.
        let apart = match from.row >= ROW {
            true => track % 4.0 * 1.5 - 2.25,
            false => 0.0,
        };
        let (left, right) = (f64::from(from.right()), f64::from(to.x - to.lead));
        let track = left + 6.0 + (right - left - 16.0) / count * (track + 1.0);
        let y = y + apart;
        Arrow {
            points: [(x, y), (track, y), (track, to_y), (to_x, to_y)],
            colour,
        }
    });
    arrows.collect()
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
            for detail in [Detail::Full, Detail::Thinned] {
                let geometry = Geometry::of(&scene(count, columns), 40, detail);
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
        }
        let lines = |count, columns| {
            let geometry = Geometry::of(&scene(count, columns), 0, Detail::Full);
            let mut starts: Vec<u32> = geometry.panels.iter().map(|p| p.y).collect();
            starts.dedup();
            starts.len()
        };
        assert_eq!([lines(2, 4), lines(2, 200), lines(30, 10)], [1, 2, 8]);
    }

    #[test]
    fn wide_panels_are_thinned_to_the_width_of_a_window() {
        for columns in [80, 128, 200] {
            let geometry = Geometry::of(&scene(1, columns), 0, Detail::Thinned);
            assert!(geometry.width <= 1000, "{columns}: {}", geometry.width);
        }
    }

    #[test]
    fn text_is_wrapped_at_spaces() {
        assert_eq!(wrapped("a bc def", 34), ["a bc", "def"]);
        assert_eq!(wrapped("abcdefgh i", 34), ["abcde", "fgh i"]);
        assert!(wrapped("", 34).is_empty());
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
        for [m, n, k] in [
            [16, 8, 4],
            [2, 2, 128],
            [128, 1, 1],
            [1, 64, 1],
            [64, 64, 64],
        ] {
            let scene = Scene {
                panels: vec![panel(m, k, "a"), panel(k, n, "T31:15"), panel(m, n, "T0:0")],
                arrangement: Arrangement::Product,
                ..Scene::default()
            };
            for detail in [Detail::Full, Detail::Thinned] {
                let geometry = Geometry::of(&scene, 40, detail);
                let [a, b, d] = geometry.panels[..] else {
                    panic!("three panels");
                };
                assert_eq!((b.x, b.cell), (d.x, d.cell));
                assert_eq!((a.y, a.row), (d.y, d.row));
                assert!(a.right() < d.x - d.lead && b.bottom() < d.y - ROW * d.lines_above);
                assert!(a.x - a.lead >= MARGIN && b.y - ROW * b.lines_above >= 40);
                for placed in [a, b, d] {
                    assert!(placed.right() < geometry.width && placed.bottom() < geometry.height);
                }
            }
        }
    }
}
