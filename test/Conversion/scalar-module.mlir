// A module without tensors that does not give its warps has Triton's four, of as many lanes as the GPU has. A private
// function that no kernel calls is left out.
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s | FileCheck %s --check-prefixes=CHECK,NVIDIA
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx942 %s | FileCheck %s --check-prefixes=CHECK,AMD

// NVIDIA: module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90"}
// AMD: module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32}
// CHECK-LABEL: llvm.func @f(
// NVIDIA-SAME: nvvm.reqntid = array<i32: 128>
// AMD-SAME: rocdl.reqd_work_group_size = array<i32: 256, 1, 1>
tt.func public @f(%arg0: f32, %p: !tt.ptr<f8E4M3FN>) {
  %0 = tt.fp_to_fp %arg0, rounding = rtne : f32 -> f8E4M3FN
  tt.store %p, %0 : !tt.ptr<f8E4M3FN>
  tt.return
}
// CHECK-NOT: @unused
tt.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}
