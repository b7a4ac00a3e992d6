// The shared memory of a conversion leaves as many blocks resident as the registers of its operand. An operand with more
// registers than a thread has spills, and does not count as one block per SM: two blocks of 128 threads with 255 registers
// each have 113 KiB each, so the conversion takes two passes through 64 KiB instead of one through 128 KiB.

// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s

// CHECK: ttg.shared = 65536 : i32
// CHECK-COUNT-3: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0

#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%out: !tt.ptr<i64> {tt.divisibility = 16 : i32}) {
    %r0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %c0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<128x1xi32, #rows>
    %c1 = tt.expand_dims %c0 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x128xi32, #rows>
    %r = tt.broadcast %r1 : tensor<128x1xi32, #rows> -> tensor<128x128xi32, #rows>
    %c = tt.broadcast %c1 : tensor<1x128xi32, #rows> -> tensor<128x128xi32, #rows>
    %at = arith.addi %r, %c : tensor<128x128xi32, #rows>
    %x = arith.extsi %at : tensor<128x128xi32, #rows> to tensor<128x128xi64, #rows>
    %y = ttg.convert_layout %x : tensor<128x128xi64, #rows> -> tensor<128x128xi64, #columns>
    %p = tt.splat %out : !tt.ptr<i64> -> tensor<128x128x!tt.ptr<i64>, #columns>
    tt.store %p, %y : tensor<128x128x!tt.ptr<i64>, #columns>
    tt.return
  }
}
