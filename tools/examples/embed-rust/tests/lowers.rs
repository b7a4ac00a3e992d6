//! Test of the example. (Cargo builds binaries for tests of their own package; `test/Tools/embed-rust.test` compares
//! the output with `ll-opt`.)

use std::process::Command;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_embed-rust"))
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_kernel_is_lowered_for_the_target() {
    let kernel = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../test/kernels/gfx942/vector_add.ttgir"
    );
    let (code, lowered, _) = run(&[kernel, "hip:gfx942"]);
    assert_eq!(code, Some(0));
    assert!(lowered.contains("llvm.func @vector_add"), "{lowered}");
    assert!(!lowered.contains("tt.func"), "{lowered}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let (code, _, said) = run(&["nowhere.ttgir", "cuda:90"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("nowhere.ttgir"), "{said}");
    let (code, _, said) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("usage: embed-rust"), "{said}");
}
