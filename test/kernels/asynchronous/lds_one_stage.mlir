// A wave copies a word for each of its lanes, from the address of the first on.
module attributes {ttg.target = "hip:gfx950"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
  llvm.func @lds_one_stage(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>, rocdl.flat_work_group_size = "128,128"} {
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c65 = llvm.mlir.constant(65 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = rocdl.workitem.id.x : i32
    %wave_v = llvm.lshr %tid, %c6 : i32
    %wave = rocdl.readfirstlane %wave_v : i32
    %wave64 = llvm.shl %wave, %c6 : i32
    %d = llvm.getelementptr %smem[%wave64] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %s = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    rocdl.global.load.lds %s, %d, 4, 0, 0
    rocdl.s.waitcnt 3952
    rocdl.s.barrier
    %other = llvm.xor %tid, %c65 : i32
    %p = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
}
