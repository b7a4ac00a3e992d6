// Atomic accesses of scope block do not synchronize blocks.

// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --schedule=1 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --schedule=2 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --schedule=3 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --schedule=4 2>&1 | FileCheck %s
// CHECK: error: atomic store to byte 0 of `o` has scope `block`, and the atomic store by lane {{[0-9]+}} of warp {{[01]}} in block (0, 0, 0) has scope `block`; expected at least scope `gpu` for both

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  llvm.func @k(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %m1 = llvm.mlir.constant(-1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = llvm.and %tid, %c31 : i32
    %warp = llvm.lshr %tid, %c5 : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %omine = llvm.getelementptr %o[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.atomicrmw add %o, %c1 syncscope("block") monotonic : !llvm.ptr<1>, i32
    llvm.return
  }
}
