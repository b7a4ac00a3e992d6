// Copies with a counter of their own, each lane to its own address.
module attributes {ttg.target = "hip:gfx1250"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
  llvm.func @lds_async(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>, rocdl.flat_work_group_size = "128,128"} {
    %c65 = llvm.mlir.constant(65 : i32) : i32
    %c128 = llvm.mlir.constant(128 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = rocdl.workitem.id.x : i32
    %d = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %s = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    rocdl.global.load.async.to.lds.b32 %s, %d, 0, 0 : !llvm.ptr<1>, !llvm.ptr<3>
    %t2 = llvm.add %tid, %c128 : i32
    %d2 = llvm.getelementptr %smem[%t2] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %s2 = llvm.getelementptr %in[%t2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    rocdl.global.load.async.to.lds.b32 %s2, %d2, 0, 0 : !llvm.ptr<1>, !llvm.ptr<3>
    rocdl.s.wait.asynccnt 1
    rocdl.s.barrier
    %other = llvm.xor %tid, %c65 : i32
    %other2 = llvm.add %other, %c128 : i32
    %p = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    rocdl.s.wait.asynccnt 0
    rocdl.s.barrier
    %p2 = llvm.getelementptr %smem[%other2] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %w = llvm.load %p2 : !llvm.ptr<3> -> i32
    %sum = llvm.add %v, %w : i32
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %sum, %o : i32, !llvm.ptr<1>
    llvm.return
  }
}
