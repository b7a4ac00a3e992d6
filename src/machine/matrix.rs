//! Which lane holds what of a matrix of 8 rows of 16 bytes.
//!
//! # Source
//! PTX ISA, `ldmatrix` and `stmatrix`, the figures of the fragments of 8x8 matrices.

use crate::plan::memory::{Form, MemoryPlan};

/// Bytes of the word that a lane holds of a matrix.
pub(super) const WORD_BYTES: u32 = 4;
/// Rows of a matrix.
pub(super) const ROWS: u32 = 8;
/// Bytes of a row.
pub(super) const ROW_BYTES: u32 = 16;

/// The row and the byte within it of byte `byte` of the word that a lane holds.
pub(super) const fn cell(lane: u32, byte: u32, transposed: bool) -> (u32, u32) {
    let (major, minor) = (lane / 4, lane % 4);
    if transposed {
        (2 * minor + byte / 2, 2 * major + byte % 2)
    } else {
        (major, 4 * minor + byte)
    }
}

/// The lane that holds a byte of a row, and which byte of its word: the inverse of [`cell`], not transposed.
pub(super) const fn holder(row: u32, byte: u32) -> (u32, u32) {
    (4 * row + byte / WORD_BYTES, byte % WORD_BYTES)
}

/// Where a register of a thread, lane and warp, lies in a view at a position.
pub(super) fn address_of(plan: &MemoryPlan, register: usize, thread: [u64; 2], view: u64) -> u64 {
    let (access, slot) = plan.held()[register];
    let byte = u64::from(slot) * plan.place().element_bytes();
    let address = |lane| plan.address(access as usize, [lane, thread[1]], view);
    let Form::Matrices { transposed } = plan.form() else {
        return address(thread[0]) + byte;
    };
    let (matrix, byte) = (byte as u32 / WORD_BYTES, byte as u32 % WORD_BYTES);
    let (row, column) = cell(thread[0] as u32, byte, transposed);
    address(u64::from(ROWS * matrix + row)) + u64::from(column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::memory::Place;
    use crate::target::{Access, Target};
    use std::collections::HashMap;

    const SHAPE: [u64; 2] = [64, 64];

    const BUFFERS: [&str; 4] = [
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
        "#ttg.padded_shared<[64:+16] {order = [1, 0], shape = [64, 64]}>",
    ];

    const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";

    fn layouts() -> [String; 3] {
        let operand =
            |index| format!("#ttg.dot_op<{{opIdx = {index}, parent = {MMA}, kWidth = 2}}>");
        [MMA.to_owned(), operand(0), operand(1)]
    }

    fn layout(text: &str) -> LinearLayout {
        let encoding: Encoding = text.parse().unwrap();
        encoding.to_surjective_layout(&SHAPE).unwrap()
    }

    fn place(text: &str, bits: u32) -> Place {
        let encoding: Encoding = text.parse().unwrap();
        let layout = encoding.to_surjective_layout(&SHAPE).unwrap();
        Place::new(layout, encoding.interval_paddings(), bits).unwrap()
    }

    fn form(buffer: &str, registers: &str, bits: u32, access: Access, target: &str) -> Form {
        let (registers, place) = (layout(registers), place(buffer, bits));
        let registers = registers.remove_zero_bases(Dim::REGISTER).unwrap();
        let target = Target::parse(target).unwrap();
        let plan = MemoryPlan::of_warps(&registers, &place, 0, access, target).unwrap();
        plan.form()
    }

    /// What tensor cores take and give is laid out for matrices; rows along the other dim are transposed ones.
    #[test]
    fn tensor_cores_take_matrices() {
        let [result, a, b] = layouts();
        let plain = Form::Matrices { transposed: false };
        let transposed = Form::Matrices { transposed: true };
        let load = |buffer: usize, registers: &str| {
            form(BUFFERS[buffer], registers, 16, Access::Load, "cuda:90")
        };
        assert_eq!(
            [0, 1, 2, 3].map(|i| load(i, &a)),
            [plain, transposed, plain, plain]
        );
        assert_eq!([0, 1].map(|i| load(i, &b)), [transposed, plain]);
        let store = |target| form(BUFFERS[0], &result, 16, Access::Store, target);
        assert_eq!([store("cuda:90"), store("cuda:80")], [plain, Form::Own]);
        // Two 32-bit elements of a row are no word.
        let wide = |target| form(BUFFERS[0], &result, 32, Access::Store, target);
        assert_eq!(wide("cuda:90"), Form::Own);
    }

    #[test]
    fn every_register_of_a_matrix_is_at_its_element() {
        let target = Target::parse("cuda:90").unwrap();
        let mut matrices = 0;
        for buffer in BUFFERS {
            for bits in [8, 16, 32] {
                let place = place(buffer, bits);
                let mut addresses = HashMap::new();
                for packed in 0..1u64 << place.layout().columns().len() {
                    let coords = place.layout().unpack(place.layout().apply_packed(packed));
                    let address = place.padded(packed * place.element_bytes());
                    addresses.insert(coords.to_vec(), address);
                }
                for text in layouts() {
                    let registers = layout(&text).remove_zero_bases(Dim::REGISTER).unwrap();
                    for access in [Access::Load, Access::Store] {
                        let plan =
                            MemoryPlan::of_warps(&registers, &place, 0, access, target).unwrap();
                        matrices += u32::from(plan.form() != Form::Own);
                        for register in 0..plan.held().len() {
                            for thread in 0..128 {
                                let at = [thread & 31, thread >> 5];
                                let point = [
                                    (Dim::REGISTER, register as u64),
                                    (Dim::LANE, at[0]),
                                    (Dim::WARP, at[1]),
                                    (Dim::BLOCK, 0),
                                ];
                                let coords = registers.apply(&point).unwrap().to_vec();
                                let found = address_of(&plan, register, at, 0);
                                assert_eq!(
                                    found, addresses[&coords],
                                    "{buffer} {text} {bits} {point:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
        assert!(matrices > 20, "{matrices}");
    }
}
