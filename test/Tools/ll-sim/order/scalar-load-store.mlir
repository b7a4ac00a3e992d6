// Lanes of a warp that load one address together have all loaded it before one of them stores.

// RUN: ll-sim %s -q --arg p=zeros:i32:4
// RUN: ll-sim %s -q --arg p=zeros:i32:4 --schedule=1
// RUN: ll-sim %s -q --arg p=zeros:i32:4 --schedule=2
// RUN: ll-sim %s -q --arg p=zeros:i32:4 --schedule=3
// RUN: ll-sim %s -q --arg p=zeros:i32:4 --schedule=4
// RUN: ll-sim %s -q --arg p=zeros:i32:4 --lockstep

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<i32>) {
    %c = arith.constant 1 : i32
    %v = tt.load %p : !tt.ptr<i32>
    %w = arith.addi %v, %c : i32
    tt.store %p, %w : !tt.ptr<i32>
    tt.return
  }
}
