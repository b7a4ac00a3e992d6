// Operations that are not supported in clusters of several CTAs.
// RUN: ll-opt --convert-layouts-to-llvm --split-input-file --verify-diagnostics %s
// RUN: not ll-opt --convert-layouts-to-llvm=target=cuda:80 --split-input-file %s 2>&1 | FileCheck %s

// CHECK: requires `ttg.num-ctas` to be at most 1 on cuda:80, but got 2

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @sums(%p: !tt.ptr<i32>) {
    %x = arith.constant dense<1> : tensor<32x32xi32, #rows>
    // expected-error @+2 {{is not supported along dimension 1, which is distributed over the CTAs of a cluster}}
    // expected-note @+1 {{choose a `CGALayout` that distributes another dimension}}
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.maxsi %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<32x32xi32, #rows>) -> tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @atomic(%p: !tt.ptr<i32>, %v: i32) {
    %true = arith.constant true
    // expected-error @+2 {{is not supported in clusters (`ttg.num-ctas` is 2)}}
    // expected-note @+1 {{compile the kernel with one CTA per cluster}}
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}
