//! Matrix instructions as data: what each lane bit and register bit of an operand addresses, and how it is called.
//!
//! A [`Product`] computes `D = A B + D` in each warp, or in each lane. Its operands are tiles of `m x k`, `k x n` and
//! `m x n` elements; every bit of a lane or register number of an operand is a bit of one coordinate ([`TileBit`]).
//! Planner, checker, lowering and simulator read the same rows.
//!
//! # Source
//! PTX ISA 8.8, section 9.7.14 (`mma`); the CDNA 3 and RDNA 3, RDNA 4 ISA manuals; LLVM's `IntrinsicsNVVM.td` and
//! `IntrinsicsAMDGPU.td` for names and operands. Of MFMA and WMMA the order of k is a renaming that A and B share, so
//! that it does not matter to a sum.
//!
//! Missing on purpose: operands in shared or tensor memory.

use super::{Target, Vendor};
use TileBit::{Copy as Held, K, M, N};

/// What a bit of the number of a lane or a register addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum TileBit {
    /// A bit of the row of A and D.
    M(u8),
    /// A bit of the column of B and D.
    N(u8),
    /// A bit of the column of A and the row of B.
    K(u8),
    /// Nothing: both values of the bit hold the same element.
    Copy,
}

impl TileBit {
    const fn transposed(self) -> Self {
        match self {
            M(bit) => N(bit),
            N(bit) => M(bit),
            other => other,
        }
    }
}

/// The elements of an operand that one warp holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TileOperand {
    /// By bit of the lane number; empty for an instruction that each lane carries out alone.
    pub lanes: Vec<TileBit>,
    /// By bit of the element's number in the registers, lowest bits first within a packed register.
    pub registers: Vec<TileBit>,
    /// How the elements are passed: vectors of so many scalars, one for a scalar.
    pub vector: u32,
    /// The type of the scalars.
    pub scalar: Scalar,
}

/// A type that LLVM passes to an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scalar {
    /// `half`.
    F16,
    /// `bfloat`.
    Bf16,
    /// `float`.
    #[default]
    F32,
    /// `double`.
    F64,
    /// An integer of so many bits, which may carry several elements.
    Int(u32),
}

impl Scalar {
    /// Width in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
            Self::Int(bits) => bits,
        }
    }
}

/// The type of the elements of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Number {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// The upper 19 bits of a binary32.
    Tf32,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 32 bits.
    I32,
    /// OCP's E4M3.
    E4m3,
    /// OCP's E5M2.
    E5m2,
    /// E4M3 without infinities or a negative zero, exponents one lower.
    E4m3Fnuz,
    /// E5M2 of the same kind.
    E5m2Fnuz,
}

impl Number {
    /// Width in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 | Self::I32 => 32,
            Self::F64 => 64,
            Self::I8 | Self::E4m3 | Self::E5m2 | Self::E4m3Fnuz | Self::E5m2Fnuz => 8,
        }
    }

    /// Returns true for integers.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::I8 | Self::I32)
    }
}

/// An argument of an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The registers of A, B or D: 0, 1 or 2.
    Operand(usize),
    /// A constant of so many bits.
    Constant {
        /// Width in bits.
        bits: u32,
        /// Its value.
        value: u64,
    },
}

/// An instruction that multiplies matrices.
///
/// ```
/// use linear_layout::target::{Number, Target, TileBit};
/// let a100 = Target::parse("cuda:80")?;
/// let row = a100.products().into_iter().find(|row| row.name == "mma.m16n8k16.f32.f16").unwrap();
/// assert_eq!(row.sizes(), [16, 8, 16]);
/// assert_eq!(row.operands[0].registers, [TileBit::K(0), TileBit::M(3), TileBit::K(3)]);
/// assert_eq!(row.factors, [Number::F16; 2]);
/// # Ok::<(), linear_layout::target::TargetError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The instruction's name, with its sizes and the types of D and of A and B.
    pub name: String,
    /// A, B and D.
    pub operands: [TileOperand; 3],
    /// The types of A and B.
    pub factors: [Number; 2],
    /// The type of D.
    pub sum: Number,
    /// The intrinsic; none for a multiplication and an addition in each lane.
    pub intrinsic: Option<String>,
    /// What the intrinsic takes, in order.
    pub arguments: Vec<Argument>,
    /// Multiplications and additions that a processor carries out in a clock.
    pub rate: u32,
}

const A_B_D: [Argument; 3] = [
    Argument::Operand(0),
    Argument::Operand(1),
    Argument::Operand(2),
];

const fn constant(bits: u32, value: u64) -> Argument {
    Argument::Constant { bits, value }
}

/// Bits of a coordinate.
fn bits(of: fn(u8) -> TileBit, range: core::ops::Range<u8>) -> Vec<TileBit> {
    range.map(of).collect()
}

impl Product {
    /// Sizes m, n, k of the tile.
    #[must_use]
    pub fn sizes(&self) -> [u64; 3] {
        let all = self.operands.iter().flat_map(|operand| {
            let lists = [&operand.lanes, &operand.registers];
            lists.into_iter().flatten()
        });
        let mut sizes = [1; 3];
        for bit in all {
            let (at, bit) = match bit {
                M(bit) => (0, bit),
                N(bit) => (1, bit),
                K(bit) => (2, bit),
                Held => continue,
            };
            sizes[at] = sizes[at].max(2 << bit);
        }
        sizes
    }

    /// What the instruction costs a warp of so many lanes, in quarters of a clock.
    #[must_use]
    pub fn issue(&self, lanes: u32) -> u32 {
        let lanes = if self.is_of_lane() { lanes } else { 1 };
        let products = self.sizes().iter().product::<u64>() as u32 * lanes;
        (products * 4).div_ceil(self.rate)
    }

    /// Returns true for an instruction that each lane carries out alone.
    #[must_use]
    pub const fn is_of_lane(&self) -> bool {
        self.operands[2].lanes.is_empty()
    }

    /// Returns the coordinates of an element of an operand: `[m, k]` of A, `[k, n]` of B, `[m, n]` of D.
    #[must_use]
    pub fn coordinates(&self, operand: usize, register: usize, lane: usize) -> [usize; 2] {
        let held = &self.operands[operand];
        let registers = held.registers.iter().zip(0..);
        let registers = registers.filter(|(_, bit)| register >> bit & 1 == 1);
        let lanes = held.lanes.iter().zip(0..);
        let lanes = lanes.filter(|(_, bit)| lane >> bit & 1 == 1);
        let mut at = [0; 2];
        for (bit, _) in registers.chain(lanes) {
            let (dim, bit) = match (*bit, operand) {
                (M(bit), _) | (K(bit), 1) => (0, bit),
                (N(bit), _) | (K(bit), _) => (1, bit),
                (Held, _) => continue,
            };
            at[dim] |= 1 << bit;
        }
        at
    }

    /// The same instruction for transposed matrices: `D^T = B^T A^T`, of which A is passed as B.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let [a, b, d] = self.operands.clone().map(|mut operand| {
            for bit in operand.lanes.iter_mut().chain(&mut operand.registers) {
                *bit = bit.transposed();
            }
            operand
        });
        let exchanged = |argument: &Argument| match argument {
            Argument::Operand(0) => Argument::Operand(1),
            Argument::Operand(1) => Argument::Operand(0),
            other => *other,
        };
        Self {
            name: format!("{} transposed", self.name),
            operands: [b, a, d],
            factors: [self.factors[1], self.factors[0]],
            arguments: self.arguments.iter().map(exchanged).collect(),
            ..self.clone()
        }
    }

    /// A multiplication and an addition in each lane: what every target has.
    #[must_use]
    pub fn of_lane(factors: [Number; 2], sum: Number) -> Self {
        let operand = || TileOperand {
            vector: 1,
            ..TileOperand::default()
        };
        Self {
            name: "fma".to_owned(),
            operands: [operand(), operand(), operand()],
            factors,
            sum,
            intrinsic: None,
            arguments: A_B_D.to_vec(),
            // Those with the most arithmetic on f64 have a quarter of it, or half.
            rate: if sum.bits() == 64 { 32 } else { 128 },
        }
    }
}

/// `mma.sync` with 16 x 8 results and 32-bit registers of `packed` elements, log2; `is_deep` with twice as many along k.
fn mma(
    (name, intrinsic): (&str, &str),
    (factor, scalar, vector): (Number, Scalar, u32),
    sum: Number,
    is_deep: bool,
    rate: u32,
) -> Product {
    let packed = (32 / factor.bits()).trailing_zeros() as u8;
    let low = bits(K, 0..packed);
    let high = || is_deep.then_some(K(packed + 2));
    let lanes = |of: fn(u8) -> TileBit| -> Vec<TileBit> {
        [bits(K, packed..packed + 2), bits(of, 0..3)].concat()
    };
    let factor_operand = |lanes, registers| TileOperand {
        lanes,
        registers,
        vector,
        scalar,
    };
    let a = low.iter().copied().chain([M(3)]).chain(high());
    let b = low.iter().copied().chain(high());
    let d = TileOperand {
        lanes: [bits(N, 1..3), bits(M, 0..3)].concat(),
        registers: vec![N(0), M(3)],
        vector: if sum.bits() == 16 { 2 } else { 1 },
        scalar: match sum {
            Number::F16 => Scalar::F16,
            Number::I32 => Scalar::Int(32),
            _ => Scalar::F32,
        },
    };
    let (a, b) = (a.collect(), b.collect());
    Product {
        name: name.to_owned(),
        operands: [factor_operand(lanes(M), a), factor_operand(lanes(N), b), d],
        factors: [factor; 2],
        sum,
        intrinsic: Some(format!("llvm.nvvm.mma.{intrinsic}")),
        arguments: A_B_D.to_vec(),
        rate,
    }
}

fn nvidia(arch: u32) -> Vec<Product> {
    use Number as T;
    let half = (T::F16, Scalar::F16, 2);
    let words = |number| (number, Scalar::Int(32), 1);
    let mut rows = Vec::new();
    if arch >= 80 {
        let f16 = [
            (("mma.m16n8k16.f32.f16", "m16n8k16.row.col.f32.f32"), T::F32),
            (("mma.m16n8k16.f16.f16", "m16n8k16.row.col.f16.f16"), T::F16),
        ];
        rows.extend(f16.map(|(names, sum)| mma(names, half, sum, true, 1024)));
        let names = ("mma.m16n8k16.f32.bf16", "m16n8k16.row.col.bf16");
        rows.push(mma(names, words(T::Bf16), T::F32, true, 1024));
        let names = ("mma.m16n8k8.f32.bf16", "m16n8k8.row.col.bf16");
        rows.push(mma(names, words(T::Bf16), T::F32, false, 512));
        let names = ("mma.m16n8k8.f32.tf32", "m16n8k8.row.col.tf32");
        rows.push(mma(names, words(T::Tf32), T::F32, true, 512));
        let names = ("mma.m16n8k4.f32.tf32", "m16n8k4.row.col.tf32");
        rows.push(mma(names, words(T::Tf32), T::F32, false, 256));
        let names = ("mma.m16n8k32.i32.i8", "m16n8k32.row.col.satfinite.s8");
        rows.push(mma(names, words(T::I8), T::I32, true, 2048));
        let names = ("mma.m16n8k16.i32.i8", "m16n8k16.row.col.satfinite.s8");
        rows.push(mma(names, words(T::I8), T::I32, false, 1024));
        rows.push(mma_f64());
    }
    if arch >= 75 {
        let f16 = [
            (("mma.m16n8k8.f32.f16", "m16n8k8.row.col.f32.f32"), T::F32),
            (("mma.m16n8k8.f16.f16", "m16n8k8.row.col.f16.f16"), T::F16),
        ];
        rows.extend(f16.map(|(names, sum)| mma(names, half, sum, false, 512)));
    }
    if arch >= 89 {
        for (number, name) in [(T::E4m3, "e4m3"), (T::E5m2, "e5m2")] {
            for (k, is_deep, rate) in [(32, true, 2048), (16, false, 1024)] {
                let full = format!("mma.m16n8k{k}.f32.{name}");
                let intrinsic = format!("m16n8k{k}.row.col.f32.{name}.{name}.f32");
                let names = (&*full, &*intrinsic);
                rows.push(mma(names, words(number), T::F32, is_deep, rate));
            }
        }
    }
    rows
}

fn mma_f64() -> Product {
    let factor = |of: fn(u8) -> TileBit| TileOperand {
        lanes: [bits(K, 0..2), bits(of, 0..3)].concat(),
        registers: Vec::new(),
        vector: 1,
        scalar: Scalar::F64,
    };
    let d = TileOperand {
        lanes: [bits(N, 1..3), bits(M, 0..3)].concat(),
        registers: vec![N(0)],
        vector: 1,
        scalar: Scalar::F64,
    };
    Product {
        name: "mma.m8n8k4.f64.f64".to_owned(),
        operands: [factor(M), factor(N), d],
        factors: [Number::F64; 2],
        sum: Number::F64,
        intrinsic: Some("llvm.nvvm.mma.m8n8k4.row.col.f64".to_owned()),
        arguments: A_B_D.to_vec(),
        rate: 64,
    }
}

/// An instruction of AMD: of a square of `1 << edge` and lanes that hold `1 << own` elements side by side along k.
struct Square<'a> {
    intrinsic: &'a str,
    edge: u8,
    own: u8,
    factor: (Number, Scalar),
    sum: (Number, Scalar),
    arguments: &'a [Argument],
    rate: u32,
}

impl Square<'_> {
    /// The row, of operands with these lanes, and registers of D.
    fn row(&self, k_lanes: &[TileBit], d_lanes: Vec<TileBit>, d: Vec<TileBit>) -> Product {
        let (factor, scalar) = self.factor;
        let operand = |of: fn(u8) -> TileBit| TileOperand {
            lanes: [&bits(of, 0..self.edge), k_lanes].concat(),
            registers: bits(K, 0..self.own),
            vector: (factor.bits() << self.own) / scalar.bits(),
            scalar,
        };
        let (sum, sum_scalar) = self.sum;
        let operands = [
            operand(M),
            operand(N),
            TileOperand {
                vector: 1 << d.len(),
                lanes: [bits(N, 0..self.edge), d_lanes].concat(),
                registers: d,
                scalar: sum_scalar,
            },
        ];
        Product {
            name: self.intrinsic.to_owned(),
            operands,
            factors: [factor; 2],
            sum,
            intrinsic: Some(format!("llvm.amdgcn.{}", self.intrinsic)),
            arguments: self.arguments.to_vec(),
            rate: self.rate,
        }
    }

    /// MFMA, of a wave of 64 lanes.
    fn mfma(&self) -> Product {
        let (edge, own) = (self.edge, self.own);
        let spare = 6 - edge;
        let k = bits(K, own..own + spare);
        if self.sum.0 == Number::F64 {
            return self.row(&k, bits(M, 0..2), bits(M, 2..4));
        }
        let registers = [bits(M, 0..2), bits(M, 2 + spare..edge)].concat();
        self.row(&k, bits(M, 2..2 + spare), registers)
    }

    /// WMMA of gfx11, of a wave of 32 lanes, of which the upper half holds the factors once more.
    fn wmma_of_copies(&self) -> Product {
        self.row(&[Held], vec![M(0)], bits(M, 1..4))
    }

    /// WMMA of gfx12 and later.
    fn wmma(&self) -> Product {
        self.row(&[K(self.own)], vec![M(3)], bits(M, 0..3))
    }
}

fn mfma(name: &str) -> Vec<Product> {
    use Number as T;
    use Scalar as S;
    let is_cdna4 = name == "gfx950";
    let has_float8 = name == "gfx942" || is_cdna4;
    const MODES: [Argument; 3] = [constant(32, 0); 3];
    let arguments = [A_B_D, MODES].concat();
    let mut rows = Vec::new();
    let mut add = |shapes: [(&str, u8, u8); 2], factor, sum, rate| {
        for (intrinsic, edge, own) in shapes {
            let square = Square {
                intrinsic,
                edge,
                own,
                factor,
                sum,
                arguments: &arguments,
                rate,
            };
            rows.push(square.mfma());
        }
    };
    let f32 = (T::F32, S::F32);
    if is_cdna4 {
        let shapes = [
            ("mfma.f32.32x32x16.f16", 5, 3),
            ("mfma.f32.16x16x32.f16", 4, 3),
        ];
        add(shapes, (T::F16, S::F16), f32, 2048);
        let shapes = [
            ("mfma.f32.32x32x16.bf16", 5, 3),
            ("mfma.f32.16x16x32.bf16", 4, 3),
        ];
        add(shapes, (T::Bf16, S::Bf16), f32, 2048);
        let shapes = [
            ("mfma.i32.32x32x32.i8", 5, 4),
            ("mfma.i32.16x16x64.i8", 4, 4),
        ];
        add(shapes, (T::I8, S::Int(32)), (T::I32, S::Int(32)), 4096);
    }
    let shapes = [
        ("mfma.f32.32x32x8f16", 5, 2),
        ("mfma.f32.16x16x16f16", 4, 2),
    ];
    add(shapes, (T::F16, S::F16), f32, 1024);
    let shapes = [
        ("mfma.f32.32x32x8bf16.1k", 5, 2),
        ("mfma.f32.16x16x16bf16.1k", 4, 2),
    ];
    add(shapes, (T::Bf16, S::Int(16)), f32, 1024);
    let shapes = [("mfma.f32.32x32x2f32", 5, 0), ("mfma.f32.16x16x4f32", 4, 0)];
    add(shapes, f32, f32, 256);
    if has_float8 {
        let shapes = [
            ("mfma.i32.32x32x16.i8", 5, 3),
            ("mfma.i32.16x16x32.i8", 4, 3),
        ];
        add(shapes, (T::I8, S::Int(64)), (T::I32, S::Int(32)), 2048);
        let [e4m3, e5m2] = match is_cdna4 {
            true => [T::E4m3, T::E5m2],
            false => [T::E4m3Fnuz, T::E5m2Fnuz],
        };
        let shapes = [
            ("mfma.f32.32x32x16.fp8.fp8", 5, 3),
            ("mfma.f32.16x16x32.fp8.fp8", 4, 3),
        ];
        add(shapes, (e4m3, S::Int(64)), f32, 2048);
        let shapes = [
            ("mfma.f32.32x32x16.bf8.bf8", 5, 3),
            ("mfma.f32.16x16x32.bf8.bf8", 4, 3),
        ];
        add(shapes, (e5m2, S::Int(64)), f32, 2048);
    } else {
        let shapes = [("mfma.i32.32x32x8i8", 5, 2), ("mfma.i32.16x16x16i8", 4, 2)];
        add(shapes, (T::I8, S::Int(32)), (T::I32, S::Int(32)), 1024);
    }
    if name == "gfx942" {
        let shapes = [
            ("mfma.f32.32x32x4.xf32", 5, 1),
            ("mfma.f32.16x16x8.xf32", 4, 1),
        ];
        add(shapes, (T::Tf32, S::F32), f32, 512);
    }
    let f64 = Square {
        intrinsic: "mfma.f64.16x16x4f64",
        edge: 4,
        own: 0,
        factor: (T::F64, S::F64),
        sum: (T::F64, S::F64),
        arguments: &arguments,
        rate: 256,
    };
    rows.push(f64.mfma());
    rows
}

/// Operands of integers, each after whether it is signed, and whether the sum saturates.
const SIGNED: [Argument; 6] = [
    constant(1, 1),
    Argument::Operand(0),
    constant(1, 1),
    Argument::Operand(1),
    Argument::Operand(2),
    constant(1, 0),
];

fn wmma(name: &str) -> Vec<Product> {
    use Number as T;
    use Scalar as S;
    let (f32, i32) = ((T::F32, S::F32), (T::I32, S::Int(32)));
    let square = |intrinsic, own, factor, sum, arguments, rate| Square {
        intrinsic,
        edge: 4,
        own,
        factor,
        sum,
        arguments,
        rate,
    };
    let half = (T::F16, S::F16);
    let words = |number| (number, S::Int(32));
    if name.starts_with("gfx11") {
        let brain = (T::Bf16, S::Int(16));
        return vec![
            square("wmma.f32.16x16x16.f16", 4, half, f32, &A_B_D, 512).wmma_of_copies(),
            square("wmma.f32.16x16x16.bf16", 4, brain, f32, &A_B_D, 512).wmma_of_copies(),
            square("wmma.i32.16x16x16.iu8", 4, words(T::I8), i32, &SIGNED, 512).wmma_of_copies(),
        ];
    }
    if name == "gfx1250" {
        let modes = [
            constant(1, 0),
            Argument::Operand(0),
            constant(1, 0),
            Argument::Operand(1),
            constant(16, 0),
            Argument::Operand(2),
            constant(1, 0),
            constant(1, 0),
        ];
        let float8 = [
            Argument::Operand(0),
            Argument::Operand(1),
            constant(16, 0),
            Argument::Operand(2),
            constant(1, 0),
            constant(1, 0),
        ];
        let signed = [&SIGNED[..5], &[constant(1, 0); 3]].concat();
        let brain = (T::Bf16, S::Bf16);
        let rows = [
            square("wmma.f32.16x16x32.f16", 4, half, f32, &modes, 1024),
            square("wmma.f32.16x16x32.bf16", 4, brain, f32, &modes, 1024),
            square("wmma.f32.16x16x4.f32", 1, f32, f32, &modes, 128),
            square("wmma.i32.16x16x64.iu8", 5, words(T::I8), i32, &signed, 2048),
            square(
                "wmma.f32.16x16x128.fp8.fp8",
                6,
                words(T::E4m3),
                f32,
                &float8,
                2048,
            ),
            square(
                "wmma.f32.16x16x64.fp8.fp8",
                5,
                words(T::E4m3),
                f32,
                &float8,
                2048,
            ),
            square(
                "wmma.f32.16x16x128.bf8.bf8",
                6,
                words(T::E5m2),
                f32,
                &float8,
                2048,
            ),
            square(
                "wmma.f32.16x16x64.bf8.bf8",
                5,
                words(T::E5m2),
                f32,
                &float8,
                2048,
            ),
        ];
        return rows.iter().map(Square::wmma).collect();
    }
    let brain = (T::Bf16, S::Int(16));
    let rows = [
        square("wmma.f32.16x16x16.f16", 3, half, f32, &A_B_D, 512),
        square("wmma.f32.16x16x16.bf16", 3, brain, f32, &A_B_D, 512),
        square("wmma.i32.16x16x16.iu8", 3, words(T::I8), i32, &SIGNED, 1024),
        square(
            "wmma.f32.16x16x16.fp8.fp8",
            3,
            words(T::E4m3),
            f32,
            &A_B_D,
            1024,
        ),
        square(
            "wmma.f32.16x16x16.bf8.bf8",
            3,
            words(T::E5m2),
            f32,
            &A_B_D,
            1024,
        ),
    ];
    rows.iter().map(Square::wmma).collect()
}

/// The encoding in which Triton spells the result of a target's matrix instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProductFamily {
    /// `#ttg.nvidia_mma` of version 2: `mma.sync`.
    NvidiaMma,
    /// `#ttg.amd_mfma` of this version.
    AmdMfma(u32),
    /// `#ttg.amd_wmma` of this version.
    AmdWmma(u32),
}

impl Target {
    /// Returns the encoding in which results of [`Self::matrix_instructions`] are spelled.
    #[must_use]
    pub fn product_family(&self) -> ProductFamily {
        match (self.vendor, self.short_name()) {
            (Vendor::Nvidia, _) => ProductFamily::NvidiaMma,
            (Vendor::Amd, "gfx90a") => ProductFamily::AmdMfma(2),
            (Vendor::Amd, "gfx942") => ProductFamily::AmdMfma(3),
            (Vendor::Amd, "gfx950") => ProductFamily::AmdMfma(4),
            (Vendor::Amd, name) if name.starts_with("gfx11") => ProductFamily::AmdWmma(1),
            (Vendor::Amd, name) if name.starts_with("gfx125") => ProductFamily::AmdWmma(3),
            (Vendor::Amd, _) => ProductFamily::AmdWmma(2),
        }
    }

    /// Returns the matrix instructions that take their operands from registers, as the manuals have them.
    #[must_use]
    pub fn matrix_instructions(&self) -> Vec<Product> {
        let name = self.short_name();
        match self.vendor {
            Vendor::Nvidia => nvidia(name.parse().unwrap_or(0)),
            Vendor::Amd if self.lanes == 64 => mfma(name),
            Vendor::Amd => wmma(name),
        }
    }

    /// Returns [`Self::matrix_instructions`], each also transposed, the fastest first.
    #[must_use]
    pub fn products(&self) -> Vec<Product> {
        let rows = self.matrix_instructions();
        let both = rows.into_iter().flat_map(|row| {
            let transposed = row.transposed();
            [row, transposed]
        });
        let mut both: Vec<Product> = both.collect();
        both.sort_by_key(|row| core::cmp::Reverse(row.rate));
        both
    }

    fn short_name(&self) -> &'static str {
        self.name.rsplit(':').next().unwrap_or_default()
    }
}
