//! Pictures as data: cells with labels and colours, and links between them.
//!
//! A [`Scene`] is made once, of a layout, of two of them, of a conversion or of accesses to shared memory, and
//! drawn by any of three: as text for a terminal ([`Text`], and `Display` for plain text), as SVG ([`svg`]), and as
//! a page of HTML that needs nothing else ([`html`]). None of them knows what a layout is.
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
//! assert!(svg(&scene).contains(">T3:1<"));
//! # Ok::<(), linear_layout::layout::LayoutError>(())
//! ```
//! | file | makes |
//! |---|---|
//! | `tensor` | the tensor: who holds each element; also in the notation of Tilus |
//! | `hardware` | the hardware: which element each slot holds |
//! | `matrix` | the bits |
//! | `pair` | two layouts: what a conversion moves, where they differ |
//! | `product` | products of matrices: the operands of an instruction, or of tensors |
//! | `systems` | layouts of CuTe and of Tilus |
//! | `memory` | shared memory: words by bank, accesses by phase, conflicts |
//!
//! Deliberately missing: arrows routed around cells. There are few of them; the page shows the others one at a time.

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
pub use svg::svg;
pub use systems::{register_grid, shared_grid};
pub use text::Text;

/// The limits of a picture of a layout.
///
/// What lies outside is counted in a last line, so that a cut view cannot be taken for a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Rows of one grid; 64 by default.
    pub rows: u64,
    /// Columns of one grid; 32 by default, which two-digit cells fill a wide terminal with.
    pub columns: u64,
    /// Grids: of a tensor of rank 3 and more, or warps; 4 by default.
    pub grids: u64,
}

impl Window {
    /// Everything. Meant for layouts known to be small: a scene is built in memory before it is
    /// drawn.
    pub const ALL: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        grids: u64::MAX,
    };

    /// The window of a picture or a page, where one can zoom and scroll.
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
    /// Row by row, as many as labels say.
    pub cells: Vec<Cell>,
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
    /// Something is wrong, or costs: a conflict, a difference.
    Warning,
    /// Nothing is there.
    Gap,
}

impl Paint {
    /// Returns the colour of the `i`th of things that should all look different: other hues first.
    pub(crate) fn hue(i: u64) -> Self {
        let i = narrow::<u32>(i % u64::from(NUM_TINTS));
        Self::Tint(i * 4 % NUM_TINTS + i / 8)
    }

    /// Returns the colour of one of `count` things that stand in a row: neighbours are shades of one hue, unless there
    /// are so few that each can have its own.
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

    /// Says what a window has left out, if anything.
    fn left_out(&mut self, shown: u64, whole: u64, what: &str) {
        if shown < whole {
            self.remarks
                .push(format!("... {} more {what}", whole - shown));
        }
    }
}

impl Panel {
    /// The rows, with their labels.
    fn lines(&self) -> impl Iterator<Item = (&str, &[Cell])> {
        let cells = self.cells.chunks(self.columns.len().max(1));
        self.rows.iter().map(String::as_str).zip(cells)
    }
}
