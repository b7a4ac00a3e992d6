//! Requests of the C API and the Python package: text and JSON in, text and JSON out.

use linear_layout_mlir::driver::requests::{compile, rewrite, simulate};
use linear_layout_mlir::sys::Answer;
use serde_json::{Value, json};

const DOUBLE: &str = r#"
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @double(%p: !tt.ptr<f32>, %step: i32) {
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    %s = tt.splat %step : i32 -> tensor<32xi32, #b>
    %j = arith.muli %i, %s : tensor<32xi32, #b>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %at = tt.addptr %ps, %j : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %x = tt.load %at : tensor<32x!tt.ptr<f32>, #b>
    %y = arith.addf %x, %x : tensor<32xf32, #b>
    tt.store %at, %y : tensor<32x!tt.ptr<f32>, #b>
    tt.return
  }
}
"#;

fn report(answer: &Answer) -> Value {
    serde_json::from_str(&answer.report).unwrap()
}

#[test]
fn a_compilation_gives_assembly_ir_numbers_and_times() {
    let options =
        r#"{"llvm_ir": true, "kernel_attributes": {"note": "kept"}, "reflect_ftz": true}"#;
    let made = compile(DOUBLE.as_bytes(), options);
    let report = report(&made);
    assert!(made.succeeded, "{report}");
    assert!(String::from_utf8_lossy(&made.output).contains(".visible .entry double("));
    let ir = report["llvm_ir"].as_str().unwrap();
    assert!(
        ir.contains("\"note\"=\"kept\"") && ir.contains("nvvm-reflect-ftz"),
        "{ir}"
    );
    assert_eq!(report["target"], "cuda:90");
    assert_eq!(report["attributes"]["ttg.shared"], 0);
    assert!(report["times"]["lower"].as_f64().unwrap() > 0.0);
}

#[test]
fn an_error_has_its_place_and_its_notes() {
    let refused = rewrite(
        b"module {\n  tt.nothing\n}",
        r#"{"pipeline": "builtin.module()", "file": "k.py"}"#,
    );
    assert!(!refused.succeeded && refused.output.is_empty());
    let message = &report(&refused)["messages"][0];
    assert_eq!(message["severity"], "error");
    assert_eq!(
        (&message["file"], &message["line"]),
        (&json!("k.py"), &json!(2))
    );
    // A rule has its label.
    let text = DOUBLE.replace("threadsPerWarp = [32]", "threadsPerWarp = [16]");
    let refused = rewrite(text.as_bytes(), r#"{"pipeline": "builtin.module()"}"#);
    assert_ne!(
        report(&refused)["messages"][0]["rule"],
        "",
        "{}",
        refused.report
    );
}

#[test]
fn options_that_do_not_exist_are_errors() {
    for (options, message) in [
        ("{\"tarjet\": 1}", "unknown field `tarjet`, expected one of"),
        ("{\"optimize\": \"much\"}", "invalid type: string"),
        ("[", "options: EOF"),
        (
            "{\"kernel_attributes\": {\"a\": 1}}",
            "the attribute `a` is 1, expected a string",
        ),
        ("{\"target\": \"cuda:9\"}", "unknown target `cuda:9`"),
        (
            "{\"lower\": \"nothing\"}",
            "does not refer to a registered pass",
        ),
        ("{\"emit\": \"amdgcn\"}", "is for AMD GPUs"),
        ("{\"link_bitcode\": [\"/no/such.bc\"]}", "/no/such.bc"),
    ] {
        let refused = compile(DOUBLE.as_bytes(), options);
        assert!(
            !refused.succeeded && refused.report.contains(message),
            "{options}: {}",
            refused.report
        );
    }
}

#[test]
fn a_simulation_changes_the_buffers_of_its_caller() {
    let mut values: Vec<u8> = (0..32)
        .flat_map(|i: u16| f32::from(i).to_le_bytes())
        .collect();
    let options = r#"{"args": [{"buffer": [0, 0]}, {"int": 1}], "names": ["p"]}"#;
    let answer = simulate(DOUBLE.as_bytes(), options, &mut [&mut values]);
    assert!(answer.succeeded, "{}", answer.report);
    assert_eq!(values[4 * 5..4 * 6], 10f32.to_le_bytes());
    assert_eq!(report(&answer)["report"]["blocks"], 1);
}

#[test]
fn a_fault_has_its_kind_and_leaves_the_buffers() {
    let mut values = vec![1; 128];
    let options = r#"{"args": [{"buffer": [0, 0]}, {"int": 2}], "names": ["p"]}"#;
    let answer = simulate(DOUBLE.as_bytes(), options, &mut [&mut values]);
    let report = report(&answer);
    assert!(!answer.succeeded && values == vec![1; 128]);
    let fault = &report["fault"];
    assert_eq!(fault["kind"], "out-of-bounds", "{report}");
    assert_eq!(fault["thread"]["lane"], 16);
    assert!(
        fault["location"].as_str().unwrap().contains(":10:"),
        "{fault}"
    );
    let refused = simulate(
        DOUBLE.as_bytes(),
        r#"{"args": [{"buffer": [3, 0]}]}"#,
        &mut [],
    );
    assert!(
        refused
            .report
            .contains("buffer index 3 is out of range, the request has 0 buffers"),
        "{}",
        refused.report
    );
}
