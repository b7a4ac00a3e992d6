// Descriptors of tensors get the encoding with the widest swizzle that a row of a block fills.
// RUN: ll-opt --choose-descriptor-encodings --split-input-file %s | FileCheck %s

// Arguments, results of calls, and values that loops and conditionals carry have one type each.
// CHECK-DAG: [[$W128:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$W64:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$W32:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
// CHECK-DAG: [[$NARROW:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$LOW:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>
// CHECK-DAG: [[$LINE:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 1}>
// CHECK-DAG: [[$CUBE:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 32, rank = 3}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @shapes
  // CHECK-SAME: !tt.tensordesc<64x128xf16, [[$W128]]>
  // CHECK-SAME: !tt.tensordesc<64x32xbf16, [[$W64]]>
  // CHECK-SAME: !tt.tensordesc<8x32xf8E5M2, [[$W32]]>
  // CHECK-SAME: !tt.tensordesc<64x8xf16, [[$NARROW]]>
  // CHECK-SAME: !tt.tensordesc<4x64xf32, [[$LOW]]>
  // CHECK-SAME: !tt.tensordesc<256xf32, [[$LINE]]>
  // CHECK-SAME: !tt.tensordesc<2x4x16xsi32, [[$CUBE]]>
  tt.func @shapes(%0: !tt.tensordesc<64x128xf16>, %1: !tt.tensordesc<64x32xbf16>, %2: !tt.tensordesc<8x32xf8E5M2>, %3: !tt.tensordesc<64x8xf16>, %4: !tt.tensordesc<4x64xf32>, %5: !tt.tensordesc<256xf32>, %6: !tt.tensordesc<2x4x16xsi32>) {
    tt.return
  }

  // CHECK-LABEL: @flow
  // CHECK-SAME: -> !tt.tensordesc<64x128xf16, [[$W128]]>
  tt.func @flow(%d: !tt.tensordesc<64x128xf16>, %p: !tt.ptr<f16>, %n: i32, %c: i1) -> !tt.tensordesc<64x128xf16> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %wide = arith.constant 1 : i64
    // CHECK: tt.make_tensor_descriptor {{.*}} : <f16>, <64x128xf16, [[$W128]]>
    %made = tt.make_tensor_descriptor %p, [%n, %n], [%wide, %wide] : <f16>, <64x128xf16>
    // CHECK: scf.for {{.*}} -> (!tt.tensordesc<64x128xf16, [[$W128]]>)
    %last = scf.for %i = %zero to %n step %one iter_args(%e = %made) -> (!tt.tensordesc<64x128xf16>) : i32 {
      // CHECK: tt.call @flow{{.*}} -> !tt.tensordesc<64x128xf16, [[$W128]]>
      %f = tt.call @flow(%e, %p, %n, %c) : (!tt.tensordesc<64x128xf16>, !tt.ptr<f16>, i32, i1) -> !tt.tensordesc<64x128xf16>
      scf.yield %f : !tt.tensordesc<64x128xf16>
    }
    // CHECK: arith.select {{.*}} : !tt.tensordesc<64x128xf16, [[$W128]]>
    %g = arith.select %c, %last, %d : !tt.tensordesc<64x128xf16>
    tt.return %g : !tt.tensordesc<64x128xf16>
  }
}

// -----

// A given encoding stays.
// CHECK: [[GIVEN:#.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32,
// CHECK: tt.tensordesc<64x64xf16, [[GIVEN]]>
#given = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @given(%d: !tt.tensordesc<64x64xf16, #given>) {
    tt.return
  }
}

// -----

// No TMA.
// CHECK-LABEL: @no_tma
// CHECK-SAME: !tt.tensordesc<64x64xf16>)
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
  tt.func @no_tma(%d: !tt.tensordesc<64x64xf16>) {
    tt.return
  }
}

// -----

// The CTAs of a cluster share blocks.
// CHECK-LABEL: @cluster
// CHECK-SAME: !tt.tensordesc<64x64xf16>)
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, ttg.target = "cuda:90"} {
  tt.func @cluster(%d: !tt.tensordesc<64x64xf16>) {
    tt.return
  }
}
