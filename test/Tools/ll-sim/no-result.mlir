// Operations that have no result for some operands: the result is poison, and an assumption that does not hold is an error.

// RUN: not ll-sim %s -q --entry shift --arg o=zeros:i32:64 --arg 32:i32 2>&1 | FileCheck %s --check-prefix=SHIFT
// SHIFT: error: shift amount 32 is out of range for an i32
// RUN: ll-sim %s -q --entry shift --arg o=zeros:i32:64 --arg 31:i32
// RUN: not ll-sim %s -q --entry assume --arg o=zeros:i32:64 --arg 31:i32 2>&1 | FileCheck %s --check-prefix=ASSUME
// ASSUME: error: the assumed condition is false
// ASSUME: by lane 31 of warp 0
// RUN: ll-sim %s -q --entry assume --arg o=zeros:i32:64 --arg 32:i32
// RUN: not ll-sim %s -q --entry to_signed --arg o=zeros:i32:64 --arg 2147483648.0:f32 2>&1 | FileCheck %s --check-prefix=SIGNED
// SIGNED: error: conversion out of range: 2147483648 does not fit an i32
// RUN: not ll-sim %s -q --entry to_signed --arg o=zeros:i32:64 --arg nan:f32 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: conversion out of range: NaN does not fit an i32
// RUN: ll-sim %s -q --entry to_signed --arg o=zeros:i32:64 --arg=-2147483648.0:f32
// RUN: not ll-sim %s -q --entry to_unsigned --arg o=zeros:i32:64 --arg=-1.0:f32 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: error: conversion out of range: -1 does not fit an unsigned i32
// RUN: ll-sim %s -q --entry to_unsigned --arg o=zeros:i32:64 --arg=-0.9:f32
// RUN: ll-sim %s -q --entry saturated --arg o=zeros:i32:64 --arg=-1e30:f32
// RUN: not ll-sim %s -q --entry count --arg o=zeros:i32:64 --arg 0:i32 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: the result is poison: `is_zero_poison` is set, and the operand is 0
// RUN: ll-sim %s -q --entry count --arg o=zeros:i32:64 --arg 1:i32
// RUN: not ll-sim %s -q --entry size --arg o=zeros:i32:64 --arg=-2147483648:i32 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: the result is poison: `is_int_min_poison` is set, and the operand is -2147483648
// RUN: not ll-sim %s -q --entry fast --arg o=zeros:f32:64 --arg nan:f32 2>&1 | FileCheck %s --check-prefix=FAST
// FAST: error: `nnan` does not hold: found NaN
// RUN: not ll-sim %s -q --entry fast --arg o=zeros:f32:64 --arg 3e38:f32 2>&1 | FileCheck %s --check-prefix=INFINITE
// INFINITE: error: `ninf` does not hold: found inf
// RUN: ll-sim %s -q --entry fast --arg o=zeros:f32:64 --arg 1.0:f32
// RUN: not ll-sim %s -q --entry unsigned --arg o=zeros:f32:64 --arg=-1:i32 2>&1 | FileCheck %s --check-prefix=NNEG
// NNEG: error: `nneg` does not hold: -1 is negative
// RUN: not ll-sim %s -q --entry divide --arg o=zeros:i32:64 --arg 0:i32 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: integer division of 0 by zero
// RUN: not ll-sim %s -q --entry here --arg o=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=HERE
// HERE: error: reached code marked unreachable
// PTX has a result for all operands.
// RUN: ll-sim %s -q --entry ptx --arg o=zeros:i32:64 --arg 40:i32 --dump o=%t.o --expect o=%t.o
module attributes {ttg.target = "cuda:90"} {
  llvm.func @shift(%o: !llvm.ptr<1>, %by: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.shl %t, %by : i32
    %y = llvm.lshr %t, %by : i32
    %z = llvm.ashr %t, %by : i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %z, %p : i32, !llvm.ptr<1>
    llvm.store %y, %p : i32, !llvm.ptr<1>
    llvm.store %x, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @assume(%o: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %c = llvm.icmp "ult" %t, %n : i32
    llvm.intr.assume %c : i1
    llvm.return
  }
  llvm.func @to_signed(%o: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = llvm.fptosi %f : f32 to i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @to_unsigned(%o: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = llvm.fptoui %f : f32 to i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @saturated(%o: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = llvm.call_intrinsic "llvm.fptosi.sat"(%f) : (f32) -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @count(%o: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = "llvm.intr.cttz"(%n) <{is_zero_poison = true}> : (i32) -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @size(%o: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = "llvm.intr.abs"(%n) <{is_int_min_poison = true}> : (i32) -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @fast(%o: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = llvm.fadd %f, %f {fastmathFlags = #llvm.fastmath<nnan, ninf>} : f32
    llvm.store %x, %o : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @unsigned(%o: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %x = llvm.uitofp nneg %n : i32 to f32
    llvm.store %x, %o : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @divide(%o: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.sdiv %t, %n : i32
    llvm.return
  }
  llvm.func @here(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    llvm.unreachable
  }
  llvm.func @ptx(%o: !llvm.ptr<1>, %by: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.inline_asm "shl.b32 $0, $1, $2;", "=r,r,r" %t, %by : (i32, i32) -> i32
    %y = llvm.inline_asm "shf.r.clamp.b32 $0, $1, $2, $3;", "=r,r,r,r" %t, %x, %by : (i32, i32, i32) -> i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
