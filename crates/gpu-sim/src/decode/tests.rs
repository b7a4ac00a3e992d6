//! Tests that decode and run small kernels in generic form.

use crate::{Arg, Decoded, FaultKind, Launch, Memory, Report, decode_generic};
use linear_layout::target::Assembly;

/// A kernel that loads pairs of f16 by inline assembly, passes them through shared memory and a shuffle, reads a table
/// of constants, calls a function that diverges, and stores under a mask.
const NVIDIA: &str = r##""builtin.module"() ({
  "llvm.mlir.global"() <{addr_space = 3 : i32, alignment = 16 : i64, global_type = !llvm.array<0 x i8>, linkage = #llvm.linkage<external>, sym_name = "global_smem", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.mlir.global"() <{addr_space = 4 : i32, constant, global_type = !llvm.array<4 x i32>, linkage = #llvm.linkage<internal>, sym_name = "table", unnamed_addr = 0 : i64, value = dense<[10, 20, 30, 40]> : tensor<4xi32>, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<i32 (i32, i1)>, linkage = #llvm.linkage<external>, sym_name = "twice", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg3: i32, %arg4: i1):
    "llvm.cond_br"(%arg4)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
  ^bb1:  // pred: ^bb0
    %31 = "llvm.add"(%arg3, %arg3) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32
    "llvm.return"(%31) : (i32) -> ()
  ^bb2:  // pred: ^bb0
    "llvm.return"(%arg3) : (i32) -> ()
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (ptr<1>, ptr<1>, i32)>, linkage = #llvm.linkage<external>, sym_name = "k", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: i32):
    %0 = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
    %1 = "llvm.mlir.constant"() <{value = 31 : i32}> : () -> i32
    %2 = "llvm.mlir.constant"() <{value = 3 : i32}> : () -> i32
    %3 = "llvm.mlir.constant"() <{value = -1 : i32}> : () -> i32
    %4 = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %5 = "llvm.icmp"(%4, %arg2) <{predicate = 2 : i64}> : (i32, i32) -> i1
    %6 = "llvm.mlir.constant"() <{value = 2 : i32}> : () -> i32
    %7 = "llvm.mul"(%4, %6) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32
    %8 = "llvm.getelementptr"(%arg0, %7) <{elem_type = f16, noWrapFlags = 3 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    %9 = "llvm.inline_asm"(%8, %5) <{asm_dialect = 0 : i64, asm_string = "mov.u32 $0, 0x3c003c00;\0A\09@$2 ld.global.L1::evict_last.b32 { $0 }, [ $1 + 0 ];", constraints = "=r,l,b", has_side_effects, tail_call_kind = #llvm.tailcallkind<none>}> : (!llvm.ptr<1>, i1) -> vector<2xf16>
    %10 = "llvm.extractelement"(%9, %0) : (vector<2xf16>, i32) -> f16
    %11 = "llvm.fpext"(%10) : (f16) -> f32
    %12 = "llvm.bitcast"(%11) : (f32) -> i32
    %13 = "llvm.mlir.addressof"() <{global_name = @global_smem}> : () -> !llvm.ptr<3>
    %14 = "llvm.getelementptr"(%13, %4) <{elem_type = i32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
    "llvm.store"(%12, %14) <{ordering = 0 : i64}> : (i32, !llvm.ptr<3>) -> ()
    "nvvm.barrier0"() : () -> ()
    %15 = "llvm.xor"(%4, %1) : (i32, i32) -> i32
    %16 = "llvm.getelementptr"(%13, %15) <{elem_type = i32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
    %17 = "llvm.load"(%16) <{ordering = 0 : i64}> : (!llvm.ptr<3>) -> i32
    %18 = "nvvm.shfl.sync"(%3, %17, %0, %1) <{kind = #nvvm<shfl_kind bfly>}> : (i32, i32, i32, i32) -> i32
    %19 = "llvm.mlir.addressof"() <{global_name = @table}> : () -> !llvm.ptr<4>
    %20 = "llvm.and"(%4, %2) : (i32, i32) -> i32
    %21 = "llvm.getelementptr"(%19, %20) <{elem_type = !llvm.array<4 x i32>, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: 0, -2147483648>}> : (!llvm.ptr<4>, i32) -> !llvm.ptr<4>
    %22 = "llvm.load"(%21) <{ordering = 0 : i64}> : (!llvm.ptr<4>) -> i32
    %23 = "llvm.trunc"(%4) <{overflowFlags = 0 : i32}> : (i32) -> i1
    %24 = "llvm.call"(%22, %23) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @twice, fastmathFlags = #llvm.fastmath<none>, op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}> : (i32, i1) -> i32
    %25 = "llvm.bitcast"(%18) : (i32) -> f32
    %26 = "llvm.sitofp"(%24) : (i32) -> f32
    %27 = "llvm.fadd"(%25, %26) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, f32) -> f32
    %28 = "llvm.getelementptr"(%arg1, %4) <{elem_type = f32, noWrapFlags = 3 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    %29 = "llvm.bitcast"(%27) : (f32) -> i32
    %30 = "llvm.inline_asm"(%29, %28, %5) <{asm_dialect = 0 : i64, asm_string = "@$2 st.global.b32 [ $1 + 0 ], { $0 };", constraints = "r,l,b", has_side_effects, tail_call_kind = #llvm.tailcallkind<none>}> : (i32, !llvm.ptr<1>, i1) -> !llvm.void
    "llvm.return"() : () -> ()
  }) {nvvm.kernel, nvvm.reqntid = array<i32: 32>} : () -> ()
}) {"ttg.num-warps" = 1 : i32, ttg.shared = 256 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()"##;

/// A kernel that uses DPP, `ds_bpermute`, a maths function, and buffer accesses whose offsets are masked.
const AMD: &str = r##""builtin.module"() ({
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (ptr<1>, ptr<1>, i32)>, linkage = #llvm.linkage<external>, sym_name = "k", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: i32):
    %0 = "llvm.mlir.constant"() <{value = 0 : i16}> : () -> i16
    %1 = "llvm.mlir.constant"() <{value = 159744 : i32}> : () -> i32
    %2 = "llvm.mlir.constant"() <{value = 0 : i32}> : () -> i32
    %3 = "llvm.mlir.constant"() <{value = 4 : i32}> : () -> i32
    %4 = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
    %5 = "llvm.mlir.constant"() <{value = -2147483648 : i32}> : () -> i32
    %6 = "llvm.mlir.constant"() <{value = 2147483647 : i64}> : () -> i64
    %7 = "rocdl.make.buffer.rsrc"(%arg0, %0, %6, %1) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
    %8 = "rocdl.make.buffer.rsrc"(%arg1, %0, %6, %1) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
    %9 = "rocdl.workitem.id.x"() <{range = #llvm.constant_range<i32, 0, 64>}> : () -> i32
    %10 = "llvm.icmp"(%9, %arg2) <{predicate = 2 : i64}> : (i32, i32) -> i1
    %11 = "llvm.mul"(%9, %3) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32
    %12 = "llvm.select"(%10, %11, %5) <{fastmathFlags = #llvm.fastmath<none>}> : (i1, i32, i32) -> i32
    %13 = "rocdl.raw.ptr.buffer.load"(%7, %12, %2, %2) : (!llvm.ptr<8>, i32, i32, i32) -> f32
    %14 = "llvm.bitcast"(%13) : (f32) -> i32
    %15 = "rocdl.update.dpp"(%2, %14) <{bankMask = 15 : i32, boundCtrl = true, dppCtrl = 177 : i32, rowMask = 15 : i32}> : (i32, i32) -> i32
    %16 = "llvm.xor"(%11, %3) : (i32, i32) -> i32
    %17 = "rocdl.ds_bpermute"(%16, %15) : (i32, i32) -> i32
    %18 = "llvm.bitcast"(%17) : (i32) -> f32
    %19 = "llvm.call"(%18) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @__ocml_exp2_f32, fastmathFlags = #llvm.fastmath<none>, op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> f32
    "rocdl.raw.ptr.buffer.store"(%19, %8, %12, %2, %2) : (f32, !llvm.ptr<8>, i32, i32, i32) -> ()
    "llvm.return"() : () -> ()
  }) {rocdl.flat_work_group_size = "64,64", rocdl.kernel} : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<f32 (f32)>, linkage = #llvm.linkage<external>, sym_name = "__ocml_exp2_f32", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
}) {"ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()"##;

fn run(decoded: &Decoded, input: Vec<u8>, words: usize, n: i128) -> (Vec<u8>, Report) {
    let mut memory = Memory::default();
    let (x, out) = (
        memory.add("x", input),
        memory.add("out", vec![0; 4 * words]),
    );
    let launch = Launch::new(decoded.machine)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .args([Arg::Buffer(x), Arg::Buffer(out), Arg::Int(n)]);
    let report = launch.run(&decoded.program, &mut memory).unwrap();
    (memory.bytes(out).to_vec(), report)
}

fn float_at(bytes: &[u8], index: usize) -> f32 {
    f32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[4 * index + i]))
}

#[test]
fn a_kernel_for_nvidia_runs() {
    let decoded = decode_generic(NVIDIA, Some("k")).unwrap();
    assert_eq!(
        (
            decoded.machine.assembly,
            decoded.machine.lanes_per_warp,
            decoded.machine.shared_limit
        ),
        (Assembly::Ptx, 32, 163 << 10)
    );
    assert_eq!(decoded.program.block_size(), Some([32, 1, 1]));
    // Pair i holds (0.0, i); i as f16 is exact.
    let half = |i: u32| crate::FloatTy::F16.from_f64(i.into()) as u32;
    let input = (0..20u32)
        .flat_map(|i| (half(i) << 16).to_le_bytes())
        .collect();
    let (out, report) = run(&decoded, input, 20, 20);
    for lane in 0..20usize {
        // Lane l reads what lane 31 - l stored, then the shuffle flips the lowest bit.
        let source = 31 - (lane ^ 1);
        let value = if source < 20 { source as f32 } else { 1.0 };
        let table = [10.0, 20.0, 30.0, 40.0][lane % 4];
        let expect = value + if lane % 2 == 1 { 2.0 * table } else { table };
        assert_eq!(float_at(&out, lane), expect, "lane {lane}");
    }
    assert_eq!(report.global["ld.global b32"].instructions, 1);
    assert_eq!(report.global["st.global b32"].instructions, 1);
    assert_eq!((report.barriers, report.bank_conflicts()), (1, 0));
}

#[test]
fn a_kernel_for_amd_runs() {
    let decoded = decode_generic(AMD, None).unwrap();
    assert_eq!(decoded.machine.assembly, Assembly::Gcn);
    assert_eq!(decoded.program.block_size(), Some([64, 1, 1]));
    let input = (0..64u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let (out, report) = run(&decoded, input, 64, 50);
    for lane in 0..64 {
        // DPP 177 swaps neighbours (quad permutation 1, 0, 3, 2), and so does the bpermute.
        let expect = if lane < 50 { (lane as f32).exp2() } else { 0.0 };
        assert_eq!(float_at(&out, lane), expect, "lane {lane}");
    }
    assert!(report.global.contains_key("buffer_load_dword"));
    assert_eq!(report.shuffles, 2);
}

#[track_caller]
fn check_error(text: &str, kind: FaultKind, expect: &str) {
    let error = decode_generic(text, None).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(expect), "{error}");
}

fn kernel(body: &str) -> String {
    format!(
        "\"builtin.module\"() ({{\n  \"llvm.func\"() <{{sym_name = \"k\"}}> ({{\n  \
         ^bb0(%a: i32, %p: !llvm.ptr<1>):\n{body}\n    \"llvm.return\"() : () -> ()\n  }}) : () -> ()\n}}) : () -> ()"
    )
}

#[test]
fn unknown_operations_are_named_with_the_nearest() {
    let text = kernel("%0 = \"nvvm.shfl\"(%a) : (i32) -> i32 loc(\"k.mlir\":4:5)");
    check_error(
        &text,
        FaultKind::Unsupported,
        "operation `nvvm.shfl` is not supported",
    );
    check_error(
        &text,
        FaultKind::Unsupported,
        "`%0 = \"nvvm.shfl\"(%a) : (i32) -> i32` at k.mlir:4:5",
    );
    check_error(
        &text,
        FaultKind::Unsupported,
        "supported operations with similar names are `nvvm.shfl.sync`",
    );
    let text = kernel(
        "%0 = \"llvm.call_intrinsic\"(%a) <{intrin = \"llvm.nvvm.mulhi.s\"}> : (i32) -> i32",
    );
    check_error(
        &text,
        FaultKind::Unsupported,
        "intrinsic `llvm.nvvm.mulhi.s` is not supported",
    );
    check_error(
        &text,
        FaultKind::Unsupported,
        "supported intrinsics with similar names are `llvm.nvvm.mulhi.i`",
    );
    let text = kernel("%0 = \"tt.splat\"(%a) : (i32) -> i32");
    check_error(&text, FaultKind::Unsupported, "lower the module first");
    let text = kernel("%0 = \"llvm.zext\"(%a) : (i32) -> i128");
    check_error(
        &text,
        FaultKind::Unsupported,
        "integers of 128 bits are not supported",
    );
    let text = kernel("%0 = \"llvm.add\"(%a, %nothing) : (i32, i32) -> i32");
    check_error(
        &text,
        FaultKind::Malformed,
        "value `%nothing` is used before it is defined",
    );
    let asm = "\"llvm.inline_asm\"(%a) <{asm_string = \"ld.global.b33 $0;\", constraints = \"r\"}> : (i32) -> ()";
    check_error(
        &kernel(asm),
        FaultKind::Malformed,
        "inline assembly: `ld.global.b33` is not a supported form",
    );
    check_error(
        "\"builtin.module\"() ({\n}) : () -> ()",
        FaultKind::Launch,
        "no `llvm.func` with a body",
    );
}

#[test]
fn a_fault_names_the_operation_of_the_file() {
    let body = "    %0 = \"llvm.load\"(%p) <{alignment = 4 : i64}> : (!llvm.ptr<1>) -> vector<2xi32> loc(\"k.mlir\":7:3)";
    let decoded = decode_generic(&kernel(body), None).unwrap();
    let mut memory = Memory::default();
    let buffer = memory.add("x", vec![0; 4]);
    let launch = Launch::new(decoded.machine)
        .block([1, 1, 1])
        .args([Arg::Int(1), Arg::Buffer(buffer)]);
    let error = launch.run(&decoded.program, &mut memory).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("out-of-bounds global load of 8 bytes: byte 0 of `x`, which has 4 bytes")
    );
    assert!(text.contains("at k.mlir:7:3"), "{text}");
}

/// Runs a kernel whose body is `operations`, which compute `%x` from the thread index `%t`. The kernel then stores
/// `%x` to a buffer.
fn flag(operations: &str) -> Result<Report, super::super::KernelError> {
    let text = format!(
        r#""builtin.module"() ({{
  "llvm.func"() <{{function_type = !llvm.func<void (ptr<1>)>, sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>):
    %t = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %one = "llvm.mlir.constant"() <{{value = 1 : i32}}> : () -> i32
    %big = "llvm.mlir.constant"() <{{value = 2147483632 : i32}}> : () -> i32
    %minus = "llvm.mlir.constant"() <{{value = -16 : i32}}> : () -> i32
{operations}
    %p = "llvm.getelementptr"(%out, %t) <{{elem_type = i32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    "llvm.store"(%x, %p) <{{ordering = 0 : i64}}> : (i32, !llvm.ptr<1>) -> ()
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: 32>}} : () -> ()
}}) : () -> ()"#
    );
    let decoded = decode_generic(&text, None)?;
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 128]);
    Launch::new(decoded.machine)
        .args([Arg::Buffer(out)])
        .run(&decoded.program, &mut memory)
}

/// Checks that a violated flag of an operation is reported. `operation` is the text of the operation, in which
/// `FLAG` is a placeholder. With the flag `flag_text`, which the operands violate, a use of the result must be an
/// error that begins with `message`. With the flag `plain`, or if the result is unused, there must be no error.
#[track_caller]
fn check_flag(operation: &str, flag_text: &str, plain: &str, message: &str) {
    let with = operation.replace("FLAG", flag_text);
    let error = flag(&with).unwrap_err();
    assert_eq!(error.kind(), FaultKind::Poison, "{error}");
    assert!(error.message().starts_with(message), "{error}");
    let used = error
        .notes()
        .iter()
        .any(|note| note.starts_with("the value is used by"));
    assert!(used, "{error}");
    flag(&operation.replace("FLAG", plain)).unwrap();
    // The result is unused.
    let unused = with.replace("%x =", "%unused =")
        + "\n%x = \"llvm.add\"(%t, %one) <{overflowFlags = 3 : i32}> : (i32, i32) -> i32";
    flag(&unused).unwrap();
    // A masked-off lane may hold poison.
    let masked = with.replace("%x =", "%y =")
        + "\n%no = \"llvm.icmp\"(%t, %t) <{predicate = 1 : i64}> : (i32, i32) -> i1"
        + "\n%x = \"llvm.select\"(%no, %y, %t) : (i1, i32, i32) -> i32";
    flag(&masked).unwrap();
}

#[test]
fn flags_that_do_not_hold_are_reported() {
    let binary = |name: &str, a: &str, b: &str| {
        format!("%x = \"llvm.{name}\"(%{a}, %{b}) <{{FLAG}}> : (i32, i32) -> i32")
    };
    check_flag(
        &binary("or", "t", "one"),
        "isDisjoint",
        "",
        "`disjoint` does not hold: 0x1 and 0x1 have common bits",
    );
    for (name, a, b, nsw) in [
        (
            "add",
            "big",
            "t",
            "`nsw` does not hold: 2147483648 does not fit i32",
        ),
        ("sub", "minus", "big", "`nsw` does not hold: -2147483648"),
        (
            "mul",
            "big",
            "t",
            "`nsw` does not hold: 4294967264 does not fit i32",
        ),
        (
            "shl",
            "big",
            "one",
            "`nsw` does not hold: 4294967264 does not fit i32",
        ),
    ] {
        if name != "sub" {
            check_flag(
                &binary(name, a, b),
                "overflowFlags = 1 : i32",
                "overflowFlags = 0 : i32",
                nsw,
            );
        }
    }
    for (name, a, b, nuw) in [
        (
            "add",
            "minus",
            "t",
            "`nuw` does not hold: 4294967296 does not fit 32 bits",
        ),
        (
            "sub",
            "t",
            "one",
            "`nuw` does not hold: -1 does not fit 32 bits",
        ),
        (
            "mul",
            "minus",
            "t",
            "`nuw` does not hold: 8589934560 does not fit 32 bits",
        ),
        (
            "shl",
            "minus",
            "one",
            "`nuw` does not hold: 8589934560 does not fit 32 bits",
        ),
    ] {
        check_flag(
            &binary(name, a, b),
            "overflowFlags = 2 : i32",
            "overflowFlags = 1 : i32",
            nuw,
        );
    }
    check_flag(
        &binary("lshr", "t", "one"),
        "isExact",
        "",
        "`exact` does not hold: 0x1 divided or shifted by 1 has a remainder",
    );
    check_flag(
        &binary("ashr", "t", "one"),
        "isExact",
        "",
        "`exact` does not hold: 0x1 divided or shifted by 1 has a remainder",
    );
    let halves =
        "%two = \"llvm.add\"(%one, %one) <{overflowFlags = 3 : i32}> : (i32, i32) -> i32\n";
    for name in ["udiv", "sdiv"] {
        check_flag(
            &(halves.to_owned() + &binary(name, "t", "two")),
            "isExact",
            "",
            "`exact` does not hold: 0x1 divided or shifted by 2 has a remainder",
        );
    }
    let wide = "%w = \"llvm.zext\"(%minus) <{FLAG}> : (i32) -> i64\n%x = \"llvm.trunc\"(%w) <{overflowFlags = 0 : i32}> : (i64) -> i32";
    check_flag(wide, "nonNeg", "", "`nneg` does not hold: -16 is negative");
    let narrow =
        "%w = \"llvm.trunc\"(%big) <{FLAG}> : (i32) -> i8\n%x = \"llvm.zext\"(%w) : (i8) -> i32";
    check_flag(
        narrow,
        "overflowFlags = 2 : i32",
        "overflowFlags = 0 : i32",
        "`nuw` does not hold: 0x7ffffff0 does not fit 8 bits",
    );
    check_flag(
        narrow,
        "overflowFlags = 1 : i32",
        "overflowFlags = 0 : i32",
        "`nsw` does not hold: 2147483632 does not fit i8",
    );
    let range = "%x = \"nvvm.read.ptx.sreg.tid.x\"() <{FLAG}> : () -> i32";
    check_flag(
        range,
        "range = #llvm.constant_range<i32, 0, 31>",
        "range = #llvm.constant_range<i32, 0, 32>",
        "`range` does not hold: 31 is outside of [0, 31)",
    );
    let step = "%q = \"llvm.getelementptr\"(%out, %INDEX) <{elem_type = i32, FLAG, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n%w = \"llvm.ptrtoint\"(%q) : (!llvm.ptr<1>) -> i64\n%x = \"llvm.trunc\"(%w) <{overflowFlags = 0 : i32}> : (i64) -> i32";
    let plain = "noWrapFlags = 0 : i32";
    check_flag(
        &step.replace("INDEX", "big"),
        "noWrapFlags = 3 : i32",
        plain,
        "`inbounds` does not hold: the step from",
    );
    check_flag(
        &step.replace("INDEX", "minus"),
        "noWrapFlags = 4 : i32",
        plain,
        "`nuw` does not hold:",
    );
    flag(
        &step
            .replace("INDEX", "t")
            .replace("FLAG", "noWrapFlags = 7 : i32"),
    )
    .unwrap();
}

#[test]
fn poison_is_reported_where_it_does_harm() {
    let poison = "%y = \"llvm.or\"(%one, %t) <{isDisjoint}> : (i32, i32) -> i32\n";
    let report = |rest: &str| flag(&(poison.to_owned() + rest)).unwrap_err();
    for rest in [
        "%q = \"llvm.getelementptr\"(%out, %y) <{elem_type = i8, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n%b = \"llvm.load\"(%q) <{ordering = 0 : i64}> : (!llvm.ptr<1>) -> i8\n%x = \"llvm.zext\"(%b) : (i8) -> i32",
        "%x = \"llvm.udiv\"(%t, %y) : (i32, i32) -> i32",
        "%c = \"llvm.icmp\"(%y, %t) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\"llvm.cond_br\"(%c)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb1:\n%x = \"llvm.add\"(%t, %t) : (i32, i32) -> i32",
        "\"llvm.br\"(%y)[^bb1] : (i32) -> ()\n^bb1(%x: i32):",
    ] {
        let error = report(rest);
        assert_eq!(error.kind(), FaultKind::Poison, "{error}");
        assert!(error.to_string().contains("by lane 1 of warp 0"), "{error}");
    }
}

/// Decoding fails for a module in which each of the functions `f0`, `f1`, ... calls the next function twice.
#[test]
fn calls_that_unfold_without_end_are_refused() {
    let call =
        |callee: usize| format!("\"llvm.call\"(%a) <{{callee = @f{callee}}}> : (i32) -> i32\n    ");
    let function = |index: usize| {
        let (x, y) = (call(index + 1), call(index + 1));
        let body = match index {
            24 => "%x = \"llvm.add\"(%a, %a) : (i32, i32) -> i32\n".to_owned(),
            _ => format!("%x = {x}%y = {y}"),
        };
        format!(
            "\"llvm.func\"() <{{sym_name = \"f{index}\"}}> ({{\n  ^bb0(%a: i32):\n{body}    \
             \"llvm.return\"(%x) : (i32) -> ()\n  }}) : () -> ()\n"
        )
    };
    let functions: String = (0..25).map(function).collect();
    let text = format!("\"builtin.module\"() ({{\n{functions}}}) : () -> ()");
    let error = decode_generic(&text, Some("f0")).unwrap_err();
    assert_eq!(error.kind(), FaultKind::Unsupported, "{error}");
    assert_eq!(error.message(), "the kernel makes more than 16384 calls");
    let text = text.replace("(%a) <{callee = @f1}>", "() <{callee = @f1}>");
    let error = decode_generic(&text, Some("f0")).unwrap_err();
    assert_eq!(error.message(), "`f1` takes 1 arguments, found 0");
}

#[test]
fn calls_in_a_row_have_a_limit() {
    let decode = |depth: usize| {
        let function = |index: usize| {
            let next = index + 1;
            let body = match next == depth {
                true => "%x = \"llvm.add\"(%a, %a) : (i32, i32) -> i32".to_owned(),
                false => format!("%x = \"llvm.call\"(%a) <{{callee = @f{next}}}> : (i32) -> i32"),
            };
            format!(
                "\"llvm.func\"() <{{sym_name = \"f{index}\"}}> ({{\n  ^bb0(%a: i32):\n{body}\n    \
                 \"llvm.return\"(%x) : (i32) -> ()\n  }}) : () -> ()\n"
            )
        };
        let functions: String = (0..depth).map(function).collect();
        let text = format!("\"builtin.module\"() ({{\n{functions}}}) : () -> ()");
        decode_generic(&text, Some("f0"))
    };
    decode(200).unwrap();
    let error = decode(300).unwrap_err();
    assert_eq!(
        error.message(),
        "calls are nested more than 256 levels deep"
    );
}

/// Runs a kernel that applies `operations` to the thread index `%t`. Returns the result `%x` of each of 64 threads.
fn of_64_threads(target: &str, lanes: u32, operations: &str) -> Vec<u32> {
    let (thread, kernel) = if target.starts_with("cuda") {
        (
            "nvvm.read.ptx.sreg.tid.x",
            "nvvm.kernel, nvvm.reqntid = array<i32: 64>",
        )
    } else {
        (
            "rocdl.workitem.id.x",
            "rocdl.kernel, rocdl.flat_work_group_size = \"64,64\"",
        )
    };
    let text = format!(
        r#""builtin.module"() ({{
  "llvm.func"() <{{function_type = !llvm.func<void (ptr<1>)>, sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>):
    %t = "{thread}"() : () -> i32
    {operations}
    %p = "llvm.getelementptr"(%out, %t) <{{elem_type = i32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    "llvm.store"(%x, %p) <{{ordering = 0 : i64}}> : (i32, !llvm.ptr<1>) -> ()
    "llvm.return"() : () -> ()
  }}) {{{kernel}}} : () -> ()
}}) {{ttg.target = "{target}", "ttg.threads-per-warp" = {lanes} : i32}} : () -> ()"#
    );
    let decoded = decode_generic(&text, None).unwrap();
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0xff; 256]);
    Launch::new(decoded.machine)
        .args([Arg::Buffer(out)])
        .run(&decoded.program, &mut memory)
        .unwrap();
    let words = memory.bytes(out).as_chunks::<4>().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// PTX: `barrier.red` reduces over all warps of the block.
#[test]
fn a_barrier_reduces_over_the_block() {
    for (reduction, of_none, of_some, of_all) in
        [("and", 0u32, 0, 1), ("or", 0, 1, 1), ("popc", 0, 5, 64)]
    {
        for (limit, expected) in [(0, of_none), (5, of_some), (64, of_all)] {
            let operations = format!(
                r#"%limit = "llvm.mlir.constant"() <{{value = {limit} : i32}}> : () -> i32
    %below = "llvm.icmp"(%t, %limit) <{{predicate = 2 : i64}}> : (i32, i32) -> i1
    %yes = "llvm.zext"(%below) : (i1) -> i32
    %x = "nvvm.barrier"(%yes) <{{operandSegmentSizes = array<i32: 0, 0, 1>, reductionOp = #nvvm.reduction<{reduction}>}}> : (i32) -> i32"#
            );
            assert_eq!(
                of_64_threads("cuda:90", 32, &operations),
                [expected; 64],
                "{reduction} of {limit} threads"
            );
        }
    }
}

/// ISA manuals: a DPP lane keeps the old value if its row of 16 or its bank of 4 is disabled.
#[test]
fn rows_and_banks_that_are_off_keep_their_value() {
    let swapped_pairs = 177;
    let constant = |name: &str, value: u32, ty: &str| {
        format!("%{name} = \"llvm.mlir.constant\"() <{{value = {value} : {ty}}}> : () -> {ty}\n")
    };
    let old = constant("old", 100, "i32");
    let operation = format!(
        r#"{old}%x = "rocdl.update.dpp"(%old, %t) <{{bankMask = 3 : i32, boundCtrl = false, dppCtrl = {swapped_pairs} : i32, rowMask = 5 : i32}}> : (i32, i32) -> i32"#
    );
    // The intrinsic takes the same numbers as operands.
    let numbers = [
        ("pattern", swapped_pairs, "i32"),
        ("rows", 5, "i32"),
        ("banks", 3, "i32"),
        ("bound", 0, "i1"),
    ];
    let numbers = numbers
        .map(|(name, value, ty)| constant(name, value, ty))
        .concat();
    let intrinsic = format!(
        r#"{old}{numbers}%x = "llvm.call_intrinsic"(%old, %t, %pattern, %rows, %banks, %bound) <{{intrin = "llvm.amdgcn.update.dpp.i32"}}> : (i32, i32, i32, i32, i32, i1) -> i32"#
    );
    let is_on = |lane: u32| [0, 2].contains(&(lane / 16)) && [0, 1].contains(&(lane % 16 / 4));
    let expected: Vec<u32> = (0..64)
        .map(|lane| if is_on(lane) { lane ^ 1 } else { 100 })
        .collect();
    for operations in [operation, intrinsic] {
        let found = of_64_threads("hip:gfx942", 64, &operations);
        assert_eq!(found, expected, "{operations}");
    }
}

/// CDNA 3 ISA: `v_cvt_pk_f32_fp8` converts the two codes in one half of a word. The codes 0x40, 0x48, ... are 1, 2, 4,
/// 8.
#[test]
fn codes_of_either_half_are_widened() {
    for (upper, index, expected) in [(0, 0, 1), (0, 1, 2), (1, 0, 4), (1, 1, 8)] {
        let operations = format!(
            r#"%w = "llvm.mlir.constant"() <{{value = 1481656384 : i32}}> : () -> i32
    %upper = "llvm.mlir.constant"() <{{value = {upper} : i1}}> : () -> i1
    %index = "llvm.mlir.constant"() <{{value = {index} : i32}}> : () -> i32
    %v = "llvm.call_intrinsic"(%w, %upper) <{{intrin = "llvm.amdgcn.cvt.pk.f32.fp8"}}> : (i32, i1) -> vector<2xf32>
    %f = "llvm.extractelement"(%v, %index) : (vector<2xf32>, i32) -> f32
    %x = "llvm.fptosi"(%f) : (f32) -> i32"#
        );
        let found = of_64_threads("hip:gfx942", 64, &operations);
        assert_eq!(found, [expected; 64], "{upper} {index}");
    }
}

/// CDNA 3 ISA: `v_cvt_pk_fp8_f32` writes two codes to one half of a word and preserves the other half.
#[test]
fn codes_are_put_into_either_half() {
    for (upper, expected) in [(0, 0x1234_4840), (1, 0x4840_5678)] {
        let operations = format!(
            r#"%old = "llvm.mlir.constant"() <{{value = 305419896 : i32}}> : () -> i32
    %upper = "llvm.mlir.constant"() <{{value = {upper} : i1}}> : () -> i1
    %a = "llvm.mlir.constant"() <{{value = 1.0 : f32}}> : () -> f32
    %b = "llvm.mlir.constant"() <{{value = 2.0 : f32}}> : () -> f32
    %x = "llvm.call_intrinsic"(%a, %b, %old, %upper) <{{intrin = "llvm.amdgcn.cvt.pk.fp8.f32"}}> : (f32, f32, i32, i1) -> i32"#
        );
        let found = of_64_threads("hip:gfx942", 64, &operations);
        assert_eq!(found, [expected; 64], "{upper}");
    }
}

/// Pointer arithmetic with `inbounds` may lead to any byte of a shared variable, or to the first byte after its
/// end. Any other address is an error.
#[test]
fn steps_stay_within_their_shared_memory() {
    let run = |index: i32| {
        let text = format!(
            r#""builtin.module"() ({{
  "llvm.mlir.global"() <{{addr_space = 3 : i32, global_type = !llvm.array<64 x i32>, sym_name = "first"}}> ({{
  }}) : () -> ()
  "llvm.mlir.global"() <{{addr_space = 3 : i32, global_type = !llvm.array<64 x i32>, sym_name = "second"}}> ({{
  }}) : () -> ()
  "llvm.func"() <{{sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>):
    %s = "llvm.mlir.addressof"() <{{global_name = @second}}> : () -> !llvm.ptr<3>
    %q = "llvm.getelementptr"(%s) <{{elem_type = i32, noWrapFlags = 1 : i32, rawConstantIndices = array<i32: {index}>}}> : (!llvm.ptr<3>) -> !llvm.ptr<3>
    %x = "llvm.ptrtoint"(%q) : (!llvm.ptr<3>) -> i32
    "llvm.store"(%x, %out) : (i32, !llvm.ptr<1>) -> ()
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: 1>}} : () -> ()
}}) : () -> ()"#
        );
        let decoded = decode_generic(&text, None).unwrap();
        let mut memory = Memory::default();
        let out = memory.add("out", vec![0; 4]);
        let launch = Launch::new(decoded.machine).args([Arg::Buffer(out)]);
        launch.run(&decoded.program, &mut memory)
    };
    for index in [0, 1, 63, 64] {
        assert!(run(index).is_ok(), "{index}");
    }
    for index in [-1, 65, 1000] {
        let error = run(index).unwrap_err();
        assert!(
            error.message().starts_with("`inbounds` does not hold"),
            "{error}"
        );
    }
}

#[test]
fn values_fit_what_takes_them() {
    let float = "%f = \"llvm.sitofp\"(%a) : (i32) -> f32\n";
    for name in ["inttoptr", "fptoui"] {
        let (from, value, to) = match name {
            "inttoptr" => ("f32", "%f", "!llvm.ptr<1>"),
            _ => ("!llvm.ptr<1>", "%p", "f32"),
        };
        let body = format!("{float}%x = \"llvm.{name}\"({value}) : ({from}) -> {to}");
        check_error(
            &kernel(&body),
            FaultKind::Malformed,
            &format!("a conversion from `{from}` to `{to}` is not supported"),
        );
    }
    let assembly = |ty: &str| {
        kernel(&format!(
            "%v = \"llvm.mlir.constant\"() <{{value = 1 : {ty}}}> : () -> {ty}\n\
             %x = \"llvm.inline_asm\"(%v) <{{asm_string = \"mov.u32 $0, $1;\", constraints = \"=r,r\"}}> : ({ty}) -> i32"
        ))
    };
    for ty in ["i16", "i32"] {
        assert!(decode_generic(&assembly(ty), None).is_ok(), "{ty}");
    }
    let expect = "operand of 64 bits for constraint `r`, expected at most 32 bits";
    check_error(&assembly("i64"), FaultKind::Malformed, expect);
}

/// ISA manuals: `v_mbcnt_lo_u32_b32` and `v_mbcnt_hi_u32_b32` count the lower lanes whose bit in the mask is set.
/// The first instruction counts in the low half of the mask, and the second in the high half.
#[test]
fn lanes_below_are_counted_in_halves() {
    let operations = |half: &str| {
        format!(
            r#"%mask = "llvm.mlir.constant"() <{{value = 1431655765 : i32}}> : () -> i32
    %base = "llvm.mlir.constant"() <{{value = 7 : i32}}> : () -> i32
    %x = "rocdl.mbcnt.{half}"(%mask, %base) : (i32, i32) -> i32"#
        )
    };
    // Every even lane of a half is in the mask.
    let in_half = |below: u32| 7 + below.min(32).div_ceil(2);
    let low: Vec<u32> = (0..64).map(in_half).collect();
    let high: Vec<u32> = (0u32..64)
        .map(|lane| in_half(lane.saturating_sub(32)))
        .collect();
    assert_eq!(of_64_threads("hip:gfx942", 64, &operations("lo")), low);
    assert_eq!(of_64_threads("hip:gfx942", 64, &operations("hi")), high);
}

#[test]
fn fields_of_a_struct_are_counted_from_zero() {
    let field = |index: i64| {
        kernel(&format!(
            "%f = \"llvm.getelementptr\"(%p) <{{elem_type = !llvm.struct<(i32, i64)>, rawConstantIndices = array<i32: 0, {index}>}}> : (!llvm.ptr<1>) -> !llvm.ptr<1>"
        ))
    };
    for index in [0, 1] {
        assert!(decode_generic(&field(index), None).is_ok(), "{index}");
    }
    for index in [2, 3, -1] {
        let expect = format!("the struct has no field {index}");
        check_error(&field(index), FaultKind::Malformed, &expect);
    }
}

#[test]
fn each_wave_exchanges_its_own_values() {
    let constants = r#"%one = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
    %four = "llvm.mlir.constant"() <{value = 4 : i32}> : () -> i32
    %mask = "llvm.mlir.constant"() <{value = 31 : i32}> : () -> i32
    %lane = "llvm.and"(%t, %mask) : (i32, i32) -> i32
    %other = "llvm.xor"(%lane, %one) : (i32, i32) -> i32
    %at = "llvm.mul"(%other, %four) : (i32, i32) -> i32
"#;
    for name in ["rocdl.ds_bpermute", "ds.permute"] {
        let exchange = match name {
            "ds.permute" => r#"%x = "llvm.call_intrinsic"(%at, %t) <{intrin = "llvm.amdgcn.ds.permute"}> : (i32, i32) -> i32"#.to_owned(),
            name => format!(r#"%x = "{name}"(%at, %t) : (i32, i32) -> i32"#),
        };
        let found = of_64_threads("hip:gfx1100", 32, &format!("{constants}    {exchange}"));
        assert_eq!(found, (0..64).map(|t| t ^ 1).collect::<Vec<_>>(), "{name}");
    }
    let first = r#"%x = "rocdl.readfirstlane"(%t) : (i32) -> i32"#;
    let found = of_64_threads("hip:gfx1100", 32, first);
    assert_eq!(found, (0..64).map(|t| t & 32).collect::<Vec<_>>());
}

/// If a module has no target, a kernel with the attribute `rocdl.kernel` or with a ROCDL operation runs on an AMD
/// machine, and any other kernel runs on an NVIDIA machine.
#[test]
fn a_kernel_without_a_target_has_its_vendors_machine() {
    let lanes = |mark: &str, operation: &str| {
        let text = format!(
            r#""builtin.module"() ({{
  "llvm.func"() <{{sym_name = "k"}}> ({{
    {operation}
    "llvm.return"() : () -> ()
  }}) {{{mark}}} : () -> ()
}}) : () -> ()"#
        );
        decode_generic(&text, Some("k"))
            .unwrap()
            .machine
            .lanes_per_warp
    };
    let workitem = r#"%t = "rocdl.workitem.id.x"() : () -> i32"#;
    let thread = r#"%t = "nvvm.read.ptx.sreg.tid.x"() : () -> i32"#;
    assert_eq!(lanes("rocdl.kernel", ""), 64);
    assert_eq!(lanes("", workitem), 64);
    assert_eq!(lanes("rocdl.kernel", workitem), 64);
    assert_eq!(lanes("nvvm.kernel", thread), 32);
    assert_eq!(lanes("", ""), 32);
}

/// ISA manuals: with `v_permlanex16_b32`, each lane reads a lane of the other row of 16 lanes. Four bits per lane
/// select the lane to read.
#[test]
fn lanes_of_the_other_row_are_read_as_selected() {
    let operations = r#"%low = "llvm.mlir.constant"() <{value = -1985229329 : i32}> : () -> i32
    %high = "llvm.mlir.constant"() <{value = 19088743 : i32}> : () -> i32
    %x = "rocdl.permlanex16"(%t, %t, %low, %high) <{boundControl = false, fi = false}> : (i32, i32, i32, i32) -> i32"#;
    // 0x89abcdef and 0x01234567: lane 0 reads lane 15, lane 1 lane 14, ...
    let expected: Vec<u32> = (0..64)
        .map(|lane| ((lane / 16) ^ 1) * 16 + 15 - lane % 16)
        .collect();
    assert_eq!(of_64_threads("hip:gfx1100", 32, operations), expected);
}

/// RDNA has waves of 32 and 64 lanes; all other targets have one size.
#[test]
fn a_module_has_warps_that_its_target_has() {
    let module = |target: &str, lanes: u32| {
        kernel("").replacen(
            "}) : () -> ()\n}) : () -> ()",
            &format!(
                "}}) : () -> ()\n}}) {{ttg.target = \"{target}\", \"ttg.threads-per-warp\" = {lanes} : i32}} : () -> ()"
            ),
            1,
        )
    };
    for (target, lanes) in [
        ("cuda:90", 32),
        ("hip:gfx942", 64),
        ("hip:gfx1100", 32),
        ("hip:gfx1100", 64),
    ] {
        let decoded = decode_generic(&module(target, lanes), None).unwrap();
        assert_eq!(decoded.machine.lanes_per_warp, lanes, "{target}");
    }
    for (target, lanes, expect) in [
        (
            "cuda:90",
            64,
            "target `cuda:90` has warps of 32 lanes, but the module has warps of 64 lanes",
        ),
        (
            "hip:gfx1100",
            16,
            "target `hip:gfx1100` has warps of 32 or 64 lanes, but the module has warps of 16 lanes",
        ),
    ] {
        check_error(&module(target, lanes), FaultKind::Launch, expect);
    }
}
