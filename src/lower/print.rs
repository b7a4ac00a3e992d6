//! `tt.print` and `tt.assert`. A print writes one line per element, by the owner.
//!
//! ```text
//! pid (0, 0, 0) idx ( 7) x: 1.500000
//! ```
//! Unlike Triton, replicas are not printed, and a scalar is printed once.

use super::declarations::literal;
use super::index::element_indices;
use super::memory::owner;
use super::program::barrier_effects;
use super::state::{Lowering, Outcome};
use super::types::{bits_of, element_of};
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{TensorType, element_name};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::ValueLike;

struct PrintArgument<'c> {
    format: String,
    value: Val<'c>,
}

pub(crate) fn print<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::Print::of(op).expect("the dispatch goes by kind");
    // Percent signs of the prefix are literal.
    let prefix = literal(view.prefix().bytes());
    let program: Vec<Val<'c>> = (0..3)
        .map(|axis| l.gpu.program_id(&mut l.e, axis))
        .collect();
    let operands = view.args();
    let signs = view.is_signed();
    if operands.is_empty() {
        return by_owner(l, None, |l| {
            l.print(&[b"pid (%u, %u, %u)", &*prefix, b"\n"].concat(), &program);
            Ok(())
        });
    }
    let several = operands.len() > 1;
    for (number, operand) in operands.into_iter().enumerate() {
        let is_signed = signs.get(number).is_some_and(|sign| *sign != 0);
        let which = if several {
            format!("(operand {number}) ")
        } else {
            String::new()
        };
        let layout = l.layout(operand.r#type())?;
        let layout = layout.as_deref();
        let (indices, widths) = match layout {
            Some(layout) => {
                let sizes = layout.unique.out_shape().map(|(_, size)| size);
                // The number of decimal digits of the largest index.
                let widths = sizes.map(|size| size.saturating_sub(1).max(1).ilog10() + 1);
                let widths: Vec<u32> = widths.collect();
                (element_indices(&mut l.e, l.gpu, layout), widths)
            }
            None => (vec![Vec::new()], Vec::new()),
        };
        let shape: Vec<String> = widths.iter().map(|width| format!("%{width}u")).collect();
        let registers = l.get(operand);
        let repeated = owner(l, layout).1;
        by_owner(l, Some(operand), |l| {
            for (register, index) in indices.iter().enumerate() {
                if register & repeated != 0 {
                    continue;
                }
                let argument = argument(l, operand, registers[register], is_signed, view.hex())?;
                let position = format!("pid (%u, %u, %u) idx ({})", shape.join(", "));
                let rest = format!("{which}{}\n", argument.format);
                let format = [position.as_bytes(), &prefix, rest.as_bytes()].concat();
                let values = [&program[..], index, &[argument.value]].concat();
                l.print(&format, &values);
            }
            Ok(())
        })?;
    }
    Ok(())
}

impl<'c> Lowering<'c> {
    fn print(&mut self, format: &[u8], values: &[Val<'c>]) {
        let mut declarations = self.declarations.borrow_mut();
        self.gpu
            .print(&mut self.e, &mut declarations, format, values);
    }
}

/// Emits `body` so that only the threads that own elements of `operand` execute it. If `operand` is a scalar or
/// `None`, only the first thread of the cluster executes `body`.
fn by_owner<'c>(
    l: &mut Lowering<'c>,
    operand: Option<Val<'c>>,
    body: impl FnOnce(&mut Lowering<'c>) -> Outcome,
) -> Outcome {
    let layout = match operand {
        Some(operand) => l.layout(operand.r#type())?,
        None => None,
    };
    let Some(is_owner) = owner(l, layout.as_deref()).0 else {
        return body(l);
    };
    let fork = l.e.fork(is_owner);
    let outcome = body(l);
    l.e.join_or(fork, &[], &[]);
    outcome
}

fn argument<'c>(
    l: &mut Lowering<'c>,
    operand: Val<'c>,
    value: Val<'c>,
    is_signed: bool,
    is_hex: bool,
) -> Result<PrintArgument<'c>, Diagnostic> {
    let element = element_of(operand.r#type());
    let type_ = value.r#type();
    if sys::is_llvm_pointer(type_) {
        let format = "%p".to_owned();
        return Ok(PrintArgument { format, value });
    }
    if sys::float_width(element) == Some(8) {
        return Err(Diagnostic::new(format!(
            "printing a value of `{}` is not supported",
            element_name(element)
        ))
        .note("convert the value to f16 with `tt.fp_to_fp` first"));
    }
    if sys::float_width(type_).is_some() {
        let f64 = l.e.types.f64;
        let value = if type_ == f64 {
            value
        } else {
            l.e.fpext(value, f64)
        };
        let format = if is_hex { "%a" } else { "%f" }.to_owned();
        return Ok(PrintArgument { format, value });
    }
    let bits = bits_of(type_);
    let length = if bits > 32 { "ll" } else { "" };
    let i32 = l.e.types.i32;
    let value = match (bits, is_signed) {
        (32.., _) => value,
        // Booleans are printed as 0 or 1.
        (1, _) | (_, false) => l.e.zext(value, i32),
        (_, true) => l.e.sext(value, i32),
    };
    let format = match (is_hex, is_signed) {
        (true, _) => format!("0x%0{}{length}x", (bits / 4).max(1)),
        (false, true) if bits > 1 => format!("%{length}i"),
        (false, _) => format!("%{length}u"),
    };
    Ok(PrintArgument { format, value })
}

/// Lowers `tt.assert`. If the condition is a tensor, a barrier follows the assertion.
pub(crate) fn assert<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::Assert::of(op).expect("the dispatch goes by kind");
    let condition = view.condition();
    let registers = l.get(condition);
    let failures: Vec<Val<'c>> = registers.iter().map(|r| l.e.is_zero(*r)).collect();
    let any = failures.into_iter().reduce(|a, b| l.e.or(a, b));
    let place = sys::file_location(l.e.location);
    let (file, line) = place.map_or(("unknown".to_owned(), 0), |place| (place.file, place.line));
    if let Some(any) = any {
        let fork = l.e.fork(any);
        let mut declarations = l.declarations.borrow_mut();
        l.gpu.fail(
            &mut l.e,
            &mut declarations,
            view.message().bytes(),
            &file,
            line,
        );
        drop(declarations);
        l.e.join_or(fork, &[], &[]);
    }
    if l.layout(condition.r#type())?.is_some() {
        l.gpu.block_barrier(&mut l.e);
    }
    Ok(())
}

pub(crate) fn assert_effects(op: Op<'_>) -> Effects {
    let view = tt::Assert::of(op).expect("the dispatch goes by kind");
    if TensorType::of(view.condition().r#type()).is_some() {
        barrier_effects()
    } else {
        Effects::default()
    }
}
