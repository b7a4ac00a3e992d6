// Accesses through descriptors become TMA copies.
// RUN: ll-opt --lower-descriptors --split-input-file --verify-diagnostics %s | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @load
  tt.func @load(%d: !tt.tensordesc<64x64xf16, #shared>, %i: i32, %j: i32) -> tensor<64x64xf16, #rows> {
    // CHECK: [[BUFFER:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    // CHECK-NEXT: [[BARRIER:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
    // CHECK-NEXT: ttng.init_barrier [[BARRIER]], 1
    // CHECK: ttng.barrier_expect [[BARRIER]], 8192, %true
    // CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg1, %arg2] [[BUFFER]], [[BARRIER]], %true
    // CHECK: ttng.wait_barrier [[BARRIER]], %c0_i32
    // CHECK-NEXT: ttng.inval_barrier [[BARRIER]]
    // CHECK: ttg.local_load [[BUFFER]]
    %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #rows>
    tt.return %x : tensor<64x64xf16, #rows>
  }

  // The only use of the block is a buffer with the descriptor's layout. Its views become mutable.
  // CHECK-LABEL: @load_to_buffer
  tt.func @load_to_buffer(%d: !tt.tensordesc<64x64xf16, #shared>, %i: i32) -> tensor<64x64xf16, #rows> {
    // CHECK: [[BUFFER:%.*]] = ttg.local_alloc : ()
    // CHECK: async_tma_copy_global_to_local
    // CHECK-NOT: ttg.local_alloc
    // CHECK: [[VIEW:%.*]] = ttg.memdesc_trans [[BUFFER]] {{.*}}, mutable>
    // CHECK: ttg.local_load [[VIEW]]
    %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #rows>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
    %y = ttg.local_load %t : !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf16, #rows>
    tt.return %y : tensor<64x64xf16, #rows>
  }

  // The buffer has another layout, or the block has a further use.
  // CHECK-LABEL: @load_and_store_to_buffer
  tt.func @load_and_store_to_buffer(%d: !tt.tensordesc<64x64xf16, #shared>, %i: i32) -> tensor<64x64xf16, #rows> {
    // CHECK: async_tma_copy_global_to_local
    // CHECK: ttg.local_load
    // CHECK-NEXT: ttg.local_alloc {{.*}} -> !ttg.memdesc<64x64xf16, #shared{{[0-9]}}, #smem>
    // CHECK: async_tma_copy_global_to_local
    // CHECK: ttg.local_load
    // CHECK-NEXT: ttg.local_alloc {{.*}} -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #rows>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #narrow, #smem>
    %y = ttg.local_load %b : !ttg.memdesc<64x64xf16, #narrow, #smem> -> tensor<64x64xf16, #rows>
    %z = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #rows>
    %c = ttg.local_alloc %z : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %v = ttg.local_load %c : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #rows>
    %w = arith.addf %y, %z : tensor<64x64xf16, #rows>
    %u = arith.addf %v, %w : tensor<64x64xf16, #rows>
    tt.return %u : tensor<64x64xf16, #rows>
  }

  // A descriptor without encoding gets one; the tensor lacks the outer dimension of the block.
  // CHECK-LABEL: @load_without_outer_dimension
  tt.func @load_without_outer_dimension(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<64x64xf16, #rows> {
    %one = arith.constant 1 : i64
    // CHECK: [[MEMORY:%.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32}
    // CHECK: [[INNER:%.*]] = arith.muli %arg2, %c2_i64
    // CHECK: [[OUTER:%.*]] = arith.muli %arg2, %c2_i64
    // CHECK: ttng.tensormap_create [[MEMORY]], %arg0, [%c64_i32, %c64_i32, %c1_i32], [%arg1, %arg1, %arg1], [[[INNER]], [[OUTER]]], [%c1_i32, %c1_i32, %c1_i32] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}
    // CHECK: ttng.tensormap_fenceproxy_acquire [[MEMORY]]
    // CHECK: ttng.reinterpret_tensor_descriptor [[MEMORY]] : !tt.ptr<i8> to !tt.tensordesc<1x64x64xf16, #shared{{[0-9]}}>
    %d = tt.make_tensor_descriptor %p, [%n, %n, %n], [%s, %s, %one] {padding = 2 : i32} : <f16>, <1x64x64xf16>
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %x = tt.descriptor_load %d[%n, %n, %n] : !tt.tensordesc<1x64x64xf16> -> tensor<64x64xf16, #rows>
    tt.return %x : tensor<64x64xf16, #rows>
  }

  // CHECK-LABEL: @store
  tt.func @store(%d: !tt.tensordesc<64x64xf16, #shared>, %x: tensor<64x64xf16, #rows>, %i: i32) {
    // CHECK-NEXT: [[BUFFER:%.*]] = ttg.local_alloc %arg1
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global %arg0[%arg2, %arg2] [[BUFFER]]
    // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
    // CHECK-NEXT: tt.return
    tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<64x64xf16, #shared>, tensor<64x64xf16, #rows>
    tt.return
  }

  // CHECK-LABEL: @reduce
  tt.func @reduce(%p: !tt.ptr<i32>, %n: i32, %x: tensor<256xi32, #line>) {
    %one = arith.constant 1 : i64
    // Signed integers, for the minimum.
    // CHECK: ttng.tensormap_create {{.*}} [%c256_i32], [%arg1], [], [%c1_i32] {elem_type = 3 : i32, fill_mode = 0
    %d = tt.make_tensor_descriptor %p, [%n], [%one] : <i32>, <256xsi32>
    // CHECK: [[BUFFER:%.*]] = ttg.local_alloc %arg2
    // CHECK: ttng.async_tma_reduce min, {{.*}}[%arg1] [[BUFFER]]
    // CHECK-NEXT: ttng.async_tma_store_wait
    tt.descriptor_reduce min, %d[%n], %x : !tt.tensordesc<256xsi32>, tensor<256xi32, #line>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @no_such_elements(%p: !tt.ptr<i1>, %n: i32) {
    %one = arith.constant 1 : i64
    // expected-error @+2 {{'tt.make_tensor_descriptor' op cannot encode '!tt.tensordesc<256xi1>' as a TMA descriptor}}
    // expected-note @+1 {{the element type is i1, expected an integer or float of 8, 16, 32 or 64 bits}}
    %d = tt.make_tensor_descriptor %p, [%n], [%one] : <i1>, <256xi1>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @many_dimensions(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
    // expected-error @+2 {{'tt.make_tensor_descriptor' op cannot encode '!tt.tensordesc<1x1x1x1x8x64xf16>' as a TMA descriptor}}
    // expected-note @+1 {{the block has 6 dimensions, expected at most 5}}
    %d = tt.make_tensor_descriptor %p, [%n, %n, %n, %n, %n, %n], [%s, %s, %s, %s, %s, %s] : <f16>, <1x1x1x1x8x64xf16>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @short_rows(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
    // expected-error @+2 {{'tt.make_tensor_descriptor' op cannot encode '!tt.tensordesc<64x4xf16>' as a TMA descriptor}}
    // expected-note @+1 {{a row of the block has 8 bytes, expected at least 16}}
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <f16>, <64x4xf16>
    tt.return
  }
}
