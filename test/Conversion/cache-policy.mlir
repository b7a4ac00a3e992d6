// The cache policy of an access goes into the PTX instruction.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {
  tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    // CHECK: inline_asm has_side_effects "ld.global.cg.v4.b32
    %x = tt.load %a {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<512x!tt.ptr<f32>, #blocked>
    // CHECK: inline_asm has_side_effects "st.global.L1::evict_last.v4.b32
    tt.store %a, %x {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : tensor<512x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // PTX takes none on a volatile access.
  // CHECK-LABEL: @volatile
  tt.func public @volatile(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %mask: i1, %other: f32) {
    // CHECK: ld.volatile.global.b32 $0
    %x = tt.load %p, %mask, %other {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true} : !tt.ptr<f32>
    // CHECK-NOT: inline_asm
    // CHECK: llvm.load volatile
    %y = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true} : !tt.ptr<f32>
    %z = arith.addf %x, %y : f32
    tt.store %p, %z : !tt.ptr<f32>
    tt.return
  }
}
