//! `#iree_vector_ext.nested_layout`: layouts with five levels of tiles along each dim.

use core::fmt;

use super::CompilerLayoutError;
use super::columns::{IndexDigit, LayoutColumns, check_power, product};
use super::error::CompilerLayoutErrorKind;
use super::text::{AttributeParser, BracketList, check_entries};
use crate::layout::LinearLayout;

pub(super) const NAME: &str = "#iree_vector_ext.nested_layout<";

const FIELDS: [&str; 7] = [
    "subgroup_tile",
    "batch_tile",
    "outer_tile",
    "thread_tile",
    "element_tile",
    "subgroup_strides",
    "thread_strides",
];

/// Number of fields of a `nested_layout` that are tiles. They come before the strides.
const TILES: usize = 5;
const THREAD: usize = 3;

/// A layout of IREE's vector extensions.
///
/// The tensor index along each dim has five digits. From the slowest to the fastest, these are subgroup, batch,
/// outer, thread and element. The subgroup digit along dim `i` is `subgroup_id / subgroup_strides[i] %
/// subgroup_tile[i]`. The thread digit is computed in the same way from the thread number. Along a dim, a subgroup
/// or thread stride may be 0 only if the subgroup or thread tile is 1.
/// # Shape
/// A register number consists of the batch digits (the slowest), then the outer digits, then the element digits.
/// The digits of each kind are in row-major order of the dims. The strides and tiles determine the numbers of lanes
/// and warps.
///
/// # Source
/// `NestedLayoutAttr` of IREE, commit `010d7e2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NestedLayout {
    /// The values of each field: one list per field, in the order of `FIELDS`.
    fields: [Vec<u64>; 7],
}

impl NestedLayout {
    /// Returns the layout with these tiles and strides. The tiles are in the order subgroup, batch, outer, thread,
    /// element. Each list has one entry for each dim.
    ///
    /// # Errors
    /// Returns an error if the ranks differ, a tile is zero, or a stride is 0 and its tile is not 1.
    pub fn new(
        tiles: [Vec<u64>; 5],
        subgroup_strides: Vec<u64>,
        thread_strides: Vec<u64>,
    ) -> Result<Self, CompilerLayoutError> {
        let [subgroup, batch, outer, thread, element] = tiles;
        let layout = Self {
            fields: [
                subgroup,
                batch,
                outer,
                thread,
                element,
                subgroup_strides,
                thread_strides,
            ],
        };
        let rank = layout.rank();
        for (what, field) in FIELDS.iter().zip(&layout.fields) {
            if field.len() != rank {
                return Err(CompilerLayoutErrorKind::RankDiffers {
                    what,
                    found: field.len(),
                    expected: rank,
                }
                .into());
            }
        }
        for (field, tile) in FIELDS.iter().zip(&layout.fields[..TILES]) {
            check_entries(field, tile)?;
        }
        for (tile, strides) in [(0, TILES), (THREAD, TILES + 1)] {
            for dim in 0..rank {
                let (tile, stride) = (layout.fields[tile][dim], layout.fields[strides][dim]);
                if stride == 0 && tile != 1 {
                    return Err(CompilerLayoutErrorKind::NotDistributed {
                        what: FIELDS[strides],
                        dim,
                        tile,
                    }
                    .into());
                }
            }
        }
        Ok(layout)
    }

    pub(super) fn parse(parser: &mut AttributeParser<'_>) -> Result<Self, CompilerLayoutError> {
        let mut fields = parser
            .fields(
                FIELDS,
                "a `..._tile` of `subgroup`, `batch`, `outer`, `thread` or `element`, \
                 `subgroup_strides` or `thread_strides`",
            )?
            .into_iter()
            .zip(FIELDS);
        let mut next = || match fields.next() {
            Some((Some(field), _)) => Ok(field),
            Some((None, field)) => Err(CompilerLayoutError::from(
                CompilerLayoutErrorKind::Missing {
                    field,
                    needed_by: "#iree_vector_ext.nested_layout",
                },
            )),
            None => Ok(Vec::new()),
        };
        let tiles = [next()?, next()?, next()?, next()?, next()?];
        Self::new(tiles, next()?, next()?)
    }

    fn rank(&self) -> usize {
        self.fields[0].len()
    }

    /// Returns the shape of the tensor, which is the product of the tiles along each dim.
    ///
    /// # Errors
    /// Returns an error if a product is not below 2^62.
    pub fn shape(&self) -> Result<Vec<u64>, CompilerLayoutError> {
        (0..self.rank())
            .map(|dim| {
                let tiles = self.fields[..TILES].iter().map(|tile| tile[dim]);
                tiles.into_iter().try_fold(1, product)
            })
            .collect()
    }

    /// Returns the linear layout of a tensor of this shape.
    ///
    /// # Errors
    /// Returns an error in the same cases as
    /// [`CompilerLayout::to_linear_layout`](super::CompilerLayout::to_linear_layout).
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, CompilerLayoutError> {
        let rank = self.rank();
        if shape.len() != rank {
            return Err(CompilerLayoutErrorKind::RankDiffers {
                what: "the tensor",
                found: shape.len(),
                expected: rank,
            }
            .into());
        }
        for (dim, (&extent, expected)) in shape.iter().zip(self.shape()?).enumerate() {
            if extent != expected {
                return Err(CompilerLayoutErrorKind::ExtentDiffers {
                    dim,
                    extent,
                    expected,
                }
                .into());
            }
        }
        let mut columns = LayoutColumns::new(shape)?;
        // One list for each level, the innermost level first.
        let mut weight = vec![1; rank];
        let mut digits: Vec<Vec<IndexDigit>> = Vec::new();
        for (what, tile) in FIELDS[..TILES].iter().zip(&self.fields).rev() {
            let mut level = Vec::new();
            for dim in 0..rank {
                check_power(what, dim, tile[dim])?;
                level.push(IndexDigit {
                    dim,
                    weight: weight[dim],
                    extent: tile[dim],
                });
                weight[dim] *= tile[dim];
            }
            digits.push(level);
        }
        let [element, thread, outer, batch, subgroup] = digits.as_slice() else {
            return Err(CompilerLayoutErrorKind::TooLarge.into());
        };
        let registers = [element, outer, batch];
        let fastest_first = registers.iter().flat_map(|level| level.iter().rev());
        columns.register = columns.of(fastest_first.copied());
        columns.lane = strided_columns(&columns, thread, FIELDS[6], &self.fields[6])?;
        columns.warp = strided_columns(&columns, subgroup, FIELDS[5], &self.fields[5])?;
        columns.into_layout()
    }
}

/// Returns one packed basis vector for each bit of a thread number or subgroup number. This number determines digit
/// `i` of the tensor index as `number / strides[i] % digits[i].extent`. `what` is the name of the strides in error
/// messages.
fn strided_columns(
    columns: &LayoutColumns,
    digits: &[IndexDigit],
    what: &'static str,
    strides: &[u64],
) -> Result<Vec<u64>, CompilerLayoutError> {
    let mut found: Vec<u64> = Vec::new();
    for (digit, &stride) in digits.iter().zip(strides) {
        if digit.extent == 1 {
            continue;
        }
        check_power(what, digit.dim, stride)?;
        product(stride, digit.extent)?;
        let first = stride.trailing_zeros() as usize;
        for (bit, column) in columns.of([*digit]).into_iter().enumerate() {
            if found.len() <= first + bit {
                found.resize(first + bit + 1, 0);
            }
            // Two dims may use the same bit of the number.
            found[first + bit] ^= column;
        }
    }
    Ok(found)
}

impl fmt::Display for NestedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)?;
        for (i, (name, field)) in FIELDS.iter().zip(&self.fields).enumerate() {
            let before = if i == 0 { "" } else { ", " };
            write!(f, "{before}{name} = {}", BracketList(field))?;
        }
        f.write_str(">")
    }
}
