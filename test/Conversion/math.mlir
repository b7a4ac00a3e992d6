// Functions that GPUs have instructions for, and approximations of the others.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{target=hip:gfx1100})' %s | FileCheck %s --check-prefixes=CHECK,ROCDL

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @powers
  tt.func public @powers(%x: f32, %h: f16, %o: !tt.ptr<f32>, %q: !tt.ptr<f16>) {
    // NVVM: llvm.intr.exp2(%{{.+}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    // ROCDL: llvm.intr.exp2(%{{.+}}) : (f32) -> f32
    %0 = math.exp2 %x : f32
    // NVVM: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
    // ROCDL: llvm.call_intrinsic "llvm.amdgcn.rsq"
    %1 = math.rsqrt %0 : f32
    // CHECK-NOT: llvm.intr.log
    // CHECK-COUNT-8: llvm.intr.fma
    %2 = math.log %1 : f32
    tt.store %o, %2 : !tt.ptr<f32>
    // Of 16 bits: in f32.
    // CHECK: llvm.fpext %{{.+}} : f16 to f32
    // CHECK: llvm.fptrunc %{{.+}} : f32 to f16
    %3 = math.exp %h : f16
    tt.store %q, %3 : !tt.ptr<f16>
    tt.return
  }

  // Large angles take another way, which is long.
  // CHECK-LABEL: llvm.func @angles
  tt.func public @angles(%x: f32, %o: !tt.ptr<f32>) {
    // CHECK: llvm.cond_br
    // CHECK-NOT: llvm.intr.sin
    // CHECK: llvm.mul %{{.+}}, %{{.+}} : i64
    %0 = math.sin %x : f32
    tt.store %o, %0 : !tt.ptr<f32>
    tt.return
  }
}
