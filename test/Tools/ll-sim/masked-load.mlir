// The value of a lane that a masked load without `other` skips is not defined: using it is an error, carrying it along is not.

// RUN: not ll-sim %s -q --entry used --arg x=iota:i32:128 --arg o=zeros:i32:128 --arg 100:i32 2>&1 | FileCheck %s
// RUN: sed 's/cuda:90/hip:gfx1100/' %s | not ll-sim - -q --entry used --arg x=iota:i32:128 --arg o=zeros:i32:128 --arg 100:i32 2>&1 | FileCheck %s
// CHECK: error: use of a value that was not loaded: the mask is false in this lane, and the load has no `other`
// CHECK: by lane 4 of warp 3
// CHECK: %v = tt.load %px, %m
// RUN: ll-sim %s -q --entry used --arg x=iota:i32:128 --arg o=zeros:i32:128 --arg 128:i32
// RUN: ll-sim %s -q --entry given --arg x=iota:i32:128 --arg o=zeros:i32:128 --arg 100:i32
// RUN: ll-sim %s -q --entry masked_again --arg x=iota:i32:128 --arg o=zeros:i32:128 --arg 100:i32
// RUN: sed 's/cuda:90/hip:gfx1100/' %s | ll-sim - -q --entry masked_again --arg x=iota:i32:128 --arg o=zeros:i32:128 --arg 100:i32
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @used(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %m = arith.cmpi slt, %r, %ns : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %px = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %os = tt.splat %o : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %po = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %v = tt.load %px, %m : tensor<128x!tt.ptr<i32>, #b>
    tt.store %po, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }
  tt.func public @given(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %zero = arith.constant dense<0> : tensor<128xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %m = arith.cmpi slt, %r, %ns : tensor<128xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %px = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %os = tt.splat %o : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %po = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %v = tt.load %px, %m, %zero : tensor<128x!tt.ptr<i32>, #b>
    tt.store %po, %v : tensor<128x!tt.ptr<i32>, #b>
    tt.return
  }
  // Into another layout through shared memory, chosen away in part, and stored under the mask.
  tt.func public @masked_again(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %rc = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #c>
    %zero = arith.constant dense<0> : tensor<128xi32, #c>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
    %nc = tt.splat %n : i32 -> tensor<128xi32, #c>
    %m = arith.cmpi slt, %r, %ns : tensor<128xi32, #b>
    %mc = arith.cmpi slt, %rc, %nc : tensor<128xi32, #c>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %px = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    %os = tt.splat %o : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #c>
    %po = tt.addptr %os, %rc : tensor<128x!tt.ptr<i32>, #c>, tensor<128xi32, #c>
    %v = tt.load %px, %m : tensor<128x!tt.ptr<i32>, #b>
    %u = arith.addi %v, %r : tensor<128xi32, #b>
    %vc = ttg.convert_layout %u : tensor<128xi32, #b> -> tensor<128xi32, #c>
    tt.store %po, %vc, %mc : tensor<128x!tt.ptr<i32>, #c>
    %s = arith.select %mc, %vc, %zero : tensor<128xi1, #c>, tensor<128xi32, #c>
    tt.store %po, %s : tensor<128x!tt.ptr<i32>, #c>
    tt.return
  }
}
