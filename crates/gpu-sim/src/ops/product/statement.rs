//! Specifications of matrix instructions by intrinsic: shapes, formats and operands.
//!
//! # Source
//! LLVM 22, `IntrinsicsNVVM.td` and `IntrinsicsAMDGPU.td`, for names and operands. The manuals cited in
//! [`fragment`](super::fragment) for everything else.
//!
//! Not supported: 6-bit floats (the manuals do not specify their packing), integers of 4 bits and 1 bit, sparse
//! operands, `m8n8k4` of f16, and MFMA `4x4x4f64`.

use super::fragment::{FragmentLayout, Fragments};
use super::number::{Format, ScaleFormat};
use linear_layout::target::Target;
use std::sync::LazyLock;

/// An argument of a matrix intrinsic. The `usize` of a variant is the number of an operand: 0 is A, 1 is B, and 2
/// is C and D.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    /// The registers of the operand. C has the format of D.
    Matrix(usize),
    /// A constant that must be 0.
    Zero,
    Hint,
    /// A flag that is true if the integers of the operand are signed.
    IsSigned(usize),
    Saturates,
    /// A flag that is true if C and D use the upper halves of their registers.
    Upper,
    /// `cbsz`: log2 of the number of blocks that share one block of A.
    BroadcastLog2,
    /// `abid`: the index of the shared block of A.
    BroadcastBlock,
    /// The number of the operand's format: 0 is E4M3, 1 is E5M2, 4 is E2M1.
    FormatOf(usize),
    Scales(usize),
    /// The scale selector of the operand. For WMMA, it is the half of the wave that holds the scales. For all other
    /// instructions, it is the index of the first byte of the operand's scales in the scale register.
    Selector(usize),
}

use Argument::{
    BroadcastBlock, BroadcastLog2, FormatOf, Hint, IsSigned, Matrix, Saturates, Scales, Selector,
    Upper, Zero,
};

const A: Argument = Matrix(0);
const B: Argument = Matrix(1);
const C: Argument = Matrix(2);

/// Block scaling of A and B: one scale per `size` elements along k.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScaleBlocks {
    pub(super) size: u32,
    pub(super) format: ScaleFormat,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct InstructionSpec {
    pub(super) intrinsic: String,
    /// Name prefixes of the GPUs that have the instruction, separated by spaces. A `+` after a prefix includes all
    /// later NVIDIA GPUs.
    pub(super) on: &'static str,
    pub(super) deal: FragmentLayout,
    pub(super) sizes: [u32; 3],
    /// The formats of A, B and D, unless [`Argument::FormatOf`] overrides them.
    pub(super) formats: [Format; 3],
    pub(super) arguments: &'static [Argument],
    pub(super) scales: Option<ScaleBlocks>,
    pub(super) saturates: bool,
}

impl InstructionSpec {
    pub(super) fn fragments(&self, formats: [Format; 3]) -> Fragments {
        Fragments {
            deal: self.deal,
            sizes: self.sizes,
            bits: formats.map(Format::bits),
        }
    }

    /// Returns the distance between consecutive elements of the operand in its registers, in units of the element
    /// width. For 16-bit elements of C and D on gfx11, the distance is 2, because each of these elements occupies
    /// one half of a 32-bit register. In all other cases, the distance is 1.
    pub(super) fn stride(&self, operand: usize) -> u32 {
        let is_spread = self.deal == FragmentLayout::WmmaCopies && self.formats[2].bits() == 16;
        if operand == 2 && is_spread { 2 } else { 1 }
    }

    /// Returns the valid values of the scale selector. For WMMA, the selector is the half of the wave that holds
    /// the scales. For all other instructions, it is the first byte of a row's scales in the register.
    pub(super) fn selectors(&self) -> &'static [u64] {
        let scales = self.scales.map_or(1, |blocks| self.sizes[2] / blocks.size);
        match (self.deal, scales) {
            (FragmentLayout::Mma, 2) => &[0, 2],
            (FragmentLayout::Mma, 4) => &[0],
            (FragmentLayout::Wmma, _) => &[0, 1],
            _ => &[0, 1, 2, 3],
        }
    }

    pub(super) fn is_on(&self, target: &Target) -> bool {
        self.on.split(' ').any(|word| match word.strip_suffix('+') {
            None => target.name.starts_with(word),
            Some(first) => {
                let number = |name: &str| name.strip_prefix("cuda:")?.parse::<u32>().ok();
                number(target.name) >= number(first) && number(target.name).is_some()
            }
        })
    }
}

static ALL: LazyLock<Vec<InstructionSpec>> = LazyLock::new(|| {
    let mut list = SpecList(Vec::new());
    list.nvidia();
    list.mfma();
    list.wmma_of_gfx11_and_gfx12();
    list.wmma_of_gfx1250();
    list.dots();
    list.0
});

pub(super) fn all() -> &'static [InstructionSpec] {
    &ALL
}

pub(super) fn of_intrinsic(name: &str) -> impl Iterator<Item = &'static InstructionSpec> {
    ALL.iter()
        .filter(move |statement| statement.intrinsic == name)
}

struct SpecList(Vec<InstructionSpec>);

/// Returns the numbers in a text such as `16x8x32` or `m16n8k32`.
fn numbers(text: &str) -> impl Iterator<Item = u32> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
}

const EIGHTS: [(&str, Format); 2] = [("fp8", Format::E4m3), ("bf8", Format::E5m2)];

/// Returns all pairs of formats for A and B, as (names, formats).
fn pairs<'a>(formats: &[(&'a str, Format)]) -> Vec<([&'a str; 2], [Format; 2])> {
    let pair = |a: &(&'a str, Format), b: &(&'a str, Format)| ([a.0, b.0], [a.1, b.1]);
    let firsts = formats.iter();
    firsts
        .flat_map(|a| formats.iter().map(move |b| pair(a, b)))
        .collect()
}

impl SpecList {
    /// Adds one specification for each shape of an intrinsic. `shapes` is a list that is separated by spaces. Each
    /// shape replaces the `*` in `name`. A shape may be followed by `/` and a number of blocks, which is not part
    /// of the name.
    fn add(
        &mut self,
        on: &'static str,
        name: &str,
        shapes: &str,
        deal: FragmentLayout,
        formats: [Format; 3],
        arguments: &'static [Argument],
    ) -> &mut Self {
        for shape in shapes.split(' ') {
            let (shape, blocks) = shape.split_once('/').unwrap_or((shape, "1"));
            let mut sizes = numbers(shape);
            let blocks = numbers(blocks).next().unwrap_or(1);
            self.0.push(InstructionSpec {
                intrinsic: format!("llvm.{}", name.replacen('*', shape, 1)),
                on,
                deal: match deal {
                    FragmentLayout::Mfma { .. } => FragmentLayout::Mfma { blocks },
                    other => other,
                },
                sizes: [(); 3].map(|()| sizes.next().unwrap_or(1)),
                formats,
                arguments,
                scales: None,
                saturates: name.contains("satfinite"),
            });
        }
        self
    }

    fn scaled(&mut self, size: u32, format: ScaleFormat) {
        if let Some(last) = self.0.last_mut() {
            last.scales = Some(ScaleBlocks { size, format });
        }
    }

    fn nvidia(&mut self) {
        use Format as F;
        const PLAIN: &[Argument] = &[A, B, C];
        let mut add = |on, name: &str, shapes, formats| {
            let name = format!("nvvm.mma.*.row.col.{name}");
            self.add(on, &name, shapes, FragmentLayout::Mma, formats, PLAIN);
        };
        let floats = [("e4m3", F::E4m3), ("e5m2", F::E5m2)];
        let padded = [floats[0], floats[1], ("e2m1", F::PaddedE2m1)];
        for (sum, format) in [("f16", F::F16), ("f32", F::F32)] {
            let halves = [F::F16, F::F16, format];
            add("cuda:75+", &format!("{sum}.{sum}"), "m16n8k8", halves);
            add("cuda:80+", &format!("{sum}.{sum}"), "m16n8k16", halves);
            for ([a, b], [x, y]) in pairs(&floats) {
                let name = format!("{sum}.{a}.{b}.{sum}");
                add("cuda:89+", &name, "m16n8k16 m16n8k32", [x, y, format]);
            }
            for ([a, b], [x, y]) in pairs(&padded) {
                let name = format!("kind.f8f6f4.{sum}.{a}.{b}.{sum}");
                add("cuda:12", &name, "m16n8k32", [x, y, format]);
            }
        }
        let brain = [F::BF16, F::BF16, F::F32];
        add("cuda:80+", "bf16", "m16n8k8 m16n8k16", brain);
        let tf32 = [F::Tf32, F::Tf32, F::F32];
        add("cuda:80+", "tf32", "m16n8k4 m16n8k8", tf32);
        add("cuda:80+", "f64", "m8n8k4", [F::F64; 3]);
        add("cuda:90+", "f64", "m16n8k4 m16n8k8 m16n8k16", [F::F64; 3]);
        for ([a, b], [x, y]) in pairs(&[("s8", F::I8), ("u8", F::U8)]) {
            let types = if a == b {
                a.to_owned()
            } else {
                format!("{a}.{b}")
            };
            for limit in ["", "satfinite."] {
                let name = format!("{limit}{types}");
                add("cuda:75+", &name, "m8n8k16", [x, y, F::I32]);
                add("cuda:80+", &name, "m16n8k16 m16n8k32", [x, y, F::I32]);
            }
        }
        // The index of the thread of a quad that holds the scales is 0.
        const SCALED: &[Argument] = &[
            A,
            B,
            C,
            Scales(0),
            Selector(0),
            Zero,
            Scales(1),
            Selector(1),
            Zero,
        ];
        let mut add = |kind: &str, types: [&str; 2], shape, factors: [F; 2], blocks| {
            let (size, format, scale) = blocks;
            let [a, b] = types;
            let name = format!("nvvm.mma.block.scale.*.row.col.{kind}.f32.{a}.{b}.f32.{scale}");
            let formats = [factors[0], factors[1], F::F32];
            self.add(
                "cuda:12",
                &name,
                shape,
                FragmentLayout::Mma,
                formats,
                SCALED,
            );
            self.scaled(size, format);
        };
        let powers = (32, ScaleFormat::E8m0, "ue8m0");
        for (types, factors) in pairs(&padded) {
            for kind in ["mxf8f6f4", "mxf8f6f4.scale.1x"] {
                add(kind, types, "m16n8k32", factors, powers);
            }
        }
        let fours = [F::E2m1; 2];
        for kind in ["mxf4", "mxf4.scale.2x", "mxf4nvf4.scale.2x"] {
            add(kind, ["e2m1"; 2], "m16n8k64", fours, powers);
        }
        let numbers = (16, ScaleFormat::E4m3, "ue4m3");
        add("mxf4nvf4.scale.4x", ["e2m1"; 2], "m16n8k64", fours, numbers);
    }

    fn mfma(&mut self) {
        use Format as F;
        const MODIFIED: &[Argument] = &[A, B, C, BroadcastLog2, BroadcastBlock, Zero];
        const ALL: &str = "hip:gfx90a hip:gfx942 hip:gfx950";
        const FIRST: &str = "hip:gfx90a";
        const LATER: &str = "hip:gfx942 hip:gfx950";
        const LAST: &str = "hip:gfx950";
        let mut add = |on, name: &str, shapes, factors: [F; 2]| {
            let (sum, deal) = match factors[0] {
                F::I8 => (F::I32, FragmentLayout::Mfma { blocks: 1 }),
                F::F64 => (F::F64, FragmentLayout::MfmaDouble),
                _ => (F::F32, FragmentLayout::Mfma { blocks: 1 }),
            };
            let formats = [factors[0], factors[1], sum];
            let name = format!("amdgcn.mfma.{name}");
            self.add(on, &name, shapes, deal, formats, MODIFIED);
        };
        let singles = "32x32x2 16x16x4 32x32x1/2 16x16x1/4 4x4x1/16";
        add(ALL, "f32.*f32", singles, [F::F32; 2]);
        let halves = "32x32x8 16x16x16 32x32x4/2 16x16x4/4 4x4x4/16";
        add(ALL, "f32.*f16", halves, [F::F16; 2]);
        add(ALL, "f32.*bf16.1k", halves, [F::BF16; 2]);
        add(ALL, "i32.*i8", "32x32x4/2 16x16x4/4 4x4x4/16", [F::I8; 2]);
        add(ALL, "f64.*f64", "16x16x4", [F::F64; 2]);
        add(FIRST, "i32.*i8", "32x32x8 16x16x16", [F::I8; 2]);
        add(LATER, "i32.*.i8", "32x32x16 16x16x32", [F::I8; 2]);
        add("hip:gfx942", "f32.*.xf32", "32x32x4 16x16x8", [F::Tf32; 2]);
        for ([a, b], factors) in pairs(&EIGHTS) {
            add(
                LATER,
                &format!("f32.*.{a}.{b}"),
                "32x32x16 16x16x32",
                factors,
            );
        }
        add(LAST, "f32.*.f16", "32x32x16 16x16x32", [F::F16; 2]);
        add(LAST, "f32.*.bf16", "32x32x16 16x16x32", [F::BF16; 2]);
        add(LAST, "i32.*.i8", "32x32x32 16x16x64", [F::I8; 2]);
        const SCALED: &[Argument] = &[
            A,
            B,
            C,
            FormatOf(0),
            FormatOf(1),
            Selector(0),
            Scales(0),
            Selector(1),
            Scales(1),
        ];
        for shape in ["32x32x64", "16x16x128"] {
            let (name, deal) = (
                "amdgcn.mfma.scale.f32.*.f8f6f4",
                FragmentLayout::Mfma { blocks: 1 },
            );
            self.add(LAST, name, shape, deal, [F::E4m3, F::E4m3, F::F32], SCALED);
            self.scaled(32, ScaleFormat::E8m0);
        }
    }

    fn wmma_of_gfx11_and_gfx12(&mut self) {
        use Format as F;
        const INTEGERS: &[Argument] = &[IsSigned(0), A, IsSigned(1), B, C, Saturates];
        let gpus: [(&str, FragmentLayout, &[Argument]); 2] = [
            ("hip:gfx11", FragmentLayout::WmmaCopies, &[A, B, C, Upper]),
            ("hip:gfx120", FragmentLayout::Wmma, &[A, B, C, Zero]),
        ];
        for (on, deal, halves) in gpus {
            let mut add = |name: &str, [a, b, d]: [F; 3], arguments| {
                let name = format!("amdgcn.wmma.{name}");
                self.add(on, &name, "16x16x16", deal, [a, b, d], arguments);
            };
            add("f32.*.f16", [F::F16, F::F16, F::F32], &[A, B, C]);
            add("f32.*.bf16", [F::BF16, F::BF16, F::F32], &[A, B, C]);
            add("f16.*.f16", [F::F16; 3], halves);
            add("bf16.*.bf16", [F::BF16; 3], halves);
            add("i32.*.iu8", [F::I8, F::I8, F::I32], INTEGERS);
            if deal == FragmentLayout::Wmma {
                for ([a, b], [x, y]) in pairs(&EIGHTS) {
                    add(&format!("f32.*.{a}.{b}"), [x, y, F::F32], &[A, B, C]);
                }
            }
        }
    }

    fn wmma_of_gfx1250(&mut self) {
        use Format as F;
        const SIXTEENS: &[Argument] = &[Zero, A, Zero, B, Zero, C, Hint, Hint];
        const FLOATS: &[Argument] = &[A, B, Zero, C, Hint, Hint];
        const INTEGERS: &[Argument] = &[IsSigned(0), A, IsSigned(1), B, C, Hint, Hint, Saturates];
        let mut add = |name: &str, shapes, formats, arguments| {
            let name = format!("amdgcn.wmma.{name}");
            self.add(
                "hip:gfx125",
                &name,
                shapes,
                FragmentLayout::Wmma,
                formats,
                arguments,
            );
        };
        add("f32.*.f32", "16x16x4", [F::F32; 3], SIXTEENS);
        add("f16.*.f16", "16x16x32", [F::F16; 3], SIXTEENS);
        add("f32.*.f16", "16x16x32", [F::F16, F::F16, F::F32], SIXTEENS);
        add("bf16.*.bf16", "16x16x32", [F::BF16; 3], SIXTEENS);
        add(
            "f32.*.bf16",
            "16x16x32",
            [F::BF16, F::BF16, F::F32],
            SIXTEENS,
        );
        add("i32.*.iu8", "16x16x64", [F::I8, F::I8, F::I32], INTEGERS);
        for ([a, b], [x, y]) in pairs(&EIGHTS) {
            for (sum, format) in [("f16", F::F16), ("f32", F::F32)] {
                let name = format!("{sum}.*.{a}.{b}");
                add(&name, "16x16x64 16x16x128", [x, y, format], FLOATS);
            }
        }
        let mixed = [F::E4m3, F::E4m3, F::F32];
        const MIXED: &[Argument] = &[FormatOf(0), A, FormatOf(1), B, Zero, C];
        add("f32.*.f8f6f4", "16x16x128", mixed, MIXED);
        // The modifiers after the selectors are the scale formats; 0 is E8M0.
        const SCALED: &[Argument] = &[
            FormatOf(0),
            A,
            FormatOf(1),
            B,
            Zero,
            C,
            Selector(0),
            Zero,
            Scales(0),
            Selector(1),
            Zero,
            Scales(1),
            Hint,
            Hint,
        ];
        add("scale.f32.*.f8f6f4", "16x16x128", mixed, SCALED);
        self.scaled(32, ScaleFormat::E8m0);
    }

    fn dots(&mut self) {
        use Format as F;
        let mut add = |on, name: &str, formats, arguments| {
            let name = format!("amdgcn.{name}");
            self.add(on, &name, "1x1x2", FragmentLayout::Lane, formats, arguments);
        };
        const EXACT: &[Argument] = &[A, B, C, Zero];
        let (half, brain) = ([F::F16, F::F16, F::F32], [F::BF16, F::BF16, F::F32]);
        add("hip:gfx9 hip:gfx11 hip:gfx120", "fdot2", half, EXACT);
        add(
            "hip:gfx950 hip:gfx11 hip:gfx120",
            "fdot2.f32.bf16",
            brain,
            EXACT,
        );
        self.add(
            "hip:gfx9 hip:gfx1",
            "amdgcn.sdot4",
            "1x1x4",
            FragmentLayout::Lane,
            [F::I8, F::I8, F::I32],
            &[A, B, C, Saturates],
        );
    }
}
