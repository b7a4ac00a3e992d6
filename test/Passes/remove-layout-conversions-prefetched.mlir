// A load of the loop feeds a product through arithmetic. If `pipeline-loops` prefetches the load, it can be read from shared
// memory in the layout of the operand; otherwise the result of the arithmetic is converted.
// RUN: ll-opt --remove-layout-conversions=num-stages=3 --verify-layout-rewrites %s | FileCheck %s --check-prefix=READ
// RUN: ll-opt --remove-layout-conversions %s | FileCheck %s --check-prefix=CONVERT
// RUN: ll-opt --remove-layout-conversions=num-stages=3 --reduce-data-duplication=only-cheaper=true --pipeline-loops=num-stages=3 %s | FileCheck %s --check-prefix=SLOT
// RUN: ll-opt '--remove-layout-conversions=num-stages=3 explain' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: not ll-opt --remove-layout-conversions=num-stages=0 %s 2>&1 | FileCheck %s --check-prefix=NONE

// READ: [[LOADED:%.*]] = tt.load
// READ: [[X:%.*]] = ttg.convert_layout [[LOADED]] {{.*}} -> tensor<64x32xf16, #ttg.dot_op
// READ: [[SCALED:%.*]] = arith.mulf [[X]], [[X]]
// READ: tt.dot [[SCALED]]

// CONVERT: [[LOADED:%.*]] = tt.load
// CONVERT: [[SCALED:%.*]] = arith.mulf [[LOADED]], [[LOADED]]
// CONVERT: [[X:%.*]] = ttg.convert_layout [[SCALED]] {{.*}} -> tensor<64x32xf16, #ttg.dot_op
// CONVERT: tt.dot [[X]]

// SLOT: scf.for
// SLOT-NOT: ttg.convert_layout
// SLOT: ttg.local_load {{.*}} -> tensor<64x32xf16, #ttg.dot_op
// SLOT-NOT: ttg.convert_layout
// SLOT: tt.dot

// WHY: remark: function costs {{.*}} with 0 conversions
// WHY: remark: conversion becomes a read of the buffer that `pipeline-loops` prefetches: {{[0-9.]+}} cycles from `#ttg.blocked

// NONE: error: {{.*}}invalid option `num-stages=0`, expected 1 or more
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x16xf16, #right>, %n: i32) -> tensor<64x16xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %offset = arith.constant dense<32> : tensor<64x32xi32, #rows>
    %sum, %end = scf.for %i = %zero to %n step %one iter_args(%c = %none, %at = %p) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %at : tensor<64x32x!tt.ptr<f16>, #rows>
      %scaled = arith.mulf %x, %x : tensor<64x32xf16, #rows>
      %left = ttg.convert_layout %scaled : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %d = tt.dot %left, %y, %c : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      %next = tt.addptr %at, %offset : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      scf.yield %d, %next : tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>
    }
    tt.return %sum : tensor<64x16xf32, #mma>
  }
}
