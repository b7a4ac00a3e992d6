// A processor that runs one block at a time keeps its registers for global loads: the operand from outside the loop is
// read in each round, although it would fit.
// RUN: ll-opt --reduce-data-duplication --verify-layout-rewrites %s | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // Words of a thread: 128 of the sum, 16 of the operand, and 32 more. 65536 registers are for one block of 256 threads.
  // CHECK-LABEL: @alone
  // CHECK: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: ttg.local_load {{.*}} : !ttg.memdesc<128x64xf16
  // CHECK: tt.dot
  tt.func public @alone(%p: tensor<128x64x!tt.ptr<f16>, #rows>, %right: !ttg.memdesc<64x256xf16, #shared, #smem>, %zero: tensor<128x256xf32, #mma>, %n: i32) -> tensor<128x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<128x64xf16, #rows> -> tensor<128x64xf16, #left>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x256xf32, #mma>) : i32 {
      %b = ttg.local_load %right : !ttg.memdesc<64x256xf16, #shared, #smem> -> tensor<64x256xf16, #right>
      %d = tt.dot %a, %b, %acc : tensor<128x64xf16, #left> * tensor<64x256xf16, #right> -> tensor<128x256xf32, #mma>
      scf.yield %d : tensor<128x256xf32, #mma>
    }
    tt.return %sum : tensor<128x256xf32, #mma>
  }

  // 64 of the sum: two blocks, so the operand is read once.
  // CHECK-LABEL: @two_blocks
  // CHECK: ttg.local_load {{.*}} : !ttg.memdesc<128x64xf16
  // CHECK: scf.for
  tt.func public @two_blocks(%p: tensor<128x64x!tt.ptr<f16>, #rows>, %right: !ttg.memdesc<64x128xf16, #shared, #smem>, %zero: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<128x64xf16, #rows> -> tensor<128x64xf16, #left>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %b = ttg.local_load %right : !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf16, #right>
      %d = tt.dot %a, %b, %acc : tensor<128x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %sum : tensor<128x128xf32, #mma>
  }
}
