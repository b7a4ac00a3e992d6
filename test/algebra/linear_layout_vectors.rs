//! The layout algebra against the vectors in `test/golden/linear_layout.jsonl`.

use std::collections::BTreeMap;

use crate::batch;
use linear_layout::layout::Dim;
use serde_json::{Value, json};

const VECTORS: &str = include_str!("../golden/linear_layout.jsonl");
/// Test cases with pairs of layouts that agree in one dim. In each layout, this dim is either independent of the
/// other dims or coupled with them.
const SHARED_DIMS: &str = include_str!("../golden/linear_layout_shared_dims.jsonl");

/// Runs each case and checks its result. Returns the number of cases of each operation.
#[track_caller]
fn check(vectors: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut failures = Vec::new();
    for line in vectors.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let op = case["op"].as_str().unwrap();
        let got = batch::run("linear", op, case["args"].as_array().unwrap());
        *counts.entry(op.to_owned()).or_default() += 1;
        match (&got, case.get("ok")) {
            (Ok(got), Some(ok)) if got == ok => {}
            (Err(_), None) => {}
            _ => failures.push(format!(
                "{}: {op}\n  got {got:?}\n  expected {:?}",
                case["id"], case["ok"]
            )),
        }
    }
    assert!(
        failures.is_empty(),
        "{} fail; the first:\n{}",
        failures.len(),
        failures[0]
    );
    counts
}

#[test]
fn every_vector_is_met() {
    let counts = check(VECTORS);
    assert_eq!(counts.values().sum::<usize>(), 1726);
    assert_eq!(counts.len(), 11, "{counts:?}");
}

#[test]
fn shared_dims_stay_where_triton_lets_them() {
    assert_eq!(check(SHARED_DIMS)["invert_and_compose"], 600);
}

#[test]
fn conversions_touch_the_dims_that_triton_says() {
    let layout_of = |bases: &Value, shape: &[u64]| {
        let dims = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];
        let named: Vec<Value> = dims
            .iter()
            .map(|d| json!([d.name(), bases[d.name()]]))
            .collect();
        let outs: Vec<Value> = shape
            .iter()
            .enumerate()
            .map(|(i, s)| json!([Dim::out(i).name(), s]))
            .collect();
        batch::linear::layout_from_json(&json!({"bases": named, "out_dims": outs})).unwrap()
    };
    let mut cases = 0;
    for line in include_str!("../golden/conversions.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let shape: Vec<u64> = serde_json::from_value(case["shape"].clone()).unwrap();
        let src = layout_of(&case["src_bases"], &shape);
        let dst = layout_of(&case["dst_bases"], &shape);
        let moved = src.minimal_conversion_to(&dst).unwrap();
        let moved: Vec<&str> = moved.in_dims().map(Dim::name).collect();
        assert_eq!(json!(moved), case["moves"], "case {}", case["id"]);
        cases += 1;
    }
    assert!(cases > 500, "{cases}");
}
