// An operand from outside a loop: read in front of it, or in each round where the loop would spill registers.
// RUN: ll-opt --reduce-data-duplication --verify-layout-rewrites %s | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // Words of a thread: 64 of the sum, 16 and 128 of the operands.
  // CHECK-LABEL: @fits
  // CHECK: ttg.local_load
  // CHECK: scf.for
  // CHECK-NEXT: tt.dot
  tt.func public @fits(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %b: tensor<64x128xf16, #right>, %zero: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %sum : tensor<64x128xf32, #mma>
  }

  // 64 of the sum, 32 and 256 of the operands: more than 223.
  // CHECK-LABEL: @exceeds
  // CHECK: ttg.local_alloc
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func public @exceeds(%p: tensor<64x128x!tt.ptr<f16>, #rows>, %b: tensor<128x128xf16, #right>, %zero: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %acc : tensor<64x128xf16, #left> * tensor<128x128xf16, #right> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %sum : tensor<64x128xf32, #mma>
  }

  // 176 of carried tensors and 16 of one operand: more than 223 with parts of the other one, which the loop computes.
  // CHECK-LABEL: @exceeds_with_parts
  // CHECK: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func public @exceeds_with_parts(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %b: tensor<64x128xf16, #right>, %zero: tensor<64x128xf32, #mma>, %e: tensor<64x128xf32, #mma>, %f: tensor<64x64xf32, #mma>, %g: tensor<64x32xf32, #mma>, %n: i32) -> (tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x32xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
    %all:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %e0 = %e, %f0 = %f, %g0 = %g) -> (tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x32xf32, #mma>) : i32 {
      %e1 = arith.addf %e0, %e0 : tensor<64x128xf32, #mma>
      %f1 = arith.addf %f0, %f0 : tensor<64x64xf32, #mma>
      %g1 = arith.addf %g0, %g0 : tensor<64x32xf32, #mma>
      %b1 = arith.addf %b, %b : tensor<64x128xf16, #right>
      %d = tt.dot %a, %b1, %acc : tensor<64x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<64x128xf32, #mma>
      scf.yield %d, %e1, %f1, %g1 : tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x32xf32, #mma>
    }
    tt.return %all#0, %all#1, %all#2, %all#3 : tensor<64x128xf32, #mma>, tensor<64x128xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x32xf32, #mma>
  }

  // Two loops, each without enough registers, and a product between them.
  // CHECK-LABEL: @exceeds_twice
  // CHECK: [[BUFFER:%.*]] = ttg.local_alloc
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_load [[BUFFER]]
  // CHECK-NEXT: tt.dot
  // CHECK: ttg.local_load [[BUFFER]]
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: ttg.local_load [[BUFFER]]
  // CHECK-NEXT: tt.dot
  tt.func public @exceeds_twice(%p: tensor<64x128x!tt.ptr<f16>, #rows>, %b: tensor<128x128xf16, #right>, %zero: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x128x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
    %first = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %acc : tensor<64x128xf16, #left> * tensor<128x128xf16, #right> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    %between = tt.dot %a, %b, %first : tensor<64x128xf16, #left> * tensor<128x128xf16, #right> -> tensor<64x128xf32, #mma>
    %second = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %between) -> (tensor<64x128xf32, #mma>) : i32 {
      %d = tt.dot %a, %b, %acc : tensor<64x128xf16, #left> * tensor<128x128xf16, #right> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %second : tensor<64x128xf32, #mma>
  }

  // The only use is in another block.
  // CHECK-LABEL: @other_block
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: cf.br ^[[NEXT:.*]]
  // CHECK-NEXT: ^[[NEXT]]:
  // CHECK-NEXT: tt.dot
  tt.func public @other_block(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %b: tensor<64x128xf16, #right>, %zero: tensor<64x128xf32, #mma>) -> tensor<64x128xf32, #mma> {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
    cf.br ^next
  ^next:
    %d = tt.dot %a, %b, %zero : tensor<64x64xf16, #left> * tensor<64x128xf16, #right> -> tensor<64x128xf32, #mma>
    tt.return %d : tensor<64x128xf32, #mma>
  }
}
