// Loads through descriptors become TMA copies, whose bytes arrive at one mbarrier per slot.
// RUN: ll-opt --pipeline-loops=explain=true --verify-diagnostics --split-input-file %s | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // One block arrives in the slot, the other operand is copied by threads.
  // CHECK-LABEL: @blocks_and_pointers
  // CHECK: [[A:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x64x32xf16, #shared, #smem, mutable>
  // CHECK: [[B:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x64x32xf16, #shared, #smem, mutable>
  // CHECK: [[BARRIERS:%.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x1xi64
  // CHECK-COUNT-4: ttng.init_barrier
  // CHECK: ttng.barrier_expect {{%.*}}, 4096, [[EXISTS:%.*]] :
  // CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg3, %c0_i32{{.*}}] {{%.*}}, {{%.*}}, [[EXISTS]]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.for {{.*}} iter_args([[SUM:%.*]] = %cst, [[READ:%.*]] = %c0_i32{{.*}}, [[FILLED:%.*]] = %c2_i32{{.*}}, [[PHASE:%.*]] = %c0_i32
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK-NEXT: [[BARRIER:%.*]] = ttg.memdesc_index [[BARRIERS]]{{\[}}[[READ]]]
  // CHECK-NEXT: ttng.wait_barrier [[BARRIER]], [[PHASE]]
  // CHECK: [[WRAPS:%.*]] = arith.cmpi sge
  // CHECK: [[CHANGE:%.*]] = arith.extui [[WRAPS]]
  // CHECK: arith.xori [[PHASE]], [[CHANGE]]
  // CHECK: ttng.warp_group_dot {{.*}} {isAsync = true}
  // CHECK: [[BARRIER:%.*]] = ttg.memdesc_index [[BARRIERS]]{{\[}}[[FILLED]]]
  // CHECK-NEXT: ttng.barrier_expect [[BARRIER]], 4096
  // CHECK-NEXT: [[SLOT:%.*]] = ttg.memdesc_index [[A]]{{\[}}[[FILLED]]]
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} [[SLOT]], [[BARRIER]]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK-COUNT-4: ttng.inval_barrier
  tt.func public @blocks_and_pointers(%d: !tt.tensordesc<64x32xf16, #shared>, %q: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %m: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-remark@+1 {{loop pipelined: 2 loads fill 4 slots of 8192 bytes, 2 iterations ahead}}
    %sum = scf.for %i = %zero to %n step %step iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.descriptor_load %d[%m, %i] : !tt.tensordesc<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %is = tt.splat %i : i32 -> tensor<64x32xi32, #rows>
      %at = tt.addptr %q, %is : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tt.load %at : tensor<64x32x!tt.ptr<f16>, #rows>
      %b = ttg.local_alloc %y : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<32x64xf16, #turned, #smem>
      %e = ttng.warp_group_dot %a, %t, %c : !ttg.memdesc<64x32xf16, #shared, #smem> * !ttg.memdesc<32x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // A buffer of another layout: the slot has the descriptor's, and threads copy it. Without copies by threads, no groups.
  // CHECK-LABEL: @through_registers
  // CHECK-NOT: ttg.async_commit_group
  // CHECK: scf.for
  // CHECK-NOT: ttg.async_wait
  // CHECK: [[X:%.*]] = ttg.local_load {{.*}}#shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
  // CHECK-NEXT: ttg.local_alloc [[X]] : {{.*}} -> !ttg.memdesc<64x32xf16, [[OTHER:#shared[0-9]]], #smem>
  tt.func public @through_registers(%d: !tt.tensordesc<64x32xf16, #shared>, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-remark@+1 {{loop pipelined: 1 load fills 3 slots of 4096 bytes, 2 iterations ahead}}
    %sum = scf.for %i = %zero to %n step %step iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #turned, #smem>
      %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #turned, #smem> -> !ttg.memdesc<32x64xf16, #shared, #smem>
      %e = ttng.warp_group_dot %a, %t, %c : !ttg.memdesc<64x32xf16, #turned, #smem> * !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // CHECK-LABEL: @store
  // CHECK: scf.for
  // CHECK: tt.descriptor_load
  tt.func public @store(%d: !tt.tensordesc<64x32xf16, #shared>, %y: !ttg.memdesc<32x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-remark@+1 {{loop not pipelined: loads cannot be moved across `tt.descriptor_store`}}
    %sum = scf.for %i = %zero to %n step %step iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %e = ttng.warp_group_dot %a, %y, %c : !ttg.memdesc<64x32xf16, #shared, #smem> * !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<64x32xf16, #shared>, tensor<64x32xf16, #rows>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // The descriptor of a later iteration is not known.
  // CHECK-LABEL: @made_in_the_loop
  // CHECK: scf.for
  // CHECK: tt.descriptor_load
  tt.func public @made_in_the_loop(%p: !tt.ptr<f16>, %y: !ttg.memdesc<32x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %step = arith.constant 32 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-remark@+1 {{loop not pipelined: loads cannot be moved across `tt.make_tensor_descriptor`}}
    %sum = scf.for %i = %zero to %n step %step iter_args(%c = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.make_tensor_descriptor %p, [%i, %n], [%one, %one] : <f16>, <64x32xf16, #shared>
      %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %e = ttng.warp_group_dot %a, %y, %c : !ttg.memdesc<64x32xf16, #shared, #smem> * !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
}
