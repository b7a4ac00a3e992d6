//! Register pressure of loops with matrix products, of layout conversions and of functions.
//!
//! In a loop, tensors count if they stay in registers during a whole iteration: loop-carried tensors, loop-invariant
//! operands of products, and the largest result of a product with an invariant accumulator. Operands computed in the
//! loop do not count, since a scheduler loads them just in time.

use super::live_tensors::LiveTensors;
use crate::ir::ops::{scf, tt, ttg};
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use linear_layout::layout::Dim;
use linear_layout::target::Target;
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

/// Registers per thread reserved for addresses and scalars.
const OTHER_REGISTERS: u32 = 32;

const POINTER_BITS: u32 = 64;

/// Registers per thread for the parts of operands that a scheduler loads just in time.
const OPERAND_REGISTERS: u64 = 32;

/// Returns true if the tensors that stay live during a whole iteration of a loop exceed the registers of a thread, together with
/// parts of the operands that the loop computes.
pub(crate) fn exceeds_registers(layouts: &Layouts, loop_op: Op<'_>, target: &Target) -> bool {
    let words = |type_| words(layouts, type_);
    let dots = build::in_order(loop_op).into_iter().filter_map(tt::Dot::of);
    let mut operands = dots.flat_map(|dot| [dot.a(), dot.b()]);
    let parts = match operands.any(|operand| is_within(operand, loop_op)) {
        true => OPERAND_REGISTERS,
        false => 0,
    };
    let most = registers_for_tensors(target, threads_around(loop_op));
    words_through(loop_op, &words) + parts > most
}

/// Returns the maximum number of resident thread blocks per SM (or CU), given the registers that the loops in `op`
/// need. The estimate ignores layouts: it assumes that exactly one thread holds each element.
pub(crate) fn resident_blocks(op: Op<'_>, target: &Target) -> u32 {
    let threads = threads_around(op);
    let words = |type_| words_of_one(type_, threads);
    let loops = build::in_order(op).into_iter().filter(|op| is_loop(*op));
    let words = loops.map(|op| words_through(op, &words)).max().unwrap_or(0);
    resident(words, threads, 0, target)
}

/// Returns the maximum number of resident thread blocks per SM (or CU). Each block needs `shared_bytes` bytes of
/// shared memory, and registers for the loop-carried tensors. Tensors of pointers need no registers, since they
/// have a common base.
pub(crate) fn resident_blocks_of_loop(loop_op: Op<'_>, shared_bytes: u32, target: &Target) -> u32 {
    let threads = threads_around(loop_op);
    let carried = build::results(loop_op)
        .into_iter()
        .map(|value| value.r#type());
    let is_pointer = |type_| {
        let tensor = TensorType::of(type_);
        tensor.is_some_and(|tensor| sys::pointer(tensor.element).is_some())
    };
    let carried = carried.filter(|type_| !is_pointer(*type_));
    let words = carried.map(|type_| words_of_one(type_, threads)).sum();
    resident(words, threads, shared_bytes, target)
}

/// Returns the number of 32-bit words per thread that a tensor occupies if exactly one of `threads` threads holds
/// each element.
fn words_of_one(type_: Type<'_>, threads: u64) -> u64 {
    let tensor = TensorType::of(type_);
    let elements = tensor.map_or(0, |tensor| tensor.num_elements());
    let words = (elements * u64::from(element_bits_of(type_))).div_ceil(32);
    words.div_ceil(threads.max(1))
}

fn resident(words: u64, threads: u64, shared_bytes: u32, target: &Target) -> u32 {
    let registers = words.saturating_add(OTHER_REGISTERS.into());
    let [threads, registers] = [threads, registers].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    target.resident_blocks(threads, shared_bytes, registers)
}

/// Returns true if the live tensors of a function take more than 1.5 times the registers of a thread.
///
/// The estimate counts all tensors in full, although `ptxas` reorders operations so that fewer are live. On an H200, 16 kernels
/// of flash-linear-attention with 256 to 370 live words spill at most 368 bytes, and seven with 448 to 852 words up to 1 328,
/// with constants counted.
pub(crate) fn far_exceeds_registers(function: Op<'_>, layouts: &Layouts, target: &Target) -> bool {
    let threads = u32::try_from(threads_around(function)).unwrap_or(u32::MAX);
    let live = LiveTensors::of(function, layouts).most();
    2 * live > 3 * u64::from(target.registers_per_thread(threads))
}

/// An estimate of the registers per thread that a function needs.
pub(crate) struct RegisterEstimate {
    /// A lower bound: the registers for the largest operand or result of a layout conversion, and those reserved
    /// for addresses and scalars.
    pub(crate) at_conversions: u32,
    /// Maximum number of 32-bit words per thread that live tensors occupy.
    pub(crate) live: u64,
}

impl RegisterEstimate {
    /// Estimates the registers per thread that `function` needs. `ops` must yield the operations of `function`.
    pub(crate) fn of<'c>(
        function: Op<'c>,
        ops: impl Iterator<Item = Op<'c>>,
        layouts: &Layouts,
    ) -> Self {
        let conversions = ops.filter_map(ttg::ConvertLayout::of);
        let tensors = conversions.flat_map(|convert| [convert.src(), convert.result()]);
        let words = tensors.map(|tensor| words(layouts, tensor.r#type()));
        let words = words.max().unwrap_or_default();
        Self {
            at_conversions: u32::try_from(words)
                .unwrap_or(u32::MAX)
                .saturating_add(OTHER_REGISTERS),
            live: LiveTensors::of(function, layouts).most(),
        }
    }
}

fn threads_around(op: Op<'_>) -> u64 {
    ModuleInfo::around(op).map_or(0, |info| info.threads_per_cta())
}

/// Returns the number of 32-bit registers per thread that tensors can use without spills, given `threads`
/// threads per block.
pub(crate) fn registers_for_tensors(target: &Target, threads: u64) -> u64 {
    let registers = target.registers_per_thread(u32::try_from(threads).unwrap_or(u32::MAX));
    registers.saturating_sub(OTHER_REGISTERS).into()
}

/// Estimates the number of 32-bit words per thread that hold tensors which are live during a whole iteration of the
/// loop. `words(type)` returns the number of words per thread that a tensor of this type occupies.
fn words_through<'c>(loop_op: Op<'c>, words: &dyn Fn(Type<'c>) -> u64) -> u64 {
    let carried = build::results(loop_op).into_iter();
    let carried: u64 = carried.map(|value| words(value.r#type())).sum();
    let mut invariant: HashMap<usize, u64> = HashMap::new();
    let mut largest = 0;
    for dot in build::in_order(loop_op).into_iter().filter_map(tt::Dot::of) {
        for operand in [dot.a(), dot.b()] {
            if !is_within(operand, loop_op) {
                invariant.insert(sys::value_id(operand), words(operand.r#type()));
            }
        }
        if !is_within(converted_from(dot.c()), loop_op) {
            largest = words(dot.d().r#type()).max(largest);
        }
    }
    carried + invariant.values().sum::<u64>() + largest
}

/// Returns the number of 32-bit words per thread that a tensor occupies. The result is 0 for a type without a
/// layout.
pub(crate) fn words(layouts: &Layouts, type_: Type<'_>) -> u64 {
    let Some(tensor) = TensorType::of(type_) else {
        return 0;
    };
    let Ok(layout) = layouts.tensor(&tensor) else {
        return 0;
    };
    let bits = element_bits_of(type_);
    (layout.unique.in_size(Dim::REGISTER) * u64::from(bits)).div_ceil(32)
}

fn element_bits_of(type_: Type<'_>) -> u32 {
    let element = TensorType::of(type_).and_then(|tensor| element_bits(tensor.element));
    element.unwrap_or(POINTER_BITS)
}

pub(crate) fn is_loop(op: Op<'_>) -> bool {
    scf::For::of(op).is_some() || scf::While::of(op).is_some()
}

/// Returns the source of the chain of layout conversions that defines `value`, or `value` itself if there is no
/// conversion.
fn converted_from(value: Val<'_>) -> Val<'_> {
    let mut value = value;
    while let Some(convert) = sys::defining_operation(value).and_then(ttg::ConvertLayout::of) {
        value = convert.src();
    }
    value
}

/// Returns true for a value that is defined in the body of the loop, which includes the arguments of the body.
fn is_within<'c>(value: Val<'c>, loop_op: Op<'c>) -> bool {
    let op = match sys::block_of_argument(value) {
        Some(block) => build::operations(block).first().copied(),
        None => sys::defining_operation(value),
    };
    // Results of the loop itself are outside.
    op.is_some_and(|op| build::ancestors(op).any(|parent| parent == loop_op))
}
