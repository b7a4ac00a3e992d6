//! Tilus layouts and conversions between systems, against the Tilus package and brute force.

use std::collections::BTreeMap;

use crate::batch;
use linear_layout::cute::{ComposedLayout, Swizzle};
use serde_json::{Value, json};

/// Divisions that Tilus rejects although there is a quotient. In both cases, the divisor ends inside the second
/// mode of a dim. Tilus cannot split this mode, because it splits only the first of the modes that the divisor
/// covers.
const FALSE_REJECTIONS: [&str; 2] = ["tilus-01080", "tilus-01138"];

/// Calls `check` with each case and the library's result for it. Returns the number of cases of each operation.
fn each_case(
    system: &str,
    cases: &str,
    mut check: impl FnMut(&Value, Result<Value, String>),
) -> BTreeMap<String, usize> {
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        let op = case["op"].as_str().unwrap();
        let answer = batch::run(system, op, case["args"].as_array().unwrap());
        check(case, answer.map_err(|e| e.to_string()));
        *counts.entry(op.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn results_agree_with_tilus() {
    let counts = each_case(
        "tilus",
        include_str!("../golden/tilus.json"),
        |case, answer| {
            let id = case["id"].as_str().unwrap();
            let (Some(expected), Ok(found)) = (case["expect"].as_object(), &answer) else {
                // If the reference computes a wrong map, an error is right.
                let is_right = case["expect"].is_null() == answer.is_err()
                    || case["sound"] == false
                    || FALSE_REJECTIONS.contains(&id);
                assert!(is_right, "{case}: {answer:?}");
                return;
            };
            if case["sound"] == false {
                assert_ne!(found["table"], case["expect"]["table"], "{case}");
                return;
            }
            for (key, expected) in expected {
                // Tilus cannot evaluate modes of extent 1, some of which it accepts.
                if key != "map_error" {
                    assert_eq!(&found[key], expected, "{key} of {case}");
                }
            }
        },
    );
    assert_eq!(counts.values().sum::<usize>(), 1317);
    assert_eq!((counts["divide"], counts["shared_reshape"]), (137, 33));
}

#[test]
fn quotients_that_tilus_misses_are_quotients() {
    let mut found = 0;
    each_case(
        "tilus",
        include_str!("../golden/tilus.json"),
        |case, answer| {
            if FALSE_REJECTIONS.contains(&case["id"].as_str().unwrap()) {
                let whole = batch::run(
                    "tilus",
                    "compose",
                    &[case["args"][1].clone(), answer.unwrap()],
                );
                let given = batch::run("tilus", "canonicalize", &[case["args"][0].clone()]);
                assert_eq!(whole.unwrap(), given.unwrap());
                found += 1;
            }
        },
    );
    assert_eq!(found, FALSE_REJECTIONS.len());
}

#[test]
fn conversions_between_systems_are_those_of_brute_force() {
    let counts = each_case(
        "bridge",
        include_str!("../golden/convert.json"),
        |case, answer| {
            let found = answer.unwrap();
            for (key, expected) in case["expect"].as_object().unwrap() {
                // Several swizzles may be equivalent; the table below decides whether this one is.
                let is_free = case["expect"]["class"] == "one_swizzle"
                    && ["swizzle", "layout"].contains(&key.as_str());
                if key != "note" && !is_free {
                    assert_eq!(&found[key], expected, "{key} of {case}");
                }
            }
            if let Some(layout) = found.get("layout") {
                let layout = batch::cute::layout_from_json(layout).unwrap();
                let swizzle = match found.get("swizzle") {
                    Some(numbers) => {
                        let number = |i: usize| numbers[i].as_i64().unwrap();
                        Swizzle::new(number(0), number(1), number(2)).unwrap()
                    }
                    None => Swizzle::IDENTITY,
                };
                let composed = ComposedLayout::new(swizzle, 0, layout);
                for (i, expected) in found["table"].as_array().unwrap().iter().enumerate() {
                    let i = i64::try_from(i).unwrap();
                    assert_eq!(json!(composed.at(i).unwrap()), *expected, "{case}");
                }
            }
        },
    );
    assert_eq!(
        (
            counts["cute_to_f2"],
            counts["f2_to_cute"],
            counts["tilus_convert"]
        ),
        (350, 182, 280)
    );
}

#[test]
fn malformed_queries_are_errors() {
    let values = [
        json!(null),
        json!(-1),
        json!(0),
        json!(3),
        json!(u64::MAX),
        json!([]),
        json!([0]),
        json!([u64::MAX, u64::MAX]),
        json!([1u64 << 40, 1u64 << 40]),
        json!([-1, 2]),
        json!("x"),
        json!({}),
        json!({"shape": [4], "mode_shape": [2, 2], "spatial_modes": [i64::MIN], "local_modes": []}),
        json!({"shape": [1u64 << 62], "mode_shape": [1u64 << 62], "spatial_modes": [-4, 0], "local_modes": []}),
        json!({"shape": [1u64 << 62], "mode_shape": [1u64 << 62], "spatial_modes": [], "local_modes": [0]}),
        json!({"shape": [2], "mode_shape": [2], "spatial_modes": [0, -1_000_000_000], "local_modes": []}),
        json!({"shape": [2, 2], "mode_shape": [2, 2], "mode_strides": [u64::MAX, 1], "swizzle": null}),
        json!({"shape": [2, 2], "mode_shape": [2, 2], "mode_strides": [1, 2],
            "swizzle": {"base": 60, "bits": 60, "shift": 60}}),
        json!({"shape": [8], "mode_shape": [8], "mode_strides": [1],
            "swizzle": {"base": 0, "bits": 1, "shift": 62}}),
        json!({"shape": [4], "mode_shape": [4], "modes": [7]}),
        json!({"shape": [4, 4], "stride": [1i64 << 60, -1]}),
        json!([[4], [1]]),
    ];
    let mut errors = 0;
    for system in ["tilus", "bridge"] {
        // The message about an unknown operation lists all operations.
        let known = batch::run(system, "", &[]).unwrap_err().to_string();
        let (_, known) = known.split_once("the operations are ").unwrap();
        for op in known.split(", ") {
            for a in &values {
                for b in &values {
                    for args in [
                        vec![a.clone()],
                        vec![a.clone(), b.clone()],
                        vec![a.clone(), b.clone(), a.clone()],
                        vec![b.clone(), a.clone(), b.clone(), a.clone()],
                    ] {
                        errors += usize::from(batch::run(system, op, &args).is_err());
                    }
                }
            }
        }
    }
    assert!(errors > 10_000, "{errors}");
}
