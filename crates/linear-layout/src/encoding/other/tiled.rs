//! `#mosaic_gpu.TiledLayout`: a tensor tiled again and again, its dims dealt out to a warpgroup.

use core::fmt;

use super::CompilerLayoutError;
use super::columns::{Columns, Digit, check_power, product, quotient};
use super::error::Kind;
use super::text::{Cursor, List, check_entries};
use crate::layout::LinearLayout;

pub(super) const NAME: &str = "#mosaic_gpu.TiledLayout<";
const REPLICATED: &str = "#mosaic_gpu.Replicated<";

const WARPS: u64 = 4;
const LANES: u64 = 32;

/// The meaning of one part of a warp's or a lane's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TiledDim {
    /// The index along this dim of the tiled tensor, counted from the end: -1 is the last.
    Dim(i64),
    /// Nothing: so many hold the same.
    Replicated(u64),
}

/// The layout of JAX's Mosaic GPU.
///
/// Each tile divides the last dims of what the tiles before it made, and puts the index inside the tile
/// behind that of the tile: 128x128 tiled by (64, 8) is 2x16x64x8. Of the dims at the end, some are dealt
/// out to the 4 warps of a warpgroup, some to the 32 lanes of a warp, both from the slowest on, and one is a
/// vector of each thread; all others are registers.
/// # Shape
/// Registers: elements of a vector, then vectors in row-major order.
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

/// The dims of a tensor after tiles, by what a step along each is.
fn tiled(shape: &[u64], tiles: &[Vec<u64>]) -> Result<Vec<Digit>, CompilerLayoutError> {
    let whole = |(dim, extent): (usize, &u64)| Digit {
        dim,
        weight: 1,
        extent: *extent,
    };
    let mut dims: Vec<Digit> = shape.iter().enumerate().map(whole).collect();
    for tile in tiles {
        let Some(kept) = dims.len().checked_sub(tile.len()) else {
            return Err(Kind::RankTooSmall {
                found: dims.len(),
                least: tile.len(),
            }
            .into());
        };
        let split = dims.split_off(kept);
        let mut inside = Vec::new();
        for (digit, &extent) in split.into_iter().zip(tile) {
            dims.push(Digit {
                weight: product(digit.weight, extent)?,
                extent: quotient("its tile", digit.dim, digit.extent, extent)?,
                ..digit
            });
            inside.push(Digit { extent, ..digit });
        }
        dims.extend(inside);
    }
    Ok(dims)
}

impl TiledLayout {
    /// Returns the layout of these tiles and dims.
    ///
    /// # Errors
    /// When there is no tile or an extent is zero, a tile does not divide the one before it, a dim is not
    /// one that tiles made or is dealt out twice, or there are not 4 warps and 32 lanes.
    pub fn new(
        tiles: Vec<Vec<u64>>,
        warp_dims: Vec<TiledDim>,
        lane_dims: Vec<TiledDim>,
        vector_dim: i64,
    ) -> Result<Self, CompilerLayoutError> {
        let Some(first) = tiles.first() else {
            return Err(Kind::Missing {
                field: "tile",
                needed_by: "#mosaic_gpu.TiledLayout",
            }
            .into());
        };
        for tile in &tiles {
            check_entries("tile", tile)?;
        }
        let dims = tiled(first, &tiles)?;
        let rank = dims.len() - first.len();
        let mut taken: Vec<i64> = Vec::new();
        let mut take = |found: i64| {
            let place = usize::try_from(found.unsigned_abs()).unwrap_or(usize::MAX);
            if found >= 0 || place > rank {
                return Err(CompilerLayoutError::from(Kind::NoSuchTiledDim {
                    found,
                    rank,
                }));
            }
            if taken.contains(&found) {
                return Err(Kind::TiledDimTwice { found }.into());
            }
            taken.push(found);
            Ok(dims[dims.len() - place].extent)
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
                return Err(Kind::Count {
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

    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, CompilerLayoutError> {
        let tiles = cursor.list(Cursor::numbers)?;
        let dim = |cursor: &mut Cursor<'_>| {
            if !cursor.takes(REPLICATED) {
                let dim = cursor.number("a dim below 0, or `#mosaic_gpu.Replicated<`")?;
                return Ok(TiledDim::Dim(dim));
            }
            cursor.expect("times", "`times`")?;
            cursor.expect("=", "`=`")?;
            let times = cursor.number("a number of copies")?;
            cursor.expect(">", "`>`")?;
            Ok(TiledDim::Replicated(times))
        };
        cursor.expect(",", "`,`")?;
        cursor.expect("warp_dims", "`warp_dims`")?;
        cursor.expect("=", "`=`")?;
        let warp_dims = cursor.list(dim)?;
        cursor.expect(",", "`,`")?;
        cursor.expect("lane_dims", "`lane_dims`")?;
        cursor.expect("=", "`=`")?;
        let lane_dims = cursor.list(dim)?;
        cursor.expect(",", "`,`")?;
        cursor.expect("vector_dim", "`vector_dim`")?;
        cursor.expect("=", "`=`")?;
        let vector_dim = cursor.number("a dim below 0")?;
        cursor.expect(">", "`>`")?;
        Self::new(tiles, warp_dims, lane_dims, vector_dim)
    }

    /// Returns the linear layout; see [`CompilerLayout`](super::CompilerLayout::to_linear_layout).
    ///
    /// # Errors
    /// As there.
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, CompilerLayoutError> {
        let mut columns = Columns::new(shape)?;
        let mut dims = tiled(shape, &self.tiles)?;
        let len = dims.len();
        for digit in &dims {
            check_power("a tile", digit.dim, digit.extent)?;
        }
        let place = |dim: i64| len - usize::try_from(dim.unsigned_abs()).unwrap_or(len).min(len);
        let dealt = |list: &[TiledDim], dims: &mut [Digit]| {
            let mut found = Vec::new();
            for entry in list.iter().rev() {
                match *entry {
                    TiledDim::Dim(dim) => {
                        let digit = &mut dims[place(dim)];
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
        let warp = dealt(&self.warp_dims, &mut dims)?;
        let lane = dealt(&self.lane_dims, &mut dims)?;
        let vector = dealt(&[TiledDim::Dim(self.vector_dim)], &mut dims)?;
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
        let tiles: Vec<List<'_, u64>> = self.tiles.iter().map(|tile| List(tile)).collect();
        write!(
            f,
            "{NAME}{}, warp_dims = {}, lane_dims = {}, vector_dim = {}>",
            List(&tiles),
            List(&self.warp_dims),
            List(&self.lane_dims),
            self.vector_dim
        )
    }
}
