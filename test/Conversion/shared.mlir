// Buffers in shared memory: where they lie, the widest accesses, views, and a barrier at each hazard.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: sed 's/cuda:90/hip:gfx1100/' %s | ll-opt --convert-layouts-to-llvm | FileCheck %s --check-prefixes=CHECK,ROCDL
// RUN: sed 's/cuda:90/hip:gfx1100/' %s | ll-opt --convert-layouts-to-llvm | ll-translate --emit=object -o %t.hsaco

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#turned = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#padded = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [32, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The larger buffer comes first, with 4592 bytes; the other begins behind them.
  // CHECK: ttg.shared = 8688 : i32
  // CHECK: llvm.mlir.global external @global_smem()
  // CHECK-LABEL: llvm.func @round_trip
  tt.func public @round_trip(%p: !tt.ptr<f16>) {
    %x = arith.constant dense<1.0> : tensor<32x64xf16, #rows>
    // Two stores of eight elements: 16 rows a time.
    // CHECK: llvm.getelementptr {{.*}}[4592] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // CHECK-COUNT-2: llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    // CHECK-NOT: llvm.store
    %b = ttg.local_alloc %x : (tensor<32x64xf16, #rows>) -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    // A gap of 16 bytes after every 128.
    %c = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #padded, #smem, mutable>
    // NVVM: nvvm.barrier0
    // ROCDL: rocdl.barrier
    // CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    // CHECK-NOT: llvm.load
    %y = ttg.local_load %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> -> tensor<32x64xf16, #rows>
    // Another buffer: no barrier.
    // NVVM-NOT: nvvm.barrier0
    // ROCDL-NOT: rocdl.barrier
    // CHECK-COUNT-2: llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    ttg.local_store %y, %c : tensor<32x64xf16, #rows> -> !ttg.memdesc<32x64xf16, #padded, #smem, mutable>
    // The same buffer, seen by its columns: 16 bytes again, and no hazard among reads.
    // CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> -> !ttg.memdesc<64x32xf16, #turned, #smem, mutable>
    %z = ttg.local_load %t : !ttg.memdesc<64x32xf16, #turned, #smem, mutable> -> tensor<64x32xf16, #cols>
    // Read and then written: a barrier.
    // NVVM: nvvm.barrier0
    // ROCDL: rocdl.barrier
    // CHECK-COUNT-2: llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    ttg.local_store %z, %t : tensor<64x32xf16, #cols> -> !ttg.memdesc<64x32xf16, #turned, #smem, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    tt.return
  }

  // Written, read, and written again by the next iteration: two barriers. No access conflicts with the other buffer.
  // CHECK-LABEL: llvm.func @in_a_loop
  tt.func public @in_a_loop(%n: i32) {
    %x = arith.constant dense<1.0> : tensor<32x64xf16, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %all = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf16, #swizzled, #smem, mutable>
    // NVVM-COUNT-2: nvvm.barrier0
    // ROCDL-COUNT-2: rocdl.barrier
    // NVVM-NOT: nvvm.barrier0
    // ROCDL-NOT: rocdl.barrier
    scf.for %i = %c0 to %n step %c1 : i32 {
      %other = ttg.memdesc_index %all[%c0] : !ttg.memdesc<2x32x64xf16, #swizzled, #smem, mutable> -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
      %b = ttg.memdesc_index %all[%c1] : !ttg.memdesc<2x32x64xf16, #swizzled, #smem, mutable> -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
      ttg.local_store %x, %b : tensor<32x64xf16, #rows> -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
      %y = ttg.local_load %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> -> tensor<32x64xf16, #rows>
      ttg.local_store %y, %other : tensor<32x64xf16, #rows> -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    }
    tt.return
  }

  // Written before the loop, read in each round: one barrier, before the loop.
  // CHECK-LABEL: llvm.func @read_in_a_loop
  tt.func public @read_in_a_loop(%n: i32) {
    %x = arith.constant dense<1.0> : tensor<32x64xf16, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = ttg.local_alloc %x : (tensor<32x64xf16, #rows>) -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    // NVVM: nvvm.barrier0
    // ROCDL: rocdl.barrier
    // CHECK: llvm.br
    // NVVM-NOT: nvvm.barrier0
    // ROCDL-NOT: rocdl.barrier
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<32x64xf16, #rows> : i32 {
      %y = ttg.local_load %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> -> tensor<32x64xf16, #rows>
      %t = arith.addf %s, %y : tensor<32x64xf16, #rows>
      scf.yield %t : tensor<32x64xf16, #rows>
    }
    ttg.local_dealloc %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    // CHECK: llvm.return
    tt.return
  }

  // A buffer that is chosen in a loop among those made before it.
  // CHECK-LABEL: llvm.func @chosen_in_a_loop
  tt.func public @chosen_in_a_loop(%n: i32) {
    %x = arith.constant dense<1.0> : tensor<32x64xf16, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    // CHECK: llvm.getelementptr {{.*}}[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%now = %a) -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> : i32 {
      %first = arith.cmpi eq, %i, %c1 : i32
      %next = scf.if %first -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> {
        scf.yield %a : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
      } else {
        scf.yield %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
      }
      scf.yield %next : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    }
    // CHECK: ^bb6:
    // CHECK: llvm.store
    ttg.local_store %x, %r : tensor<32x64xf16, #rows> -> !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
    tt.return
  }

  // One of several buffers in a row, which its type does not count: the layout is that of one.
  // CHECK-LABEL: llvm.func @one_of_several
  tt.func public @one_of_several(%out: !tt.ptr<f16>) {
    %b = ub.poison : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable, 3x32x64>
    // CHECK: llvm.load {{.*}} !llvm.ptr<3>
    %x = ttg.local_load %b : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable, 3x32x64> -> tensor<32x64xf16, #rows>
    %p = tt.splat %out : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #rows>
    tt.store %p, %x : tensor<32x64x!tt.ptr<f16>, #rows>
    tt.return
  }
}
