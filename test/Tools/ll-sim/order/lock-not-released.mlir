// A lock that the first block does not release.

// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --arg d=zeros:i32:256 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --arg d=zeros:i32:256 --schedule=1 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --arg d=zeros:i32:256 --schedule=2 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --arg d=zeros:i32:256 --schedule=3 2>&1 | FileCheck %s
// RUN: not ll-sim %s -q --grid 2 --arg o=zeros:i32:256 --arg d=zeros:i32:256 --schedule=4 2>&1 | FileCheck %s
// CHECK: error: deadlock: no warp can make progress
// CHECK-DAG: warp 0 of block (1, 0, 0) waits in a loop until `{{.*}}llvm.cmpxchg

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  llvm.func @k(%o: !llvm.ptr<1>, %d: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %m1 = llvm.mlir.constant(-1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %bid = nvvm.read.ptx.sreg.ctaid.x : i32
    %warp = llvm.lshr %tid, %c5 : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %dm = llvm.getelementptr %d[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %o1 = llvm.getelementptr %o[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %o16 = llvm.getelementptr %o[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %t0 = llvm.icmp "eq" %tid, %c0 : i32
    %w0 = llvm.icmp "eq" %warp, %c0 : i32
    %b0 = llvm.icmp "eq" %bid, %c0 : i32
    llvm.cond_br %t0, ^spin, ^go
  ^spin:
    %r = llvm.cmpxchg %o, %c0, %c1 syncscope("device") acq_rel acquire : !llvm.ptr<1>, i32
    %f = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
    llvm.cond_br %f, ^go, ^spin
  ^go:
    nvvm.barrier0
    %v = llvm.load %dm : !llvm.ptr<1> -> i32
    %w = llvm.add %v, %c1 : i32
    llvm.store %w, %dm : i32, !llvm.ptr<1>
    nvvm.barrier0
    llvm.cond_br %t0, ^un, ^end
  ^un:
    llvm.br ^end
  ^end:
    llvm.return
  }
}
