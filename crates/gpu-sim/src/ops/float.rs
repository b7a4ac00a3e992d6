//! Float arithmetic, and the maths libraries of CUDA and AMD.

mod library;
#[cfg(test)]
mod tests;

pub(crate) use library::{call, names as library_names, unary as library_unary};

use super::claim::fast_math;
use super::{Family, OpRow, row};
use crate::bits::signed;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, SlotKind};
use crate::exec::{Exec, Instruction, Regs};
use crate::float::FloatTy;
use crate::ir::Operation;
use crate::ops::convert::IntToFloat;

pub(super) const FAMILY: Family = Family {
    title: "float arithmetic",
    operations: &[BINARY_ROWS, UNARY_ROWS, OTHER_ROWS],
    intrinsics: &[INTRINSICS],
};

const INTRINSICS: &[OpRow] = &[row("llvm.amdgcn.fmed3", |d, op| {
    d.elementwise(op, |d, slot, dst, [a, b, c]| {
        let SlotKind::Float(ty) = slot.kind else {
            return false;
        };
        d.b.push(Median {
            ty,
            dst,
            of: [a, b, c],
        });
        true
    })
})];

/// Computes the median of three numbers. If one of them is NaN, computes the smallest of the other numbers.
#[derive(Debug)]
struct Median {
    ty: FloatTy,
    dst: Reg,
    of: [Reg; 3],
}

impl Instruction for Median {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], self.of)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let ty = self.ty;
        exec.map3(self.dst, self.of, |a, b, c| median(ty, [a, b, c]));
        Ok(())
    }
}

fn median(ty: FloatTy, of: [u64; 3]) -> u64 {
    let least = |a, b| pick(ty, a, b, false, false);
    let most = |a, b| pick(ty, a, b, true, false);
    let [a, b, c] = of;
    if of.iter().any(|bits| ty.to_f64(*bits).is_nan()) {
        return least(least(a, b), c);
    }
    most(least(a, b), least(most(a, b), c))
}

#[derive(Debug)]
pub(crate) struct FloatBinaryOp {
    pub(crate) eval: fn(FloatTy, u64, u64) -> u64,
    all: fn(&mut Exec<'_>, &Float),
}

/// Defines binary operations. A row has a Rust name, operation names, library names, and the bits of the result.
macro_rules! binary {
    ($($name:ident [$($operation:literal)*] [$($library:literal)*] |$ty:ident, $a:ident, $b:ident| $result:expr;)*) => {
        $(pub(crate) static $name: FloatBinaryOp = FloatBinaryOp {
            eval: |$ty, $a, $b| $result,
            all: |exec, f| {
                let $ty = f.ty;
                exec.map2(f.dst, [f.a, f.b], |$a, $b| $result);
            },
        };)*
        const BINARY_ROWS: &[OpRow] = &[$($(row($operation, |d, op| binary(d, op, &$name)),)*)*];
        const BINARY_LIBRARY: &[(&str, &FloatBinaryOp)] = &[$($(($library, &$name),)*)*];
    };
}

binary! {
    ADD ["llvm.fadd"] [] |ty, a, b| rounded(ty, a, b, |x, y| x + y, |x, y| x + y);
    SUB ["llvm.fsub"] [] |ty, a, b| rounded(ty, a, b, |x, y| x - y, |x, y| x - y);
    MUL ["llvm.fmul"] [] |ty, a, b| rounded(ty, a, b, |x, y| x * y, |x, y| x * y);
    DIV ["llvm.fdiv"] ["fdivide" "div"] |ty, a, b| rounded(ty, a, b, |x, y| x / y, |x, y| x / y);
    REM ["llvm.frem"] ["fmod"] |ty, a, b| wide2(ty, a, b, |x, y| x % y);
    // A number wins over a NaN.
    MAXNUM ["llvm.intr.maxnum"] ["fmax" "maxnum"] |ty, a, b| pick(ty, a, b, true, false);
    MINNUM ["llvm.intr.minnum"] ["fmin" "minnum"] |ty, a, b| pick(ty, a, b, false, false);
    // A NaN wins.
    MAXIMUM ["llvm.intr.maximum"] ["maximum"] |ty, a, b| pick(ty, a, b, true, true);
    MINIMUM ["llvm.intr.minimum"] ["minimum"] |ty, a, b| pick(ty, a, b, false, true);
    // The smaller absolute value, with the product of the signs.
    CLIP [] ["fmin.xorsign.abs"] |ty, a, b| signed_minimum(ty, a, b, false);
    CLIP_NAN [] ["fmin.nan.xorsign.abs"] |ty, a, b| signed_minimum(ty, a, b, true);
    POW ["llvm.intr.pow"] ["pow"] |ty, a, b| wide2(ty, a, b, f64::powf);
    COPYSIGN ["llvm.intr.copysign"] ["copysign"] |ty, a, b| a & !sign(ty) | b & sign(ty);
    ATAN2 ["llvm.intr.atan2"] ["atan2"] |ty, a, b| wide2(ty, a, b, f64::atan2);
}

const fn sign(ty: FloatTy) -> u64 {
    1 << (ty.bits() - 1)
}

/// Computes the result with `single` in binary32 and rounds it to `ty`. If `ty` is binary64, computes the result
/// with `double` instead. In 16-bit formats, rounding twice does not change the result of `+ - * /`, because
/// binary32 has 23 mantissa bits, more than 2 * 10 + 2.
#[inline]
fn rounded(
    ty: FloatTy,
    a: u64,
    b: u64,
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> u64 {
    match ty {
        FloatTy::F64 => double(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        _ => ty.from_f32(single(ty.to_f32(a), ty.to_f32(b))),
    }
}

/// Computes `result` of the two operands in binary64, and rounds it to the format `ty`.
#[inline]
fn wide2(ty: FloatTy, a: u64, b: u64, result: impl Fn(f64, f64) -> f64) -> u64 {
    ty.from_f64(result(ty.to_f64(a), ty.to_f64(b)))
}

#[inline]
fn wide(ty: FloatTy, a: u64, result: impl Fn(f64) -> f64) -> u64 {
    ty.from_f64(result(ty.to_f64(a)))
}

/// Returns the bits of the larger operand if `max` is true, otherwise of the smaller operand. If one operand is
/// NaN, returns the NaN if `nan_wins` is true, otherwise the number.
fn pick(ty: FloatTy, a: u64, b: u64, max: bool, nan_wins: bool) -> u64 {
    let (x, y) = (ty.to_f64(a), ty.to_f64(b));
    if x.is_nan() || y.is_nan() {
        return if x.is_nan() == nan_wins { a } else { b };
    }
    // Zeros compare equal, but -0 is the smaller zero.
    let a_is_less = if x == y { x.is_sign_negative() } else { x < y };
    if a_is_less == max { b } else { a }
}

#[inline]
fn signed_minimum(ty: FloatTy, a: u64, b: u64, nan_wins: bool) -> u64 {
    let least = pick(ty, a & !sign(ty), b & !sign(ty), false, nan_wins);
    least & !sign(ty) | (a ^ b) & sign(ty)
}

#[derive(Debug)]
pub(crate) struct Float {
    pub(crate) op: &'static FloatBinaryOp,
    pub(crate) ty: FloatTy,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for Float {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        (self.op.all)(exec, self);
        Ok(())
    }
}

fn binary(d: &mut Decoder<'_>, op: &Operation, of: &'static FloatBinaryOp) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [a, b]| {
        let SlotKind::Float(ty) = slot.kind else {
            return false;
        };
        d.b.push(Float {
            op: of,
            ty,
            dst,
            a,
            b,
        });
        fast_math(d, op, ty, dst, &[a, b, dst]);
        true
    })
}

#[derive(Debug)]
pub(crate) struct FloatUnaryOp {
    #[cfg(test)]
    eval: fn(FloatTy, u64) -> u64,
    all: fn(&mut Exec<'_>, &FloatUnary),
}

macro_rules! unary {
    ($($name:ident [$($operation:literal)*] [$($library:literal)*] |$ty:ident, $a:ident| $result:expr;)*) => {
        $(pub(crate) static $name: FloatUnaryOp = FloatUnaryOp {
            #[cfg(test)]
            eval: |$ty, $a| $result,
            all: |exec, f| {
                let $ty = f.ty;
                exec.map1(f.dst, f.a, |$a| $result);
            },
        };)*
        const UNARY_ROWS: &[OpRow] = &[$($(row($operation, |d, op| unary(d, op, &$name)),)*)*];
        const UNARY_LIBRARY: &[(&str, &FloatUnaryOp)] = &[$($(($library, &$name),)*)*];
    };
}

unary! {
    NEG ["llvm.fneg"] [] |ty, a| a ^ sign(ty);
    ABS ["llvm.intr.fabs"] ["fabs"] |ty, a| a & !sign(ty);
    EXP ["llvm.intr.exp"] ["exp"] |ty, a| wide(ty, a, f64::exp);
    EXP2 ["llvm.intr.exp2"] ["exp2" "ex2"] |ty, a| wide(ty, a, f64::exp2);
    EXP10 ["llvm.intr.exp10"] ["exp10"] |ty, a| wide(ty, a, |x| 10f64.powf(x));
    EXPM1 [] ["expm1"] |ty, a| wide(ty, a, f64::exp_m1);
    LOG ["llvm.intr.log"] ["log"] |ty, a| wide(ty, a, f64::ln);
    LOG2 ["llvm.intr.log2"] ["log2" "lg2"] |ty, a| wide(ty, a, f64::log2);
    LOG10 ["llvm.intr.log10"] ["log10"] |ty, a| wide(ty, a, f64::log10);
    LOG1P [] ["log1p"] |ty, a| wide(ty, a, f64::ln_1p);
    SIN ["llvm.intr.sin"] ["sin"] |ty, a| wide(ty, a, f64::sin);
    COS ["llvm.intr.cos"] ["cos"] |ty, a| wide(ty, a, f64::cos);
    TAN ["llvm.intr.tan"] ["tan"] |ty, a| wide(ty, a, f64::tan);
    ASIN ["llvm.intr.asin"] ["asin"] |ty, a| wide(ty, a, f64::asin);
    ACOS ["llvm.intr.acos"] ["acos"] |ty, a| wide(ty, a, f64::acos);
    ATAN ["llvm.intr.atan"] ["atan"] |ty, a| wide(ty, a, f64::atan);
    SINH ["llvm.intr.sinh"] ["sinh"] |ty, a| wide(ty, a, f64::sinh);
    COSH ["llvm.intr.cosh"] ["cosh"] |ty, a| wide(ty, a, f64::cosh);
    TANH ["llvm.intr.tanh"] ["tanh"] |ty, a| wide(ty, a, f64::tanh);
    SQRT ["llvm.intr.sqrt"] ["sqrt"] |ty, a| match ty {
        FloatTy::F64 => wide(ty, a, f64::sqrt),
        _ => ty.from_f32(ty.to_f32(a).sqrt()),
    };
    RSQRT [] ["rsqrt" "rsq"] |ty, a| wide(ty, a, |x| 1.0 / x.sqrt());
    CBRT [] ["cbrt"] |ty, a| wide(ty, a, f64::cbrt);
    RCP ["nvvm.rcp.approx.ftz.f"] ["rcp"] |ty, a| wide(ty, a, f64::recip);
    FLOOR ["llvm.intr.floor"] ["floor"] |ty, a| wide(ty, a, f64::floor);
    CEIL ["llvm.intr.ceil"] ["ceil"] |ty, a| wide(ty, a, f64::ceil);
    TRUNC ["llvm.intr.trunc"] ["trunc"] |ty, a| wide(ty, a, f64::trunc);
    // Ties round away from zero.
    ROUND ["llvm.intr.round"] ["round"] |ty, a| wide(ty, a, f64::round);
    // Ties round to even.
    ROUND_EVEN ["llvm.intr.roundeven" "llvm.intr.rint" "llvm.intr.nearbyint"] ["roundeven" "rint" "nearbyint"]
        |ty, a| wide(ty, a, f64::round_ties_even);
    ERF [] ["erf"] |ty, a| wide(ty, a, library::erf);
}

#[derive(Debug)]
pub(crate) struct FloatUnary {
    pub(crate) op: &'static FloatUnaryOp,
    pub(crate) ty: FloatTy,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
}

impl Instruction for FloatUnary {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        (self.op.all)(exec, self);
        Ok(())
    }
}

fn unary(d: &mut Decoder<'_>, op: &Operation, of: &'static FloatUnaryOp) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [a]| {
        let SlotKind::Float(ty) = slot.kind else {
            return false;
        };
        d.b.push(FloatUnary { op: of, ty, dst, a });
        fast_math(d, op, ty, dst, &[a, dst]);
        true
    })
}

const OTHER_ROWS: &[OpRow] = &[
    row("llvm.intr.fma", fma),
    row("llvm.intr.fmuladd", fma),
    row("llvm.intr.ldexp", |d, op| {
        with_exponent(d, op, |d, ty, bits, dst, [a, exponent]| {
            d.b.push(Ldexp {
                ty,
                dst,
                a,
                exponent,
                exponent_bits: bits,
            });
        })
    }),
    row("llvm.intr.powi", |d, op| {
        with_exponent(d, op, |d, ty, bits, dst, [a, exponent]| {
            let b = d.emit(|dst| IntToFloat {
                bits,
                signed: true,
                to: ty,
                dst,
                src: exponent,
            });
            d.b.push(Float {
                op: &POW,
                ty,
                dst,
                a,
                b,
            });
        })
    }),
];

/// Computes `a * b + c`, rounded once.
#[derive(Debug)]
pub(crate) struct Fma {
    pub(crate) ty: FloatTy,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
    pub(crate) c: Reg,
}

impl Instruction for Fma {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b, self.c])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (ty, of) = (self.ty, [self.a, self.b, self.c]);
        if ty == FloatTy::F32 {
            exec.map3(self.dst, of, |a, b, c| {
                let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
                u64::from(x.mul_add(y, z).to_bits())
            });
        } else {
            exec.map3(self.dst, of, |a, b, c| {
                ty.from_f64(ty.to_f64(a).mul_add(ty.to_f64(b), ty.to_f64(c)))
            });
        }
        Ok(())
    }
}

fn fma(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [a, b, c]| {
        let SlotKind::Float(ty) = slot.kind else {
            return false;
        };
        d.b.push(Fma { ty, dst, a, b, c });
        fast_math(d, op, ty, dst, &[a, b, c, dst]);
        true
    })
}

/// Computes `a * 2^exponent`.
#[derive(Debug)]
struct Ldexp {
    ty: FloatTy,
    dst: Reg,
    a: Reg,
    exponent: Reg,
    exponent_bits: u32,
}

impl Instruction for Ldexp {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.exponent])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (ty, bits) = (self.ty, self.exponent_bits);
        exec.map2(self.dst, [self.a, self.exponent], |a, exponent| {
            ldexp(ty, a, signed(exponent, bits))
        });
        Ok(())
    }
}

fn ldexp(ty: FloatTy, a: u64, exponent: i64) -> u64 {
    let exponent = exponent.clamp(-4000, 4000) as i32;
    // The scaling takes two steps, since 2^exponent alone may be out of range.
    let half = exponent / 2;
    ty.from_f64(ty.to_f64(a) * 2f64.powi(half) * 2f64.powi(exponent - half))
}

/// Decodes an operation on a float and an integer exponent. All elements of a vector may share a scalar
/// exponent. The arguments of `make` are the decoder, the float format, the exponent width, the result and the
/// operands.
fn with_exponent<'m>(
    d: &mut Decoder<'m>,
    op: &Operation,
    make: fn(&mut Decoder<'m>, FloatTy, u32, Reg, [Reg; 2]),
) -> DecodeResult {
    let (base, exponent) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let slots = d.flat(op, &base.ty)?;
    let Some(bits) = d.flat(op, &exponent.ty)?.first().map(|slot| slot.bits) else {
        return Err(d.malformed(op, "operand 1, the exponent, has no elements"));
    };
    let mut results = Vec::new();
    for (index, (slot, &a)) in slots.iter().zip(&*base.slots).enumerate() {
        let SlotKind::Float(ty) = slot.kind else {
            let text = format!("operand 0 has type `{}`, expected floats", base.ty);
            return Err(d.malformed(op, text));
        };
        let exponent = exponent.slots[index % exponent.slots.len()];
        let dst = d.b.reg();
        make(d, ty, bits, dst, [a, exponent]);
        fast_math(d, op, ty, dst, &[a, dst]);
        results.push(dst);
    }
    d.define(op, results)
}
