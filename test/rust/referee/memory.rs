//! Layouts of shared and tensor memory, and buffers that have them.

use super::random::Rng;
use super::registers::{bases, cga, list, shape};
use super::text::{Setting, Shaped, TENSOR_MEMORY};

/// Element types that a buffer may have.
pub(crate) const ELEMENTS: &[&str] = &["f16", "bf16", "f32", "i8", "i32", "f8E5M2", "i64", "i16"];

/// Returns the width of an element type in bits.
pub(crate) fn width(element: &str) -> u64 {
    if element.starts_with("!tt.ptr") {
        return 64;
    }
    if element.starts_with("f8") {
        return 8;
    }
    let digits: String = element.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(32)
}

pub(crate) fn swizzled(rng: &mut Rng, s: &Setting, rank: usize, name: &str) -> String {
    let vec = if rng.chance(40) { 1 } else { rng.power(0, 3) };
    let (phase, max) = if vec == 1 && rng.chance(60) {
        (1, 1)
    } else {
        (rng.power(0, 2), rng.power(0, 3))
    };
    let order = rng.permutation(rank);
    format!(
        "#ttg.{name}<{{vec = {vec}, perPhase = {phase}, maxPhase = {max}, order = {}{}}}>",
        list(&order),
        cga(rng, s.ctas, rank)
    )
}

/// Draws a `#ttg.nvmma_shared` encoding for elements of `bits` bits.
pub(crate) fn nvmma(rng: &mut Rng, s: &Setting, rank: usize, bits: u64) -> String {
    let swizzle = rng.choose(&[0, 32, 64, 128, 128]);
    let transposed = rng.chance(25) && rank > 1;
    let padded = if bits == 8 && rng.chance(8) && swizzle == 128 {
        ", fp4Padded = true"
    } else {
        ""
    };
    let rank_text = if rank == 2 {
        String::new()
    } else {
        format!(", rank = {rank}")
    };
    let bits = if rng.chance(95) { bits } else { 16 };
    format!(
        "#ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = {transposed}, elementBitWidth = {bits}{padded}{rank_text}{}}}>",
        cga(rng, s.ctas, rank)
    )
}

/// Draws a `#ttg.nvmma_shared` encoding for a shape. It is mostly not transposed, and its swizzle is mostly no
/// wider than a row.
pub(crate) fn nvmma_of(rng: &mut Rng, s: &Setting, shape: &[u64], bits: u64) -> String {
    let bytes = shape.last().map_or(0, |n| n * bits / 8);
    for _ in 0..30 {
        let text = nvmma(rng, s, shape.len(), bits);
        let fits = [128, 64, 32]
            .iter()
            .all(|n| *n <= bytes || !text.contains(&format!("swizzlingByteWidth = {n},")));
        if fits && text.contains("transposed = false") && !text.contains("fp4Padded") {
            return text;
        }
        if rng.chance(4) {
            return text;
        }
    }
    nvmma(rng, s, shape.len(), bits)
}

/// Draws the bases of a shared-memory layout. Each bit of a coordinate occurs in exactly one basis; some bases of
/// the in-dim `block` may be zero. Returns the bases of `offset`, then those of `block`.
fn placed(rng: &mut Rng, s: &Setting, shape: &[u64]) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let mut next = vec![1; shape.len()];
    let mut block = Vec::new();
    let mut left: Vec<u64> = shape.to_vec();
    for _ in 0..s.ctas.trailing_zeros() {
        let mut basis = vec![0; shape.len()];
        let dim = rng.below(shape.len());
        if left[dim] > 1 {
            left[dim] /= 2;
            basis[dim] = left[dim];
        }
        block.push(basis);
    }
    let mut offset = Vec::new();
    let order = rng.permutation(shape.len());
    let mixed = rng.chance(30);
    for dim in order {
        while next[dim] < left[dim] {
            let mut basis = vec![0; shape.len()];
            basis[dim] = next[dim];
            offset.push(basis);
            next[dim] *= 2;
        }
    }
    if mixed {
        rng.shuffle(&mut offset);
    }
    (offset, block)
}

pub(crate) fn padded(rng: &mut Rng, s: &Setting, shape: &[u64]) -> String {
    let mut intervals: Vec<u64> = vec![4, 8, 16, 32, 64, 128, 256];
    rng.shuffle(&mut intervals);
    let pairs: Vec<String> = (0..rng.between(1, 2))
        .map(|i| format!("{}:+{}", intervals[i], rng.power(0, 4)))
        .collect();
    if s.ctas == 1 && rng.chance(50) {
        let order = rng.permutation(shape.len());
        return format!(
            "#ttg.padded_shared<{} {{order = {}, shape = {}}}>",
            list(&pairs),
            list(&order),
            list(shape)
        );
    }
    let (offset, block) = placed(rng, s, shape);
    format!(
        "#ttg.padded_shared<{} {{offset = {}, block = {}}}>",
        list(&pairs),
        bases(&offset),
        bases(&block)
    )
}

pub(crate) fn shared_linear(rng: &mut Rng, s: &Setting, shape: &[u64]) -> String {
    let (mut offset, block) = placed(rng, s, shape);
    if rng.chance(30) && offset.len() > 1 {
        // Swizzled: one basis moves along another as well.
        let (i, j) = (rng.below(offset.len()), rng.below(offset.len()));
        if i != j {
            let other = offset[j].clone();
            for (a, b) in offset[i].iter_mut().zip(other) {
                *a ^= b;
            }
        }
    }
    format!(
        "#ttg.shared_linear<{{offset = {}, block = {}}}, alignment = {}>",
        bases(&offset),
        bases(&block),
        rng.power(4, 7)
    )
}

fn partitioned(rng: &mut Rng, s: &Setting, shape: &[u64]) -> String {
    let dim = rng.below(shape.len());
    let (partitions, groups) = (rng.power(1, 2), rng.power(0, 1));
    let mut piece = shape.to_vec();
    piece[dim] = (piece[dim] / (partitions * groups)).max(1);
    let inner = if rng.chance(60) {
        swizzled(rng, s, shape.len(), "swizzled_shared")
    } else {
        padded(rng, s, &piece)
    };
    format!(
        "#ttg.partitioned_shared<{{numPartitions = {partitions}, numGroups = {groups}, partitionDim = {dim}, partitionLayout = {inner}}}>"
    )
}

/// Draws a shared-memory layout of any family for a shape.
pub(crate) fn any(rng: &mut Rng, s: &Setting, shape: &[u64], bits: u64) -> String {
    let rank = shape.len();
    match rng.below(100) {
        0..=34 => swizzled(rng, s, rank, "swizzled_shared"),
        35..=54 if rank >= 2 => nvmma(rng, s, rank, bits),
        55..=69 => padded(rng, s, shape),
        70..=84 => shared_linear(rng, s, shape),
        85..=91 if rank == 2 => swizzled(rng, s, rank, "amd_rotating_shared"),
        92..=99 => partitioned(rng, s, shape),
        _ => swizzled(rng, s, rank, "swizzled_shared"),
    }
}

/// Draws a mutable buffer in shared memory.
pub(crate) fn buffer(rng: &mut Rng, s: &Setting) -> Shaped {
    let rank = rng.choose(&[1, 2, 2, 2, 2, 3, 3, 4]);
    let element = rng.choose(ELEMENTS);
    buffer_of(rng, s, rank, element)
}

pub(crate) fn buffer_of(rng: &mut Rng, s: &Setting, rank: usize, element: &str) -> Shaped {
    let mut shape = shape(rng, rank, 14);
    let encoding = any(rng, s, &shape, width(element));
    if encoding.contains("nvmma_shared") && rng.chance(90) {
        // As large as the largest swizzle asks for.
        for size in &mut shape {
            *size = (*size).max(128);
        }
        for size in shape.iter_mut().take(rank.saturating_sub(2)) {
            *size = 2;
        }
    }
    seen_in_part(rng, Shaped::buffer(&shape, element, encoding))
}

/// Turns the buffer, in some cases, into a view: a part of a larger allocation, or one buffer of an array.
fn seen_in_part(rng: &mut Rng, mut whole: Shaped) -> Shaped {
    if rng.chance(6) {
        whole.alloc.clone_from(&whole.shape);
        if rng.chance(40) {
            whole.alloc.insert(0, rng.choose(&[1, 2, 3]));
        } else {
            let dim = rng.below(whole.rank());
            whole.alloc[dim] *= 2;
        }
    }
    whole
}

/// Draws an array of buffers. Its layout is that of a single buffer.
pub(crate) fn several(rng: &mut Rng, one: &Shaped) -> Shaped {
    let mut shape = one.shape.clone();
    shape.insert(0, rng.choose(&[1, 2, 3, 4, 5]));
    one.with_shape(&shape)
}

/// Draws a shared-memory buffer that holds mbarriers.
pub(crate) fn barrier(rng: &mut Rng, s: &Setting) -> Shaped {
    let cga = if s.ctas == 1 {
        String::new()
    } else if rng.chance(70) {
        let all: Vec<Vec<u64>> = (0..s.ctas.trailing_zeros()).map(|i| vec![1 << i]).collect();
        format!(", CGALayout = {}", bases(&all))
    } else {
        cga(rng, s.ctas, 1)
    };
    let encoding =
        format!("#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]{cga}}}>");
    Shaped::buffer(&[s.ctas], "i64", encoding)
}

/// Draws a buffer in tensor memory, which holds an accumulator or an operand.
pub(crate) fn tensor_memory(rng: &mut Rng, s: &Setting, element: &str) -> Shaped {
    let m = rng.choose(&[64, 128, 128, 128]);
    let n = rng.power(5, 7);
    let stride = if width(element) == 32 || rng.chance(60) {
        1
    } else {
        32 / width(element)
    };
    let shape = [
        m * rng.choose(&[1, 1, 1, 2]) * s.ctas,
        n * rng.choose(&[1, 1, 2]),
    ];
    let cga = if s.ctas == 1 {
        String::new()
    } else {
        let all: Vec<Vec<u64>> = (0..s.ctas.trailing_zeros())
            .map(|i| vec![1 << i, 0])
            .collect();
        format!(", CGALayout = {}", bases(&all))
    };
    let encoding = format!(
        "#ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = {stride}{cga}>"
    );
    let whole = Shaped {
        space: TENSOR_MEMORY,
        ..Shaped::buffer(&shape, element, encoding)
    };
    seen_in_part(rng, whole)
}

/// Returns a buffer in tensor memory that holds the scales of a scaled product.
pub(crate) fn scales(rng: &mut Rng, rows: u64, columns: u64) -> Shaped {
    let order = if rng.chance(90) {
        ""
    } else {
        "blockRepOrder = kThenMn"
    };
    Shaped {
        space: TENSOR_MEMORY,
        ..Shaped::buffer(
            &[rows, columns],
            "i8",
            format!("#ttng.tensor_memory_scales_encoding<{order}>"),
        )
    }
}
