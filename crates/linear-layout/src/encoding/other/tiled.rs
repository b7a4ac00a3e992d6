//! `#mosaic_gpu.TiledLayout`: layouts with nested tiles, whose dims are distributed over a warpgroup.

use core::fmt;

use super::CompilerLayoutError;
use super::columns::{IndexDigit, LayoutColumns, check_power, product, quotient};
use super::error::CompilerLayoutErrorKind;
use super::text::{AttributeParser, BracketList, check_entries};
use crate::layout::LinearLayout;

pub(super) const NAME: &str = "#mosaic_gpu.TiledLayout<";
const REPLICATED: &str = "#mosaic_gpu.Replicated<";

const WARPS: u64 = 4;
const LANES: u64 = 32;

/// An entry of `warp_dims` or `lane_dims`. Each entry determines the meaning of one digit of the warp number or
/// lane number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TiledDim {
    /// The digit is the index along this dim of the tiled tensor. Dims are counted from the end: -1 is the last
    /// dim.
    Dim(i64),
    /// The digit selects one of this many copies of the data.
    Replicated(u64),
}

/// A layout of JAX's Mosaic GPU.
///
/// The layout has a list of tiles, which are applied one after the other. A tile with `n` sizes splits each of the
/// last `n` dims of the tensor into two: the number of the tile remains in the place of the dim, and the position
/// inside the tile becomes a new last dim. For example, the tile (64, 8) turns a 128x128 tensor into a 2x16x64x8
/// tensor. The next tile is applied to this result. The dims that result from the last tile are used as follows:
/// - `warp_dims` are distributed over the 4 warps of a warpgroup, the slowest dim first;
/// - `lane_dims` are distributed over the 32 lanes of a warp, the slowest dim first;
/// - `vector_dim` is a vector in each thread;
/// - all other dims are distributed over registers.
/// # Shape
/// The registers of a thread hold its vectors one after the other, in row-major order.
///
/// # Source
/// `TiledLayout` of `jax.experimental.mosaic.gpu`, commit `003dc87`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledLayout {
    tiles: Vec<Vec<u64>>,
    warp_dims: Vec<TiledDim>,
    lane_dims: Vec<TiledDim>,
    vector_dim: i64,
}

/// Applies `tiles` to a tensor with the shape `shape`. Returns the dims of the tiled tensor, each as a digit of an
/// index into the original tensor.
fn tile_dims(shape: &[u64], tiles: &[Vec<u64>]) -> Result<Vec<IndexDigit>, CompilerLayoutError> {
    let whole = |(dim, extent): (usize, &u64)| IndexDigit {
        dim,
        weight: 1,
        extent: *extent,
    };
    let mut dims: Vec<IndexDigit> = shape.iter().enumerate().map(whole).collect();
    for tile in tiles {
        let Some(kept) = dims.len().checked_sub(tile.len()) else {
            return Err(CompilerLayoutErrorKind::RankTooSmall {
                found: dims.len(),
                least: tile.len(),
            }
            .into());
        };
        let split = dims.split_off(kept);
        let mut inside = Vec::new();
        for (digit, &extent) in split.into_iter().zip(tile) {
            dims.push(IndexDigit {
                weight: product(digit.weight, extent)?,
                extent: quotient("the tile", digit.dim, digit.extent, extent)?,
                ..digit
            });
            inside.push(IndexDigit { extent, ..digit });
        }
        dims.extend(inside);
    }
    Ok(dims)
}

impl TiledLayout {
    /// Returns the layout that splits a tensor into `tiles`. The other arguments state which of the resulting dims
    /// are distributed over warps and lanes, and which one is the vector of a thread.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - There is no tile, or a size in a tile is zero.
    /// - A tile cannot be applied to the dims that the previous tile produced, because it has more dims, or
    ///   does not divide them.
    /// - An argument names a dim that no tile produces.
    /// - A dim is named more than once.
    /// - The product of the extents of `warp_dims` is not 4.
    /// - The product of the extents of `lane_dims` is not 32.
    pub fn new(
        tiles: Vec<Vec<u64>>,
        warp_dims: Vec<TiledDim>,
        lane_dims: Vec<TiledDim>,
        vector_dim: i64,
    ) -> Result<Self, CompilerLayoutError> {
        let Some(first) = tiles.first() else {
            return Err(CompilerLayoutErrorKind::Missing {
                field: "tile",
                needed_by: "#mosaic_gpu.TiledLayout",
            }
            .into());
        };
        for tile in &tiles {
            check_entries("tile", tile)?;
        }
        let dims = tile_dims(first, &tiles)?;
        let rank = dims.len() - first.len();
        let mut taken: Vec<i64> = Vec::new();
        let mut take = |found: i64| {
            let index = usize::try_from(found.unsigned_abs()).unwrap_or(usize::MAX);
            if found >= 0 || index > rank {
                return Err(CompilerLayoutError::from(
                    CompilerLayoutErrorKind::NoSuchTiledDim { found, rank },
                ));
            }
            if taken.contains(&found) {
                return Err(CompilerLayoutErrorKind::TiledDimTwice { found }.into());
            }
            taken.push(found);
            Ok(dims[dims.len() - index].extent)
        };
        for (what, list, expected) in [
            ("`warp_dims`", &warp_dims, WARPS),
            ("`lane_dims`", &lane_dims, LANES),
        ] {
            let mut found = 1;
            for dim in list {
                found = product(
                    found,
                    match dim {
                        TiledDim::Dim(dim) => take(*dim)?,
                        TiledDim::Replicated(times) => *times,
                    },
                )?;
            }
            if found != expected {
                return Err(CompilerLayoutErrorKind::Count {
                    what,
                    found,
                    expected,
                }
                .into());
            }
        }
        take(vector_dim)?;
        Ok(Self {
            tiles,
            warp_dims,
            lane_dims,
            vector_dim,
        })
    }

    pub(super) fn parse(parser: &mut AttributeParser<'_>) -> Result<Self, CompilerLayoutError> {
        let tiles = parser.list(AttributeParser::numbers)?;
        let dim = |parser: &mut AttributeParser<'_>| {
            if !parser.eat(REPLICATED) {
                let dim = parser.number("a dim below 0, or `#mosaic_gpu.Replicated<`")?;
                return Ok(TiledDim::Dim(dim));
            }
            parser.expect("times", "`times`")?;
            parser.expect("=", "`=`")?;
            let times = parser.number("a number of copies")?;
            parser.expect(">", "`>`")?;
            Ok(TiledDim::Replicated(times))
        };
        parser.expect(",", "`,`")?;
        parser.expect("warp_dims", "`warp_dims`")?;
        parser.expect("=", "`=`")?;
        let warp_dims = parser.list(dim)?;
        parser.expect(",", "`,`")?;
        parser.expect("lane_dims", "`lane_dims`")?;
        parser.expect("=", "`=`")?;
        let lane_dims = parser.list(dim)?;
        parser.expect(",", "`,`")?;
        parser.expect("vector_dim", "`vector_dim`")?;
        parser.expect("=", "`=`")?;
        let vector_dim = parser.number("a dim below 0")?;
        parser.expect(">", "`>`")?;
        Self::new(tiles, warp_dims, lane_dims, vector_dim)
    }

    /// Returns the linear layout of a tensor of this shape.
    ///
    /// # Errors
    /// Returns an error in the same cases as
    /// [`CompilerLayout::to_linear_layout`](super::CompilerLayout::to_linear_layout).
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, CompilerLayoutError> {
        let mut columns = LayoutColumns::new(shape)?;
        let mut dims = tile_dims(shape, &self.tiles)?;
        let len = dims.len();
        for digit in &dims {
            check_power("a tile", digit.dim, digit.extent)?;
        }
        let index_of = |dim: i64| len - usize::try_from(dim.unsigned_abs()).unwrap_or(len).min(len);
        let distribute = |list: &[TiledDim], dims: &mut [IndexDigit]| {
            let mut found = Vec::new();
            for entry in list.iter().rev() {
                match *entry {
                    TiledDim::Dim(dim) => {
                        let digit = &mut dims[index_of(dim)];
                        found.extend(columns.of([*digit]));
                        digit.extent = 1;
                    }
                    TiledDim::Replicated(times) => {
                        check_power("`Replicated`", 0, times)?;
                        found.extend((0..times.trailing_zeros()).map(|_| 0));
                    }
                }
            }
            Ok::<_, CompilerLayoutError>(found)
        };
        let warp = distribute(&self.warp_dims, &mut dims)?;
        let lane = distribute(&self.lane_dims, &mut dims)?;
        let vector = distribute(&[TiledDim::Dim(self.vector_dim)], &mut dims)?;
        let rest = columns.of(dims.into_iter().rev());
        columns.warp = warp;
        columns.lane = lane;
        columns.register = [vector, rest].concat();
        columns.into_layout()
    }
}

impl fmt::Display for TiledDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dim(dim) => dim.fmt(f),
            Self::Replicated(times) => write!(f, "{REPLICATED}times = {times}>"),
        }
    }
}

impl fmt::Display for TiledLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tiles: Vec<BracketList<'_, u64>> =
            self.tiles.iter().map(|tile| BracketList(tile)).collect();
        write!(
            f,
            "{NAME}{}, warp_dims = {}, lane_dims = {}, vector_dim = {}>",
            BracketList(&tiles),
            BracketList(&self.warp_dims),
            BracketList(&self.lane_dims),
            self.vector_dim
        )
    }
}
