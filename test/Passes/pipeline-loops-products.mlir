// Warp-group products whose results are only yielded stay in flight until the next product that the iteration needs, in the
// same iteration or in the next one.
// RUN: ll-opt --pipeline-loops %s | FileCheck %s
// RUN: ll-opt --pipeline-loops=num-stages=2 %s | FileCheck %s --check-prefix=NEXT
// RUN: ll-opt --pipeline-loops --verify-layout-rewrites %s -o /dev/null

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The gradient of attention, one block per processor: the first sum is waited for together with the second join, the
  // last one crosses.
  // CHECK-LABEL: @gradients
  // CHECK: scf.for {{.*}} iter_args([[DK:%.*]] = %cst, [[DV:%.*]] = %cst
  // CHECK: [[S:%.*]] = ttng.warp_group_dot %arg1, {{.*}}isAsync = true
  // CHECK-NEXT: [[WAIT:%.*]]:2 = ttng.warp_group_dot_wait [[S]], [[DK]] {pendings = 0 : i32}
  // CHECK: arith.truncf [[WAIT]]#0
  // CHECK: [[DV_NEXT:%.*]] = ttng.warp_group_dot {{.*}}, [[DV]] {{.*}}isAsync = true
  // CHECK: [[DP:%.*]] = ttng.warp_group_dot %arg1, {{.*}}isAsync = true
  // CHECK-NEXT: [[WAIT_DP:%.*]]:2 = ttng.warp_group_dot_wait [[DP]], [[DV_NEXT]] {pendings = 0 : i32}
  // CHECK: [[DS:%.*]] = arith.mulf [[WAIT_DP]]#0, [[WAIT]]#0
  // CHECK: [[DK_NEXT:%.*]] = ttng.warp_group_dot {{.*}}, [[WAIT]]#1 {{.*}}isAsync = true
  // CHECK-NOT: warp_group_dot_wait
  // CHECK: scf.yield [[DK_NEXT]], [[WAIT_DP]]#1
  // CHECK: ttng.warp_group_dot_wait {{%.*}}#0 {pendings = 0 : i32}
  tt.func public @gradients(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32, %v: tensor<64x1024xf16, #rows>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x1024xf16, #rows>) {
    %held = ttg.local_alloc %v : (tensor<64x1024xf16, #rows>) -> !ttg.memdesc<64x1024xf16, #shared, #smem>
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %sums:2 = scf.for %i = %zero to %n step %step iter_args(%dk = %none, %dv = %none) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %is = tt.splat %i : i32 -> tensor<64x64xi32, #rows>
      %at = tt.addptr %p, %is : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      %x = tt.load %at : tensor<64x64x!tt.ptr<f16>, #rows>
      %q = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %t = ttg.memdesc_trans %q {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      %s = ttng.warp_group_dot %k, %t, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      %s16 = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %s16 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
      %dv_next = ttng.warp_group_dot %left, %q, %dv : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %dp = ttng.warp_group_dot %k, %q, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %ds = arith.mulf %dp, %s : tensor<64x64xf32, #mma>
      %ds16 = arith.truncf %ds : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %ds_left = ttg.convert_layout %ds16 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
      %dk_next = ttng.warp_group_dot %ds_left, %q, %dk : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %dk_next, %dv_next : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    %w = ttg.local_load %held : !ttg.memdesc<64x1024xf16, #shared, #smem> -> tensor<64x1024xf16, #rows>
    tt.return %sums#0, %sums#1, %w : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x1024xf16, #rows>
  }

  // Two blocks are resident: the other block multiplies between the iterations, so that nothing crosses them.
  // CHECK-LABEL: @gradients_of_two_blocks
  // CHECK: scf.for {{.*}} iter_args([[DK:%.*]] = %cst, [[DV:%.*]] = %cst
  // CHECK: ttng.warp_group_dot %arg1
  // CHECK-NOT: isAsync
  // CHECK: [[DV_NEXT:%.*]] = ttng.warp_group_dot {{.*}}, [[DV]] {{.*}}isAsync = true
  // CHECK: [[DP:%.*]] = ttng.warp_group_dot %arg1, {{.*}}isAsync = true
  // CHECK-NEXT: ttng.warp_group_dot_wait [[DP]], [[DV_NEXT]] {pendings = 0 : i32}
  // CHECK: [[DK_NEXT:%.*]] = ttng.warp_group_dot {{%[0-9]*}}, {{%[0-9]*}}, [[DK]] :
  // CHECK-NOT: warp_group_dot_wait
  tt.func public @gradients_of_two_blocks(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %sums:2 = scf.for %i = %zero to %n step %step iter_args(%dk = %none, %dv = %none) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %is = tt.splat %i : i32 -> tensor<64x64xi32, #rows>
      %at = tt.addptr %p, %is : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      %x = tt.load %at : tensor<64x64x!tt.ptr<f16>, #rows>
      %q = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %t = ttg.memdesc_trans %q {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
      %s = ttng.warp_group_dot %k, %t, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
      %s16 = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %s16 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
      %dv_next = ttng.warp_group_dot %left, %q, %dv : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %dp = ttng.warp_group_dot %k, %q, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %ds = arith.mulf %dp, %s : tensor<64x64xf32, #mma>
      %ds16 = arith.truncf %ds : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %ds_left = ttg.convert_layout %ds16 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
      %dk_next = ttng.warp_group_dot %ds_left, %q, %dk : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %dk_next, %dv_next : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %sums#0, %sums#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // The total is scaled before the first product has started, so nothing can stay in flight.
  // CHECK-LABEL: @read_too_early
  // CHECK-NOT: isAsync
  // CHECK-NOT: warp_group_dot_wait
  // CHECK: tt.return
  tt.func public @read_too_early(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32, %v: tensor<64x1024xf16, #rows>) -> (tensor<64x64xf32, #mma>, tensor<64x1024xf16, #rows>) {
    %held = ttg.local_alloc %v : (tensor<64x1024xf16, #rows>) -> !ttg.memdesc<64x1024xf16, #shared, #smem>
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %total = scf.for %i = %zero to %n step %step iter_args(%sum = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %is = tt.splat %i : i32 -> tensor<64x64xi32, #rows>
      %at = tt.addptr %p, %is : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      %x = tt.load %at : tensor<64x64x!tt.ptr<f16>, #rows>
      %q = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %twice = arith.addf %sum, %sum : tensor<64x64xf32, #mma>
      %s = ttng.warp_group_dot %k, %q, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %s16 = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %s16 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
      %next = ttng.warp_group_dot %left, %q, %twice : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    %w = ttg.local_load %held : !ttg.memdesc<64x1024xf16, #shared, #smem> -> tensor<64x1024xf16, #rows>
    tt.return %total, %w : tensor<64x64xf32, #mma>, tensor<64x1024xf16, #rows>
  }

  // The operand of the last product is stored to a buffer of the iteration, which the next iteration overwrites.
  // CHECK-LABEL: @overwritten_operand
  // CHECK-NOT: isAsync
  // CHECK: tt.return
  tt.func public @overwritten_operand(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32, %v: tensor<64x1024xf16, #rows>) -> (tensor<64x64xf32, #mma>, tensor<64x1024xf16, #rows>) {
    %held = ttg.local_alloc %v : (tensor<64x1024xf16, #rows>) -> !ttg.memdesc<64x1024xf16, #shared, #smem>
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %total = scf.for %i = %zero to %n step %step iter_args(%sum = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %is = tt.splat %i : i32 -> tensor<64x64xi32, #rows>
      %at = tt.addptr %p, %is : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      %x = tt.load %at : tensor<64x64x!tt.ptr<f16>, #rows>
      %q = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %s = ttng.warp_group_dot %k, %q, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %s16 = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %right = ttg.local_alloc %s16 : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %next = ttng.warp_group_dot %k, %right, %sum : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    %w = ttg.local_load %held : !ttg.memdesc<64x1024xf16, #shared, #smem> -> tensor<64x1024xf16, #rows>
    tt.return %total, %w : tensor<64x64xf32, #mma>, tensor<64x1024xf16, #rows>
  }

  // One iteration ahead, a third slot would leave two resident blocks instead of three: the copies follow the wait for the
  // product of the iteration before, and overwrite its slot.
  // NEXT-LABEL: @one_iteration_ahead
  // NEXT: ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16
  // NEXT: scf.for
  // NEXT: ttng.warp_group_dot
  // NEXT: ttng.warp_group_dot_wait
  // NEXT: ttg.async_copy_global_to_local
  // NEXT: scf.yield
  // CHECK-LABEL: @one_iteration_ahead
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf16
  tt.func public @one_iteration_ahead(%p: tensor<64x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<128x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 128 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %total = scf.for %i = %zero to %n step %step iter_args(%sum = %none) -> (tensor<64x64xf32, #mma>) : i32 {
      %is = tt.splat %i : i32 -> tensor<64x128xi32, #rows>
      %at = tt.addptr %p, %is : tensor<64x128x!tt.ptr<f16>, #rows>, tensor<64x128xi32, #rows>
      %x = tt.load %at : tensor<64x128x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
      %js = tt.splat %i : i32 -> tensor<128x64xi32, #rows>
      %bt = tt.addptr %q, %js : tensor<128x64x!tt.ptr<f16>, #rows>, tensor<128x64xi32, #rows>
      %y = tt.load %bt : tensor<128x64x!tt.ptr<f16>, #rows>
      %b = ttg.local_alloc %y : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %next = ttng.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x128xf16, #shared, #smem> * !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %total : tensor<64x64xf32, #mma>
  }
}
