// The thread that stores through the async proxy fences after the barrier, and its buffer is written again.
module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
  llvm.func @bulk_store_late_fence(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c256 = llvm.mlir.constant(256 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %s : !llvm.ptr<1> -> i32
    %d = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %v, %d : i32, !llvm.ptr<3>
    nvvm.barrier0
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^send, ^done
  ^send:
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.cp.async.bulk.global.shared.cta %out, %smem, %c256 : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.br ^done
  ^done:
    nvvm.barrier0
    llvm.store %c0, %d : i32, !llvm.ptr<3>
    llvm.return
  }
}
