// Bounds of allocations in shared memory and of indices, on both vendors: accesses beyond them are reported with their location.

// RUN: sed -e 's/cuda:90/hip:gfx942/' -e 's/= 32 : i32}/= 64 : i32}/' -e '/threadsPerWarp/s/32/64/' %s > %t.amd.mlir

// RUN: ll-sim %s -q --entry loop --arg out=zeros:i32:256 --arg=3:i32
// RUN: ll-sim %t.amd.mlir -q --entry loop --arg out=zeros:i32:256 --arg=3:i32
// RUN: not ll-sim %s -q --entry loop --arg out=zeros:i32:256 --arg=4:i32 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not ll-sim %t.amd.mlir -q --entry loop --arg out=zeros:i32:256 --arg=4:i32 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: out-of-bounds index 3, expected 0 to 2: `ttg.memdesc_index` selects one of 3 buffers
// LOOP: | %x = ttg.memdesc_index

// RUN: ll-sim %s -q --entry slice --arg out=zeros:i32:256 --arg=1:i32
// RUN: ll-sim %t.amd.mlir -q --entry slice --arg out=zeros:i32:256 --arg=1:i32
// RUN: not ll-sim %s -q --entry slice --arg out=zeros:i32:256 --arg=2:i32 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not ll-sim %t.amd.mlir -q --entry slice --arg out=zeros:i32:256 --arg=2:i32 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: error: out-of-bounds index 2, expected 0 to 1: `ttg.memdesc_index` selects one of 2 buffers

// RUN: not ll-sim %s -q --entry slice --arg out=zeros:i32:256 --arg=-1:i32 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not ll-sim %t.amd.mlir -q --entry slice --arg out=zeros:i32:256 --arg=-1:i32 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: out-of-bounds index -1, expected 0 to 1: `ttg.memdesc_index`

// RUN: ll-sim %s -q --entry row --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry row --arg out=zeros:i32:256 --arg=0:i32
// RUN: not ll-sim %s -q --entry row --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not ll-sim %t.amd.mlir -q --entry row --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: error: out-of-bounds index 64, expected 0 to 63: `ttg.local_gather` along dimension 1 of 64 elements
// ROW: | %g = ttg.local_gather

// RUN: ll-sim %s -q --entry scatter --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry scatter --arg out=zeros:i32:256 --arg=0:i32
// RUN: not ll-sim %s -q --entry scatter --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not ll-sim %t.amd.mlir -q --entry scatter --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=SCATTER
// SCATTER: error: out-of-bounds index 32, expected 0 to 31: `ttg.local_scatter` along dimension 0 of 32 elements

// RUN: ll-sim %s -q --entry add --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry add --arg out=zeros:i32:256 --arg=0:i32
// RUN: not ll-sim %s -q --entry add --arg out=zeros:i32:256 --arg=-1:i32 2>&1 | FileCheck %s --check-prefix=ADD
// RUN: not ll-sim %t.amd.mlir -q --entry add --arg out=zeros:i32:256 --arg=-1:i32 2>&1 | FileCheck %s --check-prefix=ADD
// ADD: error: out-of-bounds index -1, expected 0 to 127: `ttg.local_atomic_scatter_rmw` along dimension 0 of 128 elements

// RUN: ll-sim %s -q --entry gather --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry gather --arg out=zeros:i32:256 --arg=0:i32
// RUN: not ll-sim %s -q --entry gather --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not ll-sim %t.amd.mlir -q --entry gather --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=GATHER
// GATHER: error: out-of-bounds index 128, expected 0 to 127: `tt.gather` along dimension 0 of 128 elements
// GATHER: by lane
// GATHER: | %v = tt.gather

// RUN: ll-sim %s -q --entry lanes --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry lanes --arg out=zeros:i32:256 --arg=0:i32
// RUN: not ll-sim %s -q --entry lanes --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not ll-sim %t.amd.mlir -q --entry lanes --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: out-of-bounds index 32, expected 0 to 31: `tt.gather` along dimension 0 of 32 elements
// LANES: by lane 31 of warp 0

// What the mask leaves out may be any number.
// RUN: ll-sim %s -q --entry bins --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry bins --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %s -q --entry bins --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %t.amd.mlir -q --entry bins --arg out=zeros:i32:256 --arg=5:i32
// RUN: not ll-sim %s -q --entry bins --arg out=zeros:i32:256 --arg=-3:i32 2>&1 | FileCheck %s --check-prefix=BINS
// RUN: not ll-sim %t.amd.mlir -q --entry bins --arg out=zeros:i32:256 --arg=-3:i32 2>&1 | FileCheck %s --check-prefix=BINS
// BINS: error: out-of-bounds index -3, expected 0 to 127: `tt.histogram` counts in 128 bins

// RUN: not ll-sim %s -q --entry few_bins --arg out=zeros:i32:256 --arg=0:i32 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not ll-sim %t.amd.mlir -q --entry few_bins --arg out=zeros:i32:256 --arg=0:i32 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: out-of-bounds index 16, expected 0 to 15: `tt.histogram` counts in 16 bins
// FEW: by lane 16 of warp 0

// The bytes of an allocation that is over belong to the next one, which has not written them.
// RUN: not ll-sim %s -q --entry reused --arg out=zeros:i32:256 --arg=0:i32 2>&1 | FileCheck %s --check-prefix=REUSED
// RUN: not ll-sim %t.amd.mlir -q --entry reused --arg out=zeros:i32:256 --arg=0:i32 2>&1 | FileCheck %s --check-prefix=REUSED
// REUSED: error: read of uninitialised shared memory: byte 0 of the `ttg.local_alloc` buffer at
// REUSED: note: the byte was last written through the `ttg.local_alloc` buffer at

// RUN: ll-sim %s -q --entry again --arg out=zeros:i32:256 --arg=1:i32
// RUN: ll-sim %t.amd.mlir -q --entry again --arg out=zeros:i32:256 --arg=1:i32
// RUN: not ll-sim %s -q --entry again --arg out=zeros:i32:256 --arg=2:i32 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not ll-sim %t.amd.mlir -q --entry again --arg out=zeros:i32:256 --arg=2:i32 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: read of uninitialised shared memory: byte 0 of the `ttg.local_alloc` buffer at
// AGAIN: note: the byte was last written before this allocation began

// RUN: ll-sim %s -q --entry freed --arg out=zeros:i32:256 --arg=0:i32
// RUN: ll-sim %t.amd.mlir -q --entry freed --arg out=zeros:i32:256 --arg=0:i32
// RUN: not ll-sim %s -q --entry freed --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not ll-sim %t.amd.mlir -q --entry freed --arg out=zeros:i32:256 --arg=1:i32 2>&1 | FileCheck %s --check-prefix=FREED
// FREED: error: shared load of 4 bytes after deallocation: byte 0 of the `ttg.local_alloc` buffer at
// FREED: note: the allocation is deallocated by {{.*}}ll.end

// Correct kernels stay clean, in any order of warps.
// RUN: ll-sim %s -q --entry pipeline --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %t.amd.mlir -q --entry pipeline --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %s -q --entry pipeline --arg out=zeros:i32:256 --arg=5:i32 --schedule=3
// RUN: ll-sim %s -q --entry transposed --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %t.amd.mlir -q --entry transposed --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %s -q --entry transposed --arg out=zeros:i32:256 --arg=5:i32 --schedule=3
// RUN: ll-sim %s -q --entry each_round --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %t.amd.mlir -q --entry each_round --arg out=zeros:i32:256 --arg=5:i32
// RUN: ll-sim %s -q --entry each_round --arg out=zeros:i32:256 --arg=5:i32 --schedule=3

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#b2t = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s2 = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#s2t = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [0, 1]}>
#pd = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [32, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @loop(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<3x128xi32, #s, #smem, mutable>
    %z = arith.constant dense<0> : tensor<128xi32, #b>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = ttg.memdesc_index %a[%i] : !ttg.memdesc<3x128xi32, #s, #smem, mutable> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      ttg.local_store %r, %x : tensor<128xi32, #b> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    }
    %y = ttg.memdesc_index %a[%c0] : !ttg.memdesc<3x128xi32, #s, #smem, mutable> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %v = ttg.local_load %y : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @slice(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<3x128xi32, #s, #smem, mutable>
    %q = ttg.memdesc_subslice %a[0, 0] : !ttg.memdesc<3x128xi32, #s, #smem, mutable> -> !ttg.memdesc<2x128xi32, #s, #smem, mutable, 3x128>
    %x = ttg.memdesc_index %q[%n] : !ttg.memdesc<2x128xi32, #s, #smem, mutable, 3x128> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    ttg.local_store %r, %x : tensor<128xi32, #b> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %v = ttg.local_load %x : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @row(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b2}>>
    %e = tt.expand_dims %r1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b2}>> -> tensor<1x64xi32, #b2>
    %bb = tt.broadcast %e : tensor<1x64xi32, #b2> -> tensor<16x64xi32, #b2>
    %a = ttg.local_alloc %bb : (tensor<16x64xi32, #b2>) -> !ttg.memdesc<16x64xi32, #s2, #smem, mutable>
    %nn = tt.splat %n : i32 -> tensor<16x64xi32, #b2>
    %ix = arith.addi %bb, %nn : tensor<16x64xi32, #b2>
    %g = ttg.local_gather %a[%ix] {axis = 1 : i32} : !ttg.memdesc<16x64xi32, #s2, #smem, mutable>, tensor<16x64xi32, #b2> -> tensor<16x64xi32, #b2>
    %s = "tt.reduce"(%g) ({
    ^bb0(%x: i32, %y: i32):
      %w = arith.addi %x, %y : i32
      tt.reduce.return %w : i32
    }) {axis = 1 : i32} : (tensor<16x64xi32, #b2>) -> tensor<16xi32, #ttg.slice<{dim = 1, parent = #b2}>>
    %t = "tt.reduce"(%s) ({
    ^bb0(%x: i32, %y: i32):
      %w = arith.addi %x, %y : i32
      tt.reduce.return %w : i32
    }) {axis = 0 : i32} : (tensor<16xi32, #ttg.slice<{dim = 1, parent = #b2}>>) -> i32
    %v = tt.splat %t : i32 -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @scatter(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r1 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b2}>>
    %e = tt.expand_dims %r1 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b2}>> -> tensor<32x1xi32, #b2>
    %bb = tt.broadcast %e : tensor<32x1xi32, #b2> -> tensor<32x32xi32, #b2>
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xi32, #pd, #smem, mutable>
    %nn = tt.splat %n : i32 -> tensor<32x32xi32, #b2>
    %ix = arith.addi %bb, %nn : tensor<32x32xi32, #b2>
    ttg.local_scatter %a[%ix], %bb {axis = 0 : i32} : !ttg.memdesc<32x32xi32, #pd, #smem, mutable>, tensor<32x32xi32, #b2>, tensor<32x32xi32, #b2>
    %v = arith.addi %r, %ns : tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @add(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %a = ttg.local_alloc %r : (tensor<128xi32, #b>) -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %d = ttg.local_alloc %r : (tensor<128xi32, #b>) -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %i = arith.addi %r, %ns : tensor<128xi32, #b>
    %q = ttg.local_atomic_scatter_rmw add, %a[%i], %r {axis = 0 : i32} : (!ttg.memdesc<128xi32, #s, #smem, mutable>, tensor<128xi32, #b>, tensor<128xi32, #b>) -> tensor<128xi32, #b>
    %v = ttg.local_load %d : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @gather(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %i = arith.addi %r, %ns : tensor<128xi32, #b>
    %v = tt.gather %r[%i] {axis = 0 : i32} : (tensor<128xi32, #b>, tensor<128xi32, #b>) -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @lanes(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    %n32 = tt.splat %n : i32 -> tensor<32xi32, #b>
    %i = arith.addi %r32, %n32 : tensor<32xi32, #b>
    %g = tt.gather %r32[%i] {axis = 0 : i32} : (tensor<32xi32, #b>, tensor<32xi32, #b>) -> tensor<32xi32, #b>
    %oo = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %pp = tt.addptr %oo, %r32 : tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>
    tt.store %pp, %g : tensor<32x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @bins(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %i = arith.addi %r, %ns : tensor<128xi32, #b>
    %l = arith.constant dense<128> : tensor<128xi32, #b>
    %m = arith.cmpi slt, %i, %l : tensor<128xi32, #b>
    %v = tt.histogram %i, %m : tensor<128xi32, #b> -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @few_bins(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %i = arith.addi %r, %ns : tensor<128xi32, #b>
    %h = tt.histogram %i : tensor<128xi32, #b> -> tensor<16xi32, #b>
    %ro = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #b>
    %oo = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #b>
    %pp = tt.addptr %oo, %ro : tensor<16x!tt.ptr<i32>, #b>, tensor<16xi32, #b>
    tt.store %pp, %h : tensor<16x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @reused(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %a = ttg.local_alloc %r : (tensor<128xi32, #b>) -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %w = ttg.local_load %a : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
    ttg.local_dealloc %a : !ttg.memdesc<128xi32, #s, #smem, mutable>
    %d = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %u = ttg.local_load %d : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
    %v = arith.addi %w, %u : tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @again(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %z = arith.constant dense<0> : tensor<128xi32, #b>
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<128xi32, #b>) : i32 {
      %a = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      %first = arith.cmpi eq, %i, %c0 : i32
      scf.if %first {
        ttg.local_store %r, %a : tensor<128xi32, #b> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      }
      %l = ttg.local_load %a : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
      %s = arith.addi %acc, %l : tensor<128xi32, #b>
      ttg.local_dealloc %a : !ttg.memdesc<128xi32, #s, #smem, mutable>
      scf.yield %s : tensor<128xi32, #b>
    }
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @freed(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %a = ttg.local_alloc %r : (tensor<128xi32, #b>) -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %f = arith.cmpi eq, %n, %c1 : i32
    scf.if %f {
      ttg.local_dealloc %a : !ttg.memdesc<128xi32, #s, #smem, mutable>
    }
    %v = ttg.local_load %a : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @pipeline(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %z = arith.constant dense<0> : tensor<128xi32, #b>
    %a = ttg.local_alloc : () -> !ttg.memdesc<2x128xi32, #s, #smem, mutable>
    %x0 = ttg.memdesc_index %a[%c0] : !ttg.memdesc<2x128xi32, #s, #smem, mutable> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    ttg.local_store %r, %x0 : tensor<128xi32, #b> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %v, %cur = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %k = %c0) -> (tensor<128xi32, #b>, i32) : i32 {
      %x = ttg.memdesc_index %a[%k] : !ttg.memdesc<2x128xi32, #s, #smem, mutable> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      %l = ttg.local_load %x : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
      %k1 = arith.addi %k, %c1 : i32
      %ge = arith.cmpi sge, %k1, %c2 : i32
      %k2 = arith.select %ge, %c0, %k1 : i32
      %y = ttg.memdesc_index %a[%k2] : !ttg.memdesc<2x128xi32, #s, #smem, mutable> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      ttg.local_store %l, %y : tensor<128xi32, #b> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      %s = arith.addi %acc, %l : tensor<128xi32, #b>
      scf.yield %s, %k2 : tensor<128xi32, #b>, i32
    }
    ttg.local_dealloc %a : !ttg.memdesc<2x128xi32, #s, #smem, mutable>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @transposed(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b2}>>
    %e = tt.expand_dims %r1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b2}>> -> tensor<1x64xi32, #b2>
    %bb = tt.broadcast %e : tensor<1x64xi32, #b2> -> tensor<16x64xi32, #b2>
    %a = ttg.local_alloc %bb : (tensor<16x64xi32, #b2>) -> !ttg.memdesc<16x64xi32, #s2, #smem, mutable>
    %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<16x64xi32, #s2, #smem, mutable> -> !ttg.memdesc<64x16xi32, #s2t, #smem, mutable>
    %l = ttg.local_load %t : !ttg.memdesc<64x16xi32, #s2t, #smem, mutable> -> tensor<64x16xi32, #b2>
    %cv = ttg.convert_layout %l : tensor<64x16xi32, #b2> -> tensor<64x16xi32, #b2t>
    %s = "tt.reduce"(%cv) ({
    ^bb0(%x: i32, %y: i32):
      %w = arith.addi %x, %y : i32
      tt.reduce.return %w : i32
    }) {axis = 1 : i32} : (tensor<64x16xi32, #b2t>) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #b2t}>>
    %tt = "tt.reduce"(%s) ({
    ^bb0(%x: i32, %y: i32):
      %w = arith.addi %x, %y : i32
      tt.reduce.return %w : i32
    }) {axis = 0 : i32} : (tensor<64xi32, #ttg.slice<{dim = 1, parent = #b2t}>>) -> i32
    %v = tt.splat %tt : i32 -> tensor<128xi32, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  tt.func public @each_round(%out: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %z = arith.constant dense<0> : tensor<128xi32, #b>
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<128xi32, #b>) : i32 {
      %a = ttg.local_alloc %acc : (tensor<128xi32, #b>) -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      %l = ttg.local_load %a : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #b>
      %s = arith.addi %r, %l : tensor<128xi32, #b>
      ttg.local_dealloc %a : !ttg.memdesc<128xi32, #s, #smem, mutable>
      scf.yield %s : tensor<128xi32, #b>
    }
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }
}
