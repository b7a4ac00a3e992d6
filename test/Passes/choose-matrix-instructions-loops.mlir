// DEFINE: %{choose} = ll-opt --choose-matrix-instructions --remove-layout-conversions - | FileCheck %s
// RUN: sed 's/TARGET/cuda:80/; s/LANES/32/; s/QUARTER/4/' %s | %{choose} --check-prefixes=CHECK,NV
// RUN: sed 's/TARGET/hip:gfx942/; s/LANES/64/; s/QUARTER/8/' %s | %{choose} --check-prefixes=CHECK,MFMA
// RUN: sed 's/TARGET/hip:gfx1201/; s/LANES/32/; s/QUARTER/4/' %s | %{choose} --check-prefixes=CHECK,WMMA
// RUN: ll-opt --choose-matrix-instructions %S/../kernels/conversions/gfx942/attention.coalesced.ttgir | FileCheck %s --check-prefix=KERNEL
// Of attention as Triton compiles it, too large a graph for an exact solution, rows stay within warps.
// KERNEL: = #ttg.amd_mfma<{{.*}}warpsPerCTA = [4, 1],
// KERNEL-NOT: #ttg.amd_mfma<
// KERNEL: module

// NV: #[[$MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// MFMA: #[[$MMA:.+]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], {{.*}}isTransposed = true}>
// WMMA: #[[$MMA:.+]] = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = {{\[\[}}1, 0], [2, 0]]}}>

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [QUARTER, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #b}>
#r = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {ttg.target = "TARGET", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = LANES : i32} {
  // As in attention: a loop carries the sum of the second product, whose left factor is computed from the first.
  // CHECK-LABEL: tt.func @chain
  tt.func @chain(%pq: tensor<64x64x!tt.ptr<f16>, #b>, %pk: tensor<64x64x!tt.ptr<f16>, #b>, %pv: tensor<64x64x!tt.ptr<f16>, #b>, %out: tensor<64x64x!tt.ptr<f32>, #b>, %n: i32) {
    // CHECK: %[[Q:.+]] = ttg.convert_layout %{{.+}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]],
    // The loop carries what the products are in: of what is computed, nothing is exchanged between warps.
    // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[$MMA]]>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[$MMA]]}>>)
    // CHECK: ttg.convert_layout %{{.+}} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]],
    // CHECK: tt.dot %[[Q]], {{.*}} -> tensor<64x64xf32, #[[$MMA]]>
    // CHECK: ttg.convert_layout %{{.+}} : tensor<64x64xf[[P:[0-9]+]], #[[$MMA]]> -> tensor<64x64xf[[P]], #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]],
    // CHECK: ttg.convert_layout %{{.+}} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]],
    // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$MMA]]>
    // CHECK-NOT: ttg.convert_layout
    // CHECK: scf.yield
    // CHECK: ttg.convert_layout %{{.+}} : tensor<64x64xf32, #[[$MMA]]> -> tensor<64x64xf32, #blocked>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    %start = arith.constant dense<0.0> : tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>
    %q = tt.load %pq : tensor<64x64x!tt.ptr<f16>, #b>
    %ql = ttg.convert_layout %q : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %most = %start) -> (tensor<64x64xf32, #b>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>) : i32 {
      %k = tt.load %pk : tensor<64x64x!tt.ptr<f16>, #b>
      %kr = ttg.convert_layout %k : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
      %s = tt.dot %ql, %kr, %zero : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
      %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
      ^bb0(%x: f32, %y: f32):
        %z = arith.maxnumf %x, %y : f32
        tt.reduce.return %z : f32
      }) : (tensor<64x64xf32, #b>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>
      %more = arith.maxnumf %most, %m : tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>
      %column = tt.expand_dims %more {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xf32, #b>
      %all = tt.broadcast %column : tensor<64x1xf32, #b> -> tensor<64x64xf32, #b>
      %less = arith.subf %s, %all : tensor<64x64xf32, #b>
      %p = math.exp %less : tensor<64x64xf32, #b>
      %half = arith.truncf %p : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
      %pl = ttg.convert_layout %half : tensor<64x64xf16, #b> -> tensor<64x64xf16, #l>
      %v = tt.load %pv : tensor<64x64x!tt.ptr<f16>, #b>
      %vr = ttg.convert_layout %v : tensor<64x64xf16, #b> -> tensor<64x64xf16, #r>
      %d = tt.dot %pl, %vr, %acc : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #b>
      scf.yield %d, %more : tensor<64x64xf32, #b>, tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>
    }
    tt.store %out, %sum#0 : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }
}
