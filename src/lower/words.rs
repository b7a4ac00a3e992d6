//! Packing of elements into 32-bit words for lane exchanges.
//!
//! ```text
//! two f16, four i8     one word for each two or four elements; the last word is padded
//! f32, i32             one word each
//! i64, f64, pointers   two words each, low half first
//! ```

use super::emit::Emitter;
use super::types::bits_of;
use crate::ir::builders::llvm;
use crate::sys;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// Casts a value of `bits` bits to an integer.
pub(crate) fn as_integer<'c>(e: &mut Emitter<'c>, value: Val<'c>, bits: u32) -> Val<'c> {
    let integer = e.int_type(bits);
    let type_ = value.r#type();
    if type_ == integer {
        return value;
    }
    if sys::is_llvm_pointer(type_) {
        return e.pure(llvm::ptrtoint(value, integer));
    }
    e.bitcast(value, integer)
}

/// Casts an integer to a type of the same width. Inverse of [`as_integer`].
pub(crate) fn integer_as<'c>(e: &mut Emitter<'c>, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
    if value.r#type() == type_ {
        return value;
    }
    if sys::is_llvm_pointer(type_) {
        return e.pure(llvm::inttoptr(value, type_));
    }
    e.bitcast(value, type_)
}

fn per_word(bits: u32) -> usize {
    (32 / bits.max(8)).max(1) as usize
}

/// Returns `i8` if `element` has fewer than 8 bits, otherwise `element`.
fn container_of<'c>(e: &Emitter<'c>, element: Type<'c>) -> Type<'c> {
    if bits_of(element) < 8 {
        e.types.i8
    } else {
        element
    }
}

pub(crate) fn pack<'c>(e: &mut Emitter<'c>, elements: &[Val<'c>]) -> Vec<Val<'c>> {
    let Some(first) = elements.first() else {
        return Vec::new();
    };
    let type_ = first.r#type();
    let bits = bits_of(type_);
    let i32 = e.types.i32;
    if bits > 32 {
        let pair = e.vector_type(2, i32);
        return elements
            .iter()
            .flat_map(|element| {
                let whole = as_integer(e, *element, bits);
                let halves = e.bitcast(whole, pair);
                e.scatter(halves, 2, i32)
            })
            .collect();
    }
    if bits == 32 {
        return elements.iter().map(|x| as_integer(e, *x, 32)).collect();
    }
    let container = container_of(e, type_);
    elements
        .chunks(per_word(bits))
        .map(|chunk| {
            let mut parts = chunk.to_vec();
            if container != type_ {
                parts = parts.into_iter().map(|x| e.zext(x, container)).collect();
            }
            if parts.len() < per_word(bits) {
                // Undef, not poison, which would make the whole word poison.
                let missing = e.pure(llvm::mlir_undef(container));
                parts.resize(per_word(bits), missing);
            }
            let vector = e.gather(&parts);
            e.bitcast(vector, i32)
        })
        .collect()
}

/// Unpacks `count` elements of type `type_` from 32-bit words. Inverse of [`pack`].
pub(crate) fn unpack<'c>(
    e: &mut Emitter<'c>,
    words: &[Val<'c>],
    count: usize,
    type_: Type<'c>,
) -> Vec<Val<'c>> {
    let bits = bits_of(type_);
    if bits > 32 {
        let whole = e.int_type(bits);
        return words
            .chunks(2)
            .map(|halves| {
                let pair = e.gather(halves);
                let integer = e.bitcast(pair, whole);
                integer_as(e, integer, type_)
            })
            .collect();
    }
    if bits == 32 {
        return words.iter().map(|x| integer_as(e, *x, type_)).collect();
    }
    let container = container_of(e, type_);
    let vector_type = e.vector_type(per_word(bits), container);
    let mut parts: Vec<Val<'c>> = words
        .iter()
        .flat_map(|word| {
            let vector = e.bitcast(*word, vector_type);
            e.scatter(vector, per_word(bits), container)
        })
        .collect();
    parts.truncate(count);
    if container != type_ {
        parts = parts.into_iter().map(|x| e.trunc(x, type_)).collect();
    }
    parts
}
