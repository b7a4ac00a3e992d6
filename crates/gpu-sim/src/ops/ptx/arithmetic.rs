//! PTX arithmetic: packed halves, conversions, bit operations, wide products.

use super::text::ptx_type;
use super::{AsmScope, StatementParts};
use crate::bits::mask;
use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::exec::{Exec, Instruction, Regs};
use crate::float::{FloatTy, RoundingMode};
use crate::ops::compare::compare_floats;
use crate::ops::convert::{
    IntToFloat, SignExtend, Trunc, convert_float, convert_to_integer, repack, round_float,
};
use crate::ops::float::{self, Float, FloatUnary, Fma};
use crate::ops::integer::{self, Int};

/// Returns the 16-bit float format that a PTX type names: bfloat16 for `bf16` and `bf16x2`, and binary16 for any
/// other word and for `None`.
fn half_format(word: Option<&&str>) -> FloatTy {
    match word {
        Some(&("bf16x2" | "bf16")) => FloatTy::BF16,
        _ => FloatTy::F16,
    }
}

/// Decodes an operation on pairs of 16-bit floats, such as `f16x2`. Each source operand holds two floats. `one`
/// emits the operation for the lower floats of all sources, and then for the upper floats. The two results are
/// packed into the 32-bit result operand.
fn on_halves<const N: usize>(
    s: &mut AsmScope<'_, '_>,
    line: &StatementParts<'_>,
    one: impl Fn(&mut AsmScope<'_, '_>, FloatTy, [Reg; N]) -> Reg,
) -> DecodeResult {
    let ty = half_format(line.words.last());
    let of: [Reg; N] = s.sources(line)?;
    let parts = of.map(|reg| repack(s.d, &[reg], 32, 16, 2));
    let made = [0, 1].map(|half| one(s, ty, std::array::from_fn(|n| parts[n][half])));
    let reg = repack(s.d, &made, 16, 32, 1)[0];
    s.result(line, reg)
}

pub(super) fn halves(
    s: &mut AsmScope<'_, '_>,
    line: &StatementParts<'_>,
    op: &'static float::FloatBinaryOp,
) -> DecodeResult {
    on_halves(s, line, |s, ty, [a, b]| {
        s.d.emit(|dst| Float { op, ty, dst, a, b })
    })
}

/// Decodes a binary operation on floats. The modifier `.ftz` is ignored: subnormal numbers are not flushed to zero.
pub(super) fn float(
    s: &mut AsmScope<'_, '_>,
    line: &StatementParts<'_>,
    op: &'static float::FloatBinaryOp,
) -> DecodeResult {
    let ty = line.float.unwrap_or(FloatTy::F32);
    let [a, b] = s.sources(line)?;
    let reg = s.d.emit(|dst| Float { op, ty, dst, a, b });
    s.result(line, reg)
}

/// Decodes `fma`, such as `fma.rn.f32 d, a, b, c`.
pub(super) fn fma(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let ty = line.float.unwrap_or(FloatTy::F32);
    let [a, b, c] = s.sources(line)?;
    let reg = s.d.emit(|dst| Fma { ty, dst, a, b, c });
    s.result(line, reg)
}

/// Decodes an approximate operation, such as `ex2.approx.ftz.f32 d, a`. The simulator does not approximate: it
/// computes the result with a library function, such as `exp2` for `ex2`.
pub(super) fn approximate(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let op = float::library_unary(line.words[0]).expect("each approximation is a library function");
    let ty = line.float.unwrap_or(FloatTy::F32);
    let [a] = s.sources(line)?;
    let reg = s.d.emit(|dst| FloatUnary { op, ty, dst, a });
    s.result(line, reg)
}

/// Returns the result format of `cvt`: the first modifier that is a type.
fn result_format(line: &StatementParts<'_>) -> FloatTy {
    let word = line.words[1..].iter().find(|word| ptx_type(word).is_some());
    word.and_then(|word| FloatTy::parse(word))
        .unwrap_or(FloatTy::F32)
}

/// Decodes a conversion between two float formats, such as `cvt.rn.bf16.f32 d, a`.
pub(super) fn convert(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [src] = s.sources(line)?;
    let from = line.float.unwrap_or(FloatTy::F32);
    let direction = match line.words.get(1) {
        Some(&"rz") => RoundingMode::TowardsZero,
        Some(&"rm") => RoundingMode::Downward,
        Some(&"rp") => RoundingMode::Upward,
        _ => RoundingMode::Nearest,
    };
    let reg = round_float(s.d, from, result_format(line), direction, src);
    s.result(line, reg)
}

/// Decodes a conversion of two f32 numbers to a packed pair of 16-bit floats, such as
/// `cvt.rn.f16x2.f32 d, high, low`.
pub(super) fn pair(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [high, low] = s.sources(line)?;
    let to = half_format(line.words.get(2));
    let made = [low, high].map(|src| convert_float(s.d, FloatTy::F32, to, src));
    let reg = repack(s.d, &made, 16, 32, 1)[0];
    s.result(line, reg)
}

/// Decodes a conversion of an integer to a float, such as `cvt.rn.f32.s32 d, a`.
pub(super) fn of_integer(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [whole] = s.sources(line)?;
    let (bits, signed, to) = (line.bits, line.signed, result_format(line));
    // The register may be wider than the number.
    let src = s.d.emit(|dst| Trunc {
        bits,
        dst,
        src: whole,
    });
    let reg = s.d.emit(|dst| IntToFloat {
        bits,
        signed,
        to,
        dst,
        src,
    });
    s.result(line, reg)
}

/// Decodes a conversion of a float to an integer, such as `cvt.rzi.s32.f32 d, a`. A number outside the range of the
/// integer type saturates, and NaN becomes 0.
pub(super) fn to_integer(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [a] = s.sources(line)?;
    let ty = line.float.unwrap_or(FloatTy::F32);
    let op = match line.words[1] {
        "rni" => &float::ROUND_EVEN,
        "rmi" => &float::FLOOR,
        "rpi" => &float::CEIL,
        _ => &float::TRUNC,
    };
    let whole = s.d.emit(|dst| FloatUnary { op, ty, dst, a });
    let to = ptx_type(line.words[2]).unwrap_or((32, true));
    let reg = convert_to_integer(s.d, ty, to, whole);
    s.result(line, reg)
}

/// An instruction that rounds a binary32 value to TF32, which has ten mantissa bits. It rounds to nearest, ties
/// away from zero.
#[derive(Debug)]
struct Tf32 {
    dst: Reg,
    src: Reg,
}

impl Instruction for Tf32 {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.map1(self.dst, self.src, |bits| {
            let is_finite = bits & 0x7f80_0000 != 0x7f80_0000;
            match is_finite {
                true => (bits + 0x1000) & 0xffff_e000,
                // Dropping mantissa bits of a NaN could give an infinity.
                false if bits & 0x7f_ffff != 0 => 0x7fff_ffff,
                false => bits,
            }
        });
        Ok(())
    }
}

pub(super) fn tf32(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [src] = s.sources(line)?;
    let reg = s.d.emit(|dst| Tf32 { dst, src });
    s.result(line, reg)
}

/// The `lop3` instruction: a bitwise function of three 32-bit words, given by its truth table of eight entries.
#[derive(Debug)]
struct Lop3 {
    table: u64,
    dst: Reg,
    of: [Reg; 3],
}

impl Instruction for Lop3 {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], self.of)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let table = self.table;
        exec.map3(self.dst, self.of, |a, b, c| {
            // Bit n of the table is the result where a, b and c are the bits of n.
            (0..8)
                .filter(|n| table >> n & 1 == 1)
                .map(|n| {
                    let [a, b, c] = [(a, 4), (b, 2), (c, 1)]
                        .map(|(word, bit)| if n & bit == 0 { !word } else { word });
                    a & b & c
                })
                .fold(0, |all, one| all | one)
                & mask(32)
        });
        Ok(())
    }
}

pub(super) fn lop3(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [a, b, c] = [1, 2, 3].map(|i| s.read_sized(&line.args[i], 32));
    let of = [a?, b?, c?];
    let super::text::PtxOperand::Immediate(table) = line.args[4] else {
        return Err(s.malformed("inline assembly: the table of `lop3` is not a number"));
    };
    let reg = s.d.emit(|dst| Lop3 { table, dst, of });
    s.result(line, reg)
}

/// The `shf` instruction: a funnel shift of a 64-bit number whose lower and upper halves are in two 32-bit
/// registers.
#[derive(Debug)]
struct WideFunnelShift {
    left: bool,
    clamps: bool,
    dst: Reg,
    of: [Reg; 3],
}

impl Instruction for WideFunnelShift {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], self.of)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (left, clamps) = (self.left, self.clamps);
        exec.map3(self.dst, self.of, |low, high, by| {
            shifted_words(left, clamps, [low, high], by)
        });
        Ok(())
    }
}

/// Shifts the 64-bit number whose 32-bit halves are `low` and `high`. Returns the upper word after a left shift, or
/// the lower word after a right shift. If `clamps` is true, the shift distance is `by`, but at most 32. Otherwise,
/// it is `by` modulo 32.
fn shifted_words(left: bool, clamps: bool, [low, high]: [u64; 2], by: u64) -> u64 {
    let by = by & mask(32);
    let by = if clamps { by.min(32) } else { by & 31 };
    let both = high << 32 | low & mask(32);
    let moved = if left { both << by >> 32 } else { both >> by };
    moved & mask(32)
}

/// Decodes the funnel shift `shf`, such as `shf.l.wrap.b32 d, low, high, distance`.
pub(super) fn funnel(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let of = s.sources(line)?;
    let (left, clamps) = (line.says("l"), line.says("clamp"));
    let reg = s.d.emit(|dst| WideFunnelShift {
        left,
        clamps,
        dst,
        of,
    });
    s.result(line, reg)
}

pub(super) fn not(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [a] = s.sources(line)?;
    let bits = line.bits;
    let b = s.d.b.constant(mask(bits));
    let op = &integer::XOR;
    let reg = s.d.emit(|dst| Int {
        op,
        bits,
        dst,
        a,
        b,
    });
    s.result(line, reg)
}

pub(super) fn negate(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [b] = s.sources(line)?;
    let bits = line.bits;
    let a = s.d.b.constant(0);
    let op = &integer::SUB;
    let reg = s.d.emit(|dst| Int {
        op,
        bits,
        dst,
        a,
        b,
    });
    s.result(line, reg)
}

/// Decodes `mul.wide`, an integer multiplication whose result is the full product, twice as wide as the factors.
pub(super) fn wide(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let of: [Reg; 2] = s.sources(line)?;
    let (from, to) = (line.bits, 2 * line.bits);
    let [a, b] = match line.signed {
        true => of.map(|src| s.d.emit(|dst| SignExtend { from, to, dst, src })),
        false => of,
    };
    let op = &integer::MUL;
    let reg = s.d.emit(|dst| Int {
        op,
        bits: to,
        dst,
        a,
        b,
    });
    s.result(line, reg)
}

/// Decodes `mad.lo`, an integer multiply-add that keeps the lower half of the product.
pub(super) fn mad(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [a, b, c] = s.sources(line)?;
    let bits = line.bits;
    let op = &integer::MUL;
    let product = s.d.emit(|dst| Int {
        op,
        bits,
        dst,
        a,
        b,
    });
    let op = &integer::ADD;
    let reg = s.d.emit(|dst| Int {
        op,
        bits,
        dst,
        a: product,
        b: c,
    });
    s.result(line, reg)
}

/// Decodes a comparison of floats, such as `setp.ltu.f32 p, a, b`.
pub(super) fn compare(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let of = s.sources(line)?;
    let ty = line.float.unwrap_or(FloatTy::F32);
    match compare_floats(s.d, line.words[1], ty, of) {
        Some(reg) => s.result(line, reg),
        None => Err(s.malformed(format!(
            "inline assembly: unknown comparison `{}`",
            line.words[1]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::shifted_words;

    /// Compares [`shifted_words`] with the definition in the PTX manual. The test evaluates this definition with
    /// 128-bit integers.
    #[test]
    fn funnel_shifts_follow_the_manual() {
        let words = [0, 1, 0x8000_0000, 0xffff_ffff, 0x1234_5678, 0x9abc_def0];
        for (low, high) in words.iter().flat_map(|&low| words.map(|high| (low, high))) {
            let both = u128::from(high) << 32 | u128::from(low);
            for by in (0..70).chain([0xffff_ffff]) {
                for (clamps, n) in [(false, by & 31), (true, by.min(32))] {
                    let left = (both << n >> 32) as u64 & 0xffff_ffff;
                    let right = (both >> n) as u64 & 0xffff_ffff;
                    assert_eq!(shifted_words(true, clamps, [low, high], by), left, "{by}");
                    assert_eq!(shifted_words(false, clamps, [low, high], by), right, "{by}");
                }
            }
        }
    }
}
