// Several modules in one file: each is lowered for its own GPU, and the tools take the one that holds the function named.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --lower --emit=ptx --module a %s | FileCheck %s --check-prefix=PTX
// RUN: ll-translate --emit=amdgcn --module 1 %t.mlir | FileCheck %s --check-prefix=GCN
// RUN: not ll-translate --lower --emit=ptx %s 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not ll-translate --lower --emit=ptx --module c %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: ll-sim %s --entry b -q
// RUN: not ll-sim %s 2>&1 | FileCheck %s --check-prefix=ENTRY

// PTX: .entry a(
// GCN: b:
// WHICH: several-modules.mlir` has 2 modules with functions, expected one
// WHICH: note: select a module by the name of a function: `--module a`; `--module b`
// NONE: has no module or function `c`
// ENTRY: select a module by the name of a function: `--entry a`; `--entry b`
// CHECK: module attributes {{.*}}ttg.target = "cuda:90"
// CHECK: llvm.func @a(){{.*}}nvvm.reqntid = array<i32: 32>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @a() { tt.return }
}
// CHECK: module attributes {{.*}}ttg.target = "hip:gfx942"
// CHECK: llvm.func @b(){{.*}}rocdl.flat_work_group_size = "128,128"
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @b() { tt.return }
}
