// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of operations that read and write buffers.

// local_alloc_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func @f() {
  // expected-error @+2 {{requires an initial value for an immutable buffer}}
  // expected-note @+1 {{make the buffer `mutable` in its type, or add an initial value}}
  %0 = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #s, #ttg.shared_memory>
  tt.return
}

// -----

// local_alloc_c1, local_alloc_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%t: tensor<128xf32, #b>) {
  // expected-error @+2 {{requires a tensor and a buffer of the same element type, but got `f32` and `f16`}}
  // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 128 and 256}}
  %0 = ttg.local_alloc %t : (tensor<128xf32, #b>) -> !ttg.memdesc<256xf16, #s, #ttg.shared_memory>
  tt.return
}
}

// -----

// local_store_c1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%t: tensor<128xf32, #b>, %m: !ttg.memdesc<128xf32, #s, #ttg.shared_memory>) {
  // expected-error @+2 {{must not write to an immutable buffer}}
  // expected-note @+1 {{make the buffer `mutable` in its type}}
  ttg.local_store %t, %m : tensor<128xf32, #b> -> !ttg.memdesc<128xf32, #s, #ttg.shared_memory>
  tt.return
}
}

// -----

// async_copy_global_to_local_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<64x64x!tt.ptr<f32>, #b>, %m: !ttg.memdesc<64x64xf32, #sw, #ttg.shared_memory>) {
    // expected-error @+2 {{'ttg.async_copy_global_to_local' op must not write to an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type}}
    %0 = ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f32>, #b> -> <64x64xf32, #sw, #ttg.shared_memory>
    tt.return
  }
}

// -----

// async_shared_store_c3
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>>, %s: !ttg.memdesc<128x64xi32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same element type, but got `f32` and `i32`}}
    ttng.async_shared_store %t, %s, %b : tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>> -> !ttg.memdesc<128x64xi32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// async_shared_store_c4
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>>, %s: !ttg.memdesc<128x128xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 128x64 and 128x128}}
    ttng.async_shared_store %t, %s, %b : tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>> -> !ttg.memdesc<128x128xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// local_alloc_c4
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{'ttg.local_alloc' op requires a buffer in `#ttg.shared_memory`, but the buffer is in `#ttng.tensor_memory`}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// local_alloc_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{'ttg.local_alloc' op result type is a view of shape 32x64 in an allocation of shape 64x64; expected a whole buffer}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<32x64xf32, #sw, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

// local_alloc_c6
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>>) {
    // expected-error @+1 {{tensor `tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4],}}
    %0 = ttg.local_alloc %a : (tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>>) -> !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// local_atomic_scatter_rmw_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x64xf32, #sw, #smem>, %i: tensor<64x64xi32, #b>, %v: tensor<64x64xf32, #b>) {
    // expected-error @+2 {{'ttg.local_atomic_scatter_rmw' op must not write to an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type}}
    %0 = ttg.local_atomic_scatter_rmw fadd, %m[%i], %v {axis = 0 : i32} : (!ttg.memdesc<64x64xf32, #sw, #smem>, tensor<64x64xf32, #b>, tensor<64x64xi32, #b>) -> tensor<64x64xf32, #b>
    tt.return
  }
}

// -----

// local_gather_c1
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, %i: tensor<128x64xi32>) {
    // expected-error @+1 {{'ttg.local_gather' op requires a buffer in `#ttg.shared_memory`, but the buffer is in `#ttng.tensor_memory`}}
    %0 = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, tensor<128x64xi32> -> tensor<128x64xf32>
    tt.return
  }
}

// -----

// local_gather_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32>) {
    // expected-error @+1 {{requires indices and values of the same shape, but got 64x64 and 64x32}}
    %0 = ttg.local_gather %a[%i] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32> -> tensor<64x32xf32>
    tt.return
  }
}

// -----

// local_gather_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64xi32>) {
    // expected-error @+1 {{requires a buffer and indices of the same rank, but got 2 and 1}}
    %0 = ttg.local_gather %a[%i] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64xi32> -> tensor<64xf32>
    tt.return
  }
}

// -----

// local_gather_c4
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32>) {
    // expected-error @+1 {{axis 2 is out of bounds for the buffer of rank 2; expected 0 to 1}}
    %0 = ttg.local_gather %a[%i] {axis = 2 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32> -> tensor<64x64xf32>
    tt.return
  }
}

// -----

// local_gather_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32>) {
    // expected-error @+1 {{requires values and a buffer of the same element type, but got `f16` and `f32`}}
    %0 = ttg.local_gather %a[%i] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32> -> tensor<64x64xf16>
    tt.return
  }
}

// -----

// local_gather_c6
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32, #b>) {
    // expected-error @+1 {{requires indices and values of the same layout, but got `tensor<64x64xi32, #ttg.blocked<{sizePerThread}}
    %0 = ttg.local_gather %a[%i] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32, #b> -> tensor<64x64xf32, #tm32>
    tt.return
  }
}

// -----

// local_load_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same element type, but got `f32` and `f16`}}
    %0 = ttg.local_load %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> tensor<64x64xf32>
    tt.return
  }
}

// -----

// local_load_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 64x32 and 64x64}}
    %0 = ttg.local_load %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> tensor<64x32xf16>
    tt.return
  }
}

// -----

// local_load_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{tensor `tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4],}}
    %0 = ttg.local_load %a : !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable> -> tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>>
    tt.return
  }
}

// -----

// local_scatter_c2
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, %i: tensor<128x64xi32>, %v: tensor<128x64xf32>) {
    // expected-error @+1 {{'ttg.local_scatter' op requires a buffer in `#ttg.shared_memory`, but the buffer is in `#ttng.tensor_memory`}}
    ttg.local_scatter %m[%i], %v {axis = 0 : i32} : !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, tensor<128x64xi32>, tensor<128x64xf32>
    tt.return
  }
}

// -----

// local_scatter_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32>, %v: tensor<64x32xf32>) {
    // expected-error @+1 {{requires indices and values of the same shape, but got 64x64 and 64x32}}
    ttg.local_scatter %a[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32>, tensor<64x32xf32>
    tt.return
  }
}

// -----

// local_scatter_c4
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64xi32>, %v: tensor<64xf32>) {
    // expected-error @+1 {{requires a buffer and indices of the same rank, but got 2 and 1}}
    ttg.local_scatter %a[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64xi32>, tensor<64xf32>
    tt.return
  }
}

// -----

// local_scatter_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32>, %v: tensor<64x64xf32>) {
    // expected-error @+1 {{axis 2 is out of bounds for the buffer of rank 2; expected 0 to 1}}
    ttg.local_scatter %a[%i], %v {axis = 2 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32>, tensor<64x64xf32>
    tt.return
  }
}

// -----

// local_scatter_c6
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32>, %v: tensor<64x64xf16>) {
    // expected-error @+1 {{requires values and a buffer of the same element type, but got `f16` and `f32`}}
    ttg.local_scatter %a[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32>, tensor<64x64xf16>
    tt.return
  }
}

// -----

// local_scatter_c7
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, %i: tensor<64x64xi32, #b>, %v: tensor<64x64xf32, #tm32>) {
    // expected-error @+1 {{requires indices and values of the same layout, but got `tensor<64x64xi32, #ttg.blocked<{sizePerThread}}
    ttg.local_scatter %a[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #sw, #smem, mutable>, tensor<64x64xi32, #b>, tensor<64x64xf32, #tm32>
    tt.return
  }
}

// -----

// local_store_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>, %v: tensor<64x64xf32>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same element type, but got `f32` and `f16`}}
    ttg.local_store %v, %a : tensor<64x64xf32> -> !ttg.memdesc<64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// local_store_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>, %v: tensor<64x32xf16>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 64x32 and 64x64}}
    ttg.local_store %v, %a : tensor<64x32xf16> -> !ttg.memdesc<64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// local_store_c4
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable>, %v: tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>>) {
    // expected-error @+1 {{tensor `tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4],}}
    ttg.local_store %v, %a : tensor<2x64x64xf16, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>> -> !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tmem_alloc_c6
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%v: tensor<128x64xf16, #tm>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same element type, but got `f16` and `f32`}}
    %0 = ttng.tmem_alloc %v : (tensor<128x64xf16, #tm>) -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_alloc_c7
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%v: tensor<128x32xf32, #tm32>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 128x32 and 128x64}}
    %0 = ttng.tmem_alloc %v : (tensor<128x32xf32, #tm32>) -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_load_c11
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same element type, but got `f16` and `f32`}}
    %0 = ttng.tmem_load %a : !ttg.memdesc<128x64xf32, #t, #tmem, mutable> -> tensor<128x64xf16, #tm>
    tt.return
  }
}

// -----

// tmem_load_c12
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 128x32 and 128x64}}
    %0 = ttng.tmem_load %a : !ttg.memdesc<128x64xf32, #t, #tmem, mutable> -> tensor<128x32xf32, #tm32>
    tt.return
  }
}

// -----

// tmem_store_c5
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, %v: tensor<128x64xf16, #tm>, %p: i1) {
    // expected-error @+1 {{requires a tensor and a buffer of the same element type, but got `f16` and `f32`}}
    ttng.tmem_store %v, %a, %p : tensor<128x64xf16, #tm> -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_store_c6
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, %v: tensor<128x32xf32, #tm32>, %p: i1) {
    // expected-error @+1 {{requires a tensor and a buffer of the same shape, but got 128x32 and 128x64}}
    ttng.tmem_store %v, %a, %p : tensor<128x32xf32, #tm32> -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}
