// Faults between the regions of `ttg.warp_specialize`: each missing synchronisation is one diagnostic, at its place.
// RUN: ll-opt --convert-layouts-to-llvm --split-input-file --verify-diagnostics %s

// A correct kernel with one buffer.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @one_stage(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// A correct kernel with three buffers.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @three_stages(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %product = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        %dot = ttng.warp_group_dot_wait %product {pendings = 0 : i32} : tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The consumer does not wait for the copy.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @consumer_without_wait(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        // expected-error @+2 {{accesses the same shared memory as `ttng.async_tma_copy_global_to_local` at}}
        // expected-note @+1 {{arrive at an mbarrier after the first access, and wait for it before the second}}
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The same with three buffers.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @consumer_without_wait_3(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        // expected-error @+2 {{accesses the same shared memory as `ttng.async_tma_copy_global_to_local` at}}
        // expected-note @+1 {{arrive at an mbarrier after the first access, and wait for it before the second}}
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The consumer does not release the buffer: both regions wait forever.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @consumer_without_arrival(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        // expected-error @+2 {{waits for a phase that never completes: 1 arrivals and 0 bytes are missing}}
        // expected-note @+1 {{check the parity of the wait, the number of arrivals, and the number of bytes expected and copied}}
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        // expected-error @+2 {{waits for a phase that never completes: 1 arrivals and 0 bytes are missing}}
        // expected-note @+1 {{check the parity of the wait, the number of arrivals, and the number of bytes expected and copied}}
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The same with three buffers.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @consumer_without_arrival_3(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        // expected-error @+2 {{waits for a phase that never completes: 1 arrivals and 0 bytes are missing}}
        // expected-note @+1 {{check the parity of the wait, the number of arrivals, and the number of bytes expected and copied}}
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        // expected-error @+2 {{waits for a phase that never completes: 1 arrivals and 0 bytes are missing}}
        // expected-note @+1 {{check the parity of the wait, the number of arrivals, and the number of bytes expected and copied}}
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The producer does not wait until the consumer has read the buffer.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @producer_without_wait(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        // expected-error @+2 {{accesses the same shared memory as `ttng.warp_group_dot` at}}
        // expected-note @+1 {{arrive at an mbarrier after the first access, and wait for it before the second}}
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The same with three buffers.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @producer_without_wait_3(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        // expected-error @+2 {{accesses the same shared memory as `ttng.warp_group_dot` at}}
        // expected-note @+1 {{arrive at an mbarrier after the first access, and wait for it before the second}}
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The consumer releases the buffer while the product may still read it.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @arrival_before_product(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %product = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot_wait %product {pendings = 0 : i32} : tensor<64x64xf32, #mma>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 1 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<1x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        // expected-error @+2 {{accesses shared memory that is in use by the asynchronous `ttng.warp_group_dot` at}}
        // expected-note @+1 {{wait for the asynchronous operation first, or reduce the number of groups in flight}}
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>, !ttg.memdesc<1x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The same with three buffers.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @arrival_before_product_3(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %product = ttng.warp_group_dot %s, %s, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %dot = ttng.warp_group_dot_wait %product {pendings = 0 : i32} : tensor<64x64xf32, #mma>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %dot, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(1) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %true = arith.constant true
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttng.barrier_expect %f, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        // expected-error @+2 {{accesses shared memory that is in use by the asynchronous `ttng.warp_group_dot` at}}
        // expected-note @+1 {{wait for the asynchronous operation first, or reduce the number of groups in flight}}
        ttng.async_tma_copy_global_to_local %pd[%zero, %i] %s, %f, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// A correct kernel without asynchronous copies.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @stores_by_stages(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %tile = ttg.local_load %s : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %acc, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(4) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %tile = arith.constant dense<0.000000e+00> : tensor<64x64xf16, #blocked>
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttg.local_store %tile, %s : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.arrive_barrier %f, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The producer does not wait until the consumer has read the buffer.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @store_without_wait(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.wait_barrier %f, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %tile = ttg.local_load %s : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %acc, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(4) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %tile = arith.constant dense<0.000000e+00> : tensor<64x64xf16, #blocked>
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        // expected-error @+2 {{accesses the same shared memory as `ttg.local_load` at}}
        // expected-note @+1 {{arrive at an mbarrier after the first access, and wait for it before the second}}
        ttg.local_store %tile, %s : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.arrive_barrier %f, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}

// -----

// The consumer does not wait until the producer has written the buffer.
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @load_without_wait(%d: !tt.tensordesc<64x64xf16, #shared>, %k: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bars, #smem, mutable>
    %full0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty0, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty1, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %full2 = ttg.memdesc_index %full[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %full2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %empty2 = ttg.memdesc_index %empty[%c2] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %empty2, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%d, %k, %b, %full, %empty)
    default {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
      %r:3 = scf.for %i = %zero to %k step %step iter_args(%acc = %none, %stage = %zero, %phase = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
        %f = ttg.memdesc_index %full[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %empty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %b[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        // expected-error @+2 {{reads shared memory that no preceding operation has written}}
        // expected-note @+1 {{check that the index selects a buffer that a preceding operation has written}}
        %tile = ttg.local_load %s : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
        ttng.arrive_barrier %e, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %acc, %index, %parity : tensor<64x64xf32, #mma>, i32, i32
      }
      ttg.warp_yield
    }
    partition0(%pd: !tt.tensordesc<64x64xf16, #shared>, %pk: i32, %pb: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %pfull: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, %pempty: !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) num_warps(4) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %step = arith.constant 64 : i32
      %stages = arith.constant 3 : i32
      %tile = arith.constant dense<0.000000e+00> : tensor<64x64xf16, #blocked>
      %r:2 = scf.for %i = %zero to %pk step %step iter_args(%stage = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %f = ttg.memdesc_index %pfull[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %e = ttg.memdesc_index %pempty[%stage] : !ttg.memdesc<3x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %s = ttg.memdesc_index %pb[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %other = arith.xori %phase, %one : i32
        ttng.wait_barrier %e, %other : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        ttg.local_store %tile, %s : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        ttng.arrive_barrier %f, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
        %next = arith.addi %stage, %one : i32
        %wraps = arith.cmpi eq, %next, %stages : i32
        %index = arith.select %wraps, %zero, %next : i32
        %flip = arith.xori %phase, %one : i32
        %parity = arith.select %wraps, %flip, %phase : i32
        scf.yield %index, %parity : i32, i32
      }
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>, !ttg.memdesc<3x1xi64, #bars, #smem, mutable>) -> ()
    ttng.inval_barrier %full0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %full2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %empty2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}
