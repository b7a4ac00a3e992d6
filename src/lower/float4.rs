//! 4-bit floats: `ttg.fp4_to_fp` unpacks two numbers per byte, lower half first.
//!
//! ```text
//! 0b1_01_1 = -1.5    sign, exponent and mantissa of f4E2M1FN
//! 0x0600 as f16      the three low bits, moved to the exponent and mantissa of f16: 1.5 * 2^-14; times 2^14 is exact
//! ```
//! Two 16-bit results are computed together. The multiplication by a power of two also converts subnormal numbers.

use super::emit::Emitter;
use super::state::{Lowering, Outcome};
use crate::ir::builders::llvm;
use crate::ir::element_name;
use crate::ir::ops::ttg;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use melior::ir::{Type, ValueLike};

pub(crate) fn widen<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = ttg::Fp4ToFp::of(op).expect("the dispatch goes by kind");
    let types = l.types_of(view.result().r#type())?;
    let bytes = l.get(view.src());
    // Register bit 0 of the result selects the half of a byte, along any axis.
    if types.len() != 2 * bytes.len() {
        return Err(Diagnostic::new(format!(
            "requires two result elements per operand byte in each thread, but got {} bytes and {} elements",
            bytes.len(),
            types.len()
        ))
        .note(
            "give the result the layout of the operand, \
             with an additional first register basis vector along `axis`",
        ));
    }
    let f16 = Type::float16(l.e.context);
    let registers: Vec<Val<'c>> = bytes
        .iter()
        .zip(types.chunks(2))
        .map(|(byte, types)| {
            let words = if types[0] == f16 {
                in_f16(&mut l.e, *byte)
            } else if types[0] == Type::bfloat16(l.e.context) {
                in_bf16(&mut l.e, *byte)
            } else {
                return Err(Diagnostic::new(format!(
                    "conversion to `{}` is not supported on {}",
                    element_name(types[0]),
                    l.gpu.target.name
                ))
                .note("convert to f16 or bf16, then widen with `arith.extf`"));
            };
            let pair = l.e.vector_type(2, types[0]);
            let pair = l.e.bitcast(words, pair);
            Ok(l.e.scatter(pair, 2, types[0]))
        })
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    l.set(view.result(), registers);
    Ok(())
}

/// Moves the low half of a byte to bits 0..4, and the high half to bits 16..20. Other bits are unspecified.
fn spread<'c>(e: &mut Emitter<'c>, byte: Val<'c>) -> Val<'c> {
    let i32 = e.types.i32;
    let word = e.zext(byte, i32);
    let upper = e.shl(word, 12);
    e.or(word, upper)
}

/// Moves the signs of two 4-bit floats to the sign bits of two 16-bit floats. The argument is a result of the
/// function [`spread`].
fn signs<'c>(e: &mut Emitter<'c>, spread: Val<'c>) -> Val<'c> {
    let mask = e.i32(0x0008_0008);
    let signs = e.and(spread, mask);
    e.shl(signs, 12)
}

fn in_f16<'c>(e: &mut Emitter<'c>, byte: Val<'c>) -> Val<'c> {
    let (i32, f16) = (e.types.i32, Type::float16(e.context));
    let spread = spread(e, byte);
    let mask = e.i32(0x0007_0007);
    let sizes = e.and(spread, mask);
    let placed = e.shl(sizes, 9);
    let pair = e.vector_type(2, f16);
    let placed = e.bitcast(placed, pair);
    let up = e.float(f16, 2f64.powi(14));
    let up = e.gather(&[up, up]);
    let scaled = e.pure(llvm::fmul(placed, up));
    let bits = e.bitcast(scaled, i32);
    let signs = signs(e, spread);
    e.or(bits, signs)
}

/// Converts the two 4-bit floats in `byte` to bf16. They are first converted to f32, whose upper 16 bits are a
/// bf16.
fn in_bf16<'c>(e: &mut Emitter<'c>, byte: Val<'c>) -> Val<'c> {
    let (i32, f32) = (e.types.i32, e.types.f32);
    let word = e.zext(byte, i32);
    let up = e.float(f32, 2f64.powi(126));
    let [low, high] = [(0x07, 22), (0x70, 18)].map(|(mask, shift)| {
        let mask = e.i32(mask);
        let size = e.and(word, mask);
        let placed = e.shl(size, shift);
        let placed = e.bitcast(placed, f32);
        let scaled = e.pure(llvm::fmul(placed, up));
        e.bitcast(scaled, i32)
    });
    // The lower halves of both f32 are zero.
    let low = e.lshr(low, 16);
    let bits = e.or(low, high);
    let spread = spread(e, byte);
    let signs = signs(e, spread);
    e.or(bits, signs)
}
