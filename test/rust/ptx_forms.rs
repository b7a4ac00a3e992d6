//! Inline assembly that the simulator accepts or refuses, compared with `ptxas`.

use crate::files::root;
use crate::ptxas::ptxas;
use gpu_sim::decode_generic;
use std::process::Command;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AssemblerVerdict {
    Accepted,
    Refused,
    /// The manual's grammar does not permit the form, but `ptxas` accepts it.
    Tolerated,
}
use AssemblerVerdict::{Accepted, Refused, Tolerated};

/// PTX instructions to test. Each has the constraints of the inline assembly, its text, and the expected verdict of
/// the assembler.
const FORMS: &[(&str, &str, AssemblerVerdict)] = &[
    // There are no registers and no arithmetic of 8 bits.
    ("=h,h", "mov.b8 $0, $1;", Refused),
    ("=h,h", "mov.u8 $0, $1;", Refused),
    ("=h,h", "mov.b16 $0, $1;", Accepted),
    (
        "=h,l,b",
        "mov.b16 $0, 0;\n@$2 ld.global.b8 $0, [$1];",
        Accepted,
    ),
    ("=r,l", "ld.global.b8 $0, [$1];", Accepted),
    ("=r,l", "ld.global.s8 $0, [$1 + 3];", Accepted),
    ("l,h", "st.global.b8 [$0], $1;", Accepted),
    ("=h,h,h", "add.s8 $0, $1, $2;", Refused),
    // Floating-point arithmetic, with decimal constants; approximations are of f32.
    ("=f,f", "add.f32 $0, $1, 1.0;", Accepted),
    ("=f,f", "add.f32 $0, $1, 15.;", Accepted),
    ("=f,f", "add.rn.ftz.f32 $0, $1, 0f3f800000;", Accepted),
    ("=d,d", "mul.f64 $0, $1, 1e-3;", Accepted),
    ("=f,f", "add.f32 $0, $1, 1;", Refused),
    ("=r,r", "add.s32 $0, $1, 1.0;", Refused),
    ("=f", "mov.f32 $0, 1;", Refused),
    ("=f,b", "selp.f32 $0, 1.0, 0.5, $1;", Accepted),
    ("=f,b", "selp.f32 $0, 1, 0, $1;", Refused),
    ("l", "st.global.f32 [$0], 1;", Refused),
    ("=f,r", "cvt.rn.f32.s32 $0, 3;", Accepted),
    ("=f,f,f,f", "fma.rn.ftz.f32 $0, $1, $2, $3;", Accepted),
    ("=f,f,f,f", "fma.f32 $0, $1, $2, $3;", Refused),
    ("=f,f", "ex2.approx.ftz.f32 $0, $1;", Accepted),
    ("=f,f", "ex2.f32 $0, $1;", Refused),
    ("=d,d", "lg2.approx.f64 $0, $1;", Refused),
    ("=f,f", "tanh.approx.f32 $0, $1;", Accepted),
    ("=f,f", "tanh.approx.ftz.f32 $0, $1;", Refused),
    ("=f,f", "sqrt.approx.f32 $0, $1;", Accepted),
    // A move keeps the width, also with vector operands.
    ("=r,r", "mov.u32 $0, $1;", Accepted),
    ("=r,h", "mov.u32 $0, $1;", Refused),
    ("=r,l", "mov.b32 $0, $1;", Refused),
    ("=l,l", "mov.b64 $0, $1;", Accepted),
    ("=r,h,h", "mov.b32 $0, {$1, $2};", Accepted),
    ("=l,h,h", "mov.b64 $0, {$1, $2};", Refused),
    ("=h,=h,r", "mov.b32 {$0, $1}, $2;", Accepted),
    ("=h,r", "mov.b32 {$0, _}, $1;", Accepted),
    ("=r,h", "mov.b32 $0, {$1, _};", Tolerated),
    ("=f,r", "mov.b32 $0, $1;", Accepted),
    ("=h,h", "mov.f16 $0, $1;", Refused),
    ("=r", "mov.u32 $0, %tid.x;", Accepted),
    ("=r", "mov.u32 $0, %r77;", Refused),
    ("=r,r", "mov $0, $1;", Refused),
    ("=r,r", "mov.b32 $0, $1, $1;", Refused),
    ("=r,r", "move.b32 $0, $1;", Refused),
    // Accesses: order of modifiers, width of registers and vectors.
    ("=r,l", "ld.global.L1::evict_last.b32 $0, [$1];", Accepted),
    ("=r,l", "ld.global.L1::evict_often.b32 $0, [$1];", Refused),
    ("=r,l", "ld.global.ca.b32 $0, [$1];", Accepted),
    ("=r,l", "ld.global.wb.b32 $0, [$1];", Refused),
    ("=r,l", "ld.global.ca.L1::evict_last.b32 $0, [$1];", Refused),
    ("=r,l", "ld.L1::evict_last.global.b32 $0, [$1];", Tolerated),
    ("=r,l", "ld.volatile.global.b32 $0, [$1];", Accepted),
    ("=r,l", "ld.volatile.global.cg.b32 $0, [$1];", Refused),
    ("=r,l", "ld.relaxed.gpu.global.b32 $0, [$1];", Accepted),
    ("=r,l", "ld.relaxed.global.b32 $0, [$1];", Refused),
    ("=r,r", "ld.shared.b32 $0, [$1];", Accepted),
    ("=r,l", "ld.global.b64 $0, [$1];", Refused),
    ("=l,l", "ld.global.b32 $0, [$1];", Accepted),
    ("=r,h", "ld.global.b32 $0, [$1];", Tolerated),
    ("=r,l", "ld.global.b32 $0, $1;", Refused),
    ("=r,l", "ld.global $0, [$1];", Refused),
    ("=r,=r,l", "ld.global.v2.b32 {$0, $1}, [$2];", Accepted),
    ("=r,l", "ld.global.v2.b32 {$0, _}, [$1];", Accepted),
    ("r,l", "st.global.v2.b32 [$1], {$0, _};", Refused),
    ("=r,=r,l", "ld.global.b32 {$0, $1}, [$2];", Refused),
    ("=r,=r,l", "ld.global.v4.b32 {$0, $1}, [$2];", Refused),
    (
        "=r,=r,=r,l",
        "ld.global.v3.b32 {$0, $1, $2}, [$3];",
        Refused,
    ),
    (
        "=l,=l,=l,=l,l",
        "ld.global.v4.b64 {$0, $1, $2, $3}, [$4];",
        Refused,
    ),
    ("=r,=r,l", "ld.global.b32.v2 {$0, $1}, [$2];", Tolerated),
    (
        "=r,l,l",
        "ld.global.L1::evict_last.L2::cache_hint.b32 $0, [$1], $2;",
        Accepted,
    ),
    (
        "=r,l,l",
        "ld.global.cg.L2::cache_hint.L2::128B.b32 $0, [$1], $2;",
        Accepted,
    ),
    ("=r,l", "ld.global.L2::cache_hint.b32 $0, [$1];", Refused),
    (
        "=r,l,r",
        "ld.global.L2::cache_hint.b32 $0, [$1], $2;",
        Refused,
    ),
    (
        "l,r,l",
        "st.global.L2::cache_hint.b32 [$0], $1, $2;",
        Accepted,
    ),
    ("l,r", "st.global.wt.b32 [$0], $1;", Accepted),
    ("l,r", "st.global.ca.b32 [$0], $1;", Refused),
    ("l,h", "st.global.b32 [$0], $1;", Refused),
    ("l,r,r", "st.global.v2.b32 [$0], {$1, $2};", Accepted),
    ("l,r", "st.b32.global [$0], $1;", Tolerated),
    ("l,r", "st.global.b32 $1, [$0];", Refused),
    ("l", "st.global.b32 [$0], 7;", Accepted),
    // Two floats of 8 bits.
    (
        "=h,f,f",
        "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;",
        Accepted,
    ),
    ("=h,r", "cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;", Accepted),
    ("=h,f,f", "cvt.rn.e4m3x2.f32 $0, $1, $2;", Refused),
    ("=r,f,f", "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", Refused),
    ("=r,h", "cvt.rn.f16x2.e5m2x2 $0, $1;", Accepted),
    ("=r,r", "cvt.rn.f16x2.e5m2x2 $0, $1;", Refused),
    // Atomic accesses: additions of f16 state `.noftz`, `red` cannot acquire.
    (
        "=r,l,r",
        "atom.relaxed.gpu.global.add.u32 $0, [$1], $2;",
        Accepted,
    ),
    ("=l,l,l", "atom.global.add.s64 $0, [$1], $2;", Refused),
    ("=r,l,r", "atom.global.add.b32 $0, [$1], $2;", Refused),
    ("=r,l,r", "atom.global.max.u32 $0, [$1], $2;", Accepted),
    ("=l,l,l", "atom.global.exch.b64 $0, [$1], $2;", Accepted),
    ("=h,l,h", "atom.global.exch.b16 $0, [$1], $2;", Refused),
    (
        "=h,l,h",
        "atom.global.add.noftz.f16 $0, [$1], $2;",
        Accepted,
    ),
    ("=h,l,h", "atom.global.add.f16 $0, [$1], $2;", Refused),
    (
        "=r,=r,l,r,r",
        "atom.acq_rel.sys.global.add.noftz.v2.bf16x2 {$0, $1}, [$2], {$3, $4};",
        Accepted,
    ),
    ("l,r,r", "red.global.add.v2.f32 [$0], {$1, $2};", Accepted),
    ("l,r,r", "red.global.add.v2.u32 [$0], {$1, $2};", Refused),
    ("l,r", "red.release.gpu.global.xor.b32 [$0], $1;", Accepted),
    ("l,r", "red.acquire.gpu.global.xor.b32 [$0], $1;", Refused),
    ("l,r", "red.global.exch.b32 [$0], $1;", Refused),
    (
        "=h,l,h,h",
        "atom.relaxed.cta.global.cas.b16 $0, [$1], $2, $3;",
        Accepted,
    ),
    ("=r,l,r", "atom.global.cas.b32 $0, [$1], $2;", Refused),
    // Guards are predicates.
    ("=r,l,b", "@$2 ld.global.b32 $0, [$1];", Accepted),
    ("=r,l,b", "@!$2 ld.global.b32 $0, [$1];", Accepted),
    ("=r,l,r", "@$2 ld.global.b32 $0, [$1];", Refused),
    (
        "l,r,r",
        "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p st.global.b32 [$0], $1; }",
        Accepted,
    ),
    (
        "l,r,r",
        "setp.ne.b32 p, $2, 0; @p st.global.b32 [$0], $1;",
        Refused,
    ),
    // Comparisons: bit types have equality only, order needs a sign, `lo` an unsigned type.
    ("=b,r,r", "setp.eq.b32 $0, $1, $2;", Accepted),
    ("=b,r,r", "setp.lt.b32 $0, $1, $2;", Refused),
    ("=b,r,r", "setp.lt.s32 $0, $1, $2;", Accepted),
    ("=b,r,r", "setp.lo.u32 $0, $1, $2;", Accepted),
    ("=b,r,r", "setp.lo.s32 $0, $1, $2;", Refused),
    ("=b,h,h", "setp.eq.b8 $0, $1, $2;", Refused),
    ("=r,r,r", "setp.eq.b32 $0, $1, $2;", Refused),
    ("=b,r,l", "setp.eq.b32 $0, $1, $2;", Refused),
    ("=r,r,r,b", "selp.b32 $0, $1, $2, $3;", Accepted),
    ("=r,r,r,r", "selp.b32 $0, $1, $2, $3;", Refused),
    ("=h,h,h,b", "selp.b8 $0, $1, $2, $3;", Refused),
    ("=b,f,f", "setp.ltu.f32 $0, $1, $2;", Accepted),
    ("=b,r,r", "setp.ltu.s32 $0, $1, $2;", Refused),
    // Conversions round to a narrower format, and only to it.
    ("=h,f", "cvt.rn.f16.f32 $0, $1;", Accepted),
    ("=h,f", "cvt.f16.f32 $0, $1;", Refused),
    ("=r,f,f", "cvt.rn.bf16x2.f32 $0, $1, $2;", Accepted),
    ("=f,h", "cvt.f32.f16 $0, $1;", Accepted),
    ("=f,h", "cvt.rn.f32.f16 $0, $1;", Refused),
    ("=f,d", "cvt.rn.f32.f64 $0, $1;", Accepted),
    ("=f,r", "cvt.rn.f32.s32 $0, $1;", Accepted),
    ("=r,f", "cvt.rzi.s32.f32 $0, $1;", Accepted),
    ("=r,f", "cvt.rn.s32.f32 $0, $1;", Refused),
    ("=r,f", "cvt.rna.tf32.f32 $0, $1;", Accepted),
    // Bits, products, two halves of a word.
    ("=r,r,r,r", "lop3.b32 $0, $1, $2, $3, 0x96;", Accepted),
    ("=r,r,r", "lop3.b32 $0, $1, $2, 0x96;", Refused),
    ("=l,l", "not.b64 $0, $1;", Accepted),
    ("=r,r", "not.u32 $0, $1;", Refused),
    ("=r,r", "neg.s32 $0, $1;", Accepted),
    ("=r,r", "neg.u32 $0, $1;", Refused),
    ("=l,r,r", "mul.wide.s32 $0, $1, $2;", Accepted),
    ("=l,l,l", "mul.wide.s64 $0, $1, $2;", Refused),
    ("=r,r,r,r", "mad.lo.s32 $0, $1, $2, $3;", Accepted),
    ("=r,r,r,r", "mad.s32 $0, $1, $2, $3;", Refused),
    ("=r,r,r", "add.f16x2 $0, $1, $2;", Accepted),
    ("=h,h,h", "add.f16x2 $0, $1, $2;", Refused),
    // Exchanges and fences.
    ("=r,r,r,r", "prmt.b32 $0, $1, $2, $3;", Accepted),
    ("=r,r,r,r", "prmt.b64 $0, $1, $2, $3;", Refused),
    ("=r,r,r", "prmt.b32 $0, $1, $2;", Refused),
    (
        "=r,r",
        "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;",
        Accepted,
    ),
    ("=r,r", "movmatrix.sync.aligned.m8n8.b16 $0, $1;", Refused),
    (
        "=r,r",
        "movmatrix.sync.aligned.m8n8.trans.b8 $0, $1;",
        Refused,
    ),
    (
        "=l,r",
        "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;",
        Refused,
    ),
    ("", "fence.proxy.async.shared::cta;", Accepted),
    ("", "fence.async.proxy.shared::cta;", Refused),
    (
        "=l",
        "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;",
        Accepted,
    ),
    (
        "=l",
        "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 $0, 0f3F000000;",
        Accepted,
    ),
    (
        "=r",
        "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;",
        Refused,
    ),
    // Arithmetic: integers have a sign, shifts have none.
    ("=r,r,r", "add.u32 $0, $1, $2;", Accepted),
    ("=r,r,r", "add.b32 $0, $1, $2;", Refused),
    ("=r,r,r", "shl.b32 $0, $1, $2;", Accepted),
    ("=r,r,r", "shl.u32 $0, $1, $2;", Refused),
    ("=r,h", "cvt.u32.u16 $0, $1;", Accepted),
    ("=r,h", "cvt.b32.b16 $0, $1;", Refused),
    ("=h,r", "cvt.u32.u16 $0, $1;", Refused),
    // mbarriers, transaction counts, and asynchronous products.
    ("r", "mbarrier.init.shared::cta.b64 [$0], 1;", Accepted),
    ("r", "mbarrier.init.shared::cta.b32 [$0], 1;", Refused),
    ("r,b", "@$1 mbarrier.inval.shared.b64 [$0];", Accepted),
    ("r", "mbarrier.arrive.shared::cta.b64 _, [$0];", Accepted),
    ("r", "mbarrier.arrive.shared::cta.b64 _, [$0], 2;", Accepted),
    (
        "r,r",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
        Accepted,
    ),
    (
        "r,r",
        "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra.uni again; }",
        Accepted,
    ),
    (
        "r,l,r",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2}], [$0];",
        Accepted,
    ),
    (
        "r,l,r",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2}], [$0];",
        Refused,
    ),
    (
        "l,r,r",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$1, $1}], [$2];",
        Accepted,
    ),
    (
        "l,r,r",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [$0, {$1, $1}], [$2];",
        Accepted,
    ),
    ("", "cp.async.bulk.commit_group;", Accepted),
    ("", "cp.async.bulk.wait_group.read 0;", Accepted),
    (
        "=r",
        "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 $0, 1, 0, p; }",
        Accepted,
    ),
    ("", "wgmma.fence.sync.aligned;", Accepted),
    ("", "wgmma.wait_group.sync.aligned 1;", Accepted),
    (
        "=f,=f,=f,=f,l,l",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 1;",
        Accepted,
    ),
    (
        "=f,=f,=f,=f,l,l",
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 1;",
        Refused,
    ),
    (
        "=f,=f,=f,=f,l,l",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 1;",
        Refused,
    ),
];

/// Returns the MLIR type of an operand with this constraint, and the type of its PTX register.
fn types(constraint: &str) -> (&'static str, &'static str) {
    match constraint.trim_start_matches('=') {
        "b" => ("i1", "pred"),
        "h" => ("i16", "b16"),
        "r" => ("i32", "b32"),
        "l" => ("i64", "b64"),
        "f" => ("f32", "b32"),
        _ => ("f64", "b64"),
    }
}

/// Returns a kernel that contains `text` as inline assembly. The operands of the assembly are parameters of the
/// kernel.
fn kernel(constraints: &str, text: &str) -> String {
    let all: Vec<&str> = constraints.split(',').filter(|c| !c.is_empty()).collect();
    let outputs: Vec<&str> = all
        .iter()
        .filter(|c| c.starts_with('='))
        .map(|c| types(c).0)
        .collect();
    let inputs: Vec<&str> = all
        .iter()
        .filter(|c| !c.starts_with('='))
        .map(|c| types(c).0)
        .collect();
    let result = match &outputs[..] {
        [] => "()".to_owned(),
        [one] => (*one).to_owned(),
        many => format!("!llvm.struct<({})>", many.join(", ")),
    };
    let name = if outputs.is_empty() { "" } else { "%0 = " };
    let parameters: Vec<String> = inputs
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("%arg{i}: {ty}"))
        .collect();
    let operands: Vec<String> = (0..inputs.len()).map(|i| format!("%arg{i}")).collect();
    let text = text.replace('\n', "\\0A");
    format!(
        r#""builtin.module"() ({{
  "llvm.func"() <{{function_type = !llvm.func<void ({types})>, sym_name = "k"}}> ({{
  ^bb0({parameters}):
    {name}"llvm.inline_asm"({operands}) <{{asm_string = "{text}", constraints = "{constraints}", has_side_effects}}> : ({types}) -> {result}
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: 32>}} : () -> ()
}}) : () -> ()"#,
        types = inputs.join(", "),
        parameters = parameters.join(", "),
        operands = operands.join(", "),
    )
}

#[test]
fn the_simulator_takes_what_an_assembler_takes() {
    let mut wrong = Vec::new();
    for (constraints, text, verdict) in FORMS {
        let good = *verdict == Accepted;
        match decode_generic(&kernel(constraints, text), None) {
            Ok(_) if !good => wrong.push(format!("taken: `{text}` ({constraints})")),
            Err(error) if good => wrong.push(format!("refused: `{text}` ({constraints}): {error}")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refusals_say_what_would_do() {
    let refusal = |constraints, text| {
        decode_generic(&kernel(constraints, text), None)
            .unwrap_err()
            .to_string()
    };
    let error = refusal("=h,h", "mov.b8 $0, $1;");
    assert!(
        error.starts_with("inline assembly: `mov.b8` is not a supported form"),
        "{error}"
    );
    assert!(
        error.contains("note: the supported forms are: mov.b16|b32|b64|u16"),
        "{error}"
    );
    assert!(!error.contains(" more"), "{error}");
    let forms = error.matches("; ").count() + 1;
    assert!(forms <= 3, "{error}");
    let error = refusal("=r,h", "mov.u32 $0, $1;");
    assert!(
        error.starts_with("inline assembly: `mov.u32`: `$1` is a register of 16 bits, expected 32"),
        "{error}"
    );
    let error = refusal("=r,l", "ld.global.b64 $0, [$1];");
    assert!(
        error.starts_with(
            "inline assembly: `ld.global.b64`: `$0` is a register of 32 bits, expected 64 or more"
        ),
        "{error}"
    );
    let error = refusal("=r", "mov.u32 $0, %r77;");
    assert!(
        error.starts_with("inline assembly: `mov.u32`: register `%r77` is not declared"),
        "{error}"
    );
    let error = refusal("l,r,r", "@$2 st.global.b32 [$0], $1;");
    assert!(
        error.starts_with("inline assembly: `st.global.b32`: the guard `$2` is not a predicate"),
        "{error}"
    );
}

/// Checks that the table agrees with `ptxas`, if it is installed.
#[test]
fn ptxas_says_the_same() {
    let Some(ptxas) = ptxas(root()) else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("ptx-forms-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut wrong = Vec::new();
    for (constraints, text, verdict) in FORMS {
        let registers: String = constraints
            .split(',')
            .filter(|c| !c.is_empty())
            .enumerate()
            .map(|(i, c)| format!(".reg .{} %o{i};\n", types(c).1))
            .collect();
        let body = text.replace('$', "%o");
        let module = format!(
            ".version 8.1\n.target sm_90a\n.address_size 64\n.entry k() {{\n{registers}{body}\nret;\n}}\n"
        );
        let file = folder.join("form.ptx");
        std::fs::write(&file, module).unwrap();
        let output = Command::new(&ptxas)
            .args(["-arch=sm_90a", "-o"])
            .arg(folder.join("form.cubin"))
            .arg(&file)
            .output()
            .unwrap();
        if output.status.success() != (*verdict != Refused) {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("`{text}` ({constraints}): {message}"));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
