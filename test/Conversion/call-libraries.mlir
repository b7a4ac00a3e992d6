// With `call-libraries=true` functions of f32 are those of the vendor's library, as Triton's lowering has them.
// RUN: ll-opt --convert-layouts-to-llvm="target=cuda:90 call-libraries=true" %s | FileCheck %s --check-prefixes=CHECK,NV
// RUN: ll-opt --convert-layouts-to-llvm="target=hip:gfx1100 call-libraries=true" %s | FileCheck %s --check-prefixes=CHECK,OCML
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s | FileCheck %s --check-prefix=OWN --implicit-check-not=llvm.call

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  // CHECK-LABEL: llvm.func @logarithm
  // NV: llvm.call @__nv_logf(%{{.*}}) {{.*}}: (f32) -> f32
  // NV: llvm.call @__nv_powf(%{{.*}}) {{.*}}: (f32, f32) -> f32
  // OCML: llvm.call @__ocml_log_f32(%{{.*}}) {{.*}}: (f32) -> f32
  // OCML: llvm.call @__ocml_pow_f32(%{{.*}}) {{.*}}: (f32, f32) -> f32
  // Powers of two are instructions; operations other than calls are unchanged.
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  // OWN: llvm.func @logarithm
  tt.func public @logarithm(%p: !tt.ptr<f32>) {
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %at = tt.addptr %ps, %i : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %x = tt.load %at : tensor<32x!tt.ptr<f32>, #b>
    %l = math.log %x : tensor<32xf32, #b>
    %w = math.powf %l, %x : tensor<32xf32, #b>
    %e = math.exp %w : tensor<32xf32, #b>
    %a = math.absf %e : tensor<32xf32, #b>
    tt.store %at, %a : tensor<32x!tt.ptr<f32>, #b>
    tt.return
  }
}
