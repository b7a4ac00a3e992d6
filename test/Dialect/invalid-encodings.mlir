// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Lanes that do not match the module.
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+3 {{has an invalid layout in the result: it has 64 threads per warp, but the module says 32}}
    // expected-note @+2 {{the type is `tensor<256xi32, #ttg.blocked<}}
    // expected-note @+1 {{change the encoding, or the module's `"ttg.threads-per-warp"`}}
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #e>
    tt.return
  }
}

// -----

// Warps that do not match the module, in each place of an operation.
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<256x!tt.ptr<i32>, #e>, %v: tensor<256xi32, #e>) {
    // expected-error @+5 {{has an invalid layout in operand 0: it has 4 warps per CTA, but the module says 8}}
    // expected-note @+4 {{the type is `tensor<256x!tt.ptr<i32>}}
    // expected-error @+3 {{has an invalid layout in operand 1: it has 4 warps per CTA, but the module says 8}}
    // expected-note @+2 {{the type is `tensor<256xi32}}
    // expected-note @+1 {{change the encoding, or the module's `"ttg.num-warps"`}}
    tt.store %p, %v : tensor<256x!tt.ptr<i32>, #e>
    tt.return
  }
}

// -----

// A module that does not say how many warps it has.
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module {
  tt.func @f() {
    // expected-error @+2 {{has a tensor with an encoding, but the module has no `"ttg.num-warps"`}}
    // expected-note @+1 {{add `"ttg.num-warps" = ... : i32` to the module's attributes}}
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #e>
    tt.return
  }
}

// -----

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 3 : i32} {
  tt.func @f() {
    // expected-error @+1 {{needs `"ttg.num-warps"` to be a positive power of two, but the module has 3 : i32}}
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #e>
    tt.return
  }
}

// -----

// Sizes that are no powers of two.
tt.func @f() {
  // expected-error @+2 {{needs a power of two of elements in the result, but `tensor<24xi32>` has 24}}
  // expected-note @+1 {{pad the tensor to the next power of two and mask the rest}}
  %0 = tt.make_range {end = 24 : i32, start = 0 : i32} : tensor<24xi32>
  tt.return
}

// -----

tt.func @f(%x: i32) {
  // expected-error @+1 {{has too many elements in the result: `tensor<4096x4096xi32>` has more than 1048576}}
  %0 = tt.splat %x : i32 -> tensor<4096x4096xi32>
  tt.return
}

// -----

// Ranks that differ.
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f() {
    // expected-error @+2 {{has an invalid layout in the result}}
    // expected-note @+1 {{the type is}}
    %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #e>
    tt.return
  }
}

// -----

// expected-error @+1 {{3}}
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [3], order = [0]}>

// -----

// expected-error @+1 {{order}}
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 1]}>

// -----

// expected-error @+1 {{rank}}
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32], warpsPerCTA = [1, 1], order = [1, 0]}>

// -----

// expected-error @+1 {{5}}
#e = #ttg.slice<{dim = 5, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>}>

// -----

// expected-error @+1 {{unexpected key `thread` in `linear`; the keys are `register`, `lane`, `warp`, `block`}}
#e = #ttg.linear<{thread = [[1]]}>

// -----

// expected-error @+2 {{`lane` is given twice}}
// expected-error @+1 {{failed to parse TTG_LinearEncoding parameter 'bases'}}
#e = #ttg.linear<{lane = [[1]], lane = [[2]], warp = [], block = []}>

// -----

// expected-error @+1 {{`linear` needs the key `block`}}
#e = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// -----

// Bases that do not reach every element.
// expected-error @+1 {{reach}}
#e = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [32]], warp = [], block = []}>

// -----

// expected-error @+2 {{unknown attribute `ttg.brocked`: `ttg` is supported as of Triton 3.9}}
// expected-note @+1 {{the nearest attribute is `ttg.blocked`}}
#e = #ttg.brocked<{sizePerThread = [1]}>
