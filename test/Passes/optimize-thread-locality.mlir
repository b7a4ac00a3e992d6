// RUN: ll-opt --optimize-thread-locality -split-input-file %s -o %t.mlir && FileCheck %s --input-file=%t.mlir

// A second run changes nothing.
// RUN: ll-opt --optimize-thread-locality -split-input-file %t.mlir | diff %t.mlir -

// Accumulation within threads equals accumulation element by element with a final reduction, for both vendors.
// RUN: ll-opt --optimize-thread-locality --convert-layouts-to-llvm=target=cuda:90 -split-input-file %S/Inputs/accumulated.mlir -o %t.llvm.mlir
// RUN: ll-sim %t.llvm.mlir --entry sum --arg x=random:i32:4096 --arg out=zeros:i32:16 --arg want=zeros:i32:16 --arg 4:i32 --expect-same out=want
// RUN: ll-sim %t.llvm.mlir --entry sum --arg x=random:i32:4096 --arg out=zeros:i32:16 --arg want=zeros:i32:16 --arg 0:i32 --expect-same out=want
// RUN: ll-sim %t.llvm.mlir --entry most --arg x=random:f32:4096 --arg out=zeros:f32:16 --arg want=zeros:f32:16 --arg 4:i32 --expect-same out=want
// RUN: ll-opt --optimize-thread-locality %S/Inputs/accumulated.mlir | FileCheck %s --check-prefix=INSIDE

// Each thread adds up what it loads; they meet behind the loop.
// INSIDE-LABEL: tt.func public @sum
// INSIDE: %[[R:.+]]:3 = scf.for {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<16x16xi32
// INSIDE: tt.reshape %{{.+}} : tensor<16x64xi32, #{{.+}}> -> tensor<16x2x16x2xi32
// INSIDE-NEXT: tt.trans %{{.+}} {order = array<i32: 0, 2, 1, 3>}
// INSIDE-NEXT: %[[V:.+]] = tt.reshape %{{.+}} -> tensor<16x16x4xi32
// INSIDE-NEXT: %[[S:.+]] = "tt.reduce"(%[[V]]) <{axis = 2 : i32}>
// INSIDE: arith.addi %[[ACC]], %[[S]] : tensor<16x16xi32
// INSIDE: }
// INSIDE: %[[ALL:.+]] = "tt.reduce"(%[[R]]#0) <{axis = 1 : i32}>
// INSIDE: arith.addi %{{.+}}, %{{.+}} : tensor<16xi32

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rest = #ttg.slice<{dim = 1, parent = #rows}>
#flat = #ttg.linear<{register = [[128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
// CHECK-DAG: #[[$ROWS:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$OWN:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A view that may reorder gives each row to one thread.
  // CHECK-LABEL: tt.func @reordered
  tt.func @reordered(%x: tensor<2048xf32, #line>) -> tensor<128xf32, #rest> {
    // CHECK: %[[V:.+]] = tt.reshape %{{.+}} allow_reorder efficient_layout : tensor<2048xf32, #{{.+}}> -> tensor<128x16xf32, #[[$OWN]]>
    // CHECK: ttg.convert_layout %[[V]] : tensor<128x16xf32, #[[$OWN]]> -> tensor<128x16xf32, #[[$ROWS]]>
    %0 = tt.reshape %x allow_reorder : tensor<2048xf32, #line> -> tensor<128x16xf32, #rows>
    %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tt.reduce.return %s : f32
    }) : (tensor<128x16xf32, #rows>) -> tensor<128xf32, #rest>
    tt.return %1 : tensor<128xf32, #rest>
  }

  // One that may not, keeps its elements where they are.
  // CHECK-LABEL: tt.func @in_order
  tt.func @in_order(%x: tensor<2048xf32, #flat>) -> tensor<128xf32, #rest> {
    // CHECK-NEXT: %[[V:.+]] = tt.reshape %{{.+}} : tensor<2048xf32, #{{.+}}> -> tensor<128x16xf32, #[[$ROWS]]>
    // CHECK-NEXT: "tt.reduce"(%[[V]])
    %0 = tt.reshape %x : tensor<2048xf32, #flat> -> tensor<128x16xf32, #rows>
    %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tt.reduce.return %s : f32
    }) : (tensor<128x16xf32, #rows>) -> tensor<128xf32, #rest>
    tt.return %1 : tensor<128xf32, #rest>
  }

  // A warp holds whole columns of the source of the gather.
  // CHECK-LABEL: tt.func @gathered
  tt.func @gathered(%x: tensor<32x64xf32, #rows>, %i: tensor<32x64xi32, #rows>) -> tensor<32x64xf32, #rows> {
    // CHECK: %[[X:.+]] = ttg.convert_layout %{{.+}} : tensor<32x64xf32, #[[$ROWS]]> -> tensor<32x64xf32, #[[WARP:.+]]>
    // CHECK: %[[I:.+]] = ttg.convert_layout %{{.+}} : tensor<32x64xi32, #[[$ROWS]]> -> tensor<32x64xi32, #[[WARP]]>
    // CHECK: %[[G:.+]] = tt.gather %[[X]][%[[I]]] {axis = 0 : i32, efficient_layout}
    // CHECK: ttg.convert_layout %[[G]] : tensor<32x64xf32, #[[WARP]]> -> tensor<32x64xf32, #[[$ROWS]]>
    %g = tt.gather %x[%i] {axis = 0 : i32} : (tensor<32x64xf32, #rows>, tensor<32x64xi32, #rows>) -> tensor<32x64xf32, #rows>
    tt.return %g : tensor<32x64xf32, #rows>
  }
}
