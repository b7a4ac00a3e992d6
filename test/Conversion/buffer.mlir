// AMD's buffer instructions: one descriptor, an offset that leaves the range where the mask is false, cache bits.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,CDNA3
// RUN: ll-opt --convert-layouts-to-llvm %s | ll-translate --emit=amdgcn | FileCheck %s --check-prefix=ASM
// RUN: sed 's/gfx942/gfx90a/' %s | ll-opt --convert-layouts-to-llvm | FileCheck %s --check-prefixes=CHECK,CDNA2

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
}
