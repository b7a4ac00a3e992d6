// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of AMD's operations on registers and buffers.

// async_copy_local_to_global_c1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<128x64x!tt.ptr<f16>, #b>, %s: !ttg.memdesc<128x64xf16, #t, #tmem, mutable>) {
    // expected-error @+1 {{'amdg.async_copy_local_to_global' op requires a buffer in `#ttg.shared_memory`, but the buffer is in `#ttng.tensor_memory`}}
    %0 = amdg.async_copy_local_to_global %s, %p : !ttg.memdesc<128x64xf16, #t, #tmem, mutable> -> tensor<128x64x!tt.ptr<f16>, #b>
    tt.return
  }
}

// -----

// buffer_c1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<f32>, %o: tensor<64x64xi32, #b>) {
    // expected-error @+1 {{pointer has pointee type `f32`; expected `f16`, the element type of the tensor}}
    %0 = amdg.buffer_load %p[%o] : !tt.ptr<f32> -> tensor<64x64xf16, #b>
    tt.return
  }
}

// -----

// buffer_load_to_local_c1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx90a", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<f16>, %o: tensor<64x64xi32, #b>, %d: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires a target with buffer loads to shared memory (`hip:gfx942`, `hip:gfx950`), but got `}}
    %0 = amdg.buffer_load_to_local %p[%o] into %d : !tt.ptr<f16>[tensor<64x64xi32, #b>] -> <64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// concat_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a0: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{operand has rank 2, but the result has rank 1; expected the same rank}}
    %0 = amdg.concat %a0 : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<64xf16, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
    tt.return
  }
}

// -----

// concat_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a0: tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{operand shape 64x64 does not divide result shape 128x32 in each dimension}}
    %0 = amdg.concat %a0 : tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// concat_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a0: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>, %a1: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{requires 4 operands of shape 64x32 for a result of shape 128x64, but got 2}}
    %0 = amdg.concat %a0, %a1 : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// concat_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>, %b: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [0, 1]}>>) {
    // expected-error @+1 {{operand 0 has type `tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1,}}
    %0 = amdg.concat %a, %b : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [0, 1]}>> -> tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// concat_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{would move data between threads: thread 0 holds result element [16, 0], but not the source, operand element [16,}}
    %0 = amdg.concat %a, %a : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// concat_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{lane bases are [[}}
    %0 = amdg.concat %a, %a : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// extract_slice_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{operand has rank 2, result has rank 1, and there are 2 offsets; expected these numbers to be equal}}
    %0 = amdg.extract_slice %a [0, 0] : tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> to tensor<128xf16, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
    tt.return
  }
}

// -----

// extract_slice_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{slice of size 256 exceeds dimension 0, which has size 128}}
    %0 = amdg.extract_slice %a [0, 0] : tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> to tensor<256x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// extract_slice_c3
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x128xf16, #b>) {
    // expected-error @+1 {{'amdg.extract_slice' op slice of size 64 at offset 96 is out of bounds in dimension 1 of size 128}}
    %0 = amdg.extract_slice %a [0, 96] : tensor<128x128xf16, #b> to tensor<128x64xf16, #b>
    tt.return
  }
}

// -----

// extract_slice_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{would move data between threads: thread 0 holds result element [16, 0], but not the source, operand element [16,}}
    %0 = amdg.extract_slice %a [0, 0] : tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> to tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// extract_slice_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{lane bases are [[}}
    %0 = amdg.extract_slice %a [0, 0] : tensor<128x128xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> to tensor<64x32xf16, #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [0, 8]], warp = [[16, 0], [32, 0]], block = []}>>
    tt.return
  }
}

// -----

// in_thread_transpose_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64xf16, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>) {
    // expected-error @+1 {{requires an operand of rank 2, but `tensor<64xf16, #ttg.blocked<{sizePerThread = [2], threadsPerWarp =}}
    %0 = amdg.in_thread_transpose %a : tensor<64xf16, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>> -> tensor<64xf16, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>
    tt.return
  }
}

// -----

// in_thread_transpose_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x32xf16, #ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>>) {
    // expected-error @+1 {{requires an operand whose encoding is `#ttg.blocked`, but got `tensor<64x32xf16, #ttg.linear<{register}}
    %0 = amdg.in_thread_transpose %a : tensor<64x32xf16, #ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>> -> tensor<64x32xf16, #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// in_thread_transpose_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x32xf16, #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+2 {{result type `tensor<64x32xf16, #ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4],}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = amdg.in_thread_transpose %a : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<64x32xf16, #ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>>
    tt.return
  }
}

// -----

// local_load_packed_transposed_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x256xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a result whose encoding is `#ttg.dot_op`, but got `tensor<128x128xi8,}}
    %0 = amdg.local_load_packed_transposed %a : !ttg.memdesc<64x256xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable> -> tensor<128x128xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// local_load_packed_transposed_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x256xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a buffer with `order = [0, 1]` for operand 0, but got [1, 0]}}
    %0 = amdg.local_load_packed_transposed %a : !ttg.memdesc<64x256xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #smem, mutable> -> tensor<128x128xi8, #ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 128], isTransposed = true}>, kWidth = 16}>>
    tt.return
  }
}

// -----

// local_load_packed_transposed_c3
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>) {
    // expected-error @+1 {{buffer has shape 128x128; expected 64x256, because buffer and result (shape 128x128) pack pairs of elements along different dimensions}}
    %0 = amdg.local_load_packed_transposed %a : !ttg.memdesc<128x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable> -> tensor<128x128xi8, #ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 128], isTransposed = true}>, kWidth = 16}>>
    tt.return
  }
}

// -----

// scaled_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>, %s: tensor<32xi8>) {
    // expected-error @+1 {{scales have type `tensor<32xi8>`; expected rank 2, the rank of the result}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x128xi8>, tensor<32xi8> -> tensor<4x256xbf16>
    tt.return
  }
}

// -----

// scaled_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>, %s: tensor<4x32xi8>) {
    // expected-error @+1 {{axis -1 is out of bounds for the result of rank 2; expected 0 to 1}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = -1 : i32} : tensor<4x128xi8>, tensor<4x32xi8> -> tensor<4x256xbf16>
    tt.return
  }
}

// -----

// scaled_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>, %s: tensor<2x32xi8>) {
    // expected-error @+1 {{scales have shape 2x32, but the result has shape 4x256; expected equal sizes in all dimensions except dimension 1}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x128xi8>, tensor<2x32xi8> -> tensor<4x256xbf16>
    tt.return
  }
}

// -----

// scaled_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>, %s: tensor<4x512xi8>) {
    // expected-error @+1 {{dimension 1 has 512 scales for 256 elements; expected the number of scales to divide the number of elements}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x128xi8>, tensor<4x512xi8> -> tensor<4x256xbf16>
    tt.return
  }
}

// -----

// scaled_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<128x32xi8>) {
    // expected-error @+1 {{the result has an encoding, but the scales have none; expected an encoding on both scales and result, or on neither}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<128x32xi8> -> tensor<128x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// scaled_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xbf16>, %s: tensor<4x32xi8>) {
    // expected-error @+1 {{result has shape 4x256, but the operand has shape 4x128; expected the same shape}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<4x128xbf16>, tensor<4x32xi8> -> tensor<4x256xf8E5M2>
    tt.return
  }
}

// -----

// scaled_c7
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#w = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x256xbf16, #b>, %s: tensor<128x32xi8, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{'amdg.scaled_downcast_fp8' op result type is `tensor<128x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>>`, but operand type is `tensor<128x256xbf}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<128x256xbf16, #b>, tensor<128x32xi8, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x256xf8E5M2, #w>
    tt.return
  }
}

// -----

// scaled_c8
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<128x256xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{requires more than one result element per scale along dimension 1, but got 1}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<128x256xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// scaled_c9
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<128x32xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{some scales in `tensor<128x32xi8,}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<128x32xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// scaled_c10
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<128x64xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{requires a multiple of 8 elements per scale along dimension 1, but got 4}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<128x64xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// scaled_c11
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<128x32xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+1 {{first 8 registers of a thread have several scales along dimension 1; expected one scale for all 8 registers}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<128x256xbf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<128x32xi8, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<128x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}

// -----

// scaled_c16
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>, %s: tensor<4x32xbf16>) {
    // expected-error @+1 {{requires scales of element type `i8` on `hip:gfx1250`, but got `tensor<4x32xbf16>`}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x128xi8>, tensor<4x32xbf16> -> tensor<4x256xbf16>
    tt.return
  }
}

// -----

// scaled_c14
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x512xbf16, #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<4x16xi8>) {
    // expected-error @+1 {{'amdg.scaled_downcast_fp4' op only the unpacked tensor has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = amdg.scaled_downcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x512xbf16, #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<4x16xi8> -> tensor<4x256xi8>
    tt.return
  }
}

// -----

// scaled_c15
#in = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#out = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x512xbf16, #in>, %s: tensor<4x16xi8, #in>) {
    // expected-error @+2 {{packed type `tensor<4x256xi8, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>` does not have the layout inferred from `tensor<4x512xbf16}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = amdg.scaled_downcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x512xbf16, #in>, tensor<4x16xi8, #in> -> tensor<4x256xi8, #out>
    tt.return
  }
}
