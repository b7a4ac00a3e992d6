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
      %c = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
      // expected-error @+2 {{hands a buffer to the next round of a loop that may be made in this one: both would have the same bytes}}
      // expected-note @+1 {{make the buffers before the loop, and choose among them with `ttg.memdesc_index`}}
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
  // expected-error @+2 {{needs 262144 bytes of shared memory, but cuda:90 has 232448 per CTA}}
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
    // expected-error @+1 {{has an alignment of 3, expected a power of two}}
    %a = ttg.local_alloc {alignment = 3 : i32} : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @a_part() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
    %b = ttg.memdesc_subslice %a[16] : !ttg.memdesc<32xf32, #shared, #smem, mutable> -> !ttg.memdesc<16xf32, #shared, #smem, mutable, 32>
    // expected-error @+1 {{cannot be lowered yet on a part of a buffer; on a whole buffer it can}}
    %c = ttg.memdesc_reinterpret %b : !ttg.memdesc<16xf32, #shared, #smem, mutable, 32> -> !ttg.memdesc<16xi32, #shared, #smem, mutable>
    tt.return
  }
}
