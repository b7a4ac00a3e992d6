//! Seeds of mutation: the modules of the project's tests, as text and as bytecode.

use crate::tool::{self, Scratch};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A module of a test, with its lowered and bytecode forms, computed on first use.
#[derive(Debug)]
pub(crate) struct SeedModule {
    /// File of the module and its position in this file, for messages.
    pub(crate) name: String,
    /// The module as text.
    pub(crate) text: Vec<u8>,
    lowered: OnceLock<Option<Vec<u8>>>,
    bytecode: OnceLock<Option<Vec<u8>>>,
    lowered_bytecode: OnceLock<Option<Vec<u8>>>,
}

/// Returns the modules of the tests, in an order that is the same on every machine.
pub(crate) fn sources() -> Vec<SeedModule> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("test");
    let mut files = Vec::new();
    for folder in ["kernels", "Dialect", "Passes", "Conversion", "Tools"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let mut sources = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a module of the tests is text");
        let name = file
            .strip_prefix(&root)
            .unwrap_or(&file)
            .display()
            .to_string();
        for (number, part) in text.split("// -----").enumerate() {
            if part.contains('{') {
                sources.push(SeedModule {
                    name: format!("{name}#{number}"),
                    text: part.as_bytes().to_vec(),
                    lowered: OnceLock::new(),
                    bytecode: OnceLock::new(),
                    lowered_bytecode: OnceLock::new(),
                });
            }
        }
    }
    sources
}

/// Appends to `files` all module files in a folder and its subfolders.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|e| e == "mlir" || e == "ttgir")
        {
            files.push(path);
        }
    }
}

impl SeedModule {
    /// Returns the module lowered to the LLVM dialect, or `None` if it cannot be lowered.
    pub(crate) fn lowered(&self, scratch: &Scratch) -> Option<&[u8]> {
        self.lowered
            .get_or_init(|| self.made(scratch, &["--convert-layouts-to-llvm"]))
            .as_deref()
    }

    /// Returns the module as bytecode, or `None` if the conversion to bytecode fails.
    pub(crate) fn bytecode(&self, scratch: &Scratch) -> Option<&[u8]> {
        self.bytecode
            .get_or_init(|| self.made(scratch, &["--emit-bytecode"]))
            .as_deref()
    }

    /// Returns the module lowered to the LLVM dialect, as bytecode. `None` if it cannot be lowered.
    pub(crate) fn lowered_bytecode(&self, scratch: &Scratch) -> Option<&[u8]> {
        self.lowered_bytecode
            .get_or_init(|| self.made(scratch, &["--convert-layouts-to-llvm", "--emit-bytecode"]))
            .as_deref()
    }

    fn made(&self, scratch: &Scratch, options: &[&str]) -> Option<Vec<u8>> {
        let from = scratch.write("source.mlir", &self.text);
        let to = scratch.path("made");
        let mut arguments: Vec<&str> = options.to_vec();
        arguments.extend([from.to_str()?, "-o", to.to_str()?]);
        let _ = std::fs::remove_file(&to);
        let run = tool::run(scratch, "ll-opt", &arguments, None);
        run.succeeded.then(|| std::fs::read(to).ok()).flatten()
    }

    /// Returns arguments of `ll-sim` that launch the first function. If a `RUN:` line of the module runs `ll-sim`,
    /// these are its launch arguments; otherwise there is one argument per parameter.
    pub(crate) fn launch(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.text);
        let command = text
            .lines()
            .filter_map(|line| line.split_once("RUN: ll-sim %s"))
            .map(|(_, rest)| rest.split(['|', '>']).next().unwrap_or_default())
            .find(|rest| rest.contains("--arg"));
        if let Some(command) = command {
            let mut words = command.split_whitespace();
            let mut kept = Vec::new();
            while let Some(word) = words.next() {
                if ["--arg", "--entry", "--grid", "--block"].contains(&word) {
                    kept.extend([word.to_owned(), words.next().unwrap_or_default().to_owned()]);
                }
            }
            return kept;
        }
        let parameters = text
            .split_once(".func")
            .and_then(|(_, rest)| rest.split_once('('))
            .map_or("", |(_, rest)| rest.lines().next().unwrap_or_default());
        let mut arguments = Vec::new();
        for parameter in parameters.split('%').skip(1) {
            let Some((_, ty)) = parameter.split_once(": ") else {
                break;
            };
            let ty = ty.split([',', ' ', ')']).next().unwrap_or_default();
            let argument = if let Some(pointee) = ty.strip_prefix("!tt.ptr<") {
                format!("zeros:{}:65536", pointee.trim_end_matches('>'))
            } else if ty.starts_with('!') {
                "zeros:f32:65536".to_owned()
            } else if ty.starts_with('i') {
                format!("64:{ty}")
            } else {
                format!("1.5:{ty}")
            };
            arguments.extend(["--arg".to_owned(), argument]);
        }
        arguments
    }
}
