// A flag that does not hold makes poison, and poison must not be used.

// RUN: not ll-sim %s --entry overlapping --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=OR
// OR: error: `disjoint` does not hold: 0x1 and 0x1 have common bits
// OR-NEXT: in `{{.*}}"llvm.or"{{.*}} at {{.*}}flags.mlir:[[#@LINE+8]]:
// OR-NEXT: by lane 1 of warp 0 in block (0, 0, 0)
// OR-NEXT: note: the value is used by `"llvm.store"

// RUN: ll-sim %s --entry masked_off --arg o=zeros:i32:32 -q
module attributes {ttg.target = "cuda:90"} {
  llvm.func @overlapping(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.or disjoint %t, %t : i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %x, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  // Lanes from 16 on compute an address past the buffer, and do not use it.
  llvm.func @masked_off(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %half = llvm.mlir.constant(16 : i32) : i32
    %index = llvm.mul %t, %half : i32
    %small = llvm.icmp "ult" %t, %half : i32
    %two = llvm.mlir.constant(8 : i32) : i32
    %near = llvm.udiv exact %index, %two : i32
    %p = llvm.getelementptr inbounds %o[%near] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.cond_br %small, ^a, ^b
  ^a:
    llvm.store %t, %p : i32, !llvm.ptr<1>
    llvm.br ^b
  ^b:
    llvm.return
  }
}
