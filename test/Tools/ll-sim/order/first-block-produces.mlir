// A release of one block and an acquire of another one order the surrounding accesses.

// RUN: ll-sim %s -q --grid 2 --arg flag=zeros:i32:1 --arg data=zeros:i32:128 --arg out=zeros:i32:128
// RUN: ll-sim %s -q --grid 2 --arg flag=zeros:i32:1 --arg data=zeros:i32:128 --arg out=zeros:i32:128 --schedule=1
// RUN: ll-sim %s -q --grid 2 --arg flag=zeros:i32:1 --arg data=zeros:i32:128 --arg out=zeros:i32:128 --schedule=2
// RUN: ll-sim %s -q --grid 2 --arg flag=zeros:i32:1 --arg data=zeros:i32:128 --arg out=zeros:i32:128 --schedule=3
// RUN: ll-sim %s -q --grid 2 --arg flag=zeros:i32:1 --arg data=zeros:i32:128 --arg out=zeros:i32:128 --schedule=4

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%flag: !tt.ptr<i32>, %data: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %id = tt.get_program_id x : i32
    %is = arith.cmpi eq, %id, %c0 : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %ds = tt.splat %data : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %d = tt.addptr %ds, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    scf.if %is {
      tt.store %d, %r : tensor<128x!tt.ptr<i32>, #a>
      ttg.barrier all
      %old = tt.atomic_rmw exch, release, gpu, %flag, %c1 : (!tt.ptr<i32>, i32) -> i32
    } else {
      %f = tt.atomic_poll acquire, gpu, %flag, %c1 : !tt.ptr<i32>, i32 -> i1
      %v = tt.load %d : tensor<128x!tt.ptr<i32>, #a>
      %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
      %o = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
      tt.store %o, %v : tensor<128x!tt.ptr<i32>, #a>
    }
    tt.return
  }
}
