// RUN: ll-opt --convert-layouts-to-llvm %s -split-input-file -verify-diagnostics

// What no conversion takes is an error at its place, in functions of others too.
llvm.func @f(%x: f32) -> f32 {
  // expected-error @+2 {{is left after the last conversion}}
  // expected-note @+1 {{no pass lowers it to the LLVM dialect on these types}}
  %0 = math.erf %x : f32
  llvm.return %0 : f32
}

// -----

// A function that neither vendor's instructions nor our approximations compute.
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%x: f64, %o: !tt.ptr<f64>) {
    // expected-error @+2 {{of `f64` is not supported on cuda:90: GPUs have no instruction for it}}
    // expected-note @+1 {{f16, bf16 and f32 can be lowered}}
    %0 = math.erf %x : f64
    tt.store %o, %0 : !tt.ptr<f64>
    tt.return
  }
}
