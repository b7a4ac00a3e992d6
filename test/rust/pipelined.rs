//! Kernels as Triton pipelines them, with copies that run beside the products: right whenever the copies arrive.

use crate::kernels::{Bench, UNTOUCHED};
use crate::products::{check, quarters};
use gpu_sim::{Arg, Arrival, ElementTy, FloatTy, Schedule};

const F16: ElementTy = ElementTy::Float(FloatTy::F16);
const F32: ElementTy = ElementTy::Float(FloatTy::F32);
const I8: ElementTy = ElementTy::Int(8);

/// The folders of `test/kernels/pipelined`, and how their kernels are lowered if not as usual: waits of gfx1250 leave
/// nothing in flight until their tokens are counted.
const GPUS: [(&str, Option<&str>); 5] = [
    ("sm_80", None),
    ("sm_90", None),
    ("gfx950", None),
    ("gfx1250", None),
    (
        "gfx1250",
        Some("count-async-waits,convert-layouts-to-llvm{bounds=true}"),
    ),
];

/// Rows that end within a tile of 64, columns and K that end within one of 32 in a multiple of 16, as the kernels are
/// promised, and rows of memory wide enough for either.
const SIZES: [usize; 3] = [77, 48, 112];
const STRIDE: usize = 128;

/// When copies arrive, and which warp runs first.
fn machines() -> impl Iterator<Item = (Arrival, Schedule)> {
    let random = (1..=4).map(|seed| (Arrival::Random(seed), Schedule::Warps(seed)));
    let arrivals = [Arrival::Early, Arrival::Late].map(|arrival| (arrival, Schedule::Lockstep));
    arrivals.into_iter().chain(random)
}

/// Runs a kernel on every machine; each must give what `expected` says of the memory.
fn run_everywhere(
    kernel: &str,
    grid: [u32; 3],
    prepare: impl Fn(&mut Bench) -> (Vec<Arg>, Box<dyn Fn(&Bench)>),
) {
    for (gpu, pipeline) in GPUS {
        for (arrival, schedule) in machines() {
            let file = format!("pipelined/{gpu}/{kernel}.ttgir");
            let mut bench = Bench::lowered(&file, pipeline);
            let (args, verify) = prepare(&mut bench);
            bench.run_as(grid, args, |launch| {
                launch.arrival(arrival).schedule(schedule)
            });
            verify(&bench);
        }
    }
}

fn sizes() -> impl Iterator<Item = Arg> {
    let strides = [STRIDE; 3];
    SIZES
        .into_iter()
        .chain(strides)
        .map(|size| Arg::Int(size as i128))
}

/// What [`SIZES`] rows and columns of `of` should be, and what lies beside them.
fn expected(of: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let [m, n, _] = SIZES;
    (0..m * STRIDE)
        .map(|i| match i % STRIDE {
            column if column < n => of(i / STRIDE, column),
            _ => UNTOUCHED,
        })
        .collect()
}

#[test]
fn matmul() {
    let [m, _, k] = SIZES;
    run_everywhere("matmul", [2, 2, 1], |bench| {
        let a = quarters(bench, m * STRIDE, 1);
        let b = quarters(bench, k * STRIDE, 2);
        let c = bench.untouched(F16, m * STRIDE);
        let args = [a, b, c].map(Arg::Buffer).into_iter().chain(sizes());
        let verify = move |bench: &Bench| {
            let [a, b, c] = [a, b, c].map(|buffer| bench.values(buffer, F16));
            let expected = expected(|row, column| {
                (0..k)
                    .map(|i| a[row * STRIDE + i] * b[i * STRIDE + column])
                    .sum()
            });
            check("matmul", &c, &expected, 1e-3);
        };
        (args.collect(), Box::new(verify))
    });
}

#[test]
fn matmul_of_int8_weights() {
    let [m, n, k] = SIZES;
    run_everywhere("matmul_int8_weights", [2, 2, 1], |bench| {
        let a = quarters(bench, m * STRIDE, 1);
        let b = bench.random(I8, k * STRIDE, 2);
        let scale = quarters(bench, n, 3);
        let c = bench.untouched(F32, m * STRIDE);
        let args = [a, b, scale, c].map(Arg::Buffer).into_iter().chain(sizes());
        let verify = move |bench: &Bench| {
            let (a, b) = (bench.values(a, F16), bench.values(b, I8));
            let scale = bench.values(scale, F16);
            let expected = expected(|row, column| {
                // Weights are scaled before the product: exact in f16, as scales are quarters.
                let weight = |i: usize| b[i * STRIDE + column] * scale[column];
                (0..k).map(|i| a[row * STRIDE + i] * weight(i)).sum()
            });
            check("weights", &bench.values(c, F32), &expected, 1e-3);
        };
        (args.collect(), Box::new(verify))
    });
}

#[test]
fn attention() {
    let (rows, n, d) = (64, 128, 32);
    run_everywhere("attention", [1, 1, 1], |bench| {
        let [q, k, v] =
            [(rows, 1), (n, 2), (n, 3)].map(|(rows, seed)| bench.random(F16, rows * d, seed));
        let out = bench.untouched(F16, rows * d);
        let scale = 0.125;
        let buffers = [q, k, v, out].map(Arg::Buffer).into_iter();
        let args = buffers.chain([Arg::Int(n as i128), Arg::Float(scale)]);
        let verify = move |bench: &Bench| {
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
            check("attention", &out, &expected, 3e-3);
        };
        (args.collect(), Box::new(verify))
    });
}
