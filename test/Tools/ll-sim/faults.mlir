// What a kernel can do wrong: each error names the operation, its place, and the lane.

// RUN: not ll-sim %s --entry race 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: data race: no barrier between the load from byte 4 of `smem` and the store by lane 1 of warp 0 in block (0, 0, 0)
// RACE-NEXT: in `{{.*}}llvm.load{{.*}}` at {{.*}}faults.mlir:[[#@LINE+42]]:{{[0-9]+}}
// RACE-NEXT: by lane 0 of warp 0 in block (0, 0, 0)
// RACE-NEXT: note: the other access is `{{.*}}llvm.store
// RACE-NEXT: %value = llvm.load

// RUN: not ll-sim %s --entry uninitialised 2>&1 | FileCheck %s --check-prefix=UNINITIALISED
// UNINITIALISED: error: read of uninitialised shared memory: byte 0 of `smem`

// RUN: not ll-sim %s --entry past_shared 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: out-of-bounds shared store of 4 bytes: byte 128 of shared variable `smem`, which has 128 bytes

// RUN: not ll-sim %s --entry load_one --arg x=zeros:f32:20 --arg 0:i32 2>&1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: error: out-of-bounds global load of 4 bytes: byte 80 of `x`, which has 80 bytes
// BOUNDS: by lane 20 of warp 0 in block (0, 0, 0)
// RUN: not ll-sim %s --entry load_one --arg x=zeros:f32:20 --arg=-1:i32 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: out-of-bounds global load of 4 bytes: byte -4 of `x`, which has 80 bytes

// RUN: not ll-sim %s --entry load_wide --arg x=zeros:f32:64 2>&1 | FileCheck %s --check-prefix=ALIGN
// ALIGN: error: misaligned global load of 16 bytes: address {{.*}} is not a multiple of 16
// ALIGN: by lane 1 of warp 0

// RUN: not ll-sim %s --entry divergent_barrier 2>&1 | FileCheck %s --check-prefix=DIVERGE
// DIVERGE: error: barrier in divergent code: only 31 of 32 threads reach the barrier
// DIVERGE: note: lane 0 of warp 0

// RUN: not ll-sim %s --entry conflicts --no-conflicts 2>&1 | FileCheck %s --check-prefix=CONFLICTS
// CONFLICTS: faults.mlir:{{[0-9]+}}: `llvm.store
// CONFLICTS-NEXT: shared: 1 executed by warps, 2 wavefronts (ideal 1), 1 conflicts
// CONFLICTS-NEXT: advice: lanes are 8 bytes apart (2 banks modulo 32): to avoid bank conflicts, use
// CONFLICTS: error: found 1 bank conflicts; `--no-conflicts` allows none

module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
  llvm.mlir.global internal @wide() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>
  llvm.func @race() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %lane, %mine : i32, !llvm.ptr<3>
    %other = llvm.xor %lane, %one : i32
    %theirs = llvm.getelementptr %smem[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %value = llvm.load %theirs : !llvm.ptr<3> -> i32
    llvm.return
  }
  llvm.func @uninitialised() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %value = llvm.load %smem : !llvm.ptr<3> -> i32
    llvm.return
  }
  llvm.func @past_shared() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %lane, %mine : i32, !llvm.ptr<3>
    llvm.return
  }
  llvm.func @load_one(%x: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %index = llvm.add %lane, %n : i32
    %from = llvm.getelementptr %x[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from : !llvm.ptr<1> -> f32
    llvm.return
  }
  llvm.func @load_wide(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %x[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.return
  }
  llvm.func @divergent_barrier() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %rest = llvm.icmp "ne" %lane, %zero : i32
    llvm.cond_br %rest, ^wait, ^end
  ^wait:
    nvvm.barrier0
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @conflicts() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %two = llvm.mlir.constant(2 : i32) : i32
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %index = llvm.mul %lane, %two : i32
    %smem = llvm.mlir.addressof @wide : !llvm.ptr<3>
    %mine = llvm.getelementptr %smem[%index] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %lane, %mine : i32, !llvm.ptr<3>
    llvm.return
  }
}
