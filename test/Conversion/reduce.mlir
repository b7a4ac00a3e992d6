// Reductions: in registers, lanes and warps; several operands; into a layout, or into a scalar.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry total --arg out=zeros:f32:1 --arg want=full:130816:f32:1 --arg in=iota:f32:512 --expect-same out=want | FileCheck %s --check-prefix=TOTAL
// RUN: ll-sim %t.mlir --entry total --arg out=zeros:f32:1 --arg want=full:130816:f32:1 --arg in=iota:f32:512 --expect-same out=want --schedule=1
// RUN: ll-sim %t.amd.mlir --entry total --arg out=zeros:f32:1 --arg want=full:130816:f32:1 --arg in=iota:f32:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry rows --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry rows --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry rows --arg out=zeros:i32:64 --arg want=iota:i32:64 | FileCheck %s --check-prefix=HALVING
// RUN: ll-opt --convert-layouts-to-llvm='target=hip:gfx1100 lane-reductions=butterfly' %s -o %t.butterfly.mlir
// RUN: ll-sim %t.butterfly.mlir --entry rows --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want | FileCheck %s --check-prefix=BUTTERFLY
// RUN: ll-sim %t.mlir --entry argmax --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry argmax --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: ll-sim %t.mlir --entry extremes --arg out=zeros:i32:2 --arg want=iota:i32:2 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry extremes --arg out=zeros:i32:2 --arg want=iota:i32:2 --expect-same out=want
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:100 %s -o %t.100.mlir && FileCheck %s --check-prefix=SM100 --input-file=%t.100.mlir
// RUN: ll-translate --emit=ptx %t.100.mlir -o %t.100.ptx && ptxas -arch=sm_100a %t.100.ptx -o /dev/null
// RUN: ll-sim %t.100.mlir --entry extremes --arg out=zeros:i32:2 --arg want=iota:i32:2 --expect-same out=want
// RUN: ll-sim %t.mlir --entry pairs --arg out=zeros:f16:8 --arg want=full:64:f16:8 --arg in=full:1:f16:512 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry pairs --arg out=zeros:f16:8 --arg want=full:64:f16:8 --arg in=full:1:f16:512 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#d = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [16, 2], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Three additions in a thread, five exchanges, one trip through shared memory, three more additions.
  // CHECK-LABEL: llvm.func @total
  // CHECK-COUNT-3: llvm.fadd
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: llvm.store {{.*}} f32, !llvm.ptr<3>
  // CHECK-NEXT: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-COUNT-3: llvm.fadd
  // CHECK-NOT: nvvm.barrier
  // CHECK-LABEL: llvm.func @rows
  // AMD-LABEL: llvm.func @total
  // AMD: rocdl.permlanex16
  // AMD: rocdl.update.dpp
  // TOTAL: 20 shuffles
  // TOTAL: {{.*}}, 0 bank conflicts
  tt.func public @total(%out: !tt.ptr<f32>, %want: !tt.ptr<f32>, %in: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #a>
    %i = tt.splat %in : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %p = tt.addptr %i, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    %x = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<512xf32, #a>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }

  // A warp has 16 rows, 32 columns of each in its lanes: half of the rows are given away at each lane bit, or one
  // instruction combines a row. The maximum of row i is i, in the last column.
  // CHECK: nvvm.redux.sync max
  // HALVING: 132 shuffles
  // BUTTERFLY: 324 shuffles
  // AMD-LABEL: llvm.func @rows
  // AMD: llvm.intr.smax
  tt.func public @rows(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %r3 = tt.broadcast %r2 : tensor<64x1xi32, #b> -> tensor<64x32xi32, #b>
    %c3 = tt.broadcast %c2 : tensor<1x32xi32, #b> -> tensor<64x32xi32, #b>
    %c31 = arith.constant dense<31> : tensor<64x32xi32, #b>
    %away = arith.subi %c3, %c31 : tensor<64x32xi32, #b>
    %x = arith.addi %r3, %away : tensor<64x32xi32, #b>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.maxsi %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<64x32xi32, #b>) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #b}>>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #b}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    tt.store %p, %s : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #b}>>
    tt.return
  }

  // A value and its index, combined together over lanes and warps: row i is the greatest in column i % 32.
  // CHECK-LABEL: llvm.func @argmax
  tt.func public @argmax(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #c}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #c}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #c}>> -> tensor<64x1xi32, #c>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #c}>> -> tensor<1x64xi32, #c>
    %r3 = tt.broadcast %r2 : tensor<64x1xi32, #c> -> tensor<64x64xi32, #c>
    %c3 = tt.broadcast %c2 : tensor<1x64xi32, #c> -> tensor<64x64xi32, #c>
    %d = arith.xori %r3, %c3 : tensor<64x64xi32, #c>
    %zero = arith.constant dense<0> : tensor<64x64xi32, #c>
    %n = arith.subi %zero, %d : tensor<64x64xi32, #c>
    %x = arith.sitofp %n : tensor<64x64xi32, #c> to tensor<64x64xf16, #c>
    %s:2 = "tt.reduce"(%x, %c3) <{axis = 1 : i32}> ({
    ^bb0(%xa: f16, %ia: i32, %xb: f16, %ib: i32):
      %equal = arith.cmpf oeq, %xa, %xb : f16
      %left = arith.cmpi slt, %ia, %ib : i32
      %tie = arith.andi %equal, %left : i1
      %more = arith.cmpf ogt, %xa, %xb : f16
      %first = arith.ori %more, %tie : i1
      %xs = arith.select %first, %xa, %xb : f16
      %is = arith.select %first, %ia, %ib : i32
      tt.reduce.return %xs, %is : f16, i32
    }) : (tensor<64x64xf16, #c>, tensor<64x64xi32, #c>) -> (tensor<64xf16, #ttg.slice<{dim = 1, parent = #c}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #c}>>)
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #c}>>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #c}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #c}>>
    tt.store %p, %s#1 : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #c}>>
    tt.return
  }

  // One instruction combines the lanes of a warp where it knows the region: integers, and f32 on later GPUs.
  // CHECK-LABEL: llvm.func @extremes
  // CHECK: nvvm.redux.sync add
  // CHECK: nvvm.redux.sync max
  // CHECK: nvvm.barrier
  // CHECK-NOT: nvvm.redux.sync
  // SM100-LABEL: llvm.func @extremes
  // SM100: nvvm.redux.sync fmin {{.*}}nan = true
  tt.func public @extremes(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #a>
    %sum = "tt.reduce"(%r) <{axis = 0 : i32}> ({
    ^bb0(%x: i32, %y: i32):
      %z = arith.addi %y, %x : i32
      tt.reduce.return %z : i32
    }) : (tensor<512xi32, #a>) -> i32
    %max = "tt.reduce"(%r) <{axis = 0 : i32}> ({
    ^bb0(%x: i32, %y: i32):
      %z = arith.maxsi %x, %y : i32
      tt.reduce.return %z : i32
    }) : (tensor<512xi32, #a>) -> i32
    %floats = arith.sitofp %r : tensor<512xi32, #a> to tensor<512xf32, #a>
    %min = "tt.reduce"(%floats) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.minimumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<512xf32, #a>) -> f32
    // 0 where the sum is 512 * 511 / 2 and the least is 0; 1 where the largest is 511.
    %c130816 = arith.constant 130816 : i32
    %off = arith.subi %sum, %c130816 : i32
    %least = arith.fptosi %min : f32 to i32
    %first = arith.addi %off, %least : i32
    tt.store %out, %first : !tt.ptr<i32>
    %c510 = arith.constant 510 : i32
    %second = arith.subi %max, %c510 : i32
    %one = arith.constant 1 : i32
    %next = tt.addptr %out, %one : !tt.ptr<i32>, i32
    tt.store %next, %second : !tt.ptr<i32>
    tt.return
  }

  // Columns of f16 that lie in pairs are added in pairs, in the registers of a thread; 512 ones in 8 columns.
  // CHECK-LABEL: llvm.func @pairs
  // CHECK: llvm.fadd {{.*}} : vector<2xf16>
  tt.func public @pairs(%out: !tt.ptr<f16>, %want: !tt.ptr<f16>, %in: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d}>>
    %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #d}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d}>> -> tensor<64x1xi32, #d>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #d}>> -> tensor<1x8xi32, #d>
    %c8 = arith.constant dense<8> : tensor<64x1xi32, #d>
    %row = arith.muli %r2, %c8 : tensor<64x1xi32, #d>
    %r3 = tt.broadcast %row : tensor<64x1xi32, #d> -> tensor<64x8xi32, #d>
    %c3 = tt.broadcast %c2 : tensor<1x8xi32, #d> -> tensor<64x8xi32, #d>
    %n = arith.addi %r3, %c3 : tensor<64x8xi32, #d>
    %i = tt.splat %in : !tt.ptr<f16> -> tensor<64x8x!tt.ptr<f16>, #d>
    %p = tt.addptr %i, %n : tensor<64x8x!tt.ptr<f16>, #d>, tensor<64x8xi32, #d>
    %x = tt.load %p : tensor<64x8x!tt.ptr<f16>, #d>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: f16, %v: f16):
      %w = arith.addf %u, %v : f16
      tt.reduce.return %w : f16
    }) : (tensor<64x8xf16, #d>) -> tensor<8xf16, #ttg.slice<{dim = 0, parent = #d}>>
    %o = tt.splat %out : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #d}>>
    %q = tt.addptr %o, %c : tensor<8x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #d}>>, tensor<8xi32, #ttg.slice<{dim = 0, parent = #d}>>
    tt.store %q, %s : tensor<8x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #d}>>
    tt.return
  }
}
