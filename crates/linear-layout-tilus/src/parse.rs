//! Parsers for the printed form of layouts, and for expressions such as `local(2, 1).spatial(8, 4)`.

use core::str::FromStr;

use super::expression::{Cursor, evaluate_register, evaluate_shared};
use super::{RegisterLayout, SharedLayout, TilusError};

/// Parses a register layout in one of two forms. The first is the form that [`Display`](core::fmt::Display) and
/// Tilus print. The second is a Python expression: a chain of calls of `spatial`, `local`, `column_spatial` and
/// `column_local`, a composition with `*`, or a call of another function, such as `reduce(..)`.
/// [`RegisterLayout::functions`] lists all functions.
///
/// ```
/// use linear_layout_tilus::RegisterLayout;
/// let l: RegisterLayout = "local(2, 1).spatial(8, 4).local(1, 2)".parse()?;
/// assert_eq!(l.to_string().parse(), Ok(l));
/// let l: RegisterLayout = "reduce(spatial(3, 4), dims=[0])".parse()?;
/// assert_eq!(l.to_string(), "RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])");
/// let e = "RegisterLayout(shape=[2, 3), mode_shape=[])".parse::<RegisterLayout>().unwrap_err();
/// assert_eq!(e.to_string(), "expected `,` or `]` at byte 26 of the layout text");
/// assert_eq!(e.parse_offset(), Some(26));
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Errors
/// Returns an error with a byte offset if the text has another form. Also returns an error in the same cases as
/// [`RegisterLayout::new`].
impl FromStr for RegisterLayout {
    type Err = TilusError;

    fn from_str(text: &str) -> Result<Self, TilusError> {
        let mut cursor = Cursor::new(text);
        let call = cursor.expression()?;
        cursor.end()?;
        evaluate_register(&call)
    }
}

/// Parses the form that [`Display`](core::fmt::Display) and Tilus print, or a call of `shared_layout`,
/// `shared_row_major`, `shared_column_major` or `shared_row_major_swizzle`.
///
/// ```
/// use linear_layout_tilus::SharedLayout;
/// let l: SharedLayout = "shared_row_major_swizzle(shape=[8, 64], dtype_nbytes=2)".parse()?;
/// assert_eq!(l, SharedLayout::row_major_swizzled(&[8, 64], 2)?);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Errors
/// Returns an error with a byte offset if the text has another form. Also returns an error in the same cases as
/// [`SharedLayout::new`].
impl FromStr for SharedLayout {
    type Err = TilusError;

    fn from_str(text: &str) -> Result<Self, TilusError> {
        let mut cursor = Cursor::new(text);
        let call = cursor.expression()?;
        cursor.end()?;
        evaluate_shared(&call)
    }
}
