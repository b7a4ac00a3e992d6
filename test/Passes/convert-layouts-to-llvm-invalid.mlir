// RUN: ll-opt --convert-layouts-to-llvm %s -split-input-file -verify-diagnostics

// Unsupported operations are reported at their location, with the supported ones; the run fails.

// expected-error @+2 {{has no target}}
// expected-note @+1 {{add `ttg.target = "cuda:90"` to the module, or the option `target=cuda:90` to the pass}}
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----

// expected-error @+1 {{unknown target `cuda:1`; the nearest is `cuda:101`}}
module attributes {ttg.target = "cuda:1", "ttg.num-warps" = 4 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----

// expected-error @+2 {{has 32 threads per warp, but hip:gfx942 requires 64}}
// expected-note @+1 {{compile the kernel for hip:gfx942, or choose a target with 32 threads per warp}}
module attributes {ttg.target = "hip:gfx942", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----

// expected-error @+2 {{requires `ttg.num-ctas` to be at most 1 on cuda:80, but got 2}}
// expected-note @+1 {{clusters of several CTAs are supported on `cuda:90` and later}}
module attributes {ttg.target = "cuda:80", "ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----

// expected-error @+1 {{has 2048 threads per CTA (64 warps of 32 threads), but cuda:90 allows at most 1024}}
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 64 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----

// More shared memory than the GPU has.
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {ttg.target = "cuda:75", "ttg.num-warps" = 4 : i32} {
  tt.func public @f(%x: i64) {
    %0 = tt.splat %x : i64 -> tensor<256x128xi64, #a>
    // expected-error @+1 {{the conversion requires 131072 bytes of shared memory on cuda:75: expected at most 65536}}
    %1 = ttg.convert_layout %0 : tensor<256x128xi64, #a> -> tensor<256x128xi64, #b>
    tt.return
  }
}

// -----

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  // expected-error @+2 {{a kernel must not return values}}
  // expected-note @+1 {{store the values in memory, or make the function `private` and call it from a kernel}}
  tt.func public @f(%x: i32) -> i32 {
    tt.return %x : i32
  }
}

// -----

// A tensor without an encoding.
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  tt.func public @f() {
    // expected-error @+2 {{requires tensors with an encoding, but got `tensor<32xi32>`}}
    // expected-note @+1 {{assign encodings first}}
    %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  // expected-error-re @+1 {{a kernel requires number, pointer or descriptor arguments, but got `tensor<32xi32, {{.*}}>`}}
  tt.func public @f(%x: tensor<32xi32, #row>) {
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4], warpsPerCTA = [1], order = [0]}>
#row32 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  tt.func public @f() {
    // expected-error @+2 {{does not support a constant in an external resource}}
    // expected-note @+1 {{use a list (`dense<[1, 2]>`) or a splat (`dense<1>`)}}
    %0 = arith.constant dense_resource<r> : tensor<4xi32, #row32>
    tt.return
  }
}

// -----

// An operation of another dialect.
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  tt.func public @f() {
    // expected-error @+2 {{'gpu.thread_id' op is not supported by the lowering to LLVM}}
    // expected-note @+1 {{`ll-opt --list-lowered-operations` lists the supported operations}}
    %0 = gpu.thread_id x
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  tt.func public @f(%p: !tt.ptr<f32>) {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
    // expected-error @+2 {{'amdg.buffer_load' op is not supported on cuda:90}}
    // expected-note @+1 {{buffer instructions exist on AMD GPUs only; use `tt.load` instead}}
    %0 = amdg.buffer_load %p[%i] : !tt.ptr<f32> -> tensor<128xf32, #row>
    tt.return
  }
}

// -----

// convert_layout_c1
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  tt.func public @f(%x: i32) {
    %0 = tt.splat %x : i32 -> tensor<512xi32, #a>
    // expected-error @+2 {{`force_warp_shuffle` requires a conversion within warps, but the conversion moves data between warps}}
    // expected-note @+1 {{remove `force_warp_shuffle`}}
    %1 = ttg.convert_layout %0 {force_warp_shuffle} : tensor<512xi32, #a> -> tensor<512xi32, #b>
    tt.return
  }
}

// -----

// An operation of `arith` says what it is when it is lowered.
#e = #ttg.generic_linear<{register = [[2, 0], [0, 4]], lane = [[0, 2], [4, 0], [8, 0], [16, 0], [1, 0]], warp = [[0, 5]], block = []}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 2 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{`generic_linear` cannot be converted to a linear layout: the bases do not reach element [0, 1]}}
    %0 = arith.constant dense<0.0> : tensor<32x4xf32, #e>
    tt.return
  }
}

// -----

// An unsupported operation is reported once, at its definition: neither its uses nor loop-carried buffers and tokens
// cause further errors.
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#smem = #ttg.shared_memory
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  tt.func public @buffers(%n: i32, %c: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #s, #smem, mutable>
    %response = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #s, #smem, mutable>
    %mbarrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    // expected-error @+2 {{'ttng.clc_try_cancel' op is not supported by the lowering to LLVM}}
    // expected-note @+1 {{`ll-opt --list-lowered-operations` lists the supported operations}}
    ttng.clc_try_cancel %response, %mbarrier : !ttg.memdesc<2xi64, #s, #smem, mutable>, !ttg.memdesc<1xi64, #s, #smem, mutable>
    %t = ttg.async_commit_group
    %y:3 = scf.for %i = %n to %n step %n iter_args(%a = %m, %u = %t, %k = %n) -> (!ttg.memdesc<32xf32, #s, #smem, mutable>, !ttg.async.token, i32) : i32 {
      %z = scf.if %c -> !ttg.memdesc<32xf32, #s, #smem, mutable> {
        scf.yield %a : !ttg.memdesc<32xf32, #s, #smem, mutable>
      } else {
        %o = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #s, #smem, mutable>
        scf.yield %o : !ttg.memdesc<32xf32, #s, #smem, mutable>
      }
      %v = ttg.local_load %z : !ttg.memdesc<32xf32, #s, #smem, mutable> -> tensor<32xf32, #b>
      %w = arith.addf %v, %v : tensor<32xf32, #b>
      %l = arith.addi %k, %n : i32
      scf.yield %z, %u, %l : !ttg.memdesc<32xf32, #s, #smem, mutable>, !ttg.async.token, i32
    }
    %q = scf.while (%a = %y#0) : (!ttg.memdesc<32xf32, #s, #smem, mutable>) -> !ttg.memdesc<32xf32, #s, #smem, mutable> {
      scf.condition(%c) %a : !ttg.memdesc<32xf32, #s, #smem, mutable>
    } do {
    ^bb0(%a: !ttg.memdesc<32xf32, #s, #smem, mutable>):
      scf.yield %a : !ttg.memdesc<32xf32, #s, #smem, mutable>
    }
    ttg.local_dealloc %q : !ttg.memdesc<32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Each argument that no kernel takes.
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#smem = #ttg.shared_memory
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  // expected-error @+2 {{a kernel requires number, pointer or descriptor arguments, but got `!ttg.memdesc<32xf32, }}
  // expected-error @+1 {{a kernel requires number, pointer or descriptor arguments, but got `tensor<32xf32, }}
  tt.func public @arguments(%m: !ttg.memdesc<32xf32, #s, #smem, mutable>, %x: tensor<32xf32, #b>, %n: i32) {
    %y = arith.addf %x, %x : tensor<32xf32, #b>
    ttg.local_store %y, %m : tensor<32xf32, #b> -> !ttg.memdesc<32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

// All operations that cannot be lowered are named, before anything else is looked at.
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  tt.func public @launches(%r: !ttg.memdesc<2xi64, #s, #smem, mutable>, %m: !ttg.memdesc<1xi64, #s, #smem, mutable>) {
    // expected-error @+2 {{'ttng.clc_try_cancel' op is not supported by the lowering to LLVM}}
    // expected-note @+1 {{`ll-opt --list-lowered-operations` lists the supported operations}}
    ttng.clc_try_cancel %r, %m : !ttg.memdesc<2xi64, #s, #smem, mutable>, !ttg.memdesc<1xi64, #s, #smem, mutable>
    // expected-error @+2 {{'ttng.clc_try_cancel' op is not supported by the lowering to LLVM}}
    // expected-note @+1 {{`ll-opt --list-lowered-operations` lists the supported operations}}
    ttng.clc_try_cancel %r, %m : !ttg.memdesc<2xi64, #s, #smem, mutable>, !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}
