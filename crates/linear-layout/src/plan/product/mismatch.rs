//! Mismatches between an instruction and the layouts of a product.

use super::coordinates::{K, M, N, Point};
use crate::layout::Dim;
use crate::target::TileBit;
use thiserror::Error;

/// The first mismatch between an instruction and the layouts of a product.
///
/// The fields number the operands in the order A, B, D. Coordinates are (matrix, m, n, k). Error messages show bit
/// `i` as its value `1 << i`: "lane 4" is lane bit 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// The tensor's layout maps a lane bit to coordinates that contradict the instruction's layout.
    #[error("{}", lane_text(*.operand, *.number, *.bit, *.found, *.expected))]
    Lane {
        /// Index of the operand: A (0), B (1), D (2), the scales of A (3) or the scales of B (4).
        operand: usize,
        /// Index of the mismatching lane bit.
        number: usize,
        /// Tile bit that the instruction assigns to this lane bit.
        bit: TileBit,
        /// Coordinates of the lane bit in the tensor's layout.
        found: Point,
        /// Coordinates to which the tile bit is already mapped. `None` if it is not mapped yet.
        expected: Option<Point>,
    },
    /// A warp bit of A, of B or of their scales has coordinates that differ from those of the same warp bit of D.
    /// If the product is computed by a multiply-add in each lane, the mismatching bit may also be a lane bit.
    #[error("{}", thread_text(*.operand, *.dim, *.number, *.found, *.expected))]
    Thread {
        /// Index of the operand: A (0), B (1), the scales of A (3) or the scales of B (4).
        operand: usize,
        /// Input dim of the mismatching bit: lane or warp.
        dim: Dim,
        /// Index of the mismatching bit within the input dim `dim`.
        number: usize,
        /// Coordinates of the mismatching bit in the layout of the operand.
        found: Point,
        /// Coordinates that the mismatching bit must have: those of the same bit in the layout of D, with 0 for
        /// each coordinate that the operand does not have.
        expected: Point,
    },
    /// An operand has no register bit with the coordinates to which a tile bit is mapped.
    #[error(
        "in {}, no register basis vector is {}, which the instruction requires for {} of the tile",
        operand_name(*.operand), format_point(*.operand, *.expected), name(*.bit)
    )]
    Register {
        /// Index of the operand: A (0), B (1), D (2), the scales of A (3) or the scales of B (4).
        operand: usize,
        /// Tile bit for which a register bit is missing.
        bit: TileBit,
        /// Coordinates to which the tile bit is mapped. No register bit of the operand has these coordinates.
        expected: Point,
    },
    /// A thread does not hold the tile of A or B that its tile of D needs.
    #[error(
        "in {}, no register starts a tile at {}, which D requires in the same thread",
        operand_name(*.operand), format_point(*.operand, *.at)
    )]
    Tile {
        /// Index of the operand: A or B.
        operand: usize,
        /// Coordinates of the first element of the missing tile.
        at: Point,
    },
    /// A bit of k is mapped to a coordinate that splits a block, which is a run of `1 << block_log2` elements along
    /// k that share one scale. A bit of k with an index below `block_log2` must be mapped to a coordinate less than
    /// the block size. A bit with a higher index must be mapped to a multiple of the block size.
    #[error(
        "{} of the instruction tile is mapped to k = {found}, expected {}",
        name(*.bit), block_positions(*.bit, *.block_log2)
    )]
    Block {
        /// Mismatching tile bit, which is a bit of k.
        bit: TileBit,
        /// Coordinate along k to which the mismatching bit is mapped.
        found: u64,
        /// log2 of the number of elements along k that share one scale.
        block_log2: u8,
    },
    /// The lanes whose products are summed into one element of D do not cover all values of k.
    #[error(
        "for one element of D, the lanes sum {found} products, expected one product for each of {expected} \
         values of k"
    )]
    Depth {
        /// Number of values of k that are held by the lanes whose products are summed into one element of D.
        found: u64,
        /// Number of values of k in the product, all of which the lanes must hold.
        expected: u64,
    },
}

const fn operand_name(operand: usize) -> &'static str {
    ["A", "B", "D", "the scales of A", "the scales of B"][operand]
}

/// Returns a description of the coordinates to which the tile bit `bit` of k may be mapped. If the index of the bit
/// is below `block_log2`, they are the coordinates less than the block size. Otherwise, they are the multiples of
/// the block size.
fn block_positions(bit: TileBit, block_log2: u8) -> String {
    let size = 1u64 << block_log2;
    match bit {
        TileBit::K(bit) if bit >= block_log2 => {
            format!("a multiple of {size}, the number of elements that share one scale")
        }
        _ => format!("less than {size}, the number of elements that share one scale"),
    }
}

/// Names of the coordinates (matrix, m, n, k).
const NAMES: [&str; 4] = ["batch", "m", "n", "k"];

/// Returns the indices of the coordinates that an operand has. The index of the matrix in a batch is included only if
/// `is_batched` is true.
fn dims(operand: usize, is_batched: bool) -> impl Iterator<Item = usize> {
    const DIMS: [[usize; 2]; 5] = [[M, K], [K, N], [M, N], [M, K], [N, K]];
    is_batched.then_some(0).into_iter().chain(DIMS[operand])
}

/// Formats the values of an operand's coordinates, e.g. as `(8, 2)`.
fn format_values(operand: usize, at: Point, is_batched: bool) -> String {
    let values: Vec<String> = dims(operand, is_batched)
        .map(|dim| at[dim].to_string())
        .collect();
    format!("({})", values.join(", "))
}

/// Formats the names and the values of an operand's coordinates, e.g. as `(m, k) = (8, 2)`.
fn format_named(operand: usize, at: Point, is_batched: bool) -> String {
    let names: Vec<&str> = dims(operand, is_batched).map(|dim| NAMES[dim]).collect();
    let values = format_values(operand, at, is_batched);
    format!("({}) = {values}", names.join(", "))
}

fn format_point(operand: usize, at: Point) -> String {
    format_named(operand, at, at[0] != 0)
}

/// Formats a tile bit, e.g. as `m = 8`.
fn name(bit: TileBit) -> String {
    match bit {
        TileBit::M(bit) => format!("m = {}", 1u64 << bit),
        TileBit::N(bit) => format!("n = {}", 1u64 << bit),
        TileBit::K(bit) => format!("k = {}", 1u64 << bit),
        TileBit::Copy => "a replica".to_owned(),
    }
}

/// Returns the text of [`Mismatch::Lane`]. If the tile bit is already mapped to coordinates, `expected` contains these
/// coordinates.
fn lane_text(
    operand: usize,
    number: usize,
    bit: TileBit,
    found: Point,
    expected: Option<Point>,
) -> String {
    let lane = 1u64 << number;
    let is_batched = found[0] != 0 || expected.is_some_and(|at| at[0] != 0);
    let values = |at| format_values(operand, at, is_batched);
    let only_along = |own: usize| {
        let others = dims(operand, is_batched).filter(|dim| *dim != own);
        let zeros: Vec<String> = others.map(|dim| format!("{} = 0", NAMES[dim])).collect();
        let zeros = zeros.join(" and ");
        format!(
            "{zeros}, because lanes 0 and {lane} of the instruction differ only in {}",
            NAMES[own]
        )
    };
    let expected = match (bit, expected) {
        (TileBit::Copy, _) | (_, Some([0, 0, 0, 0])) => {
            format!("{}, a replica of lane 0", values([0; 4]))
        }
        (_, Some(at)) => format!(
            "{}, which is {} in the instruction tile",
            values(at),
            name(bit)
        ),
        (TileBit::M(_), None) => only_along(M),
        (TileBit::N(_), None) => only_along(N),
        (TileBit::K(_), None) => only_along(K),
    };
    format!(
        "in {}, the first element of lane {lane} is {}, expected {expected}",
        operand_name(operand),
        format_named(operand, found, is_batched)
    )
}

/// Returns the text of [`Mismatch::Thread`].
fn thread_text(operand: usize, dim: Dim, number: usize, found: Point, expected: Point) -> String {
    let thread = format!("{dim} {}", 1u64 << number);
    let is_batched = found[0] != 0 || expected[0] != 0;
    // D has the coordinate m or n of the operand.
    let own = dims(operand, false)
        .find(|dim| *dim != K)
        .unwrap_or_default();
    format!(
        "in {}, the first element of {thread} is {}, expected {}, as {thread} of D has {} = {}",
        operand_name(operand),
        format_named(operand, found, is_batched),
        format_values(operand, expected, is_batched),
        NAMES[own],
        expected[own]
    )
}
