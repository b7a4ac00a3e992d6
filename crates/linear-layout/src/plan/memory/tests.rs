use super::{BufferLayout, IndexedPlan, MemoryPlan, plan_transfer};
use crate::encoding::{Encoding, LinearEncoding};
use crate::layout::{Dim, LinearLayout};
use crate::target::{Access, Target};
use std::collections::HashMap;

/// Encodings of buffers of 32 x 64 elements, some of which have padding.
const BUFFERS: [&str; 9] = [
    "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [0, 1]}>",
    "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>",
    "#ttg.padded_shared<[64:+8, 256:+2] {order = [1, 0], shape = [32, 64]}>",
    "#ttg.padded_shared<[4:+4] {order = [0, 1], shape = [32, 64]}>",
    "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>}>",
];

/// Register layouts with 4 warps. The tests replace `LANES` by the number of lanes of the target.
const REGISTERS: [&str; 5] = [
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [LANES/4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, LANES/4], warpsPerCTA = [2, 2], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [1, LANES], warpsPerCTA = [1, 4], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [8, 8], threadsPerWarp = [LANES, 1], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [4, LANES/4, 1], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>}>",
];

const SHAPE: [u64; 2] = [32, 64];

fn encoding(text: &str) -> Encoding {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn buffer_layout(text: &str, bits: u32) -> BufferLayout {
    let encoding = encoding(text);
    let layout = encoding.to_surjective_layout(&SHAPE).unwrap();
    BufferLayout::new(layout, encoding.interval_paddings(), bits).unwrap()
}

fn registers(text: &str, shape: [u64; 2], target: &Target) -> LinearLayout {
    let lanes = target.lanes;
    let text = text
        .replace("LANES/4", &(lanes / 4).to_string())
        .replace("LANES", &lanes.to_string());
    let full = encoding(&text).to_surjective_layout(&shape).unwrap();
    full.remove_zero_bases(Dim::REGISTER).unwrap()
}

fn every(mut check: impl FnMut(&BufferLayout, &LinearLayout, [u64; 2], &Target, u32)) {
    for target in ["cuda:90", "hip:gfx942"] {
        let target = Target::parse(target).unwrap();
        for buffer in BUFFERS {
            for bits in [8, 16, 32, 64] {
                let buffer = buffer_layout(buffer, bits);
                for text in REGISTERS {
                    for shape in [SHAPE, [8, 16], [32, 1]] {
                        check(
                            &buffer,
                            &registers(text, shape, target),
                            shape,
                            target,
                            bits,
                        );
                    }
                }
            }
        }
    }
}

/// Returns a map from the coordinates of each element to its address. The map is built by enumerating all positions
/// of the buffer.
fn addresses(buffer: &BufferLayout, bits: u32) -> HashMap<Vec<u64>, u64> {
    let mut found = HashMap::new();
    for packed in 0..1u64 << buffer.layout().columns().len() {
        let coords = buffer.layout().unpack(buffer.layout().apply_packed(packed));
        let address = buffer.padded(packed * u64::from(bits / 8));
        assert!(found.insert(coords.to_vec(), address).is_none());
    }
    found
}

#[test]
fn every_index_is_at_its_element() {
    every(|buffer, registers, shape, target, bits| {
        if bits != 16 || shape == [8, 16] {
            return;
        }
        let addresses = addresses(buffer, bits);
        for axis in 0..2 {
            let size = SHAPE[axis] / 2;
            let plan = IndexedPlan::new(registers, axis, size, buffer).unwrap();
            for thread in (0..u64::from(target.lanes) * 4).step_by(5) {
                let (lane, warp) = (
                    thread % u64::from(target.lanes),
                    thread / u64::from(target.lanes),
                );
                for register in 0..plan.registers().len() {
                    let point = [
                        (Dim::REGISTER, register as u64),
                        (Dim::LANE, lane),
                        (Dim::WARP, warp),
                        (Dim::BLOCK, 0),
                    ];
                    let mut coords = registers.apply(&point).unwrap().to_vec();
                    let index = (thread * 7 + register as u64 * 3) % size;
                    coords[axis] = index;
                    let expected = addresses[&coords];
                    let found = plan.address(register, [lane, warp], index, 0);
                    assert_eq!(found, expected, "{shape:?} {register} {thread}");
                }
            }
        }
    });
}

#[test]
fn every_register_is_at_its_element() {
    every(|buffer, registers, shape, target, bits| {
        let addresses = addresses(buffer, bits);
        let view = [SHAPE[0] - shape[0], SHAPE[1] - shape[1]];
        let view_position = buffer.position(&view).unwrap();
        let mask = buffer.view_mask(&shape).unwrap();
        assert_eq!(view_position & !mask, 0);
        let plan = MemoryPlan::new(registers, buffer, mask, Access::Load, target).unwrap();
        let element = u64::from(bits / 8);
        assert!(plan.vector() as u64 * element <= 16);
        for warp in [0, 1, 3] {
            for lane in 0..u64::from(target.lanes) {
                for (register, (access, slot)) in (0u64..).zip(plan.locations()) {
                    let point = [
                        (Dim::REGISTER, register),
                        (Dim::LANE, lane),
                        (Dim::WARP, warp),
                        (Dim::BLOCK, 0),
                    ];
                    let coords = registers.apply(&point).unwrap().to_vec();
                    let coords = vec![coords[0] + view[0], coords[1] + view[1]];
                    let start = plan.address(*access as usize, [lane, warp], view_position);
                    assert_eq!(start % (plan.vector() as u64 * element), 0);
                    assert_eq!(start + u64::from(*slot) * element, addresses[&coords]);
                }
            }
        }
    });
}

#[test]
fn every_access_stores_its_elements() {
    every(|buffer, registers, shape, target, _| {
        let mask = buffer.view_mask(&shape).unwrap();
        let plan = MemoryPlan::new(registers, buffer, mask, Access::Store, target).unwrap();
        for (i, access) in plan.accesses().iter().enumerate() {
            for (slot, register) in access.registers.iter().enumerate() {
                assert_eq!(
                    plan.locations()[*register as usize],
                    (i as u32, slot as u32)
                );
            }
        }
    });
}

#[test]
fn a_buffer_takes_what_its_last_element_needs() {
    // 8 rows of 8, with gaps of 2 after each but the last.
    let padded = "#ttg.padded_shared<[8:+2] {order = [1, 0], shape = [8, 8]}>";
    let padded = encoding(padded);
    let layout = padded.to_linear_layout(&[8, 8]).unwrap();
    let buffer = BufferLayout::new(layout, padded.interval_paddings(), 32).unwrap();
    assert_eq!(buffer.size_bytes(0), 0);
    assert_eq!(buffer.size_bytes(1), 4 * (64 + 7 * 2));
    assert_eq!(buffer.size_bytes(3), 4 * (3 * 64 + 23 * 2));
    assert_eq!(buffer.padded(1 << buffer.pitch_log2()), 4 * (64 + 8 * 2));
}

/// Each lane stores up to 16 bytes of its own row. Without padding, all rows of 128 bytes start at the same bank,
/// so the stores conflict unless the buffer is swizzled.
#[test]
fn widths_and_wavefronts() {
    let target = Target::parse("cuda:90").unwrap();
    let rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [LANES, 1], warpsPerCTA = [1, 4], order = [1, 0]}>";
    let check = |text, bits, width, wavefronts| {
        let registers = registers(rows, SHAPE, target);
        let buffer = buffer_layout(text, bits);
        let plan = MemoryPlan::new(&registers, &buffer, 0, Access::Store, target).unwrap();
        assert_eq!(plan.vector(), width, "{text} {bits}");
        assert_eq!(plan.wavefronts, wavefronts, "{text} {bits}");
    };
    check(BUFFERS[1], 16, 8, (8, 8));
    check(BUFFERS[0], 16, 8, (64, 8));
    // Gaps of 2 elements limit vectors to 2.
    check(BUFFERS[6], 16, 2, (16, 8));
}

/// Loads the operand B of a matrix product from two buffers with different swizzles. `ldmatrix` has no bank
/// conflicts in either buffer. In the second buffer, the elements of a word are not loaded to adjacent registers,
/// so byte permutes are needed.
#[test]
fn permutes_follow_from_the_registers_of_words() {
    let target = Target::parse("cuda:80").unwrap();
    let operand = "#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>";
    let check = |[per_phase, phases]: [u32; 2], wavefronts, permutes| {
        let text = format!(
            "#ttg.swizzled_shared<{{vec = 8, perPhase = {per_phase}, maxPhase = {phases}, order = [1, 0]}}>"
        );
        let registers = registers(operand, SHAPE, target);
        let buffer = buffer_layout(&text, 16);
        let plan = MemoryPlan::of_warps(&registers, &buffer, 0, Access::Load, target).unwrap();
        assert_eq!(
            (plan.wavefronts, plan.permutes()),
            (wavefronts, permutes),
            "{text}"
        );
    };
    check([1, 8], (32, 32), 0);
    check([2, 4], (32, 32), 32);
}

#[test]
fn views_in_one_piece() {
    let check = |text, shape: [u64; 2], bytes| {
        let found = buffer_layout(text, 16).contiguous_bytes(&shape).unwrap();
        assert_eq!(found, bytes, "{text} {shape:?}");
    };
    // Whole rows are contiguous, with or without swizzle; half rows are not, except for one.
    check(BUFFERS[0], [32, 64], Some(4096));
    check(BUFFERS[0], [8, 64], Some(1024));
    check(BUFFERS[0], [8, 32], None);
    check(BUFFERS[0], [1, 32], Some(64));
    check(BUFFERS[1], [8, 64], Some(1024));
    // The swizzle moves the elements of a row depending on the row.
    check(BUFFERS[1], [1, 32], None);
}

#[test]
fn what_is_refused() {
    let plain = encoding(BUFFERS[0]).to_linear_layout(&SHAPE).unwrap();
    let error = BufferLayout::new(plain, &[], 24).unwrap_err();
    assert_eq!(
        error.to_string(),
        "elements of 24 bits are not supported in a buffer: expected 8, 16, 32 or 64"
    );
    let spread = LinearLayout::from_bases(
        &[(Dim::OFFSET, &[&[1]]), (Dim::BLOCK, &[&[2]])],
        &[Dim::out(0)],
    );
    let error = BufferLayout::new(spread.unwrap(), &[], 8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a buffer distributed over 2 CTAs is not supported yet: expected 1 CTA"
    );
    let large = |bits: u32| LinearLayout::identity_1d(1 << bits, Dim::OFFSET, Dim::out(0)).unwrap();
    assert!(BufferLayout::new(large(29), &[], 32).is_ok());
    for (bits, gaps) in [(30, &[][..]), (29, &[(64, 8)])] {
        assert_eq!(
            BufferLayout::new(large(bits), gaps, 32)
                .unwrap_err()
                .to_string(),
            format!(
                "a buffer of {} elements with 32 bits each exceeds the limit of 2147483648 bytes, padding \
                 included",
                1u64 << bits
            )
        );
    }
}

/// Returns the wavefronts of a copy between two transposed buffers, and those that the bytes need at least.
fn transfer_wavefronts(bits: u32, shape: [u64; 2], warps_log2: u32) -> ([u32; 2], u32) {
    let target = Target::parse("cuda:90").unwrap();
    let buffer = |transposed: bool| {
        let encoding = encoding(&format!(
            "#ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = {transposed}, elementBitWidth = {bits}}}>"
        ));
        let layout = encoding.to_surjective_layout(&shape).unwrap();
        BufferLayout::new(layout, &[], bits).unwrap()
    };
    let [from, to] = [buffer(false), buffer(true)];
    let threads = [target.lanes_log2(), warps_log2];
    let layout = plan_transfer([&from, &to], &shape, threads, target).unwrap();
    assert!(layout.is_invertible(), "{layout}");
    assert!(LinearEncoding::new(layout.clone()).is_ok(), "{layout}");
    let wavefronts = [(&from, Access::Load), (&to, Access::Store)].map(|(buffer, access)| {
        let plan = MemoryPlan::new(&layout, buffer, 0, access, target).unwrap();
        plan.cost(target).load_store / target.costs.wavefront
    });
    let bytes = u32::try_from(shape[0] * shape[1]).unwrap() * bits / 8;
    (wavefronts, bytes / target.wavefront_bytes())
}

#[test]
fn a_transposing_transfer_has_few_conflicts() {
    // Without a permutation of bits, narrow elements could do without conflicts as well.
    for (bits, shape, warps_log2, factors) in [
        (32, [32, 128], 2, [1, 1]),
        (32, [128, 32], 3, [1, 1]),
        (32, [64, 64], 2, [1, 1]),
        (16, [64, 128], 2, [2, 1]),
        (8, [128, 128], 2, [2, 2]),
        (8, [128, 256], 3, [2, 2]),
    ] {
        let (wavefronts, least) = transfer_wavefronts(bits, shape, warps_log2);
        assert_eq!(
            wavefronts,
            factors.map(|factor| factor * least),
            "{bits} bits, {shape:?}"
        );
    }
}

#[test]
fn a_transfer_without_transposition_has_no_layout() {
    let target = Target::parse("cuda:90").unwrap();
    let [a, b] = [BUFFERS[0], BUFFERS[1]].map(|text| buffer_layout(text, 32));
    assert_eq!(plan_transfer([&a, &b], &SHAPE, [5, 2], target), None);
    // Padding moves the banks.
    let padded = buffer_layout(BUFFERS[7], 32);
    assert_eq!(plan_transfer([&a, &padded], &SHAPE, [5, 2], target), None);
    // 2048 elements for 4096 threads.
    let turned = buffer_layout(BUFFERS[5], 16);
    assert_eq!(plan_transfer([&a, &turned], &SHAPE, [5, 7], target), None);
    assert!(plan_transfer([&a, &turned], &SHAPE, [5, 2], target).is_some());
    // No GPU has so much shared memory.
    let large = [2048, 2048];
    let [rows, columns] = ["[1, 0]", "[0, 1]"].map(|order| {
        let text = format!(
            "#ttg.swizzled_shared<{{vec = 8, perPhase = 1, maxPhase = 8, order = {order}}}>"
        );
        let layout = encoding(&text).to_surjective_layout(&large).unwrap();
        BufferLayout::new(layout, &[], 16).unwrap()
    });
    assert_eq!(
        plan_transfer([&rows, &columns], &large, [5, 2], target),
        None
    );
}
