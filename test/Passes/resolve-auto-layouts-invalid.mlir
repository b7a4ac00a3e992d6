// RUN: ll-opt --resolve-auto-layouts %s -split-input-file -verify-diagnostics

// Conflicting layouts, and layouts that are not determined.

#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @conflict() -> (tensor<256xi32, #ones>, tensor<256xi32, #pairs>) {
    // expected-error-re @+4 {{found conflicting encodings for `tensor<256xi32, #gluon.auto_encoding>`: `#ttg.blocked<{sizePerThread = [1]{{.*}}` and `#ttg.blocked<{sizePerThread = [2]{{.*}}`}}
    // expected-note-re @+3 {{`gluon.set_auto_layout` at {{.*}}:14:10 requires `#ttg.blocked<{sizePerThread = [1]{{.*}}`}}
    // expected-note-re @+2 {{`gluon.set_auto_layout` at {{.*}}:15:10 requires `#ttg.blocked<{sizePerThread = [2]{{.*}}`}}
    // expected-note @+1 {{compute the value once per layout, or convert the value with `ttg.convert_layout`}}
    %0 = arith.constant dense<7> : tensor<256xi32, #gluon.auto_encoding>
    %1 = gluon.set_auto_layout %0 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #ones>
    %2 = gluon.set_auto_layout %0 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #pairs>
    tt.return %1, %2 : tensor<256xi32, #ones>, tensor<256xi32, #pairs>
  }
}

// -----

// One layout, under two names.
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#bases = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @two_names() {
    // expected-error @+4 {{found conflicting encodings}}
    // expected-note @+3 {{`#ttg.blocked<}}
    // expected-note @+2 {{`#ttg.linear<}}
    // expected-note @+1 {{both encodings are the same layout: use one of them}}
    %0 = arith.constant dense<7> : tensor<128xi32, #gluon.auto_encoding>
    %1 = gluon.set_auto_layout %0 : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #ones>
    %2 = gluon.set_auto_layout %0 : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #bases>
    tt.return
  }
}

// -----

// The layout of the result of a view conflicts with that of its operand.
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @across_a_view() {
    %0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #gluon.auto_encoding>
    // expected-error-re @+4 {{found conflicting encodings: operand 0 has `#ttg.blocked<{sizePerThread = [1]{{.*}}`, and the result has `#ttg.blocked<{sizePerThread = [1, 4]{{.*}}`}}
    // expected-note @+3 {{the encoding of the operand implies `#ttg.}}
    // expected-note-re @+2 {{`gluon.set_auto_layout` at {{.*}} requires `#ttg.blocked<{sizePerThread = [1], {{.*}}`}}
    // expected-note-re @+1 {{`gluon.set_auto_layout` at {{.*}} requires `#ttg.blocked<{sizePerThread = [1, 4], {{.*}}`}}
    %1 = tt.reshape %0 : tensor<512xi32, #gluon.auto_encoding> -> tensor<8x64xi32, #gluon.auto_encoding>
    %2 = gluon.set_auto_layout %0 : tensor<512xi32, #gluon.auto_encoding> -> tensor<512xi32, #ones>
    %3 = gluon.set_auto_layout %1 : tensor<8x64xi32, #gluon.auto_encoding> -> tensor<8x64xi32, #rows>
    tt.return
  }
}

// -----

// A dimension is added to a slice.
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @no_slice() {
    // expected-error @+4 {{found conflicting encodings for `tensor<128xi32, #gluon.auto_encoding>`}}
    // expected-note @+3 {{`#ttg.blocked<}}
    // expected-note @+2 {{`#ttg.slice<}}
    // expected-note @+1 {{compute the value once per layout, or convert the value with `ttg.convert_layout`}}
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<128xi32, #gluon.auto_encoding> -> tensor<1x128xi32, #gluon.auto_encoding>
    %2 = gluon.set_auto_layout %0 : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #ones>
    %3 = gluon.set_auto_layout %1 : tensor<1x128xi32, #gluon.auto_encoding> -> tensor<1x128xi32, #rows>
    tt.return
  }
}

// -----

// Two calls ask for two layouts of one argument.
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func private @id(%x: tensor<256xi32, #gluon.auto_encoding>) -> tensor<256xi32, #gluon.auto_encoding> {
    tt.return %x : tensor<256xi32, #gluon.auto_encoding>
  }
  tt.func @calls() {
    %0 = arith.constant dense<7> : tensor<256xi32, #gluon.auto_encoding>
    %1 = tt.call @id(%0) : (tensor<256xi32, #gluon.auto_encoding>) -> tensor<256xi32, #gluon.auto_encoding>
    // expected-error @+4 {{found conflicting encodings}}
    // expected-note @+3 {{`#ttg.blocked<{sizePerThread = [1],}}
    // expected-note @+2 {{`#ttg.blocked<{sizePerThread = [2],}}
    // expected-note @+1 {{compute the value once per layout, or convert the value with `ttg.convert_layout`}}
    %2 = tt.call @id(%0) : (tensor<256xi32, #gluon.auto_encoding>) -> tensor<256xi32, #gluon.auto_encoding>
    %3 = gluon.set_auto_layout %1 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #ones>
    %4 = gluon.set_auto_layout %2 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #pairs>
    tt.return
  }
}

// -----

// Nothing says which layout is meant: one error for all that goes together.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @nothing_said(%p: !tt.ptr<i32>) {
    // expected-error @+2 {{cannot infer the layout of the result: `tensor<32xi32, #gluon.auto_encoding>`}}
    // expected-note @+1 {{set the layout of this value, or of a value computed from it, with `gluon.set_auto_layout`}}
    %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #gluon.auto_encoding>
    %1 = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #gluon.auto_encoding>
    %2 = tt.addptr %1, %0 : tensor<32x!tt.ptr<i32>, #gluon.auto_encoding>, tensor<32xi32, #gluon.auto_encoding>
    tt.store %2, %0 : tensor<32x!tt.ptr<i32>, #gluon.auto_encoding>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // expected-error @+2 {{cannot infer the layout of argument 1}}
  // expected-note @+1 {{set the layout of this value, or of a value computed from it, with `gluon.set_auto_layout`}}
  tt.func @argument(%n: i32, %x: tensor<32xi32, #gluon.auto_encoding>) {
    tt.return
  }
}

// -----

// No memory is accessed in this layout.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @no_access() {
    // expected-error @+2 {{cannot infer the layout of the result: `tensor<32xi32, #gluon.coalesced_encoding>`}}
    // expected-note @+1 {{use the pointers in a load, store or atomic operation, which determines the layout}}
    %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #gluon.coalesced_encoding>
    tt.return
  }
}

// -----

// A load of four elements goes into a store of two.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @widths(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %0 = arith.constant dense<0> : tensor<128x256xi32, #gluon.auto_encoding>
    %1 = tt.splat %in : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>
    %2 = tt.addptr %1, %0 {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[4, 16]> : tensor<2xi32>} : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<128x256xi32, #gluon.auto_encoding>
    %3 = gluon.set_auto_layout %2 : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %4 = tt.load %3 : tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %5 = tt.splat %out : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>
    %6 = tt.addptr %5, %0 {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[4, 8]> : tensor<2xi32>} : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<128x256xi32, #gluon.auto_encoding>
    // expected-error-re @+4 {{found conflicting encodings for `tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>`: `#ttg.blocked<{sizePerThread = [1, 4]{{.*}}` and `#ttg.blocked<{sizePerThread = [1, 2]{{.*}}`}}
    // expected-note-re @+3 {{`tt.load` at {{.*}} requires `#ttg.blocked<{sizePerThread = [1, 4]{{.*}}`}}
    // expected-note-re @+2 {{`tt.store` at {{.*}} requires `#ttg.blocked<{sizePerThread = [1, 2]{{.*}}`}}
    // expected-note @+1 {{compute the value once per layout, or convert the value with `ttg.convert_layout`}}
    %7 = gluon.set_auto_layout %6 : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.store %7, %4 : tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.return
  }
}
