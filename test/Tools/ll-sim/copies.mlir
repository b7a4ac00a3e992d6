// Warps that hold the same elements store the same bytes of scratch memory, and wait for each other before they
// read them: a copy must not land after a faster warp has used the bytes for its next conversion: the third here.

// RUN: ll-sim %s --arg out=zeros:i8:32 --arg want=iota:i8:32 --expect-same out=want | FileCheck %s
// RUN: ll-sim %s --arg out=zeros:i8:32 --arg want=iota:i8:32 --expect-same out=want --schedule=0 | FileCheck %s
// RUN: ll-sim %s --arg out=zeros:i8:32 --arg want=iota:i8:32 --expect-same out=want --schedule=1 | FileCheck %s
// CHECK: 1 blocks of 64 threads, {{[0-9]+}} instructions, 3 barriers
// CHECK: shared memory: 64 bytes

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#b = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [0], [0], [0]], warp = [[0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @thrice(%out: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %want: !tt.ptr<i8>) {
    %x = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #a>
    %t = arith.trunci %x : tensor<32xi32, #a> to tensor<32xi8, #a>
    %y = ttg.convert_layout %t : tensor<32xi8, #a> -> tensor<32xi8, #b>
    %m = arith.muli %y, %y : tensor<32xi8, #b>
    %d = arith.subi %m, %y : tensor<32xi8, #b>
    %n = ttg.convert_layout %d : tensor<32xi8, #b> -> tensor<32xi8, #a>
    %s = arith.muli %t, %t : tensor<32xi8, #a>
    %back = arith.subi %s, %n : tensor<32xi8, #a>
    %again = ttg.convert_layout %back : tensor<32xi8, #a> -> tensor<32xi8, #b>
    %k = arith.muli %again, %again : tensor<32xi8, #b>
    %e = arith.subi %k, %again : tensor<32xi8, #b>
    %l = ttg.convert_layout %e : tensor<32xi8, #b> -> tensor<32xi8, #a>
    %last = arith.subi %s, %l : tensor<32xi8, #a>
    // Each exchange takes the bytes of the one before.
    %z = ttg.convert_layout %last : tensor<32xi8, #a> -> tensor<32xi8, #b>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    %o = tt.splat %out : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>, #b>
    %p = tt.addptr %o, %r : tensor<32x!tt.ptr<i8>, #b>, tensor<32xi32, #b>
    tt.store %p, %z : tensor<32x!tt.ptr<i8>, #b>
    tt.return
  }
}
