// The initial sum of a loop's warp-group product is materialised in registers before the loop, also if a wait passes it to
// the product. If LLVM set the registers where the loop is skipped, `ptxas` would serialise the products (message C7515).
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @f
  // CHECK: [[ZERO:%.*]] = llvm.mlir.constant(0.000000e+00 : f32)
  // CHECK: [[SUM:%.*]] = llvm.inline_asm has_side_effects "", "=f,
  // CHECK-SAME: ~{memory}" [[ZERO]], [[ZERO]]
  // CHECK: [[FIRST:%.*]] = llvm.extractvalue [[SUM]][0]
  // CHECK: llvm.br ^bb1({{.*}}, [[FIRST]]
  // CHECK: llvm.cond_br
  tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #rows>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %sum = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> tensor<64x64xf32, #mma> : i32 {
      %s = ttng.warp_group_dot %b, %b, %none {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %w:2 = ttng.warp_group_dot_wait %s, %c {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
      %next = ttng.warp_group_dot %b, %b, %w#1 {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    %d = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %all = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %all, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
