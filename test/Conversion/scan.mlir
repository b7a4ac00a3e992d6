// Scans: in registers, lanes and warps, forward and in reverse; several operands; regions that are not commutative.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry sums --arg out=zeros:f32:512 --arg want=iota:f32:512 --expect-same out=want | FileCheck %s --check-prefix=SUMS
// RUN: ll-sim %t.amd.mlir --entry sums --arg out=zeros:f32:512 --arg want=iota:f32:512 --expect-same out=want --schedule=1
// RUN: ll-sim %t.mlir --entry latest --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry latest --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.mlir --entry apart --arg out=zeros:i32:1024 --arg want=iota:i32:1024 --expect-same out=want
// RUN: ll-sim %t.mlir --entry halves --arg out=zeros:f32:512 --arg want=iota:f32:512 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry apart --arg out=zeros:i32:1024 --arg want=iota:i32:1024 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#h = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [0, 1]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Three additions in a thread; a fetch from another lane at each of five bits, the lane before, the total of the
  // warp; one trip through shared memory.
  // CHECK-LABEL: llvm.func @sums
  // CHECK-COUNT-3: llvm.fadd
  // CHECK: nvvm.shfl.sync idx
  // CHECK: llvm.fadd
  // CHECK: llvm.select
  // CHECK: llvm.store {{.*}} f32, !llvm.ptr<3>
  // CHECK-NEXT: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT: nvvm.barrier
  // CHECK-LABEL: llvm.func @latest
  // CHECK: nvvm.shfl.sync idx
  // AMD-LABEL: llvm.func @sums
  // AMD: rocdl.ds_bpermute
  // SUMS: 1 barriers, 28 shuffles
  // SUMS: {{.*}}, 0 bank conflicts
  tt.func public @sums(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %want: !tt.ptr<f32>) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #a>
    %one = arith.constant dense<1> : tensor<512xi32, #a>
    %least = arith.minsi %r, %one : tensor<512xi32, #a>
    %x = arith.sitofp %least : tensor<512xi32, #a> to tensor<512xf32, #a>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.scan.return %w : f32
    }) : (tensor<512xf32, #a>) -> tensor<512xf32, #a>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %p = tt.addptr %o, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    tt.store %p, %s : tensor<512x!tt.ptr<f32>, #a>
    tt.return
  }

  // In reverse along rows of 64: of elements that are not 0, the latest, and where it is. Column c gets the number of
  // the next column that 8 divides, from above, which is (c + 7) / 8 * 8, or nothing beyond 56.
  tt.func public @latest(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %r3 = tt.broadcast %r2 : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
    %c3 = tt.broadcast %c2 : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
    %c0 = arith.constant dense<0> : tensor<32x64xi32, #b>
    %c7 = arith.constant dense<7> : tensor<32x64xi32, #b>
    %c64 = arith.constant dense<64> : tensor<32x64xi32, #b>
    %mod = arith.andi %c3, %c7 : tensor<32x64xi32, #b>
    %there = arith.cmpi eq, %mod, %c0 : tensor<32x64xi32, #b>
    %row = arith.muli %r3, %c64 : tensor<32x64xi32, #b>
    %n = arith.addi %row, %c3 : tensor<32x64xi32, #b>
    %short = arith.trunci %c3 : tensor<32x64xi32, #b> to tensor<32x64xi8, #b>
    %s:3 = "tt.scan"(%there, %n, %short) <{axis = 1 : i32, reverse = true}> ({
    ^bb0(%ta: i1, %na: i32, %sa: i8, %tb: i1, %nb: i32, %sb: i8):
      %t = arith.ori %ta, %tb : i1
      %m = arith.select %tb, %nb, %na : i32
      %k = arith.select %tb, %sb, %sa : i8
      tt.scan.return %t, %m, %k : i1, i32, i8
    }) : (tensor<32x64xi1, #b>, tensor<32x64xi32, #b>, tensor<32x64xi8, #b>) -> (tensor<32x64xi1, #b>, tensor<32x64xi32, #b>, tensor<32x64xi8, #b>)
    // Less (c + 7) / 8 * 8 of the row, and the same of the column, it is 0 up to column 56. Beyond there is none.
    %up = arith.addi %c3, %c7 : tensor<32x64xi32, #b>
    %m8 = arith.constant dense<-8> : tensor<32x64xi32, #b>
    %next = arith.andi %up, %m8 : tensor<32x64xi32, #b>
    %nextn = arith.addi %row, %next : tensor<32x64xi32, #b>
    %d = arith.subi %s#1, %nextn : tensor<32x64xi32, #b>
    %wide = arith.extui %s#2 : tensor<32x64xi8, #b> to tensor<32x64xi32, #b>
    %e = arith.subi %wide, %next : tensor<32x64xi32, #b>
    %both = arith.ori %d, %e : tensor<32x64xi32, #b>
    %f = arith.select %s#0, %both, %c0 : tensor<32x64xi1, #b>, tensor<32x64xi32, #b>
    %c56 = arith.constant dense<56> : tensor<32x64xi32, #b>
    %has = arith.cmpi ule, %c3, %c56 : tensor<32x64xi32, #b>
    %same = arith.cmpi eq, %has, %s#0 : tensor<32x64xi1, #b>
    %w0 = arith.addi %n, %f : tensor<32x64xi32, #b>
    %w = arith.select %same, %w0, %c0 : tensor<32x64xi1, #b>, tensor<32x64xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x64x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<32x64x!tt.ptr<i32>, #b>, tensor<32x64xi32, #b>
    tt.store %p, %w : tensor<32x64x!tt.ptr<i32>, #b>
    tt.return
  }

  // Neighbours in registers lie far apart along the axis: registers above warps above lanes.
  // CHECK-LABEL: llvm.func @apart
  tt.func public @apart(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #c>
    %one = arith.constant dense<1> : tensor<1024xi32, #c>
    %s = "tt.scan"(%one) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tt.scan.return %w : i32
    }) : (tensor<1024xi32, #c>) -> tensor<1024xi32, #c>
    %x = arith.subi %s, %one : tensor<1024xi32, #c>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #c>
    %p = tt.addptr %o, %r : tensor<1024x!tt.ptr<i32>, #c>, tensor<1024xi32, #c>
    tt.store %p, %x : tensor<1024x!tt.ptr<i32>, #c>
    tt.return
  }
  // Adjacent registers hold the same column of two rows: one instruction adds both rows, and one selects.
  // CHECK-LABEL: llvm.func @halves
  // CHECK: nvvm.shfl.sync idx
  // CHECK-COUNT-2: llvm.fadd {{.*}} : vector<2xf16>
  // CHECK-NOT: llvm.select {{.*}} f16
  // CHECK: llvm.return
  tt.func public @halves(%out: !tt.ptr<f32>, %want: !tt.ptr<f32>) {
    %one = arith.constant dense<1.0> : tensor<16x32xf16, #h>
    %s = "tt.scan"(%one) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%u: f16, %v: f16):
      %w = arith.addf %u, %v : f16
      tt.scan.return %w : f16
    }) : (tensor<16x32xf16, #h>) -> tensor<16x32xf16, #h>
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #h}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #h}>>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #h}>> -> tensor<16x1xi32, #h>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #h}>> -> tensor<1x32xi32, #h>
    %width = arith.constant dense<32> : tensor<16x1xi32, #h>
    %start = arith.muli %r1, %width : tensor<16x1xi32, #h>
    %r2 = tt.broadcast %start : tensor<16x1xi32, #h> -> tensor<16x32xi32, #h>
    %c2 = tt.broadcast %c1 : tensor<1x32xi32, #h> -> tensor<16x32xi32, #h>
    %n = arith.addi %r2, %c2 : tensor<16x32xi32, #h>
    %wide = arith.extf %s : tensor<16x32xf16, #h> to tensor<16x32xf32, #h>
    %above = arith.sitofp %r2 : tensor<16x32xi32, #h> to tensor<16x32xf32, #h>
    %last = arith.constant dense<1.0> : tensor<16x32xf32, #h>
    %before = arith.subf %wide, %last : tensor<16x32xf32, #h>
    %x = arith.addf %before, %above : tensor<16x32xf32, #h>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>, #h>
    %p = tt.addptr %o, %n : tensor<16x32x!tt.ptr<f32>, #h>, tensor<16x32xi32, #h>
    tt.store %p, %x : tensor<16x32x!tt.ptr<f32>, #h>
    tt.return
  }
}
