// A wait whose phase is the counter of a loop: the hardware gets its lowest bit.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --enable-var-scope

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @counted
  // CHECK: ^bb1(%[[I:[a-z0-9]+]]: i32)
  // CHECK: %[[PARITY:.+]] = llvm.and %[[I]], %{{.+}} : i32
  // CHECK: mbarrier.try_wait.parity{{.+}}, %[[PARITY]] 
  tt.func public @counted() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    %mbarrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %mbarrier, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    scf.for %i = %c0 to %c6 step %c1 : i32 {
      ttng.arrive_barrier %mbarrier, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
      ttng.wait_barrier %mbarrier, %i : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    }
    ttng.inval_barrier %mbarrier : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    tt.return
  }
}
