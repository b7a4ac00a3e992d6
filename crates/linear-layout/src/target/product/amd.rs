//! AMD's matrix instructions: MFMA, WMMA and dot products.
//!
//! A and B use the same order of k within an instruction, so this order does not affect the sum.
//!
//! # Source
//! The CDNA 3, CDNA 4, RDNA 3 and RDNA 4 ISA manuals; LLVM's `IntrinsicsAMDGPU.td` for names and operands.

use super::TileBit::{Copy as Held, K, M, N};
use super::{
    A_B_D, Argument, BlockScales, Calls, Number, Product, Scalar, ScaleBit, ScaleNumber,
    ScaleOperand, TileBit, TileOperand, bits, constant, scale_bits,
};
use crate::number::narrow;
use Number as T;
use Scalar as S;

/// A matrix instruction with a square result of `2^edge` rows and columns. Each lane holds `2^own` elements of A
/// that are adjacent along k, and as many elements of B.
struct Square {
    intrinsic: String,
    edge: u8,
    own: u8,
    factors: [Number; 2],
    scalar: Scalar,
    sum: (Number, Scalar),
    arguments: Vec<Argument>,
    rate: u32,
}

impl Square {
    /// Returns the tile of A (`of` is `M`) or of B (`of` is `N`). The lowest lane bits number the row of A or the
    /// column of B. The remaining lane bits are `k_lanes`.
    fn factor(&self, of: fn(u8) -> TileBit, k_lanes: &[TileBit]) -> TileOperand {
        TileOperand {
            lanes: [&bits(of, 0..self.edge), k_lanes].concat(),
            packed: Vec::new(),
            registers: bits(K, 0..self.own),
            vector: (self.factors[0].bits() << self.own) / self.scalar.bits(),
            scalar: self.scalar,
        }
    }

    fn product(self, operands: [TileOperand; 3]) -> Product {
        Product {
            name: self.intrinsic.clone(),
            operands,
            factors: self.factors,
            sum: self.sum.0,
            intrinsic: Some(format!("llvm.amdgcn.{}", self.intrinsic)),
            arguments: self.arguments,
            calls: None,
            scales: None,
            rate: self.rate,
        }
    }

    /// Builds an instruction in which the low lane bits number the rows of A, the columns of B and the columns of
    /// D.
    ///
    /// The other lane bits are `k_lanes` in A and B, and `d_lanes` in D. `d` contains the register bits of D.
    fn row(self, k_lanes: &[TileBit], d_lanes: Vec<TileBit>, d: Vec<TileBit>) -> Product {
        let d = TileOperand {
            vector: 1 << d.len(),
            lanes: [bits(N, 0..self.edge), d_lanes].concat(),
            packed: Vec::new(),
            registers: d,
            scalar: self.sum.1,
        };
        let operands = [self.factor(M, k_lanes), self.factor(N, k_lanes), d];
        self.product(operands)
    }

    /// Returns an MFMA instruction for a wave of 64 lanes.
    fn mfma(self) -> Product {
        let (edge, own) = (self.edge, self.own);
        let spare = 6 - edge;
        let k = bits(K, own..own + spare);
        if self.sum.0 == T::F64 {
            return self.row(&k, bits(M, 0..2), bits(M, 2..4));
        }
        let registers = [bits(M, 0..2), bits(M, 2 + spare..edge)].concat();
        self.row(&k, bits(M, 2..2 + spare), registers)
    }

    /// Returns an MFMA instruction that computes 16 blocks of 4 x 4 results in one call. 16 calls of the
    /// instruction compute one product with 4 x 64 results.
    ///
    /// In each call, all 16 blocks use the same block of A, which the call index selects (`cbsz` = 4, `abid` =
    /// index of the call). Therefore the high bits of k are lane bits in A, but register bits in B.
    fn mfma_of_blocks(mut self) -> Product {
        let own = self.own;
        self.edge = 2;
        self.arguments = [
            &A_B_D[..],
            &[
                constant(32, 4),
                Argument::CallIndex { bits: 32 },
                constant(32, 0),
            ],
        ]
        .concat();
        let a = self.factor(M, &bits(K, own..own + 4));
        let b = TileOperand {
            lanes: bits(N, 0..6),
            registers: bits(K, 0..own + 4),
            ..self.factor(N, &[])
        };
        let d = TileOperand {
            lanes: bits(N, 0..6),
            packed: Vec::new(),
            registers: bits(M, 0..2),
            vector: 4,
            scalar: self.sum.1,
        };
        let calls = Some(Calls {
            operand: 1,
            count_log2: 4,
        });
        Product {
            calls,
            ..self.product([a, b, d])
        }
    }

    /// Returns a WMMA instruction of gfx11 for a wave of 32 lanes. Lanes 16 to 31 repeat A and B of lanes 0 to 15.
    fn wmma_of_copies(self) -> Product {
        self.row(&[Held], vec![M(0)], bits(M, 1..4))
    }

    /// Returns a WMMA instruction of gfx12 and later.
    fn wmma(self) -> Product {
        let k = [K(self.own)];
        self.row(&k, vec![M(3)], bits(M, 0..3))
    }
}

/// For each 8-bit float: the name in intrinsics, the format on CDNA 3, and the format on all other GPUs.
const FLOATS8: [(&str, Number, Number); 2] =
    [("fp8", T::E4m3Fnuz, T::E4m3), ("bf8", T::E5m2Fnuz, T::E5m2)];

/// Returns all pairs of 8-bit float types, each with the suffix of its intrinsic, e.g. `fp8.bf8`. If `is_fnuz` is
/// true, the types are FNUZ types; otherwise they are OCP types.
fn pairs_of_floats8(is_fnuz: bool) -> impl Iterator<Item = (String, [Number; 2])> {
    let number = move |(_, fnuz, ocp)| if is_fnuz { fnuz } else { ocp };
    FLOATS8
        .into_iter()
        .flat_map(move |a| FLOATS8.map(|b| (format!("{}.{}", a.0, b.0), [number(a), number(b)])))
}

pub(super) fn mfma(name: &str) -> Vec<Product> {
    let is_cdna4 = name == "gfx950";
    let f32 = (T::F32, S::F32);
    let i32 = (T::I32, S::Int(32));
    let square =
        |intrinsic: &str, [edge, own]: [u8; 2], factor: Number, scalar, sum, rate| Square {
            intrinsic: intrinsic.to_owned(),
            edge,
            own,
            factors: [factor; 2],
            scalar,
            sum,
            arguments: [A_B_D, [constant(32, 0); 3]].concat(),
            rate,
        };
    let mut rows = vec![
        square("mfma.f32.32x32x8f16", [5, 2], T::F16, S::F16, f32, 1024).mfma(),
        square("mfma.f32.16x16x16f16", [4, 2], T::F16, S::F16, f32, 1024).mfma(),
        square(
            "mfma.f32.32x32x8bf16.1k",
            [5, 2],
            T::Bf16,
            S::Int(16),
            f32,
            1024,
        )
        .mfma(),
        square(
            "mfma.f32.16x16x16bf16.1k",
            [4, 2],
            T::Bf16,
            S::Int(16),
            f32,
            1024,
        )
        .mfma(),
        square("mfma.f32.32x32x2f32", [5, 0], T::F32, S::F32, f32, 256).mfma(),
        square("mfma.f32.16x16x4f32", [4, 0], T::F32, S::F32, f32, 256).mfma(),
        square(
            "mfma.f64.16x16x4f64",
            [4, 0],
            T::F64,
            S::F64,
            (T::F64, S::F64),
            256,
        )
        .mfma(),
        square("mfma.f32.4x4x4f16", [2, 2], T::F16, S::F16, f32, 256).mfma_of_blocks(),
        square(
            "mfma.f32.4x4x4bf16.1k",
            [2, 2],
            T::Bf16,
            S::Int(16),
            f32,
            256,
        )
        .mfma_of_blocks(),
        square("mfma.f32.4x4x1f32", [2, 0], T::F32, S::F32, f32, 64).mfma_of_blocks(),
        square("mfma.i32.4x4x4i8", [2, 2], T::I8, S::Int(32), i32, 256).mfma_of_blocks(),
        per_lane("fdot2", T::F16, f32, true),
    ];
    rows.push(per_lane("sdot4", T::I8, i32, true));
    if name == "gfx90a" {
        rows.push(square("mfma.i32.32x32x8i8", [5, 2], T::I8, S::Int(32), i32, 1024).mfma());
        rows.push(square("mfma.i32.16x16x16i8", [4, 2], T::I8, S::Int(32), i32, 1024).mfma());
        return rows;
    }
    rows.push(square("mfma.i32.32x32x16.i8", [5, 3], T::I8, S::Int(64), i32, 2048).mfma());
    rows.push(square("mfma.i32.16x16x32.i8", [4, 3], T::I8, S::Int(64), i32, 2048).mfma());
    for (names, factors) in pairs_of_floats8(!is_cdna4) {
        for (shape, sizes) in [("32x32x16", [5, 3]), ("16x16x32", [4, 3])] {
            let intrinsic = format!("mfma.f32.{shape}.{names}");
            let square = square(&intrinsic, sizes, factors[0], S::Int(64), f32, 2048);
            rows.push(Square { factors, ..square }.mfma());
        }
    }
    if !is_cdna4 {
        rows.push(square("mfma.f32.32x32x4.xf32", [5, 1], T::Tf32, S::F32, f32, 512).mfma());
        rows.push(square("mfma.f32.16x16x8.xf32", [4, 1], T::Tf32, S::F32, f32, 512).mfma());
        return rows;
    }
    rows.extend([
        square("mfma.f32.32x32x16.f16", [5, 3], T::F16, S::F16, f32, 2048).mfma(),
        square("mfma.f32.16x16x32.f16", [4, 3], T::F16, S::F16, f32, 2048).mfma(),
        square(
            "mfma.f32.32x32x16.bf16",
            [5, 3],
            T::Bf16,
            S::Bf16,
            f32,
            2048,
        )
        .mfma(),
        square(
            "mfma.f32.16x16x32.bf16",
            [4, 3],
            T::Bf16,
            S::Bf16,
            f32,
            2048,
        )
        .mfma(),
        square("mfma.i32.32x32x32.i8", [5, 4], T::I8, S::Int(32), i32, 4096).mfma(),
        square("mfma.i32.16x16x64.i8", [4, 4], T::I8, S::Int(32), i32, 4096).mfma(),
        per_lane("fdot2.f32.bf16", T::Bf16, f32, true),
    ]);
    rows
}

/// Returns an instruction in which each lane computes the dot product of one register of A and one register of B.
fn per_lane(intrinsic: &str, factor: Number, sum: (Number, Scalar), clamps: bool) -> Product {
    let packed = narrow::<u8>((32 / factor.bits()).trailing_zeros());
    let (scalar, vector) = match factor {
        T::F16 => (S::F16, 2),
        T::Bf16 => (S::Bf16, 2),
        _ => (S::Int(32), 1),
    };
    let operand = || TileOperand {
        lanes: Vec::new(),
        packed: Vec::new(),
        registers: bits(K, 0..packed),
        vector,
        scalar,
    };
    let d = TileOperand {
        vector: 1,
        scalar: sum.1,
        ..TileOperand::default()
    };
    let clamp = clamps.then_some(constant(1, 0));
    Product {
        name: intrinsic.to_owned(),
        operands: [operand(), operand(), d],
        factors: [factor; 2],
        sum: sum.0,
        intrinsic: Some(format!("llvm.amdgcn.{intrinsic}")),
        arguments: A_B_D.into_iter().chain(clamp).collect(),
        calls: None,
        scales: None,
        rate: 128 << packed,
    }
}

/// The leading arguments of an integer intrinsic: the sign flag of A, A, the sign flag of B, B, and D.
const SIGNED: [Argument; 5] = [
    constant(1, 1),
    Argument::Operand(0),
    constant(1, 1),
    Argument::Operand(1),
    Argument::Operand(2),
];

pub(super) fn wmma(name: &str) -> Vec<Product> {
    let (f16, f32, i32) = ((T::F16, S::F16), (T::F32, S::F32), (T::I32, S::Int(32)));
    let square =
        |intrinsic: &str, own, factor: Number, scalar, sum, arguments: &[Argument], rate| Square {
            intrinsic: intrinsic.to_owned(),
            edge: 4,
            own,
            factors: [factor; 2],
            scalar,
            sum,
            arguments: arguments.to_vec(),
            rate,
        };
    let signed = [&SIGNED[..], &[constant(1, 0)]].concat();
    if name.starts_with("gfx11") {
        let rows = [
            square("wmma.f32.16x16x16.f16", 4, T::F16, S::F16, f32, &A_B_D, 512),
            square(
                "wmma.f32.16x16x16.bf16",
                4,
                T::Bf16,
                S::Int(16),
                f32,
                &A_B_D,
                512,
            ),
            square(
                "wmma.i32.16x16x16.iu8",
                4,
                T::I8,
                S::Int(32),
                i32,
                &signed,
                512,
            ),
        ];
        let mut rows: Vec<Product> = rows.into_iter().map(Square::wmma_of_copies).collect();
        rows.push(per_lane("fdot2", T::F16, f32, true));
        rows.push(per_lane("fdot2.f32.bf16", T::Bf16, f32, true));
        return rows;
    }
    if name.starts_with("gfx125") {
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
        let signed = [&SIGNED[..], &[constant(1, 0); 3]].concat();
        let mut rows = vec![
            square(
                "wmma.f32.16x16x32.f16",
                4,
                T::F16,
                S::F16,
                f32,
                &modes,
                1024,
            ),
            square(
                "wmma.f32.16x16x32.bf16",
                4,
                T::Bf16,
                S::Bf16,
                f32,
                &modes,
                1024,
            ),
            square(
                "wmma.f16.16x16x32.f16",
                4,
                T::F16,
                S::F16,
                f16,
                &modes,
                1024,
            ),
            square("wmma.f32.16x16x4.f32", 1, T::F32, S::F32, f32, &modes, 128),
            square(
                "wmma.i32.16x16x64.iu8",
                5,
                T::I8,
                S::Int(32),
                i32,
                &signed,
                2048,
            ),
        ];
        for (names, factors) in pairs_of_floats8(false) {
            for (size, own) in [(128, 6), (64, 5)] {
                let intrinsic = format!("wmma.f32.16x16x{size}.{names}");
                let square = square(&intrinsic, own, factors[0], S::Int(32), f32, &float8, 2048);
                rows.push(Square { factors, ..square });
            }
        }
        return rows.into_iter().map(Square::wmma).collect();
    }
    // The sum is in whole registers, so no half is selected.
    let packed = [&A_B_D[..], &[constant(1, 0)]].concat();
    let mut rows = vec![
        square("wmma.f32.16x16x16.f16", 3, T::F16, S::F16, f32, &A_B_D, 512),
        square(
            "wmma.f16.16x16x16.f16",
            3,
            T::F16,
            S::F16,
            f16,
            &packed,
            512,
        ),
        square(
            "wmma.f32.16x16x16.bf16",
            3,
            T::Bf16,
            S::Int(16),
            f32,
            &A_B_D,
            512,
        ),
        square(
            "wmma.i32.16x16x16.iu8",
            3,
            T::I8,
            S::Int(32),
            i32,
            &signed,
            1024,
        ),
    ];
    for (names, factors) in pairs_of_floats8(false) {
        let intrinsic = format!("wmma.f32.16x16x16.{names}");
        let square = square(&intrinsic, 3, factors[0], S::Int(32), f32, &A_B_D, 1024);
        rows.push(Square { factors, ..square });
    }
    let mut rows: Vec<Product> = rows.into_iter().map(Square::wmma).collect();
    rows.push(per_lane("fdot2", T::F16, f32, true));
    rows.push(per_lane("fdot2.f32.bf16", T::Bf16, f32, true));
    rows
}

/// The element types of A and B for which `f8f6f4` instructions are listed, each with the number that encodes the
/// type in the instruction.
const F8F6F4: [(Number, u64); 3] = [(T::E4m3, 0), (T::E5m2, 1), (T::E2m1, 4)];

/// The tile of A or B in an `f8f6f4` instruction. It has `2^edge` rows or columns. Along k, it has `2^k` elements,
/// which are distributed over `2^groups` groups of lanes.
///
/// Along k, the tile is a sequence of runs of 16 bytes. The groups take one run each, in order, until the sequence
/// ends.
#[derive(Clone, Copy)]
struct MixedTile {
    edge: u8,
    groups: u8,
    k: u8,
}

impl MixedTile {
    fn factor(self, of: fn(u8) -> TileBit, number: Number) -> TileOperand {
        let packed = narrow::<u8>(number.packed_log2());
        let run = 4 + packed;
        let elements = [bits(K, 0..run), bits(K, run + self.groups..self.k)].concat();
        let (within, registers) = elements.split_at(packed.into());
        TileOperand {
            lanes: [bits(of, 0..self.edge), bits(K, run..run + self.groups)].concat(),
            packed: within.to_vec(),
            registers: registers.to_vec(),
            vector: (number.bits() << elements.len()) / 32,
            scalar: S::Int(32),
        }
    }

    fn scales(self, of: fn(u8) -> TileBit, [lanes, bytes]: [&[ScaleBit]; 2]) -> ScaleOperand {
        let edge = scale_bits(&bits(of, 0..self.edge));
        ScaleOperand {
            lanes: [&edge, lanes].concat(),
            bytes: bytes.to_vec(),
        }
    }
}

pub(super) fn scaled_rows(name: &str) -> Vec<Product> {
    let pairs = || F8F6F4.into_iter().flat_map(|a| F8F6F4.map(|b| [a, b]));
    // The rate doubles if both factors have 4 bits.
    let rate = |eights: u32, factors: [Number; 2]| {
        eights << u32::from(factors.iter().all(|factor| factor.bits() == 4))
    };
    let row =
        |tile: MixedTile, intrinsic: &str, d: [Vec<TileBit>; 2], scales, arguments, factors| {
            let [a, b]: [Number; 2] = factors;
            let [lanes, registers] = d;
            let d = TileOperand {
                vector: 1 << registers.len(),
                lanes,
                packed: Vec::new(),
                registers,
                scalar: S::F32,
            };
            Product {
                name: format!("{intrinsic}.{}.{}", a.name(), b.name()),
                operands: [tile.factor(M, a), tile.factor(N, b), d],
                factors,
                sum: T::F32,
                intrinsic: Some(format!("llvm.amdgcn.{intrinsic}.f8f6f4")),
                arguments,
                calls: None,
                scales: Some(BlockScales {
                    operands: scales,
                    block_log2: 5,
                    number: ScaleNumber::E8m0,
                    absent: 0,
                }),
                rate: 0,
            }
        };
    let selector = |factor| Argument::Selector { factor, bits: 32 };
    let mut rows = Vec::new();
    if name == "gfx950" {
        for (shape, edge) in [("32x32x64", 5), ("16x16x128", 4)] {
            let spare = 6 - edge;
            let tile = MixedTile {
                edge,
                groups: spare,
                k: 11 - edge,
            };
            // A lane may hold the scale of another lane's block.
            let blocks = scale_bits(&bits(K, 5..5 + spare));
            let bytes = [ScaleBit::Selected(0), ScaleBit::Selected(1)];
            for [a, b] in pairs() {
                let d = [
                    [bits(N, 0..edge), bits(M, 2..2 + spare)].concat(),
                    [bits(M, 0..2), bits(M, 2 + spare..edge)].concat(),
                ];
                let scales = [M, N].map(|of| tile.scales(of, [&blocks, &bytes]));
                let arguments = [
                    &A_B_D[..],
                    &[constant(32, a.1), constant(32, b.1)],
                    &[selector(0), Argument::Scales(0)],
                    &[selector(1), Argument::Scales(1)],
                ];
                let intrinsic = format!("mfma.scale.f32.{shape}");
                let factors = [a.0, b.0];
                rows.push(Product {
                    rate: rate(4096, factors),
                    ..row(tile, &intrinsic, d, scales, arguments.concat(), factors)
                });
            }
        }
    }
    if name.starts_with("gfx125") {
        let tile = MixedTile {
            edge: 4,
            groups: 1,
            k: 7,
        };
        let bytes = scale_bits(&bits(K, 5..7));
        for [a, b] in pairs() {
            let d = [[bits(N, 0..4), bits(M, 3..4)].concat(), bits(M, 0..3)];
            let scales = [M, N].map(|of| tile.scales(of, [&[ScaleBit::Selected(0)], &bytes]));
            let e8m0 = constant(32, 0);
            let arguments = [
                &[constant(32, a.1), Argument::Operand(0)][..],
                &[constant(32, b.1), Argument::Operand(1)],
                &[constant(16, 0), Argument::Operand(2)],
                &[selector(0), e8m0, Argument::Scales(0)],
                &[selector(1), e8m0, Argument::Scales(1)],
                &[constant(1, 0); 2],
            ];
            let factors = [a.0, b.0];
            let arguments = arguments.concat();
            let row = row(
                tile,
                "wmma.scale.f32.16x16x128",
                d,
                scales,
                arguments,
                factors,
            );
            rows.push(Product {
                scales: row.scales.map(|scales| BlockScales {
                    absent: 0x7f7f_7f7f,
                    ..scales
                }),
                rate: rate(2048, factors),
                ..row
            });
        }
    }
    rows
}
