// Reads of 4-bit elements across their packing: against the same bytes, read from global memory and taken apart.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: ll-sim %t.mlir --entry left --arg src=random:i8:4096 --arg out=zeros:i8:4096 --arg want=full:1:i8:4096 --expect-same out=want
// RUN: ll-sim %t.mlir --entry right --arg src=random:i8:4096 --arg out=zeros:i8:4096 --arg want=full:1:i8:4096 --expect-same out=want

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 128], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#c = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
#left = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#right = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @left(%src: !tt.ptr<i8>, %out: !tt.ptr<i8>, %want: !tt.ptr<i8>) {
    %si = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %si2 = tt.expand_dims %si {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %srow = tt.broadcast %si2 : tensor<32x1xi32, #b> -> tensor<32x128xi32, #b>
    %sj = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %sj2 = tt.expand_dims %sj {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x128xi32, #b>
    %scol = tt.broadcast %sj2 : tensor<1x128xi32, #b> -> tensor<32x128xi32, #b>
    %sw = arith.constant dense<128> : tensor<32x128xi32, #b>
    %srows = arith.muli %srow, %sw : tensor<32x128xi32, #b>
    %sn = arith.addi %srows, %scol : tensor<32x128xi32, #b>
    %sp = tt.splat %src : !tt.ptr<i8> -> tensor<32x128x!tt.ptr<i8>, #b>
    %sat = tt.addptr %sp, %sn : tensor<32x128x!tt.ptr<i8>, #b>, tensor<32x128xi32, #b>
    %bytes = tt.load %sat : tensor<32x128x!tt.ptr<i8>, #b>
    %buffer = ttg.local_alloc %bytes : (tensor<32x128xi8, #b>) -> !ttg.memdesc<32x128xi8, #left, #smem>
    %x = amdg.local_load_packed_transposed %buffer : !ttg.memdesc<32x128xi8, #left, #smem> -> tensor<64x64xi8, #a>
    %ri = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
    %ri2 = tt.expand_dims %ri {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<64x1xi32, #a>
    %rrow = tt.broadcast %ri2 : tensor<64x1xi32, #a> -> tensor<64x64xi32, #a>
    %rj = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %rj2 = tt.expand_dims %rj {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x64xi32, #a>
    %rcol = tt.broadcast %rj2 : tensor<1x64xi32, #a> -> tensor<64x64xi32, #a>
    %rw = arith.constant dense<64> : tensor<64x64xi32, #a>
    %rrows = arith.muli %rrow, %rw : tensor<64x64xi32, #a>
    %n = arith.addi %rrows, %rcol : tensor<64x64xi32, #a>
    %po = tt.splat %out : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #a>
    %qo = tt.addptr %po, %n : tensor<64x64x!tt.ptr<i8>, #a>, tensor<64x64xi32, #a>
    tt.store %qo, %x : tensor<64x64x!tt.ptr<i8>, #a>
    // The bytes that hold (m, 2k) and (m, 2k + 1), from global memory.
    %one = arith.constant dense<1> : tensor<64x64xi32, #a>
    %four = arith.constant dense<4> : tensor<64x64xi32, #a>
    %mask = arith.constant dense<15> : tensor<64x64xi32, #a>
    %half = arith.shrui %rrow, %one : tensor<64x64xi32, #a>
    %odd = arith.andi %rrow, %one : tensor<64x64xi32, #a>
    %shift = arith.muli %odd, %four : tensor<64x64xi32, #a>
    %twice = arith.shli %rcol, %one : tensor<64x64xi32, #a>
    %sm = arith.constant dense<128> : tensor<64x64xi32, #a>
    %sk = arith.constant dense<1> : tensor<64x64xi32, #a>
    %at1 = arith.muli %half, %sm : tensor<64x64xi32, #a>
    %at2 = arith.muli %twice, %sk : tensor<64x64xi32, #a>
    %at = arith.addi %at1, %at2 : tensor<64x64xi32, #a>
    %next = arith.addi %at, %sk : tensor<64x64xi32, #a>
    %ps = tt.splat %src : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #a>
    %q1 = tt.addptr %ps, %at : tensor<64x64x!tt.ptr<i8>, #a>, tensor<64x64xi32, #a>
    %q2 = tt.addptr %ps, %next : tensor<64x64x!tt.ptr<i8>, #a>, tensor<64x64xi32, #a>
    %v1 = tt.load %q1 : tensor<64x64x!tt.ptr<i8>, #a>
    %v2 = tt.load %q2 : tensor<64x64x!tt.ptr<i8>, #a>
    %e1 = arith.extui %v1 : tensor<64x64xi8, #a> to tensor<64x64xi32, #a>
    %e2 = arith.extui %v2 : tensor<64x64xi8, #a> to tensor<64x64xi32, #a>
    %h1 = arith.shrui %e1, %shift : tensor<64x64xi32, #a>
    %h2 = arith.shrui %e2, %shift : tensor<64x64xi32, #a>
    %l1 = arith.andi %h1, %mask : tensor<64x64xi32, #a>
    %l2 = arith.andi %h2, %mask : tensor<64x64xi32, #a>
    %l3 = arith.shli %l2, %four : tensor<64x64xi32, #a>
    %both = arith.ori %l1, %l3 : tensor<64x64xi32, #a>
    %byte = arith.trunci %both : tensor<64x64xi32, #a> to tensor<64x64xi8, #a>
    %pw = tt.splat %want : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #a>
    %qw = tt.addptr %pw, %n : tensor<64x64x!tt.ptr<i8>, #a>, tensor<64x64xi32, #a>
    tt.store %qw, %byte : tensor<64x64x!tt.ptr<i8>, #a>
    tt.return
  }

  tt.func public @right(%src: !tt.ptr<i8>, %out: !tt.ptr<i8>, %want: !tt.ptr<i8>) {
    %si = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %si2 = tt.expand_dims %si {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<128x1xi32, #b>
    %srow = tt.broadcast %si2 : tensor<128x1xi32, #b> -> tensor<128x32xi32, #b>
    %sj = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %sj2 = tt.expand_dims %sj {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %scol = tt.broadcast %sj2 : tensor<1x32xi32, #b> -> tensor<128x32xi32, #b>
    %sw = arith.constant dense<32> : tensor<128x32xi32, #b>
    %srows = arith.muli %srow, %sw : tensor<128x32xi32, #b>
    %sn = arith.addi %srows, %scol : tensor<128x32xi32, #b>
    %sp = tt.splat %src : !tt.ptr<i8> -> tensor<128x32x!tt.ptr<i8>, #b>
    %sat = tt.addptr %sp, %sn : tensor<128x32x!tt.ptr<i8>, #b>, tensor<128x32xi32, #b>
    %bytes = tt.load %sat : tensor<128x32x!tt.ptr<i8>, #b>
    %buffer = ttg.local_alloc %bytes : (tensor<128x32xi8, #b>) -> !ttg.memdesc<128x32xi8, #right, #smem>
    %x = amdg.local_load_packed_transposed %buffer : !ttg.memdesc<128x32xi8, #right, #smem> -> tensor<64x64xi8, #c>
    %ri = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #c}>>
    %ri2 = tt.expand_dims %ri {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #c}>> -> tensor<64x1xi32, #c>
    %rrow = tt.broadcast %ri2 : tensor<64x1xi32, #c> -> tensor<64x64xi32, #c>
    %rj = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #c}>>
    %rj2 = tt.expand_dims %rj {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #c}>> -> tensor<1x64xi32, #c>
    %rcol = tt.broadcast %rj2 : tensor<1x64xi32, #c> -> tensor<64x64xi32, #c>
    %rw = arith.constant dense<64> : tensor<64x64xi32, #c>
    %rrows = arith.muli %rrow, %rw : tensor<64x64xi32, #c>
    %n = arith.addi %rrows, %rcol : tensor<64x64xi32, #c>
    %po = tt.splat %out : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #c>
    %qo = tt.addptr %po, %n : tensor<64x64x!tt.ptr<i8>, #c>, tensor<64x64xi32, #c>
    tt.store %qo, %x : tensor<64x64x!tt.ptr<i8>, #c>
    // The bytes that hold (m, 2k) and (m, 2k + 1), from global memory.
    %one = arith.constant dense<1> : tensor<64x64xi32, #c>
    %four = arith.constant dense<4> : tensor<64x64xi32, #c>
    %mask = arith.constant dense<15> : tensor<64x64xi32, #c>
    %half = arith.shrui %rcol, %one : tensor<64x64xi32, #c>
    %odd = arith.andi %rcol, %one : tensor<64x64xi32, #c>
    %shift = arith.muli %odd, %four : tensor<64x64xi32, #c>
    %twice = arith.shli %rrow, %one : tensor<64x64xi32, #c>
    %sm = arith.constant dense<1> : tensor<64x64xi32, #c>
    %sk = arith.constant dense<32> : tensor<64x64xi32, #c>
    %at1 = arith.muli %half, %sm : tensor<64x64xi32, #c>
    %at2 = arith.muli %twice, %sk : tensor<64x64xi32, #c>
    %at = arith.addi %at1, %at2 : tensor<64x64xi32, #c>
    %next = arith.addi %at, %sk : tensor<64x64xi32, #c>
    %ps = tt.splat %src : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #c>
    %q1 = tt.addptr %ps, %at : tensor<64x64x!tt.ptr<i8>, #c>, tensor<64x64xi32, #c>
    %q2 = tt.addptr %ps, %next : tensor<64x64x!tt.ptr<i8>, #c>, tensor<64x64xi32, #c>
    %v1 = tt.load %q1 : tensor<64x64x!tt.ptr<i8>, #c>
    %v2 = tt.load %q2 : tensor<64x64x!tt.ptr<i8>, #c>
    %e1 = arith.extui %v1 : tensor<64x64xi8, #c> to tensor<64x64xi32, #c>
    %e2 = arith.extui %v2 : tensor<64x64xi8, #c> to tensor<64x64xi32, #c>
    %h1 = arith.shrui %e1, %shift : tensor<64x64xi32, #c>
    %h2 = arith.shrui %e2, %shift : tensor<64x64xi32, #c>
    %l1 = arith.andi %h1, %mask : tensor<64x64xi32, #c>
    %l2 = arith.andi %h2, %mask : tensor<64x64xi32, #c>
    %l3 = arith.shli %l2, %four : tensor<64x64xi32, #c>
    %both = arith.ori %l1, %l3 : tensor<64x64xi32, #c>
    %byte = arith.trunci %both : tensor<64x64xi32, #c> to tensor<64x64xi8, #c>
    %pw = tt.splat %want : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>, #c>
    %qw = tt.addptr %pw, %n : tensor<64x64x!tt.ptr<i8>, #c>, tensor<64x64xi32, #c>
    tt.store %qw, %byte : tensor<64x64x!tt.ptr<i8>, #c>
    tt.return
  }
}
