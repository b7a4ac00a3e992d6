//! The cases of `ll-layout batch` in process: errors and echoed fields.

use crate::batch;
use serde_json::{Value, json};

#[track_caller]
fn check_error(line: &str, message: &str) {
    let answer = batch::answer(line.as_bytes());
    let error = answer.get("error").and_then(Value::as_str);
    let error = error.unwrap_or_else(|| panic!("{line} has an answer: {answer:?}"));
    assert!(error.contains(message), "{error}");
    for key in ["ok", "bases"] {
        assert!(!answer.contains_key(key), "{answer:?}");
    }
}

#[test]
fn bad_cases_get_an_error_that_teaches() {
    check_error("", "the line is not JSON");
    check_error("{\"enc\": ", "the line is not JSON: EOF");
    check_error("[1]", "expected a JSON object, found [1]");
    check_error("{}", "found neither `enc` nor `op`");
    check_error(r#"{"enc": "x", "op": "y"}"#, "found both `enc` and `op`");
    check_error(r#"{"enc": 7}"#, "`enc`: expected a string, found 7");
    check_error(r#"{"enc": "x", "shape": [1]}"#, "expected an encoding");
    let blocked = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    check_error(
        &json!({"enc": blocked}).to_string(),
        "`enc` requires `shape`",
    );
    check_error(
        &json!({"enc": blocked, "bases": {"lane": [[1], [1, 2]]}}).to_string(),
        "`shape` is missing and cannot be inferred from `bases`",
    );
    check_error(
        &json!({"enc": blocked, "shape": [-4]}).to_string(),
        "`shape`: expected a list of sizes such as [64, 16], found [-4]",
    );
    check_error(
        &json!({"enc": blocked, "shape": [12]}).to_string(),
        "shape has 12 elements along dim0",
    );
    check_error(r#"{"op": "invert"}"#, "`op` requires `args`");
    check_error(
        r#"{"op": "invert", "args": []}"#,
        "`invert` has 0 arguments; expected [layout]",
    );
    check_error(
        r#"{"op": "inverse", "args": []}"#,
        "unknown operation `inverse` (did you mean `invert`?); the operations are apply, properties",
    );
    check_error(
        r#"{"system": "cutr", "op": "call", "args": []}"#,
        "unknown system `cutr` (did you mean `cute`?); the systems are linear, cute, tilus, bridge",
    );
    check_error(
        r#"{"system": "cute", "enc": "x"}"#,
        "`enc` requires the system `linear`, found `cute`; use `op` and `args`",
    );
    check_error(
        r#"{"system": "cute", "op": "call", "args": [{"shape": [4, 2], "stride": [1]}, 0]}"#,
        "argument 0 of `call`: the shape (4,2) and the stride (1) have different structures",
    );
    check_error(
        r#"{"op": "mul", "args": [{"bases": []}, 1]}"#,
        "argument 0 of `mul`: expected a layout `{\"bases\"",
    );
    check_error(
        r#"{"op": "invert", "args": [{"bases": [["lane", [[-1]]]], "out_dims": [["dim0", 2]]}]}"#,
        "argument 0 of `invert`: the bases of `lane` are not lists of non-negative integers",
    );
    check_error(
        r#"{"op": "identity_1d", "args": ["4", "lane", "dim0"]}"#,
        "argument 0 of `identity_1d`: expected a size (a positive integer), found \"4\"",
    );
    check_error(
        r#"{"op": "identity_1d", "args": [6, "lane", "dim0"]}"#,
        "size 6 of in-dim `lane` is not a power of two",
    );
    let long = "d".repeat(300);
    check_error(
        &json!({"op": "identity_1d", "args": [4, long, "dim0"]}).to_string(),
        "a dim name of 300 bytes is too long",
    );
}

#[test]
fn answers_in_the_input_are_computed_again_and_the_rest_comes_back() {
    let line = r#"{"id": 7, "ok": 1, "error": "old", "op": "strided_1d", "args": [2, 4, "lane", "dim0"], "note": "kept"}"#;
    let ok = json!({"bases": [["lane", [[4]]]], "out_dims": [["dim0", 8]]});
    let expected = json!({"id": 7, "op": "strided_1d", "args": [2, 4, "lane", "dim0"], "note": "kept", "ok": ok});
    assert_eq!(Value::from(batch::answer(line.as_bytes())), expected);
}
