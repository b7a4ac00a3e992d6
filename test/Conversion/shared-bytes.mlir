// By default a conversion uses one pass through scratch memory if that leaves occupancy as it is. With `shared=baseline` it
// uses as many bytes as the baseline: registers common to both layouts are converted in several passes. Partial results of
// the warps of a reduction go to lanes within a row, and the results are broadcast to the replicas through the same bytes.

// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{shared=baseline})' %s -o %t.mlir
// RUN: FileCheck %s --check-prefixes=BASELINE,NV --input-file=%t.mlir
// RUN: ll-sim %t.mlir --entry turn --arg in=iota:f32:4096 --arg out=zeros:f32:4096 --arg want=iota:f32:4096 --expect-same out=want
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.auto.mlir
// RUN: FileCheck %s --check-prefix=AUTO --input-file=%t.auto.mlir
// RUN: ll-sim %t.auto.mlir --entry turn --arg in=iota:f32:4096 --arg out=zeros:f32:4096 --arg want=iota:f32:4096 --expect-same out=want
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{target=hip:gfx1100 shared=baseline})' %s -o %t.amd.mlir
// RUN: FileCheck %s --check-prefixes=AMD --input-file=%t.amd.mlir
// RUN: ll-sim %t.amd.mlir --entry turn --arg in=iota:f32:4096 --arg out=zeros:f32:4096 --arg want=iota:f32:4096 --expect-same out=want
// RUN: not ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{shared=baselin})' %s 2>&1 | FileCheck %s --check-prefix=NAME

// BASELINE: ttg.shared = 2048 : i32
// NV-LABEL: llvm.func @turn
// NV-COUNT-15: nvvm.barrier0
// NV-NOT: nvvm.barrier0

// AUTO: ttg.shared = 16384 : i32
// AUTO-LABEL: llvm.func @turn
// AUTO: nvvm.barrier0
// AUTO-NOT: nvvm.barrier0

// AMD: ttg.shared = 8192 : i32
// AMD-LABEL: llvm.func @turn
// AMD-COUNT-3: rocdl.barrier
// AMD-NOT: rocdl.barrier

// NAME: error: {{.*}}invalid option `shared=baselin`, expected auto or baseline
// NAME: note: did you mean `baseline`?

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @turn(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %want: !tt.ptr<f32>) {
    %size = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %r0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %c0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
    %c1 = tt.expand_dims %c0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %r2 = arith.muli %r1, %size : tensor<64x1xi32, #rows>
    %r = tt.broadcast %r2 : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %c = tt.broadcast %c1 : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %at = arith.addi %r, %c : tensor<64x64xi32, #rows>
    %ins = tt.splat %in : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #rows>
    %from = tt.addptr %ins, %at : tensor<64x64x!tt.ptr<f32>, #rows>, tensor<64x64xi32, #rows>
    %x = tt.load %from : tensor<64x64x!tt.ptr<f32>, #rows>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %size2 = arith.constant dense<64> : tensor<64x1xi32, #columns>
    %r3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>>
    %c3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %r4 = tt.expand_dims %r3 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>> -> tensor<64x1xi32, #columns>
    %c4 = tt.expand_dims %c3 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>> -> tensor<1x64xi32, #columns>
    %r5 = arith.muli %r4, %size2 : tensor<64x1xi32, #columns>
    %r6 = tt.broadcast %r5 : tensor<64x1xi32, #columns> -> tensor<64x64xi32, #columns>
    %c6 = tt.broadcast %c4 : tensor<1x64xi32, #columns> -> tensor<64x64xi32, #columns>
    %at2 = arith.addi %r6, %c6 : tensor<64x64xi32, #columns>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #columns>
    %to = tt.addptr %outs, %at2 : tensor<64x64x!tt.ptr<f32>, #columns>, tensor<64x64xi32, #columns>
    tt.store %to, %y : tensor<64x64x!tt.ptr<f32>, #columns>
    tt.return
  }
}
