//! CuTe's algebra against the vectors in `test/golden/cute.jsonl`.
//!
//! If the implementations there agree, up to strides of modes of shape 1, or all fail, this one must, too. If they
//! differ, a result must satisfy the definition of the operation (`cute_laws`), or be an error.

use std::collections::BTreeMap;

use crate::batch;
use crate::cute_laws::{self, IndexFunction};
use crate::split_mix::Random;
use linear_layout::cute::Layout;
use serde_json::{Value, json};

const VECTORS: &str = include_str!("../golden/cute.jsonl");

/// Cases in which a reference implementation computes a wrong result, so that the result of the library may differ.
/// Each entry contains the operation, its arguments, and the fault of the reference.
const WRONG: [(&str, &str, &str); 6] = [
    ("logical_product", "int tiler", "pycute divides"),
    (
        "swizzle_apply",
        "no bits and no shift",
        "pycute recurses for ever",
    ),
    (
        "swizzled_right_inverse",
        r#"[[2,3,3],{"shape":[8,8],"stride":[8,1]}]"#,
        "C++: index 1 is not found",
    ),
    (
        "swizzled_right_inverse",
        r#"[[1,4,4],{"shape":[8,8],"stride":[8,1]}]"#,
        "C++: index 4 is not found",
    ),
    (
        "blocked_product",
        r#"[{"shape":[2],"stride":[1]},{"shape":[16],"stride":[1]}]"#,
        "C++ did not compile",
    ),
    (
        "blocked_product",
        r#"[{"shape":[1,3],"stride":[3,1]},{"shape":[2,16],"stride":[1,2]}]"#,
        "C++ did not compile",
    ),
];

fn is_wrong(op: &str, args: &Value) -> bool {
    let text = args.to_string();
    WRONG.iter().any(|(name, of, _)| {
        *name == op
            && match *of {
                "int tiler" => args[1].is_number(),
                "no bits and no shift" => args[0] == 0 && args[2] == 0,
                of => of == text,
            }
    })
}

/// Returns the modes of a layout as pairs of shape and stride. The stride of each mode of shape 1 is set to zero.
fn normal(shape: &Value, stride: &Value) -> Value {
    match (shape.as_array(), stride.as_array()) {
        (Some(shapes), Some(strides)) if shapes.len() == strides.len() => {
            let pairs = shapes.iter().zip(strides);
            pairs.map(|(shape, stride)| normal(shape, stride)).collect()
        }
        _ if *shape == 1 => json!([1, 0]),
        _ => json!([shape, stride]),
    }
}

/// Returns true if a result equals the result of the reference. Strides of modes of shape 1 are ignored.
fn agrees(found: &Value, expected: &Value) -> bool {
    let keys = ["value", "text"];
    if let Some(key) = keys.iter().find(|key| expected.get(key).is_some()) {
        return found[key] == expected[key];
    }
    normal(&found["shape"], &found["stride"]) == normal(&expected["shape"], &expected["stride"])
        && (expected.get("table").is_none() || found["table"] == expected["table"])
}

#[test]
fn every_vector_is_met() {
    let mut counts = BTreeMap::<&str, usize>::new();
    let mut failures = Vec::new();
    let mut wrong = 0;
    let cases: Vec<Value> = VECTORS
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for case in &cases {
        let op = case["op"].as_str().unwrap();
        let args = case["args"].as_array().unwrap();
        let found = batch::run("cute", op, args);
        *counts.entry(op).or_default() += 1;
        let consensus = case["consensus"].as_str();
        let is_good = match (&found, case.get("expect")) {
            (found, _) if case["category"] == "malformed" => found.is_err(),
            (found, _) if consensus == Some("all_error") => found.is_err(),
            (Err(_), _) if consensus == Some("differ") => true,
            (Ok(found), _) if consensus == Some("differ") => is_lawful(op, args, found),
            _ if is_wrong(op, &case["args"]) => {
                wrong += 1;
                true
            }
            (Ok(found), Some(expected)) => agrees(found, expected),
            (Err(_), None) => true,
            _ => false,
        };
        if !is_good {
            failures.push(format!("{case}\n  got {found:?}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} fail; the first:\n{}",
        failures.len(),
        failures[0]
    );
    assert_eq!(cases.len(), 3632);
    assert_eq!(counts.len(), 49, "{counts:?}");
    // The number of skipped cases is fixed.
    assert_eq!(wrong, 13);
}

/// Returns a copy of a JSON value with random changes: other numbers, more or fewer items, and values that are not
/// numbers.
fn changed(value: &Value, random: &mut Random) -> Value {
    const ODD: [i64; 12] = [
        0,
        -1,
        1,
        2,
        63,
        1 << 31,
        1 << 32,
        1 << 61,
        1 << 62,
        3_037_000_500,
        i64::MAX,
        i64::MIN,
    ];
    let odd = |random: &mut Random| match random.below(16) {
        0 => Value::Null,
        1 => json!([]),
        2 => json!("4"),
        3 => json!(1.5),
        4 => json!(u64::MAX),
        5 => json!([2, [3]]),
        i => json!(ODD[usize::try_from(i).unwrap() * 7 % ODD.len()]),
    };
    match value {
        Value::Object(fields) => {
            let changed = fields.iter().map(|(key, value)| {
                let value = match random.below(2) {
                    0 => value.clone(),
                    _ => changed(value, random),
                };
                (key.clone(), value)
            });
            Value::Object(changed.collect())
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items
                .iter()
                .map(|item| match random.below(5) {
                    0 | 1 => changed(item, random),
                    _ => item.clone(),
                })
                .collect();
            match random.below(16) {
                0 => {
                    items.pop();
                }
                1 => items.push(odd(random)),
                _ => {}
            }
            Value::Array(items)
        }
        _ => odd(random),
    }
}

#[test]
fn malformed_operands_are_errors() {
    let mut random = Random(3);
    let mut answered = 0;
    for line in VECTORS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let op = case["op"].as_str().unwrap();
        let args = changed(&case["args"], &mut random);
        match batch::run("cute", op, args.as_array().unwrap()) {
            Ok(_) => answered += 1,
            Err(error) => assert!(!error.to_string().is_empty(), "{case}"),
        }
    }
    assert!(answered > 500, "{answered}");
}

/// Returns true if a result satisfies the definition of the operation.
fn is_lawful(op: &str, args: &[Value], found: &Value) -> bool {
    let layout = |value: &Value| batch::cute::layout_from_json(value).unwrap();
    let tiler = |value: &Value| batch::cute::tiler(value).unwrap();
    let of: Layout = layout(&args[0]);
    let found: Layout = layout(found);
    let cotarget = args.get(1).and_then(Value::as_i64);
    let holds = match op {
        "coalesce" | "filter" if args.len() > 1 => {
            panic!("the vectors agree wherever there is a profile")
        }
        "coalesce" => cute_laws::coalesced(&of, &found),
        "filter" => cute_laws::filtered(&of, &found),
        "composition" => cute_laws::composed_by(&of, &tiler(&args[1]), &found),
        "complement" => {
            let cotarget = cotarget.unwrap_or_else(|| of.filter().cosize());
            cute_laws::complements(&of, cotarget, &found)
        }
        "right_inverse" => {
            cute_laws::inverts_right(&IndexFunction::of(&of), &IndexFunction::of(&found))
        }
        "left_inverse" => cute_laws::inverts_left(&of, &found),
        "logical_divide" => cute_laws::divided(&of, &tiler(&args[1]), &found),
        "logical_product" => cute_laws::multiplied(&of, &tiler(&args[1]), &found),
        "zipped_divide" | "tiled_divide" | "flat_divide" => {
            cute_laws::same_elements(&of.logical_divide(&tiler(&args[1])).unwrap(), &found)
        }
        "zipped_product" | "tiled_product" | "flat_product" => {
            cute_laws::same_elements(&of.logical_product(&tiler(&args[1])).unwrap(), &found)
        }
        _ => panic!("no law for `{op}`"),
    };
    holds.is_ok()
}
