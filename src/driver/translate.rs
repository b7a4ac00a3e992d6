//! Translation of a module to LLVM IR, assembly or a code object, optionally after lowering.

use super::emit::{self, Artifact};
use super::fits::{self, Language};
use super::gpu::{self, LlvmGpu};
use super::link::{self, UndefinedFunction};
use super::{Clock, Failure, context, debug, loops, order, parse, run_pipeline, take_messages};
use crate::ir::{Message, ModuleInfo, Recorder, chosen_module, inner_modules};
use crate::sys::{self, Diagnostic};
use linear_layout::target::{Assembly, Target};
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationPrintingFlags, WalkOrder, WalkResult};
use melior::ir::{Module, OperationRef};
use melior::utility::register_all_llvm_translations;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

/// The requested kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Emit {
    /// LLVM IR, after optimisation
    LlvmIr,
    /// PTX assembly, for NVIDIA GPUs
    Ptx,
    /// AMDGCN assembly, for AMD GPUs
    Amdgcn,
    /// A code object that the driver loads, for AMD GPUs
    Object,
}

/// Options of a translation. [`Options::new`] returns the defaults of `ll-translate`.
///
/// In the C API, a request has a JSON object with the option names of `ll-translate`. Two defaults of a request are
/// different: `file` is `<string>`, and `lower` is the pipeline `convert-layouts-to-llvm`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, default = "Options::of_request")]
pub struct Options {
    /// Name of the input in messages and in debug information.
    pub file: String,
    /// Kind of output; by default the target's assembly language.
    pub emit: Option<Emit>,
    /// If true, the translation also sets [`Translated::llvm_ir`].
    #[serde(rename = "llvm_ir")]
    pub keeps_llvm_ir: bool,
    /// Pass pipeline that lowers the module before its translation; `None` for a module that is already lowered.
    pub lower: Option<String>,
    /// LLVM's optimisation level, 0 to 3.
    pub optimize: u8,
    /// Target name, for example `cuda:90`; by default the module's `ttg.target`.
    pub target: Option<String>,
    /// Selects one of several modules: by symbol name, by the name of a contained function, or by index, starting at 0.
    pub module: Option<String>,
    /// True if line tables are emitted.
    pub debug_info: bool,
    /// LLVM's processor name; by default the target's processor.
    pub cpu: Option<String>,
    /// Additional LLVM features, separated by commas, for example `+ptx84`.
    pub features: Option<String>,
    /// Bitcode libraries to link: paths, or names such as `libdevice`.
    #[serde(rename = "link_bitcode")]
    pub bitcode: Vec<PathBuf>,
    /// True if libdevice flushes subnormal numbers to zero.
    pub reflect_ftz: bool,
    /// LLVM attributes of kernels: pairs of key and value, for example with key `amdgpu-waves-per-eu`.
    #[serde(deserialize_with = "texts")]
    pub kernel_attributes: Vec<(String, String)>,
}

impl Options {
    /// Returns the default options of `ll-translate` for an input named `file`.
    #[must_use]
    pub fn new(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            emit: None,
            keeps_llvm_ir: false,
            lower: None,
            optimize: 3,
            target: None,
            module: None,
            debug_info: false,
            cpu: None,
            features: None,
            bitcode: Vec::new(),
            reflect_ftz: false,
            kernel_attributes: Vec::new(),
        }
    }

    fn of_request() -> Self {
        Self {
            lower: Some("convert-layouts-to-llvm".to_owned()),
            ..Self::new("<string>")
        }
    }

    /// Returns the file name that suggested commands contain.
    fn shown_file(&self) -> &str {
        if self.file.starts_with('<') {
            "kernel.mlir"
        } else {
            &self.file
        }
    }
}

/// Deserialises a JSON object whose values are strings, as pairs of key and value.
fn texts<'de, D: Deserializer<'de>>(object: D) -> Result<Vec<(String, String)>, D::Error> {
    let text = |(key, value): (String, Value)| match value {
        Value::String(value) => Ok((key, value)),
        other => {
            let text = format!("the attribute `{key}` is {other}, expected a string");
            Err(D::Error::custom(text))
        }
    };
    let object = Map::deserialize(object)?;
    object.into_iter().map(text).collect()
}

/// The result of a translation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Translated {
    /// Output as text or object code.
    pub bytes: Vec<u8>,
    /// Kind of the output.
    pub artifact: Artifact,
    /// Optimised LLVM IR as text, if [`Options::keeps_llvm_ir`] is true.
    pub llvm_ir: Option<String>,
    /// Target of the output.
    pub target: &'static Target,
    /// Integer attributes of the lowered module, for example `ttg.shared`, the shared memory in bytes.
    pub attributes: Vec<(String, i64)>,
    /// Warnings and remarks.
    pub messages: Vec<Message>,
    /// Times of the translation phases.
    pub clock: Clock,
}

/// Translates a module from text or bytecode.
///
/// # Errors
/// Returns the diagnostics of MLIR, of a pass or of LLVM, with source locations if known.
///
/// ```
/// use linear_layout_mlir::driver::{Options, translate};
/// let text = r#"module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
///   tt.func public @nothing() { tt.return }
/// }"#;
/// let mut options = Options::new("nothing.ttgir");
/// options.lower = Some("convert-layouts-to-llvm".to_owned());
/// let made = translate(text.as_bytes(), &options).expect("it lowers");
/// assert!(String::from_utf8_lossy(&made.bytes).contains(".entry nothing"));
/// ```
pub fn translate(input: &[u8], options: &Options) -> Result<Translated, Failure> {
    let context = context();
    register_all_llvm_translations(&context);
    let recorder = Recorder::attach(&context);
    let file = &*options.file;
    let mut clock = Clock::start();
    let mut module = parse(&context, &recorder, file, input)?;
    let mut messages = take_messages(&recorder, file);
    clock.end("parse");
    if let Some(pipeline) = &options.lower {
        if let Some(name) = &options.target {
            let gpu = Target::parse(name).map_err(Failure::new)?;
            sys::rewrite(&mut module, |rewriter, module| {
                ModuleInfo::set_gpu(rewriter, module, gpu);
            });
        }
        run_pipeline(&context, &recorder, &mut module, file, pipeline)?;
        messages.extend(take_messages(&recorder, file));
        clock.end("lower");
    }
    if let Some(chosen) = chosen(&context, &module, options)? {
        module = chosen;
    }
    let gpu = LlvmGpu::choose(&module, options)?;
    let artifact = Artifact::choose(options.emit, gpu.target)?;
    let reported = |Failure(more)| {
        let mut messages = take_messages(&recorder, file);
        messages.extend(more);
        Failure(messages)
    };
    fits::check_gpu(&module, gpu.target, options.shown_file()).map_err(reported)?;
    let language = match (artifact, gpu.target.assembly) {
        (Artifact::Ir, _) => None,
        (Artifact::Object, _) => Some(Language::Object),
        (Artifact::Assembly, Assembly::Ptx) => Some(Language::Ptx),
        (Artifact::Assembly, Assembly::Gcn) => Some(Language::Gcn),
    };
    if let Some(language) = language {
        fits::check_names(&module, language).map_err(reported)?;
    }
    let machine = gpu.machine(options.optimize)?;
    // Excluded from the times, since one target machine serves any number of modules.
    clock.skip();
    // Set before the translation, since the alignment of accesses depends on the data layout.
    sys::rewrite(&mut module, |rewriter, module| {
        for (name, value) in [
            ("llvm.data_layout", gpu::data_layout(&machine)),
            ("llvm.target_triple", gpu.target.llvm_triple.to_owned()),
        ] {
            let value = StringAttribute::new(&context, &value).into();
            rewriter.set_attribute(module, name, value);
        }
    });

    loops::annotate(&mut module);
    if options.debug_info {
        debug::describe(&context, &mut module, gpu.target, file)?;
    }
    // LLVM objects cannot be freed after a fatal error within LLVM.
    let llvm = ManuallyDrop::new(inkwell::context::Context::create());
    let translated = sys::to_llvm_ir(&module, &llvm).map(ManuallyDrop::new);
    let machine = ManuallyDrop::new(machine);
    let now = take_messages(&recorder, file);
    let Some(translated) = translated else {
        drop(ManuallyDrop::into_inner(llvm));
        return Err(not_translated(now, &recorder, &module, options));
    };
    messages.extend(now);
    link::describe(&translated, options);
    let work = || {
        link::add_bitcode(&translated, &options.bitcode, gpu.target, &machine)?;
        clock.end("translate");
        emit::optimize(&translated, &machine, options.optimize)?;
        if options.optimize > 0 && gpu.target.assembly == Assembly::Ptx {
            order::order_instructions(&translated);
        }
        clock.end("optimise");
        if artifact != Artifact::Ir {
            let missing = link::undefined_functions(&translated);
            if !missing.is_empty() {
                return Err(not_defined(&missing, &recorder, &module, file));
            }
        }
        let llvm_ir = options
            .keeps_llvm_ir
            .then(|| translated.print_to_string().to_string());
        let bytes = emit::emit(&translated, &machine, artifact)?;
        clock.end("emit");
        Ok((bytes, llvm_ir))
    };
    let outcome = sys::recovered(work)
        .map_err(|reason| Failure::new(format!("LLVM's back end failed: {reason}")))?;
    drop(ManuallyDrop::into_inner(translated));
    drop(ManuallyDrop::into_inner(machine));
    drop(ManuallyDrop::into_inner(llvm));
    let (bytes, llvm_ir) = outcome?;
    Ok(Translated {
        bytes,
        artifact,
        llvm_ir,
        target: gpu.target,
        attributes: numbers(&module),
        messages,
        clock,
    })
}

/// Returns the names and values of a module's integer attributes.
fn numbers(module: &Module<'_>) -> Vec<(String, i64)> {
    let module = module.as_operation();
    let attributes = module.attributes();
    let number = |(name, value): (melior::ir::Identifier<'_>, melior::ir::Attribute<'_>)| {
        let value = melior::ir::attribute::IntegerAttribute::try_from(value).ok()?;
        Some((sys::text(name.as_string_ref()), value.value()))
    };
    attributes.filter_map(number).collect()
}

/// Returns a copy of the nested module that `options` selects. Returns `None` if `file` has no nested modules.
fn chosen<'c>(
    context: &'c Context,
    file: &Module<'c>,
    options: &Options,
) -> Result<Option<Module<'c>>, Failure> {
    let outermost = file.as_operation();
    if inner_modules(outermost).is_empty() {
        return Ok(None);
    }
    let requested = options.module.as_deref();
    let chosen = chosen_module(outermost, requested, "--module").map_err(|reason| {
        let text = format!("`{}` {}", options.file, reason.message);
        let notes = reason.notes.iter();
        notes.fold(Failure::new(text), |failure, note| failure.note(note))
    })?;
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    let text = chosen.to_string_with_flags(flags);
    Ok(text.ok().and_then(|text| Module::parse(context, &text)))
}

/// Returns the failure for a module that MLIR could not translate to LLVM IR, with a suggested fix if known.
fn not_translated(
    messages: Vec<Message>,
    recorder: &Recorder,
    module: &Module<'_>,
    options: &Options,
) -> Failure {
    let shown = options.shown_file();
    // MLIR's own message prints the whole function.
    let mut is_lowered = true;
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        if fits::is_lowered(op) {
            return WalkResult::Advance;
        }
        let diagnostic = Diagnostic::new("is not in the LLVM, NVVM or ROCDL dialect");
        let fix = format!(
            "lower the module first: `ll-translate --lower {shown}`, or \
             `ll-opt --convert-layouts-to-llvm {shown} | ll-translate`"
        );
        sys::emit_error(op, &diagnostic.note(fix));
        is_lowered = false;
        WalkResult::Interrupt
    });
    if !is_lowered {
        Failure(super::take_messages(recorder, &options.file))
    } else if messages.is_empty() {
        Failure::new("MLIR cannot translate the module to LLVM IR")
    } else {
        Failure(messages)
    }
}

/// Returns the failure for calls of undefined functions. Each function is reported at its first call.
fn not_defined(
    missing: &[UndefinedFunction],
    recorder: &Recorder,
    module: &Module<'_>,
    file: &str,
) -> Failure {
    let mut rest: Vec<&UndefinedFunction> = missing.iter().collect();
    let mut report = |op: OperationRef<'_, '_>| {
        let name = op.name();
        if name.as_string_ref().as_str() != Ok("llvm.call") {
            return;
        }
        let callee = op.attribute("callee").ok();
        let callee = callee.and_then(sys::symbol_name);
        let place = callee.and_then(|callee| {
            rest.iter()
                .position(|function| function.name.as_bytes() == callee.bytes())
        });
        if let Some(place) = place {
            let function = rest.remove(place);
            let text = format!("calls the undefined function `{}`", function.name);
            sys::emit_error(op, &Diagnostic::new(text).note(&function.fix));
        }
    };
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        report(op);
        WalkResult::Advance
    });
    let mut messages = take_messages(recorder, file);
    // The rest is called only by calls that LLVM introduced.
    for function in rest {
        let called = format!(
            "the module calls the undefined function `{}`",
            function.name
        );
        messages.extend(Failure::new(called).note(&function.fix).0);
    }
    Failure(messages)
}
