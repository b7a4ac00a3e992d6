//! Location of NVIDIA's assembler, for the tests that need it.

use std::env;
use std::path::{Path, PathBuf};

/// Returns NVIDIA's assembler: on the path, or where tools/setup.sh put it.
pub(crate) fn ptxas(root: &Path) -> Option<PathBuf> {
    let on_path = env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join("ptxas"))
        .find(|file| file.exists());
    on_path.or_else(|| {
        let home = root.join("target/tools/nvcc/nvidia");
        std::fs::read_dir(home)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path().join("bin/ptxas")))
            .find(|file| file.exists())
    })
}
