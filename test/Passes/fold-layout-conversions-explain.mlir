// RUN: ll-opt --fold-layout-conversions=explain=true -split-input-file -verify-diagnostics %s

// Each conversion is told what becomes of it, at its place.

#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#other = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @same_layout(%a: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #linear> {
    // expected-remark@+2 {{replaced `#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>` by `#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>` in the whole module: both are the same layout}}
    // expected-remark@+1 {{conversion removed: operand and result have the same layout}}
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #linear>
    tt.return %0 : tensor<16x16xf32, #linear>
  }

  tt.func @round_trip(%a: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #blocked> {
    // expected-remark@+1 {{conversion removed: the result has no uses}}
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #other>
    // expected-remark@+1 {{conversion removed: the value before the preceding conversions has the result layout}}
    %1 = ttg.convert_layout %0 : tensor<16x16xf32, #other> -> tensor<16x16xf32, #blocked>
    tt.return %1 : tensor<16x16xf32, #blocked>
  }

  tt.func @chain(%a: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #other> {
    // expected-remark@+1 {{conversion removed: the result has no uses}}
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32>
    // expected-remark@+2 {{operand replaced by the value before the preceding conversions}}
    // expected-remark@+1 {{conversion kept: data moves from `#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>` to `#ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>`}}
    %1 = ttg.convert_layout %0 : tensor<16x16xf32> -> tensor<16x16xf32, #other>
    tt.return %1 : tensor<16x16xf32, #other>
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @operand_of_the_next_product(%p: tensor<64x64xf16, #mma>, %v: tensor<64x64xf16, #right>, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // expected-remark@+1 {{conversion kept: no data moves, but `tt.dot` requires `#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>`}}
    %0 = ttg.convert_layout %p : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
    %1 = tt.dot %0, %v, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
    tt.return %1 : tensor<64x64xf32, #mma>
  }
}

// -----

// On 2x2 elements the two are one layout, on 16x16 they are not: both names stay.

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @differ_elsewhere(%a: tensor<32x1xf32, #rows>, %b: tensor<64x2xf32, #rows>, %c: tensor<64x2xf32, #columns>) -> tensor<32x1xf32, #columns> {
    // expected-remark@+1 {{conversion kept: its layouts are equal for this shape, but `#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>` and `#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [0, 1]}>` differ for other tensor shapes in the module}}
    %0 = ttg.convert_layout %a : tensor<32x1xf32, #rows> -> tensor<32x1xf32, #columns>
    tt.return %0 : tensor<32x1xf32, #columns>
  }
}

// -----

// What makes the layout by itself, and what moves.

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @made_again(%x: f32, %y: tensor<64x1xf32, #rows>, %m: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>) -> (tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>) {
    // The broadcast takes this conversion of its operand instead of the one of its result.
    // expected-remark@+1 {{conversion kept: data moves from}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #rows>
    // expected-remark@+1 {{conversion removed: the value is rematerialised in this layout}}
    %1 = ttg.convert_layout %0 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %2 = tt.broadcast %y : tensor<64x1xf32, #rows> -> tensor<64x64xf32, #rows>
    // expected-remark@+1 {{conversion removed: the value is produced in this layout}}
    %3 = ttg.convert_layout %2 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return %1, %3 : tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>
  }

  tt.func @shared(%x: tensor<64x64xf32, #rows>, %m: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>) {
    // expected-remark@+1 {{conversion removed: the users of the value take another layout}}
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    // expected-remark@+1 {{conversion removed: an earlier conversion has the same operand and result type}}
    %1 = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    ttg.local_store %0, %m : tensor<64x64xf32, #columns> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    tt.return
  }
}
