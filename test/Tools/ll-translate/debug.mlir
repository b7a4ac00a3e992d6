// `-g`: the lines of MLIR's locations, plain, named, fused, and of calls that were inlined; without it none.
// REQUIRES: ptxas, amdgcn-link
// RUN: ll-opt --convert-layouts-to-llvm --mlir-print-debuginfo %s -o %t.mlir
// RUN: ll-translate -g --emit=llvm-ir -O0 %t.mlir | FileCheck %s --check-prefix=IR
// RUN: ll-translate -g --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=ptx %t.mlir | FileCheck %s --check-prefix=NONE
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 --mlir-print-debuginfo %s -o %t.amd.mlir
// RUN: ll-translate -g --emit=object %t.amd.mlir -o %t.hsaco && llvm-dwarfdump --debug-line %t.hsaco | FileCheck %s --check-prefix=DWARF
// RUN: ll-translate --emit=amdgcn %t.amd.mlir | FileCheck %s --check-prefix=NONE
// A text without locations has lines of its own.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.bare.mlir && ll-translate -g --emit=ptx %t.bare.mlir | FileCheck %s --check-prefix=BARE

// IR: define ptx_kernel void @k({{.*}} !dbg ![[K:[0-9]+]]
// IR: load i32, {{.*}} !dbg ![[LOAD:[0-9]+]]
// IR: mul i32 {{.*}} !dbg ![[MUL:[0-9]+]]
// IR: call i32 @helper({{.*}} !dbg ![[CALL:[0-9]+]]
// IR: call void asm {{.*}} !dbg ![[STORE:[0-9]+]]
// IR: call void asm {{.*}} !dbg ![[INNER:[0-9]+]]
// IR: call void asm {{.*}} !dbg ![[OUTER:[0-9]+]]
// IR: define internal i32 @helper({{.*}} !dbg
// IR-DAG: ![[K]] = distinct !DISubprogram(name: "k"{{.*}}line: 10
// IR-DAG: ![[LOAD]] = !DILocation(line: 11, column: 3
// IR-DAG: ![[MUL]] = !DILocation(line: 12
// IR-DAG: ![[STORE]] = !DILocation(line: 40, column: 7, {{.*}}inlinedAt: ![[SITE:[0-9]+]])
// IR-DAG: ![[SITE]] = {{.*}}!DILocation(line: 14
// IR-DAG: ![[INNER]] = !DILocation(line: 50, column: 7, {{.*}}inlinedAt:
// IR-DAG: ![[OUTER]] = !DILocation(line: 17, column: 3
// PTX: .target sm_90a
// PTX-NOT: debug
// PTX-DAG: .file {{[0-9]+}} "{{.*}}kernel.py"
// PTX-DAG: .file {{[0-9]+}} "{{.*}}library.py"
// PTX-DAG: .loc {{[0-9]+}} 11 3
// PTX-DAG: .loc {{[0-9]+}} 40 7
// NONE-NOT: .loc
// NONE-NOT: .file
// DWARF-DAG: name: "kernel.py"
// DWARF-DAG: {{^0x[0-9a-f]+ +11 +3 }}
// BARE-DAG: .file {{[0-9]+}} "{{.*}}bare.mlir"
// BARE-DAG: .loc

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %v = tt.load %x : !tt.ptr<i32> loc("/source/kernel.py":11:3)
    %w = arith.muli %v, %v : i32 loc("w"(fused["/source/kernel.py":12:5]))
    %y = tt.call @helper(%w) : (i32) -> i32 loc(unknown)
    tt.store %out, %y : !tt.ptr<i32> loc(callsite("/source/library.py":40:7 at "/source/kernel.py":14:3))
    // What the inlined function has no line for belongs to the line of its call.
    tt.store %out, %w : !tt.ptr<i32> loc(callsite(unknown at callsite("/source/library.py":50:7 at "/source/kernel.py":16:3)))
    tt.store %out, %v : !tt.ptr<i32> loc(callsite("constant"(unknown) at "/source/kernel.py":17:3))
    tt.return loc("/source/kernel.py":15:3)
  } loc("/source/kernel.py":10:1)

  tt.func private @helper(%x: i32) -> i32 attributes {noinline = true} {
    %y = arith.addi %x, %x : i32 loc("/source/kernel.py":3:3)
    tt.return %y : i32 loc("/source/kernel.py":4:3)
  } loc("/source/kernel.py":2:1)
} loc("/source/kernel.py":1:1)
