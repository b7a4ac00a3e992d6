// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of operations whose region combines or maps elements.

// elementwise_inline_asm_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<2xf32>) {
    // expected-error @+1 {{`packed_element` is 4; expected a divisor of 2, the number of elements in `tensor<2xf32>`}}
    %0 = tt.elementwise_inline_asm "x" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %a : tensor<2xf32> -> tensor<2xf32>
    tt.return
  }
}

// -----

// map_elementwise_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32>) {
    // expected-error @+1 {{requires a power of two as `pack`, but got 3}}
    %0 = "tt.map_elementwise"(%a) <{pack = 3 : i32}> ({
    ^bb0(%x0: f32, %x1: f32, %x2: f32):
      tt.map_elementwise.return %x0, %x1, %x2 : f32, f32, f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

// map_elementwise_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32>) {
    // expected-error @+1 {{'tt.map_elementwise' op region arguments are (f32, f16), expected (f32, f32)}}
    %0 = "tt.map_elementwise"(%a) <{pack = 2 : i32}> ({
    ^bb0(%x0: f32, %x1: f16):
      tt.map_elementwise.return %x0, %x0 : f32, f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

// map_elementwise_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32>) {
    // expected-error @+1 {{'tt.map_elementwise' op region yields (f32), expected (f32, f32)}}
    %0 = "tt.map_elementwise"(%a) <{pack = 2 : i32}> ({
    ^bb0(%x0: f32, %x1: f32):
      tt.map_elementwise.return %x0 : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

// map_elementwise_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
    // expected-error @+1 {{region must not write to memory, but contains a `tt.store`}}
    %0 = "tt.map_elementwise"(%a, %v) <{pack = 1 : i32}> ({
    ^bb0(%x: !tt.ptr<f32>, %y: f32):
      tt.store %x, %y : !tt.ptr<f32>
      tt.map_elementwise.return %y : f32
    }) : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

// reduce_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32>) {
    // expected-error @+1 {{has 2 results for 1 operands; expected as many results as operands}}
    %0:2 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      tt.reduce.return %x : f32
    }) : (tensor<64xf32>) -> (f32, f32)
    tt.return
  }
}

// -----

// scan_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32>) {
    // expected-error @+1 {{has 2 results for 1 operands; expected as many results as operands}}
    %0:2 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%x: f32, %y: f32):
      tt.scan.return %x : f32
    }) : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
    tt.return
  }
}

// -----

// scan_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32>) {
    // expected-error @+1 {{expected a result of type `tensor<64xf32>`, but got `tensor<64xf16>`}}
    %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%x0: f32, %x1: f32):
      tt.scan.return %x0 : f32
    }) : (tensor<64xf32>) -> tensor<64xf16>
    tt.return
  }
}
