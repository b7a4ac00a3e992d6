//! Entry points of `mlir-opt --load-dialect-plugin` and `--load-pass-plugin`.

use super::bridge::{MlirDialectRegistry, ffi};
use super::c_api::VERSION;
use std::ffi::{c_char, c_void};

/// Value of MLIR's `MLIR_PLUGIN_API_VERSION`.
const API_VERSION: u32 = 1;
const NAME: &std::ffi::CStr = c"linear-layout";

/// Description of a pass plugin, with the memory layout of MLIR's `PassPluginLibraryInfo`.
#[repr(C)]
pub(crate) struct PassPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// Description of a dialect plugin, with the memory layout of MLIR's `DialectPluginLibraryInfo`.
#[repr(C)]
pub(crate) struct DialectPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(*mut c_void),
}

extern "C" fn register_passes() {
    crate::install();
}

extern "C" fn register_dialects(registry: *mut c_void) {
    crate::install();
    ffi::register_dialects(MlirDialectRegistry(mlir_sys::MlirDialectRegistry {
        ptr: registry,
    }));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn mlirGetPassPluginInfo() -> PassPlugin {
    PassPlugin {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: register_passes,
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn mlirGetDialectPluginInfo() -> DialectPlugin {
    DialectPlugin {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: register_dialects,
    }
}
