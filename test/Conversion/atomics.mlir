// Atomic accesses: by one of the threads that hold an element, and what was there for all of them.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:80 %s -o %t.80.mlir && FileCheck %s --check-prefix=SM80 --input-file=%t.80.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=ptx %t.80.mlir -o %t.80.ptx && ptxas -arch=sm_80 %t.80.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry sums --arg p=zeros:f32:512 --arg want=iota:f32:512 --arg 512:i32 --expect-same p=want
// RUN: ll-sim %t.amd.mlir --entry sums --arg p=zeros:f32:512 --arg want=iota:f32:512 --arg 512:i32 --expect-same p=want
// RUN: ll-sim %t.mlir --entry sums --arg p=iota:f32:512 --arg want=iota:f32:512 --arg 1:i32 --expect-same p=want
// RUN: ll-sim %t.mlir --entry tickets --grid 5 --arg counter=zeros:i32:1 --arg out=full:9:i32:5 --arg want=iota:i32:5 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry tickets --grid 5 --arg counter=zeros:i32:1 --arg out=full:9:i32:5 --arg want=iota:i32:5 --expect-same out=want
// RUN: ll-sim %t.mlir --entry copies --arg p=iota:i32:16 --arg out=zeros:i32:16 --arg want=iota:i32:16 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry copies --arg p=iota:i32:16 --arg out=zeros:i32:16 --arg want=iota:i32:16 --expect-same out=want
// RUN: ll-sim %t.mlir --entry copies --arg p=iota:i32:16 --arg out=zeros:i32:16 --arg want=iota:i32:16 --expect-same out=want --schedule=1
// RUN: ll-sim %t.mlir --entry lanes --arg p=iota:i64:64 --arg out=zeros:i64:64 --arg want=iota:i64:64 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry lanes --arg p=iota:i64:64 --arg out=zeros:i64:64 --arg want=iota:i64:64 --expect-same out=want
// RUN: ll-sim %t.mlir --entry halves --arg p=zeros:f16:1024 --arg want=iota:f16:1024 --expect-same p=want
// RUN: ll-sim %t.amd.mlir --entry halves --arg p=zeros:f16:1024 --arg want=iota:f16:1024 --expect-same p=want
// RUN: ll-sim %t.80.mlir --entry halves --arg p=zeros:f16:1024 --arg want=iota:f16:1024 --expect-same p=want
// RUN: ll-sim %t.mlir --entry compared --arg p=iota:i32:128 --arg want=full:7:i32:128 --expect-same p=want
// RUN: ll-sim %t.amd.mlir --entry compared --arg p=iota:i32:128 --arg want=full:7:i32:128 --expect-same p=want

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#d = #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The old value is unused: `red`, of four contiguous elements with a common mask.
  // CHECK-LABEL: llvm.func @sums
  // CHECK-COUNT-4: red.relaxed.gpu.global.add.f32
  // CHECK-NOT: nvvm.barrier
  // AMD-LABEL: llvm.func @sums
  // AMD: llvm.cond_br
  // AMD: llvm.atomicrmw fadd {{.*}} syncscope("agent") monotonic
  tt.func public @sums(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %want: !tt.ptr<f32>, %n: i32) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #a>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #a>
    %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #a>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %at = tt.addptr %ps, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    %x = arith.sitofp %r : tensor<512xi32, #a> to tensor<512xf32, #a>
    %old = tt.atomic_rmw fadd, relaxed, gpu, %at, %x, %m : (tensor<512x!tt.ptr<f32>, #a>, tensor<512xf32, #a>, tensor<512xi1, #a>) -> tensor<512xf32, #a>
    tt.return
  }
  // CHECK-LABEL: llvm.func @vectors
  // CHECK: llvm.fence syncscope("device") release
  // CHECK-COUNT-2: red.relaxed.gpu.global.add.v4.f32
  // SM80-LABEL: llvm.func @vectors
  // SM80-COUNT-8: red.relaxed.gpu.global.add.f32
  tt.func public @vectors(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
    %at = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
    %x = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
    %old = tt.atomic_rmw fadd, release, gpu, %at, %x : (tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xf32, #b>) -> tensor<1024xf32, #b>
    tt.return
  }
  // The first thread asks, all are told.
  // CHECK-LABEL: llvm.func @tickets
  // CHECK: nvvm.barrier
  // CHECK: atom.acq_rel.gpu.global.add.u32
  // CHECK: llvm.store {{.*}} i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: nvvm.barrier
  // CHECK-LABEL: llvm.func @copies
  // AMD-LABEL: llvm.func @tickets
  // AMD: rocdl.barrier
  // AMD: llvm.atomicrmw add {{.*}} syncscope("agent") acq_rel
  // AMD: rocdl.barrier
  tt.func public @tickets(%counter: !tt.ptr<i32>, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %old = tt.atomic_rmw add, acq_rel, gpu, %counter, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %at = tt.addptr %out, %old : !tt.ptr<i32>, i32
    tt.store %at, %old : !tt.ptr<i32>
    tt.return
  }
  // 16 elements, of which each warp has two copies.
  // CHECK: atom.relaxed.sys.global.add.u32
  tt.func public @copies(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #c>
    %one = arith.constant dense<1> : tensor<16xi32, #c>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #c>
    %at = tt.addptr %ps, %r : tensor<16x!tt.ptr<i32>, #c>, tensor<16xi32, #c>
    %old = tt.atomic_rmw add, relaxed, sys, %at, %one : (tensor<16x!tt.ptr<i32>, #c>, tensor<16xi32, #c>) -> tensor<16xi32, #c>
    %qs = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #c>
    %to = tt.addptr %qs, %r : tensor<16x!tt.ptr<i32>, #c>, tensor<16xi32, #c>
    tt.store %to, %old : tensor<16x!tt.ptr<i32>, #c>
    tt.return
  }
  // Copies in lanes alone: no barrier.
  // CHECK-LABEL: llvm.func @lanes
  // CHECK: atom.relaxed.gpu.global.exch.b64
  // CHECK-COUNT-2: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.barrier
  // CHECK-LABEL: llvm.func @halves
  tt.func public @lanes(%p: !tt.ptr<i64>, %out: !tt.ptr<i64>, %want: !tt.ptr<i64>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #d>
    %x = arith.constant dense<5> : tensor<64xi64, #d>
    %ps = tt.splat %p : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #d>
    %at = tt.addptr %ps, %r : tensor<64x!tt.ptr<i64>, #d>, tensor<64xi32, #d>
    %old = tt.atomic_rmw exch, relaxed, gpu, %at, %x : (tensor<64x!tt.ptr<i64>, #d>, tensor<64xi64, #d>) -> tensor<64xi64, #d>
    %qs = tt.splat %out : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #d>
    %to = tt.addptr %qs, %r : tensor<64x!tt.ptr<i64>, #d>, tensor<64xi32, #d>
    tt.store %to, %old : tensor<64x!tt.ptr<i64>, #d>
    tt.return
  }
  // Halves go in pairs, and four pairs at once where the GPU has vectors.
  // CHECK: red.relaxed.cta.global.add.noftz.v4.f16x2
  // SM80-LABEL: llvm.func @halves
  // SM80-COUNT-4: red.relaxed.cta.global.add.noftz.f16x2
  // AMD-LABEL: llvm.func @halves
  // AMD-COUNT-4: llvm.atomicrmw fadd {{.*}} syncscope("workgroup") monotonic : !llvm.ptr<1>, vector<2xf16>
  tt.func public @halves(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %want: !tt.ptr<f16>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %x = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf16, #b>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #b>
    %at = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f16>, #b>, tensor<1024xi32, #b>
    %old = tt.atomic_rmw fadd, relaxed, cta, %at, %x : (tensor<1024x!tt.ptr<f16>, #b>, tensor<1024xf16, #b>) -> tensor<1024xf16, #b>
    tt.return
  }
  // What is expected is there, then another value, and then it is not.
  // CHECK-LABEL: llvm.func @compared
  // CHECK: atom.relaxed.gpu.global.cas.b32
  // SM80-LABEL: llvm.func @compared
  // AMD-LABEL: llvm.func @compared
  // AMD: llvm.cmpxchg {{.*}} syncscope("agent") monotonic monotonic
  tt.func public @compared(%p: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #c>
    %seven = arith.constant dense<7> : tensor<128xi32, #c>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #c>
    %at = tt.addptr %ps, %r : tensor<128x!tt.ptr<i32>, #c>, tensor<128xi32, #c>
    %old = tt.atomic_cas relaxed, gpu, %at, %r, %seven : (tensor<128x!tt.ptr<i32>, #c>, tensor<128xi32, #c>, tensor<128xi32, #c>) -> tensor<128xi32, #c>
    %again = tt.atomic_cas relaxed, gpu, %at, %old, %r : (tensor<128x!tt.ptr<i32>, #c>, tensor<128xi32, #c>, tensor<128xi32, #c>) -> tensor<128xi32, #c>
    tt.return
  }
}
