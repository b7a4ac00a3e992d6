// Warp-group products (`wgmma`) on Hopper: layouts of operands in shared memory and in registers.
// RUN: ll-opt --choose-matrix-instructions %s | FileCheck %s
// RUN: ll-opt --choose-matrix-instructions --remove-layout-conversions %s | FileCheck %s --check-prefix=LAYOUTS

// CHECK-DAG: #[[$MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
// CHECK-DAG: #[[$SQUARE:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[$BYTES:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
// CHECK-DAG: #[[$WIDE:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
// CHECK-DAG: #[[$S128:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$S64:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$T128:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[$A8:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
// CHECK-DAG: #[[$B8:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
// LAYOUTS-DAG: #[[$MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
// LAYOUTS-DAG: #[[$SQUARE:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#generic = #ttg.generic_linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 2], [4, 0]], block = []}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The loaded layouts are stored as they are, and the loop carries the accumulator.
  // CHECK-LABEL: tt.func @loop
  // LAYOUTS-LABEL: tt.func @loop
  tt.func @loop(%pa: tensor<128x32x!tt.ptr<f16>, #b>, %pb: tensor<32x128x!tt.ptr<f16>, #b>, %pc: tensor<128x128x!tt.ptr<f32>, #b>, %n: i32) {
    // CHECK: scf.for
    // CHECK: %[[A:.+]] = ttg.local_alloc %{{.+}} : (tensor<128x32xf16, #blocked>) -> !ttg.memdesc<128x32xf16, #[[$S64]], #smem>
    // CHECK: %[[B:.+]] = ttg.local_alloc %{{.+}} : (tensor<32x128xf16, #blocked>) -> !ttg.memdesc<32x128xf16, #[[$S128]], #smem>
    // CHECK: %[[C:.+]] = ttg.convert_layout %{{.+}} -> tensor<128x128xf32, #[[$MMA]]>
    // CHECK: %[[D:.+]] = ttng.warp_group_dot %[[A]], %[[B]], %[[C]] {maxNumImpreciseAcc = 4 : i32, tt.latency = 1 : i32} : {{.*}} -> tensor<128x128xf32, #[[$MMA]]>
    // CHECK: ttg.convert_layout %[[D]] : {{.*}} -> tensor<128x128xf32, #blocked>
    // LAYOUTS: scf.for {{.*}} -> (tensor<128x128xf32, #[[$MMA]]>)
    // LAYOUTS-NOT: ttg.convert_layout
    // LAYOUTS: ttng.warp_group_dot
    // LAYOUTS-NOT: ttg.convert_layout
    // LAYOUTS: scf.yield
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #b>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #b>) : i32 {
      %a = tt.load %pa : tensor<128x32x!tt.ptr<f16>, #b>
      %b = tt.load %pb : tensor<32x128x!tt.ptr<f16>, #b>
      %l = ttg.convert_layout %a : tensor<128x32xf16, #b> -> tensor<128x32xf16, #l>
      %r = ttg.convert_layout %b : tensor<32x128xf16, #b> -> tensor<32x128xf16, #r>
      %d = tt.dot %l, %r, %acc {maxNumImpreciseAcc = 4 : i32, tt.latency = 1 : i32} : tensor<128x32xf16, #l> * tensor<32x128xf16, #r> -> tensor<128x128xf32, #b>
      scf.yield %d : tensor<128x128xf32, #b>
    }
    tt.store %pc, %sum : tensor<128x128x!tt.ptr<f32>, #b>
    tt.return
  }

  // As in attention: Q is invariant and stored once. K is transposed by its buffer. P stays in registers.
  // CHECK-LABEL: tt.func @attention
  // LAYOUTS-LABEL: tt.func @attention
  tt.func @attention(%pq: tensor<64x64x!tt.ptr<f16>, #b>, %pk: tensor<64x64x!tt.ptr<f16>, #b>, %pv: tensor<64x64x!tt.ptr<f16>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>, %n: i32) {
    // CHECK: %[[Q:.+]] = ttg.local_alloc %{{.+}} -> !ttg.memdesc<64x64xf16, #[[$S128]], #smem>
    // CHECK-NEXT: scf.for
    // CHECK: %[[K:.+]] = ttg.local_alloc %{{.+}} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #[[$S128]], #smem>
    // CHECK-NEXT: %[[KT:.+]] = ttg.memdesc_trans %[[K]] {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<64x64xf16, #[[$T128]], #smem>
    // CHECK: ttng.warp_group_dot %[[Q]], %[[KT]], %{{.+}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // CHECK: %[[P:.+]] = ttg.convert_layout %{{.+}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$SQUARE]], kWidth = 2}>>
    // CHECK: %[[V:.+]] = ttg.local_alloc %{{.+}} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #[[$S128]], #smem>
    // CHECK: ttng.warp_group_dot %[[P]], %[[V]], %{{.+}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // Only P is converted, within its threads.
    // LAYOUTS: scf.for {{.*}} -> (tensor<64x64xf32, #[[$SQUARE]]>)
    // LAYOUTS-NOT: tt.trans
    // LAYOUTS: ttg.convert_layout %{{.+}} : tensor<64x64xf[[W:[0-9]+]], #[[$SQUARE]]> -> tensor<64x64xf[[W]], #ttg.dot_op<{opIdx = 0, parent = #[[$SQUARE]], kWidth = 2}>>
    // LAYOUTS-NOT: ttg.convert_layout
    // LAYOUTS: scf.yield
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %q = tt.load %pq : tensor<64x64x!tt.ptr<f16>, #b>
    %ql = ttg.convert_layout %q : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #b>) : i32 {
      %k = tt.load %pk : tensor<64x64x!tt.ptr<f16>, #b>
      %kt = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16, #b> -> tensor<64x64xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>>
      %kr = ttg.convert_layout %kt : tensor<64x64xf16, #t> -> tensor<64x64xf16, #r>
      %s = tt.dot %ql, %kr, %zero : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
      %e = math.exp %s : tensor<64x64xf32, #b>
      %p = arith.truncf %e : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
      %pl = ttg.convert_layout %p : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
      %v = tt.load %pv : tensor<64x64x!tt.ptr<f16>, #b>
      %vr = ttg.convert_layout %v : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
      %d = tt.dot %pl, %vr, %acc : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
      scf.yield %d : tensor<64x64xf32, #b>
    }
    tt.store %pc, %sum : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // A computed and transposed A passes through shared memory anyway: its buffer is transposed. Both products read one
  // buffer of B.
  // CHECK-LABEL: tt.func @gradient
  tt.func @gradient(%pa: tensor<64x64x!tt.ptr<f16>, #b>, %pb: tensor<64x64x!tt.ptr<f16>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>) {
    // CHECK: ttng.warp_group_dot %{{.+}}, %[[B:[0-9]+]], %
    // CHECK: %[[P:.+]] = ttg.local_alloc %{{.+}} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #[[$S128]], #smem>
    // CHECK-NEXT: %[[PT:.+]] = ttg.memdesc_trans %[[P]]
    // CHECK: ttng.warp_group_dot %[[PT]], %[[B]], %
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #b>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #b>
    %l = ttg.convert_layout %a : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %r = ttg.convert_layout %b : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
    %s = tt.dot %l, %r, %zero : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    %p = arith.truncf %s : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
    %pt = tt.trans %p {order = array<i32: 1, 0>} : tensor<64x64xf16, #b> -> tensor<64x64xf16, #t>
    %pl = ttg.convert_layout %pt : tensor<64x64xf16, #t> -> tensor<64x64xf16, #l>
    %d = tt.dot %pl, %r, %zero : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // Elements of 8 bits are contiguous along K in their buffer, whatever the layout of the load.
  // CHECK-LABEL: tt.func @bytes
  tt.func @bytes(%pa: tensor<64x64x!tt.ptr<f8E4M3FN>, #t>, %pb: tensor<64x64x!tt.ptr<f8E4M3FN>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>) {
    // CHECK: %[[A:.+]] = ttg.local_alloc %{{.+}} : (tensor<64x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<64x64xf8E4M3FN, #[[$A8]], #smem>
    // CHECK: %[[B:.+]] = ttg.local_alloc %{{.+}} : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #[[$B8]], #smem>
    // CHECK: ttng.warp_group_dot %[[A]], %[[B]], %{{.+}} {maxNumImpreciseAcc = 64 : i32} : {{.*}} -> tensor<64x64xf32, #[[$BYTES]]>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f8E4M3FN>, #t>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f8E4M3FN>, #b>
    %l = ttg.convert_layout %a : tensor<64x64xf8E4M3FN, #t> -> tensor<64x64xf8E4M3FN, #l>
    %r = ttg.convert_layout %b : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xf8E4M3FN, #r>
    %d = tt.dot %l, %r, %zero {maxNumImpreciseAcc = 64 : i32} : tensor<64x64xf8E4M3FN, #l> * tensor<64x64xf8E4M3FN, #r> -> tensor<64x64xf32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // The order in memory counts, not the layout in which B is scaled.
  // CHECK-LABEL: tt.func @computed
  tt.func @computed(%pa: tensor<64x64x!tt.ptr<f16>, #b>, %pb: tensor<64x512x!tt.ptr<f16>, #t>, %pc: tensor<64x512x!tt.ptr<f32>, #b>) {
    // CHECK: ttg.convert_layout %{{.+}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$WIDE]], kWidth = 2}>>
    // CHECK: ttg.local_alloc %{{.+}} : (tensor<64x512xf16, #blocked>) -> !ttg.memdesc<64x512xf16, #[[$T128]], #smem>
    // CHECK: ttng.warp_group_dot {{.*}} -> tensor<64x512xf32, #[[$WIDE]]>
    %zero = arith.constant dense<0.0> : tensor<64x512xf32, #b>
    %la = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #b>
    %a = arith.addf %la, %la : tensor<64x64xf16, #b>
    %lb = tt.load %pb : tensor<64x512x!tt.ptr<f16>, #t>
    %cb = ttg.convert_layout %lb : tensor<64x512xf16, #t> -> tensor<64x512xf16, #b>
    %b = arith.addf %cb, %cb : tensor<64x512xf16, #b>
    %l = ttg.convert_layout %a : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %r = ttg.convert_layout %b : tensor<64x512xf16, #b> -> tensor<64x512xf16, #r>
    %d = tt.dot %l, %r, %zero : tensor<64x64xf16, #l> * tensor<64x512xf16, #r> -> tensor<64x512xf32, #b>
    tt.store %pc, %d : tensor<64x512x!tt.ptr<f32>, #b>
    tt.return
  }

  // `ttg.local_alloc` does not support the layout of B.
  // CHECK-LABEL: tt.func @generic
  // CHECK-NOT: ttng.warp_group_dot
  tt.func @generic(%a: tensor<64x64xf16, #l>, %b: tensor<64x64xf16, #generic>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
    %r = ttg.convert_layout %b : tensor<64x64xf16, #generic> -> tensor<64x64xf16, #r>
    %d = tt.dot %a, %r, %c : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    tt.return %d : tensor<64x64xf32, #b>
  }
}
