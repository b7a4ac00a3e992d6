//! Kernels whose products come in blocked layouts: matrix instructions are chosen, and the kernels are run.

use crate::kernels::source;
use gpu_sim::{Arg, ElementTy, Fill, FloatTy, Launch, Memory, initial_bytes};
use linear_layout_mlir::simulated;
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
fn lowered(kernel: &str, (target, folder, instruction): (&str, &str, &str)) -> gpu_sim::Decoded {
    let file = format!("test/kernels/conversions/{folder}/{kernel}.coalesced.ttgir");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
    let text = std::fs::read_to_string(path).expect("the kernel is part of the project");
    let own = match folder {
        "sm_90" => "cuda:90",
        _ => "hip:gfx942",
    };
    let text = text.replace(&format!("\"{own}\""), &format!("\"{target}\""));
    let pipeline = Some("builtin.module(layout-pipeline)");
    let decoded = source::with_lowered(text.as_bytes(), &file, None, pipeline, |module| {
        let is_chosen = module.to_string().contains(instruction);
        assert!(is_chosen, "{kernel} for {target} has no `{instruction}`");
        gpu_sim::decode(&simulated::module(module, &file), None).map_err(|said| said.to_string())
    });
    decoded.unwrap_or_else(|said| panic!("{kernel} for {target}: {said}"))
}

fn values(memory: &Memory, buffer: gpu_sim::BufferId) -> Vec<f64> {
    let bytes = memory.bytes(buffer);
    let all = (0..bytes.len() / F16.bytes()).map(|i| F16.value(bytes, i));
    all.map(|value| value.expect("in range")).collect()
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

/// A value that no kernel here computes.
const UNTOUCHED: f64 = 768.0;

#[test]
fn matmul() {
    // Tiles of 128 x 128 x 32, and rows, columns and K that end within one.
    let (m, n, k) = (141, 77, 48);
    let stride = 80;
    for gpu in GPUS {
        let kernel = lowered("matmul", gpu);
        let mut memory = Memory::default();
        let mut input = |count, seed| {
            let bytes = initial_bytes(&Fill::Random, F16, count, seed);
            memory.add("input", bytes)
        };
        let (a, b) = (input(m * k, 1), input(k * stride, 2));
        let bytes = initial_bytes(&Fill::Full(UNTOUCHED), F16, m * stride, 0);
        let c = memory.add("output", bytes);
        let sizes = [m, n, k, k, stride, stride].map(|size| Arg::Int(size as i128));
        let buffers = [a, b, c].map(Arg::Buffer);
        Launch::new(kernel.machine)
            .grid([2, 1, 1])
            .dynamic_shared(kernel.info.shared.unwrap_or(0))
            .args(buffers.into_iter().chain(sizes).collect::<Vec<_>>())
            .run(&kernel.program, &mut memory)
            .unwrap_or_else(|said| panic!("{}: {said}", gpu.0));
        let [a, b, c] = [a, b, c].map(|buffer| values(&memory, buffer));
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
        let kernel = lowered("attention", gpu);
        let mut memory = Memory::default();
        let mut input = |count, seed| {
            let bytes = initial_bytes(&Fill::Random, F16, count, seed);
            memory.add("input", bytes)
        };
        let [q, k, v] = [(rows, 1), (n, 2), (n, 3)].map(|(rows, seed)| input(rows * d, seed));
        let out = input(rows * d, 4);
        let args = [q, k, v, out].map(Arg::Buffer).into_iter();
        Launch::new(kernel.machine)
            .dynamic_shared(kernel.info.shared.unwrap_or(0))
            .args(
                args.chain([Arg::Int(n as i128), Arg::Float(scale)])
                    .collect::<Vec<_>>(),
            )
            .run(&kernel.program, &mut memory)
            .unwrap_or_else(|said| panic!("{}: {said}", gpu.0));
        let [q, k, v, out] = [q, k, v, out].map(|buffer| values(&memory, buffer));
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
