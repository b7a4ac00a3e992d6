//! Matrix fragments: the distribution of rows over lanes by warp-wide matrix loads and stores.
//!
//! The formulas use quotients and remainders, independently of the planner's bit tables in `target`. Tests compare the
//! two.
//!
//! # Source
//! PTX ISA, fragment figures of `ldmatrix` and `stmatrix`; for AMD's transposing loads, the parameters in Triton.

use crate::target::Fragment;

/// Size in bytes of a word that matrix instructions move.
pub const WORD_BYTES: u32 = 4;

/// The sizes that describe a matrix fragment.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of rows in memory.
    pub rows: u32,
    /// Size of a row in memory, in bytes.
    pub row_bytes: u32,
    /// Number of bytes that each lane holds.
    pub lane_bytes: u32,
    /// Number of consecutive bytes of a row that stay together in one lane.
    pub unit_bytes: u32,
    /// Number of lanes that supply or receive data.
    pub lanes: u32,
}

/// Returns the sizes that describe `fragment`.
pub const fn size(fragment: Fragment) -> Size {
    use Fragment as F;
    let (rows, row_bytes, lane_bytes, unit_bytes) = match fragment {
        F::Plain => (8, 16, 4, 4),
        F::Transposed => (8, 16, 4, 2),
        F::StoredBytes => (8, 16, 4, 1),
        F::LoadedBytes => (16, 16, 8, 1),
        F::Read16 => (64, 8, 8, 2),
        F::Read8 => (64, 8, 8, 1),
        F::Load16 => (32, 16, 16, 2),
        F::Load8 => (32, 8, 8, 1),
    };
    Size {
        rows,
        row_bytes,
        lane_bytes,
        unit_bytes,
        lanes: if rows == 64 { 64 } else { 32 },
    }
}

/// Returns the position in memory that a register byte has, as `(row, byte within the row)`.
///
/// `byte` is the index of the byte within the registers of lane `lane`.
pub const fn cell(lane: u32, byte: u32, fragment: Fragment) -> (u32, u32) {
    use Fragment as F;
    let (unit, low) = (byte / 2, byte % 2);
    match fragment {
        F::Plain => (lane / 4, 4 * (lane % 4) + byte),
        F::Transposed => (2 * (lane % 4) + unit, 2 * (lane / 4) + low),
        F::LoadedBytes => (4 * (lane % 4) + byte % 4, lane / 4 + 8 * (byte / 4)),
        F::StoredBytes => (2 * (lane % 4) + low, lane / 4 + 8 * unit),
        F::Read16 => (
            lane / 4 % 4 + 4 * unit + 16 * (lane / 16),
            2 * (lane % 4) + low,
        ),
        F::Read8 => (lane / 8 % 2 + 2 * byte + 16 * (lane / 16), lane % 8),
        F::Load16 => (unit + 8 * (lane / 8), 2 * (lane % 8) + low),
        F::Load8 => (
            byte % 4 + 4 * (lane / 8 % 2) + 8 * (byte / 4) + 16 * (lane / 16),
            lane % 8,
        ),
    }
}

/// Returns the lane that holds a byte of a fragment of kind `Fragment::Plain`, as
/// `(lane, byte within the lane's word)`.
///
/// `row` and `byte` are the position of the byte in memory: its row, and its index within this row.
pub const fn holder(row: u32, byte: u32) -> (u32, u32) {
    (4 * row + byte / WORD_BYTES, byte % WORD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::memory::{AccessForm, BufferLayout, MemoryPlan};
    use crate::target::{Access, Target};
    use std::collections::HashMap;

    fn address_of(plan: &MemoryPlan, register: usize, thread: [u64; 2], view: u64) -> u64 {
        let (access, slot) = plan.locations()[register];
        let byte = u64::from(slot) * plan.buffer().element_bytes();
        let address = |lane| plan.address(access as usize, [lane, thread[1]], view);
        let AccessForm::Matrices(fragment) = plan.form() else {
            return address(thread[0]) + byte;
        };
        let size = size(fragment);
        let (matrix, byte) = (byte as u32 / size.lane_bytes, byte as u32 % size.lane_bytes);
        let (row, column) = cell(thread[0] as u32, byte, fragment);
        address(u64::from(size.rows * matrix + row)) + u64::from(column)
    }

    const SHAPE: [u64; 2] = [64, 64];

    const BUFFERS: [&str; 4] = [
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
        "#ttg.padded_shared<[64:+16] {order = [1, 0], shape = [64, 64]}>",
    ];

    const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    const MFMA: &str = "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true}>";
    const WMMA: &str = "#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [0, 1]]}, instrShape = [16, 16, 32]}>";

    fn layouts(result: &str, k_width: u32) -> [String; 3] {
        let operand = |index| {
            format!("#ttg.dot_op<{{opIdx = {index}, parent = {result}, kWidth = {k_width}}}>")
        };
        [result.to_owned(), operand(0), operand(1)]
    }

    fn layout(text: &str) -> LinearLayout {
        let encoding: Encoding = text.parse().unwrap();
        encoding.to_surjective_layout(&SHAPE).unwrap()
    }

    fn place(text: &str, bits: u32) -> BufferLayout {
        let encoding: Encoding = text.parse().unwrap();
        let layout = encoding.to_surjective_layout(&SHAPE).unwrap();
        BufferLayout::new(layout, encoding.interval_paddings(), bits).unwrap()
    }

    fn form(buffer: &str, registers: &str, bits: u32, access: Access, target: &str) -> AccessForm {
        let (registers, place) = (layout(registers), place(buffer, bits));
        let registers = registers.remove_zero_bases(Dim::REGISTER).unwrap();
        let target = Target::parse(target).unwrap();
        let plan = MemoryPlan::of_warps(&registers, &place, 0, access, target).unwrap();
        plan.form()
    }

    /// Checks that matrix instructions access the buffers of 16-bit tensor-core operands and results. Such an
    /// instruction transposes the matrix if the buffer is not contiguous along the dimension along which a lane
    /// holds adjacent elements.
    ///
    /// Stores on a GPU without matrix stores, and stores of 32-bit elements, are per-lane accesses.
    #[test]
    fn tensor_cores_take_matrices() {
        let [result, a, b] = layouts(MMA, 2);
        let plain = AccessForm::Matrices(Fragment::Plain);
        let transposed = AccessForm::Matrices(Fragment::Transposed);
        let load = |buffer: usize, registers: &str| {
            form(BUFFERS[buffer], registers, 16, Access::Load, "cuda:90")
        };
        assert_eq!(
            [0, 1, 2, 3].map(|i| load(i, &a)),
            [plain, transposed, plain, plain]
        );
        assert_eq!([0, 1].map(|i| load(i, &b)), [transposed, plain]);
        let store = |target| form(BUFFERS[0], &result, 16, Access::Store, target);
        assert_eq!(
            [store("cuda:90"), store("cuda:80")],
            [plain, AccessForm::PerLane]
        );
        // Two 32-bit elements of a row do not form a word of a matrix.
        let wide = |target| form(BUFFERS[0], &result, 32, Access::Store, target);
        assert_eq!(wide("cuda:90"), AccessForm::PerLane);
    }

    /// Checks that columns are read by AMD's transposing loads, or by NVIDIA's matrix instructions for bytes, on
    /// GPUs that have such instructions. On other GPUs, each element is accessed separately.
    #[test]
    fn columns_are_read_as_each_gpu_can() {
        let columns = |target: &str, result: &str, k_width: u32, bits: u32| {
            let [_, left, _] = layouts(result, k_width);
            form(BUFFERS[1], &left, bits, Access::Load, target)
        };
        let as_columns = [
            ("hip:gfx950", MFMA, 8, 16, Fragment::Read16),
            ("hip:gfx950", MFMA, 16, 8, Fragment::Read8),
            ("hip:gfx1250", WMMA, 8, 16, Fragment::Load16),
            ("hip:gfx1250", WMMA, 8, 8, Fragment::Load8),
            ("cuda:100", MMA, 4, 8, Fragment::LoadedBytes),
        ];
        for (target, result, k_width, bits, fragment) in as_columns {
            let found = columns(target, result, k_width, bits);
            assert_eq!(found, AccessForm::Matrices(fragment), "{target} {bits}");
        }
        assert_eq!(columns("hip:gfx942", MFMA, 8, 16), AccessForm::PerLane);
        assert_eq!(columns("cuda:90", MMA, 4, 8), AccessForm::PerLane);
        let [result, ..] = layouts(MMA, 4);
        let store = |target| form(BUFFERS[1], &result, 8, Access::Store, target);
        let turned = AccessForm::Matrices(Fragment::StoredBytes);
        assert_eq!(
            [store("cuda:100"), store("cuda:90")],
            [turned, AccessForm::PerLane]
        );
    }

    #[test]
    fn both_descriptions_of_fragments_agree() {
        use crate::target::BitSource;
        use Fragment as F;
        let all = [
            F::Plain,
            F::Transposed,
            F::LoadedBytes,
            F::StoredBytes,
            F::Read16,
            F::Read8,
            F::Load16,
            F::Load8,
        ];
        for fragment in all {
            let (deal, size) = (fragment.layout(), size(fragment));
            assert_eq!(
                (
                    deal.row_count(),
                    deal.row_bytes(),
                    deal.lane_bytes(),
                    deal.unit_bytes
                ),
                (size.rows, size.row_bytes, size.lane_bytes, size.unit_bytes),
                "{fragment:?}"
            );
            let mut seen = std::collections::HashSet::new();
            for lane in 0..size.lanes {
                for byte in 0..size.lane_bytes {
                    let unit = byte / deal.unit_bytes;
                    let mut units = (0..).map(|bit| unit >> bit & 1);
                    let mut number = |bits: &[BitSource]| {
                        let bit = |by: &BitSource| match by {
                            BitSource::Lane(bit) => lane >> bit & 1,
                            BitSource::Unit => units.next().unwrap(),
                        };
                        (0..)
                            .zip(bits.iter().map(bit))
                            .fold(0, |sum, (i, bit)| sum | bit << i)
                    };
                    let row = number(deal.rows);
                    let column = number(deal.within) * deal.unit_bytes + byte % deal.unit_bytes;
                    assert_eq!(
                        cell(lane, byte, fragment),
                        (row, column),
                        "{fragment:?} {lane} {byte}"
                    );
                    assert!(seen.insert((row, column)));
                }
            }
        }
    }

    #[test]
    fn every_register_of_a_matrix_is_at_its_element() {
        let mut found = std::collections::HashSet::new();
        let targets = [
            ("cuda:90", MMA),
            ("cuda:100", MMA),
            ("hip:gfx950", MFMA),
            ("hip:gfx1250", WMMA),
        ];
        for ((target, result), buffer) in targets.iter().flat_map(|t| BUFFERS.map(|b| (*t, b))) {
            let target = Target::parse(target).unwrap();
            let lanes_log2 = target.lanes_log2();
            for bits in [8, 16, 32] {
                let place = place(buffer, bits);
                let mut addresses = HashMap::new();
                for packed in 0..1u64 << place.layout().columns().len() {
                    let coords = place.layout().unpack(place.layout().apply_packed(packed));
                    let address = place.padded(packed * place.element_bytes());
                    addresses.insert(coords.to_vec(), address);
                }
                for text in layouts(result, 32 / bits)
                    .into_iter()
                    .chain(layouts(result, 8))
                {
                    let registers = layout(&text).remove_zero_bases(Dim::REGISTER).unwrap();
                    for access in [Access::Load, Access::Store] {
                        let plan =
                            MemoryPlan::of_warps(&registers, &place, 0, access, target).unwrap();
                        if let AccessForm::Matrices(fragment) = plan.form() {
                            found.insert(fragment);
                        }
                        for register in 0..plan.locations().len() {
                            for thread in 0..4 << lanes_log2 {
                                let lane = thread & ((1 << lanes_log2) - 1);
                                let at = [lane, thread >> lanes_log2];
                                let point = [
                                    (Dim::REGISTER, register as u64),
                                    (Dim::LANE, at[0]),
                                    (Dim::WARP, at[1]),
                                    (Dim::BLOCK, 0),
                                ];
                                let coords = registers.apply(&point).unwrap().to_vec();
                                let at = address_of(&plan, register, at, 0);
                                assert_eq!(
                                    at, addresses[&coords],
                                    "{buffer} {text} {bits} {point:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(found.len(), 8, "{found:?}");
    }
}
