// A chain of operations whose last one is unused, over several blocks: nothing of it is left.
// RUN: ll-opt --remove-layout-conversions %s | FileCheck %s --enable-var-scope

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @k
  // CHECK-NOT: tensor
  // CHECK: tt.return
  tt.func public @k(%p: !tt.ptr<i8>, %c: i1) {
    %0 = arith.constant dense<0> : tensor<128xi32, #a>
    %1 = ttg.convert_layout %0 : tensor<128xi32, #a> -> tensor<128xi32, #b>
    %2 = arith.addi %1, %1 : tensor<128xi32, #b>
    %s = tt.splat %p : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>, #b>
    %3 = tt.addptr %s, %2 : tensor<128x!tt.ptr<i8>, #b>, tensor<128xi32, #b>
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %4 = tt.ptr_to_int %3 : tensor<128x!tt.ptr<i8>, #b> -> tensor<128xi64, #b>
    %k = arith.constant dense<85> : tensor<128xi64, #b>
    %5 = arith.xori %4, %k : tensor<128xi64, #b>
    %6 = tt.int_to_ptr %5 : tensor<128xi64, #b> -> tensor<128x!tt.ptr<i8>, #b>
    cf.br ^bb2
  ^bb2:
    tt.return
  }
}
