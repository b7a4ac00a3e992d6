// Clusters of two CTAs: every CTA computes its part of each tensor, and the CTA that owns an element stores it.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %t.mlir --entry add --grid 4 --arg out=zeros:i32:512 --arg want=iota:i32:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry rows --grid 2 --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: ll-sim %t.mlir --entry count --grid 8 --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: ll-sim %t.mlir --entry table --grid 2 --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: ll-sim %t.mlir --entry exchange --grid 2 --arg out=zeros:i32:1024 --arg want=iota:i32:1024 --expect-same out=want
// RUN: ll-sim %t.mlir --entry exchange --grid 2 --arg out=zeros:i32:1024 --arg want=iota:i32:1024 --expect-same out=want --schedule=3
// RUN: ll-sim %t.mlir --entry sums --grid 2 --arg out=zeros:i32:32 --arg want=iota:i32:32 --expect-same out=want
// RUN: awk '/cluster.arrive/ && n++ == 0 {getline; print "nvvm.barrier0"; next} {print}' %t.mlir > %t.0.mlir
// RUN: not ll-sim %t.0.mlir --entry exchange --grid 2 --arg out=zeros:i32:1024 --arg want=iota:i32:1024 2>&1 | FileCheck %s --check-prefix=NOTYET
// RUN: awk '/cluster.arrive/ && n++ == 1 {getline; print "nvvm.barrier0"; next} {print}' %t.mlir > %t.1.mlir
// RUN: not ll-sim %t.1.mlir --entry exchange --grid 2 --arg out=zeros:i32:1024 --arg want=iota:i32:1024 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: awk '/cluster.arrive/ && n++ == 2 {getline; print "nvvm.barrier0"; next} {print}' %t.mlir > %t.2.mlir
// RUN: not ll-sim %t.2.mlir --entry exchange --grid 2 --arg out=zeros:i32:1024 --arg want=iota:i32:1024 2>&1 | FileCheck %s --check-prefix=LOADED
// RUN: awk '/cluster.arrive/ && n++ == 3 {getline; print "nvvm.barrier0"; next} {print}' %t.mlir > %t.3.mlir
// RUN: not ll-sim %t.3.mlir --entry exchange --grid 2 --arg out=zeros:i32:1024 --arg want=iota:i32:1024 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not ll-sim %t.mlir --entry add --grid 3 --arg out=zeros:i32:512 --arg want=iota:i32:512 2>&1 | FileCheck %s --check-prefix=GRID

// GRID: error: the grid has [3, 1, 1] blocks, expected multiples of the cluster size, [2, 1, 1] blocks

// A barrier of each block in place of a barrier of the cluster.
// NOTYET: error: load from block 1 of the cluster, which has not started or has returned
// STORED: error: data race: no cluster barrier between the store to byte 0 of `global_smem` in block 1 of the cluster and the load
// LOADED: error: data race: no cluster barrier between the store to byte 0 of `global_smem` and the load by another block of the cluster
// GONE: error: load from block 1 of the cluster, which has not started or has returned

#byrow = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#bycolumn = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1], CGALayout = [[0, 1]]}>
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

  // Each CTA holds 16 of 32 rows, then 16 of 32 columns: half of the elements come from the other CTA.
  // CHECK-LABEL: llvm.func @exchange
  // CHECK: llvm.store {{.*}} !llvm.ptr<3>
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK: nvvm.mapa {{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.load {{.*}} : !llvm.ptr<7>
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // CHECK-NOT: nvvm.barrier
  // PTX-LABEL: .entry exchange
  // PTX: mapa.shared::cluster
  // PTX: ld.shared::cluster
  tt.func public @exchange(%out: !tt.ptr<i32>, %want: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #byrow}>>
    %c32 = arith.constant dense<32> : tensor<32x1xi32, #byrow>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>> -> tensor<32x1xi32, #byrow>
    %rows = arith.muli %r1, %c32 : tensor<32x1xi32, #byrow>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #byrow}>> -> tensor<1x32xi32, #byrow>
    %r2 = tt.broadcast %rows : tensor<32x1xi32, #byrow> -> tensor<32x32xi32, #byrow>
    %c2 = tt.broadcast %c1 : tensor<1x32xi32, #byrow> -> tensor<32x32xi32, #byrow>
    %i = arith.addi %r2, %c2 : tensor<32x32xi32, #byrow>
    %p = tt.splat %want : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>, #byrow>
    %at = tt.addptr %p, %i : tensor<32x32x!tt.ptr<i32>, #byrow>, tensor<32x32xi32, #byrow>
    %x = tt.load %at : tensor<32x32x!tt.ptr<i32>, #byrow>
    %y = ttg.convert_layout %x : tensor<32x32xi32, #byrow> -> tensor<32x32xi32, #bycolumn>
    %j = ttg.convert_layout %i : tensor<32x32xi32, #byrow> -> tensor<32x32xi32, #bycolumn>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>, #bycolumn>
    %to = tt.addptr %o, %j : tensor<32x32x!tt.ptr<i32>, #bycolumn>, tensor<32x32xi32, #bycolumn>
    tt.store %to, %y : tensor<32x32x!tt.ptr<i32>, #bycolumn>
    tt.return
  }

  // Each CTA sums the rows that it holds, and a scan stays in it.
  // CHECK-LABEL: llvm.func @sums
  // CHECK-NOT: nvvm.cluster.arrive
  tt.func public @sums(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %one = arith.constant dense<1> : tensor<32x32xi32, #byrow>
    %s = "tt.scan"(%one) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tt.scan.return %w : i32
    }) : (tensor<32x32xi32, #byrow>) -> tensor<32x32xi32, #byrow>
    %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.maxsi %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<32x32xi32, #byrow>) -> tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    %c32 = arith.constant dense<32> : tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    %d = arith.subi %m, %c32 : tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    %x = arith.addi %d, %r : tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #byrow}>>
    %at = tt.addptr %o, %r : tensor<32x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #byrow}>>, tensor<32xi32, #ttg.slice<{dim = 1, parent = #byrow}>>
    tt.store %at, %x : tensor<32x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #byrow}>>
    tt.return
  }
}
