// `max` and `min` of floats in memory, on AMD: LLVM has instructions or loops of comparisons. NaN gives way to a number.
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=object %t.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry largest --arg out=zeros:f32:4 --arg x=iota:f32:128
// RUN: not ll-opt --convert-layouts-to-llvm=target=cuda:90 %s 2>&1 | FileCheck %s --check-prefix=NVIDIA

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // NVIDIA: `max` of `f32` elements is not supported on cuda:90, expected integers
  // CHECK-LABEL: llvm.func @largest(
  // CHECK: llvm.atomicrmw fmax {{.*}} syncscope("agent") monotonic : !llvm.ptr<1>, f32
  tt.func public @largest(%out: !tt.ptr<f32>, %x: !tt.ptr<f32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %v = tt.load %xp : tensor<128x!tt.ptr<f32>, #b>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %old = tt.atomic_rmw max, relaxed, gpu, %o, %v : (tensor<128x!tt.ptr<f32>, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
    tt.return
  }

  // CHECK-LABEL: llvm.func @scalars(
  // CHECK: llvm.atomicrmw fmin {{.*}} f16
  // CHECK: llvm.atomicrmw fmax {{.*}} bf16
  // CHECK: llvm.atomicrmw fmin {{.*}} f64
  tt.func public @scalars(%h: !tt.ptr<f16>, %b: !tt.ptr<bf16>, %d: !tt.ptr<f64>, %hv: f16, %bv: bf16, %dv: f64, %m: i1) {
    %0 = tt.atomic_rmw min, relaxed, gpu, %h, %hv, %m : (!tt.ptr<f16>, f16, i1) -> f16
    %1 = tt.atomic_rmw max, acq_rel, sys, %b, %bv, %m : (!tt.ptr<bf16>, bf16, i1) -> bf16
    %2 = tt.atomic_rmw min, relaxed, cta, %d, %dv, %m : (!tt.ptr<f64>, f64, i1) -> f64
    tt.return
  }
}
