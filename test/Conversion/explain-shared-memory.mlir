// Remarks on what each operation does in shared memory.

// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{explain=true})' %s -o /dev/null 2>&1 | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 32, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @columns(%x: tensor<32x32xf32, #columns>) {
    // 8 accesses of each of 4 warps, all lanes of a warp in one bank.
    // CHECK: [[@LINE+1]]:{{.*}} remark: shared memory: 1024 wavefronts per thread block, 992 of them bank conflicts; 0 barriers; 0 bytes of scratch
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #columns>) -> !ttg.memdesc<32x32xf32, #plain, #smem>
    // CHECK: [[@LINE+1]]:{{.*}} remark: shared memory: 32 wavefronts per thread block, 0 of them bank conflicts
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #columns>) -> !ttg.memdesc<32x32xf32, #swizzled, #smem>
    tt.return
  }
  tt.func @conversion(%x: tensor<32x32xf32, #rows>) {
    // CHECK: [[@LINE+1]]:{{.*}} remark: shared memory: {{[0-9]+}} wavefronts per thread block, 0 of them bank conflicts; 1 barriers; {{[1-9][0-9]*}} bytes of scratch
    %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // What stays in registers is not mentioned.
    // CHECK-NOT: remark
    %z = arith.addf %y, %y : tensor<32x32xf32, #columns>
    tt.return
  }
}
