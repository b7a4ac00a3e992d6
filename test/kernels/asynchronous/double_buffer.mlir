// A loop over tiles with two buffers: the next tile is copied while this one is read.
module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
  llvm.func @double_buffer(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %other = llvm.xor %tid, %c32 : i32
    %d = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %s = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %d, %s, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    llvm.br ^loop(%c0, %c0 : i32, i32)
  ^loop(%i: i32, %acc: i32):
    %next = llvm.add %i, %c1 : i32
    %has = llvm.icmp "slt" %next, %c4 : i32
    llvm.cond_br %has, ^copy, ^wait
  ^copy:
    %slot = llvm.and %next, %c1 : i32
    %slot64 = llvm.mul %slot, %c64 : i32
    %to = llvm.add %slot64, %tid : i32
    %next64 = llvm.mul %next, %c64 : i32
    %from = llvm.add %next64, %tid : i32
    %dn = llvm.getelementptr %smem[%to] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %sn = llvm.getelementptr %in[%from] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %dn, %sn, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    llvm.br ^wait
  ^wait:
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %own = llvm.and %i, %c1 : i32
    %own64 = llvm.mul %own, %c64 : i32
    %at = llvm.add %own64, %other : i32
    %p = llvm.getelementptr %smem[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    %sum = llvm.add %acc, %v : i32
    nvvm.barrier0
    llvm.cond_br %has, ^loop(%next, %sum : i32, i32), ^end
  ^end:
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %sum, %o : i32, !llvm.ptr<1>
    llvm.return
  }
}
