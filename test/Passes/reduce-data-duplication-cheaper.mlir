// RUN: ll-opt --split-input-file --verify-layout-rewrites --reduce-data-duplication=only-cheaper %s | FileCheck %s

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

// -----

// Two conversions of a tensor cost more than one store and two loads, and a conversion more than a load from a buffer
// that another conversion needs.
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#rows = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#columns = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #columns, kWidth = 2}>
#across = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 2], order = [0, 1]}>
#down = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 2], order = [0, 1]}>
module attributes {"ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @pair
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc
  // CHECK-NOT: ttg.convert_layout
  // CHECK-COUNT-2: ttg.local_load %[[BUFFER]]
  tt.func @pair(%x: tensor<16x64xbf16, #wide>) -> (tensor<16x64xbf16, #right>, tensor<16x64xbf16, #across>) {
    %0 = ttg.convert_layout %x : tensor<16x64xbf16, #wide> -> tensor<16x64xbf16, #right>
    %1 = ttg.convert_layout %x : tensor<16x64xbf16, #wide> -> tensor<16x64xbf16, #across>
    tt.return %0, %1 : tensor<16x64xbf16, #right>, tensor<16x64xbf16, #across>
  }

  // CHECK-LABEL: tt.func @one_of_the_pair
  // CHECK-NEXT: ttg.convert_layout
  tt.func @one_of_the_pair(%x: tensor<16x64xbf16, #wide>) -> tensor<16x64xbf16, #right> {
    %0 = ttg.convert_layout %x : tensor<16x64xbf16, #wide> -> tensor<16x64xbf16, #right>
    tt.return %0 : tensor<16x64xbf16, #right>
  }

  // CHECK-LABEL: tt.func @the_other
  // CHECK-NEXT: ttg.convert_layout
  tt.func @the_other(%x: tensor<16x64xbf16, #wide>) -> tensor<16x64xbf16, #across> {
    %0 = ttg.convert_layout %x : tensor<16x64xbf16, #wide> -> tensor<16x64xbf16, #across>
    tt.return %0 : tensor<16x64xbf16, #across>
  }

  // A buffer of 64 KiB would be in use until the second conversion.
  // CHECK-LABEL: tt.func @large
  // CHECK-COUNT-2: ttg.convert_layout
  tt.func @large(%x: tensor<128x128xf32, #wide>) -> (tensor<128x128xf32, #down>, tensor<128x128xf32, #across>) {
    %0 = ttg.convert_layout %x : tensor<128x128xf32, #wide> -> tensor<128x128xf32, #down>
    %1 = ttg.convert_layout %x : tensor<128x128xf32, #wide> -> tensor<128x128xf32, #across>
    tt.return %0, %1 : tensor<128x128xf32, #down>, tensor<128x128xf32, #across>
  }

  // CHECK-LABEL: tt.func @smaller
  // CHECK: ttg.local_alloc
  // CHECK-NOT: ttg.convert_layout
  tt.func @smaller(%x: tensor<64x64xf32, #wide>) -> (tensor<64x64xf32, #down>, tensor<64x64xf32, #across>) {
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #down>
    %1 = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #across>
    tt.return %0, %1 : tensor<64x64xf32, #down>, tensor<64x64xf32, #across>
  }

  // CHECK-LABEL: tt.func @existing
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc
  // CHECK-NOT: ttg.convert_layout
  // CHECK-COUNT-2: ttg.local_load %[[BUFFER]]
  tt.func @existing(%x: tensor<16x64xbf16, #wide>) -> (tensor<16x64xbf16, #right>, tensor<16x64xbf16, #left>) {
    %0 = ttg.convert_layout %x : tensor<16x64xbf16, #wide> -> tensor<16x64xbf16, #right>
    %1 = ttg.convert_layout %x : tensor<16x64xbf16, #wide> -> tensor<16x64xbf16, #left>
    tt.return %0, %1 : tensor<16x64xbf16, #right>, tensor<16x64xbf16, #left>
  }
}
