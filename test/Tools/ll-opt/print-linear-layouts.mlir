// Each encoding of a module has its linear layout in comments, once for each shape, and the module
// stays the same.
//
// RUN: ll-opt --print-linear-layouts %s | FileCheck %s --match-full-lines
// RUN: ll-opt --print-linear-layouts %s -o %t.comments
// RUN: ll-opt %s -o %t.plain
// RUN: grep -v '^//' %t.comments | diff %t.plain -
// RUN: ll-opt %t.comments | diff %t.plain -
// RUN: ll-opt --pretty-encodings --print-linear-layouts %s | FileCheck %s --check-prefix=PRETTY

#a = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#unused = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#pad = #ttg.padded_shared<[4:+2] {order = [1, 0], shape = [2, 4]}>
#smem = #ttg.shared_memory

// An encoding that lays out nothing has no comment.
//      CHECK: #blocked = #ttg.blocked<{{.*}}>
// CHECK-NEXT: #blocked1 = #ttg.blocked<{{.*}}>
// CHECK-NEXT: // #blocked1 on 2x4:
// CHECK-NEXT: //  - register=1 -> (0, 1)
// CHECK-NEXT: //  - lane=1 -> (0, 2)
// CHECK-NEXT: //    lane=2 -> (1, 0)
// CHECK-NEXT: //  - warp is a size 1 dimension
// CHECK-NEXT: //  - block is a size 1 dimension
// CHECK-NEXT: // where out dims are: [dim0 (size 2), dim1 (size 4)]
// CHECK-NEXT: // #blocked1 on 2x8:
// CHECK-NEXT: //  - register=1 -> (0, 1)
// CHECK-NEXT: //    register=2 -> (0, 4)
// CHECK-NEXT: //  - lane=1 -> (0, 2)
// CHECK-NEXT: //    lane=2 -> (1, 0)
// CHECK-NEXT: //  - warp is a size 1 dimension
// CHECK-NEXT: //  - block is a size 1 dimension
// CHECK-NEXT: // where out dims are: [dim0 (size 2), dim1 (size 8)]
//
// A buffer has the layout of its allocation.
//      CHECK: #shared = #ttg.padded_shared<{{.*}}>
// CHECK-NEXT: // #shared on 2x4:
// CHECK-NEXT: //  - offset=1 -> (0, 1)
// CHECK-NEXT: //    offset=2 -> (0, 2)
// CHECK-NEXT: //    offset=4 -> (1, 0)
// CHECK-NEXT: //  - block is a size 1 dimension
// CHECK-NEXT: // where out dims are: [dim0 (size 2), dim1 (size 4)]
// CHECK-NEXT: // after every 4 elements a gap of 2
//
// What has no alias comes after those that have one.
// CHECK-NEXT: // #ttg.slice<{dim = 0, parent = #blocked1}> on 4:
//  CHECK-NOT: #ttg.slice<{dim = 0, parent = #blocked1}> on 4:
//      CHECK: module {{.*}}
//
// PRETTY: #slice_d0_of_blocked_1x2_t2x2_w1x1 = #ttg.slice<{dim = 0, parent = #blocked_1x2_t2x2_w1x1}>
// PRETTY-NEXT: // #slice_d0_of_blocked_1x2_t2x2_w1x1 on 4:
// PRETTY-NEXT: //  - register=1 -> (1)
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 4 : i32, x.unused = #unused} {
  tt.func @f(%x: tensor<2x4xf16, #a>, %y: tensor<2x8xi1, #a>, %z: tensor<2x4xf32, #a>) {
    %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %1 = ttg.local_alloc : () -> !ttg.memdesc<3x2x4xf16, #pad, #smem, mutable>
    tt.return
  }
}
