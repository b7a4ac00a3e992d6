//! `f2` needs neither the standard library nor an allocator.

use crate::files::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Path of the folder of the module `f2`, relative to the file that the test compiles.
const FOLDER: &str = "../../../crates/linear-layout/src/f2";

fn rustc() -> PathBuf {
    let beside_cargo = Path::new(env!("CARGO")).with_file_name("rustc");
    if beside_cargo.exists() {
        beside_cargo
    } else {
        "rustc".into()
    }
}

fn compile(source: &Path, name: &str) -> Output {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.rmeta"));
    Command::new(rustc())
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--crate-name",
            name,
        ])
        .args(["--emit", "metadata", "--cap-lints", "allow", "-o"])
        .arg(out)
        .arg(source)
        .output()
        .expect("rustc starts")
}

#[test]
fn f2_compiles_without_the_standard_library() {
    let root = root();
    let source = root.join("test/algebra/no_std/f2.rs");
    let good = compile(&source, "f2_alone");
    let errors = String::from_utf8_lossy(&good.stderr);
    assert!(good.status.success(), "{errors}");

    // The same with one line that needs the standard library: this test can fail.
    let bad = Path::new(env!("CARGO_TARGET_TMPDIR")).join("f2_with_std.rs");
    let text = std::fs::read_to_string(&source)
        .expect("the source is there")
        .replace(
            FOLDER,
            &root
                .join("crates/linear-layout/src/f2")
                .display()
                .to_string(),
        );
    std::fs::write(&bad, format!("{text}\npub use std::vec::Vec;\n")).expect("a file is written");
    let bad = compile(&bad, "f2_with_std");
    let errors = String::from_utf8_lossy(&bad.stderr);
    assert!(!bad.status.success() && errors.contains("std"), "{errors}");
}
