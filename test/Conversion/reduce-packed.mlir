// Rows of bf16 in words: the two halves of a word are added last, so that one instruction adds two elements before.
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s -o %t.90.mlir && FileCheck %s --check-prefix=SM90 --input-file=%t.90.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:80 %s | FileCheck %s --check-prefix=SM80
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s --check-prefix=AMD
// RUN: ll-translate --emit=ptx %t.90.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %t.90.mlir --arg out=zeros:bf16:1 --arg want=full:256:bf16:1 --arg in=full:0.25:bf16:1024 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // SM90-LABEL: llvm.func @sum
  // SM90-COUNT-3: llvm.fadd {{.*}} : vector<2xbf16>
  // SM90-NOT: llvm.fadd {{.*}} : vector<2xbf16>
  // SM90: llvm.fadd {{.*}} : bf16
  // SM80-LABEL: llvm.func @sum
  // SM80-NOT: llvm.fadd {{.*}} : vector<2xbf16>
  // AMD-LABEL: llvm.func @sum
  // AMD-NOT: llvm.fadd {{.*}} : vector<2xbf16>
  tt.func public @sum(%out: !tt.ptr<bf16>, %want: !tt.ptr<bf16>, %in: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %n = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
    %i = tt.splat %in : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>, #a>
    %p = tt.addptr %i, %n : tensor<1024x!tt.ptr<bf16>, #a>, tensor<1024xi32, #a>
    %x = tt.load %p : tensor<1024x!tt.ptr<bf16>, #a>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: bf16, %v: bf16):
      %w = arith.addf %u, %v : bf16
      tt.reduce.return %w : bf16
    }) : (tensor<1024xbf16, #a>) -> bf16
    tt.store %out, %s : !tt.ptr<bf16>
    tt.return
  }
}
