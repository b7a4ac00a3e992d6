// The names that a later MLIR has for the masks of `rocdl.sched.barrier` are read as numbers.
// RUN: ll-opt %s | ll-opt | FileCheck %s

module {
  // CHECK-LABEL: @k
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.sched.barrier 1
  // CHECK-NEXT: rocdl.sched.barrier 6
  // CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
  tt.func public @k() {
    rocdl.sched.barrier none
    rocdl.sched.barrier non_mem_non_sideeffect // rocdl.sched.barrier none
    rocdl.sched.barrier valu|salu
    rocdl.sched.group.barrier mfma_wmma, 1, 0
    tt.return
  }
}
