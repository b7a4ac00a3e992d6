// RUN: ll-opt %s --canonicalize | FileCheck %s

// Conversions go where they cost least; each rewrite compares layouts, not names.

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#across = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#atoms = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#v = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#wg = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#linear = #ttg.linear<{register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
// CHECK-DAG: #[[$A:.+]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[$B:.+]] = #ttg.blocked<{sizePerThread = [4, 1]
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @same_type
  tt.func @same_type(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
    // CHECK-NEXT: tt.return %{{.+}} : tensor<32x32xf32, #[[$A]]>
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #a>
    tt.return %0 : tensor<32x32xf32, #a>
  }

  // CHECK-LABEL: @chain
  tt.func @chain(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
    // CHECK-NEXT: tt.return
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
    tt.return %1 : tensor<32x32xf32, #a>
  }

  // CHECK-LABEL: @splat
  tt.func @splat(%x: f32) -> (tensor<32x32xf32, #b>, tensor<32x32xf32, #b>) {
    // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<32x32xf32, #[[$B]]>
    // CHECK-DAG: tt.splat %{{.+}} : f32 -> tensor<32x32xf32, #[[$B]]>
    // CHECK-NOT: ttg.convert_layout
    %0 = tt.splat %x : f32 -> tensor<32x32xf32, #a>
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    %c = arith.constant dense<1.0> : tensor<32x32xf32, #a>
    %2 = ttg.convert_layout %c : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    tt.return %1, %2 : tensor<32x32xf32, #b>, tensor<32x32xf32, #b>
  }

  // CHECK-LABEL: @load
  tt.func @load(%m: !ttg.memdesc<32x32xf32, #s, #smem, mutable>) -> tensor<32x32xf32, #b> {
    // CHECK: ttg.local_load {{.+}} -> tensor<32x32xf32, #[[$B]]>
    // CHECK-NOT: ttg.convert_layout
    %0 = ttg.local_load %m : !ttg.memdesc<32x32xf32, #s, #smem, mutable> -> tensor<32x32xf32, #a>
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    tt.return %1 : tensor<32x32xf32, #b>
  }

  // CHECK-LABEL: @store
  tt.func @store(%x: tensor<32x32xf32, #a>, %m: !ttg.memdesc<32x32xf32, #s, #smem, mutable>) {
    // CHECK-NEXT: ttg.local_store %{{.+}} : tensor<32x32xf32, #[[$A]]>
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    ttg.local_store %0, %m : tensor<32x32xf32, #b> -> !ttg.memdesc<32x32xf32, #s, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: @twice
  tt.func @twice(%m: !ttg.memdesc<32x32xf32, #s, #smem, mutable>) -> !ttg.memdesc<32x32xf32, #s, #smem, mutable> {
    // CHECK-NEXT: tt.return
    %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf32, #s, #smem, mutable> -> !ttg.memdesc<32x32xf32, #st, #smem, mutable>
    %1 = ttg.memdesc_trans %0 {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf32, #st, #smem, mutable> -> !ttg.memdesc<32x32xf32, #s, #smem, mutable>
    tt.return %1 : !ttg.memdesc<32x32xf32, #s, #smem, mutable>
  }

  // The conversion moves data, so a transposition that keeps elements in place stays behind it.
  // CHECK-LABEL: @moves
  tt.func @moves(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
    // CHECK: ttg.convert_layout
    // CHECK: tt.trans
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
    tt.return %1 : tensor<32x32xf32, #a>
  }

  // The values may lie anywhere, the mask beside them.
  // CHECK-LABEL: @histogram
  tt.func @histogram(%x: tensor<256xi32, #v>, %mask: tensor<256xi1, #w>) -> (tensor<64xi32, #w>, tensor<64xi32, #v>) {
    // CHECK: %[[COUNTS:.+]] = tt.histogram %arg0 : tensor<256xi32, #[[$V:.+]]> -> tensor<64xi32, #[[$W:.+]]>
    // CHECK: %[[MASK:.+]] = ttg.convert_layout %arg1 : tensor<256xi1, #[[$W]]> -> tensor<256xi1, #[[$V]]>
    // CHECK: %[[MASKED:.+]] = tt.histogram %arg0, %[[MASK]] : tensor<256xi32, #[[$V]]> -> tensor<64xi32, #[[$V]]>
    // CHECK: tt.return %[[COUNTS]], %[[MASKED]]
    %0 = ttg.convert_layout %x : tensor<256xi32, #v> -> tensor<256xi32, #w>
    %1 = tt.histogram %0 : tensor<256xi32, #w> -> tensor<64xi32, #w>
    %2 = tt.histogram %0, %mask : tensor<256xi32, #w> -> tensor<64xi32, #w>
    %3 = ttg.convert_layout %2 : tensor<64xi32, #w> -> tensor<64xi32, #v>
    tt.return %1, %3 : tensor<64xi32, #w>, tensor<64xi32, #v>
  }

  // A part of a part is a part of the whole.
  // CHECK-LABEL: @subslice
  tt.func @subslice(%m: !ttg.memdesc<64x64xf32, #s, #smem, mutable>) -> !ttg.memdesc<16x64xf32, #s, #smem, mutable, 64x64> {
    // CHECK-NEXT: %[[PART:.+]] = ttg.memdesc_subslice %arg0[48, 0] : !ttg.memdesc<64x64xf32, {{.+}}, mutable> -> !ttg.memdesc<16x64xf32, {{.+}}, mutable, 64x64>
    // CHECK-NEXT: tt.return %[[PART]]
    %0 = ttg.memdesc_subslice %m[32, 0] : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<32x64xf32, #s, #smem, mutable, 64x64>
    %1 = ttg.memdesc_subslice %0[16, 0] : !ttg.memdesc<32x64xf32, #s, #smem, mutable, 64x64> -> !ttg.memdesc<16x64xf32, #s, #smem, mutable, 64x64>
    tt.return %1 : !ttg.memdesc<16x64xf32, #s, #smem, mutable, 64x64>
  }

  // A permutation that permutes nothing is a change of spelling.
  // CHECK-LABEL: @spelling
  tt.func @spelling(%x: tensor<256xf32, #v>) -> tensor<256xf32, #linear> {
    // CHECK-NEXT: ttg.convert_layout %arg0
    // CHECK-NOT: tt.trans
    %0 = tt.trans %x {order = array<i32: 0>} : tensor<256xf32, #v> -> tensor<256xf32, #linear>
    tt.return %0 : tensor<256xf32, #linear>
  }

  // The instruction takes 16x256b atoms as they are; one row in several threads it does not.
  // CHECK-LABEL: @tensor_memory
  tt.func @tensor_memory(%x: tensor<128x64xf32, #atoms>, %y: tensor<128x64xf32, #across>, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
    %true = arith.constant true
    // CHECK: ttng.tmem_store %arg0, %arg2
    // CHECK: %[[ROWS:.+]] = ttg.convert_layout %arg1
    // CHECK: ttng.tmem_store %[[ROWS]], %arg2
    %0 = ttg.convert_layout %x : tensor<128x64xf32, #atoms> -> tensor<128x64xf32, #rows>
    ttng.tmem_store %0, %m, %true : tensor<128x64xf32, #rows> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %1 = ttg.convert_layout %y : tensor<128x64xf32, #across> -> tensor<128x64xf32, #rows>
    ttng.tmem_store %1, %m, %true : tensor<128x64xf32, #rows> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    tt.return
  }
  // A volatile read is done, whether something uses it or not.
  // CHECK-LABEL: @volatile
  tt.func @volatile(%p: !tt.ptr<f32>, %q: !llvm.ptr, %m: i1, %x: f32) {
    // CHECK-NEXT: tt.load %arg0 {isVolatile = true}
    // CHECK-NEXT: amdg.masked_load
    // CHECK-NEXT: tt.return
    %0 = tt.load %p : !tt.ptr<f32>
    %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    %2 = amdg.masked_load %q, %m, %x volatile true : (!llvm.ptr, i1, f32) -> f32
    tt.return
  }

  // CHECK-LABEL: @put_together
  tt.func @put_together(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #a>, %c: tensor<32x32xf32, #a>, %d: tensor<32x32xf32, #a>) -> (tensor<32x32xf32, #a>, tensor<32x32xf32, #a>) {
    // CHECK-NEXT: tt.return %arg2, %arg3
    %0 = amdg.concat %a, %b, %c, %d : tensor<32x32xf32, #a>, tensor<32x32xf32, #a>, tensor<32x32xf32, #a>, tensor<32x32xf32, #a> -> tensor<64x64xf32, #a>
    %1 = amdg.extract_slice %0 [32, 0] : tensor<64x64xf32, #a> to tensor<32x32xf32, #a>
    %2 = amdg.concat %d : tensor<32x32xf32, #a> -> tensor<32x32xf32, #a>
    tt.return %1, %2 : tensor<32x32xf32, #a>, tensor<32x32xf32, #a>
  }

  // A slice of two parts is no part.
  // CHECK-LABEL: @of_two
  tt.func @of_two(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #a>, %c: tensor<32x32xf32, #a>, %d: tensor<32x32xf32, #a>) -> tensor<32x64xf32, #a> {
    // CHECK: amdg.concat
    // CHECK: amdg.extract_slice
    %0 = amdg.concat %a, %b, %c, %d : tensor<32x32xf32, #a>, tensor<32x32xf32, #a>, tensor<32x32xf32, #a>, tensor<32x32xf32, #a> -> tensor<64x64xf32, #a>
    %1 = amdg.extract_slice %0 [32, 0] : tensor<64x64xf32, #a> to tensor<32x64xf32, #a>
    tt.return %1 : tensor<32x64xf32, #a>
  }

  // Partitions get what one of them uses, once; results are those that something uses.
  // CHECK-LABEL: @captures
  tt.func @captures(%x: i32, %y: f32, %z: i32) -> f32 {
    // CHECK-NEXT: %[[R:.+]] = ttg.warp_specialize(%arg0) attributes {requestedRegisters = array<i32: 24, 40>, x.y}
    // CHECK-NEXT: default {
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.warp_yield %arg1 : f32
    // CHECK: partition0(%[[A:.+]]: i32) num_warps(4) {
    // CHECK-NEXT: tt.print {{.+}} : %[[A]], %[[A]] : i32, i32
    // CHECK: partition1(%{{.+}}: i32) num_warps(2) {
    // CHECK-NEXT: ttg.warp_return
    // CHECK-NEXT: } : (i32) -> f32
    // CHECK-NEXT: tt.return %[[R]] : f32
    %r:2 = ttg.warp_specialize(%x, %z, %x) attributes {requestedRegisters = array<i32: 24, 40>, x.y}
    default {
      ttg.barrier local
      ttg.warp_yield %z, %y : i32, f32
    }
    partition0(%a: i32, %b: i32, %c: i32) num_warps(4) {
      tt.print "x" {hex = false, isSigned = array<i32: 0, 0>} : %a, %c : i32, i32
      ttg.warp_return
    }
    partition1(%a: i32, %b: i32, %c: i32) num_warps(2) {
      ttg.warp_return
    } : (i32, i32, i32) -> (i32, f32)
    tt.return %r#1 : f32
  }

  // A product only reads, so one that nothing uses goes, as does a buffer.
  // CHECK-LABEL: @unused
  tt.func @unused(%a: !ttg.memdesc<64x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x64xf16, #nv, #smem>, %c: tensor<64x64xf32, #wg>) {
    // CHECK-NEXT: tt.return
    %0 = ttng.warp_group_dot %a, %b, %c {isAsync = true} : !ttg.memdesc<64x64xf16, #nv, #smem> * !ttg.memdesc<64x64xf16, #nv, #smem> -> tensor<64x64xf32, #wg>
    %1 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// What follows from a layout with registers that repeat others has them, too: a reshape keeps its operand's.
#few = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#copies = #ttg.linear<{register = [[0]], lane = [[1], [2], [4], [8], [0]], warp = [[0]], block = []}>
#copies2 = #ttg.linear<{register = [[0, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]], warp = [[0, 0]], block = []}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @repeated_registers
  tt.func @repeated_registers(%x: tensor<16xi32, #few>) -> tensor<16x1xi32, #copies2> {
    // CHECK: ttg.convert_layout
    // CHECK-NEXT: tt.reshape
    %0 = ttg.convert_layout %x : tensor<16xi32, #few> -> tensor<16xi32, #copies>
    %1 = tt.reshape %0 : tensor<16xi32, #copies> -> tensor<16x1xi32, #copies2>
    tt.return %1 : tensor<16x1xi32, #copies2>
  }
}
