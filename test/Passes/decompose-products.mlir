// RUN: ll-opt --decompose-products --split-input-file %s | FileCheck %s
// RUN: ll-opt --decompose-products=target=cuda:75 --split-input-file %s | FileCheck %s --check-prefix=OLD

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 1 : i32} {
  // The exponent of bf16 is that of a scale: 0 is 2^-127, 255 is NaN, both for each scale and not for each element.
  // CHECK-LABEL: @scale
  // CHECK: %[[WIDE:.+]] = arith.extui %{{.+}} : tensor<16x1xi8, #{{.+}}> to tensor<16x1xi16
  // CHECK: dense<7>
  // CHECK: arith.shli %[[WIDE]]
  // CHECK: dense<64>
  // CHECK: arith.maxui
  // CHECK: dense<255>
  // CHECK: arith.cmpi eq, %[[WIDE]]
  // CHECK: dense<32704>
  // CHECK: arith.select %{{.+}} : tensor<16x1xi1
  // CHECK: tt.broadcast %{{.+}} -> tensor<16x1x32xbf16
  // CHECK: tt.dot {{.*}} tensor<16x32xbf16, #linear{{.*}}> * tensor<32x16xbf16, #linear{{.*}}>
  tt.func @scale(%a: tensor<16x32xf8E4M3FN, #b>, %b: tensor<32x16xbf16, #b>, %s: tensor<16x1xi8, #b>, %c: tensor<16x16xf32, #b>) -> tensor<16x16xf32, #b> {
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x32xf8E4M3FN, #b>, tensor<16x1xi8, #b> * tensor<32x16xbf16, #b> -> tensor<16x16xf32, #b>
    tt.return %d : tensor<16x16xf32, #b>
  }

  // f16 meets bf16: only f32 holds both.
  // CHECK-LABEL: @both
  // CHECK: tt.dot {{.*}} tensor<16x32xf32, #linear{{.*}}> * tensor<32x16xf32, #linear{{.*}}>
  tt.func @both(%a: tensor<16x32xf16, #b>, %b: tensor<32x16xbf16, #b>, %c: tensor<16x16xf32, #b>) -> tensor<16x16xf32, #b> {
    %d = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = bf16 {fastMath = true} : tensor<16x32xf16, #b> * tensor<32x16xbf16, #b> -> tensor<16x16xf32, #b>
    tt.return %d : tensor<16x16xf32, #b>
  }

  // Elements of 6 bits have no type.
  // CHECK-LABEL: @six
  // CHECK: tt.dot_scaled
  tt.func @six(%a: tensor<16x32xi8, #b>, %b: tensor<32x16xi8, #b>, %c: tensor<16x16xf32, #b>) -> tensor<16x16xf32, #b> {
    %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = e3m2 {fastMath = true} : tensor<16x32xi8, #b> * tensor<32x16xi8, #b> -> tensor<16x16xf32, #b>
    tt.return %d : tensor<16x16xf32, #b>
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 1 : i32} {
  // Small products first; what is NaN there is not NaN in the largest.
  // CHECK-LABEL: @bf16x6
  // CHECK-COUNT-5: tt.dot {{.*}}bf16
  // CHECK: arith.cmpf uno
  // CHECK: arith.select
  // CHECK: tt.dot {{.*}}bf16
  // CHECK: arith.addf
  // OLD-LABEL: @bf16x6
  // OLD: tt.dot {{.*}} inputPrecision = bf16x6
  tt.func @bf16x6(%a: tensor<16x16xf32, #l>, %b: tensor<16x16xf32, #r>, %c: tensor<16x16xf32, #b>) -> tensor<16x16xf32, #b> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<16x16xf32, #l> * tensor<16x16xf32, #r> -> tensor<16x16xf32, #b>
    tt.return %d : tensor<16x16xf32, #b>
  }

  // CHECK-LABEL: @tf32x3
  // CHECK: elementwise_inline_asm "cvt.rna.tf32.f32
  // CHECK: arith.subf
  // CHECK-COUNT-2: inputPrecision = tf32
  // CHECK: arith.select
  // CHECK: inputPrecision = tf32
  // CHECK: arith.addf
  // OLD-LABEL: @tf32x3
  // OLD: inputPrecision = tf32x3
  tt.func @tf32x3(%a: tensor<16x16xf32, #l>, %b: tensor<16x16xf32, #r>, %c: tensor<16x16xf32, #b>) -> tensor<16x16xf32, #b> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x16xf32, #l> * tensor<16x16xf32, #r> -> tensor<16x16xf32, #b>
    tt.return %d : tensor<16x16xf32, #b>
  }
}

// -----

#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [32, 32, 64], isTransposed = true}>
#b = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [16, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {ttg.target = "hip:gfx950", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // An instruction multiplies by the scales, for a result that is laid out for it.
  // CHECK-LABEL: @native
  // CHECK: tt.dot_scaled
  // CHECK-NOT: tt.dot
  tt.func @native(%a: tensor<32x64xf8E4M3FN, #b>, %b: tensor<64x32xf8E5M2, #b>, %s: tensor<32x2xi8, #b>, %c: tensor<32x32xf32, #mma>) -> tensor<32x32xf32, #mma> {
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<32x64xf8E4M3FN, #b>, tensor<32x2xi8, #b> * tensor<64x32xf8E5M2, #b> -> tensor<32x32xf32, #mma>
    tt.return %d : tensor<32x32xf32, #mma>
  }

  // CHECK-LABEL: @blocked
  // CHECK: tt.dot {{.*}}bf16
  tt.func @blocked(%a: tensor<32x64xf8E4M3FN, #b>, %b: tensor<64x32xf8E5M2, #b>, %s: tensor<32x2xi8, #b>, %c: tensor<32x32xf32, #b>) -> tensor<32x32xf32, #b> {
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<32x64xf8E4M3FN, #b>, tensor<32x2xi8, #b> * tensor<64x32xf8E5M2, #b> -> tensor<32x32xf32, #b>
    tt.return %d : tensor<32x32xf32, #b>
  }

  // Pairs of elements across K are for no instruction.
  // CHECK-LABEL: @across
  // CHECK: tt.dot {{.*}}bf16
  tt.func @across(%a: tensor<16x64xi8, #b>, %b: tensor<64x32xf8E5M2, #b>, %s: tensor<32x2xi8, #b>, %c: tensor<32x32xf32, #mma>) -> tensor<32x32xf32, #mma> {
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false, lhs_k_pack = false} : tensor<16x64xi8, #b>, tensor<32x2xi8, #b> * tensor<64x32xf8E5M2, #b> -> tensor<32x32xf32, #mma>
    tt.return %d : tensor<32x32xf32, #mma>
  }
}
