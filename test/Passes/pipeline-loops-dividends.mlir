// The columns of B are taken modulo n. They are contiguous if no dividend is negative, which the kernel does not show.
// RUN: ll-opt --pipeline-loops=explain=true %s -o %t 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: ll-opt --pipeline-loops='explain=true triton-indices=true' %s -o %t 2>&1 | FileCheck %s --check-prefix=NON-NEGATIVE
// ANY: remark: loop pipelined: 1 load fills 3 slots of 4096 bytes, 2 iterations ahead; another load not pipelined: only 2 bytes per thread are contiguous in global and shared memory, expected at least 4
// NON-NEGATIVE: remark: loop pipelined: 2 loads fill 3 slots of 8192 bytes, 2 iterations ahead{{$}}

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @modulo(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %first: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %ns = tt.splat %n : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %js = arith.addi %range, %firsts : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %within = arith.remsi %js, %ns : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %row = tt.expand_dims %within {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>> -> tensor<1x64xi32, #columns>
    %offsets = tt.broadcast %row : tensor<1x64xi32, #columns> -> tensor<32x64xi32, #columns>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #columns>
    %q = tt.addptr %bs, %offsets : tensor<32x64x!tt.ptr<f16>, #columns>, tensor<32x64xi32, #columns>
    %sum = scf.for %i = %zero to %k step %one iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %xs = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %left = ttg.local_load %xs : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #left>
      %y = tt.load %q : tensor<32x64x!tt.ptr<f16>, #columns>
      %ys = ttg.local_alloc %y : (tensor<32x64xf16, #columns>) -> !ttg.memdesc<32x64xf16, #shared, #smem>
      %right = ttg.local_load %ys : !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<32x64xf16, #right>
      %d = tt.dot %left, %right, %c : tensor<64x32xf16, #left> * tensor<32x64xf16, #right> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
}
