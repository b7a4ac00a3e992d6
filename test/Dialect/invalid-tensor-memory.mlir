// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of the operations on tensor memory.

// tmem_alloc_c1
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%v: tensor<128x64xf32, #tm>) {
    // expected-error @+1 {{buffer has encoding `#ttg.swizzled_shared<{vec}}
    %0 = ttng.tmem_alloc %v : (tensor<128x64xf32, #tm>) -> !ttg.memdesc<128x64xf32, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tmem_alloc_c2
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%v: tensor<1x128x64xf32>) {
    // expected-error @+1 {{requires a tensor of rank 2, but `tensor<1x128x64xf32>` has rank 3}}
    %0 = ttng.tmem_alloc %v : (tensor<1x128x64xf32>) -> !ttg.memdesc<1x128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_alloc_c3
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%v: tensor<128x64xf32, #b>) {
    // expected-error @+2 {{cannot move `tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8],}}
    // expected-note @+1 {{a supported layout has one row per thread: `threadsPerWarp = [32, 1]`, `warpsPerCTA = [4, 1]`}}
    %0 = ttng.tmem_alloc %v : (tensor<128x64xf32, #b>) -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_alloc_c4
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%v: tensor<128x32xf32, #tm32>) {
    // expected-error @+1 {{result type is a view of shape 128x32 in an allocation of shape 128x64; expected a whole buffer}}
    %0 = ttng.tmem_alloc %v : (tensor<128x32xf32, #tm32>) -> !ttg.memdesc<128x32xf32, #t, #tmem, mutable, 128x64>
    tt.return
  }
}

// -----

// tmem_alloc_c5
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+2 {{requires an initial value for an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type, or add an initial value}}
    %0 = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #t, #tmem>
    tt.return
  }
}

// -----

// tmem_copy_c1
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, %b: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires an operand in `#ttg.shared_memory`, but the operand is in `#ttng.tensor_memory`}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c2
#nv32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x32xf32, #nv32, #smem, mutable>, %b: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires two buffers of the same shape, but got 128x32 and 128x64}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x32xf32, #nv32, #smem, mutable>, !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c3
#nv32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #nv32, #smem, mutable>, %b: !ttg.memdesc<128x64xf32, #t, #tmem>) {
    // expected-error @+2 {{'ttng.tmem_copy' op must not write to an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x64xf32, #nv32, #smem, mutable>, !ttg.memdesc<128x64xf32, #t, #tmem>
    tt.return
  }
}

// -----

// tmem_copy_c4
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x4xf32, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]}, alignment = 8>, #smem, mutable>, %b: !ttg.memdesc<128x4xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>, #tmem, mutable>) {
    // expected-error @+1 {{operand layout is aligned to 8 bytes; expected at least 16}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x4xf32, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]}, alignment = 8>, #smem, mutable>, !ttg.memdesc<128x4xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c5
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%s: !ttg.memdesc<256x128xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32, CGALayout = [[1, 0]]}>, #smem, mutable>, %d: !ttg.memdesc<256x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 1]]>, #tmem, mutable>) {
    // expected-error @+1 {{operand and destination are split over CTAs differently: `}}
    ttng.tmem_copy %s, %d : !ttg.memdesc<256x128xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32, CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<256x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 1]]>, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c6
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>, #smem, mutable>, %b: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{operand has encoding `#ttg.nvmma_shared<{swizzlingByteWidth =}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>, #smem, mutable>, !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c7
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xi8, #nv8, #smem, mutable>, %b: !ttg.memdesc<128x128xi8, #ts, #tmem, mutable>) {
    // expected-error @+1 {{; expected `swizzlingByteWidth = 0` for a copy of scales}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x128xi8, #nv8, #smem, mutable>, !ttg.memdesc<128x128xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c8
#nv32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #nv32, #smem, mutable>, %b: !ttg.memdesc<128x64xf32, #nv32, #smem, mutable>) {
    // expected-error @+1 {{destination has encoding `}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x64xf32, #nv32, #smem, mutable>, !ttg.memdesc<128x64xf32, #nv32, #smem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c9
#nv32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t64 = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf32, #nv32, #smem, mutable>, %b: !ttg.memdesc<64x64xf32, #t64, #tmem, mutable>) {
    // expected-error @+1 {{requires a destination with `blockM = 128`, but got 64}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<64x64xf32, #nv32, #smem, mutable>, !ttg.memdesc<64x64xf32, #t64, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c10
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>, #smem, mutable>, %b: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{; expected a nonzero `swizzlingByteWidth`}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>, #smem, mutable>, !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c11
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<128x64xf16, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires elements of 32 bits, but `f16` has 16}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, !ttg.memdesc<128x64xf16, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_copy_c12
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x2xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #smem, mutable>, %b: !ttg.memdesc<128x2xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 2, colStride = 1>, #tmem, mutable>) {
    // expected-error @+1 {{requires at least 4 contiguous elements in each row of the destination, but got 2}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x2xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #smem, mutable>, !ttg.memdesc<128x2xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 2, colStride = 1>, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_load_c1
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #sw, #smem, mutable>) {
    // expected-error @+1 {{buffer has encoding `#ttg.swizzled_shared<{vec}}
    %0 = ttng.tmem_load %a : !ttg.memdesc<128x64xf32, #sw, #smem, mutable> -> tensor<128x64xf32, #tm>
    tt.return
  }
}

// -----

// tmem_load_c2
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1x128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires a tensor of rank 2, but `tensor<1x128x64xf32>` has rank 3}}
    %0 = ttng.tmem_load %a : !ttg.memdesc<1x128x64xf32, #t, #tmem, mutable> -> tensor<1x128x64xf32>
    tt.return
  }
}

// -----

// tmem_load_c3
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+2 {{cannot move `tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8],}}
    // expected-note @+1 {{a supported layout has one row per thread: `threadsPerWarp = [32, 1]`, `warpsPerCTA = [4, 1]`}}
    %0 = ttng.tmem_load %a : !ttg.memdesc<128x64xf32, #t, #tmem, mutable> -> tensor<128x64xf32, #b>
    tt.return
  }
}

// -----

// tmem_load_c5
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{has a result for the reduction, but not `redOp`; expected both or neither}}
    %0:2 = "ttng.tmem_load"(%a) <{resultSegmentSizes = array<i32: 1, 0, 1>}> : (!ttg.memdesc<128x64xf32, #t, #tmem, mutable>) -> (tensor<128x64xf32, #tm>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #tm}>>)
    tt.return
  }
}

// -----

// tmem_load_c6
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{`abs` requires `redOp`}}
    %0 = "ttng.tmem_load"(%a) <{abs = true, resultSegmentSizes = array<i32: 1, 0, 0>}> : (!ttg.memdesc<128x64xf32, #t, #tmem, mutable>) -> (tensor<128x64xf32, #tm>)
    tt.return
  }
}

// -----

// tmem_load_c7
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xi32, #t, #tmem, mutable>) {
    // expected-error @+1 {{`abs` requires elements of `f32`, but got `i32`}}
    %0:2 = "ttng.tmem_load"(%a) <{redOp = #ttng.redOp<max>, abs = true, resultSegmentSizes = array<i32: 1, 0, 1>}> : (!ttg.memdesc<128x64xi32, #t, #tmem, mutable>) -> (tensor<128x64xi32, #tm>, tensor<128xi32, #ttg.slice<{dim = 1, parent = #tm}>>)
    tt.return
  }
}

// -----

// tmem_load_c8
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>) {
    // expected-error @+1 {{reduction requires each row in one thread, but `tensor<128x128xf32, #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32,}}
    %0:2 = "ttng.tmem_load"(%a) <{redOp = #ttng.redOp<max>, resultSegmentSizes = array<i32: 1, 0, 1>}> : (!ttg.memdesc<128x128xf32, #t128, #tmem, mutable>) -> (tensor<128x128xf32, #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2], order = [0, 1]}>>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2], order = [0, 1]}>}>>)
    tt.return
  }
}

// -----

// tmem_load_c9
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{reduction requires one row per thread, but `tensor<256x64xf32, #ttg.blocked<{sizePerThread = [1, 64],}}
    %0, %1 = ttng.tmem_load %a {redOp = #ttng.redOp<max>} : !ttg.memdesc<256x64xf32, #t, #tmem, mutable> -> tensor<256x64xf32, #tm>, tensor<256xf32, #ttg.slice<{dim = 1, parent = #tm}>>
    tt.return
  }
}

// -----

// tmem_load_c10
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory
#t2 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #t2, #tmem, mutable>) {
    // expected-error @+1 {{reduction requires `colStride = 1`, but the buffer has encoding `#ttng.tensor_memory_encoding<blockM =}}
    %0, %1 = ttng.tmem_load %a {redOp = #ttng.redOp<max>} : !ttg.memdesc<128x64xf16, #t2, #tmem, mutable> -> tensor<128x64xf16, #tm>, tensor<128xf16, #ttg.slice<{dim = 1, parent = #tm}>>
    tt.return
  }
}

// -----

// tmem_store_c1
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #sw, #smem, mutable>, %v: tensor<128x64xf32, #tm>, %p: i1) {
    // expected-error @+1 {{buffer has encoding `#ttg.swizzled_shared<{vec}}
    ttng.tmem_store %v, %a, %p : tensor<128x64xf32, #tm> -> !ttg.memdesc<128x64xf32, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tmem_store_c2
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1x128x64xf32, #t, #tmem, mutable>, %v: tensor<1x128x64xf32>, %p: i1) {
    // expected-error @+1 {{requires a tensor of rank 2, but `tensor<1x128x64xf32>` has rank 3}}
    ttng.tmem_store %v, %a, %p : tensor<1x128x64xf32> -> !ttg.memdesc<1x128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_store_c3
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>, %v: tensor<128x64xf32, #b>, %p: i1) {
    // expected-error @+2 {{cannot move `tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8],}}
    // expected-note @+1 {{a supported layout has one row per thread: `threadsPerWarp = [32, 1]`, `warpsPerCTA = [4, 1]`}}
    ttng.tmem_store %v, %a, %p : tensor<128x64xf32, #b> -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_subslice_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<128x64xf32, #sw, #smem, mutable>) {
    // expected-error @+1 {{'ttng.tmem_subslice' op operand is in `#ttg.shared_memory`; expected `#ttng.tensor_memory`}}
    %0 = ttng.tmem_subslice %m {offset = 0 : i32} : !ttg.memdesc<128x64xf32, #sw, #smem, mutable> -> !ttg.memdesc<128x32xf32, #sw, #smem, mutable, 128x64>
    tt.return
  }
}

// -----

// tmem_subslice_c2
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>) {
    // expected-error @+1 {{result has element type `i32`, but the operand has `f32`; expected the same element type}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32} : !ttg.memdesc<128x128xf32, #t128, #tmem, mutable> -> !ttg.memdesc<128x64xi32, #t128, #tmem, mutable, 128x128>
    tt.return
  }
}

// -----

// tmem_subslice_c3
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#t64 = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{result has encoding `#ttng.tensor_memory_encoding<blockM = 64, blockN}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32} : !ttg.memdesc<128x64xf32, #t, #tmem, mutable> -> !ttg.memdesc<64x32xf32, #t64, #tmem, mutable, 128x64>
    tt.return
  }
}

// -----

// tmem_subslice_c4
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>) {
    // expected-error @+1 {{result type has allocation shape 128x64; expected 128x128, the allocation shape of the operand}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32} : !ttg.memdesc<128x128xf32, #t128, #tmem, mutable> -> !ttg.memdesc<128x64xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tmem_subslice_c5
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2x128x64xf32, #t, #tmem, mutable, 2x128x64>) {
    // expected-error @+1 {{operand has rank 3, and result has rank 2; expected the same rank, 2 or 3}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32} : !ttg.memdesc<2x128x64xf32, #t, #tmem, mutable, 2x128x64> -> !ttg.memdesc<128x32xf32, #t, #tmem, mutable, 2x128x64>
    tt.return
  }
}

// -----

// tmem_subslice_c6
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>) {
    // expected-error @+1 {{dimension 2 is out of bounds for the operand of rank 2; expected 0 to 1}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32, dim = 2 : i32} : !ttg.memdesc<128x128xf32, #t128, #tmem, mutable> -> !ttg.memdesc<128x64xf32, #t128, #tmem, mutable, 128x128>
    tt.return
  }
}

// -----

// tmem_subslice_c7
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{may only change the size of dimension 1, but shape 256x64 becomes 128x32}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32} : !ttg.memdesc<256x64xf32, #t, #tmem, mutable> -> !ttg.memdesc<128x32xf32, #t, #tmem, mutable, 256x64>
    tt.return
  }
}

// -----

// tmem_subslice_c8
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>) {
    // expected-error @+1 {{slice of size 64 at offset 96 is out of bounds in dimension 1 of size 128}}
    %0 = ttng.tmem_subslice %a {offset = 96 : i32} : !ttg.memdesc<128x128xf32, #t128, #tmem, mutable> -> !ttg.memdesc<128x64xf32, #t128, #tmem, mutable, 128x128>
    tt.return
  }
}

// -----

// tmem_subslice_c9
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 16, colStride = 1>
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<256x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{'ttng.tmem_subslice' op requires an offset that is a multiple of 16 in dimension 1, but got 8}}
    %0 = ttng.tmem_subslice %m {offset = 8 : i32} : !ttg.memdesc<256x64xf32, #t, #tmem, mutable> -> !ttg.memdesc<256x16xf32, #t, #tmem, mutable, 256x64>
    tt.return
  }
}

// -----

// tmem_subslice_c11
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires an offset at the start of a 32-bit column, but offset 1 is 16 bits into a column}}
    %0 = ttng.tmem_subslice %a {offset = 1 : i32} : !ttg.memdesc<128x64xf16, #t, #tmem, mutable> -> !ttg.memdesc<128x1xf16, #t, #tmem, mutable, 128x64>
    tt.return
  }
}

// -----

// tmem_store_c4
#tm = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x64xf32, #tm>, %d: !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory>, %p: i1) {
    // expected-error @+2 {{must not write to an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type}}
    ttng.tmem_store %a, %d, %p : tensor<128x64xf32, #tm> -> !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory>
    tt.return
  }
}
