// Functions of a module call each other: no result, one, a struct; pointers; lanes that return early and meet again.

// RUN: ll-sim %s --entry kernel --arg o=zeros:i32:192 --dump o=%t.o | FileCheck %s
// CHECK: 1 blocks of 64 threads
// CHECK-SAME: 3 barriers
// RUN: ll-sim %s -q --entry plain --arg o=zeros:i32:192 --dump o=%t.plain
// RUN: cmp %t.o %t.plain
// RUN: ll-sim %s -q --entry kernel --schedule=3 --arg o=zeros:i32:192 --dump o=%t.warps
// RUN: cmp %t.o %t.warps

// RUN: not ll-sim %s --entry goes_round --arg o=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=ROUND
// ROUND: error: `odd` calls itself, which is not supported
// ROUND-NEXT: in `%{{.*}} = "llvm.call"(%{{.*}}) <{{.*}}callee = @odd{{.*}} at {{.*}}calls.mlir:
// ROUND: note: the calls are `goes_round`, `odd`, `even`, `odd`
// RUN: not ll-sim %s --entry through_pointer --arg o=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=POINTER
// POINTER: error: the address of the function `odd` is not supported
// POINTER: note: call the function by name
// RUN: not ll-sim %s --entry outside --arg o=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: function `elsewhere` has no body and is no known library function
// A barrier in a function is divergent where the call is.
// RUN: not ll-sim %s --entry half --arg o=zeros:i32:192 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: barrier in divergent code: only 32 of 64 threads reach the barrier
// HALF-NEXT: in `"nvvm.barrier0"{{.*}} at {{.*}}calls.mlir:[[#@LINE+51]]:
// HALF-NEXT: called at {{.*}}calls.mlir:
// HALF-NEXT: called at {{.*}}calls.mlir:

module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>

  // Lanes leave at four places, some of them from within a loop, and meet where the call ends.
  llvm.func internal @leave(%t: i32) -> i32 {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %kind = llvm.and %t, %three : i32
    llvm.switch %kind : i32, ^loop(%zero, %zero : i32, i32) [
      0: ^first,
      2: ^second(%t : i32)
    ]
  ^first:
    llvm.return %zero : i32
  ^second(%x: i32):
    %twice = llvm.add %x, %x : i32
    llvm.return %twice : i32
  ^loop(%i: i32, %sum: i32):
    %next_sum = llvm.add %sum, %i : i32
    %next = llvm.add %i, %one : i32
    %out = llvm.icmp "ugt" %next_sum, %t : i32
    llvm.cond_br %out, ^early, ^more
  ^early:
    llvm.return %next_sum : i32
  ^more:
    %again = llvm.icmp "ult" %next, %kind : i32
    llvm.cond_br %again, ^loop(%next, %next_sum : i32, i32), ^end
  ^end:
    llvm.return %next : i32
  }

  llvm.func internal @neighbours(%t: i32) -> !llvm.struct<(i32, f32, ptr<3>)> {
    %one = llvm.mlir.constant(1 : i32) : i32
    %left = llvm.xor %t, %one : i32
    %float = llvm.uitofp %left : i32 to f32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %place = llvm.getelementptr %smem[%left] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %empty = llvm.mlir.poison : !llvm.struct<(i32, f32, ptr<3>)>
    %a = llvm.insertvalue %left, %empty[0] : !llvm.struct<(i32, f32, ptr<3>)>
    %b = llvm.insertvalue %float, %a[1] : !llvm.struct<(i32, f32, ptr<3>)>
    %c = llvm.insertvalue %place, %b[2] : !llvm.struct<(i32, f32, ptr<3>)>
    llvm.return %c : !llvm.struct<(i32, f32, ptr<3>)>
  }

  // Pointers to shared and to any memory, no result, a barrier.
  llvm.func internal @put(%to: !llvm.ptr<3>, %any: !llvm.ptr, %value: i32) {
    nvvm.barrier0
    llvm.store %value, %to : i32, !llvm.ptr<3>
    llvm.store %value, %any : i32, !llvm.ptr
    nvvm.barrier0
    llvm.return
  }

  llvm.func internal @put_twice(%o: !llvm.ptr<1>, %to: !llvm.ptr<3>, %value: i32) -> i32 {
    %any = llvm.addrspacecast %o : !llvm.ptr<1> to !llvm.ptr
    llvm.call @put(%to, %any, %value) : (!llvm.ptr<3>, !llvm.ptr, i32) -> ()
    %back = llvm.load %to : !llvm.ptr<3> -> i32
    llvm.return %back : i32
  }

  llvm.func @kernel(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.call @leave(%t) : (i32) -> i32
    %pair = llvm.call @neighbours(%t) : (i32) -> !llvm.struct<(i32, f32, ptr<3>)>
    %left = llvm.extractvalue %pair[0] : !llvm.struct<(i32, f32, ptr<3>)>
    %float = llvm.extractvalue %pair[1] : !llvm.struct<(i32, f32, ptr<3>)>
    %place = llvm.extractvalue %pair[2] : !llvm.struct<(i32, f32, ptr<3>)>
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // All lanes are here: a call whose lanes had not met would be an error.
    %back = llvm.call @put_twice(%p, %place, %first) : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> i32
    nvvm.barrier0
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %theirs = llvm.load %mine : !llvm.ptr<3> -> i32
    %p1 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %theirs, %p1 : i32, !llvm.ptr<1>
    %bits = llvm.fptoui %float : f32 to i32
    %sum = llvm.add %bits, %back : i32
    %p2 = llvm.getelementptr %p[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %sum, %p2 : i32, !llvm.ptr<1>
    llvm.return
  }

  // The same without calls and branches.
  llvm.func @plain(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %left = llvm.xor %t, %one : i32
    %mine = llvm.call @expected(%t) : (i32) -> i32
    %theirs = llvm.call @expected(%left) : (i32) -> i32
    %sum = llvm.add %left, %mine : i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %mine, %p : i32, !llvm.ptr<1>
    %p1 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %theirs, %p1 : i32, !llvm.ptr<1>
    %p2 = llvm.getelementptr %p[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %sum, %p2 : i32, !llvm.ptr<1>
    llvm.return
  }
  // What `leave` returns: 0, 1, twice the number, 3, by the number modulo 4.
  llvm.func internal @expected(%t: i32) -> i32 {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %kind = llvm.and %t, %three : i32
    %is_two = llvm.icmp "eq" %kind, %two : i32
    %twice = llvm.add %t, %t : i32
    %value = llvm.select %is_two, %twice, %kind : i1, i32
    llvm.return %value : i32
  }

  llvm.func @goes_round(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.call @odd(%t) : (i32) -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func internal @odd(%t: i32) -> i32 {
    %x = llvm.call @even(%t) : (i32) -> i32
    llvm.return %x : i32
  }
  llvm.func internal @even(%t: i32) -> i32 {
    %x = llvm.call @odd(%t) : (i32) -> i32
    llvm.return %x : i32
  }

  llvm.func @through_pointer(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %f = llvm.mlir.addressof @odd : !llvm.ptr
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.call %f(%t) : !llvm.ptr, (i32) -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @elsewhere(i32) -> i32
  llvm.func @outside(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.call @elsewhere(%t) : (i32) -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @half(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %limit = llvm.mlir.constant(32 : i32) : i32
    %low = llvm.icmp "ult" %t, %limit : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.cond_br %low, ^call, ^end
  ^call:
    %x = llvm.call @put_twice(%p, %mine, %t) : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> i32
    llvm.br ^end
  ^end:
    llvm.return
  }
}
