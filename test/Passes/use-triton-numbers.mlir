// RUN: ll-opt --use-triton-numbers=target=cuda:90 %s | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: sed 's/"ttg.threads-per-warp" = 32/"ttg.threads-per-warp" = 64/; s/threadsPerWarp = .32./threadsPerWarp = [64]/' %s | ll-opt --use-triton-numbers=target=hip:gfx942 | FileCheck %s --check-prefixes=CHECK,HIP
// RUN: ll-opt --use-triton-numbers=target=cuda:90 --use-triton-numbers=target=cuda:90 %s | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: ll-opt --use-triton-numbers="target=cuda:90 fusion=false" %s | FileCheck %s --check-prefix=APART --implicit-check-not=contract
// RUN: not ll-opt --use-triton-numbers %s 2>&1 | FileCheck %s --check-prefix=NO-GPU
// RUN: not ll-opt --use-triton-numbers=target=cuda:9 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: ll-opt --use-triton-numbers=target=cuda:90 --convert-layouts-to-llvm=target=cuda:90 %s | ll-translate --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: ll-opt --use-triton-numbers=target=cuda:90 --convert-layouts-to-llvm=target=cuda:90 %s -o %t.mlir
// RUN: ll-sim %t.mlir --entry quotient --arg p=iota:f32:256 --arg q=zeros:f32:256 --arg 4.0:f32 --expect-same p=q

// UNKNOWN: error: {{.*}} op unknown target `cuda:9`
// APART: arith.divf {{.*}} fastmath<afn>
// NO-GPU: error: {{.*}} op has no target
// NO-GPU: note: add `ttg.target = "cuda:90"` to the module, or the option `target=cuda:90` to the pass
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @numbers
  tt.func public @numbers(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: f32, %w: f64) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %at = tt.addptr %ps, %i : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %x = tt.load %at : tensor<256x!tt.ptr<f32>, #b>
    %b = tt.splat %s : f32 -> tensor<256xf32, #b>
    // CUDA: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : tensor
    // HIP: arith.divf %{{.*}}, %{{.*}} : tensor
    // PTX: div.full.f32
    %q = arith.divf %x, %b : tensor<256xf32, #b>
    // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : tensor
    // PTX: fma.rn.f32
    %m = arith.mulf %q, %b : tensor<256xf32, #b>
    // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : tensor
    %a = arith.addf %m, %x fastmath<nnan> : tensor<256xf32, #b>
    // CHECK: math.exp %{{.*}} fastmath<afn> : tensor
    %e = math.exp %a : tensor<256xf32, #b>
    // CHECK: math.sqrt %{{.*}} fastmath<fast> : tensor
    // PTX: sqrt.approx.ftz.f32
    %r = math.sqrt %e fastmath<fast> : tensor<256xf32, #b>
    // A library's function, a maximum, what asks to be precise, and f64 are as they were.
    // CHECK: math.sin %{{[^ ]*}} : tensor
    %sin = math.sin %r : tensor<256xf32, #b>
    // CHECK: arith.maximumf %{{[^ ]*}}, %{{[^ ]*}} : tensor
    %max = arith.maximumf %sin, %x : tensor<256xf32, #b>
    // CHECK: tt.precise_divf %{{[^ ]*}}, %{{[^ ]*}} : tensor
    // PTX: div.rn.f32
    %d = tt.precise_divf %max, %b : tensor<256xf32, #b>
    // CHECK: arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f64
    %wide = arith.divf %w, %w : f64
    %narrow = arith.truncf %wide : f64 to f32
    %n = tt.splat %narrow : f32 -> tensor<256xf32, #b>
    %out = arith.subf %d, %n : tensor<256xf32, #b>
    tt.store %at, %out : tensor<256x!tt.ptr<f32>, #b>
    tt.return
  }

  // The simulator has the quotient, too.
  tt.func public @quotient(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: f32) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %p_at = tt.addptr %ps, %i : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %q_at = tt.addptr %qs, %i : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %x = tt.load %p_at : tensor<256x!tt.ptr<f32>, #b>
    %ss = tt.splat %s : f32 -> tensor<256xf32, #b>
    %quotient = arith.divf %x, %ss : tensor<256xf32, #b>
    tt.store %p_at, %quotient : tensor<256x!tt.ptr<f32>, #b>
    %quarter = arith.constant dense<0.25> : tensor<256xf32, #b>
    %product = arith.mulf %x, %quarter : tensor<256xf32, #b>
    tt.store %q_at, %product : tensor<256x!tt.ptr<f32>, #b>
    tt.return
  }
}
