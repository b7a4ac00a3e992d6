// Tensors and buffers with layouts of CuTe and Tilus lower as those with the bases that they are.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.named
// RUN: ll-opt --convert-encodings-to-linear %s -o %t.written
// RUN: FileCheck %s --check-prefix=WRITTEN --input-file=%t.written
// RUN: ll-opt --convert-layouts-to-llvm %t.written -o %t.linear
// RUN: diff %t.named %t.linear
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.named
// RUN: sed 's/cuda:90/hip:gfx1100/' %s | ll-opt --convert-layouts-to-llvm -o %t.amd
// RUN: sed 's/cuda:90/hip:gfx1100/' %t.written | ll-opt --convert-layouts-to-llvm | diff %t.amd -
// RUN: ll-translate --emit=object %t.amd -o %t.hsaco
// RUN: ll-sim %t.named -q --entry through --arg x=iota:f32:128 --arg y=zeros:f32:128 --arg z=zeros:f32:16 --dump y=%t.y --dump z=%t.z
// RUN: od -An -t f4 -w32 %t.y | FileCheck %s --check-prefix=TWICE
// RUN: od -An -t f4 -w64 %t.z | FileCheck %s --check-prefix=SUMS
// RUN: ll-sim %t.amd -q --entry through --arg x=iota:f32:128 --arg y=zeros:f32:128 --arg z=zeros:f32:16 --dump y=%t.y --dump z=%t.z
// RUN: od -An -t f4 -w32 %t.y | FileCheck %s --check-prefix=TWICE
// RUN: od -An -t f4 -w64 %t.z | FileCheck %s --check-prefix=SUMS

// TWICE:      0 2 4 6 8 10 12 14
// TWICE-NEXT: 16 18 20 22 24 26 28 30
// TWICE:      240 242 244 246 248 250 252 254
// SUMS: 56 184 312 440 568 696 824 952 1080 1208 1336 1464 1592 1720 1848 1976

// WRITTEN-NOT: #cute
// WRITTEN-NOT: #tilus
// WRITTEN-DAG: #linear{{[0-9]*}} = #ttg.linear<{register = {{\[\[}}0, 1], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
// WRITTEN-DAG: #shared{{[0-9]*}} = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 1], [2, 2], [4, 0], [8, 0]]}, alignment = 16>
// WRITTEN-DAG: #shared{{[0-9]*}} = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 0], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#mma = #tilus.register<"local(2, 1).spatial(8, 4).local(1, 2)">
#rows = #tilus.register<"spatial(4, 8).local(4, 1)">
#tv = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">
#tile = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))", tile = [16, 8]>
#swizzled = #cute.layout<"Sw<2,0,3> o 0 o (16,8):(8,1)">
// Rows of eight in a pitch of sixteen.
#pitch = #cute.layout<"(16,8):(16,1)">
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // LLVM-LABEL: llvm.func @through
  tt.func public @through(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
    %c8 = arith.constant dense<8> : tensor<16x1xi32, #mma>
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<16x1xi32, #mma>
    %i8 = arith.muli %i1, %c8 : tensor<16x1xi32, #mma>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x8xi32, #mma>
    %ib = tt.broadcast %i8 : tensor<16x1xi32, #mma> -> tensor<16x8xi32, #mma>
    %jb = tt.broadcast %j1 : tensor<1x8xi32, #mma> -> tensor<16x8xi32, #mma>
    %at = arith.addi %ib, %jb : tensor<16x8xi32, #mma>
    %px = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %from = tt.addptr %px, %at : tensor<16x8x!tt.ptr<f32>, #mma>, tensor<16x8xi32, #mma>
    %a = tt.load %from : tensor<16x8x!tt.ptr<f32>, #mma>
    %b = ttg.local_alloc %a : (tensor<16x8xf32, #mma>) -> !ttg.memdesc<16x8xf32, #swizzled, #smem, mutable>
    %c = ttg.local_load %b : !ttg.memdesc<16x8xf32, #swizzled, #smem, mutable> -> tensor<16x8xf32, #rows>
    %d = arith.addf %c, %c : tensor<16x8xf32, #rows>
    %g = ttg.local_alloc %d : (tensor<16x8xf32, #rows>) -> !ttg.memdesc<16x8xf32, #pitch, #smem>
    %h = ttg.local_load %g : !ttg.memdesc<16x8xf32, #pitch, #smem> -> tensor<16x8xf32, #rows>
    %e = ttg.convert_layout %h : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #tv>
    %s = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %sum = arith.addf %l, %r : f32
      tt.reduce.return %sum : f32
    }) : (tensor<16x8xf32, #tv>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #tile}>>
    %k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    %pz = tt.splat %z : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #tile}>>
    %toz = tt.addptr %pz, %k : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #tile}>>, tensor<16xi32, #ttg.slice<{dim = 1, parent = #tile}>>
    tt.store %toz, %s : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #tile}>>
    %f = ttg.convert_layout %e : tensor<16x8xf32, #tv> -> tensor<16x8xf32, #mma>
    %py = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %to = tt.addptr %py, %at : tensor<16x8x!tt.ptr<f32>, #mma>, tensor<16x8xi32, #mma>
    tt.store %to, %f : tensor<16x8x!tt.ptr<f32>, #mma>
    tt.return
  }
}
