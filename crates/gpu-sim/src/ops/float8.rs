//! Conversions to and from 8-bit floats.

use super::{Family, OpRow, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::exec::{Exec, Instruction, Marks, PoisonEffect, Regs, whole_if_all};
use crate::float::{FloatTy, TooLarge, float8_code};
use crate::ir::Operation;
use linear_layout::target::{FLOAT8, Float8};

pub(super) const FAMILY: Family = Family {
    title: "floats of 8 bits",
    operations: &[],
    intrinsics: &[INTRINSICS],
};

const INTRINSICS: &[OpRow] = &[
    row("llvm.amdgcn.cvt.pk.fp8.f32", |d, op| narrow(d, op, 4)),
    row("llvm.amdgcn.cvt.pk.bf8.f32", |d, op| narrow(d, op, 5)),
    row("llvm.amdgcn.cvt.pk.f32.fp8", |d, op| widen(d, op, 4)),
    row("llvm.amdgcn.cvt.pk.f32.bf8", |d, op| widen(d, op, 5)),
];

/// Packs two numbers as 8-bit floats into a half word, the first number into the lower byte.
#[derive(Debug)]
pub(crate) struct Narrow {
    pub(crate) format: Float8,
    pub(crate) too_large: TooLarge,
    pub(crate) from: FloatTy,
    pub(crate) dst: Reg,
    pub(crate) low: Reg,
    pub(crate) high: Reg,
}

impl Instruction for Narrow {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.low, self.high])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let of = |bits| {
            u64::from(float8_code(
                self.format,
                self.too_large,
                self.from.to_f64(bits),
            ))
        };
        exec.map2(self.dst, [self.low, self.high], |low, high| {
            of(low) | of(high) << 8
        });
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let byte = |reg, shift: u32| {
            if lane.bits(reg) == 0 {
                0
            } else {
                0xff << shift
            }
        };
        let undefined = byte(self.low, 0) | byte(self.high, 8);
        PoisonEffect::Results(lane.part(&[self.low, self.high], whole_if_all(undefined, 16)))
    }
}

/// Converts an 8-bit float to a wider float. The 8-bit float is byte `byte` of the register `src`.
#[derive(Debug)]
pub(crate) struct Widen {
    pub(crate) format: Float8,
    pub(crate) byte: u32,
    pub(crate) to: FloatTy,
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for Widen {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.map1(self.dst, self.src, |word| {
            let code = (word >> (8 * self.byte)) as u8;
            self.to.from_f64(self.format.value(code))
        });
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let undefined = lane.bits(self.src) >> (8 * self.byte) & 0xff;
        PoisonEffect::Results(lane.of(&[self.src]).filter(|_| undefined != 0))
    }
}

/// Replaces one half of the 32-bit word `old` with `half`: the upper half if `is_upper` is true, and the lower half
/// otherwise.
#[derive(Debug)]
struct Half {
    is_upper: bool,
    dst: Reg,
    old: Reg,
    half: Reg,
}

impl Instruction for Half {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.old, self.half])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let shift = if self.is_upper { 16 } else { 0 };
        exec.map2(self.dst, [self.old, self.half], |old, half| {
            old & !(0xffff << shift) & 0xffff_ffff | half << shift
        });
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let shift = if self.is_upper { 16 } else { 0 };
        let undefined =
            lane.bits(self.old) & !(0xffff << shift) | (lane.bits(self.half) & 0xffff) << shift;
        PoisonEffect::Results(lane.part(&[self.old, self.half], whole_if_all(undefined, 32)))
    }
}

fn format(d: &Decoder<'_>, op: &Operation, exponent_bits: u32) -> DecodeResult<Float8> {
    let mut formats = FLOAT8.into_iter();
    let family = d.machine.float8;
    formats
        .find(|f| Some(f.family) == family && f.exponent_bits == exponent_bits)
        .ok_or_else(|| d.unsupported(op, "the target GPU has no conversions of 8-bit floats"))
}

fn is_upper(d: &mut Decoder<'_>, op: &Operation, index: usize) -> DecodeResult<bool> {
    let word = d.scalar(op, index)?;
    match d.b.constant_of(word) {
        Some(word) => Ok(word & 1 != 0),
        None => Err(d.malformed(op, format!("operand {index} is not a constant"))),
    }
}

fn narrow(d: &mut Decoder<'_>, op: &Operation, exponent_bits: u32) -> DecodeResult {
    let format = format(d, op, exponent_bits)?;
    let [low, high, old] = d.scalars(op, [0, 1, 2])?;
    let is_upper = is_upper(d, op, 3)?;
    let half = d.emit(|dst| Narrow {
        format,
        too_large: TooLarge::Overflows,
        from: FloatTy::F32,
        dst,
        low,
        high,
    });
    let reg = d.emit(|dst| Half {
        is_upper,
        dst,
        old,
        half,
    });
    d.define(op, vec![reg])
}

fn widen(d: &mut Decoder<'_>, op: &Operation, exponent_bits: u32) -> DecodeResult {
    let format = format(d, op, exponent_bits)?;
    let src = d.scalar(op, 0)?;
    let first = 2 * u32::from(is_upper(d, op, 1)?);
    let regs: Vec<Reg> = [first, first + 1]
        .into_iter()
        .map(|byte| {
            d.emit(|dst| Widen {
                format,
                byte,
                to: FloatTy::F32,
                dst,
                src,
            })
        })
        .collect();
    d.define(op, regs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, too_large: TooLarge, value: f64, expect: u8) {
        let format = Float8::of(name).unwrap();
        assert_eq!(
            float8_code(format, too_large, value),
            expect,
            "{value} as {name}"
        );
    }

    #[test]
    fn codes_are_nearest_and_end_as_their_format_does() {
        use TooLarge::{Overflows, Saturates};
        check("f8E4M3FN", Saturates, 464.1, 0x7e);
        check("f8E4M3FN", Saturates, f64::NEG_INFINITY, 0xfe);
        check("f8E4M3FN", Overflows, 464.1, 0x7f);
        check("f8E5M2", Overflows, 61440.0, 0x7c);
        check("f8E5M2", Saturates, -61440.0, 0xfb);
        check("f8E5M2", Saturates, f64::NAN, 0x7f);
        check("f8E4M3FNUZ", Overflows, 248.0, 0x80);
        check("f8E4M3FNUZ", Overflows, -247.9, 0xff);
        check("f8E5M2FNUZ", Saturates, -0.0, 0);
        check("f8E5M2FNUZ", Saturates, -1e-9, 0);
        check("f8E4M3FN", Saturates, -1e-9, 0x80);
        // Ties to even.
        check("f8E4M3FN", Saturates, 17.0, 0x58);
        check("f8E4M3FN", Saturates, 19.0, 0x5a);
    }
}
