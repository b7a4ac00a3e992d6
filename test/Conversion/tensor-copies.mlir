// Copies by the tensor memory accelerator: pixels of images (im2col mode), and cache policies.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: sed 's/32x128xf16/2048x8xf16/g; s/swizzlingByteWidth = 128/swizzlingByteWidth = 0/' %s > %t.many.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t.many.mlir 2>&1 | FileCheck %s --check-prefix=MANY

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 2}>
#barrier = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A block of 128 channels has two boxes of 64, the width of the swizzle, and each of two warps copies one. All pixels of
  // a box are one copy.
  // CHECK-LABEL: llvm.func @pixels
  // CHECK: [[TWO:%[0-9]+]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK: llvm.icmp "ult" [[WARP:%[0-9]+]], [[TWO]] : i32
  // CHECK: [[CHANNELS:%[0-9]+]] = llvm.mlir.constant(64 : i32) : i32
  // CHECK: llvm.mul [[WARP]], [[CHANNELS]] : i32
  // CHECK: [[BYTES:%[0-9]+]] = llvm.mlir.constant(4096 : i32) : i32
  // CHECK: llvm.mul [[WARP]], [[BYTES]] : i32
  // CHECK: cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4, $5, $6}], [$7], {$8, $9};", "b,r,l,r,r,r,r,r,h,h,~{memory}"
  // CHECK-NOT: cp.async.bulk
  // PTX-LABEL: .entry pixels
  // PTX: cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes
  // MANY: error: 'ttng.async_tma_copy_global_to_local' op requires a block of at most 1024 pixels, but got 2048
  tt.func public @pixels(%images: !ttng.tensordesc_im2col<32x128xf16, #shared>, %n: i32, %y: i32, %x: i32, %c: i32, %r: i16, %s: i16) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x128xf16, #shared, #smem, mutable>
    %mbarrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.init_barrier %mbarrier, 1 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.barrier_expect %mbarrier, 8192, %true : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.async_tma_copy_global_to_local %images[%n, %y, %x, %c] offsets = [%r, %s] %buffer, %mbarrier, %true : !ttng.tensordesc_im2col<32x128xf16, #shared>, !ttg.memdesc<1xi64, #barrier, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared, #smem, mutable>
    ttng.wait_barrier %mbarrier, %c0 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.inval_barrier %mbarrier : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: llvm.func @hinted
  // CHECK: createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 $0, 0f3F000000;
  // CHECK: shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [$1], [$2, {$3, $4}], [$5], $6;", "b,r,l,r,r,r,l,~{memory}"
  // CHECK: createpolicy.fractional.L2::evict_last.L2::evict_first.b64 $0, 0f3F800000;
  // CHECK: global.shared::cta.bulk_group.L2::cache_hint [$2, {$3, $4}], [$1], $5;", "b,r,l,r,r,l,~{memory}"
  // PTX-LABEL: .entry hinted
  // PTX-COUNT-2: .L2::cache_hint
  tt.func public @hinted(%in: !tt.tensordesc<32x64xf16, #shared>, %out: !tt.tensordesc<32x64xf16, #shared>, %i: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
    %mbarrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.init_barrier %mbarrier, 1 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.barrier_expect %mbarrier, 4096, %true : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.async_tma_copy_global_to_local %in[%i, %c0] %buffer, %mbarrier, %true {cachePolicy = #ttng.cache_policy<l2_primary = evict_first, l2_secondary = evict_unchanged, l2_fraction = 0.5 : f32>} : !tt.tensordesc<32x64xf16, #shared>, !ttg.memdesc<1xi64, #barrier, #smem, mutable> -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
    ttng.wait_barrier %mbarrier, %c0 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.inval_barrier %mbarrier : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.async_tma_copy_local_to_global %out[%i, %c0] %buffer {cachePolicy = #ttng.cache_policy<l2_primary = evict_last, l2_secondary = evict_first, l2_fraction = 1.0 : f32>} : !tt.tensordesc<32x64xf16, #shared>, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
}
