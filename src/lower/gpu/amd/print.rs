//! Printing by hostcalls of AMD's device libraries (`ockl`).

use crate::lower::declarations::{Declarations, literal};
use crate::lower::emit::Emitter;
use crate::lower::types::bits_of;
use crate::lower::words;
use crate::sys;
use crate::sys::build::Val;
use melior::ir::ValueLike;

const GROUP: usize = 7;

pub(super) fn print<'c>(
    e: &mut Emitter<'c>,
    declarations: &mut Declarations,
    format: &[u8],
    values: &[Val<'c>],
) {
    declarations.function("__ockl_printf_begin", "(i64) -> i64");
    let i64 = e.types.i64;
    let zero = e.constant(i64, 0);
    let callee = e.symbol("__ockl_printf_begin");
    let begun = e.call(callee, &[zero], Some(i64));
    message(e, declarations, begun, format, values);
}

pub(super) fn fail(
    e: &mut Emitter<'_>,
    declarations: &mut Declarations,
    text: &[u8],
    file: &str,
    line: u32,
) {
    declarations.function("__ockl_fprintf_stderr_begin", "() -> i64");
    let i64 = e.types.i64;
    let callee = e.symbol("__ockl_fprintf_stderr_begin");
    let begun = e.call(callee, &[], Some(i64));
    let place = format!("', in unknown at {file}:{line}\n");
    let text = [b"device assertion failed: '", text, place.as_bytes()].concat();
    message(e, declarations, begun, &literal(&text), &[]);
    e.trap();
}

fn message<'c>(
    e: &mut Emitter<'c>,
    declarations: &mut Declarations,
    begun: Option<Val<'c>>,
    format: &[u8],
    values: &[Val<'c>],
) {
    let i64 = e.types.i64;
    let mut handle = begun.expect("a function with a result gives one");
    declarations.function(
        "__ockl_printf_append_string_n",
        "(i64, !llvm.ptr, i64, i32) -> i64",
    );
    let text = e.address_of_text(&declarations.constant(format));
    let length = i64::try_from(format.len()).expect("no text is longer than 2^63 bytes");
    let length = e.constant(i64, length + 1);
    let is_last = e.i32(u32::from(values.is_empty()));
    let callee = e.symbol("__ockl_printf_append_string_n");
    let appended = e.call(callee, &[handle, text, length, is_last], Some(i64));
    handle = appended.expect("a function with a result gives one");
    if values.is_empty() {
        return;
    }
    declarations.function(
        "__ockl_printf_append_args",
        "(i64, i32, i64, i64, i64, i64, i64, i64, i64, i32) -> i64",
    );
    let words: Vec<Val<'c>> = values.iter().map(|value| word(e, *value)).collect();
    let groups = words.chunks(GROUP);
    let last = groups.len() - 1;
    for (i, group) in groups.enumerate() {
        let count = e.i32(u32::try_from(group.len()).expect("a group has at most seven words"));
        let mut operands = vec![handle, count];
        operands.extend(group);
        let zero = e.constant(i64, 0);
        operands.resize(2 + GROUP, zero);
        operands.push(e.i32(u32::from(i == last)));
        let callee = e.symbol("__ockl_printf_append_args");
        let appended = e.call(callee, &operands, Some(i64));
        handle = appended.expect("a function with a result gives one");
    }
}

/// Converts a printed value to the 64-bit word that the hostcall takes. A 32-bit integer is sign-extended, because
/// `printf` formats for 32-bit integers ignore the upper half of the word.
fn word<'c>(e: &mut Emitter<'c>, value: Val<'c>) -> Val<'c> {
    let i64 = e.types.i64;
    let type_ = value.r#type();
    if bits_of(type_) == 32 && sys::float_width(type_).is_none() {
        return e.sext(value, i64);
    }
    words::as_integer(e, value, 64)
}
