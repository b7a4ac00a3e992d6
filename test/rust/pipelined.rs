//! Pipelined kernels, whose asynchronous copies overlap products: correct for every arrival time of copies.

use crate::kernels::Bench;
use crate::products::{check, padded, quarters};
use gpu_sim::{
    Arg, Arrival, BufferId, ElementTy, FloatTy, Schedule, Swizzle, TensorElement, TensorMap,
};

const F16: ElementTy = ElementTy::Float(FloatTy::F16);
const F32: ElementTy = ElementTy::Float(FloatTy::F32);
const I8: ElementTy = ElementTy::Int(8);

/// Folders in `test/kernels/pipelined`, each with a pipeline; `None` is the default one. gfx1250 is also tested
/// with `count-async-waits`, because without this pass no copy stays in flight across a wait.
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

/// Targets and numbers of stages for kernels that `pipeline-loops` pipelines. Six stages exceed the number of
/// iterations of the loops.
const PIPELINED: [(&str, u32); 3] = [("cuda:80", 2), ("cuda:90", 6), ("hip:gfx1250", 3)];

/// Returns a pipeline that runs `layout-pipeline` and lowers the result, with the annotations that the simulator
/// needs for bounds checks.
fn layout_pipeline(target: &str, stages: u32) -> String {
    format!(
        "layout-pipeline{{target={target} num-stages={stages} lower=false}},\
         convert-layouts-to-llvm{{target={target} bounds=true}}"
    )
}

/// Rows, columns and K of a product. None is a multiple of its tile size (64, 32 and 32), but the columns and K are
/// multiples of 16, as the kernels assume.
const SIZES: [usize; 3] = [77, 48, 112];
const STRIDE: usize = 128;

/// Returns combinations of an arrival time of asynchronous copies and a schedule of the warps.
fn machines() -> impl Iterator<Item = (Arrival, Schedule)> {
    let random = (1..=4).map(|seed| (Arrival::Random(seed), Schedule::Warps(seed)));
    let arrivals = [Arrival::Early, Arrival::Late].map(|arrival| (arrival, Schedule::Lockstep));
    arrivals.into_iter().chain(random)
}

/// The arguments of a kernel, and a function that checks its results.
pub(crate) type Prepared = (Vec<Arg>, Box<dyn Fn(&Bench)>);

/// Runs a kernel with each tested pair of a copy arrival time and a warp schedule. The kernel is tested both as
/// pipelined by Triton and as pipelined by `pipeline-loops`. The function that `prepare` returns checks the
/// results.
fn run_everywhere(kernel: &str, grid: [u32; 3], prepare: impl Fn(&mut Bench) -> Prepared) {
    for (gpu, pipeline) in GPUS {
        let file = format!("pipelined/{gpu}/{kernel}.ttgir");
        run_on_all_machines(&|| Bench::lowered(&file, pipeline), grid, &prepare);
    }
    for (target, stages) in PIPELINED {
        let file = format!("blocked/{kernel}.ttgir");
        let pipeline = layout_pipeline(target, stages);
        run_on_all_machines(&|| Bench::lowered(&file, Some(&pipeline)), grid, &prepare);
    }
}

/// Runs a kernel once for each tested pair of a copy arrival time and a warp schedule. `open` lowers the kernel,
/// and the function that `prepare` returns checks the results of a run.
pub(crate) fn run_on_all_machines(
    open: &dyn Fn() -> Bench,
    grid: [u32; 3],
    prepare: impl Fn(&mut Bench) -> Prepared,
) {
    for (arrival, schedule) in machines() {
        let mut bench = open();
        let (args, verify) = prepare(&mut bench);
        bench.run_as(grid, args, |launch| {
            launch.arrival(arrival).schedule(schedule)
        });
        verify(&bench);
    }
}

fn sizes() -> impl Iterator<Item = Arg> {
    let strides = [STRIDE; 3];
    SIZES
        .into_iter()
        .chain(strides)
        .map(|size| Arg::Int(size as i128))
}

/// Returns the expected contents of an output matrix. The element at each row and column within [`SIZES`] has the
/// value that `of` computes; the padding of each row is untouched.
fn expected(of: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let [m, n, _] = SIZES;
    padded([m, n], STRIDE, of)
}

#[test]
fn matmul() {
    let [m, _, k] = SIZES;
    run_everywhere("matmul", [2, 2, 1], |bench| {
        product_of_quarters(bench, [m, k])
    });
}

/// Tests products whose sums are stored in each iteration, while copies for later iterations are in flight.
#[test]
fn products_with_stores() {
    let ([rows, columns, depth], chunks) = ([64, 32, 32], 7);
    for target in ["cuda:80", "cuda:90"] {
        let pipeline = layout_pipeline(target, 3).replace("lower", "distinct-arguments=true lower");
        let open = || Bench::lowered("blocked/running_products.ttgir", Some(&pipeline));
        run_on_all_machines(&open, [1, 1, 1], |bench| {
            let a = quarters(bench, chunks * rows * depth, 1);
            let b = quarters(bench, chunks * depth * columns, 2);
            let c = bench.untouched(F32, chunks * rows * columns);
            let mut args: Vec<Arg> = [a, b, c].map(Arg::Buffer).into();
            args.push(Arg::Int(chunks as i128));
            let verify = move |bench: &Bench| {
                let (a, b) = (bench.values(a, F16), bench.values(b, F16));
                let mut expected = Vec::new();
                let mut sums = vec![0.0; rows * columns];
                for (x, y) in a.chunks(rows * depth).zip(b.chunks(depth * columns)) {
                    let of = product((x, y), [rows, columns, depth], |i, j| i * columns + j);
                    sums = sums.iter().zip(of).map(|(sum, of)| sum + of).collect();
                    expected.extend(&sums);
                }
                check("running products", &bench.values(c, F32), &expected, 1e-3);
            };
            (args, Box::new(verify))
        });
    }
}

/// Tests pipelined loops in which the asynchronous copies follow the products: of warp groups, and of warps, whose copies then
/// fill the slot that the iteration has read. If the copies came first, the loop would need more buffers, and only one
/// thread block would fit on a multiprocessor.
#[test]
fn matmul_with_copies_after_products() {
    let file = "blocked/matmul_deep.ttgir";
    // Four iterations over K, of which the last ends within a tile.
    let (m, k) = (SIZES[0], 784);
    for target in ["cuda:90", "cuda:86"] {
        let pipeline = layout_pipeline(target, 3);
        let open = || Bench::lowered(file, Some(&pipeline));
        run_on_all_machines(&open, [2, 2, 1], |bench| product_of_quarters(bench, [m, k]));
    }
}

/// Tests a product of bytes that are adjacent along the rows of A and the columns of B: copies of 16 bytes fill the slots, and
/// threads transpose both operands for the warp-group product.
#[test]
fn product_of_transposed_bytes() {
    let ([m, n, k], pipeline) = ([64, 128, 640], layout_pipeline("cuda:90", 3));
    let open = || Bench::lowered("blocked/product_int8_transposed.ttgir", Some(&pipeline));
    run_on_all_machines(&open, [2, 1, 1], |bench| {
        let [a, b] = [(m, 1), (n, 2)].map(|(size, seed)| bench.random(I8, k * size, seed));
        let c = bench.untouched(ElementTy::Int(32), m * n);
        let sizes = [m, n, k, m, n].map(|size| Arg::Int(size as i128));
        let args = [a, b, c].map(Arg::Buffer).into_iter().chain(sizes);
        let verify = move |bench: &Bench| {
            let [a, b] = [a, b].map(|buffer| bench.values(buffer, I8));
            let of = |row: usize, column: usize| {
                (0..k).map(|i| a[i * m + row] * b[i * n + column]).sum()
            };
            let expected = padded([m, n], n, of);
            let found = bench.values(c, ElementTy::Int(32));
            check("transposed bytes", &found, &expected, 0.0);
        };
        (args.collect(), Box::new(verify))
    });
}

/// Adds the buffers of a matrix product with `m` rows, as many columns as in [`SIZES`], and `k` elements along K.
/// Returns the arguments of the kernel, and a function that checks the result.
fn product_of_quarters(bench: &mut Bench, [m, k]: [usize; 2]) -> Prepared {
    let stride = STRIDE.max(k.next_multiple_of(16));
    let n = SIZES[1];
    let a = quarters(bench, m * stride, 1);
    let b = quarters(bench, k * stride, 2);
    let c = bench.untouched(F16, m * stride);
    let sizes = [m, n, k, stride, stride, stride].map(|size| Arg::Int(size as i128));
    let args = [a, b, c].map(Arg::Buffer).into_iter().chain(sizes);
    let verify = move |bench: &Bench| {
        let [a, b, c] = [a, b, c].map(|buffer| bench.values(buffer, F16));
        let expected = padded([m, n], stride, |row, column| {
            (0..k)
                .map(|i| a[row * stride + i] * b[i * stride + column])
                .sum()
        });
        check("matmul", &c, &expected, 1e-3);
    };
    (args.collect(), Box::new(verify))
}

/// Tests a kernel in which half of the warps run one barrier behind the others.
#[test]
fn matmul_of_staggered_warps() {
    let (m, k) = (SIZES[0], 320);
    for gpu in ["gfx942", "gfx950"] {
        let file = format!("pipelined/{gpu}/matmul_staggered.ttgir");
        let open = || Bench::lowered(&file, None);
        run_on_all_machines(&open, [1, 1, 1], |bench| product_of_quarters(bench, [m, k]));
    }
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
                // Weights are scaled before the product, which is exact in f16 since scales are quarters.
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
    run_everywhere("attention", [1, 1, 1], |bench| attention_of(bench, 64));
}

/// Tests attention by one program that computes two tiles. In persistent kernels for Hopper, the second product of an
/// iteration stays in flight while the first one of the next iteration starts.
#[test]
fn attention_by_persistent_programs() {
    for stages in [2, 3, 6] {
        let file = "blocked/attention_persistent.ttgir";
        let pipeline = layout_pipeline("cuda:90", stages);
        let open = || Bench::lowered(file, Some(&pipeline));
        run_on_all_machines(&open, [1, 1, 1], |bench| attention_of(bench, 128));
    }
}

/// Adds the buffers of attention with `rows` queries. Returns the arguments of the kernel, and a function that checks
/// the result.
fn attention_of(bench: &mut Bench, rows: usize) -> Prepared {
    let (n, d) = (128, 32);
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
}

/// Tile sizes of the TMA kernels: rows, columns, and K.
const TILE: [u32; 3] = [64, 32, 32];

/// Adds the TMA descriptor of a row-major `f16` matrix, as the host creates it. The tiles are 64 bytes wide.
fn descriptor(bench: &mut Bench, matrix: BufferId, dims: [u32; 2], tile: [u32; 2]) -> BufferId {
    let map = TensorMap {
        address: bench.memory.address(matrix),
        element: TensorElement::F16,
        dims: vec![dims[1], dims[0]],
        strides: vec![u64::from(2 * dims[1])],
        block: vec![tile[1], tile[0]],
        swizzle: Swizzle::Bytes64,
        fills_nan: false,
        pixels: None,
    };
    bench.memory.add("descriptor", map.encode().to_vec())
}

/// Returns the matrix product of `a` and `b`. `at` maps a position along K and a column to the index of an element
/// in `b`.
fn product(
    (a, b): (&[f64], &[f64]),
    [m, n, k]: [usize; 3],
    at: impl Fn(usize, usize) -> usize,
) -> Vec<f64> {
    let of = |row: usize, column: usize| -> f64 {
        (0..k).map(|i| a[row * k + i] * b[at(i, column)]).sum()
    };
    (0..m * n).map(|i| of(i / n, i % n)).collect()
}

#[test]
fn matmul_by_descriptors() {
    // At least twice as many tiles along K as stages, so that each mbarrier passes through both phases; ends within
    // tiles.
    let sizes @ [m, n, k] = [80, 48, 240];
    run_tma("matmul_tma", "plain", |bench| {
        let [rows, columns, depth] = sizes.map(|size| size as u32);
        let (a, b) = (quarters(bench, m * k, 1), quarters(bench, k * n, 2));
        let c = bench.untouched(F16, m * n);
        let [tile_m, tile_n, tile_k] = TILE;
        let maps = [
            (a, [rows, depth], [tile_m, tile_k]),
            (b, [depth, columns], [tile_k, tile_n]),
            (c, [rows, columns], [tile_m, tile_n]),
        ];
        let mut args = Vec::new();
        for (matrix, dims, tile) in maps {
            let map = descriptor(bench, matrix, dims, tile);
            // The kernel also has unused parameters for sizes and strides.
            args.push(Arg::Buffer(map));
            args.extend([0; 4].map(Arg::Int));
        }
        args.push(Arg::Int(k as i128));
        let verify = move |bench: &Bench| {
            let [a, b, c] = [a, b, c].map(|buffer| bench.values(buffer, F16));
            let expected = product((&a, &b), sizes, |i, column| i * n + column);
            check("matmul", &c, &expected, 1e-3);
        };
        (args, Box::new(verify))
    });
}

/// Runs a kernel with TMA copies, both as pipelined by Triton and by `pipeline-loops` with several numbers of
/// stages.
fn run_tma(kernel: &str, abi: &str, prepare: impl Fn(&mut Bench) -> Prepared) {
    let grid = [2, 2, 1];
    let file = format!("pipelined/sm_90/{kernel}.ttgir");
    run_on_all_machines(&|| Bench::new(&file), grid, &prepare);
    let file = format!("blocked/{kernel}.ttgir");
    for stages in [1, 2, 3, 6] {
        let pipeline =
            layout_pipeline("cuda:90", stages).replace("bounds", &format!("abi={abi} bounds"));
        let open = || Bench::lowered(&file, Some(&pipeline));
        run_on_all_machines(&open, grid, &prepare);
    }
}

/// Runs a matrix product that creates its TMA descriptors in scratch memory. Each program creates at most
/// `descriptors` descriptors. `at` maps a position along K and a column to the index of an element in the second
/// factor.
pub(crate) fn run_product(
    file: &str,
    sizes: [usize; 3],
    descriptors: usize,
    at: impl Fn(usize, usize) -> usize + Copy + 'static,
) {
    run_on_all_machines(&|| Bench::new(file), [2, 2, 1], |bench| {
        product_with_scratch(bench, sizes, descriptors, at)
    });
}

/// Adds the buffers of the product that [`run_product`] runs. Returns the arguments of the kernel, and a function
/// that checks the result.
fn product_with_scratch(
    bench: &mut Bench,
    sizes @ [m, n, k]: [usize; 3],
    descriptors: usize,
    at: impl Fn(usize, usize) -> usize + Copy + 'static,
) -> Prepared {
    let (a, b) = (quarters(bench, m * k, 1), quarters(bench, k * n, 2));
    let c = bench.untouched(F16, m * n);
    let scratch = vec![0; 4 * descriptors * 128];
    let scratch = bench.memory.add("scratch", scratch);
    let mut args: Vec<Arg> = [a, b, c].map(Arg::Buffer).into();
    args.extend(sizes.map(|size| Arg::Int(size as i128)));
    args.extend([Arg::Buffer(scratch), Arg::Int(0)]);
    let verify = move |bench: &Bench| {
        let [a, b, c] = [a, b, c].map(|buffer| bench.values(buffer, F16));
        let expected = product((&a, &b), sizes, at);
        check("matmul", &c, &expected, 1e-3);
    };
    (args, Box::new(verify))
}

#[test]
fn matmul_by_descriptors_of_its_own() {
    let sizes @ [_, _, k] = [80, 48, 240];
    run_tma("matmul_tma_device", "triton", |bench| {
        product_with_scratch(bench, sizes, 3, move |i, column| column * k + i)
    });
}
