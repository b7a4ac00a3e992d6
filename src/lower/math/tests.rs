//! Accuracy of the approximations against binary64, over samples of all arguments.

#![expect(
    clippy::print_stdout,
    reason = "the worst arguments are printed, to be looked at"
)]

use super::arithmetic::{Arithmetic, Binary, FloatPredicate, IntBinary, Unary};
use super::trigonometric;
use crate::ir::UpstreamKind;
use crate::split_mix::Random;

fn function(m: &mut Evaluation, name: &str, x: &[f32]) -> Option<f32> {
    let is_named = |kind: &&UpstreamKind| kind.name().strip_prefix("math.") == Some(name);
    let kind = UpstreamKind::ALL.iter().find(is_named);
    super::function(m, *kind.expect("`math` has the function"), x)
}

/// An [`Arithmetic`] that evaluates the operations on numbers. Each result is rounded to nearest, as on a GPU.
struct Evaluation;

impl Arithmetic for Evaluation {
    type F = f32;
    type I = u32;
    type L = u64;
    type B = bool;

    fn float(&mut self, value: f32) -> f32 {
        value
    }
    fn int(&mut self, value: u32) -> u32 {
        value
    }
    fn unary(&mut self, op: Unary, a: f32) -> f32 {
        match op {
            Unary::Neg => -a,
            Unary::Abs => a.abs(),
            Unary::Sqrt => a.sqrt(),
            Unary::RoundEven => a.round_ties_even(),
            Unary::Trunc => a.trunc(),
            Unary::Exp2 => f64::from(a).exp2() as f32,
            Unary::Rsqrt => f64::from(a).sqrt().recip() as f32,
        }
    }
    fn binary(&mut self, op: Binary, a: f32, b: f32) -> f32 {
        match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::CopySign => a.copysign(b),
        }
    }
    fn fma(&mut self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    fn compare(&mut self, order: FloatPredicate, a: f32, b: f32) -> bool {
        match order {
            FloatPredicate::Less => a < b,
            FloatPredicate::Equal => a == b,
            FloatPredicate::Unordered => a.is_nan() || b.is_nan(),
        }
    }
    fn select(&mut self, condition: bool, a: f32, b: f32) -> f32 {
        if condition { a } else { b }
    }
    fn and(&mut self, a: bool, b: bool) -> bool {
        a && b
    }
    fn bits(&mut self, a: f32) -> u32 {
        a.to_bits()
    }
    fn float_of(&mut self, a: u32) -> f32 {
        f32::from_bits(a)
    }
    fn to_float(&mut self, a: u32) -> f32 {
        a.cast_signed() as f32
    }
    fn to_int(&mut self, a: f32) -> u32 {
        assert!(a.abs() < 2f32.powi(31), "{a} is no i32");
        (a as i32).cast_unsigned()
    }
    fn int_binary(&mut self, op: IntBinary, a: u32, b: u32) -> u32 {
        self.long_binary(op, u64::from(a), u64::from(b)) as u32
    }
    fn int_equal(&mut self, a: u32, b: u32) -> bool {
        a == b
    }
    fn int_select(&mut self, condition: bool, a: u32, b: u32) -> u32 {
        if condition { a } else { b }
    }
    fn wide_product(&mut self, a: u32, b: u32) -> u64 {
        u64::from(a) * u64::from(b)
    }
    fn long_binary(&mut self, op: IntBinary, a: u64, b: u64) -> u64 {
        match op {
            IntBinary::Add => a.wrapping_add(b),
            IntBinary::Sub => a.wrapping_sub(b),
            IntBinary::And => a & b,
            IntBinary::Or => a | b,
            IntBinary::Xor => a ^ b,
            IntBinary::ShiftLeft => a << b,
            IntBinary::ShiftRight => a >> b,
        }
    }
    fn long(&mut self, value: u64) -> u64 {
        value
    }
    fn low_half(&mut self, a: u64) -> u32 {
        a as u32
    }
    fn long_to_float(&mut self, a: u64) -> f32 {
        a.cast_signed() as f32
    }
    fn to_long(&mut self, a: f32) -> u64 {
        (a as i64).cast_unsigned()
    }
    fn branch(
        &mut self,
        condition: bool,
        rare: impl FnOnce(&mut Self) -> (f32, u32),
        usual: (f32, u32),
    ) -> (f32, u32) {
        if condition { rare(self) } else { usual }
    }
}

/// Returns the difference between `found` and `exact` in ulps of `exact`. The difference is infinite if only one of
/// the two is NaN, or if `exact` is zero and `found` is a zero with the other sign.
fn ulps(found: f32, exact: f64) -> f64 {
    if exact.is_nan() || found.is_nan() {
        return if exact.is_nan() && found.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let rounded = exact as f32;
    if found == rounded {
        let same = found.is_sign_negative() == rounded.is_sign_negative() || exact != 0.0;
        return if same { 0.0 } else { f64::INFINITY };
    }
    if exact.is_infinite() {
        return f64::INFINITY;
    }
    // Infinity counts as the successor of the largest number.
    let found = if found.is_infinite() {
        f64::from(found.signum()) * 2f64.powi(128)
    } else {
        f64::from(found)
    };
    let exponent = exact.abs().log2().floor().clamp(-126.0, 127.0);
    (found - exact).abs() / 2f64.powf(exponent - 23.0)
}

/// Computes `erfc` in binary64 with a relative error of about 2^-45.
fn erfc(x: f64) -> f64 {
    if x < 2.0 {
        return 1.0 - erf(x);
    }
    let mut fraction = x;
    for k in (1..=120).rev() {
        fraction = x + f64::from(k) / 2.0 / fraction;
    }
    (-x * x).exp() / fraction / std::f64::consts::PI.sqrt()
}

fn erf(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 {
        return x;
    }
    let z = x.abs();
    if z > 2.0 {
        return (1.0 - erfc(z)).copysign(x);
    }
    // e^-z^2 times a series of positive terms.
    let (mut term, mut sum, mut n) = (z, z, 0.0);
    while term > 1e-18 * sum {
        n += 1.0;
        term *= 2.0 * z * z / (2.0 * n + 1.0);
        sum += term;
    }
    (sum * (-z * z).exp() * 2.0 / std::f64::consts::PI.sqrt()).copysign(x)
}

/// Computes `asinh` in binary64. The function of the standard library adds `1 + x` with a rounding error, which
/// this function avoids.
fn asinh(x: f64) -> f64 {
    let z = x.abs();
    let result = if z > 1e9 {
        z.ln() + std::f64::consts::LN_2
    } else {
        (z + z * z / (1.0 + (z * z + 1.0).sqrt())).ln_1p()
    };
    result.copysign(x)
}

fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    let t = x - 1.0;
    if x > 1e9 {
        x.ln() + std::f64::consts::LN_2
    } else {
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    }
}

fn atanh(x: f64) -> f64 {
    (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x)
}

fn bound(name: &str) -> f64 {
    let row = format!("//! | `{name}` | ");
    let documentation = include_str!("mod.rs");
    let rest = documentation.split(&row).nth(1).expect("it has a row");
    let number = rest.split(' ').next().expect("a row has a bound");
    number.parse().expect("a bound is a number")
}

type Exact = fn(f64) -> f64;

const UNARY: [(&str, Exact); 23] = [
    ("acos", f64::acos),
    ("acosh", acosh),
    ("asin", f64::asin),
    ("asinh", asinh),
    ("atan", f64::atan),
    ("atanh", atanh),
    ("cbrt", f64::cbrt),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("erf", erf),
    ("erfc", erfc),
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("expm1", f64::exp_m1),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("log2", f64::log2),
    ("rsqrt", |x| x.sqrt().recip()),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
];

/// Returns every `step`-th binary32 number of both signs, and the numbers next to each power of two.
fn arguments(step: usize) -> impl Iterator<Item = f32> {
    let around = (0..=0xffu32).flat_map(|exponent| {
        (0..8u32).flat_map(move |i| {
            let bits = (exponent << 23).wrapping_add(i).wrapping_sub(4);
            [bits, bits | 1 << 31]
        })
    });
    (0..=u32::MAX)
        .step_by(step)
        .chain(around)
        .map(f32::from_bits)
}

fn worst(name: &str, exact: Exact, step: usize) -> (f64, f32) {
    let mut worst = (0.0, 0.0);
    for x in arguments(step) {
        let found = function(&mut Evaluation, name, &[x]).expect("it is a function");
        let distance = ulps(found, exact(f64::from(x)));
        if distance > worst.0 {
            worst = (distance, x);
        }
    }
    worst
}

#[test]
fn functions_of_one_argument_are_within_their_bounds() {
    // A prime mixes mantissas and exponents. `LL_MATH_STEP=1` tests every number.
    let step = std::env::var("LL_MATH_STEP")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(30_011);
    let mut beyond = Vec::new();
    for (name, exact) in UNARY {
        let bound = bound(name);
        let (distance, x) = worst(name, exact, step);
        println!("{name}: {distance:.3} ulp at {x:e} ({:#x})", x.to_bits());
        if distance > bound {
            let found = function(&mut Evaluation, name, &[x]);
            beyond.push(format!(
                "{name} of {x:e}: {found:?} is {distance} ulp from {:e}, expected at most {bound}",
                exact(f64::from(x))
            ));
        }
    }
    assert!(beyond.is_empty(), "{}", beyond.join("\n"));
}

/// Returns numbers whose pairs cover all special cases of a function of two arguments.
fn special() -> Vec<f32> {
    let positive = [
        0.0,
        1e-45,
        1e-40,
        f32::MIN_POSITIVE,
        1e-10,
        0.3,
        0.5,
        0.999_999_94,
        1.0,
        1.000_000_1,
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        17.0,
        88.9,
        127.0,
        16_777_215.0,
        16_777_216.0,
        33_554_434.0,
        1e30,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    positive.into_iter().flat_map(|x| [x, -x]).collect()
}

/// Returns all pairs of special numbers, and random pairs of three kinds: numbers with arbitrary bit patterns,
/// numbers of moderate size, and pairs whose first number is near 1.
fn pairs() -> Vec<(f32, f32)> {
    let special = special();
    let mut all: Vec<(f32, f32)> = special
        .iter()
        .flat_map(|x| special.iter().map(|y| (*x, *y)))
        .collect();
    let mut random = Random(1);
    let mut next = || random.below(1 << 32) as u32;
    for _ in 0..150_000 {
        all.push((f32::from_bits(next()), f32::from_bits(next())));
        // Finite powers: bases of moderate size, exponents up to 2^9.
        let base = f32::from_bits(next() % 0x1000_0000 + 0x3800_0000);
        let exponent = f32::from_bits(next() % 0x0800_0000 + 0x3c80_0000);
        all.push((base, exponent));
        let near = f32::from_bits(next() % 0x0002_0000 + 0x3f7f_0000);
        all.push((near, -exponent * 64.0));
    }
    all
}

#[track_caller]
fn check_pairs(name: &str, exact: fn(f64, f64) -> f64) {
    let bound = bound(name);
    let mut worst = (0.0, (0.0, 0.0));
    for (x, y) in pairs() {
        let found = function(&mut Evaluation, name, &[x, y]).expect("it is a function");
        let distance = ulps(found, exact(f64::from(x), f64::from(y)));
        if distance > worst.0 {
            worst = (distance, (x, y));
        }
    }
    let (distance, (x, y)) = worst;
    println!("{name}: {distance:.3} ulp at {x:e}, {y:e}");
    assert!(
        distance <= bound,
        "{name}({x:e}, {y:e}) = {:?} is {distance} ulp from {:e}, expected at most {bound}",
        function(&mut Evaluation, name, &[x, y]),
        exact(f64::from(x), f64::from(y))
    );
}

#[test]
fn powers_are_within_their_bound() {
    check_pairs("powf", f64::powf);
}

#[test]
fn angles_of_points_are_within_their_bound() {
    check_pairs("atan2", f64::atan2);
}

#[test]
fn integer_powers_are_within_their_bound() {
    let exponents = [
        0,
        1,
        -1,
        2,
        3,
        -3,
        7,
        100,
        127,
        -149,
        255,
        256,
        1000,
        65_537,
        -99_999,
        16_777_217,
        123_456_789,
        i32::MAX,
        i32::MIN,
        -i32::MAX,
    ];
    let limit = bound("fpowi");
    let mut most = 0.0f64;
    for (x, _) in pairs().into_iter().take(60_000) {
        for n in exponents {
            let bits = n.cast_unsigned();
            let found =
                super::power::fpowi(&mut Evaluation, x, bits & !0xff, bits & 0xff, bits & 1);
            let exact = f64::from(x).powf(f64::from(n));
            let distance = ulps(found, exact);
            most = most.max(distance);
            assert!(
                distance <= limit,
                "{x:e}^{n} = {found:e}, not {exact:e}: {distance} ulp"
            );
        }
    }
}

#[test]
fn sine_and_cosine_come_together() {
    for x in [0.0f32, -0.0, 1.0, -2.5, 1e5, 1e30, f32::INFINITY] {
        let both = trigonometric::sincos(&mut Evaluation, x);
        let alone = ["sin", "cos"].map(|name| function(&mut Evaluation, name, &[x]).unwrap());
        assert_eq!(both.map(f32::to_bits), alone.map(f32::to_bits));
    }
}
