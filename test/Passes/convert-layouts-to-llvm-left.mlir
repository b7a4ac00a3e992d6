// RUN: ll-opt --convert-layouts-to-llvm %s -split-input-file -verify-diagnostics

// What no conversion takes is an error at its place, in functions of others too.
llvm.func @f(%x: f32) -> f32 {
  // expected-error @+2 {{was not converted to the LLVM dialect}}
  // expected-note @+1 {{no conversion supports this operation on these types}}
  %0 = math.erf %x : f32
  llvm.return %0 : f32
}
