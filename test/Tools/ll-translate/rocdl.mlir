// RUN: ll-translate --emit=amdgcn %s | FileCheck %s --check-prefix=ASM
// RUN: ll-translate %s | FileCheck %s --check-prefix=ASM
// RUN: ll-translate --emit=llvm-ir %s | FileCheck %s --check-prefix=IR
// RUN: ll-translate --emit=amdgcn --target hip:gfx1100 %s | FileCheck %s --check-prefix=RDNA

// ASM: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// ASM: add_one:
// ASM: global_load_dwordx4
// ASM: global_store_dwordx4
// ASM: .amdhsa_kernel add_one
// ASM: .max_flat_workgroup_size: 256

// IR: target triple = "amdgcn-amd-amdhsa"
// IR: define amdgpu_kernel void @add_one(ptr addrspace(1)

// RDNA: .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
// RDNA: .amdhsa_wavefront_size32 1
module attributes {ttg.target = "hip:gfx942", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  llvm.func @add_one(%p: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256"} {
    %one = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %tid = rocdl.workitem.id.x : i32
    %at = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %x = llvm.load %at {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    %y = llvm.add %x, %one : vector<4xi32>
    llvm.store %y, %at {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    llvm.return
  }
}
