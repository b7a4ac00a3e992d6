// Kernels that overlap: what they write is seen after the wait, so no access may move across it.
// REQUIRES: ptxas
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %s --arg x=iota:i32:1 --arg out=zeros:i32:1
// RUN: not ll-opt --convert-layouts-to-llvm=target=cuda:80 %s 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s 2>&1 | FileCheck %s --check-prefix=AMD

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;", "~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.launch_dependents;", "~{memory}"
  // PTX: griddepcontrol.wait;
  // PTX: ld.global
  // PTX: griddepcontrol.launch_dependents;
  tt.func public @k(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    // OLD: :[[@LINE+3]]:5: error: 'tt.grid_dependency_wait' op is not supported on cuda:80: programmatic dependent launch requires `cuda:90` or later
    // OLD: note: remove the operation
    // AMD: :[[@LINE+1]]:5: error: 'tt.grid_dependency_wait' op is not supported on hip:gfx1100
    tt.grid_dependency_wait
    %v = tt.load %x : !tt.ptr<i32>
    tt.grid_dependency_launch_dependents
    tt.store %out, %v : !tt.ptr<i32>
    tt.return
  }
}
