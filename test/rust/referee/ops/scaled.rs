//! Conversions with scales of AMD GPUs.

use super::{Module, Rng};
use crate::referee::registers::{blocked, inferred, list};
use crate::referee::text::{Op, Setting, Shaped};
use linear_layout::encoding::infer;

/// Returns a blocked layout of two dimensions. Each thread holds `along` consecutive elements along `axis`, and
/// `other` elements along the other dimension. Along the other dimension, there are `lanes` lanes of each warp, and
/// all warps.
fn threads(s: &Setting, other: u64, lanes: u64, along: u64, axis: usize) -> String {
    let pair = |of_axis: u64, of_other: u64| {
        let mut pair = [of_other; 2];
        pair[axis] = of_axis;
        list(&pair)
    };
    format!(
        "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}}}>",
        pair(along, other),
        pair(s.lanes / lanes, lanes),
        pair(1, s.warps),
        list(&[axis, 1 - axis])
    )
}

/// Draws a tensor of numbers and a tensor of their scales. There is either one scale per number, or one per `along`
/// consecutive numbers along `axis`.
fn wide(rng: &mut Rng, s: &Setting, element: &str, axis: usize) -> (Shaped, Shaped) {
    let along = rng.power(3, 5);
    let (other, lanes) = (rng.power(0, 1), rng.power(2, 4));
    let mut sizes = [other * lanes * s.warps; 2];
    sizes[axis] = along * s.lanes / lanes;
    for size in &mut sizes {
        *size = match rng.below(4) {
            0 => *size * 2,
            1 => (*size / 2).max(8),
            _ => *size,
        };
    }
    let numbers = Shaped::tensor(&sizes, element, Some(threads(s, other, lanes, along, axis)));
    let scale = rng.choose(&["i8", "i8", "bf16"]);
    if rng.chance(40) {
        return (numbers.clone(), numbers.of(scale));
    }
    sizes[axis] = (sizes[axis] / along).max(1);
    let scales = Shaped::tensor(&sizes, scale, Some(threads(s, other, lanes, 1, axis)));
    (numbers, scales)
}

pub(crate) fn scaled(rng: &mut Rng) -> Module {
    let mut s = Setting::amd(rng);
    if rng.chance(60) {
        s = Setting::new(64, rng.power(0, 3), 1, "hip:gfx950");
    } else if rng.chance(60) {
        s = Setting::new(32, rng.power(0, 3), 1, "hip:gfx1250");
    }
    let axis = rng.below(2);
    let (up, four) = (rng.chance(50), rng.chance(50));
    let element = rng.choose(if up {
        &["f16", "bf16"]
    } else {
        &["f16", "bf16", "f32"]
    });
    let (mut numbers, mut scales) = wide(rng, &s, element, axis);
    if rng.chance(25) {
        numbers.encoding = Some(blocked(rng, &s, 2));
        scales = numbers.of("bf16");
    }
    if !up {
        scales = scales.of("i8");
    }
    let narrow = if four {
        let mut sizes = numbers.shape.clone();
        sizes[axis] /= 2;
        let encoding = inferred(&numbers, |e| {
            infer::fp4_to_fp_source(e, &numbers.shape, axis)
        });
        Shaped::tensor(&sizes, "i8", encoding)
    } else {
        numbers.of(rng.choose(&["f8E4M3FN", "f8E5M2"]))
    };
    let op = Op::new(match (up, four) {
        (true, true) => "amdg.scaled_upcast_fp4",
        (true, false) => "amdg.scaled_upcast_fp8",
        (false, true) => "amdg.scaled_downcast_fp4",
        (false, false) => "amdg.scaled_downcast_fp8",
    });
    let op = match (up, four) {
        // 8-bit numbers have a scale each.
        (true, false) => op.takes(&narrow).takes(numbers.of(&scales.element)),
        (true, true) => op.takes(&narrow).takes(&scales),
        (false, _) => op.takes(&numbers).takes(&scales),
    };
    let op = if up && !four {
        op
    } else {
        op.i32("axis", axis as i64)
    };
    let dst = if up { numbers } else { narrow };
    Module::new(s, op.gives(&dst))
}
