// Annotations of loops become LLVM metadata, if LLVM has the metadata.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-translate --emit=llvm-ir -O0 %t.mlir | FileCheck %s --check-prefix=IR
// RUN: ll-sim %s --arg out=zeros:i32:96 --arg want=full:1140:i32:96 --arg 20:i32 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#no_licm = #llvm.loop_annotation<licm = <disable = true>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: #[[$UNROLL:.+]] = #llvm.loop_unroll<count = 4 : i32>
  // CHECK: #[[$COUNT:.+]] = #llvm.loop_annotation<unroll = #[[$UNROLL]]>
  // CHECK: #[[$LICM:.+]] = #llvm.loop_annotation<licm
  // CHECK-LABEL: llvm.func @k
  // CHECK: llvm.br {{.*}}loop_annotation = #[[$COUNT]]
  // CHECK: ^[[BEFORE:bb[0-9]+]](%{{.*}}: i32, %{{.*}}: i32):
  // CHECK: llvm.cond_br %{{.*}}, ^[[AFTER:bb[0-9]+]], ^bb
  // CHECK: ^[[AFTER]]:
  // CHECK: llvm.br ^[[BEFORE]]({{.*}}loop_annotation = #[[$LICM]]
  // CHECK-NOT: disallow_acc
  // CHECK-NOT: num_stages
  // IR: br label %{{.*}}, !llvm.loop ![[UNROLL:[0-9]+]]
  // IR: br label %{{.*}}, !llvm.loop ![[LICM:[0-9]+]]
  // IR: ![[UNROLL]] = distinct !{![[UNROLL]], ![[COUNT:[0-9]+]]}
  // IR: ![[COUNT]] = !{!"llvm.loop.unroll.count", i32 4}
  // IR: ![[LICM]] = distinct !{![[LICM]], ![[NO:[0-9]+]]}
  // IR: ![[NO]] = !{!"llvm.licm.disable"}
  tt.func public @k(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<32xi32, #a>
    // 0 + 1 + ... + 19 = 190
    %x = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<32xi32, #a>) : i32 {
      %is = tt.splat %i : i32 -> tensor<32xi32, #a>
      %t = arith.addi %s, %is : tensor<32xi32, #a>
      scf.yield %t : tensor<32xi32, #a>
    } {tt.loop_unroll_factor = 4 : i32, tt.disallow_acc_multi_buffer, tt.num_stages = 3 : i32}
    // Five times 190 more, by turns of two results.
    %c5 = arith.constant 5 : i32
    %y:2 = scf.while (%s = %x, %j = %c0) : (tensor<32xi32, #a>, i32) -> (i32, tensor<32xi32, #a>) {
      %go = arith.cmpi slt, %j, %c5 : i32
      scf.condition(%go) %j, %s : i32, tensor<32xi32, #a>
    } do {
    ^bb0(%j: i32, %s: tensor<32xi32, #a>):
      %t = arith.addi %s, %x : tensor<32xi32, #a>
      %k = arith.addi %j, %c1 : i32
      scf.yield %t, %k : tensor<32xi32, #a>, i32
    } attributes {llvm.loop_annotation = #no_licm}
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #a>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #a>
    %p = tt.addptr %os, %r : tensor<32x!tt.ptr<i32>, #a>, tensor<32xi32, #a>
    tt.store %p, %y#1 : tensor<32x!tt.ptr<i32>, #a>
    %c32 = arith.constant dense<32> : tensor<32xi32, #a>
    %p2 = tt.addptr %p, %c32 : tensor<32x!tt.ptr<i32>, #a>, tensor<32xi32, #a>
    tt.store %p2, %y#1 : tensor<32x!tt.ptr<i32>, #a>
    %p3 = tt.addptr %p2, %c32 : tensor<32x!tt.ptr<i32>, #a>, tensor<32xi32, #a>
    tt.store %p3, %y#1 : tensor<32x!tt.ptr<i32>, #a>
    tt.return
  }
}
