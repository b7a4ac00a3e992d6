// Remarks on what each operation does in shared memory.

// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{explain=true})' %s -o /dev/null 2>&1 | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 32, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @columns() {
    %x = arith.constant dense<1.0> : tensor<32x32xf32, #columns>
    // 8 accesses of each of 4 warps, all lanes of a warp in one bank.
    // CHECK-DAG: [[@LINE+1]]:{{.*}} remark: shared memory of a thread block: wavefronts 1024 (bank conflicts 992), barriers 0, scratch 0 bytes
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #columns>) -> !ttg.memdesc<32x32xf32, #plain, #smem>
    // CHECK-DAG: [[@LINE+1]]:{{.*}} remark: {{.*}} wavefronts 32 (bank conflicts 0)
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #columns>) -> !ttg.memdesc<32x32xf32, #swizzled, #smem>
    tt.return
  }
  tt.func @conversion() {
    %x = arith.constant dense<1.0> : tensor<32x32xf32, #rows>
    // CHECK-DAG: [[@LINE+1]]:{{.*}} remark: {{.*}} (bank conflicts 0), barriers 1, scratch 4096 bytes
    %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // An operation in registers has no remark.
    %z = arith.addf %y, %y : tensor<32x32xf32, #columns>
    tt.return
  }
}
