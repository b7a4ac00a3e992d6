//! Matrix instructions as data: the coordinate of each lane bit and register bit of an operand, and the intrinsic call.
//!
//! A [`Product`] computes `D = A B + D` in each warp, or in each lane, on tiles with `m x k`, `k x n` and `m x n`
//! elements. Every bit of a lane number or register number is a bit of one coordinate ([`TileBit`]). Planner, plan
//! checker and lowering read the same table. `gpu-sim` implements the instructions independently, and tests compare the
//! two.
//!
//! Reading order: this file (the type of a row), then `nvidia` and `amd` (the rows).
//! Not here: instructions whose operands are in shared or tensor memory.

mod amd;
mod nvidia;

use super::{Target, Vendor};
use crate::number::narrow;
use TileBit::{Copy as Held, K, M, N};

/// The coordinate bit that one bit of a lane number or register number selects, e.g. `M(2)` for bit 2 of the row
/// index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum TileBit {
    /// Bit of the row index of A and D. The value is the number of the bit.
    M(u8),
    /// Bit of the column index of B and D. The value is the number of the bit.
    N(u8),
    /// Bit of k, which is the column index of A and the row index of B. The value is the number of the bit.
    K(u8),
    /// No coordinate: lanes or registers that differ only in this bit hold the same element.
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

/// The distribution of an operand's tile over one warp: the coordinate bit that each lane bit and each register bit
/// selects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TileOperand {
    /// One entry per bit of the lane number, lowest bit first; empty for a per-lane instruction.
    pub lanes: Vec<TileBit>,
    /// For 4-bit types, one entry per bit of an element's index within its byte; otherwise empty.
    ///
    /// Tensors store 4-bit elements packed in bytes. For such types, `registers` therefore numbers bytes instead of
    /// elements.
    pub packed: Vec<TileBit>,
    /// One entry per bit of the element's index in the registers of a lane, lowest bit first. The lowest bits select an
    /// element within one 32-bit register.
    pub registers: Vec<TileBit>,
    /// Number of elements of each vector that the intrinsic takes for this operand; 1 if the intrinsic takes scalars.
    pub vector: u32,
    /// Type that the intrinsic takes for this operand: the element type of the vectors, or the type of the scalars.
    pub scalar: Scalar,
}

/// The LLVM scalar type of an intrinsic's argument.
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
    /// An integer of this width in bits. It may contain several elements.
    Int(u32),
}

impl Scalar {
    /// Returns the width in bits.
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

/// The element type of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Number {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// TF32: the upper 19 bits of a binary32.
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
    /// E4M3 without infinities and without negative zero. The exponent bias is one higher than that of OCP's E4M3.
    E4m3Fnuz,
    /// E5M2 without infinities and without negative zero. The exponent bias is one higher than that of OCP's E5M2.
    E5m2Fnuz,
    /// OCP's E2M1. A byte holds two elements.
    E2m1,
}

impl Number {
    /// Returns the width in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 | Self::I32 => 32,
            Self::F64 => 64,
            Self::I8 | Self::E4m3 | Self::E5m2 | Self::E4m3Fnuz | Self::E5m2Fnuz => 8,
            Self::E2m1 => 4,
        }
    }

    /// Returns log2 of the number of elements that share a byte. It is 0 for types of 8 bits or more.
    #[must_use]
    pub const fn packed_log2(self) -> u32 {
        match self.bits() {
            4 => 1,
            _ => 0,
        }
    }

    /// Returns the spelling of the type in the names of instructions, e.g. `e4m3`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::E4m3Fnuz => "e4m3fnuz",
            Self::E5m2Fnuz => "e5m2fnuz",
            Self::E2m1 => "e2m1",
            other => other.ir_name(),
        }
    }

    /// Returns true if this type can represent every value of `other`.
    pub(crate) fn holds(self, other: Self) -> bool {
        let is_narrower = other.bits() < self.bits() || (self, other) == (Self::F32, Self::Tf32);
        self == other || is_narrower && self.is_integer() == other.is_integer()
    }

    /// Returns true if the type is an integer type.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::I8 | Self::I32)
    }
}

/// An argument of an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The registers of an operand. Index 0 is A, 1 is B, and 2 is D.
    Operand(usize),
    /// An integer constant.
    Constant {
        /// Width of the constant in bits.
        bits: u32,
        /// The constant's value.
        value: u64,
    },
    /// The index of the call, in a product that takes several calls of the intrinsic ([`Calls`]).
    CallIndex {
        /// Width of the index in bits.
        bits: u32,
    },
    /// The 32-bit scale word of A (index 0) or B (index 1).
    Scales(usize),
    /// The value that selects scales within the scale word of A or B. See [`ScaleBit::Selected`].
    Selector {
        /// Index of the operand: 0 for A, 1 for B.
        factor: usize,
        /// Width of the selector in bits.
        bits: u32,
    },
}

/// The type of a scale, which is a number of one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScaleNumber {
    /// OCP's E8M0, a power of two. The byte 127 encodes 1, and 255 encodes NaN.
    E8m0,
    /// OCP's E4M3 without the sign bit: 4 exponent bits and 3 mantissa bits. The exponent bias is 7.
    E4m3,
}

impl ScaleNumber {
    /// Returns the byte that encodes 1.
    #[must_use]
    pub const fn one(self) -> u8 {
        match self {
            Self::E8m0 => 127,
            Self::E4m3 => 0x38,
        }
    }
}

/// The meaning of one bit of the lane number, or of one bit of the byte index in a scale word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScaleBit {
    /// A bit of a coordinate: row, column or k.
    Of(TileBit),
    /// A bit that the instruction compares with the bit of this index in the selector. The instruction reads only
    /// the lanes or bytes in which the two bits are equal.
    Selected(u8),
    /// A bit that is 0 in all lanes or bytes that the instruction reads.
    Clear,
}

/// The distribution of the scales of A or B over one warp. Each lane holds a 32-bit word with up to four scales.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScaleOperand {
    /// One entry per bit of the lane number, lowest bit first.
    pub lanes: Vec<ScaleBit>,
    /// One entry per bit of the byte index in the word, lowest bit first.
    pub bytes: Vec<ScaleBit>,
}

impl ScaleOperand {
    fn transposed(mut self) -> Self {
        for bit in self.lanes.iter_mut().chain(&mut self.bytes) {
            if let ScaleBit::Of(bit) = bit {
                *bit = bit.transposed();
            }
        }
        self
    }

    /// Returns the coordinates of the first element of the block to which a scale applies: `[row, k]` of A, or
    /// `[column, k]` of B. The scale is in byte `byte` of the scale word of lane `lane`.
    ///
    /// Returns `None` if the instruction does not read this byte with the selector `selector`.
    #[must_use]
    pub fn coordinates(&self, byte: usize, lane: usize, selector: u32) -> Option<[usize; 2]> {
        let lanes = self.lanes.iter().zip(0..);
        let lanes = lanes.map(|(bit, i)| (bit, lane >> i & 1 == 1));
        let bytes = self.bytes.iter().zip(0..);
        let bytes = bytes.map(|(bit, i)| (bit, byte >> i & 1 == 1));
        let mut at = [0; 2];
        for (bit, is_set) in lanes.chain(bytes) {
            match *bit {
                ScaleBit::Selected(of) if (selector >> of & 1 == 1) != is_set => return None,
                ScaleBit::Clear if is_set => return None,
                ScaleBit::Of(M(bit) | N(bit)) if is_set => at[0] |= 1 << bit,
                ScaleBit::Of(K(bit)) if is_set => at[1] |= 1 << bit,
                _ => {}
            }
        }
        Some(at)
    }
}

/// The scales of A and B in an instruction. One scale applies to a block of elements along k.
///
/// A permutation of k must keep every block together: bits of k below `block_log2` may only be permuted with each
/// other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockScales {
    /// The distribution of the scales of A and of B.
    pub operands: [ScaleOperand; 2],
    /// log2 of the number of elements along k that share one scale.
    pub block_log2: u8,
    /// The type of a scale.
    pub number: ScaleNumber,
    /// Scale word that is passed for both A and B if a product has no scales.
    pub absent: u32,
}

/// The intrinsic calls that compute one product. Each call accumulates into the result of the previous call.
///
/// Each call reads the next registers of `operand`, and all registers of the other operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Calls {
    /// The operand whose registers are divided among the calls: 0 for A, 1 for B. The highest bits of the register
    /// number of this operand are the index of the call.
    pub operand: usize,
    /// log2 of the number of calls.
    pub count_log2: u32,
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
#[non_exhaustive]
pub struct Product {
    /// The instruction's name, which contains its sizes and the types of D, A and B.
    pub name: String,
    /// The distributions of A, B and D.
    pub operands: [TileOperand; 3],
    /// The element types of A and B.
    pub factors: [Number; 2],
    /// The element type of D.
    pub sum: Number,
    /// The name of the LLVM intrinsic. If it is `None`, each lane executes a multiplication and an addition
    /// instead.
    pub intrinsic: Option<String>,
    /// The arguments of the intrinsic, in order.
    pub arguments: Vec<Argument>,
    /// The division of the product into several calls of the intrinsic. `None` if one call computes the whole
    /// product.
    pub calls: Option<Calls>,
    /// The scales of A and B. `None` if the instruction has no scales.
    pub scales: Option<BlockScales>,
    /// Number of multiply-adds that one processor (SM or CU) executes per clock.
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

fn bits(of: fn(u8) -> TileBit, range: core::ops::Range<u8>) -> Vec<TileBit> {
    range.map(of).collect()
}

fn scale_bits(bits: &[TileBit]) -> Vec<ScaleBit> {
    bits.iter().copied().map(ScaleBit::Of).collect()
}

impl Product {
    /// Returns the sizes m, n, k of the tile.
    #[must_use]
    pub fn sizes(&self) -> [u64; 3] {
        let all = self.operands.iter().flat_map(|operand| {
            let lists = [&operand.lanes, &operand.packed, &operand.registers];
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

    /// Returns the issue time of the instruction in a warp of `lanes` lanes, in quarters of a clock.
    #[must_use]
    pub fn issue(&self, lanes: u32) -> u32 {
        let lanes = if self.is_per_lane() { lanes } else { 1 };
        let products = narrow::<u32>(self.sizes().iter().product::<u64>()) * lanes;
        (products * 4).div_ceil(self.rate)
    }

    /// Returns true if each lane executes the instruction independently of other lanes.
    #[must_use]
    pub const fn is_per_lane(&self) -> bool {
        self.operands[2].lanes.is_empty()
    }

    /// Returns the coordinates of the element that register `register` of lane `lane` holds: `[m, k]` for A,
    /// `[k, n]` for B, `[m, n]` for D.
    ///
    /// For packed types, the element is the first element in its byte.
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

    /// Returns the instruction for the transposed product `D^T = B^T A^T`, in which A and B are exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let [a, b, d] = self.operands.clone().map(|mut operand| {
            let lists = [
                &mut operand.lanes,
                &mut operand.packed,
                &mut operand.registers,
            ];
            for bit in lists.into_iter().flatten() {
                *bit = bit.transposed();
            }
            operand
        });
        let exchanged = |argument: &Argument| match argument {
            Argument::Operand(0) => Argument::Operand(1),
            Argument::Operand(1) => Argument::Operand(0),
            Argument::Scales(factor) => Argument::Scales(1 - factor),
            Argument::Selector { factor, bits } => Argument::Selector {
                factor: 1 - factor,
                bits: *bits,
            },
            other => *other,
        };
        Self {
            name: format!("{} transposed", self.name),
            operands: [b, a, d],
            factors: [self.factors[1], self.factors[0]],
            arguments: self.arguments.iter().map(exchanged).collect(),
            calls: self.calls.map(|calls| Calls {
                operand: 1 - calls.operand,
                ..calls
            }),
            scales: self.scales.clone().map(|scales| {
                let [a, b] = scales.operands.map(ScaleOperand::transposed);
                BlockScales {
                    operands: [b, a],
                    ..scales
                }
            }),
            ..self.clone()
        }
    }

    /// Returns the instruction in which each lane multiplies and adds without an intrinsic. Every target supports
    /// it.
    pub(crate) fn per_lane(factors: [Number; 2], sum: Number) -> Self {
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
            calls: None,
            scales: None,
            // Processors with full-rate f64 have a quarter of the f32 rate, or half.
            rate: if sum.bits() == 64 { 32 } else { 128 },
        }
    }
}

/// A family of Triton encodings for the results of matrix instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProductFamily {
    /// `#ttg.nvidia_mma` of version 2, for `mma.sync`.
    NvidiaMma,
    /// `#ttg.amd_mfma` of this version.
    AmdMfma(u32),
    /// `#ttg.amd_wmma` of this version.
    AmdWmma(u32),
}

impl Target {
    /// Returns the family of Triton encodings that describe the results of [`Self::matrix_instructions`].
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

    /// Returns the matrix instructions that take their operands from registers, fastest first.
    #[must_use]
    pub fn matrix_instructions(&self) -> Vec<Product> {
        let name = self.short_name();
        let mut rows = match self.vendor {
            Vendor::Nvidia => nvidia::rows(name.parse().unwrap_or(0)),
            Vendor::Amd if self.lanes == 64 => amd::mfma(name),
            Vendor::Amd => amd::wmma(name),
        };
        rows.sort_by_key(|row| core::cmp::Reverse(row.rate));
        rows
    }

    /// Returns the matrix instructions with [`BlockScales`], fastest first.
    #[must_use]
    pub fn scaled_matrix_instructions(&self) -> Vec<Product> {
        let name = self.short_name();
        let mut rows = match self.vendor {
            Vendor::Nvidia => nvidia::scaled_rows(name.parse().unwrap_or(0)),
            Vendor::Amd => amd::scaled_rows(name),
        };
        rows.sort_by_key(|row| core::cmp::Reverse(row.rate));
        rows
    }

    /// Returns every instruction of [`matrix_instructions`](Self::matrix_instructions), followed by its transposed
    /// form.
    #[must_use]
    pub fn products(&self) -> Vec<Product> {
        with_transposed(self.matrix_instructions())
    }

    /// Returns every instruction of [`scaled_matrix_instructions`](Self::scaled_matrix_instructions), followed by its
    /// transposed form.
    #[must_use]
    pub fn scaled_products(&self) -> Vec<Product> {
        with_transposed(self.scaled_matrix_instructions())
    }

    fn short_name(&self) -> &'static str {
        self.name.rsplit(':').next().unwrap_or_default()
    }
}

fn with_transposed(rows: Vec<Product>) -> Vec<Product> {
    let both = rows.into_iter().flat_map(|row| {
        let transposed = row.transposed();
        [row, transposed]
    });
    both.collect()
}
