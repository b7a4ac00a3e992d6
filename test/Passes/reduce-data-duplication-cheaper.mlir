// RUN: ll-opt --reduce-data-duplication=only-cheaper %s | FileCheck %s

// An operand of many words goes through a buffer, which is read word by word; of few, a conversion that costs less stays.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
#sum = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
#right = #ttg.dot_op<{opIdx = 1, parent = #sum}>
module attributes {"ttg.num-warps" = 2 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @many
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func @many(%x: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #right> {
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #right>
    tt.return %0 : tensor<64x64xf32, #right>
  }

  // CHECK-LABEL: tt.func @few
  // CHECK-NEXT: ttg.convert_layout
  tt.func @few(%x: tensor<4x64xf32, #rows>) -> tensor<4x64xf32, #right> {
    %0 = ttg.convert_layout %x : tensor<4x64xf32, #rows> -> tensor<4x64xf32, #right>
    tt.return %0 : tensor<4x64xf32, #right>
  }
}
