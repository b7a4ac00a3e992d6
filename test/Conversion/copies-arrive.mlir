// Copies of threads that complete a phase of an mbarrier: `ttng.async_copy_mbarrier_arrive`.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %t.mlir --entry additional --arg in=iota:f32:1024 --arg out=zeros:f32:1024 --expect-same out=in --arrival=late
// RUN: ll-sim %t.mlir --entry expected --arg in=iota:f32:4096 --arg out=zeros:f32:4096 --arg 4:i32 --expect-same out=in --arrival=late
// RUN: ll-sim %t.mlir --entry expected --arg in=iota:f32:4096 --arg out=zeros:f32:4096 --arg 4:i32 --expect-same out=in --arrival=seed=7
// Without the wait, the simulator finds a load of bytes in flight:
// RUN: awk '/mbarrier.try_wait/ && n++ == 1 {next} {print}' %t.mlir > %t.dropped.mlir
// RUN: not ll-sim %t.dropped.mlir --entry expected --arg in=iota:f32:4096 --arg out=zeros:f32:4096 --arg 4:i32 2>&1 | FileCheck %s --check-prefix=DROPPED
// The copies of the next iteration are still in flight when this one reads the wrong slot:
// RUN: sed 's/%now = ttg.memdesc_index %ring\[%half\]/%now = ttg.memdesc_index %ring[%next_half]/' %s > %t.wrong.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t.wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// One arrival per thread is expected, so a count of 1 is exceeded:
// RUN: sed 's/, 128 : /, 1 : /' %s > %t.count.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t.count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @additional
  // CHECK: nvvm.cp.async.mbarrier.arrive %{{.+}} : !llvm.ptr<3>
  // PTX-LABEL: .entry additional
  // PTX: cp.async.mbarrier.arrive.shared.b64
  // PTX: mbarrier.arrive.shared::cta.b64
  tt.func public @additional(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #rows>
    %ins = tt.splat %in : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #rows>
    %from = tt.addptr %ins, %range : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #rows>
    %to = tt.addptr %outs, %range : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<1024xf32, #shared, #smem, mutable>
    %mbarrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %mbarrier, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %from, %buffer : tensor<1024x!tt.ptr<f32>, #rows> -> <1024xf32, #shared, #smem, mutable>
    ttng.async_copy_mbarrier_arrive %mbarrier : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.arrive_barrier %mbarrier, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.wait_barrier %mbarrier, %c0 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %values = ttg.local_load %buffer : !ttg.memdesc<1024xf32, #shared, #smem, mutable> -> tensor<1024xf32, #rows>
    ttng.inval_barrier %mbarrier : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    tt.store %to, %values : tensor<1024x!tt.ptr<f32>, #rows>
    tt.return
  }

  // CHECK-LABEL: llvm.func @expected
  // CHECK: nvvm.cp.async.mbarrier.arrive %{{.+}} {noinc = true} : !llvm.ptr<3>
  // PTX-LABEL: .entry expected
  // PTX: cp.async.mbarrier.arrive.noinc.shared.b64
  // DROPPED: error: load from {{.+}}, which an asynchronous copy in flight writes
  // WRONG: error: 'ttg.local_load' op accesses shared memory that is in use by the asynchronous `ttg.async_copy_global_to_local`
  // COUNT: error: 'ttng.async_copy_mbarrier_arrive' op arrives at an mbarrier more often than the current phase expects
  tt.func public @expected(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c1024 = arith.constant 1024 : i32
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #rows>
    %ins = tt.splat %in : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #rows>
    %first = tt.addptr %ins, %range : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #rows>
    %to = tt.addptr %outs, %range : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x1024xf32, #shared, #smem, mutable>
    %mbarriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared, #smem, mutable>
    %even = ttg.memdesc_index %mbarriers[%c0] : !ttg.memdesc<2x1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %even, 128 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %odd = ttg.memdesc_index %mbarriers[%c1] : !ttg.memdesc<2x1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %odd, 128 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %ring0 = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x1024xf32, #shared, #smem, mutable> -> !ttg.memdesc<1024xf32, #shared, #smem, mutable>
    %copy0 = ttg.async_copy_global_to_local %first, %ring0 : tensor<1024x!tt.ptr<f32>, #rows> -> <1024xf32, #shared, #smem, mutable>
    ttng.async_copy_mbarrier_arrive %even {noIncrement} : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %next = arith.addi %i, %c1 : i32
      %more = arith.cmpi slt, %next, %n : i32
      %mask = tt.splat %more : i1 -> tensor<1024xi1, #rows>
      %next_half = arith.remsi %next, %c2 : i32
      %offset = arith.muli %next, %c1024 : i32
      %offsets = tt.splat %offset : i32 -> tensor<1024xi32, #rows>
      %from = tt.addptr %first, %offsets : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
      %into = ttg.memdesc_index %ring[%next_half] : !ttg.memdesc<2x1024xf32, #shared, #smem, mutable> -> !ttg.memdesc<1024xf32, #shared, #smem, mutable>
      %copy = ttg.async_copy_global_to_local %from, %into mask %mask : tensor<1024x!tt.ptr<f32>, #rows> -> <1024xf32, #shared, #smem, mutable>
      %ahead = ttg.memdesc_index %mbarriers[%next_half] : !ttg.memdesc<2x1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
      ttng.async_copy_mbarrier_arrive %ahead {noIncrement} : !ttg.memdesc<1xi64, #shared, #smem, mutable>
      %half = arith.remsi %i, %c2 : i32
      %round = arith.divsi %i, %c2 : i32
      %phase = arith.andi %round, %c1 : i32
      %mbarrier = ttg.memdesc_index %mbarriers[%half] : !ttg.memdesc<2x1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
      ttng.wait_barrier %mbarrier, %phase : !ttg.memdesc<1xi64, #shared, #smem, mutable>
      %now = ttg.memdesc_index %ring[%half] : !ttg.memdesc<2x1024xf32, #shared, #smem, mutable> -> !ttg.memdesc<1024xf32, #shared, #smem, mutable>
      %values = ttg.local_load %now : !ttg.memdesc<1024xf32, #shared, #smem, mutable> -> tensor<1024xf32, #rows>
      %place = arith.muli %i, %c1024 : i32
      %places = tt.splat %place : i32 -> tensor<1024xi32, #rows>
      %target = tt.addptr %to, %places : tensor<1024x!tt.ptr<f32>, #rows>, tensor<1024xi32, #rows>
      tt.store %target, %values : tensor<1024x!tt.ptr<f32>, #rows>
    }
    %last = arith.remsi %n, %c2 : i32
    %rounds = arith.divsi %n, %c2 : i32
    %end = arith.andi %rounds, %c1 : i32
    %rest = ttg.memdesc_index %mbarriers[%last] : !ttg.memdesc<2x1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.wait_barrier %rest, %end : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    tt.return
  }
}
