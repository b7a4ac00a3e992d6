// An operand whose contiguous dim is not the one of the product: direct copies would be 1 or 4 bytes wide. Wide copies fill a
// swizzled slot, and threads transpose tiles of 4 x 16 elements.
// RUN: ll-opt --pipeline-loops=explain=true --choose-transfer-layouts --verify-diagnostics %s | FileCheck %s

#columns = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: #linear = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [0, 8]
  // CHECK: #shared1 = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>
  // CHECK-LABEL: @bytes
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x128x128xi8, #shared1, #smem, mutable>
  // CHECK: scf.for
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: [[TILE:%.*]] = ttg.local_load {{.*}}#shared1, #smem, mutable> -> tensor<128x128xi8, #linear>
  // CHECK: [[COPY:%.*]] = ttg.local_alloc [[TILE]]
  // CHECK: ttng.warp_group_dot %{{.*}}, [[COPY]],
  tt.func public @bytes(%a: !ttg.memdesc<128x128xi8, #shared, #smem>, %q: tensor<128x128x!tt.ptr<i8>, #columns> {tt.contiguity = dense<[1, 16]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<128x128xi32, #mma> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 128 : i32
    %none = arith.constant dense<0> : tensor<128x128xi32, #mma>
    // expected-remark@+1 {{loop pipelined: 1 load fills 3 slots of 16384 bytes, 2 iterations ahead}}
    %sum = scf.for %i = %zero to %n step %step iter_args(%c = %none) -> (tensor<128x128xi32, #mma>) : i32 {
      %is = tt.splat %i : i32 -> tensor<128x128xi32, #columns>
      %at = tt.addptr %q, %is : tensor<128x128x!tt.ptr<i8>, #columns>, tensor<128x128xi32, #columns>
      %y = tt.load %at : tensor<128x128x!tt.ptr<i8>, #columns>
      %b = ttg.local_alloc %y : (tensor<128x128xi8, #columns>) -> !ttg.memdesc<128x128xi8, #turned, #smem>
      %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #turned, #smem> -> tensor<128x128xi32, #mma>
      scf.yield %d : tensor<128x128xi32, #mma>
    }
    tt.return %sum : tensor<128x128xi32, #mma>
  }
}
