// How kernels are called: by their own arguments, or as Triton's launcher does, with scratch memory behind them.
// REQUIRES: ptxas
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{abi=triton})' %s -o %t.mlir && FileCheck %s --input-file=%t.mlir --enable-var-scope
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{abi=triton target=hip:gfx1100})' %s -o %t.amd.mlir
// RUN: FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-translate --emit=amdgcn %t.amd.mlir | FileCheck %s --check-prefix=GCN
// RUN: ll-sim %t.mlir --entry scratch --grid 2,3 --arg out=zeros:i32:768 --arg want=iota:i32:768 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry scratch --grid 2,3 --arg out=zeros:i32:768 --arg want=iota:i32:768 --expect-same out=want
// RUN: ll-sim %t.mlir --entry none --arg out=zeros:i32:1 --arg want=full:7:i32:1 --expect-same out=want
// RUN: not ll-opt --convert-layouts-to-llvm %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{abi=trition})' %s 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: error: {{.*}}invalid option `abi=trition`, expected plain or triton
// NAME: note: did you mean `triton`?

// The bytes of a program: 512 of the kernel, 128 of what it calls, at multiples of 128.
// CHECK: module attributes {
// CHECK-SAME: ttg.global_scratch_memory_alignment = 128 : i32
// CHECK-SAME: ttg.global_scratch_memory_size = 640 : i32
// CHECK-SAME: ttg.profile_scratch_memory_alignment = 1 : i32
// CHECK-SAME: ttg.profile_scratch_memory_size = 0 : i32
// CHECK-SAME: ttg.shared = 0 : i32
// CHECK-SAME: "ttg.total-num-warps" = 4 : i32
// AMD: llvm.module_flags [#llvm.mlir.module_flag<error, "amdhsa_code_object_version", 500 : i32>]
// GCN: .amdhsa_code_object_version 5

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The first program of a row follows the last one of the row before.
  // CHECK-LABEL: llvm.func @scratch
  // CHECK-SAME: (%{{[^:]+}}: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>, %[[GLOBAL:[^:]+]]: !llvm.ptr<1>, %[[PROFILE:[^:]+]]: !llvm.ptr<1>)
  // CHECK-SAME: nvvm.kernel
  // CHECK: %[[BYTES:.+]] = llvm.mlir.constant(640 : i64)
  // CHECK: %[[OFFSET:.+]] = llvm.mul %{{.+}}, %[[BYTES]] : i64
  // CHECK: %[[OWN:.+]] = llvm.getelementptr %[[GLOBAL]][%[[OFFSET]]]
  // CHECK: llvm.call @twice(%{{.+}}, %[[OWN]], %[[PROFILE]])
  // PTX-LABEL: .visible .entry scratch(
  // PTX-COUNT-4: .param .u64 .ptr .global
  // PTX-NOT: .param
  // PTX: .reqntid 128
  // AMD-LABEL: llvm.func @scratch
  // AMD-SAME: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>)
  tt.func public @scratch(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    // PLAIN: :[[@LINE+2]]:10: error: 'ttg.global_scratch_alloc' op requires global scratch memory, which `abi=plain` does not pass to kernels
    // PLAIN: note: lower with `abi=triton`
    %s = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 512 : i32} : !tt.ptr<i32>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
    %c128 = arith.constant 128 : i32
    %c2 = arith.constant 2 : i32
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %row = arith.muli %y, %c2 : i32
    %n = arith.addi %row, %x : i32
    %first = arith.muli %n, %c128 : i32
    %fs = tt.splat %first : i32 -> tensor<128xi32, #a>
    %v = arith.addi %r, %fs : tensor<128xi32, #a>
    %ss = tt.splat %s : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %sp = tt.addptr %ss, %r : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %sp, %v : tensor<128x!tt.ptr<i32>, #a>
    %two = tt.call @twice(%first) : (i32) -> i32
    %back = tt.load %sp : tensor<128x!tt.ptr<i32>, #a>
    %ts = tt.splat %two : i32 -> tensor<128xi32, #a>
    %more = arith.addi %back, %ts : tensor<128xi32, #a>
    %less = arith.subi %more, %fs : tensor<128xi32, #a>
    %less2 = arith.subi %less, %fs : tensor<128xi32, #a>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #a>
    %op = tt.addptr %os, %v : tensor<128x!tt.ptr<i32>, #a>, tensor<128xi32, #a>
    tt.store %op, %less2 : tensor<128x!tt.ptr<i32>, #a>
    tt.return
  }

  // A place of its own, after that of the caller.
  // CHECK-LABEL: llvm.func {{.*}}@twice
  // CHECK-SAME: (%{{[^:]+}}: i32, %[[MINE:[^:]+]]: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>)
  // CHECK: llvm.getelementptr %[[MINE]][512]
  tt.func private @twice(%x: i32) -> i32 attributes {noinline = true} {
    %s = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 4 : i32} : !tt.ptr<i32>
    tt.store %s, %x : !tt.ptr<i32>
    ttg.barrier all
    %y = tt.load %s : !tt.ptr<i32>
    %z = arith.addi %x, %y : i32
    tt.return %z : i32
  }

  // The argument is unused, but part of the common calling convention.
  // CHECK-LABEL: llvm.func @none
  // CHECK-SAME: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>, %{{[^:]+}}: !llvm.ptr<1>)
  // PTX-LABEL: .visible .entry none(
  // PTX-COUNT-4: .param .u64 .ptr .global
  tt.func public @none(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c7 = arith.constant 7 : i32
    tt.store %out, %c7 : !tt.ptr<i32>
    tt.return
  }
}
