//! Inverse trigonometric functions: `asin`, `acos`, `atan`, `atan2`.

use super::arithmetic::{Arithmetic, FloatPredicate, Unary};
use super::exponential::odd;
use std::f32::consts::{FRAC_PI_2, PI};

/// The difference between `pi / 2` and the f32 that is nearest to it.
const HALF_PI_REST: f32 = -4.371_138_83e-8;

/// Computes the arcsine of `x` for magnitudes up to 1/2.
fn near_asin<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    odd(
        m,
        x,
        &[
            0.166_666_597,
            0.075_005_173_7,
            0.044_514_801_4,
            0.031_823_586_7,
            0.014_384_484_8,
            0.037_585_996_1,
        ],
    )
}

/// Computes the arccosine of `x` for `x` from 1/2 to 1, as twice the arcsine of `sqrt((1 - x) / 2)`.
fn near_acos<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let half = m.float(0.5);
    let square = m.fma_by(x, -0.5, half);
    let root = m.unary(Unary::Sqrt, square);
    let angle = near_asin(m, root);
    m.add(angle, angle)
}

pub(super) fn asin<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    let small = near_asin(m, size);
    let angle = near_acos(m, size);
    let rest = m.float(HALF_PI_REST);
    let angle = m.sub(rest, angle);
    let large = m.add_to(angle, FRAC_PI_2);
    let is_small = m.less(size, 0.5);
    let result = m.select(is_small, small, large);
    m.copy_sign(result, x)
}

pub(super) fn acos<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    let angle = near_acos(m, size);
    // For negative arguments, the result is pi minus the angle.
    let twice_rest = m.float(2.0 * HALF_PI_REST);
    let opposite = m.sub(twice_rest, angle);
    let opposite = m.add_to(opposite, PI);
    let is_negative = m.less(x, 0.0);
    let large = m.select(is_negative, opposite, angle);
    let sine = near_asin(m, x);
    let rest = m.float(HALF_PI_REST);
    let small = m.sub(rest, sine);
    let small = m.add_to(small, FRAC_PI_2);
    let is_small = m.less(size, 0.5);
    m.select(is_small, small, large)
}

/// Computes the arctangent of `x` for `x` from 0 to 1.
fn near_atan<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    odd(
        m,
        x,
        &[
            -0.333_332_986,
            0.199_985_34,
            -0.142_641_023,
            0.109_515_063,
            -0.084_015_816_5,
            0.057_927_243_4,
            -0.031_148_990_6,
            0.010_899_760_8,
            -0.001_790_430_98,
        ],
    )
}

/// Computes `atan(over / under)` for non-negative arguments. If `over > under`, computes it as
/// `pi / 2 - atan(under / over)`.
fn quotient<M: Arithmetic>(m: &mut M, over: M::F, under: M::F) -> M::F {
    let is_steep = m.compare(FloatPredicate::Less, under, over);
    let small = m.select(is_steep, under, over);
    let large = m.select(is_steep, over, under);
    let ratio = m.div(small, large);
    let angle = near_atan(m, ratio);
    let rest = m.float(HALF_PI_REST);
    let opposite = m.sub(rest, angle);
    let opposite = m.add_to(opposite, FRAC_PI_2);
    m.select(is_steep, opposite, angle)
}

pub(super) fn atan<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    let one = m.float(1.0);
    let angle = quotient(m, size, one);
    m.copy_sign(angle, x)
}

pub(super) fn atan2<M: Arithmetic>(m: &mut M, y: M::F, x: M::F) -> M::F {
    let (up, along) = (m.abs(y), m.abs(x));
    let angle = quotient(m, up, along);
    // The quotients 0 / 0 and infinity / infinity are NaN, but the angles are 0 and pi / 4.
    let both_zero = m.equals(up, 0.0);
    let along_zero = m.equals(along, 0.0);
    let both_zero = m.and(both_zero, along_zero);
    let angle = m.constant_where(both_zero, 0.0, angle);
    let both_infinite = m.equals(up, f32::INFINITY);
    let along_infinite = m.equals(along, f32::INFINITY);
    let both_infinite = m.and(both_infinite, along_infinite);
    let angle = m.constant_where(both_infinite, std::f32::consts::FRAC_PI_4, angle);
    // Left of the origin, including -0, the result is pi minus the angle.
    let one = m.float(1.0);
    let direction = m.copy_sign(one, x);
    let is_left = m.less(direction, 0.0);
    let twice_rest = m.float(2.0 * HALF_PI_REST);
    let opposite = m.sub(twice_rest, angle);
    let opposite = m.add_to(opposite, PI);
    let angle = m.select(is_left, opposite, angle);
    let angle = m.copy_sign(angle, y);
    let has_nan = m.compare(FloatPredicate::Unordered, x, y);
    m.constant_where(has_nan, f32::NAN, angle)
}
