// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s
// RUN: ll-translate --lower --emit=ptx %s | FileCheck %s --check-prefix=PTX

#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  // A thread whose masks are true for the first and the last element uses one access. Otherwise the mask differs between
  // neighbours, and there are four accesses at one address.
  // CHECK-LABEL: llvm.func @neighbours
  // CHECK: [[FIRST:%.*]] = llvm.icmp "slt"
  // CHECK-COUNT-2: llvm.icmp "slt"
  // CHECK: [[LAST:%.*]] = llvm.icmp "slt"
  // CHECK: [[ACTIVE:%.*]] = llvm.and [[FIRST]], [[LAST]] : i1
  // CHECK-NEXT: llvm.cond_br [[ACTIVE]]
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-COUNT-3: ld.global.b32 $0, [$1+{{4|8|12}}];
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  // CHECK-COUNT-3: st.global.b32 [$0+{{4|8|12}}], $1;
  // PTX-LABEL: .entry neighbours
  // PTX: ld.global.v4.b32
  // PTX: ld.global.b32 {{%r[0-9]+}}, {{\[}}[[X:%rd[0-9]+]]];
  // PTX: ld.global.b32 {{%r[0-9]+}}, {{\[}}[[X]]+4];
  // PTX: ld.global.b32 {{%r[0-9]+}}, {{\[}}[[X]]+8];
  // PTX: ld.global.b32 {{%r[0-9]+}}, {{\[}}[[X]]+12];
  // PTX: st.global.v4.b32
  // PTX: st.global.b32 {{\[}}[[Y:%rd[0-9]+]]], {{%r[0-9]+}};
  // PTX: st.global.b32 {{\[}}[[Y]]+12], {{%r[0-9]+}};
  tt.func public @neighbours(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #four>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #four>
    %mask = arith.cmpi slt, %i, %ns : tensor<512xi32, #four>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %from = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    %v = tt.load %from, %mask : tensor<512x!tt.ptr<f32>, #four>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %to = tt.addptr %ys, %i : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    tt.store %to, %v, %mask : tensor<512x!tt.ptr<f32>, #four>
    tt.return
  }

  // A multiple of 4 divides the row's end, so one comparison decides on four elements, and one quotient is theirs.
  // CHECK-LABEL: llvm.func @equal
  // CHECK-COUNT-1: llvm.icmp "slt"
  // CHECK-NOT: llvm.icmp
  // CHECK-COUNT-1: llvm.sdiv
  // CHECK-NOT: llvm.sdiv
  // CHECK: llvm.return
  // Product and sum of an address are two instructions, which are faster than one.
  // PTX-LABEL: .entry equal
  // PTX-NOT: mad.wide
  // PTX: mul.wide.u32
  tt.func public @equal(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #four>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #four>
    %mask = arith.cmpi slt, %i, %ns : tensor<512xi32, #four>
    %eight = arith.constant dense<8> : tensor<512xi32, #four>
    %row = arith.divsi %i, %eight : tensor<512xi32, #four>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #four>
    %to = tt.addptr %xs, %i : tensor<512x!tt.ptr<i32>, #four>, tensor<512xi32, #four>
    tt.store %to, %row, %mask : tensor<512x!tt.ptr<i32>, #four>
    tt.return
  }
}
