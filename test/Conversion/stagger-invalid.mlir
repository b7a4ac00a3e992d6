// What staggers warps, and what staggered warps cannot do.
// RUN: ll-opt --convert-layouts-to-llvm --split-input-file --verify-diagnostics %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @unpaired() {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    // expected-error @+2 {{requires another `amdg.cond_barrier` with the opposite condition in the same block}}
    // expected-note @+1 {{the first `amdg.cond_barrier` delays some warps}}
    amdg.cond_barrier %late
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @same_condition() {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    amdg.cond_barrier %late
    // expected-error @+2 {{requires another `amdg.cond_barrier` with the opposite condition in the same block}}
    // expected-note @+1 {{the first `amdg.cond_barrier` delays some warps}}
    amdg.cond_barrier %late
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @part_of_a_warp() {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %thread = rocdl.workitem.id.x : i32
    %half = arith.divsi %thread, %c32 : i32
    %early = arith.cmpi eq, %half, %c0 : i32
    %late = arith.cmpi ne, %half, %c0 : i32
    // expected-error @+2 {{requires the same condition in all threads of a warp}}
    // expected-note @+1 {{divide the thread index by a multiple of 64, the number of threads per warp}}
    amdg.cond_barrier %late
    // expected-error @+2 {{requires the same condition in all threads of a warp}}
    // expected-note @+1 {{divide the thread index by a multiple of 64, the number of threads per warp}}
    amdg.cond_barrier %early
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @exchange(%out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #blocked>
    amdg.cond_barrier %late
    // expected-error @+2 {{exchanges data between warps that `amdg.cond_barrier` has staggered}}
    // expected-note @+1 {{move the operation behind the second `amdg.cond_barrier`}}
    %moved = ttg.convert_layout %range : tensor<256xi32, #blocked> -> tensor<256xi32, #other>
    amdg.cond_barrier %early
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #other>
    tt.store %p, %moved : tensor<256x!tt.ptr<i32>, #other>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @no_barrier(%out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #blocked>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
    amdg.cond_barrier %late
    ttg.local_store %range, %buffer : tensor<256xi32, #blocked> -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
    // expected-error @+2 {{accesses shared memory that other warps access, without a barrier between the accesses}}
    // expected-note @+1 {{synchronise the two warp groups before this operation}}
    %read = ttg.local_load %buffer : !ttg.memdesc<256xi32, #shared, #smem, mutable> -> tensor<256xi32, #other>
    amdg.cond_barrier %early
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #other>
    tt.store %p, %read : tensor<256x!tt.ptr<i32>, #other>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @thread(%out: !tt.ptr<i32>) {
    // expected-error @+2 {{is supported in the condition of `amdg.cond_barrier` only}}
    // expected-note @+1 {{use `tt.make_range` for values that differ between elements}}
    %thread = rocdl.workitem.id.x : i32
    tt.store %out, %thread : !tt.ptr<i32>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nvidia(%c: i32) {
    %c0 = arith.constant 0 : i32
    %early = arith.cmpi eq, %c, %c0 : i32
    %late = arith.cmpi ne, %c, %c0 : i32
    // expected-error @+1 {{is not supported on cuda:90}}
    amdg.cond_barrier %late
    // expected-error @+1 {{is not supported on cuda:90}}
    amdg.cond_barrier %early
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func private @exchange(%value: tensor<256xi32, #blocked>) -> tensor<256xi32, #other> attributes {noinline = true} {
    %moved = ttg.convert_layout %value : tensor<256xi32, #blocked> -> tensor<256xi32, #other>
    tt.return %moved : tensor<256xi32, #other>
  }
  tt.func public @calls(%out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #blocked>
    amdg.cond_barrier %late
    // expected-error @+2 {{calls a function that uses shared memory while `amdg.cond_barrier` staggers the warps}}
    // expected-note @+1 {{inline the function}}
    %moved = tt.call @exchange(%range) : (tensor<256xi32, #blocked>) -> tensor<256xi32, #other>
    amdg.cond_barrier %early
    %p = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #other>
    tt.store %p, %moved : tensor<256x!tt.ptr<i32>, #other>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func private @staggers() attributes {noinline = true} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %thread = rocdl.workitem.id.x : i32
    %warp = arith.divsi %thread, %c64 : i32
    %early = arith.cmpi eq, %warp, %c0 : i32
    %late = arith.cmpi ne, %warp, %c0 : i32
    // expected-error @+2 {{is supported in kernels only}}
    // expected-note @+1 {{inline the function}}
    amdg.cond_barrier %late
    // expected-error @+2 {{is supported in kernels only}}
    // expected-note @+1 {{inline the function}}
    amdg.cond_barrier %early
    tt.return
  }
  tt.func public @kernel() {
    tt.call @staggers() : () -> ()
    tt.return
  }
}
