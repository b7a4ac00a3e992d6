//! Pictures as data: cells with labels and fills, and links between them.
//!
//! A [`Scene`] is built from a layout, a pair of layouts, a conversion, a matrix instruction or accesses to shared
//! memory. Three renderers draw a scene, and do not depend on layouts: text for a terminal ([`Text`], or `Display` for
//! plain text), SVG ([`svg`], [`svg_sheet`]), and a self-contained HTML page ([`html`]).
//! ```
//! use linear_layout::layout::{Dim, LinearLayout};
//! use linear_layout::view::{Scene, Window, svg};
//!
//! let layout = LinearLayout::from_bases(
//!     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[0, 2], &[1, 0]])],
//!     &[Dim::out(0), Dim::out(1)],
//! )?;
//! let scene = Scene::tensor(&layout, Window::default());
//! assert_eq!(scene.to_string(), "\
//! 2 x 4: dim0 down, dim1 across; a cell is T<lane>:<register>
//!        0     1     2     3
//! 0:  T0:0  T0:1  T1:0  T1:1
//! 1:  T2:0  T2:1  T3:0  T3:1
//! ");
//! assert!(svg(&scene).starts_with("<svg"));
//! # Ok::<(), linear_layout::layout::LayoutError>(())
//! ```
//! | file | scene |
//! |---|---|
//! | `tensor` | holders of each element; also in the notation of Tilus |
//! | `hardware` | element of each slot |
//! | `matrix` | matrix over GF(2) |
//! | `pair` | conversions and comparisons of two layouts |
//! | `product` | operands of a matrix instruction or of a product of tensors |
//! | `systems` | layouts of CuTe and Tilus |
//! | `memory` | shared memory: words by bank, accesses by phase, bank conflicts |
//!
//! `geometry` places panels and labels for both SVG and HTML. Arrows follow the lines between cells, where there are no
//! labels. A conversion has arrows for the elements of thread 0. An HTML page shows the arrow of any other element
//! while the pointer is on the element.

mod geometry;
mod hardware;
mod html;
mod matrix;
mod memory;
mod pair;
mod palette;
mod product;
mod svg;
mod systems;
mod tensor;
mod text;

use crate::number::narrow;
pub use html::html;
pub(crate) use palette::NUM_TINTS;
pub use palette::Theme;
pub use svg::{svg, svg_sheet};
pub use systems::{register_grid, shared_grid};
pub use text::Text;

/// The limits of a picture of a layout. A remark states how many rows, columns and grids are beyond the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Maximum number of rows of one grid. The default is 64.
    pub rows: u64,
    /// Maximum number of columns of one grid. The default is 32, which is about the width of a terminal.
    pub columns: u64,
    /// Maximum number of grids. A tensor of rank 3 or more has several grids, and so has the hardware view of several
    /// warps. The default is 4.
    pub grids: u64,
}

impl Window {
    /// No limits. A scene is built in memory before it is drawn, so use this window only for small layouts.
    pub const ALL: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        grids: u64::MAX,
    };

    /// The window for an SVG picture or an HTML page, larger than the default because users can zoom and scroll.
    pub const PICTURE: Self = Self {
        rows: 256,
        columns: 256,
        grids: 8,
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

/// A picture of a layout as data, which renderers turn into text, SVG or HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The title, in a few words. The text renderer omits it.
    pub title: String,
    /// The caption, which explains how to read the picture.
    pub caption: String,
    /// The tables of cells, in order.
    pub panels: Vec<Panel>,
    /// The arrangement of the panels.
    pub arrangement: Arrangement,
    /// The arrows between cells.
    pub links: Vec<Link>,
    /// Pairs of a fill and its meaning. The text renderer omits them.
    pub legend: Vec<(Paint, String)>,
    /// The dims into which the slot numbers in [`Cell::slots`] are decomposed.
    pub slots: Space,
    /// The dims into which the element numbers in [`Cell::elements`] are decomposed. A panel may override them with
    /// [`Panel::elements`].
    pub elements: Space,
    /// Remarks of one line each, such as the number of rows beyond the window.
    pub remarks: Vec<String>,
}

/// The arrangement of the panels of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// Panels are side by side in a picture, in several lines if necessary, and one below the other in text.
    #[default]
    Lines,
    /// The panels are compared: they are always side by side in a picture, and one below the other in text.
    Pair,
    /// The three panels A, B and D are the operands of a matrix product. D is to the right of A, with the same rows,
    /// and below B, with the same columns. Text of limited width has the panels one below the other if necessary.
    Product,
}

/// A list of dims (names and sizes, the fastest dim first) into which a packed number is decomposed.
///
/// For example, with `[("register", 2), ("lane", 32)]`, the number 7 is register 1 of lane 3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space(pub Vec<(String, u64)>);

/// A table of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// The title, which distinguishes the panel from other panels. It may be empty.
    pub title: String,
    /// The frame that the text renderer draws.
    pub frame: Frame,
    /// Groups of consecutive columns, each given by its name and its number of columns. If there are groups, every
    /// column belongs to one.
    pub groups: Vec<(String, usize)>,
    /// A label for each column.
    pub columns: Vec<String>,
    /// A label for each row.
    pub rows: Vec<String>,
    /// The cells, row by row.
    pub cells: Vec<Cell>,
    /// The character at which a cell label of two lines is broken in a picture, e.g. `:`, or `None` if labels have one
    /// line. A label that names several holders is broken at a `|` instead.
    pub break_at: Option<char>,
    /// The dims into which the element numbers in [`Cell::elements`] are decomposed, or `None` for the dims in
    /// [`Scene::elements`]. Elements of two panels correspond to each other if they agree in all dims that both panels
    /// have.
    pub elements: Option<Space>,
}

/// The frame around the cells of a panel in text. Pictures do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// Rows and columns have numbers, and cells are aligned to the right.
    #[default]
    Numbered,
    /// Rows have names, which are aligned to the left.
    Named,
    /// Cells have lines around them, and there are no labels and no title. Tilus prints layouts in this format.
    Boxed,
}

/// A cell of a panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text of the cell.
    pub text: String,
    /// The fill of the cell.
    pub paint: Paint,
    /// Number of the group of the cell, such as a warp or a phase. Pictures draw thicker lines between groups.
    pub group: u64,
    /// The numbers of the slots that the cell represents, packed in the dims of [`Scene::slots`].
    pub slots: Vec<u64>,
    /// The number of slots that the cell represents in addition to `slots`.
    pub more_slots: u64,
    /// The numbers of the elements that the cell represents, packed in the dims of [`Panel::elements`] or
    /// [`Scene::elements`].
    pub elements: Vec<u64>,
}

/// The fill of a cell, independent of its colour. The [`Theme`] determines the colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// No fill.
    #[default]
    Blank,
    /// Tint number `4 * hue + shade`, where `hue` is one of eight and `shade` is one of four. Numbers from 32 on wrap
    /// around.
    Tint(u32),
    /// Fill for a word with a bank conflict.
    Warning,
    /// Fill for an element whose holders in the other panel are different.
    Difference,
    /// Fill for an element that no slot holds, or a slot that holds no element.
    Gap,
}

impl Paint {
    /// Returns the fill of item `i`. The first eight items have different hues, and further items have other shades.
    pub(crate) fn hue(i: u64) -> Self {
        let i = narrow::<u32>(i % u64::from(NUM_TINTS));
        Self::Tint(i * 4 % NUM_TINTS + i / 8)
    }

    /// Returns the fill of a lane. Its warp selects the hue, and the number of the lane selects the shade.
    pub(crate) fn of_warp(warp: u64, lane: u64) -> Self {
        let hue = warp % (u64::from(NUM_TINTS) / 4);
        Self::Tint(narrow(hue * 4 + lane % 4))
    }

    /// Returns the fill of item `i` in a list of `count` items. If there are at most eight items, each has its own hue.
    /// Otherwise, adjacent items are shades of one hue.
    pub(crate) fn shade(i: u64, count: u64) -> Self {
        if count <= u64::from(NUM_TINTS) / 4 {
            Self::hue(i)
        } else {
            Self::Tint(narrow(i % u64::from(NUM_TINTS)))
        }
    }
}

/// An arrow from one cell to another, e.g. for an element that a conversion moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Indices of the panel and the cell at which the arrow starts.
    pub from: (usize, usize),
    /// Indices of the panel and the cell at which the arrow ends.
    pub to: (usize, usize),
    /// The label, which is one line of text.
    pub label: String,
}

impl Scene {
    /// Sets the title of the scene.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Adds a remark if a picture does not show everything: `shown` of `whole` items are shown, and `what` names the
    /// items, e.g. `rows`.
    fn left_out(&mut self, shown: u64, whole: u64, what: &str) {
        if shown < whole {
            self.remarks
                .push(format!("... {} more {what}", whole - shown));
        }
    }
}

impl Panel {
    /// Returns the rows of the panel: the label and the cells of each row.
    fn lines(&self) -> impl Iterator<Item = (&str, &[Cell])> {
        let cells = self.cells.chunks(self.columns.len().max(1));
        self.rows.iter().map(String::as_str).zip(cells)
    }

    /// Breaks the label of a cell into at most two lines, for a picture.
    fn label<'t>(&self, text: &'t str) -> [Option<&'t str>; 2] {
        let Some(break_at) = self.break_at else {
            return [Some(text), None];
        };
        let middle = text.len() / 2;
        let bar = text.match_indices('|').map(|(at, _)| at);
        let halves = match bar.min_by_key(|at| at.abs_diff(middle)) {
            Some(at) => Some((&text[..at], &text[at + 1..])),
            None => text.rsplit_once(break_at),
        };
        match halves {
            Some((first, second)) => [Some(first), Some(second.trim_start())],
            None => [Some(text), None],
        }
    }
}
