//! `mma.sync`.
//!
//! # Source
//! PTX ISA 8.8, section 9.7.14 (fragments), LLVM's `IntrinsicsNVVM.td` (names and operands).

use super::TileBit::{K, M, N};
use super::{A_B_D, Number, Product, Scalar, TileBit, TileOperand, bits};
use crate::number::narrow;

/// The types of the numbers of an instruction, and how registers of the factors are passed.
#[derive(Clone, Copy)]
struct Types {
    factors: [Number; 2],
    sum: Number,
    /// The type of a register of A or B, of which there are as many as `vector`.
    scalar: Scalar,
    vector: u32,
}

impl Types {
    /// Factors of one type in registers of 32 bits.
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
            registers,
            vector: self.vector,
            scalar: self.scalar,
        };
        let d = TileOperand {
            lanes: d_lanes,
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
            rate,
        }
    }
}

/// The fragments of a tile of `1 << m` x 8 results: `m` is 3 or 4, and a register holds `1 << packed` elements along k,
/// of which there are `1 << more` registers.
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

/// The rows of a GPU of so much compute capability, 90 for 9.0.
pub(super) fn rows(arch: u32) -> Vec<Product> {
    use Number as T;
    let mut rows = Vec::new();
    // The shape, the types as the intrinsic has them, and the types.
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
