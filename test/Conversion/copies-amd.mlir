// Copies to LDS with an address for each wave, and waits that count their instructions.
// RUN: ll-opt %s -convert-layouts-to-llvm -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: ll-translate --emit=amdgcn %t.mlir | FileCheck %s --check-prefix=ASM
// RUN: ll-translate --emit=object %t.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry warps --arg p=iota:f16:2048 --arg out=zeros:f16:2048 --arg n=2048:i32 --expect-same out=p
// RUN: ll-sim %t.mlir --entry buffers --arg p=iota:f32:256 --arg out=zeros:f32:256 --arg n=256:i32 --expect-same out=p
// RUN: sed 's/gfx950/gfx942/' %s | ll-opt -convert-layouts-to-llvm | FileCheck %s --check-prefix=CDNA3

// A warp has one address in LDS: its lanes fill 1024 bytes in order. Copies are counted with loads, so that barriers order
// LDS alone, and accesses to LDS are said not to meet copies.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {
// CHECK: llvm.mlir.global internal constant @[[$ZEROS:.*]]("\00{{.*}}") {addr_space = 1 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @warps
// ASM-LABEL: warps:
// ASM: global_load_lds_dwordx4
// ASM: global_load_lds_dwordx4
// ASM: ds_write_b128
// ASM-NEXT: s_waitcnt vmcnt(1) lgkmcnt(0)
// ASM-NEXT: s_barrier
// ASM-NEXT: ds_read_b128
// ASM-NEXT: s_waitcnt vmcnt(0) lgkmcnt(0)
// ASM-NEXT: s_barrier
// Words alone are copied there.
// CDNA3-LABEL: llvm.func @warps
// CDNA3-NOT: load.lds
// CDNA3-LABEL: llvm.func @buffers
// CDNA3: rocdl.raw.ptr.buffer.load.lds
tt.func @warps(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
  %pitch = arith.constant dense<32> : tensor<64x1xi32, #blocked>
  %r3 = arith.muli %r2, %pitch : tensor<64x1xi32, #blocked>
  %x = tt.broadcast %r3 : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
  %y = tt.broadcast %c2 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
  %o = arith.addi %x, %y : tensor<64x32xi32, #blocked>
  %b = tt.splat %p : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
  %q = tt.addptr %b, %o : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
  %ns = tt.splat %n : i32 -> tensor<64x32xi32, #blocked>
  %m = arith.cmpi slt, %o, %ns : tensor<64x32xi32, #blocked>
  %buffer0 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  %buffer1 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #swizzled, #smem, mutable>
  %buffer2 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  // CHECK: %[[WARP:.*]] = rocdl.readfirstlane
  // CHECK: %[[ZERO:.*]] = llvm.mlir.addressof @[[$ZEROS]] : !llvm.ptr<1>
  // CHECK: %[[FROM:.*]] = llvm.select %{{.*}}, %{{.*}}, %[[ZERO]] : i1, !llvm.ptr<1>
  // CHECK-NOT: ds_bpermute
  // CHECK: rocdl.global.load.lds %[[FROM]], %{{.*}}, 16, 0, 0 {alias_scopes = [#[[$COPIES:.*]]]}
  %0 = ttg.async_copy_global_to_local %q, %buffer0 mask %m : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  // Where the buffer's swizzle permutes the lanes of a warp, lanes exchange their sources.
  // CHECK: rocdl.ds_bpermute
  // CHECK: rocdl.ds_bpermute
  // CHECK: rocdl.global.load.lds %{{.*}}, %{{.*}}, 16, 0, 0
  %2 = ttg.async_copy_global_to_local %q, %buffer1 : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #swizzled, #smem, mutable>
  %3 = ttg.async_commit_group tokens %2
  // Other values than 0 need an address for each lane: loaded and stored at once.
  // CHECK-NOT: rocdl.global.load.lds
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
  // CHECK: llvm.store %{{.*}} {alias_scopes = [#[[$ACCESSES:.*]]], alignment = 16 : i64, noalias_scopes = [#[[$COPIES]]]} : vector<8xf16>, !llvm.ptr<3>
  %one = arith.constant dense<1.0> : tensor<64x32xf16, #blocked>
  %4 = ttg.async_copy_global_to_local %q, %buffer2 mask %m other %one : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
  %5 = ttg.async_commit_group tokens %4
  // vmcnt(1)
  // CHECK: rocdl.s.waitcnt 3953
  %6 = ttg.async_wait %1 {num = 2 : i32}
  // lgkmcnt(0)
  // CHECK: llvm.fence syncscope("wavefront") release
  // CHECK-NEXT: rocdl.s.waitcnt 49279
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
  // CHECK: llvm.load %{{.*}} {alias_scopes = [#[[$ACCESSES]]], alignment = {{.*}}, noalias_scopes = [#[[$COPIES]]]} : !llvm.ptr<3>
  %v = ttg.local_load %buffer0 token %6 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
  // vmcnt(0)
  // CHECK: rocdl.s.waitcnt 3952
  %7 = ttg.async_wait %3 {num = 1 : i32}
  %w = ttg.local_load %buffer1 token %7 : !ttg.memdesc<64x32xf16, #swizzled, #smem, mutable> -> tensor<64x32xf16, #blocked>
  %8 = ttg.async_wait %5 {num = 0 : i32}
  %u = ttg.local_load %buffer2 token %8 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
  %s = arith.subf %w, %u : tensor<64x32xf16, #blocked>
  %t = arith.addf %v, %s : tensor<64x32xf16, #blocked>
  %ob = tt.splat %out : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
  %oq = tt.addptr %ob, %o : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
  tt.store %oq, %t : tensor<64x32x!tt.ptr<f16>, #blocked>
  tt.return
}

// The lanes of a warp leave gaps: no copy.
// CHECK-LABEL: llvm.func @gaps
// CHECK-NOT: rocdl.global.load.lds
tt.func @gaps(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>> -> tensor<32x1xi32, #columns>
  %x = tt.broadcast %r2 : tensor<32x1xi32, #columns> -> tensor<32x64xi32, #columns>
  %b = tt.splat %p : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #columns>
  %q = tt.addptr %b, %x : tensor<32x64x!tt.ptr<f16>, #columns>, tensor<32x64xi32, #columns>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  %0 = ttg.async_copy_global_to_local %q, %buffer : tensor<32x64x!tt.ptr<f16>, #columns> -> <32x64xf16, #shared, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  %2 = ttg.async_wait %1 {num = 0 : i32}
  tt.return
}

// Copies by a descriptor: zeros come from out of range.
// CHECK-LABEL: llvm.func @buffers
tt.func @buffers(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %r1 = ttg.convert_layout %r : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<256xi32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>
  %ns = tt.splat %n : i32 -> tensor<256xi32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>
  %m = arith.cmpi slt, %r1, %ns : tensor<256xi32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<256xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>
  // CHECK: %[[OUTSIDE:.+]] = llvm.mlir.constant(-2147483648 : i32)
  // CHECK: %[[OFFSET:.+]] = llvm.select %{{.+}}, %{{.+}}, %[[OUTSIDE]]
  // CHECK: rocdl.raw.ptr.buffer.load.lds %{{.+}}, %{{.+}}, %{{.+}}, %[[OFFSET]], %[[N:.+]], %[[N]], %[[N]] {alias_scopes = [#[[$COPIES]]]}
  %0 = amdg.buffer_load_to_local %p[%r1] mask = %m into %buffer : !tt.ptr<f32>[tensor<256xi32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>] -> <256xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  // CHECK: rocdl.s.waitcnt 3952
  %2 = ttg.async_wait %1 {num = 0 : i32}
  %v = ttg.local_load %buffer token %2 : !ttg.memdesc<256xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable> -> tensor<256xf32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>
  amdg.buffer_store %v, %out[%r1] : !tt.ptr<f32> -> tensor<256xf32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>
  tt.return
}
}
