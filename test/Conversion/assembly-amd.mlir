// Inline assembly of AMD GPUs: it assembles, and the simulator runs the vector instructions that it knows.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && ll-translate --emit=amdgcn %t.mlir | FileCheck %s
// RUN: ll-sim %t.mlir --entry words --arg out=zeros:i32:64 --arg want=iota:i32:64 --expect-same out=want
// RUN: not ll-sim %t.mlir --entry unknown --arg out=zeros:i32:64 2>&1 | FileCheck %s --check-prefix=UNKNOWN

#o = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: words:
  // CHECK: v_cvt_f32_u32{{(_e32)?}} [[X:v[0-9]+]], v{{[0-9]+}}
  // CHECK: v_fma_f32 v{{[0-9]+}}, [[X]], 2.0, 1.0
  tt.func public @words(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #o>
    // 2 r + 1 as a float, and half of what is below it.
    %x = tt.elementwise_inline_asm "v_cvt_f32_u32 $0, $1\0As_nop 0\0Av_fma_f32 $0, $0, 2.0, 1.0 ; twice"
      {constraints = "=&v,v", packed_element = 1 : i32, pure = true} %r : tensor<64xi32, #o> -> tensor<64xf32, #o>
    %y:2 = tt.elementwise_inline_asm "v_cvt_i32_f32_e32 $0, $2\0Av_lshrrev_b32 $1, 1, $0"
      {constraints = "=&v,=v,v", packed_element = 1 : i32, pure = true} %x : tensor<64xf32, #o> -> tensor<64xi32, #o>, tensor<64xi32, #o>
    // Two halves of a word: their sum with nothing.
    %n = arith.sitofp %y#1 : tensor<64xi32, #o> to tensor<64xf16, #o>
    %m = tt.elementwise_inline_asm "v_pk_add_f16 $0, $1, $2"
      {constraints = "=v,v,v", packed_element = 2 : i32, pure = true} %n, %n : tensor<64xf16, #o>, tensor<64xf16, #o> -> tensor<64xf16, #o>
    %d = arith.subf %m, %n : tensor<64xf16, #o>
    %z = arith.fptosi %d : tensor<64xf16, #o> to tensor<64xi32, #o>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #o>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #o>, tensor<64xi32, #o>
    tt.store %p, %z : tensor<64x!tt.ptr<i32>, #o>
    tt.return
  }

  // UNKNOWN: inline assembly: `v_bfrev_b32` is not supported
  // UNKNOWN: assembly-amd.mlir
  // UNKNOWN: note: supported are waits, and v_mov_b32,
  tt.func public @unknown(%out: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #o>
    %y = tt.elementwise_inline_asm "v_bfrev_b32 $0, $1"
      {constraints = "=v,v", packed_element = 1 : i32, pure = true} %r : tensor<64xi32, #o> -> tensor<64xi32, #o>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #o>
    %p = tt.addptr %o, %r : tensor<64x!tt.ptr<i32>, #o>, tensor<64xi32, #o>
    tt.store %p, %y : tensor<64x!tt.ptr<i32>, #o>
    tt.return
  }
}
