// A column of a grouped product, (pid / g * 64 + range) % n: neighbours only if the dividend is not negative.
// RUN: ll-opt --coalesce %s | FileCheck %s --check-prefix=ANY
// RUN: ll-opt --coalesce=triton-indices=true %s | FileCheck %s --check-prefix=ASSUMED
// RUN: ll-opt --layout-pipeline %s | FileCheck %s --check-prefix=SCALAR
// RUN: ll-opt --layout-pipeline=triton-indices=true %s | FileCheck %s --check-prefix=WIDE

// ANY: #[[BLOCKED:.*]] = #ttg.blocked<{sizePerThread = [1],
// ANY-NOT: #ttg.blocked
// ASSUMED: #[[FOUR:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
// ASSUMED: tt.load {{.*}} : tensor<128x!tt.ptr<f32>, #[[FOUR]]>
// SCALAR-NOT: vector<4xf32>
// WIDE: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
#default = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32} {
  tt.func public @column(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %g: i32, %n: i32 {tt.divisibility = 16 : i32}) {
    %c128 = arith.constant 128 : i32
    %pid = tt.get_program_id x : i32
    %group = arith.divsi %pid, %g : i32
    %first = arith.muli %group, %c128 : i32
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #default>
    %firsts = tt.splat %first : i32 -> tensor<128xi32, #default>
    %column = arith.addi %firsts, %range : tensor<128xi32, #default>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #default>
    %at = arith.remsi %column, %ns : tensor<128xi32, #default>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #default>
    %from = tt.addptr %ps, %at : tensor<128x!tt.ptr<f32>, #default>, tensor<128xi32, #default>
    %x = tt.load %from : tensor<128x!tt.ptr<f32>, #default>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #default>
    %to = tt.addptr %outs, %at : tensor<128x!tt.ptr<f32>, #default>, tensor<128xi32, #default>
    tt.store %to, %x : tensor<128x!tt.ptr<f32>, #default>
    tt.return
  }
}
