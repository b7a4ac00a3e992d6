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
//! labels. A conversion has arrows for thread 0, and in HTML also for the element under the pointer.

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

/// Limits on the size of a picture. If a limit causes rows, columns or grids to be omitted, a remark of the picture
/// states the number of omitted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Maximum number of rows of a grid. The default is 64.
    pub rows: u64,
    /// Maximum number of columns of a grid. The default is 32, about the width of a terminal.
    pub columns: u64,
    /// Maximum number of grids in a drawing: a tensor of rank 3 has one per slice, the hardware one per warp. The
    /// default is 4.
    pub grids: u64,
}

impl Window {
    /// A window without limits. The picture stores all cells in memory, so use this window only for small layouts.
    pub const ALL: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        grids: u64::MAX,
    };

    /// The window for an SVG picture or an HTML page, in which users can zoom and scroll.
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

/// A picture as data, which renderers draw as text, SVG or HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// A short title. The text renderer omits it.
    pub title: String,
    /// The caption, which explains how to read the picture.
    pub caption: String,
    /// The tables of cells, in the order in which they are shown.
    pub panels: Vec<Panel>,
    /// The arrangement of the panels.
    pub arrangement: Arrangement,
    /// The arrows between cells.
    pub links: Vec<Link>,
    /// The meaning of each fill. The text renderer omits the legend.
    pub legend: Vec<(Paint, String)>,
    /// The dims of the packed slot numbers in [`Cell::slots`].
    pub slots: Space,
    /// The dims of the packed element numbers in [`Cell::elements`], for panels whose [`Panel::elements`] is
    /// `None`.
    pub elements: Space,
    /// Remarks of one line each, e.g. about rows that exceed the window.
    pub remarks: Vec<String>,
}

/// The arrangement of a scene's panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// In a picture, the panels are side by side, in several lines if necessary. In text, they are one below the
    /// other.
    #[default]
    Lines,
    /// The panels show two layouts side by side, so that the reader can compare them. In text, the panels are one
    /// below the other.
    Pair,
    /// The panels are the operands A, B and D of a matrix product. D is to the right of A and below B. If the text
    /// would exceed its maximum width, the panels are one below the other instead.
    Product,
}

/// The dims of a packed number: the name and the size of each dim, with the fastest-varying dim first.
///
/// For example, with `[("register", 2), ("lane", 32)]`, the number 7 is register 1 of lane 3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space(pub Vec<(String, u64)>);

/// A table of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// The title, which may be empty.
    pub title: String,
    /// The frame that the text renderer draws.
    pub frame: Frame,
    /// Column groups from left to right, each with its name and its number of columns.
    ///
    /// The list is either empty, or its groups cover all columns.
    pub groups: Vec<(String, usize)>,
    /// A label for each column.
    pub columns: Vec<String>,
    /// A label for each row.
    pub rows: Vec<String>,
    /// The cells, row by row.
    pub cells: Vec<Cell>,
    /// The character at which pictures break a cell label into two lines, e.g. `:`. If it is `None`, each label has
    /// one line.
    ///
    /// If a label names several holders, which are separated by `|`, the label is broken at the `|` nearest to its
    /// middle instead.
    pub break_at: Option<char>,
    /// The dims that are packed in the element numbers ([`Cell::elements`]) of this panel. `None` means the dims in
    /// [`Scene::elements`].
    ///
    /// Two elements in different panels correspond if their indices in all common dims are equal.
    pub elements: Option<Space>,
}

/// The frame around the cells of a panel in text. Pictures ignore the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// Numbered rows and columns, with cells aligned to the right.
    #[default]
    Numbered,
    /// Named rows, with names aligned to the left.
    Named,
    /// Lines around the cells, without labels and title, as in Tilus.
    Boxed,
}

/// A cell of a panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text of the cell.
    pub text: String,
    /// The fill of the cell.
    pub paint: Paint,
    /// Number of the cell's group, e.g. of its warp or its phase. Pictures draw thicker lines between cells of
    /// different groups.
    pub group: u64,
    /// The slots that the cell shows, each as a number packed in the dims of [`Scene::slots`].
    pub slots: Vec<u64>,
    /// The number of slots of the cell that `slots` does not list.
    pub more_slots: u64,
    /// The elements that the cell shows, each as a number packed in the dims of [`Panel::elements`] or, if that is
    /// `None`, of [`Scene::elements`].
    pub elements: Vec<u64>,
}

/// The fill of a cell, for which a [`Theme`] selects the colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// No fill.
    #[default]
    Blank,
    /// A tint, given by the number `4 * hue + shade`. There are eight hues with four shades each, and the number is
    /// taken modulo 32.
    Tint(u32),
    /// A word with a bank conflict.
    Warning,
    /// An element of a comparison whose slots in the first layout differ from its slots in the second layout.
    Difference,
    /// An element without a slot, or a slot without an element.
    Gap,
}

impl Paint {
    /// Returns the fill of item `i`. Items 0 to 7 have the eight hues in the first shade, items 8 to 15 have them
    /// in the second shade, and so on. The fills repeat after 32 items.
    pub(crate) fn hue(i: u64) -> Self {
        let i = narrow::<u32>(i % u64::from(NUM_TINTS));
        Self::Tint(i * 4 % NUM_TINTS + i / 8)
    }

    /// Returns a fill whose hue depends on the warp, and whose shade depends on the lane.
    pub(crate) fn of_warp(warp: u64, lane: u64) -> Self {
        let hue = warp % (u64::from(NUM_TINTS) / 4);
        Self::Tint(narrow(hue * 4 + lane % 4))
    }

    /// Returns the fill of item `i` among `count` items. If there are at most eight items, each has its own hue.
    /// Otherwise, four adjacent items are shades of one hue.
    pub(crate) fn shade(i: u64, count: u64) -> Self {
        if count <= u64::from(NUM_TINTS) / 4 {
            Self::hue(i)
        } else {
            Self::Tint(narrow(i % u64::from(NUM_TINTS)))
        }
    }
}

/// An arrow between two cells, e.g. for an element that a conversion moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Index of the panel and index of the cell at which the arrow starts.
    pub from: (usize, usize),
    /// Index of the panel and index of the cell at which the arrow ends.
    pub to: (usize, usize),
    /// The label of the arrow, which has one line.
    pub label: String,
}

impl Scene {
    /// Sets the title of the scene.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// If `shown` is less than `whole`, adds a remark that states the number of omitted items, e.g.
    /// `... 3 more rows`. `what` is the name of the items, e.g. `rows`.
    fn left_out(&mut self, shown: u64, whole: u64, what: &str) {
        if shown < whole {
            self.remarks
                .push(format!("... {} more {what}", whole - shown));
        }
    }
}

impl Panel {
    /// Returns the label and the cells of each row.
    fn lines(&self) -> impl Iterator<Item = (&str, &[Cell])> {
        let cells = self.cells.chunks(self.columns.len().max(1));
        self.rows.iter().map(String::as_str).zip(cells)
    }

    /// Breaks the label of a cell into at most two lines.
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
