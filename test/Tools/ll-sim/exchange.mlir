// One warp-sized block per step: a masked load by inline assembly, an exchange through shared
// memory with a barrier, a shuffle, a masked store. n = 50 is no multiple of the block.

// RUN: ll-sim %s --entry reverse --grid 2 --arg x=iota:f32:50 --arg out=full:-1:f32:64 --arg n=50:i32 --dump out=%t.out | FileCheck %s --check-prefix=REPORT
// REPORT: 2 blocks of 32 threads
// REPORT-SAME: 2 barriers, 2 shuffles
// REPORT: ld.global b32 x 1: 2 executed by warps
// REPORT: st.global b32 x 1: 2 executed by warps
// REPORT: ld.shared b32 x 1: 2 executed by warps, 2 wavefronts (ideal 2)
// REPORT: shared memory: 128 bytes, 0 bank conflicts

// The same buffers compared with a file, with themselves, and with another one.
// RUN: ll-sim %s -q --entry reverse --grid 2 --arg iota:f32:50 --arg out=full:-1:f32:64 --arg 50:i32 --expect out=%t.out
// RUN: ll-sim %s -q --entry reverse --grid 2 --arg x=iota:f32:50 --arg iota:f32:64 --arg 50:i32 --expect-same x=x
// RUN: not ll-sim %s -q --entry reverse --grid 2 --arg x=zeros:f32:50 --arg out=full:-1:f32:64 --arg 50:i32 --expect out=%t.out 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: error: buffer `out` against {{.*}}.out: 35 of 64 elements differ
// DIFFER-NEXT: element 0: found 0, expected 30

// The report as JSON.
// RUN: ll-sim %s --json - --entry reverse --arg iota:f32:50 --arg out=zeros:f32:64 --arg 50:i32 | FileCheck %s --check-prefix=JSON
// JSON: "bank_conflicts":0
// JSON-SAME: "ld.global b32":{"instructions":1,"accesses":1,

module attributes {ttg.shared = 128 : i32, ttg.target = "cuda:80"} {
  llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

  llvm.func @reverse(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %last = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %size = llvm.mlir.constant(32 : i32) : i32
    %lane = nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %start = llvm.mul %block, %size : i32
    %index = llvm.add %start, %lane : i32
    %in = llvm.icmp "slt" %index, %n : i32
    %from = llvm.getelementptr %x[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b" %from, %in : (!llvm.ptr<1>, i1) -> f32
    %smem = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %value, %mine {alignment = 4 : i64} : f32, !llvm.ptr<3>
    nvvm.barrier0
    %other = llvm.xor %lane, %last : i32
    %theirs = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %read = llvm.load %theirs {alignment = 4 : i64} : !llvm.ptr<3> -> f32
    %swapped = nvvm.shfl.sync bfly %all, %read, %one, %last : f32 -> f32
    %to = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %done = llvm.inline_asm has_side_effects asm_dialect = att "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b" %swapped, %to, %in : (f32, !llvm.ptr<1>, i1) -> !llvm.void
    llvm.return
  }
}
