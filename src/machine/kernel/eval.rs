//! Arithmetic of one lane, on raw bits.

use super::float::FloatTy;
use super::op::{FloatOp, FloatPred, FloatUnary, IntOp, IntPred, IntUnary, PermuteMode};

/// The lowest `bits` bits set.
pub(super) const fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

/// Sign-extends the lowest `bits` bits.
pub(super) const fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}

/// `None` for a division that has no result.
pub(super) fn divide(op: IntOp, bits: u32, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let smallest = signed(1 << (bits - 1), bits);
    let result = match op {
        IntOp::UDiv => a.checked_div(b)?,
        IntOp::URem => a.checked_rem(b)?,
        IntOp::SDiv | IntOp::SRem if sb == 0 || (sb == -1 && sa == smallest) => return None,
        IntOp::SDiv => (sa / sb) as u64,
        _ => (sa % sb) as u64,
    };
    Some(result & mask(bits))
}

/// Integer operations other than divisions. Oversized shifts give a pattern that shows.
pub(super) fn int(op: IntOp, bits: u32, a: u64, b: u64) -> u64 {
    let m = mask(bits);
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let smallest = i128::from(signed(1 << (bits - 1), bits));
    let clamp = |v: i128| v.clamp(smallest, -smallest - 1) as u64 & m;
    let poison = 0x5a5a_5a5a_5a5a_5a5a & m;
    match op {
        IntOp::Add => a.wrapping_add(b) & m,
        IntOp::Sub => a.wrapping_sub(b) & m,
        IntOp::Mul => a.wrapping_mul(b) & m,
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
        IntOp::Shl | IntOp::LShr | IntOp::AShr if b >= u64::from(bits) => poison,
        IntOp::Shl => (a << b) & m,
        IntOp::LShr => a >> b,
        IntOp::AShr => (sa >> b) as u64 & m,
        IntOp::SMin => sa.min(sb) as u64 & m,
        IntOp::SMax => sa.max(sb) as u64 & m,
        IntOp::UMin => a.min(b),
        IntOp::UMax => a.max(b),
        IntOp::UAddSat => a.saturating_add(b).min(m),
        IntOp::USubSat => a.saturating_sub(b),
        IntOp::SAddSat => clamp(i128::from(sa) + i128::from(sb)),
        IntOp::SSubSat => clamp(i128::from(sa) - i128::from(sb)),
        IntOp::UMulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64 & m,
        IntOp::SMulHigh => ((i128::from(sa) * i128::from(sb)) >> bits) as u64 & m,
        IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem => {
            divide(op, bits, a, b).unwrap_or(poison)
        }
    }
}

pub(super) fn int_unary(op: IntUnary, bits: u32, a: u64) -> u64 {
    match op {
        IntUnary::CtPop => u64::from(a.count_ones()),
        IntUnary::CtLz => u64::from(a.leading_zeros() - (64 - bits)),
        IntUnary::CtTz => u64::from(a.trailing_zeros().min(bits)),
        IntUnary::BSwap => a.swap_bytes() >> (64 - bits),
        IntUnary::BitReverse => a.reverse_bits() >> (64 - bits),
        IntUnary::Abs => signed(a, bits).unsigned_abs() & mask(bits),
    }
}

pub(super) fn funnel(left: bool, bits: u32, hi: u64, lo: u64, amount: u64) -> u64 {
    let by = (amount % u64::from(bits)) as u32;
    let both = u128::from(hi) << bits | u128::from(lo);
    let moved = if left { both << by >> bits } else { both >> by };
    moved as u64 & mask(bits)
}

pub(super) fn compare(pred: IntPred, bits: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Slt => sa < sb,
        IntPred::Sle => sa <= sb,
        IntPred::Sgt => sa > sb,
        IntPred::Sge => sa >= sb,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
    }
}

pub(super) fn float_compare(pred: FloatPred, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match pred {
        FloatPred::False => false,
        FloatPred::Oeq => a == b,
        FloatPred::Ogt => a > b,
        FloatPred::Oge => a >= b,
        FloatPred::Olt => a < b,
        FloatPred::Ole => a <= b,
        FloatPred::One => !unordered && a != b,
        FloatPred::Ord => !unordered,
        FloatPred::Ueq => unordered || a == b,
        FloatPred::Ugt => unordered || a > b,
        FloatPred::Uge => unordered || a >= b,
        FloatPred::Ult => unordered || a < b,
        FloatPred::Ule => unordered || a <= b,
        FloatPred::Une => a != b,
        FloatPred::Uno => unordered,
        FloatPred::True => true,
    }
}

/// The formats up to binary32 are computed in binary32 and rounded once more, which is exact for
/// `+ - * /` on 16-bit formats because binary32 has more than twice their mantissa bits plus two.
pub(super) fn float(op: FloatOp, ty: FloatTy, a: u64, b: u64) -> u64 {
    match op {
        FloatOp::MaxNum | FloatOp::MinNum | FloatOp::Maximum | FloatOp::Minimum => {
            return min_max(op, ty, a, b);
        }
        FloatOp::CopySign => {
            let sign = 1 << (ty.bits() - 1);
            return (a & !sign) | (b & sign);
        }
        _ => {}
    }
    if ty == FloatTy::F64 {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        return arithmetic(op, x, y).to_bits();
    }
    match op {
        FloatOp::Add => ty.from_f32(ty.to_f32(a) + ty.to_f32(b)),
        FloatOp::Sub => ty.from_f32(ty.to_f32(a) - ty.to_f32(b)),
        FloatOp::Mul => ty.from_f32(ty.to_f32(a) * ty.to_f32(b)),
        FloatOp::Div => ty.from_f32(ty.to_f32(a) / ty.to_f32(b)),
        _ => ty.from_f64(arithmetic(op, ty.to_f64(a), ty.to_f64(b))),
    }
}

fn arithmetic(op: FloatOp, x: f64, y: f64) -> f64 {
    match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
        FloatOp::Pow => x.powf(y),
        FloatOp::Atan2 => x.atan2(y),
        _ => f64::NAN,
    }
}

/// Picks one of the operands, so that its bits survive.
fn min_max(op: FloatOp, ty: FloatTy, a: u64, b: u64) -> u64 {
    let (x, y) = (ty.to_f64(a), ty.to_f64(b));
    let nan_wins = matches!(op, FloatOp::Maximum | FloatOp::Minimum);
    let max = matches!(op, FloatOp::Maximum | FloatOp::MaxNum);
    if x.is_nan() || y.is_nan() {
        return if x.is_nan() == nan_wins { a } else { b };
    }
    // Zeros compare equal; -0 is the smaller one.
    let a_is_less = if x == y { x.is_sign_negative() } else { x < y };
    if a_is_less == max { b } else { a }
}

pub(super) fn float_unary(op: FloatUnary, ty: FloatTy, a: u64) -> u64 {
    let sign = 1u64 << (ty.bits() - 1);
    match op {
        FloatUnary::Neg => return a ^ sign,
        FloatUnary::Abs => return a & !sign,
        FloatUnary::Sqrt if ty != FloatTy::F64 => return ty.from_f32(ty.to_f32(a).sqrt()),
        _ => {}
    }
    let x = ty.to_f64(a);
    let result = match op {
        FloatUnary::Neg | FloatUnary::Abs => x,
        FloatUnary::Exp => x.exp(),
        FloatUnary::Exp2 => x.exp2(),
        FloatUnary::Exp10 => 10f64.powf(x),
        FloatUnary::Expm1 => x.exp_m1(),
        FloatUnary::Log => x.ln(),
        FloatUnary::Log2 => x.log2(),
        FloatUnary::Log10 => x.log10(),
        FloatUnary::Log1p => x.ln_1p(),
        FloatUnary::Sin => x.sin(),
        FloatUnary::Cos => x.cos(),
        FloatUnary::Tan => x.tan(),
        FloatUnary::Asin => x.asin(),
        FloatUnary::Acos => x.acos(),
        FloatUnary::Atan => x.atan(),
        FloatUnary::Sinh => x.sinh(),
        FloatUnary::Cosh => x.cosh(),
        FloatUnary::Tanh => x.tanh(),
        FloatUnary::Sqrt => x.sqrt(),
        FloatUnary::Rsqrt => 1.0 / x.sqrt(),
        FloatUnary::Cbrt => x.cbrt(),
        FloatUnary::Rcp => 1.0 / x,
        FloatUnary::Floor => x.floor(),
        FloatUnary::Ceil => x.ceil(),
        FloatUnary::Trunc => x.trunc(),
        FloatUnary::Round => x.round(),
        FloatUnary::RoundEven => x.round_ties_even(),
        FloatUnary::Erf => erf(x),
    };
    ty.from_f64(result)
}

/// The error function: its series near zero, the continued fraction of `erfc` far from it.
fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let z = x.abs();
    if z > 6.0 {
        return 1f64.copysign(x);
    }
    let factor = 2.0 / std::f64::consts::PI.sqrt();
    if z < 2.5 {
        let (mut term, mut sum, mut n) = (z, z, 0.0);
        while term.abs() > 1e-18 * sum.abs() && n < 200.0 {
            n += 1.0;
            term *= -z * z / n;
            sum += term / (2.0 * n + 1.0);
        }
        return (factor * sum).copysign(x);
    }
    let mut fraction = z;
    for k in (1..=60).rev() {
        fraction = z + f64::from(k) / 2.0 / fraction;
    }
    (1.0 - (-z * z).exp() * factor / 2.0 / fraction).copysign(x)
}

pub(super) fn fma(ty: FloatTy, a: u64, b: u64, c: u64) -> u64 {
    if ty == FloatTy::F32 {
        let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        return u64::from(x.mul_add(y, z).to_bits());
    }
    ty.from_f64(ty.to_f64(a).mul_add(ty.to_f64(b), ty.to_f64(c)))
}

pub(super) fn ldexp(ty: FloatTy, a: u64, exponent: i64) -> u64 {
    let exponent = exponent.clamp(-4000, 4000) as i32;
    // In two steps, since 2^exponent alone may be out of range.
    let half = exponent / 2;
    ty.from_f64(ty.to_f64(a) * 2f64.powi(half) * 2f64.powi(exponent - half))
}

pub(super) fn float_to_int(from: FloatTy, bits: u32, is_signed: bool, a: u64) -> u64 {
    let value = from.to_f64(a).trunc();
    if is_signed {
        let smallest = signed(1 << (bits - 1), bits);
        // `as` saturates and turns NaN into 0.
        ((value as i64).clamp(smallest, -(smallest + 1))) as u64 & mask(bits)
    } else {
        (value as u64).min(mask(bits))
    }
}

pub(super) fn int_to_float(bits: u32, is_signed: bool, to: FloatTy, a: u64) -> u64 {
    match (to, is_signed) {
        // Straight to binary32: a detour over binary64 would round twice.
        (FloatTy::F32, true) => u64::from((signed(a, bits) as f32).to_bits()),
        (FloatTy::F32, false) => u64::from((a as f32).to_bits()),
        (_, true) => to.from_f64(signed(a, bits) as f64),
        (_, false) => to.from_f64(a as f64),
    }
}

/// `nvvm.prmt`: picks four bytes of `b:a`.
pub(super) fn permute(mode: PermuteMode, a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (b << 32 | a & 0xffff_ffff).to_le_bytes();
    let low = (selector & 3) as usize;
    let pick: [usize; 4] = match mode {
        PermuteMode::Default => {
            return (0..4).fold(0, |result, index| {
                let nibble = (selector >> (4 * index)) as usize & 0xf;
                let byte = bytes[nibble & 7];
                let value = match nibble & 8 {
                    0 => byte,
                    _ if byte & 0x80 != 0 => 0xff,
                    _ => 0,
                };
                result | u64::from(value) << (8 * index)
            });
        }
        PermuteMode::F4e => [low, low + 1, low + 2, low + 3],
        PermuteMode::B4e => [low, (low + 7) % 8, (low + 6) % 8, (low + 5) % 8],
        PermuteMode::Rc8 => [low; 4],
        PermuteMode::Ecl => [low, low.max(1), low.max(2), low.max(3)],
        PermuteMode::Ecr => [0, low.min(1), low.min(2), low.min(3)],
        PermuteMode::Rc16 => {
            let base = (low & 1) * 2;
            [base, base + 1, base, base + 1]
        }
    };
    (0..4).fold(0, |result, index| {
        result | u64::from(bytes[pick[index]]) << (8 * index)
    })
}

/// AMD's `v_perm_b32`: selector bytes 0 to 7 pick a byte of `a:b`, 8 to 11 a sign, 12 zero, more ones.
pub(super) fn byte_permute(a: u64, b: u64, selector: u64) -> u64 {
    let both = a << 32 | b & 0xffff_ffff;
    (0..4).fold(0, |result, index| {
        let choice = selector >> (8 * index) & 0xff;
        let byte = match choice {
            0..=7 => both >> (8 * choice) & 0xff,
            8..=11 => ((both >> (16 * (choice - 8) + 15)) & 1) * 0xff,
            12 => 0,
            _ => 0xff,
        };
        result | byte << (8 * index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(op: IntOp, bits: u32, a: u64, b: u64, expect: u64) {
        assert_eq!(int(op, bits, a, b), expect, "{op:?} i{bits} {a:#x} {b:#x}");
    }

    #[test]
    fn integers_keep_their_width() {
        check(IntOp::Add, 8, 0xff, 2, 1);
        check(IntOp::Sub, 32, 0, 1, 0xffff_ffff);
        check(IntOp::Mul, 64, 1 << 63, 2, 0);
        check(IntOp::AShr, 16, 0x8000, 15, 0xffff);
        check(IntOp::SMin, 8, 0x80, 0x7f, 0x80);
        check(IntOp::UMin, 8, 0x80, 0x7f, 0x7f);
        check(IntOp::SAddSat, 8, 0x7f, 1, 0x7f);
        check(IntOp::SSubSat, 8, 0x80, 1, 0x80);
        check(IntOp::UMulHigh, 32, 0xffff_ffff, 0xffff_ffff, 0xffff_fffe);
        check(IntOp::SMulHigh, 32, 0xffff_ffff, 2, 0xffff_ffff);
        check(IntOp::SDiv, 32, 0xffff_fff9, 2, 0xffff_fffd);
        check(IntOp::SRem, 32, 0xffff_fff9, 2, 0xffff_ffff);
        assert_eq!(divide(IntOp::UDiv, 32, 1, 0), None);
        assert_eq!(divide(IntOp::SDiv, 8, 0x80, 0xff), None);
        assert_eq!(divide(IntOp::SRem, 8, 0x81, 0xff), Some(0));
        assert_eq!(int_unary(IntUnary::CtLz, 16, 1), 15);
        assert_eq!(int_unary(IntUnary::CtTz, 16, 0), 16);
        assert_eq!(int_unary(IntUnary::BSwap, 16, 0x1234), 0x3412);
        assert_eq!(int_unary(IntUnary::BitReverse, 8, 0x13), 0xc8);
        assert_eq!(int_unary(IntUnary::Abs, 8, 0xff), 1);
        assert_eq!(funnel(true, 32, 0x1234_5678, 0x9abc_def0, 8), 0x3456_789a);
        assert_eq!(funnel(false, 32, 0x1234_5678, 0x9abc_def0, 8), 0x789a_bcde);
    }

    #[test]
    fn floats_round_once() {
        let h = |x: f64| FloatTy::F16.from_f64(x);
        assert_eq!(
            float(FloatOp::Add, FloatTy::F16, h(2048.0), h(1.0)),
            h(2048.0)
        );
        assert_eq!(float(FloatOp::Div, FloatTy::F16, h(1.0), h(3.0)), 0x3555);
        let f = |x: f32| u64::from(x.to_bits());
        let nan = f(f32::NAN);
        assert_eq!(float(FloatOp::MaxNum, FloatTy::F32, nan, f(1.0)), f(1.0));
        assert_eq!(float(FloatOp::Maximum, FloatTy::F32, f(1.0), nan), nan);
        assert_eq!(
            float(FloatOp::Minimum, FloatTy::F32, f(0.0), f(-0.0)),
            f(-0.0)
        );
        assert_eq!(float_unary(FloatUnary::Exp2, FloatTy::F32, f(3.0)), f(8.0));
        assert_eq!(float_to_int(FloatTy::F32, 8, true, f(1000.0)), 0x7f);
        assert_eq!(float_to_int(FloatTy::F32, 32, true, f(-1.5)), 0xffff_ffff);
        assert_eq!(int_to_float(32, true, FloatTy::F32, 0xffff_ffff), f(-1.0));
        assert_eq!(ldexp(FloatTy::F32, f(1.0), -149), 1);
        assert!((erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
        assert!((erf(-3.0) + 0.999_977_909_503_001_4).abs() < 1e-15);
    }

    #[test]
    fn comparisons_say_what_their_names_do() {
        use FloatPred as P;
        // Less, equal, greater, unordered.
        for (predicate, expect) in [
            (P::False, [false, false, false, false]),
            (P::Oeq, [false, true, false, false]),
            (P::Ogt, [false, false, true, false]),
            (P::Oge, [false, true, true, false]),
            (P::Olt, [true, false, false, false]),
            (P::Ole, [true, true, false, false]),
            (P::One, [true, false, true, false]),
            (P::Ord, [true, true, true, false]),
            (P::Ueq, [false, true, false, true]),
            (P::Ugt, [false, false, true, true]),
            (P::Uge, [false, true, true, true]),
            (P::Ult, [true, false, false, true]),
            (P::Ule, [true, true, false, true]),
            (P::Une, [true, false, true, true]),
            (P::Uno, [false, false, false, true]),
            (P::True, [true, true, true, true]),
        ] {
            let pairs = [(1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0)];
            let found = pairs.map(|(a, b)| float_compare(predicate, a, b));
            assert_eq!(found, expect, "{predicate:?}");
            // A number that is no number is so on the right, too.
            assert_eq!(float_compare(predicate, 1.0, f64::NAN), expect[3]);
        }
    }

    #[test]
    fn floats_of_64_bits_are_those_of_the_host() {
        for (op, expect) in [
            (FloatOp::Add, 10.0),
            (FloatOp::Sub, 4.0),
            (FloatOp::Mul, 21.0),
            (FloatOp::Div, 7.0 / 3.0),
            (FloatOp::Rem, 1.0),
            (FloatOp::Pow, 343.0),
            (FloatOp::Atan2, 7f64.atan2(3.0)),
        ] {
            let found = float(op, FloatTy::F64, 7f64.to_bits(), 3f64.to_bits());
            assert_eq!(f64::from_bits(found), expect, "{op:?}");
        }
    }

    #[test]
    fn byte_permutes_follow_the_manuals() {
        let (a, b) = (0x0302_0100, 0x8706_0504);
        assert_eq!(permute(PermuteMode::Default, a, b, 0x5410), 0x0504_0100);
        assert_eq!(permute(PermuteMode::Default, a, b, 0x000f), 0x0000_00ff);
        assert_eq!(permute(PermuteMode::F4e, a, b, 1), 0x0403_0201);
        assert_eq!(permute(PermuteMode::B4e, a, b, 0), 0x0506_8700);
        assert_eq!(permute(PermuteMode::Rc8, a, b, 2), 0x0202_0202);
        assert_eq!(permute(PermuteMode::Ecl, a, b, 2), 0x0302_0202);
        assert_eq!(permute(PermuteMode::Ecr, a, b, 2), 0x0202_0100);
        assert_eq!(permute(PermuteMode::Rc16, a, b, 1), 0x0302_0302);
        assert_eq!(
            byte_permute(0x7766_5544, 0x3322_1100, 0x0706_0100),
            0x7766_1100
        );
        assert_eq!(byte_permute(0x8000_0000, 0, 0x0c0d_0b07), 0x00ff_ff80);
    }

    #[test]
    fn bounded_numbers_keep_their_width() {
        check(IntOp::SMin, 8, 5, 3, 3);
        check(IntOp::SMin, 8, 0xff, 3, 0xff);
        check(IntOp::SMax, 8, 5, 3, 5);
        check(IntOp::SMax, 8, 0xff, 0xfe, 0xff);
        check(IntOp::SSubSat, 8, 0x80, 1, 0x80);
        check(IntOp::LShr, 8, 0x80, 1, 0x40);
        check(IntOp::UMulHigh, 8, 0xff, 2, 1);
        check(IntOp::SMulHigh, 8, 0xff, 2, 0xff);
    }
}
