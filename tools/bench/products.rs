//! Plans of matrix products, and their verification: `cargo bench -p linear-layout --bench products`.
//!
//! Each row is a product of the tensors of one thread block: with operands in the layout of the instruction, with
//! operands that are converted first, or with one multiplication per lane. Each time is the best of several runs. A
//! name after `--` runs only the row with this name.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::machine::check_product;
use linear_layout::plan::product::{MatrixProduct, plan_product};
use linear_layout::target::{Number, Target};
use std::hint::black_box;
use std::time::{Duration, Instant};

const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
const BATCHED: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>";
const MFMA: &str = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>";
const WMMA: &str = "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[1, 0], [0, 1]]}, instrShape = [16, 16, 16]}>";
const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";

/// A matrix product that the benchmark plans.
///
/// `sum` is the encoding of the result. `k_width` is the `kWidth` of A and B; `None` means that they have the
/// encoding of the result. `sizes` contains m, n and k, preceded by the batch size if there is one.
struct Row {
    name: &'static str,
    sum: &'static str,
    k_width: Option<u32>,
    sizes: &'static [u64],
    numbers: [Number; 2],
    target: &'static str,
}

#[rustfmt::skip]
const ROWS: [Row; 9] = {
    use Number as T;
    [
        Row { name: "mma f16", sum: MMA, k_width: Some(2), sizes: &[128, 128, 64], numbers: [T::F16, T::F32], target: "cuda:80" },
        Row { name: "mma f16, small", sum: MMA, k_width: Some(2), sizes: &[32, 32, 32], numbers: [T::F16, T::F32], target: "cuda:80" },
        Row { name: "mma i8", sum: MMA, k_width: Some(4), sizes: &[128, 128, 128], numbers: [T::I8, T::I32], target: "cuda:80" },
        Row { name: "mma f64", sum: MMA, k_width: Some(1), sizes: &[64, 64, 32], numbers: [T::F64, T::F64], target: "cuda:80" },
        Row { name: "mma f16, batched", sum: BATCHED, k_width: Some(2), sizes: &[4, 32, 32, 32], numbers: [T::F16, T::F32], target: "cuda:80" },
        Row { name: "mfma f16", sum: MFMA, k_width: Some(4), sizes: &[128, 128, 64], numbers: [T::F16, T::F32], target: "hip:gfx942" },
        Row { name: "wmma f16", sum: WMMA, k_width: Some(16), sizes: &[64, 64, 32], numbers: [T::F16, T::F32], target: "hip:gfx1100" },
        Row { name: "converted f16", sum: BLOCKED, k_width: None, sizes: &[64, 64, 32], numbers: [T::F16, T::F32], target: "cuda:80" },
        Row { name: "fma f32", sum: BLOCKED, k_width: None, sizes: &[64, 64, 32], numbers: [T::F32, T::F32], target: "cuda:80" },
    ]
};

impl Row {
    /// Returns the layouts of D, A and B.
    fn layouts(&self) -> [LinearLayout; 3] {
        let (matrices, sizes) = self.sizes.split_at(self.sizes.len() - 3);
        let [m, n, k] = [sizes[0], sizes[1], sizes[2]];
        let factor = |index: u32| match self.k_width {
            Some(width) => format!(
                "#ttg.dot_op<{{opIdx = {index}, parent = {}, kWidth = {width}}}>",
                self.sum
            ),
            None => self.sum.to_owned(),
        };
        [
            (self.sum.to_owned(), [m, n]),
            (factor(0), [m, k]),
            (factor(1), [k, n]),
        ]
        .map(|(text, sizes)| {
            let shape = [matrices, &sizes].concat();
            let encoding: Encoding = text.parse().expect("an encoding");
            let layout = encoding.to_surjective_layout(&shape).expect("a layout");
            layout.remove_zero_bases(Dim::REGISTER).expect("registers")
        })
    }
}

fn best<T>(work: impl Fn() -> T) -> f64 {
    let rounds = (0..15).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    rounds.min().unwrap_or(Duration::MAX).as_secs_f64() * 1e3
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<18} {:<24} {:>6} {:>9} {:>9}",
        "product", "instruction", "issues", "plan ms", "check ms"
    );
    let only = std::env::args()
        .skip(1)
        .find(|name| !name.starts_with("--"));
    let is_wanted = |row: &&Row| only.as_ref().is_none_or(|name| row.name == name);
    for row in ROWS.iter().filter(is_wanted) {
        let [d, a, b] = row.layouts();
        let product = MatrixProduct {
            d: &d,
            a: &a,
            b: &b,
            scales: None,
            factors: &[[row.numbers[0]; 2]],
            sum: row.numbers[1],
            target: Target::parse(row.target)?,
        };
        let plan = plan_product(&product)?;
        check_product(plan.program(), &product)?;
        println!(
            "{:<18} {:<24} {:>6} {:>9.3} {:>9.3}",
            row.name,
            plan.instruction(),
            plan.count(),
            best(|| plan_product(&product)),
            best(|| check_product(plan.program(), &product)),
        );
    }
    Ok(())
}
