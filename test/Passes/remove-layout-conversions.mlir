// RUN: ll-opt --remove-layout-conversions=verify -split-input-file %s -o %t.mlir && FileCheck %s --input-file=%t.mlir

// A second run changes nothing.
// RUN: ll-opt --remove-layout-conversions=verify -split-input-file %t.mlir | diff %t.mlir -
// Nor does the proof, which all passes that change layouts only can be asked for, change anything.
// RUN: ll-opt --verify-layout-rewrites --remove-layout-conversions -split-input-file %s | diff %t.mlir -

// Values between two accesses with the same layout are computed in it.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @in_one_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[X:.+]] = tt.load {{.+}} {my.note = 1 : i32}
  // CHECK: %[[K:.+]] = arith.constant dense<2.000000e+00> : tensor<64x64xf32, #blocked>
  // CHECK: %[[Y:.+]] = arith.mulf %[[X]], %[[K]] {my.note = 2 : i32}
  // CHECK: tt.store %{{.+}}, %[[Y]]
  tt.func @in_one_layout(%p: tensor<64x64x!tt.ptr<f32>, #rows>) {
    %x = tt.load %p {my.note = 1 : i32} : tensor<64x64x!tt.ptr<f32>, #rows>
    %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %k = arith.constant dense<2.0> : tensor<64x64xf32, #columns>
    %y = arith.mulf %c, %k {my.note = 2 : i32} : tensor<64x64xf32, #columns>
    %r = ttg.convert_layout %y : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// A value with two anchors is converted where it is narrow: after it is compared, and once for both users.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @two_anchors
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: %[[T:.+]] = arith.truncf %[[X]] : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
  // CHECK: %[[C:.+]] = ttg.convert_layout %[[T]] : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked1>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store %{{.+}}, %[[C]]
  // CHECK: tt.store %{{.+}}, %[[C]]
  tt.func @two_anchors(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f16>, #columns>, %r: tensor<64x64x!tt.ptr<f16>, #columns>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %d = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %t = arith.truncf %c : tensor<64x64xf32, #columns> to tensor<64x64xf16, #columns>
    tt.store %q, %t : tensor<64x64x!tt.ptr<f16>, #columns>
    tt.store %r, %t : tensor<64x64x!tt.ptr<f16>, #columns>
    tt.return
  }
}

// -----

// What a conversion of a changed address gives is not what one of the first address gave.
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @changed_address
  // CHECK: %[[STEP:.+]] = arith.constant dense<256> : tensor<256xi32, #blocked>
  // CHECK: %[[I:.+]] = tt.make_range {{.+}} : tensor<256xi32, #blocked>
  // CHECK: %[[P:.+]] = tt.splat {{.+}} -> tensor<256x!tt.ptr<f32>, #blocked>
  // CHECK: %[[A:.+]] = tt.addptr %[[P]], %[[I]]
  // CHECK: %[[X:.+]] = tt.load %[[A]]
  // CHECK: %[[B:.+]] = tt.addptr %[[A]], %[[STEP]]
  // CHECK: %[[Y:.+]] = tt.load %[[B]]
  // CHECK: arith.addf %[[X]], %[[Y]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @changed_address(%base: !tt.ptr<f32>) -> tensor<256xf32, #pairs> {
    %step = arith.constant dense<256> : tensor<256xi32, #rows>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #rows>
    %p = tt.splat %base : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #rows>
    %a = tt.addptr %p, %i : tensor<256x!tt.ptr<f32>, #rows>, tensor<256xi32, #rows>
    %ca = ttg.convert_layout %a : tensor<256x!tt.ptr<f32>, #rows> -> tensor<256x!tt.ptr<f32>, #pairs>
    %x = tt.load %ca : tensor<256x!tt.ptr<f32>, #pairs>
    %b = tt.addptr %a, %step : tensor<256x!tt.ptr<f32>, #rows>, tensor<256xi32, #rows>
    %cb = ttg.convert_layout %b : tensor<256x!tt.ptr<f32>, #rows> -> tensor<256x!tt.ptr<f32>, #pairs>
    %y = tt.load %cb : tensor<256x!tt.ptr<f32>, #pairs>
    %s = arith.addf %x, %y : tensor<256xf32, #pairs>
    tt.return %s : tensor<256xf32, #pairs>
  }
}

// -----

// Two yields of one value: both branches give it in the layout that is wanted.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @two_yields
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.if {{.+}} -> (tensor<64x64xf32, #blocked>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @two_yields(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %c: i1) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %cx = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %v = scf.if %c -> (tensor<64x64xf32, #columns>) {
      %a = arith.addf %cx, %cx : tensor<64x64xf32, #columns>
      scf.yield %a : tensor<64x64xf32, #columns>
    } else {
      scf.yield %cx : tensor<64x64xf32, #columns>
    }
    %r = ttg.convert_layout %v : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// Where one branch has to convert, it alone does.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @one_branch
  // CHECK: scf.if {{.+}} -> (tensor<64x64xf32, #blocked>)
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: else
  // CHECK-NEXT: %[[Y:.+]] = tt.load {{.+}} : tensor<64x64x!tt.ptr<f32>, #blocked1>
  // CHECK-NEXT: %[[C:.+]] = ttg.convert_layout %[[Y]] : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked>
  // CHECK-NEXT: scf.yield %[[C]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @one_branch(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>, %c: i1) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %v = scf.if %c -> (tensor<64x64xf32, #columns>) {
      %cx = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      scf.yield %cx : tensor<64x64xf32, #columns>
    } else {
      %y = tt.load %q : tensor<64x64x!tt.ptr<f32>, #columns>
      scf.yield %y : tensor<64x64xf32, #columns>
    }
    %r = ttg.convert_layout %v : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// A value goes round through views that change its layout each time.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @cycle_of_views
  // CHECK: scf.for
  // CHECK-COUNT-1: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @cycle_of_views(%p: tensor<32x32x!tt.ptr<f32>, #rows>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #rows>
    %v = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<32x32xf32, #rows>) : i32 {
      %flat = tt.reshape %a : tensor<32x32xf32, #rows> -> tensor<16x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>>
      %turned = tt.trans %flat {order = array<i32: 1, 0>} : tensor<16x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<64x16xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>>
      %c = ttg.convert_layout %turned : tensor<64x16xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<64x16xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
      %back = tt.reshape %c : tensor<64x16xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<32x32xf32, #rows>
      scf.yield %back : tensor<32x32xf32, #rows>
    }
    tt.store %p, %v : tensor<32x32x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// A `scf.while` yields more values than it has results.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @while_yields_more
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.while ({{.+}}) : (tensor<64x64xf32, #blocked>, i32, tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @while_yields_more(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %cx = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %v = scf.while (%a = %cx, %i = %zero, %b = %cx) : (tensor<64x64xf32, #columns>, i32, tensor<64x64xf32, #columns>) -> tensor<64x64xf32, #columns> {
      %s = arith.addf %a, %b : tensor<64x64xf32, #columns>
      %go = arith.cmpi slt, %i, %n : i32
      scf.condition(%go) %s : tensor<64x64xf32, #columns>
    } do {
    ^bb0(%s: tensor<64x64xf32, #columns>):
      %m = arith.mulf %s, %s : tensor<64x64xf32, #columns>
      scf.yield %s, %n, %m : tensor<64x64xf32, #columns>, i32, tensor<64x64xf32, #columns>
    }
    %r = ttg.convert_layout %v : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return
  }
}

// -----

// A conversion of what does not change in a loop stands before the loop, which may run zero times: it costs little
// then, and does nothing wrong.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @zero_rounds
  // CHECK: %[[X:.+]] = tt.load
  // CHECK: %[[C:.+]] = ttg.convert_layout %[[X]]
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: arith.addf %{{.+}}, %[[C]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func @zero_rounds(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    scf.for %i = %zero to %n step %one : i32 {
      %y = tt.load %q : tensor<64x64x!tt.ptr<f32>, #columns>
      %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
      %s = arith.addf %y, %c : tensor<64x64xf32, #columns>
      tt.store %q, %s : tensor<64x64x!tt.ptr<f32>, #columns>
    }
    tt.return
  }
}

// -----

// An operation of another dialect, a forced shuffle and a call keep what they have.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @kept
  // CHECK: %[[C:.+]] = ttg.convert_layout
  // CHECK: %[[U:.+]] = builtin.unrealized_conversion_cast %[[C]] : tensor<64x64xf32, #blocked1> to tensor<64x64xi32, #blocked1>
  // CHECK: %[[D:.+]] = ttg.convert_layout %[[U]] : tensor<64x64xi32, #blocked1> -> tensor<64x64xi32, #blocked>
  // CHECK: tt.store %{{.+}}, %[[D]]
  tt.func @kept(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<i32>, #rows>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %c = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %u = builtin.unrealized_conversion_cast %c : tensor<64x64xf32, #columns> to tensor<64x64xi32, #columns>
    %d = ttg.convert_layout %u : tensor<64x64xi32, #columns> -> tensor<64x64xi32, #rows>
    tt.store %q, %d : tensor<64x64x!tt.ptr<i32>, #rows>
    tt.return
  }
}
