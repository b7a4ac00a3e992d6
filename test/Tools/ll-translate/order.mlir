// PTX is ordered by the registers that it keeps live, and a kernel that needs more than there are asks for one resident
// thread block.
// REQUIRES: ptxas
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --input-file=%t.ptx
// RUN: ptxas -v -arch=sm_90a %t.ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=REGISTERS
// Without optimisation the order of operations stays.
// RUN: ll-translate --emit=ptx -O0 %t.mlir | FileCheck %s --check-prefix=GIVEN

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // 64 elements per thread, of each of which a square, its sum with the element and that times a third are made: they
  // are not all live at once.
  // CHECK-LABEL: .entry chain
  // CHECK-NOT: .minnctapersm
  // CHECK: mul.rn.f32
  // CHECK-NEXT: add.rn.f32
  // CHECK-NEXT: mul.rn.f32
  // CHECK-NEXT: mul.rn.f32
  // CHECK-NEXT: add.rn.f32
  // GIVEN-LABEL: .entry chain
  // GIVEN: mul
  // GIVEN-NEXT: mul
  // REGISTERS: Compiling entry function 'chain'
  // REGISTERS: 0 bytes spill stores
  tt.func public @chain(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32, #rows>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>, #rows>
    %from = tt.addptr %xs, %i : tensor<8192x!tt.ptr<f32>, #rows>, tensor<8192xi32, #rows>
    %v = tt.load %from : tensor<8192x!tt.ptr<f32>, #rows>
    %square = arith.mulf %v, %v : tensor<8192xf32, #rows>
    %sum = arith.addf %square, %v : tensor<8192xf32, #rows>
    %third = arith.constant dense<0.333333343> : tensor<8192xf32, #rows>
    %part = arith.mulf %sum, %third : tensor<8192xf32, #rows>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>, #rows>
    %to = tt.addptr %outs, %i : tensor<8192x!tt.ptr<f32>, #rows>, tensor<8192xi32, #rows>
    tt.store %to, %part : tensor<8192x!tt.ptr<f32>, #rows>
    tt.return
  }

  // 512 elements per thread cannot be held at once.
  // CHECK-LABEL: .entry too_many
  // CHECK: .minnctapersm 1
  tt.func public @too_many(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32, #rows>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>, #rows>
    %from = tt.addptr %xs, %i : tensor<65536x!tt.ptr<f32>, #rows>, tensor<65536xi32, #rows>
    %v = tt.load %from : tensor<65536x!tt.ptr<f32>, #rows>
    %square = arith.mulf %v, %v : tensor<65536xf32, #rows>
    tt.store %from, %square : tensor<65536x!tt.ptr<f32>, #rows>
    tt.return
  }
}
