// A release and an acquire between warps of a block.

// RUN: ll-sim %s -q --arg o=zeros:i32:256
// RUN: ll-sim %s -q --arg o=zeros:i32:256 --schedule=1
// RUN: ll-sim %s -q --arg o=zeros:i32:256 --schedule=2
// RUN: ll-sim %s -q --arg o=zeros:i32:256 --schedule=3
// RUN: ll-sim %s -q --arg o=zeros:i32:256 --schedule=4

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
    %flag = llvm.getelementptr %smem[200] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %t0 = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %t0, ^i, ^s
  ^i:
    llvm.store %c0, %flag : i32, !llvm.ptr<3>
    llvm.br ^s
  ^s:
    nvvm.barrier0
    %w0 = llvm.icmp "eq" %warp, %c0 : i32
    llvm.cond_br %w0, ^prod, ^cons
  ^prod:
    llvm.store %tid, %mine : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %m1 : i32
    llvm.cond_br %t0, ^set, ^end
  ^set:
    llvm.store %c1, %flag atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<3>
    llvm.br ^end
  ^cons:
    %f = llvm.load %flag atomic syncscope("block") acquire {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    %is = llvm.icmp "eq" %f, %c1 : i32
    llvm.cond_br %is, ^read, ^cons
  ^read:
    %other = llvm.xor %tid, %c32 : i32
    %p = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    llvm.store %v, %omine : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
