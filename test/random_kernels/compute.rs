//! Evaluation of elementwise operations on one element of each operand.

use super::float::{decode, encode, round};
use super::kernel::{Element, Scalar};

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)).cast_signed() >> (64 - bits)
}

/// Returns the result of the elementwise operation `name` on one element per operand. `from` is the element type of
/// the first operand, and `to` is that of the result. Returns `None` if the result is undefined (division by zero,
/// a shift by too many bits) or if this function does not implement the operation.
pub(crate) fn elementwise(name: &str, from: Element, to: Element, operands: &[u64]) -> Option<u64> {
    match name {
        "arith.select" => {
            return Some(if operands[0] & 1 == 1 {
                operands[1]
            } else {
                operands[2]
            });
        }
        "arith.bitcast" | "tt.bitcast" | "tt.ptr_to_int" | "tt.int_to_ptr" => {
            return Some(operands[0]);
        }
        _ => {}
    }
    if let Some(bits) = from.int() {
        if operands.len() == 1 {
            return int_unary(name, bits, to, operands[0]);
        }
        return int_binary(name, bits, operands[0], operands[1]).map(|n| n & mask(bits));
    }
    float(name, from.float()?, to, operands)
}

fn int_unary(name: &str, bits: u32, to: Element, a: u64) -> Option<u64> {
    let width = to.bits();
    let to_float = |negative: bool, magnitude: u64| {
        Some(round(to.float()?, negative, u128::from(magnitude), 0))
    };
    Some(
        match name {
            "arith.extsi" => signed(a, bits).cast_unsigned() & mask(width),
            "arith.extui" => a,
            "arith.trunci" => a & mask(width),
            "arith.sitofp" => {
                let value = signed(a, bits);
                return to_float(value < 0, value.unsigned_abs());
            }
            "arith.uitofp" => return to_float(false, a),
            "math.absi" => signed(a, bits).unsigned_abs() & mask(bits),
            "math.ctpop" => u64::from(a.count_ones()),
            "math.ctlz" => u64::from(a.leading_zeros()) - u64::from(64 - bits),
            "math.cttz" => u64::from(a.trailing_zeros().min(bits)),
            _ => return None,
        } & mask(width),
    )
}

fn int_binary(name: &str, bits: u32, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let shift = u32::try_from(b).ok().filter(|n| *n < bits);
    let divides = y != 0 && (y != -1 || x != signed(1 << (bits - 1), bits));
    let (wide_x, wide_y) = (i128::from(x), i128::from(y));
    Some(match name {
        "arith.addi" => a.wrapping_add(b),
        "arith.subi" => a.wrapping_sub(b),
        "arith.muli" => a.wrapping_mul(b),
        "arith.andi" => a & b,
        "arith.ori" => a | b,
        "arith.xori" => a ^ b,
        "arith.maxsi" => x.max(y).cast_unsigned(),
        "arith.minsi" => x.min(y).cast_unsigned(),
        "arith.maxui" => a.max(b),
        "arith.minui" => a.min(b),
        "arith.divui" => a.checked_div(b)?,
        "arith.remui" => a.checked_rem(b)?,
        "arith.ceildivui" => a.checked_div(b)? + u64::from(a.checked_rem(b)? != 0),
        "arith.divsi" if divides => (x / y).cast_unsigned(),
        "arith.remsi" if divides => (x % y).cast_unsigned(),
        "arith.floordivsi" if y > 0 => x.div_euclid(y).cast_unsigned(),
        "arith.ceildivsi" if y > 0 => -((-wide_x).div_euclid(wide_y)) as u64,
        "arith.shli" => a << shift?,
        "arith.shrui" => a >> shift?,
        "arith.shrsi" => (x >> shift?).cast_unsigned(),
        "arith.addui_extended.low" => a.wrapping_add(b),
        "arith.addui_extended.high" => ((u128::from(a) + u128::from(b)) >> bits) as u64,
        "arith.mulsi_extended.low" => (wide_x * wide_y) as u64,
        "arith.mulsi_extended.high" => ((wide_x * wide_y) >> bits) as u64,
        "arith.mului_extended.low" => a.wrapping_mul(b),
        "arith.mului_extended.high" | "tt.mulhiui" => {
            ((u128::from(a) * u128::from(b)) >> bits) as u64
        }
        _ => return None,
    })
}

fn float(name: &str, from: Scalar, to: Element, operands: &[u64]) -> Option<u64> {
    let number = |i: usize| decode(from, operands[i]);
    let sign = 1u64 << (from.bits() - 1);
    let bits = match name {
        "arith.negf" => operands[0] ^ sign,
        "math.absf" => operands[0] & !sign,
        "math.copysign" => (operands[0] & !sign) | (operands[1] & sign),
        "arith.extf" | "arith.truncf" | "tt.fp_to_fp" => encode(to.float()?, number(0)),
        _ if name.starts_with("arith.truncf.") => truncated(name, to.float()?, number(0)),
        "tt.fp_to_fp.rtz" => {
            let (value, scalar) = (number(0), to.float()?);
            let nearest = encode(scalar, value);
            // The bits of a magnitude count its steps.
            let grew = decode(scalar, nearest).abs() > value.abs();
            nearest - u64::from(grew)
        }
        "arith.fptosi" | "arith.fptoui" => {
            let (value, width) = (number(0).trunc(), to.int()?);
            let (low, high) = if name == "arith.fptosi" {
                (-(1i128 << (width - 1)), 1i128 << (width - 1))
            } else {
                (0, 1i128 << width)
            };
            // Both borders are powers of two, hence exact.
            if value.is_nan() || value < low as f64 || value >= high as f64 {
                return None;
            }
            (value as i128) as u64 & mask(width)
        }
        // Where all operands are `f32` or smaller, the `f64` result of these is rounded once more
        // without harm: it has more than twice the digits.
        "arith.addf" => encode(from, number(0) + number(1)),
        "arith.subf" => encode(from, number(0) - number(1)),
        "arith.mulf" => encode(from, number(0) * number(1)),
        "arith.divf" => encode(from, number(0) / number(1)),
        "arith.remf" => encode(from, number(0) % number(1)),
        "math.sqrt" => encode(from, number(0).sqrt()),
        "math.fma" if from == Scalar::F64 => number(0).mul_add(number(1), number(2)).to_bits(),
        "math.fma" if from == Scalar::F32 => {
            let single = |i: usize| number(i) as f32;
            encode(from, f64::from(single(0).mul_add(single(1), single(2))))
        }
        "math.floor" => encode(from, number(0).floor()),
        "math.ceil" => encode(from, number(0).ceil()),
        "math.trunc" => encode(from, number(0).trunc()),
        "math.round" => encode(from, number(0).round()),
        "math.roundeven" => encode(from, number(0).round_ties_even()),
        "arith.maximumf" => encode(from, maximum(number(0), number(1))),
        "arith.minimumf" => encode(from, -maximum(-number(0), -number(1))),
        "arith.maxnumf" => encode(from, number(0).max(number(1))),
        "arith.minnumf" => encode(from, number(0).min(number(1))),
        _ => return None,
    };
    Some(bits)
}

/// Returns the larger of two numbers. Positive zero is larger than negative zero. If one operand is NaN, the result
/// is NaN.
fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else {
        a.max(b)
    }
}

pub(crate) fn compare_ints(predicate: u8, bits: u32, a: u64, b: u64) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match predicate {
        0 => a == b,
        1 => a != b,
        2 => x < y,
        3 => x <= y,
        4 => x > y,
        5 => x >= y,
        6 => a < b,
        7 => a <= b,
        8 => a > b,
        _ => a >= b,
    }
}

/// Evaluates a predicate of `arith.cmpf`, given by its number in MLIR. If one operand is NaN, the predicates 1 to 6
/// are false and 8 to 13 are true.
pub(crate) fn compare_floats(predicate: u8, scalar: Scalar, a: u64, b: u64) -> bool {
    let (x, y) = (decode(scalar, a), decode(scalar, b));
    let unordered = x.is_nan() || y.is_nan();
    let holds = |what: u8| match what {
        1 => x == y,
        2 => x > y,
        3 => x >= y,
        4 => x < y,
        5 => x <= y,
        _ => x != y,
    };
    match predicate {
        0 => false,
        1..=6 => !unordered && holds(predicate),
        7 => !unordered,
        8..=13 => unordered || holds(predicate - 7),
        14 => unordered,
        _ => true,
    }
}

/// Rounds `value` to the smaller format `to`. `name` is the name of the truncating operation, which determines the
/// rounding mode.
fn truncated(name: &str, to: Scalar, value: f64) -> u64 {
    let nearest = encode(to, value);
    let size = |bits: u64| decode(to, bits).abs();
    if value.is_nan() || size(nearest) == value.abs() {
        return nearest;
    }
    // The bits of a magnitude count its steps.
    let below = nearest - u64::from(size(nearest) > value.abs());
    let grows = match name {
        "arith.truncf.to_nearest_even" => return nearest,
        "arith.truncf.downward" => value.is_sign_negative(),
        "arith.truncf.upward" => value.is_sign_positive(),
        "arith.truncf.toward_zero" => false,
        _ => {
            // Above the largest finite number the next one would be as far away as the one below.
            let step = match size(below + 1) {
                above if above.is_finite() => above - size(below),
                _ => size(below) - size(below - 1),
            };
            value.abs() - size(below) >= step / 2.0
        }
    };
    below + u64::from(grows)
}
