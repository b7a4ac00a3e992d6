// Copies into one of three buffers in rotation: no barrier stands between the read of one and the copy to another.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --enable-var-scope
// RUN: ll-sim %s --entry three --arg in=iota:i32:1024 --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want --arrival late
// RUN: ll-sim %s --entry three --arg in=iota:i32:1024 --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want --arrival seed=3 --schedule 5
// RUN: ll-sim %s --entry remainder --arg in=iota:i32:1024 --arg out=zeros:i32:128 --arg want=zeros:i32:128 --expect-same out=want --arrival late

#copied = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#read = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [64]], warp = [[16], [32]], block = []}>
#copied2 = #ttg.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [1, 0]], block = []}>
#read2 = #ttg.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @three
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.barrier0
  // CHECK: nvvm.cp.async.wait.group 0
  tt.func public @three(%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c6 = arith.constant 6 : i32
    %c128 = arith.constant 128 : i32
    %zeros = arith.constant dense<0> : tensor<128xi32, #read>
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #copied>
    %to = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #read>
    %splat = tt.splat %in : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #copied>
    %tile0 = tt.addptr %splat, %range {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
    %width = arith.constant dense<128> : tensor<128xi32, #copied>
    %tile1 = tt.addptr %tile0, %width : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
    %tile2 = tt.addptr %tile1, %width : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<3x128xi32, #shared, #smem, mutable>
    %slot0 = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<3x128xi32, #shared, #smem, mutable> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    %copy0 = ttg.async_copy_global_to_local %tile0, %slot0 : tensor<128x!tt.ptr<i32>, #copied> -> <128xi32, #shared, #smem, mutable>
    %group0 = ttg.async_commit_group tokens %copy0
    %slot1 = ttg.memdesc_index %buffers[%c1] : !ttg.memdesc<3x128xi32, #shared, #smem, mutable> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    %copy1 = ttg.async_copy_global_to_local %tile1, %slot1 : tensor<128x!tt.ptr<i32>, #copied> -> <128xi32, #shared, #smem, mutable>
    %group1 = ttg.async_commit_group tokens %copy1
    %all:5 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %zeros, %index = %c1, %pointer = %tile2, %current = %slot0, %following = %slot1) -> (tensor<128xi32, #read>, i32, tensor<128x!tt.ptr<i32>, #copied>, !ttg.memdesc<128xi32, #shared, #smem, mutable>, !ttg.memdesc<128xi32, #shared, #smem, mutable>) : i32 {
      %token = ttg.async_wait {num = 1 : i32}
      %value = ttg.local_load %current token %token : !ttg.memdesc<128xi32, #shared, #smem, mutable> -> tensor<128xi32, #read>
      %next = arith.addi %index, %c1 : i32
      %wraps = arith.cmpi slt, %next, %c3 : i32
      %wrapped = arith.select %wraps, %next, %c0 : i32
      %new = ttg.memdesc_index %buffers[%wrapped] : !ttg.memdesc<3x128xi32, #shared, #smem, mutable> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
      %copy = ttg.async_copy_global_to_local %pointer, %new : tensor<128x!tt.ptr<i32>, #copied> -> <128xi32, #shared, #smem, mutable>
      %group = ttg.async_commit_group tokens %copy
      %further = tt.addptr %pointer, %width : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
      %total = arith.addi %sum, %value : tensor<128xi32, #read>
      scf.yield %total, %wrapped, %further, %following, %new : tensor<128xi32, #read>, i32, tensor<128x!tt.ptr<i32>, #copied>, !ttg.memdesc<128xi32, #shared, #smem, mutable>, !ttg.memdesc<128xi32, #shared, #smem, mutable>
    }
    %end = ttg.async_wait {num = 0 : i32}
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #read>
    %q = tt.addptr %p, %to : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
    tt.store %q, %all#0 : tensor<128x!tt.ptr<i32>, #read>
    %base = tt.splat %in : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #read>
    %same:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %zeros, %pointer = %base) -> (tensor<128xi32, #read>, tensor<128x!tt.ptr<i32>, #read>) : i32 {
      %at = tt.addptr %pointer, %to : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
      %value = tt.load %at : tensor<128x!tt.ptr<i32>, #read>
      %total = arith.addi %sum, %value : tensor<128xi32, #read>
      %tile = tt.splat %c128 : i32 -> tensor<128xi32, #read>
      %further = tt.addptr %pointer, %tile : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
      scf.yield %total, %further : tensor<128xi32, #read>, tensor<128x!tt.ptr<i32>, #read>
    }
    %r = tt.splat %want : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #read>
    %s = tt.addptr %r, %to : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
    tt.store %s, %same#0 : tensor<128x!tt.ptr<i32>, #read>
    tt.return
  }

  // Each buffer has fewer rows than there are buffers.
  // CHECK-LABEL: llvm.func @remainder
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.barrier0
  // CHECK: nvvm.cp.async.wait.group 0
  tt.func public @remainder(%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c6 = arith.constant 6 : i32
    %c128 = arith.constant 128 : i32
    %zeros = arith.constant dense<0> : tensor<128xi32, #read>
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #copied>
    %to = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #read>
    %splat = tt.splat %in : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #copied>
    %tile0 = tt.addptr %splat, %range {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
    %width = arith.constant dense<128> : tensor<128xi32, #copied>
    %tile1 = tt.addptr %tile0, %width : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
    %tile2 = tt.addptr %tile1, %width : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<3x2x64xi32, #shared2, #smem, mutable>
    %slot0 = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<3x2x64xi32, #shared2, #smem, mutable> -> !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>
    %tile0_rows = tt.reshape %tile0 : tensor<128x!tt.ptr<i32>, #copied> -> tensor<2x64x!tt.ptr<i32>, #copied2>
    %copy0 = ttg.async_copy_global_to_local %tile0_rows, %slot0 : tensor<2x64x!tt.ptr<i32>, #copied2> -> <2x64xi32, #shared2, #smem, mutable>
    %group0 = ttg.async_commit_group tokens %copy0
    %slot1 = ttg.memdesc_index %buffers[%c1] : !ttg.memdesc<3x2x64xi32, #shared2, #smem, mutable> -> !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>
    %tile1_rows = tt.reshape %tile1 : tensor<128x!tt.ptr<i32>, #copied> -> tensor<2x64x!tt.ptr<i32>, #copied2>
    %copy1 = ttg.async_copy_global_to_local %tile1_rows, %slot1 : tensor<2x64x!tt.ptr<i32>, #copied2> -> <2x64xi32, #shared2, #smem, mutable>
    %group1 = ttg.async_commit_group tokens %copy1
    %all:5 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %zeros, %index = %c1, %pointer = %tile2, %current = %slot0, %following = %slot1) -> (tensor<128xi32, #read>, i32, tensor<128x!tt.ptr<i32>, #copied>, !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>, !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>) : i32 {
      %token = ttg.async_wait {num = 1 : i32}
      %rows = ttg.local_load %current token %token : !ttg.memdesc<2x64xi32, #shared2, #smem, mutable> -> tensor<2x64xi32, #read2>
      %value = tt.reshape %rows : tensor<2x64xi32, #read2> -> tensor<128xi32, #read>
      %next = arith.addi %index, %c1 : i32
      %wrapped = arith.remui %next, %c3 : i32
      %new = ttg.memdesc_index %buffers[%wrapped] : !ttg.memdesc<3x2x64xi32, #shared2, #smem, mutable> -> !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>
      %pointer_rows = tt.reshape %pointer : tensor<128x!tt.ptr<i32>, #copied> -> tensor<2x64x!tt.ptr<i32>, #copied2>
      %copy = ttg.async_copy_global_to_local %pointer_rows, %new : tensor<2x64x!tt.ptr<i32>, #copied2> -> <2x64xi32, #shared2, #smem, mutable>
      %group = ttg.async_commit_group tokens %copy
      %further = tt.addptr %pointer, %width : tensor<128x!tt.ptr<i32>, #copied>, tensor<128xi32, #copied>
      %total = arith.addi %sum, %value : tensor<128xi32, #read>
      scf.yield %total, %wrapped, %further, %following, %new : tensor<128xi32, #read>, i32, tensor<128x!tt.ptr<i32>, #copied>, !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>, !ttg.memdesc<2x64xi32, #shared2, #smem, mutable>
    }
    %end = ttg.async_wait {num = 0 : i32}
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #read>
    %q = tt.addptr %p, %to : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
    tt.store %q, %all#0 : tensor<128x!tt.ptr<i32>, #read>
    %base = tt.splat %in : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #read>
    %same:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %zeros, %pointer = %base) -> (tensor<128xi32, #read>, tensor<128x!tt.ptr<i32>, #read>) : i32 {
      %at = tt.addptr %pointer, %to : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
      %value = tt.load %at : tensor<128x!tt.ptr<i32>, #read>
      %total = arith.addi %sum, %value : tensor<128xi32, #read>
      %tile = tt.splat %c128 : i32 -> tensor<128xi32, #read>
      %further = tt.addptr %pointer, %tile : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
      scf.yield %total, %further : tensor<128xi32, #read>, tensor<128x!tt.ptr<i32>, #read>
    }
    %r = tt.splat %want : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #read>
    %s = tt.addptr %r, %to : tensor<128x!tt.ptr<i32>, #read>, tensor<128xi32, #read>
    tt.store %s, %same#0 : tensor<128x!tt.ptr<i32>, #read>
    tt.return
  }
}
