// RUN: split-file %s %t

// Text of MLIR is bytes. What is printed is lowered byte by byte; a name, and what an assembler reads, is UTF-8 or an
// error at its operation.

//--- print.mlir
// RUN: ll-opt --convert-layouts-to-llvm %t/print.mlir -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=PRINT --input-file=%t/lowered.mlir
// PRINT-DAG: constant @text_{{[0-9]}}("pid (%u, %u, %u) idx ()a\FFb%%\C0%i\0A\00")
// PRINT-DAG: constant @text_{{[0-9]}}("x\FFy\00")
// RUN: ll-translate --emit=ptx %t/lowered.mlir | FileCheck %s --check-prefix=PTX
// PTX: .b8 text_{{.*}} 97, 255, 98, 37, 37, 192,
// RUN: ll-sim -q --arg 3:i32 --arg 1:i1 %t/lowered.mlir | FileCheck %s --check-prefix=SIM
// SIM: pid (0, 0, 0) idx ()a{{.*}}b%{{.*}}3
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%x: i32, %c: i1) {
    tt.print "a\FFb%\C0" {hex = false, isSigned = array<i32: 1>} : %x : i32
    tt.assert %c, "x\FFy" : i1
    tt.return
  }
}

//--- amd.mlir
// RUN: ll-opt --convert-layouts-to-llvm %t/amd.mlir | FileCheck %s --check-prefix=AMD
// AMD: constant @text_{{[0-9]}}("device assertion failed: 'x\FF%%y', in unknown at
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%c: i1) {
    tt.assert %c, "x\FF%y" : i1
    tt.return
  }
}

//--- name.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ll-sim %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ll-translate --lower %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: name.mlir:{{[0-9]+}}:3: error: 'tt.func' op has a `sym_name` that is not UTF-8: `a\FFb`
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @"a\FFb"(%x: !tt.ptr<i32>) {
    tt.return
  }
}

//--- call.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not ll-opt --resolve-auto-layouts --remove-layout-conversions=report=%t/report --convert-layouts-to-llvm %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// CALL-NOT: internal error
// CALL: error: 'tt.func' op has a `sym_name` that is not UTF-8: `a\FFb`
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @k() {
    tt.call @"a\FFb"() : () -> ()
    tt.return
  }
  tt.func private @"a\FFb"() {
    tt.return
  }
}

//--- asm.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t/asm.mlir 2>&1 | FileCheck %s --check-prefix=ASM
// ASM: error: 'tt.elementwise_inline_asm' op has a `constraints` that is not UTF-8: `=r,r\FF`
// ASM: error: 'tt.elementwise_inline_asm' op has a `asm_string` that is not UTF-8: `a\FF
// ASM: error: 'tt.extern_elementwise' op has a `symbol` that is not UTF-8: `__nv\FF`
// ASM: error: 'tt.extern_elementwise' op has a `libpath` that is not UTF-8: `\FF`
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%x: i32) {
    %t = tt.splat %x : i32 -> tensor<128xi32, #b>
    %0 = tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r\FF", packed_element = 1 : i32, pure = false} %t : tensor<128xi32, #b> -> tensor<128xi32, #b>
    %1 = tt.elementwise_inline_asm "a\FF $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %t : tensor<128xi32, #b> -> tensor<128xi32, #b>
    %2 = tt.extern_elementwise %t {libname = "", libpath = "", pure = false, symbol = "__nv\FF"} : (tensor<128xi32, #b>) -> tensor<128xi32, #b>
    %3 = tt.extern_elementwise %t {libname = "", libpath = "\FF", pure = false, symbol = "__nv_f"} : (tensor<128xi32, #b>) -> tensor<128xi32, #b>
    tt.return
  }
}

//--- target.mlir
// RUN: not ll-opt --convert-layouts-to-llvm %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: 'builtin.module' op unknown target {{.*}}\FF
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "\FF"} {
  tt.func public @k() {
    tt.return
  }
}

//--- symbol.mlir
// The name of a library, and the key of an attribute, may be any text.
// RUN: ll-opt --convert-layouts-to-llvm %t/symbol.mlir | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: llvm.func @f(i32) -> i32 attributes {passthrough = {{\[\[}}"libname", "l\22"]]}
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%x: i32 {"llvm.a b" = 1 : i32}) {
    %0 = tt.extern_elementwise %x {libname = "l\22", libpath = "", pure = false, symbol = "f"} : (i32) -> i32
    tt.return
  }
}
