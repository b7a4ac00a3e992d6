// RUN: ll-opt --convert-layouts-to-llvm %s -split-input-file -verify-diagnostics
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    tt.call @even() : () -> ()
    // expected-error @+2 {{callee @other must not be a kernel}}
    // expected-note @+1 {{`private`, or move the shared code into a `private` function}}
    tt.call @other() : () -> ()
    // expected-error @+2 {{callee @elsewhere has no body in this module}}
    // expected-note @+1 {{in this module, or call an external function with `tt.extern_elementwise`}}
    tt.call @elsewhere() : () -> ()
    tt.return
  }
  tt.func public @other() {
    tt.return
  }
  tt.func private @elsewhere()
  tt.func private @even() {
    tt.call @odd() : () -> ()
    tt.return
  }
  tt.func private @odd() {
    // expected-error @+2 {{recursive call to @even is not supported}}
    // expected-note @+1 {{replace the recursion by a loop}}
    tt.call @even() : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+2 {{a kernel must not return values}}
  // expected-note @+1 {{store the values in memory, or make the function `private` and call it from a kernel}}
  tt.func public @k(%x: i32) -> i32 {
    tt.return %x : i32
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = ttg.local_alloc : () -> !ttg.memdesc<32768xi32, #shared, #smem, mutable>
    tt.call @f() : () -> ()
    tt.return
  }
  // expected-error @+2 {{requires 262144 bytes of shared memory (131072 of these bytes for callers), but cuda:90 has 232448 per CTA}}
  // expected-note @+1 {{use smaller tensors}}
  tt.func private @f() {
    %x = ttg.local_alloc : () -> !ttg.memdesc<32768xi32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: tensor<128xi32, #a>) { // expected-error {{a kernel requires number, pointer or descriptor arguments, but got `tensor<128xi32}}
    // expected-error @+2 {{requires a multiple of `pack` = 2 elements per thread, but got 1}}
    // expected-note @+1 {{convert the operands to a layout with a multiple of `pack` elements per thread}}
    %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      tt.map_elementwise.return %q, %p : i32, i32
    }) : (tensor<128xi32, #a>) -> tensor<128xi32, #a>
    %z = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%p: i32):
      // expected-error @+2 {{uses shared memory in a region of `tt.map_elementwise`, which may execute divergently}}
      // expected-note @+1 {{move the operation out of the region, and apply it to whole tensors}}
      tt.call @f() : () -> ()
      tt.map_elementwise.return %p : i32
    }) : (tensor<128xi32, #a>) -> tensor<128xi32, #a>
    tt.return
  }
  tt.func private @f() {
    %z = arith.constant dense<0> : tensor<128xi32, #a>
    %y = ttg.convert_layout %z : tensor<128xi32, #a> -> tensor<128xi32, #b>
    tt.return
  }
}

// -----

// An error in a region is reported once, independent of the number of elements.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %x = arith.sitofp %r : tensor<128xi32, #b> to tensor<128xf32, #b>
    %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%p: f32):
      // expected-error @+1 {{type `tf32` cannot be converted to an LLVM type}}
      %q = arith.truncf %p : f32 to tf32
      tt.map_elementwise.return %p : f32
    }) : (tensor<128xf32, #b>) -> tensor<128xf32, #b>
    %z = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      // expected-error @+1 {{type `tf32` cannot be converted to an LLVM type}}
      %w = arith.truncf %u : f32 to tf32
      tt.reduce.return %v : f32
    }) : (tensor<128xf32, #b>) -> f32
    tt.return
  }
}
