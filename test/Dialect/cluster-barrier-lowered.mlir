// A cluster barrier may stand in a function that is lowered already, as Triton's passes leave it.
// RUN: ll-opt %s | ll-opt | FileCheck %s

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: llvm.func @f
  // CHECK-NEXT: ttng.cluster_barrier
  llvm.func @f() {
    ttng.cluster_barrier
    llvm.return
  }
}
