//! Pictures as data: cells with labels and fills, and links between them.
//!
//! A [`Scene`] is built from a layout, a pair of layouts, a conversion, a matrix instruction or accesses to shared
//! memory. Three renderers draw it and know nothing of layouts: text for a terminal ([`Text`], and `Display` for plain
//! text), SVG ([`svg`], [`svg_sheet`]), and one self-contained page of HTML ([`html`]).
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
//! `geometry` places panels and labels for both SVG and HTML. Arrows follow the lines between cells, where no label
//! stands; a conversion shows those of thread 0, and the page shows the others one at a time.

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

/// The limits of a picture of a layout; a remark counts what lies outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Rows of one grid; 64 by default.
    pub rows: u64,
    /// Columns of one grid; 32 by default, about the width of a terminal.
    pub columns: u64,
    /// Grids: of a tensor of rank 3 and more, or warps; 4 by default.
    pub grids: u64,
}

impl Window {
    /// No limits, for layouts known to be small: a scene is built in memory before it is drawn.
    pub const ALL: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        grids: u64::MAX,
    };

    /// The window of a picture or a page, which zoom and scroll.
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

/// A picture as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The title, in a few words; text leaves it out.
    pub title: String,
    /// The caption, which says how to read the picture.
    pub caption: String,
    /// The tables, in order.
    pub panels: Vec<Panel>,
    /// The arrangement of the panels.
    pub arrangement: Arrangement,
    /// Arrows between cells.
    pub links: Vec<Link>,
    /// Meaning of fills, for pictures; text leaves it out.
    pub legend: Vec<(Paint, String)>,
    /// The space that the numbers in [`Cell::slots`] index.
    pub slots: Space,
    /// The space that the numbers in [`Cell::elements`] index, in panels without one of their own.
    pub elements: Space,
    /// Remarks, a line each, such as what a window has left out.
    pub remarks: Vec<String>,
}

/// The arrangement of panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// Side by side in a picture, as far as a window is wide; below each other in text.
    #[default]
    Lines,
    /// Two panels that are read together: always side by side in a picture, and below each other in text.
    Pair,
    /// Three panels, A, B and D, of a product of matrices: D to the right of A, row by row, and below B, column by column.
    /// Text that is too narrow for it has them below each other.
    Product,
}

/// Names and sizes of the dimensions that a number counts through, the first fastest.
///
/// With `[("register", 2), ("lane", 32)]` the number 7 is register 1 of lane 3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space(pub Vec<(String, u64)>);

/// A table of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// The title among the other panels; empty if there are none.
    pub title: String,
    /// The frame in text.
    pub frame: Frame,
    /// Names over columns that stand next to each other, and over how many; empty, or for all columns.
    pub groups: Vec<(String, usize)>,
    /// A label for each column.
    pub columns: Vec<String>,
    /// A label for each row.
    pub rows: Vec<String>,
    /// The cells, row by row.
    pub cells: Vec<Cell>,
    /// The character at which pictures break labels of cells into two lines, if any; labels of several holders break at a
    /// `|` instead.
    pub break_at: Option<char>,
    /// The space that the numbers in [`Cell::elements`] index, if not the scene's. Elements of two panels belong together
    /// where they agree in the dimensions that both have.
    pub elements: Option<Space>,
}

/// The frame of a panel in text; pictures draw all alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// Numbered rows and columns, cells to the right.
    #[default]
    Numbered,
    /// Rows with names, which stand to the left.
    Named,
    /// Lines around cells, no labels and no title: as Tilus prints a layout.
    Boxed,
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text of the cell.
    pub text: String,
    /// The fill of the cell.
    pub paint: Paint,
    /// The group of the cell, such as a warp or a phase; pictures draw thicker lines between groups.
    pub group: u64,
    /// Slots of the hardware that it stands for, as [`Scene::slots`] counts them.
    pub slots: Vec<u64>,
    /// The number of slots beyond those in `slots`.
    pub more_slots: u64,
    /// Elements that it stands for, as [`Panel::elements`] or [`Scene::elements`] counts them.
    pub elements: Vec<u64>,
}

/// The fill of a cell; [`Theme`] decides its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Nothing.
    #[default]
    Blank,
    /// One of 32 colours: eight hues of four shades, shades next to each other. Others count on from 0.
    Tint(u32),
    /// A bank conflict.
    Warning,
    /// A difference from the other panel.
    Difference,
    /// Nothing is there.
    Gap,
}

impl Paint {
    /// Returns the fill of item `i`: different hues first, then different shades.
    pub(crate) fn hue(i: u64) -> Self {
        let i = narrow::<u32>(i % u64::from(NUM_TINTS));
        Self::Tint(i * 4 % NUM_TINTS + i / 8)
    }

    /// Returns the fill of a lane of a warp: a hue for the warp, one of its shades for the lane.
    pub(crate) fn of_warp(warp: u64, lane: u64) -> Self {
        let hue = warp % (u64::from(NUM_TINTS) / 4);
        Self::Tint(narrow(hue * 4 + lane % 4))
    }

    /// Returns the fill of item `i` of `count` in a row: neighbours are shades of one hue, unless each can have a hue
    /// of its own.
    pub(crate) fn shade(i: u64, count: u64) -> Self {
        if count <= u64::from(NUM_TINTS) / 4 {
            Self::hue(i)
        } else {
            Self::Tint(narrow(i % u64::from(NUM_TINTS)))
        }
    }
}

/// An arrow from one cell to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Panel and cell that it starts at.
    pub from: (usize, usize),
    /// Panel and cell that it ends at.
    pub to: (usize, usize),
    /// The label, in a line of text.
    pub label: String,
}

impl Scene {
    /// Returns the same scene under a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Adds a remark that counts what the window leaves out, if anything.
    fn left_out(&mut self, shown: u64, whole: u64, what: &str) {
        if shown < whole {
            self.remarks
                .push(format!("... {} more {what}", whole - shown));
        }
    }
}

impl Panel {
    /// Labels of rows with their cells.
    fn lines(&self) -> impl Iterator<Item = (&str, &[Cell])> {
        let cells = self.cells.chunks(self.columns.len().max(1));
        self.rows.iter().map(String::as_str).zip(cells)
    }

    /// Returns the label of a cell in a picture, as one or two lines.
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
