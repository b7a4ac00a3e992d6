// ttg.fp4_to_fp: two numbers of each byte, all bytes, along either axis.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --input-file=%t.amd.mlir --enable-var-scope
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:70 %s | ll-translate --emit=ptx - -o %t.70.ptx && ptxas -arch=sm_75 %t.70.ptx -o /dev/null
// RUN: ll-translate --emit=amdgcn %t.amd.mlir | FileCheck %s --check-prefix=GCN
// RUN: ll-sim %t.mlir --entry columns --arg out=zeros:f16:512 --arg want=full:1.0:f16:512 --expect-same out=want
// RUN: ll-sim %t.mlir --entry rows --arg out=zeros:bf16:512 --arg want=full:1.0:bf16:512 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry columns --arg out=zeros:f16:512 --arg want=full:1.0:f16:512 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry rows --arg out=zeros:bf16:512 --arg want=full:1.0:bf16:512 --expect-same out=want

#s1 = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#d1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s0 = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [0, 1]}>
#d0 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @columns
  // CHECK: llvm.fmul %{{.+}}, %{{.+}} : vector<2xf16>
  // PTX-LABEL: .entry columns
  // PTX: mul.{{(rn.)?}}f16x2
  // GCN: v_pk_mul_f16
  tt.func public @columns(%out: !tt.ptr<f16>, %want: !tt.ptr<f16>) {
    %si0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #s1}>>
    %si1 = tt.expand_dims %si0 {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #s1}>> -> tensor<8x1xi32, #s1>
    %si = tt.broadcast %si1 : tensor<8x1xi32, #s1> -> tensor<8x32xi32, #s1>
    %sj0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #s1}>>
    %sj1 = tt.expand_dims %sj0 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #s1}>> -> tensor<1x32xi32, #s1>
    %sj = tt.broadcast %sj1 : tensor<1x32xi32, #s1> -> tensor<8x32xi32, #s1>
    %c32 = arith.constant dense<32> : tensor<8x32xi32, #s1>
    %s0 = arith.muli %si, %c32 : tensor<8x32xi32, #s1>
    %sn = arith.addi %s0, %sj : tensor<8x32xi32, #s1>
    %bytes = arith.trunci %sn : tensor<8x32xi32, #s1> to tensor<8x32xi8, #s1>
    %y = ttg.fp4_to_fp %bytes {axis = 1 : i32} : tensor<8x32xi8, #s1> -> tensor<8x64xf16, #d1>
    %di0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #d1}>>
    %di1 = tt.expand_dims %di0 {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #d1}>> -> tensor<8x1xi32, #d1>
    %di = tt.broadcast %di1 : tensor<8x1xi32, #d1> -> tensor<8x64xi32, #d1>
    %dj0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d1}>>
    %dj1 = tt.expand_dims %dj0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d1}>> -> tensor<1x64xi32, #d1>
    %dj = tt.broadcast %dj1 : tensor<1x64xi32, #d1> -> tensor<8x64xi32, #d1>
    %k1 = arith.constant dense<1> : tensor<8x64xi32, #d1>
    %k2 = arith.constant dense<2> : tensor<8x64xi32, #d1>
    %k3 = arith.constant dense<3> : tensor<8x64xi32, #d1>
    %k4 = arith.constant dense<4> : tensor<8x64xi32, #d1>
    %k7 = arith.constant dense<7> : tensor<8x64xi32, #d1>
    %k8 = arith.constant dense<8> : tensor<8x64xi32, #d1>
    %k15 = arith.constant dense<15> : tensor<8x64xi32, #d1>
    %k32 = arith.constant dense<32> : tensor<8x64xi32, #d1>
    %k64 = arith.constant dense<64> : tensor<8x64xi32, #d1>
    %k0 = arith.constant dense<0> : tensor<8x64xi32, #d1>
    // The number of half of the byte: its lower bits count halves, doubled by each exponent above 1.
    %q = arith.shrui %dj, %k1 : tensor<8x64xi32, #d1>
    %b0 = arith.muli %di, %k32 : tensor<8x64xi32, #d1>
    %b = arith.addi %b0, %q : tensor<8x64xi32, #d1>
    %odd = arith.andi %dj, %k1 : tensor<8x64xi32, #d1>
    %by = arith.muli %odd, %k4 : tensor<8x64xi32, #d1>
    %n0 = arith.shrui %b, %by : tensor<8x64xi32, #d1>
    %n = arith.andi %n0, %k15 : tensor<8x64xi32, #d1>
    %m = arith.andi %n, %k1 : tensor<8x64xi32, #d1>
    %e0 = arith.shrui %n, %k1 : tensor<8x64xi32, #d1>
    %e = arith.andi %e0, %k3 : tensor<8x64xi32, #d1>
    %normal = arith.addi %m, %k2 : tensor<8x64xi32, #d1>
    %em = arith.subi %e, %k1 : tensor<8x64xi32, #d1>
    %isub = arith.cmpi eq, %e, %k0 : tensor<8x64xi32, #d1>
    %sh = arith.select %isub, %k0, %em : tensor<8x64xi1, #d1>, tensor<8x64xi32, #d1>
    %big = arith.shli %normal, %sh : tensor<8x64xi32, #d1>
    %halves = arith.select %isub, %m, %big : tensor<8x64xi1, #d1>, tensor<8x64xi32, #d1>
    %f = arith.sitofp %halves : tensor<8x64xi32, #d1> to tensor<8x64xf32, #d1>
    %half = arith.constant dense<0.5> : tensor<8x64xf32, #d1>
    %g = arith.mulf %f, %half : tensor<8x64xf32, #d1>
    %neg = arith.negf %g : tensor<8x64xf32, #d1>
    %isneg = arith.cmpi sge, %n, %k8 : tensor<8x64xi32, #d1>
    %v = arith.select %isneg, %neg, %g : tensor<8x64xi1, #d1>, tensor<8x64xf32, #d1>
    %w = arith.truncf %v : tensor<8x64xf32, #d1> to tensor<8x64xf16, #d1>
    %o0 = arith.muli %di, %k64 : tensor<8x64xi32, #d1>
    %o = arith.addi %o0, %dj : tensor<8x64xi32, #d1>
    %outs = tt.splat %out : !tt.ptr<f16> -> tensor<8x64x!tt.ptr<f16>, #d1>
    %outp = tt.addptr %outs, %o : tensor<8x64x!tt.ptr<f16>, #d1>, tensor<8x64xi32, #d1>
    tt.store %outp, %y : tensor<8x64x!tt.ptr<f16>, #d1>
    %wants = tt.splat %want : !tt.ptr<f16> -> tensor<8x64x!tt.ptr<f16>, #d1>
    %wantp = tt.addptr %wants, %o : tensor<8x64x!tt.ptr<f16>, #d1>, tensor<8x64xi32, #d1>
    tt.store %wantp, %w : tensor<8x64x!tt.ptr<f16>, #d1>
    tt.return
  }

  // CHECK-LABEL: llvm.func @rows
  // CHECK: llvm.bitcast %{{.+}} : i32 to vector<2xbf16>
  tt.func public @rows(%out: !tt.ptr<bf16>, %want: !tt.ptr<bf16>) {
    %si0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #s0}>>
    %si1 = tt.expand_dims %si0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #s0}>> -> tensor<32x1xi32, #s0>
    %si = tt.broadcast %si1 : tensor<32x1xi32, #s0> -> tensor<32x8xi32, #s0>
    %sj0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #s0}>>
    %sj1 = tt.expand_dims %sj0 {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #s0}>> -> tensor<1x8xi32, #s0>
    %sj = tt.broadcast %sj1 : tensor<1x8xi32, #s0> -> tensor<32x8xi32, #s0>
    %c32 = arith.constant dense<32> : tensor<32x8xi32, #s0>
    %s0 = arith.muli %sj, %c32 : tensor<32x8xi32, #s0>
    %sn = arith.addi %s0, %si : tensor<32x8xi32, #s0>
    %bytes = arith.trunci %sn : tensor<32x8xi32, #s0> to tensor<32x8xi8, #s0>
    %y = ttg.fp4_to_fp %bytes {axis = 0 : i32} : tensor<32x8xi8, #s0> -> tensor<64x8xbf16, #d0>
    %di0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d0}>>
    %di1 = tt.expand_dims %di0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d0}>> -> tensor<64x1xi32, #d0>
    %di = tt.broadcast %di1 : tensor<64x1xi32, #d0> -> tensor<64x8xi32, #d0>
    %dj0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #d0}>>
    %dj1 = tt.expand_dims %dj0 {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #d0}>> -> tensor<1x8xi32, #d0>
    %dj = tt.broadcast %dj1 : tensor<1x8xi32, #d0> -> tensor<64x8xi32, #d0>
    %k1 = arith.constant dense<1> : tensor<64x8xi32, #d0>
    %k2 = arith.constant dense<2> : tensor<64x8xi32, #d0>
    %k3 = arith.constant dense<3> : tensor<64x8xi32, #d0>
    %k4 = arith.constant dense<4> : tensor<64x8xi32, #d0>
    %k7 = arith.constant dense<7> : tensor<64x8xi32, #d0>
    %k8 = arith.constant dense<8> : tensor<64x8xi32, #d0>
    %k15 = arith.constant dense<15> : tensor<64x8xi32, #d0>
    %k32 = arith.constant dense<32> : tensor<64x8xi32, #d0>
    %k64 = arith.constant dense<64> : tensor<64x8xi32, #d0>
    %k0 = arith.constant dense<0> : tensor<64x8xi32, #d0>
    // The number of half of the byte: its lower bits count halves, doubled by each exponent above 1.
    %q = arith.shrui %di, %k1 : tensor<64x8xi32, #d0>
    %b0 = arith.muli %dj, %k32 : tensor<64x8xi32, #d0>
    %b = arith.addi %b0, %q : tensor<64x8xi32, #d0>
    %odd = arith.andi %di, %k1 : tensor<64x8xi32, #d0>
    %by = arith.muli %odd, %k4 : tensor<64x8xi32, #d0>
    %n0 = arith.shrui %b, %by : tensor<64x8xi32, #d0>
    %n = arith.andi %n0, %k15 : tensor<64x8xi32, #d0>
    %m = arith.andi %n, %k1 : tensor<64x8xi32, #d0>
    %e0 = arith.shrui %n, %k1 : tensor<64x8xi32, #d0>
    %e = arith.andi %e0, %k3 : tensor<64x8xi32, #d0>
    %normal = arith.addi %m, %k2 : tensor<64x8xi32, #d0>
    %em = arith.subi %e, %k1 : tensor<64x8xi32, #d0>
    %isub = arith.cmpi eq, %e, %k0 : tensor<64x8xi32, #d0>
    %sh = arith.select %isub, %k0, %em : tensor<64x8xi1, #d0>, tensor<64x8xi32, #d0>
    %big = arith.shli %normal, %sh : tensor<64x8xi32, #d0>
    %halves = arith.select %isub, %m, %big : tensor<64x8xi1, #d0>, tensor<64x8xi32, #d0>
    %f = arith.sitofp %halves : tensor<64x8xi32, #d0> to tensor<64x8xf32, #d0>
    %half = arith.constant dense<0.5> : tensor<64x8xf32, #d0>
    %g = arith.mulf %f, %half : tensor<64x8xf32, #d0>
    %neg = arith.negf %g : tensor<64x8xf32, #d0>
    %isneg = arith.cmpi sge, %n, %k8 : tensor<64x8xi32, #d0>
    %v = arith.select %isneg, %neg, %g : tensor<64x8xi1, #d0>, tensor<64x8xf32, #d0>
    %w = arith.truncf %v : tensor<64x8xf32, #d0> to tensor<64x8xbf16, #d0>
    %o0 = arith.muli %dj, %k64 : tensor<64x8xi32, #d0>
    %o = arith.addi %o0, %di : tensor<64x8xi32, #d0>
    %outs = tt.splat %out : !tt.ptr<bf16> -> tensor<64x8x!tt.ptr<bf16>, #d0>
    %outp = tt.addptr %outs, %o : tensor<64x8x!tt.ptr<bf16>, #d0>, tensor<64x8xi32, #d0>
    tt.store %outp, %y : tensor<64x8x!tt.ptr<bf16>, #d0>
    %wants = tt.splat %want : !tt.ptr<bf16> -> tensor<64x8x!tt.ptr<bf16>, #d0>
    %wantp = tt.addptr %wants, %o : tensor<64x8x!tt.ptr<bf16>, #d0>, tensor<64x8xi32, #d0>
    tt.store %wantp, %w : tensor<64x8x!tt.ptr<bf16>, #d0>
    tt.return
  }
}
