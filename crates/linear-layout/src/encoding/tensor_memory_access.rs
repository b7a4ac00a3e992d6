//! Legality of `tcgen05.ld` and `tcgen05.st` for a register layout and a layout in tensor memory.

use crate::layout::{Dim, LayoutError, LinearLayout, RegisterPermutation, Surjectivity};
use thiserror::Error;

/// The reason why a tensor cannot be moved between registers and tensor memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The registers of one CTA hold elements that are stored in the tensor memory of another CTA.
    #[error(
        "register layout and tensor memory layout split the tensor over CTAs differently; expected equal splits"
    )]
    CrossesCtas,
    /// A warp accesses rows outside its quarter of tensor memory. Warp `w` can access only the 32 rows that start
    /// at row `32 * (w % 4)`.
    #[error(
        "a warp can access only one quarter of tensor memory; expected at least 4 warps, with warp 1 at row 32 \
         and warp 2 at row 64"
    )]
    WrongQuarter,
    /// The elements are narrower than 32 bits, but neither fill 32-bit columns completely nor have one column each.
    #[error(
        "elements narrower than 32 bits do not fill the columns; expected full columns, or one element per \
         column"
    )]
    NotPacked,
    /// No `tcgen05` instruction distributes the elements over lanes and registers as the register layout does.
    #[error(
        "no shape of `tcgen05.ld` distributes elements over lanes and registers as the register layout does"
    )]
    NoInstruction,
    /// The two layouts are not layouts of the same tensor.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Checks that `tcgen05.ld` and `tcgen05.st` can move a tensor between the layout `registers` and the layout
/// `memory`.
///
/// One instruction may use at most half of the `max_registers` registers of a thread.
///
/// # Shape
/// `registers` maps (register, lane, warp, block) -> (dim0, dim1), and `memory` maps (row, col, block) -> (dim0,
/// dim1).
/// # Units
/// `width_bits` is the width of an element, and `col` counts elements. A column of the hardware is 32 bits wide.
/// # Errors
/// Returns an error for the first hardware rule that the layouts break.
/// # Source
/// PTX ISA, "tcgen05 data movement shapes"; Triton's `computeTMemLdStEncodingInfo`.
pub fn check_access(
    registers: &LinearLayout,
    memory: &LinearLayout,
    width_bits: u32,
    max_registers: u64,
) -> Result<(), AccessError> {
    let moved = registers.invert_and_compose(memory)?;
    let moved = moved
        .quotient(&[Dim::BLOCK])
        .ok_or(AccessError::CrossesCtas)?;
    let quarters = registers.in_bits(Dim::WARP) >= 2
        && memory.in_bits(Dim::ROW) >= 7
        && (0..2).all(|bit| same_basis(registers, bit, memory, 5 + bit));
    if !quarters {
        return Err(AccessError::WrongQuarter);
    }
    fits(&with_quarters(&moved)?, width_bits, max_registers, false)
}

/// Returns true if bit `warp` of the warp number has the same basis in `registers` as bit `row` of the row number
/// in `memory`. Output dims are compared by name, because their order may differ between the layouts.
fn same_basis(registers: &LinearLayout, warp: usize, memory: &LinearLayout, row: usize) -> bool {
    registers.out_dims().all(|out| {
        registers.basis_component(Dim::WARP, warp, out)
            == memory.basis_component(Dim::ROW, row, out)
    })
}

/// Replaces the first two warp bases of `moved`, a map (register, lane, warp) -> (row, col), by steps of 32 and 64
/// rows. Warp `w` then starts at row `32 * (w % 4)`, which is the first row of its quarter of tensor memory.
fn with_quarters(moved: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    // The rows are the low bits, so that the packed basis of a row is the index of the row.
    let moved = moved.transpose_outs(&[Dim::ROW, Dim::COL])?;
    let first_warp: usize = moved
        .in_dims()
        .take_while(|dim| *dim != Dim::WARP)
        .map(|dim| moved.in_bits(dim))
        .sum();
    let mut columns = moved.columns().to_vec();
    columns[first_warp] = 32;
    columns[first_warp + 1] = 64;
    LinearLayout::from_columns(
        &moved.in_shape().collect::<Vec<_>>(),
        &moved.out_shape().collect::<Vec<_>>(),
        &columns,
        Surjectivity::NotRequired,
    )
}

fn fits(
    moved: &LinearLayout,
    width_bits: u32,
    max_registers: u64,
    unpacked: bool,
) -> Result<(), AccessError> {
    let moved = RegisterPermutation::removing_broadcast(moved, Dim::REGISTER)?.apply(moved)?;
    if width_bits >= 32 {
        return fits_words(&moved, max_registers, unpacked);
    }
    // Adjacent elements that together fill a column of 32 bits are packed.
    let mut packed = None;
    let mut count = 2u64;
    while u64::from(width_bits) * count <= 32 {
        let tile = LinearLayout::identity_1d(count, Dim::REGISTER, Dim::COL)?;
        let Ok(rest) = moved.divide_left(&tile) else {
            break;
        };
        packed = Some((rest, count));
        count *= 2;
    }
    if let Some((rest, count)) = packed {
        let width = width_bits * u32::try_from(count).unwrap_or(u32::MAX);
        return fits(&rest, width, max_registers, false);
    }
    // Otherwise, each element has a column of 32 bits, of which the remaining bits are unused.
    let per_column = u64::from(32 / width_bits);
    let gap = LinearLayout::zeros_1d(1, Dim::REGISTER, Dim::COL, per_column)?;
    let pair = gap.product(&LinearLayout::identity_1d(2, Dim::REGISTER, Dim::COL)?)?;
    let rest = moved
        .divide_left(&pair)
        .ok()
        .filter(|_| width_bits == 16)
        .or_else(|| moved.divide_left(&gap).ok())
        .ok_or(AccessError::NotPacked)?;
    let skips = width_bits == 16;
    let rest = if skips { gap.product(&rest)? } else { rest };
    fits(&rest, 32, max_registers, skips)
}

/// The instruction shapes `.32x32b`, `.16x256b`, `.16x64b`, `.16x128b` and `.16x32bx2` of `tcgen05`.
#[derive(Clone, Copy)]
enum MessageShape {
    X32,
    X256,
    X64,
    X128,
    X32Twice,
}

impl MessageShape {
    const ALL: [Self; 5] = [Self::X32, Self::X256, Self::X64, Self::X128, Self::X32Twice];

    /// Returns the layout (register, lane, warp) -> (row, col) of the elements that one instruction accesses. If
    /// `unpacked` is true, the instruction uses only even columns.
    fn tile(self, unpacked: bool) -> Result<LinearLayout, LayoutError> {
        let skipped = if unpacked { 2 } else { 1 };
        let identity = LinearLayout::identity_1d;
        let (r, l) = (Dim::REGISTER, Dim::LANE);
        let start = LinearLayout::zeros_1d(1, r, Dim::ROW, 1)?
            .product(&LinearLayout::zeros_1d(1, l, Dim::ROW, 1)?)?
            .product(&LinearLayout::zeros_1d(1, r, Dim::COL, skipped)?)?;
        let parts: Vec<LinearLayout> = match self {
            Self::X32 => vec![identity(32, l, Dim::ROW)?],
            Self::X32Twice => vec![identity(16, l, Dim::ROW)?],
            Self::X64 => vec![LinearLayout::from_bases_sized(
                &[(l, &[&[8, 0], &[0, 1], &[1, 0], &[2, 0], &[4, 0]])],
                &[(Dim::ROW, 16), (Dim::COL, 2)],
                Surjectivity::Required,
            )?],
            Self::X128 => vec![
                identity(4, l, Dim::COL)?,
                identity(8, l, Dim::ROW)?,
                identity(2, r, Dim::ROW)?,
            ],
            Self::X256 => vec![
                identity(2, r, Dim::COL)?,
                identity(4, l, Dim::COL)?,
                identity(8, l, Dim::ROW)?,
                identity(2, r, Dim::ROW)?,
            ],
        };
        let tile = parts
            .iter()
            .try_fold(start, |tile, part| tile.product(part))?;
        // Each warp has 32 rows. Some instructions cover only 16 rows at a time.
        let gap = LinearLayout::zeros_1d(1, l, Dim::ROW, 32 / tile.out_size(Dim::ROW))?;
        tile.product(&gap)?
            .product(&identity(4, Dim::WARP, Dim::ROW)?)
    }
}

fn fits_words(moved: &LinearLayout, max_registers: u64, unpacked: bool) -> Result<(), AccessError> {
    let most = max_registers / 2;
    for shape in MessageShape::ALL {
        let tile = shape.tile(unpacked)?;
        if tile.in_size(Dim::REGISTER) > most {
            continue;
        }
        let Some(order) = RegisterPermutation::for_division(moved, &tile, true)? else {
            continue;
        };
        if order.apply(moved)?.repetitions_of(&tile).is_ok() {
            return Ok(());
        }
    }
    Err(AccessError::NoInstruction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;

    fn check(
        registers: &str,
        memory: &str,
        shape: &[u64],
        width_bits: u32,
    ) -> Result<(), AccessError> {
        let layout = |text: &str| {
            let encoding: Encoding = text.parse().expect("an encoding");
            encoding.to_linear_layout(shape).expect("a layout")
        };
        check_access(&layout(registers), &layout(memory), width_bits, 256)
    }

    const ROWS: &str = "#ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>";
    const MEMORY: &str = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>";

    #[test]
    fn a_thread_may_hold_a_row() {
        assert_eq!(check(ROWS, MEMORY, &[128, 64], 32), Ok(()));
        assert_eq!(check(ROWS, MEMORY, &[128, 64], 16), Ok(()));
    }

    #[test]
    fn lanes_along_columns_fit_only_as_the_instruction_has_them() {
        let coalesced = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
        assert_eq!(
            check(coalesced, MEMORY, &[128, 64], 32),
            Err(AccessError::WrongQuarter)
        );
        let atom = "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0]], block = []}>";
        assert_eq!(check(atom, MEMORY, &[128, 64], 32), Ok(()));
        let swapped = "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>";
        assert_eq!(
            check(swapped, MEMORY, &[128, 64], 32),
            Err(AccessError::NoInstruction)
        );
    }

    #[test]
    fn narrow_elements_fill_columns_or_have_one_each() {
        let strided = |stride: u32| {
            format!("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = {stride}>")
        };
        assert_eq!(check(ROWS, &strided(2), &[128, 64], 16), Ok(()));
        assert_eq!(check(ROWS, &strided(4), &[128, 64], 8), Ok(()));
        assert_eq!(check(ROWS, &strided(1), &[128, 64], 8), Ok(()));
        // Two lanes hold the two halves of a column.
        let apart = "#ttg.linear<{register = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [16, 0]], lane = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[32, 0], [64, 0]], block = []}>";
        assert_eq!(
            check(apart, MEMORY, &[128, 64], 16),
            Err(AccessError::NotPacked)
        );
    }

    #[test]
    fn a_message_takes_half_of_the_registers() {
        let atom = "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0]], block = []}>";
        let layout = |text: &str| {
            let encoding: Encoding = text.parse().expect("an encoding");
            encoding.to_linear_layout(&[128, 64]).expect("a layout")
        };
        let (atom, memory) = (layout(atom), layout(MEMORY));
        let fits = |max_registers| check_access(&atom, &memory, 32, max_registers);
        assert_eq!([8, 24, 256].map(fits), [Ok(()), Ok(()), Ok(())]);
        assert_eq!(fits(7), Err(AccessError::NoInstruction));
    }

    #[test]
    fn fewer_than_four_warps_reach_too_little() {
        let two = "#ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [0, 1]}>";
        assert_eq!(
            check(two, MEMORY, &[128, 64], 32),
            Err(AccessError::WrongQuarter)
        );
    }
}
