// RUN: ll-opt --fold-layout-conversions -split-input-file %s | FileCheck %s

// A conversion goes where what made its operand gives the layout by itself, or moves before it where it costs less
// there; beside each, what stays.

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The columns of the transposed tensor are its rows: the source of the conversion has the requested layout.
  // CHECK-LABEL: tt.func @trans
  // CHECK-SAME: (%[[X:.+]]: tensor<64x32xf32, #{{.+}}>)
  tt.func @trans(%x: tensor<64x32xf32, #rows>) -> tensor<32x64xf32, #columns> {
    // CHECK-NEXT: %[[T:.+]] = tt.trans %[[X]]
    // CHECK-NEXT: tt.return %[[T]]
    %0 = ttg.convert_layout %x : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #columns>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<64x32xf32, #columns> -> tensor<32x64xf32, #rows>
    %2 = ttg.convert_layout %1 : tensor<32x64xf32, #rows> -> tensor<32x64xf32, #columns>
    tt.return %2 : tensor<32x64xf32, #columns>
  }

  // One conversion before a view costs what it costs behind it.
  // CHECK-LABEL: tt.func @trans_of_argument
  tt.func @trans_of_argument(%x: tensor<64x32xf32, #rows>) -> tensor<32x64xf32, #rows> {
    // CHECK-NEXT: tt.trans
    // CHECK-NEXT: ttg.convert_layout
    // CHECK-NEXT: tt.return
    %1 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #rows> -> tensor<32x64xf32, #columns>
    %2 = ttg.convert_layout %1 : tensor<32x64xf32, #columns> -> tensor<32x64xf32, #rows>
    tt.return %2 : tensor<32x64xf32, #rows>
  }

  // 64 numbers move, not 64x64.
  // CHECK-LABEL: tt.func @broadcast
  // CHECK-SAME: (%[[X:.+]]: tensor
  tt.func @broadcast(%x: tensor<64xf32, #ttg.slice<{dim = 0, parent = #rows}>>) -> tensor<64x64xf32, #columns> {
    // CHECK-NEXT: %[[E:.+]] = tt.expand_dims %[[X]] {axis = 0 : i32}
    // CHECK-NEXT: %[[C:.+]] = ttg.convert_layout %[[E]] : tensor<1x64xf32, #{{.+}}> -> tensor<1x64xf32, #{{.+}}>
    // CHECK-NEXT: %[[B:.+]] = tt.broadcast %[[C]]
    // CHECK-NEXT: tt.return %[[B]]
    %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xf32, #rows>
    %1 = tt.broadcast %0 : tensor<1x64xf32, #rows> -> tensor<64x64xf32, #rows>
    %2 = ttg.convert_layout %1 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return %2 : tensor<64x64xf32, #columns>
  }

  // Ranges, splats and constants are created in the requested layout, with their attributes.
  // CHECK-LABEL: tt.func @made_again
  tt.func @made_again(%x: f32) -> (tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>>, tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>) {
    // CHECK-NOT: ttg.convert_layout
    // CHECK-DAG: tt.make_range {end = 64 : i32, my.note, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1,
    // CHECK-DAG: tt.splat
    // CHECK-DAG: arith.constant {my.note} dense<1.0
    // CHECK: tt.return
    %0 = tt.make_range {end = 64 : i32, my.note, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %1 = ttg.convert_layout %0 : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>>
    %2 = tt.splat %x : f32 -> tensor<64x64xf32, #rows>
    %3 = ttg.convert_layout %2 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %4 = arith.constant {my.note} dense<1.0> : tensor<64x64xf32, #rows>
    %5 = ttg.convert_layout %4 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return %1, %3, %5 : tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>>, tensor<64x64xf32, #columns>, tensor<64x64xf32, #columns>
  }

  // Arithmetic on data is not done again here.
  // CHECK-LABEL: tt.func @arithmetic
  tt.func @arithmetic(%x: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #columns> {
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: ttg.convert_layout
    %0 = arith.addf %x, %x : tensor<64x64xf32, #rows>
    %1 = ttg.convert_layout %0 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return %1 : tensor<64x64xf32, #columns>
  }

  // The same conversion is made once, before the branch in which it is used as well as behind it.
  // CHECK-LABEL: tt.func @twice
  tt.func @twice(%x: tensor<64x64xf32, #rows>, %c: i1) -> tensor<64x64xf32, #columns> {
    // CHECK-NEXT: ttg.convert_layout
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: arith.mulf
    // CHECK-NEXT: scf.yield
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.return
    %0 = scf.if %c -> tensor<64x64xf32, #columns> {
      %a = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      %b = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      %d = arith.mulf %a, %b : tensor<64x64xf32, #columns>
      scf.yield %d : tensor<64x64xf32, #columns>
    } else {
      %e = arith.constant dense<0.0> : tensor<64x64xf32, #columns>
      scf.yield %e : tensor<64x64xf32, #columns>
    }
    %1 = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %2 = arith.addf %0, %1 : tensor<64x64xf32, #columns>
    tt.return %2 : tensor<64x64xf32, #columns>
  }

  // Unused loop-carried values are not converted; used ones are.
  // CHECK-LABEL: tt.func @carried
  tt.func @carried(%x: tensor<64x64xf32, #rows>, %y: tensor<64x64xf32, #rows>, %n: i32) -> tensor<64x64xf32, #rows> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for
    // CHECK-SAME: iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}})
    // CHECK-NEXT: %[[S:.+]] = ttg.convert_layout %[[B]]
    // CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[S]]
    // CHECK-NEXT: %[[U:.+]] = ttg.convert_layout %[[T]]
    // CHECK-NEXT: scf.yield %[[A]], %[[U]]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<64x64xf32, #rows>, tensor<64x64xf32, #rows>) : i32 {
      %0 = ttg.convert_layout %a : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      %1 = arith.addf %0, %0 : tensor<64x64xf32, #columns>
      %2 = ttg.convert_layout %1 : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
      %3 = ttg.convert_layout %b : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      %4 = arith.addf %3, %3 : tensor<64x64xf32, #columns>
      %5 = ttg.convert_layout %4 : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
      scf.yield %2, %5 : tensor<64x64xf32, #rows>, tensor<64x64xf32, #rows>
    }
    tt.return %r#1 : tensor<64x64xf32, #rows>
  }
}

// -----

// Memory: what loads and stores a layout as well as another does so.

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @load
  tt.func @load(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<16x128xf32, #b> {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: %[[V:.+]] = tt.load %{{.+}} {my.note} : tensor<16x128x!tt.ptr<f32>, #[[B:.+]]>
    // CHECK-NEXT: tt.return %[[V]] : tensor<16x128xf32, #[[B]]>
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x128xi32, #a>
    %2 = tt.splat %p : !tt.ptr<f32> -> tensor<1x128x!tt.ptr<f32>, #a>
    %3 = tt.addptr %2, %1 : tensor<1x128x!tt.ptr<f32>, #a>, tensor<1x128xi32, #a>
    %4 = tt.broadcast %3 : tensor<1x128x!tt.ptr<f32>, #a> -> tensor<16x128x!tt.ptr<f32>, #a>
    %5 = tt.load %4 {my.note} : tensor<16x128x!tt.ptr<f32>, #a>
    %6 = ttg.convert_layout %5 : tensor<16x128xf32, #a> -> tensor<16x128xf32, #b>
    tt.return %6 : tensor<16x128xf32, #b>
  }

  // Down the columns every lane would touch a sector of its own.
  // CHECK-LABEL: tt.func @load_transposed
  tt.func @load_transposed(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<16x128xf32, #t> {
    // CHECK: %[[V:.+]] = tt.load
    // CHECK-NEXT: ttg.convert_layout %[[V]]
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x128xi32, #a>
    %2 = tt.splat %p : !tt.ptr<f32> -> tensor<1x128x!tt.ptr<f32>, #a>
    %3 = tt.addptr %2, %1 : tensor<1x128x!tt.ptr<f32>, #a>, tensor<1x128xi32, #a>
    %4 = tt.broadcast %3 : tensor<1x128x!tt.ptr<f32>, #a> -> tensor<16x128x!tt.ptr<f32>, #a>
    %5 = tt.load %4 : tensor<16x128x!tt.ptr<f32>, #a>
    %6 = ttg.convert_layout %5 : tensor<16x128xf32, #a> -> tensor<16x128xf32, #t>
    tt.return %6 : tensor<16x128xf32, #t>
  }

  // CHECK-LABEL: tt.func @store
  // CHECK-SAME: (%[[X:.+]]: tensor<16x128xf32, #[[B:.+]]>, %
  tt.func @store(%x: tensor<16x128xf32, #b>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.store %{{.+}}, %[[X]] {my.note} : tensor<16x128x!tt.ptr<f32>, #[[B]]>
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x128xi32, #a>
    %2 = tt.splat %p : !tt.ptr<f32> -> tensor<1x128x!tt.ptr<f32>, #a>
    %3 = tt.addptr %2, %1 : tensor<1x128x!tt.ptr<f32>, #a>, tensor<1x128xi32, #a>
    %4 = tt.broadcast %3 : tensor<1x128x!tt.ptr<f32>, #a> -> tensor<16x128x!tt.ptr<f32>, #a>
    %5 = ttg.convert_layout %x : tensor<16x128xf32, #b> -> tensor<16x128xf32, #a>
    tt.store %4, %5 {my.note} : tensor<16x128x!tt.ptr<f32>, #a>
    tt.return
  }

  // CHECK-LABEL: tt.func @buffer
  // CHECK-SAME: (%[[X:.+]]: tensor<16x128xf32
  tt.func @buffer(%x: tensor<16x128xf32, #a>, %m: !ttg.memdesc<16x128xf32, #shared, #smem, mutable>) -> tensor<16x128xf32, #b> {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: ttg.local_store %[[X]]
    // CHECK: ttg.local_alloc %[[X]]
    // CHECK: %[[V:.+]] = ttg.local_load %{{.+}} -> tensor<16x128xf32, #[[B:.+]]>
    // CHECK: tt.return %[[V]] : tensor<16x128xf32, #[[B]]>
    %0 = ttg.convert_layout %x : tensor<16x128xf32, #a> -> tensor<16x128xf32, #b>
    ttg.local_store %0, %m : tensor<16x128xf32, #b> -> !ttg.memdesc<16x128xf32, #shared, #smem, mutable>
    %1 = ttg.local_alloc %0 : (tensor<16x128xf32, #b>) -> !ttg.memdesc<16x128xf32, #shared, #smem>
    %2 = ttg.local_load %1 : !ttg.memdesc<16x128xf32, #shared, #smem> -> tensor<16x128xf32, #a>
    %3 = ttg.convert_layout %2 : tensor<16x128xf32, #a> -> tensor<16x128xf32, #b>
    tt.return %3 : tensor<16x128xf32, #b>
  }
}
