// TMA copies that start one or two iterations ahead leave no product in flight at the end of an iteration, since another
// block is resident. With three iterations ahead, the product stays in flight.
// RUN: ll-opt --pipeline-loops=num-stages=3 %s | FileCheck %s --check-prefixes=CHECK,WAITS
// RUN: ll-opt --pipeline-loops=num-stages=4 %s | FileCheck %s --check-prefixes=CHECK,CROSSES

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @product
  // WAITS: ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16
  // CROSSES: ttg.local_alloc : () -> !ttg.memdesc<5x64x32xf16
  // CHECK: scf.for
  // CHECK: ttng.wait_barrier
  // WAITS: ttng.async_tma_copy_global_to_local
  // WAITS: ttng.async_tma_copy_global_to_local
  // CHECK: ttng.warp_group_dot
  // CROSSES-SAME: isAsync = true
  // CROSSES: ttng.async_tma_copy_global_to_local
  // CROSSES: ttng.async_tma_copy_global_to_local
  // WAITS-NOT: ttng.warp_group_dot_wait
  // CROSSES: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
  // CHECK: scf.yield
  tt.func public @product(%left: !tt.tensordesc<64x32xf16, #shared>, %right: !tt.tensordesc<64x32xf16, #shared>, %n: i32, %m: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %sum = scf.for %i = %zero to %n step %step iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.descriptor_load %left[%m, %i] : !tt.tensordesc<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %y = tt.descriptor_load %right[%m, %i] : !tt.tensordesc<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
      %b = ttg.local_alloc %y : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<32x64xf16, #turned, #smem>
      %d = ttng.warp_group_dot %a, %t, %c : !ttg.memdesc<64x32xf16, #shared, #smem> * !ttg.memdesc<32x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
}
