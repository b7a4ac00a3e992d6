// What the kernel's GPU lacks is refused, in operations and in inline assembly; registers that nothing wrote are noticed.
// RUN: not ll-sim %s --entry matrix 2>&1 | FileCheck %s --check-prefix=MATRIX
// RUN: not ll-sim %s --entry policy 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not ll-sim %s --entry foreign 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not ll-sim %s --entry intrinsic 2>&1 | FileCheck %s --check-prefix=INTRINSIC
// RUN: not ll-sim %s --entry clusters 2>&1 | FileCheck %s --check-prefix=CLUSTERS
// RUN: sed s/cuda:70/cuda:90/ %s > %t.mlir && ll-sim %t.mlir --entry policy
// RUN: not ll-sim %s --entry nothing --arg out=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=NOTHING

// MATRIX: error: {{.*}}not supported on cuda:70; expected sm_75 or later
// POLICY: error: {{.*}}inline assembly: `createpolicy.fractional.L2::evict_last.b64` is not supported on cuda:70; expected sm_80 or later
// FOREIGN: error: {{.*}}`rocdl.workitem.id.x` is not supported on cuda:70; `rocdl.*` is for AMD GPUs
// INTRINSIC: error: {{.*}}`llvm.amdgcn.ds.bpermute` is not supported on cuda:70; `llvm.amdgcn.*` is for AMD GPUs
// CLUSTERS: error: {{.*}}is not supported on cuda:70; expected sm_90 or later
// NOTHING: error: use of an uninitialised register
// NOTHING: by lane 1 of warp 0
// NOTHING: note: the value is used by {{.*}}st.global.b32
module attributes {ttg.target = "cuda:70", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  llvm.mlir.global external @s() {addr_space = 3 : i32} : !llvm.array<1024 x i8>
  llvm.func @matrix() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %p = llvm.mlir.addressof @s : !llvm.ptr<3>
    %v = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
    llvm.return
  }
  llvm.func @policy() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %p = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l" : () -> i64
    llvm.return
  }
  llvm.func @foreign() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %p = rocdl.workitem.id.x : i32
    llvm.return
  }
  llvm.func @intrinsic() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"(%t, %t) : (i32, i32) -> i32
    llvm.return
  }
  llvm.func @clusters() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %p = llvm.mlir.addressof @s : !llvm.ptr<3>
    %t = llvm.mlir.constant(0 : i64) : i64
    llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.address"(%p, %t) : (!llvm.ptr<3>, i64) -> ()
    llvm.return
  }
  // Odd lanes store what they have not loaded.
  llvm.func @nothing(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %odd = llvm.trunc %t : i32 to i1
    %true = llvm.mlir.constant(true) : i1
    %even = llvm.xor %odd, %true : i1
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.inline_asm has_side_effects "@$2 ld.global.b32 $0, [$1];", "=r,l,b" %p, %even : (!llvm.ptr<1>, i1) -> i32
    llvm.inline_asm has_side_effects "st.global.b32 [$0], $1;", "l,r" %p, %v : (!llvm.ptr<1>, i32) -> ()
    llvm.return
  }
}
