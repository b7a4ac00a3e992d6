//! Layout functions of `linear_layout_c.h`.
//!
//! Errors become diagnostics in the context of the argument; panics are caught.

use super::bridge::{self, ffi};
use super::callbacks::{guard, internal, semantics};
use linear_layout::layout::LinearLayout;
use melior::ir::TypeLike;
use mlir_sys::{
    MlirDiagnostic, MlirDialectRegistry, MlirLogicalResult, MlirStringCallback, MlirStringRef,
    MlirType,
};
use std::ffi::{CStr, CString, c_char, c_uint, c_void};

pub(super) const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no null byte"),
    };

type BasisCallback =
    Option<unsafe extern "C" fn(MlirStringRef, c_uint, isize, *const i32, *mut c_void)>;

fn logical(success: bool) -> MlirLogicalResult {
    MlirLogicalResult {
        value: i8::from(success),
    }
}

fn text(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

fn report(type_: MlirType, reason: &str) -> MlirLogicalResult {
    let reason = CString::new(reason.replace('\0', " ")).unwrap_or_default();
    // SAFETY: the caller guarantees that the type is alive; the text ends with a null byte.
    unsafe {
        let location = mlir_sys::mlirLocationUnknownGet(mlir_sys::mlirTypeGetContext(type_));
        // MLIR does not interpret the message as a format.
        mlir_sys::mlirEmitError(location, reason.as_ptr());
    }
    logical(false)
}

/// Runs `compute`. An error or a panic is reported as a diagnostic in the context of `type_`.
fn answered(type_: MlirType, compute: impl FnOnce() -> Result<(), String>) -> MlirLogicalResult {
    // A null type has no context for a diagnostic.
    if type_.ptr.is_null() {
        return logical(false);
    }
    match guard(compute) {
        Ok(Ok(())) => logical(true),
        Ok(Err(reason)) => report(type_, &reason),
        Err(panic) => report(type_, &internal(&panic)),
    }
}

fn layout_of(type_: MlirType) -> Result<LinearLayout, String> {
    if type_.ptr.is_null() {
        return Err("a null type has no layout".to_owned());
    }
    crate::install();
    // SAFETY: the caller guarantees that the type is alive; it is used only in this call.
    let type_ = unsafe { melior::ir::Type::from_raw(type_) };
    // Loads the dialect if the context has not needed it before.
    semantics().layout(super::layout_cache(type_.context()), type_)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutVersion() -> *const c_char {
    VERSION.as_ptr()
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutRegisterDialects(registry: MlirDialectRegistry) {
    crate::install();
    ffi::register_dialects(bridge::MlirDialectRegistry(registry));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutRegisterPasses() {
    crate::install();
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutDiagnosticRule(diagnostic: MlirDiagnostic) -> MlirStringRef {
    if diagnostic.ptr.is_null() {
        return text("");
    }
    let label = ffi::diagnostic_rule(bridge::MlirDiagnostic(diagnostic)).0;
    if label.ptr.is_null() {
        return text("");
    }
    // SAFETY: the attribute is a string, and lives as long as the diagnostic's context.
    unsafe { mlir_sys::mlirStringAttrGetValue(label) }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutVisitBases(
    type_: MlirType,
    visit: BasisCallback,
    user_data: *mut c_void,
) -> MlirLogicalResult {
    answered(type_, || {
        let visit = visit.ok_or("`linearLayoutVisitBases` was given no callback")?;
        let layout = layout_of(type_)?;
        for dim in layout.in_dims() {
            for (bit, index) in (0..layout.in_bits(dim)).zip(0..) {
                let basis: Vec<i32> = layout
                    .basis(dim, bit)
                    .iter()
                    .map(|n| {
                        i32::try_from(n)
                            .map_err(|_| format!("basis component {n} exceeds `int32_t`"))
                    })
                    .collect::<Result<_, _>>()?;
                let rank = basis.len().cast_signed();
                // SAFETY: the callback has the declared signature, and keeps no argument.
                unsafe { visit(text(dim.name()), index, rank, basis.as_ptr(), user_data) };
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutPrint(
    type_: MlirType,
    print: MlirStringCallback,
    user_data: *mut c_void,
) -> MlirLogicalResult {
    answered(type_, || {
        let print = print.ok_or("`linearLayoutPrint` was given no callback")?;
        let layout = layout_of(type_)?.to_string();
        // SAFETY: as above.
        unsafe { print(text(&layout), user_data) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutCompare(
    left: MlirType,
    right: MlirType,
    equal: *mut bool,
) -> MlirLogicalResult {
    answered(left, || {
        let answer = layout_of(left)? == layout_of(right)?;
        // SAFETY: the caller's pointer is null or points to a `bool`.
        let equal =
            unsafe { equal.as_mut() }.ok_or("`linearLayoutCompare` was given no `equal`")?;
        *equal = answer;
        Ok(())
    })
}
