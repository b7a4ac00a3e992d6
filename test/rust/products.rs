//! Kernels whose products come in blocked layouts: matrix instructions are chosen, and the kernels are run.

use crate::kernels::{Bench, UNTOUCHED};
use gpu_sim::{Arg, ElementTy, FloatTy};
use std::path::Path;

const F16: ElementTy = ElementTy::Float(FloatTy::F16);

/// The GPUs, each with the kernels that are laid out over as many lanes, and what its instructions are called.
const GPUS: [(&str, &str, &str); 10] = [
    ("cuda:75", "sm_90", "llvm.nvvm.mma.m16n8k8."),
    ("cuda:80", "sm_90", "llvm.nvvm.mma.m16n8k16."),
    ("cuda:90", "sm_90", "llvm.nvvm.mma.m16n8k16."),
    ("cuda:120", "sm_90", "llvm.nvvm.mma.m16n8k16."),
    ("hip:gfx90a", "gfx942", "llvm.amdgcn.mfma."),
    ("hip:gfx942", "gfx942", "llvm.amdgcn.mfma."),
    ("hip:gfx950", "gfx942", "llvm.amdgcn.mfma."),
    ("hip:gfx1100", "sm_90", "llvm.amdgcn.wmma."),
    ("hip:gfx1201", "sm_90", "llvm.amdgcn.wmma."),
    ("hip:gfx1250", "sm_90", "llvm.amdgcn.wmma."),
];

/// Lowers a kernel for a GPU by `layout-pipeline`.
fn lowered(kernel: &str, (target, folder, instruction): (&str, &str, &str)) -> Bench {
    let file = format!("test/kernels/conversions/{folder}/{kernel}.coalesced.ttgir");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
    let text = std::fs::read_to_string(path).expect("the kernel is part of the project");
    let own = match folder {
        "sm_90" => "cuda:90",
        _ => "hip:gfx942",
    };
    let text = text.replace(&format!("\"{own}\""), &format!("\"{target}\""));
    let pipeline = Some("builtin.module(layout-pipeline)");
    Bench::with_instruction(
        &text,
        &format!("{kernel} for {target}"),
        pipeline,
        instruction,
    )
}

#[track_caller]
fn check(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(
            error <= tolerance * expected.abs().max(1.0),
            "{name}, element {i}: {found} for {expected}"
        );
    }
}

#[test]
fn matmul() {
    // Tiles of 128 x 128 x 32, and rows, columns and K that end within one.
    let (m, n, k) = (141, 77, 48);
    let stride = 80;
    for gpu in GPUS {
        let mut bench = lowered("matmul", gpu);
        let (a, b) = (
            bench.random(F16, m * k, 1),
            bench.random(F16, k * stride, 2),
        );
        let c = bench.untouched(F16, m * stride);
        let sizes = [m, n, k, k, stride, stride].map(|size| Arg::Int(size as i128));
        let buffers = [a, b, c].map(Arg::Buffer).into_iter();
        bench.run([2, 1, 1], buffers.chain(sizes).collect());
        let [a, b, c] = [a, b, c].map(|buffer| bench.values(buffer, F16));
        let of = |row: usize, column: usize| -> f64 {
            (0..k)
                .map(|i| a[row * k + i] * b[i * stride + column])
                .sum()
        };
        let expected: Vec<f64> = (0..m * stride)
            .map(|i| match i % stride {
                column if column < n => of(i / stride, column),
                _ => UNTOUCHED,
            })
            .collect();
        check(gpu.0, &c, &expected, 1e-3);
    }
}

#[test]
fn attention() {
    let (rows, n, d) = (64, 128, 64);
    let scale = 0.125;
    for gpu in GPUS {
        let mut bench = lowered("attention", gpu);
        let [q, k, v] =
            [(rows, 1), (n, 2), (n, 3)].map(|(rows, seed)| bench.random(F16, rows * d, seed));
        let out = bench.untouched(F16, rows * d);
        let buffers = [q, k, v, out].map(Arg::Buffer).into_iter();
        let numbers = [Arg::Int(n as i128), Arg::Float(scale)];
        bench.run([1, 1, 1], buffers.chain(numbers).collect());
        let [q, k, v, out] = [q, k, v, out].map(|buffer| bench.values(buffer, F16));
        let mut expected = Vec::new();
        for row in q.chunks(d) {
            let score = |key: &[f64]| -> f64 {
                let products = row.iter().zip(key).map(|(q, k)| q * k);
                (products.sum::<f64>() * scale).exp()
            };
            let scores: Vec<f64> = k.chunks(d).map(score).collect();
            let all: f64 = scores.iter().sum();
            expected.extend((0..d).map(|column| {
                let weighed = scores.iter().zip(v.chunks(d));
                weighed.map(|(score, v)| score * v[column]).sum::<f64>() / all
            }));
        }
        check(gpu.0, &out, &expected, 3e-3);
    }
}
