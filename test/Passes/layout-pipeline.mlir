// RUN: ll-opt --layout-pipeline %s | FileCheck %s --check-prefixes=CHECK,NV
// RUN: not ll-opt --layout-pipeline=target=cuda:91 %s 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}} unknown target `cuda:91`

// Default layouts: the loads and the store are four elements wide, and nothing is converted.

// NV: ttg.target = "cuda:90"
#default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @double
  tt.func public @double(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK: llvm.load %{{.+}} -> vector<4xf32>
    // CHECK: llvm.store %{{.+}} : vector<4xf32>
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #default>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #default>
    %at = tt.addptr %ps, %i : tensor<512x!tt.ptr<f32>, #default>, tensor<512xi32, #default>
    %x = tt.load %at : tensor<512x!tt.ptr<f32>, #default>
    %y = arith.addf %x, %x : tensor<512xf32, #default>
    tt.store %at, %y : tensor<512x!tt.ptr<f32>, #default>
    tt.return
  }
}
