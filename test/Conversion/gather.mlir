// Gathers: through lanes where a warp has all rows that it asks for, else through shared memory; at indices of a buffer.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry lanes --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry lanes --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.mlir --entry memory --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry memory --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.mlir --entry buffer --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry buffer --arg out=zeros:i32:2048 --arg want=iota:i32:2048 --expect-same out=want

#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#p = #ttg.padded_shared<[64:+2] {order = [1, 0], shape = [32, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Two registers may have an element: as bytes they go in one word.
  // CHECK-LABEL: llvm.func @lanes
  // CHECK: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.barrier
  // CHECK-LABEL: llvm.func @memory
  // CHECK: llvm.store {{.*}} !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK-LABEL: llvm.func @buffer
  // AMD-LABEL: llvm.func @lanes
  // AMD: rocdl.ds_bpermute
  // AMD-LABEL: llvm.func @memory
  // Column 63 - c of a row that counts down, and the low byte of the same.
  tt.func public @lanes(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %r3 = tt.broadcast %r2 : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
    %c3 = tt.broadcast %c2 : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
    %c63 = arith.constant dense<63> : tensor<32x64xi32, #b>
    %c64 = arith.constant dense<64> : tensor<32x64xi32, #b>
    %c8 = arith.constant dense<8> : tensor<32x64xi32, #b>
    %row = arith.muli %r3, %c64 : tensor<32x64xi32, #b>
    %n = arith.addi %row, %c3 : tensor<32x64xi32, #b>
    %back = arith.subi %c63, %c3 : tensor<32x64xi32, #b>
    %down = arith.addi %row, %back : tensor<32x64xi32, #b>
    %low = arith.trunci %down : tensor<32x64xi32, #b> to tensor<32x64xi8, #b>
    %high = arith.shrui %down, %c8 : tensor<32x64xi32, #b>
    %index = arith.extsi %back : tensor<32x64xi32, #b> to tensor<32x64xi64, #b>
    %x = tt.gather %high[%index] {axis = 1 : i32} : (tensor<32x64xi32, #b>, tensor<32x64xi64, #b>) -> tensor<32x64xi32, #b>
    %y = tt.gather %low[%index] {axis = 1 : i32} : (tensor<32x64xi8, #b>, tensor<32x64xi64, #b>) -> tensor<32x64xi8, #b>
    %wide = arith.extui %y : tensor<32x64xi8, #b> to tensor<32x64xi32, #b>
    %up = arith.shli %x, %c8 : tensor<32x64xi32, #b>
    %w = arith.ori %up, %wide : tensor<32x64xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x64x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<32x64x!tt.ptr<i32>, #b>, tensor<32x64xi32, #b>
    tt.store %p, %w : tensor<32x64x!tt.ptr<i32>, #b>
    tt.return
  }

  // Row 31 - r of columns that count down; rows lie in several warps.
  tt.func public @memory(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %r3 = tt.broadcast %r2 : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
    %c3 = tt.broadcast %c2 : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
    %c31 = arith.constant dense<31> : tensor<32x64xi32, #b>
    %c64 = arith.constant dense<64> : tensor<32x64xi32, #b>
    %row = arith.muli %r3, %c64 : tensor<32x64xi32, #b>
    %n = arith.addi %row, %c3 : tensor<32x64xi32, #b>
    %back = arith.subi %c31, %r3 : tensor<32x64xi32, #b>
    %last = arith.muli %back, %c64 : tensor<32x64xi32, #b>
    %down = arith.addi %last, %c3 : tensor<32x64xi32, #b>
    %odd = arith.trunci %down : tensor<32x64xi32, #b> to tensor<32x64xi1, #b>
    %one = arith.constant dense<1> : tensor<32x64xi32, #b>
    %half = arith.shrui %down, %one : tensor<32x64xi32, #b>
    %index = arith.trunci %back : tensor<32x64xi32, #b> to tensor<32x64xi8, #b>
    %x = tt.gather %half[%index] {axis = 0 : i32} : (tensor<32x64xi32, #b>, tensor<32x64xi8, #b>) -> tensor<32x64xi32, #b>
    %y = tt.gather %odd[%index] {axis = 0 : i32} : (tensor<32x64xi1, #b>, tensor<32x64xi8, #b>) -> tensor<32x64xi1, #b>
    %wide = arith.extui %y : tensor<32x64xi1, #b> to tensor<32x64xi32, #b>
    %up = arith.shli %x, %one : tensor<32x64xi32, #b>
    %w = arith.ori %up, %wide : tensor<32x64xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x64x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<32x64x!tt.ptr<i32>, #b>, tensor<32x64xi32, #b>
    tt.store %p, %w : tensor<32x64x!tt.ptr<i32>, #b>
    tt.return
  }

  // Scattered to column 63 - c of a swizzled buffer, gathered from there; then rows through one with gaps.
  tt.func public @buffer(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %r3 = tt.broadcast %r2 : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
    %c3 = tt.broadcast %c2 : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
    %c31 = arith.constant dense<31> : tensor<32x64xi32, #b>
    %c63 = arith.constant dense<63> : tensor<32x64xi32, #b>
    %c64 = arith.constant dense<64> : tensor<32x64xi32, #b>
    %row = arith.muli %r3, %c64 : tensor<32x64xi32, #b>
    %n = arith.addi %row, %c3 : tensor<32x64xi32, #b>
    %backc = arith.subi %c63, %c3 : tensor<32x64xi32, #b>
    %backr = arith.subi %c31, %r3 : tensor<32x64xi32, #b>
    %lastr = arith.muli %backr, %c64 : tensor<32x64xi32, #b>
    %last = arith.addi %lastr, %backc : tensor<32x64xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32x64xi32, #s, #smem, mutable>
    ttg.local_scatter %m[%backc], %last {axis = 1 : i32} : !ttg.memdesc<32x64xi32, #s, #smem, mutable>, tensor<32x64xi32, #b>, tensor<32x64xi32, #b>
    %x = ttg.local_gather %m[%backr] {axis = 0 : i32} : !ttg.memdesc<32x64xi32, #s, #smem, mutable>, tensor<32x64xi32, #b> -> tensor<32x64xi32, #b>
    %q = ttg.local_alloc %x : (tensor<32x64xi32, #b>) -> !ttg.memdesc<32x64xi32, #p, #smem, mutable>
    %w = ttg.local_gather %q[%c3] {axis = 1 : i32} : !ttg.memdesc<32x64xi32, #p, #smem, mutable>, tensor<32x64xi32, #b> -> tensor<32x64xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x64x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %n : tensor<32x64x!tt.ptr<i32>, #b>, tensor<32x64xi32, #b>
    tt.store %p, %w : tensor<32x64x!tt.ptr<i32>, #b>
    tt.return
  }
}
