//! The layout algebra against the vectors in `test/golden/linear_layout.jsonl`.

use std::collections::BTreeMap;

use linear_layout::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use serde_json::{Map, Value, json};

const VECTORS: &str = include_str!("../golden/linear_layout.jsonl");
/// Pairs in which a dim is the same on both sides, alone or touched by others.
const SHARED_DIMS: &str = include_str!("../golden/linear_layout_shared_dims.jsonl");

fn layout(v: &Value) -> Result<LinearLayout, LayoutError> {
    let pair = |p: &Value| (Dim::named(p[0].as_str().unwrap()), p[1].clone());
    let (mut ins, mut columns) = (Vec::new(), Vec::new());
    let outs: Vec<(Dim, u64)> = v["out_dims"]
        .as_array()
        .unwrap()
        .iter()
        .map(pair)
        .map(|(d, s)| (d, s.as_u64().unwrap()))
        .collect();
    for (dim, list) in v["bases"].as_array().unwrap().iter().map(pair) {
        let list: Vec<Vec<u64>> = serde_json::from_value(list).unwrap();
        columns.push(list);
        ins.push(dim);
    }
    let refs: Vec<Vec<&[u64]>> = columns
        .iter()
        .map(|l| l.iter().map(Vec::as_slice).collect())
        .collect();
    let bases: Vec<(Dim, &[&[u64]])> = ins
        .iter()
        .copied()
        .zip(refs.iter().map(Vec::as_slice))
        .collect();
    LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::NotRequired)
}

fn json(l: &LinearLayout) -> Value {
    let bases: Vec<Value> = l
        .in_dims()
        .map(|d| {
            let list: Vec<Vec<u64>> = (0..l.in_bits(d)).map(|b| l.basis(d, b).to_vec()).collect();
            json!([d.name(), list])
        })
        .collect();
    let outs: Vec<Value> = l.out_shape().map(|(d, s)| json!([d.name(), s])).collect();
    json!({"bases": bases, "out_dims": outs})
}

fn run(op: &str, args: &[Value]) -> Result<Value, LayoutError> {
    let dim = |i: usize| Dim::named(args[i].as_str().unwrap());
    let size = |i: usize| args[i].as_u64().unwrap();
    let unary = |f: fn(&LinearLayout) -> Result<LinearLayout, LayoutError>| {
        Ok(json(&f(&layout(&args[0])?)?))
    };
    let binary = |f: fn(&LinearLayout, &LinearLayout) -> Result<LinearLayout, LayoutError>| {
        Ok(json(&f(&layout(&args[0])?, &layout(&args[1])?)?))
    };
    match op {
        "apply" => {
            let l = layout(&args[0])?;
            let point: Vec<(Dim, u64)> = args[1]
                .as_object()
                .unwrap()
                .iter()
                .map(|(d, v)| (Dim::named(d), v.as_u64().unwrap()))
                .collect();
            let out = l.apply(&point)?;
            let named: Map<String, Value> = l
                .out_dims()
                .zip(out.iter())
                .map(|(d, v)| (d.name().to_owned(), json!(v)))
                .collect();
            Ok(Value::Object(named))
        }
        "properties" => {
            let l = layout(&args[0])?;
            Ok(
                json!({"surjective": l.is_surjective(), "injective": l.is_injective(),
                "invertible": l.is_invertible()}),
            )
        }
        "print" => {
            let l = layout(&args[0])?;
            Ok(json!(l.to_string()))
        }
        "invert" => unary(LinearLayout::invert),
        "pseudoinvert" => unary(LinearLayout::pseudoinvert),
        "invert_and_compose" => binary(LinearLayout::invert_and_compose),
        "compose" => binary(LinearLayout::compose),
        "mul" => binary(LinearLayout::product),
        "identity_1d" => Ok(json(&LinearLayout::identity_1d(size(0), dim(1), dim(2))?)),
        "strided_1d" => Ok(json(&LinearLayout::strided_1d(
            size(0),
            size(1),
            dim(2),
            dim(3),
        )?)),
        "zeros_1d" => Ok(json(&LinearLayout::zeros_1d(
            size(0),
            dim(1),
            dim(2),
            size(3),
        )?)),
        other => panic!("no such op: {other}"),
    }
}

/// Runs each case and returns how many there are of each op.
#[track_caller]
fn check(vectors: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut failures = Vec::new();
    for line in vectors.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let op = case["op"].as_str().unwrap();
        let got = run(op, case["args"].as_array().unwrap());
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
        layout(&json!({"bases": named, "out_dims": outs})).unwrap()
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
