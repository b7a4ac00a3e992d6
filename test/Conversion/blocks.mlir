// Functions of several blocks: an early return, a loop and a switch between blocks that carry tensors.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s --check-prefix=AMD
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %s --entry early --arg out=iota:i32:128 --arg want=iota:i32:128 --arg n=1:i32 --expect-same out=want
// RUN: not ll-sim %s --entry early --arg out=iota:i32:128 --arg want=iota:i32:128 --arg n=0:i32 --expect-same out=want
// RUN: ll-sim %s --entry loop --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=3:i32 --expect-same out=want
// RUN: ll-sim %s --entry loop --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=3:i32 --expect-same out=want --schedule=1
// RUN: ll-sim %s --entry choose --arg out=zeros:i32:128 --arg want=iota:i32:128 --arg n=7:i32 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // What both ways need is computed before they part, what one needs after.
  // CHECK-LABEL: llvm.func @early
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.cond_br %{{.*}}, ^[[END:bb[0-9]+]], ^[[REST:bb[0-9]+]]
  // CHECK: ^[[END]]:
  // CHECK-NEXT: llvm.return
  // CHECK: ^[[REST]]:
  // CHECK-NOT: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.return
  // AMD-LABEL: llvm.func @early
  // AMD: llvm.cond_br
  tt.func public @early(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %p, %r : tensor<128x!tt.ptr<i32>, #a>
    %c1 = arith.constant 1 : i32
    %stop = arith.cmpi eq, %n, %c1 : i32
    cf.cond_br %stop, ^end, ^rest
  ^end:
    tt.return
  ^rest:
    %r2 = tt.make_range {end = 129 : i32, start = 1 : i32} : tensor<128xi32, #a>
    tt.store %p, %r2 : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  }

  // The conversion in the loop waits for those of the round before.
  // CHECK-LABEL: llvm.func @loop
  // CHECK: ^[[HEAD:bb[0-9]+]](%{{.*}}: i32, %{{.*}}: i32):
  // CHECK: llvm.cond_br
  // CHECK: nvvm.barrier
  // CHECK: llvm.br ^[[HEAD]](
  tt.func public @loop(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %minus_two = arith.constant dense<-2> : tensor<128xi32, #a>
    %start = arith.muli %r, %minus_two : tensor<128xi32, #a>
    cf.br ^head(%c0, %start : i32, tensor<128xi32, #a>)
  ^head(%i: i32, %sum: tensor<128xi32, #a>):
    %go = arith.cmpi slt, %i, %n : i32
    cf.cond_br %go, ^body, ^exit
  ^body:
    %s = arith.addi %sum, %r : tensor<128xi32, #a>
    %there = ttg.convert_layout %s : tensor<128xi32, #a> -> tensor<128xi32, #b>
    %back = ttg.convert_layout %there : tensor<128xi32, #b> -> tensor<128xi32, #a>
    %next = arith.addi %i, %c1 : i32
    cf.br ^head(%next, %back : i32, tensor<128xi32, #a>)
  ^exit:
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %p, %sum : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  ^never:
    tt.return
  }

  // A tensor of four registers is an operand of either case; unreachable blocks are removed.
  // CHECK-LABEL: llvm.func @choose
  // CHECK: llvm.switch %{{.*}} : i32, ^bb{{[0-9]+}}
  // CHECK-NEXT: 0: ^[[CASE:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32, i32),
  // CHECK-NEXT: 7: ^[[CASE]](
  tt.func public @choose(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %z = arith.constant dense<0> : tensor<128xi32, #b>
    cf.switch %n : i32, [
      default: ^default,
      0: ^case(%z : tensor<128xi32, #b>),
      7: ^case(%r : tensor<128xi32, #b>)
    ]
  ^default:
    tt.return
  ^case(%x: tensor<128xi32, #b>):
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %p, %x : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }
}
