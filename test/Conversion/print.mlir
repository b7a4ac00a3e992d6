// Prints: one line for each element, by its owner. Assertions: a message, and the kernel stops.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a -c %t.ptx -o /dev/null
// RUN: not ll-translate --emit=amdgcn %t.amd.mlir 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: ll-sim %t.mlir --entry values --grid 2,1,1 --arg 5:i32 --arg 1.5:f32 -q | FileCheck %s --check-prefix=VALUES
// RUN: ll-sim %t.amd.mlir --entry values --grid 2,1,1 --arg 5:i32 --arg 1.5:f32 -q | FileCheck %s --check-prefix=VALUES
// RUN: ll-sim %t.mlir --entry checked --arg 8:i32
// RUN: not ll-sim %t.mlir --entry checked --arg 7:i32 2>&1 | FileCheck %s --check-prefix=FAILED
// RUN: not ll-sim %t.amd.mlir --entry checked --arg 7:i32 2>&1 | FileCheck %s --check-prefix=AMD-FAILED

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#c = #ttg.linear<{register = [], lane = [[0, 1], [0, 2], [1, 0], [0, 0], [0, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  // CHECK-DAG: llvm.mlir.global internal constant @[[$TEXT:.+]]("pid (%u, %u, %u) here\0A\00")
  // CHECK-LABEL: llvm.func @values
  // CHECK: llvm.alloca %{{.+}} x !llvm.array<2 x i64>
  // CHECK: llvm.cond_br
  // CHECK: %[[AT:.+]] = llvm.mlir.addressof @[[$TEXT]]
  // CHECK: llvm.addrspacecast %[[AT]]
  // CHECK: llvm.call @vprintf
  // AMD-LABEL: llvm.func @values
  // AMD: %[[BEGUN:.+]] = llvm.call @__ockl_printf_begin
  // AMD: %[[NEXT:.+]] = llvm.call @__ockl_printf_append_string_n(%[[BEGUN]],
  // AMD: llvm.call @__ockl_printf_append_args(%[[NEXT]],
  // ASM: error: 'llvm.call' op calls the undefined function `__ockl_printf_begin`
  // ASM: note: link ockl.bc of ROCm's device libraries with
  // The whole grid, scalars once, copies once.
  // VALUES: pid (0, 0, 0) here
  // VALUES-NEXT: pid (0, 0, 0) idx () n: 5
  // VALUES-NEXT: pid (0, 0, 0) idx () x: 1.500000
  // VALUES-NEXT: pid (0, 0, 0) idx () x: 0x1.8p+0
  // VALUES-NEXT: pid (0, 0, 0) idx () n: 0x00000005
  // VALUES-NEXT: pid (0, 0, 0) idx () both: (operand 0) 5
  // VALUES-NEXT: pid (0, 0, 0) idx () both: (operand 1) 1.500000
  // VALUES-NEXT: pid (0, 0, 0) idx () 100%: -1
  // VALUES-NEXT: pid (0, 0, 0) idx () u: 4294967295
  // VALUES-NEXT: pid (0, 0, 0) idx () wide: -7
  // VALUES-NEXT: pid (0, 0, 0) idx () bit: 1
  // VALUES-NEXT: pid (0, 0, 0) idx (0, 0) r: 0
  // VALUES-NEXT: pid (0, 0, 0) idx (0, 1) r: 1
  // VALUES: pid (0, 0, 0) idx (1, 3) r: 7
  // VALUES-NEXT: pid (1, 0, 0) here
  // VALUES-NOT: idx (2
  tt.func public @values(%n: i32, %x: f32) {
    tt.print " here" {hex = false, isSigned = array<i32>}
    tt.print " n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
    tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : f32
    tt.print " x: " {hex = true, isSigned = array<i32: 0>} : %x : f32
    tt.print " n: " {hex = true, isSigned = array<i32: 0>} : %n : i32
    tt.print " both: " {hex = false, isSigned = array<i32: 1, 0>} : %n, %x : i32, f32
    %m = arith.constant -1 : i8
    tt.print " 100%: " {hex = false, isSigned = array<i32: 1>} : %m : i8
    %u = arith.constant -1 : i32
    tt.print " u: " {hex = false, isSigned = array<i32: 0>} : %u : i32
    %w = arith.constant -7 : i64
    tt.print " wide: " {hex = false, isSigned = array<i32: 1>} : %w : i64
    %t = arith.constant true
    tt.print " bit: " {hex = false, isSigned = array<i32: 1>} : %t : i1
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #b>
    %s = tt.reshape %r : tensor<8xi32, #b> -> tensor<2x4xi32, #c>
    %v = ttg.convert_layout %s : tensor<2x4xi32, #c> -> tensor<2x4xi32, #a>
    tt.print " r: " {hex = false, isSigned = array<i32: 1>} : %v : tensor<2x4xi32, #a>
    tt.return
  }
  // CHECK-LABEL: llvm.func @checked
  // CHECK: llvm.call @__assertfail
  // CHECK: nvvm.barrier
  // AMD-LABEL: llvm.func @checked
  // AMD: llvm.call @__ockl_fprintf_stderr_begin
  // AMD: llvm.intr.trap
  // FAILED: error: assertion failed: too small ({{.*}}print.mlir:[[@LINE+7]])
  // FAILED: by lane 7 of warp 0
  // AMD-FAILED: device assertion failed: 'too small', in unknown at {{.*}}print.mlir:[[@LINE+5]]
  tt.func public @checked(%n: i32) {
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<8xi32, #b>
    %c = arith.cmpi slt, %r, %ns : tensor<8xi32, #b>
    tt.assert %c, "too small" : tensor<8xi1, #b>
    tt.return
  }
}
