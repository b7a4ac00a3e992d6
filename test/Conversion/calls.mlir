// Functions that kernels call: tensors and buffers go as registers, shared memory lies after the callers'.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | ll-translate --emit=object -o /dev/null
// RUN: ll-sim %s --entry k --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=3:i32 --expect-same out=want | FileCheck %s --check-prefix=SIM
// RUN: ll-sim %s --entry k --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=3:i32 --expect-same out=want --schedule=1
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | ll-sim - --entry k --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=3:i32 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// The kernel's buffer of 512 bytes, then the scratch memory of @there_and_back.
// SIM: shared memory: {{1[0-9]+}} bytes
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @k(
  // CHECK-SAME: nvvm.kernel
  // CHECK: llvm.call @shifted(%{{.*}}, %{{.*}}) : (i32, i32) -> !llvm.struct<(i32, i32)>
  // CHECK: llvm.extractvalue
  // Both calls use the same bytes, so the second waits.
  // CHECK: llvm.call @there_and_back(%{{.*}}) : (i32) -> i32
  // CHECK: nvvm.barrier
  // CHECK-NEXT: llvm.call @there_and_back
  // CHECK: nvvm.barrier
  // CHECK: llvm.call @put(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr<3>, i32, i32) -> ()
  // CHECK: nvvm.barrier
  tt.func public @k(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %s, %m = tt.call @shifted(%r, %n) : (tensor<128xi32, #a>, i32) -> (tensor<128xi32, #a>, i32)
    %t = tt.call @there_and_back(%s) : (tensor<128xi32, #a>) -> tensor<128xi32, #a>
    %u = tt.call @there_and_back(%t) : (tensor<128xi32, #a>) -> tensor<128xi32, #a>
    %minus = tt.splat %m : i32 -> tensor<128xi32, #a>
    %v = arith.addi %u, %minus : tensor<128xi32, #a>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    tt.call @put(%buffer, %v) : (!ttg.memdesc<128xi32, #shared, #smem, mutable>, tensor<128xi32, #a>) -> ()
    %w = ttg.local_load %buffer : !ttg.memdesc<128xi32, #shared, #smem, mutable> -> tensor<128xi32, #b>
    %q = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %q : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %p, %w : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }

  // CHECK-LABEL: llvm.func internal @shifted(%{{.*}}: i32, %{{.*}}: i32) -> !llvm.struct<(i32, i32)>
  // CHECK-SAME: no_inline
  // CHECK: llvm.insertvalue
  // CHECK: llvm.return %{{.*}} : !llvm.struct<(i32, i32)>
  tt.func private @shifted(%x: tensor<128xi32, #a>, %n: i32) -> (tensor<128xi32, #a>, i32) attributes {noinline = true} {
    %y = tt.splat %n : i32 -> tensor<128xi32, #a>
    %z = arith.addi %x, %y : tensor<128xi32, #a>
    %c0 = arith.constant 0 : i32
    %m = arith.subi %c0, %n : i32
    tt.return %z, %m : tensor<128xi32, #a>, i32
  }

  // CHECK-LABEL: llvm.func internal @there_and_back(%{{.*}}: i32) -> i32
  // CHECK: llvm.getelementptr %{{.*}}[512]
  tt.func private @there_and_back(%x: tensor<128xi32, #a>) -> tensor<128xi32, #a> attributes {noinline = true} {
    %y = ttg.convert_layout %x : tensor<128xi32, #a> -> tensor<128xi32, #b>
    %z = ttg.convert_layout %y : tensor<128xi32, #b> -> tensor<128xi32, #a>
    tt.return %z : tensor<128xi32, #a>
  }

  // CHECK-LABEL: llvm.func internal @put(%{{.*}}: !llvm.ptr<3>, %{{.*}}: i32, %{{.*}}: i32)
  tt.func private @put(%to: !ttg.memdesc<128xi32, #shared, #smem, mutable>, %x: tensor<128xi32, #a>) attributes {noinline = true} {
    ttg.local_store %x, %to : tensor<128xi32, #a> -> !ttg.memdesc<128xi32, #shared, #smem, mutable>
    tt.return
  }

  // It has no callers.
  // CHECK-NOT: @unused
  tt.func private @unused() {
    tt.return
  }
}
