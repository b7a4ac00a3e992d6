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

// -----

// memdesc_reinterpret_c7: blocks of 64 rows lie in half of the lanes
#t = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{needs 128 rows and 32 columns of tensor memory for the result, but the operand has 64 and 32}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x64xf16, #t, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf16, #u, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// tmem_subslice_c10
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0], [2, 0]]>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1024x128xf16, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{takes 512 of 1024 in dimension 0, which would leave some CTAs without elements}}
    %0 = "ttng.tmem_subslice"(%a) <{dim = 0 : i32, offset = 512 : i32}> : (!ttg.memdesc<1024x128xf16, #t, #ttng.tensor_memory, mutable>) -> !ttg.memdesc<512x128xf16, #t, #ttng.tensor_memory, mutable, 1024x128>
    tt.return
  }
}

// -----

// buffer_load_to_local_c2
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%p: !tt.ptr<bf16>, %o: tensor<64x64xi32, #b>, %d: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{needs a pointer to `f16`, which the buffer holds, but has one to `bf16`}}
    %0 = amdg.buffer_load_to_local %p[%o] into %d : !tt.ptr<bf16>[tensor<64x64xi32, #b>] -> <64x64xf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// Atomic operations compare and store what the pointer points to.
tt.func @f(%p: !tt.ptr<i32>, %c: i64, %v: i32) {
  // expected-error @+1 {{failed to verify that what is expected has the type that the pointer points to}}
  %0 = "tt.atomic_cas"(%p, %c, %v) <{scope = 1 : i32, sem = 4 : i32}> : (!tt.ptr<i32>, i64, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %c: i64) {
  // expected-error @+1 {{failed to verify that what is expected has the type that the pointer points to}}
  %0 = "tt.atomic_poll"(%p, %c) <{scope = 1 : i32, sem = 2 : i32}> : (!tt.ptr<i32>, i64) -> i1
  tt.return
}
