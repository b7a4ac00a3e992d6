// A loaded tile is the left operand of a product, its transpose is the right one, and its elements are summed: all three
// read one slot, which no other buffer and no conversion copies.
// RUN: ll-opt --pass-pipeline='builtin.module(coalesce,choose-matrix-instructions,remove-layout-conversions{barrier-cost=130},reduce-data-duplication{only-cheaper=true},fold-layout-conversions,pipeline-loops{num-stages=3},canonicalize,cse)' %s | FileCheck %s
// RUN: ll-opt '--layout-pipeline=num-stages=3 lower=false' %s | FileCheck %s --check-prefix=JOINT
// RUN: ll-opt --layout-pipeline=num-stages=1 %s -o %t.1.mlir
// RUN: ll-opt --layout-pipeline=num-stages=3 %s -o %t.3.mlir
// RUN: ll-sim %t.1.mlir -q --arg x=random:f16:8192 --arg out=zeros:f32:4096 --arg sums=zeros:f32:64 --arg 4:i32 --dump out=%t.out1 --dump sums=%t.sums1
// RUN: ll-sim %t.3.mlir -q --arg x=random:f16:8192 --arg out=zeros:f32:4096 --arg sums=zeros:f32:64 --arg 4:i32 --dump out=%t.out3 --dump sums=%t.sums3 --arrival late
// RUN: cmp %t.out1 %t.out3
// RUN: cmp %t.sums1 %t.sums3

// CHECK-LABEL: @gram
// CHECK: [[SLOTS:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, [[SHARED:#shared[0-9]*]], #smem, mutable>
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local {{.*}}[[SHARED]]
// CHECK-NOT: ttg.local_alloc
// CHECK-NOT: ttg.convert_layout
// CHECK: [[SLOT:%.*]] = ttg.memdesc_index [[SLOTS]]
// CHECK-NOT: ttg.local_alloc
// CHECK-NOT: ttg.convert_layout
// CHECK: [[FLIPPED:%.*]] = ttg.memdesc_trans [[SLOT]] {order = array<i32: 1, 0>}
// CHECK-DAG: [[RIGHT:%.*]] = ttg.local_load [[FLIPPED]] {{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1
// CHECK-DAG: [[LEFT:%.*]] = ttg.local_load [[SLOT]] {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
// CHECK: tt.dot [[LEFT]], [[RIGHT]]
// CHECK: scf.yield

// JOINT-LABEL: @gram
// JOINT: scf.for
// JOINT-NOT: ttg.local_alloc
// JOINT-NOT: ttg.convert_layout
// JOINT: tt.dot
// JOINT: scf.yield
#tile = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #tile}>
#column = #ttg.slice<{dim = 0, parent = #tile}>
#left = #ttg.dot_op<{opIdx = 0, parent = #tile}>
#right = #ttg.dot_op<{opIdx = 1, parent = #tile}>
#flipped = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gram(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %sums: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #tile>
    %nothing = arith.constant dense<0.0> : tensor<64xf32, #row>
    %width = arith.constant dense<128> : tensor<64x1xi32, #tile>
    %next = arith.constant dense<32> : tensor<64x32xi32, #tile>
    %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %columns = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #column>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #tile>
    %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32, #column> -> tensor<1x32xi32, #tile>
    %above = arith.muli %r, %width : tensor<64x1xi32, #tile>
    %down = tt.broadcast %above : tensor<64x1xi32, #tile> -> tensor<64x32xi32, #tile>
    %across = tt.broadcast %c : tensor<1x32xi32, #tile> -> tensor<64x32xi32, #tile>
    %offsets = arith.addi %down, %across : tensor<64x32xi32, #tile>
    %base = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #tile>
    %first = tt.addptr %base, %offsets : tensor<64x32x!tt.ptr<f16>, #tile>, tensor<64x32xi32, #tile>
    %all:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %sum = %nothing, %at = %first) -> (tensor<64x64xf32, #tile>, tensor<64xf32, #row>, tensor<64x32x!tt.ptr<f16>, #tile>) : i32 {
      %loaded = tt.load %at : tensor<64x32x!tt.ptr<f16>, #tile>
      %trans = tt.trans %loaded {order = array<i32: 1, 0>} : tensor<64x32xf16, #tile> -> tensor<32x64xf16, #flipped>
      %a = ttg.convert_layout %loaded : tensor<64x32xf16, #tile> -> tensor<64x32xf16, #left>
      %b = ttg.convert_layout %trans : tensor<32x64xf16, #flipped> -> tensor<32x64xf16, #right>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #left> * tensor<32x64xf16, #right> -> tensor<64x64xf32, #tile>
      %wide = arith.extf %loaded : tensor<64x32xf16, #tile> to tensor<64x32xf32, #tile>
      %part = "tt.reduce"(%wide) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x32xf32, #tile>) -> tensor<64xf32, #row>
      %total = arith.addf %sum, %part : tensor<64xf32, #row>
      %further = tt.addptr %at, %next : tensor<64x32x!tt.ptr<f16>, #tile>, tensor<64x32xi32, #tile>
      scf.yield %d, %total, %further : tensor<64x64xf32, #tile>, tensor<64xf32, #row>, tensor<64x32x!tt.ptr<f16>, #tile>
    }
    %p = tt.splat %sums : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %q = tt.addptr %p, %rows : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
    tt.store %q, %all#1 : tensor<64x!tt.ptr<f32>, #row>
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    %u = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #tile}>>
    %o1 = tt.expand_dims %o {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<64x1xi32, #tile>
    %u1 = tt.expand_dims %u {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x64xi32, #tile>
    %stride = arith.constant dense<64> : tensor<64x1xi32, #tile>
    %o2 = arith.muli %o1, %stride : tensor<64x1xi32, #tile>
    %o3 = tt.broadcast %o2 : tensor<64x1xi32, #tile> -> tensor<64x64xi32, #tile>
    %u3 = tt.broadcast %u1 : tensor<1x64xi32, #tile> -> tensor<64x64xi32, #tile>
    %ou = arith.addi %o3, %u3 : tensor<64x64xi32, #tile>
    %v = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #tile>
    %w = tt.addptr %v, %ou : tensor<64x64x!tt.ptr<f32>, #tile>, tensor<64x64xi32, #tile>
    tt.store %w, %all#0 : tensor<64x64x!tt.ptr<f32>, #tile>
    tt.return
  }
}
