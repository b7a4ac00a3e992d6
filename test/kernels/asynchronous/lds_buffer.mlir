// Copies through a descriptor bring zeros for what lies behind its end.
module attributes {ttg.target = "hip:gfx950"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
  llvm.func @lds_buffer(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 128, 1, 1>, rocdl.flat_work_group_size = "128,128"} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c65 = llvm.mlir.constant(65 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = rocdl.workitem.id.x : i32
    %wave_v = llvm.lshr %tid, %c6 : i32
    %wave = rocdl.readfirstlane %wave_v : i32
    %wave64 = llvm.shl %wave, %c6 : i32
    %stride = llvm.mlir.constant(0 : i16) : i16
    %records = llvm.mlir.constant(400 : i64) : i64
    %flags = llvm.mlir.constant(159744 : i32) : i32
    %rsrc = rocdl.make.buffer.rsrc %in, %stride, %records, %flags : <1> to <8>
    %d = llvm.getelementptr %smem[%wave64] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %byte = llvm.mul %tid, %c4 : i32
    rocdl.raw.ptr.buffer.load.lds %rsrc, %d, %c4, %byte, %c0, %c0, %c0
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
