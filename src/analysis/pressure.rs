//! Register pressure of loops with matrix products.
//!
//! The estimate counts tensors that stay in registers during a whole iteration: loop-carried tensors, loop-invariant
//! operands of products, and the largest result of a product with an invariant accumulator. Operands computed in the
//! loop do not count, since a scheduler loads them shortly before the instructions that use them.

use crate::ir::ops::tt;
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use linear_layout::layout::Dim;
use linear_layout::target::Target;
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

/// Number of registers per thread that are reserved for addresses and scalars.
const OTHER_REGISTERS: u32 = 32;

/// Width of a pointer to global memory in bits.
const POINTER_BITS: u32 = 64;

/// Returns true if the tensors that a loop keeps in registers exceed the registers of a thread.
pub(crate) fn exceeds_registers(layouts: &Layouts, loop_op: Op<'_>, target: &Target) -> bool {
    let threads = ModuleInfo::around(loop_op).map_or(0, |info| info.threads_per_cta());
    words_through(layouts, loop_op) > registers_for_tensors(target, threads)
}

/// Returns the number of 32-bit registers that a thread can use for tensors without spills, in a block of `threads`
/// threads.
pub(crate) fn registers_for_tensors(target: &Target, threads: u64) -> u64 {
    let registers = target.registers_per_thread(u32::try_from(threads).unwrap_or(u32::MAX));
    registers.saturating_sub(OTHER_REGISTERS).into()
}

/// Returns the number of 32-bit words per thread that stay live during a whole iteration.
fn words_through<'c>(layouts: &Layouts, loop_op: Op<'c>) -> u64 {
    let carried = build::results(loop_op).into_iter();
    let carried: u64 = carried.map(|value| words(layouts, value.r#type())).sum();
    let mut invariant: HashMap<usize, u64> = HashMap::new();
    let mut largest = 0;
    for dot in build::in_order(loop_op).into_iter().filter_map(tt::Dot::of) {
        for operand in [dot.a(), dot.b()] {
            if !is_within(operand, loop_op) {
                invariant.insert(sys::value_id(operand), words(layouts, operand.r#type()));
            }
        }
        if !is_within(dot.c(), loop_op) {
            largest = words(layouts, dot.d().r#type()).max(largest);
        }
    }
    carried + invariant.values().sum::<u64>() + largest
}

/// Returns the number of 32-bit words per thread that a tensor needs; 0 for a type without layout.
pub(crate) fn words(layouts: &Layouts, type_: Type<'_>) -> u64 {
    let Some(tensor) = TensorType::of(type_) else {
        return 0;
    };
    let Ok(layout) = layouts.tensor(&tensor) else {
        return 0;
    };
    let bits = element_bits(tensor.element).unwrap_or(POINTER_BITS);
    (layout.unique.in_size(Dim::REGISTER) * u64::from(bits)).div_ceil(32)
}

/// Returns true if a value is defined in a loop or is loop-carried.
fn is_within<'c>(value: Val<'c>, loop_op: Op<'c>) -> bool {
    let mut around = match sys::block_of_argument(value) {
        Some(block) => build::operations(block).first().copied(),
        None => sys::defining_operation(value),
    };
    // Results of the loop itself are outside.
    while let Some(parent) = around.and_then(build::parent) {
        if parent == loop_op {
            return true;
        }
        around = Some(parent);
    }
    false
}
