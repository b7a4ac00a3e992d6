//! Conversion of each encoding family to its linear layout: `cargo bench --bench encodings`.
//!
//! Prints the time of `Encoding::to_linear_layout`, of parsing and of printing. Each time is the best of many short
//! rounds, which reduces noise. The run fails if the conversion of any family takes longer than one microsecond.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::hint::black_box;
use std::time::Instant;

use linear_layout::encoding::Encoding;

/// Maximum time of a conversion in nanoseconds.
const LIMIT_NS: f64 = 1000.0;

const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>";
const MMA_2: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
const MMA_3: &str = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>";
const MFMA: &str = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>";
const WMMA: &str =
    "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>";
const SWIZZLED: &str =
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";

fn families() -> Vec<(&'static str, String, &'static [u64])> {
    let square: &[u64] = &[128, 128];
    let slice = |dim, parent: &str| format!("#ttg.slice<{{dim = {dim}, parent = {parent}}}>");
    let dot = |parent: &str, k_width: &str| {
        format!("#ttg.dot_op<{{opIdx = 0, parent = {parent}{k_width}}}>")
    };
    vec![
        ("blocked", BLOCKED.to_owned(), square),
        ("slice of blocked", slice(0, BLOCKED), &[128]),
        ("slice of nvidia_mma v2", slice(1, MMA_2), &[128]),
        (
            "linear",
            "#ttg.linear<{register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]], block = []}>".to_owned(),
            square,
        ),
        (
            "generic_linear",
            "#ttg.generic_linear<{register = [[0, 1], [0, 2], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 4], [32, 8]], block = []}>".to_owned(),
            square,
        ),
        ("nvidia_mma v2", MMA_2.to_owned(), square),
        ("nvidia_mma v3", MMA_3.to_owned(), square),
        ("amd_mfma", MFMA.to_owned(), square),
        ("amd_wmma", WMMA.to_owned(), square),
        ("dot_op FMA", dot(BLOCKED, ""), square),
        ("dot_op nvidia_mma v2", dot(MMA_2, ", kWidth = 2"), square),
        ("dot_op nvidia_mma v3", dot(MMA_3, ", kWidth = 2"), square),
        ("dot_op amd_mfma", dot(MFMA, ", kWidth = 4"), square),
        ("dot_op amd_wmma", dot(WMMA, ", kWidth = 8"), square),
        ("swizzled_shared", SWIZZLED.to_owned(), square),
        (
            "amd_rotating_shared",
            "#ttg.amd_rotating_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [1, 0]}>".to_owned(),
            square,
        ),
        (
            "padded_shared",
            "#ttg.padded_shared<[128:+8] {order = [1, 0], shape = [128, 128]}>".to_owned(),
            square,
        ),
        (
            "partitioned_shared",
            format!("#ttg.partitioned_shared<{{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = {SWIZZLED}}}>"),
            square,
        ),
        (
            "nvmma_shared",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>".to_owned(),
            square,
        ),
        (
            "nvmma_shared fp4Padded",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>".to_owned(),
            square,
        ),
        (
            "shared_linear",
            "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 1], [2, 2], [4, 4]]}, alignment = 128>".to_owned(),
            &[8, 8],
        ),
        (
            "tensor_memory",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>".to_owned(),
            square,
        ),
        (
            "tensor_memory_scales",
            "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>".to_owned(),
            &[128, 16],
        ),
    ]
}

/// Times many rounds of calls. Returns the average time per call in the fastest round, in nanoseconds.
fn best<R>(mut call: impl FnMut() -> R) -> f64 {
    const CALLS: u32 = 64;
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(call());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<24} {:>10} {:>10} {:>10}",
        "family", "layout ns", "read ns", "print ns"
    );
    let mut slowest = (0.0, "");
    for (name, text, shape) in families() {
        let encoding: Encoding = text.parse()?;
        encoding.to_linear_layout(shape)?;
        let layout = best(|| black_box(&encoding).to_linear_layout(black_box(shape)));
        let read = best(|| black_box(text.as_str()).parse::<Encoding>());
        let print = best(|| black_box(&encoding).to_string());
        println!("{name:<24} {layout:>10.0} {read:>10.0} {print:>10.0}");
        if layout > slowest.0 {
            slowest = (layout, name);
        }
    }
    let (ns, name) = slowest;
    println!("slowest layout: {name} with {ns:.0} ns, limit {LIMIT_NS:.0} ns");
    if ns > LIMIT_NS {
        return Err(format!("`{name}` takes {ns:.0} ns, more than {LIMIT_NS:.0} ns").into());
    }
    Ok(())
}
