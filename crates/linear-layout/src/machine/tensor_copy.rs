//! Verification of TMA copies: compares the bytes written with the layout of a buffer, element by element.
//!
//! # Source
//! PTX ISA, "Tensors: swizzling modes". A box is stored row by row, with its first coordinate outermost. A swizzle over
//! `u` units of 16 bytes XORs the log2(u) address bits from bit 4 with the bits from bit 7.

use crate::f2::apply_columns;
use crate::number::narrow;
use crate::plan::memory::{BufferLayout, MemoryError};
use crate::plan::tensor_copy::{BoxCopy, TensorBox};
use thiserror::Error;

/// The error for box copies that do not fill a buffer as its layout prescribes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct TensorCopyFault(#[from] TensorCopyFaultKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum TensorCopyFaultKind {
    #[error(
        "the copies write element {element:?} to byte {found} of the buffer, expected byte {expected}"
    )]
    Element {
        element: Vec<u64>,
        found: u64,
        expected: u64,
    },
    #[error(
        "the boxes copy {found} bytes in total, expected {expected} bytes, the size of the buffer"
    )]
    Bytes { found: u64, expected: u64 },
    #[error("two boxes write byte {at} of the buffer, expected disjoint boxes")]
    Overlap { at: u64 },
    #[error(
        "the buffer has padding, which a box cannot describe; expected a buffer without padding"
    )]
    Padding,
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// Checks that the box copies fill a buffer as its layout `place` prescribes.
///
/// # Errors
/// Returns an error for the first element that is written to a wrong byte, for the first byte that two boxes write,
/// and if the total size of the boxes differs from the size of the buffer. Also returns an error if the buffer has
/// padding.
pub fn check_tensor_copy(
    copies: &[BoxCopy],
    tensor_box: &TensorBox,
    place: &BufferLayout,
) -> Result<(), TensorCopyFault> {
    check(copies, tensor_box, place).map_err(TensorCopyFault)
}

fn check(
    copies: &[BoxCopy],
    tensor_box: &TensorBox,
    place: &BufferLayout,
) -> Result<(), TensorCopyFaultKind> {
    if !place.paddings().is_empty() {
        return Err(TensorCopyFaultKind::Padding);
    }
    let steps = place.steps()?;
    let elements: u64 = tensor_box.sizes.iter().product();
    let bytes = elements * place.element_bytes();
    // As many elements as the buffer has, each at its byte and no byte twice, fill the buffer.
    let found = bytes * copies.len() as u64;
    let expected = place.size_bytes(1);
    if found != expected {
        return Err(TensorCopyFaultKind::Bytes { found, expected });
    }
    let mut written = vec![false; narrow(expected / place.element_bytes())];
    for copy in copies {
        for number in 0..elements {
            let mut rest = number;
            let mut element = copy.coordinates.clone();
            for (coordinate, size) in element.iter_mut().zip(&tensor_box.sizes).rev() {
                *coordinate += rest % size;
                rest /= size;
            }
            let landed = copy.position + number * place.element_bytes();
            let found = swizzled(landed, tensor_box.swizzle_bytes);
            let expected = steps
                .iter()
                .zip(&element)
                .fold(0, |at, (steps, c)| at ^ apply_columns(steps, *c));
            if found != expected {
                return Err(TensorCopyFaultKind::Element {
                    element,
                    found,
                    expected,
                });
            }
            let is_written = &mut written[narrow::<usize>(found / place.element_bytes())];
            if std::mem::replace(is_written, true) {
                return Err(TensorCopyFaultKind::Overlap { at: found });
            }
        }
    }
    Ok(())
}

const fn swizzled(address: u64, swizzle_bytes: u32) -> u64 {
    let units = match swizzle_bytes {
        0 => 1,
        bytes => bytes as u64 / 16,
    };
    address ^ ((address >> 7) & (units - 1)) << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{CgaLayout, NvmmaSharedEncoding};
    use crate::plan::tensor_copy::{CopyRound, distribute_copies, plan_tensor_copy};

    fn every(mut check: impl FnMut(&BufferLayout, &TensorBox, &[BoxCopy])) {
        let shapes: [&[u64]; 5] = [&[64, 128], &[8, 64], &[256, 256], &[2, 64, 128], &[512, 32]];
        let mut count = 0;
        for swizzle in [0, 32, 64, 128] {
            for bits in [8, 16, 32] {
                for shape in shapes {
                    let cga = CgaLayout::single(shape.len()).unwrap();
                    let encoding = NvmmaSharedEncoding::new(swizzle, false, bits, false, cga);
                    let encoding = encoding.unwrap();
                    let Ok(tensor_box) = encoding.tensor_box(shape) else {
                        continue;
                    };
                    let Ok(layout) =
                        crate::encoding::Encoding::from(encoding).to_surjective_layout(shape)
                    else {
                        continue;
                    };
                    let place = BufferLayout::new(layout, &[], bits).unwrap();
                    let copies = plan_tensor_copy(&place, &tensor_box).unwrap();
                    check(&place, &tensor_box, &copies);
                    count += 1;
                }
            }
        }
        assert!(count > 40, "{count}");
    }

    #[test]
    fn a_byte_is_written_once() {
        every(|place, tensor_box, copies| {
            let twice = vec![copies[0].clone(); copies.len()];
            let error = check_tensor_copy(&twice, tensor_box, place);
            assert_eq!(error.is_err(), copies.len() > 1, "{twice:?}");
        });
    }

    #[test]
    fn boxes_match_the_layout() {
        every(|place, tensor_box, copies| {
            check_tensor_copy(copies, tensor_box, place)
                .unwrap_or_else(|e| panic!("{tensor_box:?}, {copies:?}: {e}"));
        });
    }

    #[test]
    fn rounds_have_all_copies() {
        let mut most = 0;
        every(|_, _, copies| {
            for warps in [1, 2, 3, 4, 8] {
                let rounds = distribute_copies(copies, warps);
                let of_rounds: Vec<BoxCopy> = rounds.iter().flat_map(CopyRound::copies).collect();
                assert_eq!(of_rounds, copies);
                assert!(
                    rounds
                        .iter()
                        .all(|round| (1..=warps).contains(&round.warps))
                );
                most = most.max(rounds[0].warps);
            }
        });
        assert_eq!(most, 8);
        // Rows of boxes are not equally spaced: each is a round.
        let copy = |row: u64, column: u64| BoxCopy {
            coordinates: vec![256 * row, 64 * column],
            position: 65536 * row + 32768 * column,
        };
        let grid: Vec<BoxCopy> = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(row, column)| copy(row, column))
            .into();
        let warps = |round: &CopyRound| round.warps;
        let rounds: Vec<u32> = distribute_copies(&grid, 4).iter().map(warps).collect();
        assert_eq!(rounds, [2, 2]);
    }

    #[test]
    fn broken_copies_are_found() {
        every(|place, tensor_box, copies| {
            let mut moved = copies.to_vec();
            moved[0].position ^= 128;
            let mut elsewhere = copies.to_vec();
            elsewhere[0].coordinates[0] ^= 1;
            for broken in [&moved[..], &elsewhere, &copies[1..]] {
                assert!(check_tensor_copy(broken, tensor_box, place).is_err());
            }
            let swizzled = TensorBox {
                swizzle_bytes: match tensor_box.swizzle_bytes {
                    64 => 32,
                    128 => 64,
                    _ => 128,
                },
                ..tensor_box.clone()
            };
            let bytes = place.element_bytes() * tensor_box.sizes.iter().product::<u64>();
            // 1024 bytes use all address bits that a swizzle reads.
            if bytes >= 1024 {
                assert!(check_tensor_copy(copies, &swizzled, place).is_err());
            }
        });
    }
}
