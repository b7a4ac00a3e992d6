//! Pictures of conversions and comparisons of two layouts of one tensor.

use super::hardware::slot;
use super::tensor::Tints;
use super::{Arrangement, Cell, Link, Paint, Panel, Scene, Space, Window};
use crate::f2::shl;
use crate::layout::{Dim, LinearLayout};
use crate::view::holders::Holders;

/// Maximum number of arrows in a picture of a conversion.
const MOST_LINKS: usize = 32;
/// Maximum number of differing elements that a comparison lists.
const LISTED: usize = 4;

impl Scene {
    /// Returns a picture of a conversion: a table for `src` and a table for `dst`. In both tables, each row is a
    /// thread and each column is a register.
    ///
    /// Threads are numbered through all lanes, warps and CTAs. In both tables, an element has the colour of the
    /// thread that holds it in `src`. Arrows show the moves of the elements of thread 0.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// # use linear_layout::view::{Scene, Window};
    /// let d = [Dim::out(0)];
    /// let src = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[1]]), (Dim::LANE, &[&[2]])], &d)?;
    /// let dst = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[2]]), (Dim::LANE, &[&[1]])], &d)?;
    /// assert_eq!(Scene::conversion(&src, &dst, Window::default()).to_string(), "\
    /// thread down, register across; a cell is (dim0)
    /// before
    ///        0    1
    /// T0:  (0)  (1)
    /// T1:  (2)  (3)
    /// after
    ///        0    1
    /// T0:  (0)  (2)
    /// T1:  (1)  (3)
    /// T0:1 -> T1:0, element (1)
    /// ");
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn conversion(src: &LinearLayout, dst: &LinearLayout, window: Window) -> Self {
        let (tints, held) = (Tints::of(src), Holders::new(src));
        let outs: Vec<&str> = src.out_dims().map(Dim::name).collect();
        let mut scene = Self {
            caption: format!(
                "thread down, register across; a cell is ({})",
                outs.join(", ")
            ),
            arrangement: Arrangement::Pair,
            legend: tints.legend(" before"),
            slots: Space::of_ins(src),
            elements: Space::of_outs(src),
            ..Self::default()
        };
        // Slot numbers are comparable only if the dims have the same sizes.
        let is_alike = Space::of_ins(src) == Space::of_ins(dst);
        for (title, layout) in [("before", src), ("after", dst)] {
            let mut panel = threads(&mut scene, layout, window);
            panel.title = title.to_owned();
            for cell in &mut panel.cells {
                let first = cell.elements.first().and_then(|e| held.of(*e).next());
                cell.paint = first.map_or(Paint::Gap, |input| tints.paint(input));
                if !is_alike && title == "after" {
                    cell.slots.clear();
                }
            }
            scene.panels.push(panel);
        }
        scene.links = links(&scene.panels);
        scene
    }

    /// Returns a picture that compares two layouts side by side, in the format of [`Scene::tensor`]. Elements whose
    /// holders differ are tinted and counted, and the first few of them are listed.
    #[must_use]
    pub fn comparison(a: &LinearLayout, b: &LinearLayout, window: Window) -> Self {
        let [mut scene, other] = [a, b].map(|layout| Self::tensor(layout, window));
        if scene.caption != other.caption {
            scene.remarks.push(format!("B: {}", other.caption));
        }
        let is_alike = scene.slots == other.slots;
        let (mut count, mut first, mut panels) = (0usize, Vec::new(), Vec::new());
        for (mut ours, mut theirs) in scene.panels.into_iter().zip(other.panels) {
            for (x, y) in ours.cells.iter_mut().zip(&mut theirs.cells) {
                let paint = if x.text == y.text {
                    Paint::Blank
                } else {
                    count += 1;
                    if first.len() < LISTED {
                        let element = x.elements.first().map(|element| a.unpack(*element));
                        let element = element.map_or(String::new(), |e| e.to_string());
                        first.push(format!("{element}: {} in A, {} in B", x.text, y.text));
                    }
                    Paint::Difference
                };
                (x.paint, y.paint) = (paint, paint);
                if !is_alike {
                    y.slots.clear();
                }
            }
            for (panel, name) in [(&mut ours, "A"), (&mut theirs, "B")] {
                panel.title = format!("{name} {}", panel.title).trim_end().to_owned();
            }
            panels.extend([ours, theirs]);
        }
        let whole: usize = panels.iter().map(|panel| panel.cells.len()).sum::<usize>() / 2;
        let counted = match count {
            0 => format!("none of {whole} cells differs"),
            1 => format!("1 of {whole} cells differs"),
            _ => format!("{count} of {whole} cells differ"),
        };
        scene.caption = format!("{counted}; {}", scene.caption);
        scene.legend.clear();
        if count > 0 {
            let text = "held elsewhere in the other layout".to_owned();
            scene.legend.push((Paint::Difference, text));
            scene.remarks.push("first differences:".to_owned());
            scene.remarks.extend(first);
        }
        if panels.len() == 2 {
            scene.arrangement = Arrangement::Pair;
        }
        scene.panels = panels;
        scene
    }
}

/// Returns a table of a layout in which each row is a thread and each column is a register.
fn threads(scene: &mut Scene, layout: &LinearLayout, window: Window) -> Panel {
    let registers = layout.in_size(Dim::REGISTER);
    let all: u64 = [Dim::LANE, Dim::WARP, Dim::BLOCK]
        .iter()
        .fold(1, |n, dim| n.saturating_mul(layout.in_size(*dim)));
    let (rows, columns) = (all.min(window.rows), registers.min(window.columns));
    let input = |thread: u64, register: u64| {
        let (mut rest, mut at, mut packed) = (thread, 0, 0);
        for (dim, size) in layout.in_shape() {
            let index = match dim {
                Dim::REGISTER => register,
                _ => rest % size,
            };
            if dim != Dim::REGISTER {
                rest /= size;
            }
            packed |= shl(index, at);
            at += size.trailing_zeros() as usize;
        }
        packed
    };
    let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let lanes = layout.in_size(Dim::LANE);
    let cells = places.map(|(thread, register)| Cell {
        group: thread / lanes,
        ..slot(layout, input(thread, register))
    });
    let panel = Panel {
        columns: (0..columns).map(|j| j.to_string()).collect(),
        rows: (0..rows).map(|i| format!("T{i}")).collect(),
        cells: cells.collect(),
        ..Panel::default()
    };
    scene.left_out(rows, all, "threads");
    scene.left_out(columns, registers, "registers");
    panel
}

/// Returns arrows from the first to the second panel, one for each element of thread 0 that moves to another
/// register or thread. There are at most [`MOST_LINKS`] arrows.
fn links(panels: &[Panel]) -> Vec<Link> {
    let [before, after] = panels else {
        return Vec::new();
    };
    let mut links = Vec::new();
    for (from, cell) in before.cells.iter().take(before.columns.len()).enumerate() {
        let found = after
            .cells
            .iter()
            .position(|other| other.elements == cell.elements);
        let Some(to) = found else { continue };
        let end = |panel: &Panel, cell: usize| {
            let (row, column) = (cell / panel.columns.len(), cell % panel.columns.len());
            format!("{}:{}", panel.rows[row], panel.columns[column])
        };
        let [start, stop] = [end(before, from), end(after, to)];
        if start != stop {
            links.push(Link {
                from: (0, from),
                to: (1, to),
                label: format!("{start} -> {stop}, element {}", cell.text),
            });
        }
    }
    links.truncate(MOST_LINKS);
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;

    fn layout(text: &str) -> LinearLayout {
        let encoding: Encoding = text.parse().unwrap();
        encoding.to_linear_layout(&[8, 8]).unwrap()
    }

    const ROWS: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 2], warpsPerCTA = [2, 1], order = [1, 0]}>";
    const COLUMNS: &str = "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [2, 4], warpsPerCTA = [1, 2], order = [0, 1]}>";

    #[test]
    fn every_element_is_in_both_tables_under_one_colour() {
        let scene = Scene::conversion(&layout(ROWS), &layout(COLUMNS), Window::ALL);
        let [before, after] = scene.panels.as_slice() else {
            panic!("two tables");
        };
        assert_eq!((before.rows.len(), before.columns.len()), (16, 4));
        for cell in &before.cells {
            let same = after.cells.iter().filter(|c| c.elements == cell.elements);
            let paints: Vec<Paint> = same.map(|c| c.paint).collect();
            assert_eq!(paints, [cell.paint], "{}", cell.text);
        }
        assert_eq!(scene.links.len(), 3);
        for link in &scene.links {
            let [from, to] = [link.from, link.to].map(|(p, c)| &scene.panels[p].cells[c].elements);
            assert_eq!(from, to);
        }
    }

    #[test]
    fn cells_that_differ_are_marked_and_counted() {
        let [a, b] = [layout(ROWS), layout(COLUMNS)];
        let marked = |scene: &Scene| {
            let cells = scene.panels.iter().flat_map(|panel| &panel.cells);
            cells.filter(|cell| cell.paint == Paint::Difference).count()
        };
        let same = Scene::comparison(&a, &a, Window::ALL);
        assert_eq!((marked(&same), same.remarks.len()), (0, 0));
        assert!(
            same.caption.starts_with("none of 64 cells differs; "),
            "{}",
            same.caption
        );
        let other = Scene::comparison(&a, &b, Window::ALL);
        let count = marked(&other) / 2;
        let counted = format!("{count} of 64 cells differ; ");
        assert!(other.caption.starts_with(&counted), "{}", other.caption);
        assert_eq!(
            other.remarks[..2],
            ["first differences:", "(0, 1): T0:1 in A, T2:0 in B"]
        );
        assert_eq!(other.remarks.len(), 1 + LISTED);
        assert!(count > 32);
    }
}
