// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of operations that change or pick elements, and of descriptors.

// bitcast_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !tt.ptr<f32>) {
    // expected-error @+1 {{cannot change the address space of a pointer: `!tt.ptr<f32>` to `!tt.ptr<f32, "constant">`}}
    %0 = tt.bitcast %a : !tt.ptr<f32> -> !tt.ptr<f32, "constant">
    tt.return
  }
}

// -----

// bitcast_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !tt.ptr<f32>) {
    // expected-error @+1 {{cannot convert between pointer and non-pointer types: `!tt.ptr<f32>` to `i32`; use `tt.ptr_to_int`}}
    %0 = tt.bitcast %a : !tt.ptr<f32> -> i32
    tt.return
  }
}

// -----

// descriptor_gather_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x1x128xbf16>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{descriptor has blocks of shape 1x1x128; expected rank 2}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x1x128xbf16>, tensor<32xi32>, i32) -> tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<2x128xbf16>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{descriptor has blocks of shape 2x128; expected one row}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<2x128xbf16>, tensor<32xi32>, i32) -> tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<1x32xi32>, %y: i32) {
    // expected-error @+1 {{requires row indices of rank 1, but got `tensor<1x32xi32>`}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x128xbf16>, tensor<1x32xi32>, i32) -> tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{requires a tensor of rank 2, but got `tensor<1x32x128xbf16>`}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x128xbf16>, tensor<32xi32>, i32) -> tensor<1x32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<4xi32>, %y: i32) {
    // expected-error @+1 {{requires at least 8 rows, but `tensor<4x128xbf16>` has 4}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x128xbf16>, tensor<4xi32>, i32) -> tensor<4x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xf64>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{requires elements of at most 32 bits, but `f64` has 64}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x128xf64>, tensor<32xi32>, i32) -> tensor<32x128xf64>
    tt.return
  }
}

// -----

// descriptor_gather_c7
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x8xbf16>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{requires at least 32 bytes per row (16 columns of `bf16`), but `tensor<32x8xbf16>` has 8 columns}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x8xbf16>, tensor<32xi32>, i32) -> tensor<32x8xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c8
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xbf16>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{tensor `tensor<32x128xbf16>` has 128 columns; expected 64, as in the blocks of the descriptor}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32) -> tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c9
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xf16>, %x: tensor<32xi32>, %y: i32) {
    // expected-error @+1 {{tensor type is `tensor<32x128xbf16>`; expected element type `f16`, as in the blocks of the descriptor}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x128xf16>, tensor<32xi32>, i32) -> tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_gather_c10
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<16xi32>, %y: i32) {
    // expected-error @+1 {{requires one index for each of 32 rows, but got `tensor<16xi32>`}}
    %0 = tt.descriptor_gather %d[%x, %y] : (!tt.tensordesc<1x128xbf16>, tensor<16xi32>, i32) -> tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_load_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32) {
    // expected-error @+1 {{requires a block and a tensor of the same element type, but got `f16` and `bf16`}}
    %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xbf16>
    tt.return
  }
}

// -----

// descriptor_load_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32) {
    // expected-error @+1 {{block 64x64 has 4096 elements, but tensor 64x32 has 2048; expected the same number of elements}}
    %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x32xf16>
    tt.return
  }
}

// -----

// descriptor_reduce_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32, %s: tensor<64x64xbf16>) {
    // expected-error @+1 {{requires a block and a tensor of the same element type, but got `f16` and `bf16`}}
    tt.descriptor_reduce add, %d[%i, %i], %s : !tt.tensordesc<64x64xf16>, tensor<64x64xbf16>
    tt.return
  }
}

// -----

// descriptor_reduce_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32, %s: tensor<64x32xf16>) {
    // expected-error @+1 {{block 64x64 has 4096 elements, but tensor 64x32 has 2048; expected the same number of elements}}
    tt.descriptor_reduce add, %d[%i, %i], %s : !tt.tensordesc<64x64xf16>, tensor<64x32xf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x1x128xbf16>, %x: tensor<32xi32>, %y: i32, %s: tensor<32x128xbf16>) {
    // expected-error @+1 {{descriptor has blocks of shape 1x1x128; expected rank 2}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x1x128xbf16>, tensor<32xi32>, i32, tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<2x128xbf16>, %x: tensor<32xi32>, %y: i32, %s: tensor<32x128xbf16>) {
    // expected-error @+1 {{descriptor has blocks of shape 2x128; expected one row}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<2x128xbf16>, tensor<32xi32>, i32, tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<1x32xi32>, %y: i32, %s: tensor<32x128xbf16>) {
    // expected-error @+1 {{requires row indices of rank 1, but got `tensor<1x32xi32>`}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x128xbf16>, tensor<1x32xi32>, i32, tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<32xi32>, %y: i32, %s: tensor<1x32x128xbf16>) {
    // expected-error @+1 {{requires a tensor of rank 2, but got `tensor<1x32x128xbf16>`}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x128xbf16>, tensor<32xi32>, i32, tensor<1x32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<4xi32>, %y: i32, %s: tensor<4x128xbf16>) {
    // expected-error @+1 {{requires at least 8 rows, but `tensor<4x128xbf16>` has 4}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x128xbf16>, tensor<4xi32>, i32, tensor<4x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xf64>, %x: tensor<32xi32>, %y: i32, %s: tensor<32x128xf64>) {
    // expected-error @+1 {{requires elements of at most 32 bits, but `f64` has 64}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x128xf64>, tensor<32xi32>, i32, tensor<32x128xf64>
    tt.return
  }
}

// -----

// descriptor_scatter_c7
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x8xbf16>, %x: tensor<32xi32>, %y: i32, %s: tensor<32x8xbf16>) {
    // expected-error @+1 {{requires at least 32 bytes per row (16 columns of `bf16`), but `tensor<32x8xbf16>` has 8 columns}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x8xbf16>, tensor<32xi32>, i32, tensor<32x8xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c8
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xbf16>, %x: tensor<32xi32>, %y: i32, %s: tensor<32x128xbf16>) {
    // expected-error @+1 {{tensor `tensor<32x128xbf16>` has 128 columns; expected 64, as in the blocks of the descriptor}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32, tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c9
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xf16>, %x: tensor<32xi32>, %y: i32, %s: tensor<32x128xbf16>) {
    // expected-error @+1 {{tensor type is `tensor<32x128xbf16>`; expected element type `f16`, as in the blocks of the descriptor}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x128xf16>, tensor<32xi32>, i32, tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_scatter_c10
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x128xbf16>, %x: tensor<16xi32>, %y: i32, %s: tensor<32x128xbf16>) {
    // expected-error @+1 {{requires one index for each of 32 rows, but got `tensor<16xi32>`}}
    tt.descriptor_scatter %d[%x, %y], %s : !tt.tensordesc<1x128xbf16>, tensor<16xi32>, i32, tensor<32x128xbf16>
    tt.return
  }
}

// -----

// descriptor_store_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32, %s: tensor<64x64xbf16>) {
    // expected-error @+1 {{requires a block and a tensor of the same element type, but got `f16` and `bf16`}}
    tt.descriptor_store %d[%i, %i], %s : !tt.tensordesc<64x64xf16>, tensor<64x64xbf16>
    tt.return
  }
}

// -----

// descriptor_store_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %i: i32, %s: tensor<64x32xf16>) {
    // expected-error @+1 {{block 64x64 has 4096 elements, but tensor 64x32 has 2048; expected the same number of elements}}
    tt.descriptor_store %d[%i, %i], %s : !tt.tensordesc<64x64xf16>, tensor<64x32xf16>
    tt.return
  }
}

// -----

// fp4_to_fp_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x32xi8>) {
    // expected-error @+1 {{requires a result of element type `f16` or `bf16`, but got `f32`}}
    %0 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<64x32xi8> -> tensor<64x64xf32>
    tt.return
  }
}

// -----

// fp4_to_fp_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>) {
    // expected-error @+1 {{'ttg.fp4_to_fp' op requires two tensors of the same rank, but got `tensor<4x128xi8>` and `tensor<1x4x256xbf16>`}}
    %0 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<4x128xi8> -> tensor<1x4x256xbf16>
    tt.return
  }
}

// -----

// fp4_to_fp_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>) {
    // expected-error @+1 {{'ttg.fp4_to_fp' op axis 2 is out of bounds for the operand of rank 2; expected 0 to 1}}
    %0 = ttg.fp4_to_fp %a {axis = 2 : i32} : tensor<4x128xi8> -> tensor<4x256xbf16>
    tt.return
  }
}

// -----

// fp4_to_fp_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>) {
    // expected-error @+1 {{'ttg.fp4_to_fp' op unpacked tensor is `tensor<4x128xbf16>`; expected shape 4x256, which is twice the packed shape 4x128 along dimension 1}}
    %0 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<4x128xi8> -> tensor<4x128xbf16>
    tt.return
  }
}

// -----

// fp4_to_fp_c5
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x32xi8, #b>) {
    // expected-error @+1 {{only the packed tensor has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<64x32xi8, #b> -> tensor<64x64xf16>
    tt.return
  }
}

// -----

// gather_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32>, %i: tensor<64x64xi32>) {
    // expected-error @+1 {{requires indices and a result of the same shape, but got 64x64 and 64x32}}
    %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x64xf32>, tensor<64x64xi32>) -> tensor<64x32xf32>
    tt.return
  }
}

// -----

// gather_c2
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32, #b>, %i: tensor<64x64xi32, #b>) {
    // expected-error @+1 {{requires indices and a result of the same encoding, but got `tensor<64x64xi32,}}
    %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x64xf32, #b>, tensor<64x64xi32, #b>) -> tensor<64x64xf32, #tm32>
    tt.return
  }
}

// -----

// gather_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32>, %i: tensor<64x64xi32>) {
    // expected-error @+1 {{result has element type `f16`, but the operand has `f32`; expected the same element type}}
    %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x64xf32>, tensor<64x64xi32>) -> tensor<64x64xf16>
    tt.return
  }
}

// -----

// gather_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32>, %i: tensor<64xi32>) {
    // expected-error @+1 {{requires an operand and indices of the same rank, but got 2 and 1}}
    %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x64xf32>, tensor<64xi32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

// gather_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32>, %i: tensor<64x64xi32>) {
    // expected-error @+1 {{axis 2 is out of bounds for the operand of rank 2; expected 0 to 1}}
    %0 = tt.gather %a[%i] {axis = 2 : i32} : (tensor<64x64xf32>, tensor<64x64xi32>) -> tensor<64x64xf32>
    tt.return
  }
}

// -----

// gather_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32>, %i: tensor<64x32xi32>) {
    // expected-error @+1 {{dimension 1 has size 64 in the operand and 32 in the indices; expected equal sizes except along axis 0}}
    %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x64xf32>, tensor<64x32xi32>) -> tensor<64x32xf32>
    tt.return
  }
}

// -----

// scaled_c12
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<1x4x256xbf16>, %s: tensor<4x32xi8>) {
    // expected-error @+1 {{requires two tensors of the same rank, but got `tensor<4x128xi8>` and `tensor<1x4x256xbf16>`}}
    %0 = amdg.scaled_downcast_fp4 %a scale %s {axis = 1 : i32} : tensor<1x4x256xbf16>, tensor<4x32xi8> -> tensor<4x128xi8>
    tt.return
  }
}

// -----

// scaled_c13
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8>, %s: tensor<4x32xi8>) {
    // expected-error @+1 {{; expected shape 4x256, which is twice the packed shape 4x128 along dimension 1}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 1 : i32} : tensor<4x128xi8>, tensor<4x32xi8> -> tensor<4x128xbf16>
    tt.return
  }
}

// -----

// unsplat_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<2xf32>) {
    // expected-error @+1 {{requires a tensor of one element, but `tensor<2xf32>` has 2}}
    %0 = tt.unsplat %a : tensor<2xf32>
    tt.return
  }
}
