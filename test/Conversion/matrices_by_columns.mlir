// Operands of tensor cores whose rows lie along columns in shared memory: read by the instructions that turn them.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.READ16.mlir
// RUN: FileCheck %s --check-prefix=READ16 < %t.READ16.mlir
// RUN: ll-sim %t.READ16.mlir --entry columns --arg x=random:f16:4096 --arg out=zeros:f16:4096 --expect-same out=x | FileCheck %s --check-prefix=READ16-SIM
// RUN: ll-translate --emit=amdgcn %t.READ16.mlir | FileCheck %s --check-prefix=READ16-ASM
// RUN: sed 's/f16/i8/g; s/kWidth = 8/kWidth = 16/' %s | ll-opt --convert-layouts-to-llvm -o %t.READ8.mlir
// RUN: FileCheck %s --check-prefix=READ8 < %t.READ8.mlir
// RUN: ll-sim %t.READ8.mlir --entry columns --arg x=random:i8:4096 --arg out=zeros:i8:4096 --expect-same out=x | FileCheck %s --check-prefix=READ8-SIM
// RUN: ll-translate --emit=amdgcn %t.READ8.mlir | FileCheck %s --check-prefix=READ8-ASM
// RUN: sed 's/gfx950/gfx1250/; s/per-warp" = 64/per-warp" = 32/; s/, 8], warpsPer/, 4], warpsPer/; s/#ttg.amd_mfma.*/#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [0, 1]]}, instrShape = [16, 16, 32]}>/' %s | ll-opt --convert-layouts-to-llvm -o %t.LOAD16.mlir
// RUN: FileCheck %s --check-prefix=LOAD16 < %t.LOAD16.mlir
// RUN: ll-sim %t.LOAD16.mlir --entry columns --arg x=random:f16:4096 --arg out=zeros:f16:4096 --expect-same out=x | FileCheck %s --check-prefix=LOAD16-SIM
// RUN: ll-translate --emit=amdgcn %t.LOAD16.mlir | FileCheck %s --check-prefix=LOAD16-ASM
// RUN: sed 's/gfx950/gfx1250/; s/per-warp" = 64/per-warp" = 32/; s/, 8], warpsPer/, 4], warpsPer/; s/#ttg.amd_mfma.*/#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [0, 1]]}, instrShape = [16, 16, 32]}>/; s/f16/i8/g' %s | ll-opt --convert-layouts-to-llvm -o %t.LOAD8.mlir
// RUN: FileCheck %s --check-prefix=LOAD8 < %t.LOAD8.mlir
// RUN: ll-sim %t.LOAD8.mlir --entry columns --arg x=random:i8:4096 --arg out=zeros:i8:4096 --expect-same out=x | FileCheck %s --check-prefix=LOAD8-SIM
// RUN: ll-translate --emit=amdgcn %t.LOAD8.mlir | FileCheck %s --check-prefix=LOAD8-ASM
// RUN: sed 's/hip:gfx950/cuda:100/; s/per-warp" = 64/per-warp" = 32/; s/, 8], warpsPer/, 4], warpsPer/; s/#ttg.amd_mfma.*/#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>/; s/f16/i8/g; s/kWidth = 8/kWidth = 4/' %s | ll-opt --convert-layouts-to-llvm -o %t.BYTES.mlir
// RUN: FileCheck %s --check-prefix=BYTES < %t.BYTES.mlir
// RUN: ll-sim %t.BYTES.mlir --entry columns --arg x=random:i8:4096 --arg out=zeros:i8:4096 --expect-same out=x | FileCheck %s --check-prefix=BYTES-SIM
// RUN: ll-translate --emit=ptx %t.BYTES.mlir | FileCheck %s --check-prefix=BYTES-ASM
// READ16-COUNT-8: rocdl.ds.read.tr16.b64
// READ16-NOT: rocdl.ds.read
// READ16-SIM: ds_read_b64_tr_b16
// READ16-ASM: ds_read_b64_tr_b16
// READ8-COUNT-4: rocdl.ds.read.tr8.b64
// READ8-NOT: rocdl.ds.read
// READ8-SIM: ds_read_b64_tr_b8
// READ8-ASM: ds_read_b64_tr_b8
// LOAD16: rocdl.ds.load.tr16.b128
// LOAD16-SIM: ds_load_tr16_b128
// LOAD16-ASM: ds_load_tr16_b128
// LOAD8: rocdl.ds.load.tr8.b64
// LOAD8-SIM: ds_load_tr8_b64
// LOAD8-ASM: ds_load_tr8_b64
// BYTES: nvvm.ldmatrix {{.*}}shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>
// BYTES-SIM: ldmatrix m16n16 x2
// BYTES-ASM: ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8

#product = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true}>
#left = #ttg.dot_op<{opIdx = 0, parent = #product, kWidth = 8}>
#rows = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#columns = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @columns(%x: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
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
    %qr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #left}>>
    %qc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #left}>>
    %qr1 = tt.expand_dims %qr {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #left}>> -> tensor<64x1xi32, #left>
    %qc1 = tt.expand_dims %qc {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #left}>> -> tensor<1x64xi32, #left>
    %qk = arith.constant dense<64> : tensor<64x1xi32, #left>
    %qm = arith.muli %qr1, %qk : tensor<64x1xi32, #left>
    %qrb = tt.broadcast %qm : tensor<64x1xi32, #left> -> tensor<64x64xi32, #left>
    %qcb = tt.broadcast %qc1 : tensor<1x64xi32, #left> -> tensor<64x64xi32, #left>
    %qo = arith.addi %qrb, %qcb : tensor<64x64xi32, #left>
    %qb = tt.splat %out : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #left>
    %q = tt.addptr %qb, %qo : tensor<64x64x!tt.ptr<f16>, #left>, tensor<64x64xi32, #left>
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
    %s = ttg.local_alloc %v : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #columns, #smem, mutable>
    %w = ttg.local_load %s : !ttg.memdesc<64x64xf16, #columns, #smem, mutable> -> tensor<64x64xf16, #left>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f16>, #left>
    tt.return
  }
}
