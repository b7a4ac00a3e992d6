// Pointers of `tl.const` are to global memory: tensors of the caller, not the constant bank of a module.
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s
// RUN: ll-sim %t.mlir --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg in=iota:i32:128 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: llvm.func @copy(%{{[^:]*}}: !llvm.ptr<1>{{[^%]*}}, %{{[^:]*}}: !llvm.ptr<1>{{[^%]*}}, %{{[^:]*}}: !llvm.ptr<1>
  // CHECK-NOT: ptr<4>
  // PTX-COUNT-3: .param .u64 .ptr .global
  // PTX: ld.global
  tt.func public @copy(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %in: !tt.ptr<i32, "constant">) {
    %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %i = tt.splat %in : !tt.ptr<i32, "constant"> -> tensor<128x!tt.ptr<i32, "constant">, #a>
    %p = tt.addptr %i, %n : tensor<128x!tt.ptr<i32, "constant">, #a>, tensor<128xi32, #a>
    %x = tt.load %p : tensor<128x!tt.ptr<i32, "constant">, #a>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %q = tt.addptr %o, %n : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %q, %x : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  }
}
