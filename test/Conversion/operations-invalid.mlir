// RUN: ll-opt --convert-layouts-to-llvm %s -split-input-file -verify-diagnostics

// Floats of 8 bits travel; they are not computed with.
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%x: f8E5M2, %o: !tt.ptr<f8E5M2>, %w: f32) {
    // expected-error @+2 {{is not supported on `f8E5M2` elements}}
    // expected-note @+1 {{only loads, stores, selections, views, bitcasts and layout conversions support 8-bit floats; compute in f16 or f32}}
    %y = arith.addf %x, %x : f8E5M2
    tt.store %o, %y : !tt.ptr<f8E5M2>
    // expected-error @+2 {{conversion from `f8E5M2` to `f4E2M1FN` is not supported on cuda:90}}
    // expected-note @+1 {{supported types are f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f16, bf16, f32 and f64}}
    %z = arith.truncf %x : f8E5M2 to f4E2M1FN
    // expected-error @+2 {{rounding mode `upward` is not supported for 8-bit floats}}
    // expected-note @+1 {{use `toward_zero`, or no rounding mode, which means `to_nearest_even`}}
    %u = arith.truncf %w upward : f32 to f8E5M2
    tt.store %o, %u : !tt.ptr<f8E5M2>
    tt.return
  }
}

// -----

// A buffer instruction on a GPU that has none.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%p: !tt.ptr<i32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    // expected-error @+2 {{is not supported on cuda:90}}
    // expected-note @+1 {{buffer instructions exist on AMD GPUs only; use `tt.store` instead}}
    amdg.buffer_store %r, %p[%r] : !tt.ptr<i32> -> tensor<32xi32, #b>
    tt.return
  }
}

// -----

// Threads that repeat others' elements in another way than the result's.
#few = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = []}>
#all = #ttg.linear<{register = [[16]], lane = [[0], [1], [2], [4], [8]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%x: i32) {
    %a = tt.splat %x : i32 -> tensor<16xi32, #few>
    // expected-error @+2 {{requires operands and a result with the same replication, but `tensor<16xi32}}
    // expected-note @+1 {{convert the operands or the result with `ttg.convert_layout`}}
    %b = tt.cat %a, %a : tensor<16xi32, #few> -> tensor<32xi32, #all>
    tt.return
  }
}

// -----

// Counts in two dimensions.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%x: i32) {
    %a = tt.splat %x : i32 -> tensor<4x8xi32, #b>
    // expected-error @+1 {{requires a result of rank 1, but got rank 2; reshape the counts of a 1D histogram with `tt.reshape`}}
    %b = tt.histogram %a : tensor<4x8xi32, #b> -> tensor<4x8xi32, #b>
    tt.return
  }
}

// -----

// Assembly whose constraints are not those of its words.
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%x: f16) {
    %a = tt.splat %x : f16 -> tensor<64xf16, #b>
    // expected-error @+2 {{requires 1 result and 1 operand constraints, but `=r,r,r` has 1 result and 2 operand constraints}}
    // expected-note @+1 {{give one constraint per 32-bit word of a group of `packed_element` elements}}
    %b = tt.elementwise_inline_asm "add.f16x2 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 2 : i32, pure = true} %a : tensor<64xf16, #b> -> tensor<64xf16, #b>
    %c = tt.extern_elementwise %a {libname = "", libpath = "", symbol = "f", pure = true} : (tensor<64xf16, #b>) -> tensor<64xf32, #b>
    // expected-error @+2 {{calls `f` with the type `(f16) -> f16`, but another call uses `(f16) -> f32`}}
    // expected-note @+1 {{use the same type in all calls of `f`}}
    %d = tt.extern_elementwise %a {libname = "", libpath = "", symbol = "f", pure = true} : (tensor<64xf16, #b>) -> tensor<64xf16, #b>
    // expected-error @+2 {{requires a valid symbol, but got `a b`}}
    // expected-note @+1 {{a symbol consists of ASCII letters, digits, `_`, `.` and `$`}}
    %e = tt.extern_elementwise %a {libname = "", libpath = "", symbol = "a b", pure = true} : (tensor<64xf16, #b>) -> tensor<64xf16, #b>
    tt.return
  }
}
