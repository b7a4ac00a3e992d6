// Aliases are named by what the encodings are; the module stays the same. Without the flag they are
// named as Triton names them.
//
// RUN: ll-opt --pretty-encodings %s -o %t.pretty
// RUN: FileCheck %s < %t.pretty
// RUN: ll-opt %t.pretty -o %t.back
// RUN: ll-opt %s -o %t.plain
// RUN: diff %t.plain %t.back
// RUN: FileCheck %s --check-prefix=PLAIN < %t.plain
//
// Every encoding there is, every kernel, and the dumps between passes.
// RUN: ll-opt %S/../../Dialect/Inputs/encodings.mlir -o %t.plain
// RUN: ll-opt --pretty-encodings %S/../../Dialect/Inputs/encodings.mlir | ll-opt | diff %t.plain -
// RUN: ll-opt %kernels/sm_90/matmul.ttgir -o %t.plain
// RUN: ll-opt --pretty-encodings %kernels/sm_90/matmul.ttgir | ll-opt | diff %t.plain -
// RUN: ll-opt %kernels/gfx942/matmul.ttgir -o %t.plain
// RUN: ll-opt --pretty-encodings %kernels/gfx942/matmul.ttgir | ll-opt | diff %t.plain -
// RUN: ll-opt --pretty-encodings --fold-layout-conversions --mlir-print-ir-before-all %s -o /dev/null 2>&1 | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#odd = #ttg.linear<{register = [[0, 2]], lane = [[0, 1], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#odder = #ttg.linear<{register = [[0, 4]], lane = [[0, 1], [0, 2], [2, 0], [1, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>
#smem = #ttg.shared_memory

// CHECK-DAG: #blocked_1x4_t8x4_w4x1 = #ttg.blocked<{sizePerThread = [1, 4],
// CHECK-DAG: #blocked_4x1_t8x4_w1x4_o01 = #ttg.blocked<{sizePerThread = [4, 1],
// CHECK-DAG: #linear_as_blocked_1x4_t8x4_w4x1 = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2]],
// CHECK-DAG: #mma_v2_16x8_w2x2 = #ttg.nvidia_mma<
// CHECK-DAG: #shared_swz_8_2_4 = #ttg.swizzled_shared<
// CHECK-DAG: #tmem_64x32 = #ttng.tensor_memory_encoding<
// CHECK-DAG: #slice_d0_of_blocked_1x4_t8x4_w4x1 = #ttg.slice<{dim = 0, parent = #blocked_1x4_t8x4_w4x1}>
// CHECK-DAG: #dot0_k2_of_mma_v2_16x8_w2x2 = #ttg.dot_op<{opIdx = 0, parent = #mma_v2_16x8_w2x2, kWidth = 2}>
//
// Two encodings that have no better name are numbered.
// CHECK-DAG: #linear_32x8 = #ttg.linear<{register = {{\[\[}}0, 2]],
// CHECK-DAG: #linear_32x8_1 = #ttg.linear<{register = {{\[\[}}0, 4]],
//
// PLAIN-DAG: #blocked = #ttg.blocked<{sizePerThread = [1, 4],
// PLAIN-DAG: #blocked1 = #ttg.blocked<{sizePerThread = [4, 1],
// PLAIN-DAG: #tmem = #ttng.tensor_memory_encoding<
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", x.odd = #odd, x.odder = #odder, x.tmem = #tmem, x.linear = #linear} {
  // CHECK-LABEL: tt.func @f
  // CHECK-SAME: %{{.*}}: tensor<64x64xf16, #blocked_1x4_t8x4_w4x1>
  tt.func @f(%x: tensor<64x64xf16, #a>) {
    // CHECK-NEXT: tensor<64x64xf16, #blocked_1x4_t8x4_w4x1> -> tensor<64x64xf16, #blocked_4x1_t8x4_w1x4_o01>
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
    // CHECK-NEXT: -> tensor<64x64xf16, #dot0_k2_of_mma_v2_16x8_w2x2>
    // PLAIN: -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %1 = ttg.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    // CHECK-NEXT: tt.make_range {{.*}} : tensor<64xi32, #slice_d0_of_blocked_1x4_t8x4_w4x1>
    // PLAIN: tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>>
    // CHECK-NEXT: !ttg.memdesc<64x64xf16, #shared_swz_8_2_4, #smem>
    %3 = ttg.local_alloc %x : (tensor<64x64xf16, #a>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return
  }
}
