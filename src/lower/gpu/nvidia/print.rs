//! Printing and assertions by CUDA's device runtime, which the driver links.

use crate::lower::declarations::Declarations;
use crate::lower::emit::Emitter;
use crate::lower::types::bits_of;
use crate::sys::build::Val;
use melior::ir::ValueLike;

/// Calls `vprintf`. The values are stored in a stack buffer, each at its natural alignment.
pub(super) fn print<'c>(
    e: &mut Emitter<'c>,
    declarations: &mut Declarations,
    format: &[u8],
    values: &[Val<'c>],
) {
    declarations.function("vprintf", "(!llvm.ptr, !llvm.ptr) -> i32");
    let mut end = 0u32;
    let offsets: Vec<u32> = values
        .iter()
        .map(|value| {
            let bytes = bits_of(value.r#type()) / 8;
            let offset = end.next_multiple_of(bytes);
            end = offset + bytes;
            offset
        })
        .collect();
    let stack = e.stack(end.div_ceil(8).max(1));
    for (value, offset) in values.iter().zip(offsets) {
        let at = e.gep_bytes(stack, offset);
        e.store(*value, at, bits_of(value.r#type()) / 8);
    }
    let text = e.address_of_text(&declarations.constant(format));
    let callee = e.symbol("vprintf");
    let i32 = e.types.i32;
    e.call(callee, &[text, stack], Some(i32));
}

/// Reports a failed assertion like C's `assert`, and stops the kernel.
pub(super) fn fail(
    e: &mut Emitter<'_>,
    declarations: &mut Declarations,
    message: &[u8],
    file: &str,
    line: u32,
) {
    declarations.function(
        "__assertfail",
        "(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)",
    );
    let [message, file, function] = [message, file.as_bytes(), b"unknown"]
        .map(|text| e.address_of_text(&declarations.constant(text)));
    let (line, width) = (e.i32(line), e.constant(e.types.i64, 1));
    let callee = e.symbol("__assertfail");
    e.call(callee, &[message, file, line, function, width], None);
}
