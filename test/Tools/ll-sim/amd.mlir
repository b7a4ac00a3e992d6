// Buffer loads and stores whose masked lanes have an offset outside, DPP, ds_bpermute, a maths function.

// RUN: ll-sim %s --arg x=iota:f32:64 --arg out=zeros:f32:64 --arg n=50:i32 --dump out=%t.out | FileCheck %s
// CHECK: 1 blocks of 64 threads
// CHECK-SAME: 2 shuffles
// CHECK: buffer_load_dword x 1
// CHECK: buffer_store_dword x 1

// Both exchanges swap neighbours: the second undoes the first, and 2^x of 0 is 1.
// RUN: ll-sim %s -q --arg zeros:f32:64 --arg out=zeros:f32:64 --arg ones=64:i32 --dump out=%t.ones
// RUN: ll-sim %s -q --arg zeros:f32:64 --arg out=full:1:f32:64 --arg n=0:i32 --expect out=%t.ones

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  llvm.func @__ocml_exp2_f32(f32) -> f32
  llvm.func @swap_twice(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i32) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64"} {
    %stride = llvm.mlir.constant(0 : i16) : i16
    %flags = llvm.mlir.constant(159744 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %outside = llvm.mlir.constant(-2147483648 : i32) : i32
    %bytes = llvm.mlir.constant(2147483646 : i64) : i64
    %src = rocdl.make.buffer.rsrc %x, %stride, %bytes, %flags : <1> to <8>
    %dst = rocdl.make.buffer.rsrc %out, %stride, %bytes, %flags : <1> to <8>
    %lane = rocdl.workitem.id.x range <i32, 0, 64> : i32
    %in = llvm.icmp "slt" %lane, %n : i32
    %offset = llvm.mul %lane, %four : i32
    %masked = llvm.select %in, %offset, %outside : i1, i32
    %value = rocdl.raw.ptr.buffer.load %src, %masked, %zero, %zero : f32
    %bits = llvm.bitcast %value : f32 to i32
    %once = rocdl.update.dpp %zero, %bits with 177, 15, 15, true : i32
    %from = llvm.xor %offset, %four : i32
    %twice = rocdl.ds_bpermute %from, %once : (i32, i32) -> i32
    %back = llvm.bitcast %twice : i32 to f32
    %result = llvm.call @__ocml_exp2_f32(%back) : (f32) -> f32
    rocdl.raw.ptr.buffer.store %result, %dst, %masked, %zero, %zero : f32
    llvm.return
  }
}
