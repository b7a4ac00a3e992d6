//! Parsing of MLIR modules, translation to LLVM IR, access to LLVM.

pub use super::bridge::ffi::BlockInstruction;
use super::bridge::{
    self, LLVMBasicBlockRef, LLVMContextRef, LLVMModuleRef, LLVMTargetMachineRef, ffi,
};
use super::callbacks::guard;
use inkwell::basic_block::BasicBlock;
use melior::Context;
use melior::diagnostic::Diagnostic;
use melior::ir::Module;
use mlir_sys::{MlirDiagnostic, MlirLogicalResult};
use std::ffi::{c_char, c_uint, c_void};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

/// Parses a textual or bytecode MLIR file. If the path is `-`, parses standard input. Errors go to the context's
/// diagnostic handler.
#[must_use]
pub fn parse_file<'c>(context: &'c Context, path: &str) -> Option<Module<'c>> {
    let path = melior::StringRef::new(path);
    // SAFETY: the context is alive, and MLIR copies the path.
    let raw = unsafe { mlir_sys::mlirModuleCreateParseFromFile(context.to_raw(), path.to_raw()) };
    if raw.ptr.is_null() {
        return None;
    }
    // SAFETY: a new module without another owner.
    Some(unsafe { Module::from_raw(raw) })
}

/// Calls `handler` for each later diagnostic of the context. The diagnostic is then not printed.
///
/// The second argument of `handler` is the label of the broken rule. It is empty if the diagnostic has no rule.
pub fn attach_diagnostic_handler(
    context: &Context,
    handler: impl FnMut(&Diagnostic<'_>, String) + Send + 'static,
) {
    type Handler = Box<dyn FnMut(&Diagnostic<'_>, String) + Send>;
    unsafe extern "C" fn handle(raw: MlirDiagnostic, data: *mut c_void) -> MlirLogicalResult {
        // SAFETY: MLIR calls handlers one at a time, with the data that was registered.
        let handler = unsafe { &mut *data.cast::<Handler>() };
        let label = ffi::diagnostic_rule(bridge::MlirDiagnostic(raw)).0;
        let label = if label.ptr.is_null() {
            String::new()
        } else {
            // SAFETY: the label is a string attribute, which lives as long as the context.
            super::text(unsafe {
                melior::StringRef::from_raw(mlir_sys::mlirStringAttrGetValue(label))
            })
        };
        // SAFETY: the diagnostic outlives the call.
        let diagnostic = unsafe { Diagnostic::from_raw(raw) };
        // A panic of the handler loses the diagnostic: emitting another would recurse.
        let _ = guard(|| handler(&diagnostic, label));
        MlirLogicalResult { value: 1 }
    }
    unsafe extern "C" fn destroy(data: *mut c_void) {
        // SAFETY: the box that was leaked below, once.
        drop(unsafe { Box::from_raw(data.cast::<Handler>()) });
    }
    let handler: Handler = Box::new(handler);
    // SAFETY: MLIR owns the box until it calls `destroy`.
    unsafe {
        mlir_sys::mlirContextAttachDiagnosticHandler(
            context.to_raw(),
            Some(handle),
            Box::into_raw(Box::new(handler)).cast(),
            Some(destroy),
        );
    }
}

/// Translates a module of the LLVM dialect to LLVM IR. Errors go to the diagnostic handler of the MLIR context.
///
/// The translations must be registered with the MLIR context: `melior::utility::register_all_llvm_translations`.
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
    // SAFETY: a new module in this context without another owner.
    Some(unsafe { inkwell::module::Module::new(raw.cast()) })
}

/// Runs `work` and returns its result. If `work` panics, or if LLVM crashes or reports a fatal error, returns an
/// error.
///
/// # Errors
/// Returns the reason for the failure. The LLVM objects that `work` has used must then be neither used nor freed.
pub fn recovered<F: FnOnce() -> T, T>(work: F) -> Result<T, String> {
    struct Recovery<F, T> {
        work: Option<F>,
        outcome: Result<T, String>,
    }
    extern "C" fn call<F: FnOnce() -> T, T>(data: *mut c_void) {
        // SAFETY: the state below, which is not referenced elsewhere during the call.
        let state = unsafe { &mut *data.cast::<Recovery<F, T>>() };
        if let Some(work) = state.work.take() {
            state.outcome = guard(work);
        }
    }
    extern "C" fn report<F, T>(reason: *const c_char, length: usize, data: *mut c_void) {
        // SAFETY: as above, and a text that outlives the call.
        let (state, reason) = unsafe {
            let reason = std::slice::from_raw_parts(reason.cast(), length);
            (&mut *data.cast::<Recovery<F, T>>(), reason)
        };
        let reason = String::from_utf8_lossy(reason).trim().to_owned();
        state.outcome = Err(if reason.is_empty() {
            "crash without a message".to_owned()
        } else {
            reason
        });
    }
    unsafe extern "C" {
        fn linear_layout_run_recovered(
            work: extern "C" fn(*mut c_void),
            data: *mut c_void,
            report: extern "C" fn(*const c_char, usize, *mut c_void),
        ) -> bool;
    }
    let mut state = Recovery {
        work: Some(work),
        outcome: Err("it was not called".to_owned()),
    };
    let data = (&raw mut state).cast();
    // SAFETY: the state outlives the call; `work` does not unwind. If LLVM jumps out of it, values in the frames in
    // between are leaked and not used again.
    unsafe { linear_layout_run_recovered(call::<F, T>, data, report::<F, T>) };
    state.outcome
}

/// Determines which of LLVM's two passes of strength reduction run on the modules of a context: `slsr` for straight-line
/// code, and `loop-reduce`.
pub fn select_strength_reduction(
    module: &inkwell::module::Module<'_>,
    straight_line: bool,
    loops: bool,
) {
    use inkwell::context::AsContextRef;
    let context = LLVMContextRef(module.get_context().as_ctx_ref());
    ffi::select_strength_reduction(context, straight_line, loops);
}

/// The order of the instructions in an LLVM basic block. Phis are not included.
#[derive(Debug)]
pub struct BlockOrder<'m> {
    block: BasicBlock<'m>,
    instructions: Vec<BlockInstruction>,
}

impl<'m> BlockOrder<'m> {
    /// Returns the current order of a block.
    #[must_use]
    pub fn new(block: BasicBlock<'m>) -> Self {
        let instructions = ffi::block_instructions(LLVMBasicBlockRef(block.as_mut_ptr()));
        Self {
            block,
            instructions,
        }
    }

    /// Returns the instructions of the block in their order.
    #[must_use]
    pub fn instructions(&self) -> &[BlockInstruction] {
        &self.instructions
    }

    /// Reorders the instructions. `order` contains, for each new position, the current position of the instruction.
    ///
    /// # Panics
    /// Panics unless `order` is a permutation that places operands before users and the terminator last.
    pub fn set(self, order: &[u32]) {
        let mut is_placed = vec![false; self.instructions.len()];
        for &at in order {
            let mut operands = self.instructions[at as usize].operands.iter();
            assert!(
                operands.all(|&operand| is_placed[operand as usize]),
                "a user stands before its operand"
            );
            assert!(
                !std::mem::replace(&mut is_placed[at as usize], true),
                "an instruction stands twice"
            );
        }
        assert!(
            is_placed.iter().all(|&placed| placed),
            "an instruction is missing"
        );
        let last = order.last().map(|&at| at as usize + 1);
        assert!(
            last.is_none_or(|last| last == order.len()),
            "the terminator is not last"
        );
        ffi::order_block(LLVMBasicBlockRef(self.block.as_mut_ptr()), order);
    }
}

/// Links into `module` those functions of a bitcode library that the module calls, directly or indirectly.
///
/// # Errors
/// Fails if the file is not bitcode, or if a definition conflicts with the module.
pub fn link_needed(module: &inkwell::module::Module<'_>, library: &Path) -> Result<(), String> {
    use std::os::unix::ffi::OsStrExt;
    let path = library.as_os_str().as_bytes();
    match ffi::link_needed(LLVMModuleRef(module.as_mut_ptr()), path) {
        reason if reason.is_empty() => Ok(()),
        reason => Err(reason),
    }
}

/// Sets an LLVM command-line option for the whole process. `name` is the name that `llc` accepts.
///
/// Only the first call for an option has an effect. Returns false if the option is unknown; target options are
/// unknown until the target is initialised. Only tools may call this function, because a library must not change
/// the options of its host.
pub fn set_llvm_option(name: &str, value: &str) -> bool {
    static LOCK: Mutex<()> = Mutex::new(());
    let _held = LOCK.lock();
    ffi::set_option(name, value)
}

/// Returns LLVM's processor names for the architecture of a target machine.
#[must_use]
pub fn processors(machine: &inkwell::targets::TargetMachine) -> Vec<String> {
    ffi::processors(LLVMTargetMachineRef(machine.as_mut_ptr()))
}

/// Returns LLVM's feature names for the architecture of a target machine, without `+` or `-`.
#[must_use]
pub fn processor_features(machine: &inkwell::targets::TargetMachine) -> Vec<String> {
    ffi::processor_features(LLVMTargetMachineRef(machine.as_mut_ptr()))
}

/// Returns the version of the tools and of LLVM, for example `0.1.0 (linear-layout, LLVM 22.1.0)`.
#[must_use]
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        unsafe extern "C" {
            fn LLVMGetVersion(major: *mut c_uint, minor: *mut c_uint, patch: *mut c_uint);
        }
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: three out-parameters for a number each.
        unsafe { LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) };
        let project = "linear-layout";
        let ours = env!("CARGO_PKG_VERSION");
        format!("{ours} ({project}, LLVM {major}.{minor}.{patch})")
    })
}

/// Restores the default action of SIGPIPE: if the reader of the output closes it, the process ends silently.
///
/// Rust ignores the signal, so LLVM would abort at the failed write.
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

#[cfg(test)]
mod tests {
    use super::recovered;
    use inkwell::context::Context;
    use std::ffi::{c_char, c_int, c_void};

    #[test]
    fn a_fatal_error_and_a_crash_of_llvm_are_errors() {
        unsafe extern "C" {
            fn LLVMVerifyModule(
                module: *mut c_void,
                action: c_int,
                text: *mut *mut c_char,
            ) -> c_int;
        }
        assert_eq!(recovered(|| 5), Ok(5));
        let fatal = recovered(|| {
            let context = Context::create();
            let module = context.create_module("broken");
            let function = module.add_function("f", context.void_type().fn_type(&[], false), None);
            // A block without a terminator.
            context.append_basic_block(function, "entry");
            // SAFETY: a module, and no out-parameter for a message if the process is to be aborted.
            unsafe { LLVMVerifyModule(module.as_mut_ptr().cast(), 0, std::ptr::null_mut()) }
        });
        assert!(
            fatal
                .as_ref()
                .is_err_and(|reason| reason.contains("Broken module")),
            "{fatal:?}"
        );
        unsafe extern "C" {
            fn raise(signal: c_int) -> c_int;
        }
        // SAFETY: raises a signal like a crash.
        let crash = recovered(|| unsafe { raise(11) });
        assert_eq!(crash, Err("crash without a message".to_owned()));
        let panic = recovered(|| -> u8 { panic!("on purpose") });
        assert!(
            panic
                .as_ref()
                .is_err_and(|reason| reason.contains("on purpose")),
            "{panic:?}"
        );
    }
}
