// Copies to LDS with an address for each lane, and waits that count their instructions.
// RUN: ll-opt %s -convert-layouts-to-llvm -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: ll-translate --emit=amdgcn %t.mlir | FileCheck %s --check-prefix=ASM
// RUN: ll-translate --emit=object %t.mlir -o %t.o

// Each lane has an address of its own in LDS, and a masked lane copies zeros: both copies are counted.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1250"} {
// CHECK: llvm.mlir.global internal constant @[[$ZEROS:.*]]("\00{{.*}}") {addr_space = 1 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @lanes
// ASM-LABEL: lanes:
// ASM: global_load_async_to_lds_b128
// ASM: s_wait_asynccnt 0x1{{$}}
// ASM-LABEL: narrow:
// ASM: global_load_async_to_lds_b64
tt.func @lanes(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %mask: i1) {
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %x = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
  %y = tt.broadcast %x : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
  %b = tt.splat %p : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #blocked>
  %q = tt.addptr %b, %y : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
  %m = tt.splat %mask : i1 -> tensor<32x32xi1, #blocked>
  %buffer0 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
  %buffer1 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
  %buffer2 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
  // CHECK: rocdl.global.load.async.to.lds.b128 %{{.*}}, %{{.*}}, 0, 0 : !llvm.ptr<1>, !llvm.ptr<3>
  %0 = ttg.async_copy_global_to_local %q, %buffer0 : tensor<32x32x!tt.ptr<f16>, #blocked> -> <32x32xf16, #shared, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  // CHECK: %[[ZERO:.*]] = llvm.mlir.addressof @[[$ZEROS]] : !llvm.ptr<1>
  // CHECK: %[[FROM:.*]] = llvm.select %{{.*}}, %{{.*}}, %[[ZERO]] : i1, !llvm.ptr<1>
  // CHECK: rocdl.global.load.async.to.lds.b128 %[[FROM]], %{{.*}}, 0, 0
  %2 = ttg.async_copy_global_to_local %q, %buffer1 mask %m : tensor<32x32x!tt.ptr<f16>, #blocked> -> <32x32xf16, #shared, #smem, mutable>
  %3 = ttg.async_commit_group tokens %2
  // Other values than 0 are stored where the mask is false. A warp may issue nothing: the copy does not count.
  // CHECK: llvm.cond_br
  // CHECK: rocdl.global.load.async.to.lds.b128
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
  %one = arith.constant dense<1.0> : tensor<32x32xf16, #blocked>
  %4 = ttg.async_copy_global_to_local %q, %buffer2 mask %m other %one : tensor<32x32x!tt.ptr<f16>, #blocked> -> <32x32xf16, #shared, #smem, mutable>
  %5 = ttg.async_commit_group tokens %4
  // CHECK: rocdl.s.wait.asynccnt 1
  // CHECK-NEXT: llvm.fence syncscope("wavefront") acq_rel
  %6 = ttg.async_wait %1 {num = 2 : i32}
  // CHECK: rocdl.s.wait.asynccnt 0
  %7 = ttg.async_wait %3 {num = 1 : i32}
  %8 = ttg.async_wait %5 {num = 0 : i32}
  tt.return
}

// An instruction moves as many bytes as lie side by side in both memories.
// CHECK-LABEL: llvm.func @narrow
tt.func @narrow(%p: !tt.ptr<f32> {tt.divisibility = 8 : i32}, %q: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>
  %s = tt.addptr %b, %r : tensor<256x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, tensor<256xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<256xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>
  // CHECK: rocdl.global.load.async.to.lds.b64
  %0 = ttg.async_copy_global_to_local %s, %buffer : tensor<256x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>> -> <256xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>
  // CHECK: rocdl.s.wait.asynccnt 0
  %1 = amdg.async_wait %0 {num_inst = 3 : i32}
  tt.return
}
}

