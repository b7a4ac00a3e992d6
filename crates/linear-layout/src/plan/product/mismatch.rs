//! Mismatches between an instruction and the layouts of a product.

use super::coordinates::{At, K, M, N};
use crate::layout::Dim;
use crate::target::TileBit;
use thiserror::Error;

/// The first contradiction between an instruction and the layouts of a product.
///
/// Operands are numbered A, B, D. Coordinates are those of the matrix, of m, n and k; a bit is named by what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// A bit of the lane addresses what the instruction's bit cannot stand for.
    #[error("lane {} of {} is {}, expected {}", 1 << .number, letter(*.operand), place(*.found), wanted(*.bit, *.expected))]
    Lane {
        /// A, B, D, or the scales of A or B.
        operand: usize,
        /// The bit of the lane number.
        number: usize,
        /// The bit of the tile that the instruction has there.
        bit: TileBit,
        /// What the layout has there.
        found: At,
        /// Where the bit of the tile lies by lanes that were looked at before.
        expected: Option<At>,
    },
    /// A bit of the warp, or of the lane where each lane multiplies alone, is not what D has there.
    #[error("{dim} {} of {} is {}, expected {} as in D", 1 << .number, letter(*.operand), place(*.found), place(*.expected))]
    Thread {
        /// A or B.
        operand: usize,
        /// Lane or warp.
        dim: Dim,
        /// The bit.
        number: usize,
        /// What the layout has there.
        found: At,
        /// What D has there, as far as the operand has its coordinates.
        expected: At,
    },
    /// No bit of the registers is where the tile's bit lies in another operand.
    #[error("no bit of the registers of {} is {}, where {} of the tile lies", letter(*.operand), place(*.expected), name(*.bit))]
    Register {
        /// A, B or D.
        operand: usize,
        /// The bit of the tile.
        bit: TileBit,
        /// The coordinate at which it lies.
        expected: At,
    },
    /// A thread has not the tile of a factor that its sum needs.
    #[error("no register of {} begins the tile at {}, which D needs in the same thread", letter(*.operand), place(*.at))]
    Tile {
        /// A or B.
        operand: usize,
        /// The coordinates at which the tile begins.
        at: At,
    },
    /// A bit of k leaves the block of elements that have one scale, or does not leave it.
    #[error("{} of the tile lies at k {found}, expected {}", name(*.bit), blocks(*.bit, *.block_log2))]
    Block {
        /// The bit of the tile.
        bit: TileBit,
        /// The coordinate at which it lies.
        found: u64,
        /// log2 of the elements of a block.
        block_log2: u8,
    },
    /// The lanes that add up a row hold only a part of it.
    #[error("the lanes that add up an element reach {found} values of k, expected {expected}")]
    Depth {
        /// How many they reach.
        found: u64,
        /// How many there are.
        expected: u64,
    },
}

const fn letter(operand: usize) -> &'static str {
    ["A", "B", "D", "the scales of A", "the scales of B"][operand]
}

/// Names the places that a bit of k may have.
fn blocks(bit: TileBit, block_log2: u8) -> String {
    let size = 1u64 << block_log2;
    match bit {
        TileBit::K(bit) if bit >= block_log2 => {
            format!("a multiple of {size}, the elements that have one scale")
        }
        _ => format!("less than {size}, the elements that have one scale"),
    }
}

/// `m 8 and k 2`.
fn place(at: At) -> String {
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

/// `m 8`.
fn name(bit: TileBit) -> String {
    let mut at = [0; 4];
    match bit {
        TileBit::M(bit) => at[M] = 1 << bit,
        TileBit::N(bit) => at[N] = 1 << bit,
        TileBit::K(bit) => at[K] = 1 << bit,
        TileBit::Copy => {}
    }
    place(at)
}

/// What a bit of the tile must be.
fn wanted(bit: TileBit, known: Option<At>) -> String {
    match (bit, known) {
        (TileBit::Copy, _) => name(bit),
        (_, Some(at)) => format!("{}, where {} of the tile lies", place(at), name(bit)),
        (TileBit::M(_), None) => "a bit of m".to_owned(),
        (TileBit::N(_), None) => "a bit of n".to_owned(),
        (TileBit::K(_), None) => "a bit of k".to_owned(),
    }
}
