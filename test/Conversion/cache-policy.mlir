// The cache policy of an access goes into the PTX instruction.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:75 %s | FileCheck %s --check-prefix=SM75
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:100 %s -o %t.100.mlir && FileCheck %s --check-prefix=SM100 --input-file=%t.100.mlir
// RUN: ll-translate --emit=ptx %t.100.mlir | FileCheck %s --check-prefix=PTX100
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s --check-prefix=AMD
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-sim %t.mlir --entry each --arg p=iota:f32:1024 --arg want=iota:f32:1024 --expect-same p=want
// RUN: ll-sim %t.100.mlir --entry wide --arg p=iota:f32:1024 --arg out=zeros:f32:1024 --expect-same p=out

#wide = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {
  tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    // CHECK: inline_asm has_side_effects "ld.global.cg.v4.b32
    // AMD: llvm.load {{.*}}nontemporal
    %x = tt.load %a {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<512x!tt.ptr<f32>, #blocked>
    // The second cache is told, too.
    // CHECK: %[[LAST:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 0f3F800000;"
    // CHECK: inline_asm has_side_effects "st.global.L1::evict_last.L2::cache_hint.v4.b32 [$0], {$1, $2, $3, $4}, $5;", "l,r,r,r,r,l" {{.*}}, %[[LAST]] :
    tt.store %a, %x {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : tensor<512x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Each cache by its own word, a policy once for all accesses.
  // CHECK-LABEL: @each
  // SM75-LABEL: @each
  // SM75-NOT: createpolicy
  // SM75: "ld.global.L1::no_allocate.v4.b32
  tt.func public @each(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %want: !tt.ptr<f32>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #wide>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #wide>
    %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #wide>, tensor<1024xi32, #wide>
    // CHECK: %[[POLICY:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 $0, 0f3F000000;", "=l" : () -> i64
    // CHECK: "ld.global.L1::no_allocate.L2::cache_hint.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l" {{.*}}, %[[POLICY]] :
    // CHECK-NOT: createpolicy
    // CHECK: "ld.global.L1::no_allocate.L2::cache_hint.L2::128B.v4.b32
    %x = tt.load %a {cachePolicy = #ttng.cache_policy<l1 = no_allocate, l2_primary = evict_last, l2_secondary = evict_first, l2_fraction = 5.000000e-01 : f32, l2_prefetch_size = 128 : i32>} : tensor<1024x!tt.ptr<f32>, #wide>
    // CHECK: llvm.store
    tt.store %a, %x : tensor<1024x!tt.ptr<f32>, #wide>
    tt.return
  }

  // Accesses of 256 bits from sm_100 on, without a policy.
  // CHECK-LABEL: @wide
  // CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
  // SM100-LABEL: @wide
  // SM100: llvm.load {{.*}} {alignment = 32 : i64} : !llvm.ptr<1> -> vector<8xf32>
  // SM100: llvm.store {{.*}} {alignment = 32 : i64} : vector<8xf32>
  // PTX100: ld.global.v4.b64
  // PTX100: st.global.v4.b64
  tt.func public @wide(%p: !tt.ptr<f32> {tt.divisibility = 32 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 32 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #wide>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #wide>
    %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #wide>, tensor<1024xi32, #wide>
    %x = tt.load %a : tensor<1024x!tt.ptr<f32>, #wide>
    %so = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #wide>
    %o = tt.addptr %so, %r : tensor<1024x!tt.ptr<f32>, #wide>, tensor<1024xi32, #wide>
    tt.store %o, %x : tensor<1024x!tt.ptr<f32>, #wide>
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
