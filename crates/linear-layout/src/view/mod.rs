//! Layouts as people look at them.
//!
//! [`Scene`] is a picture as data, made once of a layout, of two of them, of a conversion or of accesses to shared
//! memory; text, SVG and HTML draw it. [`Scene::tensor`] shows the tensor and says for each element who holds it,
//! [`Scene::hardware`] shows the hardware and says for each slot which element it holds, [`Scene::matrix`] shows
//! the bits. [`words`] says in sentences what each basis does.
//!
//! Who holds an element is computed cell by cell ([`Holders`]), so a corner of a tensor of 2^31
//! elements is shown as fast as a small one; [`Window`] says how large the corner is.
//!
//! [`Mentions`] finds encodings in the text of a module, for what shows them there:
//! [`with_layout_comments`], and editors.

mod comments;
mod holders;
mod mentions;
mod scene;
mod words;

pub use comments::{layout_text, shape_text, with_layout_comments};
pub use holders::{Holders, InPoint};
pub use mentions::{Definition, Mention, Mentions, SPLIT_MARKER, Unreadable};
pub use scene::{
    Arrangement, Cell, Frame, Link, Paint, Panel, Scene, Space, Text, Theme, Window, html,
    register_grid, shared_grid, svg,
};
pub use words::{words, words_of_cute, words_of_register};
