//! `arith.constant`: scalars, splats and dense tensors.
//!
//! A register of a dense tensor becomes a constant if all threads hold the same element, a select tree if the element
//! depends on few bits of the thread index, and a load from a table otherwise.
//!
//! ```text
//! dense<[5, -6, 7, 8]>, two registers in each of two lanes
//! register 0: lane bit 0 is set ? 7 : 5     register 1: lane bit 0 is set ? 8 : -6
//! ```

use super::index::element_indices;
use super::state::{Lowering, Outcome};
use super::types::{bits_of, element_of};
use crate::ir::ops::arith;
use crate::ir::{TensorLayout, TensorType};
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use linear_layout::f2::apply_columns;
use linear_layout::layout::Dim;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// Maximum number of thread-index bits that are tested in a select tree. A deeper tree costs more than an address
/// computation and a load.
const MAX_SELECTED_BITS: usize = 3;

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let constant = arith::Constant::of(op).expect("the dispatch goes by kind");
    let (result, value) = (constant.result(), constant.value());
    let types = l.types_of(result.r#type())?;
    let tensor = TensorType::of(result.r#type());
    let element = match &tensor {
        None => value,
        Some(tensor) => match build::splat_value(value) {
            Some(element) => element,
            None => {
                let elements = build::dense_elements(value, tensor.shape).ok_or_else(|| {
                    Diagnostic::new("does not support a constant in an external resource")
                        .note("use a list (`dense<[1, 2]>`) or a splat (`dense<1>`)")
                })?;
                return each(l, result, types[0], &elements);
            }
        },
    };
    let is_index = element_of(result.r#type()).is_index();
    let scalar = one(l, types[0], element, is_index);
    l.set(result, vec![scalar; types.len()]);
    Ok(())
}

/// Emits a scalar constant. `is_index` is true for the source type `index`.
fn one<'c>(
    l: &mut Lowering<'c>,
    type_: Type<'c>,
    element: Attribute<'c>,
    is_index: bool,
) -> Val<'c> {
    let element = match (build::float8_bits(element), build::integer_value(element)) {
        (Some(bits), _) => l.e.int_attr(type_, i64::from(bits)),
        (None, Some(number)) if is_index => l.e.int_attr(type_, number),
        (None, _) => element,
    };
    l.e.constant_attr(type_, element)
}

/// A bit of the lane, warp or CTA index, and the column of the layout for this bit.
#[derive(Clone, Copy)]
struct ThreadBit {
    dim: Dim,
    bit: usize,
    column: u64,
}

/// Lowers a dense constant that is not a splat. `type_` is the type of a register.
fn each<'c>(
    l: &mut Lowering<'c>,
    result: Val<'c>,
    type_: Type<'c>,
    elements: &[Attribute<'c>],
) -> Outcome {
    let is_index = element_of(result.r#type()).is_index();
    let layout = l.tensor_layout(result)?;
    let threads: Vec<ThreadBit> = [Dim::LANE, Dim::WARP, Dim::BLOCK]
        .into_iter()
        .flat_map(|dim| {
            let columns = layout.unique.columns_of(dim).iter().enumerate();
            columns.map(move |(bit, column)| ThreadBit {
                dim,
                bit,
                column: *column,
            })
        })
        .filter(|bit| bit.column != 0)
        .collect();
    let mut table = None;
    let mut registers = Vec::with_capacity(layout.num_registers());
    for register in 0..layout.num_registers() {
        let base = apply_columns(layout.unique.columns_of(Dim::REGISTER), register as u64);
        let at = |column: u64| elements[row_major(&layout, column)];
        let deciding = deciding_bits(&threads, base, at);
        registers.push(if deciding.len() <= MAX_SELECTED_BITS {
            select(l, &deciding, base, &|l, column| {
                one(l, type_, at(column), is_index)
            })
        } else {
            if table.is_none() {
                let indices = element_indices(&mut l.e, l.gpu, &layout);
                table = Some((declare(l, type_, elements)?, indices));
            }
            let (address, indices) = table.as_ref().expect("it was just declared");
            load(l, type_, &layout, *address, &indices[register])
        });
    }
    l.set(result, registers);
    Ok(())
}

fn row_major(layout: &TensorLayout, column: u64) -> usize {
    let index = layout.unique.unpack(column);
    let sizes = layout.unique.out_shape().map(|(_, size)| size);
    let flat = sizes
        .enumerate()
        .fold(0, |sum, (dim, size)| sum * size + index.at(dim));
    usize::try_from(flat).expect("a tensor fits memory")
}

/// Returns those thread-index bits on which the value in a register depends. `base` is the position of the element
/// that the register holds in thread 0, and `at` returns the element at a position.
fn deciding_bits<'c>(
    threads: &[ThreadBit],
    base: u64,
    at: impl Fn(u64) -> Attribute<'c>,
) -> Vec<ThreadBit> {
    let columns: Vec<u64> = threads.iter().map(|bit| bit.column).collect();
    let decides = |bit: &&ThreadBit| {
        (0..1u64 << columns.len()).any(|thread| {
            let element = base ^ apply_columns(&columns, thread);
            at(element) != at(element ^ bit.column)
        })
    };
    threads.iter().filter(decides).copied().collect()
}

/// Emits a tree of select operations whose root tests the last of `bits`. `base` is the position of the element if
/// all bits are clear, and `leaf` emits the element at a position.
fn select<'c>(
    l: &mut Lowering<'c>,
    bits: &[ThreadBit],
    base: u64,
    leaf: &dyn Fn(&mut Lowering<'c>, u64) -> Val<'c>,
) -> Val<'c> {
    let Some((last, rest)) = bits.split_last() else {
        return leaf(l, base);
    };
    let set = select(l, rest, base ^ last.column, leaf);
    let clear = select(l, rest, base, leaf);
    let unit = match last.dim {
        Dim::LANE => l.gpu.lane(&mut l.e),
        Dim::WARP => l.gpu.warp(&mut l.e),
        _ => l.gpu.cta_rank(&mut l.e),
    };
    let mask = l.e.i32(1 << last.bit);
    let bit = l.e.and(unit, mask);
    let is_set = l.e.is_nonzero(bit);
    l.e.select(is_set, set, clear)
}

fn declare<'c>(
    l: &mut Lowering<'c>,
    type_: Type<'c>,
    elements: &[Attribute<'c>],
) -> Result<Val<'c>, Diagnostic> {
    let width = bytes_of(type_);
    let mut bytes = Vec::with_capacity(width * elements.len());
    for element in elements {
        let bits = build::number_bits(*element).ok_or_else(|| {
            Diagnostic::new(format!(
                "requires elements of at most 64 bits, but got `{element}`"
            ))
        })?;
        bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    let name = l.declarations.borrow_mut().table(bytes);
    Ok(l.e.address_of_table(&name))
}

fn bytes_of(type_: Type<'_>) -> usize {
    bits_of(type_).div_ceil(8) as usize
}

fn load<'c>(
    l: &mut Lowering<'c>,
    type_: Type<'c>,
    layout: &TensorLayout,
    table: Val<'c>,
    index: &[Val<'c>],
) -> Val<'c> {
    let mut flat = l.e.i32(0);
    for (size, index) in layout.unique.out_shape().map(|(_, size)| size).zip(index) {
        flat = l.e.shl(flat, size.trailing_zeros());
        flat = l.e.or_disjoint(flat, *index);
    }
    let i1 = l.e.types.i1;
    let memory_type = if type_ == i1 { l.e.types.i8 } else { type_ };
    let pointer = l.e.gep(table, memory_type, flat);
    let width = u32::try_from(bytes_of(type_)).expect("an element has at most 8 bytes");
    let loaded = l.e.load(pointer, memory_type, width);
    if type_ == i1 {
        l.e.trunc(loaded, i1)
    } else {
        loaded
    }
}
