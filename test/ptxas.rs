//! Location of NVIDIA's assembler, for the tests that need it.

use std::env;
use std::path::{Path, PathBuf};

/// Returns the path of NVIDIA's assembler `ptxas`. The directories of `PATH` are searched first, then the place
/// below `root` where tools/setup.sh installs it. Returns `None` if neither has the file or `PATH` is not set.
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
