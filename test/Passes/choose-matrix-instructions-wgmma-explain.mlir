// Reasons for which a product is no warp-group product.
// DEFINE: %{explain} = ll-opt --choose-matrix-instructions=explain=true - -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/WARPS/4/' %s | %{explain}
// RUN: sed 's/WARPS/2/' %s | %{explain} --check-prefix=TWO
// RUN: sed 's/WARPS/4/; s/cuda:90/cuda:80/' %s | %{explain} --check-prefix=AMPERE
// TWO: remark: product uses mma.{{.*}}; no warp-group product: the kernel has 2 warps, `wgmma` requires a multiple of 4
// AMPERE: remark: product uses
// AMPERE-NOT: warp-group

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [WARPS, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
#b3 = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [WARPS, 1, 1], order = [2, 1, 0]}>
#l3 = #ttg.dot_op<{opIdx = 0, parent = #b3}>
#r3 = #ttg.dot_op<{opIdx = 1, parent = #b3}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = WARPS : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #l>, %b: tensor<64x64xf16, #r>, %c: tensor<64x64xf32, #b>,
             %a32: tensor<32x64xf16, #l>, %c32: tensor<32x64xf32, #b>,
             %a8: tensor<64x8xf16, #l>, %b8: tensor<8x64xf16, #r>,
             %x: tensor<64x64xf32, #l>, %y: tensor<64x64xf32, #r>,
             %v: tensor<64x64xf8E5M2, #l>, %w: tensor<64x64xf8E5M2, #r>,
             %a3: tensor<4x64x64xf16, #l3>, %b3: tensor<4x64x64xf16, #r3>, %c3: tensor<4x64x64xf32, #b3>,
             %p: tensor<128x512xf16, #l>, %q: tensor<512x128xf16, #r>, %s: tensor<128x128xf32, #b>) {
    // CHECK: [[@LINE+1]]:10: remark: product uses wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 (4 per warp group), with A and B in shared memory and the result in `#ttg.nvidia_mma<{versionMajor = 3,
    %0 = tt.dot %a, %b, %c : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product uses wgmma.mma_async.sync.aligned.m64n64k32.f32.e5m2.e5m2 (2 per warp group)
    %1 = tt.dot %v, %w, %0 {maxNumImpreciseAcc = 32 : i32} : tensor<64x64xf8E5M2, #l> * tensor<64x64xf8E5M2, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+3]]:16: remark: product uses wgmma.{{.*}} (4 per warp group), with A in registers, B in shared memory and
    %half = arith.truncf %0 : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
    %p1 = ttg.convert_layout %half : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %chained = tt.dot %p1, %b, %c : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product {{.*}}; no warp-group product: the result has 32 rows, `wgmma` requires a multiple of 64
    %2 = tt.dot %a32, %b, %c32 : tensor<32x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<32x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product {{.*}}; no warp-group product: the operands have 8 elements along K, `wgmma` requires a multiple of 16
    %3 = tt.dot %a8, %b8, %c : tensor<64x8xf16, #l> * tensor<8x64xf16, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product unchanged: {{.*}}; no warp-group product: `wgmma` does not multiply f32 by f32 into f32
    %4 = tt.dot %x, %y, %c : tensor<64x64xf32, #l> * tensor<64x64xf32, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product {{.*}}; no warp-group product: `maxNumImpreciseAcc` is 0, `wgmma` requires at least 32 for f8E5M2
    %5 = tt.dot %v, %w, %c : tensor<64x64xf8E5M2, #l> * tensor<64x64xf8E5M2, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product {{.*}}; no warp-group product: the result has 3 dimensions, `wgmma` requires 2
    %6 = tt.dot %a3, %b3, %c3 : tensor<4x64x64xf16, #l3> * tensor<4x64x64xf16, #r3> -> tensor<4x64x64xf32, #b3>
    // CHECK: [[@LINE+1]]:10: remark: product {{.*}}; no warp-group product: the operands take 262144 bytes of shared memory, `cuda:90` has 232448
    %7 = tt.dot %p, %q, %s : tensor<128x512xf16, #l> * tensor<512x128xf16, #r> -> tensor<128x128xf32, #b>
    tt.return
  }
}
