//! Kernels with matrix products on odd sizes, compared with plain Rust: in blocked layouts, for which instructions are
//! chosen, and in the layouts of the instructions that Triton chose.

use crate::kernels::{Bench, UNTOUCHED};
use gpu_sim::{Arg, BufferId, ElementTy, Fill, FloatTy, initial_bytes};
use std::path::Path;

const F16: ElementTy = ElementTy::Float(FloatTy::F16);
const F32: ElementTy = ElementTy::Float(FloatTy::F32);
const I8: ElementTy = ElementTy::Int(8);

/// Targets to test. Each entry consists of the target, the folder of the kernels to lower for it, and the prefix of
/// the matrix instruction that the lowered kernel must contain. The kernels in the folder have the warp size of the
/// target.
const GPUS: [(&str, &str, &str); 10] = [
    ("cuda:75", "sm_90", "llvm.nvvm.mma.m16n8k8."),
    ("cuda:80", "sm_90", "llvm.nvvm.mma.m16n8k16."),
    ("cuda:90", "sm_90", "wgmma.mma_async.sync.aligned.m64n"),
    ("cuda:120", "sm_90", "llvm.nvvm.mma.m16n8k16."),
    ("hip:gfx90a", "gfx942", "llvm.amdgcn.mfma."),
    ("hip:gfx942", "gfx942", "llvm.amdgcn.mfma."),
    ("hip:gfx950", "gfx942", "llvm.amdgcn.mfma."),
    ("hip:gfx1100", "sm_90", "llvm.amdgcn.wmma."),
    ("hip:gfx1201", "sm_90", "llvm.amdgcn.wmma."),
    ("hip:gfx1250", "sm_90", "llvm.amdgcn.wmma."),
];

/// Lowers a kernel for a GPU by `layout-pipeline`, and checks that the result contains its matrix instruction.
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
pub(crate) fn check(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(
            error <= tolerance * expected.abs().max(1.0),
            "{name}, element {i}: {found} for {expected}"
        );
    }
}

/// Returns a matrix with rows of `stride` elements. The first `columns` elements of each row have the values that
/// `of` computes; the others are [`UNTOUCHED`].
pub(crate) fn padded(
    [rows, columns]: [usize; 2],
    stride: usize,
    of: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    (0..rows * stride)
        .map(|i| match i % stride {
            column if column < columns => of(i / stride, column),
            _ => UNTOUCHED,
        })
        .collect()
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
        let expected = padded([m, n], stride, |row, column| {
            (0..k)
                .map(|i| a[row * k + i] * b[i * stride + column])
                .sum()
        });
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

/// Folders of `test/kernels/products`, one per GPU, each with the prefix of its matrix instruction.
const LAID_OUT: [(&str, &str); 2] = [
    ("sm_80", "llvm.nvvm.mma.m16n8k16."),
    ("gfx942", "llvm.amdgcn.mfma."),
];

/// Lowers a kernel with the layouts that Triton chose, and checks that the result contains its matrix instruction.
fn laid_out(kernel: &str, (folder, instruction): (&str, &str)) -> Bench {
    let file = format!("test/kernels/products/{folder}/{kernel}.ttgir");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
    let text = std::fs::read_to_string(path).expect("the kernel is part of the project");
    Bench::with_instruction(&text, &file, None, instruction)
}

/// Adds an input buffer of random multiples of 1/4 from -2 to 2. Sums of their products are exact in every order.
pub(crate) fn quarters(bench: &mut Bench, count: usize, seed: u64) -> BufferId {
    let codes = initial_bytes(&Fill::Random, I8, count, seed);
    let numbers = codes.iter().map(|code| f64::from(code % 17) / 4.0 - 2.0);
    let bytes = numbers.flat_map(|number| (F16.encode(number) as u16).to_le_bytes());
    bench.memory.add("input", bytes.collect())
}

/// Rows, columns and K of a product. None is a multiple of the tile size 32. In memory, each row of a matrix
/// occupies `STRIDE` elements, which is more than any of the three sizes.
const ODD: [usize; 3] = [45, 37, 51];
const STRIDE: usize = 64;

/// Returns the expected contents of an output matrix with rows of [`STRIDE`] elements. The element at each row and
/// column within [`ODD`] has the value that `of` computes; the rest of each row is `other`.
fn tiles(other: f64, of: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let [m, n, _] = ODD;
    (0..m * STRIDE)
        .map(|i| match i % STRIDE {
            column if column < n => of(i / STRIDE, column),
            _ => other,
        })
        .collect()
}

fn sizes() -> impl Iterator<Item = Arg> {
    ODD.into_iter()
        .chain([STRIDE; 3])
        .map(|size| Arg::Int(size as i128))
}

/// Checks a product with quantised weights of 8 or 4 bits, which are scaled per column. `weight` returns the weight
/// at a position.
fn quantised_matmul(kernel: &str, weight: impl Fn(&[f64], usize, usize) -> f64) {
    let [m, n, k] = ODD;
    for gpu in LAID_OUT {
        let mut bench = laid_out(kernel, gpu);
        let a = quarters(&mut bench, m * STRIDE, 1);
        let b = bench.random(I8, k * STRIDE, 2);
        let scale = quarters(&mut bench, n, 3);
        let c = bench.untouched(F32, m * STRIDE);
        let buffers = [a, b, scale, c].map(Arg::Buffer).into_iter();
        bench.run([2, 2, 1], buffers.chain(sizes()).collect());
        let (x, w) = (bench.values(a, F16), bench.values(b, I8));
        let scale = bench.values(scale, F16);
        let expected = tiles(UNTOUCHED, |row, column| {
            let products = (0..k).map(|i| x[row * STRIDE + i] * weight(&w, i, column));
            products.sum::<f64>() * scale[column]
        });
        check(kernel, &bench.values(c, F32), &expected, 0.0);
    }
}

#[test]
fn matmul_of_int8_weights() {
    quantised_matmul("matmul_int8_weights", |w, row, column| {
        w[row * STRIDE + column]
    });
}

#[test]
fn matmul_of_int4_weights() {
    quantised_matmul("matmul_int4_weights", |w, row, column| {
        let byte = w[row * STRIDE + column / 2];
        // From -8 to 7 each.
        let high = (byte / 16.0).floor();
        let low = byte - 16.0 * high;
        match column % 2 {
            0 if low < 8.0 => low,
            0 => low - 16.0,
            _ => high,
        }
    });
}

#[test]
fn matmul_of_a_split_k() {
    let [m, _, k] = ODD;
    for gpu in LAID_OUT {
        // With more blocks than tiles along K, the last one adds nothing.
        for blocks in [1, 2, 3] {
            let mut bench = laid_out("matmul_split_k", gpu);
            let a = quarters(&mut bench, m * STRIDE, 1);
            let b = quarters(&mut bench, k * STRIDE, 2);
            let zeros = initial_bytes(&Fill::Zeros, F32, m * STRIDE, 0);
            let c = bench.memory.add("output", zeros);
            let buffers = [a, b, c].map(Arg::Buffer).into_iter();
            bench.run([2, 2, blocks], buffers.chain(sizes()).collect());
            let (x, y) = (bench.values(a, F16), bench.values(b, F16));
            let expected = tiles(0.0, |row, column| {
                (0..k)
                    .map(|i| x[row * STRIDE + i] * y[i * STRIDE + column])
                    .sum()
            });
            check(gpu.0, &bench.values(c, F32), &expected, 0.0);
        }
    }
}

#[test]
fn batched_matmul() {
    let [m, _, k] = ODD;
    // Tiles of 4 matrices.
    let batch = 5;
    for gpu in LAID_OUT {
        let mut bench = laid_out("batched_matmul", gpu);
        let a = quarters(&mut bench, batch * m * STRIDE, 1);
        let b = quarters(&mut bench, batch * k * STRIDE, 2);
        let c = bench.untouched(F32, batch * m * STRIDE);
        let buffers = [a, b, c].map(Arg::Buffer).into_iter();
        let args = buffers.chain([Arg::Int(batch as i128)]).chain(sizes());
        bench.run([2, 2, 2], args.collect());
        let (x, y) = (bench.values(a, F16), bench.values(b, F16));
        let found = bench.values(c, F32);
        for (matrix, found) in found.chunks(m * STRIDE).enumerate() {
            let (x, y) = (&x[matrix * m * STRIDE..], &y[matrix * k * STRIDE..]);
            let expected = tiles(UNTOUCHED, |row, column| {
                (0..k)
                    .map(|i| x[row * STRIDE + i] * y[i * STRIDE + column])
                    .sum()
            });
            check(gpu.0, found, &expected, 0.0);
        }
    }
}

#[test]
fn convolution() {
    // Filters of 3 x 3, stride 2, padding of one pixel; channels are multiples of 16, as the kernel assumes.
    let [images, height, width, channels, filters] = [2_usize, 7, 10, 48, 16];
    let (rows, columns) = (height.div_ceil(2), width.div_ceil(2));
    for gpu in LAID_OUT {
        let mut bench = laid_out("convolution", gpu);
        let x = quarters(&mut bench, images * height * width * channels, 1);
        let w = quarters(&mut bench, 9 * channels * filters, 2);
        let y = bench.untouched(F32, images * rows * columns * filters);
        let buffers = [x, w, y].map(Arg::Buffer).into_iter();
        let numbers = [images, height, width, channels, filters, rows, columns]
            .map(|size| Arg::Int(size as i128));
        let blocks = (images * rows * columns).div_ceil(32);
        bench.run([blocks as u32, 1, 1], buffers.chain(numbers).collect());
        let (x, w) = (bench.values(x, F16), bench.values(w, F16));
        let pixel = |image: usize, row: usize, column: usize| {
            // Rows and columns include the padding.
            let inside = (1..=height).contains(&row) && (1..=width).contains(&column);
            inside.then(|| {
                let first = ((image * height + row - 1) * width + column - 1) * channels;
                &x[first..first + channels]
            })
        };
        let expected: Vec<f64> = (0..images * rows * columns * filters)
            .map(|i| {
                let (filter, column) = (i % filters, i / filters % columns);
                let (row, image) = (
                    i / (filters * columns) % rows,
                    i / (filters * columns * rows),
                );
                let taps = (0..9).filter_map(|tap| {
                    let values = pixel(image, 2 * row + tap / 3, 2 * column + tap % 3)?;
                    let weights = w[tap * channels * filters..].iter().skip(filter);
                    let weights = weights.step_by(filters);
                    Some(values.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>())
                });
                taps.sum()
            })
            .collect();
        check(gpu.0, &bench.values(y, F32), &expected, 0.0);
    }
}
