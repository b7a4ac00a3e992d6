// Buffers that cannot be lowered: one diagnostic each, at its place.
// RUN: ll-opt --convert-layouts-to-llvm --split-input-file --verify-diagnostics %s

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @handed_on(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> !ttg.memdesc<32xf32, #shared, #smem, mutable> : i32 {
      // expected-error @+2 {{is executed again while the buffer of the previous iteration is live}}
      // expected-note @+1 {{allocate the buffers before the loop, and select one with `ttg.memdesc_index`}}
      %c = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
      ttg.local_dealloc %b : !ttg.memdesc<32xf32, #shared, #smem, mutable>
      scf.yield %c : !ttg.memdesc<32xf32, #shared, #smem, mutable>
    }
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @width() {
    // expected-error @+1 {{elements of 24 bits are not supported in a buffer: expected 8, 16, 32 or 64}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<32xi24, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+2 {{requires 262144 bytes of shared memory, but cuda:90 has 232448 per CTA}}
  // expected-note @+1 {{use smaller tensors}}
  tt.func public @too_much() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<65536xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @alignment() {
    // expected-error @+1 {{requires a power of two as `alignment`, but got 3}}
    %a = ttg.local_alloc {alignment = 3 : i32} : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @a_part() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64xi8, #shared, #smem, mutable>
    %b = ttg.memdesc_subslice %a[8] : !ttg.memdesc<64xi8, #shared, #smem, mutable> -> !ttg.memdesc<8xi8, #shared, #smem, mutable, 64>
    // expected-error @+1 {{requires an operand whose size is a multiple of 16 bytes, but got 8 bytes}}
    %c = ttg.memdesc_reinterpret %b : !ttg.memdesc<8xi8, #shared, #smem, mutable, 64> -> !ttg.memdesc<8xi8, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @elsewhere() {
    %b = ttg.local_alloc : () -> !ttg.memdesc<4x2x8xf32, #shared, #smem, mutable>
    // expected-error @+2 {{cannot change the leading (multi-buffer) dimension of a memdesc}}
    // expected-note @+1 {{select one buffer first, with `ttg.memdesc_index`}}
    %c = ttg.memdesc_reshape %b : !ttg.memdesc<4x2x8xf32, #shared, #smem, mutable> -> !ttg.memdesc<8x8xf32, #shared, #smem, mutable>
    // expected-error @+2 {{cannot change the leading (multi-buffer) dimension of a memdesc}}
    // expected-note @+1 {{select one buffer first, with `ttg.memdesc_index`}}
    %d = ttg.memdesc_trans %b {order = array<i32: 1, 0, 2>} : !ttg.memdesc<4x2x8xf32, #shared, #smem, mutable> -> !ttg.memdesc<2x4x8xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @larger_than_shared_memory() {
    // expected-error @+1 {{requires a buffer that fits shared memory, but `!ttg.memdesc<4096x1024x1024xf32,}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<4096x1024x1024xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @caller() {
    %a = tt.call @escapes() : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    tt.return
  }
  tt.func private @escapes() -> !ttg.memdesc<32xf32, #shared, #smem, mutable> {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    // expected-error @+2 {{must not return a buffer allocated in the function, because the buffer is dead after the return}}
    // expected-note @+1 {{allocate the buffer in the caller, and pass it as an argument}}
    tt.return %a : !ttg.memdesc<32xf32, #shared, #smem, mutable>
  }
}

// -----

// A view of a buffer that is deallocated on all paths, also within a subsequent loop.
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @freed(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<2x32xf32, #shared, #smem, mutable>
    %v = ttg.memdesc_index %a[%c0] : !ttg.memdesc<2x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    %x = ttg.local_load %v : !ttg.memdesc<32xf32, #shared, #smem, mutable> -> tensor<32xf32, #blocked>
    ttg.local_dealloc %a : !ttg.memdesc<2x32xf32, #shared, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error @+2 {{uses a buffer after its `ttg.local_dealloc`}}
      // expected-note-re @+1 {{the buffer is deallocated at {{.*:[0-9]+:5}}}}
      ttg.local_store %x, %v : tensor<32xf32, #blocked> -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    }
    tt.return
  }
}
