//! What a module needs from elsewhere: libraries of bitcode, and the linker of code objects.

use crate::Failure;
use inkwell::module::{Linkage, Module};
use inkwell::values::BasicValue;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Functions that a GPU maker's library has, and what that library is called.
const LIBRARIES: [(&str, &str); 3] = [
    ("__nv_", "libdevice.10.bc of the CUDA toolkit"),
    ("__ocml_", "ocml.bc of ROCm's device libraries"),
    ("__ockl_", "ockl.bc of ROCm's device libraries"),
];

/// Links libraries of bitcode into a module, and forgets what of them it does not need.
pub(crate) fn add_bitcode(module: &Module<'_>, files: &[PathBuf]) -> Result<(), Failure> {
    if files.is_empty() {
        return Ok(());
    }
    let own: Vec<_> = defined(module);
    for file in files {
        let cannot =
            |reason: String| Failure::new(format!("cannot link `{}`: {reason}", file.display()));
        std::fs::File::open(file).map_err(|reason| cannot(reason.to_string()))?;
        let library = Module::parse_bitcode_from_path(file, module.get_context())
            .map_err(|reason| cannot(reason.to_string()))?;
        library.set_triple(&module.get_triple());
        library.set_data_layout(&module.get_data_layout());
        module
            .link_in_module(library)
            .map_err(|reason| cannot(reason.to_string()))?;
    }
    for function in module.get_functions() {
        let is_own = own
            .iter()
            .any(|name| name.as_slice() == function.get_name().to_bytes());
        if function.count_basic_blocks() > 0 && !is_own {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

fn defined(module: &Module<'_>) -> Vec<Vec<u8>> {
    module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
        .map(|function| function.get_name().to_bytes().to_vec())
        .collect()
}

/// Complains of a library's function that is called and not there; an assembler or a driver would,
/// later and in other words.
pub(crate) fn check_complete(module: &Module<'_>) -> Result<(), Failure> {
    for function in module.get_functions() {
        if function.count_basic_blocks() > 0
            || function
                .as_global_value()
                .as_pointer_value()
                .get_first_use()
                .is_none()
        {
            continue;
        }
        let name = function.get_name().to_string_lossy();
        if let Some((_, library)) = LIBRARIES
            .iter()
            .find(|(prefix, _)| name.starts_with(prefix))
        {
            return Err(Failure::new(format!(
                "the module calls `{name}`, which it does not define"
            ))
            .note(format!("it is in {library}: `--link PATH`")));
        }
    }
    Ok(())
}

/// Links an AMD object to a code object, as the driver loads it.
pub(crate) fn code_object(object: &[u8]) -> Result<Vec<u8>, Failure> {
    let linker = linker()?;
    let folder = std::env::temp_dir().join(format!("ll-translate-{}", std::process::id()));
    let result = link_in(&folder, &linker, object);
    // Nobody else knows of the folder; what cannot be removed is the system's to clean up.
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

/// `lld`: below the prefix of the LLVM that this tool was built with, or on the path.
fn linker() -> Result<PathBuf, Failure> {
    let beside = Path::new(env!("MLIR_SYS_220_PREFIX")).join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(beside)
        .chain(std::env::split_paths(&path))
        .flat_map(|folder| ["lld", "lld-22"].map(|name| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            Failure::new("no `lld`, which makes code objects, beside LLVM or on the path")
                .note("on Debian: `apt-get install lld-22`; `--emit=amdgcn` needs no linker")
        })
}
