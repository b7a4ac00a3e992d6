// Spilled values are in the L1 cache, which is smaller if a function takes more shared memory. A function with more live
// tensors than registers takes at most 32 KiB for all resident blocks, here eight, even if its occupancy allows more.

// RUN: ll-opt --split-input-file --convert-layouts-to-llvm %s | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: ttg.shared = 16384 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @one(%from: !tt.ptr<f16>, %to: !tt.ptr<f16>) {
    %in = tt.splat %from : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>, #wide>
    %out = tt.splat %to : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>, #narrow>
    %a = tt.load %in : tensor<128x64x!tt.ptr<f16>, #wide>
    %b = ttg.convert_layout %a : tensor<128x64xf16, #wide> -> tensor<128x64xf16, #narrow>
    tt.store %out, %b : tensor<128x64x!tt.ptr<f16>, #narrow>
    tt.return
  }
}

// -----

#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// 256 words per thread are live during the conversion.
// CHECK: ttg.shared = 4096 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @spills(%from: !tt.ptr<f16>, %to: !tt.ptr<f16>, %more: !tt.ptr<f32>) {
    %in = tt.splat %from : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>, #wide>
    %out = tt.splat %to : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>, #narrow>
    %others = tt.splat %more : !tt.ptr<f32> -> tensor<512x64x!tt.ptr<f32>, #wide>
    %kept = tt.load %others : tensor<512x64x!tt.ptr<f32>, #wide>
    %a = tt.load %in : tensor<128x64x!tt.ptr<f16>, #wide>
    %b = ttg.convert_layout %a : tensor<128x64xf16, #wide> -> tensor<128x64xf16, #narrow>
    tt.store %out, %b : tensor<128x64x!tt.ptr<f16>, #narrow>
    tt.store %others, %kept : tensor<512x64x!tt.ptr<f32>, #wide>
    tt.return
  }
}
