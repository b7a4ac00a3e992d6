//! Matrix instructions, as an intrinsic or as one multiply-add per lane.

use super::ProgramEmitter;
use crate::ir::builders::llvm;
use crate::lower::emit::Emitter;
use crate::lower::float8;
use crate::lower::plans::wrong;
use crate::lower::types::bits_of;
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use linear_layout::plan::program::{ScaleWord, ValueId};
use linear_layout::target::{Argument, Float8, Number, Product, Scalar, TileOperand};
use melior::ir::{Type, ValueLike};

impl<'c> ProgramEmitter<'_, 'c> {
    /// Emits the matrix instruction that `row` of the instruction table describes.
    ///
    /// `lists` contains the registers of A, B and the accumulator. The results get consecutive value numbers,
    /// beginning at `first`.
    pub(super) fn multiply(
        &mut self,
        first: ValueId,
        lists: [&[ValueId]; 3],
        scales: [Option<ScaleWord>; 2],
        row: &Product,
    ) -> Result<(), Diagnostic> {
        let registers = lists
            .map(|list| -> Vec<Val<'c>> { list.iter().map(|value| self.get(*value)).collect() });
        let Some(intrinsic) = &row.intrinsic else {
            let sum = self.multiply_in_lane(row, &registers)?;
            self.set(first, sum);
            return Ok(());
        };
        let scales = scales.map(|word| Some((self.get(word?.word), word?.selector)));
        let e = &mut self.l.e;
        let operands: Vec<Vec<Val<'c>>> = (registers.iter().zip(&row.operands))
            .map(|(registers, operand)| to_operand(e, registers, operand))
            .collect();
        let calls = row.calls.map_or(1, |calls| 1usize << calls.count_log2);
        let type_ = type_of(e, &row.operands[2]);
        let mut sums = operands[2].clone();
        for (call, index) in (0..calls).zip(0..) {
            let part = |operand: usize| -> &[Val<'c>] {
                let all = &operands[operand];
                match row.calls {
                    Some(calls) if calls.operand == operand => {
                        let each = all.len() >> calls.count_log2;
                        &all[call * each..][..each]
                    }
                    _ => all,
                }
            };
            let mut arguments = Vec::new();
            for argument in &row.arguments {
                match *argument {
                    Argument::Operand(2) => arguments.extend(&sums),
                    Argument::Operand(i) => arguments.extend(part(i)),
                    Argument::Constant { bits, value } => {
                        let type_ = e.int_type(bits);
                        arguments.push(e.constant(type_, value.cast_signed()));
                    }
                    Argument::CallIndex { bits } => {
                        let type_ = e.int_type(bits);
                        arguments.push(e.constant(type_, index));
                    }
                    Argument::Scales(factor) => {
                        let one = neutral_scales(row, scales.iter().all(Option::is_none));
                        let type_ = e.types.i32;
                        let word = scales[factor].map(|(word, _)| word);
                        arguments.push(word.unwrap_or_else(|| e.constant(type_, one.into())));
                    }
                    Argument::Selector { factor, bits } => {
                        let type_ = e.int_type(bits);
                        let selector = scales[factor].map_or(0, |(_, selector)| selector);
                        arguments.push(e.constant(type_, selector.into()));
                    }
                }
            }
            let count = sums.len();
            let whole = match count {
                1 => type_,
                count => e.struct_type(&vec![type_; count]),
            };
            let result = e.call_intrinsic(intrinsic, &arguments, whole);
            sums = match count {
                1 => vec![result],
                count => (0..count)
                    .map(|i| e.extract_value(result, i, type_))
                    .collect(),
            };
        }
        let register = registers[2][0].r#type();
        let sum = &row.operands[2];
        let each = (sum.vector * sum.scalar.bits() / bits_of(register)) as usize;
        let mut id = first;
        for part in sums {
            let split = match each {
                1 => vec![self.l.e.bitcast(part, register)],
                each => {
                    let vector = self.l.e.vector_type(each, register);
                    let part = self.l.e.bitcast(part, vector);
                    self.l.e.scatter(part, each, register)
                }
            };
            for value in split {
                self.set(id, value);
                id = id.plus(1);
            }
        }
        Ok(())
    }

    fn multiply_in_lane(
        &mut self,
        row: &Product,
        registers: &[Vec<Val<'c>>; 3],
    ) -> Result<Val<'c>, Diagnostic> {
        let sum = registers[2][0];
        let type_ = sum.r#type();
        let mut factors = Vec::with_capacity(2);
        for (registers, number) in registers.iter().zip(row.factors) {
            factors.push(self.widened(registers[0], number, type_)?);
        }
        let e = &mut self.l.e;
        if row.sum.is_integer() {
            let product = e.mul(factors[0], factors[1]);
            return Ok(e.add(product, sum));
        }
        Ok(e.pure(llvm::intr_fma(factors[0], factors[1], sum)))
    }

    fn widened(
        &mut self,
        value: Val<'c>,
        number: Number,
        to: Type<'c>,
    ) -> Result<Val<'c>, Diagnostic> {
        if value.r#type() == to {
            return Ok(value);
        }
        if number.is_integer() {
            return Ok(self.l.e.sext(value, to));
        }
        if let Some(from) = Float8::of(number.ir_name()) {
            let widened = float8::widen(self.l, &[value], from, to);
            return Ok(widened[0]);
        }
        if bits_of(value.r#type()) < bits_of(to) {
            return Ok(self.l.e.fpext(value, to));
        }
        let from = value.r#type();
        Err(wrong(format!(
            "a factor of `{from}` is multiplied into a sum of `{to}`"
        )))
    }
}

/// Returns the scale word that the instruction takes for an operand without scales: four scales that are 1. If
/// `are_none` is true, neither operand has scales, and the instruction may require a different word. Returns 0 if
/// the instruction takes no scales.
fn neutral_scales(row: &Product, are_none: bool) -> u32 {
    match &row.scales {
        Some(scales) if are_none => scales.absent,
        Some(scales) => u32::from_ne_bytes([scales.number.one(); 4]),
        None => 0,
    }
}

fn type_of<'c>(e: &Emitter<'c>, operand: &TileOperand) -> Type<'c> {
    let scalar = match operand.scalar {
        Scalar::F16 => Type::float16(e.context),
        Scalar::Bf16 => Type::bfloat16(e.context),
        Scalar::F32 => e.types.f32,
        Scalar::F64 => Type::float64(e.context),
        Scalar::Int(bits) => e.int_type(bits),
    };
    match operand.vector {
        1 => scalar,
        count => e.vector_type(count as usize, scalar),
    }
}

fn to_operand<'c>(
    e: &mut Emitter<'c>,
    registers: &[Val<'c>],
    operand: &TileOperand,
) -> Vec<Val<'c>> {
    let type_ = type_of(e, operand);
    let each = operand.vector * operand.scalar.bits() / bits_of(registers[0].r#type());
    let parts = registers.chunks(each.max(1) as usize);
    parts
        .map(|part| match part {
            [one] => e.bitcast(*one, type_),
            // A vector of floats lets LLVM round two f32 for one word by one instruction.
            many => {
                let whole = e.gather(many);
                e.bitcast(whole, type_)
            }
        })
        .collect()
}
