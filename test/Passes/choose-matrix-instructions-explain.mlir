// RUN: ll-opt --choose-matrix-instructions=explain=true %s -o /dev/null 2>&1 | FileCheck %s
// RUN: ll-opt --choose-matrix-instructions %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: remark

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#ml = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#mr = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #l>, %b: tensor<64x64xf16, #r>, %c: tensor<64x64xf32, #b>,
             %x: tensor<64x64xf32, #l>, %y: tensor<64x64xf32, #r>,
             %s: tensor<16x8xf16, #l>, %t: tensor<8x16xf16, #r>, %u: tensor<16x16xf32, #b>,
             %v: tensor<64x64xf8E5M2, #l>, %w: tensor<64x64xf8E5M2, #r>,
             %m: tensor<64x64xf16, #ml>, %n: tensor<64x64xf16, #mr>, %o: tensor<64x64xf32, #mma>) {
    // CHECK: [[@LINE+1]]:10: remark: product uses mma.m16n8k16.f32.f16 (32 per warp), with the result in `#ttg.nvidia_mma<{{.*}}>`: 256 cycles per execution, {{[0-9]+}} cycles before
    %0 = tt.dot %a, %b, %c : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product unchanged: `cuda:80` has no matrix instruction that multiplies `f32` by `f32` into `f32` with `inputPrecision = ieee`
    %1 = tt.dot %x, %y, %0 : tensor<64x64xf32, #l> * tensor<64x64xf32, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product unchanged: {{[0-9]+}} cycles per execution; mma.m16n8k8.f32.f16 would take 8 cycles plus layout conversions, which does not reduce the cost of the function
    %2 = tt.dot %s, %t, %u : tensor<16x8xf16, #l> * tensor<8x16xf16, #r> -> tensor<16x16xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product unchanged: `cuda:80` has no matrix instruction that multiplies `f8E5M2` by `f8E5M2` into `f32`
    %3 = tt.dot %v, %w, %1 : tensor<64x64xf8E5M2, #l> * tensor<64x64xf8E5M2, #r> -> tensor<64x64xf32, #b>
    // CHECK: [[@LINE+1]]:10: remark: product unchanged: the result already has the layout of a matrix instruction, `#ttg.nvidia_mma<{{.*}}>`
    %4 = tt.dot %m, %n, %o : tensor<64x64xf16, #ml> * tensor<64x64xf16, #mr> -> tensor<64x64xf32, #mma>
    tt.return
  }
}
