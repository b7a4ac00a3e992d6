//! Kernels of the benchmarks.

/// Names of the kernels of the tests that have no matrix products.
const KERNELS: [&str; 6] = [
    "vector_add",
    "interleave",
    "outer_scale",
    "transpose",
    "row_softmax",
    "column_sum",
];

/// Returns the kernels for the given GPUs, as pairs of a name, for example `sm_90/transpose`, and a file.
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
