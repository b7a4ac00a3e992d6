// Registers of one thread in another order: no exchange, no shared memory.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --enable-var-scope
// RUN: ll-sim %s --arg in=iota:i16:1024 --arg out=zeros:i16:1024 --arg want=iota:i16:1024 --expect-same out=want

#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[1, 0], [0, 1], [0, 16], [16, 0]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
#rows = #ttg.slice<{dim = 1, parent = #linear}>
#columns = #ttg.slice<{dim = 0, parent = #linear}>
#rows_in = #ttg.slice<{dim = 1, parent = #blocked}>
#columns_in = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: llvm.func @transpose
  // CHECK-NOT: addrspace(3)
  // CHECK-NOT: rocdl.ds_bpermute
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: llvm.return
  tt.func public @transpose(%in: !tt.ptr<i16>, %out: !tt.ptr<i16>, %want: !tt.ptr<i16>) {
    %c32 = arith.constant dense<32> : tensor<32x1xi32, #blocked>
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows_in>
    %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #columns_in>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #rows_in> -> tensor<32x1xi32, #blocked>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #columns_in> -> tensor<1x32xi32, #blocked>
    %row = arith.muli %i1, %c32 : tensor<32x1xi32, #blocked>
    %rows = tt.broadcast %row : tensor<32x1xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %columns = tt.broadcast %j1 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %at = arith.addi %rows, %columns : tensor<32x32xi32, #blocked>
    %base = tt.splat %in : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>, #blocked>
    %from = tt.addptr %base, %at : tensor<32x32x!tt.ptr<i16>, #blocked>, tensor<32x32xi32, #blocked>
    %value = tt.load %from : tensor<32x32x!tt.ptr<i16>, #blocked>
    %turned = amdg.in_thread_transpose %value : tensor<32x32xi16, #blocked> -> tensor<32x32xi16, #linear>
    %c32l = arith.constant dense<32> : tensor<32x1xi32, #linear>
    %il = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows>
    %jl = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #columns>
    %il1 = tt.expand_dims %il {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #linear>
    %jl1 = tt.expand_dims %jl {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #linear>
    %rowl = arith.muli %il1, %c32l : tensor<32x1xi32, #linear>
    %rowsl = tt.broadcast %rowl : tensor<32x1xi32, #linear> -> tensor<32x32xi32, #linear>
    %columnsl = tt.broadcast %jl1 : tensor<1x32xi32, #linear> -> tensor<32x32xi32, #linear>
    %atl = arith.addi %rowsl, %columnsl : tensor<32x32xi32, #linear>
    %basel = tt.splat %out : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>, #linear>
    %to = tt.addptr %basel, %atl : tensor<32x32x!tt.ptr<i16>, #linear>, tensor<32x32xi32, #linear>
    tt.store %to, %turned : tensor<32x32x!tt.ptr<i16>, #linear>
    tt.return
  }
}
