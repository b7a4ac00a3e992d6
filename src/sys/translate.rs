//! From a file to an MLIR module, and from there to an LLVM module.

use super::bridge::{LLVMContextRef, LLVMTargetMachineRef, ffi};
use melior::Context;
use melior::ir::Module;
use std::ffi::{CStr, c_char, c_uint};
use std::sync::{Mutex, OnceLock};

/// Reads an MLIR file, text or bytecode; `-` is standard input. What is wrong with it goes to the
/// context's diagnostic handler.
#[must_use]
pub fn parse_file<'c>(context: &'c Context, path: &str) -> Option<Module<'c>> {
    let path = melior::StringRef::new(path);
    // SAFETY: the context is alive, and MLIR copies the path.
    let raw = unsafe { mlir_sys::mlirModuleCreateParseFromFile(context.to_raw(), path.to_raw()) };
    if raw.ptr.is_null() {
        return None;
    }
    // SAFETY: a module that MLIR has just made, and that nobody else owns.
    Some(unsafe { Module::from_raw(raw) })
}

/// Translates a module of the LLVM dialect. What cannot be translated goes to the diagnostic
/// handler of the MLIR context.
///
/// The context must know the translations: `melior::utility::register_all_llvm_translations`.
#[must_use]
pub fn to_llvm_ir<'x>(
    module: &Module<'_>,
    context: &'x inkwell::context::Context,
) -> Option<inkwell::module::Module<'x>> {
    let operation = module.as_operation().to_raw();
    // SAFETY: both contexts are alive; `mlir-sys` and `inkwell` are linked with one LLVM.
    let raw = unsafe { mlir_sys::mlirTranslateModuleToLLVMIR(operation, context.raw().cast()) };
    if raw.is_null() {
        return None;
    }
    // SAFETY: a module that MLIR has just made in this context, and that nobody else owns.
    Some(unsafe { inkwell::module::Module::new(raw.cast()) })
}

/// Makes a fatal error of LLVM's back end end the process with a message and exit code 1 instead
/// of an abort. For tools; a library has no business with its host's process.
pub fn exit_on_fatal_error() {
    extern "C" fn report(reason: *const c_char) {
        // SAFETY: LLVM passes a string that ends with a null byte.
        let reason = unsafe { CStr::from_ptr(reason) };
        eprintln!(
            "error: LLVM's back end gave up: {}",
            reason.to_string_lossy()
        );
        std::process::exit(1);
    }
    unsafe extern "C" {
        fn LLVMInstallFatalErrorHandler(handler: extern "C" fn(*const c_char));
    }
    // SAFETY: the handler does not unwind and does not return.
    unsafe { LLVMInstallFatalErrorHandler(report) }
}

/// Leaves a pass of LLVM out of what is done with a module from now on, where the pass may be skipped; its
/// name is the one that `llc -opt-disable` takes.
///
/// For tools: the context of the module is told, and contexts that are told share one list of passes.
pub fn disable_pass(module: &inkwell::module::Module<'_>, name: &str) {
    use inkwell::context::AsContextRef;
    ffi::disable_pass(LLVMContextRef(module.get_context().as_ctx_ref()), name);
}

/// Sets an option that only LLVM's command line has, for the whole process; its name is the one that `llc` takes.
///
/// The first value stays. Returns false if this LLVM has no such option, which is known once the target that has it is
/// initialised. For tools: a library has no business with its host's options.
pub fn set_llvm_option(name: &str, value: &str) -> bool {
    static LOCK: Mutex<()> = Mutex::new(());
    let _held = LOCK.lock();
    ffi::set_option(name, value)
}

/// The names of the processors that LLVM knows of a machine's platform.
#[must_use]
pub fn processors(machine: &inkwell::targets::TargetMachine) -> Vec<String> {
    ffi::processors(LLVMTargetMachineRef(machine.as_mut_ptr()))
}

/// The names of the features that LLVM knows of a machine's platform, without `+` or `-`.
#[must_use]
pub fn processor_features(machine: &inkwell::targets::TargetMachine) -> Vec<String> {
    ffi::processor_features(LLVMTargetMachineRef(machine.as_mut_ptr()))
}

/// The version of the tools: `0.1.0 (linear-layout, LLVM 22.1.0)`, where LLVM is the one that runs.
#[must_use]
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        unsafe extern "C" {
            fn LLVMGetVersion(major: *mut c_uint, minor: *mut c_uint, patch: *mut c_uint);
        }
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: three places for a number each.
        unsafe { LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) };
        let project = "linear-layout";
        let ours = env!("CARGO_PKG_VERSION");
        format!("{ours} ({project}, LLVM {major}.{minor}.{patch})")
    })
}

/// Ends the process quietly when the reader of its output has gone, as other tools of a shell do.
/// Rust ignores the signal, and LLVM then aborts at the failing write.
pub fn stop_at_broken_pipe() {
    #[cfg(unix)]
    {
        const SIGPIPE: i32 = 13;
        const DEFAULT: usize = 0;
        unsafe extern "C" {
            fn signal(number: i32, handler: usize) -> usize;
        }
        // SAFETY: sets a signal to its default action.
        unsafe {
            signal(SIGPIPE, DEFAULT);
        }
    }
}
