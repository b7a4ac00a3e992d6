// Clusters of two CTAs: every CTA computes its part of each tensor, and the CTA that owns an element stores it.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %t.mlir --entry add --grid 4 --arg out=zeros:i32:512 --arg want=iota:i32:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry rows --grid 2 --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: ll-sim %t.mlir --entry count --grid 8 --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: ll-sim %t.mlir --entry table --grid 2 --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: not ll-sim %t.mlir --entry add --grid 3 --arg out=zeros:i32:512 --arg want=iota:i32:512 2>&1 | FileCheck %s --check-prefix=GRID

// GRID: error: the kernel requires a grid of whole clusters of [2, 1, 1] blocks, but got a grid of [3, 1, 1] blocks

#split = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#tile = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#copies = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Program 1 consists of CTAs 2 and 3. Each CTA holds 128 of the 256 elements, in every layout of the conversion.
  // CHECK-LABEL: llvm.func @add
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
  // CHECK-DAG: nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK-DAG: nvvm.read.ptx.sreg.clusterid.x
  // CHECK-NOT: ctaid
  // PTX: .reqnctapercluster 2
  tt.func public @add(%out: !tt.ptr<i32>, %want: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %pid = tt.get_program_id x : i32
    %c256 = arith.constant 256 : i32
    %start = arith.muli %pid, %c256 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #pairs>
    %s = tt.splat %start : i32 -> tensor<256xi32, #pairs>
    %i = arith.addi %r, %s : tensor<256xi32, #pairs>
    %p = tt.splat %want : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #pairs>
    %at = tt.addptr %p, %i : tensor<256x!tt.ptr<i32>, #pairs>, tensor<256xi32, #pairs>
    %x = tt.load %at : tensor<256x!tt.ptr<i32>, #pairs>
    %y = ttg.convert_layout %x : tensor<256xi32, #pairs> -> tensor<256xi32, #split>
    %j = ttg.convert_layout %i : tensor<256xi32, #pairs> -> tensor<256xi32, #split>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #split>
    %to = tt.addptr %o, %j : tensor<256x!tt.ptr<i32>, #split>, tensor<256xi32, #split>
    tt.store %to, %y : tensor<256x!tt.ptr<i32>, #split>
    tt.return
  }

  // The CTAs split the columns, so each of them holds all rows: the first CTA stores them.
  // CHECK-LABEL: llvm.func @rows
  tt.func public @rows(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #tile}>>
    %at = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #tile}>>, tensor<128xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #tile}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<128x1xi32, #tile>
    tt.store %at, %r : tensor<128x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #tile}>>
    tt.return
  }

  // The first thread of the cluster stores a scalar.
  // CHECK-LABEL: llvm.func @count
  tt.func public @count(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %pid = tt.get_program_id x : i32
    %num = tt.get_num_programs x : i32
    %last = arith.subi %num, %pid : i32
    %three = arith.constant 4 : i32
    %value = arith.subi %three, %last : i32
    %at = tt.addptr %out, %pid : !tt.ptr<i32>, i32
    tt.store %at, %value : !tt.ptr<i32>
    tt.return
  }

  // The elements of a constant are selected by a bit of the lane and the rank of the CTA.
  // CHECK-LABEL: llvm.func @table
  tt.func public @table(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #split>
    %x = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32, #split>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #split>
    %at = tt.addptr %o, %r : tensor<4x!tt.ptr<i32>, #split>, tensor<4xi32, #split>
    tt.store %at, %x : tensor<4x!tt.ptr<i32>, #split>
    tt.return
  }
}
