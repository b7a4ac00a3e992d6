//! Layouts of registers that fit a module, of every family.

use super::random::Rng;
use super::text::{Setting, Shaped};
use linear_layout::encoding::{Aliases, Encoding};

pub(crate) const FLOATS: &[&str] = &["f16", "bf16", "f32", "f64", "f8E5M2", "f8E4M3FN"];
pub(crate) const INTEGERS: &[&str] = &["i8", "i16", "i32", "i64", "i1"];
pub(crate) const POINTERS: &[&str] = &["!tt.ptr<f32>", "!tt.ptr<f16>", "!tt.ptr<i8>"];
pub(crate) const NUMBERS: &[&str] = &["f16", "f32", "bf16", "i8", "i16", "i32", "f8E5M2", "i64"];

impl Setting {
    pub(crate) fn new(lanes: u64, warps: u64, ctas: u64, target: &'static str) -> Self {
        Self {
            lanes,
            warps,
            ctas,
            target,
            own_warps: None,
            pairs: None,
            without: Vec::new(),
        }
    }

    pub(crate) fn nvidia(rng: &mut Rng) -> Self {
        let target = rng.choose(&["cuda:80", "cuda:90", "cuda:100", "cuda:120", "cuda:75"]);
        let ctas = if rng.chance(20) { rng.power(1, 4) } else { 1 };
        Self::new(32, rng.power(0, 5), ctas, target)
    }

    /// Draws a setting for `target` in which the warps form whole warp groups of four. Most settings have one CTA.
    pub(crate) fn groups(rng: &mut Rng, target: &'static str) -> Self {
        let ctas = if rng.chance(12) { rng.power(1, 2) } else { 1 };
        Self::new(32, rng.power(2, 3), ctas, target)
    }

    /// Draws a setting for an AMD GPU whose warps have 64 lanes.
    pub(crate) fn cdna(rng: &mut Rng) -> Self {
        let target = rng.choose(&["hip:gfx90a", "hip:gfx942", "hip:gfx950"]);
        Self::new(64, rng.power(0, 3), 1, target)
    }

    pub(crate) fn rdna(rng: &mut Rng) -> Self {
        let target = rng.choose(&["hip:gfx1100", "hip:gfx1200", "hip:gfx1250"]);
        let ctas = if target == "hip:gfx1250" && rng.chance(20) {
            2
        } else {
            1
        };
        Self::new(32, rng.power(0, 3), ctas, target)
    }

    pub(crate) fn amd(rng: &mut Rng) -> Self {
        if rng.chance(65) {
            Self::cdna(rng)
        } else {
            Self::rdna(rng)
        }
    }

    pub(crate) fn any(rng: &mut Rng) -> Self {
        if rng.chance(60) {
            Self::nvidia(rng)
        } else {
            Self::amd(rng)
        }
    }

    pub(crate) fn is_amd(&self) -> bool {
        self.target.starts_with("hip")
    }
}

/// Formats a list of numbers, such as `[1, 2]`.
pub(crate) fn list<T: std::fmt::Display>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(T::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

pub(crate) fn bases(bases: &[Vec<u64>]) -> String {
    list(&bases.iter().map(|b| list(b)).collect::<Vec<_>>())
}

/// Draws a shape whose sizes are powers of two. It has at most `2^max` elements.
pub(crate) fn shape(rng: &mut Rng, rank: usize, max: usize) -> Vec<u64> {
    let mut left = max;
    let mut sizes: Vec<u64> = (0..rank)
        .map(|_| {
            let low = usize::from(!rng.chance(15));
            let bits = rng.between(low.min(left), left.min(7));
            left -= bits;
            1 << bits
        })
        .collect();
    rng.shuffle(&mut sizes);
    sizes
}

/// Draws a rank: mostly 1 and 2, sometimes up to 5.
pub(crate) fn rank(rng: &mut Rng) -> usize {
    rng.choose(&[1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 5])
}

/// Distributes the factors of two of `amount`, a power of two, over `rank` dimensions.
fn spread(rng: &mut Rng, amount: u64, rank: usize) -> Vec<u64> {
    let mut sizes = vec![1; rank];
    let favourite = rng.below(rank);
    for _ in 0..amount.trailing_zeros() {
        let dim = if rng.chance(50) {
            favourite
        } else {
            rng.below(rank)
        };
        sizes[dim] *= 2;
    }
    sizes
}

/// Draws the distribution of a tensor over CTAs. Returns it as `, CGALayout = ...`, or as an empty string if there
/// is one CTA.
pub(crate) fn cga(rng: &mut Rng, ctas: u64, rank: usize) -> String {
    let mut next = vec![1; rank];
    let all: Vec<Vec<u64>> = (0..ctas.trailing_zeros())
        .map(|_| {
            let mut basis = vec![0; rank];
            if !rng.chance(15) {
                let dim = rng.below(rank);
                basis[dim] = next[dim];
                next[dim] *= 2;
            }
            basis
        })
        .collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(", CGALayout = {}", bases(&all))
    }
}

pub(crate) fn blocked(rng: &mut Rng, s: &Setting, rank: usize) -> String {
    let per_thread: Vec<u64> = (0..rank)
        .map(|_| if rng.chance(45) { 1 } else { rng.power(0, 3) })
        .collect();
    let order = rng.permutation(rank);
    let (lanes, warps) = (spread(rng, s.lanes, rank), spread(rng, s.warps, rank));
    format!(
        "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}{}}}>",
        list(&per_thread),
        list(&lanes),
        list(&warps),
        list(&order),
        cga(rng, s.ctas, rank)
    )
}

/// Returns the unit bases of a shape, one per bit of each coordinate, in random order.
fn bits(rng: &mut Rng, shape: &[u64]) -> Vec<Vec<u64>> {
    let mut all: Vec<Vec<u64>> = Vec::new();
    for (dim, size) in shape.iter().enumerate() {
        for bit in 0..size.trailing_zeros() {
            let mut basis = vec![0; shape.len()];
            basis[dim] = 1 << bit;
            all.push(basis);
        }
    }
    rng.shuffle(&mut all);
    all
}

/// Draws a `#ttg.linear` encoding, or a `#ttg.generic_linear` encoding if `generic` is true. In the latter, each
/// basis of `warp` is the exclusive or of a drawn basis and a basis of `lane`.
fn linear(rng: &mut Rng, s: &Setting, shape: &[u64], generic: bool) -> String {
    let mut left = bits(rng, shape);
    let zero = vec![0; shape.len()];
    let mut take = |rng: &mut Rng, amount: u64| -> Vec<Vec<u64>> {
        (0..amount.trailing_zeros())
            .map(|_| {
                if rng.chance(7) {
                    zero.clone()
                } else {
                    left.pop().unwrap_or_else(|| zero.clone())
                }
            })
            .collect()
    };
    let block = take(rng, s.ctas);
    let lane = take(rng, s.lanes);
    let mut warp = take(rng, s.warps);
    let mut register = left;
    if rng.chance(10) {
        register.push(zero.clone());
    }
    if generic {
        for basis in &mut warp {
            if let Some(other) = lane.get(rng.below(lane.len())) {
                for (a, b) in basis.iter_mut().zip(other) {
                    *a ^= b;
                }
            }
        }
    }
    format!(
        "#ttg.{}<{{register = {}, lane = {}, warp = {}, block = {}}}>",
        if generic { "generic_linear" } else { "linear" },
        bases(&register),
        bases(&lane),
        bases(&warp),
        bases(&block)
    )
}

/// Draws the layout of the result of an NVIDIA matrix instruction.
pub(crate) fn nvidia_mma(rng: &mut Rng, s: &Setting, version: u32, rank: usize) -> String {
    let mut warps = spread(rng, s.warps, rank);
    let mut instruction = vec![1; rank - 2];
    if version == 3 {
        warps = vec![1; rank];
        let groups = s.warps / 4;
        let along_n = if rng.chance(40) { groups } else { 1 };
        warps[rank - 2] = 4 * groups / along_n;
        warps[rank - 1] = along_n;
        instruction.extend([16, rng.power(3, 8), rng.power(3, 5)]);
    } else {
        instruction.extend([16, 8]);
    }
    format!(
        "#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = {}{}, instrShape = {}}}>",
        list(&warps),
        cga(rng, s.ctas, rank),
        list(&instruction)
    )
}

pub(crate) fn mfma(rng: &mut Rng, s: &Setting, rank: usize) -> String {
    let (m, n) = rng.choose(&[(32, 32), (16, 16), (32, 32), (16, 16), (64, 4), (4, 64)]);
    let transposed = match (m, n) {
        (64, 4) => true,
        (4, 64) => false,
        _ => rng.chance(50),
    };
    let tiles = if rng.chance(25) {
        let mut tiles = vec![1; rank];
        // Absent says the same as all 1.
        tiles[rank - 1 - rng.below(2)] = rng.power(1, 2);
        format!(", tilesPerWarp = {}", list(&tiles))
    } else {
        String::new()
    };
    format!(
        "#ttg.amd_mfma<{{version = {}, warpsPerCTA = {}, instrShape = [{m}, {n}, {}], isTransposed = {transposed}{}{tiles}}}>",
        rng.between(1, 4),
        list(&spread(rng, s.warps, rank)),
        rng.power(2, 5),
        cga(rng, s.ctas, rank)
    )
}

pub(crate) fn wmma(rng: &mut Rng, s: &Setting) -> (String, usize) {
    let version = rng.between(1, 3);
    let mut next = [1, 1];
    let warps: Vec<Vec<u64>> = (0..s.warps.trailing_zeros())
        .map(|_| {
            let dim = rng.below(2);
            let mut basis = vec![0, 0];
            basis[dim] = next[dim];
            next[dim] *= 2;
            basis
        })
        .collect();
    let register = if rng.chance(20) {
        format!("register = [[0, {}]], ", next[1])
    } else {
        String::new()
    };
    let k = match version {
        1 => 16,
        2 => rng.power(4, 5),
        _ => rng.choose(&[4, 32, 64, 128]),
    };
    let text = format!(
        "#ttg.amd_wmma<{{version = {version}, isTranspose = {}, ctaLayout = {{{register}warp = {}}}{}, instrShape = [16, 16, {k}]}}>",
        rng.chance(50),
        bases(&warps),
        cga(rng, s.ctas, 2)
    );
    (text, version)
}

/// Draws the result layout of a matrix instruction of the module's vendor. Also returns a `kWidth` that its
/// operands may have.
pub(crate) fn matrix(rng: &mut Rng, s: &Setting, rank: usize) -> (String, u64) {
    if s.lanes == 64 {
        (mfma(rng, s, rank), rng.power(2, 4))
    } else if s.is_amd() && rank == 2 {
        let (text, version) = wmma(rng, s);
        let width = match version {
            1 => rng.power(3, 4),
            2 => rng.power(2, 4),
            _ => rng.power(1, 4),
        };
        (text, width)
    } else {
        (nvidia_mma(rng, s, 2, rank), rng.power(0, 3))
    }
}

pub(crate) fn dot_operand(parent: &str, operand: usize, width: u64) -> String {
    if width == 0 {
        format!("#ttg.dot_op<{{opIdx = {operand}, parent = {parent}}}>")
    } else {
        format!("#ttg.dot_op<{{opIdx = {operand}, parent = {parent}, kWidth = {width}}}>")
    }
}

pub(crate) fn slice(parent: &str, dim: usize) -> String {
    format!("#ttg.slice<{{dim = {dim}, parent = {parent}}}>")
}

/// Draws a register layout of any family for a shape. Blocked and linear layouts are the most frequent.
pub(crate) fn any(rng: &mut Rng, s: &Setting, shape: &[u64]) -> String {
    let rank = shape.len();
    match rng.below(100) {
        0..=34 => blocked(rng, s, rank),
        35..=52 => linear(rng, s, shape, false),
        53..=57 => linear(rng, s, shape, true),
        58..=72 if rank < 5 => {
            let dim = rng.below(rank + 1);
            let mut larger = shape.to_vec();
            larger.insert(dim, rng.power(0, 4));
            let parent = any(rng, s, &larger);
            slice(&parent, dim)
        }
        73..=86 if rank == 2 || rank == 3 => {
            if s.lanes == 32 && !s.is_amd() && s.warps >= 4 && rng.chance(35) {
                nvidia_mma(rng, s, 3, rank)
            } else {
                matrix(rng, s, rank).0
            }
        }
        87..=99 if rank == 2 || rank == 3 => {
            let operand = rng.below(2);
            if rng.chance(30) {
                dot_operand(&blocked(rng, s, rank), operand, 0)
            } else if s.lanes == 32 && !s.is_amd() && s.warps >= 4 && rng.chance(20) {
                dot_operand(&nvidia_mma(rng, s, 3, rank), 0, rng.power(0, 2))
            } else {
                let (parent, width) = matrix(rng, s, rank);
                dot_operand(&parent, operand, width)
            }
        }
        _ => blocked(rng, s, rank),
    }
}

/// Draws a tensor with a random shape and layout. Some tensors have no layout.
pub(crate) fn tensor(rng: &mut Rng, s: &Setting, element: &str) -> Shaped {
    let rank = rank(rng);
    tensor_of_rank(rng, s, element, rank)
}

pub(crate) fn tensor_of_rank(rng: &mut Rng, s: &Setting, element: &str, rank: usize) -> Shaped {
    let shape = shape(rng, rank, 13);
    let encoding = (!rng.chance(6)).then(|| any(rng, s, &shape));
    Shaped::tensor(&shape, element, encoding)
}

/// Parses an encoding with the library. Returns `None` if it is invalid.
pub(crate) fn known(encoding: &str) -> Option<Encoding> {
    Encoding::parse(encoding, &Aliases::new()).ok()
}

/// Returns the encoding that `rule` infers from the encoding of `src`. If the rule fails, the encoding of `src` is
/// returned unchanged. Returns `None` if `src` has no encoding.
pub(crate) fn inferred<E>(
    src: &Shaped,
    rule: impl FnOnce(&Encoding) -> Result<Encoding, E>,
) -> Option<String> {
    let encoding = src.encoding.as_ref()?;
    let result = known(encoding).and_then(|known| rule(&known).ok());
    Some(result.map_or_else(|| encoding.clone(), |found| found.to_string()))
}
