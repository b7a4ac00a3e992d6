//! The table of supported PTX statements. A form has modifiers in a fixed order, types, operands, and a decoder.
//!
//! A kernel that an assembler would reject must not run, so each statement is validated against a row of [`FORMS`]. The
//! table has the statements that the lowering emits, and arithmetic for hand-written inline assembly. Other statements
//! are rejected by name. Source: PTX ISA 8.x, "Instruction Set"; `test/rust/ptx_forms.rs` compares the table with
//! `ptxas`.

mod asynchronous;

use super::access::access;
use super::arithmetic::{self, halves};
use super::atomic;
use super::text::{PtxOperand, ptx_type};
use super::{AsmScope, StatementParts};
use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::float::{FloatTy, TooLarge};

use crate::ops::bytes::{self, Permute};
use crate::ops::compare::{self, IntCompare, Select};
use crate::ops::convert::{SignExtend, Trunc, repack};
use crate::ops::copy::ProxyFence;
use crate::ops::float;
use crate::ops::float8::{Narrow, Widen};
use crate::ops::integer;
use crate::ops::matrix::TransposeMatrix;
use crate::ops::needs::{self, Needs};
use linear_layout::target::Float8;

type DecodeStatement = fn(&mut AsmScope<'_, '_>, &StatementParts<'_>) -> DecodeResult;

pub(super) struct Form {
    pub(super) name: &'static str,
    /// The modifiers, in the order in which they follow the opcode. Each string lists the alternatives for one
    /// modifier, separated by spaces. A leading `?` marks an optional modifier, and `*` matches a number.
    pub(super) modifiers: &'static [&'static str],
    /// The accepted types, separated by spaces; empty if the form has no type.
    pub(super) types: &'static str,
    /// The operands, one letter per operand. A type in this list is the type at the end of the opcode.
    /// - `d`: a register as wide as the type; `s`: a register as wide as the type, or a number
    /// - `D`: a result register, `S`: a source register or a number; the registers may be wider than their types
    /// - `h`: a 16-bit register; `w`: a 32-bit register, or a number; `W`: a 32-bit register; `q`: a 64-bit register
    /// - `n`: a number; `p`: a source predicate; `P`: a result predicate; `b`: a predicate or a number
    /// - `a`: an address; `t`: an address with coordinates
    /// - `V`: a destination vector; `v`: a source vector
    /// - `c`: a list of 16-bit registers
    /// - `m`: a list of 32-bit registers; `x`: a list of 32-bit registers, or a 64-bit register
    /// - `k`: the sink `_`
    pub(super) operands: &'static str,
    pub(super) decode: DecodeStatement,
    /// The required GPU feature; `None` if all GPUs support the form.
    pub(super) needs: Option<&'static Needs>,
}

const INTEGERS: &str = "u16 u32 u64 s16 s32 s64";
const BITS: &str = "b16 b32 b64";
const ANY: &str = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
const MEMORY: &str = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";
const SCOPE: &str = "cta cluster gpu sys";
const OPTIONAL_SCOPE: &str = "?cta cluster gpu sys";
const ORDER: &str = "?relaxed acquire release acq_rel";
const MEMORY_SPACE: &str = "?global shared shared::cta";
const EVICT: &str =
    "?L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate";
const PREFETCH: &str = "?L2::64B L2::128B L2::256B";
const VECTOR: &str = "?v2 v4";
const HALVES: &str = "f16 bf16";
const FLOAT8: &str = "e4m3x2 e5m2x2";
const PAIRS: &str = "f16x2 bf16x2";
const WHOLE: &str = "u8 u16 u32 u64 s8 s16 s32 s64";
const ROUNDINGS: &str = "rni rzi rmi rpi";

/// The supported forms of PTX statements. Forms with the same name are tried in the order of this table.
const FORMS: &[Form] = &[
    form("mov", &[], ANY, "ds", mov),
    form(
        "ld",
        &[MEMORY_SPACE, "?ca cg cs lu cv", PREFETCH, VECTOR],
        MEMORY,
        "Va",
        access,
    ),
    form(
        "ld",
        &[MEMORY_SPACE, EVICT, PREFETCH, VECTOR],
        MEMORY,
        "Va",
        access,
    ),
    form(
        "ld",
        &["volatile", MEMORY_SPACE, PREFETCH, VECTOR],
        MEMORY,
        "Va",
        access,
    ),
    form(
        "ld",
        &[
            "relaxed acquire",
            SCOPE,
            MEMORY_SPACE,
            EVICT,
            PREFETCH,
            VECTOR,
        ],
        MEMORY,
        "Va",
        access,
    ),
    form(
        "ld",
        &[
            "?global",
            "?ca cg cs lu cv",
            "L2::cache_hint",
            PREFETCH,
            VECTOR,
        ],
        MEMORY,
        "Vaq",
        access,
    )
    .needing(&needs::CACHE_POLICIES),
    form(
        "ld",
        &["?global", EVICT, "L2::cache_hint", PREFETCH, VECTOR],
        MEMORY,
        "Vaq",
        access,
    )
    .needing(&needs::CACHE_POLICIES),
    form(
        "st",
        &["?global", "?wb cg cs wt", "L2::cache_hint", VECTOR],
        MEMORY,
        "avq",
        access,
    )
    .needing(&needs::CACHE_POLICIES),
    form(
        "st",
        &["?global", EVICT, "L2::cache_hint", VECTOR],
        MEMORY,
        "avq",
        access,
    )
    .needing(&needs::CACHE_POLICIES),
    form(
        "st",
        &[MEMORY_SPACE, "?wb cg cs wt", VECTOR],
        MEMORY,
        "av",
        access,
    ),
    form("st", &[MEMORY_SPACE, EVICT, VECTOR], MEMORY, "av", access),
    form(
        "st",
        &["relaxed release", SCOPE, MEMORY_SPACE, EVICT, VECTOR],
        MEMORY,
        "av",
        access,
    ),
    form(
        "atom",
        &[ORDER, OPTIONAL_SCOPE, MEMORY_SPACE, "add"],
        "u32 s32 u64 f64",
        "das",
        atomic::change,
    ),
    form(
        "atom",
        &[ORDER, OPTIONAL_SCOPE, MEMORY_SPACE, "add", "?v2 v4"],
        "f32",
        "Vav",
        atomic::change,
    ),
    form(
        "atom",
        &[
            ORDER,
            OPTIONAL_SCOPE,
            MEMORY_SPACE,
            "add",
            "noftz",
            "?v2 v4 v8",
        ],
        HALVES,
        "Vav",
        atomic::change,
    ),
    form(
        "atom",
        &[
            ORDER,
            OPTIONAL_SCOPE,
            MEMORY_SPACE,
            "add",
            "noftz",
            "?v2 v4",
        ],
        "f16x2 bf16x2",
        "Vav",
        atomic::change,
    ),
    form(
        "atom",
        &[ORDER, OPTIONAL_SCOPE, MEMORY_SPACE, "and or xor exch"],
        "b32 b64",
        "das",
        atomic::change,
    ),
    form(
        "atom",
        &[ORDER, OPTIONAL_SCOPE, MEMORY_SPACE, "min max"],
        "u32 s32 u64 s64",
        "das",
        atomic::change,
    ),
    form(
        "atom",
        &[ORDER, OPTIONAL_SCOPE, MEMORY_SPACE, "cas"],
        "b16 b32 b64",
        "dass",
        atomic::compare,
    ),
    form(
        "red",
        &["?relaxed release", OPTIONAL_SCOPE, MEMORY_SPACE, "add"],
        "u32 s32 u64 f64",
        "as",
        atomic::change,
    ),
    form(
        "red",
        &[
            "?relaxed release",
            OPTIONAL_SCOPE,
            MEMORY_SPACE,
            "add",
            "?v2 v4",
        ],
        "f32",
        "av",
        atomic::change,
    ),
    form(
        "red",
        &[
            "?relaxed release",
            OPTIONAL_SCOPE,
            MEMORY_SPACE,
            "add",
            "noftz",
            "?v2 v4 v8",
        ],
        HALVES,
        "av",
        atomic::change,
    ),
    form(
        "red",
        &[
            "?relaxed release",
            OPTIONAL_SCOPE,
            MEMORY_SPACE,
            "add",
            "noftz",
            "?v2 v4",
        ],
        "f16x2 bf16x2",
        "av",
        atomic::change,
    ),
    form(
        "red",
        &[
            "?relaxed release",
            OPTIONAL_SCOPE,
            MEMORY_SPACE,
            "and or xor",
        ],
        "b32 b64",
        "as",
        atomic::change,
    ),
    form(
        "red",
        &["?relaxed release", OPTIONAL_SCOPE, MEMORY_SPACE, "min max"],
        "u32 s32 u64 s64",
        "as",
        atomic::change,
    ),
    form(
        "cvt",
        &["u8 u16 u32 u64 s8 s16 s32 s64"],
        "u8 u16 u32 u64 s8 s16 s32 s64",
        "DS",
        convert,
    ),
    form("cvt", &["rn", "satfinite", FLOAT8], "f32", "hss", narrow),
    form("cvt", &["rn", "satfinite", FLOAT8], "f16x2", "hs", narrow),
    form("cvt", &["rn", "f16x2"], FLOAT8, "ws", widen),
    form("cvt", &["rn", HALVES], "f32", "hs", arithmetic::convert),
    form(
        "cvt",
        &["rn rz rm rp", "f16"],
        "f32 f64",
        "hs",
        arithmetic::convert,
    ),
    form("cvt", &["rz", "bf16"], "f32", "hs", arithmetic::convert)
        .needing(&needs::BF16_CONVERSIONS),
    form("cvt", &["rm rp", "bf16"], "f32", "hs", arithmetic::convert)
        .needing(&needs::BF16_ROUNDING_MODES),
    form(
        "cvt",
        &["rn rz rm rp", "bf16"],
        "f64",
        "hs",
        arithmetic::convert,
    )
    .needing(&needs::BF16_ROUNDING_MODES),
    form("cvt", &["rn", PAIRS], "f32", "wss", arithmetic::pair),
    form("cvt", &["f32"], HALVES, "ws", arithmetic::convert),
    form(
        "cvt",
        &["rn rz rm rp", "f32"],
        "f64",
        "ws",
        arithmetic::convert,
    ),
    form("cvt", &["rn", "f32"], WHOLE, "wS", arithmetic::of_integer),
    form(
        "cvt",
        &[ROUNDINGS, "s32 u32"],
        "f32 f64",
        "ws",
        arithmetic::to_integer,
    ),
    form("cvt", &["rna", "tf32"], "f32", "ws", arithmetic::tf32),
    form("lop3", &[], "b32", "dsssn", arithmetic::lop3),
    form("not", &[], BITS, "ds", arithmetic::not),
    form("neg", &[], "s16 s32 s64", "ds", arithmetic::negate),
    form("mul", &["wide"], "u32 s32", "qss", arithmetic::wide),
    form("mad", &["lo"], INTEGERS, "dsss", arithmetic::mad),
    form("add", &["?rn"], PAIRS, "dss", |s, l| {
        halves(s, l, &float::ADD)
    }),
    form("sub", &["?rn"], PAIRS, "dss", |s, l| {
        halves(s, l, &float::SUB)
    }),
    form("add", &["?rn", "?ftz"], "f32 f64", "dss", |s, l| {
        arithmetic::float(s, l, &float::ADD)
    }),
    form("sub", &["?rn", "?ftz"], "f32 f64", "dss", |s, l| {
        arithmetic::float(s, l, &float::SUB)
    }),
    form("mul", &["?rn", "?ftz"], "f32 f64", "dss", |s, l| {
        arithmetic::float(s, l, &float::MUL)
    }),
    form("fma", &["rn", "?ftz"], "f32 f64", "dsss", arithmetic::fma),
    approximation("ex2"),
    approximation("lg2"),
    approximation("rcp"),
    approximation("rsqrt"),
    approximation("sqrt"),
    approximation("sin"),
    approximation("cos"),
    form("tanh", &["approx"], "f32", "ds", arithmetic::approximate),
    form(
        "setp",
        &["eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "?ftz"],
        "f32",
        "Pss",
        arithmetic::compare,
    ),
    form("selp", &[], ANY, "dssp", select),
    form(
        "setp",
        &["eq ne"],
        "b16 b32 b64 u16 u32 u64 s16 s32 s64",
        "Pss",
        compare,
    ),
    form(
        "setp",
        &["lt le gt ge"],
        "u16 u32 u64 s16 s32 s64",
        "Pss",
        compare,
    ),
    form("setp", &["lo ls hi hs"], "u16 u32 u64", "Pss", compare),
    form("prmt", &[], "b32", "dsss", permute),
    form(
        "movmatrix",
        &["sync", "aligned", "m8n8", "trans"],
        "b16",
        "WW",
        transpose,
    )
    .needing(&needs::MOVE_MATRIX),
    form(
        "fence",
        &["proxy", "async", "?shared::cta"],
        "",
        "",
        proxy_fence,
    )
    .needing(&needs::CLUSTERS),
    form(
        "createpolicy",
        &[
            "fractional",
            "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged",
            "?L2::evict_first L2::evict_unchanged",
        ],
        "b64",
        "qn",
        nothing,
    )
    .needing(&needs::CACHE_POLICIES),
    form("add", &[], INTEGERS, "dss", |s, l| s.int(l, &integer::ADD)),
    form("shl", &[], BITS, "dsw", |s, l| {
        s.int(l, &integer::SHL_CLAMPED)
    }),
    form(
        "shf",
        &["l r", "clamp wrap"],
        "b32",
        "dssw",
        arithmetic::funnel,
    ),
    // Only one grid runs at a time.
    form(
        "griddepcontrol",
        &["wait launch_dependents"],
        "",
        "",
        nothing,
    )
    .needing(&needs::GRID_DEPENDENCIES),
];

/// Returns the form of an approximate f32 function, such as `ex2.approx.f32`. The modifier `ftz` (flush subnormal
/// numbers to zero) is optional.
const fn approximation(name: &'static str) -> Form {
    let modifiers = &["approx", "?ftz"];
    form(name, modifiers, "f32", "ds", arithmetic::approximate)
}

const fn form(
    name: &'static str,
    modifiers: &'static [&'static str],
    types: &'static str,
    operands: &'static str,
    decode: DecodeStatement,
) -> Form {
    Form {
        name,
        modifiers,
        types,
        operands,
        decode,
        needs: None,
    }
}

impl Form {
    const fn needing(self, needs: &'static Needs) -> Self {
        Self {
            needs: Some(needs),
            ..self
        }
    }
}

pub(super) fn all() -> impl Iterator<Item = &'static Form> {
    FORMS.iter().chain(asynchronous::FORMS)
}

/// Returns the names of all forms, sorted and without duplicates.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = all().map(|form| form.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(super) fn spelled() -> impl Iterator<Item = String> {
    all().map(Form::spelled)
}

/// Decodes a statement that only affects caches. Emits nothing, because the simulator does not model caches.
fn nothing(_: &mut AsmScope<'_, '_>, _: &StatementParts<'_>) -> DecodeResult {
    Ok(())
}

fn proxy_fence(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    s.d.b.push(ProxyFence);
    Ok(())
}

fn mov(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let bits = line.bits;
    match (&line.args[0], &line.args[1]) {
        (PtxOperand::Vector(parts), from) => {
            let src = s.read(from)?;
            let width = bits / parts.len() as u32;
            let regs = repack(s.d, &[src], bits, width, parts.len());
            for (part, reg) in parts.iter().zip(regs) {
                s.write(part, reg, line.guard)?;
            }
            Ok(())
        }
        (to, PtxOperand::Vector(parts)) => {
            let regs: Vec<Reg> = parts
                .iter()
                .map(|part| s.read(part))
                .collect::<DecodeResult<_>>()?;
            let width = bits / parts.len() as u32;
            let reg = repack(s.d, &regs, width, bits, 1)[0];
            s.write(to, reg, line.guard)
        }
        (_, from) => {
            let reg = s.read_sized(from, bits)?;
            s.result(line, reg)
        }
    }
}

/// Decodes an integer conversion such as `cvt.u64.s32`. The first modifier is the result type, and the last is the
/// source type.
fn convert(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let src = s.read(&line.args[1])?;
    let (from, to) = (
        line.bits,
        ptx_type(line.words[1]).map_or(line.bits, |ty| ty.0),
    );
    let reg = if line.signed && from < to {
        s.d.emit(|dst| SignExtend { from, to, dst, src })
    } else {
        let bits = to.min(from);
        s.d.emit(|dst| Trunc { bits, dst, src })
    };
    s.result(line, reg)
}

/// Returns the 8-bit float format of the packed PTX type `word`. Returns an error if the GPU has no 8-bit floats.
fn float8(s: &AsmScope<'_, '_>, word: &str) -> DecodeResult<Float8> {
    if s.d.machine.float8.is_none() {
        return Err(s.unsupported("inline assembly: the target GPU has no 8-bit floats"));
    }
    let name = match word {
        "e4m3x2" => "f8E4M3FN",
        _ => "f8E5M2",
    };
    Float8::of(name).ok_or_else(|| s.unsupported(format!("inline assembly: no format `{name}`")))
}

/// Decodes a conversion of two numbers to packed 8-bit floats, such as `cvt.rn.satfinite.e4m3x2.f32 d, high, low`.
/// The sources are two f32 operands, or one operand that holds two packed f16 numbers.
fn narrow(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let format = float8(s, line.words[3])?;
    let (from, [high, low]) = if line.args.len() == 3 {
        (FloatTy::F32, s.sources(line)?)
    } else {
        let [both] = s.sources(line)?;
        let halves = repack(s.d, &[both], 32, 16, 2);
        (FloatTy::F16, [halves[1], halves[0]])
    };
    let reg = s.d.emit(|dst| Narrow {
        format,
        too_large: TooLarge::Saturates,
        from,
        dst,
        low,
        high,
    });
    s.result(line, reg)
}

/// Decodes a conversion of two packed 8-bit floats to two packed f16 numbers, such as
/// `cvt.rn.f16x2.e4m3x2 d, both`.
fn widen(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let format = float8(s, line.words[3])?;
    let [src] = s.sources(line)?;
    let halves = [0, 1].map(|byte| {
        s.d.emit(|dst| Widen {
            format,
            byte,
            to: FloatTy::F16,
            dst,
            src,
        })
    });
    let reg = repack(s.d, &halves, 16, 32, 1)[0];
    s.result(line, reg)
}

fn select(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let [a, b, cond] = s.sources(line)?;
    let reg = s.d.emit(|dst| Select { dst, cond, a, b });
    s.result(line, reg)
}

fn compare(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let pred = match (line.words[1], line.signed) {
        ("eq", _) => &compare::EQ,
        ("ne", _) => &compare::NE,
        ("lt", true) => &compare::SLT,
        ("le", true) => &compare::SLE,
        ("gt", true) => &compare::SGT,
        ("ge", true) => &compare::SGE,
        ("lt" | "lo", _) => &compare::ULT,
        ("le" | "ls", _) => &compare::ULE,
        ("gt" | "hi", _) => &compare::UGT,
        _ => &compare::UGE,
    };
    let [a, b] = s.sources(line)?;
    let bits = line.bits;
    let reg = s.d.emit(|dst| IntCompare {
        pred,
        bits,
        dst,
        a,
        b,
    });
    s.result(line, reg)
}

fn permute(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let of = s.sources(line)?;
    let reg = s.d.emit(|dst| Permute {
        pick: bytes::DEFAULT,
        dst,
        of,
    });
    s.result(line, reg)
}

fn transpose(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    let [src] = s.sources(line)?;
    let dst = s.d.b.reg();
    s.d.b.push(TransposeMatrix { dst, src });
    s.result(line, dst)
}
