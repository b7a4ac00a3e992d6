//! `#xegpu.layout`: layouts that distribute tiles round-robin over subgroups and over lanes.

use core::fmt;

use super::CompilerLayoutError;
use super::columns::{IndexDigit, LayoutColumns, check_power, product, quotient};
use super::error::CompilerLayoutErrorKind;
use super::text::{AttributeParser, BracketList, check_entries};
use crate::layout::LinearLayout;

pub(super) const NAME: &str = "#xegpu.layout<";

const FIELDS: [&str; 6] = [
    "sg_layout",
    "sg_data",
    "inst_data",
    "lane_layout",
    "lane_data",
    "order",
];

/// A layout of MLIR's `XeGPU` dialect.
///
/// Tiles of shape `sg_data` are distributed round-robin over a grid of subgroups. The grid has the shape
/// `sg_layout`. If the tensor has fewer tiles along a dim than the grid has subgroups, subgroups hold copies. A
/// tile is divided into instructions of shape `inst_data`. In each instruction, pieces of shape `lane_data` are
/// distributed round-robin over a grid of lanes, which has the shape `lane_layout`. `order` lists the dims of both
/// grids, the fastest dim first. By default, the last dim is the fastest.
/// # Shape
/// The digits of a register number are, from the fastest on: the elements of a lane in one instruction (in
/// row-major order), the instructions of a tile, and the tiles of a subgroup.
///
/// # Source
/// `XeGPU_LayoutAttr` of MLIR 22.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XegpuLayout {
    /// The value of each field, or `None` if the field is omitted. The fields are in the order of `FIELDS`.
    fields: [Option<Vec<u64>>; 6],
    rank: usize,
}

/// The round-robin distribution of one dim over subgroups or over lanes.
struct Level {
    /// Number of subgroups or lanes along the dim. Consecutive pieces of `data` elements are assigned to them in
    /// turn.
    count: u64,
    data: u64,
}

impl XegpuLayout {
    /// Returns the layout with these fields. `None` means that the field is omitted.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - The fields have different numbers of entries.
    /// - An entry of a field other than `order` is zero.
    /// - Both `sg_layout` and `lane_layout` are omitted.
    /// - `sg_data` is given without `sg_layout`.
    /// - Only one of `lane_layout` and `lane_data` is given.
    /// - `order` is not a permutation of the dims.
    pub fn new(
        sg_layout: Option<Vec<u64>>,
        sg_data: Option<Vec<u64>>,
        inst_data: Option<Vec<u64>>,
        lane_layout: Option<Vec<u64>>,
        lane_data: Option<Vec<u64>>,
        order: Option<Vec<u64>>,
    ) -> Result<Self, CompilerLayoutError> {
        Self::of_fields([sg_layout, sg_data, inst_data, lane_layout, lane_data, order])
    }

    fn of_fields(fields: [Option<Vec<u64>>; 6]) -> Result<Self, CompilerLayoutError> {
        let [sg_layout, sg_data, _, lane_layout, lane_data, order] = &fields;
        for (data, layout, needed_by, field) in [
            (sg_data, sg_layout, FIELDS[1], FIELDS[0]),
            (lane_data, lane_layout, FIELDS[4], FIELDS[3]),
            // The size of the pieces would be unknown without `lane_data`.
            (lane_layout, lane_data, FIELDS[3], FIELDS[4]),
        ] {
            if data.is_some() && layout.is_none() {
                return Err(CompilerLayoutErrorKind::Missing { field, needed_by }.into());
            }
        }
        let Some(rank) = sg_layout.as_ref().or(lane_layout.as_ref()).map(Vec::len) else {
            return Err(CompilerLayoutErrorKind::Missing {
                field: "sg_layout` or `lane_layout",
                needed_by: "#xegpu.layout",
            }
            .into());
        };
        for (what, field) in FIELDS.iter().zip(&fields) {
            let Some(entries) = field else { continue };
            if entries.len() != rank {
                return Err(CompilerLayoutErrorKind::RankDiffers {
                    what,
                    found: entries.len(),
                    expected: rank,
                }
                .into());
            }
            if *what != FIELDS[5] {
                check_entries(what, entries)?;
            }
        }
        if let Some(order) = order {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..rank as u64) {
                return Err(CompilerLayoutErrorKind::NotPermutation {
                    order: order.clone(),
                }
                .into());
            }
        }
        Ok(Self { fields, rank })
    }

    pub(super) fn parse(parser: &mut AttributeParser<'_>) -> Result<Self, CompilerLayoutError> {
        Self::of_fields(parser.fields(
            FIELDS,
            "`sg_layout`, `sg_data`, `inst_data`, `lane_layout`, `lane_data` or `order`",
        )?)
    }

    /// Returns the dims in the order that both grids (of subgroups and of lanes) have, the fastest dim first.
    fn order(&self) -> Vec<usize> {
        match &self.fields[5] {
            // Each entry is below the rank.
            Some(order) => order
                .iter()
                .map(|dim| usize::try_from(*dim).unwrap_or_default())
                .collect(),
            None => (0..self.rank).rev().collect(),
        }
    }

    /// Returns the linear layout of a tensor of this shape.
    ///
    /// # Errors
    /// Returns an error in the same cases as
    /// [`CompilerLayout::to_linear_layout`](super::CompilerLayout::to_linear_layout).
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, CompilerLayoutError> {
        if shape.len() != self.rank {
            return Err(CompilerLayoutErrorKind::RankDiffers {
                what: "the tensor",
                found: shape.len(),
                expected: self.rank,
            }
            .into());
        }
        let mut columns = LayoutColumns::new(shape)?;
        let [sg_layout, sg_data, inst_data, lane_layout, lane_data, _] = &self.fields;
        let entry = |field: &Option<Vec<u64>>, dim: usize| field.as_ref().map(|f| f[dim]);
        let (mut subgroups, mut lanes) = (Vec::new(), Vec::new());
        let (mut pieces, mut rounds) = (Vec::new(), Vec::new());
        let (mut instructions, mut tiles) = (Vec::new(), Vec::new());
        for (dim, &extent) in shape.iter().enumerate() {
            for (what, field) in FIELDS[..5].iter().zip(&self.fields) {
                if let Some(value) = entry(field, dim) {
                    check_power(what, dim, value)?;
                }
            }
            let count = entry(sg_layout, dim).unwrap_or(1);
            let data = match entry(sg_data, dim) {
                Some(data) => data,
                None => quotient("sg_layout", dim, extent, count)?,
            };
            quotient("sg_data", dim, extent, data)?;
            let sg = Level { count, data };
            let round = product(sg.count, sg.data)?;
            subgroups.push(IndexDigit {
                dim,
                weight: sg.data,
                extent: sg.count,
            });
            tiles.push(IndexDigit {
                dim,
                weight: round,
                // If a round is larger than the tensor, subgroups hold copies.
                extent: (extent / round).max(1),
            });
            let inst = entry(inst_data, dim).unwrap_or(sg.data);
            instructions.push(IndexDigit {
                dim,
                weight: inst,
                extent: quotient("inst_data", dim, sg.data, inst)?,
            });
            let lane = Level {
                count: entry(lane_layout, dim).unwrap_or(1),
                data: entry(lane_data, dim).unwrap_or(1),
            };
            let round = product(lane.count, lane.data)?;
            pieces.push(IndexDigit {
                dim,
                weight: 1,
                extent: lane.data,
            });
            lanes.push(IndexDigit {
                dim,
                weight: lane.data,
                extent: lane.count,
            });
            rounds.push(IndexDigit {
                dim,
                weight: round,
                extent: quotient("lane_layout times lane_data", dim, inst, round)?,
            });
        }
        let order = self.order();
        columns.lane = columns.of(order.iter().map(|dim| lanes[*dim]));
        columns.warp = columns.of(order.iter().map(|dim| subgroups[*dim]));
        let of_lane = (0..self.rank)
            .rev()
            .flat_map(|dim| [pieces[dim], rounds[dim]]);
        let rest = instructions.iter().rev().chain(tiles.iter().rev()).copied();
        columns.register = columns.of(of_lane.chain(rest));
        columns.into_layout()
    }
}

impl fmt::Display for XegpuLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)?;
        let given = FIELDS.iter().zip(&self.fields);
        let given = given.filter_map(|(name, field)| Some((name, field.as_ref()?)));
        for (i, (name, entries)) in given.enumerate() {
            let before = if i == 0 { "" } else { ", " };
            write!(f, "{before}{name} = {}", BracketList(entries))?;
        }
        f.write_str(">")
    }
}
