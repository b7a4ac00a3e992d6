// RUN: ll-opt --count-async-waits -split-input-file %s -o %t.mlir && FileCheck %s --input-file=%t.mlir

// A second run changes nothing.
// RUN: ll-opt --count-async-waits -split-input-file %t.mlir | diff %t.mlir -

module attributes {"ttg.num-warps" = 4 : i32} {
// Groups rotate through a loop: two are younger than the oldest, of which the path into the loop has one.
// CHECK-LABEL: tt.func @loop
tt.func @loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.async_commit_group
  %b = ttg.async_commit_group
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a, %new = %b) -> (!ttg.async.token, !ttg.async.token) : i32 {
    // CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
    %w = ttg.async_wait %old {num = 0 : i32}
    %d = ttg.async_commit_group
    // CHECK: ttg.async_wait %{{.*}}, %{{.*}} {num = 1 : i32}
    %v = ttg.async_wait %new, %w {num = 0 : i32}
    scf.yield %new, %d : !ttg.async.token, !ttg.async.token
  }
  // CHECK: ttg.async_wait %{{.*}}#0 {num = 1 : i32}
  %x = ttg.async_wait %r#0 {num = 0 : i32}
  // CHECK: ttg.async_wait %{{.*}}#1 {num = 0 : i32}
  %y = ttg.async_wait %r#1 {num = 0 : i32}
  tt.return
}

// One path commits more than the other; an existing count is not decreased; a token argument, or none, has no count.
// CHECK-LABEL: tt.func @paths
tt.func @paths(%p: i1, %given: !ttg.async.token) {
  %a = ttg.async_commit_group
  %b = scf.if %p -> !ttg.async.token {
    %c = ttg.async_commit_group
    %d = ttg.async_commit_group
    scf.yield %c : !ttg.async.token
  } else {
    scf.yield %a : !ttg.async.token
  }
  %e = ttg.async_commit_group
  // CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
  %0 = ttg.async_wait %a {num = 0 : i32}
  // CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
  %1 = ttg.async_wait %b {num = 0 : i32}
  // CHECK: ttg.async_wait %{{.*}} {num = 4 : i32}
  %2 = ttg.async_wait %a {num = 4 : i32}
  // CHECK: ttg.async_wait %{{.*}}, %{{.*}} {num = 0 : i32}
  %3 = ttg.async_wait %a, %given {num = 0 : i32}
  // CHECK: ttg.async_wait {num = 0 : i32}
  %4 = ttg.async_wait {num = 0 : i32}
  // CHECK: ttg.async_wait %{{.*}} {num = 0 : i32}
  %5 = ttg.async_wait %1 {num = 0 : i32}
  tt.return
}
}
