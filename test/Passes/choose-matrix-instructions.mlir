// Products in blocked layouts, by the matrix instructions of several GPUs. Encodings first: all but #blocked are of
// instructions.
// RUN: ll-opt --choose-matrix-instructions=target=cuda:80 %s | FileCheck %s --check-prefixes=CHECK,NV,NV80
// RUN: ll-opt --choose-matrix-instructions=target=cuda:90 %s | FileCheck %s --check-prefixes=CHECK,NV,NV90
// RUN: ll-opt --choose-matrix-instructions=target=hip:gfx1100 %s | FileCheck %s --check-prefixes=CHECK,W1
// RUN: ll-opt --choose-matrix-instructions=target=hip:gfx1201 %s | FileCheck %s --check-prefixes=CHECK,W2
// RUN: not ll-opt --choose-matrix-instructions %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ll-opt --choose-matrix-instructions="target=cuda:80 memory=fre" %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// NONE: error: {{.*}} op has no target
// MEMORY: error: {{.*}} invalid option `memory=fre`, expected pinned or free
// MEMORY: note: did you mean `free`?

// NV-DAG: #[[$SQUARE:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// NV90-DAG: #[[$GROUP:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// NV90-DAG: #[[$GROUP32:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
// NV90-DAG: #[[$GROUP8:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
// NV80-DAG: #[[$DOUBLE:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [8, 8]}>
// NV-DAG: #[[$SEVERAL:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
// NV-DAG: #[[$COLUMNS:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
// W1-DAG: #[[$SQUARE:.+]] = #ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}}>
// W1-DAG: #[[$SEVERAL:.+]] = #ttg.amd_wmma<{version = 1, {{.*}}ctaLayout = {warp = {{\[\[}}1, 0, 0], [2, 0, 0]]}}>
// W1-DAG: #[[$COLUMNS:.+]] = #ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [0, 2]]}}>
// W2-DAG: #[[$SQUARE:.+]] = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}}>
// W2-DAG: #[[$SEVERAL:.+]] = #ttg.amd_wmma<{version = 2, {{.*}}ctaLayout = {warp = {{\[\[}}1, 0, 0], [2, 0, 0]]}}>
// W2-DAG: #[[$COLUMNS:.+]] = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [0, 2]]}}>

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
#b3 = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#l3 = #ttg.dot_op<{opIdx = 0, parent = #b3}>
#r3 = #ttg.dot_op<{opIdx = 1, parent = #b3}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @halves
  tt.func @halves(%pa: tensor<64x64x!tt.ptr<f16>, #b>, %pb: tensor<64x64x!tt.ptr<f16>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>) {
    // NV80: tt.dot {{.*}}kWidth = 2{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // NV90: ttng.warp_group_dot {{.*}} -> tensor<64x64xf32, #[[$GROUP]]>
    // W1: tt.dot {{.*}}kWidth = 16{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // W2: tt.dot {{.*}}kWidth = 8{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #b>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #b>
    %l = ttg.convert_layout %a : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %r = ttg.convert_layout %b : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // CHECK-LABEL: tt.func @in_tf32
  tt.func @in_tf32(%pa: tensor<64x32x!tt.ptr<f32>, #b>, %pb: tensor<32x64x!tt.ptr<f32>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>) {
    // NV80: tt.dot {{.*}}kWidth = 1{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // NV90: ttng.warp_group_dot {{.*}} -> tensor<64x64xf32, #[[$GROUP32]]>
    // W1: tt.dot {{.*}} -> tensor<64x64xf32, #blocked{{[0-9]*}}>
    // W2: tt.dot {{.*}} -> tensor<64x64xf32, #blocked{{[0-9]*}}>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %a = tt.load %pa : tensor<64x32x!tt.ptr<f32>, #b>
    %b = tt.load %pb : tensor<32x64x!tt.ptr<f32>, #b>
    %l = ttg.convert_layout %a : tensor<64x32xf32, #b> -> tensor<64x32xf32, #l>
    %r = ttg.convert_layout %b : tensor<32x64xf32, #b> -> tensor<32x64xf32, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = tf32 : tensor<64x32xf32, #l> * tensor<32x64xf32, #r> -> tensor<64x64xf32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // CHECK-LABEL: tt.func @exact
  tt.func @exact(%pa: tensor<64x32x!tt.ptr<f32>, #b>, %pb: tensor<32x64x!tt.ptr<f32>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>) {
    // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #blocked{{[0-9]*}}>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %a = tt.load %pa : tensor<64x32x!tt.ptr<f32>, #b>
    %b = tt.load %pb : tensor<32x64x!tt.ptr<f32>, #b>
    %l = ttg.convert_layout %a : tensor<64x32xf32, #b> -> tensor<64x32xf32, #l>
    %r = ttg.convert_layout %b : tensor<32x64xf32, #b> -> tensor<32x64xf32, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<64x32xf32, #l> * tensor<32x64xf32, #r> -> tensor<64x64xf32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // CHECK-LABEL: tt.func @integers
  tt.func @integers(%pa: tensor<64x64x!tt.ptr<i8>, #b>, %pb: tensor<64x64x!tt.ptr<i8>, #b>, %pc: tensor<64x64x!tt.ptr<i32>, #b>) {
    // The right operand is loaded as the product takes it.
    // NV80: tt.dot {{.*}}kWidth = 4{{.*}} -> tensor<64x64xi32, #[[$COLUMNS]]>
    // NV90: ttng.warp_group_dot {{.*}} -> tensor<64x64xi32, #[[$GROUP8]]>
    // W1: tt.dot {{.*}}kWidth = 16{{.*}} -> tensor<64x64xi32, #[[$SQUARE]]>
    // W2: tt.dot {{.*}}kWidth = 8{{.*}} -> tensor<64x64xi32, #[[$SQUARE]]>
    %zero = arith.constant dense<0> : tensor<64x64xi32, #b>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<i8>, #b>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<i8>, #b>
    %l = ttg.convert_layout %a : tensor<64x64xi8, #b> -> tensor<64x64xi8, #l>
    %r = ttg.convert_layout %b : tensor<64x64xi8, #b> -> tensor<64x64xi8, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<64x64xi8, #l> * tensor<64x64xi8, #r> -> tensor<64x64xi32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<i32>, #b>
    tt.return
  }

  // CHECK-LABEL: tt.func @doubles
  tt.func @doubles(%pa: tensor<64x16x!tt.ptr<f64>, #b>, %pb: tensor<16x64x!tt.ptr<f64>, #b>, %pc: tensor<64x64x!tt.ptr<f64>, #b>) {
    // From sm_90 on, an instruction for f64 has the tile of those for other types.
    // NV80: tt.dot {{.*}}kWidth = 1{{.*}} -> tensor<64x64xf64, #[[$DOUBLE]]>
    // NV90: tt.dot {{.*}}kWidth = 1{{.*}} -> tensor<64x64xf64, #[[$SQUARE]]>
    // W1: tt.dot {{.*}} -> tensor<64x64xf64, #blocked{{[0-9]*}}>
    // W2: tt.dot {{.*}} -> tensor<64x64xf64, #blocked{{[0-9]*}}>
    %zero = arith.constant dense<0.0> : tensor<64x64xf64, #b>
    %a = tt.load %pa : tensor<64x16x!tt.ptr<f64>, #b>
    %b = tt.load %pb : tensor<16x64x!tt.ptr<f64>, #b>
    %l = ttg.convert_layout %a : tensor<64x16xf64, #b> -> tensor<64x16xf64, #l>
    %r = ttg.convert_layout %b : tensor<16x64xf64, #b> -> tensor<16x64xf64, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<64x16xf64, #l> * tensor<16x64xf64, #r> -> tensor<64x64xf64, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f64>, #b>
    tt.return
  }

  // CHECK-LABEL: tt.func @sum_of_halves
  tt.func @sum_of_halves(%pa: tensor<64x64x!tt.ptr<f16>, #b>, %pb: tensor<64x64x!tt.ptr<f16>, #b>, %pc: tensor<64x64x!tt.ptr<f16>, #b>) {
    // NV80: tt.dot {{.*}}kWidth = 2{{.*}} -> tensor<64x64xf16, #[[$SQUARE]]>
    // NV90: ttng.warp_group_dot {{.*}} -> tensor<64x64xf16, #[[$GROUP]]>
    // W1: tt.dot {{.*}} -> tensor<64x64xf16, #blocked{{[0-9]*}}>
    // W2: tt.dot {{.*}}kWidth = 8{{.*}} -> tensor<64x64xf16, #[[$SQUARE]]>
    %zero = arith.constant dense<0.0> : tensor<64x64xf16, #b>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #b>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #b>
    %l = ttg.convert_layout %a : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %r = ttg.convert_layout %b : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf16, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f16>, #b>
    tt.return
  }

  // A matrix for each warp.
  // CHECK-LABEL: tt.func @several
  tt.func @several(%pa: tensor<4x32x32x!tt.ptr<f16>, #b3>, %pb: tensor<4x32x32x!tt.ptr<f16>, #b3>, %pc: tensor<4x32x32x!tt.ptr<f32>, #b3>) {
    // NV: tt.dot {{.*}}kWidth = 2{{.*}} -> tensor<4x32x32xf32, #[[$SEVERAL]]>
    // W1: tt.dot {{.*}}kWidth = 16{{.*}} -> tensor<4x32x32xf32, #[[$SEVERAL]]>
    // W2: tt.dot {{.*}}kWidth = 8{{.*}} -> tensor<4x32x32xf32, #[[$SEVERAL]]>
    %zero = arith.constant dense<0.0> : tensor<4x32x32xf32, #b3>
    %a = tt.load %pa : tensor<4x32x32x!tt.ptr<f16>, #b3>
    %b = tt.load %pb : tensor<4x32x32x!tt.ptr<f16>, #b3>
    %l = ttg.convert_layout %a : tensor<4x32x32xf16, #b3> -> tensor<4x32x32xf16, #l3>
    %r = ttg.convert_layout %b : tensor<4x32x32xf16, #b3> -> tensor<4x32x32xf16, #r3>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<4x32x32xf16, #l3> * tensor<4x32x32xf16, #r3> -> tensor<4x32x32xf32, #b3>
    tt.store %pc, %d : tensor<4x32x32x!tt.ptr<f32>, #b3>
    tt.return
  }

  // One tile of rows: warps share the columns.
  // CHECK-LABEL: tt.func @wide
  tt.func @wide(%pa: tensor<16x64x!tt.ptr<f16>, #b>, %pb: tensor<64x256x!tt.ptr<f16>, #b>, %pc: tensor<16x256x!tt.ptr<f32>, #b>) {
    // NV: tt.dot {{.*}}kWidth = 2{{.*}} -> tensor<16x256xf32, #[[$COLUMNS]]>
    // W1: tt.dot {{.*}}kWidth = 16{{.*}} -> tensor<16x256xf32, #[[$COLUMNS]]>
    // W2: tt.dot {{.*}}kWidth = 8{{.*}} -> tensor<16x256xf32, #[[$COLUMNS]]>
    %zero = arith.constant dense<0.0> : tensor<16x256xf32, #b>
    %a = tt.load %pa : tensor<16x64x!tt.ptr<f16>, #b>
    %b = tt.load %pb : tensor<64x256x!tt.ptr<f16>, #b>
    %l = ttg.convert_layout %a : tensor<16x64xf16, #b> -> tensor<16x64xf16, #l>
    %r = ttg.convert_layout %b : tensor<64x256xf16, #b> -> tensor<64x256xf16, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<16x64xf16, #l> * tensor<64x256xf16, #r> -> tensor<16x256xf32, #b>
    tt.store %pc, %d : tensor<16x256x!tt.ptr<f32>, #b>
    tt.return
  }

  // Loaded narrower: a thread holds as much of K as one access to bytes gives.
  // CHECK-LABEL: tt.func @widened
  tt.func @widened(%pa: tensor<64x64x!tt.ptr<i8>, #b>, %pb: tensor<64x64x!tt.ptr<f16>, #b>, %pc: tensor<64x64x!tt.ptr<f32>, #b>) {
    // NV80: tt.dot {{.*}}kWidth = 4{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // NV90: ttng.warp_group_dot {{.*}} -> tensor<64x64xf32, #[[$GROUP]]>
    // W1: tt.dot {{.*}}kWidth = 16{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    // W2: tt.dot {{.*}}kWidth = 8{{.*}} -> tensor<64x64xf32, #[[$SQUARE]]>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %a = tt.load %pa : tensor<64x64x!tt.ptr<i8>, #b>
    %b = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #b>
    %wide = arith.sitofp %a : tensor<64x64xi8, #b> to tensor<64x64xf16, #b>
    %l = ttg.convert_layout %wide : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %r = ttg.convert_layout %b : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }

  // CHECK-LABEL: tt.func @tiny
  tt.func @tiny(%pa: tensor<16x8x!tt.ptr<f16>, #b>, %pb: tensor<8x16x!tt.ptr<f16>, #b>, %pc: tensor<16x16x!tt.ptr<f32>, #b>) {
    // CHECK: tt.dot {{.*}} -> tensor<16x16xf32, #blocked{{[0-9]*}}>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #b>
    %a = tt.load %pa : tensor<16x8x!tt.ptr<f16>, #b>
    %b = tt.load %pb : tensor<8x16x!tt.ptr<f16>, #b>
    %l = ttg.convert_layout %a : tensor<16x8xf16, #b> -> tensor<16x8xf16, #l>
    %r = ttg.convert_layout %b : tensor<8x16xf16, #b> -> tensor<8x16xf16, #r>
    %d = tt.dot %l, %r, %zero, inputPrecision = ieee : tensor<16x8xf16, #l> * tensor<8x16xf16, #r> -> tensor<16x16xf32, #b>
    tt.store %pc, %d : tensor<16x16x!tt.ptr<f32>, #b>
    tt.return
  }
}
