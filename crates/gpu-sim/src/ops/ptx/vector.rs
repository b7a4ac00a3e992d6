//! Vector instructions of AMD GPUs in inline assembly: one result, up to three sources, all of 32 bits.
//!
//! Source: AMD's manuals of its instruction sets, "VOP1", "VOP2", "VOP3". Rounding and subnormal numbers are those of
//! IEEE 754; what an approximation loses is not simulated.

use super::Scope;
use super::text::{Arg, Name, parse_arg, split_args};
use crate::code::Reg;
use crate::decode::Done;
use crate::exec::Exec;
use crate::float::FloatTy;
use crate::ops::bytes;
use crate::ops::convert::float_to_int;
use crate::ops::{Instruction, Regs};

type Eval = fn(u64, u64, u64) -> u64;

/// A name, how many sources it has, and what it computes; names of several generations stand beside each other.
struct Row(&'static [&'static str], usize, Eval);

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

/// A function of each half of words.
fn halves(of: [u64; 3], one: impl Fn([f32; 3]) -> f32) -> u64 {
    [0, 16].iter().fold(0, |word, by| {
        word | FloatTy::F16.from_f32(one(of.map(|bits| half(bits >> by)))) << by
    })
}

const ROWS: &[Row] = &[
    Row(&["v_mov_b32"], 1, |a, _, _| a),
    Row(&["v_not_b32"], 1, |a, _, _| !a),
    Row(&["v_and_b32"], 2, |a, b, _| a & b),
    Row(&["v_or_b32"], 2, |a, b, _| a | b),
    Row(&["v_xor_b32"], 2, |a, b, _| a ^ b),
    Row(&["v_bfi_b32"], 3, |a, b, c| a & b | !a & c),
    Row(&["v_perm_b32"], 3, bytes::amd),
    Row(&["v_lshlrev_b32"], 2, |a, b, _| b << (a & 31)),
    Row(&["v_lshrrev_b32"], 2, |a, b, _| b >> (a & 31)),
    Row(&["v_ashrrev_i32"], 2, |a, b, _| {
        (signed(b) >> (a & 31)) as u64
    }),
    Row(&["v_add_u32", "v_add_nc_u32"], 2, |a, b, _| a + b),
    Row(&["v_sub_u32", "v_sub_nc_u32"], 2, |a, b, _| {
        a.wrapping_sub(b)
    }),
    Row(&["v_mul_lo_u32"], 2, |a, b, _| a.wrapping_mul(b)),
    Row(&["v_mul_hi_u32"], 2, |a, b, _| (a * b) >> 32),
    Row(&["v_max_i32"], 2, |a, b, _| signed(a).max(signed(b)) as u64),
    Row(&["v_min_i32"], 2, |a, b, _| signed(a).min(signed(b)) as u64),
    Row(&["v_max_u32"], 2, |a, b, _| a.max(b)),
    Row(&["v_min_u32"], 2, |a, b, _| a.min(b)),
    Row(&["v_add_f32"], 2, |a, b, _| bits(float(a) + float(b))),
    Row(&["v_sub_f32"], 2, |a, b, _| bits(float(a) - float(b))),
    Row(&["v_mul_f32"], 2, |a, b, _| bits(float(a) * float(b))),
    Row(&["v_fma_f32"], 3, |a, b, c| {
        bits(float(a).mul_add(float(b), float(c)))
    }),
    Row(&["v_max_f32", "v_max_num_f32"], 2, |a, b, _| {
        bits(float(a).max(float(b)))
    }),
    Row(&["v_min_f32", "v_min_num_f32"], 2, |a, b, _| {
        bits(float(a).min(float(b)))
    }),
    Row(&["v_floor_f32"], 1, |a, _, _| bits(float(a).floor())),
    Row(&["v_ceil_f32"], 1, |a, _, _| bits(float(a).ceil())),
    Row(&["v_trunc_f32"], 1, |a, _, _| bits(float(a).trunc())),
    Row(&["v_rndne_f32"], 1, |a, _, _| {
        bits(float(a).round_ties_even())
    }),
    Row(&["v_exp_f32"], 1, |a, _, _| bits(float(a).exp2())),
    Row(&["v_log_f32"], 1, |a, _, _| bits(float(a).log2())),
    Row(&["v_rcp_f32"], 1, |a, _, _| bits(float(a).recip())),
    Row(&["v_sqrt_f32"], 1, |a, _, _| bits(float(a).sqrt())),
    Row(&["v_rsq_f32"], 1, |a, _, _| bits(float(a).sqrt().recip())),
    Row(&["v_cvt_f32_i32"], 1, |a, _, _| bits(signed(a) as f32)),
    Row(&["v_cvt_f32_u32"], 1, |a, _, _| bits(a as f32)),
    Row(&["v_cvt_i32_f32"], 1, |a, _, _| {
        float_to_int(FloatTy::F32, 32, true, a)
    }),
    Row(&["v_cvt_u32_f32"], 1, |a, _, _| {
        float_to_int(FloatTy::F32, 32, false, a)
    }),
    Row(&["v_cvt_f32_f16"], 1, |a, _, _| bits(half(a))),
    Row(&["v_cvt_f16_f32"], 1, |a, _, _| {
        FloatTy::F16.from_f32(float(a))
    }),
    Row(&["v_pk_add_f16"], 2, |a, b, _| {
        halves([a, b, 0], |[a, b, _]| a + b)
    }),
    Row(&["v_pk_mul_f16"], 2, |a, b, _| {
        halves([a, b, 0], |[a, b, _]| a * b)
    }),
];

/// The names of the instructions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|row| row.0.iter().copied())
}

/// A function of up to three words.
#[derive(Debug)]
struct Vector {
    eval: Eval,
    dst: Reg,
    of: [Reg; 3],
}

impl Instruction for Vector {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], self.of)
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        let eval = self.eval;
        exec.map3(self.dst, self.of, |a, b, c| eval(a, b, c) & WORD);
        Ok(())
    }
}

/// Decodes one instruction.
pub(super) fn statement(s: &mut Scope<'_, '_>, text: &str) -> Done {
    let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    // How many words an instruction takes says nothing about what it does.
    let bare = name.trim_end_matches("_e32").trim_end_matches("_e64");
    let Some(Row(_, count, eval)) = ROWS.iter().find(|row| row.0.contains(&bare)) else {
        let known: Vec<&str> = names().collect();
        return Err(s
            .unsupported(format!("inline assembly: `{name}` is not supported"))
            .note(format!("supported are waits, and {}", known.join(", "))));
    };
    let operands: Vec<Arg> = split_args(operands)
        .into_iter()
        .map(operand)
        .collect::<Result<_, _>>()
        .map_err(|problem| s.unsupported(format!("inline assembly: {problem} is not supported")))?;
    let [result @ Arg::Name(Name::Operand(_)), sources @ ..] = &operands[..] else {
        return Err(s.unsupported(format!(
            "inline assembly: `{text}`: a result that is no operand is not supported"
        )));
    };
    if sources.len() != *count {
        return Err(s.malformed(format!(
            "inline assembly: `{name}`: {} sources, expected {count}",
            sources.len()
        )));
    }
    let zero = s.d.b.constant(0);
    let mut of = [zero; 3];
    for (reg, source) in of.iter_mut().zip(sources) {
        *reg = s.read_sized(source, 32)?;
    }
    let eval = *eval;
    let reg = s.d.emit(|dst| Vector { eval, dst, of });
    s.write(result, reg, None)
}

/// An operand of the operation, or a number: `$1`, `16`, `0x3f800000`, `-1.5`.
fn operand(text: &str) -> Result<Arg, String> {
    if text.contains('.')
        && let Ok(number) = text.parse::<f32>()
    {
        return Ok(Arg::Immediate(bits(number)));
    }
    match parse_arg(text)? {
        arg @ (Arg::Immediate(_) | Arg::Name(Name::Operand(_))) => Ok(arg),
        _ => Err(format!("operand `{text}`")),
    }
}
