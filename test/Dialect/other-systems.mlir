// RUN: ll-opt %s | FileCheck %s
// RUN: ll-opt %s | ll-opt | FileCheck %s
// RUN: ll-opt %s --emit-bytecode | ll-opt | FileCheck %s
// RUN: ll-opt %s --pretty-encodings | FileCheck %s --check-prefix=PRETTY
// RUN: ll-opt %s --print-linear-layouts | FileCheck %s --check-prefix=LINEAR

// Layouts of CuTe and Tilus print as they are spelled.

// CHECK-DAG: #[[$MMA:.+]] = #tilus.register<"local(2, 1).spatial(8, 4).local(1, 2)">
// CHECK-DAG: #[[$PRINTED:.+]] = #tilus.register<"RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])">
// CHECK-DAG: #[[$TV:.+]] = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">
// CHECK-DAG: #[[$TILE:.+]] = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))", tile = [16, 8]>
// CHECK-DAG: #[[$ROWS:.+]] = #cute.layout<"(16,8):(8,1)">
// CHECK-DAG: #[[$SWIZZLED:.+]] = #cute.layout<"Sw<2,0,3> o 0 o (16,8):(8,1)">
// CHECK-DAG: #[[$BESIDE:.+]] = #cute.layout<"(16,8):(8,1)", swizzle = "Sw<2,0,3>">

// PRETTY-DAG: #tilus_16x8 = #tilus.register<
// PRETTY-DAG: #cute_16x8 = #cute.layout<
// PRETTY-DAG: #shared_cute_16x8 = #cute.layout<

#mma = #tilus.register<"local(2, 1).spatial(8, 4).local(1, 2)">
#printed = #tilus.register<"RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])">
#tv = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">
#tile = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))", threadsPerWarp = 32, tile = [16, 8]>
#rows = #cute.layout<"(16,8):(8,1)">
#swizzled = #cute.layout<"Sw<2,0,3> o 0 o (16,8):(8,1)">
#beside = #cute.layout<"(16,8):(8,1)", swizzle = "Sw<2,0,3>">
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @registers
  // CHECK-SAME: tensor<16x8xf32, #[[$MMA]]>, %{{.+}}: tensor<16x8xf32, #[[$PRINTED]]>, %{{.+}}: tensor<16x8xf32, #[[$TV]]>
  // LINEAR: // #cute_layout{{.*}} on 16x8:
  // LINEAR-NEXT: //  - register=1 -> (0, 1)
  // LINEAR-NEXT: //    register=2 -> (8, 0)
  // LINEAR-NEXT: //  - lane=1 -> (0, 2)
  tt.func @registers(%a: tensor<16x8xf32, #mma>, %b: tensor<16x8xf32, #printed>, %c: tensor<16x8xf32, #tv>) {
    // CHECK: ttg.convert_layout %{{.+}} : tensor<16x8xf32, #[[$MMA]]> -> tensor<16x8xf32, #[[$TV]]>
    %0 = ttg.convert_layout %a : tensor<16x8xf32, #mma> -> tensor<16x8xf32, #tv>
    %1 = arith.addf %0, %c : tensor<16x8xf32, #tv>
    // A sum along rows has a slice, of a layout whose tile is written.
    // CHECK: tensor<16xf32, #ttg.slice<{dim = 1, parent = #[[$TILE]]}>>
    %2 = "tt.reduce"(%1) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x8xf32, #tv>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #tile}>>
    %3 = tt.expand_dims %2 {axis = 1 : i32} : tensor<16xf32, #ttg.slice<{dim = 1, parent = #tile}>> -> tensor<16x1xf32, #tile>
    %4 = tt.broadcast %3 : tensor<16x1xf32, #tile> -> tensor<16x8xf32, #tile>
    tt.return
  }

  // CHECK-LABEL: tt.func @memory
  tt.func @memory(%a: tensor<16x8xf32, #mma>) {
    // CHECK: !ttg.memdesc<16x8xf32, #[[$ROWS]], #smem>
    %0 = ttg.local_alloc %a : (tensor<16x8xf32, #mma>) -> !ttg.memdesc<16x8xf32, #rows, #smem>
    // CHECK: !ttg.memdesc<16x8xf32, #[[$SWIZZLED]], #smem, mutable>
    %1 = ttg.local_alloc : () -> !ttg.memdesc<16x8xf32, #swizzled, #smem, mutable>
    // CHECK: !ttg.memdesc<4x16x8xf32, #[[$BESIDE]], #smem, mutable>
    %2 = ttg.local_alloc : () -> !ttg.memdesc<4x16x8xf32, #beside, #smem, mutable>
    tt.return
  }
}
