// Parts of tensors, which every thread has in its own registers: nothing is exchanged.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --enable-var-scope
// RUN: ll-sim %s --entry slice --arg in=iota:i16:4096 --arg out=zeros:i16:4096 --arg want=zeros:i16:4096 --expect-same out=want
// RUN: ll-sim %s --entry concat --arg in=iota:i16:4096 --arg out=zeros:i16:4096 --arg want=iota:i16:4096 --expect-same out=want

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: llvm.func @slice
  // CHECK-NOT: addrspace(3)
  // CHECK-NOT: bpermute
  // CHECK: llvm.return
  tt.func public @slice(%in: !tt.ptr<i16>, %out: !tt.ptr<i16>, %want: !tt.ptr<i16>) {
    %i0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k0 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %l0 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %s0 = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %m0 = arith.muli %k0, %s0 : tensor<64x1xi32, #blocked>
    %o0 = tt.broadcast %m0 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %p0 = tt.broadcast %l0 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %q0 = arith.addi %o0, %p0 : tensor<64x64xi32, #blocked>
    %b0 = tt.splat %in : !tt.ptr<i16> -> tensor<64x64x!tt.ptr<i16>, #blocked>
    %a0 = tt.addptr %b0, %q0 : tensor<64x64x!tt.ptr<i16>, #blocked>, tensor<64x64xi32, #blocked>
    %whole = tt.load %a0 : tensor<64x64x!tt.ptr<i16>, #blocked>
    %part = amdg.extract_slice %whole [32, 16] : tensor<64x64xi16, #blocked> to tensor<32x32xi16, #blocked>
    %i1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k1 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l1 = tt.expand_dims %j1 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %s1 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m1 = arith.muli %k1, %s1 : tensor<32x1xi32, #blocked>
    %o1 = tt.broadcast %m1 : tensor<32x1xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %p1 = tt.broadcast %l1 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %q1 = arith.addi %o1, %p1 : tensor<32x32xi32, #blocked>
    %b1 = tt.splat %out : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>, #blocked>
    %a1 = tt.addptr %b1, %q1 : tensor<32x32x!tt.ptr<i16>, #blocked>, tensor<32x32xi32, #blocked>
    tt.store %a1, %part : tensor<32x32x!tt.ptr<i16>, #blocked>
    %i2 = tt.make_range {start = 32 : i32, end = 64 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j2 = tt.make_range {start = 16 : i32, end = 48 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k2 = tt.expand_dims %i2 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l2 = tt.expand_dims %j2 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %s2 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m2 = arith.muli %k2, %s2 : tensor<32x1xi32, #blocked>
    %o2 = tt.broadcast %m2 : tensor<32x1xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %p2 = tt.broadcast %l2 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %q2 = arith.addi %o2, %p2 : tensor<32x32xi32, #blocked>
    %b2 = tt.splat %in : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>, #blocked>
    %a2 = tt.addptr %b2, %q2 : tensor<32x32x!tt.ptr<i16>, #blocked>, tensor<32x32xi32, #blocked>
    %same = tt.load %a2 : tensor<32x32x!tt.ptr<i16>, #blocked>
    %i3 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j3 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k3 = tt.expand_dims %i3 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l3 = tt.expand_dims %j3 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %s3 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m3 = arith.muli %k3, %s3 : tensor<32x1xi32, #blocked>
    %o3 = tt.broadcast %m3 : tensor<32x1xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %p3 = tt.broadcast %l3 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %q3 = arith.addi %o3, %p3 : tensor<32x32xi32, #blocked>
    %b3 = tt.splat %want : !tt.ptr<i16> -> tensor<32x32x!tt.ptr<i16>, #blocked>
    %a3 = tt.addptr %b3, %q3 : tensor<32x32x!tt.ptr<i16>, #blocked>, tensor<32x32xi32, #blocked>
    tt.store %a3, %same : tensor<32x32x!tt.ptr<i16>, #blocked>
    tt.return
  }

  // CHECK-LABEL: llvm.func @concat
  // CHECK-NOT: addrspace(3)
  // CHECK-NOT: bpermute
  // CHECK: llvm.return
  tt.func public @concat(%in: !tt.ptr<i16>, %out: !tt.ptr<i16>, %want: !tt.ptr<i16>) {
    %i0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j0 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k0 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l0 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s0 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m0 = arith.muli %k0, %s0 : tensor<32x1xi32, #blocked>
    %o0 = tt.broadcast %m0 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p0 = tt.broadcast %l0 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q0 = arith.addi %o0, %p0 : tensor<32x16xi32, #blocked>
    %b0 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a0 = tt.addptr %b0, %q0 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v0 = tt.load %a0 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j1 = tt.make_range {start = 16 : i32, end = 32 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k1 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l1 = tt.expand_dims %j1 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s1 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m1 = arith.muli %k1, %s1 : tensor<32x1xi32, #blocked>
    %o1 = tt.broadcast %m1 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p1 = tt.broadcast %l1 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q1 = arith.addi %o1, %p1 : tensor<32x16xi32, #blocked>
    %b1 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a1 = tt.addptr %b1, %q1 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v1 = tt.load %a1 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i2 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j2 = tt.make_range {start = 32 : i32, end = 48 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k2 = tt.expand_dims %i2 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l2 = tt.expand_dims %j2 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s2 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m2 = arith.muli %k2, %s2 : tensor<32x1xi32, #blocked>
    %o2 = tt.broadcast %m2 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p2 = tt.broadcast %l2 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q2 = arith.addi %o2, %p2 : tensor<32x16xi32, #blocked>
    %b2 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a2 = tt.addptr %b2, %q2 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v2 = tt.load %a2 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i3 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j3 = tt.make_range {start = 48 : i32, end = 64 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k3 = tt.expand_dims %i3 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l3 = tt.expand_dims %j3 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s3 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m3 = arith.muli %k3, %s3 : tensor<32x1xi32, #blocked>
    %o3 = tt.broadcast %m3 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p3 = tt.broadcast %l3 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q3 = arith.addi %o3, %p3 : tensor<32x16xi32, #blocked>
    %b3 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a3 = tt.addptr %b3, %q3 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v3 = tt.load %a3 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i4 = tt.make_range {start = 32 : i32, end = 64 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j4 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k4 = tt.expand_dims %i4 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l4 = tt.expand_dims %j4 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s4 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m4 = arith.muli %k4, %s4 : tensor<32x1xi32, #blocked>
    %o4 = tt.broadcast %m4 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p4 = tt.broadcast %l4 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q4 = arith.addi %o4, %p4 : tensor<32x16xi32, #blocked>
    %b4 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a4 = tt.addptr %b4, %q4 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v4 = tt.load %a4 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i5 = tt.make_range {start = 32 : i32, end = 64 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j5 = tt.make_range {start = 16 : i32, end = 32 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k5 = tt.expand_dims %i5 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l5 = tt.expand_dims %j5 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s5 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m5 = arith.muli %k5, %s5 : tensor<32x1xi32, #blocked>
    %o5 = tt.broadcast %m5 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p5 = tt.broadcast %l5 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q5 = arith.addi %o5, %p5 : tensor<32x16xi32, #blocked>
    %b5 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a5 = tt.addptr %b5, %q5 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v5 = tt.load %a5 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i6 = tt.make_range {start = 32 : i32, end = 64 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j6 = tt.make_range {start = 32 : i32, end = 48 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k6 = tt.expand_dims %i6 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l6 = tt.expand_dims %j6 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s6 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m6 = arith.muli %k6, %s6 : tensor<32x1xi32, #blocked>
    %o6 = tt.broadcast %m6 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p6 = tt.broadcast %l6 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q6 = arith.addi %o6, %p6 : tensor<32x16xi32, #blocked>
    %b6 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a6 = tt.addptr %b6, %q6 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v6 = tt.load %a6 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %i7 = tt.make_range {start = 32 : i32, end = 64 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j7 = tt.make_range {start = 48 : i32, end = 64 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k7 = tt.expand_dims %i7 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %l7 = tt.expand_dims %j7 {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s7 = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %m7 = arith.muli %k7, %s7 : tensor<32x1xi32, #blocked>
    %o7 = tt.broadcast %m7 : tensor<32x1xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %p7 = tt.broadcast %l7 : tensor<1x16xi32, #blocked> -> tensor<32x16xi32, #blocked>
    %q7 = arith.addi %o7, %p7 : tensor<32x16xi32, #blocked>
    %b7 = tt.splat %in : !tt.ptr<i16> -> tensor<32x16x!tt.ptr<i16>, #blocked>
    %a7 = tt.addptr %b7, %q7 : tensor<32x16x!tt.ptr<i16>, #blocked>, tensor<32x16xi32, #blocked>
    %v7 = tt.load %a7 : tensor<32x16x!tt.ptr<i16>, #blocked>
    %whole = amdg.concat %v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7 : tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi16, #blocked> -> tensor<64x64xi16, #blocked>
    %i8 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j8 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k8 = tt.expand_dims %i8 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %l8 = tt.expand_dims %j8 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %s8 = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %m8 = arith.muli %k8, %s8 : tensor<64x1xi32, #blocked>
    %o8 = tt.broadcast %m8 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %p8 = tt.broadcast %l8 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %q8 = arith.addi %o8, %p8 : tensor<64x64xi32, #blocked>
    %b8 = tt.splat %out : !tt.ptr<i16> -> tensor<64x64x!tt.ptr<i16>, #blocked>
    %a8 = tt.addptr %b8, %q8 : tensor<64x64x!tt.ptr<i16>, #blocked>, tensor<64x64xi32, #blocked>
    tt.store %a8, %whole : tensor<64x64x!tt.ptr<i16>, #blocked>
    tt.return
  }
}
