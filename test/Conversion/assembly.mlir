// tt.elementwise_inline_asm: groups of elements, narrow ones packed in words of 32 bits.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s --check-prefix=AMD
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %s --entry words --arg out=zeros:i32:256 --arg want=iota:i32:256 --expect-same out=want
// RUN: ll-sim %s --entry several --arg out=zeros:i32:256 --arg want=iota:i32:256 --expect-same out=want
// RUN: ll-sim %s --entry padded --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: ll-sim %s --entry arithmetic --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: not ll-sim %s --entry unknown --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=UNKNOWN

#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#o = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Four bytes are one word, two halves are one word: 8 elements of a thread are two groups.
  // CHECK-LABEL: llvm.func @words
  // CHECK: %[[V:.+]] = llvm.insertelement %{{.+}}, %{{.+}}[%{{.+}} : i32] : vector<4xi8>
  // CHECK: %[[W:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
  // CHECK: %[[R:.+]] = llvm.inline_asm "{{.+}}prmt{{.+}}", "=r,=r,r" %[[W]] : (i32) -> !llvm.struct<(i32, i32)>
  // CHECK: llvm.extractvalue %[[R]][0]
  // CHECK: llvm.bitcast %{{.+}} : i32 to vector<2xi16>
  // CHECK: llvm.inline_asm "{{.+}}prmt{{.+}}", "=r,=r,r" %{{.+}} : (i32) -> !llvm.struct<(i32, i32)>
  // CHECK-NOT: llvm.inline_asm
  // AMD-LABEL: llvm.func @words
  // AMD-COUNT-2: llvm.inline_asm "{{.+}}", "=r,=r,r" %{{.+}} : (i32) -> !llvm.struct<(i32, i32)>
  // PTX-LABEL: .entry words
  // PTX: prmt.b32 {{.+}}, 0x4140;
  tt.func public @words(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %x = arith.trunci %r : tensor<256xi32, #b> to tensor<256xi8, #b>
    %y = tt.elementwise_inline_asm "prmt.b32 $0, $2, 0, 0x4140;\0A prmt.b32 $1, $2, 0, 0x4342;"
      {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %x : tensor<256xi8, #b> -> tensor<256xi16, #b>
    %z = arith.extui %y : tensor<256xi16, #b> to tensor<256xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %p, %z : tensor<256x!tt.ptr<i32>, #b>
    tt.return
  }

  // Two results, two operands, one element at a time; what has effects stays though it is the same twice.
  // CHECK-LABEL: llvm.func @several
  // CHECK-COUNT-16: llvm.inline_asm has_side_effects "{{.+}}", "=r,=r,r,r" %{{.+}} : (i32, i32) -> !llvm.struct<(i32, i32)>
  tt.func public @several(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %c = arith.constant dense<3> : tensor<256xi32, #b>
    %a:2 = tt.elementwise_inline_asm "{ .reg .pred p; setp.lt.u32 p, $2, $3; add.u32 $0, $2, $3; selp.u32 $1, $3, 3, p; }"
      {constraints = "=r,=r,r,r", packed_element = 1 : i32, pure = false} %r, %c : tensor<256xi32, #b>, tensor<256xi32, #b> -> tensor<256xi32, #b>, tensor<256xi32, #b>
    %b:2 = tt.elementwise_inline_asm "{ .reg .pred p; setp.lt.u32 p, $2, $3; add.u32 $0, $2, $3; selp.u32 $1, $3, 3, p; }"
      {constraints = "=r,=r,r,r", packed_element = 1 : i32, pure = false} %r, %c : tensor<256xi32, #b>, tensor<256xi32, #b> -> tensor<256xi32, #b>, tensor<256xi32, #b>
    %z = arith.subi %a#0, %b#1 : tensor<256xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %p, %z : tensor<256x!tt.ptr<i32>, #b>
    tt.return
  }

  // Two elements in a thread, four at a time: the last one stands for those that are missing.
  // CHECK-LABEL: llvm.func @padded
  // CHECK: llvm.inline_asm "{{.+}}", "=r,=r,r,r" %{{.+}} : (i32, i32) -> !llvm.struct<(i32, i32)>
  // CHECK-NOT: llvm.inline_asm
  // CHECK: llvm.return
  tt.func public @padded(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #o>
    %x = arith.trunci %r : tensor<64xi32, #o> to tensor<64xi16, #o>
    %y = tt.elementwise_inline_asm "mov.b32 $0, $2; mov.b32 $1, $3;"
      {constraints = "=r,=r,r,r", packed_element = 4 : i32, pure = true} %x : tensor<64xi16, #o> -> tensor<64xi16, #o>
    %z = arith.extui %y : tensor<64xi16, #o> to tensor<64xi32, #o>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #o>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #o>, tensor<64xi32, #o>
    tt.store %p, %z : tensor<64x!tt.ptr<i32>, #o>
    tt.return
  }

  // Detours that lead back: through f32 and bits, pairs of halves, products.
  tt.func public @arithmetic(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #o>
    %a = tt.elementwise_inline_asm "{ .reg .f32 f; .reg .pred p; cvt.rn.f32.s32 f, $1; setp.ltu.f32 p, f, 0f42000000; cvt.rzi.s32.f32 $0, f; @!p cvt.rni.s32.f32 $0, f; }"
      {constraints = "=r,r", packed_element = 1 : i32, pure = true} %r : tensor<64xi32, #o> -> tensor<64xi32, #o>
    %b = tt.elementwise_inline_asm "{ .reg .f32 f; .reg .b32 w, q; .reg .b16 h, l; cvt.rn.f32.u32 f, $1; cvt.rn.f16x2.f32 w, f, f; add.f16x2 q, w, w; sub.f16x2 w, q, w; mov.b32 {l, h}, w; cvt.f32.f16 f, h; cvt.rna.tf32.f32 w, f; mov.b32 f, w; cvt.rni.u32.f32 $0, f; }"
      {constraints = "=r,r", packed_element = 1 : i32, pure = true} %a : tensor<64xi32, #o> -> tensor<64xi32, #o>
    %c = tt.elementwise_inline_asm "{ .reg .b32 x, y; .reg .b64 l; lop3.b32 x, $1, $1, 0x55, 0x5a; not.b32 y, x; lop3.b32 x, y, y, y, 0x01; mul.wide.u32 l, x, 3; cvt.u32.u64 y, l; neg.s32 x, x; mad.lo.s32 $0, x, 2, y; }"
      {constraints = "=r,r", packed_element = 1 : i32, pure = true} %b : tensor<64xi32, #o> -> tensor<64xi32, #o>
    %e = tt.elementwise_inline_asm "{ .reg .f32 f, g; .reg .pred p; cvt.rn.f32.s32 f, $1; add.f32 g, f, 1.0; lg2.approx.ftz.f32 g, g; ex2.approx.ftz.f32 g, g; setp.gt.f32 p, f, 15.; @p mov.f32 g, f; @!p fma.rn.f32 g, g, 5e-1, -0.5; @!p mul.f32 g, g, 2.0; cvt.rni.s32.f32 $0, g; }"
      {constraints = "=r,r", packed_element = 1 : i32, pure = true} %c : tensor<64xi32, #o> -> tensor<64xi32, #o>
    %k = arith.constant dense<85> : tensor<64xi32, #o>
    %d = arith.xori %e, %k : tensor<64xi32, #o>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #o>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #o>, tensor<64xi32, #o>
    tt.store %p, %d : tensor<64x!tt.ptr<i32>, #o>
    tt.return
  }

  // An instruction that the simulator does not know is named, with its place.
  // UNKNOWN: inline assembly: `vabsdiff.u32.u32.u32` is not supported
  // UNKNOWN: assembly.mlir:[[#@LINE+3]]
  tt.func public @unknown(%out: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #o>
    %y = tt.elementwise_inline_asm "vabsdiff.u32.u32.u32 $0, $1, $1;"
      {constraints = "=r,r", packed_element = 1 : i32, pure = true} %r : tensor<64xi32, #o> -> tensor<64xi32, #o>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #o>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #o>, tensor<64xi32, #o>
    tt.store %p, %y : tensor<64x!tt.ptr<i32>, #o>
    tt.return
  }
}
