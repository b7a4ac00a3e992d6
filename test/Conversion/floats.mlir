// Quotients and roots of a stated precision, bounds, the one element of a tensor, barriers and warps.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry k --arg out=zeros:f32:128 --arg want=iota:f32:128 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry k --arg out=zeros:f32:128 --arg want=iota:f32:128 --expect-same out=want

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @k
  // AMD-LABEL: llvm.func @k
  // PTX: div.rn.f32
  // PTX: sqrt.rn.f32
  // PTX: min.xorsign.abs.f32
  // PTX: min.NaN.xorsign.abs.f32
  // PTX: div.approx.f32
  tt.func public @k(%out: !tt.ptr<f32>, %want: !tt.ptr<f32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %x = arith.sitofp %r : tensor<128xi32, #b> to tensor<128xf32, #b>
    %c3 = arith.constant dense<3.0> : tensor<128xf32, #b>
    %c0 = arith.constant dense<0.0> : tensor<128xf32, #b>
    %c200 = arith.constant dense<200.0> : tensor<128xf32, #b>
    %x3 = arith.mulf %x, %c3 : tensor<128xf32, #b>
    // CHECK: llvm.fdiv %{{.*}}, %{{.*}} : f32
    %d = tt.precise_divf %x3, %c3 : tensor<128xf32, #b>
    %q = arith.mulf %d, %d : tensor<128xf32, #b>
    // CHECK: llvm.intr.sqrt
    %s = tt.precise_sqrt %q : tensor<128xf32, #b>
    // CHECK: llvm.intr.maxnum
    // CHECK: llvm.intr.minnum
    %u = tt.clampf %s, %c0, %c200, propagateNan = none : tensor<128xf32, #b>
    // CHECK: llvm.intr.maximum
    // CHECK: llvm.intr.minimum
    %v0 = tt.clampf %u, %c0, %c200, propagateNan = all : tensor<128xf32, #b>
    // Bounds that differ in the sign only: one instruction on NVIDIA.
    // CHECK: llvm.call_intrinsic "llvm.nvvm.fmin.xorsign.abs.f"
    // CHECK: llvm.call_intrinsic "llvm.nvvm.fmin.nan.xorsign.abs.f"
    // AMD-NOT: xorsign
    %c-200 = arith.constant dense<-200.0> : tensor<128xf32, #b>
    %c64 = arith.constant dense<64.0> : tensor<128xf32, #b>
    %below = arith.subf %v0, %c64 : tensor<128xf32, #b>
    %bounded = tt.clampf %below, %c-200, %c200, propagateNan = none : tensor<128xf32, #b>
    %negated = arith.subf %c0, %c200 : tensor<128xf32, #b>
    %again = tt.clampf %bounded, %negated, %c200, propagateNan = all : tensor<128xf32, #b>
    %v = arith.addf %again, %c64 : tensor<128xf32, #b>
    // A quotient that every division has exactly.
    // CHECK: llvm.call_intrinsic "llvm.nvvm.div.approx.f"
    // AMD: llvm.fdiv %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<afn>} : f32
    %c1 = arith.constant dense<1.0> : tensor<128xf32, #b>
    %w = tt.approx_divf %v, %c1 : tensor<128xf32, #b>
    %one = arith.constant dense<1.0> : tensor<1xf32, #b>
    %o1 = tt.unsplat %one : tensor<1xf32, #b>
    %o2 = tt.splat %o1 : f32 -> tensor<128xf32, #b>
    %y = arith.mulf %w, %o2 : tensor<128xf32, #b>
    // CHECK: nvvm.barrier
    // AMD: rocdl.barrier
    ttg.barrier local
    // Warps are numbered as their threads are.
    %warp = ttg.warp_id
    %n = tt.splat %warp : i32 -> tensor<128xi32, #b>
    %c5 = arith.constant dense<5> : tensor<128xi32, #b>
    %own = arith.shrui %r, %c5 : tensor<128xi32, #b>
    %same = arith.cmpi eq, %n, %own : tensor<128xi32, #b>
    %z = arith.select %same, %y, %c3 : tensor<128xi1, #b>, tensor<128xf32, #b>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %p, %z : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }

  tt.func public @approximate(%out: !tt.ptr<f32>, %x: f32, %y: f32) {
    %w = tt.approx_divf %x, %y : f32
    tt.store %out, %w : !tt.ptr<f32>
    tt.return
  }

  // No number is between these bounds, and the upper one wins.
  // CHECK-LABEL: llvm.func @reversed
  // CHECK: llvm.intr.maxnum
  // CHECK: llvm.intr.minnum
  tt.func public @reversed(%out: !tt.ptr<f32>, %x: f32) {
    %low = arith.constant 6.0 : f32
    %high = arith.constant -6.0 : f32
    %w = tt.clampf %x, %low, %high, propagateNan = none : f32
    tt.store %out, %w : !tt.ptr<f32>
    tt.return
  }

  // Triton divides by 255 with this quotient and a product. The quotient is not rounded at compile time: an H200 computes
  // 0x3b808080, and 0x3b808081 is nearest.
  // PTX-LABEL: .entry reciprocal
  // PTX: div.approx.f32
  tt.func public @reciprocal(%out: !tt.ptr<f32>) {
    %one = arith.constant 1.0 : f32
    %most = arith.constant 255.0 : f32
    %w = tt.approx_divf %one, %most : f32
    tt.store %out, %w : !tt.ptr<f32>
    tt.return
  }
}
