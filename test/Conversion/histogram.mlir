// Histograms: by votes of lanes where bins are few, else by atomic additions in shared memory; atomic changes of a
// buffer at indices.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry few --arg out=zeros:i32:2 --arg want=full:512:i32:2 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry few --arg out=zeros:i32:2 --arg want=full:512:i32:2 --expect-same out=want
// RUN: ll-sim %t.mlir --entry many --arg out=zeros:i32:256 --arg want=full:2:i32:256 --expect-same out=want
// RUN: ll-sim %t.mlir --entry many --arg out=zeros:i32:256 --arg want=full:2:i32:256 --expect-same out=want --schedule=1
// RUN: ll-sim %t.amd.mlir --entry many --arg out=zeros:i32:256 --arg want=full:2:i32:256 --expect-same out=want
// RUN: ll-sim %t.mlir --entry buffer --arg out=zeros:i32:64 --arg want=full:16:i32:64 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry buffer --arg out=zeros:i32:64 --arg want=full:16:i32:64 --expect-same out=want

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Even and odd numbers: one vote on the bit for each element; each warp adds its two counts.
  // CHECK-LABEL: llvm.func @few
  // CHECK: nvvm.vote.sync
  // CHECK: llvm.intr.ctpop
  // CHECK: red.relaxed.cta.shared.add.u32
  // AMD-LABEL: llvm.func @few
  // AMD: rocdl.ballot
  tt.func public @few(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %one = arith.constant dense<1> : tensor<1024xi32, #b>
    %x = arith.andi %r, %one : tensor<1024xi32, #b>
    %h = tt.histogram %x : tensor<1024xi32, #b> -> tensor<2xi32, #b>
    %n = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<2x!tt.ptr<i32>, #b>, tensor<2xi32, #b>
    tt.store %p, %h : tensor<2x!tt.ptr<i32>, #b>
    tt.return
  }

  // Twice 0 to 255, twice more behind the mask, and what is in no bin.
  // CHECK-LABEL: llvm.func @many
  // CHECK: nvvm.barrier
  // CHECK: red.relaxed.cta.shared.add.u32
  // CHECK: nvvm.barrier
  // CHECK-NOT: nvvm.barrier
  // AMD-LABEL: llvm.func @many
  // AMD: llvm.atomicrmw add {{.*}} syncscope("workgroup") monotonic
  tt.func public @many(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #b>
    %most = arith.constant dense<1023> : tensor<2048xi32, #b>
    %outside = arith.constant dense<512> : tensor<2048xi32, #b>
    %bin = arith.constant dense<256> : tensor<2048xi32, #b>
    %x = arith.andi %r, %most : tensor<2048xi32, #b>
    %is_inside = arith.cmpi slt, %x, %outside : tensor<2048xi32, #b>
    %low = arith.constant dense<255> : tensor<2048xi32, #b>
    %folded = arith.andi %x, %low : tensor<2048xi32, #b>
    %y = arith.select %is_inside, %x, %folded : tensor<2048xi1, #b>, tensor<2048xi32, #b>
    %h = tt.histogram %y, %is_inside : tensor<2048xi32, #b> -> tensor<256xi32, #b>
    %n = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %p, %h : tensor<256x!tt.ptr<i32>, #b>
    tt.return
  }

  // 1024 elements add 1 each at their number modulo 64; copies in other warps do not.
  // CHECK-LABEL: llvm.func @buffer
  // CHECK: red.relaxed.cta.shared.add.u32
  // AMD-LABEL: llvm.func @buffer
  // AMD: llvm.atomicrmw add
  tt.func public @buffer(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %most = arith.constant dense<63> : tensor<1024xi32, #b>
    %x = arith.andi %r, %most : tensor<1024xi32, #b>
    %ones = arith.constant dense<1> : tensor<1024xi32, #b>
    %zeros = arith.constant dense<0> : tensor<64xi32, #b>
    %m = ttg.local_alloc %zeros : (tensor<64xi32, #b>) -> !ttg.memdesc<64xi32, #s, #smem, mutable>
    %old = ttg.local_atomic_scatter_rmw add, %m[%x], %ones {axis = 0 : i32} : (!ttg.memdesc<64xi32, #s, #smem, mutable>, tensor<1024xi32, #b>, tensor<1024xi32, #b>) -> tensor<1024xi32, #b>
    %h = ttg.local_load %m : !ttg.memdesc<64xi32, #s, #smem, mutable> -> tensor<64xi32, #b>
    %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>
    tt.store %p, %h : tensor<64x!tt.ptr<i32>, #b>
    tt.return
  }
}
