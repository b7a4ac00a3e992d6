// A function without shared memory, called by a kernel with some, does not round that up to where a callee's would begin.
// RUN: ll-opt --convert-layouts-to-llvm=abi=triton %s | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// The partial results of two warps, four bytes each.
// CHECK: ttg.shared = 8 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<f32>) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #a>
    %from = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>, #a>, tensor<64xi32, #a>
    %v = tt.load %from : tensor<64x!tt.ptr<f32>, #a>
    %largest = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %m = arith.maxnumf %l, %r : f32
      tt.reduce.return %m : f32
    }) : (tensor<64xf32, #a>) -> f32
    %half = tt.call @half(%largest) : (f32) -> f32
    tt.store %x, %half : !tt.ptr<f32>
    tt.return
  }

  tt.func private @half(%x: f32) -> f32 attributes {noinline = true} {
    %two = arith.constant 2.0 : f32
    %y = arith.divf %x, %two : f32
    tt.return %y : f32
  }
}
