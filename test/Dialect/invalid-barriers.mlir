// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of barriers, of clusters, and of the launching of clusters.

// arrive_barrier_c1
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`multicastCTA` requires several CTAs, but the module's `"ttg.num-ctas"` is 1}}
    ttng.arrive_barrier %b, 1 {multicastCTA = 1 : i32} : !ttg.memdesc<1xi64, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// arrive_barrier_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a `multicastCTA` of at most 1, but got 2}}
    ttng.arrive_barrier %b, 1 {multicastCTA = 2 : i32} : !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// arrive_barrier_c3
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+1 {{`fromCTA` is 0 with `multicastCTA`; expected 1 (the last CTA) or no `fromCTA`}}
    ttng.arrive_barrier %b, 1 {multicastCTA = 1 : i32, fromCTA = 0 : i32} : !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// barrier_c1
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi32, #s1, #smem, mutable>) {
    // expected-error @+1 {{barrier is `1xi32`; expected `i64` elements, rank 1, and at most one element per CTA (1)}}
    ttng.init_barrier %b, 1 : !ttg.memdesc<1xi32, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// barrier_c2
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires a `count` of at least 1, but got 0}}
    ttng.init_barrier %b, 0 : !ttg.memdesc<1xi64, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// barrier_c3
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>, %p: i1) {
    // expected-error @+1 {{requires a barrier with `CGALayout = [[1]]` (one element per CTA), but got `[[0]]`}}
    ttng.tc_gen5_commit %b : !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// clc_c1
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%r: !ttg.memdesc<2xi32, #s1, #smem, mutable>) {
    // expected-error @+1 {{response buffer is `2xi32`; expected `2xi64`}}
    %0 = ttng.clc_load_result %r : !ttg.memdesc<2xi32, #s1, #smem, mutable> -> i128
    tt.return
  }
}

// -----

// clc_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%r: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+1 {{response buffer has `CGALayout = [[1]]`; expected only zero bases, so that all CTAs share the buffer}}
    %0 = ttng.clc_load_result %r : !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable> -> i128
    tt.return
  }
}

// -----

// clc_try_cancel_sync_c1
#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{result type is `tensor<4xi32, #ttg.blocked<{sizePerThread = [1],}}
    %0 = ttng.clc_try_cancel_sync : tensor<4xi32, #b1>
    tt.return
  }
}

// -----

// cluster_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{requires a cluster of several CTAs, but the module's `"ttg.num-ctas"` is 1}}
    ttng.cluster_barrier
    tt.return
  }
}

// -----

// cluster_barrier_c1
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func private @f() attributes {noinline = true} {
 // expected-error @+1 {{waits for the whole cluster, but is in neither a kernel nor an inlined function; make the function public or remove `noinline`}}
 ttng.cluster_barrier
 tt.return } }

// -----

// from_cta_c1
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`fromCTA` is 1; expected less than 1, the number of CTAs}}
    ttng.arrive_barrier %b, 1 {fromCTA = 1 : i32} : !ttg.memdesc<1xi64, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// from_cta_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>) {
    // expected-error @+1 {{`fromCTA` requires a barrier with one element for each of 2 CTAs, but got shape 1 with `CGALayout =}}
    ttng.arrive_barrier %b, 1 {fromCTA = 0 : i32} : !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// init_barrier_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f(%b: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>) {
 // expected-error @+1 {{barrier has size 1 for 2 CTAs; inside `ttg.warp_specialize`, expected one element per CTA}}
 ttg.warp_specialize(%b) default { ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>
 ttg.warp_yield } partition0(%c: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>) num_warps(4) { ttg.warp_return } : (!ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>) -> ()
 tt.return } }

// -----

// tc_gen5_commit_c1
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %d: !ttg.memdesc<128x64xf16, #nv, #smem, mutable>) {
    // expected-error @+1 {{expected at most 4 `descs`, but got 5}}
    ttng.tc_gen5_commit %b descs %d, %d, %d, %d, %d : !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, !ttg.memdesc<128x64xf16, #nv, #smem, mutable>
    tt.return
  }
}
