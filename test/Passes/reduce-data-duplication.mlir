// RUN: ll-opt --reduce-data-duplication %s | FileCheck %s
// RUN: ll-opt --reduce-data-duplication --verify-diagnostics %s -o /dev/null

// Without conflicts, and `ldmatrix` gives neighbours along K in one word, as the product takes them.
// CHECK: #[[$SHARED:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // All warps need all of the right operand.
  // CHECK-LABEL: tt.func @operand
  tt.func @operand(%x: tensor<64x64xf16, #rows>) -> tensor<64x64xf16, #right> {
    // CHECK-NEXT: %[[M:.+]] = ttg.local_alloc %{{.+}} : (tensor<64x64xf16, #{{.+}}>) -> !ttg.memdesc<64x64xf16, #[[$SHARED]], #smem>
    // CHECK-NEXT: ttg.local_load %[[M]] {my.note}
    // CHECK-NEXT: tt.return
    %0 = ttg.convert_layout %x {my.note} : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #right>
    tt.return %0 : tensor<64x64xf16, #right>
  }

  // What was a product's result is the next one's operand in the same registers; and a conversion that is for no
  // product stays one.
  // CHECK-LABEL: tt.func @others
  tt.func @others(%x: tensor<64x64xf16, #mma>, %y: tensor<64x64xf16, #rows>, %z: tensor<64x64xi1, #rows>) -> (tensor<64x64xf16, #left>, tensor<64x64xf16, #columns>, tensor<64x64xi1, #left>) {
    // CHECK-NEXT: ttg.convert_layout
    // CHECK-NEXT: ttg.convert_layout
    // CHECK-NEXT: ttg.convert_layout
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
    %1 = ttg.convert_layout %y : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #columns>
    // Elements of one bit have no place in shared memory; that is not an error.
    %2 = ttg.convert_layout %z : tensor<64x64xi1, #rows> -> tensor<64x64xi1, #left>
    tt.return %0, %1, %2 : tensor<64x64xf16, #left>, tensor<64x64xf16, #columns>, tensor<64x64xi1, #left>
  }

  // The second load does not wait for the first buffer's barrier; a product in a loop reads before the loop.
  // CHECK-LABEL: tt.func @late
  tt.func @late(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %q: tensor<64x64x!tt.ptr<f16>, #rows>, %d: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    // CHECK-NEXT: %[[X:.+]] = tt.load
    // CHECK-NEXT: %[[L:.+]] = ttg.local_alloc %[[X]]
    // CHECK-NEXT: %[[Y:.+]] = tt.load
    // CHECK-NEXT: %[[R:.+]] = ttg.local_alloc %[[Y]]
    // CHECK-NEXT: %[[A:.+]] = ttg.local_load %[[L]]
    // CHECK-NEXT: %[[B:.+]] = ttg.local_load %[[R]]
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: tt.dot %[[A]], %[[B]]
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #left>
    %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #rows>
    %b = ttg.convert_layout %y : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #right>
    %sum = scf.for %i = %n to %n step %n iter_args(%s = %d) -> (tensor<64x64xf32, #mma>) : i32 {
      %t = tt.dot %a, %b, %s : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
      scf.yield %t : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
}
