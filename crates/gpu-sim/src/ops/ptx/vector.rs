//! Vector instructions of AMD GPUs in inline assembly, with one result and up to three 32-bit sources.
//!
//! Source: AMD's ISA manuals, "VOP1", "VOP2", "VOP3". Rounding and subnormals follow IEEE 754. Approximations are
//! computed exactly.

use super::AsmScope;
use super::text::{Name, PtxOperand, parse_arg, split_args};
use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::exec::{Exec, Instruction, Regs};
use crate::float::{FloatTy, float_to_int};
use crate::ops::bytes;

type Eval = fn(u64, u64, u64) -> u64;

/// An AMD vector instruction: (names of the instruction in several GPU generations, number of sources, function
/// that computes the result).
struct VectorRow(&'static [&'static str], usize, Eval);

const WORD: u64 = 0xffff_ffff;

fn float(bits: u64) -> f32 {
    FloatTy::F32.to_f32(bits)
}

fn bits(value: f32) -> u64 {
    FloatTy::F32.from_f32(value)
}

fn signed(bits: u64) -> i32 {
    (bits as u32).cast_signed()
}

fn half(bits: u64) -> f32 {
    FloatTy::F16.to_f32(bits & 0xffff)
}

/// Applies `one` to the lower f16 halves of the three sources, and then to their upper halves. Packs the two
/// results into a 32-bit word.
fn halves(of: [u64; 3], one: impl Fn([f32; 3]) -> f32) -> u64 {
    [0, 16].iter().fold(0, |word, by| {
        word | FloatTy::F16.from_f32(one(of.map(|bits| half(bits >> by)))) << by
    })
}

const ROWS: &[VectorRow] = &[
    VectorRow(&["v_mov_b32"], 1, |a, _, _| a),
    VectorRow(&["v_not_b32"], 1, |a, _, _| !a),
    VectorRow(&["v_and_b32"], 2, |a, b, _| a & b),
    VectorRow(&["v_or_b32"], 2, |a, b, _| a | b),
    VectorRow(&["v_xor_b32"], 2, |a, b, _| a ^ b),
    VectorRow(&["v_bfi_b32"], 3, |a, b, c| a & b | !a & c),
    VectorRow(&["v_perm_b32"], 3, bytes::amd),
    VectorRow(&["v_lshlrev_b32"], 2, |a, b, _| b << (a & 31)),
    VectorRow(&["v_lshrrev_b32"], 2, |a, b, _| b >> (a & 31)),
    VectorRow(&["v_ashrrev_i32"], 2, |a, b, _| {
        (signed(b) >> (a & 31)) as u64
    }),
    VectorRow(&["v_add_u32", "v_add_nc_u32"], 2, |a, b, _| a + b),
    VectorRow(&["v_sub_u32", "v_sub_nc_u32"], 2, |a, b, _| {
        a.wrapping_sub(b)
    }),
    VectorRow(&["v_mul_lo_u32"], 2, |a, b, _| a.wrapping_mul(b)),
    VectorRow(&["v_mul_hi_u32"], 2, |a, b, _| (a * b) >> 32),
    VectorRow(&["v_max_i32"], 2, |a, b, _| signed(a).max(signed(b)) as u64),
    VectorRow(&["v_min_i32"], 2, |a, b, _| signed(a).min(signed(b)) as u64),
    VectorRow(&["v_max_u32"], 2, |a, b, _| a.max(b)),
    VectorRow(&["v_min_u32"], 2, |a, b, _| a.min(b)),
    VectorRow(&["v_add_f32"], 2, |a, b, _| bits(float(a) + float(b))),
    VectorRow(&["v_sub_f32"], 2, |a, b, _| bits(float(a) - float(b))),
    VectorRow(&["v_mul_f32"], 2, |a, b, _| bits(float(a) * float(b))),
    VectorRow(&["v_fma_f32"], 3, |a, b, c| {
        bits(float(a).mul_add(float(b), float(c)))
    }),
    VectorRow(&["v_max_f32", "v_max_num_f32"], 2, |a, b, _| {
        bits(float(a).max(float(b)))
    }),
    VectorRow(&["v_min_f32", "v_min_num_f32"], 2, |a, b, _| {
        bits(float(a).min(float(b)))
    }),
    VectorRow(&["v_floor_f32"], 1, |a, _, _| bits(float(a).floor())),
    VectorRow(&["v_ceil_f32"], 1, |a, _, _| bits(float(a).ceil())),
    VectorRow(&["v_trunc_f32"], 1, |a, _, _| bits(float(a).trunc())),
    VectorRow(&["v_rndne_f32"], 1, |a, _, _| {
        bits(float(a).round_ties_even())
    }),
    VectorRow(&["v_exp_f32"], 1, |a, _, _| bits(float(a).exp2())),
    VectorRow(&["v_log_f32"], 1, |a, _, _| bits(float(a).log2())),
    VectorRow(&["v_rcp_f32"], 1, |a, _, _| bits(float(a).recip())),
    VectorRow(&["v_sqrt_f32"], 1, |a, _, _| bits(float(a).sqrt())),
    VectorRow(&["v_rsq_f32"], 1, |a, _, _| bits(float(a).sqrt().recip())),
    VectorRow(&["v_cvt_f32_i32"], 1, |a, _, _| bits(signed(a) as f32)),
    VectorRow(&["v_cvt_f32_u32"], 1, |a, _, _| bits(a as f32)),
    VectorRow(&["v_cvt_i32_f32"], 1, |a, _, _| {
        float_to_int(FloatTy::F32, 32, true, a)
    }),
    VectorRow(&["v_cvt_u32_f32"], 1, |a, _, _| {
        float_to_int(FloatTy::F32, 32, false, a)
    }),
    VectorRow(&["v_cvt_f32_f16"], 1, |a, _, _| bits(half(a))),
    VectorRow(&["v_cvt_f16_f32"], 1, |a, _, _| {
        FloatTy::F16.from_f32(float(a))
    }),
    VectorRow(&["v_pk_add_f16"], 2, |a, b, _| {
        halves([a, b, 0], |[a, b, _]| a + b)
    }),
    VectorRow(&["v_pk_mul_f16"], 2, |a, b, _| {
        halves([a, b, 0], |[a, b, _]| a * b)
    }),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|row| row.0.iter().copied())
}

#[derive(Debug)]
struct VectorInstruction {
    eval: Eval,
    dst: Reg,
    of: [Reg; 3],
}

impl Instruction for VectorInstruction {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], self.of)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let eval = self.eval;
        exec.map3(self.dst, self.of, |a, b, c| eval(a, b, c) & WORD);
        Ok(())
    }
}

pub(super) fn statement(s: &mut AsmScope<'_, '_>, text: &str) -> DecodeResult {
    let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    // The encoding suffix does not change the semantics.
    let bare = name.trim_end_matches("_e32").trim_end_matches("_e64");
    let Some(VectorRow(_, count, eval)) = ROWS.iter().find(|row| row.0.contains(&bare)) else {
        let known: Vec<&str> = names().collect();
        return Err(s
            .unsupported(format!("inline assembly: `{name}` is not supported"))
            .note(format!("supported are waits, and {}", known.join(", "))));
    };
    let operands: Vec<PtxOperand> = split_args(operands)
        .into_iter()
        .map(operand)
        .collect::<Result<_, _>>()
        .map_err(|problem| s.unsupported(format!("inline assembly: {problem} is not supported")))?;
    let [result @ PtxOperand::Name(Name::Operand(_)), sources @ ..] = &operands[..] else {
        return Err(s.unsupported(format!(
            "inline assembly: `{text}`: the result is not an operand such as `$0`"
        )));
    };
    if sources.len() != *count {
        return Err(s.malformed(format!(
            "inline assembly: `{name}` has {} sources, expected {count}",
            sources.len()
        )));
    }
    let zero = s.d.b.constant(0);
    let mut of = [zero; 3];
    for (reg, source) in of.iter_mut().zip(sources) {
        *reg = s.read_sized(source, 32)?;
    }
    let eval = *eval;
    let reg = s.d.emit(|dst| VectorInstruction { eval, dst, of });
    s.write(result, reg, None)
}

/// Parses a source of a vector instruction. A source is an operand of the assembly or a number: `$1`, `16`,
/// `0x3f800000`, `-1.5`.
fn operand(text: &str) -> Result<PtxOperand, String> {
    if text.contains('.')
        && let Ok(number) = text.parse::<f32>()
    {
        return Ok(PtxOperand::Immediate(bits(number)));
    }
    match parse_arg(text)? {
        arg @ (PtxOperand::Immediate(_) | PtxOperand::Name(Name::Operand(_))) => Ok(arg),
        _ => Err(format!("operand `{text}`")),
    }
}
