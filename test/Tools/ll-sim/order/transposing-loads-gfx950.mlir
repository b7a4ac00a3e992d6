// Transposing loads of a wave, and stores behind them.

// RUN: ll-sim %s -q --arg out=zeros:i16:1 --arg 3:i16 --no-global-races
// RUN: ll-sim %s -q --arg out=zeros:i16:1 --arg 3:i16 --no-global-races --schedule=1
// RUN: ll-sim %s -q --arg out=zeros:i16:1 --arg 3:i16 --no-global-races --schedule=2
// RUN: ll-sim %s -q --arg out=zeros:i16:1 --arg 3:i16 --no-global-races --schedule=3
// RUN: ll-sim %s -q --arg out=zeros:i16:1 --arg 3:i16 --no-global-races --schedule=4

#a = #ttg.blocked<{sizePerThread = [1, 2, 2], threadsPerWarp = [1, 8, 8], warpsPerCTA = [1, 1, 1], order = [0, 1, 2]}>
#b = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [2, 8, 4], warpsPerCTA = [1, 1, 1], order = [0, 1, 2]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%out: !tt.ptr<i16>, %x: i16) {
    %v = tt.splat %x : i16 -> tensor<2x4x128xi16, #a>
    %c = ttg.convert_layout %v : tensor<2x4x128xi16, #a> -> tensor<2x4x128xi16, #b>
    %o = tt.splat %out : !tt.ptr<i16> -> tensor<2x4x128x!tt.ptr<i16>, #b>
    tt.store %o, %c : tensor<2x4x128x!tt.ptr<i16>, #b>
    tt.return
  }
}
