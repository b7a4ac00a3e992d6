//! NVIDIA's matrix instructions: `mma.sync`.
//!
//! # Source
//! PTX ISA 8.8, section 9.7.14 (fragments), LLVM's `IntrinsicsNVVM.td` (names and operands).

use super::TileBit::{K, M, N};
use super::{
    A_B_D, Argument, BlockScales, Number, Product, Scalar, ScaleBit, ScaleNumber, ScaleOperand,
    TileBit, TileOperand, bits, constant, scale_bits,
};
use crate::number::narrow;

#[derive(Clone, Copy)]
struct Types {
    factors: [Number; 2],
    sum: Number,
    /// The type of the vector elements in the arguments A and B of the intrinsic.
    scalar: Scalar,
    vector: u32,
}

impl Types {
    const fn of(factor: Number, sum: Number) -> Self {
        let (scalar, vector) = match factor {
            Number::F16 => (Scalar::F16, 2),
            Number::F64 => (Scalar::F64, 1),
            _ => (Scalar::Int(32), 1),
        };
        Self {
            factors: [factor; 2],
            sum,
            scalar,
            vector,
        }
    }

    fn row(
        self,
        name: String,
        intrinsic: &str,
        operands: [[Vec<TileBit>; 2]; 3],
        rate: u32,
    ) -> Product {
        let [a, b, [d_lanes, d_registers]] = operands;
        let factor = |[lanes, registers]: [Vec<TileBit>; 2]| TileOperand {
            lanes,
            packed: Vec::new(),
            registers,
            vector: self.vector,
            scalar: self.scalar,
        };
        let d = TileOperand {
            lanes: d_lanes,
            packed: Vec::new(),
            registers: d_registers,
            vector: if self.sum.bits() == 16 { 2 } else { 1 },
            scalar: match self.sum {
                Number::F16 => Scalar::F16,
                Number::I32 => Scalar::Int(32),
                Number::F64 => Scalar::F64,
                _ => Scalar::F32,
            },
        };
        Product {
            name,
            operands: [factor(a), factor(b), d],
            factors: self.factors,
            sum: self.sum,
            intrinsic: Some(format!("llvm.nvvm.mma.{intrinsic}")),
            arguments: A_B_D.to_vec(),
            calls: None,
            scales: None,
            rate,
        }
    }
}

/// Returns the lane bits and the register bits of A, B and D for a tile with `2^m` x 8 results. Along k, each lane
/// has `2^more` registers of A and `2^more` registers of B. Each of these registers holds `2^packed` elements.
fn fragments(m: u8, packed: u8, more: u8) -> [[Vec<TileBit>; 2]; 3] {
    let lanes = |of: fn(u8) -> TileBit| [bits(K, packed..packed + 2), bits(of, 0..3)].concat();
    let rows = bits(M, 3..m);
    let low = bits(K, 0..packed);
    let high = bits(K, packed + 2..packed + 2 + more);
    [
        [lanes(M), [&low[..], &rows, &high].concat()],
        [lanes(N), [&low[..], &high].concat()],
        [
            [bits(N, 1..3), bits(M, 0..3)].concat(),
            [&[N(0)], &rows[..]].concat(),
        ],
    ]
}

/// Returns the matrix instructions of compute capability `arch`, e.g. 90 for compute capability 9.0.
pub(super) fn rows(arch: u32) -> Vec<Product> {
    use Number as T;
    let mut rows = Vec::new();
    // The shape, the types as spelled in the intrinsic, and the types.
    let mut add = |[m, k]: [u8; 2], name: &str, types: Types, rate| {
        let [left, right] = types.factors;
        let packed = narrow::<u8>((32 / left.bits().min(32)).trailing_zeros());
        let (rows_m, size_k) = (1 << m, 1 << k);
        let factors = match left == right {
            true => left.name().to_owned(),
            false => format!("{}.{}", left.name(), right.name()),
        };
        let full = format!("mma.m{rows_m}n8k{size_k}.{}.{factors}", types.sum.name());
        let intrinsic = format!("m{rows_m}n8k{size_k}.row.col.{name}");
        let more = k - packed - 2;
        rows.push(types.row(full, &intrinsic, fragments(m, packed, more), rate));
    };
    if arch >= 80 {
        for sum in [T::F32, T::F16] {
            let name = format!("{0}.{0}", sum.name());
            add([4, 4], &name, Types::of(T::F16, sum), 1024);
        }
        add([4, 4], "bf16", Types::of(T::Bf16, T::F32), 1024);
        add([4, 3], "bf16", Types::of(T::Bf16, T::F32), 512);
        add([4, 3], "tf32", Types::of(T::Tf32, T::F32), 512);
        add([4, 2], "tf32", Types::of(T::Tf32, T::F32), 256);
        add([4, 5], "satfinite.s8", Types::of(T::I8, T::I32), 2048);
        add([4, 4], "satfinite.s8", Types::of(T::I8, T::I32), 1024);
        add([3, 2], "f64", Types::of(T::F64, T::F64), 64);
    }
    if arch >= 75 {
        for sum in [T::F32, T::F16] {
            let name = format!("{0}.{0}", sum.name());
            add([4, 3], &name, Types::of(T::F16, sum), 512);
        }
        add([3, 4], "satfinite.s8", Types::of(T::I8, T::I32), 512);
    }
    if arch >= 90 {
        for k in 2..5 {
            add([4, k], "f64", Types::of(T::F64, T::F64), 64);
        }
    }
    if arch >= 89 {
        let formats = [T::E4m3, T::E5m2];
        for factors in formats.into_iter().flat_map(|a| formats.map(|b| [a, b])) {
            let types = Types {
                factors,
                ..Types::of(factors[0], T::F32)
            };
            let name = format!("f32.{}.{}.f32", factors[0].name(), factors[1].name());
            add([4, 5], &name, types, 2048);
            add([4, 4], &name, types, 1024);
        }
    }
    rows
}

/// Returns the instructions with scales. Only compute capability 12 has such instructions.
pub(super) fn scaled_rows(arch: u32) -> Vec<Product> {
    use Number as T;
    let mut rows = Vec::new();
    if arch / 10 != 12 {
        return rows;
    }
    // `k` and `block` are base-2 logarithms; `kind` contains the number of scales.
    let mut add = |k: u8, kind: &str, factors: [Number; 2], scale: ScaleNumber, block, rate| {
        let size_k = 1 << k;
        let [a, b] = factors.map(Number::name);
        let types = Types {
            factors,
            ..Types::of(factors[0], T::F32)
        };
        let packed = narrow::<u8>((32 / factors[0].bits()).trailing_zeros());
        let suffix = match scale {
            ScaleNumber::E8m0 => "ue8m0",
            ScaleNumber::E4m3 => "ue4m3",
        };
        let name = format!("mma.block_scale.m16n8k{size_k}.f32.{a}.{b}.{suffix}");
        let intrinsic =
            format!("block.scale.m16n8k{size_k}.row.col.{kind}.f32.{a}.{b}.f32.{suffix}");
        let mut row = types.row(name, &intrinsic, fragments(4, packed, k - packed - 2), rate);
        for (operand, factor) in row.operands.iter_mut().zip(factors) {
            let within = factor.packed_log2() as usize;
            operand.packed = operand.registers.drain(..within).collect();
        }
        let blocks = bits(K, block..k);
        let selected = (narrow::<u8>(blocks.len())..2).map(ScaleBit::Selected);
        let bytes: Vec<ScaleBit> = scale_bits(&blocks).into_iter().chain(selected).collect();
        // In a quad, the first two lanes hold the scales of rows 8 apart, and the first lane holds the scale of a
        // column.
        let rows_of_a = [scale_bits(&[M(3)]), vec![ScaleBit::Clear]].concat();
        let operand = |quad: &[ScaleBit], of: fn(u8) -> TileBit| ScaleOperand {
            lanes: [quad, &scale_bits(&bits(of, 0..3))].concat(),
            bytes: bytes.clone(),
        };
        let selector = |factor| Argument::Selector { factor, bits: 16 };
        let arguments = [
            &A_B_D[..],
            &[Argument::Scales(0), selector(0), constant(16, 0)],
            &[Argument::Scales(1), selector(1), constant(16, 0)],
        ];
        row.arguments = arguments.concat();
        row.scales = Some(BlockScales {
            operands: [operand(&rows_of_a, M), operand(&[ScaleBit::Clear; 2], N)],
            block_log2: block,
            number: scale,
            absent: u32::from_ne_bytes([scale.one(); 4]),
        });
        rows.push(row);
    };
    let (powers, numbers) = (ScaleNumber::E8m0, ScaleNumber::E4m3);
    let formats = [T::E4m3, T::E5m2];
    for factors in formats.into_iter().flat_map(|a| formats.map(|b| [a, b])) {
        add(5, "mxf8f6f4.scale.1x", factors, powers, 5, 2048);
    }
    add(6, "mxf4nvf4.scale.2x", [T::E2m1; 2], powers, 5, 4096);
    add(6, "mxf4nvf4.scale.4x", [T::E2m1; 2], numbers, 4, 4096);
    rows
}
