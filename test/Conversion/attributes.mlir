// Discardable attributes of an operation are kept on its lowered operations.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-translate --emit=llvm-ir -O0 %t.mlir | FileCheck %s --check-prefix=IR
// IR: br label %{{.*}}, !llvm.loop

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#no_unroll = #llvm.loop_annotation<unroll = <disable = true>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.maxnreg = 96 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Pointers, and LLVM attributes of arguments and functions.
  // CHECK: llvm.func @f(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: !llvm.ptr<1> {llvm.align = 32 : i64}, %{{.*}}: i32)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxnreg = 96 : i32
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  // CHECK-SAME: nvvm.reqntid
  tt.func public @f(%out: !tt.ptr<i32> {tt.divisibility = 16 : i32, llvm.noalias},
                    %in: !tt.ptr<f32> {tt.divisibility = 16 : i32, llvm.align = 32 : i64},
                    %n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false, nvvm.minctasm = 2 : i32} {
    %lo = arith.constant 0 : i32
    %hi = arith.constant -1073741824 : i32
    %st = arith.constant 1073741824 : i32
    %z = arith.constant dense<0> : tensor<32xi32, #b>
    %one = arith.constant dense<1> : tensor<32xi32, #b>
    // An unsigned loop compares unsigned, and its hints stand at the branch back.
    // CHECK: llvm.icmp "ult"
    // CHECK: llvm.add {{.*}} overflow<nsw, nuw> : i32
    // CHECK: llvm.br {{.*}}loop_annotation
    %x = scf.for unsigned %i = %lo to %hi step %st iter_args(%a = %z) -> (tensor<32xi32, #b>) : i32 {
      %s = arith.addi %a, %one overflow<nsw, nuw> : tensor<32xi32, #b>
      scf.yield %s : tensor<32xi32, #b>
    } {llvm.loop_annotation = #no_unroll}
    // A volatile access has no cache hint in PTX, masked or not.
    %p = tt.splat %in : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %m = arith.cmpi slt, %x, %one : tensor<32xi32, #b>
    // CHECK: llvm.load volatile
    %v = tt.load %p {isVolatile = true, cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<32x!tt.ptr<f32>, #b>
    // CHECK: @$2 ld.volatile.global.b32 $0
    %w = tt.load %p, %m {isVolatile = true, cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<32x!tt.ptr<f32>, #b>
    // CHECK: llvm.fmul {{.*}} {fastmathFlags = #llvm.fastmath<nnan, afn>}
    // CHECK: llvm.intr.exp2({{.*}} {fastmathFlags = #llvm.fastmath<nnan, afn>}
    %e = math.exp %v fastmath<nnan,afn> : tensor<32xf32, #b>
    // CHECK: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<reassoc>}
    %d = arith.addf %e, %w fastmath<reassoc> : tensor<32xf32, #b>
    tt.store %p, %d : tensor<32x!tt.ptr<f32>, #b>
    %q = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    tt.store %q, %x : tensor<32x!tt.ptr<i32>, #b>
    tt.return
  }

  // A private function is no entry.
  // CHECK-NOT: @g
  tt.func private @g(%x: tensor<32xi32, #b>) -> tensor<32xi32, #b> {
    tt.return %x : tensor<32xi32, #b>
  }
}
