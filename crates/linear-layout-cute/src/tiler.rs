//! Tilers: the right operands of divisions and products.

use super::error::{CuteError, ErrorKind};
use super::layout::{Layout, LayoutRef};
use super::mode::Mode;
use super::tuple::{Builder, Tuple};

/// The right operand of a division (the tiles) or of a product (the repetitions of a block): a layout, a size, or one
/// tiler per mode.
///
/// ```
/// use linear_layout_cute::{Layout, Tiler};
/// let layout: Layout = "(8,6):(6,1)".parse()?;
/// let tiler = Tiler::Modes(vec![Tiler::Size(4), Tiler::Layout("2:3".parse()?)]);
/// assert_eq!(layout.zipped_divide(&tiler)?.to_string(), "((4,2),(2,3)):((6,3),(24,1))");
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// A layout that applies to all modes together.
    Layout(Layout),
    /// The layout `size:1`, which applies to all modes together.
    Size(i64),
    /// No tiler: keeps the mode as it is (CuTe's `_`).
    Keep,
    /// One tiler per mode, in order. Modes beyond the list have no tiler.
    Modes(Vec<Tiler>),
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Self {
        Self::Layout(layout)
    }
}

/// Determines how the modes after the last tiler are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UntiledModes {
    Kept,
    Dropped,
}

pub(crate) fn by_tiler(
    layout: &Layout,
    tiler: &Tiler,
    rest: UntiledModes,
    operation: &impl Fn(&Layout, &Layout) -> Result<Layout, CuteError>,
) -> Result<Layout, CuteError> {
    match tiler {
        Tiler::Layout(tile) => operation(layout, tile),
        Tiler::Size(size) => operation(layout, &Layout::scalar(*size, 1)?),
        Tiler::Keep => Ok(layout.clone()),
        Tiler::Modes(tilers) => {
            if tilers.len() > layout.rank() {
                return Err(ErrorKind::RankTooLarge {
                    what: "the tiler",
                    found: tilers.len(),
                    of: "layout",
                    most: layout.rank(),
                }
                .into());
            }
            let mut modes = Builder::new();
            let mut tilers = tilers.iter();
            for (i, mode) in layout.as_ref().items().enumerate() {
                match tilers.next() {
                    Some(tiler) => {
                        let found = by_tiler(&Layout::part(mode), tiler, rest, operation);
                        let found = found.map_err(|error| error.in_mode(i))?;
                        modes.push(found.as_ref())?;
                    }
                    None if rest == UntiledModes::Kept => modes.push(mode)?,
                    None => break,
                }
            }
            Layout::checked(modes.finish()?)
        }
    }
}

/// Converts `(tile, rest), ...` to `(tiles, rests)` (CuTe's `zip2_by`). A mode without a tiler becomes one of the
/// rests.
pub(crate) fn unzip(
    layout: LayoutRef<'_>,
    tiler: &Tiler,
) -> Result<(Tuple<Mode>, Tuple<Mode>), CuteError> {
    match tiler {
        Tiler::Layout(_) | Tiler::Size(_) => {
            let mut pair = layout.items();
            match (pair.next(), pair.next()) {
                (Some(tile), Some(rest)) => Ok((tile.to_owned(), rest.to_owned())),
                _ => Err(ErrorKind::KeptInZip.into()),
            }
        }
        Tiler::Keep => Err(ErrorKind::KeptInZip.into()),
        Tiler::Modes(tilers) => {
            let (mut tiles, mut rests) = (Builder::new(), Builder::new());
            let mut tilers = tilers.iter();
            for (i, mode) in layout.items().enumerate() {
                if let Some(tiler) = tilers.next() {
                    let (tile, rest) = unzip(mode, tiler).map_err(|error| error.in_mode(i))?;
                    tiles.push(tile.as_ref())?;
                    rests.push(rest.as_ref())?;
                } else {
                    rests.push(mode)?;
                }
            }
            Ok((tiles.finish()?, rests.finish()?))
        }
    }
}
