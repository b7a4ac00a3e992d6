//! LLVM target machine for a module's GPU.

use super::{Failure, Options};
use crate::ir::{GpuError, ModuleInfo};
use crate::sys;
use inkwell::OptimizationLevel;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine, TargetTriple,
};
use linear_layout::encoding::spelling::nearest;
use linear_layout::target::{Assembly, Target};
use melior::ir::Module;

/// A target, with the processor and the features that LLVM generates code for.
pub(super) struct LlvmGpu {
    pub(super) target: &'static Target,
    cpu: String,
    features: String,
    /// The processor and features that the user has set, or `None` if neither is set. LLVM may not know them.
    given: Option<LlvmNames>,
}

/// The processor and the features that the user has set.
struct LlvmNames {
    cpu: Option<String>,
    features: String,
}

impl LlvmGpu {
    /// Selects the target from `options`, or from the module if `options` has no target.
    pub(super) fn choose(module: &Module<'_>, options: &Options) -> Result<Self, Failure> {
        let target = ModuleInfo::gpu(module.as_operation(), options.target.as_deref()).map_err(
            |reason| match reason {
                GpuError::Missing => Failure::new("the module has no target")
                    .note("set it with `--target cuda:90` or `--target hip:gfx942`"),
                GpuError::Unknown(name) => Failure::new(name),
            },
        )?;
        let cpu = options.cpu.clone();
        let extra = options.features.clone();
        Ok(Self {
            target,
            cpu: cpu.clone().unwrap_or_else(|| target.llvm_cpu.to_owned()),
            features: features(target, extra.as_deref()),
            given: (cpu.is_some() || extra.is_some()).then(|| LlvmNames {
                cpu,
                features: extra.unwrap_or_default(),
            }),
        })
    }

    /// Creates the target machine for an optimisation level from 0 to 3.
    pub(super) fn machine(&self, optimize: u8) -> Result<TargetMachine, Failure> {
        let config = InitializationConfig::default();
        match self.target.assembly {
            Assembly::Ptx => LlvmTarget::initialize_nvptx(&config),
            Assembly::Gcn => LlvmTarget::initialize_amd_gpu(&config),
        }
        for (name, value) in self.target.assembly.llvm_options() {
            // LLVM without these options generates correct code too.
            sys::set_llvm_option(name, value);
        }
        let level = match optimize {
            0 => OptimizationLevel::None,
            1 => OptimizationLevel::Less,
            2 => OptimizationLevel::Default,
            _ => OptimizationLevel::Aggressive,
        };
        let triple = TargetTriple::create(self.target.llvm_triple);
        let target = LlvmTarget::from_triple(&triple).map_err(|reason| {
            Failure::new(format!(
                "this LLVM has no back end for the target: {reason}"
            ))
        })?;
        let create = |cpu: &str, features: &str| {
            let (relocation, code) = (RelocMode::PIC, CodeModel::Default);
            target
                .create_target_machine(&triple, cpu, features, level, relocation, code)
                .ok_or_else(|| Failure::new(format!("LLVM does not know the processor `{cpu}`")))
        };
        // LLVM only warns of an unknown processor or feature, eight times, and continues.
        if let Some(names) = &self.given {
            self.check(names, &create("", "")?)?;
        }
        create(&self.cpu, &self.features)
    }

    /// Checks that LLVM knows the user's processor and features. `any` is a target machine with the same triple.
    fn check(&self, names: &LlvmNames, any: &TargetMachine) -> Result<(), Failure> {
        let unknown = |what: &str, name: &str, known: &[String], sign: &str| {
            let failure = Failure::new(format!(
                "LLVM does not know the {what} `{name}` of `{}`",
                self.target.llvm_triple
            ));
            let bare = name.trim_start_matches(['+', '-']);
            match nearest(bare, known.iter().map(String::as_str)) {
                Some(near) => failure.note(format!("the nearest is `{sign}{near}`")),
                None => failure,
            }
        };
        if let Some(cpu) = &names.cpu {
            let known = sys::processors(any);
            if !known.contains(cpu) {
                return Err(unknown("processor", cpu, &known, "").note(format!(
                    "the processor of the target `{}` is `{}`",
                    self.target.name, self.target.llvm_cpu
                )));
            }
        }
        let known = sys::processor_features(any);
        for feature in names.features.split(',').filter(|name| !name.is_empty()) {
            let Some(name) = feature.strip_prefix(['+', '-']) else {
                return Err(Failure::new(format!(
                    "feature `{feature}` must start with `+` or `-`"
                ))
                .note(format!(
                    "write `+{feature}` to enable it, `-{feature}` to disable it"
                )));
            };
            if !known.iter().any(|known| known == name) {
                return Err(unknown("feature", feature, &known, &feature[..1]));
            }
        }
        Ok(())
    }
}

/// Returns the features of the target, followed by the user's features in `extra`.
fn features(target: &Target, extra: Option<&str>) -> String {
    let own = Some(target.llvm_features).filter(|features| !features.is_empty());
    own.into_iter().chain(extra).collect::<Vec<_>>().join(",")
}

pub(super) fn data_layout(machine: &TargetMachine) -> String {
    machine
        .get_target_data()
        .get_data_layout()
        .as_str()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_llvm_has_the_options() {
        LlvmTarget::initialize_nvptx(&InitializationConfig::default());
        for (name, value) in Assembly::Ptx.llvm_options() {
            assert!(sys::set_llvm_option(name, value), "{name}");
        }
        assert!(!sys::set_llvm_option("no-such-option", "true"));
    }
}
