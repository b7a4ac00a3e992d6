//! Views of layouts: pictures, descriptions in sentences, and comments in the text of modules.
//!
//! A *slot* is a place in the hardware, such as a register of a thread or an offset of a buffer. The *holders* of an
//! element are the slots that hold it. [`Scene`] is a picture as data, which is rendered as text, SVG or HTML.
//! [`Scene::tensor`] shows the holders of each element, [`Scene::hardware`] shows the element of each slot, and
//! [`Scene::matrix`] shows the matrix of the layout over GF(2). [`words`] describes each basis in a sentence.
//!
//! [`Holders`] computes the holders of one element at a time, so a picture of the corner of a huge tensor is fast.
//! [`Window`] is the size of the corner.
//!
//! [`Mentions`] finds the encodings in the text of a module, for [`with_layout_comments`] and for editors.

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
    register_grid, shared_grid, svg, svg_sheet,
};
pub use words::{words, words_of_cute, words_of_register};
