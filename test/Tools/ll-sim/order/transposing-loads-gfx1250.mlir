// Transposing loads of a wave, and stores behind them.

// RUN: ll-sim %s -q --arg out=zeros:i16:64
// RUN: ll-sim %s -q --arg out=zeros:i16:64 --schedule=1
// RUN: ll-sim %s -q --arg out=zeros:i16:64 --schedule=2
// RUN: ll-sim %s -q --arg out=zeros:i16:64 --schedule=3
// RUN: ll-sim %s -q --arg out=zeros:i16:64 --schedule=4

#a = #ttg.blocked<{sizePerThread = [8, 2], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [0, 1]}>
#b = #ttg.linear<{register = [[8, 0], [16, 0], [32, 0], [0, 2], [4, 0]], lane = [[2, 0], [0, 8], [0, 4], [0, 1], [1, 0]], warp = [], block = []}>
#ar = #ttg.slice<{dim = 1, parent = #a}>
#br = #ttg.slice<{dim = 1, parent = #b}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%out: !tt.ptr<i16> {tt.divisibility = 16 : i32}) {
    %v1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ar>
    %v2 = tt.expand_dims %v1 {axis = 1 : i32} : tensor<64xi32, #ar> -> tensor<64x1xi32, #a>
    %v3 = tt.broadcast %v2 : tensor<64x1xi32, #a> -> tensor<64x16xi32, #a>
    %v4 = arith.trunci %v3 : tensor<64x16xi32, #a> to tensor<64x16xi16, #a>
    %v19 = ttg.convert_layout %v4 : tensor<64x16xi16, #a> -> tensor<64x16xi16, #b>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #br>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #br> -> tensor<64x1xi32, #b>
    %r3 = tt.broadcast %r2 : tensor<64x1xi32, #b> -> tensor<64x16xi32, #b>
    %o = tt.splat %out : !tt.ptr<i16> -> tensor<64x16x!tt.ptr<i16>, #b>
    %p = tt.addptr %o, %r3 : tensor<64x16x!tt.ptr<i16>, #b>, tensor<64x16xi32, #b>
    tt.store %p, %v19 : tensor<64x16x!tt.ptr<i16>, #b>
    tt.return
  }
}
