// AMD's buffer instructions: one descriptor, an offset that leaves the range where the mask is false, cache bits.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,CDNA3
// RUN: ll-opt --convert-layouts-to-llvm %s | ll-translate --emit=amdgcn | FileCheck %s --check-prefix=ASM
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: ll-sim %t.mlir --entry atomics --arg p=iota:i32:64 --arg q=zeros:f32:64 --arg out=zeros:i32:64 --arg want=zeros:i32:64 --arg floats=iota:f32:64 --expect-same q=floats
// RUN: sed 's/gfx942/gfx90a/' %s | ll-opt --convert-layouts-to-llvm | FileCheck %s --check-prefixes=CHECK,CDNA2

#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK: llvm.func @copy
  // ASM: copy:
  tt.func public @copy(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #b>
    %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #b>
    // CDNA3: %[[NT:.+]] = llvm.mlir.constant(3 : i32)
    // CHECK: %[[OUTSIDE:.+]] = llvm.mlir.constant(-2147483648 : i32)
    // CHECK: llvm.select %{{.+}}, %{{.+}}, %[[OUTSIDE]]
    // CDNA3: rocdl.raw.ptr.buffer.load %{{.+}}, %{{.+}}, %{{.+}}, %[[NT]] : vector<4xi32>
    // CDNA2: rocdl.raw.ptr.buffer.load %{{.+}}, %[[OFFSET:.+]], %[[ZERO:.+]], %[[ZERO]] : vector<4xi32>
    // ASM: buffer_load_dwordx4 {{.*}} sc0 nt{{$}}
    %x = amdg.buffer_load %p[%r], %m {cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = evict_normal>} : !tt.ptr<f16> -> tensor<512xf16, #b>
    // CDNA3: %[[THROUGH:.+]] = llvm.mlir.constant(17 : i32)
    // CDNA3: rocdl.raw.ptr.buffer.store %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[THROUGH]] : vector<4xi32>
    // ASM: buffer_store_dwordx4 {{.*}} sc0 sc1{{$}}
    amdg.buffer_store %x, %q[%r], %m {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : !tt.ptr<f16> -> tensor<512xf16, #b>
    tt.return
  }

  // Changes by buffer instructions, in the order that fences keep; what they found goes to the copies.
  // CHECK: llvm.func @atomics
  // CHECK: rocdl.barrier
  // CHECK: llvm.fence syncscope("agent") release
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.add"
  // CHECK: llvm.fence syncscope("agent") acquire
  // CHECK: rocdl.barrier
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.fadd"
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap"
  // ASM: atomics:
  // ASM: buffer_atomic_add {{.*}} sc0
  // ASM: buffer_atomic_add_f32
  // ASM: buffer_atomic_cmpswap
  tt.func public @atomics(%p: !tt.ptr<i32>, %q: !tt.ptr<f32>, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %floats: !tt.ptr<f32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #c>
    %n = arith.constant dense<40> : tensor<64xi32, #c>
    %m = arith.cmpi slt, %r, %n : tensor<64xi32, #c>
    %one = arith.constant dense<1> : tensor<64xi32, #c>
    %old = amdg.buffer_atomic_rmw add, acq_rel, gpu, %one, %p[%r], %m : !tt.ptr<i32> -> tensor<64xi32, #c>
    amdg.buffer_store %old, %out[%r] : !tt.ptr<i32> -> tensor<64xi32, #c>
    %x = arith.sitofp %r : tensor<64xi32, #c> to tensor<64xf32, #c>
    %o = amdg.buffer_atomic_rmw fadd, relaxed, gpu, %x, %q[%r] : !tt.ptr<f32> -> tensor<64xf32, #c>
    %c = amdg.buffer_atomic_cas relaxed, gpu, %n, %r, %p[%r] : !tt.ptr<i32> -> tensor<64xi32, #c>
    tt.return
  }

  // Halves have no buffer instruction everywhere: pairs of them go by their address.
  // CHECK: llvm.func @halves
  // CHECK: llvm.atomicrmw fadd {{.*}} vector<2xf16>
  // ASM: halves:
  // ASM: global_atomic_pk_add_f16
  tt.func public @halves(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %x = arith.sitofp %r : tensor<512xi32, #b> to tensor<512xf16, #b>
    %o = amdg.buffer_atomic_rmw fadd, relaxed, gpu, %x, %p[%r] : !tt.ptr<f16> -> tensor<512xf16, #b>
    tt.return
  }
}
