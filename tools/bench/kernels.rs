//! Kernels of the benchmarks.

/// Kernels of the tests without products.
const KERNELS: [&str; 6] = [
    "vector_add",
    "interleave",
    "outer_scale",
    "transpose",
    "row_softmax",
    "column_sum",
];

/// Returns the names of the kernels for some GPUs, as `sm_90/transpose`, and their files.
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
