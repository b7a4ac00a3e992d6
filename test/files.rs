//! The files of the project, for tests that read them.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> &'static Path {
    // A member crate lies below it.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|folder| folder.join("build.rs").is_file())
        .expect("the project's root is above")
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()))
}

/// Returns every file in a folder and its subfolders whose extension is one of `endings`.
pub(crate) fn files(folder: impl AsRef<Path>, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|e| endings.iter().any(|ending| e == *ending))
            {
                found.push(path);
            }
        }
    }
    found
}
