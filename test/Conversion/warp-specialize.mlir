// Regions that run on different warps of a CTA.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %t.mlir --entry rounds --arg out=zeros:i32:384 --arg want=iota:i32:384 --arg 3:i32 --expect-same out=want
// RUN: ll-sim %t.mlir --entry rounds --arg out=zeros:i32:384 --arg want=iota:i32:384 --arg 3:i32 --expect-same out=want --schedule=7
// RUN: ll-sim %t.mlir --entry rounds --arg out=zeros:i32:384 --arg want=iota:i32:384 --arg 3:i32 --expect-same out=want --lockstep
// RUN: ll-sim %t.mlir --entry three --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: ll-sim %t.mlir --entry none --arg out=zeros:i32:4 --arg want=zeros:i32:4 --expect-same out=want
// RUN: ll-sim %t.mlir --entry default_only --arg out=zeros:i32:2 --arg want=iota:i32:2 --expect-same out=want
// RUN: awk '/nvvm.barrier id/ && n++ == 1 {next} {print}' %t.mlir > %t.1.mlir
// RUN: not ll-sim %t.1.mlir --entry rounds --arg out=zeros:i32:384 --arg want=iota:i32:384 --arg 3:i32 2>&1 | FileCheck %s --check-prefix=JOIN
// RUN: awk '/try_wait/ && n++ == 0 {next} {print}' %t.mlir > %t.2.mlir
// RUN: not ll-sim %t.2.mlir --entry rounds --arg out=zeros:i32:384 --arg want=iota:i32:384 --arg 3:i32 2>&1 | FileCheck %s --check-prefix=WAIT

// JOIN: error: data race: no barrier between the store to byte 528 of `global_smem` and the load by lane
// WAIT: error: read of uninitialised shared memory: byte 0 of `global_smem`

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<128xi32, #flat, #ttg.shared_memory, mutable>
!bar = !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The captured `%base` changes in each round, so it is passed in shared memory; addresses are computed again.
  // CHECK-LABEL: llvm.func @rounds
  // CHECK-SAME: nvvm.reqntid = array<i32: 384>
  // CHECK: %[[WARP:.+]] = nvvm.shfl.sync
  // CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[BODY:.+]] = llvm.icmp "ult" %[[WARP]], %[[FOUR]]
  // CHECK: llvm.cond_br %[[BODY]], ^{{.+}}, ^[[WORKERS:.+]]
  // The default warps store `%base` and the number 0, and the number 1 at the end.
  // CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : i32, !llvm.ptr<3>
  // CHECK: llvm.store %[[ZERO:.+]], %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier id = %[[ONE:.+]] number_of_threads = %[[ALL:.+]]
  // CHECK: mbarrier.try_wait
  // CHECK: nvvm.barrier id = %[[ONE]] number_of_threads = %[[ALL]]
  // CHECK: nvvm.barrier id = %[[ZERO]] number_of_threads
  // CHECK: mbarrier.inval
  // CHECK: llvm.store %[[ONE]], %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier id = %[[ONE]]
  // CHECK: llvm.return
  // CHECK: ^[[WORKERS]]:
  // CHECK: llvm.br ^[[HEAD:.+]]
  // CHECK: ^[[HEAD]]:
  // CHECK: nvvm.barrier id =
  // CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  // CHECK: llvm.return
  // CHECK: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> i32
  // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: nvvm.barrier id = %[[TWO]] number_of_threads = %{{.+}}
  // CHECK: mbarrier.arrive
  // CHECK: llvm.br ^[[HEAD]] {loop_annotation = #{{.+}}}
  // PTX-LABEL: .entry rounds(
  // PTX: bar.sync 1, 384;
  // PTX: bar.sync 2, 64;
  tt.func public @rounds(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %buffer = ttg.local_alloc : () -> !buffer
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #four>
    %end = scf.for %t = %c0 to %n step %c1 iter_args(%base = %c0) -> (i32) : i32 {
      %v = ttg.warp_specialize(%buffer, %bar, %base)
      default {
        %parity = arith.andi %t, %c1 : i32
        ttng.wait_barrier %bar, %parity : !bar
        %x = ttg.local_load %buffer : !buffer -> tensor<128xi32, #four>
        ttg.warp_yield %x : tensor<128xi32, #four>
      }
      partition0(%to: !buffer, %done: !bar, %start: i32) num_warps(2) {
        %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #two>
        %s = tt.splat %start : i32 -> tensor<128xi32, #two>
        %x = arith.addi %i, %s : tensor<128xi32, #two>
        ttg.local_store %x, %to : tensor<128xi32, #two> -> !buffer
        ttng.arrive_barrier %done, 1 : !bar
        ttg.warp_return
      } : (!buffer, !bar, i32) -> tensor<128xi32, #four>
      %s = tt.splat %base : i32 -> tensor<128xi32, #four>
      %i = arith.addi %r, %s : tensor<128xi32, #four>
      %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #four>
      %at = tt.addptr %p, %i : tensor<128x!tt.ptr<i32>, #four>, tensor<128xi32, #four>
      tt.store %at, %v : tensor<128x!tt.ptr<i32>, #four>
      %next = arith.addi %base, %c128 : i32
      scf.yield %next : i32
    }
    ttng.inval_barrier %bar : !bar
    tt.return
  }

  // Partitions of one and two warps share a group of four warps, and get the larger of their numbers of registers.
  // CHECK-LABEL: llvm.func @three
  // CHECK-SAME: nvvm.maxnreg = 168 : i32, nvvm.reqntid = array<i32: 384>
  // CHECK: nvvm.setmaxregister increase 256
  // CHECK: nvvm.setmaxregister decrease 168
  // CHECK: nvvm.setmaxregister decrease 104
  // Registers are restored after the barrier.
  // CHECK: nvvm.barrier
  // CHECK-NEXT: nvvm.setmaxregister increase 168
  // CHECK: nvvm.setmaxregister decrease 40
  // CHECK: nvvm.barrier
  // CHECK-NEXT: nvvm.setmaxregister increase 168
  // PTX-LABEL: .entry three(
  // PTX: .maxnreg 168
  tt.func public @three(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    ttg.warp_specialize(%out) attributes {requestedRegisters = array<i32: 30, 100, 40>}
    default {
      %c0 = arith.constant 0 : i32
      tt.store %out, %c0 : !tt.ptr<i32>
      ttg.warp_yield
    }
    partition0(%p: !tt.ptr<i32>) num_warps(1) {
      %c1 = arith.constant 1 : i32
      %at = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
      tt.store %at, %c1 : !tt.ptr<i32>
      ttg.warp_return
    }
    partition1(%p: !tt.ptr<i32>) num_warps(4) {
      %c2 = arith.constant 2 : i32
      %at = tt.addptr %p, %c2 : !tt.ptr<i32>, i32
      tt.store %at, %c2 : !tt.ptr<i32>
      ttg.warp_return
    }
    partition2(%p: !tt.ptr<i32>) num_warps(2) {
      %c3 = arith.constant 3 : i32
      %at = tt.addptr %p, %c3 : !tt.ptr<i32>, i32
      tt.store %at, %c3 : !tt.ptr<i32>
      ttg.warp_return
    } : (!tt.ptr<i32>) -> ()
    tt.return
  }

  // The workers of a kernel without partitions return at once.
  // CHECK-LABEL: llvm.func @none
  // CHECK-NOT: nvvm.barrier
  tt.func public @none(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    tt.return
  }

  // Without partitions, the default region is a part of the body, and the workers stay at their barrier.
  // CHECK-LABEL: llvm.func @default_only
  tt.func public @default_only(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %at = tt.addptr %out, %c1 : !tt.ptr<i32>, i32
    %one = ttg.warp_specialize()
    default {
      ttg.warp_yield %c1 : i32
    } : () -> i32
    tt.store %at, %one : !tt.ptr<i32>
    tt.return
  }
}
