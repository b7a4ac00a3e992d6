// Masks of a software pipeline, and the stages that they ask for; waiting on memory, and on other kernels.
// REQUIRES: ptxas, amdgcn-link
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s --check-prefix=AMD
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | ll-translate --emit=object -o %t.hsaco
// RUN: ll-sim %s --entry pipeline --arg x=iota:i32:512 --arg out=zeros:i32:512 --arg want=iota:i32:512 --arg n=4:i32 --expect-same out=want
// RUN: ll-sim %s --entry pipeline --arg x=iota:i32:512 --arg out=zeros:i32:512 --arg want=iota:i32:512 --arg n=4:i32 --expect-same out=want --schedule=3
// RUN: not ll-sim %s --entry pipeline --arg x=iota:i32:512 --arg out=zeros:i32:512 --arg want=iota:i32:512 --arg n=3:i32 --expect-same out=want
// RUN: ll-sim %s --entry buffers --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=1:i32 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Each iteration loads for the next one: the last one loads nothing, and the result is unused.
  // CHECK-LABEL: llvm.func @pipeline
  // CHECK: %[[AHEAD:.+]] = llvm.sub %{{.+}}, %{{.+}} : i32
  // CHECK: %[[RUNS:.+]] = llvm.icmp "slt" %{{.+}}, %[[AHEAD]] : i32
  // CHECK: %[[NOTHING:.+]] = llvm.mlir.poison : i32
  // CHECK-NEXT: llvm.cond_br %[[RUNS]], ^[[LOAD:bb[0-9]+]], ^[[AFTER:bb[0-9]+]](%[[NOTHING]] : i32)
  // CHECK: ^[[LOAD]]:
  // CHECK: llvm.load
  // CHECK: llvm.br ^[[AFTER]](
  // AMD-LABEL: llvm.func @pipeline
  // AMD: llvm.icmp "slt"
  tt.func public @pipeline(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    %op = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    %first = tt.load %xp : tensor<128x!tt.ptr<i32>, #a>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%now = %first) -> (tensor<128xi32, #a>) : i32 {
      %runs = ttg.predicate_stage %i, %n, %c1 maxStage 1 stage 0 : i32 -> i1
      %next = "ttg.mask"(%runs) ({
        %j = arith.addi %i, %c1 : i32
        %o = arith.muli %j, %c128 : i32
        %os2 = tt.splat %o : i32 -> tensor<128xi32, #a>
        %p = tt.addptr %xp, %os2 : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
        %v = tt.load %p : tensor<128x!tt.ptr<i32>, #a>
        ttg.mask.return %v : tensor<128xi32, #a>
      }) : (i1) -> tensor<128xi32, #a>
      %o = arith.muli %i, %c128 : i32
      %os3 = tt.splat %o : i32 -> tensor<128xi32, #a>
      %p = tt.addptr %op, %os3 : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
      tt.store %p, %now : tensor<128x!tt.ptr<i32>, #a>
      scf.yield %next : tensor<128xi32, #a>
    }
    tt.return
  }

  // A masked store to shared memory is visible to all threads after it.
  // CHECK-LABEL: llvm.func @buffers
  // CHECK: llvm.cond_br
  // CHECK: llvm.store {{.*}} !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} !llvm.ptr<3>
  tt.func public @buffers(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %zero = arith.constant dense<0> : tensor<128xi32, #a>
    %buffer = ttg.local_alloc %zero : (tensor<128xi32, #a>) -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    %runs = ttg.predicate_stage %c0, %c1, %c1 maxStage 2 stage 2 : index -> i1
    "ttg.mask"(%runs) ({
      ttg.local_store %r, %buffer : tensor<128xi32, #a> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
      "ttg.mask.return"() : () -> ()
    }) : (i1) -> ()
    %back = ttg.local_load %buffer : !ttg.memdesc<128xi32, #shared, #smem, mutable> -> tensor<128xi32, #b>
    %there = ttg.convert_layout %back : tensor<128xi32, #b> -> tensor<128xi32, #a>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %p = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %p, %there : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  }
}
