// The region of tt.map_elementwise runs on scalars, `pack` registers at a time.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s
// RUN: ll-sim %s --entry swap --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: ll-sim %s --entry branch --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Neighbours change places twice, and their sum is known of each.
  // CHECK-LABEL: llvm.func @swap
  // CHECK-COUNT-2: llvm.mul
  // CHECK-NOT: llvm.mul
  tt.func public @swap(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %x:2 = "tt.map_elementwise"(%r) <{pack = 2 : i32}> ({
    ^bb0(%even: i32, %odd: i32):
      %s = arith.muli %even, %odd : i32
      tt.map_elementwise.return %odd, %even, %s, %s : i32, i32, i32, i32
    }) : (tensor<128xi32, #b>) -> (tensor<128xi32, #b>, tensor<128xi32, #b>)
    %y = "tt.map_elementwise"(%x#0, %x#1) <{pack = 2 : i32}> ({
    ^bb0(%a: i32, %b: i32, %s: i32, %t: i32):
      %c20 = arith.constant 20 : i32
      %zero = arith.shrui %t, %c20 : i32
      %c = arith.addi %b, %zero : i32
      tt.map_elementwise.return %c, %a : i32, i32
    }) : (tensor<128xi32, #b>, tensor<128xi32, #b>) -> tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %p, %y : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  // A region of several blocks, in a loop; each thread goes its own way.
  // CHECK-LABEL: llvm.func @branch
  // CHECK: llvm.cond_br
  // CHECK: llvm.cond_br
  tt.func public @branch(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %r) -> (tensor<128xi32, #b>) : i32 {
      %z = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
      ^bb0(%e: i32):
        %c64 = arith.constant 64 : i32
        %low = arith.cmpi slt, %e, %c64 : i32
        cf.cond_br %low, ^low, ^high(%e : i32)
      ^low:
        %up = arith.addi %e, %c64 : i32
        cf.br ^high(%up : i32)
      ^high(%h: i32):
        %back = arith.subi %h, %c64 : i32
        %is_high = arith.cmpi sge, %e, %c64 : i32
        %kept = arith.select %is_high, %e, %back : i32
        tt.map_elementwise.return %kept : i32
      }) : (tensor<128xi32, #b>) -> tensor<128xi32, #b>
      scf.yield %z : tensor<128xi32, #b>
    }
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %p, %y : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }
}
