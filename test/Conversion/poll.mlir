// Waiting until global memory holds a value: one thread reads, all wait for it.
// REQUIRES: ptxas, amdgcn-link
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.hsaco
// RUN: ll-sim %s --entry flag --arg flag=iota:i32:8 --arg out=zeros:i32:128 --arg want=iota:i32:128 --grid 2 --expect-same out=want
// RUN: ll-sim %s --entry flag --arg flag=iota:i32:8 --arg out=zeros:i32:128 --arg want=iota:i32:128 --grid 2 --expect-same out=want --schedule=5
// RUN: ll-sim %t.amd.mlir --entry flag --arg flag=iota:i32:8 --arg out=zeros:i32:128 --arg want=iota:i32:128 --grid 2 --expect-same out=want
// RUN: ll-sim %s --entry each --arg flags=iota:i64:128 --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry each --arg flags=iota:i64:128 --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: not ll-sim %s --entry flag --arg flag=zeros:i32:8 --arg out=zeros:i32:128 --arg want=iota:i32:128 --step-limit 10000 --expect-same out=want 2>&1 | FileCheck %s --check-prefix=NEVER

// NEVER: error: deadlock: no warp can make progress

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @flag
  // CHECK: llvm.cond_br
  // CHECK: ld.relaxed.sys.global
  // CHECK: llvm.cond_br
  // CHECK: llvm.fence acquire
  // CHECK: nvvm.barrier
  // AMD-LABEL: llvm.func @flag
  // AMD: llvm.load {{.*}} atomic monotonic
  // AMD: llvm.fence acquire
  // AMD: rocdl.barrier
  tt.func public @flag(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c3 = arith.constant 3 : i32
    %p = tt.addptr %flag, %c3 : !tt.ptr<i32>, i32
    %found = tt.atomic_poll acquire, sys, %p, %c3 : !tt.ptr<i32>, i32 -> i1
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %zero = arith.constant dense<0> : tensor<128xi32, #a>
    %v = arith.select %found, %r, %zero : tensor<128xi32, #a>
    %id = tt.get_program_id x : i32
    %first = arith.constant 0 : i32
    %is = arith.cmpi eq, %id, %first : i32
    %mask = tt.splat %is : i1 -> tensor<128xi1, #a>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %at = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %at, %v, %mask : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  }

  // Elements that hold what is expected at once are there, of the others the time passes: 0 for odd ones.
  // CHECK-LABEL: llvm.func @each
  // CHECK: mov.u64 $0, %globaltimer;
  // CHECK: ld.relaxed.gpu.global
  // CHECK: mov.u64 $0, %globaltimer;
  // AMD-LABEL: llvm.func @each
  // AMD: llvm.call_intrinsic "llvm.amdgcn.s.sendmsg.rtn.i64"
  tt.func public @each(%flags: !tt.ptr<i64>, %out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %wide = arith.extsi %r : tensor<128xi32, #a> to tensor<128xi64, #a>
    %one = arith.constant dense<1> : tensor<128xi64, #a>
    %odd = arith.andi %wide, %one : tensor<128xi64, #a>
    %expected = arith.addi %wide, %odd : tensor<128xi64, #a>
    %ps = tt.splat %flags : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>, #a>
    %p = tt.addptr %ps, %r : tensor<128x!tt.ptr<i64>, #a>, tensor<128xi32, #a>
    %timeout = arith.constant 500 : i64
    %found = tt.atomic_poll relaxed, gpu, %p, %expected timeout %timeout : tensor<128x!tt.ptr<i64>, #a>, tensor<128xi64, #a> -> tensor<128xi1, #a>
    // Found where it is even: then the number itself, else one more than that of the odd flag before.
    %minus = arith.constant dense<0> : tensor<128xi32, #a>
    %is_odd = arith.trunci %odd : tensor<128xi64, #a> to tensor<128xi1, #a>
    %right = arith.xori %found, %is_odd : tensor<128xi1, #a>
    %v = arith.select %right, %r, %minus : tensor<128xi1, #a>, tensor<128xi32, #a>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %at = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %at, %v : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  }
}
