// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{target=cuda:80})' %s | FileCheck %s --check-prefixes=CHECK,NVVM

// A kernel with the right calling convention; nothing but the LLVM dialect is left.

#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: module attributes
// CHECK-SAME: ttg.shared = 0 : i32
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-NOT: {{(= |^ +)(tt|ttg|arith|scf)\.}}
  // CHECK: llvm.func @double(%{{.+}}: !llvm.ptr<1>
  // CHECK-SAME: llvm.align = 16
  // CHECK-SAME: %{{.+}}: i32
  // NVVM-SAME: nvvm.kernel
  // NVVM-SAME: nvvm.reqntid = array<i32: 128>
  // CHECK-NOT: {{(= |^ +)(tt|ttg|arith|scf)\.}}
  // CHECK: llvm.return
  tt.func public @double(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #row>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
    %at = tt.addptr %ps, %i : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %x = tt.load %at : tensor<512x!tt.ptr<f32>, #row>
    %y = arith.addf %x, %x : tensor<512xf32, #row>
    tt.store %at, %y : tensor<512x!tt.ptr<f32>, #row>
    tt.return
  }
}
