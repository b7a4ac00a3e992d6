// RUN: ll-sim %s -q --lower='builtin.module(resolve-auto-layouts,convert-layouts-to-llvm{target=cuda:90})' --arg x=iota:i32:4096 --arg 2:i32 --arg o=zeros:i32:64 --arg e=full:1:i32:64 --expect-same o=e
// RUN: ll-sim %s -q --lower='builtin.module(layout-pipeline{target=cuda:90})' --arg x=iota:i32:4096 --arg 2:i32 --arg o=zeros:i32:64 --arg e=full:1:i32:64 --expect-same o=e
// RUN: ll-sim %s -q --lower='builtin.module(layout-pipeline{target=hip:gfx1100})' --arg x=iota:i32:4096 --arg 2:i32 --arg o=zeros:i32:64 --arg e=full:1:i32:64 --expect-same o=e

// Sums of rows, read as memory is best accessed, twice over in a loop; beside them what they are: row `i` holds the
// numbers from 64 i on, which come to 4096 i + 2016.

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sums(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %o: !tt.ptr<i32>, %e: !tt.ptr<i32>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #gluon.auto_encoding>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #gluon.auto_encoding>
    %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #gluon.auto_encoding> -> tensor<64x1xi32, #gluon.auto_encoding>
    %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #gluon.auto_encoding> -> tensor<1x64xi32, #gluon.auto_encoding>
    %stride = arith.constant dense<64> : tensor<64x1xi32, #gluon.auto_encoding>
    %scaled = arith.muli %rows, %stride : tensor<64x1xi32, #gluon.auto_encoding>
    %a = tt.broadcast %scaled : tensor<64x1xi32, #gluon.auto_encoding> -> tensor<64x64xi32, #gluon.auto_encoding>
    %b = tt.broadcast %columns : tensor<1x64xi32, #gluon.auto_encoding> -> tensor<64x64xi32, #gluon.auto_encoding>
    %at = arith.addi %a, %b : tensor<64x64xi32, #gluon.auto_encoding>
    %base = tt.splat %x : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>, #gluon.auto_encoding>
    %pointers = tt.addptr %base, %at : tensor<64x64x!tt.ptr<i32>, #gluon.auto_encoding>, tensor<64x64xi32, #gluon.auto_encoding>
    %coalesced = gluon.set_auto_layout %pointers : tensor<64x64x!tt.ptr<i32>, #gluon.auto_encoding> -> tensor<64x64x!tt.ptr<i32>, #gluon.coalesced_encoding>
    %none = arith.constant dense<0> : tensor<64x64xi32, #gluon.coalesced_encoding>
    %total = scf.for %round = %zero to %n step %one iter_args(%sum = %none) -> (tensor<64x64xi32, #gluon.coalesced_encoding>) : i32 {
      %value = tt.load %coalesced : tensor<64x64x!tt.ptr<i32>, #gluon.coalesced_encoding>
      %next = arith.addi %sum, %value : tensor<64x64xi32, #gluon.coalesced_encoding>
      scf.yield %next : tensor<64x64xi32, #gluon.coalesced_encoding>
    }
    %sums = "tt.reduce"(%total) <{axis = 1 : i32}> ({
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      tt.reduce.return %s : i32
    }) : (tensor<64x64xi32, #gluon.coalesced_encoding>) -> tensor<64xi32, #gluon.coalesced_encoding>
    %lines = ttg.convert_layout %sums : tensor<64xi32, #gluon.coalesced_encoding> -> tensor<64xi32, #gluon.auto_encoding>
    %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #gluon.auto_encoding>
    %outs = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #gluon.auto_encoding>
    %out = tt.addptr %outs, %k : tensor<64x!tt.ptr<i32>, #gluon.auto_encoding>, tensor<64xi32, #gluon.auto_encoding>
    %here = gluon.set_auto_layout %out : tensor<64x!tt.ptr<i32>, #gluon.auto_encoding> -> tensor<64x!tt.ptr<i32>, #line>
    %sum = gluon.set_auto_layout %lines : tensor<64xi32, #gluon.auto_encoding> -> tensor<64xi32, #line>
    tt.store %here, %sum : tensor<64x!tt.ptr<i32>, #line>
    %f = arith.constant dense<8192> : tensor<64xi32, #gluon.auto_encoding>
    %g = arith.constant dense<4032> : tensor<64xi32, #gluon.auto_encoding>
    %h = arith.muli %k, %f : tensor<64xi32, #gluon.auto_encoding>
    %m = arith.addi %h, %g : tensor<64xi32, #gluon.auto_encoding>
    %expected = gluon.set_auto_layout %m : tensor<64xi32, #gluon.auto_encoding> -> tensor<64xi32, #line>
    %bases = tt.splat %e : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #gluon.auto_encoding>
    %there = tt.addptr %bases, %k : tensor<64x!tt.ptr<i32>, #gluon.auto_encoding>, tensor<64xi32, #gluon.auto_encoding>
    %set = gluon.set_auto_layout %there : tensor<64x!tt.ptr<i32>, #gluon.auto_encoding> -> tensor<64x!tt.ptr<i32>, #line>
    tt.store %set, %expected : tensor<64x!tt.ptr<i32>, #line>
    tt.return
  }
}
