// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#far = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// The memory that the conversion takes is the module's to ask for.
// CHECK: module attributes
// CHECK-SAME: ttg.shared = {{[1-9][0-9]*}} : i32
module attributes {ttg.target = "hip:gfx942", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // CHECK: llvm.func @copy(%{{.+}}: !llvm.ptr<1>
  // CHECK-SAME: rocdl.flat_work_group_size = "256,256"
  // CHECK-SAME: rocdl.kernel
  // CHECK: rocdl.workitem.id.x
  // CHECK: rocdl{{.*}}barrier
  tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #row>
    %j = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #far>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #row>
    %pd = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #far>
    %from = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>, #row>, tensor<1024xi32, #row>
    %to = tt.addptr %pd, %j : tensor<1024x!tt.ptr<f32>, #far>, tensor<1024xi32, #far>
    %x = tt.load %from : tensor<1024x!tt.ptr<f32>, #row>
    %y = ttg.convert_layout %x : tensor<1024xf32, #row> -> tensor<1024xf32, #far>
    tt.store %to, %y : tensor<1024x!tt.ptr<f32>, #far>
    tt.return
  }
}
