//! Kernels of the benchmarks.

/// Names of the test kernels without matrix products.
const KERNELS: [&str; 6] = [
    "vector_add",
    "interleave",
    "outer_scale",
    "transpose",
    "row_softmax",
    "column_sum",
];

/// Returns the name and the file of each kernel on each target. The name contains the target, for example
/// `sm_90/transpose`.
pub(crate) fn kernels(targets: &[&str]) -> Vec<(String, String)> {
    let names = targets
        .iter()
        .flat_map(|target| KERNELS.map(|kernel| format!("{target}/{kernel}")));
    names
        .map(|name| {
            let file = format!("{}/test/kernels/{name}.ttgir", env!("CARGO_MANIFEST_DIR"));
            (name, file)
        })
        .collect()
}
