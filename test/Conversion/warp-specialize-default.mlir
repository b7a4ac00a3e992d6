// `ttg.warp_specialize` without partitions: its default region is a part of the kernel, and no warps are added.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-sim %t.mlir --entry default_only --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#back = #ttg.linear<{register = [], lane = [[64], [32], [16], [8], [4]], warp = [[2], [1]], block = []}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @default_only
  // CHECK-SAME: nvvm.reqntid = array<i32: 128>
  tt.func public @default_only(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #four>
    %result = ttg.warp_specialize()
    default {
      %there = ttg.convert_layout %r : tensor<128xi32, #four> -> tensor<128xi32, #back>
      ttg.warp_yield %there : tensor<128xi32, #back>
    } : () -> tensor<128xi32, #back>
    %again = ttg.convert_layout %result : tensor<128xi32, #back> -> tensor<128xi32, #four>
    %base = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #four>
    %at = tt.addptr %base, %r : tensor<128x!tt.ptr<i32>, #four>, tensor<128xi32, #four>
    tt.store %at, %again : tensor<128x!tt.ptr<i32>, #four>
    tt.return
  }
}
