// On NVIDIA, an index is computed from the thread index as a whole: LLVM then finds the constant distances between the
// indices of a thread, which become immediate offsets of addresses. On AMD, the warp's part stays in scalar registers.

// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s
// RUN: sed -e 's/cuda:90/hip:gfx942/' -e 's/per-warp" = 32/per-warp" = 64/' -e 's/= \[4, 8\]/= [8, 8]/' %s \
// RUN:   | ll-opt --convert-layouts-to-llvm | FileCheck --check-prefix=AMD %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: llvm.func @rows
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-NEXT: %[[ROW:.*]] = llvm.lshr %[[TID]], %[[THREE]]
  // CHECK: llvm.or disjoint %[[ROW]]
  // CHECK-NOT: llvm.shl

  // AMD-LABEL: llvm.func @rows
  // AMD: %[[WARP:.*]] = rocdl.readfirstlane
  // AMD: %[[OF_WARP:.*]] = llvm.shl %[[WARP]]
  // AMD: llvm.or disjoint %{{.*}}, %[[OF_WARP]]
  tt.func public @rows(%out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %row = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %base = tt.splat %out : !tt.ptr<i32> -> tensor<32x1x!tt.ptr<i32>, #blocked>
    %to = tt.addptr %base, %rows : tensor<32x1x!tt.ptr<i32>, #blocked>, tensor<32x1xi32, #blocked>
    tt.store %to, %rows : tensor<32x1x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
