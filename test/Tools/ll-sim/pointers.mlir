// Pointers lead to the object that they were made from: no other buffer, no neighbour on the stack, no other thread's.

// RUN: not ll-sim %s -q --entry difference --arg o=zeros:i32:64 --arg p=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=DIFFERENCE
// DIFFERENCE: error: out-of-bounds global store of 4 bytes: a pointer into `o` reaches byte 0 of `p`
// DIFFERENCE-NEXT: in `{{.*}}llvm.store{{.*}}` at {{.*}}pointers.mlir:[[#@LINE+54]]:{{[0-9]+}}
// DIFFERENCE-NEXT: by lane 0 of warp 0 in block (0, 0, 0)
// DIFFERENCE-NEXT: note: pointer arithmetic must not leave a buffer

// RUN: not ll-sim %s -q --entry loop --arg o=zeros:i32:64 --arg p=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: out-of-bounds global load of 4 bytes: a pointer into `o` reaches byte 0 of `p`

// RUN: not ll-sim %s -q --entry atomic --arg o=zeros:i32:64 --arg p=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: error: out-of-bounds global atomic of 4 bytes: a pointer into `o` reaches byte 0 of `p`

// RUN: not ll-sim %s -q --entry variables 2>&1 | FileCheck %s --check-prefix=VARIABLES
// VARIABLES: error: out-of-bounds shared store of 4 bytes: a pointer into shared variable `a` reaches byte 0 of `b`

// RUN: not ll-sim %s -q --entry other_stack --arg o=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: error: out-of-bounds generic load of 4 bytes: thread 0 accesses byte {{[0-9]+}} in the stack of thread 1

// RUN: not ll-sim %s -q --entry neighbour 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
// NEIGHBOUR: error: out-of-bounds generic store of 4 bytes: {{.*}}stack

// RUN: not ll-sim %s -q --entry across 2>&1 | FileCheck %s --check-prefix=ACROSS
// ACROSS: error: out-of-bounds generic store of 4 bytes: a pointer into a stack variable reaches another stack variable

// RUN: not ll-sim %s -q --entry lane --arg o=zeros:i32:64 --arg=32:i32 2>&1 | FileCheck %s --check-prefix=LANE
// LANE: error: shuffle has the lane index 32, expected 0 to 31
// LANE: note: the value is used by `"llvm.store"
// RUN: ll-sim %s -q --entry lane --arg o=zeros:i32:64 --arg=31:i32

// RUN: not ll-sim %s -q --entry allocations 2>&1 | FileCheck %s --check-prefix=ALLOCATIONS
// ALLOCATIONS: error: out-of-bounds shared store of 4 bytes: byte 128 of the `ttg.local_alloc` buffer at [[FILE:.*pointers.mlir]]:[[#X:]]:{{[0-9]+}}, which has 128 bytes
// ALLOCATIONS: by lane 31 of warp 0
// ALLOCATIONS: note: this byte belongs to the `tt.reduce` scratch memory at [[FILE]]:[[#X+2]]:

// Numbers made of addresses, addresses that are chosen or loaded, and one buffer as two arguments are right.
// RUN: ll-sim %s -q --entry right --arg o=zeros:i32:64 --arg p=zeros:i32:64 --arg q=zeros:i64:64 --arg=0:i1
// RUN: ll-sim %s -q --entry right --arg o=zeros:i32:64 --arg p=zeros:i32:64 --arg q=zeros:i64:64 --arg=1:i1

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>

  llvm.func @difference(%o: !llvm.ptr<1>, %p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i64) : i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %oi = llvm.ptrtoint %o : !llvm.ptr<1> to i64
    %pi = llvm.ptrtoint %p : !llvm.ptr<1> to i64
    %bytes = llvm.sub %pi, %oi : i64
    %elements = llvm.ashr %bytes, %two : i64
    %q = llvm.getelementptr %o[%elements] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %r = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.br ^next(%r : !llvm.ptr<1>)
  ^next(%s: !llvm.ptr<1>):
    %wide = llvm.addrspacecast %s : !llvm.ptr<1> to !llvm.ptr
    %again = llvm.addrspacecast %wide : !llvm.ptr to !llvm.ptr<1>
    llvm.store %one, %again : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @loop(%o: !llvm.ptr<1>, %p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %oi = llvm.ptrtoint %o : !llvm.ptr<1> to i64
    %pi = llvm.ptrtoint %p : !llvm.ptr<1> to i64
    %bytes = llvm.sub %pi, %oi : i64
    llvm.br ^head(%o, %zero : !llvm.ptr<1>, i32)
  ^head(%at: !llvm.ptr<1>, %i: i32):
    %v = llvm.load %at : !llvm.ptr<1> -> i32
    %next = llvm.getelementptr %at[%bytes] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "slt" %j, %two : i32
    llvm.cond_br %more, ^head(%next, %j : !llvm.ptr<1>, i32), ^end
  ^end:
    llvm.return
  }

  llvm.func @atomic(%o: !llvm.ptr<1>, %p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %oi = llvm.ptrtoint %o : !llvm.ptr<1> to i64
    %pi = llvm.ptrtoint %p : !llvm.ptr<1> to i64
    %bytes = llvm.sub %pi, %oi : i64
    %q = llvm.getelementptr %o[%bytes] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %old = llvm.atomicrmw add %q, %one monotonic : !llvm.ptr<1>, i32
    llvm.return
  }

  llvm.func @variables() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %ai = llvm.ptrtoint %a : !llvm.ptr<3> to i32
    %bi = llvm.ptrtoint %b : !llvm.ptr<3> to i32
    %bytes = llvm.sub %bi, %ai : i32
    %q = llvm.getelementptr %a[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %r = llvm.getelementptr %q[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %r : i32, !llvm.ptr<3>
    llvm.return
  }

  llvm.func @allocations() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %x = llvm.bitcast %b {ll.buffer = "ttg.local_alloc", ll.bytes = 128 : i64, ll.number = 0 : i64} : !llvm.ptr<3> to !llvm.ptr<3>
    %c = llvm.getelementptr %b[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %y = llvm.bitcast %c {ll.scratch = "tt.reduce", ll.bytes = 128 : i64, ll.number = 1 : i64} : !llvm.ptr<3> to !llvm.ptr<3>
    %mine = llvm.getelementptr %y[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %mine : i32, !llvm.ptr<3>
    %first = llvm.getelementptr %x[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %next = llvm.getelementptr %first[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %next : i32, !llvm.ptr<3>
    llvm.return
  }

  llvm.func @other_stack(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %full = llvm.mlir.constant(-1 : i32) : i32
    %last = llvm.mlir.constant(31 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    llvm.store %tid, %s : i32, !llvm.ptr
    %own = llvm.load %s : !llvm.ptr -> i32
    %si = llvm.ptrtoint %s : !llvm.ptr to i64
    %smem = llvm.mlir.addressof @b : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    llvm.store %si, %mine : i64, !llvm.ptr<3>
    nvvm.bar.warp.sync %full : i32
    %lane = llvm.xor %tid, %one : i32
    %theirs = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %ti = llvm.load %theirs : !llvm.ptr<3> -> i64
    %t = llvm.inttoptr %ti : i64 to !llvm.ptr
    %v = llvm.load %t : !llvm.ptr -> i32
    %at = llvm.getelementptr %o[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @neighbour() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %four = llvm.mlir.constant(4 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.alloca %four x i32 : (i32) -> !llvm.ptr
    %t = llvm.alloca %four x i32 : (i32) -> !llvm.ptr
    %q = llvm.getelementptr %s[%four] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %tid, %q : i32, !llvm.ptr
    llvm.return
  }

  llvm.func @across() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %four = llvm.mlir.constant(4 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.alloca %four x i32 : (i32) -> !llvm.ptr
    %t = llvm.alloca %four x i32 : (i32) -> !llvm.ptr
    %si = llvm.ptrtoint %s : !llvm.ptr to i64
    %ti = llvm.ptrtoint %t : !llvm.ptr to i64
    %bytes = llvm.sub %ti, %si : i64
    %q = llvm.getelementptr %s[%bytes] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    llvm.store %tid, %q : i32, !llvm.ptr
    llvm.return
  }

  llvm.func @lane(%o: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %full = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %v = nvvm.shfl.sync idx %full, %tid, %n, %clamp : i32 -> i32
    %at = llvm.getelementptr %o[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @right(%o: !llvm.ptr<1>, %p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %c: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %wide = llvm.sext %tid : i32 to i64
    %two = llvm.mlir.constant(2 : i64) : i64
    %oi = llvm.ptrtoint %o : !llvm.ptr<1> to i64
    %pi = llvm.ptrtoint %p : !llvm.ptr<1> to i64
    // A number made of both may lead to either.
    %bytes = llvm.sub %pi, %oi : i64
    %sum = llvm.add %oi, %bytes : i64
    %s = llvm.inttoptr %sum : i64 to !llvm.ptr<1>
    %sat = llvm.getelementptr %s[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %tid, %sat : i32, !llvm.ptr<1>
    // The alignment is found out, and kept.
    %mask = llvm.mlir.constant(-16 : i64) : i64
    %aligned = llvm.and %oi, %mask : i64
    %t = llvm.inttoptr %aligned : i64 to !llvm.ptr<1>
    %tat = llvm.getelementptr %t[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %tid, %tat : i32, !llvm.ptr<1>
    // Loaded from memory it may be any.
    %chosen = llvm.select %c, %o, %p : i1, !llvm.ptr<1>
    %ci = llvm.ptrtoint %chosen : !llvm.ptr<1> to i64
    %qat = llvm.getelementptr %q[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    llvm.store %ci, %qat : i64, !llvm.ptr<1>
    %l = llvm.load %qat : !llvm.ptr<1> -> !llvm.ptr<1>
    %lat = llvm.getelementptr %l[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %lat : !llvm.ptr<1> -> i32
    %cat = llvm.getelementptr %chosen[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %v, %cat : i32, !llvm.ptr<1>
    llvm.return
  }
}
