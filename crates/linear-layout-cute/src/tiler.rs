//! Tilers, the right operands of divisions and products: a layout, or something for each mode.

use super::error::{CuteError, Kind};
use super::layout::{Layout, LayoutRef};
use super::mode::Mode;
use super::tuple::{Builder, Tuple};

/// The second operand of a division or a product.
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
    /// All modes together, by a layout.
    Layout(Layout),
    /// All modes together, by `size:1`.
    Size(i64),
    /// The mode is kept, CuTe's `_`.
    Keep,
    /// The first modes, each by its own.
    Modes(Vec<Tiler>),
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Self {
        Self::Layout(layout)
    }
}

/// What happens to modes for which the tiler has nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    Kept,
    Dropped,
}

/// Applies an operation where the tiler has a layout or a size.
pub(crate) fn by_tiler(
    layout: &Layout,
    tiler: &Tiler,
    rest: Rest,
    operation: &impl Fn(&Layout, &Layout) -> Result<Layout, CuteError>,
) -> Result<Layout, CuteError> {
    match tiler {
        Tiler::Layout(tile) => operation(layout, tile),
        Tiler::Size(size) => operation(layout, &Layout::scalar(*size, 1)?),
        Tiler::Keep => Ok(layout.clone()),
        Tiler::Modes(tilers) => {
            if tilers.len() > layout.rank() {
                return Err(Kind::RankDiffers {
                    what: "the tiler",
                    found: tilers.len(),
                    expected: layout.rank(),
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
                    None if rest == Rest::Kept => modes.push(mode)?,
                    None => break,
                }
            }
            Layout::checked(modes.finish()?)
        }
    }
}

/// From modes that are pairs (tile, rest), where the tiler has a layout or a size, the tiles and the rests: CuTe's
/// `zip2_by`. Modes without a tile join the rests.
pub(crate) fn unzip(
    layout: LayoutRef<'_>,
    tiler: &Tiler,
) -> Result<(Tuple<Mode>, Tuple<Mode>), CuteError> {
    match tiler {
        Tiler::Layout(_) | Tiler::Size(_) => {
            let mut pair = layout.items();
            match (pair.next(), pair.next()) {
                (Some(tile), Some(rest)) => Ok((tile.to_owned(), rest.to_owned())),
                _ => Err(Kind::KeptInZip.into()),
            }
        }
        Tiler::Keep => Err(Kind::KeptInZip.into()),
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
