//! Tests that compare plans with known descriptors, and tests of rejected operands.

use super::*;
use crate::encoding::Encoding;
use crate::layout::Dim;

pub(crate) fn layout(text: &str, shape: [u64; 2]) -> LinearLayout {
    let encoding: Encoding = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    let layout = encoding.to_surjective_layout(&shape);
    layout.unwrap_or_else(|e| panic!("{text} {shape:?}: {e}"))
}

pub(crate) fn place(text: &str, shape: [u64; 2], bits: u32) -> BufferLayout {
    BufferLayout::new(layout(text, shape), &[], bits).unwrap()
}

/// Returns the layout of the accumulator of Hopper's `wgmma`, without replicas in registers.
pub(crate) fn sum(warps: [u32; 2], n: u64, shape: [u64; 2]) -> LinearLayout {
    let text = mma(warps, n);
    let layout = layout(&text, shape);
    layout.remove_zero_bases(Dim::REGISTER).unwrap()
}

pub(crate) fn mma(warps: [u32; 2], n: u64) -> String {
    format!(
        "#ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = {warps:?}, instrShape = [16, {n}, 16]}}>"
    )
}

/// Returns the layout of operand A in registers.
pub(crate) fn left(warps: [u32; 2], k_width: u32, shape: [u64; 2]) -> LinearLayout {
    let parent = mma(warps, 64);
    let text = format!("#ttg.dot_op<{{opIdx = 0, parent = {parent}, kWidth = {k_width}}}>");
    layout(&text, shape)
}

pub(crate) fn swizzled(bytes: u64, is_transposed: bool, bits: u32) -> String {
    format!(
        "#ttg.nvmma_shared<{{swizzlingByteWidth = {bytes}, transposed = {is_transposed}, elementBitWidth = {bits}}}>"
    )
}

/// Returns the encoding of a buffer that consists of core matrices with 8 rows of 16 bytes. `contiguous` is the dim
/// along a row. `dims` lists the dim of each further offset bit.
pub(crate) fn core_matrices(contiguous: usize, bits: u32, dims: &[usize]) -> String {
    let mut next = [1; 2];
    let row = (128 / bits).trailing_zeros() as usize;
    let own = [vec![contiguous; row], vec![1 - contiguous; 3]].concat();
    let bases: Vec<String> = (own.iter().chain(dims))
        .map(|dim| {
            let mut basis = [0; 2];
            basis[*dim] = next[*dim];
            next[*dim] *= 2;
            format!("{basis:?}")
        })
        .collect();
    let offsets = bases.join(", ");
    format!("#ttg.shared_linear<{{offset = [{offsets}]}}, alignment = 1024>")
}

/// Plans a product of f16 matrices with m = 64 and k = 64. `a` and `b` are the encodings of the buffers of A and B.
fn plan_of(a: &str, b: &str, n: u64) -> Result<WarpGroupPlan, WarpGroupError> {
    let (a, b) = (place(a, [64, 64], 16), place(b, [64, n], 16));
    let d = sum([4, 1], n, [64, n]);
    plan_warp_group_product(&operands(&d, &a, &b))
}

fn operands<'a>(
    d: &'a LinearLayout,
    a: &'a BufferLayout,
    b: &'a BufferLayout,
) -> WarpGroupOperands<'a> {
    let factor = |layout| FactorBuffer {
        layout,
        view_mask: 0,
    };
    WarpGroupOperands {
        d,
        a: LeftFactor::Buffer(factor(a)),
        b: factor(b),
        k: 64,
        factors: [Number::F16; 2],
        sum: Number::F32,
        target: Target::parse("cuda:90").unwrap(),
    }
}

/// Expected values of a descriptor and of the issues that use it: (upper half of the descriptor word, leading byte
/// offset, offsets of the tiles of the second, third and fourth issue). The tile offsets are in units of 16 bytes.
type DescriptorRow = (u64, u64, [u64; 3]);

#[track_caller]
fn check(
    plan: &WarpGroupPlan,
    operand: usize,
    is_k_major: bool,
    (high, lbo, steps): DescriptorRow,
) {
    let descriptor = plan.descriptor(operand).unwrap();
    assert_eq!(descriptor.is_k_major, is_k_major);
    assert_eq!(
        (descriptor.word() >> 32, descriptor.leading_bytes),
        (high, lbo)
    );
    let starts = plan.issues().iter().map(|issue| match issue.a() {
        IssuedFactor::Position(a) if operand == 0 => a / 16,
        _ => issue.b() / 16,
    });
    let starts: Vec<u64> = starts.collect();
    assert_eq!(starts, [0, steps[0], steps[1], steps[2]]);
}

/// The descriptors for 64 x 64 elements of `f16` equal those that Triton 3.9 creates.
#[test]
fn descriptors_are_those_measured() {
    let rows: [(u64, DescriptorRow); 3] = [
        (128, (0x4000_0040, 0, [2, 4, 6])),
        (64, (0x8000_0020, 0, [2, 256, 258])),
        (32, (0xC000_0010, 0, [128, 256, 384])),
    ];
    for (bytes, row) in rows {
        let plan = plan_of(&swizzled(bytes, false, 16), &swizzled(bytes, true, 16), 64).unwrap();
        assert_eq!(plan.sizes(), [64, 64, 16]);
        check(&plan, 0, true, row);
        check(&plan, 1, true, row);
    }
    // Atoms along m and n are 64 rows apart.
    let rows: [(u64, DescriptorRow); 3] = [
        (128, (0x4000_0040, 0, [128, 256, 384])),
        (64, (0x8000_0020, 4096, [64, 128, 192])),
        (32, (0xC000_0010, 2048, [32, 64, 96])),
    ];
    for (bytes, row) in rows {
        let plan = plan_of(&swizzled(bytes, true, 16), &swizzled(bytes, false, 16), 64).unwrap();
        check(&plan, 0, false, row);
        check(&plan, 1, false, row);
    }
    let wide = plan_of(&swizzled(128, false, 16), &swizzled(128, false, 16), 128).unwrap();
    check(&wide, 1, false, (0x4000_0040, 8192, [128, 256, 384]));
    // Contiguous core matrices along m or n, then along k.
    let a = core_matrices(1, 16, &[0, 0, 0, 1, 1, 1]);
    let b = core_matrices(0, 16, &[1, 1, 1, 0, 0, 0]);
    let plan = plan_of(&a, &b, 64).unwrap();
    for operand in [0, 1] {
        check(&plan, operand, true, (8, 1024, [128, 256, 384]));
    }
    let a = core_matrices(0, 16, &[0, 0, 0, 1, 1, 1]);
    let b = core_matrices(1, 16, &[1, 1, 1, 0, 0, 0]);
    let plan = plan_of(&a, &b, 64).unwrap();
    for operand in [0, 1] {
        check(&plan, operand, false, (8, 1024, [128, 256, 384]));
    }
}

/// The rows of the second warp group begin 64 rows after those of the first warp group. A row has 64 elements of
/// `f16`, so the second warp group's start address of A is 8192 bytes higher.
#[test]
fn warp_groups_have_their_own_rows() {
    let d = sum([8, 1], 64, [256, 64]);
    let buffer = place(&swizzled(128, false, 16), [256, 64], 16);
    let b = place(&swizzled(128, false, 16), [64, 64], 16);
    let plan = plan_warp_group_product(&operands(&d, &buffer, &b)).unwrap();
    assert_eq!(plan.group_positions(0), [8192]);
    assert_eq!(plan.group_positions(1), [0]);
    let firsts = plan.issues().iter().filter(|issue| issue.is_first_k());
    let firsts: Vec<&IssuedFactor> = firsts.map(WarpGroupIssue::a).collect();
    let starts = [0, 16384].map(IssuedFactor::Position);
    assert_eq!(firsts, starts.each_ref());
}

/// Instructions have the largest n that the accumulator and the buffer of B allow.
#[test]
fn instructions_are_as_wide_as_they_can_be() {
    let buffer = place(&swizzled(128, false, 16), [64, 64], 16);
    let width = |d: &LinearLayout, b: &BufferLayout| {
        let plan = plan_warp_group_product(&operands(d, &buffer, b)).unwrap();
        (plan.sizes()[1], plan.issues().len())
    };
    let d = sum([4, 1], 256, [64, 256]);
    let b = place(&swizzled(128, false, 16), [64, 256], 16);
    assert_eq!(width(&d, &b), (256, 4));
    // An accumulator that Triton would fill by four instructions.
    assert_eq!(width(&sum([4, 1], 64, [64, 256]), &b), (256, 4));
    assert_eq!(width(&sum([4, 2], 64, [64, 256]), &b), (64, 8));
    // The distance of core matrices along n changes from 128 to 8192 bytes at n 32.
    let b = core_matrices(1, 16, &[1, 1, 0, 0, 0, 1, 1, 1]);
    assert_eq!(width(&d, &place(&b, [64, 256], 16)), (32, 32));
}

#[track_caller]
fn refused(planned: Result<WarpGroupPlan, WarpGroupError>, expected: &str) {
    assert_eq!(planned.unwrap_err().to_string(), expected);
}

#[test]
fn targets_and_types_are_told() {
    let d = sum([4, 1], 64, [64, 64]);
    let buffer = place(&swizzled(128, false, 16), [64, 64], 16);
    let good = operands(&d, &buffer, &buffer);
    let other = WarpGroupOperands {
        target: Target::parse("cuda:100").unwrap(),
        ..good
    };
    refused(
        plan_warp_group_product(&other),
        "`wgmma` is not supported on cuda:100: expected `cuda:90`",
    );
    let other = WarpGroupOperands {
        factors: [Number::F32; 2],
        ..good
    };
    refused(
        plan_warp_group_product(&other),
        "`wgmma` does not multiply f32 by f32 into f32: expected f16 into f16 or f32, bf16 or tf32 into f32, \
         8-bit floats into f16 or f32, or i8 into i32; f32 operands require the input precision tf32",
    );
    let other = WarpGroupOperands {
        factors: [Number::Tf32; 2],
        ..good
    };
    refused(
        plan_warp_group_product(&other),
        "the buffer of A has 16-bit elements: expected 32-bit elements of type tf32",
    );
    let other = WarpGroupOperands { k: 128, ..good };
    refused(
        plan_warp_group_product(&other),
        "the buffer of A has shape [64, 64]: expected at least [64, 128] (m x k)",
    );
    let other = WarpGroupOperands { k: 8, ..good };
    refused(
        plan_warp_group_product(&other),
        "the product has k = 8: expected a power of two of at least 16, the k of one `wgmma` instruction",
    );
}

#[test]
fn registers_that_do_not_fit_are_told() {
    let buffer = place(&swizzled(128, false, 16), [64, 64], 16);
    let of_mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    let other = layout(of_mma, [64, 64]);
    let said = plan_warp_group_product(&operands(&other, &buffer, &buffer));
    refused(
        said,
        "in D, the first element of warp 1 is (m, n) = (0, 8), expected (16, 0); convert D to the layout of \
         the `wgmma` fragment",
    );
    let d = sum([4, 1], 64, [64, 64]);
    let wide = left([4, 1], 4, [64, 64]);
    let other = WarpGroupOperands {
        a: LeftFactor::Registers(&wide),
        ..operands(&d, &buffer, &buffer)
    };
    refused(
        plan_warp_group_product(&other),
        "in A, the first element of lane 1 is (m, k) = (0, 4), expected (0, 2); convert A to the layout of the \
         `wgmma` fragment",
    );
    let copies = layout(&mma([4, 1], 64), [64, 32]);
    let b = place(&swizzled(64, false, 16), [64, 32], 16);
    refused(
        plan_warp_group_product(&operands(&copies, &buffer, &b)),
        "in D, register 16 of thread 0 holds (m, n) = (0, 0), which a lower register also holds; expected \
         distinct elements in the registers of a thread",
    );
}

#[test]
fn buffers_that_no_descriptor_describes_are_told() {
    let d = sum([4, 1], 64, [64, 64]);
    let good = place(&swizzled(128, false, 16), [64, 64], 16);
    let said = |a: &BufferLayout, view_mask, factors| {
        let a = FactorBuffer {
            layout: a,
            view_mask,
        };
        plan_warp_group_product(&WarpGroupOperands {
            a: LeftFactor::Buffer(a),
            factors,
            ..operands(&d, &good, &good)
        })
    };
    let half = [Number::F16; 2];
    let flat = place(&swizzled(0, false, 16), [64, 64], 16);
    refused(
        said(&flat, 0, half),
        "in the buffer of A, m = 1 lies at byte 128; expected byte 144, as in the nearest layout that `wgmma` \
         reads: 8 rows of 128 bytes along k, with a swizzle",
    );
    let padded = BufferLayout::new(good.layout().clone(), &[(64, 8)], 16).unwrap();
    refused(
        said(&padded, 0, half),
        "the buffer of A is padded, which `wgmma` does not support; use a swizzle instead of padding",
    );
    refused(
        said(&good, 1 << 8 | 1 << 20, half),
        "the view of A may start at byte offsets with bits 0x100, inside the 8 rows of a swizzle; expected \
         offsets without the bits 0x380; start the view at a multiple of 8 rows",
    );
    refused(
        said(&good, 1 << 10, half),
        "the view of A may start at byte offsets with bits 0x400, which also address elements of the view; \
         expected offsets without the bits 0x1fff; start the view at a multiple of the view size",
    );
    refused(
        said(&good, 1 << 20, half),
        "the buffer of A takes 2097152 bytes: expected at most 262144 bytes, the range of a matrix descriptor",
    );
    let bytes = place(&swizzled(64, true, 8), [64, 64], 8);
    refused(
        said(&bytes, 0, [Number::E4m3; 2]),
        "the buffer of B has 16-bit elements: expected 8-bit elements of type f8E4M3FN",
    );
    let b = FactorBuffer {
        layout: &bytes,
        view_mask: 0,
    };
    let of_bytes = WarpGroupOperands {
        a: LeftFactor::Buffer(b),
        b,
        factors: [Number::E4m3; 2],
        ..operands(&d, &good, &good)
    };
    refused(
        plan_warp_group_product(&of_bytes),
        "in the buffer of A, elements are contiguous along m; expected along k for 8-bit elements, because \
         `wgmma` transposes only 16-bit elements",
    );
}
