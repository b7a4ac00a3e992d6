// RUN: ll-opt --coalesce -split-input-file %s | FileCheck %s

// Accesses get their own layouts, chosen by the axis information of their addresses.

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$ROWS:.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$WIDE:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$DOWN:.+]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[$ROW8:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$ROW16:.+]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$ONE:.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Along rows; the attributes of the load are kept.
  // CHECK-LABEL: tt.func @along_rows
  tt.func @along_rows(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<64x64xf32, #rows> {
    // CHECK: %[[P:.+]] = ttg.convert_layout %{{.+}} -> tensor<64x64x!tt.ptr<f32>, #[[$WIDE]]>
    // CHECK-NEXT: %[[V:.+]] = tt.load %[[P]] {my.note} : tensor<64x64x!tt.ptr<f32>, #[[$WIDE]]>
    // CHECK-NEXT: ttg.convert_layout %[[V]] : tensor<64x64xf32, #[[$WIDE]]> -> tensor<64x64xf32, #[[$ROWS]]>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %2 = tt.broadcast %1 : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %3 = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #rows>
    %4 = tt.addptr %3, %2 : tensor<64x64x!tt.ptr<f32>, #rows>, tensor<64x64xi32, #rows>
    %5 = tt.load %4 {my.note} : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return %5 : tensor<64x64xf32, #rows>
  }

  // Down the columns; the mask and what stands in for masked elements move along.
  // CHECK-LABEL: tt.func @down_columns
  tt.func @down_columns(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: tensor<64x64xi1, #rows>, %o: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
    // CHECK: tt.load %{{.+}}, %{{.+}}, %{{.+}} : tensor<64x64x!tt.ptr<f32>, #[[$DOWN]]>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
    %2 = tt.broadcast %1 : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %3 = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #rows>
    %4 = tt.addptr %3, %2 : tensor<64x64x!tt.ptr<f32>, #rows>, tensor<64x64xi32, #rows>
    %5 = tt.load %4, %m, %o : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return %5 : tensor<64x64xf32, #rows>
  }

  // Nothing is known of these: a layout of single elements, which the tensor has already.
  // CHECK-LABEL: tt.func @unknown
  tt.func @unknown(%p: tensor<512x!tt.ptr<f32>, #line>, %q: !tt.ptr<f32>) {
    // CHECK-NEXT: %[[V:.+]] = tt.load
    // CHECK-NEXT: tt.store %{{.+}}, %[[V]] : tensor<512x!tt.ptr<f32>, #[[$ONE]]>
    %0 = tt.load %p : tensor<512x!tt.ptr<f32>, #line>
    tt.store %p, %0 : tensor<512x!tt.ptr<f32>, #line>
    // An access by one pointer has no layout.
    // CHECK-NEXT: tt.load %{{.+}} : !tt.ptr<f32>
    %1 = tt.load %q : !tt.ptr<f32>
    tt.store %q, %1 : !tt.ptr<f32>
    tt.return
  }

  // A load takes the width of the store that hangs together with it; a store keeps to its own.
  // CHECK-LABEL: tt.func @together
  tt.func @together(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK: tt.load %{{.+}} : tensor<2048x!tt.ptr<f16>, #[[EIGHT:.+]]>
    // CHECK: tt.store %{{.+}} : tensor<2048x!tt.ptr<f32>, #[[FOUR:.+]]>
    %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #line>
    %0 = tt.splat %p : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>, #line>
    %1 = tt.addptr %0, %i : tensor<2048x!tt.ptr<f16>, #line>, tensor<2048xi32, #line>
    %2 = tt.load %1 : tensor<2048x!tt.ptr<f16>, #line>
    %3 = arith.extf %2 : tensor<2048xf16, #line> to tensor<2048xf32, #line>
    %4 = tt.splat %q : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #line>
    %5 = tt.addptr %4, %i : tensor<2048x!tt.ptr<f32>, #line>, tensor<2048xi32, #line>
    tt.store %5, %3 : tensor<2048x!tt.ptr<f32>, #line>
    tt.return
  }

  // A load of an operand of a product keeps to its own width, 16 bytes, whatever is loaded beside it.
  // CHECK-LABEL: tt.func @product
  tt.func @product(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %sum: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
    // CHECK: tt.load %{{.+}} : tensor<64x64x!tt.ptr<f16>, #[[$ROW8]]>
    // CHECK: tt.load %{{.+}} : tensor<64x64x!tt.ptr<i8>, #[[$ROW16]]>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %0 = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %1 = tt.broadcast %0 : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %2 = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    %3 = tt.addptr %2, %1 : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
    %4 = tt.load %3 : tensor<64x64x!tt.ptr<f16>, #rows>
    %5 = tt.splat %q : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #rows>
    %6 = tt.addptr %5, %1 : tensor<64x64x!tt.ptr<i8>, #rows>, tensor<64x64xi32, #rows>
    %7 = tt.load %6 : tensor<64x64x!tt.ptr<i8>, #rows>
    %8 = arith.sitofp %7 : tensor<64x64xi8, #rows> to tensor<64x64xf16, #rows>
    %a = ttg.convert_layout %4 : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #rows}>>
    %b = ttg.convert_layout %8 : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows}>>
    %9 = tt.dot %a, %b, %sum : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #rows}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows}>> -> tensor<64x64xf32, #rows>
    tt.return %9 : tensor<64x64xf32, #rows>
  }
}
