//! Which GPU a module is for, and LLVM's machine for it.

use crate::{Arguments, Failure};
use inkwell::OptimizationLevel;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine,
    TargetTriple,
};
use linear_layout::ir::{ModuleInfo, NoGpu};
use linear_layout::target::{TARGETS, Target, Vendor};
use melior::ir::Module;

/// A GPU as LLVM's back end names it.
pub(crate) struct Gpu {
    /// What we know of it.
    pub(crate) target: &'static Target,
    cpu: String,
    features: String,
    /// Whether the user named the processor, so that nobody has checked it yet.
    is_cpu_given: bool,
}

impl Gpu {
    /// The GPU that the command line names, or else the module.
    pub(crate) fn choose(module: &Module<'_>, arguments: &Arguments) -> Result<Self, Failure> {
        let target = ModuleInfo::gpu(module.as_operation(), arguments.target.as_deref()).map_err(
            |reason| match reason {
                NoGpu::Unsaid => Failure::new(
                    "the module does not say which GPU it is for: it has no `ttg.target`",
                )
                .note("say it: `--target cuda:90`, or `--target hip:gfx942`"),
                NoGpu::Unknown(name) => Failure::new(name),
            },
        )?;
        let cpu = arguments.target_cpu.as_deref();
        Ok(Self {
            target,
            cpu: cpu.unwrap_or(target.llvm_cpu).to_owned(),
            features: features(target, arguments.features.as_deref()),
            is_cpu_given: cpu.is_some(),
        })
    }

    /// LLVM's name of the platform.
    pub(crate) fn triple(&self) -> &'static str {
        match self.target.vendor {
            Vendor::Nvidia => "nvptx64-nvidia-cuda",
            Vendor::Amd => "amdgcn-amd-amdhsa",
        }
    }

    /// LLVM's back end for this GPU.
    pub(crate) fn machine(&self, optimize: u8) -> Result<TargetMachine, Failure> {
        let config = InitializationConfig::default();
        match self.target.vendor {
            Vendor::Nvidia => LlvmTarget::initialize_nvptx(&config),
            Vendor::Amd => LlvmTarget::initialize_amd_gpu(&config),
        }
        let level = match optimize {
            0 => OptimizationLevel::None,
            1 => OptimizationLevel::Less,
            2 => OptimizationLevel::Default,
            _ => OptimizationLevel::Aggressive,
        };
        let triple = TargetTriple::create(self.triple());
        let machine = LlvmTarget::from_triple(&triple)
            .map_err(|reason| Failure::new(format!("this LLVM has no back end: {reason}")))?
            .create_target_machine(
                &triple,
                &self.cpu,
                &self.features,
                level,
                RelocMode::PIC,
                CodeModel::Default,
            )
            .ok_or_else(|| Failure::new(format!("LLVM has no machine for `{}`", self.cpu)))?;
        if self.is_cpu_given && !self.is_known(&machine, &triple) {
            return Err(Failure::new(format!(
                "LLVM does not know the processor `{}` of `{}`",
                self.cpu,
                self.triple()
            ))
            .note(format!(
                "the target `{}` is `{}`",
                self.target.name, self.target.llvm_cpu
            )));
        }
        Ok(machine)
    }

    /// Whether LLVM knows the processor.
    ///
    /// It does not say: it falls back to another one. The assembly of an empty AMD module then names
    /// that one; an NVIDIA module names the unknown one, so there our own table decides.
    fn is_known(&self, machine: &TargetMachine, triple: &TargetTriple) -> bool {
        if self.target.vendor == Vendor::Nvidia {
            return is_nvidia_cpu(&self.cpu);
        }
        let context = inkwell::context::Context::create();
        let module = context.create_module("probe");
        module.set_triple(triple);
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        machine
            .write_to_memory_buffer(&module, FileType::Assembly)
            .is_ok_and(|text| String::from_utf8_lossy(text.as_slice()).contains(&self.cpu))
    }
}

/// Whether a name is that of a processor of the table, perhaps with another suffix: `sm_90` has no
/// instructions beyond the common ones, `sm_90a` has all.
fn is_nvidia_cpu(name: &str) -> bool {
    let number = |name: &str| -> Option<u32> {
        name.strip_prefix("sm_")?
            .trim_end_matches(['a', 'f'])
            .parse()
            .ok()
    };
    TARGETS
        .iter()
        .filter(|target| target.vendor == Vendor::Nvidia)
        .any(|target| {
            number(target.llvm_cpu) == number(name)
                && (target.arch >= 90 || target.llvm_cpu == name)
        })
}

/// The features that a kernel is compiled with: those of the target, then the user's.
fn features(target: &Target, extra: Option<&str>) -> String {
    // PTX 8.0 is the oldest version that knows sm_90a; drivers since CUDA 12.0 take it. Later GPUs
    // bring their own minimum.
    let base = if target.vendor == Vendor::Nvidia && target.arch <= 90 {
        Some("+ptx80")
    } else {
        None
    };
    base.into_iter().chain(extra).collect::<Vec<_>>().join(",")
}

/// The data layout of a machine, as text.
pub(crate) fn data_layout(machine: &TargetMachine) -> String {
    machine
        .get_target_data()
        .get_data_layout()
        .as_str()
        .to_string_lossy()
        .into_owned()
}
