// RUN: ll-opt %s -split-input-file -convert-layouts-to-llvm | FileCheck %s

// An instruction moves 16 bytes at most, past the first cache; each thread copies its own part of a row.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
// CHECK-LABEL: llvm.func @wide
tt.func @wide(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %mask: i1) {
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %x = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
  %y = tt.broadcast %x : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
  %b = tt.splat %p : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #blocked>
  %q = tt.addptr %b, %y : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
  %m = tt.splat %mask : i1 -> tensor<32x32xi1, #blocked>
  %buffer0 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
  %buffer1 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
  %buffer2 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  %0 = ttg.async_copy_global_to_local %q, %buffer0 : tensor<32x32x!tt.ptr<f16>, #blocked> -> <32x32xf16, #shared, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  // Of a masked copy nothing is read, and 0 arrives.
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[BYTES:.*]] = llvm.select %{{.*}}, %[[ALL]], %{{.*}} : i1, i32
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]]
  %2 = ttg.async_copy_global_to_local %q, %buffer1 mask %m : tensor<32x32x!tt.ptr<f16>, #blocked> -> <32x32xf16, #shared, #smem, mutable>
  // Anything else is stored at once.
  // CHECK: llvm.cond_br
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
  %one = arith.constant dense<1.0> : tensor<32x32xf16, #blocked>
  %3 = ttg.async_copy_global_to_local %q, %buffer2 mask %m other %one : tensor<32x32x!tt.ptr<f16>, #blocked> -> <32x32xf16, #shared, #smem, mutable>
  // CHECK: nvvm.cp.async.wait.group 1
  %4 = ttg.async_wait %1, %2, %3 {num = 1 : i32}
  %5 = ttg.async_commit_group tokens %2, %3
  %6 = ttg.async_wait %5 {num = 0 : i32}
  tt.return
}
}

// -----

// What lies side by side in memory, but not in the buffer, is moved alone, if the GPU has such an instruction; of threads
// that hold the same, one copies.
#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.shared_linear<{offset = [[32], [1], [2], [4], [8], [16]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
// CHECK-LABEL: llvm.func @narrow
tt.func @narrow(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %h: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #blocked>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %b, %c : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi32, #blocked>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #shared, #smem, mutable>
  // CHECK: llvm.cond_br
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca
  %0 = ttg.async_copy_global_to_local %q, %buffer : tensor<64x!tt.ptr<f32>, #blocked> -> <64xf32, #shared, #smem, mutable>
  %d = tt.splat %h : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #blocked>
  %r = tt.addptr %d, %c : tensor<64x!tt.ptr<f16>, #blocked>, tensor<64xi32, #blocked>
  %halves = ttg.local_alloc : () -> !ttg.memdesc<64xf16, #shared, #smem, mutable>
  // CHECK: llvm.cond_br
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<3>
  %1 = ttg.async_copy_global_to_local %r, %halves : tensor<64x!tt.ptr<f16>, #blocked> -> <64xf16, #shared, #smem, mutable>
  %2 = ttg.async_commit_group tokens %0, %1
  %3 = ttg.async_wait %2 {num = 0 : i32}
  tt.return
}
}

// -----

// A GPU without such copies loads and stores, and has nothing to wait for.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:75"} {
// CHECK-LABEL: llvm.func @at_once
tt.func @at_once(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #blocked>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %b, %c : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
  // CHECK: llvm.load {{.*}} -> vector<4xf32>
  // CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
  // CHECK-NOT: nvvm.cp.async
  %0 = ttg.async_copy_global_to_local %q, %buffer : tensor<128x!tt.ptr<f32>, #blocked> -> <128xf32, #shared, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  %2 = ttg.async_wait %1 {num = 0 : i32}
  tt.return
}
}

// -----

// All copies of an operation come before the stores of `other`, which threads skip if no mask is false.
#blocked = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
// CHECK-LABEL: llvm.func @others
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
// CHECK: %[[ALL:.*]] = llvm.and
// CHECK: %[[ANY:.*]] = llvm.icmp "eq" %[[ALL]]
// CHECK: llvm.cond_br %[[ANY]]
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
tt.func @others(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #blocked>
  %b = tt.splat %p : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>, #blocked>
  %q = tt.addptr %b, %c : tensor<2048x!tt.ptr<f16>, #blocked>, tensor<2048xi32, #blocked>
  %s = tt.splat %n : i32 -> tensor<2048xi32, #blocked>
  %m = arith.cmpi slt, %c, %s : tensor<2048xi32, #blocked>
  %one = arith.constant dense<1.0> : tensor<2048xf16, #blocked>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<2048xf16, #shared, #smem, mutable>
  %0 = ttg.async_copy_global_to_local %q, %buffer mask %m other %one : tensor<2048x!tt.ptr<f16>, #blocked> -> <2048xf16, #shared, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  %2 = ttg.async_wait %1 {num = 0 : i32}
  tt.return
}
}
