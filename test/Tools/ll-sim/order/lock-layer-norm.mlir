// The lock of Triton's tutorial 05 between blocks: spins by compare and exchange, plain accesses under the lock.

// RUN: ll-sim %s -q --grid 4 --arg lock=zeros:i32:1 --arg acc=zeros:i32:128
// RUN: ll-sim %s -q --grid 4 --arg lock=zeros:i32:1 --arg acc=zeros:i32:128 --schedule=1
// RUN: ll-sim %s -q --grid 4 --arg lock=zeros:i32:1 --arg acc=zeros:i32:128 --schedule=2
// RUN: ll-sim %s -q --grid 4 --arg lock=zeros:i32:1 --arg acc=zeros:i32:128 --schedule=3
// RUN: ll-sim %s -q --grid 4 --arg lock=zeros:i32:1 --arg acc=zeros:i32:128 --schedule=4

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%lock: !tt.ptr<i32>, %acc: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %ds = tt.splat %acc : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %d = tt.addptr %ds, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    scf.while : () -> () {
      %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
      %held = arith.cmpi eq, %old, %c1 : i32
      scf.condition(%held)
    } do {
      scf.yield
    }
    %v = tt.load %d : tensor<128x!tt.ptr<i32>, #a>
    %w = arith.addi %v, %r : tensor<128xi32, #a>
    tt.store %d, %w : tensor<128x!tt.ptr<i32>, #a>
    ttg.barrier all
    %old2 = tt.atomic_rmw exch, acq_rel, gpu, %lock, %c0 : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }
}
