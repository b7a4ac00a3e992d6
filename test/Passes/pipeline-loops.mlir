// Loads that feed products become asynchronous copies, iterations ahead. The remarks give the slots, or the reason for
// none.

// RUN: ll-opt --pipeline-loops=explain=true --verify-diagnostics --split-input-file %s | FileCheck %s
// RUN: not ll-opt --pipeline-loops=num-stages=0 --split-input-file %s 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: 'builtin.module' op invalid option `num-stages=0`, expected 1 or more

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#flipped = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // The pointers of the old loop have no other use; the new loop carries them two iterations ahead.
  // CHECK-LABEL: @pointers
  // CHECK: [[SLOTS:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
  // CHECK-COUNT-2: ttg.async_commit_group
  // CHECK: scf.for {{.*}} iter_args([[SUM:%.*]] = %cst, [[AT:%.*]] = {{%.*}}, [[READ:%.*]] = %c0_i32{{.*}}, [[FILLED:%.*]] = %c2_i32{{.*}}) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>, i32, i32)
  // CHECK-NEXT: ttg.async_wait {num = 1 : i32}
  // CHECK: [[SLOT:%.*]] = ttg.memdesc_index [[SLOTS]]{{\[}}[[FILLED]]]
  // CHECK: ttg.async_copy_global_to_local [[AT]], [[SLOT]] mask
  // CHECK-NEXT: ttg.async_commit_group
  // CHECK: [[SLOT:%.*]] = ttg.memdesc_index [[SLOTS]]{{\[}}[[READ]]]
  // CHECK: [[X:%.*]] = ttg.local_load [[SLOT]]
  // CHECK-NEXT: [[D:%.*]] = tt.dot [[X]], %arg1, [[SUM]]
  // CHECK-NEXT: scf.yield [[D]]
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK-NEXT: ttg.local_dealloc [[SLOTS]]
  tt.func public @pointers(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x16xf16, #right>, %n: i32) -> tensor<64x16xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %offset = arith.constant dense<32> : tensor<64x32xi32, #rows>
    // expected-remark@+1 {{loop pipelined: 1 load fills 3 slots of 4096 bytes, 2 iterations ahead}}
    %sum:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %p) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %at : tensor<64x32x!tt.ptr<f16>, #rows>
      %buffer = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %left = ttg.local_load %buffer : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #left>
      %d = tt.dot %left, %y, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      %next = tt.addptr %at, %offset : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      scf.yield %d, %next : tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>
    }
    tt.return %sum#0 : tensor<64x16xf32, #mma>
  }

  // The slots of the first loop are free during the second one. Copies follow the reads of the slot that they fill.
  // CHECK-LABEL: @one_after_another
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x512xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: tt.dot
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x512xf16
  tt.func public @one_after_another(%p: tensor<64x512x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<512x16xf16, #right>, %n: i32) -> tensor<64x16xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %offset = arith.constant dense<512> : tensor<64x512xi32, #rows>
    // expected-remark@+1 {{loop pipelined: 1 load fills 2 slots of 65536 bytes, 2 iterations ahead}}
    %first:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %p) -> (tensor<64x16xf32, #mma>, tensor<64x512x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %at : tensor<64x512x!tt.ptr<f16>, #rows>
      %buffer = ttg.local_alloc %x : (tensor<64x512xf16, #rows>) -> !ttg.memdesc<64x512xf16, #shared, #smem>
      %left = ttg.local_load %buffer : !ttg.memdesc<64x512xf16, #shared, #smem> -> tensor<64x512xf16, #left>
      %d = tt.dot %left, %y, %c : tensor<64x512xf16, #left> * tensor<512x16xf16, #right> -> tensor<64x16xf32, #mma>
      %next = tt.addptr %at, %offset : tensor<64x512x!tt.ptr<f16>, #rows>, tensor<64x512xi32, #rows>
      scf.yield %d, %next : tensor<64x16xf32, #mma>, tensor<64x512x!tt.ptr<f16>, #rows>
    }
    // expected-remark@+1 {{loop pipelined: 1 load fills 2 slots of 65536 bytes, 2 iterations ahead}}
    %second:2 = scf.for %i = %zero to %n step %one iter_args(%c = %first#0, %at = %p) -> (tensor<64x16xf32, #mma>, tensor<64x512x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %at : tensor<64x512x!tt.ptr<f16>, #rows>
      %buffer = ttg.local_alloc %x : (tensor<64x512xf16, #rows>) -> !ttg.memdesc<64x512xf16, #shared, #smem>
      %left = ttg.local_load %buffer : !ttg.memdesc<64x512xf16, #shared, #smem> -> tensor<64x512xf16, #left>
      %d = tt.dot %left, %y, %c : tensor<64x512xf16, #left> * tensor<512x16xf16, #right> -> tensor<64x16xf32, #mma>
      %next = tt.addptr %at, %offset : tensor<64x512x!tt.ptr<f16>, #rows>, tensor<64x512xi32, #rows>
      scf.yield %d, %next : tensor<64x16xf32, #mma>, tensor<64x512x!tt.ptr<f16>, #rows>
    }
    tt.return %second#0 : tensor<64x16xf32, #mma>
  }

  // A buffer that the loop does not use, but that is used behind it, leaves too little memory for two slots.
  // CHECK-LABEL: @buffer_across
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: tt.return
  tt.func public @buffer_across(%p: tensor<64x512x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<512x16xf16, #right>, %n: i32, %v: tensor<64x512xf16, #rows>) -> (tensor<64x16xf32, #mma>, tensor<64x512xf16, #left>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %offset = arith.constant dense<512> : tensor<64x512xi32, #rows>
    %held = ttg.local_alloc %v : (tensor<64x512xf16, #rows>) -> !ttg.memdesc<64x512xf16, #shared, #smem>
    // expected-remark@+1 {{loop not pipelined: 2 slots of 65536 bytes exceed the 101376 free bytes of shared memory}}
    %sum:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %p) -> (tensor<64x16xf32, #mma>, tensor<64x512x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %at : tensor<64x512x!tt.ptr<f16>, #rows>
      %buffer = ttg.local_alloc %x : (tensor<64x512xf16, #rows>) -> !ttg.memdesc<64x512xf16, #shared, #smem>
      %left = ttg.local_load %buffer : !ttg.memdesc<64x512xf16, #shared, #smem> -> tensor<64x512xf16, #left>
      %d = tt.dot %left, %y, %c : tensor<64x512xf16, #left> * tensor<512x16xf16, #right> -> tensor<64x16xf32, #mma>
      %next = tt.addptr %at, %offset : tensor<64x512x!tt.ptr<f16>, #rows>, tensor<64x512xi32, #rows>
      scf.yield %d, %next : tensor<64x16xf32, #mma>, tensor<64x512x!tt.ptr<f16>, #rows>
    }
    %w = ttg.local_load %held : !ttg.memdesc<64x512xf16, #shared, #smem> -> tensor<64x512xf16, #left>
    tt.return %sum#0, %w : tensor<64x16xf32, #mma>, tensor<64x512xf16, #left>
  }

  // The loop's own number of stages; a transposed view of the slot; pointers that are also a result; the index of the
  // load comes from another load, which stays ahead, too; a load without a buffer.
  // CHECK-LABEL: @views
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared{{[0-9]*}}, #smem, mutable>
  // CHECK: tt.load %arg2, {{%.*}} : !tt.ptr<i32>
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  // CHECK: tt.load {{%.*}}, {{%.*}} : !tt.ptr<i32>
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.memdesc_trans {{%.*}} {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x16xf16, #shared{{[0-9]*}}, #smem, mutable>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.local_load {{%.*}} : !ttg.memdesc<64x32xf16, #shared{{[0-9]*}}, #smem, mutable> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
  tt.func public @views(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<16x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %index: !tt.ptr<i32>, %n: i32) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>, !tt.ptr<i32>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %eight = arith.constant 8 : i32
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %offset = arith.constant dense<32> : tensor<64x32xi32, #rows>
    // expected-remark@+1 {{loop pipelined: 2 loads fill 2 slots of 5120 bytes, 1 iteration ahead}}
    %sum:3 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %p, %k = %index) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>, !tt.ptr<i32>) : i32 {
      %row = tt.load %k : !tt.ptr<i32>
      %scaled = arith.muli %row, %eight : i32
      %rows = tt.splat %scaled : i32 -> tensor<16x32xi32, #rows>
      %from = tt.addptr %q, %rows : tensor<16x32x!tt.ptr<f16>, #rows>, tensor<16x32xi32, #rows>
      %y = tt.load %from : tensor<16x32x!tt.ptr<f16>, #rows>
      %buffer = ttg.local_alloc %y : (tensor<16x32xf16, #rows>) -> !ttg.memdesc<16x32xf16, #shared, #smem>
      %view = ttg.memdesc_trans %buffer {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf16, #shared, #smem> -> !ttg.memdesc<32x16xf16, #flipped, #smem>
      %x = tt.load %at : tensor<64x32x!tt.ptr<f16>, #rows>
      %left = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %right = ttg.local_load %view : !ttg.memdesc<32x16xf16, #flipped, #smem> -> tensor<32x16xf16, #right>
      %d = tt.dot %left, %right, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      %next = tt.addptr %at, %offset : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %following = tt.addptr %k, %one : !tt.ptr<i32>, i32
      scf.yield %d, %next, %following : tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>, !tt.ptr<i32>
    } {tt.num_stages = 2 : i32}
    tt.return %sum#0, %sum#1, %sum#2 : tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>, !tt.ptr<i32>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @refused
  // CHECK-NOT: async
  // CHECK: tt.return
  tt.func public @refused(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %narrow: tensor<64x32x!tt.ptr<f16>, #rows>, %y: tensor<32x16xf16, #right>, %n: i32, %none: tensor<64x16xf32, #mma>, %o: tensor<64x16x!tt.ptr<f32>, #mma>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // expected-remark@+1 {{loop not pipelined: loads cannot be moved across `tt.store`}}
    scf.for %i = %zero to %n step %one : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %left = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %d = tt.dot %left, %y, %none : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      tt.store %o, %d : tensor<64x16x!tt.ptr<f32>, #mma>
    }
    // expected-remark@+1 {{loop not pipelined: the loop contains `scf.for`}}
    %a = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x16xf32, #mma>) : i32 {
      // expected-remark@+1 {{loop not pipelined: no load feeds a product}}
      %inner = scf.for %j = %zero to %n step %one iter_args(%e = %c) -> (tensor<64x16xf32, #mma>) : i32 {
        scf.yield %e : tensor<64x16xf32, #mma>
      }
      scf.yield %inner : tensor<64x16xf32, #mma>
    }
    // expected-remark@+1 {{loop not pipelined: the induction variable is unsigned}}
    %b = scf.for unsigned %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x16xf32, #mma>) : i32 {
      scf.yield %c : tensor<64x16xf32, #mma>
    }
    // expected-remark@+1 {{loop not pipelined: an address depends on `arith.remsi`, whose divisor is not a positive constant}}
    %d = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x16xf32, #mma>) : i32 {
      %wrapped = arith.remsi %i, %n : i32
      %all = tt.splat %wrapped : i32 -> tensor<64x32xi32, #rows>
      %at = tt.addptr %p, %all : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %x = tt.load %at : tensor<64x32x!tt.ptr<f16>, #rows>
      %left = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %next = tt.dot %left, %y, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      scf.yield %next : tensor<64x16xf32, #mma>
    }
    // expected-remark@+1 {{loop not pipelined: only 2 bytes per thread are contiguous in global and shared memory, expected at least 4}}
    %e = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x16xf32, #mma>) : i32 {
      %x = tt.load %narrow : tensor<64x32x!tt.ptr<f16>, #rows>
      %left = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %next = tt.dot %left, %y, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      scf.yield %next : tensor<64x16xf32, #mma>
    }
    // expected-remark@+1 {{loop not pipelined: the requested number of stages is 1, expected at least 2}}
    %f = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x16xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %left = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %next = tt.dot %left, %y, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      scf.yield %next : tensor<64x16xf32, #mma>
    } {tt.num_stages = 1 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // A loop with its own number of stages prefetches loads that feed no product.
  // CHECK-LABEL: @sum
  // CHECK: !ttg.memdesc<2x64x64xf16
  // CHECK: scf.for
  // CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #blocked>
  // CHECK-NEXT: arith.addf
  tt.func public @sum(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %none: tensor<64x64xf16, #rows>) -> tensor<64x64xf16, #rows> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // expected-remark@+1 {{loop pipelined: 1 load fills 2 slots of 8192 bytes, 1 iteration ahead}}
    %f = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x64xf16, #rows>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %next = arith.addf %x, %c : tensor<64x64xf16, #rows>
      scf.yield %next : tensor<64x64xf16, #rows>
    } {tt.num_stages = 2 : i32}
    tt.return %f : tensor<64x64xf16, #rows>
  }

  // Two other tensors leave 28 KiB: the buffer of 128 KiB, and the largest converted one of 8 KiB.
  // CHECK-LABEL: @fewer_slots
  // CHECK: !ttg.memdesc<3x64x64xf16
  tt.func public @fewer_slots(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<64x16xf16, #right>, %n: i32, %none: tensor<64x16xf32, #mma>) -> tensor<64x16xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %other = ttg.local_alloc : () -> !ttg.memdesc<64x1024xf16, #plain, #smem, mutable>
    // expected-remark@+1 {{loop pipelined: 1 load fills 3 slots of 8192 bytes, 2 iterations ahead; 8 stages would take too much shared memory}}
    %f = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<64x16xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %left = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
      %next = tt.dot %left, %y, %c : tensor<64x64xf16, #left> * tensor<64x16xf16, #right> -> tensor<64x16xf32, #mma>
      scf.yield %next : tensor<64x16xf32, #mma>
    } {tt.num_stages = 8 : i32}
    ttg.local_dealloc %other : !ttg.memdesc<64x1024xf16, #plain, #smem, mutable>
    tt.return %f : tensor<64x16xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @other_gpu(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // expected-remark@+1 {{loop not pipelined: `hip:gfx942` has no asynchronous copies with a shared-memory address per thread}}
    scf.for %i = %zero to %n step %one : i32 {
    }
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @stages_in_words(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // expected-error@+1 {{'scf.for' op requires an integer `tt.num_stages`, but got `"three"`}}
    scf.for %i = %zero to %n step %one : i32 {
    } {tt.num_stages = "three"}
    tt.return
  }
}
