// tt.extern_elementwise: known functions are computed in place, the others are called.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=call-libraries=true %s | FileCheck %s --check-prefix=CALLS
// RUN: ll-sim %s --entry known --arg x=random:f32:128 --arg out=zeros:f32:128 --arg want=zeros:f32:128 --expect-same out=want
// RUN: ll-sim %s --entry integers --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: not ll-sim %s --entry called --arg x=random:f32:128 2>&1 | FileCheck %s --check-prefix=SIM
// RUN: not ll-translate --emit=ptx %t.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: llvm-as %S/Inputs/triple.ll -o %t.triple.bc
// RUN: ll-translate --emit=ptx --link-bitcode %t.triple.bc %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The functions of both vendors are those of `math`: their differences are zero.
  // CHECK-LABEL: llvm.func @known
  // CALLS-LABEL: llvm.func @known
  // CALLS: llvm.call @__nv_
  // CHECK-NOT: llvm.call @
  // CHECK: llvm.return
  tt.func public @known(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %want: !tt.ptr<f32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %v = tt.load %xp : tensor<128x!tt.ptr<f32>, #b>
    %a = tt.extern_elementwise %v {libname = "", libpath = "", symbol = "__nv_tanhf", pure = true} : (tensor<128xf32, #b>) -> tensor<128xf32, #b>
    %b = math.tanh %v : tensor<128xf32, #b>
    %c = tt.extern_elementwise %v {libname = "", libpath = "", symbol = "__ocml_tanh_f32", pure = true} : (tensor<128xf32, #b>) -> tensor<128xf32, #b>
    %ab = arith.subf %a, %b : tensor<128xf32, #b>
    %cb = arith.subf %c, %b : tensor<128xf32, #b>
    %p = tt.extern_elementwise %v, %v {libname = "libdevice", libpath = "", symbol = "__nv_powf", pure = true} : (tensor<128xf32, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
    %q = math.powf %v, %v : tensor<128xf32, #b>
    %pn = tt.extern_elementwise %p {libname = "", libpath = "", symbol = "__nv_isnanf", pure = true} : (tensor<128xf32, #b>) -> tensor<128xi32, #b>
    %qn = math.isnan %q : tensor<128xf32, #b>
    %qi = arith.extui %qn : tensor<128xi1, #b> to tensor<128xi32, #b>
    %dn = arith.subi %pn, %qi : tensor<128xi32, #b>
    %df = tt.extern_elementwise %dn {libname = "", libpath = "", symbol = "__nv_int2float_rn", pure = true} : (tensor<128xi32, #b>) -> tensor<128xf32, #b>
    %s1 = arith.addf %ab, %cb : tensor<128xf32, #b>
    %s = arith.addf %s1, %df : tensor<128xf32, #b>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %po = tt.addptr %o, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %po, %s : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }

  // n = 31 - clz(2^31 >> ...) and its like: each gives n back.
  // CHECK-LABEL: llvm.func @integers
  // CHECK: llvm.intr.ctlz
  // CHECK: llvm.intr.bitreverse
  // CHECK: llvm.intr.cttz
  // CHECK: llvm.intr.roundeven
  // CHECK: llvm.call_intrinsic "llvm.fptosi.sat"
  // CHECK-NOT: llvm.call @
  // CHECK: llvm.return
  tt.func public @integers(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %c31 = arith.constant dense<31> : tensor<128xi32, #b>
    %c1 = arith.constant dense<1> : tensor<128xi32, #b>
    %low = arith.andi %r, %c31 : tensor<128xi32, #b>
    %bit = arith.shli %c1, %low : tensor<128xi32, #b>
    // 31 - low
    %z = tt.extern_elementwise %bit {libname = "", libpath = "", symbol = "__nv_clz", pure = true} : (tensor<128xi32, #b>) -> tensor<128xi32, #b>
    %rev = tt.extern_elementwise %bit {libname = "", libpath = "", symbol = "__nv_brev", pure = true} : (tensor<128xi32, #b>) -> tensor<128xi32, #b>
    // 32 - low
    %f = tt.extern_elementwise %rev {libname = "", libpath = "", symbol = "__nv_ffs", pure = true} : (tensor<128xi32, #b>) -> tensor<128xi32, #b>
    %one = arith.subi %f, %z : tensor<128xi32, #b>
    %half = arith.constant dense<0.25> : tensor<128xf32, #b>
    %x = arith.sitofp %r : tensor<128xi32, #b> to tensor<128xf32, #b>
    %y = arith.addf %x, %half : tensor<128xf32, #b>
    %n = tt.extern_elementwise %y {libname = "", libpath = "", symbol = "__nv_float2int_rn", pure = true} : (tensor<128xf32, #b>) -> tensor<128xi32, #b>
    %product = arith.muli %n, %one : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %po = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %po, %product : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  // CHECK-LABEL: llvm.func @called
  // CHECK-COUNT-4: llvm.call @triple(%{{.+}}) {memory_effects = {{.+}}, no_unwind, will_return} : (f32) -> f32
  // CHECK: llvm.return
  // SIM: function `triple` has no body and is no known library function
  // SIM: extern.mlir:[[#@LINE+8]]
  // MISSING: error: 'llvm.call' op calls the undefined function `triple`
  // MISSING: note: link mine with `--link-bitcode /lib/mine.bc`
  tt.func public @called(%x: !tt.ptr<f32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %v = tt.load %xp : tensor<128x!tt.ptr<f32>, #b>
    %y = tt.extern_elementwise %v {libname = "mine", libpath = "/lib/mine.bc", symbol = "triple", pure = true} : (tensor<128xf32, #b>) -> tensor<128xf32, #b>
    tt.store %xp, %y : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}
