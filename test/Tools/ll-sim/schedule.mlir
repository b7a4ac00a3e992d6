// Warps that run one by one: the same verdicts in every order, and what only such an order can show.

// RUN: not ll-sim %s --entry overtaken --arg o=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not ll-sim %s --entry overtaken --arg o=zeros:i32:64 --schedule=0 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not ll-sim %s --entry overtaken --arg o=zeros:i32:64 --schedule=1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not ll-sim %s --entry overtaken --arg o=zeros:i32:64 --schedule=2 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: data race: no barrier between the {{load from|store to}} byte {{[0-9]+}} of `smem` and the {{store|load}} by lane {{[0-9]+}} of warp {{[01]}} in block (0, 0, 0)

// RUN: not ll-sim %s --entry two_places --schedule=0 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: error: barrier in divergent code: warps wait at different barriers
// PLACES: note: another barrier is `{{.*}}nvvm.barrier
// RUN: not ll-sim %s --entry half --schedule=0 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: barrier in divergent code: only 31 of 32 threads of the warp reach the barrier

// An order that is not ruled out decides what an atomic answers: lockstep never shows this one.
// RUN: ll-sim %s -q --entry first_come --arg o=zeros:i32:1 --arg first=zeros:i32:2 --arg want=iota:i32:2 --expect-same first=want
// RUN: not ll-sim %s -q --entry first_come --arg o=zeros:i32:1 --arg first=zeros:i32:2 --arg want=iota:i32:2 --expect-same first=want --schedule=1 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: element 0: found 1, expected 0

module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
  // Two exchanges in the same bytes: both warps hold the same data, and wait per warp only.
  llvm.func @overtaken(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %lanes = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %lane = llvm.and %thread, %lanes : i32
    %other = llvm.xor %lane, %one : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %theirs = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %lane, %mine : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
    %a = llvm.load %theirs : !llvm.ptr<3> -> i32
    nvvm.bar.warp.sync %all : i32
    %b = llvm.add %a, %one : i32
    llvm.store %b, %mine : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
    %c = llvm.load %theirs : !llvm.ptr<3> -> i32
    %p = llvm.getelementptr %o[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %c, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @two_places() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %warp = llvm.mlir.constant(32 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %low = llvm.icmp "ult" %thread, %warp : i32
    llvm.cond_br %low, ^a, ^b
  ^a:
    nvvm.barrier0
    llvm.br ^c
  ^b:
    nvvm.barrier0
    llvm.br ^c
  ^c:
    llvm.return
  }
  llvm.func @half() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %high = llvm.icmp "uge" %thread, %one : i32
    llvm.cond_br %high, ^a, ^b
  ^a:
    nvvm.barrier0
    llvm.br ^b
  ^b:
    llvm.return
  }
  // The first lane of each warp takes a ticket.
  llvm.func @first_come(%o: !llvm.ptr<1>, %first: !llvm.ptr<1>, %want: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %five = llvm.mlir.constant(5 : i32) : i32
    %lanes = llvm.mlir.constant(31 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %lane = llvm.and %thread, %lanes : i32
    %warp = llvm.lshr %thread, %five : i32
    %is_first = llvm.icmp "eq" %lane, %zero : i32
    llvm.cond_br %is_first, ^a, ^b
  ^a:
    %ticket = llvm.atomicrmw add %o, %one monotonic : !llvm.ptr<1>, i32
    %p = llvm.getelementptr %first[%warp] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %ticket, %p : i32, !llvm.ptr<1>
    llvm.br ^b
  ^b:
    llvm.return
  }
}
