//! Conversions against the vectors in `test/golden/conversions.jsonl`, and random pairs of layouts.

use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use linear_layout::machine::check_plan;
use linear_layout::plan::{PlanOptions, Strategy, minimal_conversion_dims, plan_conversion};
use linear_layout::target::Target;
use serde_json::Value;

const VECTORS: &str = include_str!("../golden/conversions.jsonl");

fn layout(bases: &Value, shape: &Value) -> LinearLayout {
    let shape: Vec<u64> = serde_json::from_value(shape.clone()).unwrap();
    let outs: Vec<(Dim, u64)> = shape
        .iter()
        .enumerate()
        .map(|(i, s)| (Dim::out(i), *s))
        .collect();
    let columns: Vec<(Dim, Vec<Vec<u64>>)> = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK]
        .iter()
        .map(|d| (*d, serde_json::from_value(bases[d.name()].clone()).unwrap()))
        .collect();
    let refs: Vec<Vec<&[u64]>> = columns
        .iter()
        .map(|(_, l)| l.iter().map(Vec::as_slice).collect())
        .collect();
    let bases: Vec<(Dim, &[&[u64]])> = columns
        .iter()
        .map(|(d, _)| *d)
        .zip(refs.iter().map(Vec::as_slice))
        .collect();
    LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::Required).unwrap()
}

/// Every case is planned by every strategy that fits, checked, and as free of conflicts as the reference.
#[test]
fn vectors() {
    let target = Target::parse("cuda:90").unwrap();
    let mut cases = 0;
    let mut bad = Vec::new();
    for line in VECTORS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        cases += 1;
        let (src, dst) = (
            layout(&case["src_bases"], &case["shape"]),
            layout(&case["dst_bases"], &case["shape"]),
        );
        let bits = case["bits"].as_u64().unwrap() as u32;
        let moves: Vec<&str> = minimal_conversion_dims(&src, &dst)
            .unwrap()
            .iter()
            .map(|d| d.name())
            .collect();
        if case["moves"] != serde_json::json!(moves) {
            bad.push(format!(
                "case {}: moves {moves:?}, expected {}",
                case["id"], case["moves"]
            ));
        }
        for strategy in [None, Some(Strategy::Shared), Some(Strategy::Shuffle)] {
            let mut options = PlanOptions::new();
            options.strategy = strategy;
            let plan = match plan_conversion(&src, &dst, bits, target, &options) {
                Ok(plan) => plan,
                Err(e) if e.is_strategy() && strategy == Some(Strategy::Shuffle) => continue,
                Err(e) => {
                    bad.push(format!("case {} {strategy:?}: {e}", case["id"]));
                    continue;
                }
            };
            match check_plan(&plan, &src, &dst, target) {
                Ok(report) => {
                    let peer = &case["peer_shared"];
                    let allowed = |key: &str| peer[key].as_u64().unwrap_or(0);
                    if report.load_conflicts > allowed("read_conflicts")
                        || report.store_conflicts > allowed("write_conflicts")
                    {
                        bad.push(format!(
                            "case {} {strategy:?}: {report}\n{plan}",
                            case["id"]
                        ));
                    }
                }
                Err(fault) => {
                    bad.push(format!("case {} {strategy:?}: {fault}\n{plan}", case["id"]))
                }
            }
        }
    }
    assert_eq!(cases, 1084);
    let shown: Vec<_> = bad.iter().take(10).cloned().collect();
    assert!(
        bad.is_empty(),
        "{} of {cases}:\n{}",
        bad.len(),
        shown.join("\n")
    );
}
