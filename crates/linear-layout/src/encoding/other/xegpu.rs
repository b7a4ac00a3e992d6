//! `#xegpu.layout`: tiles of subgroups, of instructions and of lanes, dealt out in turns.

use core::fmt;

use super::CompilerLayoutError;
use super::columns::{Columns, Digit, check_power, product, quotient};
use super::error::Kind;
use super::text::{Cursor, List, check_entries};
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

/// The layout of MLIR's `XeGPU` dialect.
///
/// Subgroups, arranged as `sg_layout`, take tiles of `sg_data` in turns until the tensor is dealt out;
/// where it is smaller than one turn, subgroups share. Inside a tile, instruction by instruction of
/// `inst_data`, lanes arranged as `lane_layout` take pieces of `lane_data` in turns. `order` says which dim
/// of both arrangements is the fastest in the number of a subgroup and a lane, from the first on; without
/// it the last dim is.
/// # Shape
/// Registers, the fastest first: what a lane has of one instruction, in row-major order, then the
/// instructions of a tile, then the tiles of a subgroup.
///
/// # Source
/// `XeGPU_LayoutAttr` of MLIR 22.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XegpuLayout {
    /// In the order of `FIELDS`.
    fields: [Option<Vec<u64>>; 6],
    rank: usize,
}

/// One level of tiles along a dim.
struct Level {
    /// How many there are beside each other, and how large one is.
    count: u64,
    data: u64,
}

impl XegpuLayout {
    /// Returns the layout with these fields, each `None` where it is left out.
    ///
    /// # Errors
    /// When the ranks differ, an entry is zero, data are given without their layout, neither layout is
    /// given, or the order does not name each dim once.
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
            // A layout without data is of pieces of an unknown size.
            (lane_layout, lane_data, FIELDS[3], FIELDS[4]),
        ] {
            if data.is_some() && layout.is_none() {
                return Err(Kind::Missing { field, needed_by }.into());
            }
        }
        let Some(rank) = sg_layout.as_ref().or(lane_layout.as_ref()).map(Vec::len) else {
            return Err(Kind::Missing {
                field: FIELDS[3],
                needed_by: "#xegpu.layout",
            }
            .into());
        };
        for (what, field) in FIELDS.iter().zip(&fields) {
            let Some(entries) = field else { continue };
            if entries.len() != rank {
                return Err(Kind::RankDiffers {
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
                return Err(Kind::NotPermutation {
                    order: order.clone(),
                }
                .into());
            }
        }
        Ok(Self { fields, rank })
    }

    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, CompilerLayoutError> {
        Self::of_fields(cursor.fields(
            FIELDS,
            "`sg_layout`, `sg_data`, `inst_data`, `lane_layout`, `lane_data` or `order`",
        )?)
    }

    /// The dims of the arrangements, the fastest first.
    fn order(&self) -> Vec<usize> {
        match &self.fields[5] {
            // Each is below the rank.
            Some(order) => order
                .iter()
                .map(|dim| usize::try_from(*dim).unwrap_or_default())
                .collect(),
            None => (0..self.rank).rev().collect(),
        }
    }

    /// Returns the linear layout; see [`CompilerLayout`](super::CompilerLayout::to_linear_layout).
    ///
    /// # Errors
    /// As there.
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, CompilerLayoutError> {
        if shape.len() != self.rank {
            return Err(Kind::RankDiffers {
                what: "the tensor",
                found: shape.len(),
                expected: self.rank,
            }
            .into());
        }
        let mut columns = Columns::new(shape)?;
        let [sg_layout, sg_data, inst_data, lane_layout, lane_data, _] = &self.fields;
        let entry = |field: &Option<Vec<u64>>, dim: usize| field.as_ref().map(|f| f[dim]);
        let (mut subgroups, mut lanes) = (Vec::new(), Vec::new());
        // How often each of the three kinds of turns goes, the pieces themselves, and their steps.
        let (mut pieces, mut turns) = (Vec::new(), Vec::new());
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
            let turn = product(sg.count, sg.data)?;
            subgroups.push(Digit {
                dim,
                weight: sg.data,
                extent: sg.count,
            });
            tiles.push(Digit {
                dim,
                weight: turn,
                // Where a turn is more than the tensor, subgroups share.
                extent: (extent / turn).max(1),
            });
            let inst = entry(inst_data, dim).unwrap_or(sg.data);
            instructions.push(Digit {
                dim,
                weight: inst,
                extent: quotient("inst_data", dim, sg.data, inst)?,
            });
            let lane = Level {
                count: entry(lane_layout, dim).unwrap_or(1),
                data: entry(lane_data, dim).unwrap_or(1),
            };
            let turn = product(lane.count, lane.data)?;
            pieces.push(Digit {
                dim,
                weight: 1,
                extent: lane.data,
            });
            lanes.push(Digit {
                dim,
                weight: lane.data,
                extent: lane.count,
            });
            turns.push(Digit {
                dim,
                weight: turn,
                extent: quotient("lane_layout times lane_data", dim, inst, turn)?,
            });
        }
        let order = self.order();
        columns.lane = columns.of(order.iter().map(|dim| lanes[*dim]));
        columns.warp = columns.of(order.iter().map(|dim| subgroups[*dim]));
        let of_lane = (0..self.rank)
            .rev()
            .flat_map(|dim| [pieces[dim], turns[dim]]);
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
            write!(f, "{before}{name} = {}", List(entries))?;
        }
        f.write_str(">")
    }
}
