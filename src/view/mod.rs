//! Layouts as text that people read.
//!
//! Three ways to look at the same linear map, each a value that prints itself:
//! [`TensorGrid`] shows the tensor and says for each element who holds it, [`HardwareGrid`] shows the
//! hardware and says for each slot which element it holds, [`MatrixView`] shows the bits.
//! ```
//! use linear_layout::layout::{Dim, LinearLayout};
//! use linear_layout::view::{TensorGrid, Window};
//!
//! let layout = LinearLayout::from_bases(
//!     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[0, 2], &[1, 0]])],
//!     &[Dim::out(0), Dim::out(1)],
//! )?;
//! let text = TensorGrid::new(&layout, Window::default()).to_string();
//! assert_eq!(text, "\
//! 2 x 4: dim0 down, dim1 across; a cell is T<lane>:<register>
//!        0     1     2     3
//! 0:  T0:0  T0:1  T1:0  T1:1
//! 1:  T2:0  T2:1  T3:0  T3:1
//! ");
//! # Ok::<(), linear_layout::layout::LayoutError>(())
//! ```
//! Who holds an element is computed cell by cell ([`Holders`]), so a corner of a tensor of 2^31
//! elements is shown as fast as a small one; [`Window`] says how large the corner is.
//!
//! [`Mentions`] finds encodings in the text of a module, for what shows them there:
//! [`with_layout_comments`], and editors.
//!
//! Deliberately missing: colours and pictures.

mod comments;
mod grid;
mod hardware;
mod holders;
mod matrix;
mod mentions;
mod tensor;

pub use comments::{layout_text, shape_text, with_layout_comments};
pub use grid::Window;
pub use hardware::HardwareGrid;
pub use holders::{Holders, InPoint};
pub use matrix::MatrixView;
pub use mentions::{Definition, Mention, Mentions, SPLIT_MARKER};
pub use tensor::TensorGrid;
