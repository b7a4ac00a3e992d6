// Warp specialisation that is not supported.
// RUN: ll-opt --convert-layouts-to-llvm --split-input-file --verify-diagnostics %s
// RUN: not ll-opt --convert-layouts-to-llvm=target=gfx942 --split-input-file %s 2>&1 | FileCheck %s

// CHECK: has 32 threads per warp, but hip:gfx942 requires 64

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250"} {
  tt.func public @amd() {
    // expected-error @+2 {{requires named barriers, which are not supported on hip:gfx1250}}
    // expected-note @+1 {{compile the kernel without warp specialisation, or for a target `cuda:...`}}
    ttg.warp_specialize()
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @kernel() {
    tt.call @function() : () -> ()
    tt.return
  }
  tt.func private @function() {
    // expected-error @+2 {{is supported in kernels only}}
    // expected-note @+1 {{inline the function that contains the operation into the kernel}}
    ttg.warp_specialize()
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @tensor(%x: i32) {
    %t = tt.splat %x : i32 -> tensor<128xi32, #four>
    // expected-error @+2 {{requires scalars, pointers and buffers as captures, but got `tensor<128xi32, #ttg.blocked}}
    // expected-note @+1 {{compute the tensor in the partition, or pass it in a buffer in shared memory}}
    ttg.warp_specialize(%t)
    default { ttg.warp_yield }
    partition0(%u: tensor<128xi32, #four>) num_warps(4) { ttg.warp_return } : (tensor<128xi32, #four>) -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @overlap() {
    // expected-error @+2 {{requires disjoint warps for the regions, but warp 4 belongs to two regions}}
    // expected-note @+1 {{remove `warpGroupStartIds`, or let the partitions start after the `ttg.num-warps` default warps}}
    ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 4>}
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return }
    partition1() num_warps(1) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @unaligned() {
    // expected-error @+1 {{requires a region of 4 warps to start at a multiple of 4, but got warp 5}}
    ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 5>}
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @requested() {
    // expected-error @+1 {{requires numbers from 1 to 256 in `requestedRegisters`, but got 400}}
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 400>}
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @several() {
    // expected-error @+1 {{requires 2 entries in `requestedRegisters`, but got 1}}
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 40>}
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return }
    partition1() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @actual() {
    // expected-error @+1 {{requires multiples of 8 from 24 to 256 in `actualRegisters`, but got 100}}
    ttg.warp_specialize() attributes {actualRegisters = array<i32: 240, 100>}
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @negative() {
    // expected-error @+2 {{requires disjoint warps for the regions, but warp 0 belongs to two regions}}
    // expected-note @+1 {{remove `warpGroupStartIds`}}
    ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: -4>}
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

// expected-error @+1 {{has 1152 threads per CTA (36 warps of 32 threads), but cuda:90 allows at most 1024}}
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @threads() {
    ttg.warp_specialize()
    default { ttg.warp_yield }
    partition0() num_warps(32) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

#two = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @calls() {
    ttg.warp_specialize()
    default { ttg.warp_yield }
    partition0() num_warps(2) {
      // expected-error @+2 {{is not supported in a partition of `ttg.warp_specialize`}}
      // expected-note @+1 {{inline the function into the partition}}
      tt.call @function() : () -> ()
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  tt.func private @function() {
    tt.return
  }
}
