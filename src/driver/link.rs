//! Linking of bitcode libraries, and of AMD objects to code objects.

use super::{Failure, Options};
use crate::sys;
use inkwell::attributes::AttributeLoc;
use inkwell::module::{FlagBehavior, Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;
use inkwell::values::{BasicValue, FunctionValue};
use linear_layout::target::Target;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Library {
    prefix: &'static str,
    /// Name of the library in the option `--link-bitcode`.
    name: &'static str,
    description: &'static str,
    install: &'static str,
}

const LIBRARIES: [Library; 3] = [
    Library {
        prefix: "__nv_",
        name: "libdevice",
        description: "libdevice.10.bc of the CUDA toolkit",
        install: "on Debian: `apt-get install nvidia-cuda-toolkit`",
    },
    Library {
        prefix: "__ocml_",
        name: "ocml",
        description: "ocml.bc of ROCm's device libraries",
        install: "on Debian: `apt-get install rocm-device-libs`",
    },
    Library {
        prefix: "__ockl_",
        name: "ockl",
        description: "ockl.bc of ROCm's device libraries",
        install: "on Debian: `apt-get install rocm-device-libs`",
    },
];

/// External functions that need no definition. GPU drivers define the first four; LLVM resolves
/// `__nvvm_reflect`.
const RUNTIME: [&str; 5] = [
    "vprintf",
    "__assertfail",
    "malloc",
    "free",
    "__nvvm_reflect",
];

/// Environment variables that contain lists of folders, each with the subfolder in which the libraries are.
const FOLDERS_IN: [(&str, &str); 5] = [
    ("LL_BITCODE_PATH", ""),
    ("CUDA_HOME", "nvvm/libdevice"),
    ("CUDA_PATH", "nvvm/libdevice"),
    ("HIP_DEVICE_LIB_PATH", ""),
    ("ROCM_PATH", "amdgcn/bitcode"),
];

/// Default installation folders of the libraries.
const FOLDERS: [&str; 7] = [
    "/usr/local/cuda/nvvm/libdevice",
    "/usr/lib/cuda/nvvm/libdevice",
    "/usr/lib/nvidia-cuda-toolkit/libdevice",
    "/opt/rocm/amdgcn/bitcode",
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
];

/// Returns `path` if it is the path of a file, or if it has several components. Otherwise searches the library
/// folders for a library with this name.
fn find(path: &Path) -> Result<PathBuf, Failure> {
    if path.is_file() || path.components().count() > 1 {
        return Ok(path.to_owned());
    }
    let name = path.to_string_lossy();
    let folders: Vec<PathBuf> = FOLDERS_IN
        .iter()
        .flat_map(|(variable, below)| {
            let list = std::env::var_os(variable).unwrap_or_default();
            let folders: Vec<PathBuf> = std::env::split_paths(&list)
                .filter(|folder| !folder.as_os_str().is_empty())
                .map(|folder| folder.join(below))
                .collect();
            folders
        })
        .chain(FOLDERS.map(PathBuf::from))
        .collect();
    // `libdevice` matches `libdevice.10.bc`.
    let is_it = |file: &Path| {
        let found = file.file_name().unwrap_or_default().to_string_lossy();
        found == name
            || found
                .strip_prefix(&*name)
                .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".bc"))
    };
    let named = folders.iter().find_map(|folder| {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| is_it(file))
            .collect();
        files.sort();
        files.pop()
    });
    let install = LIBRARIES
        .iter()
        .find(|library| name.starts_with(library.name));
    named.ok_or_else(|| {
        let failure = Failure::new(format!(
            "cannot link `{name}`: no file and no library of an installed toolkit has this name"
        ));
        let failure = match install {
            Some(library) => failure.note(format!(
                "install {}; {}",
                library.description, library.install
            )),
            None => failure,
        };
        failure.note("give the path of the file, or set `LL_BITCODE_PATH`, `CUDA_HOME` or `ROCM_PATH` to search other folders")
    })
}

/// Adds the attributes in `options` to the kernels of the module. If libdevice must flush subnormal numbers to
/// zero, also sets the module flag for this.
pub(super) fn describe(module: &Module<'_>, options: &Options) {
    let context = module.get_context();
    if options.reflect_ftz {
        let one = context.i32_type().const_int(1, false);
        module.add_basic_value_flag("nvvm-reflect-ftz", FlagBehavior::Override, one);
    }
    if options.kernel_attributes.is_empty() {
        return;
    }
    // LLVM's calling convention numbers of kernels: PTX, AMDGCN.
    let is_kernel =
        |function: &FunctionValue<'_>| [71, 91].contains(&function.get_call_conventions());
    for function in module.get_functions().filter(is_kernel) {
        for (key, value) in &options.kernel_attributes {
            let attribute = context.create_string_attribute(key, value);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
}

/// Links the bitcode libraries `files` into a module, and removes unused definitions.
pub(super) fn add_bitcode(
    module: &Module<'_>,
    files: &[PathBuf],
    target: &Target,
    machine: &TargetMachine,
) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let own: Vec<_> = defined(module);
    let files: Vec<PathBuf> = files
        .iter()
        .map(|path| find(path))
        .collect::<Result<_, _>>()?;
    // Libraries may call functions of earlier libraries, so all except the last are linked twice.
    for file in files.iter().chain(&files[..files.len() - 1]) {
        let cannot =
            |reason: String| Failure::new(format!("cannot link `{}`: {reason}", file.display()));
        std::fs::File::open(file).map_err(|reason| cannot(reason.to_string()))?;
        sys::link_needed(module, file).map_err(cannot)?;
    }
    for function in module.get_functions() {
        let is_own = own
            .iter()
            .any(|name| name.as_slice() == function.get_name().to_bytes());
        if function.count_basic_blocks() > 0 && !is_own {
            function.set_linkage(Linkage::Internal);
        }
    }
    configure(module, target);
    // Unused functions need not be optimised.
    module
        .run_passes("globaldce", machine, PassBuilderOptions::create())
        .map_err(|reason| Failure::new(format!("LLVM cannot remove unused functions: {reason}")))
}

/// Sets the configuration variables of AMD's libraries: GPU properties, and IEEE 754 semantics.
fn configure(module: &Module<'_>, target: &Target) {
    let is_wide = target.lanes == 64;
    let version = target
        .llvm_cpu
        .trim_start_matches(|c: char| c.is_ascii_alphabetic());
    // In `90a`, the last two hexadecimal digits are minor version and stepping.
    let version = version.split_at_checked(version.len().saturating_sub(2));
    let version = version.and_then(|(major, rest)| {
        let rest = u64::from_str_radix(rest, 16).ok()?;
        Some(major.parse::<u64>().ok()? * 1000 + (rest >> 4) * 100 + (rest & 15))
    });
    let values = [
        ("__oclc_ISA_version", version.unwrap_or_default()),
        ("__oclc_ABI_version", 500),
        ("__oclc_wavefrontsize64", u64::from(is_wide)),
        ("__oclc_wavefrontsize_log2", if is_wide { 6 } else { 5 }),
        ("__oclc_correctly_rounded_sqrt32", 1),
        ("__oclc_daz_opt", 0),
        ("__oclc_finite_only_opt", 0),
        ("__oclc_unsafe_math_opt", 0),
    ];
    for (name, value) in values {
        let Some(variable) = module.get_global(name) else {
            continue;
        };
        let type_ = variable.get_value_type();
        if variable.get_initializer().is_none() && type_.is_int_type() {
            variable.set_initializer(&type_.into_int_type().const_int(value, false));
            variable.set_linkage(Linkage::Internal);
        }
    }
}

fn defined(module: &Module<'_>) -> Vec<Vec<u8>> {
    module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
        .map(|function| function.get_name().to_bytes().to_vec())
        .collect()
}

pub(super) struct UndefinedFunction {
    pub(super) name: String,
    /// Suggested fix, attached to the error as a note.
    pub(super) fix: String,
}

/// Returns the functions that are used but not defined, except those that need no definition. An assembler or
/// driver would reject them later.
pub(super) fn undefined_functions(module: &Module<'_>) -> Vec<UndefinedFunction> {
    let is_missing = |function: &FunctionValue<'_>| {
        let name = function.get_name().to_string_lossy();
        function.count_basic_blocks() == 0
            && !name.starts_with("llvm.")
            && !RUNTIME.contains(&&*name)
            && function
                .as_global_value()
                .as_pointer_value()
                .get_first_use()
                .is_some()
    };
    let functions = module.get_functions().filter(is_missing);
    functions.map(missing_one).collect()
}

fn missing_one(function: FunctionValue<'_>) -> UndefinedFunction {
    let name = function.get_name().to_string_lossy().into_owned();
    let attribute = |key: &str| {
        let value = function.get_string_attribute(AttributeLoc::Function, key)?;
        Some(value.get_string_value().to_string_lossy().into_owned())
    };
    let known = LIBRARIES
        .iter()
        .find(|library| name.starts_with(library.prefix));
    let fix = match (known, attribute("libname"), attribute("libpath")) {
        (_, Some(library), Some(path)) => format!("link {library} with `--link-bitcode {path}`"),
        (Some(library), ..) => format!(
            "link {} with `--link-bitcode {}`, or with the path of the file; {}",
            library.description, library.name, library.install
        ),
        (None, Some(library), None) => {
            format!("link {library} with `--link-bitcode {library}`, or with the path of the file")
        }
        (None, None, Some(path)) => format!("link the bitcode with `--link-bitcode {path}`"),
        (None, None, None) => {
            "link the bitcode that defines the function with `--link-bitcode FILE.bc`".to_owned()
        }
    };
    UndefinedFunction { name, fix }
}

/// Links an AMD object to a loadable code object.
pub(super) fn code_object(object: &[u8]) -> Result<Vec<u8>, Failure> {
    let linker = linker()?;
    let folder = std::env::temp_dir().join(format!("ll-translate-{}", std::process::id()));
    let result = link_in(&folder, &linker, object);
    // The folder is private; failure to remove it is harmless.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn link_in(folder: &Path, linker: &Path, object: &[u8]) -> Result<Vec<u8>, Failure> {
    let cannot =
        |what: &str, reason: std::io::Error| Failure::new(format!("cannot {what}: {reason}"));
    let (from, to) = (folder.join("kernel.o"), folder.join("kernel.hsaco"));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&from, object))
        .map_err(|reason| cannot(&format!("write `{}`", from.display()), reason))?;
    let output = Command::new(linker)
        .args([
            "-flavor",
            "gnu",
            "-m",
            "elf64_amdgpu",
            "-shared",
            "--no-undefined",
        ])
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .stdin(Stdio::null())
        .output()
        .map_err(|reason| cannot(&format!("run `{}`", linker.display()), reason))?;
    if !output.status.success() {
        return Err(Failure::new(format!(
            "`{}` cannot link the object: {}",
            linker.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    std::fs::read(&to).map_err(|reason| cannot(&format!("read `{}`", to.display()), reason))
}

/// Returns the path of `lld`, in LLVM's installation or in `PATH`.
fn linker() -> Result<PathBuf, Failure> {
    let beside = Path::new(env!("MLIR_SYS_220_PREFIX")).join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(beside)
        .chain(std::env::split_paths(&path))
        .flat_map(|folder| ["lld", "lld-22"].map(|name| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            Failure::new("cannot link code objects: no `lld` in LLVM's `bin` folder or in `PATH`")
                .note("install lld (on Debian: `apt-get install lld-22`), or use `--emit=amdgcn`, which requires no linker")
        })
}
