// A load moves above operations that wait for shared memory, with the operations that compute its operands. It does not
// cross other accesses to global memory or barriers, and stays if the live tensors would need too many registers.

// RUN: ll-opt --hoist-loads %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-opt --hoist-loads %t.mlir | diff %t.mlir -
// RUN: ll-sim %t.mlir --entry transposed_sum --arg x=iota:f32:1024 --arg y=iota:f32:1024 --arg out=zeros:f32:1024 --dump out=%t.hoisted
// RUN: ll-sim %s --entry transposed_sum --arg x=iota:f32:1024 --arg y=iota:f32:1024 --arg out=zeros:f32:1024 --dump out=%t.given
// RUN: cmp %t.given %t.hoisted

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @transposed_sum
  // CHECK: tt.load
  // CHECK: tt.splat %arg1
  // CHECK: tt.addptr
  // CHECK: tt.load
  // CHECK: ttg.convert_layout
  tt.func public @transposed_sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %size = arith.constant dense<32> : tensor<32x1xi32, #rows>
    %r0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<32x1xi32, #rows>
    %c1 = tt.expand_dims %c0 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
    %r2 = arith.muli %r1, %size : tensor<32x1xi32, #rows>
    %r = tt.broadcast %r2 : tensor<32x1xi32, #rows> -> tensor<32x32xi32, #rows>
    %c = tt.broadcast %c1 : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
    %at = arith.addi %r, %c : tensor<32x32xi32, #rows>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
    %xp = tt.addptr %xs, %at : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
    %a = tt.load %xp : tensor<32x32x!tt.ptr<f32>, #rows>
    %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    %u = ttg.convert_layout %t : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
    %yp = tt.addptr %ys, %at : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
    %b = tt.load %yp : tensor<32x32x!tt.ptr<f32>, #rows>
    %sum = arith.addf %u, %b : tensor<32x32xf32, #rows>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
    %op = tt.addptr %os, %at : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
    tt.store %op, %sum : tensor<32x32x!tt.ptr<f32>, #rows>
    tt.return
  }

  // The index of the second load comes from the first, but not through the conversion.
  // CHECK-LABEL: @indirect
  // CHECK: tt.load
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: ttg.convert_layout
  tt.func private @indirect(%p: tensor<32x32x!tt.ptr<i32>, #rows>, %q: tensor<32x32x!tt.ptr<f32>, #rows>) -> (tensor<32x32xi32, #columns>, tensor<32x32xf32, #columns>) {
    %i = tt.load %p : tensor<32x32x!tt.ptr<i32>, #rows>
    %j = ttg.convert_layout %i : tensor<32x32xi32, #rows> -> tensor<32x32xi32, #columns>
    %at = tt.addptr %q, %i : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
    %x = tt.load %at : tensor<32x32x!tt.ptr<f32>, #rows>
    %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    tt.return %j, %y : tensor<32x32xi32, #columns>, tensor<32x32xf32, #columns>
  }

  // CHECK-LABEL: @behind_store
  // CHECK: ttg.convert_layout
  // CHECK: tt.store
  // CHECK: tt.load
  tt.func private @behind_store(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %q: tensor<32x32x!tt.ptr<f32>, #rows>, %t: tensor<32x32xf32, #columns>) -> tensor<32x32xf32, #rows> {
    %u = ttg.convert_layout %t : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    tt.store %p, %u : tensor<32x32x!tt.ptr<f32>, #rows>
    %x = tt.load %q : tensor<32x32x!tt.ptr<f32>, #rows>
    tt.return %x : tensor<32x32xf32, #rows>
  }

  // CHECK-LABEL: @behind_barrier
  // CHECK: ttg.convert_layout
  // CHECK: ttg.barrier
  // CHECK: tt.load
  tt.func private @behind_barrier(%q: tensor<32x32x!tt.ptr<f32>, #rows>, %t: tensor<32x32xf32, #columns>) -> (tensor<32x32xf32, #rows>, tensor<32x32xf32, #rows>) {
    %u = ttg.convert_layout %t : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    ttg.barrier global_read|global_write
    %x = tt.load %q : tensor<32x32x!tt.ptr<f32>, #rows>
    tt.return %x, %u : tensor<32x32xf32, #rows>, tensor<32x32xf32, #rows>
  }

  // CHECK-LABEL: @volatile
  // CHECK: ttg.convert_layout
  // CHECK: tt.load
  // CHECK: tt.load
  tt.func private @volatile(%q: tensor<32x32x!tt.ptr<f32>, #rows>, %t: tensor<32x32xf32, #columns>) -> (tensor<32x32xf32, #rows>, tensor<32x32xf32, #rows>, tensor<32x32xf32, #rows>) {
    %u = ttg.convert_layout %t : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    %x = tt.load %q {isVolatile = true} : tensor<32x32x!tt.ptr<f32>, #rows>
    %y = tt.load %q : tensor<32x32x!tt.ptr<f32>, #rows>
    tt.return %x, %u, %y : tensor<32x32xf32, #rows>, tensor<32x32xf32, #rows>, tensor<32x32xf32, #rows>
  }

  // 64 words of the loop-carried tensor and 64 of the load exceed 111.
  // CHECK-LABEL: @many_registers
  // CHECK: scf.for
  // CHECK: ttg.convert_layout
  // CHECK: tt.load
  tt.func private @many_registers(%q: tensor<64x128x!tt.ptr<f32>, #rows>, %init: tensor<64x128xf32, #rows>, %t: tensor<64x128xf32, #columns>, %n: i32) -> tensor<64x128xf32, #rows> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #rows>) : i32 {
      %u = ttg.convert_layout %t : tensor<64x128xf32, #columns> -> tensor<64x128xf32, #rows>
      %v = arith.addf %acc, %u : tensor<64x128xf32, #rows>
      %x = tt.load %q : tensor<64x128x!tt.ptr<f32>, #rows>
      %w = arith.addf %v, %x : tensor<64x128xf32, #rows>
      scf.yield %w : tensor<64x128xf32, #rows>
    }
    tt.return %sum : tensor<64x128xf32, #rows>
  }

  // Constants take no registers of their own: without them, the 64 words of the load fit.
  // CHECK-LABEL: @constants
  // CHECK: tt.load
  // CHECK-NEXT: ttg.convert_layout
  tt.func private @constants(%q: tensor<64x128x!tt.ptr<f32>, #rows>, %t: tensor<32x32xf32, #columns>) -> (tensor<32x32xf32, #rows>, tensor<64x128xf32, #rows>) {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #rows>
    %one = arith.constant dense<0.5> : tensor<64x128xf32, #rows>
    %u = ttg.convert_layout %t : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    %x = tt.load %q : tensor<64x128x!tt.ptr<f32>, #rows>
    %y = arith.addf %x, %zero : tensor<64x128xf32, #rows>
    %z = arith.mulf %y, %one : tensor<64x128xf32, #rows>
    tt.return %u, %z : tensor<32x32xf32, #rows>, tensor<64x128xf32, #rows>
  }

  // The copies start before the store waits for the load.
  // CHECK-LABEL: @store_before_copies
  // CHECK: tt.load
  // CHECK-NEXT: ttg.local_alloc : ()
  // CHECK-NEXT: ttg.async_copy_global_to_local
  // CHECK-NEXT: ttg.local_alloc %{{.*}} :
  // CHECK-NEXT: ttg.async_commit_group
  // CHECK-NEXT: ttg.async_wait
  tt.func private @store_before_copies(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %q: tensor<32x32x!tt.ptr<f32>, #rows>) -> (tensor<32x32xf32, #columns>, tensor<32x32xf32, #columns>) {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %c = ttg.async_copy_global_to_local %q, %b : tensor<32x32x!tt.ptr<f32>, #rows> -> <32x32xf32, #shared, #smem, mutable>
    %d = ttg.async_commit_group tokens %c
    %e = ttg.async_wait %d {num = 0 : i32}
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #columns>
    %z = ttg.local_load %b token %e : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #columns>
    tt.return %y, %z : tensor<32x32xf32, #columns>, tensor<32x32xf32, #columns>
  }

  // A read of the stored tensor, and one of another buffer, stay in front of the copies.
  // CHECK-LABEL: @read_before_copies
  // CHECK: ttg.local_alloc %{{.*}} :
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_alloc : ()
  // CHECK-NEXT: ttg.async_copy_global_to_local
  tt.func private @read_before_copies(%x: tensor<32x32xf32, #rows>, %q: tensor<32x32x!tt.ptr<f32>, #rows>) -> tensor<32x32xf32, #columns> {
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #columns>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %c = ttg.async_copy_global_to_local %q, %b : tensor<32x32x!tt.ptr<f32>, #rows> -> <32x32xf32, #shared, #smem, mutable>
    %d = ttg.async_commit_group tokens %c
    tt.return %y : tensor<32x32xf32, #columns>
  }
}
