// `arith.truncf` with a rounding mode: by `cvt` on NVIDIA where there is one, elsewhere by a step from the nearest.
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s -o %t.mlir && ll-translate --emit=ptx %t.mlir -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx --enable-var-scope && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:80 %s -o %t.80.mlir && ll-translate --emit=ptx %t.80.mlir -o %t.80.ptx
// RUN: FileCheck %s --check-prefix=SM80 --input-file=%t.80.ptx && ptxas -arch=sm_80 %t.80.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx942 %s | FileCheck %s --check-prefix=AMD

module attributes {"ttg.num-warps" = 1 : i32} {
  // PTX-LABEL: .entry f32(
  // PTX-DAG: cvt.rp.f16.f32
  // PTX-DAG: cvt.rm.f16.f32
  // PTX-DAG: cvt.rz.f16.f32
  // PTX-DAG: cvt.rp.bf16.f32
  // PTX-DAG: cvt.rz.bf16.f32
  // PTX: ret;
  // SM80-LABEL: .entry f32(
  // SM80-NOT: cvt.rp.bf16.f32
  // SM80: cvt.rz.bf16.f32
  // SM80: ret;
  // AMD-LABEL: llvm.func @f32(
  // AMD: %[[N:.*]] = llvm.fptrunc %[[X:.*]] : f32 to f16
  // AMD: %[[BACK:.*]] = llvm.fpext %[[N]] : f16 to f32
  // AMD: llvm.fcmp "olt" %[[BACK]], %[[X]] : f32
  tt.func public @f32(%x: f32, %h0: !tt.ptr<f16>, %h1: !tt.ptr<f16>, %h2: !tt.ptr<f16>, %h3: !tt.ptr<f16>, %b4: !tt.ptr<bf16>, %b5: !tt.ptr<bf16>) {
    %0 = arith.truncf %x upward : f32 to f16
    %1 = arith.truncf %x downward : f32 to f16
    %2 = arith.truncf %x toward_zero : f32 to f16
    %3 = arith.truncf %x to_nearest_away : f32 to f16
    %4 = arith.truncf %x upward : f32 to bf16
    %5 = arith.truncf %x toward_zero : f32 to bf16
    tt.store %h0, %0 : !tt.ptr<f16>
    tt.store %h1, %1 : !tt.ptr<f16>
    tt.store %h2, %2 : !tt.ptr<f16>
    tt.store %h3, %3 : !tt.ptr<f16>
    tt.store %b4, %4 : !tt.ptr<bf16>
    tt.store %b5, %5 : !tt.ptr<bf16>
    tt.return
  }
}
