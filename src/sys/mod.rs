//! The FFI fence: the only room with unsafe code.
//!
//! [`bridge`](self) declares what crosses, [`Semantics`] is what the rooms above supply, and the
//! functions here wrap the rest of MLIR's C API that melior does not offer.
#![allow(unsafe_code, reason = "the one room that talks to C and C++")]

mod bridge;
mod callbacks;
mod plugin;

pub use callbacks::{Complaint, Emitted, LayoutCache, Semantics, emit_error, emit_remark, install};

use bridge::ffi;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike, OperationRef, Type, TypeLike, Value, ValueLike};
use melior::{Context, ContextRef};

/// # Safety
/// `address` is that of a live attribute, and the result does not outlive its context.
unsafe fn attribute<'c>(address: usize) -> Attribute<'c> {
    // SAFETY: the caller's duty.
    unsafe {
        Attribute::from_raw(mlir_sys::MlirAttribute {
            ptr: address as *const _,
        })
    }
}

/// # Safety
/// `address` is that of a live operation, and the result does not outlive it.
unsafe fn operation<'c, 'a>(address: usize) -> OperationRef<'c, 'a> {
    // SAFETY: the caller's duty.
    unsafe {
        OperationRef::from_raw(mlir_sys::MlirOperation {
            ptr: address as *mut _,
        })
    }
}

/// A number that is the same for the same value and different for different live values.
#[must_use]
pub fn value_id(value: Value<'_, '_>) -> usize {
    value.to_raw().ptr as usize
}

/// A number that is the same for the same uniqued type of a context.
#[must_use]
pub fn type_id(type_: Type<'_>) -> usize {
    type_.to_raw().ptr as usize
}

/// A number that is the same for the same uniqued attribute of a context.
#[must_use]
pub fn attribute_id(attribute: Attribute<'_>) -> usize {
    attribute.to_raw().ptr as usize
}

/// A number that is the same for the same live operation.
#[must_use]
pub fn operation_id(op: OperationRef<'_, '_>) -> usize {
    op.to_raw().ptr as usize
}

/// The pointee and address space of a `!tt.ptr`, or nothing for another type.
#[must_use]
pub fn pointer<'c>(type_: Type<'c>) -> Option<(Type<'c>, i32)> {
    let info = ffi::pointer_info(type_id(type_));
    info.is_pointer.then(|| {
        // SAFETY: C++ returned the address of a type of the same context.
        let pointee = unsafe {
            Type::from_raw(mlir_sys::MlirType {
                ptr: info.pointee as *const _,
            })
        };
        (pointee, info.address_space)
    })
}

/// The cache that belongs to a context's `ttg` dialect.
#[must_use]
pub fn layout_cache<'c>(context: ContextRef<'c>) -> &'c LayoutCache {
    ffi::layout_cache(context_address(context))
}

fn context_address(context: ContextRef<'_>) -> usize {
    // SAFETY: the context is alive; only its address is taken.
    let context: &Context = unsafe { context.to_ref() };
    context.to_raw().ptr as usize
}

/// Adds the dialects to a registry.
pub fn register_dialects(registry: &DialectRegistry) {
    ffi::register_dialects(registry.to_raw().ptr as usize);
}

/// Adds the passes to MLIR's registry of this process.
pub fn register_passes() {
    ffi::register_passes();
}

/// Runs MLIR's `mlir-opt` driver with all dialects and passes, and returns its exit code.
#[must_use]
pub fn opt_main(arguments: &[String]) -> i32 {
    ffi::opt_main(arguments)
}

/// Replaces every use of a value by another.
pub fn replace_all_uses(old: Value<'_, '_>, new: Value<'_, '_>) {
    // SAFETY: both are live values of one context.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) }
}

/// Whether a value has no use.
#[must_use]
pub fn is_unused(value: Value<'_, '_>) -> bool {
    // SAFETY: the value is alive.
    unsafe { mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// Erases an operation without uses from its block.
pub fn erase(op: OperationRef<'_, '_>) {
    // SAFETY: the operation is alive, and the caller holds no reference into it afterwards.
    unsafe { mlir_sys::mlirOperationDestroy(op.to_raw()) }
}

/// The width of a floating-point type in bits, or nothing for another type.
#[must_use]
pub fn float_width(type_: Type<'_>) -> Option<u32> {
    // SAFETY: the type is alive; the width is asked only of a float.
    unsafe {
        mlir_sys::mlirTypeIsAFloat(type_.to_raw())
            .then(|| mlir_sys::mlirFloatTypeGetWidth(type_.to_raw()))
    }
}
