//! Pairs of CTAs of NVIDIA GPUs, and images.

use super::{Module, Rng};
use crate::referee::memory::{barrier, nvmma_of, scales, width};
use crate::referee::policy;
use crate::referee::text::{Attr, Op, Setting, Shaped, TENSOR_MEMORY};

const ROWS: &str = ", CGALayout = [[1, 0]]";
const COLUMNS: &str = ", CGALayout = [[0, 1]]";

fn setting(rng: &mut Rng) -> Setting {
    let mut s = Setting::new(32, rng.power(2, 3), 2, "cuda:100");
    s.pairs = (!rng.chance(15)).then(|| rng.chance(85));
    s
}

/// Draws a shared-memory operand of a product that a pair of CTAs computes. `split` gives its distribution over the
/// pair.
fn operand(rng: &mut Rng, shape: &[u64], split: &str, element: &str) -> Shaped {
    let bits = width(element);
    let along = shape[1] / if split == COLUMNS { 2 } else { 1 };
    let swizzle = [128, 64, 32, 0]
        .into_iter()
        .find(|n| n * 8 / bits <= along)
        .unwrap_or(0);
    let transposed = rng.chance(15);
    let layout = format!(
        "#ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = {transposed}, elementBitWidth = {bits}{split}}}>"
    );
    Shaped::buffer(shape, element, layout)
}

/// Draws the accumulator of a product that a pair of CTAs computes. Its rows are split over the pair.
fn accumulator(rng: &mut Rng, n: u64) -> Shaped {
    let pairs = if rng.chance(85) {
        ", twoCTAs = true"
    } else {
        ""
    };
    let m = rng.choose(&[64, 128, 128]);
    let encoding = format!(
        "#ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = 1{ROWS}{pairs}>"
    );
    Shaped {
        space: TENSOR_MEMORY,
        ..Shaped::buffer(&[2 * m, n], "f32", encoding)
    }
}

pub(crate) fn product(rng: &mut Rng) -> Module {
    let s = setting(rng);
    let n = rng.power(5, 8);
    let d = accumulator(rng, n);
    let k = rng.power(5, 7);
    let is_scaled = rng.chance(30);
    let element = if is_scaled {
        rng.choose(&["f8E4M3FN", "f8E5M2"])
    } else {
        rng.choose(&["f16", "bf16", "f32", "f8E5M2"])
    };
    let a = operand(rng, &[d.shape[0], k], ROWS, element);
    let split = if rng.chance(90) { COLUMNS } else { ROWS };
    let b = operand(rng, &[k, n], split, element);
    let op = Op::new(if is_scaled {
        "ttng.tc_gen5_mma_scaled"
    } else {
        "ttng.tc_gen5_mma"
    });
    let mut op = op.takes(&a).takes(&b).takes(&d);
    if is_scaled {
        let mut of_a = scales(rng, d.shape[0], k / 32);
        let mut of_b = scales(rng, n, k / 32);
        for (scales, split) in [(&mut of_a, "[[1, 0]]"), (&mut of_b, "[[0, 0]]")] {
            scales.encoding = Some(format!(
                "#ttng.tensor_memory_scales_encoding<CGALayout = {split}>"
            ));
        }
        op = op.takes(&of_a).takes(&of_b);
    }
    op = op.takes_all(["i1", "i1"]);
    let count = rng.below(2);
    for _ in 0..count {
        op = op.takes(barrier(rng, &s));
    }
    op = op.takes_all(vec!["i1"; count]);
    op = if is_scaled {
        let kind = i64::from(element == "f8E5M2");
        op.segments(&[1, 1, 1, 0, 1, 1, 1, 1, count, count])
            .i32("a_type", kind)
            .i32("b_type", kind)
    } else {
        op.segments(&[1, 1, 1, 0, 1, 1, count, count])
    };
    for (name, percent) in [("two_ctas", 90), ("multicast", 15), ("is_async", 60)] {
        if rng.chance(percent) {
            op = op.with(name, Attr::Unit);
        }
    }
    Module::new(s, op)
}

/// Generates a module with a TMA copy of a block of an image to shared memory.
pub(crate) fn image(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:90");
    let element = rng.choose(&["f16", "bf16", "f32", "i8"]);
    let sizes = [rng.power(3, 7), rng.power(5, 7)];
    let layout = nvmma_of(rng, &s, &sizes, width(element));
    let desc = Shaped {
        kind: crate::referee::text::ShapedKind::Image,
        ..Shaped::tensor(&sizes, element, Some(layout.clone()))
    };
    let coordinates = rng.between(3, 5);
    let offsets = coordinates - 2;
    let op = Op::new("ttng.async_tma_copy_global_to_local")
        .takes(&desc)
        .takes_all(vec!["i32"; coordinates])
        .takes_all(vec!["i16"; offsets])
        .takes(barrier(rng, &s))
        .takes(Shaped::buffer(&sizes, element, layout))
        .takes("i1")
        .with("isVolatile", Attr::Bool(false))
        .segments(&[1, coordinates, offsets, 1, 1, 1]);
    let op = policy::maybe(rng, 20, op);
    Module::new(s, op)
}
