// What the options weigh: how many conversions there are, and how many bytes of shared memory they take.

// RUN: ll-opt --remove-layout-conversions %s | FileCheck %s --check-prefix=CHEAPEST
// One wide conversion costs less than two narrow ones.
// CHEAPEST: ttg.convert_layout %{{.*}} : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
// CHEAPEST-NOT: ttg.convert_layout

// RUN: ll-opt --remove-layout-conversions='scratch-budget=8192 explain=true' %s 2>%t.said | FileCheck %s --check-prefix=NARROW
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// But it takes 16 KB of shared memory.
// NARROW-COUNT-2: ttg.convert_layout %{{.*}} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked1>
// SAID: remark: function costs {{.*}} with 2 conversions, {{.*}}; {{[0-9.]+}} cycles are due to `scratch-budget=8192`

// The choice is respected by the lowering, and a second run changes nothing.
// RUN: ll-opt --remove-layout-conversions=scratch-budget=8192 %s -o %t.mlir
// RUN: ll-opt --remove-layout-conversions=scratch-budget=8192 %t.mlir | diff %t.mlir -
// RUN: ll-opt --pass-pipeline="builtin.module(convert-layouts-to-llvm{shared=baseline})" %t.mlir | FileCheck %s --check-prefix=BYTES
// BYTES: ttg.shared = 8192 : i32
// RUN: ll-opt --remove-layout-conversions --convert-layouts-to-llvm %s | FileCheck %s --check-prefix=MORE
// MORE: ttg.shared = 16384 : i32

// RUN: not ll-opt --remove-layout-conversions=scratch-budget=4096 %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'arith.truncf' op has a result whose conversion requires 8192 bytes of shared memory for every choice of layouts, but `scratch-budget` allows 4096
// NONE: note: `scratch-budget=8192` is sufficient

// RUN: not ll-opt --remove-layout-conversions=scratch-budget=-2 %s 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: 'builtin.module' op invalid option `scratch-budget=-2`, expected 0 or more bytes
// RUN: not ll-opt --remove-layout-conversions=conversion-cost=-1 %s 2>&1 | FileCheck %s --check-prefix=COST
// COST: error: 'builtin.module' op invalid option `conversion-cost=-1`, expected 0 to 1048576 cycles
// RUN: not ll-opt --remove-layout-conversions=barrier-cost=-1 %s 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: error: {{.*}}invalid option `barrier-cost=-1`, expected 0 to 1048576 cycles

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @narrow_twice(%p: !tt.ptr<f32>, %q: !tt.ptr<f16>) {
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #rows>
    %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #columns>
    %x = tt.load %ps : tensor<64x64x!tt.ptr<f32>, #rows>
    %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %a = arith.truncf %c : tensor<64x64xf32, #columns> to tensor<64x64xf16, #columns>
    tt.store %qs, %a : tensor<64x64x!tt.ptr<f16>, #columns>
    %y = arith.mulf %c, %c : tensor<64x64xf32, #columns>
    %b = arith.truncf %y : tensor<64x64xf32, #columns> to tensor<64x64xf16, #columns>
    tt.store %qs, %b : tensor<64x64x!tt.ptr<f16>, #columns>
    tt.return
  }
}
