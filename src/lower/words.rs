//! Elements as words: what lanes exchange is 32 bits wide.
//!
//! ```text
//! two f16, four i8     one word for each two or four, the last one padded
//! f32, i32             one word each
//! i64, f64, pointers   two words each, low half first
//! ```

use super::emit::Emitter;
use super::types::bits_of;
use crate::sys;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// A value as an integer of as many bits.
pub(crate) fn as_integer<'c>(e: &mut Emitter<'c>, value: Val<'c>, bits: u32) -> Val<'c> {
    let integer = e.int_type(bits);
    let type_ = value.r#type();
    if type_ == integer {
        return value;
    }
    if sys::is_llvm_pointer(type_) {
        return e.ptrtoint(value, integer);
    }
    e.bitcast(value, integer)
}

/// An integer as a value of a type of as many bits.
pub(crate) fn integer_as<'c>(e: &mut Emitter<'c>, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
    if value.r#type() == type_ {
        return value;
    }
    if sys::is_llvm_pointer(type_) {
        return e.inttoptr(value, type_);
    }
    e.bitcast(value, type_)
}

/// How many elements of so many bits a word holds, at least one.
fn per_word(bits: u32) -> usize {
    (32 / bits.max(8)).max(1) as usize
}

/// Packs elements of one type into words.
pub(crate) fn pack<'c>(e: &mut Emitter<'c>, elements: &[Val<'c>]) -> Vec<Val<'c>> {
    let Some(first) = elements.first() else {
        return Vec::new();
    };
    let bits = bits_of(first.r#type());
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
    let container = e.int_type(bits.max(8));
    elements
        .chunks(per_word(bits))
        .map(|chunk| {
            let mut parts: Vec<Val<'c>> = chunk
                .iter()
                .map(|element| {
                    let integer = as_integer(e, *element, bits);
                    if bits < 8 {
                        e.zext(integer, container)
                    } else {
                        integer
                    }
                })
                .collect();
            if let [only] = parts[..] {
                return e.zext(only, i32);
            }
            let missing = e.undefined(container);
            parts.resize(per_word(bits), missing);
            let vector = e.gather(&parts);
            e.bitcast(vector, i32)
        })
        .collect()
}

/// Takes `count` elements of a type out of words; the inverse of [`pack`].
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
    let container = e.int_type(bits.max(8));
    let narrow = e.int_type(bits);
    let mut elements = Vec::with_capacity(count);
    for word in words {
        let here = per_word(bits).min(count - elements.len());
        let parts = if here == 1 {
            vec![e.trunc(*word, container)]
        } else {
            let type_ = e.vector_type(per_word(bits), container);
            let vector = e.bitcast(*word, type_);
            e.scatter(vector, per_word(bits), container)
        };
        for part in parts.into_iter().take(here) {
            let integer = if bits < 8 {
                e.trunc(part, narrow)
            } else {
                part
            };
            elements.push(integer_as(e, integer, type_));
        }
    }
    elements
}
