// Transposing loads in a conversion within one wave.

// RUN: ll-sim %s -q --arg x=random:bf16:4096 --arg y=zeros:bf16:4096
// RUN: ll-sim %s -q --arg x=random:bf16:4096 --arg y=zeros:bf16:4096 --schedule=1
// RUN: ll-sim %s -q --arg x=random:bf16:4096 --arg y=zeros:bf16:4096 --schedule=2
// RUN: ll-sim %s -q --arg x=random:bf16:4096 --arg y=zeros:bf16:4096 --schedule=3
// RUN: ll-sim %s -q --arg x=random:bf16:4096 --arg y=zeros:bf16:4096 --schedule=4

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %k64 = arith.constant dense<64> : tensor<64x1xi32, #blocked1>
    %rm = arith.muli %re, %k64 : tensor<64x1xi32, #blocked1>
    %rb = tt.broadcast %rm : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %cb = tt.broadcast %ce : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %o = arith.addi %rb, %cb : tensor<64x64xi32, #blocked1>
    %p = tt.splat %x : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>, #blocked1>
    %q = tt.addptr %p, %o : tensor<64x64x!tt.ptr<bf16>, #blocked1>, tensor<64x64xi32, #blocked1>
    %v = tt.load %q : tensor<64x64x!tt.ptr<bf16>, #blocked1>
    %w = ttg.convert_layout %v : tensor<64x64xbf16, #blocked1> -> tensor<64x64xbf16, #blocked>
    %o2 = ttg.convert_layout %o : tensor<64x64xi32, #blocked1> -> tensor<64x64xi32, #blocked>
    %p2 = tt.splat %y : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>, #blocked>
    %q2 = tt.addptr %p2, %o2 : tensor<64x64x!tt.ptr<bf16>, #blocked>, tensor<64x64xi32, #blocked>
    tt.store %q2, %w : tensor<64x64x!tt.ptr<bf16>, #blocked>
    tt.return
  }
}
