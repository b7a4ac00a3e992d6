// Matrices of a warp: `ldmatrix`, `stmatrix` and `movmatrix` where lanes lie as they ask, and only where the GPU has them.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,STORES
// RUN: sed 's/cuda:90/cuda:80/' %s | ll-opt --convert-layouts-to-llvm | FileCheck %s --check-prefixes=CHECK,LOADS
// RUN: sed 's/cuda:90/cuda:70/' %s | ll-opt --convert-layouts-to-llvm | FileCheck %s --check-prefix=NONE
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir
// RUN: ll-sim %t.mlir --entry convert --arg x=random:f16:4096 --arg out=zeros:f16:4096 --expect-same out=x | FileCheck %s --check-prefix=SIM
// RUN: ll-sim %t.mlir --entry turned --arg x=random:f16:1024 --arg out=zeros:f16:1024 --expect-same out=x | FileCheck %s --check-prefix=TURN
// RUN: ll-translate --emit=ptx %t.mlir | FileCheck %s --check-prefix=PTX
// NONE-NOT: matrix
// TURN: 16 shuffles
// PTX: movmatrix.sync.aligned.m8n8.trans.b16
// SIM: stmatrix x4 x 4: 16 executed by warps, 64 wavefronts (ideal 64)
// SIM: 0 bank conflicts

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#cols = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#held = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]], block = []}>
#turned = #ttg.linear<{register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[16, 0], [0, 16]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // What tensor cores take: rows as they are for the left operand, turned for the right one.
  // CHECK-LABEL: llvm.func @operands
  tt.func public @operands() {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #rows>
    %s = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable>
    // CHECK-COUNT-8: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
    // CHECK-NOT: ldmatrix
    %a = ttg.local_load %s : !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable> -> tensor<64x64xf16, #a>
    ttg.barrier local
    // CHECK-COUNT-8: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
    // CHECK-NOT: ldmatrix
    %b = ttg.local_load %s : !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable> -> tensor<64x64xf16, #b>
    tt.return
  }

  // What they give, stored: a word is two columns of a row.
  // CHECK-LABEL: llvm.func @result
  tt.func public @result() {
    %r = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    // STORES-COUNT-4: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<row>
    // LOADS-NOT: nvvm.stmatrix
    %s = ttg.local_alloc %r : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable>
    tt.return
  }

  // From rows to columns: what lies beside it belongs to other lanes, so turned matrices are stored.
  // CHECK-LABEL: llvm.func @convert
  tt.func public @convert(%x: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
    %pr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %pc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %pk = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %pm = arith.muli %pr1, %pk : tensor<64x1xi32, #rows>
    %prb = tt.broadcast %pm : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %pcb = tt.broadcast %pc1 : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %po = arith.addi %prb, %pcb : tensor<64x64xi32, #rows>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    %p = tt.addptr %pb, %po : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
    %qr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #cols}>>
    %qc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #cols}>>
    %qr1 = tt.expand_dims %qr {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #cols}>> -> tensor<64x1xi32, #cols>
    %qc1 = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #cols}>> -> tensor<1x64xi32, #cols>
    %qk = arith.constant dense<64> : tensor<64x1xi32, #cols>
    %qm = arith.muli %qr1, %qk : tensor<64x1xi32, #cols>
    %qrb = tt.broadcast %qm : tensor<64x1xi32, #cols> -> tensor<64x64xi32, #cols>
    %qcb = tt.broadcast %qc1 : tensor<1x64xi32, #cols> -> tensor<64x64xi32, #cols>
    %qo = arith.addi %qrb, %qcb : tensor<64x64xi32, #cols>
    %qb = tt.splat %out : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #cols>
    %q = tt.addptr %qb, %qo : tensor<64x64x!tt.ptr<f16>, #cols>, tensor<64x64xi32, #cols>
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    // STORES: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<col>
    // LOADS: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
    %w = ttg.convert_layout %v : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #cols>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f16>, #cols>
    tt.return
  }

  // Within a warp, rows of a tensor core's results become its columns: one instruction a word.
  // CHECK-LABEL: llvm.func @turned
  tt.func public @turned(%x: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
    %pr = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #held}>>
    %pc = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #held}>>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #held}>> -> tensor<32x1xi32, #held>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #held}>> -> tensor<1x32xi32, #held>
    %pk = arith.constant dense<32> : tensor<32x1xi32, #held>
    %pm = arith.muli %pr1, %pk : tensor<32x1xi32, #held>
    %prb = tt.broadcast %pm : tensor<32x1xi32, #held> -> tensor<32x32xi32, #held>
    %pcb = tt.broadcast %pc1 : tensor<1x32xi32, #held> -> tensor<32x32xi32, #held>
    %po = arith.addi %prb, %pcb : tensor<32x32xi32, #held>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #held>
    %p = tt.addptr %pb, %po : tensor<32x32x!tt.ptr<f16>, #held>, tensor<32x32xi32, #held>
    %qr = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #turned}>>
    %qc = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #turned}>>
    %qr1 = tt.expand_dims %qr {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #turned}>> -> tensor<32x1xi32, #turned>
    %qc1 = tt.expand_dims %qc {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #turned}>> -> tensor<1x32xi32, #turned>
    %qk = arith.constant dense<32> : tensor<32x1xi32, #turned>
    %qm = arith.muli %qr1, %qk : tensor<32x1xi32, #turned>
    %qrb = tt.broadcast %qm : tensor<32x1xi32, #turned> -> tensor<32x32xi32, #turned>
    %qcb = tt.broadcast %qc1 : tensor<1x32xi32, #turned> -> tensor<32x32xi32, #turned>
    %qo = arith.addi %qrb, %qcb : tensor<32x32xi32, #turned>
    %qb = tt.splat %out : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #turned>
    %q = tt.addptr %qb, %qo : tensor<32x32x!tt.ptr<f16>, #turned>, tensor<32x32xi32, #turned>
    %v = tt.load %p : tensor<32x32x!tt.ptr<f16>, #held>
    // CHECK-COUNT-4: movmatrix.sync.aligned.m8n8.trans.b16
    // CHECK-NOT: movmatrix
    // CHECK-NOT: shfl
    %w = ttg.convert_layout %v : tensor<32x32xf16, #held> -> tensor<32x32xf16, #turned>
    tt.store %q, %w : tensor<32x32x!tt.ptr<f16>, #turned>
    tt.return
  }
}
