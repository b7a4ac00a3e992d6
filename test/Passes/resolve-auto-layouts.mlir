// RUN: ll-opt --resolve-auto-layouts -split-input-file %s | FileCheck %s --implicit-check-not=gluon.
// RUN: ll-opt --resolve-auto-layouts -split-input-file %s > %t.once
// RUN: ll-opt --resolve-auto-layouts -split-input-file %t.once | diff %t.once -

// The layout of one value determines those of all related values. Triton's results are the same.

#rows = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-LABEL: tt.func @back_through_views
// CHECK: arith.constant dense<3> : tensor<32xi32, #ttg.slice<{dim = 1, parent = #[[$ROWS:.+]]}>>
// CHECK: tt.expand_dims %{{.+}} {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #[[$ROWS]]}>> -> tensor<32x1xi32, #[[$ROWS]]>
// CHECK: tt.broadcast %{{.+}} : tensor<32x1xi32, #[[$ROWS]]> -> tensor<32x64xi32, #[[$ROWS]]>
// CHECK: tt.return %{{.+}} : tensor<32x64xi32, #[[$ROWS]]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @back_through_views() -> tensor<32x64xi32, #rows> {
    %0 = arith.constant dense<3> : tensor<32xi32, #gluon.auto_encoding>
    %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<32xi32, #gluon.auto_encoding> -> tensor<32x1xi32, #gluon.auto_encoding>
    %2 = tt.broadcast %1 : tensor<32x1xi32, #gluon.auto_encoding> -> tensor<32x64xi32, #gluon.auto_encoding>
    %3 = gluon.set_auto_layout %2 : tensor<32x64xi32, #gluon.auto_encoding> -> tensor<32x64xi32, #rows>
    tt.return %3 : tensor<32x64xi32, #rows>
  }
}

// -----

// The conversion that stands there stays, and no other comes.
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @after_a_conversion
// CHECK-SAME: %[[X:.+]]: tensor<256xf32, #[[$PAIRS:.+]]>) -> tensor<256xf32, #[[$ONES:.+]]> {
// CHECK-NEXT: %[[C:.+]] = ttg.convert_layout %[[X]] : tensor<256xf32, #[[$PAIRS]]> -> tensor<256xf32, #[[$ONES]]>
// CHECK-NEXT: %[[S:.+]] = arith.mulf %[[C]], %[[C]] : tensor<256xf32, #[[$ONES]]>
// CHECK-NEXT: tt.return %[[S]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @after_a_conversion(%x: tensor<256xf32, #pairs>) -> tensor<256xf32, #ones> {
    %0 = ttg.convert_layout %x : tensor<256xf32, #pairs> -> tensor<256xf32, #gluon.auto_encoding>
    %1 = arith.mulf %0, %0 : tensor<256xf32, #gluon.auto_encoding>
    %2 = gluon.set_auto_layout %1 : tensor<256xf32, #gluon.auto_encoding> -> tensor<256xf32, #ones>
    tt.return %2 : tensor<256xf32, #ones>
  }
}

// -----

// Branches hand on; what only one branch says is known in the other, and of the result.
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @branches
// CHECK: %[[A:.+]] = arith.constant dense<1> : tensor<256xi32, #[[$PAIRS:.+]]>
// CHECK: %[[IF:.+]]:2 = scf.if %{{.+}} -> (tensor<256xi32, #[[$PAIRS]]>, tensor<256xi32, #[[$ONES:.+]]>)
// CHECK: tt.make_range {{.+}} : tensor<256xi32, #[[$ONES]]>
// CHECK: scf.yield %[[A]], %{{.+}} : tensor<256xi32, #[[$PAIRS]]>, tensor<256xi32, #[[$ONES]]>
// CHECK: arith.constant dense<0> : tensor<256xi32, #[[$ONES]]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @branches(%c: i1) -> tensor<256xi32, #pairs> {
    %0 = arith.constant dense<1> : tensor<256xi32, #gluon.auto_encoding>
    %1:2 = scf.if %c -> (tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>) {
      %3 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
      %4 = gluon.set_auto_layout %3 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #ones>
      scf.yield %0, %3 : tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>
    } else {
      %3 = arith.constant dense<0> : tensor<256xi32, #gluon.auto_encoding>
      scf.yield %0, %3 : tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>
    }
    %2 = gluon.set_auto_layout %1#0 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #pairs>
    tt.return %2 : tensor<256xi32, #pairs>
  }
}

// -----

// What loops carry has one layout; the two halves of an `scf.while` may hand on in another order.
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @loops
// CHECK: %[[R:.+]] = tt.make_range {{.+}} : tensor<256xi32, #[[$PAIRS:.+]]>
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %[[R]]) -> (tensor<256xi32, #[[$PAIRS]]>)
// CHECK: arith.muli %{{.+}}, %{{.+}} : tensor<256xi32, #[[$PAIRS]]>
// CHECK: scf.while (%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) : (tensor<256xi32, #[[$ONES:.+]]>, tensor<256xi32, #[[$PAIRS]]>) -> (tensor<256xi32, #[[$PAIRS]]>, tensor<256xi32, #[[$ONES]]>)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @loops(%n: i32, %c: i1) -> tensor<256xi32, #pairs> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    %1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0) -> (tensor<256xi32, #gluon.auto_encoding>) : i32 {
      %4 = arith.constant dense<2> : tensor<256xi32, #gluon.auto_encoding>
      %5 = arith.muli %x, %4 : tensor<256xi32, #gluon.auto_encoding>
      scf.yield %5 : tensor<256xi32, #gluon.auto_encoding>
    }
    %2 = arith.constant dense<5> : tensor<256xi32, #ones>
    %8 = tt.splat %n : i32 -> tensor<256xi32, #gluon.auto_encoding>
    %3:2 = scf.while (%x = %8, %y = %1) : (tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>) -> (tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>) {
      scf.condition(%c) %y, %x : tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>
    } do {
    ^bb0(%y: tensor<256xi32, #gluon.auto_encoding>, %x: tensor<256xi32, #gluon.auto_encoding>):
      scf.yield %x, %y : tensor<256xi32, #gluon.auto_encoding>, tensor<256xi32, #gluon.auto_encoding>
    }
    %6 = gluon.set_auto_layout %3#0 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #pairs>
    %7 = gluon.set_auto_layout %3#1 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #ones>
    tt.return %6 : tensor<256xi32, #pairs>
  }
}

// -----

// Blocks hand on to each other.
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @blocks
// CHECK: cf.cond_br %{{.+}}, ^bb1(%{{.+}} : tensor<256xi32, #[[$PAIRS:.+]]>), ^bb2(%{{.+}} : tensor<256xi32, #[[$PAIRS]]>)
// CHECK: ^bb1(%{{.+}}: tensor<256xi32, #[[$PAIRS]]>):
// CHECK: cf.br ^bb2(%{{.+}} : tensor<256xi32, #[[$PAIRS]]>)
// CHECK: ^bb2(%{{.+}}: tensor<256xi32, #[[$PAIRS]]>):
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @blocks(%c: i1) -> tensor<256xi32, #pairs> {
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    cf.cond_br %c, ^bb1(%0 : tensor<256xi32, #gluon.auto_encoding>), ^bb2(%0 : tensor<256xi32, #gluon.auto_encoding>)
  ^bb1(%x: tensor<256xi32, #gluon.auto_encoding>):
    %1 = arith.addi %x, %x : tensor<256xi32, #gluon.auto_encoding>
    cf.br ^bb2(%1 : tensor<256xi32, #gluon.auto_encoding>)
  ^bb2(%y: tensor<256xi32, #gluon.auto_encoding>):
    %2 = gluon.set_auto_layout %y : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #pairs>
    tt.return %2 : tensor<256xi32, #pairs>
  }
}

// -----

// Functions take and return what their callers do; Triton has them inlined before.
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func private @twice
// CHECK-SAME: %{{.+}}: tensor<256xi32, #[[$PAIRS:.+]]>) -> tensor<256xi32, #[[$PAIRS]]>
// CHECK-LABEL: tt.func @calls
// CHECK: tt.call @twice(%{{.+}}) : (tensor<256xi32, #[[$PAIRS]]>) -> tensor<256xi32, #[[$PAIRS]]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func private @twice(%x: tensor<256xi32, #gluon.auto_encoding>) -> tensor<256xi32, #gluon.auto_encoding> {
    %0 = arith.addi %x, %x : tensor<256xi32, #gluon.auto_encoding>
    tt.return %0 : tensor<256xi32, #gluon.auto_encoding>
  }
  tt.func @calls() -> tensor<256xi32, #pairs> {
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    %1 = tt.call @twice(%0) : (tensor<256xi32, #gluon.auto_encoding>) -> tensor<256xi32, #gluon.auto_encoding>
    %2 = gluon.set_auto_layout %1 : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #pairs>
    tt.return %2 : tensor<256xi32, #pairs>
  }
}

// -----

// A reduction settles what follows it, and is settled by it; to a number there is nothing to settle.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @reductions
// CHECK: %[[A:.+]] = arith.constant dense<1.000000e+00> : tensor<16x32xf32, #[[$ROWS:.+]]>
// CHECK: (tensor<16x32xf32, #[[$ROWS]]>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #[[$ROWS]]}>>
// CHECK: (tensor<16xf32, #ttg.slice<{dim = 1, parent = #[[$ROWS]]}>>) -> f32
// CHECK: %[[B:.+]] = arith.constant dense<2.000000e+00> : tensor<16x32xf32, #[[$ROWS]]>
// CHECK: (tensor<16x32xf32, #[[$ROWS]]>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #[[$ROWS]]}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @reductions() -> f32 {
    %0 = arith.constant dense<1.0> : tensor<16x32xf32, #gluon.auto_encoding>
    %1 = gluon.set_auto_layout %0 : tensor<16x32xf32, #gluon.auto_encoding> -> tensor<16x32xf32, #rows>
    %2 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x32xf32, #gluon.auto_encoding>) -> tensor<16xf32, #gluon.auto_encoding>
    %3 = "tt.reduce"(%2) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<16xf32, #gluon.auto_encoding>) -> f32
    %4 = arith.constant dense<2.0> : tensor<16x32xf32, #gluon.auto_encoding>
    %5 = "tt.reduce"(%4) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x32xf32, #gluon.auto_encoding>) -> tensor<32xf32, #gluon.auto_encoding>
    %6 = gluon.set_auto_layout %5 : tensor<32xf32, #gluon.auto_encoding> -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>
    tt.return %3 : f32
  }
}

// -----

// Through `tt.trans`, `tt.join`, `tt.split` and `tt.reshape` a layout follows, under the name that is asked for.
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$LINE:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$ROWS:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$DOWN:.+]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[$JOINED:.+]] = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @views
// CHECK: tt.make_range {{.+}} : tensor<512xi32, #[[$LINE]]>
// CHECK: tt.reshape %{{.+}} : tensor<512xi32, #[[$LINE]]> -> tensor<8x64xi32, #[[$ROWS]]>
// CHECK: tt.trans %{{.+}} : tensor<8x64xi32, #[[$ROWS]]> -> tensor<64x8xi32, #[[$DOWN]]>
// CHECK: tt.join %{{.+}} : tensor<512xi32, #[[$LINE]]> -> tensor<512x2xi32, #[[$JOINED]]>
// CHECK: tt.split %{{.+}} : tensor<512x2xi32, #[[$JOINED]]> -> tensor<512xi32, #[[$LINE]]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @views() -> tensor<8x64xi32, #rows> {
    %0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #gluon.auto_encoding>
    %1 = tt.reshape %0 : tensor<512xi32, #gluon.auto_encoding> -> tensor<8x64xi32, #gluon.auto_encoding>
    %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<8x64xi32, #gluon.auto_encoding> -> tensor<64x8xi32, #gluon.auto_encoding>
    %3 = tt.join %0, %0 : tensor<512xi32, #gluon.auto_encoding> -> tensor<512x2xi32, #gluon.auto_encoding>
    %4, %5 = tt.split %3 : tensor<512x2xi32, #gluon.auto_encoding> -> tensor<512xi32, #gluon.auto_encoding>
    %6 = gluon.set_auto_layout %0 : tensor<512xi32, #gluon.auto_encoding> -> tensor<512xi32, #line>
    %7 = gluon.set_auto_layout %1 : tensor<8x64xi32, #gluon.auto_encoding> -> tensor<8x64xi32, #rows>
    tt.return %7 : tensor<8x64xi32, #rows>
  }
}

// -----

// Between two conversions either side's layout would do: one of the conversions is then none. It is the one that
// costs less to keep: that of the bytes.
#pairs = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$PAIRS:.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$ONES:.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @between_conversions
// CHECK: ttg.convert_layout %{{.+}} : tensor<4096xi8, #[[$PAIRS]]> -> tensor<4096xi8, #[[$ONES]]>
// CHECK: ttg.convert_layout %{{.+}} : tensor<4096xi64, #[[$ONES]]> -> tensor<4096xi64, #[[$ONES]]>
// CHECK-LABEL: tt.func @between_conversions_the_other_way
// CHECK: ttg.convert_layout %{{.+}} : tensor<4096xi64, #[[$PAIRS]]> -> tensor<4096xi64, #[[$PAIRS]]>
// CHECK: ttg.convert_layout %{{.+}} : tensor<4096xi8, #[[$PAIRS]]> -> tensor<4096xi8, #[[$ONES]]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @between_conversions(%x: tensor<4096xi8, #pairs>) -> tensor<4096xi64, #ones> {
    %0 = ttg.convert_layout %x : tensor<4096xi8, #pairs> -> tensor<4096xi8, #gluon.auto_encoding>
    %1 = arith.extsi %0 : tensor<4096xi8, #gluon.auto_encoding> to tensor<4096xi64, #gluon.auto_encoding>
    %2 = ttg.convert_layout %1 : tensor<4096xi64, #gluon.auto_encoding> -> tensor<4096xi64, #ones>
    tt.return %2 : tensor<4096xi64, #ones>
  }
  tt.func @between_conversions_the_other_way(%x: tensor<4096xi64, #pairs>) -> tensor<4096xi8, #ones> {
    %0 = ttg.convert_layout %x : tensor<4096xi64, #pairs> -> tensor<4096xi64, #gluon.auto_encoding>
    %1 = arith.trunci %0 : tensor<4096xi64, #gluon.auto_encoding> to tensor<4096xi8, #gluon.auto_encoding>
    %2 = ttg.convert_layout %1 : tensor<4096xi8, #gluon.auto_encoding> -> tensor<4096xi8, #ones>
    tt.return %2 : tensor<4096xi8, #ones>
  }
}

// -----

// Memory is accessed as `coalesce` would have it, and all that goes with pointers, masks and values follows.
// CHECK: #[[$WIDE:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-LABEL: tt.func public @coalesced
// CHECK: %[[M:.+]] = arith.constant dense<true> : tensor<128x256xi1, #[[$WIDE]]>
// CHECK: tt.make_range {{.+}} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #[[$WIDE]]}>>
// CHECK: %[[V:.+]] = tt.load %[[P:.+]], %[[M]] : tensor<128x256x!tt.ptr<f32>, #[[$WIDE]]>
// CHECK: %[[E:.+]] = math.exp %[[V]] : tensor<128x256xf32, #[[$WIDE]]>
// CHECK: tt.store %{{.+}}, %[[E]] : tensor<128x256x!tt.ptr<f32>, #[[$WIDE]]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @coalesced(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %mask = arith.constant dense<true> : tensor<128x256xi1, #gluon.auto_encoding>
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<256xi32, #gluon.auto_encoding> -> tensor<1x256xi32, #gluon.auto_encoding>
    %2 = tt.broadcast %1 : tensor<1x256xi32, #gluon.auto_encoding> -> tensor<128x256xi32, #gluon.auto_encoding>
    %3 = tt.splat %in : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>
    %4 = tt.addptr %3, %2 : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<128x256xi32, #gluon.auto_encoding>
    %5 = gluon.set_auto_layout %4 : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %6 = gluon.set_auto_layout %mask : tensor<128x256xi1, #gluon.auto_encoding> -> tensor<128x256xi1, #gluon.coalesced_encoding>
    %7 = tt.load %5, %6 : tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %8 = math.exp %7 : tensor<128x256xf32, #gluon.coalesced_encoding>
    %9 = tt.splat %out : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>
    %10 = tt.addptr %9, %2 : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<128x256xi32, #gluon.auto_encoding>
    %11 = gluon.set_auto_layout %10 : tensor<128x256x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.store %11, %8 : tensor<128x256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.return
  }
}

// -----

// A constant of several elements keeps them.
#ones = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @list
// CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #{{.+}}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @list() -> tensor<4xi32, #ones> {
    %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #gluon.auto_encoding>
    %1 = gluon.set_auto_layout %0 : tensor<4xi32, #gluon.auto_encoding> -> tensor<4xi32, #ones>
    tt.return %1 : tensor<4xi32, #ones>
  }
}

// -----

// An encoding of another system settles as any does; where it has another name on this shape, the name is all that is converted.
// CHECK-LABEL: tt.func @other_systems
// CHECK: %[[X:.+]] = arith.constant dense<1> : tensor<16x8xi32,
// CHECK-NEXT: %[[Y:.+]] = arith.addi %[[X]], %[[X]] : tensor<16x8xi32,
#mma = #tilus.register<"local(2, 1).spatial(8, 4).local(1, 2)">
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @other_systems() -> tensor<16x8xi32, #mma> {
    %0 = arith.constant dense<1> : tensor<16x8xi32, #gluon.auto_encoding>
    %1 = arith.addi %0, %0 : tensor<16x8xi32, #gluon.auto_encoding>
    %2 = gluon.set_auto_layout %1 : tensor<16x8xi32, #gluon.auto_encoding> -> tensor<16x8xi32, #mma>
    tt.return %2 : tensor<16x8xi32, #mma>
  }
}

// -----

// CHECK-LABEL: tt.func @of_threads_and_values
// CHECK: arith.constant dense<1> : tensor<16x8xi32,
#tv = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @of_threads_and_values() -> tensor<16x8xi32, #tv> {
    %0 = arith.constant dense<1> : tensor<16x8xi32, #gluon.auto_encoding>
    %1 = gluon.set_auto_layout %0 : tensor<16x8xi32, #gluon.auto_encoding> -> tensor<16x8xi32, #tv>
    tt.return %1 : tensor<16x8xi32, #tv>
  }
}
