// What a copy in flight forbids, and how the error names both operations. `test/rust/asynchronous.rs` has correct kernels,
// and breaks them in every place.

// RUN: not ll-sim %s -q --entry no_wait --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not ll-sim %s -q --entry no_wait --arrival early --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not ll-sim %s -q --entry no_wait --arrival seed=3 --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: load from byte 0 of `smem`, which an asynchronous copy in flight writes
// READ-NEXT: in `{{.*}}llvm.load
// READ-NEXT: by lane 0 of warp 0
// READ-NEXT: note: the copy is `"nvvm.cp.async.shared.global"{{.*}} at {{.*}}asynchronous.mlir:[[#]]:[[#]]
// READ-NEXT: note: lane 0 of warp 0 in block (0, 0, 0) started the copy and has not waited with `cp.async.wait_group`

// RUN: not ll-sim %s -q --entry no_barrier --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: data race: no barrier between the load from byte 128 of `smem` and the store by lane 0 of warp 1 in block (0, 0, 0)
// RACE: note: the other access is `"nvvm.cp.async.shared.global"

// RUN: not ll-sim %s -q --entry source_written --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: error: store to byte 0 of `in`, which an asynchronous copy in flight reads

// RUN: not ll-sim %s -q --entry no_fence --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: error: no `fence.proxy.async` between the store to byte 0 of `smem` and the read through the async proxy
// FENCE: note: the store is `"llvm.store"

// RUN: not ll-sim %s -q --entry returns --arg in=iota:i32:64 --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=END
// END: error: the block returns before an asynchronous copy has finished reading shared memory
// END: note: the thread that started the copy has not waited with `cp.async.bulk.wait_group`

// RUN: not ll-sim %s -q --entry no_wait --arrival later 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: invalid value 'later' for '--arrival <WHEN>': expected `early`, `late` or `seed=N`

module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<1024 x i8>
  llvm.func @no_wait(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %to, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.barrier0
    %v = llvm.load %to : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @no_barrier(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %to, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %other = llvm.xor %tid, %c32 : i32
    %p = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @source_written(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %to, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    llvm.store %tid, %from : i32, !llvm.ptr<1>
    nvvm.cp.async.wait.group 0
    llvm.return
  }
  llvm.func @no_fence(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c256 = llvm.mlir.constant(256 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %to : i32, !llvm.ptr<3>
    nvvm.barrier0
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^send, ^end
  ^send:
    nvvm.cp.async.bulk.global.shared.cta %out, %smem, %c256 : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @returns(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c256 = llvm.mlir.constant(256 : i32) : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %to : i32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^send, ^end
  ^send:
    nvvm.cp.async.bulk.global.shared.cta %out, %smem, %c256 : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    llvm.br ^end
  ^end:
    llvm.return
  }
}
