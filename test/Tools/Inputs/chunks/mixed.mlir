// RUN: triton-opt %s -split-input-file --convert-triton-gpu-to-llvm='compute-capability=90' | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%p: !tt.ptr<i32>) {
    %c = arith.constant 1 : i32
    tt.store %p, %c : !tt.ptr<i32>
    tt.return
  }
}

// -----

// Takes and returns tensors, so that only a call from a kernel lowers it.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @takes_tensors(%x: tensor<128xi32, #blocked> {tt.divisibility = 16 : i32}, %p: !tt.ptr<i32>) -> tensor<128xi32, #blocked> {
    %y = arith.addi %x, %x : tensor<128xi32, #blocked>
    tt.return %y : tensor<128xi32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @invalid(%x: tensor<128xi32, #blocked>) {
    // expected-error @+1 {{end}}
    %y = tt.make_range {end = 0 : i32, start = 128 : i32} : tensor<128xi32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @cluster(%p: !tt.ptr<i32>) {
    %true = arith.constant true
    %one = arith.constant 1 : i32
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @older_syntax(%p: !tt.ptr<i32>) {
    %c = arith.constant 1
  }
}
