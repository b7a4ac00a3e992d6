// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of every operand and result.

// tt_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{the result has type `tensor<2097152xi32>`; expected at most 1048576 elements}}
    %0 = tt.make_range {start = 0 : i32, end = 2097152 : i32} : tensor<2097152xi32>
    tt.return
  }
}

// -----

// ttg_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: i32) {
    // expected-error @+1 {{has the attribute `"ttg.num-warps"`, which is allowed only on a module or a `tt.func`}}
    %0 = arith.addi %a, %a {"ttg.num-warps" = 4 : i32} : i32
    tt.return
  }
}

// -----

// ttg_c8
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+3 {{'tt.splat' op has an invalid layout in the result: the layout has 2 CTAs, but the module has 1}}
    // expected-note @+2 {{the type is `tensor<256xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>>`}}
    // expected-note @+1 {{change the encoding, or the module's `"ttg.num-ctas"`}}
    %0 = tt.splat %x : f32 -> tensor<256xf32, #b>
    tt.return
  }
}

// -----

// ttg_c9
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>, %r: !ttg.memdesc<2xi64, #s1, #smem, mutable>) {
    // expected-error @+3 {{has an invalid layout in operand 0: the layout has 1 CTAs, but the module has 2}}
    // expected-note @+2 {{the type is `!ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order =}}
    // expected-note @+1 {{change the encoding, or the module's `"ttg.num-ctas"`}}
    ttng.clc_try_cancel %r, %b : !ttg.memdesc<2xi64, #s1, #smem, mutable>, !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// ttg_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+2 {{requires the module attribute `"ttg.num-warps"`, because a tensor has an encoding}}
    // expected-note @+1 {{add `"ttg.num-warps" = ... : i32` to the module's attributes}}
    %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    tt.return
  }
}

// -----

// ttg_c3
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 3 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{requires `"ttg.num-warps"` to be a positive power of two, but got 3 : i32}}
    %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    tt.return
  }
}

// -----

// tt_c2
tt.func @f(%a: f32) {
  // expected-error @+2 {{the result has type `tensor<48xf32>` with 48 elements; expected a power of two}}
  // expected-note @+1 {{pad the tensor to the next power of two and mask the rest}}
  %0 = tt.splat %a : f32 -> tensor<48xf32>
  tt.return
}
