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
    #[error("lane {} of {} is {}, expected {}", 1 << .number, operand_name(*.operand), format_point(*.found), expected_position(*.bit, *.expected))]
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
    #[error("{dim} {} of {} is {}, expected {} as in D", 1 << .number, operand_name(*.operand), format_point(*.found), format_point(*.expected))]
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
    #[error("no bit of the registers of {} is {}, where {} of the tile lies", operand_name(*.operand), format_point(*.expected), name(*.bit))]
    Register {
        /// Index of the operand: A (0), B (1), D (2), the scales of A (3) or the scales of B (4).
        operand: usize,
        /// Tile bit for which a register bit is missing.
        bit: TileBit,
        /// Coordinates to which the tile bit is mapped. No register bit of the operand has these coordinates.
        expected: Point,
    },
    /// A thread does not hold the tile of A or B that its tile of D needs.
    #[error("no register of {} begins the tile at {}, which D needs in the same thread", operand_name(*.operand), format_point(*.at))]
    Tile {
        /// Index of the operand: A or B.
        operand: usize,
        /// Coordinates of the first element of the missing tile.
        at: Point,
    },
    /// A bit of k is mapped to a coordinate that splits a block, which is a run of `1 << block_log2` elements along
    /// k that share one scale. A bit of k with an index below `block_log2` must be mapped to a coordinate less than
    /// the block size. A bit with a higher index must be mapped to a multiple of the block size.
    #[error("{} of the tile lies at k {found}, expected {}", name(*.bit), block_positions(*.bit, *.block_log2))]
    Block {
        /// Mismatching tile bit, which is a bit of k.
        bit: TileBit,
        /// Coordinate along k to which the mismatching bit is mapped.
        found: u64,
        /// log2 of the number of elements along k that share one scale.
        block_log2: u8,
    },
    /// The lanes whose products are summed into one element of D do not cover all values of k.
    #[error("the lanes that add up an element reach {found} values of k, expected {expected}")]
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
            format!("a multiple of {size}, the elements that have one scale")
        }
        _ => format!("less than {size}, the elements that have one scale"),
    }
}

/// Formats the nonzero coordinates of `at`, e.g. as `m 8 and k 2`. If all coordinates are 0, the text is `a copy`,
/// because the bit with these coordinates numbers replicas.
fn format_point(at: Point) -> String {
    let named = ["matrix", "m", "n", "k"].into_iter().zip(at);
    let parts: Vec<String> = named
        .filter(|(_, value)| *value != 0)
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    match parts.as_slice() {
        [] => "a copy".to_owned(),
        parts => parts.join(" and "),
    }
}

/// Formats a tile bit, e.g. as `m 8`.
fn name(bit: TileBit) -> String {
    let mut at = [0; 4];
    match bit {
        TileBit::M(bit) => at[M] = 1 << bit,
        TileBit::N(bit) => at[N] = 1 << bit,
        TileBit::K(bit) => at[K] = 1 << bit,
        TileBit::Copy => {}
    }
    format_point(at)
}

/// Returns a description of the coordinates that an operand must have at the lane bit to which the instruction
/// assigns the tile bit `bit`. If the tile bit is already mapped to coordinates, `known` contains these
/// coordinates.
fn expected_position(bit: TileBit, known: Option<Point>) -> String {
    match (bit, known) {
        (TileBit::Copy, _) => name(bit),
        (_, Some(at)) => format!("{}, where {} of the tile lies", format_point(at), name(bit)),
        (TileBit::M(_), None) => "a bit of m".to_owned(),
        (TileBit::N(_), None) => "a bit of n".to_owned(),
        (TileBit::K(_), None) => "a bit of k".to_owned(),
    }
}
