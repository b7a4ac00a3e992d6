// Half of the warps run one barrier behind the others, so two barriers stand between a store and the loads of other warps.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --enable-var-scope
// RUN: ll-sim %s --entry stated --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want
// RUN: ll-sim %s --entry stated --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want --schedule 3
// RUN: ll-sim %s --entry inserted --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want
// RUN: ll-sim %s --entry inserted --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want --schedule 3

// A barrier that is dropped where there should be two.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: awk '/@stated/ { n = 0 } /rocdl.barrier$/ && ++n == 3 { next } { print }' %t.mlir > %t.one.mlir
// RUN: not ll-sim %t.one.mlir --entry stated --arg zeros:i32:128 --arg zeros:i32:128 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: data race: {{.+}} of `global_smem`

// Without the second conditional barrier, the late warps wait forever.
// RUN: awk '/@stated/ { n = 0 } /ll.staggering/ && ++n == 2 { next } { print }' %t.mlir > %t.late.mlir
// RUN: not ll-sim %t.late.mlir --entry stated --arg zeros:i32:128 --arg zeros:i32:128 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: deadlock

#stored = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64]], block = []}>
#loaded = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [64]], warp = [[32]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: llvm.func @stated
  // CHECK: %[[WARP:.+]] = rocdl.readfirstlane
  // CHECK: llvm.mul %[[WARP]]
  // CHECK: llvm.cond_br %{{.+}}, ^[[HOLD:.+]], ^[[GO:.+]]
  // CHECK: ^[[HOLD]]:
  // CHECK-NEXT: rocdl.barrier {ll.staggering}
  // CHECK-NEXT: llvm.br ^[[GO]]
  // CHECK: llvm.store
  // CHECK-COUNT-2: rocdl.barrier{{$}}
  // CHECK: llvm.load
  // CHECK-COUNT-2: rocdl.barrier{{$}}
  // CHECK: rocdl.barrier {ll.staggering}
  // CHECK-NOT: rocdl.barrier
  // CHECK: llvm.return
  tt.func public @stated(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0> : tensor<128xi32, #loaded>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    %to_store = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #stored>
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #loaded>
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    amdg.cond_barrier %late
    %sums:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zeros, %same = %zeros) -> (tensor<128xi32, #loaded>, tensor<128xi32, #loaded>) : i32 {
      %number = tt.splat %i : i32 -> tensor<128xi32, #stored>
      %value = arith.muli %to_store, %number : tensor<128xi32, #stored>
      ttg.local_store %value, %buffer : tensor<128xi32, #stored> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
      ttg.barrier local
      ttg.barrier local
      %read = ttg.local_load %buffer : !ttg.memdesc<128xi32, #shared, #smem, mutable> -> tensor<128xi32, #loaded>
      ttg.barrier local
      ttg.barrier local
      %next = arith.addi %sum, %read : tensor<128xi32, #loaded>
      %times = tt.splat %i : i32 -> tensor<128xi32, #loaded>
      %product = arith.muli %range, %times : tensor<128xi32, #loaded>
      %next_same = arith.addi %same, %product : tensor<128xi32, #loaded>
      scf.yield %next, %next_same : tensor<128xi32, #loaded>, tensor<128xi32, #loaded>
    }
    amdg.cond_barrier %early
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #loaded>
    %q = tt.addptr %p, %range : tensor<128x!tt.ptr<i32>, #loaded>, tensor<128xi32, #loaded>
    tt.store %q, %sums#0 : tensor<128x!tt.ptr<i32>, #loaded>
    %r = tt.splat %want : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #loaded>
    %s = tt.addptr %r, %range : tensor<128x!tt.ptr<i32>, #loaded>, tensor<128xi32, #loaded>
    tt.store %s, %sums#1 : tensor<128x!tt.ptr<i32>, #loaded>
    tt.return
  }

  // The second barrier is inserted.
  // CHECK-LABEL: llvm.func @inserted
  // CHECK: rocdl.barrier {ll.staggering}
  // CHECK: llvm.store
  // CHECK-COUNT-2: rocdl.barrier{{$}}
  // CHECK: llvm.load
  // CHECK-COUNT-2: rocdl.barrier{{$}}
  // CHECK: rocdl.barrier {ll.staggering}
  // CHECK: llvm.return
  tt.func public @inserted(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0> : tensor<128xi32, #loaded>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    %to_store = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #stored>
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #loaded>
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    amdg.cond_barrier %late
    %sums:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zeros, %same = %zeros) -> (tensor<128xi32, #loaded>, tensor<128xi32, #loaded>) : i32 {
      %number = tt.splat %i : i32 -> tensor<128xi32, #stored>
      %value = arith.muli %to_store, %number : tensor<128xi32, #stored>
      ttg.local_store %value, %buffer : tensor<128xi32, #stored> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
      ttg.barrier local
      %read = ttg.local_load %buffer : !ttg.memdesc<128xi32, #shared, #smem, mutable> -> tensor<128xi32, #loaded>
      ttg.barrier local
      ttg.barrier local
      %next = arith.addi %sum, %read : tensor<128xi32, #loaded>
      %times = tt.splat %i : i32 -> tensor<128xi32, #loaded>
      %product = arith.muli %range, %times : tensor<128xi32, #loaded>
      %next_same = arith.addi %same, %product : tensor<128xi32, #loaded>
      scf.yield %next, %next_same : tensor<128xi32, #loaded>, tensor<128xi32, #loaded>
    }
    amdg.cond_barrier %early
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #loaded>
    %q = tt.addptr %p, %range : tensor<128x!tt.ptr<i32>, #loaded>, tensor<128xi32, #loaded>
    tt.store %q, %sums#0 : tensor<128x!tt.ptr<i32>, #loaded>
    %r = tt.splat %want : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #loaded>
    %s = tt.addptr %r, %range : tensor<128x!tt.ptr<i32>, #loaded>, tensor<128xi32, #loaded>
    tt.store %s, %sums#1 : tensor<128x!tt.ptr<i32>, #loaded>
    tt.return
  }
}
