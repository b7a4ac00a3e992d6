//! Whole kernels: lowered for each GPU, simulated, and compared with plain Rust.

use gpu_sim::{Arg, BufferId, ElementTy, Fill, FloatTy, Launch, Memory, Report, initial_bytes};
use linear_layout_mlir::{driver, simulated, sys};
use std::path::Path;

const GPUS: [&str; 3] = ["sm_80", "sm_90", "gfx942"];
const F32: ElementTy = ElementTy::Float(FloatTy::F32);
const F16: ElementTy = ElementTy::Float(FloatTy::F16);

/// A lowered kernel, and the memory on which it runs.
pub(crate) struct Bench {
    decoded: gpu_sim::Decoded,
    pub(crate) memory: Memory,
    name: String,
}

impl Bench {
    pub(crate) fn new(file: &str) -> Self {
        Self::lowered(file, None)
    }

    /// Lowers a kernel file by `pipeline`, or by the default pipeline if it is `None`.
    pub(crate) fn lowered(file: &str, pipeline: Option<&str>) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("test/kernels")
            .join(file);
        let text = std::fs::read(&path).expect("the kernel is part of the project");
        let text = sys::checked_input(file, text).unwrap_or_else(|e| panic!("{e}"));
        let decoded = driver::decode(&text, file, None, pipeline).unwrap_or_else(|e| panic!("{e}"));
        Self::of(decoded, file)
    }

    /// Lowers a module by `pipeline`, or by the default pipeline if it is `None`. Panics if the lowered module does
    /// not contain `instruction`.
    pub(crate) fn with_instruction(
        text: &str,
        name: &str,
        pipeline: Option<&str>,
        instruction: &str,
    ) -> Self {
        let decoded = driver::with_lowered(text.as_bytes(), name, None, pipeline, |module| {
            let lowered = module.to_string();
            assert!(
                lowered.contains(instruction),
                "{name} has no `{instruction}`:\n{lowered}"
            );
            let module = simulated::module(module, name);
            gpu_sim::decode(&module, None)
        });
        let decoded = decoded.unwrap_or_else(|message| panic!("{name}: {message}\n{text}"));
        let decoded = decoded.unwrap_or_else(|message| panic!("{name}: {message}\n{text}"));
        Self::of(decoded, name)
    }

    fn of(decoded: gpu_sim::Decoded, name: &str) -> Self {
        Self {
            decoded,
            memory: Memory::default(),
            name: name.to_owned(),
        }
    }

    pub(crate) fn random(&mut self, ty: ElementTy, count: usize, seed: u64) -> BufferId {
        self.memory
            .add("input", initial_bytes(&Fill::Random, ty, count, seed))
    }

    /// Adds a buffer filled with [`UNTOUCHED`].
    pub(crate) fn untouched(&mut self, ty: ElementTy, count: usize) -> BufferId {
        self.memory.add(
            "output",
            initial_bytes(&Fill::Full(UNTOUCHED), ty, count, 0),
        )
    }

    pub(crate) fn run(&mut self, grid: [u32; 3], args: Vec<Arg>) -> Report {
        self.run_as(grid, args, |launch| launch)
    }

    /// Runs the kernel with a grid and arguments. `set` may change other settings of the launch.
    pub(crate) fn run_as(
        &mut self,
        grid: [u32; 3],
        args: Vec<Arg>,
        set: impl FnOnce(Launch) -> Launch,
    ) -> Report {
        set(Launch::new(self.decoded.machine))
            .grid(grid)
            .dynamic_shared(self.decoded.info.shared.unwrap_or(0))
            .args(args)
            .run(&self.decoded.program, &mut self.memory)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    pub(crate) fn values(&self, buffer: BufferId, ty: ElementTy) -> Vec<f64> {
        let bytes = self.memory.bytes(buffer);
        (0..bytes.len() / ty.bytes())
            .map(|i| ty.value(bytes, i).expect("in range"))
            .collect()
    }

    #[track_caller]
    pub(crate) fn check(&self, buffer: BufferId, ty: ElementTy, expected: impl Fn(usize) -> f64) {
        for (i, found) in self.values(buffer, ty).into_iter().enumerate() {
            assert_eq!(found, expected(i), "{}: element {i}", self.name);
        }
    }
}

/// Initial value of output elements. No kernel in these tests computes it.
pub(crate) const UNTOUCHED: f64 = 768.0;

fn f32_of(x: f64) -> f64 {
    f64::from(x as f32)
}

#[test]
fn vector_add() {
    for gpu in GPUS {
        for n in [0usize, 1, 127, 1000, 1024, 3001] {
            let mut b = Bench::new(&format!("{gpu}/vector_add.ttgir"));
            // Exactly n elements, so that an access outside is an error.
            let (x, y) = (b.random(F32, n, 1), b.random(F32, n, 2));
            let out = b.untouched(F32, n);
            let blocks = n.div_ceil(1024).max(1) as u32;
            b.run(
                [blocks, 1, 1],
                vec![
                    Arg::Buffer(x),
                    Arg::Buffer(y),
                    Arg::Buffer(out),
                    Arg::Int(n as i128),
                ],
            );
            let (x, y) = (b.values(x, F32), b.values(y, F32));
            b.check(out, F32, |i| f32_of(x[i] + y[i]));
        }
    }
}

#[test]
fn outer_scale() {
    for gpu in GPUS {
        for (rows, cols) in [(64usize, 64usize), (192, 80)] {
            let mut b = Bench::new(&format!("{gpu}/outer_scale.ttgir"));
            let (x, s) = (b.random(F32, rows * cols, 1), b.random(F32, rows, 2));
            let out = b.untouched(F32, rows * cols);
            b.run(
                [rows as u32 / 64, 1, 1],
                vec![
                    Arg::Buffer(x),
                    Arg::Buffer(s),
                    Arg::Buffer(out),
                    Arg::Int(cols as i128),
                ],
            );
            let (x, s) = (b.values(x, F32), b.values(s, F32));
            b.check(out, F32, |i| match (i / cols, i % cols) {
                (r, c) if c < 64 => f32_of(f32_of(x[i] * s[r]) * s[c]),
                _ => UNTOUCHED,
            });
        }
    }
}

#[test]
fn transpose() {
    for gpu in GPUS {
        // Multiples of 16, as the kernel assumes; blocks are 64 x 128.
        for (rows, cols) in [
            (64usize, 128usize),
            (112, 144),
            (16, 16),
            (128, 272),
            (16, 0),
        ] {
            let mut b = Bench::new(&format!("{gpu}/transpose.ttgir"));
            let x = b.random(F16, rows * cols, 3);
            let out = b.untouched(F16, rows * cols);
            // One extra block along each axis, whose masks are empty.
            let grid = [
                rows.div_ceil(64) as u32 + 1,
                cols.div_ceil(128) as u32 + 1,
                1,
            ];
            let args = vec![
                Arg::Buffer(x),
                Arg::Buffer(out),
                Arg::Int(rows as i128),
                Arg::Int(cols as i128),
            ];
            let report = b.run(grid, args);
            assert_eq!(report.bank_conflicts(), 0, "{gpu}");
            let x = b.values(x, F16);
            b.check(out, F16, |i| x[(i % rows) * cols + i / rows]);
        }
    }
}

#[test]
fn interleave() {
    for gpu in GPUS {
        let mut b = Bench::new(&format!("{gpu}/interleave.ttgir"));
        let n = 1536;
        let (x, y) = (b.random(F16, n, 1), b.random(F16, n, 2));
        let out = b.untouched(F16, 2 * n);
        b.run(
            [3, 1, 1],
            vec![
                Arg::Buffer(x),
                Arg::Buffer(y),
                Arg::Buffer(out),
                Arg::Int(n as i128),
            ],
        );
        let halves = [b.values(x, F16), b.values(y, F16)];
        b.check(out, F16, |i| halves[i % 2][i / 2]);
    }
}

#[test]
fn column_sum() {
    for gpu in GPUS {
        // Multiples of 16, as the kernel assumes; blocks are 64 x 64.
        for (rows, cols) in [(64usize, 64usize), (48, 80), (208, 16), (0, 64)] {
            let mut b = Bench::new(&format!("{gpu}/column_sum.ttgir"));
            let x = b.random(F16, rows * cols, 7);
            let out = b.untouched(F32, cols);
            let report = b.run(
                [cols.div_ceil(64) as u32 + 1, 1, 1],
                vec![
                    Arg::Buffer(x),
                    Arg::Buffer(out),
                    Arg::Int(rows as i128),
                    Arg::Int(cols as i128),
                ],
            );
            assert_eq!(report.bank_conflicts(), 0, "{gpu}");
            let x = b.values(x, F16);
            for (c, found) in b.values(out, F32).into_iter().enumerate() {
                let expected: f64 = (0..rows).map(|r| x[r * cols + c]).sum();
                let error = (found - expected).abs();
                assert!(error < 1e-3, "{gpu}, column {c}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn row_softmax() {
    let stride = 2048;
    for gpu in GPUS {
        // Multiples of 16, as the kernel assumes.
        for cols in [16usize, 1008, 2048] {
            let mut b = Bench::new(&format!("{gpu}/row_softmax.ttgir"));
            let x = b.random(F32, 3 * stride, 9);
            let out = b.untouched(F32, 3 * stride);
            b.run(
                [3, 1, 1],
                vec![
                    Arg::Buffer(x),
                    Arg::Buffer(out),
                    Arg::Int(cols as i128),
                    Arg::Int(stride as i128),
                ],
            );
            let (x, out) = (b.values(x, F32), b.values(out, F32));
            for (x, out) in x.chunks(stride).zip(out.chunks(stride)) {
                let most = x[..cols].iter().copied().fold(f64::MIN, f64::max);
                let sum: f64 = x[..cols].iter().map(|x| (x - most).exp()).sum();
                for (c, found) in out.iter().enumerate() {
                    let expected = match x.get(c).filter(|_| c < cols) {
                        Some(x) => (x - most).exp() / sum,
                        None => UNTOUCHED,
                    };
                    let error = (found - expected).abs();
                    assert!(
                        error <= 1e-5 * expected.abs(),
                        "{gpu}, column {c} of {cols}: {found} for {expected}"
                    );
                }
            }
        }
    }
}

/// Checks a kernel that converts a tile to another layout and back `turns` times, and adds `step` after each
/// conversion.
#[track_caller]
fn convert(file: &str, ty: ElementTy, elements: usize, step: f64, turns: usize) -> Report {
    let mut b = Bench::new(&format!("convert/{file}.mlir"));
    let src = b.random(ty, 2 * elements, 5);
    let dst = b.untouched(ty, 2 * elements);
    let args = vec![
        Arg::Buffer(src),
        Arg::Buffer(dst),
        Arg::Float(step),
        Arg::Int(turns as i128),
    ];
    let report = b.run([2, 1, 1], args);
    let src = b.values(src, ty);
    let round = |x: f64| if ty == F32 { f32_of(x) } else { x };
    // f16 values below 4 in steps of 1/4 are exact when halved; f32 is rounded as in the kernel.
    b.check(dst, ty, |i| {
        (0..2 * turns).fold(src[i], |x, _| round(x + step))
    });
    report
}

#[test]
fn conversions_there_and_back() {
    for turns in [0, 1, 3] {
        for (file, ty, elements) in [
            ("transpose_f32_64x64", F32, 64 * 64),
            ("intra_warp_f32_64x32", F32, 64 * 32),
            ("swap_lane_reg_f32", F32, 32 * 32),
        ] {
            let report = convert(file, ty, elements, 0.75, turns);
            assert_eq!(report.bank_conflicts(), 0, "{file}");
        }
        convert("vec_change_f16_128x64", F16, 128 * 64, 0.0, turns);
    }
}

/// Checks the global memory accesses that a kernel executes. An entry of `expected` has the form of the report:
/// kind, width, and number of instructions per thread.
#[track_caller]
fn widths(file: &str, grid: [u32; 3], args: impl Fn(&mut Bench) -> Vec<Arg>, expected: &[&str]) {
    let mut b = Bench::new(file);
    let args = args(&mut b);
    let report = b.run(grid, args);
    let found: Vec<String> = report
        .global
        .iter()
        .map(|(name, usage)| format!("{name} x {}", usage.instructions))
        .collect();
    assert_eq!(found, expected, "{file}");
}

#[test]
fn global_accesses_are_at_least_as_wide_as_tritons() {
    let add = |b: &mut Bench| {
        let [x, y] = [b.random(F32, 1024, 1), b.random(F32, 1024, 2)].map(Arg::Buffer);
        vec![x, y, Arg::Buffer(b.untouched(F32, 1024)), Arg::Int(1024)]
    };
    // Triton's accesses have one element, since the number of elements is not known to be divisible.
    widths(
        "sm_90/vector_add.ttgir",
        [1; 3],
        add,
        &["ld.global v4.b32 x 4", "st.global v4.b32 x 2"],
    );
    widths(
        "gfx942/vector_add.ttgir",
        [1; 3],
        add,
        &["global_load_dwordx4 x 2", "global_store_dwordx4 x 1"],
    );
    let scale = |b: &mut Bench| {
        let [x, s] = [b.random(F32, 4096, 1), b.random(F32, 64, 2)].map(Arg::Buffer);
        vec![x, s, Arg::Buffer(b.untouched(F32, 4096)), Arg::Int(64)]
    };
    widths(
        "sm_90/outer_scale.ttgir",
        [1; 3],
        scale,
        &[
            "ld.global b32 x 8",
            "ld.global v4.b32 x 9",
            "st.global v4.b32 x 8",
        ],
    );
    widths(
        "gfx942/outer_scale.ttgir",
        [1; 3],
        scale,
        &[
            "buffer_load_dwordx4 x 1",
            "global_load_dword x 4",
            "global_load_dwordx4 x 4",
            "global_store_dwordx4 x 4",
        ],
    );
    let transpose = |b: &mut Bench| {
        let x = Arg::Buffer(b.random(F16, 8192, 1));
        vec![
            x,
            Arg::Buffer(b.untouched(F16, 8192)),
            Arg::Int(64),
            Arg::Int(128),
        ]
    };
    widths(
        "sm_90/transpose.ttgir",
        [1; 3],
        transpose,
        &["ld.global v4.b32 x 8", "st.global v4.b32 x 8"],
    );
    widths(
        "gfx942/transpose.ttgir",
        [1; 3],
        transpose,
        &["global_load_dwordx4 x 4", "global_store_dwordx4 x 4"],
    );
    let interleave = |b: &mut Bench| {
        let [x, y] = [b.random(F16, 512, 1), b.random(F16, 512, 2)].map(Arg::Buffer);
        vec![x, y, Arg::Buffer(b.untouched(F16, 1024)), Arg::Int(512)]
    };
    widths(
        "sm_90/interleave.ttgir",
        [1; 3],
        interleave,
        &["ld.global v2.b32 x 2", "st.global v4.b32 x 1"],
    );
    widths(
        "gfx942/interleave.ttgir",
        [1; 3],
        interleave,
        &["global_load_dword x 2", "global_store_dwordx2 x 1"],
    );
}

/// Checks that every kernel either lowers, or gets one diagnostic for each occurrence of an operation that is not
/// supported.
#[test]
fn kernels_lower_or_say_why_not() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/kernels");
    for gpu in GPUS {
        for file in std::fs::read_dir(kernels.join(gpu)).expect("the folder is there") {
            let path = file.expect("it can be read").path();
            let text = std::fs::read_to_string(&path).expect("a kernel is text");
            let name = path.display().to_string();
            let Err(message) = driver::decode(text.as_bytes(), &name, None, None) else {
                continue;
            };
            let message = message.to_string();
            assert!(!message.contains("internal error"), "{name}: {message}");
            let named: Vec<&str> = message
                .lines()
                .filter_map(|line| {
                    line.split_once("error: '")?
                        .1
                        .split_once("' op is not supported by the lowering to LLVM")
                })
                .map(|(operation, _)| operation)
                .collect();
            assert!(!named.is_empty(), "{name}: {message}");
            for operation in &named {
                let times = |pieces: &mut dyn Iterator<Item = &str>| {
                    pieces.filter(|piece| piece == operation).count()
                };
                let there = times(&mut text.split([' ', '"', '(']));
                assert_eq!(
                    times(&mut named.iter().copied()),
                    there,
                    "{name}: {operation}"
                );
            }
        }
    }
}
