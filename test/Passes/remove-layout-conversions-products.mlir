// RUN: ll-opt --remove-layout-conversions=explain=true -verify-diagnostics %s

// A product counts at the price of its plan, 32 instructions of 8 cycles, for each iteration that a loop counts.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bases = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark@+1 {{costs 256 cycles with 0 conversions}}
  tt.func @product(%a: tensor<64x64xf16, #left>, %b: tensor<64x64xf16, #right>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // expected-remark@+1 {{costs 2048 cycles with 0 conversions}}
  tt.func @in_a_loop(%a: tensor<64x64xf16, #left>, %b: tensor<64x64xf16, #right>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<64x64xf32, #mma> : i32 {
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // An operand in another layout is converted by the product, of which nothing is seen in the IR.
  // expected-remark@+1 {{with 0 conversions}}
  tt.func @hidden(%a: tensor<64x64xf16, #bases>, %b: tensor<64x64xf16, #bases>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // expected-remark@+1 {{product uses mma.m16n8k16.f32.f16 and converts the left operand and the right operand internally:}}
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #bases> * tensor<64x64xf16, #bases> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
