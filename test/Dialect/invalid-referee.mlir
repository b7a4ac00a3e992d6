// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules that random modules found missing.

// barrier_c3
#s = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1xi64, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{needs a barrier in one piece, a whole buffer without a swizzle}}
    ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// async_tma_copy_global_to_local_c3
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #s>, %a: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>, %b: !ttg.memdesc<1xi64, #b, #ttg.shared_memory, mutable>, %i: i32, %p: i1) {
    // expected-error @+1 {{cannot be volatile}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %b, %p {isVolatile = true} : !tt.tensordesc<64x64xf16, #s>, !ttg.memdesc<1xi64, #b, #ttg.shared_memory, mutable> -> !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c7
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{needs 128 rows and 128 columns of tensor memory for the result, but the operand has 128 and 64}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x128xf32, #u, #ttng.tensor_memory, mutable>
    tt.return
  }
}
