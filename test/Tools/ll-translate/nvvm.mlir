// RUN: ll-translate --emit=ptx %s | FileCheck %s --check-prefix=PTX
// RUN: ll-translate --emit=ptx < %s | FileCheck %s --check-prefix=PTX
// RUN: ll-translate %s -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: ll-translate --emit=llvm-ir %s | FileCheck %s --check-prefix=IR
// RUN: ll-translate --emit=llvm-ir -O0 %s | FileCheck %s --check-prefixes=IR,PLAIN
// RUN: ll-translate --emit=ptx --target cuda:80 %s | FileCheck %s --check-prefix=AMPERE
// RUN: ll-translate --emit=ptx --features +ptx90 %s | FileCheck %s --check-prefix=NEWER
// RUN: ll-translate --emit=ptx --target-cpu sm_90 %s | FileCheck %s --check-prefix=CPU

// PTX: .version 8.8
// PTX: .target sm_90a
// PTX: .visible .entry add_one(
// PTX: .reqntid 128
// PTX: ld.global.v4.b32
// PTX: st.global.v4.b32

// IR: target datalayout = "{{.*}}i64:64
// IR: target triple = "nvptx64-nvidia-cuda"
// IR: define ptx_kernel void @add_one(ptr addrspace(1)
// Without optimisation the doubled load stays.
// PLAIN-COUNT-2: load <4 x i32>

// AMPERE: .version 8.0
// AMPERE: .target sm_80
// NEWER: .version 9.0
// NEWER: .target sm_90a
// CPU: .target sm_90{{$}}
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  llvm.func @add_one(%p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    %one = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %unused = llvm.load %at {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    %x = llvm.load %at {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    %y = llvm.add %x, %one : vector<4xi32>
    llvm.store %y, %at {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    llvm.return
  }
}
