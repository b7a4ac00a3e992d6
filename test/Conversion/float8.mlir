// Floats of 8 bits: by instructions, two or four at a time, where the GPU has them; else by one sequence for all.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:80 %s -o %t.80.mlir && FileCheck %s --check-prefix=SOFT --input-file=%t.80.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1200 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.1100.mlir && FileCheck %s --check-prefix=SOFT --input-file=%t.1100.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=ptx %t.80.mlir -o %t.80.ptx && ptxas -arch=sm_80 %t.80.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:89 %s | ll-translate --emit=ptx - -o %t.89.ptx && ptxas -arch=sm_89 %t.89.ptx -o /dev/null
// RUN: ll-translate --emit=amdgcn %t.amd.mlir -o %t.s && FileCheck %s --check-prefix=GCN --input-file=%t.s
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1250 %s | ll-translate --emit=object - -o %t.1250.o

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @narrow
  // CHECK-COUNT-2: llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f"
  // CHECK-COUNT-2: llvm.inline_asm "cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;", "=h,r"
  // SOFT-LABEL: llvm.func @narrow
  // SOFT-NOT: llvm.inline_asm{{.*}}cvt
  // AMD-LABEL: llvm.func @narrow
  // AMD: llvm.call_intrinsic "llvm.amdgcn.fmed3"
  // AMD: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.fp8.f32"
  // AMD: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.bf8.f32"
  // PTX: cvt.rn.satfinite.e4m3x2.f32
  // PTX: st.global.v2.b16
  // GCN: v_med3_num_f32
  // GCN: v_cvt_pk_fp8_f32 v[[WORD:[0-9]+]], {{.*}}
  // GCN: v_cvt_pk_fp8_f32 v[[WORD]], {{.*}} op_sel:[0,0,1]
  tt.func public @narrow(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %h: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                         %a: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %hs = tt.splat %h : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #b>
    %hp = tt.addptr %hs, %r : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
    %as = tt.splat %a : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>, #b>
    %ap = tt.addptr %as, %r : tensor<512x!tt.ptr<f8E4M3FN>, #b>, tensor<512xi32, #b>
    %bs = tt.splat %b : !tt.ptr<f8E5M2> -> tensor<512x!tt.ptr<f8E5M2>, #b>
    %bp = tt.addptr %bs, %r : tensor<512x!tt.ptr<f8E5M2>, #b>, tensor<512xi32, #b>
    %xv = tt.load %xp : tensor<512x!tt.ptr<f32>, #b>
    %hv = tt.load %hp : tensor<512x!tt.ptr<f16>, #b>
    %av = tt.fp_to_fp %xv, rounding = rtne : tensor<512xf32, #b> -> tensor<512xf8E4M3FN, #b>
    tt.store %ap, %av : tensor<512x!tt.ptr<f8E4M3FN>, #b>
    %bv = tt.fp_to_fp %hv, rounding = rtne : tensor<512xf16, #b> -> tensor<512xf8E5M2, #b>
    tt.store %bp, %bv : tensor<512x!tt.ptr<f8E5M2>, #b>
    tt.return
  }

  // CHECK-LABEL: llvm.func @widen
  // CHECK-COUNT-2: llvm.inline_asm "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"
  // AMD-LABEL: llvm.func @widen
  // AMD-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.fp8"
  tt.func public @widen(%a: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %o: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %as = tt.splat %a : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>, #b>
    %ap = tt.addptr %as, %r : tensor<512x!tt.ptr<f8E4M3FN>, #b>, tensor<512xi32, #b>
    %os = tt.splat %o : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>, #b>
    %op = tt.addptr %os, %r : tensor<512x!tt.ptr<bf16>, #b>, tensor<512xi32, #b>
    %av = tt.load %ap : tensor<512x!tt.ptr<f8E4M3FN>, #b>
    %ov = tt.fp_to_fp %av : tensor<512xf8E4M3FN, #b> -> tensor<512xbf16, #b>
    tt.store %op, %ov : tensor<512x!tt.ptr<bf16>, #b>
    tt.return
  }

  // One that has no instructions here, by `arith`, rounded towards zero.
  // CHECK-LABEL: llvm.func @scalar
  // CHECK: llvm.fptosi
  tt.func public @scalar(%x: f32, %o: !tt.ptr<f8E4M3FNUZ>) {
    %y = arith.truncf %x toward_zero : f32 to f8E4M3FNUZ
    tt.store %o, %y : !tt.ptr<f8E4M3FNUZ>
    tt.return
  }
}
